// model/lumped/screw.c - nodes move along screws.
//
// The velocity of a node is its twist x = (w, V) in its own axes, and a step in time advances its
// pose g = (R, p) along the screw of that twist, g exp(h x^). A body that turns steadily about any
// axis keeps its twist: such a motion is exact, whatever the step. With velocities in the world a
// point on a circle would advance along chords; what is stiff between two points then forces
// velocities, and more so accelerations, to swing about the true ones from stage to stage.
//
// A small motion y = (R'th, R'dp) of g = g* exp(x^/c0) leads x by dx = c0 dexp_right_inv(x/c0) y; and
// so in the axes of the world, with y and x turned there.
#include "model/lumped/net.h"

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

node_follow screw_follow(const mat3 *R, const node_state *x, double cv) {
    node_follow f = {mat3_identity(), mat3_zero(), mat3_identity()};
    if (!(cv > 0.0)) return f;
    const vec6 twist = {mat3_mul_vec(R, x->w), x->v};
    se3_dexp_right_inv_blocks(vec6_scale(twist, 1.0 / cv), &f.own, &f.by_turn);
    f.shift = f.own;
    return f;
}
