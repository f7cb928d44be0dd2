// What all panels share: axes, units, colours, names.
#include "cli/figure.h"

#include <math.h>
#include <string.h>

#include "cli/gnuplot.h"

const char *const coordinate_names[3] = {"x", "y", "z"};

enum { MOST_CURVE_POINTS = 20000 };

// Told apart by most people with a colour vision deficiency, and in grey.
static const char *const colours[] = {"#0b6fb3", "#d1570c", "#13906b", "#b0569a",
                                      "#dd9c10", "#4fb0e0", "#5b5b5b", "#8c3b2a"};
enum { N_COLOURS = sizeof colours / sizeof colours[0] };

const char *curve_colour(int i) {
    return colours[i % N_COLOURS];
}

// ---------------------------------------------------------------- the view
static void grow_box(figure *f, const double *points, long n) {
    for (long i = 0; points && i < n; i++) {
        for (int k = 0; k < 3; k++) {
            f->lo[k] = fmin(f->lo[k], points[3 * i + k]);
            f->hi[k] = fmax(f->hi[k], points[3 * i + k]);
        }
    }
}

static void grow_around(figure *f, const result *r) {
    for (int j = 0; j < r->n_rods; j++)
        grow_box(f, r->rods[j].position, (long)r->n_times * r->rods[j].n_points);
    for (int j = 0; j < r->n_bodies; j++)
        if (r->bodies[j].free) grow_box(f, r->bodies[j].position, r->n_times);
}

static void grow_around_tendons(figure *f, const result *r) {
    for (int j = 0; j < r->n_tendons; j++)
        grow_box(f, r->tendons[j].path, (long)r->n_times * r->tendons[j].n_points);
}

figure figure_of(result *const *results, int n) {
    figure f = {.results = results, .n_results = n, .axis = {0, 2}};
    for (int k = 0; k < 3; k++) f.lo[k] = HUGE_VAL, f.hi[k] = -HUGE_VAL;
    for (int i = 0; i < n; i++) grow_around(&f, results[i]);
    double extent[3];
    for (int k = 0; k < 3; k++) {
        if (f.lo[k] > f.hi[k]) f.lo[k] = f.hi[k] = 0.0;
        extent[k] = f.hi[k] - f.lo[k];
    }
    int least = extent[1] <= extent[0] && extent[1] <= extent[2] ? 1
                : extent[0] <= extent[2]                         ? 0
                                                                 : 2;
    f.axis[0] = least == 0 ? 1 : 0;
    f.axis[1] = least == 2 ? 1 : 2;
    f.planar = extent[least] <= 0.02 * fmax(extent[f.axis[0]], extent[f.axis[1]]);
    for (int i = 0; i < n; i++) grow_around_tendons(&f, results[i]);
    return f;
}

// ---------------------------------------------------------------- panels
void panel_add(panel_list *l, panel p) {
    if (l->n < MOST_PANELS) l->list[l->n++] = p;
}

void set_colour_bar(FILE *script, const panel *p, double bottom) {
    double pixel = (p->x1 - p->x0) / p->width;
    fprintf(script,
            "set colorbox user vertical noborder origin screen %.6f,%.6f size screen %.6f,%.6f\n",
            p->x1 + 16.0 * pixel, bottom, 14.0 * pixel, p->y1 - bottom);
}

void panel_begin(FILE *script, const panel *p, const char *title) {
    fputs("reset\n"
          "set border 3 lc rgb '#555555' lw 1\n"
          "set tics nomirror out scale 0.6\n"
          "set grid lc rgb '#e3e3e3' lw 0.8 lt 1\n"
          "set key at graph 1, graph 1.02 right bottom horizontal Left reverse samplen 1.5 "
          "font 'Sans,10'\n"
          "set palette defined (0 '#2b2a72', 0.3 '#20739a', 0.6 '#35a37c', 0.85 '#c9c04a', "
          "1 '#f5d33f')\n",
          script);
    fprintf(script,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
            "set bmargin at screen %.6f\nset tmargin at screen %.6f\n",
            p->x0, p->x1, p->y0, p->y1);
    set_colour_bar(script, p, p->y0);
    fputs("set label 1 ", script);
    gnuplot_text(script, title);
    fprintf(script, " at screen %.6f,%.6f left offset 0,0.9 font 'Sans,12'\n", p->x0, p->y1);
}

static axis_unit volume_unit_for(double largest) {
    if (largest >= 1.0) return (axis_unit){1.0, "m^3"};
    return largest >= 1e-6 ? (axis_unit){1e6, "cm^3"} : (axis_unit){1e9, "mm^3"};
}

axis_unit axis_unit_for(double largest, const char *unit) {
    static const struct {
        double factor;
        const char *prefix;
    } steps[] = {{1e-6, "M"}, {1e-3, "k"}, {1, ""}, {1e3, "m"}, {1e6, "\u00b5"}, {1e9, "n"}};
    static const char *const prefixable[] = {"m", "N", "N m", "J", "Pa", "N/m", "m/s", "mol"};
    if (!strcmp(unit, "m^3") && largest > 0) return volume_unit_for(largest);
    axis_unit u = {1.0, ""};
    snprintf(u.text, sizeof u.text, "%s", unit);
    bool known = false;
    for (size_t i = 0; i < sizeof prefixable / sizeof prefixable[0]; i++)
        known |= !strcmp(unit, prefixable[i]);
    if (!known || !(largest > 0) || !isfinite(largest)) return u;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        u.factor = steps[i].factor;
        snprintf(u.text, sizeof u.text, "%s%s", steps[i].prefix, unit);
        if (largest * u.factor >= 1.0) break;
    }
    return u;
}

// "m/s^2" -> "m/s²": the terminal sets text as it is.
static void raise_powers(const char *unit, char *text, size_t size) {
    size_t n = 0;
    for (const char *c = unit; *c && n + 3 < size; c++) {
        bool power = c[0] == '^' && (c[1] == '2' || c[1] == '3');
        if (power) {
            n += (size_t)snprintf(text + n, size - n, "%s", c[1] == '2' ? "\u00b2" : "\u00b3");
            c++;
        } else {
            text[n++] = *c;
        }
    }
    text[n] = '\0';
}

void set_label(FILE *script, const char *axis, const char *name, const char *unit) {
    char text[192], raised[64];
    raise_powers(unit, raised, sizeof raised);
    snprintf(text, sizeof text, "%s%s%s%s", name, raised[0] ? " (" : "", raised,
             raised[0] ? ")" : "");
    fprintf(script, "set %slabel ", axis);
    gnuplot_text(script, text);
    fputc('\n', script);
}

double round_step(double x) {
    if (!(x > 0)) return 1.0;
    double power = pow(10.0, floor(log10(x))), digit = x / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

// Pixels that one mark of an axis needs, with its number.
enum { MARK_WIDTH = 85, MARK_HEIGHT = 48 };

// Numbers at the marks have the decimals that the step between them needs.
void set_marks(FILE *script, const char *axis, double step) {
    fprintf(script, "set %stics %.9g\n", axis, step);
    if (step < 1e-5 || step > 1e5) return;
    int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    fprintf(script, "set format %s '%%.%df'\n", axis, decimals);
}

static void set_range(FILE *script, const char *axis, double lo, double hi, double marks) {
    fprintf(script, "set %srange [%.12g:%.12g]\n", axis, lo, hi);
    set_marks(script, axis, round_step((hi - lo) / fmax(marks, 1.5)));
}

void set_equal_ranges(FILE *script, const panel *p, const double lo[2], const double hi[2]) {
    double aspect = p->width / p->height;
    double high = fmax(hi[1] - lo[1], (hi[0] - lo[0]) / aspect);
    if (!(high > 0)) high = 1.0;
    double half[2] = {0.54 * high * aspect, 0.54 * high}, middle[2];
    for (int k = 0; k < 2; k++) middle[k] = (lo[k] + hi[k]) / 2;
    set_range(script, "x", middle[0] - half[0], middle[0] + half[0], p->width / MARK_WIDTH);
    set_range(script, "y", middle[1] - half[1], middle[1] + half[1], p->height / MARK_HEIGHT);
}

void set_run_range(FILE *script, const panel *p, double lo, double hi) {
    if (hi > lo) set_range(script, "x", lo, hi, p->width / MARK_WIDTH);
}

// What changes by less than anybody could read off is drawn as the constant that it is.
void set_value_range(FILE *script, const panel *p, double lo, double hi) {
    double size = fmax(fabs(lo), fabs(hi)), range = hi - lo;
    if (!(range > STILL * size) || !isfinite(range)) range = size > 0 ? 0.2 * size : 2.0;
    double middle = isfinite(lo + hi) ? (lo + hi) / 2 : 0.0;
    set_range(script, "y", middle - 0.56 * range, middle + 0.56 * range, p->height / MARK_HEIGHT);
}

axis_unit shape_unit(const figure *f) {
    double largest = 0.0;
    for (int k = 0; k < 3; k++) largest = fmax(largest, fmax(fabs(f->lo[k]), fabs(f->hi[k])));
    return axis_unit_for(largest, "m");
}

void curve_title(const figure *f, int i, int rod, char *text, size_t size) {
    const result *r = f->results[i];
    bool rods = r->n_rods > 1, results = f->n_results > 1;
    snprintf(text, size, "%s%s%s", results ? r->label : "", results && rods ? ", " : "",
             rods ? r->rods[rod].name : "");
}

int curve_stride(const result *r) {
    return 1 + r->n_times / MOST_CURVE_POINTS;
}
