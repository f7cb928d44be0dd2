// model/cosserat/lanes/lanes.h - a cosserat robot in lanes: see model/lanes.h. One free rod on the world, by
// collocation.
#pragma once

#include "model/cosserat/lanes/plan.h"
#include "model/cosserat/memory.h"
#include "model/lanes.h"

#define LANES_INPUTS 64  // with more, steps of two parts are left to the ordinary step

// After the kernel's part of a record: see cosserat_time. Then of the power of loads what moves the base brings.
enum {
    TIME_PAST = 0,
    TIME_LEVELS = 2,
    TIME_GUESSES = 3,
    TIME_DISSIPATED = 4,
    TIME_WORK = 5,
    TIME_DISSIPATION = 6,
    TIME_LOAD = 7,
    TIME_KEPT = 8,
    TIME_BASE = 8,
    TIME_NUMBERS = 9
};

typedef struct cosserat_lanes {
    lane_plan plan;
    const cosserat *c;
    const lane_kernel *kernel, *kernel_own;
    int width;
    double *numbers;  // the plan's
    bool loads_driven;
    double weights[PLAN_POINTS];  // m of rod that points which may touch stand for
    se3 frames[PLAN_OBSTACLES];   // of obstacles that nothing moves
} cosserat_lanes;

// ---------------------------------------------------------------- compile.c
void *lanes_make(const void *compiled, int width, char *why, size_t size);
void lanes_release(void *made);
// What an actuator is given: an effort of `inputs`, a displacement or a volume of those that move a base.
static inline double lanes_given_of(const actuator *a, const double *inputs,
                                    const double *base_inputs) {
    return actuator_given(a, a->control == CONTROL_EFFORT ? inputs : base_inputs, 1.0);
}
// All of what inputs give, slot by slot: loads and efforts of `inputs`, the base and what actuators move of its own.
void lanes_fill_given(const cosserat *c, const lane_plan *plan, const double *inputs,
                      const double *base_inputs, const double *rates, double *out);

// ---------------------------------------------------------------- lanes.c
// The formula of a step of dt (FORMULA_SIZE) after the past of a record of width 1.
void lanes_formula(const cosserat_lanes *l, const double *record, double dt, double *formula);

// Have two records of width 1 the same past steps? And: a step of dt was taken.
bool lanes_same_past(const void *made, const double *a, const double *b);
void lanes_stepped(const void *made, double *record, double dt);

extern const model_device cosserat_on_device;  // compile_device.c
extern const model_lanes cosserat_in_lanes;
