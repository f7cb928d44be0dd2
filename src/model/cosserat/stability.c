// model/cosserat/stability.c - the second variation of the energy of an assembly in equilibrium.
//
// With the energy E, constraints c = 0 and reactions l, L = E - l.c. Its Hessian in the rods'
// unknowns x, the bodies' motions z and l has as many negative eigenvalues as there are
// constraints, and in addition those of the second variation on the admissible variations: 0 of
// them is stable (Haynsworth). With the rods eliminated it is minus the border's matrix, so
//
//     negative = sum over rods (their own) + (positive eigenvalues of the border) - constraints
//
// The numbers of a joint on a tip meet only the bodies that the rod stands on and that hold it, so they are
// eliminated joint by joint, which adds up inertias too: the cost is linear in the number of rods.
//
// A moment M that is dead in the world is not symmetric: the second variation of l.c adds -M^/2
// on the side of what is held, in the rod's own matrix (tangent_end_load), and M^/2 on the holder's. Where a joint turns freely, M = b x m
// with b fixed in what is held and m in the frame,
//
//     d2(l.c) = (t.b)(t.m) - 2 (t.m)(h.b) + (h.m)(h.b)        t, h: rotations of held and holder
//
// and on a rod's tip, where t - h is along b in a revolute joint, that is the same as (h.m)(t.b)
// - (h.m)(h.b), which leaves the rod's own block alone. In a universal joint it is not: there two
// numbers y more do that, (t.b)(t.m) = stationary y1 (t.b) + y2 (t.m) - y1 y2, with one negative
// eigenvalue of their own.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/symmetric.h"
#include "model/cosserat/assembly.h"

#define MOST_COLUMNS 18
#define NO_MOMENT 1e-6  // in units of EI/L
#define NEUTRAL 1e-9    // an eigenvalue that is zero, as of an arch that may stand in any plane

typedef struct turn_terms {  // d2(l.c): moments on held (t) and holder (h), by their rotations
    mat3 tt, th, ht, hh;
} turn_terms;

// ---------------------------------------------------------------- joints
static int n_moments(const joint *j) {
    if (j->kind == TD_CLAMP || j->kind == TD_PRISMATIC) return 3;
    return j->kind == TD_REVOLUTE ? 2 : j->kind == TD_UNIVERSAL ? 1 : 0;
}

static int n_forces(const joint *j) {
    return j->kind == TD_PRISMATIC ? 2 : 3;
}

// The two numbers more of a universal joint on a tip.
static int n_extra(const assembly_problem *p, int k) {
    const joint *j = joint_of(p, k);
    if (j->kind != TD_UNIVERSAL || j->rod < 0) return 0;
    return vec3_norm(p->own->joints[k].moment) > NO_MOMENT * p->a->force * p->a->length ? 2 : 0;
}

static void extra_directions(const assembly_problem *p, int k, vec3 out[2]) {
    const joint_motion *at = &p->own->joints[k];
    out[0] = mat3_mul_vec(&at->held.R, joint_of(p, k)->axis2);  // b
    out[1] = vec3_cross(at->moment, out[0]);                    // m
}

// The directions of the moments (unit vectors): their columns.
static void moment_directions(const assembly_problem *p, int k, vec3 out[3]) {
    const joint *j = joint_of(p, k);
    const joint_motion *at = &p->own->joints[k];
    vec3 a = mat3_mul_vec(&at->frame.R, j->axis);
    if (j->kind == TD_CLAMP || j->kind == TD_PRISMATIC) {
        out[0] = vec3_make(1.0, 0.0, 0.0);
        out[1] = vec3_make(0.0, 1.0, 0.0);
        out[2] = vec3_make(0.0, 0.0, 1.0);
    } else if (j->kind == TD_REVOLUTE) {
        vec3 b = mat3_mul_vec(&at->held.R, j->axis);
        for (int i = 0; i < 2; i++)
            out[i] = vec3_cross(b, mat3_mul_vec(&at->frame.R, j->across[i]));
    } else if (j->kind == TD_UNIVERSAL) {
        out[0] = vec3_cross(mat3_mul_vec(&at->held.R, j->axis2), a);
    }
}

static mat3 outer(vec3 a, vec3 b, double factor) {
    return (mat3){{{factor * a.x * b.x, factor * a.x * b.y, factor * a.x * b.z},
                   {factor * a.y * b.x, factor * a.y * b.y, factor * a.y * b.z},
                   {factor * a.z * b.x, factor * a.z * b.y, factor * a.z * b.z}}};
}

static turn_terms turns_of(const assembly_problem *p, int k) {
    const joint *j = joint_of(p, k);
    const joint_motion *at = &p->own->joints[k];
    turn_terms t = {.tt = {{{0.0}}}};
    mat3 hat = mat3_hat(at->moment);
    t.tt = mat3_scale(&hat, -0.5);
    t.hh = mat3_scale(&hat, 0.5);
    if (j->kind != TD_REVOLUTE && j->kind != TD_UNIVERSAL) return t;
    vec3 b = mat3_mul_vec(&at->held.R, j->kind == TD_REVOLUTE ? j->axis : j->axis2);
    vec3 m = vec3_cross(at->moment, b);  // M = b x m with m at right angles to b
    mat3 bm = outer(b, m, 1.0), mb = outer(m, b, 1.0), both = mat3_add(&bm, &mb);
    if (j->rod < 0 || j->kind == TD_UNIVERSAL) {
        const mat3 tt = j->rod < 0 ? bm : t.tt;
        t = (turn_terms){tt, mat3_scale(&mb, -1.0), mat3_scale(&bm, -1.0), mb};
    } else {
        mat3 less = mat3_scale(&both, -0.5);
        t.th = mat3_scale(&bm, 0.5);
        t.ht = mat3_scale(&mb, 0.5);
        t.hh = mat3_add(&t.hh, &less);
    }
    return t;
}

// ---------------------------------------------------------------- the ends of a rod
// How the tip moves (6 x columns) and the wrench at the base changes (6 x columns) with the
// joint's own numbers, the motion of the base and the motion of the holder.
typedef struct rod_ends {
    int n, own;  // rows of the joint; its numbers, extra ones too
    int base_at, holder_at, columns;
    double tip[6 * MOST_COLUMNS], base[6 * MOST_COLUMNS];
} rod_ends;

static double entry(const double *m, int n, int i, int k) {
    return m[i * n + k];
}

// The columns of moments in direction v, of an answer (6 x n) to unit moments and forces.
static void put_column(const double *from, int n, vec3 v, double *to, int columns, int at) {
    for (int i = 0; i < 6; i++)
        to[i * columns + at] +=
            entry(from, n, i, 0) * v.x + entry(from, n, i, 1) * v.y + entry(from, n, i, 2) * v.z;
}

static vec3 column_of(const mat3 *m, int k) {
    return vec3_make(m->m[0][k], m->m[1][k], m->m[2][k]);
}

static void ends_of(const assembly_problem *p, int i, int k, const turn_terms *t, rod_ends *e) {
    const rod_answer *answer = &p->own->answers[i];
    const joint *j = joint_of(p, k);
    const int n_m = n_moments(j), n_tip = j->n_reactions;
    const bool stands = answer->n > n_tip;
    vec3 directions[3], extra[2];
    memset(e, 0, sizeof *e);
    e->n = n_m + 3, e->own = e->n + n_extra(p, k);
    e->base_at = e->own, e->holder_at = e->own + 6, e->columns = e->own + 12;
    moment_directions(p, k, directions);
    extra_directions(p, k, extra);
    for (int side = 0; side < 2; side++) {
        const double *from = side ? answer->base : answer->tip;
        double *to = side ? e->base : e->tip;
        if (side && !stands) continue;
        for (int l = 0; l < n_m; l++) put_column(from, answer->n, directions[l], to, e->columns, l);
        for (int l = e->n; l < e->own; l++)
            put_column(from, answer->n, vec3_scale(extra[l - e->n], 0.5), to, e->columns, l);
        for (int r = 0; r < 6; r++) {
            for (int l = 0; l < 3; l++)
                to[r * e->columns + n_m + l] = entry(from, answer->n, r, n_tip - 3 + l);
            for (int l = 0; l < 6 && stands; l++)
                to[r * e->columns + e->base_at + l] = entry(from, answer->n, r, n_tip + l);
        }
        for (int l = 0; l < 3 && n_tip == 6; l++)
            put_column(from, answer->n, column_of(&t->th, l), to, e->columns, e->holder_at + l);
    }
}

// ---------------------------------------------------------------- the matrix
typedef struct variation {
    const assembly_problem *p;
    double *A;
    int N;
    int at;      // where the next joint's numbers go
    bool local;  // of one joint on a tip: the rod's base, what holds the joint, its numbers
    int base;    // the body that the rod stands on
} variation;

static int body_at(const variation *v, int body) {
    if (v->local) return body == v->base ? 0 : 6;
    return 6 * v->p->c->bodies[body].place;
}

static int n_numbers(const assembly_problem *p, int k) {
    return n_moments(joint_of(p, k)) + n_forces(joint_of(p, k)) + n_extra(p, k);
}

static void add(const variation *v, int row, int column, double value) {
    v->A[row * v->N + column] += value;
}

static void add_mat3(const variation *v, int row, int column, const mat3 *m) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) add(v, row + i, column + k, m->m[i][k]);
}

// A dead force at a point that moves with `column`: d(point x force).
static void add_dead_force(const variation *v, int row, int column, vec3 point, vec3 force,
                           double factor) {
    mat3 F = mat3_hat(force), P = mat3_hat(point), FP = mat3_mul(&F, &P);
    mat3 lever = mat3_scale(&FP, factor), turned = mat3_scale(&F, -factor);
    add_mat3(v, row, column, &lever);
    add_mat3(v, row, column + 3, &turned);
}

// The force of a joint that slides turns with its holder: d(point x force, force) = (- P F^, - F^) phi.
static void add_turning_force(const variation *v, int row, int column, vec3 point, vec3 force,
                              double factor) {
    mat3 F = mat3_hat(force), P = mat3_hat(point), PF = mat3_mul(&P, &F);
    mat3 lever = mat3_scale(&PF, -factor), turned = mat3_scale(&F, -factor);
    add_mat3(v, row, column, &lever);
    add_mat3(v, row + 3, column, &turned);
}

// The joint's rows by a motion (6 x columns) of a point, and the transpose: what its numbers do
// there.
static void joint_row_by(const assembly_problem *p, int k, vec3 point, const double *motion,
                         int stride, int column, double *rows) {
    const joint *j = joint_of(p, k);
    const int n_m = n_moments(j);
    vec3 directions[3];
    moment_directions(p, k, directions);
    double z[6];
    for (int i = 0; i < 6; i++) z[i] = motion[i * stride + column];
    vec3 turn = vec3_load(z), shift = vec3_add(vec3_load(z + 3), vec3_cross(turn, point));
    for (int i = 0; i < n_m; i++) rows[i] = vec3_dot(directions[i], turn);
    if (j->kind != TD_PRISMATIC) {
        vec3_store(rows + n_m, shift);
        return;
    }
    for (int i = 0; i < 2; i++)
        rows[n_m + i] = vec3_dot(mat3_mul_vec(&p->own->joints[k].frame.R, j->across[i]), shift);
}

static const double identity6[36] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                     0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};

// Rows of the joint by the motion of a body that moves rigidly, and the body's rows by its numbers; the point moves
// with `carrier`.
static void add_rigid_side(const variation *v, int k, int body, int carrier, vec3 point,
                           double factor) {
    const int n = n_moments(joint_of(v->p, k)) + n_forces(joint_of(v->p, k)), own = v->at;
    for (int c = 0; c < 6; c++) {
        double rows[6];
        joint_row_by(v->p, k, point, identity6, 6, c, rows);
        for (int i = 0; i < n; i++) {
            add(v, own + i, body_at(v, body) + c, factor * rows[i]);
            add(v, body_at(v, body) + c, own + i, factor * rows[i]);
        }
    }
    add_dead_force(v, body_at(v, body), body_at(v, carrier), point, v->p->own->joints[k].force,
                   factor);
}

// Column l of the rod's ends belongs to this unknown of the matrix; -1: to none.
static int unknown_of(const variation *v, const rod_ends *e, int l, int base, int holder) {
    if (l < e->base_at) return v->at + l;
    if (l < e->holder_at) return base < 0 ? -1 : body_at(v, base) + l - e->base_at;
    return holder < 0 ? -1 : body_at(v, holder) + l - e->holder_at;
}

static void add_tip_joint(const variation *v, int k, const turn_terms *t) {
    const assembly_problem *p = v->p;
    const joint *j = joint_of(p, k);
    int i = 0;
    while (p->a->tips[i] != k) i++;
    const int base = p->own->problems[i].r->base_body;
    vec3 extra[2];
    rod_ends e;
    extra_directions(p, k, extra);
    ends_of(p, i, k, t, &e);
    if (e.own > e.n) {
        add(v, v->at + e.n, v->at + e.n + 1, -0.5);
        add(v, v->at + e.n + 1, v->at + e.n, -0.5);
    }
    for (int l = 0; l < e.columns; l++) {
        const int to = unknown_of(v, &e, l, base, j->holder);
        if (to < 0) continue;
        double rows[6];
        joint_row_by(p, k, p->own->joints[k].held.p, e.tip, e.columns, l, rows);
        for (int r = 0; r < e.n; r++) add(v, v->at + r, to, rows[r]);
        vec3 turn = vec3_make(e.tip[l], e.tip[e.columns + l], e.tip[2 * e.columns + l]);
        for (int r = e.n; r < e.own; r++)
            add(v, v->at + r, to, 0.5 * vec3_dot(extra[r - e.n], turn));
        for (int r = 0; r < 6 && base >= 0; r++)
            add(v, body_at(v, base) + r, to, e.base[r * e.columns + l]);
        if (j->holder < 0) continue;
        double moment[3];
        vec3_store(moment, mat3_mul_vec(&t->ht, turn));
        for (int r = 0; r < 3; r++) add(v, body_at(v, j->holder) + r, to, moment[r]);
    }
}

static void add_spring(const variation *v, int k) {
    const joint *j = joint_of(v->p, k);
    double by[2][36];
    spring_between(v->p, k, by[0], by[1], NULL);
    const int at[2] = {body_at(v, j->held), body_at(v, j->holder)};
    for (int row = 0; row < 2; row++)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < 36; i++)
                add(v, at[row] + i / 6, at[side] + i % 6, row ? -by[side][i] : by[side][i]);
}

static void add_joint(variation *v, int k) {
    const assembly_problem *p = v->p;
    const joint *j = joint_of(p, k);
    const joint_motion *at = &p->own->joints[k];
    const turn_terms t = turns_of(p, k);
    if (j->rod >= 0) {
        add_tip_joint(v, k, &t);
    } else {
        add_rigid_side(v, k, j->held, j->held, at->held.p, 1.0);
        add_mat3(v, body_at(v, j->held), body_at(v, j->held), &t.tt);
        if (j->holder >= 0) {
            add_mat3(v, body_at(v, j->held), body_at(v, j->holder), &t.th);
            add_mat3(v, body_at(v, j->holder), body_at(v, j->held), &t.ht);
        }
    }
    if (j->holder >= 0) {
        const bool slides = j->kind == TD_PRISMATIC;
        add_rigid_side(v, k, j->holder, slides ? j->held : j->holder, joint_point(j, at), -1.0);
        add_mat3(v, body_at(v, j->holder), body_at(v, j->holder), &t.hh);
        for (int side = 0; side < 2 && slides; side++)
            add_turning_force(v, body_at(v, side ? j->holder : j->held), body_at(v, j->holder),
                              at->held.p, at->force, side ? -1.0 : 1.0);
        if (springs_between(j)) add_spring(v, k);
    }
    const int n_m = n_moments(j), n_f = n_forces(j);
    for (int i = 0; i < n_f; i++) add(v, v->at + n_m + i, v->at + n_m + i, joint_give(p));
    v->at += n_m + n_f + n_extra(p, k);
}

static void add_bodies(const variation *v) {
    const assembly_problem *p = v->p;
    for (int k = 0; k < p->a->n_bodies; k++) {
        double by_z[36];
        body_balance(p, p->a->bodies[k], &p->own->bodies[k], by_z);
        for (int i = 0; i < 36; i++) add(v, 6 * k + i / 6, 6 * k + i % 6, by_z[i]);
    }
    for (int i = 0; i < p->a->n_rods; i++) {  // rods that nothing holds at the tip
        const rod_answer *answer = &p->own->answers[i];
        const int base = p->own->problems[i].r->base_body;
        if (base < 0 || p->a->tips[i] >= 0) continue;
        for (int l = 0; l < 36; l++)
            add(v, body_at(v, base) + l / 6, body_at(v, base) + l % 6, answer->base[l]);
    }
}

// Motions in angles and lengths, reactions in their scales: a congruence.
static double body_unit(const assembly_problem *p, int i) {
    return i % 6 < 3 ? 1.0 : p->a->length;
}

static double number_unit(const assembly_problem *p, int k, int i) {
    const int n_m = n_moments(joint_of(p, k));
    if (i < n_m + 3) return i < n_m ? p->a->force * p->a->length : p->a->force;
    return i == n_m + 3 ? p->a->force * p->a->length : 1.0;
}

static void scale(const variation *v, const double *units) {
    const double whole = v->p->a->force * v->p->a->length;
    for (int i = 0; i < v->N; i++)
        for (int k = 0; k < v->N; k++) v->A[i * v->N + k] *= units[i] * units[k] / whole;
}

int border_variation(const assembly_problem *p, double *A, const joint_rest *rests) {
    const int n_bodies = 6 * p->a->n_bodies;
    variation v = {.p = p, .A = A, .N = n_bodies, .at = n_bodies};
    double *units = p->own->side;
    for (int i = 0; i < n_bodies; i++) units[i] = body_unit(p, i);
    for (int k = 0; k < p->a->n_joints; k++)
        for (int i = 0; !(rests && rests[k].apart) && i < n_numbers(p, k); i++)
            units[v.N++] = number_unit(p, k, i);
    memset(A, 0, sizeof(double) * (size_t)(v.N * v.N));
    add_bodies(&v);
    for (int k = 0; k < p->a->n_joints; k++)
        if (!(rests && rests[k].apart)) add_joint(&v, k);
    scale(&v, units);
    return v.N;
}

// ---------------------------------------------------------------- joints on tips, one by one
#define MOST_NUMBERS 8
#define MOST_LOCAL (12 + MOST_NUMBERS)
// A joint whose own block has a smaller eigenvalue than this share of its largest stays in the border.
#define LEAST_SHARE 1e-7

// The symmetric part of the joint's matrix, base and holder first, its own numbers after them.
static int local_variation(const assembly_problem *p, int k, double *A, int bodies[2]) {
    const joint *j = joint_of(p, k);
    int i = 0;
    while (p->a->tips[i] != k) i++;
    bodies[0] = p->own->problems[i].r->base_body;
    bodies[1] = j->holder == bodies[0] ? -1 : j->holder;
    const int n = n_numbers(p, k);
    variation v = {.p = p, .A = A, .N = 12 + n, .at = 12, .local = true, .base = bodies[0]};
    double units[MOST_LOCAL];
    for (int l = 0; l < 12; l++) units[l] = body_unit(p, l);
    for (int l = 0; l < n; l++) units[12 + l] = number_unit(p, k, l);
    memset(A, 0, sizeof(double) * (size_t)(v.N * v.N));
    add_joint(&v, k);
    scale(&v, units);
    for (int r = 0; r < v.N; r++)
        for (int l = 0; l < r; l++)
            A[r * v.N + l] = A[l * v.N + r] = 0.5 * (A[r * v.N + l] + A[l * v.N + r]);
    return n;
}

// How many eigenvalues of a (n x n, used up) are positive; -1: one is too small to tell.
static int count_positive(int n, double *a) {
    double d[MOST_NUMBERS], e[MOST_NUMBERS];
    tridiagonalise(n, a, d, e);
    const double most = fmax(fabs(tridiagonal_eigenvalue(n, d, e, 0)),
                             fabs(tridiagonal_eigenvalue(n, d, e, n - 1)));
    const int below = tridiagonal_below(n, d, e, LEAST_SHARE * most);
    return below == tridiagonal_below(n, d, e, -LEAST_SHARE * most) ? n - below : -1;
}

// rest = D - B' C^-1 B with C the joint's own block (Haynsworth). Not apart: the joint stays in the border.
static void eliminate(const assembly_problem *p, int k, joint_rest *out) {
    double A[MOST_LOCAL * MOST_LOCAL], C[MOST_NUMBERS * MOST_NUMBERS],
        own[MOST_NUMBERS * MOST_NUMBERS];
    double B[MOST_NUMBERS * 12], X[MOST_NUMBERS * 12];
    int pivot[MOST_NUMBERS];
    out->apart = false;
    if (joint_of(p, k)->rod < 0) return;
    const int n = local_variation(p, k, A, out->bodies), N = 12 + n;
    for (int i = 0; i < n; i++) {
        for (int l = 0; l < n; l++) C[i * n + l] = own[i * n + l] = A[(12 + i) * N + 12 + l];
        for (int l = 0; l < 12; l++) B[12 * i + l] = X[12 * i + l] = A[(12 + i) * N + l];
    }
    out->positive = count_positive(n, own);
    if (out->positive < 0 || !lu_factor(n, C, pivot)) return;
    lu_solve_many(n, C, pivot, 12, X);
    for (int i = 0; i < 12; i++)
        for (int l = 0; l < 12; l++) {
            out->rest[12 * i + l] = A[i * N + l];
            for (int r = 0; r < n; r++) out->rest[12 * i + l] -= B[12 * r + i] * X[12 * r + l];
        }
    out->apart = true;
}

static void add_rest(const assembly_problem *p, const joint_rest *e, double *A, int N) {
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            if (e->bodies[a] < 0 || e->bodies[b] < 0) continue;
            double *to =
                A + 6 * p->c->bodies[e->bodies[a]].place * N + 6 * p->c->bodies[e->bodies[b]].place;
            for (int i = 0; i < 36; i++)
                to[i / 6 * N + i % 6] += e->rest[12 * (6 * a + i / 6) + 6 * b + i % 6];
        }
}

int border_negative(const assembly_problem *p, int *neutral) {
    double *A = p->own->whole, *d = p->own->side, *e = p->own->change;
    joint_rest *rests = p->own->rests;
    int positive = 0;
    *neutral = 0;
    for (int k = 0; k < p->a->n_joints; k++) eliminate(p, k, &rests[k]);
    const int N = border_variation(p, A, rests);
    for (int k = 0; k < p->a->n_joints; k++) {
        if (!rests[k].apart) continue;
        positive += rests[k].positive;
        add_rest(p, &rests[k], A, N);
    }
    if (N > 0) {
        tridiagonalise(N, A, d, e);
        const int below = tridiagonal_below(N, d, e, NEUTRAL);
        *neutral = below - tridiagonal_below(N, d, e, -NEUTRAL);
        positive += N - below;
    }
    for (int k = 0; k < p->a->n_joints; k++)  // less the constraints
        positive -= n_moments(joint_of(p, k)) + n_forces(joint_of(p, k)) + n_extra(p, k) / 2;
    return positive;
}

// ---------------------------------------------------------------- loads
static bool is_zero(vec3 v) {
    return vec3_dot(v, v) == 0.0;
}

static bool rod_has_potential(const rod_problem *p) {
    for (int k = 0; k < p->r->n_elements; k++) {
        const element_loads *l = &p->m->loads[k];
        if (!is_zero(l->body.force) || !is_zero(l->body.moment) || !is_zero(l->world.moment) ||
            !is_zero(l->end_body.force) || !is_zero(l->end_body.moment) ||
            !is_zero(l->end_world.moment))
            return false;
    }
    return true;
}

bool assembly_rubs(const assembly_problem *p) {
    for (int i = 0; i < p->a->n_rods; i++)
        if (problem_rubs(&p->own->problems[i])) return true;
    return false;
}

bool assembly_has_potential(const assembly_problem *p) {
    for (int i = 0; i < p->a->n_rods; i++)
        if (!rod_has_potential(&p->own->problems[i])) return false;
    for (int k = 0; k < p->a->n_bodies; k++) {
        static const mat3 none = {{{0.0}}}, turned = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
        const free_body *b = &p->c->bodies[p->a->bodies[k]];
        wrench dead = body_loads_at(b, p->inputs, p->fraction, &none);
        wrench all = body_loads_at(b, p->inputs, p->fraction, &turned);
        if (!is_zero(all.moment) || !is_zero(vec3_sub(all.force, dead.force))) return false;
    }
    return true;
}

// Then the sharp tangent is not symmetric enough.
bool touches_anything(const assembly_problem *p) {
    return p->c->n_obstacles > 0 || p->a->meets;
}

path_test assembly_test(const assembly_problem *p) {
    int negative = 0, neutral;
    const bool sharp = !touches_anything(p);
    if (!assembly_factor(p, sharp, &negative)) return (path_test){UNSTABLE, 0.0, HUGE_VAL, false};
    path_test test = {STABILITY_UNKNOWN, 1.0, border_condition(p), false};
    if (negative < 0) return test;
    negative += border_negative(p, &neutral) + coupling_negative(p);
    p->own->kept->valid = p->a->meets ? 0.0 : p->own->kept->valid;
    test.neutral = neutral > 0;
    bool unstable = negative > 0;
    if (unstable && assembly_rubs(p))
        unstable = negative % 2;  // that would diverge: only this is sure
    test.verdict = unstable ? UNSTABLE : STABLE;
    return test;
}

// ---------------------------------------------------------------- what moves freely
#define PROBE 1e-3  // rad, or lengths
#define STAYS 1e-6  // lengths

static vec3 end_of_rod(const assembly_problem *p, int i) {
    const rod_memory *m = p->own->problems[i].m;
    return vec3_load(m->trial_bounds + (size_t)m->r->n_elements * Y_SIZE + Y_P);
}

// The answer to some wrenches on the bodies is nearly all of what is neutral, which only the small hold
// of the border resists. own->points[1] is scratch.
bool assembly_floats(const assembly_problem *p) {
    const assembly *a = p->a;
    assembly_memory *own = p->own;
    double *z = own->change + a->first[a->n_rods], *probe = own->points[1], *ends = own->points[2];
    bool moves = false;
    if (!assembly_factor(p, true, NULL)) return true;
    memset(own->residual, 0, sizeof(double) * (size_t)n_change(a));
    for (int i = 0; i < 6 * a->n_bodies; i++)
        own->residual[a->first[a->n_rods] + i] =
            (1.0 + 0.4 * sin(1.7 * i)) * a->force * (i % 6 < 3 ? a->length : 1.0);
    assembly_solve(p, own->residual, own->change);
    const double scale = PROBE / assembly_size(p, own->change);
    for (int k = 0; k < a->n_bodies; k++) {
        const free_body *b = &p->c->bodies[a->bodies[k]];
        if (b->mass.mass > 0.0 && vec3_norm(vec3_load(z + 6 * k)) * scale > STAYS) moves = true;
    }
    for (int i = 0; i < a->n_rods; i++) vec3_store(ends + 3 * i, end_of_rod(p, i));
    assembly_move(p, own->now, scale, own->change, probe);
    if (!assembly_evaluate(p, probe, own->residual)) moves = true;
    for (int i = 0; i < a->n_rods; i++)
        if (vec3_norm(vec3_sub(end_of_rod(p, i), vec3_load(ends + 3 * i))) > STAYS * a->length)
            moves = true;
    assembly_evaluate(p, own->now, own->residual);
    assembly_publish(p);
    return moves;
}
