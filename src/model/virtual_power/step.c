// model/virtual_power/step.c - one step in time of all chains.
#include <string.h>

#include "model/virtual_power/virtual_power.h"

typedef struct step_context {  // the step that runs
    const virtual_power *c;
    power_memory *m;
    const arm *a;  // the chain whose forces are asked for
    arm_memory *am;
    char *message;
} step_context;

static void forces(void *context, double t, const double *q, const double *rates,
                   const double *accelerations, double *F, double *powers) {
    step_context *s = context;
    step_inputs *within = &s->m->within;
    step_inputs_at(within, t);
    situation at = situation_of(s->c, s->a, within->given, SLIP_SLIDING);
    at.accelerations = accelerations;
    find_forces(s->a, s->am, &at, q, rates);
    memcpy(F, s->am->Q, sizeof(double) * (size_t)s->a->chain.n_q);
    if (!powers) return;
    powers[POWER_LOST] = lost_power(s->a, s->am, rates);
    powers[POWER_GIVEN] =
        given_power(s->a, s->am, &at, rates) + weight_by(s->c, s->a, s->am, within->given_rates);
}

static void mass(void *context, double *M) {
    step_context *s = context;
    mass_matrix(&s->a->chain, s->am->discs, s->am->composites, M);
}

static bool fits(void *context, const double *q) {
    step_context *s = context;
    return check_arcs(s->a, q, s->message) >= 0;
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

bool power_outside(const void *compiled) {
    const virtual_power *c = compiled;
    return c->options.integration.method != TD_STEPS_FIXED;
}

bool power_attach(const void *compiled, void *memory) {
    const virtual_power *c = compiled;
    return chains_attach(&((power_memory *)memory)->time, &c->options.integration, c->n_q);
}

void power_detach(void *memory) {
    chains_detach(&((power_memory *)memory)->time);
}

td_status power_step(const void *compiled, void *memory, const model_call *call, double dt,
                     bool fresh) {
    const virtual_power *c = compiled;
    power_memory *m = memory;
    step_context s = {.c = c, .m = m, .message = call->message};
    step_inputs_begin(&m->within, call, dt, fresh, power_outside(c));
    m->energy->work += step_inputs_bring(&m->within, power_energy, c, m);
    moving_chains all = {.n = c->n_arms,
                         .n_q = c->n_q,
                         .context = &s,
                         .one = one,
                         .needs = "discs need mass, and with torsion inertia about the axis"};
    double energies[N_POWERS];
    td_status status =
        chains_step(&all, &m->time, &c->options.integration, call, dt, fresh, m->energy, energies);
    if (status < 0) return status;
    note_energy(c, m, call->inputs, energies);
    for (int i = 0; i < c->n_arms; i++) call->stats->slack += m->arms[i].slack;
    return status;
}
