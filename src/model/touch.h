// model/touch.h - obstacles as models compile them: see environment/touch.h.
#pragma once

#include "environment/touch.h"

// For points that the caller fills in, and rows of laws, one for each rod. False: out of memory.
bool touch_make(const td_robot *robot, int n_points, int n_rows, touch *out);
void touch_release(touch *t);
// The laws of a rod, whose points are at the distance h.
void touch_set_rod(touch *t, const td_robot *robot, int rod, double h);
// m, of the surface around the axis of a rod.
double touch_radius(const td_robot *robot, int rod, double s);
