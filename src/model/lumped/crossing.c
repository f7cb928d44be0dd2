// model/lumped/crossing.c - relative coordinates against motions of the nodes.
//
// Along an open rod the motions z = J dq of its nodes follow one another,
//
//     z_far = T z_near + B dq,   T z = (th, p + th x arm)
//
// so that J is square and its inverse is local: dq = E (z_far - T z_near), E = B^-1. The coordinates of
// a free base are the motions of its node. What is out of
// balance in coordinates is Q = J'r, J the T of Sadati 2019 (6), and at an equilibrium, or nearly, its matrix is J'A J with the
// blocks A of net.h. So a system is solved between J'^-1 and J^-1, at a cost linear in the segments.
//
// A segment pulls at its far node with f = E'w and at its near one with -T'f, w the wrench of its
// coordinates. Rotation vectors have the tangent of element.h; others have theirs from differences
// of f against the coordinates, in a frame that is fixed at the near node.
#include <string.h>

#include "math/block.h"
#include "math/dense.h"
#include "model/lumped/relative.h"

#define REACH 1e-5  // rad, or lengths of a segment, of differences
#define WHOLE 2.8   // rad: up to here element.h has the rotation vector

// ---------------------------------------------------------------- 6 x 6
static vec6 times(const double *m, vec6 v) {
    double x[6], y[6];
    vec6_store(x, v);
    dense_mul_vec(6, 6, m, x, y);
    return vec6_load(y);
}

static vec6 times_transposed(const double *m, vec6 v) {
    double x[6], y[6] = {0.0};
    vec6_store(x, v);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) y[k] += m[6 * i + k] * x[i];
    return vec6_load(y);
}

static void product(const double *a, const double *b, double *out) {
    memset(out, 0, sizeof(double) * 36);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            for (int l = 0; l < 6; l++) out[6 * i + l] += a[6 * i + k] * b[6 * k + l];
}

// ---------------------------------------------------------------- one segment
static vec6 carried(const crossing *x, vec6 z) {  // T z
    return (vec6){z.a, vec3_add(z.l, vec3_cross(z.a, x->arm))};
}

static vec6 gathered(const crossing *x, vec6 f) {  // T'f
    return (vec6){vec3_add(f.a, vec3_cross(x->arm, f.l)), f.l};
}

void find_crossing(const net_job *j, int i) {
    const segment *s = &j->c->segments[i];
    relative_memory *m = (relative_memory *)j->m;
    const joint *jt = &m->joints[i];
    crossing *out = &m->crossings[i];
    const mat3 *Ra = &j->m->R[s->a.node], *Rb = &j->m->R[s->b.node];
    const mat3 spin = mat3_mul(Rb, &jt->spin);
    out->arm = vec3_sub(j->x[s->b.node].p, j->x[s->a.node].p);
    memset(out->B, 0, sizeof out->B);
    block33_put(out->B, 0, 0, &spin);
    for (int k = 0; k < PER; k++) {
        const vec3 by = mat3_mul_vec(Ra, jt->p_by[k]);
        out->B[18 + k] = by.x;
        out->B[24 + k] = by.y;
        out->B[30 + k] = by.z;
    }
}

bool invert_crossing(crossing *x) {
    const mat3 spin = block33_at(x->B, 0, 0), by_turn = block33_at(x->B, 3, 0),
               extent = block33_at(x->B, 3, 3);
    mat3 a, b;
    if (!mat3_inverse(&spin, &a) || !mat3_inverse(&extent, &b)) return false;
    const mat3 both = mat3_mul(&by_turn, &a), across = mat3_mul(&b, &both),
               minus = mat3_scale(&across, -1.0);
    memset(x->E, 0, sizeof x->E);
    block33_put(x->E, 0, 0, &a);
    block33_put(x->E, 3, 0, &minus);
    block33_put(x->E, 3, 3, &b);
    return true;
}

vec6 near_pull(const crossing *x, vec6 w) {
    return vec6_neg(gathered(x, times_transposed(x->E, w)));
}

// ---------------------------------------------------------------- all segments
static void copy_six(double *to, const double *from) {
    memcpy(to, from, sizeof(double) * 6);
}

void to_motions(const relative_memory *m, const double *dq, double *z) {
    const net *c = m->net.of;
    for (int i = 0; i < c->n_rods && c->n_roots > 0; i++) {
        const net_rod *r = &c->rods[i];
        if (r->floats) copy_six(z + 6 * root_node(c, r), dq + root_place(c, r));
    }
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        const crossing *x = &m->crossings[i];
        const vec6 near = vec6_load(z + 6 * s->a.node);
        vec6_store(z + 6 * s->b.node,
                   vec6_add(carried(x, near), times(x->B, vec6_load(dq + PER * i))));
    }
}

// J^-1; held ones stay
static void to_coordinates(const relative_memory *m, const double *z, double *dq) {
    const net *c = m->net.of;
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        const crossing *x = &m->crossings[i];
        vec6 far = vec6_load(z + 6 * s->b.node);
        if (s->a.node < c->n_free) far = vec6_sub(far, carried(x, vec6_load(z + 6 * s->a.node)));
        vec6_store(dq + PER * i, times(x->E, far));
    }
    for (int i = 0; i < c->n_rods && c->n_roots > 0; i++) {
        const net_rod *r = &c->rods[i];
        if (r->floats) copy_six(dq + root_place(c, r), z + 6 * root_node(c, r));
    }
}

// The free base that segment i stands on; NULL: it stands on none.
static const net_rod *root_of(const net *c, int i) {
    const net_rod *r = &c->rods[c->segments[i].rod];
    return r->floats && i == r->first ? r : NULL;
}

static bool is_last(const net *c, int i) {
    const net_rod *r = &c->rods[c->segments[i].rod];
    return i + 1 == r->first + r->n;
}

void to_forces(const relative_memory *m, const double *r, double *Q) {
    const net *c = m->net.of;
    vec6 sum = vec6_zero();
    for (int i = c->n_segments - 1; i >= 0; i--) {
        const vec6 beyond = is_last(c, i) ? vec6_zero() : gathered(&m->crossings[i + 1], sum);
        sum = vec6_add(vec6_load(r + 6 * c->segments[i].b.node), beyond);
        vec6_store(Q + PER * i, times_transposed(m->crossings[i].B, sum));
        const net_rod *root = root_of(c, i);
        if (!root) continue;
        const vec6 own = vec6_load(r + 6 * root_node(c, root));
        vec6_store(Q + root_place(c, root), vec6_add(own, gathered(&m->crossings[i], sum)));
    }
}

// J'^-1
static void to_wrenches(const relative_memory *m, const double *Q, double *r) {
    const net *c = m->net.of;
    vec6 sum = vec6_zero();
    for (int i = c->n_segments - 1; i >= 0; i--) {
        const vec6 beyond = is_last(c, i) ? vec6_zero() : gathered(&m->crossings[i + 1], sum);
        sum = times_transposed(m->crossings[i].E, vec6_load(Q + PER * i));
        vec6_store(r + 6 * c->segments[i].b.node, vec6_sub(sum, beyond));
        const net_rod *root = root_of(c, i);
        if (!root) continue;
        const vec6 whole = vec6_load(Q + root_place(c, root));
        vec6_store(r + 6 * root_node(c, root), vec6_sub(whole, gathered(&m->crossings[i], sum)));
    }
}

// ---------------------------------------------------------------- tangents
static double *block_of(const net_job *j, const segment *s, int which) {
    return s->block[which] < 0 ? NULL : j->to.a + (size_t)s->block[which] * BLOCK;
}

// block += weight (m - th x f), m T for the near end
static void add_block(const net_job *j, const segment *s, int which, double weight, const double *m,
                      const crossing *near, vec6 f) {
    double *block = block_of(j, s, which);
    if (!block) return;
    for (int i = 0; i < 6; i++, m += 6, block += 6) {
        vec3 turn = vec3_load(m);
        if (near) turn = vec3_add(turn, vec3_cross(near->arm, vec3_load(m + 3)));
        vec3_store(block, vec3_madd(vec3_load(block), weight, turn));
        vec3_store(block + 3, vec3_madd(vec3_load(block + 3), weight, vec3_load(m + 3)));
    }
    if (!near) return;
    const mat3 turns[2] = {mat3_hat(f.a), mat3_hat(f.l)};
    block -= BLOCK;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) block[6 * i + k] -= weight * turns[i / 3].m[i % 3][k];
}

// Four blocks: far answers by F, near by N (6 x 6 each, against z_far - T z_near); f, n: the wrenches
// there now, which turn with the near node.
static void add_blocks(const net_job *j, int i, double weight, const double *F, const double *N,
                       vec6 f, vec6 n) {
    const segment *s = &j->c->segments[i];
    const crossing *x = &((relative_memory *)j->m)->crossings[i];
    double minus_F[36], minus_N[36];
    for (int k = 0; k < 36; k++) minus_F[k] = -F[k], minus_N[k] = -N[k];
    add_block(j, s, 3, weight, F, NULL, f);
    add_block(j, s, 2, weight, minus_F, x, f);
    add_block(j, s, 1, weight, N, NULL, n);
    add_block(j, s, 0, weight, minus_N, x, n);
}

// -T' of each column
static void near_columns(const crossing *x, const double *F, double *N) {
    for (int k = 0; k < 6; k++) {
        double column[6];
        for (int i = 0; i < 6; i++) column[i] = F[6 * i + k];
        vec6_store(column, vec6_neg(gathered(x, vec6_load(column))));
        for (int i = 0; i < 6; i++) N[6 * i + k] = column[i];
    }
}

void add_joint_stiffness(const net_job *j, int i, double weight, const double *C) {
    const crossing *x = &((relative_memory *)j->m)->crossings[i];
    double CE[36], F[36] = {0.0}, N[36];
    product(C, x->E, CE);
    for (int a = 0; a < 6; a++)
        for (int k = 0; k < 6; k++)
            for (int l = 0; l < 6; l++) F[6 * a + l] += x->E[6 * k + a] * CE[6 * k + l];
    near_columns(x, F, N);
    add_blocks(j, i, weight, F, N, vec6_zero(), vec6_zero());
}

typedef struct pull {  // at the far node, from the near one
    vec6 f;
    vec3 arm;
} pull;

static bool pull_at(const net_job *j, int i, const double *q, const double *rates, pull *out) {
    static const double still[PER] = {0.0};
    const mat3 *Ra = &j->m->R[j->c->segments[i].a.node];
    const joint jt = joint_make((joint_kind)j->c->joints, q, still);
    const vec6 w = wrench_of(j, i, q, rates).wrench;
    const mat3 extent = mat3_from_columns(jt.p_by[3], jt.p_by[4], jt.p_by[5]);
    mat3 a, b;
    if (!mat3_inverse(&jt.spin, &a) || !mat3_inverse(&extent, &b)) return false;
    const vec3 force = mat3_tmul_vec(&b, w.l);
    const vec3 by_turn = {vec3_dot(jt.p_by[0], force), vec3_dot(jt.p_by[1], force),
                          vec3_dot(jt.p_by[2], force)};
    const vec3 moment = mat3_mul_vec(&jt.R, mat3_tmul_vec(&a, vec3_sub(w.a, by_turn)));
    *out = (pull){{mat3_mul_vec(Ra, moment), mat3_mul_vec(Ra, force)}, mat3_mul_vec(Ra, jt.p)};
    return true;
}

// d f/dq and d(wrench at the near node)/dq (6 x 6 each), to one side in a motion, where nearly is
// enough.
static bool difference(const net_job *j, const configuration *x, int i, const pull *now, double *G,
                       double *H) {
    const double *rates = x->v ? x->v + PER * i : NULL, length = j->c->segments[i].length;
    double q[PER], f[6], n[6];
    memcpy(q, x->q + PER * i, sizeof q);
    for (int k = 0; k < PER; k++) {
        const double e = k < 3 ? REACH : REACH * length, keep = q[k];
        pull a = *now, b;
        q[k] = keep + e;
        if (!pull_at(j, i, q, rates, &b)) return false;
        q[k] = keep - e;
        if (!j->moves && !pull_at(j, i, q, rates, &a)) return false;
        q[k] = keep;
        const double by = 1.0 / (j->moves ? e : 2.0 * e);
        const vec6 df = vec6_scale(vec6_sub(b.f, a.f), by);
        const vec3 darm = vec3_scale(vec3_sub(b.arm, a.arm), by);
        const vec6 at_near = gathered(&(crossing){.arm = now->arm}, df);
        vec6_store(f, df);
        vec6_store(n, vec6_neg((vec6){vec3_add(at_near.a, vec3_cross(darm, now->f.l)), df.l}));
        for (int row = 0; row < 6; row++) G[6 * row + k] = f[row], H[6 * row + k] = n[row];
    }
    return true;
}

static void add_damping(const net_job *j, const configuration *x, int i) {
    const segment *s = &j->m->segments[i];
    double rate[6], C[36];
    vec6_store(rate, vec6_scale(vec6_load(x->v + PER * i), 1.0 / s->length));
    law_viscosity(&s->law, rate, C);
    add_joint_stiffness(j, i, j->w->v / s->length, C);
}

static void add_slopes(const net_job *j, const configuration *x, int i) {
    const segment *s = &j->c->segments[i];
    const crossing *cross = &((relative_memory *)j->m)->crossings[i];
    const vec6 strain = vec6_scale(vec6_load(x->q + PER * i), 1.0 / s->length);
    for (int k = s->first_port; k < s->first_port + s->n_ports; k++) {
        const port *p = &j->m->ports[k];
        const int unknown = j->c->unknown[p->actuator];
        if (unknown < 0) continue;
        const density d =
            actuator_density(&j->c->actuators[p->actuator], &p->at, strain.a, strain.l);
        const vec6 f = times_transposed(cross->E, vec6_scale(d.slope, p->swell));
        add_slope(j, s, &(element_ends){vec6_neg(gathered(cross, f)), f}, unknown);
    }
}

void add_joint_tangent(const net_job *j, const configuration *x, int i) {
    const vec3 turn = vec3_load(x->q + PER * i);
    if (j->c->joints == JOINT_VECTOR && vec3_norm(turn) < WHOLE) {
        add_segment(j, &j->m->segments[i]);
        return;
    }
    const crossing *cross = &((relative_memory *)j->m)->crossings[i];
    double G[36], H[36], F[36], N[36];
    pull now;
    if (!pull_at(j, i, x->q + PER * i, x->v ? x->v + PER * i : NULL, &now) ||
        !difference(j, x, i, &now, G, H))
        return;
    product(G, cross->E, F);
    product(H, cross->E, N);
    add_blocks(j, i, j->w->q, F, N, now.f, vec6_neg(gathered(cross, now.f)));
    if (j->w->v != 0.0) add_damping(j, x, i);
    add_slopes(j, x, i);
}

// ---------------------------------------------------------------- linear operations
static size_t rows_of(const net *c) {
    return 6 * (size_t)c->n_free;
}

static bool factor(const solve_part *p, double *matrix, int *pivots) {
    return bordered_factor(((const net_memory *)p->of)->of, p->n_l, matrix, pivots);
}

// Coordinates of free bases, from the world into their own axes or back, where the matrix asks for it.
static void turn_roots(const relative_memory *m, const double *matrix, bool back, double *dq) {
    const net *c = m->net.of;
    if (*relative_by_twists(c, (double *)matrix) == 0.0) return;
    for (int i = 0; i < c->n_rods; i++) {
        const net_rod *r = &c->rods[i];
        if (!r->floats) continue;
        const mat3 *R = &m->net.R[root_node(c, r)];
        double *at = dq + root_place(c, r);
        for (int k = 0; k < 6; k += 3)
            vec3_store(at + k, (back ? mat3_tmul_vec : mat3_mul_vec)(R, vec3_load(at + k)));
    }
}

static void solve(const solve_part *p, const double *matrix, const int *pivots, double *b) {
    const relative_memory *m = p->of;
    const size_t rows = rows_of(m->net.of), efforts = sizeof(double) * (size_t)p->n_l;
    to_wrenches(m, b, m->side);
    if (efforts) memcpy(m->side + rows, b + rows, efforts);
    bordered_solve(m->net.of, p->n_l, matrix, pivots, m->side);
    to_coordinates(m, m->side, b);
    turn_roots(m, matrix, true, b);
    if (efforts) memcpy(b + rows, m->side + rows, efforts);
}

static void multiply(const solve_part *p, const double *matrix, const double *x, double *y) {
    const relative_memory *m = p->of;
    const net *c = m->net.of;
    const size_t rows = rows_of(c), efforts = sizeof(double) * (size_t)p->n_l;
    memset(m->side, 0, sizeof(double) * 6 * (size_t)c->n_nodes);
    memcpy(m->residual, x, sizeof(double) * rows);
    turn_roots(m, matrix, false, m->residual);
    to_motions(m, m->residual, m->side);
    if (efforts) memcpy(m->side + rows, x + rows, efforts);
    bordered_multiply(c, p->n_l, (double *)matrix, m->side, m->net.y);
    to_forces(m, m->net.y, y);
    if (efforts) memcpy(y + rows, m->net.y + rows, efforts);
}

static int negative(const solve_part *p, double *matrix, double *scratch) {
    return bordered_negative(((const net_memory *)p->of)->of, p->n_l, matrix, p->m->spare, scratch);
}

const linear_ops relative_linear = {
    .factor = factor, .solve = solve, .multiply = multiply, .negative = negative};
