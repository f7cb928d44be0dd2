// model/cosserat/lanes/lanes.h - a cosserat robot in lanes: see model/lanes.h. One free rod on the world, by
// collocation, with efforts that are given.
#pragma once

#include "model/cosserat/lanes/plan.h"
#include "model/cosserat/memory.h"
#include "model/lanes.h"

#define LANES_INPUTS 64  // with more, steps of two parts are left to the ordinary step

// After the kernel's part of a record: see cosserat_time.
enum { TIME_PAST = 0, TIME_LEVELS = 2, TIME_GUESSES = 3, TIME_NUMBERS = 8 };

typedef struct cosserat_lanes {
    lane_plan plan;
    const cosserat *c;
    kernel_step *step, *step_own;
    int width;
    double *numbers;  // the plan's
    bool gravity_driven, base_driven;
} cosserat_lanes;

// ---------------------------------------------------------------- compile.c
void *lanes_make(const void *compiled, int width, char *why, size_t size);
void lanes_release(void *made);
// All of what inputs give, slot by slot: loads and efforts of `inputs`, the base of its own.
void lanes_fill_given(const cosserat *c, const lane_plan *plan, const double *inputs,
                      const double *base_inputs, const double *rates, double *out);

// ---------------------------------------------------------------- lanes.c
// The formula of a step of dt (FORMULA_SIZE) after the past of a record of width 1.
void lanes_formula(const cosserat_lanes *l, const double *record, double dt, double *formula);

// ---------------------------------------------------------------- compile_device.c: see model/lanes.h
void *device_attach(const void *made, const char *library, int n, size_t stride, char *why,
                    size_t size);
void device_detach(void *device);
const char *device_put(void *device, int first, int count, const double *records);
const char *device_get(void *device, int first, int count, double *records);
const char *device_give(void *device, const double *given);
const char *device_step(const void *made, void *device, const double *one, double dt,
                        const unsigned char *on, int *missed, unsigned char *arrived);

extern const model_lanes cosserat_in_lanes;
