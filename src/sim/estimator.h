// sim/estimator.h - what a td_estimator is.
#pragma once

#include "sim/linearise.h"
#include "sim/sensor.h"
#include "tendril/estimate.h"

typedef struct watched {    // a sensor with slopes
    bool has_slopes, used;  // in motion
    bool rests;             // has slopes at rest, and is used there
    bool late;              // its readings come after a delay
    int slots, slot;        // of late ones: how many may be on their way; the first of these
    int pending;            // and the first of their numbers, in z
    int first, rows;        // of its outputs in those of the linearisation; 0 rows: there it is not
    int at_rest;            // the first in those of the one at rest
    int bias;               // the first of its numbers in w; -1: none
    int clone;              // of an accelerometer, the first of its velocities in c; -1: none
    double variance;        // of a reading
} watched;

typedef struct unknown_number {
    const td_unknown_def *of;  // NULL: the drift of a sensor of which nothing is said
    bool place;                // where it acts
    int sensor, channel;       // whose bias it is; -1: it is none
    double mean, deviation, walk;
} unknown_number;

typedef enum rest_as {
    REST_NOT,       // it has moved on
    REST_AS_READ,   // in the equilibrium that readings make most likely
    REST_AS_BEGUN,  // in that of the means, of whose numbers alone the shape is not sure
} rest_as;

struct td_estimator {
    const td_system *system;
    const td_estimator_def *def;
    td_state *state;
    td_linearisation *l;
    td_linearisation
        *rest;  // of equilibria, of which more sensors tell; the same where no such is used
    int n_q, n_x, n_w, n;  // coordinates; with rates and flows; unknown numbers; all, with c and z
    int n_c;               // velocities where the last step began, of accelerometers
    int n_z, n_slots;      // numbers of readings on their way
    int n_r;               // channels of all sensors that have slopes
    watched *sensors;      // (n_sensors)
    td_reading *readings;  // (n_sensors)
    unknown_number *numbers;  // (n_w)
    char (*names)[160];       // (n_w)
    const char **units;       // (n_w)
    bool *unknown;            // (n_inputs)
    double *unit;             // (n_q) that counts like a radian
    double *kept;             // (n_kept) what follows: snapshots
    size_t n_kept;
    double *w, *P, *seen, *surprise;       // in kept
    double *rested;                        // in kept: a rest_as
    double *J;                             // in kept (n_r x n_w) how readings at rest follow w
    double *span;                          // in kept: s, of the last step; 0: at rest
    double *c;                             // in kept (n_c) m/s, world
    double *z;                             // in kept (n_z) what readings on their way should be
    double *taken;                         // in kept (n_sensors) of late ones: readings taken
    double *number;                        // in kept (n_slots) which reading, from 1; 0: none
    double *before;                        // (keep_bytes) of the state
    double *before_kept, *outer;           // (n_kept)
    double *U;                             // (n_inputs x n_w) how inputs follow the numbers
    double *F, *Ft, *T;                    // (n x n) each
    double *H, *wide;                      // (n_r x n), (rows of outputs x n)
    double *C;                             // (n_c x n) of velocities where a step begins
    double *inputs;                        // (2 n_inputs)
    double *direct;                        // (n_r x n_inputs) how readings follow inputs at once
    double *G, *K;                         // (n_r x n) H P, S^-1 H P
    double *S;                             // (n_r x n_r)
    double *y, *h, *noise, *gap;           // (n_r)
    double *dx, *next;                     // (n)
    double *q, *v, *q0, *v0;               // (n_q)
    double *lu, *Z;                        // rest: (n_l x n_l), (n_l x n_w)
    int *pivots;                           // (n_l)
    double *A, *b;                         // rest: (n_w x n_w), (n_w)
    double *start, *best, *trial, *scale;  // (n_w)
    double *best_state;                    // (keep_bytes)
    char why[MODEL_MESSAGE_SIZE];          // it does not step; "": it does
    char message[MODEL_MESSAGE_SIZE + 64];
    void *memory;
};

// Readings on their way: none is any more; the slot of the oldest, -1: none; one is not waited for any longer.
void pending_clear(td_estimator *e);
int pending_oldest(const td_estimator *e, int sensor);
void pending_drop(td_estimator *e, int sensor, int slot);
// Reading number k of a sensor is taken now. False: it measures an effort that is not given.
bool pending_take(td_estimator *e, int sensor, double k);
// What slopes and outputs of a sensor are at the state as it is, rows of n; false: as above.
bool sensor_rows(td_estimator *e, int sensor, double *H);
// What it should read of the state as it is, its bias included.
void sensor_expected(const td_estimator *e, int sensor, double *h);
void sensor_expected_with(const td_estimator *e, int sensor, const double *w, double *h);
// Readings of a sensor by the numbers, beside what its outputs do: rows of `stride`, the first number at column 0.
void sensor_add_direct(td_estimator *e, int sensor, int stride, double *rows);
// Accelerometers read the means over a span (s) that began with the velocities that are kept; 0: at rest.
void clones_settle(td_estimator *e, double span);
// Is it one that the estimator of the system is to use?
bool estimator_uses(const td_system *system, int sensor);
// Why it is not used in motion; NULL: it is.
const char *estimator_refusal_in_motion(const td_system *system, int sensor);
// Numbers that it looks for, in their order; returns how many. to: NULL to count. Sensors are compiled.
int estimator_numbers(const td_system *system, unknown_number *to);
// Returns its unit.
const char *estimator_number_name(const td_system *system, const unknown_number *x, char *text,
                                  size_t size);
// Of its snapshots, before there is one.
size_t estimator_n_kept(const td_system *system);
// From the inputs of its state, which was reset: the means of what is not known, and their covariance.
td_status estimator_begin_here(td_estimator *e, bool rests);
void unknowns_apply(const td_estimator *e, const double *w);    // to the inputs of the state
void unknowns_slopes(td_estimator *e, const double *w);         // to e->U
void unknowns_within_places(const td_estimator *e, double *w);  // a place stays on its rod
td_status estimator_keep(td_estimator *e);                    // what a call that fails goes back to
td_status estimator_fail(td_estimator *e, td_status status);  // and its message, from the state
// Sensors that are used, each once; how many numbers they are.
td_status readings_check(td_estimator *e, const td_reading *readings, int n, bool at_rest,
                         int *channels);
// How a row of outputs follows (x, w), n numbers. False: it follows an effort that is not given, or accelerations.
bool output_row(const td_estimator *e, const linear_matrices *of, int output, double *row);
// The first readings of what rests: the equilibrium that they make most likely, however far it is; as near as it came. Negative: there is none.
td_status estimator_rest_first(td_estimator *e, const td_reading *readings, int n);
td_status sensor_deviation(td_estimator *e, int sensor, double *deviation);
