// environment/numbers.h - vectors of numbers that inputs may drive, and how these change.
#pragma once

#include "math/vec3.h"
#include "robot/robot.h"

static inline vec3 numbers_at(const td_number n[3], const double *inputs) {
    return (vec3){number_value(n[0], inputs), number_value(n[1], inputs),
                  number_value(n[2], inputs)};
}

static inline vec3 number_rates_at(const td_number n[3], const double *rates) {
    return (vec3){number_rate(n[0], rates), number_rate(n[1], rates), number_rate(n[2], rates)};
}
