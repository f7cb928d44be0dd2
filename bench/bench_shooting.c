// Cost of a step by shooting: against the number of integration steps, for each theory and
// integrator, and where the time goes. The benchmark rod of Till 2019, section 3 (0.4 m, 1 mm, steel,
// 0.5 N released at the tip), BDF-alpha -0.2, 5 ms.
//
// Machines are noisy: each number is the least of several rounds that visit all cases in turn.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/cosserat/shooting/bvp.h"
#include "tendril/tendril.h"

enum { ROUNDS = 7, RUN = 60 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static td_robot *benchmark_robot(void) {
    td_error err;
    td_robot *robot = td_robot_create();
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.4;
    piece.youngs_modulus = 207e9, piece.shear_modulus = 79e9, piece.density = 8000.0;
    piece.section.radius = piece.section_end.radius = 1e-3;
    td_rod_def def = td_default_rod_def();
    def.name = "rod", def.pieces = &piece, def.n_pieces = 1;
    td_input_def hold = {.name = "hold", .unit = "N"};
    td_load_def load = td_default_load_def();
    load.name = "weight", load.from = 0.4;
    load.force[0] = (td_number){0.0, -1.0, 0};
    td_number none[3] = {td_constant(0.0), td_constant(0.0), td_constant(0.0)};
    td_robot_add_input(robot, &hold, &err);
    td_robot_add_rod(robot, &def, &err);
    td_robot_add_load(robot, &load, &err);
    td_robot_set_gravity(robot, none, &err);
    return robot;
}

typedef struct timing {
    double step;  // s
    double shots, jacobians;
} timing;

// The release, RUN steps of it.
static timing time_steps(const td_system *system, td_state *state) {
    td_state_reset(system, state);
    td_set_input(system, state, 0, 0.5);
    td_solve_statics(system, state);
    td_set_input(system, state, 0, 0.0);
    timing t = {0};
    double start = now();
    for (int i = 0; i < RUN; i++) {
        if (td_step(system, state, 5e-3) < 0) {
            fprintf(stderr, "bench_shooting: %s\n", td_message(state));
            exit(1);
        }
        t.shots += td_get_stats(state)->shots;
        t.jacobians += td_get_stats(state)->jacobians;
    }
    t.step = (now() - start) / RUN;
    t.shots /= RUN;
    t.jacobians /= RUN;
    return t;
}

static const char *const theory_names[] = {"cosserat", "kirchhoff"};
static const char *const integrator_names[] = {"rk4", "euler"};

typedef struct bench_case {
    td_options options;
    td_system *system;
    td_state *state;
    timing best;
} bench_case;

static void cost_against_steps(const td_robot *robot) {
    static const int counts[] = {10, 25, 50, 100, 200, 400};
    enum { N = sizeof counts / sizeof counts[0], CASES = 4 * N };
    bench_case cases[CASES];
    for (int i = 0; i < CASES; i++) {
        bench_case *c = &cases[i];
        td_error err;
        c->options = td_default_options();
        c->options.space = TD_SHOOTING;
        c->options.theory = (td_theory)(i / N / 2);
        c->options.integrator = (td_integrator)(i / N % 2);
        c->options.steps = counts[i % N];
        c->system = td_system_create(robot, &c->options, &err);
        c->state = td_state_create(c->system);
        c->best.step = 1e9;
    }
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < CASES; i++) {
            timing t = time_steps(cases[i].system, cases[i].state);
            if (t.step < cases[i].best.step) cases[i].best = t;
        }
    printf("theory,integrator,steps,us_per_step,real_time_ratio,shots,jacobians,kilobytes\n");
    for (int i = 0; i < CASES; i++) {
        const bench_case *c = &cases[i];
        printf("%s,%s,%d,%.1f,%.0f,%.2f,%.2f,%.0f\n", theory_names[c->options.theory],
               integrator_names[c->options.integrator], c->options.steps, 1e6 * c->best.step,
               5e-3 / c->best.step, c->best.shots, c->best.jacobians,
               (double)td_state_bytes(c->system) / 1024.0);
        td_state_destroy(c->state);
        td_system_destroy(c->system);
    }
}

// A shot alone, with and without the variational equations.
static void where_the_time_goes(const td_robot *robot) {
    printf("\ntheory,integrator,steps,us_per_shot,us_with_variations,us_by_differences\n");
    for (int i = 0; i < 4; i++) {
        td_options o = td_default_options();
        o.space = TD_SHOOTING;
        td_error err;
        o.theory = (td_theory)(i / 2);
        o.integrator = (td_integrator)(i % 2);
        o.steps = 100;
        cosserat *c = cosserat_compile(robot, &o, &err);
        const rod *r = &c->rods[0];
        size_t n = (size_t)r->n_nodes;
        double *zero = calloc(n * F_SIZE, sizeof(double)), input = 0.5, residual[6], J[36];
        double *nodes = calloc(n * Y_SIZE, sizeof(double));
        double *strains = calloc(n * 6, sizeof(double));
        double *bounds = calloc(n * Y_SIZE, sizeof(double));
        element_loads loads;
        td_stats stats = {0};
        rod_loads_at(r, &input, 1.0, &loads);
        shooting s = {.r = r, .options = &c->options, .c0 = 300.0, .history = zero,
                      .history_mid = zero, .loads = &loads, .base = rod_base_at(r, &input, NULL),
                      .nodes = nodes, .bounds = bounds, .strains = strains, .stats = &stats};
        shoot_whole(&s);
        const double G[6] = {-0.4, 0.0, 0.0, 0.0, -0.15, 0.0};
        double best[3] = {1e9, 1e9, 1e9};
        for (int k = 0; k < 20 * ROUNDS; k++) {
            double t0 = now();
            for (int j = 0; j < 10; j++) shoot(&s, G, residual, NULL);
            double t1 = now();
            for (int j = 0; j < 10; j++) shoot(&s, G, residual, J);
            double t2 = now();
            for (int j = 0; j < 70; j++) shoot(&s, G, residual, NULL);  // 1 + 6 shots
            double t3 = now();
            double t[3] = {(t1 - t0) / 10.0, (t2 - t1) / 10.0, (t3 - t2) / 10.0};
            for (int m = 0; m < 3; m++)
                if (t[m] < best[m]) best[m] = t[m];
        }
        printf("%s,%s,%d,%.2f,%.2f,%.2f\n", theory_names[o.theory],
               integrator_names[o.integrator], o.steps, 1e6 * best[0], 1e6 * best[1],
               1e6 * best[2]);
        free(zero), free(nodes), free(bounds), free(strains);
        cosserat_release(c);
    }
}

int main(void) {
    td_robot *robot = benchmark_robot();
    cost_against_steps(robot);
    where_the_time_goes(robot);
    td_robot_destroy(robot);
    return 0;
}
