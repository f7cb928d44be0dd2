// study/quantity.h - what expressions of a study may name of a robot: outputs as td_find_output knows them, and
//     input.NAME                               its value
//     energy.kinetic .gravity .elastic .dissipated .work .total
//     mode.N.frequency .damping .re .im        of action modes
//     reach.distance .angle                    of action reach: what is left to the target
//     POINT.compliance_x .. turn_x ..          of a point like tip or rod.arm.50 %: how far it gives under a unit force, or
//                                              turns under a unit moment, about the same axis
//     stability, mass, time, solver.iterations, solver.residual
#pragma once

#include "tendril/tendril.h"

enum { MOST_QUANTITIES = 256 };

typedef enum quantity_kind {
    QUANTITY_OUTPUT,
    QUANTITY_INPUT,
    QUANTITY_ENERGY,
    QUANTITY_MODE,
    QUANTITY_REACH,
    QUANTITY_COMPLIANCE,
    QUANTITY_STABILITY,
    QUANTITY_MASS,
    QUANTITY_TIME,
    QUANTITY_ITERATIONS,
    QUANTITY_RESIDUAL
} quantity_kind;

typedef struct study_quantity {
    const char *name, *unit;
    quantity_kind kind;
    int index;  // of an input, a mode; row of an output, of compliance
    int part;   // of an energy, a mode, a way to a target
    td_named_output output;
} study_quantity;

// What it is read from.
typedef struct quantity_source {
    const td_robot *robot;
    const td_system *system;
    td_state *state;
    const td_linearisation *linear;  // of action modes
    double distance, angle;          // of action reach
} quantity_source;

// Which quantity the name is, in this system. TD_ERR_ARGUMENT: none, and err says what there is.
td_status quantity_find(const td_system *system, const char *name, study_quantity *found,
                        td_error *err);
// Its value now. Failures are told by what was asked of the state.
td_status quantity_value(const study_quantity *q, const quantity_source *from, double *value,
                         td_error *err);
