// Snapshots: one is taken only by a system that means the same by it, and only as it was saved.
#include "tendril/tendril.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static const char text[] =
    "tendril: 1\n"
    "materials:\n"
    "  steel: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}\n"
    "rods:\n"
    "  - name: arm\n"
    "    length: 0.4\n"
    "    material: steel\n"
    "    section: {radius: 6 mm}\n"
    "    damping: {bending: 1e-6}\n"
    "    base: {position: [0, 0, 0], direction: [0, 0, 1]}\n"
    "  - {name: leg, length: 0.3, material: steel, section: {radius: 1 mm},\n"
    "     base: {position: [0.1, 0, 0]}, tip: {body: plate, position: [0.1, 0, 0]}}\n"
    "bodies:\n"
    "  - {name: disc, on: arm, at: 50 %, mass: 1 g}\n"
    "  - {name: plate, mass: 10 g, inertia: [1e-6, 1e-6, 1e-6], position: [0, 0, 0.3]}\n"
    "tendons:\n"
    "  - {name: pull, rod: arm, offset: [5 mm, 0], stiffness: 1000, friction: 0.1}\n"
    "  - {name: bent, rod: arm, routing: {points: [[base, 5 mm, 0], [50 %, 4 mm, 0], "
    "[tip, 5 mm, 0]]}}\n"
    "chambers:\n"
    "  - {name: air, rod: arm, offset: [2 mm, 0], radius: 1 mm, input: amount}\n"
    "loads:\n"
    "  - {name: push, rod: arm, at: 30 %, force: [0.1, 0, 0]}\n"
    "  - {name: tip, rod: arm, at: tip, force: [0.1, 0, 0]}\n"
    "inputs: {pull: 1, bent: 0.5, air: 1e-6}\n";

// What a snapshot depends on: another value of any of these is another system. Options: test_options.c.
static const char *const matters[] = {
    "materials.steel.youngs_modulus=200 GPa",
    "materials.steel.density=7000",
    "rods.arm.length=0.41",
    "rods.arm.section.radius=6.1 mm",
    "rods.arm.damping.bending=2e-6",
    "rods.arm.damping.power=1.5",
    "rods.arm.mean_stretch=true",
    "materials.steel.law=neo-hookean",
    ("rods.leg.stiffness.matrix=[[1, 0, 0.1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0.1, 0, 1, 0, 0, 0], "
     "[0, 0, 0, 1000, 0, 0], [0, 0, 0, 0, 1000, 0], [0, 0, 0, 0, 0, 1000]]"),
    "rods.arm.base.position=[0.01, 0, 0]",
    "rods.arm.base.direction=[1, 0, 0]",
    "rods.arm.base.joint=ball",
    "rods.leg.tip.position=[0.11, 0, 0]",
    "rods.leg.tip.joint=ball",
    "bodies.disc.mass=2 g",
    "bodies.disc.at=40 %",
    "bodies.plate.inertia=[2e-6, 1e-6, 1e-6]",
    "bodies.plate.position=[0.001, 0, 0.3]",
    "tendons.pull.offset=[6 mm, 0]",
    "tendons.pull.stiffness=2000",
    "tendons.pull.friction=0.2",
    "tendons.pull.mass_per_length=0.001",
    "tendons.bent.routing={points: [[base, 5 mm, 0], [50 %, 3 mm, 0], [tip, 5 mm, 0]]}",
    "chambers.air.offset=[3 mm, 0]",
    "chambers.air.radius=1.5 mm",
    "chambers.air.braid_angle=80 deg",
    "chambers.air.temperature=300",
    "chambers.air.volume=path",
    "loads.push.at=40 %",
    "simulation.model=rom",
};

// A trajectory goes on under these.
static const char *const may_differ[] = {
    "gravity=[0, 0, 9.81]",
    "loads.push.force=[0, 0.2, 0]",
    "inputs.pull={ramp: {from: 1, to: 2, duration: 1}}",
    "simulation.time.step=1 ms",
    "record.shape=11",
};

typedef struct world {
    td_robot *robot;
    td_system *system;
    td_state *state;
} world;

// False: this model cannot represent the robot, which is refusal enough.
static bool open_world(world *w, const char *set) {
    td_error err = {0};
    w->robot = td_robot_parse(text, strlen(text), "robot.yaml", &set, set ? 1 : 0, &err);
    if (!w->robot) fprintf(stderr, "%s: %s: %s\n", set ? set : "", err.where, err.message);
    assert_non_null(w->robot);
    td_options options = td_robot_options(w->robot);
    w->system = td_system_create(w->robot, &options, &err);
    w->state = w->system ? td_state_create(w->system) : NULL;
    if (!w->system && err.status != TD_ERR_UNSUPPORTED)
        fprintf(stderr, "%s: %s: %s\n", set ? set : "", err.where, err.message);
    assert_true(w->system || err.status == TD_ERR_UNSUPPORTED);
    return w->system != NULL;
}

static void close_world(world *w) {
    td_state_destroy(w->state);
    td_system_destroy(w->system);
    td_robot_destroy(w->robot);
}

static size_t save(const world *w, unsigned char **saved) {
    size_t bytes = td_snapshot_bytes(w->system);
    *saved = malloc(2 * bytes);
    assert_int_equal(td_state_save(w->system, w->state, *saved, bytes), TD_OK);
    return bytes;
}

// Room beyond a snapshot's end, so that another size does not tell two systems apart.
static td_status offer(const char *set, const unsigned char *saved, size_t bytes) {
    world w = {0};
    td_status status = TD_ERR_UNSUPPORTED;
    if (open_world(&w, set)) {
        size_t needed = td_snapshot_bytes(w.system);
        unsigned char *buffer = calloc(1, needed > bytes ? needed : bytes);
        memcpy(buffer, saved, bytes);
        status = td_state_restore(w.system, w.state, buffer, needed > bytes ? needed : bytes);
        if (status == TD_ERR_ARGUMENT) assert_non_null(strstr(td_message(w.state), "another"));
        free(buffer);
    }
    close_world(&w);
    return status;
}

static void other_systems_refuse_a_snapshot(void **unused) {
    (void)unused;
    world w;
    unsigned char *saved;
    assert_true(open_world(&w, NULL));
    size_t bytes = save(&w, &saved);
    int taken = 0;
    for (size_t i = 0; i < sizeof matters / sizeof matters[0]; i++) {
        td_status status = offer(matters[i], saved, bytes);
        if (status >= 0) fprintf(stderr, "%s: the snapshot was taken\n", matters[i]);
        taken += status >= 0;
    }
    assert_int_equal(taken, 0);
    free(saved);
    close_world(&w);
}

static void what_acts_and_how_it_is_solved_may_differ(void **unused) {
    (void)unused;
    world w;
    unsigned char *saved;
    assert_true(open_world(&w, NULL));
    size_t bytes = save(&w, &saved);
    for (size_t i = 0; i < sizeof may_differ / sizeof may_differ[0]; i++) {
        td_status status = offer(may_differ[i], saved, bytes);
        if (status < 0) fprintf(stderr, "%s: %s\n", may_differ[i], td_status_name(status));
        assert_int_equal(status, TD_OK);
    }
    free(saved);
    close_world(&w);
}

// Any bit that has turned over is noticed, and the state stays as it was.
static void a_damaged_snapshot_is_refused(void **unused) {
    (void)unused;
    world w;
    unsigned char *saved, *after;
    assert_true(open_world(&w, NULL));
    size_t bytes = save(&w, &saved);
    for (size_t i = 0; i < bytes; i += 7) {
        const unsigned char bit = (unsigned char)(1u << i % 8);
        saved[i] ^= bit;
        assert_true(td_state_restore(w.system, w.state, saved, bytes) < 0);
        assert_true(td_message(w.state)[0]);
        saved[i] ^= bit;
    }
    save(&w, &after);
    assert_memory_equal(saved, after, bytes);
    assert_int_equal(td_state_restore(w.system, w.state, saved, bytes), TD_OK);
    free(saved);
    free(after);
    close_world(&w);
}

// ---------------------------------------------------------------- time
static void k_steps_end_at_k_times_the_step(void **unused) {
    (void)unused;
    static const char rod[] = "tendril: 1\n"
                              "rods:\n"
                              "  - {name: arm, length: 0.4, section: {radius: 1 mm}, material: "
                              "{youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}}\n"
                              "simulation: {model: constant_curvature}\n";
    td_error err = {0};
    td_robot *robot = td_robot_parse(rod, strlen(rod), "rod.yaml", NULL, 0, &err);
    td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    if (!system) fprintf(stderr, "%s: %s\n", err.where, err.message);
    td_state *state = td_state_create(system);
    for (int k = 1; k <= 20000; k++) {
        td_status status = k % 2 ? td_advance(system, state, 1e-3) : td_step(system, state, 1e-3);
        assert_true(status >= 0);
        assert_true(td_get_time(system, state) == k * 1e-3);
    }
    assert_true(td_get_time(system, state) == 20.0);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_systems_refuse_a_snapshot),
        cmocka_unit_test(what_acts_and_how_it_is_solved_may_differ),
        cmocka_unit_test(a_damaged_snapshot_is_refused),
        cmocka_unit_test(k_steps_end_at_k_times_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
