// model/cosserat/chebyshev/equations.c - from the curvatures to the residual, its derivatives, and
// the shape.
#include <string.h>

#include "model/cosserat/chebyshev/chebyshev.h"

typedef struct section {  // of the whole rod
    vec3 K, u_rest, v_rest;
    vec3 force, moment;  // at the tip, world
} section;

static section section_of(const rod_problem *p) {
    const station *st = &p->r->elements[0].stations[0];
    const element_loads *load = &p->m->loads[0];
    return (section){vec3_load(st->K), st->u_rest, st->v_rest, load->end_world.force,
                     load->end_world.moment};
}

static vec3 over(vec3 a, vec3 K) {
    return vec3_make(a.x / K.x, a.y / K.y, a.z / K.z);
}

// K^-1 a
static mat3 rows_over(const mat3 *a, vec3 K) {
    mat3 inverse = mat3_diag(vec3_make(1.0 / K.x, 1.0 / K.y, 1.0 / K.z));
    return mat3_mul(&inverse, a);
}

// Sum of row_j x_j.
static vec3 interpolate(const double *row, const double *x, int n) {
    vec3 sum = vec3_zero();
    for (int j = 0; j < n; j++) sum = vec3_madd(sum, row[j], vec3_load(x + 3 * j));
    return sum;
}

// ---------------------------------------------------------------- one Magnus step
typedef struct rotation_step {
    mat3 turn;       // exp(psi)
    mat3 answer[3];  // dexp_(-psi) d psi against the curvature at each Magnus point, times 1/L
} rotation_step;

static rotation_step step_of(const chebyshev_table *t, const section *s, const double *x, int k,
                             double length, bool jacobian) {
    vec3 g[3], psi;
    mat3 derivatives[3];
    rotation_step out;
    for (int i = 0; i < t->points; i++)
        g[i] = vec3_scale(
            vec3_add(s->u_rest, interpolate(t->rows + (k * t->points + i) * t->n, x, t->n)),
            length);
    psi = magnus_rotation(t->points, t->d[k], g, derivatives);
    out.turn = so3_exp(psi);
    if (!jacobian) return out;
    mat3 dexp = so3_dexp_right(psi);
    for (int i = 0; i < t->points; i++) out.answer[i] = mat3_mul(&dexp, &derivatives[i]);
    return out;
}

// turn_j = exp(-psi) turn_j + sum over the points of l_j answer
static void carry_turns(const chebyshev_table *t, const rotation_step *step, int k, mat3 *turn) {
    const double *rows = t->rows + k * t->points * t->n;
    for (int j = 0; j < t->n; j++) {
        turn[j] = mat3_tmul(&step->turn, &turn[j]);
        for (int i = 0; i < t->points; i++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    turn[j].m[a][b] += rows[i * t->n + j] * step->answer[i].m[a][b];
    }
}

// ---------------------------------------------------------------- rows
// Row block i of J: weights_j I + lever turn_j.
static void put_row(const chebyshev_table *t, int i, const double *weights, const mat3 *lever,
                    const mat3 *turn, double *J) {
    const int width = 3 * t->n;
    for (int j = 0; j < t->n; j++) {
        mat3 block = mat3_mul(lever, &turn[j]);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                J[(3 * i + a) * width + 3 * j + b] = block.m[a][b] + (a == b ? weights[j] : 0.0);
    }
}

// L^2 (x' + K^-1 (u x K x + v* x R' f)) at node i: Orekhov 2020 (4), with a rest curvature.
static void node_row(const rod_problem *p, const section *s, const mat3 *R, int i, bool jacobian,
                     chebyshev_memory *m) {
    const chebyshev_table *t = chebyshev_of(p->r);
    const double L = p->r->length, *D = t->D + i * t->n;
    const vec3 x = vec3_load(m->x + 3 * i), u = vec3_add(s->u_rest, x), Kx = vec3_mul(s->K, x);
    const vec3 f = mat3_tmul_vec(R, s->force);
    vec3 g = over(vec3_add(vec3_cross(u, Kx), vec3_cross(s->v_rest, f)), s->K);
    vec3 r = vec3_madd(vec3_scale(interpolate(D, m->x, t->n), L), L * L, g);
    vec3_store(m->residual + 3 * i, r);
    if (!jacobian) return;

    mat3 v_hat = mat3_hat(s->v_rest), f_hat = mat3_hat(f), v_f = mat3_mul(&v_hat, &f_hat);
    mat3 lever = rows_over(&v_f, s->K);
    lever = mat3_scale(&lever, L * L);
    put_row(t, i, D, &lever, m->turn, m->J);
    mat3 u_hat = mat3_hat(u), K = mat3_diag(s->K), u_K = mat3_mul(&u_hat, &K);
    mat3 Kx_hat = mat3_hat(Kx), own = mat3_sub(&u_K, &Kx_hat);
    own = rows_over(&own, s->K);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) m->J[(3 * i + a) * 3 * t->n + 3 * i + b] += L * own.m[a][b];
}

// L (x(L) - K^-1 R' m) in place of the node nearest the tip: Orekhov 2020 (5), (13).
static void tip_row(const rod_problem *p, const section *s, const mat3 *R, bool jacobian,
                    chebyshev_memory *m) {
    const chebyshev_table *t = chebyshev_of(p->r);
    const double L = p->r->length;
    const int i = t->n - 1;
    const vec3 moment = mat3_tmul_vec(R, s->moment);
    vec3 r = vec3_sub(interpolate(t->tip, m->x, t->n), over(moment, s->K));
    vec3_store(m->residual + 3 * i, vec3_scale(r, L));
    if (!jacobian) return;
    mat3 m_hat = mat3_hat(moment), lever = rows_over(&m_hat, s->K);
    lever = mat3_scale(&lever, -L);
    put_row(t, i, t->tip, &lever, m->turn, m->J);
}

bool chebyshev_residual(const rod_problem *p, chebyshev_memory *m, bool jacobian) {
    const chebyshev_table *t = chebyshev_of(p->r);
    const section s = section_of(p);
    const int n = t->n;
    mat3 R = quat_to_mat3(p->base.h);
    if (jacobian) memset(m->turn, 0, sizeof *m->turn * (size_t)n);
    for (int k = 0; k <= n; k++) {
        rotation_step step = step_of(t, &s, m->x, k, p->r->length, jacobian);
        R = mat3_mul(&R, &step.turn);
        if (jacobian) carry_turns(t, &step, k, m->turn);
        if (k < n - 1) node_row(p, &s, &R, k, jacobian, m);
    }
    tip_row(p, &s, &R, jacobian, m);
    double sum = 0.0;
    for (int i = 0; i < 3 * n; i++) sum += m->residual[i] * 0.0;
    return sum == 0.0;
}

// ---------------------------------------------------------------- the shape
static void store_state(double *y, const se3 *T, vec3 force, vec3 moment) {
    memset(y, 0, sizeof(double) * Y_SIZE);
    vec3_store(y + Y_P, T->p);
    quat_store(y + Y_H, quat_from_mat3(&T->R));
    vec3_store(y + Y_N, force);
    vec3_store(y + Y_M, moment);
}

static se3 pose_step(const chebyshev_table *t, const section *s, const double *x, int k,
                     double length) {
    vec6 g[3];
    for (int i = 0; i < t->points; i++) {
        vec3 dx = interpolate(t->rows + (k * t->points + i) * t->n, x, t->n);
        g[i] = vec6_make(vec3_add(s->u_rest, dx), s->v_rest);
    }
    return se3_exp(magnus_exponent(t->points, length * t->d[k], g));
}

bool chebyshev_publish(const rod_problem *p, const chebyshev_memory *m) {
    const chebyshev_table *t = chebyshev_of(p->r);
    const section s = section_of(p);
    const se3 base = {quat_to_mat3(p->base.h), p->base.p};
    se3 T = base;
    for (int k = 0; k <= t->n; k++) {
        se3 step = pose_step(t, &s, m->x, k, p->r->length);
        T = se3_mul(&T, &step);
        if (k == t->n) break;
        vec3 x = vec3_load(m->x + 3 * k);
        store_state(p->m->trial + k * Y_SIZE, &T, s.force, mat3_mul_vec(&T.R, vec3_mul(s.K, x)));
        double *strain = p->m->strains + 6 * k;
        memset(strain, 0, 6 * sizeof(double));
        vec3_store(strain, x);
    }
    vec3 lever = vec3_cross(vec3_sub(T.p, base.p), s.force);
    store_state(p->m->trial_bounds, &base, s.force, vec3_add(s.moment, lever));
    store_state(p->m->trial_bounds + Y_SIZE, &T, s.force, s.moment);
    return vec3_is_finite(T.p);
}
