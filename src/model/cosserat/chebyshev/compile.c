// model/cosserat/chebyshev/compile.c - the tables of the scheme, made once for a system.
#include <stdlib.h>

#include "math/interpolate.h"
#include "math/quadrature.h"
#include "model/cosserat/chebyshev/chebyshev.h"

static void fill(chebyshev_table *t) {
    const int n = t->n;
    const double *points = magnus_points(t->points);
    chebyshev_roots(n, t->c);
    barycentric_weights(n, t->c, t->bary);
    differentiation_matrix(n, t->c, t->bary, t->D);
    lagrange_row(n, t->c, t->bary, 1.0, t->tip);
    for (int k = 0; k <= n; k++) {
        double from = k ? t->c[k - 1] : 0.0, to = k < n ? t->c[k] : 1.0;
        t->d[k] = to - from;
        for (int g = 0; g < t->points; g++)
            lagrange_row(n, t->c, t->bary, from + points[g] * (to - from),
                         t->rows + (k * t->points + g) * n);
    }
}

bool chebyshev_prepare(rod *r, const td_options *options) {
    chebyshev_table *t = calloc(1, sizeof *t);
    r->tables = t;
    if (!t) return false;
    t->n = r->n_nodes;
    t->points = options->magnus == 4 ? 2 : 3;
    size_t n = (size_t)t->n, total = 3 * n + n * n + (n + 1) + (n + 1) * (size_t)t->points * n;
    double *block = calloc(total, sizeof *block);
    if (!block) return false;
    t->c = block, t->bary = t->c + n, t->tip = t->bary + n;
    t->D = t->tip + n, t->d = t->D + n * n, t->rows = t->d + n + 1;
    fill(t);
    return true;
}

void chebyshev_discard(rod *r) {
    chebyshev_table *t = r->tables;
    if (t) free(t->c);
    free(t);
}
