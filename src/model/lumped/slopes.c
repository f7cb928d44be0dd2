// model/lumped/slopes.c - mass, damping and stiffness of small motions of a net in absolute states.
//
// The tangent in single weights has the slopes Kb, Db, Mb of its blocks against motions of the nodes and, apart from these,
// against their twists (w, V) and the rates of those, all in the axes of the node. Small motions are such in the
// world (chart.h): with A = V' + w x V and hats
//
//     K = Kb + (Db_V V^ + Mb_V (A^ - w^ V^)) R'              of turns
//     D = (Db_w - Mb_w w^ + Mb_V V^, Db_V - Mb_V w^) R'      of the rates of turns, of shifts
//     M = (Mb_w, Mb_V) R'
#include <string.h>

#include "model/lumped/net.h"

typedef struct node_axes {  // of a node: what its columns are multiplied by
    mat3 back, spin;        // R', - w^ R'
    mat3 V, A;              // V^ R', (A^ - w^ V^) R'
    bool turns;             // and nothing else: multipliers are in its place
} node_axes;

static node_axes axes_of(const net *c, const net_memory *m, int i) {
    const mat3 R = quat_to_mat3(m->trial[i].q), back = mat3_transpose(&R);
    const mat3 w = mat3_hat(m->trial[i].w), V = mat3_hat(mat3_tmul_vec(&R, m->trial[i].v));
    const mat3 A = mat3_hat(mat3_tmul_vec(&R, m->trial_rates[i].v)), wV = mat3_mul(&w, &V);
    const mat3 swing = mat3_sub(&A, &wV), spin = mat3_mul(&w, &back);
    return (node_axes){.back = back,
                       .spin = mat3_scale(&spin, -1.0),
                       .V = mat3_mul(&V, &back),
                       .A = mat3_mul(&swing, &back),
                       .turns = c->only_turns[i]};
}

// to += x y, of three columns of some rows
static void add_products(int rows, const double *x, const mat3 *y, double *to) {
    for (int i = 0; i < rows; i++, x += 6, to += 6)
        for (int k = 0; k < 3; k++)
            to[k] += x[0] * y->m[0][k] + x[1] * y->m[1][k] + x[2] * y->m[2][k];
}

static void add_product(const double *x, const mat3 *y, double *to) {
    add_products(6, x, y, to);
}

// Some rows of one block of each, six at most, whose columns are those of the node.
static void turn_rows(const node_axes *x, int rows, double *K, double *D, double *M) {
    double d[BLOCK] = {0.0}, m[BLOCK] = {0.0};
    const size_t bytes = sizeof(double) * 6 * (size_t)rows;
    add_products(rows, D, &x->back, d);
    add_products(rows, M, &x->spin, d);
    add_products(rows, M, &x->back, m);
    if (!x->turns) {
        add_products(rows, D + 3, &x->V, K);
        add_products(rows, M + 3, &x->A, K);
        add_products(rows, M + 3, &x->V, d);
        add_products(rows, D + 3, &x->back, d + 3);
        add_products(rows, M + 3, &x->spin, d + 3);
        add_products(rows, M + 3, &x->back, m + 3);
    }
    memcpy(D, d, bytes);
    memcpy(M, m, bytes);
}

static void turn_block(const node_axes *x, double *K, double *D, double *M) {
    turn_rows(x, 6, K, D, M);
}

// A motion that leaves w and w' in the world, turned there as v and v': z' = w x th, z'' = w' x th + w x (w x th).
void turn_own_block(const net *c, const net_memory *m, int node, double *K, double *D, double *M) {
    const node_axes x = axes_of(c, m, node);
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
        const node_axes x = axes_of(c, m, k);
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
        const node_axes x = axes_of(c, m, i);
        for (int k = c->n_unknown; k < c->n_border; k++) {
            const size_t at = 6 * ((size_t)k * (size_t)c->n_free + (size_t)i);
            turn_rows(&x, 1, V[0] + at, V[1] + at, V[2] + at);
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
