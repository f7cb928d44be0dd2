// model/lumped/inertia.c - a node as a rigid body: Newton and Euler, with the gyroscopic moment
// that Sadati 2019 (6) misses.
//
//     moment = R (J w' + w x J w + c x R'v')      force = m v' + R (w' x c + w x (w x c))
//
// c: mass times centre of mass; w, w' in the node's axes, v' in the world.
#include "model/lumped/net.h"

typedef struct rates {
    vec3 v_t;      // world
    vec3 w_t;      // node's axes
    vec3 v_local;  // R'v'
} rates;

static rates rates_of(const mat3 *R, const node_state *x, const node_state *before, double c0) {
    rates out;
    out.v_t = vec3_scale(vec3_sub(x->v, before->v), c0);
    out.w_t = vec3_scale(vec3_sub(x->w, before->w), c0);
    out.v_local = mat3_tmul_vec(R, out.v_t);
    return out;
}

static vec6 momentum_rate(const lump *b, const mat3 *R, vec3 w, const rates *t) {
    vec3 Jw = mat3_mul_vec(&b->inertia, w), c = b->moment;
    vec3 M = vec3_add(mat3_mul_vec(&b->inertia, t->w_t), vec3_cross(w, Jw));
    M = vec3_add(M, vec3_cross(c, t->v_local));
    vec3 F = vec3_add(vec3_cross(t->w_t, c), vec3_cross(w, vec3_cross(w, c)));
    return (vec6){mat3_mul_vec(R, M), vec3_madd(mat3_mul_vec(R, F), b->mass, t->v_t)};
}

vec6 inertial_wrench(const lump *b, const mat3 *R, const node_state *x, const node_state *before,
                     double c0, vec3 gravity) {
    vec3 c = mat3_mul_vec(R, b->moment);
    vec6 out = {vec3_neg(vec3_cross(c, gravity)), vec3_scale(gravity, -b->mass)};
    if (c0 == 0.0) return out;
    rates t = rates_of(R, x, before, c0);
    return vec6_add(out, momentum_rate(b, R, x->w, &t));
}

static void put_column(double *block, int column, vec6 x) {
    double y[6];
    vec6_store(y, x);
    for (int i = 0; i < 6; i++) block[6 * i + column] += y[i];
}

// dw under a rotation th (both in the node's axes) of Q = Q* (1, w/(2 c0)): the Cayley map.
static vec3 spin_by_turn(vec3 w, double c0, vec3 th) {
    vec3 out = vec3_madd(vec3_scale(th, c0), 0.5, vec3_cross(w, th));
    return vec3_madd(out, 0.25 / c0 * vec3_dot(w, th), w);
}

// The part of momentum_rate that answers to th through w, w' and R'v'.
static vec6 rate_by_turn(const lump *b, vec3 w, const rates *t, double c0, vec3 th) {
    vec3 dw = spin_by_turn(w, c0, th), c = b->moment;
    vec3 Jw = mat3_mul_vec(&b->inertia, w), Jdw = mat3_mul_vec(&b->inertia, dw);
    vec3 M = vec3_add(vec3_scale(Jdw, c0), vec3_add(vec3_cross(dw, Jw), vec3_cross(w, Jdw)));
    M = vec3_add(M, vec3_cross(c, vec3_cross(t->v_local, th)));
    vec3 F = vec3_scale(vec3_cross(dw, c), c0);
    F = vec3_add(F, vec3_cross(dw, vec3_cross(w, c)));
    F = vec3_add(F, vec3_cross(w, vec3_cross(dw, c)));
    return (vec6){M, F};
}

void add_inertial_tangent(const lump *b, const mat3 *R, const node_state *x,
                          const node_state *before, double c0, vec3 gravity, double *block) {
    vec3 c = mat3_mul_vec(R, b->moment);
    rates t = {0};
    vec6 now = vec6_zero();
    if (c0 > 0.0) {
        t = rates_of(R, x, before, c0);
        now = momentum_rate(b, R, x->w, &t);
        now.l = vec3_madd(now.l, -b->mass, t.v_t);  // the rest turns along with R
    }
    for (int k = 0; k < 3; k++) {
        vec3 th = {k == 0, k == 1, k == 2};
        vec6 out = {vec3_neg(vec3_cross(vec3_cross(th, c), gravity)), vec3_zero()};
        if (c0 > 0.0) {
            vec6 by = rate_by_turn(b, x->w, &t, c0, mat3_tmul_vec(R, th));
            out.a = vec3_add(out.a, vec3_add(mat3_mul_vec(R, by.a), vec3_cross(th, now.a)));
            out.l = vec3_add(mat3_mul_vec(R, by.l), vec3_cross(th, now.l));
            vec3 push = vec3_scale(th, c0 * c0);  // a shift
            put_column(block, 3 + k, (vec6){vec3_cross(c, push), vec3_scale(push, b->mass)});
        }
        put_column(block, k, out);
    }
}

double lump_kinetic(const lump *b, const mat3 *R, const node_state *x) {
    vec3 v = mat3_tmul_vec(R, x->v), Jw = mat3_mul_vec(&b->inertia, x->w);
    return 0.5 * (b->mass * vec3_dot(v, v) + vec3_dot(x->w, Jw)) +
           vec3_dot(v, vec3_cross(x->w, b->moment));
}
