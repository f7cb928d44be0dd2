// io/mesh.h - a result as bodies that can be seen: tubes, plates and discs made of polygons, at a
// record or between two.
#pragma once

#include <stdbool.h>

#include "io/result.h"

// ---------------------------------------------------------------- an instant
typedef struct instant {
    int record;    // the one before it, or at it
    double share;  // of the way to the next
} instant;

static inline instant instant_of(int record) {
    return (instant){record, 0.0};
}
instant instant_at(const result *r, double t);  // the nearest that was recorded outside of the run
// `width` numbers per record, between two of them.
void between_records(const double *values, long width, instant at, double *out);
// Unit quaternions, `n` of them per record.
void between_turns(const double *values, long n, instant at, double *out);

// Column k of the matrix of a unit quaternion: where it turns axis k.
void quat_column(const double q[4], int k, double out[3]);

// ---------------------------------------------------------------- polygons
typedef struct mesh {
    double *points;  // (n_points x 3) m
    int n_points;
    int *corners;  // indices of points, face after face, counter-clockwise seen from outside
    int *ends;     // (n_faces) where each face ends in corners
    int n_faces;
    int room_points, room_corners, room_faces;
} mesh;

void mesh_clear(mesh *m);  // keeps its memory
void mesh_free(mesh *m);
// Room for so many more of each, then one after the other. False: no memory.
bool mesh_reserve(mesh *m, int points, int corners, int faces);
void mesh_add_point(mesh *m, const double p[3]);
void mesh_add_face(mesh *m, const int *corners, int n);

// A tube along n points, one ring of `sides` points at each, closed at both ends. The ring of point
// i holds the points i * sides to (i + 1) * sides - 1 after those there before. False: no memory.
bool mesh_add_tube(mesh *m, const double *centre, const double *radius, int n, int sides);

// The same of a rod: its true section where that is a rectangle and its frames were recorded (sides: a multiple of 4),
// otherwise round. `centre` and `radii`: its points there, and how thick it is drawn.
bool mesh_add_rod(mesh *m, const result_rod *rod, instant at, const double *centre,
                  const double *radii, int sides);

// ---------------------------------------------------------------- parts of a result
// Axes x and y of the section at a point of a rod whose frames were recorded.
void rod_axes(const result_rod *rod, instant at, int point, double x[3], double y[3]);
// How far it is from the middle of a rod to its surface at a point, in a direction; 0: not known.
double rod_reach(const result_rod *rod, instant at, int point, const double direction[3]);
enum { MOST_CORNERS = 64 };
// The joints that hold a free body, in order about its z axis; how many there are.
int body_corners(const result *r, const result_body *body, instant at, double corners[][3]);
void rod_point_at(const result_rod *rod, instant at, int point, double out[3]);
// The points of a rod, (n_points x 3).
void rod_points_at(const result_rod *rod, instant at, double *points);
// How thick it is at its points, never less than `least`.
void rod_radii(const result_rod *rod, double least, double *radii);
// Every free body as a plate, every disc that rides as a disc; thickness in m where none is known.
bool mesh_add_body(mesh *m, const result *r, const result_body *body, instant at, double thickness);
double largest_extent(const result *r);  // of all shapes, m
