// robot/obstacles.h - the shapes of obstacles as they are described: one line each. Their distances are
// in environment/obstacle.c.
//
// A new shape is its enumerator in tendril/robot.h (with numbers of its own, if those there do not say it
// all), a line here, its rule in obstacle.c, its keys in file_obstacles.c, its distance in
// environment/obstacle.c, and its surface for pictures in io/surface.c.
#pragma once

#include "robot/robot.h"
#include "robot/spline_grid.h"

// Its enumerator behind TD_OBSTACLE_, its word, and whether it can be a room.
// clang-format off
#define OBSTACLE_SHAPES(X)                                                                          \
    X(PLANE, plane, false)                                                                          \
    X(SPHERE, sphere, true)                                                                         \
    X(CYLINDER, cylinder, true)                                                                     \
    X(CAPSULE, capsule, true)                                                                       \
    X(BOX, box, true)                                                                               \
    X(TORUS, torus, false)                                                                          \
    X(TUBE, tube, false)                                                                            \
    X(MESH, mesh, true)                                                                             \
    X(HEIGHTFIELD, heightfield, false)
// clang-format on

#define OBSTACLE_ONE(NAME, word, hollow) +1
enum { N_OBSTACLE_SHAPES = 0 OBSTACLE_SHAPES(OBSTACLE_ONE) };

static inline const char *obstacle_word(td_obstacle_shape shape) {
#define OBSTACLE_WORD(NAME, word, hollow) [TD_OBSTACLE_##NAME] = #word,
    static const char *const words[N_OBSTACLE_SHAPES] = {OBSTACLE_SHAPES(OBSTACLE_WORD)};
    return words[shape];
}

// Of a tube, without those of its branches.
static inline int tube_own_points(const td_obstacle_def *def) {
    int n = def->n_points;
    for (int i = 0; i < def->n_branches; i++) n -= def->branches[i];
    return n;
}

// Signed distances of a mesh, heights over x and y of a field (mesh.c). NULL: no memory.
spline_grid *obstacle_grid(const td_obstacle_def *def);
static inline bool obstacle_has_grid(const td_obstacle_def *def) {
    return def->shape == TD_OBSTACLE_MESH || def->shape == TD_OBSTACLE_HEIGHTFIELD;
}

static inline bool obstacle_may_be_room(td_obstacle_shape shape) {
#define OBSTACLE_HOLLOW(NAME, word, hollow) [TD_OBSTACLE_##NAME] = hollow,
    static const bool rooms[N_OBSTACLE_SHAPES] = {OBSTACLE_SHAPES(OBSTACLE_HOLLOW)};
    return rooms[shape];
}
