// model/rom/wet.c - fluid that moves along with sections. With the velocity q = R'(p_t - u) against the current u, in the
// axes of the section, and the added mass A (Kirchhoff's equations):
//
//     moment = q x A q      force = A q' + w x A q,     q' = R'p_tt - w x q
#include "model/rom/rom.h"

typedef struct wet_motion {
    vec3 q, e, p;  // q, R'p_tt and A q
    vec3 force;    // axes of the section
} wet_motion;

static wet_motion wet_of(vec3 added, const place_motion *m, vec3 current) {
    const mat3 *R = &m->turn.R;
    wet_motion s = {.q = mat3_tmul_vec(R, vec3_sub(m->p_t, current)),
                    .e = mat3_tmul_vec(R, m->p_tt)};
    s.p = vec3_mul(added, s.q);
    const vec3 q_t = vec3_sub(s.e, vec3_cross(m->w, s.q));
    s.force = vec3_add(vec3_mul(added, q_t), vec3_cross(m->w, s.p));
    return s;
}

vec6 curve_wet_wrench(vec3 added, const place_motion *m, vec3 current) {
    const wet_motion s = wet_of(added, m, current);
    return (vec6){mat3_mul_vec(&m->turn.R, vec3_cross(s.q, s.p)),
                  mat3_mul_vec(&m->turn.R, s.force)};
}

double curve_wet_kinetic(vec3 added, const place_motion *m, vec3 current) {
    if (vec3_dot(added, added) == 0.0) return 0.0;
    const vec3 q = mat3_tmul_vec(&m->turn.R, vec3_sub(m->p_t, current));
    return 0.5 * vec3_dot(q, vec3_mul(added, q));
}

wet_slopes curve_wet_slopes(vec3 added, const place_motion *m, vec3 current) {
    const wet_motion s = wet_of(added, m, current);
    const turn *t = &m->turn;
    const mat3 A = mat3_diag(added), q = mat3_hat(s.q), p = mat3_hat(s.p), w = mat3_hat(m->w);
    const mat3 Aw = mat3_mul(&A, &w), wA = mat3_mul(&w, &A), Aq = mat3_mul(&A, &q),
               qA = mat3_mul(&q, &A);
    wet_slopes out = {.force_by_q = mat3_sub(&wA, &Aw),
                      .force_by_w = mat3_sub(&Aq, &p),
                      .force_by_e = A,
                      .moment_by_q = mat3_sub(&qA, &p)};
    const mat3 e = mat3_hat(s.e), f = mat3_hat(s.force);
    out.q_by_a = mat3_mul(&q, &t->T);
    out.e_by_a = mat3_mul(&e, &t->T);
    out.turned = mat3_mul(&f, &t->T);
    out.moment = vec3_cross(s.q, s.p);
    return out;
}
