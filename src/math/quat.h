// math/quat.h - quaternions (w, x, y, z) as rotations. Where a function says "any length", a
// quaternion that has drifted from unit length in an integration still gives an exact rotation;
// it must only not be zero.
#pragma once

#include "math/mat3.h"

typedef struct quat {
    double w, x, y, z;
} quat;

static inline quat quat_identity(void) {
    return (quat){1.0, 0.0, 0.0, 0.0};
}

static inline quat quat_load(const double *a) {
    return (quat){a[0], a[1], a[2], a[3]};
}

static inline void quat_store(double *out, quat q) {
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

static inline vec3 quat_vector(quat q) {
    return (vec3){q.x, q.y, q.z};
}

static inline quat quat_make(double w, vec3 v) {
    return (quat){w, v.x, v.y, v.z};
}

static inline quat quat_mul(quat a, quat b) {
    return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                  a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline quat quat_conj(quat q) {
    return (quat){q.w, -q.x, -q.y, -q.z};
}

static inline double quat_norm2(quat q) {
    return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}

// Of any length; zero or not finite gives the identity.
static inline quat quat_normalise(quat q) {
    double n2 = quat_norm2(q);
    bool plain = n2 > 1e-290 && n2 < 1e300;  // as in vec3_norm
    double n = plain ? sqrt(n2) : hypot(hypot(q.w, q.x), hypot(q.y, q.z));
    if (!(n > 0.0) || !isfinite(n)) return quat_identity();
    return (quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

// Any length: R = I + 2/(q'q) (...), Till 2019 (10); Rucker 2018.
static inline mat3 quat_to_mat3(quat q) {
    double s = 2.0 / quat_norm2(q);
    double xx = s * q.x * q.x, yy = s * q.y * q.y, zz = s * q.z * q.z;
    double xy = s * q.x * q.y, xz = s * q.x * q.z, yz = s * q.y * q.z;
    double wx = s * q.w * q.x, wy = s * q.w * q.y, wz = s * q.w * q.z;
    return (mat3){{{1.0 - yy - zz, xy - wz, xz + wy},
                   {xy + wz, 1.0 - xx - zz, yz - wx},
                   {xz - wy, yz + wx, 1.0 - xx - yy}}};
}

// Unit, w >= 0. The largest of 4w^2, 4x^2, 4y^2, 4z^2 is at least 1, so its root divides safely.
static inline quat quat_from_mat3(const mat3 *r) {
    const double(*m)[3] = r->m;
    double ww = 1.0 + m[0][0] + m[1][1] + m[2][2];
    double xx = 1.0 + m[0][0] - m[1][1] - m[2][2];
    double yy = 1.0 - m[0][0] + m[1][1] - m[2][2];
    double zz = 1.0 - m[0][0] - m[1][1] + m[2][2];
    double wx = m[2][1] - m[1][2], wy = m[0][2] - m[2][0], wz = m[1][0] - m[0][1];
    double xy = m[1][0] + m[0][1], xz = m[0][2] + m[2][0], yz = m[2][1] + m[1][2];
    quat q;
    if (ww >= xx && ww >= yy && ww >= zz) q = (quat){ww, wx, wy, wz};
    else if (xx >= yy && xx >= zz) q = (quat){wx, xx, xy, xz};
    else if (yy >= zz) q = (quat){wy, xy, yy, yz};
    else q = (quat){wz, xz, yz, zz};
    if (q.w < 0.0) q = (quat){-q.w, -q.x, -q.y, -q.z};
    return quat_normalise(q);
}

// R(q) v, any length: v + 2/(q'q) (w (e x v) + e x (e x v)) with e = (x, y, z).
static inline vec3 quat_rotate(quat q, vec3 v) {
    vec3 e = quat_vector(q);
    vec3 t = vec3_scale(vec3_cross(e, v), 2.0 / quat_norm2(q));
    return vec3_add(vec3_madd(v, q.w, t), vec3_cross(e, t));
}

// dq/ds = q (0, u) / 2, u in the body frame, Till 2019 (9).
static inline quat quat_rate(quat q, vec3 u) {
    vec3 e = quat_vector(q);
    vec3 d = vec3_madd(vec3_cross(e, u), q.w, u);
    return (quat){-0.5 * vec3_dot(e, u), 0.5 * d.x, 0.5 * d.y, 0.5 * d.z};
}

// Of a rotation vector. Below 1e-8 the next term of sin(t/2)/t, t^2/48, is lost in rounding.
static inline quat quat_exp(vec3 v) {
    double t = vec3_norm(v);
    double s = t < 1e-8 ? 0.5 : sin(0.5 * t) / t;
    return quat_make(cos(0.5 * t), vec3_scale(v, s));
}

// Rotation vector of length 0 .. pi, any length of q. q and -q give the same, except at exactly
// half a turn, where both signs of the axis are right. Zero gives zero.
static inline vec3 quat_log(quat q) {
    vec3 e = quat_vector(q);
    double n = vec3_norm(e);
    double w = fabs(q.w);
    if (n == 0.0) return vec3_zero();
    // n/w < 1e-8: atan(n/w) = n/w (1 - (n/w)^2/3 ...), and n may be subnormal.
    double s = n < 1e-8 * w ? 2.0 / w : 2.0 * atan2(n, w) / n;
    return vec3_scale(e, q.w < 0.0 ? -s : s);
}

// Some unit vector at right angles to unit a: across the axis where a is smallest.
static inline vec3 vec3_perpendicular(vec3 a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    vec3 e = x <= y && x <= z ? (vec3){1.0, 0.0, 0.0}
             : y <= z         ? (vec3){0.0, 1.0, 0.0}
                              : (vec3){0.0, 0.0, 1.0};
    vec3 p = vec3_cross(a, e);
    return vec3_scale(p, 1.0 / vec3_norm(p));
}

// Takes unit a to unit b, a.b >= 0: (1 + cos t, sin t axis) is twice cos(t/2) times the half turn.
static inline quat quat_between_near(vec3 a, vec3 b) {
    return quat_normalise(quat_make(1.0 + vec3_dot(a, b), vec3_cross(a, b)));
}

// The shortest rotation that takes direction a to direction b, of any lengths. Beyond a right
// angle first half a turn about the common normal, then the small rest, since 1 + cos t cancels;
// exactly opposite directions turn about some perpendicular. A zero vector gives the identity.
static inline quat quat_between(vec3 a, vec3 b) {
    double na = vec3_norm(a), nb = vec3_norm(b);
    if (!(na > 0.0) || !(nb > 0.0)) return quat_identity();
    a = (vec3){a.x / na, a.y / na, a.z / na};
    b = (vec3){b.x / nb, b.y / nb, b.z / nb};
    if (vec3_dot(a, b) >= 0.0) return quat_between_near(a, b);
    // Of almost opposite directions the cross product is part rounding: take out what lies along a.
    vec3 p = vec3_cross(a, b);
    p = vec3_madd(p, -vec3_dot(p, a), a);
    double np = vec3_norm(p);
    p = np > 1e-15 ? vec3_scale(p, 1.0 / np) : vec3_perpendicular(a);
    return quat_normalise(quat_mul(quat_between_near(vec3_neg(a), b), quat_make(0.0, p)));
}
