// tests/studies.h - studies from the text of a file.
#pragma once

#include <string.h>
#include <tendril/study.h>

#include "check.h"

static inline td_study *study_of(const char *text) {
    td_error err = {0};
    td_study *s = td_study_parse(text, strlen(text), NULL, NULL, 0, &err);
    if (!s) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(s);
    return s;
}
