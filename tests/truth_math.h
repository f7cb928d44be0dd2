// tests/truth_math.h - what the independent reference solvers share: three-vectors, quaternions as
// in Till 2019 (9), (10), a dense solve, time formulas with their history along a rod, Runge-Kutta
// steps and a solver of nonlinear equations. Nothing here comes from the library under test.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cminpack.h>

enum { TRUTH_UNKNOWNS = 64, TRUTH_STATE = 32 };  // most of each

// ---------------------------------------------------------------- vectors, rotations
static inline void truth_cross(const double a[3], const double b[3], double out[3]) {
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y;
}

// out += a x b
static inline void truth_add_cross(const double a[3], const double b[3], double out[3]) {
    double c[3];
    truth_cross(a, b, c);
    for (int i = 0; i < 3; i++) out[i] += c[i];
}

static inline double truth_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void truth_mul(const double R[9], const double a[3], double out[3]) {  // R a
    double c[3];
    for (int i = 0; i < 3; i++) c[i] = truth_dot(R + 3 * i, a);
    memcpy(out, c, sizeof c);
}

static inline void truth_mul_t(const double R[9], const double a[3], double out[3]) {  // R' a
    double c[3];
    for (int i = 0; i < 3; i++) c[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
    memcpy(out, c, sizeof c);
}

// Till 2019 (9): the rotation of a quaternion of any length.
static inline void truth_rotation(const double h[4], double R[9]) {
    double k = 2.0 / (h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3]);
    R[0] = 1.0 - k * (h[2] * h[2] + h[3] * h[3]), R[4] = 1.0 - k * (h[1] * h[1] + h[3] * h[3]);
    R[8] = 1.0 - k * (h[1] * h[1] + h[2] * h[2]);
    R[1] = k * (h[1] * h[2] - h[3] * h[0]), R[3] = k * (h[1] * h[2] + h[3] * h[0]);
    R[2] = k * (h[1] * h[3] + h[2] * h[0]), R[6] = k * (h[1] * h[3] - h[2] * h[0]);
    R[5] = k * (h[2] * h[3] - h[1] * h[0]), R[7] = k * (h[2] * h[3] + h[1] * h[0]);
}

// Till 2019 (10)
static inline void truth_quaternion_rate(const double h[4], const double u[3], double out[4]) {
    out[0] = -0.5 * truth_dot(h + 1, u);
    for (int i = 0; i < 3; i++) out[1 + i] = 0.5 * h[0] * u[i];
    double c[3];
    truth_cross(h + 1, u, c);
    for (int i = 0; i < 3; i++) out[1 + i] += 0.5 * c[i];
}

static inline void truth_exponential(const double k[3], double h[4]) {  // rotation vector -> h
    double angle = sqrt(truth_dot(k, k));
    double c = angle > 1e-9 ? sin(0.5 * angle) / angle : 0.5;
    h[0] = cos(0.5 * angle);
    for (int i = 0; i < 3; i++) h[1 + i] = c * k[i];
}

// Solves a x = b by elimination with row pivoting; a and b are overwritten, x is left in b.
static inline void truth_eliminate(int n, double *a, double *b) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        for (int j = 0; j < n; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[pivot * n + j], a[pivot * n + j] = t;
        }
        double t = b[k];
        b[k] = b[pivot], b[pivot] = t;
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

// ---------------------------------------------------------------- nonlinear equations
typedef void truth_residual(void *problem, int n, const double *x, double *r);

typedef struct truth_problem {
    truth_residual *residual;
    void *problem;
} truth_problem;

static inline int truth_cminpack(void *p, int n, const double *x, double *r, int flag) {
    (void)flag;
    const truth_problem *t = p;
    t->residual(t->problem, n, x, r);
    return 0;
}

static inline double truth_largest(int n, const double *r) {
    double m = 0.0;
    for (int i = 0; i < n; i++) m = fmax(m, isfinite(r[i]) ? fabs(r[i]) : HUGE_VAL);
    return m;
}

// One Newton correction with forward differences; x changes only when it gets better.
static inline double truth_polish(const truth_problem *t, int n, double *x, double before) {
    double a[TRUTH_UNKNOWNS * TRUTH_UNKNOWNS], r[TRUTH_UNKNOWNS], y[TRUTH_UNKNOWNS];
    double b[TRUTH_UNKNOWNS];
    t->residual(t->problem, n, x, b);
    memcpy(y, x, sizeof(double) * (size_t)n);
    for (int j = 0; j < n; j++) {
        double step = 1e-7 * fmax(1.0, fabs(x[j]));
        y[j] = x[j] + step;
        t->residual(t->problem, n, y, r);
        y[j] = x[j];
        for (int i = 0; i < n; i++) a[i * n + j] = (r[i] - b[i]) / step;
    }
    truth_eliminate(n, a, b);
    for (int j = 0; j < n; j++) y[j] = x[j] - b[j];
    t->residual(t->problem, n, y, r);
    double after = truth_largest(n, r);
    if (after >= before) return before;
    memcpy(x, y, sizeof(double) * (size_t)n);
    return after;
}

// Powell's dogleg, then corrections as long as they gain. Everything of order one. Returns the
// largest residual; the problem was last evaluated at the x returned.
static inline double truth_solve(truth_residual *residual, void *problem, int n, double *x) {
    truth_problem t = {residual, problem};
    double r[TRUTH_UNKNOWNS];
    residual(problem, n, x, r);
    double size = truth_largest(n, r);
    for (int i = 0; i < 3 && size > 1e-12 && size < 1e-3; i++) size = truth_polish(&t, n, x, size);
    if (size > 1e-9) {
        int m = TRUTH_UNKNOWNS, evaluations, lr = n * (n + 1) / 2;
        double diag[TRUTH_UNKNOWNS],
            *w = malloc(sizeof *w * (size_t)(m * m + m * (m + 1) / 2 + 5 * m));
        for (int i = 0; i < n; i++) diag[i] = 1.0;
        double *q = w + m * m, *v = q + m * (m + 1) / 2;
        hybrd(truth_cminpack, &t, n, x, r, 1e-13, 4000, n - 1, n - 1, 0.0, diag, 2, 1.0, 0,
              &evaluations, w, n, q, lr, v, v + m, v + 2 * m, v + 3 * m, v + 4 * m);
        free(w);
        size = truth_largest(n, r);
    }
    for (int i = 0; i < 6 && size > 1e-14; i++) {
        double better = truth_polish(&t, n, x, size);
        if (better > 0.3 * size) break;
        size = better;
    }
    residual(problem, n, x, r);
    return truth_largest(n, r);
}

// ---------------------------------------------------------------- time
// y_t = c0 y + c1 y1 + c2 y2 + d1 y_t1; all zero: statics.
typedef struct truth_formula {
    double c0, c1, c2, d1;
} truth_formula;

static inline truth_formula truth_bdf_alpha(double alpha, double dt) {
    double k = 1.0 / (dt * (1.0 + alpha));
    return (truth_formula){k * (1.5 + alpha), -2.0 / dt, k * (0.5 + alpha), alpha / (1.0 + alpha)};
}

// The past of `fields` numbers at every node. Between nodes it is interpolated: linearly, as in
// Till 2019, which leaves second order along the rod, or by cubics.
typedef struct truth_history {
    int nodes, fields;
    bool cubic;
    truth_formula formula;
    double *now, *past, *rate;  // (nodes x fields)
    double *sum;                // (2 nodes - 1 x fields), also at mid-steps
} truth_history;

static inline void truth_history_make(truth_history *h, int nodes, int fields, bool cubic) {
    size_t n = (size_t)(nodes * fields);
    *h = (truth_history){.nodes = nodes, .fields = fields, .cubic = cubic};
    h->now = calloc(5 * n, sizeof(double));
    h->past = h->now + n, h->rate = h->now + 2 * n, h->sum = h->now + 3 * n;
}

static inline void truth_history_free(truth_history *h) {
    free(h->now);
}

// y(-1) = y(0), y_t(0) = 0
static inline void truth_history_rest(truth_history *h) {
    size_t n = (size_t)(h->nodes * h->fields);
    memcpy(h->past, h->now, sizeof(double) * n);
    memset(h->rate, 0, sizeof(double) * n);
}

static inline double truth_midpoint(const truth_history *h, int j, int k) {
    const double *s = h->sum + k;
    int f = 2 * h->fields, last = h->nodes - 1;
    if (!h->cubic || last < 3) return 0.5 * (s[j * f] + s[(j + 1) * f]);
    if (j == 0) return (5.0 * s[0] + 15.0 * s[f] - 5.0 * s[2 * f] + s[3 * f]) / 16.0;
    if (j == last - 1)
        return (s[(j - 2) * f] - 5.0 * s[(j - 1) * f] + 15.0 * s[j * f] + 5.0 * s[last * f]) / 16.0;
    return (9.0 * (s[j * f] + s[(j + 1) * f]) - s[(j - 1) * f] - s[(j + 2) * f]) / 16.0;
}

static inline void truth_history_begin(truth_history *h, truth_formula formula) {
    int f = h->fields;
    h->formula = formula;
    for (int j = 0; j < h->nodes; j++)
        for (int k = 0; k < f; k++) {
            int i = j * f + k;
            h->sum[2 * j * f + k] =
                formula.c1 * h->now[i] + formula.c2 * h->past[i] + formula.d1 * h->rate[i];
        }
    for (int j = 0; j + 1 < h->nodes; j++)
        for (int k = 0; k < f; k++) h->sum[(2 * j + 1) * f + k] = truth_midpoint(h, j, k);
}

// The values at one node at the end of a step that was accepted.
static inline void truth_history_accept(truth_history *h, int node, const double *fresh) {
    for (int k = 0; k < h->fields; k++) {
        int i = node * h->fields + k;
        h->rate[i] = h->formula.c0 * fresh[k] + h->sum[2 * node * h->fields + k];
        h->past[i] = h->now[i], h->now[i] = fresh[k];
    }
}

// rate[k] = c0 y[k] + history, at half-step `at`
static inline void truth_rate(const truth_history *h, int at, int first, int n, const double *y,
                              double *rate) {
    const double *sum = h->sum + at * h->fields + first;
    for (int k = 0; k < n; k++) rate[k] = h->formula.c0 * y[k] + sum[k];
}

// ---------------------------------------------------------------- space
// dy/ds at half-step `at` (arc length at * ds/2)
typedef void truth_slope(void *problem, int at, const double *y, double *dy);

// From node `first` to node `last`: y is (nodes x n).
static inline void truth_rk4(truth_slope *slope, void *problem, int n, int first, int last,
                             double ds, double *y) {
    double k1[TRUTH_STATE], k2[TRUTH_STATE], k3[TRUTH_STATE], k4[TRUTH_STATE], t[TRUTH_STATE];
    for (int j = first; j < last; j++) {
        const double *now = y + j * n;
        slope(problem, 2 * j, now, k1);
        for (int i = 0; i < n; i++) t[i] = now[i] + 0.5 * ds * k1[i];
        slope(problem, 2 * j + 1, t, k2);
        for (int i = 0; i < n; i++) t[i] = now[i] + 0.5 * ds * k2[i];
        slope(problem, 2 * j + 1, t, k3);
        for (int i = 0; i < n; i++) t[i] = now[i] + ds * k3[i];
        slope(problem, 2 * j + 2, t, k4);
        double *next = y + (j + 1) * n;
        for (int i = 0; i < n; i++)
            next[i] = now[i] + ds / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
    }
}

static inline void truth_euler(truth_slope *slope, void *problem, int n, int first, int last,
                               double ds, double *y) {
    double k[TRUTH_STATE];
    for (int j = first; j < last; j++) {
        slope(problem, 2 * j, y + j * n, k);
        for (int i = 0; i < n; i++) y[(j + 1) * n + i] = y[j * n + i] + ds * k[i];
    }
}

// ---------------------------------------------------------------- rods
typedef struct truth_rod {  // uniform, straight at rest; (x, y, z) of the section
    double length;
    double Kse[3], Kbt[3];    // N; N m^2
    double Bse[3], Bbt[3];    // N s; N m^2 s
    double drag[3];           // kg/m^2
    double mass, inertia[3];  // rho A, rho J
    double gravity[3];
} truth_rod;

static inline truth_rod truth_round_rod(double length, double radius, double E, double G,
                                        double rho) {
    double area = acos(-1.0) * radius * radius, I = 0.25 * area * radius * radius;
    return (truth_rod){.length = length,
                       .Kse = {G * area, G * area, E * area},
                       .Kbt = {E * I, E * I, 2.0 * G * I},
                       .mass = rho * area,
                       .inertia = {rho * I, rho * I, 2.0 * rho * I}};
}

// Inertia, drag and weight per unit length in the body frame: what is on the right of n_s and m_s.
static inline void truth_inertia(const truth_rod *rod, const double R[9], const double q[3],
                                 const double w[3], const double q_t[3], const double w_t[3],
                                 double force[3], double moment[3]) {
    double g[3], J[3];
    truth_mul_t(R, rod->gravity, g);
    truth_cross(w, q, force);
    for (int i = 0; i < 3; i++) {
        force[i] = rod->mass * (force[i] + q_t[i] - g[i]) + rod->drag[i] * q[i] * fabs(q[i]);
        J[i] = rod->inertia[i] * w[i];
    }
    truth_cross(w, J, moment);
    for (int i = 0; i < 3; i++) moment[i] += rod->inertia[i] * w_t[i];
}

// q_s = v_t - u x q + w x v, w_s = u_t - u x w
static inline void truth_velocity_slope(const double v[3], const double u[3], const double q[3],
                                        const double w[3], const double v_t[3], const double u_t[3],
                                        double q_s[3], double w_s[3]) {
    double c[3];
    truth_cross(w, v, q_s);
    truth_cross(u, q, c);
    for (int i = 0; i < 3; i++) q_s[i] += v_t[i] - c[i];
    truth_cross(u, w, c);
    for (int i = 0; i < 3; i++) w_s[i] = u_t[i] - c[i];
}
