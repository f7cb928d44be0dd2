// What a control loop is promised, with collocated rods: no allocation, the same bits from any
// memory and any snapshot, failed steps that leave no trace.
#include "rods.h"
#include "allocator.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- a busy robot
static const double L = 0.4;

// Two rods: one of five elements on a base that turns, with loads of both kinds; one in a single
// element whose torque is let go at 0.5 ms, so violently that plain Newton is not always enough.
static td_robot *busy_robot(void) {
    td_error err = {0};
    td_piece_def pieces[2] = {steel_piece(), steel_piece()};
    pieces[0].length = 0.15, pieces[1].length = 0.25;
    pieces[1].section.radius = 0.8e-3, pieces[1].section_end.radius = 0.6e-3;
    pieces[0].damping_time = 1e-4, pieces[1].drag[0] = 0.01;
    const td_piece_def whole = steel_piece();
    td_robot *robot = td_robot_create();
    td_input_def turn = {.name = "turn",
                         .signal = {.kind = TD_SIGNAL_SINE, .to = 0.1, .frequency = 3.0}};
    td_input_def hold = {.name = "hold",
                         .signal = {.kind = TD_SIGNAL_STEP, .from = 1.0, .start = 5e-4}};
    CHECK_OK(td_robot_add_input(robot, &turn, &err), err);
    CHECK_OK(td_robot_add_input(robot, &hold, &err), err);
    td_rod_def rod = td_default_rod_def();
    rod.name = "a", rod.pieces = pieces, rod.n_pieces = 2;
    rod.base.rotation[0] = (td_number){0.0, 1.0, 0};
    rod.base.position[1] = (td_number){0.0, 0.2, 0};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    rod = td_default_rod_def();
    rod.name = "b", rod.pieces = &whole, rod.n_pieces = 1;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    td_load_def poke = point_load("poke", 0.1);
    poke.frame = TD_FRAME_BODY;
    poke.force[0] = (td_number){0.0, 0.3, 1};
    add_load(robot, &poke);
    td_load_def wind = td_default_load_def();
    wind.name = "wind", wind.distributed = true, wind.from = 0.2, wind.to = 0.3;
    set3(wind.force, 0.3, 0.2, 0.0);
    add_load(robot, &wind);
    td_load_def tip = point_load("tip", L);
    tip.rod = 1;
    tip.force[0] = (td_number){0.0, 0.4, 1}, tip.force[1] = (td_number){0.0, 0.5, 1};
    tip.moment[2] = (td_number){0.0, 0.15, 1};
    add_load(robot, &tip);
    return robot;
}

static td_options options_with(td_theory theory, td_scheme scheme) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.theory = theory;
    o.scheme = scheme;
    o.nodes = 6;
    return o;
}

static const td_scheme schemes[4] = {TD_BACKWARD_EULER, TD_BDF_ALPHA, TD_TRAPEZOIDAL, TD_SDIRK2};

// 50 steps of 0.1 ms from the equilibrium. The number of fallbacks, or -1 when one failed.
static int run_in(const td_system *system, td_state *state) {
    int fallbacks = 0;
    td_apply_signals(system, state, 0.0, TD_BEFORE);
    if (td_solve_statics(system, state) < 0) return -1;
    for (int i = 0; i < 50; i++) {
        if (td_advance(system, state, 1e-4) < 0) return -1;
        fallbacks += td_get_stats(state)->fallbacks;
    }
    return fallbacks;
}

static void go_on(const td_system *system, td_state *state, int steps) {
    for (int i = 0; i < steps; i++) {
        if (td_advance(system, state, 1e-4) >= 0) continue;
        print_error("%s\n", td_message(state));
        fail();
    }
}

// The first attempt at such a step often runs away to astronomic strains, where the next corrections look small:
// what it finds there must not pass for a motion.
static void violent_steps_are_taken_with_any_number_of_nodes(void **unused) {
    (void)unused;
    for (int nodes = 4; nodes <= 12; nodes += check_briefly() ? 8 : 1)
        for (int theory = 0; theory < 2; theory++)
            for (int k = 0; k < 4; k++) {
                td_options o = options_with((td_theory)theory, schemes[k]);
                o.nodes = nodes;
                world w = world_make(busy_robot(), &o);
                const int ran = run_in(w.system, w.state);
                if (ran < 0) print_error("%d nodes: %s\n", nodes, td_message(w.state));
                assert_true(ran >= 0);
                for (int rod = 0; rod < 2; rod++) {
                    td_pose tip = td_get_pose(w.system, w.state, rod, L);
                    CHECK_BETWEEN(hypot(hypot(tip.p[0], tip.p[1]), tip.p[2]), 0.0, 1.01 * L);
                }
                world_free(&w);
            }
}

static void nothing_allocates_after_the_state_is_made(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    int fallbacks = 0;
    for (int theory = 0; theory < 2; theory++)
        for (int k = 0; k < 4; k++) {
            td_options o = options_with((td_theory)theory, schemes[k]);
            world w = world_make(busy_robot(), &o);
            size_t bytes = td_snapshot_bytes(w.system);
            void *saved = malloc(bytes);
            long before = allocations;
            int ran = run_in(w.system, w.state);
            td_set_input(w.system, w.state, 1, 1e12);
            td_status failed = td_step(w.system, w.state, 2e-3);
            td_get_energy(w.system, w.state);
            td_get_sample(w.system, w.state, 0, 0.123);
            td_state_save(w.system, w.state, saved, bytes);
            td_state_restore(w.system, w.state, saved, bytes);
            td_state_reset(w.system, w.state);
            long after = allocations;
            assert_true(ran >= 0);
            assert_true(failed < 0);
            assert_int_equal(after, before);
            fallbacks += ran;
            free(saved);
            world_free(&w);
        }
    assert_true(fallbacks > 0);  // this path was taken too
}

// ---------------------------------------------------------------- the same bits
static void any_memory_gives_the_same_bits(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        td_options o = options_with(k % 2 ? TD_KIRCHHOFF : TD_COSSERAT, schemes[k]);
        world w = world_make(busy_robot(), &o);
        size_t bytes = td_snapshot_bytes(w.system), total = td_state_bytes(w.system);
        void *a = malloc(bytes), *b = malloc(bytes);
        assert_true(run_in(w.system, w.state) >= 0);
        td_state_save(w.system, w.state, a, bytes);
        for (int offset = 0; offset < 64; offset += 21) {
            // the caller's own memory, of any alignment, full of NaN
            unsigned char *memory = malloc(total + 64);
            memset(memory, 0xff, total + 64);
            td_state *state = td_state_init(w.system, memory + offset, total);
            assert_non_null(state);
            assert_true(run_in(w.system, state) >= 0);
            td_state_save(w.system, state, b, bytes);
            assert_memory_equal(a, b, bytes);
            for (size_t i = total + (size_t)offset; i < total + 64; i++)
                assert_int_equal(memory[i], 0xff);
            td_state_destroy(state);
            free(memory);
        }
        free(a), free(b);
        world_free(&w);
    }
}

// A snapshot goes on to the bit wherever it is restored: in a new state, and in one that has been
// elsewhere and keeps other factors.
static void a_snapshot_goes_on_to_the_bit_anywhere(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        td_options o = options_with(k % 2 ? TD_COSSERAT : TD_KIRCHHOFF, schemes[k]);
        world w = world_make(busy_robot(), &o);
        size_t bytes = td_snapshot_bytes(w.system);
        void *saved = malloc(bytes), *first = malloc(bytes), *second = malloc(bytes);
        assert_true(run_in(w.system, w.state) >= 0);
        td_state_save(w.system, w.state, saved, bytes);
        go_on(w.system, w.state, 15);
        td_state_save(w.system, w.state, first, bytes);
        for (int used = 0; used < 2; used++) {
            td_state *other = td_state_create(w.system);
            for (int i = 0; used && i < 5; i++) td_advance(w.system, other, 3e-3);
            assert_int_equal(td_state_restore(w.system, other, saved, bytes), TD_OK);
            go_on(w.system, other, 15);
            td_state_save(w.system, other, second, bytes);
            assert_memory_equal(first, second, bytes);
            td_state_destroy(other);
        }
        free(saved), free(first), free(second);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- failures
static void a_failed_call_leaves_no_trace(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        td_options o = options_with(TD_COSSERAT, schemes[k]);
        world w = world_make(busy_robot(), &o), twin = world_make(busy_robot(), &o);
        size_t bytes = td_snapshot_bytes(w.system);
        void *a = malloc(bytes), *b = malloc(bytes);
        assert_true(run_in(w.system, w.state) >= 0 && run_in(twin.system, twin.state) >= 0);
        double held = td_get_input(w.system, w.state, 1);
        td_set_input(w.system, w.state, 1, 1e12);
        td_state_save(w.system, w.state, a, bytes);
        assert_true(td_step(w.system, w.state, 1e-4) < 0);
        assert_true(strlen(td_message(w.state)) > 0);
        assert_true(td_solve_statics(w.system, w.state) < 0);
        td_state_save(w.system, w.state, b, bytes);
        assert_memory_equal(a, b, bytes);
        // and both go on alike
        td_set_input(w.system, w.state, 1, held);
        go_on(w.system, w.state, 5);
        go_on(twin.system, twin.state, 5);
        td_state_save(w.system, w.state, a, bytes);
        td_state_save(twin.system, twin.state, b, bytes);
        assert_memory_equal(a, b, bytes);
        free(a), free(b);
        world_free(&w);
        world_free(&twin);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(violent_steps_are_taken_with_any_number_of_nodes),
        cmocka_unit_test(nothing_allocates_after_the_state_is_made),
        cmocka_unit_test(any_memory_gives_the_same_bits),
        cmocka_unit_test(a_snapshot_goes_on_to_the_bit_anywhere),
        cmocka_unit_test(a_failed_call_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
