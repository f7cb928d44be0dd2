// model/screw.h - frames that move along screws.
//
// The velocity of a frame is its twist x = (w, V) in its own axes, and a step in time advances its
// pose g = (R, p) along the screw of that twist, g exp(h x^). A body that turns steadily about any
// axis keeps its twist: such a motion is exact, whatever the step. With velocities in the world a
// point on a circle would advance along chords; what is stiff between two points then forces
// velocities, and more so accelerations, to swing about the true ones from stage to stage.
//
// A frame is stored as position and quaternion (7 numbers), a change of it is a rotation and a
// translation in the world: see solve/chart.h, mechanics.h.
#pragma once

#include "math/se3.h"

// Advanced by its twist v for h.
void screw_advance(const double *from, double h, const double *v, double *to);
// How the twist v answers to a change dz of where it leads.
void screw_rate_change(const double *q, const double *v, double cv, const double *dz, double *dv);
// The rate of the numbers of a frame.
void screw_flow(const double *q, const double *v, double *x_t);
// to = from, changed by scale dz.
void screw_shift(const double *from, double scale, const double *dz, double *to);
