// Figure 6: the rod of section 4.2, hit near its base. Only parameters are printed; the response is
// compared between the theories, which the paper finds similar.
#include <math.h>

#include "experiments.h"
#include "till2019.h"

#define NONE ((double)NAN)
#define STEP 2e-3

static bool run_column(paper_report *r, const column *c, double horizon, tip_path *p) {
    cantilever rod = till_impulse(c->bending, c->density, c->drag);
    method m = column_method(c);
    report_progress(r, "%s", c->name);
    if (tip_path_run(p, &rod, &m, STEP, horizon) && p->completed) return true;
    report_failure(r, "%s: %s", c->name, p->message);
    return false;
}

static void compare_column(paper_report *r, const column *c, const tip_path *p) {
    long high = 0, low = 0;
    for (long k = 1; k <= p->n; k++) {
        if (p->x[k] > p->x[high]) high = k;
        if (p->x[k] < p->x[low]) low = k;
    }
    char name[80], note[80];
    snprintf(name, sizeof name, "highest tip, %s", c->name);
    snprintf(note, sizeof note, "at %.4g s", (double)high * p->dt);
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "mm",
                                    .printed = NONE,
                                    .ours = 1e3 * p->x[high],
                                    .note = note});
    snprintf(name, sizeof name, "lowest tip, %s", c->name);
    snprintf(note, sizeof note, "at %.4g s", (double)low * p->dt);
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "mm",
                                    .printed = NONE,
                                    .ours = 1e3 * p->x[low],
                                    .note = note});
}

static void compare(paper_report *r, const tip_path p[N_COLUMNS]) {
    const double length = till_impulse(1.0, 1.0, 0.0).length;
    report_compare(
        r, &(comparison){.quantity = "Kirchhoff against Cosserat, RK4, of L",
                         .unit = "%",
                         .printed = NONE,
                         .printed_text = "similar",
                         .ours =
                             path_difference(&p[COSSERAT_RK4], &p[KIRCHHOFF_RK4], length).largest});
    report_compare(
        r, &(comparison){
               .quantity = "Euler against RK4, Cosserat, of L",
               .unit = "%",
               .printed = NONE,
               .ours = path_difference(&p[COSSERAT_RK4], &p[COSSERAT_EULER], length).largest});
}

void till2019_impulse(paper_report *r) {
    const double horizon = r->effort == PAPER_QUICK ? 0.2 : 1.0;
    tip_path p[N_COLUMNS] = {0};
    bool fine = true;
    for (int i = 0; i < N_COLUMNS && fine; i++) {
        fine = run_column(r, &table5[i], horizon, &p[i]);
        if (fine) compare_column(r, &table5[i], &p[i]);
    }
    if (fine) {
        compare(r, p);
        write_tip_paths(r, "figure6.csv", p);
        gnuplot g;
        if (report_figure(r, &g, "figure6.png", 1400, 1000)) {
            draw_tip_paths(g.script, &p[COSSERAT_RK4], &p[KIRCHHOFF_RK4]);
            report_figure_end(r, &g, "figure6.png");
        }
    }
    for (int i = 0; i < N_COLUMNS; i++) tip_path_free(&p[i]);
}
