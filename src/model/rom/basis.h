// model/rom/basis.h - polynomials that vanish at the base, well conditioned at any order.
//
// The span is that of Sadati 2019 (4), s^1 .. s^n; the basis is not. Slopes are the Legendre
// polynomials of [0, 1], so that coefficients of one size mean slopes of one size and orders of
// twenty lose no digits. Slope polynomials are orthogonal: coefficients of a slope that is known at
// n Gauss points are sums over these points.
#pragma once

#define MOST_ORDER 20
#define MOST_FUNCTIONS 64  // of one rod, for each coordinate

// At x in [0, 1]: value and slope of functions 1 .. n, which span x .. x^n.
void basis_free(int n, double x, double *value, double *slope);
// The same with slope 0 at the base: they span x^2 .. x^(n+1).
void basis_held(int n, double x, double *value, double *slope);
