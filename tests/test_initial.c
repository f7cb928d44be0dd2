// A run starts where the file says: from a shape that is no equilibrium, and in motion.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tendril/batch.h"
#include "tendril/tendril.h"

#include "check.h"
#include "not_compiled.h"

#define PI 3.14159265358979323846

// ---------------------------------------------------------------- robots
typedef struct started {
    td_robot *robot;
    td_system *system;
    td_state *state;
} started;

static td_robot *parsed(const char *text, const char *set) {
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), "text", &set, set ? 1 : 0, &err);
    if (!robot) fail_msg("%s: %s\n%s", err.where, err.message, text);
    return robot;
}

static started begun(td_robot *robot) {
    td_error err = {0};
    const td_options o = td_robot_options(robot);
    started s = {.robot = robot, .system = td_system_create(robot, &o, &err)};
    if (!s.system) fail_msg("%s: %s", err.where, err.message);
    s.state = td_state_create(s.system);
    assert_non_null(s.state);
    if (td_begin(s.system, s.state) < 0) fail_msg("%s", td_message(s.state));
    return s;
}

static void end(started *s) {
    td_state_destroy(s->state);
    td_system_destroy(s->system);
    td_robot_destroy(s->robot);
}

#define BEAM                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - name: beam\n"                                                                             \
    "    length: 0.4\n"                                                                            \
    "    material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}\n"                 \
    "    section: {width: 2 mm, height: 1 mm}\n"                                                   \
    "simulation: {theory: kirchhoff, rotary_inertia: false, time: {scheme: trapezoidal},"          \
    " space: {nodes: 10}}\n"
#define LENGTH 0.4
#define EI (207e9 * 2e-3 * 1e-9 / 12.0)  // about x
#define MASS (8000.0 * 2e-6)             // kg/m

static td_pose tip_of(const started *s) {
    return td_get_pose(s->system, s->state, 0, LENGTH);
}

// ---------------------------------------------------------------- shapes
// The curvatures of the first mode at the nodes, as text of a file.
static void write_first_mode(double size, char *text, size_t room) {
    started s = begun(parsed(BEAM, NULL));
    td_linearisation *l = td_linearisation_create(s.system, NULL, 0, NULL);
    assert_non_null(l);
    assert_int_equal(td_linearise(s.system, s.state, l), TD_OK);
    assert_int_equal(td_solve_modes(l, 0), TD_OK);
    const int n = td_n_coordinates(s.system);
    double *z = calloc(2 * (size_t)n, sizeof *z);
    assert_int_equal(td_get_mode_shape(l, 0, z, NULL), TD_OK);
    size_t used = (size_t)snprintf(text, room, BEAM "initial:\n  coordinates:\n");
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, room - used, "    %s: %.17g %s\n",
                                 td_coordinate_name(s.system, i), size * z[2 * i],
                                 td_coordinate_unit(s.system, i));
    assert_true(used < room);
    free(z);
    td_linearisation_destroy(l);
    end(&s);
}

// Where a line between two values crosses 0, from t on.
static double crossing(double t, double dt, double before, double after) {
    return t + dt * before / (before - after);
}

static void a_beam_released_in_its_first_mode_swings_with_that_frequency(void **unused) {
    (void)unused;
    char text[8192];
    write_first_mode(1e-3, text, sizeof text);
    started s = begun(parsed(text, NULL));
    const double root = 1.8751040687119611;
    const double omega = root * root / (LENGTH * LENGTH) * sqrt(EI / MASS);
    const double dt = 2.0 * PI / omega / 400.0, start = tip_of(&s).p[1];
    assert_int_equal(td_n_initial(s.system), 30);
    assert_true(fabs(start) > 1e-5);
    CHECK_NEAR(td_get_energy(s.system, s.state).kinetic, 0.0, 1e-20);
    double crossings[2], before = start;
    int n = 0;
    for (int i = 1; n < 2 && i <= 400; i++) {
        assert_int_equal(td_step(s.system, s.state, dt), TD_OK);
        const double y = tip_of(&s).p[1];
        if (before * y < 0.0) crossings[n++] = crossing((i - 1) * dt, dt, before, y);
        before = y;
    }
    assert_int_equal(n, 2);
    // The trapezoidal rule turns by 2 atan(omega dt/2) in a step.
    const double turned = 2.0 * atan(0.5 * omega * dt) / dt;
    CHECK_NEAR((crossings[1] - crossings[0]) * turned / PI, 1.0, 2e-6);
    CHECK_NEAR(crossings[0] * turned / (0.5 * PI), 1.0, 1e-4);  // at rest when it began
    end(&s);
}

static void a_pattern_bends_a_rod_uniformly(void **unused) {
    (void)unused;
    started s =
        begun(parsed(BEAM "initial: {coordinates: {rod.beam.node*.curvature_x: 2 1/m}}\n", NULL));
    const double k = 2.0;
    CHECK_NEAR(td_get_energy(s.system, s.state).elastic / (0.5 * EI * k * k * LENGTH), 1.0, 1e-12);
    CHECK_NEAR(tip_of(&s).p[1], -(1.0 - cos(k * LENGTH)) / k, 1e-9);
    CHECK_NEAR(tip_of(&s).p[2], sin(k * LENGTH) / k, 1e-9);
    end(&s);
}

// Beyond its buckling load, 0.532 N; what `initial` sets on top takes nothing from what is said.
static void a_start_above_a_bifurcation_says_so(void **unused) {
    (void)unused;
    static const char column[] =
        BEAM "loads:\n  - {name: push, rod: beam, at: tip, force: [0, 0, -0.8 N]}\n";
    static const char pushed[] =
        BEAM "loads:\n  - {name: push, rod: beam, at: tip, force: [0, 0, -0.8 N]}\n"
             "initial: {velocities: {rod.beam.node1.curvature_x: 3 1/(m s)}}\n";
    const double critical = 0.25 * PI * PI * EI / (LENGTH * LENGTH);
    started s[2] = {begun(parsed(column, NULL)), begun(parsed(pushed, NULL))};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(td_begin(s[i].system, s[i].state), TD_BIFURCATION);
        CHECK_NEAR(td_get_stats(s[i].state)->bifurcation, critical / 0.8, 1e-6);
    }
    assert_true(td_message(s[0].state)[0]);
    assert_string_equal(td_message(s[0].state), td_message(s[1].state));
    assert_true(td_get_energy(s[1].system, s[1].state).kinetic > 0.0);
    for (int i = 0; i < 2; i++) end(&s[i]);
}

// ---------------------------------------------------------------- motions
#define SWING                                                                                      \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - name: swing\n"                                                                            \
    "    length: 0.3\n"                                                                            \
    "    material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}\n"                 \
    "    section: {radius: 2 mm}\n"                                                                \
    "    base: {direction: [0, 0, -1], joint: ball}\n"                                             \
    "bodies: [{name: bob, on: swing, at: tip, mass: 0.2, inertia: [1e-5, 1e-5, 1e-5]}]\n"          \
    "simulation: {start: straight}\n"

static void a_pendulum_that_is_pushed_has_the_energy_of_the_push(void **unused) {
    (void)unused;
    const double w = 3.0, L = 0.3, area = PI * 4e-6, I = PI / 4.0 * 16e-12;
    const double inertia = 8000.0 * (area * L * L * L / 3.0 + I * L) + 0.2 * L * L + 1e-5;
    static const char *const velocity =
        SWING "initial: {velocities: {rod.swing.hinge.rotation_x: 3 rad/s}}\n";
    started s = begun(parsed(velocity, NULL));
    CHECK_NEAR(td_get_energy(s.system, s.state).kinetic / (0.5 * inertia * w * w), 1.0, 1e-12);
    end(&s);
    s = begun(parsed(SWING, "initial.velocities.rod.swing.hinge.rotation_x=3"));
    CHECK_NEAR(td_get_energy(s.system, s.state).kinetic / (0.5 * inertia * w * w), 1.0, 1e-12);
    end(&s);
}

#define BALL                                                                                       \
    "tendril: 1\n"                                                                                 \
    "bodies: [{name: ball, mass: 0.5, position: [1, 0, 1], shape: {sphere: {radius: 10 mm}}}]\n"   \
    "obstacles: [{name: floor, plane: {}}]\n"                                                      \
    "rods:\n"                                                                                      \
    "  - name: post\n"                                                                             \
    "    length: 0.3\n"                                                                            \
    "    material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}\n"                 \
    "    section: {radius: 2 mm}\n"                                                                \
    "    base: {position: [0, 0, 0.01]}\n"                                                         \
    "simulation: {start: straight, time: {scheme: sdirk2}}\n"                                      \
    "initial:\n"                                                                                   \
    "  velocities: {body.ball.x: 1.5 m/s, body.ball.z: 2, body.ball.rotation_y: 60 rpm}\n"

// How far from its parabola a ball that spins is after t, in n steps.
static double flight_error(const char *model, int n) {
    const double w = 2.0 * PI, J = 0.4 * 0.5 * 1e-4, t = 0.1;
    const double kinetic = 0.5 * (0.5 * (1.5 * 1.5 + 2.0 * 2.0) + J * w * w);
    started s = begun(parsed(BALL, model));
    CHECK_NEAR(td_get_energy(s.system, s.state).kinetic / kinetic, 1.0, 1e-12);
    for (int k = 0; k < n; k++) assert_true(td_step(s.system, s.state, t / n) >= 0);
    const td_pose ball = td_get_body(s.system, s.state, 0).pose;
    end(&s);
    CHECK_NEAR(2.0 * asin(ball.q[2]), w * t, 1e-4);
    return hypot(ball.p[0] - (1.0 + 1.5 * t), ball.p[2] - (1.0 + 2.0 * t - 0.5 * 9.81 * t * t));
}

// Velocities are kept in its axes, which turn: of second order in the step.
static void a_free_body_that_is_thrown_flies_along_a_parabola(void **unused) {
    (void)unused;
    static const char *const models[] = {"simulation.model=cosserat", "simulation.model=eba"};
    for (int i = 0; i < 2; i++) {
        const double coarse = flight_error(models[i], 50), fine = flight_error(models[i], 100);
        assert_true(coarse < 1e-5);
        CHECK_NEAR(coarse / fine, 4.0, 0.2);
    }
}

// ---------------------------------------------------------------- many
static void robots_of_a_batch_start_as_their_file_says(void **unused) {
    (void)unused;
    static const td_batch_kind batches[] = {TD_BATCH_STATES, TD_BATCH_LANES};
    started s = begun(parsed(BEAM "initial:\n"
                                  "  coordinates: {rod.beam.node*.curvature_x: 0.5 1/m}\n"
                                  "  velocities: {rod.beam.node*.curvature_x: 2}\n",
                             "simulation.time.scheme=bdf2"));
    const td_energy want = td_get_energy(s.system, s.state);
    assert_true(want.kinetic > 0.0 && want.elastic > 0.0);
    for (int i = 0; i < 2; i++) {
        td_error err = {0};
        const td_batch_options o = {.kind = batches[i], .threads = 1};
        const bool some[3] = {true, false, true};
        td_energy seen[3];
        td_pose tip;
        const double end_at = LENGTH;
        td_batch *b = td_batch_create(s.system, 3, &o, &err);
        if (!b) fail_msg("%s: %s", err.where, err.message);
        assert_int_equal(td_batch_statics(b, NULL), 0);
        assert_int_equal(td_batch_apply_initial(b, some), 0);
        td_batch_get_energies(b, seen);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(seen[k].kinetic / want.kinetic, some[k] ? 1.0 : 0.0, 1e-9);
            CHECK_NEAR(seen[k].elastic / want.elastic, some[k] ? 1.0 : 0.0, 1e-9);
        }
        td_pose tips[3];
        assert_int_equal(td_batch_step(b, 1e-4, 20, NULL), 0);
        td_batch_get_poses(b, 0, &end_at, 1, tips);
        if (i == 0)
            for (int k = 0; k < 20; k++) assert_true(td_step(s.system, s.state, 1e-4) >= 0);
        tip = tip_of(&s);
        CHECK_NEAR(tips[2].p[1], tip.p[1], 1e-9);
        assert_true(fabs(tips[1].p[1]) < 1e-12 && fabs(tip.p[1]) > 1e-3);
        td_batch_destroy(b);
    }
    end(&s);
}

// ---------------------------------------------------------------- code, and written again
static void what_is_set_in_code_is_what_the_file_says_and_is_written(void **unused) {
    (void)unused;
    td_error err = {0};
    td_robot *robot = parsed(SWING, NULL);
    CHECK_OK(td_robot_set_initial(robot, "rod.swing.node*.curvature_y", 9.0, &err), err);
    CHECK_OK(td_robot_set_initial(robot, "rod.swing.node*.curvature_y", 0.25, &err), err);
    CHECK_OK(td_robot_set_initial_rate(robot, "rod.swing.hinge.rotation_x", 3.0, &err), err);
    char *text = td_robot_write(robot, NULL, NULL, &err);
    assert_non_null(text);
    started all[3] = {
        begun(robot), begun(parsed(text, NULL)),
        begun(parsed(SWING "initial:\n  coordinates: {rod.swing.node*.curvature_y: 0.25}\n"
                           "  velocities: {rod.swing.hinge.rotation_x: 3}\n",
                     NULL))};
    const size_t bytes = td_snapshot_bytes(all[0].system);
    void *one = malloc(bytes), *two = malloc(bytes);
    td_state_save(all[0].system, all[0].state, one, bytes);
    for (int i = 1; i < 3; i++) {
        td_state_save(all[i].system, all[i].state, two, bytes);
        assert_memory_equal(one, two, bytes);
    }
    assert_true(td_get_energy(all[0].system, all[0].state).kinetic > 0.0);
    for (int i = 0; i < 3; i++) end(&all[i]);
    free(one), free(two);
    td_free_text(text);
}

// ---------------------------------------------------------------- refusals
static void names_units_and_values_that_cannot_be_are_refused(void **unused) {
    (void)unused;
    check_not_compiled_with(BEAM "initial: {velocities: {rod.beam.node3.curvature: 1}}\n", NULL,
                            "initial.velocities.rod.beam.node3.curvature",
                            "rod.beam.node*.curvature_x");
    check_not_compiled_with(BEAM "initial: {coordinates: {rod.beam.node*.x: 1 m}}\n", NULL,
                            "initial.coordinates.rod.beam.node*.x",
                            "cosserat has no such coordinate");
    check_not_compiled_with(BEAM "initial: {coordinates: {rod.beam.node1.curvature_x: 1 kg}}\n",
                            NULL, "initial.coordinates.rod.beam.node1.curvature_x", "mass");
    check_not_compiled_with(BEAM "initial: {velocities: {rod.beam.node1.curvature_x: 1 1/m}}\n",
                            NULL, "initial.velocities.rod.beam.node1.curvature_x", "is expected");
    check_not_compiled_with(BEAM "initial: {velocities: {rod.beam.node1.curvature_x: [1, 2]}}\n",
                            NULL, "arm.yaml:9", "a quantity");
    check_not_compiled_with(BEAM "initial: {shape: rest}\n", NULL, "arm.yaml:9", "shape");
    check_not_compiled_with(BEAM "initial: {coordinates: {rod.beam.node1.curvature_x: 1}}\n",
                            "simulation.space.scheme=shooting", "initial.coordinates",
                            "collocation");
    td_error err = {0};
    td_robot *robot = parsed(BEAM, NULL);
    assert_int_equal(td_robot_set_initial(robot, "rod.beam.node1.curvature_x", NAN, &err),
                     TD_ERR_VALUE);
    assert_int_equal(td_robot_set_initial_rate(robot, "", 1.0, &err), TD_ERR_VALUE);
    assert_int_equal(td_robot_set_initial(robot, NULL, 1.0, &err), TD_ERR_ARGUMENT);
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beam_released_in_its_first_mode_swings_with_that_frequency),
        cmocka_unit_test(a_pattern_bends_a_rod_uniformly),
        cmocka_unit_test(a_start_above_a_bifurcation_says_so),
        cmocka_unit_test(a_pendulum_that_is_pushed_has_the_energy_of_the_push),
        cmocka_unit_test(a_free_body_that_is_thrown_flies_along_a_parabola),
        cmocka_unit_test(robots_of_a_batch_start_as_their_file_says),
        cmocka_unit_test(what_is_set_in_code_is_what_the_file_says_and_is_written),
        cmocka_unit_test(names_units_and_values_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
