// Many robots at once: the same motion as one at a time, and the same bits in any company.
#include "batches.h"

static const int widths[] = {1, 4, 8};

// Is there a kernel of this width here?
static bool has_width(const subject *s, int width) {
    td_error err = {0};
    const td_batch_options o = {.kind = TD_BATCH_LANES, .width = width, .threads = 1};
    td_batch *b = td_batch_create(s->system, 1, &o, &err);
    td_batch_destroy(b);
    return b != NULL;
}

// ---------------------------------------------------------------- the same motion
// Lanes against ordinary states: the largest distance of tips in lengths, after a motion of all robots that starts at
// rest and has a jump of inputs in its middle.
static double apart(const subject *s, int steps, double dt, double *alone) {
    enum { N = 11 };
    td_sample states[N], lanes[N];
    td_batch *a = batch_of(s, N, TD_BATCH_STATES, 0, 1), *b = batch_of(s, N, TD_BATCH_LANES, 0, 1);
    assert_int_equal(td_batch_kind_of(a), TD_BATCH_STATES);
    assert_int_equal(td_batch_kind_of(b), TD_BATCH_LANES);
    *alone = 0.0;
    assert_int_equal(td_batch_statics(a, NULL) + td_batch_statics(b, NULL), 0);  // pretension
    for (int k = 1; k <= steps; k++) {
        const int at = k < steps / 2 ? k : k + 40;
        if (k == steps / 2) td_batch_restart(a, NULL), td_batch_restart(b, NULL);
        set_inputs(s, a, 0, at), set_inputs(s, b, 0, at);
        assert_int_equal(td_batch_step(a, dt, 1, NULL), 0);
        assert_int_equal(td_batch_step(b, dt, 1, NULL), 0);
        *alone += (double)td_batch_alone(b) / N;
    }
    td_batch_get_samples(a, 0, &s->length, 1, states);
    td_batch_get_samples(b, 0, &s->length, 1, lanes);
    double worst = 0.0, moved = 0.0;
    for (int i = 0; i < N; i++) {
        worst = fmax(worst, distance(&states[i], &lanes[i]));
        moved = fmax(moved, distance(&states[i], &states[(i + 1) % N]));
    }
    assert_true(moved > 0.02 * s->length);  // they do different things
    td_batch_destroy(a), td_batch_destroy(b);
    return worst / s->length;
}

static void lanes_move_as_states_do(void **unused) {
    (void)unused;
    static const char *const ways[][3] = {
        {"simulation.theory=kirchhoff", "simulation.time.scheme=bdf2", "simulation.space.nodes=4"},
        {"simulation.theory=kirchhoff", "simulation.time.scheme=trapezoidal",
         "simulation.space.nodes=6"},
        {"simulation.theory=kirchhoff", "simulation.time.scheme=backward-euler",
         "simulation.space.nodes=7"},
        {"simulation.theory=cosserat", "simulation.time.scheme=bdf2", "simulation.space.nodes=4"},
        {"simulation.theory=cosserat", "simulation.space.magnus=4", "simulation.space.nodes=5"},
        {"simulation.theory=kirchhoff", "simulation.rotary_inertia=false",
         "simulation.space.nodes=8"},
        {"simulation.theory=kirchhoff", "simulation.time.scheme=sdirk2",
         "simulation.space.nodes=5"},
        {"simulation.theory=cosserat", "simulation.time.scheme=sdirk2",
         "simulation.space.nodes=4"}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        subject s = subject_of(PLAIN_ARM, ways[i], 3);
        double alone;
        const double d = apart(&s, 60, 5e-3, &alone);
        CHECK_BETWEEN(d, 0.0, 1e-8);     // tolerance 1e-10 in each of 60 steps
        CHECK_BETWEEN(alone, 0.0, 4.0);  // of 60: what the jump makes violent
        subject_free(&s);
    }
}

static void lanes_know_pieces_bodies_loads_and_bases(void **unused) {
    (void)unused;
    static const char *const theories[] = {"simulation.theory=kirchhoff",
                                           "simulation.theory=cosserat"};
    for (int i = 0; i < 4; i++) {
        const char *sets[] = {theories[i % 2],
                              i % 2 ? "simulation.space.nodes=3" : "simulation.space.nodes=6",
                              "simulation.time.scheme=sdirk2"};
        subject s = subject_of(rich_arm, sets, i < 2 ? 2 : 3);
        double alone;
        const double d = apart(&s, 80, 4e-3, &alone);
        CHECK_BETWEEN(d, 0.0, 1e-8);
        CHECK_BETWEEN(alone, 0.0, 2.0);
        subject_free(&s);
    }
}

// Tendons whose displacement is given, with a drive or a wire that stretches; for a chamber its volume.
static const char *const pulled[] = {
    "tendons.east.input=displacement", "tendons.east.compliance=2e-5", "tendons.east.pretension=3",
    "tendons.north.input=displacement", "tendons.north.stiffness=20000"};

static void lanes_know_efforts_that_are_not_given(void **unused) {
    (void)unused;
    static const char *const ways[][3] = {
        {"simulation.theory=kirchhoff", "simulation.space.nodes=4", "simulation.time.scheme=bdf2"},
        {"simulation.theory=kirchhoff", "simulation.space.nodes=5",
         "simulation.time.scheme=sdirk2"},
        {"simulation.theory=cosserat", "simulation.space.nodes=4", "simulation.time.scheme=bdf2"}};
    for (size_t i = 0; i < 6; i++) {
        const char *sets[10];
        memcpy(sets, ways[i % 3], sizeof ways[0]);
        memcpy(sets + 3, pulled, sizeof pulled);
        if (i == 5) sets[1] = "simulation.space.nodes=3";  // in each of its three elements
        sets[8] = "chambers.bag.input=volume", sets[9] = "chambers.bag.value=3.1415926e-8";
        subject s = i < 3 ? subject_of(PLAIN_ARM, sets, 8)
                          : subject_of(rich_arm, sets, i == 5 ? 10 : 8);  // Kirchhoff: no volume
        double alone;
        const double d = apart(&s, 60, 4e-3, &alone);
        CHECK_BETWEEN(d, 0.0, 1e-8);
        CHECK_BETWEEN(alone, 0.0, 12.0);  // of 60: where displacements jump
        subject_free(&s);
    }
}

// ---------------------------------------------------------------- the same energies
// Work and dissipation of lanes are those of states, which close the balance of energy: E + dissipated - work stays.
static void lanes_count_energy_as_states_do(void **unused) {
    (void)unused;
    enum { N = 9, STEPS = 60 };
    const char *const texts[] = {PLAIN_ARM, rich_arm, PLAIN_ARM, rich_arm};
    for (int t = 0; t < 4; t++) {
        const char *sets[6] = {"simulation.time.scheme=sdirk2"};
        memcpy(sets + 1, pulled, sizeof pulled);
        subject s = subject_of(texts[t], t < 2 ? NULL : sets, t < 2 ? 0 : 6);
        td_batch *a = batch_of(&s, N, TD_BATCH_STATES, 0, 1);
        td_batch *b = batch_of(&s, N, TD_BATCH_LANES, 0, 1);
        td_energy states[N], lanes[N];
        double alone = 0.0;
        assert_int_equal(td_batch_statics(a, NULL) + td_batch_statics(b, NULL), 0);
        for (int k = 1; k <= STEPS; k++) {
            const int at = k < STEPS / 2 ? k : k + 5;
            if (k == STEPS / 2) td_batch_restart(a, NULL), td_batch_restart(b, NULL);
            set_inputs(&s, a, 0, at), set_inputs(&s, b, 0, at);
            assert_int_equal(td_batch_step(a, 4e-3, 1, NULL), 0);
            assert_int_equal(td_batch_step(b, 4e-3, 1, NULL), 0);
            alone += (double)td_batch_alone(b) / N;
            assert_int_equal(td_batch_corrections(a), 0);
            assert_true(td_batch_corrections(b) >= N - td_batch_alone(b));  // one each, or more
        }
        td_batch_get_energies(a, states), td_batch_get_energies(b, lanes);
        for (int i = 0; i < N; i++) {
            const double size = fabs(states[i].work) + states[i].dissipated;
            assert_true(states[i].dissipated > 1e-3 * size && fabs(states[i].work) > 1e-3 * size);
            CHECK_NEAR(lanes[i].work, states[i].work, 1e-7 * size);
            CHECK_NEAR(lanes[i].dissipated, states[i].dissipated, 1e-7 * size);
        }
        CHECK_BETWEEN(alone, 0.0, 6.0);
        td_batch_destroy(a), td_batch_destroy(b);
        subject_free(&s);
    }
}

// ---------------------------------------------------------------- the same bits
static void check_same(const td_sample *a, const td_sample *b) {
    assert_memory_equal(a, b, sizeof *a);
}

static void widths_threads_and_neighbours_change_no_bit(void **unused) {
    (void)unused;
    enum { N = 37, STEPS = 40 };
    static td_sample all[N], other[N], one;
    const char *const texts[] = {PLAIN_ARM, rich_arm, rich_arm};
    for (int t = 0; t < 3; t++) {
        subject s = subject_of(texts[t], pulled, t < 2 ? 0 : 5);
        td_batch *b = batch_of(&s, N, TD_BATCH_LANES, 1, 1);
        assert_int_equal(play(&s, b, 0, STEPS, 4e-3, all), 0);
        td_batch_destroy(b);
        for (int w = 0; w < 3; w++) {
            if (!has_width(&s, widths[w])) continue;
            for (int threads = 1; threads <= 3; threads++) {
                b = batch_of(&s, N, TD_BATCH_LANES, widths[w], threads);
                play(&s, b, 0, STEPS, 4e-3, other);
                for (int i = 0; i < N; i++) check_same(&all[i], &other[i]);
                td_batch_destroy(b);
            }
            for (int i = 3; i < N; i += 11) {  // alone
                b = batch_of(&s, 1, TD_BATCH_LANES, widths[w], 1);
                play(&s, b, i, STEPS, 4e-3, &one);
                check_same(&all[i], &one);
                td_batch_destroy(b);
            }
        }
        subject_free(&s);
    }
}

static void states_in_a_batch_are_states(void **unused) {
    (void)unused;
    enum { N = 9 };
    td_sample tips[N];
    subject s = subject_of(
        PLAIN_ARM, (const char *[]){"simulation.model=rom", "simulation.theory=cosserat"}, 2);
    for (int threads = 1; threads <= 3; threads += 2) {
        td_batch *b = batch_of(&s, N, TD_BATCH_ANY, 0, threads);
        assert_int_equal(td_batch_kind_of(b), TD_BATCH_STATES);
        assert_string_equal(td_batch_reason(b), "the model has no lanes");
        assert_int_equal(play(&s, b, 0, 10, 5e-3, tips), 0);
        for (int i = 0; i < N; i += 4) {
            td_state *state = td_state_create(s.system);
            for (int k = 1; k <= 10; k++) {
                for (int j = 0; j < td_n_inputs(s.system); j++)
                    td_set_input(s.system, state, j, input_size(&s, j) * some_input(i, j, k));
                assert_int_equal(td_step(s.system, state, 5e-3), TD_OK);
            }
            const td_sample tip = td_get_sample(s.system, state, 0, s.length);
            check_same(&tip, &tips[i]);
            td_state_destroy(state);
        }
        td_batch_destroy(b);
    }
    subject_free(&s);
}

// ---------------------------------------------------------------- some of them
static const td_batch_kind kinds[] = {TD_BATCH_STATES, TD_BATCH_LANES};

static void one_that_fails_stays_and_disturbs_nobody(void **unused) {
    (void)unused;
    enum { N = 10, BAD = 4, WILD = 6 };
    td_sample before[N], after[N], clean[N];
    subject s = subject_of(PLAIN_ARM, NULL, 0);
    const int n = td_n_inputs(s.system);
    for (int k = 0; k < 2; k++) {
        td_batch *a = batch_of(&s, N, kinds[k], 0, 1), *b = batch_of(&s, N, kinds[k], 0, 1);
        play(&s, a, 0, 20, 5e-3, before);
        play(&s, b, 0, 20, 5e-3, before);
        set_inputs(&s, a, 0, 21), set_inputs(&s, b, 0, 21);
        td_batch_inputs(b)[BAD * n + 2] = NAN;
        td_batch_inputs(b)[WILD * n] = 1e300;
        assert_int_equal(td_batch_step(a, 5e-3, 3, NULL), 0);
        assert_int_equal(td_batch_step(b, 5e-3, 3, NULL), 2);
        assert_int_equal(td_batch_statuses(b)[BAD], TD_ERR_NOT_FINITE);
        assert_string_equal(td_batch_message(b, BAD), "input 'west': nan is not a finite number");
        assert_true(td_batch_statuses(b)[WILD] < 0 && strlen(td_batch_message(b, WILD)) > 10);
        assert_string_equal(td_batch_message(b, 0), "");
        td_batch_get_samples(a, 0, &s.length, 1, clean);
        td_batch_get_samples(b, 0, &s.length, 1, after);
        for (int i = 0; i < N; i++) {
            if (i == BAD || i == WILD) check_same(&after[i], &before[i]);
            else check_same(&after[i], &clean[i]);
        }
        double times[N];
        td_batch_get_times(b, times);
        CHECK_NEAR(times[BAD], 0.1, 1e-15);
        CHECK_NEAR(times[0], 0.115, 1e-15);
        assert_int_equal(td_batch_step(b, -1.0, 1, NULL), N);
        assert_string_equal(td_batch_message(b, 0), "step: dt = -1 s must be positive and finite");
        td_batch_destroy(a), td_batch_destroy(b);
    }
    subject_free(&s);
}

static void masks_step_and_reset_some(void **unused) {
    (void)unused;
    enum { N = 13 };
    td_sample before[N], after[N];
    bool odd[N], even[N];
    for (int i = 0; i < N; i++) odd[i] = i % 2, even[i] = !odd[i];
    subject s = subject_of(PLAIN_ARM, NULL, 0);
    for (int k = 0; k < 2; k++) {
        td_batch *b = batch_of(&s, N, kinds[k], 0, 2);
        play(&s, b, 0, 10, 5e-3, before);
        assert_int_equal(td_batch_step(b, 5e-3, 2, odd), 0);
        td_batch_get_samples(b, 0, &s.length, 1, after);
        for (int i = 0; i < N; i++) {
            if (odd[i]) assert_true(distance(&after[i], &before[i]) > 1e-6);
            else check_same(&after[i], &before[i]);
        }
        td_batch_reset(b, even);
        double times[N];
        td_batch_get_times(b, times);
        td_batch_get_samples(b, 0, &s.length, 1, before);
        for (int i = 0; i < N; i++) {
            CHECK_NEAR(times[i], odd[i] ? 0.06 : 0.0, 1e-15);
            if (odd[i]) check_same(&after[i], &before[i]);
            else CHECK_NEAR(before[i].pose.p[2], s.length, 1e-15);
        }
        td_batch_destroy(b);
    }
    subject_free(&s);
}

static void equilibria_and_restarts(void **unused) {
    (void)unused;
    enum { N = 6 };
    td_sample tips[2][N], still[N];
    subject s = subject_of(PLAIN_ARM, NULL, 0);
    for (int k = 0; k < 2; k++) {
        td_batch *b = batch_of(&s, N, kinds[k], 0, 1);
        set_inputs(&s, b, 0, 50);
        assert_int_equal(td_batch_statics(b, NULL), 0);
        td_batch_get_samples(b, 0, &s.length, 1, tips[k]);
        assert_int_equal(td_batch_step(b, 5e-3, 20, NULL), 0);
        td_batch_get_samples(b, 0, &s.length, 1, still);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(distance(&still[i], &tips[k][i]), 0.0, 1e-8 * s.length);
        td_batch_restart(b, NULL);
        assert_int_equal(td_batch_step(b, 5e-3, 1, NULL), 0);
        if (k) assert_int_equal(td_batch_alone(b), 0);
        td_batch_destroy(b);
    }
    for (int i = 0; i < N; i++) check_same(&tips[0][i], &tips[1][i]);
    subject_free(&s);
}

static void a_robot_goes_out_and_in(void **unused) {
    (void)unused;
    enum { N = 5 };
    td_sample tips[N], other[N];
    subject s = subject_of(rich_arm, NULL, 0);
    td_state *state = td_state_create(s.system);
    for (int k = 0; k < 2; k++) {
        td_batch *a = batch_of(&s, N, kinds[k], 0, 1), *b = batch_of(&s, N, kinds[k], 0, 1);
        play(&s, a, 0, 15, 4e-3, tips);
        for (int i = 0; i < N; i++) {
            assert_int_equal(td_batch_read(a, i, state), TD_OK);
            const td_sample tip = td_get_sample(s.system, state, 0, s.length);
            check_same(&tip, &tips[i]);
            assert_int_equal(td_batch_write(b, N - 1 - i, state), TD_OK);
        }
        td_batch_get_samples(b, 0, &s.length, 1, other);
        for (int i = 0; i < N; i++) check_same(&tips[i], &other[N - 1 - i]);
        // and on, as an ordinary state does
        td_batch_read(a, 2, state);
        set_inputs(&s, a, 0, 16);
        for (int j = 0; j < td_n_inputs(s.system); j++)
            td_set_input(s.system, state, j, td_batch_inputs(a)[2 * td_n_inputs(s.system) + j]);
        assert_int_equal(td_step(s.system, state, 4e-3), TD_OK);
        assert_int_equal(td_batch_step(a, 4e-3, 1, NULL), 0);
        td_batch_get_samples(a, 0, &s.length, 1, tips);
        const td_sample tip = td_get_sample(s.system, state, 0, s.length);
        CHECK_NEAR(distance(&tip, &tips[2]), 0.0, 1e-9 * s.length);
        assert_int_equal(td_batch_read(a, N, state), TD_ERR_ARGUMENT);
        td_batch_destroy(a), td_batch_destroy(b);
    }
    td_state_destroy(state);
    subject_free(&s);
}

// ---------------------------------------------------------------- what is told
static void outputs_are_those_of_a_state(void **unused) {
    (void)unused;
    enum { N = 3 };
    subject s = subject_of(rich_arm, NULL, 0);
    td_state *state = td_state_create(s.system);
    td_batch *b = batch_of(&s, N, TD_BATCH_LANES, 0, 1);
    td_sample tips[N];
    play(&s, b, 0, 25, 4e-3, tips);
    const int n = td_n_actuators(s.system);
    td_energy energy[N];
    td_actuator_state *efforts = calloc((size_t)(N * n), sizeof *efforts);
    td_body_state bodies[2 * N];
    td_pose poses[2 * N];
    const double places[] = {0.1, s.length};
    td_batch_get_energies(b, energy);
    td_batch_get_actuators(b, efforts);
    td_batch_get_bodies(b, bodies);
    td_batch_get_poses(b, 0, places, 2, poses);
    for (int i = 0; i < N; i++) {
        td_batch_read(b, i, state);
        const td_energy e = td_get_energy(s.system, state);
        CHECK_NEAR(energy[i].kinetic, e.kinetic, 0.0);
        CHECK_NEAR(energy[i].elastic, e.elastic, 0.0);
        for (int k = 0; k < n; k++)
            CHECK_NEAR(efforts[i * n + k].measure, td_get_actuator(s.system, state, k).measure,
                       0.0);
        CHECK_NEAR(bodies[2 * i].pose.p[0], td_get_body(s.system, state, 0).pose.p[0], 0.0);
        CHECK_NEAR(poses[2 * i].p[1], td_get_pose(s.system, state, 0, 0.1).p[1], 0.0);
        CHECK_NEAR(poses[2 * i + 1].p[1], tips[i].pose.p[1], 0.0);
    }
    free(efforts);
    td_batch_destroy(b);
    td_state_destroy(state);
    subject_free(&s);
}

static void what_lanes_cannot_do_is_said(void **unused) {
    (void)unused;
    static const struct {
        const char *set, *reason;
    } cases[] = {{"tendons.east.friction=0.1", "a tendon has friction"},
                 {"simulation.time.scheme=bdf3", "time.scheme is bdf3"},
                 {"simulation.space.scheme=shooting", "space.scheme is not collocation"},
                 {"simulation.space.nodes=21", "it has more than 60 unknown strains and efforts"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        subject s = subject_of(PLAIN_ARM, &cases[i].set, 1);
        td_error err = {0};
        const td_batch_options o = {.kind = TD_BATCH_LANES, .threads = 1};
        assert_null(td_batch_create(s.system, 2, &o, &err));
        assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
        assert_non_null(strstr(err.message, cases[i].reason));
        td_batch *b = batch_of(&s, 2, TD_BATCH_ANY, 0, 1);
        assert_int_equal(td_batch_kind_of(b), TD_BATCH_STATES);
        assert_string_equal(td_batch_reason(b), cases[i].reason);
        td_batch_destroy(b);
        subject_free(&s);
    }
}

static void obstacles_are_not_forgotten(void **unused) {
    (void)unused;
    subject s = subject_of(
        PLAIN_ARM "obstacles:\n  - {name: floor, plane: {}, position: [0, 0, -1]}\n", NULL, 0);
    td_batch *b = batch_of(&s, 2, TD_BATCH_ANY, 0, 1);
    assert_int_equal(td_batch_kind_of(b), TD_BATCH_STATES);
    assert_non_null(strstr(td_batch_reason(b), "among obstacles a rod is cut into 16 elements"));
    td_batch_destroy(b);
    subject_free(&s);
}

static void where_there_is_no_gpu_it_is_said(void **unused) {
    (void)unused;
    subject s = subject_of(PLAIN_ARM, NULL, 0);
    td_error err = {0};
    const td_batch_options o = {
        .kind = TD_BATCH_GPU, .threads = 1, .library = "nowhere/libtendril_gpu.so"};
    assert_null(td_batch_create(s.system, 2, &o, &err));
    assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "no GPU for this robot: nowhere/libtendril_gpu.so"));
    subject_free(&s);
}

static void impossible_batches_are_refused(void **unused) {
    (void)unused;
    subject s = subject_of(PLAIN_ARM, NULL, 0);
    static const struct {
        td_batch_options options;
        int n;
        const char *where;
    } cases[] = {{{.threads = 0}, 2, "threads"},
                 {{.threads = 1, .width = 3}, 2, "width"},
                 {{.threads = 1, .single = true}, 2, "single"},
                 {{.threads = 1}, -1, "n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        td_error err = {0};
        assert_null(td_batch_create(s.system, cases[i].n, &cases[i].options, &err));
        assert_int_equal(err.status, TD_ERR_ARGUMENT);
        assert_string_equal(err.where, cases[i].where);
    }
    td_batch *none = batch_of(&s, 0, TD_BATCH_ANY, 0, 2);
    assert_int_equal(td_batch_step(none, 1e-3, 3, NULL), 0);
    td_batch_destroy(none);
    subject_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_move_as_states_do),
        cmocka_unit_test(lanes_know_pieces_bodies_loads_and_bases),
        cmocka_unit_test(lanes_know_efforts_that_are_not_given),
        cmocka_unit_test(lanes_count_energy_as_states_do),
        cmocka_unit_test(widths_threads_and_neighbours_change_no_bit),
        cmocka_unit_test(states_in_a_batch_are_states),
        cmocka_unit_test(one_that_fails_stays_and_disturbs_nobody),
        cmocka_unit_test(masks_step_and_reset_some),
        cmocka_unit_test(equilibria_and_restarts),
        cmocka_unit_test(a_robot_goes_out_and_in),
        cmocka_unit_test(outputs_are_those_of_a_state),
        cmocka_unit_test(what_lanes_cannot_do_is_said),
        cmocka_unit_test(obstacles_are_not_forgotten),
        cmocka_unit_test(where_there_is_no_gpu_it_is_said),
        cmocka_unit_test(impossible_batches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
