// tendril/gradient.h - gradients along a trajectory: how outputs over a run of steps answer to the inputs of every
// step, to the state where it starts, and to numbers of the robot.
//
// A run is n_steps steps of dt from a start. Step k (1 .. n_steps) leads from x_k-1 and inputs u_k-1 to x_k with u_k, and the
// outputs after it are y_k:
//
//     x_k = step(x_k-1, u_k-1, u_k),     y_k = y(x_k, u_k)
//
// Of a cost J = sum_k l_k(y_k) the caller gives w_k = dl_k/dy_k, and the adjoint sweep gives dJ by all inputs and the start
// at once, backwards, whatever their number:
//
//     lambda_k-1 = A_k' (lambda_k + C_k' w_k),     dJ/du_k = B_k' (lambda_k + C_k' w_k) + ..
//
// The forward sweep gives dy of all steps for a few directions of inputs, start and parameters. Both are made of the
// derivatives of single steps, td_differentiate_step, and agree with one another to rounding. What a cost has of
// the inputs itself is the caller's to add.
#pragma once

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_gradient td_gradient;

typedef struct td_gradient_options {  // start from td_default_gradient_options()
    const td_output *outputs;         // (n_outputs) copied
    int n_outputs;
    int n_steps;
    // States that are kept along the run. The steps between two of them are taken again when the sweep comes
    // there, so that memory is that of n_checkpoints + n_steps/n_checkpoints states; n_steps: all are kept, and none is taken
    // again; 0: about the root of n_steps. The results are the same to the bit.
    int n_checkpoints;
    int n_directions;  // at most, of a forward sweep
    // Numbers of the robot, n_parameters of them: of each the same robot, compiled, with the number changed by
    // + steps[i] and - steps[i], as td_get_sensitivity has it. Forces in each state of the run are compared, and outputs:
    // differences of second order, where all else is exact; a step of 1e-4 of a number leaves 1e-8 or so of its
    // gradient. The start stays, in its coordinates; outputs keep their share of a rod's length. In
    // cosserat each step is taken by these robots, too, from its coordinates and rates: with sdirk2 and backward-euler, where
    // no input moves a base.
    const td_system *const *plus, *const *minus;  // (n_parameters) must outlive the gradient
    const double *steps;
    int n_parameters;
} td_gradient_options;
TD_API td_gradient_options
td_default_gradient_options(void);  // one step, no outputs, one direction

// Room for runs and sweeps, all of it allocated here. The system must outlive it. NULL: out of memory, an output that is
// not there, or steps that have no derivative (see td_differentiate_step), with err filled.
TD_API td_gradient *td_gradient_create(const td_system *system, const td_gradient_options *options,
                                       td_error *err);
TD_API void td_gradient_destroy(td_gradient *g);        // NULL is fine
TD_API int td_gradient_n_states(const td_gradient *g);  // of x: see td_differentiate_step
TD_API int
td_gradient_n_outputs(const td_gradient *g);  // numbers of y_k: td_output_size of all outputs
TD_API size_t td_gradient_bytes(const td_gradient *g);  // all that it holds, but for the system

// Outputs as numbers: as td_linearise has them, and of a pose its rotation vector, shorter than half a turn, where
// that has only changes; so its rows have no derivative where it jumps, at half a turn. y (td_output_size).
TD_API void td_get_output(const td_system *system, const td_state *state, const td_output *output,
                          double *y);

// ------------------------------------------------- real-time section
// Nothing below allocates. A call that fails says why in td_gradient_message, and at which step.

// Takes the steps from `start`, which stays as it is, with inputs (n_steps x n_inputs) when each step ends.
// restarts (n_steps): steps before which td_restart is called, since inputs jump there; NULL: none. y (n_steps x n_outputs) may be NULL.
TD_API td_status td_gradient_run(td_gradient *g, const td_state *start, double dt,
                                 const double *inputs, const bool *restarts, double *y);
TD_API const td_state *td_gradient_state(const td_gradient *g);  // where the last run ended

// Of the last run: dJ where J changes by by_outputs (n_steps x n_outputs) dy. Each may be NULL: by_inputs (n_steps x
// n_inputs); by_start (n_states); by_start_inputs (n_inputs) by what the inputs were before the first step.
typedef struct td_gradient_result {
    double *by_inputs, *by_start, *by_start_inputs;
    double *by_parameters;  // (n_parameters)
} td_gradient_result;
TD_API td_status td_gradient_adjoint(td_gradient *g, const double *by_outputs,
                                     const td_gradient_result *result);
// Of the last run: dy (n x n_steps x n_outputs) for n directions of inputs (n x n_steps x n_inputs), of the start (n x n_states)
// and of parameters (n x n_parameters); NULL: none of these.
TD_API td_status td_gradient_forward(td_gradient *g, int n, const double *inputs,
                                     const double *start, const double *parameters, double *dy);
TD_API const char *td_gradient_message(const td_gradient *g);  // of the last call; "" if fine

#ifdef __cplusplus
}
#endif
