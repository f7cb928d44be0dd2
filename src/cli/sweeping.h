// cli/sweeping.h - what `tendril sweep` found, for those who tell and draw it.
#pragma once

#include "cli/args.h"
#include "cli/dealing.h"

typedef struct sweeping {
    const args *args;
    const char *file;
    td_study *study;
    char folder[512], table_path[560];
    sweep_table table;
    journal journal;
    dealing d;
    bool finished;  // before it began
} sweeping;

// One column of the table, parameters first, then results.
int sweeping_n_columns(const sweeping *s);
td_study_column sweeping_column(const sweeping *s, int column);
double sweeping_value(const sweeping *s, long long row, int column);  // NaN: the case failed
int sweeping_find(const sweeping *s, const char *name);               // -1: none
long long sweeping_n_failed(const sweeping *s);

void sweeping_print(const sweeping *s);       // sweep_report.c
void sweeping_print_json(const sweeping *s);  //
// Histograms, maps and indices. Returns an exit code, after printing what went wrong.
int sweeping_draw(const sweeping *s, const char *path);  // sweep_figure.c
// A study made of options, as the text of a file (malloc). NULL: told.
char *study_of_options(const args *a);  // sweep_options.c
