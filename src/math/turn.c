// math/turn.c - rotations by a rotation vector or by the vector part of a quaternion.
#include "math/turn.h"
#include "math/pi.h"

#define LEAST_SCALAR 1e-3  // of a quaternion: beyond the range numbers stay finite

// A polynomial and its first two derivatives.
static void horner(int n, const double *c, double x, double out[3]) {
    double p = c[n - 1], d = 0.0, half = 0.0;
    for (int i = n - 2; i >= 0; i--) {
        half = half * x + d;
        d = d * x + p;
        p = p * x + c[i];
    }
    out[0] = p;
    out[1] = d;
    out[2] = 2.0 * half;
}

// (-1)^k/(2k + 2)! and (-1)^k/(2k + 3)!: to rounding for x up to 1.
#define TERMS 11
static const double c1_series[TERMS] = {0.5,
                                        -0.041666666666666664,
                                        0.001388888888888889,
                                        -2.48015873015873e-05,
                                        2.755731922398589e-07,
                                        -2.08767569878681e-09,
                                        1.1470745597729725e-11,
                                        -4.779477332387385e-14,
                                        1.5619206968586225e-16,
                                        -4.110317623312165e-19,
                                        8.896791392450574e-22};
static const double c2_series[TERMS] = {
    0.16666666666666666,   -0.008333333333333333,   0.0001984126984126984, -2.7557319223985893e-06,
    2.505210838544172e-08, -1.6059043836821613e-10, 7.647163731819816e-13, -2.8114572543455206e-15,
    8.22063524662433e-18,  -1.9572941063391263e-20, 3.868170170630684e-23};

// c1 = (1 - cos t)/t^2 and c2 = (t - sin t)/t^3 with derivatives by x = t^2. sin t/t = 1 - x c2.
static void vector_functions(double x, double c1[3], double c2[3], turn *t) {
    if (x < 1.0) {
        horner(TERMS, c1_series, x, c1);
        horner(TERMS, c2_series, x, c2);
    } else {
        const double angle = sqrt(x), s = sin(angle) / angle, over = 0.5 / x;
        c1[0] = (1.0 - cos(angle)) / x;
        c2[0] = (1.0 - s) / x;
        c1[1] = (s - 2.0 * c1[0]) * over;
        c2[1] = (c1[0] - 3.0 * c2[0]) * over;
        c1[2] = (0.5 * (c2[0] - c1[0]) - 4.0 * c1[1]) * over;
        c2[2] = (c1[1] - 5.0 * c2[1]) * over;
    }
    double *const to[3] = {t->f, t->f_x, t->f_xx};
    for (int d = 0; d < 3; d++) {
        to[d][0] = d == 0 ? 1.0 - x * c2[0] : 0.5 * (c2[d - 1] - c1[d - 1]);
        to[d][1] = -c1[d];
        to[d][2] = c2[d];
    }
}

static void quaternion_functions(double q0, turn *t) {
    const double c = 1.0 / q0, c3 = c * c * c;
    const double f[3] = {2.0 * q0, -2.0, 2.0 * c}, f_x[3] = {-c, 0.0, c3};
    const double f_xx[3] = {-0.5 * c3, 0.0, 1.5 * c3 * c * c};
    for (int i = 0; i < 3; i++) {
        t->f[i] = f[i];
        t->f_x[i] = f_x[i];
        t->f_xx[i] = f_xx[i];
    }
}

// f0 + f1 a^ + f2 a a'
static mat3 combined(const double f[3], vec3 a) {
    mat3 m = mat3_outer(vec3_scale(a, f[2]), a), hat = mat3_hat(vec3_scale(a, f[1]));
    m = mat3_add(&m, &hat);
    for (int i = 0; i < 3; i++) m.m[i][i] += f[0];
    return m;
}

turn turn_make(turn_kind kind, vec3 a) {
    turn t = {.a = a};
    const double x = vec3_dot(a, a);
    if (kind == TURN_VECTOR) {
        double c1[3], c2[3];
        vector_functions(x, c1, c2, &t);
        t.R = combined((const double[3]){1.0 - x * c1[0], t.f[0], c1[0]}, a);
    } else {
        const double q0 = sqrt(fmax(1.0 - x, LEAST_SCALAR * LEAST_SCALAR));
        t.R = quat_to_mat3(quat_make(q0, a));
        quaternion_functions(q0, &t);
    }
    t.T = combined(t.f, a);
    return t;
}

// ---------------------------------------------------------------- derivatives of T
// y a' + c^ + f2 ((a . b) + a b'): what the derivatives of T b and of T' m have in common.
static mat3 by_parameters(const turn *t, vec3 y, vec3 c, vec3 b) {
    mat3 out = mat3_outer(vec3_scale(y, 2.0), t->a), hat = mat3_hat(vec3_scale(c, t->f[1]));
    mat3 outer = mat3_outer(vec3_scale(t->a, t->f[2]), b);
    out = mat3_add(&out, &hat);
    out = mat3_add(&out, &outer);
    for (int i = 0; i < 3; i++) out.m[i][i] += t->f[2] * vec3_dot(t->a, b);
    return out;
}

mat3 turn_along(const turn *t, vec3 d) {
    const double rate = 2.0 * vec3_dot(t->a, d);
    mat3 slope = combined(t->f_x, t->a), hat = mat3_hat(vec3_scale(d, t->f[1]));
    mat3 da = mat3_outer(vec3_scale(d, t->f[2]), t->a), ad = mat3_transpose(&da);
    mat3 out = mat3_scale(&slope, rate);
    out = mat3_add(&out, &hat);
    out = mat3_add(&out, &da);
    return mat3_add(&out, &ad);
}

mat3 turn_by(const turn *t, vec3 b) {
    mat3 slope = combined(t->f_x, t->a);
    return by_parameters(t, mat3_mul_vec(&slope, b), vec3_neg(b), b);
}

mat3 turn_back_by(const turn *t, vec3 m) {
    mat3 slope = combined(t->f_x, t->a);
    return by_parameters(t, mat3_tmul_vec(&slope, m), m, m);
}

mat3 turn_second(const turn *t, vec3 m, vec3 b) {
    const vec3 a = t->a;
    const double mb = vec3_dot(m, b), ma = vec3_dot(m, a), ab = vec3_dot(a, b);
    const double tri = vec3_dot(m, vec3_cross(a, b));
    const double first = t->f_x[0] * mb + t->f_x[1] * tri + t->f_x[2] * ma * ab;
    const double second = t->f_xx[0] * mb + t->f_xx[1] * tri + t->f_xx[2] * ma * ab;
    vec3 g = vec3_scale(vec3_cross(b, m), t->f_x[1]);
    g = vec3_madd(g, t->f_x[2] * ab, m);
    g = vec3_madd(g, t->f_x[2] * ma, b);
    // 4 second a a' + 2 (a g' + g a') + f2 (m b' + b m') + 2 first, as y + y'
    mat3 y = mat3_outer(a, vec3_madd(vec3_scale(g, 2.0), 2.0 * second, a));
    mat3 mb_outer = mat3_outer(vec3_scale(m, t->f[2]), b);
    y = mat3_add(&y, &mb_outer);
    mat3 back = mat3_transpose(&y), out = mat3_add(&y, &back);
    for (int i = 0; i < 3; i++) out.m[i][i] += 2.0 * first;
    return out;
}

// ---------------------------------------------------------------- range
double turn_angle(turn_kind kind, vec3 a) {
    const double size = vec3_norm(a);
    return kind == TURN_VECTOR ? size : 2.0 * asin(fmin(size, 1.0));
}

double turn_most(turn_kind kind) {
    return kind == TURN_VECTOR ? 0.98 * 2.0 * PI : 0.97 * PI;
}

vec3 turn_parameters(turn_kind kind, const mat3 *R, vec3 near) {
    if (kind == TURN_QUATERNION) return quat_vector(quat_from_mat3(R));
    vec3 a = so3_log(R);
    const double size = vec3_norm(a);
    if (size < 1e-9) {  // whole turns have no axis of their own: that of `near`
        const double turns = round(vec3_norm(near) / (2.0 * PI));
        return turns > 0.0 ? vec3_scale(near, turns * 2.0 * PI / vec3_norm(near)) : a;
    }
    const vec3 axis = vec3_scale(a, 1.0 / size);
    const double turns = round((vec3_dot(axis, near) - size) / (2.0 * PI));
    return vec3_scale(axis, size + 2.0 * PI * turns);
}
