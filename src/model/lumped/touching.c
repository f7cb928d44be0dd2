// model/lumped/touching.c - obstacles at the nodes of a net.
#include <string.h>

#include "math/block.h"
#include "model/lumped/net.h"

static touch_now now_of(const end_motion *end, bool moves) {
    return (touch_now){{end->R, end->p}, end->w, end->v, moves};
}

// Obstacles on bodies are where these are.
static void carry(const net *c, const net_memory *m, const node_state *x) {
    for (int k = 0; k < c->touch.n; k++) {
        if (c->carriers[k] < 0) continue;
        const node_state *body = &x[c->carriers[k]];
        const se3 T = {quat_to_mat3(body->q), body->p};
        touch_carry(&c->touch, &m->touch, k, &T, vec6_make(mat3_mul_vec(&T.R, body->w), body->v));
    }
}

// ---------------------------------------------------------------- what a body carries
// A wrench (M, F) at the point p of a node i and its opposite on the body k that carries what is touched, r = p - p_k. It
// follows what p does relative to that body, and turns with it: with S of p,
//
//     d(M, F) = S (th - th_k, dp - dp_k - th_k x r) + th_k x (M, F)
//
// and d of what the body feels, -(M + r x F, F), has dr = dp - dp_k too.
typedef struct touching {
    double own[36], other[36];        // of (M, F) by the motions of p, of the body
    double back[36], back_other[36];  // of -(M + r x F, F) by the same
} touching;

// rows of moments += arm x rows of forces
static void add_rows_of_arm(const mat3 *arm, double *S) {
    for (int column = 0; column < 6; column += 3) {
        const mat3 force = block33_at(S, 3, column), moment = mat3_mul(arm, &force);
        block33_add(S, 0, column, 1.0, &moment);
    }
}

static touching touching_of(const double S[36], vec6 w, vec3 r) {
    const mat3 arm = mat3_hat(r), hats[2] = {mat3_hat(w.a), mat3_hat(w.l)};
    touching out = {.other = {0.0}};
    memcpy(out.own, S, sizeof out.own);
    for (int row = 0; row < 6; row += 3) {
        const mat3 by_turn = block33_at(S, row, 0), by_shift = block33_at(S, row, 3);
        const mat3 swung = mat3_mul(&by_shift, &arm);
        block33_add(out.other, row, 0, 1.0, &swung);
        block33_add(out.other, row, 0, -1.0, &by_turn);
        block33_add(out.other, row, 0, -1.0, &hats[row / 3]);
        block33_add(out.other, row, 3, -1.0, &by_shift);
    }
    for (int i = 0; i < 36; i++) out.back[i] = -out.own[i], out.back_other[i] = -out.other[i];
    add_rows_of_arm(&arm, out.back);
    add_rows_of_arm(&arm, out.back_other);
    block33_add(out.back, 0, 3, 1.0, &hats[1]);
    block33_add(out.back_other, 0, 3, -1.0, &hats[1]);
    return out;
}

// The two blocks beside the diagonal.
static void add_couplings(const net_job *j, const place *at, int body, touching *x) {
    const net *c = j->c;
    if (at->node >= c->n_free) return;
    const mat3 arm = mat3_hat(mat3_mul_vec(&j->m->R[at->node], at->h.p));
    if (at->apart) {
        add_rows_of_arm(&arm, x->other);
        for (int row = 0; row < 6; row += 3) {
            const mat3 by_shift = block33_at(x->back, row, 3), swung = mat3_mul(&by_shift, &arm);
            block33_add(x->back, row, 0, -1.0, &swung);
        }
    }
    double *to = j->to.a + (size_t)block_at(&c->pattern, at->node, body) * BLOCK;
    double *back = j->to.a + (size_t)block_at(&c->pattern, body, at->node) * BLOCK;
    for (int i = 0; i < BLOCK; i++) to[i] -= j->w->q * x->other[i];
    for (int i = 0; i < BLOCK; i++) back[i] -= j->w->q * x->back[i];
}

static void add_carried(const net_job *j, int point, int which, const touch_now *now) {
    const net *c = j->c;
    net_memory *m = j->m;
    const int body = c->carriers[which];
    const place *at = &c->touched[point], on_body = {.node = body};
    const bool tangent = j->w && j->w->q != 0.0;
    point_slopes slopes = {{0.0}, {0.0}};
    touch_answer out = {.energy = 0.0};
    if (!touch_with(&c->touch, &m->touch, point, which, now, &out, tangent ? &slopes : NULL))
        return;
    const vec6 w = out.wrench;
    const vec3 r = vec3_sub(now->T.p, j->x[body].p);
    const vec6 back = {vec3_neg(vec3_add(w.a, vec3_cross(r, w.l))), vec3_neg(w.l)};
    touching x = touching_of(slopes.by_motion, w, r);
    put_wrench(j, &on_body, back, tangent ? x.back_other : NULL);
    if (tangent) add_couplings(j, at, body, &x);
    put_wrench(j, at, w, tangent ? x.own : NULL);
    m->lost += out.lost;
}

// ---------------------------------------------------------------- all of it
void add_touches(const net_job *j) {
    const net *c = j->c;
    net_memory *m = j->m;
    point_slopes slopes;
    carry(c, m, j->x);
    for (int i = 0; i < c->touch.n_points; i++) {
        const place *at = &c->touched[i];
        const bool tangent = j->w && at->node < c->n_free && j->w->q != 0.0;
        const end_motion end = end_of(at, j->x, m->R);
        const touch_now now = now_of(&end, j->moves);
        if (tangent) memset(&slopes, 0, sizeof slopes);
        const touch_answer out = touch_at(&c->touch, &m->touch, i, &now, tangent ? &slopes : NULL);
        put_wrench(j, at, out.wrench, tangent ? slopes.by_motion : NULL);
        m->lost += out.lost;
        m->given_power += out.given;
        for (int k = 0; k < c->touch.n; k++)
            if (c->carriers[k] >= 0) add_carried(j, i, k, &now);
    }
}

void net_points(void *of, const solve_instant *at, const double *q, vec3 *p) {
    net_memory *m = of;
    const net *c = m->of;
    m->states->load(m, at, &(configuration){.q = q, .l = m->solve.l});
    carry(c, m, m->trial);
    for (int i = 0; i < c->touch.n_points; i++) p[i] = end_at(&c->touched[i], m->trial).p;
}

void keep_touches(const net *c, net_memory *m, shape_origin from) {
    carry(c, m, m->trial);
    for (int i = 0; i < c->touch.n_points; i++) {
        const end_motion end = end_at(&c->touched[i], m->trial);
        const touch_now now = now_of(&end, from == SHAPE_MOVED);
        touch_stick(&c->touch, &m->touch, i, &now);
    }
    if (from == SHAPE_SET) touch_forget(&c->touch, &m->touch);
    else touch_accept(&c->touch, &m->touch);
}

double touched_energy(const net *c, const net_memory *m, const node_state *x, const se3 *frames,
                      const double *inputs) {
    double sum = 0.0;
    for (int i = 0; i < c->touch.n_points; i++)
        sum += touch_energy(&c->touch, &m->touch, frames, inputs, i, end_at(&c->touched[i], x).p);
    return sum;
}

double touching_energy(const net *c, const net_memory *m, const node_state *x,
                       const double *inputs) {
    carry(c, m, x);
    return touched_energy(c, m, x, m->touch.now, inputs);
}
