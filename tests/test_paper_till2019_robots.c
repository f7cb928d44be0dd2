// Till 2019, section 5: tendons, friction, chambers and the platform against numbers of other
// programs, and the files under examples/ against the robots that `tendril paper` computes.
#include "rods.h"

#include <string.h>

#include "../papers/till2019/robots.h"
#include "../papers/till2019/section5_reference.h"

static void open_or_fail(simulation *s, td_robot *robot, const td_options *o, const td_error *err) {
    td_error why = *err;
    bool fine = simulation_of(s, robot, o, &why);
    if (!fine) print_error("%s: %s\n", why.where, why.message);
    assert_true(fine);
}

static void set_input(const simulation *s, const char *name, double value) {
    assert_int_equal(td_set_input(s->system, s->state, td_find_input(s->system, name), value), 0);
}

static void call_or_fail(const simulation *s, td_status status) {
    if (status < 0) print_error("%s\n", td_message(s->state));
    assert_true(status >= 0);
}

static void check_tip(const simulation *s, const double tip[3], double tolerance) {
    for (int i = 0; i < 3; i++) CHECK_NEAR(simulation_tip(s).p[i], tip[i], tolerance);
}

// ---------------------------------------------------------------- section 5.2
static void check_arm_equilibrium(double gravity, double up, double left, const double tip[3]) {
    const td_options o = collocation_options(24, -0.03);
    td_error err = {0};
    simulation s;
    open_or_fail(&s, till_tendon_arm(gravity, &err), &o, &err);
    set_input(&s, "up", up);
    set_input(&s, "left", left);
    call_or_fail(&s, td_solve_statics(s.system, s.state));
    check_tip(&s, tip, 2e-10);  // the reference's own error in space is 4e-11 m
    simulation_close(&s);
}

static void the_tendon_arm_rests_where_the_reference_does(void **unused) {
    (void)unused;
    check_arm_equilibrium(0.0, 3.0, 1.0, reference_arm_oblique);
    check_arm_equilibrium(9.81, 2.0, 0.0, reference_arm_raised);
}

static void check_arm_step(const td_options *o, double tolerance) {
    td_error err = {0};
    simulation s;
    open_or_fail(&s, till_tendon_arm(9.81, &err), o, &err);
    set_input(&s, "up", 2.0);
    for (int k = 0; k < REFERENCE_ARM_SAMPLES; k++) {
        if (k > 0) call_or_fail(&s, td_step(s.system, s.state, ARM_STEP));
        const double tip[3] = {reference_arm_x[k], 0.0, reference_arm_z[k]};
        check_tip(&s, tip, tolerance);
    }
    simulation_close(&s);
}

static void the_tendon_arm_answers_a_step_as_the_reference_does(void **unused) {
    (void)unused;
    td_options shooting = shooting_options(TD_RK4, TD_CUBIC, 101, -0.03);
    td_options collocation = collocation_options(12, -0.03);
    collocation.startup = TD_REST_HISTORY;
    check_arm_step(&shooting, 1e-10);
    check_arm_step(&collocation, 1e-7);  // the reference's own error in space is 2e-8 m
}

static void the_arm_rises_when_it_drops_the_object(void **unused) {
    (void)unused;
    const td_options o = collocation_options(8, -0.03);
    td_error err = {0};
    simulation s;
    double seconds;
    open_or_fail(&s, till_tendon_arm(9.81, &err), &o, &err);
    long drop = lround(ARM_DROP / ARM_STEP), rest = lround((ARM_END - ARM_DROP) / ARM_STEP);
    assert_int_equal(simulation_run(&s, ARM_STEP, drop, NULL, NULL, &seconds), drop);
    assert_true(td_get_body(s.system, s.state, 0).attached);
    double held = simulation_tip(&s).p[2];
    assert_int_equal(simulation_run(&s, ARM_STEP, rest, NULL, NULL, &seconds), rest);
    assert_false(td_get_body(s.system, s.state, 0).attached);
    assert_true(simulation_tip(&s).p[2] > held + 3e-3);
    // at rest again, it is where equilibrium without the object has it
    double swung[3];
    for (int i = 0; i < 3; i++) swung[i] = simulation_tip(&s).p[i];
    call_or_fail(&s, td_solve_statics(s.system, s.state));
    check_tip(&s, swung, 2e-3);
    simulation_close(&s);
}

// ---------------------------------------------------------------- section 5.2.1
typedef struct heights {
    double z[501];
} heights;

static void see_height(const simulation *s, long k, void *to) {
    ((heights *)to)->z[k] = simulation_tip(s).p[2];
}

static double half_range(const heights *h, double from) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (long k = lround(100.0 * from); k <= lround(100.0 * (from + 0.5)) && k <= 500; k++) {
        low = fmin(low, h->z[k]);
        high = fmax(high, h->z[k]);
    }
    return 0.5 * (high - low);
}

// What remains of the swing in the fourth window, bent (0) and straight (1).
static void check_swings(const tendon_friction *f, const double reference[2][PULLED_WINDOWS],
                         double remains[2]) {
    const td_options o = collocation_options(8, 0.0);
    td_error err = {0};
    simulation s;
    heights h;
    double seconds;
    open_or_fail(&s, till_pulled_arm(f, &err), &o, &err);
    assert_int_equal(simulation_run(&s, 0.01, 500, see_height, &h, &seconds), 500);
    simulation_close(&s);
    for (int i = 0; i < 2; i++) {
        double after = PULLED_RAMP + (i ? PULLED_DOWN : 0.0);
        for (int w = 0; w < PULLED_WINDOWS; w++)  // two digits: 5 of 100; a window's ends: 1 step
            CHECK_NEAR(1e3 * half_range(&h, after + 0.5 * w), reference[i][w], 6.0);
        remains[i] = half_range(&h, after + 1.5) / half_range(&h, after);
    }
}

static void tendon_friction_damps_the_bent_arm_more(void **unused) {
    (void)unused;
    const tendon_friction kinds[4] = {
        {"none", 0.0, 0.0}, {"viscous", 5.0, 0.0}, {"dry", 0.0, 0.05}, {"dry", 0.0, 0.1}};
    double none[2], now[2];
    check_swings(&kinds[0], reference_pulled[0], none);
    assert_true(none[0] > none[1]);
    for (int k = 1; k < 4; k++) {
        check_swings(&kinds[k], reference_pulled[k], now);
        assert_true(now[0] < 0.85 * now[1]);
        assert_true(now[0] < 0.7 * none[0]);
    }
}

// ---------------------------------------------------------------- section 5.3
static double elongation(const simulation *s) {
    double sum = 0.0;
    for (int i = 0; i < 200; i++)
        sum += td_get_sample(s->system, s->state, 0, FINGER_LENGTH * (i + 0.5) / 200).strain[5];
    return sum / 200.0 - 1.0;
}

static void the_filled_finger_rests_where_the_reference_does(void **unused) {
    (void)unused;
    for (int i = 0; i < N_FLUIDS; i++) {
        const finger_reference *ref = &reference_fingers[i];
        const td_options o = collocation_options(8, -0.3);
        td_error err = {0};
        simulation s;
        open_or_fail(&s, till_finger(i, &err), &o, &err);
        call_or_fail(&s, td_apply_signals(s.system, s.state, FINGER_FILLED, TD_AFTER));
        call_or_fail(&s, td_solve_statics(s.system, s.state));
        td_chamber_state c = td_get_chamber(s.system, s.state, 0);
        check_tip(&s, ref->tip, 1e-9);
        CHECK_NEAR(c.pressure / ref->pressure, 1.0, 1e-7);
        CHECK_NEAR(c.volume / ref->volume, 1.0, 1e-7);
        CHECK_NEAR(elongation(&s), ref->elongation, 1e-7);
        simulation_close(&s);
    }
}

typedef struct finger_motion {
    double x[451], z[451], P[451];
} finger_motion;

static void see_finger(const simulation *s, long k, void *to) {
    finger_motion *m = to;
    m->x[k] = simulation_tip(s).p[0];
    m->z[k] = simulation_tip(s).p[2];
    m->P[k] = td_get_chamber(s->system, s->state, 0).pressure;
}

static double range_of(const double *v) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int k = 200; k <= 450; k++) {
        low = fmin(low, v[k]);
        high = fmax(high, v[k]);
    }
    return high - low;
}

static void run_finger(finger_fluid fluid, const td_options *o, finger_motion *m) {
    td_error err = {0};
    simulation s;
    double seconds;
    open_or_fail(&s, till_finger(fluid, &err), o, &err);
    assert_int_equal(simulation_run(&s, FINGER_STEP, 450, see_finger, m, &seconds), 450);
    simulation_close(&s);
}

static void the_finger_moves_as_in_the_reference(void **unused) {
    (void)unused;
    const td_options o = shooting_options(TD_RK4, TD_LINEAR, 50, -0.3);
    for (int f = 0; f < N_FLUIDS; f++) {
        const finger_reference *ref = &reference_fingers[f];
        finger_motion m;
        run_finger(f, &o, &m);
        for (int i = 0; i < REFERENCE_FINGER_SAMPLES; i++) {
            int k = reference_finger_steps[i];
            // the volume is summed along the finger in another way: 1e-5 of the swing
            CHECK_NEAR(m.x[k], ref->x[i], 1e-6);
            CHECK_NEAR(m.z[k], ref->z[i], 1e-6);
            CHECK_NEAR(m.P[k], ref->P[i], 1.0);
        }
        CHECK_NEAR(range_of(m.x) / ref->swing_x, 1.0, 1e-3);
        CHECK_NEAR(range_of(m.P) / ref->swing_P, 1.0, 1e-3);
    }
}

static void air_lets_the_finger_swing_twice_as_far_as_water(void **unused) {
    (void)unused;
    td_options o = collocation_options(8, -0.3);
    o.startup = TD_REST_HISTORY;
    finger_motion air, water;
    run_finger(AIR, &o, &air);
    run_finger(WATER, &o, &water);
    // with cubic history the reference has 1.612465 and 0.796337 mm
    CHECK_NEAR(range_of(air.x) / range_of(water.x), 1.612465 / 0.796337, 2e-3);
}

// ---------------------------------------------------------------- section 5.1
static void move_plate(const simulation *s, td_pose pose, double x) {
    const int inputs[LEGS] = {0, 1, 2, 3, 4, 5};
    td_target target = {.body = 0, .pose = pose};
    target.pose.p[0] = x;
    call_or_fail(s, td_solve_inverse(s->system, s->state, &target, inputs, LEGS));
    td_pose there = td_get_body(s->system, s->state, 0).pose;
    for (int i = 0; i < 3; i++) CHECK_NEAR(there.p[i], target.pose.p[i], 1e-9);
    CHECK_NEAR(fabs(there.q[0]), 1.0, 1e-12);
}

static void the_level_plate_is_stable_up_to_106_mm(void **unused) {
    (void)unused;
    const td_options o = collocation_options(8, -0.2);
    td_error err = {0};
    simulation s;
    open_or_fail(&s, till_platform(NULL, 0, &err), &o, &err);
    td_pose plate = td_get_body(s.system, s.state, 0).pose;
    CHECK_NEAR(plate.p[2], reference_plate_height, 1e-9);
    plate.q[0] = 1.0, plate.q[1] = plate.q[2] = plate.q[3] = plate.p[1] = 0.0;
    double smallest, before = 1.0;
    for (double x = 0.0; x < 0.105; x += 0.01) {
        move_plate(&s, plate, x);
        call_or_fail(&s, td_get_stability(s.system, s.state, &smallest));
        assert_true(smallest > 0.0 && smallest < before);
        before = smallest;
    }
    // what statics finds from here is this equilibrium, stable; a little on it is not
    assert_int_equal(td_solve_statics(s.system, s.state), TD_OK);
    move_plate(&s, plate, 0.108);
    call_or_fail(&s, td_get_stability(s.system, s.state, &smallest));
    assert_true(smallest < 0.0);
    simulation_close(&s);
}

static double turn_of_plate(const simulation *s) {
    return 2.0 * acos(fmin(1.0, fabs(td_get_body(s->system, s->state, 0).pose.q[0])));
}

static void past_the_bifurcation_the_plate_turns_and_sways(void **unused) {
    (void)unused;
    td_error err = {0};
    const char *set = "simulation.space.nodes=8";
    td_robot *robot = td_robot_load(EXAMPLES "/stewart-gough.yaml", &set, 1, &err);
    if (!robot) print_error("%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    td_options o = td_robot_options(robot);
    simulation s;
    double seconds, most = 0.0, least = HUGE_VAL;
    open_or_fail(&s, robot, &o, &err);
    CHECK_NEAR(td_get_body(s.system, s.state, 0).pose.p[2], reference_plate_height, 1e-9);
    assert_int_equal(simulation_run(&s, PLATFORM_STEP, 480, NULL, NULL, &seconds), 480);
    CHECK_NEAR(td_get_body(s.system, s.state, 0).pose.p[0], 0.1, 1e-4);  // 4 s at 25 mm/s
    assert_true(turn_of_plate(&s) < 1e-4);
    assert_int_equal(simulation_run(&s, PLATFORM_STEP, 120, NULL, NULL, &seconds), 120);
    for (int i = 0; i < 60; i++) {
        assert_int_equal(simulation_run(&s, PLATFORM_STEP, 1, NULL, NULL, &seconds), 1);
        double x = td_get_body(s.system, s.state, 0).pose.p[0];
        most = fmax(most, x), least = fmin(least, x);
    }
    assert_true(turn_of_plate(&s) > 0.02);
    assert_true(most < 0.12 && most - least > 5e-3);  // the legs would take it to 0.137 m
    simulation_close(&s);
}

// ---------------------------------------------------------------- the files
static void check_example(const char *file, td_robot *robot, td_options o, double dt, int steps,
                          double tolerance) {
    char path[512];
    td_error err = {0};
    snprintf(path, sizeof path, "%s/%s", EXAMPLES, file);
    td_robot *described = td_robot_load(path, NULL, 0, &err);
    if (!described) print_error("%s: %s\n", err.where, err.message);
    assert_non_null(described);
    CHECK_NEAR(td_robot_scenario(described).step, dt, 1e-15);
    simulation ours, theirs;
    open_or_fail(&ours, robot, &o, &err);
    o = td_robot_options(described);
    open_or_fail(&theirs, described, &o, &err);
    for (int i = 0; i < steps; i++) {
        call_or_fail(&ours, td_advance(ours.system, ours.state, dt));
        call_or_fail(&theirs, td_advance(theirs.system, theirs.state, dt));
    }
    check_tip(&theirs, simulation_tip(&ours).p, tolerance);
    simulation_close(&ours);
    simulation_close(&theirs);
}

static void the_examples_are_the_robots_of_the_program(void **unused) {
    (void)unused;
    td_error err = {0};
    const tendon_friction viscous = {"viscous", 5.0, 0.0};
    td_options arm = collocation_options(8, -0.03), pulled = collocation_options(8, 0.0);
    td_options finger = collocation_options(8, -0.3);
    check_example("tendon-arm.yaml", till_tendon_arm(9.81, &err), arm, ARM_STEP, 220, 1e-9);
    check_example("tendon-displacement.yaml", till_pulled_arm(&viscous, &err), pulled, 0.01, 100,
                  1e-6);  // the start is rounded to 0.1 um
    check_example("finger-air.yaml", till_finger(AIR, &err), finger, FINGER_STEP, 150,
                  1e-5);  // the gas constant is 8.314 in print
    check_example("finger-water.yaml", till_finger(WATER, &err), finger, FINGER_STEP, 150, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tendon_arm_rests_where_the_reference_does),
        cmocka_unit_test(the_tendon_arm_answers_a_step_as_the_reference_does),
        cmocka_unit_test(the_arm_rises_when_it_drops_the_object),
        cmocka_unit_test(tendon_friction_damps_the_bent_arm_more),
        cmocka_unit_test(the_filled_finger_rests_where_the_reference_does),
        cmocka_unit_test(the_finger_moves_as_in_the_reference),
        cmocka_unit_test(air_lets_the_finger_swing_twice_as_far_as_water),
        cmocka_unit_test(the_level_plate_is_stable_up_to_106_mm),
        cmocka_unit_test(past_the_bifurcation_the_plate_turns_and_sways),
        cmocka_unit_test(the_examples_are_the_robots_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
