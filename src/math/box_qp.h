// math/box_qp.h - the least of a positive definite quadratic between bounds, row major, without allocation.
#pragma once

#include <stdbool.h>
#include <stddef.h>

size_t box_qp_doubles(int n);  // of scratch
// x, where it begins, becomes the x that makes 1/2 x'H x + g'x least with low <= x <= high; bounds may be infinite.
// By Newton's method on what is not held by a bound (D. P. Bertsekas, "Projected Newton methods for optimization problems with simple constraints",
// SIAM J. Control Optim. 20 (1982)). Returns the iterations; -1: H is not positive definite, or a number is none.
int box_qp(int n, const double *H, const double *g, const double *low, const double *high,
           double *x, double *scratch);
