// Rods in tubes: sideways buckling of a heavy rod, and the push that feeds a rod against friction.
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
        if (td_advance(s.system, s.state, dt) < 0) fail_msg("%s", td_message(s.state));
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
        else CHECK_NEAR(td_get_reaction(s.system, s.state, 0, TD_BASE).force[0], 0.0, 1e-12);
    }
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heavy_rod_in_a_tube_buckles_to_the_sides),
        cmocka_unit_test(a_rod_that_is_fed_into_a_tube_is_pushed_against_its_friction),
        cmocka_unit_test(equilibria_of_a_fed_rod_are_pushed_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
