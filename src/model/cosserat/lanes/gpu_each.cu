// model/cosserat/lanes/gpu_each.cu - the kernel for a GPU, a thread for each robot: for all that the teams of gpu.cu do not
// know, shear and stretch, several elements, efforts that are not given. Its arrays stand in local memory.
#define LANE_WIDTH 1
#include <stdio.h>

#include "model/cosserat/lanes/gpu_device.cuh"
#include "model/cosserat/lanes/lane.h"

#define KERNEL_NODES PLAN_NODES
#define KERNEL_UNKNOWNS PLAN_UNKNOWNS
#define KERNEL_ELEMENTS PLAN_ELEMENTS
#define KERNEL_TIP 1
#define n_nodes_of(plan) ((plan)->n_nodes)
#define n_nodes_in(element) ((element)->n)
#define CARRIES(element, what) ((element)->what)
#define KERNEL_LOOP _Pragma("unroll 1")
#define KERNEL_UNROLLED
#include "model/cosserat/lanes/kernel.h"
#include "model/cosserat/lanes/kernel_tip.h"

#define EACH_BLOCK 64  // threads

static __device__ kernel kernel_for(const lane_plan &plan, const device_arrays &to, int robot, int n) {
    kernel k;
    k.plan = &plan, k.given = to.given + robot, k.record = to.records + robot, k.stride = (size_t)n;
    k.t = (const plan_number *)(to.own ? to.own + (size_t)robot * plan.n_numbers : to.numbers);
    return k;
}

template <int d>
__global__ void __launch_bounds__(EACH_BLOCK)
    step_each(const __grid_constant__ lane_plan plan, const __grid_constant__ formula_values formula,
              const __grid_constant__ device_arrays to, int n) {
    const int robot = blockIdx.x * EACH_BLOCK + threadIdx.x;
    if (robot >= n) return;
    kernel k = kernel_for(plan, to, robot, n);
    kernel_motion m;
    kernel_formula f;
    lane J[KERNEL_UNKNOWNS * KERNEL_UNKNOWNS], result[RESULT_SIZE];
    for (int i = 0; i < 3; i++)
        f.c[i] = formula.c[FORMULA_C + i], f.guess[i] = formula.c[FORMULA_GUESS + i];
    f.d1 = formula.c[FORMULA_D1], f.on = to.on ? to.on[robot] : 1.0, f.jumped = 0.0;
    const lane_mask good = step_team(&k, &m, J, &f, result, d);
    to.arrived[robot] = good != 0;
    if (!good && lane_less(0.0, f.on)) atomicAdd(to.missed, 1);
}

template <int d>
__global__ void __launch_bounds__(EACH_BLOCK)
    tip_each(const __grid_constant__ lane_plan plan, const __grid_constant__ device_arrays to, double *tips, int n) {
    const int robot = blockIdx.x * EACH_BLOCK + threadIdx.x;
    if (robot >= n) return;
    kernel k = kernel_for(plan, to, robot, n);
    kernel_motion m;
    find_tip(&k, &m, tips + (size_t)robot * GPU_TIP, d);
}

robot_kernel kernel_each(const lane_plan *plan) {
    robot_kernel out = {};
    out.step = out.step_own = plan->d == 3 ? step_each<3> : step_each<6>;
    out.threads = out.per_block = EACH_BLOCK;
    return out;
}

void launch_tips(const lane_plan &plan, const device_arrays &to, double *tips, int n) {
    const int blocks = (n + EACH_BLOCK - 1) / EACH_BLOCK;
    if (plan.d == 3) tip_each<3><<<blocks, EACH_BLOCK>>>(plan, to, tips, n);
    else tip_each<6><<<blocks, EACH_BLOCK>>>(plan, to, tips, n);
}
