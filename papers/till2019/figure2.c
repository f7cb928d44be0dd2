// Figure 2: the time constant of numerical damping against the time step, for the Cosserat rod with
// RK4 over 10 s, beside what the time formula does to one oscillation.
#include <math.h>

#include "cli/figure.h"
#include "damping.h"
#include "schemes.h"
#include "till2019.h"

#define NONE ((double)NAN)
#define HORIZON 10.0  // s

// Even on a logarithmic axis.
static const double quick_steps[] = {5e-3, 10e-3};
static const double steps[] = {2.5e-3, 4e-3, 6.3e-3, 10e-3, 16e-3, 25e-3, 40e-3, 63e-3};
static const double full_steps[] = {1e-3,  1.3e-3, 1.6e-3, 2e-3,  2.5e-3, 3.2e-3, 4e-3,
                                    5e-3,  6.3e-3, 8e-3,   10e-3, 13e-3,  16e-3,  20e-3,
                                    25e-3, 32e-3,  36e-3,  40e-3, 50e-3,  63e-3};
enum { MOST_STEPS = sizeof full_steps / sizeof full_steps[0] };

static const int drawn[] = {BACKWARD_EULER, BDF2, ALPHA_20, ALPHA_48, BDF3};
enum { N_DRAWN = sizeof drawn / sizeof drawn[0] };

typedef struct sweep {
    paper_report *report;
    const double *steps;
    int n;
    double omega;                        // of the first mode, rad/s
    double linear[N_DRAWN][MOST_STEPS];  // s; NAN: unstable, or no solution
    double cubic[N_DRAWN][MOST_STEPS], theory[N_DRAWN][MOST_STEPS];
} sweep;

static sweep plan(paper_report *r) {
    const cantilever rod = till_benchmark();
    sweep s = {.report = r, .omega = first_frequency(&rod)};
    switch (r->effort) {
    case PAPER_QUICK: s.steps = quick_steps, s.n = 2; break;
    case PAPER_DEFAULT: s.steps = steps, s.n = sizeof steps / sizeof steps[0]; break;
    case PAPER_FULL: s.steps = full_steps, s.n = MOST_STEPS; break;
    }
    return s;
}

// A quick run measures what its Tables 3 and 4 do, over the same 10 s: the fit depends on them.
static bool is_measured(const sweep *s, int scheme, td_history history) {
    if (s->report->effort != PAPER_QUICK) return true;
    return history == TD_CUBIC && (scheme == BDF2 || scheme == ALPHA_48);
}

// NAN where the scheme makes the energy grow, and where plain Newton does not find the way: at
// steps so small the run would take minutes.
static double measure(const sweep *s, int scheme, td_history history, double dt) {
    method m = printed_method(TD_COSSERAT, TD_RK4, scheme);
    m.history = history;
    const decay_limits limits = {.most_energy = 1.2, .plain_newton = true};
    decay d;
    if (!is_measured(s, scheme, history)) return NONE;
    if (!decay_run(&d, &m, dt, HORIZON, &limits)) report_failure(s->report, "%s", d.message);
    double tau = d.completed ? fitted_time_constant(d.energy, d.n, dt) : NONE;
    decay_free(&d);
    return tau > 0.0 ? tau : NONE;
}

static void compute(sweep *s) {
    for (int k = 0; k < N_DRAWN; k++) {
        const time_scheme *scheme = &time_schemes[drawn[k]];
        for (int i = 0; i < s->n; i++) {
            double dt = s->steps[i];
            report_progress(s->report, "%s, %g ms", scheme->name, 1e3 * dt);
            double theory = single_mode_time_constant(scheme->scheme, scheme->alpha, s->omega, dt);
            s->theory[k][i] = theory > 0.0 ? theory : NONE;
            bool worthwhile = theory > 0.0;  // BDF3 below its limit only grows
            s->linear[k][i] = worthwhile ? measure(s, drawn[k], TD_LINEAR, dt) : NONE;
            s->cubic[k][i] = worthwhile ? measure(s, drawn[k], TD_CUBIC, dt) : NONE;
        }
    }
}

// ---------------------------------------------------------------- in words
// Compared are steps up to 10 ms. At larger ones most of the energy is gone after a few steps, and
// what the fit sees is the start, not the decay that the theory speaks of.
static bool is_compared(const sweep *s, const double *tau, int i) {
    return isfinite(tau[i]) && s->steps[i] < 1.05e-2;
}

// d ln tau/d ln dt
static double slope(const sweep *s, const double *tau) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < s->n; i++) {
        if (!is_compared(s, tau, i)) continue;
        double lx = log(s->steps[i]), ly = log(tau[i]);
        n++, x += lx, y += ly, xx += lx * lx, xy += lx * ly;
    }
    return n < 2 ? NONE : (n * xy - x * y) / (n * xx - x * x);
}

static double largest_difference(const sweep *s, const double *tau, const double *theory) {
    double largest = NONE;
    for (int i = 0; i < s->n; i++) {
        double d = fabs(tau[i] / theory[i] - 1.0);
        if (is_compared(s, tau, i) && !(d <= largest)) largest = d;
    }
    return largest;
}

static void compare(const sweep *s) {
    for (int k = 0; k < N_DRAWN; k++) {
        char name[80], note[200];
        const char *scheme = time_schemes[drawn[k]].name;
        double linear = largest_difference(s, s->linear[k], s->theory[k]);
        double cubic = largest_difference(s, s->cubic[k], s->theory[k]);
        if (!isfinite(cubic)) continue;
        snprintf(name, sizeof name, "power of the step, %s", scheme);
        snprintf(note, sizeof note, "theory %.3f", slope(s, s->theory[k]));
        report_compare(s->report, &(comparison){.quantity = name,
                                                .unit = "",
                                                .printed = NONE,
                                                .ours = slope(s, s->cubic[k]),
                                                .note = note});
        snprintf(name, sizeof name, "largest distance from theory, %s", scheme);
        if (isfinite(linear)) snprintf(note, sizeof note, "linear %.3g %%", 100.0 * linear);
        report_compare(s->report, &(comparison){.quantity = name,
                                                .unit = "%",
                                                .printed = NONE,
                                                .ours = 100.0 * cubic,
                                                .note = isfinite(linear) ? note : NULL});
    }
}

// ---------------------------------------------------------------- table and picture
static void put(FILE *out, const char *before, double value) {
    if (isfinite(value)) {
        fprintf(out, "%s%.9g", before, value);
    } else {
        fprintf(out, "%s%s", before, before[0] == ',' ? "" : "NaN");
    }
}

static void write_table(const sweep *s) {
    FILE *out = report_table(s->report, "figure2.csv");
    if (!out) return;
    fputs("scheme,step [s],time constant [s],time constant with cubic history [s],"
          "time constant of one mode in theory [s]\n",
          out);
    for (int k = 0; k < N_DRAWN; k++) {
        for (int i = 0; i < s->n; i++) {
            fprintf(out, "%s,%g", time_schemes[drawn[k]].name, s->steps[i]);
            put(out, ",", s->linear[k][i]);
            put(out, ",", s->cubic[k][i]);
            put(out, ",", s->theory[k][i]);
            fputc('\n', out);
        }
    }
    report_close(s->report, out, "figure2.csv");
}

static void put_points(FILE *script, const sweep *s) {
    for (int k = 0; k < N_DRAWN; k++) {
        fprintf(script, "$points%d << EOD\n", k);
        for (int i = 0; i < s->n; i++) {
            fprintf(script, "%g", 1e3 * s->steps[i]);
            put(script, " ", s->linear[k][i]);
            put(script, " ", s->cubic[k][i]);
            fputc('\n', script);
        }
        fputs("EOD\n", script);
    }
}

static void put_curves(FILE *script, const sweep *s, double from, double to) {
    enum { N = 200 };
    for (int k = 0; k < N_DRAWN; k++) {
        const time_scheme *scheme = &time_schemes[drawn[k]];
        fprintf(script, "$curve%d << EOD\n", k);
        for (int i = 0; i <= N; i++) {
            double dt = from * pow(to / from, (double)i / N);
            double tau = single_mode_time_constant(scheme->scheme, scheme->alpha, s->omega, dt);
            if (tau > 0.0 && isfinite(tau)) fprintf(script, "%.9g %.9g\n", 1e3 * dt, tau);
        }
        fputs("EOD\n", script);
    }
}

static void draw(const sweep *s) {
    static const char *const names[N_DRAWN] = {"backward Euler", "BDF2", "{/Symbol a} = -0.2",
                                               "{/Symbol a} = -0.48", "BDF3"};
    double from = 0.8 * s->steps[0], to = 1.25 * s->steps[s->n - 1];
    gnuplot g;
    if (!report_figure(s->report, &g, "figure2.png", 1400, 1000)) return;
    put_points(g.script, s);
    put_curves(g.script, s, from, to);
    fprintf(g.script,
            "set logscale xy\nset xrange [%g:%g]\nset yrange [2e-2:4e3]\n"
            "set format y '10^{%%T}'\nset xtics (1, 2, 5, 10, 20, 50, 100)\n"
            "set xlabel 'time step (ms)'\nset ylabel 'damping time constant (s)'\n"
            "set key at graph 0.99, graph 0.99 right top\nplot ",
            1e3 * from, 1e3 * to);
    for (int k = 0; k < N_DRAWN; k++)
        fprintf(g.script, "$curve%d with lines lw 1.2 lc rgb '%s' notitle, \\\n", k,
                curve_colour(k));
    for (int k = 0; k < N_DRAWN; k++)
        fprintf(g.script,
                "$points%d using 1:3 with points pt 7 ps 1.3 lc rgb '%s' title '%s', \\\n"
                "$points%d using 1:2 with points pt 6 ps 2.2 lw 0.8 lc rgb '%s' notitle, \\\n",
                k, curve_colour(k), names[k], k, curve_colour(k));
    fputs(
        "NaN with points pt 7 ps 1.3 lc rgb '#555555' title 'cubic history', \\\n"
        "NaN with points pt 6 ps 2.2 lw 0.8 lc rgb '#555555' title 'linear history (as printed)', "
        "\\\nNaN with lines lw 1.2 lc rgb '#555555' title 'theory of one mode'\n",
        g.script);
    report_figure_end(s->report, &g, "figure2.png");
}

void till2019_figure2(paper_report *r) {
    sweep s = plan(r);
    compute(&s);
    compare(&s);
    write_table(&s);
    draw(&s);
}
