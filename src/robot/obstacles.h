// robot/obstacles.h - the shapes of obstacles as they are described: one line each. Their distances are
// in environment/obstacle.c.
//
// A new shape is its enumerator in tendril/robot.h (with numbers of its own, if those there do not say it
// all), a line here, its rule and its size in words in obstacle.c, its keys in file_obstacles.c, its distance in
// environment/obstacle.c, and its surface for pictures in io/surface.c.
#pragma once

#include "robot/robot.h"
#include "robot/spline_grid.h"

enum obstacle_trait {
    CAN_BE_ROOM = 1,  // where the file says that rods are inside
    IS_ROOM = 2,
    HAS_POINTS = 4,  // and keeps them
    HAS_GRID = 8,    // made of those
    IS_IN_FILE = 16  // of its own, beside the robot's
};

// Its enumerator behind TD_OBSTACLE_, its word, and what is particular to it.
// clang-format off
#define OBSTACLE_SHAPES(X)                                                                          \
    X(PLANE, plane, 0)                                                                              \
    X(SPHERE, sphere, CAN_BE_ROOM)                                                                  \
    X(CYLINDER, cylinder, CAN_BE_ROOM)                                                              \
    X(CAPSULE, capsule, CAN_BE_ROOM)                                                                \
    X(BOX, box, CAN_BE_ROOM)                                                                        \
    X(TORUS, torus, 0)                                                                              \
    X(TUBE, tube, IS_ROOM | HAS_POINTS)                                                             \
    X(MESH, mesh, CAN_BE_ROOM | HAS_POINTS | HAS_GRID | IS_IN_FILE)                                 \
    X(HEIGHTFIELD, heightfield, HAS_POINTS | HAS_GRID)
// clang-format on

#define OBSTACLE_ONE(NAME, word, traits) +1
enum { N_OBSTACLE_SHAPES = 0 OBSTACLE_SHAPES(OBSTACLE_ONE) };

static inline const char *obstacle_word(td_obstacle_shape shape) {
#define OBSTACLE_WORD(NAME, word, traits) [TD_OBSTACLE_##NAME] = #word,
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

static inline bool obstacle_is(td_obstacle_shape shape, enum obstacle_trait trait) {
#define OBSTACLE_TRAITS(NAME, word, traits) [TD_OBSTACLE_##NAME] = traits,
    static const int all[N_OBSTACLE_SHAPES] = {OBSTACLE_SHAPES(OBSTACLE_TRAITS)};
    return (all[shape] & (int)trait) != 0;
}

// Its size in words.
void obstacle_describe(const td_obstacle_def *d, char *text, size_t size);
