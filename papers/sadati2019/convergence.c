// Section 2: how the discretisations converge, on an equilibrium of the module under pressures and a
// load at the tip, against a Cosserat rod.
#include <math.h>
#include <string.h>

#include "cli/figure.h"
#include "follow.h"
#include "lineup.h"
#include "sadati2019.h"

enum { SIZES = 6, CURVES = 16 };
static const int segments[SIZES] = {1, 2, 4, 8, 16, 32}, orders[SIZES] = {1, 2, 3, 4, 5, 6};
static const sample loaded = {
    .pressure = {80e3, 16e3, 0.0}, .force = {0.1, 0.15, -0.2}, .moment = {1e-3, 0.0, 5e-4}};

typedef struct curve {
    const contender *who;
    bool as_printed;
    int n;
    const int *sizes;
    double errors[SIZES];  // of the length with the sensor
} curve;

static bool tip_of(const variant *how, double p[3], td_error *err) {
    module m;
    if (!module_open(&m, how, err)) return false;
    bool fine = module_settle(&m, &loaded, err);
    if (fine) module_tip(&m, p);
    module_close(&m);
    return fine;
}

static bool find_errors(paper_report *r, curve *c, const double truth[3]) {
    td_error err = {0};
    const bool rom = !strcmp(c->who->model, "rom");
    c->n = r->effort == PAPER_QUICK ? SIZES - 1 : SIZES;
    c->sizes = rom ? orders : segments;
    for (int i = 0; i < c->n; i++) {
        double p[3];
        variant how = corrected_variant(c->who, c->sizes[i], false);
        how.as_printed = c->as_printed;
        report_progress(r, "%s, n = %d", how.model, how.n);
        if (!tip_of(&how, p, &err)) {
            report_failure(r, "%s, n = %d: %s", how.model, how.n, err.message);
            return false;
        }
        c->errors[i] = tip_apart(p, truth) / REACH;
    }
    return true;
}

static const char *manner(bool as_printed) {
    return as_printed ? "as printed" : "corrected";
}

static void compare(paper_report *r, const curve *c) {
    char quantity[96];
    const int last = c->n - 1;
    for (int i = 1; i < c->n; i += 2) {
        snprintf(quantity, sizeof quantity, "%s, %s, n = %d: tip off by", c->who->model,
                 manner(c->as_printed), c->sizes[i]);
        report_compare(r, &(comparison){.quantity = quantity,
                                        .unit = "%",
                                        .printed = (double)NAN,
                                        .ours = 100.0 * c->errors[i]});
    }
    if (c->sizes == orders) return;  // not a power of n
    const double ratio = c->errors[last - 1] / c->errors[last];
    snprintf(quantity, sizeof quantity, "%s, %s: order", c->who->model, manner(c->as_printed));
    report_compare(
        r, &(comparison){
               .quantity = quantity, .unit = "", .printed = (double)NAN, .ours = log2(ratio)});
}

// ---------------------------------------------------------------- table and picture
static void write_table(paper_report *r, const curve *all, int n) {
    FILE *out = report_table(r, "convergence.csv");
    if (!out) return;
    fputs("model,as printed,n,states,tip off by [1]\n", out);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < all[k].n; i++)
            fprintf(
                out, "%s,%d,%d,%d,%.9g\n", all[k].who->model, all[k].as_printed, all[k].sizes[i],
                contender_states(all[k].who, all[k].sizes[i], all[k].as_printed), all[k].errors[i]);
    report_close(r, out, "convergence.csv");
}

static void draw(paper_report *r, const curve *all, int n) {
    gnuplot g;
    if (!report_figure(r, &g, "convergence.png", 1250, 900)) return;
    for (int k = 0; k < n; k++) {
        fprintf(g.script, "$curve%d << EOD\n", k);
        for (int i = 0; i < all[k].n; i++)
            fprintf(g.script, "%d %.9g\n",
                    contender_states(all[k].who, all[k].sizes[i], all[k].as_printed),
                    100.0 * all[k].errors[i]);
        fputs("EOD\n", g.script);
    }
    fputs("set logscale xy\nset xrange [5:230]\nset format y '10^{%T}'\nset xlabel 'coordinates'\n"
          "set ylabel 'tip off by (% of 64.5 mm)'\nset key outside right\nplot ",
          g.script);
    for (int k = 0; k < n; k++)
        fprintf(g.script,
                "%s$curve%d using 1:2 with linespoints lw %g pt %d ps 1.1 dt %d lc rgb '%s' "
                "title '%s, %s'",
                k ? ", " : "", k, k < 2 ? 3.0 : 1.5, all[k].as_printed ? 6 : 7,
                all[k].as_printed ? 2 : 1, curve_colour(k / 2), all[k].who->model,
                manner(all[k].as_printed));
    fputs("\n", g.script);
    report_figure_end(r, &g, "convergence.png");
}

void sadati2019_convergence(paper_report *r) {
    const contender *list[CURVES], exact = {.model = "cosserat"};
    const variant rod = corrected_variant(&exact, 24, false);
    const int n = contenders(list);
    curve all[CURVES];
    int done = 0;
    double truth[3];
    td_error err = {0};
    if (!tip_of(&rod, truth, &err)) {
        report_failure(r, "cosserat: %s", err.message);
        return;
    }
    for (int i = 0; i < n && done + 1 < CURVES; i++)
        for (int k = 0; k < 2 && list[i]->printed; k++) {
            all[done] = (curve){.who = list[i], .as_printed = k == 0};
            if (!find_errors(r, &all[done], truth)) return;
            compare(r, &all[done++]);
        }
    write_table(r, all, done);
    draw(r, all, done);
    report_remark(
        r, "As printed the strain is measured in the near frame and the rotation applied at the "
           "far end: first order. Half way between the two: second, at the same cost. Euler "
           "angles (srl) stay of first order out of the plane.");
}
