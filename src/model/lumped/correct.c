// model/lumped/correct.c - Newton's corrections: blocks, bordered by the unknown efforts.
//
//     [A U; V' W] [dz; de] = -[r; gap],    U = sign * slopes,  V = by_measure * slopes
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/lumped/net.h"

double effort_sign(const net *c, int unknown) {
    for (int i = 0; i < c->n_actuators; i++)
        if (c->unknown[i] == unknown) return c->actuators[i].sign;
    return 1.0;
}

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// W - V' A^-1 U
static bool factor_border(const net *c, net_memory *m) {
    const size_t rows = 6 * (size_t)c->n_free, stride = 6 * (size_t)c->n_nodes;
    const int n = c->n_unknown;
    for (int k = 0; k < n; k++) {
        double *column = m->columns + (size_t)k * rows, sign = effort_sign(c, k);
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
    return lu_factor(n, m->schur, m->schur_pivot);
}

bool factor_system(const net *c, net_memory *m) {
    if (!blocks_factor(&c->pattern, m->a, m->pivot)) return false;
    return c->n_unknown == 0 || factor_border(c, m);
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
        if (!(shift <= most)) most = shift;
    }
    return most;
}

void turn_and_shift(node_state *x, const double *dz) {
    x->q = quat_normalise(quat_mul(quat_exp(vec3_load(dz)), x->q));
    x->p = vec3_add(x->p, vec3_load(dz + 3));
}

// At half a turn between its ends a segment does not know any more which way it is bent.
td_status check_turns(const net *c, const net_memory *m, char *message) {
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        mat3 Ra = quat_to_mat3(m->nodes[s->a.node].q), Rb = quat_to_mat3(m->nodes[s->b.node].q);
        end_motion a = end_of(&s->a, &m->nodes[s->a.node], &Ra);
        end_motion b = end_of(&s->b, &m->nodes[s->b.node], &Rb);
        mat3 E = mat3_tmul(&a.R, &b.R);
        double angle = vec3_norm(so3_log(&E));
        if (angle <= 2.8) continue;
        const net_rod *r = &c->rods[s->rod];
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "rod '%s': segment %d of %d turns by %.3g deg, and at 180 deg its strain is "
                 "undefined: more segments help (simulation.lumped.segments)",
                 r->name, i - r->first + 1, r->n, angle * 57.29577951308232);
        return TD_ERR_SINGULAR;
    }
    return TD_OK;
}
