// Table 3 and Figures 9 to 12: a rod is pulled with 10 N from one instant to the next. What the
// motion settles to, against the equilibrium of the static model.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figure.h"
#include "robot.h"
#include "rone2014.h"

#define DT 5e-3  // s, between looks
enum { MOST_LOOKS = 2001 };

typedef struct pull {
    const char *name;
    int rod;
    const char *table, *figure;
    double printed[DISCS];  // %, NAN: not printed
    double printed_tip;     // the same of disc 8 in mm, section 6.4
    double seconds;         // that it takes to settle
} pull;

typedef struct motion {
    int n;
    double beta[MOST_LOOKS][DISCS];  // 1/m
    double p[MOST_LOOKS][DISCS][3];  // m
    double mean[DISCS][3];           // m, over the last half second
    double rest[DISCS][3];           // without friction
    double held[DISCS][3];           // with static friction
} motion;

// ---------------------------------------------------------------- computing
static bool find_rest(const pull *c, double friction, double out[DISCS][3], td_error *err) {
    const design d = {.inertias = FROM_TABLE, .friction = friction};
    td_options o = rone_options();
    double tension[RODS] = {0.0};
    tension[c->rod] = 10.0;
    arm a;
    bool fine = arm_open(&a, &d, &o, err) && arm_settle(&a, tension, err);
    for (int i = 0; i < DISCS && fine; i++) arm_disc(&a, i, out[i]);
    arm_close(&a);
    return fine;
}

// Mean over the half second before a look.
static void find_mean(const motion *m, int end, double out[DISCS][3]) {
    const int looks = (int)lround(0.5 / DT);
    memset(out, 0, sizeof(double) * DISCS * 3);
    for (int k = end - looks; k < end; k++)
        for (int i = 0; i < DISCS; i++)
            for (int j = 0; j < 3; j++) out[i][j] += m->p[k][i][j] / looks;
}

static bool move(paper_report *r, const pull *c, double seconds, motion *m, td_error *err) {
    const design d = {.inertias = FROM_TABLE, .friction = FRICTION};
    const double none[RODS] = {0.0};
    const int n = (int)lround(seconds / DT) + 1;
    const td_options o = rone_options();
    arm a;
    bool fine = arm_open_moving(&a, &d, &o, err) && arm_settle(&a, none, err) &&
                td_set_input(a.system, a.state, c->rod, 10.0) >= 0;
    if (fine) td_restart(a.system, a.state);
    a.inner *= 5;
    for (m->n = 0; m->n < n && fine; m->n++) {
        if (m->n % 100 == 0) report_progress(r, "%s, %.1f of %g s", c->name, m->n * DT, seconds);
        for (int i = 0; i < DISCS; i++) {
            m->beta[m->n][i] = arm_curvature(&a, i);
            arm_disc(&a, i, m->p[m->n][i]);
        }
        if (m->n + 1 < n) fine = arm_move(&a, DT, err);
    }
    arm_close(&a);
    if (fine) find_mean(m, m->n, m->mean);
    return fine;
}

// ---------------------------------------------------------------- comparing
static double apart(const double a[3], const double b[3]) {
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static double percent(const double a[3], const double b[3]) {
    return 100.0 * apart(a, b) / hypot(hypot(b[0], b[1]), b[2]);
}

static void compare_mean(paper_report *r, const pull *c, const motion *m, int end) {
    const int tip = DISCS - 1;
    char name[64];
    double mean[DISCS][3];
    find_mean(m, end, mean);
    snprintf(name, sizeof name, "%s, disc 8, mean of the motion at %g s", c->name, (end - 1) * DT);
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "%",
                                    .printed = c->printed[tip],
                                    .ours = percent(mean[tip], m->held[tip])});
}

static void compare(paper_report *r, const pull *c, const motion *m) {
    const int tip = DISCS - 1, six = (int)lround(6.0 / DT) + 1;
    char name[64];
    for (int i = 0; i < DISCS; i++) {
        if (!isfinite(c->printed[i])) continue;
        snprintf(name, sizeof name, "%s, disc %d, dynamics and statics differ", c->name, i + 1);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "%",
                                        .printed = c->printed[i],
                                        .ours = percent(m->rest[i], m->held[i])});
    }
    snprintf(name, sizeof name, "%s, disc 8, the same as a distance", c->name);
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "mm",
                                    .printed = c->printed_tip,
                                    .ours = 1e3 * apart(m->rest[tip], m->held[tip])});
    if (r->effort == PAPER_QUICK) return;  // it still rings
    if (m->n > six) compare_mean(r, c, m, six);
    compare_mean(r, c, m, m->n);
    snprintf(name, sizeof name, "%s, tip: mean of the motion", c->name);
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "mm",
                                    .printed = (double)NAN,
                                    .ours = 1e3 * m->mean[tip][0]});
    snprintf(name, sizeof name, "%s, tip: equilibrium without friction", c->name);
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "mm",
                                    .printed = (double)NAN,
                                    .ours = 1e3 * m->rest[tip][0]});
}

// ---------------------------------------------------------------- tables and pictures
static void write_table(paper_report *r, const pull *c, const motion *m) {
    FILE *out = report_table(r, c->table);
    if (!out) return;
    fputs("time [s],tip x [m],tip z [m]", out);
    for (int i = 0; i < DISCS; i++) fprintf(out, ",beta %d [1/m]", i + 1);
    fputc('\n', out);
    for (int k = 0; k < m->n; k++) {
        fprintf(out, "%.9g,%.9g,%.9g", k * DT, m->p[k][DISCS - 1][0], m->p[k][DISCS - 1][2]);
        for (int i = 0; i < DISCS; i++) fprintf(out, ",%.9g", m->beta[k][i]);
        fputc('\n', out);
    }
    report_close(r, out, c->table);
}

static void put_discs(FILE *script, const char *name, const double p[DISCS][3]) {
    fprintf(script, "$%s << EOD\n0 0\n", name);
    for (int i = 0; i < DISCS; i++) fprintf(script, "%.6g %.6g\n", 1e3 * p[i][2], 1e3 * p[i][0]);
    fputs("EOD\n", script);
}

static void draw(paper_report *r, const pull *c, const motion *m) {
    gnuplot g;
    if (!report_figure(r, &g, c->figure, 1700, 800)) return;
    fputs("$motion << EOD\n", g.script);
    for (int k = 0; k < m->n && k * DT <= 3.0; k++) {
        fprintf(g.script, "%.6g", k * DT);
        for (int i = 0; i < DISCS; i++) fprintf(g.script, " %.6g", m->beta[k][i]);
        fputc('\n', g.script);
    }
    fputs("EOD\n", g.script);
    put_discs(g.script, "held", m->held);
    put_discs(g.script, "mean", m->mean);
    fprintf(g.script,
            "set multiplot\nset lmargin at screen 0.06\nset rmargin at screen 0.58\n"
            "set title '%s, 10 N: curvatures'\nset xlabel 'time (s)'\nset ylabel 'beta (1/m)'\n"
            "set offsets 0, 0, graph 0.14, graph 0.03\n"
            "set key top right horizontal maxcols 8 samplen 1\nplot ",
            c->name);
    for (int i = 0; i < DISCS; i++)
        fprintf(g.script, "%s$motion using 1:%d with lines lw 0.9 lc rgb '%s' title '%d'",
                i ? ", " : "", i + 2, curve_colour(i), i + 1);
    fprintf(g.script,
            "\nset lmargin at screen 0.66\nset rmargin at screen 0.97\n"
            "set title 'statics, and what the motion settles to'\nset xrange [0:250]\n"
            "set yrange [%s]\nset offsets 0, 0, 0, 0\nset xlabel 'z (mm)'\nset ylabel 'x (mm)'\n"
            "set key bottom left vertical maxcols 1\n"
            "plot $held with linespoints pt 7 ps 1.2 lw 1.5 lc rgb '%s' title 'statics', "
            "$mean with linespoints pt 6 ps 1.8 dt 2 lw 1.2 lc rgb '%s' title 'dynamics'\n"
            "unset multiplot\n",
            c->rod == R11 ? "-12:32" : "-64:5", curve_colour(0), curve_colour(1));
    report_figure_end(r, &g, c->figure);
}

static void run(paper_report *r, const pull *c) {
    motion *m = calloc(1, sizeof *m);
    td_error err = {0};
    const double seconds = r->effort == PAPER_QUICK ? 1.0 : c->seconds;
    if (!m) {
        report_failure(r, "out of memory");
    } else if (!find_rest(c, FRICTION, m->held, &err) || !find_rest(c, 0.0, m->rest, &err) ||
               !move(r, c, seconds, m, &err)) {
        report_failure(r, "%s: %s", c->name, err.message);
    } else {
        compare(r, c, m);
        write_table(r, c, m);
        draw(r, c, m);
    }
    free(m);
}

#define NONE ((double)NAN)
void rone2014_rod11(paper_report *r) {
    const pull c = {"rod 1-1",
                    R11,
                    "figure9.csv",
                    "figure9.png",
                    {NONE, NONE, NONE, NONE, NONE, NONE, NONE, 0.2939},
                    NONE,
                    10.0};
    run(r, &c);
    report_remark(r,
                  "In dynamics friction goes with the sliding velocity (Eq. 45): at rest there is "
                  "none, and the motion settles to the equilibrium without friction. The error is "
                  "the effect of static friction, no error of a model. The swing falls to 62 % "
                  "in a second: at 6 s rod 1-1 still rings, and the mean with it.");
}

void rone2014_rod22(paper_report *r) {
    const pull c = {"rod 2-2",
                    R22,
                    "table3.csv",
                    "figure10.png",
                    {0.0735, 0.0684, 0.0502, 0.2448, 0.5221, 0.9805, 1.5957, 2.2165},
                    5.3,
                    5.0};
    run(r, &c);
    report_remark(r,
                  "Half of what is printed at the tip, and at discs 1 to 3 the printed errors fall "
                  "where those of friction can only grow: they look like two solutions of the "
                  "undetermined contact forces (Table 2), which depend on a method that the paper "
                  "does not give.");
}
