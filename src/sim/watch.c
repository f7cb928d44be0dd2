// sim/watch.c - the estimator within a state: loaded from the kept block, moved on, and stored again.
#include "sim/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sim/controller.h"
#include "sim/estimator.h"
#include "sim/sensor.h"

// ---------------------------------------------------------------- who reads it
bool watch_needed(const td_system *system) {
    bool needed = false;
    for (int i = 0; i < system->n_sensors; i++) needed = needed || system->sensors[i].estimated;
    for (int i = 0; i < system->n_controllers; i++)
        needed = needed || system->controllers[i].def.estimated;
    return needed;
}

static const char *reader_of(const td_system *system) {
    for (int i = 0; i < system->n_sensors; i++)
        if (system->sensors[i].estimated) return system->sensors[i].name;
    for (int i = 0; i < system->n_controllers; i++)
        if (system->controllers[i].def.estimated) return system->controllers[i].name;
    return "";
}

static td_status check_deviations(const td_system *system, td_error *err) {
    const td_estimator_def *def = system->estimator;
    for (int i = 0; i < def->n_unknowns; i++) {
        if (isfinite(def->unknowns[i].deviation)) continue;
        return error_set(err, TD_ERR_VALUE, "estimator.unknowns",
                         "'%s' has no deviation, which a filter in the loop starts from ('%s' "
                         "reads it)",
                         def->unknowns[i].name ? def->unknowns[i].name
                                               : system->inputs[def->unknowns[i].inputs[0]].name,
                         reader_of(system));
    }
    return TD_OK;
}

td_status watch_check(const td_system *system, td_error *err) {
    td_error why = {0};
    if (!system->watches) return TD_OK;
    if (!system->estimator)
        return error_set(err, TD_ERR_VALUE, "estimator",
                         "'%s' reads an estimate, and the robot says nothing of an estimator",
                         reader_of(system));
    const td_status status = check_deviations(system, err);
    if (status < 0) return status;
    td_estimator *e = td_estimator_create(system, &why);
    if (!e) return error_set(err, why.status, why.where, "%s", why.message);
    const bool steps = !e->why[0];
    if (!steps)
        error_set(err, TD_ERR_UNSUPPORTED, "estimator", "'%s' reads it in motion: %s",
                  reader_of(system), e->why);
    td_estimator_destroy(e);
    return steps ? TD_OK : TD_ERR_UNSUPPORTED;
}

// ---------------------------------------------------------------- memory
static int n_channels(const td_system *system) {
    int n = 0;
    for (int i = 0; i < system->n_sensors; i++)
        if (system->sensors[i].estimated) n += system->sensors[i].n_channels;
    return n;
}

void watch_layout(const td_system *system, arena *keep, td_state *state) {
    if (!system->watches || !system->estimator) return;
    watch_memory *w = &state->watch;
    w->state_doubles = keep->used / sizeof(double);
    w->numbers_doubles = estimator_n_kept(system);
    w->kept = ARENA_TAKE(keep, watch_kept, 1);
    w->values = ARENA_TAKE(keep, double, n_channels(system));
    w->coordinates = ARENA_TAKE(keep, double, 2 * td_n_coordinates(system));
    w->state = ARENA_TAKE(keep, double, w->state_doubles);
    w->numbers = ARENA_TAKE(keep, double, w->numbers_doubles);
}

bool watch_attach(const td_system *system, td_state *state) {
    if (!system->watches) return true;
    state->watch.estimator = td_estimator_create(system, NULL);
    return state->watch.estimator;
}

void watch_detach(td_state *state) {
    td_estimator_destroy(state->watch.estimator);
}

static td_estimator *load(td_state *state) {
    const watch_memory *w = &state->watch;
    td_estimator *e = w->estimator;
    memcpy(e->state->keep, w->state, sizeof(double) * w->state_doubles);
    memcpy(e->kept, w->numbers, sizeof(double) * w->numbers_doubles);
    return e;
}

static void store(const td_system *system, td_state *state) {
    const watch_memory *w = &state->watch;
    td_estimator *e = w->estimator;
    double *value = w->values;
    memcpy(w->state, e->state->keep, sizeof(double) * w->state_doubles);
    memcpy(w->numbers, e->kept, sizeof(double) * w->numbers_doubles);
    td_get_coordinates(system, e->state, w->coordinates, w->coordinates + td_n_coordinates(system));
    for (int i = 0; i < system->n_sensors; i++) {
        const sensor *s = &system->sensors[i];
        if (!s->estimated) continue;
        if (s->word->what == SENSOR_NUMBER) *value = td_estimator_get(e, s->number, NULL);
        else sensor_truth(system, e->state, i, value);
        value += s->n_channels;
    }
}

static td_status failed(const td_estimator *e, td_state *state, td_status status) {
    return tell(state->message, status, "estimator: %s",
                e->message[0] ? e->message : td_status_name(status));
}

// ---------------------------------------------------------------- when
static double slack_of(double period, double t) {
    return 1e-12 * fabs(t) + 1e-6 * period;
}

static void plan_next(const td_system *system, td_state *state, double t) {
    const double period = system->estimator->period;
    state->watch.kept->next =
        period > 0.0 ? period * (floor((t + slack_of(period, t)) / period) + 1.0) : t;
}

static td_status begin(const td_system *system, td_state *state, const double *inputs,
                       const double *rates, const double *given, bool rests) {
    td_estimator *e = state->watch.estimator;
    const double now = state->clock->time;
    td_state_reset(system, e->state);
    for (int i = 0; i < system->n_inputs; i++) {
        e->state->inputs[i] = inputs[i];
        e->state->rates[i] = rates[i], e->state->rate_given[i] = given[i];
        if (!rests) e->state->inputs_before[i] = inputs[i];
    }
    td_status status = estimator_begin_here(e, rests);
    if (status >= 0 && now != 0.0) status = td_set_time(system, e->state, now);
    if (status < 0) return failed(e, state, status);
    state->watch.kept->begun = 1.0;
    state->watch.kept->next = now;
    store(system, state);
    return TD_OK;
}

td_status watch_begin(const td_system *system, td_state *state, bool rests) {
    if (!state->watch.estimator) return TD_OK;
    // an equilibrium has taken its inputs in
    return begin(system, state, state->inputs, state->rates,
                 rests ? state->given_before : state->rate_given, rests);
}

td_status watch_ready(const td_system *system, td_state *state) {
    if (!state->watch.estimator || state->watch.kept->begun != 0.0) return TD_OK;
    return begin(system, state, state->inputs_before, state->rates_before, state->given_before,
                 false);
}

td_status watch_apply_initial(const td_system *system, td_state *state) {
    if (!state->watch.estimator || state->watch.kept->begun == 0.0) return TD_OK;
    td_estimator *e = load(state);
    const td_status status = td_apply_initial(system, e->state);
    if (status >= 0) store(system, state);
    return status < 0 ? tell(state->message, status, "%s", e->state->message) : TD_OK;
}

td_status watch_follow(const td_system *system, td_state *state) {
    const double t = state->clock->time;
    if (!state->watch.estimator) return TD_OK;
    if (t < state->watch.kept->next - slack_of(system->estimator->period, t)) return TD_OK;
    td_estimator *e = load(state);
    const td_status status = td_estimator_follow(e, state);
    if (status < 0) return failed(e, state, status);
    store(system, state);
    plan_next(system, state, t);
    return TD_OK;
}

// One that is due stays so; else the next multiple by the new clock.
td_status watch_set_time(const td_system *system, td_state *state, double now, double t) {
    if (!state->watch.estimator || state->watch.kept->begun == 0.0) return TD_OK;
    td_estimator *e = load(state);
    const bool due = now >= state->watch.kept->next - slack_of(system->estimator->period, now);
    const double behind = now - e->state->clock->time, fresh = e->state->clock->fresh;
    const td_status status = td_estimator_set_time(e, t - behind);
    if (status < 0) return failed(e, state, status);
    e->state->clock->fresh = fresh;  // where the robot restarts it follows
    store(system, state);
    plan_next(system, state, t);
    if (due) state->watch.kept->next = t;
    return TD_OK;
}

// ---------------------------------------------------------------- what it believes
void watch_get_sensor(const td_system *system, const td_state *state, int index, double *reading) {
    int first = 0;
    for (int i = 0; i < index; i++)
        if (system->sensors[i].estimated) first += system->sensors[i].n_channels;
    memcpy(reading, state->watch.values + first,
           sizeof *reading * (size_t)system->sensors[index].n_channels);
}

void watch_get_coordinates(const td_system *system, const td_state *state, double *x) {
    memcpy(x, state->watch.coordinates, sizeof *x * 2 * (size_t)td_n_coordinates(system));
}
