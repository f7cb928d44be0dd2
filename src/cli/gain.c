// cli/gain.c - see gain.h. The sum of squares of the outputs that were named, and of inputs times their price, is made least.
#define _DEFAULT_SOURCE  // realpath
#include "cli/gain.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "io/result.h"
#include "io/written.h"
#include "robot/facts.h"
#include "robot/suggest.h"
#include "robot/units.h"
#include "tendril/loop.h"

#define FIRST_WORDS "# By tendril linearise:"

typedef struct gain {
    const linear *x;
    int *inputs;
    int m, n;  // inputs; coordinates and rates
    double price;
    double *Q, *R, *K;
} gain;

static bool find_inputs(gain *g, const char *list) {
    const td_system *system = g->x->s.system;
    char name[128], hint[HINT_SIZE];
    while (list_next(&list, name, sizeof name)) {
        suggestion near = suggest_for(name);
        for (int i = 0; i < td_n_inputs(system); i++) suggest(&near, td_input_name(system, i));
        const int input = td_find_input(system, name);
        if (input < 0)
            return print_error("--lqr", "there is no input '%s'%s", name,
                               hint_text(&near, "", hint));
        g->inputs[g->m++] = input;
    }
    return true;
}

static bool allocate(gain *g, const char *list) {
    const size_t n = (size_t)g->n, most = (size_t)list_count(list);
    g->inputs = calloc(most, sizeof *g->inputs);
    g->Q = calloc(n * n + 1, sizeof *g->Q);
    g->R = calloc(most * most, sizeof *g->R);
    g->K = calloc(most * (n + most), sizeof *g->K);
    return g->inputs && g->Q && g->R && g->K;
}

static void weigh(gain *g, const double *outputs, int rows) {
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < g->n; i++)
            for (int j = 0; j < g->n; j++)
                g->Q[i * g->n + j] += outputs[r * g->n + i] * outputs[r * g->n + j];
    for (int i = 0; i < g->m; i++) g->R[i * g->m + i] = g->price;
}

// The robot file as the scenario finds it: beside it, or from anywhere.
static const char *robot_path(const gain *g, const char *scenario, char full[PATH_MAX]) {
    const char *file = g->x->s.file;
    if (!strchr(scenario, '/') || file[0] == '/') return file;
    return realpath(file, full) ? full : file;
}

static void put_scenario(FILE *out, const gain *g, const char *scenario, double dt) {
    char full[PATH_MAX];
    fprintf(out, FIRST_WORDS " the gain for steps of %g s that keeps outputs small.\n", dt);
    fprintf(out, "tendril: 1\nrobot: \"%s\"\n", robot_path(g, scenario, full));
    fprintf(out, "simulation: {time: {step: %.17g}}\n", dt);
    fprintf(out, "controllers:\n  - name: lqr\n    period: %.17g\n    inputs: [", dt);
    for (int i = 0; i < g->m; i++)
        fprintf(out, "%s%s", i ? ", " : "", td_input_name(g->x->s.system, g->inputs[i]));
    fprintf(out, "]\n    feedback:\n      gain:\n");
    for (int i = 0; i < g->m; i++) {
        for (int k = 0; k < g->n + g->m; k++)
            fprintf(out, "%s%.17g", k ? ", " : "        - [", g->K[i * (g->n + g->m) + k]);
        fprintf(out, "]\n");
    }
}

// Nobody else's file is written over.
static bool may_write(const char *path) {
    char start[sizeof FIRST_WORDS] = "";
    FILE *file = fopen(path, "r");
    if (!file) return true;
    const size_t n = fread(start, 1, sizeof FIRST_WORDS - 1, file);
    fclose(file);
    return n == sizeof FIRST_WORDS - 1 && memcmp(start, FIRST_WORDS, n) == 0;
}

static int write_scenario(const gain *g, const char *path, double dt) {
    char *text = NULL;
    size_t size = 0;
    td_error err = {0};
    if (!may_write(path))
        return exit_error(EXIT_INPUT, path, "was not written by this program, and stays");
    FILE *out = open_memstream(&text, &size);
    if (!out) return exit_error(EXIT_FAILED, path, "out of memory");
    put_scenario(out, g, path, dt);
    fclose(out);
    const td_status status = text_write(path, text, &err);
    free(text);
    return status < 0 ? exit_reported(EXIT_FAILED, NULL, &err) : EXIT_FINE;
}

static int design(gain *g, const args *a, double dt, const double *outputs, int rows) {
    char why[UNITS_TEXT];
    const char *price = args_value(a, "price"), *path = args_value(a, "scenario");
    if (!allocate(g, args_value(a, "lqr")))
        return exit_error(EXIT_FAILED, g->x->s.file, "out of memory");
    if (!find_inputs(g, args_value(a, "lqr"))) return EXIT_INPUT;
    g->price = 1.0;
    if (price && (!number_parse(price, &g->price, NULL, why) || !(g->price > 0.0)))
        return exit_error(EXIT_INPUT, "--price", "'%s' must be a number above 0", price);
    if (!path) return exit_error(EXIT_INPUT, "--lqr", "--scenario FILE is missing: where it goes");
    if (robot_named_file(g->x->s.robot))
        return exit_error(EXIT_INPUT, "--lqr", "%s is a scenario itself; give its robot file",
                          g->x->s.file);
    weigh(g, outputs, rows);
    if (td_design_lqr(g->x->l, g->inputs, g->m, g->Q, g->R, g->K, NULL) < 0)
        return exit_error(EXIT_FAILED, "--lqr", "%s", td_linearisation_message(g->x->l));
    return write_scenario(g, path, dt);
}

int gain_write(const linear *x, const args *a, double dt, const double *outputs, int rows) {
    gain g = {.x = x, .n = 2 * td_n_coordinates(x->s.system)};
    if (!args_has(a, "lqr")) return EXIT_FINE;
    if (!(dt > 0.0) || rows == 0)
        return exit_error(EXIT_INPUT, "--lqr", "--%s is missing: %s", dt > 0.0 ? "outputs" : "dt",
                          dt > 0.0 ? "what is kept small" : "the step that it is for");
    const int code = design(&g, a, dt, outputs, rows);
    free(g.inputs);
    free(g.Q);
    free(g.R);
    free(g.K);
    return code;
}
