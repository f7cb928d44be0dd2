// papers/till2019/experiments.c - see experiments.h.
#include "experiments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/figure.h"
#include "cli/terminal.h"

const column table5[N_COLUMNS] = {
    {"Cosserat, Euler, 400 nodes", TD_COSSERAT, TD_EULER, 400, 0.0380, 7602.0, 2.09e-3},
    {"Cosserat, RK4, 100 nodes", TD_COSSERAT, TD_RK4, 100, 0.0380, 7602.0, 2.12e-3},
    {"Kirchhoff, Euler, 400 nodes", TD_KIRCHHOFF, TD_EULER, 400, 0.0380, 7602.0, 2.08e-3},
    {"Kirchhoff, RK4, 100 nodes", TD_KIRCHHOFF, TD_RK4, 100, 0.0380, 7603.0, 2.12e-3},
};

method column_method(const column *c) {
    return (method){.theory = c->theory,
                    .integrator = c->integrator,
                    .history = TD_LINEAR,
                    .scheme = TD_BDF_ALPHA,
                    .alpha = -0.4,
                    .nodes = c->nodes,
                    .startup = TD_REST_HISTORY,
                    .solver = TD_NEWTON};
}

static bool path_begin(tip_path *p, long n, double dt) {
    *p = (tip_path){.dt = dt};
    p->x = malloc(sizeof *p->x * (size_t)(n + 1));
    if (!p->x) snprintf(p->message, sizeof p->message, "out of memory");
    return p->x != NULL;
}

// Takes the simulation over.
static void path_follow(tip_path *p, simulation *s, long n, int parts) {
    td_status status = TD_OK;
    p->x[0] = simulation_tip(s).p[0];
    double started = processor_time();
    while (p->n < n && status >= 0) {
        for (int i = 0; i < parts && status >= 0; i++)
            status = td_advance(s->system, s->state, p->dt / parts);
        if (status < 0) break;
        p->fallbacks += td_get_stats(s->state)->fallbacks > 0;
        p->x[++p->n] = simulation_tip(s).p[0];
    }
    p->seconds = processor_time() - started;
    p->completed = p->n == n;
    if (!p->completed) snprintf(p->message, sizeof p->message, "%s", td_message(s->state));
    simulation_close(s);
}

bool tip_path_run(tip_path *p, const cantilever *c, const method *m, double dt, double horizon) {
    const long n = lround(horizon / dt);
    td_error err = {0};
    simulation s;
    if (!path_begin(p, n, dt)) return false;
    if (!simulation_open(&s, c, m, FROM_EQUILIBRIUM, &err)) {
        snprintf(p->message, sizeof p->message, "%s", err.message);
        return false;
    }
    path_follow(p, &s, n, 1);
    return true;
}

bool tip_path_run_finely(tip_path *p, const cantilever *c, double dt, int parts, double horizon) {
    const long n = lround(horizon / dt);
    td_options o = td_default_options();
    td_error err = {0};
    simulation s;
    o.nodes = 16;
    o.scheme = TD_BDF_ALPHA;
    o.alpha = -0.48;
    if (!path_begin(p, n, dt)) return false;
    if (!simulation_open_with(&s, c, &o, FROM_EQUILIBRIUM, &err)) {
        snprintf(p->message, sizeof p->message, "%s", err.message);
        return false;
    }
    path_follow(p, &s, n, parts);
    return true;
}

path_error path_difference(const tip_path *a, const tip_path *b, double length) {
    const long n = a->n < b->n ? a->n : b->n;
    path_error e = {0.0, 0.0};
    for (long k = 0; k <= n; k++) {
        double here = 100.0 * fabs(a->x[k] - b->x[k]) / length;
        e.mean += here / (double)(n + 1);
        e.largest = fmax(e.largest, here);
    }
    return e;
}

void tip_path_free(tip_path *p) {
    free(p->x);
    *p = (tip_path){0};
}

int find_extremes(const tip_path *p, int sign, extreme *out, int most) {
    int found = 0;
    for (long i = 1; i < p->n && found < most; i++) {
        double left = sign * p->x[i - 1], here = sign * p->x[i], right = sign * p->x[i + 1];
        if (!(here > left && here >= right)) continue;
        double bend = left - 2.0 * here + right, shift = 0.5 * (left - right) / bend;
        out[found].t = ((double)i + shift) * p->dt;
        out[found++].x = sign * (here - 0.25 * (left - right) * shift);
    }
    return found;
}

// ---------------------------------------------------------------- the picture
static void put_paths(FILE *script, const tip_path *cosserat, const tip_path *kirchhoff) {
    fputs("$paths << EOD\n", script);
    for (long k = 0; k <= cosserat->n; k++)
        fprintf(script, "%.6g %.9g %.9g\n", (double)k * cosserat->dt, 1e3 * cosserat->x[k],
                1e3 * kirchhoff->x[k]);
    fputs("EOD\n", script);
}

void write_tip_paths(paper_report *r, const char *file, const tip_path p[N_COLUMNS]) {
    FILE *out = report_table(r, file);
    if (!out) return;
    fputs("time [s]", out);
    for (int i = 0; i < N_COLUMNS; i++) fprintf(out, ",\"tip x, %s [m]\"", table5[i].name);
    fputc('\n', out);
    for (long k = 0; k <= p[0].n; k++) {
        fprintf(out, "%.9g", (double)k * p[0].dt);
        for (int i = 0; i < N_COLUMNS; i++) fprintf(out, ",%.9g", p[i].x[k]);
        fputc('\n', out);
    }
    report_close(r, out, file);
}

void draw_tip_paths(FILE *script, const tip_path *cosserat, const tip_path *kirchhoff) {
    put_paths(script, cosserat, kirchhoff);
    double largest = 1e-9;
    for (long k = 0; k <= cosserat->n; k++)
        largest = fmax(largest, 1e3 * fabs(kirchhoff->x[k] - cosserat->x[k]));
    fprintf(script,
            "set multiplot\nset lmargin at screen 0.1\nset rmargin at screen 0.97\n"
            "set tmargin at screen 0.93\nset bmargin at screen 0.42\n"
            "set xrange [0:%g]\nset offsets 0, 0, graph 0.05, graph 0.05\nset format x ''\n"
            "set key at graph 1, graph 1.01 right bottom horizontal\n"
            "set ylabel 'height of the tip (mm)' offset 0.5\n"
            "plot $paths using 1:2 with lines lw 1.3 lc rgb '%s' title 'Cosserat', \\\n"
            "$paths using 1:3 with lines lw 1.3 dt (6, 9) lc rgb '%s' title 'Kirchhoff'\n",
            (double)cosserat->n * cosserat->dt, curve_colour(0), curve_colour(1));
    fprintf(script,
            "set tmargin at screen 0.36\nset bmargin at screen 0.12\nset format x '%%g'\n"
            "set xlabel 'time (s)'\nset ylabel 'difference (mm)' offset 0.5\n"
            "set ytics %g\n"
            "plot $paths using 1:($3 - $2) with lines lw 1.1 lc rgb '%s' title "
            "'Kirchhoff - Cosserat'\n",
            round_step(largest / 2.0), curve_colour(6));
}
