// solve/drive_slopes.h - motors and valves of a part in linear models and derivatives of steps.
//
// With what they have supplied held where it is, y, the equations of the shape and the efforts T answer to z, z' and y; the
// equations of an engine (actuation/engine.h) to its own numbers q and to T:
//
//     r_z z + r_z' z' + r_z'' z'' + S q = 0
//     M q'' + D q' + K q + t (T_z z + T_z' z' + T_q q + T_u du) = b du
//
// Nothing of it sees the kinks of friction, gear and limits, which are in the equations of the engine alone.
#pragma once

#include "solve/engines.h"
#include "solve/linear.h"

#define N_BY_INPUT 4  // BY_U, BY_PLACE, BY_U_T, BY_U_TT

typedef struct drive_slopes {
    int n, n_numbers;               // engines of this part, and their coordinates
    int n_r, n_u;                   // rows of r, inputs
    const actuator **of;            // (n)
    int *first;                     // (n) first coordinate of each, among these
    linear_supplies all;            // of the robot
    engine_point *points;           // (n)
    engine_rows *rows;              // (n)
    double *S;                      // (n_r x n) r by coordinate 0 of each
    double *by_z, *by_rate;         // (n x n_r) efforts
    double *by_supply;              // (n x n) by these coordinates 0
    double *by_input[N_BY_INPUT];   // (n x n_u)
    double *sides, *here, *column;  // (n_r + n each)
    linear_point *x;                // while they are found
} drive_slopes;

// parts: (n_actuators) the part that each acts on.
void drive_slopes_layout(const actuator *actuators, int n_actuators, const int *parts, int part,
                         const solve_part *p, int n_u, arena *a, drive_slopes *out);
// Engine i of the part stands at this point from now on.
void drive_slopes_put(drive_slopes *d, int i, const engine_point *at);
// All engines of the robot where a state keeps them, at rest or in motion.
void drive_slopes_load(drive_slopes *d, const engines *kept, const double *inputs);
// All of it at the point x; moves: (n_inputs) does the input move a base?
void drive_slopes_find(drive_slopes *d, linear_point *x, const bool *moves, bool quick);
// The efforts at x, into the points, and the rows there.
void drive_slopes_rows(drive_slopes *d, linear_point *x);
// Currents and fluids have the rates that their equations leave them.
void drive_slopes_settle_rates(drive_slopes *d);
// K of row j of engine i by number l of engine k, effort included, and its right side by an input.
double drive_slopes_stiffness(const drive_slopes *d, int i, int j, int k, int l);
double drive_slopes_by_input(const drive_slopes *d, int i, int j, linear_by by, int input);
