// Parts of a robot that touch one another: rods, bodies, and rods themselves. Truth: beams, collisions, Coulomb.
#include <math.h>
#include <stdlib.h>

#include "not_compiled.h"
#include "touching.h"

static const char crossed[] = CROSSED "inputs: {h: 2.5 mm, x: 0.15}\n"
                                      "simulation: {model: eba, lumped: {segments: 40}}\n";

static void crossed_cantilevers_press_as_beams_do(void **state) {
    (void)state;
    const char *const models[] = {"simulation.model=eba", "simulation.model=ebr",
                                  "simulation.model=srl"};
    for (int i = 0; i < 3; i++) {
        scene s = scene_of(crossed, &models[i], 1);
        check_crossed(&s, 1e-15);
        scene_end(&s);
    }
}

// A load q along the upper of two cantilevers that lie on one another: both bend alike, each carries half.
static void parallel_cantilevers_share_a_load(void **state) {
    (void)state;
    static const char text[] = PARALLEL "simulation: {model: eba, lumped: {segments: 40}}\n";
    scene s = scene_of(text, NULL, 0);
    scene_rest(&s);
    const double q = 0.05;
    const double tip = 0.5 * q * pow(LENGTH, 4) / (8.0 * EI);
    CHECK_NEAR(-scene_tip(&s).p[2], tip, 5e-3 * tip);
    scene_end(&s);
}

// ---------------------------------------------------------------- friction
// The upper rod is drawn along the lower one, at rest: it sticks, then slides with mu N.
static void crossed_rods_stick_and_slide(void **state) {
    (void)state;
    const char *const sets[] = {"contacts.cross.friction=0.3"};
    const char *const models[] = {"eba", "ebr"};
    for (int i = 0; i < 2; i++) {
        char model[64];
        snprintf(model, sizeof model, "simulation.model=%s", models[i]);
        const char *all[] = {sets[0], model, "simulation.lumped.segments=20"};
        scene s = scene_of(crossed, all, 3);
        scene_rest(&s);
        scene_set(&s, "h", 1e-3);
        scene_rest(&s);
        for (int k = 0; k <= 10; k++) {
            scene_set(&s, "x", 0.15 - 4e-5 * k);
            scene_rest(&s);
            const td_contact_point p = contact_of(&s, 0);
            double N = 0.0, whole = 0.0;
            for (int d = 0; d < 3; d++)
                N += p.force[d] * p.normal[d], whole += p.force[d] * p.force[d];
            const double ratio = sqrt(whole - N * N) / N;
            if (k == 1) CHECK_BETWEEN(ratio, 0.01, 0.29);
            if (k > 5) CHECK_NEAR(ratio, 0.3, 1e-6);
            if (k > 5) assert_true(p.force[0] < 0.0);
        }
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- balls
static const char balls[] = BALLS "simulation: {model: eba, start: straight}\n";

// What is left of the kinetic energy; momenta are kept to `round`.
static double collide(const char *const *sets, int n, double dt, double round, double swing) {
    scene s = scene_of(balls, sets, n);
    scene_begin(&s);
    const momenta before = momenta_of(&s);
    const double had = scene_energy(&s);
    int touched = 0;
    for (int k = 0; k * dt < 0.08; k++) {
        scene_step(&s, dt);
        touched += td_get_contacts(s.system, s.state, NULL, 0) > 0;
    }
    const momenta after = momenta_of(&s);
    CHECK_NEAR(before.P[0], 0.3, 1e-12);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(after.P[k], before.P[k], round);
        CHECK_NEAR(after.L[k], before.L[k], swing);
    }
    assert_true(touched > 0);
    const double left = scene_energy(&s) / had;
    scene_end(&s);
    return left;
}

// Forces are opposite: without friction what turns is nothing, and the sum stays to rounding. Spinning bodies are stepped
// to second order.
static void balls_keep_their_momenta(void **state) {
    (void)state;
    const char *const smooth[] = {"contacts.hit.friction=0"};
    CHECK_NEAR(collide(smooth, 1, 5e-5, 1e-15, 1e-9), 1.0, 2e-3);
    CHECK_BETWEEN(collide(NULL, 0, 2e-4, 2e-5, 2e-5), 0.5, 0.99);
}

// Steps from 10 us to 10 ms, from an impact in hundreds of steps to one within a step.
static void balls_never_leave_with_more_energy(void **state) {
    (void)state;
    double worst = 0.0;
    for (int i = 0; i < 30; i++) {
        char friction[64], speed[64], place[64];
        const double dt = 2e-5 * pow(10.0, 3.0 * i / 29.0);
        snprintf(friction, sizeof friction, "contacts.hit.friction=%g", 0.1 * (i % 7));
        snprintf(speed, sizeof speed, "initial.velocities.body.a.x=%g", 0.3 + 0.2 * (i % 11));
        snprintf(place, sizeof place, "bodies.b.position.y=%g", 0.005 * (i % 13));
        const char *const sets[] = {friction, speed, place};
        scene s = scene_of(balls, sets, 3);
        scene_begin(&s);
        const double had = scene_energy(&s);
        int touched = 0;
        for (int k = 0; k < 20000 && (touched == 0 || touched == 1); k++) {
            scene_step(&s, dt);
            const bool now = td_get_contacts(s.system, s.state, NULL, 0) > 0;
            if (now) touched = 1;
            else if (touched) touched = 2;
            if (k * dt > 0.3) break;
        }
        worst = fmax(worst, scene_energy(&s) / had);
        scene_end(&s);
    }
    assert_true(worst <= 1.0 + 2e-6);
}

// ---------------------------------------------------------------- rods in motion
// A bent wire is let go and strikes another one that crosses it, over and over.
static const char struck[] =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - {name: low, " WIRE ", base: {direction: [1, 0, 0]}}\n"
    "  - {name: high, " WIRE ", base: {position: [0.15, -0.15, 3 mm], direction: [0, 1, 0]}}\n"
    "contacts: [{name: cross, between: [low, high], friction: 0.2}]\n"
    "loads: [{name: lift, rod: high, at: tip, force: [0, 0, up]}]\n"
    "inputs: {up: 0.02}\n"
    "simulation: {model: eba, lumped: {segments: 16}}\n";

static void struck_rods_never_gain_energy(void **state) {
    (void)state;
    const char *const models[] = {"simulation.model=eba", "simulation.model=ebr"};
    const double steps[] = {5e-3, 1e-3, 2e-4};
    for (int i = 0; i < 6; i++) {
        const char *const sets[] = {models[i / 3]};
        scene s = scene_of(struck, sets, 1);
        int touched = 0;
        scene_rest(&s);
        const double had = scene_energy(&s);
        scene_set(&s, "up", 0.0);
        double dt = steps[i % 3], most = 0;
        for (int k = 0; k < 200; k++) {
            scene_step(&s, dt);
            touched += td_get_contacts(s.system, s.state, NULL, 0) > 0;
            most = fmax(most, scene_energy(&s) / had);
        }
        assert_true(touched > 0 || dt > 1e-3);
        assert_true(most <= 1.0 + 1e-9);
        scene_end(&s);
    }
}

// Where the contact of the dart is hard enough it stays above; where it is not, the step is refused in words.
static const char dart[] =
    DART "simulation: {model: eba, lumped: {segments: 16}, start: straight}\n";

static void thin_rods_do_not_pass_through_one_another(void **state) {
    (void)state;
    scene s = scene_of(dart, NULL, 0);
    int k = 0;
    scene_begin(&s);
    for (; k < 6; k++) {
        scene_step(&s, 5e-3);
        const double z = td_get_body(s.system, s.state, 0).pose.p[2];
        const double wire = td_get_pose(s.system, s.state, 0, 0.11).p[2];
        assert_true(z > wire + 1e-3);
    }
    scene_end(&s);

    const char *const soft[] = {"contacts.hit.stiffness=100 kPa"};
    s = scene_of(dart, soft, 1);
    scene_begin(&s);
    td_status status = TD_OK;
    for (k = 0; k < 6 && status >= 0; k++) status = td_step(s.system, s.state, 5e-3);
    assert_true(status < 0);
    assert_non_null(strstr(td_message(s.state), "'wire' at 0."));
    assert_non_null(strstr(td_message(s.state), "would pass through 'dart'"));
    scene_end(&s);
}

// ---------------------------------------------------------------- a rod and itself
// A wire whose rest shape is a flat ring of some turns lies beside itself: a helix whose pitch is its thickness.
static void a_flat_coil_winds_itself_into_a_close_helix(void **state) {
    (void)state;
    static const char text[] =
        "tendril: 1\n"
        "gravity: [0, 0, 0]\n"
        "rods:\n"
        "  - {name: spring, length: 0.45, section: {radius: 2 mm}, rest: {curvature: [0, 40, 0]},\n"
        "     material: {youngs_modulus: 10 MPa, poisson_ratio: 0.3, density: 1000}}\n"
        "contacts: [{between: [spring], self: true}]\n"
        "simulation: {model: eba, lumped: {segments: 60}}\n";
    scene s = scene_of(text, NULL, 0);
    scene_rest(&s);
    td_contact_point points[512];
    const int n = td_get_contacts(s.system, s.state, points, 512);
    const double turn = 2.0 * 3.14159265358979 * 0.025;
    assert_true(n > 20 && n <= 512);
    for (int i = 0; i < n; i++) {
        assert_true(points[i].rod == 0 && points[i].other_rod == 0);
        CHECK_NEAR(fabs(points[i].s - points[i].other_s), turn, 0.06 * turn);
    }
    for (int i = 0; i < 8; i++) {
        const double at = 0.1 + 0.017 * i;
        const double rise = td_get_pose(s.system, s.state, 0, at + turn).p[1] -
                            td_get_pose(s.system, s.state, 0, at).p[1];
        CHECK_NEAR(fabs(rise), 4e-3, 1.2e-5);
    }
    scene_end(&s);
}

// ---------------------------------------------------------------- what is refused
#define ONE                                                                                        \
    "tendril: 1\n"                                                                                 \
    "rods: [{name: a, " WIRE "}]\n"                                                                \
    "bodies: [{name: disc, on: a, mass: 1 g, shape: {cylinder: {radius: 5 mm, height: 1 mm}}}]\n"

static void what_cannot_touch_is_refused_in_words(void **state) {
    (void)state;
    check_not_compiled(ONE "contacts: [{between: [a, b]}]\n", "arm.yaml:4:26",
                       "no rod and no body has the name 'b'");
    check_not_compiled(ONE "contacts: [{between: [a]}]\n", "contacts.0.between", "1 part is named");
    check_not_compiled(ONE "contacts: [{between: [a, a]}]\n", "contacts.0.between", "named twice");
    check_not_compiled(ONE "contacts: [{between: a, self: true}]\n", "between",
                       "a list of the names");
    check_not_compiled(ONE "contacts: [{between: [disc, a]}]\n", "between",
                       "'disc' has not the shape of a sphere");
    check_not_compiled(ONE "contacts: [{self: true}]\n", "contacts", "between");
    check_not_compiled(ONE "contacts: [{between: [a], self: true, friction: -1}]\n", "friction",
                       "-1");
    check_not_compiled(ONE "contacts: [{between: [a], self: true, stiffness: 0}]\n", "stiffness",
                       "must be positive");
    check_not_compiled(
        ONE
        "contacts: [{name: x, between: [a], self: true}, {name: x, between: [a], self: true}]\n",
        "contacts", "'x'");
    check_not_compiled(ONE "contacts: [{between: [a], self: true}]\nsimulation: {model: rom}\n",
                       "simulation.model", "contact between parts");
    check_not_compiled(ONE "contacts: [{between: [a], self: true}]\n"
                           "simulation: {model: eba, lumped: {segments: 1000}}\n",
                       "simulation.lumped.segments", "at most 512");
}

// A file that is written again is read as the same robot.
static void contacts_are_written_again(void **state) {
    (void)state;
    td_error err = {0};
    td_robot *robot = td_robot_parse(dart, strlen(dart), "dart.yaml", NULL, 0, &err);
    assert_non_null(robot);
    char *text = td_robot_write(robot, NULL, NULL, &err);
    assert_non_null(text);
    td_robot *again = td_robot_parse(text, strlen(text), "again.yaml", NULL, 0, &err);
    if (!again) fail_msg("%s: %s", err.where, err.message);
    char *twice = td_robot_write(again, NULL, NULL, &err);
    assert_string_equal(text, twice);
    assert_non_null(strstr(text, "between: [wire, dart]"));
    td_free_text(text);
    td_free_text(twice);
    td_robot_destroy(robot);
    td_robot_destroy(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossed_cantilevers_press_as_beams_do),
        cmocka_unit_test(parallel_cantilevers_share_a_load),
        cmocka_unit_test(crossed_rods_stick_and_slide),
        cmocka_unit_test(balls_keep_their_momenta),
        cmocka_unit_test(balls_never_leave_with_more_energy),
        cmocka_unit_test(struck_rods_never_gain_energy),
        cmocka_unit_test(thin_rods_do_not_pass_through_one_another),
        cmocka_unit_test(a_flat_coil_winds_itself_into_a_close_helix),
        cmocka_unit_test(what_cannot_touch_is_refused_in_words),
        cmocka_unit_test(contacts_are_written_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
