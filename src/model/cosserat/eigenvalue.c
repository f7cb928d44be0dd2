// model/cosserat/eigenvalue.c - the smallest eigenvalue of the second variation.
//
// Of (second variation) x = mu (stiffness) x over the admissible variations, by Lanczos' method
// on x -> (second variation)^-1 (stiffness) x, which is symmetric in the product of the stiffness
// and has the eigenvalues 1/mu. Its Ritz values are negative only where eigenvalues are (Cauchy),
// and converge from both ends.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/symmetric.h"
#include "model/cosserat/assembly.h"

typedef struct lanczos {
    const assembly_problem *p;
    int n;          // unknowns of the rods
    double *basis;  // (LANCZOS_MOST x n)
    bool unstable;  // there are negative ones
    double d[LANCZOS_MOST], e[LANCZOS_MOST + 1];
} lanczos;

// y' K x over all rods; Kx may be NULL.
static double stiffness_product(const lanczos *l, const double *x, const double *y, double *Kx) {
    double sum = 0.0;
    for (int i = 0; i < l->p->a->n_rods; i++) {
        const int at = l->p->a->first[i];
        sum += l->p->c->scheme->ports->stiffness(l->p->own->problems[i].r, x + at, y + at,
                                                 Kx ? Kx + at : NULL);
    }
    return sum;
}

// own->change = (second variation)^-1 K x
static void apply(const lanczos *l, const double *x) {
    assembly_memory *own = l->p->own;
    memset(own->residual, 0, sizeof(double) * (size_t)n_change(l->p->a));
    stiffness_product(l, x, x, own->residual);
    for (int i = 0; i < l->n; i++) own->residual[i] = -own->residual[i];
    assembly_solve(l->p, own->residual, own->change);
}

// Takes the part along the first k vectors of the basis out of x, twice for rounding.
static void orthogonalise(const lanczos *l, int k, double *x) {
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < k; j++) {
            const double *q = l->basis + (size_t)j * (size_t)l->n;
            double along = stiffness_product(l, q, x, NULL);
            for (int i = 0; i < l->n; i++) x[i] -= along * q[i];
        }
}

// mu from the Ritz values so far: the most negative one there is, or else the least positive. What
// lies between 0 and -1e-3 is rounding: mu would be below -1000.
static double smallest_of(const lanczos *l, int k) {
    const int negative = l->unstable ? tridiagonal_below(k, l->d, l->e, -1e-3) : 0;
    return 1.0 / tridiagonal_eigenvalue(k, l->d, l->e, negative ? negative - 1 : k - 1);
}

static double smallest_eigenvalue(lanczos *l) {
    double *x = l->p->own->change, last = HUGE_VAL, norm, mu = 1.0;
    for (int i = 0; i < l->n; i++) x[i] = 1.0 + 0.5 * sin(1.7 * i) + 0.3 * sin(0.37 * i * i);
    memcpy(l->basis, x, sizeof(double) * (size_t)l->n);
    apply(l, l->basis);  // admissible now
    norm = sqrt(stiffness_product(l, x, x, NULL));
    for (int k = 0; k < LANCZOS_MOST && norm > 0.0; k++) {
        double *q = l->basis + (size_t)k * (size_t)l->n;
        for (int i = 0; i < l->n; i++) q[i] = x[i] / norm;
        l->e[k] = k ? norm : 0.0;
        apply(l, q);
        l->d[k] = stiffness_product(l, q, x, NULL);
        mu = smallest_of(l, k + 1);
        if (fabs(mu - last) <= 1e-10 * fabs(mu)) break;
        last = mu;
        orthogonalise(l, k + 1, x);
        norm = sqrt(fmax(0.0, stiffness_product(l, x, x, NULL)));
        if (norm <= 1e-12 * fabs(l->d[k])) break;  // all there is
    }
    return mu;
}

static td_status stability_of(const cosserat *c, int index, cosserat_memory *m,
                              const model_call *call, double *smallest) {
    static const double present[3] = {1.0, 0.0, 0.0};
    assembly_problem p = assembly_at(c, index, m, call);
    int negative = 0, border, neutral;
    assembly_forget(&p);
    assembly_prepare(&p);
    assembly_recall(&p, present, p.own->now);
    if (!assembly_evaluate(&p, p.own->now, p.own->residual)) return TD_ERR_NOT_FINITE;
    if (!assembly_has_potential(&p) || assembly_rubs(&p)) return TD_ERR_UNSUPPORTED;
    *smallest = 0.0;
    if (!assembly_factor(&p, true, &negative)) return TD_OK;  // where stability is lost
    if (negative < 0 || !border_negative(&p, &border, &neutral)) return TD_ERR_UNSUPPORTED;
    lanczos l = {.p = &p,
                 .n = p.a->first[p.a->n_rods],
                 .basis = p.own->lanczos,
                 .unstable = negative + border > 0};
    *smallest = smallest_eigenvalue(&l);
    if (neutral > 0) *smallest = fmin(*smallest, 0.0);
    if (negative + border > 0 && *smallest >= 0.0) *smallest = -1.0;  // rods fall as rigid bodies
    return TD_OK;
}

td_status cosserat_stability(const void *compiled, void *memory, const model_call *call,
                             double *smallest) {
    const cosserat *c = compiled;
    const scheme_ports *ports = c->scheme->ports;
    if (!ports || !ports->stiffness) return TD_ERR_UNSUPPORTED;
    for (int i = 0; i < c->n_rods; i++)
        if (c->rods[i].follows) {
            snprintf(call->message, MODEL_MESSAGE_SIZE,
                     "sections follow the mean stretch: there is no energy whose second variation "
                     "could be judged");
            return TD_ERR_UNSUPPORTED;
        }
    *smallest = HUGE_VAL;
    for (int i = 0; i < c->n_assemblies; i++) {
        double own = 1.0;
        if (c->assemblies[i].n_rods == 0) continue;
        td_status status = stability_of(c, i, memory, call, &own);
        if (status < 0) return status;
        *smallest = fmin(*smallest, own);
    }
    return TD_OK;
}
