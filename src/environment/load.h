// environment/load.h - what a load does to the point that it acts on, whoever computes it: its wrench, with
// tangent and rate. Written once for each kind (robot/loads.h); models ask at their points.
#pragma once

#include "environment/environment.h"
#include "robot/loads.h"

// As a compiled model keeps it, which outlives the robot and its names.
static inline td_load_def load_kept(const td_load_def *load) {
    td_load_def out = *load;
    out.name = NULL;
    return out;
}

// Does its wrench answer to motions of its point?
bool load_answers(const td_load_def *load);

// The wrench on the point and about it, times `share`, in the axes of `at`; these stand in the world as
// `stand` says, NULL: they are the world's. by_motion (6 x 6): its slope by (turn, shift), zeros where it
// does not answer; NULL: it is not wanted.
vec6 load_at(const td_load_def *load, const double *inputs, double share, const se3 *stand,
             const point_now *at, double *by_motion);

// The rate of that as inputs change at these rates and the axes turn by w and move by v, both in themselves.
vec6 load_rate(const td_load_def *load, const double *inputs, const double *rates, double share,
               const se3 *stand, vec6 moving, const point_now *at);

// Why no energy has this load: a dead moment's work depends on the way of a rotation, and what follows
// a rod pushes where it goes. NULL: one has.
const char *load_lacks_potential(const td_load_def *load, const double *inputs);
