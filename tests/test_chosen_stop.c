// Steps chosen by SUNDIALS come back: they are cut by their work, and end when they are asked to.
#include <stdlib.h>
#include <string.h>

#include "integrate/sundials.h"
#include "model/rom/rom.h"
#include "rods.h"
#include "sim/system.h"

// ---------------------------------------------------------------- the sun_integrator alone
typedef struct swing {  // y'' = -y, whatever an evaluation is said to cost
    sun_integrator i;
    double price;
    int evaluations, interrupt_after;
} swing;

static bool swing_rates(void *context, double t, const double *y, double *y_t) {
    swing *s = context;
    (void)t;
    s->evaluations++;
    integrator_spend(&s->i, s->price);
    y_t[0] = y[1], y_t[1] = -y[0];
    return true;
}

static bool swing_asked(void *context) {
    const swing *s = context;
    return s->interrupt_after > 0 && s->evaluations >= s->interrupt_after;
}

static integrator_report swing_over(swing *s, bool is_explicit, double dt) {
    assert_true(integrator_make(&s->i, 2, 0, 0, is_explicit, 1e-6, 1e-8, swing_rates, s));
    integrator_vector(&s->i)[0] = 1.0;
    integrator_report out = integrator_advance(&s->i, dt, 0.0, (interrupt){swing_asked, s});
    if (out.end == INTEGRATOR_ARRIVED) CHECK_NEAR(integrator_vector(&s->i)[0], cos(dt), 1e-4);
    integrator_free(&s->i);
    return out;
}

static void a_call_is_cut_by_its_work(void **unused) {
    (void)unused;
    if (!integrator_exists()) skip();
    for (int k = 0; k < 2; k++) {
        swing cheap = {.price = 1.0}, dear = {.price = 1e7}, dearer = {.price = 1e8};
        assert_int_equal(swing_over(&cheap, k == 0, 100.0).end, INTEGRATOR_ARRIVED);
        integrator_report cut = swing_over(&dear, k == 0, 100.0);
        assert_int_equal(cut.end, INTEGRATOR_TOO_LONG);
        assert_true(cut.reached > 0.0 && cut.reached < 100.0 && cut.steps > 0);
        swing_over(&dearer, k == 0, 100.0);
        CHECK_BETWEEN(dear.evaluations / (double)dearer.evaluations, 8.0, 12.0);
    }
}

static void a_call_ends_when_it_is_asked_to(void **unused) {
    (void)unused;
    if (!integrator_exists()) skip();
    for (int k = 0; k < 2; k++) {
        swing s = {.price = 1.0, .interrupt_after = 30};
        assert_int_equal(swing_over(&s, k == 0, 100.0).end, INTEGRATOR_INTERRUPTED);
        assert_int_equal(s.evaluations, 30);
    }
}

// ---------------------------------------------------------------- every model that has them
static const struct {
    const char *model;
    td_steps method;
} ways[] = {
    {"rom", TD_STEPS_EXPLICIT},           {"rom", TD_STEPS_IMPLICIT},
    {"eba", TD_STEPS_EXPLICIT},           {"eba", TD_STEPS_IMPLICIT},
    {"ebr", TD_STEPS_EXPLICIT},           {"srl", TD_STEPS_IMPLICIT},
    {"virtual_power", TD_STEPS_EXPLICIT}, {"constant_curvature", TD_STEPS_IMPLICIT},
    {"tubes", TD_STEPS_IMPLICIT},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

// A soft arm with a tendon that jerks.
static world soft_arm(int way) {
    td_piece_def piece = steel_piece();
    piece.youngs_modulus = 1e6, piece.shear_modulus = 4e5, piece.density = 1000.0;
    piece.section.radius = piece.section_end.radius = 0.01;
    piece.damping_time = 1e-3;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 0.0, 0.0, -9.81);
    td_tendon_def cable = td_default_tendon_def();
    td_error err = {0};
    cable.name = "pull", cable.rod = 0, cable.to = piece.length;
    cable.offset[0] = cable.offset_end[0] = 8e-3;
    cable.value = (td_number){0.0, 1.0, add_input(robot, "pull")};
    CHECK_OK(td_robot_add_tendon(robot, &cable, &err), err);
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "%s", ways[way].model);
    o.integration.method = ways[way].method;
    o.lumped.segments = 4;
    return world_make(robot, &o);
}

static bool counted(void *context) {
    int *left = context;
    return (*left)-- <= 0;
}

static void check_way(int way, int patience) {
    world w = soft_arm(way), twin = soft_arm(way);
    const size_t bytes = td_snapshot_bytes(w.system);
    void *before = malloc(bytes), *after = malloc(bytes);
    for (int i = 0; i < 2; i++) CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
    for (int i = 0; i < 2; i++) CHECK_CALL(&twin, td_step(twin.system, twin.state, 1e-3));
    td_set_input(w.system, w.state, 0, 0.5);
    td_set_input(twin.system, twin.state, 0, 0.5);
    td_state_save(w.system, w.state, before, bytes);
    int left = patience;
    td_set_stop(w.state, counted, &left);
    assert_int_equal(td_step(w.system, w.state, 5e-3), TD_ERR_STOPPED);
    assert_non_null(strstr(td_message(w.state), "asked to stop"));
    assert_int_equal(left, -1);  // it asked once more, and ended
    td_state_save(w.system, w.state, after, bytes);
    assert_memory_equal(before, after, bytes);
    // and goes on as if nothing had been
    td_set_stop(w.state, NULL, NULL);
    CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
    CHECK_CALL(&twin, td_step(twin.system, twin.state, 5e-3));
    td_sample a = td_get_sample(w.system, w.state, 0, 0.4);
    td_sample b = td_get_sample(twin.system, twin.state, 0, 0.4);
    assert_memory_equal(&a, &b, sizeof a);
    free(before), free(after);
    world_free(&w), world_free(&twin);
}

static void a_model_that_chooses_its_steps_says_so(void **unused) {
    (void)unused;
    for (int i = 0; i < td_n_models(); i++) {
        bool has = false;
        for (int k = 0; k < N_WAYS; k++) has |= !strcmp(ways[k].model, td_model_name(i));
        assert_int_equal(td_model_supports(i, TD_FEATURE_CHOSEN_STEPS), has);
    }
}

static void a_step_ends_when_it_is_asked_to_and_never_happened(void **unused) {
    (void)unused;
    if (!integrator_exists()) skip();
    for (int i = 0; i < N_WAYS; i++)
        for (int patience = 0; patience <= 20; patience += 10) check_way(i, patience);
}

// Twice the coordinates are four times the work: what makes steps of rom long is counted.
static void an_evaluation_is_weighed_by_its_cost(void **unused) {
    (void)unused;
    if (!integrator_exists()) skip();
    double weight[2];
    for (int k = 0; k < 2; k++) {
        td_piece_def piece = steel_piece();
        td_options o = td_default_options();
        snprintf(o.model, sizeof o.model, "rom");
        o.integration.method = TD_STEPS_EXPLICIT;
        o.rom.order = k ? 19 : 9;
        world w = world_make(rod_robot(&piece, 1), &o);
        CHECK_CALL(&w, td_step(w.system, w.state, 1e-7));
        const sun_integrator *i = &w.state->solver.time.outside;
        weight[k] = i->work / td_get_stats(w.state)->evaluations;
        world_free(&w);
    }
    CHECK_BETWEEN(weight[1] / weight[0], 3.5, 4.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_cut_by_its_work),
        cmocka_unit_test(a_call_ends_when_it_is_asked_to),
        cmocka_unit_test(a_model_that_chooses_its_steps_says_so),
        cmocka_unit_test(a_step_ends_when_it_is_asked_to_and_never_happened),
        cmocka_unit_test(an_evaluation_is_weighed_by_its_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
