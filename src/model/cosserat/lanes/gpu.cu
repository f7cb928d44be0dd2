// model/cosserat/lanes/gpu.cu - the kernel for a GPU: a thread for each node of a robot, the same text as on a processor.
//
// Rods of one element after Kirchhoff, each number of nodes compiled for itself: a thread's own numbers stand
// in registers. A warp has as many robots as it has room for; what their nodes read of each other, and
// the tables, stand in shared memory.
#define LANE_WIDTH 1
#include <stdio.h>
#include <string.h>

#include "model/cosserat/lanes/gpu.h"
#include "model/cosserat/lanes/lane.h"

#define KERNEL_TEAM
#define EACH_NODE(i, n) for (int i = k->node, meant = (n) > 0; meant; meant = 0)
#define OWN(node) 0
#define TEAM_MEETS(k) __syncwarp((k)->mates)
#define TEAM_ANY(k, mask) __any_sync((k)->mates, (mask) != 0)
#define TEAM_LEADS(k) ((k)->node == 0)
#define KERNEL_ELEMENTS 1
#define n_nodes_of(plan) KERNEL_NODES
#define n_nodes_in(element) KERNEL_NODES
#define KERNEL_LOOP _Pragma("unroll 1")
#define KERNEL_UNROLLED _Pragma("unroll")  // before loops over what stands in registers
#define GPU_BLOCK 128                      // threads, but for steps

#define NAMED_(name, n) name##n
#define NAMED(name, n) NAMED_(name, n)

extern __shared__ double tables[];  // then the room of the teams

struct formula_values {
    double c[FORMULA_SIZE];
};

struct device_arrays {  // on the device
    double *numbers, *records, *given;
    unsigned char *on, *arrived;  // on: NULL, all
    int *missed;
};

typedef void step_kernel(const lane_plan plan, const formula_values formula, const device_arrays to, int n);

struct robot_kernel {
    step_kernel *step;
    int threads, per_block;  // of a block: threads, robots
    size_t room;             // bytes of shared memory, the tables apart
};

// Warps of a block, at most, and blocks of a multiprocessor, as they were fastest on an H200: its shared memory holds no
// more of them.
#define SHARED_BYTES (227 * 1024)  // of a multiprocessor
#define TABLE_BYTES (8 * 1024)     // about as large as tables are

#define KERNEL_NODES 4
#define KERNEL_UNKNOWNS 12
#define KERNEL_APART 6
#define KERNEL_ROW 36
#define KERNEL_BANKS 15
#define KERNEL_WARPS 5
#define KERNEL_BLOCKS 2
#include "model/cosserat/lanes/kernel_nodes.cuh"

#define KERNEL_NODES 5
#define KERNEL_UNKNOWNS 15
#define KERNEL_APART 1
#define KERNEL_ROW 47
#define KERNEL_BANKS 11
#define KERNEL_WARPS 5
#define KERNEL_BLOCKS 2
#include "model/cosserat/lanes/kernel_nodes.cuh"

#define KERNEL_NODES 6
#define KERNEL_UNKNOWNS 18
#define KERNEL_APART 1
#define KERNEL_ROW 55
#define KERNEL_BANKS 10
#define KERNEL_WARPS 4
#define KERNEL_BLOCKS 2
#include "model/cosserat/lanes/kernel_nodes.cuh"

#define KERNEL_NODES 8
#define KERNEL_UNKNOWNS 24
#define KERNEL_APART 4
#define KERNEL_ROW 74
#define KERNEL_BANKS 7
#define KERNEL_WARPS 7
#define KERNEL_BLOCKS 1
#include "model/cosserat/lanes/kernel_nodes.cuh"

static robot_kernel kernel_for(const lane_plan *p) {
    const bool bare = !p->elements[0].spread && !p->elements[0].ends && !p->elements[0].riders;
    if (p->d != 3 || p->n_elements != 1) return {};
    switch (p->n_nodes) {
    case 4: return bare ? bare_4::kernel_of_warps() : laden_4::kernel_of_warps();
    case 5: return bare ? bare_5::kernel_of_warps() : laden_5::kernel_of_warps();
    case 6: return bare ? bare_6::kernel_of_warps() : laden_6::kernel_of_warps();
    case 8: return bare ? bare_8::kernel_of_warps() : laden_8::kernel_of_warps();
    }
    return {};
}

struct device_robots {
    lane_plan plan;
    robot_kernel kernel;
    size_t shared;  // bytes of a block
    int n;
    device_arrays at;
    double *rows;  // there: scratch of put and get
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

static int blocks(size_t n) {
    return (int)((n + GPU_BLOCK - 1) / GPU_BLOCK);
}

static void close_robots(void *device) {
    device_robots *r = (device_robots *)device;
    if (!r) return;
    const device_arrays *at = &r->at;
    void *const all[] = {at->numbers, at->records, at->given, at->on, at->arrived, at->missed, r->rows};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) cudaFree(all[i]);
    delete r;
}

#define ROWS 4096  // robots that put and get take at a time

static cudaError_t take_room(device_robots *r) {
    const size_t n = (size_t)r->n, d = sizeof(double);
    struct {
        void **at;
        size_t bytes;
    } wants[] = {{(void **)&r->at.numbers, d * r->plan.n_numbers},
                 {(void **)&r->at.records, d * r->plan.n_record * n},
                 {(void **)&r->at.given, d * r->plan.n_driven * n + d},
                 {(void **)&r->at.on, n},
                 {(void **)&r->at.arrived, n},
                 {(void **)&r->at.missed, sizeof(int)},
                 {(void **)&r->rows, d * r->plan.n_record * ROWS}};
    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++) {
        cudaError_t error = cudaMalloc(wants[i].at, wants[i].bytes);
        if (error) return error;
    }
    cudaMemset(r->at.records, 0, d * r->plan.n_record * n);
    return cudaMemcpy(r->at.numbers, r->plan.numbers, d * r->plan.n_numbers, cudaMemcpyHostToDevice);
}

static void *open_robots(const lane_plan *plan, int n, char *why, size_t size) {
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error || devices == 0) {
        snprintf(why, size, "there is no GPU: %s", cudaGetErrorString(error));
        return NULL;
    }
    const robot_kernel kernel = kernel_for(plan);
    if (!kernel.step) {
        snprintf(why, size, "the GPU has kernels for rods of one element after Kirchhoff with 4, 5, 6 or 8 nodes");
        return NULL;
    }
    device_robots *r = new device_robots();
    memset(r, 0, sizeof *r);
    r->plan = *plan, r->kernel = kernel, r->n = n;
    r->shared = sizeof(double) * plan->n_numbers + kernel.room;
    error = cudaFuncSetAttribute(kernel.step, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)r->shared);
    if (!error) error = take_room(r);
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
        turn<<<blocks((size_t)some * r->plan.n_record), GPU_BLOCK>>>(r->at.records, r->rows, r->n, r->plan.n_record,
                                                                    first + at, some, true);
    }
    return cudaGetLastError();
}

static int get(void *device, int first, int count, double *records, size_t stride) {
    device_robots *r = (device_robots *)device;
    const size_t row = sizeof(double) * r->plan.n_record;
    for (int at = 0; at < count; at += ROWS) {
        const int some = count - at < ROWS ? count - at : ROWS;
        turn<<<blocks((size_t)some * r->plan.n_record), GPU_BLOCK>>>(r->at.records, r->rows, r->n, r->plan.n_record,
                                                                    first + at, some, false);
        cudaError_t error = cudaMemcpy2D(records + at * stride, sizeof(double) * stride, r->rows, row, row, some,
                                         cudaMemcpyDeviceToHost);
        if (error) return error;
    }
    return cudaGetLastError();
}

static int give(void *device, const double *given) {
    device_robots *r = (device_robots *)device;
    return cudaMemcpy(r->at.given, given, sizeof(double) * r->plan.n_driven * (size_t)r->n, cudaMemcpyHostToDevice);
}

static int step(void *device, const unsigned char *on, const double *formula, int *missed, unsigned char *arrived) {
    device_robots *r = (device_robots *)device;
    formula_values f;
    memcpy(f.c, formula, sizeof f.c);
    device_arrays at = r->at;
    if (on) cudaMemcpyAsync(at.on, on, r->n, cudaMemcpyHostToDevice);
    else at.on = NULL;
    cudaMemsetAsync(at.missed, 0, sizeof(int));
    const int blocks = (r->n + r->kernel.per_block - 1) / r->kernel.per_block;
    r->kernel.step<<<blocks, r->kernel.threads, r->shared>>>(r->plan, f, at, r->n);
    cudaError_t error = cudaGetLastError();
    if (!error) error = cudaMemcpy(missed, at.missed, sizeof(int), cudaMemcpyDeviceToHost);
    if (!error && *missed) error = cudaMemcpy(arrived, at.arrived, r->n, cudaMemcpyDeviceToHost);
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
