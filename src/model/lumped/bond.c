// model/lumped/bond.c - joints between nodes: of bodies in the world and in one another, and of ends of rods that slide
// or have springs.
//
// With the frame F of the joint in its holder, its axis a and origin f, and what is held at p with the rotation R, a
// joint holds or lets free some of the ways x_k,
//
//     along n, fixed in F     x = n.(p - f)         about n, fixed in F     x = n.log(R F')
//     of u in F, v in R       x = u.v, which turns about v x u
//
//     ball       three along          revolute   and a.u = 0 of two u across a     universal   and a.a2 = 0
//     prismatic  two across a, three about           clamp      three along, three about
//
// A way has a row b of how it answers to the motions of both nodes, dx = b.z, and so its effort s asks b s of them. What is
// held has x = 0 and the multiplier l = s; a spring has s = k (x - rest) + d x_t, less what a motor pushes with.
//
// The first stage of a step holds the rates of the ways in place of the ways: x = 0 after a part of a step alone would make
// velocities wrong by half of that part times the acceleration across, and the step one of first order. The end of the
// step has x = 0, and then velocities there are as accurate as the step (solve_instant.lead).
//
// What is held gets s = l + h x, with a stiffness h that is nothing where x = 0: blocks can then be factored before the
// multipliers, which border them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/pi.h"
#include "math/quat.h"
#include "model/lumped/net.h"

// ---------------------------------------------------------------- what it is
bond bond_make(const td_tip_def *hold, int holder, int held) {
    static const int rows[] = {
        [TD_CLAMP] = 6, [TD_BALL] = 3, [TD_REVOLUTE] = 5, [TD_UNIVERSAL] = 4, [TD_PRISMATIC] = 5};
    bond b = {.kind = hold->joint,
              .held = held,
              .holder = holder,
              .body = -1,
              .rod = -1,
              .axis = vec3_load(hold->axis),
              .axis2 = vec3_load(hold->axis2),
              .spring = hold->spring,
              .springs = has_spring(&hold->spring),
              .motor = -1,
              .n = rows[hold->joint]};
    memcpy(b.frame.position, hold->position, sizeof b.frame.position);
    memcpy(b.frame.orientation, hold->orientation, sizeof b.frame.orientation);
    memcpy(b.frame.rotation, hold->rotation, sizeof b.frame.rotation);
    b.driven = any_driven(hold->position, 3) || any_driven(hold->rotation, 3);
    if (!b.driven) b.place = chain_base(&b.frame);
    b.across[0] = vec3_perpendicular(b.axis);
    b.across[1] = vec3_cross(b.axis, b.across[0]);
    return b;
}

void bond_frame(const bond *b, const double *places, se3 *frame) {
    *frame = b->driven ? base_moved(&b->frame, places, NULL, NULL).pose : b->place;
}

// ---------------------------------------------------------------- where it is
typedef struct bond_now {  // world
    se3 F;
    mat3 R;                 // of what is held
    vec3 gap;               // p - f
    vec3 arm;               // p from the holder's node
    vec3 w, v;              // of what is held, less those of the holder's rigid motion at p
    vec3 w_drive, v_drive;  // the same of F, which inputs move in its holder
    vec3 spin;              // of the holder
} bond_now;

static bond_now bond_at(const bond *b, const node_state *held, const node_state *holder,
                        const double *places, const double *rates) {
    const mat3 R = quat_to_mat3(holder->q);
    bond_now s = {.R = quat_to_mat3(held->q)};
    se3 frame = b->place;
    if (b->driven) {
        const base_motion m = base_moved(&b->frame, places, rates, NULL);
        frame = m.pose;
        s.w_drive = mat3_mul_vec(&R, mat3_mul_vec(&frame.R, m.w));
        s.v_drive = mat3_mul_vec(&R, mat3_mul_vec(&frame.R, m.v));
    }
    s.F = (se3){mat3_mul(&R, &frame.R), vec3_add(holder->p, mat3_mul_vec(&R, frame.p))};
    s.gap = vec3_sub(held->p, s.F.p);
    s.arm = vec3_sub(held->p, holder->p);
    s.v_drive = vec3_add(s.v_drive, vec3_cross(s.w_drive, s.gap));
    s.spin = mat3_mul_vec(&R, holder->w);
    s.w = vec3_sub(mat3_mul_vec(&s.R, held->w), s.spin);
    s.v = vec3_sub(vec3_sub(held->v, holder->v), vec3_cross(s.spin, s.arm));
    return s;
}

static bond_now bond_in(const net_job *j, const bond *b) {
    return bond_at(b, &j->x[b->held], &j->x[b->holder], j->at->places,
                   j->moves ? j->at->place_rates : NULL);
}

// ---------------------------------------------------------------- ways
typedef struct way {
    bool turns, crosses;  // about, not along; of u and v
    vec3 n, u, v;         // world
    double x;
} way;

static way way_along(const bond_now *s, vec3 axis) {
    const vec3 n = mat3_mul_vec(&s->F.R, axis);
    return (way){.n = n, .x = vec3_dot(n, s->gap)};
}

static way way_about(const bond_now *s, int k) {
    const mat3 turn = mat3_tmul(&s->F.R, &s->R);
    const vec3 c = so3_log(&turn);
    return (way){.turns = true,
                 .n = mat3_column(&s->F.R, k),
                 .x = k == 0   ? c.x
                      : k == 1 ? c.y
                               : c.z};
}

static way way_across(const bond_now *s, vec3 u, vec3 v) {
    way w = {.turns = true, .crosses = true};
    w.u = mat3_mul_vec(&s->F.R, u);
    w.v = mat3_mul_vec(&s->R, v);
    w.n = vec3_cross(w.v, w.u);
    w.x = vec3_dot(w.u, w.v);
    return w;
}

// Those that are held, b->n.
static void held_ways(const bond *b, const bond_now *s, way out[6]) {
    static const vec3 unit[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const bool slides = b->kind == TD_PRISMATIC;
    int n = 0;
    for (int i = 0; i < (slides ? 2 : 3); i++)
        out[n++] = way_along(s, slides ? b->across[i] : unit[i]);
    if (b->kind == TD_REVOLUTE)
        for (int i = 0; i < 2; i++) out[n++] = way_across(s, b->across[i], b->axis);
    if (b->kind == TD_UNIVERSAL) out[n++] = way_across(s, b->axis, b->axis2);
    if (slides || b->kind == TD_CLAMP)
        for (int i = 0; i < 3; i++) out[n++] = way_about(s, i);
}

// The one that is free, where it is one: its spring works along it.
static way free_way(const bond *b, const bond_now *s) {
    if (b->kind == TD_PRISMATIC) return way_along(s, b->axis);
    const mat3 R = mat3_tmul(&s->F.R, &s->R);
    const quat q = quat_from_mat3(&R);
    const double sine = vec3_dot(b->axis, quat_vector(q));
    return (way){.turns = true,
                 .n = mat3_mul_vec(&s->F.R, b->axis),
                 .x = 2.0 * atan2(q.w < 0.0 ? -sine : sine, fabs(q.w))};
}

// Its rate as the frame goes, and what of that is the frame's doing.
static double way_drive(const way *k, const bond_now *s) {
    return -vec3_dot(k->n, k->turns ? s->w_drive : s->v_drive);
}

static double way_rate(const way *k, const bond_now *s) {
    return vec3_dot(k->n, k->turns ? s->w : s->v) + way_drive(k, s);
}

// b, of what is held and of the holder (6 each).
static void way_row(const way *k, const bond_now *s, double row[12]) {
    memset(row, 0, 12 * sizeof *row);
    if (k->turns) {
        vec3_store(row, k->n);
        vec3_store(row + 6, vec3_neg(k->n));
        return;
    }
    vec3_store(row + 3, k->n);
    vec3_store(row + 6, vec3_cross(k->n, s->arm));
    vec3_store(row + 9, vec3_neg(k->n));
}

// ---------------------------------------------------------------- how ways answer
typedef struct stir {   // a small motion of both nodes, one of twelve
    vec3 t, dp, h, df;  // turn and shift of what is held, of the holder
    vec3 dw, dv;        // by it w - w_drive and v - v_drive change, by the weights of a matrix
} stir;

static vec3 unit_of(int k) {
    return (vec3){k == 0, k == 1, k == 2};
}

static stir stir_of(const net_job *j, const bond *b, const bond_now *s, int column) {
    const bool holder = column >= 6, turns = column % 6 < 3;
    const vec3 unit = unit_of(column % 3), none = vec3_zero();
    const double q = j->w->q;
    stir z = {none, none, none, none, none, none};
    *(holder ? turns ? &z.h : &z.df : turns ? &z.t : &z.dp) = unit;
    if (!j->moves) return z;
    vec3 w, v;
    node_velocity_slopes(j, holder ? b->holder : b->held, column % 6, &w, &v);
    if (holder) {
        v = vec3_add(v, vec3_cross(w, s->arm));
        w = vec3_neg(w), v = vec3_neg(v);
    }
    const vec3 gone = vec3_sub(z.dp, z.df), slid = vec3_sub(gone, vec3_cross(z.h, s->arm));
    const vec3 w_drive = vec3_cross(z.h, s->w_drive);
    const vec3 v_drive = vec3_add(vec3_cross(z.h, s->v_drive), vec3_cross(s->w_drive, slid));
    z.dw = vec3_madd(w, -q, w_drive);
    z.dv = vec3_madd(v, -q, vec3_add(vec3_cross(s->spin, gone), v_drive));
    return z;
}

static vec3 way_turned(const way *k, const stir *z) {
    if (!k->crosses) return vec3_cross(z->h, k->n);
    return vec3_add(vec3_cross(vec3_cross(z->t, k->v), k->u),
                    vec3_cross(k->v, vec3_cross(z->h, k->u)));
}

static void row_change(const way *k, const bond_now *s, const stir *z, double out[12]) {
    const vec3 dn = way_turned(k, z), gone = vec3_sub(z->dp, z->df);
    memset(out, 0, 12 * sizeof *out);
    if (k->turns) {
        vec3_store(out, dn);
        vec3_store(out + 6, vec3_neg(dn));
        return;
    }
    vec3_store(out + 3, dn);
    vec3_store(out + 6, vec3_add(vec3_cross(dn, s->arm), vec3_cross(k->n, gone)));
    vec3_store(out + 9, vec3_neg(dn));
}

static double rate_change(const net_job *j, const way *k, const bond_now *s, const stir *z) {
    if (!j->moves) return 0.0;
    const vec3 now = k->turns ? vec3_sub(s->w, s->w_drive) : vec3_sub(s->v, s->v_drive);
    return j->w->q * vec3_dot(way_turned(k, z), now) + vec3_dot(k->n, k->turns ? z->dw : z->dv);
}

// ---------------------------------------------------------------- into the matrix
// T (12 x 12), of both nodes.
static void put_blocks(const net_job *j, const bond *b, const double *T) {
    const net *c = j->c;
    const int nodes[2] = {b->held, b->holder};
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 2; column++) {
            if (nodes[row] >= c->n_free || nodes[column] >= c->n_free) continue;
            double *block =
                j->to.a + (size_t)block_at(&c->pattern, nodes[row], nodes[column]) * BLOCK;
            for (int i = 0; i < BLOCK; i++)
                block[i] += T[12 * (6 * row + i / 6) + 6 * column + i % 6];
        }
}

// Six numbers of each node, of what is a row or a column of the border.
static void put_border(const net *c, const bond *b, const double x[12], double *to) {
    const int nodes[2] = {b->held, b->holder};
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < 6 && nodes[end] < c->n_free; i++)
            to[6 * nodes[end] + i] += x[6 * end + i];
}

typedef struct effort {  // along a way
    double s;
    double by_x, by_rate;  // how it answers
} effort;

// What an effort asks of both nodes, and how that answers; rate (12; NULL: not wanted): how the rate of the way does.
static void add_effort(const net_job *j, const bond *b, const bond_now *s, const way *k, effort e,
                       double *rate) {
    double row[12], T[144];
    way_row(k, s, row);
    for (int i = 0; i < 6; i++) {
        j->m->r[6 * b->held + i] += e.s * row[i];
        j->m->r[6 * b->holder + i] += e.s * row[6 + i];
    }
    if (!j->w) return;
    for (int column = 0; column < 12; column++) {
        double change[12];
        const stir z = stir_of(j, b, s, column);
        const double faster = rate_change(j, k, s, &z);
        const double ds = j->w->q * e.by_x * row[column] + e.by_rate * faster;
        row_change(k, s, &z, change);
        for (int i = 0; i < 12; i++) T[12 * i + column] = ds * row[i] + j->w->q * e.s * change[i];
        if (rate) rate[column] = faster;
    }
    put_blocks(j, b, T);
}

// ---------------------------------------------------------------- what is held
static double hold_of(const net *c, const way *k) {
    return k->turns ? c->hold_turning : c->hold_shifts;
}

static void add_held_way(const net_job *j, const bond *b, const bond_now *s, const way *k,
                         int which) {
    const net *c = j->c;
    const size_t rows = 6 * (size_t)c->n_free, at = (size_t)(c->n_unknown + which);
    const double hold = hold_of(c, k), lead = j->at->lead, rate = way_rate(k, s);
    const effort e = {.s = (j->holding ? j->holding[which] : 0.0) + hold * k->x, .by_x = hold};
    double faster[12];
    add_effort(j, b, s, k, e, faster);
    j->m->gap[at] = lead > 0.0 ? lead * rate : k->x;
    j->m->given_power += e.s * way_drive(k, s);
    if (!j->w || j->at->soft) return;
    double row[12], by_motion[12];
    way_row(k, s, row);
    for (int i = 0; i < 12; i++) {
        row[i] *= j->w->q;
        by_motion[i] = lead > 0.0 ? lead * faster[i] : row[i];
    }
    put_border(c, b, row, j->to.U + at * rows);
    put_border(c, b, by_motion, j->to.V + at * rows);
}

// ---------------------------------------------------------------- springs and motors
static bool is_pushed(const bond *b) {
    return b->springs || b->motor >= 0;
}

static double stretch_of(const bond *b, const way *k, const double *inputs, double share) {
    return k->x - share * number_value(b->spring.rest, inputs);
}

static joint_push push_on(const net_job *j, const bond *b, const way *k) {
    if (b->motor < 0) return (joint_push){0};
    const joint_push now =
        actuator_push(&j->c->actuators[b->motor], supply_of(j, b->motor), k->turns, k->x);
    j->m->measures[b->motor] = now.turn;
    j->m->trial_efforts[b->motor] = now.torque;
    return now;
}

static void add_spring(const net_job *j, const bond *b, const bond_now *s) {
    const way k = free_way(b, s);
    const joint_push push = push_on(j, b, &k);
    const double share = j->at->shares[SHARE_DRIVES], rate = j->moves ? way_rate(&k, s) : 0.0;
    const double pull = b->spring.stiffness * stretch_of(b, &k, j->at->inputs, share);
    const effort e = {pull + b->spring.damping * rate - push.effort,
                      b->spring.stiffness - push.by_x, b->spring.damping};
    add_effort(j, b, s, &k, e, NULL);
    j->m->lost += b->spring.damping * rate * rate;
    j->m->given_power += e.s * way_drive(&k, s);
    if (j->at->input_rates)
        j->m->given_power -= pull * share * number_rate(b->spring.rest, j->at->input_rates);
    j->m->given_power += push.effort * rate;  // its shaft's is among what actuators store
}

// What is kept.
static void add_pull(const net_job *j, const bond *b, vec6 pull) {
    double *held = j->m->r + 6 * b->held, *holder = j->m->r + 6 * b->holder;
    const vec3 arm = vec3_sub(j->x[b->held].p, j->x[b->holder].p);
    const vec6 back = {vec3_add(pull.a, vec3_cross(arm, pull.l)), pull.l};
    vec6_store(held, vec6_sub(vec6_load(held), pull));
    vec6_store(holder, vec6_add(vec6_load(holder), back));
}

void add_bonds(const net_job *j) {
    for (int i = 0; i < j->c->n_bonds; i++) {
        const bond *b = &j->c->bonds[i];
        if (j->pulled) {
            add_pull(j, b, vec6_load(j->m->pulls + 6 * i));
            continue;
        }
        const bond_now s = bond_in(j, b);
        way ways[6];
        held_ways(b, &s, ways);
        for (int k = 0; k < b->n; k++) add_held_way(j, b, &s, &ways[k], b->row + k);
        if (is_pushed(b)) add_spring(j, b, &s);
    }
}

// ---------------------------------------------------------------- what is kept
void keep_bonds(const net_job *j) {
    for (int i = 0; i < j->c->n_bonds; i++) {
        const bond *b = &j->c->bonds[i];
        const bond_now s = bond_in(j, b);
        vec6 sum = vec6_zero();
        way ways[7];
        double efforts[7];
        held_ways(b, &s, ways);
        for (int k = 0; k < b->n; k++)
            efforts[k] = j->holding[b->row + k] + hold_of(j->c, &ways[k]) * ways[k].x;
        if (is_pushed(b)) {
            const way k = ways[b->n] = free_way(b, &s);
            efforts[b->n] = b->spring.stiffness * stretch_of(b, &k, j->at->inputs, 1.0) -
                            push_on(j, b, &k).effort;
            if (j->moves) efforts[b->n] += b->spring.damping * way_rate(&k, &s);
        }
        for (int k = 0; k < b->n + is_pushed(b); k++) {
            const vec3 e = vec3_scale(ways[k].n, -efforts[k]);
            sum = vec6_add(sum, ways[k].turns ? (vec6){e, vec3_zero()} : (vec6){vec3_zero(), e});
        }
        vec6_store(j->m->pulls + 6 * i, sum);
    }
}

double bonds_energy(const net *c, const node_state *x, const double *inputs) {
    double sum = 0.0;
    for (int i = 0; i < c->n_bonds; i++) {
        const bond *b = &c->bonds[i];
        if (!b->springs) continue;
        const bond_now s = bond_at(b, &x[b->held], &x[b->holder], inputs, NULL);
        const way k = free_way(b, &s);
        const double stretch = stretch_of(b, &k, inputs, 1.0);
        sum += 0.5 * b->spring.stiffness * stretch * stretch;
    }
    return sum;
}

// ---------------------------------------------------------------- does it fit
#define GAPES 1e-6  // rad, or lengths of the longest rod

td_status bonds_fit(const net *c, const net_memory *m, const double *places, char *message) {
    for (int i = 0; i < c->n_bonds; i++) {
        const bond *b = &c->bonds[i];
        const bond_now s = bond_at(b, &m->trial[b->held], &m->trial[b->holder], places, NULL);
        double angle = 0.0, distance = 0.0;
        way ways[6];
        held_ways(b, &s, ways);
        for (int k = 0; k < b->n; k++)
            *(ways[k].turns ? &angle : &distance) =
                fmax(ways[k].turns ? angle : distance, fabs(ways[k].x));
        if (angle <= GAPES && distance <= GAPES * c->size) continue;
        return tell(message, TD_ERR_VALUE, "the joint of the %s '%s' gapes by %.3g mm and %.3g deg",
                    b->body >= 0        ? "body"
                    : b->end == TD_BASE ? "base of rod"
                                        : "tip of rod",
                    b->name, 1e3 * distance, angle * 180.0 / PI);
    }
    return TD_OK;
}
