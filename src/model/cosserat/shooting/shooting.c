// model/cosserat/shooting/shooting.c - shooting as a spatial scheme.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/interpolate.h"
#include "math/quadrature.h"
#include "model/cosserat/shooting/bvp.h"

// Kept for each rod. All doubles: see model.h.
typedef struct kept_guess {
    double G[3][6];  // base wrench (n, m): now, and at the last two steps
    shooting_matrix matrix;
} kept_guess;

typedef struct shooting_memory {
    kept_guess *kept;
    double *history_mid;  // (n_steps x F_SIZE)
} shooting_memory;

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

static int n_unknowns(const rod *r) {
    (void)r;
    return 6;
}

static void *layout(const rod *r, arena *keep, arena *work) {
    shooting_memory *m = ARENA_TAKE(work, shooting_memory, 1);
    kept_guess *kept = ARENA_TAKE(keep, kept_guess, 1);
    double *mid = ARENA_TAKE(work, double, (size_t)(r->n_nodes - r->n_elements) * F_SIZE);
    if (m) *m = (shooting_memory){kept, mid};
    return m;
}

// ---------------------------------------------------------------- solving
static shooting shot_of(const rod_problem *p) {
    shooting_memory *own = p->m->own;
    shooting s = {.r = p->r, .options = p->options, .c0 = p->c0, .history = p->m->history,
                  .history_mid = own->history_mid, .loads = p->m->loads, .gravity = p->gravity,
                  .base = p->base, .nodes = p->m->trial, .bounds = p->m->trial_bounds,
                  .strains = p->m->strains, .stats = p->stats};
    shoot_whole(&s);
    if (p->options->integrator == TD_RK4)
        shoot_midpoints(p->r, p->options->history, p->m->history, own->history_mid);
    return s;
}

static void recall(const rod *r, const rod_memory *m, const double w[3], double *unknowns) {
    (void)r;
    const kept_guess *kept = ((const shooting_memory *)m->own)->kept;
    for (int i = 0; i < 6; i++)
        unknowns[i] = w[0] * kept->G[0][i] + w[1] * kept->G[1][i] + w[2] * kept->G[2][i];
}

static void taken(const rod *r, rod_memory *m, const double *unknowns) {
    (void)r;
    kept_guess *kept = ((shooting_memory *)m->own)->kept;
    memcpy(kept->G[2], kept->G[1], sizeof kept->G[2]);
    memcpy(kept->G[1], kept->G[0], sizeof kept->G[1]);
    memcpy(kept->G[0], unknowns, sizeof kept->G[0]);
}

static bool evaluate(const rod_problem *p, const double *unknowns) {
    shooting s = shot_of(p);
    double residual[6];
    return shoot(&s, unknowns, residual, NULL);
}

static td_status solve(const rod_problem *p, const cosserat_time *time, double dt) {
    shooting s = shot_of(p);
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
    if (status >= 0) taken(p->r, p->m, G);
    return status;
}

static td_status seek(const rod_problem *p, double *unknowns) {
    shooting s = shot_of(p);
    shooting_matrix matrix = {0};
    return bvp_solve(&s, unknowns, &matrix, NULL);
}

static td_status follow(const rod_problem *p, double *unknowns, path_test *test) {
    static const double c[6] = {1.0, 0.83, 0.71, 0.93, 0.77, 0.64};
    shooting s = shot_of(p);
    shooting_matrix matrix = {0};
    td_status status = bvp_follow(&s, unknowns, &matrix);
    double sum = 0.0;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) sum += c[i] * matrix.inverse[6 * i + k] * c[k];
    *test = (path_test){STABILITY_UNKNOWN, 1.0 / sum, matrix.condition};
    return status;
}

static void settle(const rod *r, rod_memory *m, const double *unknowns) {
    (void)r;
    kept_guess *kept = ((shooting_memory *)m->own)->kept;
    for (int i = 0; i < 3; i++) memcpy(kept->G[i], unknowns, 6 * sizeof(double));
    kept->matrix.valid = 0.0;
}

// Disturbances grow like exp(growth) along the rod when it is shot at this step: bending ones by
// kappa L/sqrt 2 with kappa^4 = rho A c0^2/EI, waves of torsion and extension by c0 L over their speed.
static double growth_of(const rod_problem *p) {
    const station *st = &p->r->elements[0].stations[0];
    double bending = pow(st->mass * p->c0 * p->c0 / fmax(st->K[0], st->K[1]), 0.25) / sqrt(2.0);
    double torsion = p->c0 * sqrt(st->J.z / st->K[2]);
    double extension = p->r->kirchhoff ? 0.0 : p->c0 * sqrt(st->mass / st->K[5]);
    return fmax(bending, fmax(torsion, extension)) * p->r->length;
}

static void explain(const rod_problem *p, double dt, char *message, size_t size) {
    double growth = growth_of(p);
    const char *hint = growth > 12.0
                           ? "shooting amplifies errors too much at so small a step: collocation does not"
                           : "try a smaller step, or collocation";
    snprintf(message, size,
             "rod '%s': a step of %.4g s did not converge: residual %.2e after %d shots "
             "(tolerance %.0e), condition %.1e, error growth along the rod %.1e; %s",
             p->r->name, dt, p->stats->residual, p->stats->evaluations, p->options->tolerance,
             p->stats->condition, exp(fmin(growth, 700.0)), hint);
}

// ---------------------------------------------------------------- reading the shape
// Where between the nodes an arc length lies.
typedef struct spot {
    const element *e;
    int step;    // between nodes step and step + 1 of the element
    double ds, t;  // step length, distance from the left node
} spot;

static spot spot_at(const rod *r, double s) {
    spot p = {.e = &r->elements[rod_element_at(r, s)]};
    p.ds = p.e->length / (p.e->n_nodes - 1);
    int j = (int)((s - p.e->s0) / p.ds);
    p.step = j < 0 ? 0 : j > p.e->n_nodes - 2 ? p.e->n_nodes - 2 : j;
    p.t = (s - p.e->s0) - p.step * p.ds;
    return p;
}

// Pose by cubic Hermite: its derivative along s is known at the nodes.
static td_pose pose_at(const rod_memory *m, const spot *p) {
    double w[4], h[4] = {0.0};
    vec3 x = vec3_zero();
    hermite_weights(p->ds, p->t, w);
    for (int end = 0; end < 2; end++) {
        size_t node = (size_t)(p->e->node + p->step + end);
        const double *y = m->nodes + node * Y_SIZE, *f = m->fields[0] + node * F_SIZE;
        const station *st = &p->e->stations[p->step + end];
        quat q = quat_load(y + Y_H);
        double h_s[4];
        quat_store(h_s, quat_rate(q, vec3_add(st->u_rest, vec3_load(f + F_U))));
        for (int k = 0; k < 4; k++) h[k] += w[2 * end] * y[Y_H + k] + w[2 * end + 1] * h_s[k];
        vec3 p_s = quat_rotate(q, vec3_add(st->v_rest, vec3_load(f + F_V)));
        x = vec3_madd(vec3_madd(x, w[2 * end], vec3_load(y + Y_P)), w[2 * end + 1], p_s);
    }
    td_pose pose;
    vec3_store(pose.p, x);
    quat_store(pose.q, quat_normalise(quat_load(h)));
    return pose;
}

// The cubic (or less, in a short element) through the nodes around the spot: first node, weights.
static int weights_around(const spot *p, int *count, double w[4]) {
    int n = p->e->n_nodes;
    *count = n < 4 ? n : 4;
    int first = p->step - (*count - 2) / 2;
    first = first < 0 ? 0 : first > n - *count ? n - *count : first;
    double x = p->step - first + p->t / p->ds;  // in steps from the first node
    for (int i = 0; i < *count; i++) {
        w[i] = 1.0;
        for (int k = 0; k < *count; k++)
            if (k != i) w[i] *= (x - k) / (i - k);
    }
    return first;
}

static td_sample sample(const rod *r, const rod_memory *m, double at) {
    spot p = spot_at(r, at);
    td_sample out = {.pose = pose_at(m, &p)};
    double w[4], world[6] = {0.0};
    int count, first = weights_around(&p, &count, w);
    for (int i = 0; i < count; i++) {
        size_t node = (size_t)(p.e->node + first + i);
        const double *y = m->nodes + node * Y_SIZE, *f = m->fields[0] + node * F_SIZE;
        const station *st = &p.e->stations[first + i];
        double rest[6];
        vec3_store(rest, st->u_rest);
        vec3_store(rest + 3, st->v_rest);
        for (int k = 0; k < 6; k++) {
            out.strain[k] += w[i] * (rest[k] + f[F_U + k]);
            out.velocity[k] += w[i] * f[F_W + k];
            world[k] += w[i] * y[Y_N + k];
        }
    }
    quat back = quat_conj(quat_load(out.pose.q));
    vec3_store(out.wrench, quat_rotate(back, vec3_load(world + 3)));
    vec3_store(out.wrench + 3, quat_rotate(back, vec3_load(world)));
    return out;
}

extern const space_scheme scheme_shooting;
const space_scheme scheme_shooting = {
    .name = "shooting",
    .first_load_step = 0.05,  // its test sees a loss of rank only while it changes sign once
    .count = count,
    .place = place,
    .between = true,
    .prepare = prepare,
    .discard = discard,
    .n_unknowns = n_unknowns,
    .layout = layout,
    .recall = recall,
    .taken = taken,
    .evaluate = evaluate,
    .solve = solve,
    .seek = seek,
    .follow = follow,
    .settle = settle,
    .explain = explain,
    .sample = sample,
};
