// model/virtual_power/chain.h - discs on an elastic core as an open chain: Rone & Ben-Tzvi 2014.
//
// Subsegment i (0 .. n-1) is an arc of constant curvature that ends in disc i. Its coordinates are
// the curvatures beta (in the x-z plane) and gamma (y-z plane) of its frame at the near end, in
// 1/m, and with torsion the twist tau over its length, in rad:
//
//     R = exp(L (-gamma, beta, 0)^) Rz(tau),   p = (L^2 c2 beta, L^2 c2 gamma, L c1)
//
// with the Stumpff functions c_k of x = L^2 (beta^2 + gamma^2): no formula divides by a curvature.
// All vectors stand in the frame of the base unless a name says local. Equations (numbers of the
// paper) hold as corrected; the options printed_* bring the misprints back.
#pragma once

#include "actuation/actuator.h"
#include "environment/load.h"
#include "math/se3.h"
#include "robot/robot.h"
#include "model/composite.h"

#define N_LOCAL 3  // most coordinates of a subsegment

typedef struct segment {    // a subsegment and the disc at its far end
    double length, s;       // m; arc length of the disc
    double stiffness[3];    // of the core against bending about x and y, and twist: mean, N m^2
    double rest_moment[3];  // mean of stiffness times rest curvature, N m
    double rest_energy;     // J, mean of that times rest curvature/2, times length
    double damping[3];      // Kelvin-Voigt, N m^2 s
    double mass;            // kg, of the disc with its share of core and rods
    vec3 moment;            // kg m, mass times centre of mass, local
    mat3 inertia;           // kg m^2 about the disc's origin, local
    point_body around;      // what surroundings see of all that
} segment;

typedef struct drive {  // a tendon or a push-pull rod
    const actuator *a;
    int end;          // number of subsegments that it runs along; fixed to disc end - 1
    bool parallel;    // the same hole in every disc
    vec3 hole;        // m, local; where it is not parallel, at the base
    double bending;   // N m^2, EJ; 0: a tendon
    double torsion;   // N m^2
    double friction;  // Coulomb coefficient
    double straight;  // m, length of its path in the straight robot
    double yield;     // m/N, what it stretches: displacement input; 0: tension input
    bool pushes;
} drive;

typedef struct chain {
    int n;              // subsegments
    int per;            // coordinates of each: 2, or 3 with torsion
    int n_q;            // n * per
    segment *segments;  // (n)
    drive *drives;      // (n_drives)
    int n_drives;
    td_virtual_power_options options;
} chain;

// ---------------------------------------------------------------- kinematics.c
// c_k(x) = sum (-x)^j/(2j + k)!, k = 0 .. 7
void stumpff(double x, double c[8]);

typedef struct local_motion {  // across one subsegment, in the frame at its near end
    mat3 R;
    vec3 p;
    vec3 by_q[N_LOCAL];            // partial velocities of the far end
    vec3 turn_by_q[N_LOCAL];       // partial angular velocities
    vec3 velocity, turn;           // with the rates given
    vec3 acceleration, turn_rate;  // with the rates given and their derivatives 0
} local_motion;
local_motion move_locally(double length, int per, const double *q, const double *rates,
                          bool printed_omega);

typedef struct disc_motion {
    mat3 R;
    vec3 p;
    vec3 by_q[N_LOCAL];       // partial velocities by the coordinates of its subsegment;
    vec3 turn_by_q[N_LOCAL];  // of a disc further out: by_q + turn_by_q x (p_there - p)
    vec3 velocity, turn;
    vec3 acceleration, turn_rate;  // with q'' = 0
} disc_motion;
// `near`: the disc before.
disc_motion move_disc(const disc_motion *near, const local_motion *m, int per);
// rates NULL: at rest.
void move_chain(const chain *c, const double *q, const double *rates, disc_motion *discs);
// Adds what q'' does to the accelerations.
void accelerate_chain(const chain *c, const double *accelerations, disc_motion *discs);
// ---------------------------------------------------------------- dynamics.c
// Wrenches (moment, force) at the discs' origins to generalised forces, in one sweep from the tip.
void project_wrenches(const chain *c, const disc_motion *discs, const vec6 *wrenches, double *Q);
// Adds the weight, and what it takes to keep q'' = 0 with a minus sign: -h, Eqs. 20 to 22.
void add_weight(const chain *c, const disc_motion *discs, vec3 gravity, vec6 *wrenches);
void add_inertial(const chain *c, const disc_motion *discs, vec6 *wrenches);
// M (n_q x n_q, row major), Eq. 57, by composite inertias. work (n composites)
void mass_matrix(const chain *c, const disc_motion *discs, composite *work, double *M);
double kinetic_energy(const chain *c, const disc_motion *discs);
double weight_energy(const chain *c, const disc_motion *discs, vec3 gravity);

// ---------------------------------------------------------------- elastic.c
// Core and rods, Eqs. 23 to 29 as the gradient of an energy; adds to Q.
void add_elastic(const chain *c, const double *q, const double *rates, double *Q);
// Of subsegment i alone: its own coordinates, rates (may be NULL) and forces.
void add_elastic_of(const chain *c, int i, const double *q, const double *rates, double *Q);
double elastic_energy(const chain *c, const double *q);
double damping_power(const chain *c, const double *rates);  // W, lost in the material

// ---------------------------------------------------------------- contact.c
// How much shorter a drive's path along subsegment i is than in the straight robot, and its
// derivatives (per): Eqs. 42 and 43.
double path_gain(const chain *c, const drive *d, int i, const double *q, double *by_q);

// Length of a drive's path in the straight robot, m.
double straight_path(const chain *c, const drive *d);

typedef enum slip_law {
    SLIP_NONE,    // no friction
    SLIP_STATIC,  // direction from the displacement since the straight shape, Eq. 46
    SLIP_SLIDING  // saturated sliding velocity, Eq. 45
} slip_law;

typedef struct disc_contact {  // of one drive with the discs before its end
    vec6 *columns;   // (2 n) of the equilibrium, force then moment about the hole at the base
    vec3 *places;    // (n) holes, from the hole at the base
    vec6 *rubs;      // (n) what friction adds for each unit of contact force
    double *forces;  // (2 n) on the discs, along the columns
    double *slip;    // (n) -1 .. 1
    double *gains, *rates;  // (n) m and m/s, pulled through each disc
    int n;                  // unknowns
    double mu;              // friction coefficient in force
    double end_tension;     // N
    double residual;        // N and N m: what equilibrium is missed by
} disc_contact;

// Contact forces of a drive under this tension by damped least squares of its equilibrium, Eqs. 32
// to 48, with friction scaled by `share`.
void solve_contact(const chain *c, const drive *d, const double *q, const double *rates,
                   const disc_motion *discs, double tension, slip_law law, double share,
                   disc_contact *out);
// Adds what the drive does to the discs, Eqs. 49 and 50.
void add_contact(const chain *c, const drive *d, const disc_motion *discs, const double *q,
                 const disc_contact *k, vec6 *wrenches);
// Size of the force on disc i, N.
double contact_size(const drive *d, const disc_contact *k, int i);
// Largest eigenvalue of a symmetric a (n x n, row major, n <= 6), not negative; a is used up.
double largest_eigenvalue(int n, double *a);
