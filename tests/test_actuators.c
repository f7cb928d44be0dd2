// Actuators of every kind in one list: in the order of their kinds, in the words of each, and the same
// under all models.
#include <string.h>

#include "rods.h"

#define PULLED 2e-3  // m
#define EA 2e4       // N
#define PRETENSION 3.0

// Added in an order that is not that of their kinds.
static td_robot *robot_with_both(bool chamber) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_error err = {0};
    td_chamber_def air = td_default_chamber_def();
    air.name = "air", air.to = 0.4, air.radius = 2e-4, air.offset[1] = 3e-4;
    air.value = td_constant(2e4);
    if (chamber) CHECK_OK(td_robot_add_chamber(robot, &air, &err), err);
    td_tendon_def wire = td_default_tendon_def();
    wire.name = "wire", wire.to = 0.4, wire.offset[0] = wire.offset_end[0] = 0.01;
    wire.stiffness = EA, wire.input = TD_DISPLACEMENT, wire.pretension = PRETENSION;
    wire.value = td_constant(PULLED);
    CHECK_OK(td_robot_add_tendon(robot, &wire, &err), err);
    return robot;
}

static world solved(const char *model, bool chamber) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "%s", model);
    td_robot *robot = robot_with_both(chamber);
    td_error err = {0};
    td_number none[3] = {{0}};
    CHECK_OK(td_robot_set_gravity(robot, none, &err), err);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

static void the_list_is_sorted_by_kind(void **unused) {
    (void)unused;
    world w = solved("cosserat", true);
    assert_int_equal(td_n_actuators(w.system), 2);
    assert_string_equal(td_actuator_name(w.system, 0), "wire");
    assert_string_equal(td_actuator_name(w.system, 1), "air");
    assert_string_equal(td_actuator_kind_of(w.system, 0)->word, "tendon");
    assert_string_equal(td_actuator_kind_of(w.system, 1)->plural, "chambers");
    assert_ptr_equal(td_actuator_kind_of(w.system, 1), td_actuator_kind_at(1));
    assert_null(td_actuator_name(w.system, 2));
    assert_null(td_actuator_kind_of(w.system, -1));
    assert_null(td_actuator_kind_at(td_n_actuator_kinds()));
    const td_actuator_state none = td_get_actuator(w.system, w.state, 2);
    assert_true(none.effort == 0.0 && none.measure == 0.0);
    world_free(&w);
}

static double named(const td_actuator_kind *kind, const td_actuator_state *a, const char *name) {
    for (int k = 0; k < kind->n_recorded; k++)
        if (strcmp(kind->recorded[k].name, name) == 0)
            return td_actuator_value(a, &kind->recorded[k]);
    fail_msg("%s has no %s", kind->word, name);
    return 0.0;
}

static void each_kind_has_its_words(void **unused) {
    (void)unused;
    world w = solved("cosserat", true);
    const td_actuator_state a = td_get_actuator(w.system, w.state, 0);
    const td_tendon_state t = td_get_tendon(w.system, w.state, 0);
    const td_actuator_kind *kind = td_actuator_kind_of(w.system, 0);
    assert_true(named(kind, &a, "tension") == t.tension && t.tension > PRETENSION);
    assert_true(named(kind, &a, "length") == t.length && t.length > 0.39);
    assert_true(named(kind, &a, "displacement") == t.displacement);
    assert_true(named(kind, &a, "slack") == 0.0 && !t.slack);
    assert_true(td_get_effort(w.system, w.state, 0, 0.2) ==
                td_get_tension(w.system, w.state, 0, 0.2));
    assert_string_equal(kind->inputs[1].unit, "m");
    const td_actuator_state b = td_get_actuator(w.system, w.state, 1);
    const td_chamber_state c = td_get_chamber(w.system, w.state, 0);
    kind = td_actuator_kind_of(w.system, 1);
    assert_true(named(kind, &b, "pressure") == c.pressure);
    CHECK_NEAR(c.pressure, 2e4, 0.0);
    assert_true(named(kind, &b, "volume") == c.volume);
    // a path within the rod: half of it bends to one side by less than its offset
    double p[3];
    td_get_actuator_point(w.system, w.state, 1, 0.0, p);
    CHECK_NEAR(p[1], 3e-4, 1e-15);
    world_free(&w);
}

// What comes out at the start of a tendon is what its drive pulls, whatever it was stretched by before.
static void pretension_is_no_displacement(void **unused) {
    (void)unused;
    static const char *const models[] = {
        "cosserat", "constant_curvature", "virtual_power", "eba", "ebr", "srl", "rom"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        world w = solved(models[i], false);
        const td_actuator_state a = td_get_actuator(w.system, w.state, 0);
        CHECK_NEAR(a.supplied, PULLED, 1e-9);
        // T L/EA - T0 L/EA + r^2 L T/EI = d on a straight rod that bends into an arc, which some
        // models also compress
        const double area = 3.14159265358979323846e-6, E = 207e9, EI = E * area * 1e-6 / 4.0;
        const double soft = 1e-4 * 0.4 / EI, stretch = 0.4 / EA, axial = 0.4 / (E * area);
        const double pulled = PULLED + PRETENSION * stretch;
        CHECK_BETWEEN(a.effort, pulled / (soft + stretch + axial) - 1e-3,
                      pulled / (soft + stretch) + 1e-3);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_sorted_by_kind),
        cmocka_unit_test(each_kind_has_its_words),
        cmocka_unit_test(pretension_is_no_displacement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
