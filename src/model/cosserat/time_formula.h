// model/cosserat/time_formula.h - implicit differentiation in time, Till 2019 (5).
//
//     y_t = c0 y + c[0] y1 + c[1] y2 + c[2] y3 + d1 y_t1
//
// with y1, y2, y3 the last three states and y_t1 the last rate. Everything in space sees only c0
// and the history h = y_t - c0 y; statics is all zeros. The coefficients are those of the
// variable-step formulas: exact for polynomials up to the formula's order on any past grid.
#pragma once

#include "tendril/tendril.h"

typedef struct time_formula {
    double c0, c[3], d1;
} time_formula;

// dt: this step. past: the steps before it, newest first; levels: how many past states are usable
// (1: only y1, 2: y2 at distance past[0], 3: y3 at past[0] + past[1]). Where the grid is too short,
// or too uneven for stability, a formula of fewer levels but still of second order is used.
time_formula time_formula_make(td_scheme scheme, double alpha, double dt, const double past[2],
                               int levels);
