// model/cosserat/lanes/gpu.cu - the kernel for a GPU: one robot a thread, the same text as on a processor.
//
// Rods of one element after Kirchhoff, with 4, 5, 6 or 8 nodes, each compiled for its number of nodes: arrays of
// a thread stand in registers and local memory, which are scarce. Tables are constants of the device.
#define LANE_WIDTH 1
#include <stdio.h>
#include <string.h>

#include "model/cosserat/lanes/gpu.h"
#include "model/cosserat/lanes/lane.h"

#define MOST_NUMBERS 6144
__constant__ double constant_numbers[MOST_NUMBERS];

#define KERNEL_ELEMENTS 1
#define KERNEL_NUMBERS(plan) constant_numbers
#define KERNEL_LOOP _Pragma("unroll 1")
#ifndef GPU_BLOCK
#define GPU_BLOCK 128
#endif

#define STEP_ALL                                                                                   \
    __global__ void __launch_bounds__(GPU_BLOCK)                                                   \
        step_all(const __grid_constant__ lane_plan plan, double *records, const double *formula,   \
                 const double *given, double *result, int n) {                                     \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                       \
        if (i < n)                                                                                 \
            step_robots(&plan, records + i, (size_t)n, formula + i, given + i, result + i, 3,      \
                        KERNEL_NODES);                                                             \
    }

#define KERNEL_NODES 4
#define KERNEL_UNKNOWNS 12
namespace nodes_4 {
#include "model/cosserat/lanes/kernel.h"
STEP_ALL
}
#undef KERNEL_NODES
#undef KERNEL_UNKNOWNS
#define KERNEL_NODES 5
#define KERNEL_UNKNOWNS 15
namespace nodes_5 {
#include "model/cosserat/lanes/kernel.h"
STEP_ALL
}
#undef KERNEL_NODES
#undef KERNEL_UNKNOWNS
#define KERNEL_NODES 6
#define KERNEL_UNKNOWNS 18
namespace nodes_6 {
#include "model/cosserat/lanes/kernel.h"
STEP_ALL
}
#undef KERNEL_NODES
#undef KERNEL_UNKNOWNS
#define KERNEL_NODES 8
#define KERNEL_UNKNOWNS 24
namespace nodes_8 {
#include "model/cosserat/lanes/kernel.h"
STEP_ALL
}

typedef void step_kernel(const lane_plan plan, double *records, const double *formula,
                         const double *given, double *result, int n);

static step_kernel *kernel_for(const lane_plan *p) {
    if (p->d != 3 || p->n_elements != 1) return NULL;
    switch (p->n_nodes) {
    case 4: return nodes_4::step_all;
    case 5: return nodes_5::step_all;
    case 6: return nodes_6::step_all;
    case 8: return nodes_8::step_all;
    }
    return NULL;
}

struct device_robots {
    lane_plan plan;
    step_kernel *step;
    int n;
    double *records, *formula, *given, *result;  // on the device
    double *rows;                                // there: scratch of put and get
    double *numbers;                             // there
    unsigned char *on, *arrived;                 // there
    int *missed;                                 // there
};

// Rows of robots into columns, and back.
static __global__ void turn(double *records, double *rows, int n, int numbers, int first, int count, bool in) {
    const size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (at >= (size_t)count * numbers) return;
    const size_t number = at / count, robot = at % count;
    double *a = records + number * n + first + robot, *b = rows + robot * numbers + number;
    if (in) *a = *b;
    else *b = *a;
}

struct formula_values {
    double c[FORMULA_SIZE];
};

static __global__ void set_formula(formula_values f, const unsigned char *on, double *to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < FORMULA_SIZE; k++) to[(size_t)k * n + i] = f.c[k];
    if (on) to[(size_t)FORMULA_ON * n + i] = on[i];
}

static __global__ void count_missed(const double *result, const unsigned char *on, unsigned char *arrived, int n,
                                    int *missed) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    arrived[i] = result[(size_t)RESULT_ARRIVED * n + i] != 0.0;
    if (!arrived[i] && (!on || on[i])) atomicAdd(missed, 1);
}

static int blocks(size_t n) {
    return (int)((n + GPU_BLOCK - 1) / GPU_BLOCK);
}

static void close_robots(void *device) {
    device_robots *r = (device_robots *)device;
    if (!r) return;
    void *const all[] = {r->records, r->formula, r->given, r->result, r->rows, r->numbers, r->on, r->arrived, r->missed};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) cudaFree(all[i]);
    delete r;
}

#define ROWS 4096  // robots that put and get take at a time

static cudaError_t take_room(device_robots *r) {
    const size_t n = (size_t)r->n, d = sizeof(double);
    struct {
        void **at;
        size_t bytes;
    } wants[] = {{(void **)&r->records, d * r->plan.n_record * n},
                 {(void **)&r->formula, d * FORMULA_SIZE * n},
                 {(void **)&r->given, d * r->plan.n_driven * n + d},
                 {(void **)&r->result, d * RESULT_SIZE * n},
                 {(void **)&r->rows, d * r->plan.n_record * ROWS},
                 {(void **)&r->numbers, d * r->plan.n_numbers},
                 {(void **)&r->on, n},
                 {(void **)&r->arrived, n},
                 {(void **)&r->missed, sizeof(int)}};
    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++) {
        cudaError_t error = cudaMalloc(wants[i].at, wants[i].bytes);
        if (error) return error;
    }
    cudaMemset(r->records, 0, d * r->plan.n_record * n);
    return cudaMemcpy(r->numbers, r->plan.numbers, d * r->plan.n_numbers, cudaMemcpyHostToDevice);
}

static void *open_robots(const lane_plan *plan, int n, char *why, size_t size) {
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error || devices == 0) {
        snprintf(why, size, "there is no GPU: %s", cudaGetErrorString(error));
        return NULL;
    }
    step_kernel *step = kernel_for(plan);
    if (!step || plan->n_numbers > MOST_NUMBERS) {
        snprintf(why, size, "the GPU has kernels for rods of one element after Kirchhoff with 4, 5, 6 or 8 nodes");
        return NULL;
    }
    device_robots *r = new device_robots();
    memset(r, 0, sizeof *r);
    r->plan = *plan, r->step = step, r->n = n;
    error = take_room(r);
    if (!error) return r;
    snprintf(why, size, "the GPU: %s", cudaGetErrorString(error));
    close_robots(r);
    return NULL;
}

static int put(void *device, int first, int count, const double *records, size_t stride) {
    device_robots *r = (device_robots *)device;
    const size_t row = sizeof(double) * r->plan.n_record;
    for (int at = 0; at < count; at += ROWS) {
        const int some = count - at < ROWS ? count - at : ROWS;
        cudaError_t error = cudaMemcpy2D(r->rows, row, records + at * stride, sizeof(double) * stride, row, some,
                                         cudaMemcpyHostToDevice);
        if (error) return error;
        turn<<<blocks((size_t)some * r->plan.n_record), GPU_BLOCK>>>(r->records, r->rows, r->n, r->plan.n_record,
                                                                    first + at, some, true);
    }
    return cudaGetLastError();
}

static int get(void *device, int first, int count, double *records, size_t stride) {
    device_robots *r = (device_robots *)device;
    const size_t row = sizeof(double) * r->plan.n_record;
    for (int at = 0; at < count; at += ROWS) {
        const int some = count - at < ROWS ? count - at : ROWS;
        turn<<<blocks((size_t)some * r->plan.n_record), GPU_BLOCK>>>(r->records, r->rows, r->n, r->plan.n_record,
                                                                    first + at, some, false);
        cudaError_t error = cudaMemcpy2D(records + at * stride, sizeof(double) * stride, r->rows, row, row, some,
                                         cudaMemcpyDeviceToHost);
        if (error) return error;
    }
    return cudaGetLastError();
}

static int give(void *device, const double *given) {
    device_robots *r = (device_robots *)device;
    return cudaMemcpy(r->given, given, sizeof(double) * r->plan.n_driven * (size_t)r->n, cudaMemcpyHostToDevice);
}

// The tables of the robots that step now: another batch may have left its own.
static cudaError_t use_tables(const device_robots *r) {
    return cudaMemcpyToSymbolAsync(constant_numbers, r->numbers, sizeof(double) * r->plan.n_numbers, 0,
                                   cudaMemcpyDeviceToDevice);
}

static int step(void *device, const unsigned char *on, const double *formula, int *missed, unsigned char *arrived) {
    device_robots *r = (device_robots *)device;
    formula_values f;
    memcpy(f.c, formula, sizeof f.c);
    unsigned char *mask = on ? r->on : NULL;
    if (on) cudaMemcpyAsync(r->on, on, r->n, cudaMemcpyHostToDevice);
    cudaMemsetAsync(r->missed, 0, sizeof(int));
    cudaError_t error = use_tables(r);
    if (error) return error;
    set_formula<<<blocks(r->n), GPU_BLOCK>>>(f, mask, r->formula, r->n);
    r->step<<<blocks(r->n), GPU_BLOCK>>>(r->plan, r->records, r->formula, r->given, r->result, r->n);
    count_missed<<<blocks(r->n), GPU_BLOCK>>>(r->result, mask, r->arrived, r->n, r->missed);
    error = cudaGetLastError();
    if (!error) error = cudaMemcpy(missed, r->missed, sizeof(int), cudaMemcpyDeviceToHost);
    if (!error && *missed) error = cudaMemcpy(arrived, r->arrived, r->n, cudaMemcpyDeviceToHost);
    return error;
}

static const char *explain(int error) {
    return cudaGetErrorString((cudaError_t)error);
}

extern "C" const gpu_library *tendril_gpu(void) {
    static const gpu_library library = {GPU_VERSION, sizeof(lane_plan), open_robots, close_robots, put, get, give,
                                        step,        explain};
    return &library;
}
