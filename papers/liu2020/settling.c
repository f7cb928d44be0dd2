// Section 5: "the robot approaches stable position after two oscillations (around 1.2 s)". Which
// reading of Table 1 does that?
#include <math.h>
#include <stdlib.h>

#include "cli/figure.h"
#include "liu2020.h"
#include "robot.h"

#define DT 1e-3      // s
#define WITHIN 0.05  // of the way from the start to the equilibrium; ours: the text has no measure
enum { STEPS = 3000, READINGS = 8 };

typedef struct fall {
    double kappa[STEPS + 1][SEGMENTS];  // 1/m, along gravity
    double height[STEPS + 1];           // m, of the tip
    double rest, rest_kappa;            // in equilibrium
} fall;

typedef struct settled {
    double time;          // s, from where on it stays within
    double oscillations;  // extrema of kappa_1 beyond the band, by two
} settled;

static double bend_down(const liu_arm *a, int i) {
    bend b = liu_bend(a, i);
    return -b.kappa * sin(b.phi);
}

static bool run(paper_report *r, const reading *how, fall *f) {
    td_error err = {0};
    liu_arm a;
    double p[3];
    bool fine = liu_open(&a, how, &liu_cases[0], &err);
    for (int k = 0; k <= STEPS && fine; k++) {
        liu_tip(&a, p);
        f->height[k] = p[2];
        for (int i = 0; i < SEGMENTS; i++) f->kappa[k][i] = bend_down(&a, i);
        fine = liu_move(&a, DT, &err);
    }
    fine = fine && td_solve_statics(a.system, a.state) >= 0;
    if (fine) {
        liu_tip(&a, p);
        f->rest = p[2];
        f->rest_kappa = bend_down(&a, 0);
    }
    if (!fine) report_failure(r, "free fall: %s", err.message);
    liu_close(&a);
    return fine;
}

static settled settle(const fall *f) {
    settled s = {0.0, 0.0};
    double band = WITHIN * fabs(f->height[0] - f->rest);
    double turn = WITHIN * fabs(f->kappa[0][0] - f->rest_kappa);
    for (int k = 0; k <= STEPS; k++)
        if (fabs(f->height[k] - f->rest) > band) s.time = (k + 1) * DT;
    for (int k = 1; k < STEPS; k++) {
        double before = f->kappa[k][0] - f->kappa[k - 1][0];
        double after = f->kappa[k + 1][0] - f->kappa[k][0];
        if (before * after < 0.0 && fabs(f->kappa[k][0] - f->rest_kappa) > turn)
            s.oscillations += 0.5;
    }
    return s;
}

static const struct {
    const char *name;
    reading how;
} readings[READINGS] = {
    {"printed, c = 0.05", {true, 0.25, 0.05, 1.0}},
    {"printed, c = 0.035", {true, 0.25, 0.035, 1.0}},
    {"printed, c = 0.025", {true, 0.25, 0.025, 1.0}},
    {"printed, c = 0.02", {true, 0.25, 0.02, 1.0}},
    {"printed, c = 0.016", {true, 0.25, 0.016, 1.0}},
    {"physics, c = 0.05 N m^2 s", {false, 0.25, 0.05, 1.0}},
    {"physics, c = 0.05 for a segment", {false, 0.25, 0.05 / SEGMENT_LENGTH, 1.0}},
    {"physics, c = 0.05 times length", {false, 0.25, 0.05 * SEGMENT_LENGTH, 1.0}},
};

static void compare(paper_report *r, int i, const fall *f) {
    settled s = settle(f);
    char quantity[80], note[96];
    snprintf(quantity, sizeof quantity, "settled, %s", readings[i].name);
    snprintf(note, sizeof note, "%g oscillations beyond the band; printed: two", s.oscillations);
    bool open = s.time >= STEPS * DT;
    report_compare(r, &(comparison){.quantity = quantity,
                                    .unit = "s",
                                    .printed = 1.2,
                                    .ours = open ? (double)NAN : s.time,
                                    .ours_text = open ? "> 3" : NULL,
                                    .note = note});
}

static void write_table(paper_report *r, const fall *all) {
    FILE *out = report_table(r, "free-fall.csv");
    if (!out) return;
    fputs("time [s]", out);
    for (int i = 0; i < READINGS; i++)
        fprintf(out, ",%s: kappa 1 [1/m],kappa 2 [1/m],tip height [m]", readings[i].name);
    fputc('\n', out);
    for (int k = 0; k <= STEPS; k += 5) {
        fprintf(out, "%.9g", k * DT);
        for (int i = 0; i < READINGS; i++)
            fprintf(out, ",%.9g,%.9g,%.9g", all[i].kappa[k][0], all[i].kappa[k][1],
                    all[i].height[k]);
        fputc('\n', out);
    }
    report_close(r, out, "free-fall.csv");
}

static void draw(paper_report *r, const fall *all) {
    gnuplot g;
    if (!report_figure(r, &g, "free-fall.png", 1700, 700)) return;
    static const int shown[] = {0, 3, 5, 7};
    fputs("$data << EOD\n", g.script);
    for (int k = 0; k <= 2000; k += 5) {
        fprintf(g.script, "%.6g", k * DT);
        for (int i = 0; i < READINGS; i++)
            fprintf(g.script, " %.6g %.6g", all[i].kappa[k][0], all[i].kappa[k][1]);
        fputc('\n', g.script);
    }
    fputs("EOD\nset multiplot layout 1,2\nset xlabel 'time (s)'\nset ylabel 'curvature (1/m)'\n"
          "set xrange [0:2]\nset key top right\n"
          "set arrow 1 from 1.2, graph 0 to 1.2, graph 1 nohead dt 3 lw 0.8\n"
          "set label 1 'text: at rest' at 1.2, graph 0.05 offset 1, 0\n",
          g.script);
    for (int segment = 0; segment < SEGMENTS; segment++) {
        fprintf(g.script, "set title 'segment %d, Figure 5'\nplot ", segment + 1);
        for (int i = 0; i < 4; i++)
            fprintf(g.script, "%s$data using 1:%d with lines lw %s lc rgb '%s' title '%s'",
                    i ? ", " : "", 2 * shown[i] + 2 + segment, i ? "1.5" : "6",
                    i ? curve_colour(i) : "#b8b8b8",  // the third lies on the first
                    readings[shown[i]].name);
        fputs("\n", g.script);
    }
    fputs("unset multiplot\n", g.script);
    report_figure_end(r, &g, "free-fall.png");
}

void liu2020_settling(paper_report *r) {
    fall *all = calloc(READINGS, sizeof *all);
    bool fine = all != NULL;
    if (!fine) report_failure(r, "out of memory");
    for (int i = 0; i < READINGS && fine; i++) {
        report_progress(r, "%s", readings[i].name);
        fine = run(r, &readings[i].how, &all[i]);
        if (fine) compare(r, i, &all[i]);
    }
    if (fine) {
        write_table(r, all);
        draw(r, all);
        report_remark(r, "No reading of c = 0.05 gives the two oscillations of the text. With the "
                         "printed equations c near 0.02 does: a calibration to one sentence, not a "
                         "prediction. Settled: the tip stays within 5 % of its way, a measure of "
                         "ours; the text has none.");
    }
    free(all);
}
