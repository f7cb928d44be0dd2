// Curvature and twist along the rods.
#include <math.h>

#include "cli/lapse.h"

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

// Lines "time s curvature", a block for each rod.
static void put_curvature(FILE *script, const figure *f, int i, int j, int which, double factor) {
    const result *r = f->results[i];
    const result_rod *rod = &r->rods[j];
    int n = lapse_count(f, r);
    fprintf(script, "$curvature%d_%d << EOD\n", i, j);
    for (int k = 0; k < n; k++) {
        int record = lapse_record(r, k, n);
        const double *u = rod->strain + 6L * record * rod->n_points;
        for (int q = 0; q < rod->n_points; q++)
            fprintf(script, "%.9g %.9g %.9g\n", r->time[record], factor * rod_point(rod, record, q),
                    curvature(u + 6 * q, which));
        fputs("\n", script);
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

static void plot_curvature(FILE *script, const figure *f, int i, int j, int *n) {
    char data[48];
    snprintf(data, sizeof data, "$curvature%d_%d", i, j);
    if (!is_lapse(f)) {
        put_curve(script, n, data, "2:3", pen_of(f, i, f->results[i]->rods[j].name, j));
        return;
    }
    fprintf(script, "%s %s using 2:3:1 with lines lc palette lw 1.8 notitle",
            (*n)++ == 0 ? "plot" : ", \\\n", data);
}

static void draw_curvature(FILE *script, const figure *f, const panel *p) {
    static const char *const units[4] = {"1/m", "1/m", "1/m", "rad/m"};
    double longest = longest_rod(f), lo, hi;
    axis_unit unit = axis_unit_for(longest, "m");
    panel_begin(script, p);
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_rods; j++)
            if (f->results[i]->rods[j].strain)
                put_curvature(script, f, i, j, p->which, unit.factor);
    }
    set_label(script, p, "x", "arc length s", unit.text);
    set_label(script, p, "y", p->which == TWIST ? "twist rate" : "curvature", units[p->which]);
    set_run_range(script, p, 0.0, unit.factor * longest);
    curvature_range(f, p->which, &lo, &hi);
    set_value_range(script, p, lo, hi);
    if (is_lapse(f)) set_time_colours(script, f->results[0]);
    int n = 0;
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_rods; j++)
            if (f->results[i]->rods[j].strain) plot_curvature(script, f, i, j, &n);
    }
    fputc('\n', script);
}

static void add_curvature(panel_list *l, const figure *f, int which) {
    static const char *const titles[4] = {"Curvature about x", "Curvature about y",
                                          "Bending curvature", "Twist"};
    panel p = {.draw = draw_curvature, .which = which, .colour_bar = is_lapse(f)};
    snprintf(p.title, sizeof p.title, "%s", titles[which]);
    for (int i = 0; i < f->n_results && !is_lapse(f); i++) {
        const result *r = f->results[i];
        for (int j = 0; j < r->n_rods && r->n_rods > 1; j++)
            legend_add(&p.legend, f, r->rods[j].name, pen_of(f, i, r->rods[j].name, j));
    }
    panel_add(l, p);
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
    add_curvature(l, f, x < 0.01 * both ? 1 : y < 0.01 * both ? 0 : CURVATURE_SIZE);
    if (twist > 0.01 * both) add_curvature(l, f, TWIST);
}
