// papers/till2019/schemes.h - the time schemes that section 3 compares, in its order.
#pragma once

#include "rods.h"

enum { BACKWARD_EULER, BDF2, ALPHA_20, ALPHA_48, TRAPEZOIDAL, BDF3, N_SCHEMES };

typedef struct time_scheme {
    const char *name;
    td_scheme scheme;
    double alpha;
} time_scheme;

static const time_scheme time_schemes[N_SCHEMES] = {
    {"backward Euler", TD_BACKWARD_EULER, 0.0}, {"BDF2", TD_BDF2, 0.0},
    {"alpha = -0.2", TD_BDF_ALPHA, -0.2},       {"alpha = -0.48", TD_BDF_ALPHA, -0.48},
    {"trapezoidal", TD_TRAPEZOIDAL, 0.0},       {"BDF3", TD_BDF3, 0.0},
};

// A method as printed: 150 nodes, linear interpolation of the history, and a start at rest.
static inline method printed_method(td_theory theory, td_integrator integrator, int scheme) {
    return (method){.theory = theory,
                    .integrator = integrator,
                    .history = TD_LINEAR,
                    .scheme = time_schemes[scheme].scheme,
                    .alpha = time_schemes[scheme].alpha,
                    .nodes = 150,
                    .startup = TD_REST_HISTORY,
                    .solver = TD_NEWTON};
}
