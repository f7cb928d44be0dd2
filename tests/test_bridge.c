// The bridge of tendril serve without its socket: its clock, its clients, its refusals, and packets that are noise.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "view/bridge.h"

static const char file[] = "tendril: 1\n"
                           "rods: [{name: arm, length: 0.3, material: {youngs_modulus: 200 GPa, "
                           "poisson_ratio: 0.3, density: 7850}, section: {radius: 0.5 mm}}]\n"
                           "tendons: [{name: pull, offset: [8 mm, 0]}]\n"
                           "inputs: {pull: {ramp: {to: 5 N, duration: 0.5 s}}}\n"
                           "simulation: {time: {step: 2 ms, end: 1 s}}\n";
static const char secret[] = "a-long-secret";

static bridge b;

static int begin(void **unused) {
    (void)unused;
    driven d = {.robot = td_robot_parse(file, sizeof file - 1, "arm.yaml", NULL, 0, NULL)};
    const td_options options = td_robot_options(d.robot);
    d.system = td_system_create(d.robot, &options, NULL);
    d.state = td_state_create(d.system);
    assert_non_null(d.state);
    assert_true(bridge_make(&b, d, secret, 2e-3, 50, 10, "output tip.velocity\n", NULL));
    assert_true(bridge_begin(&b, 100.0));
    b.next_frame = 100.0;
    b.playing = true;
    return 0;
}

static int end(void **unused) {
    (void)unused;
    td_state_destroy(b.d.state);
    td_system_destroy(b.d.system);
    td_robot_destroy(b.d.robot);
    bridge_free(&b);
    return 0;
}

static double time_now(void) {
    return td_get_time(b.d.system, b.d.state);
}

// Sends a message with the token in the place of $; the answer is b.text.
static bool ask(double now, char client, const char *text) {
    char packet[512];
    const char *mark = strchr(text, '$');
    snprintf(packet, sizeof packet, "%.*s\"token\": \"%s\"%s", (int)(mark - text), text, secret,
             mark + 1);
    return bridge_receive(&b, now, &client, 1, packet, strlen(packet));
}

static int n_clients(void) {
    int n = 0;
    for (int i = 0; i < BRIDGE_CLIENTS; i++) n += b.clients[i].size > 0;
    return n;
}

// ---------------------------------------------------------------- time
static void test_time_passes_as_on_the_clock(void **unused) {
    (void)unused;
    int frames = 0;
    for (double now = 100.0; now < 101.0; now += 3.3e-3) {
        assert_true(bridge_advance(&b, now));
        frames += bridge_frame(&b, now);
        assert_true(fabs(time_now() - (now - 100.0)) < 2e-3 + 1e-9);
        assert_true(bridge_wait(&b, now) <= 2e-3 + 1e-9);
    }
    assert_in_range(frames, 49, 51);
    assert_true(b.behind == 0.0);
}

static void test_what_is_late_is_given_up_and_told(void **unused) {
    (void)unused;
    assert_true(bridge_advance(&b, 103.0));  // three seconds at once
    assert_true(time_now() < 0.05);
    assert_true(fabs(b.behind + time_now() - 3.0) < 3e-3);
    for (double now = 103.0; now < 103.5; now += 1e-3) assert_true(bridge_advance(&b, now));
    assert_true(fabs(b.behind + time_now() - 3.5) < 3e-3);
}

static void test_time_stands_while_it_is_paused(void **unused) {
    (void)unused;
    assert_true(ask(100.0, 'a', "{$, \"type\": \"pause\"}"));
    assert_true(bridge_advance(&b, 110.0));
    assert_true(time_now() == 0.0);
    assert_true(ask(110.0, 'a', "{$, \"type\": \"step\", \"steps\": 5}"));
    assert_true(fabs(time_now() - 0.01) < 1e-12);
    assert_true(ask(110.0, 'a', "{$, \"type\": \"play\"}"));
    assert_true(bridge_advance(&b, 110.02));
    assert_true(fabs(time_now() - 0.03) < 1e-9);
}

static void test_a_step_that_fails_did_not_happen(void **unused) {
    (void)unused;
    assert_true(bridge_advance(&b, 100.02));
    const td_pose before = td_get_pose(b.d.system, b.d.state, 0, 0.3);
    assert_false(ask(100.02, 'a', "{$, \"type\": \"set\", \"inputs\": {\"pull\": 1e12}}"));
    assert_false(bridge_advance(&b, 100.03));
    assert_non_null(strstr(b.text, "failure"));
    assert_false(b.playing);
    const td_pose after = td_get_pose(b.d.system, b.d.state, 0, 0.3);
    assert_memory_equal(&before, &after, sizeof before);
    assert_true(ask(100.03, 'a', "{$, \"type\": \"play\", \"inputs\": {\"pull\": 1}}"));
    assert_true(bridge_advance(&b, 100.05));
}

// ---------------------------------------------------------------- clients
static void test_silent_clients_are_forgotten(void **unused) {
    (void)unused;
    assert_true(ask(100.0, 'a', "{$, \"type\": \"hello\"}"));
    assert_true(ask(100.0, 'b', "{$, \"type\": \"hello\"}"));
    assert_int_equal(n_clients(), 2);
    assert_true(ask(108.0, 'b', "{$, \"type\": \"get\"}"));  // any packet renews
    bridge_frame(&b, 111.0);
    assert_int_equal(n_clients(), 1);
    bridge_frame(&b, 119.0);
    assert_int_equal(n_clients(), 0);
}

static void test_no_more_clients_than_there_is_room_for(void **unused) {
    (void)unused;
    for (int i = 0; i < 200; i++) assert_true(ask(100.0, (char)i, "{$, \"type\": \"hello\"}"));
    assert_int_equal(n_clients(), BRIDGE_CLIENTS);
    assert_non_null(strstr(b.text, "clients are served already"));
}

static void test_who_has_no_token_hears_nothing(void **unused) {
    (void)unused;
    static const char *const packets[] = {"",
                                          "{",
                                          "{}",
                                          "{\"type\": \"hello\"}",
                                          "{\"token\": \"a-long-secreT\", \"type\": \"hello\"}",
                                          "{\"token\": \"a-long-secret1\", \"type\": \"hello\"}",
                                          "{\"token\": \"a-long\", \"type\": \"reset\"}"};
    for (size_t i = 0; i < 7; i++)
        assert_false(bridge_receive(&b, 100.0, "x", 1, packets[i], strlen(packets[i])));
    assert_int_equal(b.strangers, 7);
    assert_int_equal(n_clients(), 0);
}

static void test_mistakes_are_told_wherever_the_token_stands(void **unused) {
    (void)unused;
    static const char *const told[] = {
        "{\"type\": \"dance\", $}", "{\"inputs\": [1, {\"a\": \"]\\\"\"}], $, \"type\": \"set\"}",
        "{\"colour\": \"token\", \"id\": 3, $}", "{\"steps\": 0.5, $, \"type\": \"step\"}"};
    static const char *const not_told[] = {"{\"type\": \"dance\", \"inputs\": {$}}", "$",
                                           "{\"type\": \"dance\", \"x\": [{$}], 1}"};
    for (size_t i = 0; i < 4; i++) {
        assert_true(ask(100.0, 'a', told[i]));
        assert_non_null(strstr(b.text, "\"error\""));
    }
    for (size_t i = 0; i < 3; i++) assert_false(ask(100.0, 'a', not_told[i]));
}

// ---------------------------------------------------------------- noise
static void test_noise_is_answered_in_words_or_not_at_all(void **unused) {
    (void)unused;
    static const char whole[] = "{\"token\": \"a-long-secret\", \"type\": \"step\", \"steps\": 1, "
                                "\"inputs\": {\"pull\": 1.5}, \"id\": 7}";
    const int n = getenv("TENDRIL_TEST_BRIEF") ? 2000 : 20000;
    b.playing = false;
    srand(1);
    for (int i = 0; i < n; i++) {
        char packet[sizeof whole];
        memcpy(packet, whole, sizeof whole);
        for (int k = rand() % 4; k >= 0; k--)
            packet[40 + rand() % (int)(sizeof whole - 41)] = (char)rand();
        const size_t length = (size_t)(rand() % (int)sizeof whole);
        if (!bridge_receive(&b, 100.0, "x", 1, packet, length)) continue;
        assert_true(b.length > 0 && b.length < BRIDGE_TEXT && b.length == strlen(b.text));
        const td_pose tip = td_get_pose(b.d.system, b.d.state, 0, 0.3);
        assert_true(isfinite(tip.p[0] + tip.p[1] + tip.p[2]));
    }
    assert_true(ask(100.0, 'a', "{$, \"type\": \"reset\"}"));
    assert_non_null(strstr(b.text, "state"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_time_passes_as_on_the_clock, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_late_is_given_up_and_told, begin, end),
        cmocka_unit_test_setup_teardown(test_time_stands_while_it_is_paused, begin, end),
        cmocka_unit_test_setup_teardown(test_a_step_that_fails_did_not_happen, begin, end),
        cmocka_unit_test_setup_teardown(test_silent_clients_are_forgotten, begin, end),
        cmocka_unit_test_setup_teardown(test_no_more_clients_than_there_is_room_for, begin, end),
        cmocka_unit_test_setup_teardown(test_who_has_no_token_hears_nothing, begin, end),
        cmocka_unit_test_setup_teardown(test_mistakes_are_told_wherever_the_token_stands, begin,
                                        end),
        cmocka_unit_test_setup_teardown(test_noise_is_answered_in_words_or_not_at_all, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
