// Good robot files: what they say is what the robot holds.
#include <locale.h>
#include <string.h>

#include "robot/robot.h"
#include "tendril/tendril.h"

#include "check.h"

#define PI 3.14159265358979323846
#define FILES TEST_DATA "/files/"

static td_robot *load(const char *path, const char *const *sets, int n_sets) {
    td_error err;
    td_robot *robot = td_robot_load(path, sets, n_sets, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    return robot;
}

static td_robot *parse(const char *text) {
    td_error err;
    td_robot *robot = td_robot_parse(text, strlen(text), NULL, NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    return robot;
}

// ---------------------------------------------------------------- arm.yaml
static int setup_arm(void **state) {
    *state = load(FILES "arm.yaml", NULL, 0);
    return 0;
}

static int teardown(void **state) {
    td_robot_destroy(*state);
    return 0;
}

static int input_of(const td_robot *robot, const char *name) {
    int i = find_input(robot, name);
    if (i < 0) fail_msg("no input %s", name);
    return i;
}

static void the_rod_is_what_its_keys_say(void **state) {
    const td_robot *robot = *state;
    assert_string_equal(td_robot_name(robot), "test arm");
    assert_int_equal(robot->n_rods, 2);
    const robot_rod *rod = &robot->rods[0];
    assert_string_equal(rod->name, "backbone");
    CHECK_NEAR(rod->length, 0.4, 1e-15);
    assert_int_equal(rod->n_pieces, 3);
    const td_piece_def *p = &rod->pieces[0];
    CHECK_NEAR(p->length, 0.1, 0.0);
    CHECK_NEAR(p->youngs_modulus, 200e9, 0.0);
    CHECK_NEAR(p->shear_modulus, 80e9, 1e-3);  // E / (2 * 1.25)
    CHECK_NEAR(p->density, 7800.0, 1e-9);
    CHECK_NEAR(p->shear_factor, 0.9, 0.0);
    const double stiffness[6] = {2, 3, 0, 0, 0, 5000}, damping[6] = {1e-6, 1e-6, 2e-6, 3, 4, 5};
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(p->stiffness[i], stiffness[i], 0.0);
        CHECK_NEAR(p->damping[i], damping[i], 1e-20);
    }
    CHECK_NEAR(p->damping_time, 5e-4, 0.0);
    CHECK_NEAR(p->mass_per_length, 0.3, 0.0);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(p->drag[i], 1.0 + i, 0.0);
        CHECK_NEAR(p->linear_drag[i], 0.1, 0.0);
    }
    CHECK_NEAR(p->rest_curvature[1], PI / 2, 1e-15);
    CHECK_NEAR(p->rest_stretch[2], 1.0, 0.0);
}

static void pieces_take_over_what_they_leave_out(void **state) {
    const td_robot *robot = *state;
    const td_piece_def *p = robot->rods[0].pieces;
    // The taper of the rod, 4 mm -> 2 mm over 0.4 m, seen by a piece that has no section.
    CHECK_NEAR(p[0].section.radius, 4e-3, 1e-18);
    CHECK_NEAR(p[0].section_end.radius, 3.5e-3, 1e-18);
    CHECK_NEAR(p[0].section_end.inner_radius, 0.875e-3, 1e-18);
    CHECK_NEAR(p[2].section.radius, 2.5e-3, 1e-18);
    CHECK_NEAR(p[2].section_end.radius, 2e-3, 1e-18);
    // A piece with a section of its own does not taper.
    assert_int_equal(p[1].section.shape, TD_SECTION_RECTANGLE);
    CHECK_NEAR(p[1].section_end.width, 2e-3, 0.0);
    CHECK_NEAR(p[1].youngs_modulus, 1e6, 0.0);
    CHECK_NEAR(p[1].shear_modulus, 340e3, 0.0);
    CHECK_NEAR(p[1].drag[2], 7.0, 0.0);
    CHECK_NEAR(p[1].stiffness[0], 2.0, 0.0);
    // A key that a piece gives replaces the whole key of the rod.
    CHECK_NEAR(p[2].stiffness[0], 0.0, 0.0);
    CHECK_NEAR(p[2].stiffness[2], 11.0, 0.0);
    CHECK_NEAR(p[2].damping[0], 0.0, 0.0);
    CHECK_NEAR(p[2].damping_time, 1.0, 0.0);
    CHECK_NEAR(p[2].rest_stretch[2], 1.1, 0.0);
    CHECK_NEAR(p[2].rest_curvature[1], PI / 2, 1e-15);
}

static void bases_are_placed_and_driven(void **state) {
    const td_robot *robot = *state;
    const td_base_def *base = &robot->rods[0].base;
    CHECK_NEAR(base->position[0].value, 1.0, 0.0);
    CHECK_NEAR(base->position[1].value, 2e-3, 0.0);
    CHECK_NEAR(base->position[2].gain, 1.0, 0.0);
    assert_int_equal(base->position[2].input, input_of(robot, "slide"));
    // z to x is a quarter turn about y.
    CHECK_NEAR(base->orientation[0], sqrt(0.5), 1e-15);
    CHECK_NEAR(base->orientation[2], sqrt(0.5), 1e-15);
    int swing = input_of(robot, "backbone.base.rotation.z");
    assert_int_equal(base->rotation[2].input, swing);
    assert_string_equal(robot->inputs[swing].unit, "rad");
    const td_signal *s = &robot->inputs[swing].signal;
    assert_int_equal(s->kind, TD_SIGNAL_SINE);
    CHECK_NEAR(s->to, PI / 9, 1e-15);
    CHECK_NEAR(s->phase, PI / 2, 1e-15);
    CHECK_NEAR(s->frequency, 2.0, 0.0);
    const double *q = robot->rods[1].base.orientation;
    CHECK_NEAR(q[0], sqrt(0.5), 1e-15);
    CHECK_NEAR(q[1], sqrt(0.5), 1e-15);
}

// Neither at nor from nor to: a unit per length says that the load lies along the whole rod.
static void a_load_per_length_needs_no_place(void **state) {
    (void)state;
    static const char *const loads[] = {"force: [0, 1 N/m, 0]",
                                        "force: [0, 0, push], moment: [1 N, 0, 0]"};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "tendril: 1\nrods: [{name: a, length: 0.3, section: {radius: 1 cm}, material: "
                 "{youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1e3}}]\nloads: [{%s}]\n",
                 loads[i]);
        td_error err;
        td_robot *robot = td_robot_parse(text, strlen(text), "load.yaml", NULL, 0, &err);
        if (!robot) fail_msg("%s: %s", err.where, err.message);
        const td_load_def *load = &robot->loads[0].def;
        assert_true(load->distributed);
        CHECK_NEAR(load->from, 0.0, 0.0);
        CHECK_NEAR(load->to, 0.3, 0.0);
        td_robot_destroy(robot);
    }
}

static void loads_are_placed_and_driven(void **state) {
    const td_robot *robot = *state;
    assert_int_equal(robot->n_loads, 3);
    const td_load_def *weight = &robot->loads[0].def, *wind = &robot->loads[1].def;
    CHECK_NEAR(weight->from, 0.4, 1e-15);
    CHECK_NEAR(weight->force[2].value, -0.2, 0.0);
    CHECK_NEAR(weight->moment[1].gain, 0.5, 0.0);
    assert_int_equal(weight->moment[1].input, input_of(robot, "screw"));
    assert_string_equal(wind->name, "load2");
    assert_true(wind->distributed);
    assert_int_equal(wind->rod, 1);
    assert_int_equal(wind->frame, TD_FRAME_BODY);
    CHECK_NEAR(wind->from, 0.25, 1e-15);
    CHECK_NEAR(wind->to, 0.5, 1e-15);
    CHECK_NEAR(wind->force[0].gain, -1.0, 0.0);
    int blow = input_of(robot, "blow.force.x");
    assert_int_equal(robot->inputs[blow].signal.kind, TD_SIGNAL_HAT);
    CHECK_NEAR(robot->inputs[blow].signal.to, 5.0, 0.0);
    CHECK_NEAR(robot->inputs[blow].signal.duration, 0.016, 0.0);
}

// A number is straight in one input, however it is written.
static void sums_with_an_input_are_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value, gain;
    } sums[] = {{"0.5 + 2*push", 0.5, 2.0},       {"-500 mN + push", -0.5, 1.0},
                {"push - 2 N", -2.0, 1.0},        {"push/4", 0.0, 0.25},
                {"palm/2 - 0.5*push", 1.5, -0.5}, {"-3*(push + 1 N)", -3.0, -3.0},
                {"push*two", 0.0, 2.0},           {"2*pi", 6.283185307179586, 0.0}};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "tendril: 1\nlet: {palm: 3 N, two: 2}\nrods: [{name: a, length: 0.3, section: "
                 "{radius: 1 cm}, "
                 "material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1e3}}]\n"
                 "loads: [{at: tip, force: [push, 0, %s]}]\ninputs: {push: 1 N}\n",
                 sums[i].text);
        td_error err;
        td_robot *robot = td_robot_parse(text, strlen(text), "sum.yaml", NULL, 0, &err);
        if (!robot) fail_msg("%s: %s", err.where, err.message);
        const td_number z = robot->loads[0].def.force[2];
        CHECK_NEAR(z.value, sums[i].value, 1e-15);
        CHECK_NEAR(z.gain, sums[i].gain, 1e-15);
        td_robot_destroy(robot);
    }
}

static void inputs_have_the_unit_of_their_place(void **state) {
    const td_robot *robot = *state;
    assert_string_equal(robot->inputs[input_of(robot, "slide")].unit, "m");
    assert_string_equal(robot->inputs[input_of(robot, "wind")].unit, "N/m");
    assert_string_equal(robot->inputs[input_of(robot, "screw")].unit, "N m");
    assert_string_equal(robot->inputs[input_of(robot, "lift")].unit, "m/s^2");
    assert_string_equal(robot->inputs[input_of(robot, "blow.force.x")].unit, "N");
    CHECK_NEAR(td_signal_value(&robot->inputs[input_of(robot, "slide")].signal, 0, TD_AFTER), 3e-3,
               0.0);
    const td_signal *wind = &robot->inputs[input_of(robot, "wind")].signal;
    CHECK_NEAR(td_signal_value(wind, 0.5, TD_AFTER), 1.0, 1e-15);
    CHECK_NEAR(td_signal_value(wind, 1.0, TD_BEFORE), 2.0, 0.0);
    CHECK_NEAR(td_signal_value(wind, 1.0, TD_AFTER), 5.0, 0.0);
    const td_signal *screw = &robot->inputs[input_of(robot, "screw")].signal;
    CHECK_NEAR(td_signal_value(screw, 0.35, TD_AFTER), 0.01, 1e-15);
    const td_signal *lift = &robot->inputs[input_of(robot, "lift")].signal;  // used, not declared
    CHECK_NEAR(td_signal_value(lift, 0.0, TD_AFTER), 0.0, 0.0);
    CHECK_NEAR(robot->gravity[1].value, -1.62, 0.0);
}

static void simulation_and_record_are_read(void **state) {
    td_options o = td_robot_options(*state);
    td_scenario s = td_robot_scenario(*state);
    assert_string_equal(o.model, "cosserat");
    assert_int_equal(o.theory, TD_KIRCHHOFF);
    assert_false(o.rotary_inertia);
    assert_int_equal(o.scheme, TD_TRAPEZOIDAL);
    CHECK_NEAR(o.alpha, -0.3, 0.0);
    assert_int_equal(o.startup, TD_REST_HISTORY);
    assert_int_equal(o.integrator, TD_EULER);
    assert_int_equal(o.steps, 50);
    assert_int_equal(o.history, TD_LINEAR);
    assert_int_equal(o.solver, TD_LEVENBERG_MARQUARDT);
    CHECK_NEAR(o.tolerance, 1e-8, 0.0);
    assert_int_equal(o.max_iterations, 33);
    assert_int_equal(s.start, TD_START_STRAIGHT);
    CHECK_NEAR(s.step, 1e-3, 0.0);
    CHECK_NEAR(s.end, 2.0, 0.0);
    CHECK_NEAR(s.record_every, 0.01, 0.0);
    assert_int_equal(s.record_points, 11);
    assert_int_equal(s.record_fields,
                     TD_RECORD_POSE | TD_RECORD_STRAIN | TD_RECORD_WRENCH | TD_RECORD_VELOCITY);
}

// ---------------------------------------------------------------- scenarios and overrides
static void a_scenario_overrides_and_adds(void **state) {
    (void)state;
    td_robot *robot = load(FILES "scenario.yaml", NULL, 0);
    assert_string_equal(td_robot_name(robot), "shaken");
    CHECK_NEAR(robot->gravity[2].value, 0.0, 0.0);
    assert_int_equal(robot->n_rods, 1);
    assert_int_equal(robot->n_loads, 3);
    assert_string_equal(robot->loads[0].name, "tip");
    CHECK_NEAR(robot->loads[0].def.force[2].gain, 1.0, 0.0);
    assert_string_equal(robot->loads[1].name, "middle");
    assert_string_equal(robot->loads[2].name, "extra");
    CHECK_NEAR(robot->scenario.step, 1e-3, 0.0);  // the robot's
    CHECK_NEAR(robot->scenario.end, 3.0, 0.0);    // the scenario's
    assert_int_equal(robot->scenario.record_points, 5);
    const td_signal *push = &robot->inputs[input_of(robot, "push")].signal;
    CHECK_NEAR(td_signal_value(push, 0.25, TD_AFTER), 0.75, 1e-15);
    CHECK_NEAR(td_signal_value(push, 9.0, TD_AFTER), -2.0, 0.0);
    CHECK_NEAR(robot->inputs[input_of(robot, "other")].signal.from, 4.0, 0.0);
    td_robot_destroy(robot);
}

static void overrides_reach_every_value(void **state) {
    (void)state;
    const char *const sets[] = {
        "rods.wire.length=0.3 m",
        "rods.0.section={radius: 2 mm, inner_radius: 1 mm}",
        "rods.wire.material.density=1",
        "simulation.time.step=2 ms",
        "simulation.space.steps=7",
        "loads.tip.force=[0, 0, -1]",
        "loads.middle.force.z=other",
        "inputs.other=5 N",
        "gravity=[0, 0, -1.62]",
        "name=changed by hand",
        "loads.1.at=20 %",
        "rods.wire.base.direction=[0, 1, 0]",
    };
    td_robot *robot = load(FILES "simple.yaml", sets, sizeof sets / sizeof *sets);
    CHECK_NEAR(robot->rods[0].length, 0.3, 0.0);
    CHECK_NEAR(robot->rods[0].pieces[0].section.inner_radius, 1e-3, 0.0);
    CHECK_NEAR(robot->rods[0].pieces[0].density, 1.0, 0.0);
    CHECK_NEAR(robot->scenario.step, 2e-3, 0.0);
    assert_int_equal(robot->options.steps, 7);
    CHECK_NEAR(robot->loads[0].def.force[2].value, -1.0, 0.0);
    CHECK_NEAR(robot->loads[1].def.force[2].gain, 1.0, 0.0);
    CHECK_NEAR(robot->loads[1].def.from, 0.06, 1e-15);
    CHECK_NEAR(robot->inputs[0].signal.from, 5.0, 0.0);
    CHECK_NEAR(robot->gravity[2].value, -1.62, 0.0);
    assert_string_equal(td_robot_name(robot), "changed by hand");
    CHECK_NEAR(robot->rods[0].base.orientation[1], -sqrt(0.5), 1e-15);
    td_robot_destroy(robot);
}

static void one_component_of_what_is_left_out_can_be_set(void **state) {
    (void)state;
    const char *text = "tendril: 1\n"
                       "rods: [{name: a, length: 1, mass_per_length: 1, stiffness: {bending: 1, "
                       "torsion: 1, shear: 1, extension: 1}}]\n"
                       "tendons: [{name: t, offset: [1 cm, 0]}]\n";
    const char *const sets[] = {"gravity.x=1", "rods.a.base.position.y=2",
                                "rods.a.rest.curvature.x=3", "rods.a.base.direction.x=1"};
    td_error err;
    td_robot *robot = td_robot_parse(text, strlen(text), "text", sets, 4, &err);
    assert_non_null(robot);
    CHECK_NEAR(robot->gravity[0].value, 1.0, 0.0);
    CHECK_NEAR(robot->gravity[2].value, -9.81, 0.0);
    CHECK_NEAR(robot->rods[0].base.position[1].value, 2.0, 0.0);
    CHECK_NEAR(robot->rods[0].base.position[2].value, 0.0, 0.0);
    CHECK_NEAR(robot->rods[0].base.orientation[0], cos(PI / 8.0), 1e-15);
    CHECK_NEAR(robot->rods[0].pieces[0].rest_curvature[0], 3.0, 0.0);
    td_robot_destroy(robot);
}

static void an_override_drives_an_input_made_in_place(void **state) {
    (void)state;
    const char *const sets[] = {"inputs.blow.force.x=3 N", "inputs.lift.step.to=2"};
    td_robot *robot = load(FILES "arm.yaml", sets, 2);
    const td_signal *blow = &robot->inputs[input_of(robot, "blow.force.x")].signal;
    assert_int_equal(blow->kind, TD_SIGNAL_CONSTANT);
    CHECK_NEAR(blow->from, 3.0, 0.0);
    CHECK_NEAR(robot->inputs[input_of(robot, "lift")].signal.to, 2.0, 0.0);
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- source
static void the_source_of_a_plain_file_is_its_text(void **state) {
    (void)state;
    const char *text = "tendril: 1  # with a comment\n"
                       "rods: [{name: a, length: 1, mass_per_length: 1, stiffness: {bending: 1, "
                       "torsion: 1, shear: 1, extension: 1}}]\n";
    td_robot *robot = parse(text);
    assert_string_equal(td_robot_source(robot), text);
    td_robot_destroy(robot);
}

static bool same_numbers(const td_number a[3], const td_number b[3]) {
    for (int i = 0; i < 3; i++)
        if (a[i].value != b[i].value || a[i].gain != b[i].gain || a[i].input != b[i].input)
            return false;
    return true;
}

// The parts without pointers, bit by bit, and the signals by their values.
static void check_same(const td_robot *a, const td_robot *b) {
    assert_int_equal(a->n_rods, b->n_rods);
    assert_int_equal(a->n_loads, b->n_loads);
    assert_int_equal(a->n_inputs, b->n_inputs);
    assert_true(same_numbers(a->gravity, b->gravity));
    for (int i = 0; i < a->n_rods; i++) {
        assert_string_equal(a->rods[i].name, b->rods[i].name);
        assert_int_equal(a->rods[i].n_pieces, b->rods[i].n_pieces);
        for (int j = 0; j < a->rods[i].n_pieces; j++)
            for (int end = 0; end < 2; end++) {
                td_section_properties p = piece_properties(&a->rods[i].pieces[j], end);
                td_section_properties q = piece_properties(&b->rods[i].pieces[j], end);
                assert_memory_equal(&p, &q, sizeof p);
            }
        assert_true(same_numbers(a->rods[i].base.position, b->rods[i].base.position));
        assert_true(same_numbers(a->rods[i].base.rotation, b->rods[i].base.rotation));
    }
    for (int i = 0; i < a->n_loads; i++) {
        assert_string_equal(a->loads[i].name, b->loads[i].name);
        assert_true(same_numbers(a->loads[i].def.force, b->loads[i].def.force));
        assert_true(same_numbers(a->loads[i].def.moment, b->loads[i].def.moment));
    }
    for (int i = 0; i < a->n_inputs; i++) {
        assert_string_equal(a->inputs[i].name, b->inputs[i].name);
        for (double t = -0.1; t < 2.0; t += 0.013)
            assert_true(td_signal_value(&a->inputs[i].signal, t, TD_AFTER) ==
                        td_signal_value(&b->inputs[i].signal, t, TD_AFTER));
    }
}

static void the_source_alone_gives_the_same_robot(void **state) {
    (void)state;
    const char *const sets[] = {"rods.0.drag=[1, 2, 3]", "name='- odd: \"name\" # \\ \t\u00e9'",
                                "description=\"a\\nb\\u0085\""};
    const char *const arm_sets[] = {"inputs.blow.force.x=3 N", "loads.weight.moment=[0, 0, 1 N m]"};
    td_robot *first[] = {load(FILES "scenario.yaml", sets, 3), load(FILES "arm.yaml", arm_sets, 2),
                         load(FILES "scenario.yaml", NULL, 0)};
    for (int i = 0; i < 3; i++) {
        td_robot *again = parse(td_robot_source(first[i]));
        check_same(first[i], again);
        assert_string_equal(td_robot_name(first[i]), td_robot_name(again));
        td_robot_destroy(again);
        td_robot_destroy(first[i]);
    }
}

// ---------------------------------------------------------------- small things
#define HEAD "tendril: 1\n"
#define ROD                                                                                        \
    "rods:\n- {name: a, length: 1, material: {youngs_modulus: 1e9, poisson_ratio: 0.3, "           \
    "density: 1e3}, section: {radius: 1 cm}"

static void directions_take_the_shortest_rotation(void **state) {
    (void)state;
    static const struct {
        const char *direction;
        double d[3];
    } cases[] = {
        {"[0, 0, 1]", {0, 0, 1}},         {"[0, 0, -1]", {0, 0, -1}},
        {"[3, 4, 0]", {0.6, 0.8, 0}},     {"[0, -2, 0]", {0, -1, 0}},
        {"[1e-9, 0, -1]", {1e-9, 0, -1}}, {"[1, 2, -2]", {1 / 3., 2 / 3., -2 / 3.}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, HEAD ROD ", base: {direction: %s}}\n", cases[i].direction);
        td_robot *robot = parse(text);
        const double *q = robot->rods[0].base.orientation, *d = cases[i].d;
        double w = q[0], x = q[1], y = q[2], z = q[3];
        // The third column of R(q) is where z goes; no turn about z itself: q_z = 0.
        CHECK_NEAR(2 * (x * z + w * y), d[0], 1e-15);
        CHECK_NEAR(2 * (y * z - w * x), d[1], 1e-15);
        CHECK_NEAR(1 - 2 * (x * x + y * y), d[2], 1e-15);
        CHECK_NEAR(z, 0.0, 0.0);
        CHECK_NEAR(w * w + x * x + y * y, 1.0, 1e-15);
        td_robot_destroy(robot);
    }
}

static void anchors_stand_for_what_they_name(void **state) {
    (void)state;
    td_robot *robot =
        parse(HEAD "materials:\n"
                   "  m: &m {youngs_modulus: &E 2e9, poisson_ratio: 0.25, density: 500}\n"
                   "rods:\n"
                   "- {name: a, length: 1, material: *m, section: &s {radius: 1 cm}}\n"
                   "- {name: b, length: 2, material: m, section: *s}\n"
                   "- {name: c, length: 2, section: *s, material: {youngs_modulus: *E, "
                   "shear_modulus: 1, density: 1}}\n");
    CHECK_NEAR(robot->rods[0].pieces[0].youngs_modulus, 2e9, 0.0);
    CHECK_NEAR(robot->rods[1].pieces[0].section.radius, 0.01, 0.0);
    CHECK_NEAR(robot->rods[2].pieces[0].youngs_modulus, 2e9, 0.0);
    td_robot_destroy(robot);
}

static void tables_may_be_written_in_several_ways(void **state) {
    (void)state;
    static const struct {
        const char *table;
        double t, value;
    } cases[] = {
        {"{file: tables/semicolon.csv}", 0.5, 1.75},
        {"{file: tables/blank.csv}", 1.0, 2.0},
        {"{file: tables/quoted.csv, time: time, value: value}", 0.5, 1.5},
        {"{file: tables/push.csv, time: t, value: unused}", 0.5, 9.0},
        {"{file: tables/push.csv, time: 1, value: 3}", 0.75, -0.25},
        {"{file: tables/blank.csv, value: 1}", 1.5, 1.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        td_error err;
        snprintf(text, sizeof text, HEAD ROD "}\nloads: [{at: tip, force: [0, 0, {table: %s}]}]\n",
                 cases[i].table);
        td_robot *robot = td_robot_parse(text, strlen(text), FILES "here.yaml", NULL, 0, &err);
        if (!robot) fail_msg("%s: %s: %s", cases[i].table, err.where, err.message);
        CHECK_NEAR(td_signal_value(&robot->inputs[0].signal, cases[i].t, TD_AFTER), cases[i].value,
                   1e-15);
        td_robot_destroy(robot);
    }
}

static void a_byte_order_mark_and_dos_lines_are_accepted(void **state) {
    (void)state;
    td_robot *robot = parse("\xef\xbb\xbftendril: 1\r\nname: dos\r\nrods:\r\n- name: a\r\n"
                            "  length: 1\r\n  mass_per_length: 1\r\n  stiffness:\r\n"
                            "    {bending: 1, torsion: 1, shear: 1, extension: 1}\r\n");
    assert_string_equal(td_robot_name(robot), "dos");
    td_robot_destroy(robot);
}

static void one_input_may_drive_several_numbers(void **state) {
    (void)state;
    td_robot *robot = parse(HEAD ROD "}\nloads: [{at: tip, force: [+f, -2e-1 * f, 3*f]}]\n");
    assert_int_equal(robot->n_inputs, 1);
    const td_number *force = robot->loads[0].def.force;
    CHECK_NEAR(force[0].gain, 1.0, 0.0);
    CHECK_NEAR(force[1].gain, -0.2, 0.0);
    CHECK_NEAR(force[2].gain, 3.0, 0.0);
    td_robot_destroy(robot);
}

static void signals_may_have_either_limit_of_their_keys(void **state) {
    (void)state;
    td_robot *robot =
        parse(HEAD ROD "}\n"
                       "loads:\n"
                       "- {name: p, at: tip, force: [{step: {from: 1 N, to: 0, at: 10 ms}}, "
                       "{sine: {offset: 1, amplitude: 2 N, frequency: 60 1/min, duration: 2}}, "
                       "0]}\n");
    const td_signal *step = &robot->inputs[0].signal, *sine = &robot->inputs[1].signal;
    assert_int_equal(step->kind, TD_SIGNAL_STEP);
    CHECK_NEAR(step->start, 0.01, 0.0);
    CHECK_NEAR(step->from, 1.0, 0.0);
    CHECK_NEAR(sine->frequency, 1.0, 1e-15);
    CHECK_NEAR(sine->from, 1.0, 0.0);
    CHECK_NEAR(sine->duration, 2.0, 0.0);
    td_robot_destroy(robot);
}

static void a_decimal_point_is_read_in_any_locale(void **state) {
    (void)state;
    // Where such a locale is installed; elsewhere the call fails and the test is a plain reading.
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    for (int i = 0; i < 4 && !setlocale(LC_NUMERIC, locales[i]); i++) continue;
    const char *const sets[] = {"rods.wire.length=0.25"};
    td_robot *robot = load(FILES "simple.yaml", sets, 1);
    CHECK_NEAR(robot->rods[0].length, 0.25, 0.0);
    setlocale(LC_NUMERIC, "C");
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_rod_is_what_its_keys_say, setup_arm, teardown),
        cmocka_unit_test_setup_teardown(pieces_take_over_what_they_leave_out, setup_arm, teardown),
        cmocka_unit_test_setup_teardown(bases_are_placed_and_driven, setup_arm, teardown),
        cmocka_unit_test(a_load_per_length_needs_no_place),
        cmocka_unit_test_setup_teardown(loads_are_placed_and_driven, setup_arm, teardown),
        cmocka_unit_test_setup_teardown(sums_with_an_input_are_numbers, setup_arm, teardown),
        cmocka_unit_test_setup_teardown(inputs_have_the_unit_of_their_place, setup_arm, teardown),
        cmocka_unit_test_setup_teardown(simulation_and_record_are_read, setup_arm, teardown),
        cmocka_unit_test(a_scenario_overrides_and_adds),
        cmocka_unit_test(overrides_reach_every_value),
        cmocka_unit_test(one_component_of_what_is_left_out_can_be_set),
        cmocka_unit_test(an_override_drives_an_input_made_in_place),
        cmocka_unit_test(the_source_of_a_plain_file_is_its_text),
        cmocka_unit_test(the_source_alone_gives_the_same_robot),
        cmocka_unit_test(directions_take_the_shortest_rotation),
        cmocka_unit_test(anchors_stand_for_what_they_name),
        cmocka_unit_test(tables_may_be_written_in_several_ways),
        cmocka_unit_test(a_byte_order_mark_and_dos_lines_are_accepted),
        cmocka_unit_test(one_input_may_drive_several_numbers),
        cmocka_unit_test(signals_may_have_either_limit_of_their_keys),
        cmocka_unit_test(a_decimal_point_is_read_in_any_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
