// Equilibria of rods that touch obstacles, against closed forms, and how they converge with nodes and
// stiffness.
#include "contact_rods.h"

#define PI 3.14159265358979323846

// ---------------------------------------------------------------- a heavy rod on a table
// Its tip lifted by h with the force q l/2: a length l = (24 EI h/q)^(1/4) leaves the table; where a moment
// q l^2/6 holds the tip level and the force is 2 q l/3, l = (72 EI h/q)^(1/4). Here q = 1 N/m, l = 0.5 m and h
// = 1 mm: slopes are small. A table of stiffness K lies deeper by q/K under the rod.
#define TABLE(tip)                                                                                 \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, section: {radius: 1 mm}, mass_per_length: 0.1,\n"                    \
    "     stiffness: {bending: 2.6041666667, torsion: 2, shear: 1e6, extension: 1e6},\n"           \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "loads: [{at: tip, " tip "}]\n"                                                                \
    "obstacles: [{name: table, plane: {}, position: [0, 0, -1 mm]}]\n"                             \
    "simulation: {theory: kirchhoff}\n"

static scene lifted_by(const char *text, const char *const *sets, int n) {
    scene s = scene_of(text, sets, n);
    scene_rest(&s);
    CHECK_BETWEEN(td_get_stats(s.state)->resolution, 0.0, 1e-4);
    return s;
}

static double free_tip(const char *const *sets, int n) {
    scene s = lifted_by(TABLE("force: [0, 0, 0.25]"), sets, n);
    double smallest;
    assert_int_equal(td_get_stability(s.system, s.state, &smallest), TD_OK);
    CHECK_BETWEEN(smallest, 0.9, 1.0);
    const double h = scene_tip(&s).p[2];
    scene_end(&s);
    return h;
}

static void a_rod_that_is_lifted_from_a_table_leaves_it_over_the_right_length(void **unused) {
    (void)unused;
    CHECK_NEAR(free_tip(NULL, 0), 1e-3, 1e-6);
    // K L^4/EI = 1e4, 1e5, 1e6: the tip above where the rod lies
    double error[3];
    for (int k = 0; k < 3; k++) {
        const double K = 2.6041666667 * pow(10.0, 4 + k);
        char stiffness[64];
        snprintf(stiffness, sizeof stiffness, "obstacles.table.stiffness=%.12g", K);
        error[k] = (free_tip((const char *const[]){stiffness}, 1) + 1.0 / K) / 1e-3 - 1.0;
    }
    CHECK_BETWEEN(error[0], 0.05, 0.08);
    CHECK_BETWEEN(error[1], 0.006, 0.012);
    CHECK_BETWEEN(error[2], 0.0, 2e-3);
}

static void fewer_parts_are_less_exact(void **unused) {
    (void)unused;
    static const char *const parts[] = {"simulation.space={elements: 4, nodes: 4}",
                                        "simulation.space={elements: 32, nodes: 4}"};
    const double coarse = free_tip(&parts[0], 1) - 1e-3, fine = free_tip(&parts[1], 1) - 1e-3;
    CHECK_BETWEEN(fabs(coarse), 1e-7, 1e-5);
    CHECK_BETWEEN(fabs(fine), 0.0, 2e-7);
}

static double level_tip(const char *space, double K) {
    char stiffness[64];
    snprintf(stiffness, sizeof stiffness, "obstacles.table.stiffness=%.12g", K);
    const char *const sets[] = {"rods.a.stiffness.bending=0.868055555556", space, stiffness};
    scene s = lifted_by(TABLE("force: [0, 0, 0.333333333333], moment: [0, 0.0416666666667, 0]"),
                        sets, K > 0.0 ? 3 : 2);
    const td_pose tip = scene_tip(&s);
    // its tangent: R z
    CHECK_NEAR(2.0 * (tip.q[2] * tip.q[3] - tip.q[0] * tip.q[1]), 0.0, 1e-9);
    CHECK_NEAR(1.0 - 2.0 * (tip.q[1] * tip.q[1] + tip.q[2] * tip.q[2]), 0.0, 2e-3);
    scene_end(&s);
    return (tip.p[2] + (K > 0.0 ? 1.0 / K : 0.0)) / 1e-3 - 1.0;
}

static void a_tip_that_is_held_level_lifts_a_longer_stretch(void **unused) {
    (void)unused;
    static const char *const space[] = {"simulation.space={elements: 4, nodes: 4}",
                                        "simulation.space={elements: 16, nodes: 4}",
                                        "simulation.space={elements: 32, nodes: 4}"};
    static const double meshes[] = {1e-2, 3e-4, 3e-5}, hardness[] = {1e-2, 4e-3, 1e-3};
    for (int i = 0; i < 3; i++) {  // and K = 16 EI/h^4
        static const double nodes[] = {16.0, 64.0, 128.0};
        const double K = 16.0 * 0.868055555556 * pow(nodes[i], 4.0);
        CHECK_NEAR(level_tip(space[i], K), 0.0, meshes[i]);
    }
    for (int k = 0; k < 3; k++)  // K L^4/EI = 1e6, 1e7, 1e8
        CHECK_NEAR(level_tip(space[1], 0.868055555556 * pow(10.0, 6 + k)), 0.0, hardness[k]);
}

// With the stiffness that is chosen, K = EI/h^4.
static void a_level_tip_above_a_table_of_the_chosen_stiffness(void **unused) {
    (void)unused;
    CHECK_NEAR(level_tip("simulation.space={elements: 16, nodes: 4}", 0.0), 0.0, 2e-3);
    CHECK_NEAR(level_tip("simulation.space={elements: 32, nodes: 4}", 0.0), 0.0, 3e-4);
}

// ---------------------------------------------------------------- a rod over a drum
// Axis of the rod on a circle of radius 1, but for the depth T/(K R), clamped at its top and pulled down by T = 20 EI/R^2. It leaves
// the drum at the angle a before the direction of T, cos a = 1 - EI/(2 T R^2). Without friction the
// tension at the top is T - EI/(2 R^2); where the drum rubs towards the base,
//
//     T_1 = T (cos a - mu sin a) exp(-mu (pi/2 - a))
#define DRUM                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 3, section: {radius: 0.1 mm}, mass_per_length: 0.1,\n"                  \
    "     stiffness: {bending: 1, torsion: 1, shear: 1e6, extension: 1e6},\n"                      \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {position: [0, 0, 0.9999985], direction: [1, 0, 0]}}\n"                            \
    "loads: [{at: tip, force: [0, 0, -20]}]\n"                                                     \
    "obstacles:\n"                                                                                 \
    "  - {name: drum, cylinder: {radius: 0.9999}, direction: [0, 1, 0],\n"                         \
    "     stiffness: 1e7, motion: {rotation: [0, 0, turn]}}\n"                                     \
    "inputs: {turn: 0}\n"                                                                          \
    "simulation: {theory: kirchhoff, space: {elements: 32, nodes: 4}}\n"

static double tension_at_base(const scene *s) {
    return -td_get_reaction(s->system, s->state, 0, TD_BASE).force[0];
}

static void a_smooth_drum_takes_only_what_bending_asks(void **unused) {
    (void)unused;
    static const char *const hard[][2] = {
        {"obstacles.drum.stiffness=1e5", "rods.a.base.position.z=0.999805"},
        {"obstacles.drum.stiffness=1e7", "rods.a.base.position.z=0.99999805"}};
    double T[2];
    for (int i = 0; i < 2; i++) {
        scene s = scene_of(DRUM, hard[i], 2);
        scene_rest(&s);
        T[i] = tension_at_base(&s);
        scene_end(&s);
    }
    CHECK_NEAR(T[0], 19.5, 5e-3);
    CHECK_NEAR(T[1], 19.5, 1.5e-3);
}

static double capstan(double mu) {
    const double a = acos(1.0 - 1.0 / 40.0);
    return 20.0 * (cos(a) - mu * sin(a)) * exp(-mu * (0.5 * PI - a));
}

// The drum turns by `by` in so many equilibria. The base is not exactly as deep as the rod beside it: what
// it presses more rubs too.
static double tension_of(const char *const *sets, int n, double mu, double by, int steps) {
    scene s = scene_of(DRUM, sets, n);
    scene_rest(&s);
    CHECK_NEAR(tension_at_base(&s), 19.5, 2e-2);
    for (int k = 1; k <= steps; k++) {
        scene_set(&s, "turn", by * k / steps);
        scene_rest(&s);
    }
    const double down = -td_get_reaction(s.system, s.state, 0, TD_BASE).force[2];
    const double T = tension_at_base(&s) + (by < 0.0 ? mu : -mu) * down;
    CHECK_BETWEEN(fabs(down), 0.0, 0.5);
    scene_end(&s);
    return T;
}

static double tension_after_turning(double mu, double by, int steps) {
    char friction[64];
    snprintf(friction, sizeof friction, "obstacles.drum.friction=%g", mu);
    return tension_of((const char *const[]){friction}, 1, mu, by, steps);
}

// With so many elements on a drum of stiffness K, in which the rod lies T/(K R) deep.
// K = 0: of the chosen one, EI/h^4.
static double error_of_capstan(int elements, double K) {
    char parts[64], hard[128], base[64];
    snprintf(parts, sizeof parts, "simulation.space.elements=%d", elements);
    if (K > 0.0) snprintf(hard, sizeof hard, "obstacles.drum.stiffness=%g", K);
    else
        snprintf(hard, sizeof hard,
                 "obstacles.drum={name: drum, cylinder: {radius: 0.9999},"
                 " direction: [0, 1, 0], friction: 0.3, motion: {rotation: [0, 0, turn]}}");
    if (!(K > 0.0)) K = pow(4.0 * elements / 3.0, 4.0);
    snprintf(base, sizeof base, "rods.a.base.position.z=%.9g", 1.0 - 15.0 / K);
    const char *const sets[] = {"obstacles.drum.friction=0.3", parts, hard, base};
    return tension_of(sets, 4, 0.3, -0.05, 5) / capstan(0.3) - 1.0;
}

static void the_capstan_converges_with_elements_and_stiffness(void **unused) {
    (void)unused;
    CHECK_NEAR(error_of_capstan(8, 1e6), 0.0, 1.2e-3);
    if (check_briefly()) return;
    CHECK_NEAR(error_of_capstan(16, 1e6), 0.0, 6e-4);
    CHECK_NEAR(error_of_capstan(32, 1e5), 0.0, 1e-3);
    CHECK_NEAR(error_of_capstan(32, 1e6), 0.0, 4e-4);
    CHECK_NEAR(error_of_capstan(32, 1e7), 0.0, 1e-4);
}

static void a_rope_slides_on_a_drum_of_the_chosen_stiffness(void **unused) {
    (void)unused;
    CHECK_NEAR(error_of_capstan(16, 0.0), 0.0, 1e-3);
    CHECK_NEAR(error_of_capstan(32, 0.0), 0.0, 4e-4);
}

static void a_rope_slides_on_a_drum_as_the_capstan_equation_says(void **unused) {
    (void)unused;
    CHECK_NEAR(capstan(0.3), 12.1287, 1e-4);
    CHECK_NEAR(tension_after_turning(0.3, -0.05, 5), capstan(0.3), 2e-3);
    if (!check_briefly()) CHECK_NEAR(tension_after_turning(0.3, -0.05, 20), capstan(0.3), 2e-3);
    CHECK_NEAR(tension_after_turning(0.3, 0.05, 5), capstan(-0.3), 2e-2);  // along with the load
}

// Turned by a hundredth of the presliding, everything sticks: hardly any tension is lost.
static void a_rope_sticks_to_a_drum_that_hardly_turns(void **unused) {
    (void)unused;
    scene s = scene_of(DRUM, (const char *const[]){"obstacles.drum.friction=0.3"}, 1);
    scene_rest(&s);
    const double before = tension_at_base(&s);
    scene_set(&s, "turn", -1e-8);
    scene_rest(&s);
    CHECK_BETWEEN(before - tension_at_base(&s), 0.01, 0.1);
    scene_set(&s, "turn", 0.0);
    scene_rest(&s);
    CHECK_NEAR(tension_at_base(&s), before, 1e-6);
    scene_end(&s);
}

// ---------------------------------------------------------------- derivatives
// A bar lifts a heavy wire, and a force pulls its tip aside: answers to both, and to where the bar is,
// against equilibria beside.
static void derivatives_are_those_of_equilibria_beside(void **unused) {
    (void)unused;
    static const char *const names[] = {"side", "down", "up"};
    static const double at[] = {0.01, 0.02, 0.0}, h[] = {1e-4, 1e-4, 1e-6};
    scene s = scene_of(BAR, NULL, 0);
    for (int k = 0; k < 3; k++) scene_set(&s, names[k], at[k]);
    scene_rest(&s);
    double J[18];
    assert_int_equal(td_n_inputs(s.system), 3);
    assert_int_equal(td_get_jacobian(s.system, s.state, 0, 0.4, J), TD_OK);
    for (int k = 0; k < 3; k++) {
        const td_pose up = tip_with(&s, names[k], at[k] + h[k]);
        const td_pose down = tip_with(&s, names[k], at[k] - h[k]);
        tip_with(&s, names[k], at[k]);
        for (int i = 0; i < 3; i++) {
            const double slope = (up.p[i] - down.p[i]) / (2.0 * h[k]);
            CHECK_NEAR(J[(3 + i) * 3 + td_find_input(s.system, names[k])], slope,
                       1e-3 * fabs(slope) + 1e-5);
        }
    }
    scene_end(&s);
}

// ---------------------------------------------------------------- chains
// A heavy stiff rod hangs on a hinge above a smooth floor and leans on it with its tip: both carry half of it. It
// touches with its last node, 0.4 % of its length before the tip.
#define HINGED                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, section: {radius: 5 mm}, mass_per_length: 0.2,\n"                    \
    "     material: {youngs_modulus: 100 GPa, poisson_ratio: 0.3, density: 3000},\n"               \
    "     damping: {time: 2 ms}, linear_drag: 0.5,\n"                                              \
    "     base: {position: [0, 0, 0.2], direction: [1, 0, -0.1], joint: revolute, axis: [0, 1, "   \
    "0]}}\n"                                                                                       \
    "obstacles: [{name: floor, plane: {}, stiffness: 1e6}]\n"

static void a_rod_on_a_hinge_leans_on_the_floor(void **unused) {
    (void)unused;
    scene s = scene_of(HINGED, NULL, 0);
    for (int k = 0; k < 600; k++) scene_step(&s, 5e-3);
    CHECK_NEAR(scene_tip(&s).p[2], 5e-3, 1e-3);
    CHECK_NEAR(td_get_reaction(s.system, s.state, 0, TD_BASE).force[2], 1.0, 5e-3);
    scene_rest(&s);
    CHECK_NEAR(scene_tip(&s).p[2], 5e-3, 1e-3);
    CHECK_NEAR(td_get_reaction(s.system, s.state, 0, TD_BASE).force[2], 1.0, 5e-3);
    scene_end(&s);
}

// ---------------------------------------------------------------- parts by themselves
// A wire of 4 mm over a peg of 6 mm is cut so that none of its nodes are farther apart than both see; with 16 parts of 4 nodes
// they are, and a note says so.
static const char *note_of(const char *const *sets, int n) {
    static char note[256];
    scene s = scene_of(
        "tendril: 1\n"
        "rods:\n"
        "  - {name: wire, length: 0.4, section: {radius: 2 mm}, base: {direction: [1, 0, 0]},\n"
        "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.4, density: 1200}}\n"
        "obstacles: [{name: peg, capsule: {radius: 3 mm, length: 40 mm}, direction: [0, 1, 0],\n"
        "             position: [0.23, 0, -20 mm]}]\n",
        sets, n);
    const char *found = td_system_note(s.system, 0);
    snprintf(note, sizeof note, "%s", found ? found : "");
    scene_end(&s);
    return note;
}

static void rods_are_cut_so_that_nodes_see_what_is_thin(void **unused) {
    (void)unused;
    static const char *const coarse[] = {"simulation.space={elements: 16, nodes: 4}"},
                             *const thin[] = {"obstacles.peg.capsule.radius=0.2 mm"};
    assert_string_equal(note_of(NULL, 0), "");
    assert_non_null(strstr(note_of(coarse, 1), "obstacles.peg: it is 0.006 m thick"));
    assert_non_null(strstr(note_of(thin, 1), "it may be missed"));  // 32 parts are the most
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_that_is_lifted_from_a_table_leaves_it_over_the_right_length),
        cmocka_unit_test(fewer_parts_are_less_exact),
        cmocka_unit_test(a_tip_that_is_held_level_lifts_a_longer_stretch),
        cmocka_unit_test(a_smooth_drum_takes_only_what_bending_asks),
        cmocka_unit_test(a_rope_slides_on_a_drum_as_the_capstan_equation_says),
        cmocka_unit_test(the_capstan_converges_with_elements_and_stiffness),
        cmocka_unit_test(a_level_tip_above_a_table_of_the_chosen_stiffness),
        cmocka_unit_test(a_rope_slides_on_a_drum_of_the_chosen_stiffness),
        cmocka_unit_test(a_rope_sticks_to_a_drum_that_hardly_turns),
        cmocka_unit_test(derivatives_are_those_of_equilibria_beside),
        cmocka_unit_test(a_rod_on_a_hinge_leans_on_the_floor),
        cmocka_unit_test(rods_are_cut_so_that_nodes_see_what_is_thin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
