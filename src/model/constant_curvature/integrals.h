// model/constant_curvature/integrals.h - functions of t = theta^2 that an arc needs, and the
// integrals of their products along it.
//
// With A = sin(theta x)/theta and B = (1 - cos(theta x))/t a point of an arc is p + A a + B b: all
// are entire functions of t, and straight is nothing special. Their derivatives to t and all
// integrals over x of products of two are sums of
//
//     c_n(y) = sum_k (-y)^k/(2k + n)!,   y = t and y = 4 t,
//
// (c_0 = cos sqrt y, c_1 = sin sqrt y/sqrt y, Stumpff's functions) with constant coefficients: so
// the closed form holds at straight as well, and keeps its digits: 14 to half a turn, 13 to a whole
// one.
#pragma once

#define N_STUMPFF 12

// c_0 .. c_11 of y >= 0, each to a few units of its last place.
void arc_functions(double y, double c[N_STUMPFF]);

typedef struct arc_shape {  // at one x; ' = d/dt
    double A, A1, A2;       // A, A', A''
    double B, B1, B2;
    double D, D1;  // D = (theta x - sin(theta x))/theta^3
} arc_shape;

// From c_n(t x^2).
arc_shape arc_shape_at(double x, const double c[N_STUMPFF]);

// Rows (1, A, A', B, B'), columns (1, A, 2A', A', A'', B, 2B', B', B''): the integrals over x from
// 0 to 1 of row times column. Liu & Ben-Tzvi 2020, Eq. 14 and Appendix, in a form without
// singularity. Column 0 is their G.
#define N_ROWS 5
#define N_COLUMNS 9
typedef struct arc_integrals {
    double Q[N_ROWS][N_COLUMNS];
} arc_integrals;

// From c_n(t) and c_n(4 t).
void arc_integrate(const double c[N_STUMPFF], const double d[N_STUMPFF], arc_integrals *out);
