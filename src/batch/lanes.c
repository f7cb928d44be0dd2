// batch/lanes.c - robots side by side in registers, and those that go on alone.
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "math/dense.h"
#include "math/two_sum.h"
#include "sim/solver.h"

// ---------------------------------------------------------------- creation
// Records of all groups, each of so many numbers a robot.
static double *take_records(td_batch *b, int numbers, size_t *group_doubles) {
    *group_doubles = ((size_t)numbers * (size_t)b->width + 7) / 8 * 8;
    const size_t bytes = ((size_t)b->n_groups + 1) * *group_doubles * sizeof(double);
    double *records = aligned_alloc(64, bytes);
    if (records) memset(records, 0, bytes), b->bytes += bytes;
    return records;
}

static int n_plain(const td_batch *b) {
    return b->lanes->n_numbers(b->plan) + b->lanes->n_given(b->plan);
}

static bool take_room(td_batch *b) {
    const size_t n = (size_t)b->n + 1, inputs = n * (size_t)b->system->n_inputs + 1;
    b->n_groups = (b->n + b->width - 1) / b->width;
    b->records = take_records(b, n_plain(b), &b->group_doubles);
    b->clocks = calloc(n, sizeof *b->clocks);
    b->before = calloc(inputs, sizeof *b->before);
    b->rates = calloc(inputs, sizeof *b->rates);
    b->coming = calloc(inputs, sizeof *b->coming);
    const bool touches = has_contact(b->system);
    if (touches) b->guards = calloc(n, sizeof *b->guards), b->bytes += n * sizeof *b->guards;
    for (int i = 0; i < b->system->n_inputs; i++) b->rate_matters |= b->system->rate_matters[i];
    b->bytes += n * sizeof *b->clocks + 3 * inputs * sizeof(double);
    return b->records && b->clocks && b->before && b->rates && b->coming && (b->guards || !touches);
}

bool lanes_make_own(td_batch *b) {
    size_t wide, narrow = b->group_doubles;
    double *records = take_records(b, n_plain(b) + b->lanes->n_own(b->plan), &wide);
    if (!records) return false;
    for (int i = 0; i < b->n_groups; i++)
        memcpy(records + (size_t)i * wide, b->records + (size_t)i * narrow,
               sizeof(double) * (size_t)(n_plain(b) * b->width));
    b->bytes -= ((size_t)b->n_groups + 1) * narrow * sizeof(double);
    free(b->records);
    b->records = records, b->group_doubles = wide;
    return true;
}

bool lanes_create(td_batch *b, const td_batch_options *options) {
    if (b->system->n_sensors + b->system->n_controllers > 0) {
        strcpy(b->reason, "sensors and controllers work one robot at a time");
        return false;
    }
    b->lanes = b->system->model->lanes;
    if (!b->lanes) {
        strcpy(b->reason, "the model has no lanes");
        return false;
    }
    const int width = options->kind == TD_BATCH_GPU ? 1 : options->width;
    b->plan = b->lanes->make(b->system->compiled, width, b->reason, sizeof b->reason);
    if (!b->plan) return false;
    b->width = b->lanes->width(b->plan);
    b->kind = TD_BATCH_LANES;
    return take_room(b);
}

// ---------------------------------------------------------------- one robot
static double *group_of(const td_batch *b, int robot) {
    return b->records + (size_t)(robot / b->width) * b->group_doubles;
}

static double *record_of(const td_batch *b, int robot) {
    return group_of(b, robot) + robot % b->width;
}

static double *given_of(const td_batch *b, double *group) {
    return group + (size_t)b->lanes->n_numbers(b->plan) * (size_t)b->width;
}

static double *row(const td_batch *b, double *rows, int robot) {
    return rows + (size_t)robot * (size_t)b->system->n_inputs;
}

void lanes_put_own(td_batch *b, int robot) {
    b->lanes->put_own(b->plan, plan_of(b, robot),
                      record_of(b, robot) + (size_t)(n_plain(b) * b->width));
}

void lanes_read(const td_batch *b, int robot, td_state *to) {
    const size_t inputs = sizeof(double) * (size_t)b->system->n_inputs;
    const lane_clock *clock = &b->clocks[robot];
    memcpy(to->inputs, row(b, b->before, robot), inputs);
    memcpy(to->inputs_before, row(b, b->before, robot), inputs);
    memcpy(to->rates, row(b, b->rates, robot), inputs);
    memcpy(to->rates_before, row(b, b->rates, robot), inputs);
    memset(to->rate_given, 0, inputs);
    memset(to->given_before, 0, inputs);
    to->clock->time = clock->time, to->clock->time_rest = clock->time_rest;
    to->clock->fresh = clock->fresh;
    if (b->guards) to->clock->guard = b->guards[robot].guard;
    to->stats = (td_stats){0};
    to->message[0] = '\0';
    const model_call call = state_call(system_of(b, robot), to);
    b->lanes->load(plan_of(b, robot), to->memory, &call, record_of(b, robot));
}

void lanes_write(td_batch *b, int robot, const td_state *from) {
    const size_t inputs = sizeof(double) * (size_t)b->system->n_inputs;
    b->clocks[robot] = (lane_clock){from->clock->time, from->clock->time_rest, from->clock->fresh};
    memcpy(row(b, b->before, robot), from->inputs_before, inputs);
    memcpy(row(b, b->rates, robot), from->rates_before, inputs);
    if (b->guards)
        b->guards[robot] = (lane_guard){
            from->clock->guard, solver_energy(system_of(b, robot), from, from->inputs_before)};
    b->lanes->store(b->plan, from->memory, record_of(b, robot));
}

// By the ordinary step, which also says why it fails.
static td_status step_alone(td_batch *b, int robot, double dt) {
    const int spare = spare_take(b);
    td_state *state = b->states[spare];
    const double *inputs = inputs_of(b, robot);
    const td_system *system = system_of(b, robot);
    lanes_read(b, robot, state);
    td_status status = TD_OK;
    for (int i = 0; i < b->system->n_inputs && status >= 0; i++)
        status = td_set_input(system, state, i, inputs[i]);
    if (status >= 0) status = td_step(system, state, dt);
    if (status >= 0) lanes_write(b, robot, state);
    else batch_explain(b, robot, td_message(state));
    spare_return(b, spare);
    atomic_fetch_add_explicit(&b->alone, 1, memory_order_relaxed);
    return status;
}

// ---------------------------------------------------------------- steps of a group
typedef struct group_step {
    td_batch *b;
    double *group;
    int first, count;  // its robots
    unsigned meant;    // those that take steps
    double dt;
} group_step;

// As td_step does: the change of an input over the step is its rate.
static void set_rates(td_batch *b, int robot, double dt) {
    const double *inputs = inputs_of(b, robot), *before = row(b, b->before, robot);
    double *rates = row(b, b->coming, robot);
    for (int i = 0; i < b->system->n_inputs; i++) rates[i] = (inputs[i] - before[i]) / dt;
}

bool lanes_can_step(td_batch *b, int robot, double dt, double *given) {
    if (b->clocks[robot].fresh != 0.0) return false;
    if (!dense_is_finite((size_t)b->system->n_inputs, inputs_of(b, robot))) return false;
    set_rates(b, robot, dt);
    return b->lanes->give(plan_of(b, robot), inputs_of(b, robot), row(b, b->coming, robot), given);
}

// Those of them that the kernel may step now, with what they bring.
static unsigned prepare(const group_step *g, lanes_robot robots[LANES_MOST]) {
    td_batch *b = g->b;
    unsigned on = 0;
    for (int k = 0; k < g->count; k++) {
        const int i = g->first + k;
        if (!(g->meant >> k & 1u) || !dense_is_finite((size_t)b->system->n_inputs, inputs_of(b, i)))
            continue;
        set_rates(b, i, g->dt);
        robots[k] = (lanes_robot){.plan = plan_of(b, i),
                                  .inputs = inputs_of(b, i),
                                  .before = row(b, b->before, i),
                                  .rates = row(b, b->coming, i),
                                  .rates_before = row(b, b->rates, i),
                                  .fresh = b->clocks[i].fresh != 0.0};
        on |= 1u << k;
    }
    return on;
}

// As td_step asks; one that is refused is taken by that.
static bool is_allowed(void *context, int lane, const td_energy *after, bool touches) {
    const group_step *g = context;
    lane_guard *own = &g->b->guards[g->first + lane];
    step_guard guard = own->guard;
    if (!step_is_passive(&guard, &own->energy, after, touches)) return false;
    *own = (lane_guard){guard, *after};
    return true;
}

static void step_once(group_step *g) {
    td_batch *b = g->b;
    const size_t inputs = sizeof(double) * (size_t)b->system->n_inputs;
    double corrections[LANES_MOST] = {0.0}, sum = 0.0;
    lanes_robot robots[LANES_MOST] = {0};
    const lanes_guard guard = {is_allowed, g};
    const unsigned on = prepare(g, robots);
    const unsigned arrived =
        on ? b->lanes->step(b->plan, g->group, given_of(b, g->group), robots, b->variants != NULL,
                            on, g->dt, &guard, corrections)
           : 0;
    for (int k = 0; k < g->count; k++) {
        const int robot = g->first + k;
        if (!(g->meant >> k & 1u)) continue;
        if (arrived >> k & 1u) {
            two_sum_add(&b->clocks[robot].time, &b->clocks[robot].time_rest, g->dt);
            b->clocks[robot].fresh = 0.0;
            memcpy(row(b, b->before, robot), inputs_of(b, robot), inputs);
            memcpy(row(b, b->rates, robot), row(b, b->coming, robot), inputs);
            sum += corrections[k];
            continue;
        }
        const td_status status = step_alone(b, robot, g->dt);
        if (status > b->statuses[robot] || status < 0) b->statuses[robot] = status;
        if (status < 0) g->meant &= ~(1u << k);
    }
    atomic_fetch_add_explicit(&b->corrections, (long long)sum, memory_order_relaxed);
}

void lanes_step_here(td_batch *b, int robot, double dt) {
    group_step g = {.b = b, .group = group_of(b, robot), .first = robot, .count = 1};
    g.meant = 1, g.dt = dt;
    step_once(&g);
}

void lanes_step(const batch_call *call, int first, int count) {
    td_batch *b = call->batch;
    for (int at = first; at < first + count; at += b->width) {
        group_step g = {.b = b, .group = group_of(b, at), .first = at, .dt = call->dt};
        g.count = first + count - at < b->width ? first + count - at : b->width;
        for (int k = 0; k < g.count; k++) g.meant |= (unsigned)is_meant(call, at + k) << k;
        for (int i = 0; i < call->steps && g.meant; i++) step_once(&g);
    }
}
