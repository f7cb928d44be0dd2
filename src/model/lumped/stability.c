// model/lumped/stability.c - the second variation of the energy of an equilibrium of eba.
//
// With the matrix K of the equilibrium and K0 that of the material alone, the smallest l with
// det(K - l K0) = 0 is found by bisection on the number of negative eigenvalues of K - l K0, which its
// block factors show (Sylvester). An unknown effort borders it by U, with what gives way C:
//
//     negative(A + U C^-1 U') = negative(A) + negative(-C - U' A^-1 U) - (number of efforts)
//
// which holds for C = 0 too, on the shapes that the effort admits (Haynsworth).
#include <math.h>
#include <stdio.h>

#include "math/symmetric.h"
#include "model/lumped/net.h"

#define FARTHEST 1000.0  // eigenvalues below minus this are not looked for
#define HALVINGS 60
#define CLOSE 1e-12

td_status check_energy(const net *c, const model_call *call) {
    const char *lacks = c->options.lumped.mean_stretch ? "sections follow the mean stretch" : NULL;
    for (int i = 0; i < c->n_loads && !lacks; i++) {
        const node_load *l = &c->loads[i];
        if (vec3_norm(values_at(l->moment, call->inputs)) > 0.0) lacks = "a load is a moment";
        if (l->frame == TD_FRAME_BODY && vec3_norm(values_at(l->force, call->inputs)) > 0.0)
            lacks = "a load follows";
    }
    if (!lacks) return TD_OK;
    snprintf(call->message, MODEL_MESSAGE_SIZE,
             "%s: there is no energy whose second variation could be judged", lacks);
    return TD_ERR_UNSUPPORTED;
}

// Efforts that are not slack: -C - U' A^-1 U, symmetric, of size *n; rows of the balance turned so that
// they are those of U'.
static void fill_border(const net *c, net_memory *m, int *n) {
    const size_t rows = 6 * (size_t)c->n_free, stride = 6 * (size_t)c->n_nodes;
    int taut = 0, row = 0;
    for (int i = 0; i < c->n_unknown; i++) taut += m->by_measure[i] != 0.0;
    *n = taut;
    for (int i = 0; i < c->n_unknown; i++) {
        if (m->by_measure[i] == 0.0) continue;
        const double *slope = m->slopes + (size_t)i * stride, sign = effort_sign(c, i);
        double *column = m->columns + (size_t)i * rows;
        for (size_t k = 0; k < rows; k++) column[k] = sign * slope[k];
        blocks_solve(&c->pattern, m->a, m->pivot, column);
        for (int j = 0, at = 0; j < c->n_unknown; j++) {
            if (m->by_measure[j] == 0.0) continue;
            const double *other = m->slopes + (size_t)j * stride;
            double sum = 0.0;
            for (size_t k = 0; k < rows; k++) sum += other[k] * column[k];
            m->schur[taut * at++ + row] = -effort_sign(c, j) * sum;
        }
        m->schur[(taut + 1) * row++] += m->by_effort[i] * sign / m->by_measure[i];
    }
}

// How many eigenvalues lie below l; -1: l is one.
static int count_below(const net *c, net_memory *m, double l) {
    const size_t n = BLOCK * (size_t)blocks_of(&c->pattern);
    for (size_t i = 0; i < n; i++) m->a[i] = m->whole[i] - l * m->material[i];
    int below = blocks_negative(&c->pattern, m->a, m->pivot), taut = 0;
    if (below < 0 || c->n_unknown == 0) return below;
    fill_border(c, m, &taut);
    if (taut == 0) return below;
    tridiagonalise(taut, m->schur, m->gap, m->side_gap);
    return below + tridiagonal_below(taut, m->gap, m->side_gap, 0.0) - taut;
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
