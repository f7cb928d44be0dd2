// model/rom/fit.c - normal equations of least squares.
#include "model/rom/fit.h"

#include "math/positive.h"

void fit_add(fit *f, const double *row, double weight, vec3 sample) {
    for (int i = 0; i < f->n; i++) {
        for (int k = 0; k < f->n; k++) f->A[i * f->n + k] += weight * row[i] * row[k];
        f->b[i] = vec3_madd(f->b[i], weight * row[i], sample);
    }
}

bool fit_solve(fit *f, double *coefficients) {
    const bool solvable = positive_factor(f->n, f->A);
    for (int axis = 0; axis < 3; axis++) {
        double x[MOST_FUNCTIONS] = {0.0};
        for (int i = 0; i < f->n && solvable; i++) {
            double right[3];
            vec3_store(right, f->b[i]);
            x[i] = right[axis];
        }
        if (solvable) positive_solve(f->n, f->A, x);
        for (int i = 0; i < f->n; i++) coefficients[3 * i + axis] = x[i];
    }
    return solvable;
}
