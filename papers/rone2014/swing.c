// Figures 8, 13 and 14: let go almost straight, without tension, the robot swings for ever.
#include <math.h>
#include <stdlib.h>

#include "cli/figure.h"
#include "robot.h"
#include "rone2014.h"
#include "spectrum.h"

#define START (-0.001)  // 1/m, Sec. 6.1
#define DT 1e-3         // s
enum { SAMPLES = 1024, WINDOW = 500, BINS = 64 };

typedef struct swing {
    double x[SAMPLES + 1][DISCS];     // m
    double beta[SAMPLES + 1][DISCS];  // 1/m
    double energy[2];                 // J: the largest kinetic energy, and how far the sum strays
} swing;

// ---------------------------------------------------------------- the motion
static void look(const arm *a, swing *s, int k, double *first) {
    for (int i = 0; i < DISCS; i++) {
        double p[3];
        arm_disc(a, i, p);
        s->x[k][i] = p[0];
        s->beta[k][i] = arm_curvature(a, i);
    }
    td_energy e = td_get_energy(a->system, a->state);
    double sum = e.kinetic + e.gravity + e.elastic;
    if (k == 0) *first = sum;
    s->energy[0] = fmax(s->energy[0], e.kinetic);
    s->energy[1] = fmax(s->energy[1], fabs(sum - *first));
}

static bool move(paper_report *r, swing *s) {
    const design d = {.inertias = FROM_TABLE, .friction = FRICTION};
    td_error err = {0};
    const td_options o = rone_options();
    arm a;
    double first = 0.0;
    bool fine = arm_open_moving(&a, &d, &o, &err) && arm_let_go(&a, START, &err);
    for (int k = 0; k <= SAMPLES && fine; k++) {
        if (k > 0) fine = arm_move(&a, DT, &err);
        if (fine) look(&a, s, k, &first);
    }
    if (!fine) report_failure(r, "the swing: %s", err.message);
    arm_close(&a);
    return fine;
}

static void range_of(const swing *s, int samples, double *width, double *middle) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int k = 0; k <= samples; k++) {
        least = fmin(least, s->x[k][DISCS - 1]);
        most = fmax(most, s->x[k][DISCS - 1]);
    }
    *width = most - least;
    *middle = 0.5 * (most + least);
}

static void compare_range(paper_report *r, const swing *s) {
    double width, middle;
    range_of(s, WINDOW, &width, &middle);
    report_compare(r, &(comparison){.quantity = "tip, from peak to peak",
                                    .unit = "mm",
                                    .printed = 9.48,
                                    .ours = 1e3 * width,
                                    .note = "in the first 0.5 s; the window is not printed"});
    report_compare(r, &(comparison){.quantity = "middle between the peaks",
                                    .unit = "mm",
                                    .printed = -4.74,
                                    .ours = 1e3 * middle});
    range_of(s, SAMPLES - 24, &width, &middle);
    report_compare(r, &(comparison){.quantity = "tip, from peak to peak, in 1 s",
                                    .unit = "mm",
                                    .printed = 9.48,
                                    .ours = 1e3 * width});
    report_compare(r, &(comparison){.quantity = "energy, strayed in 1 s",
                                    .unit = "J",
                                    .printed = (double)NAN,
                                    .ours = s->energy[1]});
}

// ---------------------------------------------------------------- where it rests
// Figure 13 compares with finite elements, 0.2958 % at most. A Cosserat rod stands in for them.
static void compare_rest(paper_report *r) {
    const design d = {.inertias = FROM_TABLE, .friction = FRICTION};
    const double none[RODS] = {0.0};
    td_options discs = rone_options(), rod = td_default_options();
    td_error err = {0};
    arm a, b = {0};
    const design own = {.inertias = WHERE_IT_IS, .friction = 0.0};
    bool fine = arm_open(&a, &d, &discs, &err) && arm_settle(&a, none, &err) &&
                arm_open_robot(&b, rone_robot(&own, &err), &rod, &err) &&
                arm_settle(&b, none, &err);
    if (!fine) {
        report_failure(r, "equilibrium: %s", err.message);
    } else {
        double far = 0.0, p[3], q[3];
        for (int i = 0; i < DISCS; i++) {
            arm_disc(&a, i, p), arm_disc(&b, i, q);
            double off = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
            far = fmax(far, off / hypot(hypot(q[0], q[1]), q[2]));
        }
        report_compare(r, &(comparison){.quantity = "equilibrium, tip",
                                        .unit = "mm",
                                        .printed = (double)NAN,
                                        .ours = 1e3 * p[0],
                                        .note = "-4.74 mm is the middle of the swing"});
        report_compare(r, &(comparison){.quantity = "equilibrium, largest error of a disc",
                                        .unit = "%",
                                        .printed = 0.2958,
                                        .ours = 100.0 * far,
                                        .note = "printed: against finite elements; ours: against a "
                                                "Cosserat rod, whose rods end at disc 4"});
    }
    arm_close(&a);
    arm_close(&b);
}

// ---------------------------------------------------------------- frequencies
// Of the first mode, Hz, by a longer run with these inertias.
static double first_mode(paper_report *r, inertias from) {
    enum { LONG = 1024 };
    const double dt = 4e-3;
    const design d = {.inertias = from, .friction = FRICTION};
    td_error err = {0};
    double x[LONG], p[3];
    const td_options o = rone_options();
    arm a;
    report_progress(r, "4 s for the first mode");
    bool fine = arm_open_moving(&a, &d, &o, &err) && arm_let_go(&a, START, &err);
    a.inner *= 4;
    for (int k = 0; k < LONG && fine; k++) {
        arm_disc(&a, DISCS - 1, p);
        x[k] = p[0];
        fine = arm_move(&a, dt, &err);
    }
    if (!fine) report_failure(r, "the first mode: %s", err.message);
    arm_close(&a);
    return fine ? peak_between(x, LONG, dt, 7.0, 11.0) : (double)NAN;
}

// Returns that of Table 1.
static double compare_modes(paper_report *r) {
    static const char *const names[] = {"first mode, Table 1", "first mode, inertias from shape",
                                        "first mode, rods end where they end"};
    const int n = r->effort == PAPER_QUICK ? 1 : 3;
    double modes[3];
    for (int i = 0; i < n; i++) {
        modes[i] = first_mode(r, (inertias)i);
        report_compare(r,
                       &(comparison){.quantity = names[i],
                                     .unit = "Hz",
                                     .printed = i == 0 ? 7.81 : (double)NAN,
                                     .ours = modes[i],
                                     .note = i == 2 ? "finite elements: 9.76 Hz, bin 10" : NULL});
    }
    return modes[0];
}

static void compare_spectrum(paper_report *r, const swing *s, double out[2][BINS]) {
    double x[SAMPLES];
    int peak = 1;
    for (int end = 0; end < 2; end++) {
        for (int k = 0; k < SAMPLES; k++) x[k] = s->x[k][end ? DISCS - 1 : 0];
        spectrum_of(x, SAMPLES, out[end], BINS);
    }
    for (int b = 1; b < BINS; b++)
        if (out[1][b] > out[1][peak]) peak = b;
    char note[96];
    snprintf(note, sizeof note, "bin %d of a transform of 1024 points at 1 kHz: 0.977 Hz wide",
             peak);
    report_compare(r, &(comparison){.quantity = "highest point of the spectrum",
                                    .unit = "Hz",
                                    .printed = 7.81,
                                    .ours = peak / (SAMPLES * DT),
                                    .note = note});
}

// ---------------------------------------------------------------- table and picture
static void write_table(paper_report *r, const swing *s) {
    FILE *out = report_table(r, "figure8.csv");
    if (!out) return;
    fputs("time [s],tip x [m]", out);
    for (int i = 0; i < DISCS; i++) fprintf(out, ",beta %d [1/m]", i + 1);
    fputc('\n', out);
    for (int k = 0; k <= SAMPLES; k++) {
        fprintf(out, "%.9g,%.9g", k * DT, s->x[k][DISCS - 1]);
        for (int i = 0; i < DISCS; i++) fprintf(out, ",%.9g", s->beta[k][i]);
        fputc('\n', out);
    }
    report_close(r, out, "figure8.csv");
}

static void put_data(FILE *script, const swing *s, double spectrum[2][BINS]) {
    fputs("$swing << EOD\n", script);
    for (int k = 0; k <= SAMPLES; k++) {
        fprintf(script, "%.6g %.6g", k * DT, 1e3 * s->x[k][DISCS - 1]);
        for (int i = 0; i < DISCS; i++) fprintf(script, " %.6g", s->beta[k][i]);
        fputc('\n', script);
    }
    fputs("EOD\n$spectrum << EOD\n", script);
    for (int b = 1; b < BINS; b++)
        fprintf(script, "%.6g %.6g %.6g\n", b / (SAMPLES * DT), 1e3 * spectrum[0][b],
                1e3 * spectrum[1][b]);
    fputs("EOD\n", script);
}

static void draw(paper_report *r, const swing *s, double spectrum[2][BINS], double mode) {
    gnuplot g;
    if (!report_figure(r, &g, "swing.png", 1700, 1150)) return;
    put_data(g.script, s, spectrum);
    fputs("set multiplot layout 2,2\nset xrange [0:1]\nset xlabel 'time (s)'\n"
          "set title 'curvatures, Figure 8'\nset ylabel 'beta (1/m)'\nset yrange [-0.6:0.3]\n"
          "set key top right horizontal maxcols 4 samplen 1\nplot ",
          g.script);
    for (int i = 0; i < DISCS; i++)
        fprintf(g.script, "%s$swing using 1:%d with lines lw 1.1 lc rgb '%s' title '%d'",
                i ? ", " : "", i + 3, curve_colour(i), i + 1);
    fprintf(g.script,
            "\nset title 'tip'\nset ylabel 'x (mm)'\nset yrange [-11:1.5]\nunset key\n"
            "plot $swing using 1:2 with lines lw 1.4 lc rgb '%s', "
            "-4.74 with lines dt 2 lc rgb '#888888', -9.48 with lines dt 2 lc rgb '#888888'\n",
            curve_colour(0));
    fprintf(g.script,
            "set xrange [0:60]\nset autoscale y\nset logscale y\nset format y '10^{%%T}'\n"
            "set xlabel 'frequency (Hz)'\nset ylabel 'amplitude (mm)'\n"
            "set arrow 1 from %g, graph 0 to %g, graph 1 nohead front dt 3 lw 0.8\n"
            "set label 1 'first mode, %.2f Hz' at %g, graph 0.94 offset 1, 0\n",
            mode, mode, mode, mode);
    for (int end = 0; end < 2; end++)
        fprintf(g.script,
                "set title 'disc %d, Figure 14'\nplot $spectrum using 1:%d with impulses lw 1.6 lc "
                "rgb '%s', $spectrum using 1:%d with points pt 7 ps 0.8 lc rgb '%s'\n",
                end ? 8 : 1, end + 2, curve_colour(end), end + 2, curve_colour(end));
    fputs("unset multiplot\n", g.script);
    report_figure_end(r, &g, "swing.png");
}

void rone2014_swing(paper_report *r) {
    swing *s = calloc(1, sizeof *s);
    double spectrum[2][BINS];
    if (!s) {
        report_failure(r, "out of memory");
        return;
    }
    if (move(r, s)) {
        compare_range(r, s);
        compare_rest(r);
        compare_spectrum(r, s, spectrum);
        double mode = compare_modes(r);
        write_table(r, s);
        draw(r, s, spectrum, mode);
        report_remark(r,
                      "7.81 Hz is 8 x 1000/1024 Hz, the bin nearest to the first mode, and 9.76 "
                      "Hz of the finite elements is bin 10. The paper lays the gap on the number "
                      "of coordinates; most of it are the moments of inertia of Table 1, which "
                      "are 27 and 20 times those of the prototype, and rods drawn on beyond the "
                      "discs where they end.");
    }
    free(s);
}
