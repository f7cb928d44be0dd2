// math/quadrature.h - nodes and weights. Tables: made once, when a system is compiled.
#pragma once

#include <stdbool.h>

#define GAUSS_MAX 64  // nodes of the largest Gauss rule

// Gauss-Legendre on [0, 1]: nodes ascending, weights of sum 1, exact for polynomials of degree
// 2n - 1. False when n is not 1 .. GAUSS_MAX; x and w are then untouched.
bool gauss_legendre(int n, double *x, double *w);

// Weights of the n + 1 equidistant nodes 0, h/n, ..., h. Gregory's rule with end corrections of
// second differences: order 4, exact for cubics; with 3 and 2 intervals it is Simpson's 3/8 and
// 1/3 rule, with one the trapezoid. False when n < 1.
bool gregory_weights(int n, double h, double *w);

// The n roots of the Chebyshev polynomial T_n of [0, 1], ascending, exactly symmetric about 1/2.
void chebyshev_roots(int n, double *x);
