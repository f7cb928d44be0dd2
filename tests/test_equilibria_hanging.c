// Rods that hang from ball and universal joints: what turns freely stays, what falls is said to fall.
#include "chains.h"

static const double weight =
    9.81 * 8000.0 * 3.14159265358979323846 * 1e-6 * 0.4;  // of steel_piece()

static const td_joint kinds[2] = {TD_UNIVERSAL, TD_BALL};

static const char *const models[2] = {"cosserat", "eba"};

static td_options options_of(int model) {
    td_options o = chain_options();
    snprintf(o.model, sizeof o.model, "%s", models[model]);
    return o;
}

static void point_to(td_rod_def *rod, double x, double y, double z) {
    // by the shortest way from z to (x, y, z): (1 + z, z x (x, y, z)) as a quaternion
    const double n = sqrt(x * x + y * y + z * z), w = 1.0 + z / n;
    double q[4] = {w, -y / n, x / n, 0.0};
    if (w < 1e-12) q[1] = 1.0;
    const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    for (int i = 0; i < 4; i++) rod->base.orientation[i] = q[i] / size;
}

static td_robot *hanging_robot(td_joint joint, double x, double z) {
    td_piece_def piece = steel_piece();
    td_robot *robot = empty_robot(0.0, 0.0, -9.81);
    td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
    rod.base.joint = joint;
    rod.base.axis[0] = 1.0, rod.base.axis[1] = rod.base.axis[2] = 0.0;
    rod.base.axis2[1] = 1.0, rod.base.axis2[0] = rod.base.axis2[2] = 0.0;
    point_to(&rod, x, 0.0, z);
    add_chain_rod(robot, &rod);
    return robot;
}

static world hanging(int model, td_joint joint, double x, double z) {
    td_options o = options_of(model);
    return world_make(hanging_robot(joint, x, z), &o);
}

static world hanging_pushed(int model, td_joint joint, double force) {
    td_options o = options_of(model);
    td_robot *robot = hanging_robot(joint, 0.0, -1.0);
    td_load_def load = {.name = "push", .from = 0.4, .frame = TD_FRAME_BODY};
    set3(load.force, force, 0.0, 0.0);
    add_load(robot, &load);
    return world_make(robot, &o);
}

static void check_hangs(const world *w, int rod, double from, double length) {
    td_sample tip = td_get_sample(w->system, w->state, rod, length);
    CHECK_NEAR(tip.pose.p[0], 0.0, 1e-9);
    CHECK_NEAR(tip.pose.p[2], from - length, 1e-6);
}

static double stability_of(const world *w) {
    double smallest;
    assert_int_equal(td_get_stability(w->system, w->state, &smallest), TD_OK);
    return smallest;
}

static void check_hangs_and_stays(int model, td_joint joint, double lean) {
    world w = hanging(model, joint, lean, -1.0);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
    check_hangs(&w, 0, 0.0, 0.4);
    CHECK_NEAR(td_get_sample(w.system, w.state, 0, 0.0).wrench[5], weight, 1e-4 * weight);
    const double smallest = stability_of(&w);
    if (joint == TD_BALL) CHECK_NEAR(smallest, 0.0, 0.0);  // it turns about itself
    else CHECK_BETWEEN(smallest, 1e-3, 1.0 + 1e-9);
    for (int step = 0; step < 20; step++)
        assert_int_equal(td_step(w.system, w.state, 0.005), TD_OK);
    check_hangs(&w, 0, 0.0, 0.4);
    world_free(&w);
}

static void a_rod_hangs_from_a_joint_and_stays(void **unused) {
    (void)unused;
    const double leans[] = {0.0, 0.1, 1.0, 3.0};
    for (int k = 0; k < 2; k++) {
        for (int model = 0; model < 2; model++)
            for (int i = 0; i < 4; i++) check_hangs_and_stays(model, kinds[k], leans[i]);
    }
}

// Wherever it begins, and limp or stiff, it swings there; nothing loses its stability on the way.
static void a_rod_that_leans_swings_to_where_it_hangs(void **unused) {
    (void)unused;
    const double leans[8][3] = {{1.0, 0.0, 0.2},  {1.0, 1.0, 0.5}, {0.2, 0.1, 1.0},
                                {1.0, 1.0, -0.5}, {1.0, 0.1, 0.1}, {1.0, 0.01, -0.1},
                                {0.0, 1.0, 0.2},  {0.3, 0.1, -1.0}};
    for (int k = 0; k < 32; k++) {
        td_piece_def piece = steel_piece();
        if (k % 2) piece.youngs_modulus = 5e6, piece.shear_modulus = 2e6, piece.density = 1000.0;
        td_options o = options_of(k / 2 % 2);
        td_robot *robot = empty_robot(0.0, 0.0, -9.81);
        td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
        rod.base.joint = TD_BALL;
        point_to(&rod, leans[k / 4][0], leans[k / 4][1], leans[k / 4][2]);
        add_chain_rod(robot, &rod);
        world w = world_make(robot, &o);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        const td_sample tip = td_get_sample(w.system, w.state, 0, 0.4);
        CHECK_NEAR(tip.pose.p[0], 0.0, 1e-9);
        CHECK_NEAR(tip.pose.p[1], 0.0, 1e-9);
        CHECK_NEAR(tip.pose.p[2], -0.4, 1e-3 * 0.4);
        CHECK_NEAR(stability_of(&w), 0.0, 0.0);
        world_free(&w);
    }
}

static void an_upright_rod_on_a_joint_falls_and_says_so(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        world w = hanging(k / 2, kinds[k % 2], 0.0, 1.0);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
        check_hangs(&w, 0, 0.0, 0.4);
        CHECK_BETWEEN(stability_of(&w), 0.0, 1.0 + 1e-9);
        world_free(&w);
        w = hanging(k / 2, kinds[k % 2], 0.05, 1.0);  // it falls to where it hangs
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        check_hangs(&w, 0, 0.0, 0.4);
        world_free(&w);
    }
}

// Upright on a clamped one eba leaves a rod standing, unstable by the second variation of its height as a stiff rod,
// - m g L/2, against EI/L.
static void a_chain_with_a_ball_between_hangs(void **unused) {
    (void)unused;
    const double EI = 207e9 * 3.14159265358979323846 / 4.0 * 1e-12,
                 falls = -weight * 0.5 * 0.4 * 0.4 / EI;
    for (int k = 0; k < 8; k++) {  // down or up; clamped or from a ball; model
        const double z = k % 2 ? 1.0 : -1.0;
        td_piece_def piece = steel_piece();
        td_options o = options_of(k / 4);
        td_robot *robot = empty_robot(0.0, 0.0, -9.81);
        int link = add_body(robot, "link", 0.0, 0.0, (double[]){0.0, 0.0, 0.4 * z});
        td_rod_def upper = chain_rod("upper", &piece, 0.0, 0.0, 0.0);
        point_to(&upper, 0.0, 0.0, z);
        if (k / 2 % 2) upper.base.joint = TD_BALL;
        hold_tip(&upper, link, TD_CLAMP, 0.0, 0.0, 0.0);
        if (z < 0.0) upper.tip.orientation[0] = 0.0, upper.tip.orientation[1] = 1.0;
        add_chain_rod(robot, &upper);
        td_rod_def lower = chain_rod("lower", &piece, 0.0, 0.0, 0.0);
        point_to(&lower, 0.0, 0.0, z);
        lower.base.body = link, lower.base.joint = TD_BALL;
        add_chain_rod(robot, &lower);
        world w = world_make(robot, &o);
        assert_int_equal(td_solve_statics(w.system, w.state), k % 2 ? TD_BIFURCATION : TD_OK);
        if (k == 5) CHECK_NEAR(stability_of(&w), falls, 0.03 * -falls);
        if (k % 2 == 0) {
            check_hangs(&w, 0, 0.0, 0.4);
            check_hangs(&w, 1, -0.4, 0.4);
            CHECK_NEAR(td_get_sample(w.system, w.state, 0, 0.0).wrench[5], 2.0 * weight, 1e-4);
            for (int step = 0; step < 20; step++)
                assert_int_equal(td_step(w.system, w.state, 0.005), TD_OK);
            check_hangs(&w, 1, -0.4, 0.4);
        }
        world_free(&w);
    }
}

// Pulled aside a soft rod turns in its ball until nothing turns it any more, and may still turn about itself: neutral
// with any number of nodes.
static void a_rod_pulled_aside_turns_about_itself(void **unused) {
    (void)unused;
    for (int nodes = 6; nodes <= 16; nodes += nodes < 8 ? 2 : 8) {
        td_piece_def piece = steel_piece();
        piece.length = 1.0, piece.section.radius = piece.section_end.radius = 6.95699e-3;
        piece.youngs_modulus = 2.0058e6, piece.shear_modulus = 2.0058e6 / 2.9,
        piece.density = 1000.0;
        td_options o = options_of(0);
        o.nodes = nodes;
        td_robot *robot = empty_robot(0.0, 0.0, -9.81);
        td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
        rod.base.joint = TD_BALL;
        point_to(&rod, 0.468, 0.87, -0.433);
        add_chain_rod(robot, &rod);
        td_load_def load = {.name = "pull", .from = 1.0, .frame = TD_FRAME_WORLD};
        set3(load.force, 1.5777, -0.014127, -0.37891);
        add_load(robot, &load);
        world w = world_make(robot, &o);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        const td_reaction base = td_get_reaction(w.system, w.state, 0, TD_BASE);
        for (int i = 0; i < 3; i++) CHECK_NEAR(base.moment[i], 0.0, 1e-9);
        CHECK_NEAR(stability_of(&w), 0.0, 0.0);
        world_free(&w);
    }
}

// A force f across the tip that turns with a stiff rod holds it at the angle a from the vertical where its weight W turns
// it back as much, W sin a / 2 = f; beyond W/2 it drives it round and round.
static void a_force_that_follows_leans_a_rod_or_whirls_it(void **unused) {
    (void)unused;
    for (int k = 0; k < 12; k++) {  // share; joint; model
        const double share = (double[]){0.2, 0.49, 0.51}[k % 3];
        world w = hanging_pushed(k / 6, kinds[k / 3 % 2], share * weight);
        const td_status status = td_solve_statics(w.system, w.state);
        if (share > 0.5) {
            assert_int_equal(status, TD_ERR_NOT_CONVERGED);
            assert_non_null(strstr(td_message(w.state), "round and round"));
        } else {
            assert_int_equal(status, TD_OK);
            const td_sample tip = td_get_sample(w.system, w.state, 0, 0.4);
            CHECK_NEAR(hypot(tip.pose.p[0], tip.pose.p[1]), 0.4 * 2.0 * share, 1e-3);
            double smallest;
            assert_true(td_get_stability(w.system, w.state, &smallest) >= 0);
            CHECK_BETWEEN(smallest, kinds[k / 3 % 2] == TD_BALL ? 0.0 : 1e-3, 1.0);
        }
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_hangs_from_a_joint_and_stays),
        cmocka_unit_test(a_rod_that_leans_swings_to_where_it_hangs),
        cmocka_unit_test(an_upright_rod_on_a_joint_falls_and_says_so),
        cmocka_unit_test(a_chain_with_a_ball_between_hangs),
        cmocka_unit_test(a_rod_pulled_aside_turns_about_itself),
        cmocka_unit_test(a_force_that_follows_leans_a_rod_or_whirls_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
