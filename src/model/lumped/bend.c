// model/lumped/bend.c - corrections of a shape.
//
// They come in absolute coordinates. Along an open rod they are taken as changes of the strains,
// from which its shape is built anew: a slender rod then bends, or swings in its joint, without being
// stretched on the way, and Newton's method takes long steps.
#include "model/lumped/net.h"

static vec6 motion_at(const net *c, const net_memory *m, const place *at) {
    vec6 dz = at->node >= c->n_free ? vec6_zero() : vec6_load(m->y + 6 * at->node);
    if (at->turner) dz.a = vec3_load(m->y + 6 * (at->turner - 1));
    return dz;
}

static void turn_and_shift(node_state *x, vec6 dz) {
    x->q = quat_normalise(quat_mul(quat_exp(dz.a), x->q));
    x->p = vec3_add(x->p, dz.l);
}

// Nodes of an open rod from its strains; m->R holds the frames before.
static void bend_rod(const net *c, const net_memory *m, const net_rod *r, double share,
                     node_state *x) {
    const segment *s = &c->segments[r->first];
    end_motion a = end_of(&s->a, x, m->R);
    const mat3 turned = so3_exp(vec3_scale(motion_at(c, m, &s->a).a, share));
    se3 at = {mat3_mul(&turned, &a.R), a.p};
    for (int i = 0; i < r->n; i++, s++) {
        const int node = s->b.node;
        end_motion b = end_of(&s->b, x, m->R);
        element e = element_make(&a, &b, c->printed);
        vec6 change = element_strain_by(&e, motion_at(c, m, &s->a), motion_at(c, m, &s->b));
        at = element_across(&at, vec3_madd(e.phi, share, change.a),
                            vec3_madd(e.eps, share, change.l), c->printed);
        x[node].p = at.p;
        x[node].q = quat_from_mat3(&at.R);
        a = b;
    }
}

static void shift_rod(const net *c, const net_memory *m, const net_rod *r, double share,
                      node_state *x) {
    const place *a = &c->segments[r->first].a;
    if (!a->apart && a->node < c->n_free)
        turn_and_shift(&x[a->node], vec6_scale(motion_at(c, m, a), share));
    for (int k = r->first; k < r->first + r->n; k++) {
        const place *b = &c->segments[k].b;
        if (b->apart || b->node >= c->n_free) continue;
        turn_and_shift(&x[b->node], vec6_scale(motion_at(c, m, b), share));
    }
}

void bend_and_shift(const net *c, net_memory *m, double share, node_state *x) {
    for (int i = 0; i < c->n_nodes; i++) m->R[i] = quat_to_mat3(x[i].q);
    for (int i = 0; i < c->n_rods; i++) {
        const net_rod *r = &c->rods[i];
        if (r->open) bend_rod(c, m, r, share, x);
        else shift_rod(c, m, r, share, x);
    }
    for (int i = 0; i < c->n_free; i++)
        if (i >= c->first_body || c->only_turns[i])
            turn_and_shift(&x[i], vec6_scale(vec6_load(m->y + 6 * i), share));
}
