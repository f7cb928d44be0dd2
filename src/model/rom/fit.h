// model/rom/fit.h - least squares of three components at once on a few functions.
#pragma once

#include "math/vec3.h"
#include "model/rom/basis.h"

typedef struct fit {  // of n functions, from rows of their values
    int n;
    double A[MOST_FUNCTIONS * MOST_FUNCTIONS];
    vec3 b[MOST_FUNCTIONS];
} fit;

void fit_add(fit *f, const double *row, double weight, vec3 sample);
bool fit_solve(fit *f, double *coefficients);  // (3 n); false, and zeros: too few samples
