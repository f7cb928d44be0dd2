// sim/inverse.c - inverse statics as a transaction: the inputs and the shape of the answer, or
// everything as it was.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/pi.h"
#include "sim/drive.h"

#define NEAR_ENOUGH 1e-6  // rad or lengths, that may be left without a word

static td_status check_rests(const td_system *system, td_state *state, int input) {
    const actuator *a = drive_without_rest(system, input);
    if (!a) return TD_OK;
    return tell(state->message, TD_ERR_ARGUMENT,
                "inverse: input '%s' is the %s of %s '%s', by which no place of rest is decided; "
                "move other inputs, or give the %s by its %s",
                system->inputs[input].name,
                a->engine.kind == ENGINE_VALVE ? "opening of the valve" : "speed of the motor",
                a->words->word, a->name, a->words->word, a->words->inputs[0].name);
}

static td_status check_inputs(const td_system *system, td_state *state, const int *inputs, int n) {
    if (!inputs || n <= 0)
        return tell(state->message, TD_ERR_ARGUMENT, "inverse: no input to move is named");
    for (int i = 0; i < n; i++) {
        if (inputs[i] < 0 || inputs[i] >= system->n_inputs)
            return tell(state->message, TD_ERR_ARGUMENT, "inverse: input %d: there are only %d",
                        inputs[i], system->n_inputs);
        for (int k = 0; k < i; k++) {
            if (inputs[k] != inputs[i]) continue;
            return tell(state->message, TD_ERR_ARGUMENT, "inverse: input '%s' is named twice",
                        system->inputs[inputs[i]].name);
        }
        const td_status status = check_rests(system, state, inputs[i]);
        if (status < 0) return status;
    }
    return TD_OK;
}

static td_status check_place(const td_system *system, td_state *state, const td_target *target) {
    if (target->body >= 0) return check_free_body(system, state, target->body);
    return check_arc_length(system, state, target->rod, target->s);
}

static td_status check_pose(td_state *state, const td_target *target) {
    const double *p = target->pose.p, *q = target->pose.q;
    if (!isfinite(p[0] + p[1] + p[2]))
        return tell(state->message, TD_ERR_NOT_FINITE,
                    "inverse: the position (%g, %g, %g) m is not finite", p[0], p[1], p[2]);
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (target->position_only || fabs(norm - 1.0) <= 1e-3) return TD_OK;
    return tell(state->message, TD_ERR_ARGUMENT,
                "inverse: the quaternion's norm = %g must be 1 (within 0.001)", norm);
}

static td_status check(const td_system *system, td_state *state, const td_target *target,
                       const int *inputs, int n) {
    td_status status = TD_ERR_ARGUMENT;
    if (!target) return tell(state->message, status, "inverse: no target is given");
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
static input_range range_of(const td_system *system, int input) {
    const robot_input *limits = &system->inputs[input];
    input_range out = {input, -HUGE_VAL, HUGE_VAL, limits->low < limits->high};
    if (out.told) out.low = limits->low, out.high = limits->high;
    for (int i = 0; i < system->n_actuators; i++) {
        const actuator *a = &system->actuators[i];
        const bool pulls = a->control == CONTROL_EFFORT && a->pulls_only;
        if (!pulls || a->value.gain == 0.0 || a->value.input != input) continue;
        const double end = 0.0 - a->value.value / a->value.gain;  // not -0
        if (a->value.gain > 0.0) out.low = fmax(out.low, end);
        else out.high = fmin(out.high, end);
    }
    return out;
}

static void explain(const inverse_task *task, const double gap[6], td_status status,
                    char *message) {
    char away[64];
    int used = snprintf(away, sizeof away, "%.4g m", vec3_norm(vec3_load(gap + 3)));
    if (!task->target->position_only)
        snprintf(away + used, sizeof away - (size_t)used, " and %.3g deg",
                 vec3_norm(vec3_load(gap)) * DEGREES);
    if (status == TD_ERR_SINGULAR)
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "inverse: here the inputs do not move the point in every direction asked for, and "
                 "it is still %s away",
                 away);
    else
        snprintf(message, MODEL_MESSAGE_SIZE, "inverse: %s: it stays %s away from the target%s",
                 status < 0 ? "no inputs were found that bring the point there" : "the best fit",
                 away, status < 0 ? "; try one that is nearer, or other inputs" : "");
}

// From the present shape, and where that fails from its equilibrium.
static td_status find_inputs(const td_system *system, td_state *state, const model_call *call,
                             td_target *target, inverse_task *task) {
    const double length = target->body < 0 ? td_get_length(system, state, target->rod) : 1.0;
    double gap[6] = {0.0};
    for (int i = 0; i < system->rods.n; i++)
        task->length = fmax(task->length, system->rod_lengths[i]);
    td_status status = solver_inverse(system, state, call, task, gap);
    if (status == TD_ERR_NOT_CONVERGED || status == TD_ERR_SINGULAR) {
        memcpy(state->keep, state->backup, system->keep_bytes);
        state->message[0] = '\0';
        if ((status = solver_statics(system, state, call)) < 0) return status;
        if (target->body < 0) target->s *= td_get_length(system, state, target->rod) / length;
        status = solver_inverse(system, state, call, task, gap);
    }
    const bool loose =
        inverse_distance(task, gap) > fmax(NEAR_ENOUGH, 1e3 * system->options.tolerance);
    if (status == TD_ERR_NOT_CONVERGED || status == TD_ERR_SINGULAR || (status >= 0 && loose))
        explain(task, gap, status, state->message);
    return status >= 0 && loose ? TD_LOOSE : status;
}

td_status td_solve_inverse(const td_system *system, td_state *state, const td_target *target,
                           const int *inputs, int n) {
    model_call call = state_begin(system, state);
    td_status status = check(system, state, target, inputs, n);
    if (status < 0) return status;
    td_target wanted = normalised(target);
    input_range *chosen = state->solver.inverse.chosen;
    inverse_task task = {.target = &wanted, .chosen = chosen, .n = n, .values = state->inputs};
    for (int k = 0; k < n; k++) chosen[k] = range_of(system, inputs[k]);
    status = find_inputs(system, state, &call, &wanted, &task);
    state_at_rest(system, state);
    status = state_finish(system, state, status);
    if (status < 0 && !state->message[0])
        snprintf(state->message, sizeof state->message, "inverse: no inputs reach the target: %s",
                 status_words(status));
    return status;
}
