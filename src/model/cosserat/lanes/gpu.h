// model/cosserat/lanes/gpu.h - the kernel on a GPU: what the library tendril_gpu, loaded where it is, offers.
//
// Number i of robot k stands at i * n + k of the device's records; inputs, numbers of their own and tips of a robot
// stand side by side.
#pragma once

#include "model/cosserat/lanes/plan.h"

#define GPU_VERSION 3  // of this interface
#define GPU_LIBRARY "libtendril_gpu.so"
#define GPU_LIBRARY_FLOAT "libtendril_gpu_float.so"  // the same text in single precision
#define GPU_ENTRY "tendril_gpu"

#define GPU_TIP 13  // numbers of a tip: position, quaternion, angular and linear velocity (body)

// Numbers of plans as the device has them. Records, inputs and tips are doubles, whatever it computes with.
#if defined(LANE_FLOAT)
typedef float gpu_number;
#else
typedef double gpu_number;
#endif
#define FLOAT_TOLERANCE 1e-5  // in single precision: corrections are known to no more

// Arrays on the device that others may read or write.
typedef struct gpu_arrays {
    double *inputs;  // (n x n_inputs) that `take` takes
    double *tips;    // (n x GPU_TIP) that `find_tips` finds
} gpu_arrays;

// Functions that return an int: 0, or the number of an error, which `explain` has the words of.
typedef struct gpu_library {
    int version;
    size_t plan_bytes;  // of a lane_plan, as it was compiled
    int type;           // of the device, as DLPack counts: 2, CUDA; 1, a processor
    int real_bytes;     // of the numbers that it computes with: 8, 4
    // NULL: why not.
    void *(*attach)(const lane_plan *plan, int n, int n_inputs, char *why, size_t size);
    void (*detach)(void *device);
    gpu_arrays (*arrays)(void *device);
    // Memory on this side that copies are quick from: zeros, or NULL.
    void *(*take_memory)(size_t bytes);
    void (*free_memory)(void *memory);
    // `count` robots from `first` on; theirs stand `stride` doubles apart on this side.
    int (*put)(void *device, int first, int count, const double *records, size_t stride);
    int (*get)(void *device, int first, int count, double *records, size_t stride);
    // Numbers of each robot in place of the plan's, of all of them.
    int (*put_own)(void *device, const double *numbers, size_t stride);
    int (*give)(void *device, const double *given);  // (n_driven x n)
    // The same from inputs (NULL: those that are there), where actuators alone are given anything: what cannot be makes
    // the robot miss its next step.
    int (*take)(void *device, const double *inputs);
    // Those that the next step takes, or that the last one of all robots took.
    int (*get_inputs)(void *device, int next, double *inputs);
    // A step of those that are `on` (n bytes; NULL: all) by one formula (FORMULA_ON of them). *missed: how many have not
    // arrived; arrived (n bytes) is filled when there are any.
    int (*step)(void *device, const unsigned char *on, const double *formula, int *missed,
                unsigned char *arrived);
    int (*find_tips)(void *device);
    const char *(*explain)(int error);
} gpu_library;

typedef const gpu_library *gpu_entry(void);
