// model/motion.h - steps in time of M(q) q'' = F(t, q, q'), for models with few coordinates.
#pragma once

#include <stdbool.h>

#include "solve/mechanics.h"

typedef struct motion {
    int n;
    void *context;
    // F at time t, counted from the start of the step, less M times accelerations (NULL: none), and
    // the powers then, W (NULL: not asked for).
    void (*forces)(void *context, double t, const double *q, const double *rates,
                   const double *accelerations, double *F, double *powers);
    void (*mass)(void *context, double *M);        // (n x n) where forces was last called
    bool (*fits)(void *context, const double *q);  // false: gone too far to go on; NULL: never
    const double *unit;  // (n) change of each coordinate that counts like a radian
    // d(F - M a)/dq and dF/dq' (n x n each) where forces was last called; NULL: by differences.
    // Nearly is enough: see motion.c.
    void (*tangent)(void *context, double *by_q, double *by_rate);
} motion;

typedef struct motion_work {
    // The last accelerations (n), and the factors of the last matrix (n x n), their pivots (n), and
    // the part of a step that they belong to. All doubles, so that they can be kept.
    double *accelerations, *factors, *pivots, *of;
    bool keeps;
    double *F, *F2, *a, *base, *step, *from, *from_rates, *trial, *trial_rates;  // (n each)
    double *M, *by_q, *by_rate;                                                  // (n x n each)
    int *pivot;                                                                  // (n)
} motion_work;
void motion_layout(int n, arena *work, motion_work *out);
// What is kept serves the next step, which is then cheaper.
void motion_layout_kept(int n, arena *keep, arena *work, motion_work *out);
void motion_reset(int n, const motion_work *w);  // forgets it

typedef struct motion_report {  // over a step; added to
    double energies[N_POWERS];  // J, dissipated and given
    int evaluations, jacobians, iterations, fallbacks;
    bool stuck;  // Newton's method found no end of the step
} motion_report;

typedef enum motion_outcome {
    MOTION_DONE,
    MOTION_SINGULAR,  // a mass matrix is not positive definite, or report.stuck
    MOTION_TOO_FAR    // see motion.fits
} motion_outcome;
// One implicit step of order 2, for real time.
motion_outcome motion_step(const motion *m, const motion_work *w, double *q, double *rates,
                           double dt, motion_report *report);

// w->accelerations: those at (q, q'). False: beyond what can be computed.
bool motion_accelerate(const motion *m, const motion_work *w, double t, const double *q,
                       const double *rates);

// (q', q'') at y = (q, q'), and the powers then. False: beyond what can be computed.
bool motion_rates(const motion *m, const motion_work *w, double t, const double *y, double *y_t,
                  double powers[N_POWERS]);
// Their slopes against y, where they are y_t, by the tangent: into J by columns, `stride` apart.
bool motion_slopes(const motion *m, const motion_work *w, double t, const double *y,
                   const double *y_t, double *J, int stride);
