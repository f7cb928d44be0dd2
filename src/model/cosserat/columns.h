// model/cosserat/columns.h - products with vectors that come in columns, (3 x w) side by side:
// what linearised equations are made of, many directions at once.
#pragma once

#include "math/se3.h"

// out += s a x b, column by column
void columns_add_cross(double s, vec3 a, const double *restrict b, int w, double *restrict out);
// out = a x, and out += a x
void columns_multiply(const mat3 *a, const double *restrict x, int w, double *restrict out);
void columns_add_product(const mat3 *a, const double *restrict x, int w, double *restrict out);
// out = a' x
void columns_turn_back(const mat3 *a, const double *restrict x, int w, double *restrict out);
// out (n) += s x (n)
void columns_add(int n, double s, const double *restrict x, double *restrict out);
// out (n) = s x (n)
void columns_scale(int n, double s, const double *restrict x, double *restrict out);
