// solve/call.h - what a question to a robot is given, and where it reports.
#pragma once

#include "base/interrupt.h"
#include "robot/robot.h"

#define MODEL_MESSAGE_SIZE 416

// Fills a message of that size and returns the status, as error_set does of a td_error.
td_status tell(char *message, td_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The signals that inputs follow over a step, which do not jump between from and to.
typedef struct signal_span {
    const robot_input *of;   // (n_inputs) NULL: none are known
    double start, from, to;  // s; start: when the step begins
} signal_span;

// Where a step among obstacles would bring energy, sim/ asks for it again: in parts, if there is no past that the
// formula looks back on; then (in parts too) by backward Euler, whatever the scheme: first order, and what it does not
// resolve is lost.
typedef enum step_mildness { STEP_AS_ASKED, STEP_IN_PARTS, STEP_BY_EULER } step_mildness;

typedef struct model_call {
    const double *inputs;         // (n_inputs) values at the end of the step
    const double *rates;          // (n_inputs) d inputs/dt at the end of the step
    const double *inputs_before;  // (n_inputs) values at its start
    const double *rates_before;   // (n_inputs) rates there
    const double *smooth;  // (n_inputs) 1: both rates are those of the input, and not differences
    double *scratch;       // (2 n_inputs)
    int n_inputs;
    signal_span signals;
    step_mildness mild;
    const td_options *options;
    td_stats *stats;
    char *message;                  // (MODEL_MESSAGE_SIZE)
    interrupt interrupt;            // of a call whose work may take seconds
    const struct engines *engines;  // solve/engines.h; NULL: there are none
} model_call;

typedef struct model_point {  // a point whose pose is asked for
    int body;                 // a free body; -1: the point s of a rod
    int rod;
    double s;
} model_point;

typedef struct jacobian_part {  // what of a Jacobian is asked for
    model_point at;
    int rows;           // 6, or 3: translation alone
    const int *inputs;  // (n) its columns; NULL: all, in order
    int n;
} jacobian_part;

static inline int jacobian_input(const jacobian_part *asked, int column) {
    return asked->inputs ? asked->inputs[column] : column;
}

// What is said where statics was asked to end.
td_status call_stopped(const model_call *call);
