// model/rom/base.c - the base that a rod is clamped to, and what its motion adds to that of the
// rod.
#include "model/rom/rom.h"

static vec3 values(const td_number n[3], const double *inputs) {
    return (vec3){number_value(n[0], inputs), number_value(n[1], inputs),
                  number_value(n[2], inputs)};
}

static vec3 rates_of(const td_number n[3], const double *rates) {
    return (vec3){number_rate(n[0], rates), number_rate(n[1], rates), number_rate(n[2], rates)};
}

base_motion rod_base(const rom_rod *r, const double *inputs, const double *rates,
                     const double *accelerations) {
    const td_base_def *b = &r->base;
    const turn t = turn_make(TURN_VECTOR, values(b->rotation, inputs));
    const mat3 R = quat_to_mat3(quat_load(b->orientation));
    base_motion m = {.pose = {mat3_mul(&R, &t.R), values(b->position, inputs)}};
    if (!r->moves || !rates) return m;
    const vec3 turn_t = rates_of(b->rotation, rates);
    m.w = mat3_mul_vec(&t.T, turn_t);
    m.v = mat3_tmul_vec(&m.pose.R, rates_of(b->position, rates));
    if (!accelerations) return m;
    const mat3 T_t = turn_along(&t, turn_t);
    m.w_t = vec3_add(mat3_mul_vec(&t.T, rates_of(b->rotation, accelerations)),
                     mat3_mul_vec(&T_t, turn_t));
    m.v_t = mat3_tmul_vec(&m.pose.R, rates_of(b->position, accelerations));
    return m;
}

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

// The world holds the base against all that acts on the rod, inertia among it.
double base_power(const rom_rod *r, const rod_memory *m, const base_motion *b) {
    const curve *c = &r->curve;
    double sum = 0.0;
    for (int i = 0; i < c->n_places; i++) {
        const vec6 w = m->outside[i];
        const vec3 moment = vec3_add(w.a, vec3_cross(m->moved[i].p, w.l));
        sum -= vec3_dot(b->w, moment) + vec3_dot(b->v, w.l);
    }
    return sum;
}

void base_keep(const base_motion *b, kept_base *to) {
    quat_store(to->q, quat_from_mat3(&b->pose.R));
    vec3_store(to->p, b->pose.p);
    vec3_store(to->w, b->w);
    vec3_store(to->v, b->v);
}

base_motion base_kept(const kept_base *from) {
    return (base_motion){.pose = {quat_to_mat3(quat_load(from->q)), vec3_load(from->p)},
                         .w = vec3_load(from->w),
                         .v = vec3_load(from->v)};
}
