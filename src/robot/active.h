// robot/active.h - what changes sections from inside, muscles, temperatures and stiffeners, has in common: it lies in one
// piece of a rod, whose sections are alike and linear.
#pragma once

#include "robot/robot.h"

// `what`: "a muscle".
td_status active_validate(const robot_rod *rod, const char *owner, double from, double to,
                          const char *what, td_error *err);
// The stiffness of the sections there, and the strain that they have at rest.
void active_sections(const robot_rod *rod, double from, double to, double stiffness[36],
                     double rest[6]);
// How large an input is that bends a stretch of this length by a radian, or stretches it by a tenth, where 1 adds these.
double active_scale(const double curvature[3], const double stretch[3], double length);
