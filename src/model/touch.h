// model/touch.h - obstacles as models compile them: see environment/touch.h.
#pragma once

#include "environment/touch.h"
#include "solve/mechanics.h"

// For points that the caller fills in, and rows of laws, one for each rod. False: out of memory.
bool touch_make(const td_robot *robot, int n_points, int n_rows, touch *out);
void touch_release(touch *t);
// A row of laws, those of a rod whose points are at the distance h.
void touch_set_rod(touch *t, const td_robot *robot, int rod, int row, double h);
// What a part that may touch something asks of the solver.
void touch_part(const touch *t, solve_part *p);
// m, of the surface around the axis of a rod.
double touch_radius(const td_robot *robot, int rod, double s);
