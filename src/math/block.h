// math/block.h - 3x3 blocks of a 6x6 matrix (row major), each by the row and the column of its corner.
#pragma once

#include "math/mat3.h"

static inline mat3 block33_at(const double *m, int row, int column) {
    mat3 x;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) x.m[i][k] = m[6 * (row + i) + column + k];
    return x;
}

static inline void block33_put(double *m, int row, int column, const mat3 *x) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m[6 * (row + i) + column + k] = x->m[i][k];
}

static inline void block33_add(double *m, int row, int column, double factor, const mat3 *x) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m[6 * (row + i) + column + k] += factor * x->m[i][k];
}
