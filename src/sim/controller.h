// sim/controller.h - controllers of a system, and what a state keeps of them.
#pragma once

#include "base/hash.h"
#include "robot/formula.h"
#include "sim/system.h"
#include "tendril/loop.h"

struct controller {
    char *name;
    td_controller_def def;  // inputs and gain owned; without names and texts
    formula *formulas;      // (def.n_formulas) of the time and all channels
    int sensor, channel;    // PID: what it reads; track: a sensor, -1: the truth
    td_jacobian_part part;  // track
    int *follows;           // (n_coordinates) computed torque: the formula of each; -1: it stays
    int *actuators;         // (n_inputs) computed torque: what each drives
    int depth;              // commands that may be on their way
};

// In the kept block, doubles only.
typedef struct controller_kept {
    double off;          // 1: it says 0
    double acted;        // so many times
    double next;         // s, when it acts again
    double last;         // s, when it acted last
    double given, held;  // commands given, and those that hold or have held
    double integral;     // PID: I int e dt
    double error;        // the last one
    double slope;        // de/dt, filtered
    double known;        // feedback: x0 is known
} controller_kept;

struct controller_memory {
    controller_kept *kept;
    double *said;      // (n_inputs) what holds now
    double *pending;   // (depth x (1 + n_inputs)) when it was given, and what
    double *rest;      // (n_columns) feedback: x0
    double *followed;  // (n_inputs) track: what it has added up
    td_controller_function *function;
    void *context;
};

td_status controllers_compile(td_system *system, const td_robot *robot, td_error *err);
void controllers_release(td_system *system);
void controllers_hash(hash *h, const td_system *system);
void controllers_layout(const td_system *system, arena *keep, arena *work, td_state *state);
// At an equilibrium they start anew.
void controllers_at_rest(const td_system *system, td_state *state);
// The clock, which is at `now`, will be at t.
void controllers_set_time(const td_system *system, td_state *state, double now, double t);
// A step begins: those that are due act.
void controllers_act(const td_system *system, td_state *state);
// Adds what they say to the inputs that were set from signals.
// They stay within the limits of each input; dt 0: whatever their rates.
void controllers_add(const td_system *system, td_state *state, double dt);

// ---------------------------------------------------------------- coordinates.c
// td_inverse_efforts of a motion that goes on from this state, with what its materials remember.
td_status efforts_from_here(const td_system *system, td_state *state, const double *q,
                            const double *q_t, const double *q_tt, double *efforts);

// ---------------------------------------------------------------- follow.c
bool follow_is_there(const td_system *system);
int follow_doubles(const td_system *system, int n_inputs);  // of scratch
// The inputs of a controller, u, by which the coordinates that it has formulas for get the accelerations that are wanted, on the
// mean of T s, or come closest. False: there are none.
bool follow_find(const td_system *system, td_state *state, const controller *c, const double *q,
                 const double *v, double T, const double *wanted, double *work, double *u);
