// model/lumped/inertia.c - a node as a rigid body: Newton and Euler, with the gyroscopic moment
// that Sadati 2019 (6) misses.
//
//     moment = R (J w' + w x J w + c x R'v')      force = m v' + R (w' x c + w x (w x c))
//
// c: mass times centre of mass; w, w' in the node's axes, v' in the world.
#include "model/lumped/net.h"

static vec6 momentum_rate(const lump *b, const mat3 *R, vec3 w, const node_rates *t) {
    vec3 Jw = mat3_mul_vec(&b->inertia, w), c = b->moment;
    vec3 M = vec3_add(mat3_mul_vec(&b->inertia, t->w), vec3_cross(w, Jw));
    M = vec3_add(M, vec3_cross(c, mat3_tmul_vec(R, t->v)));
    vec3 F = vec3_add(vec3_cross(t->w, c), vec3_cross(w, vec3_cross(w, c)));
    return (vec6){mat3_mul_vec(R, M), vec3_madd(mat3_mul_vec(R, F), b->mass, t->v)};
}

vec6 inertial_wrench(const lump *b, const mat3 *R, const node_state *x, const node_rates *t,
                     vec3 gravity) {
    vec3 c = mat3_mul_vec(R, b->moment);
    vec6 out = {vec3_neg(vec3_cross(c, gravity)), vec3_scale(gravity, -b->mass)};
    return t ? vec6_add(out, momentum_rate(b, R, x->w, t)) : out;
}

static void put_column(double *block, int column, vec6 x) {
    double y[6];
    vec6_store(y, x);
    for (int i = 0; i < 6; i++) block[6 * i + column] += y[i];
}

// S th, see assemble.c: what a rotation th of Q = Q* (1, w/(2 c0)) makes of w/c0, by the Cayley map.
static vec3 spin_by_turn(vec3 w, double cv, vec3 th) {
    if (!(cv > 0.0)) return th;
    vec3 out = vec3_madd(th, 0.5 / cv, vec3_cross(w, th));
    return vec3_madd(out, 0.25 / (cv * cv) * vec3_dot(w, th), w);
}

// How momentum_rate answers to changes of w and w', in the node's axes.
static vec6 rate_by_spin(const lump *b, vec3 w, vec3 dw, vec3 dw_t) {
    vec3 c = b->moment, Jw = mat3_mul_vec(&b->inertia, w), Jdw = mat3_mul_vec(&b->inertia, dw);
    vec3 M =
        vec3_add(mat3_mul_vec(&b->inertia, dw_t), vec3_add(vec3_cross(dw, Jw), vec3_cross(w, Jdw)));
    vec3 F = vec3_add(vec3_cross(dw_t, c), vec3_cross(dw, vec3_cross(w, c)));
    return (vec6){M, vec3_add(F, vec3_cross(w, vec3_cross(dw, c)))};
}

void add_inertial_tangent(const lump *b, const mat3 *R, const node_state *x, const node_rates *t,
                          const tangent_weights *w, double cv, bool by_velocity, vec3 gravity,
                          double *block) {
    const vec3 c = mat3_mul_vec(R, b->moment);
    const vec3 v_local = t ? mat3_tmul_vec(R, t->v) : vec3_zero();
    vec6 now = vec6_zero();  // what turns along with R
    if (t) {
        now = momentum_rate(b, R, x->w, t);
        now.l = vec3_madd(now.l, -b->mass, t->v);
    }
    for (int k = 0; k < 3; k++) {
        const vec3 th = {k == 0, k == 1, k == 2};
        const vec3 local = by_velocity ? th : mat3_tmul_vec(R, th);
        vec6 out = {vec3_sub(vec3_cross(th, now.a), vec3_cross(vec3_cross(th, c), gravity)),
                    vec3_cross(th, now.l)};
        const vec3 arm = vec3_cross(b->moment, vec3_cross(v_local, local));
        out.a = vec3_add(out.a, mat3_mul_vec(R, arm));
        out = vec6_scale(out, w->q);
        if (w->v != 0.0 || w->a != 0.0) {
            const vec3 turn = spin_by_turn(x->w, cv, local);
            const vec6 by = rate_by_spin(b, x->w, vec3_scale(turn, w->v), vec3_scale(turn, w->a));
            out = vec6_add(out, (vec6){mat3_mul_vec(R, by.a), mat3_mul_vec(R, by.l)});
            const vec3 push = vec3_scale(th, w->a);  // a shift
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
