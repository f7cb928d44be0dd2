// model/cosserat/lanes/kernel_step.h - the entry of the kernel for LANE_WIDTH robots, called KERNEL_STEP: each theory with
// its number of unknowns a node as a constant.
#include "model/cosserat/lanes/kernel.h"

LANE_LARGE void step_kirchhoff(const lane_plan *plan, double *record, const double *formula,
                               const double *given, double *result) {
    step_robots(plan, record, LANE_WIDTH, formula, given, result, 3);
}

LANE_LARGE void step_cosserat(const lane_plan *plan, double *record, const double *formula,
                              const double *given, double *result) {
    step_robots(plan, record, LANE_WIDTH, formula, given, result, 6);
}

void KERNEL_STEP(const lane_plan *plan, double *record, const double *formula, const double *given,
                 double *result) {
    (plan->d == 3 ? step_kirchhoff : step_cosserat)(plan, record, formula, given, result);
}
