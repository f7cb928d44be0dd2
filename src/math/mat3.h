// math/mat3.h - 3x3 matrices, row major; in by const pointer, out by value.
#pragma once

#include <float.h>

#include "math/vec3.h"

typedef struct mat3 {
    double m[3][3];
} mat3;

static inline mat3 mat3_zero(void) {
    return (mat3){{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
}

static inline mat3 mat3_diag(vec3 d) {
    return (mat3){{{d.x, 0.0, 0.0}, {0.0, d.y, 0.0}, {0.0, 0.0, d.z}}};
}

static inline mat3 mat3_identity(void) {
    return mat3_diag((vec3){1.0, 1.0, 1.0});
}

static inline mat3 mat3_from_columns(vec3 a, vec3 b, vec3 c) {
    return (mat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

static inline vec3 mat3_column(const mat3 *a, int j) {
    return (vec3){a->m[0][j], a->m[1][j], a->m[2][j]};
}

static inline mat3 mat3_add(const mat3 *a, const mat3 *b) {
    mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) c.m[i][j] = a->m[i][j] + b->m[i][j];
    return c;
}

static inline mat3 mat3_sub(const mat3 *a, const mat3 *b) {
    mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) c.m[i][j] = a->m[i][j] - b->m[i][j];
    return c;
}

static inline mat3 mat3_scale(const mat3 *a, double s) {
    mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) c.m[i][j] = a->m[i][j] * s;
    return c;
}

static inline vec3 mat3_mul_vec(const mat3 *a, vec3 v) {
    return (vec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                  a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                  a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

// a' v
static inline vec3 mat3_tmul_vec(const mat3 *a, vec3 v) {
    return (vec3){a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                  a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                  a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z};
}

// R J R' v: J turned by R.
static inline vec3 mat3_turned_mul_vec(const mat3 *R, const mat3 *J, vec3 v) {
    return mat3_mul_vec(R, mat3_mul_vec(J, mat3_tmul_vec(R, v)));
}

static inline mat3 mat3_mul(const mat3 *a, const mat3 *b) {
    mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}

// a' b
static inline mat3 mat3_tmul(const mat3 *a, const mat3 *b) {
    mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[0][i] * b->m[0][j] + a->m[1][i] * b->m[1][j] + a->m[2][i] * b->m[2][j];
    return c;
}

static inline mat3 mat3_transpose(const mat3 *a) {
    mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) c.m[i][j] = a->m[j][i];
    return c;
}

// hat(v) w = v x w
static inline mat3 mat3_hat(vec3 v) {
    return (mat3){{{0.0, -v.z, v.y}, {v.z, 0.0, -v.x}, {-v.y, v.x, 0.0}}};
}

// a b'
static inline mat3 mat3_outer(vec3 a, vec3 b) {
    return (mat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                   {a.y * b.x, a.y * b.y, a.y * b.z},
                   {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

// False, and *out untouched, when not one digit of the determinant is sure: when it is within
// rounding of zero, measured by the sum of its six products without their signs. That measure does
// not change when rows or columns change their units.
static inline bool mat3_inverse(const mat3 *a, mat3 *out) {
    vec3 c0 = mat3_column(a, 0), c1 = mat3_column(a, 1), c2 = mat3_column(a, 2);
    vec3 r0 = vec3_cross(c1, c2), r1 = vec3_cross(c2, c0), r2 = vec3_cross(c0, c1);
    double det = vec3_dot(c0, r0);
    double size = fabs(c0.x) * (fabs(c1.y * c2.z) + fabs(c1.z * c2.y)) +
                  fabs(c0.y) * (fabs(c1.z * c2.x) + fabs(c1.x * c2.z)) +
                  fabs(c0.z) * (fabs(c1.x * c2.y) + fabs(c1.y * c2.x));
    if (!(fabs(det) > 4.0 * DBL_EPSILON * size) || !isfinite(det)) return false;
    vec3_store(out->m[0], vec3_scale(r0, 1.0 / det));
    vec3_store(out->m[1], vec3_scale(r1, 1.0 / det));
    vec3_store(out->m[2], vec3_scale(r2, 1.0 / det));
    return true;
}
