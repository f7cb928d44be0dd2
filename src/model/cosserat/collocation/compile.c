// model/cosserat/collocation/compile.c - the tables of collocation, made once for a system.
#include <stdlib.h>

#include "math/interpolate.h"
#include "math/quadrature.h"
#include "math/se3.h"
#include "model/cosserat/collocation/gauss.h"
#include "model/cosserat/collocation/collocation.h"

static const double magnus4[] = {MAGNUS4_C1, MAGNUS4_C2};
static const double magnus6[] = {MAGNUS6_C1, MAGNUS6_C2, MAGNUS6_C3};

// out (lane_blocks(rows) x columns): a (rows x columns) with four rows side by side
static void fill_lanes(int rows, int columns, const double *a, lanes *out) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            out[(i / LANES) * columns + j][i % LANES] = a[i * columns + j];
}

static void fill(gauss_table *t, const double *magnus) {
    const int n = t->n;
    gauss_legendre(n, t->c, t->w);
    barycentric_weights(n, t->c, t->bary);
    integration_matrix(n, t->c, t->bary, n, t->c, t->A);
    differentiation_matrix(n, t->c, t->bary, t->D);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) t->Q[i * n + j] = t->w[j] - t->A[i * n + j];
    for (int i = 0; i < 2; i++) lagrange_row(n, t->c, t->bary, i, t->ends + i * n);
    for (int k = 0; k <= n; k++) {
        double from = k ? t->c[k - 1] : 0.0, to = k < n ? t->c[k] : 1.0;
        t->d[k] = to - from;
        for (int g = 0; g < t->points; g++)
            lagrange_row(n, t->c, t->bary, from + magnus[g] * (to - from),
                         t->rows + (k * t->points + g) * n);
    }
    fill_lanes(n, n, t->A, t->A4);
    fill_lanes(n, n, t->Q, t->Q4);
    fill_lanes(n, 1, t->w, t->w4);
    fill_lanes(n + 1, 1, t->d, t->d4);
    fill_lanes(n + 1, t->points * n, t->rows, t->rows4);
}

gauss_table *gauss_table_make(int n, int magnus_order) {
    gauss_table *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->n = n;
    t->points = magnus_order == 4 ? 2 : 3;
    size_t m = (size_t)n;
    size_t total = 5 * m + 3 * m * m + (m + 1) + (m + 1) * (size_t)t->points * m;
    size_t nodes = (size_t)lane_blocks(n), steps = (size_t)lane_blocks(n + 1);
    size_t wide = nodes * (2 * m + 1) + steps * (1 + (size_t)t->points * m);
    lanes *wide_block = calloc(wide, sizeof *wide_block);
    double *block = calloc(total, sizeof *block);
    if (!block || !wide_block) {
        free(block);
        free(wide_block);
        free(t);
        return NULL;
    }
    t->A4 = wide_block, t->Q4 = t->A4 + nodes * m, t->w4 = t->Q4 + nodes * m;
    t->d4 = t->w4 + nodes, t->rows4 = t->d4 + steps;
    t->c = block, t->w = t->c + m, t->bary = t->w + m;
    t->A = t->bary + m, t->Q = t->A + m * m;
    t->D = t->Q + m * m, t->d = t->D + m * m, t->ends = t->d + m + 1, t->rows = t->ends + 2 * m;
    fill(t, magnus_order == 4 ? magnus4 : magnus6);
    return t;
}

void gauss_table_free(gauss_table *t) {
    if (!t) return;
    free(t->c);
    free(t->A4);
    free(t);
}

// Every field of a station is a number, and each becomes four.
static station_lanes lanes_of(const element *e, int block) {
    station_lanes out;
    for (int i = 0; i < LANES; i++) {
        const int node = LANES * block + i;
        const station *st = &e->stations[node < e->n_nodes ? node : e->n_nodes - 1];
        for (int k = 0; k < 6; k++) out.K[k][i] = st->K[k], out.B[k][i] = st->B[k];
        out.v_rest.x[i] = st->v_rest.x, out.v_rest.y[i] = st->v_rest.y,
        out.v_rest.z[i] = st->v_rest.z;
        out.J.x[i] = st->J.x, out.J.y[i] = st->J.y, out.J.z[i] = st->J.z;
        out.drag.x[i] = st->drag.x, out.drag.y[i] = st->drag.y, out.drag.z[i] = st->drag.z;
        out.linear.x[i] = st->linear.x, out.linear.y[i] = st->linear.y;
        out.linear.z[i] = st->linear.z;
        out.mass[i] = st->mass;
    }
    return out;
}

static bool prepare_stations(element *e) {
    const int blocks = lane_blocks(e->n_nodes);
    station_lanes *all = calloc((size_t)blocks, sizeof *all);
    e->own = all;
    for (int b = 0; all && b < blocks; b++) all[b] = lanes_of(e, b);
    return all != NULL;
}

bool collocation_prepare(rod *r, const td_options *options) {
    gauss_tables *tables = calloc(1, sizeof *tables);
    r->tables = tables;
    if (!tables) return false;
    for (int k = 0; k < r->n_elements; k++) {
        int n = r->elements[k].n_nodes;
        if (!prepare_stations(&r->elements[k])) return false;
        if (tables->table[n]) continue;
        if (!(tables->table[n] = gauss_table_make(n, options->magnus))) return false;
    }
    return true;
}

void collocation_discard(rod *r) {
    gauss_tables *tables = r->tables;
    for (int k = 0; r->elements && k < r->n_elements; k++) free(r->elements[k].own);
    for (int n = 0; tables && n <= GAUSS_MAX; n++) gauss_table_free(tables->table[n]);
    free(tables);
}
