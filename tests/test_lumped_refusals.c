// What the lumped models refuse, and in which words.
#include <stdlib.h>

#include "math/se3.h"

#include "integrate/sundials.h"
#include "lumped.h"
#include "not_compiled.h"

static td_robot *plain(void) {
    lumped_rod r = unit_rod();
    td_piece_def piece = lumped_piece(&r);
    return rod_robot(&piece, 1);
}

static void turning_joints_need_fixed_steps_and_nothing_that_turns_with_them(void **state) {
    (void)state;
    td_error err = {0};
    lumped_rod r = unit_rod();
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = td_robot_create();
    td_rod_def rod = td_default_rod_def();
    rod.name = "leg", rod.pieces = &piece, rod.n_pieces = 1, rod.base.joint = TD_BALL;
    rod.tip.held = true, rod.tip.position[2] = td_constant(1.0);
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    td_load_def jet = point_load("jet", 0.0);
    jet.frame = TD_FRAME_BODY;
    set3(jet.force, 1.0, 0.0, 0.0);
    add_load(robot, &jet);
    td_options o = lumped_options("eba", 4, false);
    td_system *system = td_system_create(robot, &o, &err);
    assert_null(system);
    assert_string_equal(err.where, "loads.jet.frame");
    if (integrator_exists()) {
        o.integration.method = TD_STEPS_IMPLICIT;
        check_refused(robot, &o, "rods.leg.base.joint", "integration.method: fixed");
    } else {
        td_robot_destroy(robot);
    }
}

static void relative_states_have_no_closed_chains(void **state) {
    (void)state;
    td_error err = {0};
    for (int k = 0; k < 2; k++) {
        lumped_rod r = unit_rod();
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = td_robot_create();
        td_rod_def rod = td_default_rod_def();
        rod.name = "arch", rod.pieces = &piece, rod.n_pieces = 1;
        rod.tip.held = true, rod.tip.position[2] = td_constant(0.8);
        CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
        td_options o = lumped_options(k ? "srl" : "ebr", 4, false);
        td_system *system = td_system_create(robot, &o, &err);
        assert_null(system);
        assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
        assert_non_null(strstr(err.message, "eba"));
        td_robot_destroy(robot);
    }
}

static td_robot *with_tendon(double friction, double stiffness) {
    td_error err = {0};
    td_robot *robot = plain();
    td_tendon_def t = td_default_tendon_def();
    t.name = "pull", t.to = 1.0, t.offset[0] = t.offset_end[0] = 0.01;
    t.input = TD_DISPLACEMENT, t.stiffness = stiffness, t.friction = friction;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    return robot;
}

static void efforts_that_do_not_follow_are_refused(void **state) {
    (void)state;
    td_error err = {0};
    td_options o = lumped_options("ebr", 4, false);
    check_refused(with_tendon(0.0, 0.0), &o, "tendons.pull.stiffness", "cosserat need none");
    td_robot *robot = plain();
    td_chamber_def c = td_default_chamber_def();
    c.name = "water", c.to = 1.0, c.area = 1e-4, c.input = TD_VOLUME, c.value = td_constant(1e-4);
    CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
    check_refused(robot, &o, "chambers.water.input",
                  "the compliance of its tubes; eba with fixed steps and cosserat need none");
}

static void friction_of_tendons_is_refused(void **state) {
    (void)state;
    td_error err = {0};
    for (int k = 0; k < 3; k++) {
        static const char *const models[] = {"eba", "ebr", "srl"};
        td_options o = lumped_options(models[k], 4, false);
        td_robot *robot = with_tendon(0.2, 1e3);
        assert_null(td_system_create(robot, &o, &err));
        assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
        assert_non_null(strstr(err.message, "friction"));
        td_robot_destroy(robot);
    }
}

static void nodes_need_inertia(void **state) {
    (void)state;
    td_options o = lumped_options("eba", 4, false);
    o.rotary_inertia = false;
    check_refused(plain(), &o, "simulation.rotary_inertia", "cosserat can do without");
}

static void bad_options_are_named(void **state) {
    (void)state;
    td_options o = lumped_options("eba", 0, false);
    check_refused(plain(), &o, "simulation.lumped.segments", "0");
}

// One segment bent by a moment: to 2.9 rad, and about x to 1.55.
static void turns_beyond_the_range_are_reported(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double moment;
        const char *text;
    } cases[] = {{"eba", 2.9, "166 deg"}, {"srl", 1.55, "Euler angles"}};
    for (int k = 0; k < 2; k++) {
        td_robot *robot = plain();
        add_tip_moment(robot, 1.0, cases[k].moment, 0.0, 0.0);
        td_options o = lumped_options(cases[k].model, 1, false);
        world w = world_make(robot, &o);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_ERR_SINGULAR);
        const char *message = td_message(w.state);
        if (!strstr(message, cases[k].text) || !strstr(message, "segment 1 of 1"))
            fail_msg("%s", message);
        CHECK_NEAR(tip_of(&w).p[2], 1.0, 0.0);  // as it was
        world_free(&w);
    }
}

// ---------------------------------------------------------------- which rod a message is about
// Two wires side by side; what is loaded is the second.
static td_robot *two_wires(double moment, double push) {
    td_error err = {0};
    td_piece_def piece = steel_piece();
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, 0.0, 0.0);
    for (int i = 0; i < 2; i++) {
        td_rod_def rod = td_default_rod_def();
        rod.name = i ? "struck" : "calm", rod.pieces = &piece, rod.n_pieces = 1;
        rod.base.position[0] = td_constant(0.1 * i);
        CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    }
    td_load_def load = point_load("load", piece.length);
    load.rod = 1;
    set3(load.moment, moment, 0.0, 0.0);
    set3(load.force, 0.0, 0.0, -push);
    add_load(robot, &load);
    return robot;
}

static const double bending = 207e9 * 0.25 * 3.14159265358979 * 1e-12;  // EI of a wire, N m^2

static void a_step_that_fails_names_the_rod_that_moves(void **state) {
    (void)state;
    static const char *const models[] = {"eba", "ebr", "srl"};
    for (int k = 0; k < 3; k++) {
        const td_options o = lumped_options(models[k], 16, false);
        world w = world_make(two_wires(6.0 * bending / 0.4, 0.0), &o);
        td_status status = TD_OK;
        for (int i = 0; i < 10 && status >= 0; i++) status = td_step(w.system, w.state, 5.0);
        assert_int_equal(status, TD_ERR_NOT_CONVERGED);
        if (!strstr(td_message(w.state), "rod 'struck'")) fail_msg("%s", td_message(w.state));
        world_free(&w);
    }
}

// Twice as much as Euler's load, pi^2 EI/(4 L^2).
static void a_column_that_buckles_is_named(void **state) {
    (void)state;
    static const char *const models[] = {"eba", "ebr"};
    for (int k = 0; k < 2; k++) {
        const td_options o = lumped_options(models[k], 16, false);
        world w = world_make(two_wires(0.0, 2.0 * 2.467 * bending / 0.16), &o);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
        if (!strstr(td_message(w.state), "rod 'struck'")) fail_msg("%s", td_message(w.state));
        world_free(&w);
    }
}

static void chosen_steps_refuse_rigid_displacements_in_their_own_words(void **state) {
    (void)state;
    if (!integrator_exists()) skip();
    td_error err = {0};
    td_options o = lumped_options("eba", 4, false);
    for (int k = 0; k < 2; k++) {
        o.integration.method = k ? TD_STEPS_EXPLICIT : TD_STEPS_IMPLICIT;
        td_robot *robot = with_tendon(0.0, 0.0);
        assert_null(td_system_create(robot, &o, &err));
        assert_string_equal(err.where, "tendons.pull.stiffness");
        assert_non_null(strstr(err.message, "integration.method: fixed"));
        assert_null(strstr(err.message, "ebr"));
        assert_null(strstr(err.message, "eba"));
        td_robot_destroy(robot);
    }
    o.integration.method = TD_STEPS_FIXED;
    world w = world_make(with_tendon(0.0, 0.0), &o);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_fails_names_the_rod_that_moves),
        cmocka_unit_test(a_column_that_buckles_is_named),
        cmocka_unit_test(chosen_steps_refuse_rigid_displacements_in_their_own_words),
        cmocka_unit_test(turning_joints_need_fixed_steps_and_nothing_that_turns_with_them),
        cmocka_unit_test(relative_states_have_no_closed_chains),
        cmocka_unit_test(efforts_that_do_not_follow_are_refused),
        cmocka_unit_test(friction_of_tendons_is_refused),
        cmocka_unit_test(nodes_need_inertia),
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(turns_beyond_the_range_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
