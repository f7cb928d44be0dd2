// view/live_inner.h - what a live robot holds. Included only by src/view/live*.c.
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "io/clock.h"
#include "view/frame.h"
#include "tendril/estimate.h"
#include "view/live.h"
#include "view/past.h"

enum { QUEUE = 256, TEXTS = 32, MOST_REACHING = 64 };

typedef struct rig {  // a robot under one model
    char model[32];
    td_system *system;
    td_state *state;
    void *saved;  // the state before a step that is taken in parts
    grips_kept kept;
    double iterations, step_seconds;  // smoothed
} rig;
enum { N_RIGS = 1 + MOST_GHOSTS };

typedef struct hold {  // what is grabbed: a force shared between one or two grips
    bool active;
    int rod, body;
    double s;
    int n, grips[2];
    double share[2];
    double wanted[3], force[3];  // N; the force follows what is wanted
} hold;

typedef struct belief {       // where the robot is, by its sensors alone
    td_estimator *estimator;  // of main's system; NULL: none
    td_reading *readings;     // (n_sensors)
    double *values;           // (n_channels)
    int *arrived;             // (n_sensors) readings so far
    bool jumped;              // inputs did, since its last step
    int n_along;
    td_linearisation **along;  // (n_rods) of places on each rod
    double *covariance;        // of the outputs of one of them
    double *spread;            // (rod_points x SPREAD_FLOATS) NaN: not known
} belief;

typedef struct show {  // of a mode about an equilibrium; time is held meanwhile
    td_state *state;   // of main's system, in equilibrium; NULL: nothing is shown
    td_linearisation *l;
    mode_shape shape;
    int mode;
    double amplitude;  // of the longest rod, where it moves most
    double now;        // s, by the clock on the wall
    bool was_playing;
} show;

typedef struct shared_text {
    unsigned long number, reader;  // reader 0: everybody
    char *text;
} shared_text;

struct live {
    const stage *stage;
    scene *scene;
    live_model *models;
    int n_models;

    // ---- of the solver's thread alone
    rig rigs[N_RIGS];    // the robot, then ghosts: state NULL: there is none
    rig *main;           // the first
    td_options options;  // of main
    double step, speed;
    bool playing;
    bool *follows;    // (n_inputs) the signal of the file; false: held by hand
    double *target;   // (n_inputs) where a held input goes
    double *present;  // (n_inputs) where it is
    hold hold;
    show show;
    belief belief;
    double *believed;  // (2 x numbers and channels) what live_tell_belief wrote last
    past past;
    td_state
        *aim;  // of main's system, at rest where a point was dragged to; NULL: it is not sought
    double anchor_wall, anchor_time;  // time passes from here
    double window_wall, window_time;  // ratio is measured from here
    double ratio, behind;
    bool anchor_due;  // with the next round
    bool dirty;       // there is something to show
    uint8_t *drawn;   // (frame with all that is beside the robot)
    unsigned long version;

    // ---- under the mutex
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_bool stopping;  // also read without it
    message queue[QUEUE];
    int first, waiting;
    uint8_t *shown;
    size_t shown_bytes;
    unsigned long shown_number;
    double shown_at;  // s, by the clock on the wall
    live_loop loop;
    live_facts facts;
    shared_text texts[TEXTS];
    unsigned long n_texts;
    unsigned long lasting;  // number of the first text that later readers get too; 0: none

    bool has_thread;
    pthread_t thread;
    void (*notify)(void *);
    void *user;
};

double live_time(const live *l);
// A text for one reader, 0: for all. Takes the text, which may be NULL.
void live_tell(live *l, unsigned long reader, char *text);
// One for all, and for those who come later, until live_forget: why time is held, or what is wrong
// with the start.
void live_tell_lasting(live *l, char *text);
void live_forget(live *l);

// live_solver.c
bool rig_make(live *l, rig *r, const td_options *options, td_error *err);
void rig_free(rig *r);
bool live_is_stopping(void *l);         // what a state asks while it is solved
void live_begin(live *l);               // as the file says, time 0
void rig_join(live *l, rig *r);         // in equilibrium under the present inputs
bool live_step(live *l);                // false: it failed, time is held
void live_anchor(live *l, double now);  // real time counts from here
void live_apply(live *l, int input);    // a held input takes its value at once
void live_advance(live *l, double now);
void live_forget_past(live *l);          // what can be rewound begins now
void live_rewind(live *l, double time);  // back to the last moment not after that

// live_estimate.c
bool live_learn_numbers(live *l);
void live_believe(live *l);  // anew, for main as it is now; nothing where the file has no estimator
void live_disbelieve(live *l);
void live_believe_step(live *l);  // after one of main
void live_tell_belief(live *l);
const double *live_spread(live *l);  // of what is believed, for a frame
size_t belief_bytes(const live *l);
void belief_save(const live *l, unsigned char *to);
void belief_restore(live *l, const unsigned char *from);

// live_modes.c
// What is asked of modes. False: `why` says what is in the way.
bool live_show(live *l, const message *m, char *why, size_t size);
bool live_leave(live *l);  // back to the simulation; true: time passed before
void show_put(const live *l, frame_facts *f);

// live_reach.c
// Inputs that bring a point to a place. False: `why` says what is in the way.
bool live_reach(live *l, const message *m, char *why, size_t size);
void live_stop_reaching(live *l);  // the next place is sought from where the robot is then

// live_ask.c
void live_answer(live *l, const message *m);
