// model/constant_curvature/statics.c - equilibria: Newton's method, and a path of growing loads
// from the rest shape where that fails or would end on an unstable shape.
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/constant_curvature/constant_curvature.h"

#define LONGEST 0.3          // rad, by which a correction may bend a segment
#define HALVINGS 30          // of a correction
#define SMALLEST_SHARE 1e-4  // step of the path
#define CLOSE 1e-9           // rad: rounding may stop a solve above a smaller tolerance

typedef struct solve {
    const arm *a;
    arm_memory *m;
    const model_call *call;
    double tolerance;
    int most;  // iterations
    situation at;
} solve;

// What resists coordinate k: the segment, and drives that yield.
static double stiffness_of(const chain *c, int k) {
    const int i = k / c->per, local = k % c->per;
    const segment *g = &c->segments[i];
    double sum = local == 2 ? g->extension / g->length : g->bending[local] / g->length;
    if (c->printed_scaling && local < 2) sum /= g->length;
    for (int j = 0; j < c->n_drives; j++) {
        const drive *d = &c->drives[j];
        if (!(d->yield > 0.0) || i < d->first || i >= d->end) continue;
        double lever = local == 2 ? 1.0 : d->a->tendon.offset[local];
        sum += lever * lever / d->yield;
    }
    return sum;
}

// What a residual means: the angle by which a segment is off, or the strain.
static double residual_of(const solve *s, const double *q) {
    const chain *c = &s->a->chain;
    arm_forces(s->a, s->m, &s->at, q, NULL);
    s->call->stats->evaluations++;
    double most = 0.0;
    for (int k = 0; k < c->n_q; k++) {
        double r = fabs(s->m->Q[k]) / (stiffness_of(c, k) * s->a->unit[k]);
        if (!(r <= most)) most = r;  // takes a NaN along
    }
    return most;
}

// By central differences, exact to about 1e-10 of the stiffness.
void arm_stiffness(const arm *a, arm_memory *m, const situation *at, double *q) {
    const int n = a->chain.n_q;
    for (int k = 0; k < n; k++) {
        double keep = q[k], e = 1e-6 * a->unit[k];
        q[k] = keep + e;
        arm_forces(a, m, at, q, NULL);
        memcpy(m->Q2, m->Q, sizeof(double) * (size_t)n);
        q[k] = keep - e;
        arm_forces(a, m, at, q, NULL);
        q[k] = keep;
        for (int r = 0; r < n; r++) m->K[r * n + k] = (m->Q[r] - m->Q2[r]) / (2.0 * e);
    }
}

bool arm_factor(const arm *a, arm_memory *m, const situation *at, double *q) {
    arm_stiffness(a, m, at, q);
    return lu_factor(a->chain.n_q, m->K, m->pivot);
}

static bool factor(const solve *s, double *q) {
    s->call->stats->jacobians++;
    s->call->stats->evaluations += 2 * s->a->chain.n_q;
    return arm_factor(s->a, s->m, &s->at, q);
}

static double step_size(const arm *a, const double *step) {
    double most = 0.0;
    for (int k = 0; k < a->chain.n_q; k++)
        if (!(fabs(step[k]) / a->unit[k] <= most)) most = fabs(step[k]) / a->unit[k];
    return most;
}

// One correction, shortened until the residual falls. False: it does not.
static bool correct(const solve *s, double *q, double *residual) {
    arm_memory *m = s->m;
    const int n = s->a->chain.n_q;
    if (!factor(s, q)) return false;
    residual_of(s, q);
    memcpy(m->step, m->Q, sizeof(double) * (size_t)n);
    lu_solve(n, m->K, m->pivot, m->step);
    double size = step_size(s->a, m->step);
    if (!isfinite(size)) return false;
    double share = size > LONGEST ? LONGEST / size : 1.0;
    for (int i = 0; i < HALVINGS; i++, share *= 0.5) {
        for (int k = 0; k < n; k++) m->trial[k] = q[k] + share * m->step[k];
        double next = residual_of(s, m->trial);
        if (!(next < *residual)) continue;
        memcpy(q, m->trial, sizeof(double) * (size_t)n);
        *residual = next;
        return true;
    }
    return false;
}

static bool solve_at(const solve *s, double *q, double *residual) {
    *residual = residual_of(s, q);
    for (int i = 0; i<s->most && * residual> s->tolerance; i++) {
        if (!correct(s, q, residual)) break;
        s->call->stats->iterations++;
    }
    return *residual <= fmax(s->tolerance, CLOSE);
}

// Of the determinant of the stiffness -dQ/dq: positive where all directions resist, and it changes
// where stability is lost or won.
static int sign_at(const solve *s, double *q) {
    return factor(s, q) ? lu_sign(s->a->chain.n_q, s->m->K, s->m->pivot) : 0;
}

static void rest_shape(const chain *c, double *q) {
    for (int i = 0; i < c->n; i++) {
        q[i * c->per] = c->segments[i].rest[0];
        q[i * c->per + 1] = c->segments[i].rest[1];
        if (c->per == N_LOCAL) q[i * c->per + 2] = c->segments[i].length;
    }
}

// The share of the load from 0 to 1.
static bool follow(solve *s, double *q, double *residual) {
    const size_t bytes = sizeof(double) * (size_t)s->a->chain.n_q;
    double done = 0.0, step = 1.0;
    while (done < 1.0) {
        memcpy(s->m->start, q, bytes);
        s->at.share = fmin(1.0, done + step);
        s->call->stats->load_steps++;
        if (solve_at(s, q, residual)) {
            done = s->at.share;
            step *= 2.0;
            continue;
        }
        memcpy(q, s->m->start, bytes);
        step *= 0.25;
        if (step < SMALLEST_SHARE) break;
    }
    s->at.share = done;
    return done >= 1.0;
}

static td_status follow_from_rest(solve *s, double *residual) {
    rest_shape(&s->a->chain, s->m->q);
    if (!follow(s, s->m->q, residual)) {
        snprintf(s->call->message, MODEL_MESSAGE_SIZE,
                 "rod '%s': no equilibrium found beyond %.4g %% of its loads: beyond that it may "
                 "have none, or jump to another",
                 s->a->name, 100.0 * s->at.share);
        s->call->stats->load_reached = s->at.share;
        return TD_ERR_NOT_CONVERGED;
    }
    if (sign_at(s, s->m->q) > 0) return TD_OK;
    s->call->stats->bifurcation = 1.0;
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': the equilibrium lost its stability on the way to its loads", s->a->name);
    return TD_BIFURCATION;
}

static td_status solve_arm(solve *s) {
    arm_memory *m = s->m;
    double residual;
    memset(m->rates, 0, sizeof(double) * (size_t)s->a->chain.n_q);
    bool direct = solve_at(s, m->q, &residual) && sign_at(s, m->q) > 0;
    td_status status = direct ? TD_OK : follow_from_rest(s, &residual);
    if (status < 0) return status;
    if (status == TD_OK && residual > s->tolerance && residual > CLOSE) status = TD_LOOSE;
    s->call->stats->residual = fmax(s->call->stats->residual, residual);
    td_status checked = arm_check(s->a, m->q, s->call->message);
    arm_forces(s->a, m, &s->at, m->q, NULL);
    s->call->stats->slack += m->slack;
    return checked < 0 ? checked : status;
}

td_status arcs_statics(const void *compiled, void *memory, const model_call *call) {
    const constant_curvature *c = compiled;
    arcs_memory *m = memory;
    td_status worst = TD_OK;
    call->stats->load_reached = 1.0;
    for (int i = 0; i < c->n_arms; i++) {
        solve s = {.a = &c->arms[i],
                   .m = &m->arms[i],
                   .call = call,
                   .tolerance = c->options.tolerance,
                   .most = c->options.max_iterations,
                   .at = arcs_situation(c, &c->arms[i], call->inputs)};
        td_status status = solve_arm(&s);
        if (status < 0) return status;
        if (status != TD_OK) worst = status;
    }
    arcs_start_energy(c, m, call->inputs);
    return worst;
}
