// tests/program.h - running `tendril paper` from a test and reading what it says.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

// What folder/quantities.csv has as ours in the row that names the quantity: a number or a word.
// The test fails when there is no such row.
static inline void reported_cell(const char *folder, const char *quantity, char *cell,
                                 size_t size) {
    char path[256], line[1024];
    snprintf(path, sizeof path, "%s/quantities.csv", folder);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    bool found = false;
    while (!found && fgets(line, sizeof line, in)) {
        const char *at = strstr(line, quantity);
        found = at && at[-1] == '"' && at[strlen(quantity)] == '"';
        if (!found) continue;
        at = strchr(strstr(at + strlen(quantity), ",\"") + 2, '"') + 2;  // past the unit
        at = strchr(at, ',') + 1;                                        // and the print
        snprintf(cell, size, "%.*s", (int)strcspn(at, ","), at);
    }
    fclose(in);
    if (!found) print_error("'%s' is not in %s\n", quantity, path);
    assert_true(found);
}

static inline double reported(const char *folder, const char *quantity) {
    char cell[64];
    reported_cell(folder, quantity, cell, sizeof cell);
    char *end;
    double value = strtod(cell, &end);
    return end != cell && *end == '\0' ? value : (double)NAN;
}

static inline void check_reported(const char *folder, const char *quantity, const char *word) {
    char cell[64];
    reported_cell(folder, quantity, cell, sizeof cell);
    if (strcmp(cell, word) != 0) print_error("%s: '%s', not '%s'\n", quantity, cell, word);
    assert_string_equal(cell, word);
}
