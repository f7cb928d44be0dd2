// solve/linear.c - see linear.h.
#include "solve/linear.h"

#include <math.h>

#include "solve/chart.h"

// From one point of a difference to the next: rad, rad/s, rad/s^2
#define REACH 3e-5
#define REACH_RATE 1e-2
#define REACH_ACCELERATION 1e6
#define QUICKER 0.1  // of it in rates, where a motion is followed: drag has its kink near rest
// Of inputs and multipliers: to begin with, and so much that it bends like this angle
#define FIRST_REACH 1e-6
#define REACH_BENDS 1e-5
#define MOST_REACH 1e4  // times the first: what hardly bends may be an angle

void linear_layout(const solve_part *p, int n_inputs, int widest, arena *a, linear_point *out) {
    linear_point x = {.p = *p, .n_inputs = n_inputs};
    double **const points[] = {&x.q, &x.tq};
    double **const rates[] = {&x.v, &x.a, &x.tv, &x.ta, &x.dz, &x.dz_t, &x.dz_tt, &x.dv, &x.da};
    double **const efforts[] = {&x.l, &x.tl};
    for (int i = 0; i < 2; i++) *points[i] = ARENA_TAKE(a, double, p->n_x);
    for (int i = 0; i < 9; i++) *rates[i] = ARENA_TAKE(a, double, p->n_q);
    for (int i = 0; i < 2; i++) *efforts[i] = ARENA_TAKE(a, double, p->n_l);
    for (int i = 0; i < 3; i++) x.u[i] = ARENA_TAKE(a, double, n_inputs);
    for (int i = 0; i < 3; i++) x.tu[i] = ARENA_TAKE(a, double, n_inputs);
    x.places = ARENA_TAKE(a, double, n_inputs);
    x.tplaces = ARENA_TAKE(a, double, n_inputs);
    for (int i = 0; i < 5; i++) x.sides[i] = ARENA_TAKE(a, double, widest);
    x.force = ARENA_TAKE(a, double, p->n_q + p->n_l);
    x.reach = ARENA_TAKE(a, double, n_inputs);
    if (out) *out = x;
}

// ---------------------------------------------------------------- nearby
static bool is_effort(const linear_point *x, linear_by by, int k) {
    return by == BY_Z && (k >= x->p.n_q || part_holds(&x->p, k));
}

// Number k of what is named, changed by e.
static void change(linear_point *x, linear_by by, int k, double e) {
    const solve_part *p = &x->p;
    double *const z[3] = {x->dz, x->dz_t, x->dz_tt};
    copy_doubles(p->n_x, x->tq, x->q);
    copy_doubles(p->n_l, x->tl, x->l);
    copy_doubles(p->n_q, x->tv, x->v);
    copy_doubles(p->n_q, x->ta, x->a);
    for (int i = 0; i < 3; i++) copy_doubles(x->n_inputs, x->tu[i], x->u[i]);
    copy_doubles(x->n_inputs, x->tplaces, x->places);
    for (int i = 0; i < 3; i++) memset(z[i], 0, sizeof(double) * (size_t)p->n_q);
    if (by == BY_U || by == BY_PLACE) x->tplaces[k] += e;
    if (by == BY_U || by == BY_U_T || by == BY_U_TT) {
        x->tu[by - BY_U][k] += e;
    } else if (by == BY_PLACE || by == BY_SUPPLY) {
        return;
    } else if (k >= p->n_q) {
        if (by == BY_Z) x->tl[k - p->n_q] += e;
    } else {
        z[by][k] = e;
        if (by == BY_Z) part_shift(p, x->q, 1.0, x->dz, x->tq);
        if (by == BY_Z) part_stay(p, x->q, x->v, x->a, x->dz, x->dv, x->da);
        else part_carry(p, x->q, x->v, x->dz_t, x->dz_tt, x->dv, x->da);
        for (int i = 0; i < p->n_q; i++) x->tv[i] += x->dv[i], x->ta[i] += x->da[i];
    }
}

static solve_instant instant_of(const linear_point *x, double *const u[3], const double *places,
                                bool moves) {
    return (solve_instant){.t = x->t,
                           .lead = moves ? x->lead : 0.0,
                           .sudden = x->t == 0.0,
                           .inputs = u[0],
                           .input_rates = moves ? u[1] : NULL,
                           .places = places,
                           .place_rates = moves ? u[1] : NULL,
                           .place_accelerations = moves ? u[2] : NULL,
                           .cv = moves ? 1.0 : 0.0,
                           .ca = moves ? 1.0 : 0.0,
                           .shares = ALL_SHARES,
                           .soft = x->p.gives,
                           .engines = x->supplies ? x->supplies->stages : NULL};
}

// Does it ask for the shape as it is, whatever moves?
static bool is_of_shape(linear_by by) {
    return by == BY_Z || by == BY_U || by == BY_PLACE || by == BY_SUPPLY;
}

static void ask(linear_point *x, const linear_observer *o, linear_by by, int k, double e,
                double *out) {
    const bool moves = !x->rests || !is_of_shape(by);
    double *const supplied = by == BY_SUPPLY ? &x->supplies->stages[k].star[0] : NULL;
    const double before = supplied ? *supplied : 0.0;
    change(x, by, k, e);
    if (supplied) *supplied = before + e;
    const configuration c = {x->tq, x->tl, moves ? x->tv : NULL, moves ? x->ta : NULL};
    solve_instant at = instant_of(x, x->tu, x->tplaces, moves);
    at.odd = o->plain || (x->rests && (by == BY_Z_T || by == BY_U_T));
    o->f(o->context, &at, &c, out);
    if (supplied) *supplied = before;
}

// ---------------------------------------------------------------- slopes
static double reach_of(const linear_point *x, linear_by by, int k) {
    if (by == BY_U_T) return REACH_RATE;
    if (by == BY_U_TT) return REACH_ACCELERATION;
    if (by == BY_U) return FIRST_REACH * fmax(1.0, fabs(x->u[0][k]));
    if (by == BY_PLACE) return REACH;
    if (by == BY_SUPPLY) return x->supplies->reach[k];
    if (k >= x->p.n_q) return FIRST_REACH * fmax(1.0, fabs(x->l[k - x->p.n_q]));
    if (part_holds(&x->p, k)) return FIRST_REACH;
    const double unit = x->p.unit[k];
    return unit * (by == BY_Z ? REACH : by == BY_Z_T ? REACH_RATE : REACH_ACCELERATION);
}

static void residual_of(void *context, const solve_instant *at, const configuration *c,
                        double *out) {
    const linear_point *x = context;
    x->p.how->residual(x->p.of, at, c, out, NULL);
}

linear_observer linear_residual(linear_point *x) {
    return (linear_observer){residual_of, x, x->p.n_q + x->p.n_l, false};
}

bool linear_slopes(linear_point *x, double *matrices, double *scratch) {
    const solve_part *p = &x->p;
    const size_t size = (size_t)part_n(p) * (size_t)part_n(p);
    const bool moves = !x->rests;
    const solve_instant at = instant_of(x, x->u, x->places, moves);
    const configuration c = {x->q, x->l, moves ? x->v : NULL, moves ? x->a : NULL};
    x->exact =
        p->how->slopes && p->n_slopes > 0 &&
        p->how->slopes(p->of, &at, &c, matrices, matrices + size, matrices + 2 * size, scratch);
    return x->exact;
}

bool linear_outputs(linear_point *x, const output_slopes *out, double *scratch) {
    const solve_part *p = &x->p;
    const bool moves = !x->rests;
    const solve_instant at = instant_of(x, x->u, x->places, moves);
    const configuration c = {x->q, x->l, moves ? x->v : NULL, moves ? x->a : NULL};
    return p->how->outputs && p->n_slopes > 0 && p->how->outputs(p->of, &at, &c, out, scratch);
}

void linear_strains(linear_point *x, double *X) {
    const bool moves = !x->rests;
    const solve_instant at = instant_of(x, x->u, x->places, moves);
    const configuration c = {x->q, x->l, moves ? x->v : NULL, moves ? x->a : NULL};
    x->p.how->strains(x->p.of, &at, &c, X);
}

void linear_fed(linear_point *x, int k, double *kappa) {
    const configuration c = {x->q, x->l, NULL, NULL};
    memset(kappa, 0, sizeof *kappa * (size_t)x->p.n_q);
    if (x->p.how->fed) x->p.how->fed(x->p.of, &c, k, kappa);
}

bool linear_is_exact(const linear_point *x) {
    return x->exact;
}

void linear_balance(linear_point *x, double *r) {
    const linear_observer o = linear_residual(x);
    ask(x, &o, BY_Z, 0, 0.0, r);
}

void linear_value(linear_point *x, const linear_observer *o, double *out) {
    ask(x, o, BY_Z, 0, 0.0, out);
}

bool linear_has_potential(linear_point *x) {
    const solve_instant at = {.inputs = x->u[0], .places = x->u[0], .shares = ALL_SHARES};
    return !x->p.how->lacks_potential || !x->p.how->lacks_potential(x->p.of, &at);
}

// All that is supplied, after so long.
static void supply_along(const linear_supplies *s, double t) {
    for (int i = 0; s && i < s->n; i++) s->stages[i].star[0] += t * s->rates[i];
}

void linear_along(linear_point *x, double t, double *r) {
    const solve_part *p = &x->p;
    memset(x->dz, 0, sizeof(double) * (size_t)p->n_q);
    part_carry_back(p, x->q, x->v, x->dz);
    part_shift(p, x->q, t, x->dz, x->tq);
    for (int i = 0; i < x->n_inputs; i++) x->tu[0][i] = x->u[0][i] + t * x->u[1][i];
    const configuration c = {x->tq, x->l, NULL, NULL};
    const solve_instant at = {.inputs = x->u[0],
                              .places = x->tu[0],
                              .shares = ALL_SHARES,
                              .sudden = true,
                              .soft = p->gives,
                              .engines = x->supplies ? x->supplies->stages : NULL};
    supply_along(x->supplies, t);
    p->how->residual(p->of, &at, &c, r, NULL);
    supply_along(x->supplies, -t);
}

// So far that the shape would answer by a little angle: units of inputs and efforts are anybody's.
static double sounded(linear_point *x, linear_by by, int k, double e) {
    const linear_observer o = linear_residual(x);
    double most = 0.0;
    ask(x, &o, by, k, e, x->sides[0]);
    ask(x, &o, by, k, -e, x->sides[1]);
    for (int i = 0; i < x->p.n_q; i++)
        if (x->force[i] > 0.0)
            most = fmax(most, fabs(x->sides[0][i] - x->sides[1][i]) / x->force[i]);
    return most > 0.0 ? e * fmin(fmax(REACH_BENDS / most, 1e-3), MOST_REACH) : e;
}

// What is linear.
static void slope_of_first(linear_point *x, const linear_observer *o, linear_by by, int k, double e,
                           double *out, int stride) {
    double *const *f = x->sides;
    ask(x, o, by, k, e, f[0]);
    ask(x, o, by, k, -e, f[1]);
    for (int i = 0; i < o->n; i++) out[i * stride] = (f[0][i] - f[1][i]) / (2.0 * e);
}

// g1 and g2, over twice and four times e. Of fourth order, (8 g1 - g2)/12 e. In rates exact for what
// grows with them and with their square, |v| v too, (4 g1 - g2)/4 e.
static void slope_of_fourth(linear_point *x, const linear_observer *o, linear_by by, int k,
                            double e, double *out, int stride) {
    const bool rate = by == BY_Z_T || by == BY_U_T;
    double *const *f = x->sides;
    for (int i = 0; i < 4; i++) ask(x, o, by, k, (i < 2 ? 1.0 : 2.0) * (i % 2 ? -e : e), f[i]);
    for (int i = 0; i < o->n; i++) {
        const double g1 = f[0][i] - f[1][i], g2 = f[2][i] - f[3][i];
        out[i * stride] = rate ? (4.0 * g1 - g2) / (4.0 * e) : (8.0 * g1 - g2) / (12.0 * e);
    }
}

// Where the two sides disagree, as at a tendon that is about to become taut, to that of growing values.
static void slope_of_side(const linear_point *x, const linear_observer *o, const double *here,
                          double e, double *out, int stride) {
    double *const *f = x->sides, most = 0.0, apart = 0.0;
    for (int i = 0; i < o->n; i++) {
        most = fmax(most, fabs(f[0][i] - f[1][i]));
        apart = fmax(apart, fabs(f[0][i] + f[1][i] - 2.0 * here[i]));
    }
    for (int i = 0; i < o->n && apart > 0.1 * most; i++) out[i * stride] = (f[0][i] - here[i]) / e;
}

void linear_slope(linear_point *x, const linear_observer *o, linear_by by, int k, double *out,
                  int stride) {
    const bool effort = is_effort(x, by, k), given = by == BY_U || by == BY_SUPPLY || effort;
    double e = reach_of(x, by, k);
    if (by != BY_Z && by < BY_U && (k >= x->p.n_q || part_holds(&x->p, k))) {
        for (int i = 0; i < o->n; i++) out[i * stride] = 0.0;  // no rate of theirs counts
        return;
    }
    if (given) e = sounded(x, by, k, e);
    if (by == BY_Z_TT || by == BY_U_TT) slope_of_first(x, o, by, k, e, out, stride);
    else slope_of_fourth(x, o, by, k, e, out, stride);
    if (!given) return;
    ask(x, o, by, k, 0.0, x->sides[4]);
    slope_of_side(x, o, x->sides[4], e, out, stride);
}

// ---------------------------------------------------------------- sections that follow their stretch
#define STRETCH_REACH 1e-3

typedef struct stretch_question {
    linear_point *x;
    int which;
} stretch_question;

static void stretch_of(void *context, const solve_instant *at, const configuration *c,
                       double *out) {
    const stretch_question *q = context;
    double *all = q->x->sides[4];
    q->x->p.how->stretch(q->x->p.of, at, c, all);
    *out = all[q->which];
}

double linear_stretch_slope(linear_point *x, int which, linear_by by, int k) {
    stretch_question q = {x, which};
    const linear_observer o = {stretch_of, &q, 1, true};
    double slope = 0.0;
    if (is_effort(x, by, k)) return 0.0;
    linear_slope(x, &o, by, k, &slope, 1);
    return slope;
}

void linear_by_stretch(linear_point *x, int which, double *r) {
    const linear_observer o = linear_residual(x);
    const double e = STRETCH_REACH;
    double *at = &x->p.stretches[which], before = *at, *const *f = x->sides;
    for (int i = 0; i < 4; i++) {
        *at = before + (i < 2 ? 1.0 : 2.0) * (i % 2 ? -e : e);
        linear_value(x, &o, x->sides[i]);
    }
    *at = before;
    linear_value(x, &o, r);  // sections are those of now again
    for (int i = 0; i < o.n; i++)
        r[i] = (8.0 * (f[0][i] - f[1][i]) - (f[2][i] - f[3][i])) / (12.0 * e);
}

void linear_reach_anew(linear_point *x) {
    memset(x->reach, 0, sizeof(double) * (size_t)x->n_inputs);
}

// To either side; in accelerations, of which it is linear, to one.
void linear_quick_slope(linear_point *x, const linear_observer *o, linear_by by, int k,
                        const double *here, double *out, int stride) {
    const bool effort = is_effort(x, by, k), given = by == BY_U || by == BY_SUPPLY || effort;
    double *const *f = x->sides, e = reach_of(x, by, k);
    if (by != BY_Z && by < BY_U && (k >= x->p.n_q || part_holds(&x->p, k))) {
        for (int i = 0; i < o->n; i++) out[i * stride] = 0.0;  // no rate of theirs counts
        return;
    }
    if (by == BY_U) e = x->reach[k] = x->reach[k] > 0.0 ? x->reach[k] : sounded(x, by, k, e);
    else if (given) e = sounded(x, by, k, e);
    if (by == BY_Z_T || by == BY_U_T) e *= QUICKER;
    if (by != BY_Z_TT && by != BY_U_TT) {
        slope_of_first(x, o, by, k, e, out, stride);
        if (given) slope_of_side(x, o, here, e, out, stride);
        return;
    }
    ask(x, o, by, k, e, f[0]);
    for (int i = 0; i < o->n; i++) out[i * stride] = (f[0][i] - here[i]) / e;
}
