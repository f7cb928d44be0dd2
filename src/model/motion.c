// model/motion.c - one implicit step.
//
// SDIRK2 with gamma = 1 - 1/sqrt(2): two stages, of order 2, damped without limit where a mode is
// faster than the step, and the second stage is its end. With g = gamma h a stage is
//
//     F(q* + g^2 a, v* + g a) - M a = 0,     dF/da = -(M - g D - g^2 K)
//
// for the acceleration a, solved by Newton's method: so contact, slackness and friction, which no
// matrix foresees, hold at the end of each stage. The factors of the matrix serve as long as the
// iteration converges quickly, from step to step. Where it does not converge, much happens within
// the step, which is then taken in parts, at most MOST_SHARES of them: work stays bounded. Only in
// the smallest parts corrections are shortened.
#include "model/motion.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/positive.h"

#define GAMMA 0.29289321881345248  // 1 - 1/sqrt(2)
#define MOST_SHARES 256            // of a step
#define MOST_RENEWALS 6            // of the matrix, in one stage; twice that in the smallest parts
#define SHORTEST 0.05              // share of a correction
#define SLOW 0.25                  // contraction from where the matrix is renewed
#define CLOSE 1e-10                // rad: a correction that is none
#define ROUNDING 1e-8              // rad: where rounding may stop the iteration
#define TOO_FAR 1.0                // rad: a correction after which one begins anew, without motion
#define AGREE 1e-6                 // rad: a correction that will do where nothing better is found

void motion_layout_kept(int n, arena *keep, arena *work, motion_work *out) {
    const size_t size = (size_t)n * (size_t)n;
    motion_work w = {.accelerations = ARENA_TAKE(keep, double, n),
                     .factors = ARENA_TAKE(keep, double, size),
                     .pivots = ARENA_TAKE(keep, double, n),
                     .of = ARENA_TAKE(keep, double, 1),
                     .keeps = keep != work};
    double **const vectors[] = {&w.F,    &w.F2,         &w.a,     &w.base,       &w.step,
                                &w.from, &w.from_rates, &w.trial, &w.trial_rates};
    double **const matrices[] = {&w.M, &w.by_q, &w.by_rate};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = ARENA_TAKE(work, double, n);
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        *matrices[i] = ARENA_TAKE(work, double, size);
    w.pivot = ARENA_TAKE(work, int, n);
    if (out) *out = w;
}

void motion_layout(int n, arena *work, motion_work *out) {
    motion_layout_kept(n, work, work, out);
}

void motion_reset(int n, const motion_work *w) {
    memset(w->accelerations, 0, sizeof(double) * (size_t)n);
    memset(w->factors, 0, sizeof(double) * (size_t)n * (size_t)n);
    memset(w->pivots, 0, sizeof(double) * (size_t)n);
    *w->of = 0.0;
}

typedef struct mover {
    const motion *m;
    const motion_work *w;
    double t, g;              // s, time of the stage, and its part of the step
    double powers[N_POWERS];  // W, at the last evaluation
    motion_report *report;
} mover;

static void copy(const mover *s, double *to, const double *from) {
    memcpy(to, from, sizeof(double) * (size_t)s->m->n);
}

// ---------------------------------------------------------------- a stage
// Where the acceleration leads, in trial and trial_rates.
static void arrive(const mover *s) {
    const motion_work *w = s->w;
    for (int k = 0; k < s->m->n; k++) {
        w->trial_rates[k] = w->from_rates[k] + s->g * w->a[k];
        w->trial[k] = w->from[k] + s->g * w->trial_rates[k];
    }
}

// What is missing there.
static void missing(mover *s, double *F, double *powers) {
    const motion_work *w = s->w;
    arrive(s);
    s->m->forces(s->m->context, s->t, w->trial, w->trial_rates, w->a, F, powers);
    s->report->evaluations++;
}

// Differences along each acceleration, which moves coordinates by 1e-7 and rates by 1e-4 at most.
static void take_differences(mover *s) {
    const motion_work *w = s->w;
    const int n = s->m->n;
    for (int k = 0; k < n; k++) {
        double keep = w->a[k], e = s->m->unit[k] * fmin(1e-7 / (s->g * s->g), 1e-4 / s->g);
        w->a[k] = keep + e;
        missing(s, w->F, NULL);
        w->a[k] = keep;
        for (int r = 0; r < n; r++) w->factors[r * n + k] = (w->F2[r] - w->F[r]) / e;
    }
}

static void take_tangent(const mover *s) {
    const motion_work *w = s->w;
    s->m->tangent(s->m->context, w->by_q, w->by_rate);
    for (int i = 0; i < s->m->n * s->m->n; i++)
        w->factors[i] = w->M[i] - s->g * (w->by_rate[i] + s->g * w->by_q[i]);
}

// False: the mass matrix is not positive definite, or this one has no inverse.
static bool renew(mover *s) {
    const motion_work *w = s->w;
    const int n = s->m->n;
    s->report->stuck = false;
    missing(s, w->F2, NULL);
    s->m->mass(s->m->context, w->M);
    if (s->m->tangent) take_tangent(s);
    if (!positive_factor(n, w->M)) return false;
    if (!s->m->tangent) take_differences(s);
    s->report->jacobians++;
    *w->of = lu_factor(n, w->factors, w->pivot) ? s->g : 0.0;
    for (int k = 0; k < n; k++) w->pivots[k] = w->pivot[k];
    return *w->of > 0.0;
}

// The correction that the acceleration wants; by what angle does it move?
static double aim(mover *s, double *step) {
    const motion_work *w = s->w;
    double most = 0.0;
    missing(s, step, s->powers);
    lu_solve(s->m->n, w->factors, w->pivot, step);
    for (int k = 0; k < s->m->n; k++) {
        double angle = s->g * s->g * fabs(step[k]) / s->m->unit[k];
        if (!(angle <= most)) most = angle;  // takes a NaN along
    }
    return most;
}

// Along the correction `step` of that size, as far as the next one is smaller (Deuflhard's natural
// test: the matrix stays): what turns round on the way, like a tendon that goes slack, shortens it.
static double go(mover *s, double size, double shortest) {
    const motion_work *w = s->w;
    copy(s, w->base, w->a);
    for (double share = 1.0;; share *= 0.5) {
        for (int k = 0; k < s->m->n; k++) w->a[k] = w->base[k] + share * w->step[k];
        double next = aim(s, w->F);
        s->report->iterations++;
        if (!(next <= (1.0 - 0.5 * share) * size) && share > shortest) continue;
        copy(s, w->step, w->F);
        return next;
    }
}

static bool run_stage(mover *s, double t, bool last_try) {
    const motion_work *w = s->w;
    int renewals = 0;
    s->t = t;
    if (*w->of != s->g && (renewals++, !renew(s))) return false;
    double size = aim(s, w->step);
    if (!(size < TOO_FAR)) {  // begin anew, from no acceleration
        memset(w->a, 0, sizeof(double) * (size_t)s->m->n);
        size = aim(s, w->step);
    }
    while (!(size <= CLOSE)) {
        double next = go(s, size, last_try ? SHORTEST : 1.0);
        bool fast = next <= SLOW * size;
        size = next;
        if (fast || size <= CLOSE) continue;
        if (renewals >= (last_try ? 2 : 1) * MOST_RENEWALS || (renewals > 0 && size <= ROUNDING))
            break;
        renewals++;
        if (!renew(s)) return false;
        size = aim(s, w->step);
    }
    s->report->stuck = !(size <= (last_try ? AGREE : ROUNDING));
    if (s->report->stuck) return false;
    for (int k = 0; k < s->m->n; k++) w->a[k] += w->step[k];  // it is known, so it is made
    arrive(s);
    return true;
}

static void sum_powers(const mover *s, double h) {
    for (int i = 0; i < N_POWERS; i++) s->report->energies[i] += h * s->powers[i];
}

// ---------------------------------------------------------------- a step
static bool part(mover *s, double *q, double *rates, double t, double h, bool last_try) {
    const motion_work *w = s->w;
    const int n = s->m->n;
    const motion_report before = *s->report;
    s->g = GAMMA * h;
    copy(s, w->a, w->accelerations);
    copy(s, w->from, q);
    copy(s, w->from_rates, rates);
    if (!run_stage(s, t + s->g, last_try)) return false;
    sum_powers(s, h - s->g);
    for (int k = 0; k < n; k++) {
        w->from[k] = q[k] + (h - s->g) * w->trial_rates[k];
        w->from_rates[k] = rates[k] + (h - s->g) * w->a[k];
    }
    bool found = run_stage(s, t + h, last_try);
    // A root that goes too far is rarely the one that a smaller part would find.
    if (found && !last_try && s->m->fits) found = s->m->fits(s->m->context, w->trial);
    if (!found) {
        memcpy(s->report->energies, before.energies, sizeof before.energies);
        return false;
    }
    sum_powers(s, s->g);
    copy(s, q, w->trial);
    copy(s, rates, w->trial_rates);
    copy(s, w->accelerations, w->a);
    return true;
}

motion_outcome motion_step(const motion *m, const motion_work *w, double *q, double *rates,
                           double dt, motion_report *report) {
    mover s = {.m = m, .w = w, .report = report};
    const double least = dt / MOST_SHARES;
    double t = 0.0, h = dt;
    if (!w->keeps) motion_reset(m->n, w);
    for (int k = 0; k < m->n; k++) w->pivot[k] = (int)w->pivots[k];
    while (t < dt * (1.0 - 1e-9)) {
        h = fmin(h, dt - t);
        if (!part(&s, q, rates, t, h, h <= least)) {
            if (h <= least) return MOTION_SINGULAR;
            h = fmax(0.5 * h, least);
            report->fallbacks++;
            continue;
        }
        if (m->fits && !m->fits(m->context, q)) return MOTION_TOO_FAR;
        t += h;
        h *= 2.0;
    }
    return MOTION_DONE;
}

bool motion_accelerate(const motion *m, const motion_work *w, double t, const double *q,
                       const double *rates) {
    m->forces(m->context, t, q, rates, NULL, w->accelerations, NULL);
    m->mass(m->context, w->M);
    if (!positive_factor(m->n, w->M)) return false;
    positive_solve(m->n, w->M, w->accelerations);
    return true;
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

// Column k of M^-1 A into `out`.
static void solve_column(int n, const double *factor, const double *A, int k, double *out) {
    for (int r = 0; r < n; r++) out[r] = A[r * n + k];
    positive_solve(n, factor, out);
}

bool motion_slopes(const motion *m, const motion_work *w, double t, const double *y,
                   const double *y_t, double *J, int stride) {
    const int n = m->n;
    m->forces(m->context, t, y, y + n, y_t + n, w->F, NULL);
    m->tangent(m->context, w->by_q, w->by_rate);
    m->mass(m->context, w->M);
    if (!positive_factor(n, w->M)) return false;
    for (int k = 0; k < n; k++) {
        double *by_q = J + (size_t)k * (size_t)stride, *by_rate = by_q + (size_t)n * (size_t)stride;
        solve_column(n, w->M, w->by_q, k, by_q + n);
        solve_column(n, w->M, w->by_rate, k, by_rate + n);
        by_rate[k] = 1.0;
    }
    return true;
}
