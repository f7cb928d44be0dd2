// Figures 4, 6 and 7: free fall, bending in plane and out of plane, as printed and as physics has
// it.
#include <math.h>
#include <stdlib.h>

#include "cli/figure.h"
#include "liu2020.h"
#include "robot.h"

#define DT 1e-3
enum { STEPS = 1500, FRAMES = 32, POINTS = 25 };

typedef struct trace {
    double kappa[STEPS + 1][SEGMENTS], phi[STEPS + 1][SEGMENTS];
    double frames[FRAMES][POINTS][3];
    int n_frames;
    double tip[3], least;  // m, at the end; 1/m, the smallest curvature
} trace;

static void take_frame(const liu_arm *a, trace *t) {
    if (t->n_frames == FRAMES) return;
    for (int i = 0; i < POINTS; i++)
        liu_point(a, SEGMENTS * SEGMENT_LENGTH * i / (POINTS - 1), t->frames[t->n_frames][i]);
    t->n_frames++;
}

static bool run(paper_report *r, const reading *how, const liu_case *which, trace *t) {
    td_error err = {0};
    liu_arm a;
    bool fine = liu_open(&a, how, which, &err);
    t->least = HUGE_VAL;
    for (int k = 0; k <= STEPS && fine; k++) {
        for (int i = 0; i < SEGMENTS; i++) {
            bend b = liu_bend(&a, i);
            t->kappa[k][i] = b.kappa;
            t->phi[k][i] = b.phi;
            t->least = fmin(t->least, b.kappa);
        }
        if (k * DT >= t->n_frames * which->frame - 0.5 * DT) take_frame(&a, t);
        if (k == STEPS) liu_tip(&a, t->tip);
        else fine = liu_move(&a, DT, &err);
    }
    if (!fine) report_failure(r, "%s: %s", which->name, err.message);
    liu_close(&a);
    return fine;
}

// ---------------------------------------------------------------- numbers
// Twice the mean time between extrema in the first 0.2 s; NAN: fewer than two.
static double first_period(const trace *t, int segment) {
    int first = -1, last = -1, n = 0;
    for (int k = 1; k * DT < 0.2; k++) {
        double before = t->phi[k][segment] - t->phi[k - 1][segment];
        double after = t->phi[k + 1][segment] - t->phi[k][segment];
        if (before * after >= 0.0) continue;
        if (first < 0) first = k;
        last = k;
        n++;
    }
    return n > 1 ? 2.0 * DT * (last - first) / (n - 1) : (double)NAN;
}

// Twice the mean time between passages through the mean, from 0.3 s on; NAN: fewer than two.
static double lasting_period(const trace *t, int segment) {
    const int from = (int)(0.3 / DT);
    int first = -1, last = -1, n = 0;
    double mean = 0.0;
    for (int k = from; k <= STEPS; k++) mean += t->phi[k][segment] / (STEPS - from + 1);
    for (int k = from + 1; k <= STEPS; k++) {
        if ((t->phi[k - 1][segment] - mean) * (t->phi[k][segment] - mean) > 0.0) continue;
        if (first < 0) first = k;
        last = k;
        n++;
    }
    return n > 1 ? 2.0 * DT * (last - first) / (n - 1) : (double)NAN;
}

static void compare(paper_report *r, const liu_case *which, bool printed, const trace *t) {
    const char *how = printed ? "printed" : "physics";
    char quantity[96];
    for (int i = 0; i < SEGMENTS; i++) {
        snprintf(quantity, sizeof quantity, "%s, %s: curvature %d at 1.5 s", which->name, how,
                 i + 1);
        report_compare(r, &(comparison){.quantity = quantity,
                                        .unit = "1/m",
                                        .printed = (double)NAN,
                                        .ours = t->kappa[STEPS][i]});
    }
    snprintf(quantity, sizeof quantity, "%s, %s: smallest curvature", which->name, how);
    report_compare(r, &(comparison){.quantity = quantity,
                                    .unit = "1/m",
                                    .printed = (double)NAN,
                                    .ours = t->least,
                                    .note = "printed: the singularity at 0 is avoided"});
    if (which != &liu_cases[2]) return;
    snprintf(quantity, sizeof quantity, "%s, %s: period of phi 1", which->name, how);
    report_compare(r, &(comparison){.quantity = quantity,
                                    .unit = "s",
                                    .printed = (double)NAN,
                                    .printed_text = "low frequency",
                                    .ours = lasting_period(t, 0),
                                    .note = "from 0.3 s on"});
    snprintf(quantity, sizeof quantity, "%s, %s: period of phi 2", which->name, how);
    report_compare(r, &(comparison){.quantity = quantity,
                                    .unit = "s",
                                    .printed = (double)NAN,
                                    .printed_text = "high frequency",
                                    .ours = first_period(t, 1),
                                    .note = "in the first 0.2 s"});
}

// ---------------------------------------------------------------- tables and pictures
static void write_table(paper_report *r, const trace *t, const char *file) {
    FILE *out = report_table(r, file);
    if (!out) return;
    fputs("time [s],kappa 1 [1/m],kappa 2 [1/m],phi 1 [rad],phi 2 [rad]\n", out);
    for (int k = 0; k <= STEPS; k += 5)
        fprintf(out, "%.9g,%.9g,%.9g,%.9g,%.9g\n", k * DT, t->kappa[k][0], t->kappa[k][1],
                t->phi[k][0], t->phi[k][1]);
    report_close(r, out, file);
}

static void put_frames(FILE *script, const trace *t, const char *name) {
    fprintf(script, "$%s << EOD\n", name);
    for (int f = 0; f < t->n_frames; f++) {
        for (int i = 0; i < POINTS; i++) {
            const double *p = t->frames[f][i];
            fprintf(script, "%.6g %.6g %.6g %d\n", 1e3 * p[0], 1e3 * p[1], 1e3 * p[2], f);
        }
        fputs("\n", script);
    }
    fputs("EOD\n", script);
}

static void put_curves(FILE *script, const trace *t, const char *name) {
    const double degrees = 57.29577951308232;
    fprintf(script, "$%s << EOD\n", name);
    for (int k = 0; k <= STEPS; k += 3)
        fprintf(script, "%.6g %.6g %.6g %.6g %.6g\n", k * DT, t->kappa[k][0], t->kappa[k][1],
                degrees * t->phi[k][0], degrees * t->phi[k][1]);
    fputs("EOD\n", script);
}

// Later frames fade, as in the paper.
static void plot_frames(FILE *script, const char *title, const char *name, int vertical,
                        const char *range, int n_frames) {
    fprintf(
        script,
        "set title '%s'\nset size ratio -1\nset xlabel 'x (mm)'\nset ylabel '%s (mm)'\n"
        "unset key\nset palette defined (0 '#08306b', 1 '#c6dbef')\nunset colorbox\n"
        "set cbrange [0:%d]\nset xtics 100\nset ytics 100\nset xrange [0:500]\nset yrange [%s]\n"
        "plot $%s using 1:%d:4 with lines lw 2 lc palette\nset size noratio\n",
        title, vertical == 3 ? "z" : "y", n_frames, range, name, vertical);
}

static void plot_curves(FILE *script, const char *title, const char *unit, const char *name,
                        int column) {
    fprintf(script,
            "set title '%s'\nset xlabel 'time (s)'\nset ylabel '%s'\nset key center right\n"
            "set xrange [0:1.5]\nset xtics 0.5\nset autoscale y\nset ytics autofreq\n"
            "plot $%s using 1:%d with lines lw 1.5 lc rgb '%s' title 'segment 1', "
            "$%s using 1:%d with lines lw 1.5 lc rgb '%s' title 'segment 2'\n",
            title, unit, name, column, curve_colour(0), name, column + 1, curve_colour(1));
}

static void draw(paper_report *r, const trace all[CASES], const char *file) {
    gnuplot g;
    if (!report_figure(r, &g, file, 1900, 1250)) return;
    static const char *const shapes[] = {"shapes1", "shapes2", "shapes3"};
    static const char *const curves[] = {"curves1", "curves2", "curves3"};
    for (int i = 0; i < CASES; i++) {
        put_frames(g.script, &all[i], shapes[i]);
        put_curves(g.script, &all[i], curves[i]);
    }
    fputs("set multiplot layout 2,4\n", g.script);
    plot_frames(g.script, "free fall, Figure 4", shapes[0], 3, "-300:100", all[0].n_frames);
    plot_frames(g.script, "in plane, Figure 6", shapes[1], 3, "-50:350", all[1].n_frames);
    plot_frames(g.script, "out of plane, Figure 6, side", shapes[2], 3, "-300:100",
                all[2].n_frames);
    plot_frames(g.script, "out of plane, Figure 6, top", shapes[2], 2, "-300:100", all[2].n_frames);
    plot_curves(g.script, "free fall, Figure 5", "curvature (1/m)", curves[0], 2);
    plot_curves(g.script, "in plane", "curvature (1/m)", curves[1], 2);
    plot_curves(g.script, "out of plane, Figure 7", "curvature (1/m)", curves[2], 2);
    plot_curves(g.script, "out of plane, Figure 7", "phi (degrees)", curves[2], 4);
    fputs("unset multiplot\n", g.script);
    report_figure_end(r, &g, file);
}

void liu2020_cases(paper_report *r) {
    static const char *const files[2][CASES] = {
        {"printed-free-fall.csv", "printed-in-plane.csv", "printed-out-of-plane.csv"},
        {"physics-free-fall.csv", "physics-in-plane.csv", "physics-out-of-plane.csv"}};
    trace *all = calloc(CASES, sizeof *all);
    if (!all) {
        report_failure(r, "out of memory");
        return;
    }
    for (int physics = 0; physics < 2; physics++) {
        bool fine = true;
        for (int i = 0; i < CASES && fine; i++) {
            all[i] = (trace){0};
            report_progress(r, "%s", liu_cases[i].name);
            fine = run(r, physics ? &as_physics : &as_printed, &liu_cases[i], &all[i]);
            if (!fine) break;
            compare(r, &liu_cases[i], !physics, &all[i]);
            write_table(r, &all[i], files[physics][i]);
        }
        if (fine) draw(r, all, physics ? "cases-physics.png" : "cases-printed.png");
    }
    report_remark(r,
                  "Printed numbers: there are none for curvatures, and the figures cannot be read "
                  "off. Physics: mass M dx, bending and damping energies of the whole segment, and "
                  "forces times 0.24, which makes the equations the printed ones times L0 but "
                  "for the stiffness against extension. With the forces as stated the arm coils "
                  "up: 180 N at 32.5 mm bend a stiffness of 0.25 N m^2 to 23 1/m.");
    free(all);
}
