// model/lumped/statics.c - equilibria: Newton's method, directly or along growing loads.
//
// Corrections come in absolute coordinates. Along an open rod they are taken as changes of the
// strains, from which its shape is built anew: a slender rod then bends without being stretched on
// the way, and Newton's method takes long steps.
#include <string.h>

#include "model/lumped/equilibrium.h"

#define MOST_TURN 1.0  // rad, of what the world holds, from one shape to the next

typedef struct solve {
    equilibrium e;
    situation at;
    bool energy;  // its second variation tells of stability; otherwise the sign of a determinant
} solve;

// ---------------------------------------------------------------- corrections
static vec6 motion_at(const net *c, const net_memory *m, const place *at) {
    if (at->node >= c->n_free) return vec6_zero();
    return vec6_load(m->y + 6 * at->node);
}

// Nodes of an open rod from its strains; m->R still holds the frames before.
static void bend_rod(const net *c, net_memory *m, const net_rod *r, double share) {
    const segment *s = &c->segments[r->first];
    node_state *x = m->nodes;
    se3 at = {m->R[s->a.node], x[s->a.node].p};
    end_motion a = end_of(&s->a, x, m->R);
    for (int i = 0; i < r->n; i++, s++) {
        const int node = s->b.node;
        end_motion b = end_of(&s->b, x, m->R);
        element e = element_make(&a, &b, c->printed);
        vec6 change = element_strain_by(&e, motion_at(c, m, &s->a), motion_at(c, m, &s->b));
        at = element_across(&at, vec3_madd(e.phi, share, change.a),
                            vec3_madd(e.eps, share, change.l), c->printed);
        x[node].p = at.p;
        x[node].q = quat_from_mat3(&at.R);
        a = b;
    }
}

static void apply(const net *c, net_memory *m, double share) {
    for (int i = 0; i < c->n_actuators; i++)
        if (c->unknown[i] >= 0) m->efforts[i] += share * m->gap[c->unknown[i]];
    for (int i = 0; i < c->n_rods; i++) {
        const net_rod *r = &c->rods[i];
        if (r->open) bend_rod(c, m, r, share);
        for (int k = r->first; k < r->first + r->n && !r->open; k++) {
            const place *b = &c->segments[k].b;
            if (b->apart || b->node >= c->n_free) continue;
            double dz[6];
            vec6_store(dz, vec6_scale(motion_at(c, m, b), share));
            turn_and_shift(&m->nodes[b->node], dz);
        }
    }
}

static void apply_bodies(const net *c, net_memory *m, double share) {
    for (int i = 0; i < c->n_free; i++) {
        if (i < c->first_body && !c->only_turns[i]) continue;
        double dz[6];
        vec6_store(dz, vec6_scale(vec6_load(m->y + 6 * i), share));
        turn_and_shift(&m->nodes[i], dz);
    }
}

static bool factor(solve *s) {
    const net *c = s->e.c;
    net_memory *m = s->e.m;
    if (!s->energy) {
        if (!factor_system(c, m)) return false;
        const int sign = c->n_multipliers % 2 ? -1 : 1;  // each adds a negative eigenvalue
        s->e.unstable = sign * blocks_sign(&c->pattern, m->a, m->pivot) < 0;
        return true;
    }
    int negative = factor_and_judge(c, m);
    s->e.unstable = negative > 0;
    return negative >= 0;
}

static double correct(equilibrium *e, double longest) {
    solve *s = (solve *)e;
    const net *c = e->c;
    net_memory *m = e->m;
    assemble(c, m, &s->at, m->nodes, m->efforts, true);
    e->call->stats->evaluations++;
    e->call->stats->jacobians++;
    if (!factor(s)) return HUGE_VAL;
    solve_system(c, m);
    double size = correction_size(c, m->y);
    if (!isfinite(size)) return HUGE_VAL;
    double share = size > longest ? longest / size : 1.0;
    apply(c, m, share);
    apply_bodies(c, m, share);
    return size;
}

// ---------------------------------------------------------------- paths
static void put_together(equilibrium *e) {
    place_nodes(e->c, e->call->inputs, e->m->nodes);
    for (int i = 0; i < e->c->n_actuators; i++) e->m->efforts[i] = 0.0;
}

static void hold(equilibrium *e, double share) {
    solve *s = (solve *)e;
    s->at.share = share;
    hold_nodes(e->c, e->m, &s->at, e->m->nodes);
}

static void keep(equilibrium *e) {
    net_memory *m = e->m;
    memcpy(m->before, m->nodes, sizeof(node_state) * (size_t)e->c->n_nodes);
    if (e->c->n_actuators)
        memcpy(m->trial_efforts, m->efforts, sizeof(double) * (size_t)e->c->n_actuators);
}

static void put_back(equilibrium *e) {
    net_memory *m = e->m;
    memcpy(m->nodes, m->before, sizeof(node_state) * (size_t)e->c->n_nodes);
    if (e->c->n_actuators)
        memcpy(m->efforts, m->trial_efforts, sizeof(double) * (size_t)e->c->n_actuators);
}

static td_status settle(equilibrium *e) {
    const net *c = e->c;
    net_memory *m = e->m;
    assemble(c, m, &((solve *)e)->at, m->nodes, m->efforts, false);
    for (int i = 0; i < c->n_actuators; i++)
        if (c->unknown[i] < 0) m->efforts[i] = m->given[i];
    return check_turns(c, m, e->call);
}

td_status net_statics(const void *compiled, void *memory, const model_call *call) {
    const net *c = compiled;
    net_memory *m = memory;
    solve s = {.e = {.c = c,
                     .m = m,
                     .call = call,
                     .anew = turn_between(c, call->inputs_before, call->inputs) > MOST_TURN,
                     .begin = put_together,
                     .hold = hold,
                     .correct = correct,
                     .keep = keep,
                     .put_back = put_back,
                     .settle = settle},
               .at = {.inputs = call->inputs, .share = 1.0},
               .energy = !lacks_energy(c, call->inputs)};
    for (int i = 0; i < c->n_nodes; i++) m->nodes[i].v = m->nodes[i].w = vec3_zero();
    return find_equilibrium(&s.e);
}
