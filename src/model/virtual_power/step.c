// model/virtual_power/step.c - one step in time, linearly implicit.
//
// A W-method of two stages (ROS2), of order 2 whatever matrix stands in for the Jacobian, and with
// gamma = 1 - 1/sqrt(2) damped without limit where a mode is faster than the step: stiff friction
// and stiff rods do not shorten it. For M v' = F(q, v), q' = v and A = (0 1; M^-1 K, M^-1 D), with
// K = dF/dq and D = dF/dv by differences, each stage is one system of the size of q:
//
//     (M - g D - g^2 K) kv = F + g K rq,   kq = rq + g kv,    g = gamma h
//
// Work is bounded and nothing is kept from one step to the next but the motion itself.
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/virtual_power/virtual_power.h"

#define GAMMA 0.29289321881345248  // 1 - 1/sqrt(2)

typedef struct mover {
    const arm *a;
    arm_memory *m;
    const model_call *call;
    int n;
} mover;

// K and D by forward differences: a W-method asks for no more.
static void differentiate(const mover *s, const situation *at) {
    const chain *c = &s->a->chain;
    arm_memory *m = s->m;
    const int n = s->n;
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
    lu_solve(n, m->by_rate, m->pivot, kv);
}

// M - g D - g^2 K in place of D, factored.
static bool factor(const mover *s, double g) {
    arm_memory *m = s->m;
    const int n = s->n;
    for (int i = 0; i < n * n; i++)
        m->by_rate[i] = m->M[i] - g * m->by_rate[i] - g * g * m->by_q[i];
    return lu_factor(n, m->by_rate, m->pivot);
}

static void start_values(const mover *s) {
    arm_memory *m = s->m;
    const size_t bytes = sizeof(double) * (size_t)s->n;
    memcpy(m->trial, m->q, bytes);
    memcpy(m->trial_rates, m->rates, bytes);
}

// First stage: k1 = (q1, v1) in step and Q2.
static bool first_stage(const mover *s, const situation *at, double h) {
    const chain *c = &s->a->chain;
    arm_memory *m = s->m;
    const size_t bytes = sizeof(double) * (size_t)s->n;
    start_values(s);
    find_forces(s->a, m, at, m->q, m->rates);
    mass_matrix(c, m->discs, m->composites, m->M);
    memcpy(m->Q2, m->Q, bytes);
    differentiate(s, at);
    if (!factor(s, GAMMA * h)) return false;
    stage(s, GAMMA * h, m->rates, m->Q2);
    for (int k = 0; k < s->n; k++) m->step[k] = m->rates[k] + GAMMA * h * m->Q2[k];
    return true;
}

// Second stage at the end of the first: right side f(y + h k1) - 2 k1, the acceleration by the mass
// matrix there, times that of the start, which the factors belong to.
static bool second_stage(const mover *s, const situation *at, double h) {
    const chain *c = &s->a->chain;
    arm_memory *m = s->m;
    const int n = s->n;
    for (int k = 0; k < n; k++) {
        m->trial[k] = m->q[k] + h * m->step[k];
        m->trial_rates[k] = m->rates[k] + h * m->Q2[k];
    }
    find_forces(s->a, m, at, m->trial, m->trial_rates);
    memcpy(m->step2, m->Q, sizeof(double) * (size_t)n);
    dense_mul_vec(n, n, m->M, m->Q2, m->Q);  // M k1v, with the first mass matrix
    mass_matrix(c, m->discs, m->composites, m->M2);
    if (!cholesky_factor(n, m->M2)) return false;
    cholesky_solve(n, m->M2, m->step2);
    dense_mul_vec(n, n, m->M, m->step2, m->actuation);
    for (int k = 0; k < n; k++) {
        m->step2[k] = m->actuation[k] - 2.0 * m->Q[k];
        m->trial[k] = m->trial_rates[k] - 2.0 * m->step[k];  // rq
    }
    stage(s, GAMMA * h, m->trial, m->step2);
    for (int k = 0; k < n; k++) m->trial[k] += GAMMA * h * m->step2[k];
    return true;
}

static td_status step_arm(const mover *s, const situation *before, const situation *after,
                          double h) {
    arm_memory *m = s->m;
    if (!first_stage(s, before, h) || !second_stage(s, after, h)) {
        snprintf(s->call->message, MODEL_MESSAGE_SIZE,
                 "rod '%s': its mass matrix is not positive definite: discs need mass, and with "
                 "torsion inertia about the axis",
                 s->a->name);
        return TD_ERR_SINGULAR;
    }
    for (int k = 0; k < s->n; k++) {
        m->q[k] += h * (1.5 * m->step[k] + 0.5 * m->trial[k]);
        m->rates[k] += h * (1.5 * m->Q2[k] + 0.5 * m->step2[k]);
    }
    s->call->stats->evaluations += 2;
    s->call->stats->iterations += 2;
    return check_arcs(s->a, m->q, s->call->message);
}

td_status power_step(const void *compiled, void *memory, const model_call *call, double dt,
                     bool fresh) {
    const virtual_power *c = compiled;
    power_memory *m = memory;
    for (int i = 0; i < c->n_arms; i++) {
        const arm *a = &c->arms[i];
        // After a jump the inputs have had their new values since the start of the step.
        const double *start = fresh ? call->inputs : call->inputs_before;
        situation before = situation_of(c, a, start, SLIP_SLIDING);
        situation after = situation_of(c, a, call->inputs, SLIP_SLIDING);
        mover s = {a, &m->arms[i], call, a->chain.n_q};
        td_status status = step_arm(&s, &before, &after, dt);
        if (status < 0) return status;
    }
    note_energy(c, m, call->inputs, dt);
    for (int i = 0; i < c->n_arms; i++) call->stats->slack += m->arms[i].slack;
    return TD_OK;
}
