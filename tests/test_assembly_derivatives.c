// Derivatives of equilibria of chains, and inverse statics, against differences of solutions.
#include "chains.h"

static td_options sharp_options(void) {
    td_options o = chain_options();
    o.nodes = 8;
    o.tolerance = 1e-13;
    return o;
}

static const double feeds[6] = {0.01, -0.01, 0.0, 0.02, -0.005, 0.015};

static world fed_platform(td_joint joint) {
    td_options o = sharp_options();
    world w = world_make(platform_robot(joint, true, (double[]){0.6, -0.3, 0.0}), &o);
    for (int k = 0; k < 6; k++) td_set_input(w.system, w.state, k, feeds[k]);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

// Rotation from a to b (small) and translation.
static void motion(td_pose a, td_pose b, double out[6]) {
    const double *p = a.q, *q = b.q;  // q p*
    double v[3] = {-q[0] * p[1] + q[1] * p[0] - q[2] * p[3] + q[3] * p[2],
                   -q[0] * p[2] + q[1] * p[3] + q[2] * p[0] - q[3] * p[1],
                   -q[0] * p[3] - q[1] * p[2] + q[2] * p[1] + q[3] * p[0]};
    double w = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    for (int i = 0; i < 3; i++) {
        out[i] = 2.0 * v[i] * (w < 0.0 ? -1.0 : 1.0);
        out[3 + i] = b.p[i] - a.p[i];
    }
}

// A point on a leg, which keeps its share of the length while that is fed.
static td_pose pose_at_share(const world *w, int rod, double share) {
    return td_get_pose(w->system, w->state, rod, share * td_get_length(w->system, w->state, rod));
}

// ---------------------------------------------------------------- derivatives
static void jacobians_of_a_platform_match_differences(void **unused) {
    (void)unused;
    const double h = 1e-5;
    for (int kind = TD_CLAMP; kind <= TD_UNIVERSAL; kind++) {
        world w = fed_platform((td_joint)kind);
        double plate[36], leg[36];
        CHECK_CALL(&w, td_get_body_jacobian(w.system, w.state, 0, plate));
        const double share = 0.17 / td_get_length(w.system, w.state, 2);
        CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 2, 0.17, leg));
        for (int k = 0; k < 6; k++) {
            td_pose body[2], point[2];
            for (int side = 0; side < 2; side++) {
                td_set_input(w.system, w.state, k, feeds[k] + (side ? h : -h));
                CHECK_CALL(&w, td_solve_statics(w.system, w.state));
                body[side] = td_get_body(w.system, w.state, 0).pose;
                point[side] = pose_at_share(&w, 2, share);
            }
            td_set_input(w.system, w.state, k, feeds[k]);
            double a[6], b[6];
            motion(body[0], body[1], a);
            motion(point[0], point[1], b);
            for (int i = 0; i < 6; i++) {
                CHECK_NEAR(plate[6 * i + k], a[i] / (2.0 * h), 1e-5);
                CHECK_NEAR(leg[6 * i + k], b[i] / (2.0 * h), 1e-5);
            }
        }
        world_free(&w);
    }
}

static td_pose pushed_plate(td_joint joint, int k, double force) {
    td_options o = sharp_options();
    double push[3] = {0.6, -0.3, 0.0};
    push[k] += force;
    world w = world_make(platform_robot(joint, true, push), &o);
    for (int i = 0; i < 6; i++) td_set_input(w.system, w.state, i, feeds[i]);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose plate = td_get_body(w.system, w.state, 0).pose;
    world_free(&w);
    return plate;
}

static void compliance_of_a_platform_matches_an_extra_load_and_is_symmetric(void **unused) {
    (void)unused;
    for (int kind = TD_CLAMP; kind <= TD_UNIVERSAL; kind++) {
        world w = fed_platform((td_joint)kind);
        double C[36], a[6], most = 0.0;
        CHECK_CALL(&w, td_get_body_compliance(w.system, w.state, 0, C));
        for (int i = 0; i < 36; i++) most = fmax(most, fabs(C[i]));
        for (int i = 0; i < 36; i++) CHECK_NEAR(C[i], C[i % 6 * 6 + i / 6], 1e-6 * most);
        motion(pushed_plate((td_joint)kind, 0, -1e-3), pushed_plate((td_joint)kind, 0, 1e-3), a);
        for (int i = 0; i < 6; i++) CHECK_NEAR(C[6 * i + 3], a[i] / 2e-3, 1e-5 * most);
        world_free(&w);
    }
}

// The wrench on a rod that stands on a body goes through that body: Maxwell's reciprocity between
// the two.
static void compliance_is_reciprocal_between_the_rods_of_a_tree(void **unused) {
    (void)unused;
    td_options o = sharp_options();
    o.nodes = 12;
    td_piece_def piece = steel_piece();
    piece.length = 0.2;
    td_robot *robot = empty_robot(0.0, -9.81, 0.0);
    int head = add_body(robot, "head", 0.05, 1e-5, (double[]){0.0, 0.0, 0.2});
    td_rod_def stem = chain_rod("stem", &piece, 0.0, 0.0, 0.0);
    hold_tip(&stem, head, TD_CLAMP, 0.0, 0.0, 0.0);
    add_chain_rod(robot, &stem);
    for (int k = 0; k < 2; k++) {
        td_rod_def prong = chain_rod(k ? "right" : "left", &piece, k ? 0.03 : -0.03, 0.0, 0.0);
        prong.base.body = head;
        add_chain_rod(robot, &prong);
    }
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double A[36], B[36], most = 0.0;
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 1, 0.2, 2, 0.2, A));
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 2, 0.2, 1, 0.2, B));
    for (int i = 0; i < 36; i++) most = fmax(most, fabs(A[i]));
    for (int i = 0; i < 36; i++) CHECK_NEAR(A[i], B[i % 6 * 6 + i / 6], 1e-7 * most);
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, 0.2, 2, 0.2, A));
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 2, 0.2, 0, 0.2, B));
    for (int i = 0; i < 36; i++) CHECK_NEAR(A[i], B[i % 6 * 6 + i / 6], 1e-7 * most);
    world_free(&w);
}

static void sensitivity_to_the_plate_matches_differences(void **unused) {
    (void)unused;
    td_options o = sharp_options();
    td_system *systems[2];
    td_pose poses[2];
    const double h = 1e-3;
    world w = world_make(platform_robot(TD_CLAMP, false, (double[]){0.6, -0.3, 0.0}), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_robot *robots[2];
    for (int side = 0; side < 2; side++) {
        td_error err = {0};
        const double push[3] = {0.6 + (side ? h : -h), -0.3, 0.0};
        robots[side] = platform_robot(TD_CLAMP, false, push);
        systems[side] = td_system_create(robots[side], &o, &err);
        assert_non_null(systems[side]);
        td_state *state = td_state_create(systems[side]);
        assert_int_equal(td_solve_statics(systems[side], state), TD_OK);
        poses[side] = td_get_pose(systems[side], state, 0, 0.35);
        td_state_destroy(state);
    }
    double got[6], want[6];
    CHECK_CALL(&w, td_get_sensitivity(w.system, w.state, systems[1], systems[0], h, 0, 0.35, got));
    motion(poses[0], poses[1], want);
    for (int i = 0; i < 6; i++) CHECK_NEAR(got[i], want[i] / (2.0 * h), 1e-8);
    for (int side = 0; side < 2; side++) {
        td_system_destroy(systems[side]);
        td_robot_destroy(robots[side]);
    }
    world_free(&w);
}

// ---------------------------------------------------------------- inverse statics
static const int all[6] = {0, 1, 2, 3, 4, 5};

static td_target moved_plate(const world *w, double x, double y, double z, double turn) {
    td_target target = {.body = 0, .pose = td_get_body(w->system, w->state, 0).pose};
    double half = 0.5 * turn, q[4] = {cos(half), 0.0, sin(half), 0.0}, p[4];
    memcpy(p, target.pose.q, sizeof p);
    target.pose.q[0] = q[0] * p[0] - q[2] * p[2];
    target.pose.q[1] = q[0] * p[1] + q[2] * p[3];
    target.pose.q[2] = q[0] * p[2] + q[2] * p[0];
    target.pose.q[3] = q[0] * p[3] - q[2] * p[1];
    target.pose.p[0] += x, target.pose.p[1] += y, target.pose.p[2] += z;
    return target;
}

static void inverse_finds_legs_whose_equilibrium_is_the_target(void **unused) {
    (void)unused;
    for (int kind = TD_CLAMP; kind <= TD_UNIVERSAL; kind++) {
        td_options o = sharp_options();
        o.tolerance = 1e-11;
        world w = world_make(platform_robot((td_joint)kind, true, (double[]){0.0, 0.0, 0.0}), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        td_target target = moved_plate(&w, 0.03, -0.02, 0.04, 0.1);
        CHECK_CALL(&w, td_solve_inverse(w.system, w.state, &target, all, 6));
        double legs[6], off[6];
        for (int k = 0; k < 6; k++) legs[k] = td_get_input(w.system, w.state, k);
        td_state_reset(w.system, w.state);
        for (int k = 0; k < 6; k++) td_set_input(w.system, w.state, k, legs[k]);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        motion(td_get_body(w.system, w.state, 0).pose, target.pose, off);
        for (int i = 0; i < 6; i++) CHECK_NEAR(off[i], 0.0, 1e-8);
        world_free(&w);
    }
}

// Six inputs for three numbers: of all answers, the one nearest to where the inputs began.
static void more_inputs_than_needed_change_as_little_as_possible(void **unused) {
    (void)unused;
    world w = fed_platform(TD_CLAMP);
    td_target target = moved_plate(&w, 1e-3, 5e-4, -5e-4, 0.0);
    double J[36], da[6], along = 0.0, length = 0.0;
    target.position_only = true;
    CHECK_CALL(&w, td_solve_inverse(w.system, w.state, &target, all, 6));
    for (int k = 0; k < 6; k++) da[k] = td_get_input(w.system, w.state, k) - feeds[k];
    td_pose plate = td_get_body(w.system, w.state, 0).pose;
    for (int i = 0; i < 3; i++) CHECK_NEAR(plate.p[i], target.pose.p[i], 1e-9);
    // nothing of it lies in the null space of the position's Jacobian: Gram-Schmidt on its rows
    CHECK_CALL(&w, td_get_body_jacobian(w.system, w.state, 0, J));
    double basis[3][6], rest[6];
    memcpy(rest, da, sizeof rest);
    for (int i = 0; i < 3; i++) {
        memcpy(basis[i], J + 6 * (3 + i), sizeof basis[i]);
        for (int j = 0; j < i; j++) {
            along = 0.0;
            for (int k = 0; k < 6; k++) along += basis[i][k] * basis[j][k];
            for (int k = 0; k < 6; k++) basis[i][k] -= along * basis[j][k];
        }
        length = 0.0;
        for (int k = 0; k < 6; k++) length += basis[i][k] * basis[i][k];
        for (int k = 0; k < 6; k++) basis[i][k] /= sqrt(length);
        along = 0.0;
        for (int k = 0; k < 6; k++) along += basis[i][k] * rest[k];
        for (int k = 0; k < 6; k++) rest[k] -= along * basis[i][k];
    }
    length = 0.0;
    for (int k = 0; k < 6; k++) length = fmax(length, fabs(rest[k]));
    CHECK_BETWEEN(length, 0.0, 5e-6);  // of changes of 1e-3 m: the Jacobian has moved a little
    world_free(&w);
}

static void fewer_inputs_fit_as_well_as_they_can(void **unused) {
    (void)unused;
    world w = fed_platform(TD_CLAMP);
    td_target target = moved_plate(&w, 1e-3, 0.0, 0.0, 0.0);
    assert_int_equal(td_solve_inverse(w.system, w.state, &target, all, 4), TD_LOOSE);
    assert_non_null(strstr(td_message(w.state), "best fit"));
    world_free(&w);
}

static void inverse_leaves_everything_when_it_fails(void **unused) {
    (void)unused;
    td_options o = sharp_options();
    td_robot *robot = platform_robot(TD_CLAMP, true, (double[]){0.6, -0.3, 0.0});
    int idle = add_input(robot, "idle");  // drives nothing
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_target target = moved_plate(&w, 1e-3, 0.0, 0.0, 0.0);
    td_pose before = td_get_body(w.system, w.state, 0).pose;
    assert_int_equal(td_solve_inverse(w.system, w.state, &target, &idle, 1), TD_ERR_SINGULAR);
    assert_non_null(strstr(td_message(w.state), "do not move the point"));
    td_pose after = td_get_body(w.system, w.state, 0).pose;
    for (int i = 0; i < 3; i++) CHECK_NEAR(after.p[i], before.p[i], 0.0);
    CHECK_NEAR(td_get_input(w.system, w.state, idle), 0.0, 0.0);
    world_free(&w);
}

static void a_point_on_a_rod_reaches_its_place(void **unused) {
    (void)unused;
    world w = fed_platform(TD_BALL);
    const double share = 0.7;
    td_target target = {.body = -1, .rod = 1, .position_only = true};
    for (int back = 0; back < 2; back++) {  // where it is with other legs
        for (int k = 0; k < 6; k++)
            td_set_input(w.system, w.state, k, feeds[k] + (back ? 0.0 : 1e-3 * (k % 3) - 2e-4 * k));
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        if (!back) target.pose = pose_at_share(&w, 1, share);
    }
    target.s = share * td_get_length(w.system, w.state, 1);
    CHECK_CALL(&w, td_solve_inverse(w.system, w.state, &target, all, 6));
    td_pose got = pose_at_share(&w, 1, share);
    for (int i = 0; i < 3; i++) CHECK_NEAR(got.p[i], target.pose.p[i], 1e-9);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_of_a_platform_match_differences),
        cmocka_unit_test(compliance_of_a_platform_matches_an_extra_load_and_is_symmetric),
        cmocka_unit_test(compliance_is_reciprocal_between_the_rods_of_a_tree),
        cmocka_unit_test(sensitivity_to_the_plate_matches_differences),
        cmocka_unit_test(inverse_finds_legs_whose_equilibrium_is_the_target),
        cmocka_unit_test(more_inputs_than_needed_change_as_little_as_possible),
        cmocka_unit_test(fewer_inputs_fit_as_well_as_they_can),
        cmocka_unit_test(inverse_leaves_everything_when_it_fails),
        cmocka_unit_test(a_point_on_a_rod_reaches_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
