// Documents of several files: what is included stands first, and what includes goes over it.
#include <string.h>

#include "robot/robot.h"

#include "refusals.h"

#define FILES TEST_DATA "/files/"

static td_robot *parse(const char *text) {
    td_error err;
    td_robot *robot = td_robot_parse(text, strlen(text), FILES "whole.yaml", NULL, 0, &err);
    if (!robot) fail_msg("%s: %s\n%s", err.where, err.message, text);
    return robot;
}

static void files_stand_before_what_includes_them(void **state) {
    (void)state;
    td_robot *robot =
        parse("tendril: 1\n"
              "include: library/wires.yaml\n"
              "let: {wire: 4 mm}\n"
              "materials: {brass: {youngs_modulus: 90 GPa, poisson_ratio: 0.2, density: 1}}\n"
              "rods:\n"
              "  - {name: second, <<: *wire, material: brass, length: reach}\n"
              "  - {name: third, <<: *wire, length: 0.3}\n"
              "gravity: [0, 0, -2]\n"
              "simulation: {time: {end: 7}}\n");
    assert_int_equal(td_robot_n_rods(robot), 3);
    assert_string_equal(robot->rods[0].name, "first");
    assert_string_equal(robot->rods[1].name, "second");  // in its place, with all of it replaced
    CHECK_NEAR(robot->rods[1].length, 8e-3, 1e-18);
    CHECK_NEAR(robot->rods[1].base.position[0].value, 0.0, 0.0);
    CHECK_NEAR(robot->rods[1].pieces[0].youngs_modulus, 90e9, 0.0);
    CHECK_NEAR(robot->rods[2].pieces[0].youngs_modulus, 200e9, 0.0);
    for (int i = 0; i < 3; i++)  // constants that are changed count in templates too
        CHECK_NEAR(robot->rods[i].pieces[0].section.radius, 2e-3, 1e-18);
    CHECK_NEAR(robot->gravity[2].value, -2.0, 0.0);
    CHECK_NEAR(robot->scenario.step, 3e-3, 1e-18);
    CHECK_NEAR(robot->scenario.end, 7.0, 0.0);
    assert_string_equal(td_robot_name(robot), "metals");

    // What is kept needs no other file.
    td_robot *again = NULL;
    td_error err;
    const char *text = td_robot_source(robot);
    again = td_robot_parse(text, strlen(text), NULL, NULL, 0, &err);
    if (!again) fail_msg("%s: %s\n%s", err.where, err.message, text);
    CHECK_NEAR(again->rods[1].length, 8e-3, 1e-18);
    td_robot_destroy(again);
    td_robot_destroy(robot);
}

static void the_later_file_of_a_list_goes_over_the_earlier(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
        double gravity;
    } cases[] = {
        {"tendril: 1\ninclude: [library/wires.yaml, library/moon.yaml]\n", "moon", -1.62},
        {"tendril: 1\ninclude: [library/moon.yaml, library/wires.yaml]\n", "metals", -1.0}};
    for (int i = 0; i < 2; i++) {
        td_robot *robot = parse(cases[i].text);
        assert_string_equal(td_robot_name(robot), cases[i].name);
        CHECK_NEAR(robot->gravity[2].value, cases[i].gravity, 0.0);
        assert_int_equal(td_robot_n_rods(robot), 2);
        td_robot_destroy(robot);
    }
}

static void scenarios_and_robots_include(void **state) {
    (void)state;
    td_robot *robot = parse("tendril: 1\nrobot: library/wires.yaml\n"
                            "loads: [{name: pull, rod: first, at: tip, force: [1, 0, 0]}]\n");
    assert_int_equal(td_robot_n_rods(robot), 2);
    assert_int_equal(td_robot_n_loads(robot), 1);
    td_robot_destroy(robot);
}

static void mistakes_are_told_where_they_stand(void **state) {
    (void)state;
    static const struct {
        const char *text, *where, *says;
    } cases[] = {
        {"tendril: 1\ninclude: none.yaml\n", "whole.yaml:2:10: include", "cannot be opened"},
        {"tendril: 1\ninclude: {a: b}\n", "whole.yaml:2:10: include",
         "takes the path of a file, or a list"},
        {"tendril: 1\ninclude: [[library/metals.yaml]]\n", "whole.yaml:2:11: include.0",
         "takes the path of a file"},
        {"tendril: 1\ninclude: tables/push.csv\n", "tables/push.csv:6:1", "not well-formed"},
        {"tendril: 1\ninclude: scenario.yaml\n", "scenario.yaml:4:1", "cannot be included"},
        {"tendril: 1\ninclude: library/loop.yaml\n", "library/loop.yaml:2:24", "includes itself"},
        {"tendril: 1\ninclude: [library/metals.yaml, library/mistake.yaml]\n",
         "library/mistake.yaml:3:27: rods.third.length", "is a mass"},
        {"tendril: 1\ntemplates: {a: *wire}\ninclude: library/wires.yaml\n", "whole.yaml:2:16",
         "no anchor"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_error err;
        td_robot *robot =
            td_robot_parse(cases[i].text, strlen(cases[i].text), FILES "whole.yaml", NULL, 0, &err);
        assert_null(robot);
        if (!strstr(err.where, cases[i].where) || !strstr(err.message, cases[i].says))
            fail_msg("for:\n%s\n%s: %s", cases[i].text, err.where, err.message);
    }
    td_error err;
    const char *text = cases[6].text, *set = "include=library/metals.yaml";
    assert_null(td_robot_parse(text, strlen(text), NULL, NULL, 0, &err));
    assert_non_null(strstr(err.message, "does not come from a file"));
    text = "tendril: 1\n";
    assert_null(td_robot_parse(text, strlen(text), FILES "whole.yaml", &set, 1, &err));
    assert_non_null(strstr(err.message, "cannot be set here"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_stand_before_what_includes_them),
        cmocka_unit_test(the_later_file_of_a_list_goes_over_the_earlier),
        cmocka_unit_test(scenarios_and_robots_include),
        cmocka_unit_test(mistakes_are_told_where_they_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
