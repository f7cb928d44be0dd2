// Tendons that push: what the file says of them, what the rules refuse, and what they do to a
// Cosserat rod.
#include <string.h>
#include <tendril/tendril.h>

#include "robot/actuators.h"
#include "check.h"
#include "not_compiled.h"
#include "robot/robot.h"
#include "rods.h"

#define PI 3.14159265358979323846
#define ROBOT                                                                                      \
    "tendril: 1\n"                                                                                 \
    "materials: {steel: {youngs_modulus: 210 GPa, shear_modulus: 80 GPa, density: 7850}}\n"        \
    "rods: [{name: core, length: 240 mm, material: steel, section: {radius: 0.52 mm}}]\n"

static td_robot *parse(const char *text) {
    td_error err;
    td_robot *robot = td_robot_parse(text, strlen(text), NULL, NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    return robot;
}

static void a_wire_gives_stiffness_and_mass(void **unused) {
    (void)unused;
    td_robot *robot = parse(ROBOT "tendons: [{name: rod, offset: [12.5 mm, 0], pushes: true,\n"
                                  "  wire: {radius: 0.52 mm, material: steel}}]\n");
    const td_tendon_def *t = robot_tendon(robot, 0);
    double r = 0.52e-3;
    assert_true(t->pushes);
    CHECK_NEAR(t->bending, 210e9 * PI * r * r * r * r / 4.0, 1e-15);
    CHECK_NEAR(t->bending, 0.0120593125335215, 1e-13);
    CHECK_NEAR(t->torsion, 80e9 * PI * r * r * r * r / 2.0, 1e-15);
    CHECK_NEAR(t->mass_per_length, 7850.0 * PI * r * r, 1e-15);
    CHECK_NEAR(t->stiffness, 210e9 * PI * r * r, 1e-9);
    td_robot_destroy(robot);
}

static void what_does_not_go_together_is_refused(void **unused) {
    (void)unused;
    check_not_compiled(ROBOT "tendons: [{name: t, offset: [1 mm, 0], bending: 1e-3,\n"
                             "  wire: {radius: 1 mm, material: steel}}]\n",
                       "bending", "either wire or bending");
    check_not_compiled(
        ROBOT "tendons: [{name: t, offset: [1 mm, 0], wire: {radius: -1 mm, material: steel}}]\n",
        "radius", "must be positive");
    check_not_compiled(
        ROBOT "tendons: [{name: t, offset: [1 mm, 0], offset_end: [2 mm, 0], bending: 1e-3}]\n",
        "bending", "parallel");
    check_not_compiled(ROBOT "tendons: [{name: t, offset: [1 mm, 0], mass_per_length: -1}]\n",
                       "mass_per_length", "-1");
    check_not_compiled(ROBOT "tendons: [{name: t, offset: [1 mm, 0], friction: -0.3}]\n",
                       "friction", "-0.3");
}

// A pure moment T r bends the rod into an arc; with rods along it the stiffness is the sum.
static double tip_angle(double tension, double bending, bool pushes) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_tendon_def t = td_default_tendon_def();
    td_error err;
    t.name = "t", t.to = 0.4, t.offset[0] = t.offset_end[0] = 0.01;
    t.value = td_constant(tension);
    t.pushes = pushes, t.bending = bending;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    td_options o = td_default_options();
    o.theory = TD_KIRCHHOFF;
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose tip = tip_of(&w);
    assert_int_equal(td_get_stats(w.state)->slack, tension < 0.0 && !pushes);
    CHECK_NEAR(td_get_tendon(w.system, w.state, 0).tension, tension < 0 && !pushes ? 0 : tension,
               1e-12);
    world_free(&w);
    return 2.0 * atan2(tip.q[2], tip.q[0]);
}

static void a_rod_pushes_as_a_tendon_pulls(void **unused) {
    (void)unused;
    double EI = 207e9 * PI * 1e-12 / 4.0;
    CHECK_NEAR(tip_angle(3.0, 0.0, true), 3.0 * 0.01 * 0.4 / EI, 1e-9);
    CHECK_NEAR(tip_angle(-3.0, 0.0, true), -3.0 * 0.01 * 0.4 / EI, 1e-9);
    CHECK_NEAR(tip_angle(-3.0, 0.0, false), 0.0, 1e-12);
}

static void a_rod_stiffens_the_robot_it_runs_through(void **unused) {
    (void)unused;
    double EI = 207e9 * PI * 1e-12 / 4.0;
    CHECK_NEAR(tip_angle(-3.0, 0.5 * EI, true), -3.0 * 0.01 * 0.4 / (1.5 * EI), 1e-9);
}

static void friction_of_a_rod_that_pushes_is_refused_by_name(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_tendon_def t = td_default_tendon_def();
    td_error err;
    t.name = "t", t.to = 0.4, t.offset[0] = t.offset_end[0] = 0.01, t.pushes = true;
    t.friction = 0.3;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    td_options o = td_default_options();
    assert_null(td_system_create(robot, &o, &err));
    assert_string_equal(err.where, "tendons.t.friction");
    assert_non_null(strstr(err.message, "virtual_power"));
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wire_gives_stiffness_and_mass),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(a_rod_pushes_as_a_tendon_pulls),
        cmocka_unit_test(a_rod_stiffens_the_robot_it_runs_through),
        cmocka_unit_test(friction_of_a_rod_that_pushes_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
