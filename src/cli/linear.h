// cli/linear.h - a robot file linearised about its equilibrium, as modes, response and linearise need it.
#pragma once

#include "cli/session.h"

typedef struct linear {
    session s;
    td_status status;  // of the equilibrium
    char message[512];
    td_named_output *named;  // (n_named)
    int n_named;
    td_linearisation *l;
    const td_linear *of;
} linear;

// Each returns an exit code, after printing what went wrong. linear_close may follow any of them.
int linear_open(linear *x, const args *a);  // the equilibrium at --time
// "tip.pose,tendon.east.tension", given by this option.
int linear_name_outputs(linear *x, const char *option_name, const char *list);
// About it. outputs NULL: those that were named.
int linear_about(linear *x, const td_output *outputs, int n_outputs);
void linear_close(linear *x);

// The rows of the outputs that the names mean, one after the other: how many, and the i-th among all rows of
// the linearisation.
int linear_n_rows(const linear *x);
int linear_row(const linear *x, int i, const char **name, const char **unit);

// What is held as it is, and what the model approximates: on stderr; at the beginning of an object on stdout.
void linear_print_notes(const linear *x);
json linear_begin_json(const linear *x);

// The options that go with it.
#define LINEAR_OPTIONS                                                                             \
    SESSION_OPTIONS, {                                                                             \
        "time", "T", "use the inputs at this time; default: as a run starts", false                \
    }
