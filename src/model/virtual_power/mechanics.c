// model/virtual_power/mechanics.c - a chain of discs as src/solve asks for it: residual, mass, and how
// its points move.
#include "model/virtual_power/virtual_power.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NEAR 0.02  // rad, that forces would bend a subsegment by: see anew

// Under tension a chain has several equilibria, and Newton's method from the straight shape may
// find the wrong one: so loads come first, then tension, then friction.
static const path_leg legs[] = {{"its gravity and loads", 1u << SHARE_LOADS},
                                {"what its tendons are given", 1u << SHARE_DRIVES},
                                {"its friction", 1u << SHARE_FRICTION}};

// Obstacles are softer than the core until all else is there.
static const path_leg touching_legs[] = {{"its gravity and loads", 1u << SHARE_LOADS},
                                         {"what its tendons are given", 1u << SHARE_DRIVES},
                                         {"the hardness of its obstacles", 1u << SHARE_HARDNESS},
                                         {"its friction", 1u << SHARE_FRICTION}};

static bool rubs(const chain *c) {
    for (int j = 0; j < c->n_drives; j++)
        if (c->drives[j].friction > 0.0) return true;
    return false;
}

// ---------------------------------------------------------------- residual and tangent
static situation situation_at(const arm_at *w, const solve_instant *at, const configuration *x) {
    situation s = situation_of(w->c, w->a, at->inputs, x->v ? SLIP_SLIDING : SLIP_STATIC);
    s.loads = at->shares[SHARE_LOADS];
    s.tension = at->shares[SHARE_DRIVES];
    s.friction = at->shares[SHARE_FRICTION];
    s.accelerations = x->a;
    s.engines = at->engines;
    touch_move(&w->a->touch, &w->m->touch, at->places, at->place_rates, at->shares[SHARE_HARDNESS]);
    return s;
}

// What drives do is what arrives at the discs and what friction takes on the way: contact forces
// that balance a rod only within the damping of their least squares then leave no gap.
static void find_powers(const arm_at *w, const situation *s, const solve_instant *at,
                        const double *rates, double *powers) {
    const arm_memory *m = w->m;
    powers[POWER_LOST] = m->lost + m->rubbed + damping_power(&w->a->chain, rates);
    powers[POWER_GIVEN] =
        m->lost + m->pushed + load_power(w->a, m, s) +
        weight_of(w->a, m, environment_gravity_rate(&w->c->around, at->input_rates));
    if (s->around) {
        const surroundings now = surroundings_at(s->around, s->inputs, s->loads, NULL),
                           by = surroundings_rate(s->around, s->inputs, at->input_rates, s->loads,
                                                  NULL);
        powers[POWER_GIVEN] += surrounding_of(w->a, m, &now, &by);
    }
    for (int k = 0; k < w->a->chain.n_q; k++) powers[POWER_GIVEN] += m->actuation[k] * rates[k];
}

static void residual(void *of, const solve_instant *at, const configuration *x, double *r,
                     double *powers) {
    const arm_at *w = of;
    const situation s = situation_at(w, at, x);
    find_forces(w->a, w->m, &s, x->q, x->v);
    for (int k = 0; k < w->a->chain.n_q; k++) r[k] = -w->m->Q[k];
    if (powers && x->v) find_powers(w, &s, at, x->v, powers);
}

static bool slopes(void *of, const solve_instant *at, const configuration *x, double *K, double *D,
                   double *M, double *scratch) {
    const arm_at *w = of;
    const int n = w->a->chain.n_q;
    double *still = scratch + slopes_size(&w->a->chain);
    const configuration moving = {x->q, x->l, x->v ? x->v : still, x->a ? x->a : still};
    const situation s = situation_at(w, at, x);
    memset(still, 0, sizeof(double) * (size_t)n);
    arm_slopes(w->a, w->m, &s, &moving, K, D, M, scratch);
    return true;
}

// Obstacles and tendons that get slack have kinks that differences of the residual would look across.
static void exact_tangent(arm_at *w, const solve_instant *at, const configuration *x,
                          const tangent_weights *o, double *K) {
    const size_t n = (size_t)w->a->chain.n_q;
    double *D = w->m->matrices, *M = D + n * n, *scratch = M + n * n;
    slopes(w, at, x, K, D, M, scratch);
    for (size_t k = 0; k < n * n; k++) K[k] = o->q * K[k] + o->v * D[k] + o->a * M[k];
    for (size_t k = 0; k < n; k++) K[k * n + k] += o->own * w->a->own[k];
}

// Mass, where forces were asked for last, and the stiffness of core and rods.
static bool tangent(void *of, const solve_instant *at, const configuration *x,
                    const tangent_weights *o, double *K, double *r, double *powers) {
    arm_at *w = of;
    const chain *c = &w->a->chain;
    const int n = c->n_q;
    if ((o->q != 0.0 || o->v != 0.0) && !arm_has_slopes(w->a)) return false;
    if (o->q != 0.0 || o->v != 0.0) {
        exact_tangent(w, at, x, o, K);
        if (r) residual(of, at, x, r, powers);
        return true;
    }
    memset(K, 0, sizeof(double) * (size_t)n * (size_t)n);
    if (o->a != 0.0) mass_matrix(c, w->m->discs, w->m->composites, K);
    for (int k = 0; k < n * n; k++) K[k] *= o->a;
    for (int k = 0; k < n; k++) K[k * n + k] += o->own * w->a->own[k];
    if (r) residual(of, at, x, r, powers);
    return true;
}

// Rotation and translation under the change dz: the velocity at such rates.
static td_pose move(void *of, const solve_instant *at, const configuration *x, const double *dz,
                    const model_point *p, double moved[6]) {
    const arm_at *w = of;
    (void)at;
    const point_motion f =
        move_point(&w->a->chain, x->q, dz ? dz : w->m->solve.v, p->s, w->m->discs);
    if (dz) vec3_store(moved, mat3_mul_vec(&w->a->base.R, f.turn));
    if (dz) vec3_store(moved + 3, mat3_mul_vec(&w->a->base.R, f.velocity));
    return pose_in(&w->a->base, &f.R, f.p);
}

// ---------------------------------------------------------------- words and shapes
static td_status fits(void *of, const solve_instant *at, const double *q, char *message) {
    (void)at;
    return check_arcs(((const arm_at *)of)->a, q, message);
}

// Each subsegment as its core wants to be.
static void rest(void *of, const solve_instant *at, double *q) {
    const chain *c = &((const arm_at *)of)->a->chain;
    (void)at;
    for (int i = 0; i < c->n; i++, q += c->per) {
        const segment *s = &c->segments[i];
        q[0] = s->rest_moment[1] / s->stiffness[1];
        q[1] = -s->rest_moment[0] / s->stiffness[0];
        if (c->per == 3) q[2] = s->length * s->rest_moment[2] / s->stiffness[2];
    }
}

// Contact forces leave several equilibria that hold: unless the shape is near one already, without
// friction, the way along the legs decides which it is.
static bool anew(void *of, const double *before, const double *inputs) {
    const arm_at *w = of;
    const arm *a = w->a;
    double most = 0.0;
    (void)before;
    if (a->chain.options.contact == TD_CONTACT_IDEAL) return false;
    const situation s = situation_of(w->c, a, inputs, SLIP_NONE);
    touch_move(&a->touch, &w->m->touch, inputs, NULL, 1.0);
    find_forces(a, w->m, &s, w->m->solve.q, NULL);
    for (int k = 0; k < a->chain.n_q; k++)
        most = fmax(most, fabs(w->m->Q[k]) / (a->own[k] * a->unit[k]));
    return !(most < NEAR);
}

// Contact forces by least squares do work on what they should not, and friction loses some.
static const char *lacks_potential(void *of, const solve_instant *at) {
    const arm *a = ((const arm_at *)of)->a;
    const td_virtual_power_options *o = &a->chain.options;
    if (o->printed_omega || o->printed_elasticity) return "its equations are the printed ones";
    if (o->contact != TD_CONTACT_IDEAL && a->chain.n_drives > 0)
        return "its tendons act by contact forces";
    if (touch_rubs(&a->touch)) return "obstacles rub";
    const char *why = NULL;
    for (int i = 0; i < a->n_loads && !why; i++)
        why = load_lacks_potential(&a->loads[i].of, at->inputs);
    return why;
}

static void points(void *of, const solve_instant *at, const double *q, vec3 *p) {
    const arm_at *w = of;
    situation_at(w, at, &(configuration){.q = q});
    move_chain(&w->a->chain, q, NULL, w->m->discs);
    for (int i = 0; i < w->a->touch.n_points; i++) p[i] = disc_touch(w->a, w->m, i, false).T.p;
}

static const mechanics discs_mechanics = {.residual = residual,
                                          .tangent = tangent,
                                          .fits = fits,
                                          .rest = rest,
                                          .anew = anew,
                                          .points = points,
                                          .lacks_potential = lacks_potential,
                                          .move = move,
                                          .slopes = slopes};

solve_part power_part(const void *compiled, void *memory, int index) {
    const virtual_power *c = compiled;
    const arm *a = &c->arms[index];
    power_memory *m = memory;
    solve_part p = {.how = &discs_mechanics,
                    .name = a->name,
                    .needs = "discs need mass, and with torsion inertia about the axis",
                    .n_x = a->chain.n_q,
                    .n_q = a->chain.n_q,
                    .unit = a->unit,
                    .legs = legs,
                    .n_legs = rubs(&a->chain) ? 3 : 2};
    touch_part(&a->touch, m ? &m->arms[index].touch : NULL, &p);
    if (a->touch.n) p.legs = touching_legs, p.n_legs = rubs(&a->chain) ? 4 : 3;
    if (arm_has_slopes(a)) p.n_slopes = slopes_size(&a->chain) + (size_t)a->chain.n_q;
    if (!m) return p;
    m->at[index] = (arm_at){c, a, &m->arms[index]};
    p.of = &m->at[index];
    p.m = &m->arms[index].solve;
    return p;
}

coordinate_words power_coordinate(const void *compiled, int part, int k) {
    static const char *const words[3] = {"beta", "gamma", "tau"};
    const int per = ((const virtual_power *)compiled)->arms[part].chain.per;
    coordinate_words out = {.rod = part, .body = -1, .unit = k % per < 2 ? "1/m" : "rad"};
    snprintf(out.what, sizeof out.what, "segment%d.%s", k / per + 1, words[k % per]);
    return out;
}

static void keep_touches(const arm *a, arm_memory *m, const double *inputs, shape_origin from) {
    touch_move(&a->touch, &m->touch, inputs, NULL, 1.0);
    move_chain(&a->chain, m->solve.q, NULL, m->discs);
    for (int i = 0; i < a->touch.n_points; i++) {
        const touch_now now = disc_touch(a, m, i, from == SHAPE_MOVED);
        touch_stick(&a->touch, &m->touch, i, &now);
    }
    touch_keep(&a->touch, &m->touch, from);
}

// Tensions along the drives: in an equilibrium they rub as far as they were pulled, else as they
// slide.
double power_finish(const void *compiled, void *memory, const model_call *call,
                    const solve_instant *at, shape_origin from, td_status *status) {
    const virtual_power *c = compiled;
    const slip_law law = from == SHAPE_IN_EQUILIBRIUM ? SLIP_STATIC : SLIP_SLIDING;
    double stored = 0.0;
    (void)status;
    for (int i = 0; i < c->n_arms; i++) {
        arm_memory *m = &((power_memory *)memory)->arms[i];
        situation s = situation_of(c, &c->arms[i], at->inputs, law);
        s.engines = at->engines;
        if (c->arms[i].touch.n) keep_touches(&c->arms[i], m, call->inputs, from);
        keep_tensions(&c->arms[i], m, &s, m->solve.q, m->solve.v);
        call->stats->slack += m->slack;
        stored += m->stored;
    }
    return stored;
}
