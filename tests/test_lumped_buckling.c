// Equilibria that lose their stability, and segments that are too few: the lumped models find the shape
// that holds, or say what they found.
#include "math/se3.h"

#include "lumped.h"

#define PI 3.14159265358979323846

static const char *const models[] = {"eba", "ebr", "srl"};

// In units of its length and stiffness; pressed by `share` of Euler's load and pushed a little.
static td_robot *column(double length, double stiffness, double share, double side) {
    lumped_rod r = unit_rod();
    r.length = length;
    for (int i = 0; i < 6; i++) r.stiffness[i] *= stiffness * (i < 3 ? length * length : 1.0);
    for (int i = 0; i < 3; i++) r.inertia[i] *= length * length;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = rod_robot(&piece, 1);
    const double euler = 0.25 * PI * PI * stiffness;
    add_tip_force(robot, length, side * euler, 0.0, -share * euler);
    return robot;
}

// Twice Euler's load: Euler's elastica with K(k) = pi/sqrt(2), deflection 2 k/K, height 2 E/K - 1.
static void a_column_that_is_pushed_a_little_bends_out(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        td_options o = lumped_options(models[k], 20, false);
        world w = world_make(column(1.0, 1.0, 2.0, 1e-4), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_NEAR(tip_of(&w).p[0], 0.79696, 2e-3);
        CHECK_NEAR(tip_of(&w).p[2], 0.07086, 5e-3);
        world_free(&w);
    }
}

// Both planes give way at once: the sign of a determinant would not show it. Whatever the units.
static void a_straight_column_says_where_it_gives_way(void **state) {
    (void)state;
    static const double lengths[] = {1.0, 1e-6, 1e3}, stiffness[] = {1.0, 1e-9, 1e12};
    for (int k = 0; k < 9; k++) {
        const int n = k % 3 == 0 ? 20 : 8;
        td_options o = lumped_options(models[k % 3], n, false);
        world w = world_make(column(lengths[k / 3], stiffness[k / 3], 2.0, 0.0), &o);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
        const double x = 0.25 * PI / n, t = k % 3 == 2 ? sin(x) : tan(x);  // see derivatives
        CHECK_NEAR(td_get_stats(w.state)->bifurcation, 0.5 * pow(t / x, 2.0), 5e-4);
        if (!strstr(td_message(w.state), "lost its stability")) fail_msg("%s", td_message(w.state));
        world_free(&w);
        w = world_make(column(lengths[k / 3], stiffness[k / 3], 0.9, 0.0), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        world_free(&w);
    }
}

// Greenhill: an upright rod stands up to q L^3/EI = 7.8373.
static void an_upright_rod_bears_its_own_weight_up_to_a_height(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        lumped_rod r = unit_rod();
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = rod_robot(&piece, 1);
        set_gravity(robot, 0.0, 0.0, k % 2 ? -8.1 : -7.6);
        td_options o = lumped_options(models[k / 2], 20, false);
        world w = world_make(robot, &o);
        assert_int_equal(td_solve_statics(w.system, w.state), k % 2 ? TD_BIFURCATION : TD_OK);
        world_free(&w);
    }
}

static void too_few_segments_are_told(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        for (int n = 2; n <= 4; n += 2) {  // a moment that bends the rod by 120 deg
            lumped_rod r = unit_rod();
            td_piece_def piece = lumped_piece(&r);
            td_robot *robot = rod_robot(&piece, 1);
            add_tip_moment(robot, 1.0, 0.0, 2.0 * PI / 3.0, 0.0);
            td_options o = lumped_options(models[k], n, false);
            world w = world_make(robot, &o);
            assert_int_equal(td_solve_statics(w.system, w.state), n == 2 ? TD_LOOSE : TD_OK);
            const double turn = 2.0 * PI / 3.0 / n;
            CHECK_NEAR(td_get_stats(w.state)->resolution, turn * turn / 24.0, 1e-9);
            if (n == 2 && !strstr(td_message(w.state), "of 2 bends by 60 deg"))
                fail_msg("%s", td_message(w.state));
            CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
            CHECK_NEAR(td_get_stats(w.state)->resolution, turn * turn / 24.0, 1e-9);
            world_free(&w);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_that_is_pushed_a_little_bends_out),
        cmocka_unit_test(a_straight_column_says_where_it_gives_way),
        cmocka_unit_test(an_upright_rod_bears_its_own_weight_up_to_a_height),
        cmocka_unit_test(too_few_segments_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
