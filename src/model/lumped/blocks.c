// model/lumped/blocks.c - see blocks.h.
#include "model/lumped/blocks.h"

#include <string.h>

#include "math/dense.h"
#include "math/symmetric.h"

int block_at(const block_pattern *p, int row, int column) {
    if (row == column) return row;
    int low = row < column ? row : column, high = row < column ? column : row;
    int a = p->first[low], b = p->first[low + 1];
    while (a < b) {
        int middle = (a + b) / 2;
        if (p->other[middle] < high) a = middle + 1;
        else b = middle;
    }
    if (a == p->first[low + 1] || p->other[a] != high) return -1;
    return p->n + a + (row < column ? 0 : p->n_couplings);
}

// c -= a b
static void subtract_product(const double *restrict a, const double *restrict b,
                             double *restrict c) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            const double x = a[6 * i + k];
            for (int j = 0; j < 6; j++) c[6 * i + j] -= x * b[6 * k + j];
        }
}

// y -= a x
static void subtract_times(const double *restrict a, const double *restrict x, double *restrict y) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) y[i] -= a[6 * i + k] * x[k];
}

// y += a x
static void add_times(const double *restrict a, const double *restrict x, double *restrict y) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) y[i] += a[6 * i + k] * x[k];
}

static bool is_zero(const double *block) {
    for (int i = 0; i < BLOCK; i++)
        if (block[i] != 0.0) return false;
    return true;
}

// Row k: its diagonal factored, D^-1 above it, and what that takes off the rows below.
static bool eliminate(const block_pattern *p, int k, double *a, int *pivot) {
    const int first = p->first[k], m = p->first[k + 1] - first;
    double *above = a + (p->n + first) * BLOCK, *below = above + p->n_couplings * BLOCK;
    if (!lu_factor(6, a + k * BLOCK, pivot + 6 * k)) return false;
    for (int i = 0; i < m; i++)
        if (!is_zero(above + i * BLOCK))
            lu_solve_many(6, a + k * BLOCK, pivot + 6 * k, 6, above + i * BLOCK);
    // Where parts may touch, most blocks are zero until they do.
    for (int i = 0; i < m; i++) {
        const int *target = p->target + p->first_pair[k] + i * m;
        if (is_zero(below + i * BLOCK)) continue;
        for (int l = 0; l < m; l++)
            if (!is_zero(above + l * BLOCK))
                subtract_product(below + i * BLOCK, above + l * BLOCK, a + target[l] * BLOCK);
    }
    return true;
}

bool blocks_factor(const block_pattern *p, double *a, int *pivot) {
    for (int k = 0; k < p->n; k++)
        if (!eliminate(p, k, a, pivot)) return false;
    return true;
}

// Each row's part of the signature is that of its diagonal block when it is eliminated.
int blocks_negative(const block_pattern *p, double *a, int *pivot) {
    int negative = 0;
    for (int k = 0; k < p->n; k++) {
        double block[BLOCK], d[6], e[6];
        memcpy(block, a + k * BLOCK, sizeof block);
        scale_symmetric(6, block);
        tridiagonalise(6, block, d, e);
        negative += tridiagonal_below(6, d, e, 0.0);
        if (!eliminate(p, k, a, pivot)) return -1;
    }
    return negative;
}

void blocks_solve(const block_pattern *p, const double *a, const int *pivot, double *b) {
    const double *above = a + p->n * BLOCK, *below = above + p->n_couplings * BLOCK;
    for (int k = 0; k < p->n; k++) {
        lu_solve(6, a + k * BLOCK, pivot + 6 * k, b + 6 * k);
        for (int i = p->first[k]; i < p->first[k + 1]; i++)
            subtract_times(below + i * BLOCK, b + 6 * k, b + 6 * p->other[i]);
    }
    for (int k = p->n - 1; k >= 0; k--)
        for (int i = p->first[k]; i < p->first[k + 1]; i++)
            subtract_times(above + i * BLOCK, b + 6 * p->other[i], b + 6 * k);
}

void blocks_multiply(const block_pattern *p, const double *a, const double *x, double *y) {
    const double *above = a + p->n * BLOCK, *below = above + p->n_couplings * BLOCK;
    memset(y, 0, sizeof(double) * 6 * (size_t)p->n);
    for (int k = 0; k < p->n; k++) {
        add_times(a + k * BLOCK, x + 6 * k, y + 6 * k);
        for (int i = p->first[k]; i < p->first[k + 1]; i++) {
            add_times(above + i * BLOCK, x + 6 * p->other[i], y + 6 * k);
            add_times(below + i * BLOCK, x + 6 * k, y + 6 * p->other[i]);
        }
    }
}

// a and b become the mean of a and b'.
static void mean_of(double *a, double *b) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            a[6 * i + k] = b[6 * k + i] = 0.5 * (a[6 * i + k] + b[6 * k + i]);
}

void blocks_symmetrise(const block_pattern *p, double *a) {
    double *above = a + p->n * BLOCK, *below = above + p->n_couplings * BLOCK;
    for (int k = 0; k < p->n; k++) mean_of(a + k * BLOCK, a + k * BLOCK);
    for (int i = 0; i < p->n_couplings; i++) mean_of(above + i * BLOCK, below + i * BLOCK);
}
