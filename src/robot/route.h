// robot/route.h - the path of a tendon in the sections of its rod.
//
// Through points a path goes by cubics, one between each two. Its slope at a point is that of the
// parabola through the point and its neighbours, held within twice what the chords on both sides
// have in common; where they point in opposite directions, it is zero. So each coordinate stays
// between its values at the two points (Fritsch & Carlson 1980), and a parabola whose vertex is at
// a point is kept. The slope is continuous, the bend is not: integrals are cut at the points.
#pragma once

#include "math/vec3.h"
#include "robot/robot.h"

typedef struct route_point {  // the path at one arc length, body frame
    vec3 r, r_s, r_ss;        // offset and its derivatives; r.z = 0
} route_point;

route_point tendon_route(const td_tendon_def *d, double s);

static inline bool goes_through_points(const td_tendon_def *d) {
    return d->routing == TD_ROUTING_POINTS || d->routing == TD_ROUTING_POLAR;
}
