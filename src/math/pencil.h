// math/pencil.h - singular values, eigenvalues and complex systems, by LAPACK. Row
// major; matrices are used up; scratch is the caller's: PENCIL_WORK(n) doubles, n the larger side.
#pragma once

#include <stdbool.h>

#define PENCIL_WORK(n) (40 * (n) + 64)

// A (m x n) = U diag(s) V: s (the smaller of m and n), falling; U (m x m) by columns, V (n x n) by rows.
bool pencil_svd(int m, int n, double *A, double *s, double *U, double *V, double *work);
// A x = w B x, A symmetric and B symmetric and positive definite: w (n) rising; A becomes the vectors, by
// rows, with x'Bx = 1. False: B is not definite.
bool pencil_symmetric(int n, double *A, double *B, double *w, double *work);
// A x = (re + i im) x: n each; X (n x n) the vectors by rows, of a complex pair (im > 0 first) real and
// imaginary part one after the other.
bool pencil_general(int n, double *A, double *re, double *im, double *X, double *work);
// The `wanted` largest of them, a pair is one, into the front of re, im (n each) and of the rows of X, in no order:
// how many numbers; 0: not found. Half the work of all where they are few: no Schur vectors are made, and vectors come by
// inverse iteration, each from a start of its own; whether those of equal roots differ is for the caller to see. scratch (PENCIL_PART_WORK(n)), flags (3 n)
#define PENCIL_PART_WORK(n) ((n) * ((n) + 2) + PENCIL_WORK(n))
int pencil_largest(int n, int wanted, double *A, double *re, double *im, double *X, double *scratch,
                   int *flags);
// A (n x n, complex: pairs of numbers) x = b for m of them, one after the other in b (m x n), which becomes the
// solutions. pivot (n). False: singular.
bool pencil_complex_solve(int n, int m, double *A, double *b, int *pivot);
// Least squares of least length, A (n x n) x = b, which becomes x. Singular values below `least` of the largest
// count as none; s (n).
bool pencil_least_squares(int n, double *A, double *b, double least, double *s, double *work);
