// model/base.h - vectors and bases in the world that inputs move.
#pragma once

#include "math/se3.h"
#include "robot/robot.h"

static inline vec3 numbers_at(const td_number n[3], const double *inputs) {
    return (vec3){number_value(n[0], inputs), number_value(n[1], inputs),
                  number_value(n[2], inputs)};
}
static inline vec3 number_rates_at(const td_number n[3], const double *rates) {
    return (vec3){number_rate(n[0], rates), number_rate(n[1], rates), number_rate(n[2], rates)};
}

typedef struct base_motion {
    se3 pose;
    vec3 w, v, w_t, v_t;  // velocities and accelerations, in its own axes
} base_motion;

// rates and accelerations of the inputs may be NULL: 0.
base_motion base_moved(const td_base_def *base, const double *inputs, const double *rates,
                       const double *accelerations);

se3 chain_base(const td_base_def *base);  // that no input moves

// ---------------------------------------------------------------- what is asked of points
// Of a frame (R, p) in one that stands in the world.
td_pose pose_in(const se3 *stand, const mat3 *R, vec3 p);
// Angular, then linear velocity in the axes R.
void store_twist(const mat3 *R, vec3 w, vec3 v, double out[6]);
