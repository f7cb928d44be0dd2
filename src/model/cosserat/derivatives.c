// model/cosserat/derivatives.c - how an equilibrium answers to inputs, loads and parameters.
//
// At an equilibrium r(x, a) = 0 with strains x and anything else a:  dx/da = - r_x^-1 r_a. The second
// factor comes from the residual at fixed strains: it is linear in loads, so one central difference
// is exact for them, and nearly so for the rest. The first is the scheme's.
#include <math.h>
#include <string.h>

#include "model/cosserat/scheme.h"

typedef struct equilibrium {
    const cosserat *c;
    const rod *r;
    rod_memory *m;
    td_stats *stats;
    int n;
} equilibrium;

// The rod of system c with its loads and base at the given inputs.
static rod_problem problem_at(const equilibrium *e, const cosserat *c, const double *inputs) {
    const rod *r = &c->rods[e->r - e->c->rods];
    rod_loads_at(r, inputs, 1.0, e->m->loads);
    return (rod_problem){.r = r, .options = &c->options, .m = e->m,
                         .gravity = rod_gravity_at(c, inputs, 1.0),
                         .base = rod_base_at(r, inputs, NULL), .stats = e->stats};
}

static td_status begin(const cosserat *c, const cosserat_memory *m, const model_call *call,
                       int rod_index, equilibrium *e) {
    if (!c->scheme->derivatives) return TD_ERR_UNSUPPORTED;
    *e = (equilibrium){c, &c->rods[rod_index], &m->rods[rod_index], call->stats,
                       c->scheme->n_unknowns(&c->rods[rod_index])};
    memset(e->m->history, 0, sizeof(double) * F_SIZE * (size_t)e->r->n_nodes);
    rod_problem p = problem_at(e, c, call->inputs);
    return c->scheme->derivatives->factor(&p);
}

// d(pose at s) of the strains that keep the equilibrium, plus what the base does by itself.
// change: r at `plus` less r at `minus`, over step.
static td_status answer(const equilibrium *e, const double *inputs, const double *change, double s,
                        double out[6]) {
    rod_problem p = problem_at(e, e->c, inputs);
    double own[6];
    td_status status = e->c->scheme->derivatives->respond(&p, change, s, own);
    for (int i = 0; i < 6; i++) out[i] += own[i];
    return status;
}

// ---------------------------------------------------------------- inputs
static bool input_moves_base(const rod *r, int input) {
    for (int i = 0; i < 3; i++) {
        const td_number *a = &r->base.position[i], *b = &r->base.rotation[i];
        if ((a->gain != 0.0 && a->input == input) || (b->gain != 0.0 && b->input == input))
            return true;
    }
    return false;
}

td_status cosserat_jacobian(const void *compiled, void *memory, const model_call *call,
                            int rod_index, double s, double *J) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    equilibrium e;
    td_status status = begin(c, m, call, rod_index, &e);
    if (status < 0) return status;
    const scheme_derivatives *d = c->scheme->derivatives;
    double *plus = e.m->unknowns[0], *minus = e.m->unknowns[1], *inputs = m->half_inputs;
    memcpy(inputs, call->inputs, sizeof(double) * (size_t)c->n_inputs);
    for (int k = 0; k < c->n_inputs; k++) {
        // loads enter linearly: any step is exact; a base's pose does not
        double step = input_moves_base(e.r, k) ? 1e-5 : fmax(1.0, fabs(call->inputs[k]));
        double column[6] = {0.0};
        inputs[k] = call->inputs[k] - step;
        rod_problem p = problem_at(&e, c, inputs);
        se3 before, after;
        bool ok = d->evaluate(&p, s, minus, &before);
        inputs[k] = call->inputs[k] + step;
        p = problem_at(&e, c, inputs);
        if (!ok || !d->evaluate(&p, s, plus, &after)) return TD_ERR_NOT_FINITE;
        inputs[k] = call->inputs[k];
        motion_between(&before, &after, 2.0 * step, column);
        for (int i = 0; i < e.n; i++) plus[i] = (plus[i] - minus[i]) / (2.0 * step);
        status = answer(&e, call->inputs, plus, s, column);
        if (status < 0) return status;
        for (int i = 0; i < 6; i++) J[i * c->n_inputs + k] = column[i];
    }
    return TD_OK;
}

// ---------------------------------------------------------------- an external wrench
td_status cosserat_compliance(const void *compiled, void *memory, const model_call *call,
                              int rod_index, double s, int load_rod, double load_s, double *C) {
    const cosserat *c = compiled;
    equilibrium e;
    td_status status = begin(c, memory, call, rod_index, &e);
    if (status < 0) return status;
    memset(C, 0, sizeof(double) * 36);
    if (load_rod != rod_index) return TD_OK;  // rods do not touch each other
    for (int k = 0; k < 6; k++) {
        double wrench_k[6] = {0.0}, column[6] = {0.0}, *change = e.m->unknowns[0];
        wrench_k[k] = 1.0;
        rod_problem p = problem_at(&e, c, call->inputs);
        c->scheme->derivatives->push(&p, load_s, wrench_k, change);
        status = answer(&e, call->inputs, change, s, column);
        if (status < 0) return status;
        for (int i = 0; i < 6; i++) C[6 * i + k] = column[i];
    }
    return TD_OK;
}

// ---------------------------------------------------------------- parameters
static bool same_nodes(const rod *a, const rod *b) {
    bool same = a->n_elements == b->n_elements && a->n_nodes == b->n_nodes;
    for (int k = 0; same && k < a->n_elements; k++)
        same = a->elements[k].n_nodes == b->elements[k].n_nodes;
    return same;
}

td_status cosserat_sensitivity(const void *compiled, void *memory, const model_call *call,
                               const void *plus_compiled, const void *minus_compiled, double step,
                               int rod_index, double s, double *out) {
    const cosserat *c = compiled, *sides[2] = {minus_compiled, plus_compiled};
    equilibrium e;
    td_status status = begin(c, memory, call, rod_index, &e);
    if (status < 0) return status;
    const scheme_derivatives *d = c->scheme->derivatives;
    se3 pose[2];
    for (int i = 0; i < 2; i++) {
        if (sides[i]->n_rods != c->n_rods || !same_nodes(&sides[i]->rods[rod_index], e.r))
            return TD_ERR_ARGUMENT;
        rod_problem p = problem_at(&e, sides[i], call->inputs);
        double there = s / e.r->length * p.r->length;
        if (!d->evaluate(&p, there, e.m->unknowns[i], &pose[i])) return TD_ERR_NOT_FINITE;
    }
    motion_between(&pose[0], &pose[1], 2.0 * step, out);
    double *change = e.m->unknowns[1];
    for (int i = 0; i < e.n; i++) change[i] = (change[i] - e.m->unknowns[0][i]) / (2.0 * step);
    return answer(&e, call->inputs, change, s, out);
}
