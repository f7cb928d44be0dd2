// sim/step.c - solves and steps as transactions: they happen entirely, or not at all.
#include "sim/controller.h"
#include "sim/drive.h"
#include "sim/sensor.h"
#include "sim/solver.h"
#include "sim/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "math/pi.h"
#include "math/two_sum.h"

model_call state_call(const td_system *system, td_state *state) {
    return (model_call){.inputs = state->inputs,
                        .rates = state->rates,
                        .inputs_before = state->inputs_before,
                        .rates_before = state->rates_before,
                        .smooth = state->smooth,
                        .scratch = state->solver.scratch,
                        .n_inputs = system->n_inputs,
                        .options = &system->options,
                        .stats = &state->stats,
                        .message = state->message,
                        .interrupt = state->interrupt,
                        .engines = state->engines.n ? &state->engines : NULL};
}

model_call state_begin(const td_system *system, td_state *state) {
    memcpy(state->backup, state->keep, system->keep_bytes);
    state->stats = (td_stats){0};
    state->message[0] = '\0';
    engines_rest(&state->engines);
    return state_call(system, state);
}

td_status state_finish(const td_system *system, td_state *state, td_status status) {
    if (status >= 0 && !dense_is_finite(system->keep_bytes / sizeof(double), state->keep)) {
        status = TD_ERR_NOT_FINITE;
        snprintf(state->message, sizeof state->message,
                 "the result is not finite: loads, stiffness or step are out of range");
    }
    if (status < 0) memcpy(state->keep, state->backup, system->keep_bytes);
    return status;
}

static void inputs_arrived(const td_system *system, td_state *state) {
    for (int i = 0; i < system->n_inputs; i++) {
        state->inputs_before[i] = state->inputs[i];
        state->rates_before[i] = state->rates[i];
        state->given_before[i] = state->rate_given[i];
        state->rate_given[i] = 0.0;
    }
}

void state_afresh(const td_system *system, td_state *state) {
    state->clock->fresh = 1.0;
    state->clock->guard.spare = 0.0;
    inputs_arrived(system, state);
    for (int i = 0; i < system->n_inputs; i++) state->rates_before[i] = 0.0;
}

void state_at_rest(const td_system *system, td_state *state) {
    state_afresh(system, state);
    drives_at_rest(system, state);
}

td_status td_solve_statics(const td_system *system, td_state *state) {
    model_call call = state_begin(system, state);
    td_status status = solver_statics(system, state, &call);
    if (status == TD_ERR_NOT_CONVERGED || status == TD_ERR_SINGULAR || status == TD_ERR_VALUE ||
        status == TD_BIFURCATION)
        name_largest_load(system, state);
    state_at_rest(system, state);
    const td_status watched = status >= 0 ? watch_begin(system, state, true) : TD_OK;
    if (watched < 0) status = watched;
    if (status >= 0) {
        sensors_at_rest(system, state, false);
        controllers_at_rest(system, state);
        const td_status read = watch_follow(system, state);
        if (read < 0) status = read;
        else sensors_at_rest(system, state, true);
    }
    return tell_dipole_within(system, state, state_finish(system, state, status));
}

static void set_rates(const td_system *system, td_state *state, double dt) {
    for (int i = 0; i < system->n_inputs; i++) {
        state->smooth[i] = state->rate_given[i] * state->given_before[i];
        if (state->rate_given[i] == 0.0)
            state->rates[i] = (state->inputs[i] - state->inputs_before[i]) / dt;
    }
}

// ---------------------------------------------------------------- steps among obstacles
// An impact is a kink in the past that formulas of second order look back on, and they may bring energy
// there: 5/3 of the velocity after a bounce is what BDF2 makes of v, -v. So the balance of each step
//
//     gain = E_1 - E_0 - work,   E = kinetic + elastic + gravity
//
// less what friction gives back of the springs by which it sticks, which counts as dissipated, is kept: steps may bring no more than others before them lost, and of that little. Where one would, it is
// taken again by backward Euler.
#define ROUNDING 1e-9    // of the energy
#define MOST_SPARE 1e-6  // of the energy
#define MOST_IN_FLIGHT 1e-3
#define REMEMBERED 10.0  // steps, by which what is left of a kink has died away
#define WORK_ERROR 0.1   // of the work in a step, which is known to the order of the formula

static double sum_of(const td_energy *e) {
    return e->kinetic + e->elastic + e->gravity;
}

bool step_is_passive(step_guard *guard, const td_energy *before, const td_energy *after,
                     bool touches) {
    const double work = after->work - before->work;
    const double back = fmin(0.0, after->dissipated - before->dissipated);
    const double gain = sum_of(after) - sum_of(before) - work + back;
    const double size = after->kinetic + after->elastic + before->kinetic + before->elastic;
    const double left = guard->spare - gain;
    guard->touched = touches ? REMEMBERED : fmax(0.0, guard->touched - 1.0);
    if (!(guard->touched > 0.0)) return gain <= MOST_IN_FLIGHT * size + WORK_ERROR * fabs(work);
    guard->spare = fmax(-ROUNDING * size, fmin(left, MOST_SPARE * size));
    return left >= -ROUNDING * size - WORK_ERROR * fabs(work);
}

// Where the solver was in distress it may have touched on the way.
static bool is_passive(const td_system *system, td_state *state, const td_energy *before) {
    const td_energy after = solver_energy(system, state, state->inputs);
    const bool touches = state->stats.fallbacks > 0 || td_get_contacts(system, state, NULL, 0) > 0;
    return step_is_passive(&state->clock->guard, before, &after, touches);
}

static td_status plain_step(const td_system *system, td_state *state, model_call *call, double dt,
                            bool fresh, step_slopes *slopes) {
    return slopes ? solver_step_slopes(system, state, call, dt, fresh, slopes)
                  : solver_step(system, state, call, dt, fresh);
}

static td_status guarded_step(const td_system *system, td_state *state, model_call *call, double dt,
                              bool fresh, step_slopes *slopes) {
    const td_energy before = solver_energy(system, state, state->inputs_before);
    td_status status = plain_step(system, state, call, dt, fresh, slopes);
    while (status >= 0 && !is_passive(system, state, &before) && call->mild != STEP_BY_EULER) {
        memcpy(state->keep, state->backup, system->keep_bytes);
        set_rates(system, state, dt);
        call->mild = system->model->step || call->mild ? STEP_BY_EULER : STEP_IN_PARTS;
        state->stats.fallbacks++;
        status = plain_step(system, state, call, dt, fresh, slopes);
    }
    return status;
}

// ---------------------------------------------------------------- whole turns
// The input of which this rotation follows most in this step.
static int turning_input(const td_state *state, const td_number r[3]) {
    double most = -1.0;
    int input = 0;
    for (int k = 0; k < 3; k++) {
        const int i = r[k].input;
        const double by = r[k].gain != 0.0
                              ? fabs(r[k].gain * (state->inputs[i] - state->inputs_before[i]))
                              : -1.0;
        if (by > most) most = by, input = i;
    }
    return input;
}

// Poses repeat after a turn, so a step that turns a base by half of one or more may take it for a turn the other way.
// Steps that are chosen follow it in many.
static td_status refuse_turns(const td_system *system, td_state *state) {
    for (int i = 0; system->turns && i < system->rods.n; i++) {
        const td_number *r = system->turns[i];
        const double turn =
            vec3_norm(vec3_sub(numbers_at(r, state->inputs), numbers_at(r, state->inputs_before)));
        if (turn < PI) continue;
        const int input = turning_input(state, r);
        return tell(state->message, TD_ERR_VALUE,
                    "rod '%s': its base turns by %.4g rad in one step (input '%s' goes from %g to "
                    "%g), and as the rod is held elsewhere too, whole turns would be lost from "
                    "half a turn on: take smaller steps",
                    system->rods.names[i], turn, system->inputs[input].name,
                    state->inputs_before[input], state->inputs[input]);
    }
    return TD_OK;
}

// Does an input jump where this step begins, or its rate where that matters?
static bool jumps_here(const td_system *system, const td_state *state, const signal_span *signals,
                       int i) {
    double value = state->inputs[i], rate = state->rates[i];
    if (signals->of) {
        value = td_signal_value(&signals->of[i].signal, signals->from, TD_AFTER);
        rate = td_signal_rate(&signals->of[i].signal, signals->from, TD_AFTER);
    }
    return value != state->inputs_before[i] ||
           (system->rate_matters[i] && rate != state->rates_before[i]);
}

// A place that jumps asks a step for any velocity: which input says so?
static void tell_jump(const td_system *system, td_state *state, const signal_span *signals) {
    const size_t used = strlen(state->message);
    for (int i = 0; i < system->n_inputs && signals->of; i++) {
        const double before = state->inputs_before[i],
                     after = td_signal_value(&signals->of[i].signal, signals->from, TD_AFTER);
        if (!system->rate_matters[i] || after == before) continue;
        snprintf(state->message + used, sizeof state->message - used,
                 "; input '%s', by which something is moved, jumps from %g to %g here: a ramp or a "
                 "curve takes its time",
                 system->inputs[i].name, before, after);
        return;
    }
}

// For estimators, which may be behind.
static void note_restart(const td_system *system, td_state *state, const signal_span *signals) {
    const double *const before[] = {state->inputs_before, state->rates_before, state->given_before};
    const int n = system->n_inputs;
    state->clock->restarted = state->clock->time;
    if (!system->estimator) return;
    for (int i = 0; i < 3; i++)
        memcpy(state->at_restart + i * n, before[i], sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++)
        state->at_restart[3 * n + i] = jumps_here(system, state, signals, i) ? 1.0 : 0.0;
}

static td_status step(const td_system *system, td_state *state, double dt, signal_span signals,
                      step_slopes *slopes) {
    model_call call = state_begin(system, state);
    call.signals = signals;
    if (!(dt > 0.0) || !isfinite(dt))
        return tell(state->message, TD_ERR_ARGUMENT, "step: dt = %g s must be positive and finite",
                    dt);
    set_rates(system, state, dt);
    td_status watched = watch_ready(system, state);
    if (watched < 0) return state_finish(system, state, watched);
    const bool fresh = state->clock->fresh != 0.0;
    if (fresh) note_restart(system, state, &signals);
    const bool fixed = !steps_are_chosen(&system->options.integration);
    const bool guarded = has_contact(system) && fixed;
    const bool follows = fixed || system->model->step;  // turns in one piece
    if (follows && refuse_turns(system, state) < 0)
        return state_finish(system, state, TD_ERR_VALUE);
    td_status status =
        (guarded ? guarded_step : plain_step)(system, state, &call, dt, fresh, slopes);
    if (status < 0 && fresh) tell_jump(system, state, &signals);
    two_sum_add(&state->clock->time, &state->clock->time_rest, dt);
    state->clock->fresh = 0.0;
    inputs_arrived(system, state);
    if (status >= 0) sensors_follow(system, state, false);
    if (status >= 0) watched = watch_follow(system, state);
    if (watched < 0) status = watched;
    if (status >= 0) sensors_follow(system, state, true);
    return state_finish(system, state, status);
}

td_status td_step(const td_system *system, td_state *state, double dt) {
    return step(system, state, dt, (signal_span){0}, NULL);
}

td_status step_with_slopes(const td_system *system, td_state *state, double dt,
                           step_slopes *slopes) {
    return step(system, state, dt, (signal_span){0}, slopes);
}

void td_restart(const td_system *system, td_state *state) {
    (void)system;
    state->clock->fresh = 1.0;
}

// t is finite; the transaction sees to multiples of periods that are not.
td_status td_set_time(const td_system *system, td_state *state, double t) {
    if (!isfinite(t))
        return tell(state->message, TD_ERR_NOT_FINITE, "time: t = %g s is not a finite number", t);
    state_begin(system, state);
    const double now = state->clock->time;
    sensors_set_time(system, state, now, t);
    controllers_set_time(system, state, now, t);
    const td_status watched = watch_set_time(system, state, now, t);
    state->clock->time = t;
    state->clock->time_rest = 0.0;
    state->clock->restarted += t - now;
    td_restart(system, state);
    const td_status status = state_finish(system, state, watched);
    return status < 0 && watched >= 0
               ? tell(state->message, status, "time: t = %g s is out of range", t)
               : status;
}

td_status td_begin(const td_system *system, td_state *state) {
    td_state_reset(system, state);
    td_status status = td_apply_signals(system, state, 0.0, TD_BEFORE);
    if (status == TD_OK && system->start == TD_START_STATIC)
        status = td_solve_statics(system, state);
    if (status == TD_OK && system->start != TD_START_STATIC)
        status = td_read_sensors(system, state);
    if (status < 0 || td_n_initial(system) == 0) return status;
    const td_stats found = state->stats;
    char said[sizeof state->message];
    memcpy(said, state->message, sizeof said);
    td_status placed = td_apply_initial(system, state);
    if (placed == TD_OK) placed = td_read_sensors(system, state);
    if (placed < 0 || status == TD_OK) return placed;
    state->stats = found;  // what was said of the equilibrium that it starts from stays true
    memcpy(state->message, said, sizeof said);
    return status;
}

// The first jump of any signal after t; where an input moves a base or feeds, of its rate too.
static double next_jump(const td_system *system, double t) {
    double first = HUGE_VAL;
    for (int i = 0; i < system->n_inputs; i++) {
        const td_signal *signal = &system->inputs[i].signal;
        first = fmin(first, td_signal_next_jump(signal, t));
        if (system->rate_matters[i]) first = fmin(first, signal_next_kink(signal, t));
    }
    return first;
}

static void add_stats(td_stats *sum, const td_stats *part) {
    sum->iterations += part->iterations;
    sum->evaluations += part->evaluations;
    sum->jacobians += part->jacobians;
    sum->fallbacks += part->fallbacks;
    sum->residual = fmax(sum->residual, part->residual);
    sum->condition = fmax(sum->condition, part->condition);
    sum->resolution = fmax(sum->resolution, part->resolution);
    if (part->slack > sum->slack) sum->slack = part->slack;
}

td_status td_advance(const td_system *system, td_state *state, double dt) {
    if (!(dt > 0.0) || !isfinite(dt)) return td_step(system, state, dt);
    memcpy(state->outer_backup, state->keep, system->keep_bytes);
    kept_clock goal = *state->clock;
    two_sum_add(&goal.time, &goal.time_rest, dt);
    const double end = goal.time;
    // A jump this close to a step's end is at its end: times round.
    const double slack = fmax(1e-3 * dt, 1e-12 * fabs(end));
    td_stats total = {0};
    td_status worst = TD_OK;
    while (state->clock->time < end - slack) {
        double t = state->clock->time, from = t;
        double jump = next_jump(system, t - slack);
        if (jump <= t + slack) {  // it happens now: what follows starts afresh
            td_restart(system, state);
            from = fmax(t, jump);
            jump = next_jump(system, t + slack);
        }
        double to = jump < end - slack ? jump : end;
        double at = fabs(jump - to) <= slack ? jump : to;  // just before a jump, not beyond it
        controllers_act(system, state);
        td_status status = td_apply_signals(system, state, at, TD_BEFORE);
        controllers_add(system, state, to - t);
        // what controllers add is not in the signals
        const signal_span signals = {system->n_controllers ? NULL : system->inputs, t, from, at};
        if (status == TD_OK) status = step(system, state, to - t, signals, NULL);
        add_stats(&total, &state->stats);
        state->stats = total;
        if (status < 0) {
            memcpy(state->keep, state->outer_backup, system->keep_bytes);
            return status;
        }
        if (status != TD_OK) worst = status;
        state->clock->time = to;
        state->clock->time_rest = to == end ? goal.time_rest : 0.0;
    }
    return worst;
}
