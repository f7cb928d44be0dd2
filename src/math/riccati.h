// math/riccati.h - the discrete algebraic Riccati equation
//
//     P = Q + A'P A - A'P B (R + B'P B)^-1 B'P A
//
// by the structured doubling algorithm: E. K.-W. Chu, H.-Y. Fan, W.-W. Lin, C.-S. Wang, "Structure-preserving algorithms for periodic discrete-time
// algebraic Riccati equations", Int. J. Control 77 (2004). It converges quadratically where (A, B) can be made stable
// and Q sees what is not.
#pragma once

#include <stdbool.h>
#include <stddef.h>

size_t riccati_doubles(int n, int m);  // of scratch
size_t riccati_ints(int n, int m);
// A (n x n), B (n x m), Q (n x n) and R (m x m) symmetric; all row major. P (n x n) and the gain K (m x n), u = -K x. False: it has
// no solution that makes A - B K stable.
bool riccati_solve(int n, int m, const double *A, const double *B, const double *Q, const double *R,
                   double *P, double *K, double *scratch, int *pivots);
