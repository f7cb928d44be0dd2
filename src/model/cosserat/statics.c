// model/cosserat/statics.c - equilibrium: the same boundary value problem with an infinite step.
#include "model/cosserat/scheme.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SMALLEST_LOAD_STEP 1e-6
#define MOST_LOAD_STEPS 300  // tried, so that a hopeless load ends
#define SINGULAR_CONDITION 1e7  // of equations that are about to lose rank
#define FOLD_CONDITION 1e5      // of those that stop the path
#define BISECTIONS 40

typedef struct statics {
    const cosserat *c;
    rod_problem p;
    const model_call *call;
    int n_unknowns;
    double lost_at;  // fraction of the load where stability was lost; 0: nowhere
} statics;

typedef struct path_point {
    double fraction;  // of the load
    double *unknowns; // (n_unknowns)
    path_test test;
} path_point;

static void copy_point(const statics *s, path_point *to, const path_point *from) {
    memcpy(to->unknowns, from->unknowns, sizeof(double) * (size_t)s->n_unknowns);
    to->fraction = from->fraction;
    to->test = from->test;
}

static void set_load(statics *s, double fraction) {
    rod_loads_at(s->p.r, s->call->inputs, fraction, s->p.m->loads);
    s->p.gravity = rod_gravity_at(s->c, s->call->inputs, fraction);
}

// The equilibrium at point->fraction near point->unknowns.
static td_status solve_at(statics *s, path_point *point) {
    set_load(s, point->fraction);
    return s->c->scheme->follow(&s->p, point->unknowns, &point->test);
}

// ---------------------------------------------------------------- bifurcations
// Has the rod lost its stability between the two? Where a scheme has no verdict, a change of sign of
// the test value may tell.
static bool lost(const path_point *a, const path_point *b) {
    if (b->test.verdict == STABILITY_UNKNOWN) return a->test.value * b->test.value < 0.0;
    return a->test.verdict == STABLE && b->test.verdict == UNSTABLE;
}

// The fraction between a and b where it is lost, by bisection; 0 when a test value without a verdict
// changed sign through infinity instead, which the condition tells. Consumes a and b.
static double locate_loss(statics *s, path_point *a, path_point *b, path_point *mid) {
    bool sure = b->test.verdict != STABILITY_UNKNOWN;
    double worst = 0.0;
    for (int i = 0; i < BISECTIONS && b->fraction - a->fraction > 1e-9; i++) {
        mid->fraction = 0.5 * (a->fraction + b->fraction);
        for (int k = 0; k < s->n_unknowns; k++)
            mid->unknowns[k] = 0.5 * (a->unknowns[k] + b->unknowns[k]);
        if (solve_at(s, mid) < 0) break;
        worst = fmax(worst, mid->test.condition);
        copy_point(s, lost(a, mid) ? b : a, mid);
    }
    return sure || worst > SINGULAR_CONDITION ? 0.5 * (a->fraction + b->fraction) : 0.0;
}

// ---------------------------------------------------------------- load continuation
static void predict(const statics *s, const path_point *old, const path_point *now,
                    path_point *next) {
    double x = 0.0;
    if (now->fraction > old->fraction)
        x = (next->fraction - now->fraction) / (now->fraction - old->fraction);
    for (int i = 0; i < s->n_unknowns; i++)
        next->unknowns[i] = now->unknowns[i] + x * (now->unknowns[i] - old->unknowns[i]);
}

static td_status stop(const statics *s, const path_point *now) {
    bool singular = now->test.condition > FOLD_CONDITION;
    s->call->stats->load_reached = now->fraction;
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': no equilibrium was found beyond %.6g of the load; the equations at the last "
             "one have condition %.1e%s",
             s->p.r->name, now->fraction, now->test.condition,
             singular ? ": a fold, where the rod would snap, or a discretisation too coarse for it"
                      : "; try a finer discretisation or a smaller load");
    return singular ? TD_ERR_SINGULAR : TD_ERR_NOT_CONVERGED;
}

// A step that lands on an unstable equilibrium has probably left the branch: it is tried shorter,
// until it is so short that the branch itself must have lost its stability there.
#define SURE_OF_LOSS 1e-3

// From the unloaded rod to the full load. The answer is left in unknowns[0].
static td_status follow_load(statics *s) {
    td_stats *stats = s->call->stats;
    double **memory = s->p.m->unknowns;
    path_point now = {.unknowns = memory[0]}, old = {.unknowns = memory[1]};
    path_point next = {.unknowns = memory[2]}, mid = {.unknowns = memory[3]};
    memset(now.unknowns, 0, sizeof(double) * (size_t)s->n_unknowns);
    td_status status = solve_at(s, &now);
    if (status < 0) return stop(s, &now);
    copy_point(s, &old, &now);
    double step = s->c->scheme->first_load_step;
    for (int steps = 0; now.fraction < 1.0; steps++) {
        if (step < SMALLEST_LOAD_STEP || steps >= MOST_LOAD_STEPS) return stop(s, &now);
        next.fraction = fmin(1.0, now.fraction + step);
        predict(s, &old, &now, &next);
        status = solve_at(s, &next);
        bool loss = status >= 0 && lost(&now, &next);
        if (status < 0 || (loss && step > SURE_OF_LOSS)) {
            step *= 0.5;
            continue;
        }
        stats->load_steps++;
        copy_point(s, &old, &now);
        copy_point(s, &now, &next);
        step = fmin(2.0 * step, s->c->scheme->first_load_step);
        if (!loss || s->lost_at != 0.0) continue;
        s->lost_at = locate_loss(s, &old, &next, &mid);
        old.fraction = now.fraction;  // it has been used up: no prediction in the next step
    }
    return status;
}

// ---------------------------------------------------------------- one rod
// From where the rod is now, while the answer is near and sure to be stable. It is left in
// unknowns[0].
static td_status solve_near(statics *s) {
    path_point now = {.fraction = 1.0, .unknowns = s->p.m->unknowns[0]};
    s->c->scheme->present(s->p.r, s->p.m, now.unknowns);
    set_load(s, 1.0);
    td_status status = TD_OK;
    if (s->c->options.solver != TD_NEWTON) status = s->c->scheme->seek(&s->p, now.unknowns);
    if (status >= 0) status = solve_at(s, &now);
    if (status < 0) return status;
    bool sure = now.test.verdict == STABLE;
    if (now.test.verdict == STABILITY_UNKNOWN && s->c->scheme->trusting) {
        path_point unloaded = {.unknowns = s->p.m->unknowns[1]};
        double residual = s->call->stats->residual;
        memset(unloaded.unknowns, 0, sizeof(double) * (size_t)s->n_unknowns);
        sure = solve_at(s, &unloaded) >= 0 && !lost(&unloaded, &now);
        s->call->stats->residual = residual;
    }
    return sure ? status : TD_ERR_NOT_CONVERGED;
}

static td_status solve_static_rod(statics *s) {
    td_status status = solve_near(s);
    if (status < 0) status = follow_load(s);
    if (status < 0) return status;
    // The answer once more: checks have been elsewhere since.
    td_stats *stats = s->call->stats;
    stats->load_reached = 1.0;
    set_load(s, 1.0);
    if (!s->c->scheme->evaluate(&s->p, s->p.m->unknowns[0])) return TD_ERR_NOT_CONVERGED;
    td_status possible = memory_check(s->p.r, s->p.m, s->call->message);
    if (possible < 0) return possible;
    s->c->scheme->settle(s->p.r, s->p.m, s->p.m->unknowns[0]);
    if (status == TD_LOOSE)
        snprintf(s->call->message, MODEL_MESSAGE_SIZE,
                 "rod '%s': round-off stopped the solution above the tolerance %.0e", s->p.r->name,
                 s->c->options.tolerance);
    if (s->lost_at == 0.0) return status;
    stats->bifurcation = s->lost_at;
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': at %.6g of the load a bifurcation or fold was passed; this equilibrium may "
             "be unstable, and there are others",
             s->p.r->name, s->lost_at);
    return TD_BIFURCATION;
}

// At rest: every past state is the present one.
static void rest(const rod *r, rod_memory *m) {
    const size_t bytes = sizeof(double) * F_SIZE * (size_t)r->n_nodes;
    memory_accept(r, m);
    memcpy(m->fields[1], m->fields[0], bytes);
    memcpy(m->fields[2], m->fields[0], bytes);
    memset(m->rate, 0, bytes);
}

td_status cosserat_statics(const void *compiled, void *memory, const model_call *call) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    td_status worst = TD_OK;
    for (int i = 0; i < c->n_rods; i++) {
        const rod *r = &c->rods[i];
        rod_memory *mr = &m->rods[i];
        memset(mr->history, 0, sizeof(double) * F_SIZE * (size_t)r->n_nodes);
        statics s = {c,
                     {.r = r, .options = &c->options, .m = mr,
                      .base = rod_base_at(r, call->inputs, NULL), .stats = call->stats},
                     call, c->scheme->n_unknowns(r), 0.0};
        td_status status = solve_static_rod(&s);
        if (status < 0) return status;
        if (status > worst) worst = status;
    }
    for (int i = 0; i < c->n_rods; i++) rest(&c->rods[i], &m->rods[i]);
    *m->time = (cosserat_time){0};
    note_resolution(c, m, call->stats);
    if (worst == TD_OK && call->stats->resolution > TD_COARSE) {
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "the nodes leave %.2g rad of bending unresolved: use more of them, or an accuracy",
                 call->stats->resolution);
        return TD_LOOSE;
    }
    return worst;
}
