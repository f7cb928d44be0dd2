// sim/estimator_numbers.c - numbers that an estimator looks for: inputs, where a force acts, and biases of sensors. Sensors that drift and of which
// nothing is said have a bias that is 0 when the filter begins.
#include "sim/estimator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- which there are
static void put(unknown_number *to, int *n, unknown_number x) {
    if (to) to[*n] = x;
    ++*n;
}

static void put_biases(const td_system *system, int index, unknown_number x, unknown_number *to,
                       int *n) {
    x.sensor = index;
    for (x.channel = 0; x.channel < system->sensors[index].n_channels; x.channel++) put(to, n, x);
}

static bool has_bias(const td_estimator_def *def, const char *name) {
    for (int i = 0; i < def->n_unknowns; i++)
        if (def->unknowns[i].bias && strcmp(def->unknowns[i].bias, name) == 0) return true;
    return false;
}

int estimator_numbers(const td_system *system, unknown_number *to) {
    const td_estimator_def *def = system->estimator;
    int n = 0;
    for (int i = 0; i < def->n_unknowns; i++) {
        const td_unknown_def *u = &def->unknowns[i];
        unknown_number x = {u, false, -1, 0, u->mean, u->deviation, u->walk};
        if (u->bias) {
            put_biases(system, td_find_sensor(system, u->bias), x, to, &n);
            continue;
        }
        put(to, &n, x);
        if (u->n_inputs == 1) continue;
        x.place = true, x.mean = u->place_mean, x.walk = u->place_walk;
        x.deviation = u->place_deviation == HUGE_VAL  // anywhere between its places
                          ? (u->places[u->n_inputs - 1] - u->places[0]) / sqrt(12.0)
                          : u->place_deviation;
        put(to, &n, x);
    }
    for (int i = 0; i < system->n_sensors; i++) {
        const sensor *s = &system->sensors[i];
        const unknown_number drift = {.walk = s->def.drift};
        if (s->def.drift > 0.0 && !has_bias(def, s->name) && estimator_uses(system, i))
            put_biases(system, i, drift, to, &n);
    }
    return n;
}

const char *estimator_number_name(const td_system *system, const unknown_number *x, char *text,
                                  size_t size) {
    char channel[160];
    const td_unknown_def *u = x->of;
    if (x->sensor >= 0) {
        const sensor *s = &system->sensors[x->sensor];
        td_sensor_channel(system, x->sensor, x->channel, channel, sizeof channel);
        if (u && u->name)  // in place of the sensor's
            snprintf(text, size, "%.80s%.60s", u->name, channel + strlen(s->name));
        else snprintf(text, size, "%.140s.bias", channel);
        return s->unit;
    }
    snprintf(text, size, "%.80s%s", u->name ? u->name : system->inputs[u->inputs[0]].name,
             x->place ? ".place" : "");
    return x->place ? "m" : system->inputs[u->inputs[0]].unit;
}

// ---------------------------------------------------------------- what inputs follow from them
// The share of a force at s that the place k takes over, and its slope.
static double share_at(const td_unknown_def *u, int k, double s, double *slope) {
    const int n = u->n_inputs;
    int i = 0;
    *slope = 0.0;
    if (n == 1) return 1.0;
    s = fmin(fmax(s, u->places[0]), u->places[n - 1]);
    while (i < n - 2 && s >= u->places[i + 1]) i++;
    const double h = u->places[i + 1] - u->places[i], x = (s - u->places[i]) / h;
    if (k == i) return *slope = -1.0 / h, 1.0 - x;
    if (k == i + 1) return *slope = 1.0 / h, x;
    return 0.0;
}

// Is it what inputs follow from, and not where, nor a bias?
static bool is_size(const unknown_number *x) {
    return x->sensor < 0 && !x->place;
}

void unknowns_apply(const td_estimator *e, const double *w) {
    for (int j = 0; j < e->n_w; j++) {
        const td_unknown_def *u = e->numbers[j].of;
        double slope;
        for (int k = 0; is_size(&e->numbers[j]) && k < u->n_inputs; k++) {
            const double share = share_at(u, k, u->n_inputs > 1 ? w[j + 1] : 0.0, &slope);
            e->state->inputs[u->inputs[k]] = share * w[j];
            e->state->rate_given[u->inputs[k]] = 0.0;
        }
    }
}

void unknowns_slopes(td_estimator *e, const double *w) {
    memset(e->U, 0, sizeof *e->U * (size_t)e->system->n_inputs * (size_t)e->n_w);
    for (int j = 0; j < e->n_w; j++) {
        const td_unknown_def *u = e->numbers[j].of;
        for (int k = 0; is_size(&e->numbers[j]) && k < u->n_inputs; k++) {
            double slope, *row = e->U + u->inputs[k] * e->n_w;
            row[j] = share_at(u, k, u->n_inputs > 1 ? w[j + 1] : 0.0, &slope);
            if (u->n_inputs > 1) row[j + 1] = slope * w[j];
        }
    }
}

void unknowns_within_places(const td_estimator *e, double *w) {
    for (int j = 0; j < e->n_w; j++) {
        const td_unknown_def *u = e->numbers[j].of;
        if (e->numbers[j].place) w[j] = fmin(fmax(w[j], u->places[0]), u->places[u->n_inputs - 1]);
    }
}

// ---------------------------------------------------------------- what they are
double td_estimator_truth(const td_estimator *e, const td_state *state, int number) {
    if (number < 0 || number >= e->n_w) return (double)NAN;
    const unknown_number *x = &e->numbers[number];
    if (x->sensor >= 0)
        return e->system->sensors[x->sensor].def.bias + state->sensors[x->sensor].drift[x->channel];
    double sum = 0.0, moment = 0.0;
    for (int k = 0; k < x->of->n_inputs; k++) {
        sum += state->inputs_before[x->of->inputs[k]];
        moment += x->of->places[k] * state->inputs_before[x->of->inputs[k]];
    }
    if (!x->place) return sum;
    return sum != 0.0 ? moment / sum : (double)NAN;
}
