// model/lumped/inertia.c - a node as a rigid body: Newton and Euler, with the gyroscopic moment
// that Sadati 2019 (6) misses (errata, Eq. 6). In its own axes, with the acceleration A = R'v' of its origin:
//
//     moment = J w' + w x J w + c x A      force = m A + w' x c + w x (w x c)
//
// c: mass times centre of mass; w, w' in the node's axes, v' in the world. With its twist (w, V)
// A = V' + w x V.
#include "environment/drift.h"
#include "model/lumped/net.h"

static vec6 momentum_rate(const lump *b, vec3 w, vec3 w_t, vec3 A) {
    vec3 Jw = mat3_mul_vec(&b->inertia, w), c = b->moment;
    vec3 M = vec3_add(mat3_mul_vec(&b->inertia, w_t), vec3_cross(w, Jw));
    vec3 F = vec3_add(vec3_cross(w_t, c), vec3_cross(w, vec3_cross(w, c)));
    return (vec6){vec3_add(M, vec3_cross(c, A)), vec3_madd(F, b->mass, A)};
}

vec6 inertial_wrench(const lump *b, const mat3 *R, const node_state *x, const node_rates *t,
                     vec3 gravity) {
    vec3 c = mat3_mul_vec(R, b->moment);
    vec6 out = {vec3_neg(vec3_cross(c, gravity)), vec3_scale(gravity, -b->mass)};
    if (!t) return out;
    return vec6_add(out, vec6_turned(R, momentum_rate(b, x->w, t->w, mat3_tmul_vec(R, t->v))));
}

void put_column(double *block, int column, vec6 x) {
    double y[6];
    vec6_store(y, x);
    for (int i = 0; i < 6; i++) block[6 * i + column] += y[i];
}

// How momentum_rate answers to changes of w, w' and A.
static vec6 rate_by_twist(const lump *b, vec3 w, vec3 dw, vec3 dw_t, vec3 dA) {
    vec3 c = b->moment, Jw = mat3_mul_vec(&b->inertia, w), Jdw = mat3_mul_vec(&b->inertia, dw);
    vec3 M =
        vec3_add(mat3_mul_vec(&b->inertia, dw_t), vec3_add(vec3_cross(dw, Jw), vec3_cross(w, Jdw)));
    vec3 F = vec3_add(vec3_cross(dw_t, c), vec3_cross(dw, vec3_cross(w, c)));
    F = vec3_add(F, vec3_cross(w, vec3_cross(dw, c)));
    return (vec6){vec3_add(M, vec3_cross(c, dA)), vec3_madd(F, b->mass, dA)};
}

// The columns of a turn and of a shift along axis k of the world; w: the weights of v and a.
static void add_twist_columns(const lump *b, const mat3 *R, const node_state *x, vec3 V,
                              const tangent_weights *w, const node_follow *f, int k,
                              double *block) {
    const vec3 turn = mat3_tmul_vec(R, mat3_column(&f->own, k));         // of w by th, of V by dp
    const vec3 carried = mat3_tmul_vec(R, mat3_column(&f->by_turn, k));  // of V by th
    const vec3 dw = vec3_scale(turn, w->v), dw_t = vec3_scale(turn, w->a);
    const vec3 swing = vec3_madd(vec3_scale(carried, w->a), w->v, vec3_cross(x->w, carried));
    const vec3 A_turn = vec3_add(swing, vec3_cross(dw, V));
    const vec3 A_shift = vec3_madd(dw_t, w->v, vec3_cross(x->w, turn));
    put_column(block, k, vec6_turned(R, rate_by_twist(b, x->w, dw, dw_t, A_turn)));
    const vec6 shift = {vec3_cross(b->moment, A_shift), vec3_scale(A_shift, b->mass)};
    put_column(block, 3 + k, vec6_turned(R, shift));
}

void add_inertial_tangent(const lump *b, const mat3 *R, const node_state *x, const node_rates *t,
                          const tangent_weights *w, const node_follow *f, vec3 gravity,
                          double *block) {
    const vec3 c = mat3_mul_vec(R, b->moment), V = mat3_tmul_vec(R, x->v);
    vec6 now = vec6_zero();  // what turns along with R
    if (t) now = vec6_turned(R, momentum_rate(b, x->w, t->w, mat3_tmul_vec(R, t->v)));
    for (int k = 0; k < 3; k++) {
        const vec3 th = {k == 0, k == 1, k == 2};
        const vec6 out = {vec3_sub(vec3_cross(th, now.a), vec3_cross(vec3_cross(th, c), gravity)),
                          vec3_cross(th, now.l)};
        put_column(block, k, vec6_scale(out, w->q));
        if (f && (w->v != 0.0 || w->a != 0.0)) add_twist_columns(b, R, x, V, w, f, k, block);
    }
}

double lump_kinetic(const lump *b, const mat3 *R, const node_state *x) {
    vec3 v = mat3_tmul_vec(R, x->v), Jw = mat3_mul_vec(&b->inertia, x->w);
    return 0.5 * (b->mass * vec3_dot(v, v) + vec3_dot(x->w, Jw)) +
           vec3_dot(v, vec3_cross(x->w, b->moment));
}

// ---------------------------------------------------------------- fluid that moves along
static drift drift_at(vec3 added, vec3 current, const mat3 *R, const node_state *x,
                      const node_rates *t) {
    return drift_of(added, x->w, mat3_tmul_vec(R, vec3_sub(x->v, current)), mat3_tmul_vec(R, t->v));
}

vec6 wet_wrench(vec3 added, vec3 current, const mat3 *R, const node_state *x, const node_rates *t) {
    return vec6_turned(R, drift_at(added, current, R, x, t).wrench);
}

// A turn carries the velocity V and its rate along, but not the current.
void add_wet_tangent(vec3 added, vec3 current, const mat3 *R, const node_state *x,
                     const node_rates *t, const tangent_weights *w, const node_follow *f,
                     double *block) {
    const drift d = drift_at(added, current, R, x, t);
    const vec6 now = vec6_turned(R, d.wrench);
    const vec3 none = {0.0, 0.0, 0.0}, V = mat3_tmul_vec(R, x->v);
    for (int k = 0; k < 3; k++) {
        const vec3 th = {k == 0, k == 1, k == 2};
        const vec3 dq = mat3_tmul_vec(R, vec3_cross(th, current));
        vec6 out = {vec3_cross(th, now.a), vec3_cross(th, now.l)};
        out = vec6_add(out, vec6_turned(R, drift_by(added, &d, none, dq, none)));
        put_column(block, k, vec6_scale(out, w->q));
        if (!f) continue;
        const vec3 turn = vec3_scale(mat3_tmul_vec(R, mat3_column(&f->own, k)), w->v),
                   shift = mat3_tmul_vec(R, mat3_column(&f->shift, k)),
                   carried = mat3_tmul_vec(R, mat3_column(&f->by_turn, k));
        const vec3 V_turn = vec3_scale(carried, w->v), V_shift = vec3_scale(shift, w->v);
        vec3 e_turn = vec3_madd(vec3_cross(turn, V), w->a, carried);
        e_turn = vec3_add(e_turn, vec3_cross(x->w, V_turn));
        const vec3 e_shift = vec3_madd(vec3_cross(x->w, V_shift), w->a, shift);
        put_column(block, k, vec6_turned(R, drift_by(added, &d, turn, V_turn, e_turn)));
        put_column(block, 3 + k, vec6_turned(R, drift_by(added, &d, none, V_shift, e_shift)));
    }
}

double wet_kinetic(vec3 added, vec3 current, const mat3 *R, const node_state *x) {
    return drift_energy(added, mat3_tmul_vec(R, vec3_sub(x->v, current)));
}
