// Figure 5: what the rods of Tables III and IV look like.
#include <math.h>

#include "cli/figure.h"
#include "orekhov2020.h"
#include "study.h"

enum { POINTS = 41 };

static void put_rod(FILE *out, const loaded_rod *rod, int wrench, FILE *script) {
    for (int i = 0; i < POINTS; i++) {
        double s = ROD_LENGTH * i / (POINTS - 1);
        td_pose at = td_get_pose(rod->system, rod->state, 0, s);
        fprintf(out, "%d,%.9g,%.9g,%.9g,%.9g\n", wrench, s, at.p[0], at.p[1], at.p[2]);
        fprintf(script, "%.6g %.6g %.6g\n", 1e3 * at.p[0], 1e3 * at.p[1], 1e3 * at.p[2]);
    }
    fputs("\n\n", script);
}

// Every stride-th wrench; returns how many.
static int put_rods(paper_report *r, loaded_rod *rod, int stride, FILE *out, FILE *script,
                    double *reach) {
    int n = 0;
    fputs("wrench,s [m],x [m],y [m],z [m]\n", out);
    fputs("$rods << EOD\n", script);
    for (int i = 0; i < N_WRENCHES; i += stride) {
        double wrench[6];
        study_wrench(i, N_STEPS - 1, wrench);
        if (rod_load(rod, wrench) < 0) {
            report_failure(r, "wrench %d: %s", i, td_message(rod->state));
            continue;
        }
        td_pose tip = rod_tip(rod);
        *reach = fmax(*reach, hypot(tip.p[0], tip.p[1]));
        put_rod(out, rod, i, script);
        n++;
    }
    fputs("EOD\n", script);
    return n;
}

static void draw(FILE *script, int n) {
    fputs(
        "set view equal xyz\nset view 66, 40, 1.35\nset xyplane at -60\nunset key\nset border 31\n"
        "set xrange [-160:160]\nset yrange [-160:160]\nset zrange [-60:210]\n"
        "set xtics 100\nset ytics 100\nset ztics 100\n"
        "set xlabel 'x (mm)'\nset ylabel 'y (mm)'\nset zlabel 'z (mm)'\nsplot ",
        script);
    for (int k = 0; k < n; k++)
        fprintf(script, "$rods index %d with lines lw 1 lc rgb '%s'%s", k, curve_colour(k % 6),
                k + 1 < n ? ", \\\n" : "\n");
}

void orekhov2020_shapes(paper_report *r) {
    // a stride without a factor of 3 meets every kind of wrench
    const int stride = r->effort == PAPER_QUICK ? 61 : 13;
    const method m = {.space = TD_CHEBYSHEV, .nodes = 11, .magnus = 6};
    loaded_rod rod;
    td_error err = {0};
    if (!rod_open(&rod, &m, &err)) {
        report_failure(r, "%s: %s", err.where, err.message);
        return;
    }
    gnuplot g;
    FILE *out = report_table(r, "figure5.csv");
    double reach = 0.0;
    if (out && report_figure(r, &g, "figure5.png", 1300, 1000)) {
        draw(g.script, put_rods(r, &rod, stride, out, g.script, &reach));
        report_figure_end(r, &g, "figure5.png");
        report_compare(r, &(comparison){.quantity = "largest deflection of a tip",
                                        .unit = "mm",
                                        .printed = (double)NAN,
                                        .ours = 1e3 * reach,
                                        .note = "of the shapes drawn"});
    }
    if (out) report_close(r, out, "figure5.csv");
    rod_close(&rod);
}
