// The loops of examples do what their comments say: motors damp, a valve brings a pressure, an arm follows a path with a
// payload that an estimator finds.
#include "tendril/estimate.h"
#include "tendril/loop.h"

#include "examples.h"

static void advance(const world *w, double t) {
    const double dt = td_robot_scenario(w->robot).step;
    while (td_get_time(w->system, w->state) < t - 0.5 * dt)
        CHECK_CALL(w, td_advance(w->system, w->state, dt));
}

// Half of what coordinate k of the tip moves between now and t.
static double swing(const world *w, int k, double t) {
    const double dt = td_robot_scenario(w->robot).step;
    double low = HUGE_VAL, high = -HUGE_VAL;
    while (td_get_time(w->system, w->state) < t - 0.5 * dt) {
        CHECK_CALL(w, td_advance(w->system, w->state, dt));
        low = fmin(low, tip_of(w).p[k]), high = fmax(high, tip_of(w).p[k]);
    }
    return 0.5 * (high - low);
}

static double read_sensor(const world *w, const char *name) {
    double values[8];
    td_get_sensor_truth(w->system, w->state, td_find_sensor(w->system, name), values);
    return values[0];
}

// ---------------------------------------------------------------- motors
static void motors_place_an_arm_and_damp_it(void **state) {
    (void)state;
    world w = load("rone-motors.yaml");
    advance(&w, 1.0);
    CHECK_NEAR(read_sensor(&w, "spool1"), 0.4 * (1.0 - exp(-6.0)), 0.015);
    CHECK_NEAR(read_sensor(&w, "spool2"), 0.1 * (1.0 - exp(-6.0)), 0.015);
    advance(&w, 1.8);
    const double before = swing(&w, 0, 2.0);
    assert_true(before > 1.4e-3);
    advance(&w, 2.5);
    assert_true(swing(&w, 0, 2.7) < 0.3 * before);
    world_free(&w);
}

static void a_hub_that_yields_to_strain_damps_its_arm(void **state) {
    (void)state;
    world w = load("hub-arm.yaml");
    advance(&w, 3.0);
    const double before = swing(&w, 1, 3.6);
    assert_true(before > 0.06);
    advance(&w, 6.0);
    assert_true(swing(&w, 1, 6.6) < 0.03 * before);
    CHECK_NEAR(read_sensor(&w, "encoder"), 0.0, 5e-3);
    world_free(&w);
}

// ---------------------------------------------------------------- a valve
static void a_valve_brings_the_pressure_that_is_asked_for(void **state) {
    (void)state;
    const double until[3] = {1.0, 2.0, 3.0}, asked[3] = {15e3, 22e3, 5e3};
    world w = load("finger-valve.yaml");
    for (int i = 0; i < 3; i++) {
        advance(&w, until[i]);
        CHECK_NEAR(td_get_chamber(w.system, w.state, 0).pressure, asked[i], 200.0);
    }
    world_free(&w);
}

// ---------------------------------------------------------------- payloads
static double off_the_circle(const world *w) {
    const double t = td_get_time(w->system, w->state);
    const td_pose tip = tip_of(w);
    return hypot(hypot(tip.p[0] - 0.04 * sin(2.0 * t), tip.p[1] - 0.04 + 0.04 * cos(2.0 * t)),
                 tip.p[2] + 0.238);
}

// On half of its circle it hangs so that the weight bends it; the estimate is told with its deviation.
static void an_arm_follows_its_path_and_finds_its_payload(void **state) {
    (void)state;
    td_error err = {0};
    world w = load("payload.yaml");
    td_estimator *e = td_estimator_create(w.system, &err);
    double deviation, most = 0.0, surprise = 0.0;
    int n = 0;
    assert_non_null(e);
    assert_true(td_estimator_begin(e) >= 0);
    const int weight = td_find_input(w.system, "weight");
    for (int k = 0; k < 500; k++) {
        CHECK_CALL(&w, td_advance(w.system, w.state, 4e-3));
        assert_true(td_estimator_follow(e, w.state) >= 0);
        if (k > 50) most = fmax(most, off_the_circle(&w));
        if (k < 350 || k % 25) continue;
        const double off =
            td_estimator_get(e, 0, &deviation) - td_get_input(w.system, w.state, weight);
        surprise += off * off / (deviation * deviation), n++;
    }
    assert_true(most < 0.02);
    assert_true(off_the_circle(&w) < 0.01);
    CHECK_NEAR(td_get_input(w.system, w.state, weight), -0.06, 1e-12);
    CHECK_NEAR(td_estimator_get(e, 0, &deviation), -0.06, 3.0 * deviation);
    assert_true(deviation < 8e-3 && surprise / n < 4.0);
    td_estimator_destroy(e);
    world_free(&w);
}

static void an_arm_carries_what_it_believes_to_have_taken_up(void **state) {
    (void)state;
    world w = load("lifting-arm.yaml");
    double lowest = 0.0;
    advance(&w, 1.0);
    for (int k = 0; k < 375; k++) {
        CHECK_CALL(&w, td_advance(w.system, w.state, 4e-3));
        lowest = fmin(lowest, tip_of(&w).p[2]);
    }
    assert_true(lowest > -5e-3);
    CHECK_NEAR(tip_of(&w).p[2], 0.0, 1e-3);
    CHECK_NEAR(read_sensor(&w, "payload"), -0.05, 5e-3);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motors_place_an_arm_and_damp_it),
        cmocka_unit_test(a_hub_that_yields_to_strain_damps_its_arm),
        cmocka_unit_test(a_valve_brings_the_pressure_that_is_asked_for),
        cmocka_unit_test(an_arm_follows_its_path_and_finds_its_payload),
        cmocka_unit_test(an_arm_carries_what_it_believes_to_have_taken_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
