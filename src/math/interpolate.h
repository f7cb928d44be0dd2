// math/interpolate.h - polynomial interpolation: Lagrange on any nodes, cubic Hermite, and the
// middle points of an equidistant grid. l_j is the Lagrange polynomial that is 1 at node j and 0
// at the others. Matrices are row major.
#pragma once

#include <stdbool.h>

// Barycentric weights of n distinct nodes, scaled to a largest magnitude of 1. False when n < 1 or
// two nodes coincide.
bool barycentric_weights(int n, const double *x, double *w);

// row[j] = l_j(t)
void lagrange_row(int n, const double *x, const double *w, double t, double *row);

// D (n x n): D_ij = l_j'(x_i). Rows sum to zero.
void differentiation_matrix(int n, const double *x, const double *w, double *D);

// A (m x n): A_ij = integral of l_j from 0 to t_i. Exact by a Gauss rule; false when n would need
// one with more than GAUSS_MAX nodes.
bool integration_matrix(int n, const double *x, const double *w, int m, const double *t, double *A);

// Cubic Hermite on [0, h] at t: f = w[0] f(0) + w[1] f'(0) + w[2] f(h) + w[3] f'(h), and f' or f''
// with the weights of the other two.
void hermite_weights(double h, double t, double w[4]);
void hermite_rate_weights(double h, double t, double w[4]);
void hermite_second_weights(double h, double t, double w[4]);

// Slopes that keep a cubic between its ends (Fritsch & Carlson 1980): of the parabola through three
// values, with chords of slope a and b over h0 and h1, at the middle one; and at the outer one of
// the first chord. Within twice the smaller chord's; 0 at a turning point.
double monotone_slope(double h0, double h1, double a, double b);
double monotone_end_slope(double h0, double h1, double a, double b);

// Value in the middle of interval i (0 .. n-2) of n >= 2 equidistant nodes, as the sum of w[k]
// times node first + k, k < count; cubic (exact to order 4) with n >= 4, parabola with 3, mean
// with 2.
typedef struct midpoint_rule {
    int first, count;
    double w[4];
} midpoint_rule;

midpoint_rule midpoint_rule_at(int n, int i);

// All n-1 middles of nodal data (n x width) into (n-1 x width).
void midpoints(int n, int width, const double *nodes, double *middles);
