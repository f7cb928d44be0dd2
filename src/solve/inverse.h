// solve/inverse.h - inverse statics: see inverse.c.
#pragma once

#include "solve/mechanics.h"

typedef struct input_range {  // an input that may move, and how far
    int input;
    double low, high;
    bool told;  // by limits of the robot: where it ends, what is nearest is an answer
} input_range;

typedef struct inverse_task {
    int part;  // of the model, that the point belongs to
    const td_target *target;
    double length;              // m, that counts like a radian
    const input_range *chosen;  // (n)
    int n;
    double *values;  // (n_inputs) where the inputs begin, then the answer; those of the call
} inverse_task;

typedef struct kept_inverse {  // all doubles: kept
    double part, factors;      // whose columns there are: see linear_ops.factored
    double calls;              // with these factors,
    double best, excess;       // iterations of the first, and how many more since
} kept_inverse;

typedef struct inverse_memory {
    kept_inverse *kept;
    double
        *columns;   // (n_inputs x n) how the shape answers to each input; kept where that is little
    double *known;  // (n_inputs) 1: that column is there
    double *moves;  // (n_inputs x 6) how the point answers
    double *start, *before, *change, *frozen;  // (n_inputs each)
    input_range *chosen;                       // (n_inputs)
    bool forgets;                              // columns are scratch: they may be of another past
} inverse_memory;

// For parts of at most n rows; keeps: their factors serve from call to call.
void inverse_layout(int n_inputs, int n, bool keeps, arena *keep, arena *work, inverse_memory *out);
// The shape of the answer in m->t*; gap (6): what is missing there, rad and m. TD_ERR_NOT_CONVERGED may mean that the
// kept shape is no equilibrium.
td_status solve_inverse(const solve_part *p, const model_call *call, const inverse_task *task,
                        inverse_memory *m, double gap[6]);
// What is missing in the kept shape.
void inverse_gap(const solve_part *p, const model_call *call, const inverse_task *task,
                 double gap[6]);
// Its norm, with lengths as in the task.
double inverse_distance(const inverse_task *task, const double gap[6]);
