// actuation/friction.c - how much a path turns, and what an edge of it holds back.
#include "actuation/friction.h"

typedef struct turning {  // the path's tangent and how it turns
    vec3 g_s;             // d g/ds
    double l;             // |g|
    vec3 t, t_s;
    vec3 k;  // t_s + u x t
} turning;

static turning turning_at(const route_point *at, vec3 u, vec3 v, vec3 u_s, vec3 v_s) {
    vec3 g_s =
        vec3_add(vec3_add(v_s, vec3_cross(u_s, at->r)), vec3_add(vec3_cross(u, at->r_s), at->r_ss));
    density d = path_density(at, u, v);
    turning p = {.g_s = g_s, .l = d.value, .t = d.slope.l};
    p.t_s = vec3_scale(vec3_madd(g_s, -vec3_dot(p.t, g_s), p.t), 1.0 / p.l);
    p.k = vec3_add(p.t_s, vec3_cross(u, p.t));
    return p;
}

// How e . k answers to g with the direction e held: through t in u x t, and through t and l in
// t_s = (g_s - t (t . g_s))/l.
static vec3 by_path_rate(const turning *p, vec3 u, vec3 e) {
    vec3 by_t = vec3_cross(e, u);
    by_t = vec3_madd(by_t, -vec3_dot(p->t, p->g_s) / p->l, e);
    by_t = vec3_madd(by_t, -vec3_dot(e, p->t) / p->l, p->g_s);
    double by_l = -vec3_dot(e, p->t_s) / p->l;
    // dt = (I - t t') dg/l,  dl = t . dg
    vec3 across = vec3_madd(by_t, -vec3_dot(p->t, by_t), p->t);
    return vec3_madd(vec3_scale(across, 1.0 / p->l), by_l, p->t);
}

double path_turning(const route_point *at, vec3 u, vec3 v, vec3 u_s, vec3 v_s, double smooth,
                    vec6 *by_strain, vec6 *by_slope) {
    turning p = turning_at(at, u, v, u_s, v_s);
    double k2 = vec3_dot(p.k, p.k), root = sqrt(k2 + smooth * smooth);
    if (by_strain || by_slope) {
        vec3 e = root > 0.0 ? vec3_scale(p.k, 1.0 / root) : vec3_zero();
        vec3 by_g_s = vec3_scale(vec3_madd(e, -vec3_dot(p.t, e), p.t), 1.0 / p.l);
        if (by_slope) *by_slope = (vec6){vec3_cross(at->r, by_g_s), by_g_s};
        if (by_strain) {
            vec3 by_g = by_path_rate(&p, u, e);
            by_strain->l = by_g;
            by_strain->a = vec3_add(vec3_cross(at->r, by_g), vec3_cross(at->r_s, by_g_s));
            by_strain->a = vec3_add(by_strain->a, vec3_cross(p.t, e));
        }
    }
    // sqrt(k2 + smooth^2) - smooth without cancellation
    return root > 0.0 ? k2 / (root + smooth) : 0.0;
}

// Beyond this the growth of the tension along an edge is continued linearly: no iterate overflows.
#define LARGEST_EXPONENT 30.0

typedef struct growth {
    double value, slope;
} growth;

static growth tame_exp(double x) {
    double e = exp(fmin(x, LARGEST_EXPONENT));
    return (growth){x > LARGEST_EXPONENT ? e * (1.0 + x - LARGEST_EXPONENT) : e, e};
}

edge friction_edge(const actuator *a, double phi, sliding s, double old_grip, double looseness) {
    double presliding = a->presliding * looseness;
    double trial = old_grip + s.slip / presliding;
    double grip = fmin(fmax(trial, -1.0), 1.0);
    double by_slip = (trial == grip ? a->friction / presliding : 0.0) + a->viscous * s.c0;
    double rate = a->friction * grip + a->viscous * s.speed;
    double turn = fmax(phi, 0.0);
    growth f = tame_exp(-rate * turn);
    return (edge){.factor = f.value,
                  .by_turning = phi > 0.0 ? -rate * f.slope : 0.0,
                  .by_slip = -by_slip * turn * f.slope,
                  .grip = grip};
}
