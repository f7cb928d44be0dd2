// Panels over time: tip coordinates and path, energies, inputs.
#include "cli/figure.h"

#include <math.h>
#include <string.h>

#include "cli/gnuplot.h"

void set_time_axis(FILE *script, const figure *f, const panel *p) {
    double from = HUGE_VAL, to = -HUGE_VAL;
    for (int i = 0; i < f->n_results; i++) {
        from = fmin(from, f->results[i]->time[0]);
        to = fmax(to, f->results[i]->time[f->results[i]->n_times - 1]);
    }
    if (p->names_time) set_label(script, "x", "time", "s");
    set_run_range(script, p, from, to);
}

bool has_time(const figure *f) {
    for (int i = 0; i < f->n_results; i++) {
        if (f->results[i]->n_times > 1) return true;
    }
    return false;
}

void put_curve(FILE *script, int *n, const char *data, const char *columns, const char *style,
               const char *title) {
    fprintf(script, "%s %s using %s with %s ", (*n)++ == 0 ? "plot" : ", \\\n", data, columns,
            style);
    fputs(title[0] ? "title " : "notitle", script);
    if (title[0]) gnuplot_text(script, title);
}

// ---------------------------------------------------------------- tip
static const double *tip_at(const result_rod *rod, int record) {
    return rod->position + 3 * ((long)(record + 1) * rod->n_points - 1);
}

static void tip_range(const figure *f, int axis, double *lo, double *hi) {
    *lo = HUGE_VAL, *hi = -HUGE_VAL;
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        for (int j = 0; j < r->n_rods; j++) {
            for (int t = 0; r->rods[j].position && t < r->n_times; t++) {
                *lo = fmin(*lo, tip_at(&r->rods[j], t)[axis]);
                *hi = fmax(*hi, tip_at(&r->rods[j], t)[axis]);
            }
        }
    }
}

// Lines "time x y z" for every rod of every result, in $tip<result>_<rod>.
static void put_tips(FILE *script, const figure *f, double factor) {
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        for (int j = 0; j < r->n_rods; j++) {
            if (!r->rods[j].position) continue;
            fprintf(script, "$tip%d_%d << EOD\n", i, j);
            for (int t = 0; t < r->n_times; t += curve_stride(r)) {
                const double *p = tip_at(&r->rods[j], t);
                fprintf(script, "%.9g %.9g %.9g %.9g\n", r->time[t], factor * p[0], factor * p[1],
                        factor * p[2]);
            }
            fputs("EOD\n", script);
        }
    }
}

static int put_tip_curves(FILE *script, const figure *f, const char *columns, int n) {
    int curve = 0;
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_rods; j++) {
            if (!f->results[i]->rods[j].position) continue;
            char data[48], style[64], title[320];
            snprintf(data, sizeof data, "$tip%d_%d", i, j);
            snprintf(style, sizeof style, "lines lc rgb '%s' lw 1.8", curve_colour(curve++));
            curve_title(f, i, j, title, sizeof title);
            put_curve(script, &n, data, columns, style, title);
        }
    }
    return n;
}

static void draw_coordinate(FILE *script, const figure *f, const panel *p) {
    double lo, hi;
    char title[32], columns[32];
    tip_range(f, p->which, &lo, &hi);
    axis_unit unit = axis_unit_for(fmax(fabs(lo), fabs(hi)), "m");
    snprintf(title, sizeof title, "Tip %s", coordinate_names[p->which]);
    panel_begin(script, p, title);
    put_tips(script, f, unit.factor);
    set_time_axis(script, f, p);
    set_label(script, "y", coordinate_names[p->which], unit.text);
    set_value_range(script, p, unit.factor * lo, unit.factor * hi);
    snprintf(columns, sizeof columns, "1:%d", 2 + p->which);
    put_tip_curves(script, f, columns, 0);
    fputc('\n', script);
}

// Open circle: where a path begins. Full circle: where it ends.
static int put_path_ends(FILE *script, const figure *f, int a, int b, int n) {
    int curve = 0;
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_rods; j++, curve++) {
            if (!f->results[i]->rods[j].position) continue;
            char data[48], columns[32], style[96];
            snprintf(data, sizeof data, "$tip%d_%d", i, j);
            snprintf(columns, sizeof columns, "%d:%d", 2 + a, 2 + b);
            snprintf(style, sizeof style, "points pt 6 ps 1.1 lw 1.6 lc rgb '%s'",
                     curve_colour(curve));
            char first[80], last[80];
            snprintf(first, sizeof first, "%s every ::0::0", data);
            snprintf(last, sizeof last, "%s every ::%d", data,
                     (f->results[i]->n_times - 1) / curve_stride(f->results[i]));
            put_curve(script, &n, first, columns, style, "");
            style[10] = '7';
            put_curve(script, &n, last, columns, style, "");
        }
    }
    return n;
}

static void draw_path(FILE *script, const figure *f, const panel *p) {
    double lo[3], hi[3];
    for (int k = 0; k < 3; k++) tip_range(f, k, &lo[k], &hi[k]);
    const int a = f->axis[0], b = f->axis[1];
    axis_unit unit = shape_unit(f);
    panel_begin(script, p, "Tip path");
    put_tips(script, f, unit.factor);
    set_label(script, "x", coordinate_names[a], unit.text);
    set_label(script, "y", coordinate_names[b], unit.text);
    set_equal_ranges(script, p, (double[]){unit.factor * lo[a], unit.factor * lo[b]},
                     (double[]){unit.factor * hi[a], unit.factor * hi[b]});
    char columns[32];
    snprintf(columns, sizeof columns, "%d:%d", 2 + a, 2 + b);
    put_path_ends(script, f, a, b, put_tip_curves(script, f, columns, 0));
    fputc('\n', script);
}

// Coordinates that move (both of the projection when nothing does), and the path when more than
// one does.
void add_tip(panel_list *l, const figure *f) {
    double size = 0.0;
    bool moves[3] = {false};
    int n = 0;
    for (int k = 0; k < 3; k++) size = fmax(size, f->hi[k] - f->lo[k]);
    if (!has_time(f) || !(size > 0) || (f->everything && has_free_bodies(f))) return;
    for (int k = 0; k < 3; k++) {
        double lo, hi;
        tip_range(f, k, &lo, &hi);
        moves[k] = hi - lo > STILL * size;
        n += moves[k];
    }
    if (n == 0) moves[f->axis[0]] = moves[f->axis[1]] = true;
    for (int k = 0; k < 3; k++) {
        if (moves[k])
            panel_add(l, (panel){.draw = draw_coordinate, .place = PLACE_TIME, .which = k});
    }
    if (n > 1) panel_add(l, (panel){.draw = draw_path});
}

// ---------------------------------------------------------------- energy
static bool has_energy(const result *r) {
    for (int i = 0; i < N_ENERGY; i++) {
        if (!r->energy[i]) return false;
    }
    return r->n_times > 1;
}

// Gravity counts from its value at the start; the last one is what should stay zero.
static void energies_at(const result *r, int t, double e[N_ENERGY + 1]) {
    for (int i = 0; i < N_ENERGY; i++) e[i] = r->energy[i][t];
    e[ENERGY_GRAVITY] -= r->energy[ENERGY_GRAVITY][0];
    e[N_ENERGY] = e[ENERGY_KINETIC] + e[ENERGY_ELASTIC] + e[ENERGY_GRAVITY] + e[ENERGY_DISSIPATED] -
                  e[ENERGY_WORK] - r->energy[ENERGY_KINETIC][0] - r->energy[ENERGY_ELASTIC][0] -
                  r->energy[ENERGY_DISSIPATED][0] + r->energy[ENERGY_WORK][0];
}

static void energy_range(const result *r, double *lo, double *hi) {
    *lo = *hi = 0.0;
    for (int t = 0; t < r->n_times; t++) {
        double e[N_ENERGY + 1];
        energies_at(r, t, e);
        for (int i = 0; i <= N_ENERGY; i++) *lo = fmin(*lo, e[i]), *hi = fmax(*hi, e[i]);
    }
}

static void draw_energy(FILE *script, const figure *f, const panel *p) {
    const result *r = f->results[p->result];
    double lo, hi;
    energy_range(r, &lo, &hi);
    axis_unit unit = axis_unit_for(fmax(-lo, hi), "J");
    char title[160];
    snprintf(title, sizeof title, "Energy%s%.16s", f->n_results > 1 ? ", " : "",
             f->n_results > 1 ? r->label : "");
    panel_begin(script, p, title);
    fputs("set key width -2\n", script);  // six names on one line
    fputs("$energy << EOD\n", script);
    for (int t = 0; t < r->n_times; t += curve_stride(r)) {
        double e[N_ENERGY + 1];
        energies_at(r, t, e);
        fprintf(script, "%.9g", r->time[t]);
        for (int i = 0; i <= N_ENERGY; i++) fprintf(script, " %.9g", unit.factor * e[i]);
        fputc('\n', script);
    }
    fputs("EOD\n", script);
    set_time_axis(script, f, p);
    set_label(script, "y", "energy", unit.text);
    set_value_range(script, p, unit.factor * lo, unit.factor * hi);
    int n = 0;
    for (int i = 0; i <= N_ENERGY; i++) {
        char columns[32], style[64];
        snprintf(columns, sizeof columns, "1:%d", 2 + i);
        snprintf(style, sizeof style, "lines lc rgb '%s' lw %s",
                 i < N_ENERGY ? curve_colour(i) : "#222222", i < N_ENERGY ? "1.8" : "1.4 dt 2");
        put_curve(script, &n, "$energy", columns, style,
                  i < N_ENERGY ? energy_names[i] : "balance");
    }
    fputc('\n', script);
}

void add_energy(panel_list *l, const figure *f) {
    for (int i = 0; i < f->n_results; i++) {
        if (has_energy(f->results[i]))
            panel_add(l, (panel){.draw = draw_energy, .place = PLACE_TIME, .result = i});
    }
}

// ---------------------------------------------------------------- inputs
static bool has_unit(const result *r, int input, const char *unit) {
    return !strcmp(r->inputs[input].unit, unit);
}

static void input_range(const figure *f, const char *unit, double *lo, double *hi) {
    *lo = HUGE_VAL, *hi = -HUGE_VAL;
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        for (int j = 0; j < r->n_inputs; j++) {
            if (!has_unit(r, j, unit)) continue;
            for (int t = 0; t < r->n_times; t++) {
                *lo = fmin(*lo, r->inputs[j].value[t]);
                *hi = fmax(*hi, r->inputs[j].value[t]);
            }
        }
    }
}

static void put_inputs(FILE *script, const figure *f, const char *unit, double factor) {
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        for (int j = 0; j < r->n_inputs; j++) {
            if (!has_unit(r, j, unit)) continue;
            fprintf(script, "$input%d_%d << EOD\n", i, j);
            for (int t = 0; t < r->n_times; t += curve_stride(r))
                fprintf(script, "%.9g %.9g\n", r->time[t], factor * r->inputs[j].value[t]);
            fputs("EOD\n", script);
        }
    }
}

// Every input that has the unit of input `which` of result `result`.
static void draw_inputs(FILE *script, const figure *f, const panel *p) {
    const char *base = f->results[p->result]->inputs[p->which].unit;
    double lo, hi;
    input_range(f, base, &lo, &hi);
    axis_unit unit = axis_unit_for(fmax(fabs(lo), fabs(hi)), base);
    panel_begin(script, p, "Inputs");
    set_time_axis(script, f, p);
    set_label(script, "y", "input", unit.text);
    set_value_range(script, p, unit.factor * lo, unit.factor * hi);
    put_inputs(script, f, base, unit.factor);
    int n = 0;
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        for (int j = 0; j < r->n_inputs; j++) {
            if (!has_unit(r, j, base)) continue;
            char data[48], style[64], title[320];
            snprintf(data, sizeof data, "$input%d_%d", i, j);
            snprintf(style, sizeof style, "lines lc rgb '%s' lw 1.8", curve_colour(n));
            snprintf(title, sizeof title, "%s%s%s", f->n_results > 1 ? r->label : "",
                     f->n_results > 1 ? ", " : "", r->inputs[j].name);
            put_curve(script, &n, data, "1:2", style, title);
        }
    }
    fputc('\n', script);
}

// Is this the first input of its unit?
static bool first_of_unit(const figure *f, int which, int input) {
    const char *unit = f->results[which]->inputs[input].unit;
    for (int i = 0; i <= which; i++) {
        int n = i < which ? f->results[i]->n_inputs : input;
        for (int j = 0; j < n; j++) {
            if (!strcmp(f->results[i]->inputs[j].unit, unit)) return false;
        }
    }
    return true;
}

void add_inputs(panel_list *l, const figure *f) {
    if (!has_time(f)) return;
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_inputs; j++) {
            if (first_of_unit(f, i, j))
                panel_add(
                    l, (panel){.draw = draw_inputs, .place = PLACE_TIME, .result = i, .which = j});
        }
    }
}
