// papers/rone2014/robot.h - the robot of the paper, and holding and moving it.
//
// The frame is the paper's: z along the straight robot, x upwards. As a file it is table1.yaml and,
// with inertias from its shape, examples/rone-arm.yaml.
#pragma once

#include <stdbool.h>

#include "tendril/tendril.h"

enum { DISCS = 8, RODS = 6 };
enum { R11, R12, R13, R21, R22, R23 };  // inputs too: tensions, N

#define SPACING 0.03  // m, between discs
#define LENGTH (DISCS * SPACING)
#define BENDING 0.01205931253352153  // N m^2, of the core and of each rod
#define FRICTION 0.3

typedef enum inertias {
    FROM_TABLE,   // as printed
    FROM_SHAPE,   // disc, 30 mm of core and of every rod that reaches it
    WHERE_IT_IS,  // rods end at their disc
} inertias;

typedef struct design {
    inertias inertias;
    double friction;
    const double *rigid;  // (DISCS) curvatures of a core that does not give; NULL: it is elastic
    const double *wires;  // (DISCS) how many wires bend with the core, which then has the
                          // stiffness of all, rods none; NULL: each bends as an arc of its own
} design;

td_robot *rone_robot(const design *d, td_error *err);
td_options rone_options(void);  // as the paper computes: Eq. 35, Eqs. 27 and 28

typedef struct arm {
    td_robot *robot;
    td_system *system;
    td_state *state;
    int inner;  // steps between two looks
} arm;

// At rest, straight, without weight. False: err says why.
bool arm_open(arm *a, const design *d, const td_options *o, td_error *err);
// The same for motion: steps by tolerance, or where that is not built in, many fixed ones.
bool arm_open_moving(arm *a, const design *d, const td_options *o, td_error *err);
bool arm_open_robot(arm *a, td_robot *robot, const td_options *o, td_error *err);  // takes it over
void arm_close(arm *a);

// Equilibrium with its weight under these tensions.
bool arm_settle(arm *a, const double tension[RODS], td_error *err);
// Bent to the same curvature everywhere, without weight, and let go.
bool arm_let_go(arm *a, double curvature, td_error *err);
// Turned by a moment at the tip, N m, without weight, and let go.
bool arm_untwist(arm *a, double moment, td_error *err);
bool arm_move(arm *a, double dt, td_error *err);

double arm_curvature(const arm *a, int disc);  // beta of the subsegment before it, 1/m
double arm_twist(const arm *a);                // from base to tip, rad
void arm_disc(const arm *a, int disc, double p[3]);
// Forces between a rod and the discs before its end, N, from what friction takes of its tension.
int arm_contact(const arm *a, int rod, double *forces);
