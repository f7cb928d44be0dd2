// io/mode_shape.h - how a mode looks: poses of points along the rods, and of bodies, as the robot swings
// in it about its equilibrium.
#pragma once

#include "tendril/tendril.h"

// Places: the points of each rod, n_points evenly along its present length, then the bodies.
typedef struct mode_shape {
    int n_rods, n_bodies, n_points, n_places;
    td_output *outputs;  // (n_places) poses: what is to be linearised for it
    td_pose *rest;       // (n_places)
    double *shares;      // (n_rods) length without feed by length now: what an output goes by
    double size;         // m, of the box around the places
    double *y;           // (n_places x 6, complex) of one mode
    double scale;        // of y
    bool turns;          // it moves next to nothing sideways: a twist
} mode_shape;

// Of a state in equilibrium. False: out of memory; mode_shape_free may follow in any case.
bool mode_shape_make(mode_shape *m, const td_system *system, const td_state *state, int n_points);
void mode_shape_free(mode_shape *m);

// One of the modes of a linearisation with these outputs. The place that moves most moves by `move` (m) at
// its extremes; of a twist the place that turns most turns by `turn` (rad).
bool mode_shape_load(mode_shape *m, td_linearisation *l, int mode, double move, double turn);

// Where things are when the shape is multiplied by by[0] + i by[1], of a swing exp(i angle).
td_pose mode_shape_pose(const mode_shape *m, int place, const double by[2]);
// A point that is fixed in the section at s of a rod: p at rest, and then there.
void mode_shape_carry(const mode_shape *m, int rod, double s, const double by[2], double p[3]);

const char *mode_kind_word(td_mode_kind kind);  // "oscillates"
