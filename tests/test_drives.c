// Motors and valves: against closed forms of rotors, coils and vessels, against conservation of energy, against one
// another in all models, in order of convergence, from snapshots, and what is refused.
#include "tendril/loop.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "check.h"
#include "not_compiled.h"

// ---------------------------------------------------------------- robots
typedef struct rig {
    td_robot *robot;
    td_system *system;
    td_state *state;
    td_error err;
} rig;

static rig rig_of(const char *text) {
    rig r = {0};
    r.robot = td_robot_parse(text, strlen(text), "drive.yaml", NULL, 0, &r.err);
    if (!r.robot) fprintf(stderr, "%s: %s\n", r.err.where, r.err.message);
    assert_non_null(r.robot);
    const td_options options = td_robot_options(r.robot);
    r.system = td_system_create(r.robot, &options, &r.err);
    if (!r.system) fprintf(stderr, "%s: %s\n", r.err.where, r.err.message);
    assert_non_null(r.system);
    r.state = td_state_create(r.system);
    assert_true(td_begin(r.system, r.state) >= 0);
    return r;
}

static void rig_end(rig *r) {
    td_state_destroy(r->state);
    td_system_destroy(r->system);
    td_robot_destroy(r->robot);
}

static void step(rig *r, double dt, int n) {
    for (int k = 0; k < n; k++) {
        const td_status status = td_step(r->system, r->state, dt);
        if (status < 0) fprintf(stderr, "%s\n", td_message(r->state));
        assert_true(status >= 0);
    }
}

static td_drive_state drive(const rig *r) {
    return td_get_drive(r->system, r->state, 0);
}

static void tell_motor(rig *r, double command) {
    td_set_input(r->system, r->state, 0, command);
    td_restart(r->system, r->state);  // it jumps
}

// A rod with a tendon on its axis: a spring of EA/L = 1e4 N/m between spool and wall, of little mass. What is paid out
// hangs loose.
#define SPRING (1.0 / (1e-4 + 1e-8))  // with the compliance of the tendon
static rig motor_rig(const char *model, const char *scheme, const char *tendon, const char *motor) {
    char text[2048];
    snprintf(text, sizeof text,
             "tendril: 1\n"
             "gravity: [0, 0, 0]\n"
             "rods: [{name: rod, length: 0.1, section: {radius: 3.0901936161855166 mm}, material: "
             "{youngs_modulus: 33333333.333333332, poisson_ratio: 0.3, density: 0.01}}]\n"
             "tendons: [{name: pull, offset: [0, 0], %s, motor: {spool: 10 mm, %s}}]\n"
             "simulation: {model: %s, space: {nodes: 4}, time: {scheme: %s}, solver: {tolerance: "
             "1e-13}}\n",
             tendon, motor, model, scheme);
    return rig_of(text);
}

// ---------------------------------------------------------------- a rotor alone
// Paying out: nothing is pulled. J w' = tau - B w: w = tau/B (1 - exp(-B t/J)).
static double speed_error(int n) {
    rig r = motor_rig("cosserat", "sdirk2", "input: torque", "inertia: 1e-5, viscous: 1e-4");
    const double B = 1e-4, J = 1e-5, t = 0.2, tau = -1e-3;
    tell_motor(&r, tau);
    step(&r, t / n, n);
    const double error = drive(&r).speed - tau / B * (1.0 - exp(-B * t / J));
    CHECK_NEAR(td_get_tendon(r.system, r.state, 0).tension, 0.0, 1e-12);
    rig_end(&r);
    return fabs(error);
}

static void a_free_rotor_speeds_up_by_its_closed_form(void **state) {
    (void)state;
    const double coarse = speed_error(50), fine = speed_error(100);
    CHECK_NEAR(fine, 0.0, 1e-4 * 10.0);
    CHECK_NEAR(coarse / fine, 4.0, 0.2);  // of second order
}

// Voltage on a coil: L i' = V - R i - k w, J w' = k i - B w, two exponentials.
static double coil_error(int n, double *speed) {
    rig r = motor_rig("cosserat", "sdirk2", "input: voltage",
                      "inertia: 1e-5, viscous: 1e-5, torque_constant: 0.05, resistance: 2 ohm, "
                      "inductance: 10 mH");
    const double J = 1e-5, B = 1e-5, k = 0.05, R = 2.0, L = 0.01, V = -3.0, t = 0.02;
    // s^2 + p s + q = 0 of w'' + p w' + q w = k V/(J L)
    const double p = R / L + B / J, q = (R * B + k * k) / (J * L);
    const double wd = sqrt(q - 0.25 * p * p), end = k * V / (R * B + k * k);
    assert_true(q > 0.25 * p * p);
    *speed = end * (1.0 - exp(-0.5 * p * t) * (cos(wd * t) + 0.5 * p / wd * sin(wd * t)));
    // w' = (k i - B w)/J
    const double rate = end * exp(-0.5 * p * t) * (q / wd) * sin(wd * t);
    const double current = (J * rate + B * *speed) / k;
    tell_motor(&r, V);
    step(&r, t / n, n);
    const td_drive_state now = drive(&r);
    const double error = fabs(now.speed - *speed) / fabs(*speed);
    CHECK_NEAR(now.current, current, 10.0 * error * fabs(current) + 1e-9);
    rig_end(&r);
    return error;
}

static void a_coil_and_a_rotor_answer_to_a_voltage(void **state) {
    (void)state;
    double speed;
    const double coarse = coil_error(100, &speed), fine = coil_error(200, &speed);
    CHECK_NEAR(fine, 0.0, 2e-4);
    CHECK_NEAR(coarse / fine, 4.0, 0.3);
}

// Coulomb's friction stops a rotor at t = J w/C, after C t^2/(2 J), and holds it exactly from then on.
static void friction_stops_a_rotor_and_holds_it(void **state) {
    (void)state;
    rig r = motor_rig("cosserat", "sdirk2", "input: torque", "inertia: 1e-5, friction: 2e-3");
    const double J = 1e-5, C = 2e-3, drives = -6e-3, on = 0.05, dt = 1e-4;
    tell_motor(&r, drives);
    step(&r, dt, (int)(on / dt + 0.5));
    const double speed = (drives + C) / J * on, stop = -speed * J / C;
    CHECK_NEAR(drive(&r).speed, speed, 1e-9 * fabs(speed));
    const double gone = drive(&r).angle;
    CHECK_NEAR(gone, 0.5 * speed * on, 1e-3 * fabs(gone));
    tell_motor(&r, 0.0);
    step(&r, dt, (int)(0.5 * stop / dt + 0.5));
    CHECK_NEAR(drive(&r).speed, 0.5 * speed, 1e-6 * fabs(speed));
    step(&r, dt, (int)(0.5 * stop / dt + 0.5) + 5);
    CHECK_NEAR(drive(&r).speed, 0.0, 0.0);
    CHECK_NEAR(drive(&r).angle - gone, 0.5 * speed * stop, 2e-3 * fabs(0.5 * speed * stop));
    const double held = drive(&r).angle;
    tell_motor(&r, -0.99 * C);
    step(&r, dt, 100);
    assert_true(drive(&r).angle == held);
    // all that the motor did was rubbed away
    CHECK_NEAR(drive(&r).lost, drive(&r).work, 5e-3 * drive(&r).work);
    rig_end(&r);
}

static void limits_of_current_and_speed_hold(void **state) {
    (void)state;
    rig r = motor_rig("cosserat", "sdirk2", "input: current",
                      "inertia: 1e-5, torque_constant: 0.05, max_current: 0.2 A, max_speed: 50, "
                      "gear: 2");
    tell_motor(&r, -5.0);
    step(&r, 1e-3, 20);
    CHECK_NEAR(drive(&r).current, -0.2, 1e-12);
    CHECK_NEAR(drive(&r).speed, -0.5 * 0.2 * 0.05 / 1e-5 * 0.02, 1e-9);
    step(&r, 1e-3, 200);
    CHECK_NEAR(drive(&r).speed, -50.0, 1e-12);
    CHECK_NEAR(drive(&r).current, 0.0, 1e-12);  // what is taken back
    rig_end(&r);
}

// ---------------------------------------------------------------- a rotor on a spring
// J a'' = tau - ratio^2 k a: a = tau/(ratio^2 k) (1 - cos w t). The tendon does not stretch, the rod is the spring.
static double swing_error(const char *model, const char *scheme, int n) {
    rig r = motor_rig(model, scheme, "pushes: true, input: torque, compliance: 1e-8",
                      "inertia: 2e-4, gear: 2");
    const double ratio = 5e-3, J = 2e-4, w = sqrt(ratio * ratio * SPRING / J), t = 4.0 / w;
    const double tau = 0.01, far = tau / (ratio * ratio * SPRING);
    tell_motor(&r, tau);
    step(&r, t / n, n);
    const double error = fabs(2.0 * drive(&r).angle - far * (1.0 - cos(w * t))) / far;
    rig_end(&r);
    return error;
}

static void a_rotor_swings_on_the_rod_in_every_model(void **state) {
    (void)state;
    static const char *const models[] = {"cosserat", "rom", "constant_curvature", "eba", "ebr"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const double coarse = swing_error(models[i], "sdirk2", 40);
        const double fine = swing_error(models[i], "sdirk2", 80);
        printf("%s: %.3g %.3g\n", models[i], coarse, fine);
        CHECK_NEAR(fine, 0.0, 3e-3);
        CHECK_NEAR(coarse / fine, 4.0, 0.6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_rotor_speeds_up_by_its_closed_form),
        cmocka_unit_test(a_coil_and_a_rotor_answer_to_a_voltage),
        cmocka_unit_test(friction_stops_a_rotor_and_holds_it),
        cmocka_unit_test(limits_of_current_and_speed_hold),
        cmocka_unit_test(a_rotor_swings_on_the_rod_in_every_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
