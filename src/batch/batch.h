// batch/batch.h - what a td_batch is.
//
// Work is cut into pieces of robots, which any thread takes. What one piece needs beside its robots is a spare state,
// of which each thread has one while it works.
#pragma once

#include <stdatomic.h>

#include "base/pool.h"
#include "sim/system.h"
#include "tendril/batch.h"

#define MOST_MESSAGES 100

// Beside a robot's record: what td_state keeps in its clock.
typedef struct lane_clock {
    double time, time_rest;
    double fresh;
} lane_clock;

// The same among obstacles, and the energy that the robot has.
typedef struct lane_guard {
    step_guard guard;
    td_energy energy;
} lane_guard;

typedef struct batch_message {
    int robot;
    char text[MODEL_MESSAGE_SIZE];
} batch_message;

// What robots may be built as in place of the batch's system: of the same structure, with other numbers.
typedef struct batch_variant {
    const td_system *system;
    td_system *owned;  // the same, where the batch made it
    void *plan;        // in lanes
    int robots;        // that are built so
} batch_variant;

struct td_batch {
    const td_system *system;
    batch_variant **variants;  // (n) NULL: none; of a robot NULL: as the system says
    int n;
    td_batch_kind kind;
    pool *helpers;  // NULL: the caller works alone
    int threads;
    double *inputs;       // (n x n_inputs) the caller's
    td_status *statuses;  // (n)
    td_state **states;    // (n) of states; of lanes the spare ones (threads)
    _Atomic bool *taken;  // (threads) spare states in use
    batch_message *messages;
    _Atomic int n_messages;
    _Atomic long long alone, corrections;
    size_t bytes;
    char reason[128];

    // lanes
    const model_lanes *lanes;
    void *plan;
    int width, n_groups;
    size_t
        group_doubles;  // of the records of a group, its given numbers, its own numbers where there are any
    double *records;         // (n_groups x group_doubles)
    lane_clock *clocks;      // (n)
    lane_guard *guards;      // (n) where there is anything to touch
    double *before, *rates;  // (n x n_inputs) as of the last step
    double *coming;          // (n x n_inputs) rates of the step in progress
    // on a GPU
    void *device;
    const model_device *on_device;
    bool device_stale, host_stale;  // the records there, here
    bool own_stale;                 // numbers of their own there
    bool inputs_there;              // the next step takes the device's
    bool before_there;              // `before` is what the device took last
    bool uniform;                   // all robots have the same past, and none starts afresh
    double pending_dt;  // steps that all robots took there and clocks here do not know of
    int pending;
    double *lead;                 // a record with the past of all, where that is uniform
    double *given;                // (n_given x n)
    unsigned char *on, *arrived;  // (n)
    bool odd;                     // some of them are not on

    bool rate_matters;  // of some input; otherwise rates stay 0
};

// A call over all robots: work(call, first, count) for pieces, by all threads.
typedef struct batch_call {
    td_batch *batch;
    const bool *which;
    double dt;
    int steps;
    int rod, points;
    const double *s;
    void *out;
    void (*work)(const struct batch_call *call, int first, int count);
} batch_call;

static inline bool is_meant(const batch_call *call, int robot) {
    return !call->which || call->which[robot];
}
static inline const td_system *system_of(const td_batch *b, int robot) {
    return b->variants && b->variants[robot] ? b->variants[robot]->system : b->system;
}
static inline const void *plan_of(const td_batch *b, int robot) {
    return b->variants && b->variants[robot] ? b->variants[robot]->plan : b->plan;
}
static inline double *inputs_of(const td_batch *b, int robot) {
    return b->inputs + (size_t)robot * (size_t)b->system->n_inputs;
}

void batch_run(const batch_call *call);
// Keeps the words of a robot that failed.
void batch_explain(td_batch *b, int robot, const char *text);
// A spare state, and back.
int spare_take(td_batch *b);
void spare_return(td_batch *b, int spare);

// ---------------------------------------------------------------- variants.c
void variants_release(td_batch *b);

// ---------------------------------------------------------------- lanes.c
// Room for numbers of each robot; false: there is none.
bool lanes_make_own(td_batch *b);
void lanes_put_own(td_batch *b, int robot);
bool lanes_create(td_batch *b, const td_batch_options *options);
// Copies a robot to a state of the batch's system, and back.
void lanes_read(const td_batch *b, int robot, td_state *to);
void lanes_write(td_batch *b, int robot, const td_state *from);
void lanes_step(const batch_call *call, int first, int count);
// One robot of a batch of width 1, with its status.
void lanes_step_here(td_batch *b, int robot, double dt);
bool lanes_can_step(td_batch *b, int robot, double dt, double *given);

// ---------------------------------------------------------------- gpu.c
bool gpu_create(td_batch *b, const td_batch_options *options);
void gpu_destroy(td_batch *b);
void gpu_step(const batch_call *call);
// Brings the records here, before they are read; says that they are to be taken from here, after they were written.
void gpu_fetch(td_batch *b);
void gpu_changed(td_batch *b);
void gpu_numbers_changed(td_batch *b);
