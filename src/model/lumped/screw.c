// model/lumped/screw.c - how twists of nodes that move along screws answer to their motions: see model/screw.h.
#include "model/lumped/net.h"

// v = R V, v' = R (V' + w x V).
void put_twist(const double *v, const double *a, node_state *x, node_rates *t) {
    const mat3 R = quat_to_mat3(x->q);
    const vec3 V = vec3_load(v + 3), swing = vec3_cross(vec3_load(v), V);
    x->w = vec3_load(v);
    x->v = mat3_mul_vec(&R, V);
    t->w = a ? vec3_load(a) : vec3_zero();
    t->v = mat3_mul_vec(&R, a ? vec3_add(swing, vec3_load(a + 3)) : swing);
}

node_follow screw_follow(const mat3 *R, const node_state *x, double cv) {
    node_follow f = {mat3_identity(), mat3_zero(), mat3_identity()};
    if (!(cv > 0.0)) return f;
    const vec6 twist = {mat3_mul_vec(R, x->w), x->v};
    se3_dexp_right_inv_blocks(vec6_scale(twist, 1.0 / cv), &f.own, &f.by_turn);
    f.shift = f.own;
    return f;
}
