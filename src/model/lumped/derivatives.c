// model/lumped/derivatives.c - how an equilibrium answers to its inputs and to a wrench.
#include <math.h>
#include <string.h>

#include "model/lumped/net.h"

static situation at_rest(const double *inputs) {
    return (situation){.inputs = inputs, .share = 1.0};
}

// Where a point of a rod is held by its two neighbours: their motions, shared by arc length.
typedef struct point {
    const segment *s;
    double x;
} point;

static point point_on(const net *c, const model_point *at) {
    const net_rod *r = &c->rods[at->rod];
    int i = r->first;
    while (i + 1 < r->first + r->n && at->s > c->segments[i + 1].s) i++;
    const segment *s = &c->segments[i];
    return (point){s, fmin(1.0, fmax(0.0, (at->s - s->s) / s->length))};
}

static int body_node(const net *c, int body) {
    return c->bodies[body].node;
}

static vec6 motion_of(const net *c, const net_memory *m, const place *at) {
    if (at->node >= c->n_free) return vec6_zero();
    vec6 z = vec6_load(m->y + 6 * at->node);
    if (!at->apart) return z;
    return (vec6){z.a, vec3_add(z.l, vec3_cross(z.a, mat3_mul_vec(&m->R[at->node], at->h.p)))};
}

static void store_motion(const net *c, const net_memory *m, const model_point *at, int n,
                         int column, double *out) {
    double z[6];
    if (at->body >= 0) {
        vec6_store(z, vec6_load(m->y + 6 * body_node(c, at->body)));
    } else {
        point p = point_on(c, at);
        vec6 a = motion_of(c, m, &p.s->a), b = motion_of(c, m, &p.s->b);
        vec6_store(z, vec6_add(vec6_scale(a, 1.0 - p.x), vec6_scale(b, p.x)));
    }
    for (int r = 0; r < 6; r++) out[r * n + column] = z[r];
}

static bool prepare(const net *c, net_memory *m, const double *inputs) {
    situation at = at_rest(inputs);
    for (int i = 0; i < c->n_nodes; i++) m->nodes[i].v = m->nodes[i].w = vec3_zero();
    hold_nodes(c, m, &at, m->nodes);
    assemble(c, m, &at, m->nodes, m->efforts, true);
    return factor_system(c, m);
}

// r and gap at inputs moved by e, with the nodes where they were.
static void residual_at(const net *c, net_memory *m, int input, double e, double *r, double *gap) {
    situation at = at_rest(m->inputs);
    const double keep = m->inputs[input];
    m->inputs[input] = keep + e;
    memcpy(m->trial, m->nodes, sizeof(node_state) * (size_t)c->n_nodes);
    hold_nodes(c, m, &at, m->trial);
    assemble(c, m, &at, m->trial, m->efforts, false);
    m->inputs[input] = keep;
    memcpy(r, m->r, sizeof(double) * 6 * (size_t)c->n_free);
    if (c->n_unknown) memcpy(gap, m->gap, sizeof(double) * (size_t)c->n_unknown);
}

// The inputs act through loads and efforts, in which all is linear, and through held frames.
td_status net_jacobian(const void *compiled, void *memory, const model_call *call,
                       const model_point *at, double *J) {
    const net *c = compiled;
    net_memory *m = memory;
    const size_t rows = 6 * (size_t)c->n_free;
    if (!prepare(c, m, call->inputs)) return TD_ERR_SINGULAR;
    if (c->n_inputs > 0) memcpy(m->inputs, call->inputs, sizeof(double) * (size_t)c->n_inputs);
    for (int k = 0; k < c->n_inputs; k++) {
        double e = 1e-6 * fmax(1.0, fabs(call->inputs[k]));
        residual_at(c, m, k, -e, m->side, m->side_gap);
        residual_at(c, m, k, e, m->r, m->gap);
        for (size_t i = 0; i < rows; i++) m->r[i] = (m->r[i] - m->side[i]) / (2.0 * e);
        for (int i = 0; i < c->n_unknown; i++) m->gap[i] = (m->gap[i] - m->side_gap[i]) / (2.0 * e);
        for (int i = 0; i < c->n_nodes; i++) m->R[i] = quat_to_mat3(m->nodes[i].q);
        solve_system(c, m);
        store_motion(c, m, at, c->n_inputs, k, J);
    }
    return TD_OK;
}

static void push(const net *c, net_memory *m, const place *at, double share, int component) {
    if (at->node >= c->n_free) return;
    double w[6] = {0.0};
    w[component] = share;
    vec6 wrench = vec6_load(w);
    if (at->apart)
        wrench.a = vec3_add(wrench.a, vec3_cross(mat3_mul_vec(&m->R[at->node], at->h.p), wrench.l));
    vec6_store(w, wrench);
    for (int i = 0; i < 6; i++) m->r[6 * at->node + i] -= w[i];
}

td_status net_compliance(const void *compiled, void *memory, const model_call *call,
                         const model_point *at, const model_point *load, double *C) {
    const net *c = compiled;
    net_memory *m = memory;
    if (!prepare(c, m, call->inputs)) return TD_ERR_SINGULAR;
    for (int k = 0; k < 6; k++) {
        memset(m->r, 0, sizeof(double) * 6 * (size_t)c->n_nodes);
        for (int i = 0; i < c->n_unknown; i++) m->gap[i] = 0.0;
        if (load->body >= 0) {
            push(c, m, &c->bodies[load->body], 1.0, k);
        } else {
            point p = point_on(c, load);
            push(c, m, &p.s->a, 1.0 - p.x, k);
            push(c, m, &p.s->b, p.x, k);
        }
        solve_system(c, m);
        store_motion(c, m, at, 6, k, C);
    }
    return TD_OK;
}
