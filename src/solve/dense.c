// solve/dense.c - linear operations on dense matrices, and the memory of a part.
#include <string.h>

#include "math/dense.h"
#include "math/symmetric.h"
#include "solve/mechanics.h"

static bool factor(const solve_part *p, double *matrix, int *pivot) {
    ASSERT(p->n_matrix == 0);
    return lu_factor(part_n(p), matrix, pivot);
}

static void solve(const solve_part *p, const double *matrix, const int *pivot, double *b) {
    lu_solve(part_n(p), matrix, pivot, b);
}

static void solve_transposed(const solve_part *p, const double *matrix, const int *pivot,
                             double *b) {
    lu_solve_transposed(part_n(p), matrix, pivot, b);
}

static void multiply(const solve_part *p, const double *matrix, const double *x, double *y) {
    dense_mul_vec(part_n(p), part_n(p), matrix, x, y);
}

static int negative(const solve_part *p, double *matrix, double *scratch) {
    const int n = part_n(p);
    scale_symmetric(n, matrix);
    tridiagonalise(n, matrix, scratch, scratch + n);
    return tridiagonal_below(n, scratch, scratch + n, 0.0);
}

#define DENSE                                                                                      \
    .factor = factor, .solve = solve, .solve_transposed = solve_transposed, .multiply = multiply,  \
    .negative = negative, .keeps = true
const linear_ops dense_ops = {DENSE}, dense_uneven_ops = {DENSE};

void part_solve_many(const solve_part *p, int n, double *b) {
    const linear_ops *linear = part_linear(p);
    if (linear->solve_many) linear->solve_many(p, p->m->factors, p->m->pivot, n, b);
    for (int k = 0; k < n && !linear->solve_many; k++) part_solve(p, b + k * part_n(p));
}

void solve_layout(const solve_part *p, arena *keep, arena *work, solve_memory *out) {
    const size_t n = (size_t)part_n(p), n_q = (size_t)p->n_q, n_x = (size_t)p->n_x,
                 n_l = (size_t)p->n_l, matrix = part_matrix(p);
    arena *factors = part_linear(p)->keeps ? keep : work;
    solve_memory m = {.q = ARENA_TAKE(keep, double, n_x),
                      .l = ARENA_TAKE(keep, double, n_l),
                      .v = ARENA_TAKE(keep, double, n_q),
                      .a = ARENA_TAKE(keep, double, n_q),
                      .powers = ARENA_TAKE(keep, double, N_POWERS),
                      .factors = ARENA_TAKE(factors, double, matrix),
                      .pivots = ARENA_TAKE(factors, double, n),
                      .valid = ARENA_TAKE(factors, double, 2),
                      .krylov = ARENA_TAKE(work, double, (N_KRYLOV + 1) * n),
                      .pivot = ARENA_TAKE(work, int, n),
                      .spare = ARENA_TAKE(work, int, n)};
    double **const points[] = {&m.star, &m.tq, &m.bq, &m.path_q, &m.away, &m.try_q};
    double **const rates[] = {&m.star_v, &m.tv, &m.ta, &m.bv, &m.ba};
    double **const efforts[] = {&m.tl, &m.bl, &m.star_l, &m.path_l, &m.try_l};
    double **const rows[] = {&m.r,      &m.dz,     &m.next,  &m.mode, &m.tangent,
                             &m.before, &m.walked, &m.probe, &m.plus, &m.minus};
    double **const matrices[] = {&m.matrix, &m.whole, &m.own};
    for (int i = 0; i < 6; i++) *points[i] = ARENA_TAKE(work, double, n_x);
    for (int i = 0; i < 5; i++) *rates[i] = ARENA_TAKE(work, double, n_q);
    for (int i = 0; i < 5; i++) *efforts[i] = ARENA_TAKE(work, double, n_l);
    for (int i = 0; i < 10; i++) *rows[i] = ARENA_TAKE(work, double, n);
    for (int i = 0; i < 3; i++) *matrices[i] = ARENA_TAKE(work, double, matrix);
    if (p->kinks) m.start_q = ARENA_TAKE(work, double, n_x);
    if (out) *out = m;
}

void solve_forget(const solve_part *p) {
    memset(p->m->a, 0, sizeof(double) * (size_t)p->n_q);
    memset(p->m->powers, 0, sizeof(double) * N_POWERS);
    memset(p->m->factors, 0, sizeof(double) * part_matrix(p));
    memset(p->m->pivots, 0, sizeof(double) * (size_t)part_n(p));
    *p->m->valid = 0.0;
}
