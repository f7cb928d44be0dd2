// model/virtual_power/statics.c - equilibria: Newton's method, along a path of growing loads.
//
// Under tension a robot of discs has several equilibria, and Newton's method from the straight
// shape may find the wrong one. So loads come first, then tension grows from zero without
// friction, then friction. Near an equilibrium already, a direct solve replaces all that.
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/virtual_power/virtual_power.h"

#define NEAR 0.02            // rad, residual of a subsegment from where a direct solve is tried
#define LONGEST 0.3          // rad, by which a correction may bend a subsegment
#define MOST_AT_ONCE 25      // iterations: a step of the path that takes more is too long
#define HALVINGS 10          // of a correction
#define SMALLEST_SHARE 1e-3  // step of the path
#define SPREAD 1e-6          // m, see contact.width
#define LOOSE 1e-6           // rad, residual that is still an answer

typedef struct solve {
    const arm *a;
    arm_memory *m;
    const model_call *call;
    double tolerance;
    int most;  // iterations
    situation at;
    int sign;            // of the determinant of the stiffness at the start of the path
    double bifurcation;  // share of the path where it changed; 0: it did not
} solve;

// What a residual means: the angle by which a subsegment is off.
static double stiffness_of(const chain *c, int k) {
    const segment *s = &c->segments[k / c->per];
    int local = k % c->per;
    double K = s->stiffness[local == 0 ? 1 : local == 1 ? 0 : 2];
    for (int j = 0; j < c->n_drives; j++)
        if (k / c->per < c->drives[j].end)
            K += local == 2 ? c->drives[j].torsion : c->drives[j].bending;
    return local == 2 ? K / s->length : K;
}

static double residual_of(const solve *s, const double *q) {
    const chain *c = &s->a->chain;
    find_forces(s->a, s->m, &s->at, q, NULL);
    s->call->stats->evaluations++;
    double most = 0.0;
    for (int k = 0; k < c->n_q; k++) {
        double r = fabs(s->m->Q[k]) / stiffness_of(c, k);
        if (!(r <= most)) most = r;  // takes a NaN along
    }
    return most;
}

// By central differences, exact to about 1e-10 of the stiffness.
bool factor_stiffness(const arm *a, arm_memory *m, const situation *at, double *q) {
    const chain *c = &a->chain;
    const int n = c->n_q;
    for (int k = 0; k < n; k++) {
        double keep = q[k], e = k % c->per == 2 ? 1e-5 : 1e-6 / c->segments[k / c->per].length;
        q[k] = keep + e;
        find_forces(a, m, at, q, NULL);
        memcpy(m->Q2, m->Q, sizeof(double) * (size_t)n);
        q[k] = keep - e;
        find_forces(a, m, at, q, NULL);
        q[k] = keep;
        for (int r = 0; r < n; r++) m->by_q[r * n + k] = (m->Q[r] - m->Q2[r]) / (2.0 * e);
    }
    return lu_factor(n, m->by_q, m->pivot);
}

static bool factor(const solve *s, double *q) {
    s->call->stats->jacobians++;
    s->call->stats->evaluations += 2 * s->a->chain.n_q;
    return factor_stiffness(s->a, s->m, &s->at, q);
}

static double step_size(const chain *c, const double *step) {
    double most = 0.0;
    for (int k = 0; k < c->n_q; k++) {
        double angle = k % c->per == 2 ? step[k] : step[k] * c->segments[k / c->per].length;
        if (!(fabs(angle) <= most)) most = fabs(angle);
    }
    return most;
}

// One correction, shortened until the residual falls. False: it does not.
static bool correct(const solve *s, double *q, double *residual) {
    const chain *c = &s->a->chain;
    arm_memory *m = s->m;
    const int n = c->n_q;
    if (!factor(s, q)) return false;
    residual_of(s, q);
    memcpy(m->step, m->Q, sizeof(double) * (size_t)n);
    lu_solve(n, m->by_q, m->pivot, m->step);
    double size = step_size(c, m->step);
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

// Newton's method; rounding of forces and differences may stop it a little above the tolerance.
static bool solve_at(solve *s, double *q, double *residual) {
    *residual = residual_of(s, q);
    int done = 0;
    while (*residual > s->tolerance && done++ < s->most) {
        if (!correct(s, q, residual)) break;
        s->call->stats->iterations++;
    }
    return *residual <= fmax(s->tolerance, 1e-9);
}

// Is there a change of stability between the start and here?
static void note_sign(solve *s, double *q, double share) {
    if (!factor(s, q)) return;
    int sign = lu_sign(s->a->chain.n_q, s->m->by_q, s->m->pivot);
    if (s->sign == 0) s->sign = sign;
    if (sign != s->sign && s->bifurcation == 0.0) s->bifurcation = share;
}

// Takes one share of the situation from 0 to 1.
static bool follow(solve *s, double *share, double *q, double *residual) {
    const size_t bytes = sizeof(double) * (size_t)s->a->chain.n_q;
    double done = 0.0, step = 1.0;
    while (done < 1.0) {
        memcpy(s->m->step2, q, bytes);
        *share = fmin(1.0, done + step);
        if (step < 1.0) s->call->stats->load_steps++;
        if (solve_at(s, q, residual)) {
            done = *share;
            step *= 2.0;
            continue;
        }
        memcpy(q, s->m->step2, bytes);
        step *= 0.25;
        if (step < SMALLEST_SHARE) break;
    }
    *share = done;
    return done >= 1.0;
}

// ---------------------------------------------------------------- friction
bool chain_rubs(const chain *c) {
    for (int j = 0; j < c->n_drives; j++)
        if (c->drives[j].friction > 0.0) return true;
    return false;
}

// Where a rod hardly moved, its friction may have any size up to the full one; the sign alone then
// leaves no equilibrium, and a narrow ramp in its place does.
static td_status add_friction(solve *s, double *q, double *residual) {
    s->at.law = SLIP_STATIC;
    s->m->contact.width = 0.0;
    if (follow(s, &s->at.friction, q, residual)) return TD_OK;
    s->m->contact.width = SPREAD;
    s->call->stats->fallbacks++;
    bool found = follow(s, &s->at.friction, q, residual);
    s->m->contact.width = 0.0;
    if (found) return TD_OK;
    s->at.friction = 1.0;
    *residual = residual_of(s, q);
    return *residual <= LOOSE ? TD_LOOSE : TD_ERR_NOT_CONVERGED;
}

// ---------------------------------------------------------------- the whole path
static void refuse(const solve *s, const char *what, double reached) {
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': no equilibrium found beyond %.4g %% of its %s: beyond that it may have "
             "none, or jump to another",
             s->a->name, 100.0 * reached, what);
    s->call->stats->load_reached = reached;
}

static td_status follow_loads(solve *s, double *q, double *residual) {
    memset(q, 0, sizeof(double) * (size_t)s->a->chain.n_q);
    s->at.loads = s->at.tension = 0.0;
    s->at.law = SLIP_NONE;
    solve_at(s, q, residual);
    note_sign(s, q, 0.0);
    if (!follow(s, &s->at.loads, q, residual)) {
        refuse(s, "gravity and loads", s->at.loads);
        return TD_ERR_NOT_CONVERGED;
    }
    note_sign(s, q, 1.0);
    if (!follow(s, &s->at.tension, q, residual)) {
        refuse(s, "tension", s->at.tension);
        return TD_ERR_NOT_CONVERGED;
    }
    note_sign(s, q, 1.0);
    return TD_OK;
}

static td_status solve_arm(solve *s) {
    const chain *c = &s->a->chain;
    arm_memory *m = s->m;
    double residual, *q = m->q;
    memset(m->rates, 0, sizeof(double) * (size_t)c->n_q);
    memcpy(m->trial_rates, q, sizeof(double) * (size_t)c->n_q);  // where it began
    s->at.law = SLIP_NONE;
    bool direct = residual_of(s, q) < NEAR && solve_at(s, q, &residual);
    td_status status = direct ? TD_OK : follow_loads(s, q, &residual);
    if (status >= 0 && chain_rubs(c)) status = add_friction(s, q, &residual);
    if (status == TD_ERR_NOT_CONVERGED && !s->call->message[0])
        refuse(s, "friction", s->at.friction);
    if (status >= 0 && residual > fmax(s->tolerance, 1e-9)) status = TD_LOOSE;
    s->call->stats->residual = fmax(s->call->stats->residual, residual);
    return status;
}

static td_status finish(const solve *s) {
    td_status status = check_arcs(s->a, s->m->q, s->call->message);
    if (status < 0) return status;
    s->m->contact.width = 0.0;
    keep_tensions(s->a, s->m, &s->at, s->m->q, NULL);
    s->call->stats->slack += s->m->slack;
    if (s->bifurcation == 0.0) return TD_OK;
    s->call->stats->bifurcation = s->bifurcation;
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': the equilibrium lost its stability on the way to its loads", s->a->name);
    return TD_BIFURCATION;
}

td_status power_statics(const void *compiled, void *memory, const model_call *call) {
    const virtual_power *c = compiled;
    power_memory *m = memory;
    td_status worst = TD_OK;
    call->stats->load_reached = 1.0;
    const int most =
        c->options.max_iterations < MOST_AT_ONCE ? c->options.max_iterations : MOST_AT_ONCE;
    for (int i = 0; i < c->n_arms; i++) {
        solve s = {.a = &c->arms[i],
                   .m = &m->arms[i],
                   .call = call,
                   .tolerance = c->options.tolerance,
                   .most = most,
                   .at = situation_of(c, &c->arms[i], call->inputs, SLIP_NONE)};
        td_status status = solve_arm(&s);
        if (status < 0) return status;
        td_status ending = finish(&s);
        if (ending < 0) return ending;
        if (status != TD_OK) worst = status;
        if (ending != TD_OK) worst = ending;
    }
    start_energy(c, m);
    return worst;
}
