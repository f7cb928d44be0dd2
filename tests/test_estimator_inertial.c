// Accelerometers, biases and other readings of estimators against textbooks: Kalman filters of states that hold the past, closed forms at
// rest, differences of motions, and errors that are as large as is said.
#include "tendril/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "math/random.h"

#include "not_compiled.h"
#include "scene.h"
#include "textbook.h"

#define PI 3.14159265358979323846

typedef struct rig {
    scene s;
    td_estimator *e;
} rig;

static rig rig_of(const char *text, const char *const *sets, int n) {
    td_error err = {0};
    rig r = {.s = scene_of(text, sets, n)};
    r.e = td_estimator_create(r.s.system, &err);
    if (!r.e) fail_msg("%s: %s", err.where, err.message);
    return r;
}

static void rig_end(rig *r) {
    td_estimator_destroy(r->e);
    scene_end(&r->s);
}

static void fine(const rig *r, td_status status) {
    if (status < 0) fail_msg("%s", td_estimator_message(r->e));
}

static double normal(int stream, int k) {
    double n[2];
    random_normals(78, (uint64_t)stream, (uint64_t)k, n);
    return n[0];
}

static int number_of(const rig *r, const char *name) {
    for (int j = 0; j < td_estimator_n_numbers(r->e); j++)
        if (strcmp(td_estimator_name(r->e, j), name) == 0) return j;
    fail_msg("there is no number '%s'", name);
    return -1;
}

// ---------------------------------------------------------------- a linear robot
// A straight rod that is only stretched is linear, and moves along its axis.
static const char *const bar =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 MPa, "
    "poisson_ratio: 0.4, density: 1000}, damping: {time: 4 ms}}\n"
    "loads: [{name: tip, at: tip, force: [0, 0, known]}, {name: middle, at: 60 %, force: [0, 0, "
    "hidden]}]\n"
    "inputs: {known: 1 mN}\n"
    "sensors:\n"
    "  - {name: imu, measures: tip.accelerometer_z, noise: 0.3, drift: 0.5 m/s^2/sqrt(s)}\n"
    "  - {name: inner, measures: rod.arm.45 %.accelerometer_z, noise: 0.2}\n"
    "  - {name: speed, measures: tip.velocity_z, noise: 2 mm/s, drift: 1 mm/s/sqrt(s)}\n"
    "estimator:\n"
    "  unknowns:\n"
    "    - {input: hidden, deviation: 1 mN, walk: 3 mN/sqrt(s)}\n"
    "    - {bias: speed, mean: 1 mm/s, deviation: 5 mm/s}\n"
    "    - {bias: inner, deviation: 0.1 m/s^2}\n"
    "  noise: {coordinates: 2e-5 rad/sqrt(s), rates: 1e-2 rad/s/sqrt(s)}\n"
    "  start: {coordinates: 1e-5, rates: 1e-3 rad/s}\n"
    "simulation: {time: {scheme: sdirk2}, space: {nodes: 3}, solver: {tolerance: 1e-13}}\n";

enum { NUMBERS = 4, SENSORS = 3, MOST = 160 };  // hidden, and biases of speed, inner and imu

typedef struct lines {  // velocities of the three sensors by coordinates and rates
    double by[SENSORS][MOST];
} lines;

static double *zeros(int n) {
    return calloc((size_t)n, sizeof(double));
}

// (x, numbers, x before): the last is what an accelerometer needs.
static textbook book_of(rig *r, double dt, lines *v) {
    td_system *system = r->s.system;
    td_state *state = r->s.state;
    td_output outputs[SENSORS];
    const double places[SENSORS] = {0.2, 0.09, 0.2};
    for (int i = 0; i < SENSORS; i++)
        outputs[i] = (td_output){.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = places[i]};
    td_linearisation *l = td_linearisation_create(system, outputs, SENSORS, &r->s.err);
    for (int i = 0; i < td_n_inputs(system); i++) td_set_input(system, state, i, 0.0);
    assert_true(td_solve_statics(system, state) >= 0 && td_linearise(system, state, l) >= 0);
    const td_linear *a = td_get_linear(l);
    const int n_q = a->n_coordinates, n_x = 2 * n_q, n = n_x + NUMBERS, N = n + n_x;
    const int known = td_find_input(system, "known"), hidden = td_find_input(system, "hidden");
    textbook k = {.n = N, .m = SENSORS, .n_x = n_x};
    assert_int_equal(a->n_multipliers, 0);
    k.F = zeros(N * N), k.P = zeros(N * N), k.T = zeros(N * N), k.H = zeros(SENSORS * N);
    k.x = zeros(N), k.g = zeros(N);
    for (int s = 0; s < SENSORS; s++)
        for (int i = 0; i < n_q; i++) {
            v->by[s][i] = a->C[(6 * s + 5) * n_q + i];
            v->by[s][n_q + i] = a->C1[(6 * s + 5) * n_q + i];
        }
    assert_true(td_solve_step_map(l, dt) >= 0);
    const td_step_map *m = td_get_step_map(l);
    for (int i = 0; i < n_x; i++) {
        memcpy(k.F + i * N, m->A + i * n_x, sizeof(double) * (size_t)n_x);
        k.F[i * N + n_x] = m->B[i * a->n_inputs + hidden] + m->B0[i * a->n_inputs + hidden];
        k.g[i] = 1e-3 * (m->B[i * a->n_inputs + known] + m->B0[i * a->n_inputs + known]);
        k.F[(n + i) * N + i] = 1.0;
    }
    for (int j = n_x; j < n; j++) k.F[j * N + j] = 1.0;
    // the shape at rest under both forces
    double K[MOST * MOST / 4], z[2][MOST / 2];
    assert_true(n_q <= MOST / 2);
    for (int j = 0; j < 2; j++) {
        memcpy(K, a->K, sizeof(double) * (size_t)(n_q * n_q));
        for (int i = 0; i < n_q; i++) z[j][i] = a->B[i * a->n_inputs + (j ? hidden : known)];
        textbook_eliminate(n_q, K, z[j]);
    }
    for (int i = 0; i < n_q; i++) k.x[i] = 1e-3 * z[0][i];
    k.x[n_x + 1] = 1e-3;
    for (int i = 0; i <= n_x; i++)
        for (int j = 0; j <= n_x; j++) {
            const double by_i = i < n_q ? z[1][i] : i == n_x, by_j = j < n_q ? z[1][j] : j == n_x;
            k.P[i * N + j] = by_i * by_j * 1e-6;
        }
    k.P[(n_x + 1) * (N + 1)] = 25e-6, k.P[(n_x + 2) * (N + 1)] = 0.01;
    for (int i = 0; i < n_q; i++) {
        const double u = strcmp(td_coordinate_unit(system, i), "1/m") == 0 ? 5.0 : 1.0;
        k.Q[i] = u * u * 4e-10 * dt, k.Q[n_q + i] = u * u * 1e-4 * dt;
        k.P[i * (N + 1)] += u * u * 1e-10, k.P[(n_q + i) * (N + 1)] += u * u * 1e-6;
    }
    k.Q[n_x] = 9e-6 * dt, k.Q[n_x + 1] = 1e-6 * dt, k.Q[n_x + 3] = 0.25 * dt;
    k.R[0] = 0.09, k.R[1] = 0.04, k.R[2] = 4e-6;
    td_linearisation_destroy(l);
    return k;
}

// Rows of the sensors: accelerometers see the velocity now and before, and each its bias.
static void fill_rows(textbook *k, const lines *v, double dt) {
    const int bias[SENSORS] = {3, 2, 1}, n = k->n_x + NUMBERS;
    memset(k->H, 0, sizeof(double) * (size_t)(SENSORS * k->n));
    for (int s = 0; s < SENSORS; s++) {
        double *row = k->H + s * k->n;
        for (int i = 0; i < k->n_x; i++) {
            row[i] = s < 2 ? v->by[s][i] / dt : v->by[s][i];
            if (s < 2) row[n + i] = -v->by[s][i] / dt;
        }
        row[k->n_x + bias[s]] = 1.0;
    }
}

static bool is_stretch(const rig *r, int n_q, int i) {
    return i >= 2 * n_q || strstr(td_coordinate_name(r->s.system, i % n_q), "strain_z");
}

static void compare(const rig *r, const textbook *k) {
    const int n = k->n_x + NUMBERS, n_q = k->n_x / 2, all = td_estimator_n(r->e);
    double q[MOST], v[MOST], straight[MOST];
    td_get_coordinates(r->s.system, r->s.state, straight, NULL);
    td_get_coordinates(r->s.system, td_estimator_state(r->e), q, v);
    int seen = 0;
    for (int i = 0; i < n; i++) {
        if (!is_stretch(r, n_q, i)) continue;
        const double x = i < n_q       ? q[i] - straight[i]
                         : i < 2 * n_q ? v[i - n_q]
                                       : td_estimator_get(r->e, i - 2 * n_q, NULL);
        const double sigma = sqrt(k->P[i * (k->n + 1)]);
        CHECK_NEAR(x, k->x[i], 1e-10 * sigma);
        for (int j = 0; j < n; j++)
            if (is_stretch(r, n_q, j))
                CHECK_NEAR(td_estimator_covariance(r->e)[i * all + j], k->P[i * k->n + j],
                           1e-10 * sigma * sqrt(k->P[j * (k->n + 1)]));
        seen++;
    }
    assert_int_equal(seen, n_q / 3 + NUMBERS);
}

static void accelerometers_and_biases_are_kalmans_with_the_past(void **unused) {
    (void)unused;
    const double dt = 2e-3;
    rig r = rig_of(bar, NULL, 0);
    lines v = {0};
    textbook k = book_of(&r, dt, &v);
    assert_int_equal(td_estimator_n_numbers(r.e), NUMBERS);
    assert_int_equal(number_of(&r, "speed.bias"), 1);
    assert_int_equal(number_of(&r, "imu.bias"), 3);
    assert_string_equal(td_estimator_unit(r.e, 3), "m/s^2");
    fine(&r, td_estimator_begin(r.e));
    compare(&r, &k);
    for (int step = 1; step <= 60; step++) {
        textbook_step(&k);
        fine(&r, td_estimator_step(r.e, dt));
        if (step % 3 != 1) {  // readings of anything: a filter does not know what is true
            double y[SENSORS] = {0.5 * normal(1, step), 0.5 * normal(2, step),
                                 5e-3 * normal(3, step)};
            if (step % 5 == 0) y[0] = (double)NAN;
            const td_reading readings[SENSORS] = {{0, y}, {1, y + 1}, {2, y + 2}};
            fill_rows(&k, &v, dt);
            textbook_update(&k, y);
            fine(&r, td_estimator_update(r.e, readings, SENSORS));
        }
        compare(&r, &k);
    }
    assert_true(fabs(td_estimator_get(r.e, 0, NULL)) > 1e-6);
    free_textbook(&k);
    rig_end(&r);
}

// ---------------------------------------------------------------- at rest
// A moment M that follows the tip turns it by L M/EI about y, and an accelerometer at rest feels the ground push: (0, 0, g) from below,
// in its own axes (-g sin, 0, g cos). The rod weighs nothing.
static const char *const arc =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 GPa, "
    "poisson_ratio: 0.3, density: 1e-9}}\n"
    "loads: [{name: tip, at: tip, frame: body, moment: [0, bend, 0], force: [0, 0, 0]}, {name: "
    "push, at: tip, force: [push, side, 0]}]\n"
    "estimator: {unknowns: [{input: bend, deviation: 50 mN m}%s]}\n"
    "sensors: [%s]\n"
    "simulation: {model: %s, lumped: {segments: 24}, time: {scheme: sdirk2}, "
    "space: {nodes: 12}, solver: {tolerance: "
    "1e-13}}\n";

static rig arc_of(const char *unknowns, const char *sensors, const char *model) {
    char text[4096];
    snprintf(text, sizeof text, arc, unknowns, sensors, model);
    return rig_of(text, NULL, 0);
}

static const double EI = 1e9 * PI / 4.0 * 16e-12;

static void an_accelerometer_at_rest_is_an_inclinometer(void **unused) {
    (void)unused;
    static const char *const models[] = {"cosserat, theory: kirchhoff", "eba"};
    for (int m = 0; m < 2; m++) {
        rig r = arc_of("", "{name: imu, measures: tip.accelerometer, noise: 0.02}", models[m]);
        const double angle = 0.7, by = 0.2 / EI;
        const double y[3] = {-9.81 * sin(angle), 0.0, 9.81 * cos(angle)};
        double deviation, seen[3], sure[3];
        fine(&r, td_estimator_begin(r.e));
        fine(&r, td_estimator_rest(r.e, &(td_reading){0, y}, 1));
        // of an angle each reading knows g sin or g cos, together g/noise; what was thought before weighs little
        const double information = pow(9.81 * by / 0.02, 2), prior = 1.0 / 2.5e-3;
        const double near = m ? 3e-4 : 1e-8;  // elements of eba are chords
        const double bend = td_estimator_get(r.e, 0, &deviation);
        CHECK_NEAR(bend * by, angle, near + 2.0 * angle * prior / information);
        CHECK_NEAR(deviation, 1.0 / sqrt(information + prior), 1e-3 * deviation);
        fine(&r, td_estimator_get_sensor(r.e, 0, seen, sure));
        for (int k = 0; k < 3; k++) CHECK_NEAR(seen[k], y[k], 0.02);
        CHECK_NEAR(sure[0], 9.81 * cos(angle) * by * deviation, 2e-3 * sure[0] + 1e-9);
        rig_end(&r);
    }
}

// Gravity that inputs turn is felt at once: which way is down is found by an IMU that stands still.
static void gravity_is_found_by_an_accelerometer(void **unused) {
    (void)unused;
    const char *const sets[] = {"gravity=[east, 0, -9.81]"};
    rig r = {0};
    char text[4096];
    snprintf(text, sizeof text, arc, ", {input: east, deviation: 1 m/s^2}",
             "{name: imu, measures: rod.arm.base.accelerometer_x, noise: 0.02}, {name: gauge, "
             "measures: rod.arm.10 %.gauge, offset: [2 mm, 0], noise: 1e-5}",
             "cosserat, theory: kirchhoff");
    r = rig_of(text, sets, 1);
    const double y[2] = {-0.5, 0.0}, variance = 1.0 / (1.0 + 1.0 / 4e-4);
    const td_reading readings[2] = {{0, y}, {1, y + 1}};
    double deviation;
    fine(&r, td_estimator_begin(r.e));
    fine(&r, td_estimator_rest(r.e, readings, 2));
    CHECK_NEAR(td_estimator_get(r.e, 1, &deviation), 0.5 / 4e-4 * variance, 1e-9);
    CHECK_NEAR(deviation, sqrt(variance), 1e-9);
    rig_end(&r);
}

// What holds the base reads the force at the tip, less what a bias takes of it: least squares by hand.
static void reactions_tell_of_forces_at_rest(void **unused) {
    (void)unused;
    static const char *const models[] = {"cosserat, theory: kirchhoff", "ebr"};
    for (int m = 0; m < 2; m++) {
        rig r = arc_of(", {input: push, mean: 0.01, deviation: 0.1}, {input: side, mean: 0.02, "
                       "deviation: 0}, {bias: foot, deviation: 5 mN}",
                       "{name: foot, measures: rod.arm.base_reaction.force, noise: 2 mN, drift: 1}",
                       models[m]);
        const double y[3] = {-0.05, -0.017, 0.001};  // of minus the force, and biases
        const int push = number_of(&r, "push"), along = number_of(&r, "foot.x.bias");
        assert_int_equal(td_estimator_n_numbers(r.e), 6);
        assert_true(!td_estimator_refusal(r.e, 0, true) && !td_estimator_uses(r.e, 0));
        fine(&r, td_estimator_begin(r.e));
        fine(&r, td_estimator_rest(r.e, &(td_reading){0, y}, 1));
        // y = -push + bias: information [1/n^2 + 1/p^2, -1/n^2; -1/n^2, 1/n^2 + 1/b^2]
        const double n = 1.0 / 4e-6, p = 1.0 / 0.01, b = 1.0 / 25e-6,
                     det = (n + p) * (n + b) - n * n;
        const double right[2] = {-n * y[0] + p * 0.01, n * y[0]};
        double deviation, reading[3], sure[3];
        CHECK_NEAR(td_estimator_get(r.e, push, &deviation),
                   ((n + b) * right[0] + n * right[1]) / det, 1e-10);
        CHECK_NEAR(deviation, sqrt((n + b) / det), 1e-8 * deviation);
        CHECK_NEAR(td_estimator_get(r.e, along, &deviation),
                   (n * right[0] + (n + p) * right[1]) / det, 1e-10);
        CHECK_NEAR(deviation, sqrt((n + p) / det), 1e-8 * deviation);
        // what is known stays so, and its bias has the rest
        CHECK_NEAR(td_estimator_get(r.e, number_of(&r, "side"), &deviation), 0.02, 0.0);
        CHECK_NEAR(deviation, 0.0, 0.0);
        CHECK_NEAR(td_estimator_get(r.e, along + 1, NULL), n * 0.003 / (n + b), 1e-10);
        fine(&r, td_estimator_get_sensor(r.e, 0, reading, sure));
        CHECK_NEAR(sure[0], sqrt((p + b) / det), 1e-8 * sure[0]);  // of -push + bias
        assert_int_equal(td_estimator_update(r.e, &(td_reading){0, y}, 1), TD_ERR_UNSUPPORTED);
        assert_non_null(strstr(td_estimator_message(r.e), "accelerations"));
        rig_end(&r);
    }
}

// What rests is far from where it was thought to be: a camera at the tip of an arc of 1.4 rad. The first readings find it as they do at rest, though
// linear corrections of a straight rod do not; and it goes on from there.
static void first_readings_find_what_rests_however_far(void **unused) {
    (void)unused;
    rig r = arc_of(", {bias: camera, deviation: 1 mm}",
                   "{name: camera, measures: tip.position, noise: 0.1 mm}, {name: late, measures: "
                   "rod.arm.50 %.position, noise: 0.1 mm, rate: 100 Hz, delay: 20 ms}",
                   "cosserat, theory: kirchhoff");
    const double angle = 1.4, length = 0.2, radius = length / angle;
    const double tip[3] = {radius * (1.0 - cos(angle)), 0.0, radius * sin(angle)};
    const double half[3] = {radius * (1.0 - cos(angle / 2)), 0.0, radius * sin(angle / 2)};
    const td_reading readings[2] = {{0, tip}, {1, half}};
    double deviation, at_rest;
    fine(&r, td_estimator_begin(r.e));
    fine(&r, td_estimator_rest(r.e, readings, 2));
    at_rest = td_estimator_get(r.e, 0, NULL);
    fine(&r, td_estimator_begin(r.e));
    fine(&r, td_estimator_take(r.e, 1));
    fine(&r, td_estimator_update(r.e, readings, 2));
    CHECK_NEAR(td_estimator_get(r.e, 0, &deviation), at_rest, 0.0);
    CHECK_NEAR(at_rest, angle * EI / length, 0.2 * deviation);
    assert_true(deviation < 1e-2 * angle * EI / length);
    for (int k = 0; k < 4; k++) fine(&r, td_estimator_step(r.e, 5e-3));
    const double bent = td_get_pose(r.s.system, td_estimator_state(r.e), 0, length).p[0];
    CHECK_NEAR(bent, tip[0], 1e-4);
    rig_end(&r);
}

// Two forces somewhere along a rod, one after another: neither is where the search for the other begins. As the first readings of a motion, too.
static void two_forces_are_found_where_they_act(void **unused) {
    (void)unused;
    char text[8192], loads[4096] = "";
    for (int i = 1; i <= 5; i++)
        for (int k = 0; k < 2; k++) {
            const size_t used = strlen(loads);
            snprintf(loads + used, sizeof loads - used,
                     k ? "  - {name: s%d, at: %d mm, force: [0, s%d, 0]}\n"
                       : "  - {name: t%d, at: %d mm, force: [t%d, 0, 0]}\n",
                     i, 60 * i, i);
        }
    snprintf(
        text, sizeof text,
        "tendril: 1\ngravity: [0, 0, 0]\n"
        "rods: [{name: arm, length: 0.3, section: {radius: 2 mm}, material: {youngs_modulus: 1 "
        "GPa, poisson_ratio: 0.3, density: 1000}, damping: {time: 20 ms}}]\n"
        "loads:\n%s"
        "sensors:\n"
        "  - {name: fibre, measures: rod.arm.gauge, every: 20 mm, offset: [2 mm, 0], noise: 1e-6}\n"
        "  - {name: other, measures: rod.arm.gauge, every: 20 mm, offset: [0, 2 mm], noise: 1e-6}\n"
        "estimator:\n  unknowns:\n"
        "    - {name: touch, inputs: [t1, t2, t3, t4, t5], places: [60 mm, 120 mm, 180 mm, 240 "
        "mm, 300 mm], deviation: 1 N}\n"
        "    - {name: side, inputs: [s1, s2, s3, s4, s5], places: [60 mm, 120 mm, 180 mm, 240 "
        "mm, 300 mm], deviation: 1 N}\n"
        "simulation: {theory: kirchhoff, time: {scheme: sdirk2}, space: {nodes: 12}}\n",
        loads);
    rig r = rig_of(text, NULL, 0);
    const double places[3][2] = {{0.12, 0.24}, {0.3, 0.06}, {0.24, 0.18}};
    for (int i = 0; i < 3; i++) {
        double y[2][15];
        const td_reading readings[2] = {{0, y[0]}, {1, y[1]}};
        for (int k = 0; k < td_n_inputs(r.s.system); k++) {
            const char *name = td_input_name(r.s.system, k);
            const int side = name[0] == 's', at = name[1] - '0';
            const bool acts = fabs(0.06 * at - places[i][side]) < 1e-6;
            td_set_input(r.s.system, r.s.state, k, acts ? (side ? -0.08 : 0.1) : 0.0);
        }
        assert_true(td_solve_statics(r.s.system, r.s.state) >= 0);
        for (int s = 0; s < 2; s++) td_get_sensor_truth(r.s.system, r.s.state, s, y[s]);
        for (int first = 0; first < 2; first++) {
            fine(&r, td_estimator_begin(r.e));
            fine(&r, first ? td_estimator_update(r.e, readings, 2)
                           : td_estimator_rest(r.e, readings, 2));
            for (int j = 0; j < 2; j++) {
                CHECK_NEAR(td_estimator_get(r.e, 2 * j, NULL), j ? -0.08 : 0.1, 1e-3);
                CHECK_NEAR(td_estimator_get(r.e, 2 * j + 1, NULL), places[i][j], 1e-3);
            }
        }
        CHECK_NEAR(td_estimator_truth(r.e, r.s.state, 1), places[i][0], 1e-12);
        CHECK_NEAR(td_estimator_truth(r.e, r.s.state, 2), -0.08, 1e-12);
    }
    rig_end(&r);
}

// ---------------------------------------------------------------- materials that relax
// A rod that is only twisted, of a material that creeps: what its springs hold is part of the state, of whose steps the derivative is that of
// td_differentiate_step (tests/test_step_slopes.c, test_gradient.c).
static const char *const creeping =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 MPa, "
    "poisson_ratio: 0.4, density: 1000, relaxation: {shares: [0.5, 0.3], times: [5 ms, 40 ms]}}, "
    "damping: {time: 1 ms}}\n"
    "loads: [{name: tip, at: tip, moment: [0, 0, twist]}]\n"
    "sensors: [{name: marker, measures: tip.turn_z, noise: 0.01}]\n"
    "estimator:\n"
    "  unknowns: [{input: twist, deviation: 1e-5 N m, walk: 1e-4 N m/sqrt(s)}]\n"
    "  noise: {coordinates: 0.01 rad/sqrt(s), rates: 1 rad/s/sqrt(s)}\n"
    "simulation: {time: {scheme: sdirk2}, space: {nodes: 2}, solver: {tolerance: 1e-13}}\n";

static void what_flows_is_estimated(void **unused) {
    (void)unused;
    static const char *const models[] = {"simulation.model=cosserat", "simulation.model=eba"};
    for (int m = 0; m < 2; m++) {
        rig r = rig_of(creeping, &models[m], 1);
        const double dt = 1e-3;
        const int n_q = td_n_coordinates(r.s.system), n = td_estimator_n(r.e);
        assert_true(n > 2 * n_q + 1);
        td_output tip = {.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.2};
        td_linearisation *l = td_linearisation_create(r.s.system, &tip, 1, &r.s.err);
        assert_true(td_begin(r.s.system, r.s.state) >= 0 &&
                    td_linearise(r.s.system, r.s.state, l) >= 0);
        textbook k = {.n = n, .m = 1, .n_x = n - 1};
        k.F = zeros(n * n), k.P = zeros(n * n), k.T = zeros(n * n), k.H = zeros(n);
        k.x = zeros(n), k.g = zeros(n);
        const td_linear *a = td_get_linear(l);
        for (int i = 0; i < n_q; i++) k.H[i] = a->C[2 * a->n_coordinates + i];
        assert_true(td_differentiate_step(r.s.system, r.s.state, dt, l) >= 0);
        const td_step_map *map = td_get_step_map(l);
        assert_int_equal(map->n_states, n - 1);
        for (int i = 0; i < n - 1; i++) {
            memcpy(k.F + i * n, map->A + i * (n - 1), sizeof(double) * (size_t)(n - 1));
            k.F[i * n + n - 1] = map->B[i] + map->B0[i];
        }
        k.F[n * n - 1] = 1.0;
        k.R[0] = 1e-4;
        fine(&r, td_estimator_begin(r.e));
        memcpy(k.P, td_estimator_covariance(r.e), sizeof(double) * (size_t)(n * n));
        // the start is a shape at rest: what flows has flowed, and the springs hold nothing
        const double GJ = 1e6 / 2.8 * PI / 2.0 * 16e-12;
        double sure;
        fine(&r, td_estimator_get_sensor(r.e, 0, NULL, &sure));
        CHECK_NEAR(sure, 0.2 * 1e-5 / GJ, 1e-6 * sure);
        for (int i = 0; i < n_q; i++) {
            const bool bends = strcmp(td_coordinate_unit(r.s.system, i), "1/m") == 0;
            const double u = bends ? 5.0 : 1.0;
            k.Q[i] = u * u * 1e-4 * dt, k.Q[n_q + i] = u * u * dt;
        }
        k.Q[n - 1] = 1e-8 * dt;
        for (int step = 1; step <= 40 && m == 0; step++) {
            double q[MOST], v[MOST];
            const double y = 0.05 * normal(9, step);
            textbook_step(&k);
            fine(&r, td_estimator_step(r.e, dt));
            if (step % 2) textbook_update(&k, &y);
            if (step % 2) fine(&r, td_estimator_update(r.e, &(td_reading){0, &y}, 1));
            td_get_coordinates(r.s.system, td_estimator_state(r.e), q, v);
            for (int i = 0; i < n_q; i++) {
                if (!strstr(td_coordinate_name(r.s.system, i), "curvature_z")) continue;
                CHECK_NEAR(q[i], k.x[i], 1e-10 * sqrt(k.P[i * (n + 1)]));
                CHECK_NEAR(td_estimator_covariance(r.e)[i * (n + 1)], k.P[i * (n + 1)],
                           1e-10 * k.P[i * (n + 1)]);
            }
            const double sigma = sqrt(k.P[n * n - 1]);
            CHECK_NEAR(td_estimator_get(r.e, 0, &sure), k.x[n - 1], 1e-10 * sigma);
            CHECK_NEAR(sure, sigma, 1e-10 * sigma);
        }
        td_linearisation_destroy(l);
        free_textbook(&k);
        rig_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerometers_and_biases_are_kalmans_with_the_past),
        cmocka_unit_test(an_accelerometer_at_rest_is_an_inclinometer),
        cmocka_unit_test(gravity_is_found_by_an_accelerometer),
        cmocka_unit_test(reactions_tell_of_forces_at_rest),
        cmocka_unit_test(first_readings_find_what_rests_however_far),
        cmocka_unit_test(two_forces_are_found_where_they_act),
        cmocka_unit_test(what_flows_is_estimated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
