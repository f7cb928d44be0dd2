// io/matrices.h - named matrices with names and units of their rows and columns, for other programs.
#pragma once

#include <stdbool.h>

#include "io/json.h"
#include "tendril/status.h"

typedef struct matrix_table {
    const char *name, *about;  // "K", "stiffness"
    int rows, columns;
    const double *values;  // row major
} matrix_table;

typedef struct label_list {  // what rows or columns are
    const char *name;        // "outputs"
    int n;
    const char *const *names, *const *units;  // (n) each
} label_list;

typedef struct matrices {
    const char *program, *robot, *model, *about;
    const matrix_table *tables;
    int n_tables;
    const label_list *labels;
    int n_labels;
    int n_coordinates;  // what follows them in z are multipliers
    bool
        plain;  // no multipliers, no rates of inputs, and rates of all numbers: there is an A, B, C, D
} matrices;

void matrices_put(const matrices *m, json *j);  // members of the object at hand
// Each writes beside an older file first, which stays until the new one is whole. Only files of this
// kind are replaced.
td_status matrices_write_h5(const matrices *m, const char *path, td_error *err);
td_status matrices_write_octave(const matrices *m, const char *path, td_error *err);
