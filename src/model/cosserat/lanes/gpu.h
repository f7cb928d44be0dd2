// model/cosserat/lanes/gpu.h - the kernel on a GPU: what the library tendril_gpu, loaded where it is, offers.
//
// A thread for each node of a robot; number i of robot k stands at i * n + k of the device's records.
#pragma once

#include "model/cosserat/lanes/plan.h"

#define GPU_VERSION 1  // of this interface
#define GPU_LIBRARY "libtendril_gpu.so"
#define GPU_ENTRY "tendril_gpu"

// Functions that return an int: 0, or the number of an error, which `explain` has the words of.
typedef struct gpu_library {
    int version;
    size_t plan_bytes;  // of a lane_plan, as it was compiled
    // NULL: why not.
    void *(*attach)(const lane_plan *plan, int n, char *why, size_t size);
    void (*detach)(void *device);
    // `count` robots from `first` on; theirs stand `stride` doubles apart on this side.
    int (*put)(void *device, int first, int count, const double *records, size_t stride);
    int (*get)(void *device, int first, int count, double *records, size_t stride);
    int (*give)(void *device, const double *given);  // (n_driven x n)
    // A step of those that are `on` (n bytes; NULL: all) by one formula (FORMULA_ON of them). *missed: how many have not
    // arrived; arrived (n bytes) is filled when there are any.
    int (*step)(void *device, const unsigned char *on, const double *formula, int *missed,
                unsigned char *arrived);
    const char *(*explain)(int error);
} gpu_library;

typedef const gpu_library *gpu_entry(void);
