// math/symmetric.h - eigenvalues of small symmetric matrices, row major, without allocation.
#pragma once

// The symmetric part of a (n x n, used up) as a tridiagonal matrix with the same eigenvalues:
// diagonal d (n), beside it e (n; e[0] is 0).
void tridiagonalise(int n, double *a, double *d, double *e);

// a (n x n) with its rows and columns scaled to 1 or -1 on the diagonal, where that is not 0:
// whatever the units, the eigenvalues keep their signs (Sylvester).
void scale_symmetric(int n, double *a);

// How many eigenvalues of a tridiagonal matrix are below x (Sturm).
int tridiagonal_below(int n, const double *d, const double *e, double x);

// Its eigenvalue number k, counted from the smallest at 0, to rounding.
double tridiagonal_eigenvalue(int n, const double *d, const double *e, int k);
