// model/lumped/correct.c - Newton's corrections: blocks, bordered by the unknown efforts.
//
//     [A U; V' W] [dz; de] = -[r; gap],    U = sign * slopes,  V = by_measure * slopes
//
// Whether an equilibrium is stable shows in the signature of A, symmetric there. An effort borders
// it, with what gives way C, so that
//
//     negative(A + U C^-1 U') = negative(A) + negative(-C - U' A^-1 U) - (number of efforts)
//
// which holds for C = 0 too, on the shapes that the effort admits (Haynsworth). So it is with the
// multipliers of joints, which are inside A.
#include "math/dense.h"
#include "math/symmetric.h"
#include "model/lumped/net.h"

static double sign_of(const net *c, int unknown) {
    for (int i = 0; i < c->n_actuators; i++)
        if (c->unknown[i] == unknown) return c->actuators[i].sign;
    return 1.0;
}

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// W - V' A^-1 U into m->schur.
static void fill_border(const net *c, net_memory *m) {
    const size_t rows = 6 * (size_t)c->n_free, stride = 6 * (size_t)c->n_nodes;
    const int n = c->n_unknown;
    for (int k = 0; k < n; k++) {
        double *column = m->columns + (size_t)k * rows, sign = sign_of(c, k);
        for (size_t i = 0; i < rows; i++) column[i] = sign * m->slopes[(size_t)k * stride + i];
        blocks_solve(&c->pattern, m->a, m->pivot, column);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const double *slope = m->slopes + (size_t)i * stride;
            m->schur[i * n + k] =
                (i == k ? m->by_effort[i] : 0.0) -
                m->by_measure[i] * dot(rows, slope, m->columns + (size_t)k * rows);
        }
}

bool factor_system(const net *c, net_memory *m) {
    if (!blocks_factor(&c->pattern, m->a, m->pivot)) return false;
    if (c->n_unknown == 0) return true;
    fill_border(c, m);
    return lu_factor(c->n_unknown, m->schur, m->schur_pivot);
}

// Of the border, symmetric when each row of a balance is turned into that of U', how many
// eigenvalues are not negative; slack efforts hold nothing and do not count.
static int border_not_negative(const net *c, net_memory *m) {
    const int n = c->n_unknown;
    int taut = 0, row = 0;
    for (int i = 0; i < n; i++) taut += m->by_measure[i] != 0.0;
    for (int i = 0; i < n; i++) {
        if (m->by_measure[i] == 0.0) continue;
        const double turn = sign_of(c, i) / m->by_measure[i];
        for (int k = 0, column = 0; k < n; k++)
            if (m->by_measure[k] != 0.0)
                m->symmetric[taut * row + column++] = turn * m->schur[n * i + k];
        row++;
    }
    if (taut == 0) return 0;
    scale_symmetric(taut, m->symmetric);
    tridiagonalise(taut, m->symmetric, m->side_gap, m->tridiagonal);
    return taut - tridiagonal_below(taut, m->side_gap, m->tridiagonal, 0.0);
}

int factor_and_judge(const net *c, net_memory *m) {
    int negative = blocks_negative(&c->pattern, m->a, m->pivot);
    if (negative < 0) return -1;
    negative -= c->n_multipliers;  // each brings one
    if (c->n_unknown == 0) return negative;
    fill_border(c, m);
    negative -= border_not_negative(c, m);
    return lu_factor(c->n_unknown, m->schur, m->schur_pivot) ? negative : -1;
}

void solve_system(const net *c, net_memory *m) {
    const size_t rows = 6 * (size_t)c->n_free, stride = 6 * (size_t)c->n_nodes;
    const int n = c->n_unknown;
    for (size_t i = 0; i < rows; i++) m->y[i] = -m->r[i];
    blocks_solve(&c->pattern, m->a, m->pivot, m->y);
    if (n == 0) return;
    for (int k = 0; k < n; k++)
        m->gap[k] = -m->gap[k] - m->by_measure[k] * dot(rows, m->slopes + (size_t)k * stride, m->y);
    lu_solve(n, m->schur, m->schur_pivot, m->gap);
    for (int k = 0; k < n; k++)
        for (size_t i = 0; i < rows; i++) m->y[i] -= m->columns[(size_t)k * rows + i] * m->gap[k];
}

// The largest turn, or shift by the length of the longest rod.
double correction_size(const net *c, const double *dz) {
    double most = 0.0;
    for (int i = 0; i < c->n_free; i++) {
        double turn = vec3_norm(vec3_load(dz + 6 * i));
        double shift = vec3_norm(vec3_load(dz + 6 * i + 3)) / c->size;
        if (!(turn <= most)) most = turn;  // takes a NaN along
        if (!(shift <= most) && !c->only_turns[i]) most = shift;
    }
    return most;
}

void turn_and_shift(node_state *x, const double *dz) {
    x->q = quat_normalise(quat_mul(quat_exp(vec3_load(dz)), x->q));
    x->p = vec3_add(x->p, vec3_load(dz + 3));
}
