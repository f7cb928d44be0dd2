// model/constant_curvature/stiffness.c - how the generalised forces of weight and wrenches change
// with the shape: the recursion of dynamics.c at rest, differentiated along a motion. Its rates are
// those of arcs_move; one sweep for each coordinate.
#include "model/constant_curvature/chain.h"

#include <string.h>

typedef struct vec3_rate {  // a vector and its rate
    vec3 v, t;
} vec3_rate;

static vec3 cross_rate(vec3_rate a, vec3_rate b) {
    return vec3_add(vec3_cross(a.t, b.v), vec3_cross(a.v, b.t));
}

static double dot_rate(vec3_rate a, vec3_rate b) {
    return vec3_dot(a.t, b.v) + vec3_dot(a.v, b.t);
}

// A vector that turns with a frame, but for its rate there.
static vec3_rate turned(vec3 turn, vec3 v, vec3 own_rate) {
    return (vec3_rate){v, vec3_add(own_rate, vec3_cross(turn, v))};
}

typedef struct base_rate {  // what a segment and all beyond carry
    vec3_rate moment, force;
    double Q_t[N_LOCAL];
} base_rate;

// ---------------------------------------------------------------- a wrench at a point
typedef struct column_rates {
    vec3_rate turn[N_LOCAL], move[N_LOCAL];  // arc_point.turn_by_q, by_q
} column_rates;

static column_rates columns_of(const arc_motion *m, const arc_point *p, double x) {
    double c[N_STUMPFF];
    arc_functions(m->t * x * x, c);
    const arc_shape s = arc_shape_at(x, c);
    const mat3 *R = &m->base.R;
    const double *u = m->u, *v = m->u_t;
    const double D_t = s.D1 * m->t_t, B_t = s.B1 * m->t_t, A_t = s.A1 * m->t_t;
    column_rates out = {0};
    for (int k = 0; k < 2; k++) {
        double g = k == 0 ? -u[1] : u[0], g_t = k == 0 ? -v[1] : v[0];
        double Dg = s.D * g, Dg_t = D_t * g + s.D * g_t;
        vec3 w_t = {Dg_t * u[0] + Dg * v[0], Dg_t * u[1] + Dg * v[1], B_t * g + s.B * g_t};
        out.turn[k] = turned(m->base.turn, p->turn_by_q[k], mat3_mul_vec(R, w_t));
        vec3 e = mat3_column(R, k);
        vec3 p_t = vec3_scale(e, B_t * m->l + s.B * m->l_t);
        p_t = vec3_madd(p_t, s.B * m->l, vec3_cross(m->base.turn, e));
        p_t = vec3_madd(p_t, 2.0 * (v[k] * s.A1 + u[k] * s.A2 * m->t_t), m->a);
        p_t = vec3_madd(p_t, 2.0 * u[k] * s.A1, m->a_t);
        p_t = vec3_madd(p_t, 2.0 * (v[k] * s.B1 + u[k] * s.B2 * m->t_t), m->b);
        p_t = vec3_madd(p_t, 2.0 * u[k] * s.B1, m->b_t);
        out.move[k] = (vec3_rate){p->by_q[k], p_t};
    }
    vec3 l_t = {B_t * u[0] + s.B * v[0], B_t * u[1] + s.B * v[1], A_t};
    out.move[2] = turned(m->base.turn, p->by_q[2], mat3_mul_vec(R, l_t));
    return out;
}

static void add_at(const arc_motion *m, double x, const arc_point *p, vec3_rate moment,
                   vec3_rate force, base_rate *sum) {
    column_rates by = columns_of(m, p, x);
    vec3_rate arm = {vec3_sub(p->at.p, m->base.p), vec3_sub(p->at.velocity, m->base.velocity)};
    sum->moment.v = vec3_add(sum->moment.v, vec3_add(moment.v, vec3_cross(arm.v, force.v)));
    sum->moment.t = vec3_add(sum->moment.t, vec3_add(moment.t, cross_rate(arm, force)));
    sum->force.v = vec3_add(sum->force.v, force.v);
    sum->force.t = vec3_add(sum->force.t, force.t);
    for (int k = 0; k < N_LOCAL; k++)
        sum->Q_t[k] += dot_rate(by.turn[k], moment) + dot_rate(by.move[k], force);
}

// ---------------------------------------------------------------- weight of a segment
static void add_weight(const chain *c, int i, const arc_motion *m, vec3 lift, base_rate *sum) {
    const double(*I)[N_COLUMNS] = m->integrals.Q;
    double mass = c->segments[i].mass, mass_t = 0.0;
    if (c->printed_scaling) {
        mass /= m->l;
        mass_t = -mass * m->l_t / m->l;
    }
    const double G[N_ROWS] = {1.0, I[0][1], I[0][3], I[0][5], I[0][7]};
    const double G_t[N_ROWS] = {0.0, I[0][3], I[0][4], I[0][7], I[0][8]};  // by t
    vec3_rate F[N_ROWS];
    for (int r = 0; r < N_ROWS; r++)
        F[r] = (vec3_rate){vec3_scale(lift, -mass * G[r]),
                           vec3_scale(lift, -mass * G_t[r] * m->t_t - mass_t * G[r])};
    const mat3 *R = &m->base.R;
    const vec3_rate a = {m->a, m->a_t}, b = {m->b, m->b_t};
    const double by_t = vec3_dot(m->a, F[2].v) + vec3_dot(m->b, F[4].v);
    const double by_t_t = dot_rate(a, F[2]) + dot_rate(b, F[4]);
    for (int k = 0; k < 2; k++) {
        vec3_rate e = turned(m->base.turn, mat3_column(R, k), vec3_zero());
        sum->Q_t[k] += m->l_t * vec3_dot(e.v, F[3].v) + m->l * dot_rate(e, F[3]) +
                       2.0 * (m->u_t[k] * by_t + m->u[k] * by_t_t);
    }
    vec3 u = mat3_mul_vec(R, vec3_make(m->u[0], m->u[1], 0.0));
    vec3 u_t = mat3_mul_vec(R, vec3_make(m->u_t[0], m->u_t[1], 0.0));
    vec3_rate z = turned(m->base.turn, mat3_column(R, 2), vec3_zero());
    sum->Q_t[2] += dot_rate(z, F[1]) + dot_rate(turned(m->base.turn, u, u_t), F[3]);
    sum->force.v = vec3_add(sum->force.v, F[0].v);
    sum->force.t = vec3_add(sum->force.t, F[0].t);
    vec3 moment = vec3_add(vec3_cross(m->a, F[1].v), vec3_cross(m->b, F[3].v));
    sum->moment.v = vec3_add(sum->moment.v, moment);
    sum->moment.t = vec3_add(sum->moment.t, vec3_add(cross_rate(a, F[1]), cross_rate(b, F[3])));
}

// ---------------------------------------------------------------- riders and loads
static void add_rider(const rider *r, const arc_motion *m, vec3 lift, base_rate *sum) {
    arc_point p = arc_point_at(m, r->x);
    vec3 h = mat3_mul_vec(&p.at.R, r->moment), h_t = vec3_cross(p.at.turn, h);
    vec3_rate moment = {vec3_cross(lift, h), vec3_cross(lift, h_t)};
    add_at(m, r->x, &p, moment, (vec3_rate){vec3_scale(lift, -r->mass), vec3_zero()}, sum);
}

static vec6 answer_of(const point_slopes *s, const frame_motion *f) {
    double by[6], sum[6] = {0.0};
    vec6_store(by, vec6_make(f->turn, f->velocity));
    for (int i = 0; i < 36; i++) sum[i / 6] += s->by_motion[i] * by[i % 6];
    return vec6_load(sum);
}

static void add_load(const point_load *load, vec6 w, const point_slopes *slopes,
                     const arc_motion *m, base_rate *sum) {
    arc_point p = arc_point_at(m, load->x);
    vec3_rate moment = {w.a, vec3_zero()}, force = {w.l, vec3_zero()};
    if (load->follows) {
        moment = turned(p.at.turn, mat3_mul_vec(&p.at.R, w.a), vec3_zero());
        force = turned(p.at.turn, mat3_mul_vec(&p.at.R, w.l), vec3_zero());
    }
    if (load->answers >= 0) {
        const vec6 w_t = answer_of(&slopes[load->answers], &p.at);
        moment.t = w_t.a, force.t = w_t.l;
    }
    add_at(m, load->x, &p, moment, force, sum);
}

// The column of one direction; arcs move along it.
static void add_column(const chain *c, const arc_motion *arcs, vec3 lift, const vec6 *wrenches,
                       const point_slopes *slopes, int column, double *K) {
    int r = c->n_riders - 1, w = c->n_loads - 1;
    base_rate sum = {0};
    for (int i = c->n - 1; i >= 0; i--) {
        const arc_motion *m = &arcs[i];
        base_rate beyond = sum;
        sum = (base_rate){0};
        if (i + 1 < c->n) add_at(m, 1.0, &m->end, beyond.moment, beyond.force, &sum);
        add_weight(c, i, m, lift, &sum);
        for (; r >= 0 && c->riders[r].segment == i; r--) add_rider(&c->riders[r], m, lift, &sum);
        for (; w >= 0 && c->loads[w].segment == i; w--)
            add_load(&c->loads[w], wrenches[w], slopes, m, &sum);
        for (int k = 0; k < c->per; k++) K[(i * c->per + k) * c->n_q + column] -= sum.Q_t[k];
    }
}

void arcs_add_geometric(const chain *c, const double *q, vec3 lift, const vec6 *wrenches,
                        const point_slopes *slopes, arc_motion *arcs, double *direction,
                        double *K) {
    memset(direction, 0, sizeof(double) * (size_t)c->n_q);
    for (int k = 0; k < c->n_q; k++) {
        direction[k] = 1.0;
        arcs_move(c, q, direction, NULL, vec3_zero(), arcs);
        direction[k] = 0.0;
        add_column(c, arcs, lift, wrenches, slopes, k, K);
    }
}
