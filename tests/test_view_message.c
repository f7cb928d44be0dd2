// Messages of a page: what is taken, what is refused and with which words, and that no bytes
// whatever do harm.
#include "tendril/tendril.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "view/message.h"

static message parsed(const char *text) {
    message m;
    char why[200] = "";
    if (!message_parse(text, strlen(text), &m, why, sizeof why)) {
        fprintf(stderr, "%s: %s\n", text, why);
        fail();
    }
    return m;
}

static void check_refused(const char *text, const char *words) {
    message m;
    char why[200] = "";
    assert_false(message_parse(text, strlen(text), &m, why, sizeof why));
    if (strstr(why, words)) return;
    fprintf(stderr, "%s: '%s' does not say '%s'\n", text, why, words);
    fail();
}

static void every_request_is_understood(void **state) {
    (void)state;
    assert_int_equal(parsed("{\"do\":\"play\"}").ask, ASK_PLAY);
    assert_int_equal(parsed(" { \"do\" : \"pause\" } \n").ask, ASK_PAUSE);
    assert_int_equal(parsed("{\"do\":\"step\"}").ask, ASK_STEP);
    assert_int_equal(parsed("{\"do\":\"reset\"}").ask, ASK_RESET);
    assert_int_equal(parsed("{\"do\":\"release\"}").ask, ASK_RELEASE);
    assert_int_equal(parsed("{\"do\":\"drive\"}").ask, ASK_DRIVE);
    assert_int_equal(parsed("{\"do\":\"export-inputs\"}").ask, ASK_EXPORT);
    CHECK_NEAR(parsed("{\"do\":\"speed\",\"value\":0.25}").value, 0.25, 0);
    message m = parsed("{\"value\":-1.5e-3,\"input\":2,\"do\":\"set\"}");
    assert_int_equal(m.ask, ASK_SET);
    assert_int_equal(m.input, 2);
    CHECK_NEAR(m.value, -1.5e-3, 0);
    assert_int_equal(parsed("{\"do\":\"follow\",\"input\":0}").ask, ASK_FOLLOW);
    assert_int_equal(parsed("{\"do\":\"modes\"}").ask, ASK_MODES);
    m = parsed("{\"do\":\"modes\",\"mode\":4,\"value\":0.2}");
    assert_int_equal(m.mode, 4);
    CHECK_NEAR(m.value, 0.2, 0);
    m = parsed("{\"do\":\"modes\",\"mode\":null}");
    assert_int_equal(m.given, GIVEN_MODE);
    assert_int_equal(m.mode, -1);
}

static void models_ghosts_and_pulls_are_understood(void **state) {
    (void)state;
    message m = parsed("{\"do\":\"model\",\"name\":\"eba\",\"scheme\":\"bdf2\",\"step\":0.002}");
    assert_int_equal(m.ask, ASK_MODEL);
    assert_string_equal(m.name, "eba");
    assert_string_equal(m.scheme, "bdf2");
    CHECK_NEAR(m.step, 0.002, 0);
    assert_int_equal(m.given, GIVEN_NAME | GIVEN_SCHEME | GIVEN_STEP);
    assert_string_equal(parsed("{\"do\":\"ghost\",\"name\":\"e\\u0062a\"}").name, "eba");
    assert_string_equal(parsed("{\"do\":\"ghost\",\"name\":null}").name, "");
    assert_int_equal(parsed("{\"do\":\"ghost\",\"name\":\"eba\",\"value\":0}").given,
                     GIVEN_NAME | GIVEN_VALUE);
    m = parsed("{\"do\":\"grab\",\"rod\":1,\"s\":0.2}");
    assert_int_equal(m.rod, 1);
    CHECK_NEAR(m.s, 0.2, 0);
    assert_int_equal(parsed("{\"do\":\"grab\",\"body\":3}").body, 3);
    m = parsed("{\"do\":\"pull\",\"force\":[1, -2.5 ,3e2]}");
    CHECK_NEAR(m.force[0], 1, 0);
    CHECK_NEAR(m.force[1], -2.5, 0);
    CHECK_NEAR(m.force[2], 300, 0);
}

static void what_is_not_json_is_refused(void **state) {
    (void)state;
    check_refused("", "a JSON object");
    check_refused("play", "a JSON object");
    check_refused("[]", "a JSON object");
    check_refused("{\"do\":\"play\"", "no end");
    check_refused("{\"do\":\"play\"}x", "follows the object");
    check_refused("{\"do\" \"play\"}", "colon");
    check_refused("{do:\"play\"}", "text in quotes");
    check_refused("{\"do\":\"play\",}", "text in quotes");
    check_refused("{\"do\":\"pl\nay\"}", "control character");
    check_refused("{\"do\":\"play\\q\"}", "escape");
    check_refused("{\"do\":\"speed\",\"value\":0x10}", "no end");
    check_refused("{\"do\":\"speed\",\"value\":.5}", "number");
    check_refused("{\"do\":\"speed\",\"value\":1.}", "number");
    check_refused("{\"do\":\"speed\",\"value\":nan}", "number");
    check_refused("{\"do\":\"speed\",\"value\":1e999}", "too large");
    check_refused("{\"do\":\"speed\",\"value\":{}}", "number");
}

static void what_means_nothing_is_refused(void **state) {
    (void)state;
    check_refused("{}", "do is missing");
    check_refused("{\"input\":1}", "do is missing");
    check_refused("{\"do\":\"fly\"}", "\"fly\" is not known");
    check_refused("{\"do\":3}", "do is a number");
    check_refused("{\"do\":\"play\",\"do\":\"pause\"}", "twice");
    check_refused("{\"do\":\"set\",\"input\":1,\"input\":2,\"value\":0}", "input is given twice");
    check_refused("{\"do\":\"set\",\"value\":1}", "needs input");
    check_refused("{\"do\":\"set\",\"input\":1}", "needs value");
    check_refused("{\"do\":\"play\",\"value\":1}", "does not take value");
    check_refused("{\"do\":\"play\",\"colour\":1}", "colour is not a key");
    check_refused("{\"do\":\"set\",\"input\":-1,\"value\":0}", "whole number");
    check_refused("{\"do\":\"set\",\"input\":1.5,\"value\":0}", "whole number");
    check_refused("{\"do\":\"set\",\"input\":1e30,\"value\":0}", "whole number");
    check_refused("{\"do\":\"set\",\"input\":1,\"value\":\"2\"}", "value is a text");
    check_refused("{\"do\":\"set\",\"input\":1,\"value\":null}", "value is null");
    check_refused("{\"do\":\"modes\",\"mode\":-1}", "whole number");
    check_refused("{\"do\":\"modes\",\"mode\":\"1\"}", "mode is a text");
    check_refused("{\"do\":\"modes\",\"value\":null}", "value is null");
    check_refused("{\"do\":\"modes\",\"input\":1}", "does not take input");
    check_refused("{\"do\":\"model\"}", "name, scheme or step");
    check_refused("{\"do\":\"grab\",\"rod\":1}", "rod and s, or body");
    check_refused("{\"do\":\"grab\",\"rod\":1,\"s\":0,\"body\":0}", "rod and s, or body");
    check_refused("{\"do\":\"pull\",\"force\":[1,2]}", "2 numbers");
    check_refused("{\"do\":\"pull\",\"force\":[1,2,3,4]}", "more than 3");
    check_refused("{\"do\":\"pull\",\"force\":[1,[2],3]}", "number");
}

static void what_is_too_long_is_refused(void **state) {
    (void)state;
    static char text[2 * MESSAGE_MOST];
    memset(text, ' ', sizeof text - 1);
    memcpy(text, "{\"do\":\"play\"}", 13);
    message m;
    char why[200];
    assert_true(message_parse(text, MESSAGE_MOST, &m, why, sizeof why));
    assert_false(message_parse(text, MESSAGE_MOST + 1, &m, why, sizeof why));
    assert_non_null(strstr(why, "longer than 4096"));
    memset(text, 'a', sizeof text - 1);
    memcpy(text, "{\"do\":\"", 7);
    assert_false(message_parse(text, 200, &m, why, sizeof why));
    assert_non_null(strstr(why, "longer than 63"));
}

// Every byte beyond the length is off limits: under ASan the copies end where their memory ends.
static bool parse_copy(const char *text, size_t n, message *m) {
    char *copy = malloc(n ? n : 1), why[200] = "";
    assert_non_null(copy);
    if (n) memcpy(copy, text, n);
    bool ok = message_parse(copy, n, m, why, sizeof why);
    assert_true(ok || why[0]);
    free(copy);
    return ok;
}

static void a_message_cut_short_anywhere_is_refused(void **state) {
    (void)state;
    static const char text[] =
        "{\"do\":\"model\",\"name\":\"e\\u0062a\",\"scheme\":\"bdf2\",\"step\":-1.5e-3}";
    message m;
    for (size_t n = 0; n < sizeof text - 1; n++) assert_false(parse_copy(text, n, &m));
    assert_true(parse_copy(text, sizeof text - 1, &m));
}

static const char *const seeds[] = {
    "{\"do\":\"set\",\"input\":1,\"value\":-2.5e-3}",
    "{\"do\":\"pull\",\"force\":[1,2,3]}",
    "{\"do\":\"model\",\"name\":\"eba\",\"scheme\":\"sdirk2\",\"step\":0.01}",
    "{\"do\":\"ghost\",\"name\":null}",
    "{\"do\":\"grab\",\"rod\":0,\"s\":0.1}",
};

static void random_messages_are_taken_whole_or_refused_with_words(void **state) {
    (void)state;
    enum { ROUNDS = 200000 };
    static const char letters[] = "0123456789eE+-.,:[]{}\" \\u";
    unsigned seed = 12345;
    int taken = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char text[128];
        size_t n = strlen(seeds[i % 5]);
        memcpy(text, seeds[i % 5], n);
        for (int k = 0; k < 1 + i % 4; k++) {
            seed = seed * 1664525u + 1013904223u;
            char any = (char)(seed >> 24), likely = letters[(seed >> 24) % (sizeof letters - 1)];
            text[(seed >> 8) % n] = i % 3 ? likely : any;
        }
        message m;
        if (!parse_copy(text, n, &m)) continue;
        taken++;
        assert_true(isfinite(m.value + m.step + m.s + m.force[0] + m.force[1] + m.force[2]));
        assert_true(m.input >= 0 && m.rod >= 0 && m.body >= 0);
        assert_non_null(memchr(m.name, '\0', sizeof m.name));
        assert_non_null(memchr(m.scheme, '\0', sizeof m.scheme));
    }
    assert_true(taken > ROUNDS / 50);  // a digit for a digit is still a message
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_is_understood),
        cmocka_unit_test(models_ghosts_and_pulls_are_understood),
        cmocka_unit_test(what_is_not_json_is_refused),
        cmocka_unit_test(what_means_nothing_is_refused),
        cmocka_unit_test(what_is_too_long_is_refused),
        cmocka_unit_test(a_message_cut_short_anywhere_is_refused),
        cmocka_unit_test(random_messages_are_taken_whole_or_refused_with_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
