// tests/not_compiled.h - robot files with a mistake that is told where they are read, or where they are compiled.
#pragma once

#include <string.h>

#include "tendril/tendril.h"

#include "check.h"

// A file that is refused where it is read or where it is compiled, at a place that holds `where`.
static inline void check_not_compiled(const char *text, const char *where, const char *word) {
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), "arm.yaml", NULL, 0, &err);
    const td_options options = td_robot_options(robot);
    td_system *system = robot ? td_system_create(robot, &options, &err) : NULL;
    assert_null(system);
    if (!strstr(err.message, word)) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(strstr(err.message, word));
    assert_non_null(strstr(err.where, where));
    td_robot_destroy(robot);
}
