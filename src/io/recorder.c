// Filling a record from a state, in the order of the layout.
#include "io/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

td_status recorder_create(recorder *r, const td_system *system, const td_scenario *scenario,
                          td_error *err) {
    *r = (recorder){.system = system, .fields = layout_along(system, scenario->record_fields)};
    td_status status = layout_create(&r->layout, system, scenario, err);
    if (status < 0) return status;
    r->row = calloc((size_t)r->layout.width, sizeof *r->row);
    if (r->row) return TD_OK;
    recorder_destroy(r);
    return error_set(err, TD_ERR_MEMORY, "result", "out of memory for one record");
}

void recorder_destroy(recorder *r) {
    layout_destroy(&r->layout);
    free(r->row);
    r->row = NULL;
}

void recorder_note_step(recorder *r, const td_stats *stats) {
    r->iterations += stats->iterations;
    r->evaluations += stats->evaluations;
    r->fallbacks += stats->fallbacks;
    if (stats->residual > r->residual) r->residual = stats->residual;
}

void recorder_resume(recorder *r, const run_mark *mark) {
    r->iterations = mark->iterations;
    r->evaluations = mark->evaluations;
    r->fallbacks = mark->fallbacks;
    r->residual = mark->residual;
}

static double *put(double *at, const double *values, int n) {
    memcpy(at, values, sizeof *at * (size_t)n);
    return at + n;
}

static double *put_reaction(double *at, td_reaction x) {
    return put(put(at, x.moment, 3), x.force, 3);
}

// One rod's fields lie one after the other, each over all points.
static double *fill_rod(const recorder *r, const td_state *state, int rod, double *at) {
    const result_rod_layout *l = &r->layout.rods[rod];
    const double length = td_get_length(r->system, state, rod);
    int n = l->n_points;
    if (r->fields & TD_RECORD_POSE) *at++ = length;
    double *const first = at;
    unsigned recorded = 0;
    for (int k = 0; k < n_rod_fields; k++) {
        if (!(r->fields & rod_fields[k].flag)) continue;
        recorded |= rod_fields[k].flag;
        at += n * rod_fields[k].components;
    }
    for (int i = 0; i < n; i++) {
        const double rest = point_along(l->grows, l->length, i, n);
        const double s = td_get_place(r->system, state, rod, rest);
        td_sample sample = {0};
        if (recorded == TD_RECORD_POSE) sample.pose = td_get_pose(r->system, state, rod, s);
        else sample = td_get_sample(r->system, state, rod, s);
        double *to = first;
        for (int k = 0; k < n_rod_fields; k++) {
            const int components = rod_fields[k].components;
            if (!(recorded & rod_fields[k].flag)) continue;
            put(to + i * components, sample_field(&sample, &rod_fields[k]), components);
            to += n * components;
        }
    }
    if (!(r->fields & TD_RECORD_REACTIONS)) return at;
    at = put_reaction(at, td_get_reaction(r->system, state, rod, TD_BASE));
    if (!td_rod_tip_held(r->system, rod)) return at;
    return put_reaction(at, td_get_reaction(r->system, state, rod, TD_TIP));
}

static double *fill_actuator(const recorder *r, const td_state *state, int index, double *at) {
    const td_actuator_kind *kind = td_actuator_kind_of(r->system, index);
    if (!(r->fields & kind->record)) return at;
    const td_actuator_state a = td_get_actuator(r->system, state, index);
    for (int k = 0; k < kind->n_recorded; k++) *at++ = td_actuator_value(&a, &kind->recorded[k]);
    int n = kind->thin && r->fields & TD_RECORD_POSE ? r->layout.rods[0].n_points : 0;
    for (int i = 0; i < n; i++, at += 3)
        td_get_actuator_point(r->system, state, index, point_at(1.0, i, n), at);
    return at;
}

static double *fill_body(const recorder *r, const td_state *state, int body, double *at) {
    td_body_state b = td_get_body(r->system, state, body);
    at = put(at, b.pose.p, 3);
    at = put(at, b.pose.q, 4);
    at = put(at, b.velocity, 6);
    *at++ = b.attached;
    if (!(r->fields & TD_RECORD_REACTIONS)) return at;
    at = put_reaction(at, td_get_body_reaction(r->system, state, body));
    if (!td_body_is_held(r->system, body)) return at;
    return put_reaction(at, td_get_hold_reaction(r->system, state, body));
}

static double *fill_obstacle(const recorder *r, const td_state *state, int obstacle, double *at) {
    const td_pose pose = td_get_obstacle_pose(r->system, state, obstacle);
    at = put(put(at, pose.p, 3), pose.q, 4);
    return put_reaction(at, td_get_obstacle_wrench(r->system, state, obstacle));
}

static double *fill_parts(const recorder *r, const td_state *state, double *at) {
    for (int i = 0; i < td_n_actuators(r->system); i++) at = fill_actuator(r, state, i, at);
    for (int i = 0; r->fields & TD_RECORD_BODIES && i < td_n_bodies(r->system); i++)
        at = fill_body(r, state, i, at);
    for (int i = 0; r->fields & TD_RECORD_CONTACT && i < td_n_obstacles(r->system); i++)
        at = fill_obstacle(r, state, i, at);
    return at;
}

const double *recorder_take(recorder *r, const td_state *state) {
    double *at = r->row;
    *at++ = td_get_time(r->system, state);
    for (int i = 0; i < r->layout.n_rods; i++) at = fill_rod(r, state, i, at);
    at = fill_parts(r, state, at);
    if (r->fields & TD_RECORD_INPUTS) {
        for (int i = 0; i < td_n_inputs(r->system); i++) *at++ = td_get_input(r->system, state, i);
    }
    for (int i = 0; r->fields & TD_RECORD_SENSORS && i < td_n_sensors(r->system); i++) {
        td_get_sensor(r->system, state, i, at, NULL);
        at += td_sensor_channels(r->system, i);
    }
    if (r->fields & TD_RECORD_ENERGY) {
        td_energy e = td_get_energy(r->system, state);
        at = put(at, (double[]){e.kinetic, e.elastic, e.gravity, e.dissipated, e.work}, N_ENERGY);
    }
    *at++ = (double)r->iterations;
    *at++ = (double)r->evaluations;
    *at++ = (double)r->fallbacks;
    *at++ = r->residual;
    r->iterations = r->evaluations = r->fallbacks = 0;
    r->residual = 0.0;
    return r->row;
}
