// model/rom/base.c - what the motion of the base that a rod is clamped to adds to that of the rod.
#include "model/rom/rom.h"

// From motion relative to the base to motion in an inertial frame, in the axes of the base and of
// the section.
void base_carry(const base_motion *b, place_motion *m) {
    const vec3 turned = vec3_cross(b->w, m->p), seen = mat3_tmul_vec(&m->turn.R, b->w);
    vec3 more = vec3_add(b->v_t, vec3_cross(b->w_t, m->p));
    more = vec3_add(more, vec3_cross(b->w, turned));
    more = vec3_madd(more, 2.0, vec3_cross(b->w, m->p_t));
    m->p_tt = vec3_add(m->p_tt, more);
    m->w_t = vec3_add(m->w_t, vec3_add(mat3_tmul_vec(&m->turn.R, b->w_t), vec3_cross(seen, m->w)));
    m->p_t = vec3_add(m->p_t, vec3_add(b->v, turned));
    m->w = vec3_add(m->w, seen);
}

vec6 base_reaction(const rom_rod *r, const rod_memory *m) {
    vec6 sum = vec6_zero();
    for (int i = 0; i < r->curve.n_places; i++) {
        const vec6 w = m->outside[i];
        sum.a = vec3_add(sum.a, vec3_add(w.a, vec3_cross(m->moved[i].p, w.l)));
        sum.l = vec3_add(sum.l, w.l);
    }
    return vec6_neg(sum);
}

void base_keep(const base_motion *b, kept_base *to) {
    quat_store(to->q, quat_from_mat3(&b->pose.R));
    vec3_store(to->p, b->pose.p);
    vec3_store(to->w, b->w);
    vec3_store(to->v, b->v);
    vec3_store(to->w_t, b->w_t);
    vec3_store(to->v_t, b->v_t);
}

base_motion base_kept(const kept_base *from) {
    return (base_motion){.pose = {quat_to_mat3(quat_load(from->q)), vec3_load(from->p)},
                         .w = vec3_load(from->w),
                         .v = vec3_load(from->v),
                         .w_t = vec3_load(from->w_t),
                         .v_t = vec3_load(from->v_t)};
}
