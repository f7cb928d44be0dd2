// model/constant_curvature/kinematics.c - motion of arcs, from the base to the tip. Eqs. 6 to 16
// and 36 to 38, the latter corrected: the rate of exp(W^) is the left Jacobian times W_t.
#include <math.h>

#include "math/quadrature.h"
#include "model/constant_curvature/chain.h"

static vec3 in_plane(const mat3 *R, const double u[2]) {
    return mat3_mul_vec(R, vec3_make(u[0], u[1], 0.0));
}

// Velocity and acceleration of a vector that is v in axes which turn: v_t and v_tt are its rates
// there.
static vec3 moved_rate(const frame_motion *f, vec3 v, vec3 v_t) {
    return vec3_add(v_t, vec3_cross(f->turn, v));
}

static vec3 moved_rate2(const frame_motion *f, vec3 v, vec3 v_t, vec3 v_tt) {
    vec3 sum = vec3_madd(v_tt, 2.0, vec3_cross(f->turn, v_t));
    sum = vec3_add(sum, vec3_cross(f->turn_rate, v));
    return vec3_add(sum, vec3_cross(f->turn, vec3_cross(f->turn, v)));
}

// a = l z, b = l (u_x x + u_y y)
static void find_arms(arc_motion *m) {
    const frame_motion *f = &m->base;
    vec3 z = mat3_column(&f->R, 2), u = in_plane(&f->R, m->u);
    vec3 u_t = in_plane(&f->R, m->u_t), u_tt = in_plane(&f->R, m->u_tt);
    vec3 b_t = vec3_madd(vec3_scale(u, m->l_t), m->l, u_t);
    vec3 b_tt = vec3_madd(vec3_madd(vec3_scale(u, m->l_tt), 2.0 * m->l_t, u_t), m->l, u_tt);
    m->a = vec3_scale(z, m->l);
    m->a_t = moved_rate(f, m->a, vec3_scale(z, m->l_t));
    m->a_tt = moved_rate2(f, m->a, vec3_scale(z, m->l_t), vec3_scale(z, m->l_tt));
    m->b = vec3_scale(u, m->l);
    m->b_t = moved_rate(f, m->b, b_t);
    m->b_tt = moved_rate2(f, m->b, b_t, b_tt);
}

// exp(x W^), W = (-u_y, u_x, 0)
static mat3 turn_of(const double u[2], double t, const arc_shape *s) {
    double x = u[0], y = u[1];
    return (mat3){{{1.0 - s->B * x * x, -s->B * x * y, s->A * x},
                   {-s->B * x * y, 1.0 - s->B * y * y, s->A * y},
                   {-s->A * x, -s->A * y, 1.0 - s->B * t}}};
}

// Angular velocity and its rate in the axes of the segment's base: x W_t + B g z + D g u, with
// g = u_x u_y' - u_y u_x'.
static void local_turn(const arc_motion *m, double x, const arc_shape *s, vec3 *w, vec3 *w_t) {
    const double *u = m->u, *v = m->u_t, *a = m->u_tt;
    double g = u[0] * v[1] - u[1] * v[0], g_t = u[0] * a[1] - u[1] * a[0];
    double D_t = s->D1 * m->t_t, B_t = s->B1 * m->t_t, k = s->D * g_t + D_t * g;
    *w = vec3_make(-x * v[1] + s->D * g * u[0], x * v[0] + s->D * g * u[1], s->B * g);
    *w_t = vec3_make(-x * a[1] + k * u[0] + s->D * g * v[0], x * a[0] + k * u[1] + s->D * g * v[1],
                     s->B * g_t + B_t * g);
}

static frame_motion frame_at(const arc_motion *m, double x, const arc_shape *s) {
    const frame_motion *f = &m->base;
    mat3 turned = turn_of(m->u, m->t, s);
    vec3 w, w_t;
    local_turn(m, x, s, &w, &w_t);
    w = mat3_mul_vec(&f->R, w);
    w_t = mat3_mul_vec(&f->R, w_t);
    double A_t = s->A1 * m->t_t, A_tt = s->A1 * m->t_tt + s->A2 * m->t_t * m->t_t;
    double B_t = s->B1 * m->t_t, B_tt = s->B1 * m->t_tt + s->B2 * m->t_t * m->t_t;
    frame_motion o = {.R = mat3_mul(&f->R, &turned)};
    o.p = vec3_madd(vec3_madd(f->p, s->A, m->a), s->B, m->b);
    o.velocity = vec3_madd(vec3_madd(f->velocity, s->A, m->a_t), A_t, m->a);
    o.velocity = vec3_madd(vec3_madd(o.velocity, s->B, m->b_t), B_t, m->b);
    vec3 acc = vec3_madd(vec3_madd(f->acceleration, s->A, m->a_tt), 2.0 * A_t, m->a_t);
    acc = vec3_madd(vec3_madd(acc, A_tt, m->a), s->B, m->b_tt);
    o.acceleration = vec3_madd(vec3_madd(acc, 2.0 * B_t, m->b_t), B_tt, m->b);
    o.turn = vec3_add(f->turn, w);
    o.turn_rate = vec3_add(vec3_add(f->turn_rate, w_t), vec3_cross(f->turn, w));
    return o;
}

static void find_columns(const arc_motion *m, double x, const arc_shape *s, arc_point *out) {
    const mat3 *R = &m->base.R;
    const double *u = m->u;
    for (int k = 0; k < 2; k++) {
        double g = k == 0 ? -u[1] : u[0];  // d(u_x u_y' - u_y u_x')/du_k'
        vec3 w = {s->D * g * u[0], s->D * g * u[1], s->B * g};
        if (k == 0) w.y += x;
        else w.x -= x;
        out->turn_by_q[k] = mat3_mul_vec(R, w);
        vec3 p = vec3_scale(mat3_column(R, k), s->B * m->l);
        p = vec3_madd(p, 2.0 * u[k] * s->A1, m->a);
        out->by_q[k] = vec3_madd(p, 2.0 * u[k] * s->B1, m->b);
    }
    out->turn_by_q[2] = vec3_zero();
    out->by_q[2] = mat3_mul_vec(R, vec3_make(s->B * u[0], s->B * u[1], s->A));
}

static arc_point point_of(const arc_motion *m, double x, const double c[N_STUMPFF]) {
    arc_shape s = arc_shape_at(x, c);
    arc_point out = {.at = frame_at(m, x, &s)};
    find_columns(m, x, &s, &out);
    return out;
}

arc_point arc_point_at(const arc_motion *arc, double x) {
    double c[N_STUMPFF];
    arc_functions(arc->t * x * x, c);
    return point_of(arc, x, c);
}

static void take_coordinates(const chain *c, int i, const double *q, const double *rates,
                             const double *accelerations, arc_motion *m) {
    const int k = i * c->per;
    const bool stretches = c->per == N_LOCAL;
    for (int j = 0; j < 2; j++) {
        m->u[j] = q[k + j];
        m->u_t[j] = rates ? rates[k + j] : 0.0;
        m->u_tt[j] = accelerations ? accelerations[k + j] : 0.0;
    }
    m->l = stretches ? q[k + 2] : c->segments[i].length;
    m->l_t = stretches && rates ? rates[k + 2] : 0.0;
    m->l_tt = stretches && accelerations ? accelerations[k + 2] : 0.0;
    const double *u = m->u, *v = m->u_t, *a = m->u_tt;
    m->t = u[0] * u[0] + u[1] * u[1];
    m->t_t = 2.0 * (u[0] * v[0] + u[1] * v[1]);
    m->t_tt = 2.0 * (v[0] * v[0] + v[1] * v[1] + u[0] * a[0] + u[1] * a[1]);
}

void arcs_move(const chain *c, const double *q, const double *rates, const double *accelerations,
               vec3 lift, arc_motion *arcs) {
    frame_motion at = {.R = mat3_identity(), .acceleration = lift};
    for (int i = 0; i < c->n; i++) {
        arc_motion *m = &arcs[i];
        double c1[N_STUMPFF], c4[N_STUMPFF];
        take_coordinates(c, i, q, rates, accelerations, m);
        m->base = at;
        find_arms(m);
        arc_functions(m->t, c1);
        arc_functions(4.0 * m->t, c4);
        arc_integrate(c1, c4, &m->integrals);
        m->end = point_of(m, 1.0, c1);
        at = m->end.at;
    }
}

// The integrands are products of up to four sines and cosines of theta x.
void arcs_make_rules(chain *c) {
    static const double angles[N_RULES] = {0.08, 0.32, 0.8, HUGE_VAL};
    static const int nodes[N_RULES] = {4, 6, 8, N_NODES};
    for (int i = 0; i < N_RULES; i++) {
        section_rule *r = &c->rules[i];
        r->angle = angles[i];
        r->n = nodes[i];
        gauss_legendre(r->n, r->x, r->weight);
    }
}

const section_rule *arc_rule(const chain *c, const arc_motion *arc) {
    int i = 0;
    while (i + 1 < N_RULES && !(arc->t <= c->rules[i].angle * c->rules[i].angle)) i++;
    return &c->rules[i];
}

void arcs_rest_shape(const chain *c, double *q) {
    for (int i = 0; i < c->n; i++, q += c->per) {
        q[0] = c->segments[i].rest[0];
        q[1] = c->segments[i].rest[1];
        if (c->per == N_LOCAL) q[2] = c->segments[i].length;
    }
}
