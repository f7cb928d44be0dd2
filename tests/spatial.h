// tests/spatial.h - small matrices and twists as tests need them and the library does not.
#pragma once

#include "math/se3.h"

// The vector of the skew part: mat3_vee(hat(v)) = v; the symmetric part is ignored.
static inline vec3 mat3_vee(const mat3 *a) {
    return (vec3){0.5 * (a->m[2][1] - a->m[1][2]), 0.5 * (a->m[0][2] - a->m[2][0]),
                  0.5 * (a->m[1][0] - a->m[0][1])};
}

static inline double mat3_det(const mat3 *a) {
    vec3 r0 = vec3_load(a->m[0]), r1 = vec3_load(a->m[1]), r2 = vec3_load(a->m[2]);
    return vec3_dot(r0, vec3_cross(r1, r2));
}

static inline bool vec6_is_finite(vec6 x) {
    return vec3_is_finite(x.a) && vec3_is_finite(x.l);
}

static inline se3 se3_identity(void) {
    return (se3){mat3_identity(), {0.0, 0.0, 0.0}};
}

// Ad_g x: a twist from body to spatial coordinates.
static inline vec6 se3_adjoint_vec(const se3 *g, vec6 x) {
    vec3 a = mat3_mul_vec(&g->R, x.a);
    return (vec6){a, vec3_add(mat3_mul_vec(&g->R, x.l), vec3_cross(g->p, a))};
}

static inline mat6 se3_dexp_inv(vec6 x) {
    return se3_dexp_right_inv(vec6_neg(x));
}
