// model/cosserat/chebyshev/magnus.c - Magnus steps as printed, with derivatives.
//
// The terms are those of Orekhov 2020 (22) and (23) with the missing bracket put in. se3_magnus6 is
// of the same order with fewer brackets, but differs beyond it, and with three nodes one would see
// that in the tables.
#include "model/cosserat/chebyshev/chebyshev.h"

#define SQRT_3 1.7320508075688772935
#define SQRT_15_3 1.2909944487358056284  // sqrt(15)/3

const double *magnus_points(int points) {
    static const double two[] = {MAGNUS4_C1, MAGNUS4_C2};
    static const double three[] = {MAGNUS6_C1, MAGNUS6_C2, MAGNUS6_C3};
    return points == 2 ? two : three;
}

// ---------------------------------------------------------------- twists
static vec6 exponent4(double d, const vec6 *g) {
    vec6 y1 = vec6_scale(vec6_add(g[0], g[1]), 0.5 * d);
    vec6 y2 = vec6_scale(vec6_sub(g[1], g[0]), SQRT_3 * d);
    return vec6_madd(y1, 1.0 / 12.0, se3_ad(y1, y2));
}

static vec6 exponent6(double d, const vec6 *g) {
    vec6 y1 = vec6_scale(g[1], d);
    vec6 y2 = vec6_scale(vec6_sub(g[2], g[0]), SQRT_15_3 * d);
    vec6 y3 = vec6_scale(vec6_madd(vec6_add(g[0], g[2]), -2.0, g[1]), 10.0 / 3.0 * d);
    vec6 b = se3_ad(y1, y2);
    vec6 psi = vec6_madd(vec6_madd(y1, 1.0 / 12.0, y3), 1.0 / 12.0, b);
    psi = vec6_madd(psi, -1.0 / 240.0, vec6_add(se3_ad(y2, y3), se3_ad(y2, b)));
    psi = vec6_madd(psi, 1.0 / 360.0, se3_ad(y1, se3_ad(y1, y3)));
    return vec6_madd(psi, -1.0 / 720.0, se3_ad(y1, se3_ad(y1, b)));
}

vec6 magnus_exponent(int points, double d, const vec6 *g) {
    return points == 2 ? exponent4(d, g) : exponent6(d, g);
}

// ---------------------------------------------------------------- rotations
static mat3 product(const mat3 *a, mat3 b) {
    return mat3_mul(a, &b);
}

static void add(mat3 *to, double s, mat3 a) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) to->m[i][k] += s * a.m[i][k];
}

// s a + t b
static mat3 combine(double s, const mat3 *a, double t, const mat3 *b) {
    mat3 out = mat3_zero();
    add(&out, s, *a);
    add(&out, t, *b);
    return out;
}

static vec3 rotation4(double d, const vec3 *g, mat3 *out) {
    vec3 y1 = vec3_scale(vec3_add(g[0], g[1]), 0.5 * d);
    vec3 y2 = vec3_scale(vec3_sub(g[1], g[0]), SQRT_3 * d);
    mat3 d1 = mat3_identity(), d2 = mat3_zero();  // against y1, y2
    add(&d1, -1.0 / 12.0, mat3_hat(y2));
    add(&d2, 1.0 / 12.0, mat3_hat(y1));
    out[0] = combine(0.5 * d, &d1, -SQRT_3 * d, &d2);
    out[1] = combine(0.5 * d, &d1, SQRT_3 * d, &d2);
    return vec3_madd(y1, 1.0 / 12.0, vec3_cross(y1, y2));
}

// Against y1, y2, y3, term by term.
static void derivatives6(vec3 y1, vec3 y2, vec3 y3, mat3 *d1, mat3 *d2, mat3 *d3) {
    const mat3 a1 = mat3_hat(y1), a2 = mat3_hat(y2), a3 = mat3_hat(y3);
    const vec3 b = vec3_cross(y1, y2), q = vec3_cross(y1, y3);
    const mat3 hat_b = mat3_hat(b), hat_q = mat3_hat(q), hat_s = mat3_hat(vec3_cross(y1, b));
    const mat3 a1_a2 = mat3_mul(&a1, &a2), a1_a1 = mat3_mul(&a1, &a1);
    *d1 = mat3_identity(), *d2 = mat3_zero(), *d3 = mat3_identity();
    *d3 = mat3_scale(d3, 1.0 / 12.0);
    add(d1, -1.0 / 12.0, a2), add(d2, 1.0 / 12.0, a1);    // y1 x y2
    add(d2, 1.0 / 240.0, a3), add(d3, -1.0 / 240.0, a2);  // - y2 x y3
    add(d1, -1.0 / 360.0, product(&a1, a3)), add(d1, -1.0 / 360.0, hat_q);
    add(d3, 1.0 / 360.0, a1_a1);  // y1 x (y1 x y3)
    add(d1, 1.0 / 240.0, product(&a2, a2));
    add(d2, -1.0 / 240.0, product(&a2, a1)), add(d2, 1.0 / 240.0, hat_b);  // - y2 x b
    add(d1, 1.0 / 720.0, product(&a1, a1_a2)), add(d1, 1.0 / 720.0, product(&a1, hat_b));
    add(d1, 1.0 / 720.0, hat_s);
    add(d2, -1.0 / 720.0, product(&a1, a1_a1));  // - y1 x (y1 x b)
}

static vec3 rotation6(double d, const vec3 *g, mat3 *out) {
    vec3 y1 = vec3_scale(g[1], d);
    vec3 y2 = vec3_scale(vec3_sub(g[2], g[0]), SQRT_15_3 * d);
    vec3 y3 = vec3_scale(vec3_madd(vec3_add(g[0], g[2]), -2.0, g[1]), 10.0 / 3.0 * d);
    mat3 d1, d2, d3;
    derivatives6(y1, y2, y3, &d1, &d2, &d3);
    out[0] = combine(-SQRT_15_3 * d, &d2, 10.0 / 3.0 * d, &d3);
    out[1] = combine(d, &d1, -20.0 / 3.0 * d, &d3);
    out[2] = combine(SQRT_15_3 * d, &d2, 10.0 / 3.0 * d, &d3);

    vec3 b = vec3_cross(y1, y2);
    vec3 psi = vec3_madd(vec3_madd(y1, 1.0 / 12.0, y3), 1.0 / 12.0, b);
    psi = vec3_madd(psi, -1.0 / 240.0, vec3_add(vec3_cross(y2, y3), vec3_cross(y2, b)));
    psi = vec3_madd(psi, 1.0 / 360.0, vec3_cross(y1, vec3_cross(y1, y3)));
    return vec3_madd(psi, -1.0 / 720.0, vec3_cross(y1, vec3_cross(y1, b)));
}

vec3 magnus_rotation(int points, double d, const vec3 *g, mat3 *derivatives) {
    return points == 2 ? rotation4(d, g, derivatives) : rotation6(d, g, derivatives);
}
