// What all panels share: axes, units, names.
#include "cli/figure.h"

#include <math.h>
#include <string.h>

#include "cli/gnuplot.h"
#include "cli/obstacles.h"

const char *const coordinate_names[3] = {"x", "y", "z"};

enum { MOST_CURVE_POINTS = 20000 };

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

static void grow_around_paths(figure *f, const result *r) {
    for (int j = 0; j < r->n_actuators; j++)
        grow_box(f, r->actuators[j].path, (long)r->n_times * r->actuators[j].n_points);
}

projection widest_view(const double lo[3], const double hi[3], bool *planar) {
    double extent[3];
    for (int k = 0; k < 3; k++) extent[k] = hi[k] - lo[k];
    int least = extent[1] <= extent[0] && extent[1] <= extent[2] ? 1
                : extent[0] <= extent[2]                         ? 0
                                                                 : 2;
    int across = least == 0 ? 1 : 0, up = least == 2 ? 1 : 2;
    *planar = extent[least] <= 0.02 * fmax(extent[across], extent[up]);
    return view_along(across, up);
}

figure figure_of(result *const *results, int n) {
    figure f = {.results = results, .n_results = n, .time = HUGE_VAL};
    for (int k = 0; k < 3; k++) f.lo[k] = HUGE_VAL, f.hi[k] = -HUGE_VAL;
    for (int i = 0; i < n; i++) grow_around(&f, results[i]);
    for (int k = 0; k < 3; k++)
        if (f.lo[k] > f.hi[k]) f.lo[k] = f.hi[k] = 0.0;
    bool planar;
    f.views[f.n_views++] = widest_view(f.lo, f.hi, &planar);
    if (!planar) f.views[f.n_views++] = view_from_corner();
    for (int i = 0; i < n; i++) grow_around_paths(&f, results[i]);
    for (int i = 0; i < n; i++)
        widen_for_obstacles(results[i], instant_of(results[i]->n_times - 1), f.lo, f.hi);
    return f;
}

// ---------------------------------------------------------------- panels
panel *panel_add(panel_list *l, panel p) {
    if (l->n < MOST_PANELS) l->list[l->n++] = p;
    return &l->list[l->n - 1];
}

static void set_colour_bar(FILE *script, const panel *p) {
    double pixel = 1.0 / p->sheet[0];
    fprintf(script,
            "set colorbox user vertical noborder origin screen %.6f,%.6f size screen %.6f,%.6f\n",
            p->x1 + 16.0 * pixel, p->y0, 14.0 * pixel, p->y1 - p->y0);
}

// The legend at the right of the title's line, or on lines of its own under it.
static void put_panel_legend(FILE *script, const panel *p) {
    double left = p->head * p->sheet[0], right = p->x1 * p->sheet[0];
    double top = (1.0 - p->y1) * p->sheet[1], width = right - left;
    if (p->beside) {
        put_legend(script, &p->legend, right - legend_width(&p->legend), top - 24, width, p->sheet);
    } else {
        int rows = legend_rows(&p->legend, width);
        put_legend(script, &p->legend, left, top - 5 - LEGEND_ROW * rows, width, p->sheet);
    }
}

void panel_begin(FILE *script, const panel *p) {
    fputs("reset\n"
          "unset key\n"
          "set border 3 lc rgb '#555555' lw 1\n"
          "set tics nomirror out scale 0.6\n"
          "set grid lc rgb '#e3e3e3' lw 0.8 lt 1\n"
          "set palette defined (0 '#2b2a72', 0.3 '#20739a', 0.6 '#35a37c', 0.85 '#c9c04a', "
          "1 '#f5d33f')\n",
          script);
    fprintf(script,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
            "set bmargin at screen %.6f\nset tmargin at screen %.6f\n",
            p->x0, p->x1, p->y0, p->y1);
    set_colour_bar(script, p);
    put_panel_legend(script, p);
    if (!p->title[0]) return;
    int rows = p->beside ? 0 : legend_rows(&p->legend, (p->x1 - p->head) * p->sheet[0]);
    fputs("set label ", script);
    gnuplot_text(script, p->title);
    fprintf(script, " at screen %.6f,%.6f left font ',12'\n", p->head,
            p->y1 + (15.0 + LEGEND_ROW * rows) / p->sheet[1]);
}

// ---------------------------------------------------------------- units
static axis_unit volume_unit_for(double largest) {
    if (largest >= 1.0) return (axis_unit){1.0, "m^3"};
    return largest >= 1e-6 ? (axis_unit){1e6, "cm^3"} : (axis_unit){1e9, "mm^3"};
}

axis_unit axis_unit_for(double largest, const char *unit) {
    static const struct {
        double factor;
        const char *prefix;
    } steps[] = {{1e-12, "T"}, {1e-9, "G"},     {1e-6, "M"}, {1e-3, "k"}, {1, ""},
                 {1e3, "m"},   {1e6, "\u00b5"}, {1e9, "n"},  {1e12, "p"}, {1e15, "f"}};
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

axis_unit shape_unit(const figure *f) {
    double largest = 0.0;
    for (int k = 0; k < 3; k++) largest = fmax(largest, fmax(fabs(f->lo[k]), fabs(f->hi[k])));
    return axis_unit_for(largest, "m");
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

// The name of the vertical axis stands at the edge of the panel, however long the numbers are.
void set_label(FILE *script, const panel *p, const char *axis, const char *name, const char *unit) {
    char text[192], raised[64];
    raise_powers(unit, raised, sizeof raised);
    snprintf(text, sizeof text, "%s%s%s%s", name, raised[0] ? " (" : "", raised,
             raised[0] ? ")" : "");
    bool upright = !strcmp(axis, "y");
    fputs(upright ? "set label " : "set xlabel ", script);
    gnuplot_text(script, text);
    if (upright)
        fprintf(script, " at screen %.6f,%.6f center rotate by 90", (p->left + 16) / p->sheet[0],
                (p->y0 + p->y1) / 2);
    fputc('\n', script);
}

// ---------------------------------------------------------------- ranges
double round_step(double x) {
    if (!(x > 0)) return 1.0;
    double power = pow(10.0, floor(log10(x))), digit = x / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

// Pixels that one mark of an axis needs, with its number.
enum { MARK_WIDTH = 85, MARK_HEIGHT = 48 };

// Numbers at the marks have the decimals that the step between them needs.
static void set_marks(FILE *script, const char *axis, double step) {
    fprintf(script, "set %stics %.9g\n", axis, step);
    if (step < 1e-5 || step > 1e5) return;
    int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    fprintf(script, "set format %s '%%.%df'\n", axis, decimals);
}

static void set_range(FILE *script, const char *axis, double lo, double hi, double marks) {
    fprintf(script, "set %srange [%.12g:%.12g]\n", axis, lo, hi);
    set_marks(script, axis, round_step((hi - lo) / fmax(marks, 1.5)));
}

// Both axes to the same scale, in the panel's rectangle. Returns how much a pixel is.
static double set_equal_ranges(FILE *script, const panel *p, const double lo[2], const double hi[2],
                               double air) {
    double aspect = p->width / p->height;
    double high = fmax(hi[1] - lo[1], (hi[0] - lo[0]) / aspect);
    if (!(high > 0)) high = 1.0;
    double half[2] = {air * high * aspect, air * high};
    const double room[2] = {p->width / MARK_WIDTH, p->height / MARK_HEIGHT};
    double step = 0.0;
    for (int k = 0; k < 2; k++) step = fmax(step, round_step(2 * half[k] / fmax(room[k], 1.5)));
    for (int k = 0; k < 2; k++) {
        double middle = (lo[k] + hi[k]) / 2;
        fprintf(script, "set %srange [%.12g:%.12g]\n", coordinate_names[k], middle - half[k],
                middle + half[k]);
        set_marks(script, coordinate_names[k], step);
    }
    return 2 * half[1] / p->height;
}

double set_space(FILE *script, const panel *p, const double lo[3], const double hi[3],
                 const axis_unit *unit) {
    double from[3], to[3], a[2], b[2];
    for (int k = 0; k < 3; k++) from[k] = unit->factor * lo[k], to[k] = unit->factor * hi[k];
    if (!p->view.corner) {
        box flat = {{from[0], from[1], from[2]}, {to[0], to[1], to[2]}};
        view_bounds(&p->view, &flat, a, b);
        double pixel = set_equal_ranges(script, p, a, b, 0.54);
        set_label(script, p, "x", coordinate_names[p->view.axis[0]], unit->text);
        set_label(script, p, "y", coordinate_names[p->view.axis[1]], unit->text);
        return pixel / unit->factor;
    }
    box around = box_around(from, to);
    view_bounds(&p->view, &around, a, b);
    // room inside for the numbers and names: left, right, below, above
    const double room[4] = {34, 72, 46, 34};
    double pixel = fmax((b[0] - a[0]) / fmax(p->width - room[0] - room[1], 20.0),
                        (b[1] - a[1]) / fmax(p->height - room[2] - room[3], 20.0));
    for (int k = 0; k < 2; k++) a[k] -= pixel * room[2 * k], b[k] += pixel * room[2 * k + 1];
    set_equal_ranges(script, p, a, b, 0.5);
    fputs("unset border\nunset tics\nunset grid\n", script);
    put_box_frame(script, &p->view, &around, unit->text, pixel);
    return pixel / unit->factor;
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

// ---------------------------------------------------------------- curves
void set_time_axis(FILE *script, const figure *f, const panel *p) {
    double from = HUGE_VAL, to = -HUGE_VAL;
    for (int i = 0; i < f->n_results; i++) {
        from = fmin(from, f->results[i]->time[0]);
        to = fmax(to, f->results[i]->time[f->results[i]->n_times - 1]);
    }
    if (p->names_time) set_label(script, p, "x", "time", "s");
    set_run_range(script, p, from, to);
}

bool has_time(const figure *f) {
    for (int i = 0; i < f->n_results; i++) {
        if (f->results[i]->n_times > 1) return true;
    }
    return false;
}

void put_curve(FILE *script, int *n, const char *data, const char *columns, pen with) {
    fprintf(script, "%s %s using %s with lines lc rgb '%s' dt %s lw 1.8 notitle",
            (*n)++ == 0 ? "plot" : ", \\\n", data, columns, with.colour, dash_type(with.dash));
}

int curve_stride(const result *r) {
    return 1 + r->n_times / MOST_CURVE_POINTS;
}

bool has_free_bodies(const figure *f) {
    for (int i = 0; i < f->n_results; i++)
        for (int k = 0; k < f->results[i]->n_bodies; k++)
            if (f->results[i]->bodies[k].free) return true;
    return false;
}
