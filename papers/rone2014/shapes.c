// Figures 16, 18 and 19: equilibria under tension. The paper has them as plots without numbers, and
// its numbers are distances from measurements that are not published.
#include <math.h>

#include "cli/figure.h"
#include "robot.h"
#include "rone2014.h"

typedef struct pulled {
    int figure;
    const char *name;
    double tension[RODS];
} pulled;

static const pulled cases[] = {
    {16, "1-1: 10 N", {[R11] = 10.0}},
    {16, "1-1: 20 N", {[R11] = 20.0}},
    {16, "1-1: 30 N", {[R11] = 30.0}},
    {18, "2-2: 5 N", {[R22] = 5.0}},
    {18, "2-2: 10 N", {[R22] = 10.0}},
    {18, "2-2: 15 N", {[R22] = 15.0}},
    {19, "1-1: 25 N, 2-2: 5 N", {[R11] = 25.0, [R22] = 5.0}},
    {19, "1-1: 25 N, 2-2: 10 N", {[R11] = 25.0, [R22] = 10.0}},
    {19, "1-1: 25 N, 2-2: 15 N", {[R11] = 25.0, [R22] = 15.0}},
};
enum { N_CASES = sizeof cases / sizeof cases[0], POINTS = 49 };

typedef enum variant { AS_PRINTED, WITHOUT_FRICTION, IDEAL, N_VARIANTS } variant;

typedef struct shape {
    double p[POINTS][3];  // m
    double beta[DISCS];
    double tip[N_VARIANTS][3];
} shape;

static bool find_shape(paper_report *r, const pulled *c, variant v, shape *out) {
    td_error err = {0};
    const design d = {.inertias = FROM_TABLE, .friction = v == AS_PRINTED ? FRICTION : 0.0};
    td_options o = rone_options();
    if (v == IDEAL) o.virtual_power.contact = TD_CONTACT_IDEAL;
    arm a;
    bool fine = arm_open(&a, &d, &o, &err) && arm_settle(&a, c->tension, &err);
    if (!fine) {
        report_failure(r, "figure %d, %s: %s", c->figure, c->name, err.message);
    } else {
        arm_disc(&a, DISCS - 1, out->tip[v]);
        for (int i = 0; i < POINTS && v == AS_PRINTED; i++) {
            td_pose at = td_get_pose(a.system, a.state, 0, LENGTH * i / (POINTS - 1));
            for (int k = 0; k < 3; k++) out->p[i][k] = at.p[k];
        }
        for (int i = 0; i < DISCS && v == AS_PRINTED; i++) out->beta[i] = arm_curvature(&a, i);
    }
    arm_close(&a);
    return fine;
}

// ---------------------------------------------------------------- numbers
static void say(paper_report *r, const pulled *c, const char *what, double mm) {
    char name[80];
    snprintf(name, sizeof name, "fig. %d, %s: %s", c->figure, c->name, what);
    report_compare(
        r, &(comparison){.quantity = name, .unit = "mm", .printed = (double)NAN, .ours = mm});
}

static void compare(paper_report *r, const pulled *c, const shape *s) {
    const double *tip = s->tip[AS_PRINTED];
    say(r, c, "tip x", 1e3 * tip[0]);
    say(r, c, "tip z", 1e3 * tip[2]);
    if (r->effort == PAPER_QUICK) return;
    say(r, c, "no friction", 1e3 * s->tip[WITHOUT_FRICTION][0]);
    say(r, c, "virtual work", 1e3 * s->tip[IDEAL][0]);
}

// Section 6.4: "for identical tension inputs, the segment 2 rods will cause greater overall
// deflection". From where the robot hangs without tension.
static void compare_deflections(paper_report *r, const shape *found) {
    static const pulled idle = {8, "no tension", {0.0}};
    shape rest;
    if (!find_shape(r, &idle, AS_PRINTED, &rest)) return;
    const double *from = rest.tip[AS_PRINTED];
    double by[2];
    for (int i = 0; i < 2; i++) {  // 10 N in rods 1-1 and 2-2
        const double *to = found[i == 0 ? 0 : 4].tip[AS_PRINTED];
        by[i] = hypot(hypot(to[0] - from[0], to[1] - from[1]), to[2] - from[2]);
    }
    report_compare(r, &(comparison){.quantity = "tip moved by 10 N: rod 2-2 over rod 1-1",
                                    .unit = "",
                                    .printed = (double)NAN,
                                    .printed_text = "> 1",
                                    .ours = by[1] / by[0],
                                    .note = "section 6.4"});
}

static void write_table(paper_report *r, const shape *found) {
    FILE *out = report_table(r, "shapes.csv");
    if (!out) return;
    fputs("figure,tensions,disc,x [m],z [m],beta before it [1/m]\n", out);
    for (int c = 0; c < N_CASES; c++)
        for (int i = 0; i < DISCS; i++) {
            const double *p = found[c].p[(i + 1) * (POINTS - 1) / DISCS];
            fprintf(out, "%d,\"%s\",%d,%.9g,%.9g,%.9g\n", cases[c].figure, cases[c].name, i + 1,
                    p[0], p[2], found[c].beta[i]);
        }
    report_close(r, out, "shapes.csv");
}

// ---------------------------------------------------------------- picture
static void put_shapes(FILE *script, const shape *found) {
    for (int c = 0; c < N_CASES; c++) {
        fprintf(script, "$shape%d << EOD\n", c);
        for (int i = 0; i < POINTS; i++)
            fprintf(script, "%.6g %.6g\n", 1e3 * found[c].p[i][2], 1e3 * found[c].p[i][0]);
        fputs("EOD\n", script);
    }
}

static void draw(paper_report *r, const shape *found) {
    static const char *const titles[3] = {"Figure 16: rod 1-1", "Figure 18: rod 2-2",
                                          "Figure 19: both"};
    gnuplot g;
    if (!report_figure(r, &g, "shapes.png", 1900, 640)) return;
    put_shapes(g.script, found);
    fputs("set multiplot layout 1,3\nset size ratio -1\nset xrange [0:260]\nset yrange [-90:130]\n"
          "set xtics 50\nset ytics 50\nset xlabel 'z (mm)'\nset ylabel 'x (mm)'\n"
          "set key top left\n",
          g.script);
    for (int f = 0; f < 3; f++) {
        fprintf(g.script, "set title '%s'\nplot ", titles[f]);
        for (int k = 0; k < 3; k++) {
            const int c = 3 * f + k;
            fprintf(g.script,
                    "%s$shape%d with lines lw 2 lc rgb '%s' title '%s', "
                    "$shape%d every %d with points pt 7 ps 1 lc rgb '%s' notitle",
                    k ? ", " : "", c, curve_colour(k), cases[c].name, c, (POINTS - 1) / DISCS,
                    curve_colour(k));
        }
        fputc('\n', g.script);
    }
    fputs("unset multiplot\n", g.script);
    report_figure_end(r, &g, "shapes.png");
}

void rone2014_shapes(paper_report *r) {
    shape found[N_CASES];
    const variant last = r->effort == PAPER_QUICK ? AS_PRINTED : IDEAL;
    for (int c = 0; c < N_CASES; c++) {
        for (int v = AS_PRINTED; v <= (int)last; v++)
            if (!find_shape(r, &cases[c], (variant)v, &found[c])) return;
        compare(r, &cases[c], &found[c]);
    }
    compare_deflections(r, found);
    write_table(r, found);
    draw(r, found);
    report_remark(r, "The figures have no numbers, and the measured shapes are not published: "
                     "there is nothing to compare these tips with. The printed distances from "
                     "what was measured are under Figure 17.");
}
