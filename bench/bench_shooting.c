// Cost of a step by shooting: against the number of integration steps, for each theory and
// integrator, and where the time goes. The benchmark rod of Till 2019, section 3 (0.4 m, 1 mm, steel,
// 0.5 N released at the tip), BDF-alpha -0.2, 5 ms.
#include "bench.h"
#include "model/cosserat/shooting/bvp.h"

enum { ROUNDS = 7, RUN = 60 };

static const char *const integrator_names[] = {"rk4", "euler"};

typedef struct bench_case {
    td_options options;
    subject subject;
    cost best;
} bench_case;

static void open_case(bench_case *c, const td_robot *robot, int theory, int integrator, int steps) {
    c->options = td_default_options();
    c->options.space = TD_SHOOTING;
    c->options.theory = (td_theory)theory;
    c->options.integrator = (td_integrator)integrator;
    c->options.steps = steps;
    c->subject = bench_open(robot, &c->options);
    c->best.seconds = HUGE_VAL;
}

static void cost_against_steps(const td_robot *robot) {
    static const int counts[] = {10, 25, 50, 100, 200, 400};
    enum { N = sizeof counts / sizeof counts[0], CASES = 4 * N };
    bench_case cases[CASES];
    for (int i = 0; i < CASES; i++)
        open_case(&cases[i], robot, i / N / 2, i / N % 2, counts[i % N]);
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < CASES; i++)
            bench_keep_least(&cases[i].best, bench_run(&cases[i].subject, 5e-3, RUN));
    printf("theory,integrator,steps,us_per_step,real_time_ratio,evaluations,jacobians,kilobytes\n");
    for (int i = 0; i < CASES; i++) {
        bench_case *c = &cases[i];
        printf("%s,%s,%d,%.1f,%.0f,%.2f,%.2f,%.0f\n", bench_theories[c->options.theory],
               integrator_names[c->options.integrator], c->options.steps, 1e6 * c->best.seconds,
               5e-3 / c->best.seconds, c->best.evaluations, c->best.jacobians,
               (double)td_state_bytes(c->subject.system) / 1024.0);
        bench_close(&c->subject);
    }
}

// A shot alone, with and without the variational equations.
static void where_the_time_goes(const td_robot *robot) {
    printf("\ntheory,integrator,steps,us_per_shot,us_with_variations,us_by_differences\n");
    for (int i = 0; i < 4; i++) {
        td_options o = td_default_options();
        o.space = TD_SHOOTING;
        td_error err;
        o.space = TD_SHOOTING;
        o.theory = (td_theory)(i / 2);
        o.integrator = (td_integrator)(i % 2);
        o.steps = 100;
        cosserat *c = cosserat_compile(robot, NULL, &o, &err);
        const rod *r = &c->rods[0];
        size_t n = (size_t)r->n_nodes;
        double *zero = calloc(n * F_SIZE, sizeof(double)), input = 1.0, residual[6], J[36];
        double *nodes = calloc(n * Y_SIZE, sizeof(double));
        double *strains = calloc(n * 6, sizeof(double));
        double *bounds = calloc(n * Y_SIZE, sizeof(double));
        element_loads loads;
        td_stats stats = {0};
        rod_loads_at(r, &input, 1.0, &loads);
        shooting s = {.r = r,
                      .options = &c->options,
                      .c0 = 300.0,
                      .history = zero,
                      .history_mid = zero,
                      .loads = &loads,
                      .base = rod_base_at(r, 1.0, &input, NULL),
                      .nodes = nodes,
                      .bounds = bounds,
                      .strains = strains,
                      .stats = &stats};
        shoot_whole(&s);
        const double G[6] = {-0.4, 0.0, 0.0, 0.0, -0.15, 0.0};
        double best[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
        for (int k = 0; k < 20 * ROUNDS; k++) {
            double t0 = bench_seconds();
            for (int j = 0; j < 10; j++) shoot(&s, G, residual, NULL);
            double t1 = bench_seconds();
            for (int j = 0; j < 10; j++) shoot(&s, G, residual, J);
            double t2 = bench_seconds();
            for (int j = 0; j < 70; j++) shoot(&s, G, residual, NULL);  // 1 + 6 shots
            double t3 = bench_seconds();
            double t[3] = {(t1 - t0) / 10.0, (t2 - t1) / 10.0, (t3 - t2) / 10.0};
            for (int m = 0; m < 3; m++)
                if (t[m] < best[m]) best[m] = t[m];
        }
        printf("%s,%s,%d,%.2f,%.2f,%.2f\n", bench_theories[o.theory],
               integrator_names[o.integrator], o.steps, 1e6 * best[0], 1e6 * best[1],
               1e6 * best[2]);
        free(zero), free(nodes), free(bounds), free(strains);
        cosserat_release(c);
    }
}

int main(void) {
    td_robot *robot = bench_cantilever(false);
    cost_against_steps(robot);
    where_the_time_goes(robot);
    td_robot_destroy(robot);
    return 0;
}
