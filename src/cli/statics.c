// tendril statics: the equilibrium of a robot file.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/derivatives.h"
#include "cli/equilibrium.h"
#include "cli/parts.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/json.h"
#include "io/result.h"

enum { TABLE_POINTS = 6, MOST_POINTS = 100000 };

typedef struct statics {
    session s;
    const args *args;
    td_status status;
    td_stats stats;  // of the solve; what follows it has its own
    char message[512];
    int points;  // 0: as many as suits the output
    derivatives derivatives;
    verdict verdict;
} statics;

// ---------------------------------------------------------------- output
static double arc_length(const statics *st, int rod, int i, int n) {
    return point_at(td_get_length(st->s.system, st->s.state, rod), i, n);
}

// What rounding leaves of a number whose neighbours have this size is shown as 0.
static double shown(double x, double size) {
    return fabs(x) > 1e-10 * size ? x : 0.0;
}

static void print_rod(const statics *st, int rod, int n) {
    printf("\nrod %s, length %g m\n", td_rod_name(st->s.system, rod),
           td_get_length(st->s.system, st->s.state, rod));
    printf("%9s %11s %11s %11s %8s %8s %8s %8s %10s %10s %10s\n", "s [m]", "x [m]", "y [m]",
           "z [m]", "qw", "qx", "qy", "qz", "ux [1/m]", "uy [1/m]", "uz [1/m]");
    for (int i = 0; i < n; i++) {
        const double s = arc_length(st, rod, i, n), length = td_rod_length(st->s.system, rod);
        td_sample at = td_get_sample(st->s.system, st->s.state, rod, s);
        printf("%9.5g", s);
        for (int k = 0; k < 3; k++) printf(" %11.6f", shown(at.pose.p[k], 5e3));
        for (int k = 0; k < 4; k++) printf(" %8.4f", shown(at.pose.q[k], 5e5));
        for (int k = 0; k < 3; k++) printf(" %10.4g", shown(at.strain[k], 1.0 / length));
        putchar('\n');
    }
}

static void print_reaction(const statics *st, int rod, td_end end) {
    td_reaction r = td_get_reaction(st->s.system, st->s.state, rod, end);
    const double F = fabs(r.force[0]) + fabs(r.force[1]) + fabs(r.force[2]);
    const double M = fabs(r.moment[0]) + fabs(r.moment[1]) + fabs(r.moment[2]);
    for (int k = 0; k < 3; k++)
        r.force[k] = shown(r.force[k], F), r.moment[k] = shown(r.moment[k], M);
    printf("held at its %s by a force (%.6g, %.6g, %.6g) N and a moment (%.6g, %.6g, %.6g) N m\n",
           end == TD_BASE ? "base" : "tip", r.force[0], r.force[1], r.force[2], r.moment[0],
           r.moment[1], r.moment[2]);
}

static void print_table(const statics *st) {
    const td_stats *stats = &st->stats;
    printf("%s: equilibrium after %d iterations, residual %.2g", st->s.file, stats->iterations,
           stats->residual);
    if (stats->load_steps) printf(", %d load steps", stats->load_steps);
    putchar('\n');
    if (st->status > 0) printf("note: %s\n", st->message);
    verdict_print(&st->verdict);
    int n = st->points ? st->points : TABLE_POINTS;
    for (int i = 0; i < td_n_rods(st->s.system); i++) {
        print_rod(st, i, n);
        print_reaction(st, i, TD_BASE);
        if (td_rod_tip_held(st->s.system, i)) print_reaction(st, i, TD_TIP);
        derivatives_print(&st->derivatives, &st->s, i);
    }
    parts_print(&st->s);
    derivatives_print_bodies(&st->derivatives, &st->s);
}

static void put_reaction(json *j, const statics *st, int rod, td_end end) {
    const td_reaction r = td_get_reaction(st->s.system, st->s.state, rod, end);
    json_open_object(j, end == TD_BASE ? "base_reaction" : "tip_reaction");
    json_put_numbers(j, "moment", r.moment, 3);
    json_put_numbers(j, "force", r.force, 3);
    json_end_object(j);
}

static void put_rod(json *j, const statics *st, int rod, int n) {
    json_begin_object(j);
    json_put_string(j, "name", td_rod_name(st->s.system, rod));
    json_put_number(j, "length", td_get_length(st->s.system, st->s.state, rod));
    json_open_array(j, "poses");
    for (int i = 0; i < n; i++) {
        double s = arc_length(st, rod, i, n);
        td_sample at = td_get_sample(st->s.system, st->s.state, rod, s);
        json_begin_object(j);
        json_put_number(j, "s", s);
        json_put_numbers(j, "p", at.pose.p, 3);
        json_put_numbers(j, "q", at.pose.q, 4);
        json_put_numbers(j, "strain", at.strain, 6);
        json_put_numbers(j, "wrench", at.wrench, 6);
        if (td_n_obstacles(st->s.system) + td_n_contacts(st->s.system) > 0) {
            json_put_number(j, "gap", at.gap);
            json_put_number(j, "pressure", at.pressure);
            json_put_numbers(j, "contact", at.contact, 3);
        }
        json_end_object(j);
    }
    json_end_array(j);
    put_reaction(j, st, rod, TD_BASE);
    if (td_rod_tip_held(st->s.system, rod)) put_reaction(j, st, rod, TD_TIP);
    derivatives_put(&st->derivatives, &st->s, rod, j);
    json_end_object(j);
}

// A failed solve has no shape to show: its list of rods is empty.
static void print_json(const statics *st) {
    const td_stats *stats = &st->stats;
    json j = session_begin_json(&st->s, st->status, st->message);
    session_put_notes(&st->s, &j);
    json_put_number(&j, "residual", stats->residual);
    json_put_integer(&j, "iterations", stats->iterations);
    json_put_integer(&j, "load_steps", stats->load_steps);
    if (stats->load_steps) json_put_number(&j, "load_reached", stats->load_reached);
    json_open_object(&j, "inputs");
    for (int i = 0; i < td_n_inputs(st->s.system); i++)
        json_put_number(&j, td_input_name(st->s.system, i),
                        td_get_input(st->s.system, st->s.state, i));
    json_end_object(&j);
    json_open_array(&j, "rods");
    int n = st->points ? st->points : st->s.scenario.record_points;
    for (int i = 0; st->status >= 0 && i < td_n_rods(st->s.system); i++) put_rod(&j, st, i, n);
    json_end_array(&j);
    if (st->status >= 0) {
        parts_put(&j, &st->s);
        verdict_put(&j, &st->verdict);
        derivatives_put_bodies(&st->derivatives, &st->s, &j);
    }
    json_end_object(&j);
}

// ---------------------------------------------------------------- files
static int write_files(statics *st) {
    const char *folder = args_value(st->args, "out"), *file = args_value(st->args, "save");
    td_error err = {0};
    equilibrium e = {"tendril statics", &st->s, &st->stats, st->points};
    int code = folder ? equilibrium_write(&e, folder) : EXIT_FINE;
    if (code != EXIT_FINE) return code;
    if (file && state_write(file, st->s.system, st->s.state, &err) < 0)
        return exit_reported(err.status == TD_ERR_VALUE ? EXIT_INPUT : EXIT_FAILED, NULL, &err);
    return EXIT_FINE;
}

// ---------------------------------------------------------------- solving
static int solve(statics *st) {
    double t = 0.0;
    if (!args_integer(st->args, "points", 2, MOST_POINTS, &st->points) ||
        !args_seconds(st->args, "time", &t))
        return EXIT_INPUT;
    int code = session_open(&st->s, st->args);
    if (code != EXIT_FINE) return code;
    td_side side = args_has(st->args, "time") ? TD_AFTER : TD_BEFORE;
    st->status = td_apply_signals(st->s.system, st->s.state, t, side);
    if (st->status == TD_OK) st->status = td_solve_statics(st->s.system, st->s.state);
    st->stats = *td_get_stats(st->s.state);
    snprintf(st->message, sizeof st->message, "%s", td_message(st->s.state));
    bool as_json = args_has(st->args, "json");
    if (st->status < 0) {
        if (as_json) print_json(st);
        return exit_error(EXIT_FAILED, st->s.file, "%s",
                          st->message[0] ? st->message : status_words(st->status));
    }
    code = write_files(st);
    st->verdict = verdict_of(&st->s);
    if (code == EXIT_FINE) code = derivatives_compute(&st->derivatives, &st->s, st->args);
    if (code != EXIT_FINE) return code;
    if (as_json) {
        print_json(st);
    } else {
        print_table(st);
        session_print_notes(&st->s);
    }
    return EXIT_FINE;
}

static int run(const args *a) {
    statics st = {.args = a};
    int code = solve(&st);
    derivatives_free(&st.derivatives);
    session_close(&st.s);
    return code;
}

static const option options[] = {
    SESSION_OPTIONS,
    {"time", "T",
     "use the inputs at this time, after any jump there;\n"
     "default: as a run starts, before any jump at 0",
     false},
    {"points", "N", "number of points printed along each rod", false},
    {"derivatives", NULL,
     "print derivatives of the tip of each rod and of each free\n"
     "body by the inputs (Jacobian) and by a wrench there\n"
     "(compliance)",
     false},
    {"vary", "PATH=VALUE",
     "print the derivative of the tip by a parameter at this\n"
     "value, e.g. rods.arm.length=0.4; may be given several\n"
     "times",
     true},
    {"json", NULL, "print as JSON", false},
    {"out", "DIR", "write the equilibrium as a result folder, for plot", false},
    {"save", "FILE", "write the state, for run --start", false},
    {0},
};

const verb verb_statics = {
    .name = "statics",
    .summary = "find the equilibrium of a robot",
    .arguments = "FILE",
    .about =
        "Solves for equilibrium under gravity, loads and inputs. Prints for each rod arc\n"
        "length s, position, orientation (quaternion w, x, y, z) and curvature u in the rod's\n"
        "own frame, and the force and moment that hold it, in the world frame. Then prints\n"
        "the tendons, chambers and free bodies, the force on each obstacle, and whether the\n"
        "equilibrium is stable. If no equilibrium is found, the exit code is 1.",
    .options = options,
    .examples = "  tendril statics arm.yaml\n"
                "  tendril statics arm.yaml --set inputs.pull='3 N' --points 21\n"
                "  tendril statics arm.yaml --derivatives --vary rods.arm.length=0.4\n"
                "  tendril statics arm.yaml --save bent.state\n"
                "  tendril run arm.yaml --start bent.state\n",
    .run = run,
};
