// Tendons and chambers: what is kept, and what is refused with the reason and the place.
#include "robot/actuators.h"
#include "robots.h"

typedef struct kit {
    td_robot *robot;  // rod 0: "arm", 0.4 m, radius 10 mm; rod 1: "thin", radius 0.4 mm
    td_tendon_def tendon;
    td_chamber_def chamber;
} kit;

static void add_rods(td_robot *robot) {
    td_error err;
    td_piece_def arm = plain_piece(0.4, 10e-3), thin = plain_piece(0.4, 0.4e-3);
    td_rod_def rod = plain_rod("arm", &arm);
    rod.envelope = 10e-3;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    rod = plain_rod("thin", &thin);
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
}

static int setup(void **state) {
    static kit k;
    td_error err;
    k.robot = td_robot_create();
    td_input_def input = {.name = "pull", .unit = "N"};
    CHECK_OK(td_robot_add_input(k.robot, &input, &err), err);
    add_rods(k.robot);
    k.tendon = td_default_tendon_def();
    k.tendon.name = "east", k.tendon.to = 0.4;
    k.tendon.offset[0] = k.tendon.offset_end[0] = 8e-3;
    k.chamber = td_default_chamber_def();
    k.chamber.name = "air", k.chamber.to = 0.4, k.chamber.radius = 2e-3;
    *state = &k;
    return 0;
}

static int teardown(void **state) {
    td_robot_destroy(((kit *)*state)->robot);
    return 0;
}

// ---------------------------------------------------------------- tendons
static void the_defaults_are_a_tension_and_an_open_chamber(void **state) {
    (void)state;
    td_tendon_def tendon = td_default_tendon_def();
    assert_int_equal(tendon.input, TD_TENSION);
    assert_int_equal(tendon.routing, TD_ROUTING_STRAIGHT);
    CHECK_NEAR(tendon.value.value, 0.0, 0.0);
    CHECK_NEAR(tendon.value.gain, 0.0, 0.0);
    td_chamber_def chamber = td_default_chamber_def();
    assert_int_equal(chamber.input, TD_PRESSURE);
    CHECK_NEAR(chamber.atmosphere, 101325.0, 0.0);
    CHECK_NEAR(chamber.temperature, 293.15, 0.0);
    assert_false(chamber.path_volume);
}

static void tendons_are_copied_and_counted(void **state) {
    kit *k = *state;
    td_error err;
    char name[] = "free";
    double points[] = {0.0, 8e-3, 0.0, 0.2, 6e-3, 2e-3, 0.4, 4e-3, 0.0};
    k->tendon.routing = TD_ROUTING_POINTS, k->tendon.points = points, k->tendon.n_points = 3;
    k->tendon.name = name, k->tendon.value = (td_number){.gain = 2.0, .input = 0};
    k->tendon.to = points[6] = 0.4 * (1.0 + 2e-16);
    CHECK_OK(td_robot_add_tendon(k->robot, &k->tendon, &err), err);
    name[0] = 'X', points[4] = 99.0;
    assert_int_equal(td_robot_n_tendons(k->robot), 1);
    assert_int_equal(find_tendon(k->robot, "free"), 0);
    const td_tendon_def *def = robot_tendon(k->robot, 0);
    assert_string_equal(def->name, "free");
    CHECK_NEAR(def->points[4], 6e-3, 0.0);
    CHECK_NEAR(def->to, k->robot->rods[0].length, 0.0);
    CHECK_NEAR(def->points[6], def->to, 0.0);
    CHECK_NEAR(def->value.gain, 2.0, 0.0);
}

static void points_of_another_routing_are_not_kept(void **state) {
    kit *k = *state;
    td_error err;
    k->tendon.points = (const double *)k, k->tendon.n_points = 1000000;
    CHECK_OK(td_robot_add_tendon(k->robot, &k->tendon, &err), err);
    assert_null(robot_tendon(k->robot, 0)->points);
    assert_int_equal(robot_tendon(k->robot, 0)->n_points, 0);
}

#define TENDON(field_, value_, where_, says_)                                                      \
    { offsetof(td_tendon_def, field_), (value_), "tendons.east" where_, (says_) }
static void tendons_that_break_a_rule_are_refused(void **state) {
    kit *k = *state;
    td_error err;
    const double nan = (double)NAN;
    const spoilt cases[] = {
        TENDON(from, -0.1, ".from", "-0.1 m must lie on the rod 'arm', between 0 and 0.4 m"),
        TENDON(from, 0.4, ".to", "0.4 m must lie beyond `from`: the tendon covers no length"),
        TENDON(to, 0.5, ".to", "0.5 m must lie on the rod 'arm', between 0 and 0.4 m"),
        TENDON(to, nan, ".to", "must lie on"),
        TENDON(offset[0], 12e-3, ".offset",
               "12 mm from the axis lies outside the envelope of rod 'arm', 10 mm"),
        TENDON(offset_end[1], 12e-3, ".offset_end", "outside the envelope of rod 'arm', 10 mm"),
        TENDON(offset[1], nan, ".offset.y", "finite"),
        TENDON(value.value, HUGE_VAL, ".value", "finite"),
        TENDON(stiffness, -1.0, ".stiffness", "-1 N must not be negative"),
        TENDON(outside, -1.0, ".outside", "-1 m must not be negative"),
        TENDON(outside, 0.1, ".outside", "give its stiffness EA"),
        TENDON(compliance, -1.0, ".compliance", "-1 m/N must not be negative"),
        TENDON(pretension, -1.0, ".pretension", "-1 N must not be negative"),
        TENDON(pretension, 1.0, ".pretension", "only a tendon driven by displacement"),
        TENDON(friction, -0.1, ".friction", "-0.1 must not be negative"),
        TENDON(presliding, -1.0, ".presliding", "-1 m must not be negative"),
        TENDON(viscous, nan, ".viscous", "finite"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_tendon_def bad = k->tendon;
        memcpy((char *)&bad + cases[i].offset, &cases[i].value, sizeof(double));
        refused(td_robot_add_tendon(k->robot, &bad, &err), &err, cases[i].where, cases[i].says);
        assert_int_equal(td_robot_n_tendons(k->robot), 0);
    }
}

static void tendons_with_wrong_words_are_refused(void **state) {
    kit *k = *state;
    td_error err;
    td_tendon_def bad = k->tendon;
    bad.rod = 4;
    refused(td_robot_add_tendon(k->robot, &bad, &err), &err, "tendons.east.rod", "index of a rod");
    bad = k->tendon, bad.name = "x y";
    refused(td_robot_add_tendon(k->robot, &bad, &err), &err, "tendons", "'x y' may hold letters");
    bad = k->tendon, bad.routing = (td_routing)5;
    refused(td_robot_add_tendon(k->robot, &bad, &err), &err, "tendons.east.routing",
            "5 is not a routing");
    bad = k->tendon, bad.input = (td_tendon_input)50;
    refused(td_robot_add_tendon(k->robot, &bad, &err), &err, "tendons.east.input",
            "50 is not a kind of input");
    bad = k->tendon, bad.value = (td_number){.gain = 1.0, .input = 8};
    refused(td_robot_add_tendon(k->robot, &bad, &err), &err, "tendons.east.value",
            "8 is not the index of an input");
    bad = k->tendon, bad.input = TD_DISPLACEMENT, bad.pretension = 2.0;
    refused(td_robot_add_tendon(k->robot, &bad, &err), &err, "tendons.east.pretension",
            "a tendon that does not stretch keeps no pretension");
    bad.compliance = 1e-6;
    CHECK_OK(td_robot_add_tendon(k->robot, &bad, &err), err);
    refused(td_robot_add_tendon(k->robot, &k->tendon, &err), &err, "tendons.east",
            "another tendon has the name 'east'");
    refused(td_robot_add_tendon(k->robot, NULL, &err), &err, "tendons", "NULL");
}

// Discs carry the tendons of Till's robot 9.5 mm from the axis of a rod of 0.4 mm.
static void discs_may_carry_tendons_outside_a_thin_rod(void **state) {
    kit *k = *state;
    td_error err;
    k->tendon.rod = 1, k->tendon.offset[0] = k->tendon.offset_end[0] = 9.5e-3;
    CHECK_OK(td_robot_add_tendon(k->robot, &k->tendon, &err), err);
}

static void an_offset_on_the_envelope_is_accepted(void **state) {
    kit *k = *state;
    td_error err;
    k->tendon.offset[0] = 6e-3, k->tendon.offset[1] = 8e-3;  // 10 mm but for rounding
    CHECK_OK(td_robot_add_tendon(k->robot, &k->tendon, &err), err);
}

static void helices_that_break_a_rule_are_refused(void **state) {
    kit *k = *state;
    td_error err;
    td_tendon_def helix = k->tendon;
    helix.routing = TD_ROUTING_HELIX, helix.radius = 8e-3, helix.turns = 1.5, helix.phase = 1.0;
    td_tendon_def bad = helix;
    bad.radius = 0.0;
    refused(td_robot_add_tendon(k->robot, &bad, &err), &err, "tendons.east.routing.helix.radius",
            "0 m must be positive");
    bad.radius = 11e-3;
    refused(td_robot_add_tendon(k->robot, &bad, &err), &err, "tendons.east.routing.helix.radius",
            "11 mm from the axis lies outside the envelope of rod 'arm', 10 mm");
    bad = helix, bad.turns = HUGE_VAL;
    refused(td_robot_add_tendon(k->robot, &bad, &err), &err, "tendons.east.routing.helix.turns",
            "finite");
    bad = helix, bad.phase = (double)NAN;
    refused(td_robot_add_tendon(k->robot, &bad, &err), &err, "tendons.east.routing.helix.phase",
            "finite");
    CHECK_OK(td_robot_add_tendon(k->robot, &helix, &err), err);
}

static void points_that_break_a_rule_are_refused(void **state) {
    kit *k = *state;
    td_error err;
    const struct {
        double points[9];
        int n;
        const char *where, *says;
    } cases[] = {
        {{0, 0, 0}, 1, "", "1 points: a path has 2 to"},
        {{0, 0, 0, 0.3, 0, 0, 0.2, 0, 0},
         3,
         ".2",
         "0.2 m must lie beyond the point before it, "
         "at 0.3 m"},
        {{0, 0, 0, 0.2, 0, 0, 0.2, 0, 0}, 3, ".2", "0.2 m must lie beyond"},
        {{0, 0, 0, 0.2, 0, 0, 0.3, 0, 0},
         3,
         "",
         "0.3 m is where its last point lies, but it runs "
         "to 0.4 m"},
        {{0.1, 0, 0, 0.2, 0, 0, 0.4, 0, 0},
         3,
         "",
         "0.1 m is where its first point lies, but it "
         "runs from 0 m"},
        {{0, 0, 0, 0.2, 9e-3, 9e-3, 0.4, 0, 0}, 3, ".1", "outside the envelope"},
        {{0, 0, 0, 0.2, 0, (double)NAN, 0.4, 0, 0}, 3, ".1.y", "finite"},
    };
    k->tendon.routing = TD_ROUTING_POINTS;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char where[64];
        snprintf(where, sizeof where, "tendons.east.routing.points%s", cases[i].where);
        k->tendon.points = cases[i].points, k->tendon.n_points = cases[i].n;
        refused(td_robot_add_tendon(k->robot, &k->tendon, &err), &err, where, cases[i].says);
    }
    k->tendon.points = NULL;
    refused(td_robot_add_tendon(k->robot, &k->tendon, &err), &err, "tendons.east.routing.points",
            "a path has 2 to");
}

static void polar_points_that_break_a_rule_are_refused(void **state) {
    kit *k = *state;
    td_error err;
    const struct {
        double points[6];
        const char *where, *says;
    } cases[] = {
        {{0, -1e-3, 0, 0.4, 0, 0}, ".0.radius", "-0.001 m must not be negative"},
        {{0, 0, 0, 0.4, 11e-3, 0}, ".1", "11 mm from the axis lies outside the envelope"},
        {{0, 0, 0, 0.4, 0, (double)INFINITY}, ".1.angle", "finite"},
        {{0, 0, 0, 0.3, 0, 0}, "", "0.3 m is where its last point lies"},
    };
    k->tendon.routing = TD_ROUTING_POLAR, k->tendon.n_points = 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char where[64];
        snprintf(where, sizeof where, "tendons.east.routing.polar%s", cases[i].where);
        k->tendon.points = cases[i].points;
        refused(td_robot_add_tendon(k->robot, &k->tendon, &err), &err, where, cases[i].says);
    }
}

// The distance of two coordinates that each stay between their points may still pass that of both.
static void the_envelope_holds_between_points(void **state) {
    kit *k = *state;
    td_error err;
    const double bulges[] = {0.0,  9.7e-3, -2.4e-3, 0.01, 9.7e-3,  0.0,
                             0.39, 0.0,    9.7e-3,  0.4,  -2.4e-3, 9.6e-3};
    // Six points 9 mm from the axis, at uneven places: a spline through them went 33 mm away.
    double around[18];
    const double places[6] = {0.0, 0.02, 0.2, 0.22, 0.38, 0.4};
    for (int i = 0; i < 6; i++) {
        around[3 * i] = places[i];
        around[3 * i + 1] = 9e-3 * cos(1.05 * i), around[3 * i + 2] = 9e-3 * sin(1.05 * i);
    }
    k->tendon.routing = TD_ROUTING_POINTS;
    k->tendon.points = bulges, k->tendon.n_points = 4;
    refused(td_robot_add_tendon(k->robot, &k->tendon, &err), &err, "tendons.east.routing.points.1",
            "mm from the axis, outside the envelope of rod 'arm', 10 mm; give more points, or");
    k->tendon.points = around, k->tendon.n_points = 6;
    CHECK_OK(td_robot_add_tendon(k->robot, &k->tendon, &err), err);
}

// ---------------------------------------------------------------- chambers
static void chambers_are_copied_and_counted(void **state) {
    kit *k = *state;
    td_error err;
    char name[] = "air";
    k->chamber.name = name, k->chamber.offset[0] = -5e-3, k->chamber.path_volume = true;
    k->chamber.value = (td_number){.value = 1e3, .gain = 2.0, .input = 0};
    CHECK_OK(td_robot_add_chamber(k->robot, &k->chamber, &err), err);
    name[0] = 'X';
    assert_int_equal(td_robot_n_chambers(k->robot), 1);
    assert_int_equal(find_chamber(k->robot, "air"), 0);
    const td_chamber_def *def = robot_chamber(k->robot, 0);
    assert_string_equal(def->name, "air");
    CHECK_NEAR(def->offset[0], -5e-3, 0.0);
    CHECK_NEAR(def->value.gain, 2.0, 0.0);
    assert_true(def->path_volume);
}

#define CHAMBER(field_, value_, where_, says_)                                                     \
    { offsetof(td_chamber_def, field_), (value_), "chambers.air" where_, (says_) }
static void chambers_that_break_a_rule_are_refused(void **state) {
    kit *k = *state;
    td_error err;
    const spoilt cases[] = {
        CHAMBER(from, 0.4, ".to", "the chamber covers no length"),
        CHAMBER(to, 0.41, ".to", "0.41 m must lie on the rod 'arm'"),
        CHAMBER(radius, -1.0, ".radius", "-1 m must not be negative"),
        CHAMBER(radius, 0.0, ".area", "0 m^2 must be positive"),
        CHAMBER(radius, 11e-3, ".radius",
                "the area 380.133 mm^2 is larger than the section of rod 'arm', 314.159 mm^2"),
        CHAMBER(offset[0], 8.5e-3, ".offset",
                "8.5 mm from the axis with a radius of 2 mm: it lies outside the section of rod "
                "'arm' by 0.5 mm"),
        CHAMBER(offset[1], (double)NAN, ".offset.y", "finite"),
        CHAMBER(value.value, HUGE_VAL, ".value", "finite"),
        CHAMBER(temperature, 0.0, ".temperature", "0 K must be positive"),
        CHAMBER(atmosphere, -1.0, ".atmosphere", "-1 Pa must not be negative"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_chamber_def bad = k->chamber;
        memcpy((char *)&bad + cases[i].offset, &cases[i].value, sizeof(double));
        refused(td_robot_add_chamber(k->robot, &bad, &err), &err, cases[i].where, cases[i].says);
        assert_int_equal(td_robot_n_chambers(k->robot), 0);
    }
    td_chamber_def bad = k->chamber;
    bad.rod = -1;
    refused(td_robot_add_chamber(k->robot, &bad, &err), &err, "chambers.air.rod", "index of a rod");
    bad = k->chamber, bad.input = (td_chamber_input)30;
    refused(td_robot_add_chamber(k->robot, &bad, &err), &err, "chambers.air.input", "30 is not");
    CHECK_OK(td_robot_add_chamber(k->robot, &k->chamber, &err), err);
    refused(td_robot_add_chamber(k->robot, &k->chamber, &err), &err, "chambers.air",
            "another chamber");
    refused(td_robot_add_chamber(NULL, &k->chamber, &err), &err, "chambers", "NULL");
}

static void a_chamber_cannot_hold_nothing(void **state) {
    kit *k = *state;
    td_error err;
    td_chamber_def bad = k->chamber;
    bad.input = TD_VOLUME;
    refused(td_robot_add_chamber(k->robot, &bad, &err), &err, "chambers.air.value",
            "0 m^3 must be positive");
    bad.input = TD_AMOUNT, bad.value = td_constant(-1e-4);
    refused(td_robot_add_chamber(k->robot, &bad, &err), &err, "chambers.air.value",
            "-0.0001 mol must be positive");
    bad.value = td_constant(1e-4), bad.atmosphere = 0.0;
    refused(td_robot_add_chamber(k->robot, &bad, &err), &err, "chambers.air.atmosphere",
            "0 Pa must be positive");
    bad.atmosphere = 101325.0;
    CHECK_OK(td_robot_add_chamber(k->robot, &bad, &err), err);
}

// A rod of three sections: a circle of 10 mm that tapers to 5 mm over the first half, then a bar of
// 20 x 8 mm, then one given by its moments.
static void add_mixed_rod(td_robot *robot) {
    td_error err;
    td_piece_def pieces[3] = {plain_piece(0.2, 10e-3), plain_piece(0.1, 0.0),
                              plain_piece(0.1, 0.0)};
    pieces[0].section_end = (td_section){.radius = 5e-3};
    pieces[1].section = (td_section){.shape = TD_SECTION_RECTANGLE, .width = 20e-3, .height = 8e-3};
    pieces[2].section = (td_section){
        .shape = TD_SECTION_GENERAL, .area = 4e-6, .ixx = 1e-9, .iyy = 1e-9, .torsion = 1e-9};
    td_rod_def rod = plain_rod("mixed", pieces);
    rod.n_pieces = 3;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
}

static void a_chamber_must_fit_wherever_it_runs(void **state) {
    kit *k = *state;
    td_error err;
    add_mixed_rod(k->robot);
    k->chamber.rod = 2, k->chamber.radius = 3e-3, k->chamber.offset[0] = 4e-3;
    // At 0.12 m the radius is 7 mm: just room for 4 + 3 mm.
    k->chamber.to = 0.12, k->chamber.name = "a";
    CHECK_OK(td_robot_add_chamber(k->robot, &k->chamber, &err), err);
    k->chamber.to = 0.13, k->chamber.name = "b";
    refused(td_robot_add_chamber(k->robot, &k->chamber, &err), &err, "chambers.b.offset",
            "outside the section of rod 'mixed' by 0.25 mm");
    // The bar is 10 mm either way along x, 4 mm along y.
    k->chamber.from = 0.2, k->chamber.to = 0.3, k->chamber.offset[0] = 7e-3;
    CHECK_OK(td_robot_add_chamber(k->robot, &k->chamber, &err), err);
    k->chamber.name = "c", k->chamber.offset[0] = 0.0, k->chamber.offset[1] = 2e-3;
    refused(td_robot_add_chamber(k->robot, &k->chamber, &err), &err, "chambers.c.offset",
            "by 1 mm");
    // Of the last only the area is known: 4 mm^2.
    k->chamber.from = 0.3, k->chamber.to = 0.4, k->chamber.radius = 0.0, k->chamber.area = 5e-6;
    refused(td_robot_add_chamber(k->robot, &k->chamber, &err), &err, "chambers.c.area",
            "the area 5 mm^2 is larger than the section of rod 'mixed', 4 mm^2; a rod with thin "
            "walls says its envelope");
    k->chamber.area = 4e-6;
    CHECK_OK(td_robot_add_chamber(k->robot, &k->chamber, &err), err);
}

// The bore of a tube is a chamber; so is a bellows that the discs of a thin rod carry.
static void a_chamber_may_fill_a_bore_or_lie_in_the_envelope(void **state) {
    kit *k = *state;
    td_error err;
    td_piece_def tube = plain_piece(0.4, 10e-3), thin = plain_piece(0.4, 1e-3);
    tube.section.inner_radius = 9e-3;
    td_rod_def rod = plain_rod("tube", &tube);
    CHECK_OK(td_robot_add_rod(k->robot, &rod, &err), err);
    rod = plain_rod("spine", &thin);
    rod.envelope = 20e-3;
    CHECK_OK(td_robot_add_rod(k->robot, &rod, &err), err);
    k->chamber.rod = 2, k->chamber.radius = 9e-3, k->chamber.name = "bore";
    CHECK_OK(td_robot_add_chamber(k->robot, &k->chamber, &err), err);
    k->chamber.rod = 3, k->chamber.radius = 5e-3, k->chamber.offset[0] = 15e-3;
    k->chamber.name = "bellows";
    CHECK_OK(td_robot_add_chamber(k->robot, &k->chamber, &err), err);
    k->chamber.offset[0] = 16e-3, k->chamber.name = "outside";
    refused(td_robot_add_chamber(k->robot, &k->chamber, &err), &err, "chambers.outside.offset",
            "16 mm from the axis");
}

static void a_rod_without_a_section_takes_any_chamber(void **state) {
    kit *k = *state;
    td_error err;
    td_piece_def bare = td_default_piece_def();
    bare.length = 0.4, bare.mass_per_length = 0.1;
    for (int i = 0; i < 6; i++) bare.stiffness[i] = 1.0;
    td_rod_def rod = plain_rod("bare", &bare);
    CHECK_OK(td_robot_add_rod(k->robot, &rod, &err), err);
    k->chamber.rod = 2, k->chamber.offset[0] = 1.0;
    CHECK_OK(td_robot_add_chamber(k->robot, &k->chamber, &err), err);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_defaults_are_a_tension_and_an_open_chamber),
        TEST(tendons_are_copied_and_counted),
        TEST(points_of_another_routing_are_not_kept),
        TEST(tendons_that_break_a_rule_are_refused),
        TEST(tendons_with_wrong_words_are_refused),
        TEST(discs_may_carry_tendons_outside_a_thin_rod),
        TEST(an_offset_on_the_envelope_is_accepted),
        TEST(polar_points_that_break_a_rule_are_refused),
        TEST(the_envelope_holds_between_points),
        TEST(helices_that_break_a_rule_are_refused),
        TEST(points_that_break_a_rule_are_refused),
        TEST(chambers_are_copied_and_counted),
        TEST(chambers_that_break_a_rule_are_refused),
        TEST(a_chamber_cannot_hold_nothing),
        TEST(a_chamber_must_fit_wherever_it_runs),
        TEST(a_chamber_may_fill_a_bore_or_lie_in_the_envelope),
        TEST(a_rod_without_a_section_takes_any_chamber),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
