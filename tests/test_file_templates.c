// Files that say things once: merge keys, templates.
#include <stdlib.h>
#include <string.h>

#include "robot/robot.h"

#include "refusals.h"

static td_robot *parse_set(const char *text, const char *set) {
    td_error err;
    td_robot *robot = td_robot_parse(text, strlen(text), "good.yaml", &set, set ? 1 : 0, &err);
    if (!robot) fail_msg("%s: %s\n%s", err.where, err.message, text);
    return robot;
}

static td_robot *parse(const char *text) {
    return parse_set(text, NULL);
}

static double number(const td_robot *robot, const char *path) {
    td_error err;
    double value = NAN;
    if (td_robot_get_number(robot, path, &value, &err))
        fail_msg("%s: %s: %s", path, err.where, err.message);
    return value;
}

// ---------------------------------------------------------------- merge keys
// clang-format off
#define TEMPLATES                                                                                  \
    "tendril: 1\n"                                                                                 \
    "templates:\n"                                                                                 \
    "  wire: &wire {length: 2 m, " M ",\n"                                                         \
    "    " S "}\n"                                                                                 \
    "  thick: &thick {length: 3 m, section: {radius: 2 cm}}\n"                                     \
    "  notes: [anything, 7 parsecs]\n"                                                             \
    "rods:\n"
// clang-format on

static void merged_keys_give_way_to_those_of_the_mapping(void **state) {
    (void)state;
    td_robot *robot = parse(TEMPLATES "- {name: a, <<: *wire}\n"
                                      "- {<<: *wire, name: b, length: 1 m}\n"
                                      "- {name: c, length: 1 m, <<: *wire}\n"
                                      "- {name: d, <<: [*thick, *wire]}\n"
                                      "- &e {name: e, <<: [*wire, *thick]}\n"
                                      "- {name: f, <<: *e}\n");
    static const double lengths[] = {2, 1, 1, 3, 2, 2}, radii[] = {1, 1, 1, 2, 1, 1};
    assert_int_equal(td_robot_n_rods(robot), 6);
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(robot->rods[i].length, lengths[i], 0.0);
        CHECK_NEAR(robot->rods[i].pieces[0].section.radius, 0.01 * radii[i], 1e-17);
        CHECK_NEAR(robot->rods[i].pieces[0].youngs_modulus, 1e9, 0.0);
    }
    assert_string_equal(robot->rods[5].name, "f");
    CHECK_NEAR(number(robot, "rods.d.length"), 3.0, 0.0);
    CHECK_NEAR(number(robot, "rods.f.section.radius"), 0.01, 0.0);
    td_robot_destroy(robot);
    robot = parse_set(TEMPLATES "- {name: a, <<: *wire}\n- {name: b, <<: *wire}\n",
                      "rods.b.length=5 m");
    CHECK_NEAR(robot->rods[0].length, 2.0, 0.0);  // what came from one template is not shared
    CHECK_NEAR(robot->rods[1].length, 5.0, 0.0);
    td_robot_destroy(robot);
}

// clang-format off
static void bad_merges_show_the_place_in_the_template(void **state) {
    (void)state;
    static const bad cases[] = {
        {TEMPLATES "- {name: a, <<: 3}\n", 8, 17, "rods.a.<<",
         {"a mapping, or a list of mappings, is merged", "'<<: *name'"}},
        {TEMPLATES "- {name: a, <<: [*wire, 3]}\n", 8, 25, "rods.a.<<.1", {"is merged"}},
        {TEMPLATES "- {name: a, <<: *wine}\n", 8, 17, "", {"no anchor"}},
        {TEMPLATES "- {name: a, <<: *wire, <<: *thick}\n", 8, 24, "rods.a.<<", {"twice", "line 8"}},
        // what is wrong in a template is shown there, under the path of the part that uses it
        {"tendril: 1\ntemplates:\n  w: &w {length: 5 kg, " M ", " S "}\nrods:\n- {name: a, <<: *w}\n",
         3, 18, "rods.a.length", {"'5 kg' is a mass (kg)", "a length (m) is expected"}},
        {"tendril: 1\ntemplates:\n  w: &w {lenght: 5, " M ", " S "}\nrods:\n- {name: a, <<: *w}\n",
         3, 10, "rods.a.lenght", {"did you mean 'length'?"}},
        {"tendril: 1\ntemplates:\n  w: &w {length: -5, " M ", " S "}\nrods:\n- {name: a, <<: *w}\n",
         3, 18, "rods.a.length", {"-5 m must be positive"}},
        {"tendril: 1\ntemplates: [1]\nrods:\n" ROD, 2, 12, "templates", {"a mapping", "not a list"}},
    };
    CHECK_ALL(cases);
}
// clang-format on

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_keys_give_way_to_those_of_the_mapping),
        cmocka_unit_test(bad_merges_show_the_place_in_the_template),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
