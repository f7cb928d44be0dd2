// papers/till2019/damping.h - the numerical damping of section 3: measured, and in theory.
#pragma once

#include "rods.h"

// ---------------------------------------------------------------- the release
// The energy of the undamped benchmark rod after its tip is let go. Till 2019 section 3.
typedef struct decay {
    double dt;          // s
    double *energy;     // J, (n + 1) from t = 0 on
    long n;             // steps taken
    double seconds;     // of computing, for these steps
    bool completed;     // the horizon was reached
    long fallbacks;     // steps at which plain Newton was not enough
    char message[512];  // why not completed
} decay;

// What ends a run before its horizon.
typedef struct decay_limits {
    double most_energy;  // relative to the start; 0: none
    bool plain_newton;   // the first fallback ends it; with a solver of the paper, what comes after
                         // that solver
} decay_limits;

// False: out of memory, or no start; message says why. decay_free may follow in any case.
bool decay_run(decay *d, const method *m, double dt, double horizon, const decay_limits *limits);
void decay_free(decay *d);

// ---------------------------------------------------------------- the time constant
// tau of E0 exp(-2 t/tau), both found by least squares over all samples, as MATLAB's fit does.
// NAN when it cannot be told.
double fitted_time_constant(const double *energy, long n, double dt);

// tau = -dt/ln|z| of y_t = i omega y under the time formula: z is its largest root. Negative: the
// formula is unstable there. HUGE_VAL: it conserves. NAN for SDIRK2, which is not such a formula.
double single_mode_time_constant(td_scheme scheme, double alpha, double omega, double dt);
// The omega dt below which BDF3 makes an undamped oscillation grow.
double bdf3_limit(void);
