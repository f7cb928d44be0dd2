// math/se3.c - exponential, logarithm and their derivatives on SO(3) and SE(3), Magnus steps.
//
// Every coefficient is one of the functions (t the angle)
//
//     c_k(t) = 1/k! - t^2/(k+2)! + t^4/(k+4)! - ...      c_1 = sin t / t,  c_2 = (1 - cos t)/t^2
//     c_k = 1/k! - t^2 c_(k+2)
//
// or a combination without cancellation. A twist is a rotation vector of dual numbers, u + e v with
// e^2 = 0, so what holds on SO(3) holds on SE(3) with the coefficient f(|u|) replaced by
// f + e (u.v) f'/t: that gives the lower left blocks in closed form.
#include "math/se3.h"

typedef struct series_values {
    double c1, c2, c3, c4, c5, c6;
} series_values;

// t^2 below which the series is used. At t = 2 ten terms leave a relative error of 1e-17 (nine
// would show in the last digit of sin t). From there on the closed forms divide differences by
// t^2 >= 4 and so shrink rounding errors instead of amplifying them. Everything is a function of
// t^2, so tiny angles may underflow there and still give the exact limits.
#define SERIES_BELOW 4.0

// c_5 and c_6 from their series; the rest follows downwards, where the recursion is stable.
static series_values series(double t2) {
    static const double r5[10] = {1.0 / 120,
                                  -1.0 / 5040,
                                  1.0 / 362880,
                                  -1.0 / 39916800,
                                  1.0 / 6227020800,
                                  -1.0 / 1307674368000,
                                  1.0 / 355687428096000,
                                  -1.0 / 121645100408832000,
                                  1.0 / 51090942171709440000.0,
                                  -1.0 / 25852016738884976640000.0};
    static const double r6[10] = {1.0 / 720,
                                  -1.0 / 40320,
                                  1.0 / 3628800,
                                  -1.0 / 479001600,
                                  1.0 / 87178291200,
                                  -1.0 / 20922789888000,
                                  1.0 / 6402373705728000,
                                  -1.0 / 2432902008176640000,
                                  1.0 / 1124000727777607680000.0,
                                  -1.0 / 620448401733239439360000.0};
    // Even and odd powers apart: half the length of the chain of operations.
    double t4 = t2 * t2;
    double even5 = r5[8], odd5 = r5[9], even6 = r6[8], odd6 = r6[9];
    for (int k = 6; k >= 0; k -= 2) {
        even5 = even5 * t4 + r5[k];
        odd5 = odd5 * t4 + r5[k + 1];
        even6 = even6 * t4 + r6[k];
        odd6 = odd6 * t4 + r6[k + 1];
    }
    series_values c = {.c5 = even5 + t2 * odd5, .c6 = even6 + t2 * odd6};
    c.c4 = 1.0 / 24 - t2 * c.c6;
    c.c3 = 1.0 / 6 - t2 * c.c5;
    c.c2 = 0.5 - t2 * c.c4;
    c.c1 = 1.0 - t2 * c.c3;
    return c;
}

typedef struct coefficients {
    double c1, c2, c3;
    double d2;  // c_2'/t = (c_1 - 2 c_2)/t^2 = 2 c_4 - c_3
    double d3;  // c_3'/t = (c_2 - 3 c_3)/t^2 = 3 c_5 - c_4
} coefficients;

// The half angle keeps the relative precision of c_1 and c_2 also near whole turns.
static coefficients coefficients_at(double t2) {
    if (t2 < SERIES_BELOW) {
        series_values c = series(t2);
        return (coefficients){c.c1, c.c2, c.c3, 2.0 * c.c4 - c.c3, 3.0 * c.c5 - c.c4};
    }
    double t = sqrt(t2), s = sin(0.5 * t);
    coefficients c = {.c1 = 2.0 * s * cos(0.5 * t) / t, .c2 = 2.0 * s * s / t2};
    c.c3 = (1.0 - c.c1) / t2;
    c.d2 = (c.c1 - 2.0 * c.c2) / t2;
    c.d3 = (c.c2 - 3.0 * c.c3) / t2;
    return c;
}

// e(t) = (1 - (t/2) cot(t/2))/t^2, the coefficient of hat(u)^2 in dexp_inv, and e'/t.
typedef struct inverse_coefficients {
    double e, de;
} inverse_coefficients;

static inverse_coefficients inverse_coefficients_at(double t2) {
    if (t2 < SERIES_BELOW) {
        // 2 c_2 - c_1 = t^2 f with f = c_3 - 2 c_4 takes the difference out of
        // e = (1 - c_1/(2 c_2))/t^2 = f/(2 c_2); then c_2'/t = -f and f'/t = 5 c_5 - c_4 - 8 c_6.
        series_values c = series(t2);
        double e = (c.c3 - 2.0 * c.c4) / (2.0 * c.c2);
        double df = 5.0 * c.c5 - c.c4 - 8.0 * c.c6;
        return (inverse_coefficients){e, df / (2.0 * c.c2) + 2.0 * e * e};
    }
    double h = 0.5 * sqrt(t2), g = h * cos(h) / sin(h);
    double e = (1.0 - g) / t2;
    return (inverse_coefficients){e, (0.25 - (2.0 + g) * e) / t2};
}

// ---------------------------------------------------------------- mat6
mat6 mat6_identity(void) {
    mat6 c = {0};
    for (int i = 0; i < 6; i++) c.m[i][i] = 1.0;
    return c;
}

vec6 mat6_mul_vec(const mat6 *a, vec6 x) {
    double v[6], y[6] = {0};
    vec6_store(v, x);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) y[i] += a->m[i][j] * v[j];
    return vec6_load(y);
}

mat6 mat6_mul(const mat6 *a, const mat6 *b) {
    mat6 c = {0};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++) c.m[i][j] += a->m[i][k] * b->m[k][j];
    return c;
}

mat6 mat6_transpose(const mat6 *a) {
    mat6 c;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) c.m[i][j] = a->m[j][i];
    return c;
}

// [diagonal 0; lower diagonal]
static mat6 lower_blocks(const mat3 *diagonal, const mat3 *lower) {
    mat6 c = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = c.m[i + 3][j + 3] = diagonal->m[i][j];
            c.m[i + 3][j] = lower->m[i][j];
        }
    return c;
}

mat6 se3_ad_matrix(vec6 x) {
    mat3 u = mat3_hat(x.a), v = mat3_hat(x.l);
    return lower_blocks(&u, &v);
}

mat6 se3_adjoint(const se3 *g) {
    mat3 p = mat3_hat(g->p), pr = mat3_mul(&p, &g->R);
    return lower_blocks(&g->R, &pr);
}

// ---------------------------------------------------------------- exp and dexp
// 1 + b hat(u) + c hat(u)^2. The diagonal of hat(u)^2 is written as a sum of squares, so that it
// is not the difference u_i^2 - |u|^2.
static mat3 hat_polynomial(vec3 u, double b, double c) {
    double xx = c * u.x * u.x, yy = c * u.y * u.y, zz = c * u.z * u.z;
    double xy = c * u.x * u.y, xz = c * u.x * u.z, yz = c * u.y * u.z;
    vec3 w = vec3_scale(u, b);
    return (mat3){{{1.0 - (yy + zz), xy - w.z, xz + w.y},
                   {xy + w.z, 1.0 - (xx + zz), yz - w.x},
                   {xz - w.y, yz + w.x, 1.0 - (xx + yy)}}};
}

// The part along e of hat_polynomial at u + e v, where db = b'/t and dc = c'/t:
// b hat(v) + c (hat(u) hat(v) + hat(v) hat(u)) + (u.v) (db hat(u) + dc hat(u)^2).
static mat3 hat_polynomial_dual(vec3 u, vec3 v, double b, double c, double db, double dc) {
    double d = vec3_dot(u, v), dcd = dc * d;
    vec3 w = vec3_madd(vec3_scale(v, b), db * d, u);
    double xx = 2.0 * c * u.x * v.x + dcd * u.x * u.x;
    double yy = 2.0 * c * u.y * v.y + dcd * u.y * u.y;
    double zz = 2.0 * c * u.z * v.z + dcd * u.z * u.z;
    double xy = c * (u.x * v.y + u.y * v.x) + dcd * u.x * u.y;
    double xz = c * (u.x * v.z + u.z * v.x) + dcd * u.x * u.z;
    double yz = c * (u.y * v.z + u.z * v.y) + dcd * u.y * u.z;
    return (mat3){{{-(yy + zz), xy - w.z, xz + w.y},
                   {xy + w.z, -(xx + zz), yz - w.x},
                   {xz - w.y, yz + w.x, -(xx + yy)}}};
}

mat3 so3_exp(vec3 u) {
    coefficients c = coefficients_at(vec3_dot(u, u));
    return hat_polynomial(u, c.c1, c.c2);
}

vec3 so3_log(const mat3 *R) {
    return quat_log(quat_from_mat3(R));
}

mat3 so3_dexp(vec3 u) {
    coefficients c = coefficients_at(vec3_dot(u, u));
    return hat_polynomial(u, c.c2, c.c3);
}

mat3 so3_dexp_right(vec3 u) {
    return so3_dexp(vec3_neg(u));
}

mat3 so3_dexp_inv(vec3 u) {
    return hat_polynomial(u, -0.5, inverse_coefficients_at(vec3_dot(u, u)).e);
}

// R = exp(u), p = dexp_u v.
se3 se3_exp(vec6 x) {
    coefficients c = coefficients_at(vec3_dot(x.a, x.a));
    vec3 uv = vec3_cross(x.a, x.l);
    vec3 p = vec3_madd(vec3_madd(x.l, c.c2, uv), c.c3, vec3_cross(x.a, uv));
    return (se3){hat_polynomial(x.a, c.c1, c.c2), p};
}

// cos(t/2) = sqrt(1 - t^2 c_2/2) and sin(t/2)/t = c_1/(2 cos(t/2)), far from half a turn.
vec3 se3_exp_turn(vec6 x, quat *turn) {
    const double t2 = vec3_dot(x.a, x.a);
    const coefficients c = coefficients_at(t2);
    const double half = sqrt(fmax(0.0, 1.0 - 0.5 * t2 * c.c2));
    *turn = t2 < SERIES_BELOW ? quat_make(half, vec3_scale(x.a, 0.5 * c.c1 / half)) : quat_exp(x.a);
    const vec3 uv = vec3_cross(x.a, x.l);
    return vec3_madd(vec3_madd(x.l, c.c2, uv), c.c3, vec3_cross(x.a, uv));
}

// v = dexp_inv_u p.
vec6 se3_log(const se3 *g) {
    vec3 u = so3_log(&g->R);
    double e = inverse_coefficients_at(vec3_dot(u, u)).e;
    vec3 up = vec3_cross(u, g->p);
    return (vec6){u, vec3_madd(vec3_madd(g->p, -0.5, up), e, vec3_cross(u, up))};
}

mat6 se3_dexp(vec6 x) {
    coefficients c = coefficients_at(vec3_dot(x.a, x.a));
    mat3 diagonal = hat_polynomial(x.a, c.c2, c.c3);
    mat3 lower = hat_polynomial_dual(x.a, x.l, c.c2, c.c3, c.d2, c.d3);
    return lower_blocks(&diagonal, &lower);
}

mat6 se3_dexp_right(vec6 x) {
    return se3_dexp(vec6_neg(x));
}

void se3_dexp_right_inv_blocks(vec6 x, mat3 *diagonal, mat3 *lower) {
    const inverse_coefficients c = inverse_coefficients_at(vec3_dot(x.a, x.a));
    *diagonal = hat_polynomial(x.a, 0.5, c.e);
    *lower = hat_polynomial_dual(x.a, x.l, 0.5, c.e, 0.0, c.de);
}

mat6 se3_dexp_right_inv(vec6 x) {
    mat3 diagonal, lower;
    se3_dexp_right_inv_blocks(x, &diagonal, &lower);
    return lower_blocks(&diagonal, &lower);
}

// ---------------------------------------------------------------- Magnus steps
// Iserles et al., Acta Numerica 2000, for g' = g xi^; in the more usual Y' = A Y every odd bracket
// has the other sign.
vec6 se3_magnus4(double d, vec6 g1, vec6 g2) {
    const double r = 0.14433756729740644113;  // sqrt(3)/12
    vec6 mean = vec6_scale(vec6_add(g1, g2), 0.5 * d);
    return vec6_madd(mean, r * d * d, se3_ad(g1, g2));
}

// Blanes, Casas & Ros 2000, likewise turned round. With y_k the moments of xi about the middle,
//     psi = y1 + y3/12 + [y1,y2]/12 - [y2,y3]/240 + [y1,[y1,y3]]/360 - [y2,[y1,y2]]/240
//           - [y1,[y1,[y1,y2]]]/720
// up to terms of order 7, in three brackets instead of six.
vec6 se3_magnus6(double d, vec6 g1, vec6 g2, vec6 g3) {
    const double r = 1.2909944487358056284;  // sqrt(15)/3
    vec6 y1 = vec6_scale(g2, d);
    vec6 y2 = vec6_scale(vec6_sub(g3, g1), r * d);
    vec6 y3 = vec6_scale(vec6_madd(vec6_add(g1, g3), -2.0, g2), 10.0 / 3.0 * d);
    vec6 b = se3_ad(y1, y2);
    vec6 c = se3_ad(y1, vec6_sub(vec6_scale(y3, 2.0), b));
    vec6 left = vec6_add(vec6_madd(y3, 20.0, y1), b);
    vec6 psi = vec6_madd(y1, 1.0 / 12.0, y3);
    return vec6_madd(psi, 1.0 / 240.0, se3_ad(left, vec6_madd(y2, 1.0 / 60.0, c)));
}
