// Rods that move among obstacles: impacts bring no energy, what moves them does work, snapshots hold what
// sticks.
#include "contact_rods.h"
#include "not_compiled.h"

#include <math.h>

// A wire held level at one end, 0.1 m above a floor, falls.
#define FALLING                                                                                    \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.4, section: {radius: 1 mm},\n"                                        \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 3000},\n"                 \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "obstacles: [{name: floor, plane: {}, position: [0, 0, -0.1]}]\n"                              \
    "simulation: {theory: kirchhoff}\n"

// The most energy above that of the start, in parts of the swing of the weight's; 0.5 s, several impacts.
static double most_gain(const char *const *sets, int n, double dt) {
    scene s = scene_of(FALLING, sets, n);
    const double start = scene_energy(&s);
    double gain = 0.0, low = 0.0, deepest = 0.0;
    for (int k = 0; k * dt < 0.5; k++) {
        scene_step(&s, dt);
        gain = fmax(gain, scene_energy(&s) - start);
        low = fmin(low, td_get_energy(s.system, s.state).gravity);
        deepest = fmin(deepest, scene_tip(&s).p[2]);
    }
    CHECK_BETWEEN(deepest, -0.1, -0.09);  // it has been on the floor, and not below
    scene_end(&s);
    return gain / fabs(low);
}

static void impacts_bring_no_energy(void **unused) {
    (void)unused;
    static const char *const never[] = {
        "simulation.time.scheme=bdf-alpha", "simulation.time.scheme=bdf2",
        "simulation.time.scheme=backward-euler", "simulation.time.scheme=sdirk2"};
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(most_gain(&never[i], 1, 5e-3), 0.0, 1e-9);
        CHECK_NEAR(most_gain(&never[i], 1, 1e-3), 0.0, 1e-9);
    }
}

static void rough_floors_bring_no_energy(void **unused) {
    (void)unused;
    static const char *const rough[] = {"obstacles.floor.friction=0.5"};
    CHECK_NEAR(most_gain(rough, 1, 5e-3), 0.0, 1e-9);
    CHECK_NEAR(most_gain(rough, 1, 1e-3), 0.0, 1e-9);
}

// With damping it comes to rest where the equilibrium is.
static void what_falls_comes_to_rest_in_equilibrium(void **unused) {
    (void)unused;
    static const char *const damped[] = {"rods.a.damping={time: 20 ms}"};
    scene moving = scene_of(FALLING, damped, 1), still = scene_of(FALLING, damped, 1);
    for (int k = 0; k < 600; k++) scene_step(&moving, 5e-3);
    scene_rest(&still);
    const td_pose a = scene_tip(&moving), b = scene_tip(&still);
    for (int k = 0; k < 3; k++) CHECK_NEAR(a.p[k], b.p[k], 1e-6);
    scene_end(&moving);
    scene_end(&still);
}

// ---------------------------------------------------------------- obstacles that move
// A bar across the wire that rises lifts it, and does the work that this takes.
#define LIFTED                                                                                     \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.4, section: {radius: 1 mm}, damping: {time: 20 ms},\n"                \
    "     material: {youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 3000},\n"                \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "obstacles:\n"                                                                                 \
    "  - {name: bar, cylinder: {radius: 20 mm}, direction: [0, 1, 0], position: [0.2, 0, up]}\n"   \
    "inputs: {up: {ramp: {from: -0.06, to: 0.03, duration: 1 s}}}\n"                               \
    "simulation: {theory: kirchhoff, time: {step: 2 ms, end: 1 s}}\n"

static void a_bar_that_rises_does_the_work(void **unused) {
    (void)unused;
    scene s = scene_of(LIFTED, NULL, 0);
    assert_int_equal(td_begin(s.system, s.state), TD_OK);
    const double start = scene_energy(&s);
    for (int k = 0; k < 500; k++) scene_advance(&s, 2e-3);
    const td_energy e = td_get_energy(s.system, s.state);
    CHECK_BETWEEN(scene_energy(&s) - start, 1e-3, 1.0);
    CHECK_NEAR(scene_energy(&s) - start + e.dissipated, e.work, 0.02 * e.work);
    CHECK_BETWEEN(td_get_pose(s.system, s.state, 0, 0.21).p[2], 0.05, 0.056);
    scene_end(&s);
}

// A drum turns about its own axis under a wire, 0.4 rad in a step of 10 ms.
#define TURNED                                                                                     \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.4, section: {radius: 4 mm}, damping: {time: 20 ms},\n"                \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 3000},\n"                 \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "obstacles:\n"                                                                                 \
    "  - {name: drum, cylinder: {radius: 20 mm}, direction: [0, 1, 0],\n"                          \
    "     position: [0.2, 0, -24 mm], motion: {rotation: [0, 0, turn]}}\n"                         \
    "inputs: {turn: {ramp: {to: 8 rad, duration: 0.2 s}}}\n"                                       \
    "simulation: {theory: kirchhoff, time: {step: 1 ms, end: 0.2 s}}\n"

// J that is in the balance too much after 0.2 s: energy gained and dissipated, less the work.
static double imbalance(const char *const *sets, int n, double dt, double *work) {
    scene s = scene_of(TURNED, sets, n);
    assert_int_equal(td_begin(s.system, s.state), TD_OK);
    const double start = scene_energy(&s);
    const int steps = (int)(0.2 / dt + 0.5);
    for (int k = 0; k < steps; k++) scene_advance(&s, dt);
    const td_energy e = td_get_energy(s.system, s.state);
    const double out = scene_energy(&s) - start + e.dissipated - e.work;
    *work = e.work;
    scene_end(&s);
    return out;
}

static void a_smooth_drum_that_turns_does_no_work(void **unused) {
    (void)unused;
    double work;
    CHECK_NEAR(imbalance(NULL, 0, 10e-3, &work), 0.0, 1e-12);
    CHECK_NEAR(work, 0.0, 1e-12);
}

// What it rubs off comes from what turns it, at the surface of a rod that is not thin.
static void a_rough_drum_pays_for_friction(void **unused) {
    (void)unused;
    static const char *const rough[] = {"obstacles.drum.friction=0.3"};
    double work;
    const double error = imbalance(rough, 1, 1e-3, &work);
    CHECK_NEAR(error, 0.0, 1e-7 * work);
    CHECK_BETWEEN(work, 0.02, 0.04);
}

// A pill along the wire that tilts lifts it: the balance closes to second order in the step.
static void a_pill_that_tilts_does_the_work(void **unused) {
    (void)unused;
    static const char *const pill[] = {
        "obstacles.drum={name: drum, capsule: {radius: 10 mm, length: 60 mm}, stiffness: 20 kPa, "
        "direction: [1, 0, 0], position: [0.2, 0, -14 mm], motion: {rotation: [0, turn, 0]}}",
        "inputs.turn={curve: [[0, 0], [0.2, -0.6]]}"};
    double work;
    const double coarse = imbalance(pill, 2, 4e-3, &work);
    const double fine = imbalance(pill, 2, 1e-3, &work);
    CHECK_NEAR(fine, 0.0, 1e-4 * work);
    CHECK_BETWEEN(coarse / fine, 12.0, 20.0);
}

// ---------------------------------------------------------------- what is kept, what is refused
// A snapshot has the slip: what goes on from it is the same to the bit.
static void snapshots_hold_what_sticks(void **unused) {
    (void)unused;
    static const char *const rough[] = {"obstacles.floor.friction=0.5"};
    scene a = scene_of(FALLING, rough, 1), b = scene_of(FALLING, rough, 1);
    const size_t bytes = td_snapshot_bytes(a.system);
    void *kept = test_malloc(bytes);
    for (int k = 0; k < 60; k++) scene_step(&a, 5e-3);
    assert_int_equal(td_state_save(a.system, a.state, kept, bytes), TD_OK);
    assert_int_equal(td_state_restore(b.system, b.state, kept, bytes), TD_OK);
    for (int k = 0; k < 20; k++) {
        scene_step(&a, 5e-3);
        scene_step(&b, 5e-3);
    }
    const td_pose p = scene_tip(&a), q = scene_tip(&b);
    assert_memory_equal(&p, &q, sizeof p);
    test_free(kept);
    scene_end(&a);
    scene_end(&b);
}

static void what_cannot_be_is_refused_in_words(void **unused) {
    (void)unused;
    check_not_compiled_with(FALLING, "simulation.time.scheme=trapezoidal", "simulation.time.scheme",
                            "rings");
    check_not_compiled_with(FALLING, "simulation.time.alpha=-0.45", "simulation.time.alpha",
                            "rings");
    check_not_compiled_with(FALLING, "simulation.space.scheme=shooting", "simulation.space.scheme",
                            "collocation");
    check_not_compiled_with(FALLING, "simulation.space.scheme=chebyshev", "simulation.space.scheme",
                            "collocation");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_bring_no_energy),
        cmocka_unit_test(rough_floors_bring_no_energy),
        cmocka_unit_test(what_falls_comes_to_rest_in_equilibrium),
        cmocka_unit_test(a_bar_that_rises_does_the_work),
        cmocka_unit_test(a_smooth_drum_that_turns_does_no_work),
        cmocka_unit_test(a_rough_drum_pays_for_friction),
        cmocka_unit_test(a_pill_that_tilts_does_the_work),
        cmocka_unit_test(snapshots_hold_what_sticks),
        cmocka_unit_test(what_cannot_be_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
