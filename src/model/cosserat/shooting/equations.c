// model/cosserat/shooting/equations.c - Till 2019 (7), and the same linearised.
#include "model/cosserat/shooting/equations.h"

#include <math.h>

// ---------------------------------------------------------------- the state
static vec3 compliance(const double *K, const double *B, double c0) {
    return vec3_make(1.0 / (K[0] + c0 * B[0]), 1.0 / (K[1] + c0 * B[1]), 1.0 / (K[2] + c0 * B[2]));
}

// x = C (body wrench - B x_history): the section law solved for the strain, Till 2019 (6).
static vec3 strain_from(vec3 C, const double *B, vec3 wrench_body, const double *history) {
    return vec3_mul(C, vec3_sub(wrench_body, vec3_mul(vec3_load(B), vec3_load(history))));
}

// With actuators the law is not diagonal: it is solved from the strain of the point before.
static void actuated_strain(shooting *s, const section *at, bool varied, point *a, double *x) {
    double carried[6];
    vec3_store(carried, mat3_tmul_vec(&a->R, a->m));
    vec3_store(carried + 3, mat3_tmul_vec(&a->R, a->n));
    section_solve(s, at, carried, x, varied ? a->C : NULL);
}

void point_strain(shooting *s, const section *at, const double *y, bool varied, point *a,
                  double *x) {
    const station *st = a->st = at->st;
    a->c0 = s->c0;
    a->h = quat_load(y + Y_H);
    a->R = quat_to_mat3(a->h);
    a->n = vec3_load(y + Y_N);
    a->m = vec3_load(y + Y_M);
    a->full = s->r->n_actuators > 0;
    if (a->full) {
        actuated_strain(s, at, varied, a, x);
        return;
    }
    a->Cu = compliance(st->K, st->B, s->c0);
    a->Cv =
        s->options->theory == TD_KIRCHHOFF ? vec3_zero() : compliance(st->K + 3, st->B + 3, s->c0);
    vec3_store(x, strain_from(a->Cu, st->B, mat3_tmul_vec(&a->R, a->m), at->history + F_U));
    vec3_store(x + 3, strain_from(a->Cv, st->B + 3, mat3_tmul_vec(&a->R, a->n), at->history + F_V));
}

void point_derivative(shooting *s, const section *at, const double *y, bool varied, double *y_s,
                      double *x, point *a) {
    point_strain(s, at, y, varied, a, x);
    const station *st = at->st;
    const element_loads *load = at->load;
    const double *history = at->history;
    const vec3 xu = vec3_load(x), xv = vec3_load(x + 3);
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
    vec3_store(y_s + Y_N, vec3_sub(vec3_madd(a->turn_n, -st->mass, s->gravity), load->world.force));
    vec3_store(y_s + Y_M,
               vec3_sub(vec3_sub(a->turn_m, vec3_cross(a->Rv, a->n)), load->world.moment));
    vec3_store(y_s + Y_Q, vec3_add(vec3_sub(v_t, vec3_cross(u, q)), vec3_cross(w, v)));
    vec3_store(y_s + Y_W, vec3_sub(u_t, vec3_cross(u, w)));
}

// ---------------------------------------------------------------- the variational equations
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

// (du, dv): from the change of the body wrench to that of the strain, C (6 x 6).
static inline void full_compliance(const double *C, const strain_lanes *push, lanes3 *du,
                                   lanes3 *dv) {
    lanes b[6] = {du->x, du->y, du->z, dv->x, dv->y, dv->z}, x[6];
    if (push) {
        const lanes p[6] = {push->u.x, push->u.y, push->u.z, push->v.x, push->v.y, push->v.z};
        for (int i = 0; i < 6; i++) b[i] -= p[i];
    }
    for (int i = 0; i < 6; i++, C += 6)
        x[i] = ((C[0] * b[0] + C[1] * b[1]) + (C[2] * b[2] + C[3] * b[3])) +
               (C[4] * b[4] + C[5] * b[5]);
    *du = (lanes3){x[0], x[1], x[2]};
    *dv = (lanes3){x[3], x[4], x[5]};
}

// push, dx and dp_s may be NULL.
static inline void tangent(const point *a, const lanes *t, const strain_lanes *push, lanes *t_s,
                           strain_lanes *dx, lanes3 *dp_s) {
    const double c0 = a->c0;
    lanes3 th = rotation_of(a->h, t + T_H);
    lanes3 dn = lanes3_load(t + T_N), dm = lanes3_load(t + T_M);
    lanes3 dq = lanes3_load(t + T_Q), dw = lanes3_load(t + T_W);

    // strain: d(R'n) = R'(dn + n x th)
    lanes3 n_th = lanes3_cross(a->n, &th), m_th = lanes3_cross(a->m, &th);
    n_th = lanes3_add(&n_th, &dn);
    m_th = lanes3_add(&m_th, &dm);
    lanes3 dv = lanes3_tmat(&a->R, &n_th), du = lanes3_tmat(&a->R, &m_th);
    if (a->full) {
        full_compliance(a->C, push, &du, &dv);
    } else {
        dv = lanes3_mul(a->Cv, &dv);
        du = lanes3_mul(a->Cu, &du);
    }
    if (dx) *dx = (strain_lanes){du, dv};
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
    if (dp_s) *dp_s = dps;
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

void point_tangents(const point *a, const variation *t, variation *t_s) {
    for (int g = 0; g < t->n_groups; g++) tangent(a, t->t[g], NULL, t_s->t[g], NULL, NULL);
}

void point_tangents_pushed(const point *a, const variation *t, const strain_lanes *push,
                           variation *t_s, strain_lanes *dx, lanes3 *dp_s) {
    for (int g = 0; g < t->n_groups; g++)
        tangent(a, t->t[g], push + g, t_s->t[g], dx + g, dp_s + g);
}
