// tests/paths.h - actuators filled by hand, one of every kind, and a strain to try them at.
#pragma once

#include "actuation/actuator.h"
#include "check.h"

#define PATH_SPAN 0.3  // m

// (s, x, y), uneven and crooked
static const double path_points[] = {
    0.00, 0.008,  0.000, 0.04, 0.007,  0.003, 0.11, 0.001,  0.007,
    0.18, -0.004, 0.006, 0.24, -0.008, 0.002, 0.30, -0.006, -0.004,
};
enum { N_PATH_POINTS = 6, N_POLAR_POINTS = 4 };
// (s, radius, angle), at some of the same places: around, and back
static const double polar_points[] = {
    0.00, 0.008, 0.4, 0.04, 0.007, 1.4, 0.18, 0.003, 4.4, 0.30, 0.006, 4.0,
};

typedef enum path_kind {
    PATH_PARALLEL,
    PATH_CONVERGING,
    PATH_HELIX,
    PATH_POINTS,
    PATH_POLAR,
    PATH_CHAMBER,
    N_PATHS
} path_kind;

static inline actuator path_make(path_kind kind) {
    actuator a = {.kind = kind == PATH_CHAMBER ? &chamber_kind : &tendon_kind,
                  .other = kind == PATH_CHAMBER,
                  .to = PATH_SPAN,
                  .sign = kind == PATH_CHAMBER ? -1.0 : 1.0,
                  .area = kind == PATH_CHAMBER ? 2e-5 : 0.0,
                  .per_length = kind == PATH_CHAMBER ? 2e-5 : 1.0,
                  .path = {.to = PATH_SPAN,
                           .offset = {0.006, -0.003},
                           .offset_end = {0.006, -0.003},
                           .radius = 0.008,
                           .turns = 1.5,
                           .phase = 0.4,
                           .points = path_points,
                           .n_points = N_PATH_POINTS}};
    if (kind == PATH_CONVERGING) a.path.offset_end[0] = -0.002;
    if (kind == PATH_HELIX) a.path.routing = TD_ROUTING_HELIX;
    if (kind == PATH_POINTS) a.path.routing = TD_ROUTING_POINTS;
    if (kind == PATH_POLAR) {
        a.path.routing = TD_ROUTING_POLAR;
        a.path.points = polar_points, a.path.n_points = N_POLAR_POINTS;
    }
    return a;
}

// A smooth strain along s, with shear and stretch.
static inline vec6 strain_at(double s) {
    return (vec6){{4.0 + 10.0 * s, -7.0 * cos(5.0 * s), 3.0 + 20.0 * s * s},
                  {0.05 * sin(9.0 * s), 0.03, 1.0 + 0.2 * s}};
}

static inline vec6 strain_slope_at(double s) {
    return (vec6){{10.0, 35.0 * sin(5.0 * s), 40.0 * s}, {0.45 * cos(9.0 * s), 0.0, 0.2}};
}
