// Cost of the model rom against its order: equilibria and steps of a pneumatic module with a body
// at its tip (Sadati et al. 2019) that swings after a jump of pressure, and of a slender steel wire
// that was let go; what is left of the error at that order. With an argument, an order: only that,
// for a profiler.
#include "bench.h"
#include "bench_module.h"

typedef struct run {
    const char *name;
    td_robot *(*make)(void);
    double load, step;  // of input 0; s
} run;

typedef struct price {
    double statics, step;  // s
    double tip[3];         // m, in equilibrium
    double iterations;     // a step
} price;

static td_robot *wire(void) {
    const td_piece_def piece = bench_steel();
    const double force[3] = {0.5, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
    return bench_robot(&piece, force, none, 0.0);
}

static double time_statics(const run *r, const td_system *system, td_state *state) {
    const int n = 100;
    double best = HUGE_VAL;
    for (int round = 0; round < 3; round++) {
        double start = bench_seconds();
        for (int i = 0; i < n; i++) {
            td_set_input(system, state, 0, r->load * (0.9 + 0.1 * (i % 2)));
            bench_need(td_solve_statics(system, state) >= 0, td_message(state));
        }
        best = fmin(best, (bench_seconds() - start) / n);
    }
    return best;
}

static price price_of(const run *r, int order) {
    td_error err = {0};
    td_robot *robot = r->make();
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "rom");
    o.rom.order = order;
    td_system *system = td_system_create(robot, &o, &err);
    bench_need(system != NULL, err.message);
    td_state *state = td_state_create(system);
    bench_need(state != NULL, "out of memory");
    const int n = 200;
    price c = {.statics = time_statics(r, system, state), .step = HUGE_VAL};
    td_pose tip = td_get_pose(system, state, 0, td_rod_length(system, 0));
    for (int i = 0; i < 3; i++) c.tip[i] = tip.p[i];
    for (int round = 0; round < 3; round++) {
        td_set_input(system, state, 0, round % 2 ? r->load : 0.0);
        td_restart(system, state);
        double start = bench_seconds();
        for (int i = 0; i < n; i++) {
            bench_need(td_step(system, state, r->step) >= 0, td_message(state));
            c.iterations += td_get_stats(state)->iterations / (3.0 * n);
        }
        c.step = fmin(c.step, (bench_seconds() - start) / n);
    }
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    return c;
}

static void print_price(const run *r, int order, const price *c) {
    printf("%s,%d,%d,%.1f,%.1f,%g,%.1f,%.0f,", r->name, order, 3 * (2 * order + 1),
           1e6 * c->statics, 1e6 * c->step, 1e3 * r->step, c->iterations, r->step / c->step);
}

int main(int argc, char **argv) {
    static const run runs[] = {{"module", bench_module, 5e4, 5e-3}, {"wire", wire, 1.0, 2e-3}};
    const int only = argc > 1 ? atoi(argv[1]) : 0;
    printf("robot,order,coordinates,us_per_equilibrium,us_per_step,ms,corrections,times_real_time,"
           "error_at_rest_m\n");
    for (int k = 0; k < 2; k++) {
        if (only) {
            const price c = price_of(&runs[k], only);
            print_price(&runs[k], only, &c);
            puts("");
            continue;
        }
        const price truth = price_of(&runs[k], 14);
        for (int order = 1; order <= 10; order += order < 6 ? 1 : 2) {
            const price c = price_of(&runs[k], order);
            print_price(&runs[k], order, &c);
            printf("%.0e\n", hypot(hypot(c.tip[0] - truth.tip[0], c.tip[1] - truth.tip[1]),
                                   c.tip[2] - truth.tip[2]));
        }
    }
    return 0;
}
