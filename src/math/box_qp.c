// math/box_qp.c - see box_qp.h.
#include "math/box_qp.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/positive.h"

enum { MOST_ITERATIONS = 200, MOST_HALVES = 40 };
#define LITTLE 1e-13     // of the size of the terms of a gradient: it is none
#define SUFFICIENT 1e-4  // share of what is promised

size_t box_qp_doubles(int n) {
    return (size_t)n * (size_t)n + 5 * (size_t)n;
}

typedef struct room {
    double *A, *gradient, *step, *trial, *size, *held;
} room;

static double within(double x, double low, double high) {
    return fmin(fmax(x, low), high);
}

// H x + g, and how large its terms are.
static void find_gradient(int n, const double *H, const double *g, const double *x, room *w) {
    for (int i = 0; i < n; i++) {
        double sum = g[i], size = fabs(g[i]);
        for (int k = 0; k < n; k++) {
            sum += H[i * n + k] * x[k];
            size += fabs(H[i * n + k] * x[k]);
        }
        w->gradient[i] = sum, w->size[i] = size;
    }
}

// Held: at a bound that the gradient pushes it against. Is anything else left to do?
static bool find_held(int n, const double *low, const double *high, const double *x, room *w) {
    bool left = false;
    for (int i = 0; i < n; i++) {
        const double d = w->gradient[i];
        w->held[i] =
            low[i] >= high[i] || (x[i] <= low[i] && d >= 0.0) || (x[i] >= high[i] && d <= 0.0);
        left = left || (w->held[i] == 0.0 && fabs(d) > LITTLE * w->size[i]);
    }
    return left;
}

static bool find_step(int n, const double *H, room *w) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            w->A[i * n + k] = w->held[i] != 0.0 || w->held[k] != 0.0 ? i == k : H[i * n + k];
        w->step[i] = w->held[i] != 0.0 ? 0.0 : -w->gradient[i];
    }
    if (!positive_factor(n, w->A)) return false;
    positive_solve(n, w->A, w->step);
    return true;
}

// f(x + d) - f(x)
static double change(int n, const double *H, const double *x, const double *to, const room *w) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double row = 0.0;
        for (int k = 0; k < n; k++) row += H[i * n + k] * (to[k] - x[k]);
        sum += (to[i] - x[i]) * (w->gradient[i] + 0.5 * row);
    }
    return sum;
}

int box_qp(int n, const double *H, const double *g, const double *low, const double *high,
           double *x, double *scratch) {
    room w = {.A = scratch};
    w.gradient = w.A + (size_t)n * (size_t)n, w.step = w.gradient + n, w.trial = w.step + n;
    w.size = w.trial + n, w.held = w.size + n;
    for (int i = 0; i < n; i++) x[i] = within(x[i], low[i], high[i]);
    for (int it = 0; it < MOST_ITERATIONS; it++) {
        find_gradient(n, H, g, x, &w);
        if (!isfinite(dense_dot((size_t)n, w.gradient, w.gradient))) return -1;
        if (!find_held(n, low, high, x, &w)) return it;
        if (!find_step(n, H, &w)) return -1;
        double share = 1.0;
        for (int half = 0;; half++, share *= 0.5) {
            double promised = 0.0;
            for (int i = 0; i < n; i++) {
                w.trial[i] = within(x[i] + share * w.step[i], low[i], high[i]);
                promised += w.gradient[i] * (w.trial[i] - x[i]);
            }
            if (change(n, H, x, w.trial, &w) <= SUFFICIENT * promised) break;
            if (half == MOST_HALVES) return it;  // rounding: nothing is less
        }
        if (memcmp(x, w.trial, sizeof *x * (size_t)n) == 0) return it;
        memcpy(x, w.trial, sizeof *x * (size_t)n);
    }
    return MOST_ITERATIONS;
}
