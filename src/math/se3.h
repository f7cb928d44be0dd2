// math/se3.h - rigid displacements, their twists and wrenches.
//
// Order (angular, linear) everywhere. A pose g = (R, p) takes body coordinates x to R x + p. A rod
// or a body moves by g' = g xi^ with the twist xi in body axes.
//
//     [a, b] = ad_a b = (a_u x b_u, a_v x b_u + a_u x b_v)
//     Ad_g   = [R 0; p^ R R]
//     d exp(x) = (dexp_x dx)^ exp(x),           dexp_x = sum ad_x^k / (k+1)!      "left", spatial
//     d exp(x) = exp(x) (dexp_right_x dx)^,     dexp_right_x = dexp_(-x)          "right", body
//
// All functions take angles from 0 (also subnormal) to many turns and are exact to rounding, except
// that dexp_inv grows without bound near whole turns (one, two, ... but not zero), where dexp is
// singular.
#pragma once

#include "math/quat.h"

typedef struct vec6 {
    vec3 a, l;
} vec6;

typedef struct mat6 {
    double m[6][6];
} mat6;

typedef struct se3 {
    mat3 R;
    vec3 p;
} se3;

// ---------------------------------------------------------------- vec6
static inline vec6 vec6_make(vec3 a, vec3 l) {
    return (vec6){a, l};
}

static inline vec6 vec6_zero(void) {
    return (vec6){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

static inline vec6 vec6_load(const double *x) {
    return (vec6){vec3_load(x), vec3_load(x + 3)};
}

static inline void vec6_store(double *out, vec6 x) {
    vec3_store(out, x.a);
    vec3_store(out + 3, x.l);
}

static inline vec6 vec6_add(vec6 x, vec6 y) {
    return (vec6){vec3_add(x.a, y.a), vec3_add(x.l, y.l)};
}

static inline vec6 vec6_sub(vec6 x, vec6 y) {
    return (vec6){vec3_sub(x.a, y.a), vec3_sub(x.l, y.l)};
}

static inline vec6 vec6_neg(vec6 x) {
    return (vec6){vec3_neg(x.a), vec3_neg(x.l)};
}

static inline vec6 vec6_scale(vec6 x, double s) {
    return (vec6){vec3_scale(x.a, s), vec3_scale(x.l, s)};
}

// x + s y
static inline vec6 vec6_madd(vec6 x, double s, vec6 y) {
    return (vec6){vec3_madd(x.a, s, y.a), vec3_madd(x.l, s, y.l)};
}

static inline double vec6_dot(vec6 x, vec6 y) {
    return vec3_dot(x.a, y.a) + vec3_dot(x.l, y.l);
}

// ---------------------------------------------------------------- mat6
mat6 mat6_identity(void);
vec6 mat6_mul_vec(const mat6 *a, vec6 x);
mat6 mat6_mul(const mat6 *a, const mat6 *b);
mat6 mat6_transpose(const mat6 *a);

// ---------------------------------------------------------------- the bracket
static inline vec6 se3_ad(vec6 x, vec6 y) {
    return (vec6){vec3_cross(x.a, y.a), vec3_add(vec3_cross(x.l, y.a), vec3_cross(x.a, y.l))};
}

mat6 se3_ad_matrix(vec6 x);

// ---------------------------------------------------------------- poses
// Both parts turned by R.
static inline vec6 vec6_turned(const mat3 *R, vec6 x) {
    return (vec6){mat3_mul_vec(R, x.a), mat3_mul_vec(R, x.l)};
}

// Of x in the axes of g, from its origin.
static inline vec3 se3_point_in(const se3 *g, vec3 x) {
    return mat3_tmul_vec(&g->R, vec3_sub(x, g->p));
}

static inline vec3 se3_mul_point(const se3 *g, vec3 x) {
    return vec3_add(mat3_mul_vec(&g->R, x), g->p);
}

static inline se3 se3_mul(const se3 *g, const se3 *h) {
    return (se3){mat3_mul(&g->R, &h->R), se3_mul_point(g, h->p)};
}

static inline se3 se3_inverse(const se3 *g) {
    return (se3){mat3_transpose(&g->R), vec3_neg(mat3_tmul_vec(&g->R, g->p))};
}

// Ad_g^-1 x: a twist from spatial to body coordinates.
static inline vec6 se3_adjoint_inv_vec(const se3 *g, vec6 x) {
    return (vec6){mat3_tmul_vec(&g->R, x.a),
                  mat3_tmul_vec(&g->R, vec3_sub(x.l, vec3_cross(g->p, x.a)))};
}

// Ad_g^-T w: a wrench (moment, force) from body to spatial coordinates.
static inline vec6 se3_coadjoint_vec(const se3 *g, vec6 w) {
    vec3 n = mat3_mul_vec(&g->R, w.l);
    return (vec6){vec3_add(mat3_mul_vec(&g->R, w.a), vec3_cross(g->p, n)), n};
}

// Ad_g' w: a wrench from spatial to body coordinates.
static inline vec6 se3_coadjoint_inv_vec(const se3 *g, vec6 w) {
    return (vec6){mat3_tmul_vec(&g->R, vec3_sub(w.a, vec3_cross(g->p, w.l))),
                  mat3_tmul_vec(&g->R, w.l)};
}

mat6 se3_adjoint(const se3 *g);

// ---------------------------------------------------------------- exp, log and their derivatives
mat3 so3_exp(vec3 u);
vec3 so3_log(const mat3 *R);  // length 0 .. pi
mat3 so3_dexp(vec3 u);
mat3 so3_dexp_right(vec3 u);
mat3 so3_dexp_inv(vec3 u);

se3 se3_exp(vec6 x);
vec3 se3_exp_turn(vec6 x, quat *turn);  // the same: its p, and its rotation as a quaternion
vec6 se3_log(const se3 *g);             // angular part of length 0 .. pi
mat6 se3_dexp(vec6 x);
mat6 se3_dexp_right(vec6 x);
mat6 se3_dexp_right_inv(vec6 x);
void se3_dexp_right_inv_blocks(vec6 x, mat3 *diagonal,
                               mat3 *lower);  // [diagonal 0; lower diagonal]

// ---------------------------------------------------------------- Magnus steps
// For g' = g xi(s)^ over a step of length d: g(s + d) = g(s) exp(psi), psi from the twists at the
// Gauss points of the step. Sure to converge while the integral of |angular part| over the step
// stays below pi.
#define MAGNUS4_C1 0.21132486540518711775  // 1/2 - sqrt(3)/6
#define MAGNUS4_C2 0.78867513459481288225
#define MAGNUS6_C1 0.11270166537925831148  // 1/2 - sqrt(15)/10
#define MAGNUS6_C2 0.5
#define MAGNUS6_C3 0.88729833462074168852

vec6 se3_magnus4(double d, vec6 g1, vec6 g2);           // order 4: twists at MAGNUS4_C1, C2
vec6 se3_magnus6(double d, vec6 g1, vec6 g2, vec6 g3);  // order 6: twists at MAGNUS6_C1 .. C3
