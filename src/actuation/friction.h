// actuation/friction.h - tension along a tendon that rubs on its path.
//
// Between two nodes of whatever discretisation a model has (an edge) the tension falls by the
// capstan law, and the edge has a state, the grip, in [-1, 1]: +1 when the tendon slides towards
// its start there, -1 when it slides away, between while it sticks:
//
//     tension behind the edge = tension before it * exp(-(mu grip + beta speed) phi)
//     grip = clip(old grip + slip/presliding, -1, 1)
//
// phi: the turning of the path along the edge, none when below 0; slip: material that has passed it
// towards the start since the last accepted state, and how fast it does. Rate independent but for
// beta, with memory.
#pragma once

#include "actuation/actuator.h"

// The turning rate of the path per unit s, |t_s + u x t|, smoothed at 0 over `smooth` (1/m), from
// the strains and their derivatives along s. by_strain, by_slope: its derivatives, may be NULL.
double path_turning(const route_point *at, vec3 u, vec3 v, vec3 u_s, vec3 v_s, double smooth,
                    vec6 *by_strain, vec6 *by_slope);

typedef struct edge {
    double factor;               // tension behind over tension before
    double by_turning, by_slip;  // d factor/d phi, d factor/d slip
    double grip;                 // the new one
} edge;

typedef struct sliding {
    double slip;   // m
    double speed;  // m/s, by the formula of the model's steps; 0 in statics
    double c0;     // 1/s, d speed/d slip
} sliding;

// `looseness` >= 1 multiplies the presliding length.
edge friction_edge(const actuator *a, double phi, sliding s, double old_grip, double looseness);
