// model/cosserat/collocation/collocation.c - collocation as a spatial scheme.
#include "model/cosserat/collocation/collocation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/interpolate.h"
#include "math/quadrature.h"
#include "model/cosserat/collocation/efforts.h"
#include "model/cosserat/collocation/newton.h"

// A path is followed in corrections smaller than this angle over the whole rod: larger ones may lead
// to another branch.
#define FOLLOW_ANGLE 4.0
// A node that touches an obstacle rightly asks for a large curvature.
#define TOUCHING_ANGLE 40.0

// ---------------------------------------------------------------- nodes and memory
// A short element needs fewer nodes for the same accuracy.
static int count(const td_options *options, double share) {
    if (share == 1.0) return options->nodes;
    int n = (int)ceil(options->nodes * share) + 2;
    return n < options->nodes ? n : options->nodes;
}

static bool place(int n, double *x, double *w) {
    return gauss_legendre(n, x, w);
}

static int n_unknowns(const rod *r) {
    return n_strains(r) + r->n_efforts;
}

// The coupling of elements, and of the rod to others, is kept only where there is any.
static element_factor layout_factor(const rod *r, int k, arena *keep, arena *work) {
    size_t m = (size_t)(unknowns_per_node(r) * r->elements[k].n_nodes);
    const bool coupled = r->n_elements > 1 || r->held || r->base_body >= 0 || r->n_efforts;
    arena *ports = coupled ? keep : work;
    element_factor f;
    f.lu = ARENA_TAKE(keep, double, m *m);
    f.pivot = ARENA_TAKE(keep, int, m);
    f.rows = ARENA_TAKE(ports, double, m * 6);
    f.out = ARENA_TAKE(ports, double, m * 6);
    f.lean = ARENA_TAKE(ports, double, m * 12);
    f.tip = ARENA_TAKE(ports, double, m * 12);
    f.carry = ARENA_TAKE(ports, double, 144);
    f.plain = ARENA_TAKE(keep, double, r->n_obstacles ? sweep_plain(m) : 0);
    f.touching = ARENA_TAKE(keep, double, r->n_obstacles ? 1 : 0);
    return f;
}

static void layout_efforts(const rod *r, arena *keep, arena *work, collocation_memory *m) {
    const size_t n = (size_t)n_strains(r), k = (size_t)r->n_efforts, points = (size_t)r->n_points;
    m->now.efforts = ARENA_TAKE(work, double, k);
    m->now.tensions = ARENA_TAKE(work, double, points);
    m->now.points = ARENA_TAKE(work, density, points);
    m->now.grips = ARENA_TAKE(work, double, points);
    m->now.passed = ARENA_TAKE(work, double, points);
    m->now.edges = ARENA_TAKE(work, double, 3 * points);
    m->edge = border_layout(r, keep);
    m->columns = ARENA_TAKE(work, double, (n > k ? n : k) * k + 2 * k);
    m->friction = ARENA_TAKE(work, double, friction_scratch(r));
    m->own_row = ARENA_TAKE(work, int, k);
    m->shifted = ARENA_TAKE(work, double, k ? n *SHIFTED : 0);
    m->saved = ARENA_TAKE(work, double, 2 * (6 * (size_t)r->n_nodes + k));
    m->wide = ARENA_TAKE(work, double, 2 * SWEEP_WIDEST * n);
    m->answer = ARENA_TAKE(work, double, answer_scratch(r));
}

static void *layout(const rod *r, arena *keep, arena *work) {
    size_t n = (size_t)r->n_nodes, unknowns = (size_t)n_unknowns(r);
    collocation_memory *own = ARENA_TAKE(work, collocation_memory, 1), m;
    // Factors with the tensions of tendons that rub are megabytes, which every step would copy, and soon out
    // of date: a step begins with new ones.
    arena *store = rod_rubs(r) ? work : keep;
    m.kept = ARENA_TAKE(keep, kept_matrix, 1);
    m.factors = ARENA_TAKE(work, element_factor, r->n_elements);
    for (int k = 0; k < r->n_elements; k++) {
        element_factor f = layout_factor(r, k, store, work);
        if (m.factors) m.factors[k] = f;
    }
    m.now.x = ARENA_TAKE(work, double, 6 * n);
    m.now.lanes = ARENA_TAKE(work, node_lanes, iterate_blocks(r));
    m.now.nodes = ARENA_TAKE(work, node_motion, n);
    m.now.bounds = ARENA_TAKE(work, bound_motion, r->n_elements + 1);
    m.now.residual = ARENA_TAKE(work, double, unknowns);
    m.frozen = ARENA_TAKE(work, node_motion, n);
    m.step = ARENA_TAKE(work, double, unknowns);
    m.blocks = ARENA_TAKE(work, double, sweep_scratch(r));
    layout_efforts(r, store, work, &m);
    if (own) *own = m;
    return own;
}

// ---------------------------------------------------------------- unknowns
void collocation_take_unknowns(const rod *r, const double *unknowns, iterate *it) {
    const int d = unknowns_per_node(r);
    memset(it->x, 0, sizeof(double) * 6 * (size_t)r->n_nodes);
    for (int i = 0; i < r->n_nodes; i++)
        memcpy(it->x + 6 * i, unknowns + d * i, sizeof(double) * (size_t)d);
    memcpy(it->efforts, unknowns + n_strains(r), sizeof(double) * (size_t)r->n_efforts);
}

static void give_unknowns(const rod *r, const iterate *it, double *unknowns) {
    const int d = unknowns_per_node(r);
    for (int i = 0; i < r->n_nodes; i++)
        memcpy(unknowns + d * i, it->x + 6 * i, sizeof(double) * (size_t)d);
    memcpy(unknowns + n_strains(r), it->efforts, sizeof(double) * (size_t)r->n_efforts);
}

static void recall(const rod *r, const rod_memory *m, const double w[3], double *unknowns) {
    collocation_memory *own = m->own;
    iterate_recall(r, m, w, &own->now);
    give_unknowns(r, &own->now, unknowns);
}

// The past strains are fields of the rod's memory.
static void taken(const rod *r, rod_memory *m, const double *unknowns) {
    (void)r, (void)m, (void)unknowns;
}

static bool evaluate(const rod_problem *p, const double *unknowns) {
    collocation_memory *own = p->m->own;
    collocation_take_unknowns(p->r, unknowns, &own->now);
    if (!iterate_evaluate(p, &own->now)) return false;
    iterate_publish(p, &own->now);
    return true;
}

// ---------------------------------------------------------------- solving
static td_status solve(const rod_problem *p, const cosserat_time *time, double dt) {
    return newton_step(p, p->m->own, time, dt);
}

// An estimate of the condition: the largest answer of the equations to a fixed load, in units of the
// section law's own answer.
static double condition_of(const rod *r, collocation_memory *own) {
    const int d = unknowns_per_node(r);
    double *c = own->now.residual, largest = 0.0;
    for (int i = 0; i < n_strains(r); i++)
        c[i] = (i % d < 3 ? r->moment_scale : r->force_scale) * (1.0 + 0.3 * sin(1.7 * i));
    memset(c + n_strains(r), 0, sizeof(double) * (size_t)r->n_efforts);
    rod_solve(r, own, c, own->step);
    for (int k = 0; k < r->n_elements; k++)
        for (int i = 0; i < d * r->elements[k].n_nodes; i++) {
            int at = d * r->elements[k].node + i;
            double answer = own->step[at] * r->elements[k].stations[i / d].K[i % d];
            largest = fmax(largest, fabs(answer / c[at]));
        }
    return largest;
}

// A definite second variation is stable. With friction only a negative determinant (a rod that would diverge)
// is surely not.
static path_test test_of(const rod_problem *p, collocation_memory *own) {
    int negative = 0;
    if (!rod_factor(p, own, own->now.nodes, false, &negative))
        return (path_test){UNSTABLE, 0.0, HUGE_VAL, false};
    bool unstable = negative > 0 && (!problem_rubs(p) || sweep_sign(p->r, own->factors) < 0);
    return (path_test){unstable ? UNSTABLE : STABLE, 1.0, condition_of(p->r, own), false};
}

static td_status follow(const rod_problem *p, double *unknowns, path_test *test) {
    collocation_memory *own = p->m->own;
    collocation_take_unknowns(p->r, unknowns, &own->now);
    const double farthest = p->touches ? TOUCHING_ANGLE : FOLLOW_ANGLE;
    td_status status = newton_follow(p, own, farthest);
    if (status < 0) {
        collocation_take_unknowns(p->r, unknowns, &own->now);
        status = newton_loosen(p, own, farthest);
    }
    if (status < 0) return status;
    give_unknowns(p->r, &own->now, unknowns);
    *test = test_of(p, own);  // its factors serve the next solve nearby
    return status;
}

static void settle(const rod *r, rod_memory *m, const double *unknowns) {
    (void)r, (void)m, (void)unknowns;
}

static void explain(const rod_problem *p, double dt, char *message, size_t size) {
    char what[96];
    snprintf(what, sizeof what, "rod '%.80s'", p->r->name);
    step_explain(what, p->options, p->stats, dt, message, size);
    explain_turns(p->r, p->m, message);
}

// ---------------------------------------------------------------- reading the shape
void collocation_shares(const gauss_table *t, double from, double to, double *rows) {
    static const double points[2][3] = {{MAGNUS4_C1, MAGNUS4_C2, 0.0},
                                        {MAGNUS6_C1, MAGNUS6_C2, MAGNUS6_C3}};
    const double *at = points[t->points - 2];
    for (int i = 0; i < t->points; i++, rows += t->n)
        lagrange_row(t->n, t->c, t->bary, from + at[i] * (to - from), rows);
}

se3 collocation_step(const element *e, const gauss_table *t, const double *x, size_t stride,
                     double from, double to) {
    const double d = (to - from) * e->length;
    double rows[3 * GAUSS_MAX];
    vec6 g[3];
    collocation_shares(t, from, to, rows);
    for (int i = 0; i < t->points; i++) {
        g[i] = vec6_make(e->stations[0].u_rest, e->stations[0].v_rest);
        for (int j = 0; j < t->n; j++)
            g[i] = vec6_madd(g[i], rows[i * t->n + j], vec6_load(x + (size_t)j * stride));
    }
    return se3_exp(t->points == 2 ? se3_magnus4(d, g[0], g[1]) : se3_magnus6(d, g[0], g[1], g[2]));
}

// The pose at a share x of the element, by a Magnus step from the node before it.
static se3 pose_at(const element *e, const gauss_table *t, const rod_memory *m, const double *start,
                   double x) {
    int k = 0;
    while (k < t->n && t->c[k] <= x) k++;
    const double *y = k ? m->nodes + (size_t)(e->node + k - 1) * Y_SIZE : start;
    se3 T = {quat_to_mat3(quat_load(y + Y_H)), vec3_load(y + Y_P)};
    se3 step = collocation_step(e, t, m->fields[0] + (size_t)e->node * F_SIZE + F_U, F_SIZE,
                                k ? t->c[k - 1] : 0.0, x);
    return se3_mul(&T, &step);
}

static td_sample sample(const rod *r, const rod_memory *m, double s) {
    int k = rod_element_at(r, s);
    const element *e = &r->elements[k];
    const gauss_table *t = gauss_of(r, e);
    double x = (s - e->s0) / e->length, row[GAUSS_MAX], world[6] = {0.0};
    x = x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
    se3 T = pose_at(e, t, m, m->bounds + (size_t)k * Y_SIZE, x);
    td_sample out = {.pose = pose_from(&T.R, T.p)};
    vec3_store(out.strain, e->stations[0].u_rest);
    vec3_store(out.strain + 3, e->stations[0].v_rest);
    lagrange_row(t->n, t->c, t->bary, x, row);
    for (int j = 0; j < t->n; j++) {
        const double *f = m->fields[0] + (size_t)(e->node + j) * F_SIZE;
        const double *y = m->nodes + (size_t)(e->node + j) * Y_SIZE;
        for (int c = 0; c < 6; c++) {
            out.strain[c] += row[j] * f[F_U + c];
            out.velocity[c] += row[j] * f[F_W + c];
            world[c] += row[j] * y[Y_N + c];
        }
    }
    quat back = quat_conj(quat_load(out.pose.q));
    vec3_store(out.wrench, quat_rotate(back, vec3_load(world + 3)));
    vec3_store(out.wrench + 3, quat_rotate(back, vec3_load(world)));
    return out;
}

// ---------------------------------------------------------------- how good it is
// The polynomial through n Gauss nodes misses the next term of the strain, a P_n, and those beyond:
// nothing at the nodes, a at the ends of the element. There the section answers to the moment that
// acts on it, and what that differs from the polynomial by is a. Its integral, by which directions
// are off between the nodes, is at most a L sqrt(2/(pi n))/(2n + 1), nearly.
static vec3 moment_at(const double *y) {
    return quat_rotate(quat_conj(quat_load(y + Y_H)), vec3_load(y + Y_M));
}

// What drives and damping add to the moment of the material varies smoothly: it is extrapolated, and so
// is the stiffness.
typedef struct section_state {
    vec3 K, x,
        rest;  // stiffness, strain less that at rest, the moment that the material does not explain
} section_state;

static section_state section_at(const element *e, int j, const rod_memory *m) {
    const station *s = &e->stations[j];
    const size_t node = (size_t)(e->node + j);
    const vec3 K = vec3_load(s->K);
    const vec3 x = vec3_sub(vec3_load(m->fields[0] + node * F_SIZE + F_U), s->u_rest);
    return (section_state){K, x, vec3_sub(moment_at(m->nodes + node * Y_SIZE), vec3_mul(K, x))};
}

// What is missed at an end of an element, row its polynomials there.
static double missed_at(int n, const section_state *at, const double *row, const double *bound,
                        vec3 nearest) {
    vec3 rest = vec3_zero(), strain = vec3_zero(), K = vec3_zero();
    for (int j = 0; j < n; j++) {
        rest = vec3_madd(rest, row[j], at[j].rest);
        strain = vec3_madd(strain, row[j], at[j].x);
        K = vec3_madd(K, row[j], at[j].K);
    }
    const vec3 by = {fmax(K.x, 0.1 * nearest.x), fmax(K.y, 0.1 * nearest.y),
                     fmax(K.z, 0.1 * nearest.z)};
    const vec3 acts = vec3_sub(moment_at(bound), rest);
    const vec3 law = {acts.x / by.x, acts.y / by.y, acts.z / by.z};
    return vec3_norm(vec3_sub(law, strain));
}

// The wrench of a bound is that before the point loads there: of the far end of an element.
static double resolution(const rod *r, const rod_memory *m) {
    double worst = 0.0;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        const gauss_table *t = gauss_of(r, e);
        const int n = t->n;
        section_state at[GAUSS_MAX];
        for (int j = 0; j < n; j++) at[j] = section_at(e, j, m);
        double missed =
            missed_at(n, at, t->ends + n, m->bounds + (size_t)(k + 1) * Y_SIZE, at[n - 1].K);
        if (k == 0) missed = fmax(missed, missed_at(n, at, t->ends, m->bounds, at[0].K));
        worst = fmax(worst, missed * e->length * sqrt(0.6366 / n) / (2.0 * n + 1.0));
    }
    return worst;
}

static void weights(const rod *r, int k, double x, double *row) {
    const gauss_table *t = gauss_of(r, &r->elements[k]);
    lagrange_row(t->n, t->c, t->bary, x, row);
}

extern const space_scheme scheme_collocation;
const space_scheme scheme_collocation = {
    .name = "collocation",
    .first_load_step = 1.0,
    .count = count,
    .place = place,
    .between = false,
    .prepare = collocation_prepare,
    .discard = collocation_discard,
    .n_unknowns = n_unknowns,
    .layout = layout,
    .recall = recall,
    .taken = taken,
    .evaluate = evaluate,
    .solve = solve,
    .follow = follow,
    .settle = settle,
    .explain = explain,
    .sample = sample,
    .resolution = resolution,
    .ports = &collocation_ports,
    .has_laws = true,
    .solves_efforts = true,
    .weights = weights,
};
