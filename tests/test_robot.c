// Building a robot in code: what is accepted is kept, what breaks a rule is refused by name and
// changes nothing.
#include "robots.h"

typedef struct kit {
    td_robot *robot;
    td_piece_def piece;
    td_rod_def rod;
    td_load_def load;
    td_input_def input;
} kit;

static int setup(void **state) {
    static kit k;
    k.robot = td_robot_create();
    k.piece = td_default_piece_def();
    k.piece.length = 0.4;
    k.piece.youngs_modulus = 207e9, k.piece.shear_modulus = 79e9, k.piece.density = 8000.0;
    k.piece.section.radius = 1e-3;
    k.rod = td_default_rod_def();
    k.rod.name = "wire", k.rod.pieces = &k.piece, k.rod.n_pieces = 1;
    k.load = td_default_load_def();
    k.load.name = "weight", k.load.from = 0.4;
    k.load.force[2] = td_constant(-1.0);
    k.input = (td_input_def){.name = "push", .unit = "N"};
    *state = &k;
    return k.robot ? 0 : -1;
}

static int teardown(void **state) {
    td_robot_destroy(((kit *)*state)->robot);
    return 0;
}

static void a_new_robot_has_the_documented_defaults(void **state) {
    kit *k = *state;
    td_options o = td_robot_options(k->robot);
    td_scenario s = td_robot_scenario(k->robot);
    assert_string_equal(o.model, "cosserat");
    assert_int_equal(o.theory, TD_COSSERAT);
    assert_true(o.rotary_inertia);
    assert_int_equal(o.integrator, TD_RK4);
    assert_int_equal(o.history, TD_CUBIC);
    assert_int_equal(o.steps, 100);
    assert_int_equal(o.scheme, TD_BDF_ALPHA);
    CHECK_NEAR(o.alpha, -0.2, 0.0);
    assert_int_equal(o.startup, TD_HALF_STEPS);
    assert_int_equal(o.solver, TD_NEWTON);
    CHECK_NEAR(o.tolerance, 1e-10, 0.0);
    assert_int_equal(o.max_iterations, 100);
    CHECK_NEAR(s.step, 5e-3, 0.0);
    CHECK_NEAR(s.end, 1.0, 0.0);
    assert_int_equal(s.start, TD_START_STATIC);
    CHECK_NEAR(s.record_every, 0.0, 0.0);
    assert_int_equal(s.record_points, 41);
    assert_int_equal(s.record_fields,
                     TD_RECORD_POSE | TD_RECORD_ENERGY | TD_RECORD_INPUTS | TD_RECORD_TENDONS |
                         TD_RECORD_CHAMBERS | TD_RECORD_MUSCLES | TD_RECORD_BODIES |
                         TD_RECORD_REACTIONS | TD_RECORD_SENSORS | TD_RECORD_CONTACT |
                         TD_RECORD_TEMPERATURES | TD_RECORD_STIFFENERS | TD_RECORD_JOINT_MOTORS);
    CHECK_NEAR(k->robot->gravity[2].value, -9.81, 0.0);
    assert_string_equal(td_robot_name(k->robot), "");
    assert_string_equal(td_robot_source(k->robot), "");
}

static void parts_are_copied_and_counted(void **state) {
    kit *k = *state;
    td_error err;
    const double points[] = {0.0, 1.0, 2.0, 3.0};
    double changing[4];
    memcpy(changing, points, sizeof points);
    k->input.signal = (td_signal){.kind = TD_SIGNAL_POINTS, .points = changing, .n_points = 2};
    char name[] = "wire";
    k->rod.name = name;
    CHECK_OK(td_robot_add_input(k->robot, &k->input, &err), err);
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    k->load.force[0] = (td_number){.value = 1.0, .gain = 2.0, .input = 0};
    CHECK_OK(td_robot_add_load(k->robot, &k->load, &err), err);
    CHECK_OK(td_robot_set_name(k->robot, "arm", &err), err);
    changing[3] = 99.0, name[0] = 'X', k->piece.length = 7.0;
    assert_int_equal(td_robot_n_rods(k->robot), 1);
    assert_int_equal(td_robot_n_inputs(k->robot), 1);
    assert_int_equal(td_robot_n_loads(k->robot), 1);
    assert_string_equal(td_robot_name(k->robot), "arm");
    assert_string_equal(k->robot->rods[0].name, "wire");
    CHECK_NEAR(k->robot->rods[0].length, 0.4, 0.0);
    CHECK_NEAR(td_signal_value(&k->robot->inputs[0].signal, 5.0, TD_AFTER), 3.0, 0.0);
    const double inputs[] = {10.0};
    CHECK_NEAR(number_value(k->robot->loads[0].def.force[0], inputs), 21.0, 0.0);
}

static void a_section_end_left_out_means_no_taper(void **state) {
    kit *k = *state;
    td_error err;
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    CHECK_NEAR(k->robot->rods[0].pieces[0].section_end.radius, 1e-3, 0.0);
}

static void a_quaternion_is_normalised(void **state) {
    kit *k = *state;
    td_error err;
    double *q = k->rod.base.orientation;
    q[0] = 0.6 * 1.0005, q[1] = 0.8 * 1.0005;
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    CHECK_NEAR(k->robot->rods[0].base.orientation[0], 0.6, 1e-15);
    CHECK_NEAR(k->robot->rods[0].base.orientation[1], 0.8, 1e-15);
}

// Each case spoils one value of a good piece.
#define PIECE(field_, value_, where_, says_)                                                       \
    { offsetof(td_piece_def, field_), (value_), "rods.wire.pieces.0." where_, (says_) }
static void pieces_that_break_a_rule_are_refused(void **state) {
    kit *k = *state;
    const double nan = (double)NAN, inf = HUGE_VAL;
    const spoilt cases[] = {
        PIECE(length, 0.0, "length", "must be positive"),
        PIECE(length, -1.0, "length", "-1 m must be positive"),
        PIECE(length, nan, "length", "finite"),
        PIECE(length, inf, "length", "finite"),
        PIECE(length, 1e200, "length", "too large"),
        PIECE(length, 1e-200, "length", "too small"),
        PIECE(youngs_modulus, 0.0, "material.youngs_modulus", "0 Pa must be positive"),
        PIECE(shear_modulus, -1.0, "material.shear_modulus", "positive"),
        PIECE(density, nan, "material.density", "finite"),
        PIECE(section.radius, -1e-3, "section.radius", "-0.001 m must be positive"),
        PIECE(section.inner_radius, 1e-3, "section.inner_radius", "smaller than the radius"),
        PIECE(section.inner_radius, -1e-4, "section.inner_radius", "not be negative"),
        PIECE(section_end.radius, inf, "section_end.radius", "finite"),
        PIECE(shear_factor, 0.0, "shear_factor", "positive"),
        PIECE(stiffness[0], -1.0, "stiffness.bending.x", "not be negative"),
        PIECE(stiffness[5], nan, "stiffness.extension", "finite"),
        PIECE(mass_per_length, -1.0, "mass_per_length", "not be negative"),
        PIECE(damping[2], -1.0, "damping.torsion", "N m^2 s must not be negative"),
        PIECE(damping_time, -1.0, "damping.time", "not be negative"),
        PIECE(drag[1], -1.0, "drag.y", "not be negative"),
        PIECE(linear_drag[2], nan, "linear_drag.z", "finite"),
        PIECE(rest_curvature[0], inf, "rest.curvature.x", "finite"),
        PIECE(rest_stretch[2], 0.0, "rest.stretch.z", "positive"),
        PIECE(section.radius, 1e-60, "mass_per_length", "too small"),  // 1e-120 m^2
        PIECE(section.radius, 1e60, "mass_per_length", "too large"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_piece_def bad = k->piece;
        td_error err;
        memcpy((char *)&bad + cases[i].offset, &cases[i].value, sizeof(double));
        k->rod.pieces = &bad;
        refused(td_robot_add_rod(k->robot, &k->rod, &err), &err, cases[i].where, cases[i].says);
        assert_int_equal(td_robot_n_rods(k->robot), 0);
    }
}

static void a_rod_may_be_given_by_stiffness_and_mass_alone(void **state) {
    kit *k = *state;
    td_error err;
    td_piece_def bare = td_default_piece_def();
    bare.length = 1.0, bare.mass_per_length = 0.1;
    for (int i = 0; i < 6; i++) bare.stiffness[i] = 1.0 + i;
    k->rod.pieces = &bare;
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    td_section_properties p = piece_properties(&k->robot->rods[0].pieces[0], 0.5);
    CHECK_NEAR(p.stiffness[2], 3.0, 0.0);
    CHECK_NEAR(p.mass, 0.1, 0.0);
    CHECK_NEAR(p.inertia[0], 0.0, 0.0);
    bare.stiffness[5] = 0.0;
    k->rod.name = "other";
    refused(td_robot_add_rod(k->robot, &k->rod, &err), &err,
            "rods.other.pieces.0.material.youngs_modulus", "positive");
}

static void rods_that_break_a_rule_are_refused(void **state) {
    kit *k = *state;
    td_error err;
    td_rod_def bad = k->rod;
    bad.name = NULL;
    refused(td_robot_add_rod(k->robot, &bad, &err), &err, "rods", "name is missing");
    bad.name = "";
    refused(td_robot_add_rod(k->robot, &bad, &err), &err, "rods", "name is missing");
    bad.name = "my rod";
    refused(td_robot_add_rod(k->robot, &bad, &err), &err, "rods", "'my rod' may hold letters");
    bad.name = "a123456789012345678901234567890123456789012345678901234567890123";
    refused(td_robot_add_rod(k->robot, &bad, &err), &err, "rods", "longer than 63");
    bad = k->rod, bad.n_pieces = 0;
    refused(td_robot_add_rod(k->robot, &bad, &err), &err, "rods.wire", "0 pieces");
    bad = k->rod, bad.base.orientation[0] = 1.1;
    refused(td_robot_add_rod(k->robot, &bad, &err), &err, "rods.wire.base.quaternion", "norm");
    bad = k->rod, bad.base.orientation[0] = (double)NAN;
    refused(td_robot_add_rod(k->robot, &bad, &err), &err, "rods.wire.base.quaternion", "norm");
    bad = k->rod, bad.base.position[1] = td_constant(HUGE_VAL);
    refused(td_robot_add_rod(k->robot, &bad, &err), &err, "rods.wire.base.position.y", "finite");
    bad = k->rod, bad.base.rotation[2] = (td_number){.gain = 1.0, .input = 0};
    refused(td_robot_add_rod(k->robot, &bad, &err), &err, "rods.wire.base.motion.rotation.z",
            "index of an input");
    td_piece_def mixed = k->piece;
    mixed.section_end = (td_section){.shape = TD_SECTION_RECTANGLE, .width = 1.0, .height = 1.0};
    bad = k->rod, bad.pieces = &mixed;
    refused(td_robot_add_rod(k->robot, &bad, &err), &err, "rods.wire.pieces.0", "different shapes");
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    refused(td_robot_add_rod(k->robot, &k->rod, &err), &err, "rods.wire", "another rod");
    assert_int_equal(td_robot_n_rods(k->robot), 1);
    refused(td_robot_add_rod(NULL, &k->rod, &err), &err, "rods", "NULL");
}

static void loads_that_break_a_rule_are_refused(void **state) {
    kit *k = *state;
    td_error err;
    refused(td_robot_add_load(k->robot, &k->load, &err), &err, "loads.weight.rod",
            "index of a rod");
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    td_load_def bad = k->load;
    bad.from = 0.5;
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.weight.at",
            "between 0 and 0.4 m");
    bad.from = -0.1;
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.weight.at", "-0.1 m must lie on");
    bad.from = (double)NAN;
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.weight.at", "must lie on");
    bad = k->load, bad.distributed = true, bad.from = 0.2, bad.to = 0.2;
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.weight.to", "no length");
    bad.to = 0.5;
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.weight.to", "must lie on");
    bad = k->load, bad.moment[1] = td_constant((double)NAN);
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.weight.moment.y", "finite");
    bad = k->load, bad.force[0] = (td_number){.gain = 1.0, .input = -1};
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.weight.force.x", "index");
    bad = k->load, bad.name = "1st";
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads", "'1st'");
    bad = k->load, bad.frame = (td_frame)7;
    refused(td_robot_add_load(k->robot, &bad, &err), &err, "loads.weight.frame", "frame");
    CHECK_OK(td_robot_add_load(k->robot, &k->load, &err), err);
    refused(td_robot_add_load(k->robot, &k->load, &err), &err, "loads.weight", "another load");
    assert_int_equal(td_robot_n_loads(k->robot), 1);
}

static void a_load_at_the_rounded_end_of_the_rod_is_accepted(void **state) {
    kit *k = *state;
    td_error err;
    td_piece_def pieces[3] = {k->piece, k->piece, k->piece};
    for (int i = 0; i < 3; i++) pieces[i].length = 0.1;
    k->rod.pieces = pieces, k->rod.n_pieces = 3;
    CHECK_OK(td_robot_add_rod(k->robot, &k->rod, &err), err);
    k->load.from = k->robot->rods[0].length * (1.0 + 4e-16);
    CHECK_OK(td_robot_add_load(k->robot, &k->load, &err), err);
    assert_true(k->robot->loads[0].def.from <= k->robot->rods[0].length);
}

static void inputs_that_break_a_rule_are_refused(void **state) {
    kit *k = *state;
    td_error err;
    const double falling[] = {0.0, 1.0, -1.0, 2.0}, steep[] = {0.0, -1e100, 1e-300, 1e100};
    const double not_finite[] = {0.0, (double)NAN};
    const struct {
        td_signal signal;
        const char *where, *says;
    } cases[] = {
        {{.kind = TD_SIGNAL_CONSTANT, .from = HUGE_VAL}, "inputs.push.from", "finite"},
        {{.kind = TD_SIGNAL_STEP, .start = (double)NAN}, "inputs.push.start", "finite"},
        {{.kind = TD_SIGNAL_RAMP, .to = 1.0}, "inputs.push.duration", "positive"},
        {{.kind = TD_SIGNAL_HAT, .duration = -1.0}, "inputs.push.duration", "positive"},
        {{.kind = TD_SIGNAL_HAT, .to = -HUGE_VAL}, "inputs.push.to", "finite"},
        {{.kind = TD_SIGNAL_SINE, .frequency = -1.0}, "inputs.push.frequency", "positive"},
        {{.kind = TD_SIGNAL_SINE, .frequency = 1.0, .duration = -1.0},
         "inputs.push.duration",
         "negative"},
        {{.kind = TD_SIGNAL_POINTS}, "inputs.push", "at least one point"},
        {{.kind = TD_SIGNAL_POINTS, .points = falling, .n_points = 2},
         "inputs.push",
         "must not decrease"},
        {{.kind = TD_SIGNAL_POINTS, .points = steep, .n_points = 2}, "inputs.push", "overflows"},
        {{.kind = TD_SIGNAL_POINTS, .points = not_finite, .n_points = 1},
         "inputs.push.points.value",
         "finite"},
        {{.kind = (td_signal_kind)17}, "inputs.push", "not a kind"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        k->input.signal = cases[i].signal;
        refused(td_robot_add_input(k->robot, &k->input, &err), &err, cases[i].where, cases[i].says);
    }
    k->input.signal = (td_signal){0};
    k->input.name = "arm..x";
    refused(td_robot_add_input(k->robot, &k->input, &err), &err, "inputs", "'arm..x'");
    k->input.name = "arm.force.x";
    CHECK_OK(td_robot_add_input(k->robot, &k->input, &err), err);
    refused(td_robot_add_input(k->robot, &k->input, &err), &err, "inputs.arm.force.x", "another");
    assert_int_equal(td_robot_n_inputs(k->robot), 1);
}

static void gravity_is_checked_and_kept(void **state) {
    kit *k = *state;
    td_error err;
    td_number g[3] = {td_constant(0.0), td_constant(1.62), td_constant((double)NAN)};
    refused(td_robot_set_gravity(k->robot, g, &err), &err, "gravity.z", "finite");
    CHECK_NEAR(k->robot->gravity[2].value, -9.81, 0.0);
    g[2] = td_constant(0.0);
    CHECK_OK(td_robot_set_gravity(k->robot, g, &err), err);
    CHECK_NEAR(k->robot->gravity[1].value, 1.62, 0.0);
}

static void options_that_break_a_rule_are_refused(void **state) {
    (void)state;
    td_error err;
    td_options good = td_default_options(), o;
    assert_int_equal(options_validate(&good, &err), TD_OK);
    o = good, o.cookie = 0;
    refused(options_validate(&o, &err), &err, "simulation", "td_default_options()");
    o = good, o.alpha = 0.1;
    refused(options_validate(&o, &err), &err, "simulation.time.alpha", "between -0.5 and 0");
    o = good, o.alpha = (double)NAN;
    refused(options_validate(&o, &err), &err, "simulation.time.alpha", "between");
    o = good, o.steps = 0;
    refused(options_validate(&o, &err), &err, "simulation.space.steps", "between 1 and 100000");
    o = good, o.steps = 100001;
    refused(options_validate(&o, &err), &err, "simulation.space.steps", "between");
    o = good, o.tolerance = 0.1;
    refused(options_validate(&o, &err), &err, "simulation.solver.tolerance", "between");
    o = good, o.max_iterations = 0;
    refused(options_validate(&o, &err), &err, "simulation.solver.max_iterations", "between");
    o = good, o.scheme = (td_scheme)9;
    refused(options_validate(&o, &err), &err, "simulation.time.scheme", "9");
    o = good, o.theory = (td_theory)-1;
    refused(options_validate(&o, &err), &err, "simulation.theory", "-1");
    o = good, memset(o.model, 'x', sizeof o.model);
    refused(options_validate(&o, &err), &err, "simulation.model", "not terminated");
    o = good, o.alpha = -0.5, o.steps = 1, o.tolerance = 1e-15;
    assert_int_equal(options_validate(&o, &err), TD_OK);
}

static void scenarios_that_break_a_rule_are_refused(void **state) {
    (void)state;
    td_error err;
    td_scenario good = default_scenario(), s;
    assert_int_equal(scenario_validate(&good, &err), TD_OK);
    s = good, s.step = 0.0;
    refused(scenario_validate(&s, &err), &err, "simulation.time.step", "positive");
    s = good, s.end = -1.0;
    refused(scenario_validate(&s, &err), &err, "simulation.time.end", "positive");
    s = good, s.step = 1e-12;
    refused(scenario_validate(&s, &err), &err, "simulation.time.step", "1e+12 steps");
    s = good, s.record_every = (double)NAN;
    refused(scenario_validate(&s, &err), &err, "record.every", "positive");
    s = good, s.record_points = 1;
    refused(scenario_validate(&s, &err), &err, "record.shape", "between 2");
    s = good, s.record_fields = 1u << 20;
    refused(scenario_validate(&s, &err), &err, "record.fields", "no field");
}

static void no_robot_is_an_empty_robot(void **state) {
    (void)state;
    assert_int_equal(td_robot_n_rods(NULL), 0);
    assert_int_equal(td_robot_n_inputs(NULL), 0);
    assert_int_equal(td_robot_n_loads(NULL), 0);
    assert_string_equal(td_robot_name(NULL), "");
    td_robot_destroy(NULL);
    assert_int_equal(td_robot_add_rod(NULL, NULL, NULL), TD_ERR_ARGUMENT);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_new_robot_has_the_documented_defaults),
        CASE(parts_are_copied_and_counted),
        CASE(a_section_end_left_out_means_no_taper),
        CASE(a_quaternion_is_normalised),
        CASE(pieces_that_break_a_rule_are_refused),
        CASE(a_rod_may_be_given_by_stiffness_and_mass_alone),
        CASE(rods_that_break_a_rule_are_refused),
        CASE(loads_that_break_a_rule_are_refused),
        CASE(a_load_at_the_rounded_end_of_the_rod_is_accepted),
        CASE(inputs_that_break_a_rule_are_refused),
        CASE(gravity_is_checked_and_kept),
        CASE(options_that_break_a_rule_are_refused),
        CASE(scenarios_that_break_a_rule_are_refused),
        CASE(no_robot_is_an_empty_robot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
