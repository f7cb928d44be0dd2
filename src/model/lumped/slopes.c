// model/lumped/slopes.c - mass, damping and stiffness of small motions of a net in absolute states.
//
// The tangent in single weights has the slopes of its blocks against motions of the nodes and, apart from these, against their
// twists and the rates of those, all in the axes of the node. Small motions are such in the world: model/screw.h.
#include <string.h>

#include "model/lumped/net.h"
#include "model/screw.h"

static screw_axes axes_of(const net *c, const net_memory *m, int i) {
    const node_state *x = &m->trial[i];
    const mat3 R = quat_to_mat3(x->q);
    const vec6 twist = {x->w, mat3_tmul_vec(&R, x->v)};
    return screw_axes_of(&R, twist, mat3_tmul_vec(&R, m->trial_rates[i].v), c->only_turns[i]);
}

// to += x y, of three columns
static void add_product(const double *x, const mat3 *y, double *to) {
    for (int i = 0; i < 6; i++, x += 6, to += 6)
        for (int k = 0; k < 3; k++)
            to[k] += x[0] * y->m[0][k] + x[1] * y->m[1][k] + x[2] * y->m[2][k];
}

static void turn_block(const screw_axes *x, double *K, double *D, double *M) {
    screw_turn_rows(x, 6, 6, K, D, M);
}

// A motion that leaves w and w' in the world, turned there as v and v': z' = w x th, z'' = w' x th + w x (w x th).
void turn_own_block(const net *c, const net_memory *m, int node, double *K, double *D, double *M) {
    const screw_axes x = axes_of(c, m, node);
    const mat3 *R = &m->R[node], w = mat3_hat(mat3_mul_vec(R, m->trial[node].w));
    const mat3 w_t = mat3_hat(mat3_mul_vec(R, m->trial_rates[node].w)), ww = mat3_mul(&w, &w);
    const mat3 swing = mat3_add(&w_t, &ww);
    K += node * BLOCK, D += node * BLOCK, M += node * BLOCK;
    turn_block(&x, K, D, M);
    add_product(D, &w, K);
    add_product(M, &swing, K);
    add_product(M, &w, D);
}

static void turn_blocks(const net *c, const net_memory *m, double *K, double *D, double *M) {
    const block_pattern *p = &c->pattern;
    for (int k = 0; k < p->n; k++) {
        const screw_axes x = axes_of(c, m, k);
        for (int row = 0; row < p->n; row++) {
            const int at = block_at(p, row, k) * BLOCK;
            if (at >= 0) turn_block(&x, K + at, D + at, M + at);
        }
    }
}

// Rows of multipliers answer to velocities where what joints hold is held by its rate.
static void turn_border(const net *c, const net_memory *m, double *K, double *D, double *M) {
    double *const V[3] = {net_matrix_at(c, K).V, net_matrix_at(c, D).V, net_matrix_at(c, M).V};
    for (int i = 0; i < c->n_free; i++) {
        const screw_axes x = axes_of(c, m, i);
        for (int k = c->n_unknown; k < c->n_border; k++) {
            const size_t at = 6 * ((size_t)k * (size_t)c->n_free + (size_t)i);
            screw_turn_rows(&x, 1, 6, V[0] + at, V[1] + at, V[2] + at);
        }
    }
}

// ---------------------------------------------------------------- as a whole
static void put_block(const double *block, int n, double *to) {
    for (int i = 0; i < 6; i++) memcpy(to + i * n, block + 6 * i, sizeof(double) * 6);
}

static void spread_blocks(const net *c, const double *a, int n, double *to) {
    const block_pattern *p = &c->pattern;
    for (int k = 0; k < p->n; k++) {
        put_block(a + k * BLOCK, n, to + 6 * k * (n + 1));
        for (int i = p->first[k]; i < p->first[k + 1]; i++) {
            const double *above = a + (p->n + i) * BLOCK, *below = above + p->n_couplings * BLOCK;
            put_block(above, n, to + 6 * (k * n + p->other[i]));
            put_block(below, n, to + 6 * (p->other[i] * n + k));
        }
    }
}

static void spread_border(const net *c, const net_matrix *x, int n, double *to) {
    const int rows = 6 * c->n_free, efforts = c->n_border;
    for (int k = 0; k < efforts; k++) {
        double *row = to + (rows + k) * n;
        for (int i = 0; i < rows; i++) to[i * n + rows + k] = x->U[k * rows + i];
        memcpy(row, x->V + k * rows, sizeof(double) * (size_t)rows);
        memcpy(row + rows, x->W + k * efforts, sizeof(double) * (size_t)efforts);
    }
}

size_t net_slopes_size(const net *c) {
    return 3 * net_matrix_size(c) + 6 * (size_t)c->n_free;
}

bool net_slopes(void *of, const solve_instant *at, const configuration *x, double *K, double *D,
                double *M, double *scratch) {
    static const tangent_weights weights[3] = {{.q = 1.0}, {.v = 1.0}, {.a = 1.0}};
    net_memory *m = of;
    const net *c = m->of;
    const int n = 6 * c->n_free + c->n_border;
    const size_t size = net_matrix_size(c);
    double *const whole[3] = {K, D, M}, *still = scratch + 3 * size;
    const configuration moving = {x->q, x->l, x->v ? x->v : still, x->a ? x->a : still};
    memset(still, 0, sizeof(double) * 6 * (size_t)c->n_free);
    for (int i = 0; i < 3; i++)
        net_tangent(of, at, &moving, &weights[i], scratch + (size_t)i * size, NULL, NULL);
    turn_blocks(c, m, scratch, scratch + size, scratch + 2 * size);
    if (at->lead > 0.0) turn_border(c, m, scratch, scratch + size, scratch + 2 * size);
    for (int i = 0; i < 3; i++) {
        const net_matrix own = net_matrix_at(c, scratch + (size_t)i * size);
        memset(whole[i], 0, sizeof(double) * (size_t)n * (size_t)n);
        spread_blocks(c, own.a, n, whole[i]);
        spread_border(c, &own, n, whole[i]);
    }
    return true;
}
