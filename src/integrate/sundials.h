// integrate/sundials.h - steps chosen by tolerance: ARKODE's Dormand-Prince 5(4), CVODE's BDF. The
// only door to SUNDIALS, which allocates when an integrator is made, and not after.
#pragma once

#include <stdbool.h>

#include "base/interrupt.h"

// y' = f(t, y); false: cannot be computed there, a shorter step may do.
typedef bool integrator_rates(void *context, double t, const double *y, double *y_t);

// df/dy, where y' is y_t, into J (n x n, by columns, all 0 before). Nearly is enough.
typedef bool integrator_slopes(void *context, double t, const double *y, const double *y_t,
                               double *J);

typedef enum integrator_end {
    INTEGRATOR_ARRIVED,
    INTEGRATOR_GAVE_UP,
    INTEGRATOR_TOO_LONG,  // its work is bounded, so that a step comes back
    INTEGRATOR_INTERRUPTED
} integrator_end;

typedef struct sun_integrator {  // all 0: there is none
    void *sun, *solver, *vector, *matrix, *linear;
    bool is_explicit;
    int n, sums, band;
    integrator_rates *rates;
    integrator_slopes *slopes;  // NULL: by differences
    void *context;
    double solve_work;  // of one solution with the matrix
    double work;        // of the call that runs, in multiplications, about
    interrupt interrupt;
    integrator_end end;
} sun_integrator;

bool integrator_exists(void);  // is SUNDIALS in this build?
// The last `sums` of y depend on all and matter to none. band: no other y'_k depends on a y further
// away than this; 0: any may. False: out of memory; integrator_free is then due all the same.
bool integrator_make(sun_integrator *i, int n, int sums, int band, bool is_explicit,
                     double relative, double absolute, integrator_rates *rates, void *context);
// BDF with a matrix that is given; band must be 0.
bool integrator_give_slopes(sun_integrator *i, integrator_slopes *slopes);
void integrator_free(sun_integrator *i);
double *integrator_vector(const sun_integrator *i);  // (n) y

// For rates and slopes: what they take, in multiplications, about. The same work ends a call on
// any machine.
static inline void integrator_spend(sun_integrator *i, double work) {
    i->work += work;
}

typedef struct integrator_report {
    double last;     // s, the inner step it would take next; 0: not known
    double reached;  // s
    int steps;
    int flag;  // of SUNDIALS
    integrator_end end;
} integrator_report;
// y from 0 to dt, without memory of what was before; first: s, an inner step to begin with; 0: its
// own choice.
integrator_report integrator_advance(sun_integrator *i, double dt, double first, interrupt ask);
