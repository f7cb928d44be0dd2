// papers/orekhov2020/rod.h - the rod of the paper with a wrench at its tip, under any method.
#pragma once

#include <stdbool.h>

#include "tendril/tendril.h"

// Section VII: Nitinol, 2 mm thick, 200 mm long, along z. Moduli are not printed: see errata.md.
#define ROD_LENGTH 0.2       // m
#define ROD_RADIUS 1e-3      // m
#define YOUNGS_MODULUS 70e9  // Pa
#define POISSON_RATIO 0.3

double bending_stiffness(void);  // EI, N m^2
double torsion_stiffness(void);  // GJ, N m^2

typedef struct method {
    td_space space;
    int nodes;   // collocation, chebyshev: n + 1 of the paper
    int magnus;  // of these, the order: 4 or 6
    int steps;   // shooting
} method;

typedef struct loaded_rod {
    td_robot *robot;
    td_system *system;
    td_state *state;
} loaded_rod;

// Straight, without load. False: err says why.
bool rod_open(loaded_rod *rod, const method *m, td_error *err);
void rod_close(loaded_rod *rod);
void rod_straighten(loaded_rod *rod);
// Equilibrium under the wrench (force, moment; world), from the shape as it is.
td_status rod_load(loaded_rod *rod, const double wrench[6]);
td_pose rod_tip(const loaded_rod *rod);

double distance(const td_pose *a, const td_pose *b);  // m
double angle(const td_pose *a, const td_pose *b);     // rad, by atan2
