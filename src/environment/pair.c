// environment/pair.c - see pair.h.
#include "environment/pair.h"

#include <math.h>

// ---------------------------------------------------------------- the nearest points
static vec3 between(vec3 a, vec3 b, double x) {
    return vec3_madd(a, x, vec3_sub(b, a));
}

static double clamped(double x) {
    return fmin(1.0, fmax(0.0, x));
}

// D/2 = |w0 + s u - t v|^2/2 + .. on the square: a quadratic form, whose least value is inside, or on a side.
typedef struct quadratic {
    double ss, st, tt, s, t;  // (ss s^2 + tt t^2)/2 + st s t + s_ s + t_ t
} quadratic;

static double value_at(const quadratic *q, double s, double t) {
    return 0.5 * (q->ss * s * s + q->tt * t * t) + q->st * s * t + q->s * s + q->t * t;
}

static void least_on_sides(const quadratic *q, double *s, double *t) {
    double least = HUGE_VAL;
    for (int side = 0; side < 4; side++) {
        const double fixed = side & 1 ? 1.0 : 0.0;
        const double x = side < 2 ? fixed : clamped(-(q->s + q->st * fixed) / q->ss);
        const double y = side < 2 ? clamped(-(q->t + q->st * fixed) / q->tt) : fixed;
        const double value = value_at(q, x, y);
        if (value < least) least = value, *s = x, *t = y;
    }
}

static bool is_inside(double x) {
    return x > 0.0 && x < 1.0;
}

pair_near pair_nearest(const pair_law *law, const vec3 p[PAIR_ENDS]) {
    pair_near out = {.u = vec3_sub(p[END_A1], p[END_A0]), .v = vec3_sub(p[END_B1], p[END_B0])};
    const vec3 w = vec3_sub(p[END_A0], p[END_B0]);
    const double *e = law->lean;
    const quadratic q = {vec3_dot(out.u, out.u) + e[0], -vec3_dot(out.u, out.v),
                         vec3_dot(out.v, out.v) + e[1], vec3_dot(w, out.u) - 0.5 * e[0],
                         -vec3_dot(w, out.v) - 0.5 * e[1]};
    const double det = q.ss * q.tt - q.st * q.st;
    out.s = (q.st * q.t - q.tt * q.s) / det;
    out.t = (q.st * q.s - q.ss * q.t) / det;
    if (!is_inside(out.s) || !is_inside(out.t)) least_on_sides(&q, &out.s, &out.t);
    out.free_s = is_inside(out.s);
    out.free_t = is_inside(out.t);
    out.w = vec3_madd(vec3_madd(w, out.s, out.u), -out.t, out.v);
    const double ds = out.s - 0.5, dt = out.t - 0.5;
    out.g = sqrt(vec3_dot(out.w, out.w) + e[0] * ds * ds + e[1] * dt * dt);
    return out;
}

// How s and t follow where ends move, dw of w and du, dv with s and t held.
static void follow(const pair_law *law, const pair_near *at, vec3 dw, vec3 du, vec3 dv, double *ds,
                   double *dt) {
    const double ss = vec3_dot(at->u, at->u) + law->lean[0], st = -vec3_dot(at->u, at->v);
    const double tt = vec3_dot(at->v, at->v) + law->lean[1];
    const double by_s = vec3_dot(dw, at->u) + vec3_dot(at->w, du);
    const double by_t = -vec3_dot(dw, at->v) - vec3_dot(at->w, dv);
    const double det = ss * tt - st * st;
    *ds = *dt = 0.0;
    if (at->free_s && at->free_t)
        *ds = (st * by_t - tt * by_s) / det, *dt = (st * by_s - ss * by_t) / det;
    else if (at->free_s) *ds = -by_s / ss;
    else if (at->free_t) *dt = -by_t / tt;
}

// ---------------------------------------------------------------- the law
// A field of the ends at a(s) less that at b(t).
static vec3 apart(const pair_near *at, const vec3 x[PAIR_ENDS]) {
    return vec3_sub(between(x[END_A0], x[END_A1], at->s), between(x[END_B0], x[END_B1], at->t));
}

// (r_a th_a + r_b th_b)/R
static vec3 rolled(const pair_law *law, const pair_near *at, const vec3 turned[PAIR_ENDS]) {
    const double share = law->radii[0] / (law->radii[0] + law->radii[1]);
    return vec3_add(vec3_scale(between(turned[END_A0], turned[END_A1], at->s), share),
                    vec3_scale(between(turned[END_B0], turned[END_B1], at->t), 1.0 - share));
}

// -(r/R) w x f of each
static void set_moments(const pair_law *law, vec3 wf, vec3 moments[2]) {
    const double share = law->radii[0] / (law->radii[0] + law->radii[1]);
    moments[0] = vec3_scale(wf, -share);
    moments[1] = vec3_scale(wf, share - 1.0);
}

static void rub(const pair_law *law, const pair_ends *x, pair_contact *c) {
    const pair_near *at = &c->at;
    const double ww = vec3_dot(at->w, at->w);
    if (!(ww > 0.0)) return;
    c->x = vec3_add(vec3_add(x->slip, apart(at, x->moved)),
                    vec3_cross(at->w, rolled(law, at, x->turned)));
    const vec3 y = vec3_madd(c->x, -vec3_dot(at->w, c->x) / ww, at->w);
    const double asked = law->stiffness * vec3_norm(y), most = law->friction * c->normal;
    c->slides = asked > most;
    c->slip = c->slides ? vec3_scale(y, most / asked) : y;
    c->friction = vec3_scale(c->slip, -law->stiffness);
    c->energy += 0.5 * law->stiffness * vec3_dot(c->slip, c->slip);
    c->force = vec3_add(c->force, c->friction);
    set_moments(law, vec3_cross(at->w, c->friction), c->moments);
}

bool pair_meet(const pair_law *law, const pair_ends *x, pair_contact *out) {
    *out = (pair_contact){.at = pair_nearest(law, x->p)};
    const double g = out->at.g, depth = law->radii[0] + law->radii[1] - g;
    if (!(depth > 0.0 || x->held) || !(g > 0.0)) return false;
    out->pressure = law->stiffness * depth;
    out->energy = 0.5 * out->pressure * depth;
    out->force = vec3_scale(out->at.w, out->pressure / g);
    out->normal = vec3_norm(out->force);
    if (law->friction > 0.0 && depth > 0.0) rub(law, x, out);
    return true;
}

double pair_pressure_after(const pair_law *law, const pair_contact *c, const vec3 l[PAIR_ENDS]) {
    return c->pressure - law->stiffness * vec3_dot(c->at.w, apart(&c->at, l)) / c->at.g;
}

void pair_wrenches(const pair_contact *c, vec6 out[PAIR_ENDS]) {
    const vec6 a = {c->moments[0], c->force}, b = {c->moments[1], vec3_neg(c->force)};
    out[END_A0] = vec6_scale(a, 1.0 - c->at.s);
    out[END_A1] = vec6_scale(a, c->at.s);
    out[END_B0] = vec6_scale(b, 1.0 - c->at.t);
    out[END_B1] = vec6_scale(b, c->at.t);
}

double pair_lost(const pair_law *law, const pair_contact *c, const vec6 v[PAIR_ENDS]) {
    vec3 moved[PAIR_ENDS], turned[PAIR_ENDS];
    if (!c->slides) return 0.0;
    for (int i = 0; i < PAIR_ENDS; i++) moved[i] = v[i].l, turned[i] = v[i].a;
    const vec3 rubs = vec3_cross(c->at.w, rolled(law, &c->at, turned));
    return fmax(0.0, -vec3_dot(c->friction, vec3_add(apart(&c->at, moved), rubs)));
}

// |f| times the way of what did not stick: y - slip, along the friction.
double pair_slid(const pair_contact *c) {
    const vec3 w = c->at.w;
    if (!c->slides) return 0.0;
    const vec3 y = vec3_madd(c->x, -vec3_dot(w, c->x) / vec3_dot(w, w), w);
    return fmax(0.0, -vec3_dot(c->friction, vec3_sub(y, c->slip)));
}

// ---------------------------------------------------------------- slopes
typedef struct pair_change {  // of what pair_contact has
    double s, t;
    vec3 w, force, moments[2];
} pair_change;

// With y = x - w (w.x)/(w.w), c = (w.x)/(w.w), and where it slides the normal force n and e = y/|y|:
//
//     dy = dx - c dw - w (dw.x + w.dx - 2 c w.dw)/(w.w)
//     df = -k dy, or -mu (dn e + n (dy - e (e.dy))/|y|)
static void rub_along(const pair_law *law, const pair_contact *k, vec3 dx, pair_change *d) {
    const vec3 w = k->at.w;
    const double ww = vec3_dot(w, w), c = vec3_dot(w, k->x) / ww;
    if (!(ww > 0.0)) return;
    const double along = vec3_dot(d->w, k->x) + vec3_dot(w, dx) - 2.0 * c * vec3_dot(w, d->w);
    const vec3 dy = vec3_madd(vec3_madd(dx, -c, d->w), -along / ww, w);
    const vec3 y = vec3_madd(k->x, -c, w);
    vec3 df = vec3_scale(dy, -law->stiffness);
    if (k->slides) {
        const double length = vec3_norm(y), normal = vec3_dot(w, d->force) / sqrt(ww);
        const vec3 e = vec3_scale(y, 1.0 / length), across = vec3_madd(dy, -vec3_dot(e, dy), e);
        df = vec3_madd(vec3_scale(e, -law->friction * normal), -law->friction * k->normal / length,
                       across);
    }
    d->force = vec3_add(d->force, df);
    set_moments(law, vec3_add(vec3_cross(d->w, k->friction), vec3_cross(w, df)), d->moments);
}

// Of x, where its end moves: what it takes along, and what else comes under the points of contact.
static vec3 moved_along(const pair_law *law, const pair_ends *x, const pair_near *at, pair_end end,
                        vec6 by, const pair_change *d, const double weight[PAIR_ENDS]) {
    const double share = law->radii[0] / (law->radii[0] + law->radii[1]);
    const double own = (end < END_B0 ? share : share - 1.0) * weight[end];
    const vec3 a = vec3_scale(vec3_sub(x->turned[END_A1], x->turned[END_A0]), share * d->s);
    const vec3 b = vec3_scale(vec3_sub(x->turned[END_B1], x->turned[END_B0]), (1.0 - share) * d->t);
    const vec3 turn = vec3_add(vec3_scale(by.a, own), vec3_add(a, b));
    vec3 out = vec3_scale(by.l, weight[end]);
    out = vec3_madd(out, d->s, vec3_sub(x->moved[END_A1], x->moved[END_A0]));
    out = vec3_madd(out, -d->t, vec3_sub(x->moved[END_B1], x->moved[END_B0]));
    out = vec3_add(out, vec3_cross(d->w, rolled(law, at, x->turned)));
    return vec3_add(out, vec3_cross(at->w, turn));
}

// (1 - s) of a wrench and s of it, where both change.
static void share_out(double s, double ds, vec6 w, vec6 dw, vec6 out[2]) {
    out[0] = vec6_sub(vec6_scale(dw, 1.0 - s), vec6_scale(w, ds));
    out[1] = vec6_add(vec6_scale(dw, s), vec6_scale(w, ds));
}

void pair_slope(const pair_law *law, const pair_ends *x, const pair_contact *c, pair_end end,
                vec6 by, vec6 out[PAIR_ENDS]) {
    const pair_near *at = &c->at;
    const double weight[PAIR_ENDS] = {1.0 - at->s, at->s, at->t - 1.0, -at->t};
    const bool near = end == END_A0 || end == END_B0, on_a = end < END_B0;
    const vec3 dw = vec3_scale(by.l, weight[end]), along = near ? vec3_neg(by.l) : by.l;
    const vec3 none = vec3_zero();
    const double g = at->g, dg = vec3_dot(at->w, dw) / g;
    const double pressure = -law->stiffness * dg;  // its change
    pair_change d = {.w = vec3_zero()};
    follow(law, at, dw, on_a ? along : none, on_a ? none : along, &d.s, &d.t);
    d.w = vec3_madd(vec3_madd(dw, d.s, at->u), -d.t, at->v);
    d.force =
        vec3_madd(vec3_scale(d.w, c->pressure / g), (pressure - c->pressure * dg / g) / g, at->w);
    if (law->friction > 0.0 && c->pressure > 0.0)
        rub_along(law, c, moved_along(law, x, at, end, by, &d, weight), &d);
    share_out(at->s, d.s, (vec6){c->moments[0], c->force}, (vec6){d.moments[0], d.force},
              out + END_A0);
    share_out(at->t, d.t, (vec6){c->moments[1], vec3_neg(c->force)},
              (vec6){d.moments[1], vec3_neg(d.force)}, out + END_B0);
}

// ---------------------------------------------------------------- passing through
#define FINE 0.0625  // of R: the least way on

// g changes by at most the fastest way of an end against an end of the other: it is safe to go on by what is left.
bool pair_crosses(const pair_law *law, const vec3 from[PAIR_ENDS], const vec3 to[PAIR_ENDS]) {
    const double R = law->radii[0] + law->radii[1];
    vec3 way[PAIR_ENDS], p[PAIR_ENDS];
    double fastest = 0.0;
    for (int i = 0; i < PAIR_ENDS; i++) way[i] = vec3_sub(to[i], from[i]);
    for (int i = END_A0; i <= END_A1; i++)
        for (int k = END_B0; k <= END_B1; k++)
            fastest = fmax(fastest, vec3_norm(vec3_sub(way[i], way[k])));
    if (!(pair_nearest(law, from).g > 0.5 * R)) return false;
    for (double x = 0.0; x < 1.0 && fastest > 0.0;) {
        for (int i = 0; i < PAIR_ENDS; i++) p[i] = vec3_madd(from[i], x, way[i]);
        const double left = pair_nearest(law, p).g - 0.5 * R;
        if (!(left > 0.0)) return true;
        x += fmax(left, FINE * R) / fastest;
    }
    return !(pair_nearest(law, to).g > 0.5 * R);
}
