// model/virtual_power/step.c - one step in time, linearly implicit.
//
// A W-method of two stages (ROS2), of order 2 whatever matrix stands in for the Jacobian, and with
// gamma = 1 - 1/sqrt(2) damped without limit where a mode is faster than the step: stiff friction
// and stiff rods do not shorten it. For M v' = F(q, v), q' = v and A = (0 1; M^-1 K, M^-1 D), with
// K = d(F - M a)/dq, a = M^-1 F held, and D = dF/dv by differences, each stage is one system of
// the size of q:
//
//     (M - g D - g^2 K) kv = F + g K rq,   kq = rq + g kv,    g = gamma h
//
// Nothing is kept from one step to the next but the motion itself. Friction that saturates or
// turns round within a step is not what the matrices said; where that moves the result by
// more than a small angle, the step is taken in parts, at most MOST_SHARES of them: work stays
// bounded.
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/virtual_power/virtual_power.h"

#define GAMMA 0.29289321881345248  // 1 - 1/sqrt(2)
#define MOST_SHARES 256            // of a step
#define AGREE 5e-4                 // rad, by which a part may be off

typedef struct mover {
    const arm *a;
    arm_memory *m;
    const model_call *call;
    int n;
} mover;

typedef struct sums {
    double dissipated, work;  // J
    double lost, given;       // W, at the last instant
} sums;

// K and D by forward differences, of F less the inertia of the present acceleration: where inertia
// is small and stiffness large, as of twist, the change of the mass matrix matters.
static void differentiate(const mover *s, const situation *now) {
    situation with = *now;
    with.accelerations = s->m->accelerations;
    const situation *at = &with;
    const chain *c = &s->a->chain;
    arm_memory *m = s->m;
    const int n = s->n;
    find_forces(s->a, m, at, m->trial, m->trial_rates);
    memcpy(m->Q2, m->Q, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++) {
        double scale = k % c->per == 2 ? 1.0 : 1.0 / c->segments[k / c->per].length;
        double e = 1e-7 * scale, e_t = 1e-4 * scale;
        m->trial[k] += e;
        find_forces(s->a, m, at, m->trial, m->trial_rates);
        m->trial[k] -= e;
        for (int r = 0; r < n; r++) m->by_q[r * n + k] = (m->Q[r] - m->Q2[r]) / e;
        m->trial_rates[k] += e_t;
        find_forces(s->a, m, at, m->trial, m->trial_rates);
        m->trial_rates[k] -= e_t;
        for (int r = 0; r < n; r++) m->by_rate[r * n + k] = (m->Q[r] - m->Q2[r]) / e_t;
    }
    s->call->stats->jacobians++;
    s->call->stats->evaluations += 2 * n;
}

// One stage: kv into `kv` from F - M rv in `kv`, with rq the given part of kq.
static void stage(const mover *s, double g, const double *rq, double *kv) {
    arm_memory *m = s->m;
    const int n = s->n;
    for (int r = 0; r < n; r++)
        for (int k = 0; k < n; k++) kv[r] += g * m->by_q[r * n + k] * rq[k];
    lu_solve(n, m->lu, m->pivot, kv);
}

// What is lost and given, by the trapezoidal rule from part to part; forces are known.
static void sum_powers(const mover *s, const situation *at, double h, sums *e) {
    double lost = lost_power(s->a, s->m, s->m->rates);
    double given = given_power(s->a, s->m, at, s->m->rates);
    e->dissipated += 0.5 * h * (lost + e->lost);
    e->work += 0.5 * h * (given + e->given);
    e->lost = lost;
    e->given = given;
}

// M, K, D and F at the start of a part; h: of the part before. False: M is not positive definite.
static bool prepare(const mover *s, const situation *at, double h, sums *e) {
    arm_memory *m = s->m;
    const size_t bytes = sizeof(double) * (size_t)s->n;
    memcpy(m->trial, m->q, bytes);
    memcpy(m->trial_rates, m->rates, bytes);
    find_forces(s->a, m, at, m->q, m->rates);
    sum_powers(s, at, h, e);
    memcpy(m->F, m->Q, bytes);
    mass_matrix(&s->a->chain, m->discs, m->composites, m->M);
    memcpy(m->M2, m->M, bytes * (size_t)s->n);
    if (!cholesky_factor(s->n, m->M2)) return false;
    memcpy(m->accelerations, m->F, bytes);
    cholesky_solve(s->n, m->M2, m->accelerations);
    differentiate(s, at);
    return true;
}

// k1 = (step, Q2), after M - g D - g^2 K is factored.
static bool first_stage(const mover *s, double h) {
    arm_memory *m = s->m;
    const double g = GAMMA * h;
    const int n = s->n;
    for (int i = 0; i < n * n; i++) m->lu[i] = m->M[i] - g * m->by_rate[i] - g * g * m->by_q[i];
    if (!lu_factor(n, m->lu, m->pivot)) return false;
    memcpy(m->Q2, m->F, sizeof(double) * (size_t)n);
    stage(s, g, m->rates, m->Q2);
    for (int k = 0; k < n; k++) m->step[k] = m->rates[k] + g * m->Q2[k];
    return true;
}

// The acceleration at the end of the first stage (in Q) less what the matrices say of it, through
// the factors: M a - (F + h K k1q + h D k1v). Of a linear system it is nothing, however stiff.
static void find_defect(const mover *s, double h) {
    arm_memory *m = s->m;
    const int n = s->n;
    dense_mul_vec(n, n, m->M, m->Q, m->defect);
    for (int r = 0; r < n; r++) {
        const double *K = m->by_q + r * n, *D = m->by_rate + r * n;
        m->defect[r] -= m->F[r];
        for (int k = 0; k < n; k++) m->defect[r] -= h * (K[k] * m->step[k] + D[k] * m->Q2[k]);
    }
    lu_solve(n, m->lu, m->pivot, m->defect);
}

// k2 = (trial, step2), from f(y + h k1) - 2 k1: the acceleration by the mass matrix there, times
// that of the start, which the factors belong to.
static bool second_stage(const mover *s, const situation *at, double h) {
    arm_memory *m = s->m;
    const int n = s->n;
    for (int k = 0; k < n; k++) {
        m->trial[k] = m->q[k] + h * m->step[k];
        m->trial_rates[k] = m->rates[k] + h * m->Q2[k];
    }
    find_forces(s->a, m, at, m->trial, m->trial_rates);
    mass_matrix(&s->a->chain, m->discs, m->composites, m->M2);
    if (!cholesky_factor(n, m->M2)) return false;
    cholesky_solve(n, m->M2, m->Q);
    find_defect(s, h);
    for (int k = 0; k < n; k++) {
        m->Q[k] -= 2.0 * m->Q2[k];
        m->trial[k] = m->trial_rates[k] - 2.0 * m->step[k];  // rq
    }
    dense_mul_vec(n, n, m->M, m->Q, m->step2);
    stage(s, GAMMA * h, m->trial, m->step2);
    for (int k = 0; k < n; k++) m->trial[k] += GAMMA * h * m->step2[k];
    s->call->stats->evaluations += 2;
    return true;
}

// By what angle the second stage is moved by what the matrices did not foresee.
static double surprise(const mover *s, double h) {
    const chain *c = &s->a->chain;
    double most = 0.0;
    for (int k = 0; k < s->n; k++) {
        double length = k % c->per == 2 ? 1.0 : c->segments[k / c->per].length;
        double angle = 0.5 * h * h * length * fabs(s->m->defect[k]);
        if (!(angle <= most)) most = angle;  // takes a NaN along
    }
    return most;
}

static void accept(const mover *s, double h) {
    arm_memory *m = s->m;
    for (int k = 0; k < s->n; k++) {
        m->q[k] += h * (1.5 * m->step[k] + 0.5 * m->trial[k]);
        m->rates[k] += h * (1.5 * m->Q2[k] + 0.5 * m->step2[k]);
    }
    s->call->stats->iterations += 2;
}

static td_status refuse(const mover *s) {
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': its mass matrix is not positive definite: discs need mass, and with "
             "torsion inertia about the axis",
             s->a->name);
    return TD_ERR_SINGULAR;
}

typedef struct span {  // the step as a whole: inputs vary linearly over it
    const virtual_power *c;
    const double *before, *after;
    double *now;  // (n_inputs) scratch
    double dt;
} span;

static situation situation_at(const span *p, const arm *a, double t) {
    double x = t / p->dt;
    for (int i = 0; i < p->c->n_inputs; i++) p->now[i] = (1.0 - x) * p->before[i] + x * p->after[i];
    return situation_of(p->c, a, p->now, SLIP_SLIDING);
}

static td_status step_arm(const mover *s, const span *p, sums *total) {
    const double least = p->dt / MOST_SHARES;
    double t = 0.0, h = p->dt, last = 0.0;
    sums e = {0.0, 0.0, 0.0, 0.0};
    while (t < p->dt * (1.0 - 1e-9)) {
        h = fmin(h, p->dt - t);
        situation start = situation_at(p, s->a, t);
        if (!prepare(s, &start, last, &e)) return refuse(s);
        for (;;) {
            situation end = situation_at(p, s->a, t + h);
            bool solved = first_stage(s, h) && second_stage(s, &end, h);
            if (!solved && h <= least) return refuse(s);
            if (solved && (surprise(s, h) <= AGREE || h <= least)) break;
            h = fmax(0.5 * h, least);
            s->call->stats->fallbacks++;
        }
        t += h;
        last = h;
        bool easy = surprise(s, h) < AGREE / 16.0;
        accept(s, h);
        td_status status = check_arcs(s->a, s->m->q, s->call->message);
        if (status < 0) return status;
        if (easy) h *= 2.0;
    }
    situation end = situation_at(p, s->a, p->dt);
    find_forces(s->a, s->m, &end, s->m->q, s->m->rates);
    sum_powers(s, &end, last, &e);
    total->dissipated += e.dissipated;
    total->work += e.work;
    return TD_OK;
}

td_status power_step(const void *compiled, void *memory, const model_call *call, double dt,
                     bool fresh) {
    const virtual_power *c = compiled;
    power_memory *m = memory;
    if (outside_needed(c)) return outside_step(c, m, call, dt, fresh);
    // After a jump the inputs have had their new values since the start of the step.
    span p = {c, fresh ? call->inputs : call->inputs_before, call->inputs, m->inputs, dt};
    sums total = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < c->n_arms; i++) {
        mover s = {&c->arms[i], &m->arms[i], call, c->arms[i].chain.n_q};
        td_status status = step_arm(&s, &p, &total);
        if (status < 0) return status;
    }
    note_energy(c, m, call->inputs, total.dissipated, total.work);
    for (int i = 0; i < c->n_arms; i++) call->stats->slack += m->arms[i].slack;
    return TD_OK;
}
