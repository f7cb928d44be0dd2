// Motors of joints: against closed forms of a rotor, a shaft and a rigid arm, at rest and in motion, in both models that
// have them; energy, modes, derivatives of steps, snapshots, files, and what is refused.
#include "tendril/loop.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "math/pi.h"

// ---------------------------------------------------------------- robots
enum { N_MODELS = 2 };
static const struct {
    const char *name, *options;
} models[N_MODELS] = {
    {"cosserat", "model: cosserat, space: {nodes: 4}, time: {scheme: sdirk2}"},
    {"eba", "model: eba, lumped: {segments: 4}"},
};

// A bob on an arm so stiff that it is rigid and so light that it weighs nothing, along x; where its joint turns it does so
// about y, downwards.
#define LENGTH 0.2
#define BOB 0.03     // kg
#define TURNED 1e-5  // kg m^2
#define SHAFT 40.0   // N m/rad
#define GEAR 20.0
#define ROTOR 1e-5  // kg m^2
#define LEAD 0.02   // m/rad
#define G 9.81
static const char *const joints[2] = {"revolute", "prismatic"};
static const double shaft_inertia = ROTOR * GEAR * GEAR;
static const double turned_inertia = BOB * LENGTH * LENGTH + TURNED;
static const double slid_inertia = BOB * LEAD * LEAD;

static scene arm_rig(int model, const char *joint, double gravity, const char *motor,
                     double command) {
    char text[2048];
    snprintf(text, sizeof text,
             "tendril: 1\n"
             "gravity: [0, 0, %g]\n"
             "rods: [{name: arm, length: %g, section: {radius: 5 mm}, material: {youngs_modulus: "
             "%g, poisson_ratio: 0.3, density: 1e-4}, base: {direction: [1, 0, 0], joint: %s, "
             "axis: [0, 1, 0]}}]\n"
             "bodies: [{name: bob, on: arm, mass: %g, inertia: [%g, %g, %g]}]\n"
             "joint_motors: [{name: drive, stiffness: %g, %s}]\n"
             "inputs: {drive: %.15g}\n"
             "simulation: {%s, solver: {tolerance: 1e-11}}\n",
             -gravity, LENGTH, gravity > 0.0 ? 1e13 : 1e16, joint, BOB, TURNED, TURNED, TURNED,
             SHAFT, motor, command, models[model].options);
    return scene_of(text, NULL, 0);
}

static void step(scene *r, double dt, int n) {
    for (int k = 0; k < n; k++) scene_step(r, dt);
}

static void tell_motor(scene *r, double command) {
    td_set_input(r->system, r->state, 0, command);
    td_restart(r->system, r->state);  // it jumps
}

static td_drive_state drive(const scene *r) {
    return td_get_drive(r->system, r->state, 0);
}

static td_actuator_state shaft(const scene *r) {
    return td_get_actuator(r->system, r->state, 0);
}

static const char *motor_text(char *text, size_t size, const char *input, const char *more,
                              bool slides) {
    char lead[32] = "";
    if (slides) snprintf(lead, sizeof lead, "lead: %g, ", LEAD);
    snprintf(text, size, "input: %s, motor: {%sgear: %g, inertia: %g%s}", input, lead, GEAR, ROTOR,
             more);
    return text;
}

// ---------------------------------------------------------------- a rotor and an arm
// Two inertias on a shaft, under a torque T behind the gear, from rest. With J = rotor gear^2 and I of what is moved, in turns of
// the shaft a and x,
//
//     (J a + I x)'' = T,     (a - x)'' = T/J - w^2 (a - x),     w^2 = K (1/J + 1/I)
//
#define TORQUE 2e-3  // N m, of the rotor
static void swing_to(int model, bool slides, int n, double out[2]) {
    char text[256];
    scene r = arm_rig(model, joints[slides], 0.0,
                      motor_text(text, sizeof text, "torque", "", slides), 0.0);
    tell_motor(&r, TORQUE);
    step(&r, 0.03 / n, n);
    out[0] = drive(&r).angle, out[1] = shaft(&r).measure;
    if (slides) {
        const td_pose tip = td_get_pose(r.system, r.state, 0, LENGTH);
        CHECK_NEAR(tip.p[1], LEAD * out[1], 1e-10);
        CHECK_NEAR(tip.p[0], LENGTH, 1e-9);
    }
    scene_end(&r);
}

static void a_rotor_and_an_arm_swing_on_their_shaft(void **state) {
    (void)state;
    for (int model = 0; model < N_MODELS; model++)
        for (int slides = 0; slides < 2; slides++) {
            const double J = shaft_inertia, I = slides ? slid_inertia : turned_inertia;
            const double T = GEAR * TORQUE, t = 0.03, w2 = SHAFT * (1.0 / J + 1.0 / I);
            const double sum = 0.5 * T * t * t, apart = T / (J * w2) * (1.0 - cos(sqrt(w2) * t));
            const double is[2] = {(sum + I * apart) / (J + I), (sum - J * apart) / (J + I)};
            double coarse[2], fine[2];
            swing_to(model, slides, 200, coarse);
            swing_to(model, slides, 400, fine);
            for (int i = 0; i < 2; i++) {
                // of second order, and without that error exact
                CHECK_NEAR((coarse[i] - is[i]) / (fine[i] - is[i]), 4.0, 0.4);
                CHECK_NEAR((4.0 * fine[i] - coarse[i]) / 3.0, is[i], 5e-5 * fabs(is[i]));
            }
        }
}

// Both swing on the shaft as free bodies do: 0, and w.
static void its_frequency_is_that_of_two_inertias(void **state) {
    (void)state;
    for (int model = 0; model < N_MODELS; model++)
        for (int slides = 0; slides < 2; slides++) {
            char text[256];
            scene r = arm_rig(model, joints[slides], 0.0,
                              motor_text(text, sizeof text, "torque", "", slides), 0.0);
            const double I = slides ? slid_inertia : turned_inertia;
            const double w = sqrt(SHAFT * (1.0 / shaft_inertia + 1.0 / I));
            td_linearisation *l = td_linearisation_create(r.system, NULL, 0, &r.err);
            assert_non_null(l);
            assert_true(td_linearise(r.system, r.state, l) >= 0);
            assert_true(td_solve_modes(l, 4) >= 0);
            bool found = false;
            for (int k = 0; k < td_n_modes(l); k++) {
                const td_mode mode = td_get_mode(l, k);
                found = found || fabs(2.0 * PI * mode.frequency / w - 1.0) < 5e-5;
            }
            assert_true(found);
            td_linearisation_destroy(l);
            scene_end(&r);
        }
}

// ---------------------------------------------------------------- at rest
// K (s - x) + m g L cos x = 0
static double hangs_at(double s) {
    double x = s;
    for (int i = 0; i < 100; i++) x = s + BOB * G * LENGTH * cos(x) / SHAFT;
    return x;
}

static void at_rest_the_shaft_is_twisted_by_the_weight(void **state) {
    (void)state;
    const double told[] = {0.4, -1.3, 7.0};  // and more than a turn
    for (int model = 0; model < N_MODELS; model++)
        for (int i = 0; i < 3; i++) {
            char text[256];
            scene r = arm_rig(model, "revolute", G,
                              motor_text(text, sizeof text, "angle", "", false), told[i]);
            const double x = hangs_at(told[i]);
            scene_begin(&r);
            CHECK_NEAR(drive(&r).angle, told[i], 1e-9);
            CHECK_NEAR(shaft(&r).measure, x, 1e-8);
            CHECK_NEAR(shaft(&r).supplied, told[i], 1e-9);
            CHECK_NEAR(shaft(&r).effort, SHAFT * (told[i] - x), 1e-7);
            const td_pose tip = td_get_pose(r.system, r.state, 0, LENGTH);
            CHECK_NEAR(tip.p[0], LENGTH * cos(x), 3e-7);  // it bends by 2e-7
            CHECK_NEAR(tip.p[2], -LENGTH * sin(x), 3e-7);
            scene_end(&r);
        }
}

// Beside a spring of the joint: k x = gear torque + m g L cos x.
static void at_rest_a_torque_and_a_spring_balance_the_weight(void **state) {
    (void)state;
    for (int model = 0; model < N_MODELS; model++) {
        char text[256];
        const double x = 0.7, k = 0.2, torque = (k * x - BOB * G * LENGTH * cos(x)) / GEAR;
        scene r = arm_rig(model, "revolute, spring: {stiffness: 0.2}", G,
                          motor_text(text, sizeof text, "torque", "", false), torque);
        scene_begin(&r);
        CHECK_NEAR(shaft(&r).measure, x, 3e-7);
        CHECK_NEAR(drive(&r).torque, torque, 1e-12);
        CHECK_NEAR(drive(&r).angle, x + GEAR * torque / SHAFT, 3e-7);
        scene_end(&r);
    }
}

// An arm that bends little comes to where it was, from elsewhere.
static void inverse_statics_turns_the_shaft(void **state) {
    (void)state;
    for (int model = 0; model < N_MODELS; model++) {
        char text[1024];
        const int hub = 0;
        snprintf(text, sizeof text,
                 "tendril: 1\n"
                 "rods: [{name: arm, length: 0.3, section: {radius: 3 mm}, material: "
                 "{youngs_modulus: 70 GPa, poisson_ratio: 0.3, density: 2700}, base: {direction: "
                 "[1, 0, 0], joint: revolute, axis: [0, 1, 0]}}]\n"
                 "joint_motors: [{name: drive, input: angle, stiffness: 40, motor: {gear: 20}}]\n"
                 "inputs: {drive: 0}\n"
                 "simulation: {%s}\n",
                 models[model].options);
        scene r = scene_of(text, NULL, 0);
        scene_begin(&r);
        td_set_input(r.system, r.state, hub, 0.4);
        scene_rest(&r);
        const td_target target = {
            .body = -1, .s = 0.3, .position_only = true, .pose = scene_tip(&r)};
        const double turn = shaft(&r).measure;
        td_set_input(r.system, r.state, hub, 0.39);
        scene_rest(&r);
        assert_true(td_solve_inverse(r.system, r.state, &target, &hub, 1) >= 0);
        CHECK_NEAR(td_get_input(r.system, r.state, hub), 0.4, 1e-6);
        CHECK_NEAR(shaft(&r).measure, turn, 1e-6);
        CHECK_NEAR(drive(&r).angle, 0.4, 1e-6);
        scene_end(&r);
    }
}

// ---------------------------------------------------------------- more than a turn
static void a_motor_turns_its_arm_round_and_round(void **state) {
    (void)state;
    for (int model = 0; model < N_MODELS; model++) {
        char text[256];
        scene r = arm_rig(
            model, "revolute", 0.0,
            motor_text(text, sizeof text, "angle", ", stiffness: 0.2, damping: 4e-3", false), 0.0);
        double before = 0.0;
        scene_begin(&r);
        for (int k = 1; k <= 300; k++) {
            td_set_input(r.system, r.state, 0, fmin(0.05 * k, 10.0));
            step(&r, 5e-3, 1);
            const double turn = shaft(&r).measure;
            assert_true(fabs(turn - before) < 0.3);
            CHECK_NEAR(turn, drive(&r).angle, 0.1);
            before = turn;
        }
        CHECK_NEAR(before, 10.0, 1e-3);
        const td_pose tip = td_get_pose(r.system, r.state, 0, LENGTH);
        CHECK_NEAR(tip.p[0], LENGTH * cos(before), 1e-9);
        scene_end(&r);
    }
}

// ---------------------------------------------------------------- energy
// A bending arm on a motor with a coil, friction and a lossy gear.
static double energy_gap(int model, bool slides, int n) {
    char text[2048], lead[32] = "";
    if (slides) snprintf(lead, sizeof lead, "lead: %g, ", LEAD);
    snprintf(
        text, sizeof text,
        "tendril: 1\n"
        "rods: [{name: arm, length: 0.3, section: {radius: 2 mm}, material: {youngs_modulus: "
        "10 GPa, poisson_ratio: 0.3, density: 2000}, damping: {time: 2 ms}, base: {direction: "
        "[1, 0, 0], joint: %s, axis: [0, 1, 0], spring: {stiffness: 0.1, damping: 1e-3}}}]\n"
        "joint_motors: [{name: drive, input: voltage, stiffness: 5, motor: {%sgear: 12, "
        "efficiency: 0.9, inertia: 2e-6, friction: 1e-4, viscous: 2e-6, torque_constant: 0.02, "
        "resistance: 2 ohm, inductance: 5 mH}}]\n"
        "inputs: {drive: 0}\n"
        "simulation: {%s, solver: {tolerance: 1e-12}}\n",
        joints[slides], lead, models[model].options);
    scene r = scene_of(text, NULL, 0);
    scene_begin(&r);
    const td_energy e0 = td_get_energy(r.system, r.state);
    for (int k = 1; k <= n; k++) {
        td_set_input(r.system, r.state, 0, 6.0 * sin(40.0 * 0.1 * k / n));
        td_set_input_rate(r.system, r.state, 0, 240.0 * cos(40.0 * 0.1 * k / n));
        step(&r, 0.1 / n, 1);
    }
    const td_energy e = td_get_energy(r.system, r.state);
    const double has = e.kinetic + e.elastic + e.gravity - e0.kinetic - e0.elastic - e0.gravity;
    const double given = e.work - e0.work - (e.dissipated - e0.dissipated);
    assert_true(e.work > 0.01);
    scene_end(&r);
    return fabs(has - given) / e.work;
}

static void all_energy_is_accounted_for_to_the_order_of_the_step(void **state) {
    (void)state;
    for (int model = 0; model < N_MODELS; model++)
        for (int slides = 0; slides < 2; slides++) {
            const double coarse = energy_gap(model, slides, 100),
                         fine = energy_gap(model, slides, 200);
            if (getenv("SHOW"))
                for (int n = 100; n < 2000; n *= 2)
                    fprintf(stderr, "%d %d %d: %g\n", model, slides, n,
                            energy_gap(model, slides, n));
            if (!(fine < 1e-3 && fine < 0.4 * coarse))
                fprintf(stderr, "%d %d: %g %g\n", model, slides, coarse, fine);
            assert_true(fine < 1e-3 && fine < 0.4 * coarse);
        }
}

// ---------------------------------------------------------------- derivatives of steps
static scene bending_rig(int model) {
    char text[2048];
    snprintf(text, sizeof text,
             "tendril: 1\n"
             "rods: [{name: arm, length: 0.3, section: {radius: 2 mm}, material: {youngs_modulus: "
             "10 GPa, poisson_ratio: 0.3, density: 2000}, damping: {time: 2 ms}, base: {direction: "
             "[1, 0, 0], joint: revolute, axis: [0, 1, 0], spring: {stiffness: 0.5}}}]\n"
             "joint_motors: [{name: drive, input: voltage, stiffness: 5, motor: {gear: 12, "
             "inertia: 2e-6, viscous: 2e-6, torque_constant: 0.02, resistance: 2 ohm}}]\n"
             "sensors:\n"
             "  - {name: encoder, measures: joint_motor.drive.angle}\n"
             "  - {name: speed, measures: joint_motor.drive.speed}\n"
             "  - {name: height, measures: tip.z}\n"
             "inputs: {drive: -0.2}\n"
             "simulation: {%s, solver: {tolerance: 1e-13}}\n",
             models[model].options);
    return scene_of(text, NULL, 0);
}

enum { N_SEEN = 3 };

// What sensors read after a step, from a snapshot with one coordinate, rate or the input changed.
static void seen_after(scene *r, const unsigned char *from, int column, double by, double dt,
                       double out[N_SEEN]) {
    const int n = td_n_coordinates(r->system);
    double *x = malloc(2 * sizeof *x * (size_t)n);
    assert_int_equal(td_state_restore(r->system, r->state, from, td_snapshot_bytes(r->system)),
                     TD_OK);
    td_get_coordinates(r->system, r->state, x, x + n);
    if (column < 2) x[column * n + n - 1] += by;
    assert_true(td_set_coordinates(r->system, r->state, x, x + n) >= 0);
    td_set_input(r->system, r->state, 0, -0.2 + (column == 2 ? by : 0.0));
    td_restart(r->system, r->state);
    step(r, dt, 1);
    for (int i = 0; i < N_SEEN; i++) td_get_sensor_truth(r->system, r->state, i, &out[i]);
    free(x);
}

static void a_step_has_its_derivative(void **state) {
    (void)state;
    const double dt = 2e-3, reach[3] = {1e-3, 1e-2, 1e-2};
    for (int model = 0; model < N_MODELS; model++) {
        scene r = bending_rig(model);
        scene_begin(&r);
        for (int k = 0; k < 6; k++) {
            td_set_input(r.system, r.state, 0, -0.2 + 0.5 * sin(0.4 * (k + 1)));
            step(&r, dt, 1);
        }
        const int n = td_n_coordinates(r.system);
        assert_string_equal(td_coordinate_name(r.system, n - 1), "joint_motor.drive.angle");
        unsigned char *from = malloc(td_snapshot_bytes(r.system));
        td_state_save(r.system, r.state, from, td_snapshot_bytes(r.system));
        td_output outputs[3] = {{.quantity = TD_OUTPUT_DRIVE, .actuator = 0},
                                {.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.3}};
        td_linearisation *l = td_linearisation_create(r.system, outputs, 2, &r.err);
        if (!l) fprintf(stderr, "%s\n", r.err.message);
        assert_non_null(l);
        assert_int_equal(td_state_restore(r.system, r.state, from, td_snapshot_bytes(r.system)),
                         TD_OK);
        double *x = malloc(2 * sizeof *x * (size_t)n);
        td_get_coordinates(r.system, r.state, x, x + n);
        assert_true(td_set_coordinates(r.system, r.state, x, x + n) >= 0);
        td_set_input(r.system, r.state, 0, -0.2);
        td_restart(r.system, r.state);
        const td_status status = td_differentiate_step(r.system, r.state, dt, l);
        assert_true(status >= 0);
        const td_step_map *m = td_get_step_map(l);
        const int rows[N_SEEN] = {0, 1, 5 + 5};
        for (int column = 0; column < 3; column++)
            for (int i = 0; i < N_SEEN; i++) {
                const double *row = m->C + rows[i] * m->n_states;
                const double is = column == 2 ? m->D[rows[i]] : row[column * n + n - 1];
                double sides[2][N_SEEN];
                for (int k = 0; k < 2; k++)
                    seen_after(&r, from, column, k ? reach[column] : -reach[column], dt, sides[k]);
                const double by = (sides[1][i] - sides[0][i]) / (2.0 * reach[column]);
                assert_true(is != 0.0);
                CHECK_NEAR(is, by, 2e-5 * fabs(is) + 1e-9);
            }
        td_linearisation_destroy(l);
        free(from), free(x);
        scene_end(&r);
    }
}

// Of formulas that remember, in motion: by the command at the end of the step.
static double encoder_after(scene *r, const unsigned char *from, double command, double dt) {
    double seen;
    assert_int_equal(td_state_restore(r->system, r->state, from, td_snapshot_bytes(r->system)),
                     TD_OK);
    td_set_input(r->system, r->state, 0, command);
    step(r, dt, 1);
    td_get_sensor_truth(r->system, r->state, 1, &seen);
    return seen;
}

static void so_has_a_step_of_any_formula(void **state) {
    (void)state;
    static const char *const schemes[] = {"sdirk2", "backward-euler", "bdf2", "bdf-alpha",
                                          "trapezoidal"};
    for (int i = 0; i < 5; i++) {
        const double dt = 2e-3, reach = 1e-2;
        scene r = bending_rig(0);
        td_options options = td_robot_options(r.robot);
        const td_scheme kinds[] = {TD_SDIRK2, TD_BACKWARD_EULER, TD_BDF2, TD_BDF_ALPHA,
                                   TD_TRAPEZOIDAL};
        options.scheme = kinds[i];
        td_state_destroy(r.state);
        td_system_destroy(r.system);
        r.system = td_system_create(r.robot, &options, &r.err);
        assert_non_null(r.system);
        r.state = td_state_create(r.system);
        scene_begin(&r);
        for (int k = 0; k < 6; k++) {
            td_set_input(r.system, r.state, 0, -0.2 + 0.5 * sin(0.4 * (k + 1)));
            step(&r, dt, 1);
        }
        unsigned char *from = malloc(td_snapshot_bytes(r.system));
        td_state_save(r.system, r.state, from, td_snapshot_bytes(r.system));
        const td_output seen = {.quantity = TD_OUTPUT_DRIVE, .actuator = 0};
        td_linearisation *l = td_linearisation_create(r.system, &seen, 1, &r.err);
        assert_non_null(l);
        td_set_input(r.system, r.state, 0, 0.3);
        const td_status status = td_differentiate_step(r.system, r.state, dt, l);
        if (status < 0) fprintf(stderr, "%s: %s\n", schemes[i], td_message(r.state));
        assert_true(status >= 0);
        const double is = td_get_step_map(l)->D[1];
        const double by =
            (encoder_after(&r, from, 0.3 + reach, dt) - encoder_after(&r, from, 0.3 - reach, dt)) /
            (2.0 * reach);
        assert_true(is != 0.0);
        CHECK_NEAR(is, by, 1e-6 * fabs(by));
        td_linearisation_destroy(l);
        free(from);
        scene_end(&r);
    }
}

// ---------------------------------------------------------------- snapshots, files, mistakes
static void snapshots_go_on_to_the_same_bits(void **state) {
    (void)state;
    for (int model = 0; model < N_MODELS; model++) {
        scene r = bending_rig(model);
        scene_begin(&r);
        tell_motor(&r, 0.5);
        step(&r, 2e-3, 5);
        unsigned char *from = malloc(td_snapshot_bytes(r.system));
        td_state_save(r.system, r.state, from, td_snapshot_bytes(r.system));
        step(&r, 2e-3, 5);
        const td_drive_state a = drive(&r);
        const td_energy ea = td_get_energy(r.system, r.state);
        td_state *other = td_state_create(r.system);
        assert_int_equal(td_state_restore(r.system, other, from, td_snapshot_bytes(r.system)),
                         TD_OK);
        td_state_destroy(r.state);
        r.state = other;
        step(&r, 2e-3, 5);
        const td_drive_state b = drive(&r);
        const td_energy eb = td_get_energy(r.system, r.state);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&ea, &eb, sizeof ea);
        free(from);
        scene_end(&r);
    }
}

static void robots_are_written_with_their_motors(void **state) {
    (void)state;
    char text[256];
    scene r = arm_rig(
        1, "prismatic", 0.0,
        motor_text(text, sizeof text, "voltage", ", torque_constant: 0.02, resistance: 2", true),
        0.0);
    char *once = td_robot_write(r.robot, NULL, NULL, &r.err);
    assert_non_null(once);
    td_robot *again = td_robot_parse(once, strlen(once), "again.yaml", NULL, 0, &r.err);
    if (!again) fprintf(stderr, "%s\n%s\n", r.err.message, once);
    assert_non_null(again);
    char *twice = td_robot_write(again, NULL, NULL, &r.err);
    assert_string_equal(once, twice);
    assert_int_equal(td_robot_n_joint_motors(again), 1);
    td_free_text(once), td_free_text(twice);
    td_robot_destroy(again);
    scene_end(&r);
}

static void refuse(const char *joint, const char *motor, const char *where, const char *words) {
    char text[1024];
    td_error err = {0};
    snprintf(text, sizeof text,
             "tendril: 1\n"
             "rods: [{name: arm, length: 0.3, section: {radius: 2 mm}, material: {youngs_modulus: "
             "10 GPa, poisson_ratio: 0.3, density: 2000}, base: {%s}}]\n"
             "joint_motors: [%s]\n",
             joint, motor);
    td_robot *robot = td_robot_parse(text, strlen(text), "wrong.yaml", NULL, 0, &err);
    assert_null(robot);
    if (!strstr(err.where, where) || !strstr(err.message, words))
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(strstr(err.where, where));
    assert_non_null(strstr(err.message, words));
}

#define GOOD "motor: {inertia: 1e-5}"
static void mistakes_are_told(void **state) {
    (void)state;
    refuse("joint: clamp", "{name: m, input: torque, stiffness: 1, " GOOD "}", "joint_motors.m.end",
           "no joint that a motor could move");
    refuse("joint: revolute", "{name: m, end: tip, input: torque, stiffness: 1, " GOOD "}",
           "joint_motors.m.end", "the tip of rod 'arm'");
    refuse("joint: revolute", "{name: m, input: torque, stiffness: 0, " GOOD "}",
           "joint_motors.m.stiffness", "must be positive");
    refuse("joint: revolute",
           "{name: m, input: torque, stiffness: 1, motor: {inertia: 1e-5, lead: 2 mm/rad}}",
           "joint_motors.m.motor.lead", "turns with the shaft");
    refuse("joint: prismatic", "{name: m, input: torque, stiffness: 1, " GOOD "}", "", "lead");
    refuse("joint: revolute",
           "{name: m, input: torque, stiffness: 1, " GOOD "}, {name: n, input: torque, stiffness: "
           "1, " GOOD "}",
           "joint_motors.n.end", "has a motor: 'm'");
    refuse("joint: revolute", "{name: m, input: current, stiffness: 1, " GOOD "}",
           "joint_motors.m.motor.torque_constant", "needs it");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotor_and_an_arm_swing_on_their_shaft),
        cmocka_unit_test(its_frequency_is_that_of_two_inertias),
        cmocka_unit_test(at_rest_the_shaft_is_twisted_by_the_weight),
        cmocka_unit_test(at_rest_a_torque_and_a_spring_balance_the_weight),
        cmocka_unit_test(inverse_statics_turns_the_shaft),
        cmocka_unit_test(a_motor_turns_its_arm_round_and_round),
        cmocka_unit_test(all_energy_is_accounted_for_to_the_order_of_the_step),
        cmocka_unit_test(a_step_has_its_derivative),
        cmocka_unit_test(so_has_a_step_of_any_formula),
        cmocka_unit_test(snapshots_go_on_to_the_same_bits),
        cmocka_unit_test(robots_are_written_with_their_motors),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
