// Obstacles in robot files: what they say is what the robot holds, what is wrong is refused in words, and
// models without contact say so.
#include <string.h>

#include "robot/robot.h"
#include "tendril/tendril.h"

#include "refusals.h"  // its short words last

#define WIRE                                                                                       \
    "tendril: 1\n"                                                                                 \
    "rods: [{name: a, length: 1, section: {radius: 1 mm}, material: {youngs_modulus: 1e9, "        \
    "poisson_ratio: 0.3, density: 1000}}]\n"

static td_robot *parse(const char *text) {
    td_error err;
    td_robot *robot = td_robot_parse(text, strlen(text), "here.yaml", NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    return robot;
}

static const td_obstacle_def *obstacle_of(const td_robot *robot, const char *name) {
    const int i = find_obstacle(robot, name);
    if (i < 0) fail_msg("no obstacle %s", name);
    return &robot->obstacles[i].def;
}

static void files_say_every_shape(void **unused) {
    (void)unused;
    td_robot *robot = parse(
        WIRE "obstacles:\n"
             "  - {plane: {}, position: [0, lift, -0.1], direction: [1, 0, 0]}\n"
             "  - {name: ball, sphere: {radius: 2 mm}, friction: 0.3, stiffness: 40 kPa}\n"
             "  - {name: drum, cylinder: {radius: 30 mm}, presliding: 1 um}\n"
             "  - {name: pill, capsule: {radius: 1 mm, length: 4 mm}, inside: true}\n"
             "  - {name: case, box: [1, 2, 3], inside: true, motion: {rotation: [0, 0, turn]}}\n"
             "  - {name: ring, torus: {radius: 10 mm, thickness: 4 mm}}\n"
             "  - {name: vessel, tube: {points: [[0, 0, 0], [0, 0, 0.1]], radius: 3 mm}}\n"
             "  - {name: stenosis, tube: {points: [[0, 0, 0], [1 cm, 0, 0.1], [0, 0, 0.2]], "
             "radius: [3 mm, 1 mm, 3 mm]}}\n"
             "inputs: {lift: 0, turn: 0}\n");
    assert_int_equal(td_robot_n_obstacles(robot), 8);
    const td_obstacle_def *d = obstacle_of(robot, "obstacle1");
    assert_int_equal(d->shape, TD_OBSTACLE_PLANE);
    CHECK_NEAR(d->position[1].gain, 1.0, 0.0);
    CHECK_NEAR(d->position[2].value, -0.1, 0.0);
    CHECK_NEAR(d->orientation[2], sqrt(0.5), 1e-15);
    d = obstacle_of(robot, "ball");
    assert_int_equal(d->shape, TD_OBSTACLE_SPHERE);
    CHECK_NEAR(d->radius, 2e-3, 0.0);
    CHECK_NEAR(d->friction, 0.3, 0.0);
    CHECK_NEAR(d->stiffness, 4e4, 1e-9);
    d = obstacle_of(robot, "drum");
    assert_int_equal(d->shape, TD_OBSTACLE_CYLINDER);
    CHECK_NEAR(d->length, 0.0, 0.0);
    CHECK_NEAR(d->presliding, 1e-6, 1e-20);
    d = obstacle_of(robot, "pill");
    assert_true(d->inside && d->shape == TD_OBSTACLE_CAPSULE);
    d = obstacle_of(robot, "case");
    CHECK_NEAR(d->sides[2], 3.0, 0.0);
    CHECK_NEAR(d->rotation[2].gain, 1.0, 0.0);
    assert_string_equal(robot->inputs[d->rotation[2].input].unit, "rad");
    d = obstacle_of(robot, "ring");
    CHECK_NEAR(d->thickness, 4e-3, 1e-18);
    d = obstacle_of(robot, "vessel");
    assert_int_equal(d->n_points, 2);
    CHECK_NEAR(d->points[7], 3e-3, 1e-18);
    d = obstacle_of(robot, "stenosis");
    CHECK_NEAR(d->points[4], 1e-2, 1e-18);
    CHECK_NEAR(d->points[7], 1e-3, 1e-18);
    td_robot_destroy(robot);
}

static void bad_obstacles_are_refused(void **unused) {
    (void)unused;
#define FORK(branch) "tube: {points: [[0, 0, 0], [0, 0, 1]], radius: 1, branches: [" branch "]}"
#define OBSTACLE(keys) WIRE "obstacles: [{name: o, " keys "}]\n"
    static const bad cases[] = {
        {WIRE "obstacles: {a: 1}\n", 3, 12, "obstacles", {"list", "not a mapping"}},
        {OBSTACLE("friction: 1"), 3, 13, "obstacles.o", {"shape is missing: one of plane sphere"}},
        {OBSTACLE("plane: {}, sphere: {radius: 1}"),
         3,
         42,
         "obstacles.o.sphere",
         {"one shape, but 'plane'"}},
        {OBSTACLE("cone: {}"), 3, 23, "obstacles.o.cone", {"unknown key 'cone'"}},
        {OBSTACLE("sphere: {radius: 0}"),
         3,
         40,
         "obstacles.o.sphere.radius",
         {"0 m must be positive"}},
        {OBSTACLE("sphere: {}"), 3, 31, "obstacles.o.sphere", {"'radius' is missing"}},
        {OBSTACLE("cylinder: {radius: 1, length: -1}"),
         3,
         53,
         "obstacles.o.cylinder.length",
         {"-1 m must not be negative"}},
        {OBSTACLE("box: [1, 0, 1]"), 3, 32, "obstacles.o.box.y", {"0 m must be positive"}},
        {OBSTACLE("torus: {radius: 1, thickness: 2}"),
         3,
         53,
         "obstacles.o.torus.thickness",
         {"2 m closes the ring"}},
        {OBSTACLE("torus: {radius: 1, thickness: 1}, inside: true"),
         3,
         65,
         "obstacles.o.inside",
         {"a torus is no room"}},
        {OBSTACLE("tube: {points: [[0, 0, 0]], radius: 1}"),
         3,
         38,
         "obstacles.o.tube.points",
         {"two or more points"}},
        {OBSTACLE("tube: {points: [[0, 0, 0], [0, 0, 0]], radius: 1}"),
         3,
         50,
         "obstacles.o.tube.points.1",
         {"same as the point before"}},
        {OBSTACLE("tube: {points: [[0, 0, 0], [0, 0, 1]], radius: [1, 3]}"),
         3,
         50,
         "obstacles.o.tube.points.1",
         {"changes by 2 m over 1 m"}},
        {OBSTACLE("tube: {points: [[0, 0, 0], [0, 0, 1]], radius: [1]}"),
         3,
         70,
         "obstacles.o.tube.radius",
         {"1 radii for 2 points"}},
        {OBSTACLE(FORK("{points: [[0, 1.5, 0.5], [0, 3, 0]], radius: 1}")),
         3,
         94,
         "obstacles.o.tube.branches.0.points.0",
         {"0.3 m outside of the tube"}},
        {OBSTACLE(FORK("{points: [[0, 0, 0]], radius: 1}")),
         3,
         93,
         "obstacles.o.tube.branches.0.points",
         {"two or more points"}},
        {OBSTACLE(FORK("{points: [[0, 0, 0], [0, 1, 0]]}")),
         3,
         84,
         "obstacles.o.tube.branches.0",
         {"'radius' is missing"}},
        {OBSTACLE(FORK("{points: [[0, 0, 0], [0, 1, 0]], radius: 1, length: 2}")),
         3,
         136,
         "obstacles.o.tube.branches.0.length",
         {"unknown key 'length'"}},
        {OBSTACLE("plane: {}, friction: -1"),
         3,
         44,
         "obstacles.o.friction",
         {"-1 must not be negative"}},
        {OBSTACLE("plane: {}, stiffness: 1 N"),
         3,
         45,
         "obstacles.o.stiffness",
         {"force (N)", "pressure (Pa)"}},
        {OBSTACLE("plane: {}, stiffness: 0 Pa"),
         3,
         45,
         "obstacles.o.stiffness",
         {"must be positive, but is 0"}},
        {OBSTACLE("plane: {}, presliding: 0"),
         3,
         46,
         "obstacles.o.presliding",
         {"must be positive, but is 0"}},
        {WIRE "obstacles: [{name: o, plane: {}}, {name: o, plane: {}}]\n",
         3,
         42,
         "obstacles.o.name",
         {"'o' is taken"}},
    };
    CHECK_ALL(cases);
}

static void code_is_refused_what_files_are(void **unused) {
    (void)unused;
    td_error err;
    td_robot *robot = td_robot_create();
    td_obstacle_def def = td_default_obstacle_def();
    assert_true(td_robot_add_obstacle(robot, NULL, &err) == TD_ERR_ARGUMENT);
    assert_true(td_robot_add_obstacle(robot, &def, &err) < 0);
    def.name = "o", def.shape = TD_OBSTACLE_TUBE;
    assert_true(td_robot_add_obstacle(robot, &def, &err) == TD_ERR_VALUE);
    assert_non_null(strstr(err.message, "0 points"));
    def.shape = (td_obstacle_shape)99;
    assert_true(td_robot_add_obstacle(robot, &def, &err) == TD_ERR_VALUE);
    def.shape = TD_OBSTACLE_PLANE, def.position[1].value = NAN;
    assert_true(td_robot_add_obstacle(robot, &def, &err) == TD_ERR_VALUE);
    assert_string_equal(err.where, "obstacles.o.position.y");
    def.position[1].value = 0.0, def.orientation[0] = 0.9;
    assert_true(td_robot_add_obstacle(robot, &def, &err) == TD_ERR_VALUE);
    assert_int_equal(td_robot_n_obstacles(robot), 0);
    def.orientation[0] = 1.0;
    assert_int_equal(td_robot_add_obstacle(robot, &def, &err), 0);
    assert_int_equal(td_robot_n_obstacles(robot), 1);
    td_robot_destroy(robot);
}

static void models_without_contact_say_so(void **unused) {
    (void)unused;
    td_robot *robot = parse(WIRE "obstacles: [{plane: {}, position: [0, 0, -1]}]\n");
    for (int i = 0; i < td_n_models(); i++) {
        td_error err;
        td_options options = td_default_options();
        strcpy(options.model, td_model_name(i));
        if (td_model_supports(i, TD_FEATURE_OBSTACLES)) continue;
        assert_null(td_system_create(robot, &options, &err));
        assert_true(err.status == TD_ERR_UNSUPPORTED);
        assert_non_null(strstr(err.message, "contact with obstacles"));
    }
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_say_every_shape),
        cmocka_unit_test(bad_obstacles_are_refused),
        cmocka_unit_test(code_is_refused_what_files_are),
        cmocka_unit_test(models_without_contact_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
