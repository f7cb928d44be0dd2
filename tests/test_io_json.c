// JSON: the text is checked against the grammar of RFC 8259, written out here by hand.
#include "tendril/tendril.h"

#include "check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"

static char *written;
static size_t written_size;

static json begin(FILE **file) {
    *file = open_memstream(&written, &written_size);
    assert_non_null(*file);
    return json_start(*file);
}

static void expect(FILE *file, const char *text) {
    fclose(file);
    assert_string_equal(written, text);
    free(written);
}

static void strings_escape_what_the_grammar_forbids(void **state) {
    (void)state;
    FILE *file;
    json j = begin(&file);
    json_string(&j, "a\"b\\c\n\t\r\x01\x7f/\xc3\xa9");
    expect(file, "\"a\\\"b\\\\c\\n\\t\\r\\u0001\\u007f/\xc3\xa9\"");
}

static void bytes_that_are_not_utf8_become_the_replacement_character(void **state) {
    (void)state;
    static const char *const bad[] = {
        "\xff",              // never a lead byte
        "\xc3",              // cut short
        "\xc0\xaf",          // overlong slash
        "\xed\xa0\x80",      // a surrogate
        "\xf4\x90\x80\x80",  // above U+10FFFF
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        FILE *file;
        json j = begin(&file);
        json_string(&j, bad[i]);
        fclose(file);
        assert_non_null(strstr(written, "\\ufffd"));
        for (const char *c = written; *c; c++) assert_true((unsigned char)*c < 0x80);
        free(written);
    }
}

static void well_formed_utf8_passes(void **state) {
    (void)state;
    FILE *file;
    json j = begin(&file);
    json_string(&j, "\xc2\xb5 \xe2\x82\xac \xf0\x9f\x90\x8d");
    expect(file, "\"\xc2\xb5 \xe2\x82\xac \xf0\x9f\x90\x8d\"");
}

static void numbers_read_back_to_the_same_bits(void **state) {
    (void)state;
    static const double values[] = {0.1,  1.0 / 3.0,    1e-300, DBL_MAX, DBL_MIN,   5e-324,  -0.0,
                                    1e22, 123456789012, 2.5,    -1e-17,  0.2 + 0.1, 1e15 + 1};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char text[40];
        format_exact(text, sizeof text, values[i]);
        double back = strtod(text, NULL);
        assert_memory_equal(&back, &values[i], sizeof back);
    }
}

static void short_numbers_stay_short(void **state) {
    (void)state;
    char text[40];
    format_exact(text, sizeof text, 0.1);
    assert_string_equal(text, "0.1");
    format_exact(text, sizeof text, 9.81);
    assert_string_equal(text, "9.81");
}

static void what_json_cannot_say_is_null(void **state) {
    (void)state;
    FILE *file;
    json j = begin(&file);
    json_numbers(&j, (double[]){(double)NAN, HUGE_VAL, -HUGE_VAL, 1}, 4);
    expect(file, "[null, null, null, 1]\n");
    j = begin(&file);
    json_string(&j, NULL);
    expect(file, "null");
}

static void nesting_places_commas_and_brackets(void **state) {
    (void)state;
    FILE *file;
    json j = begin(&file);
    json_begin_object(&j);
    json_put_bool(&j, "yes", true);
    json_key(&j, "empty");
    json_begin_object(&j);
    json_end_object(&j);
    json_key(&j, "list");
    json_begin_array(&j);
    json_integer(&j, -3);
    json_begin_array(&j);
    json_end_array(&j);
    json_numbers(&j, NULL, 0);
    json_end_array(&j);
    json_put_string(&j, "s", "t");
    json_end_object(&j);
    expect(file,
           "{\n  \"yes\": true,\n  \"empty\": {},\n  \"list\": [\n    -3,\n    [],\n    []\n  ],\n"
           "  \"s\": \"t\"\n}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_escape_what_the_grammar_forbids),
        cmocka_unit_test(bytes_that_are_not_utf8_become_the_replacement_character),
        cmocka_unit_test(well_formed_utf8_passes),
        cmocka_unit_test(numbers_read_back_to_the_same_bits),
        cmocka_unit_test(short_numbers_stay_short),
        cmocka_unit_test(what_json_cannot_say_is_null),
        cmocka_unit_test(nesting_places_commas_and_brackets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
