// Rods in tubes: sideways buckling of a heavy rod, what draws it out of a sleeve, and the push that feeds it against friction.
#include "contact_rods.h"

// A heavy rod at the bottom of a horizontal tube with the clearance c, pushed at its free end: it buckles to
// the sides at F = sqrt(EI w/c), half of what a long rod between supports takes, 2 sqrt(EI w/c)
// (Dawson & Paslay 1984). Here 10 N.
#define PUSHED                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 3, section: {radius: 10 mm}, mass_per_length: 0.1,\n"                   \
    "     stiffness: {bending: 1, torsion: 1, shear: 1e6, extension: 1e6},\n"                      \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "loads: [{at: tip, force: [-push, 0, 0]}]\n"                                                   \
    "obstacles:\n"                                                                                 \
    "  - {name: pipe, position: [0, 0, 10 mm],\n"                                                  \
    "     tube: {points: [[0, 0, 0], [1, 0, 0]], radius: 20 mm}}\n"                                \
    "inputs: {push: 0}\n"                                                                          \
    "simulation: {theory: kirchhoff, space: {elements: 40, nodes: 4}}\n"

static double smallest_under(double push, double *aside) {
    double smallest;
    scene s = scene_of(PUSHED, NULL, 0);
    scene_set(&s, "push", push);
    scene_rest(&s);
    assert_int_equal(td_get_stability(s.system, s.state, &smallest), TD_OK);
    *aside = 0.0;
    for (int i = 0; i <= 30; i++)
        *aside = fmax(*aside, fabs(td_get_sample(s.system, s.state, 0, 0.1 * i).pose.p[1]));
    scene_end(&s);
    return smallest;
}

static void a_heavy_rod_in_a_tube_buckles_to_the_sides(void **unused) {
    (void)unused;
    double aside;
    CHECK_BETWEEN(smallest_under(9.0, &aside), 1e-4, 1.0);
    CHECK_NEAR(aside, 0.0, 1e-9);
    CHECK_BETWEEN(smallest_under(9.9, &aside), 1e-6, 0.1);
    CHECK_NEAR(aside, 0.0, 1e-9);
    CHECK_BETWEEN(smallest_under(10.1, &aside), 1e-6, 0.1);  // where it has gone it holds
    CHECK_BETWEEN(aside, 1e-4, 20e-3);
}

// Where strides downhill shake on the hard wall, it is left by moving.
static void the_buckled_shape_is_found_with_30_elements(void **unused) {
    (void)unused;
    static const char *const mesh[] = {"simulation.space.elements=30"};
    double smallest;
    scene s = scene_of(PUSHED, mesh, 1);
    scene_set(&s, "push", 12.0);
    assert_int_equal(td_solve_statics(s.system, s.state), TD_BIFURCATION);
    assert_int_equal(td_get_stability(s.system, s.state, &smallest), TD_OK);
    CHECK_BETWEEN(smallest, 0.3, 0.4);
    scene_end(&s);
}

// Between ball joints at the bottom of the tube it buckles at 2 sqrt(EI w/c) = 20 N, if its length is a number of half
// waves, pi/q with q^4 = w/(EI c): in n of them at
//
//     F = (1 - l) EI q^2 + w/(c q^2),   q = n pi/L,
//
// for a rod whose bending stiffness is less by the share l, which is the eigenvalue of stability (Dawson & Paslay 1984). It is pushed
// by shortening it, EA d/L.
#define PINNED                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 2.980376, section: {radius: 10 mm}, mass_per_length: 0.1,\n"            \
    "     stiffness: {bending: 1, torsion: 1, shear: 1e5, extension: 1e5},\n"                      \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {position: [place, 0, 0], direction: [1, 0, 0], joint: universal, axis: [1, 0, "   \
    "0]},\n"                                                                                       \
    "     tip: {position: [2.980376, 0, 0], direction: [1, 0, 0], joint: ball}}\n"                 \
    "obstacles:\n"                                                                                 \
    "  - {name: pipe, position: [0, 0, 10 mm],\n"                                                  \
    "     tube: {points: [[0, 0, 0], [1, 0, 0]], radius: 20 mm}}\n"                                \
    "inputs: {place: 0}\n"

static double pinned_under(scene *s, double push) {
    double smallest;
    scene_set(s, "place", push * 2.980376 / 1e5);
    scene_rest(s);
    assert_int_equal(td_get_stability(s->system, s->state, &smallest), TD_OK);
    return smallest;
}

// Nodes and stiffness are refined together: K = hardness EI/h^4, or the chosen one, which is EI/h^4.
static void check_half_waves(int elements, double hardness, double tolerance) {
    char mesh[64], hard[64];
    snprintf(mesh, sizeof mesh, "simulation.space={elements: %d, nodes: 4}", elements);
    snprintf(hard, sizeof hard, "obstacles.pipe.stiffness=%.9g",
             hardness * pow(4.0 * elements / 2.980376, 4.0));
    scene s = scene_of(PINNED, (const char *const[]){mesh, hard}, hardness > 0.0 ? 2 : 1);
    for (int i = 0; i < 3; i++) {
        const double F = 18.0 + 0.9 * i;
        CHECK_NEAR(pinned_under(&s, F), 0.1 * (20.0 - F), tolerance);
        CHECK_NEAR(td_get_reaction(s.system, s.state, 0, TD_BASE).force[0], F, 1e-5);
    }
    CHECK_BETWEEN(pinned_under(&s, 20.1), 1e-6, 0.1);  // that it is pushed by no longer
    CHECK_BETWEEN(td_get_reaction(s.system, s.state, 0, TD_BASE).force[0], 20.0, 20.06);
    CHECK_BETWEEN(fabs(td_get_sample(s.system, s.state, 0, 0.5 * 2.980376).pose.p[1]), 1e-4, 1e-2);
    scene_end(&s);
}

static void a_heavy_rod_between_joints_in_a_tube_buckles_in_half_waves(void **unused) {
    (void)unused;
    check_half_waves(10, 16.0, 1e-3);
    check_half_waves(20, 16.0, 1.5e-4);
    check_half_waves(16, 0.0, 2e-3);
    check_half_waves(32, 0.0, 1.5e-4);
}

// ---------------------------------------------------------------- a sleeve
// A rod sticks out of a smooth sleeve with a flared mouth, and a moment M bends its tip. Where nothing rubs
//
//     N.t + M^2/(2 EI) - V,   V = K depth^2/2,
//
// is the same along all of it: M draws it out of the sleeve with M^2/(2 EI), less what moment is left at the base
// (Bosi, Misseroni, Dal Corso & Bigoni 2015).
#define SLEEVE                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.8, section: {radius: 10 mm}, mass_per_length: 0.1,\n"                 \
    "     stiffness: {bending: 1, torsion: 1, shear: 1e6, extension: 1e6},\n"                      \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "loads: [{at: tip, moment: [0, -1, 0]}]\n"                                                     \
    "obstacles:\n"                                                                                 \
    "  - name: sleeve\n"                                                                           \
    "    stiffness: 1e6\n"                                                                         \
    "    tube: {points: [[-0.1, 0, 0], [0.1, 0, 0], [0.3, 0, 0], [0.4, 0, 0], [0.5, 0, 0],\n"      \
    "             [0.6, 0, 0], [0.7, 0, 0]], radius: [12 mm, 12 mm, 12 mm, 12 mm, 25 mm, 80 mm,\n" \
    "             160 mm]}\n"                                                                      \
    "simulation: {theory: kirchhoff}\n"

// What is missing of it, in parts.
static double drawn_out(int elements, double K) {
    char mesh[64], hard[64];
    snprintf(mesh, sizeof mesh, "simulation.space={elements: %d, nodes: 4}", elements);
    snprintf(hard, sizeof hard, "obstacles.sleeve.stiffness=%g", K);
    scene s = scene_of(SLEEVE, (const char *const[]){mesh, hard}, 2);
    scene_rest(&s);
    const td_reaction r = td_get_reaction(s.system, s.state, 0, TD_BASE);
    CHECK_BETWEEN(fabs(r.moment[1]), 0.1, 0.3);
    scene_end(&s);
    return r.force[0] / (-0.5 * (1.0 - r.moment[1] * r.moment[1])) - 1.0;
}

static void a_bent_rod_is_drawn_out_of_a_sleeve(void **unused) {
    (void)unused;
    CHECK_BETWEEN(fabs(drawn_out(8, 1e6)), 5e-2, 0.2);
    CHECK_BETWEEN(fabs(drawn_out(16, 1e6)), 0.0, 1e-2);
    CHECK_BETWEEN(fabs(drawn_out(64, 1e6)), 0.0, 5e-4);
    for (int i = 0; i < 3; i++) CHECK_BETWEEN(fabs(drawn_out(32, pow(10.0, 5 + i))), 0.0, 2e-3);
}

// Fed into a level tube, everything slides: the push is mu w L.
#define FED                                                                                        \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.2, section: {radius: 1 mm}, mass_per_length: 0.1, feed: push,\n"      \
    "     stiffness: {bending: 0.01, torsion: 0.01, shear: 1e6, extension: 1e6},\n"                \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "obstacles:\n"                                                                                 \
    "  - {name: pipe, position: [0, 0, 2 mm], friction: 0.3,\n"                                    \
    "     tube: {points: [[0, 0, 0], [0.2, 0, 0], [1, 0, 0]], radius: 3 mm}}\n"                    \
    "inputs: {push: {ramp: {to: 0.2, duration: 2 s}}}\n"                                           \
    "simulation: {theory: kirchhoff, time: {step: 5 ms, end: 2 s}}\n"

// What the base carries of the weight does not rub. The work of the push since `from` is what friction took
// and what moves.
static void check_push(const scene *s, double tolerance) {
    const double L = td_get_length(s->system, s->state, 0);
    const td_reaction r = td_get_reaction(s->system, s->state, 0, TD_BASE);
    CHECK_BETWEEN(r.force[2], 0.0, 0.01);
    CHECK_NEAR(r.force[0], 0.3 * (L - r.force[2]), tolerance * L);
}

static void check_work(const scene *s, const td_energy *from) {
    const td_energy e = td_get_energy(s->system, s->state);
    const double lost = e.dissipated - from->dissipated, work = e.work - from->work;
    CHECK_NEAR(lost + e.kinetic - from->kinetic, work, 2e-3 * work);
}

static void check_feeding(const char *const *sets, int n, double dt) {
    scene s = scene_of(FED, sets, n);
    assert_int_equal(td_begin(s.system, s.state), TD_OK);
    const int steps = (int)(1.0 / dt + 0.5);
    td_energy from = {0};
    for (int k = 1; k <= steps; k++) {
        scene_advance(&s, dt);
        if (k % (steps / 4)) continue;
        CHECK_NEAR(td_get_length(s.system, s.state, 0), 0.2 + 0.1 * td_get_time(s.system, s.state),
                   1e-12);
        check_push(&s, 2e-4);
        if (k == steps / 2) from = td_get_energy(s.system, s.state);
    }
    check_work(&s, &from);
    scene_end(&s);
}

static void a_rod_that_is_fed_into_a_tube_is_pushed_against_its_friction(void **unused) {
    (void)unused;
    static const char *const schemes[] = {"simulation.time.scheme=bdf-alpha",
                                          "simulation.time.scheme=backward-euler",
                                          "simulation.time.scheme=sdirk2"};
    for (int i = 0; i < 3; i++) check_feeding(&schemes[i], 1, 5e-3);
    check_feeding(NULL, 0, 1e-2);
}

// The same in equilibria, one after the other.
static void equilibria_of_a_fed_rod_are_pushed_as_well(void **unused) {
    (void)unused;
    scene s = scene_of(FED, NULL, 0);
    for (int k = 0; k <= 5; k++) {
        scene_set(&s, "push", 0.02 * k);
        scene_rest(&s);
        if (k) check_push(&s, 1e-5);
        else CHECK_NEAR(td_get_reaction(s.system, s.state, 0, TD_BASE).force[0], 0.0, 1e-11);
    }
    scene_end(&s);
}

// ---------------------------------------------------------------- branches
// A wire with a bent tip finds the branch, or goes straight on, as its base is turned.
static td_pose tip_in_vessel(const char *turn) {
    scene s = scene_of_file(EXAMPLES "/branching-vessel.yaml", &turn, 1);
    assert_int_equal(td_begin(s.system, s.state), TD_OK);
    for (int k = 0; k < 200; k++) scene_advance(&s, 1e-2);
    const td_pose tip = scene_tip(&s);
    const double length = td_get_length(s.system, s.state, 0);
    for (int i = 0; i <= 40; i++) {
        const td_sample at = td_get_sample(s.system, s.state, 0, length * i / 40.0);
        CHECK_BETWEEN(at.gap, -1e-4, 0.5);
    }
    scene_end(&s);
    return tip;
}

static void a_bent_tip_chooses_the_branch_of_a_vessel(void **unused) {
    (void)unused;
    const td_pose into = tip_in_vessel("inputs.turn=0"),
                  past = tip_in_vessel("inputs.turn=180 deg");
    CHECK_BETWEEN(into.p[0], 0.028, 0.04);
    CHECK_BETWEEN(past.p[0], -0.003, 0.003);
    CHECK_BETWEEN(past.p[2], 0.105, 0.11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heavy_rod_in_a_tube_buckles_to_the_sides),
        cmocka_unit_test(the_buckled_shape_is_found_with_30_elements),
        cmocka_unit_test(a_heavy_rod_between_joints_in_a_tube_buckles_in_half_waves),
        cmocka_unit_test(a_bent_rod_is_drawn_out_of_a_sleeve),
        cmocka_unit_test(a_rod_that_is_fed_into_a_tube_is_pushed_against_its_friction),
        cmocka_unit_test(equilibria_of_a_fed_rod_are_pushed_as_well),
        cmocka_unit_test(a_bent_tip_chooses_the_branch_of_a_vessel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
