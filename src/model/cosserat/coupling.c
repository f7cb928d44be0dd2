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

static double dot(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

bool coupling_factor(const assembly_problem *p) {
    coupling *u = &p->own->coupling;
    const int n = n_change(p->a);
    u->n = 0;
    if (!p->a->meets) return true;
    if (!pairs_slopes(p)) return false;
    const int w = u->width, W = w * u->n, stride = w * u->most;
    for (int s = 0; s < u->n; s++) {
        const pair_place *x = &p->c->places[u->points[s]];
        fill_motion(p, x, u->P + (size_t)(w * s * n));
        for (int d = 0; d < w; d++) {
            double *Y = u->Y + (size_t)((w * s + d) * n);
            fill_press(p, x, 6 - w + d, u->side);
            for (int i = 0; i < n; i++) u->side[i] = -u->side[i];
            assembly_solve_apart(p, u->side, Y);
        }
    }
    for (int i = 0; i < W; i++)
        for (int k = 0; k < W; k++) u->T[i * W + k] = dot(n, u->P + i * n, u->Y + k * n);
    for (int i = 0; i < W; i++)
        for (int k = 0; k < W; k++) u->B[i * W + k] = i == k;
    for (int i = 0; i < W; i++)
        for (int l = 0; l < W; l++)
            for (int k = 0; k < W; k++) u->B[i * W + k] += u->T[i * W + l] * u->G[l * stride + k];
    return W == 0 || lu_factor(W, u->B, u->pivot);
}

// ---------------------------------------------------------------- the second variation
#define SMALL 1e-13  // of the largest eigenvalue: one that is zero

// a (W x W) = -(x + x') / 2 of x with rows of `stride`
static void less_symmetric(int W, const double *x, int stride, double *a) {
    for (int i = 0; i < W; i++)
        for (int k = 0; k < W; k++) a[i * W + k] = -0.5 * (x[i * stride + k] + x[k * stride + i]);
}

static void multiply(int W, const double *a, const double *b, double *out) {
    for (int i = 0; i < W; i++) {
        for (int k = 0; k < W; k++) out[i * W + k] = 0.0;
        for (int l = 0; l < W; l++)
            for (int k = 0; k < W; k++) out[i * W + k] += a[i * W + l] * b[l * W + k];
    }
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
    less_symmetric(W, u->G, u->width * u->most, K);
    less_symmetric(W, u->T, W, KTK);
    multiply(W, K, KTK, KT);
    multiply(W, KT, K, KTK);
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
    const int n = n_change(p->a), W = u->width * u->n, stride = u->width * u->most;
    if (W == 0) return;
    for (int i = 0; i < W; i++) u->a[i] = dot(n, u->P + i * n, change);
    lu_solve(W, u->B, u->pivot, u->a);
    for (int i = 0; i < W; i++) u->b[i] = dot(W, u->G + i * stride, u->a);
    for (int k = 0; k < W; k++)
        for (int i = 0; i < n; i++) change[i] -= u->b[k] * u->Y[k * n + i];
}
