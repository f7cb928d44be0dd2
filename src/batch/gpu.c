// batch/gpu.c - robots on a GPU: the records live there, and come here for what only a processor does.
//
// Robots that start afresh, have another past than the others or do not arrive are stepped here, by ordinary
// states, and go back. While all robots step there together, clocks here wait: `pending`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"

#define FEW 64  // robots that are brought one by one

static double *record_of(const td_batch *b, int robot) {
    return b->records + (size_t)robot * b->group_doubles;
}

bool gpu_create(td_batch *b, const td_batch_options *options) {
    const size_t n = (size_t)b->n;
    b->kind = TD_BATCH_GPU;
    b->given = calloc(n * (size_t)b->lanes->n_given(b->plan) + 1, sizeof *b->given);
    b->lead = calloc((size_t)b->lanes->n_numbers(b->plan), sizeof *b->lead);
    b->on = calloc(n + 1, 1);
    b->arrived = calloc(n + 1, 1);
    if (!b->given || !b->lead || !b->on || !b->arrived) return false;
    b->device = b->lanes->attach ? b->lanes->attach(b->plan, options->library, b->n,
                                                    b->group_doubles, b->reason, sizeof b->reason)
                                 : NULL;
    b->device_stale = true;
    return b->device != NULL;
}

void gpu_destroy(td_batch *b) {
    if (b->device) b->lanes->detach(b->device);
    free(b->given), free(b->lead), free(b->on), free(b->arrived);
}

// ---------------------------------------------------------------- here and there
static void settle_clocks(const batch_call *call, int first, int count) {
    td_batch *b = call->batch;
    for (int i = first; i < first + count; i++)
        for (int k = 0; k < b->pending; k++) {
            lanes_add_time(&b->clocks[i], b->pending_dt);
            b->lanes->stepped(b->plan, record_of(b, i), b->pending_dt);
        }
}

static void settle(td_batch *b) {
    if (b->pending) batch_run(&(batch_call){.batch = b, .work = settle_clocks});
    b->pending = 0;
}

// The past of each robot stands behind its record, here alone: what comes leaves it as it is.
static const char *fetch(td_batch *b) {
    settle(b);
    if (!b->host_stale) return NULL;
    b->host_stale = false;
    return b->lanes->get(b->device, 0, b->n, b->records);
}

void gpu_fetch(td_batch *b) {
    if (b->device) fetch(b);
}

void gpu_changed(td_batch *b) {
    if (!b->device) return;
    fetch(b);
    b->device_stale = true;
    b->uniform = false;
}

static const char *send(td_batch *b) {
    if (!b->device_stale) return NULL;
    b->device_stale = false;
    return b->lanes->put(b->device, 0, b->n, b->records);
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
        wrong = b->lanes->get(b->device, i, 1, record_of(b, i));
        if (!wrong) step_here(call, i, 1);
        if (!wrong) wrong = b->lanes->put(b->device, i, 1, record_of(b, i));
    }
    return wrong;
}

// ---------------------------------------------------------------- steps there
// Whom the device can step now, all with the past of the first of them.
static void choose(const batch_call *call, int first, int count) {
    td_batch *b = call->batch;
    const size_t given = (size_t)b->lanes->n_given(b->plan), n = (size_t)b->n;
    double own[256];
    for (int i = first; i < first + count; i++) {
        b->on[i] = is_meant(call, i) && b->statuses[i] >= 0 && given <= 256 &&
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
            b->on[i] = b->lanes->same_past(b->plan, record_of(b, one), record_of(b, i));
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
    b->lanes->stepped(b->plan, b->lead, dt);
}

static void some_arrived(td_batch *b, double dt) {
    settle(b);
    for (int i = 0; i < b->n; i++) {
        if (!b->arrived[i]) continue;
        lanes_add_time(&b->clocks[i], dt);
        b->lanes->stepped(b->plan, record_of(b, i), dt);
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
            !b->lanes->same_past(b->plan, record_of(b, 0), record_of(b, i)))
            return false;
    return true;
}

// One step of all that are meant, whom `choose` has looked at: just now where it is the first, and else all of them.
static const char *step_once(const batch_call *call, bool first) {
    td_batch *b = call->batch;
    int missed = 0;
    const int one = first ? same_past(b) : 0;
    const bool quick = b->uniform && !b->odd;
    if (!quick) settle(b);
    if (first) memcpy(b->arrived, b->on, (size_t)b->n);
    const char *wrong = one < 0 ? NULL : send(b);
    if (!wrong && one >= 0 && (first || b->rate_matters))
        wrong = b->lanes->give_all(b->device, b->given);
    if (!wrong && one >= 0)
        wrong = b->lanes->step_all(b->plan, b->device, quick ? b->lead : record_of(b, one),
                                   call->dt, b->odd ? b->on : NULL, &missed, b->arrived);
    if (wrong) return wrong;
    if (one >= 0) b->host_stale = true;
    if (quick && missed == 0) {
        all_arrived(b, call->dt);
        return NULL;
    }
    for (int i = 0; i < b->n; i++) b->arrived[i] &= b->on[i];
    some_arrived(b, call->dt);
    const int rest = count_rest(call);
    if (rest) wrong = step_rest(call, rest);
    b->uniform = !wrong && is_uniform(b);
    if (b->uniform)
        memcpy(b->lead, b->records, sizeof(double) * (size_t)b->lanes->n_numbers(b->plan));
    return wrong;
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

void gpu_step(const batch_call *call) {
    td_batch *b = call->batch;
    batch_call part = *call;
    for (int k = 0; k < call->steps && b->n; k++) {
        const bool again = k == 0 || b->rate_matters || !b->uniform || b->odd;
        part.work = choose;
        if (again) batch_run(&part);
        const char *wrong = step_once(call, again);
        part.work = take_inputs;
        if (again) batch_run(&part);
        if (!wrong) continue;
        refuse(call, wrong);
        return;
    }
}
