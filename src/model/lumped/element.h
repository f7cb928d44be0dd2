// model/lumped/element.h - one segment between two frames: strain, wrench, exact tangents.
//
// Between the frames a and b a segment has a rotation phi and an extent eps (Sadati 2019 (3), where
// they are alpha and epsilon, corrected: errata, Eq. 3 and Eqs. 2, 3): eps is measured in the frame M
// half way between them,
//
//     R_b = R_a exp(phi^),   R_m = R_a exp(phi^/2),   eps = R_m'(p_b - p_a)
//
// so that the segment has no preferred end and the chain is of second order. As printed, eps is
// measured in frame a and phi = 2 vec(Q_a* Q_b): first order. Everything here stands in the axes of
// M. With the rotations alpha, beta of the two frames, s = (alpha + beta)/2, d = beta - alpha:
//
//     d phi = A d,      rotation of M = s - T d,      d eps = R_m'(dp_b - dp_a) + eps x (s - T d)
//     A = 1 + g phi^ phi^,  T = t phi^                as printed: A = q0 - phi^/2,  T = 1/2
//
// These are T_b of Sadati 2019 (7). The wrench (m, n) that is conjugate to (phi, eps), by T_b', pulls at the two ends with the forces -n, n and
// the moments c/2 -+ mu, where mu = A'm - T'c and c = n x eps.
#pragma once

#include "math/se3.h"

typedef struct end_motion {  // of the frame at an end of a segment, world
    mat3 R;
    vec3 p, w, v;
} end_motion;

typedef struct element {
    bool printed;
    mat3 R;                   // of M
    vec3 phi, eps;            // rad, m
    vec3 phi_t, eps_t;        // their rates
    vec3 turn_sum, turn_gap;  // (w_a + w_b)/2 and w_b - w_a, in M
    vec3 speed_gap;           // v_b - v_a, in M
    vec3 turn;                // of M
    double g, g_x, t, t_x;    // A and T, with derivatives by |phi|^2; as printed g is q0
} element;

element element_make(const end_motion *a, const end_motion *b, bool printed);
// Where frame b is, from frame a, phi and eps: the inverse of the above.
se3 element_across(const se3 *a, vec3 phi, vec3 eps, bool printed);

// Where the point x = 0 .. 1 between the ends is: on an arc of constant strain; as printed,
// straight.
se3 element_pose(const element *e, const end_motion *a, double x);

typedef struct element_ends {  // wrenches that a segment asks of its ends, world: moment, force
    vec6 a, b;
} element_ends;
element_ends element_pull(const element *e, vec6 wrench);

// How these wrenches answer to the rotations and translations (th_a, p_a, th_b, p_b) of the ends in
// world axes, velocities in the world unchanged: K; and to their velocities: D (12 x 12 each).
// wrench: as above; stiffness (6 x 6) d wrench/d(phi, eps); damping (6 x 6) d wrench/d(rates).
void element_tangent(const element *e, vec6 wrench, const double *stiffness, const double *damping,
                     double *K, double *D);
// d(phi, eps) under small motions (th, p) of the ends, world.
vec6 element_strain_by(const element *e, vec6 a, vec6 b);
