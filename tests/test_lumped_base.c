// Bases that move: far, fast, from one velocity to another, in all lumped models and ways of stepping.
#include "math/se3.h"

#include "integrate/sundials.h"
#include "lumped.h"

static const char *const models[] = {"eba", "ebr", "srl", "cosserat"};

// The base turns and shifts with one input, from `start` of it.
static td_robot *swinging(double start) {
    td_error err = {0};
    lumped_rod r = unit_rod();
    for (int i = 0; i < 6; i++) r.damping[i] = 1e-3 * r.stiffness[i];
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, -1.0, 0.0);
    td_input_def def = {.name = "swing", .signal = {.kind = TD_SIGNAL_CONSTANT, .from = start}};
    int input = td_robot_add_input(robot, &def, &err);
    CHECK_OK(input, err);
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
    rod.base.rotation[0] = (td_number){0.0, 1.0, input};
    rod.base.rotation[1] = (td_number){0.0, 0.5, input};
    rod.base.position[1] = (td_number){0.0, 0.3, input};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    return robot;
}

static td_options options_of(const char *model, td_steps method) {
    td_options o = lumped_options(model, 3, false);
    o.integration.method = method;
    o.integration.relative = 1e-8, o.integration.absolute = 1e-10;
    o.nodes = 12, o.scheme = TD_SDIRK2;
    return o;
}

// After the base was accelerated for 0.4 s.
static td_pose accelerate(const char *model, td_steps method, int n, double *drift) {
    td_options o = options_of(model, method);
    world w = world_make(swinging(0.0), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const double start = world_balance(&w);
    for (int i = 1; i <= n; i++) {
        double t = 0.4 * i / n;
        td_set_input(w.system, w.state, 0, 5.0 * t * t);
        td_set_input_rate(w.system, w.state, 0, 10.0 * t);
        CHECK_CALL(&w, td_step(w.system, w.state, 0.4 / n));
    }
    CHECK_BETWEEN(td_get_energy(w.system, w.state).work, 0.5, 2.0);
    *drift = fabs(world_balance(&w) - start);
    td_pose tip = tip_of(&w);
    world_free(&w);
    return tip;
}

static void an_accelerated_base_does_work_to_order_2(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double drift[2];
        const int n = k ? 100 : 400;  // that of eba passes 0 before, at 5e-7
        td_pose coarse = accelerate(models[k], TD_STEPS_FIXED, n, &drift[0]);
        td_pose fine = accelerate(models[k], TD_STEPS_FIXED, 2 * n, &drift[1]);
        td_pose finest = accelerate(models[k], TD_STEPS_FIXED, 4 * n, &(double){0.0});
        CHECK_BETWEEN(drift[1], 0.0, k ? 5e-5 : 1e-7);
        CHECK_BETWEEN(drift[0] / drift[1], 3.0, 9.0);
        CHECK_BETWEEN(pose_distance(coarse, fine) / pose_distance(fine, finest), 3.5, 4.5);
    }
}

static void every_way_of_stepping_feels_the_acceleration(void **state) {
    (void)state;
    double drift;
    td_pose truth = accelerate("eba", TD_STEPS_FIXED, 200, &drift);
    for (int k = 0; k < 4 && integrator_exists(); k++) {
        td_steps method = k == 3 ? TD_STEPS_EXPLICIT : TD_STEPS_IMPLICIT;
        td_pose tip = accelerate(models[k % 3], method, 20, &drift);
        // links of an Euler joint bend a little differently
        CHECK_NEAR(pose_distance(tip, truth), 0.0, k == 2 ? 2e-2 : 1e-3);
        CHECK_BETWEEN(drift, 0.0, 3e-3);
    }
    td_pose cosserat = accelerate("cosserat", TD_STEPS_FIXED, 200, &drift);
    CHECK_NEAR(pose_distance(cosserat, truth), 0.0, 2e-2);
}

// A base at rest that moves at once with full speed: the rod stays where it is, at first.
static void a_jump_of_velocity_does_not_carry_the_rod_along(void **state) {
    (void)state;
    td_pose tip[6];
    int n = 0;
    for (int k = 0; k < 6; k++) {
        td_steps method = k < 3 ? TD_STEPS_FIXED : TD_STEPS_IMPLICIT;
        if (method != TD_STEPS_FIXED && !integrator_exists()) break;
        td_options o = options_of(models[k % 3], method);
        world w = world_make(swinging(0.0), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        td_pose before = tip_of(&w);
        const int steps = k < 3 ? 400 : 20;
        td_restart(w.system, w.state);
        for (int i = 1; i <= steps; i++) {
            td_set_input(w.system, w.state, 0, 1.0 * i / steps * 0.1);
            td_set_input_rate(w.system, w.state, 0, 1.0);
            CHECK_CALL(&w, td_step(w.system, w.state, 0.1 / steps));
            if (i == steps / 10) CHECK_BETWEEN(pose_distance(before, tip_of(&w)), 0.0, 2e-3);
        }
        tip[n++] = tip_of(&w);
        world_free(&w);
    }
    for (int k = 1; k < n; k++)
        CHECK_NEAR(pose_distance(tip[0], tip[k]), 0.0, k % 3 == 2 ? 2e-3 : 2e-4);
}

static void a_base_far_from_where_it_was_described(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        td_options o = options_of(models[k], TD_STEPS_FIXED);
        world w = world_make(swinging(8.0), &o), moved = world_make(swinging(0.0), &o);
        // at reset the rod stands, straight, on the base where the input has it
        vec3 turn = {8.0, 4.0, 0.0}, straight = quat_rotate(quat_exp(turn), (vec3){0, 0, 1});
        td_pose tip = tip_of(&w);
        CHECK_NEAR(tip.p[1] - 2.4, straight.y, 1e-14);
        CHECK_NEAR(tip.p[2], straight.z, 1e-14);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        td_set_input(moved.system, moved.state, 0, 8.0);
        CHECK_CALL(&moved, td_solve_statics(moved.system, moved.state));
        CHECK_NEAR(pose_distance(tip_of(&w), tip_of(&moved)), 0.0, 1e-9);
        // a rod does not know where its base is
        td_energy e[2] = {td_get_energy(w.system, w.state),
                          td_get_energy(moved.system, moved.state)};
        CHECK_NEAR(e[0].elastic, e[1].elastic, 1e-9);
        world_free(&w);
        world_free(&moved);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_accelerated_base_does_work_to_order_2),
        cmocka_unit_test(every_way_of_stepping_feels_the_acceleration),
        cmocka_unit_test(a_jump_of_velocity_does_not_carry_the_rod_along),
        cmocka_unit_test(a_base_far_from_where_it_was_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
