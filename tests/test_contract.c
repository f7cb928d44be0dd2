// The promises to a control loop: no allocation, transactions, no NaN, the same bits, own memory.
#include "rods.h"
#include "allocator.h"
#include "sim/system.h"

#include <stdlib.h>
#include <string.h>

static const double L = 0.4;

// Two rods, one with an interior follower load, a moving base, damping, drag and a signal.
static td_robot *busy_robot(void) {
    td_error err = {0};
    td_piece_def piece = steel_piece();
    piece.damping_time = 1e-4;
    piece.drag[0] = 0.01;
    td_robot *robot = td_robot_create();
    if (!robot) return NULL;
    double points[6] = {0.0, 0.0, 0.02, 0.3, 0.02, -0.2};
    td_input_def push = {.name = "push",
                         .signal = {.kind = TD_SIGNAL_POINTS, .points = points, .n_points = 3}};
    td_input_def turn = {.name = "turn",
                         .signal = {.kind = TD_SIGNAL_SINE, .to = 0.1, .frequency = 3.0}};
    td_rod_def rod = td_default_rod_def();
    rod.name = "a", rod.pieces = &piece, rod.n_pieces = 1;
    td_rod_def other = rod;
    other.name = "b";
    other.base.rotation[0] = (td_number){0.0, 1.0, 1};
    td_load_def load = point_load("poke", 0.1);
    load.frame = TD_FRAME_BODY;
    load.force[0] = (td_number){0.0, 1.0, 0};
    bool ok =
        td_robot_add_input(robot, &push, &err) >= 0 &&
        td_robot_add_input(robot, &turn, &err) >= 0 && td_robot_add_rod(robot, &rod, &err) >= 0 &&
        td_robot_add_rod(robot, &other, &err) >= 0 && td_robot_add_load(robot, &load, &err) >= 0;
    if (ok) return robot;
    assert_int_equal(err.status, TD_ERR_MEMORY);
    td_robot_destroy(robot);
    return NULL;
}

static void nothing_allocates_after_the_state_is_made(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    const td_solver solvers[3] = {TD_NEWTON, TD_DOGLEG, TD_LEVENBERG_MARQUARDT};
    for (int k = 0; k < 4; k++) {
        td_options o = td_default_options();
        o.space = k < 3 ? TD_SHOOTING : TD_COLLOCATION;
        o.steps = 40;
        o.solver = solvers[k % 3];
        world w = world_make(busy_robot(), &o);
        size_t bytes = td_snapshot_bytes(w.system);
        void *saved = malloc(bytes);
        long before = allocations;
        td_apply_signals(w.system, w.state, 0.0, TD_BEFORE);
        td_status status = td_solve_statics(w.system, w.state);
        for (int i = 0; i < 20 && status >= 0; i++) status = td_advance(w.system, w.state, 5e-3);
        td_set_input(w.system, w.state, 0, 1e9);
        td_status failed = td_step(w.system, w.state, 5e-3);
        td_get_energy(w.system, w.state);
        td_get_sample(w.system, w.state, 1, 0.123);
        td_state_save(w.system, w.state, saved, bytes);
        td_state_restore(w.system, w.state, saved, bytes);
        td_state_reset(w.system, w.state);
        long after = allocations;
        assert_true(status >= 0);
        assert_true(failed < 0);
        assert_int_equal(after, before);
        free(saved);
        world_free(&w);
    }
}

static void every_failed_allocation_is_an_error_and_leaks_nothing(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    td_options o = td_default_options();
    o.steps = 10;
    bool finished = false;
    for (long k = 0; !finished; k++) {
        assert_true(k < 1000);
        td_error err = {0};
        long live_before = live;
        fail_at = allocations + k;
        td_robot *robot = busy_robot();
        td_system *system = robot ? td_system_create(robot, &o, &err) : NULL;
        td_state *state = system ? td_state_create(system) : NULL;
        finished = allocations <= fail_at;  // this round did not reach the k-th any more
        fail_at = -1;
        if (robot && !system) assert_int_equal(err.status, TD_ERR_MEMORY);
        if (finished) assert_non_null(state);
        td_state_destroy(state);
        td_system_destroy(system);
        td_robot_destroy(robot);
        assert_int_equal(live, live_before);
    }
}

// ---------------------------------------------------------------- transactions
static void check_unchanged_after(world *w, td_status (*attempt)(world *)) {
    size_t bytes = td_snapshot_bytes(w->system);
    void *before = malloc(bytes), *after = malloc(bytes);
    td_state_save(w->system, w->state, before, bytes);
    td_status status = attempt(w);
    td_state_save(w->system, w->state, after, bytes);
    if (status >= 0) print_error("expected a failure, got %s\n", td_status_name(status));
    assert_true(status < 0);
    assert_true(strlen(td_message(w->state)) > 0);
    assert_memory_equal(before, after, bytes);
    free(before), free(after);
}

static td_status step_under_1e12_newton(world *w) {
    return td_step(w->system, w->state, 5e-3);
}

static td_status step_of_a_nanosecond(world *w) {
    return td_step(w->system, w->state, 1e-9);  // far below what shooting can resolve
}

static td_status step_of_nan(world *w) {
    return td_step(w->system, w->state, NAN);
}

static td_status step_backwards(world *w) {
    return td_step(w->system, w->state, -1e-3);
}

static td_status statics_under_1e12_newton(world *w) {
    return td_solve_statics(w->system, w->state);
}

static void a_failed_call_leaves_the_state_as_it_was(void **unused) {
    (void)unused;
    td_options o = td_default_options();
    o.space = TD_SHOOTING;
    o.steps = 50;
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    int push = add_input(robot, "push");
    td_load_def load = point_load("tip", L);
    load.force[0] = (td_number){0.0, 1.0, push};
    add_load(robot, &load);
    world w = world_make(robot, &o);
    td_set_input(w.system, w.state, push, 0.5);
    for (int i = 0; i < 5; i++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
    check_unchanged_after(&w, step_of_a_nanosecond);
    check_unchanged_after(&w, step_of_nan);
    check_unchanged_after(&w, step_backwards);
    td_set_input(w.system, w.state, push, 1e12);
    check_unchanged_after(&w, step_under_1e12_newton);
    check_unchanged_after(&w, statics_under_1e12_newton);
    // and it goes on as if nothing had been
    td_set_input(w.system, w.state, push, 0.5);
    CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
    assert_int_equal(td_set_input(w.system, w.state, push, NAN), TD_ERR_NOT_FINITE);
    assert_int_equal(td_set_input(w.system, w.state, 7, 1.0), TD_ERR_ARGUMENT);
    world_free(&w);
}

static void absurd_loads_are_refused_in_words(void **unused) {
    (void)unused;
    // collocation solves for any load; what it finds at 1e12 N is no rod
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_force(robot, L, 1e12, 0.0, 0.0);
    td_options o = td_default_options();
    world w = world_make(robot, &o);
    assert_true(td_solve_statics(w.system, w.state) < 0);
    assert_true(td_step(w.system, w.state, 5e-3) < 0);
    assert_non_null(strstr(td_message(w.state), "stretch"));
    world_free(&w);
}

static void a_failed_advance_leaves_the_state_as_it_was(void **unused) {
    (void)unused;
    // the second part of the split step fails: the first must be undone too
    td_options o = td_default_options();
    o.steps = 50;
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_error err = {0};
    td_input_def def = {
        .name = "push",
        .signal = {.kind = TD_SIGNAL_STEP, .from = 0.1, .to = 1e12, .start = 0.012}};
    int push = td_robot_add_input(robot, &def, &err);
    td_load_def load = point_load("tip", L);
    load.force[0] = (td_number){0.0, 1.0, push};
    add_load(robot, &load);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_advance(w.system, w.state, 5e-3));
    size_t bytes = td_snapshot_bytes(w.system);
    void *before = malloc(bytes), *after = malloc(bytes);
    td_state_save(w.system, w.state, before, bytes);
    assert_true(td_advance(w.system, w.state, 1e-2) < 0);
    td_state_save(w.system, w.state, after, bytes);
    assert_memory_equal(before, after, bytes);
    free(before), free(after);
    world_free(&w);
}

// ---------------------------------------------------------------- no NaN
static bool finite_all(const double *a, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(a[i])) return false;
    return true;
}

static void no_nan_leaves_the_library(void **unused) {
    (void)unused;
    // a grid of violent parameters: whatever happens, what comes out is finite
    const double forces[4] = {1e-12, 1.0, 1e6, 1e60}, steps[4] = {1e-9, 1e-3, 1.0, 1e12};
    const double radii[3] = {1e-7, 1e-3, 10.0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 3; k++) {
                if (check_briefly() && (i + j + k) % 4) continue;  // a quarter, with every value
                td_piece_def piece = steel_piece();
                piece.section.radius = piece.section_end.radius = radii[k];
                td_robot *robot = rod_robot(&piece, 1);
                set_gravity(robot, 9.81, 0.0, 0.0);
                add_tip_force(robot, L, forces[i], forces[i], -forces[i]);
                td_options o = td_default_options();
                o.steps = 20;
                o.max_iterations = 30;
                world w = world_make(robot, &o);
                td_solve_statics(w.system, w.state);
                for (int n = 0; n < 3; n++) td_step(w.system, w.state, steps[j]);
                td_sample tip = td_get_sample(w.system, w.state, 0, L);
                td_energy e = td_get_energy(w.system, w.state);
                assert_true(finite_all(tip.pose.p, 3) && finite_all(tip.pose.q, 4));
                assert_true(finite_all(tip.strain, 6) && finite_all(tip.wrench, 6));
                assert_true(finite_all(tip.velocity, 6) && finite_all(&e.kinetic, 5));
                world_free(&w);
            }
}

// A snapshot is the kept block with a checksum in its second number.
static bool same_block(const world *w, const double *saved) {
    return memcmp(w->state->keep + 2, saved + 2, td_snapshot_bytes(w->system) - 16) == 0;
}

// Whatever a model leaves behind, with whatever status.
static void what_is_not_finite_never_happened(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = td_default_options();
    world w = world_make(rod_robot(&piece, 1), &o);
    CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
    const size_t bytes = td_snapshot_bytes(w.system), n = bytes / sizeof(double);
    double *before = malloc(bytes);
    td_state_save(w.system, w.state, before, bytes);
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * n; i++) {
        state_begin(w.system, w.state);
        w.state->keep[i / 3] = bad[i % 3];
        assert_int_equal(state_finish(w.system, w.state, TD_OK), TD_ERR_NOT_FINITE);
        assert_non_null(strstr(td_message(w.state), "not finite"));
        assert_true(same_block(&w, before));
    }
    state_begin(w.system, w.state);
    w.state->keep[n - 1] += 1.0;
    assert_int_equal(state_finish(w.system, w.state, TD_OK), TD_OK);
    assert_true(w.state->keep[n - 1] == before[n - 1] + 1.0);
    free(before);
    world_free(&w);
}

static void a_snapshot_that_is_not_finite_is_refused(void **unused) {
    (void)unused;
    td_options o = td_default_options();
    world w = world_make(busy_robot(), &o);
    const size_t bytes = td_snapshot_bytes(w.system), n = bytes / sizeof(double);
    double *saved = malloc(bytes);
    CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
    td_state_save(w.system, w.state, saved, bytes);
    const double bad[2] = {NAN, INFINITY};
    for (size_t i = 0; i < 2 * (n - 1); i++) {
        const double kept = saved[1 + i / 2];
        saved[1 + i / 2] = bad[i % 2];
        assert_true(td_state_restore(w.system, w.state, saved, bytes) < 0);
        assert_true(strlen(td_message(w.state)) > 0);
        saved[1 + i / 2] = kept;
        assert_true(same_block(&w, saved));
    }
    CHECK_CALL(&w, td_state_restore(w.system, w.state, saved, bytes));
    free(saved);
    world_free(&w);
}

// ---------------------------------------------------------------- rates of inputs
// The rate of a base that turns holds for one step; without one, the change divided by the step.
static void a_rate_that_was_given_serves_one_step(void **unused) {
    (void)unused;
    td_options o = td_default_options();
    world once = world_make(busy_robot(), &o), always = world_make(busy_robot(), &o);
    const int turn = td_find_input(once.system, "turn");
    const double dt = 5e-3, angles[3] = {0.01, 0.03, 0.02};
    double angle = td_get_input(once.system, once.state, turn);
    for (int i = 0; i < 3; i++) {
        td_set_input(once.system, once.state, turn, angles[i]);
        td_set_input(always.system, always.state, turn, angles[i]);
        if (i == 0) td_set_input_rate(once.system, once.state, turn, (angles[i] - angle) / dt);
        td_set_input_rate(always.system, always.state, turn, (angles[i] - angle) / dt);
        CHECK_CALL(&once, td_step(once.system, once.state, dt));
        CHECK_CALL(&always, td_step(always.system, always.state, dt));
        angle = angles[i];
    }
    td_sample a = td_get_sample(once.system, once.state, 1, L);
    td_sample b = td_get_sample(always.system, always.state, 1, L);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(fabs(a.velocity[3]) + fabs(a.velocity[4]) > 1e-3);
    world_free(&once), world_free(&always);
}

// ---------------------------------------------------------------- bits and memory
static void run_in(const td_system *system, td_state *state, void *snapshot, size_t bytes) {
    td_apply_signals(system, state, 0.0, TD_BEFORE);
    td_solve_statics(system, state);
    for (int i = 0; i < 10; i++) td_advance(system, state, 5e-3);
    td_state_save(system, state, snapshot, bytes);
}

static void same_input_gives_the_same_bits_in_any_memory(void **unused) {
    (void)unused;
    td_options o = td_default_options();
    o.steps = 40;
    world w = world_make(busy_robot(), &o);
    size_t bytes = td_snapshot_bytes(w.system), total = td_state_bytes(w.system);
    void *a = malloc(bytes), *b = malloc(bytes);
    run_in(w.system, w.state, a, bytes);
    for (int offset = 0; offset < 64; offset += 9) {
        // the caller's own memory, of any alignment, full of garbage
        unsigned char *memory = malloc(total + 64);
        memset(memory, 0xff, total + 64);
        td_state *state = td_state_init(w.system, memory + offset, total);
        assert_non_null(state);
        run_in(w.system, state, b, bytes);
        assert_memory_equal(a, b, bytes);
        for (int i = 0; i < offset; i++) assert_int_equal(memory[i], 0xff);
        for (size_t i = total + (size_t)offset; i < total + 64; i++)
            assert_int_equal(memory[i], 0xff);
        td_state_destroy(state);  // frees nothing: the memory is ours
        free(memory);
    }
    assert_null(td_state_init(w.system, a, total - 1));
    free(a), free(b);
    world_free(&w);
}

static void what_a_model_cannot_do_is_refused_by_name(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_options o = td_default_options();
    td_error err = {0};
    snprintf(o.model, sizeof o.model, "cossarat");
    assert_null(td_system_create(robot, &o, &err));
    assert_int_equal(err.status, TD_ERR_VALUE);
    assert_non_null(strstr(err.message, "'cossarat'"));
    assert_non_null(strstr(err.message, "cosserat"));
    o = td_default_options();
    o.cookie = 0;
    assert_null(td_system_create(robot, &o, &err));
    assert_null(td_system_create(NULL, &o, &err));
    td_robot *empty = td_robot_create();
    o = td_default_options();
    assert_null(td_system_create(empty, &o, &err));
    assert_non_null(strstr(err.message, "rod"));
    td_robot_destroy(empty);
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_allocates_after_the_state_is_made),
        cmocka_unit_test(every_failed_allocation_is_an_error_and_leaks_nothing),
        cmocka_unit_test(a_failed_call_leaves_the_state_as_it_was),
        cmocka_unit_test(absurd_loads_are_refused_in_words),
        cmocka_unit_test(a_failed_advance_leaves_the_state_as_it_was),
        cmocka_unit_test(no_nan_leaves_the_library),
        cmocka_unit_test(what_is_not_finite_never_happened),
        cmocka_unit_test(a_snapshot_that_is_not_finite_is_refused),
        cmocka_unit_test(a_rate_that_was_given_serves_one_step),
        cmocka_unit_test(same_input_gives_the_same_bits_in_any_memory),
        cmocka_unit_test(what_a_model_cannot_do_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
