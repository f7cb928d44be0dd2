// Concentric tubes in motion: frequencies of straight and of turned pairs, the snap that Till et al. 2020 recorded in their
// simulation, energies, and promises to a control loop.
#include <stdlib.h>

#include "allocator.h"
#include "tubes.h"

#define PI 3.14159265358979323846

// ---------------------------------------------------------------- frequencies
static td_rod_def round_tube(const char *name, td_piece_def *piece, double E, double ro,
                             double ri) {
    *piece = td_default_piece_def();
    piece->length = 0.1, piece->density = 6450.0;
    piece->youngs_modulus = E, piece->shear_modulus = E / 2.6;
    piece->section.radius = ro, piece->section.inner_radius = ri;
    td_rod_def rod = td_default_rod_def();
    rod.name = name, rod.pieces = piece, rod.n_pieces = 1;
    return rod;
}

static int modes_of(world *w, double *hertz, int most) {
    td_error err = {0};
    td_linearisation *l = td_linearisation_create(w->system, NULL, 0, &err);
    assert_non_null(l);
    CHECK_CALL(w, td_linearise(w->system, w->state, l));
    assert_true(td_solve_modes(l, 0) >= 0);
    const int n = td_n_modes(l) < most ? td_n_modes(l) : most;
    for (int i = 0; i < n; i++) hertz[i] = td_get_mode(l, i).frequency;
    td_linearisation_destroy(l);
    return n;
}

static double nearest(const double *hertz, int n, double to) {
    double best = hertz[0];
    for (int i = 1; i < n; i++)
        if (fabs(hertz[i] - to) < fabs(best - to)) best = hertz[i];
    return best;
}

// They bend as one beam, and twist each as a shaft: f = sqrt(G/rho)/(4 L).
static void a_straight_pair_has_the_frequencies_of_a_beam_and_two_shafts(void **state) {
    (void)state;
    td_error err = {0};
    td_piece_def pieces[2];
    td_rod_def outer = round_tube("outer", &pieces[0], 50e9, 0.9e-3, 0.6e-3);
    td_rod_def inner = round_tube("inner", &pieces[1], 58e9, 0.5e-3, 0.0);
    inner.tube.within = 0;
    td_robot *robot = td_robot_create();
    CHECK_OK(td_robot_add_rod(robot, &outer, &err), err);
    CHECK_OK(td_robot_add_rod(robot, &inner, &err), err);
    set_gravity(robot, 0.0, 0.0, 0.0);
    td_options o = tubes_options(12), without = o;
    without.rotary_inertia = false;
    world w = world_make(robot, &o), plain = world_make(robot, &without);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_CALL(&plain, td_solve_statics(plain.system, plain.state));
    double hertz[128], plain_hertz[128];
    const int n = modes_of(&w, hertz, 128), m = modes_of(&plain, plain_hertz, 128);
    const double I1 = PI / 4.0 * (pow(0.9e-3, 4) - pow(0.6e-3, 4)), I2 = PI / 4.0 * pow(0.5e-3, 4);
    const double A = PI * (0.81e-6 - 0.36e-6 + 0.25e-6);
    const double scale = sqrt((50e9 * I1 + 58e9 * I2) / (6450.0 * A)) / (2.0 * PI * 0.01);
    const double roots[3] = {1.875104068711961, 4.694091132974174, 7.854757438237613};
    for (int i = 0; i < 3; i++) {  // twice each; rotary inertia makes them a little slower
        const double beam = scale * roots[i] * roots[i];
        CHECK_BETWEEN(hertz[2 * i] / beam, 1.0 - 1e-3, 1.0);
        CHECK_NEAR(hertz[2 * i], hertz[2 * i + 1], 1e-6 * beam);
        CHECK_NEAR(plain_hertz[2 * i] / beam, 1.0, 1e-7);
        assert_true(hertz[2 * i] / beam < 1.0 - 1e-6);
    }
    for (int i = 0; i < 2; i++) {
        const double shaft = sqrt((i ? 58e9 : 50e9) / 2.6 / 6450.0) / 0.4;
        CHECK_NEAR(nearest(hertz, n, shaft), shaft, 1e-7 * shaft);
        CHECK_NEAR(nearest(plain_hertz, m, shaft), shaft, 1e-7 * shaft);
    }
    plain.robot = NULL;  // they share it
    world_free(&plain);
    world_free(&w);
}

// ---------------------------------------------------------------- the pair of Till et al. 2020
static world snap_pair(const char *const *sets, int n) {
    td_error err = {0};
    td_robot *robot = td_robot_load(EXAMPLES "/tube-snap.yaml", sets, n, &err);
    if (!robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    const td_options o = td_robot_options(robot);
    return world_make(robot, &o);
}

// As another program found them, in another frame, turned by 2 rad without weight and friction.
static void a_turned_pair_has_known_frequencies(void **state) {
    (void)state;
    const char *const sets[] = {"gravity=[0, 0, 0]", "rods.inner.tube.friction=0",
                                "simulation.tubes.nodes=6"};
    const double known[6] = {445.470, 454.025, 2092.759, 2838.93, 2897.92, 7094.56};
    world w = snap_pair(sets, 3);
    double hertz[6];
    td_set_input(w.system, w.state, 0, -2.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_NEAR(angle_between(&w, 1, 0.112 + 0.0531, 0, 0.0531), 0.748257, 2e-6);
    modes_of(&w, hertz, 6);
    for (int i = 0; i < 6; i++) CHECK_NEAR(hertz[i], known[i], 6e-6 * known[i]);
    world_free(&w);
}

typedef struct snap {
    double start, crosses, largest;  // rad; s at which it passes 4 rad; rad
    double last;
} snap;

// The angle of the outer tip from the inner one, followed through turns.
static snap follow_snap(world *w, double dt) {
    const double at = 0.112 + 0.0531;
    CHECK_CALL(w, td_begin(w->system, w->state));
    snap x = {.start = fmod(angle_between(w, 1, at, 0, 0.0531) + 2.0 * PI, 2.0 * PI)};
    x.last = x.largest = x.start;
    for (int k = 1; k <= (int)(0.012 / dt + 0.5); k++) {
        CHECK_CALL(w, td_advance(w->system, w->state, dt));
        double now = angle_between(w, 1, at, 0, 0.0531);
        now += 2.0 * PI * round((x.last - now) / (2.0 * PI));
        if (x.crosses == 0.0 && now >= 4.0) x.crosses = dt * (k - (now - 4.0) / (now - x.last));
        x.largest = fmax(x.largest, now);
        x.last = now;
    }
    return x;
}

// Published: it starts at 2.0104 rad, passes 4 rad at 6.745 ms, swings to 6.2006 and is at 5.2375 rad after 12 ms.
static void the_published_snap_comes_when_it_did(void **state) {
    (void)state;
    world w = snap_pair(NULL, 0);
    const snap x = follow_snap(&w, 50e-6);
    CHECK_NEAR(x.start, 2.0104, 5e-5);
    CHECK_NEAR(x.crosses, 6.745e-3, 0.01 * 6.745e-3);
    CHECK_NEAR(x.largest, 6.2006, 0.01 * 6.2006);
    CHECK_NEAR(x.last, 5.2375, 0.01 * 5.2375);
    // Another program, with steps of 10 us and another formula: 6.7605 ms.
    CHECK_NEAR(x.crosses, 6.7605e-3, 1e-3 * 6.7605e-3);
    world_free(&w);
}

static void without_friction_it_comes_sooner(void **state) {
    (void)state;
    const char *const sets[] = {"rods.inner.tube.friction=0"};
    world w = snap_pair(sets, 1);
    const snap x = follow_snap(&w, 50e-6);
    CHECK_NEAR(x.crosses, 2.706e-3, 0.01 * 2.706e-3);
    CHECK_NEAR(td_get_energy(w.system, w.state).dissipated, 0.0, 0.0);
    world_free(&w);
}

// Tubes that stick in one another go on together, but for what friction creeps by; the shaft behind takes the turn.
static void tubes_that_stick_do_not_snap(void **state) {
    (void)state;
    static const double creeps[] = {0.1, 1.0};
    for (int i = 0; i < 2; i++) {
        char slip[64];
        snprintf(slip, sizeof slip, "rods.inner.tube.slip_rate=%g rad/s", creeps[i]);
        const char *const sets[] = {"rods.inner.tube.friction=0.3", slip};
        world w = snap_pair(sets, 2);
        const snap x = follow_snap(&w, 50e-6);
        CHECK_NEAR(x.last, x.start, creeps[i] * 12e-3);
        CHECK_NEAR(x.largest, x.start, creeps[i] * 12e-3);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- energy
// Turned, rubbed, damped, and pushed by so much: what is stored and lost is what was given.
static double energy_left(double dt, const char *push) {
    const char *const sets[] = {
        "rods.inner.tube.translation=-0.112 + push", "rods.inner.damping.time=0.02 ms",
        "inputs.turn={curve: [[0, -2], [2 ms, -2.2], [4 ms, -1.9], [5 ms, -2]]}", push};
    world w = snap_pair(sets, 4);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    const double before = world_balance(&w);
    double worst = 0.0;
    for (int k = 0; k < (int)(5e-3 / dt + 0.5); k++) {
        CHECK_CALL(&w, td_advance(w.system, w.state, dt));
        worst = fmax(worst, fabs(world_balance(&w) - before));
    }
    const td_energy e = td_get_energy(w.system, w.state);
    assert_true(e.dissipated > 1e-5 && fabs(e.work) > 1e-4);
    world_free(&w);
    return worst;
}

static void energies_balance(void **state) {
    (void)state;
    const double coarse = energy_left(50e-6, "inputs.push=0"),
                 fine = energy_left(12.5e-6, "inputs.push=0");
    CHECK_BETWEEN(coarse, 0.0, 2e-5);
    CHECK_BETWEEN(fine, 0.0, coarse / 8.0);
    // The velocity of pushing, 30 mm/s, is in no inertia: a thousandth of the work done remains.
    CHECK_BETWEEN(energy_left(12.5e-6, "inputs.push={curve: [[0, 0], [5 ms, 0.1 mm]]}"), 0.0, 2e-6);
}

// ---------------------------------------------------------------- one tube is a rod
static td_robot *swinging_rod(void) {
    td_piece_def piece = steel_piece();
    piece.damping_time = 1e-3;
    td_robot *robot = rod_robot(&piece, 1);
    td_error err = {0};
    td_load_def load = point_load("tip", 0.4);
    load.force[0] = (td_number){0.0, 1.0, add_input(robot, "push")};
    load.moment[2] = (td_number){0.0, 0.05, 0};
    CHECK_OK(td_robot_add_load(robot, &load, &err), err);
    set_gravity(robot, 0.0, 3.0, -9.81);
    return robot;
}

static void one_tube_swings_like_a_rod(void **state) {
    (void)state;
    td_options o = td_default_options(), t = tubes_options(8);
    o.theory = TD_KIRCHHOFF, o.scheme = TD_SDIRK2, o.nodes = 10;
    world a = world_make(swinging_rod(), &o), b = world_make(swinging_rod(), &t);
    world *const both[2] = {&a, &b};
    td_pose tips[2];
    for (int i = 0; i < 2; i++) {
        world *w = both[i];
        CHECK_CALL(w, td_solve_statics(w->system, w->state));
        td_set_input(w->system, w->state, 0, 0.5);
        td_restart(w->system, w->state);
        for (int k = 0; k < 200; k++) CHECK_CALL(w, td_step(w->system, w->state, 2.5e-4));
        tips[i] = tip_of(w);
    }
    for (int c = 0; c < 3; c++) CHECK_NEAR(tips[0].p[c], tips[1].p[c], 2e-6);
    for (int c = 0; c < 4; c++) CHECK_NEAR(fabs(tips[0].q[c]), fabs(tips[1].q[c]), 2e-5);
    world_free(&a), world_free(&b);
}

// ---------------------------------------------------------------- promises
static void steps(td_system *system, td_state *state, int n) {
    for (int i = 0; i < n; i++) {
        td_set_input(system, state, 0, -3.56 - 0.01 * (i % 5));
        assert_true(td_step(system, state, 1e-4) >= 0);
    }
}

static void what_is_saved_goes_on_to_the_bit(void **unused) {
    (void)unused;
    world w = snap_pair(NULL, 0);
    const size_t bytes = td_snapshot_bytes(w.system);
    void *kept = malloc(bytes);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    steps(w.system, w.state, 6);
    assert_int_equal(td_state_save(w.system, w.state, kept, bytes), TD_OK);
    steps(w.system, w.state, 6);
    const td_sample first = td_get_sample(w.system, w.state, 1, 0.16);
    assert_int_equal(td_state_restore(w.system, w.state, kept, bytes), TD_OK);
    steps(w.system, w.state, 6);
    const td_sample again = td_get_sample(w.system, w.state, 1, 0.16);
    assert_memory_equal(&first, &again, sizeof first);
    free(kept);
    world_free(&w);
}

static void steps_and_solves_allocate_nothing(void **unused) {
    (void)unused;
    world w = snap_pair(NULL, 0);
    const size_t bytes = td_state_bytes(w.system);
    void *memory = malloc(bytes);
    memset(memory, 0xff, bytes);
    td_state *state = td_state_init(w.system, memory, bytes);
    assert_non_null(state);
    double J[6], smallest;
    const long before = allocations;
    assert_int_equal(td_begin(w.system, state), TD_OK);
    assert_true(td_get_jacobian(w.system, state, 1, 0.16, J) >= 0);
    assert_true(td_get_stability(w.system, state, &smallest) >= 0);
    steps(w.system, state, 6);
    assert_int_equal(allocations, before);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    steps(w.system, w.state, 6);
    const td_pose a = td_get_pose(w.system, state, 1, 0.16),
                  b = td_get_pose(w.system, w.state, 1, 0.16);
    assert_memory_equal(&a, &b, sizeof a);
    free(memory);
    world_free(&w);
}

static void a_lack_of_memory_is_told_and_leaks_nothing(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    td_error err = {0};
    td_robot *robot = td_robot_load(EXAMPLES "/tube-snap.yaml", NULL, 0, &err);
    const td_options o = td_robot_options(robot);
    for (int k = 0;; k++) {
        const long before = live;
        fail_at = allocations + k;
        td_system *system = td_system_create(robot, &o, &err);
        fail_at = -1;
        const bool made = system != NULL;
        td_system_destroy(system);
        assert_int_equal(live, before);
        if (made) break;
        assert_int_equal(err.status, TD_ERR_MEMORY);
        assert_true(k < 200);
    }
    td_robot_destroy(robot);
}

// A tube that would be pulled out of the base in a step: the step does not happen.
static void a_step_that_pulls_a_tube_out_is_refused(void **unused) {
    (void)unused;
    const char *const sets[] = {"rods.inner.tube.translation=-0.112 + push", "inputs.push=0"};
    world w = snap_pair(sets, 2);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    const td_pose before = td_get_pose(w.system, w.state, 1, 0.16);
    td_set_input(w.system, w.state, td_find_input(w.system, "push"), -0.06);
    assert_true(td_step(w.system, w.state, 1e-4) < 0);
    if (!strstr(td_message(w.state), "tube.translation")) puts(td_message(w.state));
    assert_non_null(strstr(td_message(w.state), "tube.translation"));
    const td_pose after = td_get_pose(w.system, w.state, 1, 0.16);
    assert_memory_equal(&before, &after, sizeof before);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straight_pair_has_the_frequencies_of_a_beam_and_two_shafts),
        cmocka_unit_test(a_turned_pair_has_known_frequencies),
        cmocka_unit_test(the_published_snap_comes_when_it_did),
        cmocka_unit_test(without_friction_it_comes_sooner),
        cmocka_unit_test(tubes_that_stick_do_not_snap),
        cmocka_unit_test(energies_balance),
        cmocka_unit_test(one_tube_swings_like_a_rod),
        cmocka_unit_test(what_is_saved_goes_on_to_the_bit),
        cmocka_unit_test(steps_and_solves_allocate_nothing),
        cmocka_unit_test(a_lack_of_memory_is_told_and_leaks_nothing),
        cmocka_unit_test(a_step_that_pulls_a_tube_out_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
