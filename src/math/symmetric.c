// math/symmetric.c - see symmetric.h.
#include "math/symmetric.h"

#include <math.h>

// One Householder reflection I - 2 v v'/v'v that empties row and column k below the next one. v
// (n) holds zeros up to k; w (n) scratch.
static void reflect(int n, double *a, int k, double *v, double *w) {
    double norm2 = 0.0, vv, vw = 0.0;
    for (int i = k + 1; i < n; i++) norm2 += a[i * n + k] * a[i * n + k];
    double norm = sqrt(norm2), first = a[(k + 1) * n + k];
    double alpha = first > 0.0 ? -norm : norm;
    vv = norm2 - alpha * first;  // v'v / 2
    if (!(vv > 0.0)) return;
    for (int i = k + 1; i < n; i++) v[i] = a[i * n + k];
    v[k + 1] -= alpha;
    for (int i = k; i < n; i++) {
        w[i] = 0.0;
        for (int j = k + 1; j < n; j++) w[i] += a[i * n + j] * v[j];
        w[i] /= vv;
    }
    for (int i = k + 1; i < n; i++) vw += v[i] * w[i];
    for (int i = k + 1; i < n; i++) w[i] -= 0.5 * vw / vv * v[i];
    for (int i = k + 1; i < n; i++)
        for (int j = k + 1; j < n; j++) a[i * n + j] -= v[i] * w[j] + w[i] * v[j];
    for (int i = k + 2; i < n; i++) a[i * n + k] = a[k * n + i] = 0.0;
    a[(k + 1) * n + k] = a[k * n + k + 1] = alpha;
}

void tridiagonalise(int n, double *a, double *d, double *e) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double mean = 0.5 * (a[i * n + j] + a[j * n + i]);
            a[i * n + j] = a[j * n + i] = mean;
        }
    for (int k = 0; k + 2 < n; k++) reflect(n, a, k, d, e);
    for (int i = 0; i < n; i++) {
        d[i] = a[i * n + i];
        e[i] = i ? a[i * n + i - 1] : 0.0;
    }
}

void scale_symmetric(int n, double *a) {
    for (int i = 0; i < n; i++) {
        const double size = fabs(a[i * n + i]), by = size > 0.0 ? 1.0 / sqrt(size) : 1.0;
        for (int k = 0; k < n; k++) {
            a[i * n + k] *= by;
            a[k * n + i] *= by;
        }
    }
}

int tridiagonal_below(int n, const double *d, const double *e, double x) {
    int below = 0;
    double q = 1.0;
    for (int i = 0; i < n; i++) {
        double tiny = 1e-300 + 1e-16 * (fabs(d[i]) + fabs(e[i]));
        q = d[i] - x - (i ? e[i] * e[i] / q : 0.0);
        if (fabs(q) < tiny) q = -tiny;
        below += q < 0.0;
    }
    return below;
}

double tridiagonal_eigenvalue(int n, const double *d, const double *e, int k) {
    double low = HUGE_VAL, high = -HUGE_VAL;  // Gershgorin
    for (int i = 0; i < n; i++) {
        double reach = fabs(e[i]) + (i + 1 < n ? fabs(e[i + 1]) : 0.0);
        low = fmin(low, d[i] - reach), high = fmax(high, d[i] + reach);
    }
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        if (tridiagonal_below(n, d, e, middle) > k) high = middle;
        else low = middle;
    }
    return 0.5 * (low + high);
}
