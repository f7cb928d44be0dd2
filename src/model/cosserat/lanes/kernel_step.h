// model/cosserat/lanes/kernel_step.h - the kernel for LANE_WIDTH robots, called KERNEL_NAME: each theory with its number of
// unknowns a node as a constant.
#define KERNEL_CONTACT
#include "model/cosserat/lanes/kernel.h"

LANE_LARGE void step_kirchhoff(const lane_plan *plan, double *record, const double *formula,
                               const double *given, const lane_obstacles *obstacles,
                               double *result) {
    step_robots(plan, record, LANE_WIDTH, formula, given, obstacles, result, 3);
}

LANE_LARGE void step_cosserat(const lane_plan *plan, double *record, const double *formula,
                              const double *given, const lane_obstacles *obstacles,
                              double *result) {
    step_robots(plan, record, LANE_WIDTH, formula, given, obstacles, result, 6);
}

static void step(const lane_plan *plan, double *record, const double *formula, const double *given,
                 const lane_obstacles *obstacles, double *result) {
    (plan->d == 3 ? step_kirchhoff : step_cosserat)(plan, record, formula, given, obstacles,
                                                    result);
}

static void look(const lane_plan *plan, double *record, const double *given, double *result) {
    look_at_robots(plan, record, LANE_WIDTH, given, result, plan->d);
}

const lane_kernel KERNEL_NAME = {step, look};
