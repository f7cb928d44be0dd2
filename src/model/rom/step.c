// model/rom/step.c - one step in time of all rods.
#include <string.h>

#include "math/positive.h"
#include "model/rom/rom.h"

typedef struct step_context {  // the step that runs
    const rom *c;
    rom_memory *m;
    const rom_rod *r;  // whose forces are asked for
    rod_memory *rm;
    bool fresh;
    char *message;
    situation at;  // of the last evaluation
} step_context;

static situation situation_at(const step_context *s, double t) {
    step_inputs *in = &s->m->within;
    step_inputs_at(in, t);
    if (!s->r->moves) return rom_situation(s->c, s->r, in->given);
    const base_motion base = base_moved(&s->r->base, in->places, in->rates, in->accelerations);
    return rom_moving(s->c, in->given, &base);
}

// ---------------------------------------------------------------- forces
// With accelerations as they are, which are found where they are not given.
static double power_of_base(step_context *s, const double *q, const double *rates) {
    rod_memory *m = s->rm;
    const int n = s->r->curve.n_q;
    if (!s->at.accelerations) {
        memcpy(m->step, m->Q, sizeof(double) * (size_t)n);
        rod_mass(s->r, m, m->K);
        if (!positive_factor(n, m->K)) return 0.0;
        positive_solve(n, m->K, m->step);
        s->at.accelerations = m->step;
        rod_forces(s->r, m, &s->at, q, rates);
    }
    return vec6_dot(base_reaction(s->r, m), (vec6){s->at.base.w, s->at.base.v});
}

// W, of a gravity that changes while the shape is what it is.
static double weight_by(const step_context *s) {
    const vec3 change = environment_gravity_rate(&s->c->around, s->m->within.given_rates);
    const vec3 local = mat3_tmul_vec(&s->at.base.pose.R, change);
    double sum = 0.0;
    if (vec3_dot(change, change) == 0.0) return 0.0;
    for (int i = 0; i < s->r->curve.n_places; i++)
        sum += rod_weight_energy(&s->at.base, &s->rm->lumps[i], &s->rm->moved[i], local);
    return sum;
}

static void forces(void *context, double t, const double *q, const double *rates,
                   const double *accelerations, double *F, double *powers) {
    step_context *s = context;
    s->at = situation_at(s, t);
    s->at.accelerations = accelerations;
    rod_forces(s->r, s->rm, &s->at, q, rates);
    memcpy(F, s->rm->Q, sizeof(double) * (size_t)s->r->curve.n_q);
    if (!powers) return;
    powers[POWER_LOST] = s->rm->lost;
    powers[POWER_GIVEN] = s->rm->given + weight_by(s);
    if (s->r->moves) powers[POWER_GIVEN] += power_of_base(s, q, rates);
}

static void mass(void *context, double *M) {
    const step_context *s = context;
    rod_mass(s->r, s->rm, M);
}

static void tangent(void *context, double *by_q, double *by_rate) {
    const step_context *s = context;
    const int n = s->r->curve.n_q;
    rod_tangent(s->r, s->rm, &s->at, by_q, by_rate);
    for (int i = 0; i < n * n; i++) {
        by_q[i] = -by_q[i];
        by_rate[i] = -by_rate[i];
    }
}

static bool fits(void *context, const double *q) {
    const step_context *s = context;
    return rod_check(s->r, q, s->message) >= 0;
}

static moving_chain one(void *context, int i) {
    step_context *s = context;
    const rom_rod *r = s->r = &s->c->rods[i];
    rod_memory *m = s->rm = &s->m->rods[i];
    motion moves = {.n = r->curve.n_q,
                    .context = s,
                    .forces = forces,
                    .mass = mass,
                    .fits = fits,
                    .unit = r->curve.unit,
                    .tangent = tangent};
    return (moving_chain){moves, m->q, m->rates, &m->work, r->name};
}

// ---------------------------------------------------------------- energy
static void keep_bases(const rom *c, rom_memory *m, const double *inputs, const double *rates,
                       const double *accelerations) {
    for (int i = 0; i < c->n_rods; i++) {
        const base_motion base = base_moved(&c->rods[i].base, inputs, rates, accelerations);
        base_keep(&base, m->rods[i].base);
    }
}

static double keep_efforts(const rom *c, rom_memory *m, const double *inputs) {
    double stored = 0.0;
    for (int i = 0; i < c->n_rods; i++) {
        situation at = rom_situation(c, &c->rods[i], inputs);
        stored += rod_keep_efforts(&c->rods[i], &m->rods[i], &at);
    }
    return stored;
}

void rom_start_energy(const rom *c, rom_memory *m, const double *inputs) {
    keep_bases(c, m, inputs, NULL, NULL);
    *m->energy = (kept_energy){.stored = keep_efforts(c, m, inputs)};
    for (int i = 0; i < c->n_rods; i++) motion_reset(c->rods[i].curve.n_q, &m->rods[i].work);
}

// Sections of the shape that the step begins with. Forces do not answer to their change, so what it
// stores or frees in a shape that stays is work.
static void stretch_all(const rom *c, rom_memory *all) {
    for (int i = 0; i < c->n_rods; i++) {
        const rom_rod *r = &c->rods[i];
        rod_memory *m = &all->rods[i];
        if (!r->curve.follows) continue;
        curve_use_stretch(&r->curve, m->stretched);
        curve_move(&r->curve, m->q, NULL, NULL, m->moved);
        const double before = rod_elastic_energy(r, m);
        curve_stretch(&r->curve, m->moved, m->stretched);
        all->energy->work += rod_elastic_energy(r, m) - before;
    }
}

// ---------------------------------------------------------------- what jumps
static void move_all(const rom_rod *r, rod_memory *m, const base_motion *base) {
    curve_move(&r->curve, m->q, m->rates, NULL, m->moved);
    for (int i = 0; i < r->curve.n_places; i++) base_carry(base, &m->moved[i]);
}

static double kinetic_of(const rom_rod *r, rod_memory *m, const base_motion *base) {
    double sum = 0.0;
    move_all(r, m, base);
    for (int i = 0; i < r->curve.n_places; i++)
        sum += curve_lump_kinetic(&m->lumps[i], &m->moved[i]);
    return sum;
}

// A base whose velocity jumps leaves the rod behind: momenta of the coordinates stay, rates change.
static void kick(step_context *s, int index) {
    one(s, index);
    const rom_rod *r = s->r;
    rod_memory *m = s->rm;
    const int n = r->curve.n_q;
    const base_motion before = base_kept(m->base);
    situation at = situation_at(s, 0.0);
    const base_motion after = at.base;
    at.base = (base_motion){.pose = after.pose};
    rod_forces(r, m, &at, m->q, NULL);
    memcpy(m->step, m->Q, sizeof(double) * (size_t)n);
    at.base.w_t = vec3_sub(after.w, before.w);
    at.base.v_t = vec3_sub(after.v, before.v);
    rod_forces(r, m, &at, m->q, NULL);
    for (int k = 0; k < n; k++) m->step[k] = m->Q[k] - m->step[k];
    rod_mass(r, m, m->K);
    if (!positive_factor(n, m->K)) return;  // the step will say so
    positive_solve(n, m->K, m->step);
    const double had = kinetic_of(r, m, &before);
    for (int k = 0; k < n; k++) m->rates[k] += m->step[k];
    s->m->energy->work += kinetic_of(r, m, &after) - had;
}

// ---------------------------------------------------------------- time
bool rom_outside(const void *compiled) {
    return ((const rom *)compiled)->options.integration.method != TD_STEPS_FIXED;
}

bool rom_attach(const void *compiled, void *memory) {
    const rom *c = compiled;
    chain_integrator *time = &((rom_memory *)memory)->time;
    return chains_attach(time, &c->options.integration, c->n_q) && chains_use_tangents(time);
}

void rom_detach(void *memory) {
    chains_detach(&((rom_memory *)memory)->time);
}

static void begin(step_context *s) {
    stretch_all(s->c, s->m);
    if (!s->fresh) return;
    for (int i = 0; i < s->c->n_rods; i++)
        if (s->c->rods[i].moves) kick(s, i);
}

td_status rom_step(const void *compiled, void *memory, const model_call *call, double dt,
                   bool fresh) {
    const rom *c = compiled;
    rom_memory *m = memory;
    double energies[N_POWERS];
    step_context s = {.c = c, .m = m, .fresh = fresh, .message = call->message};
    moving_chains all = {
        .n = c->n_rods, .n_q = c->n_q, .context = &s, .one = one, .needs = "rods need a density"};
    step_inputs_begin(&m->within, call, dt, fresh, rom_outside(c));
    m->energy->work += step_inputs_bring(&m->within, rom_energy, c, m);
    begin(&s);
    td_status status =
        chains_step(&all, &m->time, &c->options.integration, call, dt, fresh, m->energy, energies);
    if (status < 0) return status;
    chains_note_energy(m->energy, energies, keep_efforts(c, m, call->inputs));
    step_inputs_at(&m->within, dt);
    keep_bases(c, m, call->inputs, call->rates, m->within.accelerations);
    for (int i = 0; i < c->n_rods; i++) call->stats->slack += m->rods[i].slack;
    return status;
}
