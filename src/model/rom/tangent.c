// model/rom/tangent.c - how generalised forces answer to coordinates, rates and accelerations.
//
// Each place has a small matrix over (a, a_s, p, p_s), which the basis spreads over the
// coordinates.
#include <string.h>

#include "math/block.h"
#include "model/rom/rom.h"

typedef local_tangent local;

static void add_block(local *to, int row, int column, const mat3 *x, double factor) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) to->m[row + i][column + k] += factor * x->m[i][k];
}

// a' b c
static mat3 between(const mat3 *a, const mat3 *b, const mat3 *c) {
    const mat3 half = mat3_tmul(a, b);
    return mat3_mul(&half, c);
}

// ---------------------------------------------------------------- spreading
#define MOST_ROWS (6 * MOST_FUNCTIONS)

// One row of the small matrix over all coordinates.
static void spread_row(const curve *c, const place *at, const double *x, double *y) {
    for (int k = 0; k < c->n_p; k++)
        for (int j = 0; j < 3; j++)
            y[3 * k + j] = at->phi[k] * x[AT_P + j] + at->phi_s[k] * x[AT_P_S + j];
    y += 3 * c->n_p;
    for (int k = 0; k < c->n_a; k++)
        for (int j = 0; j < 3; j++)
            y[3 * k + j] = at->psi[k] * x[AT_A + j] + at->psi_s[k] * x[AT_A_S + j];
}

static void add_rows(int n_q, int n, int functions, const double *basis, const double *y,
                     double *K) {
    for (int i = 0; i < functions; i++) {
        double *row = K + (size_t)(3 * i) * (size_t)n;
        if (basis[i] == 0.0) continue;  // of another part
        for (int k = 0; k < n_q; k++) row[k] += basis[i] * y[k];
    }
}

static void add_local(const curve *c, const place *at, const local *x, int n, double *K) {
    const struct {
        const double *basis;
        int from, functions, first;
    } parts[4] = {{at->psi, AT_A, c->n_a, 3 * c->n_p},
                  {at->psi_s, AT_A_S, c->n_a, 3 * c->n_p},
                  {at->phi, AT_P, c->n_p, 0},
                  {at->phi_s, AT_P_S, c->n_p, 0}};
    for (int p = 0; p < 4; p++)
        for (int r = 0; r < 3; r++) {
            const double *row = x->m[parts[p].from + r];
            double y[MOST_ROWS];
            bool empty = true;
            for (int k = 0; k < LOCAL; k++) empty = empty && row[k] == 0.0;
            if (empty) continue;
            spread_row(c, at, row, y);
            add_rows(c->n_q, n, parts[p].functions, parts[p].basis, y,
                     K + (size_t)(parts[p].first + r) * (size_t)n);
        }
}

// ---------------------------------------------------------------- inside
typedef struct strain_map {  // d(u, v) by (a, a_s, p, p_s)
    double B[6][LOCAL];
    mat3 vT, Rt;  // v^ T, R'
} strain_map;

static void put(double B[6][LOCAL], int row, int column, const mat3 *x) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) B[row + i][column + k] = x->m[i][k];
}

static void strain_map_make(const place_motion *p, strain_map *out) {
    const turn *t = &p->turn;
    const mat3 hat = mat3_hat(p->v), U = turn_by(t, p->a_s);
    memset(out, 0, sizeof *out);
    out->vT = mat3_mul(&hat, &t->T);
    out->Rt = mat3_transpose(&t->R);
    put(out->B, 0, AT_A, &U);
    put(out->B, 0, AT_A_S, &t->T);
    put(out->B, 3, AT_A, &out->vT);
    put(out->B, 3, AT_P_S, &out->Rt);
}

void rod_strain_rows(const curve *c, int i, int n, const place_motion *p, double *X) {
    strain_map map;
    strain_map_make(p, &map);
    memset(X, 0, sizeof(double) * 6 * (size_t)n);
    for (int k = 0; k < 6; k++) spread_row(c, &c->places[i], map.B[k], X + (size_t)k * (size_t)n);
}

// d/da of (dT/dt) b, where a changes by a_t
static mat3 turn_rate_by(const turn *t, vec3 a_t, vec3 b) {
    mat3 out;
    for (int k = 0; k < 3; k++) {
        const vec3 unit = {k == 0, k == 1, k == 2};
        const mat3 second = turn_second(t, unit, b);
        const vec3 row = mat3_mul_vec(&second, a_t);
        out.m[k][0] = row.x, out.m[k][1] = row.y, out.m[k][2] = row.z;
    }
    return out;
}

// d(u_t, v_t) by (a, a_s, p, p_s) while their rates stay: with w = T a_t
//
//     u_t = T a_ts + (dT/dt) a_s,   v_t = R'p_ts + v x w
static void rate_map_make(const place_motion *p, const strain_map *x, double B[6][LOCAL]) {
    const turn *t = &p->turn;
    const vec3 w = mat3_mul_vec(&t->T, p->a_t), slope = vec3_sub(p->v_t, vec3_cross(p->v, w));
    const mat3 bend = turn_by(t, p->a_ts), rate = turn_rate_by(t, p->a_t, p->a_s);
    const mat3 u_a = mat3_add(&bend, &rate), u_s = turn_along(t, p->a_t);
    const mat3 hat = mat3_hat(slope), W = mat3_hat(w), V = mat3_hat(p->v), U = turn_by(t, p->a_t);
    const mat3 turned = mat3_mul(&hat, &t->T), swung = mat3_mul(&W, &x->vT);
    const mat3 spun = mat3_mul(&V, &U), seen = mat3_sub(&turned, &swung);
    const mat3 v_a = mat3_add(&seen, &spun), WR = mat3_mul(&W, &x->Rt);
    const mat3 v_s = mat3_scale(&WR, -1.0);
    memset(B, 0, sizeof(double) * 6 * LOCAL);
    put(B, 0, AT_A, &u_a);
    put(B, 0, AT_A_S, &u_s);
    put(B, 3, AT_A, &v_a);
    put(B, 3, AT_P_S, &v_s);
}

// B' C A with the weight; C (6 x 6), of which few are not 0
static void add_stiffness(const strain_map *x, const double *C, double A[6][LOCAL], double weight,
                          local *to) {
    for (int i = 0; i < 6; i++) {
        double CB[LOCAL] = {0.0};
        for (int l = 0; l < 6; l++) {
            if (C[6 * i + l] == 0.0) continue;
            for (int k = 0; k < LOCAL; k++) CB[k] += weight * C[6 * i + l] * A[l][k];
        }
        for (int r = 0; r < LOCAL; r++) {
            if (x->B[i][r] == 0.0) continue;
            for (int k = 0; k < LOCAL; k++) to->m[r][k] += x->B[i][r] * CB[k];
        }
    }
}

// What the wrench does by the curvature of the map.
static void add_geometric(const place_motion *p, const strain_map *x, vec6 wrench, double weight,
                          local *to) {
    const turn *t = &p->turn;
    const mat3 by_moment = turn_back_by(t, wrench.a), back = mat3_transpose(&by_moment);
    const mat3 second = turn_second(t, wrench.a, p->a_s);
    const mat3 arm = turn_back_by(t, vec3_cross(wrench.l, p->v)), hat = mat3_hat(wrench.l);
    const mat3 turned = between(&t->T, &hat, &x->vT), along = between(&t->T, &hat, &x->Rt);
    const mat3 along_back = mat3_transpose(&along);
    add_block(to, AT_A_S, AT_A, &by_moment, weight);
    add_block(to, AT_A, AT_A_S, &back, weight);
    add_block(to, AT_A, AT_A, &second, weight);
    add_block(to, AT_A, AT_A, &arm, weight);
    add_block(to, AT_A, AT_A, &turned, weight);
    add_block(to, AT_A, AT_P_S, &along, weight);
    add_block(to, AT_P_S, AT_A, &along_back, weight);
}

static bool is_station(const curve *c, int i) {
    return i >= c->station && i < c->station_end;
}

// C (6 x 6) += material and damping of a station.
static void add_material(const curve *c, const rod_memory *m, int i, const tangent_weights *w,
                         double C[36]) {
    double elastic[36], damping[36];
    curve_material_slope(c, m->stretched, i, &m->moved[i], elastic);
    for (int k = 0; k < 36; k++) C[k] += (w->q + w->own) * elastic[k];
    if (w->v == 0.0) return;
    curve_damping_slope(c, m->stretched, i, &m->moved[i], damping);
    for (int k = 0; k < 36; k++) C[k] += w->v * damping[k];
}

// The sections' 6 x 6: the material, and the curvature of drives.
static void stiffness_at(const curve *c, const rod_memory *m, int i, const tangent_weights *w,
                         double C[36]) {
    memset(C, 0, sizeof(double) * 36);
    if (is_station(c, i)) add_material(c, m, i, w, C);
    for (int k = 0; k < c->n_drives && w->q != 0.0; k++) {
        const drive *d = &c->drives[k];
        if (d->a->kind->linear || i < d->first || i >= d->end) continue;
        curve_drive_curvature(d, m->stretched, i, &m->moved[i],
                              w->q * d->a->sign * m->now[k].effort, C);
    }
}

// What damping does where the shape changes and its rates stay.
static void add_damped(const curve *c, const rod_memory *m, int i, const strain_map *x,
                       double weight, local *K) {
    double C[36], B[6][LOCAL];
    if (!is_station(c, i) || !law_is_viscous(&m->stretched->sections[i])) return;
    curve_damping_slope(c, m->stretched, i, &m->moved[i], C);
    rate_map_make(&m->moved[i], x, B);
    add_stiffness(x, C, B, weight, K);
}

static void add_inside(const curve *c, const rod_memory *m, int i, const tangent_weights *w,
                       local *K) {
    strain_map x;
    double C[36];
    const double weight = c->sections[i].weight;
    if (w->q == 0.0 && w->v == 0.0 && w->own == 0.0) return;
    strain_map_make(&m->moved[i], &x);
    stiffness_at(c, m, i, w, C);
    add_stiffness(&x, C, x.B, weight, K);
    if (w->q != 0.0 && m->moves) add_damped(c, m, i, &x, weight * w->q, K);
    if (w->q != 0.0) add_geometric(&m->moved[i], &x, m->inside[i], weight * w->q, K);
}

// The slope of a sum over places of a density, from that of the density.
static void spread_density(const curve *c, const rod_memory *m, int i, vec6 slope, double *out) {
    const place_motion *p = &m->moved[i];
    const turn *t = &p->turn;
    const vec6 w = vec6_scale(slope, c->sections[i].weight);
    pull f = {.a_s = mat3_tmul_vec(&t->T, w.a), .p_s = mat3_mul_vec(&t->R, w.l)};
    f.a = vec3_add(turn_slope(t, w.a, p->a_s), mat3_tmul_vec(&t->T, vec3_cross(w.l, p->v)));
    curve_spread(c, &c->places[i], &f, out);
}

void rod_drive_slopes(const rom_rod *r, rod_memory *m, const drive *d) {
    const curve *c = &r->curve;
    memset(m->by_work, 0, sizeof(double) * (size_t)c->n_q);
    memset(m->by_measure, 0, sizeof(double) * (size_t)c->n_q);
    for (int i = d->first; i < d->end; i++) {
        const place_motion *p = &m->moved[i];
        spread_density(c, m, i, curve_drive_density(d, m->stretched, i, p).slope, m->by_work);
        spread_density(c, m, i, curve_drive_counted(d, m->stretched, i, p).slope, m->by_measure);
    }
}

// Where a drive's effort answers to its measure: slope times (d work)(d measure)'.
static void add_answers(const rom_rod *r, rod_memory *m, double weight, int n, double *K) {
    const int n_q = r->curve.n_q;
    for (int k = 0; k < r->curve.n_drives; k++) {
        const drive *d = &r->curve.drives[k];
        const double factor = weight * d->a->sign * m->now[k].by_measure;
        if (factor == 0.0) continue;
        rod_drive_slopes(r, m, d);
        for (int i = 0; i < n_q; i++)
            for (int j = 0; j < n_q; j++)
                K[(size_t)i * (size_t)n + (size_t)j] += factor * m->by_work[i] * m->by_measure[j];
    }
}

// ---------------------------------------------------------------- outside
// T' tau with tau = R' M, for a moment M that is fixed in the base frame.
static void add_moment(const turn *t, vec3 tau, double factor, local *K) {
    const mat3 hat = mat3_hat(tau), seen = between(&t->T, &hat, &t->T);
    const mat3 by_a = turn_back_by(t, tau);
    add_block(K, AT_A, AT_A, &by_a, -factor);
    add_block(K, AT_A, AT_A, &seen, -factor);
}

static void add_force_turn(const turn *t, vec3 f, double factor, local *K) {  // of R f
    const mat3 hat = mat3_hat(f), turned = mat3_mul(&t->R, &hat), all = mat3_mul(&turned, &t->T);
    add_block(K, AT_P, AT_A, &all, factor);
}

// Where a wrench answers to turns and shifts by S; the coordinates turn the section by R T da.
static void add_slope(const turn *t, const double S[36], double factor, local *K) {
    const mat3 RT = mat3_mul(&t->R, &t->T);
    const mat3 aa = block33_at(S, 0, 0), ap = block33_at(S, 0, 3), pa = block33_at(S, 3, 0),
               pp = block33_at(S, 3, 3);
    const mat3 by_turns = between(&RT, &aa, &RT), by_shift = mat3_tmul(&RT, &ap),
               by_turn = mat3_mul(&pa, &RT);
    add_block(K, AT_A, AT_A, &by_turns, -factor);
    add_block(K, AT_A, AT_P, &by_shift, -factor);
    add_block(K, AT_P, AT_A, &by_turn, -factor);
    add_block(K, AT_P, AT_P, &pp, -factor);
}

static void add_load(const curve *c, const curve_load *load, int i, const place_motion *p,
                     const situation *at, double factor, local *K) {
    const double weight = load->of.distributed ? c->sections[i].weight : 1.0;
    const turn *t = &p->turn;
    const bool answers = load_answers(&load->of);
    double S[36];
    const vec6 w = load_at(&load->of, at->inputs, weight * at->share, &at->base.pose,
                           &(point_now){&t->R, p->p, p->p_t}, answers ? S : NULL);
    add_moment(t, mat3_tmul_vec(&t->R, w.a), factor, K);
    if (answers) add_slope(t, S, factor, K);
}

static void add_loads(const curve *c, const rod_memory *m, int i, const situation *at,
                      double factor, local *K) {
    for (int l = 0; l < c->n_loads && factor != 0.0; l++)
        if (i >= c->loads[l].place && i < c->loads[l].end)
            add_load(c, &c->loads[l], i, &m->moved[i], at, factor, K);
}

static void add_touch(const rom_rod *r, const rod_memory *m, int i, const situation *at,
                      double factor, local *K) {
    const touch_now now = rod_touch(m, &at->base, i, m->moves);
    const turn *t = &m->moved[i].turn;
    point_slopes slopes = {{0.0}, {0.0}};
    const mat3 *base = &at->base.pose.R;
    const vec6 w = touch_in(&r->touch, &m->touch, i, base, &now, &slopes).wrench;
    add_moment(t, mat3_tmul_vec(&t->R, w.a), factor, K);
    add_slope(t, slopes.by_motion, factor, K);
}

// ---------------------------------------------------------------- inertia
// By turns, at the accelerations of the last evaluation, with weight.
static void add_lift(const lump *b, const place_motion *p, vec3 gravity, double factor, local *K) {
    const turn *t = &p->turn;
    const vec3 lift = mat3_tmul_vec(&t->R, vec3_sub(p->p_tt, gravity));
    const vec3 wrench = mat3_tmul_vec(&t->R, curve_lump_wrench(b, p, gravity).a);
    const mat3 by_a = turn_back_by(t, wrench), h = mat3_hat(b->moment), l = mat3_hat(lift);
    const mat3 hl = mat3_mul(&h, &l), seen = between(&t->T, &hl, &t->T);
    add_block(K, AT_A, AT_A, &by_a, factor);
    add_block(K, AT_A, AT_A, &seen, factor);
}

// Where w and w' answer by `spin` and `rate`: J w' + w x J w, and R (w' x c + w x (w x c)) about the centre of mass.
static void add_gyration(const lump *b, const place_motion *p, const mat3 *spin, const mat3 *rate,
                         double factor, local *K) {
    const turn *t = &p->turn;
    const mat3 faster = between(&t->T, &b->inertia, rate);
    const mat3 w = mat3_hat(p->w), wJ = mat3_mul(&w, &b->inertia);
    const mat3 Jw = mat3_hat(mat3_mul_vec(&b->inertia, p->w)), both = mat3_sub(&wJ, &Jw);
    const mat3 gyro = between(&t->T, &both, spin);
    add_block(K, AT_A, AT_A, &faster, factor);
    add_block(K, AT_A, AT_A, &gyro, factor);
    if (vec3_dot(b->moment, b->moment) == 0.0) return;
    const mat3 c = mat3_hat(b->moment), wc = mat3_mul(&w, &c);
    const mat3 swing = mat3_hat(vec3_cross(p->w, b->moment)), by_spin = mat3_add(&swing, &wc);
    const mat3 c_rate = mat3_mul(&c, rate), c_spin = mat3_mul(&by_spin, spin);
    const mat3 local_force = mat3_add(&c_rate, &c_spin), force = mat3_mul(&t->R, &local_force);
    add_block(K, AT_P, AT_A, &force, -factor);
}

// What a base that moves does to the motion of a place, by where that is and how it turns.
typedef struct carried {
    mat3 spin, spin_rate;  // d(R'w)/da, and what it adds to d(R w')'/da beside
    mat3 w, swing, twice;  // w^, w'^ + w^ w^, 2 w^
    mat3 seen;             // (R'w)^
    bool moves;
} carried;

static carried carried_by(const base_motion *base, const place_motion *p) {
    const turn *t = &p->turn;
    const vec3 w = mat3_tmul_vec(&t->R, base->w), w_t = mat3_tmul_vec(&t->R, base->w_t);
    carried x = {.w = mat3_hat(base->w), .seen = mat3_hat(w), .moves = true};
    const mat3 ww = mat3_mul(&x.w, &x.w), rate = mat3_hat(base->w_t);
    const mat3 own = mat3_hat(vec3_sub(p->w, w)), faster = mat3_hat(w_t);
    const mat3 across = mat3_mul(&own, &x.seen), change = mat3_sub(&faster, &across);
    x.swing = mat3_add(&rate, &ww);
    x.twice = mat3_scale(&x.w, 2.0);
    x.spin = mat3_mul(&x.seen, &t->T);
    x.spin_rate = mat3_mul(&change, &t->T);
    return x;
}

// The acceleration of its place answers by x to p or its rate.
static void add_pushed(const lump *b, const place_motion *p, const mat3 *x, double factor,
                       local *K) {
    const turn *t = &p->turn;
    const mat3 h = mat3_hat(b->moment), back = mat3_transpose(&t->R), hR = mat3_mul(&h, &back);
    const mat3 moment = between(&t->T, &hR, x);
    add_block(K, AT_P, AT_P, x, factor * b->mass);
    add_block(K, AT_A, AT_P, &moment, factor);
}

// By a, while a_t and a_tt stay, and by p.
static void add_swing(const lump *b, const place_motion *p, const carried *x, double factor,
                      local *K) {
    const turn *t = &p->turn;
    const mat3 faster = turn_by(t, p->a_tt), along = turn_rate_by(t, p->a_t, p->a_t);
    mat3 spin = turn_by(t, p->a_t), rate = mat3_add(&faster, &along);
    if (x->moves) {
        const mat3 swept = mat3_mul(&x->seen, &spin), both = mat3_add(&swept, &x->spin_rate);
        rate = mat3_add(&rate, &both);
        spin = mat3_add(&spin, &x->spin);
        add_pushed(b, p, &x->swing, factor, K);
    }
    add_gyration(b, p, &spin, &rate, factor, K);
    const vec3 swing =
        vec3_add(vec3_cross(p->w_t, b->moment), vec3_cross(p->w, vec3_cross(p->w, b->moment)));
    add_force_turn(t, swing, -factor, K);
}

// By a_t and p_t.
static void add_spin(const lump *b, const place_motion *p, const carried *x, double factor,
                     local *K) {
    const turn *t = &p->turn;
    const mat3 bend = turn_by(t, p->a_t), along = turn_along(t, p->a_t);
    mat3 rate = mat3_add(&bend, &along);
    if (x->moves) {
        rate = mat3_add(&rate, &x->spin);
        add_pushed(b, p, &x->twice, factor, K);
    }
    add_gyration(b, p, &t->T, &rate, factor, K);
}

static void add_mass(const lump *b, const place_motion *p, double factor, local *K) {
    const turn *t = &p->turn;
    const mat3 J = between(&t->T, &b->inertia, &t->T), one = mat3_identity();
    const mat3 h = mat3_hat(b->moment), Rt = mat3_transpose(&t->R);
    const mat3 mixed = between(&t->T, &h, &Rt), back = mat3_transpose(&mixed);
    add_block(K, AT_A, AT_A, &J, factor);
    add_block(K, AT_P, AT_P, &one, factor * b->mass);
    add_block(K, AT_A, AT_P, &mixed, factor);
    add_block(K, AT_P, AT_A, &back, factor);
}

static void add_lump(const rod_memory *m, int i, vec3 gravity, const tangent_weights *w,
                     const carried *x, local *K) {
    const lump *b = &m->lumps[i];
    const place_motion *p = &m->moved[i];
    if (w->q != 0.0) add_lift(b, p, gravity, w->q, K);
    if (w->q != 0.0 && m->moves) add_swing(b, p, x, w->q, K);
    if (w->v != 0.0) add_spin(b, p, x, w->v, K);
    if (w->a != 0.0) add_mass(b, p, w->a, K);
}

static void add_surrounding(const surroundings *around, const point_body *b, double share,
                            const place_motion *p, const tangent_weights *w, const carried *c,
                            local *K) {
    point_answer out = {.lost = 0.0};
    point_slopes slopes = {{0.0}, {0.0}};
    environment_add(vec3_zero(), around, b, &(point_now){&p->turn.R, p->p, p->p_t}, &out, &slopes);
    const double *x = slopes.by_velocity + 21;  // of the force by the velocity
    const mat3 by = {{{x[0], x[1], x[2]}, {x[6], x[7], x[8]}, {x[12], x[13], x[14]}}};
    add_block(K, AT_P, AT_P, &by, -share * w->v);
    if (w->q == 0.0) return;
    if (c->moves) {
        const mat3 swept = mat3_mul(&by, &c->w);
        add_block(K, AT_P, AT_P, &swept, -share * w->q);
    }
    add_moment(&p->turn, mat3_tmul_vec(&p->turn.R, out.wrench.a), share * w->q, K);
    add_slope(&p->turn, slopes.by_motion, share * w->q, K);
}

// R' x, of columns that are places
static mat3 seen_by(const mat3 *x, const mat3 *R) {
    const mat3 back = mat3_transpose(R);
    return mat3_mul(x, &back);
}

// Rows of a force in the axes of the section, by column.
static void add_local_force(const turn *t, int column, const mat3 *x, double factor, local *K) {
    const mat3 turned = mat3_mul(&t->R, x);
    add_block(K, AT_P, column, &turned, factor);
}

static void add_local_moment(const turn *t, int column, const mat3 *x, double factor, local *K) {
    const mat3 seen = mat3_tmul(&t->T, x);
    add_block(K, AT_A, column, &seen, factor);
}

// Of fluid that moves along.
static void add_wet(vec3 added, const place_motion *p, vec3 current, const tangent_weights *w,
                    const carried *c, local *K) {
    const turn *t = &p->turn;
    if (vec3_dot(added, added) == 0.0) return;
    const wet_slopes s = curve_wet_slopes(added, p, current);
    const mat3 mass = seen_by(&s.force_by_e, &t->R);
    add_local_force(t, AT_P, &mass, w->a, K);
    if (w->q == 0.0 && w->v == 0.0) return;
    const mat3 force = seen_by(&s.force_by_q, &t->R), moment = seen_by(&s.moment_by_q, &t->R);
    const mat3 spin = mat3_mul(&s.force_by_w, &t->T);
    add_local_force(t, AT_P, &force, w->v, K);
    add_local_force(t, AT_A, &spin, w->v, K);
    add_local_moment(t, AT_P, &moment, w->v, K);
    if (c->moves) {
        const mat3 slid = mat3_mul(&mass, &c->twice);
        const mat3 swung = mat3_mul(&mass, &c->swing), drawn = mat3_mul(&force, &c->w);
        const mat3 both = mat3_add(&swung, &drawn), turned = mat3_mul(&moment, &c->w);
        add_local_force(t, AT_P, &slid, w->v, K);
        add_local_force(t, AT_P, &both, w->q, K);
        add_local_moment(t, AT_P, &turned, w->q, K);
    }
    if (w->q == 0.0) return;
    mat3 U = turn_by(t, p->a_t);
    if (c->moves) U = mat3_add(&U, &c->spin);
    const mat3 by_w = mat3_mul(&s.force_by_w, &U);
    const mat3 by_q = mat3_mul(&s.force_by_q, &s.q_by_a), by_e = mat3_mul(&s.force_by_e, &s.e_by_a);
    const mat3 moment_by = mat3_mul(&s.moment_by_q, &s.q_by_a), back = turn_back_by(t, s.moment);
    add_local_force(t, AT_A, &by_w, w->q, K);
    add_local_force(t, AT_A, &by_q, w->q, K);
    add_local_force(t, AT_A, &by_e, w->q, K);
    add_local_force(t, AT_A, &s.turned, -w->q, K);
    add_local_moment(t, AT_A, &moment_by, w->q, K);
    add_block(K, AT_A, AT_A, &back, w->q);
}

static void add_surroundings(const curve *c, const rod_memory *m, int i, const situation *at,
                             const surroundings *around, const tangent_weights *w, const carried *x,
                             local *K) {
    if (i < c->n_rule) {
        add_surrounding(around, &c->sections[i].around, 1.0, &m->moved[i], w, x, K);
        add_wet(c->sections[i].added, &m->moved[i], around->current, w, x, K);
    }
    for (int k = 0; k < c->n_riders; k++)
        if (c->riders[k].place == i && !point_body_is_plain(&c->riders[k].around))
            add_surrounding(around, &c->riders[k].around,
                            number_value(c->riders[k].attached, at->inputs), &m->moved[i], w, x, K);
}

// ---------------------------------------------------------------- all of it
static void add_outside(const rom_rod *r, const rod_memory *m, int i, const situation *at,
                        const surroundings *around, const tangent_weights *w, local *K) {
    const curve *c = &r->curve;
    const vec3 gravity = vec3_scale(at->gravity, at->share);
    const bool carries = m->moves && (r->moves || r->floats);
    const carried x = carries ? carried_by(&at->base, &m->moved[i]) : (carried){.moves = false};
    add_lump(m, i, gravity, w, &x, K);
    if (at->around) add_surroundings(c, m, i, at, around, w, &x, K);
    add_loads(c, m, i, at, w->q, K);
    if (i < r->touch.n_points && w->q != 0.0 && !at->alone) add_touch(r, m, i, at, w->q, K);
}

void rod_tangent(const rom_rod *r, rod_memory *m, const situation *at, const tangent_weights *w,
                 int n, double *K) {
    const curve *c = &r->curve;
    surroundings around;
    if (at->around) around = surroundings_at(at->around, at->inputs, at->share, &at->base.pose);
    memset(K, 0, sizeof(double) * (size_t)n * (size_t)n);
    root_tangent root;
    if (r->floats) root = root_begin(r, m, at, at->around ? &around : NULL, w, n, K);
    for (int i = 0; i < c->n_places; i++) {
        local k = {0};
        const bool of_rule = i < c->n_rule, of_thin = !of_rule && i < c->n_rule + c->n_thin;
        if (of_thin && !is_station(c, i)) continue;
        if (!of_thin) add_outside(r, m, i, at, &around, w, &k);
        if (r->floats && !of_thin) root_add_place(&root, i, &k);
        if (of_rule || of_thin) add_inside(c, m, i, w, &k);
        add_local(c, &c->places[i], &k, n, K);
    }
    if (r->floats) root_add_springs(&root);
    add_answers(r, m, w->q, n, K);
}
