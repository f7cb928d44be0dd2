// Figure 4: rods bent in the plane by (a) a force and (b) a moment, against closed forms, and (c) in
// space by both, against shooting.
#include <math.h>
#include <string.h>

#include "cli/figure.h"
#include "elastica.h"
#include "orekhov2020.h"
#include "rod.h"
#include "math/pi.h"

#define NONE ((double)NAN)
enum { N_PLANAR = 3, POINTS = 101 };

// Section VII: n = 10 and order 6; beside it our shooting, and our collocation with as many nodes.
enum { PAPERS_FORM, SHOOTING, INTEGRAL_FORM, N_METHODS };
static const method methods[N_METHODS] = {{.space = TD_CHEBYSHEV, .nodes = 11, .magnus = 6},
                                          {.space = TD_SHOOTING, .steps = 400},
                                          {.space = TD_COLLOCATION, .nodes = 11, .magnus = 6}};
static const char *const method_names[N_METHODS] = {"the paper's form", "shooting",
                                                    "the integral form"};

typedef struct planar_case {
    double wrench[6];
    double y, z;  // the tip in closed form, m
    double shape[POINTS][3];
} planar_case;

static bool solve(paper_report *r, const method *m, planar_case *c, td_pose *tip) {
    loaded_rod rod;
    td_error err = {0};
    if (!rod_open(&rod, m, &err)) {
        report_failure(r, "%s: %s", err.where, err.message);
        return false;
    }
    bool fine = rod_load(&rod, c->wrench) >= 0;
    if (!fine) report_failure(r, "%s", td_message(rod.state));
    *tip = rod_tip(&rod);
    for (int i = 0; fine && i < POINTS; i++) {
        double s = ROD_LENGTH * i / (POINTS - 1);
        td_pose at = td_get_pose(rod.system, rod.state, 0, s);
        memcpy(c->shape[i], at.p, sizeof at.p);
    }
    rod_close(&rod);
    return fine;
}

// Distance of the tip from the closed form, mm. The shape left in c is the last method's.
static void distances(paper_report *r, planar_case *c, double out[N_METHODS]) {
    for (int k = 0; k < N_METHODS; k++) {
        td_pose tip;
        out[k] = NONE;
        if (solve(r, &methods[k], c, &tip))
            out[k] = 1e3 * hypot(hypot(tip.p[0], tip.p[1] - c->y), tip.p[2] - c->z);
    }
}

static void report_largest(paper_report *r, const char *what, double worst[N_METHODS],
                           double printed, const char *note) {
    for (int k = 0; k < N_METHODS; k++) {
        char name[80];
        snprintf(name, sizeof name, "%s, %s", what, method_names[k]);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "mm",
                                        .printed = k == PAPERS_FORM ? printed : NONE,
                                        .ours = worst[k],
                                        .note = k == PAPERS_FORM ? note : NULL});
    }
}

// ---------------------------------------------------------------- forces
static void report_force(paper_report *r, int degrees, const char *axis, double printed,
                         double ours) {
    char name[64];
    snprintf(name, sizeof name, "force along %s for a tip angle of %d deg", axis, degrees);
    report_compare(r, &(comparison){name, "N", printed, ours, NULL, NULL, NULL});
}

static void elastic_curves(paper_report *r, planar_case *cases) {
    static const int degrees[N_PLANAR] = {20, 50, 80};
    static const double printed[N_PLANAR][2] = {{1.04, 0.104}, {3.63, 0.362}, {18.9, 1.89}};
    double worst[N_METHODS] = {0.0};
    for (int i = 0; i < N_PLANAR; i++) {
        elastica e = elastica_of(degrees[i] * PI / 180.0, 0.1);
        double f = e.force * bending_stiffness() / (ROD_LENGTH * ROD_LENGTH), apart[N_METHODS];
        cases[i] = (planar_case){.wrench = {0.0, f, 0.1 * f, 0.0, 0.0, 0.0},
                                 .y = e.y * ROD_LENGTH,
                                 .z = e.z * ROD_LENGTH};
        report_force(r, degrees[i], "y", printed[i][0], f);
        report_force(r, degrees[i], "z", printed[i][1], 0.1 * f);
        distances(r, &cases[i], apart);
        for (int k = 0; k < N_METHODS; k++) worst[k] = fmax(worst[k], apart[k]);
    }
    report_largest(r, "off elliptic integrals", worst, 0.006, "at 80 deg; printed as a bound");
}

// ---------------------------------------------------------------- moments
// How far the tip is turned against the arc, rad: by u L about x.
static double turned_off(paper_report *r, planar_case *c, double angle_of_arc) {
    const td_pose arc = {.q = {cos(0.5 * angle_of_arc), sin(0.5 * angle_of_arc), 0.0, 0.0}};
    td_pose tip;
    return solve(r, &methods[PAPERS_FORM], c, &tip) ? angle(&tip, &arc) : NONE;
}

static void arcs(paper_report *r, planar_case *cases) {
    static const double moments[N_PLANAR] = {0.1, 0.25,
                                             0.5};  // those of the figure are not printed
    double worst[N_METHODS] = {0.0}, turned = 0.0;
    for (int i = 0; i < N_PLANAR; i++) {
        double u = moments[i] / bending_stiffness(), apart[N_METHODS];
        cases[i] = (planar_case){.wrench = {0.0, 0.0, 0.0, moments[i], 0.0, 0.0},
                                 .y = (cos(u * ROD_LENGTH) - 1.0) / u,
                                 .z = sin(u * ROD_LENGTH) / u};
        distances(r, &cases[i], apart);
        for (int k = 0; k < N_METHODS; k++) worst[k] = fmax(worst[k], apart[k]);
        turned = fmax(turned, turned_off(r, &cases[i], u * ROD_LENGTH));
    }
    report_largest(r, "off the arc", worst, 3.98e-6,
                   "an arc is exact in this form: what is printed is the error of their shooting");
    report_compare(r, &(comparison){.quantity = "turned off the arc, the paper's form",
                                    .unit = "rad",
                                    .printed = NONE,
                                    .printed_text = "precision",
                                    .ours = turned,
                                    .note = "printed: within machine precision"});
}

// ---------------------------------------------------------------- both
// The loads of (c) are not printed: three of the 729 of the next study.
static const double both_loads[N_PLANAR][6] = {{0.0, 1.0, 0.0, 0.0, 0.5, 0.0},
                                               {1.0, 1.0, -1.0, 0.5, 0.0, 0.5},
                                               {-1.0, 0.0, 1.0, 0.5, -0.5, 0.5}};

static void combined(paper_report *r, planar_case *cases) {
    double apart[N_METHODS] = {0.0}, turned = 0.0;
    for (int i = 0; i < N_PLANAR; i++) {
        td_pose tips[N_METHODS];
        cases[i] = (planar_case){0};
        memcpy(cases[i].wrench, both_loads[i], sizeof both_loads[i]);
        for (int k = 0; k < N_METHODS; k++)
            if (!solve(r, &methods[k], &cases[i], &tips[k])) return;
        for (int k = 0; k < N_METHODS; k++)
            apart[k] = fmax(apart[k], 1e3 * distance(&tips[k], &tips[SHOOTING]));
        turned = fmax(turned, angle(&tips[PAPERS_FORM], &tips[SHOOTING]) * 180.0 / PI);
    }
    report_compare(r, &(comparison){.quantity = "off shooting (c), the paper's form",
                                    .unit = "mm",
                                    .printed = NONE,
                                    .printed_text = "agrees",
                                    .ours = apart[PAPERS_FORM],
                                    .note = "three of the 729 loads: those of 4(c) are not "
                                            "printed"});
    report_compare(r, &(comparison){.quantity = "turned against shooting (c)",
                                    .unit = "deg",
                                    .printed = NONE,
                                    .printed_text = "agrees",
                                    .ours = turned});
    report_compare(r, &(comparison){.quantity = "off shooting (c), the integral form",
                                    .unit = "mm",
                                    .printed = NONE,
                                    .ours = apart[INTEGRAL_FORM]});
}

// ---------------------------------------------------------------- table and picture
enum { PANELS = 3 };
typedef struct figure4 {
    planar_case cases[PANELS][N_PLANAR];
} figure4;

static void write_shapes(paper_report *r, const figure4 *all) {
    static const char *const loads[PANELS] = {"force", "moment", "both"};
    FILE *out = report_table(r, "figure4.csv");
    if (!out) return;
    fputs("load,case,s [m],x [m],y [m],z [m]\n", out);
    for (int k = 0; k < PANELS * N_PLANAR; k++) {
        const planar_case *c = &all->cases[k / N_PLANAR][k % N_PLANAR];
        for (int i = 0; i < POINTS; i++)
            fprintf(out, "%s,%d,%.9g,%.9g,%.9g,%.9g\n", loads[k / N_PLANAR], k % N_PLANAR + 1,
                    ROD_LENGTH * i / (POINTS - 1), c->shape[i][0], c->shape[i][1], c->shape[i][2]);
    }
    report_close(r, out, "figure4.csv");
}

static void put_shape(FILE *script, int part, int k, const planar_case *c) {
    fprintf(script, "$shape%d%d << EOD\n", part, k);
    for (int i = 0; i < POINTS; i++)
        fprintf(script, "%.9g %.9g %.9g\n", 1e3 * c->shape[i][0], 1e3 * c->shape[i][1],
                1e3 * c->shape[i][2]);
    fprintf(script, "EOD\n$tip%d%d << EOD\n%.9g %.9g\nEOD\n", part, k, 1e3 * c->y, 1e3 * c->z);
}

static void plot_plane(FILE *script, int part, const char *const titles[N_PLANAR]) {
    fputs("plot ", script);
    for (int k = 0; k < N_PLANAR; k++)
        fprintf(script,
                "$shape%d%d using 2:3 with lines lw 1.6 lc rgb '%s' title '%s', "
                "$tip%d%d with points pt 6 ps 2 lc rgb '#333333' notitle, ",
                part, k, curve_colour(k), titles[k], part, k);
    fputs("NaN with points pt 6 ps 2 lc rgb '#333333' title 'closed form'\n", script);
}

static void plot_space(FILE *script, int part) {
    fputs("set title '(c) both'\nset view 72, 40\nset view equal xyz\nset xyplane at 0\n"
          "unset key\nset xrange [-130:130]\nset yrange [-130:130]\nset zrange [0:210]\n"
          "set xtics 100 offset 0, -0.4\nset ytics 100 offset 0.4, -0.2\nset ztics 100\n"
          "set border 31\nset xlabel 'x (mm)'\nset ylabel 'y (mm)'\nset zlabel 'z (mm)'\nsplot ",
          script);
    for (int k = 0; k < N_PLANAR; k++)
        fprintf(script, "%s$shape%d%d with lines lw 2 lc rgb '%s'", k ? ", " : "", part, k,
                curve_colour(k));
    fputs("\n", script);
}

static void draw(paper_report *r, const figure4 *all) {
    static const char *const angles[N_PLANAR] = {"20 deg", "50 deg", "80 deg"};
    static const char *const sizes[N_PLANAR] = {"0.1 N m", "0.25 N m", "0.5 N m"};
    gnuplot g;
    if (!report_figure(r, &g, "figure4.png", 2000, 800)) return;
    for (int k = 0; k < PANELS * N_PLANAR; k++)
        put_shape(g.script, k / N_PLANAR, k % N_PLANAR, &all->cases[k / N_PLANAR][k % N_PLANAR]);
    fputs("set multiplot layout 1,3\nset size ratio -1\nset yrange [-10:210]\n"
          "set xlabel 'y (mm)'\nset ylabel 'z (mm)'\nset xrange [-10:190]\n"
          "set key bottom right\nset title '(a) force at the tip'\n",
          g.script);
    plot_plane(g.script, 0, angles);
    fputs("set xrange [-190:10]\nset key top left\nset title '(b) moment at the tip'\n", g.script);
    plot_plane(g.script, 1, sizes);
    plot_space(g.script, 2);
    fputs("unset multiplot\n", g.script);
    report_figure_end(r, &g, "figure4.png");
}

void orekhov2020_planar(paper_report *r) {
    figure4 all = {0};
    elastic_curves(r, all.cases[0]);
    arcs(r, all.cases[1]);
    combined(r, all.cases[2]);
    write_shapes(r, &all);
    draw(r, &all);
}
