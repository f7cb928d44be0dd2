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
        cmocka_unit_test(so_it_is_where_parts_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
