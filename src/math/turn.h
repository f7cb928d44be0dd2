// math/turn.h - rotations by three parameters a, and all derivatives that statics needs.
//
//     vector      R = exp(a^)                 good for less than a turn
//     quaternion  R = R(q0, a), q0 > 0        good for less than half a turn, Sadati 2019 (5)
//
// Body rates are T(a) a', and both have T = f0 + f1 a^ + f2 a a' with functions of x = |a|^2:
//
//     vector      f0 = sin t/t,  f1 = -(1 - cos t)/t^2,  f2 = (t - sin t)/t^3,  t = |a|
//     quaternion  f0 = 2 q0,     f1 = -2,                f2 = 2/q0
#pragma once

#include "math/se3.h"

typedef enum turn_kind { TURN_VECTOR, TURN_QUATERNION } turn_kind;

typedef struct turn {
    vec3 a;
    mat3 R, T;
    double f[3], f_x[3], f_xx[3];
} turn;

turn turn_make(turn_kind kind, vec3 a);

mat3 turn_along(const turn *t, vec3 d);           // d T/d e at a + e d
mat3 turn_by(const turn *t, vec3 b);              // d(T b)/d a
mat3 turn_back_by(const turn *t, vec3 m);         // d(T' m)/d a
mat3 turn_second(const turn *t, vec3 m, vec3 b);  // d^2(m . T b)/d a^2

// (d T/d e at a + e d) b
static inline vec3 turn_along_times(const turn *t, vec3 d, vec3 b) {
    const double ab = vec3_dot(t->a, b), rate = 2.0 * vec3_dot(t->a, d);
    vec3 out = vec3_scale(vec3_cross(t->a, b), rate * t->f_x[1]);
    out = vec3_madd(out, rate * t->f_x[0], b);
    out = vec3_madd(out, rate * t->f_x[2] * ab + t->f[2] * vec3_dot(d, b), t->a);
    out = vec3_madd(out, t->f[1], vec3_cross(d, b));
    return vec3_madd(out, t->f[2] * ab, d);
}

// d(m . T b)/d a
static inline vec3 turn_slope(const turn *t, vec3 m, vec3 b) {
    const double mb = vec3_dot(m, b), ma = vec3_dot(m, t->a), ab = vec3_dot(t->a, b);
    const vec3 bm = vec3_cross(b, m);
    const double first = t->f_x[0] * mb + t->f_x[1] * vec3_dot(t->a, bm) + t->f_x[2] * ma * ab;
    vec3 out = vec3_madd(vec3_scale(t->a, 2.0 * first), t->f[1], bm);
    out = vec3_madd(out, t->f[2] * ab, m);
    return vec3_madd(out, t->f[2] * ma, b);
}

double turn_angle(turn_kind kind, vec3 a);  // rad, how far a turns
double turn_most(turn_kind kind);           // rad, beyond which T is too close to singular

// The parameters of R, of all those that differ by whole turns the ones nearest to `near`.
vec3 turn_parameters(turn_kind kind, const mat3 *R, vec3 near);
