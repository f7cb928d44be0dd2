// sim/estimator.h - what a td_estimator is.
#pragma once

#include "sim/linearise.h"
#include "sim/sensor.h"
#include "tendril/estimate.h"

typedef struct watched {  // a sensor with slopes
    bool has_slopes, used;
    bool late;        // its readings come after a delay
    int slots, slot;  // of late ones: how many may be on their way; the first of these
    int pending;      // and the first of their numbers, in z
    int first, rows;  // of its outputs in those of the linearisation
    double variance;  // of a reading
} watched;

struct td_estimator {
    const td_system *system;
    const td_estimator_def *def;
    td_state *state;
    td_linearisation *l;
    int n_q, n_x, n_w, n;  // coordinates; with rates; unknown numbers; all, with z
    int n_z, n_slots;      // numbers of readings on their way
    int n_r;               // channels of all sensors that have slopes
    watched *sensors;      // (n_sensors)
    td_reading *readings;  // (n_sensors)
    char (*names)[96];     // (n_w)
    const char **units;    // (n_w)
    bool *unknown;         // (n_inputs)
    double *unit;          // (n_q) that counts like a radian
    double *kept;          // (n_kept) what follows: snapshots
    size_t n_kept;
    double *w, *P, *seen, *surprise;       // in kept
    double *z;                             // in kept (n_z) what readings on their way should be
    double *taken;                         // in kept (n_sensors) of late ones: readings taken
    double *number;                        // in kept (n_slots) which reading, from 1; 0: none
    double *before;                        // (keep_bytes) of the state
    double *before_kept, *outer;           // (n_kept)
    double *U;                             // (n_inputs x n_w) how inputs follow the numbers
    double *F, *Ft, *T;                    // (n x n) each
    double *H, *wide;                      // (n_r x n), (rows of outputs x n)
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
// Of its snapshots, before there is one.
size_t estimator_n_kept(const td_system *system);
// From the inputs of its state, which was reset: the means of what is not known, and their covariance.
td_status estimator_begin_here(td_estimator *e, bool rests);
double unknown_mean(const td_estimator *e, int number);
double unknown_deviation(const td_estimator *e, int number);
void unknowns_apply(const td_estimator *e, const double *w);  // to the inputs of the state
void unknowns_slopes(td_estimator *e, const double *w);       // to e->U
td_status estimator_keep(td_estimator *e);                    // what a call that fails goes back to
td_status estimator_fail(td_estimator *e, td_status status);  // and its message, from the state
// Sensors that are used, each once; how many numbers they are.
td_status readings_check(td_estimator *e, const td_reading *readings, int n, int *channels);
// How a row of outputs follows (x, w), n numbers. False: it follows an effort that is not given, or accelerations.
bool output_row(const td_estimator *e, const linear_matrices *of, int output, double *row);
td_status sensor_deviation(td_estimator *e, int sensor, double *deviation);
