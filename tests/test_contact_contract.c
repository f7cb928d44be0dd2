// What a control loop is promised, with obstacles: no allocation, errors that leak nothing, steps that
// happen or do not, no NaN.
#include <math.h>
#include <stdlib.h>

#include "allocator.h"

#include "contact_rods.h"

static const char scene_text[] =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: a, length: 0.3, section: {radius: 1 mm}, feed: push, damping: {time: 5 ms},\n"
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 3000},\n"
    "     base: {direction: [1, 0, 0]}}\n"
    "obstacles:\n"
    "  - {name: floor, plane: {}, position: [0, 0, up], friction: 0.3}\n"
    "  - {name: pipe, friction: 0.1,\n"
    "     tube: {points: [[0, 0, 0], [0.2, 0, 0], [0.4, 0.1, 0]], radius: [60 mm, 50 mm, 60 mm]}}\n"
    "inputs: {push: 0, up: -0.05}\n"
    "simulation: {theory: kirchhoff}\n";

// Two wires and a ball that touch one another.
#define PARTS(model)                                                                               \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.3, section: {radius: 1 mm}, damping: {time: 5 ms},\n"                 \
    "     material: {youngs_modulus: 100 GPa, poisson_ratio: 0.3, density: 3000},\n"               \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "  - {name: b, length: 0.3, section: {radius: 1 mm}, damping: {time: 5 ms},\n"                 \
    "     material: {youngs_modulus: 100 GPa, poisson_ratio: 0.3, density: 3000},\n"               \
    "     base: {position: [0.15, -0.15, up], direction: [0, 1, 0]},\n"                            \
    "     tip: {body: ball, position: [0, 0, 0]}}\n"                                               \
    "bodies: [{name: ball, mass: 1 g, shape: {sphere: {radius: 5 mm}},\n"                          \
    "          position: [0.15, 0.15, 0.05]}]\n"                                                   \
    "contacts: [{between: [a, b, ball], friction: 0.3, self: true}]\n"                             \
    "inputs: {up: 3 mm}\n"                                                                         \
    "simulation: {model: " model ", space: {elements: 3, nodes: 4}, lumped: {segments: 8}}\n"

static void parts_that_touch_allocate_nothing_either(void **unused) {
    (void)unused;
    const char *const texts[] = {PARTS("cosserat"), PARTS("eba")};
    for (int i = 0; i < 2; i++) {
        scene s = scene_of(texts[i], NULL, 0);
        const long before = allocations;
        int touched = 0;
        scene_rest(&s);
        for (int k = 1; k <= 20; k++) {
            td_set_input(s.system, s.state, 0, 3e-3 - 1e-4 * k);
            scene_step(&s, 5e-3);
            touched += td_get_contacts(s.system, s.state, NULL, 0) > 0;
        }
        td_get_energy(s.system, s.state);
        const long after = allocations;
        assert_true(touched > 5);
        if (TRAPPING) assert_int_equal(before, after);
        scene_end(&s);
    }
}

static void nothing_allocates_after_the_state_is_made(void **unused) {
    (void)unused;
    scene s = scene_of(scene_text, NULL, 0);
    const long before = allocations;
    scene_rest(&s);
    for (int k = 1; k <= 50; k++) {
        td_set_input(s.system, s.state, 0, 1e-3 * k);
        td_set_input(s.system, s.state, 1, -0.05 + 2e-4 * k);
        if (td_step(s.system, s.state, 5e-3) < 0) break;
    }
    td_get_energy(s.system, s.state);
    const long after = allocations;
    CHECK_NEAR(td_get_time(s.system, s.state), 0.25, 1e-9);
    if (TRAPPING) assert_int_equal(before, after);
    scene_end(&s);
}

static void check_failed_allocations(const char *text) {
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), "scene.yaml", NULL, 0, &err);
    assert_non_null(robot);
    const td_options options = td_robot_options(robot);
    bool finished = false;
    for (long k = 0; !finished; k++) {
        const long held = live;
        fail_at = allocations + k;
        td_system *system = td_system_create(robot, &options, &err);
        td_state *state = system ? td_state_create(system) : NULL;
        finished = allocations <= fail_at;  // this round did not reach the k-th any more
        fail_at = -1;
        if (!system) assert_int_equal(err.status, TD_ERR_MEMORY);
        assert_int_equal(finished, state != NULL);
        td_state_destroy(state);
        td_system_destroy(system);
        assert_int_equal(live, held);
    }
    td_robot_destroy(robot);
}

static void every_failed_allocation_is_an_error_and_leaks_nothing(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    check_failed_allocations(scene_text);
    check_failed_allocations(PARTS("cosserat"));
    check_failed_allocations(PARTS("eba"));
}

static void a_robot_without_memory_for_an_obstacle_has_none_of_it(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    const double points[] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 1.0, 0.1};
    td_obstacle_def def = td_default_obstacle_def();
    def.name = "pipe", def.shape = TD_OBSTACLE_TUBE;
    def.points = points, def.n_points = 2;
    int added = -1;
    for (long k = 0; added < 0; k++) {
        td_error err = {0};
        const long held = live;
        td_robot *robot = td_robot_create();
        fail_at = allocations + k;
        added = td_robot_add_obstacle(robot, &def, &err);
        fail_at = -1;
        assert_int_equal(td_robot_n_obstacles(robot), added < 0 ? 0 : 1);
        if (added < 0) assert_int_equal(err.status, TD_ERR_MEMORY);
        td_robot_destroy(robot);
        assert_int_equal(live, held);
    }
}

static void what_fails_leaves_the_state_as_it_was(void **unused) {
    (void)unused;
    scene s = scene_of(scene_text, (const char *const[]){"simulation.solver.max_iterations=1"}, 1);
    const size_t bytes = td_snapshot_bytes(s.system);
    unsigned char *before = malloc(bytes), *after = malloc(bytes);
    td_status status = TD_OK;
    for (int k = 0; k < 200 && status >= 0; k++) {
        td_set_input(s.system, s.state, 1, k % 2 ? -0.05 : 0.3);
        assert_int_equal(td_state_save(s.system, s.state, before, bytes), TD_OK);
        status = td_step(s.system, s.state, 0.5);
    }
    assert_true(status < 0);
    assert_true(strlen(td_message(s.state)) > 0);
    assert_int_equal(td_state_save(s.system, s.state, after, bytes), TD_OK);
    assert_memory_equal(before, after, bytes);
    free(before);
    free(after);
    scene_end(&s);
}

// A floor that jumps deep into the rod, and a rod that begins deep inside: an answer or an error in words,
// and never a NaN.
static void no_nan_comes_out(void **unused) {
    (void)unused;
    static const double places[] = {-0.05, 0.0, 1e-3, 0.02, 0.05, 1.0, 1e3, 1e9, -1e9};
    for (size_t i = 0; i < sizeof places / sizeof *places; i += check_briefly() ? 4 : 1)
        for (int motion = 0; motion < 2; motion++) {
            scene s = scene_of(scene_text, NULL, 0);
            scene_set(&s, "up", places[i]);
            td_status status = TD_OK;
            for (int k = 0; k < 3 && status >= 0; k++)
                status =
                    motion ? td_step(s.system, s.state, 5e-3) : td_solve_statics(s.system, s.state);
            if (status < 0 && strlen(td_message(s.state)) == 0)
                fail_msg("%s without words, floor at %g m", td_status_name(status), places[i]);
            const td_pose tip = scene_tip(&s);
            for (int k = 0; k < 3; k++) assert_true(isfinite(tip.p[k]));
            assert_true(isfinite(td_get_energy(s.system, s.state).elastic));
            scene_end(&s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_allocates_after_the_state_is_made),
        cmocka_unit_test(parts_that_touch_allocate_nothing_either),
        cmocka_unit_test(every_failed_allocation_is_an_error_and_leaks_nothing),
        cmocka_unit_test(a_robot_without_memory_for_an_obstacle_has_none_of_it),
        cmocka_unit_test(what_fails_leaves_the_state_as_it_was),
        cmocka_unit_test(no_nan_comes_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
