// io/driven.h - a robot whose inputs others set while it runs; those that nobody has set follow their signals in the file.
#pragma once

#include "tendril/tendril.h"

typedef struct driven {
    td_robot *robot;
    td_system *system;
    td_state *state;
    int n;           // inputs
    double *inputs;  // (n) what was set
    bool *held;      // (n) it was
    double *was;     // (n) where inputs come from: see driven_from_here
} driven;

// Room for n inputs, none of them set. False: out of memory; driven_free may follow.
bool driven_reserve(driven *d, int n);
void driven_free(driven *d);  // that room alone

// What td_begin does, with the inputs that were set in the place of their signals.
td_status driven_begin(driven *d);
// A stretch of time begins, at the end of which inputs are what was set, in a straight line from what they are now.
void driven_from_here(driven *d);
// Inputs when a step of dt ends that begins at t, s; the stretch is done up to the share x then. Of any state of the system.
void driven_put(const driven *d, td_state *state, double t, double dt, double x);
// That step. While no input is set it follows the file, jumps and all, as td_advance does.
td_status driven_step(driven *d, double dt, double x);
