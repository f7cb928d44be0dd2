// model/constant_curvature/derivatives.c - how an equilibrium answers to its inputs and to a
// wrench, and whether it is stable.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "math/symmetric.h"
#include "model/constant_curvature/constant_curvature.h"

// Rotation and translation in the world of a point under the change dq: its velocity at such rates.
static void motion_under(const arm *a, arm_memory *m, double s, const double *dq, double out[6]) {
    const chain *c = &a->chain;
    int i = 0;
    while (i + 1 < c->n && s > c->segments[i].end) i++;
    double x = 1.0 - (c->segments[i].end - s) / c->segments[i].length;
    arcs_move(c, m->q, dq, NULL, vec3_zero(), m->arcs);
    frame_motion f = arc_point_at(&m->arcs[i], fmax(0.0, fmin(1.0, x))).at;
    vec3_store(out, mat3_mul_vec(&a->base.R, f.turn));
    vec3_store(out + 3, mat3_mul_vec(&a->base.R, f.velocity));
}

static void store_column(const double moved[6], int n, int column, double *out) {
    for (int r = 0; r < 6; r++) out[r * n + column] = moved[r];
}

// dQ/d input by central differences, in m->step.
static void force_by_input(const constant_curvature *c, const arm *a, arm_memory *m, double *inputs,
                           int input) {
    const int n = a->chain.n_q;
    double keep = inputs[input], e = 1e-6 * fmax(1e-3, fabs(keep));
    inputs[input] = keep + e;
    situation at = arcs_situation(c, a, inputs);
    arm_forces(a, m, &at, m->q, NULL);
    memcpy(m->step, m->Q, sizeof(double) * (size_t)n);
    inputs[input] = keep - e;
    at = arcs_situation(c, a, inputs);
    arm_forces(a, m, &at, m->q, NULL);
    inputs[input] = keep;
    for (int k = 0; k < n; k++) m->step[k] = (m->step[k] - m->Q[k]) / (2.0 * e);
}

td_status arcs_jacobian(const void *compiled, void *memory, const model_call *call,
                        const model_point *at, double *J) {
    const constant_curvature *c = compiled;
    arcs_memory *all = memory;
    const arm *a = &c->arms[at->rod];
    arm_memory *m = &all->arms[at->rod];
    situation now = arcs_situation(c, a, call->inputs);
    if (!arm_factor(a, m, &now, m->q)) return TD_ERR_SINGULAR;
    if (c->n_inputs > 0) memcpy(all->inputs, call->inputs, sizeof(double) * (size_t)c->n_inputs);
    for (int i = 0; i < c->n_inputs; i++) {
        double moved[6];
        force_by_input(c, a, m, all->inputs, i);
        lu_solve(a->chain.n_q, m->K, m->pivot, m->step);
        motion_under(a, m, at->s, m->step, moved);
        store_column(moved, c->n_inputs, i, J);
    }
    return TD_OK;
}

td_status arcs_compliance(const void *compiled, void *memory, const model_call *call,
                          const model_point *at, const model_point *load, double *C) {
    const constant_curvature *c = compiled;
    const arm *a = &c->arms[at->rod];
    arm_memory *m = &((arcs_memory *)memory)->arms[at->rod];
    const int n = a->chain.n_q;
    memset(C, 0, sizeof(double) * 36);
    if (load->rod != at->rod) return TD_OK;
    situation now = arcs_situation(c, a, call->inputs);
    if (!arm_factor(a, m, &now, m->q)) return TD_ERR_SINGULAR;
    for (int i = 0; i < 6; i++) {
        double moved[6];
        memset(m->trial, 0, sizeof(double) * (size_t)n);
        for (int k = 0; k < n; k++) {  // virtual power of a unit wrench
            m->trial[k] = 1.0;
            motion_under(a, m, load->s, m->trial, moved);
            m->trial[k] = 0.0;
            m->step[k] = moved[i];
        }
        lu_solve(n, m->K, m->pivot, m->step);
        motion_under(a, m, at->s, m->step, moved);
        store_column(moved, 6, i, C);
    }
    return TD_OK;
}

static bool has_energy(const arm *a) {
    for (int i = 0; i < a->chain.n_loads; i++)
        if (a->chain.loads[i].follows) return false;
    return !a->chain.printed_scaling;
}

// The smallest eigenvalue of the stiffness in units of that of the segments alone.
td_status arcs_stability(const void *compiled, void *memory, const model_call *call,
                         double *smallest) {
    const constant_curvature *c = compiled;
    *smallest = HUGE_VAL;
    for (int i = 0; i < c->n_arms; i++) {
        const arm *a = &c->arms[i];
        const chain *ch = &a->chain;
        arm_memory *m = &((arcs_memory *)memory)->arms[i];
        if (!has_energy(a)) {
            snprintf(call->message, MODEL_MESSAGE_SIZE,
                     "rod '%s' has no energy: a load follows it, or its equations are the printed "
                     "ones",
                     a->name);
            return TD_ERR_UNSUPPORTED;
        }
        situation now = arcs_situation(c, a, call->inputs);
        arm_stiffness(a, m, &now, m->q);
        for (int k = 0; k < ch->n_q; k++) {
            const segment *g = &ch->segments[k / ch->per];
            int local = k % ch->per;
            double own = local == 2 ? g->extension : g->bending[local];
            m->trial[k] = 1.0 / sqrt(own / g->length);
        }
        for (int k = 0; k < ch->n_q * ch->n_q; k++)
            m->K[k] *= m->trial[k / ch->n_q] * m->trial[k % ch->n_q];
        tridiagonalise(ch->n_q, m->K, m->step, m->start);
        *smallest = fmin(*smallest, tridiagonal_eigenvalue(ch->n_q, m->step, m->start, 0));
    }
    return TD_OK;
}
