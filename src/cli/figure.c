// What all panels share: axes, units, colours, names.
#include "cli/figure.h"

#include <math.h>
#include <string.h>

#include "cli/gnuplot.h"

const char *const axis_names[3] = {"x", "y", "z"};

enum { MOST_CURVE_POINTS = 20000 };

// Told apart by most people with a colour vision deficiency, and in grey.
static const char *const colours[] = {"#0b6fb3", "#d1570c", "#13906b", "#b0569a",
                                      "#dd9c10", "#4fb0e0", "#5b5b5b", "#8c3b2a"};
enum { N_COLOURS = sizeof colours / sizeof colours[0] };

const char *curve_colour(int i) {
    return colours[i % N_COLOURS];
}

// ---------------------------------------------------------------- the view
static void grow_box(figure *f, const result_rod *rod, int n_times) {
    if (!rod->position) return;
    long n = (long)n_times * rod->n_points;
    for (long i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            f->lo[k] = fmin(f->lo[k], rod->position[3 * i + k]);
            f->hi[k] = fmax(f->hi[k], rod->position[3 * i + k]);
        }
    }
}

figure figure_of(result *const *results, int n) {
    figure f = {.results = results, .n_results = n, .axis = {0, 2}};
    for (int k = 0; k < 3; k++) f.lo[k] = HUGE_VAL, f.hi[k] = -HUGE_VAL;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < results[i]->n_rods; j++)
            grow_box(&f, &results[i]->rods[j], results[i]->n_times);
    }
    double extent[3];
    for (int k = 0; k < 3; k++) {
        if (f.lo[k] > f.hi[k]) f.lo[k] = f.hi[k] = 0.0;
        extent[k] = f.hi[k] - f.lo[k];
    }
    int least = extent[1] <= extent[0] && extent[1] <= extent[2] ? 1 : extent[0] <= extent[2] ? 0 : 2;
    f.axis[0] = least == 0 ? 1 : 0;
    f.axis[1] = least == 2 ? 1 : 2;
    f.planar = extent[least] <= 0.02 * fmax(extent[f.axis[0]], extent[f.axis[1]]);
    return f;
}

// ---------------------------------------------------------------- panels
void panel_add(panel_list *l, panel p) {
    if (l->n < MOST_PANELS) l->list[l->n++] = p;
}

void panel_begin(FILE *script, const char *title) {
    fputs("reset\n"
          "set border 3 lc rgb '#555555' lw 1\n"
          "set tics nomirror out scale 0.6\n"
          "set xtics autofreq\nset ytics autofreq\n"
          "set grid lc rgb '#e3e3e3' lw 0.8 lt 1\n"
          "set key outside above left horizontal samplen 2 spacing 1.1\n"
          "set lmargin 11\nset rmargin 3\nset bmargin 4\nset tmargin 4.5\n"
          "set palette defined (0 '#2b2a72', 0.3 '#20739a', 0.6 '#35a37c', 0.85 '#c9c04a', "
          "1 '#f5d33f')\n",
          script);
    fputs("set title ", script);
    gnuplot_text(script, title);
    fputc('\n', script);
}

axis_unit axis_unit_for(double largest, const char *unit) {
    static const struct {
        double factor;
        const char *prefix;
    } steps[] = {{1e-6, "M"}, {1e-3, "k"}, {1, ""}, {1e3, "m"}, {1e6, "\u00b5"}, {1e9, "n"}};
    static const char *const prefixable[] = {"m", "N", "N m", "J", "Pa", "N/m", "m/s"};
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

void set_equal_ranges(FILE *script, const double lo[2], const double hi[2]) {
    double extent[2] = {hi[0] - lo[0], hi[1] - lo[1]};
    double least = 0.7 * fmax(extent[0], extent[1]);
    if (!(least > 0)) least = 1.0;
    const char *names[2] = {"x", "y"};
    for (int k = 0; k < 2; k++) {
        double half = 0.54 * fmax(extent[k], least), middle = (lo[k] + hi[k]) / 2;
        fprintf(script, "set %srange [%.9g:%.9g]\n", names[k], middle - half, middle + half);
    }
    fputs("set size ratio -1\n", script);
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
