// Robot files with bodies, tendons, chambers, joints and fed rods: what they say is what the robot
// holds.
#include <string.h>

#include "robot/actuators.h"
#include "robot/robot.h"
#include "tendril/tendril.h"

#include "check.h"

#define PI 3.14159265358979323846
#define FILES TEST_DATA "/files/"

static td_robot *load(const char *const *sets, int n_sets) {
    td_error err;
    td_robot *robot = td_robot_load(FILES "parts.yaml", sets, n_sets, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    return robot;
}

static td_robot *parse(const char *text) {
    td_error err;
    td_robot *robot = td_robot_parse(text, strlen(text), FILES "here.yaml", NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    return robot;
}

static int setup(void **state) {
    *state = load(NULL, 0);
    return 0;
}

static int teardown(void **state) {
    td_robot_destroy(*state);
    return 0;
}

static const td_body_def *body_of(const td_robot *robot, const char *name) {
    int i = find_body(robot, name);
    if (i < 0) fail_msg("no body %s", name);
    return &robot->bodies[i].def;
}

static const td_tendon_def *tendon_of(const td_robot *robot, const char *name) {
    int i = find_tendon(robot, name);
    if (i < 0) fail_msg("no tendon %s", name);
    return robot_tendon(robot, i);
}

static const td_chamber_def *chamber_of(const td_robot *robot, const char *name) {
    int i = find_chamber(robot, name);
    if (i < 0) fail_msg("no chamber %s", name);
    return robot_chamber(robot, i);
}

// The number is the input of that name, times the gain.
static void check_driven(const td_robot *robot, td_number n, const char *name, const char *unit,
                         double gain) {
    CHECK_NEAR(n.gain, gain, 0.0);
    CHECK_NEAR(n.value, 0.0, 0.0);
    assert_string_equal(robot->inputs[n.input].name, name);
    assert_string_equal(robot->inputs[n.input].unit, unit);
}

static void check3(const double a[3], double x, double y, double z) {
    CHECK_NEAR(a[0], x, 1e-15);
    CHECK_NEAR(a[1], y, 1e-15);
    CHECK_NEAR(a[2], z, 1e-15);
}

static void check_numbers(const td_number n[3], double x, double y, double z) {
    const double values[3] = {n[0].value, n[1].value, n[2].value};
    for (int i = 0; i < 3; i++) CHECK_NEAR(n[i].gain, 0.0, 0.0);
    check3(values, x, y, z);
}

// ---------------------------------------------------------------- rods
static void the_ends_of_rods_are_held_as_they_say(void **state) {
    const td_robot *robot = *state;
    const robot_rod *slider = &robot->rods[0], *leg = &robot->rods[1], *arm = &robot->rods[2];
    int hub = find_body(robot, "hub"), frame = find_body(robot, "frame");
    assert_int_equal(slider->base.body, TD_WORLD);
    assert_int_equal(slider->base.joint, TD_BALL);
    assert_true(slider->tip.held);
    assert_int_equal(slider->tip.body, hub);
    assert_int_equal(slider->tip.joint, TD_UNIVERSAL);
    check_numbers(slider->tip.position, 0.01, 0.0, 5e-3);
    check3(slider->tip.axis, 0.0, 1.0, 0.0);
    check3(slider->tip.axis2, 0.0, 0.0, 1.0);
    CHECK_NEAR(slider->tip.orientation[0], sqrt(0.5), 1e-15);  // a quarter turn about y
    CHECK_NEAR(slider->tip.orientation[2], sqrt(0.5), 1e-15);
    assert_int_equal(leg->base.body, frame);
    assert_int_equal(leg->base.joint, TD_REVOLUTE);
    check3(leg->base.axis, 0.0, 0.0, 1.0);
    CHECK_NEAR(leg->base.position[0].value, 0.01, 0.0);
    assert_int_equal(leg->tip.body, TD_WORLD);
    assert_int_equal(leg->tip.joint, TD_CLAMP);
    check_numbers(leg->tip.position, 0.0, 0.0, 0.4);
    check_driven(robot, slider->feed, "stroke", "m", 1.0);
    check_driven(robot, leg->feed, "leg.feed", "m", 1.0);
    CHECK_NEAR(robot->inputs[leg->feed.input].signal.to, 0.02, 0.0);
    CHECK_NEAR(arm->envelope, 12e-3, 0.0);
    assert_int_equal(arm->base.body, hub);
    assert_int_equal(arm->tip.body, frame);
    check_numbers(arm->tip.position, 0.0, 0.0, 0.0);
    assert_false(is_fed(arm->feed));
}

// ---------------------------------------------------------------- bodies
static void free_bodies_come_first_and_have_a_pose(void **state) {
    const td_robot *robot = *state;
    assert_int_equal(find_body(robot, "hub"), 0);
    assert_int_equal(find_body(robot, "frame"), 1);
    assert_int_equal(robot->n_bodies, 13);
    const td_body_def *hub = body_of(robot, "hub"), *frame = body_of(robot, "frame");
    assert_int_equal(hub->rod, -1);
    CHECK_NEAR(hub->mass, 92.1e-3, 1.5e-17);  // the last bit of 92.1/1000
    check3(hub->inertia, 1.91e-4, 1.91e-4, 3.81e-4);
    check3(hub->position, 0.0, 0.01, 0.35);
    CHECK_NEAR(hub->orientation[0], sqrt(0.5), 1e-15);  // z to x
    CHECK_NEAR(hub->orientation[2], sqrt(0.5), 1e-15);
    CHECK_NEAR(frame->mass, 0.0, 0.0);
    CHECK_NEAR(frame->orientation[1], 1.0, 0.0);
    check3(frame->centre, 0.0, 0.0, 1e-3);
}

static void bodies_ride_where_they_say(void **state) {
    const td_robot *robot = *state;
    const td_body_def *object = body_of(robot, "object");
    assert_int_equal(object->rod, 2);
    CHECK_NEAR(object->at, 0.2, 1e-15);
    CHECK_NEAR(object->mass, 1e-3, 0.0);
    check3(object->inertia, 2e-8, 2e-8, 2e-8);
    check3(object->centre, 1e-3, 0.0, -2e-3);
    check_driven(robot, object->attached, "grip", "", 1.0);
    const char *const names[] = {"disc1", "disc2", "disc3", "disc4", "bead1",
                                 "bead2", "bead3", "clip1", "clip2", "nut"};
    const double places[] = {0.05, 0.1, 0.15, 0.2, 0.06, 0.12, 0.18, 0.025, 0.1, 0.35};
    for (int i = 0; i < 10; i++) CHECK_NEAR(body_of(robot, names[i])->at, places[i], 1e-15);
    assert_int_equal(find_body(robot, "disc5"), -1);
    assert_int_equal(find_body(robot, "bead4"), -1);
    assert_int_equal(find_body(robot, "disc"), -1);
    check_driven(robot, body_of(robot, "clip1")->attached, "clip.attached", "", 1.0);
    check_driven(robot, body_of(robot, "clip2")->attached, "clip.attached", "", 1.0);
    CHECK_NEAR(body_of(robot, "nut")->attached.value, 1.0, 0.0);
}

// Solids of uniform density: textbook moments of inertia.
static void shapes_give_the_inertia_of_solids(void **state) {
    const td_robot *robot = *state;
    double r = 10e-3, h = 3e-3, m = 2e-3;
    check3(body_of(robot, "disc3")->inertia, m * (r * r / 4 + h * h / 12),
           m * (r * r / 4 + h * h / 12), m * r * r / 2);
    check3(body_of(robot, "bead2")->inertia, 3e-3 * 2 / 5 * 25e-6, 3e-3 * 2 / 5 * 25e-6,
           3e-3 * 2 / 5 * 25e-6);
    check3(body_of(robot, "clip2")->inertia, 4e-3 * (4e-6 + 9e-6) / 12, 4e-3 * (1e-6 + 9e-6) / 12,
           4e-3 * (1e-6 + 4e-6) / 12);
}

// The last body of a row is at the tip though the sum of its distances rounds.
static void a_row_of_bodies_ends_at_the_tip(void **state) {
    (void)state;
    td_robot *robot = parse("tendril: 1\nrods: [{name: a, length: 0.3, mass_per_length: 1, "
                            "stiffness: {bending: 1, torsion: 1, shear: 1, extension: 1}}]\n"
                            "bodies: [{name: d, on: a, every: 0.1, mass: 1}]\n");
    assert_int_equal(robot->n_bodies, 3);
    assert_string_equal(robot->bodies[2].name, "d3");
    CHECK_NEAR(robot->bodies[2].def.at, robot->rods[0].length, 1e-15);
    assert_true(robot->bodies[2].def.at <= robot->rods[0].length);
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- tendons
static void tendons_run_where_they_say(void **state) {
    const td_robot *robot = *state;
    assert_int_equal(robot_n_actuators(robot, KIND_tendon), 7);
    const td_tendon_def *east = tendon_of(robot, "east"), *cone = tendon_of(robot, "cone");
    const td_tendon_def *helix = tendon_of(robot, "helix"), *free = tendon_of(robot, "free");
    assert_int_equal(east->rod, 2);
    assert_int_equal(east->routing, TD_ROUTING_STRAIGHT);
    CHECK_NEAR(east->from, 0.0, 0.0);
    CHECK_NEAR(east->to, 0.2, 0.0);
    CHECK_NEAR(east->offset[0], 9.5e-3, 0.0);
    CHECK_NEAR(east->offset_end[0], 9.5e-3, 0.0);
    CHECK_NEAR(east->offset_end[1], -1e-3, 0.0);
    CHECK_NEAR(cone->from, 0.02, 1e-17);
    CHECK_NEAR(cone->to, 0.1, 0.0);
    CHECK_NEAR(cone->offset_end[0], 2e-3, 0.0);
    CHECK_NEAR(cone->offset_end[1], 1e-3, 0.0);
    assert_int_equal(helix->routing, TD_ROUTING_HELIX);
    CHECK_NEAR(helix->radius, 8e-3, 0.0);
    CHECK_NEAR(helix->turns, -1.5, 0.0);
    CHECK_NEAR(helix->phase, PI / 2, 1e-15);
    assert_int_equal(free->routing, TD_ROUTING_POINTS);
    assert_int_equal(free->n_points, 3);
    CHECK_NEAR(free->from, 0.02, 0.0);  // where its points begin and end
    CHECK_NEAR(free->to, 0.2, 0.0);
    const double points[] = {0.02, 8e-3, 0.0, 0.1, 6e-3, 2e-3, 0.2, 4e-3, 0.0};
    for (int i = 0; i < 9; i++) CHECK_NEAR(free->points[i], points[i], 1e-17);
}

static void tendons_are_driven_by_inputs_of_their_name(void **state) {
    const td_robot *robot = *state;
    const td_tendon_def *pull = tendon_of(robot, "pull");
    check_driven(robot, tendon_of(robot, "east")->value, "east", "N", 1.0);
    check_driven(robot, tendon_of(robot, "cone")->value, "cone", "N", 1.0);
    check_driven(robot, pull->value, "pull", "m", 1.0);
    check_driven(robot, tendon_of(robot, "against")->value, "pull", "m", -1.0);
    CHECK_NEAR(tendon_of(robot, "stay")->value.value, 3.0, 0.0);
    CHECK_NEAR(tendon_of(robot, "stay")->value.gain, 0.0, 0.0);
    assert_int_equal(find_input(robot, "stay"), -1);
    CHECK_NEAR(robot->inputs[find_input(robot, "east")].signal.to, 5.0, 0.0);
    CHECK_NEAR(robot->inputs[find_input(robot, "pull")].signal.to, 5e-3, 0.0);
    assert_int_equal(pull->input, TD_DISPLACEMENT);
    assert_int_equal(tendon_of(robot, "east")->input, TD_TENSION);
    CHECK_NEAR(pull->stiffness, 20e3, 0.0);
    CHECK_NEAR(pull->outside, 0.1, 0.0);
    CHECK_NEAR(pull->compliance, 1e-6, 0.0);
    CHECK_NEAR(pull->pretension, 2.0, 0.0);
    CHECK_NEAR(pull->friction, 0.1, 0.0);
    CHECK_NEAR(pull->presliding, 1e-5, 0.0);
    CHECK_NEAR(pull->viscous, 5.0, 0.0);
}

// ---------------------------------------------------------------- chambers
static void chambers_are_what_their_keys_say(void **state) {
    const td_robot *robot = *state;
    const td_chamber_def *air = chamber_of(robot, "air"), *water = chamber_of(robot, "water");
    const td_chamber_def *bag = chamber_of(robot, "bag");
    assert_int_equal(air->input, TD_AMOUNT);
    CHECK_NEAR(air->offset[0], -10.286e-3, 1e-17);
    CHECK_NEAR(air->radius, 2.5e-3, 0.0);
    CHECK_NEAR(air->from, 5e-3, 0.0);
    CHECK_NEAR(air->to, 0.18, 1e-15);
    CHECK_NEAR(air->temperature, 303.15, 1e-12);
    CHECK_NEAR(air->atmosphere, 1e5, 0.0);
    assert_true(air->path_volume);
    check_driven(robot, air->value, "air", "mol", 1.0);
    CHECK_NEAR(robot->inputs[air->value.input].signal.from, 8e-5, 1e-19);
    assert_int_equal(water->input, TD_VOLUME);
    CHECK_NEAR(water->area, 20e-6, 1e-20);
    CHECK_NEAR(water->value.value, 4e-6, 1e-20);
    assert_false(water->path_volume);
    assert_int_equal(bag->input, TD_PRESSURE);
    CHECK_NEAR(bag->temperature, 293.15, 0.0);
    CHECK_NEAR(bag->atmosphere, 101325.0, 0.0);
    check_driven(robot, bag->value, "bag", "Pa", 1.0);
}

// ---------------------------------------------------------------- loads and the rest
static void loads_act_on_bodies(void **state) {
    const td_robot *robot = *state;
    const td_load_def *push = &robot->loads[0].def, *tug = &robot->loads[1].def;
    assert_int_equal(push->rod, -1);
    assert_int_equal(push->body, find_body(robot, "hub"));
    assert_int_equal(push->frame, TD_FRAME_BODY);
    check_driven(robot, push->force[1], "wind", "N", 1.0);
    CHECK_NEAR(push->moment[2].value, 1e-3, 0.0);
    assert_int_equal(tug->rod, 2);  // a body that rides: its place on the rod
    CHECK_NEAR(tug->from, 0.1, 0.0);
    assert_false(tug->distributed);
}

static void the_whole_is_sound_and_records_its_parts(void **state) {
    const td_robot *robot = *state;
    td_error err;
    CHECK_OK(robot_validate_whole(robot, &err), err);
    assert_int_equal(robot->scenario.record_fields,
                     TD_RECORD_POSE | TD_RECORD_TENDONS | TD_RECORD_CHAMBERS | TD_RECORD_BODIES);
}

static void overrides_reach_the_parts(void **state) {
    (void)state;
    const char *const sets[] = {
        "tendons.east.offset=[1 mm, 2 mm]",
        "tendons.cone.offset.x=3 mm",
        "tendons.0.to=50 %",
        "tendons.helix.routing.helix.turns=2",
        "chambers.bag.radius=1 mm",
        "bodies.hub.mass=5 g",
        "bodies.disc.count=2",
        "rods.slider.tip={body: hub, joint: ball}",
        "inputs.pull=7 mm",
        "rods.leg.feed=-1 cm",
    };
    td_robot *robot = load(sets, sizeof sets / sizeof *sets);
    CHECK_NEAR(tendon_of(robot, "east")->offset[1], 2e-3, 0.0);
    CHECK_NEAR(tendon_of(robot, "east")->to, 0.1, 0.0);
    CHECK_NEAR(tendon_of(robot, "cone")->offset[0], 3e-3, 0.0);
    CHECK_NEAR(tendon_of(robot, "helix")->turns, 2.0, 0.0);
    CHECK_NEAR(chamber_of(robot, "bag")->radius, 1e-3, 0.0);
    CHECK_NEAR(body_of(robot, "hub")->mass, 5e-3, 0.0);
    assert_int_equal(find_body(robot, "disc3"), -1);
    assert_int_equal(robot->rods[0].tip.joint, TD_BALL);
    CHECK_NEAR(robot->rods[1].feed.value, -0.01, 0.0);
    const td_signal *pull = &robot->inputs[find_input(robot, "pull")].signal;
    assert_int_equal(pull->kind, TD_SIGNAL_CONSTANT);
    CHECK_NEAR(pull->from, 7e-3, 0.0);
    td_robot_destroy(robot);
}

static void a_scenario_replaces_and_adds_parts(void **state) {
    (void)state;
    td_robot *robot = parse("tendril: 1\nrobot: parts.yaml\n"
                            "bodies: [{name: object, on: arm, mass: 9 g},\n"
                            "         {name: extra, on: arm, mass: 1 g}]\n"
                            "tendons: [{name: east, rod: arm, offset: [1 mm, 0]}]\n"
                            "chambers: [{name: cuff, rod: arm, radius: 1 mm}]\n"
                            "inputs: {pull: 2 mm}\n");
    CHECK_NEAR(body_of(robot, "object")->mass, 9e-3, 0.0);
    CHECK_NEAR(body_of(robot, "object")->attached.value, 1.0, 0.0);
    assert_int_equal(find_body(robot, "extra"), robot->n_bodies - 1);
    CHECK_NEAR(tendon_of(robot, "east")->offset[0], 1e-3, 0.0);
    assert_int_equal(robot_n_actuators(robot, KIND_tendon), 7);
    assert_int_equal(robot_n_actuators(robot, KIND_chamber), 4);
    CHECK_NEAR(robot->inputs[find_input(robot, "pull")].signal.from, 2e-3, 0.0);
    td_robot_destroy(robot);
}

static void check_same(const td_robot *a, const td_robot *b) {
    assert_int_equal(a->n_bodies, b->n_bodies);
    assert_int_equal(robot_n_actuators(a, KIND_tendon), robot_n_actuators(b, KIND_tendon));
    assert_int_equal(robot_n_actuators(a, KIND_chamber), robot_n_actuators(b, KIND_chamber));
    assert_int_equal(a->n_inputs, b->n_inputs);
    for (int i = 0; i < a->n_bodies; i++) {
        const td_body_def *p = &a->bodies[i].def, *q = &b->bodies[i].def;
        assert_string_equal(p->name, q->name);
        assert_memory_equal(&p->at, &q->at, sizeof(double) * 8);  // at, mass, inertia, centre
    }
    for (int i = 0; i < robot_n_actuators(a, KIND_tendon); i++) {
        const td_tendon_def *p = robot_tendon(a, i), *q = robot_tendon(b, i);
        assert_string_equal(p->name, q->name);
        assert_memory_equal(p->offset, q->offset, sizeof(double) * 7);  // to the helix's phase
        assert_int_equal(p->n_points, q->n_points);
        for (int k = 0; k < 3 * p->n_points; k++) CHECK_NEAR(p->points[k], q->points[k], 0.0);
    }
    for (int i = 0; i < a->n_inputs; i++) assert_string_equal(a->inputs[i].name, b->inputs[i].name);
}

static void the_source_gives_the_same_parts(void **state) {
    (void)state;
    const char *const sets[] = {"description=written out", "inputs.pull=7 mm"};
    td_robot *robot = load(sets, 2), *again = parse(td_robot_source(robot));
    check_same(robot, again);
    td_robot_destroy(robot);
    td_robot_destroy(again);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_ends_of_rods_are_held_as_they_say),
        TEST(free_bodies_come_first_and_have_a_pose),
        TEST(bodies_ride_where_they_say),
        TEST(shapes_give_the_inertia_of_solids),
        cmocka_unit_test(a_row_of_bodies_ends_at_the_tip),
        TEST(tendons_run_where_they_say),
        TEST(tendons_are_driven_by_inputs_of_their_name),
        TEST(chambers_are_what_their_keys_say),
        TEST(loads_act_on_bodies),
        TEST(the_whole_is_sound_and_records_its_parts),
        cmocka_unit_test(overrides_reach_the_parts),
        cmocka_unit_test(a_scenario_replaces_and_adds_parts),
        cmocka_unit_test(the_source_gives_the_same_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
