// The promises about tendons, chambers, bodies and fed rods: names, places, transactions, snapshots,
// no allocation, no NaN.
#include "parts.h"
#include "allocator.h"

#include <stdlib.h>
#include <string.h>

static world world_of(variant v) {
    td_options o = td_default_options();
    world w = world_make(robot_of(v), &o);
    td_apply_signals(w.system, w.state, 0.0, TD_AFTER);
    return w;
}

static void pull(world *w, double newton) {
    td_set_input(w->system, w->state, CABLE, newton);
    CHECK_CALL(w, td_solve_statics(w->system, w->state));
}

// p + q r q*
static void carry(const td_pose *pose, const double r[3], double out[3]) {
    const double *q = pose->q;
    double t[3] = {2 * (q[2] * r[2] - q[3] * r[1]), 2 * (q[3] * r[0] - q[1] * r[2]),
                   2 * (q[1] * r[1] - q[2] * r[0])};
    out[0] = pose->p[0] + r[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    out[1] = pose->p[1] + r[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    out[2] = pose->p[2] + r[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

// ---------------------------------------------------------------- names
static void every_part_has_its_name_and_is_found_by_it(void **unused) {
    (void)unused;
    world w = world_of(plain);
    assert_int_equal(td_n_bodies(w.system), 2);
    assert_int_equal(td_n_tendons(w.system), 1);
    assert_int_equal(td_n_chambers(w.system), 1);
    assert_string_equal(td_body_name(w.system, PLATE), "plate");
    assert_string_equal(td_body_name(w.system, BALL), "ball");
    assert_string_equal(td_tendon_name(w.system, 0), "cable");
    assert_string_equal(td_chamber_name(w.system, 0), "air");
    assert_int_equal(td_find_body(w.system, "ball"), BALL);
    assert_int_equal(td_find_tendon(w.system, "cable"), 0);
    assert_int_equal(td_find_chamber(w.system, "air"), 0);
    assert_int_equal(td_find_tendon(w.system, "air"), -1);
    assert_int_equal(td_find_chamber(w.system, "cable"), -1);
    assert_int_equal(td_find_body(w.system, "arm"), -1);
    assert_null(td_body_name(w.system, 2));
    assert_null(td_tendon_name(w.system, -1));
    assert_null(td_chamber_name(w.system, 1));
    world_free(&w);
}

static void parts_that_do_not_exist_give_zeros_and_the_identity(void **unused) {
    (void)unused;
    world w = world_of(plain);
    pull(&w, 2.0);
    for (int i = -1; i < 3; i += 3) {
        td_tendon_state t = td_get_tendon(w.system, w.state, i);
        assert_true(t.tension == 0.0 && t.length == 0.0 && !t.slack);
        td_chamber_state c = td_get_chamber(w.system, w.state, i);
        assert_true(c.pressure == 0.0 && c.volume == 0.0);
        td_body_state b = td_get_body(w.system, w.state, i);
        assert_true(b.pose.q[0] == 1.0 && b.pose.p[2] == 0.0 && b.velocity[5] == 0.0);
        assert_true(td_get_tension(w.system, w.state, i, 0.1) == 0.0);
        double p[3] = {9.0, 9.0, 9.0};
        td_get_tendon_point(w.system, w.state, i, 0.5, p);
        assert_true(p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0);
    }
    assert_true(td_get_length(w.system, w.state, 3) == 0.0);
    assert_true(td_get_tension(w.system, w.state, 0, NAN) == 0.0);
    CHECK_NEAR(td_get_tension(w.system, w.state, 0, 0.2), 2.0, 1e-12);
    world_free(&w);
}

// ---------------------------------------------------------------- places
static void a_tendon_runs_at_its_offset_and_is_as_long_as_its_points_say(void **unused) {
    (void)unused;
    world w = world_of(plain);
    double rest = td_get_tendon(w.system, w.state, 0).length;
    CHECK_NEAR(rest, L, 1e-12);
    pull(&w, 5.0);
    enum { N = 4000 };
    double sum = 0.0, before[3], p[3], there[3];
    for (int i = 0; i <= N; i++) {
        td_get_tendon_point(w.system, w.state, 0, (double)i / N, p);
        td_pose pose = td_get_pose(w.system, w.state, ARM, L * i / N);
        carry(&pose, (const double[3]){OFFSET, 0.0, 0.0}, there);
        for (int k = 0; k < 3; k++) CHECK_NEAR(p[k], there[k], 1e-12);
        if (i > 0)
            sum += sqrt(pow(p[0] - before[0], 2) + pow(p[1] - before[1], 2) +
                        pow(p[2] - before[2], 2));
        memcpy(before, p, sizeof p);
    }
    td_tendon_state t = td_get_tendon(w.system, w.state, 0);
    CHECK_NEAR(t.length, sum, 1e-8);
    CHECK_NEAR(t.displacement, rest - sum, 1e-8);    // it does not stretch
    assert_true(t.displacement > 4e-4 && !t.slack);  // about T d^2 L/EI
    world_free(&w);
}

static void a_riding_body_is_where_its_rod_is_and_says_whether_it_rides(void **unused) {
    (void)unused;
    world w = world_of(plain);
    pull(&w, 5.0);
    td_body_state b = td_get_body(w.system, w.state, BALL);
    td_pose tip = td_get_pose(w.system, w.state, ARM, L);
    for (int k = 0; k < 3; k++) CHECK_NEAR(b.pose.p[k], tip.p[k], 1e-14);
    assert_true(b.attached);
    td_set_input(w.system, w.state, GRIP, 0.0);
    CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
    assert_false(td_get_body(w.system, w.state, BALL).attached);
    world_free(&w);
}

static void a_fed_rod_is_as_long_as_it_was_fed_and_s_ends_there(void **unused) {
    (void)unused;
    world w = world_of(plain);
    td_set_input(w.system, w.state, LEG1, 0.02);
    td_set_input(w.system, w.state, LEG2, 0.02);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_NEAR(td_rod_length(w.system, LEFT), L, 1e-15);
    CHECK_NEAR(td_get_length(w.system, w.state, LEFT), L + 0.02, 1e-15);
    CHECK_NEAR(td_get_length(w.system, w.state, ARM), L, 1e-15);
    td_pose tip = td_get_pose(w.system, w.state, LEFT, L + 0.02);
    td_pose beyond = td_get_pose(w.system, w.state, LEFT, 9.0);
    assert_memory_equal(&tip, &beyond, sizeof tip);
    // the plate stands on the tips, 0.1 m from each
    td_body_state plate = td_get_body(w.system, w.state, PLATE);
    double there[3];
    carry(&plate.pose, (const double[3]){-0.1, 0.0, 0.0}, there);
    for (int k = 0; k < 3; k++) CHECK_NEAR(tip.p[k], there[k], 1e-9);
    double J[6 * N_INPUTS];
    assert_int_equal(td_get_jacobian(w.system, w.state, LEFT, L + 0.03, J), TD_ERR_ARGUMENT);
    assert_non_null(strstr(td_message(w.state), "0.43"));
    world_free(&w);
}

// ---------------------------------------------------------------- memory
static void nothing_allocates_and_nothing_is_nan_with_all_parts(void **unused) {
    (void)unused;
    variant v = plain;
    v.friction = 0.1;
    world w = world_of(v);
    td_get_stability(w.system, w.state, &(double){0.0});
    long before = allocations;
    double J[6 * N_INPUTS], C[36], smallest = NAN, p[3];
    td_status worst = td_solve_statics(w.system, w.state);
    for (int i = 0; i < 10; i++) {
        td_set_input(w.system, w.state, CABLE, 0.3 * i);
        td_set_input(w.system, w.state, AIR, 1e4 * i);
        td_set_input(w.system, w.state, LEG1, 1e-3 * i);
        td_status status = td_step(w.system, w.state, 5e-3);
        if (status < worst) worst = status;
    }
    td_get_body_jacobian(w.system, w.state, PLATE, J);
    td_get_body_compliance(w.system, w.state, PLATE, C);
    td_get_stability(w.system, w.state, &smallest);
    td_get_tendon_point(w.system, w.state, 0, 0.5, p);
    long after = allocations;
    if (worst < 0) fprintf(stderr, "%s\n", td_message(w.state));
    assert_true(worst >= 0);
    if (TRAPPING) assert_int_equal(after, before);
    td_tendon_state t = td_get_tendon(w.system, w.state, 0);
    td_chamber_state c = td_get_chamber(w.system, w.state, 0);
    td_body_state b = td_get_body(w.system, w.state, PLATE);
    assert_true(isfinite(t.tension + t.end_tension + t.length + t.displacement));
    assert_true(isfinite(c.pressure + c.volume + c.amount) && isfinite(smallest));
    assert_true(isfinite(b.pose.p[0] + b.pose.q[0] + b.velocity[5] + p[0] + p[1] + p[2]));
    assert_true(t.end_tension < t.tension);  // the cable rubs
    world_free(&w);
}

static void every_failed_allocation_is_an_error_and_leaks_nothing(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    td_options o = td_default_options();
    bool finished = false;
    for (long k = 0; !finished; k++) {
        assert_true(k < 2000);
        td_error err = {0};
        long live_before = live;
        fail_at = allocations + k;
        td_robot *robot = robot_of(plain);
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

static void snapshots_fit_only_robots_with_the_same_parts(void **unused) {
    (void)unused;
    world w = world_of(plain);
    size_t bytes = td_snapshot_bytes(w.system);
    void *saved = calloc(1, 2 * bytes);
    CHECK_CALL(&w, td_state_save(w.system, w.state, saved, bytes));
    world again = world_of(plain);
    CHECK_CALL(&again, td_state_restore(again.system, again.state, saved, bytes));
    world_free(&again);
    variant others[6] = {plain, plain, plain, plain, plain, plain};
    others[0].offset = 5e-3;
    others[1].friction = 0.2;
    others[2].mass = 3e-3;
    others[3].feed = 0.01;
    others[4].joint = TD_BALL;
    others[5].air = 3e-4;
    for (int i = 0; i < 6; i++) {
        world o = world_of(others[i]);
        if (td_snapshot_bytes(o.system) <= 2 * bytes)
            assert_true(td_state_restore(o.system, o.state, saved, 2 * bytes) < 0);
        world_free(&o);
    }
    free(saved);
    world_free(&w);
}

static void snapshots_fit_only_the_same_scheme(void **unused) {
    (void)unused;
    td_options o = td_default_options();
    o.scheme = TD_BDF2;
    world w = world_make(robot_of(plain), &o);
    size_t bytes = td_snapshot_bytes(w.system);
    void *saved = calloc(1, bytes);
    CHECK_CALL(&w, td_state_save(w.system, w.state, saved, bytes));
    o.scheme = TD_BDF_ALPHA;  // the same memory, of another meaning
    world other = world_make(robot_of(plain), &o);
    assert_int_equal(td_snapshot_bytes(other.system), bytes);
    assert_int_equal(td_state_restore(other.system, other.state, saved, bytes), TD_ERR_ARGUMENT);
    free(saved);
    world_free(&w);
    world_free(&other);
}

// ---------------------------------------------------------------- refusals
static void derivatives_refuse_bodies_without_freedom(void **unused) {
    (void)unused;
    world w = world_of(plain);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double J[6 * N_INPUTS], C[36];
    assert_int_equal(td_get_body_jacobian(w.system, w.state, BALL, J), TD_ERR_ARGUMENT);
    assert_non_null(strstr(td_message(w.state), "'ball' rides on a rod"));
    assert_int_equal(td_get_body_compliance(w.system, w.state, 2, C), TD_ERR_ARGUMENT);
    assert_non_null(strstr(td_message(w.state), "only 2"));
    world_free(&w);
}

typedef struct refusal {
    td_target target;
    int inputs[3], n;
    const char *says;
} refusal;

static void inverse_statics_refuses_in_words_and_changes_nothing(void **unused) {
    (void)unused;
    world w = world_of(plain);
    pull(&w, 1.0);
    const td_pose there = {{0.0, 0.0, L}, {1.0, 0.0, 0.0, 0.0}},
                  bent = {{0.0}, {2.0, 0.0, 0.0, 0.0}};
    const td_pose nowhere = {{NAN, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    const refusal list[] = {
        {{PLATE, -1, 0.0, there, true}, {LEG1, LEG2, LEG1}, 3, "'leg1' is named twice"},
        {{PLATE, -1, 0.0, there, true}, {LEG1, N_INPUTS, 0}, 2, "only 5"},
        {{PLATE, -1, 0.0, there, true}, {-1, LEG1, 0}, 2, "input -1"},
        {{PLATE, -1, 0.0, there, true}, {0, 0, 0}, 0, "no input"},
        {{BALL, -1, 0.0, there, true}, {LEG1, 0, 0}, 1, "'ball' rides"},
        {{7, -1, 0.0, there, true}, {LEG1, 0, 0}, 1, "body 7"},
        {{-1, ARM, 0.5, there, true}, {CABLE, 0, 0}, 1, "no arc length 0.5 m"},
        {{-1, 3, 0.1, there, true}, {CABLE, 0, 0}, 1, "rod 3"},
        {{-1, ARM, L, nowhere, true}, {CABLE, 0, 0}, 1, "not finite"},
        {{-1, ARM, L, bent, false}, {CABLE, 0, 0}, 1, "norm = 2"},
    };
    size_t bytes = td_snapshot_bytes(w.system);
    void *before = malloc(bytes), *after = malloc(bytes);
    td_state_save(w.system, w.state, before, bytes);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        td_status status =
            td_solve_inverse(w.system, w.state, &list[i].target, list[i].inputs, list[i].n);
        assert_true(status < 0);
        if (!strstr(td_message(w.state), list[i].says))
            fprintf(stderr, "'%s' is not in: %s\n", list[i].says, td_message(w.state));
        assert_non_null(strstr(td_message(w.state), list[i].says));
        td_state_save(w.system, w.state, after, bytes);
        assert_memory_equal(before, after, bytes);
    }
    assert_int_equal(td_solve_inverse(w.system, w.state, NULL, list[0].inputs, 1), TD_ERR_ARGUMENT);
    free(before), free(after);
    world_free(&w);
}

// Two legs of one length hold the plate level at that height, less what its weight and their own
// compress them: (M/2 + m/2) g L/EA.
static void inverse_statics_leaves_inputs_and_shape_at_the_answer(void **unused) {
    (void)unused;
    world w = world_of(plain);
    pull(&w, 1.0);
    const int legs[2] = {LEG2, LEG1};
    td_target target = {.body = PLATE, .rod = -1, .pose = {{0.0, 0.0, L + 2e-3}, {1.0}}};
    long before = allocations;
    td_status status = td_solve_inverse(w.system, w.state, &target, legs, 2);
    if (TRAPPING) assert_int_equal(allocations, before);
    if (status < 0) fprintf(stderr, "%s\n", td_message(w.state));
    assert_true(status >= 0);
    const double area = 3.14159265358979323846 * 1e-6, length = L + 2e-3;
    const double shorter = (0.025 + 0.5 * 8000.0 * area * length) * 9.81 * length / (207e9 * area);
    CHECK_NEAR(td_get_input(w.system, w.state, LEG1), 2e-3 + shorter, 1e-11);
    CHECK_NEAR(td_get_input(w.system, w.state, LEG2), 2e-3 + shorter, 1e-11);
    CHECK_NEAR(td_get_input(w.system, w.state, CABLE), 1.0, 0.0);
    CHECK_NEAR(td_get_body(w.system, w.state, PLATE).pose.p[2], L + 2e-3, 1e-9);
    CHECK_NEAR(td_get_length(w.system, w.state, LEFT), L + 2e-3 + shorter, 1e-11);
    // an equilibrium, and the inputs are no longer on their way: nothing moves in the next step
    CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
    td_body_state plate = td_get_body(w.system, w.state, PLATE);
    for (int i = 0; i < 6; i++) CHECK_NEAR(plate.velocity[i], 0.0, 1e-6);
    world_free(&w);
}

static void a_failed_inverse_leaves_inputs_and_state_as_they_were(void **unused) {
    (void)unused;
    world w = world_of(plain);
    pull(&w, 1.0);
    const int inputs[3] = {CABLE, AIR, LEG1};
    td_target target = {
        .body = -1, .rod = ARM, .s = L, .pose = {{0.0, 50.0, 0.0}, {1.0}}, .position_only = true};
    size_t bytes = td_snapshot_bytes(w.system);
    void *before = malloc(bytes), *after = malloc(bytes);
    td_state_save(w.system, w.state, before, bytes);
    assert_true(td_solve_inverse(w.system, w.state, &target, inputs, 3) < 0);
    assert_true(strlen(td_message(w.state)) > 0);
    td_state_save(w.system, w.state, after, bytes);
    assert_memory_equal(before, after, bytes);
    free(before), free(after);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_has_its_name_and_is_found_by_it),
        cmocka_unit_test(parts_that_do_not_exist_give_zeros_and_the_identity),
        cmocka_unit_test(a_tendon_runs_at_its_offset_and_is_as_long_as_its_points_say),
        cmocka_unit_test(a_riding_body_is_where_its_rod_is_and_says_whether_it_rides),
        cmocka_unit_test(a_fed_rod_is_as_long_as_it_was_fed_and_s_ends_there),
        cmocka_unit_test(nothing_allocates_and_nothing_is_nan_with_all_parts),
        cmocka_unit_test(every_failed_allocation_is_an_error_and_leaks_nothing),
        cmocka_unit_test(snapshots_fit_only_robots_with_the_same_parts),
        cmocka_unit_test(snapshots_fit_only_the_same_scheme),
        cmocka_unit_test(derivatives_refuse_bodies_without_freedom),
        cmocka_unit_test(inverse_statics_refuses_in_words_and_changes_nothing),
        cmocka_unit_test(inverse_statics_leaves_inputs_and_shape_at_the_answer),
        cmocka_unit_test(a_failed_inverse_leaves_inputs_and_state_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
