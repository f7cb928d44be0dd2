// The snap of a pair of concentric tubes (Till et al. 2020), 12 ms of motion: processor time against the step, when the
// snap comes and how far it swings. The published program takes 0.18 s for a step of 10 us (built with -O3, one core of a
// shared AMD EPYC), some 220 s for all of it.   bench_tubes FILE, examples/tube-snap.yaml
#include "bench.h"

#include <math.h>

#define PI 3.14159265358979323846
#define PUBLISHED 220.0  // s

static double angle(const td_system *system, const td_state *state) {
    const td_pose x = td_get_pose(system, state, 1, 0.112 + 0.0531),
                  y = td_get_pose(system, state, 0, 0.0531);
    const double z = x.q[0] * y.q[3] - x.q[3] * y.q[0] - x.q[1] * y.q[2] + x.q[2] * y.q[1];
    const double c = x.q[0] * y.q[0] + x.q[1] * y.q[1] + x.q[2] * y.q[2] + x.q[3] * y.q[3];
    return 2.0 * atan2(c < 0.0 ? -z : z, fabs(c));
}

static void snap(const td_system *system, double dt) {
    double best = HUGE_VAL, crosses = 0.0, largest = 0.0;
    int corrections = 0;
    const int n = (int)(0.012 / dt + 0.5);
    for (int round = 0; round < 3; round++) {
        td_state *state = td_state_create(system);
        bench_need(state && td_begin(system, state) >= 0, "no start");
        double spent = 0.0, last = angle(system, state);
        crosses = largest = 0.0, corrections = 0;
        for (int k = 1; k <= n; k++) {
            const double start = bench_seconds();
            bench_need(td_advance(system, state, dt) >= 0, td_message(state));
            spent += bench_seconds() - start;
            corrections += td_get_stats(state)->iterations;
            double now = angle(system, state);
            now += 2.0 * PI * rint((last - now) / (2.0 * PI));
            if (crosses == 0.0 && now >= 4.0) crosses = dt * (k - (now - 4.0) / (now - last));
            largest = fmax(largest, now);
            last = now;
        }
        best = fmin(best, spent);
        td_state_destroy(state);
    }
    printf("%.0f,%d,%.4f,%.0f,%.4f,%.3f,%.1f,%.0f\n", 1e6 * dt, n, best, 1e6 * best / n,
           1e3 * crosses, largest, (double)corrections / n, PUBLISHED / best);
}

int main(int argc, char **argv) {
    static const double steps[] = {10e-6, 20e-6, 50e-6, 100e-6};
    td_error err = {0};
    td_robot *robot = td_robot_load(argc > 1 ? argv[1] : "examples/tube-snap.yaml", NULL, 0, &err);
    bench_need(robot != NULL, err.message);
    const td_options o = td_robot_options(robot);
    td_system *system = td_system_create(robot, &o, &err);
    bench_need(system != NULL, err.message);
    puts("us,steps,s,us_per_step,snaps_at_ms,largest_rad,corrections,times_as_fast_as_published");
    for (int i = 0; i < 4; i++) snap(system, steps[i]);
    td_system_destroy(system);
    td_robot_destroy(robot);
    return 0;
}
