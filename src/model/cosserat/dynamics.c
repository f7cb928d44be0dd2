// model/cosserat/dynamics.c - one time step: history, boundary value problem, acceptance.
#include "math/quadrature.h"
#include "model/cosserat/assembly.h"
#include "model/cosserat/contact.h"
#include "model/cosserat/step_slopes.h"
#include "solve/engines.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// h = c1 y1 + c2 y2 + c3 y3 + d1 y_t1 of n numbers.
static void add_history(size_t n, double *const fields[3], const double *rate,
                        const time_formula *f, double *history) {
    for (size_t i = 0; i < n; i++)
        history[i] = f->c[0] * fields[0][i] + f->c[1] * fields[1][i] + f->c[2] * fields[2][i] +
                     f->d1 * rate[i];
}

// ---------------------------------------------------------------- rods that are fed
// Nodes sit at fixed shares of the stretch that gets longer, so a node there is another material point in each step:
// history is that of the material, which keeps its distance from the tip or, where it grows there, from the base.
static past_place place_then(const rod *r, double s, double past) {
    int k = 0;
    while (k + 1 < r->n_elements && s >= element_place(r, &r->elements[k + 1], 0.0, past)) k++;
    const element *e = &r->elements[k];
    const double x =
        (s - element_place(r, e, 0.0, past)) / (e->rest_length * element_ratio(r, e, past));
    return (past_place){.of = e, .x = x, .factor = 1.0};
}

// A place that lies at s as these slopes say: its share moves by what it goes against the element.
static void set_slopes(const rod *r, double past, double by_now, double by_past, past_place *at) {
    const element *e = at->of;
    const double goes = (r->grows_at_tip ? 0.0 : 1.0) - element_passed(r, e, at->x),
                 length = e->rest_length * element_ratio(r, e, past);
    at->x_by[0] = by_now / length;
    at->x_by[1] = (by_past - goes) / length;
}

// What was still inside the base by e, or is beyond the tip that then was, goes on from the end of the rod as the straight line
// through it and the place as far from it as d, what was fed since:
//
//     y(-e) = y(0) + e/d (y(0) - y(d))
//
// Both places are mapped on the same line again by the next step, so that nothing on top of it is amplified, however fine the
// elements: polynomials of higher degree, or of a stretch that is not d, have growing modes.
int past_places(const rod_memory *m, const element *e, int node, int level, past_place out[2]) {
    const rod *r = m->r;
    const double past = m->lengths[level], now = level ? m->lengths[level - 1] : r->length;
    const double s = element_place(r, e, e->shares[node], now),
                 passed = element_passed(r, e, e->shares[node]),
                 then = material_place(r, s, now, past);
    const double side = r->grows_at_tip ? -1.0 : 1.0;
    const double missing = r->grows_at_tip ? then - past : -then;
    if (missing <= 0.0 || now <= past) {
        out[0] = place_then(r, then, past);
        set_slopes(r, past, -passed, r->grows_at_tip ? 0.0 : 1.0, &out[0]);
        return 1;
    }
    const bool little = now - past < grown_length(r, past);
    const double d = little ? now - past : grown_length(r, past), q = missing / d;
    const double d_by[2] = {little ? 1.0 : 0.0, little ? -1.0 : 1.0};
    const double missing_by[2] = {side * passed, -1.0};
    const element *last = &r->elements[r->grows_at_tip ? r->n_elements - 1 : 0];
    out[0] = (past_place){.of = last, .x = r->grows_at_tip ? 1.0 : 0.0, .factor = 1.0 + q};
    out[1] = place_then(r, r->grows_at_tip ? past - d : d, past);
    out[1].factor = -q;
    set_slopes(r, past, side * d_by[0], (r->grows_at_tip ? 1.0 : 0.0) + side * d_by[1], &out[1]);
    for (int i = 0; i < 2; i++) {
        out[0].factor_by[i] = (missing_by[i] - q * d_by[i]) / d;
        out[1].factor_by[i] = -out[0].factor_by[i];
    }
    return 2;
}

#define SHARE_REACH 3e-4  // of an element

void past_weight_slopes(const space_scheme *scheme, const rod *r, const element *e, double x,
                        double *row) {
    static const double weights[4] = {8.0, -8.0, -1.0, 1.0};
    static const double reaches[4] = {1.0, -1.0, 2.0, -2.0};
    double one[GAUSS_MAX];
    memset(row, 0, sizeof *row * (size_t)e->n_nodes);
    for (int i = 0; i < 4; i++) {
        scheme->weights(r, (int)(e - r->elements), x + reaches[i] * SHARE_REACH, one);
        for (int j = 0; j < e->n_nodes; j++) row[j] += weights[i] / (12.0 * SHARE_REACH) * one[j];
    }
}

// Past fields go with the material from one step to the next, never over two at once: with S_l for the way from level l,
//
//     h = S_1 (c_1 y_1 + d_1 y_t1 + S_2 (c_2 y_2 + S_3 c_3 y_3))
//
// Interpolation over two steps at once is not that over one of them twice: what the nodes hardly resolve would be another
// thing at each level, and a damped rod can feed on the difference. So each level has come by the same ways, and the formula is
// as stable as on a rod that is not fed.
int past_levels(const time_formula *f) {
    return f->c[2] != 0.0 ? 3 : f->c[1] != 0.0 ? 2 : 1;
}

void past_sum(const rod_memory *m, const time_formula *f, int level) {
    const size_t n = (size_t)m->r->n_nodes * F_SIZE;
    const double d1 = level == 0 ? f->d1 : 0.0;
    for (size_t i = 0; i < n; i++)
        m->carried[i] = m->history[i] + f->c[level] * m->fields[level][i] + d1 * m->rate[i];
}

void past_carry(const space_scheme *scheme, const rod_memory *m, int level) {
    const rod *r = m->r;
    const double now = level ? m->lengths[level - 1] : r->length;
    double *row = m->view_row, *to = m->history;
    if (now == m->lengths[level]) {
        memcpy(to, m->carried, sizeof(double) * F_SIZE * (size_t)r->n_nodes);
        return;
    }
    memset(to, 0, sizeof(double) * F_SIZE * (size_t)r->n_nodes);
    for (int k = 0; k < r->n_elements; k++)
        for (int i = 0; i < r->elements[k].n_nodes; i++, to += F_SIZE) {
            past_place at[2];
            const int n = past_places(m, &r->elements[k], i, level, at);
            for (int l = 0; l < n; l++) {
                const element *e = at[l].of;
                const double *fields = m->carried + (size_t)e->node * F_SIZE;
                scheme->weights(r, (int)(e - r->elements), at[l].x, row);
                for (int j = 0; j < e->n_nodes * F_SIZE; j++)
                    to[j % F_SIZE] += at[l].factor * row[j / F_SIZE] * fields[j];
            }
        }
}

static void set_fed_history(const space_scheme *scheme, const rod_memory *m,
                            const time_formula *f) {
    memset(m->history, 0, sizeof(double) * F_SIZE * (size_t)m->r->n_nodes);
    for (int l = past_levels(f) - 1; l >= 0; l--) {
        past_sum(m, f, l);
        past_carry(scheme, m, l);
    }
}

static void set_history(const space_scheme *scheme, rod_memory *m, const time_formula *f) {
    const rod *r = m->r;
    if (rod_is_fed(r)) set_fed_history(scheme, m, f);
    else add_history((size_t)r->n_nodes * F_SIZE, m->fields, m->rate, f, m->history);
    if (r->ridden) add_history((size_t)r->n_elements * 6, m->ends, m->end_rate, f, m->end_history);
    add_history((size_t)r->n_points, m->passed, m->passed_rate, f, m->passed_history);
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
static td_status solve_rod(const assembly_problem *p, const model_call *call, double asked) {
    const rod_problem *one = &p->own->problems[0];
    td_status status = p->c->scheme->solve(one, p->m->time, p->dt);
    if (status < 0) p->c->scheme->explain(one, asked, call->message, MODEL_MESSAGE_SIZE);
    return status;
}

static td_status solve_chain(const assembly_problem *p, const model_call *call, double asked) {
    td_status status = assembly_step(p, p->m->time);
    if (status >= 0 || pairs_blame(p, call->message)) return status;
    char what[128] = "the free body";
    if (p->a->n_rods)
        snprintf(what, sizeof what, "rod '%.80s' and what hangs on it",
                 p->own->problems[0].r->name);
    step_explain(what, &p->c->options, p->stats, asked, call->message, MODEL_MESSAGE_SIZE);
    for (int i = 0; i < p->a->n_rods && p->c->scheme->resolution; i++)
        explain_turns(p->own->problems[i].r, p->own->problems[i].m, call->message);
    return status;
}

static bool found_no_end(td_status status) {
    return status == TD_ERR_NOT_CONVERGED || status == TD_ERR_SINGULAR ||
           status == TD_ERR_NOT_FINITE;
}

// Until nothing is deeper in what is hard than it may be.
static td_status solve_held(const assembly_problem *p, const model_call *call, double asked,
                            bool *deep) {
    for (int k = 0;; k++) {
        const td_status status =
            p->a->alone ? solve_rod(p, call, asked) : solve_chain(p, call, asked);
        if (status < 0) return status;
        const double depth =
            assembly_push(p, push_after(k), k < MOST_PUSHES ? NULL : call->message);
        if (depth <= 1.0) return status;
        if (k < MOST_PUSHES) continue;
        *deep = true;
        const size_t used = strlen(call->message);
        snprintf(call->message + used, MODEL_MESSAGE_SIZE - used,
                 ", after %d corrections that pushed it out", MOST_PUSHES);
        return TD_LOOSE;
    }
}

static td_status solve_assembly(const cosserat *c, int index, cosserat_memory *m,
                                const model_call *call, const substep *sub) {
    assembly_problem p = assembly_at(c, index, m, call);
    p.c0 = sub->formula.c0, p.dt = sub->dt;
    p.inputs = sub->inputs, p.base_inputs = sub->base_inputs, p.base_rates = sub->base_rates;
    assembly_prepare(&p);
    for (int i = 0; i < p.a->n_rods; i++)
        set_history(c->scheme, p.own->problems[i].m, &sub->formula);
    for (int k = 0; k < p.a->n_bodies; k++) body_history(&m->bodies[p.a->bodies[k]], &sub->formula);
    if (call->engines)
        engines_set_history(call->engines, sub->formula.c0, sub->formula.c, sub->formula.d1);
    bool deep = false;
    td_status status = solve_held(&p, call, sub->asked, &deep);
    if (status == TD_LOOSE && !deep && p.a->n_rods)
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "rod '%s': round-off stopped the residual at %.1e, above the tolerance %.0e",
                 p.own->problems[0].r->name, call->stats->residual, c->options.tolerance);
    for (int i = 0; i < p.a->n_rods && status >= 0; i++) {
        td_status possible =
            memory_check(p.own->problems[i].r, p.own->problems[i].m, call->message);
        if (possible < 0) status = possible;
    }
    for (int i = 0; i < p.a->n_rods && status >= 0; i++) {
        if (!contact_is_crossed(c, &p.own->problems[i], call->message)) continue;
        const size_t used = strlen(call->message);
        snprintf(call->message + used, MODEL_MESSAGE_SIZE - used,
                 ", in a step of %.4g s; try a smaller one", sub->dt);
        return TD_ERR_NOT_CONVERGED;
    }
    if (status >= 0 && bodies_pass(&p, call->message)) return TD_ERR_NOT_CONVERGED;
    if (status >= 0 && pairs_pass(&p, call->message)) return TD_ERR_NOT_CONVERGED;
    if (found_no_end(status)) contact_add_blame(c, p.a, m, call->message);
    return status;
}

// ---------------------------------------------------------------- acceptance
static void shift(double *const fields[3], size_t n) {
    if (n == 0) return;
    memcpy(fields[2], fields[1], sizeof(double) * n);
    memcpy(fields[1], fields[0], sizeof(double) * n);
}

static size_t n_ends(const rod *r) {
    return r->ridden ? 6 * (size_t)r->n_elements : 0;
}

// Shifts the past by one and makes the shape in progress the present; the rate is y_t = c0 y + h.
static void accept(rod_memory *m, double c0) {
    const rod *r = m->r;
    const size_t n = (size_t)r->n_nodes * F_SIZE;
    shift(m->fields, n);
    shift(m->ends, n_ends(r));
    shift(m->efforts, (size_t)r->n_efforts);
    shift(m->passed, (size_t)r->n_points);
    m->lengths[2] = m->lengths[1], m->lengths[1] = m->lengths[0];
    memory_accept(r, m);
    for (size_t i = 0; i < n; i++) m->rate[i] = c0 * m->fields[0][i] + m->history[i];
    for (size_t i = 0; i < n_ends(r); i++) m->end_rate[i] = c0 * m->ends[0][i] + m->end_history[i];
    for (int i = 0; i < r->n_points; i++)
        m->passed_rate[i] = c0 * m->passed[0][i] + m->passed_history[i];
}

static void accept_assembly(const cosserat *c, int index, cosserat_memory *m,
                            const model_call *call, double c0) {
    assembly_problem p = assembly_at(c, index, m, call);
    p.c0 = c0;
    for (int i = 0; i < p.a->n_rods; i++) {
        rod_memory *mr = &m->rods[p.a->rods[i]];
        accept(mr, c0);
        if (!p.a->alone && c->scheme->taken)
            c->scheme->taken(mr->r, mr, p.own->now + p.a->first[i]);
    }
    assembly_accept(&p);
}

// Trapezoidal rule in time for what is dissipated and done.
static void account(const cosserat *c, cosserat_memory *m, const double *inputs, double dt) {
    double dissipation, load;
    cosserat_power(c, m, inputs, &dissipation, &load);
    m->time->dissipated += 0.5 * dt * (m->time->dissipation_power + dissipation);
    m->time->work +=
        0.5 * dt * (m->time->load_power + load) + cosserat_fed_energy(c, m, inputs, dt);
    m->time->work += springs_work(c, m, inputs, true);
    m->time->dissipation_power = dissipation;
    m->time->load_power = load;
}

// With the efforts of the shapes that were found.
static void take_engines(const cosserat *c, const cosserat_memory *m, const engines *all,
                         const substep *sub) {
    for (int i = 0; i < c->n_rods; i++) {
        const rod *r = m->rods[i].r;
        for (int k = 0; k < r->n_actuators; k++) {
            const rod_actuator *ra = &r->actuators[k];
            if (!actuator_is_driven(ra->a)) continue;
            engine_stage *s = &all->stages[ra->a->engine.index];
            s->effort = m->rods[i].trial_efforts[ra->effort + ra->n_efforts - 1];
            s->seen = true;
        }
    }
    springs_take_engines(c, m, sub->inputs);
    engines_found(all, sub->inputs);
    engines_arrived(all);
}

static td_status take(const cosserat *c, cosserat_memory *m, const model_call *call,
                      const substep *sub) {
    td_status worst = TD_OK;
    for (int i = 0; i < c->n_assemblies; i++) {
        td_status status = solve_assembly(c, i, m, call, sub);
        if (status < 0) return status;
        if (status > worst) worst = status;
    }
    for (int i = 0; i < c->n_rods; i++)
        actuators_account(c->scheme, m->rods[i].r, &m->rods[i], sub->jumped, m->time);
    for (int i = 0; i < c->n_assemblies && c->n_obstacles; i++)
        for (int k = 0; k < c->assemblies[i].n_rods; k++)
            contact_account(&m->assemblies[i].problems[k], m->time);
    m->time->dissipated += pairs_slid(c, m);
    if (call->engines) take_engines(c, m, call->engines, sub);
    if (m->columns) slopes_take(c, m, sub);
    pairs_accept(c, m, SHAPE_MOVED);
    for (int i = 0; i < c->n_assemblies; i++) accept_assembly(c, i, m, call, sub->formula.c0);
    bodies_keep_touch(c, m, SHAPE_MOVED);
    cosserat_time *time = m->time;
    note_resolution(c, m, call->stats);
    account(c, m, sub->inputs, sub->dt);
    time->past[1] = time->past[0];
    time->past[0] = sub->dt;
    time->levels = fmin(time->levels + 1.0, 3.0);
    time->guesses = fmin(time->guesses + 1.0, 3.0);
    return worst;
}

// ---------------------------------------------------------------- steps of two parts
// Two parts have been taken over one step of dt: what the next step shall see is the state before
// both, the state after, and the rate of the second.
static void join_parts(const cosserat *c, cosserat_memory *m, const engines *e, double dt) {
    for (int i = 0; i < c->n_rods; i++) {
        rod_memory *mr = &m->rods[i];
        memcpy(mr->fields[1], mr->fields[2], sizeof(double) * F_SIZE * (size_t)c->rods[i].n_nodes);
        memcpy(mr->ends[1], mr->ends[2], sizeof(double) * n_ends(&c->rods[i]));
        if (c->rods[i].n_points)
            memcpy(mr->passed[1], mr->passed[2], sizeof(double) * (size_t)c->rods[i].n_points);
        mr->lengths[1] = mr->lengths[2];
    }
    for (int k = 0; k < c->n_bodies; k++)
        memcpy(m->bodies[k].fields[1], m->bodies[k].fields[2], sizeof(double) * B_SIZE);
    m->time->past[0] = dt;
    m->time->levels = 2.0;
    if (e) engines_join(e);
    if (m->columns) slopes_join(m);
}

// Inputs at a fraction x of the step. Loads are on the way from the value before to the one at the
// end; what moves a base, and its rate, are on the parabola that ends with the rate given there,
//
//     place = after - r (dt - t) - e (1 - x)^2,   e = after - before - r dt
//
// so that both are right to second order within the step.
static void set_between(const cosserat *c, cosserat_memory *m, const model_call *call, double dt,
                        double x) {
    const double left = 1.0 - x;
    for (int i = 0; i < c->n_inputs; i++) {
        const double before = call->inputs_before[i], after = call->inputs[i];
        const double rate = call->rates[i], e = after - before - rate * dt;
        m->half_loads[i] = before + x * (after - before);
        m->half_inputs[i] = after - left * (rate * dt + left * e);
        m->half_rates[i] = rate + 2.0 * left * e / dt;
    }
}

// ---------------------------------------------------------------- a step in parts
#define LEAST_PART 0.01   // of the step
#define MOST_EFFORT 10.0  // for all of it, in options.max_iterations

// Backward Euler where a step shall be mild.
static td_scheme scheme_for(const cosserat *c, const model_call *call) {
    return call->mild == STEP_BY_EULER ? TD_BACKWARD_EULER : c->options.scheme;
}

// From `done` on for `part`, at the inputs there; loads that have jumped have their new value. A
// step that begins afresh does so by backward Euler, and what was before is no past of it; the
// parts of SDIRK2 are BDF2, which is second order and L-stable as well.
static td_status take_part(const cosserat *c, cosserat_memory *m, const model_call *call, double dt,
                           double done, double part, bool jumped) {
    const td_options *o = &c->options;
    const bool fresh = jumped && done == 0.0;
    const td_scheme asked = scheme_for(c, call);
    const td_scheme scheme = fresh ? TD_BACKWARD_EULER : asked == TD_SDIRK2 ? TD_BDF2 : asked;
    cosserat_time *time = m->time;
    if (fresh) time->levels = 1.0;
    set_between(c, m, call, dt, fmin(1.0, (done + part) / dt));
    substep one = {time_formula_make(scheme, o->alpha, part, time->past, (int)time->levels),
                   part,
                   jumped ? call->inputs : m->half_loads,
                   m->half_inputs,
                   m->half_rates,
                   dt,
                   fresh,
                   false,
                   fmin(1.0, (done + part) / dt)};
    return take(c, m, call, &one);
}

// A motion so violent that no end of the step is found, which failed with `status`, is followed in
// smaller parts from `done` on: half of what failed, and twice as much again when that goes well.
static td_status take_parts(const cosserat *c, cosserat_memory *m, const model_call *call,
                            double dt, double done, bool jumped, td_status status) {
    double part = 0.5 * (dt - done);
    bool well = false;
    td_status worst = TD_OK;
    const double most = MOST_EFFORT * c->options.max_iterations;
    while (call->stats->iterations < most && part > LEAST_PART * dt) {
        if (status < 0 && !found_no_end(status)) return status;
        status = take_part(c, m, call, dt, done, part, jumped);
        if (status < 0) {
            part *= 0.5;
        } else {
            done += part;
            if (status == TD_OK) call->message[0] = '\0';  // of the attempts that failed
            worst = status > worst ? status : worst;
            if (dt - done < 1e-9 * dt) return worst;
            part = fmin(well ? 2.0 * part : part, dt - done);
        }
        well = status >= 0;
    }
    if (status < 0) return status;
    return tell(
        call->message, TD_ERR_NOT_CONVERGED,
        "a step of %.4g s was followed in parts to %.4g s, and took more than %.0f iterations "
        "for that; try a smaller step",
        dt, done, most);
}

// Two backward-Euler half steps. They forget what came before, so the order survives a jump.
static td_status start(const cosserat *c, cosserat_memory *m, const model_call *call, double dt) {
    const double past[2] = {0.0, 0.0};
    substep half = {.formula = time_formula_make(TD_BACKWARD_EULER, 0.0, 0.5 * dt, past, 1),
                    .dt = 0.5 * dt,
                    .inputs = call->inputs,
                    .asked = dt,
                    .jumped = true,
                    .at = 0.5};
    set_between(c, m, call, dt, 0.5);
    half.base_inputs = m->half_inputs, half.base_rates = m->half_rates;
    td_status first = take(c, m, call, &half);
    if (first < 0) return take_parts(c, m, call, dt, 0.0, true, first);
    half.jumped = false;
    half.base_inputs = call->inputs, half.base_rates = call->rates;
    td_status second = take(c, m, call, &half);
    if (second < 0) return take_parts(c, m, call, dt, 0.5 * dt, true, second);
    join_parts(c, m, call->engines, dt);
    m->time->guesses = 1.0;
    return second > first ? second : first;
}

// SDIRK2, L-stable, gamma = 1 - 1/sqrt 2: the first stage ends at gamma dt, the second at dt;
// both see c0 = 1/(gamma dt). Where an input has jumped it holds its new value all along,
// otherwise the first stage sees it on its way.
static td_status sdirk2(const cosserat *c, cosserat_memory *m, const model_call *call, double dt,
                        bool jumped) {
    const double gamma = 1.0 - sqrt(0.5), c0 = 1.0 / (gamma * dt);
    set_between(c, m, call, dt, gamma);
    substep stage = {{c0, {-c0, 0.0, 0.0}, 0.0},
                     gamma * dt,
                     jumped ? call->inputs : m->half_loads,
                     m->half_inputs,
                     m->half_rates,
                     dt,
                     jumped,
                     false,
                     gamma};
    m->time->guesses = fmin(m->time->guesses, 2.0);  // the past is unevenly spaced
    td_status first = take(c, m, call, &stage);
    if (first < 0) return take_parts(c, m, call, dt, 0.0, jumped, first);
    // y_t = c0 (y - y_n - (1 - gamma) dt k1), with y_n now one state back and k1 the rate
    stage = (substep){{c0, {0.0, -c0, 0.0}, -(1.0 - gamma) / gamma},
                      (1.0 - gamma) * dt,
                      call->inputs,
                      call->inputs,
                      call->rates,
                      dt,
                      false,
                      true,
                      1.0};
    if (jumped) m->time->guesses = 1.0;  // the first stage was the jump: nothing to extrapolate
    td_status second = take(c, m, call, &stage);
    if (second < 0) return take_parts(c, m, call, dt, gamma * dt, jumped, second);
    join_parts(c, m, call->engines, dt);
    return second > first ? second : first;
}

// The energy that comes with the inputs alone, the shape being what it is: of bodies that are
// picked up or dropped, and of a gravity that changes.
static double brought(const cosserat *c, const cosserat_memory *m, const model_call *call) {
    td_energy before = cosserat_energy(c, m, call->inputs_before);
    td_energy now = cosserat_energy(c, m, call->inputs);
    return (now.kinetic - before.kinetic) + (now.gravity - before.gravity);
}

static td_status step(const cosserat *c, cosserat_memory *m, const model_call *call, double dt,
                      bool fresh) {
    cosserat_time *time = m->time;
    for (int i = 0; i < c->n_assemblies; i++) {
        assembly_problem p = assembly_at(c, i, m, call);
        td_status closed = assembly_check_closed(&p, call->message);
        if (closed < 0) return closed;
    }
    if (fresh) {  // the loads have jumped, and their power with them
        for (int i = 0; i < c->n_rods; i++)
            rod_loads_at(&c->rods[i], call->inputs, 1.0, m->rods[i].loads);
        cosserat_power(c, m, call->inputs, &time->dissipation_power, &time->load_power);
    }
    if (time->levels == 0.0) {  // at rest: any past is the present
        time->past[0] = time->past[1] = dt;
        time->levels = 3.0;
    }
    const td_options *o = &c->options;
    if (fresh) time->guesses = 1.0;
    const td_scheme scheme = scheme_for(c, call);
    if (scheme == TD_SDIRK2) return sdirk2(c, m, call, dt, fresh);
    // what was set has no past: it is no rest
    const bool halves = o->startup == TD_HALF_STEPS || time->levels == 1.0;
    if (fresh && halves && scheme != TD_BACKWARD_EULER) return start(c, m, call, dt);
    substep whole = {time_formula_make(scheme, o->alpha, dt, time->past, (int)time->levels),
                     dt,
                     call->inputs,
                     call->inputs,
                     call->rates,
                     dt,
                     fresh,
                     true,
                     1.0};
    td_status status = take(c, m, call, &whole);
    return status < 0 ? take_parts(c, m, call, dt, 0.0, fresh, status) : status;
}

td_status cosserat_step(const void *compiled, void *memory, const model_call *call, double dt,
                        bool fresh) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    td_status possible = inputs_check(c, call->inputs, call->message);
    if (possible < 0) return possible;
    cosserat_follow_step(c, m, call->inputs_before);
    if (!c->brings_energy) return step(c, m, call, dt, fresh);
    double start = brought(c, m, call);
    td_status status = step(c, m, call, dt, fresh);
    if (status >= 0) m->time->work += fresh ? start : 0.5 * (start + brought(c, m, call));
    return status;
}

// ---------------------------------------------------------------- to rest, without strides
#define RELAXING 0.02      // the first step, in times of a rod: L^2 sqrt(mass/EI)
#define RELAXED 1e4        // the last one, in first ones
#define MOST_RELAXING 300  // steps
#define LEAST_RELAXING 1e-6

static double relaxing_time(const cosserat *c) {
    double longest = 0.0;
    for (int i = 0; i < c->n_rods; i++) {
        const rod *r = &c->rods[i];
        const double EI = r->moment_scale * r->length, mass = r->elements[0].stations[0].mass;
        longest = fmax(longest, r->length * r->length * sqrt(mass / EI));
    }
    return RELAXING * longest;
}

static void clear_velocity(double *at, int first, size_t n, size_t stride) {
    for (size_t i = 0; i < n; i++) memset(at + i * stride + first, 0, 6 * sizeof *at);
}

// What moves stops.
static void stop_motion(const cosserat *c, cosserat_memory *m) {
    for (int i = 0; i < c->n_rods; i++) {
        const rod *r = &c->rods[i];
        rod_memory *mr = &m->rods[i];
        clear_velocity(mr->fields[0], F_W, (size_t)r->n_nodes, F_SIZE);
        clear_velocity(mr->nodes, Y_Q, (size_t)r->n_nodes, Y_SIZE);
        clear_velocity(mr->bounds, Y_Q, (size_t)r->n_elements + 1, Y_SIZE);
        memset(mr->ends[0], 0, sizeof(double) * n_ends(r));
    }
    for (int k = 0; k < c->n_bodies; k++) clear_velocity(m->bodies[k].fields[0], B_W, 1, B_SIZE);
}

// By backward Euler from standstill, again and again, in steps that grow: each is refused that would pass
// through an obstacle, and long ones end in an equilibrium.
td_status cosserat_relax(const cosserat *c, cosserat_memory *m, const model_call *asked) {
    model_call still = *asked, *call = &still;
    still.engines = NULL;  // they hold as at rest
    const double first = relaxing_time(c);
    const int most = c->contacts.n ? call->stats->iterations + COSSERAT_PATIENCE : INT_MAX;
    double dt = first;
    td_status status = TD_ERR_NOT_CONVERGED;
    memset(m->half_rates, 0, sizeof(double) * (size_t)c->n_inputs);
    for (int i = 0; i < MOST_RELAXING && dt > LEAST_RELAXING * first; i++) {
        if (interrupted(call->interrupt)) return call_stopped(call);
        if (call->stats->iterations > most) return TD_ERR_NOT_CONVERGED;
        m->time->past[0] = m->time->past[1] = dt;
        m->time->levels = m->time->guesses = 1.0;
        const substep one = {.formula =
                                 time_formula_make(TD_BACKWARD_EULER, 0.0, dt, m->time->past, 1),
                             .dt = dt,
                             .inputs = call->inputs,
                             .base_inputs = call->inputs,
                             .base_rates = m->half_rates,
                             .asked = dt,
                             .jumped = true};
        status = take(c, m, call, &one);
        if (status < 0 && !found_no_end(status)) return status;
        if (status >= 0) stop_motion(c, m);
        if (status >= 0 && dt >= RELAXED * first) break;
        dt *= status >= 0 ? 2.0 : 0.25;
    }
    return status >= 0 && dt < RELAXED * first ? TD_ERR_NOT_CONVERGED : status;
}
