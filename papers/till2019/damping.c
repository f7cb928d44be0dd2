// papers/till2019/damping.c - see damping.h.
#include "damping.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/terminal.h"

#define NONE ((double)NAN)
static const double complex i1 = (double complex)_Complex_I;

// ---------------------------------------------------------------- the release
// True: the run is over.
static bool take_step(simulation *s, decay *d, const decay_limits *limits) {
    td_status status = td_advance(s->system, s->state, d->dt);
    if (status < 0) {
        snprintf(d->message, sizeof d->message, "%s", td_message(s->state));
        return true;
    }
    d->n++;
    d->energy[d->n] = simulation_energy(s);
    bool fell_back = td_get_stats(s->state)->fallbacks > 0;
    d->fallbacks += fell_back;
    if (fell_back && limits->plain_newton) {
        snprintf(d->message, sizeof d->message, "plain Newton failed at step %ld", d->n);
        return true;
    }
    bool grew =
        limits->most_energy > 0.0 && !(d->energy[d->n] <= limits->most_energy * d->energy[0]);
    if (grew) snprintf(d->message, sizeof d->message, "the energy grew, by step %ld", d->n);
    return grew;
}

bool decay_run(decay *d, const method *m, double dt, double horizon, const decay_limits *limits) {
    const long n = lround(horizon / dt);
    const cantilever rod = till_benchmark();
    td_error err = {0};
    simulation s;
    *d = (decay){.dt = dt};
    d->energy = malloc(sizeof *d->energy * (size_t)(n + 1));
    if (!d->energy) {
        snprintf(d->message, sizeof d->message, "out of memory");
        return false;
    }
    if (!simulation_open(&s, &rod, m, FROM_EQUILIBRIUM, &err)) {
        snprintf(d->message, sizeof d->message, "%s", err.message);
        return false;
    }
    d->energy[0] = simulation_energy(&s);
    double started = processor_time();
    bool over = false;
    while (!over && d->n < n) over = take_step(&s, d, limits);
    d->seconds = processor_time() - started;
    d->completed = !over;
    simulation_close(&s);
    return true;
}

void decay_free(decay *d) {
    free(d->energy);
    *d = (decay){0};
}

// ---------------------------------------------------------------- the fit
// Sums of the least squares problem for E = a exp(-k t), everything relative to E[0] and the
// whole time: residual square, gradient and Gauss-Newton matrix.
typedef struct normal_sums {
    double square, g0, g1, m00, m01, m11;
} normal_sums;

static normal_sums sums_at(const double *energy, long n, double a, double k) {
    normal_sums s = {0};
    for (long i = 0; i <= n; i++) {
        double t = (double)i / (double)n, e = exp(-k * t), slope = -a * t * e;
        double rest = energy[i] / energy[0] - a * e;
        s.square += rest * rest;
        s.g0 += e * rest;
        s.g1 += slope * rest;
        s.m00 += e * e;
        s.m01 += e * slope;
        s.m11 += slope * slope;
    }
    return s;
}

double fitted_time_constant(const double *energy, long n, double dt) {
    if (n < 2 || !(energy[0] > 0.0) || !(energy[n] > 0.0)) return NONE;
    double a = 1.0, k = log(energy[0] / energy[n]), damping = 1e-3;
    normal_sums s = sums_at(energy, n, a, k);
    for (int i = 0; i < 200 && damping < 1e12; i++) {  // Levenberg-Marquardt
        double m00 = s.m00 * (1.0 + damping), m11 = s.m11 * (1.0 + damping);
        double det = m00 * m11 - s.m01 * s.m01;
        double da = (s.g0 * m11 - s.g1 * s.m01) / det, dk = (m00 * s.g1 - s.m01 * s.g0) / det;
        normal_sums next = sums_at(energy, n, a + da, k + dk);
        if (next.square <= s.square) {
            a += da, k += dk, s = next;
            damping *= 0.1;
            if (fabs(dk) <= 1e-13 * fabs(k) + 1e-15) break;
        } else {
            damping *= 10.0;
        }
    }
    double tau = 2.0 * (double)n * dt / k;
    return isfinite(tau) ? tau : NONE;
}

// ---------------------------------------------------------------- one mode, in theory
// Till 2019 (5) with y_t = i omega y, times dt:
//     (c0 - i w) z^3 + (c1 + i w d1) z^2 + c2 z + c3 = 0,    w = omega dt
static void amplification(td_scheme scheme, double alpha, double w, double complex p[4]) {
    double c[4] = {0.0}, d1 = 0.0;
    switch (scheme) {
    case TD_BACKWARD_EULER: c[0] = 1.0, c[1] = -1.0; break;
    case TD_TRAPEZOIDAL: c[0] = 2.0, c[1] = -2.0, d1 = -1.0; break;
    case TD_BDF3: c[0] = 11.0 / 6.0, c[1] = -3.0, c[2] = 1.5, c[3] = -1.0 / 3.0; break;
    case TD_BDF2:
    case TD_BDF_ALPHA:
        if (scheme == TD_BDF2) alpha = 0.0;
        c[0] = (1.5 + alpha) / (1.0 + alpha);
        c[1] = -2.0;
        c[2] = (0.5 + alpha) / (1.0 + alpha);
        d1 = alpha / (1.0 + alpha);
        break;
    case TD_SDIRK2: break;  // not a multistep formula, and not in the paper
    }
    p[0] = c[0] - i1 * w;
    p[1] = c[1] + i1 * (w * d1);
    p[2] = c[2];
    p[3] = c[3];
}

static double largest_of_quadratic(const double complex p[3]) {
    double complex root = csqrt(p[1] * p[1] - 4.0 * p[0] * p[2]);
    return fmax(cabs(-p[1] + root), cabs(-p[1] - root)) / (2.0 * cabs(p[0]));
}

// The largest root of a cubic, all three found at once (Durand and Kerner).
static double largest_root(const double complex p[4]) {
    if (p[3] == 0.0) return largest_of_quadratic(p);
    double complex z[3] = {1.0, 0.4 + 0.9 * i1, -0.65 + 0.72 * i1};
    for (int i = 0; i < 500; i++) {
        double moved = 0.0;
        for (int k = 0; k < 3; k++) {
            double complex value = ((p[0] * z[k] + p[1]) * z[k] + p[2]) * z[k] + p[3];
            double complex others = (z[k] - z[(k + 1) % 3]) * (z[k] - z[(k + 2) % 3]);
            double complex step = value / (p[0] * others);
            z[k] -= step;
            moved = fmax(moved, cabs(step));
        }
        if (moved < 1e-15) break;
    }
    return fmax(cabs(z[0]), fmax(cabs(z[1]), cabs(z[2])));
}

double single_mode_time_constant(td_scheme scheme, double alpha, double omega, double dt) {
    if (scheme == TD_SDIRK2) return NONE;
    double complex p[4];
    amplification(scheme, alpha, omega * dt, p);
    double size = log(largest_root(p));
    return fabs(size) < 1e-13 ? HUGE_VAL : -dt / size;
}

// On |z| = 1 the real part of BDF3's formula is (1 - c)^2 (1 - 4 c)/3 with c = cos(arg z). It
// vanishes at c = 1/4, where the imaginary part, omega dt, is 2 sin(arg z).
double bdf3_limit(void) {
    return sqrt(15.0) / 2.0;
}
