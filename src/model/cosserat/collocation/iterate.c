// model/cosserat/collocation/iterate.c - from the strains at the nodes to the residual.
#include <math.h>
#include <string.h>

#include "math/interpolate.h"
#include "math/quadrature.h"
#include "model/cosserat/collocation/efforts.h"

// ---------------------------------------------------------------- sums of six-vectors
// Two numbers side by side, wherever they lie; three pairs are a six-vector in registers.
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

// start + scale sum_j w_j v_j, with v_j at v + j stride doubles
static inline vec6 weighted_sum(vec6 start, double scale, int n, const double *w, const double *v,
                                size_t stride) {
    pair a = {0.0, 0.0}, b = a, c = a;
    for (int j = 0; j < n; j++, v += stride) {
        const pair *at = (const pair *)v;
        a += w[j] * at[0];
        b += w[j] * at[1];
        c += w[j] * at[2];
    }
    vec6 sum = {{a[0], a[1], b[0]}, {b[1], c[0], c[1]}};
    return vec6_madd(start, scale, sum);
}

#define MOTION_STRIDE (sizeof(node_motion) / sizeof(double))

// ---------------------------------------------------------------- poses
// The strain at a Magnus point: rest strain plus the polynomial through the nodes. `still`: the rod
// neither shears nor stretches.
static inline vec6 strain_at(const station *st, const double *row, const double *x, int n,
                             bool still) {
    if (!still) return weighted_sum(vec6_make(st->u_rest, st->v_rest), 1.0, n, row, x, 6);
    pair a = {0.0, 0.0};
    double z = 0.0;
    for (int j = 0; j < n; j++, x += 6) {
        a += row[j] * *(const pair *)x;
        z += row[j] * x[2];
    }
    return vec6_make(vec3_add(st->u_rest, vec3_make(a[0], a[1], z)), st->v_rest);
}

static void place_nodes(const element *e, const gauss_table *t, const double *x, bool still,
                        const se3 *start, node_motion *nodes, se3 *end) {
    const int n = t->n;
    se3 T = *start;
    for (int k = 0; k <= n; k++) {
        const double *row = t->rows + k * t->points * n;
        double d = e->length * t->d[k];
        vec6 g1 = strain_at(&e->stations[0], row, x, n, still);
        vec6 g2 = strain_at(&e->stations[0], row + n, x, n, still), psi;
        if (t->points == 2) psi = se3_magnus4(d, g1, g2);
        else psi = se3_magnus6(d, g1, g2, strain_at(&e->stations[0], row + 2 * n, x, n, still));
        se3 step = se3_exp(psi);
        T = se3_mul(&T, &step);
        if (k < n) nodes[k].T = T;
    }
    *end = T;
}

// ---------------------------------------------------------------- velocities
// sum_j w_j v_j of three-vectors at MOTION_STRIDE
static inline vec3 node_sum(int n, const double *w, const vec3 *v) {
    const double *at = &v->x;
    pair xy = {0.0, 0.0};
    double z = 0.0;
    for (int j = 0; j < n; j++, at += MOTION_STRIDE) {
        xy += w[j] * *(const pair *)at;
        z += w[j] * at[2];
    }
    return vec3_make(xy[0], xy[1], z);
}

static vec3 velocity_of(const bound_motion *b) {
    return vec3_sub(b->a.l, vec3_cross(b->T.p, b->a.a));
}

static void set_strain_rates(const element *e, const double *x, const double *rate,
                             node_motion *nodes) {
    for (int j = 0; j < e->n_nodes; j++, x += 6, rate += 6) {
        node_motion *m = &nodes[j];
        m->slope = mat3_mul_vec(&m->T.R, vec3_add(e->stations[j].v_rest, vec3_load(x + 3)));
        m->bend = mat3_mul_vec(&m->T.R, vec3_load(rate));
        m->nu = mat3_mul_vec(&m->T.R, vec3_load(rate + 3));
    }
}

// a_L = a_b + sum_j b_j (w_j, p_j x w_j + nu_j)
static vec6 far_velocity(const element *e, vec6 near, const node_motion *nodes) {
    for (int j = 0; j < e->n_nodes; j++) {
        const node_motion *m = &nodes[j];
        vec3 linear = vec3_add(vec3_cross(m->T.p, m->bend), m->nu);
        near = vec6_madd(near, e->quadrature[j], vec6_make(m->bend, linear));
    }
    return near;
}

// Om_q = Om_b + O_q, O_q = sum_j A_qj w_j, then
// V_q = V_b + Om_b x (p_q - p_b) + sum_k A_qk (O_k x p'_k + nu_k)
static void set_velocities(const element *e, const gauss_table *t, const bound_motion *near,
                           node_motion *nodes) {
    const int n = t->n;
    const vec3 Om_b = near->a.a, V_b = velocity_of(near);
    for (int q = 0; q < n; q++) {
        node_motion *m = &nodes[q];
        vec3 O = vec3_scale(node_sum(n, t->A + q * n, &nodes[0].bend), e->length);
        m->Om = vec3_add(Om_b, O);
        m->l = vec3_add(vec3_cross(O, m->slope), m->nu);  // until the loads come
    }
    for (int q = 0; q < n; q++) {
        node_motion *m = &nodes[q];
        vec3 carried = vec3_add(V_b, vec3_cross(Om_b, vec3_sub(m->T.p, near->T.p)));
        m->V = vec3_madd(carried, e->length, node_sum(n, t->A + q * n, &nodes[0].l));
        m->w = mat3_tmul_vec(&m->T.R, m->Om);
        m->q = mat3_tmul_vec(&m->T.R, m->V);
    }
}

// ---------------------------------------------------------------- loads per length
// f = R (rhoA (q_t + w x q) + drag) - rhoA g - f_ext and l = R (J w_t + w x J w) - l_ext, with
// R q_t = c0 V + R h_q: rates by the time formula.
static void set_loads(const rod_problem *p, const station *st, const element_loads *load,
                      const double *history, node_motion *m) {
    const mat3 *R = &m->T.R;
    const double c0 = p->c0;
    vec3 speed = vec3_make(fabs(m->q.x), fabs(m->q.y), fabs(m->q.z));
    vec3 drag = vec3_mul(vec3_add(vec3_mul(st->drag, speed), st->linear), m->q);
    m->drag = mat3_mul_vec(R, drag);
    m->Rh_q = mat3_mul_vec(R, vec3_scale(vec3_load(history + F_Q), st->mass));
    m->Rh_w = mat3_mul_vec(R, vec3_mul(st->J, vec3_load(history + F_W)));
    m->j = mat3_mul_vec(R, vec3_mul(st->J, m->w));

    vec3 inertia = vec3_add(vec3_scale(m->V, c0), vec3_cross(m->Om, m->V));
    m->f = vec3_add(vec3_madd(m->Rh_q, st->mass, vec3_sub(inertia, p->gravity)), m->drag);
    m->f = vec3_sub(m->f, vec3_add(load->world.force, mat3_mul_vec(R, load->body.force)));
    m->l = vec3_add(vec3_madd(m->Rh_w, c0, m->j), vec3_cross(m->Om, m->j));
    m->l = vec3_sub(m->l, vec3_add(load->world.moment, mat3_mul_vec(R, load->body.moment)));
}

// The point loads at an element's far end, as a spatial wrench.
static vec6 end_wrench(const element_loads *load, const se3 *T) {
    vec3 F = vec3_add(load->end_world.force, mat3_mul_vec(&T->R, load->end_body.force));
    vec3 M = vec3_add(load->end_world.moment, mat3_mul_vec(&T->R, load->end_body.moment));
    return vec6_make(vec3_add(M, vec3_cross(T->p, F)), F);
}

// What a joint does to the tip.
static vec6 tip_wrench(const rod_problem *p, const se3 *T) {
    return vec6_make(vec3_add(p->tip.moment, vec3_cross(T->p, p->tip.force)), p->tip.force);
}

// ---------------------------------------------------------------- wrenches from the far side
// N_i = N_L - F_i, F_i = sum_q Q_iq f_q, then
// M_i = M_L + (p_L - p_i) x N_L - sum_k Q_ik (l_k + p'_k x F_k);  far: spatial (M_L + p_L x N_L, N_L)
static void sum_wrenches(const element *e, const gauss_table *t, vec6 far, node_motion *nodes) {
    const int n = t->n;
    vec3 asked[GAUSS_MAX];  // l + p' x F
    for (int i = 0; i < n; i++) {
        node_motion *m = &nodes[i];
        vec3 F = vec3_scale(node_sum(n, t->Q + i * n, &nodes[0].f), e->length);
        m->N = vec3_sub(far.l, F);
        asked[i] = vec3_add(m->l, vec3_cross(m->slope, F));
    }
    for (int i = 0; i < n; i++) {
        vec3 M = vec3_sub(far.a, vec3_cross(nodes[i].T.p, far.l));
        for (int k = 0; k < n; k++) M = vec3_madd(M, -e->length * t->Q[i * n + k], asked[k]);
        nodes[i].M = M;
    }
}

// S_b = S_L - sum_q b_q (l_q + p_q x f_q, f_q)
static vec6 near_wrench(const element *e, vec6 far, const node_motion *nodes) {
    for (int q = 0; q < e->n_nodes; q++) {
        const node_motion *m = &nodes[q];
        vec6 asked = vec6_make(vec3_add(m->l, vec3_cross(m->T.p, m->f)), m->f);
        far = vec6_madd(far, -e->quadrature[q], asked);
    }
    return far;
}

// K x_i + B x_t,i - R_i' (M_i, N_i)
static void set_residual(const rod *r, const element *e, const iterate *it) {
    const int d = unknowns_per_node(r);
    for (int i = 0; i < e->n_nodes; i++) {
        const int node = e->node + i;
        const station *st = &e->stations[i];
        const node_motion *m = &it->nodes[node];
        const double *x = it->x + 6 * node, *rate = it->rate + 6 * node;
        double wrench_body[6];
        vec3_store(wrench_body, mat3_tmul_vec(&m->T.R, m->M));
        vec3_store(wrench_body + 3, mat3_tmul_vec(&m->T.R, m->N));
        for (int k = 0; k < d; k++)
            it->residual[d * node + k] = st->K[k] * x[k] + st->B[k] * rate[k] - wrench_body[k];
    }
}

// ---------------------------------------------------------------- all of it
static bool finite_unknowns(const double *a, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * 0.0;
    return sum == 0.0;
}

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

bool iterate_evaluate(const rod_problem *p, iterate *it) {
    const rod *r = p->r;
    const double *history = p->m->history;
    for (int i = 0; i < r->n_nodes; i++)
        for (int k = 0; k < 6; k++)
            it->rate[6 * i + k] = p->c0 * it->x[6 * i + k] + history[F_SIZE * i + k];
    start_at_base(p, it->x, &it->bounds[0]);
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        const gauss_table *t = gauss_of(r, e);
        node_motion *nodes = it->nodes + e->node;
        bound_motion *from = &it->bounds[k], *to = &it->bounds[k + 1];
        place_nodes(e, t, it->x + 6 * e->node, r->kirchhoff, &from->T, nodes, &to->T);
        set_strain_rates(e, it->x + 6 * e->node, it->rate + 6 * e->node, nodes);
        to->a = far_velocity(e, from->a, nodes);
        set_velocities(e, t, from, nodes);
        for (int i = 0; i < e->n_nodes; i++)
            set_loads(p, &e->stations[i], &p->m->loads[k], history + F_SIZE * (e->node + i),
                      &nodes[i]);
    }
    vec6 S = tip_wrench(p, &it->bounds[r->n_elements].T);
    for (int k = r->n_elements - 1; k >= 0; k--) {
        const element *e = &r->elements[k];
        const bound_motion *end = &it->bounds[k + 1];
        S = vec6_add(S, end_wrench(&p->m->loads[k], &end->T));
        if (e->n_riders)
            S = vec6_sub(S, rigid_wrench(&p->m->loads[k].end_mass, &end->T, end->a, p->c0,
                                         p->m->end_history + 6 * k, p->gravity, NULL));
        it->bounds[k + 1].S = S;
        sum_wrenches(e, gauss_of(r, e), S, it->nodes + e->node);
        S = near_wrench(e, S, it->nodes + e->node);
        set_residual(r, e, it);
    }
    it->bounds[0].S = S;
    efforts_evaluate(p, it);
    return finite_unknowns(it->residual, n_strains(r) + r->n_efforts);
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

void iterate_publish(const rod_problem *p, const iterate *it) {
    for (int i = 0; i < p->r->n_nodes; i++) {
        const node_motion *m = &it->nodes[i];
        store_state(p->m->trial + i * Y_SIZE, &m->T, m->N, m->M, m->Om, m->V);
    }
    for (int k = 0; k <= p->r->n_elements; k++) {
        const bound_motion *b = &it->bounds[k];
        vec3 M = vec3_sub(b->S.a, vec3_cross(b->T.p, b->S.l));
        store_state(p->m->trial_bounds + k * Y_SIZE, &b->T, b->S.l, M, b->a.a, velocity_of(b));
    }
    memcpy(p->m->strains, it->x, sizeof(double) * 6 * (size_t)p->r->n_nodes);
    const size_t points = sizeof(double) * (size_t)p->r->n_points;
    memcpy(p->m->trial_efforts, it->efforts, sizeof(double) * (size_t)p->r->n_efforts);
    memcpy(p->m->trial_tensions, it->tensions, points);
    memcpy(p->m->trial_grips, it->grips, points);
    memcpy(p->m->trial_passed, it->passed, points);
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

void iterate_of_present(const rod_problem *p, node_motion *out) {
    for (int k = 0; k < p->r->n_elements; k++) {
        const element *e = &p->r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const size_t node = (size_t)(e->node + i);
            const double *y = p->m->nodes + node * Y_SIZE, *rate = p->m->rate + node * F_SIZE;
            node_motion *m = &out[node];
            m->T = (se3){quat_to_mat3(quat_load(y + Y_H)), vec3_load(y + Y_P)};
            m->w = vec3_load(y + Y_W), m->q = vec3_load(y + Y_Q);
            m->Om = mat3_mul_vec(&m->T.R, m->w), m->V = mat3_mul_vec(&m->T.R, m->q);
            m->bend = mat3_mul_vec(&m->T.R, vec3_load(rate + F_U));
            m->nu = mat3_mul_vec(&m->T.R, vec3_load(rate + F_V));
            m->N = vec3_load(y + Y_N), m->M = vec3_load(y + Y_M);
            // the history that goes with this c0 and these rates
            double history[F_SIZE];
            const double *field = p->m->fields[0] + node * F_SIZE;
            for (int c = 0; c < F_SIZE; c++) history[c] = rate[c] - p->c0 * field[c];
            set_loads(p, &e->stations[i], &p->m->loads[k], history, m);
        }
    }
}
