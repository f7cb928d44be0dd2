// model/cosserat/collocation/compile.c - the tables of collocation, made once for a system.
#include <stdlib.h>

#include "math/interpolate.h"
#include "math/quadrature.h"
#include "math/se3.h"
#include "model/cosserat/collocation/gauss.h"
#include "model/cosserat/collocation/collocation.h"

static const double magnus4[] = {MAGNUS4_C1, MAGNUS4_C2};
static const double magnus6[] = {MAGNUS6_C1, MAGNUS6_C2, MAGNUS6_C3};

// c_k = (2k + 1) sum_j w_j P_k(2 c_j - 1) f_j: exact for what the nodes represent.
static void fill_last(gauss_table *t) {
    const int n = t->n;
    for (int j = 0; j < n; j++) {
        double x = 2.0 * t->c[j] - 1.0, before = 0.0, now = 1.0;
        for (int k = 0; k < n; k++) {  // now = P_k(x)
            if (k == n - 2) t->last[j] = (2.0 * k + 1.0) * t->w[j] * now;
            if (k == n - 1) t->last[n + j] = (2.0 * k + 1.0) * t->w[j] * now;
            double next = ((2.0 * k + 1.0) * x * now - k * before) / (k + 1.0);
            before = now;
            now = next;
        }
    }
}

static void fill(gauss_table *t, const double *magnus) {
    const int n = t->n;
    gauss_legendre(n, t->c, t->w);
    barycentric_weights(n, t->c, t->bary);
    integration_matrix(n, t->c, t->bary, n, t->c, t->A);
    differentiation_matrix(n, t->c, t->bary, t->D);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) t->Q[i * n + j] = t->w[j] - t->A[i * n + j];
    fill_last(t);
    for (int k = 0; k <= n; k++) {
        double from = k ? t->c[k - 1] : 0.0, to = k < n ? t->c[k] : 1.0;
        t->d[k] = to - from;
        for (int g = 0; g < t->points; g++)
            lagrange_row(n, t->c, t->bary, from + magnus[g] * (to - from),
                         t->rows + (k * t->points + g) * n);
    }
}

gauss_table *gauss_table_make(int n, int magnus_order) {
    gauss_table *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->n = n;
    t->points = magnus_order == 4 ? 2 : 3;
    size_t m = (size_t)n;
    size_t total = 5 * m + 3 * m * m + (m + 1) + (m + 1) * (size_t)t->points * m;
    double *block = calloc(total, sizeof *block);
    if (!block) {
        free(t);
        return NULL;
    }
    t->c = block, t->w = t->c + m, t->bary = t->w + m;
    t->A = t->bary + m, t->Q = t->A + m * m;
    t->D = t->Q + m * m, t->d = t->D + m * m, t->last = t->d + m + 1, t->rows = t->last + 2 * m;
    fill(t, magnus_order == 4 ? magnus4 : magnus6);
    return t;
}

void gauss_table_free(gauss_table *t) {
    if (!t) return;
    free(t->c);
    free(t);
}

bool collocation_prepare(rod *r, const td_options *options) {
    gauss_tables *tables = calloc(1, sizeof *tables);
    r->tables = tables;
    if (!tables) return false;
    for (int k = 0; k < r->n_elements; k++) {
        int n = r->elements[k].n_nodes;
        if (tables->table[n]) continue;
        if (!(tables->table[n] = gauss_table_make(n, options->magnus))) return false;
    }
    return true;
}

void collocation_discard(rod *r) {
    gauss_tables *tables = r->tables;
    for (int n = 0; tables && n <= GAUSS_MAX; n++) gauss_table_free(tables->table[n]);
    free(tables);
}
