// io/driven.c - see driven.h.
#include "io/driven.h"

#include <stdlib.h>

#include "robot/facts.h"
#include "tendril/loop.h"

#define SLACK 1e-6  // of a step, by which times may be off

bool driven_reserve(driven *d, int n) {
    d->n = n;
    d->inputs = calloc((size_t)n + 1, sizeof *d->inputs);
    d->was = calloc((size_t)n + 1, sizeof *d->was);
    d->held = calloc((size_t)n + 1, sizeof *d->held);
    return d->inputs && d->was && d->held;
}

void driven_free(driven *d) {
    free(d->inputs);
    free(d->was);
    free(d->held);
}

// is any input set?
static bool driven_any(const driven *d) {
    for (int i = 0; i < d->n; i++)
        if (d->held[i]) return true;
    return false;
}

// ---------------------------------------------------------------- the start
static td_status begin_held(driven *d) {
    td_state_reset(d->system, d->state);
    td_status status = td_apply_signals(d->system, d->state, 0.0, TD_BEFORE);
    for (int i = 0; i < d->n; i++)
        if (d->held[i]) td_set_input(d->system, d->state, i, d->inputs[i]);
    if (status >= 0)
        status = td_robot_scenario(d->robot).start == TD_START_STATIC
                     ? td_solve_statics(d->system, d->state)
                     : td_read_sensors(d->system, d->state);
    if (status < 0 || td_n_initial(d->system) == 0) return status;
    status = td_apply_initial(d->system, d->state);
    return status < 0 ? status : td_read_sensors(d->system, d->state);
}

td_status driven_begin(driven *d) {
    return driven_any(d) ? begin_held(d) : td_begin(d->system, d->state);
}

// ---------------------------------------------------------------- steps
void driven_from_here(driven *d) {
    for (int i = 0; i < d->n; i++) d->was[i] = td_get_input(d->system, d->state, i);
}

// Inputs that follow their signals may jump.
static bool any_jump(const driven *d, double from, double to) {
    const double slack = SLACK * (to - from);
    for (int i = 0; i < d->n; i++) {
        const td_signal *signal = &d->robot->inputs[i].signal;
        if (!d->held[i] && td_signal_next_jump(signal, from - slack) < to - slack) return true;
    }
    return false;
}

void driven_put(const driven *d, td_state *state, double t, double dt, double x) {
    td_apply_signals(d->system, state, t + dt, TD_BEFORE);
    td_apply_controllers(d->system, state);
    if (any_jump(d, t, t + dt)) td_restart(d->system, state);
    for (int i = 0; i < d->n; i++) {
        if (!d->held[i]) continue;
        const double value = x < 1.0 ? d->was[i] + x * (d->inputs[i] - d->was[i]) : d->inputs[i];
        td_set_input(d->system, state, i, value);
    }
}

td_status driven_step(driven *d, double dt, double x) {
    if (!driven_any(d)) return td_advance(d->system, d->state, dt);
    driven_put(d, d->state, td_get_time(d->system, d->state), dt, x);
    return td_step(d->system, d->state, dt);
}
