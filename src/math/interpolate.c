// math/interpolate.c - barycentric Lagrange (Berrut & Trefethen 2004), Hermite, middle points.
#include "math/interpolate.h"

#include <math.h>

#include "math/quadrature.h"

bool barycentric_weights(int n, const double *x, double *w) {
    if (n < 1) return false;
    double lo = x[0], hi = x[0];
    for (int j = 1; j < n; j++) {
        lo = fmin(lo, x[j]);
        hi = fmax(hi, x[j]);
    }
    // Products of differences behave like (length/4)^n: scaled so, they neither grow nor vanish.
    double scale = n > 1 ? 4.0 / (hi - lo) : 1.0, largest = 0.0;
    for (int j = 0; j < n; j++) {
        double product = 1.0;
        for (int k = 0; k < n; k++)
            if (k != j) product *= scale * (x[j] - x[k]);
        w[j] = 1.0 / product;
        largest = fmax(largest, fabs(w[j]));
    }
    if (!isfinite(largest) || largest == 0.0) return false;
    for (int j = 0; j < n; j++) w[j] /= largest;
    return true;
}

void lagrange_row(int n, const double *x, const double *w, double t, double *row) {
    double sum = 0.0;
    int hit = -1;
    for (int j = 0; j < n; j++) {
        row[j] = w[j] / (t - x[j]);
        sum += row[j];
        // A node, or so close to one that the quotient overflows.
        if (!isfinite(row[j])) hit = j;
    }
    for (int j = 0; j < n; j++) row[j] = hit < 0 ? row[j] / sum : (double)(j == hit);
}

void differentiation_matrix(int n, const double *x, const double *w, double *D) {
    for (int i = 0; i < n; i++) {
        double *row = D + i * n, sum = 0.0;
        for (int j = 0; j < n; j++) {
            if (j == i) continue;
            row[j] = w[j] / w[i] / (x[i] - x[j]);
            sum += row[j];
        }
        // The derivative of a constant is zero: more precise than any formula for the diagonal.
        row[i] = -sum;
    }
}

bool integration_matrix(int n, const double *x, const double *w, int m, const double *t,
                        double *A) {
    double c[GAUSS_MAX], b[GAUSS_MAX], row[2 * GAUSS_MAX];
    int points = (n + 1) / 2;  // exact to degree 2 points - 1 >= n - 1
    if (!gauss_legendre(points, c, b)) return false;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) A[i * n + j] = 0.0;
        for (int k = 0; k < points; k++) {
            lagrange_row(n, x, w, t[i] * c[k], row);
            for (int j = 0; j < n; j++) A[i * n + j] += t[i] * b[k] * row[j];
        }
    }
    return true;
}

// Not beyond the limit, and not against it.
static double held(double slope, double limit) {
    return slope * limit <= 0.0 ? 0.0 : copysign(fmin(fabs(slope), fabs(limit)), limit);
}

double monotone_slope(double h0, double h1, double a, double b) {
    if (a * b <= 0.0) return 0.0;
    return held((h1 * a + h0 * b) / (h0 + h1), 2.0 * (fabs(a) < fabs(b) ? a : b));
}

double monotone_end_slope(double h0, double h1, double a, double b) {
    return held(a + (a - b) * h0 / (h0 + h1), 2.0 * a);
}

void hermite_weights(double h, double t, double w[4]) {
    double a = t / h, b = 1.0 - a;
    w[0] = b * b * (1.0 + 2.0 * a);
    w[1] = h * a * b * b;
    w[2] = a * a * (1.0 + 2.0 * b);
    w[3] = -h * a * a * b;
}

void hermite_rate_weights(double h, double t, double w[4]) {
    double a = t / h, b = 1.0 - a;
    w[0] = -6.0 * a * b / h;
    w[1] = b * (b - 2.0 * a);
    w[2] = 6.0 * a * b / h;
    w[3] = a * (a - 2.0 * b);
}

void hermite_second_weights(double h, double t, double w[4]) {
    double a = t / h;
    w[0] = (12.0 * a - 6.0) / (h * h);
    w[1] = (6.0 * a - 4.0) / h;
    w[2] = -w[0];
    w[3] = (6.0 * a - 2.0) / h;
}

midpoint_rule midpoint_rule_at(int n, int i) {
    bool left = i == 0, right = i == n - 2;
    if (n == 2) return (midpoint_rule){0, 2, {0.5, 0.5}};
    if (n == 3 && left) return (midpoint_rule){0, 3, {3.0 / 8, 6.0 / 8, -1.0 / 8}};
    if (n == 3) return (midpoint_rule){0, 3, {-1.0 / 8, 6.0 / 8, 3.0 / 8}};
    if (left) return (midpoint_rule){0, 4, {5.0 / 16, 15.0 / 16, -5.0 / 16, 1.0 / 16}};
    if (right) return (midpoint_rule){n - 4, 4, {1.0 / 16, -5.0 / 16, 15.0 / 16, 5.0 / 16}};
    return (midpoint_rule){i - 1, 4, {-1.0 / 16, 9.0 / 16, 9.0 / 16, -1.0 / 16}};
}

void midpoints(int n, int width, const double *nodes, double *middles) {
    for (int i = 0; i + 1 < n; i++) {
        midpoint_rule r = midpoint_rule_at(n, i);
        double *out = middles + i * width;
        for (int c = 0; c < width; c++) {
            double sum = 0.0;
            for (int k = 0; k < r.count; k++) sum += r.w[k] * nodes[(r.first + k) * width + c];
            out[c] = sum;
        }
    }
}
