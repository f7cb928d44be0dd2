// tests/gpu/plain_gpu.c - the library of the GPU, computed by a processor: what batches do with it can be tested
// where there is none. Robots stand as they would there, and every 16th is stepped by a team of threads, as there.
#define LANE_WIDTH 1
#include <stdlib.h>
#include <string.h>

#include "model/cosserat/lanes/gpu.h"
#include "model/cosserat/lanes/kernel.h"
#include "plain_team.h"

typedef struct robots {
    lane_plan plan;
    size_t n;
    double *records, *given;
} robots;

static void *open_robots(const lane_plan *plan, int n, char *why, size_t size) {
    (void)why, (void)size;
    robots *r = calloc(1, sizeof *r);
    *r = (robots){.plan = *plan, .n = (size_t)n};
    r->records = calloc(r->n * (size_t)plan->n_record, sizeof(double));
    r->given = calloc(r->n * (size_t)plan->n_driven + 1, sizeof(double));
    return r;
}

static void close_robots(void *device) {
    robots *r = device;
    free(r->records), free(r->given), free(r);
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

static int give(void *device, const double *given) {
    robots *r = device;
    memcpy(r->given, given, sizeof(double) * r->n * (size_t)r->plan.n_driven);
    return 0;
}

static void step_by_one(const lane_plan *plan, double *record, const double *formula,
                        const double *given, double *result) {
    step_robots(plan, record, 1, formula, given, result, 3);
}

static int step(void *device, const unsigned char *on, const double *formula, int *missed,
                unsigned char *arrived) {
    robots *r = device;
    *missed = 0;
    for (size_t i = 0; i < r->n; i++) {
        double own[FORMULA_SIZE], result[RESULT_SIZE], column[PLAN_GIVEN], *record;
        memcpy(own, formula, sizeof own);
        own[FORMULA_ON] = !on || on[i];
        record = malloc(sizeof(double) * (size_t)r->plan.n_record);
        for (int k = 0; k < r->plan.n_record; k++) record[k] = r->records[(size_t)k * r->n + i];
        for (int k = 0; k < r->plan.n_driven; k++) column[k] = r->given[(size_t)k * r->n + i];
        (i % 16 == 5 ? step_by_team : step_by_one)(&r->plan, record, own, column, result);
        for (int k = 0; k < r->plan.n_record; k++) r->records[(size_t)k * r->n + i] = record[k];
        free(record);
        arrived[i] = result[RESULT_ARRIVED] != 0.0;
        *missed += !arrived[i] && own[FORMULA_ON] != 0.0;
    }
    return 0;
}

static const char *explain(int error) {
    (void)error;
    return "";
}

const gpu_library *tendril_gpu(void);
const gpu_library *tendril_gpu(void) {
    static const gpu_library library = {
        GPU_VERSION, sizeof(lane_plan), open_robots, close_robots, put, get, give, step, explain};
    return &library;
}
