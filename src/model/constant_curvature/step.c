// model/constant_curvature/step.c - time: a fixed linearly implicit step, or steps that SUNDIALS
// chooses.
#include <stdio.h>
#include <string.h>

#include "model/constant_curvature/constant_curvature.h"

typedef struct step_context {  // the step that runs: inputs vary linearly over it
    const constant_curvature *c;
    arcs_memory *m;
    const arm *a;
    arm_memory *am;
    const double *before, *after;
    double dt;
    int evaluations;
} step_context;

static situation situation_at(const step_context *s, double t) {
    double x = t / s->dt, *now = s->m->inputs;
    for (int i = 0; i < s->c->n_inputs; i++) now[i] = (1.0 - x) * s->before[i] + x * s->after[i];
    return arcs_situation(s->c, s->a, now);
}

static void forces(void *context, double t, const double *q, const double *rates,
                   const double *accelerations, double *F, double *powers) {
    step_context *s = context;
    const arm *a = s->a;
    situation at = situation_at(s, t);
    at.accelerations = accelerations;
    arm_forces(a, s->am, &at, q, rates);
    memcpy(F, s->am->Q, sizeof(double) * (size_t)a->chain.n_q);
    s->evaluations++;
    if (!powers) return;
    powers[POWER_LOST] = arcs_damping_power(&a->chain, q, rates);
    powers[POWER_GIVEN] = arm_load_power(a, s->am);
    for (int k = 0; k < a->chain.n_q; k++) powers[POWER_GIVEN] += s->am->actuation[k] * rates[k];
}

static void mass(void *context, double *M) {
    step_context *s = context;
    arcs_mass_matrix(&s->a->chain, s->am->arcs, M);
}

static motion motion_of(step_context *s, int i) {
    s->a = &s->c->arms[i];
    s->am = &s->m->arms[i];
    return (motion){.n = s->a->chain.n_q,
                    .context = s,
                    .forces = forces,
                    .mass = mass,
                    .unit = s->a->unit};
}

// ---------------------------------------------------------------- energy
void arcs_start_energy(const constant_curvature *c, arcs_memory *m, const double *inputs) {
    *m->energy = (kept_energy){0};
    for (int i = 0; i < c->n_arms; i++) {
        situation at = arcs_situation(c, &c->arms[i], inputs);
        m->energy->drives += arm_keep_efforts(&c->arms[i], &m->arms[i], &at);
    }
}

// What drives store is work that has not arrived.
static void note_energy(const constant_curvature *c, arcs_memory *m, const double *inputs,
                        const double energies[N_POWERS]) {
    double stored = 0.0;
    for (int i = 0; i < c->n_arms; i++) {
        situation at = arcs_situation(c, &c->arms[i], inputs);
        stored += arm_keep_efforts(&c->arms[i], &m->arms[i], &at);
    }
    m->energy->dissipated += energies[POWER_LOST];
    m->energy->work += energies[POWER_GIVEN] + stored - m->energy->drives;
    m->energy->drives = stored;
}

// ---------------------------------------------------------------- the fixed step
static td_status refuse_mass(const arm *a, char *message) {
    snprintf(message, MODEL_MESSAGE_SIZE,
             "rod '%s': its mass matrix is not positive definite: segments need mass", a->name);
    return TD_ERR_SINGULAR;
}

static td_status fixed_step(step_context *s, const model_call *call) {
    motion_report report = {0};
    for (int i = 0; i < s->c->n_arms; i++) {
        motion m = motion_of(s, i);
        if (motion_step(&m, &s->am->work, s->am->q, s->am->rates, s->dt, &report) != MOTION_DONE)
            return refuse_mass(s->a, call->message);
        call->stats->slack += s->am->slack;
    }
    call->stats->iterations = report.iterations;
    call->stats->evaluations = s->evaluations;
    call->stats->jacobians = report.jacobians;
    call->stats->fallbacks = report.fallbacks;
    note_energy(s->c, s->m, call->inputs, report.energies);
    return TD_OK;
}

// ---------------------------------------------------------------- SUNDIALS
// y: q and q' of all arms, then the energies lost and given since the start of the step.
bool arcs_outside(const void *compiled) {
    const constant_curvature *c = compiled;
    return c->options.integration.method != TD_STEPS_FIXED;
}

static bool rates_of_all(void *context, double t, const double *y, double *y_t) {
    const arcs_memory *m = context;
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

bool arcs_attach(const void *compiled, void *memory) {
    const constant_curvature *c = compiled;
    arcs_memory *m = memory;
    const td_integration_options *o = &c->options.integration;
    return integrator_make(&m->outside, 2 * c->n_q + N_POWERS, o->method == TD_STEPS_EXPLICIT,
                           o->relative, o->absolute, rates_of_all, m);
}

void arcs_detach(void *memory) {
    arcs_memory *m = memory;
    integrator_free(&m->outside);
}

static void copy_vector(const constant_curvature *c, arcs_memory *m, double *y, bool to) {
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
    arcs_memory *m = s->m;
    double *y = integrator_vector(&m->outside);
    m->stepping = s;
    copy_vector(s->c, m, y, true);
    integrator_report report =
        integrator_advance(&m->outside, s->dt, fmin(fresh ? 0.0 : m->energy->inner_step, s->dt));
    m->stepping = NULL;
    call->stats->iterations = report.steps;
    call->stats->evaluations = s->evaluations;
    if (report.flag < 0) {
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "SUNDIALS gave up within the step (flag %d after %d inner steps): tolerances may "
                 "be out of reach, or the motion too violent",
                 report.flag, report.steps);
        return TD_ERR_NOT_CONVERGED;
    }
    copy_vector(s->c, m, y, false);
    note_energy(s->c, m, call->inputs, y + 2 * s->c->n_q);
    m->energy->inner_step = report.last;
    return TD_OK;
}

td_status arcs_step(const void *compiled, void *memory, const model_call *call, double dt,
                    bool fresh) {
    const constant_curvature *c = compiled;
    // After a jump the inputs have had their new values since the start of the step.
    step_context s = {.c = c,
                      .m = memory,
                      .before = fresh ? call->inputs : call->inputs_before,
                      .after = call->inputs,
                      .dt = dt};
    td_status status = arcs_outside(c) ? chosen_steps(&s, call, fresh) : fixed_step(&s, call);
    for (int i = 0; i < c->n_arms && status >= 0; i++)
        status = arm_check(&c->arms[i], s.m->arms[i].q, call->message);
    return status;
}
