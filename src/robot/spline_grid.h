// robot/spline_grid.h - a smooth function through numbers on a regular grid of up to three dimensions: cubic
// B-splines, whose second derivatives are continuous. At the borders of the grid its slope across them is 0.
#pragma once

#include <stdatomic.h>
#include <stddef.h>

#include "math/mat3.h"

typedef struct spline_grid {
    atomic_int holders;
    int n[3];      // points along x, y and z; 1: it does not change along that
    double h[3];   // their distances
    vec3 origin;   // the first of them
    double least;  // of the numbers
    double c[];    // coefficients, x changes first
} spline_grid;

typedef struct spline_value {
    double f;
    vec3 g;  // gradient
    mat3 H;  // second derivatives
} spline_value;

// With one holder, who fills c with the numbers and calls spline_grid_fit. NULL: no memory.
spline_grid *spline_grid_create(const int n[3], const double h[3], vec3 origin);
void spline_grid_fit(spline_grid *g);
spline_grid *spline_grid_share(spline_grid *g);  // one holder more
void spline_grid_release(spline_grid *g);        // one less; the last frees it. NULL: nothing

// At a point; beyond the borders that of the nearest point of the grid.
spline_value spline_grid_at(const spline_grid *g, vec3 p);
// That point.
vec3 spline_grid_nearest(const spline_grid *g, vec3 p);
