// Limp rods: they turn within a few millimetres of what holds them, and hang. Few nodes do not see that, and say so.
#include "contact_rods.h"

#define LIMP                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 2, section: {radius: 1 mm},\n"                                          \
    "     material: {youngs_modulus: 1 MPa, poisson_ratio: 0.49, density: 1000},\n"                \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "simulation: {theory: kirchhoff}\n"

static const double PI = 3.14159265358979323846;

typedef struct rest {
    td_status status;
    td_pose tip, middle;
    double smallest;
    bool names_cure;  // says that there are too few nodes, and which setting helps
} rest;

static rest rest_of(const char *text, const char *const *sets, int n) {
    scene s = scene_of(text, sets, n);
    const double length = td_get_length(s.system, s.state, 0);
    rest r = {.status = td_solve_statics(s.system, s.state)};
    r.names_cure = strstr(td_message(s.state), "between the nodes") &&
                   strstr(td_message(s.state), "simulation.space.nodes");
    r.tip = scene_tip(&s);
    r.middle = td_get_pose(s.system, s.state, 0, 0.5 * length);
    assert_true(td_get_stability(s.system, s.state, &r.smallest) >= 0);
    scene_end(&s);
    return r;
}

static rest limp_with(int elements, int nodes) {
    char elements_are[64], nodes_are[64];
    const char *const sets[] = {elements_are, nodes_are};
    snprintf(elements_are, sizeof elements_are, "simulation.space.elements=%d", elements);
    snprintf(nodes_are, sizeof nodes_are, "simulation.space.nodes=%d", nodes);
    return rest_of(LIMP, sets, 2);
}

// Under its weight W at the end of a long vertical, EI f'^2/2 = W (1 - cos f) with the angle f from there, 90 deg at
// the clamp: the rod hangs sqrt(2 EI/W) beside it, less what the weight of the bend itself changes.
static void a_limp_rod_hangs_beside_its_clamp(void **unused) {
    (void)unused;
    const double EI = 1e6 * PI / 4.0 * 1e-12, W = 9.81 * 1000.0 * PI * 1e-6 * 2.0,
                 aside = sqrt(2.0 * EI / W);
    const struct {
        int elements, nodes;
        double off;  // of its place, in parts of what it hangs aside
    } with[] = {{4, 3, 10.0}, {8, 3, 5.0},   {16, 3, 2.0},
                {32, 3, 0.5}, {64, 3, 0.08}, {256, 3, 0.02}};
    for (int i = 0; i < 6; i++) {
        const rest r = limp_with(with[i].elements, with[i].nodes);
        assert_true(r.status >= 0);
        CHECK_NEAR(r.tip.p[0], aside, with[i].off * aside);
        CHECK_NEAR(r.tip.p[1], 0.0, 1e-9);
        CHECK_BETWEEN(r.tip.p[2], -2.0, -1.9);
        if (i < 5) assert_true(r.names_cure);
        else assert_true(r.status == TD_OK && r.smallest > 0.1);
    }
}

static void few_nodes_of_a_limp_rod_say_so(void **unused) {
    (void)unused;
    for (int nodes = 4; nodes <= 12; nodes += 4) {
        const rest r = limp_with(1, nodes);
        assert_true(r.status > 0 && r.names_cure);
    }
}

// A rod between two clamps that both point up hangs down between them.
#define ARCH                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, section: {radius: 3 mm},\n"                                          \
    "     material: {youngs_modulus: 5 MPa, poisson_ratio: 0.49, density: 1000},\n"                \
    "     base: {direction: [0, 0, 1]}, tip: {position: [0.5, 0, 0], direction: [0, 0, -1]}}\n"

static void a_limp_rod_between_two_clamps_is_found(void **unused) {
    (void)unused;
    const char *const sixteen[] = {"simulation.space.nodes=16"},
                      *const eba[] = {"simulation.model=eba", "simulation.lumped.segments=32"};
    const rest coarse = rest_of(ARCH, NULL, 0), fine = rest_of(ARCH, sixteen, 1),
               other = rest_of(ARCH, eba, 2);
    assert_true(coarse.status > 0 && coarse.names_cure);
    assert_true(fine.status == TD_OK && fine.smallest > 0.01);
    CHECK_NEAR(fine.tip.p[0], 0.5, 1e-9);
    CHECK_NEAR(fine.middle.p[0], 0.25, 1e-3);
    CHECK_NEAR(fine.middle.p[2], other.middle.p[2], 0.005);  // of 32 segments
    CHECK_NEAR(coarse.middle.p[2], fine.middle.p[2], 0.02);
}

// Rods whose clamps, or a clamp and a ball, push them together: the same shape in both models, and as stable.
#define PUSHED(length, radius, modulus, base, tip)                                                 \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: " length ", section: {radius: " radius "},\n"                           \
    "     material: {youngs_modulus: " modulus ", poisson_ratio: 0.45, density: 1000},\n"          \
    "     base: {direction: [" base "]}, tip: {" tip "}}\n"

static void rods_pushed_together_bow_out_alike(void **unused) {
    (void)unused;
    const char *const robots[] = {
        PUSHED("1", "7.2 mm", "224 MPa", "0.175, 0.857, 0.083",
               "position: [0.187, 0.709, 0.178], direction: [0.451, 0.96, 0.0266], joint: ball"),
        PUSHED("0.5", "10.2 mm", "1.14 GPa", "0.174, -0.22, -1.29",
               "position: [0.0122, -0.09, -0.264], direction: [0.375, -0.427, -1.32], joint: ball"),
        PUSHED("1", "7.3 mm", "3.9 GPa", "0.295, 0.856, -0.847",
               "position: [0.118, 0.514, -0.436], direction: [0.85, 1.29, -0.746]"),
        // slender ones, which hardly stretch
        PUSHED("1", "0.843458 mm", "60.51 GPa", "-0.806, 0.995, -1.835",
               "position: [-0.3769, 0.30648, -0.70236], direction: [-1.22, 0.9, -1.5]"),
        PUSHED(
            "2", "6.83612 mm", "1.2153 GPa", "1.188, -1.709, -1.279",
            "position: [0.6751, -1.0593, -0.52326], direction: [1.01, -1.72, -1.57], joint: ball"),
        PUSHED("1", "1.047 mm", "6.6481 GPa", "0.848, -1.378, 0.842",
               "position: [0.33733, -0.37249, 0.32153], direction: [0.896, -1.02, 1.54]")};
    const char *const fine[] = {"simulation.space.nodes=16"}, *const eba[] = {
                                                                  "simulation.model=eba",
                                                                  "simulation.lumped.segments=40"};
    for (int i = 0; i < 6; i++) {
        const rest a = rest_of(robots[i], fine, 1), b = rest_of(robots[i], eba, 2);
        assert_true(a.status == TD_OK && b.status == TD_OK);
        for (int k = 0; k < 3; k++) CHECK_NEAR(b.middle.p[k], a.middle.p[k], 1e-3);
        CHECK_NEAR(b.smallest, a.smallest, 0.01 * a.smallest);
    }
}

// A clamp that twists and bends a rod gives it a moment that is dead in the world, whose matrix is not symmetric: the
// verdict must not hang on where the rod is cut into elements.
static void elements_do_not_change_the_verdict(void **unused) {
    (void)unused;
    const char *const robot =
        PUSHED("2", "10.4771 mm", "358.45 MPa", "0.751, 0.87, -0.595",
               "position: [0.73194, 0.86314, -0.372], direction: [0.595, 0.479, -0.187]");
    const char *const with[][2] = {{"simulation.space.elements=1", "simulation.space.nodes=16"},
                                   {"simulation.space.elements=4", "simulation.space.nodes=8"},
                                   {"simulation.model=eba", "simulation.lumped.segments=40"}};
    double smallest[3];
    for (int i = 0; i < 3; i++) {
        const rest r = rest_of(robot, with[i], 2);
        assert_int_equal(r.status, TD_OK);
        smallest[i] = r.smallest;
    }
    CHECK_NEAR(smallest[1], smallest[0], 1e-4 * smallest[0]);
    CHECK_NEAR(smallest[2], smallest[0], 0.01 * smallest[0]);
}

// What the symmetric part of a coarse matrix loses, the matrix itself need not lose.
static void a_limp_rod_that_hangs_is_stable_with_few_nodes(void **unused) {
    (void)unused;
    const char *const robot = "tendril: 1\n"
                              "rods:\n"
                              "  - {name: a, length: 1, section: {radius: 3.46038 mm},\n"
                              "     material: {youngs_modulus: 417.93 kPa, poisson_ratio: 0.45,\n"
                              "                density: 1000},\n"
                              "     base: {direction: [0.376, 1.966, -0.463]}}\n";
    for (int nodes = 8; nodes <= 24; nodes *= 3) {
        char nodes_are[64];
        const char *const sets[] = {nodes_are};
        snprintf(nodes_are, sizeof nodes_are, "simulation.space.nodes=%d", nodes);
        const rest r = rest_of(robot, sets, 1);
        assert_int_equal(r.status, nodes < 24 ? TD_LOOSE : TD_OK);
        assert_true(r.smallest > 0.5);
        assert_true(r.names_cure == (nodes < 24));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limp_rod_hangs_beside_its_clamp),
        cmocka_unit_test(few_nodes_of_a_limp_rod_say_so),
        cmocka_unit_test(a_limp_rod_between_two_clamps_is_found),
        cmocka_unit_test(rods_pushed_together_bow_out_alike),
        cmocka_unit_test(elements_do_not_change_the_verdict),
        cmocka_unit_test(a_limp_rod_that_hangs_is_stable_with_few_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
