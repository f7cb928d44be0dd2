// model/lumped/middle.c - the midpoint rule for nodes, which keeps momentum and angular momentum to rounding.
//
// A step of h goes from (p0, R0), with the velocities v0 (world) and w0 (the node's axes), to
//
//     p1 = p0 + h v,  R1 = R0 exp(h w^),    v = (v0 + v1)/2,  w = (w0 + w1)/2
//
// with the forces of its middle, p = (p0 + p1)/2 and R = R0 exp(h w^/2). Of a node with the momentum
// L = m v + R (w x c) and the angular momentum H = R (J w) + R c x v about its origin they ask
//
//     (L1 - L0)/h = F,     (H1 - H0)/h + v x (L0 + L1)/2 = M
//
// so that the sums of L and of p x L + H change by h F and h (p x F + M): what nodes do to one another cancels there to
// rounding, whatever the step (of one body: Simo & Wong 1991). Energy is kept to the order of the step, the second. What is
// solved for is the mean twist (w, R'v).
#include "model/lumped/net.h"

typedef struct momenta {
    vec3 L, H;  // world; H about the origin of the node
} momenta;

static momenta momenta_of(const lump *b, const mat3 *R, vec3 v, vec3 w) {
    const vec3 c = mat3_mul_vec(R, b->moment), own = mat3_mul_vec(&b->inertia, w);
    const vec3 swing = mat3_mul_vec(R, vec3_cross(w, b->moment));
    return (momenta){vec3_madd(swing, b->mass, v),
                     vec3_add(mat3_mul_vec(R, own), vec3_cross(c, v))};
}

typedef struct course {  // of a node through a step
    double h;
    vec3 v, w;  // of its middle
    mat3 R1;
    vec3 v1, w1;
    momenta before, after;
} course;

static course course_of(const lump *b, const node_start *from, const node_state *x, double h) {
    const mat3 turn = so3_exp(vec3_scale(x->w, h));
    course s = {.h = h, .v = x->v, .w = x->w, .R1 = mat3_mul(&from->R, &turn)};
    s.v1 = vec3_sub(vec3_scale(x->v, 2.0), from->v);
    s.w1 = vec3_sub(vec3_scale(x->w, 2.0), from->w);
    s.before = momenta_of(b, &from->R, from->v, from->w);
    s.after = momenta_of(b, &s.R1, s.v1, s.w1);
    return s;
}

vec6 mean_wrench(const lump *b, const node_start *from, const node_state *x, double h) {
    const course s = course_of(b, from, x, h);
    const vec3 H_t = vec3_scale(vec3_sub(s.after.H, s.before.H), 1.0 / h);
    const vec3 mean = vec3_scale(vec3_add(s.before.L, s.after.L), 0.5);
    return (vec6){vec3_add(H_t, vec3_cross(s.v, mean)),
                  vec3_scale(vec3_sub(s.after.L, s.before.L), 1.0 / h)};
}

// By changes of w and v.
static vec6 mean_wrench_by(const lump *b, const course *s, vec3 dw, vec3 dv) {
    const mat3 spin = so3_dexp_right(vec3_scale(s->w, s->h));
    const vec3 turned = mat3_mul_vec(&s->R1, mat3_mul_vec(&spin, vec3_scale(dw, s->h)));
    const vec3 dw1 = vec3_scale(dw, 2.0), dv1 = vec3_scale(dv, 2.0);
    const momenta by = momenta_of(b, &s->R1, dv1, dw1);
    const vec3 c = mat3_mul_vec(&s->R1, b->moment);
    const vec3 own = mat3_mul_vec(&s->R1, mat3_mul_vec(&b->inertia, s->w1));
    const vec3 swing = mat3_mul_vec(&s->R1, vec3_cross(s->w1, b->moment));
    const vec3 dL = vec3_add(by.L, vec3_cross(turned, swing));
    vec3 dH = vec3_add(by.H, vec3_cross(turned, own));
    dH = vec3_add(dH, vec3_cross(vec3_cross(turned, c), s->v1));
    const vec3 mean = vec3_scale(vec3_add(s->before.L, s->after.L), 0.5);
    const vec3 carried = vec3_add(vec3_cross(dv, mean), vec3_cross(s->v, vec3_scale(dL, 0.5)));
    return (vec6){vec3_madd(carried, 1.0 / s->h, dH), vec3_scale(dL, 1.0 / s->h)};
}

void add_mean_tangent(const lump *b, const node_start *from, const mat3 *R, const node_state *x,
                      double h, const node_follow *f, double *block) {
    const course s = course_of(b, from, x, h);
    const double cv = 2.0 / h;
    const vec3 none = vec3_zero();
    for (int k = 0; k < 3; k++) {
        const vec3 dw = vec3_scale(mat3_tmul_vec(R, mat3_column(&f->own, k)), cv);
        const vec3 dv = {k == 0 ? cv : 0.0, k == 1 ? cv : 0.0, k == 2 ? cv : 0.0};
        put_column(block, k, mean_wrench_by(b, &s, dw, none));
        put_column(block, 3 + k, mean_wrench_by(b, &s, none, dv));
    }
}

// d(R w) = cv own th as along a screw; v answers to shifts alone: R d(R'v) = cv dp + v x th.
node_follow middle_follow(const mat3 *R, const node_state *x, double cv) {
    const mat3 turn = so3_dexp_inv(vec3_scale(mat3_mul_vec(R, x->w), -1.0 / cv));
    return (node_follow){turn, mat3_hat(vec3_scale(x->v, 1.0 / cv)), mat3_identity()};
}

// ---------------------------------------------------------------- evaluations
static node_start start_of(const net_memory *m, int i) {
    const double *q = m->solve.q + 7 * i, *v = m->solve.v + 6 * i;
    const mat3 R = quat_to_mat3(quat_load(q + 3));
    return (node_start){R, mat3_mul_vec(&R, vec3_load(v + 3)), vec3_load(v)};
}

// The middle of a step that began at solve.q, solve.v; accelerations are differences of its ends.
static net_job load_middle(net_memory *m, const solve_instant *at, const configuration *x) {
    net_job j = m->states->load(m, at, x);
    for (int i = 0; i < m->of->n_free; i++) {
        const node_start from = m->starts[i] = start_of(m, i);
        m->trial_rates[i].w = vec3_scale(vec3_sub(m->trial[i].w, from.w), at->cv);
        m->trial_rates[i].v = vec3_scale(vec3_sub(m->trial[i].v, from.v), at->cv);
    }
    j.step = 2.0 / at->cv;
    return j;
}

static void residual(void *of, const solve_instant *at, const configuration *x, double *r,
                     double *powers) {
    net_memory *m = of;
    const net_job j = load_middle(m, at, x);
    m->states->evaluate(&j, x);
    net_give(&j, r, powers);
}

static bool tangent(void *of, const solve_instant *at, const configuration *x,
                    const tangent_weights *w, double *matrix, double *r, double *powers) {
    net_memory *m = of;
    if (w->q != 1.0 || w->v != at->cv || w->a != at->ca || w->own != 0.0) return false;
    net_job j = load_middle(m, at, x);
    j.w = w;
    j.to = net_matrix_at(m->of, matrix);
    m->states->evaluate(&j, x);
    net_give(&j, r, powers);
    return true;
}

// ---------------------------------------------------------------- the way through a step
static void advance(void *of, const double *from, double h, const double *v, double *to) {
    const net *c = ((const net_memory *)of)->of;
    for (int i = 0; i < c->n_free; i++, from += 7, v += 6, to += 7) {
        const quat turn = quat_exp(vec3_scale(vec3_load(v), h));
        const quat Q = quat_normalise(quat_mul(quat_load(from + 3), turn));
        vec3_store(to, vec3_madd(vec3_load(from), h, quat_rotate(Q, vec3_load(v + 3))));
        quat_store(to + 3, Q);
    }
}

static void rate_change(void *of, const double *q, const double *v, double cv, const double *dz,
                        double *dv) {
    const net *c = ((const net_memory *)of)->of;
    for (int i = 0; i < c->n_free; i++, q += 7, v += 6, dz += 6, dv += 6) {
        const mat3 R = quat_to_mat3(quat_load(q + 3));
        const mat3 own = so3_dexp_inv(vec3_scale(vec3_load(v), -1.0 / cv));
        const vec3 th = mat3_tmul_vec(&R, vec3_load(dz)), dp = mat3_tmul_vec(&R, vec3_load(dz + 3));
        vec3_store(dv, vec3_scale(mat3_mul_vec(&own, th), cv));
        vec3_store(dv + 3, vec3_madd(vec3_cross(vec3_load(v + 3), th), cv, dp));
    }
}

static void reach(void *of, double h, const solve_memory *s) {
    const net *c = ((const net_memory *)of)->of;
    for (int i = 0; i < c->n_free; i++) {
        const double *q = s->q + 7 * i, *v = s->v + 6 * i;
        double *end = s->tq + 7 * i, *mean = s->tv + 6 * i;
        const quat Q0 = quat_load(q + 3), Q = quat_load(end + 3);
        const vec3 w = vec3_load(mean), moves = quat_rotate(Q, vec3_load(mean + 3));
        const quat Q1 = quat_normalise(quat_mul(Q0, quat_exp(vec3_scale(w, h))));
        const vec3 v1 = vec3_sub(vec3_scale(moves, 2.0), quat_rotate(Q0, vec3_load(v + 3)));
        vec3_store(end, vec3_madd(vec3_load(q), h, moves));
        quat_store(end + 3, Q1);
        vec3_store(mean, vec3_sub(vec3_scale(w, 2.0), vec3_load(v)));
        vec3_store(mean + 3, quat_rotate(quat_conj(Q1), v1));
    }
}

const middle_rule net_middle = {residual, tangent, advance, rate_change, reach};
