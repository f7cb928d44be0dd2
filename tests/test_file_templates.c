// Files that say things once: merge keys and templates, constants and formulas, repeated entries, polar offsets.
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

// ---------------------------------------------------------------- constants and formulas
// clang-format off
#define LENGTH(let, value) "tendril: 1\nlet: " let "\nrods:\n- name: a\n  length: " value "\n  " M "\n  " S "\n"
// clang-format on

static void formulas_give_quantities(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double length;
    } cases[] = {
        {LENGTH("{}", "2 * 0.15 m"), 0.3},
        {LENGTH("{}", "\"pi/4 * 8 mm\""), 0.0062831853071795865},
        {LENGTH("{}", "0.3 m - 20 mm"), 0.28},
        {LENGTH("{}", "0.3 m-20 mm"), 0.28},
        {LENGTH("{}", "1/4"), 0.25},
        {LENGTH("{}", "(1 + 3)*5 cm"), 0.2},
        {LENGTH("{}", "1e-1 + 2e-1"), 0.3},
        {LENGTH("{}", "sqrt(4 m^2)"), 2.0},
        {LENGTH("{}", "3 m^2 / 1.5 m"), 2.0},
        {LENGTH("{}", "2 1/m^-1"), 2.0},  // a quantity, as before
        {LENGTH("{reach: 0.3 m}", "reach"), 0.3},
        {LENGTH("{reach: 0.3 m}", "reach/3 + 5 mm"), 0.105},
        {LENGTH("{reach: 0.3 m}", "2*reach"), 0.6},
        {LENGTH("{a: 2, b: a^2 * 1 cm, c: b + a*b}", "c"), 0.12},
        {LENGTH("{reach: 0.3}", "reach"), 0.3},  // a plain number is in SI
        {LENGTH("{angle: 30 deg}", "sin(angle) * 1 m"), 0.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_robot *robot = parse(cases[i].text);
        if (fabs(robot->rods[0].length - cases[i].length) > 1e-15)
            fail_msg("%.17g: %s", robot->rods[0].length, cases[i].text);
        CHECK_NEAR(number(robot, "rods.a.length"), robot->rods[0].length, 0.0);
        td_robot_destroy(robot);
    }
}

// In loads, bases and inputs, where names may be those of inputs too.
static void constants_are_no_inputs(void **state) {
    (void)state;
    const char *text = "tendril: 1\nlet: {weight: 2 N, n: 3, gap: 1 cm}\nrods:\n" ROD
                       "bodies: [{name: d, on: a, count: n + 1, mass: 1 g, inertia: [1, 1, 1]}]\n"
                       "loads: [{at: tip, name: l, force: [-weight, push, 2*weight + 1 N]}]\n"
                       "inputs: {push: 2*weight}\n";
    td_robot *robot = parse(text);
    assert_int_equal(td_robot_n_inputs(robot), 1);
    assert_int_equal(td_robot_n_bodies(robot), 4);
    const td_number *force = robot->loads[0].def.force;
    CHECK_NEAR(force[0].value, -2.0, 0.0);
    CHECK_NEAR(force[1].gain, 1.0, 0.0);
    CHECK_NEAR(force[2].value, 5.0, 0.0);
    CHECK_NEAR(robot->inputs[0].signal.from, 4.0, 0.0);
    td_robot_destroy(robot);
    robot = parse_set(text, "let.weight=3 N");  // what is made of it follows
    CHECK_NEAR(robot->loads[0].def.force[2].value, 7.0, 0.0);
    CHECK_NEAR(number(robot, "loads.l.force.z"), 7.0, 0.0);
    CHECK_NEAR(number(robot, "let.weight"), 3.0, 0.0);
    td_robot_destroy(robot);
}

// clang-format off
static void bad_formulas_show_the_column(void **state) {
    (void)state;
    static const bad cases[] = {
        {LENGTH("{}", "2 * 5 kg"), 5, 11, "rods.a.length",
         {"this is a mass (kg), but a length (m) is expected in '2 * 5 kg'"}},
        {LENGTH("{}", "\"2 * 5 kg\""), 5, 12, "rods.a.length", {"mass (kg)"}},
        {LENGTH("{}", "2 m + 5 kg"), 5, 15, "rods.a.length", {"do not add up"}},
        {LENGTH("{}", "2 * (1 m + 3"), 5, 23, "rods.a.length", {"')' is missing"}},
        {LENGTH("{}", "1 m/(2 - 2)"), 5, 14, "rods.a.length", {"division by 0"}},
        {LENGTH("{}", "3 m * 2 m"), 5, 11, "rods.a.length", {"area (m^2)", "length (m) is expected"}},
        {LENGTH("{reach: 1 m}", "2 * raech + 1"), 5, 15, "rods.a.length",
         {"'raech' is not known here", "did you mean 'reach'?"}},
        {LENGTH("{reach: 1 m}", "raech"), 5, 11, "rods.a.length", {"'raech' is not a number"}},
        {LENGTH("{reach: 1 m}", "2 reach"), 5, 13, "rods.a.length", {"'*' is missing before 'reach'"}},
        {LENGTH("{reach: 1 kg}", "reach"), 5, 11, "rods.a.length", {"mass (kg)", "length (m)"}},
        {LENGTH("{}", "1 m - 3 m"), 5, 11, "rods.a.length", {"-2 m must be positive"}},
        {LENGTH("{}", "1e90 * 1e90"), 5, 11, "rods.a.length", {"too large"}},
        {GOOD "tendons: [{name: t, offset: [8 mm, (a)]}]\n", 4, 37, "tendons.t.offset.y", {"'a' is not known here"}},
        {LENGTH("{b: 2*a, a: 1}", "1"), 2, 12, "let.b", {"'a' is not known here", "in '2*a'"}},
        {LENGTH("{a: b*2}", "1"), 2, 10, "let.a", {"'b' is not known here"}},
        {LENGTH("{a: 5 mmm}", "1"), 2, 12, "let.a", {"unknown unit 'mmm'"}},
        {LENGTH("{mm: 2}", "1"), 2, 7, "let.mm", {"'mm' is a unit"}},
        {LENGTH("{sin: 2}", "1"), 2, 7, "let.sin", {"'sin' has a meaning"}},
        {LENGTH("{t: 2}", "1"), 2, 7, "let.t", {"'t' has a meaning"}},
        {LENGTH("{a b: 2}", "1"), 2, 7, "let.a b", {"letters, digits"}},
        {LENGTH("{a: [1]}", "1"), 2, 10, "let.a", {"a quantity or a formula is expected", "not a list"}},
        {LENGTH("[1]", "1"), 2, 6, "let", {"a mapping", "not a list"}},
        {GOOD "simulation: {space: {steps: 3/2}}\n", 4, 29, "simulation.space.steps", {"'3/2' is not a whole number"}},
    };
    CHECK_ALL(cases);
}
// clang-format on

// ---------------------------------------------------------------- repeated entries
#define FINGER(more) "- {name: finger, length: 0.1, " M ", " S more "}\n"
#define HAND                                                                                       \
    "tendril: 1\nrods:\n" FINGER(", repeat: {count: 3, around: z}, base: {position: [2 cm, 0, 1 "  \
                                 "cm], direction: [1, 0, 0]}")

static double distance(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

// Written out by hand: cos 120 deg = -1/2, sin 120 deg = sqrt(3)/2; along x is a quarter turn about y.
static void rods_stand_around_a_circle(void **state) {
    (void)state;
    td_robot *robot = parse(HAND);
    const double h = sqrt(0.75), r = sqrt(0.5);
    const double places[3][3] = {
        {0.02, 0, 0.01}, {-0.01, 0.02 * h, 0.01}, {-0.01, -0.02 * h, 0.01}};
    // (c, 0, 0, s)(r, 0, r, 0) = (c r, -s r, c r, s r) with c, s of half the angle
    const double turns[3][4] = {
        {r, 0, r, 0}, {r / 2, -h * r, r / 2, h * r}, {-r / 2, -h * r, -r / 2, h * r}};
    assert_int_equal(td_robot_n_rods(robot), 3);
    for (int i = 0; i < 3; i++) {
        const td_base_def *base = &robot->rods[i].base;
        char name[16];
        snprintf(name, sizeof name, "finger%d", i + 1);
        assert_string_equal(robot->rods[i].name, name);
        const double at[3] = {base->position[0].value, base->position[1].value,
                              base->position[2].value};
        assert_true(distance(at, places[i], 3) < 1e-16);
        assert_true(distance(base->orientation, turns[i], 4) < 1e-15);
    }
    CHECK_NEAR(number(robot, "rods.finger2.length"), 0.1, 0.0);
    CHECK_NEAR(number(robot, "rods.finger2.base.position.x"), -0.01, 1e-17);
    // what is written is the robot with its three rods
    td_error err;
    char *written = td_robot_write(robot, NULL, NULL, &err);
    assert_non_null(written);
    td_robot *again = parse(written);
    assert_int_equal(td_robot_n_rods(again), 3);
    assert_true(distance(again->rods[2].base.orientation, turns[2], 4) < 1e-15);
    td_robot_destroy(again);
    again = parse(td_robot_source(robot));
    assert_int_equal(td_robot_n_rods(again), 3);
    td_robot_destroy(again);
    td_free_text(written);
    td_robot_destroy(robot);
}

// An input may move them along the axis.
static void a_number_along_the_axis_stays_driven(void **state) {
    (void)state;
    td_robot *robot = parse("tendril: 1\nrods:\n" FINGER(
        ", repeat: {count: 2, around: y}, base: {position: [2 cm, lift, 1 cm]}"));
    const td_number *p = robot->rods[1].base.position;
    assert_int_equal(td_robot_n_inputs(robot), 1);
    CHECK_NEAR(p[0].value, -0.02, 1e-17);
    CHECK_NEAR(p[1].gain, 1.0, 0.0);
    CHECK_NEAR(p[2].value, -0.01, 1e-17);
    td_robot_destroy(robot);
}

// An override of the entry is one of all of them; of a number, of that one.
static void overrides_reach_the_entry_and_its_copies(void **state) {
    (void)state;
    td_error err;
    const char *sets[] = {"rods.finger2.length=0.3", "rods.finger.length=0.2",
                          "rods.finger.repeat.count=4"};
    td_robot *robot = td_robot_parse(HAND, strlen(HAND), "good.yaml", sets, 3, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(td_robot_n_rods(robot), 4);
    static const double lengths[] = {0.2, 0.3, 0.2, 0.2};
    for (int i = 0; i < 4; i++) CHECK_NEAR(robot->rods[i].length, lengths[i], 0.0);
    CHECK_NEAR(robot->rods[2].base.position[0].value, -0.02, 1e-17);  // half way round
    td_robot_destroy(robot);
    const char *wrong = "rods.finger7.length=1";
    assert_null(td_robot_parse(HAND, strlen(HAND), "good.yaml", &wrong, 1, &err));
    assert_non_null(
        strstr(err.message, "no item 'finger7' in a list of 3; did you mean 'finger1'?"));
}

static void numbers_stand_in_texts(void **state) {
    (void)state;
    td_robot *robot = parse("tendril: 1\nlet: {n: 3, pitch: 20 mm}\nrods:\n" FINGER(
        ", repeat: n, base: {position: [\"(# - 1)*pitch\", 0, 0]}") "tendons:\n- {name: pull, rod: "
                                                                    "finger#, "
                                                                    "repeat: n, value: drive#, "
                                                                    "offset: {radius: 8 mm, angle: "
                                                                    "\"90 deg * #\"}}\n"
                                                                    "obstacles:\n- {name: post#_, "
                                                                    "repeat: {count: 2, around: x, "
                                                                    "angle: 90 deg}, sphere: "
                                                                    "{radius: 1 cm}, position: [0, "
                                                                    "1, 0]}\n");
    assert_int_equal(td_robot_n_rods(robot), 3);
    assert_int_equal(td_robot_n_inputs(robot), 3);
    CHECK_NEAR(robot->rods[2].base.position[0].value, 0.04, 1e-17);
    CHECK_NEAR(number(robot, "tendons.pull3.offset.radius"), 0.008, 0.0);
    assert_string_equal(robot->inputs[1].name, "drive2");
    assert_string_equal(robot->obstacles[1].name, "post2_");
    CHECK_NEAR(robot->obstacles[1].def.position[2].value, 1.0, 1e-15);
    td_robot_destroy(robot);
}

// clang-format off
static void bad_repeats_are_refused(void **state) {
    (void)state;
#define REPEAT(value) "tendril: 1\nrods:\n- name: a\n  repeat: " value "\n  length: 1\n  " M "\n  " S "\n"
    static const bad cases[] = {
        {REPEAT("0"), 4, 11, "rods.a.repeat", {"0 parts: there can be 1 to"}},
        {REPEAT("1e6"), 4, 11, "rods.a.repeat", {"1000000 parts"}},
        {REPEAT("some"), 4, 11, "rods.a.repeat", {"'some' is not a whole number"}},
        {REPEAT("[3]"), 4, 11, "rods.a.repeat", {"a whole number is expected here, not a list"}},
        {REPEAT("{around: z}"), 4, 11, "rods.a.repeat", {"'count' is missing"}},
        {REPEAT("{count: 3, arround: z}"), 4, 22, "rods.a.repeat.arround", {"did you mean 'around'?"}},
        {REPEAT("{count: 3, around: w}"), 4, 30, "rods.a.repeat.around", {"'w' is not one of: x, y, z"}},
        {REPEAT("{count: 3, angle: 30 deg}"), 4, 22, "rods.a.repeat.angle", {"'angle' goes with 'around'"}},
        {"tendril: 1\nrods:\n- repeat: 0.5\n  length: 1\n", 3, 11, "rods.0.repeat", {"'0.5' is not a whole number"}},
        {REPEAT("{count: -1}"), 4, 19, "rods.a.repeat.count", {"-1 parts"}},
        // in the copies, at the line of the entry
        {REPEAT("2") "  base: {position: [push#, 0, 0]}\n  lenght: 2\n", 9, 3, "rods.a1.lenght", {"unknown key"}},
        {REPEAT("{count: 2, around: z}") "  base: {position: [push, 0, 0]}\n", 8, 21, "rods.a2.base.position.x",
         {"'push' is not a number", "length (m) is expected"}},
        {REPEAT("2") "  drag: \"1 - #\"\n", 8, 9, "rods.a2.drag", {"-1 kg/m^2 must not be negative"}},
        {GOOD "tendons: [{name: t, repeat: {count: 2, around: z}, offset: [1 mm, 0]}]\n", 4, 48, "tendons.t.repeat.around",
         {"only rods, free bodies and obstacles", "# * 120 deg"}},
        {GOOD "tendons: [{name: t, rod: a#, repeat: 2, offset: [1 mm, 0]}]\n", 4, 26, "tendons.t1.rod", {"'a1'"}},
        {GOOD "tendons: [{name: t, offset: {radius: -1 mm}}]\n", 4, 38, "tendons.t.offset.radius", {"-0.001 m must not be negative"}},
        {GOOD "tendons: [{name: t, offset: {angle: 3}}]\n", 4, 29, "tendons.t.offset", {"'radius' is missing"}},
        {GOOD "tendons: [{name: t, offset: {radius: 1 mm, angle: 3 m}}]\n", 4, 51, "tendons.t.offset.angle", {"'3 m' is a length"}},
        {GOOD "tendons: [{name: t, offset: 1 mm}]\n", 4, 29, "tendons.t.offset", {"a list of 2 numbers"}},
    };
    CHECK_ALL(cases);
}
// clang-format on

static void offsets_by_angle_are_those_by_components(void **state) {
    (void)state;
    td_robot *robot = parse(
        GOOD "tendons:\n"
             "- {name: t, offset: {radius: 8 mm, angle: 120 deg}, offset_end: {radius: 4 mm}}\n"
             "chambers: [{name: c, offset: {radius: 4 mm, angle: -90 deg}, radius: 1 mm}]\n");
    CHECK_NEAR(number(robot, "tendons.t.offset.angle"), 2.0943951023931953, 1e-15);
    td_error err;
    char *written = td_robot_write(robot, NULL, NULL, &err);
    td_robot *again = parse(written);
    CHECK_NEAR(number(again, "tendons.t.offset.x"), -0.004, 1e-17);
    CHECK_NEAR(number(again, "tendons.t.offset.y"), 0.008 * sqrt(0.75), 1e-17);
    CHECK_NEAR(number(again, "tendons.t.offset_end.x"), 0.004, 0.0);
    CHECK_NEAR(number(again, "chambers.c.offset.y"), -0.004, 0.0);
    td_robot_destroy(again);
    td_free_text(written);
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_keys_give_way_to_those_of_the_mapping),
        cmocka_unit_test(bad_merges_show_the_place_in_the_template),
        cmocka_unit_test(formulas_give_quantities),
        cmocka_unit_test(constants_are_no_inputs),
        cmocka_unit_test(bad_formulas_show_the_column),
        cmocka_unit_test(rods_stand_around_a_circle),
        cmocka_unit_test(a_number_along_the_axis_stays_driven),
        cmocka_unit_test(overrides_reach_the_entry_and_its_copies),
        cmocka_unit_test(numbers_stand_in_texts),
        cmocka_unit_test(bad_repeats_are_refused),
        cmocka_unit_test(offsets_by_angle_are_those_by_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
