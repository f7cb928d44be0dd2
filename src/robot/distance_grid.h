// robot/distance_grid.h - signed distances from a closed surface of triangles, on a grid around it.
#pragma once

#include "robot/spline_grid.h"

typedef struct triangle_soup {
    const double *corners;  // (3 n x 4) x, y, z and a number that is not read
    int n;
} triangle_soup;

// How many points of distance h it takes, with a margin of MARGIN cells and an eighth of its largest side.
void distance_grid_size(const triangle_soup *t, double h, double n[3], double origin[3]);
// Negative inside. NULL: no memory.
spline_grid *distance_grid_create(const triangle_soup *t, double h);
