// environment/obstacle.h - how far a point is from an obstacle: the signed distance phi, positive where the
// robot may be, its gradient n, which points away from the obstacle, and its Hessian H, for each shape
// (robot/obstacles.h). phi is continuous everywhere, n and H but on surfaces where two parts of an
// obstacle are equally near.
#pragma once

#include "math/se3.h"
#include "robot/obstacles.h"
#include "robot/spline_grid.h"

typedef struct clearance {
    double phi;  // m
    vec3 n;      // grad phi, of unit length; that of a mesh within the error of its grid
    mat3 H;      // 1/m
} clearance;

typedef struct bounding_ball {  // around a part of a centre line
    vec3 middle;
    double around, biggest;  // its radius, and the largest that the tube has there
} bounding_ball;

// One cubic piece of the centre line of a tube, in t from 0 to `span`: x, y, z and the radius.
typedef struct tube_piece {
    double c[4][4];  // of 1, t, t^2, t^3
    double span;
    vec3 along,
        chord;  // from its beginning to its end; (p - c(0)).chord: the t of the place there that is nearest to p
    double bulge;        // how far it is from that chord at most
    double least, most;  // radius of the tube
    bounding_ball all;   // around all pieces of the part of its line that it is the middle of
    int line;            // of the first piece of a line: how many pieces it has
    bool closed;         // ... and that it does not go on straight before them
} tube_piece;

typedef struct tube_place {  // a place of the centre line
    vec3 c, c1, c2;          // and its first and second derivative
    double R, R1, R2;
} tube_place;

typedef struct obstacle {
    td_obstacle_def def;  // as a compiled model keeps it: without name and points
    tube_piece *
        pieces;  // of a tube: (n_pieces), owned; line after line, of which the first and the last are its straight ends
    int n_pieces;
    spline_grid *grid;  // of a mesh or a heightfield, shared
    double reach;    // m, of a ball around its origin that it lies in; infinite where there is none
    double through;  // m, where it is thinnest; HUGE_VAL where it has no other side
    double narrowest;  // m, of a tube: its least radius
} obstacle;

int obstacle_n_pieces(const td_obstacle_def *def);
// pieces (n_pieces) and grid, that of robot/mesh.h, are the caller's as long as the obstacle is used: see model/obstacles.h.
// grid NULL: distances are not asked for.
obstacle obstacle_make(const td_obstacle_def *def, tube_piece *pieces, spline_grid *grid);
double obstacle_thickness(const td_obstacle_def *def, const spline_grid *grid);  // m, see `through`
tube_place tube_at(const tube_piece *piece, double t);

// A point of its own frame.
clearance obstacle_distance(const obstacle *o, vec3 p);

// Where its frame is in the world.
se3 obstacle_frame(const obstacle *o, const double *inputs);
// A point of the world.
clearance obstacle_distance_from(const obstacle *o, const se3 *frame, vec3 p);
// In a tube: does some ball of it, near the point, leave so much room?
bool tube_is_wide(const obstacle *o, const se3 *frame, vec3 p, double room, int *piece);
// Is a point of the world surely farther than a radius? False where only the distance can say. piece, NULL: there
// is none: any number the first time; then where the answer was found, and will be looked for first.
static inline bool obstacle_is_far(const obstacle *o, const se3 *frame, vec3 p, double radius,
                                   int *piece) {
    if (o->n_pieces) return tube_is_wide(o, frame, p, radius, piece);
    const vec3 x = vec3_sub(p, frame->p);
    if (o->def.shape == TD_OBSTACLE_PLANE) return vec3_dot(mat3_column(&frame->R, 2), x) > radius;
    const double near = o->reach + radius, square = vec3_dot(x, x);
    if (square > near * near) return true;
    const bool round = o->def.shape == TD_OBSTACLE_CAPSULE || o->def.shape == TD_OBSTACLE_CYLINDER;
    if (!round || o->def.inside) return false;
    const double along = vec3_dot(mat3_column(&frame->R, 2), x), side = o->def.radius + radius;
    return square - along * along > side * side;
}

// Does a point that goes straight from one place in its own frame to another pass through it? So it does where
// the way leads deeper than half-way to its middle, and out again or beyond. A tube is left where its wall is as far behind as
// its least radius.
bool obstacle_is_crossed(const obstacle *o, vec3 from, vec3 to);

// That in words, of what has done so: "passes through obstacle 'slab', which is 0.002 m thick".
const char *obstacle_passage(const obstacle *o, const char *name, size_t size, char *text);

bool obstacle_is_driven(const obstacle *o);
static inline bool obstacle_is_carried(const obstacle *o) {
    return o->def.body != TD_WORLD;
}
