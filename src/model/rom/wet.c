// model/rom/wet.c - fluid that moves along with sections: environment/drift.h.
#include "environment/drift.h"
#include "model/rom/rom.h"

static vec3 against(const place_motion *m, vec3 current) {
    return mat3_tmul_vec(&m->turn.R, vec3_sub(m->p_t, current));
}

static drift drift_at(vec3 added, const place_motion *m, vec3 current) {
    return drift_of(added, m->w, against(m, current), mat3_tmul_vec(&m->turn.R, m->p_tt));
}

vec6 curve_wet_wrench(vec3 added, const place_motion *m, vec3 current) {
    const drift s = drift_at(added, m, current);
    return (vec6){mat3_mul_vec(&m->turn.R, s.wrench.a), mat3_mul_vec(&m->turn.R, s.wrench.l)};
}

vec6 curve_wet_by(vec3 added, const place_motion *m, vec3 current, vec3 dw, vec3 dq, vec3 de) {
    const drift s = drift_at(added, m, current);
    return drift_by(added, &s, dw, dq, de);
}

vec6 curve_wet_by_current(vec3 added, const place_motion *m, vec3 current, vec3 change) {
    const vec3 none = vec3_zero(), dq = vec3_neg(mat3_tmul_vec(&m->turn.R, change));
    const vec6 by = curve_wet_by(added, m, current, none, dq, none);
    return (vec6){mat3_mul_vec(&m->turn.R, by.a), mat3_mul_vec(&m->turn.R, by.l)};
}

double curve_wet_kinetic(vec3 added, const place_motion *m, vec3 current) {
    return drift_energy(added, against(m, current));
}

wet_slopes curve_wet_slopes(vec3 added, const place_motion *m, vec3 current) {
    const drift s = drift_at(added, m, current);
    const turn *t = &m->turn;
    const mat3 A = mat3_diag(added), q = mat3_hat(s.q), p = mat3_hat(s.p), w = mat3_hat(m->w);
    const mat3 Aw = mat3_mul(&A, &w), wA = mat3_mul(&w, &A), Aq = mat3_mul(&A, &q),
               qA = mat3_mul(&q, &A);
    wet_slopes out = {.force_by_q = mat3_sub(&wA, &Aw),
                      .force_by_w = mat3_sub(&Aq, &p),
                      .force_by_e = A,
                      .moment_by_q = mat3_sub(&qA, &p)};
    const mat3 e = mat3_hat(mat3_tmul_vec(&t->R, m->p_tt)), f = mat3_hat(s.wrench.l);
    out.q_by_a = mat3_mul(&q, &t->T);
    out.e_by_a = mat3_mul(&e, &t->T);
    out.turned = mat3_mul(&f, &t->T);
    out.moment = s.wrench.a;
    return out;
}
