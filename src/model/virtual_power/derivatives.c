// model/virtual_power/derivatives.c - how an equilibrium answers to its inputs and to a
// wrench, and whether it is stable.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/virtual_power/virtual_power.h"

static void take_inputs(void *context, const double *inputs) {
    chain_rest *r = context;
    slip_law law = chain_rubs(&r->a->chain) ? SLIP_STATIC : SLIP_NONE;
    r->at = situation_of(r->c, r->a, inputs, law);
}

static void move(void *context, double s, const double *dq, double moved[6]) {
    const chain_rest *r = context;
    point_motion p = move_point(&r->a->chain, r->m->q, dq, s, r->m->discs);
    vec3_store(moved, mat3_mul_vec(&r->a->base.R, p.turn));
    vec3_store(moved + 3, mat3_mul_vec(&r->a->base.R, p.velocity));
}

static chain_rest rest_at(const virtual_power *c, power_memory *m, int rod, const double *inputs) {
    chain_rest r = {.c = c, .a = &c->arms[rod], .m = &m->arms[rod]};
    take_inputs(&r, inputs);
    return r;
}

td_status power_jacobian(const void *compiled, void *memory, const model_call *call,
                         const model_point *at, double *J) {
    const virtual_power *c = compiled;
    power_memory *m = memory;
    chain_rest r = rest_at(c, m, at->rod, call->inputs);
    equilibrium e = rest_of(&r, call->stats);
    point_answer a = {&e, r.m->q, move, take_inputs};
    if (c->n_inputs > 0)
        memcpy(m->within.given, call->inputs, sizeof(double) * (size_t)c->n_inputs);
    return equilibrium_jacobian(&a, at->s, m->within.given, c->n_inputs, J);
}

td_status power_compliance(const void *compiled, void *memory, const model_call *call,
                           const model_point *at, const model_point *load, double *C) {
    chain_rest r = rest_at(compiled, memory, at->rod, call->inputs);
    equilibrium e = rest_of(&r, call->stats);
    point_answer a = {&e, r.m->q, move, take_inputs};
    memset(C, 0, sizeof(double) * 36);
    if (load->rod != at->rod) return TD_OK;
    return equilibrium_compliance(&a, at->s, load->s, C);
}

// Contact forces by least squares do work on what they should not, and friction loses some.
static bool has_energy(const arm *a) {
    const td_virtual_power_options *o = &a->chain.options;
    for (int i = 0; i < a->n_loads; i++)
        if (a->loads[i].frame == TD_FRAME_BODY) return false;
    return o->contact == TD_CONTACT_IDEAL && !o->printed_omega && !o->printed_elasticity;
}

td_status power_stability(const void *compiled, void *memory, const model_call *call,
                          double *smallest) {
    const virtual_power *c = compiled;
    *smallest = HUGE_VAL;
    for (int i = 0; i < c->n_arms; i++) {
        const arm *a = &c->arms[i];
        if (!has_energy(a)) {
            snprintf(call->message, MODEL_MESSAGE_SIZE,
                     "rod '%s' has no energy: a load follows it, its tendons rub or act by contact "
                     "forces (simulation.virtual_power.contact: ideal), or its equations are the "
                     "printed ones",
                     a->name);
            return TD_ERR_UNSUPPORTED;
        }
        chain_rest r = rest_at(c, memory, i, call->inputs);
        equilibrium e = rest_of(&r, call->stats);
        *smallest = fmin(*smallest, equilibrium_softest(&e, r.m->q, a->own));
    }
    return TD_OK;
}
