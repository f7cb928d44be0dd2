// Figure 13: an arm with a tendon that winds around it "is actuated to a variable-curvature shape
// with significant inertial dynamics". The robot of the photograph is not described; here it is the
// backbone of section 5.2 with one turn of tendon, pulled from one instant to the next.
#include <math.h>
#include <stdlib.h>

#include "cli/figure.h"
#include "robots.h"
#include "till2019.h"

#define NONE ((double)NAN)
#define ALPHA (-0.03)
#define STEP 5e-3  // s
#define END 2.0    // s
#define PULL 4.0   // N
enum { STEPS = 400, POINTS = 61, SHOWN = 6 };

typedef struct answer {
    double tip[STEPS + 1][3];  // m
    double shape[STEPS + 1][POINTS][3];
    double rest[POINTS][3];       // in equilibrium under the pull
    double curvature[POINTS][2];  // 1/m, there: about local x and y
    long n;
} answer;

// ---------------------------------------------------------------- computing
static bool open_arm(paper_report *r, const td_options *o, simulation *s) {
    td_error err = {0};
    if (simulation_of(s, till_wound_arm(&err), o, &err)) return true;
    report_failure(r, "%s", err.message);
    return false;
}

static void look(const simulation *s, double shape[POINTS][3]) {
    for (int i = 0; i < POINTS; i++) {
        td_pose at = td_get_pose(s->system, s->state, 0, ARM_LENGTH * i / (POINTS - 1));
        for (int c = 0; c < 3; c++) shape[i][c] = at.p[c];
    }
}

static void see(const simulation *s, long k, void *to) {
    answer *a = to;
    look(s, a->shape[k]);
    for (int c = 0; c < 3; c++) a->tip[k][c] = a->shape[k][POINTS - 1][c];
    a->n = k;
}

static bool settle(paper_report *r, const td_options *o, answer *a) {
    simulation s;
    if (!open_arm(r, o, &s)) return false;
    td_set_input(s.system, s.state, 0, PULL);
    bool fine = td_solve_statics(s.system, s.state) >= 0;
    look(&s, a->rest);
    for (int i = 0; i < POINTS; i++) {
        td_sample at = td_get_sample(s.system, s.state, 0, ARM_LENGTH * i / (POINTS - 1));
        for (int c = 0; c < 2; c++) a->curvature[i][c] = at.strain[c];
    }
    if (!fine) report_failure(r, "equilibrium: %s", td_message(s.state));
    simulation_close(&s);
    return fine;
}

static bool move(paper_report *r, const td_options *o, long steps, answer *a) {
    simulation s;
    if (!open_arm(r, o, &s)) return false;
    td_set_input(s.system, s.state, 0, PULL);
    td_restart(s.system, s.state);
    long done = 0;
    see(&s, 0, a);
    while (done < steps && td_step(s.system, s.state, STEP) >= 0) see(&s, ++done, a);
    if (done < steps) report_failure(r, "the motion: %s", td_message(s.state));
    simulation_close(&s);
    return done == steps;
}

// ---------------------------------------------------------------- rows
static double apart(const double a[3], const double b[3]) {
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static void say(paper_report *r, const char *what, const char *unit, const char *printed,
                double ours, const char *note) {
    report_compare(r, &(comparison){.quantity = what,
                                    .unit = unit,
                                    .printed = NONE,
                                    .printed_text = printed,
                                    .ours = ours,
                                    .note = note});
}

// How far beyond its equilibrium the tip goes, of its way there, along that way.
static double overshoot(const answer *a) {
    const double *from = a->tip[0], *to = a->rest[POINTS - 1];
    double way = 0.0, most = 0.0;
    for (int c = 0; c < 3; c++) way += (to[c] - from[c]) * (to[c] - from[c]);
    for (long k = 0; k <= a->n; k++) {
        double along = 0.0;
        for (int c = 0; c < 3; c++) along += (a->tip[k][c] - from[c]) * (to[c] - from[c]) / way;
        most = fmax(most, along);
    }
    return 100.0 * (most - 1.0);
}

static void compare_shape(paper_report *r, const answer *ours, const answer *other) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < POINTS; i++) {
        least = fmin(least, ours->curvature[i][1]);
        most = fmax(most, ours->curvature[i][1]);
    }
    say(r, "curvature about y, smallest along the arm", "1/m", "variable", least,
        "in equilibrium, 4 N");
    say(r, "curvature about y, largest along the arm", "1/m", "variable", most, NULL);
    say(r, "tip, collocation and shooting apart", "m", NULL,
        apart(ours->rest[POINTS - 1], other->rest[POINTS - 1]), "24 nodes; RK4 in 400 steps");
}

static void compare_motion(paper_report *r, const answer *ours) {
    say(r, "way of the tip to equilibrium", "mm", NULL,
        1e3 * apart(ours->tip[0], ours->rest[POINTS - 1]), NULL);
    say(r, "overshoot of the tip", "%", "significant", overshoot(ours), "of that way");
    say(r, "tip off equilibrium after 2 s", "mm", NULL,
        1e3 * apart(ours->tip[ours->n], ours->rest[POINTS - 1]), NULL);
}

// ---------------------------------------------------------------- table and picture
static void write_table(paper_report *r, const answer *a) {
    FILE *out = report_table(r, "figure13.csv");
    if (!out) return;
    fputs("time [s],tip x [m],tip y [m],tip z [m]\n", out);
    for (long k = 0; k <= a->n; k++)
        fprintf(out, "%.9g,%.9g,%.9g,%.9g\n", (double)k * STEP, a->tip[k][0], a->tip[k][1],
                a->tip[k][2]);
    report_close(r, out, "figure13.csv");
}

static void put_shape(FILE *script, const char *name, const double shape[POINTS][3]) {
    fprintf(script, "$%s << EOD\n", name);
    for (int i = 0; i < POINTS; i++)
        fprintf(script, "%.6g %.6g %.6g\n", 1e3 * shape[i][0], 1e3 * shape[i][1],
                1e3 * shape[i][2]);
    fputs("EOD\n", script);
}

static void put_data(FILE *script, const answer *a) {
    for (int i = 0; i < SHOWN; i++) {
        char name[16];
        snprintf(name, sizeof name, "shape%d", i);
        put_shape(script, name, a->shape[4 * i]);
    }
    put_shape(script, "rest", a->rest);
    fputs("$curvature << EOD\n", script);
    for (int i = 0; i < POINTS; i++)
        fprintf(script, "%.6g %.6g %.6g\n", 1e3 * ARM_LENGTH * i / (POINTS - 1), a->curvature[i][0],
                a->curvature[i][1]);
    fputs("EOD\n$tip << EOD\n", script);
    for (long k = 0; k <= a->n; k++)
        fprintf(script, "%.6g %.6g %.6g %.6g\n", (double)k * STEP, 1e3 * a->tip[k][0],
                1e3 * a->tip[k][1], 1e3 * a->tip[k][2]);
    fputs("EOD\n", script);
}

// Seen along one axis: `upright` is the column of the vertical one.
static void plot_shapes(FILE *script, int upright, const char *title, const char *range) {
    fprintf(script,
            "set title '%s'\nset size ratio -1\nset xrange [0:340]\nset yrange [%s]\n"
            "set xtics 50\nset ytics 50\nset xlabel 'x (mm)'\nset ylabel '%s (mm)'\n"
            "set key right %s vertical\nplot ",
            title, range, upright == 2 ? "y" : "z", upright == 2 ? "top" : "bottom");
    for (int i = 0; i < SHOWN; i++)
        fprintf(script, "$shape%d using 1:%d with lines lw 2 lc rgb '%s' title '%g ms', ", i,
                upright, curve_colour(i), 1e3 * STEP * 4 * i);
    fprintf(script,
            "$rest using 1:%d with lines lw 3 dt (3, 3) lc rgb '#333333' title 'at rest'\n"
            "set size noratio\n",
            upright);
}

static void plot_curves(FILE *script) {
    fprintf(script,
            "set title 'in equilibrium'\nset xrange [0:240]\nset yrange [-11:15]\nset xtics 40\n"
            "set ytics 5\nset xlabel 's (mm)'\nset ylabel 'curvature (1/m)'\n"
            "set key right top horizontal\n"
            "plot $curvature using 1:2 with lines lw 2 lc rgb '%s' title 'about x', "
            "$curvature using 1:3 with lines lw 2 lc rgb '%s' title 'about y'\n"
            "set title 'tip'\nset xrange [0:%g]\nset yrange [-160:330]\nset xtics 0.5\n"
            "set ytics 100\nset xlabel 'time (s)'\nset ylabel 'tip (mm)'\n"
            "plot $tip using 1:2 with lines lw 1.5 lc rgb '%s' title 'x', "
            "$tip using 1:3 with lines lw 1.5 lc rgb '%s' title 'y', "
            "$tip using 1:4 with lines lw 1.5 lc rgb '%s' title 'z'\n",
            curve_colour(3), curve_colour(4), END, curve_colour(0), curve_colour(1),
            curve_colour(2));
}

static void draw(paper_report *r, const answer *a) {
    gnuplot g;
    if (!report_figure(r, &g, "figure13.png", 1700, 1100)) return;
    put_data(g.script, a);
    fputs("set multiplot layout 2,2\n", g.script);
    plot_shapes(g.script, 2, "from above", "-150:50");
    plot_shapes(g.script, 3, "from the side", "-100:100");
    plot_curves(g.script);
    fputs("unset multiplot\n", g.script);
    report_figure_end(r, &g, "figure13.png");
}

void till2019_wound_arm(paper_report *r) {
    const td_options fine = collocation_options(24, ALPHA), ours = collocation_options(12, ALPHA);
    const td_options shooting = shooting_options(TD_RK4, TD_CUBIC, 401, ALPHA);
    answer *a = calloc(1, sizeof *a), *other = calloc(1, sizeof *other);
    if (!a || !other) report_failure(r, "out of memory");
    else if (settle(r, &shooting, other) && settle(r, &fine, a) && move(r, &ours, STEPS, a)) {
        compare_shape(r, a, other);
        compare_motion(r, a);
        write_table(r, a);
        draw(r, a);
    }
    free(a);
    free(other);
    report_remark(r, "The paper shows a photograph and describes no robot: this one is ours, the "
                     "backbone of section 5.2 with a tendon 9.5 mm from it that winds around it "
                     "once, pulled with 4 N from one instant to the next.");
}
