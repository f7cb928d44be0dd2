// Section 5.2 and Figure 14: the arm with four tendons picks up an object, carries it and drops it.
// The paper prints no motion; an independent program's answer to a step of tension stands in.
#include <math.h>
#include <stdlib.h>

#include "cli/figure.h"
#include "robots.h"
#include "section5_reference.h"
#include "till2019.h"

#define NONE ((double)NAN)
#define ALPHA (-0.03)
#define MINUTE_NODES 24  // along the backbone: its errors are below those of the reference

// ---------------------------------------------------------------- against the reference
static double distance(const double a[3], const double b[3]) {
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static bool open_arm(paper_report *r, simulation *s, double gravity, const td_options *o) {
    td_error err = {0};
    if (simulation_of(s, till_tendon_arm(gravity, &err), o, &err)) return true;
    report_failure(r, "%s", err.message);
    return false;
}

static void compare_equilibrium(paper_report *r, const char *name, double gravity, double up,
                                double left, const double reference[3]) {
    const td_options o = collocation_options(MINUTE_NODES, ALPHA);
    simulation s;
    if (!open_arm(r, &s, gravity, &o)) return;
    td_set_input(s.system, s.state, td_find_input(s.system, "up"), up);
    td_set_input(s.system, s.state, td_find_input(s.system, "left"), left);
    if (td_solve_statics(s.system, s.state) < 0) {
        report_failure(r, "%s: %s", name, td_message(s.state));
    } else {
        double far = distance(simulation_tip(&s).p, reference);
        report_compare(r,
                       &(comparison){.quantity = name, .unit = "m", .printed = NONE, .ours = far});
    }
    simulation_close(&s);
}

// The largest distance of the tip from the reference after the step, m; NAN: it failed.
static double step_error(paper_report *r, const td_options *o) {
    simulation s;
    if (!open_arm(r, &s, 9.81, o)) return NONE;
    double largest = 0.0;
    bool fine = true;
    td_set_input(s.system, s.state, td_find_input(s.system, "up"), 2.0);
    for (int k = 0; k < REFERENCE_ARM_SAMPLES && fine; k++) {
        if (k > 0) fine = td_step(s.system, s.state, ARM_STEP) >= 0;
        const double there[3] = {reference_arm_x[k], 0.0, reference_arm_z[k]};
        largest = fmax(largest, distance(simulation_tip(&s).p, there));
    }
    if (!fine) report_failure(r, "the step of tension: %s", td_message(s.state));
    simulation_close(&s);
    return fine ? largest : NONE;
}

static void compare_step(paper_report *r) {
    td_options shooting = shooting_options(TD_RK4, TD_CUBIC, 101, ALPHA);
    td_options collocation = collocation_options(12, ALPHA);
    collocation.startup = TD_REST_HISTORY;
    report_compare(r, &(comparison){.quantity = "step of 2 N against reference, RK4",
                                    .unit = "m",
                                    .printed = NONE,
                                    .ours = step_error(r, &shooting)});
    report_compare(r, &(comparison){.quantity = "step of 2 N against reference, collocation",
                                    .unit = "m",
                                    .printed = NONE,
                                    .ours = step_error(r, &collocation)});
}

// ---------------------------------------------------------------- pick, carry, drop
enum { SHAPE_POINTS = 41, MOST_STEPS = 300 };

typedef struct transfer {
    double tip[MOST_STEPS][3];
    double shape[MOST_STEPS][SHAPE_POINTS][3];
    long n;
    double seconds;
} transfer;

static void see_arm(const simulation *s, long k, void *to) {
    transfer *t = to;
    for (int i = 0; i < SHAPE_POINTS; i++) {
        td_pose at = td_get_pose(s->system, s->state, 0, ARM_LENGTH * i / (SHAPE_POINTS - 1));
        for (int c = 0; c < 3; c++) t->shape[k][i][c] = at.p[c];
    }
    for (int c = 0; c < 3; c++) t->tip[k][c] = t->shape[k][SHAPE_POINTS - 1][c];
    t->n = k;
}

static bool move(paper_report *r, const td_options *o, transfer *t) {
    const long n = lround(ARM_END / ARM_STEP);
    simulation s;
    if (!open_arm(r, &s, 9.81, o)) return false;
    long done = simulation_run(&s, ARM_STEP, n, see_arm, t, &t->seconds);
    if (done < n)
        report_failure(r, "the object transfer at %.3g s: %s", (double)done * ARM_STEP,
                       td_message(s.state));
    simulation_close(&s);
    return done == n;
}

static void compare_speed(paper_report *r, const char *name, const transfer *t) {
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "x",
                                    .printed = NONE,
                                    .printed_text = "> 3.5",
                                    .ours = ARM_END / t->seconds});
}

static long step_at(double t) {
    return lround(t / ARM_STEP);
}

// How far the tip leaps when it lets the object go, and where it comes to rest.
static void compare_leap(paper_report *r, const transfer *t) {
    double leap = 0.0, settled = t->tip[t->n][2];
    long drop = step_at(ARM_DROP);
    for (long k = drop; k <= step_at(ARM_DROP + 0.5); k++)
        leap = fmax(leap, t->tip[k][2] - t->tip[drop][2]);
    report_compare(r, &(comparison){.quantity = "rise of the tip after the drop",
                                    .unit = "mm",
                                    .printed = NONE,
                                    .ours = 1e3 * leap,
                                    .note = "the arm swings upward, as in the right of Figure 14"});
    report_compare(r, &(comparison){.quantity = "the same after it has settled",
                                    .unit = "mm",
                                    .printed = NONE,
                                    .ours = 1e3 * (settled - t->tip[drop][2])});
}

// ---------------------------------------------------------------- table and picture
static void write_table(paper_report *r, const transfer *t) {
    FILE *out = report_table(r, "figure14.csv");
    if (!out) return;
    fputs("time [s],tip x [m],tip y [m],tip z [m]\n", out);
    for (long k = 0; k <= t->n; k++)
        fprintf(out, "%.9g,%.9g,%.9g,%.9g\n", (double)k * ARM_STEP, t->tip[k][0], t->tip[k][1],
                t->tip[k][2]);
    report_close(r, out, "figure14.csv");
}

static void put_shape(FILE *script, const char *name, const double shape[SHAPE_POINTS][3]) {
    fprintf(script, "$%s << EOD\n", name);
    for (int i = 0; i < SHAPE_POINTS; i++)
        fprintf(script, "%.6g %.6g %.6g\n", 1e3 * shape[i][0], 1e3 * shape[i][1],
                1e3 * shape[i][2]);
    fputs("EOD\n", script);
}

typedef struct moment {
    const char *name;
    double t;
    int colour;
} moment;

static const moment carried[] = {{"picks up", ARM_PICK, 0},
                                 {"lifts", 1.6, 5},
                                 {"carries", 2.05, 2},
                                 {"arrives", 2.4, 4},
                                 {"drops", ARM_DROP, 1}};
static const moment released[] = {{"drops", ARM_DROP, 1},
                                  {"0.03 s later", ARM_DROP + 0.034, 4},
                                  {"0.07 s later", ARM_DROP + 0.067, 2},
                                  {"0.10 s later", ARM_DROP + 0.1, 0}};

// Seen along one axis: `across` is the column of the horizontal one.
static void draw_moments(FILE *script, const transfer *t, const moment *m, int n, int across) {
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "moment%d_%d", across, i);
        put_shape(script, name, t->shape[step_at(m[i].t)]);
    }
    for (int i = 0; i < n; i++)
        fprintf(script,
                "%s $moment%d_%d using %d:3 with lines lw 3 lc rgb '%s' title '%s', \\\n"
                "$moment%d_%d every ::%d using %d:3 with points pt 7 ps %g lc rgb '%s' notitle%s\n",
                i == 0 ? "plot" : "    ", across, i, across, curve_colour(m[i].colour), m[i].name,
                across, i, SHAPE_POINTS - 1, across, m[i].t <= ARM_DROP ? 1.8 : 0.5,
                curve_colour(m[i].colour), i + 1 < n ? ", \\" : "");
}

static void draw(paper_report *r, const transfer *t) {
    gnuplot g;
    if (!report_figure(r, &g, "figure14.png", 1600, 1150)) return;
    fputs("set multiplot\nset size ratio -1\nset tmargin at screen 0.95\n"
          "set bmargin at screen 0.46\nset lmargin at screen 0.07\nset rmargin at screen 0.56\n"
          "set xrange [-150:150]\nset yrange [-80:120]\nset xtics 50\nset ytics 50\n"
          "set xlabel 'y (mm)'\nset ylabel 'z (mm)'\nset key left bottom\n"
          "set title 'from the front: the object is moved'\n",
          g.script);
    draw_moments(g.script, t, carried, 5, 2);
    fputs("set lmargin at screen 0.65\nset rmargin at screen 0.97\nset xrange [0:220]\n"
          "set yrange [-110:150]\nset xlabel 'x (mm)'\n"
          "set title 'from the side: the arm swings upward'\n",
          g.script);
    draw_moments(g.script, t, released, 4, 1);
    fputs("$tip << EOD\n", g.script);
    for (long k = 0; k <= t->n; k++)
        fprintf(g.script, "%.6g %.6g %.6g\n", (double)k * ARM_STEP, 1e3 * t->tip[k][1],
                1e3 * t->tip[k][2]);
    fprintf(g.script,
            "EOD\nset size noratio\nunset title\n"
            "set lmargin at screen 0.08\nset rmargin at screen 0.97\n"
            "set bmargin at screen 0.08\nset tmargin at screen 0.34\n"
            "set xrange [0:%g]\nset autoscale y\nset xtics 0.5\nset ytics 50\n"
            "set xlabel 'time (s)'\nset ylabel 'tip (mm)'\n"
            "set key at graph 1, graph 1.02 right bottom horizontal\n"
            "set arrow 1 from %g, graph 0 to %g, graph 1 nohead dt 2 lc rgb '#888888'\n"
            "set arrow 2 from %g, graph 0 to %g, graph 1 nohead dt 2 lc rgb '#888888'\n"
            "set label 1 'pick' at %g, graph 0.93 offset 0.4, 0\n"
            "set label 2 'drop' at %g, graph 0.93 offset 0.4, 0\n"
            "plot $tip using 1:2 with lines lw 1.6 lc rgb '%s' title 'to the side, y', \\\n"
            "$tip using 1:3 with lines lw 1.6 lc rgb '%s' title 'height, z'\n",
            ARM_END, ARM_PICK, ARM_PICK, ARM_DROP, ARM_DROP, ARM_PICK, ARM_DROP, curve_colour(0),
            curve_colour(1));
    report_figure_end(r, &g, "figure14.png");
}

static void compare_transfer(paper_report *r, transfer *moved) {
    td_options euler = shooting_options(TD_EULER, TD_LINEAR, 200, ALPHA);
    if (move(r, &euler, moved)) compare_speed(r, "real-time ratio, Euler, 200 points", moved);
    td_options ours = collocation_options(8, ALPHA);
    if (!move(r, &ours, moved)) return;
    compare_speed(r, "real-time ratio, collocation, 8 nodes", moved);
    compare_leap(r, moved);
    write_table(r, moved);
    draw(r, moved);
}

void till2019_tendon_arm(paper_report *r) {
    compare_equilibrium(r, "equilibrium against reference, 3 N and 1 N", 0.0, 3.0, 1.0,
                        reference_arm_oblique);
    compare_equilibrium(r, "equilibrium against reference, 2 N, weight", 9.81, 2.0, 0.0,
                        reference_arm_raised);
    compare_step(r);
    transfer *moved = malloc(sizeof *moved);
    if (moved) {
        compare_transfer(r, moved);
    } else {
        report_failure(r, "out of memory");
    }
    free(moved);
}
