// The whole loop at 1 kHz on one core: sensors, controllers, motors and the step of the two-segment arm. Six tendons are wound
// up by motors with geared spools; each has an encoder and a PID on it, at 1 kHz, and a camera watches the tip. Median, 99th and 99.9th
// percentile and largest of 10 000 steps, by the clock, the least of three equal runs for each step as in bench_latency.c; and what the
// same steps take with displacements in place of motors, without a loop. With an estimator: a Kalman filter of a coarser arm, whose
// tendons are where the encoders say, takes in three gauges in every step and finds the force at the tip. And with all of it in the file, the estimator of the coarser arm with its
// motors within td_advance.
#include <string.h>

#include "bench.h"
#include "tendril/estimate.h"

enum { STEPS = 10000, RUNS = 3 };
#define DT 1e-3

static const char *const backbone =
    "tendril: 1\n"
    "rods: [{name: backbone, length: 0.4, section: {radius: 0.7 mm}, material: {youngs_modulus: 60 "
    "GPa, poisson_ratio: 0.33, density: %g}, damping: {time: 4 ms}}]\n"
    "%s"
    "simulation: {theory: kirchhoff, space: {nodes: %d}, time: {scheme: sdirk2}, solver: "
    "{tolerance: 1e-8}}\n";
static const char *const discs =
    "bodies: [{name: disc, on: backbone, count: 10, mass: 1 g, shape: {cylinder: {radius: 10 mm, "
    "height: 2 mm}}}]\n";

static const struct {
    const char *name, *where;
    double turn;  // rad, how far its spool goes
} tendons[6] = {{"a1", "offset: [8 mm, 0], to: 50 %", 0.5},
                {"a2", "offset: [-4 mm, 6.928 mm], to: 50 %", -0.2},
                {"a3", "offset: [-4 mm, -6.928 mm], to: 50 %", -0.2},
                {"b1", "offset: [4 mm, 6.928 mm]", 0.2},
                {"b2", "offset: [-8 mm, 0]", -0.4},
                {"b3", "offset: [4 mm, -6.928 mm]", 0.2}};

#define MOTOR                                                                                      \
    "input: current, motor: {spool: 8 mm, gear: 19, efficiency: 0.85, inertia: 1.1e-6, friction: " \
    "1e-4, viscous: 2e-6, torque_constant: 23 mN m/A, max_current: 2 A}"

#define ESTIMATOR                                                                                  \
    "estimator: {unknowns: [{input: touch, deviation: 20 mN, walk: 100 mN/sqrt(s)}], noise: "      \
    "{rates: 0.02 rad/s/sqrt(s)}, start: {coordinates: 1e-3 rad, rates: 1e-2 rad/s}}\n"

typedef enum with { ALONE, BELIEVED, MOTORS, ALL } with;

static td_robot *make(with what) {
    const bool motors = what == MOTORS || what == ALL;
    char text[8192];
    // what is believed of it: the mass of its discs spread along it, and 3 nodes in each segment
    const double spread = 6450.0 + 0.01 / (0.4 * 3.14159265358979 * 0.7e-3 * 0.7e-3);
    const bool coarse = what == BELIEVED || what == ALL;
    size_t n = (size_t)snprintf(text, sizeof text, backbone, coarse ? spread : 6450.0,
                                coarse ? "" : discs, coarse ? 3 : 6);
    n += (size_t)snprintf(text + n, sizeof text - n, "tendons:\n");
    for (int i = 0; i < 6; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "  - {name: %s, %s, stiffness: 20 kN, pretension: 2 N, %s}\n",
                              tendons[i].name, tendons[i].where,
                              motors ? MOTOR : "input: displacement");
    n += (size_t)snprintf(text + n, sizeof text - n,
                          what == BELIEVED ? "inputs: {touch: 0 N}\n"
                          : what == ALL    ? "inputs:\n  touch: 0 N\n"
                                           : "inputs:\n");
    for (int i = 0; i < 6 && what == ALONE; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  %s: \"%g*(1 - cos(2*t))/2*1 m\"\n",
                              tendons[i].name, 8e-3 * tendons[i].turn);
    for (int i = 0; i < 6 && motors; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  %s: 0 A\n", tendons[i].name);
    if (motors) {
        n += (size_t)snprintf(
            text + n, sizeof text - n, "%s",
            what == ALL ? "loads: [{name: touch, at: tip, force: [touch, 0, 0]}]\n" : "");
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "sensors:\n  - {name: camera, measures: tip.position, rate: 100 Hz, "
                              "delay: 10 ms, noise: 0.3 mm}\n");
        for (int i = 0; i < 6; i++)
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "  - {name: e%s, measures: tendon.%s.angle, rate: 1 kHz, quantum: 0.02 deg}\n",
                tendons[i].name, tendons[i].name);
        if (what == ALL)
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "  - {name: fibre, measures: rod.backbone.gauge, every: 0.13, offset: [0.7 mm, 0], "
                "noise: 1e-6}\n  - {name: felt, measures: estimate.touch}\n" ESTIMATOR);
        n += (size_t)snprintf(text + n, sizeof text - n, "controllers:\n");
        for (int i = 0; i < 6; i++)
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "  - {name: c%s, inputs: %s, period: 1 ms, limits: [-2 A, 2 A], pid: {sensor: e%s, "
                "reference: \"%g*(1 - cos(2*t))/2\", proportional: 8, integral: 20, derivative: "
                "0.1, filter: 3 ms}}\n",
                tendons[i].name, tendons[i].name, tendons[i].name, tendons[i].turn);
    }
    if (what == BELIEVED)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "loads: [{name: touch, at: tip, force: [touch, 0, 0]}]\n"
            "sensors: [{name: fibre, measures: rod.backbone.gauge, every: 0.13, offset: [0.7 mm, "
            "0], noise: 1e-6}]\n" ESTIMATOR);
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), "loop.yaml", NULL, 0, &err);
    bench_need(robot != NULL, err.message);
    return robot;
}

static double wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct watcher {  // the estimator beside it
    td_robot *robot;
    td_system *system;
    td_estimator *filter;
} watcher;

static watcher watch(void) {
    td_error err = {0};
    watcher w = {.robot = make(BELIEVED)};
    const td_options options = td_robot_options(w.robot);
    w.system = td_system_create(w.robot, &options, &err);
    bench_need(w.system != NULL, err.message);
    w.filter = td_estimator_create(w.system, &err);
    bench_need(w.filter != NULL, err.message);
    return w;
}

// Its tendons are where encoders say; gauges read what it expects, a deviation of their noise up and down, so that an update takes as many iterations as beside a robot.
static void estimate(const watcher *w, const td_system *system, const td_state *state, int step) {
    double gauges[8];
    for (int i = 0; i < 6; i++)
        td_estimator_set_input(w->filter, td_find_input(w->system, tendons[i].name),
                               8e-3 * td_get_drive(system, state, i).angle);
    bench_need(td_estimator_step(w->filter, DT) >= 0, td_estimator_message(w->filter));
    bench_need(td_estimator_get_sensor(w->filter, 0, gauges, NULL) >= 0,
               td_estimator_message(w->filter));
    for (int i = 0; i < td_sensor_channels(w->system, 0); i++)
        gauges[i] += (step * (i + 1)) % 3 == 0 ? 1e-6 : -0.5e-6;
    const td_reading reading = {0, gauges};
    bench_need(td_estimator_update(w->filter, &reading, 1) >= 0, td_estimator_message(w->filter));
}

static void report(const char *name, with what, const watcher *w) {
    static double least[STEPS];
    td_error err = {0};
    td_robot *robot = make(what);
    const td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    bench_need(system != NULL, err.message);
    td_state *state = td_state_create(system);
    double iterations = 0.0;
    for (int round = 0; round < RUNS; round++) {
        bench_need(td_begin(system, state) >= 0, td_message(state));
        if (w) bench_need(td_estimator_begin(w->filter) >= 0, td_estimator_message(w->filter));
        for (int i = 0; i < STEPS; i++) {
            const double start = wall();
            const td_status status = td_advance(system, state, DT);
            if (w && status >= 0) estimate(w, system, state, i);
            const double seconds = wall() - start;
            bench_need(status >= 0, td_message(state));
            if (round == 0 || seconds < least[i]) least[i] = seconds;
            if (round == 0) iterations += td_get_stats(state)->iterations;
        }
    }
    qsort(least, STEPS, sizeof *least, compare);
    printf("%s,%.1f,%.1f,%.1f,%.1f,%.2f\n", name, 1e6 * least[STEPS / 2],
           1e6 * least[STEPS / 100 * 99], 1e6 * least[STEPS / 1000 * 999], 1e6 * least[STEPS - 1],
           iterations / STEPS);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

int main(void) {
    printf("loop,us_median,us_percentile_99,us_percentile_99.9,us_largest,iterations\n");
    const watcher w = watch();
    report("displacements alone", ALONE, NULL);
    report("sensors controllers motors", MOTORS, NULL);
    report("and an estimator", MOTORS, &w);
    report("all of it in the file", ALL, NULL);
    td_estimator_destroy(w.filter);
    td_system_destroy(w.system);
    td_robot_destroy(w.robot);
    return 0;
}
