// robot/mesh.h - obstacles that are given by numbers on a grid: see mesh.c.
#pragma once

#include "robot/robot.h"

td_status mesh_rule(const char *owner, const td_obstacle_def *def, td_error *err);
td_status heightfield_rule(const char *owner, const td_obstacle_def *def, td_error *err);
