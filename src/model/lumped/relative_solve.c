// model/lumped/relative_solve.c - equilibria and steps in relative coordinates.
//
// Both solve "what the motion asks for is 0" by Newton's method; rods do not meet, so their matrices
// are dense blocks of their own, made by differences in all rods at once. A step is SDIRK2 as in
// step.c, with the rates as unknowns: q = q* + rates/c0, accelerations = c0 (rates - rates*).
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/lumped/relative.h"

#define GAMMA 0.29289321881345248  // 1 - 1/sqrt(2)
#define LONGEST 0.5                // rad, by which a correction may turn a segment
#define FEW 25                     // corrections before a smaller share of the load is tried
#define SMALLEST_SHARE 1e-4
#define LOOSE 1e-6           // a last correction that is still an answer
#define MOST_CORRECTIONS 12  // of one stage
#define MOST_SHARES 64       // of a step
#define SLOW 0.1             // contraction from where the matrices are renewed

typedef struct solver {
    const net *c;
    relative_memory *m;
    const model_call *call;
    situation at;
    const double *star, *star_rates;  // of a stage; NULL: statics
    int sign;
    double last;
    bool fresh_matrix;
} solver;

static size_t size_of(const net *c) {
    return sizeof(double) * PER * (size_t)c->n_segments;
}

// How far coordinate k of a segment turns it, or shifts it by its length.
static double scale_of(const net *c, int k) {
    return k % PER < 3 ? 1.0 : c->segments[k / PER].length;
}

// ---------------------------------------------------------------- residual and matrices
// x: coordinates in statics, rates in a stage.
static void residual(const solver *s, const double *x) {
    const net *c = s->c;
    relative_memory *m = s->m;
    s->call->stats->evaluations++;
    if (!s->star) {
        ask_forces(c, m, &s->at, x, NULL, NULL);
        return;
    }
    const double c0 = s->at.c0;
    for (int i = 0; i < PER * c->n_segments; i++) {
        m->trial[i] = s->star[i] + x[i] / c0;
        m->accelerations[i] = c0 * (x[i] - s->star_rates[i]);
    }
    ask_forces(c, m, &s->at, m->trial, x, m->accelerations);
}

// Coordinate k of every rod moved by e.
static void nudge(const net *c, double *x, int k, double e, bool back) {
    for (int i = 0; i < c->n_rods; i++) {
        const net_rod *r = &c->rods[i];
        if (k >= PER * r->n) continue;
        int at = PER * r->first + k;
        x[at] += (back ? -e : e) * scale_of(c, at);
    }
}

static void store_columns(const solver *s, int k, double e) {
    const net *c = s->c;
    const relative_memory *m = s->m;
    double *J = m->jacobian;
    for (int i = 0; i < c->n_rods; i++) {
        const net_rod *r = &c->rods[i];
        const int n = PER * r->n, first = PER * r->first;
        if (k < n)
            for (int row = 0; row < n; row++)
                J[row * n + k] = (m->residual[first + row] - m->side[first + row]) /
                                 (2.0 * e * scale_of(c, first + k));
        J += n * n;
    }
}

// By central differences.
static void difference(solver *s, double *x) {
    const net *c = s->c;
    relative_memory *m = s->m;
    const double e = s->star ? 1e-5 * s->at.c0 : 1e-5;
    int most = 0;
    for (int i = 0; i < c->n_rods; i++) most = c->rods[i].n > most ? c->rods[i].n : most;
    for (int k = 0; k < PER * most; k++) {
        nudge(c, x, k, e, true);
        residual(s, x);
        memcpy(m->side, m->residual, size_of(c));
        nudge(c, x, k, 2.0 * e, false);
        residual(s, x);
        nudge(c, x, k, e, true);
        store_columns(s, k, e);
    }
    s->call->stats->jacobians++;
}

bool relative_factor(const net *c, const relative_memory *m) {
    double *J = m->jacobian;
    for (int i = 0; i < c->n_rods; i++) {
        const int n = PER * c->rods[i].n;
        if (!lu_factor(n, J, m->pivot + PER * c->rods[i].first)) return false;
        J += n * n;
    }
    return true;
}

static int sign_of(const net *c, const relative_memory *m) {
    const double *J = m->jacobian;
    int sign = 1;
    for (int i = 0; i < c->n_rods; i++) {
        const int n = PER * c->rods[i].n;
        sign *= lu_sign(n, J, m->pivot + PER * c->rods[i].first);
        J += n * n;
    }
    return sign;
}

// False: singular.
static bool renew(solver *s, double *x) {
    difference(s, x);
    s->fresh_matrix = true;
    return relative_factor(s->c, s->m);
}

double relative_answer(const net *c, const relative_memory *m) {
    const double *J = m->jacobian;
    double most = 0.0;
    for (int i = 0; i < c->n_rods; i++) {
        const int n = PER * c->rods[i].n, first = PER * c->rods[i].first;
        lu_solve(n, J, m->pivot + first, m->residual + first);
        J += n * n;
    }
    for (int k = 0; k < PER * c->n_segments; k++) {
        m->residual[k] = -m->residual[k];
        double size = fabs(m->residual[k]) / scale_of(c, k);
        if (!(size <= most)) most = size;  // takes a NaN along
    }
    return most;
}

// The correction of x into m->residual; its size in coordinates.
static double correction(const solver *s, const double *x) {
    residual(s, x);
    return relative_answer(s->c, s->m) / (s->star ? s->at.c0 : 1.0);
}

void relative_linearise(const net *c, relative_memory *m, const model_call *call) {
    solver s = {.c = c, .m = m, .call = call, .at = {.inputs = call->inputs, .share = 1.0}};
    use_sections(c, &m->net);
    hold_nodes(c, &m->net, &s.at, m->net.trial);
    difference(&s, m->q);
    residual(&s, m->q);
}

static void take(const net *c, const relative_memory *m, double share, double *x) {
    for (int k = 0; k < PER * c->n_segments; k++) x[k] += share * m->residual[k];
}

// ---------------------------------------------------------------- how far coordinates go
static td_status check_range(const solver *s) {
    const net *c = s->c;
    const bool euler = c->joints == JOINT_EULER || c->joints == JOINT_EULER_PRINTED;
    for (int i = 0; i < c->n_segments; i++) {
        const double *q = s->m->q + PER * i;
        double angle = euler ? fabs(q[0]) : vec3_norm(vec3_load(q)), most = euler ? 1.5 : 6.0;
        if (angle <= most) continue;
        const net_rod *r = &c->rods[c->segments[i].rod];
        snprintf(s->call->message, MODEL_MESSAGE_SIZE,
                 "rod '%s': segment %d of %d turns by %.3g deg%s, where its %s are singular near "
                 "%d deg: more segments help (simulation.lumped.segments)",
                 r->name, i - r->first + 1, r->n, angle * 57.29577951308232,
                 euler ? " about x" : "", euler ? "Euler angles" : "rotation vectors",
                 euler ? 90 : 360);
        return TD_ERR_SINGULAR;
    }
    return TD_OK;
}

// ---------------------------------------------------------------- statics
static bool solve_at(solver *s, bool careful) {
    const double tolerance = s->c->options.tolerance;
    const int most = s->c->options.max_iterations < FEW ? s->c->options.max_iterations : FEW;
    double before = HUGE_VAL;
    hold_nodes(s->c, &s->m->net, &s->at, s->m->net.trial);
    for (int i = 0; i < most; i++) {
        if (!renew(s, s->m->q)) return false;
        s->sign = sign_of(s->c, s->m);
        double size = correction(s, s->m->q);
        s->call->stats->iterations++;
        if (!isfinite(size) || (careful && size > LONGEST)) return false;
        take(s->c, s->m, size > LONGEST ? LONGEST / size : 1.0, s->m->q);
        s->last = size;
        if (size <= tolerance) return true;
        if (size <= LOOSE && size > 0.5 * before) return true;  // rounding has the last word
        before = size;
    }
    return false;
}

static void rest(const net *c, double *q) {
    for (int i = 0; i < c->n_segments; i++)
        for (int k = 0; k < PER; k++)
            q[PER * i + k] = c->segments[i].rest[k] * c->segments[i].length;
}

static td_status follow_loads(solver *s) {
    const net *c = s->c;
    relative_memory *m = s->m;
    double done = 0.0, step = 1.0;
    int sign = 0;
    rest(c, m->q);
    while (done < 1.0) {
        s->at.share = fmin(1.0, done + step);
        memcpy(m->star, m->q, size_of(c));
        s->call->stats->load_steps++;
        if (solve_at(s, false)) {
            done = s->at.share;
            step *= 2.0;
            if (sign == 0) sign = 1;  // without loads the energy has a minimum
            if (s->sign != sign && s->call->stats->bifurcation == 0.0)
                s->call->stats->bifurcation = done;
            continue;
        }
        memcpy(m->q, m->star, size_of(c));
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

td_status relative_statics(const void *compiled, void *memory, const model_call *call) {
    const net *c = compiled;
    relative_memory *m = memory;
    solver s = {.c = c, .m = m, .call = call, .at = {.inputs = call->inputs, .share = 1.0}};
    memset(m->rates, 0, size_of(c));
    call->stats->load_reached = 1.0;
    double change = 1.0;
    stretch_sections(c, &m->net);
    for (int round = 0; round < MOST_ROUNDS && change > SAME_STRETCH; round++) {
        td_status status = TD_OK;
        if (!solve_at(&s, true) || s.sign < 0) {
            call->stats->fallbacks++;
            status = follow_loads(&s);
        }
        if (!status) status = check_range(&s);
        if (status < 0) return status;
        keep_nodes(c, m, &s.at);
        change = stretch_sections(c, &m->net);
    }
    call->stats->slack = m->net.slack;
    call->stats->residual = s.last;
    *m->net.sums = (kept_sums){.stored = stored_energy(c, &m->net, m->net.given)};
    if (call->stats->bifurcation > 0.0) {
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "the equilibrium lost its stability at %.4g %% of the loads",
                 100.0 * call->stats->bifurcation);
        return TD_BIFURCATION;
    }
    return s.last <= fmax(c->options.tolerance, 1e-9) ? TD_OK : TD_LOOSE;
}

// ---------------------------------------------------------------- a step
typedef struct span {  // inputs vary linearly over the step
    const double *before, *after;
    double dt, from;  // from: where its present part begins
    bool fresh;       // velocities of held nodes jump to what the rates say
} span;

static bool solve_stage(solver *s, double *rates) {
    const double tolerance = fmax(s->c->options.tolerance, 1e-13);
    double last = HUGE_VAL;
    for (int i = 0; i < MOST_CORRECTIONS; i++) {
        if (!s->fresh_matrix && !renew(s, rates)) return false;
        double size = correction(s, rates);
        s->call->stats->iterations++;
        s->call->stats->residual = size;
        if (!isfinite(size)) return false;
        take(s->c, s->m, 1.0, rates);
        double contraction = size / last;
        if (size <= tolerance || (i > 0 && size <= 1e-9 && contraction > 0.5)) return true;
        if (i > 0 && contraction < 0.5 && size * contraction / (1.0 - contraction) <= tolerance)
            return true;
        if (i > 0 && contraction > SLOW) s->fresh_matrix = false;
        last = size;
    }
    return false;
}

// A stage that ends at time t, with its powers summed; the solution in q, rates.
static bool stage(solver *s, const span *p, double t, double weight, double *q, double *rates,
                  kept_sums *sums) {
    const net *c = s->c;
    relative_memory *m = s->m;
    const double x = t / p->dt;
    for (int i = 0; i < c->n_inputs; i++) {
        m->net.inputs[i] = (1.0 - x) * p->before[i] + x * p->after[i];
        m->net.rates[i] = s->call->rates[i];
    }
    s->at.ahead = p->fresh ? 0.0 : (p->dt - t) / (p->dt - p->from);
    hold_nodes(c, &m->net, &s->at, m->net.trial);
    if (!solve_stage(s, rates)) return false;
    residual(s, rates);
    memcpy(q, m->trial, size_of(c));
    sums->dissipated += weight * m->net.lost;
    sums->work += weight * m->net.given_power;
    return true;
}

// Where the second stage sets out: y0 + (1 - g)/g (y1 - y0), and a guess of its rates.
static void set_out(const net *c, relative_memory *m) {
    const double k = (1.0 - GAMMA) / GAMMA;
    for (int i = 0; i < PER * c->n_segments; i++) {
        double by = m->first_rates[i] - m->rates[i];
        m->star[i] = m->q[i] + k * (m->first[i] - m->q[i]);
        m->star_rates[i] = m->rates[i] + k * by;
        m->trial_rates[i] = m->star_rates[i] + by;
    }
    for (int i = c->n_free; i < c->n_nodes; i++) {  // held nodes, for their accelerations
        const node_state *y0 = &m->net.nodes[i], *y1 = &m->net.first[i];
        node_state *out = &m->net.before[i];
        out->v = vec3_madd(y0->v, k, vec3_sub(y1->v, y0->v));
        out->w = vec3_madd(y0->w, k, vec3_sub(y1->w, y0->w));
    }
}

static bool step_part(solver *s, span *p, double t, double h) {
    const net *c = s->c;
    relative_memory *m = s->m;
    kept_sums sums = *m->net.sums;
    stretch_sections(c, &m->net);
    s->at = (situation){m->net.inputs, m->net.rates, 1.0, 1.0 / (GAMMA * h), m->net.nodes, 0.0};
    p->from = t;
    s->fresh_matrix = false;
    s->star = m->q;
    s->star_rates = m->rates;
    memcpy(m->first_rates, m->rates, size_of(c));
    if (!stage(s, p, t + GAMMA * h, (1.0 - GAMMA) * h, m->first, m->first_rates, &sums))
        return false;
    memcpy(m->net.first, m->net.trial, sizeof(node_state) * (size_t)c->n_nodes);
    set_out(c, m);
    s->star = m->star;
    s->star_rates = m->star_rates;
    s->at.before = m->net.before;
    if (!stage(s, p, t + h, GAMMA * h, m->first, m->trial_rates, &sums)) return false;
    memcpy(m->q, m->first, size_of(c));
    memcpy(m->rates, m->trial_rates, size_of(c));
    memcpy(m->net.nodes, m->net.trial, sizeof(node_state) * (size_t)c->n_nodes);
    for (int i = 0; i < c->n_actuators; i++) m->net.efforts[i] = m->net.trial_efforts[i];
    *m->net.sums = sums;
    return true;
}

static td_status refuse(const solver *s, double t, double dt) {
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "Newton's method did not converge %.3g s into the step of %.3g s, also in %d parts "
             "(last correction %.2g rad): a shorter step may do",
             t, dt, MOST_SHARES, s->call->stats->residual);
    return TD_ERR_NOT_CONVERGED;
}

td_status relative_step(const void *compiled, void *memory, const model_call *call, double dt,
                        bool fresh) {
    const net *c = compiled;
    relative_memory *m = memory;
    solver s = {.c = c, .m = m, .call = call};
    if (fresh) bring_bodies(c, &m->net, call);
    if (chosen_needed(c)) {
        td_status status = chosen_step(c, &m->net, call, dt, fresh);
        return status < 0 ? status : check_range(&s);
    }
    span p = {fresh ? call->inputs : call->inputs_before, call->inputs, dt, 0.0, fresh};
    const double least = dt / MOST_SHARES;
    double t = 0.0, h = dt;
    while (t < dt * (1.0 - 1e-9)) {
        h = fmin(h, dt - t);
        if (step_part(&s, &p, t, h)) {
            t += h;
            h *= 2.0;
            continue;
        }
        call->stats->fallbacks++;
        if (h <= least * 1.001) return refuse(&s, t, dt);
        h = fmax(0.25 * h, least);
    }
    double stored = stored_energy(c, &m->net, m->net.given);
    m->net.sums->work += stored - m->net.sums->stored;
    m->net.sums->stored = stored;
    call->stats->slack = m->net.slack;
    return check_range(&s);
}
