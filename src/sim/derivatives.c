// sim/derivatives.c - derivatives of equilibria. Whatever a model does to the memory while it
// computes them is undone.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/system.h"

static td_status finish(const td_system *system, td_state *state, td_status status,
                        const double *out, int n) {
    memcpy(state->keep, state->backup, system->keep_bytes);
    for (int i = 0; i < n && status >= 0; i++)
        if (!isfinite(out[i])) status = TD_ERR_NOT_FINITE;
    if (status == TD_ERR_UNSUPPORTED)
        snprintf(state->message, sizeof state->message,
                 "this model and spatial scheme have no derivatives; cosserat with collocation has");
    else if (status < 0 && !state->message[0])
        snprintf(state->message, sizeof state->message,
                 "the equilibrium has no derivative here: %s", td_status_name(status));
    return status;
}

static bool on_rod(const td_system *system, int rod, double s) {
    return rod >= 0 && rod < system->n_rods && s >= 0.0 && s <= system->rod_lengths[rod];
}

static td_status refuse_place(td_state *state, int rod, double s) {
    snprintf(state->message, sizeof state->message, "rod %d has no arc length %g m", rod, s);
    return TD_ERR_ARGUMENT;
}

td_status td_get_jacobian(const td_system *system, td_state *state, int rod, double s,
                          double *J) {
    if (!on_rod(system, rod, s)) return refuse_place(state, rod, s);
    model_call call = state_begin(system, state);
    td_status status = TD_ERR_UNSUPPORTED;
    if (system->model->jacobian)
        status = system->model->jacobian(system->compiled, state->memory, &call, rod, s, J);
    return finish(system, state, status, J, 6 * system->n_inputs);
}

td_status td_get_compliance(const td_system *system, td_state *state, int rod, double s,
                            int load_rod, double load_s, double C[36]) {
    if (!on_rod(system, rod, s)) return refuse_place(state, rod, s);
    if (!on_rod(system, load_rod, load_s)) return refuse_place(state, load_rod, load_s);
    model_call call = state_begin(system, state);
    td_status status = TD_ERR_UNSUPPORTED;
    if (system->model->compliance)
        status = system->model->compliance(system->compiled, state->memory, &call, rod, s,
                                           load_rod, load_s, C);
    return finish(system, state, status, C, 36);
}

td_status td_get_sensitivity(const td_system *system, td_state *state, const td_system *plus,
                             const td_system *minus, double step, int rod, double s,
                             double out[6]) {
    if (!on_rod(system, rod, s)) return refuse_place(state, rod, s);
    bool alike = plus && minus && plus->model == system->model && minus->model == system->model &&
                 plus->n_inputs == system->n_inputs && minus->n_inputs == system->n_inputs;
    model_call call = state_begin(system, state);
    if (!alike || step == 0.0 || !isfinite(step)) {
        snprintf(state->message, sizeof state->message,
                 "sensitivity needs two systems of the same robot and model, and a step that is "
                 "not zero");
        return TD_ERR_ARGUMENT;
    }
    td_status status = TD_ERR_UNSUPPORTED;
    if (system->model->sensitivity)
        status = system->model->sensitivity(system->compiled, state->memory, &call, plus->compiled,
                                            minus->compiled, step, rod, s, out);
    return finish(system, state, status, out, 6);
}
