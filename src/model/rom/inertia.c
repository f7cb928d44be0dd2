// model/rom/inertia.c - rigid bodies in sections: what their motion asks for.
#include "model/rom/curve.h"
#include "robot/inertia.h"

lump curve_lump_make(double mass, const double inertia[3], const double centre[3]) {
    const vec3 c = vec3_load(centre);
    mat3 J = mat3_diag(vec3_load(inertia)), hat = mat3_hat(c), square = mat3_mul(&hat, &hat);
    mat3 shift = mat3_scale(&square, -mass);  // Steiner: - m c^ c^
    return (lump){mass, vec3_scale(c, mass), mat3_add(&J, &shift)};
}

lump curve_lump_of_body(const td_body_def *def) {
    const double none[3] = {0.0, 0.0, 0.0};
    lump out = curve_lump_make(def->mass, none, def->centre);
    const mat3 J = body_inertia(def);
    out.inertia = mat3_add(&J, &out.inertia);
    return out;
}

void curve_lump_add(lump *to, const lump *from, double share) {
    const mat3 inertia = mat3_scale(&from->inertia, share);
    to->mass += share * from->mass;
    to->moment = vec3_madd(to->moment, share, from->moment);
    to->inertia = mat3_add(&to->inertia, &inertia);
}

// With the gyroscopic moment w x J w, which Sadati 2019 (6) lacks (errata, Eq. 6).
vec6 curve_lump_wrench(const lump *b, const place_motion *m, vec3 gravity) {
    const mat3 *R = &m->turn.R;
    const vec3 lift = vec3_sub(m->p_tt, gravity), w = m->w;
    const vec3 momentum = mat3_mul_vec(&b->inertia, w);
    vec3 moment = vec3_add(mat3_mul_vec(&b->inertia, m->w_t), vec3_cross(w, momentum));
    moment = vec3_add(moment, vec3_cross(b->moment, mat3_tmul_vec(R, lift)));
    const vec3 swing =
        vec3_add(vec3_cross(m->w_t, b->moment), vec3_cross(w, vec3_cross(w, b->moment)));
    return (vec6){mat3_mul_vec(R, moment), vec3_madd(mat3_mul_vec(R, swing), b->mass, lift)};
}

double curve_lump_kinetic(const lump *b, const place_motion *m) {
    const vec3 v = mat3_tmul_vec(&m->turn.R, m->p_t);
    return 0.5 * b->mass * vec3_dot(v, v) + vec3_dot(v, vec3_cross(m->w, b->moment)) +
           0.5 * vec3_dot(m->w, mat3_mul_vec(&b->inertia, m->w));
}

double curve_lump_weight_energy(const lump *b, const place_motion *m, vec3 gravity) {
    const point_body body = {.mass = b->mass, .moment = b->moment};
    return environment_energy(gravity, &body, &(point_now){&m->turn.R, m->p, m->p_t});
}
