// Cost of the lumped models: a step against the number of segments, for a pneumatic module with a
// body at its tip (Sadati et al. 2019) that swings after a jump of pressure; its ratio to real time.
// With an argument (eba, ebr, srl): only that model, for a profiler.
#include <string.h>

#include "bench.h"
#include "bench_module.h"

#define STEP 5e-3  // s

static double steps_of(const char *model, int segments, int n, int *iterations) {
    td_error err = {0};
    td_robot *robot = bench_module();
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "%s", model);
    o.lumped.segments = segments;
    td_system *system = td_system_create(robot, &o, &err);
    bench_need(system != NULL, err.message);
    td_state *state = td_state_create(system);
    bench_need(state && td_solve_statics(system, state) >= 0, "no equilibrium");
    double best = HUGE_VAL;
    *iterations = 0;
    for (int round = 0; round < 3; round++) {
        td_set_input(system, state, 0, round % 2 ? 0.0 : 5e4);
        td_restart(system, state);
        double start = bench_seconds();
        for (int i = 0; i < n; i++) {
            bench_need(td_step(system, state, STEP) >= 0, td_message(state));
            *iterations += td_get_stats(state)->iterations;
        }
        best = fmin(best, (bench_seconds() - start) / n);
    }
    *iterations = (*iterations + 3 * n / 2) / (3 * n);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    return best;
}

static void bench_model(const char *model, int most) {
    static const int sizes[] = {1, 2, 5, 10, 20, 40, 100, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; i++) {
        int n = sizes[i], iterations;
        double s = steps_of(model, n, n > 100 ? 5 : n > 20 ? 20 : 200, &iterations);
        printf("%s,%d,%.1f,%.2f,%d,%.0f\n", model, n, 1e6 * s, 1e6 * s / n, iterations, STEP / s);
    }
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : "";
    printf("model,segments,us_per_step,us_per_segment,corrections,times_real_time\n");
    if (!*only || !strcmp(only, "eba")) bench_model("eba", 1000);
    if (!*only || !strcmp(only, "ebr")) bench_model("ebr", 1000);
    if (!*only || !strcmp(only, "srl")) bench_model("srl", 1000);
    return 0;
}
