// robot/estimator.c - what is to be estimated of a robot: its rules, and copies.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/sensor.h"

enum { MOST_UNKNOWNS = 256, MOST_ITERATIONS = 100 };

td_unknown_def td_default_unknown_def(void) {
    return (td_unknown_def){.n_inputs = 1, .deviation = HUGE_VAL, .place_deviation = HUGE_VAL};
}

td_estimator_def td_default_estimator_def(void) {
    return (td_estimator_def){.iterations = 3};
}

// ---------------------------------------------------------------- rules
static td_status at_least_zero(const char *where, const char *what, double x, bool endless,
                               td_error *err) {
    char key[96];
    if (x >= 0.0 && (isfinite(x) || (endless && x == HUGE_VAL))) return TD_OK;
    snprintf(key, sizeof key, "%s.%s", where, what);
    return error_set(err, TD_ERR_VALUE, key, "%s = %g: a finite number from 0 on is expected", what,
                     x);
}

static td_status places_rule(const char *where, const td_unknown_def *u, td_error *err) {
    for (int k = 0; k < u->n_inputs; k++)
        if (!isfinite(u->places[k]) || u->places[k] < 0.0 ||
            (k > 0 && u->places[k] <= u->places[k - 1]))
            return error_set(err, TD_ERR_VALUE, where,
                             "places[%d] = %g m: places along a rod grow, from 0 on", k,
                             u->places[k]);
    if (u->place_mean < u->places[0] || u->place_mean > u->places[u->n_inputs - 1])
        return error_set(err, TD_ERR_VALUE, where,
                         "place = %g m must be between the first and the last of its places",
                         u->place_mean);
    return TD_OK;
}

static td_status numbers_rule(const char *where, const td_unknown_def *u, td_error *err) {
    td_status status = at_least_zero(where, "deviation", u->deviation, true, err);
    if (!status) status = at_least_zero(where, "walk", u->walk, false, err);
    if (status || isfinite(u->mean)) return status;
    return error_set(err, TD_ERR_VALUE, where, "mean = %g must be finite", u->mean);
}

static td_status bias_rule(const td_robot *robot, const td_estimator_def *def, int index,
                           const char *where, td_error *err) {
    const td_unknown_def *u = &def->unknowns[index];
    const int sensor = find_sensor(robot, u->bias);
    if (sensor < 0)
        return error_set(err, TD_ERR_VALUE, where, "there is no sensor '%.80s'", u->bias);
    if (sensor_estimate_of(robot->sensors[sensor].measures))
        return error_set(err, TD_ERR_VALUE, where,
                         "sensor '%.80s' reads the estimator itself, and has no bias", u->bias);
    for (int other = 0; other < index; other++)
        if (def->unknowns[other].bias && strcmp(def->unknowns[other].bias, u->bias) == 0)
            return error_set(err, TD_ERR_VALUE, where, "the bias of '%.80s' is named twice",
                             u->bias);
    return numbers_rule(where, u, err);
}

static td_status unknown_rule(const td_robot *robot, const td_estimator_def *def, int index,
                              td_error *err) {
    const td_unknown_def *u = &def->unknowns[index];
    char where[64];
    snprintf(where, sizeof where, "estimator.unknowns.%d", index);
    if (u->bias) return bias_rule(robot, def, index, where, err);
    if (u->n_inputs < 1 || u->n_inputs > TD_MOST_PLACES)
        return error_set(err, TD_ERR_VALUE, where, "%d inputs: 1 to %d are expected", u->n_inputs,
                         TD_MOST_PLACES);
    for (int k = 0; k < u->n_inputs; k++) {
        if (u->inputs[k] < 0 || u->inputs[k] >= robot->n_inputs)
            return error_set(err, TD_ERR_VALUE, where, "input %d: there are only %d", u->inputs[k],
                             robot->n_inputs);
        if (strcmp(robot->inputs[u->inputs[k]].unit, robot->inputs[u->inputs[0]].unit) != 0)
            return error_set(err, TD_ERR_VALUE, where,
                             "'%s' and '%s' share a force, and have different units",
                             robot->inputs[u->inputs[0]].name, robot->inputs[u->inputs[k]].name);
        for (int other = 0; other <= index; other++)
            for (int j = 0; j < (other < index ? def->unknowns[other].n_inputs : k); j++)
                if (!def->unknowns[other].bias && def->unknowns[other].inputs[j] == u->inputs[k])
                    return error_set(err, TD_ERR_VALUE, where, "input '%s' is named twice",
                                     robot->inputs[u->inputs[k]].name);
    }
    td_status status = numbers_rule(where, u, err);
    if (status || u->n_inputs == 1) return status;
    status = at_least_zero(where, "place_deviation", u->place_deviation, true, err);
    if (!status) status = at_least_zero(where, "place_walk", u->place_walk, false, err);
    return status ? status : places_rule(where, u, err);
}

static td_status estimator_validate(const td_robot *robot, const td_estimator_def *def,
                                    td_error *err) {
    const char *const where = "estimator";
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"noise.coordinates", def->coordinate_noise},
                   {"noise.rates", def->rate_noise},
                   {"start.coordinates", def->coordinate_deviation},
                   {"start.rates", def->rate_deviation},
                   {"period", def->period}};
    td_status status = TD_OK;
    if (def->n_unknowns < 0 || def->n_unknowns > MOST_UNKNOWNS || def->n_sensors < 0)
        return error_set(err, TD_ERR_VALUE, where, "%d unknowns: up to %d are expected",
                         def->n_unknowns, MOST_UNKNOWNS);
    if (def->iterations < 1 || def->iterations > MOST_ITERATIONS)
        return error_set(err, TD_ERR_VALUE, "estimator.iterations",
                         "iterations = %d: 1 to %d are expected", def->iterations, MOST_ITERATIONS);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status = at_least_zero(where, numbers[i].name, numbers[i].value, false, err);
    for (int i = 0; i < def->n_unknowns && !status; i++) status = unknown_rule(robot, def, i, err);
    for (int i = 0; i < def->n_sensors && !status; i++)
        if (!def->sensors[i] || find_sensor(robot, def->sensors[i]) < 0)
            status = error_set(err, TD_ERR_VALUE, "estimator.sensors", "there is no sensor '%.80s'",
                               def->sensors[i] ? def->sensors[i] : "");
    return status;
}

// ---------------------------------------------------------------- copies
void estimator_release(td_estimator_def *def) {
    if (!def) return;
    for (int i = 0; def->unknowns && i < def->n_unknowns; i++) {
        free((char *)def->unknowns[i].name);
        free((char *)def->unknowns[i].bias);
    }
    for (int i = 0; def->sensors && i < def->n_sensors; i++) free((char *)def->sensors[i]);
    free((td_unknown_def *)def->unknowns);
    free((char **)def->sensors);
    free(def);
}

td_estimator_def *estimator_copy(const td_estimator_def *def) {
    td_estimator_def *out = malloc(sizeof *out);
    if (!out) return NULL;
    *out = *def;
    td_unknown_def *unknowns = calloc((size_t)def->n_unknowns + 1, sizeof *unknowns);
    char **sensors = calloc((size_t)def->n_sensors + 1, sizeof *sensors);
    bool ok = unknowns && sensors;
    for (int i = 0; ok && i < def->n_unknowns; i++) {
        const td_unknown_def *from = &def->unknowns[i];
        unknowns[i] = *from;
        unknowns[i].name = from->name ? strdup(from->name) : NULL;
        unknowns[i].bias = from->bias ? strdup(from->bias) : NULL;
        if (from->bias) unknowns[i].n_inputs = 0;
        ok = !unknowns[i].name == !from->name && !unknowns[i].bias == !from->bias;
    }
    for (int i = 0; ok && i < def->n_sensors; i++) ok = (sensors[i] = strdup(def->sensors[i]));
    out->unknowns = unknowns, out->sensors = (const char *const *)sensors;
    if (ok) return out;
    if (!unknowns) out->n_unknowns = 0;
    if (!sensors) out->n_sensors = 0;
    estimator_release(out);
    return NULL;
}

// ---------------------------------------------------------------- public
td_status td_robot_set_estimator(td_robot *robot, const td_estimator_def *def, td_error *err) {
    if (!robot) return error_set(err, TD_ERR_ARGUMENT, "estimator", "there is no robot");
    td_status status = def ? estimator_validate(robot, def, err) : TD_OK;
    if (status) return status;
    td_estimator_def *copy = def ? estimator_copy(def) : NULL;
    if (def && !copy) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    estimator_release(robot->estimator);
    robot->estimator = copy;
    return TD_OK;
}

const td_estimator_def *td_robot_estimator(const td_robot *robot) {
    return robot ? robot->estimator : NULL;
}
