// sim/observe.c - outputs of a state, as numbers, and of a configuration that differs from it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/quat.h"
#include "sim/linearise.h"
#include "tendril/loop.h"

int td_output_size(td_quantity which) {
    switch (which) {
    case TD_OUTPUT_POSE:
    case TD_OUTPUT_VELOCITY:
    case TD_OUTPUT_STRAIN:
    case TD_OUTPUT_REACTION: return 6;
    case TD_OUTPUT_EFFORT:
    case TD_OUTPUT_MEASURE: return 1;
    case TD_OUTPUT_DRIVE: return 5;
    }
    return 0;
}

td_status check_output(const td_system *system, const td_output *o, int index, td_error *err) {
    char where[32];
    snprintf(where, sizeof where, "outputs[%d]", index);
    const bool moves = o->quantity == TD_OUTPUT_POSE || o->quantity == TD_OUTPUT_VELOCITY;
    if (td_output_size(o->quantity) == 0)
        return error_set(err, TD_ERR_ARGUMENT, where, "there is no quantity %d", (int)o->quantity);
    if (o->quantity == TD_OUTPUT_DRIVE && has_actuator(system, o->actuator) &&
        !td_is_driven(system, o->actuator))
        return error_set(err, TD_ERR_ARGUMENT, where,
                         "%s '%s' has no motor and no valve: an input drives it directly",
                         system->actuators[o->actuator].words->word,
                         system->actuators[o->actuator].name);
    if (td_output_size(o->quantity) < 6) {
        if (has_actuator(system, o->actuator)) return TD_OK;
        return error_set(err, TD_ERR_ARGUMENT, where, "actuator %d: there are only %d", o->actuator,
                         system->n_actuators);
    }
    if (moves && o->body >= 0) {
        if (has(&system->bodies, o->body)) return TD_OK;
        return error_set(err, TD_ERR_ARGUMENT, where, "body %d: there are only %d", o->body,
                         system->bodies.n);
    }
    if (!has(&system->rods, o->rod))
        return error_set(err, TD_ERR_ARGUMENT, where, "rod %d: there are only %d", o->rod,
                         system->rods.n);
    if (o->quantity == TD_OUTPUT_REACTION || (o->s >= 0.0 && o->s <= system->rod_lengths[o->rod]))
        return TD_OK;
    return error_set(err, TD_ERR_ARGUMENT, where,
                     "s = %g m must be between 0 and the length %g m of the rod", o->s,
                     system->rod_lengths[o->rod]);
}

// A point keeps its share of the length while a rod is fed: the tip stays the tip.
static double place_now(const td_system *system, const td_state *state, const td_output *o) {
    const double rest = system->rod_lengths[o->rod], now = td_get_length(system, state, o->rod);
    return now == rest ? o->s : fmin(now, o->s * (now / rest));
}

td_sample sample_of_output(const td_system *system, const td_state *state, const td_output *o) {
    if (o->body < 0 || o->quantity == TD_OUTPUT_STRAIN)
        return td_get_sample(system, state, o->rod, place_now(system, state, o));
    const td_body_state b = td_get_body(system, state, o->body);
    td_sample out = {.pose = b.pose};
    memcpy(out.velocity, b.velocity, sizeof b.velocity);
    return out;
}

// The rotation is that from the pose of the state itself.
void observe_one(const td_system *system, const td_state *state, const td_output *o,
                 const td_pose *from, double *y) {
    if (o->quantity == TD_OUTPUT_EFFORT || o->quantity == TD_OUTPUT_MEASURE) {
        const td_actuator_state a = td_get_actuator(system, state, o->actuator);
        *y = o->quantity == TD_OUTPUT_EFFORT ? a.effort : a.measure;
        return;
    }
    if (o->quantity == TD_OUTPUT_DRIVE) {
        const td_drive_state d = td_get_drive(system, state, o->actuator);
        y[0] = d.angle, y[1] = d.speed, y[2] = d.current, y[3] = d.torque, y[4] = d.flow;
        return;
    }
    if (o->quantity == TD_OUTPUT_REACTION) {
        const td_reaction r = td_get_reaction(system, state, o->rod, o->end);
        memcpy(y, r.moment, sizeof r.moment);
        memcpy(y + 3, r.force, sizeof r.force);
        return;
    }
    const td_sample s = sample_of_output(system, state, o);
    const quat h = quat_load(s.pose.q);
    if (o->quantity == TD_OUTPUT_STRAIN) {
        memcpy(y, s.strain, sizeof s.strain);
    } else if (o->quantity == TD_OUTPUT_VELOCITY) {
        vec3_store(y, quat_rotate(h, vec3_load(s.velocity)));
        vec3_store(y + 3, quat_rotate(h, vec3_load(s.velocity + 3)));
    } else {
        vec3_store(y, quat_log(quat_mul(h, quat_conj(quat_load(from->q)))));
        memcpy(y + 3, s.pose.p, sizeof s.pose.p);
    }
}

void observe(void *context, const solve_instant *at, const configuration *c, double *y) {
    const observation *o = context;
    td_linearisation *l = o->l;
    const td_system *system = o->system ? o->system : l->system;
    td_state *state = o->state;
    memcpy(state->keep, state->backup, system->keep_bytes);
    if (l->nudged) *l->nudged += l->nudge;
    model_call call = state_call(system, state);
    for (int i = 0; i < system->n_inputs; i++) {
        state->inputs[i] = state->inputs_before[i] = at->inputs[i];
        state->rates[i] = state->rates_before[i] = at->place_rates ? at->place_rates[i] : 0.0;
    }
    const bool shown = solver_show(system, state, &call, o->part, at, c, l->r) >= 0;
    for (int i = 0; i < l->n_named; i++) {
        td_output point = l->outputs[i];  // keeps its share of the rod's length
        if (system != l->system && has(&system->rods, point.rod))
            point.s *= system->rod_lengths[point.rod] / l->system->rod_lengths[point.rod];
        observe_one(system, state, &point, &l->poses[i], y);
        if (!shown) y[0] = (double)NAN;
        y += td_output_size(l->outputs[i].quantity);
    }
}
