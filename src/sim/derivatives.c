// sim/derivatives.c - derivatives of equilibria, and their stability. Whatever a model does to the
// memory while it computes them is undone.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/dense.h"
#include "sim/drive.h"

static td_status finish(const td_system *system, td_state *state, td_status status,
                        const double *out, int n) {
    memcpy(state->keep, state->backup, system->keep_bytes);
    if (status >= 0 && !dense_is_finite((size_t)n, out)) status = TD_ERR_NOT_FINITE;
    if (status == TD_ERR_UNSUPPORTED && !state->message[0])
        snprintf(state->message, sizeof state->message,
                 "this model and spatial scheme have no derivatives; cosserat with collocation "
                 "has");
    else if (status < 0 && !state->message[0])
        snprintf(state->message, sizeof state->message,
                 "the equilibrium has no derivative here: %s", status_words(status));
    return status;
}

// ---------------------------------------------------------------- where
td_status check_arc_length(const td_system *system, td_state *state, int rod, double s) {
    if (!has(&system->rods, rod))
        return tell(state->message, TD_ERR_ARGUMENT, "rod %d: there are only %d", rod,
                    system->rods.n);
    const double length = td_get_length(system, state, rod);
    if (s >= 0.0 && s <= length) return TD_OK;
    return tell(state->message, TD_ERR_ARGUMENT, "rod '%s' has no arc length %g m: it is %g m long",
                system->rods.names[rod], s, length);
}

static td_status point_on_rod(const td_system *system, td_state *state, int rod, double s,
                              model_point *at) {
    *at = (model_point){.body = -1, .rod = rod, .s = s};
    return check_arc_length(system, state, rod, s);
}

td_status check_free_body(const td_system *system, td_state *state, int body) {
    if (has(&system->bodies, body) && system->free_bodies[body]) return TD_OK;
    if (has(&system->bodies, body))
        snprintf(state->message, sizeof state->message,
                 "body '%s' rides on a rod and has no freedom of its own; ask for the point of the "
                 "rod",
                 system->bodies.names[body]);
    else
        snprintf(state->message, sizeof state->message, "body %d: there are only %d", body,
                 system->bodies.n);
    return TD_ERR_ARGUMENT;
}

static td_status point_of_body(const td_system *system, td_state *state, int body,
                               model_point *at) {
    *at = (model_point){.body = body, .rod = -1};
    return check_free_body(system, state, body);
}

// ---------------------------------------------------------------- what
// What says how fast something goes leaves an equilibrium: an open valve its pressure, a closed one what it holds.
static void leave_rates_out(const td_system *system, const jacobian_part *asked, double *J) {
    for (int i = 0; i < asked->n; i++)
        for (int k = 0; k < asked->rows && drive_without_rest(system, jacobian_input(asked, i));
             k++)
            J[k * asked->n + i] = 0.0;
}

static td_status jacobian(const td_system *system, td_state *state, const jacobian_part *asked,
                          double *J) {
    model_call call = state_call(system, state);
    state->stats = (td_stats){0};
    state->message[0] = '\0';
    if (solver_quick_jacobian(system, state, &call, asked, J) &&
        dense_is_finite((size_t)(asked->rows * asked->n), J))
        return TD_OK;
    call = state_begin(system, state);
    const td_status status = solver_jacobian(system, state, &call, asked, J);
    if (status >= 0) leave_rates_out(system, asked, J);
    return finish(system, state, status, J, asked->rows * asked->n);
}

static td_status compliance(const td_system *system, td_state *state, const model_point *at,
                            const model_point *load, double *C) {
    model_call call = state_begin(system, state);
    const td_status status = solver_compliance(system, state, &call, at, load, C);
    return finish(system, state, status, C, 36);
}

static td_status jacobian_asked(const td_system *system, td_state *state,
                                const td_jacobian_part *part, jacobian_part *asked) {
    *asked = (jacobian_part){.rows = part->position_only ? 3 : 6,
                             .inputs = part->inputs,
                             .n = part->inputs ? part->n_inputs : system->n_inputs};
    for (int i = 0; i < asked->n; i++) {
        const int input = jacobian_input(asked, i);
        if (input >= 0 && input < system->n_inputs) continue;
        return tell(state->message, TD_ERR_ARGUMENT, "input %d: there are only %d", input,
                    system->n_inputs);
    }
    return part->body < 0 ? point_on_rod(system, state, part->rod, part->s, &asked->at)
                          : point_of_body(system, state, part->body, &asked->at);
}

td_status td_get_jacobian_part(const td_system *system, td_state *state,
                               const td_jacobian_part *part, double *J) {
    jacobian_part asked;
    const td_status status = jacobian_asked(system, state, part, &asked);
    return status < 0 ? status : jacobian(system, state, &asked, J);
}

td_status td_get_jacobian(const td_system *system, td_state *state, int rod, double s, double *J) {
    return td_get_jacobian_part(system, state, &(td_jacobian_part){.body = -1, .rod = rod, .s = s},
                                J);
}

td_status td_get_body_jacobian(const td_system *system, td_state *state, int body, double *J) {
    jacobian_part asked = {.rows = 6, .n = system->n_inputs};
    const td_status status = point_of_body(system, state, body, &asked.at);
    return status < 0 ? status : jacobian(system, state, &asked, J);
}

td_status td_get_compliance(const td_system *system, td_state *state, int rod, double s,
                            int load_rod, double load_s, double C[36]) {
    model_point at, load;
    td_status status = point_on_rod(system, state, rod, s, &at);
    if (status >= 0) status = point_on_rod(system, state, load_rod, load_s, &load);
    return status < 0 ? status : compliance(system, state, &at, &load, C);
}

td_status td_get_body_compliance(const td_system *system, td_state *state, int body, double C[36]) {
    model_point at;
    td_status status = point_of_body(system, state, body, &at);
    return status < 0 ? status : compliance(system, state, &at, &at, C);
}

bool rests_on_its_past(const td_robot *robot, const td_options *options) {
    const feature_set keeps = 1ull << TD_FEATURE_TENDON_FRICTION | 1ull << TD_FEATURE_OBSTACLES |
                              1ull << TD_FEATURE_BODY_CONTACT | 1ull << TD_FEATURE_PART_CONTACT |
                              1ull << TD_FEATURE_SUPERELASTIC | 1ull << TD_FEATURE_HYSTERESIS;
    return (features_needed(robot, options) & keeps) != 0;
}

static td_status check_sides(const td_system *system, td_state *state, const step_parameter *by) {
    const td_system *const sides[2] = {by->minus, by->plus};
    bool alike = by->step != 0.0 && isfinite(by->step);
    for (int i = 0; i < 2; i++)
        alike = alike && sides[i] && sides[i]->model == system->model &&
                sides[i]->n_inputs == system->n_inputs;
    if (alike) return TD_OK;
    return tell(state->message, TD_ERR_ARGUMENT,
                "sensitivity needs two systems of the same robot and model, and a step that is "
                "not zero");
}

td_status points_sensitivity(const td_system *system, td_state *state, const step_parameter *by,
                             const model_point *at, int n, double *out) {
    td_status status = TD_OK;
    model_point checked;
    for (int i = 0; i < n && status >= 0; i++)
        status = at[i].body < 0 ? point_on_rod(system, state, at[i].rod, at[i].s, &checked)
                                : point_of_body(system, state, at[i].body, &checked);
    if (status < 0) return status;
    model_call call = state_begin(system, state);
    status = check_sides(system, state, by);
    if (status < 0) return status;
    status = solver_sensitivity(system, state, &call, by, at, n, out);
    return finish(system, state, status, out, 6 * n);
}

td_status td_get_sensitivity(const td_system *system, td_state *state, const td_system *plus,
                             const td_system *minus, double step, int rod, double s,
                             double out[6]) {
    const step_parameter by = {plus, minus, step};
    return points_sensitivity(system, state, &by, &(model_point){.body = -1, .rod = rod, .s = s}, 1,
                              out);
}

static const char *why_not_judged(const td_system *system) {
    for (int i = 0; i < system->n_actuators; i++)
        if (actuator_rubs(&system->actuators[i]))
            return "tendons rub: what their friction holds depends on the way here, and no energy "
                   "judges it";
    return "this robot, model and spatial scheme give no energy whose second variation could be "
           "judged";
}

#define NEUTRAL 1e-8  // an eigenvalue below what an equilibrium resolves: something moves freely

td_status td_get_stability(const td_system *system, td_state *state, double *smallest) {
    model_call call = state_begin(system, state);
    *smallest = 0.0;
    td_status status = solver_stability(system, state, &call, smallest);
    if (status == TD_ERR_UNSUPPORTED && !state->message[0])
        snprintf(state->message, sizeof state->message, "%s", why_not_judged(system));
    status = finish(system, state, status, smallest, 1);
    if (status < 0 || fabs(*smallest) < NEUTRAL) *smallest = 0.0;
    return status;
}
