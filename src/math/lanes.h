// math/lanes.h - four numbers side by side, and vectors of them: the same arithmetic on four places at once.
//
// Four wide whatever the processor: two narrow registers or one wide one, with the same operations in the
// same order, so that results are the same to the bit. LANES_CLONED on a function compiles it for wide
// registers too, and the machine it runs on chooses. No operations are fused. Such a function is static, with
// a name that no other file has, and passes lanes only by pointer; what is LANES_INLINE may take them by
// value.
#pragma once

#include "math/se3.h"

typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));

// Chosen at load time; the checkers of memory and threads do not get on with that.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__AVX2__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(TENDRIL_PLAIN)
#if !defined(__has_feature)
#define LANES_CLONED __attribute__((target_clones("avx2", "default")))
#elif !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define LANES_CLONED __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef LANES_CLONED
#define LANES_CLONED
#endif

#define LANES 4
#define LANES_INLINE static inline __attribute__((always_inline))
#pragma GCC diagnostic ignored "-Wpsabi"  // nothing here is passed between compilers

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

static inline int lane_blocks(int n) {
    return (n + LANES - 1) / LANES;
}

LANES_INLINE lanes lanes_all(double a) {
    return (lanes){a, a, a, a};
}

LANES_INLINE lanes lanes_load(const double *a) {
    return *(const lanes *)a;
}

LANES_INLINE double lane(const lanes *a, int i) {
    return ((const double *)a)[i];
}

LANES_INLINE double lanes_sum(lanes a) {
    return (a[0] + a[1]) + (a[2] + a[3]);
}

LANES_INLINE lanes lanes_abs(lanes a) {
    typedef long long bits __attribute__((vector_size(32)));
    const long long most = 0x7fffffffffffffffLL;
    return (lanes)((bits)a & (bits){most, most, most, most});
}

// Rows become columns.
LANES_INLINE void lanes_transpose(lanes a, lanes b, lanes c, lanes d, lanes out[4]) {
    lanes ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    lanes ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    lanes cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    lanes cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

// ---------------------------------------------------------------- vectors
LANES_INLINE lanes3 lanes3_all(vec3 a) {
    return (lanes3){lanes_all(a.x), lanes_all(a.y), lanes_all(a.z)};
}

LANES_INLINE lanes3 lanes3_add(lanes3 a, lanes3 b) {
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

LANES_INLINE lanes3 lanes3_sub(lanes3 a, lanes3 b) {
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANES_INLINE lanes3 lanes3_scale(lanes3 a, lanes s) {
    return (lanes3){a.x * s, a.y * s, a.z * s};
}

// a + s b
LANES_INLINE lanes3 lanes3_madd(lanes3 a, lanes s, lanes3 b) {
    return (lanes3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

LANES_INLINE lanes3 lanes3_mul(lanes3 a, lanes3 b) {
    return (lanes3){a.x * b.x, a.y * b.y, a.z * b.z};
}

LANES_INLINE lanes lanes3_dot(lanes3 a, lanes3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANES_INLINE lanes3 lanes3_cross(lanes3 a, lanes3 b) {
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

LANES_INLINE vec3 lanes3_sum(lanes3 a) {
    return vec3_make(lanes_sum(a.x), lanes_sum(a.y), lanes_sum(a.z));
}

// ---------------------------------------------------------------- rotations
typedef struct lanes33 {
    lanes m[3][3];
} lanes33;

LANES_INLINE lanes3 lanes33_mul(const lanes33 *a, lanes3 v) {
    return (lanes3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                    a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                    a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

// a' v
LANES_INLINE lanes3 lanes33_tmul(const lanes33 *a, lanes3 v) {
    return (lanes3){a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                    a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                    a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z};
}
