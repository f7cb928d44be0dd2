// The robot as it is believed to be by its sensors, where its file has an estimator: it is told what the robot is told, but for what
// is not known, and for pulls by hand.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/live_inner.h"
#include "view/text.h"

enum { MOST_CHANNELS = 64 };  // of a sensor of which is told
enum { POSE = 6, STATIONS = 11 };

static void free_belief(belief *b) {
    td_estimator_destroy(b->estimator);
    free(b->readings);
    free(b->values);
    free(b->arrived);
    for (int i = 0; i < b->n_along; i++) td_linearisation_destroy(b->along[i]);
    free(b->along);
    free(b->covariance);
    free(b->spread);
    *b = (belief){0};
}

void live_disbelieve(live *l) {
    free_belief(&l->belief);
}

// Under this model there is none, or no longer: pages are told why.
static void tell_none(live *l, const char *why) {
    char text[768];
    snprintf(text, sizeof text, "no estimate under %s: %s", l->options.model, why);
    live_tell_lasting(l, text_message("note", text));
    live_disbelieve(l);
}

static bool reserve(belief *b, const td_system *system) {
    const size_t n = (size_t)td_n_sensors(system) + 1;
    size_t channels = 1;
    for (int i = 0; i < td_n_sensors(system); i++)
        channels += (size_t)td_sensor_channels(system, i);
    b->readings = calloc(n, sizeof *b->readings);
    b->arrived = calloc(n, sizeof *b->arrived);
    b->values = calloc(channels, sizeof *b->values);
    return b->readings && b->arrived && b->values;
}

// ---------------------------------------------------------------- how sure it is along rods
// The covariance of STATIONS poses on each rod, positions last in each; points of the scene between them get a mix of both.

static td_linearisation *along_rod(const td_system *system, const scene_rod *r, int rod,
                                   td_error *err) {
    td_output places[STATIONS];
    for (int k = 0; k < STATIONS; k++)
        places[k] = (td_output){.quantity = TD_OUTPUT_POSE,
                                .body = -1,
                                .rod = rod,
                                .s = r->length * k / (STATIONS - 1)};
    return td_linearisation_create(system, places, STATIONS, err);
}

static bool reserve_along(live *l, td_error *err) {
    belief *b = &l->belief;
    const scene *s = l->scene;
    b->along = calloc((size_t)s->n_rods + 1, sizeof *b->along);
    b->covariance = calloc(POSE * STATIONS * POSE * STATIONS, sizeof *b->covariance);
    b->spread = calloc((size_t)(SPREAD_FLOATS * s->rod_points) + 1, sizeof *b->spread);
    if (!b->along || !b->covariance || !b->spread) {
        error_set(err, TD_ERR_MEMORY, l->stage->path, "out of memory");
        return false;
    }
    for (b->n_along = 0; b->n_along < s->n_rods; b->n_along++) {
        b->along[b->n_along] = along_rod(l->main->system, &s->rods[b->n_along], b->n_along, err);
        if (!b->along[b->n_along]) return false;
    }
    return true;
}

// Of the position at a place between stations.
static void spread_at(const double *covariance, double x, double to[SPREAD_FLOATS]) {
    const int n = POSE * STATIONS, k = (int)fmax(0.0, fmin(floor(x), STATIONS - 2));
    const double *below = covariance + (size_t)((POSE * k + 3) * (n + 1));
    const double *above = below + (size_t)(POSE * (n + 1));
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            *to++ = (1.0 - (x - k)) * below[i * n + j] + (x - k) * above[i * n + j];
}

const double *live_spread(live *l) {
    belief *b = &l->belief;
    double *to = b->spread;
    for (int i = 0; i < l->scene->n_rods; i++) {
        const scene_rod *r = &l->scene->rods[i];
        const bool known = td_estimator_get_outputs(b->estimator, b->along[i], b->covariance) >= 0;
        for (int k = 0; k < r->n_points; k++, to += SPREAD_FLOATS) {
            if (known) spread_at(b->covariance, (STATIONS - 1) * r->s[k] / r->length, to);
            else
                for (int c = 0; c < SPREAD_FLOATS; c++) to[c] = (double)NAN;
        }
    }
    return b->spread;
}

// What sensors have read since the last call; with `again` what they read last, too.
static int take_readings(live *l, bool again) {
    belief *b = &l->belief;
    const rig *r = l->main;
    double *to = b->values;
    int n = 0;
    for (int i = 0; i < td_n_sensors(r->system); to += td_sensor_channels(r->system, i++)) {
        const int arrived = td_get_sensor(r->system, r->state, i, to, NULL);
        const bool fresh = arrived > (again ? 0 : b->arrived[i]);
        b->arrived[i] = arrived;
        if (fresh && td_estimator_uses(b->estimator, i)) b->readings[n++] = (td_reading){i, to};
    }
    return n;
}

// Inputs that are not known are refused, and keep what is believed of them.
static void tell_inputs(live *l) {
    for (int i = 0; i < l->stage->n_inputs; i++)
        td_estimator_set_input(l->belief.estimator, i,
                               td_get_input(l->main->system, l->main->state, i));
}

// At the start as the file says; later at rest under the present inputs, as the robot then is.
static void begin(live *l) {
    td_estimator *e = l->belief.estimator;
    td_status status = td_estimator_begin(e);
    const int n = take_readings(l, true);
    if (status >= 0 && live_time(l) > 0.0) {
        status = td_estimator_set_time(e, live_time(l));
        tell_inputs(l);
        if (status >= 0) status = td_estimator_rest(e, l->belief.readings, n);
    }
    if (status < 0) tell_none(l, td_estimator_message(e));
}

void live_believe(live *l) {
    td_error err = {0};
    live_disbelieve(l);
    if (!l->loop.estimates) return;
    l->belief.estimator = td_estimator_create(l->main->system, &err);
    if (!l->belief.estimator) tell_none(l, err.message);
    else if (!reserve(&l->belief, l->main->system)) tell_none(l, "out of memory");
    else if (!reserve_along(l, &err)) tell_none(l, err.message);
    else begin(l);
}

void live_believe_step(live *l) {
    belief *b = &l->belief;
    if (!b->estimator) return;
    tell_inputs(l);
    if (b->jumped) td_estimator_restart(b->estimator);
    b->jumped = false;
    td_status status = td_estimator_step(b->estimator, l->step);
    const int n = take_readings(l, false);
    if (status >= 0 && n > 0) status = td_estimator_update(b->estimator, b->readings, n);
    if (status >= 0) return;
    tell_none(l, td_estimator_message(b->estimator));
    live_forget_past(l);
}

// ---------------------------------------------------------------- the last minute
size_t belief_bytes(const live *l) {
    return l->belief.estimator ? td_estimator_bytes(l->belief.estimator) : 0;
}

void belief_save(const live *l, unsigned char *to) {
    if (l->belief.estimator) td_estimator_save(l->belief.estimator, to, belief_bytes(l));
}

void belief_restore(live *l, const unsigned char *from) {
    if (!l->belief.estimator) return;
    td_estimator_restore(l->belief.estimator, from, belief_bytes(l));
    take_readings(l, false);  // those of that moment have been taken in
}

// ---------------------------------------------------------------- what it says
static void name_number(live_channel *to, const td_system *system, const td_unknown_def *u,
                        bool place) {
    const char *input = td_input_name(system, u->inputs[0]);
    snprintf(to->name, sizeof to->name, "%.80s%s", u->name ? u->name : input,
             place ? ".place" : "");
    snprintf(to->unit, sizeof to->unit, "%s", place ? "m" : td_input_unit(system, u->inputs[0]));
}

// In the order of td_estimator_get, whether the present model has an estimator or not.
bool live_learn_numbers(live *l) {
    const td_estimator_def *def = td_robot_estimator(l->stage->robot);
    live_loop *loop = &l->loop;
    loop->estimates = def != NULL;
    loop->numbers = calloc(def ? 2 * (size_t)def->n_unknowns + 1 : 1, sizeof *loop->numbers);
    l->believed =
        calloc(2 * (2 * (size_t)(def ? def->n_unknowns : 0) + (size_t)loop->n_channels) + 1,
               sizeof *l->believed);
    if (!loop->numbers || !l->believed) return false;
    for (int i = 0; def && i < def->n_unknowns; i++) {
        const td_unknown_def *u = &def->unknowns[i];
        name_number(&loop->numbers[loop->n_numbers++], l->main->system, u, false);
        if (u->n_inputs > 1)
            name_number(&loop->numbers[loop->n_numbers++], l->main->system, u, true);
    }
    return true;
}

// Of every number and every channel what is believed, and its deviation; NaN where nothing is.
void live_tell_belief(live *l) {
    belief *b = &l->belief;
    double *to = l->believed;
    const td_system *system = l->main->system;
    for (int i = 0; i < 2 * (l->loop.n_numbers + l->loop.n_channels); i++) to[i] = (double)NAN;
    if (!b->estimator) return;
    for (int i = 0; i < l->loop.n_numbers; i++, to += 2)
        to[0] = td_estimator_get(b->estimator, i, &to[1]);
    for (int i = 0; i < td_n_sensors(system); i++) {
        const int n = td_sensor_channels(system, i);
        double reading[MOST_CHANNELS], deviation[MOST_CHANNELS];
        if (n <= MOST_CHANNELS && td_estimator_get_sensor(b->estimator, i, reading, deviation) >= 0)
            for (int k = 0; k < n; k++) to[2 * k] = reading[k], to[2 * k + 1] = deviation[k];
        to += 2 * n;
    }
}
