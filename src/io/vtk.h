// io/vtk.h - results as VTK files (XML, PolyData) that ParaView opens.
#pragma once

#include <stdbool.h>

#include "io/result.h"

// ---------------------------------------------------------------- one file
typedef struct vtk_array {
    const char *name;
    int components;
    long n;             // of tuples
    const float *real;  // one of the two
    const int *whole;
} vtk_array;

enum { VTK_MOST_ARRAYS = 16 };
typedef struct vtk_arrays {
    vtk_array list[VTK_MOST_ARRAYS];
    int n;
} vtk_arrays;

typedef struct vtk_piece {
    long n_points, n_cells;
    bool lines;                 // polylines; false: polygons
    const float *points;        // (n_points x 3)
    const int *corners, *ends;  // indices of points, and where each cell ends among them
    vtk_arrays on_points, on_cells;
} vtk_piece;

td_status vtk_write_piece(const char *path, const vtk_piece *piece, td_error *err);

// ---------------------------------------------------------------- a result
// In <folder>/vtk: robot.pvd, a time series of tubes, tendons, bodies and obstacles; lines.pvd, one of centre
// lines with everything that was recorded along them.
td_status vtk_export(const result *r, const char *folder, td_error *err);
