// model/cosserat/eigenvalue.c - the smallest eigenvalue of the second variation.
//
// Of (second variation) x = mu (stiffness) x over the admissible variations, by Lanczos' method
// on x -> (second variation)^-1 (stiffness) x, which is symmetric in the product of the stiffness
// and has the eigenvalues 1/mu. Its Ritz values are negative only where eigenvalues are (Cauchy),
// and converge from both ends.
//
// Loads without a potential make K unsymmetric. Where its symmetric part is definite all mu have a positive real
// part (Bendixson); otherwise they are found by Arnoldi's method on the same map. A negative real part is a shape that
// diverges; flutter, which needs inertia, is not seen.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/hessenberg.h"
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

// Some vector, made admissible; its norm.
static double begin(const lanczos *l) {
    double *x = l->p->own->change;
    for (int i = 0; i < l->n; i++) x[i] = 1.0 + 0.5 * sin(1.7 * i) + 0.3 * sin(0.37 * i * i);
    memcpy(l->basis, x, sizeof(double) * (size_t)l->n);
    apply(l, l->basis);
    return sqrt(stiffness_product(l, x, x, NULL));
}

static double smallest_eigenvalue(lanczos *l) {
    double *x = l->p->own->change, last = HUGE_VAL, norm = begin(l), mu = 1.0;
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

// ---------------------------------------------------------------- without a potential
// Orthonormal vectors and H (columns of LANCZOS_MOST), the map in them; how many.
static int arnoldi(const lanczos *l, double *H) {
    double *x = l->p->own->change, norm = begin(l), first = norm;
    int m = 0;
    while (m < LANCZOS_MOST && norm > 1e-12 * first) {
        double *q = l->basis + (size_t)m * (size_t)l->n, *column = H + m * LANCZOS_MOST;
        for (int i = 0; i < l->n; i++) q[i] = x[i] / norm;
        if (m) column[m - LANCZOS_MOST] = norm;
        apply(l, q);
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j <= m; j++) {
                const double *v = l->basis + (size_t)j * (size_t)l->n;
                const double along = stiffness_product(l, v, x, NULL);
                column[j] += along;
                for (int i = 0; i < l->n; i++) x[i] -= along * v[i];
            }
        norm = sqrt(fmax(0.0, stiffness_product(l, x, x, NULL)));
        m++;
    }
    return m;
}

// Between 0 and this share of the largest 1/mu is rounding.
#define NOTHING 1e-6

// The smallest real part of mu; false: it cannot be had.
static bool smallest_real_part(const lanczos *l, double *smallest) {
    double H[LANCZOS_MOST * LANCZOS_MOST] = {0.0};
    eigenvalues ritz;
    if (!hessenberg_eigenvalues(arnoldi(l, H), H, LANCZOS_MOST, &ritz)) return false;
    *smallest = inverses_smallest(&ritz, NOTHING, HUGE_VAL);
    return isfinite(*smallest);
}

bool assembly_diverges(const assembly_problem *p) {
    double smallest;
    const lanczos l = {.p = p, .n = p->a->first[p->a->n_rods], .basis = p->own->lanczos};
    return smallest_real_part(&l, &smallest) && smallest < 0.0;
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
    if (assembly_rubs(&p)) return TD_ERR_UNSUPPORTED;
    *smallest = 0.0;
    // where obstacles are, the sharp tangent is not symmetric enough
    if (!assembly_factor(&p, c->n_obstacles == 0, &negative)) return TD_OK;  // where it is lost
    if (negative < 0 || !border_negative(&p, &border, &neutral)) return TD_ERR_UNSUPPORTED;
    lanczos l = {.p = &p,
                 .n = p.a->first[p.a->n_rods],
                 .basis = p.own->lanczos,
                 .unstable = negative + border > 0};
    if (!assembly_has_potential(&p))
        return smallest_real_part(&l, smallest) ? TD_OK : TD_ERR_UNSUPPORTED;
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
