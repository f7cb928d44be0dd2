// td_set_time: what has passed stays so long ago, what happens at multiples happens by the new clock, and what is refused changes nothing.
#include "tendril/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "scene.h"

static const char *const arm =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 GPa, "
    "shear_modulus: 0.4 GPa, density: 1000}, damping: {time: 4 ms}}\n"
    "loads: [{name: tip, at: tip, force: [push, side, 0]}]\n"
    "simulation: {theory: kirchhoff, time: {scheme: sdirk2}, space: {nodes: 3}, seed: 3, solver: "
    "{tolerance: 1e-14}}\n";

static scene rig_of(const char *rest) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s", arm, rest);
    scene s = scene_of(text, NULL, 0);
    scene_begin(&s);
    return s;
}

static void set_time(scene *r, double t) {
    assert_int_equal(td_set_time(r->system, r->state, t), TD_OK);
    CHECK_NEAR(td_get_time(r->system, r->state), t, 0);
}

static double taken(const scene *r, int sensor, double *y) {
    double at;
    assert_true(td_get_sensor(r->system, r->state, sensor, y, &at) > 0);
    return at;
}

// Nothing in this robot says a time, so all of it is the same at another time that periods fit into: noise, drift, mean accelerations, readings and
// commands on their way, integrals and slopes of a PID.
static const char *const timeless =
    "sensors:\n"
    "  - {name: camera, measures: tip.position, rate: 125 Hz, delay: 21 ms, noise: 0.2 mm, drift: "
    "0.001}\n"
    "  - {name: shake, measures: tip.accelerometer, rate: 500 Hz, noise: 0.01}\n"
    "  - {name: plain, measures: tip.y}\n"
    "controllers:\n"
    "  - {name: hold, inputs: push, period: 8 ms, delay: 11 ms, pid: {sensor: camera.x, reference: "
    "\"20 mm\", proportional: 3, integral: 40, derivative: 0.02}}\n"
    "  - {name: aside, inputs: side, formula: \"-0.2*plain\"}\n"
    "inputs: {side: 0.02 N}\n";

static void what_has_passed_stays_so_long_ago(void **state) {
    (void)state;
    scene here = rig_of(timeless), there = rig_of(timeless);
    double most = 0.0;
    for (int k = 0; k < 120; k++) {
        if (k == 37) set_time(&there, td_get_time(there.system, there.state) + 8.0);
        if (k == 61) set_time(&there, td_get_time(there.system, there.state) - 12.0);
        if (k == 37 || k == 61) td_restart(here.system, here.state);  // as it does by itself
        const double by = k < 37 ? 0.0 : k < 61 ? 8.0 : -4.0;
        scene_advance(&here, 2e-3);
        scene_advance(&there, 2e-3);
        for (int i = 0; i < 3; i++) {
            double a[3], b[3];
            CHECK_NEAR(taken(&there, i, b), taken(&here, i, a) + by, 1e-12);
            for (int c = 0; c < td_sensor_channels(here.system, i); c++)
                CHECK_NEAR(b[c], a[c], 1e-9 * (1.0 + fabs(a[c])));
        }
        CHECK_NEAR(scene_input(&there, "push"), scene_input(&here, "push"), 1e-9);
        CHECK_NEAR(scene_input(&there, "side"), scene_input(&here, "side"), 1e-9);
        most = fmax(most, fabs(scene_input(&here, "push")));
    }
    assert_true(most > 0.02);
    scene_end(&here);
    scene_end(&there);
}

// Instants of sensors and controllers are multiples by the new clock; formulas and signals say its time.
static void what_comes_is_by_the_new_clock(void **state) {
    (void)state;
    scene r = rig_of("sensors: [{name: tip, measures: tip.x, rate: 100 Hz}]\n"
                     "controllers:\n"
                     "  - {name: clock, inputs: push, period: 10 ms, formula: \"1e-2*t\"}\n"
                     "inputs: {side: \"1e-2 N*t\"}\n");
    for (int k = 0; k < 13; k++) scene_advance(&r, 1e-3);
    CHECK_NEAR(scene_input(&r, "push"), 1e-4, 1e-15);
    set_time(&r, 2.004);
    CHECK_NEAR(scene_input(&r, "push"), 1e-4, 1e-15);  // inputs stay
    double y;
    for (int k = 0; k < 30; k++) {
        scene_advance(&r, 1e-3);  // from 2.004 + k ms on
        CHECK_NEAR(scene_input(&r, "side"), 1e-2 * (2.005 + 1e-3 * k), 1e-14);
        CHECK_NEAR(scene_input(&r, "push"), k < 6 ? 1e-4 : 1e-2 * (2.01 + 0.01 * ((k - 6) / 10)),
                   1e-13);
        if (k >= 5) CHECK_NEAR(taken(&r, 0, &y), 2.01 + 0.01 * ((k - 5) / 10), 1e-12);
        else CHECK_NEAR(taken(&r, 0, &y), 2.004 - 0.003, 1e-12);  // as long ago as it was
    }
    scene_end(&r);
}

// One that was due acts once, and one that has acted does not act again at once.
static void a_controller_acts_once_at_an_instant(void **state) {
    (void)state;
    scene r = rig_of("controllers: [{name: clock, inputs: push, period: 10 ms, formula: \"t\"}]\n");
    set_time(&r, 1.234);  // it is due at the start
    scene_advance(&r, 1e-3);
    CHECK_NEAR(scene_input(&r, "push"), 1.234, 1e-15);
    set_time(&r, 3.0);  // a multiple, at which it has not acted
    scene_advance(&r, 1e-3);
    CHECK_NEAR(scene_input(&r, "push"), 3.0, 1e-15);
    for (int k = 0; k < 9; k++) scene_advance(&r, 1e-3);
    td_apply_controllers(r.system, r.state);  // at 3.01
    set_time(&r, 5.0);
    td_apply_controllers(r.system, r.state);
    double said;
    td_get_controller(r.system, r.state, 0, &said);
    CHECK_NEAR(said, 3.01, 1e-12);
    scene_end(&r);
}

static void what_is_no_time_changes_nothing(void **state) {
    (void)state;
    scene r = rig_of(timeless);
    for (int k = 0; k < 10; k++) scene_advance(&r, 2e-3);
    const size_t bytes = td_snapshot_bytes(r.system);
    char *before = malloc(bytes), *after = malloc(bytes);
    const double wrong[] = {NAN, INFINITY, -INFINITY, 1.5e308};
    for (int i = 0; i < 4; i++) {
        td_state_save(r.system, r.state, before, bytes);
        assert_int_equal(td_set_time(r.system, r.state, wrong[i]), TD_ERR_NOT_FINITE);
        assert_non_null(strstr(td_message(r.state), "time: t = "));
        td_state_save(r.system, r.state, after, bytes);
        assert_memory_equal(before, after, bytes);
    }
    free(before);
    free(after);
    scene_end(&r);
}

// An estimator that begins beside a run goes on by a step, not by all that the run has behind it.
static void an_estimator_joins_a_run_that_has_begun(void **state) {
    (void)state;
    scene r = rig_of("sensors: [{name: camera, measures: tip.position, noise: 0.1 mm}]\n"
                     "estimator: {unknowns: [{input: side, deviation: 0.1 N}]}\n"
                     "inputs: {side: 0.05 N}\n");
    td_error err = {0};
    td_estimator *e = td_estimator_create(r.system, &err);
    if (!e) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(e);
    for (int k = 0; k < 20; k++) scene_advance(&r, 0.01);
    assert_int_equal(td_estimator_begin(e), TD_OK);
    assert_int_equal(td_estimator_set_time(e, NAN), TD_ERR_NOT_FINITE);
    assert_non_null(strstr(td_estimator_message(e), "time: t = "));
    assert_int_equal(td_estimator_set_time(e, td_get_time(r.system, r.state)), TD_OK);
    assert_string_equal(td_estimator_message(e), "");
    for (int k = 0; k < 50; k++) {
        scene_advance(&r, 0.01);
        assert_true(td_estimator_follow(e, r.state) >= 0);
        CHECK_NEAR(td_get_time(r.system, td_estimator_state(e)), 0.21 + 0.01 * k, 1e-12);
    }
    double deviation;
    const double found = td_estimator_get(e, 0, &deviation);
    CHECK_NEAR(found, 0.05, 4.0 * deviation);
    assert_true(deviation < 1e-3);
    td_estimator_destroy(e);
    scene_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_passed_stays_so_long_ago),
        cmocka_unit_test(what_comes_is_by_the_new_clock),
        cmocka_unit_test(a_controller_acts_once_at_an_instant),
        cmocka_unit_test(what_is_no_time_changes_nothing),
        cmocka_unit_test(an_estimator_joins_a_run_that_has_begun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
