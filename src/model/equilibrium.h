// model/equilibrium.h - rest of a chain with few coordinates: where its generalised forces are 0.
// Newton's method with a line search, a path of growing loads, and how an equilibrium answers to
// its inputs and to a wrench.
#pragma once

#include "base/arena.h"
#include "model/model.h"

typedef struct equilibrium_work {
    double *F, *F2, *step, *trial, *start;  // (n each)
    double *K;                              // (n x n)
    int *pivot;                             // (n)
} equilibrium_work;
void equilibrium_layout(int n, arena *work, equilibrium_work *out);

typedef struct equilibrium {
    int n;
    void *context;
    void (*forces)(void *context, const double *q, double *F);
    // -dF/dq (n x n) and dF/d input (n); NULL: by central differences, exact to about 1e-10.
    void (*stiffness)(void *context, double *q, double *K);
    void (*by_input)(void *context, const double *q, int input, double *dF);
    const double *unit;   // (n) change of each coordinate that counts like a radian
    const double *force;  // (n) that changes a coordinate by its unit, about
    double tolerance;     // of the residual: forces in units of these
    int most;             // iterations of one solve
    td_stats *stats;
    equilibrium_work w;
} equilibrium;

double equilibrium_residual(const equilibrium *e, const double *q);  // forces at q are then in w.F
// w.K = -dF/dq; q is changed on the way and put back. Factored: with w.pivot.
void equilibrium_stiffness(const equilibrium *e, double *q);
bool equilibrium_factor(const equilibrium *e, double *q);
// Sign of the determinant of the stiffness: it changes where stability is lost or won. 0: none.
int equilibrium_sign(const equilibrium *e, double *q);
// Smallest eigenvalue of the stiffness where it is the second derivative of an energy, coordinate k
// in units of own[k].
double equilibrium_softest(const equilibrium *e, double *q, const double *own);
// From q to a close equilibrium; rounding may stop it a little above the tolerance.
bool equilibrium_solve(const equilibrium *e, double *q, double *residual);
bool equilibrium_close(const equilibrium *e, double residual);
// Takes *share, which the forces look at, from 0 to 1, or as far as there are equilibria.
bool equilibrium_follow(const equilibrium *e, double *share, double *q, double *residual);

// ---------------------------------------------------------------- derivatives
typedef struct point_answer {
    const equilibrium *e;
    double *q;
    // Rotation and translation in the world of the point s under the change dq.
    void (*move)(void *context, double s, const double *dq, double moved[6]);
    void (*take_inputs)(void *context,
                        const double *inputs);  // that forces look at; with by_input:
                                                // not asked for
} point_answer;
// J (6 x n_inputs); inputs are changed on the way and put back.
td_status equilibrium_jacobian(const point_answer *a, double s, double *inputs, int n_inputs,
                               double *J);
td_status equilibrium_compliance(const point_answer *a, double s, double load_s, double *C);
