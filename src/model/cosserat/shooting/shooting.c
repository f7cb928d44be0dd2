// model/cosserat/shooting/shooting.c - shooting as a spatial scheme.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/quadrature.h"
#include "model/cosserat/shooting/shooting.h"

// ---------------------------------------------------------------- nodes and memory
// Cubic interpolation of the history needs four nodes.
#define MIN_STEPS 3

static int count(const td_options *options, double share) {
    if (share == 1.0) return options->steps + 1;  // a plain rod: just as asked
    long steps = lround(options->steps * share);
    return (steps > MIN_STEPS ? (int)steps : MIN_STEPS) + 1;
}

static bool place(int n, double *x, double *w) {
    for (int i = 0; i < n; i++) x[i] = (double)i / (n - 1);
    return gregory_weights(n - 1, 1.0, w);
}

static bool prepare(rod *r, const td_options *options) {
    (void)r, (void)options;
    return true;
}

static void discard(rod *r) {
    (void)r;
}

static void *layout(const rod *r, arena *keep, arena *work) {
    const size_t n = (size_t)shooting_unknowns(r), n_efforts = (size_t)r->n_efforts;
    shooting_memory *out = ARENA_TAKE(work, shooting_memory, 1);
    shooting_memory m;
    m.kept = ARENA_TAKE(keep, kept_guess, 1);
    m.inverse = ARENA_TAKE(keep, double, n *n);
    m.tip_motion = ARENA_TAKE(keep, double, 12 * n);
    m.tip_at = ARENA_TAKE(keep, double, 3);
    m.history_mid = ARENA_TAKE(work, double, (size_t)(r->n_nodes - r->n_elements) * F_SIZE);
    m.last = ARENA_TAKE(work, double, n);
    m.efforts = ARENA_TAKE(work, double, r->n_actuators);
    m.measures = ARENA_TAKE(work, double, n_efforts);
    m.measures_by = ARENA_TAKE(work, double, n_efforts *n);
    m.matrix = ARENA_TAKE(work, double, n *n);
    m.right = ARENA_TAKE(work, double, n);
    m.pivot = ARENA_TAKE(work, int, n);
    if (out) *out = m;
    return out;
}

// ---------------------------------------------------------------- solving
shooting shooting_of(const rod_problem *p) {
    shooting_memory *own = p->m->own;
    shooting s = {.r = p->r,
                  .options = p->options,
                  .c0 = p->c0,
                  .history = p->m->history,
                  .history_mid = own->history_mid,
                  .end_history = p->m->end_history,
                  .loads = p->m->loads,
                  .gravity = p->gravity,
                  .base = p->base,
                  .nodes = p->m->trial,
                  .bounds = p->m->trial_bounds,
                  .strains = p->m->strains,
                  .stats = p->stats,
                  .given = p->m->given,
                  .m = p->m,
                  .efforts = own->efforts,
                  .measures = own->measures,
                  .measures_by = own->measures_by};
    vec3_store(s.tip, p->tip.force);
    vec3_store(s.tip + 3, p->tip.moment);
    shoot_whole(&s);
    if (p->options->integrator == TD_RK4)
        shoot_midpoints(p->r, p->options->history, p->m->history, own->history_mid);
    return s;
}

// Efforts of the last shot. There is no friction: tensions are the same all along.
static void publish_efforts(const shooting *s, rod_memory *m) {
    for (int i = 0; i < s->r->n_actuators; i++) {
        const rod_actuator *ra = &s->r->actuators[i];
        if (ra->n_efforts) m->trial_efforts[ra->effort] = s->efforts[i];
        for (int k = 0; k < ra->n_nodes; k++)
            m->trial_tensions[ra->first_point + k] = s->efforts[i];
    }
}

bool shooting_publish(const rod_problem *p, const double *unknowns, double *residual) {
    shooting s = shooting_of(p);
    shooting_memory *own = p->m->own;
    memcpy(own->last, unknowns, sizeof(double) * (size_t)shooting_unknowns(p->r));
    if (!shoot(&s, unknowns, residual, NULL)) return false;
    publish_efforts(&s, p->m);
    return true;
}

static void recall(const rod *r, const rod_memory *m, const double w[3], double *unknowns) {
    const kept_guess *kept = ((const shooting_memory *)m->own)->kept;
    for (int i = 0; i < 6; i++)
        unknowns[i] = w[0] * kept->G[0][i] + w[1] * kept->G[1][i] + w[2] * kept->G[2][i];
    for (int i = 0; i < r->n_efforts; i++)
        unknowns[6 + i] =
            w[0] * m->efforts[0][i] + w[1] * m->efforts[1][i] + w[2] * m->efforts[2][i];
}

static void taken(const rod *r, rod_memory *m, const double *unknowns) {
    (void)r;
    kept_guess *kept = ((shooting_memory *)m->own)->kept;
    memcpy(kept->G[2], kept->G[1], sizeof kept->G[2]);
    memcpy(kept->G[1], kept->G[0], sizeof kept->G[1]);
    memcpy(kept->G[0], unknowns, sizeof kept->G[0]);
}

static bool evaluate(const rod_problem *p, const double *unknowns) {
    return shooting_publish(p, unknowns, ((shooting_memory *)p->m->own)->right);
}

// What follows down to follow is for rods whose efforts are all given.

static td_status solve(const rod_problem *p, const cosserat_time *time, double dt) {
    shooting s = shooting_of(p);
    kept_guess *kept = ((shooting_memory *)p->m->own)->kept;
    double w[3], G[6];
    extrapolation_weights(time, dt, w);
    recall(p->r, p->m, w, G);
    td_status status = TD_ERR_NOT_CONVERGED;
    if (p->options->solver == TD_NEWTON) status = bvp_newton(&s, G, &kept->matrix);
    if (status < 0 || !step_is_plausible(p)) {  // from the last base wrench, by all means
        memcpy(G, kept->G[0], sizeof G);
        status = bvp_solve(&s, G, &kept->matrix, p->m->nodes);
        if (status >= 0 && !step_is_plausible(p)) status = TD_ERR_NOT_CONVERGED;
    }
    if (status < 0) return status;
    publish_efforts(&s, p->m);
    taken(p->r, p->m, G);
    return status;
}

static td_status follow(const rod_problem *p, double *unknowns, path_test *test) {
    static const double c[6] = {1.0, 0.83, 0.71, 0.93, 0.77, 0.64};
    shooting s = shooting_of(p);
    shooting_matrix matrix = {0};
    td_status status = bvp_follow(&s, unknowns, &matrix);
    double sum = 0.0;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) sum += c[i] * matrix.inverse[6 * i + k] * c[k];
    *test = (path_test){STABILITY_UNKNOWN, 1.0 / sum, matrix.condition, false};
    return status;
}

static void settle(const rod *r, rod_memory *m, const double *unknowns) {
    (void)r;
    kept_guess *kept = ((shooting_memory *)m->own)->kept;
    for (int i = 0; i < 3; i++) memcpy(kept->G[i], unknowns, 6 * sizeof(double));
    kept->matrix.valid = 0.0;
}

// Disturbances grow like exp(growth) along the rod when it is shot at this step: bending ones by
// kappa L/sqrt 2 with kappa^4 = rho A c0^2/EI, waves of torsion and extension by c0 L over their
// speed.
static double growth_of(const rod_problem *p) {
    const station *st = &p->r->elements[0].stations[0];
    double bending = pow(st->mass * p->c0 * p->c0 / fmax(st->K[0], st->K[1]), 0.25) / sqrt(2.0);
    double torsion = p->c0 * sqrt(st->J.z / st->K[2]);
    double extension = p->r->kirchhoff ? 0.0 : p->c0 * sqrt(st->mass / st->K[5]);
    return fmax(bending, fmax(torsion, extension)) * p->r->length;
}

static void explain(const rod_problem *p, double dt, char *message, size_t size) {
    double growth = growth_of(p);
    const char *hint =
        growth > 12.0
            ? "shooting amplifies errors too much at so small a step: collocation does not"
            : "try a smaller step, or collocation";
    snprintf(message, size,
             "rod '%s': a step of %.4g s did not converge: residual %.2e after %d shots "
             "(tolerance %.0e), condition %.1e, error growth along the rod %.1e; %s",
             p->r->name, dt, p->stats->residual, p->stats->evaluations, p->options->tolerance,
             p->stats->condition, exp(fmin(growth, 700.0)), hint);
}

extern const space_scheme scheme_shooting;
const space_scheme scheme_shooting = {
    .name = "shooting",
    .check = shooting_check,
    .first_load_step = 0.05,  // its test sees a loss of rank only while it changes sign once
    .count = count,
    .place = place,
    .between = true,
    .weights = shooting_weights,
    .prepare = prepare,
    .discard = discard,
    .n_unknowns = shooting_unknowns,
    .layout = layout,
    .recall = recall,
    .taken = taken,
    .evaluate = evaluate,
    .solve = solve,
    .follow = follow,
    .settle = settle,
    .explain = explain,
    .sample = shooting_sample,
    .ports = &shooting_ports,
};
