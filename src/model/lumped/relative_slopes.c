// model/lumped/relative_slopes.c - mass, damping and stiffness of rods in relative states: chains of their nodes, what
// segments answer to their own coordinates, and the border of unknown efforts.
#include <string.h>

#include "model/lumped/relative.h"

// ---------------------------------------------------------------- nodes
// What nodes ask for, in m->r, and how that answers: blocks of three matrices.
static void find_nodes(net_job j, double *const matrices[3]) {
    static const tangent_weights weights[3] = {{.q = 1.0}, {.v = 1.0}, {.a = 1.0}};
    for (int i = 0; i < 3; i++) {
        j.w = &weights[i];
        j.by_velocity = i > 0;
        j.to = net_matrix_at(j.c, matrices[i]);
        clear_matrix(&j);
        clear_forces(&j);
        find_follow(&j);
        add_nodes(&j);
    }
    for (int i = 0; i < j.c->n_free; i++)
        turn_own_block(j.c, j.m, i, matrices[0], matrices[1], matrices[2]);
}

static void put_node(const net_memory *m, int node, double *const matrices[3], chain_link *l) {
    double *const to[3] = {l->by_motion, l->by_velocity, l->by_rate};
    for (int i = 0; i < 3; i++) memcpy(to[i], matrices[i] + node * BLOCK, sizeof(double) * BLOCK);
    l->wrench = vec6_load(m->r + 6 * node);
}

// ---------------------------------------------------------------- segments
static void add_block(const double *C, double factor, int n, double *to) {
    for (int i = 0; i < PER; i++)
        for (int k = 0; k < PER; k++) to[i * n + k] += factor * C[PER * i + k];
}

// Of the wrench of its coordinates: see wrench_of.
static void add_segment_slopes(const net_job *j, const configuration *x, int i, int n, double *K,
                               double *D) {
    const segment *s = &j->m->segments[i];
    const double part = 1.0 / s->length;
    const vec6 strain = vec6_scale(vec6_load(x->q + PER * i), part);
    double own[6], rate[6], stiffness[36], viscosity[36];
    less_rest(s, strain, own);
    vec6_store(rate, vec6_scale(vec6_load(x->v + PER * i), part));
    const law_past past = segment_past(j->m, s);
    law_stiffness(&s->law, &past, own, stiffness);
    law_viscosity(&s->law, rate, viscosity);
    for (int k = s->first_port; k < s->first_port + s->n_ports; k++) {
        const port *p = &j->m->ports[k];
        const actuator *a = &j->c->actuators[p->actuator];
        const density d = actuator_density(a, &p->at, strain.a, strain.l);
        density_add_curvature(a, &p->at, &d, a->sign * p->swell * effort_of(j, p->actuator),
                              stiffness);
    }
    add_block(stiffness, part, n, K + PER * i * (n + 1));
    add_block(viscosity, part, n, D + PER * i * (n + 1));
}

// ---------------------------------------------------------------- unknown efforts
// Rows and columns of the effort of a port: what it works on, and what its measure counts.
static void add_port(const net_job *j, const configuration *x, int i, const port *p, int n,
                     double *K) {
    const segment *s = &j->m->segments[i];
    const actuator *a = &j->c->actuators[p->actuator];
    const int unknown = j->c->unknown[p->actuator], at = 6 * j->c->n_free + unknown;
    if (unknown < 0) return;
    const net_memory *m = j->m;
    const vec6 strain = vec6_scale(vec6_load(x->q + PER * i), 1.0 / s->length);
    const balance b = actuator_balance(a, supply_of(j, p->actuator), j->efforts[p->actuator],
                                       m->measures[p->actuator]);
    double work[6], counted[6];
    vec6_store(work, actuator_density(a, &p->at, strain.a, strain.l).slope);
    vec6_store(counted, actuator_counted(a, &p->at, strain.a, strain.l).slope);
    for (int k = 0; k < PER; k++) {
        K[(PER * i + k) * n + at] += a->sign * p->swell * work[k];
        K[at * n + PER * i + k] += b.by_measure * p->swell * counted[k];
    }
    K[at * n + at] = b.by_effort;
}

// ---------------------------------------------------------------- parts that touch one another
// r (6 n_nodes) = the blocks beside the diagonal, times y
static void multiply_couplings(const block_pattern *p, const double *a, const double *y,
                               double *r) {
    const double *above = a + p->n * BLOCK, *below = above + p->n_couplings * BLOCK;
    for (int k = 0; k < p->n; k++)
        for (int i = p->first[k]; i < p->first[k + 1]; i++) {
            const int other = p->other[i];
            for (int row = 0; row < 6; row++)
                for (int c = 0; c < 6; c++) {
                    r[6 * k + row] += above[i * BLOCK + 6 * row + c] * y[6 * other + c];
                    r[6 * other + row] += below[i * BLOCK + 6 * row + c] * y[6 * k + c];
                }
        }
}

// Nodes answer to one another: with y = W dq of the nodes, K += W'C W.
static void add_couplings(relative_memory *m, const double *a, int n, double *K) {
    const net *c = m->net.of;
    const int n_q = 6 * c->n_free;
    const size_t rows = sizeof(double) * 6 * (size_t)c->n_nodes;
    double *dq = m->side, *y = m->net.y, *r = m->net.r, *Q = m->residual;
    memset(dq, 0, sizeof(double) * (size_t)n_q);
    for (int k = 0; k < n_q; k++) {
        dq[k] = 1.0;
        memset(y, 0, rows);
        memset(r, 0, rows);
        to_motions(m, dq, y);
        multiply_couplings(&c->pattern, a, y, r);
        to_forces(m, r, Q);
        for (int i = 0; i < n_q; i++) K[i * n + k] += Q[i];
        dq[k] = 0.0;
    }
}

// ---------------------------------------------------------------- all of it
static size_t links_size(const net *c) {
    return (sizeof(chain_link) / sizeof(double) + 1) * (size_t)c->n_free;
}

size_t relative_slopes_size(const net *c) {
    return 3 * net_matrix_size(c) + links_size(c) + 6 * (size_t)c->n_free;
}

static chain_motion motion_of(const net_memory *m, int node) {
    const node_state *x = &m->trial[node];
    const node_rates *t = &m->trial_rates[node];
    const mat3 R = m->R[node];
    return (chain_motion){R, x->p, mat3_mul_vec(&R, x->w), x->v, mat3_mul_vec(&R, t->w), t->v};
}

// A rod from its base to its tip; the first link is that of its base, where it is free. Returns how many.
static int put_links(const net_job *j, const configuration *x, const net_rod *r,
                     double *const matrices[3], chain_link *links) {
    relative_memory *m = (relative_memory *)j->m;
    const net *c = j->c;
    joint_question question = {m, x->a};
    int n = 0;
    if (r->floats) {
        const chain_motion root = motion_of(&m->net, root_node(c, r));
        chain_free(&root, root_place(c, r), &links[n]);
        put_node(&m->net, root_node(c, r), matrices, &links[n++]);
    }
    for (int i = r->first; i < r->first + r->n; i++) {
        const segment *s = &m->net.segments[i];
        const vec3 w = mat3_mul_vec(&m->net.R[s->a.node], m->net.trial[s->a.node].w);
        chain_find(cross_joint, &question, i, PER, x->q + PER * i, x->v + PER * i, w,
                   c->unit + PER * i, &links[n]);
        links[n].first = n == 0;
        put_node(&m->net, s->b.node, matrices, &links[n++]);
    }
    return n;
}

bool relative_slopes(void *of, const solve_instant *at, const configuration *x, double *K,
                     double *D, double *M, double *scratch) {
    relative_memory *m = of;
    const net *c = m->net.of;
    const int n = 6 * c->n_free + c->n_border;
    int n_links = 0;
    const size_t size = net_matrix_size(c), whole = sizeof(double) * (size_t)n * (size_t)n;
    double *const matrices[3] = {scratch, scratch + size, scratch + 2 * size};
    chain_link *links = (chain_link *)(void *)(scratch + 3 * size);
    double *still = scratch + 3 * size + links_size(c);
    const configuration moving = {x->q, x->l, x->v ? x->v : still, x->a ? x->a : still};
    memset(still, 0, sizeof(double) * 6 * (size_t)c->n_free);
    memset(K, 0, whole), memset(D, 0, whole), memset(M, 0, whole);
    const net_job j = m->net.states->load(&m->net, at, &moving);
    find_nodes(j, matrices);
    find_measures(m, x->q);
    for (int i = 0; i < c->n_rods; i++)
        n_links += put_links(&j, &moving, &c->rods[i], matrices, links + n_links);
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &m->net.segments[i];
        add_segment_slopes(&j, &moving, i, n, K, D);
        for (int k = s->first_port; k < s->first_port + s->n_ports; k++)
            add_port(&j, x, i, &m->net.ports[k], n, K);
    }
    chain_slopes(links, n_links, PER, n, K, D, M);
    if (c->contacts.n) add_couplings(m, matrices[0], n, K);
    return true;
}
