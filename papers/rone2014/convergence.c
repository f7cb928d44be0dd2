// Section 2.2: how many discs? The paper takes those of the prototype. Here the same robot with
// more and more of them, against a Cosserat rod with tendons.
#include <math.h>

#include "cli/figure.h"
#include "continuum.h"
#include "rone2014.h"

typedef struct kind {
    const char *name, *title;
    bool rods_bend;
    double damping;            // of contact forces; 0: virtual work instead
    double errors[N_NUMBERS];  // m, of the tip
} kind;

static const continuum pulled = {.tension = {[R11] = 20.0, [R22] = 10.0}};

static int most_numbers(const paper_report *r) {
    return r->effort == PAPER_QUICK ? N_NUMBERS - 1 : N_NUMBERS;
}

static bool find_errors(paper_report *r, kind *k, const tip *limit) {
    td_error err = {0};
    continuum c = pulled;
    c.rods_bend = k->rods_bend;
    for (int i = 0; i < most_numbers(r); i++) {
        tip found;
        td_options o = disc_options(disc_numbers[i]);
        if (k->damping > 0.0) {
            o.virtual_power.contact = TD_CONTACT_LEAST_SQUARES;
            o.virtual_power.damping = k->damping;
        }
        report_progress(r, "%s, %d discs", k->name, disc_numbers[i]);
        if (!solve_continuum(&c, &o, &found, &err)) {
            report_failure(r, "%s, %d discs: %s", k->name, disc_numbers[i], err.message);
            return false;
        }
        k->errors[i] = tip_distance(&found, limit);
    }
    return true;
}

static void compare(paper_report *r, const kind *k) {
    const int n = most_numbers(r);
    for (int i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s, %d discs: tip off by", k->name, disc_numbers[i]);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "mm",
                                        .printed = (double)NAN,
                                        .ours = 1e3 * k->errors[i]});
    }
    if (k->rods_bend || k->damping > 0.0) return;  // another limit
    char name[64];
    snprintf(name, sizeof name, "%s: order", k->name);
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "",
                                    .printed = (double)NAN,
                                    .ours = order_of(k->errors, n)});
}

static void write_table(paper_report *r, const kind *kinds, int n) {
    FILE *out = report_table(r, "convergence.csv");
    if (!out) return;
    fputs("discs", out);
    for (int k = 0; k < n; k++) fprintf(out, ",\"%s [m]\"", kinds[k].name);
    fputc('\n', out);
    for (int i = 0; i < most_numbers(r); i++) {
        fprintf(out, "%d", disc_numbers[i]);
        for (int k = 0; k < n; k++) fprintf(out, ",%.6g", kinds[k].errors[i]);
        fputc('\n', out);
    }
    report_close(r, out, "convergence.csv");
}

static void draw(paper_report *r, const kind *kinds, int n) {
    gnuplot g;
    if (!report_figure(r, &g, "convergence.png", 1100, 850)) return;
    fputs("$errors << EOD\n", g.script);
    for (int i = 0; i < most_numbers(r); i++) {
        fprintf(g.script, "%d", disc_numbers[i]);
        for (int k = 0; k < n; k++) fprintf(g.script, " %.6g", 1e3 * kinds[k].errors[i]);
        fputc('\n', g.script);
    }
    fputs("EOD\nset logscale xy\nset xrange [3.5:75]\nset xtics (4, 8, 16, 32, 64)\n"
          "set format y '10^{%T}'\nset xlabel 'discs'\n"
          "set ylabel 'distance of the tip from that of the Cosserat rod (mm)'\n"
          "set key bottom left\nplot ",
          g.script);
    for (int k = 0; k < n; k++)
        fprintf(g.script,
                "$errors using 1:%d with linespoints pt 7 ps 1.3 lw 1.6 lc rgb '%s' "
                "title '%s', ",
                k + 2, curve_colour(k), kinds[k].title);
    fprintf(g.script, "%.6g*16/x**2 with lines dt 2 lc rgb '#888888' title 'second order'\n",
            0.6e3 * kinds[0].errors[0]);
    report_figure_end(r, &g, "convergence.png");
}

void rone2014_convergence(paper_report *r) {
    kind kinds[] = {
        {.name = "virtual work", .title = "virtual work of tension"},
        {.name = "rods as arcs",
         .title = "virtual work, rods bend as arcs of their own",
         .rods_bend = true},
        {.name = "contact forces (1e-3)", .title = "contact forces, damping 1e-3", .damping = 1e-3},
        {.name = "contact forces (1e-5)", .title = "contact forces, damping 1e-5", .damping = 1e-5},
    };
    enum { N = sizeof kinds / sizeof kinds[0] };
    td_error err = {0};
    tip limit;
    if (!solve_rod(&pulled, &limit, &err)) {
        report_failure(r, "the Cosserat rod: %s", err.message);
        return;
    }
    report_compare(r, &(comparison){.quantity = "tip of the Cosserat rod, x",
                                    .unit = "mm",
                                    .printed = (double)NAN,
                                    .ours = 1e3 * limit.p[0]});
    for (int k = 0; k < N; k++) {
        if (!find_errors(r, &kinds[k], &limit)) return;
        compare(r, &kinds[k]);
    }
    write_table(r, kinds, N);
    draw(r, kinds, N);
    report_remark(
        r, "There is nothing printed. With the virtual work of tension the discs converge to "
           "the Cosserat rod, in second order. Rods that bend as arcs of their own are "
           "shorter inside the bend, and stiffer, which a Cosserat rod leaves out. Contact "
           "forces have another limit where the curvature varies along a rod: its "
           "equilibrium as a whole, six equations, does not say how they are spread over "
           "the discs, and the smallest forces are not those of a tension along a curve.");
}
