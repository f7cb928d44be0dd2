// solve/engines.h - motors and valves of a robot through equilibria and steps: their numbers, kept with a state, and
// the stages of a time formula that they go through with the shape (actuation/engine.h).
#pragma once

#include "actuation/actuator.h"

typedef struct engine_kept {  // doubles only
    double y[3][N_ENGINE];    // now, and at the last two steps
    double rate[N_ENGINE];    // y' now
    double effort, torque;    // of the actuator, of the motor (or the flow of a valve)
} engine_kept;

typedef struct engines {
    int n;
    const actuator **of;        // (n) what they drive
    engine_kept *kept;          // (n)
    engine_stage *stages;       // (n)
    engine_answer *found;       // (n) at the end of the stage,
    double (*rates)[N_ENGINE];  // and y' there
} engines;

static inline engine_stage *engines_stages(const engines *e) {
    return e ? e->stages : NULL;
}

int engines_count(const actuator *all, int n_actuators);
void engines_layout(const actuator *all, int n_actuators, arena *keep, arena *work, engines *out);

// What is asked from now on is asked at rest.
void engines_rest(const engines *e);
// An equilibrium was found, in which engine i drives its actuator with this effort at this measure; yield: what gives way
// between them in motion, m/N or m^3/Pa.
void engines_settle_at_rest(const engines *e, int i, double command, double effort, double measure,
                            double yield);

// ---------------------------------------------------------------- stages
// From where the step began, after `from_first` s of the rates of the first stage. All that are not asked in this stage
// belong to others.
void engines_set_out(const engines *e, double cv, double from_first);
// y_t = c0 y + c[0] y1 + c[1] y2 + c[2] y3 + d1 y_t1
void engines_set_history(const engines *e, double c0, const double c[3], double d1);
// The stage was solved, under these inputs.
void engines_found(const engines *e, const double *inputs);
// It was the end of a step, or of a part of one.
void engines_arrived(const engines *e);
// Of two parts of a step: the past is the state before both.
void engines_join(const engines *e);

// J now: what rotors and coils store, what was lost in engines, and what was given to them less what they passed on to their
// actuators, which the shape's account has. Added to an account of the shape.
void engines_account(const engines *e, double *stored, double *lost, double *work);
