// model/rom/mechanics.c - a rod as src/solve asks for it: residual, tangent, and how its points move.
// Drives whose measure is given and that do not stretch have efforts that are unknown in equilibria;
// in motions they give way a little.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/positive.h"
#include "model/rom/rom.h"
#include "model/screw.h"

static situation situation_at(const rod_at *w, const solve_instant *at, const configuration *x) {
    const double *rates = w->r->moves ? at->place_rates : NULL;
    const base_motion base =
        w->r->floats ? rod_base(w->r, NULL, x->q, x->v, x->a)
                     : base_moved(&w->r->base, at->places, rates, at->place_accelerations);
    situation s = rom_moving(w->c, at->inputs, &base);
    touch_move(&w->r->touch, &w->m->touch, at->places, at->place_rates, at->shares[SHARE_HARDNESS]);
    s.share = at->shares[SHARE_LOADS];
    s.given = at->shares[SHARE_DRIVES];
    s.unknown = at->soft ? w->m->held : x->l;
    s.soft = at->soft;
    s.accelerations = x->a;
    w->m->stretched->elapsed = instant_elapsed(at);
    s.engines = at->engines;
    return s;
}

// After rod_forces there.
static balance balance_at(const rod_at *w, const solve_instant *at, const configuration *x, int k) {
    const drive *d = &w->r->curve.drives[k];
    const double given = actuator_given(d->a, at->inputs, at->shares[SHARE_DRIVES]);
    const supply from = actuator_supply(d->a, given, at->shares[SHARE_DRIVES], at->engines);
    return actuator_balance(d->a, from, x->l[d->unknown], w->m->measures[k]);
}

// ---------------------------------------------------------------- the residual
// With accelerations as they are, which are found where they are not given.
static double power_of_base(const rod_at *w, situation s, const configuration *x) {
    rod_memory *m = w->m;
    const int n = w->r->curve.n_q;
    if (!s.accelerations) {
        memcpy(m->solve.ta, m->Q, sizeof(double) * (size_t)n);
        rod_tangent(w->r, m, &s, &(tangent_weights){.a = 1.0}, n, m->solve.matrix);
        if (!positive_factor(n, m->solve.matrix)) return 0.0;
        positive_solve(n, m->solve.matrix, m->solve.ta);
        s.accelerations = m->solve.ta;
        rod_forces(w->r, m, &s, x->q, x->v);
    }
    return vec6_dot(base_reaction(w->r, m), (vec6){s.base.w, s.base.v});
}

// W, of a gravity that changes while the shape is what it is.
static double weight_power(const rod_at *w, const situation *s, const double *rates) {
    const vec3 change = environment_gravity_rate(&w->c->around, rates);
    const vec3 local = mat3_tmul_vec(&s->base.pose.R, change);
    double sum = 0.0;
    if (s->around) {
        const surroundings now = surroundings_at(s->around, s->inputs, s->share, NULL),
                           by = surroundings_rate(s->around, s->inputs, rates, s->share, NULL);
        sum = rod_surrounding_energy(w->r, w->m, &s->base, s->inputs, &now, &by);
    }
    if (vec3_dot(change, change) == 0.0) return sum;
    for (int i = 0; i < w->r->curve.n_places; i++)
        sum += rod_weight_energy(&s->base, &w->m->lumps[i], &w->m->moved[i], local);
    return sum;
}

// Of the forces that are there, into r; powers of a motion.
static void put_residual(const rod_at *w, const solve_instant *at, const situation *s,
                         const configuration *x, double *r, double *powers) {
    const curve *c = &w->r->curve;
    rod_memory *m = w->m;
    for (int k = 0; k < c->n_q; k++) r[k] = -m->Q[k];
    if (w->r->floats) root_balance(w->r, m, &s->base, r + c->n_q);
    for (int k = 0; k < c->n_drives && !at->soft; k++)
        if (c->drives[k].unknown >= 0)
            r[w->r->n_q + c->drives[k].unknown] = balance_at(w, at, x, k).residual;
    if (!powers || !x->v) return;
    powers[POWER_LOST] = m->lost;
    powers[POWER_GIVEN] = m->given + weight_power(w, s, at->input_rates);
    if (w->r->moves) powers[POWER_GIVEN] += power_of_base(w, *s, x);
}

static void residual(void *of, const solve_instant *at, const configuration *x, double *r,
                     double *powers) {
    const rod_at *w = of;
    const situation s = situation_at(w, at, x);
    curve_use_stretch(&w->r->curve, w->m->stretched);
    rod_forces(w->r, w->m, &s, x->q, x->v);
    put_residual(w, at, &s, x, r, powers);
}

// ---------------------------------------------------------------- the tangent
static bool tangent(void *of, const solve_instant *at, const configuration *x,
                    const tangent_weights *o, double *K, double *r, double *powers) {
    const rod_at *w = of;
    const curve *c = &w->r->curve;
    const int n = w->r->n_q + (at->soft ? 0 : c->n_unknown);
    const situation s = situation_at(w, at, x);
    // The mass matrix alone is that of where forces were asked for last.
    if (o->q != 0.0 || o->v != 0.0 || o->own != 0.0) rod_forces(w->r, w->m, &s, x->q, x->v);
    rod_tangent(w->r, w->m, &s, o, n, K);
    for (int k = 0; k < c->n_drives && o->q != 0.0 && !at->soft; k++) {
        const drive *d = &c->drives[k];
        if (d->unknown < 0) continue;
        const balance b = balance_at(w, at, x, k);
        rod_drive_slopes(w->r, w->m, d);
        effort_put(d->a, &b, o, c->n_q, w->m->by_work, w->m->by_measure, w->r->n_q + d->unknown, n,
                   K);
    }
    if (r) put_residual(w, at, &s, x, r, powers);
    return true;
}

// ---------------------------------------------------------------- sections that relax
// Stations. All of a rod relax, or those of a piece.
static const section_law *law_at(const rod_at *w, int i) {
    return &w->r->curve.sections[i].law;
}

static int n_relaxing(const curve *c, int *n_flows) {
    int n = 0;
    *n_flows = 0;
    for (int i = c->station; i < c->station_end; i++) {
        n += law_flows(&c->sections[i].law);
        *n_flows += 6 * c->sections[i].law.n_terms;
    }
    return n;
}

static relaxing_section relaxing(void *of, int i) {
    const rod_at *w = of;
    const curve *c = &w->r->curve;
    int at = c->station;
    for (;; at++) {
        i -= law_flows(law_at(w, at));
        if (i < 0) break;
    }
    return (relaxing_section){law_at(w, at), curve_remembered(c, w->m->stretched, at),
                              c->sections[at].weight, 6};
}

static void strains(void *of, const solve_instant *at, const configuration *x, double *X) {
    const rod_at *w = of;
    const curve *c = &w->r->curve;
    (void)at;
    curve_move(c, x->q, NULL, NULL, w->m->moved);
    for (int i = c->station; i < c->station_end; i++) {
        if (!law_flows(law_at(w, i))) continue;
        rod_strain_rows(c, i, w->r->n_q, &w->m->moved[i], X);
        X += 6 * w->r->n_q;
    }
}

static void strained(void *of, const solve_instant *at, const configuration *x, double *out) {
    const rod_at *w = of;
    const curve *c = &w->r->curve;
    (void)at;
    curve_move(c, x->q, NULL, NULL, w->m->moved);
    for (int i = c->station; i < c->station_end; i++) {
        if (!law_flows(law_at(w, i))) continue;
        curve_strain(c, i, &w->m->moved[i], out);
        out += 6;
    }
}

// Of small motions of a free base in the world.
static void turn_base(const base_motion *base, int n, double *K, double *D, double *M) {
    const vec6 twist = {base->w, base->v};
    const screw_axes x = screw_axes_of(&base->pose.R, twist, base->v_t, false);
    screw_turn_rows(&x, n, n, K + n - 6, D + n - 6, M + n - 6);
}

static bool slopes(void *of, const solve_instant *at, const configuration *x, double *K, double *D,
                   double *M, double *scratch) {
    static const tangent_weights weights[3] = {{.q = 1.0}, {.v = 1.0}, {.a = 1.0}};
    const rod_at *w = of;
    double *const to[3] = {K, D, M};
    const configuration moving = {x->q, x->l, x->v ? x->v : scratch, x->a ? x->a : scratch};
    const int n = w->r->n_q;
    memset(scratch, 0, sizeof(double) * (size_t)n);
    const situation s = situation_at(w, at, &moving);
    rod_forces(w->r, w->m, &s, moving.q, moving.v);
    for (int i = 0; i < 3; i++) rod_tangent(w->r, w->m, &s, &weights[i], n, to[i]);
    if (w->r->floats) turn_base(&s.base, n, K, D, M);
    return at->soft;
}

// ---------------------------------------------------------------- changes
static void retract(void *of, const double *from, double scale, const double *dz, double *to) {
    const rod_at *w = of;
    const int n = w->r->curve.n_q;
    rod_correct(w->r, w->m, from, scale, dz, to);
    if (w->r->floats) screw_shift(from + n, scale, dz + n, to + n);
}

static void advance(void *of, const double *from, double h, const double *v, double *to) {
    const rod_at *w = of;
    const int n = w->r->curve.n_q;
    for (int k = 0; k < n; k++) to[k] = from[k] + h * v[k];
    if (w->r->floats) screw_advance(from + n, h, v + n, to + n);
}

static void rate_change(void *of, const double *q, const double *v, double cv, const double *dz,
                        double *dv) {
    const rod_at *w = of;
    const int n = w->r->curve.n_q;
    for (int k = 0; k < n; k++) dv[k] = cv * dz[k];
    if (w->r->floats) screw_rate_change(q + n, v + n, cv, dz + n, dv + n);
}

static void flow(void *of, const double *q, const double *v, double *x_t) {
    const rod_at *w = of;
    const int n = w->r->curve.n_q;
    copy_doubles(n, x_t, v);
    if (w->r->floats) screw_flow(q + n, v + n, x_t + n);
}

static void rest(void *of, const solve_instant *at, double *q) {
    const rom_rod *r = ((const rod_at *)of)->r;
    (void)at;
    memcpy(q, r->curve.rest, sizeof(double) * (size_t)r->curve.n_q);
    if (r->floats) root_rest(r, q);
}

// Sections follow the shape that was found.
static double settle(void *of, const solve_instant *at, const configuration *x) {
    const rod_at *w = of;
    (void)at;
    if (!w->r->curve.follows) return 0.0;
    curve_move(&w->r->curve, x->q, NULL, NULL, w->m->moved);
    return curve_stretch(&w->r->curve, w->m->moved, w->m->stretched);
}

static void stretch(void *of, const solve_instant *at, const configuration *x, double *out) {
    const rod_at *w = of;
    (void)at;
    curve_move(&w->r->curve, x->q, NULL, NULL, w->m->moved);
    *out = mean_stretch_within(curve_mean_stretch(&w->r->curve, w->m->moved));
}

// Sections of the shape that the step begins with. Forces do not answer to their change, so what it
// stores or frees in a shape that stays is work.
static double begin(void *of, const solve_instant *at, bool fresh) {
    const rod_at *w = of;
    const curve *c = &w->r->curve;
    rod_memory *m = w->m;
    if (fresh && w->r->moves) {
        const base_motion base = base_moved(&w->r->base, at->places, at->place_rates, NULL);
        base_keep(&base, m->base);
    }
    if (!c->follows) return 0.0;
    curve_move(c, m->solve.q, NULL, NULL, m->moved);
    m->stretched->elapsed = 0.0;
    const double before = rod_elastic_energy(w->r, m);
    curve_stretch(c, m->moved, m->stretched);
    return rod_elastic_energy(w->r, m) - before;
}

// ---------------------------------------------------------------- inputs and points
static void by_input(void *of, const solve_instant *at, const configuration *x, int input,
                     double *dr) {
    const rod_at *w = of;
    const curve *c = &w->r->curve;
    double *unit = w->unit;
    const situation s = situation_at(w, at, x);
    memset(unit, 0, sizeof(double) * (size_t)w->c->n_inputs);
    unit[input] = 1.0;
    rod_forces(w->r, w->m, &s, x->q, NULL);
    for (int k = 0; k < c->n_drives; k++) {
        const drive *d = &c->drives[k];
        if (d->unknown < 0) continue;
        const balance b = balance_at(w, at, x, k);
        dr[w->r->n_q + d->unknown] = effort_row_rate(d->a, &b, unit);
    }
    rod_forces_by(w->c, w->r, w->m, &s, unit);
    for (int k = 0; k < c->n_q; k++) dr[k] = -w->m->Q[k];
    if (w->r->floats) root_balance(w->r, w->m, &s.base, dr + c->n_q);
}

// A free base with its change dz, in the world, as its twist.
static base_motion rod_base_changed(const rom_rod *r, const double *q, const double *dz) {
    base_motion b = rod_base(r, NULL, q, NULL, NULL);
    if (!dz) return b;
    b.w = mat3_tmul_vec(&b.pose.R, vec3_load(dz + r->curve.n_q));
    b.v = mat3_tmul_vec(&b.pose.R, vec3_load(dz + r->curve.n_q + 3));
    return b;
}

// Rotation and translation under the change dz and with the base: the velocity at such rates.
static td_pose move(void *of, const solve_instant *at, const configuration *x, const double *dz,
                    const model_point *p, double moved[6]) {
    const rod_at *w = of;
    const base_motion base = w->r->floats
                                 ? rod_base_changed(w->r, x->q, dz)
                                 : base_moved(&w->r->base, at->places, at->place_rates, NULL);
    place_motion m = curve_at(&w->r->curve, p->s, x->q, dz, NULL);
    const td_pose pose = rod_pose(&base, &m);
    base_carry(&base, &m);
    const mat3 world = mat3_mul(&base.pose.R, &m.turn.R);
    if (dz) vec3_store(moved, mat3_mul_vec(&world, m.w));
    if (dz) vec3_store(moved + 3, mat3_mul_vec(&base.pose.R, m.p_t));
    return pose;
}

// ---------------------------------------------------------------- words
static void points(void *of, const solve_instant *at, const double *q, vec3 *p) {
    const rod_at *w = of;
    const configuration x = {.q = q, .l = w->m->solve.l};
    const situation s = situation_at(w, at, &x);
    curve_move(&w->r->curve, q, NULL, NULL, w->m->moved);
    for (int i = 0; i < w->r->touch.n_points; i++) p[i] = rod_touch(w->m, &s.base, i, false).T.p;
}

static td_status fits(void *of, const solve_instant *at, const double *q, char *message) {
    (void)at;
    return rod_check(((const rod_at *)of)->r, q, message);
}

static td_status admit(void *of, const double *inputs, char *message) {
    const rom_rod *r = ((const rod_at *)of)->r;
    (void)inputs;
    if (!r->floats) return TD_OK;
    return tell(message, TD_ERR_UNSUPPORTED,
                "nothing joins rod '%s' to the world, and rom does not seek its equilibrium; a run "
                "may start with simulation.start: straight, and settle",
                r->name);
}

static const char *lacks_potential(void *of, const solve_instant *at) {
    const rom_rod *r = ((const rod_at *)of)->r;
    const curve *c = &r->curve;
    if (touch_rubs(&r->touch)) return "obstacles rub";
    for (int i = 0; i < c->n_loads; i++) {
        const char *why = load_lacks_potential(&c->loads[i].of, at->inputs);
        if (why) return why;
    }
    for (int i = 0; i < c->n_drives; i++)
        if (c->drives[i].a->path_volume) return "pressure does not work on the volume that counts";
    return NULL;
}

static void explain(void *of, const solve_instant *at, const configuration *x, char *message) {
    const rod_at *w = of;
    const curve *c = &w->r->curve;
    const situation s = situation_at(w, at, x);
    effort_gap widest = {0};
    rod_forces(w->r, w->m, &s, x->q, NULL);
    for (int k = 0; k < c->n_drives; k++) {
        const drive *d = &c->drives[k];
        if (d->unknown < 0) continue;
        const balance b = balance_at(w, at, x, k);
        effort_compare(d->a, &b, &widest);
    }
    effort_explain(w->r->name, &widest, message);
}

#define ROD_MECHANICS                                                                              \
    .residual = residual, .tangent = tangent, .retract = retract, .advance = advance,              \
    .rate_change = rate_change, .flow = flow, .admit = admit, .fits = fits, .rest = rest,          \
    .settle = settle, .begin = begin, .lacks_potential = lacks_potential, .explain = explain,      \
    .move = move, .stretch = stretch, .slopes = slopes, .relaxing = relaxing, .strains = strains,  \
    .strained = strained
static const mechanics rod_mechanics = {ROD_MECHANICS, .by_input = by_input};
// Inputs that move obstacles, or a base among them, by differences.
static const mechanics touching_mechanics = {ROD_MECHANICS, .points = points};

int rom_n_rods(const void *compiled) {
    return ((const rom *)compiled)->n_rods;
}

solve_part rom_part(const void *compiled, void *memory, int index) {
    const rom *c = compiled;
    const rom_rod *r = &c->rods[index];
    rom_memory *m = memory;
    solve_part p = {.how = r->touch.n ? &touching_mechanics : &rod_mechanics,
                    .name = r->name,
                    .needs = "rods need a density",
                    .linear = r->floats ? &dense_uneven_ops : NULL,
                    .n_x = r->n_q + (r->floats ? 1 : 0),
                    .n_q = r->n_q,
                    .n_frames = r->floats ? 1 : 0,
                    .twists = true,
                    .n_l = r->curve.n_unknown,
                    .unit = r->curve.unit,
                    .effort_unit = r->curve.effort_unit,
                    .gives = true,
                    .left_behind = r->moves,
                    .n_stretches = r->curve.follows,
                    .n_slopes = r->touch.n ? 0 : (size_t)r->n_q,
                    .slopes = true};
    p.n_relaxing = n_relaxing(&r->curve, &p.n_flows);
    touch_part(&r->touch, m ? &m->rods[index].touch : NULL, &p);
    if (!m) return p;
    curve_make_sections(&r->curve, m->rods[index].stretched);
    m->at[index] = (rod_at){c, r, &m->rods[index], m->unit};
    p.of = &m->at[index];
    p.m = &m->rods[index].solve;
    p.stretches = m->rods[index].stretched->stretch;
    return p;
}

// "part2.c3_y": of the third polynomial of the second part, in y.
coordinate_words rom_coordinate(const void *compiled, int part, int k) {
    const curve *c = &((const rom *)compiled)->rods[part].curve;
    if (k >= c->n_q) return base_words(part, k - c->n_q);
    const bool shift = k < 3 * c->n_p;
    const int each = (shift ? c->n_p : c->n_a) / c->n_parts;
    const int i = (shift ? k : k - 3 * c->n_p) / 3;
    coordinate_words out = {
        .rod = part, .body = -1, .unit = !shift && c->kind == TURN_VECTOR ? "rad" : "1"};
    snprintf(out.what, sizeof out.what, "part%d.%c%d_%c", i / each + 1, shift ? 'c' : 'b',
             i % each + 1, "xyz"[k % 3]);
    return out;
}

// ---------------------------------------------------------------- after a solve or a step
// Is the order high enough?
static void judge_order(const rom_rod *r, rod_memory *m, const situation *at,
                        const model_call *call, td_status *status) {
    const curve *c = &r->curve;
    rod_forces(r, m, at, m->solve.q, NULL);
    const double resolution = rod_resolution(r, m);
    call->stats->resolution = fmax(call->stats->resolution, resolution);
    if (resolution <= TD_COARSE) return;
    const size_t said = strlen(call->message);
    if (said > 0) {
        snprintf(call->message + said, MODEL_MESSAGE_SIZE - said,
                 "; but rom.order = %d is too low for it, by %.2g rad", c->n_a / c->n_parts,
                 resolution);
        return;
    }
    snprintf(call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': rom.order = %d is too low for it: moments inside and outside disagree by "
             "what bends it by %.2g rad%s; a higher order resolves it",
             r->name, c->n_a / c->n_parts, resolution,
             c->station > 0 ? "" : " (with rom.quadrature: full slender rods lock)");
    *status = TD_LOOSE;
}

static void keep_touches(const rom_rod *r, rod_memory *m, const model_call *call,
                         const base_motion *base, shape_origin from) {
    const touch *t = &r->touch;
    if (t->n == 0) return;
    touch_move(t, &m->touch, call->inputs, NULL, 1.0);
    curve_move(&r->curve, m->solve.q, NULL, NULL, m->moved);
    for (int i = 0; i < t->n_points; i++) {
        const touch_now now = rod_touch(m, base, i, from == SHAPE_MOVED);
        touch_stick(t, &m->touch, i, &now);
    }
    touch_keep(t, &m->touch, from);
}

double rom_finish(const void *compiled, void *memory, const model_call *call,
                  const solve_instant *at, shape_origin from, td_status *status) {
    const rom *c = compiled;
    const bool moved = from == SHAPE_MOVED;
    double stored = 0.0;
    for (int i = 0; i < c->n_rods; i++) {
        const rom_rod *r = &c->rods[i];
        rod_memory *m = &((rom_memory *)memory)->rods[i];
        const base_motion base =
            r->floats ? rod_base(r, NULL, m->solve.q, m->solve.v, m->solve.a)
                      : base_moved(&r->base, call->inputs, moved ? call->rates : NULL,
                                   at->place_accelerations);
        situation s = rom_situation(c, r, m, call->inputs);
        m->stretched->elapsed = instant_elapsed(at);
        base_keep(&base, m->base);
        keep_touches(r, m, call, &base, from);
        if (!moved) memcpy(m->held, m->solve.l, sizeof(double) * (size_t)r->curve.n_unknown);
        s.unknown = m->held;
        s.soft = from != SHAPE_IN_EQUILIBRIUM;
        s.engines = at->engines;
        stored += rod_keep_efforts(r, m, &s);
        call->stats->slack += m->slack;
        if (from == SHAPE_IN_EQUILIBRIUM) judge_order(r, m, &s, call, status);
        if (r->curve.n_inner) curve_move(&r->curve, m->solve.q, m->solve.v, NULL, m->moved);
        curve_keep(&r->curve, m->stretched, m->moved, from == SHAPE_SET);
    }
    return stored;
}
