// model/tubes/loads.c - what acts on tubes from outside: weight, inertia, drag, loads, bodies.
//
// A wrench (m, f) on tube j works on the motion of the centre line, and m on the spin of the tube about the tangent t:
//
//     dW = f . dp + m . dtheta + (t . m) dpsi_j
#include <math.h>
#include <string.h>

#include "environment/drift.h"
#include "math/block.h"
#include "model/tubes/bundle.h"

const knot *bundle_knot(const bundle *b, const bundle_memory *m, int place) {
    return place < b->n_nodes ? &m->nodes[place] : &m->ends[place - b->n_nodes];
}

// ---------------------------------------------------------------- bodies
static mat3 turned_by(const mat3 *R, const mat3 *J) {  // R J R'
    const mat3 back = mat3_transpose(R), right = mat3_mul(J, &back);
    return mat3_mul(R, &right);
}

static void add_body_slopes(const body_now *b, const mat3 *axes, vec3 h, vec3 lift,
                            const tangent_weights *w, double *S) {
    if (w->a != 0.0) {
        const mat3 J = turned_by(axes, &b->inertia), hat = mat3_hat(h), one = mat3_identity();
        block33_add(S, 0, 0, -w->a, &J);
        block33_add(S, 3, 3, -w->a * b->mass, &one);
        block33_add(S, 0, 3, -w->a, &hat);
        block33_add(S, 3, 0, w->a, &hat);
    }
    if (w->q == 0.0 || vec3_dot(h, h) == 0.0) return;
    // -(dtheta x h) x lift = lift' h dtheta - h lift' dtheta
    const mat3 one = mat3_identity(), outer = mat3_outer(h, lift);
    block33_add(S, 0, 0, w->q * vec3_dot(h, lift), &one);
    block33_add(S, 0, 0, -w->q, &outer);
}

// What its inertia and weight do there: moment and force, world; slopes by motion and by acceleration (6 x 6 each) are added
// to unless NULL.
static vec6 body_wrench(const body_now *b, const mat3 *axes, const knot *k, int tube, vec3 gravity,
                        bool moves, const tangent_weights *w, double *S) {
    const vec3 t = mat3_column(axes, 2), h = mat3_mul_vec(axes, b->moment);
    const vec3 lift = moves ? vec3_sub(k->v_t, gravity) : vec3_neg(gravity);
    vec6 out = {vec3_neg(vec3_cross(h, lift)), vec3_scale(lift, -b->mass)};
    if (S) add_body_slopes(b, axes, h, lift, w, S);
    if (!moves) return out;
    const vec3 spin = vec3_madd(k->w, k->spin[tube], t);
    vec3 spin_t = vec3_madd(k->w_t, k->spin_t[tube], t);
    spin_t = vec3_madd(spin_t, k->spin[tube], vec3_cross(k->w, t));
    const vec3 w_own = mat3_tmul_vec(axes, spin), w_t = mat3_tmul_vec(axes, spin_t);
    const vec3 momentum = mat3_mul_vec(&b->inertia, w_own);
    const vec3 moment = vec3_add(mat3_mul_vec(&b->inertia, w_t), vec3_cross(w_own, momentum));
    const vec3 swing = vec3_add(vec3_cross(spin_t, h), vec3_cross(spin, vec3_cross(spin, h)));
    out.a = vec3_sub(out.a, mat3_mul_vec(axes, moment));
    out.l = vec3_sub(out.l, swing);
    return out;
}

// ---------------------------------------------------------------- fluid that moves along
static void take_column(double *S, int column, vec6 x) {
    double y[6];
    vec6_store(y, x);
    for (int i = 0; i < 6; i++) S[6 * i + column] -= y[i];
}

// The wrench on a section, with its slopes by turn and shift at weights w added to S unless NULL: velocities and
// accelerations follow these by w.v and w.a.
static vec6 drift_wrench(vec3 added, vec3 current, const mat3 *axes, const knot *k, int tube,
                         const tangent_weights *w, double *S) {
    const vec3 spin = vec3_madd(k->w, k->spin[tube], mat3_column(axes, 2));
    const vec3 seen = vec3_sub(k->v, current), own = mat3_tmul_vec(axes, spin), none = vec3_zero();
    const drift d = drift_of(added, own, mat3_tmul_vec(axes, seen), mat3_tmul_vec(axes, k->v_t));
    const vec6 out = vec6_neg(vec6_turned(axes, d.wrench));
    for (int i = 0; S && i < 3; i++) {
        const vec3 unit = {i == 0, i == 1, i == 2}, here = mat3_tmul_vec(axes, unit);
        const vec3 turned[3] = {vec3_cross(spin, unit), vec3_cross(seen, unit),
                                vec3_cross(k->v_t, unit)};
        const vec6 by_turn =
            drift_by(added, &d, mat3_tmul_vec(axes, turned[0]), mat3_tmul_vec(axes, turned[1]),
                     mat3_tmul_vec(axes, turned[2]));
        const vec6 carried = {vec3_cross(unit, out.a), vec3_cross(unit, out.l)};
        take_column(S, i, vec6_scale(vec6_sub(vec6_turned(axes, by_turn), carried), w->q));
        take_column(S, i,
                    vec6_turned(axes, drift_by(added, &d, vec3_scale(here, w->v), none, none)));
        take_column(S, 3 + i,
                    vec6_turned(axes, drift_by(added, &d, none, vec3_scale(here, w->v),
                                               vec3_scale(here, w->a))));
    }
    return out;
}

// ---------------------------------------------------------------- along tubes
typedef struct tour {
    const bundle *b;
    bundle_memory *m;
    const bundle_situation *at;
    const tangent_weights *w;
    visitor *to;
    void *context;
    const surroundings *around;  // NULL: none
} tour;

static vec3 velocity_of(const tour *x, const knot *k) {
    return x->at->moves ? k->v : vec3_zero();
}

// What acts on a stretch of tube, or on a rider, by its pose and motion: `size` times that.
static void surround(const tour *x, const point_body *body, double size, const mat3 *axes,
                     const knot *k, vec6 *sum, double *S) {
    point_answer out = {.lost = 0.0};
    point_slopes slopes = {{0.0}, {0.0}};
    const point_now now = {axes, k->p, velocity_of(x, k)};
    environment_add(vec3_zero(), x->around, body, &now, &out, S ? &slopes : NULL);
    *sum = vec6_madd(*sum, size, out.wrench);
    if (!x->w && x->at->moves) x->m->lost += size * out.lost, x->m->given += size * out.given;
    for (int i = 0; S && i < 36; i++)
        S[i] += size * (x->w->q * slopes.by_motion[i] + x->w->v * slopes.by_velocity[i]);
}

static void add_load(const tour *x, const tube_load *l, double weight, const mat3 *axes,
                     const knot *k, vec6 *sum, double *S) {
    double slope[36];
    const point_now now = {axes, k->p, velocity_of(x, k)};
    const bool answers = S && load_answers(&l->of);
    const vec6 w =
        load_at(&l->of, x->at->inputs, weight * x->at->share, NULL, &now, answers ? slope : NULL);
    *sum = vec6_add(*sum, w);
    if (x->at->moves && !x->w) {
        const vec3 spin = vec3_madd(k->w, k->spin[l->tube], mat3_column(axes, 2));
        x->m->given += vec3_dot(w.l, k->v) + vec3_dot(w.a, spin);
    }
    for (int i = 0; answers && i < 36; i++) S[i] += x->w->q * slope[i];
}

static void visit_node(const tour *x, int e, int node, int j) {
    const bundle *b = x->b;
    const element_now *el = &x->m->elements[e];
    const knot *k = &x->m->nodes[node];
    const tube_section *s = &x->m->sections[node * b->n + j];
    const double weight = el->h * b->gauss.b[node - e * b->per];
    const mat3 axes = tube_axes(k, j);
    const body_now body = {.mass = weight * s->mass,
                           .inertia = mat3_diag(vec3_scale(vec3_load(s->inertia), weight))};
    double S[36] = {0.0}, *slopes = x->w ? S : NULL;
    vec6 sum = body_wrench(&body, &axes, k, j, x->at->gravity, x->at->moves, x->w, slopes);
    if (x->around) surround(x, &s->around, weight, &axes, k, &sum, slopes);
    if (x->around && vec3_dot(s->added, s->added) > 0.0) {
        const vec3 current = x->around->current, added = vec3_scale(s->added, weight);
        const knot still = {.R = k->R};
        const vec6 on =
            drift_wrench(added, current, &axes, x->at->moves ? k : &still, j, x->w, slopes);
        if (!x->w) x->m->given += vec3_dot(on.l, current);
        sum = vec6_add(sum, on);
    }
    for (int i = 0; i < b->n_loads; i++) {
        const tube_load *l = &b->loads[i];
        const double *marks = b->tubes[j].marks;
        if (l->tube != j || !l->of.distributed || s->s > marks[l->to]) continue;
        if (l->from < 0 || s->s > marks[l->from]) add_load(x, l, weight, &axes, k, &sum, slopes);
    }
    x->to(x->context, &(visit){node, j, sum, slopes});
}

static void visit_end(const tour *x, int e) {
    const bundle *b = x->b;
    const element_now *el = &x->m->elements[e];
    const knot *k = &x->m->ends[e];
    const int j = el->tube;
    const mat3 axes = tube_axes(k, j);
    double S[36] = {0.0}, *slopes = x->w ? S : NULL;
    vec6 sum = vec6_zero();
    bool any = false;
    for (int i = 0; i < b->n_riders; i++) {
        const rider *r = &b->riders[i];
        if (r->tube != j || r->mark != el->mark) continue;
        const double share = number_value(r->attached, x->at->inputs);
        const body_now body = {.mass = share * r->mass,
                               .moment = vec3_scale(r->moment, share),
                               .inertia = mat3_scale(&r->inertia, share)};
        sum = vec6_add(sum,
                       body_wrench(&body, &axes, k, j, x->at->gravity, x->at->moves, x->w, slopes));
        if (x->around && !point_body_is_plain(&r->around))
            surround(x, &r->around, share, &axes, k, &sum, slopes);
        any = true;
    }
    for (int i = 0; i < b->n_loads; i++) {
        const tube_load *l = &b->loads[i];
        if (l->of.distributed || l->tube != j || l->to != el->mark) continue;
        add_load(x, l, 1.0, &axes, k, &sum, slopes);
        any = true;
    }
    if (any) x->to(x->context, &(visit){b->n_nodes + e, j, sum, slopes});
}

// What lies behind the plate is held by it.
void bundle_visit(const bundle *b, bundle_memory *m, const bundle_situation *at, int e,
                  const tangent_weights *w, visitor *to, void *context) {
    surroundings around;
    if (at->around) around = surroundings_at(at->around, at->inputs, at->share, NULL);
    const tour x = {b, m, at, w, to, context, at->around ? &around : NULL};
    const element_now *el = &m->elements[e];
    for (int k = 0; k < b->per && el->h > 0.0; k++)
        for (int j = 0; j < b->n; j++)
            if (el->there[j]) visit_node(&x, e, e * b->per + k, j);
    if (!el->behind) visit_end(&x, e);
}
