// material/memory.c - see memory.h and law.h.
#include "material/memory.h"

#include <math.h>
#include <string.h>

int law_memory(const section_law *l) {
    return law_remembers(l) ? 6 * (1 + l->n_terms) : 0;
}

double relaxed_strain(const section_law *l, const law_past *past, int k, const double x[6],
                      double h[6]) {
    memset(h, 0, 6 * sizeof *h);
    if (!past || past->time == HUGE_VAL) return 0.0;
    const double a = past->time / l->relaxation.times[k], e = exp(-a);
    const double f = a > 0.0 ? -expm1(-a) / a : 1.0;
    const double *x0 = past->z, *h0 = past->z + 6 * (k + 1);
    for (int i = 0; i < 6; i++) h[i] = e * h0[i] + f * (x[i] - x0[i]);
    return f;
}

void law_keep(const section_law *l, const law_past *past, const double x[6], double *z) {
    for (int k = 0; k < l->n_terms; k++) {
        double h[6];
        relaxed_strain(l, past, k, x, h);
        memcpy(z + 6 * (k + 1), h, sizeof h);
    }
    if (law_remembers(l)) memmove(z, x, 6 * sizeof *z);
}
