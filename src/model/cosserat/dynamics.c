// model/cosserat/dynamics.c - one time step: history, boundary value problem, acceptance.
#include "model/cosserat/scheme.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// h = c1 y1 + c2 y2 + c3 y3 + d1 y_t1 at the nodes.
static void set_history(const rod *r, rod_memory *m, const time_formula *f) {
    const int n = r->n_nodes * F_SIZE;
    for (int i = 0; i < n; i++)
        m->history[i] = f->c[0] * m->fields[0][i] + f->c[1] * m->fields[1][i] +
                        f->c[2] * m->fields[2][i] + f->d1 * m->rate[i];
}

void extrapolation_weights(const cosserat_time *time, double dt, double w[3]) {
    double a = time->past[0], b = a + time->past[1];
    w[0] = 1.0, w[1] = w[2] = 0.0;
    if (time->guesses == 2.0) {
        w[0] = 1.0 + dt / a;
        w[1] = -dt / a;
    } else if (time->guesses >= 3.0) {
        w[0] = (dt + a) * (dt + b) / (a * b);
        w[1] = -dt * (dt + b) / (a * (b - a));
        w[2] = dt * (dt + a) / (b * (b - a));
    }
}

// ---------------------------------------------------------------- one implicit formula
typedef struct substep {
    time_formula formula;
    double dt;
    const double *base_inputs, *base_rates;
    double asked;  // the step that the caller asked for
} substep;

static td_status solve_rod(const cosserat *c, int index, cosserat_memory *m,
                           const model_call *call, const substep *sub) {
    const rod *r = &c->rods[index];
    rod_memory *mr = &m->rods[index];
    set_history(r, mr, &sub->formula);
    rod_problem p = {.r = r, .options = &c->options, .m = mr, .c0 = sub->formula.c0,
                     .gravity = rod_gravity_at(c, call->inputs, 1.0),
                     .base = rod_base_at(r, sub->base_inputs, sub->base_rates),
                     .stats = call->stats};
    td_status status = c->scheme->solve(&p, m->time, sub->dt);
    if (status < 0) c->scheme->explain(&p, sub->asked, call->message, MODEL_MESSAGE_SIZE);
    if (status == TD_LOOSE)
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "rod '%s': round-off stopped the residual at %.1e, above the tolerance %.0e",
                 r->name, call->stats->residual, c->options.tolerance);
    td_status possible = status >= 0 ? memory_check(r, mr, call->message) : TD_OK;
    return possible < 0 ? possible : status;
}

// Shifts the past by one and makes the shot the present; the rate is y_t = c0 y + h.
static void accept(const rod *r, rod_memory *m, double c0) {
    const size_t n = (size_t)r->n_nodes * F_SIZE;
    memcpy(m->fields[2], m->fields[1], sizeof(double) * n);
    memcpy(m->fields[1], m->fields[0], sizeof(double) * n);
    memory_accept(r, m);
    for (size_t i = 0; i < n; i++) m->rate[i] = c0 * m->fields[0][i] + m->history[i];
}

// Trapezoidal rule in time for what is dissipated and done.
static void account(const cosserat *c, cosserat_memory *m, double dt) {
    double dissipation, load;
    cosserat_power(c, m, &dissipation, &load);
    m->time->dissipated += 0.5 * dt * (m->time->dissipation_power + dissipation);
    m->time->work += 0.5 * dt * (m->time->load_power + load);
    m->time->dissipation_power = dissipation;
    m->time->load_power = load;
}

static td_status take(const cosserat *c, cosserat_memory *m, const model_call *call,
                      const substep *sub) {
    td_status worst = TD_OK;
    for (int i = 0; i < c->n_rods; i++) {
        td_status status = solve_rod(c, i, m, call, sub);
        if (status < 0) return status;
        if (status > worst) worst = status;
    }
    for (int i = 0; i < c->n_rods; i++) accept(&c->rods[i], &m->rods[i], sub->formula.c0);
    cosserat_time *time = m->time;
    note_resolution(c, m, call->stats);
    account(c, m, sub->dt);
    time->past[1] = time->past[0];
    time->past[0] = sub->dt;
    time->levels = fmin(time->levels + 1.0, 3.0);
    time->guesses = fmin(time->guesses + 1.0, 3.0);
    return worst;
}

// ---------------------------------------------------------------- steps of two parts
// Two parts have been taken over one step of dt: what the next step shall see is the state before
// both, the state after, and the rate of the second.
static void join_parts(const cosserat *c, cosserat_memory *m, double dt) {
    for (int i = 0; i < c->n_rods; i++)
        memcpy(m->rods[i].fields[1], m->rods[i].fields[2],
               sizeof(double) * F_SIZE * (size_t)c->rods[i].n_nodes);
    m->time->past[0] = dt;
    m->time->levels = 2.0;
}

// Inputs at a fraction of the step, and their rates, for what moves the base.
static void set_between(const cosserat *c, cosserat_memory *m, const model_call *call, double dt,
                        double x) {
    for (int i = 0; i < c->n_inputs; i++) {
        double change = call->inputs[i] - call->inputs_before[i];
        m->half_inputs[i] = call->inputs_before[i] + x * change;
        m->half_rates[i] = change / dt;
    }
}

// Two backward-Euler half steps. They forget what came before, so the order survives a jump.
static td_status start(const cosserat *c, cosserat_memory *m, const model_call *call, double dt) {
    const double past[2] = {0.0, 0.0};
    substep half = {.formula = time_formula_make(TD_BACKWARD_EULER, 0.0, 0.5 * dt, past, 1),
                    .dt = 0.5 * dt,
                    .asked = dt};
    set_between(c, m, call, dt, 0.5);
    half.base_inputs = m->half_inputs, half.base_rates = m->half_rates;
    td_status first = take(c, m, call, &half);
    if (first < 0) return first;
    half.base_inputs = call->inputs, half.base_rates = call->rates;
    td_status second = take(c, m, call, &half);
    if (second < 0) return second;
    join_parts(c, m, dt);
    m->time->guesses = 1.0;
    return second > first ? second : first;
}

// SDIRK2, L-stable, gamma = 1 - 1/sqrt 2: the first stage ends at gamma dt, the second at dt; both see
// c0 = 1/(gamma dt). Where an input has jumped it holds its new value all along, otherwise the first
// stage sees it on its way.
static td_status sdirk2(const cosserat *c, cosserat_memory *m, const model_call *call, double dt,
                        bool jumped) {
    const double gamma = 1.0 - sqrt(0.5), c0 = 1.0 / (gamma * dt);
    set_between(c, m, call, dt, gamma);
    for (int i = 0; i < c->n_rods && !jumped; i++)
        rod_loads_at(&c->rods[i], m->half_inputs, 1.0, m->rods[i].loads);
    substep stage = {{c0, {-c0, 0.0, 0.0}, 0.0}, gamma * dt, m->half_inputs, m->half_rates, dt};
    m->time->guesses = fmin(m->time->guesses, 2.0);  // the past is unevenly spaced: extrapolate less
    td_status first = take(c, m, call, &stage);
    if (first < 0) return first;
    for (int i = 0; i < c->n_rods; i++)
        rod_loads_at(&c->rods[i], call->inputs, 1.0, m->rods[i].loads);
    // y_t = c0 (y - y_n - (1 - gamma) dt k1), with y_n now one state back and k1 the rate
    stage = (substep){{c0, {0.0, -c0, 0.0}, -(1.0 - gamma) / gamma}, (1.0 - gamma) * dt,
                      call->inputs, call->rates, dt};
    if (jumped) m->time->guesses = 1.0;  // the first stage was the jump: nothing to extrapolate
    td_status second = take(c, m, call, &stage);
    if (second < 0 && jumped) {  // a violent one: backward Euler over the rest of the step
        const double rest = 1.0 / ((1.0 - gamma) * dt);
        stage.formula = (time_formula){rest, {-rest, 0.0, 0.0}, 0.0};
        second = take(c, m, call, &stage);
    }
    if (second < 0) return second;
    join_parts(c, m, dt);
    return second > first ? second : first;
}

td_status cosserat_step(const void *compiled, void *memory, const model_call *call, double dt,
                        bool fresh) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    cosserat_time *time = m->time;
    for (int i = 0; i < c->n_rods; i++)
        rod_loads_at(&c->rods[i], call->inputs, 1.0, m->rods[i].loads);
    if (fresh)  // the loads have jumped, and their power with them
        cosserat_power(c, m, &time->dissipation_power, &time->load_power);
    if (time->levels == 0.0) {  // at rest: any past is the present
        time->past[0] = time->past[1] = dt;
        time->levels = 3.0;
    }
    const td_options *o = &c->options;
    if (fresh) time->guesses = 1.0;
    if (o->scheme == TD_SDIRK2) return sdirk2(c, m, call, dt, fresh);
    if (fresh && o->startup == TD_HALF_STEPS && o->scheme != TD_BACKWARD_EULER)
        return start(c, m, call, dt);
    substep whole = {time_formula_make(o->scheme, o->alpha, dt, time->past, (int)time->levels), dt,
                     call->inputs, call->rates, dt};
    return take(c, m, call, &whole);
}
