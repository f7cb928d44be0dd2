// papers/rone2014/continuum.h - the same robot without discs of its own. What discs weigh is spread
// along the core, so that any number of them, and a Cosserat rod, describe it.
#pragma once

#include "robot.h"

typedef struct continuum {
    bool rods_bend;  // rods bend as arcs of their own; false: the core has their stiffness
    double tension[RODS];
    double side_load;  // N, at the tip, along y
} continuum;

td_robot *continuum_robot(const continuum *c, td_error *err);

typedef struct tip {
    double p[3];   // m
    double twist;  // rad, from base to tip
} tip;

td_options disc_options(int discs);  // virtual work of tension, no torsion
bool solve_continuum(const continuum *c, const td_options *o, tip *out, td_error *err);
bool solve_rod(const continuum *c, tip *out, td_error *err);  // Kirchhoff's theory
double tip_distance(const tip *a, const tip *b);              // m

enum { N_NUMBERS = 5 };
extern const int disc_numbers[N_NUMBERS];  // 4 .. 64
// Of errors at these numbers, from the last two.
double order_of(const double errors[N_NUMBERS], int n);
