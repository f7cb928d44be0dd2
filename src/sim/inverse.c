// sim/inverse.c - inverse statics as a transaction: the inputs and the shape of the answer, or
// everything as it was.
#include <math.h>
#include <stdio.h>

#include "sim/system.h"

static td_status check_inputs(const td_system *system, td_state *state, const int *inputs, int n) {
    if (!inputs || n <= 0) {
        snprintf(state->message, sizeof state->message, "inverse: no input to move is named");
        return TD_ERR_ARGUMENT;
    }
    for (int i = 0; i < n; i++) {
        if (inputs[i] < 0 || inputs[i] >= system->n_inputs) {
            snprintf(state->message, sizeof state->message, "inverse: input %d: there are only %d",
                     inputs[i], system->n_inputs);
            return TD_ERR_ARGUMENT;
        }
        for (int k = 0; k < i; k++) {
            if (inputs[k] != inputs[i]) continue;
            snprintf(state->message, sizeof state->message, "inverse: input '%s' is named twice",
                     system->inputs[inputs[i]].name);
            return TD_ERR_ARGUMENT;
        }
    }
    return TD_OK;
}

static td_status check_place(const td_system *system, td_state *state, const td_target *target) {
    if (target->body >= 0) return check_free_body(system, state, target->body);
    if (has(&system->rods, target->rod) && target->s >= 0.0 &&
        target->s <= td_get_length(system, state, target->rod))
        return TD_OK;
    snprintf(state->message, sizeof state->message, "inverse: rod %d has no arc length %g m",
             target->rod, target->s);
    return TD_ERR_ARGUMENT;
}

static td_status check_pose(td_state *state, const td_target *target) {
    const double *p = target->pose.p, *q = target->pose.q;
    if (!isfinite(p[0] + p[1] + p[2])) {
        snprintf(state->message, sizeof state->message,
                 "inverse: the position (%g, %g, %g) m is not finite", p[0], p[1], p[2]);
        return TD_ERR_NOT_FINITE;
    }
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (target->position_only || fabs(norm - 1.0) <= 1e-3) return TD_OK;
    snprintf(state->message, sizeof state->message,
             "inverse: the quaternion's norm = %g must be 1 (within 0.001)", norm);
    return TD_ERR_ARGUMENT;
}

static td_status check(const td_system *system, td_state *state, const td_target *target,
                       const int *inputs, int n) {
    td_status status = TD_ERR_ARGUMENT;
    if (!target) {
        snprintf(state->message, sizeof state->message, "inverse: no target is given");
        return status;
    }
    status = check_place(system, state, target);
    if (status >= 0) status = check_pose(state, target);
    if (status >= 0) status = check_inputs(system, state, inputs, n);
    return status;
}

static td_target normalised(const td_target *target) {
    td_target t = *target;
    double *q = t.pose.q, norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (t.position_only) return t;
    for (int i = 0; i < 4; i++) q[i] /= norm;
    return t;
}

// A tension below zero is none, so an answer names zero.
double pull_only(const td_system *system, int input, double value) {
    for (int i = 0; i < system->n_actuators; i++) {
        const actuator *a = &system->actuators[i];
        bool pulls = a->control == CONTROL_EFFORT && a->pulls_only;
        if (!pulls || a->value.gain == 0.0 || a->value.input != input) continue;
        if (a->value.value + a->value.gain * value < 0.0)
            value = 0.0 - a->value.value / a->value.gain;  // not -0
    }
    return value;
}

static void end_pushing(const td_system *system, td_state *state, const int *inputs, int n) {
    for (int k = 0; k < n; k++)
        state->inputs[inputs[k]] = pull_only(system, inputs[k], state->inputs[inputs[k]]);
}

td_status td_solve_inverse(const td_system *system, td_state *state, const td_target *target,
                           const int *inputs, int n) {
    model_call call = state_begin(system, state);
    td_status status = check(system, state, target, inputs, n);
    if (status < 0) return status;
    const td_model *model = system->model;
    td_target wanted = normalised(target);
    if (model->inverse)
        status = model->inverse(system->compiled, state->memory, &call, &wanted, inputs, n,
                                state->inputs);
    else status = reach_by_jacobian(system, state, &wanted, inputs, n);
    if (status >= 0) end_pushing(system, state, inputs, n);
    state_at_rest(system, state);
    status = state_finish(system, state, status);
    if (status < 0 && !state->message[0])
        snprintf(state->message, sizeof state->message, "inverse: no inputs reach the target: %s",
                 td_status_name(status));
    return status;
}
