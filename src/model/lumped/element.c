// model/lumped/element.c - see element.h.
#include "model/lumped/element.h"

#include <string.h>

// ---------------------------------------------------------------- A and T
// g = (1 - h/sin h)/x and t = tan(h/2)/(4 h), h = |phi|/2, x = |phi|^2 = 4 h^2. Below the bound the
// series are exact to rounding; above, differences lose no more than four digits of small terms.
static void corrected_factors(double x, element *e) {
    if (x < 0.05) {
        e->g = -(1.0 / 24.0 +
                 x * (7.0 / 5760.0 + x * (31.0 / 967680.0 +
                                          x * (127.0 / 154828800.0 + x * (73.0 / 3503554560.0)))));
        e->g_x = -(7.0 / 5760.0 +
                   x * (62.0 / 967680.0 + x * (381.0 / 154828800.0 + x * (292.0 / 3503554560.0))));
        e->t = 0.125 + x * (1.0 / 384.0 + x * (1.0 / 15360.0 +
                                               x * (17.0 / 10321920.0 + x * (31.0 / 743178240.0))));
        e->t_x =
            1.0 / 384.0 + x * (2.0 / 15360.0 + x * (51.0 / 10321920.0 + x * (124.0 / 743178240.0)));
        return;
    }
    double h = 0.5 * sqrt(x), sn = sin(h), cs = cos(h), y = 0.5 * h, tn = tan(y);
    double f_h = (sn - h * cs) / (sn * sn);
    e->g = (1.0 - h / sn) / x;
    e->g_x = -(f_h / (8.0 * h) + e->g) / x;
    e->t = tn / (8.0 * y);
    e->t_x = ((1.0 + tn * tn) * y - tn) / (256.0 * y * y * y);
}

// q0 of the quaternion (q0, phi/2); half a turn is as far as it goes.
static void printed_factors(double x, element *e) {
    e->g = sqrt(fmax(1.0 - 0.25 * x, 1e-12));
    e->g_x = -0.125 / e->g;
}

// v + k phi x (phi x v)
static vec3 twice_crossed(vec3 v, double k, vec3 phi) {
    return vec3_madd(v, k, vec3_cross(phi, vec3_cross(phi, v)));
}

// A v; sign -1: A' v
static vec3 times_A(const element *e, double sign, vec3 v) {
    if (!e->printed) return twice_crossed(v, e->g, e->phi);
    return vec3_madd(vec3_scale(v, e->g), -0.5 * sign, vec3_cross(e->phi, v));
}

static vec3 times_A_change(const element *e, double sign, vec3 change, vec3 v) {
    double along = 2.0 * vec3_dot(e->phi, change);
    if (e->printed)
        return vec3_madd(vec3_scale(v, e->g_x * along), -0.5 * sign, vec3_cross(change, v));
    vec3 crossed = vec3_cross(e->phi, v);
    vec3 both = vec3_add(vec3_cross(change, crossed), vec3_cross(e->phi, vec3_cross(change, v)));
    return vec3_madd(vec3_scale(both, e->g), e->g_x * along, vec3_cross(e->phi, crossed));
}

static vec3 times_T(const element *e, double sign, vec3 v) {
    if (e->printed) return vec3_scale(v, 0.5);
    return vec3_scale(vec3_cross(e->phi, v), sign * e->t);
}

static vec3 times_T_change(const element *e, double sign, vec3 change, vec3 v) {
    if (e->printed) return vec3_zero();
    double along = 2.0 * vec3_dot(e->phi, change) * e->t_x;
    vec3 by = vec3_madd(vec3_scale(change, e->t), along, e->phi);
    return vec3_scale(vec3_cross(by, v), sign);
}

// ---------------------------------------------------------------- strain and its rate
// Half the rotation of a unit q, the short way: 1 + q has its direction.
static mat3 half_of(quat q) {
    return quat_to_mat3(
        quat_make(1.0 + fabs(q.w), vec3_scale(quat_vector(q), q.w < 0.0 ? -1.0 : 1.0)));
}

// Sadati 2019 (3), as printed or corrected.
element element_make(const end_motion *a, const end_motion *b, bool printed) {
    element e = {.printed = printed};
    mat3 E = mat3_tmul(&a->R, &b->R);
    quat q = quat_from_mat3(&E);
    if (printed) {
        e.phi = vec3_scale(quat_vector(q), 2.0);
        e.R = a->R;
        printed_factors(vec3_dot(e.phi, e.phi), &e);
    } else {
        e.phi = quat_log(q);
        mat3 half = half_of(q);
        e.R = mat3_mul(&a->R, &half);
        corrected_factors(vec3_dot(e.phi, e.phi), &e);
    }
    e.eps = mat3_tmul_vec(&e.R, vec3_sub(b->p, a->p));
    e.turn_sum = mat3_tmul_vec(&e.R, vec3_scale(vec3_add(a->w, b->w), 0.5));
    e.turn_gap = mat3_tmul_vec(&e.R, vec3_sub(b->w, a->w));
    e.speed_gap = mat3_tmul_vec(&e.R, vec3_sub(b->v, a->v));
    e.turn = vec3_sub(e.turn_sum, times_T(&e, 1.0, e.turn_gap));
    e.phi_t = times_A(&e, 1.0, e.turn_gap);
    e.eps_t = vec3_add(e.speed_gap, vec3_cross(e.eps, e.turn));
    return e;
}

// Sadati 2019 (2), but as printed too the inverse of (3), whose quaternion has length 1 (errata, Eq. 2).
se3 element_across(const se3 *a, vec3 phi, vec3 eps, bool printed) {
    double x = vec3_dot(phi, phi);
    quat q =
        printed ? quat_make(sqrt(fmax(0.0, 1.0 - 0.25 * x)), vec3_scale(phi, 0.5)) : quat_exp(phi);
    mat3 E = quat_to_mat3(q), half = printed ? mat3_identity() : so3_exp(vec3_scale(phi, 0.5));
    mat3 M = mat3_mul(&a->R, &half);
    return (se3){mat3_mul(&a->R, &E), vec3_add(a->p, mat3_mul_vec(&M, eps))};
}

se3 element_pose(const element *e, const end_motion *a, double x) {
    if (e->printed) {
        quat q = quat_make(e->g, vec3_scale(e->phi, 0.5));
        mat3 part = so3_exp(vec3_scale(quat_log(q), x));
        return (se3){mat3_mul(&a->R, &part),
                     vec3_add(a->p, mat3_mul_vec(&a->R, vec3_scale(e->eps, x)))};
    }
    vec3 turn = vec3_scale(e->phi, x), rate = times_A(e, 1.0, e->eps);  // per unit x
    mat3 part = so3_exp(turn), mean = so3_dexp(turn);
    vec3 p = vec3_scale(mat3_mul_vec(&mean, rate), x);
    return (se3){mat3_mul(&a->R, &part), vec3_add(a->p, mat3_mul_vec(&a->R, p))};
}

vec6 element_strain_by(const element *e, vec6 a, vec6 b) {
    vec3 s = mat3_tmul_vec(&e->R, vec3_scale(vec3_add(a.a, b.a), 0.5));
    vec3 d = mat3_tmul_vec(&e->R, vec3_sub(b.a, a.a));
    vec3 turn = vec3_sub(s, times_T(e, 1.0, d));
    vec3 gap = mat3_tmul_vec(&e->R, vec3_sub(b.l, a.l));
    return (vec6){times_A(e, 1.0, d), vec3_add(gap, vec3_cross(e->eps, turn))};
}

// ---------------------------------------------------------------- wrenches at the ends
static vec3 inner_moment(const element *e, vec6 wrench, vec3 c) {
    return vec3_sub(times_A(e, -1.0, wrench.a), times_T(e, -1.0, c));
}

// T_b' of Sadati 2019 (7)
element_ends element_pull(const element *e, vec6 wrench) {
    vec3 c = vec3_cross(wrench.l, e->eps), mu = inner_moment(e, wrench, c);
    vec3 b = mat3_mul_vec(&e->R, vec3_madd(mu, 0.5, c));
    vec3 a = mat3_mul_vec(&e->R, vec3_madd(vec3_neg(mu), 0.5, c));
    vec3 n = mat3_mul_vec(&e->R, wrench.l);
    return (element_ends){{a, vec3_neg(n)}, {b, n}};
}

// ---------------------------------------------------------------- tangents
typedef struct direction {  // a small motion of the two ends, in M
    vec3 s, d, gap;
} direction;

typedef struct answer {  // of the moments at both ends and the force
    vec3 a, b, n;
} answer;

typedef struct load {
    vec6 wrench;
    vec3 c, mu;
    const double *stiffness, *damping;
} load;

static vec6 times6(const double *m, vec6 v) {
    double x[6], y[6];
    vec6_store(x, v);
    for (int i = 0; i < 6; i++, m += 6)
        y[i] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + m[3] * x[3] + m[4] * x[4] + m[5] * x[5];
    return vec6_load(y);
}

// Of a change of the wrench alone, and of what else is added to its c and mu.
static answer wrench_change(const element *e, vec6 change, vec3 more_c, vec3 more_mu) {
    vec3 c = vec3_add(vec3_cross(change.l, e->eps), more_c);
    vec3 mu = vec3_add(times_A(e, -1.0, change.a), more_mu);
    mu = vec3_sub(mu, times_T(e, -1.0, c));
    return (answer){vec3_madd(vec3_neg(mu), 0.5, c), vec3_madd(mu, 0.5, c), change.l};
}

// turn: of M; strain: change of (phi, eps); change: of the wrench.
static answer pull_change(const element *e, const load *l, vec3 turn, vec6 strain, vec6 change) {
    vec3 mu = vec3_sub(times_A_change(e, -1.0, strain.a, l->wrench.a),
                       times_T_change(e, -1.0, strain.a, l->c));
    answer out = wrench_change(e, change, vec3_cross(l->wrench.l, strain.l), mu);
    vec3 at_b = vec3_madd(l->mu, 0.5, l->c), at_a = vec3_sub(vec3_scale(l->c, 0.5), l->mu);
    return (answer){vec3_add(vec3_cross(turn, at_a), out.a),
                    vec3_add(vec3_cross(turn, at_b), out.b),
                    vec3_add(vec3_cross(turn, l->wrench.l), out.n)};
}

// A shift changes eps, and turns neither the ends nor M.
static answer by_shift(const element *e, const load *l, const direction *x) {
    const vec6 strain = {vec3_zero(), x->gap}, rate = {vec3_zero(), vec3_cross(x->gap, e->turn)};
    const vec6 change = vec6_add(times6(l->stiffness, strain), times6(l->damping, rate));
    return wrench_change(e, change, vec3_cross(l->wrench.l, x->gap), vec3_zero());
}

static answer by_motion(const element *e, const load *l, const direction *x) {
    vec3 turn = vec3_sub(x->s, times_T(e, 1.0, x->d));
    vec6 strain = {times_A(e, 1.0, x->d), vec3_add(x->gap, vec3_cross(e->eps, turn))};
    // What is still in the world turns against M.
    vec3 turn_gap = vec3_cross(e->turn_gap, turn), turn_sum = vec3_cross(e->turn_sum, turn);
    vec3 of_M = vec3_sub(turn_sum, vec3_add(times_T(e, 1.0, turn_gap),
                                            times_T_change(e, 1.0, strain.a, e->turn_gap)));
    vec6 rate = {vec3_add(times_A(e, 1.0, turn_gap), times_A_change(e, 1.0, strain.a, e->turn_gap)),
                 vec3_add(vec3_cross(e->speed_gap, turn),
                          vec3_add(vec3_cross(strain.l, e->turn), vec3_cross(e->eps, of_M)))};
    vec6 change = vec6_add(times6(l->stiffness, strain), times6(l->damping, rate));
    return pull_change(e, l, turn, strain, change);
}

static answer by_velocity(const element *e, const load *l, const direction *x) {
    vec3 turn = vec3_sub(x->s, times_T(e, 1.0, x->d));
    vec6 rate = {times_A(e, 1.0, x->d), vec3_add(x->gap, vec3_cross(e->eps, turn))};
    return wrench_change(e, times6(l->damping, rate), vec3_zero(), vec3_zero());
}

typedef answer answer_to(const element *e, const load *l, const direction *x);

// m (12 x 12), rows and columns (3 x 3 blocks) += factor R x R'
static void put(double *m, int row, int column, double factor, const mat3 *x) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m[12 * (3 * row + i) + 3 * column + k] += factor * x->m[i][k];
}

static mat3 turned(const mat3 *R, const vec3 columns[3]) {
    mat3 x = mat3_from_columns(columns[0], columns[1], columns[2]), y = mat3_mul(R, &x);
    mat3 Rt = mat3_transpose(R);
    return mat3_mul(&y, &Rt);
}

// One of s, d, gap against the ends: the blocks that it reaches, with their factors.
static void spread(const element *e, const answer columns[3], const double factors[4], double *m) {
    vec3 a[3], b[3], n[3];
    for (int k = 0; k < 3; k++) a[k] = columns[k].a, b[k] = columns[k].b, n[k] = columns[k].n;
    mat3 A = turned(&e->R, a), B = turned(&e->R, b), N = turned(&e->R, n);
    for (int k = 0; k < 4; k++) {
        if (factors[k] == 0.0) continue;
        put(m, 0, k, factors[k], &A);
        put(m, 1, k, -factors[k], &N);
        put(m, 2, k, factors[k], &B);
        put(m, 3, k, factors[k], &N);
    }
}

// to: what answers to s, d and gap.
static void fill(const element *e, const load *l, answer_to *const to[3], double *m) {
    static const double factors[3][4] = {
        {0.5, 0.0, 0.5, 0.0}, {-1.0, 0.0, 1.0, 0.0}, {0.0, -1.0, 0.0, 1.0}};
    memset(m, 0, sizeof(double) * 144);
    for (int part = 0; part < 3; part++) {
        answer columns[3];
        for (int k = 0; k < 3; k++) {
            vec3 unit = {k == 0, k == 1, k == 2}, none = vec3_zero();
            direction x = {part == 0 ? unit : none, part == 1 ? unit : none,
                           part == 2 ? unit : none};
            columns[k] = to[part](e, l, &x);
        }
        spread(e, columns, factors[part], m);
    }
}

void element_tangent(const element *e, vec6 wrench, const double *stiffness, const double *damping,
                     double *K, double *D) {
    load l = {.wrench = wrench, .stiffness = stiffness, .damping = damping};
    l.c = vec3_cross(wrench.l, e->eps);
    l.mu = inner_moment(e, wrench, l.c);
    static answer_to *const motion[3] = {by_motion, by_motion, by_shift};
    static answer_to *const velocity[3] = {by_velocity, by_velocity, by_velocity};
    fill(e, &l, motion, K);
    if (D) fill(e, &l, velocity, D);
}
