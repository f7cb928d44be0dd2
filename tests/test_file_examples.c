// Every robot file under examples/ is accepted, explains itself, and its source gives it again.
#include <dirent.h>
#include <string.h>

#include "tendril/robot.h"

#include "check.h"

static bool is_robot_file(const char *name) {
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".yaml") == 0;
}

static void check_comment(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    int first = fgetc(file);
    fclose(file);
    if (first != '#') fail_msg("%s has no comment that says what it shows", path);
}

static void check_example(const char *name) {
    char path[1024];
    td_error err;
    snprintf(path, sizeof path, "%s/%s", EXAMPLES, name);
    check_comment(path);
    td_robot *robot = td_robot_load(path, NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    const char *source = td_robot_source(robot);
    td_robot *again = td_robot_parse(source, strlen(source), NULL, NULL, 0, &err);
    if (!again) fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(td_robot_n_rods(robot), td_robot_n_rods(again));
    assert_int_equal(td_robot_n_bodies(robot), td_robot_n_bodies(again));
    assert_int_equal(td_robot_n_tendons(robot), td_robot_n_tendons(again));
    assert_int_equal(td_robot_n_chambers(robot), td_robot_n_chambers(again));
    td_robot_destroy(again);
    td_robot_destroy(robot);
}

static void every_example_loads(void **state) {
    (void)state;
    DIR *directory = opendir(EXAMPLES);
    assert_non_null(directory);
    int n = 0;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (!is_robot_file(entry->d_name)) continue;
        check_example(entry->d_name);
        n++;
    }
    closedir(directory);
    assert_true(n >= 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_example_loads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
