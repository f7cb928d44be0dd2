// cli/mode_shapes.h - how modes look: pictures and films of them.
#pragma once

#include "cli/linear.h"

// Linearises again with the poses of many points as outputs, and finds the modes again. Draws the first
// `count` of them at rest and at their two extremes, as --picture and --view say. Returns an exit
// code, after printing what went wrong.
int mode_shapes_draw(linear *x, const args *a, int count);
// Mode `mode` as a film, as --film and --view say.
int mode_shapes_film(linear *x, const args *a, int mode);
