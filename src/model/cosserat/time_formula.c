// model/cosserat/time_formula.c - see time_formula.h.
#include "model/cosserat/time_formula.h"

// Zero-stability of variable-step BDF2 holds while steps grow by less than 1 + sqrt 2, of BDF3 by
// less than about 1.5; where they grow more, that step takes the trapezoidal rule, or BDF2.
#define BDF2_MAX_GROWTH 2.4
#define BDF3_MAX_GROWTH 1.4

static time_formula backward_euler(double dt) {
    return (time_formula){.c0 = 1.0 / dt, .c = {-1.0 / dt}};
}

static time_formula trapezoidal(double dt) {
    return (time_formula){.c0 = 2.0 / dt, .c = {-2.0 / dt}, .d1 = -1.0};
}

// BDF-alpha (Celaya & Anza 2013) with the given weight d1 of the old rate: the three c follow from
// exactness for 1, t and t^2 with y2 at distance `past` behind y1. alpha = 0 is BDF2, -0.5 the
// trapezoidal rule. On an even grid these are Till 2019's c0, c1, c2.
static time_formula bdf_alpha(double alpha, double dt, double past) {
    double d1 = alpha / (1.0 + alpha), far = dt + past;
    double c2 = dt * (1.0 + d1) / (far * past);
    double c1 = ((d1 - 1.0) - c2 * far) / dt;
    return (time_formula){.c0 = -(c1 + c2), .c = {c1, c2}, .d1 = d1};
}

// The derivative at 0 of the cubic through 0, -a, -b, -c (Lagrange).
static time_formula bdf3(double dt, const double past[2]) {
    double a = dt, b = a + past[0], c = b + past[1];
    return (time_formula){.c0 = 1.0 / a + 1.0 / b + 1.0 / c,
                          .c = {-b * c / (a * (b - a) * (c - a)), a * c / (b * (b - a) * (c - b)),
                                -a * b / (c * (c - a) * (c - b))}};
}

time_formula time_formula_make(td_scheme scheme, double alpha, double dt, const double past[2],
                               int levels) {
    if (scheme == TD_BACKWARD_EULER) return backward_euler(dt);
    if (scheme == TD_TRAPEZOIDAL) return trapezoidal(dt);
    bool two = levels >= 2 && dt <= BDF2_MAX_GROWTH * past[0];
    if (!two) return trapezoidal(dt);
    bool three =
        levels >= 3 && dt <= BDF3_MAX_GROWTH * past[0] && past[0] <= BDF3_MAX_GROWTH * past[1];
    if (scheme == TD_BDF3 && three) return bdf3(dt, past);
    return bdf_alpha(scheme == TD_BDF_ALPHA ? alpha : 0.0, dt, past[0]);
}
