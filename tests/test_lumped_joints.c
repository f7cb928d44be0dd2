// Ends of rods that turn in what holds them, in eba: pendulums, columns, and the Cosserat model.
#include "math/se3.h"

#include "lumped.h"

#define PI 3.14159265358979323846

// A plate on three legs, joined to it and to the ground in the way asked for; pushed askew.
static td_robot *table(td_joint at_plate, td_joint at_ground) {
    td_error err = {0};
    lumped_rod r = unit_rod();
    for (int i = 0; i < 6; i++) r.damping[i] = 2e-3 * r.stiffness[i];
    r.curvature[0] = 0.4;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, 0.0, -0.5);
    td_body_def plate = td_default_body_def();
    plate.name = "plate", plate.rod = -1, plate.mass = 0.3, plate.position[2] = 0.95;
    for (int i = 0; i < 3; i++) plate.inertia[i] = 0.01 * (i + 1);
    int body = td_robot_add_body(robot, &plate, &err), push = add_input(robot, "push");
    CHECK_OK(body, err);
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "leg%d", i);
        const double x = cos(2.0 * PI * i / 3.0), y = sin(2.0 * PI * i / 3.0);
        td_rod_def leg = td_default_rod_def();
        leg.name = name, leg.pieces = &piece, leg.n_pieces = 1;
        leg.base.position[0] = td_constant(0.5 * x), leg.base.position[1] = td_constant(0.5 * y);
        leg.base.joint = at_ground, leg.base.axis[0] = x, leg.base.axis[1] = y;
        leg.base.axis2[0] = -y, leg.base.axis2[1] = x;
        leg.tip.held = true, leg.tip.body = body;
        leg.tip.position[0] = td_constant(0.4 * x), leg.tip.position[1] = td_constant(0.4 * y);
        leg.tip.joint = at_plate, leg.tip.axis[0] = -y, leg.tip.axis[1] = x;
        leg.tip.axis2[0] = x, leg.tip.axis2[1] = y;
        CHECK_OK(td_robot_add_rod(robot, &leg, &err), err);
    }
    td_load_def load = td_default_load_def();
    load.name = "push", load.rod = -1, load.body = body;
    load.force[0] = (td_number){0.3, 1.0, push}, load.force[1] = td_constant(0.15);
    add_load(robot, &load);
    return robot;
}

static const td_joint at_plate[] = {TD_BALL, TD_REVOLUTE, TD_UNIVERSAL, TD_CLAMP};
static const td_joint at_ground[] = {TD_CLAMP, TD_CLAMP, TD_CLAMP, TD_REVOLUTE};
#define N_TABLES 4

static void tables_approach_the_cosserat_model(void **state) {
    (void)state;
    for (int k = 0; k < N_TABLES; k++) {
        td_options o = td_default_options();
        o.nodes = 12;
        world truth = world_make(table(at_plate[k], at_ground[k]), &o);
        CHECK_CALL(&truth, td_solve_statics(truth.system, truth.state));
        td_pose plate = td_get_body(truth.system, truth.state, 0).pose;
        double error[2], stable;
        for (int i = 0; i < 2; i++) {
            o = lumped_options("eba", i ? 32 : 16, false);
            world w = world_make(table(at_plate[k], at_ground[k]), &o);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            error[i] = pose_distance(td_get_body(w.system, w.state, 0).pose, plate);
            CHECK_CALL(&w, td_get_stability(w.system, w.state, &stable));
            world_free(&w);
        }
        double smallest;
        CHECK_CALL(&truth, td_get_stability(truth.system, truth.state, &smallest));
        CHECK_NEAR(stable, smallest, 2e-3);
        CHECK_BETWEEN(error[1], 1e-9, 2e-4);
        CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.15);
        world_free(&truth);
    }
}

static void derivatives_are_differences_of_solutions(void **state) {
    (void)state;
    for (int k = 0; k < N_TABLES; k++) {
        td_options o = lumped_options("eba", 6, false);
        o.tolerance = 1e-13;
        world w = world_make(table(at_plate[k], at_ground[k]), &o);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        double J[6], tip[6];
        CHECK_CALL(&w, td_get_body_jacobian(w.system, w.state, 0, J));
        CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 1, 1.0, tip));
        td_pose at[2][2];
        for (int side = 0; side < 2; side++) {
            td_set_input(w.system, w.state, 0, side ? 1e-5 : -1e-5);
            assert_true(td_solve_statics(w.system, w.state) >= 0);
            at[side][0] = td_get_body(w.system, w.state, 0).pose;
            at[side][1] = td_get_pose(w.system, w.state, 1, 1.0);
        }
        for (int p = 0; p < 2; p++) {
            const double *column = p ? tip : J;
            vec3 turn = quat_log(quat_mul(quat_load(at[1][p].q), quat_conj(quat_load(at[0][p].q))));
            const double turns[3] = {turn.x, turn.y, turn.z};
            for (int i = 0; i < 3; i++) {
                CHECK_NEAR(column[i], turns[i] / 2e-5, 1e-5);
                CHECK_NEAR(column[3 + i], (at[1][p].p[i] - at[0][p].p[i]) / 2e-5, 1e-5);
            }
        }
        world_free(&w);
    }
}

// Axes stay where the joint holds them, pushed about, and energy is accounted for to order 2.
static void tables_sway_and_keep_their_energy(void **state) {
    (void)state;
    for (int k = 0; k < N_TABLES; k++) {
        double drift[2];
        for (int half = 0; half < 2; half++) {
            td_options o = lumped_options("eba", 4, false);
            world w = world_make(table(at_plate[k], at_ground[k]), &o);
            const int n = half ? 400 : 200;
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            double start = world_balance(&w), most = 0.0;
            for (int i = 1; i <= n; i++) {
                const double x = (double)i / n;
                td_set_input(w.system, w.state, 0, 4.0 * x * x * (1.0 - x));
                CHECK_CALL(&w, td_step(w.system, w.state, 0.4 / n));
                most = fmax(most, fabs(world_balance(&w) - start));
            }
            td_pose plate = td_get_body(w.system, w.state, 0).pose;
            for (int leg = 0; leg < 3; leg++) {
                td_pose tip = td_get_pose(w.system, w.state, leg, 1.0);
                const double c = cos(2.0 * PI * leg / 3.0), s = sin(2.0 * PI * leg / 3.0);
                vec3 hole = quat_rotate(quat_load(plate.q), (vec3){0.4 * c, 0.4 * s, 0.0});
                vec3 gap = vec3_sub(vec3_load(tip.p), vec3_add(vec3_load(plate.p), hole));
                CHECK_NEAR(vec3_norm(gap), 0.0, 1e-13);
                vec3 axis = quat_rotate(quat_load(plate.q), (vec3){-s, c, 0.0});
                vec3 own = quat_rotate(quat_load(tip.q), (vec3){-s, c, 0.0});
                vec3 own2 = quat_rotate(quat_load(tip.q), (vec3){c, s, 0.0});
                if (at_plate[k] == TD_REVOLUTE)
                    CHECK_NEAR(vec3_norm(vec3_sub(axis, own)), 0.0, 1e-9);
                if (at_plate[k] == TD_UNIVERSAL) CHECK_NEAR(vec3_dot(axis, own2), 0.0, 1e-9);
            }
            drift[half] = most;
            world_free(&w);
        }
        CHECK_BETWEEN(drift[1], 0.0, 1e-3);
        CHECK_BETWEEN(drift[0] / drift[1], 3.0, 5.0);
    }
}

// A stiff rod on a hinge: period 2 pi sqrt(2 L/3 g), and the amplitude's series.
static void a_hinged_rod_is_a_pendulum(void **state) {
    (void)state;
    td_error err = {0};
    lumped_rod r = unit_rod();
    for (int i = 0; i < 6; i++) r.stiffness[i] *= i < 3 ? 1e4 : 1e2, r.damping[i] = 10.0;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, 0.0, -9.81);
    td_rod_def rod = td_default_rod_def();
    rod.name = "pendulum", rod.pieces = &piece, rod.n_pieces = 1;
    rod.base.joint = TD_REVOLUTE, rod.base.axis[0] = 0.0, rod.base.axis[1] = 1.0;
    const double angle = PI - 0.2;  // from the z axis: hangs, almost
    quat q = quat_exp((vec3){0.0, angle, 0.0});
    quat_store(rod.base.orientation, q);
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    td_options o = lumped_options("eba", 10, false);
    world w = world_make(robot, &o);
    const double period = 2.0 * PI * sqrt(2.0 / (3.0 * 9.81)) * (1.0 + 0.04 / 16.0);
    const int n = 2000;
    double before = 1.0, crossed = 0.0;
    for (int i = 1; i <= n && crossed == 0.0; i++) {
        CHECK_CALL(&w, td_step(w.system, w.state, period / n));
        double x = tip_of(&w).p[0];
        if (x < 0.0) crossed = (i - x / (x - before)) * period / n;
        before = x;
    }
    CHECK_NEAR(crossed, 0.25 * period, 2e-3 * period);
    world_free(&w);
}

// Hinged at both ends and pressed together: pi^2 EI/L^2, a quarter of what clamps bear.
static void a_hinged_column_is_eulers(void **state) {
    (void)state;
    td_error err = {0};
    static const td_joint joints[] = {TD_BALL, TD_REVOLUTE};
    for (int k = 0; k < 2; k++) {
        lumped_rod r = unit_rod();
        for (int i = 3; i < 6; i++) r.stiffness[i] = 1e6;
        r.stiffness[1] = 1.5;  // gives way about x first
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = td_robot_create();
        set_gravity(robot, 0.0, 0.0, 0.0);
        td_rod_def rod = td_default_rod_def();
        rod.name = "column", rod.pieces = &piece, rod.n_pieces = 1;
        rod.base.joint = TD_REVOLUTE;
        rod.tip.held = true, rod.tip.joint = joints[k];
        rod.tip.position[2] = td_constant(1.0 - 0.6 * PI * PI / 1e6);
        CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
        td_options o = lumped_options("eba", 40, false);
        world w = world_make(robot, &o);
        double smallest;
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
        CHECK_NEAR(smallest, 0.4, 3e-3);
        world_free(&w);
    }
}

// A thick rod that falls on a ball joint: where its tip is after 0.4 s. The first half of the first
// segment turns with the end that may turn.
static td_pose thick_pendulum(const char *model, int n, int steps) {
    td_error err = {0};
    lumped_rod r = unit_rod();
    for (int i = 0; i < 6; i++) r.damping[i] = 1e-2 * r.stiffness[i];
    r.inertia[0] = r.inertia[1] = 0.01, r.inertia[2] = 0.02;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = td_robot_create();
    set_gravity(robot, -3.0, 1.0, -5.0);
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1, rod.base.joint = TD_BALL;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    td_options o = lumped_options(model, n, false);
    o.space = TD_COLLOCATION, o.nodes = n;
    world w = world_make(robot, &o);
    for (int i = 0; i < steps; i++) CHECK_CALL(&w, td_step(w.system, w.state, 0.4 / steps));
    td_pose tip = tip_of(&w);
    world_free(&w);
    return tip;
}

static void a_thick_pendulum_is_of_second_order_in_segments(void **state) {
    (void)state;
    td_pose truth = thick_pendulum("cosserat", 16, 2000);
    const double coarse = pose_distance(truth, thick_pendulum("eba", 8, 1000));
    const double fine = pose_distance(truth, thick_pendulum("eba", 32, 1000));
    CHECK_BETWEEN(coarse / fine, 14.0, 18.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_approach_the_cosserat_model),
        cmocka_unit_test(derivatives_are_differences_of_solutions),
        cmocka_unit_test(tables_sway_and_keep_their_energy),
        cmocka_unit_test(a_hinged_rod_is_a_pendulum),
        cmocka_unit_test(a_hinged_column_is_eulers),
        cmocka_unit_test(a_thick_pendulum_is_of_second_order_in_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
