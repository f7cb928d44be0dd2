// model/base.h - vectors and bases in the world that inputs move.
#pragma once

#include "environment/environment.h"

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
