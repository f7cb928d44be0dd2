// Promises of the constant-curvature model to a control loop, and the kinematics of one arc.
#include <stdlib.h>

#include "allocator.h"
#include "liu_robot.h"
#include "tendril/arc.h"

static const liu_setup arm = {.bending = 0.25, .damping = 0.012, .gravity = 9.81, .segments = 2};

static void steps(td_system *system, td_state *state, int n) {
    for (int i = 0; i < n; i++) {
        td_set_input(system, state, i % 6, 3.0 - i % 5);
        assert_true(td_step(system, state, 2e-3) >= 0);
    }
}

static void what_is_saved_goes_on_to_the_bit(void **unused) {
    (void)unused;
    for (int i = TD_STEPS_FIXED; i <= TD_STEPS_IMPLICIT; i++) {
        td_error err = {0};
        td_robot *robot = liu_robot(&arm);
        td_options o = liu_chosen_steps(liu_options(false), (td_steps)i, 1e-8);
        td_system *system = td_system_create(robot, &o, &err);
        if (system) {  // not in a build without SUNDIALS
            td_state *state = td_state_create(system);
            size_t bytes = td_snapshot_bytes(system);
            void *kept = malloc(bytes);
            steps(system, state, 4);
            assert_int_equal(td_state_save(system, state, kept, bytes), TD_OK);
            steps(system, state, 4);
            td_pose first = td_get_pose(system, state, 0, 0.48);
            assert_int_equal(td_state_restore(system, state, kept, bytes), TD_OK);
            steps(system, state, 4);
            td_pose again = td_get_pose(system, state, 0, 0.48);
            assert_memory_equal(&first, &again, sizeof first);
            free(kept);
            td_state_destroy(state);
        } else {
            assert_true(i != TD_STEPS_FIXED);
            assert_string_equal(err.where, "simulation.integration.method");
        }
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

// An equilibrium is a beginning: what was before it leaves no trace in the steps that follow.
static void equilibria_forget_the_motion_before(void **unused) {
    (void)unused;
    td_robot *robot = liu_robot(&arm);
    td_options o = liu_options(false);
    td_system *system = td_system_create(robot, &o, NULL);
    td_state *moved = td_state_create(system), *fresh = td_state_create(system);
    double q[6] = {0.1, 0.2, 0.24, 0.0, 0.3, 0.24};
    steps(system, moved, 5);
    for (int k = 0; k < 6; k++) td_set_input(system, moved, k, td_get_input(system, fresh, k));
    assert_int_equal(td_set_coordinates(system, moved, q, NULL), TD_OK);
    assert_int_equal(td_set_coordinates(system, fresh, q, NULL), TD_OK);
    assert_int_equal(td_solve_statics(system, moved), TD_OK);
    assert_int_equal(td_solve_statics(system, fresh), TD_OK);
    steps(system, moved, 3);
    steps(system, fresh, 3);
    td_pose a = td_get_pose(system, moved, 0, 0.48), b = td_get_pose(system, fresh, 0, 0.48);
    assert_memory_equal(&a, &b, sizeof a);
    td_state_destroy(moved);
    td_state_destroy(fresh);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

// In memory of the caller, full of what was there before, and without one allocation.
static void steps_and_solves_allocate_nothing(void **unused) {
    (void)unused;
    td_robot *robot = liu_robot(&arm);
    td_options o = liu_options(false);
    td_system *system = td_system_create(robot, &o, NULL);
    size_t bytes = td_state_bytes(system);
    void *memory = malloc(bytes);
    memset(memory, 0xff, bytes);
    td_state *state = td_state_init(system, memory, bytes), *fresh = td_state_create(system);
    double q[6], q_t[6] = {0}, efforts[6], J[36];
    assert_non_null(state);
    long before = allocations;
    assert_int_equal(td_solve_statics(system, state), TD_OK);
    steps(system, state, 5);
    td_get_coordinates(system, state, q, NULL);
    assert_true(td_inverse_efforts(system, state, q, q_t, q_t, efforts) >= 0);
    assert_true(td_get_jacobian(system, state, 0, 0.3, J) >= 0);
    assert_int_equal(allocations, before);
    assert_int_equal(td_solve_statics(system, fresh), TD_OK);
    steps(system, fresh, 5);
    td_pose a = td_get_pose(system, state, 0, 0.48), b = td_get_pose(system, fresh, 0, 0.48);
    assert_memory_equal(&a, &b, sizeof a);
    td_state_destroy(fresh);
    free(memory);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

// A step whose end is out of reach happens not at all, fixed or chosen.
static void a_failed_step_changes_nothing(void **unused) {
    (void)unused;
    for (int i = TD_STEPS_FIXED; i <= (check_briefly() ? TD_STEPS_FIXED : TD_STEPS_IMPLICIT); i++) {
        td_robot *robot = liu_robot(&arm);
        td_options o = liu_chosen_steps(liu_options(false), (td_steps)i, 1e-8);
        td_system *system = td_system_create(robot, &o, NULL);
        td_state *state = system ? td_state_create(system) : NULL;
        if (state) {
            size_t bytes = td_snapshot_bytes(system);
            char *before = malloc(bytes), *after = malloc(bytes);
            steps(system, state, 4);
            td_set_input(system, state, 0, -1e30);
            assert_int_equal(td_state_save(system, state, before, bytes), TD_OK);
            assert_true(td_step(system, state, 0.1) < 0);
            assert_string_not_equal(td_message(state), "");
            assert_int_equal(td_state_save(system, state, after, bytes), TD_OK);
            assert_memory_equal(before, after, bytes);
            td_set_input(system, state, 0, 0.0);
            steps(system, state, 2);
            free(before);
            free(after);
        }
        td_state_destroy(state);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

static void a_lack_of_memory_is_told_and_leaks_nothing(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    td_robot *robot = liu_robot(&arm);
    td_options o = liu_options(false);
    for (int k = 0;; k++) {
        td_error err = {0};
        long before = live;
        fail_at = allocations + k;
        td_system *system = td_system_create(robot, &o, &err);
        fail_at = -1;
        bool made = system != NULL;
        td_system_destroy(system);
        assert_int_equal(live, before);
        if (made) break;
        assert_int_equal(err.status, TD_ERR_MEMORY);
        assert_true(k < 200);
    }
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- one arc
static void an_arc_reaches_the_point_it_was_asked_for(void **unused) {
    (void)unused;
    static const double points[][3] = {
        {0.1, 0.0, 0.2}, {-0.1, 0.2, -0.05}, {1e-9, 0.0, 0.3}, {0.0, 0.0, 0.4}, {0.0, -0.3, 0.0}};
    for (int i = 0; i < 5; i++) {
        td_arc arc;
        double angle, radius, direction;
        assert_int_equal(td_arc_to_point(points[i], &arc), TD_OK);
        td_pose end = td_arc_pose(&arc, 1.0);
        for (int k = 0; k < 3; k++) CHECK_NEAR(end.p[k], points[i][k], 1e-15);
        td_arc_polar(&arc, &angle, &radius, &direction);
        if (i != 4) continue;  // a half turn to the side: a circle of radius 0.15
        CHECK_NEAR(angle, LIU_PI, 1e-15);
        CHECK_NEAR(radius, 0.15, 1e-15);
        CHECK_NEAR(direction, -0.5 * LIU_PI, 1e-15);
    }
    td_arc arc;
    assert_int_equal(td_arc_to_point((const double[]){0.0, 0.0, -0.1}, &arc), TD_ERR_ARGUMENT);
}

static void tendons_give_their_arc_back(void **unused) {
    (void)unused;
    const td_arc arc = {{0.7, -0.4}, 0.25};
    const double offsets[8] = {0.01, 0.0, 0.0, 0.012, -0.02, 0.001, 0.003, -0.01};
    double lengths[4];
    td_arc out;
    for (int i = 0; i < 4; i++) lengths[i] = td_arc_tendon(&arc, offsets + 2 * i);
    assert_int_equal(td_arc_from_tendons(4, offsets, lengths, &out), TD_OK);
    CHECK_NEAR(out.u[0], arc.u[0], 1e-13);
    CHECK_NEAR(out.u[1], arc.u[1], 1e-13);
    CHECK_NEAR(out.length, arc.length, 1e-15);
    const double line[6] = {0.01, 0.01, 0.02, 0.02, 0.03, 0.03};
    assert_int_equal(td_arc_from_tendons(3, line, lengths, &out), TD_ERR_ARGUMENT);
}

static void clarke_coordinates_are_the_bending(void **unused) {
    (void)unused;
    const td_arc arc = {{0.7, -0.4}, 0.25};
    for (int n = 3; n <= 7; n++) {
        double pulled[7], two[2], back[7];
        for (int i = 0; i < n; i++) {
            double angle = 2.0 * LIU_PI * i / n;
            const double offset[2] = {0.02 * cos(angle), 0.02 * sin(angle)};
            pulled[i] = arc.length - td_arc_tendon(&arc, offset);
        }
        td_clarke(n, pulled, two);
        CHECK_NEAR(two[0] / 0.02, arc.u[0], 1e-14);
        CHECK_NEAR(two[1] / 0.02, arc.u[1], 1e-14);
        td_clarke_inverse(n, two, back);
        for (int i = 0; i < n; i++) CHECK_NEAR(back[i], pulled[i], 1e-16);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_goes_on_to_the_bit),
        cmocka_unit_test(equilibria_forget_the_motion_before),
        cmocka_unit_test(steps_and_solves_allocate_nothing),
        cmocka_unit_test(a_failed_step_changes_nothing),
        cmocka_unit_test(a_lack_of_memory_is_told_and_leaks_nothing),
        cmocka_unit_test(an_arc_reaches_the_point_it_was_asked_for),
        cmocka_unit_test(tendons_give_their_arc_back),
        cmocka_unit_test(clarke_coordinates_are_the_bending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
