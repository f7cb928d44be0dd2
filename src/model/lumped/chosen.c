// model/lumped/chosen.c - steps chosen by tolerance: the lumped models as y' = f(t, y) for
// SUNDIALS.
//
// y holds the motion, of the free nodes (p, q, v, w) or of the coordinates (q, rates), then the
// energies dissipated and given since the start of the step. Each step begins anew from what is
// kept.
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/chains.h"
#include "model/lumped/relative.h"
#include "model/lumped/sdirk.h"

#define N_SUMS 2
#define PER_NODE 13

double effort_at(const actuator *a, double given, double measure) {
    if (a->control == CONTROL_GAS) return given * a->gas_energy / measure - a->atmosphere;
    const double effort = a->sign * (measure - actuator_asked(a, given)) / a->yield;
    return a->pulls_only ? fmax(0.0, effort) : effort;
}

bool chosen_needed(const void *compiled) {
    return ((const net *)compiled)->options.integration.method != TD_STEPS_FIXED;
}

static situation situation_in(net_memory *m, double t) {
    step_inputs_at(&m->within, t);
    m->call->stats->evaluations++;
    return (situation){m->within.given, &m->within, 1.0, 1.0, m->before};
}

// Held nodes in m->trial, and m->before such that c0 = 1 gives their accelerations, and none to the
// others: what is asked for is then what the velocities ask for.
static void hold_within(const net *c, net_memory *m, const situation *at) {
    hold_nodes(c, m, at, m->trial);
    memcpy(m->before, m->trial, sizeof(node_state) * (size_t)c->n_free);
    hold_before(c, at, m->trial, m->before);
}

// ---------------------------------------------------------------- absolute states
static void load_nodes(const net *c, const double *y, node_state *x) {
    for (int i = 0; i < c->n_free; i++, y += PER_NODE)
        x[i] = (node_state){vec3_load(y), quat_load(y + 3), vec3_load(y + 7), vec3_load(y + 10)};
}

static void store_nodes(const net *c, const node_state *x, double *y) {
    for (int i = 0; i < c->n_free; i++, y += PER_NODE) {
        vec3_store(y, x[i].p);
        quat_store(y + 3, x[i].q);
        vec3_store(y + 7, x[i].v);
        vec3_store(y + 10, x[i].w);
    }
}

// What gives way decides the efforts, then all forces follow.
static void assemble_freely(const net *c, net_memory *m, const situation *at) {
    for (int i = 0; i < c->n_actuators && c->n_unknown; i++) m->trial_efforts[i] = 0.0;
    assemble(c, m, at, m->trial, m->trial_efforts, false);
    if (c->n_unknown == 0) return;
    for (int i = 0; i < c->n_actuators; i++)
        if (c->unknown[i] >= 0)
            m->trial_efforts[i] = effort_at(&c->actuators[i], m->given[i], m->measures[i]);
    assemble(c, m, at, m->trial, m->trial_efforts, false);
}

// J w' + c x a = moment, m a + w' x c = force, all in the node's axes. False: no inertia.
static bool accelerate(const lump *b, vec3 moment, vec3 force, vec3 *w_t, vec3 *a) {
    if (!(b->mass > 0.0)) return false;
    vec3 centre = vec3_scale(b->moment, 1.0 / b->mass);
    mat3 hat = mat3_hat(centre), square = mat3_mul(&hat, &hat);
    mat3 shift = mat3_scale(&square, b->mass), J = mat3_add(&b->inertia, &shift), inverse;
    if (!mat3_inverse(&J, &inverse)) return false;
    *w_t = mat3_mul_vec(&inverse, vec3_sub(moment, vec3_cross(centre, force)));
    *a = vec3_sub(vec3_scale(force, 1.0 / b->mass), vec3_cross(*w_t, centre));
    return true;
}

// From what is out of balance there: w' in its axes, v' in the world.
static bool accelerate_node(const net_memory *m, int i, vec3 *w_t, vec3 *v_t) {
    const mat3 *R = &m->R[i];
    vec3 moment = vec3_neg(mat3_tmul_vec(R, vec3_load(m->r + 6 * i))), a;
    vec3 force = vec3_neg(mat3_tmul_vec(R, vec3_load(m->r + 6 * i + 3)));
    if (!accelerate(&m->lumps[i], moment, force, w_t, &a)) return false;
    *v_t = mat3_mul_vec(R, a);
    return vec3_is_finite(*w_t) && vec3_is_finite(a);
}

static bool net_rates(void *context, double t, const double *y, double *y_t) {
    net_memory *m = context;
    const net *c = m->of;
    situation at = situation_in(m, t);
    load_nodes(c, y, m->trial);
    hold_within(c, m, &at);
    integrator_spend(&m->outside, 600.0 * c->n_nodes);
    assemble_freely(c, m, &at);
    for (int i = 0; i < c->n_free; i++, y_t += PER_NODE) {
        const node_state *x = &m->trial[i];
        vec3 w_t, v_t;
        if (!accelerate_node(m, i, &w_t, &v_t)) return false;
        vec3_store(y_t, x->v);
        quat_store(y_t + 3, quat_rate(x->q, x->w));
        vec3_store(y_t + 7, v_t);
        vec3_store(y_t + 10, w_t);
    }
    y_t[0] = m->lost;
    y_t[1] = m->given_power;
    return true;
}

static void net_finish(net_memory *m, const double *y) {
    const net *c = m->of;
    situation at = situation_in(m, m->within.dt);
    load_nodes(c, y, m->trial);
    for (int i = 0; i < c->n_free; i++) m->trial[i].q = quat_normalise(m->trial[i].q);
    hold_within(c, m, &at);
    assemble_freely(c, m, &at);
    for (int i = 0; i < c->n_free; i++) {
        vec3 w_t = vec3_zero(), v_t = vec3_zero();
        accelerate_node(m, i, &w_t, &v_t);
        m->before[i].w = vec3_sub(m->trial[i].w, w_t);
        m->before[i].v = vec3_sub(m->trial[i].v, v_t);
    }
    keep_rates(c, m, m->trial, m->before, 1.0);
    memcpy(m->nodes, m->trial, sizeof(node_state) * (size_t)c->n_nodes);
    for (int i = 0; i < c->n_actuators; i++)
        m->efforts[i] = c->unknown[i] < 0 ? m->given[i] : m->trial_efforts[i];
}

// Nodes answer to their neighbours. Efforts that follow from what stretches join all nodes.
static int band_of(const net *c) {
    int most = 0;
    if (c->n_unknown > 0) return 0;
    for (int i = 0; i < c->n_segments; i++) {
        const int a = c->segments[i].a.node, b = c->segments[i].b.node, gap = a < b ? b - a : a - b;
        if (a < c->n_free && b < c->n_free && gap > most) most = gap;
    }
    const int band = PER_NODE * (most + 1) - 1;
    return 4 * band < PER_NODE * c->n_free ? band : 0;
}

bool net_attach(const void *compiled, void *memory) {
    const net *c = compiled;
    const td_integration_options *o = &c->options.integration;
    net_memory *m = memory;
    m->of = c;
    return integrator_make(&m->outside, PER_NODE * c->n_free + N_SUMS, N_SUMS, band_of(c),
                           o->method == TD_STEPS_EXPLICIT, o->relative, o->absolute, net_rates, m);
}

void net_detach(void *memory) {
    integrator_free(&((net_memory *)memory)->outside);
}

// ---------------------------------------------------------------- relative states
static void set_accelerations(const net *c, relative_memory *m, int k, double value) {
    for (int i = 0; i < c->n_rods; i++)
        if (k < PER * c->rods[i].n) m->accelerations[PER * c->rods[i].first + k] = value;
}

static void store_mass(const net *c, relative_memory *m, int k) {
    double *M = m->jacobian;
    for (int i = 0; i < c->n_rods; i++) {
        const int n = PER * c->rods[i].n, first = PER * c->rods[i].first;
        for (int row = 0; row < n && k < n; row++)
            M[row * n + k] = m->residual[first + row] - m->side[first + row];
        M += n * n;
    }
}

// The mass matrix of each rod, from what unit accelerations ask for, in all rods at once; what is
// asked for without any stays in m->side.
static void find_mass(const net *c, relative_memory *m, const situation *at, const double *q,
                      const double *rates) {
    const size_t bytes = sizeof(double) * PER * (size_t)c->n_segments;
    int most = 0;
    for (int i = 0; i < c->n_rods; i++) most = c->rods[i].n > most ? c->rods[i].n : most;
    memset(m->accelerations, 0, bytes);
    ask_forces(c, m, at, q, rates, m->accelerations);
    memcpy(m->side, m->residual, bytes);
    for (int k = 0; k < PER * most; k++) {
        set_accelerations(c, m, k, 1.0);
        ask_forces(c, m, at, q, rates, m->accelerations);
        set_accelerations(c, m, k, 0.0);
        store_mass(c, m, k);
    }
}

static bool solve_accelerations(const net *c, relative_memory *m, double *out) {
    double *M = m->jacobian;
    for (int i = 0; i < c->n_rods; i++) {
        const int n = PER * c->rods[i].n, first = PER * c->rods[i].first;
        integrator_spend(&m->net.outside, 90.0 * n * n);  // the mass matrix by columns
        for (int k = 0; k < n; k++) out[first + k] = -m->side[first + k];
        if (!lu_factor(n, M, m->pivot + first)) return false;
        lu_solve(n, M, m->pivot + first, out + first);
        M += n * n;
    }
    return true;
}

static bool relative_rates(void *context, double t, const double *y, double *y_t) {
    relative_memory *m = context;
    const net *c = m->net.of;
    const int n = PER * c->n_segments;
    situation at = situation_in(&m->net, t);
    hold_within(c, &m->net, &at);
    memcpy(y_t, y + n, sizeof(double) * (size_t)n);
    find_mass(c, m, &at, y, y + n);
    if (!solve_accelerations(c, m, y_t + n)) return false;
    ask_forces(c, m, &at, y, y + n, y_t + n);  // for its powers
    y_t[2 * n] = m->net.lost;
    y_t[2 * n + 1] = m->net.given_power;
    return isfinite(y_t[n]);
}

bool relative_attach(const void *compiled, void *memory) {
    const net *c = compiled;
    const td_integration_options *o = &c->options.integration;
    relative_memory *m = memory;
    m->net.of = c;
    return integrator_make(&m->net.outside, 2 * PER * c->n_segments + N_SUMS, N_SUMS, 0,
                           o->method == TD_STEPS_EXPLICIT, o->relative, o->absolute, relative_rates,
                           m);
}

static void relative_finish(relative_memory *m, const double *y) {
    const net *c = m->net.of;
    const size_t bytes = sizeof(double) * PER * (size_t)c->n_segments;
    memcpy(m->q, y, bytes);
    memcpy(m->rates, y + PER * c->n_segments, bytes);
    situation at = situation_in(&m->net, m->net.within.dt);
    hold_within(c, &m->net, &at);
    find_mass(c, m, &at, m->q, m->rates);
    if (solve_accelerations(c, m, m->star_rates)) {
        ask_forces(c, m, &at, m->q, m->rates, m->star_rates);
        keep_rates(c, &m->net, m->net.trial, m->shadow, 1.0);
    }
    at.c0 = 0.0;
    keep_nodes(c, m, &at);
}

// ---------------------------------------------------------------- a step
static bool is_relative(const net_memory *m) {
    return m->outside.rates == relative_rates;
}

td_status chosen_step(const net *c, net_memory *m, const model_call *call, double dt, bool fresh) {
    double *y = integrator_vector(&m->outside), *sums = y + m->outside.n - N_SUMS;
    const int n = PER * c->n_segments;
    m->call = call;
    follow_stretch(c, m);
    if (is_relative(m)) {
        const relative_memory *r = (const relative_memory *)m;
        memcpy(y, r->q, sizeof(double) * (size_t)n);
        memcpy(y + n, r->rates, sizeof(double) * (size_t)n);
    } else {
        store_nodes(c, m->nodes, y);
    }
    sums[0] = sums[1] = 0.0;
    const double first = fmin(fresh ? 0.0 : m->sums->inner_step, dt);
    integrator_report report = integrator_advance(&m->outside, dt, first, call->interrupt);
    call->stats->iterations += report.steps;
    if (report.end != INTEGRATOR_ARRIVED) return refuse_chosen_step(&m->outside, &report, dt, call);
    m->sums->dissipated += sums[0];
    m->sums->work += sums[1];
    m->sums->inner_step = report.last;
    if (is_relative(m)) relative_finish((relative_memory *)m, y);
    else net_finish(m, y);
    return finish_step(c, m, call);
}
