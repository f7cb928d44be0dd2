// cli/estimating.h - what `tendril estimate` computed, for its tables and its picture.
#pragma once

#include "cli/fit_data.h"
#include "tendril/estimate.h"

typedef struct channel {  // of a sensor that is used
    char name[192];
    const char *unit;
    int sensor, index;
    int column;  // of the data; -1: none
} channel;

typedef struct estimating {
    session s;
    td_estimator *e;
    fit_map *map;
    int n_map;
    fit_data data;  // n_rows 0: the file is simulated
    channel *channels;
    int *
        taken;  // (sensors) of the data: the first row whose reading was not taken yet, where readings come late; of a run: readings that were in a row
    int n_channels, n_numbers;
    // Rows of time, then of each number what it is, its deviation and the truth (NAN: not known), then of each channel what was
    // measured (NAN), what is estimated and its deviation.
    double *rows;
    int n_rows, room;
    bool moves;
} estimating;

static inline int estimating_width(const estimating *g) {
    return 1 + 3 * (g->n_numbers + g->n_channels);
}

// Estimates with bands of two deviations over what was measured and what is true. Returns an exit code.
int estimating_draw(const estimating *g, const char *path);
