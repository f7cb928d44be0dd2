// math/dense.c - LU with partial pivoting and products of small matrices. Inner loops run along
// rows, so that the compiler can vectorise them.
#include "math/dense.h"

#include <math.h>

static void swap_rows(int m, double *restrict a, double *restrict b) {
    for (int j = 0; j < m; j++) {
        double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

// y -= s x
static void subtract(int m, double s, const double *restrict x, double *restrict y) {
    for (int j = 0; j < m; j++) y[j] -= s * x[j];
}

// The order of the sum is the compiler's, the same in every call.
static double dot(int m, const double *restrict x, const double *restrict y) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < m; j++) sum += x[j] * y[j];
    return sum;
}

static int largest_in_column(int n, const double *a, int k) {
    int p = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
    return p;
}

// A NaN never wins the search for the pivot, but it spreads down until it is a pivot itself.
bool lu_factor(int n, double *a, int *pivot) {
    for (int k = 0; k < n; k++) {
        int p = pivot[k] = largest_in_column(n, a, k);
        double *top = a + k * n;
        if (p != k) swap_rows(n, top, a + p * n);
        if (top[k] == 0.0 || !isfinite(top[k])) return false;
        for (int i = k + 1; i < n; i++) {
            double *row = a + i * n;
            row[k] /= top[k];
            subtract(n - k - 1, row[k], top + k + 1, row + k + 1);
        }
    }
    return true;
}

void lu_solve(int n, const double *lu, const int *pivot, double *b) {
    for (int k = 0; k < n; k++) {
        double t = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = t;
    }
    for (int i = 1; i < n; i++) b[i] -= dot(i, lu + i * n, b);
    for (int i = n - 1; i >= 0; i--)
        b[i] = (b[i] - dot(n - i - 1, lu + i * n + i + 1, b + i + 1)) / lu[i * n + i];
}

void lu_solve_many(int n, const double *lu, const int *pivot, int m, double *b) {
    for (int k = 0; k < n; k++)
        if (pivot[k] != k) swap_rows(m, b + k * m, b + pivot[k] * m);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) subtract(m, lu[i * n + j], b + j * m, b + i * m);
    for (int i = n - 1; i >= 0; i--) {
        double *row = b + i * m;
        for (int j = i + 1; j < n; j++) subtract(m, lu[i * n + j], b + j * m, row);
        for (int c = 0; c < m; c++) row[c] /= lu[i * n + i];
    }
}

// A' = U' L' P: forward with U', back with L', then the swaps in reverse.
void lu_solve_transposed(int n, const double *lu, const int *pivot, double *b) {
    for (int i = 0; i < n; i++) {
        b[i] /= lu[i * n + i];
        subtract(n - i - 1, b[i], lu + i * n + i + 1, b + i + 1);
    }
    for (int i = n - 1; i > 0; i--) subtract(i, b[i], lu + i * n, b);
    for (int k = n - 1; k >= 0; k--) {
        double t = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = t;
    }
}

int lu_sign(int n, const double *lu, const int *pivot) {
    int sign = 1;
    for (int k = 0; k < n; k++) {
        if (pivot[k] != k) sign = -sign;
        if (lu[k * n + k] < 0.0) sign = -sign;
    }
    return sign;
}

static double magnitude_sum(int n, const double *a, int stride) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += fabs(a[i * stride]);
    return sum;
}

double lu_condition(int n, const double *lu, const int *pivot, double norm1, double *work) {
    double inverse = 0.0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) work[i] = (double)(i == j);
        lu_solve(n, lu, pivot, work);
        inverse = fmax(inverse, magnitude_sum(n, work, 1));
    }
    return norm1 * inverse;
}

double dense_norm1(int n, const double *a) {
    double largest = 0.0;
    for (int j = 0; j < n; j++) largest = fmax(largest, magnitude_sum(n, a + j, n));
    return largest;
}

void dense_mul_vec(int m, int n, const double *a, const double *x, double *y) {
    for (int i = 0; i < m; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}

void dense_tmul_vec(int m, int n, const double *a, const double *x, double *y) {
    for (int j = 0; j < n; j++) y[j] = 0.0;
    for (int i = 0; i < m; i++) subtract(n, -x[i], a + i * n, y);
}

void dense_mul(int m, int n, int k, const double *a, const double *b, double *c) {
    for (int i = 0; i < m; i++) {
        double *row = c + i * k;
        for (int j = 0; j < k; j++) row[j] = 0.0;
        for (int l = 0; l < n; l++) subtract(k, -a[i * n + l], b + l * k, row);
    }
}
