// model/virtual_power/derivatives.c - how an equilibrium answers to its inputs and to a wrench.
//
// dq = S^-1 dQ with the stiffness S = -dQ/dq. The motion of a point is linear in the rates of the
// coordinates, so that its derivative is its velocity under the rates dq.
#include <string.h>

#include "math/dense.h"
#include "model/virtual_power/virtual_power.h"

static situation at_rest(const virtual_power *c, const arm *a, const double *inputs) {
    return situation_of(c, a, inputs, chain_rubs(&a->chain) ? SLIP_STATIC : SLIP_NONE);
}

// Rotation and translation in the world of a point under the change dq, as a column of out (6 x n).
static void store_motion(const arm *a, arm_memory *m, double s, const double *dq, int n, int column,
                         double *out) {
    point_motion p = move_point(&a->chain, m->q, dq, s, m->discs);
    double moved[6];
    vec3_store(moved, mat3_mul_vec(&a->base.R, p.turn));
    vec3_store(moved + 3, mat3_mul_vec(&a->base.R, p.velocity));
    for (int r = 0; r < 6; r++) out[r * n + column] = moved[r];
}

// dQ/d input by central differences, in m->step.
static void force_by_input(const virtual_power *c, const arm *a, arm_memory *m, double *inputs,
                           int input) {
    const int n = a->chain.n_q;
    double keep = inputs[input], e = 1e-6 * fmax(1.0, fabs(keep));
    inputs[input] = keep + e;
    situation at = at_rest(c, a, inputs);
    find_forces(a, m, &at, m->q, NULL);
    memcpy(m->step, m->Q, sizeof(double) * (size_t)n);
    inputs[input] = keep - e;
    at = at_rest(c, a, inputs);
    find_forces(a, m, &at, m->q, NULL);
    inputs[input] = keep;
    for (int k = 0; k < n; k++) m->step[k] = (m->step[k] - m->Q[k]) / (2.0 * e);
}

td_status power_jacobian(const void *compiled, void *memory, const model_call *call,
                         const model_point *at, double *J) {
    const virtual_power *c = compiled;
    power_memory *pm = memory;
    const arm *a = &c->arms[at->rod];
    arm_memory *m = &pm->arms[at->rod];
    situation now = at_rest(c, a, call->inputs);
    if (!factor_stiffness(a, m, &now, m->q)) return TD_ERR_SINGULAR;
    if (c->n_inputs > 0) memcpy(pm->inputs, call->inputs, sizeof(double) * (size_t)c->n_inputs);
    for (int i = 0; i < c->n_inputs; i++) {
        force_by_input(c, a, m, pm->inputs, i);
        lu_solve(a->chain.n_q, m->by_q, m->pivot, m->step);
        store_motion(a, m, at->s, m->step, c->n_inputs, i, J);
    }
    return TD_OK;
}

// Generalised forces of a unit wrench (moment, force; world) at a point, by its virtual power.
static void force_of_unit(const arm *a, arm_memory *m, double s, int component, double *Q) {
    const int n = a->chain.n_q;
    memset(m->trial_rates, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++) {
        double moved[6];
        m->trial_rates[k] = 1.0;
        store_motion(a, m, s, m->trial_rates, 1, 0, moved);
        m->trial_rates[k] = 0.0;
        Q[k] = moved[component];
    }
}

td_status power_compliance(const void *compiled, void *memory, const model_call *call,
                           const model_point *at, const model_point *load, double *C) {
    const virtual_power *c = compiled;
    power_memory *pm = memory;
    const arm *a = &c->arms[at->rod];
    arm_memory *m = &pm->arms[at->rod];
    memset(C, 0, sizeof(double) * 36);
    if (load->rod != at->rod) return TD_OK;
    situation now = at_rest(c, a, call->inputs);
    if (!factor_stiffness(a, m, &now, m->q)) return TD_ERR_SINGULAR;
    for (int i = 0; i < 6; i++) {
        force_of_unit(a, m, load->s, i, m->step);
        lu_solve(a->chain.n_q, m->by_q, m->pivot, m->step);
        store_motion(a, m, at->s, m->step, 6, i, C);
    }
    return TD_OK;
}
