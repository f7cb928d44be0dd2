// A rod clamped at both ends whose base is turned: whole turns count, whatever the way to them.
#include "chains.h"

#define LENGTH 0.4
static const double GJ = 79e9 * 3.14159265358979323846 / 2.0 * 1e-12;  // of steel_piece()
static const double EI = 207e9 * 3.14159265358979323846 / 4.0 * 1e-12;

typedef struct way {
    const char *model;
    double tolerance;  // of a torque
} way;
static const way ways[] = {{"cosserat", 1e-9}, {"eba", 1e-9}};

// The base turns about the rod by input 0, or for good.
static world turned_rod(const way *how, bool driven, double turn) {
    td_error err = {0};
    td_piece_def piece = steel_piece();
    piece.damping_time = 0.01;
    td_options o = chain_options();
    snprintf(o.model, sizeof o.model, "%s", how->model);
    o.nodes = 16;
    o.lumped.segments = 40;
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_input_def input = {.name = "turn",
                          .signal = {.kind = TD_SIGNAL_CONSTANT, .from = driven ? turn : 0.0}};
    CHECK_OK(td_robot_add_input(robot, &input, &err), err);
    td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
    rod.base.rotation[2] = driven ? (td_number){0.0, 1.0, 0} : td_constant(turn);
    hold_tip(&rod, TD_WORLD, TD_CLAMP, 0.0, 0.0, LENGTH);
    add_chain_rod(robot, &rod);
    return world_make(robot, &o);
}

static void check_torque(const world *w, const way *how, double turn) {
    const double torque = td_get_sample(w->system, w->state, 0, 0.5 * LENGTH).wrench[2];
    CHECK_NEAR(torque * LENGTH / (GJ * turn), -1.0, how->tolerance);
}

static void turns_count_from_the_start(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++)
        for (int driven = 0; driven < 2; driven++)
            for (double turn = -9.0; turn < 10.0; turn += 3.5) {
                world w = turned_rod(&ways[k], driven, turn);
                assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
                check_torque(&w, &ways[k], turn);
                world_free(&w);
            }
}

static void statics_follows_an_input_through_turns(void **unused) {
    (void)unused;
    const double turns[] = {5.0, -4.0, 8.0, 8.5, 1.0, 11.0};
    for (int k = 0; k < 2; k++) {
        world w = turned_rod(&ways[k], true, 0.0);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        for (int i = 0; i < 6; i++) {
            td_set_input(w.system, w.state, 0, turns[i]);
            assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
            check_torque(&w, &ways[k], turns[i]);
        }
        // another state that goes on from there knows of them
        const size_t bytes = td_snapshot_bytes(w.system);
        void *snapshot = malloc(bytes);
        assert_int_equal(td_state_save(w.system, w.state, snapshot, bytes), TD_OK);
        td_state_reset(w.system, w.state);
        assert_int_equal(td_state_restore(w.system, w.state, snapshot, bytes), TD_OK);
        free(snapshot);
        td_set_input(w.system, w.state, 0, 11.2);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        check_torque(&w, &ways[k], 11.2);
        world_free(&w);
    }
}

static void a_run_and_statics_turn_alike(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        world w = turned_rod(&ways[k], true, 0.0);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        for (int i = 1; i <= 50; i++) {
            td_set_input(w.system, w.state, 0, 0.1 * i);
            assert_int_equal(td_step(w.system, w.state, 0.01), TD_OK);
        }
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        check_torque(&w, &ways[k], 5.0);
        world_free(&w);
    }
}

// Steps of just less than half a turn are followed, one after another, and larger ones are refused in words.
static void steps_count_turns_or_refuse_them(void **unused) {
    (void)unused;
    const double bys[] = {3.0, -3.1, 3.2, -4.0, 6.2, 7.0, 13.0};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 7; i++) {
            const bool small = fabs(bys[i]) < 3.14159;
            world w = turned_rod(&ways[k], true, 0.0);
            assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
            for (int step = 1; step <= 3; step++) {
                td_set_input(w.system, w.state, 0, step * bys[i]);
                const td_status status = td_step(w.system, w.state, 0.01);
                assert_int_equal(status, small ? TD_OK : TD_ERR_VALUE);
                if (small) continue;
                assert_non_null(strstr(td_message(w.state), "rod 'rod': its base turns by"));
                assert_non_null(strstr(td_message(w.state), "input 'turn' goes from 0"));
                assert_non_null(strstr(td_message(w.state), "take smaller steps"));
                assert_true(td_get_time(w.system, w.state) == 0.0);
            }
            for (int step = 0; step < 60 && small; step++)
                CHECK_CALL(&w, td_step(w.system, w.state, 0.01));
            if (small) check_torque(&w, &ways[k], 3.0 * bys[i]);
            world_free(&w);
        }
}

// Steps that become longer, by any factor, without a word to the solver: a guess that goes on turning would be turns ahead.
static void longer_steps_count_turns_as_well(void **unused) {
    (void)unused;
    const double longer[] = {0.02, 0.05, 0.5, 5.0};
    for (int i = 0; i < 8; i++) {
        const double by = i % 2 ? 1.0 : 0.0;  // it stops turning, or goes on more slowly
        world w = turned_rod(&ways[0], true, 0.0);
        double turn = 0.0;
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        for (int step = 0; step < 10; step++) {
            td_set_input(w.system, w.state, 0, turn += 1.0);
            CHECK_CALL(&w, td_step(w.system, w.state, 0.01));
        }
        for (int step = 0; step < 68; step++) {
            td_set_input(w.system, w.state, 0, turn += step < 8 ? by : 0.0);
            CHECK_CALL(&w, td_step(w.system, w.state, longer[i / 2]));
        }
        check_torque(&w, &ways[0], turn);
        world_free(&w);
    }
}

// With a free tip there is nothing to twist it against.
static void what_turns_freely_turns_as_far_as_it_likes(void **unused) {
    (void)unused;
    static const char *const models[] = {"cosserat", "eba", "ebr", "srl", "rom"};
    for (int k = 0; k < 5; k++) {
        td_error err = {0};
        td_piece_def piece = steel_piece();
        td_options o = chain_options();
        snprintf(o.model, sizeof o.model, "%s", models[k]);
        td_robot *robot = empty_robot(0.0, 0.0, 0.0);
        const int input = add_input(robot, "turn");
        td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
        rod.base.rotation[2] = (td_number){0.0, 1.0, input};
        CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
        world w = world_make(robot, &o);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        for (int i = 1; i <= 5; i++) {
            td_set_input(w.system, w.state, 0, 7.0 * i);
            CHECK_CALL(&w, td_step(w.system, w.state, 0.01));
        }
        // turned by 35 rad as a whole, but for what a step lags
        CHECK_NEAR(fabs(tip_of(&w).q[0]), fabs(cos(17.5)), 0.05);
        world_free(&w);
    }
}

// Straight under a torque M between clamps that do not move: tan(M L/(2 EI)) = M L/(2 EI), 8.98682 EI/L
// (Greenhill 1883 has 2 pi for hinged ends).
// Between ends that stay apart it bends very little: enough to hold, and to give a little of the
// torque. Any such shape may be turned about the axis.
static void check_helix(const world *w, double turn, double smallest) {
    const double torque = td_get_sample(w->system, w->state, 0, 0.5 * LENGTH).wrench[2];
    CHECK_BETWEEN(1.0 + torque * LENGTH / (GJ * turn), 1e-7, 1e-5);
    CHECK_BETWEEN(smallest, -1e-7, 1e-2);
}

static void beyond_greenhill_the_straight_shape_is_left(void **unused) {
    (void)unused;
    const double critical = 8.986819 * EI / GJ;
    for (int k = 0; k < 2; k++) {
        world w = turned_rod(&ways[k], true, 0.99 * critical);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        td_set_input(w.system, w.state, 0, 1.02 * critical);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
        double smallest;
        assert_int_equal(td_get_stability(w.system, w.state, &smallest), TD_OK);
        check_helix(&w, 1.02 * critical, smallest);
        world_free(&w);
        w = turned_rod(&ways[k], true, 1.02 * critical);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
        // of the second of two legs: first it is put together, then it turns
        if (k == 0) CHECK_NEAR((2.0 * td_get_stats(w.state)->bifurcation - 1.0) * 1.02, 1.0, 1e-4);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_count_from_the_start),
        cmocka_unit_test(statics_follows_an_input_through_turns),
        cmocka_unit_test(a_run_and_statics_turn_alike),
        cmocka_unit_test(steps_count_turns_or_refuse_them),
        cmocka_unit_test(longer_steps_count_turns_as_well),
        cmocka_unit_test(what_turns_freely_turns_as_far_as_it_likes),
        cmocka_unit_test(beyond_greenhill_the_straight_shape_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
