// model/lumped/derivatives.c - how an equilibrium of eba answers to its inputs and to a wrench.
#include <math.h>
#include <string.h>

#include "model/lumped/point.h"

static void store_column(vec6 z, int n, int column, double *out) {
    double x[6];
    vec6_store(x, z);
    for (int r = 0; r < 6; r++) out[r * n + column] = x[r];
}

void net_linearise(const net *c, net_memory *m, const double *inputs) {
    situation at = {.inputs = inputs, .share = 1.0};
    use_sections(c, m);
    for (int i = 0; i < c->n_nodes; i++) m->nodes[i].v = m->nodes[i].w = vec3_zero();
    hold_nodes(c, m, &at, m->nodes);
    assemble(c, m, &at, m->nodes, m->efforts, true);
}

// r and gap at inputs moved by e, with the free nodes where they were; all nodes in x.
static void residual_at(const net *c, net_memory *m, int input, double e, node_state *x) {
    situation at = {.inputs = m->within.given, .share = 1.0};
    const double keep = m->within.given[input];
    m->within.given[input] = keep + e;
    memcpy(x, m->nodes, sizeof(node_state) * (size_t)c->n_nodes);
    hold_nodes(c, m, &at, x);
    assemble(c, m, &at, x, m->efforts, false);
    m->within.given[input] = keep;
}

// The inputs act through loads and efforts, in which all is linear, and through held frames.
td_status net_jacobian(const void *compiled, void *memory, const model_call *call,
                       const model_point *at, double *J) {
    const net *c = compiled;
    net_memory *m = memory;
    const net_point point = point_of(c, at);
    const size_t rows = 6 * (size_t)c->n_free;
    net_linearise(c, m, call->inputs);
    if (!factor_system(c, m)) return TD_ERR_SINGULAR;
    if (c->n_inputs > 0)
        memcpy(m->within.given, call->inputs, sizeof(double) * (size_t)c->n_inputs);
    for (int k = 0; k < c->n_inputs; k++) {
        const double e = input_step(call->inputs[k]);
        residual_at(c, m, k, -e, m->first);
        memcpy(m->side, m->r, sizeof(double) * rows);
        for (int i = 0; i < c->n_unknown; i++) m->side_gap[i] = m->gap[i];
        residual_at(c, m, k, e, m->trial);
        for (size_t i = 0; i < rows; i++) m->r[i] = (m->r[i] - m->side[i]) / (2.0 * e);
        for (int i = 0; i < c->n_unknown; i++) m->gap[i] = (m->gap[i] - m->side_gap[i]) / (2.0 * e);
        solve_system(c, m);
        held_motion(c, m, m->first, m->trial, 2.0 * e);
        store_column(point_motion(c, m, &point), c->n_inputs, k, J);
    }
    return TD_OK;
}

td_status net_compliance(const void *compiled, void *memory, const model_call *call,
                         const model_point *at, const model_point *load, double *C) {
    const net *c = compiled;
    net_memory *m = memory;
    const net_point point = point_of(c, at), pushed = point_of(c, load);
    net_linearise(c, m, call->inputs);
    if (!factor_system(c, m)) return TD_ERR_SINGULAR;
    memset(m->y, 0, sizeof(double) * 6 * (size_t)c->n_nodes);  // held nodes stay
    for (int k = 0; k < 6; k++) {
        memset(m->r, 0, sizeof(double) * 6 * (size_t)c->n_nodes);
        for (int i = 0; i < c->n_unknown; i++) m->gap[i] = 0.0;
        push_point(c, m, &pushed, k);
        solve_system(c, m);
        store_column(point_motion(c, m, &point), 6, k, C);
    }
    return TD_OK;
}
