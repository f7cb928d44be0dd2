// model/cosserat/lanes/gpu.cu - the kernel for a GPU: a thread for each node of a robot, the same text as on a processor;
// and the library.
//
// Rods of one element after Kirchhoff with efforts that are given, each number of nodes compiled for itself: a thread's own numbers stand
// in registers. A warp has as many robots as it has room for; what their nodes read of each other, and
// the tables, stand in shared memory. All others have a thread each: gpu_each.cu.
#define LANE_WIDTH 1
#include <stdio.h>
#include <string.h>

#include "model/cosserat/lanes/gpu_device.cuh"
#include "model/cosserat/lanes/lane.h"

#include "model/cosserat/lanes/kernel_inputs.h"

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

extern __shared__ gpu_number tables[];  // then the room of the teams

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
    if (p->d != 3 || p->n_elements != 1 || p->n_efforts) return kernel_each(p);
    switch (p->n_nodes) {
    case 4: return bare ? bare_4::kernel_of_warps() : laden_4::kernel_of_warps();
    case 5: return bare ? bare_5::kernel_of_warps() : laden_5::kernel_of_warps();
    case 6: return bare ? bare_6::kernel_of_warps() : laden_6::kernel_of_warps();
    case 8: return bare ? bare_8::kernel_of_warps() : laden_8::kernel_of_warps();
    }
    return kernel_each(p);
}

struct device_robots {
    lane_plan plan;
    robot_kernel kernel;
    size_t shared;  // bytes of a block
    int n, n_inputs;
    device_arrays at;
    double *rows;            // there: scratch of put and get
    double *inputs, *taken;  // there (n x n_inputs): of the next step, of the last one of all robots
    double *tips;            // there (n x GPU_TIP)
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
    void *const all[] = {at->numbers, at->records, at->given, at->own,   at->on, at->arrived,
                         at->missed,  r->rows,     r->inputs, r->taken, r->tips};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) cudaFree(all[i]);
    delete r;
}

#define ROWS 4096  // robots that put and get take at a time

// Numbers of plans, rows of `count` that stand `stride` apart here.
static cudaError_t put_numbers(gpu_number *to, const double *from, size_t count, size_t rows, size_t stride) {
    cudaError_t error = cudaSuccess;
    gpu_number *some = new gpu_number[count * ROWS];
    for (size_t first = 0; first < rows && !error; first += ROWS) {
        const size_t n = rows - first < ROWS ? rows - first : ROWS;
        for (size_t i = 0; i < n * count; i++)
            some[i] = (gpu_number)from[(first + i / count) * stride + i % count];
        error = cudaMemcpy(to + first * count, some, sizeof *some * n * count, cudaMemcpyHostToDevice);
    }
    delete[] some;
    return error;
}

static cudaError_t take_room(device_robots *r) {
    const size_t n = (size_t)r->n, d = sizeof(double), inputs = d * r->n_inputs * n + d;
    struct {
        void **at;
        size_t bytes;
    } wants[] = {{(void **)&r->at.numbers, sizeof(gpu_number) * r->plan.n_numbers},
                 {(void **)&r->at.records, d * r->plan.n_record * n},
                 {(void **)&r->at.given, d * r->plan.n_driven * n + d},
                 {(void **)&r->at.on, n},
                 {(void **)&r->at.arrived, n},
                 {(void **)&r->at.missed, sizeof(int)},
                 {(void **)&r->rows, d * r->plan.n_record * ROWS},
                 {(void **)&r->inputs, inputs},
                 {(void **)&r->taken, inputs},
                 {(void **)&r->tips, d * GPU_TIP * n + d}};
    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++) {
        cudaError_t error = cudaMalloc(wants[i].at, wants[i].bytes);
        if (error) return error;
    }
    cudaMemset(r->at.records, 0, d * r->plan.n_record * n);
    cudaMemset(r->inputs, 0, inputs), cudaMemset(r->taken, 0, inputs);
    return put_numbers(r->at.numbers, r->plan.numbers, r->plan.n_numbers, 1, 0);
}

// Shared memory that a block of the kernel takes.
static cudaError_t take_shared(device_robots *r) {
    const bool own = r->at.own != NULL;
    r->shared = r->kernel.room + (r->kernel.tables && !own ? sizeof(gpu_number) * r->plan.n_numbers : 0);
    return cudaFuncSetAttribute(own ? r->kernel.step_own : r->kernel.step,
                                cudaFuncAttributeMaxDynamicSharedMemorySize, (int)r->shared);
}

static void *open_robots(const lane_plan *plan, int n, int n_inputs, char *why, size_t size) {
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error || devices == 0) {
        snprintf(why, size, "there is no GPU: %s", cudaGetErrorString(error));
        return NULL;
    }
    device_robots *r = new device_robots();
    memset(r, 0, sizeof *r);
    r->plan = *plan;
    if (sizeof(gpu_number) == 4 && r->plan.tolerance < FLOAT_TOLERANCE) r->plan.tolerance = FLOAT_TOLERANCE;
    r->kernel = kernel_for(plan), r->n = n, r->n_inputs = n_inputs;
    error = take_shared(r);
    if (!error) error = take_room(r);
    if (!error) return r;
    snprintf(why, size, "the GPU: %s", cudaGetErrorString(error));
    close_robots(r);
    return NULL;
}

static gpu_arrays arrays(void *device) {
    const device_robots *r = (device_robots *)device;
    return {r->inputs, r->tips};
}

// Memory that the device reads by itself.
static void *take_memory(size_t bytes) {
    void *memory = NULL;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocDefault)) return NULL;
    return memset(memory, 0, bytes);
}

static void free_memory(void *memory) {
    cudaFreeHost(memory);
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

static int put_own(void *device, const double *numbers, size_t stride) {
    device_robots *r = (device_robots *)device;
    const size_t row = sizeof(gpu_number) * r->plan.n_numbers;
    cudaError_t error = r->at.own ? cudaSuccess : cudaMalloc((void **)&r->at.own, row * r->n);
    if (!error) error = take_shared(r);
    if (!error) error = put_numbers(r->at.own, numbers, r->plan.n_numbers, r->n, stride);
    return error;
}

static __global__ void give_all(const __grid_constant__ lane_plan plan, const __grid_constant__ device_arrays to,
                                const double *inputs, int n_inputs, int n) {
    const int robot = blockIdx.x * blockDim.x + threadIdx.x;
    if (robot >= n) return;
    const gpu_number *numbers = to.own ? to.own + (size_t)robot * plan.n_numbers : to.numbers;
    give_actuators(&plan, numbers, inputs + (size_t)robot * n_inputs, n_inputs, to.given + robot, (size_t)n);
}

static size_t input_bytes(const device_robots *r) {
    return sizeof(double) * r->n_inputs * (size_t)r->n;
}

static int take(void *device, const double *inputs) {
    device_robots *r = (device_robots *)device;
    if (inputs) cudaMemcpyAsync(r->inputs, inputs, input_bytes(r), cudaMemcpyHostToDevice);
    give_all<<<blocks(r->n), GPU_BLOCK>>>(r->plan, r->at, r->inputs, r->n_inputs, r->n);
    return cudaGetLastError();
}

static int get_inputs(void *device, int next, double *inputs) {
    device_robots *r = (device_robots *)device;
    return cudaMemcpy(inputs, next ? r->inputs : r->taken, input_bytes(r), cudaMemcpyDeviceToHost);
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
    step_kernel *kernel = at.own ? r->kernel.step_own : r->kernel.step;
    kernel<<<blocks, r->kernel.threads, r->shared>>>(r->plan, f, at, r->n);
    cudaError_t error = cudaGetLastError();
    if (!error) error = cudaMemcpy(missed, at.missed, sizeof(int), cudaMemcpyDeviceToHost);
    if (!error && *missed) error = cudaMemcpy(arrived, at.arrived, r->n, cudaMemcpyDeviceToHost);
    if (!error && !*missed && !on)
        error = cudaMemcpyAsync(r->taken, r->inputs, input_bytes(r), cudaMemcpyDeviceToDevice);
    return error;
}

static int find_tips(void *device) {
    device_robots *r = (device_robots *)device;
    launch_tips(r->plan, r->at, r->tips, r->n);
    const cudaError_t error = cudaGetLastError();
    return error ? error : cudaDeviceSynchronize();
}

static const char *explain(int error) {
    return cudaGetErrorString((cudaError_t)error);
}

extern "C" const gpu_library *tendril_gpu(void) {
    static const gpu_library library = {
        GPU_VERSION, sizeof(lane_plan), 2,   sizeof(gpu_number), open_robots, close_robots, arrays,     take_memory, free_memory,
        put,         get,               put_own, give,        take,         get_inputs, step,        find_tips,
        explain};
    return &library;
}
