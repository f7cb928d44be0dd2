// Table 5 and Figure 5: the rod of section 4.1, released from a weight of 20 g.
//
// The measured motion is not printed, so the parameters cannot be fitted anew. But all four columns
// were fitted to one measurement: simulated with its own parameters each must give the same peaks
// and frequency, and the drag that Euler's method needs must follow from that of RK4. The time step
// of the fit is not printed either, and the last peak depends on it, so several are shown.
#include <math.h>

#include "experiments.h"
#include "till2019.h"
#include "math/pi.h"

#define NONE ((double)NAN)

static const double steps[] = {5e-3, 2e-3, 8e-3};
enum { N_STEPS = sizeof steps / sizeof steps[0], SHOWN = 0, MOST_PEAKS = 64 };

typedef struct fit {  // the four columns at one time step
    paper_report *report;
    double step;
    tip_path paths[N_COLUMNS];
} fit;

typedef struct response {                        // what the fit of section 4.1 looked at
    double first_peak, first_valley, last_peak;  // m
    double last_time;                            // s, of the last peak
    double frequency;                            // Hz
} response;

static double horizon_of(const paper_report *r) {
    return r->effort == PAPER_QUICK ? 0.5 : 3.0;
}

static response response_of(const tip_path *p) {
    extreme peaks[MOST_PEAKS], valleys[MOST_PEAKS];
    int n = find_extremes(p, 1, peaks, MOST_PEAKS), k = find_extremes(p, -1, valleys, MOST_PEAKS);
    response out = {NONE, NONE, NONE, NONE, NONE};
    if (n < 2 || k < 1) return out;
    out.first_peak = peaks[0].x;
    out.first_valley = valleys[0].x;
    out.last_peak = peaks[n - 1].x;
    out.last_time = peaks[n - 1].t;
    out.frequency = (n - 1) / (peaks[n - 1].t - peaks[0].t);
    return out;
}

static bool run_column(const fit *f, const column *c, td_history history, tip_path *p) {
    cantilever rod = till_weight_release(c->bending, c->density, c->drag);
    method m = column_method(c);
    m.history = history;
    report_progress(f->report, "%g ms, %s, C = %g g/m^2", 1e3 * f->step, c->name, 1e3 * c->drag);
    if (tip_path_run(p, &rod, &m, f->step, horizon_of(f->report)) && p->completed) return true;
    report_failure(f->report, "%s: %s", c->name, p->message);
    return false;
}

static void fit_free(fit *f) {
    for (int i = 0; i < N_COLUMNS; i++) tip_path_free(&f->paths[i]);
}

static bool fit_run(fit *f, paper_report *r, double step) {
    *f = (fit){.report = r, .step = step};
    for (int i = 0; i < N_COLUMNS; i++) {
        if (run_column(f, &table5[i], TD_LINEAR, &f->paths[i])) continue;
        fit_free(f);
        return false;
    }
    return true;
}

// ---------------------------------------------------------------- the drag Euler needs
static double last_peak_with(const fit *f, column c, double drag, td_history history) {
    c.drag = drag;
    tip_path p;
    double peak = run_column(f, &c, history, &p) ? response_of(&p).last_peak : NONE;
    tip_path_free(&p);
    return peak;
}

// Secant: the last peak is nearly linear in the drag.
static double matching_drag(const fit *f, const column *c, double goal) {
    double a = 1.8e-3, b = 2.2e-3;
    double fa = last_peak_with(f, *c, a, TD_LINEAR) - goal;
    double fb = last_peak_with(f, *c, b, TD_LINEAR) - goal;
    for (int i = 0; i < 6 && fabs(b - a) > 1e-7; i++) {
        double next = b - fb * (b - a) / (fb - fa);
        if (!isfinite(next)) return NONE;
        a = b, fa = fb;
        b = next;
        fb = last_peak_with(f, *c, b, TD_LINEAR) - goal;
    }
    return b;
}

// With which drag is the last peak of Euler's method that of RK4 with its own?
static void compare_drag(const fit *f, int euler, int rk4) {
    const column *e = &table5[euler], *k = &table5[rk4];
    const char *theory = e->theory == TD_COSSERAT ? "Cosserat" : "Kirchhoff";
    char name[80];
    snprintf(name, sizeof name, "C of %s, Euler, at %g ms", theory, 1e3 * f->step);
    double goal = response_of(&f->paths[rk4]).last_peak;
    report_compare(f->report, &(comparison){.quantity = name,
                                            .unit = "g/m2",
                                            .printed = 1e3 * e->drag,
                                            .ours = 1e3 * matching_drag(f, e, goal),
                                            .note = "C of RK4 2.12"});
    snprintf(name, sizeof name, "C of %s, Euler, at %g ms, RK4 cubic", theory, 1e3 * f->step);
    goal = last_peak_with(f, *k, k->drag, TD_CUBIC);
    report_compare(f->report, &(comparison){.quantity = name,
                                            .unit = "g/m2",
                                            .printed = NONE,
                                            .ours = 1e3 * matching_drag(f, e, goal),
                                            .note = "C of RK4 2.12"});
}

// ---------------------------------------------------------------- in words
static void compare_column(paper_report *r, const column *c, const response *s) {
    char name[80], note[80];
    cantilever rod = till_weight_release(c->bending, c->density, c->drag);
    snprintf(name, sizeof name, "first peak, %s", c->name);
    report_compare(
        r, &(comparison){
               .quantity = name, .unit = "mm", .printed = NONE, .ours = 1e3 * s->first_peak});
    snprintf(name, sizeof name, "first valley, %s", c->name);
    report_compare(
        r, &(comparison){
               .quantity = name, .unit = "mm", .printed = NONE, .ours = 1e3 * s->first_valley});
    snprintf(name, sizeof name, "last peak, %s", c->name);
    snprintf(note, sizeof note, "at %.4g s", s->last_time);
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "mm",
                                    .printed = NONE,
                                    .ours = 1e3 * s->last_peak,
                                    .note = note});
    snprintf(name, sizeof name, "frequency, %s", c->name);
    snprintf(note, sizeof note, "theory %.4g Hz", first_frequency(&rod) / (2.0 * PI));
    report_compare(
        r,
        &(comparison){
            .quantity = name, .unit = "Hz", .printed = NONE, .ours = s->frequency, .note = note});
}

// (largest - smallest)/smallest of one number over the columns, %.
static double spread(const double values[N_COLUMNS]) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < N_COLUMNS; i++) {
        low = fmin(low, fabs(values[i]));
        high = fmax(high, fabs(values[i]));
    }
    return 100.0 * (high - low) / low;
}

static void compare_spread(const fit *f) {
    double peaks[N_COLUMNS], frequencies[N_COLUMNS];
    for (int i = 0; i < N_COLUMNS; i++) {
        response s = response_of(&f->paths[i]);
        peaks[i] = s.last_peak;
        frequencies[i] = s.frequency;
    }
    char name[80];
    snprintf(name, sizeof name, "last peak, spread of columns, at %g ms", 1e3 * f->step);
    report_compare(f->report, &(comparison){.quantity = name,
                                            .unit = "%",
                                            .printed = NONE,
                                            .ours = spread(peaks),
                                            .note = "should be 0"});
    snprintf(name, sizeof name, "frequency, spread of columns, at %g ms", 1e3 * f->step);
    report_compare(
        f->report,
        &(comparison){.quantity = name, .unit = "%", .printed = NONE, .ours = spread(frequencies)});
}

static void compare_stiffness(paper_report *r) {
    double radius = 0.71e-3;
    report_compare(r, &(comparison){.quantity = "EI of 1.42 mm steel at 200 GPa",
                                    .unit = "N m2",
                                    .printed = 0.03992,
                                    .ours = 200e9 * PI * pow(radius, 4.0) / 4.0,
                                    .note = "the fit gave 0.0380"});
}

// ---------------------------------------------------------------- table and picture
static void draw(paper_report *r, const tip_path p[N_COLUMNS]) {
    gnuplot g;
    if (!report_figure(r, &g, "figure5.png", 1400, 1000)) return;
    draw_tip_paths(g.script, &p[COSSERAT_RK4], &p[KIRCHHOFF_RK4]);
    report_figure_end(r, &g, "figure5.png");
}

static void show(paper_report *r, const fit *f) {
    for (int i = 0; i < N_COLUMNS; i++) {
        response s = response_of(&f->paths[i]);
        compare_column(r, &table5[i], &s);
    }
    compare_stiffness(r);
    write_tip_paths(r, "figure5.csv", f->paths);
    draw(r, f->paths);
}

void till2019_weight_release(paper_report *r) {
    for (int i = 0; i < N_STEPS; i++) {
        fit f;
        if (r->effort == PAPER_QUICK && i != SHOWN) continue;
        if (!fit_run(&f, r, steps[i])) return;
        if (i == SHOWN) show(r, &f);
        compare_spread(&f);
        if (r->effort != PAPER_QUICK) {
            compare_drag(&f, COSSERAT_EULER, COSSERAT_RK4);
            compare_drag(&f, KIRCHHOFF_EULER, KIRCHHOFF_RK4);
        }
        fit_free(&f);
    }
}
