// model/virtual_power/statics.c - equilibria along a path of growing loads.
//
// Under tension a robot of discs has several equilibria, and Newton's method from the straight
// shape may find the wrong one. So loads come first, then tension grows from zero without
// friction, then friction. Near an equilibrium already, a direct solve replaces all that.
#include <stdio.h>
#include <string.h>

#include "model/virtual_power/virtual_power.h"

#define NEAR 0.02        // rad, residual of a subsegment from where a direct solve is tried
#define MOST_AT_ONCE 25  // iterations: a step of the path that takes more is too long
#define SPREAD 1e-6      // m, see contact.width
#define LOOSE 1e-6       // rad, residual that is still an answer

typedef struct solve {
    const arm *a;
    arm_memory *m;
    const model_call *call;
    situation *at;
    equilibrium e;
    int sign;            // of the determinant of the stiffness at the start of the path
    double bifurcation;  // share of the path where it changed; 0: it did not
} solve;

static void forces(void *context, const double *q, double *F) {
    chain_rest *r = context;
    find_forces(r->a, r->m, &r->at, q, NULL);
    memcpy(F, r->m->Q, sizeof(double) * (size_t)r->a->chain.n_q);
}

equilibrium rest_of(chain_rest *r, td_stats *stats) {
    const td_options *o = &r->c->options;
    return (equilibrium){.n = r->a->chain.n_q,
                         .context = r,
                         .forces = forces,
                         .unit = r->a->unit,
                         .force = r->a->force,
                         .tolerance = o->tolerance,
                         .most =
                             o->max_iterations < MOST_AT_ONCE ? o->max_iterations : MOST_AT_ONCE,
                         .stats = stats,
                         .w = r->m->rest};
}

// Is there a change of stability between the start and here?
static void note_sign(solve *s, double *q, double share) {
    int sign = equilibrium_sign(&s->e, q);
    if (s->sign == 0) s->sign = sign;
    if (sign != 0 && sign != s->sign && s->bifurcation == 0.0) s->bifurcation = share;
}

// ---------------------------------------------------------------- friction
bool chain_rubs(const chain *c) {
    for (int j = 0; j < c->n_drives; j++)
        if (c->drives[j].friction > 0.0) return true;
    return false;
}

// Where a rod hardly moved, its friction may have any size up to the full one; the sign alone then
// leaves no equilibrium, and a narrow ramp in its place does.
static td_status add_friction(solve *s, double *q, double *residual) {
    s->at->law = SLIP_STATIC;
    s->m->contact.width = 0.0;
    if (equilibrium_follow(&s->e, &s->at->friction, q, residual)) return TD_OK;
    s->m->contact.width = SPREAD;
    s->call->stats->fallbacks++;
    bool found = equilibrium_follow(&s->e, &s->at->friction, q, residual);
    s->m->contact.width = 0.0;
    if (found) return TD_OK;
    s->at->friction = 1.0;
    *residual = equilibrium_residual(&s->e, q);
    return *residual <= LOOSE ? TD_LOOSE : TD_ERR_NOT_CONVERGED;
}

// ---------------------------------------------------------------- the whole path
static void refuse(const solve *s, const char *what, double reached) {
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': no equilibrium found beyond %.4g %% of its %s: beyond that it may have "
             "none, or jump to another",
             s->a->name, 100.0 * reached, what);
    s->call->stats->load_reached = reached;
}

static td_status follow_loads(solve *s, double *q, double *residual) {
    memset(q, 0, sizeof(double) * (size_t)s->a->chain.n_q);
    s->at->loads = s->at->tension = 0.0;
    s->at->law = SLIP_NONE;
    equilibrium_solve(&s->e, q, residual);
    note_sign(s, q, 0.0);
    if (!equilibrium_follow(&s->e, &s->at->loads, q, residual)) {
        refuse(s, "gravity and loads", s->at->loads);
        return TD_ERR_NOT_CONVERGED;
    }
    note_sign(s, q, 1.0);
    if (!equilibrium_follow(&s->e, &s->at->tension, q, residual)) {
        refuse(s, "tension", s->at->tension);
        return TD_ERR_NOT_CONVERGED;
    }
    note_sign(s, q, 1.0);
    return TD_OK;
}

static td_status solve_arm(solve *s) {
    const chain *c = &s->a->chain;
    arm_memory *m = s->m;
    double residual, *q = m->q;
    memset(m->rates, 0, sizeof(double) * (size_t)c->n_q);
    s->at->law = SLIP_NONE;
    bool direct = equilibrium_residual(&s->e, q) < NEAR && equilibrium_solve(&s->e, q, &residual);
    td_status status = direct ? TD_OK : follow_loads(s, q, &residual);
    if (status >= 0 && chain_rubs(c)) status = add_friction(s, q, &residual);
    if (status == TD_ERR_NOT_CONVERGED && !s->call->message[0])
        refuse(s, "friction", s->at->friction);
    if (status >= 0 && !equilibrium_close(&s->e, residual)) status = TD_LOOSE;
    s->call->stats->residual = fmax(s->call->stats->residual, residual);
    return status;
}

static td_status finish(const solve *s) {
    td_status status = check_arcs(s->a, s->m->q, s->call->message);
    if (status < 0) return status;
    s->m->contact.width = 0.0;
    keep_tensions(s->a, s->m, s->at, s->m->q, NULL);
    s->call->stats->slack += s->m->slack;
    if (s->bifurcation == 0.0) return TD_OK;
    s->call->stats->bifurcation = s->bifurcation;
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': the equilibrium lost its stability on the way to its loads", s->a->name);
    return TD_BIFURCATION;
}

td_status power_statics(const void *compiled, void *memory, const model_call *call) {
    const virtual_power *c = compiled;
    power_memory *m = memory;
    td_status worst = TD_OK;
    call->stats->load_reached = 1.0;
    for (int i = 0; i < c->n_arms; i++) {
        const arm *a = &c->arms[i];
        chain_rest r = {c, a, &m->arms[i], situation_of(c, a, call->inputs, SLIP_NONE)};
        solve s = {.a = a, .m = r.m, .call = call, .at = &r.at, .e = rest_of(&r, call->stats)};
        td_status status = solve_arm(&s);
        if (status < 0) return status;
        td_status ending = finish(&s);
        if (ending < 0) return ending;
        if (status != TD_OK) worst = status;
        if (ending != TD_OK) worst = ending;
    }
    start_energy(c, m);
    return worst;
}
