// Rods by shooting that need more than shooting: unknown efforts, held tips and fed lengths, solved
// through the assembly. Against given efforts, against collocation, against closed forms.
#include "rods.h"

static td_options fine_options(td_space space) {
    td_options o = td_default_options();
    o.space = space;
    o.steps = 160;
    o.nodes = 16;
    o.tolerance = 1e-11;
    return o;
}

// ---------------------------------------------------------------- displacement
// A slanted and a wound tendon on the benchmark rod, given as tension or as displacement.
static world pulled_rod(td_tendon_input input, const double values[2]) {
    td_error err = {0};
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, -9.81, 0.0, 0.0);
    for (int i = 0; i < 2; i++) {
        td_tendon_def t = td_default_tendon_def();
        t.name = i ? "wound" : "slanted";
        t.to = i ? 0.3 : 0.4, t.input = input, t.value = td_constant(values[i]);
        t.routing = i ? TD_ROUTING_HELIX : TD_ROUTING_STRAIGHT;
        t.radius = 0.012, t.turns = 0.7;
        t.offset[0] = 0.015, t.offset_end[0] = 0.008, t.offset_end[1] = 0.01;
        t.stiffness = 3e4, t.outside = 0.5, t.compliance = 2e-5;
        CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    }
    const td_options o = fine_options(TD_SHOOTING);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

static void a_displacement_finds_the_tension_that_gives_it(void **unused) {
    (void)unused;
    const double tensions[2] = {8.0, 5.0};
    world given = pulled_rod(TD_TENSION, tensions);
    double out[2];
    for (int i = 0; i < 2; i++) out[i] = td_get_tendon(given.system, given.state, i).displacement;
    CHECK_BETWEEN(out[0], 1e-3, 0.1);
    world found = pulled_rod(TD_DISPLACEMENT, out);
    td_pose a = tip_of(&given), b = tip_of(&found);
    for (int i = 0; i < 2; i++) {
        td_tendon_state t = td_get_tendon(found.system, found.state, i);
        CHECK_NEAR(t.tension, tensions[i], 1e-7);  // the path is summed by two rules
        assert_false(t.slack);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(a.p[i], b.p[i], 1e-9);
    world_free(&given), world_free(&found);
}

// A tendon let out does nothing: the rod hangs as without it.
static void a_tendon_let_out_is_slack(void **unused) {
    (void)unused;
    const double none[2] = {0.0, 0.0}, loose[2] = {-0.02, -0.03};
    world free_rod = pulled_rod(TD_TENSION, none), slack = pulled_rod(TD_DISPLACEMENT, loose);
    td_pose a = tip_of(&free_rod), b = tip_of(&slack);
    for (int i = 0; i < 3; i++) CHECK_NEAR(a.p[i], b.p[i], 1e-11);
    for (int i = 0; i < 2; i++) {
        td_tendon_state t = td_get_tendon(slack.system, slack.state, i);
        CHECK_NEAR(t.tension, 0.0, 1e-10);
        assert_true(t.slack);
    }
    world_free(&free_rod), world_free(&slack);
}

// ---------------------------------------------------------------- a held tip
// Both ends clamped, small load across at the middle: F L^3/(192 EI), half of F at each end.
static void a_rod_clamped_at_both_ends_bends_as_a_beam(void **unused) {
    (void)unused;
    td_error err = {0};
    td_piece_def piece = steel_piece();
    td_robot *robot = td_robot_create();
    td_rod_def def = td_default_rod_def();
    def.name = "rod", def.pieces = &piece, def.n_pieces = 1;
    def.tip.held = true, def.tip.position[2] = td_constant(0.4);
    CHECK_OK(td_robot_add_rod(robot, &def, &err), err);
    set_gravity(robot, 0.0, 0.0, 0.0);
    const double F = 1e-3, EI = 207e9 * acos(-1.0) / 4.0 * 1e-12;
    td_load_def load = point_load("load", 0.2);
    set3(load.force, F, 0.0, 0.0);
    add_load(robot, &load);
    const td_options o = fine_options(TD_SHOOTING);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_sample middle = td_get_sample(w.system, w.state, 0, 0.2);
    td_sample base = td_get_sample(w.system, w.state, 0, 0.0);
    const double sag = F * pow(0.4, 3) / (192.0 * EI);
    CHECK_NEAR(middle.pose.p[0], sag, 2e-4 * sag);  // shear adds 1e-4
    CHECK_NEAR(base.wrench[3], 0.5 * F, 1e-8 * F);
    CHECK_NEAR(base.wrench[1], F * 0.4 / 8.0, 1e-5 * F);
    world_free(&w);
}

// ---------------------------------------------------------------- motion, against collocation
static td_pose fed_tip(td_space space) {
    td_error err = {0};
    td_piece_def piece = steel_piece();
    piece.length = 0.3, piece.damping_time = 2e-4;
    piece.section.radius = piece.section_end.radius = 5e-4;
    td_robot *robot = td_robot_create();
    const int feed = add_input(robot, "feed");
    td_rod_def def = td_default_rod_def();
    def.name = "rod", def.pieces = &piece, def.n_pieces = 1, def.feed = (td_number){0.0, 1.0, feed};
    CHECK_OK(td_robot_add_rod(robot, &def, &err), err);
    set_gravity(robot, -9.81, 0.0, 0.0);
    const td_options o = fine_options(space);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    for (int i = 1; i <= 60; i++) {
        const double t = 5e-3 * i;
        CHECK_CALL(&w, td_set_input(w.system, w.state, feed, 0.05 * (1.0 - cos(5.0 * t))));
        CHECK_CALL(&w, td_set_input_rate(w.system, w.state, feed, 0.25 * sin(5.0 * t)));
        CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
    }
    const double length = td_get_length(w.system, w.state, 0);
    CHECK_NEAR(length, 0.3 + 0.05 * (1.0 - cos(1.5)), 1e-12);
    td_pose tip = td_get_pose(w.system, w.state, 0, length);
    world_free(&w);
    return tip;
}

static void a_rod_pushed_out_of_its_base_moves_as_collocation_has_it(void **unused) {
    (void)unused;
    td_pose a = fed_tip(TD_SHOOTING), b = fed_tip(TD_COLLOCATION);
    for (int i = 0; i < 3; i++) CHECK_NEAR(a.p[i], b.p[i], 2e-9);
}

static td_pose filled_tip(td_space space, double *pressure) {
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.1;
    piece.youngs_modulus = 20e3, piece.shear_modulus = 20e3 / 3.0, piece.density = 300.0;
    piece.section.radius = piece.section_end.radius = 0.015;
    td_robot *robot = rod_robot(&piece, 1);
    const int amount = add_input(robot, "amount");
    td_chamber_def chamber = td_default_chamber_def();
    chamber.name = "chamber", chamber.to = 0.1;
    chamber.offset[0] = -0.01, chamber.radius = 0.0025;
    chamber.input = TD_AMOUNT, chamber.value = (td_number){8.16e-5, 1.0, amount};
    CHECK_OK(td_robot_add_chamber(robot, &chamber, &err), err);
    td_options o = fine_options(space);
    o.scheme = TD_BDF_ALPHA, o.alpha = -0.3;
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    for (int i = 1; i <= 30; i++) {
        CHECK_CALL(&w, td_set_input(w.system, w.state, amount, 2e-6 * i));
        CHECK_CALL(&w, td_step(w.system, w.state, 0.01));
    }
    *pressure = td_get_chamber(w.system, w.state, 0).pressure;
    td_pose tip = tip_of(&w);
    world_free(&w);
    return tip;
}

static void a_finger_that_is_filled_moves_as_collocation_has_it(void **unused) {
    (void)unused;
    double P[2];
    td_pose a = filled_tip(TD_SHOOTING, &P[0]), b = filled_tip(TD_COLLOCATION, &P[1]);
    CHECK_BETWEEN(a.p[0], 0.01, 0.1);
    for (int i = 0; i < 3; i++) CHECK_NEAR(a.p[i], b.p[i], 1e-8);
    CHECK_NEAR(P[0], P[1], 1e-6 * P[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_displacement_finds_the_tension_that_gives_it),
        cmocka_unit_test(a_tendon_let_out_is_slack),
        cmocka_unit_test(a_rod_clamped_at_both_ends_bends_as_a_beam),
        cmocka_unit_test(a_rod_pushed_out_of_its_base_moves_as_collocation_has_it),
        cmocka_unit_test(a_finger_that_is_filled_moves_as_collocation_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
