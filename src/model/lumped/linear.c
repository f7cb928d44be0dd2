// model/lumped/linear.c - linear operations on the matrix of a net: blocks, bordered by the unknown
// efforts,
//
//     [A U; V' W] [dz; de] = [r; gap]
//
// factored as A, A^-1 U and W - V' A^-1 U. Whether an equilibrium is stable shows in the signature,
// that of A and that of W - U' A^-1 U (Haynsworth). Each effort brings one negative eigenvalue, and
// so does each multiplier of a joint, which is inside A.
#include "math/dense.h"
#include "math/symmetric.h"
#include "model/lumped/net.h"

// ---------------------------------------------------------------- blocks and border
// U becomes A^-1 U, W what is left of it.
static void fill_border(const net *c, int n, const net_matrix *x, const int *pivots) {
    const size_t rows = 6 * (size_t)c->n_free;
    for (int k = 0; k < n; k++) blocks_solve(&c->pattern, x->a, pivots, x->U + (size_t)k * rows);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            x->W[i * n + k] -= dense_dot(rows, x->V + (size_t)i * rows, x->U + (size_t)k * rows);
}

bool bordered_factor(const net *c, int n, double *matrix, int *pivots) {
    const net_matrix x = net_matrix_at(c, matrix);
    if (!blocks_factor(&c->pattern, x.a, pivots)) return false;
    fill_border(c, n, &x, pivots);
    return n == 0 || lu_factor(n, x.W, pivots + 6 * c->n_free);
}

void bordered_solve(const net *c, int n, const double *matrix, const int *pivots, double *b) {
    const net_matrix x = net_matrix_at(c, (double *)matrix);
    const size_t rows = 6 * (size_t)c->n_free;
    blocks_solve(&c->pattern, x.a, pivots, b);
    if (n == 0) return;
    for (int k = 0; k < n; k++) b[rows + (size_t)k] -= dense_dot(rows, x.V + (size_t)k * rows, b);
    lu_solve(n, x.W, pivots + rows, b + rows);
    for (int k = 0; k < n; k++)
        for (size_t i = 0; i < rows; i++) b[i] -= x.U[(size_t)k * rows + i] * b[rows + (size_t)k];
}

void bordered_multiply(const net *c, int n, double *matrix, const double *b, double *out) {
    const net_matrix x = net_matrix_at(c, matrix);
    const size_t rows = 6 * (size_t)c->n_free;
    blocks_multiply(&c->pattern, x.a, b, out);
    for (int k = 0; k < n; k++) {
        const double *U = x.U + (size_t)k * rows;
        for (size_t i = 0; i < rows; i++) out[i] += U[i] * b[rows + (size_t)k];
        out[rows + (size_t)k] = dense_dot(rows, x.V + (size_t)k * rows, b) +
                                dense_dot((size_t)n, x.W + (size_t)k * (size_t)n, b + rows);
    }
}

int bordered_negative(const net *c, int n, double *matrix, int *pivots, double *scratch) {
    const net_matrix x = net_matrix_at(c, matrix);
    const size_t rows = 6 * (size_t)c->n_free;
    blocks_symmetrise(&c->pattern, x.a);
    for (size_t i = 0; i < (size_t)n * rows; i++) x.U[i] = x.V[i] = 0.5 * (x.U[i] + x.V[i]);
    const int negative = blocks_negative(&c->pattern, x.a, pivots);
    if (negative < 0 || n == 0) return negative < 0 ? -1 : negative - c->n_multipliers;
    fill_border(c, n, &x, pivots);
    scale_symmetric(n, x.W);
    tridiagonalise(n, x.W, scratch, scratch + n);
    return negative - c->n_multipliers + tridiagonal_below(n, scratch, scratch + n, 0.0);
}

// ---------------------------------------------------------------- absolute states
static const net *net_of(const solve_part *p) {
    return ((const net_memory *)p->of)->of;
}

static bool factor(const solve_part *p, double *matrix, int *pivots) {
    return bordered_factor(net_of(p), p->n_l, matrix, pivots);
}

static void solve(const solve_part *p, const double *matrix, const int *pivots, double *b) {
    bordered_solve(net_of(p), p->n_l, matrix, pivots, b);
}

static void multiply(const solve_part *p, const double *matrix, const double *x, double *y) {
    bordered_multiply(net_of(p), p->n_l, (double *)matrix, x, y);
}

static int negative(const solve_part *p, double *matrix, double *scratch) {
    return bordered_negative(net_of(p), p->n_l, matrix, p->m->spare, scratch);
}

const linear_ops net_linear = {
    .factor = factor, .solve = solve, .multiply = multiply, .negative = negative};
