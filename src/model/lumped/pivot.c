// model/lumped/pivot.c - ends of rods that turn in what holds them: ball, revolute, universal.
//
// The end takes its place from the holder and its rotation from a node of its own, without mass,
// whose other three unknowns are multipliers l of what the joint forbids: c = u.v = 0 with u fixed
// in the holder and v in the end. With the rotations t of the end and h of the holder
//
//     dc = (t - h).g,  g = v x u        moments l g on the end, - l g on the holder
//     dg = (t x v) x u + v x (h x u)
//
//     revolute   v: the axis,  u: two across it        universal   v: axis2,  u: axis
#include "model/lumped/net.h"

static vec3 unit_of(vec3 x) {
    return vec3_scale(x, 1.0 / vec3_norm(x));
}

static vec3 unit_across(vec3 axis, int which) {
    vec3 other = fabs(axis.x) < 0.6 ? (vec3){1.0, 0.0, 0.0} : (vec3){0.0, 1.0, 0.0};
    vec3 first = unit_of(vec3_cross(axis, other));
    return which ? vec3_cross(axis, first) : first;
}

pivot pivot_make(td_joint joint, const double axis[3], const double axis2[3], int node,
                 const place *at) {
    pivot p = {.node = node, .holder = at->node};
    const vec3 a = unit_of(vec3_load(axis)), b = unit_of(vec3_load(axis2));
    if (joint == TD_REVOLUTE) {
        p.n = 2;
        for (int i = 0; i < 2; i++) p.u[i] = unit_across(a, i), p.v[i] = a;
    } else if (joint == TD_UNIVERSAL) {
        p.n = 1;
        p.u[0] = a, p.v[0] = b;
    }
    for (int i = 0; i < p.n; i++) p.u[i] = mat3_mul_vec(&at->h.R, p.u[i]);
    return p;
}

static void add_moment(double *r, int node, vec3 moment) {
    vec3_store(r + 6 * node, vec3_add(vec3_load(r + 6 * node), moment));
}

// Rows of moments against the turns of one node: block += sign d(l g), part by part.
static void add_turns(double *block, double sign, vec3 u, vec3 v, bool holder) {
    for (int k = 0; k < 3; k++) {
        vec3 unit = {k == 0, k == 1, k == 2};
        vec3 by = holder ? vec3_cross(v, vec3_cross(unit, u)) : vec3_cross(vec3_cross(unit, v), u);
        block[k] += sign * by.x;
        block[6 + k] += sign * by.y;
        block[12 + k] += sign * by.z;
    }
}

static void add_pivot_tangent(const net_job *j, const pivot *p, int i, vec3 u, vec3 v, double l) {
    const net *c = j->c;
    const vec3 g = vec3_scale(vec3_cross(v, u), j->w->q);
    const double by[3] = {g.x, g.y, g.z};
    const bool held = p->holder >= c->n_free;
    l *= j->w->q;
    double *own = j->to.a + (size_t)p->node * BLOCK;
    for (int k = 0; k < 3; k++) {
        own[6 * k + 3 + i] += by[k];
        own[6 * (3 + i) + k] += by[k];
    }
    add_turns(own, l, u, v, false);
    if (held) return;
    double *to = j->to.a + (size_t)p->holder * BLOCK;
    double *across = j->to.a + (size_t)block_at(&c->pattern, p->node, p->holder) * BLOCK;
    double *back = j->to.a + (size_t)block_at(&c->pattern, p->holder, p->node) * BLOCK;
    for (int k = 0; k < 3; k++) {
        across[6 * (3 + i) + k] -= by[k];
        back[6 * k + 3 + i] -= by[k];
    }
    add_turns(across, l, u, v, true);
    add_turns(back, -l, u, v, false);
    add_turns(to, -l, u, v, true);
}

void add_pivots(const net_job *j) {
    net_memory *m = j->m;
    for (int k = 0; k < j->c->n_pivots; k++) {
        const pivot *p = &j->c->pivots[k];
        double l[3];
        vec3_store(l, j->x[p->node].p);
        for (int i = 0; i < 3; i++) {
            double *row = m->r + 6 * p->node + 3 + i;
            if (i >= p->n) {  // not needed: stays 0
                *row = l[i];
                if (j->w) j->to.a[(size_t)p->node * BLOCK + 7 * (3 + (size_t)i)] = j->w->q;
                continue;
            }
            vec3 u = mat3_mul_vec(&m->R[p->holder], p->u[i]);
            vec3 v = mat3_mul_vec(&m->R[p->node], p->v[i]);
            vec3 moment = vec3_scale(vec3_cross(v, u), l[i]);
            *row = vec3_dot(u, v);
            add_moment(m->r, p->node, moment);
            add_moment(m->r, p->holder, vec3_neg(moment));
            if (j->w) add_pivot_tangent(j, p, i, u, v, l[i]);
        }
    }
}
