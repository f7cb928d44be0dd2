// sim/linearise.h - what a td_linearisation is.
#pragma once

#include "sim/solver.h"
#include "solve/linear.h"
#include "solve/modes.h"
#include "solve/step_map.h"

struct td_linearisation {
    const td_system *system;
    td_output *outputs;  // (n_named)
    int n_named, n_parts;
    linear_point *parts;  // (n_parts)
    int **place;          // (n_parts) of each of its coordinates and multipliers in z
    linear_matrices of;   // the last one
    bool known, rests;    // there is one; of an equilibrium
    td_linear told;
    char note[160];
    double *r, *column;   // (n), (widest) scratch
    double *solve, *rhs;  // (n x n), (n) scratch: accelerations
    double *singular;     // (n)
    double *E, *U, *V;    // (multipliers squared each) scratch
    double *work;         // of LAPACK
    td_pose *poses;       // (n_named) of the state itself
    modes modes;
    step_map steps;
    td_step_map told_steps;
    void *block;
};
