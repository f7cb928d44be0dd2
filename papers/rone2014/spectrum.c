// papers/rone2014/spectrum.c - see spectrum.h.
#include "spectrum.h"
#include "math/pi.h"

#include <math.h>

void spectrum_of(const double *x, int n, double *out, int bins) {
    double mean = 0.0;
    for (int k = 0; k < n; k++) mean += x[k] / n;
    for (int b = 0; b < bins; b++) {
        double re = 0.0, im = 0.0;
        for (int k = 0; k < n; k++) {
            re += (x[k] - mean) * cos(2.0 * PI * b * k / n);
            im -= (x[k] - mean) * sin(2.0 * PI * b * k / n);
        }
        out[b] = 2.0 * hypot(re, im) / n;
    }
}

static double windowed(const double *x, int n, double dt, double f) {
    double mean = 0.0, re = 0.0, im = 0.0;
    for (int k = 0; k < n; k++) mean += x[k] / n;
    for (int k = 0; k < n; k++) {
        double w = (x[k] - mean) * (1.0 - cos(2.0 * PI * (k + 0.5) / n));
        re += w * cos(2.0 * PI * f * dt * k);
        im -= w * sin(2.0 * PI * f * dt * k);
    }
    return hypot(re, im);
}

double peak_between(const double *x, int n, double dt, double low, double high) {
    const double ratio = 0.61803398874989485;
    double a = high - ratio * (high - low), b = low + ratio * (high - low);
    double fa = windowed(x, n, dt, a), fb = windowed(x, n, dt, b);
    while (high - low > 1e-6) {
        if (fa > fb) {
            high = b, b = a, fb = fa;
            a = high - ratio * (high - low), fa = windowed(x, n, dt, a);
        } else {
            low = a, a = b, fa = fb;
            b = low + ratio * (high - low), fb = windowed(x, n, dt, b);
        }
    }
    return 0.5 * (low + high);
}
