// What `tendril models` says of derivatives of motion: each claim is tried on a robot.
#include "step_robots.h"

#include "tendril/gradient.h"

static td_system *moving_system(int model, robot_kind kind, bool on_plane) {
    td_options o = options_of(model);
    o.lumped.segments = 2, o.tolerance = 1e-10;
    td_robot *robot = robot_of(kind);
    if (on_plane) add_plane(robot, 2e4);
    td_system *system = system_of(robot, &o);
    td_robot_destroy(robot);
    return system;
}

// Its equilibrium, which touches what there is to touch.
static td_state *resting(const td_system *system) {
    td_state *state = td_state_create(system);
    assert_true(td_solve_statics(system, state) >= 0);
    assert_int_equal(td_get_contacts(system, state, NULL, 0) > 0,
                     td_n_obstacles(system) > 0 || td_n_contacts(system) > 0);
    return state;
}

static bool has_modes(td_system *system) {
    td_error err = {0};
    if (!system) return false;
    td_state *state = resting(system);
    td_linearisation *l = td_linearisation_create(system, NULL, 0, &err);
    const td_status status = td_linearise(system, state, l);
    const bool found = status >= 0 && td_solve_modes(l, 1) >= 0 && td_n_modes(l) > 0;
    assert_true(found || status == TD_ERR_UNSUPPORTED);
    td_linearisation_destroy(l);
    td_state_destroy(state);
    td_system_destroy(system);
    return found;
}

// A run of three steps from rest, whose end answers to its inputs.
static bool has_gradient(td_system *system) {
    enum { STEPS = 3, MOST = 8 };
    td_error err = {0};
    if (!system) return false;
    const td_output tip = {.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.2};
    td_gradient_options o = td_default_gradient_options();
    o.outputs = &tip, o.n_outputs = 1, o.n_steps = STEPS;
    td_state *state = resting(system);
    td_gradient *g = td_gradient_create(system, &o, &err);
    double u[STEPS * MOST] = {0.0}, by[STEPS * MOST] = {0.0}, w[STEPS * 6], sum = 0.0;
    assert_true(td_n_inputs(system) <= MOST);
    for (int i = 0; i < STEPS * 6; i++) w[i] = i >= (STEPS - 1) * 6;
    td_status status = g ? TD_OK : err.status;
    if (g) status = td_gradient_run(g, state, 2e-3, u, NULL, NULL);
    assert_true(!g || status >= 0);
    if (g) status = td_gradient_adjoint(g, w, &(td_gradient_result){.by_inputs = by});
    assert_true(status >= 0 || status == TD_ERR_UNSUPPORTED);
    for (int i = 0; i < STEPS * MOST; i++) sum += fabs(by[i]);
    assert_true(status < 0 || sum > 0.0);
    td_gradient_destroy(g);
    td_state_destroy(state);
    td_system_destroy(system);
    return status >= 0;
}

static void what_models_say_of_derivatives_is_true(void **unused) {
    (void)unused;
    for (int i = 0; i < td_n_models(); i++) {
        const struct {
            td_feature claim;
            bool seen;
        } tried[] = {
            {TD_FEATURE_SMALL_MOTIONS, has_modes(moving_system(i, TENDON, false))},
            {TD_FEATURE_SMALL_MOTIONS_IN_CONTACT, has_modes(moving_system(i, TENDON, true))},
            {TD_FEATURE_GRADIENTS, has_gradient(moving_system(i, TENDON, false))},
            {TD_FEATURE_GRADIENTS_IN_CONTACT, has_gradient(moving_system(i, TENDON, true))},
            {TD_FEATURE_GRADIENTS_ON_BASES, has_gradient(moving_system(i, MOVED, false))},
        };
        for (int k = 0; k < (int)(sizeof tried / sizeof *tried); k++) {
            if (td_model_supports(i, tried[k].claim) == tried[k].seen) continue;
            fprintf(stderr, "%s: '%s' is %s\n", td_model_name(i), td_feature_name(tried[k].claim),
                    tried[k].seen ? "there, and not told" : "told, and not there");
            fail();
        }
    }
}

#define MOTOR                                                                                      \
    "tendons: [{name: pull, offset: [5 mm, 0], input: torque, value: 0.01, stiffness: 10 kN, "     \
    "motor: {inertia: 1e-6, spool: 5 mm}}]\n"
#define VALVE                                                                                      \
    "chambers: [{name: room, offset: [3 mm, 0], radius: 1 mm, input: opening, value: 0.5, "        \
    "valve: {conductance: 1e-10, supply: 200 kPa}}]\n"

// How far it has bent aside after some steps from where it stands straight; 0 where the model refuses it.
static double driven_aside(int model, const char *drive) {
    char text[1024];
    td_error err = {0};
    snprintf(text, sizeof text,
             "tendril: 1\ngravity: [0, 0, 0]\n"
             "rods: [{name: arm, length: 0.2, section: {radius: 8 mm}, material: {youngs_modulus: "
             "1 MPa, poisson_ratio: 0.3, density: 1000}}]\n%s"
             "simulation: {model: %s, start: straight}\n",
             drive, td_model_name(model));
    td_robot *robot = td_robot_parse(text, strlen(text), "driven.yaml", NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    const td_options o = td_robot_options(robot);
    td_system *system = td_system_create(robot, &o, &err);
    td_robot_destroy(robot);
    if (!system) {
        assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
        return 0.0;
    }
    td_state *state = td_state_create(system);
    if (td_begin(system, state) < 0) fail_msg("%s", td_message(state));
    for (int i = 0; i < 40; i++)
        if (td_advance(system, state, 1e-3) < 0) fail_msg("%s", td_message(state));
    const double aside = td_get_pose(system, state, 0, 0.2).p[0];
    td_state_destroy(state);
    td_system_destroy(system);
    return aside;
}

static void what_models_say_of_drives_is_true(void **unused) {
    (void)unused;
    int n = 0;
    for (int i = 0; i < td_n_models(); i++)
        for (int k = 0; k < 2; k++) {
            const td_feature claim = k ? TD_FEATURE_VALVES : TD_FEATURE_MOTORS;
            const double aside = driven_aside(i, k ? VALVE : MOTOR);
            if (td_model_supports(i, claim) != (fabs(aside) > 1e-5))
                fail_msg("%s: '%s', and %g m aside", td_model_name(i), td_feature_name(claim),
                         aside);
            n += td_model_supports(i, claim);
        }
    assert_true(n > td_n_models());
}

// What nothing holds falls, or the model refuses it and says that by its name.
static void what_models_say_of_free_bases_is_true(void **unused) {
    static const char text[] =
        "tendril: 1\n"
        "rods: [{name: baton, length: 0.2, section: {radius: 8 mm}, material: {youngs_modulus: "
        "1 MPa, poisson_ratio: 0.3, density: 1000}, base: free}]\n"
        "initial: {motion: {linear: [1, 0, 2]}}\n"
        "simulation: {start: straight}\n";
    (void)unused;
    for (int i = 0; i < td_n_models(); i++) {
        td_error err = {0};
        td_robot *robot = td_robot_parse(text, strlen(text), "baton.yaml", NULL, 0, &err);
        if (!robot) fail_msg("%s: %s", err.where, err.message);
        td_options o = td_robot_options(robot);
        snprintf(o.model, sizeof o.model, "%s", td_model_name(i));
        td_system *system = td_system_create(robot, &o, &err);
        td_robot_destroy(robot);
        assert_int_equal(system != NULL, td_model_supports(i, TD_FEATURE_FREE_BASES));
        if (!system) assert_non_null(strstr(err.message, "free bases"));
        if (!system) continue;
        td_state *state = td_state_create(system);
        if (td_begin(system, state) < 0) fail_msg("%s", td_message(state));
        for (int k = 0; k < 100; k++)
            if (td_advance(system, state, 1e-3) < 0) fail_msg("%s", td_message(state));
        const td_pose middle = td_get_pose(system, state, 0, 0.1);
        CHECK_NEAR(middle.p[0], 0.1, 1e-3);
        CHECK_NEAR(middle.p[2], 0.1 + 0.2 - 0.5 * 9.81 * 0.01, 1e-3);
        td_state_destroy(state);
        td_system_destroy(system);
    }
}

// What has small motions and gradients on obstacles has them where parts touch one another, too, but cosserat, which says so.
static void so_it_is_where_parts_touch(void **unused) {
    (void)unused;
    for (int i = 0; i < td_n_models(); i++) {
        const bool parts = strcmp(td_model_name(i), "cosserat") != 0;
        if (!td_model_supports(i, TD_FEATURE_PART_CONTACT)) continue;
        assert_int_equal(has_modes(moving_system(i, CROSSED, false)), parts);
        assert_int_equal(has_gradient(moving_system(i, CROSSED, false)), parts);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_models_say_of_derivatives_is_true),
        cmocka_unit_test(what_models_say_of_drives_is_true),
        cmocka_unit_test(what_models_say_of_free_bases_is_true),
        cmocka_unit_test(so_it_is_where_parts_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
