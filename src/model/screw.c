// model/screw.c - see screw.h.
//
// A small motion y = (R'th, R'dp) of g = g* exp(x^/c0) leads x by dx = c0 dexp_right_inv(x/c0) y; and
// so in the axes of the world, with y and x turned there.
#include "model/screw.h"

#include "math/quat.h"

void screw_advance(const double *from, double h, const double *v, double *to) {
    const quat Q = quat_load(from + 3);
    quat turn;
    const vec3 p = se3_exp_turn(vec6_scale(vec6_load(v), h), &turn);
    vec3_store(to, vec3_add(vec3_load(from), quat_rotate(Q, p)));
    quat_store(to + 3, quat_normalise(quat_mul(Q, turn)));
}

void screw_rate_change(const double *q, const double *v, double cv, const double *dz, double *dv) {
    const mat3 R = quat_to_mat3(quat_load(q + 3));
    const vec3 th = mat3_tmul_vec(&R, vec3_load(dz)), dp = mat3_tmul_vec(&R, vec3_load(dz + 3));
    mat3 own, by_turn;
    se3_dexp_right_inv_blocks(vec6_scale(vec6_load(v), 1.0 / cv), &own, &by_turn);
    const vec3 V = vec3_add(mat3_mul_vec(&own, dp), mat3_mul_vec(&by_turn, th));
    vec3_store(dv, vec3_scale(mat3_mul_vec(&own, th), cv));
    vec3_store(dv + 3, vec3_scale(V, cv));
}

void screw_flow(const double *q, const double *v, double *x_t) {
    const quat Q = quat_load(q + 3);
    vec3_store(x_t, quat_rotate(Q, vec3_load(v + 3)));
    quat_store(x_t + 3, quat_rate(Q, vec3_load(v)));
}

void screw_shift(const double *from, double scale, const double *dz, double *to) {
    const quat turn = quat_exp(vec3_scale(vec3_load(dz), scale));
    vec3_store(to, vec3_madd(vec3_load(from), scale, vec3_load(dz + 3)));
    quat_store(to + 3, quat_normalise(quat_mul(turn, quat_load(from + 3))));
}
