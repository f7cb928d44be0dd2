// tests/textbook.h - the Kalman filter as textbooks have it.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

// x of A x = b, n up to 200: Gauss' elimination, by nobody else.
static inline void textbook_eliminate(int n, double *A, double *b) {
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        for (int j = 0; j < n; j++) {
            const double t = A[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = t;
        }
        const double t = b[k];
        b[k] = b[p], b[p] = t;
        for (int i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}

typedef struct textbook {  // x+ = F x + g, y = H x
    int n, m, n_x;
    double *F, *H, *P, *T, *x, *g;
    double Q[512], R[8];
} textbook;

static inline void textbook_step(textbook *k) {
    const int n = k->n;
    for (int i = 0; i < n; i++) {
        k->T[i] = k->g[i];
        for (int j = 0; j < n; j++) k->T[i] += k->F[i * n + j] * k->x[j];
    }
    memcpy(k->x, k->T, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            k->T[i * n + j] = 0.0;
            for (int l = 0; l < n; l++) k->T[i * n + j] += k->F[i * n + l] * k->P[l * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            k->P[i * n + j] = i == j ? k->Q[i] : 0.0;
            for (int l = 0; l < n; l++) k->P[i * n + j] += k->T[i * n + l] * k->F[j * n + l];
        }
}

// One number after the other, which is the same where noises are independent; NAN: it was not read.
static inline void textbook_update(textbook *k, const double *y) {
    const int n = k->n;
    double PH[512];
    for (int c = 0; c < k->m; c++) {
        const double *H = k->H + c * n;
        double S = k->R[c], off = y[c];
        if (isnan(off)) continue;
        for (int i = 0; i < n; i++) {
            PH[i] = 0.0;
            for (int j = 0; j < n; j++) PH[i] += k->P[i * n + j] * H[j];
        }
        for (int i = 0; i < n; i++) S += H[i] * PH[i], off -= H[i] * k->x[i];
        for (int i = 0; i < n; i++) {
            k->x[i] += PH[i] * off / S;
            for (int j = 0; j < n; j++) k->P[i * n + j] -= PH[i] * PH[j] / S;
        }
    }
}

static inline void free_textbook(textbook *k) {
    free(k->F), free(k->H), free(k->P), free(k->T), free(k->x), free(k->g);
}
