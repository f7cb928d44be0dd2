// math/se3_lanes.h - Magnus steps and exponentials on SE(3), four at once. See se3.c for the formulas.
#pragma once

#include "math/lanes.h"

typedef struct lanes6 {
    lanes3 a, l;
} lanes6;

typedef struct lanes_pose {
    lanes33 R;
    lanes3 p;
} lanes_pose;

// [x, y]; `still`: the linear part of y is zero
LANES_INLINE lanes6 lanes6_bracket(lanes6 x, lanes6 y, bool still) {
    lanes3 l = lanes3_cross(x.l, y.a);
    return (lanes6){lanes3_cross(x.a, y.a), still ? l : lanes3_add(l, lanes3_cross(x.a, y.l))};
}

LANES_INLINE lanes6 lanes6_madd(lanes6 x, lanes s, lanes6 y) {
    return (lanes6){lanes3_madd(x.a, s, y.a), lanes3_madd(x.l, s, y.l)};
}

// se3_magnus4, from the strains g at its points
LANES_INLINE lanes6 lanes6_magnus4(lanes d, const lanes6 g[2]) {
    const lanes r = lanes_all(0.14433756729740644113) * d * d, half = 0.5 * d;  // sqrt(3)/12
    lanes6 mean = {lanes3_scale(lanes3_add(g[0].a, g[1].a), half),
                   lanes3_scale(lanes3_add(g[0].l, g[1].l), half)};
    return lanes6_madd(mean, r, lanes6_bracket(g[0], g[1], false));
}

// se3_magnus6; `still`: the linear part of the strain is the same at all three points
LANES_INLINE lanes6 lanes6_magnus6(lanes d, const lanes6 g[3], bool still) {
    const lanes r = 1.2909944487358056284 * d, s = (10.0 / 3.0) * d;  // sqrt(15)/3
    const lanes3 zero = {{0.0}, {0.0}, {0.0}};
    const lanes two = lanes_all(-2.0);
    lanes6 y1 = {lanes3_scale(g[1].a, d), lanes3_scale(g[1].l, d)};
    lanes6 y2 = {lanes3_scale(lanes3_sub(g[2].a, g[0].a), r), zero};
    lanes6 y3 = {lanes3_scale(lanes3_madd(lanes3_add(g[0].a, g[2].a), two, g[1].a), s), zero};
    if (!still) {
        y2.l = lanes3_scale(lanes3_sub(g[2].l, g[0].l), r);
        y3.l = lanes3_scale(lanes3_madd(lanes3_add(g[0].l, g[2].l), two, g[1].l), s);
    }
    lanes6 b = lanes6_bracket(y1, y2, still);
    lanes6 inner = {lanes3_sub(lanes3_add(y3.a, y3.a), b.a),
                    lanes3_sub(lanes3_add(y3.l, y3.l), b.l)};
    lanes6 c = lanes6_bracket(y1, inner, false);
    lanes6 left = lanes6_madd(lanes6_madd(b, lanes_all(20.0), y1), lanes_all(1.0), y3);
    lanes6 right = lanes6_madd(y2, lanes_all(1.0 / 60.0), c);
    lanes6 psi = lanes6_madd(y1, lanes_all(1.0 / 12.0), y3);
    return lanes6_madd(psi, lanes_all(1.0 / 240.0), lanes6_bracket(left, right, false));
}

// Angles below this (rad, squared) take a short series: what is missing is 1e-18 of the whole.
#define LANES_SMALL 0.25

// c_1 to c_5 of se3.c, c_k = 1/k! - t^2/(k+2)! + ..., for squared angles that are all small
LANES_INLINE void lanes_series(lanes t2, lanes c[5]) {
    lanes c5 = lanes_all(1.0 / 6227020800), c6 = lanes_all(1.0 / 87178291200);
    c5 = lanes_all(-1.0 / 39916800) + t2 * (c5 - t2 * (1.0 / 1307674368000));
    c6 = lanes_all(-1.0 / 479001600) + t2 * (c6 - t2 * (1.0 / 20922789888000));
    c5 = lanes_all(1.0 / 120) +
         t2 * (lanes_all(-1.0 / 5040) + t2 * (lanes_all(1.0 / 362880) + t2 * c5));
    c6 = lanes_all(1.0 / 720) +
         t2 * (lanes_all(-1.0 / 40320) + t2 * (lanes_all(1.0 / 3628800) + t2 * c6));
    c[4] = c5;
    c[3] = lanes_all(1.0 / 24) - t2 * c6;
    c[2] = lanes_all(1.0 / 6) - t2 * c5;
    c[1] = lanes_all(0.5) - t2 * c[3];
    c[0] = lanes_all(1.0) - t2 * c[2];
}

// negated, so that a NaN goes the long way
LANES_INLINE bool lanes_are_large(lanes t2) {
    return !(t2[0] < LANES_SMALL && t2[1] < LANES_SMALL && t2[2] < LANES_SMALL &&
             t2[3] < LANES_SMALL);
}

// 1 + b hat(u) + c hat(u)^2
LANES_INLINE lanes33 lanes_hat_polynomial(lanes3 u, lanes b, lanes c) {
    const lanes one = lanes_all(1.0);
    lanes3 cu = lanes3_scale(u, c), w = lanes3_scale(u, b);
    lanes xx = cu.x * u.x, yy = cu.y * u.y, zz = cu.z * u.z;
    lanes xy = cu.x * u.y, xz = cu.x * u.z, yz = cu.y * u.z;
    return (lanes33){{{one - (yy + zz), xy - w.z, xz + w.y},
                      {xy + w.z, one - (xx + zz), yz - w.x},
                      {xz - w.y, yz + w.x, one - (xx + yy)}}};
}

// The part along e of that at u + e v: see se3.c.
LANES_INLINE lanes33 lanes_hat_polynomial_dual(lanes3 u, lanes3 v, lanes b, lanes c, lanes db,
                                               lanes dc) {
    const lanes along = lanes3_dot(u, v), dcd = dc * along;
    const lanes3 w = lanes3_madd(lanes3_scale(v, b), db * along, u);
    const lanes3 cv = lanes3_madd(lanes3_scale(v, 2.0 * c), dcd, u);
    const lanes xx = cv.x * u.x, yy = cv.y * u.y, zz = cv.z * u.z;
    const lanes xy = c * (u.x * v.y + u.y * v.x) + dcd * u.x * u.y;
    const lanes xz = c * (u.x * v.z + u.z * v.x) + dcd * u.x * u.z;
    const lanes yz = c * (u.y * v.z + u.z * v.y) + dcd * u.y * u.z;
    return (lanes33){{{-(yy + zz), xy - w.z, xz + w.y},
                      {xy + w.z, -(xx + zz), yz - w.x},
                      {xz - w.y, yz + w.x, -(xx + yy)}}};
}

LANES_INLINE vec6 lanes6_one(const lanes6 *x, int i) {
    const double *from = (const double *)x + i;
    return (vec6){{from[0], from[4], from[8]}, {from[12], from[16], from[20]}};
}

// Where an angle is large: one by one, and out of the way of the others.
static inline __attribute__((cold)) void lanes_exp_each(const lanes6 *x, lanes_pose *out) {
    double *to = (double *)out;
    for (int i = 0; i < LANES; i++) {
        const se3 T = se3_exp(lanes6_one(x, i));
        for (int k = 0; k < 9; k++) to[LANES * k + i] = T.R.m[k / 3][k % 3];
        to[36 + i] = T.p.x, to[40 + i] = T.p.y, to[44 + i] = T.p.z;
    }
}

LANES_INLINE void lanes_exp(const lanes6 *x, lanes_pose *out) {
    lanes t2 = lanes3_dot(x->a, x->a), c[5];
    if (lanes_are_large(t2)) {
        lanes_exp_each(x, out);
        return;
    }
    lanes_series(t2, c);
    lanes3 uv = lanes3_cross(x->a, x->l);
    out->R = lanes_hat_polynomial(x->a, c[0], c[1]);
    out->p = lanes3_madd(lanes3_madd(x->l, c[1], uv), c[2], lanes3_cross(x->a, uv));
}

static inline void lanes_dexp_each(const lanes6 *x, lanes33 *diagonal, lanes33 *lower) {
    for (int i = 0; i < LANES; i++) {
        const mat6 one = se3_dexp(lanes6_one(x, i));
        for (int k = 0; k < 9; k++) {
            ((double *)diagonal)[LANES * k + i] = one.m[k / 3][k % 3];
            ((double *)lower)[LANES * k + i] = one.m[3 + k / 3][k % 3];
        }
    }
}

// [diagonal 0; lower diagonal] of se3_dexp
LANES_INLINE void lanes_dexp(const lanes6 *x, lanes33 *diagonal, lanes33 *lower) {
    lanes t2 = lanes3_dot(x->a, x->a), c[5];
    if (lanes_are_large(t2)) {
        lanes_dexp_each(x, diagonal, lower);
        return;
    }
    lanes_series(t2, c);
    *diagonal = lanes_hat_polynomial(x->a, c[1], c[2]);
    *lower =
        lanes_hat_polynomial_dual(x->a, x->l, c[1], c[2], 2.0 * c[3] - c[2], 3.0 * c[4] - c[3]);
}
