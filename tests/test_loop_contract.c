// The promises to a control loop hold with sensors, controllers and an estimator in it: no allocation, transactions, and creation that survives
// the lack of memory.
#include "tendril/loop.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "allocator.h"

static const char *const arm =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 GPa, "
    "poisson_ratio: 0.3, density: 1000}, damping: {time: 4 ms}}\n"
    "tendons:\n"
    "  - {name: east, offset: [5 mm, 0]}\n"
    "  - {name: north, offset: [0, 5 mm]}\n"
    "  - {name: west, offset: [-5 mm, 0], stiffness: 2 kN, input: current, motor: {spool: 8 mm, "
    "gear: 19, efficiency: 0.9, inertia: 1e-6, friction: 1e-5, torque_constant: 2 mN m/A, "
    "max_current: 2 A}}\n"
    "sensors:\n"
    "  - {name: encoder, measures: tendon.west.angle, rate: 500 Hz, quantum: 1e-3 rad}\n"
    "  - {name: camera, measures: tip.position, rate: 200 Hz, delay: 7 ms, noise: 1 mm, drift: "
    "1e-3}\n"
    "  - {name: imu, measures: tip.accelerometer, density: 1e-2, rate: 500 Hz}\n"
    "  - {name: fibre, measures: rod.arm.gauge, every: 20 mm, offset: [2 mm, 0], quantum: 1e-6}\n"
    "  - {name: believed, measures: estimate.tip.x, rate: 250 Hz, delay: 5 ms}\n"
    "  - {name: pull, measures: estimate.push}\n"
    "loads: [{name: tip, at: tip, force: [push, 0, 0]}]\n"
    "estimator: {unknowns: [{input: push, deviation: 0.1 N}], sensors: [fibre], start: {rates: "
    "0.1}}\n"
    "controllers:\n"
    "  - {name: turn, inputs: west, period: 2 ms, pid: {sensor: encoder, reference: 0.05, "
    "proportional: 2, integral: 5}}\n"
    "  - {name: place, inputs: east, period: 4 ms, delay: 6 ms, limits: [0 N, 2 N], pid: {sensor: "
    "camera.x, reference: \"0.01*sin(t)\", proportional: 5, integral: 20, derivative: 0.1}}\n"
    "  - {name: brake, inputs: [east, north], formula: [\"1e-3*imu.x\", \"1e-3*imu.y + "
    "fibre.3 + 0.1*pull - believed\"]}\n"
    "  - {name: follow, inputs: [east, north], period: 10 ms, track: {point: tip, path: [0.01, "
    "\"0.01*sin(t)\", 0.199], proportional: 1, sensor: camera}}\n"
    "inputs: {west: 0.1 A, east: 1 N, north: \"1 + 0.5*sin(9*t)\"}\n"
    "simulation: {time: {scheme: sdirk2}, space: {nodes: 4}}\n";

static td_robot *robot_of(const char *set, td_error *err) {
    return td_robot_parse(arm, strlen(arm), "arm.yaml", &set, set != NULL, err);
}

static void nothing_allocates_in_the_loop(void **unused) {
    (void)unused;
    td_error err = {0};
    td_robot *robot = robot_of(NULL, &err);
    if (!robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    const td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    if (!system) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(system);
    td_state *state = td_state_create(system);
    const long before = allocations;
    assert_true(td_begin(system, state) >= 0);
    for (int k = 0; k < 100; k++) assert_true(td_advance(system, state, 2e-3) >= 0);
    double y[16];
    for (int i = 0; i < td_n_sensors(system); i++) {
        td_get_sensor(system, state, i, y, NULL);
        td_get_sensor_truth(system, state, i, y);
    }
    assert_int_equal(td_read_sensors(system, state), TD_OK);
    assert_int_equal(allocations, before);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

static void a_failed_step_leaves_readings_and_commands(void **unused) {
    (void)unused;
    td_error err = {0};
    td_robot *robot = robot_of("inputs.north=1 + sqrt(0.041 - t)", &err);
    td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    td_state *state = td_state_create(system);
    assert_true(td_begin(system, state) >= 0);
    for (int k = 0; k < 20; k++) assert_true(td_advance(system, state, 2e-3) >= 0);
    const size_t bytes = td_snapshot_bytes(system);
    char *a = malloc(bytes), *b = malloc(bytes);
    td_state_save(system, state, a, bytes);
    assert_true(td_advance(system, state, -1.0) < 0);
    // controllers have acted when a signal turns out to end here
    assert_int_equal(td_advance(system, state, 2e-3), TD_ERR_NOT_FINITE);
    td_state_save(system, state, b, bytes);
    assert_memory_equal(a, b, bytes);
    free(a), free(b);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

static void creation_survives_the_lack_of_memory(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    td_error err = {0};
    td_robot *robot = robot_of(NULL, &err);
    const td_options options = td_robot_options(robot);
    td_system *system = NULL;
    int failures = 0;
    for (int k = 0; !system && k < 2000; k++) {
        const long kept = live;
        fail_at = allocations + k;
        system = td_system_create(robot, &options, &err);
        fail_at = -1;
        if (system) break;
        failures++;
        assert_int_equal(live, kept);
        assert_int_equal(err.status, TD_ERR_MEMORY);
    }
    assert_non_null(system);
    assert_true(failures > 30);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_allocates_in_the_loop),
        cmocka_unit_test(a_failed_step_leaves_readings_and_commands),
        cmocka_unit_test(creation_survives_the_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
