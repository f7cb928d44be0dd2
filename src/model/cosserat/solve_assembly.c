// model/cosserat/solve_assembly.c - Newton on all unknowns of an assembly at once.
//
// The factors of the rods and of the border are kept from one iteration to the next, and from one
// step to the next, while they contract.
#include <math.h>
#include <string.h>

#include "model/cosserat/assembly.h"
#include "model/cosserat/pace.h"

// A plain iteration that has not arrived after this many corrections had better start elsewhere.
#define PATIENCE 15
// A path is followed in corrections smaller than this angle over a rod.
#define FOLLOW_ANGLE 4.0
#define SOFTEST 1e6          // obstacles to begin with, in parts of their stiffness
#define LOOSEST 300.0        // presliding to begin with, times what it is
#define TOUCHING_ANGLE 40.0  // and larger where a node touches an obstacle
#define MOST_FOLLOWING 25
#define FARTHEST_GUESS 1.6  // rad, that ends which joints hold turn by
// A joint that gapes less than this, as an angle or a share of the length, is closed.
#define CLOSED 1e-6

typedef struct newton_rules {
    bool frozen;      // forces and rates of the last accepted step in the matrices of the rods
    bool fresh;       // not with the factors of another step
    bool exact;       // a new matrix in every iteration
    bool sharp;       // the most exact tangent from the start
    double farthest;  // give up beyond this correction
    int most;         // iterations
} newton_rules;

// See touches_anew of a rod alone.
static bool touches_anew(const assembly_problem *p) {
    return p->own->kept->touching != assembly_touching(p);
}

// From point; ends with the answer there, and evaluated.
static td_status correct(const assembly_problem *p, double *point, const newton_rules *rules) {
    assembly_memory *own = p->own;
    for (int i = 0; i < p->a->n_rods; i++) {
        own->problems[i].frozen = rules->frozen;
        if (rules->frozen && p->c->scheme->ports->freeze)
            p->c->scheme->ports->freeze(&own->problems[i]);
    }
    if (!assembly_evaluate(p, point, own->residual)) return TD_ERR_NOT_FINITE;
    newton_pace pace = newton_begin(p->c->options.tolerance, rules->exact, rules->sharp);
    if (rules->exact || rules->fresh || !assembly_is_factored(p) || touches_anew(p)) {
        if (!assembly_factor(p, pace.sharp, NULL)) return TD_ERR_SINGULAR;
        pace.current = true;
    }
    for (int i = 0; i < rules->most; i++) {
        p->stats->iterations++;
        assembly_solve(p, own->residual, own->change);
        double size = assembly_size(p, own->change);
        if (!(size <= rules->farthest) && !(assembly_angle(p, own->change) <= rules->farthest))
            return TD_ERR_NOT_CONVERGED;
        if (p->a->meets) pairs_hold_on(p);
        assembly_move(p, point, 1.0, own->change, point);
        if (!assembly_evaluate(p, point, own->residual)) return TD_ERR_NOT_FINITE;
        newton_verdict verdict = newton_judge(&pace, size);
        p->stats->residual = pace.left;
        if (verdict == NEWTON_DONE) return TD_OK;
        if (verdict == NEWTON_LOOSE) return TD_LOOSE;
        if (verdict == NEWTON_FAILED) return TD_ERR_NOT_CONVERGED;
        if (verdict == NEWTON_ON && !touches_anew(p)) continue;
        if (!assembly_factor(p, pace.sharp, NULL)) return TD_ERR_SINGULAR;
        pace.current = true;
    }
    return TD_ERR_NOT_CONVERGED;
}

static td_status iterate_newton(const assembly_problem *p, double *point,
                                const newton_rules *rules) {
    pairs_let_go(&p->m->pairs);
    assembly_carry(p, point);
    const td_status status = correct(p, point, rules);
    pairs_let_go(&p->m->pairs);
    return status;
}

static td_status accepted(const assembly_problem *p, td_status status) {
    if (status < 0) return status;
    assembly_publish(p);
    return assembly_is_plausible(p) ? status : TD_ERR_NOT_CONVERGED;
}

// ---------------------------------------------------------------- friction and contact
// `sticks`: presliding begins `softest` times longer; else obstacles so much softer.
static td_status tighten(const assembly_problem *p, double *point, const newton_rules *rules,
                         bool sticks, double softest) {
    const size_t bytes = sizeof(double) * (size_t)n_point(p->a);
    ladder l = {.rung = softest, .stride = 10.0};
    td_status status;
    p->stats->fallbacks++;
    do {
        for (int i = 0; i < p->a->n_rods; i++)
            *(sticks ? &p->own->problems[i].looseness : &p->own->problems[i].softness) = l.rung;
        status = iterate_newton(p, point, rules);
        if (status >= 0) memcpy(p->own->points[1], point, bytes);
        else if (l.reached > 0.0) memcpy(point, p->own->points[1], bytes);
    } while (ladder_next(&l, status >= 0));
    for (int i = 0; i < p->a->n_rods; i++)
        p->own->problems[i].looseness = p->own->problems[i].softness = 1.0;
    p->own->kept->valid = 0.0;
    return status;
}

// ---------------------------------------------------------------- steps and paths
static bool stands_on_bodies(const assembly_problem *p) {
    for (int i = 0; i < p->a->n_rods; i++)
        if (p->own->problems[i].r->base_body >= 0) return true;
    return false;
}

// How far the ends of a rod would turn against one another from the current shape to the guess: the integral of what its
// curvature and twist change by.
static double turn_of_guess(const rod *r, double *const fields[3], const double w[3]) {
    vec3 turn = vec3_zero();
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const size_t at = (size_t)(e->node + i) * F_SIZE + F_U;
            vec3 u = vec3_scale(vec3_load(fields[0] + at), w[0] - 1.0);
            u = vec3_madd(u, w[1], vec3_load(fields[1] + at));
            u = vec3_madd(u, w[2], vec3_load(fields[2] + at));
            turn = vec3_madd(turn, e->quadrature[i], u);
        }
    }
    return vec3_norm(turn);
}

// Joints cannot tell whole turns: a guess that goes on turning through a step five times as long as the last ends a turn or
// more from where its ends are, and there it would stay. Such a guess is the current shape.
static bool guess_may_lose_turns(const assembly_problem *p, const double w[3]) {
    for (int i = 0; i < p->a->n_rods && p->a->n_joints; i++) {
        const rod_memory *m = &p->m->rods[p->a->rods[i]];
        if (turn_of_guess(m->r, m->fields, w) > FARTHEST_GUESS) return true;
    }
    return false;
}

// A rod whose base can turn swings as a whole: an iterate that is wrong by a small angle is wrong by
// c0 times that in its twist, and has centripetal forces whose geometric stiffness would spoil the
// matrix. So it is made of the last accepted forces, anew in every step. Other assemblies, and a
// second attempt, as with rods alone (newton_step).
td_status assembly_step(const assembly_problem *p, const cosserat_time *time) {
    static const double present[3] = {1.0, 0.0, 0.0};
    if (assembly_rubs(p)) p->own->kept->valid = 0.0;  // factors of such rods are not kept
    p->own->coupling.there = p->own->crowded = false;
    double w[3];
    const int most = p->c->options.max_iterations;
    newton_rules rules = {.farthest = HUGE_VAL, .most = most < PATIENCE ? most : PATIENCE};
    rules.frozen = rules.fresh = stands_on_bodies(p);
    extrapolation_weights(time, p->dt, w);
    assembly_recall(p, guess_may_lose_turns(p, w) ? present : w, p->own->now);
    td_status status = accepted(p, iterate_newton(p, p->own->now, &rules));
    rules.most = most;
    rules.exact = true;
    for (int attempt = 0; attempt < 2 && status < 0; attempt++) {
        p->stats->fallbacks++;
        rules.frozen = attempt == 0;
        rules.sharp = attempt == 1;
        assembly_recall(p, present, p->own->now);
        status = accepted(p, iterate_newton(p, p->own->now, &rules));
    }
    if (status < 0 && p->c->n_obstacles) {
        assembly_recall(p, present, p->own->now);
        status = accepted(p, tighten(p, p->own->now, &rules, false, 10.0));
    }
    if (status < 0 && assembly_rubs(p)) {
        assembly_recall(p, present, p->own->now);
        status = accepted(p, tighten(p, p->own->now, &rules, true, LOOSEST));
    }
    return status;
}

td_status assembly_follow(const assembly_problem *p, double *point, path_test *test) {
    newton_rules rules = {.farthest = FOLLOW_ANGLE, .most = MOST_FOLLOWING};
    if (p->fraction < 1.0) p->own->kept->valid = 0.0;  // a path: a new matrix for every point
    const bool sticks = assembly_rubs(p), touches = p->c->n_obstacles > 0 || p->a->meets;
    if (touches) rules.farthest = TOUCHING_ANGLE, rules.exact = true;
    if (sticks) p->own->kept->valid = 0.0;
    const size_t bytes = sizeof(double) * (size_t)n_point(p->a);
    if (sticks || touches) memcpy(p->own->now, point, bytes);
    td_status status = iterate_newton(p, point, &rules);
    if (status < 0 && touches) {
        memcpy(point, p->own->now, bytes);
        rules.most = 2 * MOST_FOLLOWING;
        status = tighten(p, point, &rules, false, SOFTEST);
    } else if (status < 0 && sticks) {
        memcpy(point, p->own->now, bytes);
        rules.exact = true;
        rules.most = 2 * MOST_FOLLOWING;
        status = tighten(p, point, &rules, true, LOOSEST);
    }
    if (status >= 0) *test = assembly_test(p);
    return status;
}

int assembly_widest(const assembly_problem *p, double *distance, double *angle) {
    int widest = 0;
    double worst = -1.0, gap, turn;
    *distance = *angle = 0.0;
    for (int k = 0; k < p->a->n_joints; k++) {
        joint_mismatch(p, k, &gap, &turn);
        if (gap + p->a->length * turn <= worst) continue;
        worst = gap + p->a->length * turn;
        *distance = gap, *angle = turn;
        widest = k;
    }
    return widest;
}

td_status assembly_check_closed(assembly_problem *p, char *message) {
    static const double present[3] = {1.0, 0.0, 0.0};
    double distance, angle;
    char name[96] = "";
    if (p->a->n_joints == 0 || p->own->kept->closed != 0.0) return TD_OK;
    assembly_prepare(p);
    assembly_forget(p);
    assembly_recall(p, present, p->own->now);
    if (!assembly_evaluate(p, p->own->now, p->own->residual)) return TD_ERR_NOT_FINITE;
    int widest = assembly_widest(p, &distance, &angle);
    if (distance <= CLOSED * p->a->length && angle <= CLOSED) {
        p->own->kept->closed = 1.0;
        return TD_OK;
    }
    joint_name(p->c, &p->c->joints[p->a->joints[widest]], name, sizeof name);
    return tell(message, TD_ERR_ARGUMENT,
                "the chain is not closed yet: %s is %.4g m and %.3g deg away from its joint; "
                "solve the statics first; of an estimator, noise and start of coordinates do this, "
                "those of rates do not",
                name, distance, angle * DEGREES);
}
