// model/cosserat/step_slopes.h - the derivative of a step while it is taken: changes of all that has a rate,
// column by column, go through the same formulas as the fields themselves (solve/step_map.h).
#pragma once

#include "model/cosserat/slopes.h"

// One implicit formula over a step, or over a part of it.
typedef struct substep {
    time_formula formula;
    double dt;
    const double *inputs;                    // of loads and efforts
    const double *base_inputs, *base_rates;  // of what moves
    double asked;                            // the step that the caller asked for
    bool jumped;                             // the loads have just been given their values
    bool last;                               // of the step
    double
        at;  // of the step, where `inputs` and `base_inputs` are where they are not those of its end
} substep;

typedef struct step_columns {
    step_slopes *out;
    int m, n_u, n_c;  // columns; inputs; coordinates of all assemblies
    int n_a;          // inputs that are asked for
    int *asked;       // (n_a) which
    int *among;       // (n_u) and where each is among them; -1: it is not
    int n_fields;     // of all assemblies, one after the other
    int levels;       // of Y that are known
    bool rated;       // all of `rate` is known
    bool incomplete;  // a formula has asked for more
    double dt;
    const model_call *call;
    double *Y[3], *rate;  // (n_fields x m) changes of fields and of their rate, as in memory
    double *H, *next;     // (n_fields x m) of histories; of the fields in progress
    double *R, *X;        // (n_change x m) of the largest assembly
    double *unit, *J;     // (n_change x n_change) of it
    double *by_unknown;   // (n_fields x n_change)
    double *by_input;     // (n_change + n_fields) x 6: one input; and scratch of outputs
    double *inputs[3];    // (n_inputs each) loads, places, rates nearby
    double *sides;        // 4 x (n_change + n_fields)
    double *scale;        // (2 n_change)
    int *pivot;           // (n_change)
    double *bounds;       // (rod_bound x SOLVE_COLUMNS) of what inputs alone do
    double *scratch;      // of directions
    double *stretch;      // (n_rods x m) of what sections are made for, since the step began
    // (n_grips x m) of grip less material beyond over presliding, which tendons that rub remember; and of their state
    int n_grips;
    double *grips, *state_grips;
    double *passed[2];  // (n_points of the largest rod x m) scratch
    // of what contact remembers, and of the shape in progress: (n_kept x m), (6 n_points x m)
    int n_kept, n_points;
    double *kept, *kept_next, *poses, *poses_next;
    // of sections that relax, strains h of the springs of their terms: (n_flows x m), see flow_columns.c
    int n_flows;
    double *flows;
    double *loads;    // (6 points of the largest assembly x m) and poses that X makes
    double *pose_by;  // (6 points of it x n_change)
    double *one;      // (7 m) scratch of a contact
    double *center;   // (7 points) poses about which inputs are changed
    // of motors and valves, the last coordinates (drive_columns.h): (n_numbers x m) now and at the last two levels
    int n_numbers;
    double *q[3], *q_t[3], *q_tt;
    double *q_star, *v_star, *q_next, *v_next;  // of the stage in progress
    int *own_numbers;                           // what else formulas remember of them
} step_columns;

// td_model.step_slopes
td_status cosserat_step_slopes(const void *compiled, void *memory, const model_call *call,
                               double dt, bool fresh, step_slopes *out);
// The shapes in progress have been found with this formula, and are about to be accepted.
void slopes_take(const cosserat *c, cosserat_memory *m, const substep *sub);
// As join_parts.
void slopes_join(cosserat_memory *m);
