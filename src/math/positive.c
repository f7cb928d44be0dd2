// math/positive.c - see positive.h.
#include "math/positive.h"

#include <math.h>

bool positive_factor(int n, double *a) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            if (i > j) {
                a[i * n + j] = sum / a[j * n + j];
                continue;
            }
            if (!(sum > 0.0) || !isfinite(sum)) return false;
            a[i * n + i] = sqrt(sum);
        }
    }
    return true;
}

void positive_solve(int n, const double *l, double *b) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[i] -= l[i * n + k] * b[k];
        b[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= l[k * n + i] * b[k];
        b[i] /= l[i * n + i];
    }
}
