// model/cosserat/shooting/lanes.h - vectors whose components are a few numbers side by side, one
// per column of the variational equations, so that several columns are computed by the same
// instruction. As many as one register of the machine holds: more, and the compiler keeps them in
// memory (measured with bench_shooting: 8 lanes on a machine compiled for 2 cost five times as
// much).
#pragma once

#include "math/mat3.h"
#include "math/quat.h"

#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX__)
#define LANES 4
#else
#define LANES 2
#endif
#define MOST_COLUMNS 12  // at once: the base wrench and six unknown efforts
#define GROUPS_FOR(columns) (((columns) + LANES - 1) / LANES)
#define LANE_GROUPS GROUPS_FOR(MOST_COLUMNS)

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

static inline lanes3 lanes3_add(const lanes3 *a, const lanes3 *b) {
    return (lanes3){a->x + b->x, a->y + b->y, a->z + b->z};
}

static inline lanes3 lanes3_sub(const lanes3 *a, const lanes3 *b) {
    return (lanes3){a->x - b->x, a->y - b->y, a->z - b->z};
}

// a x b for a constant a
static inline lanes3 lanes3_cross(vec3 a, const lanes3 *b) {
    return (lanes3){a.y * b->z - a.z * b->y, a.z * b->x - a.x * b->z, a.x * b->y - a.y * b->x};
}

static inline lanes3 lanes3_mul(vec3 a, const lanes3 *b) {  // element by element
    return (lanes3){a.x * b->x, a.y * b->y, a.z * b->z};
}

static inline lanes3 lanes3_scale(double a, const lanes3 *b) {
    return (lanes3){a * b->x, a * b->y, a * b->z};
}

static inline lanes3 lanes3_mat(const mat3 *m, const lanes3 *b) {
    return (lanes3){m->m[0][0] * b->x + m->m[0][1] * b->y + m->m[0][2] * b->z,
                    m->m[1][0] * b->x + m->m[1][1] * b->y + m->m[1][2] * b->z,
                    m->m[2][0] * b->x + m->m[2][1] * b->y + m->m[2][2] * b->z};
}

static inline lanes3 lanes3_tmat(const mat3 *m, const lanes3 *b) {
    return (lanes3){m->m[0][0] * b->x + m->m[1][0] * b->y + m->m[2][0] * b->z,
                    m->m[0][1] * b->x + m->m[1][1] * b->y + m->m[2][1] * b->z,
                    m->m[0][2] * b->x + m->m[1][2] * b->y + m->m[2][2] * b->z};
}

static inline lanes3 lanes3_load(const lanes *a) {
    return (lanes3){a[0], a[1], a[2]};
}

static inline void lanes3_store(lanes *out, const lanes3 *a) {
    out[0] = a->x;
    out[1] = a->y;
    out[2] = a->z;
}
