// model/lanes.h - many trajectories of one compiled robot side by side, for models that have a kernel for it.
//
// A robot's record is an array of numbers, each with those of its neighbours beside it: number i of the
// robot in lane k stands at i * width + k. A record and a state's memory can be turned into one another, so
// that whatever the kernel does not do is done by an ordinary state, and put back.
#pragma once

#include "solve/call.h"

#define LANES_MOST 8  // robots side by side at most

// What a robot in a lane brings to a step: its plan, its inputs at the end of the step and of the last one, how fast they
// move and moved, and whether it starts afresh.
typedef struct lanes_robot {
    const void *plan;
    const double *inputs, *before, *rates, *rates_before;
    bool fresh;
} lanes_robot;

// May a robot among obstacles end a step so, with this energy? As sim/ asks of a state: see solve/call.h.
typedef struct lanes_guard {
    bool (*allows)(void *context, int lane, const td_energy *after, bool touches);
    void *context;
} lanes_guard;

typedef struct model_lanes {
    // The plan of a compiled robot for a width, 0: the widest of this processor. NULL: it has none, and why.
    void *(*make)(const void *compiled, int width, char *why, size_t size);
    void (*release)(void *plan);
    int (*width)(const void *plan);
    int (*n_numbers)(const void *plan);  // of a record
    int (*n_given)(const void *plan);    // of what inputs give a robot; in lanes as a record

    // Between a state's memory and a record; call->inputs are those of the shape, scratch its rates.
    void (*store)(const void *plan, const void *memory, double *record);
    void (*load)(const void *plan, void *memory, const model_call *call, const double *record);
    // What a robot is given by its inputs. False: they cannot be; the ordinary step says why.
    bool (*give)(const void *plan, const double *inputs, const double *rates, double *given);
    // A step of dt of the robots (width) whose bit is in `on`. The bits of those that arrived; the others are as they
    // were. given: room for what they are given; own: behind it stand numbers of each robot. corrections:
    // (width). guard: asked among obstacles.
    unsigned (*step)(const void *plan, double *records, double *given, const lanes_robot *robots,
                     bool own, unsigned on, double dt, const lanes_guard *guard,
                     double *corrections);
    // What differs from robot to robot within one structure: how many numbers, in lanes as a record, and those of
    // another compiled robot. False: it has another structure.
    int (*n_own)(const void *plan);
    bool (*put_own)(const void *plan, const void *of, double *own);

    const struct model_device *device;  // NULL: none
} model_lanes;

// Arrays on a device that others may read or write, and its kind as DLPack counts: 2, CUDA; 1, a processor.
typedef struct device_arrays_of {
    double *inputs;  // (n x n_inputs)
    double *tips;    // (n x 13) position, quaternion, angular and linear velocity (body)
    int type;
} device_arrays_of;

// Robots on a GPU, by a library that is loaded where it is. Records stand `stride` doubles apart here; plans have the
// width 1. Functions that return text: NULL, or what went wrong.
typedef struct model_device {
    // `library`: its path; NULL: where libraries are. single: that in single precision. NULL: there is none, and why.
    void *(*attach)(const void *plan, const char *library, bool single, int n, char *why,
                    size_t size);
    void (*detach)(void *device);
    device_arrays_of (*arrays)(void *device);
    void *(*take_memory)(void *device, size_t bytes);  // here, that copies are quick from
    void (*free_memory)(void *device, void *memory);
    const char *(*put)(void *device, int first, int count, const double *records, size_t stride);
    const char *(*get)(void *device, int first, int count, double *records, size_t stride);
    const char *(*put_own)(void *device, const double *own, size_t stride);  // see n_own
    const char *(*give)(void *device, const double *given);                  // (n_given x n)
    // Does the device know by itself what inputs give? Then it takes them (NULL: those that are there); robots whose
    // inputs cannot be do not arrive. get_inputs: of the next step, or those that the last one of all robots took.
    bool (*takes_inputs)(const void *plan);
    const char *(*take)(void *device, const double *inputs);
    const char *(*get_inputs)(void *device, bool next, double *inputs);
    // A step of the robots that are on (n; NULL: all), whose past is that of one of them.
    const char *(*step)(const void *plan, void *device, const double *one, double dt,
                        const unsigned char *on, int *missed, unsigned char *arrived);
    const char *(*find_tips)(void *device);
    // Have two records the same past steps? And: a step of dt was taken.
    bool (*same_past)(const void *plan, const double *a, const double *b);
    void (*stepped)(const void *plan, double *record, double dt);
} model_device;
