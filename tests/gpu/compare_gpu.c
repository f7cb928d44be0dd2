// compare_gpu LIBRARY ROBOTS [TOLERANCE [THREADS [STEPS]]]: the same robots on the GPU of LIBRARY and in lanes, and steps per second.
//
// The arm of bench/bench_arm.h, 4, 5, 6 and 8 nodes, and with a payload; tips of the first robots after 200 steps must
// agree within 1e-9 of its length, whoever starts, fails or is reset on the way.
#include "../../bench/bench_arm.h"

#include <string.h>

#include "tendril/batch.h"

#define DT 5e-3
#define COMPARED 2048

static void set_inputs(td_batch *b, int step) {
    double *inputs = td_batch_inputs(b);
    const double t = DT * step, grown = fmin(1.0, 5.0 * t);
    for (int i = 0; i < td_batch_n(b); i++)
        for (int k = 0; k < 4; k++)
            inputs[4 * i + k] =
                grown * (2.0 + 1.5 * sin(6.28 * (0.5 + 0.01 * (i % 100)) * t + 1.57 * k + i));
}

// What happens on the way: some start anew, some are asked for the impossible.
static void disturb(td_batch *b, int step) {
    static bool some[1 << 20];
    const int n = td_batch_n(b);
    for (int i = 0; i < n; i++) some[i] = i % 97 == 13;
    if (step == 60) td_batch_restart(b, some);
    if (step == 90) td_batch_reset(b, some);
    if (step == 120)
        for (int i = 5; i < n; i += 500) td_batch_inputs(b)[4 * i] = nan("");
}

static double wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(td_batch *b, int steps) {
    const double start = wall();
    bench_need(td_batch_step(b, DT, steps, NULL) == 0, "a robot failed");
    return wall() - start;
}

// The arm with a body at its tip.
static td_system *laden_system(int nodes, double tolerance) {
    td_error err = {0};
    td_robot *robot = bench_arm();
    td_body_def body = td_default_body_def();
    body.name = "payload", body.rod = 0, body.at = ARM_LENGTH, body.mass = 5e-3;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1e-7, body.centre[0] = 2e-3;
    bench_need(td_robot_add_body(robot, &body, &err) >= 0, err.message);
    return bench_system_of(robot, TD_KIRCHHOFF, nodes, tolerance);
}

static bool compare(const char *library, int n, int nodes, bool laden, double tolerance,
                    int threads, int most) {
    td_error err = {0};
    td_system *system =
        laden ? laden_system(nodes, tolerance) : bench_arm_system(TD_KIRCHHOFF, nodes, tolerance);
    const int m = n < COMPARED ? n : COMPARED;
    const td_batch_options here = {.kind = TD_BATCH_LANES, .threads = threads};
    const td_batch_options there = {.kind = TD_BATCH_GPU, .threads = threads, .library = library};
    td_batch *a = td_batch_create(system, m, &here, &err);
    bench_need(a != NULL, err.message);
    td_batch *b = td_batch_create(system, n, &there, &err);
    bench_need(b != NULL, err.message);
    long long alone = 0;
    int failed = 0;
    for (int k = 1; k <= most; k++) {
        set_inputs(a, k), set_inputs(b, k);
        disturb(a, k), disturb(b, k);
        failed += td_batch_step(a, DT, 1, NULL) != 0;
        td_batch_step(b, DT, 1, NULL);
        alone += td_batch_alone(b);
    }
    td_pose *tips = calloc((size_t)(n + m), sizeof *tips);
    const double s = ARM_LENGTH;
    td_batch_get_poses(a, 0, &s, 1, tips);
    td_batch_get_poses(b, 0, &s, 1, tips + m);
    double worst = 0.0;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(tips[i].p[k] - tips[m + i].p[k]) / ARM_LENGTH);
    set_inputs(b, most + 1);
    seconds_of(b, 5);
    const int steps = n > 10000 ? 200 : 5;
    const double time = seconds_of(b, steps) / steps, inputs = seconds_of(b, 1);
    printf("%d,%d,%d,%.0e,%.1e,%d,%.5f,%.3g,%.3g\n", nodes, laden, n, tolerance, worst, failed,
           (double)alone / most / n, n / time, n / inputs);
    fflush(stdout);
    free(tips);
    td_batch_destroy(a), td_batch_destroy(b), td_system_destroy(system);
    return worst <= fmax(1e-9, 10.0 * tolerance) && failed == (most >= 120);
}

int main(int argc, char **argv) {
    static const int nodes[] = {4, 5, 6, 8, 4, 6};
    bench_need(argc >= 3, "compare_gpu LIBRARY ROBOTS [TOLERANCE [THREADS [STEPS]]]");
    const double tolerance = argc > 3 ? atof(argv[3]) : 1e-11;
    bool good = true;
    printf(
        "nodes,payload,robots,tolerance,tips_apart,steps_with_failures,alone,steps_per_s,with_new_"
        "inputs\n");
    for (int i = 0; i < 6; i++)
        good &= compare(argv[1], atoi(argv[2]), nodes[i], i >= 4, tolerance,
                        argc > 4 ? atoi(argv[4]) : 2, argc > 5 ? atoi(argv[5]) : 200);
    puts(good ? "the same" : "NOT THE SAME");
    return !good;
}
