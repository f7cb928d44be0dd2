// model/cosserat/collocation/newton.c - solving for the strains at the nodes.
#include <math.h>
#include <string.h>

#include "model/cosserat/collocation/newton.h"
#include "model/cosserat/contact.h"
#include "model/cosserat/pace.h"

// A plain iteration that has not arrived after this many corrections had better start elsewhere.
#define PATIENCE 15
// Nor does one get back that corrects an angle along the rod by more than this (rad): far out, where
// strains are astronomic, the next corrections may be small and mean nothing.
#define FARTHEST 20.0

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

double angle_of_step(const rod_problem *p, const double *step) {
    const rod *r = p->r;
    const int d = unknowns_per_node(r);
    double sums[6] = {0.0}, largest = 0.0;
    if (p->touches) return size_of_strains(r, step);
    for (int j = 0; j < r->n_elements; j++) {
        const element *e = &r->elements[j];
        for (int i = 0; i < e->n_nodes; i++)
            for (int k = 0; k < d; k++)
                sums[k] += e->quadrature[i] * fabs(step[d * (e->node + i) + k]);
    }
    for (int k = 0; k < d; k++)
        largest = largest_of(largest, k < 3 ? sums[k] : sums[k] / r->length);
    return largest;
}

static void add_step(const rod *r, const double *step, double part, iterate *it) {
    const int d = unknowns_per_node(r);
    for (int i = 0; i < r->n_nodes; i++)
        for (int k = 0; k < d; k++) it->x[6 * i + k] += part * step[d * i + k];
    for (int i = 0; i < r->n_efforts; i++) it->efforts[i] += part * step[n_strains(r) + i];
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

// Does the matrix belong to another set of nodes that touch? One that has an obstacle in it makes corrections small
// that are not, where none is, and the other way round.
static bool touches_anew(const rod_problem *p, const collocation_memory *m) {
    return m->kept->touching != p->m->touching;
}

// Where what touches has changed, a correction that is as large as the last goes to and fro between two sets of
// nodes: the next is taken by half, a few times.
#define MOST_CYCLES 8
#define GROWN 10.0  // times the last correction: what touched was lost

static td_status iterate_newton(const rod_problem *p, collocation_memory *m,
                                const newton_rules *rules) {
    const node_motion *forces = rules->frozen ? m->frozen : m->now.nodes;
    p->m->holding = p->touches && p->c0 != 0.0 && !rules->exact;
    if (p->m->holding) contact_hold(p);
    if (!evaluate(p, &m->now)) return TD_ERR_NOT_FINITE;
    newton_pace pace = newton_begin(p->options->tolerance, rules->exact, rules->sharp);
    if (!rules->exact && touches_anew(p, m)) {
        if (!rod_factor_touched(p, m, forces, false)) return TD_ERR_SINGULAR;
    } else if (rules->exact || m->kept->valid == 0.0 || m->kept->c0 != p->c0) {
        if (!rod_factor(p, m, forces, pace.sharp, NULL)) return TD_ERR_SINGULAR;
        pace.current = true;
    }
    double last = HUGE_VAL, part = 1.0;
    int cycles = 0;
    for (int i = 0; i < rules->most; i++) {
        p->stats->iterations++;
        rod_solve(p->r, m, m->now.residual, m->step);
        double size = size_of_step(p->r, m->step);
        if (!(size <= rules->farthest) && !(angle_of_step(p, m->step) <= rules->farthest))
            return TD_ERR_NOT_CONVERGED;
        add_step(p->r, m->step, part, &m->now);
        p->m->holding = false;
        if (!evaluate(p, &m->now)) return TD_ERR_NOT_FINITE;
        newton_verdict verdict = part < 1.0 ? NEWTON_ON : newton_judge(&pace, size);
        p->stats->residual = pace.left;
        const bool let_go = i == 0 && touches_anew(p, m);  // of what was held and pulled
        if (verdict == NEWTON_DONE && !let_go) return TD_OK;
        if (verdict == NEWTON_LOOSE) return TD_LOOSE;
        if (verdict == NEWTON_FAILED) return TD_ERR_NOT_CONVERGED;
        part = 1.0;
        if (touches_anew(p, m) && !rules->exact) {
            if (size > 0.5 * last) part = 0.5, cycles++;
            if (size > GROWN * last || cycles > MOST_CYCLES) return TD_ERR_NOT_CONVERGED;
            if (!rod_factor_touched(p, m, forces, pace.sharp)) return TD_ERR_SINGULAR;
            pace.current = false, pace.last = HUGE_VAL;
        } else if (verdict == NEWTON_RENEW || touches_anew(p, m)) {
            if (!rod_factor(p, m, forces, pace.sharp, NULL)) return TD_ERR_SINGULAR;
            pace.current = true;
        }
        last = size;
    }
    return TD_ERR_NOT_CONVERGED;
}

// Publishes the iterate, unless it is one of the spurious solutions.
static td_status accepted(const rod_problem *p, collocation_memory *m, td_status status) {
    if (status < 0) return status;
    iterate_publish(p, &m->now);
    return step_is_plausible(p) ? status : TD_ERR_NOT_CONVERGED;
}

// ---------------------------------------------------------------- friction
// The residual in units of the section laws and efforts.
static double scaled_residual(const rod *r, const double *residual) {
    const int d = unknowns_per_node(r);
    double sum = 0.0;
    for (int i = 0; i < n_strains(r); i++) {
        double x = residual[i] / (i % d < 3 ? r->moment_scale : r->moment_scale / r->length);
        sum += x * x;
    }
    const double *own = residual + n_strains(r);
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        for (int i = 0; i < ra->n_efforts; i++) {
            const bool tension = actuator_rubs(ra->a) && i < ra->n_nodes;
            double x = own[ra->effort + i] / (tension ? ra->effort_scale : ra->a->rest);
            sum += x * x;
        }
    }
    return sqrt(sum);
}

static void save(const rod *r, const iterate *it, double *to) {
    memcpy(to, it->x, sizeof(double) * 6 * (size_t)r->n_nodes);
    memcpy(to + 6 * r->n_nodes, it->efforts, sizeof(double) * (size_t)r->n_efforts);
}

static void restore(const rod *r, const double *from, iterate *it) {
    memcpy(it->x, from, sizeof(double) * 6 * (size_t)r->n_nodes);
    memcpy(it->efforts, from + 6 * r->n_nodes, sizeof(double) * (size_t)r->n_efforts);
}

#define HALVINGS 6

// Newton with a new matrix in every iteration and steps that are cut while the residual would grow: what
// sticks and what slides changes on the way.
static td_status search(const rod_problem *p, collocation_memory *m, double farthest, int most) {
    const rod *r = p->r;
    double *start = m->saved + 6 * r->n_nodes + r->n_efforts;
    if (!evaluate(p, &m->now)) return TD_ERR_NOT_FINITE;
    double now = scaled_residual(r, m->now.residual);
    for (int i = 0; i < most; i++) {
        p->stats->iterations++;
        if (!rod_factor(p, m, m->now.nodes, i > 4, NULL)) return TD_ERR_SINGULAR;
        rod_solve(r, m, m->now.residual, m->step);
        const double size = size_of_step(r, m->step);
        if (!(angle_of_step(p, m->step) <= farthest)) return TD_ERR_NOT_CONVERGED;
        save(r, &m->now, start);
        double part = 1.0, best = HUGE_VAL;
        for (int k = 0; k <= HALVINGS; k++, part *= 0.5) {
            restore(r, start, &m->now);
            for (int j = 0; k && j < n_strains(r) + r->n_efforts; j++) m->step[j] *= 0.5;
            add_step(r, m->step, 1.0, &m->now);
            best = evaluate(p, &m->now) ? scaled_residual(r, m->now.residual) : HUGE_VAL;
            if (best < (1.0 - 0.1 * part) * now || size <= 10.0 * p->options->tolerance) break;
        }
        if (best == HUGE_VAL) return TD_ERR_NOT_FINITE;
        p->stats->residual = size;
        if (part == 1.0 && size <= p->options->tolerance) return TD_OK;
        now = best;
    }
    return p->stats->residual <= LOOSE_FACTOR * p->options->tolerance ? TD_LOOSE
                                                                      : TD_ERR_NOT_CONVERGED;
}

// ---------------------------------------------------------------- what is stiff, rung by rung
#define MOST_RUNGS 40

// *rung, a number of `soft`, makes what is stiff softer by so much.
static td_status tighten(rod_problem *soft, double *rung, double stride, collocation_memory *m,
                         double farthest, int most) {
    ladder l = {.rung = *rung, .stride = stride};
    td_status status = TD_OK;
    for (int i = 0; i < MOST_RUNGS && (i == 0 || ladder_next(&l, status >= 0)); i++) {
        *rung = l.rung;
        if (status < 0) restore(soft->r, m->saved, &m->now);
        status = search(soft, m, farthest, most);
        m->kept->valid = 0.0;
        if (status >= 0) save(soft->r, &m->now, m->saved);
    }
    return *rung == 1.0 ? status : TD_ERR_NOT_CONVERGED;
}

#define SLACKEST 0.06   // presliding to begin with, in units of the offset
#define FIRST_GRIP 6.0  // how much the presliding shrinks from one solution to the next

static double slackest(const rod *r) {
    double most = 1.0;
    for (int i = 0; i < r->n_actuators; i++) {
        const actuator *a = r->actuators[i].a;
        if (actuator_rubs(a)) most = fmax(most, SLACKEST * a->offset / a->presliding);
    }
    return most;
}

// Friction that sticks is stiff: first with a long way to slide, then with shorter ones.
static td_status loosen(const rod_problem *p, collocation_memory *m, double farthest, int most) {
    rod_problem loose = *p;
    loose.looseness = slackest(p->r);
    return tighten(&loose, &loose.looseness, FIRST_GRIP, m, farthest, most);
}

// ---------------------------------------------------------------- contact
#define FIRST_HARDENING 10.0  // how much harder obstacles become from one solution to the next

// What touches and what does not must be found out: with soft obstacles that become harder, `softness` times
// softer than they are to begin with.
static td_status harden(const rod_problem *p, collocation_memory *m, double farthest,
                        double softness, int most) {
    rod_problem soft = *p;
    soft.softness = fmax(1.0, softness);
    return tighten(&soft, &soft.softness, FIRST_HARDENING, m, farthest, most);
}

// Times softer than obstacles are, which is softer than the rod itself: EI/L^4.
static double softest(const rod *r) {
    const double EI = r->moment_scale * r->length, L2 = r->length * r->length;
    double most = 1.0;
    for (int i = 0; i < r->n_obstacles; i++)
        most = fmax(most, r->contacts[i].stiffness * L2 * L2 / EI);
    return most;
}

// At once, or else so.
static td_status search_then_harden(const rod_problem *p, collocation_memory *m, double farthest,
                                    double softness, int most) {
    save(p->r, &m->now, m->saved);
    td_status status = search(p, m, farthest, most);
    m->kept->valid = 0.0;
    if (status >= 0) return status;
    restore(p->r, m->saved, &m->now);
    return harden(p, m, farthest, softness, most);
}

td_status newton_step(const rod_problem *p, collocation_memory *m, const cosserat_time *time,
                      double dt) {
    const rod *r = p->r;
    double w[3];
    if (rod_rubs(r)) m->kept->valid = 0.0;  // they are not kept
    extrapolation_weights(time, dt, w);
    iterate_recall(r, p->m, w, &m->now);
    int most = p->options->max_iterations;
    newton_rules rules = {.farthest = FARTHEST, .most = most < PATIENCE ? most : PATIENCE};
    rod_problem rough = *p;
    rough.rough = true;
    td_status status = accepted(p, m, iterate_newton(&rough, m, &rules));
    if (status >= 0) return status;

    // From the last strains, with forces and rates frozen where they were: an iterate with a wrong
    // twist has inertial forces whose geometric stiffness would spoil the matrix. Then, for soft rods
    // that only take their time, from there once more with all the patience there is.
    static const double present[3] = {1.0, 0.0, 0.0};
    p->stats->fallbacks++;
    p->m->holding = false;
    if (p->touches) {
        iterate_recall(r, p->m, w, &m->now);
        status = accepted(p, m, harden(p, m, HUGE_VAL, FIRST_HARDENING, PATIENCE));
        if (status >= 0) return status;
        iterate_recall(r, p->m, present, &m->now);
        status = accepted(p, m, search_then_harden(p, m, HUGE_VAL, FIRST_HARDENING, PATIENCE));
        if (status >= 0) return status;
    }
    iterate_of_present(p, &m->now, m->frozen);
    rules.exact = true;
    rules.most = most;
    rules.farthest = HUGE_VAL;
    for (int attempt = 0; attempt < 2 && status < 0; attempt++) {
        iterate_recall(r, p->m, present, &m->now);
        rules.frozen = attempt == 0;
        rules.sharp = attempt == 1;
        status = accepted(p, m, iterate_newton(p, m, &rules));
    }
    m->kept->valid = 0.0;
    if (status < 0 && rod_rubs(r)) {
        iterate_recall(r, p->m, present, &m->now);
        status = accepted(p, m, loosen(p, m, HUGE_VAL, PATIENCE));
    }
    return status;
}

td_status newton_follow(const rod_problem *p, collocation_memory *m, double farthest) {
    newton_rules rules = {.farthest = farthest, .most = 25, .exact = rod_rubs(p->r) || p->touches};
    return iterate_newton(p, m, &rules);
}

td_status newton_loosen(const rod_problem *p, collocation_memory *m, double farthest) {
    if (!rod_rubs(p->r) && !p->touches) return TD_ERR_NOT_CONVERGED;
    p->stats->fallbacks++;
    if (p->touches) return search_then_harden(p, m, farthest, softest(p->r), 2 * PATIENCE);
    return loosen(p, m, farthest, 2 * PATIENCE);
}
