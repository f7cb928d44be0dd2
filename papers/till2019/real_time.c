// Figure 7: simulated time over computing time, against the time step, for both experiments of
// section 4. The paper finds no solution for the hit rod below 2 ms, and real time from 4 ms on.
#include <math.h>

#include "cli/figure.h"
#include "experiments.h"
#include "till2019.h"

#define NONE ((double)NAN)

// No more than half of the hit's 16 ms, or a run would step over it.
static const double steps[] = {1e-3, 1.4e-3, 2e-3, 2.8e-3, 4e-3, 5.6e-3, 8e-3};
enum { N_STEPS = sizeof steps / sizeof steps[0] };
enum { WEIGHT_RELEASE, IMPULSE, N_SCENES };
static const char *const scene_names[N_SCENES] = {"weight release", "impulse"};

typedef double ratios[N_SCENES][N_COLUMNS][N_STEPS];

// A quick run leaves out the steps that take long, but for the one of which the text speaks.
static bool is_wanted(const paper_report *r, double dt) {
    return r->effort != PAPER_QUICK || dt >= 4e-3 || dt == 2e-3;
}

static double horizon_of(const paper_report *r) {
    return r->effort == PAPER_QUICK ? 0.064 : 0.512;
}

static double ratio_of(paper_report *r, int scene, const column *c, double dt) {
    const double horizon = horizon_of(r);
    cantilever rod = scene == IMPULSE ? till_impulse(c->bending, c->density, c->drag)
                                      : till_weight_release(c->bending, c->density, c->drag);
    method m = column_method(c);
    if (!is_wanted(r, dt)) return NONE;
    report_progress(r, "%s, %s, %g ms", scene_names[scene], c->name, 1e3 * dt);
    tip_path p;
    bool fine = tip_path_run(&p, &rod, &m, dt, horizon) && p.completed;
    double ratio = fine ? horizon / p.seconds : NONE;
    tip_path_free(&p);
    return ratio;
}

// What the text says of the hit rod: "the smallest time step ... is 2 ms because of convergence
// issues"; at 2 ms it "required more computation time than it simulated"; real time at 4 ms.
static const struct {
    double step;
    const char *printed;
} claims[] = {{1e-3, "fails"}, {2e-3, "< 1"}, {4e-3, ">= 1"}};
enum { N_CLAIMS = sizeof claims / sizeof claims[0] };

static int step_index(double step) {
    int i = 0;
    while (steps[i] != step) i++;
    return i;
}

static void compare(paper_report *r, int k, const double *ratio) {
    for (int c = 0; c < N_CLAIMS; c++) {
        if (!is_wanted(r, claims[c].step)) continue;
        const double ours = ratio[step_index(claims[c].step)];
        char name[80];
        snprintf(name, sizeof name, "impulse, %g ms, %s", 1e3 * claims[c].step, table5[k].name);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "x",
                                        .printed = NONE,
                                        .ours = ours,
                                        .printed_text = claims[c].printed,
                                        .ours_text = isfinite(ours) ? NULL : "fails"});
    }
}

// The same with the two solvers that the paper names, which have nothing to fall back on, through the
// hit and three times as long.
static void compare_convergence(paper_report *r, td_solver solver, double step) {
    const column *c = &table5[COSSERAT_RK4];
    const cantilever rod = till_impulse(c->bending, c->density, c->drag);
    method m = column_method(c);
    m.solver = solver;
    tip_path p;
    bool ran = tip_path_run(&p, &rod, &m, step, 0.064);
    bool fails = !ran || !p.completed || p.fallbacks > 0;
    char name[80], note[96];
    snprintf(name, sizeof name, "impulse, %g ms, %s", 1e3 * step,
             solver == TD_DOGLEG ? "dogleg" : "Levenberg-Marquardt");
    snprintf(note, sizeof note, "Cosserat, RK4: not enough alone at %ld of %ld steps", p.fallbacks,
             p.n);
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "",
                                    .printed = NONE,
                                    .printed_text = step < 2e-3 ? "fails" : "converges",
                                    .ours = NONE,
                                    .ours_text = fails ? "fails" : "converges",
                                    .note = note});
    tip_path_free(&p);
}

// "The weight release scenario requires significantly less effort"; "at higher time steps, the
// dependence of the run time on the time step is nearly linear".
static void compare_scenes(paper_report *r, ratios all) {
    const int four = step_index(4e-3), eight = step_index(8e-3);
    for (int k = 0; k < N_COLUMNS; k++) {
        const double *release = all[WEIGHT_RELEASE][k], *impulse = all[IMPULSE][k];
        char name[80];
        snprintf(name, sizeof name, "release/hit, %s", table5[k].name);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "x",
                                        .printed = NONE,
                                        .printed_text = "> 1",
                                        .ours = release[four] / impulse[four],
                                        .note = "both at 4 ms"});
        snprintf(name, sizeof name, "power of the step, %s", table5[k].name);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "",
                                        .printed = NONE,
                                        .printed_text = "about 1",
                                        .ours = log2(release[eight] / release[four]),
                                        .note = "weight release, from 4 to 8 ms"});
    }
}

static void write_table(paper_report *r, ratios all) {
    FILE *out = report_table(r, "figure7.csv");
    if (!out) return;
    fputs("scene,method,step [s],real-time ratio\n", out);
    for (int s = 0; s < N_SCENES; s++) {
        for (int k = 0; k < N_COLUMNS; k++) {
            for (int i = 0; i < N_STEPS; i++) {
                fprintf(out, "%s,\"%s\",%g,", scene_names[s], table5[k].name, steps[i]);
                if (isfinite(all[s][k][i])) fprintf(out, "%.4g", all[s][k][i]);
                fputc('\n', out);
            }
        }
    }
    report_close(r, out, "figure7.csv");
}

static void put_data(FILE *script, ratios all) {
    for (int s = 0; s < N_SCENES; s++) {
        fprintf(script, "$scene%d << EOD\n", s);
        for (int i = 0; i < N_STEPS; i++) {
            fprintf(script, "%g", 1e3 * steps[i]);
            for (int k = 0; k < N_COLUMNS; k++) {
                if (isfinite(all[s][k][i])) {
                    fprintf(script, " %.4g", all[s][k][i]);
                } else {
                    fputs(" NaN", script);
                }
            }
            fputc('\n', script);
        }
        fputs("EOD\n", script);
    }
}

static void draw(paper_report *r, ratios all) {
    gnuplot g;
    if (!report_figure(r, &g, "figure7.png", 1600, 800)) return;
    put_data(g.script, all);
    fputs("set multiplot layout 1, 2 margins 0.07, 0.98, 0.14, 0.92 spacing 0.06\n"
          "set logscale xy\nset xrange [0.9:9]\nset yrange [0.1:100]\n"
          "set xtics (1, 2, 4, 8)\nset ytics (0.1, 1, 10, 100)\n"
          "set xlabel 'time step (ms)'\nset key left top\n"
          "set object 1 rectangle from graph 0, first 1 to graph 1, graph 1 behind "
          "fc rgb '#eef6ee' fs solid noborder\n",
          g.script);
    for (int s = 0; s < N_SCENES; s++) {
        fprintf(g.script, "set ylabel '%s'\nset title '%s'\nplot ",
                s == 0 ? "simulated time / computing time" : "", scene_names[s]);
        for (int k = 0; k < N_COLUMNS; k++)
            fprintf(g.script,
                    "$scene%d using 1:%d with linespoints pt %d ps 1.2 lc rgb '%s' %s%s%s%s\n", s,
                    k + 2, k < 2 ? 7 : 6, curve_colour(k), s == 0 ? "title '" : "notitle",
                    s == 0 ? table5[k].name : "", s == 0 ? "'" : "",
                    k + 1 < N_COLUMNS ? ", \\" : "");
    }
    report_figure_end(r, &g, "figure7.png");
}

void till2019_real_time(paper_report *r) {
    ratios all;
    for (int s = 0; s < N_SCENES; s++) {
        for (int k = 0; k < N_COLUMNS; k++) {
            for (int i = 0; i < N_STEPS; i++) all[s][k][i] = ratio_of(r, s, &table5[k], steps[i]);
            if (s == IMPULSE) compare(r, k, all[s][k]);
        }
    }
    for (int i = 0; i < 3; i++) {
        const double step = (const double[]){1e-3, 2e-3, 4e-3}[i];
        if (r->effort == PAPER_QUICK && step != 2e-3) continue;
        compare_convergence(r, TD_DOGLEG, step);
        compare_convergence(r, TD_LEVENBERG_MARQUARDT, step);
    }
    compare_scenes(r, all);
    write_table(r, all);
    draw(r, all);
}
