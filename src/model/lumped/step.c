// model/lumped/step.c - a step of eba. Quaternions too are added as four numbers, which turns by
// the Cayley map, exactly solved for. Nothing is kept between steps but the motion. Forces of
// unknown size hold their equations at the end of each stage.
#include <string.h>

#include "model/lumped/sdirk.h"

typedef struct mover {
    stepper s;
    situation at;   // of the present stage
    node_state *x;  // its nodes
} mover;

// ---------------------------------------------------------------- stages
// The node that moves with v and w since `from`, over 1/c0.
static void arrive(node_state *x, const node_state *from, double c0) {
    vec3 half = vec3_scale(x->w, 0.5 / c0);
    double n = 1.0 / (1.0 + vec3_dot(half, half));
    quat q = quat_mul(from->q, quat_make(1.0, half));
    x->p = vec3_madd(from->p, 1.0 / c0, x->v);
    x->q = (quat){n * q.w, n * q.x, n * q.y, n * q.z};
}

// The correction (th, dp) of a node as one of its velocities: dw = (c0 + w^/2 + w w'/(4 c0)) R'th.
static void correct_node(node_state *x, const node_state *from, const mat3 *R, const double *dz,
                         double c0) {
    vec3 th = mat3_tmul_vec(R, vec3_load(dz)), w = x->w;
    x->w = vec3_add(vec3_madd(w, c0, th), vec3_scale(vec3_cross(w, th), 0.5));
    x->w = vec3_madd(x->w, 0.25 / c0 * vec3_dot(w, th), w);
    x->v = vec3_madd(x->v, c0, vec3_load(dz + 3));
    arrive(x, from, c0);
}

static double correct(stepper *s, bool renew) {
    const net *c = s->c;
    net_memory *m = s->m;
    const situation *at = &((mover *)s)->at;
    node_state *x = ((mover *)s)->x;
    s->call->stats->evaluations++;
    assemble(c, m, at, x, m->trial_efforts, renew);
    if (renew && !factor_system(c, m)) return HUGE_VAL;
    solve_system(c, m);
    for (int i = 0; i < c->n_free; i++)
        correct_node(&x[i], &at->before[i], &m->R[i], m->y + 6 * i, at->c0);
    for (int i = 0; i < c->n_actuators; i++)
        if (c->unknown[i] >= 0) m->trial_efforts[i] += m->gap[c->unknown[i]];
    return correction_size(c, m->y);
}

// ---------------------------------------------------------------- a part of the step
static node_state star(const node_state *y0, const node_state *y1) {
    const double k = TO_STAR;
    node_state out;
    out.p = vec3_madd(y0->p, k, vec3_sub(y1->p, y0->p));
    out.v = vec3_madd(y0->v, k, vec3_sub(y1->v, y0->v));
    out.w = vec3_madd(y0->w, k, vec3_sub(y1->w, y0->w));
    out.q = (quat){y0->q.w + k * (y1->q.w - y0->q.w), y0->q.x + k * (y1->q.x - y0->q.x),
                   y0->q.y + k * (y1->q.y - y0->q.y), y0->q.z + k * (y1->q.z - y0->q.z)};
    return out;
}

// A stage that ends at time t, from the guess of velocities in x. Powers and slack tendons are
// those before the last correction, which is within the tolerance.
static bool stage(stepper *s, double t, double c0, node_state *x) {
    mover *move = (mover *)s;
    move->at = stage_at(s, t, c0, s->m->before);
    move->x = x;
    for (int i = 0; i < s->c->n_free; i++) arrive(&x[i], &s->m->before[i], c0);
    hold_nodes(s->c, s->m, &move->at, x);
    hold_before(s->c, &move->at, x, s->m->before);
    return run_stage(s);
}

static void sum_powers(const net_memory *m, double weight, kept_sums *sums) {
    sums->dissipated += weight * m->lost;
    sums->work += weight * m->given_power;
}

// Where the second stage sets out, and its velocities as if the rate stayed.
static void set_out(const net *c, net_memory *m) {
    for (int i = 0; i < c->n_free; i++) {
        const node_state *y0 = &m->nodes[i], *y1 = &m->first[i];
        node_state *x = &m->trial[i];
        *x = m->before[i] = star(y0, y1);
        x->v = vec3_add(x->v, vec3_sub(y1->v, y0->v));
        x->w = vec3_add(x->w, vec3_sub(y1->w, y0->w));
    }
}

// The end of the last stage becomes the state.
static void arrived(const net *c, net_memory *m, double c0) {
    keep_rates(c, m, m->trial, m->before, c0);
    for (int i = 0; i < c->n_nodes; i++) {
        m->nodes[i] = m->trial[i];
        m->nodes[i].q = quat_normalise(m->trial[i].q);
    }
    for (int i = 0; i < c->n_actuators; i++)
        m->efforts[i] = c->unknown[i] < 0 ? m->given[i] : m->trial_efforts[i];
}

static void begin_part(const net *c, net_memory *m, node_state *x) {
    const size_t bytes = sizeof(node_state) * (size_t)c->n_nodes;
    if (c->n_actuators)
        memcpy(m->trial_efforts, m->efforts, sizeof(double) * (size_t)c->n_actuators);
    memcpy(x, m->nodes, bytes);
    memcpy(m->before, m->nodes, bytes);
}

// Is a string that does not stretch taut now and was slack before, or the other way round?
static bool has_snapped(const net *c, const net_memory *m) {
    for (int i = 0; i < c->n_actuators; i++) {
        const actuator *a = &c->actuators[i];
        const double least = 1e-12 * a->rest;
        if (!is_rigid_string(c, i)) continue;
        if ((a->slack_scale * m->efforts[i] > least) !=
            (a->slack_scale * m->trial_efforts[i] > least))
            return true;
    }
    return false;
}

// An impact: velocities jump. The second stage, which sets out beyond the first, would throw the rod
// back with 1.4 times its velocity; backward Euler stops it. The energy that is gone then is
// dissipated.
static bool impact_part(stepper *s, double t, double h) {
    const net *c = s->c;
    net_memory *m = s->m;
    step_inputs_at(&m->within, t);
    const double had = net_own_energy(c, m, m->within.given);
    begin_part(c, m, m->trial);
    s->fresh_matrix = false;
    if (!stage(s, t + h, 1.0 / h, m->trial)) return false;
    s->fresh_matrix = false;
    const double given = h * m->given_power;
    arrived(c, m, 1.0 / h);
    m->sums->work += given;
    m->sums->dissipated += had + given - net_own_energy(c, m, m->within.given);
    return true;
}

static bool step_part(stepper *s, double t, double h) {
    const net *c = s->c;
    net_memory *m = s->m;
    const double c0 = 1.0 / (GAMMA * h);
    kept_sums sums = *m->sums;
    begin_part(c, m, m->first);
    if (!stage(s, t + GAMMA * h, c0, m->first)) return false;
    if (has_snapped(c, m)) return impact_part(s, t, h);
    sum_powers(m, (1.0 - GAMMA) * h, &sums);
    set_out(c, m);
    if (!stage(s, t + h, c0, m->trial)) return false;
    if (has_snapped(c, m)) return impact_part(s, t, h);
    sum_powers(m, GAMMA * h, &sums);
    arrived(c, m, c0);
    *m->sums = sums;
    return true;
}

td_status net_step(const void *compiled, void *memory, const model_call *call, double dt,
                   bool fresh) {
    const net *c = compiled;
    net_memory *m = memory;
    inputs_begin(c, m, call, dt, fresh);
    if (chosen_needed(c)) return chosen_step(c, m, call, dt, fresh);
    mover move = {.s = {c, m, call, dt, .part = step_part, .correct = correct}};
    return take_step(&move.s);
}
