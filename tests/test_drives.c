// Motors and valves: against closed forms of rotors, coils and vessels, against conservation of energy, against one
// another in all models, in order of convergence, from snapshots, and what is refused.
#include "tendril/loop.h"

#include <stdlib.h>
#include <string.h>

#include "actuation/engine.h"

#include "allocator.h"
#include "not_compiled.h"
#include "scene.h"

// ---------------------------------------------------------------- robots
static scene rig_of(const char *text) {
    scene s = scene_of(text, NULL, 0);
    scene_begin(&s);
    return s;
}

static void step(scene *r, double dt, int n) {
    for (int k = 0; k < n; k++) scene_step(r, dt);
}

static td_drive_state drive(const scene *r) {
    return td_get_drive(r->system, r->state, 0);
}

static void tell_motor(scene *r, double command) {
    td_set_input(r->system, r->state, 0, command);
    td_restart(r->system, r->state);  // it jumps
}

// A rod with a tendon on its axis: a spring of EA/L = 1e4 N/m between spool and wall, of little mass. What is paid out
// hangs loose.
#define SPRING (1.0 / (1e-4 + 1e-8))  // with the compliance of the tendon
static scene motor_rig(const char *model, const char *scheme, const char *tendon,
                       const char *motor) {
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
    scene r = motor_rig("cosserat", "sdirk2", "input: torque", "inertia: 1e-5, viscous: 1e-4");
    const double B = 1e-4, J = 1e-5, t = 0.2, tau = -1e-3;
    tell_motor(&r, tau);
    step(&r, t / n, n);
    const double error = drive(&r).speed - tau / B * (1.0 - exp(-B * t / J));
    CHECK_NEAR(td_get_tendon(r.system, r.state, 0).tension, 0.0, 1e-12);
    scene_end(&r);
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
    scene r = motor_rig("cosserat", "sdirk2", "input: voltage",
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
    scene_end(&r);
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
    scene r = motor_rig("cosserat", "sdirk2", "input: torque", "inertia: 1e-5, friction: 2e-3");
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
    scene_end(&r);
}

static void limits_of_current_and_speed_hold(void **state) {
    (void)state;
    scene r = motor_rig("cosserat", "sdirk2", "input: current",
                        "inertia: 1e-5, torque_constant: 0.05, max_current: 0.2 A, max_speed: 50, "
                        "gear: 2");
    tell_motor(&r, -5.0);
    step(&r, 1e-3, 20);
    CHECK_NEAR(drive(&r).current, -0.2, 1e-12);
    CHECK_NEAR(drive(&r).speed, -0.5 * 0.2 * 0.05 / 1e-5 * 0.02, 1e-9);
    step(&r, 1e-3, 200);
    CHECK_NEAR(drive(&r).speed, -50.0, 1e-12);
    CHECK_NEAR(drive(&r).current, 0.0, 1e-12);  // what is taken back
    scene_end(&r);
}

// ---------------------------------------------------------------- a rotor on a spring
// J a'' = tau - ratio^2 k a: a = tau/(ratio^2 k) (1 - cos w t). The tendon does not stretch, the rod is the spring.
static double swing_error(const char *model, const char *scheme, int n) {
    scene r = motor_rig(model, scheme, "pushes: true, input: torque, compliance: 1e-8",
                        "inertia: 2e-4, gear: 2");
    const double ratio = 5e-3, J = 2e-4, w = sqrt(ratio * ratio * SPRING / J), t = 4.0 / w;
    const double tau = 0.01, far = tau / (ratio * ratio * SPRING);
    tell_motor(&r, tau);
    step(&r, t / n, n);
    const double error = fabs(2.0 * drive(&r).angle - far * (1.0 - cos(w * t))) / far;
    scene_end(&r);
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

// ---------------------------------------------------------------- controls of the angle and the speed
// J a'' + D a' + K (a - asked) = 0, paying out.
static void a_servo_answers_as_a_second_order_system(void **state) {
    (void)state;
    scene r = motor_rig("cosserat", "sdirk2", "input: angle",
                        "inertia: 1e-4, stiffness: 0.5, damping: 4e-3, gear: 3");
    const double J = 1e-4, K = 0.5, D = 4e-3, w0 = sqrt(K / J), z = 0.5 * D / (J * w0);
    const double wd = w0 * sqrt(1.0 - z * z), t = 3.0 / w0, asked = -0.7;
    tell_motor(&r, asked);
    step(&r, t / 300, 300);
    const double a = asked * (1.0 - exp(-z * w0 * t) * (cos(wd * t) + z * w0 / wd * sin(wd * t)));
    CHECK_NEAR(drive(&r).angle, a, 1e-4);
    scene_end(&r);
}

// Without a gain it goes as asked, as fast as its limits let it, and no further.
static void an_ideal_servo_keeps_to_its_limits(void **state) {
    (void)state;
    scene r =
        motor_rig("cosserat", "backward-euler", "input: speed", "inertia: 1e-4, max_torque: 1e-2");
    tell_motor(&r, -20.0);
    step(&r, 1e-3, 100);
    CHECK_NEAR(drive(&r).speed, -1e-2 / 1e-4 * 0.1, 1e-9);
    CHECK_NEAR(drive(&r).torque, -1e-2, 1e-15);
    step(&r, 1e-3, 150);
    CHECK_NEAR(drive(&r).speed, -20.0, 1e-12);
    CHECK_NEAR(drive(&r).torque, 0.0, 1e-12);
    scene_end(&r);
    r = motor_rig("cosserat", "sdirk2", "input: angle", "inertia: 1e-4, max_speed: 3");
    tell_motor(&r, -1.0);
    step(&r, 1e-2, 20);
    CHECK_NEAR(drive(&r).angle, -0.6, 1e-9);
    step(&r, 1e-2, 30);
    CHECK_NEAR(drive(&r).angle, -1.0, 1e-12);
    scene_end(&r);
}

// At rest: torque over spool; an angle that gives way by its stiffness; what moves ends there.
static void at_rest_a_motor_holds_what_it_is_told(void **state) {
    (void)state;
    static const char *const models[] = {"cosserat", "rom", "constant_curvature", "eba", "ebr"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        scene r = motor_rig(models[i], "sdirk2", "compliance: 1e-8, input: current",
                            "inertia: 1e-5, gear: 5, torque_constant: 0.04, viscous: 2e-4");
        tell_motor(&r, 0.1);
        assert_true(td_solve_statics(r.system, r.state) >= 0);
        const double T = 0.1 * 0.04 * 5 / 0.01;
        CHECK_NEAR(td_get_tendon(r.system, r.state, 0).tension, T, 1e-9 * T);
        CHECK_NEAR(drive(&r).angle, T / SPRING / 0.01, 1e-6);
        const double angle = drive(&r).angle;
        step(&r, 1e-3, 50);  // nothing moves
        CHECK_NEAR(drive(&r).angle, angle, 1e-7);
        CHECK_NEAR(td_get_tendon(r.system, r.state, 0).tension, T, 1e-6 * T);
        scene_end(&r);

        r = motor_rig(models[i], "sdirk2", "compliance: 1e-8, input: angle",
                      "inertia: 1e-4, gear: 2, stiffness: 0.3, damping: 2e-2");
        const double ratio = 5e-3, K = 0.3, asked = 0.2;
        // d = ratio (2 asked - ratio T/K), T = SPRING d
        const double d = 2.0 * ratio * asked / (1.0 + ratio * ratio * SPRING / K);
        tell_motor(&r, asked);
        step(&r, 5e-3, 600);
        CHECK_NEAR(td_get_tendon(r.system, r.state, 0).displacement, d, 1e-8);
        assert_true(td_solve_statics(r.system, r.state) >= 0);
        CHECK_NEAR(td_get_tendon(r.system, r.state, 0).tension, SPRING * d, 1e-6 * SPRING * d);
        CHECK_NEAR(2.0 * ratio * drive(&r).angle, d, 1e-8);
        scene_end(&r);
    }
}

// Lifting takes 1/efficiency of the load, letting down efficiency of it; in between nothing moves.
static void a_gear_loses_on_both_ways(void **state) {
    (void)state;
    scene r = motor_rig("cosserat", "sdirk2", "compliance: 1e-8, input: torque",
                        "inertia: 1e-6, viscous: 1e-2, efficiency: 0.8");
    const double load = 0.02, T = load / 0.01;
    tell_motor(&r, load);
    assert_true(td_solve_statics(r.system, r.state) >= 0);
    const double angle = drive(&r).angle;
    tell_motor(&r, load / 0.8 * 0.999);
    step(&r, 1e-3, 100);
    CHECK_NEAR(drive(&r).angle, angle, 1e-10);
    tell_motor(&r, load * 0.8 * 1.001);
    step(&r, 1e-3, 100);
    CHECK_NEAR(drive(&r).angle, angle, 1e-10);
    tell_motor(&r, 2.0 * load);  // comes to rest where torque = load/efficiency
    step(&r, 1e-2, 500);
    CHECK_NEAR(td_get_tendon(r.system, r.state, 0).tension, 2.0 * 0.8 * T, 1e-5);
    scene_end(&r);
}

// ---------------------------------------------------------------- valves
#define VOLUME 2.8274333882308137e-6  // m^3: 3 mm, 0.1 m
#define ATMOSPHERE 101325.0
static scene valve_rig(const char *valve) {
    char text[2048];
    snprintf(text, sizeof text,
             "tendril: 1\n"
             "gravity: [0, 0, 0]\n"
             "rods: [{name: rod, length: 0.1, section: {radius: 6 mm}, material: "
             "{youngs_modulus: 1e16, poisson_ratio: 0.3, density: 1000}}]\n"
             "chambers: [{name: room, radius: 3 mm, input: opening, valve: {%s}}]\n"
             "simulation: {space: {nodes: 4}, time: {scheme: sdirk2}}\n",
             valve);
    return rig_of(text);
}

static double pressure(const scene *r) {
    return td_get_chamber(r->system, r->state, 0).pressure;
}

// Pa/s of a full choked flow from p1 (absolute) into the room: R T/V times ISO 6358's C p1 rho_0/M at 20 degC.
static double choked(double conductance, double p1) {
    return conductance * p1 * 1e5 / VOLUME;
}

static void a_choked_valve_fills_a_rigid_room_linearly(void **state) {
    (void)state;
    scene r = valve_rig("supply: 5 bar, conductance: 1e-11, critical_ratio: 0.4");
    const double p1 = 5e5 + ATMOSPHERE, rate = choked(1e-11, p1);
    const double until = (0.4 * p1 - ATMOSPHERE) / rate;  // choked until then
    tell_motor(&r, 0.5);
    step(&r, until / 10, 10);
    CHECK_NEAR(pressure(&r), 0.5 * rate * until, 1e-6 * p1);
    CHECK_NEAR(drive(&r).flow, 0.5 * rate * VOLUME / (8.31446261815324 * 293.15), 1e-9);
    // closed: nothing flows
    tell_motor(&r, 0.0);
    const double held = pressure(&r);
    step(&r, until, 3);
    CHECK_NEAR(pressure(&r), held, 1e-6 * held);
    scene_end(&r);
}

// x = (r - b)/(1 - b): x' = rate/(p1 (1 - b)) sqrt(1 - x^2): a sine. Then out again, choked: an exponential.
static double room_error(int n, double *out) {
    scene r = valve_rig("supply: 1 bar, conductance: 1e-11, critical_ratio: 0.2");
    const double p1 = 1e5 + ATMOSPHERE, b = 0.2, rate = choked(1e-11, p1);
    const double k = rate / (p1 * (1.0 - b)), x0 = (ATMOSPHERE / p1 - b) / (1.0 - b), t = 0.7 / k;
    tell_motor(&r, 1.0);
    step(&r, t / n, n);
    const double p = p1 * (b + (1.0 - b) * sin(asin(x0) + k * t));
    const double error = fabs(pressure(&r) + ATMOSPHERE - p) / p1;
    scene_end(&r);
    r = valve_rig("supply: 30 bar, conductance: 1e-11, critical_ratio: 0.4");
    tell_motor(&r, 1.0);
    assert_true(td_solve_statics(r.system, r.state) >= 0);
    CHECK_NEAR(pressure(&r), 30e5, 1.0);
    const double high = 30e5 + ATMOSPHERE, fall = choked(1e-11, 1.0), gone = 1.5 / fall;
    tell_motor(&r, -1.0);
    step(&r, gone / n, n);
    *out = fabs(pressure(&r) + ATMOSPHERE - high * exp(-fall * gone)) / high;
    scene_end(&r);
    return error;
}

static void a_room_fills_and_empties_by_closed_forms(void **state) {
    (void)state;
    double out_coarse, out_fine;
    const double coarse = room_error(20, &out_coarse), fine = room_error(40, &out_fine);
    CHECK_NEAR(fine, 0.0, 2e-4);
    CHECK_NEAR(coarse / fine, 4.0, 0.4);
    CHECK_NEAR(out_fine, 0.0, 2e-4);
    CHECK_NEAR(out_coarse / out_fine, 4.0, 0.4);
}

// A line of compliance c behind a linear valve: p = supply (1 - exp(-C t/c)); behind an orifice a parabola,
// d = supply - p: d' = -C sqrt(d p_t)/c.
static void liquid_flows_by_pressure_or_through_an_orifice(void **state) {
    (void)state;
    scene r = valve_rig("liquid: true, supply: 2 bar, conductance: 1e-11, line_compliance: 1e-12");
    tell_motor(&r, 1.0);
    step(&r, 1e-3, 100);
    CHECK_NEAR(pressure(&r), 2e5 * (1.0 - exp(-1.0)), 2.0);
    scene_end(&r);
    r = valve_rig("liquid: true, supply: 2 bar, conductance: 1e-9, transition: 0.02 Pa, "
                  "line_compliance: 1e-12");
    tell_motor(&r, 1.0);
    step(&r, 1e-4, 100);
    const double root = sqrt(2e5) - 0.5 * 1e-9 * sqrt(0.02) * 0.01 / 1e-12;
    CHECK_NEAR(pressure(&r), 2e5 - root * root, 20.0);
    scene_end(&r);
}

// ---------------------------------------------------------------- an arm that bends
static scene arm_rig(const char *model, const char *more) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "tendril: 1\n"
        "rods: [{name: arm, length: 0.25, section: {radius: 1 mm}, material: "
        "{youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 2000}, damping: {time: 2 ms}}]\n"
        "tendons: [{name: pull, offset: [8 mm, 0], stiffness: 5000, input: current, motor: "
        "{spool: 6 mm, gear: 12, inertia: 4e-7, friction: 1e-5, viscous: 2e-7, efficiency: "
        "0.8, torque_constant: 0.02, max_current: 0.25}}]\n"
        "inputs: {pull: \"0.1 A*(1 - cos(30*t))\"}\n"
        "simulation: {model: %s, %s}\n",
        model, more);
    return rig_of(text);
}

// A weightless rod that hardly shears bends with the curvature u = T r/EI, and its tip is at (1 - cos(u L))/u.
static double bent_by(double T, double r, double L, double EI) {
    const double u = T * r / EI;
    return u == 0.0 ? 0.0 : (1.0 - cos(u * L)) / u;
}

static void the_jacobian_knows_what_motors_hold(void **state) {
    (void)state;
    static const char *const models[] = {"cosserat", "eba, lumped: {segments: 40}", "rom"};
    static const double amperes[] = {0.0, 1e-3, 0.05, 0.2, 0.3};
    const double L = 0.25, r = 8e-3, EI = 10e9 * 3.14159265358979324 / 4.0 * 1e-12;
    const double per = 0.02 * 12 / 6e-3, h = 1e-4;  // N/A
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 5; k++) {
            char text[1024];
            snprintf(text, sizeof text,
                     "tendril: 1\n"
                     "gravity: [0, 0, 0]\n"
                     "rods: [{name: arm, length: 0.25, section: {radius: 1 mm}, material: "
                     "{youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 2000}}]\n"
                     "tendons: [{name: pull, offset: [8 mm, 0], stiffness: 5000, input: current, "
                     "motor: {spool: 6 mm, gear: 12, inertia: 1e-6, torque_constant: 0.02, "
                     "max_current: 0.25}}]\n"
                     "simulation: {model: %s}\n",
                     models[i]);
            scene a = rig_of(text);
            tell_motor(&a, amperes[k]);
            assert_true(td_solve_statics(a.system, a.state) >= 0);
            double J[6];
            assert_int_equal(td_get_jacobian(a.system, a.state, 0, L, J), TD_OK);
            const double T = per * amperes[k];
            const double slope = (bent_by(T + h, r, L, EI) - bent_by(T - h, r, L, EI)) / (2.0 * h);
            const double expected = amperes[k] > 0.25 ? 0.0 : per * slope;  // max_current
            CHECK_NEAR(J[3], expected, 2e-3 * per * fabs(slope));
            scene_end(&a);
        }
}

// A closed valve leaves what is in the room, an open one the pressure of what it is open to.
static void no_opening_moves_an_equilibrium(void **state) {
    (void)state;
    static const char *const models[] = {"cosserat", "eba", "rom"};
    static const double openings[] = {-0.5, 0.0, 0.3, 1.0};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 4; k++) {
            char text[1024];
            snprintf(text, sizeof text,
                     "tendril: 1\n"
                     "rods: [{name: rod, length: 0.1, section: {radius: 6 mm}, material: "
                     "{youngs_modulus: 1e6, poisson_ratio: 0.3, density: 1000}}]\n"
                     "chambers: [{name: room, radius: 2 mm, offset: [3 mm, 0], input: opening, "
                     "valve: {supply: 0.2 bar, conductance: 1e-11}}]\n"
                     "simulation: {model: %s}\n",
                     models[i]);
            scene r = rig_of(text);
            tell_motor(&r, openings[k]);
            assert_true(td_solve_statics(r.system, r.state) >= 0);
            double J[6];
            assert_int_equal(td_get_jacobian(r.system, r.state, 0, 0.1, J), TD_OK);
            for (int j = 0; j < 6; j++) assert_true(J[j] == 0.0);
            scene_end(&r);
        }
}

static void advance(scene *r, double dt, int n) {
    for (int k = 0; k < n; k++) {
        const td_status status = td_advance(r->system, r->state, dt);
        if (status < 0) fprintf(stderr, "%s\n", td_message(r->state));
        assert_true(status >= 0);
    }
}

static void all_models_move_alike(void **state) {
    (void)state;
    static const struct {
        const char *name, *more;
    } models[] = {{"cosserat", "time: {scheme: sdirk2}"},
                  {"cosserat", "space: {scheme: shooting}, time: {scheme: sdirk2}"},
                  {"rom", "rom: {order: 6}"},
                  {"eba", "lumped: {segments: 40}"},
                  {"ebr", "lumped: {segments: 40}"},
                  {"srl", "lumped: {segments: 40}"},
                  {"virtual_power", "time: {scheme: sdirk2}"}};
    double first = 0.0, angle = 0.0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        scene r = arm_rig(models[i].name, models[i].more);
        advance(&r, 2e-3, 75);
        const double x = td_get_pose(r.system, r.state, 0, 0.25).p[0];
        printf("%s: tip %.6f m, angle %.6f rad, work %.6f mJ, lost %.6f mJ\n", models[i].name, x,
               drive(&r).angle, 1e3 * drive(&r).work, 1e3 * drive(&r).lost);
        if (i == 0) first = x, angle = drive(&r).angle;
        assert_true(fabs(x) > 0.02);
        CHECK_NEAR(x, first, 2e-3);
        CHECK_NEAR(drive(&r).angle, angle, 1e-2 * fabs(angle));
        scene_end(&r);
    }
}

// ---------------------------------------------------------------- energy
// Kinetic + elastic + gravity + dissipated - work stays what it was, with rotors, coils, heat and supplies in it.
static double balance(const scene *r) {
    const td_energy e = td_get_energy(r->system, r->state);
    return e.kinetic + e.elastic + e.gravity + e.dissipated - e.work;
}

typedef enum driven_by { BY_VOLTAGE, BY_CURRENT, BY_GAS, BY_LIQUID } driven_by;

static const struct {
    const char *name, *more;
    driven_by last;  // that it has
} movers[] = {{"cosserat", "space: {nodes: 5}, time: {scheme: sdirk2}", BY_LIQUID},
              {"cosserat", "space: {nodes: 5}, time: {scheme: bdf2}", BY_LIQUID},
              {"rom", "rom: {order: 3}", BY_LIQUID},
              {"constant_curvature", "time: {scheme: sdirk2}", BY_LIQUID},
              {"eba", "lumped: {segments: 6}", BY_LIQUID},
              {"ebr", "lumped: {segments: 6}", BY_LIQUID},
              {"srl", "lumped: {segments: 6}", BY_LIQUID},
              {"virtual_power", "time: {scheme: sdirk2}", BY_CURRENT}};
enum { N_MOVERS = sizeof movers / sizeof *movers };

static scene moved_rig(int model, driven_by how) {
    static const char *const drives[] = {
        "tendons: [{name: pull, offset: [8 mm, 0], pushes: true, stiffness: 500, input: voltage, "
        "motor: {spool: 6 mm, gear: 12, inertia: 4e-7, viscous: 2e-7, torque_constant: 0.02, "
        "resistance: 3 ohm, inductance: 30 mH}}]\n"
        "inputs: {pull: \"2 V*(1 - cos(30*t))\"}\n",
        "tendons: [{name: pull, offset: [8 mm, 0], stiffness: 5000, input: current, motor: "
        "{spool: 6 mm, gear: 12, inertia: 4e-7, friction: 1e-5, viscous: 2e-7, efficiency: "
        "0.8, torque_constant: 0.02, resistance: 2 ohm, max_current: 0.25}}]\n"
        "inputs: {pull: \"0.1 A*(1 - cos(30*t))\"}\n",
        "chambers: [{name: pull, offset: [4 mm, 0], radius: 2 mm, input: opening, valve: {supply: "
        "2 bar, conductance: 2e-11, critical_ratio: 0.35, line: 3 mL}}]\n"
        "inputs: {pull: \"0.5*sin(40*t)\"}\n",
        "chambers: [{name: pull, offset: [4 mm, 0], radius: 2 mm, input: opening, valve: {liquid: "
        "true, supply: 2 bar, conductance: 1e-11, transition: 0.2 bar, line_compliance: 1e-12}}]\n"
        "inputs: {pull: \"0.5*sin(40*t)\"}\n"};
    char text[2048];
    snprintf(text, sizeof text,
             "tendril: 1\n"
             "rods: [{name: arm, length: 0.25, section: {radius: %s}, material: {youngs_modulus: "
             "%s, poisson_ratio: 0.3, density: 2000}, damping: {time: 2 ms}}]\n"
             "%ssimulation: {model: %s, %s, solver: {tolerance: 1e-11}}\n",
             how < BY_GAS ? "1 mm" : "8 mm", how < BY_GAS ? "10 GPa" : "3 MPa", drives[how],
             movers[model].name, movers[model].more);
    return rig_of(text);
}

typedef struct account {
    double missing, work, lost;
    double electric, heat;  // by the trapezoidal rule: V i, and R i^2 + B w^2, of a voltage
} account;

static account account_of(int model, driven_by how, int n) {
    scene r = moved_rig(model, how);
    const double start = balance(&r), h = 0.12 / n;
    account out = {0};
    double power = 0.0, heating = 0.0;
    for (int k = 0; k < n; k++) {
        advance(&r, h, 1);
        const double i = drive(&r).current, w = 12.0 * drive(&r).speed;
        const double now = td_get_input(r.system, r.state, 0) * i, hot = 3.0 * i * i + 2e-7 * w * w;
        out.electric += 0.5 * h * (power + now), power = now;
        out.heat += 0.5 * h * (heating + hot), heating = hot;
    }
    out.work = drive(&r).work, out.lost = drive(&r).lost;
    out.missing = balance(&r) - start;
    scene_end(&r);
    return out;
}

static void all_energy_is_accounted_for_to_the_order_of_the_step(void **state) {
    (void)state;
    for (int i = 0; i < N_MOVERS; i++)
        for (int how = 0; how <= (int)movers[i].last; how++) {
            const account coarse = account_of(i, (driven_by)how, 120),
                          fine = account_of(i, (driven_by)how, 240);
            printf("%s, %d: %.3g mJ of work, %.3g lost; missing %.3g %.3g\n", movers[i].name, how,
                   1e3 * fine.work, fine.lost / fine.work, coarse.missing / fine.work,
                   fine.missing / fine.work);
            assert_true(fine.lost > 0.05 * fine.work);
            CHECK_NEAR(fine.missing, 0.0, fmax(0.4 * fabs(coarse.missing), 1e-6 * fine.work));
            if (how != BY_VOLTAGE) continue;
            CHECK_NEAR(fine.work, fine.electric, 3e-5 * fine.work);
            CHECK_NEAR(fine.lost, fine.heat, 1e-5 * fine.work);
        }
}

// A room that is shut and was filled by a choked valve: of what the supply gave, R T ln(p1/p0) for each mol, the gas keeps
// n R T ln(p/p0) - (p - p0) V above the atmosphere's.
static void what_a_valve_throttles_is_what_the_gas_does_not_keep(void **state) {
    (void)state;
    scene r = valve_rig("supply: 5 bar, conductance: 1e-11, critical_ratio: 0.4");
    const double p0 = ATMOSPHERE, p1 = 5e5 + p0, start = td_get_energy(r.system, r.state).elastic;
    tell_motor(&r, 0.5);
    step(&r, 1e-2, 100);
    const double p = pressure(&r) + p0;
    const double given = (p - p0) * VOLUME * log(p1 / p0);
    const double kept = p * VOLUME * log(p / p0) - (p - p0) * VOLUME;
    assert_true(p > 1.5 * p0);
    CHECK_NEAR(drive(&r).work, given, 1e-6 * given);
    CHECK_NEAR(td_get_energy(r.system, r.state).elastic - start, kept, 1e-6 * given);
    CHECK_NEAR(drive(&r).lost, given - kept, 1e-4 * given);
    scene_end(&r);
}

// Of a volume dV more than at rest a tube takes c p and a room of the area A on the axis of a rod A^2 p/k; half p dV is stored.
static void a_tube_that_gives_way_shares_the_volume(void **state) {
    (void)state;
    static const char *const models[] = {"cosserat", "eba", "ebr",
                                         "srl",      "rom", "constant_curvature"};
    const double more = 2e-7, c = 2e-12, k = 800.0, A = 5e-5, L = 0.1, S = 3e-4;
    const double p = more / (A * A / k + c);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int pump = 0; pump < 2; pump++) {
            char text[1024];
            snprintf(text, sizeof text,
                     "tendril: 1\n"
                     "gravity: [0, 0, 0]\n"
                     "rods: [{name: rod, length: %g, envelope: 12 mm, section: {area: %g, ixx: "
                     "1e-8, iyy: 1e-8, torsion: 2e-8}, material: {youngs_modulus: %.17g, "
                     "poisson_ratio: 0.3, density: 1}, damping: {time: 1 ms}}]\n"
                     "chambers: [{name: room, area: %g, compliance: %g, %s}]\n"
                     "inputs: {room: %.17g}\n"
                     "simulation: {model: %s}\n",
                     L, S, k * L / S, A, c,
                     pump ? "input: angle, motor: {stroke: 1e-7}" : "input: volume",
                     pump ? more / 1e-7 : A * L + more, models[i]);
            scene r = rig_of(text);
            CHECK_NEAR(pressure(&r), p, 1e-9 * p);
            CHECK_NEAR(td_get_energy(r.system, r.state).elastic, 0.5 * p * more, 1e-9 * p * more);
            step(&r, 1e-3, 20);
            CHECK_NEAR(pressure(&r), p, 1e-9 * p);
            scene_end(&r);
        }
    check_not_compiled("tendril: 1\n"
                       "rods: [{name: rod, length: 0.1, section: {radius: 6 mm}, material: "
                       "{youngs_modulus: 1e6, poisson_ratio: 0.3, density: 1000}}]\n"
                       "chambers: [{name: room, radius: 2 mm, compliance: 1e-12}]\n",
                       "compliance", "is of a liquid");
}

static void snapshots_go_on_to_the_same_bits(void **state) {
    (void)state;
    scene r = arm_rig("cosserat", "time: {scheme: bdf-alpha}");
    advance(&r, 1e-3, 40);
    void *kept = malloc(td_snapshot_bytes(r.system));
    assert_non_null(kept);
    assert_true(td_state_save(r.system, r.state, kept, td_snapshot_bytes(r.system)) >= 0);
    const long before = allocations;
    advance(&r, 1e-3, 40);
    if (TRAPPING) assert_int_equal(allocations, before);
    const td_drive_state first = drive(&r);
    const td_pose tip = td_get_pose(r.system, r.state, 0, 0.25);
    td_state_reset(r.system, r.state);
    assert_true(td_state_restore(r.system, r.state, kept, td_snapshot_bytes(r.system)) >= 0);
    advance(&r, 1e-3, 40);
    const td_drive_state second = drive(&r);
    const td_pose again = td_get_pose(r.system, r.state, 0, 0.25);
    assert_memory_equal(&first, &second, sizeof first);
    assert_memory_equal(&tip, &again, sizeof tip);
    free(kept);
    scene_end(&r);
}

// ---------------------------------------------------------------- the law by itself
// What is supplied falls with the effort, by the slope that is told wherever no kink is near; so Newton's method may trust it.
static void what_is_supplied_falls_with_the_effort_by_its_slope(void **state) {
    (void)state;
    int compared = 0;
    for (int command = TD_MOTOR_TORQUE; command <= TD_MOTOR_ANGLE; command++) {
        const engine e = {.kind = ENGINE_MOTOR,
                          .command = (td_motor_command)command,
                          .motor = {.inertia = 1e-5,
                                    .gear = 3.0,
                                    .efficiency = 0.8,
                                    .friction = 1e-3,
                                    .viscous = 1e-5,
                                    .torque_constant = 0.05,
                                    .resistance = 2.0,
                                    .inductance = 1e-3,
                                    .stiffness = 0.2,
                                    .damping = 1e-2,
                                    .max_current = 1.0,
                                    .max_speed = 40.0},
                          .ratio = 3e-3};
        const engine_stage at = {.cv = 500.0, .star = {0.3, 20.0, 0.1}};
        double before = HUGE_VAL;
        for (double T = -60.0; T <= 60.0; T += 0.37) {
            const engine_answer a = engine_at(&e, 0.15, &at, T);
            const double less = engine_at(&e, 0.15, &at, T - 1e-4).supplied;
            const double more = engine_at(&e, 0.15, &at, T + 1e-4).supplied;
            assert_true(a.by_effort <= 0.0 && a.supplied <= before);
            before = a.supplied;
            if (fabs((more - a.supplied) - (a.supplied - less)) > 1e-14) continue;  // a kink
            CHECK_NEAR(a.by_effort, (more - less) / 2e-4, 1e-5 * fabs(a.by_effort) + 1e-10);
            compared++;
        }
    }
    assert_true(compared > 1000);
}

static void a_motor_without_torque_constant_has_no_current_to_read(void **state) {
    (void)state;
    td_error err;
    scene r = motor_rig("cosserat", "sdirk2", "input: angle", "inertia: 1e-4");
    td_sensor_def amperes = td_default_sensor_def();
    amperes.name = "amperes", amperes.measures = "tendon.pull.current";
    assert_true(td_robot_add_sensor(r.robot, &amperes, &err) >= 0);
    const td_options options = td_robot_options(r.robot);
    assert_null(td_system_create(r.robot, &options, &err));
    assert_non_null(strstr(err.message, "no torque_constant, and so no current"));
    scene_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_rotor_speeds_up_by_its_closed_form),
        cmocka_unit_test(a_coil_and_a_rotor_answer_to_a_voltage),
        cmocka_unit_test(friction_stops_a_rotor_and_holds_it),
        cmocka_unit_test(limits_of_current_and_speed_hold),
        cmocka_unit_test(a_rotor_swings_on_the_rod_in_every_model),
        cmocka_unit_test(a_servo_answers_as_a_second_order_system),
        cmocka_unit_test(an_ideal_servo_keeps_to_its_limits),
        cmocka_unit_test(at_rest_a_motor_holds_what_it_is_told),
        cmocka_unit_test(the_jacobian_knows_what_motors_hold),
        cmocka_unit_test(no_opening_moves_an_equilibrium),
        cmocka_unit_test(a_gear_loses_on_both_ways),
        cmocka_unit_test(a_choked_valve_fills_a_rigid_room_linearly),
        cmocka_unit_test(a_room_fills_and_empties_by_closed_forms),
        cmocka_unit_test(liquid_flows_by_pressure_or_through_an_orifice),
        cmocka_unit_test(all_models_move_alike),
        cmocka_unit_test(all_energy_is_accounted_for_to_the_order_of_the_step),
        cmocka_unit_test(what_a_valve_throttles_is_what_the_gas_does_not_keep),
        cmocka_unit_test(a_tube_that_gives_way_shares_the_volume),
        cmocka_unit_test(snapshots_go_on_to_the_same_bits),
        cmocka_unit_test(what_is_supplied_falls_with_the_effort_by_its_slope),
        cmocka_unit_test(a_motor_without_torque_constant_has_no_current_to_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
