// sim/drive.h - motors and valves of a system, and what a state keeps of them.
#pragma once

#include "sim/solver.h"

td_status drives_check(const td_system *system, td_error *err);
// An equilibrium was found, or a shape was set: they hold there.
void drives_at_rest(const td_system *system, td_state *state);
// TD_OK where there are none. what: "have no ... yet"
td_status refuse_drives(const td_system *system, char *message, const char *what);
// The actuator of which this input is a command that says how fast something goes, a speed or an opening, and not where it
// comes to rest; NULL: it is none.
const actuator *drive_without_rest(const td_system *system, int input);
// What a tendon has been supplied with, also where it is slack.
double drive_supplied(const td_state *state, const actuator *a, double supplied);

// ---------------------------------------------------------------- as coordinates
// Of all motors and valves, in the order of their actuators: see actuation/engine.h.
int drives_n_numbers(const td_system *system);
int drives_place(const td_system *system, const actuator *a);  // of its first number among all
// Change of the numbers of a motor or valve that counts like a radian.
double drives_unit(const actuator *a);
void drives_read(const td_system *system, const td_state *state, double *q, double *q_t);
// They stand there while a shape is set, whatever the efforts; q_t NULL: at rest.
void drives_write(const td_system *system, td_state *state, const double *q, const double *q_t);
// That shape was set: they go on from there.
void drives_go_on(const td_system *system, td_state *state);
// The motors and valves of a state are from now on those of this system, which has the same: of a robot with another number.
void drives_belong_to(const td_system *system, td_state *state);
