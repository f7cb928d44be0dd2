// The robot as its estimator believes it to be, beside the live one.
#include "tendril/estimate.h"

#include <math.h>

#include "view_live.h"

static char *payload(void) {
    FILE *file = fopen(EXAMPLES "/payload.yaml", "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 14);
    assert_true(fread(text, 1, (1 << 14) - 1, file) > 0);
    fclose(file);
    return text;
}

static subject open_payload(void) {
    char *text = payload();
    subject s = open_text(text, false);
    free(text);
    return s;
}

static void step_until(subject *s, double then) {
    for (int k = 0; k < 10000 && look(s).time < then - 1e-9; k++) {
        send(s, "{\"do\":\"step\"}");
        live_tick(s->live, s->now += 0.02);
    }
    CHECK_NEAR(look(s).time, then, 1e-9);
}

// Of the estimate, whose rods stand behind all else where there is no ghost, and then how sure it is of them.
static void believed_tip(subject *s, double p[3]) {
    const seen_frame f = look(s);
    const scene *sc = live_scene(s->live);
    const int end = sc->floats + sc->rod_floats;
    assert_true(f.flags & FRAME_ESTIMATE);
    assert_int_equal(f.n, end + SPREAD_FLOATS * sc->rod_points);
    for (int k = 0; k < 3; k++) p[k] = frame_f32(&f, end - 7 + k);
}

// The covariance of the position of a point of the rod.
static void spread_of(subject *s, int point, double C[3][3]) {
    const seen_frame f = look(s);
    const scene *sc = live_scene(s->live);
    int at = sc->floats + sc->rod_floats + SPREAD_FLOATS * point;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) C[i][j] = C[j][i] = frame_f32(&f, at++);
}

static double distance(const double a[3], const double b[3]) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static void number(subject *s, int which, double *value, double *deviation) {
    live_facts f = facts_of(s);
    *value = f.believed[2 * which], *deviation = f.believed[2 * which + 1];
    live_facts_destroy(&f);
}

// Another program with the same file: the library's own call that follows a state.
static void follow_payload(double then, double p[3], double robot_tip[3], double *weight,
                           double *deviation) {
    td_error err = {0};
    td_robot *robot = td_robot_load(EXAMPLES "/payload.yaml", NULL, 0, &err);
    const td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    td_state *state = td_state_create(system);
    td_estimator *e = td_estimator_create(system, &err);
    assert_non_null(e);
    assert_true(td_begin(system, state) >= 0 && td_estimator_begin(e) >= 0);
    while (td_get_time(system, state) < then - 1e-9) {
        assert_true(td_advance(system, state, 4e-3) >= 0);
        assert_true(td_estimator_follow(e, state) >= 0);
    }
    memcpy(p, td_get_pose(system, td_estimator_state(e), 0, 0.25).p, 3 * sizeof *p);
    memcpy(robot_tip, td_get_pose(system, state, 0, 0.25).p, 3 * sizeof *p);
    *weight = td_estimator_get(e, 0, deviation);
    td_estimator_destroy(e);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

static void what_is_believed_is_what_the_library_says(void **state) {
    (void)state;
    subject s = open_payload();
    double p[3], q[3], tip[3], robot_tip[3], weight[2], deviation[2];
    step_until(&s, 1.5);
    believed_tip(&s, p);
    number(&s, 0, &weight[0], &deviation[0]);
    follow_payload(1.5, q, robot_tip, &weight[1], &deviation[1]);
    tip_of(&s, tip);
    CHECK_NEAR(distance(tip, robot_tip), 0.0, 2e-6);  // loads by hand, all 0, split the rod
    CHECK_NEAR(distance(p, q), 0.0, 2e-6);
    CHECK_NEAR(weight[0], weight[1], 0.01 * deviation[1]);
    CHECK_NEAR(deviation[0], deviation[1], 1e-3 * deviation[1]);
    CHECK_NEAR(weight[0], -0.06, 3.0 * deviation[0]);  // the truth, of which it was not told
    CHECK_BETWEEN(distance(p, tip), 1e-8, 2e-3);       // near to the robot, and not it
    close_subject(&s);
}

// A force of the file's own unknown input, and the deviation of every channel that is watched.
static void a_pull_by_hand_is_not_told_but_found(void **state) {
    (void)state;
    subject s = open_payload();
    double side, deviation, before;
    step_until(&s, 0.4);
    number(&s, 1, &before, &deviation);
    CHECK_NEAR(before, 0.0, 4.0 * deviation);
    send(&s, "{\"do\":\"grab\",\"rod\":0,\"s\":0.25}");
    send(&s, "{\"do\":\"pull\",\"force\":[0.02,0,0]}");
    step_until(&s, 0.9);
    number(&s, 1, &side, &deviation);
    printf("side %g +- %g N\n", side, deviation);
    CHECK_NEAR(side, 0.02, 4.0 * deviation);
    CHECK_BETWEEN(deviation, 1e-5, 4e-3);
    live_facts f = facts_of(&s);
    const live_loop *loop = live_loop_of(s.live);
    assert_int_equal(loop->n_numbers, 2);
    assert_string_equal(loop->numbers[1].name, "side");
    assert_string_equal(loop->numbers[1].unit, "N");
    for (int i = 0; i < 3; i++) {  // the camera
        CHECK_NEAR(f.believed[4 + 2 * i], f.readings[i], 2e-3);
        CHECK_BETWEEN(f.believed[5 + 2 * i], 1e-7, 3e-4);
    }
    live_facts_destroy(&f);
    close_subject(&s);
}

// A small turn about the base by v takes the point p to p + v x p: along a rod that is held at its base covariances begin at 0. At the tip
// they are those of the camera that looks at it, less its noise.
static void the_band_is_as_wide_as_readings_are_unsure(void **state) {
    (void)state;
    subject s = open_payload();
    const int last = live_scene(s.live)->rods[0].n_points - 1;
    double C[3][3], before = 0.0;
    step_until(&s, 1.5);
    live_facts f = facts_of(&s);
    spread_of(&s, last, C);
    for (int i = 0; i < 3; i++) {
        const double deviation = f.believed[5 + 2 * i];
        printf("tip %d: %g m, the camera %g m\n", i, sqrt(C[i][i]), deviation);
        CHECK_NEAR(sqrt(C[i][i]), deviation, 1e-5 * deviation);
    }
    live_facts_destroy(&f);
    for (int k = 0; k <= last; k++) {
        spread_of(&s, k, C);
        CHECK_BETWEEN(C[0][0], k == 0 ? -1e-20 : 0.7 * before, 1e-6);
        CHECK_BETWEEN(C[0][0] * C[1][1] - C[0][1] * C[0][1], -1e-24, 1e-12);
        if (k == 0) CHECK_NEAR(C[0][0] + C[1][1] + C[2][2], 0.0, 1e-20);
        before = C[0][0];
    }
    assert_true(before > 1e-12);
    close_subject(&s);
}

// What the library's own call says of these places, also between those that the page has of it.
static void the_band_is_the_covariance_along_the_rod(void **state) {
    (void)state;
    td_error err = {0};
    subject s = open_payload();
    step_until(&s, 1.5);
    td_robot *robot = td_robot_load(EXAMPLES "/payload.yaml", NULL, 0, &err);
    const td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    td_state *robot_state = td_state_create(system);
    td_estimator *e = td_estimator_create(system, &err);
    assert_non_null(e);
    assert_true(td_begin(system, robot_state) >= 0 && td_estimator_begin(e) >= 0);
    while (td_get_time(system, robot_state) < 1.5 - 1e-9) {
        assert_true(td_advance(system, robot_state, 4e-3) >= 0);
        assert_true(td_estimator_follow(e, robot_state) >= 0);
    }
    const scene_rod *r = &live_scene(s.live)->rods[0];
    for (int k = 3; k < r->n_points; k += 5) {
        const td_output place = {.quantity = TD_OUTPUT_POSE, .body = -1, .rod = 0, .s = r->s[k]};
        td_linearisation *l = td_linearisation_create(system, &place, 1, &err);
        double all[36], C[3][3];
        assert_true(td_estimator_get_outputs(e, l, all) >= 0);
        spread_of(&s, k, C);
        for (int i = 0; i < 3; i++) {
            const double deviation = sqrt(all[7 * (3 + i)]);
            printf("s = %.4f m, %d: %g m, the library %g m\n", r->s[k], i, sqrt(C[i][i]),
                   deviation);
            CHECK_NEAR(sqrt(C[i][i]), deviation, 0.03 * deviation + 3e-7);
        }
        td_linearisation_destroy(l);
    }
    td_estimator_destroy(e);
    td_state_destroy(robot_state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    close_subject(&s);
}

static void a_rewound_belief_does_again_what_it_did(void **state) {
    (void)state;
    subject s = open_payload();
    double first[3], then[3], second[3], weight[2], deviation;
    step_until(&s, 1.0);
    step_until(&s, 1.3);
    believed_tip(&s, first);
    number(&s, 0, &weight[0], &deviation);
    send(&s, "{\"do\":\"rewind\",\"value\":1.0}");
    wait(&s, 0.05);
    CHECK_BETWEEN(look(&s).time, 0.8, 1.0);
    believed_tip(&s, then);
    assert_true(distance(first, then) > 1e-4);
    step_until(&s, 1.3);
    believed_tip(&s, second);
    number(&s, 0, &weight[1], &deviation);
    assert_memory_equal(first, second, sizeof first);
    assert_true(weight[0] == weight[1]);
    close_subject(&s);
}

static void another_model_has_a_belief_of_its_own_or_says_why_not(void **state) {
    (void)state;
    subject s = open_payload();
    double p[3], tip[3], weight, deviation;
    step_until(&s, 1.3);
    send(&s, "{\"do\":\"model\",\"name\":\"virtual_power\"}");
    step_until(&s, 2.0);
    believed_tip(&s, p);
    tip_of(&s, tip);
    CHECK_BETWEEN(distance(p, tip), 1e-8, 2e-3);
    number(&s, 0, &weight, &deviation);
    CHECK_NEAR(weight, -0.06, 4.0 * deviation);
    check_silent(&s);
    send(&s, "{\"do\":\"model\",\"name\":\"cosserat\",\"scheme\":\"bdf2\"}");
    send(&s, "{\"do\":\"step\"}");
    wait(&s, 0.1);
    check_told(&s, "no estimate under cosserat");
    const seen_frame f = look(&s);
    assert_false(f.flags & FRAME_ESTIMATE);
    assert_int_equal(f.n, live_scene(s.live)->floats);
    number(&s, 0, &weight, &deviation);
    assert_true(isnan(weight) && isnan(deviation));
    close_subject(&s);
}

static void robots_without_an_estimator_have_none(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    wait(&s, 0.1);
    assert_false(look(&s).flags & FRAME_ESTIMATE);
    assert_false(live_loop_of(s.live)->estimates);
    close_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_believed_is_what_the_library_says),
        cmocka_unit_test(a_pull_by_hand_is_not_told_but_found),
        cmocka_unit_test(the_band_is_as_wide_as_readings_are_unsure),
        cmocka_unit_test(the_band_is_the_covariance_along_the_rod),
        cmocka_unit_test(a_rewound_belief_does_again_what_it_did),
        cmocka_unit_test(another_model_has_a_belief_of_its_own_or_says_why_not),
        cmocka_unit_test(robots_without_an_estimator_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
