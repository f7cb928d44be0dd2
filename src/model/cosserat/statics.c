// model/cosserat/statics.c - equilibrium: the same boundary value problem with an infinite step.
#include "model/cosserat/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"

#define SMALLEST_LOAD_STEP 1e-6
#define MOST_LOAD_STEPS 2000
#define SINGULAR_CONDITION 1e7  // of a shooting matrix that is about to lose rank
#define FOLD_CONDITION 1e5      // of one that stops the path
#define BISECTIONS 40

typedef struct statics {
    const cosserat *c;
    const rod *r;
    rod_memory *m;
    const model_call *call;
    shooting s;
} statics;

static void set_load(statics *p, double fraction) {
    rod_loads_at(p->r, p->call->inputs, fraction, p->m->loads);
    p->s.gravity = rod_gravity_at(p->c, p->call->inputs, fraction);
}

// ---------------------------------------------------------------- bifurcations
// 1/(c' J^-1 c) with a fixed c: passes through zero when the shooting matrix J loses rank, also when
// it loses two ranks at once, as a round column does. (It may also change sign through infinity,
// which the condition number tells apart.)
static double test_function(const shooting_matrix *m) {
    static const double c[6] = {1.0, 0.83, 0.71, 0.93, 0.77, 0.64};
    double x[6], sum = 0.0;
    dense_mul_vec(6, 6, m->inverse, c, x);
    for (int i = 0; i < 6; i++) sum += c[i] * x[i];
    return 1.0 / sum;
}

typedef struct path_point {
    double fraction, G[6];
    shooting_matrix matrix;
} path_point;

// The equilibrium at point->fraction near point->G.
static td_status solve_at(statics *p, path_point *point) {
    set_load(p, point->fraction);
    return bvp_follow(&p->s, point->G, &point->matrix);
}

// The fraction between a and b where the matrix is singular; 0 when the sign of the test function
// changed for another reason.
static double locate_singularity(statics *p, path_point a, path_point b) {
    double sign = test_function(&a.matrix);
    double worst = 0.0;
    for (int i = 0; i < BISECTIONS && b.fraction - a.fraction > 1e-12; i++) {
        path_point mid = a;
        mid.fraction = 0.5 * (a.fraction + b.fraction);
        for (int k = 0; k < 6; k++) mid.G[k] = 0.5 * (a.G[k] + b.G[k]);
        if (solve_at(p, &mid) < 0) break;
        worst = fmax(worst, mid.matrix.condition);
        if (test_function(&mid.matrix) * sign > 0.0) a = mid;
        else b = mid;
    }
    return worst > SINGULAR_CONDITION ? 0.5 * (a.fraction + b.fraction) : 0.0;
}

// ---------------------------------------------------------------- load continuation
static void predict(const path_point *old, const path_point *now, double fraction, double G[6]) {
    double x = 0.0;
    if (now->fraction > old->fraction)
        x = (fraction - now->fraction) / (now->fraction - old->fraction);
    for (int i = 0; i < 6; i++) G[i] = now->G[i] + x * (now->G[i] - old->G[i]);
}

static td_status stop(const statics *p, const path_point *now) {
    bool singular = now->matrix.condition > FOLD_CONDITION;
    p->call->stats->load_reached = now->fraction;
    snprintf(p->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': no equilibrium was found beyond %.6g of the load; the last one has a "
             "shooting matrix of condition %.1e%s",
             p->r->name, now->fraction, now->matrix.condition,
             singular ? ": a fold or bifurcation, where the rod would snap or buckle"
                      : "; try more integration steps or a smaller load");
    return singular ? TD_ERR_SINGULAR : TD_ERR_NOT_CONVERGED;
}

// From the unloaded rod to the full load, in one step where the path is straight enough.
static td_status follow_load(statics *p, path_point *now) {
    td_stats *stats = p->call->stats;
    *now = (path_point){0};
    td_status status = solve_at(p, now);
    if (status < 0) return stop(p, now);
    path_point old = *now, next;
    double step = 1.0;
    while (now->fraction < 1.0) {
        if (step < SMALLEST_LOAD_STEP || stats->load_steps >= MOST_LOAD_STEPS) return stop(p, now);
        next = *now;
        next.fraction = fmin(1.0, now->fraction + step);
        predict(&old, now, next.fraction, next.G);
        status = solve_at(p, &next);
        if (status < 0) {
            step *= 0.5;
            continue;
        }
        stats->load_steps++;
        if (stats->bifurcation == 0.0 &&
            test_function(&next.matrix) * test_function(&now->matrix) < 0.0)
            stats->bifurcation = locate_singularity(p, *now, next);
        step *= 2.0;
        old = *now;
        *now = next;
    }
    stats->load_reached = 1.0;
    return status;
}

// ---------------------------------------------------------------- one rod
// From where the rod is now: the answer while it is near, and joined to the unloaded rod without a
// singular matrix between, as far as one number can tell.
static td_status solve_near(statics *p, path_point *now) {
    path_point unloaded = {0};
    *now = (path_point){.fraction = 1.0};
    memcpy(now->G, p->m->kept->G[0], sizeof now->G);
    td_status status = TD_ERR_NOT_CONVERGED;
    if (p->c->options.solver == TD_NEWTON) {
        status = solve_at(p, now);
    } else {
        set_load(p, 1.0);
        status = bvp_solve(&p->s, now->G, &now->matrix, NULL);
        if (status >= 0) status = solve_at(p, now);
    }
    if (status < 0) return status;
    if (solve_at(p, &unloaded) < 0) return TD_ERR_NOT_CONVERGED;
    bool same = test_function(&now->matrix) * test_function(&unloaded.matrix) > 0.0;
    return same ? status : TD_ERR_NOT_CONVERGED;
}

static td_status solve_static_rod(statics *p) {
    path_point now;
    double residual[6];
    shoot_whole(&p->s);
    td_status status = solve_near(p, &now);
    if (status < 0) status = follow_load(p, &now);
    if (status < 0) return status;
    // Back at the answer: the checks have shot elsewhere since.
    set_load(p, 1.0);
    if (!shoot(&p->s, now.G, residual, NULL)) return TD_ERR_NOT_CONVERGED;
    for (int i = 0; i < 3; i++) memcpy(p->m->kept->G[i], now.G, sizeof now.G);
    if (p->call->stats->bifurcation == 0.0) return status;
    snprintf(p->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': at %.6g of the load a bifurcation or fold was passed; this equilibrium may "
             "be unstable, and there are others",
             p->r->name, p->call->stats->bifurcation);
    return TD_BIFURCATION;
}

// At rest: every past state is the present one.
static void settle(const rod *r, rod_memory *m) {
    const size_t bytes = sizeof(double) * F_SIZE * (size_t)r->n_nodes;
    memory_accept(r, m);
    memcpy(m->fields[1], m->fields[0], bytes);
    memcpy(m->fields[2], m->fields[0], bytes);
    memset(m->rate, 0, bytes);
    m->kept->matrix.valid = 0.0;
}

td_status cosserat_statics(const void *compiled, void *memory, const model_call *call) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    td_status worst = TD_OK;
    for (int i = 0; i < c->n_rods; i++) {
        const rod *r = &c->rods[i];
        rod_memory *mr = &m->rods[i];
        size_t n_steps = (size_t)(r->n_nodes - r->n_elements);
        memset(mr->history, 0, sizeof(double) * F_SIZE * (size_t)r->n_nodes);
        memset(mr->history_mid, 0, sizeof(double) * F_SIZE * n_steps);
        statics p = {c, r, mr, call,
                     {.r = r, .options = &c->options, .history = mr->history,
                      .history_mid = mr->history_mid, .loads = mr->loads,
                      .base = rod_base_at(r, call->inputs, NULL), .nodes = mr->trial,
                      .strains = mr->strains, .stats = call->stats}};
        td_status status = solve_static_rod(&p);
        if (status < 0) return status;
        if (status > worst) worst = status;
    }
    for (int i = 0; i < c->n_rods; i++) settle(&c->rods[i], &m->rods[i]);
    *m->time = (cosserat_time){0};
    return worst;
}
