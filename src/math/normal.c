// math/normal.c - see normal.h.
#include "math/normal.h"

#include <math.h>

#include "math/pi.h"

double normal_below(double x) {
    return 0.5 * erfc(-x / sqrt(2.0));
}

// Of the lower tail, p <= 0.5: Abramowitz & Stegun 26.2.23, good to 4.5e-4, then Halley's method on the
// logarithm of P(X < x), whose slope does not vanish in the tail.
static double lower(double p) {
    const double t = sqrt(-2.0 * log(p));
    double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
               t;
    for (int i = 0; i < 3; i++) {
        const double below = normal_below(x);
        const double slope = exp(-0.5 * x * x) / sqrt(2.0 * PI) / below;
        const double error = (log(below) - log(p)) / slope;  // Newton's correction
        x -= error / (1.0 + 0.5 * error * (x + slope));      // (ln P)''/(ln P)' = -x - (ln P)'
    }
    return x;
}

double normal_quantile(double p) {
    return p <= 0.5 ? lower(p) : -lower(1.0 - p);
}
