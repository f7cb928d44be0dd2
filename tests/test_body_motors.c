// Motors of joints that hold bodies: an arm of two rigid links on shafts that give way, against the equations of a double
// pendulum with two rotors; at rest, its frequencies, derivatives of steps, files, and what is refused.
#include "tendril/loop.h"

#include <stdlib.h>
#include <string.h>

#include "math/pi.h"
#include "not_compiled.h"
#include "scene.h"

enum { N_MODELS = 2, EBA = 1 };
static const char *const models[N_MODELS] = {
    "model: cosserat, time: {scheme: sdirk2}",
    "model: eba",
};

// Of the links: mass, inertia about the centre, and where that is; the length of the first. Of motors: shaft, gear, rotor.
static const double mass[2] = {2.0, 1.0}, turning[2] = {0.02, 6e-3}, centre[2] = {0.15, 0.1};
#define LENGTH 0.3
#define SHAFT 300.0
#define G 9.81
static const double gear[2] = {30.0, 20.0}, rotor[2] = {2e-5, 1e-5};

static scene arm_of(int model, double gravity, const char *input, const char *inputs) {
    char text[2048];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "tendril: 1\n"
                                "gravity: [0, 0, %g]\n"
                                "bodies:\n",
                                -gravity);
    for (int i = 0; i < 2; i++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "  - {name: %s, mass: %g, inertia: [1e-3, %g, %g], centre: [%g, 0, 0], held: {%sjoint: "
            "revolute, axis: [0, -1, 0], position: [%g, 0, 0]}}\n",
            i ? "fore" : "upper", mass[i], turning[i], turning[i], centre[i],
            i ? "body: upper, " : "", i ? LENGTH : 0.0);
    n += (size_t)snprintf(text + n, sizeof text - n, "joint_motors:\n");
    for (int i = 0; i < 2; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "  - {name: %s, body: %s, input: %s, stiffness: %g, motor: {gear: "
                              "%g, inertia: %g}}\n",
                              i ? "elbow" : "shoulder", i ? "fore" : "upper", input, SHAFT, gear[i],
                              rotor[i]);
    snprintf(text + n, sizeof text - n,
             "sensors: [{name: encoder, measures: joint_motor.elbow.angle}, {name: height, "
             "measures: body.fore.z}]\n"
             "inputs: {%s}\n"
             "simulation: {start: straight, %s, solver: {tolerance: 1e-12}}\n",
             inputs, models[model]);
    return scene_of(text, NULL, 0);
}

// ---------------------------------------------------------------- in motion
// With the angles p of the links in the world and m = M2 L c2,
//
//     A p1'' + m cos(p2 - p1) p2'' = T1 - T2 + m sin(p2 - p1) p2'^2 - (M1 c1 + M2 L) g cos p1
//     C p2'' + m cos(p2 - p1) p1'' = T2 - m sin(p2 - p1) p1'^2 - M2 c2 g cos p2
//     J a'' = torque - T/gear,   T1 = K (a1/gear1 - p1),   T2 = K (a2/gear2 - (p2 - p1))
//
// y: a1, a2, p1, p2 and their rates.
static const char *const torques = "shoulder: \"0.15*sin(5*t)\", elbow: \"0.1*sin(9*t)\"";

static void rates_of(double t, const double y[8], double out[8]) {
    const double A = turning[0] + mass[0] * centre[0] * centre[0] + mass[1] * LENGTH * LENGTH;
    const double C = turning[1] + mass[1] * centre[1] * centre[1];
    const double m = mass[1] * LENGTH * centre[1];
    const double c = cos(y[3] - y[2]), s = sin(y[3] - y[2]);
    const double T1 = SHAFT * (y[0] / gear[0] - y[2]);
    const double T2 = SHAFT * (y[1] / gear[1] - (y[3] - y[2]));
    const double b1 =
        T1 - T2 + m * s * y[7] * y[7] - (mass[0] * centre[0] + mass[1] * LENGTH) * G * cos(y[2]);
    const double b2 = T2 - m * s * y[6] * y[6] - mass[1] * centre[1] * G * cos(y[3]);
    const double det = A * C - m * m * c * c;
    memcpy(out, y + 4, 4 * sizeof *out);
    out[4] = (0.15 * sin(5.0 * t) - T1 / gear[0]) / rotor[0];
    out[5] = (0.1 * sin(9.0 * t) - T2 / gear[1]) / rotor[1];
    out[6] = (C * b1 - m * c * b2) / det;
    out[7] = (A * b2 - m * c * b1) / det;
}

// By the rule of Runge and Kutta, far finer than the steps that are tried.
static void integrate(double until, double y[8]) {
    enum { STEPS = 20000 };
    const double h = until / STEPS;
    for (int k = 0; k < STEPS; k++) {
        double r[4][8], at[8];
        rates_of(k * h, y, r[0]);
        for (int j = 1; j < 4; j++) {
            const double by = j < 3 ? 0.5 * h : h;
            for (int i = 0; i < 8; i++) at[i] = y[i] + by * r[j - 1][i];
            rates_of(k * h + by, at, r[j]);
        }
        for (int i = 0; i < 8; i++)
            y[i] += h / 6.0 * (r[0][i] + 2.0 * r[1][i] + 2.0 * r[2][i] + r[3][i]);
    }
}

// Angles of the two shafts behind the gear, and where the elbow is.
static void swing(int model, double until, int n, double out[4]) {
    scene r = arm_of(model, G, "torque", torques);
    scene_begin(&r);
    for (int k = 0; k < n; k++) scene_advance(&r, until / n);
    for (int i = 0; i < 2; i++) out[i] = td_get_drive(r.system, r.state, i).angle;
    const td_pose elbow = td_get_body(r.system, r.state, 1).pose;
    out[2] = elbow.p[0], out[3] = elbow.p[2];
    scene_end(&r);
}

static void an_arm_of_two_links_swings_on_its_motors(void **state) {
    (void)state;
    const double until = 0.3;
    double y[8] = {0.0};
    integrate(until, y);
    const double is[4] = {y[0] / gear[0], y[1] / gear[1], LENGTH * cos(y[2]), LENGTH * sin(y[2])};
    assert_true(fabs(y[2]) > 0.5);
    for (int model = 0; model < N_MODELS; model++) {
        double coarse[4], fine[4];
        swing(model, until, 600, coarse);
        swing(model, until, 1200, fine);
        // hinges make sdirk2 of cosserat one of first order
        const double ratio = model == EBA ? 4.0 : 2.0;
        for (int i = 0; i < 4; i++) {
            if (i < 2) CHECK_NEAR((coarse[i] - is[i]) / (fine[i] - is[i]), ratio, 0.12 * ratio);
            CHECK_NEAR((ratio * fine[i] - coarse[i]) / (ratio - 1.0), is[i], 5e-5);
        }
    }
}

// ---------------------------------------------------------------- at rest
static void at_rest_shafts_are_twisted_by_the_weight(void **state) {
    (void)state;
    for (int model = 0; model < N_MODELS; model++) {
        const double told[2] = {0.3, -0.7};
        scene r = arm_of(model, G, "angle", "shoulder: 0.3, elbow: -0.7");
        double x[2] = {0.0};  // of the joints
        for (int i = 0; i < 200; i++) {
            const double fore = mass[1] * centre[1] * G * cos(x[0] + x[1]);
            const double upper = (mass[0] * centre[0] + mass[1] * LENGTH) * G * cos(x[0]);
            x[0] = told[0] - (upper + fore) / SHAFT, x[1] = told[1] - fore / SHAFT;
        }
        scene_rest(&r);
        for (int i = 0; i < 2; i++) {
            const td_actuator_state shaft = td_get_actuator(r.system, r.state, i);
            CHECK_NEAR(shaft.measure, x[i], 1e-9);
            CHECK_NEAR(shaft.effort, SHAFT * (told[i] - x[i]), 1e-6);
            CHECK_NEAR(td_get_drive(r.system, r.state, i).angle, told[i], 1e-12);
        }
        const td_pose elbow = td_get_body(r.system, r.state, 1).pose;
        CHECK_NEAR(elbow.p[0], LENGTH * cos(x[0]), 1e-9);
        CHECK_NEAR(elbow.p[2], LENGTH * sin(x[0]), 1e-9);
        // what the world holds: the weight of both
        const td_reaction held = td_get_hold_reaction(r.system, r.state, 0);
        CHECK_NEAR(held.force[2], (mass[0] + mass[1]) * G, 1e-6);
        scene_end(&r);
    }
}

// ---------------------------------------------------------------- small motions and steps
static bool has_frequency(td_linearisation *l, double w) {
    for (int k = 0; k < td_n_modes(l); k++)
        if (fabs(2.0 * PI * td_get_mode(l, k).frequency / w - 1.0) < 1e-6) return true;
    return false;
}

// Twists e of the shafts: e'' = -K (J^-1 + M^-1) e, M of the straight arm in turns of its joints.
static void its_frequencies_are_those_of_the_twists(void **state) {
    (void)state;
    const double A = turning[0] + mass[0] * centre[0] * centre[0] + mass[1] * LENGTH * LENGTH;
    const double C = turning[1] + mass[1] * centre[1] * centre[1];
    const double m = mass[1] * LENGTH * centre[1];
    const double a = A + C + 2.0 * m, b = C + m, det = a * C - b * b;
    const double p = SHAFT * (C / det + 1.0 / (rotor[0] * gear[0] * gear[0]));
    const double q = SHAFT * (a / det + 1.0 / (rotor[1] * gear[1] * gear[1]));
    const double s = SHAFT * b / det, root = sqrt(0.25 * (p - q) * (p - q) + s * s);
    for (int model = 0; model < N_MODELS; model++) {
        scene r = arm_of(model, 0.0, "torque", "shoulder: 0, elbow: 0");
        td_linearisation *l = td_linearisation_create(r.system, NULL, 0, &r.err);
        assert_non_null(l);
        assert_true(td_linearise(r.system, r.state, l) >= 0);
        assert_true(td_solve_modes(l, 16) >= 0);
        assert_true(has_frequency(l, sqrt(0.5 * (p + q) - root)));
        assert_true(has_frequency(l, sqrt(0.5 * (p + q) + root)));
        td_linearisation_destroy(l);
        scene_end(&r);
    }
}

// By the torques when it ends, against steps under others.
static void steps_have_derivatives(void **state) {
    (void)state;
    const double dt = 2e-3, reach = 1e-3;
    for (int model = 0; model < N_MODELS; model++) {
        scene r = arm_of(model, G, "torque", torques);
        scene_begin(&r);
        for (int k = 0; k < 20; k++) scene_advance(&r, dt);
        unsigned char *from = malloc(td_snapshot_bytes(r.system));
        td_state_save(r.system, r.state, from, td_snapshot_bytes(r.system));
        for (int sensor = 0; sensor < 2; sensor++) {
            td_output output;
            double slopes[2], sides[2];
            assert_int_equal(td_sensor_outputs(r.system, sensor, &output), 1);
            td_linearisation *l = td_linearisation_create(r.system, &output, 1, &r.err);
            assert_non_null(l);
            td_state_restore(r.system, r.state, from, td_snapshot_bytes(r.system));
            assert_true(td_differentiate_step(r.system, r.state, dt, l) >= 0);
            td_sensor_slopes(r.system, r.state, sensor, td_get_step_map(l)->D, 2, slopes);
            for (int i = 0; i < 2; i++) {
                for (int side = 0; side < 2; side++) {
                    td_state_restore(r.system, r.state, from, td_snapshot_bytes(r.system));
                    td_set_input(r.system, r.state, i,
                                 td_get_input(r.system, r.state, i) + (side ? reach : -reach));
                    scene_step(&r, dt);
                    td_get_sensor_truth(r.system, r.state, sensor, &sides[side]);
                }
                assert_true(slopes[i] != 0.0);
                CHECK_NEAR(slopes[i], (sides[1] - sides[0]) / (2.0 * reach),
                           1e-5 * fabs(slopes[i]) + 1e-12);
            }
            td_linearisation_destroy(l);
        }
        free(from);
        scene_end(&r);
    }
}

// ---------------------------------------------------------------- slides
#define LEAD 5e-3
#define CARRIAGE 1.5

// On a prismatic joint a rotor and a mass swing on their shaft: w^2 = K (1/J + 1/(m lead^2)).
static scene slide_of(int model) {
    char text[1024];
    snprintf(text, sizeof text,
             "tendril: 1\n"
             "gravity: [0, 0, 0]\n"
             "bodies: [{name: carriage, mass: %g, inertia: [1e-3, 1e-3, 1e-3], held: {joint: "
             "prismatic, axis: [1, 0, 0], position: [0, 0, 0]}}]\n"
             "rods: [{name: arm, length: 0.1, material: {youngs_modulus: 1e9, poisson_ratio: 0.3, "
             "density: 0.1}, section: {radius: 4 mm}, base: {body: carriage}}]\n"
             "joint_motors: [{name: feed, body: carriage, input: torque, stiffness: %g, motor: "
             "{lead: %g, gear: 3, inertia: 1e-5}}]\n"
             "inputs: {feed: 0}\n"
             "simulation: {%s}\n",
             CARRIAGE, SHAFT, LEAD, models[model]);
    return scene_of(text, NULL, 0);
}

static void a_carriage_slides_on_its_screw(void **state) {
    (void)state;
    for (int model = 0; model < N_MODELS; model++) {
        scene r = slide_of(model);
        td_linearisation *l = td_linearisation_create(r.system, NULL, 0, &r.err);
        assert_non_null(l);
        assert_true(td_linearise(r.system, r.state, l) >= 0);
        if (td_solve_modes(l, 4) < 0) fail_msg("%s", td_linearisation_message(l));
        const double J = 1e-5 * 9.0;
        assert_true(has_frequency(l, sqrt(SHAFT * (1.0 / J + 1.0 / (CARRIAGE * LEAD * LEAD)))));
        td_linearisation_destroy(l);
        // both go on together: torque gear = (J gear^2 + m lead^2) x''/lead
        td_set_input(r.system, r.state, 0, 0.02);
        td_restart(r.system, r.state);
        for (int k = 0; k < 200; k++) scene_step(&r, 5e-4);
        const double far = 0.5 * 0.02 * 3.0 / (J / LEAD + CARRIAGE * LEAD) * 0.01;
        CHECK_NEAR(td_get_pose(r.system, r.state, 0, 0.1).p[0], far, 2e-3 * far);
        scene_end(&r);
    }
}

// ---------------------------------------------------------------- files
static void robots_are_written_with_motors_of_bodies(void **state) {
    (void)state;
    scene r = arm_of(EBA, G, "torque", torques);
    scene again = scene_written(r.robot);
    assert_int_equal(td_n_actuators(again.system), 2);
    scene_begin(&r), scene_begin(&again);
    for (int k = 0; k < 50; k++) scene_advance(&r, 2e-3), scene_advance(&again, 2e-3);
    const td_drive_state a = td_get_drive(r.system, r.state, 1),
                         b = td_get_drive(again.system, again.state, 1);
    assert_true(a.angle != 0.0);
    assert_memory_equal(&a, &b, sizeof a);
    double p[3];
    td_get_actuator_point(r.system, r.state, 1, 0.5, p);
    const td_pose elbow = td_get_body(r.system, r.state, 1).pose;
    for (int i = 0; i < 3; i++) CHECK_NEAR(p[i], elbow.p[i], 0.0);
    scene_end(&r), scene_end(&again);
}

static void mistakes_are_told(void **state) {
    (void)state;
    static const char *const head =
        "tendril: 1\n"
        "rods: [{name: rod, length: 0.1, material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, "
        "density: 1000}, section: {radius: 4 mm}, base: {body: hub}}]\n"
        "bodies:\n"
        "  - {name: hub, mass: 1, inertia: [1e-3, 1e-3, 1e-3], held: {joint: revolute, axis: [0, "
        "1, 0], position: [0, 0, 0]}}\n"
        "  - {name: box, mass: 1, inertia: [1e-3, 1e-3, 1e-3], held: {position: [0, 0, 1]}}\n";
#define MOTOR "input: torque, stiffness: 1, motor: {inertia: 1e-5"
    static const struct {
        const char *motors, *word;
    } wrong[] = {
        {"{name: a, body: hip, " MOTOR "}}", "hip"},
        {"{name: a, body: box, " MOTOR "}}", "body 'box' has no joint that a motor could move"},
        {"{name: a, body: hub, " MOTOR "}}, {name: b, body: hub, " MOTOR "}}",
         "the joint of body 'hub' has a motor: 'a'"},
        {"{name: a, body: hub, rod: rod, " MOTOR "}}", "not both"},
        {"{name: a, body: hub, " MOTOR ", lead: 2 mm/rad}}", "is of a joint that slides"},
    };
    char text[2048];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "%sjoint_motors: [%s]\n", head, wrong[i].motors);
        check_not_compiled(text, "", wrong[i].word);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_of_two_links_swings_on_its_motors),
        cmocka_unit_test(at_rest_shafts_are_twisted_by_the_weight),
        cmocka_unit_test(its_frequencies_are_those_of_the_twists),
        cmocka_unit_test(steps_have_derivatives),
        cmocka_unit_test(a_carriage_slides_on_its_screw),
        cmocka_unit_test(robots_are_written_with_motors_of_bodies),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
