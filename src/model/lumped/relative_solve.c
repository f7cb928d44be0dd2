// model/lumped/relative_solve.c - equilibria and steps in relative coordinates.
//
// Both solve "what the motion asks for is 0" by Newton's method; rods do not meet, so their
// matrices are dense blocks of their own, made by differences in all rods at once. A step has the
// rates as unknowns: q = q* + rates/c0, accelerations = c0 (rates - rates*).
#include <string.h>

#include "math/dense.h"
#include "math/positive.h"
#include "model/lumped/equilibrium.h"
#include "model/lumped/relative.h"
#include "model/lumped/sdirk.h"

typedef struct solver {
    const net *c;
    relative_memory *m;
    const model_call *call;
    situation at;
    const double *star, *star_rates;  // of a stage; NULL: statics
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

// By central differences. Damping by a power stiffens away from rest: a short way shows its slope.
static void difference(solver *s, double *x) {
    const net *c = s->c;
    relative_memory *m = s->m;
    const double way = c->by_power ? 1e-8 : 1e-5;
    const double e = s->star ? way * s->at.c0 : 1e-5;
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

// ---------------------------------------------------------------- statics
typedef struct solve {
    equilibrium e;
    solver s;
    bool energy;  // its second variation tells of stability; otherwise the sign of a determinant
} solve;

// Is the matrix of each rod, symmetric in an equilibrium, positive definite?
static bool is_definite(const net *c, const relative_memory *m) {
    const double *J = m->jacobian;
    for (int i = 0; i < c->n_rods; i++) {
        const int n = PER * c->rods[i].n;
        memcpy(m->definite, J, sizeof(double) * (size_t)(n * n));
        if (!positive_factor(n, m->definite)) return false;
        J += n * n;
    }
    return true;
}

static double correct(equilibrium *e, double longest) {
    solve *s = (solve *)e;
    relative_memory *m = s->s.m;
    e->call->stats->jacobians++;
    difference(&s->s, m->q);
    if (s->energy) e->unstable = !is_definite(e->c, m);
    if (!relative_factor(e->c, m)) return HUGE_VAL;
    if (!s->energy) e->unstable = sign_of(e->c, m) < 0;
    double size = correction(&s->s, m->q);
    if (!isfinite(size)) return HUGE_VAL;
    take(e->c, m, size > longest ? longest / size : 1.0, m->q);
    return size;
}

static void rest(equilibrium *e) {
    const net *c = e->c;
    double *q = ((solve *)e)->s.m->q;
    for (int i = 0; i < PER * c->n_segments; i++)
        q[i] = c->segments[i / PER].rest[i % PER] * c->segments[i / PER].length;
}

static void hold(equilibrium *e, double share) {
    solve *s = (solve *)e;
    s->s.at.share = share;
    hold_nodes(e->c, e->m, &s->s.at, e->m->trial);
}

static void keep(equilibrium *e) {
    relative_memory *m = ((solve *)e)->s.m;
    memcpy(m->star, m->q, size_of(e->c));
}

static void put_back(equilibrium *e) {
    relative_memory *m = ((solve *)e)->s.m;
    memcpy(m->q, m->star, size_of(e->c));
}

static td_status settle(equilibrium *e) {
    solve *s = (solve *)e;
    keep_nodes(e->c, s->s.m, &s->s.at);
    return check_turns(e->c, e->m, e->call);
}

td_status relative_statics(const void *compiled, void *memory, const model_call *call) {
    const net *c = compiled;
    relative_memory *m = memory;
    solve s = {.e = {.c = c,
                     .m = &m->net,
                     .call = call,
                     .begin = rest,
                     .hold = hold,
                     .correct = correct,
                     .keep = keep,
                     .put_back = put_back,
                     .settle = settle},
               .s = {.c = c, .m = m, .call = call, .at = {.inputs = call->inputs, .share = 1.0}},
               .energy = !lacks_energy(c, call->inputs)};
    memset(m->rates, 0, size_of(c));
    return find_equilibrium(&s.e);
}

// ---------------------------------------------------------------- a step
typedef struct mover {
    stepper s;
    solver of;
    double *rates;  // of the present stage
} mover;

static double correct_stage(stepper *s, bool renew) {
    mover *move = (mover *)s;
    if (renew) difference(&move->of, move->rates);
    if (renew && !relative_factor(s->c, move->of.m)) return HUGE_VAL;
    double size = correction(&move->of, move->rates);
    if (isfinite(size)) take(s->c, move->of.m, 1.0, move->rates);
    return size;
}

// A stage that ends at time t, with its powers summed; the solution in q, rates.
static bool stage(mover *move, double t, double weight, double *q, double *rates, kept_sums *sums) {
    relative_memory *m = move->of.m;
    situation *at = &move->of.at;
    *at = stage_at(&move->s, t, at->c0, m->net.before);
    move->rates = rates;
    hold_nodes(move->s.c, &m->net, at, m->net.trial);
    hold_before(move->s.c, at, m->net.trial, m->net.before);
    if (!run_stage(&move->s)) return false;
    residual(&move->of, rates);
    memcpy(q, m->trial, size_of(move->s.c));
    sums->dissipated += weight * m->net.lost;
    sums->work += weight * m->net.given_power;
    return true;
}

// Where the second stage sets out, and a guess of its rates.
static void set_out(const net *c, relative_memory *m) {
    for (int i = 0; i < PER * c->n_segments; i++) {
        double by = m->first_rates[i] - m->rates[i];
        m->star[i] = m->q[i] + TO_STAR * (m->first[i] - m->q[i]);
        m->star_rates[i] = m->rates[i] + TO_STAR * by;
        m->trial_rates[i] = m->star_rates[i] + by;
    }
}

static bool step_part(stepper *s, double t, double h) {
    const net *c = s->c;
    mover *move = (mover *)s;
    relative_memory *m = move->of.m;
    kept_sums sums = *m->net.sums;
    move->of.at = (situation){.c0 = 1.0 / (GAMMA * h)};
    move->of.star = m->q;
    move->of.star_rates = m->rates;
    memcpy(m->first_rates, m->rates, size_of(c));
    if (!stage(move, t + GAMMA * h, (1.0 - GAMMA) * h, m->first, m->first_rates, &sums))
        return false;
    set_out(c, m);
    move->of.star = m->star;
    move->of.star_rates = m->star_rates;
    if (!stage(move, t + h, GAMMA * h, m->first, m->trial_rates, &sums)) return false;
    memcpy(m->q, m->first, size_of(c));
    memcpy(m->rates, m->trial_rates, size_of(c));
    memcpy(m->net.nodes, m->net.trial, sizeof(node_state) * (size_t)c->n_nodes);
    keep_rates(c, &m->net, m->net.trial, m->shadow, 1.0);
    for (int i = 0; i < c->n_actuators; i++) m->net.efforts[i] = m->net.trial_efforts[i];
    *m->net.sums = sums;
    return true;
}

td_status relative_step(const void *compiled, void *memory, const model_call *call, double dt,
                        bool fresh) {
    const net *c = compiled;
    relative_memory *m = memory;
    inputs_begin(c, &m->net, call, dt, fresh);
    if (chosen_needed(c)) return chosen_step(c, &m->net, call, dt, fresh);
    mover move = {.s = {c, &m->net, call, dt, .part = step_part, .correct = correct_stage},
                  .of = {.c = c, .m = m, .call = call}};
    return take_step(&move.s);
}
