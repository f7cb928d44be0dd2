// solve/step.c - steps in time. A formula has stages, each one implicit, from q* and v*, which follow
// from the start of the step and the stages before; the last stage is its end. With g = gamma h:
//
//     q* = q0 + h (s v0 + f v1),   q = q* + g v
//     v* = v0 + h (s a0 + f a1),   v = v* + g a
//
// The midpoint rule ends beyond its only stage, where the part's own rule says (middle_rule).
//
// On a manifold sums are steps one after the other, which keeps the order. Where a stage is not
// found, much happens within the step, which is then taken in parts, at most MOST_SHARES of them: work
// stays bounded. Only in the smallest parts corrections are shortened.
#include "solve/step.h"

#include "solve/carried.h"
#include "solve/engines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_SHARES 256
#define MILD_PART 0.125  // of a step that shall be mild
#define MOST_RENEWALS 6  // of the matrix, in one stage; twice that in the smallest parts
#define SHORTEST 0.05    // share of a correction, there
#define CLOSE 1e-10      // rad: a correction that is none; or less, where the options ask for it
#define ROUNDING 1e-8    // rad: where rounding may stop the iteration
#define AGREE 1e-6       // rad: what will do where nothing better is found

#define GAMMA 0.29289321881345248  // 1 - 1/sqrt(2)
typedef struct step_formula {
    int n;
    double gamma;
    double at[2];          // of the step, where each stage is
    double from_start[2];  // s
    double from_first[2];  // f
    double weight[2];      // of the powers of each stage
    bool reaches;          // beyond its last stage
} step_formula;
// L-stable, of order 2
static const step_formula sdirk2 = {
    2, GAMMA, {GAMMA, 1.0}, {0.0, 0.0}, {0.0, 1.0 - GAMMA}, {1.0 - GAMMA, GAMMA}, false};
static const step_formula euler = {1, 1.0, {1.0}, {0.0}, {0.0}, {1.0}, false};
static const step_formula midpoint = {1, 0.5, {0.5}, {0.0}, {0.0}, {1.0}, true};

typedef struct mover {
    solve_stage s;
    step_run *step;
    solve_part *part;      // that of s
    const mechanics *how;  // of the part at any instant; `middle`: in the middle of a step
    mechanics middle;
    double energies[N_POWERS];
    bool massless;
    bool through;  // a part ended beyond an obstacle: the message says so
    bool deep;     // something is too deep in an obstacle that is hard
} mover;

solve_instant instant_within(step_run *s, const solve_part *p, double t, double cv) {
    const step_inputs *in = s->within;
    step_inputs_at(s->within, t);
    return (solve_instant){.t = t,
                           .cv = cv,
                           .ca = cv * cv,
                           .inputs = in->given,
                           .input_rates = in->given_rates,
                           .places = in->places,
                           .place_rates = in->rates,
                           .place_accelerations = in->accelerations,
                           .shares = ALL_SHARES,
                           .soft = p->gives,
                           .engines = engines_stages(s->call->engines)};
}

// Is there a mass for every coordinate where the step begins? Only where the matrix is dense.
static bool has_mass(const mover *w) {
    solve_part p = *w->s.p;
    solve_instant at = w->s.at;
    const configuration c = {p.m->q, p.m->l, p.m->v, p.m->a};
    if (part_linear(&p) != &dense_ops) return true;
    p.n_l = 0;
    at.soft = true;
    p.how->residual(p.of, &at, &c, p.m->r, NULL);
    return part_factor_mass(&p, &at, &c);
}

// ---------------------------------------------------------------- stages
// With the accelerations in ta as a guess. last: it ends its step.
static bool solve_one(mover *w, double t, double cv, bool last, double weight,
                      const stage_rules *rules) {
    const solve_part *p = w->s.p;
    const solve_memory *m = p->m;
    w->step->within->led = p->led && !last;
    w->s.at = instant_within(w->step, p, t, cv);
    w->step->within->led = false;
    if (p->led && !last) w->s.at.lead = 1.0 / cv;
    for (int k = 0; k < p->n_q; k++) m->tv[k] = m->star_v[k] + m->ta[k] / cv;
    double depth = 0.0;
    int pushes = 0;
    do {
        if (!stage_solve(&w->s, rules)) {
            if (*m->valid == 0.0) w->massless = !has_mass(w);
            return false;
        }
        depth = part_depth(p, &w->s.at, m->tq, push_after(pushes), NULL);
    } while (depth > 1.0 && pushes++ < MOST_PUSHES);
    w->deep = depth > 1.0;
    if (w->step->call->engines) {  // with the efforts of the shape that was found
        stage_residual(&w->s, m->r, NULL);
        engines_found(w->step->call->engines, w->s.at.inputs);
    }
    for (int i = 0; i < N_POWERS; i++) w->energies[i] += weight * w->s.powers[i];
    return true;
}

// Of a stage in a part of the step that begins at t.
static stage_way way_of(const mover *w, const step_formula *f, int stage, double t, double h) {
    return (stage_way){t,
                       t + f->at[0] * h,
                       t + f->at[stage] * h,
                       f->from_first[stage] * h,
                       f->gamma * h,
                       w->s.p->led && f->n > 1};
}

// q* and v* of a stage.
static void set_out(const mover *w, const step_formula *f, int stage, double t, double h) {
    const solve_part *p = w->s.p;
    const solve_memory *m = p->m;
    const double start = f->from_start[stage] * h, first = f->from_first[stage] * h;
    copy_doubles(p->n_x, m->star, m->q);
    copy_doubles(p->n_q, m->star_v, m->v);
    if (start > 0.0) {
        part_advance(p, m->q, start, m->v, m->star);
        for (int k = 0; k < p->n_q; k++) m->star_v[k] += start * m->a[k];
    }
    if (first > 0.0) {
        copy_doubles(p->n_x, m->bq, m->star);
        part_advance(p, m->bq, first, m->tv, m->star);
        for (int k = 0; k < p->n_q; k++) m->star_v[k] += first * m->ta[k];
    }
    const stage_way way = way_of(w, f, stage, t, h);
    if (p->n_bases && !f->reaches) carry_along(p, w->step->within, &way);
}

static void set_engines_out(const mover *w, const step_formula *f, int stage, double h) {
    const engines *e = w->step->call->engines;
    if (e) engines_set_out(e, 1.0 / (f->gamma * h), f->from_first[stage] * h);
}

static void arrived(mover *w) {
    const engines *e = w->step->call->engines;
    const solve_part *p = w->s.p;
    const solve_memory *m = p->m;
    copy_doubles(p->n_x, m->q, m->tq);
    copy_doubles(p->n_l, m->l, m->tl);
    copy_doubles(p->n_q, m->v, m->tv);
    copy_doubles(p->n_q, m->a, m->ta);
    copy_doubles(N_POWERS, m->powers, w->s.powers);
    if (e) engines_arrived(e);
}

static void tell_stage(mover *w, const step_formula *f, int stage, double t, double h) {
    step_watch *watch = w->step->watch;
    if (!watch) return;
    ASSERT(f->from_start[stage] == 0.0);  // else accelerations were part of the state
    watch->within = w->step->within;
    const stage_way way = way_of(w, f, stage, t, h);
    watch->stage(watch, w->s.p, &w->s.at, stage, &way);
}

static void tell_taken(mover *w) {
    step_watch *watch = w->step->watch;
    if (watch) watch->taken(watch, w->s.p);
}

static void recall_factors(const solve_part *p) {
    if (!part_linear(p)->keeps) *p->m->valid = 0.0;
    for (int k = 0; k < part_n(p); k++) p->m->pivot[k] = (int)p->m->pivots[k];
}

// From the middle of a step to its end, at t, with the accelerations there.
static bool reach(mover *w, double t, double h) {
    const solve_part *p = w->s.p;
    const solve_memory *m = p->m;
    const double cv = w->s.at.cv;
    p->middle->reach(p->of, h, m);
    w->s.at = instant_within(w->step, p, t, cv);
    w->massless = !part_accelerations(p, &w->s.at, m->tq, m->tv, m->ta, w->s.powers);
    recall_factors(p);
    return !w->massless;
}

typedef enum part_end { ARRIVED, NOT_FOUND, SNAPPED, STRUCK } part_end;

static bool has_struck(const solve_part *p) {
    return p->touch && touch_is_hard(p->touch) && touch_struck(p->touch, p->touched);
}

// Has it gone through an obstacle, from t on for h?
static bool passes(mover *w, double t, double h) {
    const solve_part *p = w->s.p;
    if (!p->touch) return false;
    const solve_instant start = instant_within(w->step, p, t, w->s.at.cv);
    through_from(p, &start, p->m->q, false);
    const solve_instant end = instant_within(w->step, p, t + h, w->s.at.cv);
    return through_to(p, &end, p->m->tq, w->step->call->message);
}

static part_end take(mover *w, const step_formula *f, double t, double h, bool last_try) {
    const solve_part *p = w->s.p;
    const solve_memory *m = p->m;
    const bool parts = w->step->call->mild != STEP_AS_ASKED;  // their errors sum, as momenta
    const double close = fmin(CLOSE, w->step->call->options->tolerance);
    const stage_rules rules = {.tolerance = (parts ? MILD_PART * MILD_PART : 1.0) * close,
                               .longest = HUGE_VAL,
                               .shortest = last_try ? SHORTEST : 1.0,
                               .loose = last_try ? AGREE : ROUNDING,
                               .renewals = (last_try ? 2 : 1) * MOST_RENEWALS};
    double before[N_POWERS];
    if (p->touch) touch_mark(p->touch, p->touched);
    memcpy(before, w->energies, sizeof before);
    // What swings undamped has accelerations that say nothing of the mean of a step.
    if (f->reaches) memset(m->ta, 0, sizeof(double) * (size_t)p->n_q);
    else copy_doubles(p->n_q, m->ta, m->a);
    copy_doubles(p->n_l, m->tl, m->l);
    part_end end = ARRIVED;
    w->part->how = f->reaches ? &w->middle : w->how;
    for (int i = 0; i < f->n && end == ARRIVED; i++) {
        set_out(w, f, i, t, h);
        set_engines_out(w, f, i, h);
        if (!solve_one(w, t + f->at[i] * h, 1.0 / (f->gamma * h), i + 1 == f->n, f->weight[i] * h,
                       &rules))
            end = NOT_FOUND;
        else if (f != &euler && p->how->snapped && p->how->snapped(p->of, m->l, m->tl))
            end = SNAPPED;
        else if (f != &euler && has_struck(p)) end = STRUCK;
        else tell_stage(w, f, i, t, h);
    }
    w->part->how = w->how;
    if (end == ARRIVED && f->reaches && !reach(w, t + h, h)) end = NOT_FOUND;
    // A root that goes too far is rarely the one that a smaller part would find.
    if (end == ARRIVED && !last_try && p->how->fits &&
        p->how->fits(p->of, &w->s.at, m->tq, w->step->call->message) < 0)
        end = NOT_FOUND;
    w->through = end == ARRIVED && passes(w, t, h);
    if (w->through) end = NOT_FOUND;
    if (end == ARRIVED) arrived(w), tell_taken(w);
    else memcpy(w->energies, before, sizeof before);
    return end;
}

static double energy_at(mover *w, double t) {
    const solve_part *p = w->s.p;
    const solve_instant at = instant_within(w->step, p, t, 1.0 / w->step->dt);
    const configuration c = {p->m->q, p->m->l, p->m->v, p->m->a};
    return p->how->energy ? p->how->energy(p->of, &at, &c) : 0.0;
}

// An impact: velocities jump. The second stage, which sets out beyond the first, would throw the rod
// back with 1.4 times its velocity; backward Euler stops it. The energy that is gone then is
// dissipated.
static bool take_impact(mover *w, double t, double h, bool last_try) {
    const double had = energy_at(w, t), lost = w->energies[POWER_LOST],
                 given = w->energies[POWER_GIVEN];
    if (take(w, &euler, t, h, last_try) != ARRIVED) return false;
    w->energies[POWER_LOST] = lost + had + (w->energies[POWER_GIVEN] - given) - energy_at(w, t + h);
    return true;
}

static bool take_part(mover *w, double t, double h, bool last_try) {
    const step_formula *f = w->step->call->mild == STEP_BY_EULER ? &euler
                            : w->part->middle                    ? &midpoint
                                                                 : &sdirk2;
    const part_end end = take(w, f, t, h, last_try);
    if (end == STRUCK) return take(w, &euler, t, h, last_try) == ARRIVED;
    return end == ARRIVED || (end == SNAPPED && take_impact(w, t, h, last_try));
}

// ---------------------------------------------------------------- what jumps
// M dv = -(r with the jump as the acceleration of bases, less r without).
void solve_kick(step_run *s, const solve_part *whole) {
    solve_part p = *whole;
    const model_call *call = s->call;
    const solve_memory *m = p.m;
    solve_instant at = instant_within(s, &p, 0.0, 0.0);
    double *still = call->scratch, *jump = call->scratch + call->n_inputs, most = 0.0;
    const configuration c = {.q = m->q, .l = m->l};
    p.n_l = 0;
    at.soft = true;
    for (int i = 0; i < call->n_inputs; i++) {
        still[i] = 0.0;
        jump[i] = at.place_rates[i] - call->rates_before[i];
    }
    at.place_rates = at.place_accelerations = still;
    p.how->residual(p.of, &at, &c, m->r, NULL);
    at.place_accelerations = jump;
    p.how->residual(p.of, &at, &c, m->dz, NULL);
    for (int k = 0; k < p.n_q; k++) {
        m->dz[k] = m->r[k] - m->dz[k];
        most = fmax(most, fabs(m->dz[k]));
    }
    if (most == 0.0 || !part_factor_mass(&p, &at, &c)) return;  // without mass the step says so
    part_solve_mass(&p, m->dz);
    for (int k = 0; k < p.n_q; k++) m->v[k] += m->dz[k];
}

// ---------------------------------------------------------------- a step
static td_status refuse(const mover *w) {
    const solve_part *p = w->s.p;
    char *message = w->step->call->message;
    if (w->massless)
        return tell(message, TD_ERR_SINGULAR,
                    "%s '%s': its mass matrix is not positive definite: %s", part_noun(p), p->name,
                    p->needs ? p->needs : "it needs mass");
    if (w->through) {
        const size_t used = strlen(message);
        snprintf(message + used, MODEL_MESSAGE_SIZE - used,
                 ", in a step of %.4g s, also in parts of 1/%d; try a smaller one", w->step->dt,
                 MOST_SHARES);
        return TD_ERR_NOT_CONVERGED;
    }
    // What does not fit where the part begins fits nowhere near it: it knows better why.
    if (p->how->fits && p->how->fits(p->of, &w->s.at, p->m->q, message) < 0)
        return TD_ERR_NOT_CONVERGED;
    snprintf(
        message, MODEL_MESSAGE_SIZE,
        "%s '%s': Newton's method found no end of the step, also in parts of 1/%d: the motion is "
        "too violent; shorter steps or more damping may do",
        part_noun(p), part_culprit(p, p->m->dz), MOST_SHARES);
    return TD_ERR_NOT_CONVERGED;
}

static td_status tell_depth(const mover *w) {
    char *message = w->step->call->message;
    part_depth(w->s.p, &w->s.at, w->s.p->m->q, PUSH_NOT, message);
    const size_t used = strlen(message);
    snprintf(message + used, MODEL_MESSAGE_SIZE - used, ", after %d corrections that pushed it out",
             MOST_PUSHES);
    return TD_LOOSE;
}

static mechanics in_the_middle(const solve_part *p) {
    mechanics how = *p->how;
    if (!p->middle) return how;
    how.residual = p->middle->residual;
    how.tangent = p->middle->tangent;
    how.advance = p->middle->advance;
    how.rate_change = p->middle->rate_change;
    return how;
}

td_status solve_step(step_run *step, const solve_part *whole) {
    solve_part p = *whole;
    p.gives = p.gives || p.middle;
    if (p.gives) p.n_l = 0;
    mover w = {.s = {.p = &p, .stats = step->call->stats},
               .step = step,
               .part = &p,
               .how = p.how,
               .middle = in_the_middle(&p)};
    const double dt = step->dt, least = dt / MOST_SHARES;
    const double most = step->call->mild == STEP_AS_ASKED ? dt : MILD_PART * dt;
    double t = 0.0, h = dt;
    const td_status possible = part_possible(&p, step->call);
    if (possible < 0) return possible;
    recall_factors(&p);
    while (t < dt * (1.0 - 1e-9)) {
        h = fmin(fmin(h, most), dt - t);
        if (!take_part(&w, t, h, h <= least)) {
            if (h <= least || w.massless) return refuse(&w);
            h = fmax(0.5 * h, least);
            step->call->stats->fallbacks++;
            continue;
        }
        if (p.how->fits && p.how->fits(p.of, &w.s.at, p.m->q, step->call->message) < 0)
            return TD_ERR_VALUE;
        t += h;
        h *= 2.0;
    }
    step->call->message[0] = '\0';  // what `fits` said of ends that were not taken
    for (int i = 0; i < N_POWERS; i++) step->energies[i] += w.energies[i];
    return w.deep ? tell_depth(&w) : TD_OK;
}
