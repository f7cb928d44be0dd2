// model/cosserat/shooting/shooting/shoot.h - integrating the rod equations from the base to the tip.
//
// Till 2019 (7) and, with zero shear and extension compliance, (11): Kirchhoff's rod is the Cosserat
// rod whose v cannot leave v*. The state at a node is y = (p, h, n, m, q, w): position, quaternion,
// internal force and moment in the world frame, velocity and angular velocity in the body frame.
// The strain x = (u - u*, v - v*) follows from it point by point. Time enters only through c0 and
// the history of x, w and q, so statics is the same code with c0 = 0 and everything at rest.
#pragma once

#include "model/cosserat/scheme.h"

typedef struct shooting {  // one rod's boundary value problem at one instant
    const rod *r;
    const td_options *options;
    double c0;
    const double *history;      // (n_nodes x F_SIZE)
    const double *history_mid;  // (n_steps x F_SIZE)
    const element_loads *loads; // (n_elements)
    vec3 gravity;
    base_motion base;
    int last_element, last_step;  // where the shot ends: the whole rod, or part of it
    double target[6];             // (force, moment) to be met there
    double *nodes;                // (n_nodes x Y_SIZE) the last shot
    double *bounds;               // (n_elements + 1 x Y_SIZE) base and ends of its elements
    double *strains;              // (n_nodes x 6) x at the nodes
    double blow_up;               // where the last shot left the world of rods, m; < 0: it did not
    td_stats *stats;
} shooting;

// Shoots the whole rod at a free tip.
void shoot_whole(shooting *s);
// Shoots up to node `node` of the rod, where the wrench shall be `target`.
void shoot_part(shooting *s, int node, const double target[6]);

// One shot from the base wrench G = (n, m)(0), world frame. residual = (n, m)(end) - target.
// jacobian (6 x 6, row major) may be NULL; otherwise the variational equations run beside the
// state and give the exact derivative of the discrete map. False when the shot blows up.
bool shoot(shooting *s, const double G[6], double residual[6], double *jacobian);

// Midpoint values of a nodal field over all elements.
void shoot_midpoints(const rod *r, td_history rule, const double *nodal, double *mid);
