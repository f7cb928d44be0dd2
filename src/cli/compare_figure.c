// The figure of a comparison: shapes side by side, error over time, error against cost.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/figure.h"
#include "cli/gnuplot.h"

enum { WIDTH = 1200, SHAPES = 250, CURVES = 400, HEAD = 40, MOST_COLUMNS = 5, MOST_SHAPES = 9 };

typedef struct sheet {
    const trials *all;
    FILE *script;
    int shown[64], n_shown;  // trials that have something to show
    int columns, rows;
    int height;
    int axis[2];          // of the projection: the two along which the reference extends most
    double lo[2], hi[2];  // m
} sheet;

// ---------------------------------------------------------------- what is shown, and from where
static void grow(const trials *all, const trial *t, double lo[3], double hi[3]) {
    size_t n = (size_t)t->n_records * (size_t)all->n_rods * (size_t)all->per_rod;
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], t->points[3 * i + k]);
            hi[k] = fmax(hi[k], t->points[3 * i + k]);
        }
    }
}

static void choose_view(sheet *f) {
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    grow(f->all, &f->all->list[f->all->reference], lo, hi);
    int least = 1;
    for (int k = 0; k < 3; k++) {
        if (hi[k] - lo[k] < hi[least] - lo[least]) least = k;
    }
    f->axis[0] = least == 0 ? 1 : 0;
    f->axis[1] = least == 2 ? 1 : 2;
    for (int k = 0; k < 2; k++) {
        f->lo[k] = lo[f->axis[k]];
        f->hi[k] = hi[f->axis[k]];
        double air = 0.05 * f->all->length;
        f->lo[k] -= air, f->hi[k] += air;
    }
}

static sheet plan_sheet(const trials *all) {
    sheet f = {.all = all};
    for (int i = 0; i < all->n && f.n_shown < 64; i++) {
        if (all->list[i].n_records) f.shown[f.n_shown++] = i;
    }
    f.rows = (f.n_shown + MOST_COLUMNS - 1) / MOST_COLUMNS;
    f.columns = (f.n_shown + f.rows - 1) / f.rows;
    f.height = HEAD + f.rows * SHAPES + CURVES;
    choose_view(&f);
    return f;
}

// The axes' rectangle, in pixels from the upper left corner.
static void place(const sheet *f, double left, double top, double width, double height) {
    fprintf(f->script,
            "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
            "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
            left / WIDTH, (left + width) / WIDTH, 1.0 - top / f->height,
            1.0 - (top + height) / f->height);
}

static void put_title(const sheet *f, const char *text, double left, double top, int size) {
    fputs("set label 1 ", f->script);
    gnuplot_text(f->script, text);
    fprintf(f->script, " at screen %.5f,%.5f left font 'Sans,%d'\n", left / WIDTH,
            1.0 - top / f->height, size);
}

static void put_head(const sheet *f) {
    char title[320];
    snprintf(title, sizeof title, "%s%s%s", f->all->name, f->all->name[0] ? ": " : "",
             f->all->statics ? "equilibrium; dashed: the reference"
                             : "a few instants, the last in colour; dashed: the reference's last");
    fputs("set label 2 ", f->script);
    gnuplot_text(f->script, title);
    fprintf(f->script, " at screen %.5f,%.5f left font 'Sans,13'\n", 20.0 / WIDTH,
            1.0 - 20.0 / f->height);
}

static void begin_panel(const sheet *f) {
    fputs("reset\nset border 3 lc rgb '#555555' lw 1\nset tics nomirror out scale 0.6\n"
          "set grid lc rgb '#e3e3e3' lw 0.8 lt 1\n",
          f->script);
}

// ---------------------------------------------------------------- shapes
static void put_shape(const sheet *f, const trial *t, int k) {
    const trials *all = f->all;
    const double *p = t->points + (size_t)k * (size_t)(all->n_rods * all->per_rod) * 3;
    for (int i = 0; i < all->n_rods; i++) {
        for (int j = 0; j < all->per_rod; j++, p += 3)
            fprintf(f->script, "%.6g %.6g\n", 1e3 * p[f->axis[0]], 1e3 * p[f->axis[1]]);
        fputc('\n', f->script);
    }
}

// A few instants, evenly apart, the last among them.
static void put_shapes(const sheet *f, const char *name, const trial *t) {
    int n = t->n_records < MOST_SHAPES ? t->n_records : MOST_SHAPES;
    fprintf(f->script, "$%s << EOD\n", name);
    for (int i = 0; i < n; i++) {
        int k = n > 1 ? (int)((long)i * (t->n_records - 1) / (n - 1)) : 0;
        put_shape(f, t, k);
    }
    fputs("EOD\n", f->script);
}

static void put_last_shape(const sheet *f, const char *name, const trial *t) {
    fprintf(f->script, "$%s << EOD\n", name);
    put_shape(f, t, t->n_records - 1);
    fputs("EOD\n", f->script);
}

// Equal scales: the range that is too short for the rectangle grows on both sides.
static void set_ranges(const sheet *f, double width, double height) {
    double scale = fmax((f->hi[0] - f->lo[0]) / width, (f->hi[1] - f->lo[1]) / height);
    const double size[2] = {width, height};
    for (int k = 0; k < 2; k++) {
        double middle = 0.5 * (f->lo[k] + f->hi[k]), half = 0.5 * scale * size[k];
        double step = round_step(1e3 * 2.0 * half / (size[k] / 60.0));
        fprintf(f->script, "set %srange [%.6g:%.6g]\nset %stics %.6g font 'Sans,9'\n",
                k ? "y" : "x", 1e3 * (middle - half), 1e3 * (middle + half), k ? "y" : "x", step);
    }
}

static void draw_shapes(const sheet *f, int i) {
    const trials *all = f->all;
    const trial *t = &all->list[f->shown[i]], *reference = &all->list[all->reference];
    double cell = (double)WIDTH / f->columns;
    double left = i % f->columns * cell + 58.0, top = HEAD + i / f->columns * (double)SHAPES + 30.0;
    double width = cell - 76.0, height = SHAPES - 80.0;
    begin_panel(f);
    if (i == 0) put_head(f);
    place(f, left, top, width, height);
    put_title(f, t->label, left, top - 14.0, 11);
    set_ranges(f, width, height);
    fprintf(f->script, "set xlabel '%s (mm)' font 'Sans,9' offset 0,0.6\n",
            coordinate_names[f->axis[0]]);
    fprintf(f->script, "set ylabel '%s (mm)' font 'Sans,9' offset 1.6,0\nset key off\n",
            coordinate_names[f->axis[1]]);
    put_shapes(f, "some", t);
    put_last_shape(f, "last", t);
    put_last_shape(f, "reference", reference);
    fprintf(f->script,
            "plot $some with lines lw 1 lc rgb '#b9b9b9', $last with lines lw 2.5 lc rgb '%s', "
            "$reference with lines lw 1 dt 2 lc rgb '#222222'\n",
            curve_colour(f->shown[i]));
}

// ---------------------------------------------------------------- curves
static bool is_judged(const sheet *f, int i) {
    const trial *t = &f->all->list[i];
    return i != f->all->reference && t->n_errors > 0;
}

static double floor_of_errors(const sheet *f) {
    return 1e3 * 1e-9 * f->all->length;  // mm: below this it is round-off
}

static void draw_errors(const sheet *f, double top) {
    const trials *all = f->all;
    begin_panel(f);
    place(f, 90.0, top + 40.0, 480.0, CURVES - 150.0);
    put_title(f, "tip error over time", 90.0, top + 22.0, 12);
    fputs("set logscale y\nset format y '%g'\nset xlabel 'time (s)'\n"
          "set ylabel 'distance of tips (mm)'\n",
          f->script);
    fprintf(f->script,
            "set key at screen %.5f,%.5f left top horizontal Left reverse samplen 1.5 maxcols 3 "
            "font 'Sans,10'\n",
            70.0 / WIDTH, 46.0 / f->height);
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        if (!is_judged(f, i)) continue;
        fprintf(f->script, "$error%d << EOD\n", i);
        for (int k = 0; k < all->list[i].n_errors; k++) {
            double e = 1e3 * all->list[i].tip_error[k];
            if (e > floor_of_errors(f)) fprintf(f->script, "%.8g %.6g\n", all->time[k], e);
        }
        fputs("EOD\n", f->script);
    }
    for (int i = 0; i < all->n; i++) {
        if (!is_judged(f, i) || !(1e3 * all->list[i].tip_max > floor_of_errors(f))) continue;
        fprintf(f->script, "%s$error%d with lines lw 1.8 lc rgb '%s' title ", n++ ? ", " : "plot ",
                i, curve_colour(i));
        gnuplot_text(f->script, all->list[i].label);
    }
    fputs(n ? "\n" : "set xrange [0:1]\nset yrange [1e-3:1]\nplot NaN notitle\n", f->script);
}

static void put_cost(const sheet *f, int i, bool named) {
    const trial *t = &f->all->list[i];
    double error = fmax(1e3 * t->tip_mean, floor_of_errors(f));
    fprintf(f->script, "%.6g %.6g", 1e3 * t->cost, error);
    if (named) fprintf(f->script, " \"%s\"", t->label);
    fputc('\n', f->script);
}

static void draw_costs(const sheet *f, double top) {
    const trials *all = f->all;
    begin_panel(f);
    double left = all->statics ? 90.0 : 690.0, width = all->statics ? 1000.0 : 430.0;
    place(f, left, top + 40.0, width, CURVES - 150.0);
    put_title(f, "error against cost", left, top + 22.0, 12);
    fputs("set logscale xy\nset format y '%g'\nset offsets graph 0.15, graph 0.3, graph 0.15, "
          "graph 0.15\n"
          "set key off\nset ylabel 'mean distance of tips (mm)'\n",
          f->script);
    fputs(all->statics ? "set xlabel 'processor time of one equilibrium (ms)'\n"
                       : "set xlabel 'processor time (ms) per simulated second'\n",
          f->script);
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        if (!is_judged(f, i) || !all->list[i].finished) continue;
        fprintf(f->script, "$cost%d << EOD\n", i);
        put_cost(f, i, true);
        fputs("EOD\n", f->script);
    }
    for (int i = 0; i < all->n; i++) {
        if (!is_judged(f, i) || !all->list[i].finished) continue;
        fprintf(f->script,
                "%s$cost%d with points pt 7 ps 1.4 lc rgb '%s', $cost%d using 1:2:3 with labels "
                "left offset 0.8,0.2 font 'Sans,9'",
                n++ ? ", " : "plot ", i, curve_colour(i), i);
    }
    fputs(n ? "\n" : "set xrange [1e-3:1]\nset yrange [1e-3:1]\nplot NaN notitle\n", f->script);
}

// ---------------------------------------------------------------- the whole
static void put_terminal(const sheet *f, const char *path) {
    const char *dot = strrchr(path, '.');
    bool pdf = dot && !strcmp(dot, ".pdf"), svg = dot && !strcmp(dot, ".svg");
    if (pdf) {
        fprintf(f->script, "set terminal pdfcairo size %gin,%gin noenhanced font 'Sans,11'\n",
                WIDTH / 96.0, f->height / 96.0);
    } else {
        fprintf(f->script,
                "set terminal %s noenhanced size %d,%d font 'Sans,11' background '#ffffff'\n",
                svg ? "svg" : "pngcairo", WIDTH, f->height);
    }
    fputs("set encoding utf8\nset multiplot\n", f->script);
}

bool trials_draw(const trials *all, const char *path) {
    sheet f = plan_sheet(all);
    gnuplot g;
    if (!gnuplot_open(&g, path)) return false;
    f.script = g.script;
    put_terminal(&f, path);
    for (int i = 0; i < f.n_shown; i++) draw_shapes(&f, i);
    double top = HEAD + f.rows * (double)SHAPES;
    if (!all->statics) draw_errors(&f, top);
    draw_costs(&f, top);
    fputs("unset multiplot\n", f.script);
    return gnuplot_close(&g);
}
