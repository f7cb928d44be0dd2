// model/cosserat/shooting/shoot.h - integrating the rod equations from the base to the tip.
//
// Till 2019 (7) and, with zero shear and extension compliance, (11): Kirchhoff's rod is the
// Cosserat rod whose v cannot leave v*. The state at a node is y = (p, h, n, m, q, w): position,
// quaternion, internal force and moment in the world frame, velocity and angular velocity in the
// body frame. The strain x = (u - u*, v - v*) follows from it point by point. Time enters only
// through c0 and the history of x, w and q, so statics is the same code with c0 = 0 and everything
// at rest.
//
// (n, m) is the total wrench, of the material and of tendons and chambers together: it obeys the
// plain rod equations and does not jump where a tendon ends. What it leaves to the strain is the
// section law's matter: see section.h.
#pragma once

#include "model/cosserat/scheme.h"

typedef struct shooting {  // one rod's boundary value problem at one instant
    const rod *r;
    const td_options *options;
    double c0;
    const double *history;       // (n_nodes x F_SIZE)
    const double *history_mid;   // (n_steps x F_SIZE)
    const double *end_history;   // (n_elements x 6) of riding bodies; read where there are any
    const element_loads *loads;  // (n_elements)
    vec3 gravity;
    base_motion base;
    double tip[6];                // (force, moment) on the tip, beside the loads there
    int last_element, last_step;  // where the shot ends: the whole rod, or part of it
    double target[6];             // (force, moment) to be met there
    double *nodes;                // (n_nodes x Y_SIZE) the last shot
    double *bounds;               // (n_elements + 1 x Y_SIZE) base and ends of its elements
    double *strains;              // (n_nodes x 6) x at the nodes
    double blow_up;               // where the last shot left the world of rods, m; < 0: it did not
    td_stats *stats;
    // actuators; NULL where there are none
    const double *given;  // (n_actuators) what the inputs give them
    const rod_memory *m;  // whose share that is, and engines
    double *efforts;      // (n_actuators) of the last shot
    double *measures;     // (n_efforts) what the equations of the unknown efforts count
    double *measures_by;  // (n_efforts x n_unknowns)
    double *tip_motion;   // (12 x n_unknowns) how the tip moves; NULL: not wanted
    // where the section law's Newton starts: at the point before
    double warm[6];           // its strain
    double warm_factors[36];  // factors of a matrix near
    bool warm_factored;
} shooting;

// The base wrench G = (n, m)(0), world frame, and then the unknown efforts.
static inline int shooting_unknowns(const rod *r) {
    return 6 + r->n_efforts;
}

// Shoots the whole rod at its tip.
void shoot_whole(shooting *s);
// Shoots up to node `node` of the rod, where the wrench shall be `target`.
void shoot_part(shooting *s, int node, const double target[6]);

// One shot from the unknowns (n). residual (n): (n, m)(end) - target, then the balance of each
// unknown effort. jacobian (n x n, row major) may be NULL; otherwise the variational equations run
// beside the state and give the exact derivative of the discrete map, and s->tip_motion where that
// is wanted. False when the shot blows up.
bool shoot(shooting *s, const double *unknowns, double *residual, double *jacobian);

// Midpoint values of a nodal field over all elements.
void shoot_midpoints(const rod *r, td_history rule, const double *nodal, double *mid);
