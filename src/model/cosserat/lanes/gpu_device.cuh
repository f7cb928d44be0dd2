// model/cosserat/lanes/gpu_device.cuh - what kernels on a GPU are given.
#pragma once

#include "model/cosserat/lanes/gpu.h"

struct formula_values {
    double c[FORMULA_SIZE];
};

struct device_arrays {  // on the device
    double *records, *given;
    gpu_number *numbers;
    gpu_number *own;              // (n x n_numbers) NULL: all robots have those of the plan
    unsigned char *on, *arrived;  // on: NULL, all
    int *missed;
};

typedef void step_kernel(const lane_plan plan, const formula_values formula, const device_arrays to, int n);

struct robot_kernel {
    step_kernel *step, *step_own;
    int threads, per_block;  // of a block: threads, robots
    size_t room;             // bytes of shared memory, the tables apart
    bool tables;             // they stand there, too
};

// ---------------------------------------------------------------- gpu_each.cu: a thread for each robot, whatever it is
robot_kernel kernel_each(const lane_plan *plan);
void launch_tips(const lane_plan &plan, const device_arrays &to, double *tips, int n);
