// model/lumped/pairs.c - parts of a net that touch one another: see model/pairs.h.
#include "model/lumped/net.h"

typedef struct net_shape {
    const net *c;
    const node_state *x;
} net_shape;

static part_end end_of_capsule(const void *of, int i, int end) {
    const net_shape *s = of;
    const end_motion e = end_at(&s->c->capsules[2 * i + end], s->x);
    return (part_end){e.R, e.p, e.w, e.v};
}

#define SHAPE(name, nodes)                                                                         \
    const net_shape name##_nodes = {c, nodes};                                                     \
    const pair_shape name = {end_of_capsule, &name##_nodes}

void net_pairs_begin(const net *c, net_memory *m) {
    SHAPE(now, m->nodes);
    pairs_begin(&c->contacts, &m->pairs, &now);
}

td_status net_pairs_fit(const net *c, net_memory *m, bool moves, bool taken, char *message) {
    SHAPE(now, m->trial);
    return pairs_fit(&c->contacts, &m->pairs, &now, moves, taken, message);
}

void keep_pairs(const net *c, net_memory *m, shape_origin from) {
    SHAPE(now, m->trial);
    SHAPE(before, m->nodes);
    pairs_keep(&c->contacts, &m->pairs, &now, &before, from);
}

double net_pairs_energy(const net *c, net_memory *m, const node_state *x) {
    SHAPE(now, x);
    SHAPE(before, m->nodes);
    return pairs_energy(&c->contacts, &m->pairs, &now, x == m->nodes ? NULL : &before);
}

void net_pairs_visit(const net *c, net_memory *m, contact_visit *visit, void *context) {
    SHAPE(now, m->nodes);
    pairs_visit(&c->contacts, &m->pairs, &now, visit, context);
}

void net_pairs_sample(const net *c, net_memory *m, int rod, double s, td_sample *out) {
    SHAPE(now, m->nodes);
    pairs_sample(&c->contacts, &m->pairs, &now, rod, s, out);
}

// ---------------------------------------------------------------- forces
static const place *place_of(const net *c, const meeting *x, int end) {
    return &c->capsules[2 * (end < END_B0 ? x->i : x->k) + end % 2];
}

// How a node moves an end: by its turn, and by its place at the end of an arm.
typedef struct handle {
    int node, end;
    bool turns, shifts;
    vec3 arm;
} handle;

static int handles_of(const net_job *j, const meeting *x, handle out[2 * PAIR_ENDS]) {
    int n = 0;
    for (int e = 0; e < PAIR_ENDS; e++) {
        const place *at = place_of(j->c, x, e);
        const vec3 arm = at->apart ? mat3_mul_vec(&j->m->R[at->node], at->h.p) : vec3_zero();
        if (at->node < j->c->n_free) out[n++] = (handle){at->node, e, at->turner == 0, true, arm};
        if (at->turner && at->turner <= j->c->n_free)
            out[n++] = (handle){at->turner - 1, e, true, false, vec3_zero()};
    }
    return n;
}

// The motion of an end as its node moves in direction d of (turn, shift).
static vec6 moved_by(const handle *h, int d) {
    double z[6] = {0.0};
    z[d] = 1.0;
    const vec3 th = vec3_load(z), shift = vec3_add(vec3_load(z + 3), vec3_cross(th, h->arm));
    return (vec6){h->turns ? th : vec3_zero(), h->shifts ? shift : vec3_zero()};
}

// A wrench on an end as one on its node.
static vec6 on_node(const handle *h, vec6 w) {
    const vec3 own = h->turns ? w.a : vec3_zero();
    if (!h->shifts) return (vec6){own, vec3_zero()};
    return (vec6){vec3_add(own, vec3_cross(h->arm, w.l)), w.l};
}

static void add_column(const net_job *j, const handle *row, const handle *column, int d, vec6 w) {
    double *block = j->to.a + (size_t)block_at(&j->c->pattern, row->node, column->node) * BLOCK;
    double out[6];
    vec6_store(out, on_node(row, w));
    for (int i = 0; i < 6; i++) block[6 * i + d] -= j->w->q * out[i];
}

static void add_pair_tangent(const net_job *j, const meeting *x) {
    handle handles[2 * PAIR_ENDS];
    const int n = handles_of(j, x, handles);
    vec6 change[PAIR_ENDS];
    for (int i = 0; i < n; i++)
        for (int d = 0; d < (handles[i].shifts ? 6 : 3); d++) {
            pair_slope(&x->law, &x->x, &x->c, (pair_end)handles[i].end, moved_by(&handles[i], d),
                       change);
            for (int k = 0; k < n; k++)
                add_column(j, &handles[k], &handles[i], d, change[handles[k].end]);
        }
}

void add_part_contacts(const net_job *j) {
    const net *c = j->c;
    net_memory *m = j->m;
    meeting x;
    vec6 w[PAIR_ENDS];
    SHAPE(now, j->x);
    SHAPE(before, m->nodes);
    pairs_find(&c->contacts, &m->pairs, &now);
    for (int i = 0; i < m->pairs.n; i++) {
        const pair_shape *from = j->x == m->nodes ? NULL : &before;
        if (!pairs_meet(&c->contacts, &m->pairs, &now, from, j->moves, i, &x)) continue;
        pair_wrenches(&x.c, w);
        for (int e = 0; e < PAIR_ENDS; e++) put_wrench(j, place_of(c, &x, e), w[e], NULL);
        if (j->w && j->w->q != 0.0) add_pair_tangent(j, &x);
        if (j->moves && x.law.friction > 0.0) m->lost += pairs_lost(&x);
    }
}
