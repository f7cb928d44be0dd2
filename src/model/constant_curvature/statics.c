// model/constant_curvature/statics.c - equilibria: Newton's method, and a path of growing loads
// from the rest shape where that fails or would end on an unstable shape.
//
// A drive that does not stretch has the effort held + gap/yield with a small yield. Its equilibrium
// becomes the one without a gap as `held` takes the effort over, round after round (the method of
// multipliers, for tendons that go slack too).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/constant_curvature/constant_curvature.h"

#define MOST_ROUNDS 40
#define CLOSED 1e-13  // of the measure: a gap that is none
#define MISSED 1e-9   // of the measure: a gap that is left when displacements contradict

// ---------------------------------------------------------------- forces and their derivatives
static void forces(void *context, const double *q, double *F) {
    arm_rest *r = context;
    arm_forces(r->a, r->m, &r->at, q, NULL);
    memcpy(F, r->m->Q, sizeof(double) * (size_t)r->a->chain.n_q);
}

static drive_state drive_at(const arm_rest *r, int i, const double *q) {
    const chain *c = &r->a->chain;
    return drive_now(c, &c->drives[i], r->at.inputs, r->at.share, r->m->held[i], r->tight, q);
}

static void stiffness(void *context, double *q, double *K) {
    arm_rest *r = context;
    const chain *c = &r->a->chain;
    arm_memory *m = r->m;
    memset(K, 0, sizeof(double) * (size_t)c->n_q * (size_t)c->n_q);
    arm_find_wrenches(r->a, m, &r->at);
    arcs_add_geometric(c, q, vec3_scale(r->at.gravity, -r->at.share), m->wrenches, m->arcs, m->Q,
                       K);
    arcs_add_elastic_stiffness(c, q, K);
    for (int i = 0; i < c->n_drives; i++)
        drive_add_stiffness(c, &c->drives[i], drive_at(r, i, q).by_measure, q, K);
}

// Forces are linear in gravity, wrenches and efforts.
static void by_input(void *context, const double *q, int input, double *dF) {
    arm_rest *r = context;
    const chain *c = &r->a->chain;
    memset(r->unit, 0, sizeof(double) * (size_t)r->c->n_inputs);
    r->unit[input] = 1.0;
    memset(dF, 0, sizeof(double) * (size_t)c->n_q);
    arm_external_by(r->c, r->a, r->m, r->unit, q, dF);
    for (int i = 0; i < c->n_drives; i++) {
        const td_number *value = &c->drives[i].a->value;
        double given = number_rate(*value, r->unit);
        bool none = c->drives[i].a->control == CONTROL_EFFORT && !c->drives[i].a->tendon.pushes &&
                    c->drives[i].a->kind == ACTUATOR_TENDON &&
                    number_value(*value, r->at.inputs) < 0.0;
        if (given != 0.0 && !none)
            drive_add(c, &c->drives[i], given * drive_at(r, i, q).by_given, q, dF);
    }
}

arm_rest arm_rest_of(const constant_curvature *c, arcs_memory *m, int index, const double *inputs) {
    return (arm_rest){.c = c,
                      .a = &c->arms[index],
                      .m = &m->arms[index],
                      .at = arcs_situation(c, &c->arms[index], inputs),
                      .tight = 1.0,
                      .unit = m->within.given};
}

equilibrium arm_equilibrium(arm_rest *r, td_stats *stats) {
    return (equilibrium){.n = r->a->chain.n_q,
                         .context = r,
                         .forces = forces,
                         .stiffness = stiffness,
                         .by_input = by_input,
                         .unit = r->a->unit,
                         .force = r->a->force,
                         .tolerance = r->c->options.tolerance,
                         .most = r->c->options.max_iterations,
                         .stats = stats,
                         .w = r->m->rest};
}

// ---------------------------------------------------------------- drives that do not stretch
// The largest gap by measure, and whose it is.
static double largest_gap(const arm_rest *r, int *worst) {
    const chain *c = &r->a->chain;
    double most = 0.0;
    for (int i = 0; i < c->n_drives; i++) {
        const drive *d = &c->drives[i];
        if (!d->rigid) continue;
        double effort = drive_at(r, i, r->m->q).effort;
        double gap = d->yield * fabs(effort - r->m->held[i]) / d->a->rest;
        if (gap <= most) continue;
        most = gap;
        *worst = i;
    }
    return most;
}

static void hold_efforts(const arm_rest *r) {
    const chain *c = &r->a->chain;
    for (int i = 0; i < c->n_drives; i++)
        if (c->drives[i].rigid) r->m->held[i] = drive_at(r, i, r->m->q).effort;
}

static td_status close_gaps(const arm_rest *r, const equilibrium *e, double *residual,
                            char *message) {
    int worst = 0;
    double gap = largest_gap(r, &worst);
    for (int i = 0; i < MOST_ROUNDS && gap > CLOSED; i++) {
        hold_efforts(r);
        if (!equilibrium_solve(e, r->m->q, residual)) break;
        gap = largest_gap(r, &worst);
    }
    if (gap <= MISSED) return TD_OK;
    const actuator *a = r->a->chain.drives[worst].a;
    snprintf(message, MODEL_MESSAGE_SIZE,
             "rod '%s': what its tendons and chambers are given contradicts: '%s' misses it by "
             "%.3g of its %s; stiffness or compliance would let them give way",
             r->a->name, a->name, gap, a->kind == ACTUATOR_TENDON ? "length" : "volume");
    return TD_ERR_NOT_CONVERGED;
}

// ---------------------------------------------------------------- the whole path
static td_status follow_from_rest(arm_rest *r, const equilibrium *e, double *residual,
                                  char *message) {
    arm_memory *m = r->m;
    arcs_rest_shape(&r->a->chain, m->q);
    memset(m->held, 0, sizeof(double) * (size_t)r->a->chain.n_drives);
    if (!equilibrium_follow(e, &r->at.share, m->q, residual)) {
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "rod '%s': no equilibrium found beyond %.4g %% of its loads: beyond that it may "
                 "have none, or jump to another",
                 r->a->name, 100.0 * r->at.share);
        e->stats->load_reached = r->at.share;
        return TD_ERR_NOT_CONVERGED;
    }
    td_status status = close_gaps(r, e, residual, message);
    if (status < 0 || equilibrium_sign(e, m->q) > 0) return status;
    e->stats->bifurcation = 1.0;
    snprintf(message, MODEL_MESSAGE_SIZE,
             "rod '%s': the equilibrium lost its stability on the way to its loads", r->a->name);
    return TD_BIFURCATION;
}

static bool solve_directly(const arm_rest *r, const equilibrium *e, double *residual,
                           char *message) {
    if (!equilibrium_solve(e, r->m->q, residual)) return false;
    bool closed = close_gaps(r, e, residual, message) >= 0;
    message[0] = '\0';
    return closed && equilibrium_sign(e, r->m->q) > 0;
}

static td_status solve_arm(arm_rest *r, const model_call *call) {
    arm_memory *m = r->m;
    equilibrium e = arm_equilibrium(r, call->stats);
    double residual;
    memset(m->rates, 0, sizeof(double) * (size_t)r->a->chain.n_q);
    td_status status = TD_OK;
    if (!solve_directly(r, &e, &residual, call->message))
        status = follow_from_rest(r, &e, &residual, call->message);
    if (status < 0) return status;
    if (status == TD_OK && !equilibrium_close(&e, residual)) status = TD_LOOSE;
    call->stats->residual = fmax(call->stats->residual, residual);
    td_status checked = arm_check(r->a, m->q, 0.0, call->message);
    arm_forces(r->a, m, &r->at, m->q, NULL);
    call->stats->slack += m->slack;
    return checked < 0 ? checked : status;
}

td_status arcs_statics(const void *compiled, void *memory, const model_call *call) {
    const constant_curvature *c = compiled;
    arcs_memory *m = memory;
    td_status worst = TD_OK;
    call->stats->load_reached = 1.0;
    for (int i = 0; i < c->n_arms; i++) {
        arm_rest r = arm_rest_of(c, m, i, call->inputs);
        td_status status = solve_arm(&r, call);
        if (status < 0) return status;
        if (status != TD_OK) worst = status;
    }
    arcs_start(c, m, call->inputs);
    return worst;
}
