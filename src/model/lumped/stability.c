// model/lumped/stability.c - the second variation of the energy of an equilibrium of eba.
//
// With the matrix K of the equilibrium and K0 that of the material alone, the smallest l with
// det(K - l K0) = 0 is found by bisection on the number of negative eigenvalues of K - l K0.
#include <math.h>
#include <stdio.h>

#include "model/lumped/net.h"

#define FARTHEST 1000.0  // eigenvalues below minus this are not looked for
#define HALVINGS 60
#define CLOSE 1e-12

const char *lacks_energy(const net *c, const double *inputs) {
    for (int i = 0; i < c->n_loads; i++) {
        const node_load *l = &c->loads[i];
        if (vec3_norm(numbers_at(l->moment, inputs)) > 0.0) return "a load is a moment";
        if (l->frame == TD_FRAME_BODY && vec3_norm(numbers_at(l->force, inputs)) > 0.0)
            return "a load follows";
    }
    return NULL;
}

td_status check_energy(const net *c, const model_call *call) {
    const char *lacks = lacks_energy(c, call->inputs);
    if (c->follows) lacks = "sections follow the mean stretch";
    if (!lacks) return TD_OK;
    snprintf(call->message, MODEL_MESSAGE_SIZE,
             "%s: there is no energy whose second variation could be judged", lacks);
    return TD_ERR_UNSUPPORTED;
}

// How many eigenvalues lie below l; -1: l is one.
static int count_below(const net *c, net_memory *m, double l) {
    const size_t n = BLOCK * (size_t)blocks_of(&c->pattern);
    for (size_t i = 0; i < n; i++) m->a[i] = m->whole[i] - l * m->material[i];
    return factor_and_judge(c, m);
}

td_status net_stability(const void *compiled, void *memory, const model_call *call,
                        double *smallest) {
    const net *c = compiled;
    net_memory *m = memory;
    const size_t n = BLOCK * (size_t)blocks_of(&c->pattern);
    td_status status = check_energy(c, call);
    if (status < 0) return status;
    net_linearise(c, m, call->inputs);
    for (size_t i = 0; i < n; i++) m->whole[i] = m->a[i];
    assemble_material(c, m, m->nodes);
    for (size_t i = 0; i < n; i++) m->material[i] = m->a[i];
    double low = 0.0, high = 1.0;
    while (high < FARTHEST && count_below(c, m, high) == 0) low = high, high *= 2.0;
    if (low == 0.0 && count_below(c, m, low) != 0)
        for (low = -1.0, high = 0.0; count_below(c, m, low) > 0; low *= 2.0) {
            high = low;
            if (low < -FARTHEST) {
                *smallest = -1.0;
                return TD_OK;
            }
        }
    for (int i = 0; i < HALVINGS && high - low > CLOSE * fmax(1.0, fabs(high)); i++) {
        double middle = 0.5 * (low + high);
        if (count_below(c, m, middle) == 0) low = middle;
        else high = middle;
    }
    *smallest = 0.5 * (low + high);
    return TD_OK;
}
