// Panels along the rods: shapes and curvature over time.
#include "cli/figure.h"

#include <math.h>

#include "cli/gnuplot.h"

enum { MOST_SHAPES = 25, MOST_WITH_BODIES = 9, SHAPES_PER_RESULT = 6 };

// One run is coloured by time; several results, or one equilibrium, have one colour each.
static bool is_lapse(const figure *f) {
    return f->n_results == 1 && f->results[0]->n_times > 1;
}

static bool has_bodies(const result *r) {
    for (int i = 0; i < r->n_bodies; i++)
        if (r->bodies[i].free) return true;
    return false;
}

static int shape_count(const figure *f, const result *r) {
    int alone = has_bodies(r) ? MOST_WITH_BODIES : MOST_SHAPES;
    int most = f->n_results > 1 ? SHAPES_PER_RESULT : alone;
    return r->n_times < most ? r->n_times : most;
}

// Record of the k-th of n shapes, evenly spread from the first to the last.
static int shape_record(const result *r, int k, int n) {
    return n < 2 ? r->n_times - 1 : (int)((long)k * (r->n_times - 1) / (n - 1));
}

static bool has_shapes(const figure *f) {
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_rods; j++) {
            if (f->results[i]->rods[j].position) return true;
        }
    }
    return false;
}

// Lines "time x y z". Two blank lines after each shape, or gnuplot would join them to a net.
static void put_shapes(FILE *script, const figure *f, int i, double factor) {
    const result *r = f->results[i];
    int n = shape_count(f, r);
    fprintf(script, "$shapes%d << EOD\n", i);
    for (int k = 0; k < n; k++) {
        int record = shape_record(r, k, n);
        for (int j = 0; j < r->n_rods; j++) {
            const result_rod *rod = &r->rods[j];
            const double *p = rod->position ? rod->position + 3L * record * rod->n_points : NULL;
            for (int q = 0; p && q < rod->n_points; q++)
                fprintf(script, "%.9g %.9g %.9g %.9g\n", r->time[record], factor * p[3 * q],
                        factor * p[3 * q + 1], factor * p[3 * q + 2]);
            fputs("\n\n", script);
        }
    }
    fputs("EOD\n", script);
}

// Free bodies of the same shapes; tendons of the last one alone, or they would hide each other.
static void put_outlines(FILE *script, const figure *f, int i, double factor) {
    const result *r = f->results[i];
    int n = shape_count(f, r);
    fprintf(script, "$bodies%d << EOD\n", i);
    for (int k = 0; k < n; k++) put_body_outlines(script, r, shape_record(r, k, n), factor);
    fputs("EOD\n", script);
    fprintf(script, "$origins%d << EOD\n", i);
    for (int k = 0; k < n; k++) put_body_origins(script, r, shape_record(r, k, n), factor);
    fputs("EOD\n", script);
    fprintf(script, "$tendons%d << EOD\n", i);
    for (int k = 0; k < r->n_tendons; k++) {
        const result_tendon *t = &r->tendons[k];
        const double *p = t->path ? t->path + 3L * (r->n_times - 1) * t->n_points : NULL;
        for (int q = 0; p && q < t->n_points; q++)
            fprintf(script, "%.9g %.9g %.9g %.9g\n", r->time[r->n_times - 1], factor * p[3 * q],
                    factor * p[3 * q + 1], factor * p[3 * q + 2]);
        fputs("\n\n", script);
    }
    fputs("EOD\n", script);
}

static bool has_paths(const result *r) {
    return r->n_tendons > 0 && r->tendons[0].path;
}

// What goes into the same plot as the shapes of result i.
static void plot_outlines(FILE *script, const figure *f, int i, const char *columns) {
    char colour[32], with_time[32];
    snprintf(colour, sizeof colour, "rgb '%s'", curve_colour(i));
    snprintf(with_time, sizeof with_time, "%s%s", columns, is_lapse(f) ? ":1" : "");
    if (is_lapse(f)) snprintf(colour, sizeof colour, "palette");
    if (has_paths(f->results[i]))
        fprintf(script, ", $tendons%d using %s with lines lc rgb '#8a8a8a' lw 0.9 notitle", i,
                columns);
    if (!has_bodies(f->results[i])) return;
    fprintf(script, ", $bodies%d using %s with lines lc %s lw 2.6 notitle", i, with_time, colour);
    fprintf(script, ", $origins%d using %s with points pt 7 ps 0.7 lc %s notitle", i, with_time,
            colour);
}

static void set_time_colours(FILE *script, const result *r) {
    fputs("set cblabel 'time (s)'\nset cbtics scale 0.6\n", script);
    fprintf(script, "set cbrange [%.9g:%.9g]\n", r->time[0], r->time[r->n_times - 1]);
}

static void plot_shapes(FILE *script, const figure *f, const char *columns, const char *command) {
    if (is_lapse(f)) {
        set_time_colours(script, f->results[0]);
        fprintf(script, "%s $shapes0 using %s:1 with lines lc palette lw 1.8 notitle", command,
                columns);
        plot_outlines(script, f, 0, columns);
        fputc('\n', script);
        return;
    }
    for (int i = 0; i < f->n_results; i++) {
        fprintf(script, "%s $shapes%d using %s with lines lc rgb '%s' lw 1.8 ",
                i == 0 ? command : ",", i, columns, curve_colour(i));
        if (f->n_results > 1) {
            fputs("title ", script);
            gnuplot_text(script, f->results[i]->label);
        } else {
            fputs("notitle", script);
        }
        plot_outlines(script, f, i, columns);
    }
    fputc('\n', script);
}

static const char *shapes_title(const figure *f) {
    return f->results[0]->n_times > 1 ? "Shapes" : "Shape";
}

static void draw_projection(FILE *script, const figure *f, const panel *p) {
    axis_unit unit = shape_unit(f);
    panel_begin(script, p, shapes_title(f));
    for (int i = 0; i < f->n_results; i++) {
        put_shapes(script, f, i, unit.factor);
        put_outlines(script, f, i, unit.factor);
    }
    const int a = f->axis[0], b = f->axis[1];
    set_label(script, "x", coordinate_names[a], unit.text);
    set_label(script, "y", coordinate_names[b], unit.text);
    set_equal_ranges(script, p, (double[]){unit.factor * f->lo[a], unit.factor * f->lo[b]},
                     (double[]){unit.factor * f->hi[a], unit.factor * f->hi[b]});
    char columns[32];
    snprintf(columns, sizeof columns, "%d:%d", 2 + a, 2 + b);
    plot_shapes(script, f, columns, "plot");
}

static void draw_space(FILE *script, const figure *f, const panel *p) {
    static const char *const names[3] = {"x", "y", "z"};
    axis_unit unit = shape_unit(f);
    panel_begin(script, p, "In space");
    for (int i = 0; i < f->n_results; i++) {
        put_shapes(script, f, i, unit.factor);
        put_outlines(script, f, i, unit.factor);
    }
    double half = 0.0;  // of a cube, so that the view is always of the same form
    for (int k = 0; k < 3; k++) half = fmax(half, 0.54 * unit.factor * (f->hi[k] - f->lo[k]));
    for (int k = 0; k < 3; k++) {
        double middle = unit.factor * (f->lo[k] + f->hi[k]) / 2;
        set_label(script, names[k], coordinate_names[k], unit.text);
        fprintf(script, "set %srange [%.9g:%.9g]\n", names[k], middle - half, middle + half);
        set_marks(script, names[k], round_step(0.6 * half));
    }
    fputs("set border 31\nset view 66, 32\nset view equal xyz\nset xyplane 0\n"
          "set xtics offset 0,-0.4\nset ytics offset 0.6,-0.4\n"
          "set xlabel offset 0,-0.6\nset ylabel offset -2,-0.8\nset zlabel rotate by 90\n",
          script);
    set_colour_bar(script, p, p->y0 + 0.2 * (p->y1 - p->y0));  // clear of the y axis
    // gnuplot scales the cube by the width alone; seen from here it reaches out of it to both sides
    // by a fifth, and is a little higher than wide.
    double width = fmin(0.72 * p->width, 0.8 * p->height) * (p->x1 - p->x0) / p->width;
    double centre = p->x0 + 0.47 * (p->x1 - p->x0);
    fprintf(script, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n", centre - width / 2,
            centre + width / 2);
    plot_shapes(script, f, "2:3:4", "splot");
}

void add_shapes(panel_list *l, const figure *f) {
    if (!has_shapes(f)) return;
    panel_add(l, (panel){.draw = draw_projection, .colour_bar = is_lapse(f)});
    if (!f->planar) panel_add(l, (panel){.draw = draw_space, .colour_bar = is_lapse(f)});
}

// ---------------------------------------------------------------- curvature
// 0, 1: that component with its sign, when the other is nothing; 2: their magnitude; 3: twist.
enum { CURVATURE_SIZE = 2, TWIST = 3 };

static double curvature(const double *u, int which) {
    return which == CURVATURE_SIZE ? hypot(u[0], u[1]) : which == TWIST ? u[2] : u[which];
}

static void curvature_range(const figure *f, int which, double *lo, double *hi) {
    *lo = HUGE_VAL, *hi = -HUGE_VAL;
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_rods; j++) {
            const result_rod *rod = &f->results[i]->rods[j];
            long n = rod->strain ? (long)f->results[i]->n_times * rod->n_points : 0;
            for (long k = 0; k < n; k++) {
                double u = curvature(rod->strain + 6 * k, which);
                *lo = fmin(*lo, u), *hi = fmax(*hi, u);
            }
        }
    }
}

static double largest_curvature(const figure *f, int which) {
    double lo, hi;
    curvature_range(f, which, &lo, &hi);
    return fmax(fabs(lo), fabs(hi));
}

// Lines "time s curvature".
static void put_curvature(FILE *script, const figure *f, int i, int which, double factor) {
    const result *r = f->results[i];
    int n = shape_count(f, r);
    fprintf(script, "$curvature%d << EOD\n", i);
    for (int k = 0; k < n; k++) {
        int record = shape_record(r, k, n);
        for (int j = 0; j < r->n_rods; j++) {
            const result_rod *rod = &r->rods[j];
            const double *u = rod->strain ? rod->strain + 6L * record * rod->n_points : NULL;
            for (int q = 0; u && q < rod->n_points; q++)
                fprintf(script, "%.9g %.9g %.9g\n", r->time[record],
                        factor * rod_point(rod, record, q),
                        curvature(u + 6 * q, which));
            fputs("\n\n", script);
        }
    }
    fputs("EOD\n", script);
}

static double longest_rod(const figure *f) {
    double longest = 0.0;
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_rods; j++) {
            const result_rod *rod = &f->results[i]->rods[j];
            for (int t = 0; t < f->results[i]->n_times; t++)
                longest = fmax(longest, rod_point(rod, t, rod->n_points - 1));
        }
    }
    return longest;
}

static void draw_curvature(FILE *script, const figure *f, const panel *p) {
    static const char *const titles[4] = {"Curvature about x", "Curvature about y",
                                          "Bending curvature", "Twist"};
    static const char *const units[4] = {"1/m", "1/m", "1/m", "rad/m"};
    double longest = longest_rod(f);
    axis_unit unit = axis_unit_for(longest, "m");
    panel_begin(script, p, titles[p->which]);
    for (int i = 0; i < f->n_results; i++) put_curvature(script, f, i, p->which, unit.factor);
    set_label(script, "x", "arc length s", unit.text);
    set_label(script, "y", p->which == TWIST ? "twist rate" : "curvature", units[p->which]);
    set_run_range(script, p, 0.0, unit.factor * longest);
    double lo, hi;
    curvature_range(f, p->which, &lo, &hi);
    set_value_range(script, p, lo, hi);
    if (is_lapse(f)) {
        set_time_colours(script, f->results[0]);
        fputs("plot $curvature0 using 2:3:1 with lines lc palette lw 1.8 notitle\n", script);
        return;
    }
    for (int i = 0; i < f->n_results; i++) {
        fprintf(script, "%s $curvature%d using 2:3 with lines lc rgb '%s' lw 1.8 ",
                i == 0 ? "plot" : ",", i, curve_colour(i));
        fputs(f->n_results > 1 ? "title " : "notitle", script);
        if (f->n_results > 1) gnuplot_text(script, f->results[i]->label);
    }
    fputc('\n', script);
}

void add_strain(panel_list *l, const figure *f) {
    double x = largest_curvature(f, 0), y = largest_curvature(f, 1);
    double both = fmax(x, y), twist = largest_curvature(f, TWIST);
    bool recorded = false;
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_rods; j++)
            recorded |= f->results[i]->rods[j].strain != NULL;
    }
    if (!recorded) return;
    int which = x < 0.01 * both ? 1 : y < 0.01 * both ? 0 : CURVATURE_SIZE;
    panel_add(l, (panel){.draw = draw_curvature, .which = which, .colour_bar = is_lapse(f)});
    if (twist > 0.01 * both)
        panel_add(l, (panel){.draw = draw_curvature, .which = TWIST, .colour_bar = is_lapse(f)});
}
