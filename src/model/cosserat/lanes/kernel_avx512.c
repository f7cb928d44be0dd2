// model/cosserat/lanes/kernel_avx512.c - the kernel, 8 robots side by side.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define LANE_WIDTH 8
#include "model/cosserat/lanes/kernel.h"

LANE_LARGE void step_kirchhoff(const lane_plan *plan, double *record, const double *formula,
                               const double *given, double *result) {
    step_robots(plan, record, LANE_WIDTH, formula, given, result, 3, 0);
}

LANE_LARGE void step_cosserat(const lane_plan *plan, double *record, const double *formula,
                              const double *given, double *result) {
    step_robots(plan, record, LANE_WIDTH, formula, given, result, 6, 0);
}

void kernel_step_avx512(const lane_plan *plan, double *record, const double *formula,
                        const double *given, double *result) {
    (plan->d == 3 ? step_kirchhoff : step_cosserat)(plan, record, formula, given, result);
}
#endif
