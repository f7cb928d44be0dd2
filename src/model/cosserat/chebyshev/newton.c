// model/cosserat/chebyshev/newton.c - solving for the curvatures at the nodes.
#include <math.h>

#include "math/dense.h"
#include "model/cosserat/chebyshev/chebyshev.h"

#define MOST_ITERATIONS 30
// When corrections stop shrinking, one below this many tolerances counts as round-off.
#define LOOSE_FACTOR 1e3

static double largest(const double *a, int n) {
    double size = 0.0;
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i]) <= size)) size = fabs(a[i]);  // NaN too
    return size;
}

// One correction; its size is an angle over the whole rod.
static td_status correct(const rod_problem *p, chebyshev_memory *m, double *size) {
    const int n = 3 * chebyshev_of(p->r)->n;
    p->stats->evaluations++, p->stats->jacobians++, p->stats->iterations++;
    if (!chebyshev_residual(p, m, true)) return TD_ERR_NOT_FINITE;
    if (!lu_factor(n, m->J, m->pivot)) return TD_ERR_SINGULAR;
    for (int i = 0; i < n; i++) m->step[i] = -m->residual[i];
    lu_solve(n, m->J, m->pivot, m->step);
    *size = largest(m->step, n);
    for (int i = 0; i < n; i++) m->x[i] += m->step[i] / p->r->length;
    return TD_OK;
}

static td_status finish(const rod_problem *p, chebyshev_memory *m, td_status status) {
    p->stats->evaluations++;
    if (!chebyshev_residual(p, m, false)) return TD_ERR_NOT_FINITE;
    p->stats->residual = largest(m->residual, 3 * chebyshev_of(p->r)->n);
    return status;
}

td_status chebyshev_newton(const rod_problem *p, chebyshev_memory *m, double farthest) {
    const double tolerance = p->options->tolerance;
    double last = HUGE_VAL, size;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        td_status status = correct(p, m, &size);
        if (status < 0) return status;
        if (!(size <= farthest)) return TD_ERR_NOT_CONVERGED;
        double shrunk = size / last;
        if (size <= tolerance) return finish(p, m, TD_OK);
        // Quadratic convergence: what is left is below size * shrunk.
        if (i > 0 && shrunk < 0.1 && size * shrunk <= 0.1 * tolerance) return finish(p, m, TD_OK);
        if (shrunk >= 1.0 && size <= LOOSE_FACTOR * tolerance) return finish(p, m, TD_LOOSE);
        last = size;
    }
    return TD_ERR_NOT_CONVERGED;
}
