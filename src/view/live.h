// view/live.h - a robot that moves in real time, in a thread of its own. Pages send messages and
// look at the newest frame; neither makes the solver wait.
//
// live_tick does the work of one round for a given time of the clock, so that everything but the
// thread itself can be tried without one.
#pragma once

#include <stdint.h>

#include "view/frame.h"
#include "view/message.h"
#include "view/scene.h"
#include "view/stage.h"

typedef struct live live;

typedef struct live_model {
    const char *name, *title;
    bool can;
    char why[720];
} live_model;

// What surrounds the robot, whatever its model: channels of sensors, and controllers.
typedef struct live_channel {
    char name[160], unit[32];
} live_channel;
typedef struct live_loop {
    live_channel *channels, *controllers;  // units of sensors alone
    live_channel *numbers;                 // that an estimator looks for
    int n_channels, n_controllers, n_numbers;
    bool estimates;  // the robot's file has an estimator
} live_loop;

// A model and what its last steps took, in the mean.
typedef struct live_cost {
    char model[32];  // "": there is none
    double time, iterations, step_seconds;
} live_cost;

// What hello and status tell of it: a copy, consistent in itself.
typedef struct live_facts {
    unsigned long version;  // counts changes of what hello tells
    live_cost main, ghosts[MOST_GHOSTS];
    char scheme[32];
    double step, speed;
    bool playing, held, grabbed;
    int mode;  // that is shown; -1: none
    grips_kept kept;
    double ratio, behind;
    double past;       // s, from when on it can be rewound
    double *values;    // (n_inputs)
    bool *follows;     // (n_inputs)
    double *readings;  // (n_channels) the latest of all sensors
    bool *controls;    // (n_controllers) is it on?
    double
        *believed;  // (2 x n_numbers and n_channels) by the estimator, and its deviation; NaN: none
} live_facts;

// The stage is the caller's and outlives it. NULL on failure. A start without equilibrium is none:
// pages are told, and time is held.
live *live_create(const stage *s, bool playing, td_error *err);
void live_destroy(live *l);

const stage *live_stage(const live *l);
const scene *live_scene(const live *l);
const live_model *live_models(const live *l, int *n);
const live_loop *live_loop_of(const live *l);

// The thread; `notify` is called from it when there is something new, at least four times a second.
bool live_start(live *l, void (*notify)(void *), void *user);
void live_stop(live *l);

// ---------------------------------------------------------------- from any thread
// False: too many messages wait already.
bool live_send(live *l, const message *m);
// Copies the newest frame when it is newer than *seen; returns its length, 0: nothing new. `buffer`
// holds frame_most_bytes(scene).
size_t live_frame(live *l, unsigned long *seen, uint8_t *buffer);
bool live_facts_create(const live *l, live_facts *f);
void live_facts_destroy(live_facts *f);
void live_get_facts(live *l, live_facts *f);
// The next text after *seen for `reader`, malloc'ed; NULL: none. Texts that a reader is too slow
// for are lost, oldest first.
char *live_text(live *l, unsigned long *seen, unsigned long reader);
// Where a new reader begins: behind the last text, or where one that still matters stands.
unsigned long live_text_now(live *l);

// ---------------------------------------------------------------- without a thread
// Work of one round at `now` (s, any origin). Returns when the next is due.
double live_tick(live *l, double now);
