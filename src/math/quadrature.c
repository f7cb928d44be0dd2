// math/quadrature.c - Gauss-Legendre, Gregory and Chebyshev nodes and weights.
#include "math/quadrature.h"
#include "math/pi.h"

#include <math.h>

// P_n(1 - d) and its derivative by d, for 0 < d <= 1, by the recursion of the differences
// P_(k+1) - P_k, which keeps full relative precision towards the end d = 0. Long double, so that
// the tables are right to their last digit.
static void legendre(int n, long double d, long double *p, long double *dp) {
    long double value = 1.0L - d, change = -d;  // P_1 and P_1 - P_0
    long double previous = 1.0L;
    for (int k = 1; k < n; k++) {
        // (k+1) (P_(k+1) - P_k) = k (P_k - P_(k-1)) - (2k+1) d P_k
        change = (k * change - (2 * k + 1) * d * value) / (k + 1);
        previous = value;
        value += change;
    }
    *p = value;
    // (1 - x^2) P_n'(x) = n (P_(n-1) - x P_n), with 1 - x^2 = d (2 - d)
    *dp = -n * (previous - (1.0L - d) * value) / (d * (2.0L - d));
}

bool gauss_legendre(int n, double *x, double *w) {
    if (n < 1 || n > GAUSS_MAX) return false;
    for (int i = 0; i < (n + 1) / 2; i++) {
        // The cosine guess is within O(1/n^3): Newton needs three or four steps, six are plenty.
        long double angle = (long double)PI * (i + 0.75L) / (n + 0.5L);
        long double d = 2.0L * powl(sinl(0.5L * angle), 2.0L), p, dp;
        for (int k = 0; k < 6; k++) {
            legendre(n, d, &p, &dp);
            d -= p / dp;
        }
        if (2 * i + 1 == n) d = 1.0L;
        legendre(n, d, &p, &dp);
        x[i] = (double)(0.5L * d);
        w[i] = (double)(1.0L / (d * (2.0L - d) * dp * dp));
        x[n - 1 - i] = (double)(1.0L - 0.5L * d);
        w[n - 1 - i] = w[i];
    }
    return true;
}

bool gregory_weights(int n, double h, double *w) {
    if (n < 1) return false;
    double step = h / n;
    for (int i = 0; i <= n; i++) w[i] = step;
    w[0] = w[n] = 0.5 * step;
    if (n == 1) return true;
    // Each end: -1/12 of the first and -1/24 of the second difference. The two ends may overlap.
    static const double correction[3] = {-1.0 / 8, 1.0 / 6, -1.0 / 24};
    for (int i = 0; i < 3; i++) {
        w[i] += step * correction[i];
        w[n - i] += step * correction[i];
    }
    return true;
}

// sin^2 instead of (1 - cos)/2 keeps the small nodes precise; the upper half mirrors the lower.
void chebyshev_roots(int n, double *x) {
    for (int i = 0; i < n / 2; i++) {
        double s = sin(PI / (4 * n) + i * (PI / (2 * n)));
        x[i] = s * s;
        x[n - 1 - i] = 1.0 - x[i];
    }
    if (n % 2 == 1) x[n / 2] = 0.5;
}
