// tendril/arc.h - kinematics of one arc of constant curvature, whatever drives it: the classical
// robot-independent kinematics, forward and inverse, and coordinates of its tendons.
#pragma once

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_arc {
    double u[2];    // rad, how far it bends towards x and y of its base; (0, 0): straight
    double length;  // m
} td_arc;

// The frame at x = 0 (base) .. 1 (end), in that of the base, which points along z.
TD_API td_pose td_arc_pose(const td_arc *arc, double x);
// Angle, radius and direction of the bending; straight: 0, HUGE_VAL, 0.
TD_API void td_arc_polar(const td_arc *arc, double *angle, double *radius, double *direction);
// The arc that begins along z and ends at p (m); p on the negative z axis has none.
TD_API td_status td_arc_to_point(const double p[3], td_arc *out);

// Length of a tendon that runs parallel to the arc at offset (x, y), m: length - offset . u
TD_API double td_arc_tendon(const td_arc *arc, const double offset[2]);
// The arc whose tendons have these lengths, by least squares; n >= 3 offsets (n x 2), not on a
// line.
TD_API td_status td_arc_from_tendons(int n, const double *offsets, const double *lengths,
                                     td_arc *out);

// Clarke transform: values of n >= 3 tendons at equal angles 2 pi i/n as two, and back to the n of
// sum 0. Pulled out by d_i, tendons at distance r bend an arc by u = clarke(d)/r.
TD_API void td_clarke(int n, const double *values, double out[2]);
TD_API void td_clarke_inverse(int n, const double in[2], double *values);

#ifdef __cplusplus
}
#endif
