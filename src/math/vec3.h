// math/vec3.h - vectors of three, by value.
#pragma once

#include <math.h>
#include <stdbool.h>

typedef struct vec3 {
    double x, y, z;
} vec3;

static inline vec3 vec3_make(double x, double y, double z) {
    return (vec3){x, y, z};
}

static inline vec3 vec3_zero(void) {
    return (vec3){0.0, 0.0, 0.0};
}

static inline vec3 vec3_load(const double *a) {
    return (vec3){a[0], a[1], a[2]};
}

static inline void vec3_store(double *out, vec3 a) {
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

static inline vec3 vec3_add(vec3 a, vec3 b) {
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 vec3_sub(vec3 a, vec3 b) {
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 vec3_neg(vec3 a) {
    return (vec3){-a.x, -a.y, -a.z};
}

static inline vec3 vec3_scale(vec3 a, double s) {
    return (vec3){a.x * s, a.y * s, a.z * s};
}

// Element by element.
static inline vec3 vec3_mul(vec3 a, vec3 b) {
    return (vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

// a + s b
static inline vec3 vec3_madd(vec3 a, double s, vec3 b) {
    return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double vec3_dot(vec3 a, vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 vec3_cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Full precision over the whole range: hypot where squares would under- or overflow. Between the
// two bounds a square lost to underflow is below 1e-17 of the sum.
static inline double vec3_norm(vec3 a) {
    double n2 = vec3_dot(a, a);
    if (n2 > 1e-290 && n2 < 1e300) return sqrt(n2);
    return hypot(hypot(a.x, a.y), a.z);
}

static inline bool vec3_is_finite(vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
