// cli/fit_data.h - recordings for `tendril fit`, out of tables.
#pragma once

#include "cli/session.h"
#include "io/table.h"
#include "tendril/fit.h"

// Which column is what: "x=tip.x:mm".
typedef struct fit_map {
    char column[96], target[160], unit[48];  // unit "": that of the header, or SI
} fit_map;

typedef struct fit_data {  // one table
    const char *path;
    table t;
    td_recording r;
    const char **names;                        // inputs, then outputs
    double *times, *given, *measured, *noise;  // what r points at
    double *factors;                           // of outputs: a unit of the table in SI
    const char **units;                        // of outputs, as in the table; "": SI
} fit_data;

// "t=time, x=tip.x:mm, F=input.pull:N" of --map; *map is allocated, and freed by the caller. False: it was printed why.
bool fit_map_parse(const char *text, fit_map **map, int *n);
// Reads a table by the map; a NULL: outputs are channels of sensors, "camera.x"; n 0: columns have the names of outputs, markers and inputs.
bool fit_data_read(fit_data *d, const char *path, const fit_map *map, int n, const session *s,
                   const args *a);
void fit_data_free(fit_data *d);
