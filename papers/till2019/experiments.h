// papers/till2019/experiments.h - the two experiments of section 4, simulated.
#pragma once

#include "cli/paper.h"
#include <stdio.h>

#include "rods.h"

enum { COSSERAT_EULER, COSSERAT_RK4, KIRCHHOFF_EULER, KIRCHHOFF_RK4, N_COLUMNS };

typedef struct column {  // of Table 5
    const char *name;
    td_theory theory;
    td_integrator integrator;
    int nodes;
    double bending;  // EI, N m^2
    double density;  // kg/m^3
    double drag;     // C, kg/m^2; printed in g/m^2
} column;

extern const column table5[N_COLUMNS];

// Section 4: alpha = -0.4; the rest as in section 3.
method column_method(const column *c);

typedef struct tip_path {
    double dt;       // s
    double *x;       // m, up, (n + 1) from t = 0 on
    long n;          // steps taken
    double seconds;  // of computing
    long fallbacks;  // steps at which the solver alone was not enough
    bool completed;
    char message[512];  // why not completed
} tip_path;

// False: out of memory, or no start; message says why. tip_path_free may follow in any case.
bool tip_path_run(tip_path *p, const cantilever *c, const method *m, double dt, double horizon);
// The same by collocation with many nodes, in steps of dt/parts, of which each parts-th is kept.
bool tip_path_run_finely(tip_path *p, const cantilever *c, double dt, int parts, double horizon);
void tip_path_free(tip_path *p);
// The error measure of Figure 9 between two paths of equal steps, % of the length.
typedef struct path_error {
    double mean, largest;
} path_error;
path_error path_difference(const tip_path *a, const tip_path *b, double length);

// Where x has its extremes: parabolas through the highest (sign = 1) or lowest (-1) samples.
typedef struct extreme {
    double t, x;
} extreme;
int find_extremes(const tip_path *p, int sign, extreme *out, int most);

// The tips of all columns of Table 5 over time, as CSV.
void write_tip_paths(paper_report *r, const char *file, const tip_path p[N_COLUMNS]);
// Two panels: the height of the tip under both theories, and the difference between them.
void draw_tip_paths(FILE *script, const tip_path *cosserat, const tip_path *kirchhoff);
