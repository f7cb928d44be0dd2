// model/cosserat/chebyshev/chebyshev.h - rods by collocation of the curvature at Chebyshev zeros,
// as Orekhov & Simaan 2020 have it.
//
// The unknowns are the curvatures at the zeros c_i of a Chebyshev polynomial, less the rest
// curvature: x = u - u*. The polynomial through them shall satisfy, with f and m the wrench at the
// tip,
//
//     x'(c_i) = - K^-1 (u x K x + v* x R_i' f),   all nodes but the one nearest the tip
//     x(L)    = K^-1 R(L)' m
//
// with x' by the differentiation matrix (10) and R by Magnus steps between the nodes (24). The
// matrix of Newton's method is closed-form: with d R = R zeta^,
//
//     zeta_k = exp(-psi_k) zeta_(k-1) + dexp_(-psi_k) d psi_k
//
// The equations need rotations only; positions follow once, at the end.
//
// Statics of Kirchhoff rods with one uniform section under a wrench at the tip: see check.c for
// what is refused. What is wrong in print is told in papers/orekhov2020/errata.md.
#pragma once

#include "math/se3.h"
#include "model/cosserat/scheme.h"

enum { CHEBYSHEV_MOST = 64 };  // nodes

typedef struct chebyshev_table {  // on [0, 1]
    int n;                        // nodes: one more than the degree, which the paper calls n
    int points;    // curvatures that one Magnus step needs: 2 (order 4) or 3 (order 6)
    double *c;     // (n) nodes, ascending
    double *bary;  // (n) barycentric weights
    double *D;     // (n x n) l_j'(c_i)                                   Orekhov 2020 (11)
    double *tip;   // (n) l_j(1)
    double *d;     // (n + 1) lengths of the steps 0, c_0, ..., c_(n-1), 1
    double *rows;  // (n + 1) x points x n: l_j at the Magnus points      Orekhov 2020 (26)
} chebyshev_table;

typedef struct chebyshev_memory {
    double *x;         // (3 n) curvature less the rest curvature
    double *residual;  // (3 n) of the equations above, times L^2 and L
    double *step;      // (3 n)
    double *J;         // (3 n x 3 n) of the residual against L x, or its factors
    int *pivot;        // (3 n)
    mat3 *turn;        // (n) at the tip: zeta = sum of turn_j L dx_j
} chebyshev_memory;

static inline const chebyshev_table *chebyshev_of(const rod *r) {
    return r->tables;
}

// ---------------------------------------------------------------- compile.c
bool chebyshev_prepare(rod *r, const td_options *options);
void chebyshev_discard(rod *r);

// ---------------------------------------------------------------- check.c
td_status chebyshev_check(const td_robot *robot, const td_options *options, td_error *err);

// ---------------------------------------------------------------- magnus.c
// Points of a Magnus step on [0, 1] (2 or 3).
const double *magnus_points(int points);
// The exponent of a step of length d from the twists at the points: Orekhov 2020 (22), (23).
vec6 magnus_exponent(int points, double d, const vec6 *g);
// The same for rotations alone, and its derivatives against the g_k.
vec3 magnus_rotation(int points, double d, const vec3 *g, mat3 *derivatives);

// ---------------------------------------------------------------- equations.c
// The residual of m->x, and J when asked for. False: not finite.
bool chebyshev_residual(const rod_problem *p, chebyshev_memory *m, bool jacobian);
// Writes the shape of m->x to p->m->trial, trial_bounds and strains.
bool chebyshev_publish(const rod_problem *p, const chebyshev_memory *m);

// ---------------------------------------------------------------- newton.c
// Equilibrium near m->x, given up beyond corrections of `farthest` (an angle over the whole rod).
td_status chebyshev_newton(const rod_problem *p, chebyshev_memory *m, double farthest);
