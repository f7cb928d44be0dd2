// model/lumped/joint.c - kinematics of one segment in relative coordinates.
#include "model/lumped/relative.h"

// c_k(x) = sum (-x)^j/(2j + k)!: c2 = (1 - cos t)/t^2, c3 = (t - sin t)/t^3, and the next two.
static void coefficients(double x, double c[4]) {
    if (x < 1.0) {
        for (int k = 0; k < 4; k++) {
            double term = k == 0 ? 0.5 : k == 1 ? 1.0 / 6.0 : k == 2 ? 1.0 / 24.0 : 1.0 / 120.0;
            c[k] = 0.0;
            for (int j = 0; j < 10; j++) {
                c[k] += term;
                term *= -x / ((2 * j + k + 3) * (2 * j + k + 4));
            }
        }
        return;
    }
    double t = sqrt(x);
    c[0] = (1.0 - cos(t)) / x;
    c[1] = (t - sin(t)) / (x * t);
    c[2] = (0.5 - c[0]) / x;
    c[3] = (1.0 / 6.0 - c[1]) / x;
}

typedef struct spinning {  // a rotation and its rate
    mat3 R, spin;
    vec3 turn, turn_rate;
} spinning;

// Sadati 2019 (2) corrected, exp(a^): spin = 1 - c2 a^ + c3 a^ a^; dc_k/dx = (k c_(k+2) - c_(k+1))/2.
static spinning by_vector(vec3 a, vec3 a_t) {
    double c[4];
    coefficients(vec3_dot(a, a), c);
    double along = 2.0 * vec3_dot(a, a_t);
    double c2_t = along * (c[2] - 0.5 * c[1]), c3_t = along * (1.5 * c[3] - 0.5 * c[2]);
    vec3 n = vec3_cross(a, a_t), nn = vec3_cross(a, n), tn = vec3_cross(a_t, n);
    spinning out = {.R = so3_exp(a), .spin = so3_dexp_right(a)};
    out.turn = mat3_mul_vec(&out.spin, a_t);
    // d/dt of a_t - c2 n + c3 a x n with a_tt = 0: n_t = 0
    out.turn_rate = vec3_madd(vec3_scale(n, -c2_t), c3_t, nn);
    out.turn_rate = vec3_madd(out.turn_rate, c[1], tn);
    return out;
}

// Sadati 2019 (2), but of length 1 (errata, Eq. 2), (1, a/2)/|..|: spin = (1 - a^/2)/(1 + a'a/4)
static spinning by_quaternion(vec3 a, vec3 a_t) {
    double k = 1.0 / (1.0 + 0.25 * vec3_dot(a, a));
    mat3 one = mat3_identity(), half = mat3_hat(vec3_scale(a, -0.5)), sum = mat3_add(&one, &half);
    spinning out = {.R = quat_to_mat3(quat_make(1.0, vec3_scale(a, 0.5))),
                    .spin = mat3_scale(&sum, k)};
    out.turn = mat3_mul_vec(&out.spin, a_t);
    out.turn_rate = vec3_scale(out.turn, -0.5 * k * vec3_dot(a, a_t));
    return out;
}

// SRL of Sadati 2019, where the order of the angles does matter (errata, section II-C),
// Rz(a3) Rx(a1) Ry(a2): turn = Ry'(Rx' e3 a3_t + e1 a1_t) + e2 a2_t
static spinning by_euler(vec3 a, vec3 a_t) {
    const vec3 e1 = {1.0, 0.0, 0.0}, e2 = {0.0, 1.0, 0.0}, e3 = {0.0, 0.0, 1.0};
    mat3 Z = so3_exp(vec3_scale(e3, a.z)), X = so3_exp(vec3_scale(e1, a.x));
    mat3 Y = so3_exp(vec3_scale(e2, a.y)), ZX = mat3_mul(&Z, &X);
    vec3 first = mat3_tmul_vec(&Y, e1), third = mat3_tmul_vec(&X, e3);
    vec3 last = mat3_tmul_vec(&Y, third);
    spinning out = {.R = mat3_mul(&ZX, &Y), .spin = mat3_from_columns(first, e2, last)};
    out.turn = mat3_mul_vec(&out.spin, a_t);
    // axes that turn back as the joints behind them turn
    vec3 first_t = vec3_scale(vec3_cross(first, e2), a_t.y);
    vec3 third_t = vec3_scale(vec3_cross(third, e1), a_t.x);
    vec3 last_t = vec3_madd(mat3_tmul_vec(&Y, third_t), a_t.y, vec3_cross(last, e2));
    out.turn_rate = vec3_madd(vec3_scale(first_t, a_t.x), a_t.z, last_t);
    return out;
}

// rho of Sadati 2019 (2), p = stay eps + turned X eps: as printed stay = 1, turned = 0 (errata, Eqs. 2, 3)
static void put_far_end(joint *j, const spinning *X, double stay, double turned, vec3 eps,
                        vec3 eps_t) {
    vec3 across = vec3_cross(X->turn, eps), inner = vec3_madd(across, 2.0, eps_t);
    vec3 bend = vec3_add(vec3_cross(X->turn, inner), vec3_cross(X->turn_rate, eps));
    j->p = vec3_madd(vec3_scale(eps, stay), turned, mat3_mul_vec(&X->R, eps));
    j->p_t =
        vec3_madd(vec3_scale(eps_t, stay), turned, mat3_mul_vec(&X->R, vec3_add(across, eps_t)));
    j->p_tt = vec3_scale(mat3_mul_vec(&X->R, bend), turned);
    for (int k = 0; k < 3; k++) {
        vec3 unit = {k == 0, k == 1, k == 2};
        vec3 axis = mat3_column(&X->spin, k);
        j->p_by[k] = vec3_scale(mat3_mul_vec(&X->R, vec3_cross(axis, eps)), turned);
        j->p_by[3 + k] = vec3_madd(vec3_scale(unit, stay), turned, mat3_column(&X->R, k));
    }
}

joint joint_make(joint_kind kind, const double q[PER], const double rates[PER]) {
    vec3 a = vec3_load(q), a_t = vec3_load(rates), eps = vec3_load(q + 3);
    vec3 eps_t = vec3_load(rates + 3);
    bool euler = kind == JOINT_EULER || kind == JOINT_EULER_PRINTED;
    bool printed = kind == JOINT_VECTOR_PRINTED || kind == JOINT_EULER_PRINTED;
    spinning whole = euler ? by_euler(a, a_t) : printed ? by_quaternion(a, a_t) : by_vector(a, a_t);
    joint j = {.R = whole.R, .spin = whole.spin, .turn = whole.turn, .turn_rate = whole.turn_rate};
    if (printed) {
        put_far_end(&j, &whole, 1.0, 0.0, eps, eps_t);
    } else if (euler) {
        put_far_end(&j, &whole, 0.5, 0.5, eps, eps_t);
    } else {
        spinning half = by_vector(vec3_scale(a, 0.5), vec3_scale(a_t, 0.5));
        half.spin = mat3_scale(&half.spin, 0.5);
        put_far_end(&j, &half, 0.0, 1.0, eps, eps_t);
    }
    return j;
}
