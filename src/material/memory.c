// material/memory.c - see memory.h and law.h.
#include "material/memory.h"
#include "material/fibres.h"
#include "material/rub.h"

#include <math.h>
#include <string.h>

static int rubbed_at(const section_law *l) {
    return 6 * (1 + l->n_terms);
}

static int fractions_at(const section_law *l) {
    return rubbed_at(l) + (l->hysteresis.moment > 0.0 ? 2 : 0);
}

int law_memory(const section_law *l) {
    if (!law_remembers(l)) return 0;
    return fractions_at(l) + (l->fibres == TD_SUPERELASTIC ? l->n_fibres : 0);
}

const double *past_fractions(const section_law *l, const law_past *past) {
    return past && l->fibres == TD_SUPERELASTIC ? past->z + fractions_at(l) : NULL;
}

void relaxing_factors(const section_law *l, int k, double time, double *e, double *f) {
    const double a = time / l->relaxation.times[k];
    *e = exp(-a);
    *f = a > 0.0 ? -expm1(-a) / a : 1.0;
}

double relaxed_strain(const section_law *l, const law_past *past, int k, const double x[6],
                      double h[6]) {
    memset(h, 0, 6 * sizeof *h);
    if (!past || past->time == HUGE_VAL) return 0.0;
    double e, f;
    relaxing_factors(l, k, past->time, &e, &f);
    const double *x0 = past->z, *h0 = past->z + 6 * (k + 1);
    for (int i = 0; i < 6; i++) h[i] = e * h0[i] + f * (x[i] - x0[i]);
    return f;
}

void flowing_stiffness(const section_law *l, double F[36]) {
    for (int i = 0; i < 36; i++) F[i] = l->coupled ? l->coupling[i] : 0.0;
    for (int i = 0; i < 6; i++) F[7 * i] += l->flowing[i];
}

void rubbed_share(const section_law *l, const law_past *past, const double x[6], double z[2],
                  double slope[4]) {
    static const double none[6] = {0.0};
    const double *x0 = past ? past->z : none, *z0 = past ? past->z + rubbed_at(l) : none;
    const double du[2] = {x[0] - x0[0], x[1] - x0[1]};
    rub_along(&l->hysteresis, z0, du, z, slope);
}

void law_rates(const section_law *l, const double *z, const double x_t[6], double *z_t) {
    const int n = rubbed_at(l);
    for (int i = 6; i < n; i++) z_t[i - 6] = x_t[i % 6] - z[i] / l->relaxation.times[i / 6 - 1];
    if (l->hysteresis.moment > 0.0) rub_rates(&l->hysteresis, z + n, x_t, z_t + n - 6);
}

void law_keep(const section_law *l, const law_past *past, const double x[6], double *z) {
    double h[6];
    if (!law_remembers(l)) return;
    if (l->fibres == TD_SUPERELASTIC)
        fibres_evaluate(l, past_fractions(l, past), x,
                        &(fibres_answer){.kept = z + fractions_at(l)});
    if (l->hysteresis.moment > 0.0) {
        rubbed_share(l, past, x, h, NULL);
        memcpy(z + rubbed_at(l), h, 2 * sizeof *z);
    }
    for (int k = 0; k < l->n_terms; k++) {
        relaxed_strain(l, past, k, x, h);
        memcpy(z + 6 * (k + 1), h, sizeof h);
    }
    memmove(z, x, 6 * sizeof *z);
}
