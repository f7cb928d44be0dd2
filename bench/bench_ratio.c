// How much faster collocation is than shooting at equal accuracy: 0.1 % of the length against a
// converged solution at the same time step. The released cantilever of Till 2019 section 3 at
// 5 ms, BDF-alpha -0.2, 0.5 s.
//
// Shooting comes as it is here (variational equations, a kept matrix with Broyden's updates) and as
// it is often written: Newton with a matrix of forward differences in every iteration, one shot and
// six more, RK4 on 150 steps.
#include <string.h>

#include "bench.h"
#include "math/dense.h"
#include "model/cosserat/shooting/shoot.h"
#include "sim/system.h"

enum { RUN = 100, MANY_STEPS = 150, FINE_STEPS = 400, FINE_NODES = 16, ROUNDS = 7 };

#define STEP 5e-3    // s
#define ENOUGH 1e-3  // of the length
#define TOLERANCE 1e-8

// ---------------------------------------------------------------- Newton by differences
// Stands in for the solver of the shooting scheme; histories, time formula and books stay.
typedef struct by_differences {
    space_scheme scheme;
    void (*settle)(const rod *r, rod_memory *m, const double *unknowns);
    bool extrapolate;   // the guess: along the last three answers, or the last one
    double past[3][6];  // base wrench now and at the last two steps
    double mid[MANY_STEPS * F_SIZE];
} by_differences;

static by_differences differences;  // a scheme has no place for data of its own

static double scale_of(const rod *r, int i) {
    return i < 3 ? r->force_scale : r->moment_scale;
}

static double size_of(const rod *r, const double residual[6]) {
    double largest = 0.0;
    for (int i = 0; i < 6; i++) largest = fmax(largest, fabs(residual[i]) / scale_of(r, i));
    return largest;
}

static bool difference_matrix(shooting *s, const double G[6], const double residual[6], double *J) {
    for (int k = 0; k < 6; k++) {
        double near[6], moved[6], h = 1e-7 * scale_of(s->r, k);
        memcpy(near, G, sizeof near);
        near[k] += h;
        if (!shoot(s, near, moved, NULL)) return false;
        for (int i = 0; i < 6; i++) J[6 * i + k] = (moved[i] - residual[i]) / h;
    }
    return true;
}

static td_status newton(shooting *s, double G[6]) {
    double residual[6], J[36];
    int pivot[6];
    for (int i = 0; i < 20; i++) {
        s->stats->iterations++;
        if (!shoot(s, G, residual, NULL)) return TD_ERR_NOT_FINITE;
        if (size_of(s->r, residual) <= s->options->tolerance) return TD_OK;
        s->stats->jacobians++;
        if (!difference_matrix(s, G, residual, J)) return TD_ERR_NOT_FINITE;
        if (!lu_factor(6, J, pivot)) return TD_ERR_SINGULAR;
        lu_solve(6, J, pivot, residual);
        for (int k = 0; k < 6; k++) G[k] -= residual[k];
    }
    return TD_ERR_NOT_CONVERGED;
}

static td_status solve_by_differences(const rod_problem *p, const cosserat_time *time, double dt) {
    by_differences *d = &differences;
    shooting s = {.r = p->r,
                  .options = p->options,
                  .c0 = p->c0,
                  .history = p->m->history,
                  .history_mid = d->mid,
                  .loads = p->m->loads,
                  .gravity = p->gravity,
                  .base = p->base,
                  .nodes = p->m->trial,
                  .bounds = p->m->trial_bounds,
                  .strains = p->m->strains,
                  .stats = p->stats};
    shoot_whole(&s);
    shoot_midpoints(p->r, p->options->history, p->m->history, d->mid);
    double w[3] = {1.0, 0.0, 0.0}, G[6];
    if (d->extrapolate) extrapolation_weights(time, dt, w);
    for (int i = 0; i < 6; i++)
        G[i] = w[0] * d->past[0][i] + w[1] * d->past[1][i] + w[2] * d->past[2][i];
    td_status status = newton(&s, G);
    memmove(d->past[1], d->past[0], 2 * sizeof d->past[0]);
    memcpy(d->past[0], G, sizeof G);
    return status;
}

static void settle_differences(const rod *r, rod_memory *m, const double *unknowns) {
    differences.settle(r, m, unknowns);
    for (int i = 0; i < 3; i++) memcpy(differences.past[i], unknowns, sizeof differences.past[i]);
}

static void use_differences(const subject *s) {
    cosserat *c = s->system->compiled;
    differences.scheme = *c->scheme;
    differences.settle = c->scheme->settle;
    differences.scheme.solve = solve_by_differences;
    differences.scheme.settle = settle_differences;
    c->scheme = &differences.scheme;
}

// ---------------------------------------------------------------- the contestants
typedef struct contestant {
    const char *name;
    td_options options;
    int extrapolate;  // of those by differences: 0 or 1; -1: none of them
    subject subject;
    double error;  // of the length
    cost best;
} contestant;

static td_options options_of(td_theory theory, td_space space, int size) {
    td_options o = td_default_options();
    o.theory = theory;
    o.space = space;
    o.tolerance = TOLERANCE;
    if (space == TD_COLLOCATION) o.nodes = size;
    else o.steps = size;
    return o;
}

static double error_of(const subject *s, const double *truth) {
    double tips[3 * RUN];
    if (!bench_tips(s, STEP, RUN, tips)) return HUGE_VAL;
    return bench_distance(RUN, tips, truth) / BENCH_LENGTH;
}

static int *size_in(td_options *o) {
    return o->space == TD_COLLOCATION ? &o->nodes : &o->steps;
}

// With the fewest nodes or steps that are enough (to 5 % where there are many).
static td_options fewest(const td_robot *robot, td_options o, const double *truth) {
    double error = HUGE_VAL;
    for (int *size = size_in(&o); error > ENOUGH; *size += error > ENOUGH ? 1 + *size / 20 : 0) {
        subject s = bench_open(robot, &o);
        error = error_of(&s, truth);
        bench_close(&s);
    }
    return o;
}

static contestant enter(const td_robot *robot, const char *name, td_options options,
                        int extrapolate, const double *truth) {
    contestant c = {.name = name, .options = options, .extrapolate = extrapolate};
    c.subject = bench_open(robot, &options);
    if (extrapolate >= 0) use_differences(&c.subject);
    differences.extrapolate = extrapolate == 1;
    c.error = error_of(&c.subject, truth);
    c.best.seconds = HUGE_VAL;
    return c;
}

static void print_contestant(contestant *c, const contestant *first) {
    printf("%s,%s,%d,%.1e,%.2f,%.2f,%.2f,%.1f\n", bench_theories[c->options.theory], c->name,
           *size_in(&c->options), c->error, 1e6 * c->best.seconds, c->best.iterations,
           c->best.jacobians, c->best.seconds / first->best.seconds);
}

static void compete(const td_robot *robot, td_theory theory) {
    double truth[3 * RUN];
    td_options fine = options_of(theory, TD_COLLOCATION, FINE_NODES);
    fine.tolerance = 1e-12;
    subject s = bench_open(robot, &fine);
    bench_need(bench_tips(&s, STEP, RUN, truth), "the converged solution failed");
    bench_close(&s);

    const td_options many = options_of(theory, TD_SHOOTING, MANY_STEPS);
    td_options linear = options_of(theory, TD_SHOOTING, 3), euler = linear;
    linear.history = TD_LINEAR;
    euler.integrator = TD_EULER;
    td_options magnus4 = options_of(theory, TD_COLLOCATION, 2);
    magnus4.magnus = 4;
    contestant all[] = {
        enter(robot, "collocation", fewest(robot, options_of(theory, TD_COLLOCATION, 2), truth), -1,
              truth),
        enter(robot, "collocation", options_of(theory, TD_COLLOCATION, 6), -1, truth),
        enter(robot, "collocation_magnus4", fewest(robot, magnus4, truth), -1, truth),
        enter(robot, "shooting", fewest(robot, options_of(theory, TD_SHOOTING, 3), truth), -1,
              truth),
        enter(robot, "shooting_linear_history", fewest(robot, linear, truth), -1, truth),
        enter(robot, "shooting_euler", fewest(robot, euler, truth), -1, truth),
        enter(robot, "shooting", many, -1, truth),
        enter(robot, "shooting_differences_extrapolated", many, 1, truth),
        enter(robot, "shooting_differences", many, 0, truth),
        enter(robot, "shooting", options_of(theory, TD_SHOOTING, FINE_STEPS), -1, truth),
    };
    enum { N = sizeof all / sizeof all[0] };
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < N; i++) {
            differences.extrapolate = all[i].extrapolate == 1;
            bench_keep_least(&all[i].best, bench_run(&all[i].subject, STEP, RUN));
        }
    for (int i = 0; i < N; i++) {
        print_contestant(&all[i], &all[0]);
        bench_close(&all[i].subject);
    }
}

int main(void) {
    td_robot *robot = bench_cantilever(false);
    printf("theory,scheme,nodes_or_steps,error,us_per_step,iterations,jacobians,ratio\n");
    compete(robot, TD_KIRCHHOFF);
    compete(robot, TD_COSSERAT);
    td_robot_destroy(robot);
    return 0;
}
