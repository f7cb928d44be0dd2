// model/cosserat/collocation/newton.c - solving for the strains at the nodes.
#include <math.h>
#include <string.h>

#include "model/cosserat/collocation/newton.h"

// The kept factors serve while every correction shrinks at least this much.
#define GOOD_CONTRACTION 0.3
// A plain iteration that has not arrived after this many corrections had better start elsewhere.
#define PATIENCE 15
// When corrections stop shrinking, one below this many tolerances counts as round-off.
#define LOOSE_FACTOR 1e3

// ---------------------------------------------------------------- steps
static double largest_of(double a, double b) {
    return b <= a ? a : b;  // NaN too
}

static double size_of_strains(const rod *r, const double *step) {
    const int d = unknowns_per_node(r);
    double largest = 0.0;
    for (int i = 0; i < r->n_nodes; i++)
        for (int k = 0; k < d; k++)
            largest = largest_of(largest, fabs(step[d * i + k]) * (k < 3 ? r->length : 1.0));
    return largest;
}

double size_of_step(const rod *r, const double *step) {
    const double *effort = step + n_strains(r);
    double largest = size_of_strains(r, step);
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        for (int i = 0; i < ra->n_efforts; i++)
            largest = largest_of(largest, fabs(effort[ra->effort + i]) / ra->effort_scale);
    }
    return largest;
}

static void add_step(const rod *r, const double *step, iterate *it) {
    const int d = unknowns_per_node(r);
    for (int i = 0; i < r->n_nodes; i++)
        for (int k = 0; k < d; k++) it->x[6 * i + k] += step[d * i + k];
    for (int i = 0; i < r->n_efforts; i++) it->efforts[i] += step[n_strains(r) + i];
}

static bool evaluate(const rod_problem *p, iterate *it) {
    p->stats->evaluations++;
    return iterate_evaluate(p, it);
}

// ---------------------------------------------------------------- Newton
typedef struct newton_rules {
    bool frozen;      // forces and rates of the last accepted step in the matrix
    bool exact;       // a new matrix in every iteration
    bool sharp;       // with the tangent of the Magnus product from the start
    double farthest;  // give up beyond this correction
    int most;         // iterations
} newton_rules;

static td_status iterate_newton(const rod_problem *p, collocation_memory *m,
                                const newton_rules *rules) {
    const double tolerance = p->options->tolerance;
    const node_motion *forces = rules->frozen ? m->frozen : m->now.nodes;
    if (!evaluate(p, &m->now)) return TD_ERR_NOT_FINITE;
    bool current = false, sharp = rules->sharp;
    if (rules->exact || m->kept->valid == 0.0 || m->kept->c0 != p->c0) {
        if (!rod_factor(p, m, forces, sharp, NULL)) return TD_ERR_SINGULAR;
        current = true;
    }
    double last = HUGE_VAL;  // no correction yet to compare with
    for (int i = 0; i < rules->most; i++) {
        p->stats->iterations++;
        rod_solve(p->r, m, m->now.residual, m->step);
        double size = size_of_step(p->r, m->step), shrunk = size / last;
        if (!(size <= rules->farthest) && !(size_of_strains(p->r, m->step) <= rules->farthest))
            return TD_ERR_NOT_CONVERGED;
        add_step(p->r, m->step, &m->now);
        if (!evaluate(p, &m->now)) return TD_ERR_NOT_FINITE;
        const bool known = last < HUGE_VAL;
        double left = known && shrunk < 1.0 ? size * shrunk / (1.0 - shrunk) : size;
        p->stats->residual = fmin(size, left);
        if (size <= tolerance || left <= tolerance / 3.0) return TD_OK;
        const bool slow = known && shrunk > GOOD_CONTRACTION;
        if (current && sharp && shrunk >= 1.0) {  // the best matrix there is
            if (size <= LOOSE_FACTOR * tolerance) return TD_LOOSE;
            if (shrunk >= 2.0) return TD_ERR_NOT_CONVERGED;
        }
        last = size;
        if (slow && current && !sharp) {  // a new matrix of the same kind would be as slow
            sharp = true;
            last = HUGE_VAL;  // the first sharp correction makes up for what the others left
        }
        current = rules->exact || slow;
        if (current && !rod_factor(p, m, forces, sharp, NULL)) return TD_ERR_SINGULAR;
    }
    return TD_ERR_NOT_CONVERGED;
}

// Publishes the iterate, unless it is one of the spurious solutions.
static td_status accepted(const rod_problem *p, collocation_memory *m, td_status status) {
    if (status < 0) return status;
    iterate_publish(p, &m->now);
    return step_is_plausible(p) ? status : TD_ERR_NOT_CONVERGED;
}

static bool rubs(const rod *r) {
    for (int i = 0; i < r->n_actuators; i++)
        if (actuator_rubs(r->actuators[i].a)) return true;
    return false;
}

// Friction that sticks is stiff, and what sticks must be found out: first with a long way to slide, then
// with shorter ones, each from the answer to the one before.
static td_status loosen(const rod_problem *p, collocation_memory *m, const newton_rules *rules) {
    static const double looseness[] = {300.0, 30.0, 5.0, 1.0};
    rod_problem loose = *p;
    td_status status = TD_OK;
    for (int i = 0; i < 4 && status >= 0; i++) {
        loose.looseness = looseness[i];
        m->kept->valid = 0.0;
        status = iterate_newton(&loose, m, rules);
    }
    return status;
}

td_status newton_step(const rod_problem *p, collocation_memory *m, const cosserat_time *time,
                      double dt) {
    const rod *r = p->r;
    double w[3];
    extrapolation_weights(time, dt, w);
    iterate_recall(r, p->m, w, &m->now);
    int most = p->options->max_iterations;
    newton_rules rules = {.farthest = HUGE_VAL, .most = most < PATIENCE ? most : PATIENCE};
    td_status status = accepted(p, m, iterate_newton(p, m, &rules));
    if (status >= 0) return status;

    // From the last strains, with forces and rates frozen where they were: an iterate with a wrong
    // twist has inertial forces whose geometric stiffness would spoil the matrix. Then, for soft rods
    // that only take their time, from there once more with all the patience there is.
    static const double present[3] = {1.0, 0.0, 0.0};
    p->stats->fallbacks++;
    iterate_of_present(p, m->frozen);
    rules.exact = true;
    rules.most = most;
    for (int attempt = 0; attempt < 2 && status < 0; attempt++) {
        iterate_recall(r, p->m, present, &m->now);
        rules.frozen = attempt == 0;
        rules.sharp = attempt == 1;
        status = accepted(p, m, iterate_newton(p, m, &rules));
    }
    m->kept->valid = 0.0;
    if (status < 0 && rubs(r)) {
        iterate_recall(r, p->m, present, &m->now);
        status = accepted(p, m, loosen(p, m, &rules));
        m->kept->valid = 0.0;
    }
    return status;
}

td_status newton_follow(const rod_problem *p, collocation_memory *m, double farthest) {
    newton_rules rules = {.farthest = farthest, .most = 25};
    return iterate_newton(p, m, &rules);
}

td_status newton_loosen(const rod_problem *p, collocation_memory *m, double farthest) {
    newton_rules rules = {.farthest = farthest, .most = 50, .exact = true};
    if (!rubs(p->r)) return TD_ERR_NOT_CONVERGED;
    p->stats->fallbacks++;
    return loosen(p, m, &rules);
}
