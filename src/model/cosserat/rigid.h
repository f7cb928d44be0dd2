// model/cosserat/rigid.h - a rigid body in the spatial frame.
#pragma once

#include "math/se3.h"

typedef struct rigid {  // about the origin of its frame, in its axes
    double mass;
    vec3 moment;  // mass times centre of mass
    mat3 inertia;
} rigid;

static inline rigid rigid_none(void) {
    return (rigid){0.0, {0.0, 0.0, 0.0}, {{{0.0}}}};
}

rigid rigid_make(double mass, mat3 inertia, const double centre[3]);
rigid rigid_add(const rigid *a, double factor, const rigid *b);  // a + factor b, in one frame

// What its inertia and weight ask of whatever carries it, as a spatial wrench: rate of momentum less
// weight. T: its frame; a: its spatial velocity; its acceleration in the body is c0 (body velocity)
// + history. H (6 x 12, may be NULL): how that wrench answers to the spatial motion (z, da).
vec6 rigid_wrench(const rigid *b, const se3 *T, vec6 a, double c0, const double history[6],
                  vec3 gravity, double *H);
double rigid_kinetic(const rigid *b, vec3 w, vec3 q);
