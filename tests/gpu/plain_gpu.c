// tests/gpu/plain_gpu.c - the library of the GPU, computed by a processor: what batches do with it can be tested
// where there is none. Robots stand as they would there, and every 16th is stepped by a team of threads, as there.
//
// PLAIN_FLOAT: in single precision, without the teams.
#define LANE_WIDTH 1
#define KERNEL_TIP 1
#if defined(PLAIN_FLOAT)
#define LANE_FLOAT
#define KERNEL_NUMBERS(plan) ((const plan_number *)(const void *)(plan)->numbers)
#endif
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/cosserat/lanes/gpu.h"
#include "model/cosserat/lanes/kernel.h"
#include "model/cosserat/lanes/kernel_inputs.h"
#include "model/cosserat/lanes/kernel_tip.h"
#if defined(LANE_FLOAT)
#define step_by_team step_by_one
#else
#include "plain_team.h"
#endif

typedef struct robots {
    lane_plan plan;
    size_t n, n_inputs;
    double *records, *given, *inputs, *taken, *tips;
    gpu_number *numbers;  // of the plan, or each robot's own
    bool own;
} robots;

static double *room(size_t doubles) {
    double *made = calloc(doubles + 1, sizeof *made);
    if (!made) abort();
    return made;
}

static void *open_robots(const lane_plan *plan, int n, int n_inputs, char *why, size_t size) {
    (void)why, (void)size;
    robots *r = calloc(1, sizeof *r);
    if (!r) abort();
    *r = (robots){.plan = *plan, .n = (size_t)n, .n_inputs = (size_t)n_inputs};
    r->records = room(r->n * (size_t)plan->n_record);
    r->given = room(r->n * (size_t)plan->n_driven);
    r->inputs = room(r->n * r->n_inputs), r->taken = room(r->n * r->n_inputs);
    r->tips = room(r->n * GPU_TIP);
    if (sizeof(gpu_number) == 4) r->plan.tolerance = fmax(plan->tolerance, FLOAT_TOLERANCE);
    r->numbers = calloc((size_t)plan->n_numbers, sizeof *r->numbers);
    if (!r->numbers) abort();
    for (int i = 0; i < plan->n_numbers; i++) r->numbers[i] = (gpu_number)plan->numbers[i];
    return r;
}

static void close_robots(void *device) {
    robots *r = device;
    free(r->records), free(r->given), free(r->numbers), free(r->inputs), free(r->taken),
        free(r->tips);
    free(r);
}

static gpu_arrays arrays(void *device) {
    const robots *r = device;
    return (gpu_arrays){r->inputs, r->tips};
}

static void *take_memory(size_t bytes) {
    return calloc(bytes, 1);
}

static int put(void *device, int first, int count, const double *records, size_t stride) {
    robots *r = device;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < r->plan.n_record; k++)
            r->records[(size_t)k * r->n + (size_t)(first + i)] =
                records[(size_t)i * stride + (size_t)k];
    return 0;
}

static int get(void *device, int first, int count, double *records, size_t stride) {
    robots *r = device;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < r->plan.n_record; k++)
            records[(size_t)i * stride + (size_t)k] =
                r->records[(size_t)k * r->n + (size_t)(first + i)];
    return 0;
}

static int put_own(void *device, const double *numbers, size_t stride) {
    robots *r = device;
    const size_t row = (size_t)r->plan.n_numbers;
    gpu_number *own = realloc(r->numbers, sizeof *own * (r->n * row + 1));
    if (!own) abort();
    r->numbers = own, r->own = true;
    for (size_t i = 0; i < r->n * row; i++)
        own[i] = (gpu_number)numbers[i / row * stride + i % row];
    return 0;
}

static int give(void *device, const double *given) {
    robots *r = device;
    memcpy(r->given, given, sizeof(double) * r->n * (size_t)r->plan.n_driven);
    return 0;
}

static const gpu_number *numbers_of(const robots *r, size_t robot) {
    return r->numbers + (r->own ? robot * (size_t)r->plan.n_numbers : 0);
}

// The plan with the numbers of a robot, whatever they are.
static lane_plan plan_of(const robots *r, size_t robot) {
    lane_plan plan = r->plan;
    plan.numbers = (const double *)(const void *)numbers_of(r, robot);
    return plan;
}

static int take(void *device, const double *inputs) {
    robots *r = device;
    if (inputs) memcpy(r->inputs, inputs, sizeof(double) * r->n * r->n_inputs);
    for (size_t i = 0; i < r->n; i++) {
        give_actuators(&r->plan, numbers_of(r, i), r->inputs + i * r->n_inputs, (int)r->n_inputs,
                       r->given + i, r->n);
    }
    return 0;
}

static int get_inputs(void *device, int next, double *inputs) {
    const robots *r = device;
    memcpy(inputs, next ? r->inputs : r->taken, sizeof(double) * r->n * r->n_inputs);
    return 0;
}

static void step_by_one(const lane_plan *plan, double *record, const double *formula,
                        const double *given, double *result) {
    step_robots(plan, record, 1, formula, given, NULL, result, plan->d);
}

static void read_column(const double *from, size_t n, size_t robot, int count, double *to) {
    for (int k = 0; k < count; k++) to[k] = from[(size_t)k * n + robot];
}

static int step(void *device, const unsigned char *on, const double *formula, int *missed,
                unsigned char *arrived) {
    robots *r = device;
    *missed = 0;
    for (size_t i = 0; i < r->n; i++) {
        double own[FORMULA_SIZE], result[RESULT_SIZE], given[PLAN_GIVEN], record[PLAN_RECORD];
        const lane_plan plan = plan_of(r, i);
        const bool team = plan.d == 3 && plan.n_elements == 1 && !plan.n_efforts && i % 16 == 5;
        memcpy(own, formula, sizeof own);
        own[FORMULA_ON] = !on || on[i];
        read_column(r->records, r->n, i, plan.n_record, record);
        read_column(r->given, r->n, i, plan.n_driven, given);
        (team ? step_by_team : step_by_one)(&plan, record, own, given, result);
        for (int k = 0; k < plan.n_record; k++) r->records[(size_t)k * r->n + i] = record[k];
        arrived[i] = result[RESULT_ARRIVED] != 0.0;
        *missed += !arrived[i] && own[FORMULA_ON] != 0.0;
    }
    if (!on && !*missed) memcpy(r->taken, r->inputs, sizeof(double) * r->n * r->n_inputs);
    return 0;
}

static int find_tips(void *device) {
    robots *r = device;
    for (size_t i = 0; i < r->n; i++) {
        const lane_plan plan = plan_of(r, i);
        kernel k = {.plan = &plan, .t = numbers_of(r, i), .stride = r->n};
        kernel_motion m;
        k.given = r->given + i, k.record = r->records + i;
        find_tip(&k, &m, r->tips + i * GPU_TIP, plan.d);
    }
    return 0;
}

static const char *explain(int error) {
    (void)error;
    return "";
}

const gpu_library *tendril_gpu(void);
const gpu_library *tendril_gpu(void) {
    static const gpu_library library = {GPU_VERSION, sizeof(lane_plan),
                                        1,           sizeof(gpu_number),
                                        open_robots, close_robots,
                                        arrays,      take_memory,
                                        free,        put,
                                        get,         put_own,
                                        give,        take,
                                        get_inputs,  step,
                                        find_tips,   explain};
    return &library;
}
