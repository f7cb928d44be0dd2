// robot/robot.h - what a td_robot holds. Written by robot.c (which validates every value) and by
// the file reader through it; read by the models when they compile a system.
#pragma once

#include "tendril/robot.h"
#include "tendril/tendril.h"

typedef struct robot_input {
    char *name;
    char *unit;       // "" when unknown
    td_signal signal; // points owned
} robot_input;

typedef struct robot_rod {
    char *name;
    td_piece_def *pieces;
    int n_pieces;
    double length;    // sum over the pieces
    td_base_def base;
} robot_rod;

typedef struct robot_load {
    char *name;
    td_load_def def;  // def.name == name
} robot_load;

struct td_robot {
    char *name;
    td_number gravity[3];  // m/s^2, world
    robot_input *inputs;
    int n_inputs;
    robot_rod *rods;
    int n_rods;
    robot_load *loads;
    int n_loads;
    td_options options;    // what the file asks for; defaults otherwise
    td_scenario scenario;
    char *source;
};

// Section law of a piece at x in [0, 1] of its length.
td_section_properties piece_properties(const td_piece_def *piece, double x);

// value + gain * input, given the current input values.
static inline double number_value(td_number n, const double *inputs) {
    return n.gain != 0.0 ? n.value + n.gain * inputs[n.input] : n.value;
}
static inline double number_rate(td_number n, const double *input_rates) {
    return n.gain != 0.0 ? n.gain * input_rates[n.input] : 0.0;
}
