// Appendix: the integrals Q(theta) of Eq. 18 in closed form, as printed, against quadrature of the
// products they are made of (Eqs. 14 and 17).
#include "appendix.h"

#include <math.h>

#include "cli/figure.h"
#include "liu2020.h"
#include "math/pi.h"

#define RIGHT 1e-9  // of an entry that is the integral, where the closed form keeps its digits

// ---------------------------------------------------------------- as printed
// Entries count from 1, as in print.
static double *at(integrals *q, int row, int column) {
    return &q->Q[row - 1][column - 1];
}

static void put_pair(integrals *q, int row, int column, int row2, int column2, double value) {
    *at(q, row, column) = *at(q, row2, column2) = value;
}

static void first_row_and_column(integrals *q, double t, double s, double c) {
    *at(q, 1, 1) = 1.0;
    put_pair(q, 2, 1, 1, 2, (1.0 - c) / t);
    put_pair(q, 3, 1, 1, 4, (-1.0 + c + t * s) / (t * t));
    put_pair(q, 4, 1, 1, 6, -s / t);
    put_pair(q, 5, 1, 1, 8, (-t * c + s) / (t * t));
    *at(q, 1, 5) = (2.0 + (t * t - 2.0) * c - 2.0 * t * s) / pow(t, 3.0);
    *at(q, 1, 9) = ((t * t - 2.0) * s + 2.0 * t * c) / pow(t, 3.0);
}

static void second_column(integrals *q, double t, double s2, double c2) {
    *at(q, 2, 2) = 0.5 - s2 / (4.0 * t);
    *at(q, 4, 6) = 1.0 - *at(q, 2, 2);
    put_pair(q, 3, 2, 2, 4, (-2.0 * t * c2 + s2) / (8.0 * t * t));
    put_pair(q, 5, 6, 4, 8, -*at(q, 3, 2));
    put_pair(q, 4, 2, 2, 6, (s2 - 1.0) / (4.0 * t));  // wrong: cos
    put_pair(q, 5, 2, 2, 8, (1.0 - c2 - 2.0 * t * s2 + 2.0 * t * t) / (8.0 * t * t));
}

static void other_columns(integrals *q, double t, double s2, double c2) {
    const double t3 = pow(t, 3.0), t4 = pow(t, 4.0), odd = 2.0 * t * (2.0 * t * t - 3.0);
    const double even = 6.0 * t * t - 3.0;
    *at(q, 3, 4) = (4.0 * t3 + 6.0 * t * c2 + even * s2) / (24.0 * t3);
    *at(q, 4, 9) = -*at(q, 3, 4);
    put_pair(q, 4, 4, 3, 6, *at(q, 5, 2) - 0.5);
    put_pair(q, 5, 4, 4, 5, (-1.0 + (1.0 - 2.0 * t * t) * c2 + 2.0 * t * s2) / (8.0 * t3));
    put_pair(q, 3, 8, 2, 9, *at(q, 5, 4));
    *at(q, 2, 5) = *at(q, 3, 4) - 1.0 / 3.0;
    *at(q, 5, 8) = -*at(q, 2, 5);
    *at(q, 3, 5) = (odd * c2 - even * s2) / (16.0 * t4);
    *at(q, 5, 9) = -*at(q, 3, 5);
    *at(q, 5, 5) = (3.0 + odd * s2 + even * c2 - 2.0 * t4) / (16.0 * t4);
    *at(q, 3, 9) = *at(q, 5, 5) + 0.25;
    for (int row = 1; row <= ROWS; row++) {
        *at(q, row, 3) = 2.0 * *at(q, row, 4);
        *at(q, row, 7) = 2.0 * *at(q, row, 8);
    }
}

integrals integrals_printed(double theta) {
    integrals q;
    first_row_and_column(&q, theta, sin(theta), cos(theta));
    second_column(&q, theta, sin(2.0 * theta), cos(2.0 * theta));
    other_columns(&q, theta, sin(2.0 * theta), cos(2.0 * theta));
    return q;
}

// ---------------------------------------------------------------- by quadrature
static void add_products(integrals *q, double theta, double x, double weight) {
    const double s = sin(theta * x), c = cos(theta * x);
    const double v[ROWS] = {1.0, s, x * c, -c, x * s};  // Eq. 14
    const double a[COLUMNS] = {1.0, s,           2.0 * x * c, x * c,    -x * x * s,
                               -c,  2.0 * x * s, x * s,       x * x * c};  // Eq. 17
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++) q->Q[i][k] += weight * v[i] * a[k];
}

// Gauss's rule of three points in 200 parts: to rounding for any arc of one turn.
integrals integrals_by_quadrature(double theta) {
    enum { PARTS = 200 };
    const double off = sqrt(0.6);
    integrals q = {0};
    for (int i = 0; i < PARTS; i++) {
        const double middle = (i + 0.5) / PARTS, half = 0.5 / PARTS;
        add_products(&q, theta, middle - off * half, 5.0 / 9.0 * half);
        add_products(&q, theta, middle, 8.0 / 9.0 * half);
        add_products(&q, theta, middle + off * half, 5.0 / 9.0 * half);
    }
    return q;
}

// ---------------------------------------------------------------- rows
// The lines of the appendix, by their first entry.
static const struct {
    const char *name;
    int row, column;
} lines[] = {{"Q(2,1) = Q(1,2)", 2, 1}, {"Q(3,1) = Q(1,4)", 3, 1}, {"Q(4,1) = Q(1,6)", 4, 1},
             {"Q(5,1) = Q(1,8)", 5, 1}, {"Q(2,2)", 2, 2},          {"Q(3,2) = Q(2,4)", 3, 2},
             {"Q(4,2) = Q(2,6)", 4, 2}, {"Q(5,2) = Q(2,8)", 5, 2}, {"Q(3,4)", 3, 4},
             {"Q(4,4) = Q(3,6)", 4, 4}, {"Q(5,4) = Q(4,5)", 5, 4}, {"Q(1,5)", 1, 5},
             {"Q(2,5)", 2, 5},          {"Q(3,5)", 3, 5},          {"Q(5,5)", 5, 5},
             {"Q(1,9)", 1, 9}};
enum { N_LINES = sizeof lines / sizeof lines[0] };

static void compare_lines(paper_report *r) {
    integrals printed = integrals_printed(1.0), ours = integrals_by_quadrature(1.0);
    for (int i = 0; i < N_LINES; i++) {
        const double p = *at(&printed, lines[i].row, lines[i].column);
        const double o = *at(&ours, lines[i].row, lines[i].column);
        char name[64];
        snprintf(name, sizeof name, "%s, theta = 1", lines[i].name);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "",
                                        .printed = p,
                                        .ours = o,
                                        .note = fabs(p - o) > RIGHT
                                                    ? "printed: (sin 2 theta - 1)/(4 theta); "
                                                      "right: (cos 2 theta - 1)/(4 theta)"
                                                    : NULL});
    }
}

typedef struct verdict {
    int wrong;
    double most;  // error of the others
} verdict;

// Q(4,2) and Q(2,6) are left out of `most`, by their size or by their place.
static verdict judge(double theta) {
    const integrals printed = integrals_printed(theta), ours = integrals_by_quadrature(theta);
    verdict v = {0};
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++) {
            const double off = fabs(printed.Q[i][k] - ours.Q[i][k]);
            const bool known = (i == 3 && k == 1) || (i == 1 && k == 5);
            v.wrong += off > RIGHT;
            if (!known) v.most = fmax(v.most, off);
        }
    return v;
}

static void compare_all(paper_report *r) {
    static const double angles[] = {1e-3, 1e-2, 0.0312, 0.3, 1.0};
    const verdict v = judge(1.0);
    report_compare(r, &(comparison){.quantity = "entries that are the integral",
                                    .unit = "",
                                    .printed = ROWS * COLUMNS,
                                    .ours = ROWS * COLUMNS - v.wrong,
                                    .note = "Q(4,2) and Q(2,6) are not"});
    for (int i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "rounding of the others, theta = %g", angles[i]);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "",
                                        .printed = (double)NAN,
                                        .ours = judge(angles[i]).most,
                                        .note = i == 2 ? "the start of the simulations" : NULL});
    }
}

// ---------------------------------------------------------------- table and picture
static void write_table(paper_report *r) {
    FILE *out = report_table(r, "appendix.csv");
    if (!out) return;
    fputs("theta [rad],row,column,as printed,integral\n", out);
    for (int n = 1; n <= 12; n++) {
        const double theta = 0.25 * n;
        const integrals printed = integrals_printed(theta), ours = integrals_by_quadrature(theta);
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k < COLUMNS; k++)
                fprintf(out, "%g,%d,%d,%.12g,%.12g\n", theta, i + 1, k + 1, printed.Q[i][k],
                        ours.Q[i][k]);
    }
    report_close(r, out, "appendix.csv");
}

static void put_data(FILE *script) {
    fputs("$wrong << EOD\n", script);
    for (int i = 1; i <= 120; i++) {
        const double theta = 2.0 * PI * i / 120.0;
        const integrals printed = integrals_printed(theta), ours = integrals_by_quadrature(theta);
        fprintf(script, "%.6g %.6g %.6g\n", theta, printed.Q[3][1], ours.Q[3][1]);
    }
    fputs("EOD\n$rounding << EOD\n", script);
    for (int i = 0; i <= 80; i++) {
        const double theta = pow(10.0, -4.0 + 4.5 * i / 80.0);
        fprintf(script, "%.6g %.6g\n", theta, judge(theta).most);
    }
    fputs("EOD\n", script);
}

static void draw(paper_report *r) {
    gnuplot g;
    if (!report_figure(r, &g, "appendix.png", 1600, 700)) return;
    put_data(g.script);
    fprintf(g.script,
            "set multiplot layout 1,2\nset title 'Q(4,2)'\nset xlabel 'theta (rad)'\n"
            "set xrange [0:6.3]\nset yrange [-2:0.2]\nset key bottom right\n"
            "plot $wrong using 1:2 with lines lw 1.6 dt 2 lc rgb '%s' title 'printed', "
            "$wrong using 1:3 with lines lw 2 lc rgb '%s' title 'integral'\n"
            "set title 'rounding of the closed forms'\nset logscale xy\nset xrange [1e-4:4]\n"
            "set yrange [1e-17:1]\nset format '10^{%%T}'\nset key top right\n"
            "set ylabel 'largest error of the other 43'\n"
            "set arrow 1 from 0.0312, graph 0 to 0.0312, graph 1 nohead dt 3 lw 0.8\n"
            "set label 1 'start of the simulations' at 0.0312, graph 0.86 offset 0.6, 0\n"
            "plot $rounding with lines lw 1.6 lc rgb '%s' notitle\nunset multiplot\n",
            curve_colour(1), curve_colour(0), curve_colour(2));
    report_figure_end(r, &g, "appendix.png");
}

void liu2020_appendix(paper_report *r) {
    compare_lines(r);
    compare_all(r);
    write_table(r);
    draw(r);
    report_remark(r, "As printed Q(4,2) goes to minus infinity for a straight arc; the others are "
                     "right, and lose their digits there. This program has a form that does "
                     "neither (docs/models/constant-curvature.md).");
}
