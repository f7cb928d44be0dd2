// model/constant_curvature/mechanics.c - an arm as src/solve asks for it: residual, tangent, and how
// its points move. Drives whose measure is given and that do not stretch have efforts that are
// unknown in equilibria; in motions they give way a little.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/constant_curvature/constant_curvature.h"

static situation situation_at(const arm_at *w, const solve_instant *at, const configuration *x) {
    situation s = arcs_situation(w->c, w->a, at->inputs);
    s.share = at->shares[SHARE_LOADS];
    s.given = at->shares[SHARE_DRIVES];
    s.unknown = at->soft ? w->m->held : x->l;
    s.soft = at->soft;
    s.accelerations = x->a;
    s.engines = at->engines;
    w->m->past.elapsed = instant_elapsed(at);
    touch_move(&w->a->touch, &w->m->touch, at->places, at->place_rates, at->shares[SHARE_HARDNESS]);
    return s;
}

static balance balance_at(const arm_at *w, const drive *d, const solve_instant *at,
                          const configuration *x) {
    const double given = actuator_given(d->a, at->inputs, at->shares[SHARE_DRIVES]);
    const supply from = actuator_supply(d->a, given, at->shares[SHARE_DRIVES], at->engines);
    return drive_balance(&w->a->chain, d, from, x->l[d->unknown], x->q);
}

// ---------------------------------------------------------------- the residual
static void find_powers(const arm_at *w, const solve_instant *at, const configuration *x,
                        double *powers) {
    const chain *c = &w->a->chain;
    powers[POWER_LOST] = w->m->lost + arcs_damping_power(c, &w->m->past, x->q, x->v);
    powers[POWER_GIVEN] =
        w->m->given + arm_load_power(w->a, w->m) +
        arm_weight_energy(w->a, w->m, environment_gravity_rate(&w->c->around, at->input_rates));
    if (!environment_is_uniform(&w->c->around)) {
        const environment *e = &w->c->around;
        const double share = at->shares[SHARE_LOADS];
        const surroundings now = surroundings_at(e, at->inputs, share, NULL),
                           by = surroundings_rate(e, at->inputs, at->input_rates, share, NULL);
        powers[POWER_GIVEN] += arm_surrounding_energy(w->a, w->m, &now, &by);
    }
    for (int k = 0; k < c->n_q; k++) powers[POWER_GIVEN] += w->m->actuation[k] * x->v[k];
}

static void residual(void *of, const solve_instant *at, const configuration *x, double *r,
                     double *powers) {
    const arm_at *w = of;
    const chain *c = &w->a->chain;
    const situation s = situation_at(w, at, x);
    arm_forces(w->a, w->m, &s, x->q, x->v);
    if (powers && x->v) find_powers(w, at, x, powers);
    if (x->v) arcs_add_stops(c, x->q, w->m->Q);
    for (int k = 0; k < c->n_q; k++) r[k] = -w->m->Q[k];
    for (int i = 0; i < c->n_drives && !at->soft; i++) {
        const drive *d = &c->drives[i];
        if (d->unknown >= 0) r[c->n_q + d->unknown] = balance_at(w, d, at, x).residual;
    }
}

// ---------------------------------------------------------------- the tangent
static void add_stiffness(const arm_at *w, const solve_instant *at, const configuration *x,
                          double *K) {
    const chain *c = &w->a->chain;
    arm_memory *m = w->m;
    const situation s = situation_at(w, at, x);
    const vec3 lift = vec3_scale(s.gravity, -s.share);
    arcs_move(c, x->q, NULL, NULL, vec3_zero(), m->arcs);
    arm_find_wrenches(w->a, m, &s, false, true);
    arcs_add_geometric(c, x->q, lift, m->wrenches, m->slopes, m->arcs, m->Q, K);
    arcs_add_elastic_stiffness(c, &m->past, x->q, K);
    for (int i = 0; i < c->n_drives; i++)
        drive_add_stiffness(c, &c->drives[i], arm_effort(w->a, &s, i, x->q), x->q, K);
}

#define REACH 1e-6       // rad or lengths, of differences
#define RATE_REACH 1e-4  // the same a second

// K += factor times how forces but those of obstacles answer to one of the copies, q or v, with a minus sign.
static void add_differences(const arm_at *w, const situation *s, double *x, double reach,
                            double factor, double *K) {
    const int n = w->a->chain.n_q;
    double *q = w->m->copies, *v = q + n, *less = v + n;
    for (int k = 0; k < n && factor != 0.0; k++) {
        const double here = x[k], e = reach * w->a->unit[k];
        for (int side = -1; side < 2; side += 2) {
            x[k] = here + side * e;
            arm_forces(w->a, w->m, s, q, v);
            arcs_add_stops(&w->a->chain, q, w->m->Q);
            if (side < 0) copy_doubles(n, less, w->m->Q);
        }
        x[k] = here;
        for (int r = 0; r < n; r++) K[r * n + k] -= factor * (w->m->Q[r] - less[r]) / (2.0 * e);
    }
}

// Of a motion among obstacles, whose forces have kinks that differences would look across.
static void touching_motion(const arm_at *w, const solve_instant *at, const configuration *x,
                            const tangent_weights *o, double *K) {
    const chain *c = &w->a->chain;
    arm_memory *m = w->m;
    situation s = situation_at(w, at, x);
    copy_doubles(c->n_q, m->copies, x->q);
    copy_doubles(c->n_q, m->copies + c->n_q, x->v);
    s.alone = true;
    arcs_mass_matrix(c, m->arcs, K);  // where forces were asked for last
    for (int k = 0; k < c->n_q * c->n_q; k++) K[k] *= o->a;
    add_differences(w, &s, m->copies, REACH, o->q, K);
    add_differences(w, &s, m->copies + c->n_q, RATE_REACH, o->v, K);
    s.alone = false, s.touched = true;
    arcs_move(c, x->q, x->v, NULL, vec3_zero(), m->arcs);
    arm_find_wrenches(w->a, m, &s, true, true);
    arcs_add_geometric(c, x->q, vec3_zero(), m->wrenches, m->slopes, m->arcs, m->Q, K);
}

// Of a motion by differences: what inertia does against a change of shape has no closed form here.
static bool tangent(void *of, const solve_instant *at, const configuration *x,
                    const tangent_weights *o, double *K, double *r, double *powers) {
    const arm_at *w = of;
    const chain *c = &w->a->chain;
    const int n_q = c->n_q, n = n_q + (at->soft ? 0 : c->n_unknown);
    const bool moving = o->v != 0.0 || (o->q != 0.0 && o->a != 0.0);
    const bool touching = moving && w->a->touch.n > 0 && o->q == 1.0 && x->v;
    if (moving && !touching) return false;
    memset(K, 0, sizeof(double) * (size_t)n * (size_t)n);
    if (touching) touching_motion(w, at, x, o, K);
    else if (o->q != 0.0) add_stiffness(w, at, x, K);
    if (o->a != 0.0 && !touching)
        arcs_mass_matrix(c, w->m->arcs, K);  // where forces were asked for last
    for (int k = 0; k < n_q; k++) K[k * n_q + k] += o->own * w->a->own[k];
    efforts_make_room(n_q, n, K);
    for (int i = 0; i < c->n_drives && o->q != 0.0 && !at->soft; i++) {
        const drive *d = &c->drives[i];
        if (d->unknown < 0) continue;
        const balance b = balance_at(w, d, at, x);
        drive_slope(c, d, x->q, w->m->actuation);
        effort_put(d->a, &b, o, n_q, w->m->actuation, w->m->actuation, n_q + d->unknown, n, K);
    }
    if (r) residual(of, at, x, r, powers);
    return true;
}

// ---------------------------------------------------------------- segments that relax
static relaxing_section relaxing(void *of, int i) {
    const arm_at *w = of;
    return arcs_relaxing(&w->a->chain, &w->m->past, i);
}

static void strains(void *of, const solve_instant *at, const configuration *x, double *X) {
    (void)at, (void)x;
    arcs_strain_rows(&((const arm_at *)of)->a->chain, X);
}

static void strained(void *of, const solve_instant *at, const configuration *x, double *out) {
    (void)at;
    arcs_strains(&((const arm_at *)of)->a->chain, x->q, out);
}

// ---------------------------------------------------------------- inputs and points
// Forces are linear in gravity, wrenches and efforts.
static void by_input(void *of, const solve_instant *at, const configuration *x, int input,
                     double *dr) {
    const arm_at *w = of;
    const chain *c = &w->a->chain;
    const situation s = situation_at(w, at, x);
    memset(w->unit, 0, sizeof(double) * (size_t)w->c->n_inputs);
    w->unit[input] = 1.0;
    memset(dr, 0, sizeof(double) * (size_t)(c->n_q + c->n_unknown));
    arm_external_by(w->c, w->a, w->m, w->unit, x->q, dr);
    for (int i = 0; i < c->n_drives; i++) {
        const drive *d = &c->drives[i];
        const double given = effort_given_rate(d->a, at->inputs, w->unit);
        if (given != 0.0 && d->unknown < 0)
            drive_add(c, d, given * arm_effort(w->a, &s, i, x->q).by_given, x->q, dr);
    }
    for (int k = 0; k < c->n_q; k++) dr[k] = -dr[k];
    for (int i = 0; i < c->n_drives; i++) {
        const drive *d = &c->drives[i];
        if (d->unknown < 0) continue;
        const balance b = balance_at(w, d, at, x);
        dr[c->n_q + d->unknown] = effort_row_rate(d->a, &b, w->unit);
    }
}

// Rotation and translation under the change dz: the velocity at such rates.
static td_pose move(void *of, const solve_instant *at, const configuration *x, const double *dz,
                    const model_point *p, double moved[6]) {
    const arm_at *w = of;
    const chain *c = &w->a->chain;
    int i = 0;
    (void)at;
    while (i + 1 < c->n && p->s > c->segments[i].end) i++;
    const double along = 1.0 - (c->segments[i].end - p->s) / c->segments[i].length;
    arcs_move(c, x->q, dz ? dz : w->m->solve.v, NULL, vec3_zero(), w->m->arcs);
    const frame_motion f = arc_point_at(&w->m->arcs[i], fmax(0.0, fmin(1.0, along))).at;
    if (dz) vec3_store(moved, mat3_mul_vec(&w->a->base.R, f.turn));
    if (dz) vec3_store(moved + 3, mat3_mul_vec(&w->a->base.R, f.velocity));
    return pose_in(&w->a->base, &f.R, f.p);
}

// ---------------------------------------------------------------- words
static td_status fits(void *of, const solve_instant *at, const double *q, char *message) {
    return arm_check(((const arm_at *)of)->a, q, at->cv > 0.0 ? 1.0 : 0.0, message);
}

static void rest(void *of, const solve_instant *at, double *q) {
    (void)at;
    arcs_rest_shape(&((const arm_at *)of)->a->chain, q);
}

static const char *lacks_potential(void *of, const solve_instant *at) {
    const arm *a = ((const arm_at *)of)->a;
    if (a->chain.printed_scaling) return "its equations are the printed ones";
    if (touch_rubs(&a->touch)) return "obstacles rub";
    const char *why = NULL;
    for (int i = 0; i < a->chain.n_loads && !why; i++)
        why = load_lacks_potential(&a->wrenches[i], at->inputs);
    return why;
}

static void explain(void *of, const solve_instant *at, const configuration *x, char *message) {
    const arm_at *w = of;
    const chain *c = &w->a->chain;
    effort_gap widest = {0};
    for (int i = 0; i < c->n_drives; i++) {
        const drive *d = &c->drives[i];
        if (d->unknown < 0) continue;
        const balance b = balance_at(w, d, at, x);
        effort_compare(d->a, &b, &widest);
    }
    effort_explain(w->a->name, &widest, message);
}

static void points(void *of, const solve_instant *at, const double *q, vec3 *p) {
    const arm_at *w = of;
    const chain *c = &w->a->chain;
    touch_move(&w->a->touch, &w->m->touch, at->places, at->place_rates, at->shares[SHARE_HARDNESS]);
    arcs_move(c, q, NULL, NULL, vec3_zero(), w->m->arcs);
    for (int i = 0; i < c->n_loads; i++)
        if (c->loads[i].touch >= 0) p[c->loads[i].touch] = arm_touch(w->a, w->m, i, false).T.p;
}

#define ARCS_MECHANICS                                                                             \
    .residual = residual, .tangent = tangent, .fits = fits, .rest = rest,                          \
    .lacks_potential = lacks_potential, .explain = explain, .move = move, .relaxing = relaxing,    \
    .strains = strains, .strained = strained
static const mechanics arcs_mechanics = {ARCS_MECHANICS, .by_input = by_input};
// Inputs that move obstacles, and what surrounds it, by differences.
static const mechanics touching_mechanics = {ARCS_MECHANICS, .points = points};
static const mechanics surrounded_mechanics = {ARCS_MECHANICS};

solve_part arcs_part(const void *compiled, void *memory, int index) {
    const constant_curvature *c = compiled;
    const arm *a = &c->arms[index];
    arcs_memory *m = memory;
    solve_part p = {.how = a->touch.n    ? &touching_mechanics
                           : a->n_around ? &surrounded_mechanics
                                         : &arcs_mechanics,
                    .name = a->name,
                    .needs = "segments need mass",
                    .n_x = a->chain.n_q,
                    .n_q = a->chain.n_q,
                    .n_l = a->chain.n_unknown,
                    .unit = a->unit,
                    .effort_unit = a->effort_unit,
                    .gives = true};
    p.n_relaxing = arcs_n_relaxing(&a->chain, &p.n_flows);
    touch_part(&a->touch, m ? &m->arms[index].touch : NULL, &p);
    if (!m) return p;
    m->at[index] = (arm_at){c, a, &m->arms[index], m->unit};
    p.of = &m->at[index];
    p.m = &m->arms[index].solve;
    return p;
}

coordinate_words arcs_coordinate(const void *compiled, int part, int k) {
    static const char *const words[3] = {"bend_x", "bend_y", "length"};
    const int per = ((const constant_curvature *)compiled)->arms[part].chain.per;
    coordinate_words out = {.rod = part, .body = -1, .unit = k % per < 2 ? "rad" : "m"};
    snprintf(out.what, sizeof out.what, "segment%d.%s", k / per + 1, words[k % per]);
    return out;
}

// ---------------------------------------------------------------- after a solve or a step
static double keep_efforts(const arm *a, arm_memory *m, const situation *s, td_stats *stats) {
    const chain *c = &a->chain;
    double stored = 0.0;
    for (int i = 0; i < c->n_drives; i++) {
        const drive *d = &c->drives[i];
        const double effort = arm_effort(a, s, i, m->solve.q).effort;
        m->efforts[i] = effort;
        stored += actuator_energy(d->a, actuator_given(d->a, s->inputs, s->given), effort,
                                  drive_measure(c, d, m->solve.q));
        stats->slack += actuator_is_slack(d->a, effort);
    }
    return stored;
}

static void keep_touches(const arm *a, arm_memory *m, const double *inputs, shape_origin from) {
    touch_move(&a->touch, &m->touch, inputs, NULL, 1.0);
    arcs_move(&a->chain, m->solve.q, NULL, NULL, vec3_zero(), m->arcs);
    for (int i = 0; i < a->chain.n_loads; i++) {
        const int point = a->chain.loads[i].touch;
        const touch_now now = arm_touch(a, m, i, from == SHAPE_MOVED);
        if (point >= 0) touch_stick(&a->touch, &m->touch, point, &now);
    }
    touch_keep(&a->touch, &m->touch, from);
}

// An arm that a step left at a stop is where no arc holds any more.
double arcs_finish(const void *compiled, void *memory, const model_call *call,
                   const solve_instant *at, shape_origin from, td_status *status) {
    const bool moved = from == SHAPE_MOVED;
    const constant_curvature *c = compiled;
    arcs_memory *all = memory;
    double stored = 0.0;
    for (int i = 0; i < c->n_arms; i++) {
        const arm *a = &c->arms[i];
        arm_memory *m = &all->arms[i];
        situation s = arcs_situation(c, a, at->inputs);
        if (!moved) memcpy(m->held, m->solve.l, sizeof(double) * (size_t)a->chain.n_unknown);
        if (a->touch.n) keep_touches(a, m, call->inputs, from);
        s.unknown = m->held;
        s.soft = moved;
        s.engines = at->engines;
        stored += keep_efforts(a, m, &s, call->stats);
        m->past.elapsed = instant_elapsed(at);
        arcs_keep(&a->chain, &m->past, m->solve.q, from == SHAPE_SET);
        if (moved && arm_check(a, m->solve.q, 0.0, call->message) < 0) *status = TD_LOOSE;
    }
    return stored;
}
