// tendril linearise: the matrices of small motions, for other programs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/gain.h"
#include "cli/linear.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/matrices.h"

enum { N_TABLES = 12, N_STEP = 6 };  // of the motion, of a step

typedef struct linearise {
    linear x;
    int n, rows;  // of z; of y
    double dt;    // s; 0: no step
    double
        *chosen[9];  // C, C1, C2, F, F1, F2 of the outputs that were named, and C, D, D0 of a step
    const char **texts;    // names and units
    char (*numbered)[32];  // (n_flows + n_multipliers) their names
    matrix_table tables[N_TABLES + N_STEP];
    label_list labels[3];
    matrices all;
} linearise;

static const char *const equations =
    "M z'' + D z' + K z = B u + B1 u' + B2 u'', y = C z + C1 z' + C2 z'' + F u + F1 u' + F2 u''";

// ---------------------------------------------------------------- what is written
static bool is_zero(const double *a, int n) {
    for (int i = 0; i < n; i++)
        if (a[i] != 0.0) return false;
    return true;
}

static int columns_of(const linearise *w, int chosen) {
    const td_step_map *step = td_get_step_map(w->x.l);
    if (chosen == 6) return step ? step->n_states : 0;
    return chosen < 3 ? w->n : w->x.of->n_inputs;
}

static bool allocate(linearise *w) {
    const td_linear *of = w->x.of;
    w->n = of->n_coordinates + of->n_multipliers;
    w->rows = linear_n_rows(&w->x);
    bool ok = true;
    for (int i = 0; i < 9; i++) {
        w->chosen[i] = calloc((size_t)w->rows * (size_t)columns_of(w, i) + 1, sizeof(double));
        ok = ok && w->chosen[i];
    }
    w->texts = calloc(2 * (size_t)(w->n + w->rows + of->n_inputs) + 1, sizeof *w->texts);
    w->numbered = calloc((size_t)(of->n_flows + of->n_multipliers) + 1, sizeof *w->numbered);
    return ok && w->texts && w->numbered;
}

static void choose_rows(linearise *w, const char **names, const char **units) {
    const td_linear *of = w->x.of;
    const td_step_map *step = td_get_step_map(w->x.l);
    const double *all[9] = {of->C, of->C1, of->C2, of->F, of->F1, of->F2};
    if (step) all[6] = step->C, all[7] = step->D, all[8] = step->D0;
    for (int i = 0; i < w->rows; i++) {
        const int row = linear_row(&w->x, i, &names[i], &units[i]);
        for (int k = 0; k < (step ? 9 : 6); k++) {
            const size_t columns = (size_t)columns_of(w, k);
            memcpy(w->chosen[k] + (size_t)i * columns, all[k] + (size_t)row * columns,
                   columns * sizeof(double));
        }
    }
}

static void name_all(linearise *w) {
    const td_linear *of = w->x.of;
    const td_system *system = w->x.s.system;
    const char **names[3], **units[3];
    const int n[3] = {w->n, of->n_inputs, w->rows};
    const char **at = w->texts;
    static const char *const words[3] = {"coordinates", "inputs", "outputs"};
    for (int i = 0; i < 3; i++) {
        names[i] = at, units[i] = at + n[i], at += 2 * n[i];
        w->labels[i] = (label_list){words[i], n[i], names[i], units[i]};
    }
    const int shape = of->n_coordinates - of->n_flows;
    for (int i = 0; i < shape; i++) {
        names[0][i] = td_coordinate_name(system, i);
        units[0][i] = td_coordinate_unit(system, i);
    }
    for (int i = 0; i < of->n_flows + of->n_multipliers; i++) {
        const int multiplier = i - of->n_flows;
        snprintf(w->numbered[i], sizeof w->numbered[i], multiplier < 0 ? "flow%d" : "l%d",
                 multiplier < 0 ? i + 1 : multiplier + 1);
        names[0][shape + i] = w->numbered[i], units[0][shape + i] = "";
    }
    for (int i = 0; i < of->n_inputs; i++) {
        names[1][i] = td_input_name(system, i);
        units[1][i] = td_input_unit(system, i);
    }
    choose_rows(w, names[2], units[2]);
}

// Has each equation a rate? What is held exactly has none.
static bool all_have_rates(const td_linear *of) {
    const int n = of->n_coordinates + of->n_multipliers;
    for (int i = 0; i < n; i++)
        if (is_zero(of->M + i * n, n) && is_zero(of->D + i * n, n)) return false;
    return true;
}

static void collect(linearise *w) {
    const td_linear *of = w->x.of;
    const int n = w->n, u = of->n_inputs, y = w->rows;
    const matrix_table tables[N_TABLES] = {
        {"M", "mass", n, n, of->M},
        {"D", "damping", n, n, of->D},
        {"K", "stiffness", n, n, of->K},
        {"B", "by inputs", n, u, of->B},
        {"B1", "by rates of inputs", n, u, of->B1},
        {"B2", "by accelerations of inputs", n, u, of->B2},
        {"C", "outputs by z", y, n, w->chosen[0]},
        {"C1", "outputs by z'", y, n, w->chosen[1]},
        {"C2", "outputs by z''", y, n, w->chosen[2]},
        {"F", "outputs by inputs", y, u, w->chosen[3]},
        {"F1", "outputs by rates of inputs", y, u, w->chosen[4]},
        {"F2", "outputs by accelerations of inputs", y, u, w->chosen[5]},
    };
    memcpy(w->tables, tables, sizeof tables);
    const td_step_map *step = td_get_step_map(w->x.l);
    if (step) {
        const int x = step->n_states;
        const matrix_table more[N_STEP] = {
            {"step_A", "state after a step by the one before", x, x, step->A},
            {"step_B", "state after a step by inputs at its end", x, u, step->B},
            {"step_B0", "state after a step by inputs at its beginning", x, u, step->B0},
            {"step_C", "outputs after a step by the state before", y, x, w->chosen[6]},
            {"step_D", "outputs after a step by inputs at its end", y, u, w->chosen[7]},
            {"step_D0", "outputs after a step by inputs at its beginning", y, u, w->chosen[8]},
        };
        memcpy(w->tables + N_TABLES, more, sizeof more);
    }
    const char *name = td_robot_name(w->x.s.robot);
    w->all = (matrices){.program = "tendril linearise",
                        .robot = name ? name : "",
                        .model = td_system_options(w->x.s.system)->model,
                        .about = equations,
                        .tables = w->tables,
                        .n_tables = N_TABLES + (step ? N_STEP : 0),
                        .labels = w->labels,
                        .n_labels = 3,
                        .n_coordinates = of->n_coordinates};
    w->all.plain = of->n_multipliers == 0 && is_zero(of->B1, n * u) && is_zero(of->B2, n * u) &&
                   is_zero(w->chosen[4], y * u) && is_zero(w->chosen[5], y * u) &&
                   all_have_rates(of);
}

// ---------------------------------------------------------------- output
static void print_json(const linearise *w) {
    const td_linear *of = w->x.of;
    json j = linear_begin_json(&w->x);
    json_put_string(&j, "model", w->all.model);
    json_put_string(&j, "equations", equations);
    json_put_integer(&j, "n_coordinates", of->n_coordinates);
    json_put_integer(&j, "n_multipliers", of->n_multipliers);
    if (w->dt > 0.0) json_put_number(&j, "dt", w->dt);
    matrices_put(&w->all, &j);
    json_end_object(&j);
}

static void print_list(const label_list *l) {
    printf("%s:", l->name);
    for (int i = 0; i < l->n; i++)
        printf("%s %s%s%s%s", i ? "," : "", l->names[i], l->units[i][0] ? " [" : "", l->units[i],
               l->units[i][0] ? "]" : "");
    putchar('\n');
}

static void print_words(const linearise *w) {
    const td_linear *of = w->x.of;
    printf("%s: %d coordinates, %d multipliers, %d inputs, %d outputs\n%s\n", w->x.s.file,
           of->n_coordinates, of->n_multipliers, of->n_inputs, w->rows, equations);
    for (int i = 1; i < 3; i++) print_list(&w->labels[i]);
    linear_print_notes(&w->x);
}

static int write_files(const linearise *w, const args *a) {
    const char *h5 = args_value(a, "hdf5"), *octave = args_value(a, "octave");
    td_error err = {0};
    td_status status = h5 ? matrices_write_h5(&w->all, h5, &err) : TD_OK;
    if (status >= 0 && octave) status = matrices_write_octave(&w->all, octave, &err);
    if (status >= 0) return EXIT_FINE;
    return exit_reported(EXIT_INPUT, NULL, &err);
}

// ---------------------------------------------------------------- the best gain
// The outputs at an instant, by coordinates and rates alone.
static int write_gain(const linearise *w, const args *a) {
    const int n = w->x.of->n_coordinates;
    if (!args_has(a, "lqr")) return EXIT_FINE;
    double *outputs = calloc((size_t)w->rows * 2 * (size_t)n + 1, sizeof *outputs);
    if (!outputs) return exit_error(EXIT_FAILED, w->x.s.file, "out of memory");
    for (int i = 0; i < w->rows; i++)
        for (int k = 0; k < n; k++) {
            outputs[i * 2 * n + k] = w->chosen[0][i * w->n + k];
            outputs[i * 2 * n + n + k] = w->chosen[1][i * w->n + k];
        }
    const int code = gain_write(&w->x, a, w->dt, outputs, w->rows);
    free(outputs);
    return code;
}

// ---------------------------------------------------------------- the verb
static int solve_step(linearise *w) {
    if (w->dt == 0.0 || td_solve_step_map(w->x.l, w->dt) >= 0) return EXIT_FINE;
    return exit_error(EXIT_FAILED, "--dt", "%s", td_linearisation_message(w->x.l));
}

static int solve(linearise *w, const args *a) {
    if (!args_seconds(a, "dt", &w->dt)) return EXIT_INPUT;
    if (args_has(a, "dt") && !(w->dt > 0.0))
        return exit_error(EXIT_INPUT, "--dt", "%g s must be above 0", w->dt);
    int code = linear_open(&w->x, a);
    if (code == EXIT_FINE && args_has(a, "outputs"))
        code = linear_name_outputs(&w->x, "outputs", args_value(a, "outputs"));
    if (code == EXIT_FINE) code = linear_about(&w->x, NULL, 0);
    if (code == EXIT_FINE) code = solve_step(w);
    if (code != EXIT_FINE) return code;
    if (!allocate(w)) return exit_error(EXIT_FAILED, w->x.s.file, "out of memory");
    name_all(w);
    collect(w);
    code = write_files(w, a);
    if (code == EXIT_FINE) code = write_gain(w, a);
    if (code != EXIT_FINE) return code;
    if (args_has(a, "json")) print_json(w);
    else print_words(w);
    return EXIT_FINE;
}

static int run(const args *a) {
    linearise w = {0};
    int code = solve(&w, a);
    for (int i = 0; i < 9; i++) free(w.chosen[i]);
    free(w.texts);
    free(w.numbered);
    linear_close(&w.x);
    return code;
}

static const option options[] = {
    LINEAR_OPTIONS,
    {"outputs", "NAMES",
     "the outputs y, separated by commas: tip.pose,\n"
     "tip.velocity_x, rod.arm.50 %.strain, body.plate.pose,\n"
     "tendon.east.tension; default: none",
     false},
    {"dt", "T", "also compute the map of one step of this size", false},
    {"json", NULL, "print the matrices as JSON", false},
    {"hdf5", "FILE", "write the matrices as HDF5", false},
    {"octave", "FILE", "write the matrices as a script for Octave or MATLAB", false},
    {"lqr", "INPUTS",
     "design a state feedback by these inputs, separated by\n"
     "commas, that keeps the outputs small; needs --outputs,\n"
     "--dt and --scenario",
     false},
    {"price", "R", "weight R of the inputs against the outputs; default: 1", false},
    {"scenario", "FILE", "write the robot with this controller, for tendril run", false},
    {0},
};

const verb verb_linearise = {
    .name = "linearise",
    .summary = "compute matrices of small motions, for control",
    .arguments = "FILE",
    .about =
        "Finds the equilibrium and linearises the motion about it:\n"
        "\n"
        "    M z'' + D z' + K z = B u + B1 u' + B2 u''\n"
        "    y = C z + C1 z' + C2 z'' + F u + F1 u' + F2 u''\n"
        "\n"
        "z are the coordinates of the model, then multipliers; u all inputs; y the outputs of\n"
        "--outputs. The Octave script also has A, B, C, D of the first-order form. With --dt it\n"
        "also has the map of one step of the file's scheme, x+ = A x + B u+ + B0 u,\n"
        "y+ = C x + D u+ + D0 u, as step_A and so on.\n"
        "\n"
        "With --lqr it computes the gain K of u+ = -K (x, u) that minimises the sum of\n"
        "|y|^2 + R |u|^2 over all steps, and writes it as a scenario for tendril run.",
    .options = options,
    .examples =
        "  tendril linearise tendon-arm.yaml --outputs tip.pose,tip.velocity\n"
        "  tendril linearise tendon-arm.yaml --outputs tip.position --dt '1 ms' --octave "
        "arm_matrices.m\n"
        "  tendril linearise rod-driven-arm.yaml --time 1 --outputs "
        "tip.velocity,tendon.r11.length --hdf5 matrices.h5\n"
        "  tendril linearise controlled-arm.yaml --outputs tip.x,tip.velocity_x --dt '2 ms' "
        "--lqr east,west --price 1e-6 --scenario lqr.yaml\n",
    .run = run,
};
