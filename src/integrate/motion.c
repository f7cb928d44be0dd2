// integrate/motion.c - one linearly implicit step.
//
// A W-method of two stages (ROS2), of order 2 whatever matrix stands in for the Jacobian, and with
// gamma = 1 - 1/sqrt(2) damped without limit where a mode is faster than the step. With K = dF/dq
// and D = dF/dq' by differences each stage is one system of the size of q:
//
//     (M - g D - g^2 K) kv = F + g K rq,   kq = rq + g kv,    g = gamma h
//
// Nothing is kept from one step to the next but the motion itself. Where the two stages disagree by
// more than a small angle, because forces saturate, turn round or jump within the step, it is taken
// in parts, at most MOST_SHARES of them: work stays bounded.
#include "integrate/motion.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/positive.h"

#define GAMMA 0.29289321881345248  // 1 - 1/sqrt(2)
#define MOST_SHARES 256            // of a step
#define AGREE 1e-3                 // rad, between the stages

void motion_layout(int n, arena *work, motion_work *out) {
    motion_work w = {0};
    double **const vectors[] = {&w.F,   &w.F2,  &w.k1q,   &w.k1v,
                                &w.k2q, &w.k2v, &w.trial, &w.trial_rates};
    double **const matrices[] = {&w.M, &w.M2, &w.lu, &w.by_q, &w.by_rate};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = ARENA_TAKE(work, double, n);
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        *matrices[i] = ARENA_TAKE(work, double, (size_t)n *(size_t)n);
    w.pivot = ARENA_TAKE(work, int, n);
    if (out) *out = w;
}

typedef struct mover {
    const motion *m;
    const motion_work *w;
    double *q, *rates;
    motion_report *report;
    double powers[N_POWERS];  // W, at the last instant
} mover;

// What is lost and given, by the trapezoidal rule from part to part.
static void sum_powers(mover *s, const double now[N_POWERS], double h) {
    for (int i = 0; i < N_POWERS; i++) {
        s->report->energies[i] += 0.5 * h * (s->powers[i] + now[i]);
        s->powers[i] = now[i];
    }
}

// K and D by forward differences: a W-method asks for no more.
static void differentiate(const mover *s, double t) {
    const motion_work *w = s->w;
    const int n = s->m->n;
    double unused[N_POWERS];
    memcpy(w->trial, s->q, sizeof(double) * (size_t)n);
    memcpy(w->trial_rates, s->rates, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++) {
        double e = 1e-7 * s->m->unit[k], e_t = 1e-4 * s->m->unit[k];
        w->trial[k] = s->q[k] + e;
        s->m->forces(s->m->context, t, w->trial, s->rates, w->k1v, unused);
        w->trial[k] = s->q[k];
        for (int r = 0; r < n; r++) w->by_q[r * n + k] = (w->k1v[r] - w->F[r]) / e;
        w->trial_rates[k] = s->rates[k] + e_t;
        s->m->forces(s->m->context, t, s->q, w->trial_rates, w->k1v, unused);
        w->trial_rates[k] = s->rates[k];
        for (int r = 0; r < n; r++) w->by_rate[r * n + k] = (w->k1v[r] - w->F[r]) / e_t;
    }
    s->report->jacobians++;
    s->report->evaluations += 2 * n;
}

// M, K, D and F at the start of a part; h: of the part before.
static void prepare(mover *s, double t, double h) {
    double now[N_POWERS];
    s->m->forces(s->m->context, t, s->q, s->rates, s->w->F, now);
    sum_powers(s, now, h);
    s->m->mass(s->m->context, s->w->M);
    differentiate(s, t);
}

// kv from its right side without K, with rq the given part of kq.
static void stage(const mover *s, double g, const double *rq, double *kv) {
    const motion_work *w = s->w;
    const int n = s->m->n;
    for (int r = 0; r < n; r++)
        for (int k = 0; k < n; k++) kv[r] += g * w->by_q[r * n + k] * rq[k];
    lu_solve(n, w->lu, w->pivot, kv);
}

static bool first_stage(const mover *s, double h) {
    const motion_work *w = s->w;
    const double g = GAMMA * h;
    const int n = s->m->n;
    for (int i = 0; i < n * n; i++) w->lu[i] = w->M[i] - g * w->by_rate[i] - g * g * w->by_q[i];
    if (!lu_factor(n, w->lu, w->pivot)) return false;
    memcpy(w->k1v, w->F, sizeof(double) * (size_t)n);
    stage(s, g, s->rates, w->k1v);
    for (int k = 0; k < n; k++) w->k1q[k] = s->rates[k] + g * w->k1v[k];
    return true;
}

// From f(y + h k1) - 2 k1: the acceleration by the mass matrix there, times that of the start,
// which the factors belong to.
static bool second_stage(const mover *s, double t, double h) {
    const motion_work *w = s->w;
    const int n = s->m->n;
    double unused[N_POWERS];
    for (int k = 0; k < n; k++) {
        w->trial[k] = s->q[k] + h * w->k1q[k];
        w->trial_rates[k] = s->rates[k] + h * w->k1v[k];
    }
    s->m->forces(s->m->context, t + h, w->trial, w->trial_rates, w->F2, unused);
    s->m->mass(s->m->context, w->M2);
    if (!positive_factor(n, w->M2)) return false;
    positive_solve(n, w->M2, w->F2);
    for (int k = 0; k < n; k++) {
        w->F2[k] -= 2.0 * w->k1v[k];
        w->k2q[k] = w->trial_rates[k] - 2.0 * w->k1q[k];
    }
    dense_mul_vec(n, n, w->M, w->F2, w->k2v);
    stage(s, GAMMA * h, w->k2q, w->k2v);
    for (int k = 0; k < n; k++) w->k2q[k] += GAMMA * h * w->k2v[k];
    s->report->evaluations += 2;
    return true;
}

// By what angle the method of order 1 that the first stage makes differs: h (k1 + k2)/2.
static double disagreement(const mover *s, double h) {
    const motion_work *w = s->w;
    double most = 0.0;
    for (int k = 0; k < s->m->n; k++) {
        double q = fabs(w->k1q[k] + w->k2q[k]), v = h * fabs(w->k1v[k] + w->k2v[k]);
        double angle = 0.5 * h * fmax(q, v) / s->m->unit[k];
        if (!(angle <= most)) most = angle;  // takes a NaN along
    }
    return most;
}

static void accept(const mover *s, double h) {
    const motion_work *w = s->w;
    for (int k = 0; k < s->m->n; k++) {
        s->q[k] += h * (1.5 * w->k1q[k] + 0.5 * w->k2q[k]);
        s->rates[k] += h * (1.5 * w->k1v[k] + 0.5 * w->k2v[k]);
    }
    s->report->iterations += 2;
}

bool motion_step(const motion *m, const motion_work *w, double *q, double *rates, double dt,
                 motion_report *report) {
    mover s = {.m = m, .w = w, .q = q, .rates = rates, .report = report};
    const double least = dt / MOST_SHARES;
    double t = 0.0, h = dt, last = 0.0, now[N_POWERS];
    while (t < dt * (1.0 - 1e-9)) {
        h = fmin(h, dt - t);
        prepare(&s, t, last);
        for (;;) {
            bool solved = first_stage(&s, h) && second_stage(&s, t, h);
            if (!solved && h <= least) return false;
            if (solved && (disagreement(&s, h) <= AGREE || h <= least)) break;
            h = fmax(0.5 * h, least);
            report->fallbacks++;
        }
        t += h;
        last = h;
        bool easy = disagreement(&s, h) < AGREE / 16.0;
        accept(&s, h);
        if (easy) h *= 2.0;
    }
    m->forces(m->context, dt, q, rates, w->F, now);
    sum_powers(&s, now, last);
    report->evaluations++;
    return true;
}

bool motion_rates(const motion *m, const motion_work *w, double t, const double *y, double *y_t,
                  double powers[N_POWERS]) {
    const size_t bytes = sizeof(double) * (size_t)m->n;
    double *a = y_t + m->n;
    m->forces(m->context, t, y, y + m->n, a, powers);
    m->mass(m->context, w->M);
    if (!positive_factor(m->n, w->M)) return false;
    positive_solve(m->n, w->M, a);
    memcpy(y_t, y + m->n, bytes);
    for (int k = 0; k < m->n; k++)
        if (!isfinite(a[k])) return false;
    return true;
}
