// A live robot when something goes wrong: steps, starts, files and messages.
#include "view_live.h"

// ---------------------------------------------------------------- what goes wrong
static void a_failed_step_leaves_the_last_good_state(void **state) {
    (void)state;
    subject s = open_text(pushed, true);
    wait(&s, 0.2);
    double before[3], after[3];
    send(&s, "{\"do\":\"pause\"}");
    wait(&s, 0.1);
    tip_of(&s, before);
    double held = look(&s).time;
    const scene *sc = live_scene(s.live);
    int push = input_named(&s, "push.force.y");
    char text[96];
    snprintf(text, sizeof text, "{\"do\":\"set\",\"input\":%d,\"value\":%g}", push,
             9e5 * (sc->inputs[push].max - sc->inputs[push].min));
    send(&s, text);
    send(&s, "{\"do\":\"play\"}");
    wait(&s, 0.2);
    check_told(&s, "\"type\": \"failure\"");
    tip_of(&s, after);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after[k], before[k], 0);
    seen_frame f = look(&s);
    CHECK_NEAR(f.time, held, 0);
    assert_false(f.flags & FRAME_PLAYING);
    s.texts = live_text_now(s.live);  // a page that opens now
    check_told(&s, "\"type\": \"failure\"");
    snprintf(text, sizeof text, "{\"do\":\"set\",\"input\":%d,\"value\":0}", push);
    send(&s, text);
    send(&s, "{\"do\":\"play\"}");
    wait(&s, 0.3);
    assert_true(look(&s).time > held);
    s.texts = live_text_now(s.live);
    check_silent(&s);
    close_subject(&s);
}

// A tendon that would roll the rod up a hundred times.
static void a_start_without_equilibrium_is_told_to_the_first_page_and_holds_time(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "%sinputs: {pull: 1e6 N}\n", cantilever);
    subject s = open_text(text, true);
    wait(&s, 0.1);
    s.texts = live_text_now(s.live);
    check_told(&s, "\"type\": \"failure\",\n  \"message\": \"statics at the start: ");
    seen_frame f = look(&s);
    assert_false(f.flags & FRAME_PLAYING);
    CHECK_NEAR(f.time, 0.0, 0);
    close_subject(&s);
}

static void a_robot_without_a_name_is_called_after_its_file(void **state) {
    (void)state;
    const struct {
        const char *path, *name;
    } cases[] = {
        {"examples/arm.yaml", "arm"},        {"arm.yml", "arm"}, {"results/arm-0.3/", "arm-0.3"},
        {"results/arm/result.h5", "result"}, {"/", ""},          {".yaml", ".yaml"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s = {0};
        scene_name_after(&s, cases[i].path);
        assert_string_equal(s.name, cases[i].name);
    }
    scene named = {.name = "own"};
    scene_name_after(&named, "examples/arm.yaml");
    assert_string_equal(named.name, "own");
}

// 20 kN at once: more than a step of 10 ms takes with polynomials, less than smaller ones.
static void a_step_that_does_not_converge_is_taken_in_smaller_ones(void **state) {
    (void)state;
    td_error err = {0};
    subject s = open_text(polynomials, false);
    int push = input_named(&s, "push.force.y");
    grips_kept kept;
    td_system *system = stage_compile(s.stage, &s.stage->options, &kept, &err);
    td_state *alone = td_state_create(system);
    assert_non_null(alone);
    assert_int_equal(td_begin(system, alone), TD_OK);
    td_set_input(system, alone, push, 20000);
    assert_true(td_step(system, alone, 0.01) < 0);
    td_state_destroy(alone);
    td_system_destroy(system);

    char text[96];
    snprintf(text, sizeof text, "{\"do\":\"set\",\"input\":%d,\"value\":20000}", push);
    send(&s, text);
    send(&s, "{\"do\":\"step\"}");
    wait(&s, 0.02);
    check_silent(&s);
    CHECK_NEAR(look(&s).time, 0.01, 1e-12);
    double p[3];
    tip_of(&s, p);
    assert_true(p[1] > 0.05);
    close_subject(&s);
}

// What was read is what is shown: the same robot under every model, and in an export.
static void a_file_that_changes_on_disk_changes_nothing(void **state) {
    (void)state;
    subject s = open_text(cantilever, false);
    FILE *file = fopen(s.path, "w");
    assert_non_null(file);
    fputs("tendril: 1\nrods: []\n", file);
    fclose(file);
    send(&s, "{\"do\":\"model\",\"name\":\"eba\"}");
    wait(&s, 0.02);
    check_silent(&s);
    live_facts f = facts_of(&s);
    assert_string_equal(f.main.model, "eba");
    live_facts_destroy(&f);
    send(&s, "{\"do\":\"export-inputs\"}");
    wait(&s, 0.02);
    check_told(&s, "youngs_modulus");
    unlink(s.path);
    close_subject(&s);
}

static void what_cannot_be_done_is_said(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    const struct {
        const char *ask, *words;
    } cases[] = {
        {"{\"do\":\"set\",\"input\":3,\"value\":0}", "input = 3: there are 3 inputs"},
        {"{\"do\":\"set\",\"input\":0,\"value\":1e300}", "a million times"},
        {"{\"do\":\"follow\",\"input\":99}", "there are 3 inputs"},
        {"{\"do\":\"speed\",\"value\":0}", "from 0.01 to 100"},
        {"{\"do\":\"model\",\"name\":\"ebx\"}", "is not a model"},
        {"{\"do\":\"model\",\"scheme\":\"leapfrog\"}", "is not a scheme of cosserat"},
        {"{\"do\":\"model\",\"step\":-1}", "step = -1 s must be"},
        {"{\"do\":\"ghost\",\"name\":\"ebx\"}", "is not a model"},
        {"{\"do\":\"grab\",\"rod\":1,\"s\":0}", "nothing to hold"},
        {"{\"do\":\"grab\",\"body\":0}", "nothing to hold"},
        {"{\"do\":\"pull\",\"force\":[1,0,0]}", "nothing is grabbed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        send(&s, cases[i].ask);
        wait(&s, 0.02);
        check_told(&s, cases[i].words);
    }
    live_facts f = facts_of(&s);
    assert_string_equal(f.main.model, "cosserat");
    assert_true(f.playing);
    live_facts_destroy(&f);
    close_subject(&s);
}

static void texts_for_one_reader_stay_with_that_reader(void **state) {
    (void)state;
    subject s = open_text(cantilever, false);
    send(&s, "{\"do\":\"speed\",\"value\":0}");
    wait(&s, 0.02);
    unsigned long other = 0;
    assert_null(live_text(s.live, &other, 8));
    check_told(&s, "speed");
    close_subject(&s);
}

static void more_messages_than_wait_are_refused(void **state) {
    (void)state;
    subject s = open_text(cantilever, false);
    message m = {.ask = ASK_RELEASE};
    int taken = 0;
    while (taken < 10000 && live_send(s.live, &m)) taken++;
    CHECK_BETWEEN(taken, 100, 1000);
    live_tick(s.live, s.now);
    assert_true(live_send(s.live, &m));
    close_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_step_leaves_the_last_good_state),
        cmocka_unit_test(a_start_without_equilibrium_is_told_to_the_first_page_and_holds_time),
        cmocka_unit_test(a_robot_without_a_name_is_called_after_its_file),
        cmocka_unit_test(a_step_that_does_not_converge_is_taken_in_smaller_ones),
        cmocka_unit_test(a_file_that_changes_on_disk_changes_nothing),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(texts_for_one_reader_stay_with_that_reader),
        cmocka_unit_test(more_messages_than_wait_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
