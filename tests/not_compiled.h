// tests/not_compiled.h - robots with a mistake, told where their files are read or where they are compiled.
#pragma once

#include <string.h>

#include "tendril/tendril.h"

#include "check.h"

// With the setting `set` (NULL: none), the text is refused at a place that holds `where`, in words that hold `words`.
static inline void check_not_compiled_with(const char *text, const char *set, const char *where,
                                           const char *words) {
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), "arm.yaml", &set, set ? 1 : 0, &err);
    const td_options options = td_robot_options(robot);
    td_system *system = robot ? td_system_create(robot, &options, &err) : NULL;
    if (system) fail_msg("accepted, for '%s', '%s':\n%s", where, words, text);
    if (!strstr(err.where, where) || !strstr(err.message, words)) {
        fprintf(stderr, "'%s: %s' has not '%s', '%s'\n", err.where, err.message, where, words);
        fail();
    }
    td_robot_destroy(robot);
}

static inline void check_not_compiled(const char *text, const char *where, const char *words) {
    check_not_compiled_with(text, NULL, where, words);
}

// Under a model, wherever it is said.
static inline void check_not_compiled_by(const char *model, const char *text, const char *words) {
    char set[64];
    snprintf(set, sizeof set, "simulation.model=%s", model);
    check_not_compiled_with(text, set, "", words);
}

// A robot that was made in code; it is destroyed.
static inline void check_refused(td_robot *robot, const td_options *o, const char *where,
                                 const char *text) {
    td_error err = {0};
    td_system *system = td_system_create(robot, o, &err);
    if (system || strcmp(err.where, where) != 0 || !strstr(err.message, text)) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
        fail();
    }
    td_robot_destroy(robot);
}
