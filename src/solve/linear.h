// solve/linear.h - small motions of a part about a configuration, in equilibrium or moving:
//
//     M z'' + D z' + K z + dr/du u + dr/du' u' + dr/du'' u'' = 0
//
// z are changes of its coordinates (of frames rotations and translations in the world: chart.h) and of
// its multipliers, u those of inputs. The matrices are slopes of the residual: those that a part gives
// exactly (mechanics.slopes), or differences. Tangents of other
// formulations may be near ones where velocities count; differences of their residual are as exact as
// that: of fourth order in the shape, and where the residual is a polynomial of second degree, as in
// velocities, or of first, as in accelerations and efforts, exact but for rounding.
#pragma once

#include "solve/mechanics.h"

typedef enum linear_by {  // what a slope is against
    BY_Z,
    BY_Z_T,
    BY_Z_TT,
    BY_U,
    BY_U_T,
    BY_U_TT,
    BY_PLACE,  // what an input does as far as it moves bases
    BY_SUPPLY  // what a motor or valve has supplied: y[0] of it, by its number
} linear_by;

typedef struct linear_supplies {  // of all motors and valves of the robot, by their numbers
    int n;
    engine_stage *stages;  // (n) fixed where they are
    double *rates;         // (n) of y[0]
    double *reach;         // (n) of it, for differences
} linear_supplies;

typedef struct linear_point {  // a configuration of a part, its inputs, and room for one nearby
    solve_part p;              // n_l = 0 where multipliers give way
    int n_inputs;
    double t;                   // s, since what sections remember was kept
    double lead;                // s, of a stage of a step: see solve_instant
    bool rests;                 // velocities, accelerations and rates of inputs are all 0
    double *q, *l, *v, *a;      // the configuration: (n_x), (n_l), (n_q), (n_q)
    double *u[3];               // (n_inputs each) inputs, their rates and accelerations
    double *places;             // (n_inputs) by which bases move
    double *tq, *tl, *tv, *ta;  // nearby
    double *tu[3], *tplaces;
    double *dz, *dz_t, *dz_tt;        // (n_q each) a change
    double *dv, *da;                  // (n_q each)
    double *sides[5];                 // (widest each) of slopes
    bool exact;                       // the last answer of linear_slopes
    double *force;                    // (n) that bends like a radian, row by row: |K_kk| unit_k
    double *reach;                    // (n_inputs) of quick slopes; 0: to be found
    const linear_supplies *supplies;  // NULL: there are none
} linear_point;
// widest: numbers of the widest function whose slopes are asked for.
void linear_layout(const solve_part *p, int n_inputs, int widest, arena *a, linear_point *out);

// A function of the configuration, with `n` numbers.
typedef void linear_function(void *context, const solve_instant *at, const configuration *c,
                             double *out);
typedef struct linear_observer {
    linear_function *f;
    void *context;
    int n;
    bool plain;  // it does not answer to accelerations
} linear_observer;
// The slope against number k of what is named, into a column (n) of `out`, `stride` apart.
void linear_slope(linear_point *x, const linear_observer *o, linear_by by, int k, double *out,
                  int stride);
// The function (n) where it is.
void linear_value(linear_point *x, const linear_observer *o, double *out);
// The same with half the evaluations, for slopes at every step of a motion: of second order in the shape, 1e-10 of
// it; exact but for rounding in rates and accelerations. here (n): the function where it is. How far inputs reach
// is found once, after linear_reach_anew.
void linear_quick_slope(linear_point *x, const linear_observer *o, linear_by by, int k,
                        const double *here, double *out, int stride);
void linear_reach_anew(linear_point *x);
// The residual of the part as such a function: (n_q + n_l).
linear_observer linear_residual(linear_point *x);
// K, D, M (n x n each, one after the other) where it is, exactly; scratch: p.n_slopes doubles. False: by slopes.
bool linear_slopes(linear_point *x, double *matrices, double *scratch);
// Of outputs, likewise.
bool linear_outputs(linear_point *x, const output_slopes *out, double *scratch);
// See mechanics.strains.
void linear_strains(linear_point *x, double *X);
// kappa (n_q): the material that passes has the rates z' + kappa u' of input k, at rest.
void linear_fed(linear_point *x, int k, double *kappa);
// Where sections follow the mean stretch of their rods: how one of these answers to number k of what is named, and r
// (n) to it; differences of fourth order.
double linear_stretch_slope(linear_point *x, int which, linear_by by, int k);
void linear_by_stretch(linear_point *x, int which, double *r);
bool linear_is_exact(const linear_point *x);  // was there such an answer last?
// r (n) where it is.
void linear_balance(linear_point *x, double *r);
// Do its forces have a potential?
bool linear_has_potential(linear_point *x);
// r (n) where it is after the time t of its motion, with accelerations left out.
void linear_along(linear_point *x, double t, double *r);
