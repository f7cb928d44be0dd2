// Actuators made from a robot: what they measure at rest, what their inputs give, and the equation
// of an unknown effort. Against closed forms, Till 2019 and linear robots.
#include "rods.h"

#include "actuation/actuator.h"
#include "allocator.h"

#define FROM(value) ((supply){.given = (value), .share = 1.0})

#define PI 3.14159265358979323846

static td_piece_def straight_piece(double length) {
    td_piece_def piece = steel_piece();
    piece.length = length;
    return piece;
}

static td_tendon_def tendon_def(const char *name, double from, double to) {
    td_tendon_def def = td_default_tendon_def();
    def.name = name;
    def.from = from, def.to = to;
    def.offset[0] = def.offset_end[0] = 0.01;
    return def;
}

static td_chamber_def chamber_def(const char *name, td_chamber_input input) {
    td_chamber_def def = td_default_chamber_def();
    def.name = name;
    def.to = 0.4;
    def.offset[0] = 2e-4;
    def.radius = 1e-4;
    def.input = input;
    return def;
}

static void add_tendon(td_robot *robot, const td_tendon_def *def) {
    td_error err = {0};
    CHECK_OK(td_robot_add_tendon(robot, def, &err), err);
}

static void add_chamber(td_robot *robot, const td_chamber_def *def) {
    td_error err = {0};
    CHECK_OK(td_robot_add_chamber(robot, def, &err), err);
}

// The only actuator of a robot, which is gone when this returns.
static actuator *only(td_robot *robot) {
    int n = 0;
    actuator *list = actuators_make(robot, &n);
    td_robot_destroy(robot);
    assert_non_null(list);
    assert_int_equal(n, 1);
    return list;
}

static actuator *one_tendon(const td_piece_def *pieces, int n_pieces, const td_tendon_def *def) {
    td_robot *robot = rod_robot(pieces, n_pieces);
    add_tendon(robot, def);
    return only(robot);
}

static actuator *one_chamber(const td_piece_def *piece, const td_chamber_def *def) {
    td_robot *robot = rod_robot(piece, 1);
    add_chamber(robot, def);
    return only(robot);
}

// ---------------------------------------------------------------- the list
static void tendons_come_first_and_outlive_their_robot(void **state) {
    (void)state;
    td_piece_def piece = straight_piece(0.4);
    td_robot *robot = rod_robot(&piece, 1);
    td_chamber_def air = chamber_def("air", TD_AMOUNT);
    air.value = td_constant(1e-6);
    double points[] = {0.0, 0.01, 0.0, 0.1, 0.0, 0.01, 0.2, -0.01, 0.0};
    td_tendon_def straight = tendon_def("east", 0.1, 0.4), curved = tendon_def("round", 0.0, 0.2);
    curved.routing = TD_ROUTING_POINTS, curved.points = points, curved.n_points = 3;
    curved.input = TD_DISPLACEMENT;
    add_chamber(robot, &air);
    add_tendon(robot, &straight);
    add_tendon(robot, &curved);
    int n = 0;
    actuator *list = actuators_make(robot, &n);
    td_robot_destroy(robot);
    for (int i = 0; i < 9; i++) points[i] = 1e30;
    assert_int_equal(n, 3);
    assert_string_equal(list[0].name, "east");
    assert_string_equal(list[1].name, "round");
    assert_string_equal(list[2].name, "air");
    assert_true(list[0].index == 0 && list[1].index == 1 && list[2].index == 0);
    assert_true(list[0].control == CONTROL_EFFORT && list[1].control == CONTROL_MEASURE);
    assert_true(list[2].control == CONTROL_GAS && list[2].sign < 0.0 && list[0].sign > 0.0);
    CHECK_NEAR(actuator_route(&list[1], 0.1).r.y, 0.01, 1e-17);
    CHECK_NEAR(actuator_route(&list[2], 0.3).r.x, 2e-4, 0.0);
    actuators_free(list, n);
}

static void none_and_no_memory_are_told_apart(void **state) {
    (void)state;
    td_piece_def piece = straight_piece(0.4);
    td_robot *robot = rod_robot(&piece, 1);
    int n = 7;
    assert_null(actuators_make(robot, &n));
    assert_int_equal(n, 0);
    td_tendon_def def = tendon_def("east", 0.0, 0.4);
    add_tendon(robot, &def);
    if (TRAPPING) {
        long before = live;
        fail_at = allocations;
        assert_null(actuators_make(robot, &n));
        fail_at = -1;
        assert_int_equal(n, 1);
        assert_int_equal(live, before);
    }
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- the rest shape
static void a_helix_on_a_straight_rod_has_its_unrolled_length(void **state) {
    (void)state;
    td_piece_def piece = straight_piece(0.4);
    td_tendon_def def = tendon_def("helix", 0.05, 0.35);
    def.routing = TD_ROUTING_HELIX, def.radius = 0.008, def.turns = 2.5;
    actuator *a = one_tendon(&piece, 1, &def);
    CHECK_NEAR(a->rest, hypot(0.3, 0.008 * 2.0 * PI * 2.5), 1e-15);
    CHECK_NEAR(a->offset, 0.008, 1e-17);
    actuators_free(a, 1);
}

// One turn of a helix on a ring-shaped rod of radius R is a torus knot: the integral of
// sqrt((R - r cos)^2 / R^2 + (r k)^2), by the trapezoidal rule over a period, which is spectral.
static void a_helix_on_a_curved_rod_has_the_length_of_a_torus_knot(void **state) {
    (void)state;
    const double R = 0.1, r = 0.02;
    td_piece_def piece = straight_piece(0.4);
    piece.rest_curvature[1] = 1.0 / R;
    for (int turns = 1; turns <= 5; turns += 4) {
        td_tendon_def def = tendon_def("knot", 0.0, 0.4);
        def.routing = TD_ROUTING_HELIX, def.radius = r, def.turns = turns;
        double k = 2.0 * PI * turns / 0.4, exact = 0.0;
        for (int i = 0; i < 200; i++)
            exact += hypot(1.0 - r / R * cos(2.0 * PI * i / 200.0), r * k) * 0.4 / 200;
        actuator *a = one_tendon(&piece, 1, &def);
        CHECK_NEAR(a->rest, exact, 1e-13);
        actuators_free(a, 1);
    }
}

// Straight, then an arc that bends towards the tendon, then stretched by 2 %.
static void the_rest_length_sums_over_the_pieces_it_runs_through(void **state) {
    (void)state;
    td_piece_def pieces[3] = {straight_piece(0.1), straight_piece(0.2), straight_piece(0.1)};
    pieces[1].rest_curvature[1] = 5.0;
    pieces[2].rest_stretch[2] = 1.02;
    const double ends[4][3] = {
        {0.0, 0.4, 0.1 + 0.2 * (1.0 - 5.0 * 0.01) + 0.1 * 1.02},
        {0.05, 0.25, 0.05 + 0.15 * (1.0 - 5.0 * 0.01)},
        {0.12, 0.13, 0.01 * (1.0 - 5.0 * 0.01)},
        {0.3, 0.4, 0.1 * 1.02},
    };
    for (int i = 0; i < 4; i++) {
        td_tendon_def def = tendon_def("east", ends[i][0], ends[i][1]);
        actuator *a = one_tendon(pieces, 3, &def);
        CHECK_NEAR(a->rest, ends[i][2], 1e-15);
        actuators_free(a, 1);
    }
}

// Kirchhoff's part of what a rod gives to a parallel tendon is L offset^2/EI; stretch adds L/EA.
static void the_rod_gives_way_by_its_bending_and_its_stretch(void **state) {
    (void)state;
    td_piece_def piece = straight_piece(0.4);
    td_tendon_def def = tendon_def("east", 0.0, 0.3);
    actuator *a = one_tendon(&piece, 1, &def);
    const double E = 207e9, I = PI * 1e-12 / 4.0, A = PI * 1e-6;
    CHECK_NEAR(a->give, 0.3 * (1e-4 / (E * I) + 1.0 / (E * A)), 1e-15);
    CHECK_NEAR(a->presliding, 2e-5, 1e-18);
    actuators_free(a, 1);
    def.offset[0] = def.offset_end[0] = 0.0;
    def.presliding = 3e-6;
    a = one_tendon(&piece, 1, &def);
    CHECK_NEAR(a->offset, 0.5e-3, 1e-9);  // radius of gyration of the 1 mm rod
    CHECK_NEAR(a->presliding, 3e-6, 0.0);
    actuators_free(a, 1);
}

// ---------------------------------------------------------------- what inputs give
static void efforts_scale_and_tension_below_zero_is_none(void **state) {
    (void)state;
    td_piece_def piece = straight_piece(0.4);
    td_robot *robot = rod_robot(&piece, 1);
    td_tendon_def def = tendon_def("east", 0.0, 0.4);
    def.value = (td_number){.value = 1.0, .gain = 2.0, .input = add_input(robot, "pull")};
    add_tendon(robot, &def);
    actuator *a = only(robot);
    CHECK_NEAR(actuator_given(a, (double[]){3.0}, 0.5), 3.5, 0.0);
    CHECK_NEAR(actuator_given(a, (double[]){-3.0}, 0.5), 0.0, 0.0);
    actuators_free(a, 1);
    td_chamber_def suction = chamber_def("air", TD_PRESSURE);
    suction.value = td_constant(-2e4);
    a = one_chamber(&piece, &suction);
    CHECK_NEAR(actuator_given(a, NULL, 0.25), -5e3, 0.0);
    actuators_free(a, 1);
}

static actuator *stretchy_tendon(double pretension, double value) {
    td_piece_def piece = straight_piece(0.4);
    td_tendon_def def = tendon_def("east", 0.0, 0.4);
    def.input = TD_DISPLACEMENT;
    def.value = td_constant(value);
    def.stiffness = 2e4, def.outside = 0.5, def.compliance = 1e-5;
    def.pretension = pretension;
    return one_tendon(&piece, 1, &def);
}

static void pretension_is_there_in_the_rest_shape_and_nothing_at_scale_zero(void **state) {
    (void)state;
    actuator *a = stretchy_tendon(2.0, 0.0);
    CHECK_NEAR(a->compliance, 0.5 / 2e4 + 1e-5, 1e-19);
    balance b = actuator_balance(a, FROM(actuator_given(a, NULL, 1.0)), 2.0, a->rest);
    CHECK_NEAR(b.residual, 0.0, 1e-17);
    assert_false(b.slack);
    b = actuator_balance(a, FROM(actuator_given(a, NULL, 0.0)), 0.0, a->rest);
    CHECK_NEAR(b.residual, 0.0, 0.0);
    actuators_free(a, 1);
}

// ---------------------------------------------------------------- taut and slack
// Held in its rest shape the tendon is a spring: tension = displacement over all its compliance.
static void a_tendon_in_a_rigid_rod_is_a_spring_that_only_pulls(void **state) {
    (void)state;
    actuator *a = stretchy_tendon(0.0, 0.0);
    double yield = 1e-5 + (0.5 + 0.4) / 2e4;
    balance taut = actuator_balance(a, FROM(1e-3), 1e-3 / yield, a->rest);
    CHECK_NEAR(taut.residual, 0.0, 1e-17);
    CHECK_NEAR(taut.by_effort, yield, 1e-18);
    CHECK_NEAR(taut.by_measure, -1.0, 0.0);
    assert_false(taut.slack);
    balance slack = actuator_balance(a, FROM(-1e-3), 0.0, a->rest);
    CHECK_NEAR(slack.residual, 0.0, 0.0);
    assert_true(slack.slack && slack.by_effort > 0.0 && slack.by_measure == 0.0);
    actuators_free(a, 1);
}

// On a rod that gives way linearly, measure = rest - give T, Newton knows the branch at once.
static void a_linear_robot_is_solved_in_two_steps_from_anywhere(void **state) {
    (void)state;
    actuator *a = stretchy_tendon(0.0, 0.0);
    const double pulls[4] = {-3e-3, -1e-6, 1e-6, 4e-3}, starts[3] = {0.0, 5.0, 50.0};
    double yield = 1e-5 + 0.9 / 2e4;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            for (int k = -1; k <= 1; k++) {
                double T = starts[j], m = a->rest + 5e-3 * k;
                for (int step = 0; step < 2; step++) {
                    balance b = actuator_balance(a, FROM(pulls[i]), T, m);
                    double rod = m - (a->rest - a->give * T);  // dm + give dT = -rod
                    double slope = b.by_effort - b.by_measure * a->give;
                    double dT = -(b.residual - b.by_measure * rod) / slope;
                    m += -rod - a->give * dT;
                    T += dT;
                }
                double exact = fmax(0.0, pulls[i] / (yield + a->give));
                CHECK_NEAR(T, exact, 1e-10);
                assert_true(actuator_balance(a, FROM(pulls[i]), T, m).slack == (pulls[i] < 0.0));
            }
    actuators_free(a, 1);
}

static void a_tendon_that_does_not_stretch_still_goes_slack(void **state) {
    (void)state;
    td_piece_def piece = straight_piece(0.4);
    td_tendon_def def = tendon_def("wire", 0.0, 0.4);
    def.input = TD_DISPLACEMENT;
    actuator *a = one_tendon(&piece, 1, &def);
    balance taut = actuator_balance(a, FROM(1e-3), 3.0, a->rest - 0.9e-3);
    CHECK_NEAR(taut.residual, -1e-4, 1e-16);
    CHECK_NEAR(taut.by_effort, 0.0, 0.0);
    assert_true(!taut.slack);
    assert_true(actuator_balance(a, FROM(-1e-3), 0.0, a->rest).slack);
    // Negative tensions are never accepted.
    assert_true(actuator_balance(a, FROM(0.0), -1.0, a->rest).residual < 0.0);
    actuators_free(a, 1);
}

static void material_and_length_say_the_same_at_uniform_tension(void **state) {
    (void)state;
    actuator *a = stretchy_tendon(1.0, 2e-3);
    double given = actuator_given(a, NULL, 1.0), m = a->rest - 1.5e-3;
    for (double T = 0.0; T < 40.0; T += 8.0) {
        balance one = actuator_balance(a, FROM(given), T, m);
        balance two = tendon_balance(a, FROM(given), T, m - a->rest * T / 2e4);
        CHECK_NEAR(one.residual, two.residual, 1e-16);
        assert_true(one.slack == two.slack);
    }
    actuators_free(a, 1);
}

// ---------------------------------------------------------------- fluids
// The finger of Till 2019, section 5.3 (computed independently: RK4, 50 points): a chamber of
// 19.6 mm^2 along 0.1 m, with the gas constant 8.314.
#define OLD_GAS_CONSTANT (8.314 / 8.31446261815324)

static actuator *finger(td_chamber_input input, double value, bool path_volume) {
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.1;
    piece.youngs_modulus = 20e3, piece.shear_modulus = 20e3 / 3.0, piece.density = 300.0;
    piece.section.radius = piece.section_end.radius = 0.015;
    td_chamber_def def = td_default_chamber_def();
    def.name = "air";
    def.to = 0.1;
    def.offset[0] = -0.010286;
    def.radius = 2.5e-3;
    def.input = input;
    def.value = td_constant(value);
    def.path_volume = path_volume;
    return one_chamber(&piece, &def);
}

static void the_finger_starts_with_the_air_of_the_paper(void **state) {
    (void)state;
    actuator *a = finger(TD_AMOUNT, 2e-4, true);
    CHECK_NEAR(a->rest, 1.963495408493621e-06, 1e-20);
    double start = actuator_given(a, NULL, 0.0);
    CHECK_NEAR(start, 8.162939613583861e-05 * OLD_GAS_CONSTANT, 1e-18);
    CHECK_NEAR(actuator_balance(a, FROM(start), 0.0, a->rest).residual, 0.0, 1e-20);
    CHECK_NEAR(actuator_given(a, NULL, 1.0), 2e-4, 0.0);
    actuators_free(a, 1);
}

static void the_inflated_finger_obeys_the_gas_law(void **state) {
    (void)state;
    actuator *a = finger(TD_AMOUNT, 2e-4, false);
    const double P = 82970.71489943008, V = 2.6449330103307096e-06;
    balance b = actuator_balance(a, FROM(2e-4 * OLD_GAS_CONSTANT), P, V);
    CHECK_NEAR(b.residual, 0.0, 1e-9 * V);
    CHECK_NEAR(actuator_balance(a, FROM(2e-4), P + 1.0, V).residual -
                   actuator_balance(a, FROM(2e-4), P, V).residual,
               b.by_effort, 1e-20);
    CHECK_NEAR(actuator_balance(a, FROM(2e-4), P, 2.0 * V).residual -
                   actuator_balance(a, FROM(2e-4), P, V).residual,
               b.by_measure * V, 1e-20);
    actuators_free(a, 1);
}

static void no_gas_is_a_vacuum_and_any_pressure_is_finite(void **state) {
    (void)state;
    actuator *a = finger(TD_AMOUNT, 2e-4, false);
    a->value = td_constant(-1.0);  // as an input may say
    CHECK_NEAR(actuator_given(a, NULL, 1.0), 0.0, 0.0);
    CHECK_NEAR(actuator_balance(a, FROM(0.0), -101325.0, a->rest).residual, 0.0, 0.0);
    const double pressures[3] = {-101325.0, -3e5, 1e9};
    for (int i = 0; i < 3; i++) {
        balance b = actuator_balance(a, FROM(2e-4), pressures[i], a->rest);
        assert_true(isfinite(b.residual) && b.by_effort < 0.0);
    }
    actuators_free(a, 1);
}

// A chamber that widens as V = V0 + c P: (P + atmosphere)(V0 + c P) = n R T is a quadratic.
static void gas_in_a_springy_chamber_is_found_from_any_pressure(void **state) {
    (void)state;
    actuator *a = finger(TD_AMOUNT, 2e-4, false);
    const double c = 8e-12, p0 = 101325.0, V0 = a->rest, amounts[3] = {1e-6, 8e-5, 2e-3};
    const double starts[3] = {-9e4, 0.0, 1e6};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double P = starts[j];
            for (int step = 0; step < 30; step++) {
                balance b = actuator_balance(a, FROM(amounts[i]), P, V0 + c * P);
                P -= b.residual / (b.by_effort + b.by_measure * c);
            }
            double half = 0.5 * (V0 + c * p0), rest = p0 * V0 - amounts[i] * a->gas_energy;
            CHECK_NEAR(P, (sqrt(half * half - c * rest) - half) / c, 1e-6);
        }
    actuators_free(a, 1);
}

static void a_volume_is_given_from_the_rest_volume_on(void **state) {
    (void)state;
    actuator *a = finger(TD_VOLUME, 2.65e-6, false);
    CHECK_NEAR(actuator_given(a, NULL, 0.0), a->rest, 0.0);
    CHECK_NEAR(actuator_given(a, NULL, 1.0), 2.65e-6, 1e-21);
    balance b = actuator_balance(a, FROM(2.65e-6), 1e5, 2.5e-6);
    CHECK_NEAR(b.residual, 0.15e-6, 1e-20);
    CHECK_NEAR(b.by_effort, 0.0, 0.0);
    CHECK_NEAR(b.by_measure, -1.0, 0.0);
    actuators_free(a, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tendons_come_first_and_outlive_their_robot),
        cmocka_unit_test(none_and_no_memory_are_told_apart),
        cmocka_unit_test(a_helix_on_a_straight_rod_has_its_unrolled_length),
        cmocka_unit_test(a_helix_on_a_curved_rod_has_the_length_of_a_torus_knot),
        cmocka_unit_test(the_rest_length_sums_over_the_pieces_it_runs_through),
        cmocka_unit_test(the_rod_gives_way_by_its_bending_and_its_stretch),
        cmocka_unit_test(efforts_scale_and_tension_below_zero_is_none),
        cmocka_unit_test(pretension_is_there_in_the_rest_shape_and_nothing_at_scale_zero),
        cmocka_unit_test(a_tendon_in_a_rigid_rod_is_a_spring_that_only_pulls),
        cmocka_unit_test(a_linear_robot_is_solved_in_two_steps_from_anywhere),
        cmocka_unit_test(a_tendon_that_does_not_stretch_still_goes_slack),
        cmocka_unit_test(material_and_length_say_the_same_at_uniform_tension),
        cmocka_unit_test(the_finger_starts_with_the_air_of_the_paper),
        cmocka_unit_test(the_inflated_finger_obeys_the_gas_law),
        cmocka_unit_test(no_gas_is_a_vacuum_and_any_pressure_is_finite),
        cmocka_unit_test(gas_in_a_springy_chamber_is_found_from_any_pressure),
        cmocka_unit_test(a_volume_is_given_from_the_rest_volume_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
