// view/scene.h - what a page draws: points of rods and actuators, and the order of the numbers in a
// frame.
#pragma once

#include "tendril/tendril.h"
#include "view/arrows.h"

typedef struct scene_rod {
    char name[128];
    double length, envelope;  // m
    int on;                   // the body that it stands on, or TD_WORLD
    bool free;                // nothing holds its base
    bool tip_held;            // in the world
    int n_points;
    double *s, *radius;      // (n_points) s: when nothing is fed
    double *width, *height;  // (n_points) of a rectangle; NULL: a circle
} scene_rod;

typedef struct scene_actuator {
    const td_actuator_kind *kind;
    char name[128];
    int rod;
    int n_points;  // of its path; 0: a room in its rod
    int input;     // -1: none
    const char *given;
    double from, to, largest;
    double offset[2], radius;  // m, of a room
} scene_actuator;

typedef struct scene_body {
    char name[128];
    int rod;  // -1: free
    const char *shape;
    double radius, height, size[3], centre[3];
    bool grip;
} scene_body;

typedef struct scene_obstacle {
    char name[128];
    int on;             // the body that carries it, or TD_WORLD
    bool room;          // the robot is inside
    bool endless;       // what is drawn of it is a part
    double *points;     // (n_points x 3) of its surface, in its own frame
    double *triangles;  // (n_triangles x 3) indices of points
    int n_points, n_triangles;
} scene_obstacle;

typedef struct scene_input {
    char name[128], unit[64];
    const char *kind;
    double min, max;
} scene_input;

typedef struct scene {
    char name[128];
    double size;        // m, see robot_size
    double gravity[3];  // NaN where an input drives it
    double force_scale;
    scene_rod *rods;
    int n_rods;
    scene_actuator *actuators;  // by kind
    int n_actuators;
    scene_body *bodies;
    int n_bodies;
    scene_obstacle *obstacles;
    int n_obstacles;
    td_field_def fields[TD_MOST_FIELDS];  // without names
    int n_fields;
    bool touches;  // frames tell of contact along rods
    arrow *arrows;
    int n_arrows;
    scene_input *inputs;
    int n_inputs;
    int rod_points;  // of all rods
    int rod_floats;  // of all rods: what a ghost has
    int floats;      // of a frame without a ghost
} scene;

// The first `n_inputs` inputs of the robot are shown. NULL: out of memory.
scene *scene_create(const td_robot *robot, int n_inputs);
// Points as recorded at these places (n) of a rod at rest; NULL: see point_along. Numbers of a frame are counted anew.
bool scene_set_rod_points(scene *s, const td_robot *robot, int rod, const double *at, int n);
void scene_keep_obstacles(scene *s, int n);  // the first n
void scene_count(scene *s);
// A robot without a name is called after its file or folder.
void scene_name_after(scene *s, const char *path);
void scene_destroy(scene *s);
