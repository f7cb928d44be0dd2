// batch/batch.c - a batch: creation, threads, and its calls.
#include "batch/batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define MOST_PIECES 4096
#define LEAST_PIECE 8  // robots: a whole group of lanes, whatever the width

td_batch_options td_default_batch_options(void) {
    return (td_batch_options){.kind = TD_BATCH_ANY, .threads = 1};
}

// ---------------------------------------------------------------- threads
static void piece_size(const td_batch *b, int *size, int *pieces) {
    int share =
        b->n / (8 * b->threads);  // a few for each thread, so that a slow one is not waited for
    if (share > 64) share = 64;
    if (share < b->n / MOST_PIECES) share = b->n / MOST_PIECES + 1;
    *size = (share + LEAST_PIECE - 1) / LEAST_PIECE * LEAST_PIECE;
    if (*size < LEAST_PIECE) *size = LEAST_PIECE;
    *pieces = (b->n + *size - 1) / *size;
}

static void work_on_piece(void *context, int piece) {
    const batch_call *call = context;
    int size, pieces;
    piece_size(call->batch, &size, &pieces);
    const int first = piece * size, left = call->batch->n - first;
    call->work(call, first, left < size ? left : size);
}

void batch_run(const batch_call *call) {
    int size, pieces;
    batch_call own = *call;
    piece_size(call->batch, &size, &pieces);
    pool_run(call->batch->helpers, work_on_piece, &own, pieces);
}

int spare_take(td_batch *b) {
    for (int i = 0;; i = (i + 1) % b->threads)
        if (!atomic_exchange_explicit(&b->taken[i], true, memory_order_acquire)) return i;
}

void spare_return(td_batch *b, int spare) {
    atomic_store_explicit(&b->taken[spare], false, memory_order_release);
}

void batch_explain(td_batch *b, int robot, const char *text) {
    const int at = atomic_fetch_add(&b->n_messages, 1);
    if (at >= MOST_MESSAGES) return;
    b->messages[at].robot = robot;
    snprintf(b->messages[at].text, MODEL_MESSAGE_SIZE, "%s", text);
}

static void begin(td_batch *b) {
    memset(b->statuses, 0, sizeof *b->statuses * (size_t)b->n);
    atomic_store(&b->n_messages, 0);
    atomic_store(&b->alone, 0);
    atomic_store(&b->corrections, 0);
}

static int count_failed(const td_batch *b) {
    int failed = 0;
    for (int i = 0; i < b->n; i++) failed += b->statuses[i] < 0;
    return failed;
}

// ---------------------------------------------------------------- ordinary states
// All of them or none: what is not finite is refused.
static td_status give_inputs(const td_batch *b, int robot, td_state *state) {
    const double *values = inputs_of(b, robot);
    const td_system *system = system_of(b, robot);
    for (int i = 0; i < system->n_inputs; i++)
        if (!isfinite(values[i])) return td_set_input(system, state, i, values[i]);
    for (int i = 0; i < system->n_inputs; i++) td_set_input(system, state, i, values[i]);
    return TD_OK;
}

static void note(td_batch *b, int robot, const td_state *state, td_status status) {
    if (status > b->statuses[robot] || status < 0) b->statuses[robot] = status;
    if (status < 0) batch_explain(b, robot, td_message(state));
}

static void step_states(const batch_call *call, int first, int count) {
    td_batch *b = call->batch;
    for (int i = first; i < first + count; i++) {
        if (!is_meant(call, i)) continue;
        td_status status = give_inputs(b, i, b->states[i]);
        note(b, i, b->states[i], status);
        for (int k = 0; k < call->steps && status >= 0; k++) {
            status = td_step(system_of(b, i), b->states[i], call->dt);
            note(b, i, b->states[i], status);
        }
    }
}

// ---------------------------------------------------------------- creation
static bool create_states(td_batch *b, int n) {
    b->states = calloc((size_t)n + 1, sizeof *b->states);
    for (int i = 0; b->states && i < n; i++)
        if (!(b->states[i] = td_state_create(b->system))) return false;
    b->bytes += (size_t)n * td_state_bytes(b->system);
    return b->states != NULL;
}

static bool create_common(td_batch *b) {
    const size_t n = (size_t)b->n;
    b->inputs = calloc(n * (size_t)b->system->n_inputs + 1, sizeof *b->inputs);
    b->statuses = calloc(n + 1, sizeof *b->statuses);
    b->messages = calloc(MOST_MESSAGES, sizeof *b->messages);
    b->taken = calloc((size_t)b->threads, sizeof *b->taken);
    b->helpers = b->threads > 1 ? pool_create(b->threads - 1) : NULL;
    b->bytes = n * ((size_t)b->system->n_inputs * sizeof(double) + sizeof *b->statuses);
    return b->inputs && b->statuses && b->messages && b->taken && (b->helpers || b->threads == 1);
}

static td_status check(const td_system *system, int n, const td_batch_options *o, td_error *err) {
    if (!system) return error_set(err, TD_ERR_ARGUMENT, "td_batch_create", "there is no system");
    if (n < 0) return error_set(err, TD_ERR_ARGUMENT, "n", "%d robots must not be negative", n);
    if (o->threads < 1 || o->threads > 1024)
        return error_set(err, TD_ERR_ARGUMENT, "threads", "%d must be from 1 to 1024", o->threads);
    if (o->width != 0 && o->width != 1 && o->width != 4 && o->width != 8)
        return error_set(err, TD_ERR_ARGUMENT, "width", "%d must be 0, 1, 4 or 8", o->width);
    if (o->single && o->kind != TD_BATCH_GPU)
        return error_set(err, TD_ERR_ARGUMENT, "single",
                         "steps in single precision are those of a GPU alone");
    return TD_OK;
}

static bool create_kind(td_batch *b, const td_batch_options *o) {
    if (o->kind != TD_BATCH_STATES && lanes_create(b, o))
        return create_states(b, b->threads) && (o->kind != TD_BATCH_GPU || gpu_create(b, o));
    if (o->kind == TD_BATCH_LANES || o->kind == TD_BATCH_GPU) return false;
    b->kind = TD_BATCH_STATES;
    return create_states(b, b->n);
}

td_batch *td_batch_create(const td_system *system, int n, const td_batch_options *options,
                          td_error *err) {
    const td_batch_options o = options ? *options : td_default_batch_options();
    if (check(system, n, &o, err) < 0) return NULL;
    td_batch *b = calloc(1, sizeof *b);
    if (b) *b = (td_batch){.system = system, .n = n, .threads = o.threads, .width = 1};
    const bool room = b && create_common(b);
    if (room && create_kind(b, &o)) {
        td_batch_reset(b, NULL);
        return b;
    }
    if (room && b->reason[0])
        error_set(err, TD_ERR_UNSUPPORTED, "kind", "no %s for this robot: %s",
                  o.kind == TD_BATCH_GPU ? "GPU" : "lanes", b->reason);
    else error_set(err, TD_ERR_MEMORY, "td_batch_create", "no memory for %d robots", n);
    td_batch_destroy(b);
    return NULL;
}

void td_batch_destroy(td_batch *b) {
    if (!b) return;
    pool_destroy(b->helpers);
    const int n = b->kind == TD_BATCH_STATES ? b->n : b->threads;
    gpu_destroy(b);  // the inputs with it
    for (int i = 0; b->states && i < n; i++) td_state_destroy(b->states[i]);
    variants_release(b);
    if (b->plan) b->lanes->release(b->plan);
    free(b->states), free(b->inputs), free(b->statuses), free(b->messages), free(b->taken);
    free(b->records), free(b->clocks), free(b->before), free(b->rates), free(b->coming),
        free(b->guards);
    free(b);
}

int td_batch_n(const td_batch *b) {
    return b->n;
}

td_batch_kind td_batch_kind_of(const td_batch *b) {
    return b->kind;
}

int td_batch_width(const td_batch *b) {
    return b->width;
}

const char *td_batch_reason(const td_batch *b) {
    return b->reason;
}

size_t td_batch_bytes(const td_batch *b) {
    return b->bytes + sizeof *b;
}

double *td_batch_inputs(td_batch *b) {
    return b->inputs;
}

// ---------------------------------------------------------------- steps and equilibria
// What is refused for all of them alike.
static int refuse_all(td_batch *b, const bool *which, td_status status, const char *text) {
    int failed = 0;
    for (int i = 0; i < b->n; i++) {
        if (which && !which[i]) continue;
        b->statuses[i] = status;
        batch_explain(b, i, text);
        failed++;
    }
    return failed;
}

int td_batch_step(td_batch *b, double dt, int steps, const bool *which) {
    begin(b);
    char text[96];
    snprintf(text, sizeof text, "step: dt = %g s must be positive and finite", dt);
    if (!(dt > 0.0) || !isfinite(dt)) return refuse_all(b, which, TD_ERR_ARGUMENT, text);
    snprintf(text, sizeof text, "step: %d steps must not be negative", steps);
    if (steps < 0) return refuse_all(b, which, TD_ERR_ARGUMENT, text);
    const batch_call call = {.batch = b,
                             .which = which,
                             .dt = dt,
                             .steps = steps,
                             .work = b->kind == TD_BATCH_STATES ? step_states : lanes_step};
    if (b->kind == TD_BATCH_GPU) gpu_step(&call);
    else batch_run(&call);
    return count_failed(b);
}

// A robot as a state: its own, or a spare one that it is read into.
static td_state *open_robot(const td_batch *b, int robot, int spare) {
    if (b->kind == TD_BATCH_STATES) return b->states[robot];
    lanes_read(b, robot, b->states[spare]);
    return b->states[spare];
}

static void close_robot(td_batch *b, int robot, const td_state *state) {
    if (b->kind != TD_BATCH_STATES) lanes_write(b, robot, state);
}

typedef td_status place_one(const td_system *system, td_state *state);

// Robots as states of their own, one after the other.
static void place_robots(const batch_call *call, int first, int count, place_one *place) {
    td_batch *b = call->batch;
    const int spare = spare_take(b);
    for (int i = first; i < first + count; i++) {
        if (!is_meant(call, i)) continue;
        td_state *state = open_robot(b, i, spare);
        td_status status = give_inputs(b, i, state);
        if (status >= 0) status = place(system_of(b, i), state);
        note(b, i, state, status);
        if (status >= 0) close_robot(b, i, state);
    }
    spare_return(b, spare);
}

static void find_equilibria(const batch_call *call, int first, int count) {
    place_robots(call, first, count, td_solve_statics);
}

static void start_moving(const batch_call *call, int first, int count) {
    place_robots(call, first, count, td_apply_initial);
}

int td_batch_statics(td_batch *b, const bool *which) {
    begin(b);
    gpu_changed(b);
    batch_run(&(batch_call){.batch = b, .which = which, .work = find_equilibria});
    return count_failed(b);
}

int td_batch_apply_initial(td_batch *b, const bool *which) {
    begin(b);
    gpu_changed(b);
    batch_run(&(batch_call){.batch = b, .which = which, .work = start_moving});
    return count_failed(b);
}

static void reset(const batch_call *call, int first, int count) {
    td_batch *b = call->batch;
    const int spare = spare_take(b);
    bool known = false;
    for (int i = first; i < first + count; i++) {
        if (!is_meant(call, i)) continue;
        td_state *state = b->states[b->kind == TD_BATCH_STATES ? i : spare];
        if (!known) td_state_reset(system_of(b, i), state);
        known = b->kind != TD_BATCH_STATES && !b->variants;
        memcpy(inputs_of(b, i), state->inputs, sizeof(double) * (size_t)b->system->n_inputs);
        close_robot(b, i, state);
    }
    spare_return(b, spare);
}

void td_batch_reset(td_batch *b, const bool *which) {
    begin(b);
    gpu_changed(b);
    batch_run(&(batch_call){.batch = b, .which = which, .work = reset});
}

void td_batch_restart(td_batch *b, const bool *which) {
    gpu_changed(b);
    for (int i = 0; i < b->n; i++) {
        if (which && !which[i]) continue;
        if (b->kind != TD_BATCH_STATES) b->clocks[i].fresh = 1.0;
        else td_restart(system_of(b, i), b->states[i]);
    }
}

const td_status *td_batch_statuses(const td_batch *b) {
    return b->statuses;
}

const char *td_batch_message(const td_batch *b, int robot) {
    const int n = atomic_load(&b->n_messages);
    for (int i = 0; i < n && i < MOST_MESSAGES; i++)
        if (b->messages[i].robot == robot) return b->messages[i].text;
    if (robot < 0 || robot >= b->n || b->statuses[robot] >= 0) return "";
    return status_words(b->statuses[robot]);
}

long long td_batch_alone(const td_batch *b) {
    return atomic_load(&b->alone);
}

long long td_batch_corrections(const td_batch *b) {
    return atomic_load(&b->corrections);
}

// ---------------------------------------------------------------- outputs
typedef void reader(const batch_call *call, const td_state *state, int robot);

// Over all robots, as they are now.
static void read_all(const batch_call *call) {
    gpu_fetch(call->batch);
    batch_run(call);
}

static void read_each(const batch_call *call, int first, int count, reader *read) {
    td_batch *b = call->batch;
    const int spare = spare_take(b);
    for (int i = first; i < first + count; i++) read(call, open_robot(b, i, spare), i);
    spare_return(b, spare);
}

// A place on the rod of the batch's system as one on the rod of a robot: the same share of its length.
static double place_of(const batch_call *call, int robot, double s) {
    const double own = td_rod_length(system_of(call->batch, robot), call->rod);
    const double length = td_rod_length(call->batch->system, call->rod);
    if (own == length) return s;
    return s == length ? own : s * (own / length);
}

static void read_samples(const batch_call *call, const td_state *state, int robot) {
    td_sample *out = (td_sample *)call->out + (size_t)robot * (size_t)call->points;
    for (int i = 0; i < call->points; i++)
        out[i] = td_get_sample(system_of(call->batch, robot), state, call->rod,
                               place_of(call, robot, call->s[i]));
}

static void read_poses(const batch_call *call, const td_state *state, int robot) {
    td_pose *out = (td_pose *)call->out + (size_t)robot * (size_t)call->points;
    for (int i = 0; i < call->points; i++)
        out[i] = td_get_pose(system_of(call->batch, robot), state, call->rod,
                             place_of(call, robot, call->s[i]));
}

static void read_energy(const batch_call *call, const td_state *state, int robot) {
    ((td_energy *)call->out)[robot] = td_get_energy(system_of(call->batch, robot), state);
}

static void read_actuators(const batch_call *call, const td_state *state, int robot) {
    const int n = call->batch->system->n_actuators;
    td_actuator_state *out = (td_actuator_state *)call->out + (size_t)robot * (size_t)n;
    for (int i = 0; i < n; i++) out[i] = td_get_actuator(system_of(call->batch, robot), state, i);
}

static void read_bodies(const batch_call *call, const td_state *state, int robot) {
    const int n = call->batch->system->bodies.n;
    td_body_state *out = (td_body_state *)call->out + (size_t)robot * (size_t)n;
    for (int i = 0; i < n; i++) out[i] = td_get_body(system_of(call->batch, robot), state, i);
}

static void samples(const batch_call *call, int first, int count) {
    read_each(call, first, count, read_samples);
}

static void poses(const batch_call *call, int first, int count) {
    read_each(call, first, count, read_poses);
}

static void energies(const batch_call *call, int first, int count) {
    read_each(call, first, count, read_energy);
}

static void actuators(const batch_call *call, int first, int count) {
    read_each(call, first, count, read_actuators);
}

static void bodies(const batch_call *call, int first, int count) {
    read_each(call, first, count, read_bodies);
}

void td_batch_get_samples(td_batch *b, int rod, const double *s, int points, td_sample *out) {
    read_all(&(batch_call){
        .batch = b, .rod = rod, .s = s, .points = points, .out = out, .work = samples});
}

void td_batch_get_poses(td_batch *b, int rod, const double *s, int points, td_pose *out) {
    read_all(
        &(batch_call){.batch = b, .rod = rod, .s = s, .points = points, .out = out, .work = poses});
}

void td_batch_get_energies(td_batch *b, td_energy *out) {
    read_all(&(batch_call){.batch = b, .out = out, .work = energies});
}

void td_batch_get_actuators(td_batch *b, td_actuator_state *out) {
    read_all(&(batch_call){.batch = b, .out = out, .work = actuators});
}

void td_batch_get_bodies(td_batch *b, td_body_state *out) {
    read_all(&(batch_call){.batch = b, .out = out, .work = bodies});
}

static void jacobians(const batch_call *call, int first, int count) {
    td_batch *b = call->batch;
    const size_t size = 6 * (size_t)b->system->n_inputs;
    const int spare = spare_take(b);
    for (int i = first; i < first + count; i++) {
        td_state *state = open_robot(b, i, spare);
        double *J = (double *)call->out + (size_t)i * size;
        const td_status status =
            td_get_jacobian(system_of(b, i), state, call->rod, place_of(call, i, call->s[0]), J);
        note(b, i, state, status);
        if (status < 0) memset(J, 0, size * sizeof *J);
    }
    spare_return(b, spare);
}

int td_batch_get_jacobians(td_batch *b, int rod, double s, double *out) {
    begin(b);
    read_all(&(batch_call){.batch = b, .rod = rod, .s = &s, .out = out, .work = jacobians});
    return count_failed(b);
}

void td_batch_get_times(td_batch *b, double *out) {
    gpu_fetch(b);
    for (int i = 0; i < b->n; i++)
        out[i] = b->kind == TD_BATCH_STATES ? td_get_time(system_of(b, i), b->states[i])
                                            : b->clocks[i].time;
}

// ---------------------------------------------------------------- one robot
static void copy_state(const td_system *system, const td_state *from, td_state *to) {
    memcpy(to->keep, from->keep, system->keep_bytes);
    to->stats = (td_stats){0};
    to->message[0] = '\0';
}

td_status td_batch_read(td_batch *b, int robot, td_state *to) {
    if (robot < 0 || robot >= b->n || !to) return TD_ERR_ARGUMENT;
    if (to->clock->fingerprint != system_of(b, robot)->fingerprint) return TD_ERR_ARGUMENT;
    gpu_fetch(b);
    if (b->kind != TD_BATCH_STATES) lanes_read(b, robot, to);
    else copy_state(b->system, b->states[robot], to);
    return TD_OK;
}

td_status td_batch_write(td_batch *b, int robot, const td_state *from) {
    if (robot < 0 || robot >= b->n || !from) return TD_ERR_ARGUMENT;
    if (from->clock->fingerprint != system_of(b, robot)->fingerprint) return TD_ERR_ARGUMENT;
    gpu_changed(b);
    if (b->kind != TD_BATCH_STATES) lanes_write(b, robot, from);
    else copy_state(b->system, from, b->states[robot]);
    memcpy(inputs_of(b, robot), from->inputs, sizeof(double) * (size_t)b->system->n_inputs);
    return TD_OK;
}
