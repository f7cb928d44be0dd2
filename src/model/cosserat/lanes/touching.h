// model/cosserat/lanes/touching.h - what robots side by side may touch, for one part of a step.
//
// The law of contact and the distances are those of environment/, one robot after the other: they have branches. All else
// of a step is in lanes.
#pragma once

#include "model/cosserat/lanes/lanes.h"

struct lane_obstacles {
    int width, n_points, n;
    const cosserat_lanes *robots[LANES_MOST];
    // Their frames, at the begin of the part and at its end: what nothing moves stands where its plan says.
    const se3 *frames[2][LANES_MOST][PLAN_OBSTACLES];
    se3 moved[2][LANES_MOST][PLAN_OBSTACLES];
    const double *places, *deepest;  // in the records: what is kept of the robots
};

// Of the robots of a group, whose records these are; they stand where `inputs` of each (width) say.
lane_obstacles obstacles_of(const cosserat_lanes *l, const double *records);
void obstacles_place(lane_obstacles *o, int lane, const cosserat_lanes *own, const double *inputs);
// A robot has taken a part: what its obstacles were at the end is the begin of the next.
void obstacles_shift(lane_obstacles *o, int lane);
