// integrate/motion.c - one linearly implicit step.
//
// A W-method of two stages (ROS2), of order 2 whatever matrix stands in for the Jacobian, and with
// gamma = 1 - 1/sqrt(2) damped without limit where a mode is faster than the step. With K = d(F - M
// a)/dq, a = M^-1 F held, and D = dF/dq', given or by differences, each stage is one system of the
// size of q:
//
//     (M - g D - g^2 K) kv = F + g K rq,   kq = rq + g kv,    g = gamma h
//
// Nothing is kept from one step to the next but the motion itself. What saturates, turns round or
// jumps within a step is not what the matrices said; where that moves the result by more than a
// small angle, the step is taken in parts, at most MOST_SHARES of them: work stays bounded.
#include "integrate/motion.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/positive.h"

#define GAMMA 0.29289321881345248  // 1 - 1/sqrt(2)
#define MOST_SHARES 256            // of a step
#define AGREE 5e-4                 // rad, by which a part may be off

void motion_layout(int n, arena *work, motion_work *out) {
    motion_work w = {0};
    double **const vectors[] = {&w.F,   &w.F2,    &w.k1q,         &w.k1v,           &w.k2q,
                                &w.k2v, &w.trial, &w.trial_rates, &w.accelerations, &w.defect};
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

// K and D by forward differences from F2.
static void take_differences(const mover *s, double t) {
    const motion_work *w = s->w;
    const motion *m = s->m;
    const int n = m->n;
    const size_t bytes = sizeof(double) * (size_t)n;
    memcpy(w->trial, s->q, bytes);
    memcpy(w->trial_rates, s->rates, bytes);
    for (int k = 0; k < n; k++) {
        double e = 1e-7 * m->unit[k], e_t = 1e-4 * m->unit[k];
        w->trial[k] = s->q[k] + e;
        m->forces(m->context, t, w->trial, s->rates, w->accelerations, w->k1v, NULL);
        w->trial[k] = s->q[k];
        for (int r = 0; r < n; r++) w->by_q[r * n + k] = (w->k1v[r] - w->F2[r]) / e;
        w->trial_rates[k] = s->rates[k] + e_t;
        m->forces(m->context, t, s->q, w->trial_rates, w->accelerations, w->k1v, NULL);
        w->trial_rates[k] = s->rates[k];
        for (int r = 0; r < n; r++) w->by_rate[r * n + k] = (w->k1v[r] - w->F2[r]) / e_t;
    }
    s->report->evaluations += 2 * n;
}

// K and D of F less the inertia of the present acceleration: where inertia is small and stiffness
// large the change of the mass matrix matters.
static void differentiate(const mover *s, double t) {
    const motion_work *w = s->w;
    const motion *m = s->m;
    m->forces(m->context, t, s->q, s->rates, w->accelerations, w->F2, NULL);
    if (m->tangent) m->tangent(m->context, w->by_q, w->by_rate);
    else take_differences(s, t);
    s->report->jacobians++;
    s->report->evaluations++;
}

// M, K, D and F at the start of a part; h: of the part before. False: M is not positive definite.
static bool prepare(mover *s, double t, double h) {
    const motion_work *w = s->w;
    const size_t bytes = sizeof(double) * (size_t)s->m->n;
    double now[N_POWERS];
    s->m->forces(s->m->context, t, s->q, s->rates, NULL, w->F, now);
    s->report->evaluations++;
    sum_powers(s, now, h);
    s->m->mass(s->m->context, w->M);
    memcpy(w->M2, w->M, bytes * (size_t)s->m->n);
    if (!positive_factor(s->m->n, w->M2)) return false;
    memcpy(w->accelerations, w->F, bytes);
    positive_solve(s->m->n, w->M2, w->accelerations);
    differentiate(s, t);
    return true;
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

// The acceleration at the end of the first stage (in F2) less what the matrices say of it, through
// the factors: M a - (F + h K k1q + h D k1v). Of a linear system it is nothing, however stiff.
static void find_defect(const mover *s, double h) {
    const motion_work *w = s->w;
    const int n = s->m->n;
    dense_mul_vec(n, n, w->M, w->F2, w->defect);
    for (int r = 0; r < n; r++) {
        const double *K = w->by_q + r * n, *D = w->by_rate + r * n;
        w->defect[r] -= w->F[r];
        for (int k = 0; k < n; k++) w->defect[r] -= h * (K[k] * w->k1q[k] + D[k] * w->k1v[k]);
    }
    lu_solve(n, w->lu, w->pivot, w->defect);
}

// From f(y + h k1) - 2 k1: the acceleration by the mass matrix there, times that of the start,
// which the factors belong to.
static bool second_stage(const mover *s, double t, double h) {
    const motion_work *w = s->w;
    const int n = s->m->n;
    for (int k = 0; k < n; k++) {
        w->trial[k] = s->q[k] + h * w->k1q[k];
        w->trial_rates[k] = s->rates[k] + h * w->k1v[k];
    }
    s->m->forces(s->m->context, t + h, w->trial, w->trial_rates, NULL, w->F2, NULL);
    s->report->evaluations++;
    s->m->mass(s->m->context, w->M2);
    if (!positive_factor(n, w->M2)) return false;
    positive_solve(n, w->M2, w->F2);
    find_defect(s, h);
    for (int k = 0; k < n; k++) {
        w->F2[k] -= 2.0 * w->k1v[k];
        w->k2q[k] = w->trial_rates[k] - 2.0 * w->k1q[k];
    }
    dense_mul_vec(n, n, w->M, w->F2, w->k2v);
    stage(s, GAMMA * h, w->k2q, w->k2v);
    for (int k = 0; k < n; k++) w->k2q[k] += GAMMA * h * w->k2v[k];
    return true;
}

// By what angle the second stage is moved by what the matrices did not foresee.
static double surprise(const mover *s, double h) {
    double most = 0.0;
    for (int k = 0; k < s->m->n; k++) {
        double angle = 0.5 * h * h * fabs(s->w->defect[k]) / s->m->unit[k];
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

motion_outcome motion_step(const motion *m, const motion_work *w, double *q, double *rates,
                           double dt, motion_report *report) {
    mover s = {.m = m, .w = w, .q = q, .rates = rates, .report = report};
    const double least = dt / MOST_SHARES;
    double t = 0.0, h = dt, last = 0.0, now[N_POWERS];
    while (t < dt * (1.0 - 1e-9)) {
        h = fmin(h, dt - t);
        if (!prepare(&s, t, last)) return MOTION_SINGULAR;
        for (;;) {
            bool solved = first_stage(&s, h) && second_stage(&s, t, h);
            if (!solved && h <= least) return MOTION_SINGULAR;
            if (solved && (surprise(&s, h) <= AGREE || h <= least)) break;
            h = fmax(0.5 * h, least);
            report->fallbacks++;
        }
        t += h;
        last = h;
        bool easy = surprise(&s, h) < AGREE / 16.0;
        accept(&s, h);
        if (m->fits && !m->fits(m->context, q)) return MOTION_TOO_FAR;
        if (easy) h *= 2.0;
    }
    m->forces(m->context, dt, q, rates, NULL, w->F, now);
    sum_powers(&s, now, last);
    report->evaluations++;
    return MOTION_DONE;
}

bool motion_rates(const motion *m, const motion_work *w, double t, const double *y, double *y_t,
                  double powers[N_POWERS]) {
    const size_t bytes = sizeof(double) * (size_t)m->n;
    double *a = y_t + m->n;
    m->forces(m->context, t, y, y + m->n, NULL, a, powers);
    m->mass(m->context, w->M);
    if (!positive_factor(m->n, w->M)) return false;
    positive_solve(m->n, w->M, a);
    memcpy(y_t, y + m->n, bytes);
    for (int k = 0; k < m->n; k++)
        if (!isfinite(a[k])) return false;
    return true;
}
