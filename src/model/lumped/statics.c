// model/lumped/statics.c - equilibria: Newton's method, directly or along growing loads.
//
// Corrections come in absolute coordinates. Along an open rod they are taken as changes of the
// strains, from which its shape is built anew: a slender rod then bends without being stretched on
// the way, and Newton's method takes long steps.
#include <stdio.h>
#include <string.h>

#include "model/lumped/net.h"

#define LONGEST 0.5          // rad, or rod lengths, that a correction may move a node by
#define SMALLEST_SHARE 1e-4  // of the load that is added
#define FEW 25               // corrections, before a smaller share is tried
#define LOOSE 1e-6           // a last correction that is still an answer

typedef struct solve {
    const net *c;
    net_memory *m;
    const model_call *call;
    situation at;
    int sign;  // of the determinant at the last correction
    double last;
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
    end_motion a = end_of(&s->a, &x[s->a.node], &m->R[s->a.node]);
    for (int i = 0; i < r->n; i++, s++) {
        const int node = s->b.node;
        end_motion b = end_of(&s->b, &x[node], &m->R[node]);
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
    for (int i = c->first_body; i < c->n_free; i++) {
        double dz[6];
        vec6_store(dz, vec6_scale(vec6_load(m->y + 6 * i), share));
        turn_and_shift(&m->nodes[i], dz);
    }
}

// One correction; its size. Not finite: there is none.
static double correct(solve *s, bool *shortened) {
    const net *c = s->c;
    net_memory *m = s->m;
    assemble(c, m, &s->at, m->nodes, m->efforts, true);
    s->call->stats->evaluations++;
    s->call->stats->jacobians++;
    s->call->stats->iterations++;
    if (!factor_system(c, m)) return HUGE_VAL;
    s->sign = blocks_sign(&c->pattern, m->a, m->pivot);
    solve_system(c, m);
    double size = correction_size(c, m->y);
    if (!isfinite(size)) return HUGE_VAL;
    double share = size > LONGEST ? LONGEST / size : 1.0;
    *shortened = share < 1.0;
    apply(c, m, share);
    apply_bodies(c, m, share);
    return size;
}

// Newton's method at one load; `careful`: no correction may be shortened.
static bool solve_at(solve *s, bool careful) {
    const double tolerance = s->c->options.tolerance;
    double before = HUGE_VAL;
    const int most = s->c->options.max_iterations < FEW ? s->c->options.max_iterations : FEW;
    hold_nodes(s->c, s->m, &s->at, s->m->nodes);
    for (int i = 0; i < most; i++) {
        bool shortened = false;
        double size = correct(s, &shortened);
        if (!isfinite(size) || (careful && shortened)) return false;
        s->last = size;
        if (size <= tolerance) return true;
        if (size <= LOOSE && size > 0.5 * before) return true;  // rounding has the last word
        before = size;
    }
    return false;
}

// ---------------------------------------------------------------- paths
static void put_together(const net *c, net_memory *m, const double *inputs) {
    place_nodes(c, inputs, m->nodes);
    for (int i = 0; i < c->n_actuators; i++) m->efforts[i] = 0.0;
}

static void keep(const net *c, net_memory *m) {
    memcpy(m->before, m->nodes, sizeof(node_state) * (size_t)c->n_nodes);
    if (c->n_actuators)
        memcpy(m->trial_efforts, m->efforts, sizeof(double) * (size_t)c->n_actuators);
}

static void put_back(const net *c, net_memory *m) {
    memcpy(m->nodes, m->before, sizeof(node_state) * (size_t)c->n_nodes);
    if (c->n_actuators)
        memcpy(m->efforts, m->trial_efforts, sizeof(double) * (size_t)c->n_actuators);
}

static void move_to(solve *s, double share, const double *inputs) {
    s->at.share = share;
    s->at.inputs = inputs;
}

// From the robot put together without loads to all of them.
static td_status follow_loads(solve *s) {
    const net *c = s->c;
    net_memory *m = s->m;
    double done = 0.0, step = 1.0;
    put_together(c, m, s->call->inputs);
    move_to(s, 0.0, s->call->inputs);
    if (!solve_at(s, false)) {
        snprintf(s->call->message, MODEL_MESSAGE_SIZE,
                 "the robot cannot be put together: no equilibrium without loads was found");
        return TD_ERR_NOT_CONVERGED;
    }
    const int sign = s->sign;
    while (done < 1.0) {
        double next = fmin(1.0, done + step);
        keep(c, m);
        move_to(s, next, s->call->inputs);
        s->call->stats->load_steps++;
        if (solve_at(s, false)) {
            done = next;
            step *= 2.0;
            if (s->sign != sign && s->call->stats->bifurcation == 0.0)
                s->call->stats->bifurcation = done;
            continue;
        }
        put_back(c, m);
        step *= 0.25;
        if (step < SMALLEST_SHARE) break;
    }
    s->call->stats->load_reached = done;
    if (done >= 1.0) return TD_OK;
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "no equilibrium found beyond %.4g %% of the loads: beyond that it may have none, or "
             "jump to another; more segments or smaller loads may help",
             100.0 * done);
    return TD_ERR_NOT_CONVERGED;
}

static void be_still(const net *c, net_memory *m) {
    for (int i = 0; i < c->n_nodes; i++) m->nodes[i].v = m->nodes[i].w = vec3_zero();
}

static void finish(solve *s) {
    const net *c = s->c;
    net_memory *m = s->m;
    assemble(c, m, &s->at, m->nodes, m->efforts, false);
    for (int i = 0; i < c->n_actuators; i++)
        if (c->unknown[i] < 0) m->efforts[i] = m->given[i];
    s->call->stats->slack = m->slack;
    s->call->stats->residual = s->last;
    *m->sums = (kept_sums){.stored = stored_energy(c, m, m->given)};
}

td_status net_statics(const void *compiled, void *memory, const model_call *call) {
    const net *c = compiled;
    net_memory *m = memory;
    solve s = {.c = c, .m = m, .call = call};
    call->stats->load_reached = 1.0;
    be_still(c, m);
    move_to(&s, 1.0, call->inputs);
    double change = 1.0;
    stretch_sections(c, m);
    for (int round = 0; round < MOST_ROUNDS && change > SAME_STRETCH; round++) {
        td_status status = TD_OK;
        if (!solve_at(&s, true) || s.sign < 0) {
            call->stats->fallbacks++;
            status = follow_loads(&s);
        }
        if (!status) status = check_turns(c, m, call->message);
        if (status < 0) return status;
        change = stretch_sections(c, m);
    }
    finish(&s);
    if (call->stats->bifurcation > 0.0) {
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "the equilibrium lost its stability at %.4g %% of the loads",
                 100.0 * call->stats->bifurcation);
        return TD_BIFURCATION;
    }
    return s.last <= fmax(c->options.tolerance, 1e-9) ? TD_OK : TD_LOOSE;
}
