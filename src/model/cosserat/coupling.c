// model/cosserat/coupling.c - the linearised equations of an assembly whose parts touch one another.
//
// Sweeps and border solve S x = -r, in which places far along a rod, or on another, know nothing of one another. With the
// motions a = P x of the places that touch, the wrenches G a that this brings there, and what wrenches do to the residual, R:
//
//     (S + R G P) x = -r      a = P x0 - P Y G a,   x = x0 - Y G a,   S x0 = -r,  S Y = R
//
// exactly, with one column of Y for each number of a, and a dense matrix I + P Y G of as many rows.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/symmetric.h"
#include "model/cosserat/assembly.h"

#define MOST_PLACES 160  // that touch at once

coupling coupling_layout(const cosserat *c, const assembly *a, arena *work) {
    coupling u = {.n = 0};
    if (!a->meets) return u;
    u.most = c->n_places < MOST_PLACES ? c->n_places : MOST_PLACES;
    const size_t W = (size_t)(pairs_rub(&c->contacts) ? 6 : 3) * (size_t)u.most;
    const size_t n = (size_t)n_change(a);
    u.slot = ARENA_TAKE(work, int, c->n_places);
    u.points = ARENA_TAKE(work, int, u.most);
    u.pivot = ARENA_TAKE(work, int, W);
    u.G = ARENA_TAKE(work, double, W *W);
    u.B = ARENA_TAKE(work, double, W *W);
    u.T = ARENA_TAKE(work, double, W *W);
    u.P = ARENA_TAKE(work, double, W *(n > W ? n : W));
    u.Y = ARENA_TAKE(work, double, W *(n > W ? n : W));
    u.a = ARENA_TAKE(work, double, W);
    u.b = ARENA_TAKE(work, double, W);
    u.side = ARENA_TAKE(work, double, 6 * n);
    return u;
}

// The body that carries a place, if any does; its point in the world.
static int carrier_of(const assembly_problem *p, const pair_place *x, vec3 *at) {
    const cosserat *c = p->c;
    if (x->rod < 0) {
        const body_motion *b = &p->own->bodies[c->bodies[x->body].place];
        *at = se3_mul_point(&b->T, x->at);
        return c->bodies[x->body].place;
    }
    const rod_problem *one = &p->own->problems[rod_in(p->a, x->rod)];
    const part_end end = c->scheme->ports->place(one, x->place);
    *at = vec3_add(end.p, mat3_mul_vec(&end.R, x->at));
    return one->r->base_body < 0 ? -1 : c->bodies[one->r->base_body].place;
}

// Rows of P (width x n_change): the last of (turn, shift).
static void fill_motion(const assembly_problem *p, const pair_place *x, double *rows) {
    const coupling *u = &p->own->coupling;
    const int n = n_change(p->a), w = u->width;
    vec3 at;
    const int body = carrier_of(p, x, &at);
    memset(rows, 0, sizeof(double) * (size_t)(w * n));
    if (x->rod >= 0) {
        const int i = rod_in(p->a, x->rod), first = p->a->first[i];
        const int own = p->a->first[i + 1] - first;
        p->c->scheme->ports->moves(&p->own->problems[i], x->place, at, u->side);
        for (int r = 0; r < w; r++)
            memcpy(rows + r * n + first, u->side + (6 - w + r) * own, sizeof(double) * (size_t)own);
    }
    if (body < 0) return;
    const mat3 lever = mat3_hat(vec3_neg(at));  // dp = z_l - p x z_a
    double *to = rows + p->a->first[p->a->n_rods] + 6 * body;
    for (int r = 0; r < w; r++) {
        const int k = 6 - w + r;
        to[r * n + k] = 1.0;
        for (int l = 0; l < 3 && k >= 3; l++) to[r * n + l] = lever.m[k - 3][l];
    }
}

// Column (n_change): what a unit wrench at a place adds to the residual.
static void fill_press(const assembly_problem *p, const pair_place *x, int d, double *column) {
    const int n = n_change(p->a);
    double unit[6] = {0.0};
    vec3 at;
    const int body = carrier_of(p, x, &at);
    unit[d] = 1.0;
    memset(column, 0, sizeof(double) * (size_t)n);
    if (x->rod >= 0) {
        const int i = rod_in(p->a, x->rod);
        p->c->scheme->ports->press(&p->own->problems[i], x->place, at, unit,
                                   column + p->a->first[i]);
    }
    if (body < 0) return;
    const vec6 w = vec6_load(unit);
    vec6_store(column + p->a->first[p->a->n_rods] + 6 * body, wrench_at(at, w.a, w.l));
}

// Y (n x W): the answers to unit wrenches at all places, side by side.
static void fill_answers(const assembly_problem *p) {
    const coupling *u = &p->own->coupling;
    const int n = n_change(p->a), w = u->width, W = w * u->n;
    double *unit = u->side, *answer = u->side + n;
    for (int k = 0; k < W; k++) {
        fill_press(p, &p->c->places[u->points[k / w]], 6 - w + k % w, unit);
        assembly_solve_apart(p, unit, answer);
        for (int i = 0; i < n; i++) u->Y[(size_t)i * (size_t)W + (size_t)k] = -answer[i];
    }
}

bool coupling_factor(const assembly_problem *p) {
    coupling *u = &p->own->coupling;
    const int n = n_change(p->a);
    u->n = 0;
    if (!p->a->meets) return true;
    if (!pairs_slopes(p)) return false;
    const int w = u->width, W = w * u->n;
    if (W == 0) return true;
    for (int s = 0; s < u->n; s++)
        fill_motion(p, &p->c->places[u->points[s]], u->P + (size_t)(w * s * n));
    fill_answers(p);
    dense_mul(W, n, W, 1.0, u->P, u->Y, u->T);
    dense_mul(W, W, W, 1.0, u->T, u->G, u->B);
    for (int i = 0; i < W; i++) u->B[i * W + i] += 1.0;
    return lu_factor(W, u->B, u->pivot);
}

// ---------------------------------------------------------------- the second variation
#define SMALL 1e-13  // of the largest eigenvalue: one that is zero

// a (W x W) = -(x + x')/2
static void less_symmetric(int W, const double *x, double *a) {
    for (int i = 0; i < W; i++)
        for (int k = 0; k < W; k++) a[i * W + k] = -0.5 * (x[i * W + k] + x[k * W + i]);
}

// With the energy's Hessian A of all that does not touch, weighted so that b R = -P', and K = -G:
//
//     negative(A + P'KP) = negative(A) + positive(K + K T K) - positive(K),   T = P A^-1 P'
//
// from the two ways to eliminate in [A, P'K; KP, -K] (Haynsworth); K has many eigenvalues that are 0.
int coupling_negative(const assembly_problem *p) {
    const coupling *u = &p->own->coupling;
    const int W = u->width * u->n;
    if (!p->a->meets || W == 0) return 0;
    double *K = u->Y, *KT = u->P, *KTK = u->B, *d = u->a, *e = u->b;  // used up
    less_symmetric(W, u->G, K);
    less_symmetric(W, u->T, KTK);
    dense_mul(W, W, W, 1.0, K, KTK, KT);
    dense_mul(W, W, W, 1.0, KT, K, KTK);
    for (int i = 0; i < W * W; i++) KTK[i] += K[i];
    tridiagonalise(W, KTK, d, e);
    const double largest = fmax(fabs(tridiagonal_eigenvalue(W, d, e, 0)),
                                fabs(tridiagonal_eigenvalue(W, d, e, W - 1)));
    const int with = W - tridiagonal_below(W, d, e, SMALL * largest);
    tridiagonalise(W, K, d, e);
    return with - (W - tridiagonal_below(W, d, e, SMALL * largest));
}

void coupling_correct(const assembly_problem *p, double *change) {
    const coupling *u = &p->own->coupling;
    const int n = n_change(p->a), W = u->width * u->n;
    if (W == 0) return;
    dense_mul(W, n, 1, 1.0, u->P, change, u->a);
    lu_solve(W, u->B, u->pivot, u->a);
    dense_mul(W, W, 1, 1.0, u->G, u->a, u->b);
    dense_madd(n, W, 1, -1.0, u->Y, u->b, change);
}
