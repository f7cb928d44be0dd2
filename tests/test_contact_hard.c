// Obstacles that are hard: nothing is deeper in them than they allow, at rest and in motion, and forces are those of rigid
// ones, however soft the springs are that they are sought with.
#include "contact_rods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// m, of the deepest contact; and the force of all along z
static double depth_of(const scene *s, double *force) {
    td_contact_point at[256];
    const int n = td_get_contacts(s->system, s->state, at, 256);
    double deepest = 0.0;
    *force = 0.0;
    for (int i = 0; i < n; i++) {
        deepest = fmax(deepest, -at[i].gap);
        *force += at[i].force[2];
    }
    return deepest;
}

// ---------------------------------------------------------------- at rest
// A tip lifted by F = q l/2 from a table: l = (24 EI h/q)^(1/4) = 0.5 m are up, the tip by h = 1 mm. The springs of the table
// alone, K L^4/EI = 1e4, have it 6.7 % too high, and the rod 0.1 mm below.
#define LIFTED                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, section: {radius: 1 mm}, mass_per_length: 0.1,\n"                    \
    "     stiffness: {bending: 2.6041666667, torsion: 2, shear: 1e6, extension: 1e6},\n"           \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "loads: [{at: tip, force: [0, 0, 0.25]}]\n"                                                    \
    "obstacles: [{name: table, plane: {}, position: [0, 0, -1 mm], hard: 10 nm}]\n"                \
    "simulation: {lumped: {segments: 64}, virtual_power: {discs: 64}, rom: {order: 16},\n"         \
    "  constant_curvature: {segments: 48}}\n"

static const struct {
    const char *set;
    double tip;  // error of its height, m, by the order of the model alone
} models[] = {
    {"simulation.model=cosserat", 1e-6},      {"simulation.model=eba", 2e-6},
    {"simulation.model=ebr", 2e-6},           {"simulation.model=rom", 8e-6},
    {"simulation.model=virtual_power", 2e-6}, {"simulation.model=constant_curvature", 2e-6}};
enum { MODELS = 6 };

static void check_lifted(const char *model, const char *set, double hard, double off) {
    char how[64];
    snprintf(how, sizeof how, "obstacles.table.hard=%g", hard);
    scene s = scene_of(LIFTED, (const char *const[]){model, set, how}, 3);
    double force, smallest;
    if (td_solve_statics(s.system, s.state) != TD_OK) fail_msg("%s", td_message(s.state));
    CHECK_BETWEEN(depth_of(&s, &force), 0.0, hard);
    CHECK_NEAR(scene_tip(&s).p[2], 1e-3, off);
    const td_reaction base = td_get_reaction(s.system, s.state, 0, TD_BASE);
    CHECK_NEAR(force + base.force[2], 0.75, 1e-6);  // weight less what lifts
    CHECK_BETWEEN(force, 0.70, 0.75);
    assert_int_equal(td_get_stability(s.system, s.state, &smallest), TD_OK);
    assert_true(smallest > 0.0);
    scene_end(&s);
}

static void lifted_rods_lie_on_what_is_rigid(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        check_lifted(models[m].set, "obstacles.table.friction=0", 10e-9, models[m].tip);
        check_lifted(models[m].set, "obstacles.table.stiffness=2.6e4", 1e-6, 8e-6);
    }
}

static void what_is_not_reached_is_told(void **unused) {
    (void)unused;
    for (int m = 0; m < 2; m++) {
        scene s =
            scene_of(LIFTED, (const char *const[]){models[m].set, "obstacles.table.hard=1e-21"}, 2);
        double force;
        assert_int_equal(td_solve_statics(s.system, s.state), TD_LOOSE);
        assert_non_null(strstr(td_message(s.state), "rod 'a' is "));
        assert_non_null(strstr(td_message(s.state), "obstacle 'table', which is hard to 1e-21 m"));
        CHECK_BETWEEN(depth_of(&s, &force), 0.0, 1e-9);
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- in motion
#define FALLING                                                                                    \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.4, section: {radius: 1 mm},\n"                                        \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 3000},\n"                 \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "obstacles: [{name: floor, plane: {}, position: [0, 0, -0.1], hard: 1 um}]\n"                  \
    "simulation: {lumped: {segments: 16}, virtual_power: {discs: 6}, rom: {order: 8},\n"           \
    "  constant_curvature: {segments: 4}}\n"

// It comes down, stays on the floor within what is allowed, and has never more energy than it began with.
static void check_fall(const char *model, const char *set, double dt) {
    scene s = scene_of(FALLING, (const char *const[]){model, set}, 2);
    const double start = scene_energy(&s);
    double force, most = 0.0, low = 0.0;
    int loose = 0;
    bool touched = false;
    for (int k = 0; k * dt < 0.4; k++) {
        const td_status status = td_step(s.system, s.state, dt);
        const double depth = depth_of(&s, &force);
        assert_true(status >= 0 && force >= 0.0);
        touched = touched || force > 0.0;
        CHECK_BETWEEN(depth, 0.0, status == TD_OK ? 1e-6 : 1e-4);
        most = fmax(most, scene_energy(&s) - start);
        low = fmin(low, td_get_energy(s.system, s.state).gravity);
        if (status == TD_OK) continue;
        assert_non_null(strstr(td_message(s.state), "obstacle 'floor', which is hard to 1e-06 m"));
        loose++;
    }
    assert_true(loose <=
                (strstr(model, "rom") ? 5 : 0));  // its points are more than its polynomials
    assert_true(touched);
    CHECK_BETWEEN(most, -1.0, 1e-9 * fabs(low));
    scene_end(&s);
}

static void falling_rods_stay_on_the_floor(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) check_fall(models[m].set, "obstacles.floor.friction=0", 2e-3);
    check_fall(models[0].set, "simulation.time.scheme=sdirk2", 2e-3);
    check_fall(models[0].set, "simulation.time.scheme=bdf2", 1e-3);
    check_fall(models[0].set, "obstacles.floor.friction=0.5", 5e-3);
    check_fall(models[1].set, "obstacles.floor.friction=0.5", 5e-3);
}

// ---------------------------------------------------------------- bodies
#define SLOPE(body)                                                                                \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: post, length: 0.1, section: {radius: 1 mm}, base: {position: [0, 5, 1]},\n"        \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000}}\n"                   \
    "bodies: [{name: b, mass: 0.2, " body ", direction: [0.5, 0, 0.86602540378]}]\n"               \
    "obstacles: [{name: slope, plane: {}, rotation: [0, 30 deg, 0], hard: 100 nm,\n"               \
    "  presliding: 1 um}]\n"
#define BALL SLOPE("shape: {sphere: {radius: 0.1}}, position: [50 mm, 0, 86.602540378 mm]")
#define BLOCK SLOPE("shape: {box: [0.1, 0.1, 0.05]}, position: [12.5 mm, 0, 21.650635095 mm]")

// How far down the slope in 0.4 s.
static double way_down(const char *text, const char *model, const char *mu) {
    scene s = scene_of(text, (const char *const[]){model, mu}, 2);
    const td_body_state from = td_get_body(s.system, s.state, 0);
    double force;
    for (int k = 0; k < 400; k++) {
        assert_int_equal(td_step(s.system, s.state, 1e-3), TD_OK);
        CHECK_BETWEEN(depth_of(&s, &force), 0.0, 100e-9);
    }
    const td_body_state to = td_get_body(s.system, s.state, 0);
    scene_end(&s);
    return (to.pose.p[0] - from.pose.p[0]) * 0.86602540378 - (to.pose.p[2] - from.pose.p[2]) * 0.5;
}

#define HALF_T2 (0.5 * 0.4 * 0.4)
#define SINE 5.0          // g sin
#define COSINE 8.6602540  // g cos

static void bodies_slide_and_roll_on_a_rigid_slope(void **unused) {
    (void)unused;
    for (int m = 0; m < 2; m++) {
        const char *model = models[m].set;
        CHECK_NEAR(way_down(BALL, model, "obstacles.slope.friction=0.5"),
                   5.0 / 7.0 * SINE * HALF_T2, 2e-3);
        CHECK_NEAR(way_down(BLOCK, model, "obstacles.slope.friction=0.2"),
                   (SINE - 0.2 * COSINE) * HALF_T2, 2e-3);
        CHECK_NEAR(way_down(BLOCK, model, "obstacles.slope.friction=0.7"), 0.0, 2e-4);
    }
}

// ---------------------------------------------------------------- what is kept
// The rest of a run is the same, to the bit, from where it was saved.
static void multipliers_are_part_of_the_state(void **unused) {
    (void)unused;
    for (int m = 0; m < 2; m++) {
        scene s = scene_of(FALLING, (const char *const[]){models[m].set}, 1);
        const size_t bytes = td_snapshot_bytes(s.system);
        void *kept = malloc(bytes);
        double ends[2][3];
        for (int k = 0; k < 100; k++) scene_step(&s, 2e-3);
        double force;
        depth_of(&s, &force);
        assert_true(force > 0.0);
        assert_true(td_state_save(s.system, s.state, kept, bytes) >= 0);
        for (int run = 0; run < 2; run++) {
            if (run) assert_true(td_state_restore(s.system, s.state, kept, bytes) >= 0);
            for (int k = 0; k < 20; k++) scene_step(&s, 2e-3);
            memcpy(ends[run], scene_tip(&s).p, sizeof ends[run]);
        }
        assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
        free(kept);
        scene_end(&s);
    }
}

static void what_rigidity_excludes_is_refused(void **unused) {
    (void)unused;
    static const char *const sets[] = {"obstacles.floor.restitution=0.5"};
    td_error err = {0};
    assert_null(td_robot_parse(FALLING, strlen(FALLING), "a.yaml", sets, 1, &err));
    assert_non_null(strstr(err.message, "must be left out where an obstacle is hard"));
    static const char *const chosen[] = {"simulation.model=eba",
                                         "simulation.integration.method=implicit"};
    td_robot *robot = td_robot_parse(FALLING, strlen(FALLING), "a.yaml", chosen, 2, &err);
    assert_non_null(robot);
    const td_options options = td_robot_options(robot);
    assert_null(td_system_create(robot, &options, &err));
    assert_non_null(strstr(err.message, "hard, as 'floor' is, need 'fixed'"));
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lifted_rods_lie_on_what_is_rigid),
        cmocka_unit_test(what_is_not_reached_is_told),
        cmocka_unit_test(falling_rods_stay_on_the_floor),
        cmocka_unit_test(bodies_slide_and_roll_on_a_rigid_slope),
        cmocka_unit_test(multipliers_are_part_of_the_state),
        cmocka_unit_test(what_rigidity_excludes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
