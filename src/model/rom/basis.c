// model/rom/basis.c - integrals of the Legendre polynomials of [0, 1].
#include "model/rom/basis.h"

// (k + 1) P_(k+1) = (2k + 1) t P_k - k P_(k-1), P (n + 1)
static void legendre(int n, double t, double *P) {
    P[0] = 1.0;
    if (n > 0) P[1] = t;
    for (int k = 1; k < n; k++) P[k + 1] = ((2 * k + 1) * t * P[k] - k * P[k - 1]) / (k + 1);
}

// From 0 to x of P_k: 2 (2k + 1) times it is P_(k+1) - P_(k-1).
static double integral(const double *P, int k, double x) {
    return k == 0 ? x : (P[k + 1] - P[k - 1]) / (2.0 * (2 * k + 1));
}

void basis_free(int n, double x, double *value, double *slope) {
    double P[MOST_ORDER + 3];
    legendre(n, 2.0 * x - 1.0, P);
    for (int i = 0; i < n; i++) {
        slope[i] = P[i];
        value[i] = integral(P, i, x);
    }
}

void basis_held(int n, double x, double *value, double *slope) {
    double P[MOST_ORDER + 3];
    legendre(n + 1, 2.0 * x - 1.0, P);
    for (int i = 0; i < n; i++) {
        const double at_base = i % 2 ? 1.0 : -1.0;  // P_(i+1) there
        slope[i] = P[i + 1] - at_base;
        value[i] = integral(P, i + 1, x) - at_base * x;
    }
}
