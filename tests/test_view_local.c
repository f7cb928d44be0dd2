// A live robot for a page in the same process: the words of the protocol without sockets, and a run as a
// table.
#include "tendril/tendril.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/frame.h"
#include "view/local.h"
#include "view_frames.h"

#define BENDING (1e9 * 3.14159265358979323846 / 4 * 16e-12)  // N m^2
static const char rod[] =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - name: rod\n"
    "    length: 0.4\n"
    "    material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}\n"
    "    section: {radius: 2 mm}\n"
    "loads: [{name: push, at: tip, force: [1 mN, 0, 0]}]\n"
    "simulation: {time: {step: 10 ms, end: 95 ms}}\n";

static void write_text(char *path, const char *text) {
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static bool says(local *l, const char *words) {
    bool found = false;
    for (char *text = local_text(l); text; text = local_text(l)) {
        found = found || strstr(text, words);
        free(text);
    }
    return found;
}

static void a_page_is_greeted_and_shown_the_equilibrium(void **state) {
    (void)state;
    char path[] = "/tmp/tendril_test_view_local_XXXXXX";
    td_error err = {0};
    size_t bytes;
    write_text(path, rod);
    local *l = local_open(path, &err);
    assert_non_null(l);
    char *hello = local_text(l);
    assert_non_null(hello);
    assert_non_null(strstr(hello, "\"type\": \"hello\""));
    assert_non_null(strstr(hello, "\"driving\": true"));
    free(hello);
    const uint8_t *frame = local_frame(l, &bytes);
    assert_non_null(frame);
    seen_frame f = frame_open(frame, bytes);
    const int points = (int)((bytes - FRAME_HEAD) / 4);
    assert_true(points > 7);
    assert_null(local_frame(l, &bytes));  // seen
    CHECK_NEAR(f.time, 0, 0);
    // the tip, 41 points along: F L^3 / 3 EI
    CHECK_NEAR(frame_f32(&f, 7 * 40), 1e-3 * 0.064 / (3 * BENDING), 2e-5);
    local_close(l);
    unlink(path);
}

static void time_passes_with_the_rounds_and_words_are_taken(void **state) {
    (void)state;
    char path[] = "/tmp/tendril_test_view_local_XXXXXX";
    td_error err = {0};
    size_t bytes;
    write_text(path, rod);
    local *l = local_open(path, &err);
    assert_non_null(l);
    double now = 0;
    while (now < 0.5) now = local_tick(l, now);
    seen_frame f = frame_open(local_frame(l, &bytes), bytes);
    CHECK_BETWEEN(f.time, 0.45, 0.52);
    assert_true(says(l, "\"type\": \"status\""));
    static const char pause[] = "{\"do\":\"pause\"}", bad[] = "{\"do\":\"dance\"}";
    local_ask(l, pause, strlen(pause));
    local_tick(l, now);
    assert_true(says(l, "\"playing\": false"));
    local_ask(l, bad, strlen(bad));
    assert_true(says(l, "dance"));
    local_ask(l, bad, MESSAGE_MOST + 1);
    assert_true(says(l, "4096 bytes"));
    local_close(l);
    unlink(path);
}

static void what_is_no_robot_is_refused_in_the_words_of_the_reader(void **state) {
    (void)state;
    char path[] = "/tmp/tendril_test_view_local_XXXXXX";
    td_error err = {0};
    write_text(path, "tendril: 1\nrods: [{lenght: 1}]\n");
    assert_null(local_open(path, &err));
    assert_non_null(strstr(err.message, "length"));
    err = (td_error){0};
    assert_null(local_table(path, &err));
    assert_non_null(strstr(err.message, "length"));
    unlink(path);
}

// The table is that of a run: the same steps, the last one shorter, and the same numbers to the bit.
static void a_table_holds_the_run_of_the_file(void **state) {
    (void)state;
    char path[] = "/tmp/tendril_test_view_local_XXXXXX";
    td_error err = {0};
    write_text(path, rod);
    char *table = local_table(path, &err);
    assert_non_null(table);
    assert_int_equal(err.status, TD_OK);
    assert_non_null(strstr(table, "rods/rod/position.1 [m]"));
    td_robot *robot = td_robot_load(path, NULL, 0, &err);
    td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    td_state *run = td_state_create(system);
    assert_int_equal(td_begin(system, run), TD_OK);
    for (int k = 0; k < 10; k++)
        assert_true(td_advance(system, run, k < 9 ? 0.01 : 0.095 - 0.09) >= 0);
    const td_pose tip = td_get_pose(system, run, 0, 0.4);
    int lines = 0;
    for (const char *c = table; *c; c++) lines += *c == '\n';
    assert_int_equal(lines, 12);
    const char *last = table + strlen(table) - 2;
    while (last[-1] != '\n') last--;
    CHECK_NEAR(strtod(last, NULL), 0.095, 1e-15);
    bool found = false;
    for (const char *c = last; c && !found; c = strchr(c + 1, ','))
        found = strtod(c + (*c == ','), NULL) == tip.p[2];
    assert_true(found);
    td_state_destroy(run);
    td_system_destroy(system);
    td_robot_destroy(robot);
    free(table);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_greeted_and_shown_the_equilibrium),
        cmocka_unit_test(time_passes_with_the_rounds_and_words_are_taken),
        cmocka_unit_test(what_is_no_robot_is_refused_in_the_words_of_the_reader),
        cmocka_unit_test(a_table_holds_the_run_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
