// sim/state.c - one trajectory's memory: layout, creation, snapshots, inputs, outputs.
#include "sim/controller.h"
#include "sim/drive.h"
#include "sim/sensor.h"
#include "sim/solver.h"
#include "sim/watch.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "math/quat.h"
#include "robot/places.h"

// Aligning the block itself may cost up to this many bytes.
#define ALIGNMENT 64

// The model's kept doubles follow the clock and the inputs, so that one block holds them all.
static void *layout_keep(const td_system *system, arena *keep, arena *work, td_state *s) {
    s->clock = ARENA_TAKE(keep, kept_clock, 1);
    s->inputs = ARENA_TAKE(keep, double, system->n_inputs);
    s->inputs_before = ARENA_TAKE(keep, double, system->n_inputs);
    s->rates = ARENA_TAKE(keep, double, system->n_inputs);
    s->rates_before = ARENA_TAKE(keep, double, system->n_inputs);
    s->rate_given = ARENA_TAKE(keep, double, system->n_inputs);
    s->given_before = ARENA_TAKE(keep, double, system->n_inputs);
    s->smooth = ARENA_TAKE(work, double, system->n_inputs);
    s->at_restart = ARENA_TAKE(keep, double, system->estimator ? 4 * system->n_inputs : 0);
    sensors_layout(system, keep, work, s);
    controllers_layout(system, keep, work, s);
    engines_layout(system->actuators, system->n_actuators, keep, work, &s->engines);
    solver_layout(system, keep, work, &s->solver);
    void *model = system->model->layout(system->compiled, keep, work);
    watch_layout(system, keep, s);
    return model;
}

size_t state_layout(const td_system *system, void *block, td_state **out, size_t *keep_bytes) {
    td_state counted = {0};
    arena keep = {0}, work = {0};
    layout_keep(system, &keep, &work, &counted);
    size_t kept = (keep.used + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    size_t worked = (work.used + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    *keep_bytes = kept;

    arena whole = {block, 0};
    td_state *state = ARENA_TAKE(&whole, td_state, 1);
    void *keep_block = arena_take(&whole, kept);
    void *backup = arena_take(&whole, kept);
    void *outer_backup = arena_take(&whole, kept);
    void *work_block = arena_take(&whole, worked);
    if (!block) return whole.used + ALIGNMENT;

    memset(block, 0, whole.used);
    arena keep_real = {keep_block, 0}, work_real = {work_block, 0};
    state->memory = layout_keep(system, &keep_real, &work_real, state);
    state->keep = keep_block;
    state->backup = backup;
    state->outer_backup = outer_backup;
    *out = state;
    return whole.used + ALIGNMENT;
}

size_t td_state_bytes(const td_system *system) {
    return system->total_bytes;
}

static td_state *place(const td_system *system, void *memory) {
    uintptr_t aligned = ((uintptr_t)memory + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    td_state *state = NULL;
    size_t keep_bytes;
    state_layout(system, (void *)aligned, &state, &keep_bytes);
    td_state_reset(system, state);
    return state;
}

td_state *td_state_init(const td_system *system, void *memory, size_t bytes) {
    if (!memory || bytes < system->total_bytes || solver_needs_outside(system) || system->watches)
        return NULL;
    return place(system, memory);
}

td_state *state_create_alone(const td_system *system) {
    void *memory = malloc(system->total_bytes);
    if (!memory) return NULL;
    td_state *state = place(system, memory);
    state->allocation = memory;
    if (!solver_needs_outside(system)) return state;
    if (solver_attach(system, state)) return state;
    td_state_destroy(state);
    return NULL;
}

td_state *td_state_create(const td_system *system) {
    td_state *state = state_create_alone(system);
    if (!state || watch_attach(system, state)) return state;
    td_state_destroy(state);
    return NULL;
}

void td_state_destroy(td_state *state) {
    if (!state) return;
    watch_detach(state);
    if (state->detach) state->detach(state->memory);
    chosen_detach(&state->solver.time);
    free(state->allocation);
}

void td_state_reset(const td_system *system, td_state *state) {
    memset(state->keep, 0, system->keep_bytes);
    state->clock->fingerprint = system->fingerprint;
    state->clock->fresh = 1.0;
    for (int i = 0; i < system->n_inputs; i++) {
        state->inputs[i] = td_signal_value(&system->inputs[i].signal, 0.0, TD_BEFORE);
        state->inputs_before[i] = state->inputs[i];
    }
    state->stats = (td_stats){0};
    state->message[0] = '\0';
    sensors_reset(system, state);
    engines_rest(&state->engines);
    model_call call = state_call(system, state);
    solver_reset(system, state, &call);
    drives_at_rest(system, state);
}

void td_set_stop(td_state *state, bool (*asked)(void *context), void *context) {
    state->interrupt = (interrupt){asked, context};
}

// ---------------------------------------------------------------- snapshots
size_t td_snapshot_bytes(const td_system *system) {
    return system->keep_bytes;
}

// Of everything after the checksum itself; 53 bits, exact in a double.
static double checksum_of(const void *buffer, size_t bytes) {
    const size_t skip = offsetof(kept_clock, checksum) + sizeof(double);
    hash h = hash_bytes(HASH_START, (const char *)buffer + skip, bytes - skip);
    return (double)(h >> 11);
}

static kept_clock clock_in(const void *buffer) {
    kept_clock clock;
    memcpy(&clock, buffer, sizeof clock);
    return clock;
}

td_status td_state_save(const td_system *system, const td_state *state, void *buffer,
                        size_t bytes) {
    if (!buffer || bytes < system->keep_bytes) return TD_ERR_MEMORY;
    memcpy(buffer, state->keep, system->keep_bytes);
    kept_clock clock = clock_in(buffer);
    clock.checksum = checksum_of(buffer, system->keep_bytes);
    memcpy(buffer, &clock, sizeof clock);
    return TD_OK;
}

static td_status refuse_snapshot(td_state *state, td_status status, const char *why) {
    return tell(state->message, status, "%s", why);
}

static bool is_finite_block(const void *buffer, size_t bytes) {
    for (size_t at = 0; at < bytes; at += sizeof(double)) {
        double value;
        memcpy(&value, (const char *)buffer + at, sizeof value);
        if (!isfinite(value)) return false;
    }
    return true;
}

td_status td_state_restore(const td_system *system, td_state *state, const void *buffer,
                           size_t bytes) {
    if (!buffer || bytes < system->keep_bytes) return TD_ERR_MEMORY;
    const kept_clock clock = clock_in(buffer);
    if (clock.fingerprint != system->fingerprint)
        return refuse_snapshot(state, TD_ERR_ARGUMENT,
                               "the snapshot is of another robot, of other options or of another "
                               "version");
    if (!is_finite_block(buffer, system->keep_bytes))
        return refuse_snapshot(state, TD_ERR_NOT_FINITE,
                               "the snapshot is damaged: it holds a number that is not finite");
    if (clock.checksum != checksum_of(buffer, system->keep_bytes))
        return refuse_snapshot(state, TD_ERR_VALUE,
                               "the snapshot is damaged: its checksum does not fit");
    memcpy(state->keep, buffer, system->keep_bytes);
    state->clock->checksum = 0.0;
    state->stats = (td_stats){0};
    state->message[0] = '\0';
    return TD_OK;
}

// ---------------------------------------------------------------- inputs
static td_status check_input(const td_system *system, td_state *state, int input, double value) {
    state->message[0] = '\0';
    if (input < 0 || input >= system->n_inputs)
        return tell(state->message, TD_ERR_ARGUMENT, "input %d: there are only %d", input,
                    system->n_inputs);
    if (isfinite(value)) return TD_OK;
    return tell(state->message, TD_ERR_NOT_FINITE, "input '%s': %g is not a finite number",
                system->inputs[input].name, value);
}

td_status td_set_input(const td_system *system, td_state *state, int input, double value) {
    td_status status = check_input(system, state, input, value);
    if (status < 0) return status;
    state->inputs[input] = value;
    return TD_OK;
}

td_status td_set_input_rate(const td_system *system, td_state *state, int input, double rate) {
    td_status status = check_input(system, state, input, rate);
    if (status < 0) return status;
    state->rates[input] = rate;
    state->rate_given[input] = 1.0;
    return TD_OK;
}

double td_get_input(const td_system *system, const td_state *state, int input) {
    return input >= 0 && input < system->n_inputs ? state->inputs[input] : 0.0;
}

td_status td_apply_signals(const td_system *system, td_state *state, double t, td_side side) {
    if (!isfinite(t)) return TD_ERR_NOT_FINITE;
    for (int i = 0; i < system->n_inputs; i++)
        if (!signal_is_finite(&system->inputs[i].signal, t, side))
            return tell(state->message, TD_ERR_NOT_FINITE,
                        "input '%s': '%.80s' is not finite at t = %g s", system->inputs[i].name,
                        system->inputs[i].signal.formula, t);
    for (int i = 0; i < system->n_inputs; i++) {
        const td_signal *signal = &system->inputs[i].signal;
        state->inputs[i] = td_signal_value(signal, t, side);
        state->rates[i] = td_signal_rate(signal, t, side);
        state->rate_given[i] = 1.0;
    }
    return TD_OK;
}

// ---------------------------------------------------------------- outputs
static double clamp(double x, double lo, double hi) {
    return x >= lo ? (x <= hi ? x : hi) : lo;  // NaN gives lo
}

double td_get_time(const td_system *system, const td_state *state) {
    (void)system;
    return state->clock->time;
}

double td_get_length(const td_system *system, const td_state *state, int rod) {
    if (!has(&system->rods, rod)) return 0.0;
    if (!system->model->length) return system->rod_lengths[rod];
    return system->model->length(system->compiled, state->memory, rod);
}

double td_get_place(const td_system *system, const td_state *state, int rod, double s) {
    if (!has(&system->rods, rod) || !isfinite(s)) return 0.0;
    const double rest = system->rod_lengths[rod], now = td_get_length(system, state, rod);
    s = clamp(s, 0.0, rest);
    if (s == rest) return now;
    return now == rest ? s : fmin(now, fed_place(system->growths[rod], s, now - rest));
}

td_sample td_get_sample(const td_system *system, const td_state *state, int rod, double s) {
    if (!has(&system->rods, rod)) return (td_sample){.pose.q = {1.0}};
    s = clamp(s, 0.0, td_get_length(system, state, rod));
    return system->model->sample(system->compiled, state->memory, rod, s);
}

td_pose td_get_pose(const td_system *system, const td_state *state, int rod, double s) {
    const td_model *model = system->model;
    if (!has(&system->rods, rod) || !model->pose) return td_get_sample(system, state, rod, s).pose;
    s = clamp(s, 0.0, td_get_length(system, state, rod));
    return model->pose(system->compiled, state->memory, rod, s);
}

td_actuator_state td_get_actuator(const td_system *system, const td_state *state, int index) {
    if (!has_actuator(system, index) || !system->model->actuator) return (td_actuator_state){0};
    td_actuator_state out = system->model->actuator(system->compiled, state->memory, index);
    const actuator *a = &system->actuators[index];
    if (actuator_is_driven(a)) out.supplied = drive_supplied(state, a, out.supplied);
    if (a->at_rest > 0.0) out.supplied = number_value(a->value, state->inputs) + a->below;
    return out;
}

double td_get_effort(const td_system *system, const td_state *state, int index, double s) {
    if (!has_actuator(system, index) || !system->model->actuator || !isfinite(s)) return 0.0;
    const actuator *a = &system->actuators[index];
    if (a->rod < 0) return s == 0.0 ? td_get_actuator(system, state, index).effort : 0.0;
    const double fed = td_get_length(system, state, a->rod) - system->rod_lengths[a->rod];
    const double rest = fed == 0.0 ? s : place_before_feeding(system->growths[a->rod], s, fed);
    if (rest < a->from || rest > a->to) return 0.0;
    if (!system->model->effort) return td_get_actuator(system, state, index).effort;
    return system->model->effort(system->compiled, state->memory, index, s);
}

void td_get_actuator_point(const td_system *system, const td_state *state, int index, double x,
                           double p[3]) {
    p[0] = p[1] = p[2] = 0.0;
    if (!has_actuator(system, index)) return;
    const actuator *a = &system->actuators[index];
    if (a->rod < 0) {
        memcpy(p, td_get_body(system, state, a->body).pose.p, 3 * sizeof *p);
        return;
    }
    double s = a->from + clamp(x, 0.0, 1.0) * (a->to - a->from);
    td_pose pose = td_get_pose(system, state, a->rod, td_get_place(system, state, a->rod, s));
    quat h = {pose.q[0], pose.q[1], pose.q[2], pose.q[3]};
    vec3 r = quat_rotate(h, actuator_route(a, s).r);
    vec3_store(p, vec3_add(vec3_load(pose.p), r));
}

// The words of each kind for the same.
td_tendon_state td_get_tendon(const td_system *system, const td_state *state, int tendon) {
    const td_actuator_state a =
        td_get_actuator(system, state, actuator_of_kind(system, KIND_tendon, tendon));
    return (td_tendon_state){a.effort, a.end_effort, a.measure, a.supplied, a.slack > 0.0};
}

double td_get_tension(const td_system *system, const td_state *state, int tendon, double s) {
    return td_get_effort(system, state, actuator_of_kind(system, KIND_tendon, tendon), s);
}

void td_get_tendon_point(const td_system *system, const td_state *state, int tendon, double x,
                         double p[3]) {
    td_get_actuator_point(system, state, actuator_of_kind(system, KIND_tendon, tendon), x, p);
}

td_chamber_state td_get_chamber(const td_system *system, const td_state *state, int chamber) {
    const td_actuator_state a =
        td_get_actuator(system, state, actuator_of_kind(system, KIND_chamber, chamber));
    return (td_chamber_state){a.effort, a.measure, a.supplied};
}

td_body_state td_get_body(const td_system *system, const td_state *state, int body) {
    if (!has(&system->bodies, body) || !system->model->body)
        return (td_body_state){.pose.q = {1.0}};
    td_body_state out = system->model->body(system->compiled, state->memory, body);
    if (!system->free_bodies[body])
        out.attached = number_value(system->attached[body], state->inputs_before) > 0.5;
    return out;
}

td_energy td_get_energy(const td_system *system, const td_state *state) {
    td_energy e = solver_energy(system, state, state->inputs);
    engines_account(&state->engines, &e.kinetic, &e.dissipated, &e.work);
    return e;
}

const td_stats *td_get_stats(const td_state *state) {
    return &state->stats;
}

const char *td_message(const td_state *state) {
    return state->message;
}
