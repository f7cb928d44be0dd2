// model/lumped/step.c - one step in time: SDIRK2, two implicit stages, L-stable, of order 2.
//
// y1 = y0 + g h f(y1),  y2 = y0 + (1 - g) h f(y1) + g h f(y2),  g = 1 - 1/sqrt(2). Each stage is
// y = y* + f(y)/c0 with c0 = 1/(g h): quaternions too are added as four numbers, which turns by the
// Cayley map, exactly solved for. Nothing is kept between steps but the motion. Forces of unknown
// size hold their equations at the end of each stage. A step whose Newton iteration fails is taken
// in parts.
#include <stdio.h>
#include <string.h>

#include "model/lumped/net.h"

#define GAMMA 0.29289321881345248  // 1 - 1/sqrt(2)
#define MOST_CORRECTIONS 12        // of one stage
#define MOST_SHARES 64             // of a step
#define SLOW 0.1                   // contraction from where the matrix is renewed

typedef struct mover {
    const net *c;
    net_memory *m;
    const model_call *call;
    const double *before, *after;  // inputs
    double dt;                     // the whole step
    double from;                   // of it, where the present part begins
    bool fresh;                    // velocities of held nodes jump to what the rates say
    bool fresh_matrix;
} mover;

// ---------------------------------------------------------------- stages
static void inputs_at(const mover *s, double t) {
    const double x = t / s->dt;
    for (int i = 0; i < s->c->n_inputs; i++) {
        s->m->inputs[i] = (1.0 - x) * s->before[i] + x * s->after[i];
        s->m->rates[i] = s->call->rates[i];
    }
}

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

static bool renew(mover *s, const situation *at, const node_state *x) {
    assemble(s->c, s->m, at, x, s->m->trial_efforts, true);
    s->call->stats->jacobians++;
    s->fresh_matrix = true;
    return factor_system(s->c, s->m);
}

static void take(const mover *s, const situation *at, node_state *x) {
    const net *c = s->c;
    solve_system(c, s->m);
    for (int i = 0; i < c->n_free; i++)
        correct_node(&x[i], &at->before[i], &s->m->R[i], s->m->y + 6 * i, at->c0);
    for (int i = 0; i < c->n_actuators; i++)
        if (c->unknown[i] >= 0) s->m->trial_efforts[i] += s->m->gap[c->unknown[i]];
}

// From the guess in x to the solution of a stage.
static bool solve_stage(mover *s, const situation *at, node_state *x) {
    const double tolerance = fmax(s->c->options.tolerance, 1e-13);
    double last = HUGE_VAL;
    bool renewed = s->fresh_matrix;
    for (int i = 0; i < MOST_CORRECTIONS; i++) {
        s->call->stats->evaluations++;
        if (renewed || i > 0 || !s->fresh_matrix) s->call->stats->iterations++;
        if (!s->fresh_matrix) {
            if (!renew(s, at, x)) return false;
        } else {
            assemble(s->c, s->m, at, x, s->m->trial_efforts, false);
        }
        take(s, at, x);
        double size = correction_size(s->c, s->m->y);
        if (!isfinite(size)) return false;
        s->call->stats->residual = size;
        if (size <= tolerance) return true;
        double contraction = size / last;
        // what is left after this correction shrinks by the same factor
        if (i > 0 && contraction < 0.5 && size * contraction / (1.0 - contraction) <= tolerance)
            return true;
        if (i > 0 && size <= 1e-9 && contraction > 0.5) return true;  // rounding
        if (i > 0 && contraction > SLOW) s->fresh_matrix = false;
        last = size;
    }
    return false;
}

// ---------------------------------------------------------------- a part of the step
static node_state star(const node_state *y0, const node_state *y1) {
    const double k = (1.0 - GAMMA) / GAMMA;
    node_state out;
    out.p = vec3_madd(y0->p, k, vec3_sub(y1->p, y0->p));
    out.v = vec3_madd(y0->v, k, vec3_sub(y1->v, y0->v));
    out.w = vec3_madd(y0->w, k, vec3_sub(y1->w, y0->w));
    out.q = (quat){y0->q.w + k * (y1->q.w - y0->q.w), y0->q.x + k * (y1->q.x - y0->q.x),
                   y0->q.y + k * (y1->q.y - y0->q.y), y0->q.z + k * (y1->q.z - y0->q.z)};
    return out;
}

static void sum_powers(const mover *s, double h, double weight, kept_sums *sums) {
    sums->dissipated += weight * h * s->m->lost;
    sums->work += weight * h * s->m->given_power;
}

static situation stage_at(const mover *s, double t, double c0, const node_state *before) {
    inputs_at(s, t);
    const double ahead = s->fresh ? 0.0 : (s->dt - t) / (s->dt - s->from);
    return (situation){s->m->inputs, s->m->rates, 1.0, c0, before, ahead};
}

static bool first_stage(mover *s, double t, double h, kept_sums *sums) {
    net_memory *m = s->m;
    const double c0 = 1.0 / (GAMMA * h);
    situation at = stage_at(s, t + GAMMA * h, c0, m->nodes);
    memcpy(m->first, m->nodes, sizeof(node_state) * (size_t)s->c->n_nodes);
    for (int i = 0; i < s->c->n_free; i++) arrive(&m->first[i], &m->nodes[i], c0);
    hold_nodes(s->c, m, &at, m->first);
    if (!solve_stage(s, &at, m->first)) return false;
    assemble(s->c, m, &at, m->first, m->trial_efforts, false);
    sum_powers(s, h, 1.0 - GAMMA, sums);
    return true;
}

static bool second_stage(mover *s, double t, double h, kept_sums *sums) {
    net_memory *m = s->m;
    const double c0 = 1.0 / (GAMMA * h);
    for (int i = 0; i < s->c->n_nodes; i++) m->before[i] = star(&m->nodes[i], &m->first[i]);
    situation at = stage_at(s, t + h, c0, m->before);
    for (int i = 0; i < s->c->n_nodes; i++) {
        const node_state *y0 = &m->nodes[i], *y1 = &m->first[i];
        node_state *x = &m->trial[i];
        *x = m->before[i];
        x->v = vec3_add(x->v, vec3_sub(y1->v, y0->v));  // as if the rate stayed
        x->w = vec3_add(x->w, vec3_sub(y1->w, y0->w));
        arrive(x, &m->before[i], c0);
    }
    hold_nodes(s->c, m, &at, m->trial);
    if (!solve_stage(s, &at, m->trial)) return false;
    assemble(s->c, m, &at, m->trial, m->trial_efforts, false);
    sum_powers(s, h, GAMMA, sums);
    return true;
}

static bool step_part(mover *s, double t, double h) {
    const net *c = s->c;
    net_memory *m = s->m;
    kept_sums sums = *m->sums;
    stretch_sections(c, m);
    if (c->n_actuators)
        memcpy(m->trial_efforts, m->efforts, sizeof(double) * (size_t)c->n_actuators);
    s->from = t;
    s->fresh_matrix = false;
    if (!first_stage(s, t, h, &sums) || !second_stage(s, t, h, &sums)) return false;
    for (int i = 0; i < c->n_nodes; i++) {
        m->nodes[i] = m->trial[i];
        m->nodes[i].q = quat_normalise(m->trial[i].q);
    }
    for (int i = 0; i < c->n_actuators; i++)
        m->efforts[i] = c->unknown[i] < 0 ? m->given[i] : m->trial_efforts[i];
    *m->sums = sums;
    return true;
}

// ---------------------------------------------------------------- the step
// What actuators store comes from their drives, and with a body comes its energy.
static void close_sums(const mover *s) {
    double stored = stored_energy(s->c, s->m, s->m->given);
    s->m->sums->work += stored - s->m->sums->stored;
    s->m->sums->stored = stored;
}

static td_status refuse(const mover *s, double t) {
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "Newton's method did not converge %.3g s into the step of %.3g s, also in %d parts "
             "(last correction %.2g rad): a shorter step may do",
             t, s->dt, MOST_SHARES, s->call->stats->residual);
    return TD_ERR_NOT_CONVERGED;
}

td_status net_step(const void *compiled, void *memory, const model_call *call, double dt,
                   bool fresh) {
    const net *c = compiled;
    net_memory *m = memory;
    if (fresh) bring_bodies(c, m, call);
    if (chosen_needed(c)) return chosen_step(c, m, call, dt, fresh);
    mover s = {.c = c, .m = m, .call = call, .dt = dt, .fresh = fresh};
    s.before = fresh ? call->inputs : call->inputs_before;
    s.after = call->inputs;
    const double least = dt / MOST_SHARES;
    double t = 0.0, h = dt;
    while (t < dt * (1.0 - 1e-9)) {
        h = fmin(h, dt - t);
        if (step_part(&s, t, h)) {
            t += h;
            h *= 2.0;
            continue;
        }
        call->stats->fallbacks++;
        if (h <= least * 1.001) return refuse(&s, t);
        h = fmax(0.25 * h, least);
    }
    close_sums(&s);
    call->stats->slack = m->slack;
    return check_turns(c, m, call->message);
}
