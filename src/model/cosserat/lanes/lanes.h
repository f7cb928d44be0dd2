// model/cosserat/lanes/lanes.h - a cosserat robot in lanes: see model/lanes.h. One free rod on the world, by
// collocation, with efforts that are given.
#pragma once

#include "model/cosserat/lanes/plan.h"
#include "model/cosserat/memory.h"
#include "model/lanes.h"

// After the kernel's part of a record: see cosserat_time.
enum { TIME_PAST = 0, TIME_LEVELS = 2, TIME_GUESSES = 3, TIME_NUMBERS = 8 };

typedef struct cosserat_lanes {
    lane_plan plan;
    const cosserat *c;
    kernel_step *step;
    int width;
    double *numbers;  // the plan's
    bool gravity_driven, base_driven;
} cosserat_lanes;

// ---------------------------------------------------------------- compile.c
void *lanes_make(const void *compiled, int width, char *why, size_t size);
void lanes_release(void *made);
// All of what inputs give, slot by slot.
void lanes_fill_given(const cosserat *c, const lane_plan *plan, const double *inputs,
                      const double *rates, double *out);

extern const model_lanes cosserat_in_lanes;
