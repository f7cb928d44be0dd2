// sim/linearise.h - what a td_linearisation is.
#pragma once

#include "sim/solver.h"
#include "solve/drive_slopes.h"
#include "solve/linear.h"
#include "solve/modes.h"
#include "solve/step_map.h"

struct td_linearisation {
    const td_system *system;
    td_output *outputs;  // (n_named)
    int n_named, n_parts;
    int n, n_q;           // numbers of z, and coordinates among them, without those of what relaxes
    linear_point *parts;  // (n_parts)
    int **place;          // (n_parts) of each of its coordinates and multipliers in z
    drive_slopes *driven;  // (n_parts) their motors and valves,
    int **number_place;    // (n_parts) whose coordinates are there in z
    int n_flows;  // of all parts: numbers of what relaxes, behind those, in matrices of td_linearise alone
    double *strains;  // (6 n_relaxing x n_q of the largest part) scratch
    double *nudged,
        nudge;           // a number of the state that is asked for beside where it is; NULL: none
    linear_matrices of;  // the last one
    bool known, rests;   // there is one; of an equilibrium
    td_linear told;
    char note[160];
    char message[MODEL_MESSAGE_SIZE];  // of the last question to it
    double *exact;          // (3 x n x n of the largest part) K, D, M, where they are exact
    double *exact_scratch;  // of that
    double *exact_outputs;  // (n_outputs x (2 n of the largest part + n_inputs)), where these are
    double *r, *column;     // (n), (widest) scratch
    double *here;           // (n_outputs) where it is
    double *solve, *rhs;    // (n x n), (n) scratch: accelerations
    double *singular;       // (n)
    double *E, *U, *V;      // (multipliers squared each) scratch
    double *work;           // of LAPACK
    td_pose *poses;         // (n_named) of the state itself
    modes modes;
    step_map steps;
    td_step_map told_steps;
    step_slopes slopes;                                 // of a step in motion; n = 0: it has none
    int too_many;                                       // states, for a matrix of them; or 0
    double *step_before, *step_after;                   // (keep_bytes each)
    double *A, *B, *B0, *C_step, *D_step, *D0, *rates;  // see td_step_map
    double *output_rates;
    step_parameter *parameters;  // (slopes.n_parameters)
    double *by_parameter;        // (n_outputs x n_parameters) of outputs, in a state that stays
    double *sides;  // (6 n_coordinates, and 2 n of coordinates and multipliers) scratch of these
    void *block;
    size_t bytes;  // of it
};

// Why it has no small motions, in the state's message.
td_status refuse_motion(const td_system *system, td_state *state);
td_status check_output(const td_system *system, const td_output *o, int index, td_error *err);
// Its numbers; a rotation is that from `from`.
void observe_one(const td_system *system, const td_state *state, const td_output *o,
                 const td_pose *from, double *y);
td_sample sample_of_output(const td_system *system, const td_state *state, const td_output *o);
// Where outputs turn from, so that slopes of rotations are rotations in the world.
int orders_of_outputs(const td_linearisation *l);  // see linearise.c
void remember_poses(td_linearisation *l, const td_state *state);
// Into l->of.C and F: the slopes of outputs against the coordinates of a part and against inputs that move nothing, exactly.
// False: there are none.
bool outputs_exactly(td_linearisation *l, int part);
// Multipliers do not count in what the shape alone knows.
void outputs_without_efforts(td_linearisation *l);
// td_differentiate_step without outputs, and by the inputs alone that are asked for (NULL: all).
td_status motion_step_map(const td_system *system, td_state *state, double dt, td_linearisation *l,
                          const bool *asked);
// The outputs of a state that differs from the kept one, which is in its backup, by a configuration of a part.
typedef struct observation {
    td_linearisation *l;
    td_state *state;
    int part;
    const td_system *system;  // whose outputs; NULL: its own
} observation;
void observe(void *context, const solve_instant *at, const configuration *c, double *y);

// ---------------------------------------------------------------- steps in motion: motion.c
// parameters: (n_parameters) copied
void motion_layout_steps(const td_system *system, int n_y, const step_parameter *parameters,
                         int n_parameters, arena *a, td_linearisation *l);
// td_linearisation_create, with columns of parameters in the slopes of steps.
td_linearisation *linearisation_create(const td_system *system, const td_output *outputs,
                                       int n_outputs, const step_parameter *parameters,
                                       int n_parameters, td_error *err);
// Why steps of it in motion have no derivative, in the state's message.
td_status check_motion(const td_linearisation *l, const td_system *system, td_state *state);
// The same of all steps: what td_differentiate_step would say.
td_status refuse_step_slopes(const td_linearisation *l, td_state *state);
// Into l->slopes.after, of a model whose steps are its own: what numbers of the robot do in the step that was taken from
// l->step_before, by steps of two robots beside it from there, z and z' being the same.
td_status motion_parameters(td_linearisation *l, td_state *state, double dt);
// Into l->of.C, F and l->by_parameter: the slopes of outputs at the state as it is.
void motion_outputs(td_linearisation *l, td_state *state);

// Springs of sections that relax: as `keep` has them, and dy more, in the order of the numbers of a step.
void solver_add_flows(const td_system *system, td_state *state, const double *keep,
                      const double *dy);
// Matrices have the numbers of what relaxes, or they have not: those of steps do not.
void linear_resize(td_linearisation *l, bool flows);

// ---------------------------------------------------------------- what relaxes: linearise_flows.c
// Rows and columns of part i. Has all flowed, and nothing of it is left? Then l->r is 0 there, as always.
void linear_flows_fill(td_linearisation *l, int i);
bool linear_flows_balance(td_linearisation *l, int i);
// Their columns of C.
void linear_flows_outputs(td_linearisation *l, int i, const linear_observer *o);

// ---------------------------------------------------------------- motors and valves: linearise_drives.c
void linear_drives_layout(const td_system *system, arena *a, td_linearisation *l);
// Where the state has them, for part i; *still: none of them moves.
void linear_drives_load(td_linearisation *l, const td_state *state, int i, bool *still);
// Their rows and columns in M, D, K and B.
void linear_drives_fill(td_linearisation *l, int i);
// Their rows of l->r, without accelerations: is it none?
bool linear_drives_balance(td_linearisation *l, int i);
// Their columns of C.
bool linear_drives_count(const td_linearisation *l, int i);
void linear_drives_outputs(td_linearisation *l, int i, const linear_observer *o, bool quick);
// Where outputs tell of them, how efforts of part i answer; td_linearise has found that.
void linear_drives_see(td_linearisation *l, int i);
// The rows of TD_OUTPUT_DRIVE in C and F, of all parts.
void linear_drives_tell(td_linearisation *l);
// What sticks, in words; false: nothing does.
bool linear_drives_note(const td_linearisation *l, char *note, size_t size);
// After td_linearise: their rows of K, B and C become those of equilibria, which know no friction.
void linear_drives_hold(td_linearisation *l);
