// The estimator in the loop of the file: runs against loops that are written out, to the bit; the best feedback on estimates against the
// textbook's; what is kept, and what is refused.
#include "tendril/estimate.h"
#include "tendril/loop.h"

#include <stdlib.h>
#include <string.h>

#include "not_compiled.h"
#include "scene.h"
#include "textbook.h"

static td_robot *robot_of(const char *first, const char *second) {
    char text[8192];
    td_error err = {0};
    snprintf(text, sizeof text, "%s%s", first, second);
    td_robot *robot = td_robot_parse(text, strlen(text), "arm.yaml", NULL, 0, &err);
    if (!robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    return robot;
}

static scene rig_of(const char *first, const char *second) {
    char text[8192];
    snprintf(text, sizeof text, "%s%s", first, second);
    return scene_of(text, NULL, 0);
}

static double reading(const scene *r, const char *name, int channel) {
    double y[16];
    assert_true(td_get_sensor(r->system, r->state, td_find_sensor(r->system, name), y, NULL) > 0);
    return y[channel];
}

// ---------------------------------------------------------------- to the bit
// A bent arm that is pulled by something of which nobody told, two feedbacks on what is estimated of it.
static const char *const arm =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 0.1 GPa, "
    "poisson_ratio: 0.3, density: 1000}, damping: {time: 4 ms}, base: {direction: [1, 0, 0]}}\n"
    "tendons: [{name: up, offset: [0, 4 mm]}, {name: aside, offset: [4 mm, 0]}]\n"
    "loads: [{name: tip, at: tip, force: [0, 0, weight]}]\n"
    "inputs: {up: 1 N, aside: 0.2 N, weight: -10 mN}\n"
    "simulation:\n  seed: 5\n  time: {scheme: sdirk2}\n  space: {nodes: 3}\n"
    "  lumped: {segments: 4}\n";
// The same with motors: 1 A pulls with 1 N.
#define MOTOR                                                                                      \
    "stiffness: 1 kN, input: current, motor: {spool: 10 mm, gear: 10, efficiency: 0.9, inertia: "  \
    "1e-6, friction: 2e-5, viscous: 1e-5, torque_constant: 1 mN m/A}"
static const char *const motor_arm =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 0.1 GPa, "
    "poisson_ratio: 0.3, density: 1000}, damping: {time: 4 ms}, base: {direction: [1, 0, 0]}}\n"
    "tendons: [{name: up, offset: [0, 4 mm], " MOTOR "}, {name: aside, offset: [4 mm, 0], " MOTOR
    "}]\n"
    "loads: [{name: tip, at: tip, force: [0, 0, weight]}]\n"
    "inputs: {up: 1 A, aside: 0.2 A, weight: -10 mN}\n"
    "simulation:\n  seed: 5\n  time: {scheme: sdirk2}\n  space: {nodes: 3}\n"
    "  lumped: {segments: 4}\n";
#define ENCODERS                                                                                   \
    "  - {name: encoder, measures: tendon.up.angle, rate: 500 Hz, noise: 1e-3 rad}\n"              \
    "  - {name: other, measures: tendon.aside.angle, rate: 500 Hz, noise: 1e-3 rad}\n"
static const char *const plain =
    "sensors:\n"
    "  - {name: camera, measures: tip.position, rate: 100 Hz, noise: 0.2 mm}\n"
    "  - {name: gauge, measures: rod.arm.30 %.gauge, offset: [0, 2 mm], rate: 500 Hz, noise: "
    "1e-5}\n"
    "  - {name: turning, measures: tip.gyro_y}\n"
    "estimator: {unknowns: [{input: weight, deviation: 20 mN, walk: 50 mN/sqrt(s)}], noise: "
    "{rates: 0.1 rad/s/sqrt(s)}, start: {coordinates: 1e-3}}\n";
static const char *const looped =
    "sensors:\n"
    "  - {name: camera, measures: tip.position, rate: 100 Hz, noise: 0.2 mm}\n"
    "  - {name: gauge, measures: rod.arm.30 %.gauge, offset: [0, 2 mm], rate: 500 Hz, noise: "
    "1e-5}\n"
    "  - {name: tip, measures: estimate.tip.position}\n"
    "  - {name: turning, measures: estimate.tip.gyro_y}\n"
    "  - {name: payload, measures: estimate.weight}\n"
    "estimator: {unknowns: [{input: weight, deviation: 20 mN, walk: 50 mN/sqrt(s)}], noise: "
    "{rates: 0.1 rad/s/sqrt(s)}, start: {coordinates: 1e-3}}\n"
    "controllers:\n"
    "  - {name: hold, inputs: up, formula: \"20*(0.005 - tip.z) - 5*payload - 0.01*turning\"}\n"
    "  - {name: place, inputs: aside, pid: {sensor: tip.y, reference: 0.01, proportional: 2, "
    "integral: 30}}\n";

// `sensors` in front of those of both.
static void compare_loops(const char *robot, const char *sensors) {
    const char *const models[] = {"cosserat", "eba", "ebr", "rom", "virtual_power"};
    const int n_models = check_briefly() ? 1 : 5;
    const size_t head = strlen("sensors:\n");
    for (int m = 0; m < n_models; m++) {
        char file[2][4096];
        snprintf(file[0], sizeof *file, "%s  model: %s\nsensors:\n%s%s", robot, models[m], sensors,
                 looped + head);
        snprintf(file[1], sizeof *file, "%s  model: %s\nsensors:\n%s%s", robot, models[m], sensors,
                 plain + head);
        scene a = rig_of(file[0], ""), b = rig_of(file[1], "");
        const double dt = 0x1p-9;  // s: sums of it are exact
        const int up = td_find_input(b.system, "up"), aside = td_find_input(b.system, "aside"),
                  weight = td_find_input(b.system, "weight");
        td_estimator *e = td_estimator_create(b.system, &b.err);
        double integral = 0.0, most = 0.0;
        scene_begin(&a), scene_begin(&b);
        assert_true(td_estimator_begin(e) >= 0);
        assert_true(td_estimator_follow(e, b.state) >= 0);
        for (int k = 0; k < 80; k++) {
            const td_state *believed = td_estimator_state(e);
            const td_sample s = td_get_sample(b.system, believed, 0, 0.2);
            const double load = td_estimator_get(e, 0, NULL);
            CHECK_NEAR(reading(&a, "payload", 0), load, 0.0);
            for (int c = 0; c < 3; c++) CHECK_NEAR(reading(&a, "tip", c), s.pose.p[c], 0.0);
            const double off = 0.01 - s.pose.p[1];
            if (k > 0) integral += 30.0 * off * dt;
            double turning;  // of the robot that is believed
            td_get_sensor_truth(b.system, believed, td_find_sensor(b.system, "turning"), &turning);
            const double said = 20.0 * (0.005 - s.pose.p[2]) - 5.0 * load - 0.01 * turning;
            td_set_input(b.system, b.state, up, 1.0 + said);
            td_set_input(b.system, b.state, aside, 0.2 + (2.0 * off + integral));
            td_set_input_rate(b.system, b.state, weight, 0.0);
            scene_advance(&a, dt);
            assert_true(td_step(b.system, b.state, dt) >= 0);
            assert_true(td_estimator_follow(e, b.state) >= 0);
            double q_a[64], v_a[64], q_b[64], v_b[64];
            const int n = td_get_coordinates(a.system, a.state, q_a, v_a);
            td_get_coordinates(b.system, b.state, q_b, v_b);
            assert_memory_equal(q_a, q_b, sizeof *q_a * (size_t)n);
            assert_memory_equal(v_a, v_b, sizeof *v_a * (size_t)n);
            most = fmax(most, fabs(load));
        }
        assert_true(most > 5e-3);
        td_estimator_destroy(e);
        scene_end(&a), scene_end(&b);
    }
}

static void a_loop_in_the_file_is_the_loop_that_is_written_out(void **state) {
    (void)state;
    compare_loops(arm, "");
}

// Sensors, estimator, controllers, motors and steps.
static void so_is_the_loop_of_an_arm_with_motors(void **state) {
    (void)state;
    compare_loops(motor_arm, ENCODERS);
}

// Means of accelerations, an encoder and a drift that is found as the run goes on.
static void so_is_that_of_an_arm_with_an_imu(void **state) {
    (void)state;
    compare_loops(arm, "  - {name: imu, measures: tip.accelerometer, rate: 500 Hz, noise: 0.05, "
                       "drift: 0.1}\n"
                       "  - {name: cable, measures: tendon.up.displacement, noise: 20 um}\n");
}

// What is believed of an accelerometer, of its bias and of a cable, by the estimator in the run and by one beside it, at every step and less often.
static void biases_and_accelerations_are_read(void **state) {
    (void)state;
    static const char *const sensors =
        "sensors:\n"
        "  - {name: offset, measures: estimate.imu.z.bias}\n"
        "  - {name: felt, measures: estimate.tip.accelerometer}\n"
        "  - {name: imu, measures: tip.accelerometer, noise: 0.02, bias: 0.3}\n"
        "  - {name: gyro, measures: tip.gyro, noise: 1e-3}\n"
        "  - {name: camera, measures: tip.position, rate: 100 Hz, noise: 0.2 mm}\n"
        "  - {name: wound, measures: estimate.tendon.up.displacement}\n";
    const double periods[2] = {0.0, 0x1p-7};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "%sestimator: {unknowns: [{input: weight, deviation: 5 mN}, {bias: imu, "
            "deviation: 0.5}], noise: {rates: 1e-3}, start: {coordinates: 1e-3}, period: %.17g}\n",
            sensors, periods[i]);
        scene r = rig_of(arm, text);
        td_estimator *e = td_estimator_create(r.system, &r.err);
        const double dt = 0x1p-9;
        const int imu = td_find_sensor(r.system, "imu"), number = 3;
        double felt[3], deviation;
        assert_string_equal(td_estimator_name(e, number), "imu.z.bias");
        assert_string_equal(td_sensor_unit(r.system, 0), "m/s^2");
        scene_begin(&r);
        assert_true(td_estimator_begin(e) >= 0 && td_estimator_follow(e, r.state) >= 0);
        for (int k = 1; k <= 200; k++) {
            td_set_input(r.system, r.state, 0, 1.0 + 0.3 * sin(0.2 * k));
            assert_true(td_step(r.system, r.state, dt) >= 0);
            if (i == 1 && k % 4) continue;
            assert_true(td_estimator_follow(e, r.state) >= 0);
            assert_true(td_estimator_get_sensor(e, imu, felt, NULL) >= 0);
            CHECK_NEAR(reading(&r, "offset", 0), td_estimator_get(e, number, NULL), 0.0);
            for (int c = 0; c < 3; c++)
                CHECK_NEAR(reading(&r, "felt", c), felt[c] - td_estimator_get(e, 1 + c, NULL),
                           1e-12);
        }
        double now[3], cable = td_get_actuator(r.system, r.state, 0).supplied;
        for (int c = 0; c < 3; c++) {
            CHECK_NEAR(td_estimator_truth(e, r.state, 1 + c), 0.3, 0.0);
            const double found = td_estimator_get(e, 1 + c, &deviation);
            // steps of its own, longer than the robot's, are less exact than it thinks
            CHECK_NEAR(found, 0.3, i == 0 ? 4.0 * deviation : 0.1);
            assert_true(deviation < 0.1);
        }
        td_get_sensor_truth(r.system, r.state, imu, now);
        for (int c = 0; c < 3 && i == 0; c++) CHECK_NEAR(reading(&r, "felt", c), now[c], 0.1);
        CHECK_NEAR(reading(&r, "wound", 0), cable, 1e-4);
        td_estimator_destroy(e);
        scene_end(&r);
    }
}

// ---------------------------------------------------------------- the best feedback on estimates
// A straight rod that is only twisted is linear whatever the angle. Feedback and filter of the textbook, on the same readings.
static const char *const shaft =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 MPa, "
    "poisson_ratio: 0.4, density: 1000}, damping: {time: 1 ms}}\n"
    "loads: [{name: tip, at: tip, moment: [0, 0, turn]}]\n"
    "sensors:\n"
    "  - {name: twist, measures: rod.arm.35 %.u_z, noise: 0.05}\n"
    "  - {name: gyro, measures: tip.gyro_z, noise: 0.2 rad/s}\n"
    "estimator:\n"
    "  noise: {coordinates: 0.02 rad/sqrt(s), rates: 1 rad/s/sqrt(s)}\n"
    "  start: {coordinates: 0.1, rates: 1 rad/s}\n"
    "simulation: {time: {scheme: sdirk2}, space: {nodes: 3}, solver: {tolerance: 1e-13}}\n";

typedef struct lqg {
    textbook k;
    double *A, *B, *B0, *K, *x;
} lqg;

static lqg design(scene *r, double dt) {
    td_output outputs[3];
    lqg l = {.k = {.m = 2}};
    int n_outputs = 0;
    for (int s = 0; s < 2; s++) n_outputs += td_sensor_outputs(r->system, s, outputs + n_outputs);
    td_linearisation *lin = td_linearisation_create(r->system, outputs, n_outputs, &r->err);
    scene_begin(r);
    assert_true(td_linearise(r->system, r->state, lin) >= 0);
    const td_linear *a = td_get_linear(lin);
    const int n_q = a->n_coordinates, n = 2 * n_q, input = 0;
    assert_int_equal(a->n_inputs, 1);
    l.k.n = l.k.n_x = n;
    l.k.F = calloc((size_t)(n * n), sizeof(double)),
    l.k.P = calloc((size_t)(n * n), sizeof(double));
    l.k.T = calloc((size_t)(n * n), sizeof(double)),
    l.k.H = calloc((size_t)(2 * n), sizeof(double));
    l.k.x = calloc((size_t)n, sizeof(double)), l.k.g = calloc((size_t)n, sizeof(double));
    l.B = calloc((size_t)n, sizeof(double)), l.B0 = calloc((size_t)n, sizeof(double));
    l.K = calloc((size_t)n + 1, sizeof(double));
    const int rows[2] = {2, 6 + 6 + 2};  // u_z; of pose, then velocity, the turn about z
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < n_q; i++) {
            l.k.H[s * n + i] = a->C[rows[s] * n_q + i];
            l.k.H[s * n + n_q + i] = a->C1[rows[s] * n_q + i];
        }
    assert_int_equal(td_solve_step_map(lin, dt), TD_OK);
    const td_step_map *map = td_get_step_map(lin);
    memcpy(l.k.F, map->A, sizeof(double) * (size_t)(n * n));
    memcpy(l.B, map->B, sizeof(double) * (size_t)n);
    memcpy(l.B0, map->B0, sizeof(double) * (size_t)n);
    l.k.R[0] = 0.05 * 0.05, l.k.R[1] = 0.2 * 0.2;
    double *Q = calloc((size_t)(n * n), sizeof *Q);
    for (int i = 0; i < n_q; i++) {
        const double u = strcmp(td_coordinate_unit(r->system, i), "1/m") == 0 ? 5.0 : 1.0;
        l.k.Q[i] = u * u * 0.02 * 0.02 * dt, l.k.Q[n_q + i] = u * u * dt;
        l.k.P[i * (n + 1)] = u * u * 0.01, l.k.P[(n_q + i) * (n + 1)] = u * u;
        Q[i * (n + 1)] = 1.0, Q[(n_q + i) * (n + 1)] = 1e-3;
    }
    const double price = 1e9;
    if (td_design_lqr(lin, &input, 1, Q, &price, l.K, NULL) < 0) {
        fprintf(stderr, "%s\n", td_linearisation_message(lin));
        fail();
    }
    free(Q);
    td_linearisation_destroy(lin);
    return l;
}

static void free_lqg(lqg *l) {
    free_textbook(&l->k);
    free(l->B), free(l->B0), free(l->K);
}

static void feedback_on_estimates_is_that_of_the_textbook(void **state) {
    (void)state;
    const double dt = 2e-3;
    scene r = rig_of(shaft, "");
    lqg l = design(&r, dt);
    const int n = l.k.n, n_q = n / 2, input = 0;
    td_controller_def def = td_default_controller_def();
    def.name = "best", def.kind = TD_CONTROLLER_FEEDBACK, def.estimated = true;
    def.inputs = &input, def.n_inputs = 1, def.gain = l.K, def.n_columns = n + 1;
    assert_int_equal(td_robot_add_controller(r.robot, &def, &r.err), 0);
    scene_build(&r);
    scene_begin(&r);
    double y[2] = {reading(&r, "twist", 0), reading(&r, "gyro", 0)};
    textbook_update(&l.k, y);
    double *q = calloc((size_t)n, sizeof *q), u = 0.0, most = 0.0, first = 0.0, size = 0.0;
    for (int i = 0; i < n_q; i++)  // nobody tells the estimator of it
        if (strstr(td_coordinate_name(r.system, i), "curvature_z")) q[i] = 0.4;
    assert_int_equal(td_set_coordinates(r.system, r.state, q, q + n_q), TD_OK);
    for (int k = 0; k < 150; k++) {
        double next = -l.K[n] * u;
        for (int i = 0; i < n; i++) next -= l.K[i] * l.k.x[i];
        scene_advance(&r, dt);
        double said;
        td_get_controller(r.system, r.state, 0, &said);
        most = fmax(most, fabs(next));
        CHECK_NEAR(said, next, 1e-9 * most);
        if (k == 0) u = next;  // a step that starts afresh takes its input as one that jumped
        for (int i = 0; i < n; i++) l.k.g[i] = l.B[i] * next + l.B0[i] * u;
        textbook_step(&l.k);
        u = next;
        y[0] = reading(&r, "twist", 0), y[1] = reading(&r, "gyro", 0);
        textbook_update(&l.k, y);
        td_get_sensor_truth(r.system, r.state, 0, &y[0]);
        size = fmax(0.99 * size, fabs(y[0]));
        if (k == 0) first = size;
    }
    assert_true(most > 0.0 && size < 0.5 * first);
    free(q);
    free_lqg(&l);
    scene_end(&r);
}

// ---------------------------------------------------------------- jumps
// One that knows all and is sure of it is the robot: readings change nothing, and what it has lost nothing gives back.
static const char *const sure =
    "bodies: [{name: ball, on: arm, at: tip, mass: 2 g, attached: grip}]\n"
    "sensors:\n"
    "  - {name: gauge, measures: rod.arm.30 %.gauge, offset: [0, 2 mm], noise: 1e-5}\n";

// rad, 1/m and their rates: how far the two are apart, by their sizes
static double apart(const scene *r, const td_state *believed) {
    double q[2][128], most = 0.0, size[2] = {0.0, 0.0};
    const int n = td_n_coordinates(r->system);
    td_get_coordinates(r->system, r->state, q[0], q[0] + n);
    td_get_coordinates(r->system, believed, q[1], q[1] + n);
    for (int k = 0; k < 2 * n; k++) size[k / n] = fmax(size[k / n], fabs(q[0][k]));
    for (int k = 0; k < 2 * n; k++)
        most = fmax(most, fabs(q[0][k] - q[1][k]) / fmax(size[k / n], 1e-3));
    return most;
}

// In place of the tension that does not jump.
static void put_jumps(char *file, const char *first, const char *second) {
    char rest[4096];
    char *up = strstr(file, "up: 1 N,");
    strcpy(rest, up + strlen("up: 1 N,"));
    up += sprintf(up, "%s%s", first, second);
    strcpy(up, rest);
}

static void advance_and_follow(scene *r, td_estimator *e, double dt, int n) {
    for (int k = 0; k < n; k++) {
        scene_advance(r, dt);
        const td_status status = td_estimator_follow(e, r->state);
        if (status < 0) fprintf(stderr, "%s\n", td_estimator_message(e));
        assert_true(status >= 0);
        CHECK_NEAR(apart(r, td_estimator_state(e)), 0.0, 1e-7);
    }
}

static void one_that_knows_all_follows_jumps(void **state) {
    (void)state;
    const char *const models[] = {"cosserat", "eba", "ebr", "rom"};
    const int n_models = check_briefly() ? 1 : 4;
    for (int m = 0; m < n_models; m++) {
        char file[4096];
        snprintf(file, sizeof file,
                 "%s  model: %s\n  solver: {tolerance: 1e-13}\n%sestimator: {iterations: 2}\n", arm,
                 models[m], sure);
        // in the middle of a step; a ball is dropped at the end of one
        put_jumps(file, "up: \"1 + step(t - 0.025)\", ", "grip: \"1 - step(t - 0.04)\",");
        scene r = rig_of(file, "");
        td_estimator *e = td_estimator_create(r.system, &r.err);
        scene_begin(&r);
        assert_true(td_estimator_begin(e) >= 0);
        advance_and_follow(&r, e, 2e-3, 25);
        // by hand, and by another clock
        td_set_input(r.system, r.state, td_find_input(r.system, "aside"), 0.9);
        td_restart(r.system, r.state);
        assert_true(td_step(r.system, r.state, 2e-3) >= 0);
        assert_true(td_estimator_follow(e, r.state) >= 0);
        CHECK_NEAR(apart(&r, td_estimator_state(e)), 0.0, 1e-7);
        assert_int_equal(td_set_time(r.system, r.state, 0.011), TD_OK);
        assert_true(td_estimator_set_time(e, 0.011) >= 0);
        advance_and_follow(&r, e, 2e-3, 16);
        // told, not seen
        td_set_input(r.system, r.state, td_find_input(r.system, "aside"), 0.3);
        td_restart(r.system, r.state);
        assert_true(td_step(r.system, r.state, 2e-3) >= 0);
        for (int i = 0; i < td_n_inputs(r.system); i++)
            td_estimator_set_input(e, i, td_get_input(r.system, r.state, i));
        td_estimator_restart(e);
        assert_true(td_estimator_step(e, 2e-3) >= 0);
        CHECK_NEAR(apart(&r, td_estimator_state(e)), 0.0, 1e-7);
        td_estimator_destroy(e);
        scene_end(&r);
    }
}

// The largest error of a tip, m, of one that acts every third step of dt and knows all else.
static double most_behind(const char *when, double dt) {
    char file[4096];
    snprintf(file, sizeof file,
             "%s%s  - {name: seen, measures: estimate.tip.z}\nestimator: {period: %g}\n", arm, sure,
             3.0 * dt);
    put_jumps(file, "up: \"1 + step(t - ", when);
    scene r = rig_of(file, "");
    double most = 0.0;
    scene_begin(&r);
    for (int k = 1; k * dt < 0.0721; k++) {
        scene_advance(&r, dt);
        if (k % 3 != 0) continue;
        const double z = td_get_sample(r.system, r.state, 0, 0.2).pose.p[2];
        most = fmax(most, fabs(reading(&r, "seen", 0) - z));
    }
    scene_end(&r);
    return most;
}

// Its error is of second order in steps, at a jump that begins one of its own and at those between.
static void jumps_within_its_steps_keep_the_order(void **state) {
    (void)state;
    const char *const when[] = {"0.018)\",", "0.02)\",", "0.022)\","};
    for (int c = 0; c < 3; c++) {
        const double coarse = most_behind(when[c], 1e-3), fine = most_behind(when[c], 5e-4);
        assert_true(log2(coarse / fine) > 1.5);
    }
}

// ---------------------------------------------------------------- what is kept
static void the_same_seed_gives_the_same_bits_and_snapshots_go_on(void **state) {
    (void)state;
    scene a = rig_of(arm, looped), b = rig_of(arm, looped);
    const size_t bytes = td_snapshot_bytes(a.system);
    char *x = malloc(bytes), *y = malloc(bytes);
    scene_begin(&a), scene_begin(&b);
    for (int k = 0; k < 20; k++) scene_advance(&a, 2e-3);
    assert_int_equal(td_state_save(a.system, a.state, x, bytes), TD_OK);
    // what an estimator did elsewhere leaves nothing
    for (int k = 0; k < 7; k++) scene_advance(&b, 3e-3);
    assert_int_equal(td_state_restore(b.system, b.state, x, bytes), TD_OK);
    for (int k = 0; k < 20; k++) scene_advance(&a, 2e-3), scene_advance(&b, 2e-3);
    td_state_save(a.system, a.state, x, bytes), td_state_save(b.system, b.state, y, bytes);
    assert_memory_equal(x, y, bytes);
    scene_begin(&b);
    for (int k = 0; k < 40; k++) scene_advance(&b, 2e-3);
    td_state_save(b.system, b.state, y, bytes);
    assert_memory_equal(x, y, bytes);
    free(x), free(y);
    scene_end(&a), scene_end(&b);
}

static void it_acts_at_its_period(void **state) {
    (void)state;
    const char *const every =
        "sensors:\n"
        "  - {name: gauge, measures: rod.arm.30 %.gauge, offset: [0, 2 mm], noise: 1e-5}\n"
        "  - {name: payload, measures: estimate.weight}\n"
        "estimator: {period: 10 ms, unknowns: [{input: weight, deviation: 20 mN}], start: {rates: "
        "0.1}}\n";
    scene r = rig_of(arm, every);
    scene_begin(&r);
    double before = reading(&r, "payload", 0);
    assert_true(before < 0.0);  // what was read at rest is taken in
    for (int k = 1; k <= 40; k++) {
        scene_advance(&r, 2e-3);
        const double now = reading(&r, "payload", 0);
        assert_true((now != before) == (k % 5 == 0));
        before = now;
    }
    // another clock: the next multiple of it
    assert_int_equal(td_set_time(r.system, r.state, 5.004), TD_OK);
    for (int k = 1; k <= 8; k++) {
        scene_advance(&r, 2e-3);
        const double now = reading(&r, "payload", 0);
        assert_true((now != before) == (k == 3 || k == 8));
        before = now;
    }
    scene_end(&r);
}

// ---------------------------------------------------------------- mistakes
static void what_cannot_be_is_told(void **state) {
    (void)state;
    static const struct {
        const char *sensor, *estimator, *controller, *where, *word;
    } wrong[] = {
        {"measures: estimate.tip.x, noise: 1 mm", "unknowns: [{input: weight, deviation: 1}]", "",
         "noise", "computed"},
        {"measures: estimate.wait", "unknowns: [{input: weight, deviation: 1}]", "", "measures",
         "no such number"},
        {"measures: estimate.weight.place", "unknowns: [{input: weight, deviation: 1}]", "",
         "measures", "no such number"},
        {"measures: estimate.weight", "unknowns: [{input: weight}]", "", "unknowns", "deviation"},
        {"measures: estimate.a.bias", "iterations: 2", "", "measures", "no such number"},
        {"measures: estimate.rod.arm.base_reaction.force", "iterations: 2", "", "measures",
         "not estimated"},
        {"measures: estimate.tip.x", "sensors: [b]", "", "sensors", "estimator itself"},
        {"measures: estimate.tip.x", "period: -1 s", "", "estimator", "period"},
        {"measures: tip.x", "iterations: 2",
         "{inputs: up, pid: {sensor: b, estimated: true, proportional: 1}}", "", "estimated"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char file[4096];
        snprintf(file, sizeof file,
                 "%ssensors: [{name: a, measures: tip.y, noise: 1 mm}, {name: b, %s}]\n"
                 "estimator: {%s}\ncontrollers: [%s]\n",
                 arm, wrong[i].sensor, wrong[i].estimator, wrong[i].controller);
        check_not_compiled(file, wrong[i].where, wrong[i].word);
    }
    char file[4096];
    snprintf(file, sizeof file, "%ssensors: [{name: b, measures: estimate.tip.x}]\n", arm);
    check_not_compiled(file, "sensors.b.measures", "estimator");
    snprintf(file, sizeof file, "%s%s", arm, looped);
    memcpy(strstr(file, "sdirk2"), "bdf2  ", 6);
    check_not_compiled(file, "estimator", "sdirk2");
    // memory of the caller has no room for what an estimator computes with
    scene r = rig_of(arm, looped);
    const size_t bytes = td_state_bytes(r.system);
    void *memory = malloc(bytes);
    assert_null(td_state_init(r.system, memory, bytes));
    free(memory);
    scene_end(&r);
}

static void files_say_it_and_are_written_again(void **state) {
    (void)state;
    char more[4096];
    td_error err = {0};
    snprintf(more, sizeof more,
             "%s  - {name: back, inputs: up, feedback: {estimated: true, gain: [[1, 2]]}}\n",
             looped);
    td_robot *robot = robot_of(arm, more);
    char *text = td_robot_write(robot, NULL, NULL, &err);
    assert_non_null(strstr(text, "estimate.tip.gyro_y"));
    assert_non_null(strstr(text, "estimated: true"));
    td_robot *again = td_robot_parse(text, strlen(text), "again.yaml", NULL, 0, &err);
    char *twice = td_robot_write(again, NULL, NULL, &err);
    assert_string_equal(text, twice);
    td_free_text(text), td_free_text(twice);
    td_robot_destroy(robot), td_robot_destroy(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_in_the_file_is_the_loop_that_is_written_out),
        cmocka_unit_test(so_is_the_loop_of_an_arm_with_motors),
        cmocka_unit_test(so_is_that_of_an_arm_with_an_imu),
        cmocka_unit_test(biases_and_accelerations_are_read),
        cmocka_unit_test(feedback_on_estimates_is_that_of_the_textbook),
        cmocka_unit_test(one_that_knows_all_follows_jumps),
        cmocka_unit_test(jumps_within_its_steps_keep_the_order),
        cmocka_unit_test(the_same_seed_gives_the_same_bits_and_snapshots_go_on),
        cmocka_unit_test(it_acts_at_its_period),
        cmocka_unit_test(what_cannot_be_is_told),
        cmocka_unit_test(files_say_it_and_are_written_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
