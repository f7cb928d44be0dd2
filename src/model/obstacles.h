// model/obstacles.h - obstacles with the memory that their distances need.
#pragma once

#include "environment/near.h"

// All of a robot (n_obstacles). NULL: no memory.
obstacle *obstacles_create(const td_robot *robot);
void obstacles_destroy(obstacle *all, int n);
// One; grid: shared, NULL: distances will not be asked for. False: no memory.
bool obstacle_create(const td_obstacle_def *def, spline_grid *grid, obstacle *out);
void obstacle_release(obstacle *o);

// Which of them are near points with a radius up to this. False: no memory; what there is can be released.
bool near_make(const obstacle *all, int n, double radius, near_grid *out);
void near_release(near_grid *g);
