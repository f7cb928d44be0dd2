// solve/step_inputs.h - inputs within a step, for models whose steps have stages.
//
// What is given (tensions, loads, gravity) goes straight from its value before to the one at the
// end; after a jump from what its signal says, or it has had the latter since the start. What moves a base goes, with z = t/dt,
//
//     x = x0 + dt (r0 z + (r1 - r0) z^2/2) + e f(z),   f = (3 - 2 z) z^2
//
// from the rate before to the one at the end; e, of third order, brings it to its value there: a
// cubic. Where the rates are only differences of the values e is not small, and f = z. Steps that are chosen by tolerance ask at any time: they see the signals themselves, where inputs
// follow any.
#pragma once

#include "base/arena.h"
#include "solve/call.h"

typedef struct stage_way {  // to a stage, s
    double start, first,
        now;                 // within the step: where its part begins, the first stage and this one
    double from_first, own;  // with the velocity of the first stage, and with its own
    bool led;                // the first stage does not end the step, and joints hold rates in it
} stage_way;

typedef struct step_inputs {
    const model_call *call;
    int n;
    double dt;  // s
    bool fresh;
    bool exact;  // as their signals have them
    bool
        led;  // rates are those of places also where they are only differences: see solve_instant.lead
    double *given, *given_rates;             // (n each) what is given at the time last asked for
    double *places, *rates, *accelerations;  // (n each) what moves bases
} step_inputs;

void step_inputs_layout(int n, arena *work, step_inputs *out);
void step_inputs_begin(step_inputs *s, const model_call *call, double dt, bool fresh, bool chosen);
// J, of what jumps in the shape that is there when a step begins afresh: gravity, bodies that are
// picked up or dropped. energy: the model's.
typedef td_energy energy_under(const void *compiled, const void *memory, const double *inputs);
double step_inputs_bring(step_inputs *s, energy_under *energy, const void *compiled,
                         const void *memory);
void step_inputs_at(step_inputs *s, double t);  // s since the start of the step

// How what one input does at such a time answers to it when the step begins and ends, and to its rates then.
typedef struct input_slopes {
    double given[4];                            // what is given
    double place[4], rate[4], acceleration[4];  // what moves bases
} input_slopes;
input_slopes step_inputs_slopes(const step_inputs *s, int input, double t);
