// The errors of Tables III and IV as a table and as a picture.
#include "accuracy.h"
#include "cli/figure.h"

typedef struct column {
    const char *title;
    const study_result *ours;
    const printed_errors *printed;  // NULL: none
} column;

enum { N_COLUMNS = 3 };
static void columns_of(const accuracy *a, column out[N_COLUMNS]) {
    out[0] = (column){"the paper''s form, order 4", a->order4, printed_order4};
    out[1] = (column){"the paper''s form, order 6", a->order6, printed_order6};
    out[2] = (column){"integral form", a->integral, NULL};
}

void accuracy_write(const accuracy *a) {
    static const char *const names[N_COLUMNS] = {"order 4", "order 6", "integral form"};
    column columns[N_COLUMNS];
    columns_of(a, columns);
    FILE *out = report_table(a->report, "tables3and4.csv");
    if (!out) return;
    fputs("form,n,mean position error [%],largest position error [%],mean rotation error [deg],"
          "largest rotation error [deg],rate [Hz],printed mean position error [%],"
          "printed largest position error [%],printed mean rotation error [deg],"
          "printed largest rotation error [deg],printed rate [Hz]\n",
          out);
    for (int k = 0; k < N_COLUMNS; k++)
        for (int i = 0; i < a->n; i++) {
            const study_result *o = &columns[k].ours[i];
            fprintf(out, "%s,%d,%.6g,%.6g,%.6g,%.6g,%.6g", names[k], DEGREE(i), o->position[0],
                    o->position[1], o->rotation[0], o->rotation[1], o->rate);
            if (columns[k].printed) {
                const printed_errors *p = &columns[k].printed[i];
                fprintf(out, ",%g,%g,%g,%g,%g\n", p->position[0], p->position[1], p->rotation[0],
                        p->rotation[1], p->rate);
            } else {
                fputs(",,,,,\n", out);
            }
        }
    report_close(a->report, out, "tables3and4.csv");
}

// ---------------------------------------------------------------- picture
// n, mean and largest position error, mean and largest rotation error.
static void put_data(FILE *script, const accuracy *a, const column *columns) {
    for (int k = 0; k < N_COLUMNS; k++) {
        fprintf(script, "$ours%d << EOD\n", k);
        for (int i = 0; i < a->n; i++) {
            const study_result *o = &columns[k].ours[i];
            fprintf(script, "%d %.6g %.6g %.6g %.6g\n", DEGREE(i), o->position[0], o->position[1],
                    o->rotation[0], o->rotation[1]);
        }
        fprintf(script, "EOD\n$printed%d << EOD\n", k);
        for (int i = 0; columns[k].printed && i < a->n; i++) {
            const printed_errors *p = &columns[k].printed[i];
            fprintf(script, "%d %.6g %.6g %.6g %.6g\n", DEGREE(i), p->position[0], p->position[1],
                    p->rotation[0], p->rotation[1]);
        }
        fputs("EOD\n", script);
    }
}

// Mean: full lines and discs; largest: broken lines. Printed: circles and squares.
static void plot_errors(FILE *script, const column *columns, int mean, int largest) {
    fputs("plot ", script);
    for (int k = 0; k < N_COLUMNS; k++) {
        const char *colour = curve_colour(k);
        fprintf(script,
                "$ours%d using 1:%d with linespoints pt 7 ps 1 lw 1.4 lc rgb '%s' title '%s', "
                "$ours%d using 1:%d with linespoints pt 5 ps 1 dt 2 lw 1.4 lc rgb '%s' notitle, ",
                k, mean, colour, columns[k].title, k, largest, colour);
        if (columns[k].printed)
            fprintf(script,
                    "$printed%d using 1:%d with points pt 6 ps 2.4 lc rgb '%s' notitle, "
                    "$printed%d using 1:%d with points pt 4 ps 2.4 lc rgb '%s' notitle, ",
                    k, mean, colour, k, largest, colour);
    }
    fputs("NaN with linespoints pt 7 lc rgb '#555555' title 'mean', "
          "NaN with linespoints pt 5 dt 2 lc rgb '#555555' title 'largest', "
          "NaN with points pt 6 ps 2.4 lc rgb '#555555' title 'printed'\n",
          script);
}

void accuracy_draw(const accuracy *a) {
    column columns[N_COLUMNS];
    columns_of(a, columns);
    gnuplot g;
    if (!report_figure(a->report, &g, "errors.png", 1800, 1000)) return;
    put_data(g.script, a, columns);
    fputs("set multiplot layout 1,2\nset logscale y\nset format y '10^{%T}'\n"
          "set xrange [1.5:10.5]\nset xtics 2\nset xlabel 'degree n (n + 1 nodes)'\n"
          "set key bottom left\nset yrange [1e-7:1e2]\n"
          "set ylabel 'position error of the tip (% of the length)'\n",
          g.script);
    plot_errors(g.script, columns, 2, 3);
    fputs("unset key\nset ylabel 'rotation error of the tip (deg)'\n", g.script);
    plot_errors(g.script, columns, 4, 5);
    fputs("unset multiplot\n", g.script);
    report_figure_end(a->report, &g, "errors.png");
}
