// bench/bench_estimator.c - what it costs to watch an arm: a step of an estimator, and an update, beside a step of the arm.
#include <string.h>

#include "bench.h"
#include "tendril/estimate.h"

enum { STEPS = 200, ROUNDS = 3 };

static const char *const arm =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: arm, length: 0.25, material: {youngs_modulus: 60 MPa, poisson_ratio: 0.4, density: "
    "1100}, section: {radius: 3 mm}, damping: {time: 15 ms}, base: {direction: [0, 0, -1]}}\n"
    "tendons: [{name: east, offset: [6 mm, 0]}, {name: north, offset: [0, 6 mm]}]\n"
    "loads: [{name: payload, at: tip, force: [side, 0, weight]}]\n"
    "sensors:\n"
    "  - {name: camera, measures: tip.position, noise: 0.3 mm}\n"
    "  - {name: gyro, measures: tip.gyro, noise: 0.01 rad/s}\n"
    "  - {name: gauges, measures: rod.arm.gauge, every: 83 mm, offset: [3 mm, 0], noise: 2e-5}\n"
    "  - {name: others, measures: rod.arm.gauge, every: 83 mm, offset: [0, 3 mm], noise: 2e-5}\n"
    "estimator:\n"
    "  unknowns: [{input: weight, deviation: 20 mN, walk: 0.1}, {input: side, deviation: 5 mN, "
    "walk: 0.02}]\n"
    "  noise: {rates: 0.02}\n"
    "inputs: {east: \"0.5 + 0.5*sin(8*t)\", north: 0.3 N, weight: -60 mN}\n"
    "simulation: {space: {nodes: 6}, time: {scheme: sdirk2}}\n";

typedef struct costs {
    double step, predict, update;  // s
} costs;

static costs measure(const char *theory, int iterations, int *n) {
    char sets[2][64];
    td_error err = {0};
    costs least = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    snprintf(sets[0], sizeof sets[0], "simulation.theory=%s", theory);
    snprintf(sets[1], sizeof sets[1], "estimator.iterations=%d", iterations);
    td_robot *robot =
        td_robot_parse(arm, strlen(arm), "arm", (const char *const[]){sets[0], sets[1]}, 2, &err);
    bench_need(robot != NULL, err.message);
    const td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    bench_need(system != NULL, err.message);
    td_state *state = td_state_create(system);
    td_estimator *e = td_estimator_create(system, &err);
    bench_need(state && e, err.message);
    *n = td_estimator_n(e);
    for (int round = 0; round < ROUNDS; round++) {
        costs sum = {0};
        double y[4][3];
        td_reading readings[4];
        bench_need(td_begin(system, state) >= 0 && td_estimator_begin(e) >= 0, "no start");
        for (int k = 0; k < STEPS; k++) {
            const double a = bench_seconds();
            bench_need(td_advance(system, state, 1e-3) >= 0, td_message(state));
            const double b = bench_seconds();
            bench_need(td_estimator_step(e, 1e-3) >= 0, td_estimator_message(e));
            const double c = bench_seconds();
            for (int i = 0; i < 4; i++) {
                td_get_sensor(system, state, i, y[i], NULL);
                readings[i] = (td_reading){i, y[i]};
            }
            const double d = bench_seconds();
            bench_need(td_estimator_update(e, readings, 4) >= 0, td_estimator_message(e));
            sum.step += b - a, sum.predict += c - b, sum.update += bench_seconds() - d;
        }
        least.step = fmin(least.step, sum.step / STEPS);
        least.predict = fmin(least.predict, sum.predict / STEPS);
        least.update = fmin(least.update, sum.update / STEPS);
    }
    td_estimator_destroy(e);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    return least;
}

int main(void) {
    printf("theory,iterations,numbers,step_us,estimator_step_us,update_us,rate_hz\n");
    for (int t = 0; t < 2; t++)
        for (int iterations = 1; iterations <= 3; iterations += 2) {
            int n;
            const costs c = measure(bench_theories[t], iterations, &n);
            printf("%s,%d,%d,%.0f,%.0f,%.0f,%.0f\n", bench_theories[t], iterations, n, 1e6 * c.step,
                   1e6 * c.predict, 1e6 * c.update, 1.0 / (c.predict + c.update));
        }
    return 0;
}
