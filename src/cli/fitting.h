// cli/fitting.h - what `tendril fit` computed, for its report and its picture.
#pragma once

#include "cli/fit_data.h"

typedef struct fitting {
    session s;
    fit_map *map;  // (n_map)
    int n_map;
    fit_data *data;            // (n_data)
    td_recording *recordings;  // (n_data)
    int n_data;
    td_fit_parameter *parameters;  // (n_parameters)
    char (*paths)[256];            // theirs
    int n_parameters;
    td_fit_marker *markers;     // (n_markers)
    char (*marker_texts)[256];  // their names, then where they are
    int n_markers;
    td_fit *fit;
    double seconds;
} fitting;

void fitting_print(const fitting *f);
void fitting_print_json(const fitting *f);
// Measured against computed. Returns an exit code, after printing what went wrong.
int fitting_draw(const fitting *f, const char *path);
