// Section 5.3, Figures 18 and 19: a soft finger filled with air, or with a fluid that does not
// compress. The modulus and the offset of the print are put right: errata.md.
#include <math.h>
#include <stdlib.h>

#include "cli/figure.h"
#include "robots.h"
#include "section5_reference.h"
#include "till2019.h"

#define NONE ((double)NAN)
#define ALPHA (-0.3)

static const char *const fluid_names[N_FLUIDS] = {"air", "water"};

// ---------------------------------------------------------------- equilibrium at the end
// The mean over the length of v_3 - 1, by Gauss of three points on ten parts.
static double elongation(const simulation *s) {
    const double x[3] = {-0.7745966692414834, 0.0, 0.7745966692414834};
    const double w[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    double sum = 0.0;
    for (int part = 0; part < 10; part++) {
        for (int i = 0; i < 3; i++) {
            double at = FINGER_LENGTH * (part + 0.5 + 0.5 * x[i]) / 10.0;
            td_sample here = td_get_sample(s->system, s->state, 0, at);
            sum += 0.1 * w[i] * (here.strain[5] - 1.0);
        }
    }
    return sum;
}

static bool open_finger(paper_report *r, finger_fluid fluid, const td_options *o, simulation *s) {
    td_error err = {0};
    if (simulation_of(s, till_finger(fluid, &err), o, &err)) return true;
    report_failure(r, "%s: %s", fluid_names[fluid], err.message);
    return false;
}

static void compare(paper_report *r, finger_fluid fluid, const char *what, const char *unit,
                    double printed, double ours, const char *note) {
    char name[80];
    snprintf(name, sizeof name, "%s, %s", what, fluid_names[fluid]);
    report_compare(
        r, &(comparison){
               .quantity = name, .unit = unit, .printed = printed, .ours = ours, .note = note});
}

static void compare_equilibrium(paper_report *r, finger_fluid fluid) {
    const finger_reference *ref = &reference_fingers[fluid];
    const td_options o = collocation_options(8, ALPHA);
    simulation s;
    if (!open_finger(r, fluid, &o, &s)) return;
    td_apply_signals(s.system, s.state, FINGER_FILLED, TD_AFTER);
    if (td_solve_statics(s.system, s.state) < 0) {
        report_failure(r, "%s: %s", fluid_names[fluid], td_message(s.state));
    } else {
        char note[80];
        td_chamber_state c = td_get_chamber(s.system, s.state, 0);
        snprintf(note, sizeof note, "independent program: %.4f", ref->elongation);
        compare(r, fluid, "mean elongation at the end", "", 0.12, elongation(&s), note);
        compare(r, fluid, "volume at the end", "mm3", 2650.0, 1e9 * c.volume, NULL);
        snprintf(note, sizeof note, "independent program: %.3f", 1e-3 * ref->pressure);
        compare(r, fluid, "pressure at the end", "kPa", NONE, 1e-3 * c.pressure, note);
    }
    simulation_close(&s);
}

// ---------------------------------------------------------------- the motion
enum { STEPS = 450, FILLED = 200, SHAPES = 5, SHAPE_POINTS = 31 };
typedef struct motion {
    double x[STEPS + 1], z[STEPS + 1], P[STEPS + 1];
    double shape[SHAPES][SHAPE_POINTS][2];  // at 0, 0.5, 1, 1.5, 2 s
    double seconds;
    double swing, pressure;  // largest - smallest after the filling: m, Pa
    double frequency;        // Hz, of the slowest oscillation then
} motion;

static void see_finger(const simulation *s, long k, void *to) {
    motion *m = to;
    td_pose tip = simulation_tip(s);
    m->x[k] = tip.p[0];
    m->z[k] = tip.p[2];
    m->P[k] = td_get_chamber(s->system, s->state, 0).pressure;
    if (k % (FILLED / (SHAPES - 1)) != 0 || k > FILLED) return;
    for (int i = 0; i < SHAPE_POINTS; i++) {
        td_pose at = td_get_pose(s->system, s->state, 0, FINGER_LENGTH * i / (SHAPE_POINTS - 1));
        m->shape[k / (FILLED / (SHAPES - 1))][i][0] = at.p[0];
        m->shape[k / (FILLED / (SHAPES - 1))][i][1] = at.p[2];
    }
}

static double range_after_filling(const double *v) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int k = FILLED; k <= STEPS; k++) {
        low = fmin(low, v[k]);
        high = fmax(high, v[k]);
    }
    return high - low;
}

// Of the oscillation that carries most of the motion: the peak of the spectrum of z after the
// filling, under a window that falls to zero at both ends, found to a hundredth of a hertz.
static double spectral_peak(const double *v) {
    const int n = STEPS - FILLED;
    double mean = 0.0, best = 0.0, at = 0.0;
    for (int k = 0; k < n; k++) mean += v[FILLED + k] / n;
    for (double f = 0.4; f < 25.0; f += 0.01) {
        double re = 0.0, im = 0.0;
        for (int k = 0; k < n; k++) {
            double phase = 6.283185307179586 * k / n, window = 1.0 - cos(phase);
            re += window * (v[FILLED + k] - mean) * cos(f * n * FINGER_STEP * phase);
            im += window * (v[FILLED + k] - mean) * sin(f * n * FINGER_STEP * phase);
        }
        if (re * re + im * im > best) best = re * re + im * im, at = f;
    }
    return at;
}

static bool run(paper_report *r, finger_fluid fluid, const td_options *o, motion *m) {
    simulation s;
    report_progress(r, "%s", fluid_names[fluid]);
    if (!open_finger(r, fluid, o, &s)) return false;
    long done = simulation_run(&s, FINGER_STEP, STEPS, see_finger, m, &m->seconds);
    if (done < STEPS)
        report_failure(r, "%s at %.3g s: %s", fluid_names[fluid], (double)done * FINGER_STEP,
                       td_message(s.state));
    simulation_close(&s);
    m->swing = range_after_filling(m->x);
    m->pressure = range_after_filling(m->P);
    m->frequency = spectral_peak(m->z);
    return done == STEPS;
}

static bool run_both(paper_report *r, const td_options *o, motion m[N_FLUIDS]) {
    return run(r, AIR, o, &m[AIR]) && run(r, WATER, o, &m[WATER]);
}

static void compare_ratio(paper_report *r, const char *how, const motion m[N_FLUIDS],
                          const char *note) {
    char name[80];
    snprintf(name, sizeof name, "swing, air over water, %s", how);
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "",
                                    .printed = 2.0,
                                    .ours = m[AIR].swing / m[WATER].swing,
                                    .note = note});
}

static void compare_speed(paper_report *r, const char *how, const motion m[N_FLUIDS]) {
    static const char *const printed[N_FLUIDS] = {"28", "26-32"};
    for (int i = 0; i < N_FLUIDS; i++) {
        char name[80];
        snprintf(name, sizeof name, "real-time ratio, %s, %s", fluid_names[i], how);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "x",
                                        .printed = NONE,
                                        .printed_text = printed[i],
                                        .ours = FINGER_END / m[i].seconds});
    }
}

static double largest_departure(const motion *m, const finger_reference *ref) {
    double largest = 0.0;
    for (int i = 0; i < REFERENCE_FINGER_SAMPLES; i++) {
        int k = reference_finger_steps[i];
        largest = fmax(largest, hypot(m->x[k] - ref->x[i], m->z[k] - ref->z[i]));
    }
    return largest;
}

static void compare_motion(paper_report *r, const motion m[N_FLUIDS]) {
    for (int i = 0; i < N_FLUIDS; i++) {
        compare(r, i, "swing of the tip after 2 s", "mm", NONE, 1e3 * m[i].swing, NULL);
        compare(r, i, "frequency of the swing", "Hz", NONE, m[i].frequency, NULL);
        compare(r, i, "range of the pressure after 2 s", "Pa", NONE, m[i].pressure,
                i == AIR ? NULL : "print: similar fluctuations in both; not so in ours");
    }
}

// ---------------------------------------------------------------- table and picture
static void write_table(paper_report *r, const motion m[N_FLUIDS]) {
    FILE *out = report_table(r, "figure19.csv");
    if (!out) return;
    fputs("time [s],tip x with air [m],tip z with air [m],pressure of air [Pa],"
          "tip x with water [m],tip z with water [m],pressure of water [Pa]\n",
          out);
    for (int k = 0; k <= STEPS; k++)
        fprintf(out, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", k * FINGER_STEP, m[AIR].x[k],
                m[AIR].z[k], m[AIR].P[k], m[WATER].x[k], m[WATER].z[k], m[WATER].P[k]);
    report_close(r, out, "figure19.csv");
}

static void put_data(FILE *script, const motion m[N_FLUIDS]) {
    fputs("$motion << EOD\n", script);
    for (int k = 0; k <= STEPS; k++)
        fprintf(script, "%.6g %.6g %.6g %.6g %.6g\n", k * FINGER_STEP, 1e3 * m[AIR].x[k],
                1e3 * m[WATER].x[k], 1e-3 * m[AIR].P[k], 1e-3 * m[WATER].P[k]);
    fputs("EOD\n$shapes << EOD\n", script);
    for (int k = 0; k < SHAPES; k++) {
        for (int i = 0; i < SHAPE_POINTS; i++)
            fprintf(script, "%.6g %.6g %g\n", 1e3 * m[AIR].shape[k][i][0],
                    1e3 * m[AIR].shape[k][i][1], 0.5 * k);
        fputs("\n\n", script);
    }
    fputs("EOD\n", script);
}

static void draw(paper_report *r, const motion m[N_FLUIDS]) {
    gnuplot g;
    if (!report_figure(r, &g, "figure19.png", 1600, 900)) return;
    put_data(g.script, m);
    fputs("set multiplot\nset lmargin at screen 0.06\nset rmargin at screen 0.36\n"
          "set tmargin at screen 0.93\nset bmargin at screen 0.1\n"
          "set size ratio -1\nset xrange [-20:100]\nset yrange [-10:125]\nunset key\n"
          "set xlabel 'x (mm)'\nset ylabel 'z (mm)' offset 1\nset title 'filling with air'\n"
          "plot for [k=0:4] $shapes index k using 1:2 with lines lw 12 lc rgb '#d9e6ef', \\\n",
          g.script);
    fprintf(g.script,
            "for [k=0:4] $shapes index k using 1:2 with lines lw 2 lc rgb '%s', \\\n"
            "for [k=0:4] $shapes index k every ::%d using 1:2:(sprintf('%%g s', $3)) with labels "
            "offset 2.5, 0.8\n",
            curve_colour(0), SHAPE_POINTS - 1);
    fputs("set size noratio\nunset title\nset lmargin at screen 0.45\nset rmargin at screen 0.97\n"
          "set tmargin at screen 0.93\nset bmargin at screen 0.54\nset xrange [1.8:4.5]\n"
          "set yrange [78:83]\nset format x ''\nunset xlabel\nset ylabel 'tip x (mm)'\n"
          "set key at graph 1, graph 1.01 right bottom horizontal\n",
          g.script);
    fprintf(g.script,
            "plot $motion using 1:2 with lines lw 1.8 lc rgb '%s' title 'air', \\\n"
            "$motion using 1:3 with lines lw 1.8 lc rgb '%s' title 'water'\n",
            curve_colour(1), curve_colour(0));
    fprintf(g.script,
            "unset key\nset tmargin at screen 0.47\nset bmargin at screen 0.1\nset format x '%%g'\n"
            "set yrange [80:86]\nset xlabel 'time (s)'\nset ylabel 'pressure (kPa)'\n"
            "plot $motion using 1:4 with lines lw 1.8 lc rgb '%s', \\\n"
            "$motion using 1:5 with lines lw 1.8 lc rgb '%s'\n",
            curve_colour(1), curve_colour(0));
    report_figure_end(r, &g, "figure19.png");
}

// ---------------------------------------------------------------- the item
static void compare_methods(paper_report *r, motion m[N_FLUIDS]) {
    td_options rk4 = shooting_options(TD_RK4, TD_LINEAR, 50, ALPHA);
    td_options euler = shooting_options(TD_EULER, TD_LINEAR, 50, ALPHA);
    td_options ours = collocation_options(8, ALPHA);
    if (run_both(r, &euler, m))
        compare_ratio(r, "Euler, 50 points", m, "of first order: another program has 1.52");
    if (run_both(r, &rk4, m)) {
        compare_ratio(r, "RK4, 50 points", m, "the paper does not name its method here");
        for (int i = 0; i < N_FLUIDS; i++)
            compare(r, i, "tip against reference, RK4, 50 points", "m", NONE,
                    largest_departure(&m[i], &reference_fingers[i]), NULL);
        compare_speed(r, "RK4, 50 points", m);
    }
    ours.startup = TD_REST_HISTORY;
    if (!run_both(r, &ours, m)) return;
    compare_ratio(r, "collocation, 8 nodes", m, NULL);
    compare_speed(r, "collocation, 8 nodes", m);
    compare_motion(r, m);
    write_table(r, m);
    draw(r, m);
}

void till2019_finger(paper_report *r) {
    compare_equilibrium(r, AIR);
    compare_equilibrium(r, WATER);
    motion *m = calloc(N_FLUIDS, sizeof *m);
    if (m) {
        compare_methods(r, m);
    } else {
        report_failure(r, "out of memory");
    }
    free(m);
}
