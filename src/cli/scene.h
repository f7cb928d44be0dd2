// cli/scene.h - the robot itself at one instant: shaded tubes, plates and discs, the hidden behind
// the visible.
#pragma once

#include "cli/figure.h"
#include "io/surface.h"

typedef struct scene_look {
    const projection *view;
    double factor;    // from m to the unit of the axes
    double pixel;     // m; nothing is thinner than can be seen
    double floor;     // m, where shadows fall in a view from a corner
    surface_cut cut;  // of endless obstacles
} scene_look;

// Draws result i into the panel whose axes are set: data blocks and a plot command. False: there is
// no memory.
bool put_scene(FILE *script, const figure *f, int i, instant at, const scene_look *look);
