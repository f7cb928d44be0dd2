// model/constant_curvature/step.c - one step in time of all arms.
#include <string.h>

#include "model/constant_curvature/constant_curvature.h"

typedef struct step_context {  // the step that runs
    const constant_curvature *c;
    arcs_memory *m;
    const arm *a;  // whose forces are asked for
    arm_memory *am;
    char *message;
} step_context;

static void forces(void *context, double t, const double *q, const double *rates,
                   const double *accelerations, double *F, double *powers) {
    step_context *s = context;
    const arm *a = s->a;
    step_inputs *within = &s->m->within;
    step_inputs_at(within, t);
    situation at = arcs_situation(s->c, a, within->given);
    at.accelerations = accelerations;
    arm_forces(a, s->am, &at, q, rates);
    memcpy(F, s->am->Q, sizeof(double) * (size_t)a->chain.n_q);
    arcs_add_stops(&a->chain, q, F);
    if (!powers) return;
    powers[POWER_LOST] = arcs_damping_power(&a->chain, q, rates);
    powers[POWER_GIVEN] =
        arm_load_power(a, s->am) +
        arm_weight_energy(a, s->am, number_rates_at(s->c->gravity, within->given_rates));
    for (int k = 0; k < a->chain.n_q; k++) powers[POWER_GIVEN] += s->am->actuation[k] * rates[k];
}

static void mass(void *context, double *M) {
    step_context *s = context;
    arcs_mass_matrix(&s->a->chain, s->am->arcs, M);
}

static bool fits(void *context, const double *q) {
    step_context *s = context;
    return arm_check(s->a, q, 1.0, s->message) >= 0;
}

static moving_chain one(void *context, int i) {
    step_context *s = context;
    const arm *a = s->a = &s->c->arms[i];
    arm_memory *m = s->am = &s->m->arms[i];
    motion moves = {.n = a->chain.n_q,
                    .context = s,
                    .forces = forces,
                    .mass = mass,
                    .fits = fits,
                    .unit = a->unit};
    return (moving_chain){moves, m->q, m->rates, &m->work, a->name};
}

// ---------------------------------------------------------------- energy
static double keep_efforts(const constant_curvature *c, arcs_memory *m, const double *inputs) {
    double stored = 0.0;
    for (int i = 0; i < c->n_arms; i++) {
        situation at = arcs_situation(c, &c->arms[i], inputs);
        stored += arm_keep_efforts(&c->arms[i], &m->arms[i], &at);
    }
    return stored;
}

void arcs_start(const constant_curvature *c, arcs_memory *m, const double *inputs) {
    for (int i = 0; i < c->n_arms; i++) motion_reset(c->arms[i].chain.n_q, &m->arms[i].work);
    *m->energy = (kept_energy){.drives = keep_efforts(c, m, inputs)};
}

// ---------------------------------------------------------------- time
bool arcs_outside(const void *compiled) {
    const constant_curvature *c = compiled;
    return c->options.integration.method != TD_STEPS_FIXED;
}

bool arcs_attach(const void *compiled, void *memory) {
    const constant_curvature *c = compiled;
    return chains_attach(&((arcs_memory *)memory)->time, &c->options.integration, c->n_q);
}

void arcs_detach(void *memory) {
    chains_detach(&((arcs_memory *)memory)->time);
}

// An arm that the step left at a stop is where no arc holds any more.
static td_status tell_stops(const constant_curvature *c, const arcs_memory *m, char *message) {
    for (int i = 0; i < c->n_arms; i++)
        if (arm_check(&c->arms[i], m->arms[i].q, 0.0, message) < 0) return TD_LOOSE;
    return TD_OK;
}

td_status arcs_step(const void *compiled, void *memory, const model_call *call, double dt,
                    bool fresh) {
    const constant_curvature *c = compiled;
    arcs_memory *m = memory;
    step_context s = {.c = c, .m = m, .message = call->message};
    step_inputs_begin(&m->within, call, dt, fresh, arcs_outside(c));
    m->energy->work += step_inputs_bring(&m->within, arcs_energy, c, m);
    moving_chains all = {
        .n = c->n_arms, .n_q = c->n_q, .context = &s, .one = one, .needs = "segments need mass"};
    double energies[N_POWERS];
    td_status status =
        chains_step(&all, &m->time, &c->options.integration, call, dt, fresh, m->energy, energies);
    if (status < 0) return status;
    chains_note_energy(m->energy, energies, keep_efforts(c, m, call->inputs));
    for (int i = 0; i < c->n_arms; i++) call->stats->slack += m->arms[i].slack;
    return status == TD_OK ? tell_stops(c, m, call->message) : status;
}
