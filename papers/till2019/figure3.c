// Figure 3: the cost of a step against the number of nodes; BDF2, 5 ms, 1 s.
#include <math.h>

#include "cli/figure.h"
#include "damping.h"
#include "schemes.h"
#include "till2019.h"

#define NONE ((double)NAN)

typedef struct series {
    const char *name;
    td_theory theory;
    td_integrator integrator;
} series;

static const series all_series[] = {
    {"Cosserat, RK4", TD_COSSERAT, TD_RK4},
    {"Kirchhoff, RK4", TD_KIRCHHOFF, TD_RK4},
    {"Cosserat, Euler", TD_COSSERAT, TD_EULER},
    {"Kirchhoff, Euler", TD_KIRCHHOFF, TD_EULER},
};
enum { N_SERIES = sizeof all_series / sizeof all_series[0], MOST_SIZES = 100, LARGEST = 500 };

typedef struct cost {
    paper_report *report;
    int nodes[MOST_SIZES], n;
    int repeats;
    double horizon;
    double step[N_SERIES][MOST_SIZES];  // s
} cost;

static cost plan(paper_report *r) {
    int every = r->effort == PAPER_QUICK ? 250 : r->effort == PAPER_DEFAULT ? 25 : 5;
    cost c = {.report = r,
              .repeats = r->effort == PAPER_QUICK ? 1 : 3,
              .horizon = r->effort == PAPER_QUICK ? 0.1 : 1.0};
    for (int nodes = every; nodes <= LARGEST; nodes += every) c.nodes[c.n++] = nodes;
    return c;
}

// The least of a few runs.
static double time_step(const cost *c, const series *s, int nodes) {
    method m = printed_method(s->theory, s->integrator, BDF2);
    m.nodes = nodes;
    const decay_limits limits = {0};
    double least = NONE;
    for (int i = 0; i < c->repeats; i++) {
        decay d;
        bool fine = decay_run(&d, &m, 5e-3, c->horizon, &limits) && d.completed;
        if (!fine) report_failure(c->report, "%s, %d nodes: %s", s->name, nodes, d.message);
        double each = fine ? d.seconds / (double)d.n : NONE;
        if (!(least <= each)) least = each;
        decay_free(&d);
    }
    return least;
}

// Least squares: cost = base + slope * nodes; `fit` is R^2.
typedef struct line {
    double base, slope, fit;
} line;

static line fit_line(const cost *c, const double *y) {
    double n = c->n, x = 0, sy = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < c->n; i++) {
        double nodes = c->nodes[i];
        x += nodes, sy += y[i], xx += nodes * nodes, xy += nodes * y[i], yy += y[i] * y[i];
    }
    double sxx = xx - x * x / n, sxy = xy - x * sy / n, syy = yy - sy * sy / n;
    line l = {.slope = sxy / sxx, .fit = sxy * sxy / (sxx * syy)};
    l.base = (sy - l.slope * x) / n;
    return l;
}

static void compare(const cost *c, int k) {
    line l = fit_line(c, c->step[k]);
    char name[80], note[120];
    snprintf(name, sizeof name, "cost per node and step, %s", all_series[k].name);
    snprintf(note, sizeof note, "%.3g ms at %d", 1e3 * c->step[k][c->n - 1], LARGEST);
    report_compare(
        c->report,
        &(comparison){
            .quantity = name, .unit = "us", .printed = NONE, .ours = 1e6 * l.slope, .note = note});
    snprintf(name, sizeof name, "R^2 of a straight line, %s", all_series[k].name);
    report_compare(c->report, &(comparison){.quantity = name,
                                            .unit = "",
                                            .printed = NONE,
                                            .printed_text = "linear",
                                            .ours = l.fit});
}

static void write_table(const cost *c) {
    FILE *out = report_table(c->report, "figure3.csv");
    if (!out) return;
    fputs("nodes", out);
    for (int k = 0; k < N_SERIES; k++) fprintf(out, ",\"%s [s per step]\"", all_series[k].name);
    fputc('\n', out);
    for (int i = 0; i < c->n; i++) {
        fprintf(out, "%d", c->nodes[i]);
        for (int k = 0; k < N_SERIES; k++) fprintf(out, ",%.6g", c->step[k][i]);
        fputc('\n', out);
    }
    report_close(c->report, out, "figure3.csv");
}

static void draw(const cost *c) {
    gnuplot g;
    if (!report_figure(c->report, &g, "figure3.png", 1400, 900)) return;
    fputs("$data << EOD\n", g.script);
    for (int i = 0; i < c->n; i++) {
        fprintf(g.script, "%d", c->nodes[i]);
        for (int k = 0; k < N_SERIES; k++) fprintf(g.script, " %.6g", 1e3 * c->step[k][i]);
        fputc('\n', g.script);
    }
    fputs("EOD\n"
          "set xrange [0:520]\nset yrange [0:*]\n"
          "set xlabel 'nodes'\nset ylabel 'processor time per step of 5 ms (ms)'\n"
          "set key left top\nplot ",
          g.script);
    for (int k = 0; k < N_SERIES; k++) {
        line l = fit_line(c, c->step[k]);
        fprintf(g.script, "%.9g + %.9g*x with lines lw 1 lc rgb '%s' notitle, \\\n", 1e3 * l.base,
                1e3 * l.slope, curve_colour(k));
        fprintf(g.script, "$data using 1:%d with points pt %d ps 1.1 lc rgb '%s' title '%s'%s\n",
                k + 2, k % 2 ? 6 : 7, curve_colour(k), all_series[k].name,
                k + 1 < N_SERIES ? ", \\" : "");
    }
    report_figure_end(c->report, &g, "figure3.png");
}

void till2019_figure3(paper_report *r) {
    cost c = plan(r);
    for (int k = 0; k < N_SERIES; k++) {
        for (int i = 0; i < c.n; i++) {
            report_progress(r, "%s, %d nodes", all_series[k].name, c.nodes[i]);
            c.step[k][i] = time_step(&c, &all_series[k], c.nodes[i]);
        }
        compare(&c, k);
    }
    write_table(&c);
    draw(&c);
}
