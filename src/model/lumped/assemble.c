// model/lumped/assemble.c - the balance of every node, and how it answers to small motions.
//
// Motions are turns and shifts (th, dp) in world axes. In a step velocities follow them: with
// p = p* + v/c0 and Q = Q* (1, w/(2 c0)), dv = c0 dp and, for the angular velocity in the world,
// dw = Y th with Y = c0 - w^/2 + w w'/(4 c0).
#include <string.h>

#include "model/lumped/net.h"

// ---------------------------------------------------------------- material
void less_rest(const segment *s, vec6 strain, double x[6]) {
    vec6_store(x, strain);
    for (int i = 0; i < 6; i++) x[i] -= s->rest[i];
}

vec6 material_wrench(const segment *s, vec6 strain, vec6 rate, double *lost) {
    double x[6], r[6], w[6], damped[6];
    less_rest(s, strain, x);
    vec6_store(r, rate);
    law_elastic(&s->law, x, w);
    law_viscous(&s->law, r, damped);
    for (int i = 0; i < 6; i++) w[i] += damped[i], *lost += damped[i] * r[i];
    return vec6_load(w);
}

// ---------------------------------------------------------------- the world
vec3 gravity_at(const net *c, const double *inputs, double share) {
    return vec3_scale(numbers_at(c->gravity, inputs), share);
}

void compose_lumps(const net *c, net_memory *m, const double *inputs) {
    memcpy(m->lumps, c->lumps, sizeof(lump) * (size_t)c->n_nodes);
    for (int i = 0; i < c->n_riders; i++) {
        const rider *from = &c->riders[i];
        lump *to = &m->lumps[from->node];
        double share = number_value(from->attached, inputs);
        mat3 inertia = mat3_scale(&from->lump.inertia, share);
        to->mass += share * from->lump.mass;
        to->moment = vec3_madd(to->moment, share, from->lump.moment);
        to->inertia = mat3_add(&to->inertia, &inertia);
    }
}

// ---------------------------------------------------------------- segments
typedef struct job {
    const net *c;
    net_memory *m;
    const situation *at;
    const node_state *x;
    const double *efforts;
    bool tangent;
} job;

typedef struct law {  // of one segment: wrench, and how it answers
    vec6 wrench;
    double stiffness[36], damping[36];
} law;

static double effort_of(const job *j, int which) {
    return j->c->unknown[which] < 0 ? j->m->given[which] : j->efforts[which];
}

static void add_material(const job *j, const segment *s, vec6 strain, vec6 rate, law *out) {
    const double l = s->length;
    double x[6], r[6], lost = 0.0;
    out->wrench = material_wrench(s, strain, rate, &lost);
    j->m->lost += lost * l;
    if (!j->tangent) return;
    less_rest(s, strain, x);
    vec6_store(r, rate);
    law_stiffness(&s->law, x, out->stiffness);
    law_viscosity(&s->law, r, out->damping);
    const double part = 1.0 / l;
    for (int i = 0; i < 36; i++) out->stiffness[i] *= part, out->damping[i] *= part;
}

static void arrive(net_memory *m, const place *at, double *out, vec6 w) {
    double *to = out + 6 * at->node;
    if (at->turner) {
        double *turner = out + 6 * (at->turner - 1);
        vec3_store(turner, vec3_add(vec3_load(turner), w.a));
        w.a = vec3_zero();
    }
    if (at->apart) {
        vec3 arm = mat3_mul_vec(&m->R[at->node], at->h.p);
        w.a = vec3_add(w.a, vec3_cross(arm, w.l));
    }
    vec3_store(to, vec3_add(vec3_load(to), w.a));
    vec3_store(to + 3, vec3_add(vec3_load(to + 3), w.l));
}

// The slope of an unknown effort's measure against the motions of the nodes.
static void add_slope(const job *j, const segment *s, const element *e, int unknown, vec6 slope) {
    double *to = j->m->slopes + (size_t)unknown * 6 * (size_t)j->c->n_nodes;
    element_ends ends = element_pull(e, slope);
    arrive(j->m, &s->a, to, ends.a);
    arrive(j->m, &s->b, to, ends.b);
}

static void add_actuation(const job *j, const segment *s, const element *e, vec6 strain, vec6 rate,
                          law *out) {
    for (int i = s->first_port; i < s->first_port + s->n_ports; i++) {
        const port *p = &j->m->ports[i];
        const actuator *a = &j->c->actuators[p->actuator];
        density d = actuator_density(a, &p->at, strain.a, strain.l);
        double pull = a->sign * p->swell * effort_of(j, p->actuator);
        out->wrench = vec6_add(out->wrench, vec6_scale(d.slope, pull));
        if (!is_rigid_string(j->c, p->actuator))
            j->m->given_power -= pull * s->length * vec6_dot(d.slope, rate);
        if (j->tangent) density_add_curvature(a, &p->at, &d, pull / s->length, out->stiffness);
        density counted = actuator_counted(a, &p->at, strain.a, strain.l);
        j->m->measures[p->actuator] += p->swell * s->length * counted.value;
        int unknown = j->c->unknown[p->actuator];
        if (unknown >= 0 && j->tangent) add_slope(j, s, e, unknown, vec6_scale(d.slope, p->swell));
    }
}

static law law_of(const job *j, const segment *s, const element *e) {
    const double part = 1.0 / s->length;
    vec6 strain = {vec3_scale(e->phi, part), vec3_scale(e->eps, part)};
    vec6 rate = {vec3_scale(e->phi_t, part), vec3_scale(e->eps_t, part)};
    law out = {.wrench = vec6_zero()};
    add_material(j, s, strain, rate, &out);
    add_actuation(j, s, e, strain, rate, &out);
    return out;
}

// ---------------------------------------------------------------- the matrix
// What a motion of a node does to an end on it: motion P, velocity V (6 x 6 each).
typedef struct following {
    int node, end;              // end: 0 or 6, its rows among the twelve
    bool turns, shifts, apart;  // it gives the end its rotation, its place, at the end of an arm
    double P[36], V[36];
} following;

static void put3(double *m, int row, int column, const mat3 *x) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m[6 * (row + i) + column + k] = x->m[i][k];
}

// d(angular velocity in the world)/d(turn): see above.
static mat3 spin_by_turn(const node_state *x, const mat3 *R, double c0) {
    vec3 w = mat3_mul_vec(R, x->w);
    mat3 spin = mat3_hat(vec3_scale(w, -0.5)), outer = mat3_outer(w, vec3_scale(w, 0.25 / c0));
    mat3 Y = mat3_add(&spin, &outer);
    for (int i = 0; i < 3; i++) Y.m[i][i] += c0;
    return Y;
}

static void follow_turn(following *f, const mat3 *Y) {
    f->turns = true;
    for (int i = 0; i < 3; i++) f->P[7 * i] = 1.0;
    put3(f->V, 0, 0, Y);
}

static void follow_shift(following *f, const place *at, const node_state *x, const mat3 *R,
                         const mat3 *Y, double c0) {
    f->shifts = true;
    f->apart = at->apart;
    for (int i = 3; i < 6; i++) f->P[7 * i] = 1.0, f->V[7 * i] = c0;
    if (!at->apart) return;
    mat3 arm = mat3_hat(vec3_neg(mat3_mul_vec(R, at->h.p))), spin = mat3_hat(mat3_mul_vec(R, x->w));
    put3(f->P, 3, 0, &arm);
    mat3 turned = mat3_mul(&arm, Y), carried = mat3_mul(&spin, &arm);
    mat3 both = mat3_add(&turned, &carried);
    if (c0 > 0.0) put3(f->V, 3, 0, &both);
}

// The node of an end, and the one whose rotation it has where that is another; returns how many.
static int follow_end(const job *j, const place *at, int end, following f[2]) {
    const int nodes[2] = {at->node, at->turner - 1}, n = at->turner ? 2 : 1;
    const double c0 = j->at->c0;
    for (int i = 0; i < n; i++) {
        const node_state *x = &j->x[nodes[i]];
        const mat3 *R = &j->m->R[nodes[i]], Y = c0 > 0.0 ? spin_by_turn(x, R, c0) : mat3_zero();
        memset(&f[i], 0, sizeof f[i]);
        f[i].node = nodes[i];
        f[i].end = end;
        if (i == n - 1) follow_turn(&f[i], &Y);
        if (i == 0) follow_shift(&f[i], at, x, R, &Y, c0);
    }
    return n;
}

// The same for an end in a node itself: P = 1, V turns and shifts apart.
static void columns_in_node(const double *K, const double *D, const following *f, bool moving,
                            double *out) {
    const double c0 = f->V[21];
    for (int i = 0; i < 6; i++, K += 12, D += 12, out += 6) {
        for (int k = 0; k < 6; k++) out[k] = K[k];
        for (int k = 0; k < 3 && moving; k++) {
            out[k] += D[0] * f->V[k] + D[1] * f->V[6 + k] + D[2] * f->V[12 + k];
            out[3 + k] += c0 * D[3 + k];
        }
    }
}

// out (6 x 6) = K P + D V for the columns of one end, from rows of the 12 x 12.
static void columns_of(const double *K, const double *D, int row, int column, const following *f,
                       bool moving, double *out) {
    K += 12 * row + column;
    D += 12 * row + column;
    if (f->turns && f->shifts && !f->apart) {
        columns_in_node(K, D, f, moving, out);
        return;
    }
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            double sum = 0.0;
            for (int l = 0; l < 6; l++) sum += K[12 * i + l] * f->P[6 * l + k];
            for (int l = 0; l < 6 && moving; l++) sum += D[12 * i + l] * f->V[6 * l + k];
            out[6 * i + k] = sum;
        }
}

// block += P' x
static void add_rows(const following *f, const double *x, double *block) {
    for (int i = 0; i < BLOCK / 2 && f->turns; i++) block[i] += x[i];
    for (int i = BLOCK / 2; i < BLOCK && f->shifts; i++) block[i] += x[i];
    for (int i = 0; i < 3 && f->apart; i++)
        for (int l = 3; l < 6; l++)
            for (int k = 0; k < 6; k++) block[6 * i + k] += f->P[6 * l + i] * x[6 * l + k];
}

// The arm of an end turns with its node: (th x arm) x force.
static void add_arm(const net_memory *m, const place *at, vec3 force, double *block) {
    if (!at->apart) return;
    mat3 arm = mat3_hat(mat3_mul_vec(&m->R[at->node], at->h.p)), f = mat3_hat(force);
    mat3 both = mat3_mul(&f, &arm);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) block[6 * i + k] += both.m[i][k];
}

static void add_segment_tangent(const job *j, const segment *s, const element *e, const law *l,
                                const element_ends *ends) {
    const bool moving = j->at->c0 > 0.0;
    double K[144], D[144], x[36];
    element_tangent(e, l->wrench, l->stiffness, l->damping, K, moving ? D : NULL);
    following f[4];
    int n = follow_end(j, &s->a, 0, f);
    n += follow_end(j, &s->b, 6, f + n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            if (f[i].node >= j->c->n_free || f[k].node >= j->c->n_free) continue;
            int block =
                n == 2 ? s->block[2 * i + k] : block_at(&j->c->pattern, f[i].node, f[k].node);
            columns_of(K, D, f[i].end, f[k].end, &f[k], moving, x);
            add_rows(&f[i], x, j->m->a + (size_t)block * BLOCK);
        }
    if (s->a.node < j->c->n_free)
        add_arm(j->m, &s->a, ends->a.l, j->m->a + (size_t)s->a.node * BLOCK);
    if (s->b.node < j->c->n_free)
        add_arm(j->m, &s->b, ends->b.l, j->m->a + (size_t)s->b.node * BLOCK);
}

static void add_segment(const job *j, const segment *s) {
    const net_memory *m = j->m;
    end_motion a = end_of(&s->a, j->x, m->R), b = end_of(&s->b, j->x, m->R);
    element e = element_make(&a, &b, j->c->printed);
    law l = law_of(j, s, &e);
    element_ends ends = element_pull(&e, l.wrench);
    arrive(j->m, &s->a, j->m->r, ends.a);
    arrive(j->m, &s->b, j->m->r, ends.b);
    if (j->tangent) add_segment_tangent(j, s, &e, &l, &ends);
}

void assemble_material(const net *c, net_memory *m, const node_state *x) {
    const situation at = {0};
    const job j = {c, m, &at, x, NULL, true};
    memset(m->a, 0, sizeof(double) * BLOCK * (size_t)blocks_of(&c->pattern));
    for (int i = 0; i < c->n_nodes; i++) m->R[i] = quat_to_mat3(x[i].q);
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &m->segments[i];
        end_motion a = end_of(&s->a, x, m->R), b = end_of(&s->b, x, m->R);
        element e = element_make(&a, &b, c->printed);
        law l = {.wrench = vec6_zero()};
        element_ends none = {vec6_zero(), vec6_zero()};
        law_stiffness(&s->law, (const double[6]){0.0}, l.stiffness);
        for (int k = 0; k < 36; k++) l.stiffness[k] /= s->length;
        add_segment_tangent(&j, s, &e, &l, &none);
    }
}

// ---------------------------------------------------------------- nodes
static void add_node(const job *j, int i, vec3 gravity) {
    net_memory *m = j->m;
    const node_state *before = j->at->before ? &j->at->before[i] : &j->x[i];
    const double c0 = j->at->c0;
    vec6 w = inertial_wrench(&m->lumps[i], &m->R[i], &j->x[i], before, c0, gravity);
    arrive(m, &(place){.node = i}, m->r, w);
    if (j->tangent && i < j->c->n_free)
        add_inertial_tangent(&m->lumps[i], &m->R[i], &j->x[i], before, c0, gravity,
                             m->a + (size_t)i * BLOCK);
}

// Against the velocity in the node's axes, linear and by its square, each axis for itself.
static void add_drag(const job *j, int i) {
    const node_drag *d = &j->c->drags[i];
    net_memory *m = j->m;
    const mat3 *R = &m->R[i];
    vec3 v = mat3_tmul_vec(R, j->x[i].v), size = {fabs(v.x), fabs(v.y), fabs(v.z)};
    vec3 by_size = vec3_mul(d->square, size), f = vec3_mul(vec3_add(d->linear, by_size), v);
    vec3 force = mat3_mul_vec(R, f), slope = vec3_madd(d->linear, 2.0, by_size);
    arrive(m, &(place){.node = i}, m->r, (vec6){vec3_zero(), force});
    m->lost += vec3_dot(f, v);
    if (!j->tangent || i >= j->c->n_free) return;
    double *block = m->a + (size_t)i * BLOCK;
    for (int k = 0; k < 3; k++) {
        vec3 unit = {k == 0, k == 1, k == 2}, local = mat3_tmul_vec(R, unit);
        vec3 by_turn = mat3_mul_vec(R, vec3_mul(slope, vec3_cross(v, local)));
        vec3 turn = vec3_add(by_turn, vec3_cross(unit, force));
        vec3 shift = vec3_scale(mat3_mul_vec(R, vec3_mul(slope, local)), j->at->c0);
        const double rows[2][3] = {{turn.x, turn.y, turn.z}, {shift.x, shift.y, shift.z}};
        for (int r = 0; r < 3; r++) {
            block[6 * (3 + r) + k] += rows[0][r];
            block[6 * (3 + r) + 3 + k] += rows[1][r];
        }
    }
}

// A load that follows turns with its node, and so does the arm that any load has there.
static void add_load_tangent(const job *j, const node_load *load, vec6 w) {
    double *block = j->m->a + (size_t)load->at.node * BLOCK;
    if (load->frame == TD_FRAME_BODY) {
        vec3 arm = mat3_mul_vec(&j->m->R[load->at.node], load->at.h.p);
        if (load->at.apart) w.a = vec3_add(w.a, vec3_cross(arm, w.l));
        mat3 turn[2] = {mat3_hat(w.a), mat3_hat(w.l)};  // - th x w
        for (int part = 0; part < 2; part++)
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) block[6 * (3 * part + i) + k] += turn[part].m[i][k];
    } else {
        add_arm(j->m, &load->at, vec3_neg(w.l), block);
    }
}

static void add_load(const job *j, const node_load *load) {
    const double *inputs = j->at->inputs, share = load->share * j->at->share;
    net_memory *m = j->m;
    const int node = load->at.node;
    end_motion end = end_of(&load->at, j->x, m->R);
    vec6 w = {vec3_scale(numbers_at(load->moment, inputs), share),
              vec3_scale(numbers_at(load->force, inputs), share)};
    if (load->frame == TD_FRAME_BODY)
        w = (vec6){mat3_mul_vec(&end.R, w.a), mat3_mul_vec(&end.R, w.l)};
    arrive(m, &load->at, m->r, vec6_neg(w));
    m->given_power += vec3_dot(w.l, end.v) + vec3_dot(w.a, end.w);
    if (j->tangent && node < j->c->n_free) add_load_tangent(j, load, w);
}

// What the world does by moving the nodes that it holds.
static void add_held_power(const job *j) {
    net_memory *m = j->m;
    for (int i = j->c->n_free; i < j->c->n_nodes; i++) {
        vec6 w = vec6_load(m->r + 6 * i);
        m->given_power +=
            vec3_dot(w.a, mat3_mul_vec(&m->R[i], j->x[i].w)) + vec3_dot(w.l, j->x[i].v);
    }
}

bool is_rigid_string(const net *c, int i) {
    const actuator *a = &c->actuators[i];
    return c->unknown[i] >= 0 && a->pulls_only && a->yield == 0.0;
}

// What does not stretch passes on what its drive does, also where it snaps taut.
static void add_string_power(const job *j, int i) {
    if (j->at->within && is_rigid_string(j->c, i))
        j->m->given_power +=
            j->efforts[i] * number_rate(j->c->actuators[i].value, j->at->within->given_rates);
}

static void balance_efforts(const job *j) {
    const net *c = j->c;
    net_memory *m = j->m;
    m->slack = 0;
    for (int i = 0; i < c->n_actuators; i++) {
        int k = c->unknown[i];
        if (k < 0) continue;
        balance b = actuator_balance(&c->actuators[i], m->given[i], j->efforts[i], m->measures[i]);
        m->gap[k] = b.residual;
        m->by_effort[k] = b.by_effort;
        m->by_measure[k] = b.by_measure;
        m->slack += b.slack;
        add_string_power(j, i);
    }
}

static void clear(const net *c, net_memory *m, bool tangent) {
    const size_t rows = 6 * (size_t)c->n_nodes;
    memset(m->r, 0, sizeof(double) * rows);
    if (c->n_actuators) memset(m->measures, 0, sizeof(double) * (size_t)c->n_actuators);
    m->lost = m->given_power = 0.0;
    if (!tangent) return;
    memset(m->a, 0, sizeof(double) * BLOCK * (size_t)blocks_of(&c->pattern));
    if (c->n_unknown) memset(m->slopes, 0, sizeof(double) * rows * (size_t)c->n_unknown);
}

// W, of a gravity that changes while the nodes are where they are.
static void add_weight_power(const job *j) {
    net_memory *m = j->m;
    if (!j->at->within) return;
    const vec3 change = number_rates_at(j->c->gravity, j->at->within->given_rates);
    for (int i = 0; i < j->c->n_nodes; i++) {
        const lump *b = &m->lumps[i];
        vec3 moment = vec3_madd(mat3_mul_vec(&m->R[i], b->moment), b->mass, j->x[i].p);
        m->given_power -= vec3_dot(change, moment);
    }
}

static void add_nodes(const job *j) {
    const net *c = j->c;
    const vec3 gravity = gravity_at(c, j->at->inputs, j->at->share);
    for (int i = 0; i < c->n_nodes; i++) {
        add_node(j, i, gravity);
        add_drag(j, i);
    }
    for (int i = 0; i < c->n_loads; i++) add_load(j, &c->loads[i]);
    add_weight_power(j);
}

void assemble_nodes(const net *c, net_memory *m, const situation *at, const node_state *x) {
    const job j = {c, m, at, x, NULL, false};
    clear(c, m, false);
    for (int i = 0; i < c->n_nodes; i++) m->R[i] = quat_to_mat3(x[i].q);
    add_nodes(&j);
}

element_ends segment_pull(const net *c, net_memory *m, const segment *s) {
    const job j = {c, m, NULL, m->nodes, m->efforts, false};
    const end_motion a = end_at(&s->a, m->nodes), b = end_at(&s->b, m->nodes);
    const element e = element_make(&a, &b, c->printed);
    return element_pull(&e, law_of(&j, s, &e).wrench);
}

void assemble(const net *c, net_memory *m, const situation *at, const node_state *x,
              const double *efforts, bool tangent) {
    const job j = {c, m, at, x, efforts, tangent};
    clear(c, m, tangent);
    for (int i = 0; i < c->n_nodes; i++) m->R[i] = quat_to_mat3(x[i].q);
    for (int i = 0; i < c->n_segments; i++) add_segment(&j, &m->segments[i]);
    add_nodes(&j);
    add_pivots(c, m, x, tangent);
    add_held_power(&j);
    balance_efforts(&j);
}
