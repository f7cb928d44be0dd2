// model/virtual_power/step.c - time: a fixed linearly implicit step, or steps that SUNDIALS chooses.
#include <stdio.h>
#include <string.h>

#include "model/virtual_power/virtual_power.h"

typedef struct step_context {  // the step that runs: inputs vary linearly over it
    const virtual_power *c;
    power_memory *m;
    const arm *a;
    arm_memory *am;
    const double *before, *after;
    double dt;
    char *message;
    int evaluations;
} step_context;

static situation situation_at(const step_context *s, double t) {
    double x = t / s->dt, *now = s->m->inputs;
    for (int i = 0; i < s->c->n_inputs; i++) now[i] = (1.0 - x) * s->before[i] + x * s->after[i];
    return situation_of(s->c, s->a, now, SLIP_SLIDING);
}

// ---------------------------------------------------------------- one chain as a motion
static void forces(void *context, double t, const double *q, const double *rates,
                   const double *accelerations, double *F, double *powers) {
    step_context *s = context;
    situation at = situation_at(s, t);
    at.accelerations = accelerations;
    find_forces(s->a, s->am, &at, q, rates);
    memcpy(F, s->am->Q, sizeof(double) * (size_t)s->a->chain.n_q);
    s->evaluations++;
    if (!powers) return;
    powers[POWER_LOST] = lost_power(s->a, s->am, rates);
    powers[POWER_GIVEN] = given_power(s->a, s->am, &at, rates);
}

static void mass(void *context, double *M) {
    step_context *s = context;
    mass_matrix(&s->a->chain, s->am->discs, s->am->composites, M);
}

static bool fits(void *context, const double *q) {
    step_context *s = context;
    return check_arcs(s->a, q, s->message) >= 0;
}

static motion motion_of(step_context *s, int i) {
    s->a = &s->c->arms[i];
    s->am = &s->m->arms[i];
    return (motion){.n = s->a->chain.n_q,
                    .context = s,
                    .forces = forces,
                    .mass = mass,
                    .fits = fits,
                    .unit = s->a->unit};
}

// ---------------------------------------------------------------- the fixed step
static td_status refuse_mass(const step_context *s) {
    snprintf(s->message, MODEL_MESSAGE_SIZE,
             "rod '%s': its mass matrix is not positive definite: discs need mass, and with "
             "torsion inertia about the axis",
             s->a->name);
    return TD_ERR_SINGULAR;
}

static td_status fixed_step(step_context *s, const model_call *call) {
    motion_report report = {0};
    for (int i = 0; i < s->c->n_arms; i++) {
        motion m = motion_of(s, i);
        motion_outcome how = motion_step(&m, &s->am->work, s->am->q, s->am->rates, s->dt, &report);
        if (how == MOTION_SINGULAR) return refuse_mass(s);
        if (how == MOTION_TOO_FAR) return TD_ERR_VALUE;
    }
    call->stats->iterations += report.iterations;
    call->stats->evaluations += s->evaluations;
    call->stats->jacobians += report.jacobians;
    call->stats->fallbacks += report.fallbacks;
    note_energy(s->c, s->m, call->inputs, report.energies[POWER_LOST],
                report.energies[POWER_GIVEN]);
    for (int i = 0; i < s->c->n_arms; i++) call->stats->slack += s->m->arms[i].slack;
    return TD_OK;
}

// ---------------------------------------------------------------- SUNDIALS
// y: q and q' of all chains, then the energies lost and given since the start of the step.
bool power_outside(const void *compiled) {
    const virtual_power *c = compiled;
    return c->options.integration.method != TD_STEPS_FIXED;
}

static bool rates_of_all(void *context, double t, const double *y, double *y_t) {
    const power_memory *m = context;
    step_context *s = m->stepping;
    double *sums = y_t + 2 * s->c->n_q;
    memset(sums, 0, sizeof(double) * N_POWERS);
    for (int i = 0; i < s->c->n_arms; i++) {
        motion each = motion_of(s, i);
        double powers[N_POWERS];
        if (!motion_rates(&each, &s->am->work, t, y, y_t, powers)) return false;
        for (int k = 0; k < N_POWERS; k++) sums[k] += powers[k];
        y += 2 * each.n;
        y_t += 2 * each.n;
    }
    return true;
}

bool power_attach(const void *compiled, void *memory) {
    const virtual_power *c = compiled;
    power_memory *m = memory;
    const td_integration_options *o = &c->options.integration;
    return integrator_make(&m->outside, 2 * c->n_q + N_POWERS, o->method == TD_STEPS_EXPLICIT,
                           o->relative, o->absolute, rates_of_all, m);
}

void power_detach(void *memory) {
    power_memory *m = memory;
    integrator_free(&m->outside);
}

static void copy_vector(const virtual_power *c, power_memory *m, double *y, bool to) {
    for (int i = 0; i < c->n_arms; i++) {
        const size_t n = (size_t)c->arms[i].chain.n_q, bytes = sizeof(double) * n;
        double *q = m->arms[i].q, *rates = m->arms[i].rates;
        memcpy(to ? y : q, to ? q : y, bytes);
        memcpy(to ? y + n : rates, to ? rates : y + n, bytes);
        y += 2 * n;
    }
    if (to) memset(y, 0, sizeof(double) * N_POWERS);
}

static td_status chosen_steps(step_context *s, const model_call *call, bool fresh) {
    power_memory *m = s->m;
    double *y = integrator_vector(&m->outside), *sums = y + 2 * s->c->n_q;
    m->stepping = s;
    copy_vector(s->c, m, y, true);
    integrator_report report =
        integrator_advance(&m->outside, s->dt, fmin(fresh ? 0.0 : m->energy->inner_step, s->dt));
    m->stepping = NULL;
    call->stats->iterations += report.steps;
    call->stats->evaluations += s->evaluations;
    if (report.flag < 0) {
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "SUNDIALS gave up within the step (flag %d after %d inner steps): tolerances may "
                 "be out of reach, or the motion too violent",
                 report.flag, report.steps);
        return TD_ERR_NOT_CONVERGED;
    }
    copy_vector(s->c, m, y, false);
    for (int i = 0; i < s->c->n_arms; i++) {
        td_status status = check_arcs(&s->c->arms[i], m->arms[i].q, call->message);
        if (status < 0) return status;
    }
    note_energy(s->c, m, call->inputs, sums[POWER_LOST], sums[POWER_GIVEN]);
    m->energy->inner_step = report.last;
    return TD_OK;
}

td_status power_step(const void *compiled, void *memory, const model_call *call, double dt,
                     bool fresh) {
    // After a jump the inputs have had their new values since the start of the step.
    step_context s = {.c = compiled,
                      .m = memory,
                      .before = fresh ? call->inputs : call->inputs_before,
                      .after = call->inputs,
                      .dt = dt,
                      .message = call->message};
    return power_outside(compiled) ? chosen_steps(&s, call, fresh) : fixed_step(&s, call);
}
