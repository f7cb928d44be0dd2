// study/least_squares_inner.h - what the search and the statistics share.
#pragma once

#include "study/least_squares.h"

// R (n x (n + 1), row major) of the QR factors of [J r] with rows times the root of their weights; of J alone where r is
// NULL. matrix (max(m, n) x (n + 1)), work (lwork >= n + 1).
bool ls_triangle(const ls_problem *p, const ls_solution *s, const double *r, double *matrix,
                 double *R, double *work, int lwork);
