// model/cosserat/chebyshev/chebyshev.c - the scheme's table.
#include "model/cosserat/chebyshev/chebyshev.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "math/interpolate.h"
#include "math/quadrature.h"

// A path is followed in corrections smaller than this angle over the whole rod: larger ones may
// lead to another branch.
#define FOLLOW_ANGLE 4.0

// ---------------------------------------------------------------- nodes and memory
static int count(const td_options *options, double share) {
    (void)share;  // there is one element
    return options->nodes;
}

static bool place(int n, double *x, double *w) {
    double bary[CHEBYSHEV_MOST];
    const double end = 1.0;
    if (n > CHEBYSHEV_MOST) return false;
    chebyshev_roots(n, x);
    return barycentric_weights(n, x, bary) && integration_matrix(n, x, bary, 1, &end, w);
}

static int n_unknowns(const rod *r) {
    return 3 * r->n_nodes;
}

static void *layout(const rod *r, arena *keep, arena *work) {
    (void)keep;  // the common memory holds all that decides the future
    const size_t n = (size_t)r->n_nodes;
    chebyshev_memory *own = ARENA_TAKE(work, chebyshev_memory, 1), m;
    m.x = ARENA_TAKE(work, double, 3 * n);
    m.residual = ARENA_TAKE(work, double, 3 * n);
    m.step = ARENA_TAKE(work, double, 3 * n);
    m.J = ARENA_TAKE(work, double, 9 * n * n);
    m.pivot = ARENA_TAKE(work, int, 3 * n);
    m.turn = ARENA_TAKE(work, mat3, n);
    if (own) *own = m;
    return own;
}

// ---------------------------------------------------------------- solving
static void recall(const rod *r, const rod_memory *m, const double w[3], double *unknowns) {
    (void)w;  // statics only: there is no past
    for (int i = 0; i < r->n_nodes; i++)
        memcpy(unknowns + 3 * i, m->fields[0] + F_SIZE * i + F_U, 3 * sizeof(double));
}

static bool evaluate(const rod_problem *p, const double *unknowns) {
    chebyshev_memory *own = p->m->own;
    memcpy(own->x, unknowns, sizeof(double) * (size_t)n_unknowns(p->r));
    return chebyshev_publish(p, own);
}

static td_status solve(const rod_problem *p, const cosserat_time *time, double dt) {
    (void)p, (void)time, (void)dt;
    return TD_ERR_UNSUPPORTED;
}

static void explain(const rod_problem *p, double dt, char *message, size_t size) {
    snprintf(message, size,
             "rod '%s': a step of %.4g s: the space scheme chebyshev cannot do dynamics; the space "
             "schemes collocation and shooting can",
             p->r->name, dt);
}

// The answers to small moments about the three axes of the tip: the test value is one over the sum
// of the tip's own turns about them, which passes through zero where the rod buckles; the largest
// answer, in units of the free rod's, estimates the condition. A sum over three directions keeps
// its sign where a single one would lose it, under moments that are fixed in the world.
static path_test test_of(const rod_problem *p, chebyshev_memory *m) {
    const rod *r = p->r;
    const int n = r->n_nodes;
    const double *K = r->elements[0].stations[0].K;
    double sum = 0.0, largest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        memset(m->step, 0, sizeof(double) * 3 * (size_t)n);
        m->step[3 * (n - 1) + axis] = 1.0;  // L/K times a moment of K/L
        lu_solve(3 * n, m->J, m->pivot, m->step);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 3; k++) {
                sum += m->turn[j].m[axis][k] * m->step[3 * j + k];
                largest = fmax(largest, fabs(m->step[3 * j + k]) * sqrt(K[k] / K[axis]));
            }
    }
    return (path_test){STABILITY_UNKNOWN, 1.0 / sum, largest, false};
}

static td_status follow(const rod_problem *p, double *unknowns, path_test *test) {
    chebyshev_memory *own = p->m->own;
    const size_t bytes = sizeof(double) * (size_t)n_unknowns(p->r);
    memcpy(own->x, unknowns, bytes);
    td_status status = chebyshev_newton(p, own, FOLLOW_ANGLE);
    if (status < 0) return status;
    memcpy(unknowns, own->x, bytes);
    *test = test_of(p, own);
    return status;
}

static void settle(const rod *r, rod_memory *m, const double *unknowns) {
    (void)r, (void)m, (void)unknowns;
}

// ---------------------------------------------------------------- reading the shape
static vec3 curvature_at(const rod *r, const rod_memory *m, double x) {
    const chebyshev_table *t = chebyshev_of(r);
    double row[CHEBYSHEV_MOST];
    vec3 u = vec3_zero();
    lagrange_row(t->n, t->c, t->bary, x, row);
    for (int j = 0; j < t->n; j++)
        u = vec3_madd(u, row[j], vec3_load(m->fields[0] + (size_t)j * F_SIZE + F_U));
    return u;
}

// By a Magnus step from the node before x.
static se3 pose_at(const rod *r, const rod_memory *m, double x) {
    const chebyshev_table *t = chebyshev_of(r);
    const station *st = &r->elements[0].stations[0];
    const double *points = magnus_points(t->points);
    int k = 0;
    while (k < t->n && t->c[k] <= x) k++;
    const double *y = k ? m->nodes + (size_t)(k - 1) * Y_SIZE : m->bounds;
    double from = k ? t->c[k - 1] : 0.0, d = x - from;
    vec6 g[3];
    for (int i = 0; i < t->points; i++)
        g[i] =
            vec6_make(vec3_add(st->u_rest, curvature_at(r, m, from + points[i] * d)), st->v_rest);
    se3 T = {quat_to_mat3(quat_load(y + Y_H)), vec3_load(y + Y_P)};
    se3 step = se3_exp(magnus_exponent(t->points, d * r->length, g));
    return se3_mul(&T, &step);
}

static td_sample sample(const rod *r, const rod_memory *m, double s) {
    const station *st = &r->elements[0].stations[0];
    double x = fmin(fmax(s / r->length, 0.0), 1.0);
    se3 T = pose_at(r, m, x);
    vec3 u = curvature_at(r, m, x);
    td_sample out = {.pose = pose_from(&T.R, T.p)};
    vec3_store(out.strain, vec3_add(st->u_rest, u));
    vec3_store(out.strain + 3, st->v_rest);
    vec3_store(out.wrench, vec3_mul(vec3_load(st->K), u));
    vec3_store(out.wrench + 3, mat3_tmul_vec(&T.R, vec3_load(m->bounds + Y_N)));
    return out;
}

extern const space_scheme scheme_chebyshev;
const space_scheme scheme_chebyshev = {
    .name = "chebyshev",
    .first_load_step = 1.0,
    .trusting = true,
    .check = chebyshev_check,
    .count = count,
    .place = place,
    .between = false,
    .prepare = chebyshev_prepare,
    .discard = chebyshev_discard,
    .n_unknowns = n_unknowns,
    .layout = layout,
    .recall = recall,
    .evaluate = evaluate,
    .solve = solve,
    .follow = follow,
    .settle = settle,
    .explain = explain,
    .sample = sample,
};
