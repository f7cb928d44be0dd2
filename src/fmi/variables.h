// fmi/variables.h - the variables of an FMU: what a robot takes and tells, numbered as FMI does it.
//
// The number of a variable is its value reference: time, inputs, parameters, outputs. The list follows from the robot and
// from the choices that were made when the FMU was written, so that the program, which describes the FMU, and the FMU itself,
// which reads robot and choices again, have the same one.
#pragma once

#include "tendril/tendril.h"

typedef enum fmi_kind {
    FMI_TIME,
    FMI_INPUT,      // index: of the robot's inputs
    FMI_PARAMETER,  // index: of the parameters; name: its path in the robot file
    FMI_VALUE,      // a row (part) of an output (index)
    FMI_TURN,       // w, x, y or z (part) of the quaternion of a pose (index)
    FMI_READING     // a channel (part) of a sensor (index)
} fmi_kind;

typedef struct fmi_variable {
    fmi_kind kind;
    char name[192];
    char unit[32];  // SI; "": none, or not known
    int index, part;
} fmi_variable;

typedef struct fmi_variables {
    fmi_variable *all;  // (n) in the order of their value references
    int n;
    int n_inputs, first_parameter, n_parameters, first_output, n_outputs;
    td_output *outputs;  // (n_given) that values and turns are taken from
    int n_given;
    int room, given_room;
} fmi_variables;

// choices: lines "parameter PATH" and "output NAME", outputs as td_find_output knows them. The tips of all rods, bodies,
// actuators and sensors are there without asking. false: err says which choice is none. variables_free may follow.
bool variables_make(fmi_variables *v, const td_robot *robot, const td_system *system,
                    const char *choices, td_error *err);
void variables_free(fmi_variables *v);

// What an output or a reading is now.
double variable_output(const fmi_variable *variable, const fmi_variables *v,
                       const td_system *system, const td_state *state);

// Room for the derivatives of steps, of all outputs that have one: reactions have none in motion. NULL: err says why.
td_linearisation *variables_linearisation(const fmi_variables *v, const td_system *system,
                                          td_error *err);
// The first row of an output there; of v->n_given: how many rows there are. -1: it has no derivative.
int variables_row(const fmi_variables *v, int output);

// Of the texts that an FMU is made of, as FMI 2 writes such a thing: "{8-4-4-4-12}", hexadecimal.
enum { FMI_TOKEN = 40 };
void fmi_token(const char *robot, const char *choices, char token[FMI_TOKEN]);
