// solve/step_map.h - one step of an implicit formula, of a linear system. With
//
//     z' = c0 z + h,   z'' = c0 z' + g,   h = sum_i c_i z_i + d z'_1,   g = sum_i c_i z'_i + d z''_1
//
// of past states i the equations are (K + c0 D + c0^2 M) z = B u - (c0 M + D) h - M g. What a formula
// remembers is its state: z and z' of each level, and z'' of the last where d is not 0. At an equilibrium
// this is the derivative of a step of the robot itself, whatever its coordinates.
#pragma once

#include "solve/modes.h"

typedef struct step_stage {
    double c0, c[3], d;  // of levels 0, 1, 2; a stage becomes level 0, and the others move on
    double at;           // of the step, where inputs are taken
} step_stage;
typedef struct step_scheme {
    int n_stages, n_levels;  // that a step begins with
    bool rate;               // and z''
    step_stage stages[2];    // of one c0
} step_scheme;

step_scheme step_scheme_sdirk2(double dt);

typedef struct step_map {
    int n_states;
    double *A;         // (n_states x n_states)
    double *B[2];      // (n_states x n_u) by inputs when it begins, when it ends
    double *C;         // (n_y x n_states) outputs when it ends
    double *D[2];      // (n_y x n_u)
    double *J;         // (n x n) scratch
    double *z, *past;  // (n), (9 n_q) scratch
    int *pivot;        // (n)
} step_map;
int step_map_states(const step_scheme *s, int n_q);
// most: states of the largest scheme that is asked for.
void step_map_layout(int n, int n_q, int n_u, int n_y, int most, arena *a, step_map *out);
// False: singular.
bool step_map_make(const linear_matrices *of, const step_scheme *s, step_map *m);

// ---------------------------------------------------------------- of a step in motion
// The derivative of one step as it was taken, from any state, jumps of inputs and parts of the step
// included. Its columns are
//
//     n            the state before it: z of the coordinates, z', then what else the model's formula
//                  remembers, in the model's own numbers
//     n_inputs     inputs when it begins,     n_inputs   when it ends
//     n_inputs     rates of inputs when it begins,     n_inputs   when it ends
//
// and its rows the state after it. z and z' are those of td_linearise (chart.h). Numbers beyond z and z' do not
// count, and their columns are 0, where a step has no past: after an equilibrium, and where a shape has been
// set; there is none of them for one-step formulas. What contact keeps (contact.h) comes last and always counts. Rates are columns of their own: who lets them follow
// from the inputs, u' = (u+ - u)/dt, adds these up.
//
//     n_parameters     numbers of the robot
typedef struct step_parameter {  // the same robot with a number changed by + step and - step
    const td_system *plus, *minus;
    double step;
} step_parameter;
typedef struct step_slopes {
    int n, n_columns;  // of the state; n + 4 n_inputs + n_parameters
    const step_parameter *parameters;
    int n_parameters;  // asked for
    double *after;     // (n x n_columns)
    // (n_inputs) whose columns are asked for, those of the others are 0 or not as a model likes; NULL: all
    const bool *asked;
    // Asked for by who wants no more: how outputs answer to the inputs when the step ends. A model that has a short way to
    // it makes it alone, and says so.
    const td_output *outputs;
    int n_outputs, n_y;
    double *by_end;  // (n_y x n_inputs) NULL: not asked for
    bool short_way;
    double *
        beside;  // (coordinates and multipliers x n_columns) z'' (cosserat: of motors and valves alone) and the multipliers after it, for outputs
    double *
        scratch;  // (n_scratch) NULL: n, n_columns and n_scratch alone are asked for, and there may be
                  // no memory of a state
    size_t n_scratch;
} step_slopes;
