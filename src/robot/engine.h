// robot/engine.h - motors and valves as they are described: rules, and what is asked of any of them.
#pragma once

#include "base/hash.h"
#include "tendril/robot.h"

// The words of commands among those of an actuator's inputs, in the order of td_motor_command.
// clang-format off
#define MOTOR_INPUTS                                                                               \
    {"torque", "N m", "of its motor, at the rotor", AT(effort), false},                            \
    {"current", "A", "of its motor", AT(effort), false},                                           \
    {"voltage", "V", "of its motor", AT(effort), false},                                           \
    {"speed", "rad/s", "that its motor shall turn the spool or pump with", AT(supplied), false},   \
    {"angle", "rad", "that its motor shall turn the spool or pump to", AT(supplied), false}
// clang-format on

// travel, unit: the key of what a radian supplies, "spool", "m"; command: a td_motor_command.
td_status motor_validate(const char *owner, const char *travel, const char *unit,
                         const td_motor_def *def, int command, td_error *err);
td_status valve_validate(const char *owner, const td_valve_def *def, td_error *err);
void motor_hash(hash *h, const td_motor_def *def);
void valve_hash(hash *h, const td_valve_def *def);
// How large a command is that does something: gives this effort, or supplies this much (in a second).
double motor_scale(const td_motor_def *def, int command, double effort, double supplied);
