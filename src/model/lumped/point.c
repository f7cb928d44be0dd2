// model/lumped/point.c - see point.h.
#include "model/lumped/point.h"

#define REACH 1e-5  // rad, or lengths of a segment, of differences

net_point point_of(const net *c, const model_point *at) {
    if (at->body >= 0) return (net_point){.body = at->body};
    const net_rod *r = &c->rods[at->rod];
    int i = r->first;
    while (i + 1 < r->first + r->n && at->s > c->segments[i + 1].s) i++;
    const segment *s = &c->segments[i];
    return (net_point){-1, s, fmin(1.0, fmax(0.0, (at->s - s->s) / s->length))};
}

td_pose point_pose(const net *c, const net_memory *m, const net_point *at) {
    const end_motion a = end_at(at->body >= 0 ? &c->bodies[at->body] : &at->s->a, m->trial);
    se3 T = {a.R, a.p};
    if (at->body < 0) {
        const end_motion b = end_at(&at->s->b, m->trial);
        const element e = element_make(&a, &b, c->printed);
        T = element_pose(&e, &a, at->x);
    }
    return pose_from(&T.R, T.p);
}

// Per step; rotation, translation.
static vec6 motion_from(const se3 *from, const se3 *to, double step) {
    mat3 back = mat3_transpose(&from->R), turn = mat3_mul(&to->R, &back);
    return vec6_scale((vec6){so3_log(&turn), vec3_sub(to->p, from->p)}, 1.0 / step);
}

// ---------------------------------------------------------------- by the motion of the ends
static void nudge(end_motion *e, int k, double by) {
    vec3 unit = {k % 3 == 0 ? by : 0.0, k % 3 == 1 ? by : 0.0, k % 3 == 2 ? by : 0.0};
    if (k < 3) {
        mat3 turn = so3_exp(unit);
        e->R = mat3_mul(&turn, &e->R);
    } else {
        e->p = vec3_add(e->p, unit);
    }
}

// d pose/d(motions of the two ends), (6 x 12) by columns.
static void by_ends(const net *c, const net_memory *m, const net_point *at, vec6 columns[12]) {
    const segment *s = at->s;
    for (int k = 0; k < 12; k++) {
        const double reach = k % 6 < 3 ? REACH : REACH * s->length;
        se3 pose[2];
        for (int side = 0; side < 2; side++) {
            end_motion a = end_at(&s->a, m->trial);
            end_motion b = end_at(&s->b, m->trial);
            nudge(k < 6 ? &a : &b, k % 6, side ? reach : -reach);
            element e = element_make(&a, &b, c->printed);
            pose[side] = element_pose(&e, &a, at->x);
        }
        columns[k] = motion_from(&pose[0], &pose[1], 2.0 * reach);
    }
}

vec6 end_shift(const net_memory *m, const place *at) {
    vec6 z = vec6_load(m->y + 6 * at->node);
    if (!at->apart) return z;
    vec3 arm = quat_rotate(m->trial[at->node].q, at->h.p);
    vec3 turn = at->turner ? vec3_load(m->y + 6 * (at->turner - 1)) : z.a;
    return (vec6){turn, vec3_add(z.l, vec3_cross(z.a, arm))};
}

vec6 point_motion(const net *c, const net_memory *m, const net_point *at) {
    if (at->body >= 0) return end_shift(m, &c->bodies[at->body]);
    vec6 columns[12], sum = vec6_zero();
    double ends[12];
    by_ends(c, m, at, columns);
    vec6_store(ends, end_shift(m, &at->s->a));
    vec6_store(ends + 6, end_shift(m, &at->s->b));
    for (int k = 0; k < 12; k++) sum = vec6_madd(sum, ends[k], columns[k]);
    return sum;
}

void push_end(net_memory *m, const place *at, vec6 w) {
    double *r = m->r + 6 * at->node, *turner = m->r + 6 * (at->turner - 1);
    if (at->turner) {
        vec3_store(turner, vec3_sub(vec3_load(turner), w.a));
        w.a = vec3_zero();
    }
    vec3 arm = at->apart ? quat_rotate(m->trial[at->node].q, at->h.p) : vec3_zero();
    w.a = vec3_add(w.a, vec3_cross(arm, w.l));
    vec6_store(r, vec6_sub(vec6_load(r), w));
}

void push_point(const net *c, net_memory *m, const net_point *at, vec6 wrench) {
    double ends[12];
    if (at->body >= 0) {
        push_end(m, &c->bodies[at->body], wrench);
        return;
    }
    vec6 columns[12];
    by_ends(c, m, at, columns);
    for (int k = 0; k < 12; k++) ends[k] = vec6_dot(columns[k], wrench);
    push_end(m, &at->s->a, vec6_load(ends));
    push_end(m, &at->s->b, vec6_load(ends + 6));
}

void held_motion(const net *c, net_memory *m) {
    for (int i = c->n_free; i < c->n_nodes; i++) {
        const node_state *x = &m->trial[i];
        vec6_store(m->y + 6 * i, (vec6){quat_rotate(x->q, x->w), x->v});
    }
}
