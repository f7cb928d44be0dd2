// model/lumped/sdirk.h - the step that all lumped models take: SDIRK2, two implicit stages,
// L-stable, of order 2.
//
//     y1 = y0 + g h f(y1),  y2 = y0 + (1 - g) h f(y1) + g h f(y2),  g = 1 - 1/sqrt(2)
//
// Each stage is y = y* + f(y)/c0 with c0 = 1/(g h). A step whose Newton iteration fails is taken in
// parts.
#pragma once

#include "model/lumped/net.h"

#define GAMMA 0.29289321881345248        // g
#define TO_STAR ((1.0 - GAMMA) / GAMMA)  // the second stage sets out from y0 + this (y1 - y0)

typedef struct stepper {
    const net *c;
    net_memory *m;
    const model_call *call;
    double dt;  // the whole step
    bool fresh_matrix;
    bool careful;   // no correction by the matrix of another
    bool last_try;  // there are no smaller parts
    // What a formulation brings; `s` is the first member of its own struct.
    bool (*part)(struct stepper *s, double t, double h);
    // One correction of a stage, with a new matrix or the last one; its size, not finite: none.
    double (*correct)(struct stepper *s, bool renew);
} stepper;

// Inputs within the step, and what jumps before it.
void inputs_begin(const net *c, net_memory *m, const model_call *call, double dt, bool fresh);
situation stage_at(const stepper *s, double t, double c0, const node_state *before);
bool run_stage(stepper *s);
td_status take_step(stepper *s);
// What actuators store comes from their drives; how far segments turn.
td_status finish_step(const net *c, net_memory *m, const model_call *call);
