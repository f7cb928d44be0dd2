// model/rom/root.c - a base that nothing holds: a frame that moves along screws (model/screw.h), with six coordinates behind
// those of the curve.
//
// All that acts on the rod from outside is summed about the base; what is inside does not know it. Where the base turns by th
// while its twist stays, what inertia takes turns along; what stands in the world turns back by th in the axes of the base, and
// the arms of forces turn.
#include <string.h>

#include "math/block.h"
#include "math/quat.h"
#include "model/rom/rom.h"
#include "model/screw.h"

// ---------------------------------------------------------------- motion
base_motion rod_base(const rom_rod *r, const double *inputs, const double *q, const double *v,
                     const double *a) {
    const int n = r->curve.n_q;
    if (!r->floats) return base_moved(&r->base, inputs, NULL, NULL);
    base_motion b = {.pose = {quat_to_mat3(quat_load(q + n + 3)), vec3_load(q + n)}};
    if (v) b.w = vec3_load(v + n), b.v = vec3_load(v + n + 3);
    b.v_t = vec3_cross(b.w, b.v);
    if (a) b.w_t = vec3_load(a + n), b.v_t = vec3_add(b.v_t, vec3_load(a + n + 3));
    return b;
}

void root_rest(const rom_rod *r, double *q) {
    const se3 start = chain_base(&r->base);
    vec3_store(q + r->curve.n_q, start.p);
    quat_store(q + r->curve.n_q + 3, quat_from_mat3(&start.R));
}

void root_balance(const rom_rod *r, const rod_memory *m, const base_motion *base, double *rows) {
    const vec6 held = base_reaction(r, m);
    vec3_store(rows, mat3_mul_vec(&base->pose.R, held.a));
    vec3_store(rows + 3, mat3_mul_vec(&base->pose.R, held.l));
}

// ---------------------------------------------------------------- what stands in the world
// How the wrench on a place answers to its turns and shifts, at velocities that stay, in the axes of the base. 6 x 6, of the
// residual: less what it is.
static void add_slopes(const double S[36], double factor, double T[36]) {
    for (int k = 0; k < 36; k++) T[k] -= factor * S[k];
}

static void add_weight(const lump *b, const place_motion *p, vec3 gravity, double T[36]) {
    const mat3 c = mat3_hat(mat3_mul_vec(&p->turn.R, b->moment)), g = mat3_hat(gravity),
               by_turn = mat3_mul(&g, &c);
    block33_add(T, 0, 0, -1.0, &by_turn);
}

static void add_loads(const root_tangent *x, int i, double T[36]) {
    const curve *c = &x->r->curve;
    const place_motion *p = &x->m->moved[i];
    for (int l = 0; l < c->n_loads; l++) {
        const curve_load *load = &c->loads[l];
        if (i < load->place || i >= load->end || !load_answers(&load->of)) continue;
        const double weight = load->of.distributed ? c->sections[i].weight : 1.0;
        double S[36];
        load_at(&load->of, x->at->inputs, weight * x->at->share, &x->at->base.pose,
                &(point_now){&p->turn.R, p->p, p->p_t}, S);
        add_slopes(S, 1.0, T);
    }
}

static void add_touch(const root_tangent *x, int i, double T[36]) {
    const rom_rod *r = x->r;
    if (i >= r->touch.n_points || x->at->alone) return;
    const touch_now now = rod_touch(x->m, &x->at->base, i, x->m->moves);
    point_slopes slopes = {{0.0}, {0.0}};
    touch_in(&r->touch, &x->m->touch, i, &x->at->base.pose.R, &now, &slopes);
    add_slopes(slopes.by_motion, 1.0, T);
}

// by_velocity (6 x 6): the same of its spin and velocity.
static void add_surrounding(const root_tangent *x, const point_body *b, double share,
                            const place_motion *p, double T[36], double by_velocity[36]) {
    point_answer out = {.lost = 0.0};
    point_slopes slopes = {{0.0}, {0.0}};
    environment_add(vec3_zero(), x->around, b, &(point_now){&p->turn.R, p->p, p->p_t}, &out,
                    &slopes);
    add_slopes(slopes.by_motion, share, T);
    add_slopes(slopes.by_velocity, share, by_velocity);
}

static void add_surroundings(const root_tangent *x, int i, double T[36], double by_velocity[36]) {
    const curve *c = &x->r->curve;
    const place_motion *p = &x->m->moved[i];
    if (!x->around) return;
    if (i < c->n_rule) add_surrounding(x, &c->sections[i].around, 1.0, p, T, by_velocity);
    for (int k = 0; k < c->n_riders; k++)
        if (c->riders[k].place == i && !point_body_is_plain(&c->riders[k].around))
            add_surrounding(x, &c->riders[k].around,
                            number_value(c->riders[k].attached, x->at->inputs), p, T, by_velocity);
}

// ---------------------------------------------------------------- what moves
// Changes of the motion of a place: of its spin and that of its rate in the axes of the section, and of its velocity and
// acceleration.
typedef struct faster {
    vec3 w, w_t, p_t, p_tt;
} faster;

static vec6 inertia_by(const root_tangent *x, int i, const faster *d) {
    const place_motion *p = &x->m->moved[i];
    const lump *b = &x->m->lumps[i];
    const mat3 *R = &p->turn.R;
    const vec3 e = mat3_tmul_vec(R, d->p_tt), h = b->moment;
    vec3 moment = vec3_add(mat3_mul_vec(&b->inertia, d->w_t), vec3_cross(h, e));
    moment = vec3_add(moment, vec3_cross(d->w, mat3_mul_vec(&b->inertia, p->w)));
    moment = vec3_add(moment, vec3_cross(p->w, mat3_mul_vec(&b->inertia, d->w)));
    vec3 swing = vec3_add(vec3_cross(d->w_t, h), vec3_cross(d->w, vec3_cross(p->w, h)));
    swing = vec3_add(swing, vec3_cross(p->w, vec3_cross(d->w, h)));
    vec6 out = {moment, vec3_madd(swing, b->mass, e)};
    if (x->around && i < x->r->curve.n_rule)
        out = vec6_add(out, curve_wet_by(x->r->curve.sections[i].added, p, x->around->current, d->w,
                                         mat3_tmul_vec(R, d->p_t), e));
    return (vec6){mat3_mul_vec(R, out.a), mat3_mul_vec(R, out.l)};
}

// By a change of the twist of the base, and of its rate.
static faster carried_by(const base_motion *b, const place_motion *p, vec6 twist, vec6 rate) {
    const mat3 *R = &p->turn.R;
    const vec3 w = mat3_tmul_vec(R, twist.a), seen = mat3_tmul_vec(R, b->w);
    const vec3 swept = vec3_add(b->v, vec3_cross(b->w, p->p)), own = vec3_sub(p->p_t, swept);
    faster d = {.w = w, .p_t = vec3_add(twist.l, vec3_cross(twist.a, p->p))};
    d.w_t = vec3_add(mat3_tmul_vec(R, rate.a), vec3_cross(w, vec3_sub(p->w, seen)));
    // (d V' + d w x V + w x d V) + d w' x p + d w x (w x p) + w x (d w x p) + 2 d w x p_t
    d.p_tt = vec3_add(rate.l, vec3_cross(rate.a, p->p));
    d.p_tt = vec3_add(d.p_tt, vec3_cross(twist.a, vec3_madd(swept, 2.0, own)));
    d.p_tt = vec3_add(d.p_tt, vec3_cross(b->w, d.p_t));
    return d;
}

static vec6 times(const double M[36], vec6 v) {
    double x[6], y[6] = {0.0};
    vec6_store(x, v);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) y[i] += M[6 * i + k] * x[k];
    return vec6_load(y);
}

static vec6 column_of(const double M[36], int k) {
    return (vec6){{M[k], M[6 + k], M[12 + k]}, {M[18 + k], M[24 + k], M[30 + k]}};
}

// ---------------------------------------------------------------- columns of the base
// What the place answers to motion k of the base: in its axes as all turns along, and in axes that stand.
typedef struct answer {
    vec6 along, standing;
} answer;

static vec6 carried(vec3 p, vec6 z) {
    return (vec6){z.a, vec3_add(z.l, vec3_cross(z.a, p))};
}

static vec6 gathered(vec3 p, vec6 f) {
    return (vec6){vec3_add(f.a, vec3_cross(p, f.l)), f.l};
}

static vec6 turned(vec3 th, vec6 f) {
    return (vec6){vec3_cross(th, f.a), vec3_cross(th, f.l)};
}

// `own`: what inertia takes; the rest of the wrench stands in the world. T and D as above.
static answer answer_to(const root_tangent *x, int i, int k, const double T[36], const double D[36],
                        vec6 own) {
    const tangent_weights *w = x->w;
    const place_motion *p = &x->m->moved[i];
    const base_motion *base = &x->at->base;
    const vec6 rest = vec6_neg(vec6_add(x->m->outside[i], own));  // of the residual
    double unit[6] = {0.0};
    unit[k] = 1.0;
    const vec6 z = vec6_load(unit), twist = column_of(x->rates, k);
    const faster d = carried_by(base, p, vec6_scale(twist, w->v), vec6_scale(twist, w->a));
    vec6 moving = inertia_by(x, i, &d);
    moving = vec6_add(moving, times(D, (vec6){mat3_mul_vec(&p->turn.R, d.w), d.p_t}));
    if (w->q == 0.0) return (answer){moving, moving};
    vec6 shaped = times(T, carried(p->p, z));
    if (x->m->moves) {
        const vec3 spin = mat3_mul_vec(&p->turn.R, p->w);
        shaped = vec6_add(shaped, times(D, turned(z.a, (vec6){spin, p->p_t})));
    }
    if (x->around) {
        const faster stream = {.p_t = vec3_cross(z.a, x->around->current)};
        shaped = vec6_add(shaped, inertia_by(x, i, &stream));
    }
    const vec6 all = vec6_madd(moving, w->q, shaped);
    const vec6 back = vec6_sub(all, vec6_scale(turned(z.a, rest), w->q));
    return (answer){back, vec6_add(all, vec6_scale(turned(z.a, own), w->q))};
}

// Into columns of the tangent: of own coordinates, then rows of the base.
static void put_column(const root_tangent *x, int i, const answer answers[6], int k) {
    const curve *c = &x->r->curve;
    const place_motion *p = &x->m->moved[i];
    const turn *t = &p->turn;
    double *down = x->m->by_work;
    vec6 along = vec6_zero(), base = vec6_zero();
    for (int j = 0; j < 3; j++) {
        const double by = x->columns.m[j][k % 3];
        const answer *a = &answers[j + (k < 3 ? 0 : 3)];
        const vec3 th = {j == 0 && k < 3, j == 1 && k < 3, j == 2 && k < 3};
        // arms turn with the base
        const vec3 lever = vec3_cross(vec3_cross(th, p->p), x->m->outside[i].l);
        const vec6 sum = gathered(p->p, a->standing);
        along = vec6_madd(along, by, a->along);
        base = vec6_madd(base, by, (vec6){vec3_madd(sum.a, -x->w->q, lever), sum.l});
    }
    memset(down, 0, sizeof(double) * (size_t)c->n_q);
    curve_spread(c, &c->places[i],
                 &(pull){.a = mat3_tmul_vec(&t->T, mat3_tmul_vec(&t->R, along.a)), .p = along.l},
                 down);
    double rows[6];
    vec3_store(rows, mat3_mul_vec(&x->rows, base.a));
    vec3_store(rows + 3, mat3_mul_vec(&x->rows, base.l));
    for (int row = 0; row < c->n_q + 6; row++)
        x->K[(size_t)row * (size_t)x->n + (size_t)(c->n_q + k)] +=
            row < c->n_q ? down[row] : rows[row - c->n_q];
}

// ---------------------------------------------------------------- rows of the base
// From how generalised forces answer, F_a = T' R'm: m by number k of the place.
static void put_rows(const root_tangent *x, int i, const local_tangent *local) {
    const curve *c = &x->r->curve;
    const place_motion *p = &x->m->moved[i];
    const turn *t = &p->turn;
    const mat3 back = mat3_transpose(&t->T);
    const vec3 held = vec3_scale(x->m->outside[i].a, -x->w->q),
               force = vec3_scale(x->m->outside[i].l, x->w->q);
    const mat3 bent = turn_back_by(t, mat3_tmul_vec(&t->R, held));
    double rows[6][LOCAL] = {{0.0}};
    mat3 out;
    if (!mat3_inverse(&back, &out)) return;
    for (int k = 0; k < LOCAL; k++) {
        vec3 a = {local->m[AT_A][k], local->m[AT_A + 1][k], local->m[AT_A + 2][k]};
        const vec3 l = {local->m[AT_P][k], local->m[AT_P + 1][k], local->m[AT_P + 2][k]};
        vec3 along = vec3_zero();
        if (k < AT_A_S) {
            a = vec3_sub(a, mat3_column(&bent, k));
            along = vec3_cross(mat3_mul_vec(&t->R, mat3_column(&t->T, k)), held);
        }
        vec3 moment = vec3_add(mat3_mul_vec(&t->R, mat3_mul_vec(&out, a)), along);
        moment = vec3_add(moment, vec3_cross(p->p, l));
        if (k >= AT_P && k < AT_P_S) {
            const vec3 shift = {k == AT_P, k == AT_P + 1, k == AT_P + 2};
            moment = vec3_add(moment, vec3_cross(force, shift));
        }
        const vec3 m = mat3_mul_vec(&x->rows, moment), f = mat3_mul_vec(&x->rows, l);
        const double column[6] = {m.x, m.y, m.z, f.x, f.y, f.z};
        for (int r = 0; r < 6; r++) rows[r][k] = column[r];
    }
    for (int r = 0; r < 6; r++) {
        const pull f = {.a = vec3_load(rows[r] + AT_A), .p = vec3_load(rows[r] + AT_P)};
        curve_spread(c, &c->places[i], &f, x->K + (size_t)(c->n_q + r) * (size_t)x->n);
    }
}

// ---------------------------------------------------------------- all of it
root_tangent root_begin(const rom_rod *r, rod_memory *m, const situation *at,
                        const surroundings *around, const tangent_weights *w, int n, double *K) {
    const bool twists = w->q == 0.0 && w->own == 0.0;  // of the base, else motions in the world
    const mat3 *R = &at->base.pose.R, one = mat3_identity();
    root_tangent x = {.r = r, .m = m, .at = at, .around = around, .w = w, .K = K, .n = n};
    x.rows = *R;
    x.columns = twists ? one : mat3_transpose(R);
    mat3 own = one, by_turn = mat3_scale(&one, 0.0);
    if (!twists && w->v != 0.0)
        se3_dexp_right_inv_blocks(vec6_scale((vec6){at->base.w, at->base.v}, 1.0 / w->v), &own,
                                  &by_turn);
    block33_put(x.rates, 0, 0, &own);
    block33_put(x.rates, 3, 0, &by_turn);
    block33_put(x.rates, 3, 3, &own);
    return x;
}

void root_add_place(const root_tangent *x, int i, const local_tangent *local) {
    const place_motion *p = &x->m->moved[i];
    double T[36] = {0.0}, D[36] = {0.0};
    vec6 own = curve_lump_wrench(&x->m->lumps[i], p, vec3_zero());
    if (x->around && i < x->r->curve.n_rule)
        own = vec6_add(own, curve_wet_wrench(x->r->curve.sections[i].added, p, x->around->current));
    add_weight(&x->m->lumps[i], p, vec3_scale(x->at->gravity, x->at->share), T);
    add_surroundings(x, i, T, D);
    add_loads(x, i, T);
    add_touch(x, i, T);
    answer answers[6];
    for (int k = 0; k < 6; k++) answers[k] = answer_to(x, i, k, T, D, own);
    for (int k = 0; k < 6; k++) put_column(x, i, answers, k);
    put_rows(x, i, local);
}

void root_add_springs(const root_tangent *x) {
    const curve *c = &x->r->curve;
    const double *stiffness = c->sections[c->station].law.stiffness, L = c->length;
    if (x->w->own == 0.0 || !x->w->held) return;
    for (int i = 0; i < 6; i++)
        x->K[(size_t)(c->n_q + i) * (size_t)(x->n + 1)] +=
            x->w->own * stiffness[0] / (i < 3 ? L : L * L * L);
}
