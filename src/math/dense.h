// math/dense.h - dense matrices of up to a few dozen rows, row major, without allocation.
#pragma once

#include <stddef.h>
#include <stdbool.h>

// a (n x n) becomes its LU factors with partial pivoting: unit lower L below the diagonal, U above it, the
// inverse of U's diagonal on it; at step k row k was swapped with row pivot[k]. False when a pivot or its
// inverse is zero or not finite: a is singular to working precision or held a NaN; its content is then of no use.
bool lu_factor(int n, double *a, int *pivot);

// b becomes the solution x of A x = b.
void lu_solve(int n, const double *lu, const int *pivot, double *b);

// The same for m right sides: b (n x m) becomes X.
void lu_solve_many(int n, const double *lu, const int *pivot, int m, double *b);

// b becomes the solution x of A' x = b; b (n x m) that of m right sides.
void lu_solve_transposed(int n, const double *lu, const int *pivot, double *b);
void lu_solve_transposed_many(int n, const double *lu, const int *pivot, int m, double *b);

// Sign of the determinant of A: 1 or -1. A change along a path marks a bifurcation or a fold.
int lu_sign(int n, const double *lu, const int *pivot);

// Largest sum of magnitudes in a column, a (n x n).
double dense_norm1(int n, const double *a);

// Is there neither NaN nor infinity among n numbers? Are all of them 0? And the largest magnitude; NaN is passed over.
bool dense_is_finite(size_t n, const double *a);
bool dense_is_zero(int n, const double *a);
double dense_largest(int n, const double *a);

void dense_transpose(int rows, int columns, const double *a, double *out);
// a (n x n) becomes half of itself and its transpose.
void dense_symmetrise(int n, double *a);

static inline double dense_dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// y = A x,  y = A' x,  C = s A B,  C += s A B with a (m x n), b (n x k), c (m x k). Results must not
// overlap operands.
void dense_mul_vec(int m, int n, const double *a, const double *x, double *y);
void dense_tmul_vec(int m, int n, const double *a, const double *x, double *y);
void dense_mul(int m, int n, int k, double s, const double *a, const double *b, double *c);
void dense_madd(int m, int n, int k, double s, const double *a, const double *b, double *c);
// C += s A' B with a (m x n), b (m x k), c (n x k).
void dense_tmadd(int m, int n, int k, double s, const double *a, const double *b, double *c);
