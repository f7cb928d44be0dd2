// model/rom/step.c - time: a fixed linearly implicit step, or steps that SUNDIALS chooses.
#include <stdio.h>
#include <string.h>

#include "math/positive.h"
#include "model/rom/rom.h"

// Inputs vary linearly over a step, and so do their rates, by which bases move: from those at the end
// of the last step. After a jump, inputs have had their values and rates since the start.
typedef struct step_context {
    const rom *c;
    rom_memory *m;
    const rom_rod *r;
    rod_memory *rm;
    const double *before, *after;  // inputs
    const double *rates_before, *rates_after;
    bool fresh;
    double dt;
    int evaluations;
    situation at;  // of the last evaluation
} step_context;

static situation situation_at(const step_context *s, double t) {
    const double x = t / s->dt;
    rom_memory *m = s->m;
    for (int i = 0; i < s->c->n_inputs; i++) {
        const double change = s->rates_after[i] - s->rates_before[i];
        m->inputs[i] = (1.0 - x) * s->before[i] + x * s->after[i];
        m->rates[i] = s->rates_before[i] + x * change;
        m->accelerations[i] = change / s->dt;
    }
    if (!s->r->moves) return rom_situation(s->c, s->r, m->inputs);
    situation at = rom_moving(s->c, s->r, m->inputs, m->rates, m->accelerations);
    if (!s->fresh) return at;
    // Only what is given jumps: the base comes to where it is at the end by its rate.
    for (int i = 0; i < s->c->n_inputs; i++) m->inputs[i] = s->after[i] - (s->dt - t) * m->rates[i];
    at.base = rod_base(s->r, m->inputs, m->rates, m->accelerations);
    memcpy(m->inputs, s->after, sizeof(double) * (size_t)s->c->n_inputs);
    at.gravity = mat3_tmul_vec(&at.base.pose.R, rom_gravity(s->c, m->inputs));
    return at;
}

static void forces(void *context, double t, const double *q, const double *rates,
                   const double *accelerations, double *F, double *powers) {
    step_context *s = context;
    s->at = situation_at(s, t);
    s->at.accelerations = accelerations;
    rod_forces(s->r, s->rm, &s->at, q, rates);
    memcpy(F, s->rm->Q, sizeof(double) * (size_t)s->r->curve.n_q);
    s->evaluations++;
    if (!powers) return;
    powers[POWER_LOST] = s->rm->lost;
    powers[POWER_GIVEN] = s->rm->given;
}

static void mass(void *context, double *M) {
    step_context *s = context;
    rod_mass(s->r, s->rm, M);
}

static void tangent(void *context, double *by_q, double *by_rate) {
    step_context *s = context;
    const int n = s->r->curve.n_q;
    rod_tangent(s->r, s->rm, &s->at, by_q, by_rate);
    for (int i = 0; i < n * n; i++) {
        by_q[i] = -by_q[i];
        by_rate[i] = -by_rate[i];
    }
}

static bool fits(void *context, const double *q) {
    const step_context *s = context;
    char message[MODEL_MESSAGE_SIZE];
    return rod_check(s->r, q, message) >= 0;
}

static motion motion_of(step_context *s, int i) {
    s->r = &s->c->rods[i];
    s->rm = &s->m->rods[i];
    return (motion){.n = s->r->curve.n_q,
                    .context = s,
                    .forces = forces,
                    .mass = mass,
                    .fits = fits,
                    .unit = s->r->curve.unit,
                    .tangent = tangent};
}

// ---------------------------------------------------------------- energy
static void keep_bases(const rom *c, rom_memory *m, const double *inputs, const double *rates) {
    for (int i = 0; i < c->n_rods; i++) {
        const base_motion base = rod_base(&c->rods[i], inputs, rates, NULL);
        base_keep(&base, m->rods[i].base);
    }
    for (int i = 0; i < c->n_inputs; i++) m->rates_before[i] = rates ? rates[i] : 0.0;
}

static double stored_now(const rom *c, rom_memory *m, const double *inputs) {
    double stored = 0.0;
    for (int i = 0; i < c->n_rods; i++) {
        situation at = rom_situation(c, &c->rods[i], inputs);
        stored += rod_keep_efforts(&c->rods[i], &m->rods[i], &at);
    }
    return stored;
}

void rom_start_energy(const rom *c, rom_memory *m, const double *inputs) {
    keep_bases(c, m, inputs, NULL);
    *m->sums = (kept_sums){.stored = stored_now(c, m, inputs)};
}

// What drives store is work that has not arrived.
static void note_energy(const rom *c, rom_memory *m, const double *inputs,
                        const double energies[N_POWERS]) {
    const double stored = stored_now(c, m, inputs);
    m->sums->dissipated += energies[POWER_LOST];
    m->sums->work += energies[POWER_GIVEN] + stored - m->sums->stored;
    m->sums->stored = stored;
}

// Sections of the shape that the step begins with.
static void stretch_all(const rom *c, rom_memory *m) {
    for (int i = 0; i < c->n_rods; i++) {
        if (!c->rods[i].curve.law.mean_stretch) continue;
        curve_move(&c->rods[i].curve, m->rods[i].q, NULL, NULL, m->rods[i].moved);
        curve_stretch(&c->rods[i].curve, m->rods[i].moved, &m->rods[i].stretched);
    }
}

// ---------------------------------------------------------------- the fixed step
static td_status refuse_mass(const rom_rod *r, char *message) {
    snprintf(message, MODEL_MESSAGE_SIZE,
             "rod '%s': its mass matrix is not positive definite: it needs a density, and numbers "
             "that are finite",
             r->name);
    return TD_ERR_SINGULAR;
}

// By the middle of the step.
static double base_work(step_context *s, const double *q, const double *rates) {
    rod_memory *m = s->rm;
    for (int k = 0; k < s->r->curve.n_q; k++) {
        m->step[k] = (m->rates[k] - rates[k]) / s->dt;
        m->trial[k] = 0.5 * (q[k] + m->q[k]);
        m->start[k] = 0.5 * (rates[k] + m->rates[k]);
    }
    situation at = situation_at(s, 0.5 * s->dt);
    at.accelerations = m->step;
    rod_forces(s->r, m, &at, m->trial, m->start);
    return s->dt * base_power(s->r, m, &at.base);
}

static td_status fixed_step(step_context *s, const model_call *call) {
    motion_report report = {0};
    for (int i = 0; i < s->c->n_rods; i++) {
        const motion m = motion_of(s, i);
        double *q = s->rm->K, *rates = s->rm->K2;  // as the step begins
        memcpy(q, s->rm->q, sizeof(double) * (size_t)m.n);
        memcpy(rates, s->rm->rates, sizeof(double) * (size_t)m.n);
        const motion_outcome outcome =
            motion_step(&m, &s->rm->work, s->rm->q, s->rm->rates, s->dt, &report);
        if (s->r->moves && outcome == MOTION_DONE)
            report.energies[POWER_GIVEN] += base_work(s, q, rates);
        if (outcome == MOTION_TOO_FAR) return rod_check(s->r, s->rm->q, call->message);
        if (outcome == MOTION_SINGULAR) return refuse_mass(s->r, call->message);
        call->stats->slack += s->rm->slack;
    }
    call->stats->iterations = report.iterations;
    call->stats->evaluations = s->evaluations;
    call->stats->jacobians = report.jacobians;
    call->stats->fallbacks = report.fallbacks;
    note_energy(s->c, s->m, call->inputs, report.energies);
    return TD_OK;
}

// ---------------------------------------------------------------- SUNDIALS
// y: q and q' of all rods, then the energies lost and given since the start of the step.
bool rom_outside(const void *compiled) {
    return ((const rom *)compiled)->options.integration.method != TD_STEPS_FIXED;
}

static bool rates_of_all(void *context, double t, const double *y, double *y_t) {
    const rom_memory *m = context;
    step_context *s = m->stepping;
    double *sums = y_t + 2 * s->c->n_q;
    memset(sums, 0, sizeof(double) * N_POWERS);
    for (int i = 0; i < s->c->n_rods; i++) {
        const motion each = motion_of(s, i);
        double powers[N_POWERS];
        if (!motion_rates(&each, &s->rm->work, t, y, y_t, powers)) return false;
        if (s->r->moves) {
            s->at.accelerations = y_t + each.n;
            rod_forces(s->r, s->rm, &s->at, y, y + each.n);
            powers[POWER_GIVEN] += base_power(s->r, s->rm, &s->at.base);
        }
        for (int k = 0; k < N_POWERS; k++) sums[k] += powers[k];
        y += 2 * each.n;
        y_t += 2 * each.n;
    }
    return true;
}

bool rom_attach(const void *compiled, void *memory) {
    const rom *c = compiled;
    rom_memory *m = memory;
    const td_integration_options *o = &c->options.integration;
    return integrator_make(&m->outside, 2 * c->n_q + N_POWERS, o->method == TD_STEPS_EXPLICIT,
                           o->relative, o->absolute, rates_of_all, m);
}

void rom_detach(void *memory) {
    integrator_free(&((rom_memory *)memory)->outside);
}

static void copy_vector(const rom *c, rom_memory *m, double *y, bool to) {
    for (int i = 0; i < c->n_rods; i++) {
        const size_t n = (size_t)c->rods[i].curve.n_q, bytes = sizeof(double) * n;
        double *q = m->rods[i].q, *rates = m->rods[i].rates;
        memcpy(to ? y : q, to ? q : y, bytes);
        memcpy(to ? y + n : rates, to ? rates : y + n, bytes);
        y += 2 * n;
    }
    if (to) memset(y, 0, sizeof(double) * N_POWERS);
}

static td_status chosen_steps(step_context *s, const model_call *call, bool fresh) {
    rom_memory *m = s->m;
    double *y = integrator_vector(&m->outside);
    m->stepping = s;
    copy_vector(s->c, m, y, true);
    const integrator_report report =
        integrator_advance(&m->outside, s->dt, fmin(fresh ? 0.0 : m->sums->inner_step, s->dt));
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
    m->sums->inner_step = report.last;
    return TD_OK;
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
static bool kick(step_context *s, int index) {
    const rom_rod *r = &s->c->rods[index];
    rod_memory *m = &s->m->rods[index];
    const int n = r->curve.n_q;
    const base_motion before = base_kept(m->base);
    s->r = r;
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
    if (!positive_factor(n, m->K)) return false;
    positive_solve(n, m->K, m->step);
    const double had = kinetic_of(r, m, &before);
    for (int k = 0; k < n; k++) m->rates[k] += m->step[k];
    s->m->sums->work += kinetic_of(r, m, &after) - had;
    return true;
}

// A body that is picked up when a step begins afresh brings its energy, and takes it when dropped.
static void bring_bodies(const step_context *s, const model_call *call) {
    for (int i = 0; i < s->c->n_rods; i++) {
        const rom_rod *r = &s->c->rods[i];
        const curve *c = &r->curve;
        rod_memory *m = &s->m->rods[i];
        const base_motion base = base_kept(m->base);
        const vec3 gravity = mat3_tmul_vec(&base.pose.R, rom_gravity(s->c, call->inputs));
        if (c->n_riders == 0) continue;
        move_all(r, m, &base);
        for (int k = 0; k < c->n_riders; k++) {
            const rider *b = &c->riders[k];
            const place_motion *p = &m->moved[b->place];
            const double change = number_value(b->attached, call->inputs) -
                                  number_value(b->attached, call->inputs_before);
            if (change == 0.0) continue;
            s->m->sums->work += change * (curve_lump_kinetic(&b->lump, p) +
                                          rod_weight_energy(&base, &b->lump, p, gravity));
        }
    }
}

static bool begin(step_context *s, const model_call *call) {
    stretch_all(s->c, s->m);
    if (!s->fresh) return true;
    bring_bodies(s, call);
    for (int i = 0; i < s->c->n_rods; i++)
        if (s->c->rods[i].moves && !kick(s, i)) return false;
    return true;
}

td_status rom_step(const void *compiled, void *memory, const model_call *call, double dt,
                   bool fresh) {
    const rom *c = compiled;
    rom_memory *m = memory;
    step_context s = {.c = c,
                      .m = m,
                      .before = fresh ? call->inputs : call->inputs_before,
                      .after = call->inputs,
                      .rates_before = fresh ? call->rates : m->rates_before,
                      .rates_after = call->rates,
                      .fresh = fresh,
                      .dt = dt};
    if (!begin(&s, call)) return refuse_mass(s.r, call->message);
    td_status status = rom_outside(c) ? chosen_steps(&s, call, fresh) : fixed_step(&s, call);
    for (int i = 0; i < c->n_rods && status >= 0; i++)
        status = rod_check(&c->rods[i], m->rods[i].q, call->message);
    if (status >= 0) keep_bases(c, m, call->inputs, call->rates);
    return status;
}
