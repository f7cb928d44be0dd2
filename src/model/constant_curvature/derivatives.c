// model/constant_curvature/derivatives.c - how an equilibrium answers to its inputs and to a
// wrench, and whether it is stable.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/constant_curvature/constant_curvature.h"

#define TIGHT 1e-4  // a drive that does not stretch: errors of derivatives become 1e-8

// Rotation and translation in the world of a point under the change dq: its velocity at such rates.
static void move(void *context, double s, const double *dq, double moved[6]) {
    const arm_rest *r = context;
    const chain *c = &r->a->chain;
    int i = 0;
    while (i + 1 < c->n && s > c->segments[i].end) i++;
    double x = 1.0 - (c->segments[i].end - s) / c->segments[i].length;
    arcs_move(c, r->m->q, dq, NULL, vec3_zero(), r->m->arcs);
    frame_motion f = arc_point_at(&r->m->arcs[i], fmax(0.0, fmin(1.0, x))).at;
    vec3_store(moved, mat3_mul_vec(&r->a->base.R, f.turn));
    vec3_store(moved + 3, mat3_mul_vec(&r->a->base.R, f.velocity));
}

td_status arcs_jacobian(const void *compiled, void *memory, const model_call *call,
                        const model_point *at, double *J) {
    const constant_curvature *c = compiled;
    arm_rest r = arm_rest_of(c, memory, at->rod, call->inputs);
    r.tight = TIGHT;
    equilibrium e = arm_equilibrium(&r, call->stats);
    point_answer a = {.e = &e, .q = r.m->q, .move = move};
    return equilibrium_jacobian(&a, at->s, NULL, c->n_inputs, J);
}

td_status arcs_compliance(const void *compiled, void *memory, const model_call *call,
                          const model_point *at, const model_point *load, double *C) {
    arm_rest r = arm_rest_of(compiled, memory, at->rod, call->inputs);
    r.tight = TIGHT;
    equilibrium e = arm_equilibrium(&r, call->stats);
    point_answer a = {.e = &e, .q = r.m->q, .move = move};
    memset(C, 0, sizeof(double) * 36);
    if (load->rod != at->rod) return TD_OK;
    return equilibrium_compliance(&a, at->s, load->s, C);
}

static bool has_energy(const arm *a) {
    for (int i = 0; i < a->chain.n_loads; i++)
        if (a->chain.loads[i].follows) return false;
    return !a->chain.printed_scaling;
}

td_status arcs_stability(const void *compiled, void *memory, const model_call *call,
                         double *smallest) {
    const constant_curvature *c = compiled;
    *smallest = HUGE_VAL;
    for (int i = 0; i < c->n_arms; i++) {
        const arm *a = &c->arms[i];
        if (!has_energy(a)) {
            snprintf(call->message, MODEL_MESSAGE_SIZE,
                     "rod '%s' has no energy: a load follows it, or its equations are the printed "
                     "ones",
                     a->name);
            return TD_ERR_UNSUPPORTED;
        }
        arm_rest r = arm_rest_of(c, memory, i, call->inputs);
        r.tight = TIGHT;
        equilibrium e = arm_equilibrium(&r, call->stats);
        *smallest = fmin(*smallest, equilibrium_softest(&e, r.m->q, a->own));
    }
    return TD_OK;
}
