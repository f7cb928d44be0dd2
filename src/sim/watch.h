// sim/watch.h - the estimator within a state, where sensors or controllers of the file read what it believes.
//
// It acts where a step ends, on readings that are there, before sensors read it. All that decides its future is a block of the kept
// doubles of the state, so that steps are transactions and snapshots whole; the estimator itself is a place to compute in.
#pragma once

#include "sim/system.h"

// Does anything read it?
bool watch_needed(const td_system *system);
// That there is an estimator which can: found when the system is made.
td_status watch_check(const td_system *system, td_error *err);
// At the end of the kept block.
void watch_layout(const td_system *system, arena *keep, td_state *state);
bool watch_attach(const td_system *system, td_state *state);  // false: out of memory
void watch_detach(td_state *state);

// From the inputs that the state has, with the means of what is not known; in equilibrium, or in the shape at rest.
td_status watch_begin(const td_system *system, td_state *state, bool rests);
// The same in the shape at rest, where it has not begun.
td_status watch_ready(const td_system *system, td_state *state);
// Where the robot says that it starts.
td_status watch_apply_initial(const td_system *system, td_state *state);
// A step has ended.
td_status watch_follow(const td_system *system, td_state *state);
td_status watch_set_time(const td_system *system, td_state *state, double now, double t);

// What it believes a sensor of it should read, and where it believes the coordinates and their rates to be.
void watch_get_sensor(const td_system *system, const td_state *state, int index, double *reading);
void watch_get_coordinates(const td_system *system, const td_state *state, double *x);
