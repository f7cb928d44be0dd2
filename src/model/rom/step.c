// model/rom/step.c - one step in time of all rods.
#include <string.h>

#include "math/positive.h"
#include "model/rom/rom.h"

// Inputs vary linearly over a step, and so do their rates, by which bases move: from those at the
// end of the last step. After a jump, inputs have had their values and rates since the start.
typedef struct step_context {  // the step that runs
    const rom *c;
    rom_memory *m;
    const rom_rod *r;  // whose forces are asked for
    rod_memory *rm;
    step_inputs inputs;
    const double *rates_before, *rates_after;
    bool fresh;
    char *message;
    situation at;  // of the last evaluation
} step_context;

// Only what is given jumps: a base comes to where it is at the end by its rate.
static base_motion base_at(const step_context *s, double t) {
    const rom *c = s->c;
    rom_memory *m = s->m;
    const double x = t / s->inputs.dt;
    for (int i = 0; i < c->n_inputs; i++) {
        const double change = s->rates_after[i] - s->rates_before[i];
        m->rates[i] = s->rates_before[i] + x * change;
        m->accelerations[i] = change / s->inputs.dt;
        m->places[i] =
            s->fresh ? s->inputs.after[i] - (s->inputs.dt - t) * m->rates[i] : s->inputs.now[i];
    }
    return rod_base(s->r, m->places, m->rates, m->accelerations);
}

static situation situation_at(const step_context *s, double t) {
    const double *inputs = step_inputs_at(&s->inputs, t);
    if (!s->r->moves) return rom_situation(s->c, s->r, inputs);
    const base_motion base = base_at(s, t);
    return rom_moving(s->c, inputs, &base);
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
    return base_power(s->r, m, &s->at.base);
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
    powers[POWER_GIVEN] = s->rm->given;
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
static void keep_bases(const rom *c, rom_memory *m, const double *inputs, const double *rates) {
    for (int i = 0; i < c->n_rods; i++) {
        const base_motion base = rod_base(&c->rods[i], inputs, rates, NULL);
        base_keep(&base, m->rods[i].base);
    }
    for (int i = 0; i < c->n_inputs; i++) m->rates_before[i] = rates ? rates[i] : 0.0;
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
    keep_bases(c, m, inputs, NULL);
    *m->energy = (kept_energy){.drives = keep_efforts(c, m, inputs)};
    for (int i = 0; i < c->n_rods; i++) motion_reset(c->rods[i].curve.n_q, &m->rods[i].work);
}

// Sections of the shape that the step begins with. Forces do not answer to their change, so what it
// stores or frees in a shape that stays is work.
static void stretch_all(const rom *c, rom_memory *all) {
    for (int i = 0; i < c->n_rods; i++) {
        const rom_rod *r = &c->rods[i];
        rod_memory *m = &all->rods[i];
        if (!r->curve.law.mean_stretch) continue;
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

// A body that is picked up when a step begins afresh brings its energy, and takes it when dropped.
static void bring_bodies(const step_context *s, const model_call *call) {
    for (int i = 0; i < s->c->n_rods; i++) {
        const rom_rod *r = &s->c->rods[i];
        rod_memory *m = &s->m->rods[i];
        const base_motion base = base_kept(m->base);
        const vec3 gravity = mat3_tmul_vec(&base.pose.R, rom_gravity(s->c, call->inputs));
        if (r->curve.n_riders > 0) move_all(r, m, &base);
        for (int k = 0; k < r->curve.n_riders; k++) {
            const rider *b = &r->curve.riders[k];
            const place_motion *p = &m->moved[b->place];
            const double change = number_value(b->attached, call->inputs) -
                                  number_value(b->attached, call->inputs_before);
            if (change == 0.0) continue;
            s->m->energy->work += change * (curve_lump_kinetic(&b->lump, p) +
                                            rod_weight_energy(&base, &b->lump, p, gravity));
        }
    }
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

static void begin(step_context *s, const model_call *call) {
    stretch_all(s->c, s->m);
    if (!s->fresh) return;
    bring_bodies(s, call);
    for (int i = 0; i < s->c->n_rods; i++)
        if (s->c->rods[i].moves) kick(s, i);
}

td_status rom_step(const void *compiled, void *memory, const model_call *call, double dt,
                   bool fresh) {
    const rom *c = compiled;
    rom_memory *m = memory;
    double energies[N_POWERS];
    step_context s = {.c = c,
                      .m = m,
                      .inputs = step_inputs_of(call, c->n_inputs, m->inputs, dt, fresh),
                      .rates_before = fresh ? call->rates : m->rates_before,
                      .rates_after = call->rates,
                      .fresh = fresh,
                      .message = call->message};
    moving_chains all = {
        .n = c->n_rods, .n_q = c->n_q, .context = &s, .one = one, .needs = "rods need a density"};
    begin(&s, call);
    td_status status =
        chains_step(&all, &m->time, &c->options.integration, call, dt, fresh, m->energy, energies);
    if (status < 0) return status;
    chains_note_energy(m->energy, energies, keep_efforts(c, m, call->inputs));
    keep_bases(c, m, call->inputs, call->rates);
    for (int i = 0; i < c->n_rods; i++) call->stats->slack += m->rods[i].slack;
    return status;
}
