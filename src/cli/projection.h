// cli/projection.h - from where a robot is looked at: along an axis, or from a corner.
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct projection {
    bool corner;  // from a corner, in parallel projection; false: two axes of the world
    int axis[2];  // those two: to the right and up
    double right[3], up[3], toward[3];  // unit vectors; `toward` comes out of the picture
} projection;

projection view_along(int horizontal, int vertical);  // two axes of the world
projection view_from_corner(void);                    // the usual one
// "xz", "3d", or azimuth and elevation in degrees: "-60,25". False: none of these.
bool view_parse(const char *text, projection *v);
#define VIEW_RULE "'%s' must be xz, xy, yz, 3d, or azimuth and elevation in degrees, e.g. -60,25"

void view_project(const projection *v, const double p[3], double out[2]);

// A box in space that holds everything, wide enough to see its floor.
typedef struct box {
    double lo[3], hi[3];
} box;
box box_around(const double lo[3], const double hi[3]);
// What the box covers in the picture.
void view_bounds(const projection *v, const box *b, double lo[2], double hi[2]);
// Floor with a grid, an upright, marks and names of the axes, in units of the box: `unit` is what
// they are called, `pixel` how much of them a pixel is.
void put_box_frame(FILE *script, const projection *v, const box *b, const char *unit, double pixel);
