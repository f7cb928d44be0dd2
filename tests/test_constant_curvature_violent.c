// Violent motions of the constant-curvature model: what no arc can follow is turned round, and no
// state is one that only a new beginning leaves.
#include "rods.h"

#include <string.h>

static const double L = 0.3;

// A soft arm without damping, three tendons around it.
static world soft_arm(int segments) {
    td_piece_def piece = steel_piece();
    piece.length = L;
    piece.youngs_modulus = 1e6, piece.shear_modulus = 3.5e5, piece.density = 1000.0;
    piece.section.radius = piece.section_end.radius = 0.01;
    td_robot *robot = rod_robot(&piece, 1);
    const char *const names[3] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        td_error err = {0};
        td_tendon_def cable = td_default_tendon_def();
        cable.name = names[i], cable.rod = 0, cable.to = L;
        cable.offset[0] = cable.offset_end[0] = 8e-3 * cos(2.0943951 * i);
        cable.offset[1] = cable.offset_end[1] = 8e-3 * sin(2.0943951 * i);
        cable.value = (td_number){0.0, 1.0, add_input(robot, names[i])};
        CHECK_OK(td_robot_add_tendon(robot, &cable, &err), err);
    }
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "constant_curvature");
    o.constant_curvature.segments = segments;
    return world_make(robot, &o);
}

// A segment that flies into each of its limits comes back with the energy it had.
static void a_stop_turns_a_segment_round(void **unused) {
    (void)unused;
    const double starts[3][6] = {{0.0, 0.0, 0.035, 0.0, 0.0, -20.0},  // almost no length left
                                 {12.0, 1.0, 0.3, 900.0, 0.0, 0.0},   // almost two turns
                                 {0.0, 0.0, 2.9, 0.0, 0.0, 100.0}};   // ten times as long
    const int along[3] = {2, 0, 2};
    for (int k = 0; k < 3; k++) {
        world w = soft_arm(1);
        double q[3], rates[3];
        CHECK_CALL(&w, td_set_coordinates(w.system, w.state, starts[k], starts[k] + 3));
        const double before = world_balance(&w);
        bool back = false;
        for (int i = 0; i < 4000 && !back; i++) {
            assert_true(td_step(w.system, w.state, 5e-6) >= 0);
            td_get_coordinates(w.system, w.state, q, rates);
            back = rates[along[k]] * starts[k][3 + along[k]] < 0.0;
        }
        assert_true(back);
        CHECK_NEAR(world_balance(&w), before, 0.02 * before);
        world_free(&w);
    }
}

static double chance(unsigned long long *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

// Whatever fails goes on with smaller steps.
static bool goes_on(const world *w, double dt) {
    for (int k = 0; k < 12; k++, dt *= 0.2)
        if (td_step(w->system, w->state, dt) >= 0) return true;
    return false;
}

static void a_long_violent_run_never_ends_in_a_corner(void **unused) {
    (void)unused;
    for (unsigned long long seed = 7920; seed < 8 * 7920; seed += 7919) {
        world w = soft_arm(1);
        unsigned long long random = seed;
        for (int k = 0; k < 200; k++) {
            for (int i = 0; i < 3 && k % 20 == 0; i++)
                td_set_input(w.system, w.state, i, 50.0 * chance(&random));
            if (!goes_on(&w, 0.02)) fail_msg("step %d: %s", k, td_message(w.state));
        }
        td_sample tip = td_get_sample(w.system, w.state, 0, L);
        for (int i = 0; i < 3; i++) assert_true(isfinite(tip.pose.p[i]));
        world_free(&w);
    }
}

// An arm that a load holds at its stop is told of.
static void a_step_that_ends_at_a_stop_says_so(void **unused) {
    (void)unused;
    world w = soft_arm(1);
    const double q[3] = {0.0, 0.0, 0.0301}, rates[3] = {0.0, 0.0, -20.0};
    CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, rates));
    assert_int_equal(td_step(w.system, w.state, 1e-5), TD_LOOSE);
    assert_non_null(strstr(td_message(w.state), "segment 1 (to s = 0.3 m)"));
    world_free(&w);
}

// At rest the limits are what they were.
static void an_equilibrium_beyond_the_limits_is_refused(void **unused) {
    (void)unused;
    world w = soft_arm(1);
    td_set_input(w.system, w.state, 0, 400.0);
    assert_true(td_solve_statics(w.system, w.state) < 0);
    const double too_short[3] = {0.0, 0.0, 0.029}, too_long[3] = {0.0, 0.0, 3.1};
    const double too_bent[3] = {12.6, 0.0, 0.3};
    assert_int_equal(td_set_coordinates(w.system, w.state, too_short, NULL), TD_ERR_VALUE);
    assert_int_equal(td_set_coordinates(w.system, w.state, too_long, NULL), TD_ERR_VALUE);
    assert_int_equal(td_set_coordinates(w.system, w.state, too_bent, NULL), TD_ERR_VALUE);
    assert_non_null(strstr(td_message(w.state), "would bend by 12.6 rad"));
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_turns_a_segment_round),
        cmocka_unit_test(a_long_violent_run_never_ends_in_a_corner),
        cmocka_unit_test(a_step_that_ends_at_a_stop_says_so),
        cmocka_unit_test(an_equilibrium_beyond_the_limits_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
