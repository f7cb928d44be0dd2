// model/cosserat/derivatives.c - how an equilibrium answers to inputs, loads and parameters.
//
// At an equilibrium r(x, a) = 0 with all unknowns x of an assembly and anything else a: dx/da = -
// r_x^-1 r_a. The second factor comes from the residual at fixed unknowns: it is linear in loads,
// so one difference is exact for them, and nearly so for the rest. The first comes from the
// sharpest factors there are; differences of the residual along the answer itself (accurate to
// about 1e-10) check it and correct what is left.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/cosserat/assembly.h"

#define CORRECTIONS 12
#define ENOUGH 1e-10      // relative size of the last correction
#define PROBE_ANGLE 1e-5  // how far differences reach, as an angle over a rod

typedef struct equilibrium {
    assembly_problem p;
    int n;            // of a change
    double *point;    // the equilibrium
    double *probe;    // points[1]
    double *forward;  // (n) points[2]
    double *answer;   // (n) points[3]
} equilibrium;

static const scheme_ports *ports_of(const cosserat *c) {
    const scheme_ports *ports = c->scheme->ports;
    return ports && ports->pose && ports->push ? ports : NULL;
}

int assembly_of_point(const cosserat *c, const model_point *at) {
    if (at->body < 0) return c->rods[at->rod].assembly;
    for (int k = 0; k < c->n_bodies; k++)
        if (c->bodies[k].body == at->body) return c->bodies[k].assembly;
    return -1;
}

static int rod_in(const assembly *a, int rod_index) {
    int i = 0;
    while (a->rods[i] != rod_index) i++;
    return i;
}

static int body_in(const cosserat *c, const assembly *a, int body) {
    int k = 0;
    while (c->bodies[a->bodies[k]].body != body) k++;
    return k;
}

static td_status begin(const cosserat *c, cosserat_memory *m, const model_call *call,
                       const model_point *at, equilibrium *e) {
    static const double present[3] = {1.0, 0.0, 0.0};
    if (!ports_of(c)) return TD_ERR_UNSUPPORTED;
    e->p = assembly_at(c, assembly_of_point(c, at), m, call);
    assembly_memory *own = e->p.own;
    e->n = n_change(e->p.a);
    e->point = own->points[0], e->probe = own->points[1];
    e->forward = own->points[2], e->answer = own->points[3];
    assembly_forget(&e->p);
    assembly_prepare(&e->p);
    assembly_recall(&e->p, present, e->point);
    if (!assembly_evaluate(&e->p, e->point, own->residual)) return TD_ERR_NOT_FINITE;
    return assembly_factor(&e->p, true, NULL) ? TD_OK : TD_ERR_SINGULAR;
}

// A point keeps its share of the length while a rod is fed: the tip stays the tip.
static double place_on_rod(const assembly_problem *p, int i, const model_point *at) {
    return at->s * (p->own->problems[i].r->length / p->m->rods[at->rod].lengths[0]);
}

se3 assembly_pose(const assembly_problem *p, const model_point *at) {
    if (at->body >= 0) return p->own->bodies[body_in(p->c, p->a, at->body)].T;
    const int i = rod_in(p->a, at->rod);
    return ports_of(p->c)->pose(&p->own->problems[i], place_on_rod(p, i, at));
}

// ---------------------------------------------------------------- the answer
// The residual's slope along e->answer, into own->residual.
static bool slope_along(const equilibrium *e, double reach) {
    assembly_memory *own = e->p.own;
    assembly_move(&e->p, e->point, reach, e->answer, e->probe);
    if (!assembly_evaluate(&e->p, e->probe, e->forward)) return false;
    assembly_move(&e->p, e->point, -reach, e->answer, e->probe);
    if (!assembly_evaluate(&e->p, e->probe, own->residual)) return false;
    for (int i = 0; i < e->n; i++)
        own->residual[i] = (e->forward[i] - own->residual[i]) / (2.0 * reach);
    return true;
}

// out += how the point moves along e->answer.
static bool add_motion(const equilibrium *e, const model_point *at, double reach, double out[6]) {
    double own[6];
    assembly_move(&e->p, e->point, reach, e->answer, e->probe);
    if (!assembly_evaluate(&e->p, e->probe, e->p.own->residual)) return false;
    se3 after = assembly_pose(&e->p, at);
    assembly_move(&e->p, e->point, -reach, e->answer, e->probe);
    if (!assembly_evaluate(&e->p, e->probe, e->p.own->residual)) return false;
    se3 before = assembly_pose(&e->p, at);
    motion_between(&before, &after, 2.0 * reach, own);
    for (int i = 0; i < 6; i++) out[i] += own[i];
    return true;
}

// out += how the point moves with the unknowns that keep the equilibrium while the residual is
// given the change (n) in own->change, which is used up.
static td_status answer(equilibrium *e, const model_call *call, const model_point *at,
                        double out[6]) {
    assembly_memory *own = e->p.own;
    double *given = own->change, *correction = own->now;
    e->p.inputs = e->p.base_inputs = call->inputs;
    assembly_prepare(&e->p);
    assembly_evaluate(&e->p, e->point, own->residual);  // the joints' tangents are of this point
    assembly_solve(&e->p, given, e->answer);
    for (int i = 0; i < CORRECTIONS; i++) {
        double size = assembly_size(&e->p, e->answer);
        if (size == 0.0) break;
        if (!slope_along(e, PROBE_ANGLE / size)) return TD_ERR_NOT_FINITE;
        for (int k = 0; k < e->n; k++) own->residual[k] += given[k];
        assembly_solve(&e->p, own->residual, correction);
        for (int k = 0; k < e->n; k++) e->answer[k] += correction[k];
        if (assembly_size(&e->p, correction) <= ENOUGH * size) break;
    }
    double size = assembly_size(&e->p, e->answer);
    if (size == 0.0) return TD_OK;
    return add_motion(e, at, PROBE_ANGLE / size, out) ? TD_OK : TD_ERR_NOT_FINITE;
}

// ---------------------------------------------------------------- inputs
td_status cosserat_jacobian(const void *compiled, void *memory, const model_call *call,
                            const model_point *at, double *J) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    equilibrium e;
    td_status status = begin(c, m, call, at, &e);
    double *inputs = m->half_inputs, *change = NULL;
    memcpy(inputs, call->inputs, sizeof(double) * (size_t)c->n_inputs);
    for (int k = 0; k < c->n_inputs && status >= 0; k++) {
        const input_span over = input_span_of(&e.p, k, call->inputs[k]);
        double column[6] = {0.0};
        change = e.p.own->change;
        e.p.inputs = e.p.base_inputs = inputs;
        inputs[k] = over.low;
        assembly_prepare(&e.p);
        if (!assembly_evaluate(&e.p, e.point, e.forward)) return TD_ERR_NOT_FINITE;
        se3 before = assembly_pose(&e.p, at);
        inputs[k] = over.high;
        assembly_prepare(&e.p);
        if (!assembly_evaluate(&e.p, e.point, change)) return TD_ERR_NOT_FINITE;
        se3 after = assembly_pose(&e.p, at);
        inputs[k] = call->inputs[k];
        const double width = over.high - over.low;
        motion_between(&before, &after, width, column);
        for (int i = 0; i < e.n; i++) change[i] = (change[i] - e.forward[i]) / width;
        status = answer(&e, call, at, column);
        for (int i = 0; i < 6; i++) J[i * c->n_inputs + k] = column[i];
    }
    return status;
}

// ---------------------------------------------------------------- an external wrench
// What an extra wrench at the load's point adds to the residual.
static void push(const equilibrium *e, const model_point *load, const double wrench_world[6],
                 double *change) {
    const assembly_problem *p = &e->p;
    double *bodies = change + p->a->first[p->a->n_rods];
    int place = -1;
    memset(change, 0, sizeof(double) * (size_t)e->n);
    if (load->body >= 0) {
        place = body_in(p->c, p->a, load->body);
    } else {
        const int i = rod_in(p->a, load->rod);
        const int body = p->own->problems[i].r->base_body;
        ports_of(p->c)->push(&p->own->problems[i], place_on_rod(p, i, load), wrench_world,
                             change + p->a->first[i]);
        if (body >= 0) place = p->c->bodies[body].place;  // the rod hands it down
    }
    if (place < 0) return;
    vec3 at = assembly_pose(p, load).p;
    vec6 w = vec6_load(wrench_world);
    w.a = vec3_add(w.a, vec3_cross(at, w.l));
    vec6_store(bodies + 6 * place, w);
}

td_status cosserat_compliance(const void *compiled, void *memory, const model_call *call,
                              const model_point *at, const model_point *load, double *C) {
    const cosserat *c = compiled;
    equilibrium e;
    td_status status = begin(c, memory, call, at, &e);
    memset(C, 0, sizeof(double) * 36);
    if (status < 0 || assembly_of_point(c, load) != assembly_of_point(c, at)) return status;
    for (int k = 0; k < 6 && status >= 0; k++) {
        double unit[6] = {0.0}, column[6] = {0.0};
        unit[k] = 1.0;
        if (!assembly_evaluate(&e.p, e.point, e.p.own->residual)) return TD_ERR_NOT_FINITE;
        push(&e, load, unit, e.p.own->change);
        status = answer(&e, call, at, column);
        for (int i = 0; i < 6; i++) C[6 * i + k] = column[i];
    }
    return status;
}

// ---------------------------------------------------------------- parameters
static bool same_nodes(const rod *a, const rod *b) {
    bool same =
        a->n_elements == b->n_elements && a->n_nodes == b->n_nodes && a->n_efforts == b->n_efforts;
    for (int k = 0; same && k < a->n_elements; k++)
        same = a->elements[k].n_nodes == b->elements[k].n_nodes;
    return same;
}

static bool same_shape(const cosserat *a, const cosserat *b) {
    bool same = a->n_rods == b->n_rods && a->n_bodies == b->n_bodies &&
                a->n_joints == b->n_joints && a->n_assemblies == b->n_assemblies;
    for (int i = 0; same && i < a->n_rods; i++)
        same = same_nodes(&a->rods[i], &b->rods[i]) && a->rods[i].assembly == b->rods[i].assembly &&
               a->rods[i].base_body == b->rods[i].base_body;
    for (int k = 0; same && k < a->n_joints; k++)
        same = a->joints[k].kind == b->joints[k].kind && a->joints[k].rod == b->joints[k].rod &&
               a->joints[k].held == b->joints[k].held && a->joints[k].holder == b->joints[k].holder;
    return same;
}

td_status cosserat_sensitivity(const void *compiled, void *memory, const model_call *call,
                               const void *plus_compiled, const void *minus_compiled, double step,
                               const model_point *at, double *out) {
    const cosserat *c = compiled, *sides[2] = {minus_compiled, plus_compiled};
    equilibrium e;
    if (!same_shape(c, sides[0]) || !same_shape(c, sides[1])) return TD_ERR_ARGUMENT;
    td_status status = begin(c, memory, call, at, &e);
    if (status < 0) return status;
    se3 pose[2];
    double *residuals[2] = {e.forward, e.p.own->change};
    for (int i = 0; i < 2; i++) {
        assembly_problem side = assembly_at(sides[i], (int)(e.p.a - c->assemblies), memory, call);
        assembly_prepare(&side);
        if (!assembly_evaluate(&side, e.point, residuals[i])) return TD_ERR_NOT_FINITE;
        pose[i] = assembly_pose(&side, at);
    }
    motion_between(&pose[0], &pose[1], 2.0 * step, out);
    for (int i = 0; i < e.n; i++)
        residuals[1][i] = (residuals[1][i] - residuals[0][i]) / (2.0 * step);
    return answer(&e, call, at, out);
}
