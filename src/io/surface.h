// io/surface.h - the surfaces of obstacles as polygons, for pictures, VTK files and the page.
#pragma once

#include "io/mesh.h"
#include "tendril/robot.h"

// What goes on for ever is drawn within a ball around what is looked at.
typedef struct surface_cut {
    double middle[3], radius;  // m
    bool near;                 // nothing is drawn of what does not reach into it
} surface_cut;

bool surface_is_endless(const td_obstacle_def *def);  // a plane, or a cylinder without a length

// In the frame of the obstacle, which is that of the cut too. All points lie on the surface, faces turn
// counter-clockwise as seen from where the robot may be: those of a room and a tube from inside. Where a
// surface has an edge, its sides have points of their own there. False: no memory.

// Obstacle k of a robot in its own frame, cut by a ball of the world, where no input has moved it.
bool mesh_add_obstacle_of(mesh *m, const td_robot *robot, int k, const surface_cut *cut);
// Obstacle k of a result in the world, with the cut there too. Nothing where its shape is not known.
bool mesh_add_obstacle(mesh *m, const result *r, int k, instant at, const surface_cut *cut);
