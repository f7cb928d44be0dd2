// model/lumped/relative_derivatives.c - how an equilibrium in relative coordinates answers to its
// inputs and to a wrench, and whether it is stable.
#include <math.h>
#include <string.h>

#include "math/symmetric.h"
#include "model/lumped/point.h"
#include "model/lumped/relative.h"

#define REACH 1e-5  // rad, or lengths of a segment, of differences

typedef struct direction {  // a small motion: of the coordinates by m->residual, and of an input
    int input;              // -1: none
    double reach;           // how far it is followed
} direction;

static se3 pose_along(const net *c, relative_memory *m, const direction *d, double by,
                      const net_point *at) {
    net_memory *n = &m->net;
    situation now = {.inputs = n->within.given, .share = 1.0};
    const double keep = d->input < 0 ? 0.0 : n->within.given[d->input];
    if (d->input >= 0) n->within.given[d->input] = keep + by;
    for (int i = 0; i < PER * c->n_segments; i++) m->trial[i] = m->q[i] + by * m->side[i];
    hold_nodes(c, n, &now, n->trial);
    if (d->input >= 0) n->within.given[d->input] = keep;
    move_nodes(c, m, &now, m->trial);
    return point_pose(c, n->trial, at);
}

// Of a point, per unit of the motion.
static void store_motion(const net *c, relative_memory *m, const direction *d, const net_point *at,
                         int n, int column, double *out) {
    double z[6] = {0.0};
    if (d->reach > 0.0) {
        memcpy(m->side, m->residual, sizeof(double) * PER * (size_t)c->n_segments);
        se3 back = pose_along(c, m, d, -d->reach, at), forth = pose_along(c, m, d, d->reach, at);
        vec6_store(z, motion_from(&back, &forth, 2.0 * d->reach));
    }
    for (int r = 0; r < 6; r++) out[r * n + column] = z[r];
}

// Such that neither coordinates nor held nodes go further than REACH; 0: nothing moves.
static double reach_of(const net *c, const relative_memory *m, double size, bool input) {
    for (int i = c->n_free; i < c->n_nodes && input; i++) {
        const double *z = m->net.y + 6 * i;
        size = fmax(size, vec3_norm(vec3_load(z)));
        size = fmax(size, vec3_norm(vec3_load(z + 3)) / c->size);
    }
    return size > 0.0 ? REACH / size : 0.0;
}

static void forces_at(const net *c, relative_memory *m, int input, double e, node_state *held) {
    net_memory *n = &m->net;
    situation at = {.inputs = n->within.given, .share = 1.0};
    const double keep = n->within.given[input];
    n->within.given[input] = keep + e;
    hold_nodes(c, n, &at, n->trial);
    ask_forces(c, m, &at, m->q, NULL, NULL);
    n->within.given[input] = keep;
    memcpy(held, n->trial, sizeof(node_state) * (size_t)c->n_nodes);
}

td_status relative_jacobian(const void *compiled, void *memory, const model_call *call,
                            const model_point *at, double *J) {
    const net *c = compiled;
    relative_memory *m = memory;
    net_memory *n = &m->net;
    const net_point point = point_of(c, at);
    const int rows = PER * c->n_segments;
    relative_linearise(c, m, call);
    if (!relative_factor(c, m)) return TD_ERR_SINGULAR;
    if (c->n_inputs > 0)
        memcpy(n->within.given, call->inputs, sizeof(double) * (size_t)c->n_inputs);
    for (int k = 0; k < c->n_inputs; k++) {
        const double e = input_step(call->inputs[k]);
        forces_at(c, m, k, -e, n->first);
        memcpy(m->side, m->residual, sizeof(double) * (size_t)rows);
        forces_at(c, m, k, e, n->before);
        for (int i = 0; i < rows; i++) m->residual[i] = (m->residual[i] - m->side[i]) / (2.0 * e);
        held_motion(c, n, n->first, n->before, 2.0 * e);
        const direction d = {k, reach_of(c, m, relative_answer(c, m), true)};
        store_motion(c, m, &d, &point, c->n_inputs, k, J);
    }
    return TD_OK;
}

td_status relative_compliance(const void *compiled, void *memory, const model_call *call,
                              const model_point *at, const model_point *load, double *C) {
    const net *c = compiled;
    relative_memory *m = memory;
    net_memory *n = &m->net;
    const net_point point = point_of(c, at), pushed = point_of(c, load);
    relative_linearise(c, m, call);
    if (!relative_factor(c, m)) return TD_ERR_SINGULAR;
    if (c->n_inputs > 0)
        memcpy(n->within.given, call->inputs, sizeof(double) * (size_t)c->n_inputs);
    for (int k = 0; k < 6; k++) {
        move_nodes(c, m, &(situation){.inputs = n->within.given}, m->q);
        memset(n->r, 0, sizeof(double) * 6 * (size_t)c->n_nodes);
        push_point(c, n, &pushed, k);
        project_forces(c, m);
        const direction d = {-1, reach_of(c, m, relative_answer(c, m), false)};
        store_motion(c, m, &d, &point, 6, k, C);
    }
    return TD_OK;
}

// The smallest eigenvalue of each rod's matrix in units of its material's own stiffness.
td_status relative_stability(const void *compiled, void *memory, const model_call *call,
                             double *smallest) {
    const net *c = compiled;
    relative_memory *m = memory;
    td_status status = check_energy(c, call);
    if (status < 0) return status;
    relative_linearise(c, m, call);
    *smallest = HUGE_VAL;
    double *J = m->jacobian;
    for (int i = 0; i < c->n_rods; i++) {
        const int n = PER * c->rods[i].n, first = PER * c->rods[i].first;
        double *unit = m->trial + first, *d = m->side + first, *e = m->residual + first;
        for (int k = 0; k < n; k++) {
            const segment *s = &m->net.segments[(first + k) / PER];
            unit[k] = 1.0 / sqrt(s->law.stiffness[k % PER] / s->length);
        }
        for (int k = 0; k < n * n; k++) J[k] *= unit[k / n] * unit[k % n];
        tridiagonalise(n, J, d, e);
        *smallest = fmin(*smallest, tridiagonal_eigenvalue(n, d, e, 0));
        J += n * n;
    }
    return TD_OK;
}
