// batch/gpu.c - robots on a GPU: the records live there, and come here for what only a processor does.
//
// Robots that start afresh, have another past than the others or do not arrive are stepped here, by ordinary
// states, and go back. While all robots step there together, clocks here wait: `pending`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "math/two_sum.h"

#define FEW 64          // robots that are brought one by one
#define MOST_GIVEN 256  // numbers that inputs give one

static double *record_of(const td_batch *b, int robot) {
    return b->records + (size_t)robot * b->group_doubles;
}

static double *own_of(const td_batch *b) {
    return b->records + b->lanes->n_numbers(b->plan) + b->lanes->n_given(b->plan);
}

// Inputs in memory that the device reads by itself.
static bool move_inputs(td_batch *b) {
    const size_t bytes = sizeof(double) * ((size_t)b->n * (size_t)b->system->n_inputs + 1);
    double *inputs = b->on_device->take_memory(b->device, bytes);
    if (!inputs) return false;
    free(b->inputs);
    b->inputs = inputs;
    return true;
}

bool gpu_create(td_batch *b, const td_batch_options *options) {
    const size_t n = (size_t)b->n;
    b->kind = TD_BATCH_GPU;
    b->on_device = b->lanes->device;
    b->given = calloc(n * (size_t)b->lanes->n_given(b->plan) + 1, sizeof *b->given);
    b->lead = calloc((size_t)b->lanes->n_numbers(b->plan), sizeof *b->lead);
    b->on = calloc(n + 1, 1);
    b->arrived = calloc(n + 1, 1);
    if (!b->given || !b->lead || !b->on || !b->arrived) return false;
    b->device = b->on_device ? b->on_device->attach(b->plan, options->library, options->single,
                                                    b->n, b->reason, sizeof b->reason)
                             : NULL;
    b->device_stale = true;
    return b->device && move_inputs(b);
}

void gpu_destroy(td_batch *b) {
    if (b->device && b->inputs) {
        b->on_device->free_memory(b->device, b->inputs);
        b->inputs = NULL;
    }
    if (b->device) b->on_device->detach(b->device);
    free(b->given), free(b->lead), free(b->on), free(b->arrived);
}

// ---------------------------------------------------------------- here and there
static void settle_clocks(const batch_call *call, int first, int count) {
    td_batch *b = call->batch;
    for (int i = first; i < first + count; i++)
        for (int k = 0; k < b->pending; k++) {
            two_sum_add(&b->clocks[i].time, &b->clocks[i].time_rest, b->pending_dt);
            b->on_device->stepped(b->plan, record_of(b, i), b->pending_dt);
        }
}

static void settle(td_batch *b) {
    if (b->pending) batch_run(&(batch_call){.batch = b, .work = settle_clocks});
    b->pending = 0;
}

// The inputs of the last step, where the device alone knows them.
static const char *bring_before(td_batch *b) {
    if (!b->before_there) return NULL;
    b->before_there = false;
    return b->on_device->get_inputs(b->device, false, b->before);
}

// The past of each robot stands behind its record, here alone: what comes leaves it as it is.
static const char *fetch(td_batch *b) {
    settle(b);
    const char *wrong = bring_before(b);
    if (wrong || !b->host_stale) return wrong;
    b->host_stale = false;
    return b->on_device->get(b->device, 0, b->n, b->records, b->group_doubles);
}

void gpu_fetch(td_batch *b) {
    if (b->device) fetch(b);
}

// Inputs that are to be taken from there, where the processor needs them.
static void bring_inputs(td_batch *b) {
    if (b->inputs_there) b->on_device->get_inputs(b->device, true, b->inputs);
    b->inputs_there = false;
}

void gpu_changed(td_batch *b) {
    if (!b->device) return;
    fetch(b);
    bring_inputs(b);
    b->device_stale = true;
    b->uniform = false;
}

void gpu_numbers_changed(td_batch *b) {
    b->own_stale = true;
}

static const char *send(td_batch *b) {
    const char *wrong = NULL;
    if (b->own_stale) wrong = b->on_device->put_own(b->device, own_of(b), b->group_doubles);
    b->own_stale = false;
    if (wrong || !b->device_stale) return wrong;
    b->device_stale = false;
    return b->on_device->put(b->device, 0, b->n, b->records, b->group_doubles);
}

// ---------------------------------------------------------------- steps here
static void step_here(const batch_call *call, int first, int count) {
    td_batch *b = call->batch;
    for (int i = first; i < first + count; i++) {
        if (!is_meant(call, i) || b->arrived[i] || b->statuses[i] < 0) continue;
        lanes_step_here(b, i, call->dt);
    }
}

// Those that are meant and have not arrived there.
static const char *step_rest(const batch_call *call, int rest) {
    td_batch *b = call->batch;
    const char *wrong = NULL;
    if (rest > FEW) {
        wrong = fetch(b);
        if (!wrong)
            batch_run(
                &(batch_call){.batch = b, .which = call->which, .dt = call->dt, .work = step_here});
        b->device_stale = true;
        return wrong;
    }
    for (int i = 0; i < b->n && !wrong; i++) {
        if (!is_meant(call, i) || b->arrived[i] || b->statuses[i] < 0) continue;
        wrong = b->on_device->get(b->device, i, 1, record_of(b, i), b->group_doubles);
        if (!wrong) step_here(call, i, 1);
        if (!wrong) wrong = b->on_device->put(b->device, i, 1, record_of(b, i), b->group_doubles);
    }
    return wrong;
}

// ---------------------------------------------------------------- steps there
// Whom the device can step now, all with the past of the first of them.
static void choose(const batch_call *call, int first, int count) {
    td_batch *b = call->batch;
    const size_t given = (size_t)b->lanes->n_given(b->plan), n = (size_t)b->n;
    double own[MOST_GIVEN];
    for (int i = first; i < first + count; i++) {
        b->on[i] = is_meant(call, i) && b->statuses[i] >= 0 && given <= MOST_GIVEN &&
                   lanes_can_step(b, i, call->dt, own);
        for (size_t k = 0; k < given && b->on[i]; k++) b->given[k * n + (size_t)i] = own[k];
    }
}

// The first that is on, or -1; those with another past are not.
static int same_past(td_batch *b) {
    int one = -1;
    b->odd = false;
    for (int i = 0; i < b->n; i++) {
        if (b->on[i] && one < 0) one = i;
        if (b->on[i] && !b->uniform && i != one)
            b->on[i] = b->on_device->same_past(b->plan, record_of(b, one), record_of(b, i));
        b->odd |= !b->on[i];
    }
    return one;
}

static void take_inputs(const batch_call *call, int first, int count) {
    td_batch *b = call->batch;
    const size_t bytes = sizeof(double) * (size_t)b->system->n_inputs;
    for (int i = first; i < first + count; i++) {
        if (!b->arrived[i]) continue;
        const size_t at = (size_t)i * (size_t)b->system->n_inputs;
        memcpy(b->before + at, b->inputs + at, bytes);
        memcpy(b->rates + at, b->coming + at, bytes);
    }
}

// All at once, and they all arrived: clocks wait.
static void all_arrived(td_batch *b, double dt) {
    if (b->pending && b->pending_dt != dt) settle(b);
    b->pending_dt = dt;
    b->pending++;
    b->on_device->stepped(b->plan, b->lead, dt);
}

static void some_arrived(td_batch *b, double dt) {
    settle(b);
    for (int i = 0; i < b->n; i++) {
        if (!b->arrived[i]) continue;
        two_sum_add(&b->clocks[i].time, &b->clocks[i].time_rest, dt);
        b->on_device->stepped(b->plan, record_of(b, i), dt);
    }
}

static int count_rest(const batch_call *call) {
    const td_batch *b = call->batch;
    int rest = 0;
    for (int i = 0; i < b->n; i++)
        rest += is_meant(call, i) && !b->arrived[i] && b->statuses[i] >= 0;
    return rest;
}

static bool is_uniform(const td_batch *b) {
    for (int i = 0; i < b->n; i++)
        if (b->clocks[i].fresh != 0.0 ||
            !b->on_device->same_past(b->plan, record_of(b, 0), record_of(b, i)))
            return false;
    return true;
}

// Those that are on and have arrived are told; the others are stepped here.
static const char *step_others(const batch_call *call) {
    td_batch *b = call->batch;
    const char *wrong = NULL;
    for (int i = 0; i < b->n; i++) b->arrived[i] &= b->on[i];
    some_arrived(b, call->dt);
    const int rest = count_rest(call);
    if (rest) wrong = step_rest(call, rest);
    b->uniform = !wrong && is_uniform(b);
    if (b->uniform)
        memcpy(b->lead, b->records, sizeof(double) * (size_t)b->lanes->n_numbers(b->plan));
    return wrong;
}

// One step of all that are meant, looked at one by one here.
static const char *step_chosen(const batch_call *call) {
    td_batch *b = call->batch;
    batch_call part = *call;
    int missed = 0;
    const char *wrong = bring_before(b);
    part.work = choose;
    if (!wrong) batch_run(&part);
    const int one = same_past(b);
    settle(b);
    memcpy(b->arrived, b->on, (size_t)b->n);
    if (!wrong && one >= 0) wrong = send(b);
    if (!wrong && one >= 0) wrong = b->on_device->give(b->device, b->given);
    if (!wrong && one >= 0)
        wrong = b->on_device->step(b->plan, b->device, record_of(b, one), call->dt,
                                   b->odd ? b->on : NULL, &missed, b->arrived);
    if (wrong) return wrong;
    if (one >= 0) b->host_stale = true;
    wrong = step_others(call);
    part.work = take_inputs;
    batch_run(&part);
    return wrong;
}

// The same of all robots, which have one past, by inputs that the device looks at: the first of several steps takes
// them. Clocks wait where all arrive.
static const char *step_together(const batch_call *call, bool first) {
    td_batch *b = call->batch;
    int missed = 0;
    const char *wrong = send(b);
    if (!wrong && first) wrong = b->on_device->take(b->device, b->inputs_there ? NULL : b->inputs);
    if (!wrong)
        wrong =
            b->on_device->step(b->plan, b->device, b->lead, call->dt, NULL, &missed, b->arrived);
    if (wrong) return wrong;
    b->host_stale = true;
    if (missed == 0) {
        b->before_there = true;
        all_arrived(b, call->dt);
        return NULL;
    }
    wrong = bring_before(b);
    bring_inputs(b);
    if (wrong) return wrong;
    memset(b->on, 1, (size_t)b->n);
    batch_call part = *call;
    part.work = take_inputs;
    batch_run(&part);
    return step_others(call);
}

// What the device does not do is said of all.
static void refuse(const batch_call *call, const char *wrong) {
    td_batch *b = call->batch;
    char text[MODEL_MESSAGE_SIZE];
    snprintf(text, sizeof text, "the GPU: %.200s", wrong);
    for (int i = 0; i < b->n; i++) {
        if (!is_meant(call, i)) continue;
        b->statuses[i] = TD_ERR_UNSUPPORTED;
        batch_explain(b, i, text);
    }
}

static bool has_failed(const td_batch *b) {
    for (int i = 0; i < b->n; i++)
        if (b->statuses[i] < 0) return true;
    return false;
}

void gpu_step(const batch_call *call) {
    td_batch *b = call->batch;
    bool together = !call->which && b->on_device->takes_inputs(b->plan), first = true;
    for (int k = 0; k < call->steps && b->n; k++) {
        const char *wrong;
        if (together && b->uniform) {
            wrong = step_together(call, first);
            first = false;
        } else {
            bring_inputs(b);
            wrong = step_chosen(call);
            first = true;
        }
        if (wrong) {
            refuse(call, wrong);
            break;
        }
        if (together && !b->pending) together = !has_failed(b);
    }
    b->inputs_there = false;
}

// ---------------------------------------------------------------- for programs that compute there
static td_status refuse_array(const td_batch *b) {
    return b->kind == TD_BATCH_GPU ? TD_OK : TD_ERR_UNSUPPORTED;
}

td_status td_batch_device_inputs(td_batch *b, td_device_array *out) {
    if (refuse_array(b) < 0) return TD_ERR_UNSUPPORTED;
    const device_arrays_of all = b->on_device->arrays(b->device);
    *out = (td_device_array){all.inputs, {b->n, b->system->n_inputs}, all.type, 0};
    return TD_OK;
}

td_status td_batch_use_device_inputs(td_batch *b) {
    if (refuse_array(b) < 0) return TD_ERR_UNSUPPORTED;
    b->inputs_there = true;
    return TD_OK;
}

// What moves the bases of robots as they are now.
static void give_present(const batch_call *call, int first, int count) {
    td_batch *b = call->batch;
    const size_t given = (size_t)b->lanes->n_given(b->plan), n = (size_t)b->n;
    double own[MOST_GIVEN];
    for (int i = first; i < first + count && given <= MOST_GIVEN; i++) {
        const size_t at = (size_t)i * (size_t)b->system->n_inputs;
        b->lanes->give(b->plan, b->before + at, b->rates + at, own);
        for (size_t k = 0; k < given; k++) b->given[k * n + (size_t)i] = own[k];
    }
}

td_status td_batch_device_tips(td_batch *b, td_device_array *out) {
    if (refuse_array(b) < 0) return TD_ERR_UNSUPPORTED;
    const device_arrays_of all = b->on_device->arrays(b->device);
    *out = (td_device_array){all.tips, {b->n, TD_TIP_NUMBERS}, all.type, 0};
    const char *wrong = send(b);
    if (!wrong && !b->on_device->takes_inputs(b->plan)) {
        batch_run(&(batch_call){.batch = b, .work = give_present});
        wrong = b->on_device->give(b->device, b->given);
    }
    if (!wrong) wrong = b->on_device->find_tips(b->device);
    return wrong ? TD_ERR_UNSUPPORTED : TD_OK;
}
