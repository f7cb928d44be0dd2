// study/experiment_run.h - one recording that is computed: shared by experiment.c and experiment_slopes.c.
#pragma once

#include "math/vec3.h"
#include "study/experiment.h"

typedef struct run {
    const experiment *e;
    const td_recording *of;
    const double *x;
    td_robot *robot;
    td_system *system;
    td_state *state;
    experiment_output *outputs;  // (n_outputs)
    int *inputs;                 // (n_inputs)
    double *steps;               // of a motion: (n_steps + 1 x n_outputs)
    int n_steps;
    td_error *err;
} run;

td_status run_build(run *r);  // robot, system, state, outputs; run_take_down may follow either way
void run_take_down(run *r);
td_status run_rest(run *r, int row);  // the equilibrium of a row, after those before it
td_pose run_pose(const run *r, const td_output *at);
vec3 run_offset(const run *r, const td_fit_marker *m);  // in the axes of what it is fixed to
