// The model that docs/adding-a-model.md goes through, registered by one line: it computes, and the
// library keeps its promises for it.
#include <string.h>

#include "integrate/sundials.h"
#include "tendril/gradient.h"

#include "check.h"

#define PI 3.14159265358979323846
static const double L = 0.4, E = 207e9, density = 8000.0, radius = 2e-3;

typedef struct world {
    td_system *system;
    td_state *state;
} world;

// A steel rod along world x, its local x downwards, with a tendon if asked for.
static td_robot *damped_rod(bool tendon, double damping) {
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.damping[0] = piece.damping[1] = damping;
    piece.length = L;
    piece.youngs_modulus = E, piece.shear_modulus = 79e9, piece.density = density;
    piece.section.radius = radius;
    td_rod_def rod = td_default_rod_def();
    rod.name = "bar", rod.pieces = &piece, rod.n_pieces = 1;
    rod.base.orientation[0] = rod.base.orientation[2] = sqrt(0.5);  // z to world x
    td_tendon_def pull = td_default_tendon_def();
    pull.name = "pull", pull.to = L, pull.value = td_constant(1.0);
    td_robot *robot = td_robot_create();
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    if (tendon) CHECK_OK(td_robot_add_tendon(robot, &pull, &err), err);
    return robot;
}

static td_robot *horizontal_rod(bool tendon) {
    return damped_rod(tendon, 0.0);
}

static td_system *compiled(bool tendon, td_error *err) {
    td_robot *robot = horizontal_rod(tendon);
    td_options options = td_default_options();
    strcpy(options.model, "hinge");
    td_system *system = td_system_create(robot, &options, err);
    td_robot_destroy(robot);
    return system;
}

static world make(void) {
    td_error err = {0};
    world w = {.system = compiled(false, &err)};
    assert_non_null(w.system);
    w.state = td_state_create(w.system);
    assert_non_null(w.state);
    return w;
}

static void clear(world *w) {
    td_state_destroy(w->state);
    td_system_destroy(w->system);
}

static void one_line_in_the_registry_makes_it_known(void **unused) {
    (void)unused;
    assert_string_equal(td_model_name(0), "hinge");
    assert_true(td_model_supports(0, TD_FEATURE_STATICS));
    assert_false(td_model_supports(0, TD_FEATURE_TENDONS));
}

// w L^4/(8 EI), to first order: the angle here is 0.006 rad.
static void a_horizontal_bar_sinks_as_a_beam_does(void **unused) {
    (void)unused;
    world w = make();
    assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
    double per_length = density * PI * radius * radius * 9.81, EI = E * PI * pow(radius, 4) / 4;
    double beam = per_length * pow(L, 4) / (8 * EI);
    CHECK_NEAR(-td_get_pose(w.system, w.state, 0, L).p[2] / beam, 1.0, 1e-4);
    assert_true(td_get_stats(w.state)->iterations > 0);
    clear(&w);
}

// A bar on a hinge: omega^2 = k/I = 12 EI/(m L^3), the weight changes it by 1e-4.
static void it_swings_at_the_frequency_of_a_bar_on_a_hinge(void **unused) {
    (void)unused;
    world w = make();
    double EI = E * PI * pow(radius, 4) / 4, m = density * PI * radius * radius * L;
    double period = 2 * PI / sqrt(12 * EI / (m * pow(L, 3))), dt = period / 4000;
    assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
    double rest = td_get_pose(w.system, w.state, 0, L).p[2];
    td_state_reset(w.system, w.state);
    double crossed[2] = {0}, before = -rest;
    for (int i = 0, n = 0; i < 6000 && n < 2; i++) {
        assert_int_equal(td_step(w.system, w.state, dt), TD_OK);
        double now = td_get_pose(w.system, w.state, 0, L).p[2] - rest;
        double t = td_get_time(w.system, w.state);
        if (now * before < 0) crossed[n++] = t - dt * now / (now - before);
        before = now;
    }
    CHECK_NEAR(2 * (crossed[1] - crossed[0]) / period, 1.0, 1e-3);
    clear(&w);
}

// A damped oscillator at rest, I q'' + d q' + k q = (m L/2) g: how far its tip is down after a time T answers to g and to
// where it begins as the solutions of that equation say.
static void gradients_are_those_of_the_oscillator(void **unused) {
    (void)unused;
    enum { N = 3000 };
    const double EI = E * PI * pow(radius, 4) / 4, m = density * PI * radius * radius * L;
    const double damping = 5e-3, I = m * L * L / 3, k = 4 * EI / L, d = 4 * damping / L;
    const double decay = d / (2 * I), omega = sqrt(k / I - decay * decay),
                 T = 0.75 * 2 * PI / omega;
    const double c = exp(-decay * T) * cos(omega * T), s = exp(-decay * T) * sin(omega * T) / omega;
    static double u[N], by_u[N], w[6 * N];
    td_error err = {0};
    td_options options = td_default_options();
    strcpy(options.model, "hinge");
    td_robot *robot = damped_rod(false, damping);
    const td_input_def input = {.name = "g"};
    const int g_input = td_robot_add_input(robot, &input, &err);
    const td_number gravity[3] = {[2] = {.gain = -1.0, .input = g_input}};
    CHECK_OK(td_robot_set_gravity(robot, gravity, &err), err);
    td_system *system = td_system_create(robot, &options, &err);
    assert_non_null(system);
    td_state *start = td_state_create(system);
    const td_output tip = {.quantity = TD_OUTPUT_POSE, .body = -1, .s = L};
    td_gradient_options o = td_default_gradient_options();
    o.outputs = &tip, o.n_outputs = 1, o.n_steps = N;
    td_gradient *g = td_gradient_create(system, &o, &err);
    assert_non_null(g);
    double x[2], sum = 0.0;
    w[6 * (N - 1) + 5] = -1.0 / L;  // of z: the angle, downwards
    assert_int_equal(td_gradient_run(g, start, T / N, u, NULL, NULL), TD_OK);
    assert_int_equal(td_gradient_n_states(g), 2);
    const td_gradient_result r = {.by_inputs = by_u, .by_start = x};
    assert_int_equal(td_gradient_adjoint(g, w, &r), TD_OK);
    for (int i = 0; i < N; i++) sum += by_u[i];
    const double back = c + decay * s;
    assert_true(fabs(c) < 0.1 && fabs(s) * omega > 0.3);
    CHECK_NEAR(x[0], back, 1e-5);
    CHECK_NEAR(x[1] * omega, s * omega, 1e-5);
    CHECK_NEAR(sum * k / (0.5 * m * L), 1.0 - back, 1e-5);
    // a push h before the end: the answer to an impulse
    const double h = T / 3, impulse = exp(-decay * h) * sin(omega * h) / omega / I;
    CHECK_NEAR(by_u[N - N / 3] * N / T / (0.5 * m * L * impulse), 1.0, 2e-3);
    td_gradient_destroy(g);
    td_state_destroy(start);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

static void what_it_lacks_is_refused_by_name(void **unused) {
    (void)unused;
    td_error err = {0};
    assert_null(compiled(true, &err));
    assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "hinge"));
    assert_non_null(strstr(err.message, "cosserat"));
}

static void a_snapshot_continues_to_the_same_bits(void **unused) {
    (void)unused;
    world w = make();
    double saved[128], ends[2];
    assert_true(td_snapshot_bytes(w.system) <= sizeof saved);
    assert_int_equal(td_step(w.system, w.state, 1e-3), TD_OK);
    assert_int_equal(td_state_save(w.system, w.state, saved, sizeof saved), TD_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(td_state_restore(w.system, w.state, saved, sizeof saved), TD_OK);
        for (int i = 0; i < 5; i++) assert_int_equal(td_step(w.system, w.state, 1e-3), TD_OK);
        ends[k] = td_get_pose(w.system, w.state, 0, L).p[2];
    }
    assert_true(ends[0] == ends[1]);
    clear(&w);
}

static void energy_is_kept_but_for_what_the_step_damps(void **unused) {
    (void)unused;
    world w = make();
    td_energy start = td_get_energy(w.system, w.state);
    for (int i = 0; i < 200; i++) assert_int_equal(td_step(w.system, w.state, 1e-5), TD_OK);
    td_energy e = td_get_energy(w.system, w.state);
    double drift = e.kinetic + e.elastic + e.gravity - start.gravity;
    assert_true(e.kinetic > 0);
    CHECK_BETWEEN(drift, -0.02 * (e.kinetic + e.elastic), 1e-12);  // backward Euler only loses
    clear(&w);
}

// ---------------------------------------------------------------- what it has without writing it
// A bar that stands upright, gravity being the input "g", under the chosen way of steps.
static world damped(td_steps method, double damping) {
    td_error err = {0};
    td_robot *robot = damped_rod(false, damping);
    const td_input_def g = {.name = "g", .unit = "m/s^2", .signal.from = -9.81};
    const int input = td_robot_add_input(robot, &g, &err);
    assert_true(input >= 0);
    const td_number gravity[3] = {td_constant(0), td_constant(0), {.gain = 1, .input = input}};
    CHECK_OK(td_robot_set_gravity(robot, gravity, &err), err);
    td_options options = td_default_options();
    strcpy(options.model, "hinge");
    options.integration.method = method;
    world w = {.system = td_system_create(robot, &options, &err)};
    td_robot_destroy(robot);
    assert_non_null(w.system);
    w.state = td_state_create(w.system);
    return w;
}

static world upright(td_steps method) {
    return damped(method, 0.0);
}

static double stiffness(void) {
    return 4 * E * PI * pow(radius, 4) / 4 / L;
}

static double weight(void) {  // N m, of the bar about its hinge
    return 0.5 * density * PI * radius * radius * L * L * 9.81;
}

static void its_jacobian_and_compliance_are_those_of_a_hinge(void **unused) {
    (void)unused;
    world w = upright(TD_STEPS_FIXED);
    double J[6], C[36], angle;
    assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
    assert_int_equal(td_n_coordinates(w.system), 1);
    assert_int_equal(td_get_coordinates(w.system, w.state, &angle, NULL), TD_OK);
    CHECK_NEAR(stiffness() * angle, weight() * cos(angle), 1e-9 * weight());
    const double K = stiffness() + weight() * sin(angle);
    assert_int_equal(td_get_jacobian(w.system, w.state, 0, L, J), TD_OK);
    CHECK_NEAR(J[1], -weight() * cos(angle) / 9.81 / K, 1e-6 * fabs(J[1]));  // about world y
    assert_int_equal(td_get_compliance(w.system, w.state, 0, L, 0, L, C), TD_OK);
    CHECK_NEAR(C[7], 1.0 / K, 1e-6 / K);
    double smallest;
    assert_int_equal(td_get_stability(w.system, w.state, &smallest), TD_OK);
    CHECK_NEAR(smallest, K / stiffness(), 1e-6);
    clear(&w);
}

static void inverse_statics_finds_the_gravity_that_bends_it_so(void **unused) {
    (void)unused;
    world w = upright(TD_STEPS_FIXED);
    const int g = 0;
    assert_int_equal(td_set_input(w.system, w.state, g, -20.0), TD_OK);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
    td_target target = {.body = -1, .rod = 0, .s = L, .position_only = true};
    target.pose = td_get_pose(w.system, w.state, 0, L);
    assert_int_equal(td_set_input(w.system, w.state, g, -9.81), TD_OK);
    assert_int_equal(td_solve_inverse(w.system, w.state, &target, &g, 1), TD_OK);
    CHECK_NEAR(td_get_input(w.system, w.state, g), -20.0, 1e-5);
    clear(&w);
}

static void chosen_steps_keep_its_energy(void **unused) {
    (void)unused;
    if (!integrator_exists()) skip();
    world w = upright(TD_STEPS_EXPLICIT);
    const double start = td_get_energy(w.system, w.state).gravity;
    for (int i = 0; i < 20; i++) assert_int_equal(td_step(w.system, w.state, 1e-3), TD_OK);
    const td_energy e = td_get_energy(w.system, w.state);
    assert_true(e.kinetic + e.elastic > 0);
    CHECK_NEAR(e.kinetic + e.elastic + e.gravity, start, 1e-4 * (e.kinetic + e.elastic));
    clear(&w);
}

// Damped by 20 % of what is critical, under both kinds of steps: chosen ones hear velocities too.
static void chosen_steps_are_damped_as_fixed_ones(void **unused) {
    (void)unused;
    if (!integrator_exists()) skip();
    double ends[2], lost[2];
    for (int k = 0; k < 2; k++) {
        world w = damped(k ? TD_STEPS_EXPLICIT : TD_STEPS_FIXED, 0.01);
        for (int i = 0; i < 400; i++) assert_int_equal(td_step(w.system, w.state, 5e-4), TD_OK);
        ends[k] = td_get_pose(w.system, w.state, 0, L).p[2];
        lost[k] = td_get_energy(w.system, w.state).dissipated;
        clear(&w);
    }
    assert_true(lost[0] > 0.0);
    CHECK_NEAR(ends[1], ends[0], 1e-3 * fabs(ends[0]));
    CHECK_NEAR(lost[1], lost[0], 1e-3 * lost[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_in_the_registry_makes_it_known),
        cmocka_unit_test(a_horizontal_bar_sinks_as_a_beam_does),
        cmocka_unit_test(it_swings_at_the_frequency_of_a_bar_on_a_hinge),
        cmocka_unit_test(gradients_are_those_of_the_oscillator),
        cmocka_unit_test(what_it_lacks_is_refused_by_name),
        cmocka_unit_test(a_snapshot_continues_to_the_same_bits),
        cmocka_unit_test(energy_is_kept_but_for_what_the_step_damps),
        cmocka_unit_test(its_jacobian_and_compliance_are_those_of_a_hinge),
        cmocka_unit_test(inverse_statics_finds_the_gravity_that_bends_it_so),
        cmocka_unit_test(chosen_steps_keep_its_energy),
        cmocka_unit_test(chosen_steps_are_damped_as_fixed_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
