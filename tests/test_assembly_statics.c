// Equilibria of rods that hang together, against single rods and beam theory.
#include "chains.h"

static const double EI = 207e9 * 3.14159265358979323846 / 4.0 * 1e-12;  // of steel_piece()

static td_piece_def slender(double length) {
    td_piece_def piece = steel_piece();
    piece.length = length;
    for (int i = 3; i < 6; i++) piece.stiffness[i] = 1e7 * EI / (length * length);
    return piece;
}

// ---------------------------------------------------------------- one rod in two parts
typedef enum parts { ONE, STACKED, FACING } parts;

// A rod of 0.4 m with 2 N at its middle and gravity across, clamped at the base and (FACING, or
// ONE with `both`) at the far end: as one rod, as two of which the second stands on a massless
// body, or as two that meet tip to tip.
static world whole_or_parts(parts kind, bool both, double force) {
    td_piece_def half = steel_piece(), pieces[2];
    half.length = 0.2;
    pieces[0] = pieces[1] = half;
    td_options o = chain_options();
    o.nodes = 14;
    td_robot *robot;
    if (kind == ONE) {
        robot = empty_robot(0.0, -9.81, 0.0);
        td_rod_def rod = chain_rod("whole", pieces, 0.0, 0.0, 0.0);
        rod.n_pieces = 2;
        if (both) hold_tip(&rod, TD_WORLD, TD_CLAMP, 0.0, 0.0, 0.4);
        add_chain_rod(robot, &rod);
        td_load_def load = point_load("middle", 0.2);
        set3(load.force, force, 0.0, 0.0);
        add_load(robot, &load);
        return world_make(robot, &o);
    }
    robot = empty_robot(0.0, -9.81, 0.0);
    int link = add_body(robot, "link", 0.0, 0.0, (double[]){0.0, 0.0, 0.2});
    td_rod_def lower = chain_rod("lower", &half, 0.0, 0.0, 0.0);
    hold_tip(&lower, link, TD_CLAMP, 0.0, 0.0, 0.0);
    add_chain_rod(robot, &lower);
    td_rod_def upper = chain_rod("upper", &half, 0.0, 0.0, 0.0);
    if (kind == STACKED) {
        upper.base.body = link;
        if (both) hold_tip(&upper, TD_WORLD, TD_CLAMP, 0.0, 0.0, 0.4);
    } else {  // from the far end, upside down: half a turn about x
        set3(upper.base.position, 0.0, 0.0, 0.4);
        upper.base.orientation[0] = 0.0, upper.base.orientation[1] = 1.0;
        hold_tip(&upper, link, TD_CLAMP, 0.0, 0.0, 0.0);
        upper.tip.orientation[0] = 0.0, upper.tip.orientation[1] = 1.0;
    }
    add_chain_rod(robot, &upper);
    add_body_force(robot, link, force, 0.0, 0.0);
    return world_make(robot, &o);
}

static void check_same_place(td_pose a, td_pose b, double tolerance) {
    for (int k = 0; k < 3; k++) CHECK_NEAR(a.p[k], b.p[k], tolerance);
}

static void a_rod_on_a_massless_body_continues_the_one_below(void **unused) {
    (void)unused;
    world one = whole_or_parts(ONE, false, 2.0), two = whole_or_parts(STACKED, false, 2.0);
    CHECK_CALL(&one, td_solve_statics(one.system, one.state));
    CHECK_CALL(&two, td_solve_statics(two.system, two.state));
    check_same_place(td_get_pose(one.system, one.state, 0, 0.4),
                     td_get_pose(two.system, two.state, 1, 0.2), 1e-9);
    check_same_place(td_get_pose(one.system, one.state, 0, 0.1),
                     td_get_pose(two.system, two.state, 0, 0.1), 1e-9);
    td_sample a = td_get_sample(one.system, one.state, 0, 0.0);
    td_sample b = td_get_sample(two.system, two.state, 0, 0.0);
    for (int k = 0; k < 6; k++) CHECK_NEAR(a.wrench[k], b.wrench[k], 1e-8);
    world_free(&one);
    world_free(&two);
}

static void two_rods_tip_to_tip_are_one_clamped_at_both_ends(void **unused) {
    (void)unused;
    world one = whole_or_parts(ONE, true, 5.0), two = whole_or_parts(FACING, true, 5.0);
    world three = whole_or_parts(STACKED, true, 5.0);
    CHECK_CALL(&one, td_solve_statics(one.system, one.state));
    CHECK_CALL(&two, td_solve_statics(two.system, two.state));
    CHECK_CALL(&three, td_solve_statics(three.system, three.state));
    td_pose middle = td_get_pose(one.system, one.state, 0, 0.2);
    check_same_place(middle, td_get_pose(two.system, two.state, 0, 0.2), 1e-9);
    check_same_place(middle, td_get_pose(two.system, two.state, 1, 0.2), 1e-9);
    check_same_place(middle, td_get_body(two.system, two.state, 0).pose, 1e-9);
    check_same_place(middle, td_get_pose(three.system, three.state, 1, 0.0), 1e-9);
    check_same_place(td_get_pose(one.system, one.state, 0, 0.3),
                     td_get_pose(two.system, two.state, 1, 0.1), 1e-9);
    world_free(&one);
    world_free(&two);
    world_free(&three);
}

// ---------------------------------------------------------------- beam theory
// Small loads: deflections to the square of the slope.
static void a_beam_clamped_at_both_ends_deflects_by_theory(void **unused) {
    (void)unused;
    td_piece_def half = slender(0.2);
    td_options o = chain_options();
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def rod = chain_rod("beam", (td_piece_def[]){half, half}, 0.0, 0.0, 0.0);
    rod.n_pieces = 2;
    hold_tip(&rod, TD_WORLD, TD_CLAMP, 0.0, 0.0, 0.4);
    add_chain_rod(robot, &rod);
    td_load_def load = point_load("middle", 0.2);
    set3(load.force, 1e-5, 0.0, 0.0);
    add_load(robot, &load);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double theory = 1e-5 * 0.4 * 0.4 * 0.4 / (192.0 * EI);
    CHECK_NEAR(td_get_pose(w.system, w.state, 0, 0.2).p[0] / theory, 1.0, 1e-5);
    world_free(&w);
}

static void a_propped_cantilever_deflects_by_theory(void **unused) {
    (void)unused;
    td_piece_def half = slender(0.2);
    td_options o = chain_options();
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def rod = chain_rod("beam", (td_piece_def[]){half, half}, 0.0, 0.0, 0.0);
    rod.n_pieces = 2;
    hold_tip(&rod, TD_WORLD, TD_BALL, 0.0, 0.0, 0.4);
    add_chain_rod(robot, &rod);
    td_load_def load = point_load("middle", 0.2);
    set3(load.force, 1e-5, 0.0, 0.0);
    add_load(robot, &load);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double theory = 7.0 * 1e-5 * 0.4 * 0.4 * 0.4 / (768.0 * EI);
    CHECK_NEAR(td_get_pose(w.system, w.state, 0, 0.2).p[0] / theory, 1.0, 1e-5);
    td_sample tip = td_get_sample(w.system, w.state, 0, 0.4);
    for (int k = 0; k < 3; k++) CHECK_NEAR(tip.wrench[k], 0.0, 1e-10);
    world_free(&w);
}

// Two columns of length L carry a rigid beam that is pushed sideways along x. The axis of
// revolute joints is y, across the frame; universal joints turn about y and the column.
static double sway_of_portal(td_joint top, td_joint base, td_theory theory, double F) {
    td_piece_def piece = slender(0.4);
    td_options o = chain_options();
    o.theory = theory;
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    int beam = add_body(robot, "beam", 0.0, 0.0, (double[]){0.1, 0.0, 0.4});
    for (int k = 0; k < 2; k++) {
        td_rod_def rod = chain_rod(k ? "right" : "left", &piece, 0.2 * k, 0.0, 0.0);
        hold_tip(&rod, beam, top, 0.2 * k - 0.1, 0.0, 0.0);
        rod.base.joint = base;
        const double y[3] = {0.0, 1.0, 0.0}, z[3] = {0.0, 0.0, 1.0};
        memcpy(rod.tip.axis, y, sizeof y), memcpy(rod.tip.axis2, z, sizeof z);
        memcpy(rod.base.axis, y, sizeof y), memcpy(rod.base.axis2, z, sizeof z);
        add_chain_rod(robot, &rod);
    }
    add_body_force(robot, beam, F, 0.0, 0.0);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double sway = td_get_body(w.system, w.state, 0).pose.p[0] - 0.1;
    world_free(&w);
    return sway;
}

static void portal_frames_sway_by_theory(void **unused) {
    (void)unused;
    const double F = 1e-4, unit = F * 0.4 * 0.4 * 0.4 / EI;
    const struct {
        td_joint top, base;
        double sway;
    } cases[] = {{TD_CLAMP, TD_CLAMP, 1.0 / 24.0},
                 {TD_REVOLUTE, TD_CLAMP, 1.0 / 6.0},
                 {TD_CLAMP, TD_REVOLUTE, 1.0 / 6.0},
                 {TD_UNIVERSAL, TD_CLAMP, 1.0 / 6.0},
                 {TD_CLAMP, TD_UNIVERSAL, 1.0 / 6.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_NEAR(sway_of_portal(cases[i].top, cases[i].base, TD_COSSERAT, F) / unit,
                   cases[i].sway, 1e-4 * cases[i].sway);
    // what neither shears nor stretches: pushed a little so that nothing is exactly straight
    CHECK_NEAR(sway_of_portal(TD_REVOLUTE, TD_CLAMP, TD_KIRCHHOFF, F) / unit, 1.0 / 6.0, 2e-5);
}

// A stem and two prongs on a body at its top. Equal and opposite loads leave the stem straight:
// each prong is a cantilever. With one load the body turns too.
static void a_fork_bends_by_theory(void **unused) {
    (void)unused;
    const double F = 1e-4, L = 0.2, arm = 0.05;
    td_piece_def piece = slender(L);
    for (int loads = 1; loads <= 2; loads++) {
        td_options o = chain_options();
        td_robot *robot = empty_robot(0.0, 0.0, 0.0);
        int head = add_body(robot, "head", 0.0, 0.0, (double[]){0.0, 0.0, L});
        td_rod_def stem = chain_rod("stem", &piece, 0.0, 0.0, 0.0);
        hold_tip(&stem, head, TD_CLAMP, 0.0, 0.0, 0.0);
        add_chain_rod(robot, &stem);
        for (int k = 0; k < 2; k++) {
            td_rod_def prong = chain_rod(k ? "right" : "left", &piece, k ? arm : -arm, 0.0, 0.0);
            prong.base.body = head;
            int rod = add_chain_rod(robot, &prong);
            if (k >= loads) continue;
            td_load_def load = point_load(k ? "pull" : "push", L);
            load.rod = rod;
            set3(load.force, k ? -F : F, 0.0, 0.0);
            add_load(robot, &load);
        }
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        double cantilever = F * L * L * L / (3.0 * EI);
        td_pose top = td_get_body(w.system, w.state, 0).pose;
        double moved = td_get_pose(w.system, w.state, 1, L).p[0] + arm;
        if (loads == 2) {
            CHECK_NEAR(top.p[0], 0.0, 1e-12);
            CHECK_NEAR(moved / cantilever, 1.0, 1e-4);
        } else {
            // the stem carries F and the moment F L: its head moves by 5/6 F L^3/EI and turns by
            // 3/2 F L^2/EI
            CHECK_NEAR(top.p[0] / (F * L * L * L / EI), 5.0 / 6.0, 1e-4);
            CHECK_NEAR(moved / (F * L * L * L / EI), 5.0 / 6.0 + 1.5 + 1.0 / 3.0, 3e-4);
        }
        world_free(&w);
    }
}

// ---------------------------------------------------------------- joints
static double largest(const double *x, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// Large motions: what is held sits where it must, free axes carry no moment, and the plate is in
// balance.
static void every_joint_holds_what_it_says(void **unused) {
    (void)unused;
    const double push[3] = {1.5, -0.8, 0.5};
    for (int kind = TD_CLAMP; kind <= TD_UNIVERSAL; kind++) {
        td_options o = chain_options();
        world w = world_make(platform_robot((td_joint)kind, false, push), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        td_body_state plate = td_get_body(w.system, w.state, 0);
        double sum[3] = {push[0], push[1], push[2] - 9.81 * 0.0921};
        for (int k = 0; k < 6; k++) {
            td_sample tip = td_get_sample(w.system, w.state, k, 0.35);
            double m[3], n[3], a[3], b[3], hole[3];
            const double degree = 3.14159265358979323846 / 180.0;
            double top = (k / 2 * 120.0 + (k % 2 ? 50.0 : -50.0)) * degree;
            rotate(plate.pose.q, (double[]){0.087 * cos(top), 0.087 * sin(top), 0.0}, hole);
            for (int i = 0; i < 3; i++) CHECK_NEAR(tip.pose.p[i], plate.pose.p[i] + hole[i], 1e-10);
            rotate(tip.pose.q, tip.wrench, m);
            rotate(tip.pose.q, tip.wrench + 3, n);
            rotate(plate.pose.q, (double[]){1.0, 0.0, 0.0}, a);
            rotate(tip.pose.q, (double[]){0.0, 1.0, 0.0}, b);
            for (int i = 0; i < 3; i++) sum[i] -= n[i];
            if (kind == TD_BALL) CHECK_BETWEEN(largest(m, 3), 0.0, 1e-6);
            if (kind == TD_REVOLUTE || kind == TD_UNIVERSAL)
                CHECK_NEAR(a[0] * m[0] + a[1] * m[1] + a[2] * m[2], 0.0, 1e-6);
            if (kind == TD_UNIVERSAL) {
                CHECK_NEAR(b[0] * m[0] + b[1] * m[1] + b[2] * m[2], 0.0, 1e-6);
                CHECK_NEAR(a[0] * b[0] + a[1] * b[1] + a[2] * b[2], 0.0, 1e-9);
            }
            if (kind == TD_REVOLUTE) {
                rotate(tip.pose.q, (double[]){1.0, 0.0, 0.0}, b);
                CHECK_NEAR(a[0] * b[0] + a[1] * b[1] + a[2] * b[2], 1.0, 1e-12);
            }
        }
        CHECK_BETWEEN(largest(sum, 3), 0.0, 2e-6);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- refusals
static void a_chain_that_cannot_close_says_which_joint_gapes(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = chain_options();
    o.theory = TD_KIRCHHOFF;
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def rod = chain_rod("short", &piece, 0.0, 0.0, 0.0);
    hold_tip(&rod, TD_WORLD, TD_BALL, 0.3, 0.0, 0.4);  // 0.5 m away, and it does not stretch
    add_chain_rod(robot, &rod);
    world w = world_make(robot, &o);
    td_pose before = tip_of(&w);
    assert_true(td_solve_statics(w.system, w.state) < 0);
    assert_non_null(strstr(td_message(w.state), "the tip of rod 'short'"));
    assert_non_null(strstr(td_message(w.state), "cannot be closed"));
    check_same_place(tip_of(&w), before, 0.0);
    world_free(&w);
}

// A plate under its weight on upright legs: three that cannot stretch share it in one way, of four nobody
// knows what each carries, and of four that can each carries a quarter.
static void legs_that_cannot_stretch_and_are_too_many_are_named(void **unused) {
    (void)unused;
    static const char *const names[] = {"one", "two", "three", "four"};
    td_piece_def piece = steel_piece();
    for (int c = 0; c < 3; c++) {
        const int legs = c ? 4 : 3;
        td_options o = chain_options();
        o.theory = c < 2 ? TD_KIRCHHOFF : TD_COSSERAT;
        td_robot *robot = empty_robot(0.0, 0.0, -9.81);
        int plate = add_body(robot, "plate", 0.1, 1e-4, (double[]){0.0, 0.0, 0.4});
        for (int i = 0; i < legs; i++) {
            const double angle = 2.0 * acos(-1.0) * i / legs;
            const double x = 0.06 * cos(angle), y = 0.06 * sin(angle);
            td_rod_def rod = chain_rod(names[i], &piece, x, y, 0.0);
            hold_tip(&rod, plate, TD_CLAMP, x, y, 0.0);
            add_chain_rod(robot, &rod);
        }
        world w = world_make(robot, &o);
        td_status status = td_solve_statics(w.system, w.state);
        if (c == 1) {
            assert_int_equal(status, TD_ERR_NOT_CONVERGED);
            assert_non_null(strstr(td_message(w.state), "theory: cosserat"));
        } else {
            assert_int_equal(status, TD_OK);
            const double wrench = td_get_sample(w.system, w.state, 0, 0.4).wrench[5];
            CHECK_NEAR(wrench, -0.1 * 9.81 / legs, 1e-6);
        }
        world_free(&w);
    }
}

static void a_mechanism_has_many_equilibria_and_says_so(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = chain_options();
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    int beam = add_body(robot, "beam", 0.1, 1e-4, (double[]){0.1, 0.0, 0.4});
    for (int k = 0; k < 2; k++) {  // it can roll about the line through both joints
        td_rod_def rod = chain_rod(k ? "right" : "left", &piece, 0.2 * k, 0.0, 0.0);
        hold_tip(&rod, beam, TD_BALL, 0.2 * k - 0.1, 0.0, 0.0);
        add_chain_rod(robot, &rod);
    }
    world w = world_make(robot, &o);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
    assert_non_null(strstr(td_message(w.state), "moves freely"));
    world_free(&w);
}

// It would have to act on what the base stands on.
// A base on a body is the body's; a joint has a hinge that takes it.
static void a_load_at_a_base_on_a_body_is_refused(void **unused) {
    (void)unused;
    for (int on_body = 0; on_body < 2; on_body++) {
        td_error err = {0};
        td_piece_def piece = steel_piece();
        td_robot *robot = td_robot_create();
        const int body = add_body(robot, "hub", 1.0, 1.0, (double[]){0.0, 0.0, 0.4});
        td_rod_def def = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
        hold_tip(&def, body, TD_CLAMP, 0.0, 0.0, 0.0);
        add_chain_rod(robot, &def);
        td_rod_def other = chain_rod("other", &piece, 0.0, 0.0, 0.0);
        if (on_body) other.base.body = body;
        else other.base.joint = TD_BALL;
        td_load_def load = point_load("twist", 0.0);
        load.rod = add_chain_rod(robot, &other);
        set3(load.moment, 0.0, 0.0, 1e-3);
        add_load(robot, &load);
        td_options o = td_default_options();
        td_system *system = td_system_create(robot, &o, &err);
        assert_int_equal(system != NULL, !on_body);
        if (!system) {
            assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
            assert_non_null(strstr(err.where, "loads.twist"));
        }
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

static void a_step_of_an_open_chain_is_refused(void **unused) {
    (void)unused;
    td_options o = chain_options();
    world w = world_make(platform_robot(TD_CLAMP, false, (double[]){0.0, 0.0, 0.0}), &o);
    assert_int_equal(td_step(w.system, w.state, 1e-3), TD_ERR_ARGUMENT);
    assert_non_null(strstr(td_message(w.state), "solve the statics first"));
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_on_a_massless_body_continues_the_one_below),
        cmocka_unit_test(two_rods_tip_to_tip_are_one_clamped_at_both_ends),
        cmocka_unit_test(a_beam_clamped_at_both_ends_deflects_by_theory),
        cmocka_unit_test(a_propped_cantilever_deflects_by_theory),
        cmocka_unit_test(portal_frames_sway_by_theory),
        cmocka_unit_test(a_fork_bends_by_theory),
        cmocka_unit_test(every_joint_holds_what_it_says),
        cmocka_unit_test(a_chain_that_cannot_close_says_which_joint_gapes),
        cmocka_unit_test(legs_that_cannot_stretch_and_are_too_many_are_named),
        cmocka_unit_test(a_mechanism_has_many_equilibria_and_says_so),
        cmocka_unit_test(a_load_at_a_base_on_a_body_is_refused),
        cmocka_unit_test(a_step_of_an_open_chain_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
