// cli/obstacles.h - obstacles in pictures of the robot: their outlines, and the room that they need.
#pragma once

#include "cli/figure.h"
#include "io/surface.h"

// What endless obstacles are cut to in a picture of this box.
surface_cut cut_around(const projection *v, const double lo[3], const double hi[3]);
// Widens a box for what is around the robot, by no more than a part of its size: a robot is not lost in a
// large room.
void widen_for_obstacles(const result *r, instant at, double lo[3], double hi[3]);
// All obstacles of a result as a data block of outlines; those that did not move since `before` are left out.
void put_obstacles(FILE *script, const result *r, instant at, const instant *before,
                   const projection *v, const surface_cut *cut, double factor);
