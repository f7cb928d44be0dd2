// Panels over time: energies and inputs.
#include "cli/figure.h"

#include <math.h>
#include <string.h>

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

// The colours of the energies are their own: the same in every figure.
static pen energy_pen(int i) {
    return i < N_ENERGY ? (pen){curve_colour(i), 0} : (pen){"#222222", 1};
}

static void draw_energy(FILE *script, const figure *f, const panel *p) {
    const result *r = f->results[p->result];
    double lo, hi;
    energy_range(r, &lo, &hi);
    axis_unit unit = axis_unit_for(fmax(-lo, hi), "J");
    panel_begin(script, p);
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
    set_label(script, p, "y", "energy", unit.text);
    set_value_range(script, p, unit.factor * lo, unit.factor * hi);
    int n = 0;
    for (int i = 0; i <= N_ENERGY; i++) {
        char columns[32];
        snprintf(columns, sizeof columns, "1:%d", 2 + i);
        put_curve(script, &n, "$energy", columns, energy_pen(i));
    }
    fputc('\n', script);
}

void add_energy(panel_list *l, const figure *f) {
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        if (!has_energy(r)) continue;
        panel p = {.draw = draw_energy, .place = PLACE_TIME, .result = i};
        snprintf(p.title, sizeof p.title, "Energy%s%.100s", f->n_results > 1 ? ", " : "",
                 f->n_results > 1 ? r->label : "");
        for (int k = 0; k <= N_ENERGY; k++) {
            legend_add(&p.legend, f, k < N_ENERGY ? energy_names[k] : "balance", energy_pen(k));
            p.legend.entries[k].pen = energy_pen(k);
        }
        panel_add(l, p);
    }
}

// ---------------------------------------------------------------- inputs
// What an actuator of the same name shows anyway.
static bool repeats(const result *r, const result_input *input) {
    const double *same = NULL;
    for (int i = 0; i < r->n_actuators; i++)
        if (!strcmp(r->actuators[i].name, input->name)) same = r->actuators[i].values[VALUE_EFFORT];
    double largest = 0.0;
    for (int t = 0; same && t < r->n_times; t++) largest = fmax(largest, fabs(same[t]));
    for (int t = 0; same && t < r->n_times; t++)
        if (!(fabs(input->value[t] - same[t]) <= 1e-6 * largest)) return false;
    return same != NULL;
}

// Is input j of result i drawn in the panel of this unit?
static bool belongs(const figure *f, int i, int j, const char *unit) {
    const result_input *input = &f->results[i]->inputs[j];
    return !strcmp(input->unit, unit) && !(f->everything && repeats(f->results[i], input));
}

static void input_range(const figure *f, const char *unit, double *lo, double *hi) {
    *lo = HUGE_VAL, *hi = -HUGE_VAL;
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        for (int j = 0; j < r->n_inputs; j++) {
            if (!belongs(f, i, j, unit)) continue;
            for (int t = 0; t < r->n_times; t++) {
                *lo = fmin(*lo, r->inputs[j].value[t]);
                *hi = fmax(*hi, r->inputs[j].value[t]);
            }
        }
    }
}

static void put_input(FILE *script, const result *r, int i, int j, double factor) {
    fprintf(script, "$input%d_%d << EOD\n", i, j);
    for (int t = 0; t < r->n_times; t += curve_stride(r))
        fprintf(script, "%.9g %.9g\n", r->time[t], factor * r->inputs[j].value[t]);
    fputs("EOD\n", script);
}

// Every input that has the unit of input `which` of result `result`.
static void draw_inputs(FILE *script, const figure *f, const panel *p) {
    const char *base = f->results[p->result]->inputs[p->which].unit;
    double lo, hi;
    input_range(f, base, &lo, &hi);
    axis_unit unit = axis_unit_for(fmax(fabs(lo), fabs(hi)), base);
    panel_begin(script, p);
    set_time_axis(script, f, p);
    set_label(script, p, "y", "input", unit.text);
    set_value_range(script, p, unit.factor * lo, unit.factor * hi);
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_inputs; j++)
            if (belongs(f, i, j, base)) put_input(script, f->results[i], i, j, unit.factor);
    }
    int n = 0;
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        for (int j = 0; j < r->n_inputs; j++) {
            char data[48];
            snprintf(data, sizeof data, "$input%d_%d", i, j);
            if (belongs(f, i, j, base))
                put_curve(script, &n, data, "1:2", pen_of(f, i, r->inputs[j].name, j));
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
            if (belongs(f, i, j, unit)) return false;
        }
    }
    return belongs(f, which, input, unit);
}

static void add_unit(panel_list *l, const figure *f, int which, int input) {
    const char *unit = f->results[which]->inputs[input].unit;
    panel p = {.draw = draw_inputs,
               .place = PLACE_TIME,
               .title = "Inputs",
               .result = which,
               .which = input};
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        for (int j = 0; j < r->n_inputs; j++) {
            if (belongs(f, i, j, unit))
                legend_add(&p.legend, f, r->inputs[j].name, pen_of(f, i, r->inputs[j].name, j));
        }
    }
    panel_add(l, p);
}

void add_inputs(panel_list *l, const figure *f) {
    if (!has_time(f)) return;
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_inputs; j++)
            if (first_of_unit(f, i, j)) add_unit(l, f, i, j);
    }
}
