// math/krylov.c - see krylov.h.
#include "math/krylov.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "math/dense.h"

#define NOTHING_NEW 1e-13  // of a vector: the basis holds it already

double *krylov_vector(const krylov *k, int i) {
    return k->V + (size_t)i * (size_t)k->size;
}

// Twice is enough (Kahan and Parlett).
bool krylov_join(krylov *k) {
    double *w = krylov_vector(k, k->n);
    const double before = sqrt(dense_dot(k->size, w, w));
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < k->n; i++) {
            const double *v = krylov_vector(k, i), held = dense_dot(k->size, v, w);
            for (int l = 0; l < k->size; l++) w[l] -= held * v[l];
        }
    const double left = sqrt(dense_dot(k->size, w, w));
    if (!isfinite(left) || left <= NOTHING_NEW * before) return false;
    for (int l = 0; l < k->size; l++) w[l] /= left;
    k->n++;
    return true;
}

// Numbers between -1 and 1 by Knuth's congruence.
void krylov_start(krylov *k, int block) {
    uint64_t seed = 1;
    k->n = k->used = 0;
    for (int i = 0; i < block; i++) {
        double *v = krylov_vector(k, k->n);
        for (int l = 0; l < k->size; l++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            v[l] = (double)(seed >> 11) * 0x1p-52 - 1.0;
        }
        krylov_join(k);
    }
}

void krylov_grow(krylov *k, krylov_apply *apply, void *context) {
    for (const int end = k->n; k->used < end; k->used++) {
        apply(context, krylov_vector(k, k->used), krylov_vector(k, k->n));
        krylov_join(k);
    }
}
