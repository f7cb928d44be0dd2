// tests/truth_rod.h - one rod in the form of Till 2019 (7): the internal wrench is a state and the
// strain follows from it, with the pressure loads of (18). Boundary conditions are the caller's.
// Used by the platform of section 5.1 and the finger of 5.3; independent of the library.
#pragma once

#include "truth_math.h"

// State: p h n m q w (n and m in the world frame), then the volume of the chamber.
enum {
    TRUTH_BAR_N = 7,
    TRUTH_BAR_M = 10,
    TRUTH_BAR_Q = 13,
    TRUTH_BAR_W = 16,
    TRUTH_BAR_V = 19,
    TRUTH_BAR_STATE = 20
};

typedef struct truth_bar {
    truth_rod rod;
    double area, offset[3];  // of a chamber; area 0: none
    double pressure;         // Pa above the atmosphere
    bool work_volume;        // count A e3 . (v + u x r), not A |v + u x r| as in the paper
    double feed_rate;        // m/s: pushed out of its base, see truth_bar_feed
    int nodes;
    truth_history history;  // e u q w at the nodes
    double *y;              // (nodes x state)
} truth_bar;

// e = v - (0, 0, 1) and u from the wrench in the body frame, and their rates.
static inline void truth_bar_strain(const truth_bar *bar, int at, const double *y,
                                    const double R[9], double strain[6], double rate[6]) {
    const truth_rod *rod = &bar->rod;
    const double *history = bar->history.sum + 12 * at;
    double c0 = bar->history.formula.c0, n[3], m[3];
    truth_mul_t(R, y + TRUTH_BAR_N, n);
    truth_mul_t(R, y + TRUTH_BAR_M, m);
    for (int i = 0; i < 3; i++) {
        strain[i] = (n[i] - rod->Bse[i] * history[i]) / (rod->Kse[i] + c0 * rod->Bse[i]);
        strain[3 + i] = (m[i] - rod->Bbt[i] * history[3 + i]) / (rod->Kbt[i] + c0 * rod->Bbt[i]);
    }
    truth_rate(&bar->history, at, 0, 6, strain, rate);
}

// -f_P and -l_P of (18), body frame, added to what stands on the right of n_s and m_s; the volume.
static inline double truth_bar_pressure(const truth_bar *bar, const double v[3], const double u[3],
                                        double force[3], double moment[3]) {
    const double e3[3] = {0.0, 0.0, 1.0}, pa = bar->pressure * bar->area;
    double g[3], turn[3], a[3], b[3];
    truth_cross(u, bar->offset, g);
    for (int i = 0; i < 3; i++) g[i] += v[i];
    truth_cross(u, e3, turn);
    truth_cross(g, e3, a);
    truth_cross(bar->offset, turn, b);
    for (int i = 0; i < 3; i++) force[i] += pa * turn[i], moment[i] += pa * (a[i] + b[i]);
    return bar->area * (bar->work_volume ? g[2] : sqrt(truth_dot(g, g)));
}

static inline void truth_bar_slope(void *problem, int at, const double *y, double *dy) {
    const truth_bar *bar = problem;
    double R[9], strain[6], rate[6], velocity_rate[6], n[3], force[3], moment[3], c[3];
    truth_rotation(y + 3, R);
    truth_bar_strain(bar, at, y, R, strain, rate);
    truth_rate(&bar->history, at, 6, 6, y + TRUTH_BAR_Q, velocity_rate);
    double v[3] = {strain[0], strain[1], strain[2] + 1.0};
    const double *u = strain + 3;
    truth_inertia(&bar->rod, R, y + TRUTH_BAR_Q, y + TRUTH_BAR_W, velocity_rate, velocity_rate + 3,
                  force, moment);
    dy[TRUTH_BAR_V] = truth_bar_pressure(bar, v, u, force, moment);
    truth_mul_t(R, y + TRUTH_BAR_N, n);
    truth_cross(v, n, c);
    for (int i = 0; i < 3; i++) moment[i] -= c[i];
    truth_mul(R, v, dy);
    truth_quaternion_rate(y + 3, u, dy + 3);
    truth_mul(R, force, dy + TRUTH_BAR_N);
    truth_mul(R, moment, dy + TRUTH_BAR_M);
    truth_velocity_slope(v, u, y + TRUTH_BAR_Q, y + TRUTH_BAR_W, rate, rate + 3, dy + TRUTH_BAR_Q,
                         dy + TRUTH_BAR_W);
}

static inline void truth_bar_make(truth_bar *bar, int nodes, bool cubic) {
    bar->nodes = nodes;
    truth_history_make(&bar->history, nodes, 12, cubic);
    bar->y = calloc((size_t)nodes * TRUTH_BAR_STATE, sizeof(double));
    bar->y[3] = 1.0;
}

static inline void truth_bar_free(truth_bar *bar) {
    truth_history_free(&bar->history);
    free(bar->y);
}

static inline const double *truth_bar_tip(const truth_bar *bar) {
    return bar->y + (bar->nodes - 1) * TRUTH_BAR_STATE;
}

// From the state at node 0 to the tip. What leaves the base moves on along the rod: its position by
// L_t v, its frame by L_t u.
static inline void truth_bar_shoot(truth_bar *bar) {
    double R[9], strain[6], rate[6];
    truth_rotation(bar->y + 3, R);
    truth_bar_strain(bar, 0, bar->y, R, strain, rate);
    for (int i = 0; i < 3; i++) {
        bar->y[TRUTH_BAR_Q + i] = bar->feed_rate * (strain[i] + (i == 2));
        bar->y[TRUTH_BAR_W + i] = bar->feed_rate * strain[3 + i];
    }
    truth_rk4(truth_bar_slope, bar, TRUTH_BAR_STATE, 0, bar->nodes - 1,
              bar->rod.length / (bar->nodes - 1), bar->y);
}

static inline void truth_bar_fields(const truth_bar *bar, int node, double out[12]) {
    const double *y = bar->y + node * TRUTH_BAR_STATE;
    double R[9], rate[6];
    truth_rotation(y + 3, R);
    truth_bar_strain(bar, 2 * node, y, R, out, rate);
    memcpy(out + 6, y + TRUTH_BAR_Q, 6 * sizeof(double));
}

// Equilibrium reached: it becomes the past.
static inline void truth_bar_rest(truth_bar *bar) {
    for (int j = 0; j < bar->nodes; j++) truth_bar_fields(bar, j, bar->history.now + 12 * j);
    truth_history_rest(&bar->history);
}

static inline void truth_bar_accept(truth_bar *bar) {
    double fresh[12];
    for (int j = 0; j < bar->nodes; j++) {
        truth_bar_fields(bar, j, fresh);
        truth_history_accept(&bar->history, j, fresh);
    }
}

// The rod is pushed out to a new length, at a rate. Its points are counted from the tip, so the
// past is wanted where the material of each node was: at 1 - (1 - x) new/old of the old length,
// through four nodes by cubics, and smoothly on beyond the base for what was still inside.
static inline void truth_bar_feed(truth_bar *bar, double length, double rate) {
    truth_history *h = &bar->history;
    int n = h->nodes, f = h->fields;
    double *old = malloc(sizeof(double) * (size_t)(3 * n * f));
    memcpy(old, h->now, sizeof(double) * (size_t)(3 * n * f));
    for (int j = 0; j < n; j++) {
        double x = n - 1 - (n - 1 - j) * length / bar->rod.length, w[4];
        int first = (int)fmin(fmax(floor(x) - 1.0, 0.0), n - 4.0);
        for (int a = 0; a < 4; a++) {
            w[a] = 1.0;
            for (int b = 0; b < 4; b++)
                if (b != a) w[a] *= (x - first - b) / (a - b);
        }
        for (int i = 0; i < 3 * f; i++) {  // now, past and rate
            const double *from = old + (i / f) * n * f + first * f + i % f;
            h->now[(i / f) * n * f + j * f + i % f] =
                w[0] * from[0] + w[1] * from[f] + w[2] * from[2 * f] + w[3] * from[3 * f];
        }
    }
    free(old);
    bar->rod.length = length;
    bar->feed_rate = rate;
}
