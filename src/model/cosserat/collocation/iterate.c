// model/cosserat/collocation/iterate.c - from the strains at the nodes to the residual, four nodes at a
// time. The equations are in collocation.h.
#include <assert.h>
#include <string.h>

#include "math/dense.h"
#include "math/interpolate.h"
#include "math/quadrature.h"
#include "math/se3_lanes.h"
#include "model/cosserat/collocation/efforts.h"
#include "model/cosserat/around.h"
#include "model/cosserat/contact.h"

#define NODE_DOUBLES ((int)(sizeof(node_motion) / sizeof(double)))
#define BLOCK_STRIDE (sizeof(node_lanes) / sizeof(double))
#define MOST_BLOCKS ((GAUSS_MAX + LANES) / LANES)  // of GAUSS_MAX + 1 steps

static_assert(sizeof(node_lanes) == LANES * sizeof(node_motion),
              "a field of one for each of the other");

// One element of an iterate.
typedef struct stretch {
    const rod_problem *p;
    const element *e;
    const gauss_table *t;
    const station_lanes *stations;  // (blocks)
    const element_loads *load;
    const double *x;        // (n x 6) strain less that at rest
    const double *history;  // (n x F_SIZE)
    node_lanes *nodes;      // (blocks)
    int blocks;
    bool still;  // the rod neither shears nor stretches
} stretch;

// ---------------------------------------------------------------- in and out of fours
// Columns 0 to 3 of four rows, from `first`; beyond the last row it is repeated.
LANES_INLINE void load_columns(const double *a, int stride, int first, int n, lanes out[4]) {
    const lanes *row[LANES];
    for (int i = 0; i < LANES; i++)
        row[i] = (const lanes *)(a + stride * (first + i < n ? first + i : n - 1));
    lanes_transpose(*row[0], *row[1], *row[2], *row[3], out);
}

// sum_j w_j v_j: four sums at once, of vectors that lie in fours, `stride` numbers from four to four
LANES_INLINE lanes3 weigh(int n, const lanes *w, const lanes3 *v, size_t stride) {
    lanes3 sum = {{0.0}, {0.0}, {0.0}};
    for (int j = 0; j < n; j++) {
        const double *at = (const double *)v + (size_t)(j / LANES) * stride + j % LANES;
        sum.x += w[j] * at[0];
        sum.y += w[j] * at[LANES];
        sum.z += w[j] * at[2 * LANES];
    }
    return sum;
}

// ---------------------------------------------------------------- poses
// The strain at a Magnus point of four steps: rest strain plus the polynomial through the nodes.
LANES_INLINE lanes6 strain_at(const stretch *s, const lanes *row) {
    const station *rest = &s->e->stations[0];
    lanes6 g = {lanes3_all(rest->u_rest), lanes3_all(rest->v_rest)};
    const double *x = s->x;
    for (int j = 0; j < s->t->n; j++, x += 6) {
        g.a.x += row[j] * x[0], g.a.y += row[j] * x[1], g.a.z += row[j] * x[2];
        if (s->still) continue;
        g.l.x += row[j] * x[3], g.l.y += row[j] * x[4], g.l.z += row[j] * x[5];
    }
    return g;
}

LANES_INLINE void set_steps(const stretch *s, lanes_pose *steps) {
    const gauss_table *t = s->t;
    const int n = t->n;
    for (int b = 0; b < lane_blocks(n + 1); b++) {
        const lanes *row = t->rows4 + b * t->points * n, d = s->e->length * t->d4[b];
        lanes6 g[3] = {strain_at(s, row), strain_at(s, row + n)}, psi;
        if (t->points == 2) {
            psi = lanes6_magnus4(d, g);
        } else {
            g[2] = strain_at(s, row + 2 * n);
            psi = lanes6_magnus6(d, g, s->still);
        }
        lanes_exp(&psi, &steps[b]);
    }
}

// A pose as columns (x, y, z, 0): three of R, and p.
typedef struct pose_columns {
    lanes c[4];
} pose_columns;

// T step, step the one at `at` of four
LANES_INLINE pose_columns moved_on(const pose_columns *T, const double *at) {
    pose_columns out;
    for (int j = 0; j < 3; j++)  // R = (x00 x01 x02 x10 ..), four of each
        out.c[j] =
            T->c[0] * at[LANES * j] + T->c[1] * at[LANES * (3 + j)] + T->c[2] * at[LANES * (6 + j)];
    out.c[3] =
        T->c[3] + (T->c[0] * at[LANES * 9] + T->c[1] * at[LANES * 10] + T->c[2] * at[LANES * 11]);
    return out;
}

LANES_INLINE pose_columns columns_of(const se3 *T) {
    const double(*R)[3] = T->R.m;
    return (pose_columns){{{R[0][0], R[1][0], R[2][0], 0.0},
                           {R[0][1], R[1][1], R[2][1], 0.0},
                           {R[0][2], R[1][2], R[2][2], 0.0},
                           {T->p.x, T->p.y, T->p.z, 0.0}}};
}

LANES_INLINE se3 pose_of(const pose_columns *T) {
    const lanes *c = T->c;
    return (se3){
        {{{c[0][0], c[1][0], c[2][0]}, {c[0][1], c[1][1], c[2][1]}, {c[0][2], c[1][2], c[2][2]}}},
        {c[3][0], c[3][1], c[3][2]}};
}

// From the near side through all nodes to the far side.
LANES_INLINE void place_nodes(const stretch *s, const se3 *near, se3 *far) {
    const int n = s->t->n;
    lanes_pose steps[MOST_BLOCKS];
    pose_columns T = columns_of(near), block[LANES];
    set_steps(s, steps);
    for (int b = 0; b < s->blocks; b++) {
        for (int i = 0; i < LANES; i++) {
            const int k = LANES * b + i;
            if (k < n) T = moved_on(&T, (const double *)&steps[b] + i);
            block[i] = T;
        }
        lanes33 *R = &s->nodes[b].R;
        lanes out[4];
        for (int j = 0; j < 3; j++) {
            lanes_transpose(block[0].c[j], block[1].c[j], block[2].c[j], block[3].c[j], out);
            R->m[0][j] = out[0], R->m[1][j] = out[1], R->m[2][j] = out[2];
        }
        lanes_transpose(block[0].c[3], block[1].c[3], block[2].c[3], block[3].c[3], out);
        s->nodes[b].p = (lanes3){out[0], out[1], out[2]};
    }
    T = moved_on(&T, (const double *)&steps[n / LANES] + n % LANES);
    *far = pose_of(&T);
}

// ---------------------------------------------------------------- velocities
static vec3 velocity_of(const bound_motion *b) {
    return vec3_sub(b->a.l, vec3_cross(b->T.p, b->a.a));
}

// x and x_t = c0 x + history of four nodes, component by component
LANES_INLINE void load_strains(const stretch *s, int block, lanes x[6], lanes rate[6]) {
    lanes low[4], high[4], past[8];
    const int n = s->t->n;
    load_columns(s->x, 6, LANES * block, n, low);
    load_columns(s->x + 2, 6, LANES * block, n, high);
    load_columns(s->history, F_SIZE, LANES * block, n, past);
    load_columns(s->history + 4, F_SIZE, LANES * block, n, past + 4);
    for (int k = 0; k < 6; k++) {
        x[k] = k < 4 ? low[k] : high[k - 2];
        rate[k] = s->p->c0 * x[k] + past[k];
    }
}

// p' = R v, w = R u_t, nu = R v_t
LANES_INLINE void set_strain_rates(const stretch *s, int block) {
    node_lanes *m = &s->nodes[block];
    lanes x[6], rate[6];
    load_strains(s, block, x, rate);
    lanes3 v = s->stations[block].v_rest;
    m->bend = lanes33_mul(&m->R, (lanes3){rate[0], rate[1], rate[2]});
    if (s->still) {
        m->nu = lanes3_all(vec3_make(0.0, 0.0, 0.0));
    } else {
        v = lanes3_add(v, (lanes3){x[3], x[4], x[5]});
        m->nu = lanes33_mul(&m->R, (lanes3){rate[3], rate[4], rate[5]});
    }
    m->slope = lanes33_mul(&m->R, v);
}

// a_L = a_b + sum_j b_j (w_j, p_j x w_j + nu_j)
LANES_INLINE vec6 far_velocity(const stretch *s, vec6 near) {
    lanes3 angular = lanes3_all(vec3_make(0.0, 0.0, 0.0)), linear = angular;
    for (int b = 0; b < s->blocks; b++) {
        const node_lanes *m = &s->nodes[b];
        angular = lanes3_madd(angular, s->t->w4[b], m->bend);
        linear = lanes3_madd(linear, s->t->w4[b], lanes3_add(lanes3_cross(m->p, m->bend), m->nu));
    }
    return vec6_madd(near, s->e->length, vec6_make(lanes3_sum(angular), lanes3_sum(linear)));
}

// Om_q = Om_b + O_q, O_q = sum_j A_qj w_j, then
// V_q = V_b + Om_b x (p_q - p_b) + sum_k A_qk (O_k x p'_k + nu_k)
LANES_INLINE void set_velocities(const stretch *s, const bound_motion *near) {
    const int n = s->t->n;
    const lanes h = lanes_all(s->e->length);
    const lanes3 Om_b = lanes3_all(near->a.a), V_b = lanes3_all(velocity_of(near));
    const lanes3 p_b = lanes3_all(near->T.p);
    for (int b = 0; b < s->blocks; b++) {
        node_lanes *m = &s->nodes[b];
        lanes3 O = lanes3_scale(weigh(n, s->t->A4 + b * n, &s->nodes[0].bend, BLOCK_STRIDE), h);
        m->Om = lanes3_add(Om_b, O);
        m->l = lanes3_add(lanes3_cross(O, m->slope), m->nu);  // until the loads come
    }
    for (int b = 0; b < s->blocks; b++) {
        node_lanes *m = &s->nodes[b];
        lanes3 carried = lanes3_add(V_b, lanes3_cross(Om_b, lanes3_sub(m->p, p_b)));
        m->V = lanes3_madd(carried, h, weigh(n, s->t->A4 + b * n, &s->nodes[0].l, BLOCK_STRIDE));
    }
}

// ---------------------------------------------------------------- loads per length
// f = R (rhoA (q_t + w x q) + drag) - rhoA g - f_ext and l = R (J w_t + w x J w) - l_ext, with
// R q_t = c0 V + R h_q: rates by the time formula.
LANES_INLINE void set_loads(const stretch *s, int block, lanes3 h_w, lanes3 h_q) {
    const station_lanes *st = &s->stations[block];
    const element_loads *load = s->load;
    node_lanes *m = &s->nodes[block];
    const lanes c0 = lanes_all(s->p->c0);
    m->w = lanes33_tmul(&m->R, m->Om);
    m->q = lanes33_tmul(&m->R, m->V);
    lanes3 speed = {lanes_abs(m->q.x), lanes_abs(m->q.y), lanes_abs(m->q.z)};
    lanes3 drag = lanes3_add(lanes3_mul(st->drag, speed), st->linear);
    m->drag = lanes33_mul(&m->R, lanes3_mul(drag, m->q));
    m->Rh_q = lanes33_mul(&m->R, lanes3_scale(h_q, st->mass));
    m->Rh_w = lanes33_mul(&m->R, lanes3_mul(st->J, h_w));
    m->j = lanes33_mul(&m->R, lanes3_mul(st->J, m->w));

    lanes3 inertia = lanes3_madd(lanes3_cross(m->Om, m->V), c0, m->V);
    inertia = lanes3_sub(inertia, lanes3_all(s->p->gravity));
    m->f = lanes3_add(lanes3_madd(m->Rh_q, st->mass, inertia), m->drag);
    m->l = lanes3_add(lanes3_madd(m->Rh_w, c0, m->j), lanes3_cross(m->Om, m->j));
    m->f = lanes3_sub(m->f, lanes3_add(lanes3_all(load->world.force),
                                       lanes33_mul(&m->R, lanes3_all(load->body.force))));
    m->l = lanes3_sub(m->l, lanes3_add(lanes3_all(load->world.moment),
                                       lanes33_mul(&m->R, lanes3_all(load->body.moment))));
}

LANES_INLINE void set_all_loads(const stretch *s) {
    for (int b = 0; b < s->blocks; b++) {
        lanes w[4], q[4];
        load_columns(s->history + F_W, F_SIZE, LANES * b, s->t->n, w);
        load_columns(s->history + F_W + 2, F_SIZE, LANES * b, s->t->n, q);
        set_loads(s, b, (lanes3){w[0], w[1], w[2]}, (lanes3){w[3], q[2], q[3]});
    }
}

// f -= force and l -= moment of what touches, node by node, and those nodes to `touching`.
static void add_contact(const stretch *s, double *touching) {
    for (int i = 0; i < s->e->n_nodes; i++) {
        node_lanes *m = &s->nodes[i / LANES];
        const int k = i % LANES;
        se3 T = {.p = {m->p.x[k], m->p.y[k], m->p.z[k]}};
        for (int j = 0; j < 9; j++) T.R.m[j / 3][j % 3] = m->R.m[j / 3][j % 3][k];
        const contact c = contact_of_node(s->p, s->e, i, &T, NULL, NULL);
        m->f.x[k] -= c.force.x, m->f.y[k] -= c.force.y, m->f.z[k] -= c.force.z;
        m->l.x[k] -= c.moment.x, m->l.y[k] -= c.moment.y, m->l.z[k] -= c.moment.z;
        if (c.touches) *touching = touching_with(*touching, s->e->node + i + 1.0);
    }
}

// The same of what surrounds it. rate (n x F_SIZE): that of fields; NULL: by the history.
static void add_around(const stretch *s, const double *rate) {
    for (int i = 0; i < s->e->n_nodes; i++) {
        node_lanes *m = &s->nodes[i / LANES];
        const int k = i % LANES;
        around_motion at = {.T.p = {m->p.x[k], m->p.y[k], m->p.z[k]},
                            .Om = {m->Om.x[k], m->Om.y[k], m->Om.z[k]},
                            .V = {m->V.x[k], m->V.y[k], m->V.z[k]},
                            .c0 = s->p->c0};
        for (int j = 0; j < 9; j++) at.T.R.m[j / 3][j % 3] = m->R.m[j / 3][j % 3][k];
        at.q_t = rate ? vec3_load(rate + F_SIZE * i + F_Q)
                      : vec3_madd(vec3_load(s->history + F_SIZE * i + F_Q), at.c0,
                                  mat3_tmul_vec(&at.T.R, at.V));
        const vec6 on = around_of_node(s->p->m, s->e, i, &at, NULL).wrench;
        m->f.x[k] -= on.l.x, m->f.y[k] -= on.l.y, m->f.z[k] -= on.l.z;
        m->l.x[k] -= on.a.x, m->l.y[k] -= on.a.y, m->l.z[k] -= on.a.z;
    }
}

// The same of other parts, which push at places: densities F/b at the nodes.
static void add_pushes(const stretch *s, const vec6 *pushes) {
    for (int i = 0; i < s->e->n_nodes; i++) {
        node_lanes *m = &s->nodes[i / LANES];
        const int k = i % LANES;
        const vec6 w = vec6_scale(pushes[s->e->node + i], 1.0 / s->e->quadrature[i]);
        m->f.x[k] -= w.l.x, m->f.y[k] -= w.l.y, m->f.z[k] -= w.l.z;
        m->l.x[k] -= w.a.x, m->l.y[k] -= w.a.y, m->l.z[k] -= w.a.z;
    }
}

// At a bound, as a spatial wrench.
static vec6 push_at(const rod_problem *p, int bound, const se3 *T) {
    const vec6 w = p->m->pushes[p->r->n_nodes + bound];
    return vec6_make(vec3_add(w.a, vec3_cross(T->p, w.l)), w.l);
}

static void add_tip(const rod_problem *p, const se3 *T, double *touching) {
    if (!contact_tip_touches(p->r)) return;
    const vec3 force = contact_of_tip(p, T, 0, NULL).l;
    if (vec3_dot(force, force) > 0.0) *touching = touching_with(*touching, p->r->n_nodes + 1.0);
}

// The point loads at an element's far end, as a spatial wrench.
static vec6 end_wrench(const element_loads *load, const se3 *T) {
    vec3 F = vec3_add(load->end_world.force, mat3_mul_vec(&T->R, load->end_body.force));
    vec3 M = vec3_add(load->end_world.moment, mat3_mul_vec(&T->R, load->end_body.moment));
    return vec6_make(vec3_add(M, vec3_cross(T->p, F)), F);
}

// What a joint does to the tip, or what it touches.
static vec6 tip_wrench(const rod_problem *p, const se3 *T) {
    const vec6 held =
        vec6_make(vec3_add(p->tip.moment, vec3_cross(T->p, p->tip.force)), p->tip.force);
    if (!p->touches || !contact_tip_touches(p->r)) return held;
    return vec6_add(held, contact_of_tip(p, T, 0, NULL));
}

// ---------------------------------------------------------------- wrenches from the far side
// N_i = N_L - F_i, F_i = sum_q Q_iq f_q, then
// M_i = M_L + (p_L - p_i) x N_L - sum_k Q_ik (l_k + p'_k x F_k);  far: spatial (M_L + p_L x N_L, N_L)
LANES_INLINE void sum_wrenches(const stretch *s, vec6 far) {
    const int n = s->t->n;
    const lanes h = lanes_all(s->e->length);
    const lanes3 far_M = lanes3_all(far.a), far_N = lanes3_all(far.l);
    lanes3 asked[MOST_BLOCKS];  // l + p' x F
    for (int b = 0; b < s->blocks; b++) {
        node_lanes *m = &s->nodes[b];
        lanes3 F = lanes3_scale(weigh(n, s->t->Q4 + b * n, &s->nodes[0].f, BLOCK_STRIDE), h);
        m->N = lanes3_sub(far_N, F);
        asked[b] = lanes3_add(m->l, lanes3_cross(m->slope, F));
    }
    for (int b = 0; b < s->blocks; b++) {
        lanes3 within = weigh(n, s->t->Q4 + b * n, asked, sizeof *asked / sizeof(double));
        lanes3 M = lanes3_sub(far_M, lanes3_cross(s->nodes[b].p, far_N));
        s->nodes[b].M = lanes3_sub(M, lanes3_scale(within, h));
    }
}

// S_b = S_L - sum_q b_q (l_q + p_q x f_q, f_q)
LANES_INLINE vec6 near_wrench(const stretch *s, vec6 far) {
    lanes3 moment = lanes3_all(vec3_make(0.0, 0.0, 0.0)), force = moment;
    for (int b = 0; b < s->blocks; b++) {
        const node_lanes *m = &s->nodes[b];
        force = lanes3_madd(force, s->t->w4[b], m->f);
        moment = lanes3_madd(moment, s->t->w4[b], lanes3_add(m->l, lanes3_cross(m->p, m->f)));
    }
    return vec6_madd(far, -s->e->length, vec6_make(lanes3_sum(moment), lanes3_sum(force)));
}

// K x_i + B x_t,i - R_i' (M_i, N_i)
LANES_INLINE void set_residual(const stretch *s, double *residual) {
    const int n = s->t->n, d = s->still ? 3 : 6;
    for (int b = 0; b < s->blocks; b++) {
        const node_lanes *m = &s->nodes[b];
        const station_lanes *st = &s->stations[b];
        lanes x[6], rate[6], out[6];
        load_strains(s, b, x, rate);
        lanes3 moment = lanes33_tmul(&m->R, m->M), force = lanes33_tmul(&m->R, m->N);
        const lanes body[6] = {moment.x, moment.y, moment.z, force.x, force.y, force.z};
        for (int k = 0; k < d; k++) out[k] = st->K[k] * x[k] + st->B[k] * rate[k] - body[k];
        for (int i = 0; i < LANES && LANES * b + i < n; i++)
            for (int k = 0; k < d; k++) residual[(LANES * b + i) * d + k] = lane(&out[k], i);
    }
}

// ---------------------------------------------------------------- all of it
// The frame of what is pushed out of the base moves on along the rod, by the strain there.
static void add_pushed(const rod_problem *p, const double *x, vec3 *w, vec3 *q) {
    const element *e = &p->r->elements[0];
    const gauss_table *t = gauss_of(p->r, e);
    double row[GAUSS_MAX];
    lagrange_row(t->n, t->c, t->bary, 0.0, row);
    vec3 u = e->stations[0].u_rest, v = e->stations[0].v_rest;
    for (int j = 0; j < t->n; j++) {
        u = vec3_madd(u, row[j], vec3_load(x + 6 * j));
        v = vec3_madd(v, row[j], vec3_load(x + 6 * j + 3));
    }
    *w = vec3_madd(*w, p->base.out, u);
    *q = vec3_madd(*q, p->base.out, v);
}

static void start_at_base(const rod_problem *p, const double *x, bound_motion *base) {
    vec3 w = p->base.w, q = p->base.q;
    if (p->base.out != 0.0) add_pushed(p, x, &w, &q);
    base->T = (se3){quat_to_mat3(p->base.h), p->base.p};
    vec3 Om = mat3_mul_vec(&base->T.R, w), V = mat3_mul_vec(&base->T.R, q);
    base->a = vec6_make(Om, vec3_add(V, vec3_cross(base->T.p, Om)));
}

int iterate_blocks(const rod *r) {
    int blocks = 0;
    for (int k = 0; k < r->n_elements; k++) blocks += lane_blocks(r->elements[k].n_nodes);
    return blocks;
}

LANES_INLINE stretch stretch_of(const rod_problem *p, const iterate *it, int k, node_lanes *nodes,
                                bool still) {
    const element *e = &p->r->elements[k];
    return (stretch){.p = p,
                     .e = e,
                     .t = gauss_of(p->r, e),
                     .stations = e->own,
                     .load = &p->m->loads[k],
                     .x = it->x + 6 * e->node,
                     .history = p->m->history + F_SIZE * e->node,
                     .nodes = nodes,
                     .blocks = lane_blocks(e->n_nodes),
                     .still = still};
}

// Outwards with poses, velocities and loads, from the base to the tip.
LANES_INLINE void go_out(const rod_problem *p, iterate *it, bool still) {
    node_lanes *nodes = it->lanes;
    p->m->touching = 0.0;
    for (int k = 0; k < p->r->n_elements; k++) {
        const stretch s = stretch_of(p, it, k, nodes, still);
        bound_motion *near = &it->bounds[k], *far = &it->bounds[k + 1];
        place_nodes(&s, &near->T, &far->T);
        for (int b = 0; b < s.blocks; b++) set_strain_rates(&s, b);
        far->a = far_velocity(&s, near->a);
        set_velocities(&s, near);
        set_all_loads(&s);
        if (s.e->around) add_around(&s, NULL);
        if (p->touches) {
            p->m->touching_in[k] = 0.0;
            add_contact(&s, &p->m->touching_in[k]);
            if (k == p->r->n_elements - 1) add_tip(p, &far->T, &p->m->touching_in[k]);
            if (p->r->touch)
                contact_of_riders(p, k, &far->T, far->a, 0, NULL, &p->m->touching_in[k]);
            p->m->touching = touching_with(p->m->touching, p->m->touching_in[k]);
        }
        nodes += s.blocks;
    }
}

// Back with the wrenches, from the tip to the base.
LANES_INLINE void come_back(const rod_problem *p, iterate *it, bool still) {
    const rod *r = p->r;
    node_lanes *nodes = it->lanes + iterate_blocks(r);
    vec6 S = tip_wrench(p, &it->bounds[r->n_elements].T);
    for (int k = r->n_elements - 1; k >= 0; k--) {
        const element *e = &r->elements[k];
        const bound_motion *end = &it->bounds[k + 1];
        nodes -= lane_blocks(e->n_nodes);
        const stretch s = stretch_of(p, it, k, nodes, still);
        S = vec6_add(S, end_wrench(s.load, &end->T));
        if (e->n_riders)
            S = vec6_sub(S, rigid_wrench(&s.load->end_mass, &end->T, end->a, p->c0,
                                         p->m->end_history + 6 * k, p->gravity, NULL));
        if (p->r->around && e->n_riders) S = vec6_add(S, around_of_end(p->m, k, &end->T, 0, NULL));
        if (p->touches && p->r->touch)
            S = vec6_add(S, contact_of_riders(p, k, &end->T, end->a, 0, NULL, NULL));
        if (p->r->meets) S = vec6_add(S, push_at(p, k + 1, &end->T));
        if (p->r->meets) add_pushes(&s, p->m->pushes);
        it->bounds[k + 1].S = S;
        sum_wrenches(&s, S);
        S = near_wrench(&s, S);
        set_residual(&s, it->residual + (still ? 3 : 6) * e->node);
    }
    if (p->r->meets) S = vec6_add(S, push_at(p, 0, &it->bounds[0].T));
    it->bounds[0].S = S;
}

LANES_CLONED static void kirchhoff_out(const rod_problem *p, iterate *it) {
    go_out(p, it, true);
}

LANES_CLONED static void cosserat_out(const rod_problem *p, iterate *it) {
    go_out(p, it, false);
}

LANES_CLONED static void kirchhoff_back(const rod_problem *p, iterate *it) {
    come_back(p, it, true);
}

LANES_CLONED static void cosserat_back(const rod_problem *p, iterate *it) {
    come_back(p, it, false);
}

void iterate_go_out(const rod_problem *p, iterate *it) {
    start_at_base(p, it->x, &it->bounds[0]);
    if (p->r->kirchhoff) kirchhoff_out(p, it);
    else cosserat_out(p, it);
}

bool iterate_come_back(const rod_problem *p, iterate *it) {
    if (p->r->kirchhoff) kirchhoff_back(p, it);
    else cosserat_back(p, it);
    if (p->r->has_laws) laws_evaluate(p, it);
    efforts_evaluate(p, it);
    return dense_is_finite((size_t)(n_strains(p->r) + p->r->n_efforts), it->residual);
}

bool iterate_evaluate(const rod_problem *p, iterate *it) {
    iterate_go_out(p, it);
    return iterate_come_back(p, it);
}

// ---------------------------------------------------------------- one by one
// Four numbers of four nodes at a time; the last four again where four do not divide them.
LANES_CLONED static void unpack_nodes(int n, const node_lanes *from, node_motion *to) {
    const int last = NODE_DOUBLES - LANES;
    for (int first = 0; first < n; first += LANES, from++) {
        const lanes *of = (const lanes *)from;
        const int count = n - first < LANES ? n - first : LANES;
        for (int k = 0; k < last + LANES; k += LANES) {
            const int at = k < last ? k : last;
            lanes nodes[LANES];
            lanes_transpose(of[at], of[at + 1], of[at + 2], of[at + 3], nodes);
            for (int i = 0; i < count; i++) *(lanes *)((double *)&to[first + i] + at) = nodes[i];
        }
    }
}

void iterate_unpack(const rod *r, iterate *it) {
    const node_lanes *from = it->lanes;
    for (int k = 0; k < r->n_elements; k++) {
        unpack_nodes(r->elements[k].n_nodes, from, it->nodes + r->elements[k].node);
        from += lane_blocks(r->elements[k].n_nodes);
    }
}

// ---------------------------------------------------------------- in and out of the common memory
static void store_state(double *y, const se3 *T, vec3 N, vec3 M, vec3 Om, vec3 V) {
    vec3_store(y + Y_P, T->p);
    quat_store(y + Y_H, quat_from_mat3(&T->R));
    vec3_store(y + Y_N, N);
    vec3_store(y + Y_M, M);
    vec3_store(y + Y_Q, mat3_tmul_vec(&T->R, V));
    vec3_store(y + Y_W, mat3_tmul_vec(&T->R, Om));
}

void iterate_publish_bounds(const rod_problem *p, const iterate *it) {
    for (int k = 0; k <= p->r->n_elements; k++) {
        const bound_motion *b = &it->bounds[k];
        vec3 M = vec3_sub(b->S.a, vec3_cross(b->T.p, b->S.l));
        store_state(p->m->trial_bounds + k * Y_SIZE, &b->T, b->S.l, M, b->a.a, velocity_of(b));
    }
}

static void publish_slips(const rod_problem *p, const iterate *it) {
    for (int k = 0; k < p->r->n_elements && p->touches; k++) {
        const element *e = &p->r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const int node = e->node + i;
            contact_of_node(p, e, i, &it->nodes[node].T, NULL,
                            p->m->trial_slips + CONTACT_KEPT * node * p->r->n_obstacles);
        }
    }
    if (!p->touches || !contact_tip_touches(p->r)) return;
    const element *e = &p->r->elements[p->r->n_elements - 1];
    contact_of_node(p, e, e->n_nodes, &it->bounds[p->r->n_elements].T, NULL,
                    p->m->trial_slips + CONTACT_KEPT * p->r->n_nodes * p->r->n_obstacles);
}

void iterate_publish(const rod_problem *p, iterate *it) {
    iterate_unpack(p->r, it);
    for (int i = 0; i < p->r->n_nodes; i++) {
        const node_motion *m = &it->nodes[i];
        store_state(p->m->trial + i * Y_SIZE, &m->T, m->N, m->M, m->Om, m->V);
    }
    iterate_publish_bounds(p, it);
    memcpy(p->m->strains, it->x, sizeof(double) * 6 * (size_t)p->r->n_nodes);
    const size_t points = sizeof(double) * (size_t)p->r->n_points;
    memcpy(p->m->trial_efforts, it->efforts, sizeof(double) * (size_t)p->r->n_efforts);
    memcpy(p->m->trial_tensions, it->tensions, points);
    memcpy(p->m->trial_grips, it->grips, points);
    memcpy(p->m->trial_passed, it->passed, points);
    publish_slips(p, it);
}

void iterate_recall(const rod *r, const rod_memory *m, const double w[3], iterate *it) {
    for (int i = 0; i < r->n_nodes; i++)
        for (int k = 0; k < 6; k++) {
            const int at = F_SIZE * i + F_U + k;
            it->x[6 * i + k] =
                w[0] * m->fields[0][at] + w[1] * m->fields[1][at] + w[2] * m->fields[2][at];
        }
    for (int i = 0; i < r->n_efforts; i++)
        it->efforts[i] =
            w[0] * m->efforts[0][i] + w[1] * m->efforts[1][i] + w[2] * m->efforts[2][i];
}

// Four nodes as the last accepted step left them, with the history that goes with this c0 and the rates
// there.
static void set_present(const stretch *s, int block, const double *nodes, const double *rate,
                        const double *field) {
    const int n = s->t->n, first = LANES * block;
    node_lanes *m = &s->nodes[block];
    lanes y[Y_SIZE], r[F_SIZE], f[F_SIZE];
    for (int k = 0; k < F_SIZE; k += 4) {
        load_columns(rate + k, F_SIZE, first, n, r + k);
        load_columns(field + k, F_SIZE, first, n, f + k);
    }
    for (int i = 0; i < LANES; i++) {
        const int node = first + i < n ? first + i : n - 1;
        const double *at = nodes + (size_t)node * Y_SIZE;
        mat3 R = quat_to_mat3(quat_load(at + Y_H));
        for (int k = 0; k < 9; k++) m->R.m[k / 3][k % 3][i] = R.m[k / 3][k % 3];
        for (int k = 0; k < Y_SIZE; k++) y[k][i] = at[k];
    }
    const lanes c0 = lanes_all(s->p->c0);
    for (int k = 0; k < F_SIZE; k++) f[k] = r[k] - c0 * f[k];
    m->p = *(const lanes3 *)(y + Y_P);
    m->N = *(const lanes3 *)(y + Y_N), m->M = *(const lanes3 *)(y + Y_M);
    m->Om = lanes33_mul(&m->R, *(const lanes3 *)(y + Y_W));
    m->V = lanes33_mul(&m->R, *(const lanes3 *)(y + Y_Q));
    m->bend = lanes33_mul(&m->R, *(const lanes3 *)(r + F_U));
    m->nu = lanes33_mul(&m->R, *(const lanes3 *)(r + F_V));
    m->slope = lanes3_all(vec3_make(0.0, 0.0, 0.0));  // taken from the iterate
    set_loads(s, block, *(const lanes3 *)(f + F_W), *(const lanes3 *)(f + F_Q));
}

void iterate_of_present(const rod_problem *p, const iterate *it, node_motion *out) {
    node_lanes *nodes = it->lanes;
    for (int k = 0; k < p->r->n_elements; k++) {
        const stretch s = stretch_of(p, it, k, nodes, p->r->kirchhoff);
        const size_t at = (size_t)s.e->node;
        for (int b = 0; b < s.blocks; b++)
            set_present(&s, b, p->m->nodes + at * Y_SIZE, p->m->rate + at * F_SIZE,
                        p->m->fields[0] + at * F_SIZE);
        if (s.e->around) add_around(&s, p->m->rate + at * F_SIZE);
        if (p->touches) add_contact(&s, &(double){0.0});
        if (p->r->meets) add_pushes(&s, p->m->pushed);
        unpack_nodes(s.e->n_nodes, s.nodes, out + at);
        nodes += s.blocks;
    }
}
