// io/table.h - a table of measurements: CSV with a header, as instruments and spreadsheets write it.
#pragma once

#include <stdbool.h>

#include "tendril/status.h"

typedef struct table {
    int n_rows, n_columns;
    char **names;  // (n_columns) of the header, without the unit
    char **units;  // (n_columns) "mm" of "x [mm]"; "": none
    char **cells;  // (n_rows x n_columns) "": nothing there
    int *lines;    // (n_rows) of the file, 1-based
    void *memory, *text;
} table;

// Separated by commas, semicolons or tabs, whichever the header has; # begins a comment. False: err is filled.
bool table_read(table *t, const char *path, td_error *err);
void table_free(table *t);
// By its name, or by its number from 1 where none has that name; -1: none.
int table_column(const table *t, const char *name);
// A cell as a number; NAN where there is nothing, or "nan". False: it is something else, and err is filled.
bool table_number(const table *t, const char *path, int row, int column, double *value,
                  td_error *err);
