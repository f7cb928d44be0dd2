#include "model/cosserat/shooting/shoot.h"

#include <math.h>
#include <string.h>

#include "math/interpolate.h"
#include "model/cosserat/shooting/lanes.h"

// A section that turns by more than this over one integration step is not a rod any more: the shot
// has blown up and the rest of it would be noise.
#define MAX_TURN 3.0

// ---------------------------------------------------------------- the equations
// Everything at one point that the tangent needs again.
typedef struct point {
    const station *st;
    mat3 R;
    quat h;
    vec3 n, m, q, w, u, v;
    vec3 Rv;      // p_s
    vec3 Cu, Cv;  // compliances: dx = C d(body wrench)
    vec3 Jw;
    vec3 turn_n, turn_m;  // R(...) parts of n_s and m_s, which turn with the section
    vec3 dF;              // d(body drag)/dq, diagonal
    double c0;
} point;

static vec3 compliance(const double *K, const double *B, double c0) {
    return vec3_make(1.0 / (K[0] + c0 * B[0]), 1.0 / (K[1] + c0 * B[1]), 1.0 / (K[2] + c0 * B[2]));
}

// x = C (body wrench - B x_history): the section law solved for the strain, Till 2019 (6).
static vec3 strain_from(vec3 C, const double *B, vec3 wrench_body, const double *history) {
    return vec3_mul(C, vec3_sub(wrench_body, vec3_mul(vec3_load(B), vec3_load(history))));
}

// Compliances and strain x = (u - u*, v - v*) of the state y.
static void solve_section(const shooting *s, const station *st, const double *history,
                          const double *y, point *a, vec3 *xu, vec3 *xv) {
    a->st = st;
    a->c0 = s->c0;
    a->h = quat_load(y + Y_H);
    a->R = quat_to_mat3(a->h);
    a->n = vec3_load(y + Y_N);
    a->m = vec3_load(y + Y_M);
    a->Cu = compliance(st->K, st->B, s->c0);
    a->Cv = s->options->theory == TD_KIRCHHOFF ? vec3_zero()
                                               : compliance(st->K + 3, st->B + 3, s->c0);
    *xu = strain_from(a->Cu, st->B, mat3_tmul_vec(&a->R, a->m), history + F_U);
    *xv = strain_from(a->Cv, st->B + 3, mat3_tmul_vec(&a->R, a->n), history + F_V);
}

// d y/ds, Till 2019 (7). The strain goes to x.
static void derivative(const shooting *s, const station *st, const element_loads *load,
                       const double *history, const double *y, double *y_s, double *x, point *a) {
    vec3 xu, xv;
    solve_section(s, st, history, y, a, &xu, &xv);
    vec3_store(x, xu);
    vec3_store(x + 3, xv);
    const double c0 = s->c0;
    const vec3 q = a->q = vec3_load(y + Y_Q), w = a->w = vec3_load(y + Y_W);
    const vec3 u = a->u = vec3_add(st->u_rest, xu), v = a->v = vec3_add(st->v_rest, xv);

    // rates from the time formula, Till 2019 (5)
    vec3 u_t = vec3_madd(vec3_load(history + F_U), c0, xu);
    vec3 v_t = vec3_madd(vec3_load(history + F_V), c0, xv);
    vec3 q_t = vec3_madd(vec3_load(history + F_Q), c0, q);
    vec3 w_t = vec3_madd(vec3_load(history + F_W), c0, w);

    // momentum, drag and following loads in the body frame
    vec3 speed = vec3_make(fabs(q.x), fabs(q.y), fabs(q.z));
    vec3 drag = vec3_mul(vec3_add(vec3_mul(st->drag, speed), st->linear), q);
    a->dF = vec3_add(vec3_scale(vec3_mul(st->drag, speed), 2.0), st->linear);
    vec3 force = vec3_madd(drag, st->mass, vec3_add(vec3_cross(w, q), q_t));
    a->Jw = vec3_mul(st->J, w);
    vec3 moment = vec3_add(vec3_cross(w, a->Jw), vec3_mul(st->J, w_t));
    a->turn_n = mat3_mul_vec(&a->R, vec3_sub(force, load->body.force));
    a->turn_m = mat3_mul_vec(&a->R, vec3_sub(moment, load->body.moment));
    a->Rv = mat3_mul_vec(&a->R, v);

    vec3_store(y_s + Y_P, a->Rv);
    quat_store(y_s + Y_H, quat_rate(a->h, u));
    vec3_store(y_s + Y_N, vec3_sub(vec3_madd(a->turn_n, -st->mass, s->gravity),
                                   load->world.force));
    vec3_store(y_s + Y_M, vec3_sub(vec3_sub(a->turn_m, vec3_cross(a->Rv, a->n)),
                                   load->world.moment));
    vec3_store(y_s + Y_Q, vec3_add(vec3_sub(v_t, vec3_cross(u, q)), vec3_cross(w, v)));
    vec3_store(y_s + Y_W, vec3_sub(u_t, vec3_cross(u, w)));
}

// ---------------------------------------------------------------- the variational equations
// Rows of the variation: quaternion, n, m, q, w. The position is left out: nothing depends on it.
enum { T_H = 0, T_N = 4, T_M = 7, T_Q = 10, T_W = 13, T_SIZE = 16 };

// The world rotation th with dR = th^ R that a change of the (non-unit) quaternion makes:
// th = 2 vec(dh h*)/(h'h). A change along h turns nothing.
static lanes3 rotation_of(quat h, const lanes *dh) {
    double k = 2.0 / quat_norm2(h);
    vec3 e = vec3_scale(quat_vector(h), k);
    double w = k * h.w;
    lanes3 d = lanes3_load(dh + 1);
    lanes3 cross = lanes3_cross(e, &d);
    return (lanes3){w * d.x - e.x * dh[0] + cross.x, w * d.y - e.y * dh[0] + cross.y,
                    w * d.z - e.z * dh[0] + cross.z};
}

// 0.5 (dh (0, u) + h (0, du))
static void quaternion_tangent(const point *a, const lanes *dh, const lanes3 *du, lanes *out) {
    vec3 u = vec3_scale(a->u, 0.5), e = vec3_scale(quat_vector(a->h), 0.5);
    double w = 0.5 * a->h.w;
    lanes3 d = lanes3_load(dh + 1);
    lanes3 d_cross_u = lanes3_cross(u, &d), e_cross_du = lanes3_cross(e, du);
    out[0] = -(u.x * d.x + u.y * d.y + u.z * d.z) - (e.x * du->x + e.y * du->y + e.z * du->z);
    out[1] = u.x * dh[0] - d_cross_u.x + w * du->x + e_cross_du.x;
    out[2] = u.y * dh[0] - d_cross_u.y + w * du->y + e_cross_du.y;
    out[3] = u.z * dh[0] - d_cross_u.z + w * du->z + e_cross_du.z;
}

static void tangent(const point *a, const lanes *t, lanes *t_s) {
    const double c0 = a->c0;
    lanes3 th = rotation_of(a->h, t + T_H);
    lanes3 dn = lanes3_load(t + T_N), dm = lanes3_load(t + T_M);
    lanes3 dq = lanes3_load(t + T_Q), dw = lanes3_load(t + T_W);

    // strain: d(R'n) = R'(dn + n x th)
    lanes3 n_th = lanes3_cross(a->n, &th), m_th = lanes3_cross(a->m, &th);
    n_th = lanes3_add(&n_th, &dn);
    m_th = lanes3_add(&m_th, &dm);
    lanes3 dv = lanes3_tmat(&a->R, &n_th), du = lanes3_tmat(&a->R, &m_th);
    dv = lanes3_mul(a->Cv, &dv);
    du = lanes3_mul(a->Cu, &du);
    quaternion_tangent(a, t + T_H, &du, t_s + T_H);

    // n_s: th x (R force) + R d(force)
    lanes3 w_dq = lanes3_cross(a->w, &dq), q_dw = lanes3_cross(a->q, &dw);
    lanes3 df = lanes3_sub(&w_dq, &q_dw);
    vec3 k = vec3_add(vec3_make(a->st->mass * c0, a->st->mass * c0, a->st->mass * c0), a->dF);
    lanes3 k_dq = lanes3_mul(k, &dq);
    df = lanes3_scale(a->st->mass, &df);
    df = lanes3_add(&df, &k_dq);
    lanes3 R_df = lanes3_mat(&a->R, &df), turn = lanes3_cross(a->turn_n, &th);
    lanes3 n_s = lanes3_sub(&R_df, &turn);
    lanes3_store(t_s + T_N, &n_s);

    // m_s: the same for the moment, then - d(p_s) x n - p_s x dn with d(p_s) = th x Rv + R dv
    lanes3 J_dw = lanes3_mul(a->st->J, &dw);
    lanes3 w_J_dw = lanes3_cross(a->w, &J_dw), Jw_dw = lanes3_cross(a->Jw, &dw);
    lanes3 dl = lanes3_scale(c0, &J_dw);
    dl = lanes3_add(&dl, &w_J_dw);
    dl = lanes3_sub(&dl, &Jw_dw);
    lanes3 m_s = lanes3_mat(&a->R, &dl);
    turn = lanes3_cross(a->turn_m, &th);
    m_s = lanes3_sub(&m_s, &turn);
    lanes3 dps = lanes3_mat(&a->R, &dv), Rv_th = lanes3_cross(a->Rv, &th);
    dps = lanes3_sub(&dps, &Rv_th);
    lanes3 n_dps = lanes3_cross(a->n, &dps), Rv_dn = lanes3_cross(a->Rv, &dn);
    m_s = lanes3_add(&m_s, &n_dps);
    m_s = lanes3_sub(&m_s, &Rv_dn);
    lanes3_store(t_s + T_M, &m_s);

    // q_s = v_t - u x q + w x v,  w_s = u_t - u x w
    lanes3 q_du = lanes3_cross(a->q, &du), u_dq = lanes3_cross(a->u, &dq);
    lanes3 v_dw = lanes3_cross(a->v, &dw), w_dv = lanes3_cross(a->w, &dv);
    lanes3 q_s = lanes3_scale(c0, &dv);
    q_s = lanes3_add(&q_s, &q_du);
    q_s = lanes3_sub(&q_s, &u_dq);
    q_s = lanes3_sub(&q_s, &v_dw);
    q_s = lanes3_add(&q_s, &w_dv);
    lanes3_store(t_s + T_Q, &q_s);
    lanes3 w_du = lanes3_cross(a->w, &du), u_dw = lanes3_cross(a->u, &dw);
    lanes3 w_s = lanes3_scale(c0, &du);
    w_s = lanes3_add(&w_s, &w_du);
    w_s = lanes3_sub(&w_s, &u_dw);
    lanes3_store(t_s + T_W, &w_s);
}

// ---------------------------------------------------------------- stepping along the rod
// out = y + a k
static void combine(const double *y, double a, const double *k, double *out) {
    for (int i = 0; i < Y_SIZE; i++) out[i] = y[i] + a * k[i];
}

// The variations of all columns, group by group.
typedef struct variation {
    lanes t[LANE_GROUPS][T_SIZE];
} variation;

static void combine_variations(const variation *t, double a, const variation *k, variation *out) {
    for (int g = 0; g < LANE_GROUPS; g++)
        for (int i = 0; i < T_SIZE; i++) out->t[g][i] = t->t[g][i] + a * k->t[g][i];
}

static void tangents(const point *a, const variation *t, variation *t_s) {
    for (int g = 0; g < LANE_GROUPS; g++) tangent(a, t->t[g], t_s->t[g]);
}

typedef struct step_data {  // what one integration step sees
    const station *st[3];   // left end, middle, right end
    const element_loads *load;
    const double *left, *mid, *right;  // history
    double ds;
} step_data;

static void step_euler(const shooting *s, const step_data *d, double *y, double *x,
                       variation *t) {
    double k[Y_SIZE];
    variation kt;
    point a;
    derivative(s, d->st[0], d->load, d->left, y, k, x, &a);
    combine(y, d->ds, k, y);
    if (!t) return;
    tangents(&a, t, &kt);
    combine_variations(t, d->ds, &kt, t);
}

static void step_rk4(const shooting *s, const step_data *d, double *y, double *x, variation *t) {
    static const double reach[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    const double *history[4] = {d->left, d->mid, d->mid, d->right};
    double k[Y_SIZE] = {0}, sum[Y_SIZE] = {0}, stage[Y_SIZE], unused[6];
    variation kt, sum_t, stage_t;
    point a;
    if (t) memset(&sum_t, 0, sizeof sum_t), memset(&kt, 0, sizeof kt);
    for (int i = 0; i < 4; i++) {
        combine(y, reach[i] * d->ds, k, stage);
        derivative(s, d->st[(int)(2.0 * reach[i])], d->load, history[i], stage, k,
                   i ? unused : x, &a);
        combine(sum, weight[i], k, sum);
        if (!t) continue;
        combine_variations(t, reach[i] * d->ds, &kt, &stage_t);
        tangents(&a, &stage_t, &kt);
        combine_variations(&sum_t, weight[i], &kt, &sum_t);
    }
    combine(y, d->ds / 6.0, sum, y);
    if (t) combine_variations(t, d->ds / 6.0, &sum_t, t);
}

// Point loads at an element's end: n(s+) = n(s-) - F, and the same for the moment.
static void jump(const element_loads *load, double *y, variation *v) {
    quat h = quat_load(y + Y_H);
    mat3 R = quat_to_mat3(h);
    vec3 F = mat3_mul_vec(&R, load->end_body.force), M = mat3_mul_vec(&R, load->end_body.moment);
    vec3 n = vec3_sub(vec3_load(y + Y_N), vec3_add(load->end_world.force, F));
    vec3 m = vec3_sub(vec3_load(y + Y_M), vec3_add(load->end_world.moment, M));
    vec3_store(y + Y_N, n);
    vec3_store(y + Y_M, m);
    for (int g = 0; v && g < LANE_GROUPS; g++) {  // - d(R F) = - th x RF = RF x th
        lanes *t = v->t[g];
        lanes3 th = rotation_of(h, t + T_H);
        lanes3 dn = lanes3_load(t + T_N), F_th = lanes3_cross(F, &th);
        lanes3 dm = lanes3_load(t + T_M), M_th = lanes3_cross(M, &th);
        dn = lanes3_add(&dn, &F_th);
        dm = lanes3_add(&dm, &M_th);
        lanes3_store(t + T_N, &dn);
        lanes3_store(t + T_M, &dm);
    }
}

// One element, from y at its start to y just before the loads at its end. False: blown up.
static bool shoot_element(shooting *s, int index, int n_steps, double *y, variation *t) {
    const element *e = &s->r->elements[index];
    const double ds = e->length / (e->n_nodes - 1);
    const double *history = s->history + (size_t)e->node * F_SIZE;
    const double *mid = s->history_mid + (size_t)(e->node - index) * F_SIZE;
    double *nodes = s->nodes + (size_t)e->node * Y_SIZE;
    double *strains = s->strains + (size_t)e->node * 6;
    for (int j = 0; j < n_steps; j++) {
        memcpy(nodes + j * Y_SIZE, y, sizeof(double) * Y_SIZE);
        step_data d = {{e->stations + j, e->between + j, e->stations + j + 1}, &s->loads[index],
                       history + j * F_SIZE, mid + j * F_SIZE, history + (j + 1) * F_SIZE, ds};
        double *x = strains + j * 6;
        if (s->options->integrator == TD_EULER) step_euler(s, &d, y, x, t);
        else step_rk4(s, &d, y, x, t);
        double turn = (fabs(x[0]) + fabs(x[1]) + fabs(x[2])) * ds;
        if (!(turn < MAX_TURN)) {
            s->blow_up = e->s0 + j * ds;
            return false;
        }
    }
    memcpy(nodes + n_steps * Y_SIZE, y, sizeof(double) * Y_SIZE);
    point a;
    vec3 xu, xv;
    solve_section(s, e->stations + n_steps, history + n_steps * F_SIZE, y, &a, &xu, &xv);
    vec3_store(strains + n_steps * 6, xu);
    vec3_store(strains + n_steps * 6 + 3, xv);
    return true;
}

static void start_at_base(const shooting *s, const double G[6], double *y, variation *t) {
    vec3_store(y + Y_P, s->base.p);
    quat_store(y + Y_H, s->base.h);
    memcpy(y + Y_N, G, 6 * sizeof(double));
    vec3_store(y + Y_Q, s->base.q);
    vec3_store(y + Y_W, s->base.w);
    if (!t) return;
    memset(t, 0, sizeof *t);
    for (int i = 0; i < 6; i++) t->t[i / LANES][T_N + i][i % LANES] = 1.0;
}

bool shoot(shooting *s, const double G[6], double residual[6], double *jacobian) {
    double y[Y_SIZE];
    variation columns, *t = jacobian ? &columns : NULL;
    s->stats->evaluations++;
    if (jacobian) s->stats->jacobians++;
    s->blow_up = -1.0;
    start_at_base(s, G, y, t);
    memcpy(s->bounds, y, sizeof y);
    for (int i = 0; i <= s->last_element; i++) {
        int all = s->r->elements[i].n_nodes - 1;
        int n_steps = i == s->last_element ? s->last_step : all;
        if (!shoot_element(s, i, n_steps, y, t)) return false;
        memcpy(s->bounds + (i + 1) * Y_SIZE, y, sizeof y);
        if (n_steps == all) jump(&s->loads[i], y, t);
    }
    double sum = 0.0;
    for (int i = 0; i < 6; i++) sum += residual[i] = y[Y_N + i] - s->target[i];
    for (int i = 0; jacobian && i < 6; i++)
        for (int k = 0; k < 6; k++) sum += jacobian[6 * i + k] = columns.t[k / LANES][T_N + i][k % LANES];
    if (isfinite(sum)) return true;
    s->blow_up = s->r->length;
    return false;
}

void shoot_whole(shooting *s) {
    s->last_element = s->r->n_elements - 1;
    s->last_step = s->r->elements[s->last_element].n_nodes - 1;
    memset(s->target, 0, sizeof s->target);
}

void shoot_part(shooting *s, int node, const double target[6]) {
    int i = 0;
    while (i + 1 < s->r->n_elements && node >= s->r->elements[i + 1].node) i++;
    s->last_element = i;
    s->last_step = node - s->r->elements[i].node;
    memcpy(s->target, target, sizeof s->target);
}

void shoot_midpoints(const rod *r, td_history rule, const double *nodal, double *mid) {
    for (int i = 0; i < r->n_elements; i++) {
        const element *e = &r->elements[i];
        const double *from = nodal + (size_t)e->node * F_SIZE;
        double *to = mid + (size_t)(e->node - i) * F_SIZE;
        if (rule == TD_CUBIC) {
            midpoints(e->n_nodes, F_SIZE, from, to);
            continue;
        }
        for (int j = 0; j < (e->n_nodes - 1) * F_SIZE; j++) to[j] = 0.5 * (from[j] + from[j + F_SIZE]);
    }
}
