// Figures 5 and 6: what it costs to make a model and to run it. The paper derives its equations
// symbolically, for hours where links are many; here nothing is derived, and making a model is
// measured with its memory. The pressures lead the tip round in a circle; no recording is needed.
#include <math.h>
#include <string.h>

#include "cli/figure.h"
#include "cli/terminal.h"
#include "follow.h"
#include "lineup.h"
#include "sadati2019.h"
#include "math/pi.h"

#define STEP 5e-3      // s
#define PERIOD 3.0     // s
#define PRESSURE 50e3  // Pa
enum { ROWS = 64, MOST = 16, EQUILIBRIA = 24 };

typedef struct row {
    const contender *who;
    int n;
    double make, memory;         // s, bytes
    double motion, equilibrium;  // s of processor time, for a second of motion and for one
} row;

static sample circle(double t) {
    sample s = {.time = t};
    for (int k = 0; k < PAIRS; k++)
        s.pressure[k] = 0.5 * PRESSURE * (1.0 - cos(2.0 * PI * (t / PERIOD - k / 3.0)));
    return s;
}

static bool time_making(row *out, const variant *how, td_error *err) {
    enum { TIMES = 5 };
    out->make = HUGE_VAL;
    for (int i = 0; i < TIMES; i++) {
        module m;
        const double start = processor_time();
        if (!module_open(&m, how, err)) return false;
        out->make = fmin(out->make, processor_time() - start);
        out->memory = (double)td_state_bytes(m.system);
        module_close(&m);
    }
    return true;
}

static bool time_equilibria(row *out, const variant *how, td_error *err) {
    module m;
    if (!module_open(&m, how, err)) return false;
    bool fine = true;
    const double start = processor_time();
    for (int i = 0; i < EQUILIBRIA && fine; i++) {
        const sample s = circle(PERIOD * i / EQUILIBRIA);
        fine = module_settle(&m, &s, err);
    }
    out->equilibrium = (processor_time() - start) / EQUILIBRIA;
    module_close(&m);
    return fine;
}

static bool time_motion(row *out, const variant *how, double end, td_error *err) {
    module m;
    if (!module_open(&m, how, err)) return false;
    const int steps = (int)lround(end / STEP);
    bool fine = true;
    const double start = processor_time();
    for (int i = 1; i <= steps && fine; i++) {
        const sample s = circle(i * STEP);
        fine = module_move(&m, &s, STEP, err);
    }
    out->motion = (processor_time() - start) / end;
    module_close(&m);
    return fine;
}

static bool measure(paper_report *r, row *out) {
    td_error err = {0};
    const variant how = corrected_variant(out->who, out->n, false);
    const double end = r->effort == PAPER_QUICK ? 0.5 : PERIOD;
    report_progress(r, "%s, n = %d", how.model, how.n);
    if (time_making(out, &how, &err) && time_equilibria(out, &how, &err) &&
        time_motion(out, &how, end, &err))
        return true;
    report_failure(r, "%s, n = %d: %s", how.model, how.n, err.message);
    return false;
}

static void compare(paper_report *r, const row *c) {
    char quantity[96], note[96];
    snprintf(quantity, sizeof quantity, "%s, n = %d: processor time for 1 s", c->who->model, c->n);
    snprintf(note, sizeof note, "%.0f times real time; made in %.2g ms, %.0f kB", 1.0 / c->motion,
             1e3 * c->make, c->memory / 1024.0);
    const char *printed = !strcmp(c->who->model, "rom") ? "> 1" : "< 1";
    report_compare(r, &(comparison){.quantity = quantity,
                                    .unit = "s",
                                    .printed = (double)NAN,
                                    .printed_text = c->who->printed ? printed : NULL,
                                    .ours = c->motion,
                                    .note = note});
}

// ---------------------------------------------------------------- what the text says
static const row *row_of(const row *rows, int n, const char *model, int size) {
    for (int i = 0; i < n; i++)
        if (!strcmp(rows[i].who->model, model) && rows[i].n == size) return &rows[i];
    return NULL;
}

// "EBR and EBA have the best simulation time"; "ROM has the highest CPU time demand"; the number of
// links "affects the EBA model CPU usage the least".
static void report_rankings(paper_report *r, const row *rows, int n) {
    static const char *const models[] = {"eba", "ebr", "srl", "rom"};
    const row *one[4], *three[4];
    for (int i = 0; i < 4; i++) {
        one[i] = row_of(rows, n, models[i], 1), three[i] = row_of(rows, n, models[i], 3);
        if (!one[i] || !three[i]) return;
    }
    char times[160], growth[160];
    int used = 0, grown = 0;
    bool best = true, worst = true, least = true;
    for (int i = 0; i < 4; i++) {
        const double factor = three[i]->motion / one[i]->motion;
        used += snprintf(times + used, sizeof times - used, "%s%s %.1f", i ? ", " : "", models[i],
                         1e3 * three[i]->motion);
        grown += snprintf(growth + grown, sizeof growth - grown, "%s%s %.1f", i ? ", " : "",
                          models[i], factor);
        best = best && (i < 2 || fmax(three[0]->motion, three[1]->motion) < three[i]->motion);
        worst = worst && three[i]->motion <= three[3]->motion;
        least = least && three[0]->motion / one[0]->motion <= factor;
    }
    snprintf(times + used, sizeof times - used, " ms for 1 s, n = 3");
    snprintf(growth + grown, sizeof growth - grown, " times as long with n = 3 as with n = 1");
    report_claim(r, "eba and ebr are the fastest", best, times);
    report_claim(r, "rom is the slowest", worst, times);
    report_claim(r, "more segments cost eba the least", least, growth);
}

// ---------------------------------------------------------------- table and picture
static void write_table(paper_report *r, const row *rows, int n) {
    FILE *out = report_table(r, "cost.csv");
    if (!out) return;
    fputs(
        "model,n,states,made in [s],memory [bytes],for 1 s of motion [s],for an equilibrium [s]\n",
        out);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s,%d,%d,%.4g,%.0f,%.4g,%.4g\n", rows[i].who->model, rows[i].n,
                contender_states(rows[i].who, rows[i].n, false), rows[i].make, rows[i].memory,
                rows[i].motion, rows[i].equilibrium);
    report_close(r, out, "cost.csv");
}

static void put_data(FILE *script, const row *rows, int n) {
    for (int i = 0; i < n; i++) {
        const row *c = &rows[i];
        if (i == 0 || rows[i - 1].who != c->who) fprintf(script, "$%s << EOD\n", c->who->model);
        fprintf(script, "%d %.5g %.5g %.5g\n", contender_states(c->who, c->n, false), 1e3 * c->make,
                1e3 * c->motion, 1e3 * c->equilibrium);
        if (i == n - 1 || rows[i + 1].who != c->who) fputs("EOD\n", script);
    }
}

static void draw(paper_report *r, const row *rows, int n) {
    static const char *const titles[] = {"making the model", "1 s of motion, steps of 5 ms",
                                         "an equilibrium"};
    gnuplot g;
    if (!report_figure(r, &g, "cost.png", 1900, 720)) return;
    put_data(g.script, rows, n);
    fputs(
        "set multiplot layout 1,3\nset logscale xy\nset xrange [5:150]\nset xlabel 'coordinates'\n",
        g.script);
    for (int k = 0; k < 3; k++) {
        int curves = 0;
        fprintf(g.script,
                "set title '%s'\nset ylabel 'processor time (ms)'\nset yrange [%s]\n"
                "set key %s\nplot ",
                titles[k], k == 0 ? "0.01:1" : "*:*", k == 0 ? "top left" : "bottom right");
        for (int i = 0; i < n; i++) {
            if (i > 0 && rows[i - 1].who == rows[i].who) continue;
            fprintf(g.script,
                    "%s$%s using 1:%d with linespoints lw 1.6 pt 7 ps 1.1 lc rgb '%s' title '%s'",
                    curves ? ", " : "", rows[i].who->model, k + 2, curve_colour(curves),
                    rows[i].who->model);
            curves++;
        }
        fputs("\n", g.script);
    }
    fputs("unset multiplot\n", g.script);
    report_figure_end(r, &g, "cost.png");
}

void sadati2019_cost(paper_report *r) {
    const contender *list[MOST];
    const int n = contenders(list);
    row rows[ROWS];
    int done = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < contender_sizes(list[i]) && done < ROWS; k++) {
            const int size = list[i]->sizes[k];
            if (r->effort == PAPER_QUICK && size != list[i]->paper_size) continue;
            rows[done] = (row){.who = list[i], .n = size};
            if (!measure(r, &rows[done])) return;
            if (size == list[i]->paper_size) compare(r, &rows[done]);
            done++;
        }
    }
    report_rankings(r, rows, done);
    write_table(r, rows, done);
    draw(r, rows, done);
    report_remark(r, "Printed: MATLAB, ode15s, with equations that take up to hours to derive and "
                     "optimise. Here: fixed steps of 5 ms on one core, and nothing to derive.");
}
