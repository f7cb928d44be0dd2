// model/cosserat/lanes/kernel_plain.c - the kernel, one robot at a time: what the wide ones are compared with.
#define LANE_WIDTH 1
#include "model/cosserat/lanes/kernel.h"

LANE_LARGE void step_kirchhoff(const lane_plan *plan, double *record, const double *formula,
                               const double *given, double *result) {
    step_robots(plan, record, LANE_WIDTH, formula, given, result, 3, 0);
}

LANE_LARGE void step_cosserat(const lane_plan *plan, double *record, const double *formula,
                              const double *given, double *result) {
    step_robots(plan, record, LANE_WIDTH, formula, given, result, 6, 0);
}

void kernel_step_plain(const lane_plan *plan, double *record, const double *formula,
                       const double *given, double *result) {
    (plan->d == 3 ? step_kirchhoff : step_cosserat)(plan, record, formula, given, result);
}
