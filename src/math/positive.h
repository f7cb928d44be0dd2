// math/positive.h - symmetric positive definite systems, row major, without allocation.
#pragma once

#include <stdbool.h>

// The lower triangle of a (n x n) becomes that of its Cholesky factor. False: a is not positive
// definite to working precision, or held a NaN.
bool positive_factor(int n, double *a);

// b becomes the solution x of A x = b.
void positive_solve(int n, const double *l, double *b);
