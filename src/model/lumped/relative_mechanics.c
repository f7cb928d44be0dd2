// model/lumped/relative_mechanics.c - rods in relative states: coordinates of their segments, on the blocks of the same net in absolute ones.
#include <stdio.h>

#include "model/lumped/relative.h"

// ---------------------------------------------------------------- evaluations
static net_job load(net_memory *m, const solve_instant *at, const configuration *x) {
    begin_load(m, at, x);
    move_rods((relative_memory *)m, x);
    const net_job j = job_of(m, at, x);
    find_frames(&j);
    for (int i = 0; i < j.c->n_segments; i++) find_crossing(&j, i);
    return j;
}

// Of the segments; what they leave in forces is garbage.
static bool add_tangents(const net_job *j, const configuration *x) {
    relative_memory *m = (relative_memory *)j->m;
    clear_matrix(j);
    find_follow(j);
    for (int i = 0; i < j->c->n_segments; i++)
        if (!invert_crossing(&m->crossings[i])) return false;
    for (int i = 0; i < j->c->n_segments && (j->w->q != 0.0 || j->w->v != 0.0); i++)
        add_joint_tangent(j, x, i);
    return true;
}

// What the world does by moving the base of a rod, where its first segment pulls.
static void add_base_power(const net_job *j, const configuration *x, int i) {
    const int node = j->c->segments[i].a.node;
    const node_state *base = &j->x[node];
    if (node < j->c->n_free) return;
    crossing cross = ((relative_memory *)j->m)->crossings[i];
    if (!invert_crossing(&cross)) return;
    const vec6 w =
        vec6_add(vec6_load(j->m->r + 6 * node),
                 near_pull(&cross, wrench_of(j, i, x->q + PER * i, x->v + PER * i).wrench));
    j->m->given_power += vec3_dot(w.l, base->v) + vec3_dot(w.a, quat_rotate(base->q, base->w));
}

static void from_nodes(net_memory *m) {
    to_forces((relative_memory *)m, m->r, m->balance);
}

static void evaluate(const net_job *j, const configuration *x) {
    const net *c = j->c;
    relative_memory *m = (relative_memory *)j->m;
    clear_forces(j);
    find_measures(m, x->q);
    for (int i = 0; i < c->n_actuators; i++)
        if (j->at->soft && c->unknown[i] >= 0) m->net.trial_efforts[i] = effort_at(j, i);
    add_nodes(j);
    from_nodes(j->m);
    for (int i = 0; i < c->n_rods && j->moves; i++) add_base_power(j, x, c->rods[i].first);
    add_wrenches(j, x);
    for (int i = 0; i < c->n_actuators; i++) balance_effort(j, i);
}

static bool add_material(const net_job *j) {
    relative_memory *m = (relative_memory *)j->m;
    clear_matrix(j);
    for (int i = 0; i < j->c->n_segments; i++) {
        const segment *s = &m->net.segments[i];
        double C[36];
        law_stiffness(&s->law, NULL, (const double[6]){0.0}, C);
        if (!invert_crossing(&m->crossings[i])) return false;
        add_joint_stiffness(j, i, j->w->own / s->length, C);
    }
    return true;
}

static bool tangent(void *of, const solve_instant *at, const configuration *x,
                    const tangent_weights *w, double *matrix, double *r, double *powers) {
    relative_memory *m = of;
    net_job j = load(of, at, x);
    j.w = w;
    j.to = net_matrix_at(m->net.of, matrix);
    *relative_by_twists(m->net.of, matrix) = w->q == 0.0 && w->own == 0.0;
    if (w->own != 0.0) return w->q == 0.0 && w->v == 0.0 && w->a == 0.0 && !r && add_material(&j);
    if (!add_tangents(&j, x)) return false;
    evaluate(&j, x);
    net_give(&j, r, powers);
    return true;
}

// ---------------------------------------------------------------- what follows, what jumps
static void rest(void *of, const solve_instant *at, double *q) {
    const net *c = ((const net_memory *)of)->of;
    (void)at;
    for (int i = 0; i < PER * c->n_segments; i++)
        q[i] = c->segments[i / PER].rest[i % PER] * c->segments[i / PER].length;
    for (int i = 0; i < c->n_rods; i++) {
        const net_rod *r = &c->rods[i];
        if (!r->floats) continue;
        vec3_store(q + root_point(c, r), r->start.p);
        quat_store(q + root_point(c, r) + 3, quat_from_mat3(&r->start.R));
    }
}

// ---------------------------------------------------------------- the manifold
// Coordinates of segments are numbers, free bases are frames.
static void retract(void *of, const double *from, double scale, const double *dz, double *to) {
    const net *c = ((const net_memory *)of)->of;
    const int n = PER * c->n_segments;
    for (int k = 0; k < n; k++) to[k] = from[k] + scale * dz[k];
    for (int i = 0; i < c->n_roots; i++)
        screw_shift(from + n + 7 * i, scale, dz + n + 6 * i, to + n + 7 * i);
}

static void advance(void *of, const double *from, double h, const double *v, double *to) {
    const net *c = ((const net_memory *)of)->of;
    const int n = PER * c->n_segments;
    for (int k = 0; k < n; k++) to[k] = from[k] + h * v[k];
    for (int i = 0; i < c->n_roots; i++)
        screw_advance(from + n + 7 * i, h, v + n + 6 * i, to + n + 7 * i);
}

static void rate_change(void *of, const double *q, const double *v, double cv, const double *dz,
                        double *dv) {
    const net *c = ((const net_memory *)of)->of;
    const int n = PER * c->n_segments;
    for (int k = 0; k < n; k++) dv[k] = cv * dz[k];
    for (int i = 0; i < c->n_roots; i++)
        screw_rate_change(q + n + 7 * i, v + n + 6 * i, cv, dz + n + 6 * i, dv + n + 6 * i);
}

static void flow(void *of, const double *q, const double *v, double *x_t) {
    const net *c = ((const net_memory *)of)->of;
    const int n = PER * c->n_segments;
    copy_doubles(n, x_t, v);
    for (int i = 0; i < c->n_roots; i++) screw_flow(q + n + 7 * i, v + n + 6 * i, x_t + n + 7 * i);
}

static double begin(void *of, const solve_instant *at, bool fresh) {
    net_memory *m = of;
    if (fresh) {
        hold_nodes(m->of, m, at);
        keep_velocities(of);
    }
    return net_begin(of, at, fresh);
}

// ---------------------------------------------------------------- a part
static void to_nodes(const net_memory *m, const double *dq, double *z) {
    to_motions((const relative_memory *)m, dq, z);
}

static const net_states states = {load, evaluate, to_nodes, from_nodes};

void use_relative_states(relative_memory *m) {
    m->net.states = &states;
    m->net.balance = m->residual;
}

static const mechanics relative_mechanics = {NET_MECHANICS,
                                             .tangent = tangent,
                                             .retract = retract,
                                             .advance = advance,
                                             .flow = flow,
                                             .rate_change = rate_change,
                                             .rest = rest,
                                             .begin = begin,
                                             .slopes = relative_slopes,
                                             .strains = relative_strains};

solve_part relative_part(const void *compiled, void *memory, int index) {
    const net *c = compiled;
    relative_memory *m = memory;
    (void)index;
    if (m) net_use(c, &m->net);
    solve_part p = {.how = &relative_mechanics,
                    .of = m,
                    .linear = &relative_linear,
                    .name = c->rods[0].name,
                    .n_x = PER * c->n_segments + 7 * c->n_roots,
                    .n_q = PER * c->n_segments + 6 * c->n_roots,
                    .n_l = c->n_border,
                    .n_matrix = (int)net_matrix_size(c) + 1,
                    .unit = c->unit,
                    .n_frames = c->n_roots,
                    .twists = true,
                    .n_slopes = relative_slopes_size(c),
                    .n_kept = net_n_kept(c),
                    .n_shape = net_n_shape(c),
                    .rubs_itself = pairs_rub(&c->contacts),
                    .n_stretches = c->follows ? c->n_rods : 0,
                    .stretches = m ? m->net.stretches : NULL,
                    .m = m ? &m->net.solve : NULL};
    p.n_relaxing = net_n_relaxing(c, &p.n_flows);
    touch_part(&c->touch, m ? &m->net.touch : NULL, &p);
    if (c->contacts.n) touch_kinks(&p);
    return p;
}

// Of a free base.
static coordinate_words root_words(const net *c, int k) {
    int rod = 0;
    while (c->rods[rod].root != k / 6) rod++;
    return base_words(rod, k % 6);
}

coordinate_words relative_coordinate(const void *compiled, int part, int k) {
    const net *c = compiled;
    const bool angles = c->joints == JOINT_EULER || c->joints == JOINT_EULER_PRINTED;
    if (k >= PER * c->n_segments) return root_words(c, k - PER * c->n_segments);
    const segment *s = &c->segments[k / PER];
    const int i = k % PER;
    coordinate_words out = {.rod = s->rod, .body = -1, .unit = i < 3 ? "rad" : "m"};
    (void)part;
    snprintf(out.what, sizeof out.what, "segment%d.%s_%c", k / PER - c->rods[s->rod].first + 1,
             i >= 3   ? "extent"
             : angles ? "angle"
                      : "rotation",
             "xyz"[i % 3]);
    return out;
}
