// sim/coordinates.c - coordinates, and inverse dynamics.
#include <math.h>
#include <string.h>

#include "sim/controller.h"
#include "sim/drive.h"
#include "sim/sensor.h"

static td_status refuse(const td_system *system, td_state *state) {
    char scheme[32];
    td_get_option(&system->options, "simulation.space.scheme", scheme, sizeof scheme);
    return tell(state->message, TD_ERR_UNSUPPORTED,
                "the spatial scheme '%s' of '%s' has no coordinates; 'collocation' has", scheme,
                system->model->name);
}

static td_status check(const td_system *system, td_state *state, const double *const *vectors,
                       int n) {
    if (td_n_coordinates(system) == 0) return refuse(system, state);
    const int size = td_n_coordinates(system);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < size && vectors[i]; k++) {
            if (isfinite(vectors[i][k])) continue;
            return tell(state->message, TD_ERR_ARGUMENT, "coordinate %d: %g is not finite", k,
                        vectors[i][k]);
        }
    return TD_OK;
}

td_status td_get_coordinates(const td_system *system, const td_state *state, double *q,
                             double *q_t) {
    if (td_n_coordinates(system) == 0) return TD_ERR_UNSUPPORTED;
    solver_get_coordinates(system, state, q, q_t);
    return TD_OK;
}

td_status td_set_coordinates(const td_system *system, td_state *state, const double *q,
                             const double *q_t) {
    model_call call = state_begin(system, state);
    td_status status = check(system, state, (const double *const[]){q, q_t}, 2);
    if (status < 0) return status;
    status = solver_set_coordinates(system, state, &call, q, q_t);
    state_afresh(system, state);
    drives_go_on(system, state);
    if (status >= 0) sensors_placed(system, state);
    return state_finish(system, state, status);
}

// here: what materials remember is what they remember in this state.
static td_status inverse(const td_system *system, td_state *state, const double *const motion[3],
                         bool here, double *forces, double *efforts) {
    model_call call = state_begin(system, state);
    td_status status = check(system, state, motion, 3);
    if (status < 0) return status;
    status = refuse_drives(system, state->message, "are not part of an inverse dynamics");
    if (status < 0) return status;
    if (!system->model->inverse_dynamics)
        return tell(state->message, TD_ERR_UNSUPPORTED, "this model has no inverse dynamics");
    if (system->remembers && !here)
        return tell(state->message, TD_ERR_UNSUPPORTED,
                    "a material of the robot remembers what it went through: its forces do not "
                    "follow from this motion alone");
    status = system->model->inverse_dynamics(system->compiled, state->memory, &call, motion[0],
                                             motion[1], motion[2], forces, efforts);
    memcpy(state->keep, state->backup, system->keep_bytes);
    const double *out = forces ? forces : efforts;
    const int n = forces ? td_n_coordinates(system) : system->n_actuators;
    for (int k = 0; k < n && status >= 0; k++)
        if (!isfinite(out[k])) status = TD_ERR_NOT_FINITE;
    return status;
}

td_status td_inverse_dynamics(const td_system *system, td_state *state, const double *q,
                              const double *q_t, const double *q_tt, double *forces) {
    return inverse(system, state, (const double *const[]){q, q_t, q_tt}, false, forces, NULL);
}

td_status td_inverse_efforts(const td_system *system, td_state *state, const double *q,
                             const double *q_t, const double *q_tt, double *efforts) {
    return inverse(system, state, (const double *const[]){q, q_t, q_tt}, false, NULL, efforts);
}

td_status efforts_from_here(const td_system *system, td_state *state, const double *q,
                            const double *q_t, const double *q_tt, double *efforts) {
    return inverse(system, state, (const double *const[]){q, q_t, q_tt}, true, NULL, efforts);
}

// ---------------------------------------------------------------- measured points
static td_status check_points(const td_system *system, td_state *state, int rod,
                              const double *points, const double *s, int n) {
    char *message = state->message;
    if (!system->model->fit)
        return tell(message, TD_ERR_UNSUPPORTED, "this model fits no shapes to points");
    if (!has(&system->rods, rod) || n < 1 || !points)
        return tell(message, TD_ERR_ARGUMENT, "rod %d, %d points: there must be both", rod, n);
    for (int i = 0; i < 3 * n; i++) {
        if (isfinite(points[i])) continue;
        return tell(message, TD_ERR_ARGUMENT, "point %d: %g is not finite", i / 3, points[i]);
    }
    for (int i = 0; i < n && s; i++) {
        if (s[i] >= 0.0 && s[i] <= system->rod_lengths[rod]) continue;
        return tell(message, TD_ERR_ARGUMENT,
                    "point %d: s = %g m must be between 0 and the length %g m of the rod", i, s[i],
                    system->rod_lengths[rod]);
    }
    return TD_OK;
}

td_status td_fit_shape(const td_system *system, td_state *state, int rod, const double *points,
                       const double *s, int n) {
    model_call call = state_begin(system, state);
    td_status status = check_points(system, state, rod, points, s, n);
    if (status < 0) return status;
    status = system->model->fit(system->compiled, state->memory, &call, rod, points, s, n);
    if (status >= 0) solver_start(system, state, &call);
    state_at_rest(system, state);
    return state_finish(system, state, status);
}
