// tests/refusals.h - robot files that must be refused, with the place and the words of the refusal.
#pragma once

#include <string.h>

#include "tendril/robot.h"

#include "check.h"

typedef struct bad {
    const char *text;
    int line, column;
    const char *path;  // "" where the refusal is about the text as a whole
    const char *says[3];
} bad;

static inline void check_refusal(const bad *b, const char *file, const td_robot *robot,
                                 const td_error *err) {
    char where[256];
    snprintf(where, sizeof where, "%s:%d:%d%s%s", file, b->line, b->column, *b->path ? ": " : "",
             b->path);
    if (robot) fail_msg("accepted:\n%s", b->text);
    if (err->line != b->line || err->column != b->column || strcmp(err->where, where) != 0)
        fail_msg("for:\n%s\nwhere is '%s' [%d:%d] rather than '%s': %s", b->text, err->where,
                 err->line, err->column, where, err->message);
    for (int i = 0; i < 3 && b->says[i]; i++)
        if (!strstr(err->message, b->says[i]))
            fail_msg("for:\n%s\n'%s' does not say '%s'", b->text, err->message, b->says[i]);
    assert_true(err->status < 0);
}

static inline void check_all(const bad *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        td_error err;
        td_robot *robot =
            td_robot_parse(cases[i].text, strlen(cases[i].text), "bad.yaml", NULL, 0, &err);
        check_refusal(&cases[i], "bad.yaml", robot, &err);
    }
}
#define CHECK_ALL(cases) check_all((cases), sizeof(cases) / sizeof *(cases))

#define M "material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1e3}"
#define S "section: {radius: 1 cm}"
#define ROD "- {name: a, length: 1, " M ", " S "}\n"
#define GOOD "tendril: 1\nrods:\n" ROD  // three lines
