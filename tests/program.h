// tests/program.h - running `tendril paper` from a test and reading what it says.
#pragma once

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

// Runs the program; its output goes to `text`. Returns its exit code.
static inline int run_program(const char *arguments, char *text, size_t size) {
    char command[1024];
    snprintf(command, sizeof command, "%s paper %s 2>&1", TEST_PROGRAM, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t n = fread(text, 1, size - 1, pipe);
    text[n] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static inline void check_said(const char *text, const char *words) {
    if (strstr(text, words)) return;
    print_error("'%s' is not in:\n%s\n", words, text);
    fail();
}
