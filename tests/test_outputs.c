// Outputs by name: which rows of which quantity a name means, and what is said of names that mean none.
#include <string.h>

#include "modes.h"

#include "chains.h"

static world arm(void) {
    td_error err = {0};
    td_piece_def piece = steel_piece();
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def rod = chain_rod("arm", &piece, 0.0, 0.0, 0.0);
    add_chain_rod(robot, &rod);
    rod = chain_rod("arm-b", &piece, 0.1, 0.0, 0.0);
    add_chain_rod(robot, &rod);
    td_tendon_def tendon = td_default_tendon_def();
    tendon.name = "pull", tendon.rod = 1, tendon.to = 0.4;
    tendon.offset[0] = tendon.offset_end[0] = 0.01;
    CHECK_OK(td_robot_add_tendon(robot, &tendon, &err), err);
    td_options o = td_default_options();
    return world_make(robot, &o);
}

static td_named_output found(const world *w, const char *name) {
    td_error err = {0};
    td_named_output out;
    if (td_find_output(w->system, name, &out, &err) < 0) fprintf(stderr, "%s\n", err.message);
    assert_string_equal(err.message, "");
    return out;
}

static void a_name_means_rows_of_a_quantity(void **unused) {
    (void)unused;
    world w = arm();
    td_named_output o = found(&w, "rod.arm.50 %.velocity");
    assert_int_equal(o.output.quantity, TD_OUTPUT_VELOCITY);
    assert_int_equal(o.output.rod, 0);
    assert_int_equal(o.output.body, -1);
    CHECK_NEAR(o.output.s, 0.2, 1e-15);
    assert_int_equal(o.n, 6);
    assert_string_equal(o.names[0], "rod.arm.50 %.omega_x");
    assert_string_equal(o.units[0], "rad/s");
    assert_string_equal(o.names[5], "rod.arm.50 %.velocity_z");
    assert_string_equal(o.units[5], "m/s");
    o = found(&w, "rod.arm-b.0.1.y");  // a length with a point
    assert_int_equal(o.output.rod, 1);
    CHECK_NEAR(o.output.s, 0.1, 0.0);
    assert_int_equal(o.first, 4);
    assert_int_equal(o.n, 1);
    o = found(&w, "rod.arm.tip_reaction.force");
    assert_int_equal(o.output.quantity, TD_OUTPUT_REACTION);
    assert_int_equal(o.output.end, TD_TIP);
    assert_int_equal(o.first, 3);
    assert_int_equal(o.n, 3);
    assert_string_equal(o.names[2], "rod.arm.tip_reaction.force_z");
    o = found(&w, "rod.arm.base_reaction");
    assert_int_equal(o.output.end, TD_BASE);
    assert_string_equal(o.names[0], "rod.arm.base_reaction.moment_x");
    o = found(&w, "tendon.pull.length");
    assert_int_equal(o.output.quantity, TD_OUTPUT_MEASURE);
    assert_int_equal(o.output.actuator, 0);
    assert_string_equal(o.units[0], "m");
    world_free(&w);
}

static void a_name_that_means_nothing_is_met_with_what_there_is(void **unused) {
    (void)unused;
    static const char *const wrong[][2] = {
        {"tip.x", "there are outputs like rod.NAME.tip.pose"},  // of which of two rods?
        {"", "there are outputs like"},
        {"rod", "there is no rod"},
        {"rod.", "there is no rod"},
        {"rod.arm", "what of rod 'arm'"},
        {"rod.arm.", "a point has pose"},
        {"rod.arm.x", "'' must be base, tip"},
        {"rod.arm.2 N.x", "'2 N' must be base, tip"},
        {"rod.arm.-1 %.x", "must be base, tip"},
        {"rod.arm.tip_reaction.x", "a reaction has moment"},
        {"body.plate.x", "there is no body 'plate'"},
        {"tendon.pul.tension", "did you mean 'pull'?"},
        {"tendon.pull.volume", "of a tendon there are tension, length"},
        {"chamber.pull.volume", "pull is a tendon"},
    };
    world w = arm();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        td_error err = {0};
        td_named_output out;
        assert_int_equal(td_find_output(w.system, wrong[i][0], &out, &err), TD_ERR_ARGUMENT);
        if (!strstr(err.message, wrong[i][1]))
            fprintf(stderr, "%s: %s\n", wrong[i][0], err.message);
        assert_non_null(strstr(err.message, wrong[i][1]));
        assert_int_equal(td_find_output(w.system, wrong[i][0], &out, NULL), TD_ERR_ARGUMENT);
    }
    char longest[400];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    td_named_output out;
    assert_int_equal(td_find_output(w.system, longest, &out, NULL), TD_ERR_ARGUMENT);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_means_rows_of_a_quantity),
        cmocka_unit_test(a_name_that_means_nothing_is_met_with_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
