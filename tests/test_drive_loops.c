// Motors in control loops: the best gain and the estimator against their textbooks, readings and their slopes, and what an
// estimator refuses.
#include "tendril/estimate.h"
#include "tendril/loop.h"

#include <stdlib.h>
#include <string.h>

#include "linear_rig.h"
#include "not_compiled.h"

// ---------------------------------------------------------------- the best gain
// A motor with a coil, told a voltage, on an arm that swings.
enum { STEPS = 2000, N_U = 1, MOST_X = 32 };
#define STEP 2e-3
#define PRICE 1e3

typedef struct loop {
    rig r;
    int n, N;  // coordinates and rates; with the voltage
    double A[MOST_X * MOST_X], K[MOST_X], P[MOST_X * MOST_X], Q[MOST_X * MOST_X];
} loop;

static rig swinging_rig(void) {
    return rig_of(
        "tendril: 1\n"
        "gravity: [0, 0, 0]\n"
        "rods: [{name: arm, length: 0.25, section: {radius: 1.5 mm}, material: "
        "{youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 2000}, damping: {time: 5 ms}}]\n"
        "tendons: [{name: pull, offset: [8 mm, 0], pushes: true, stiffness: 500, input: "
        "voltage, motor: {spool: 6 mm, gear: 12, viscous: 2e-6, inertia: 4e-6, "
        "torque_constant: 0.02, resistance: 2 ohm, inductance: 5 mH}}]\n"
        "simulation: {model: constant_curvature, solver: {tolerance: 1e-14}}\n",
        NULL, 0);
}

static void design(loop *l) {
    const int pull = 0;
    const double R = PRICE;
    l->r = swinging_rig();
    linearise(&l->r);
    assert_true(td_solve_step_map(l->r.l, STEP) >= 0);
    const td_step_map *map = td_get_step_map(l->r.l);
    l->n = map->n_states, l->N = l->n + 1;
    assert_int_equal(l->n, 2 * td_n_coordinates(l->r.system));
    assert_true(l->N <= MOST_X);
    for (int i = 0; i < l->n; i++) l->Q[i * l->n + i] = i < l->n / 2 ? 1.0 : 1e-4;
    const td_status status = td_design_lqr(l->r.l, &pull, 1, l->Q, &R, l->K, l->P);
    if (status < 0) fprintf(stderr, "%s\n", td_linearisation_message(l->r.l));
    assert_true(status >= 0);
    for (int i = 0; i < l->N; i++)
        for (int j = 0; j < l->N; j++) {
            const double free = i == l->n ? 0.0 : j < l->n ? map->A[i * l->n + j] : map->B0[i];
            l->A[i * l->N + j] = free - (i < l->n ? map->B[i] : 1.0) * l->K[j];
        }
}

// (x, u) after each step from a start nearby, by the controller in the loop.
static void run_loop(loop *l, double *X) {
    const int pull = 0, n = l->n / 2;
    td_error err = {0};
    td_controller_def def = td_default_controller_def();
    def.name = "best", def.kind = TD_CONTROLLER_FEEDBACK;
    def.inputs = &pull, def.n_inputs = 1, def.gain = l->K, def.n_columns = l->N;
    assert_int_equal(td_robot_add_controller(l->r.robot, &def, &err), 0);
    const td_options options = td_robot_options(l->r.robot);
    td_system *system = td_system_create(l->r.robot, &options, &err);
    assert_non_null(system);
    td_state *state = td_state_create(system);
    assert_true(td_begin(system, state) >= 0);
    double q[MOST_X], v[MOST_X] = {0.0};
    td_get_coordinates(system, state, q, NULL);
    for (int i = 0; i < n; i++) q[i] += 1e-8 * (i + 1.0);  // what is not linear is of second order
    assert_true(td_set_coordinates(system, state, q, v) >= 0);
    td_get_coordinates(l->r.system, l->r.state, q, v);
    for (int k = 0; k < STEPS; k++) {
        double *x = X + k * l->N;
        assert_true(td_advance(system, state, STEP) >= 0);
        td_get_coordinates(system, state, x, x + n);
        for (int i = 0; i < n; i++) x[i] -= q[i];
        x[l->n] = td_get_input(system, state, 0);
    }
    td_state_destroy(state);
    td_system_destroy(system);
}

static double norm(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static void the_best_gain_closes_the_loop_of_a_motor_as_its_matrix_says(void **state) {
    (void)state;
    loop l = {0};
    static double X[STEPS * MOST_X];
    double x[MOST_X], y[MOST_X], predicted = 0.0, cost = 0.0;
    design(&l);
    run_loop(&l, X);
    memcpy(x, X, sizeof x);
    for (int k = 1; k < STEPS; k++) {
        for (int i = 0; i < l.N; i++) {
            y[i] = 0.0;
            for (int j = 0; j < l.N; j++) y[i] += l.A[i * l.N + j] * x[j];
        }
        memcpy(x, y, sizeof x);
        for (int i = 0; i < l.N; i++) y[i] -= X[k * l.N + i];
        CHECK_NEAR(norm(y, l.N) / norm(X, l.N), 0.0, 1e-6);
    }
    assert_true(norm(X + (STEPS - 1) * l.N, l.N) < 1e-4 * norm(X, l.N));
    for (int i = 0; i < l.N; i++)
        for (int j = 0; j < l.N; j++) predicted += X[i] * l.P[i * l.N + j] * X[j];
    for (int k = 0; k + 1 < STEPS; k++) {
        for (int i = 0; i < l.n; i++) cost += l.Q[i * l.n + i] * X[k * l.N + i] * X[k * l.N + i];
        cost += PRICE * X[(k + 1) * l.N + l.n] * X[(k + 1) * l.N + l.n];
    }
    printf("cost %.9g, x'Px %.9g\n", cost, predicted);
    CHECK_NEAR(cost / predicted, 1.0, 1e-6);
    rig_end(&l.r);
}

// ---------------------------------------------------------------- estimation
enum { WATCHED = 200, MOST_N = 24 };

// scale: of all noises.
static rig watched_rig(const char *motor, double scale) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "tendril: 1\n"
        "gravity: [0, 0, 0]\n"
        "rods: [{name: arm, length: 0.25, section: {radius: 1.5 mm}, material: "
        "{youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 2000}, damping: {time: 5 ms}}]\n"
        "tendons: [{name: pull, offset: [8 mm, 0], pushes: true, stiffness: 500, %s}]\n"
        "loads: [{name: pushed, at: tip, force: [push, 0, 0]}]\n"
        "sensors:\n"
        "  - {name: encoder, measures: tendon.pull.angle, rate: 500 Hz, noise: %g}\n"
        "  - {name: tacho, measures: tendon.pull.speed, rate: 500 Hz, noise: %g}\n"
        "  - {name: tip, measures: tip.x, rate: 500 Hz, noise: %g}\n"
        "  - {name: torque, measures: tendon.pull.torque, rate: 500 Hz, noise: %g}\n"
        "estimator:\n"
        "  unknowns: [{input: push, deviation: %g N, walk: 1e-4 N/sqrt(s)}]\n"
        "  noise: {rates: 1e-6 rad/s/sqrt(s)}\n"
        "simulation: {model: constant_curvature, solver: {tolerance: 1e-14}}\n",
        motor, 1e-6 * scale, 1e-4 * scale, 1e-7 * scale, 1e-6 * scale, 1e-4 * scale);
    return rig_of(text, (td_output[]){{.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.25}}, 1);
}

static const char *const coil =
    "input: voltage, motor: {spool: 6 mm, gear: 12, viscous: 2e-6, inertia: 4e-6, torque_constant: "
    "0.02, resistance: 2 ohm, inductance: 5 mH}";

typedef struct filter {  // Kalman's, of x+ = F x + b u, with what is read
    int n;
    double F[MOST_N * MOST_N], b[MOST_N], Q[MOST_N], H[4 * MOST_N], R[4];
    double x[MOST_N], P[MOST_N * MOST_N];
} filter;

static void predict(filter *f, double u_before, double u, const double *b0) {
    double x[MOST_N] = {0.0}, T[MOST_N * MOST_N];
    const int n = f->n;
    for (int i = 0; i < n; i++) {
        x[i] = f->b[i] * u + b0[i] * u_before;
        for (int j = 0; j < n; j++) x[i] += f->F[i * n + j] * f->x[j];
    }
    memcpy(f->x, x, sizeof x);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            T[i * n + j] = 0.0;
            for (int k = 0; k < n; k++) T[i * n + j] += f->F[i * n + k] * f->P[k * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? f->Q[i] : 0.0;
            for (int k = 0; k < n; k++) sum += T[i * n + k] * f->F[j * n + k];
            f->P[i * n + j] = sum;
        }
}

// Reading by reading, which are independent.
static void update(filter *f, int which, double y) {
    const int n = f->n;
    const double *H = f->H + which * n;
    double PH[MOST_N], s = f->R[which], off = y;
    for (int i = 0; i < n; i++) {
        PH[i] = 0.0;
        for (int j = 0; j < n; j++) PH[i] += f->P[i * n + j] * H[j];
    }
    for (int i = 0; i < n; i++) s += H[i] * PH[i], off -= H[i] * f->x[i];
    for (int i = 0; i < n; i++) {
        f->x[i] += PH[i] / s * off;
        for (int j = 0; j < n; j++) f->P[i * n + j] -= PH[i] * PH[j] / s;
    }
}

static void make_filter(rig *r, const td_estimator *e, filter *f, double *b0) {
    linearise(r);
    assert_true(td_solve_step_map(r->l, STEP) >= 0);
    const td_step_map *map = td_get_step_map(r->l);
    const int n_x = map->n_states, n = n_x + 1, n_u = td_n_inputs(r->system), n_q = n_x / 2;
    const int pull = td_find_input(r->system, "pull"), push = td_find_input(r->system, "push");
    const double noise[4] = {1e-7, 1e-5, 1e-8, 1e-7};
    assert_true(n <= MOST_N && n == td_estimator_n(e));
    *f = (filter){.n = n};
    for (int i = 0; i < n_x; i++) {
        memcpy(f->F + i * n, map->A + i * n_x, sizeof(double) * (size_t)n_x);
        f->F[i * n + n_x] = map->B[i * n_u + push] + map->B0[i * n_u + push];
        f->b[i] = map->B[i * n_u + pull], b0[i] = map->B0[i * n_u + pull];
        if (i >= n_q) f->Q[i] = 1e-12 * STEP;
    }
    f->F[n_x * n + n_x] = 1.0, f->Q[n_x] = 1e-8 * STEP;
    f->H[td_find_coordinate(r->system, "tendon.pull.angle")] = 1.0;
    f->H[n + n_q + td_find_coordinate(r->system, "tendon.pull.angle")] = 1.0;
    const td_linear *of = td_get_linear(r->l);
    const int wide = of->n_coordinates + of->n_multipliers;
    memcpy(f->H + 2 * n, of->C + 3 * wide, sizeof(double) * (size_t)n_q);
    f->H[3 * n + td_find_coordinate(r->system, "tendon.pull.current")] = 0.02;  // torque constant
    for (int i = 0; i < 4; i++) f->R[i] = noise[i] * noise[i];
    memcpy(f->P, td_estimator_covariance(e), sizeof(double) * (size_t)(n * n));
}

// A motor that is told a voltage, and a force that nobody measures: of a robot that hardly moves the estimator is Kalman's
// filter of its linear model.
static void the_estimator_of_a_motor_is_the_filter_of_kalman(void **state) {
    (void)state;
    static filter f;
    static double b0[MOST_N];
    td_error err = {0};
    rig r = watched_rig(coil, 0.1);
    td_estimator *e = td_estimator_create(r.system, &err);
    if (!e) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(e);
    assert_true(td_estimator_begin(e) >= 0);
    make_filter(&r, e, &f, b0);
    const int pull = td_find_input(r.system, "pull"), push = td_find_input(r.system, "push");
    double q0[MOST_N], q[MOST_N], v[MOST_N], before = 0.0, size = 0.0;
    td_get_coordinates(r.system, r.state, q0, NULL);
    const double tip0 = td_get_pose(r.system, r.state, 0, 0.25).p[0];
    for (int k = 1; k <= WATCHED; k++) {
        const double u = 1e-5 * sin(0.1 * k);
        td_set_input(r.system, r.state, pull, u);
        td_set_input(r.system, r.state, push, k > 50 ? 5e-6 : 0.0);
        assert_true(td_step(r.system, r.state, STEP) >= 0);
        const td_drive_state d = td_get_drive(r.system, r.state, 0);
        // readings with something beside the truth
        const double y[4] = {d.angle + 1e-7 * sin(7.0 * k), d.speed + 1e-5 * cos(5.0 * k),
                             td_get_pose(r.system, r.state, 0, 0.25).p[0] + 1e-8 * sin(3.0 * k),
                             d.torque + 1e-7 * sin(11.0 * k)};
        const td_reading readings[4] = {{0, y}, {1, y + 1}, {2, y + 2}, {3, y + 3}};
        assert_int_equal(td_estimator_set_input(e, pull, u), TD_OK);
        assert_true(td_estimator_step(e, STEP) >= 0);
        const td_status status = td_estimator_update(e, readings, 4);
        if (status < 0) fprintf(stderr, "%s\n", td_estimator_message(e));
        assert_true(status >= 0);
        predict(&f, k == 1 ? u : before, u, b0);  // the first begins afresh
        for (int i = 0; i < 4; i++) update(&f, i, i == 2 ? y[2] - tip0 : y[i]);
        before = u;
        size = fmax(size, fabs(td_estimator_get(e, 0, NULL)));
        CHECK_NEAR(td_estimator_get(e, 0, NULL), f.x[f.n - 1], 1e-5 * (size + 1e-7));
    }
    td_get_coordinates(r.system, td_estimator_state(e), q, v);
    const int angle = td_find_coordinate(r.system, "tendon.pull.angle");
    // of angle, current, speed and the force
    const int of[4] = {angle, angle + 1, angle + (f.n - 1) / 2, f.n - 1};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const int at = of[i] * f.n + of[j];
            const double scale = sqrt(f.P[of[i] * (f.n + 1)] * f.P[of[j] * (f.n + 1)]);
            CHECK_NEAR(td_estimator_covariance(e)[at], f.P[at], 1e-5 * scale);
        }
    CHECK_NEAR(q[angle] - q0[angle], f.x[angle], 1e-5 * fabs(f.x[angle]));
    CHECK_NEAR(f.x[f.n - 1], 5e-6, 2e-6);  // it is found
    td_estimator_destroy(e);
    rig_end(&r);
}

// What sensors of torque, speed and angle read after a step, by its inputs: against steps under others.
static void readings_of_motors_have_slopes(void **state) {
    (void)state;
    rig r = watched_rig("input: voltage, motor: {spool: 6 mm, gear: 12, viscous: 2e-6, inertia: "
                        "4e-6, torque_constant: 0.02, resistance: 2 ohm}",
                        0.1);
    const int n_u = td_n_inputs(r.system);
    void *here = malloc(td_snapshot_bytes(r.system));
    for (int k = 0; k < 5; k++) {
        td_set_input(r.system, r.state, td_find_input(r.system, "pull"), 0.05 * k);
        assert_true(td_step(r.system, r.state, STEP) >= 0);
    }
    td_state_save(r.system, r.state, here, td_snapshot_bytes(r.system));
    for (int s = 0; s < td_n_sensors(r.system); s++) {
        td_output output;
        td_error err = {0};
        double slopes[2], sides[2];
        assert_int_equal(td_sensor_outputs(r.system, s, &output), 1);
        td_linearisation *l = td_linearisation_create(r.system, &output, 1, &err);
        assert_non_null(l);
        td_state_restore(r.system, r.state, here, td_snapshot_bytes(r.system));
        assert_true(td_differentiate_step(r.system, r.state, STEP, l) >= 0);
        assert_int_equal(td_sensor_slopes(r.system, r.state, s, td_get_step_map(l)->D, n_u, slopes),
                         TD_OK);
        for (int k = 0; k < n_u; k++) {
            for (int side = 0; side < 2; side++) {
                td_state_restore(r.system, r.state, here, td_snapshot_bytes(r.system));
                td_set_input(r.system, r.state, k,
                             td_get_input(r.system, r.state, k) + (side ? 1e-3 : -1e-3));
                assert_true(td_step(r.system, r.state, STEP) >= 0);
                td_get_sensor_truth(r.system, r.state, s, &sides[side]);
            }
            assert_true(slopes[k] != 0.0);
            CHECK_NEAR(slopes[k], (sides[1] - sides[0]) / 2e-3, 1e-6 * fabs(slopes[k]) + 1e-12);
        }
        td_linearisation_destroy(l);
    }
    free(here);
    rig_end(&r);
}

// In motion it follows accelerations; at rest it tells of what is held.
static void a_torque_that_holds_at_will_is_a_reading_at_rest_alone(void **state) {
    (void)state;
    td_error err = {0};
    rig r = watched_rig("input: angle, motor: {spool: 6 mm, gear: 12, inertia: 4e-6}", 1.0);
    td_estimator_def def = td_default_estimator_def();
    const char *named[] = {"torque"};
    td_unknown_def unknown = td_default_unknown_def();
    const int push = td_find_input(r.system, "push");
    unknown.inputs[0] = push, unknown.n_inputs = 1, unknown.deviation = 1.0;
    def.unknowns = &unknown, def.n_unknowns = 1, def.sensors = named, def.n_sensors = 1;
    assert_true(td_robot_set_estimator(r.robot, &def, &err) >= 0);
    const td_options options = td_robot_options(r.robot);
    td_system *system = td_system_create(r.robot, &options, &err);
    td_estimator *e = system ? td_estimator_create(system, &err) : NULL;
    assert_non_null(e);
    const int torque = td_find_sensor(system, "torque");
    assert_true(!td_estimator_refusal(e, torque, true) && !td_estimator_uses(e, torque));
    double y, deviation;
    td_set_input(r.system, r.state, push, 0.07);
    assert_true(td_solve_statics(r.system, r.state) >= 0);
    td_get_sensor_truth(r.system, r.state, torque, &y);
    const td_reading reading = {torque, &y};
    assert_true(td_estimator_begin(e) >= 0 && td_estimator_rest(e, &reading, 1) >= 0);
    const double found = td_estimator_get(e, 0, &deviation);
    CHECK_NEAR(found, 0.07, 0.1 * deviation);
    assert_true(deviation < 0.01);
    assert_int_equal(td_estimator_update(e, &reading, 1), TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(td_estimator_message(e), "follows accelerations"));
    td_estimator_destroy(e);
    td_system_destroy(system);
    rig_end(&r);
}

// With friction in its gear, which linear models see as a rotor that stays, equilibria are estimated all the same.
static void at_rest_an_unknown_force_is_found_by_the_encoder(void **state) {
    (void)state;
    td_error err = {0};
    rig r = watched_rig(
        "input: torque, motor: {spool: 6 mm, gear: 12, inertia: 4e-6, friction: 1e-3}", 1e3);
    td_estimator *e = td_estimator_create(r.system, &err);
    assert_non_null(e);
    assert_true(td_estimator_begin(e) >= 0);
    td_set_input(r.system, r.state, td_find_input(r.system, "push"), 0.07);
    assert_true(td_solve_statics(r.system, r.state) >= 0);
    const double y[2] = {td_get_drive(r.system, r.state, 0).angle,
                         td_get_pose(r.system, r.state, 0, 0.25).p[0]};
    assert_true(fabs(y[0]) > 1e-2);
    const td_reading readings[2] = {{0, y}, {2, y + 1}};
    const td_status status = td_estimator_rest(e, readings, 2);
    if (status != TD_OK) fprintf(stderr, "%s\n", td_estimator_message(e));
    assert_int_equal(status, TD_OK);
    double deviation;
    // what was thought before pulls a little towards 0
    const double found = td_estimator_get(e, 0, &deviation);
    CHECK_NEAR(found, 0.07 * (1.0 - deviation * deviation / 1e-2), 1e-6);
    assert_true(deviation < 2e-3);
    td_estimator_destroy(e);
    rig_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_gain_closes_the_loop_of_a_motor_as_its_matrix_says),
        cmocka_unit_test(the_estimator_of_a_motor_is_the_filter_of_kalman),
        cmocka_unit_test(readings_of_motors_have_slopes),
        cmocka_unit_test(a_torque_that_holds_at_will_is_a_reading_at_rest_alone),
        cmocka_unit_test(at_rest_an_unknown_force_is_found_by_the_encoder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
