// math/krylov.h - an orthonormal basis of what a matrix A makes of a few vectors, v, A v, A^2 v, ..., in which vectors
// that belong to eigenvalues of largest size soon lie. It starts with a block of vectors, so that an eigenvalue
// that occurs as often as that is found as often; the start is always the same, and so are the bits.
#pragma once

#include <stdbool.h>

typedef void krylov_apply(void *context, const double *x, double *y);  // y = A x

typedef struct krylov {
    int size, n, used;  // of vectors; in V; of them, those that A was applied to
    double *V;          // (n and one more, x size)
} krylov;
double *krylov_vector(const krylov *k, int i);
// The vector behind the basis joins it, less what the basis holds of it. False: nothing is left.
bool krylov_join(krylov *k);
void krylov_start(krylov *k, int block);
// A v of all that it was not applied to yet.
void krylov_grow(krylov *k, krylov_apply *apply, void *context);
