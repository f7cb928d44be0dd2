// material/law.h - what a section answers to its strain and to the rate of it, once for all models.
//
// With x the strain (u, v) less that at rest and x_t its rate, the wrench (m, n) of the material is
//
//     w = K x + r(x) + B(x_t)
//
//     K      diagonal, or with a matrix beside it where modes couple (`coupling`)
//     r      rubber: the axial force E A ((l - 1/l^2)/3 - x_5), l = 1 + x_5, of simple tension
//     B      damping |x_t|^(p - 1) x_t, mode by mode (Sadati 2019 (7)), and time * coupling x_t
//
// All of it has an energy in x and loses power in x_t. Models whose sections are plain, linear and
// diagonal, need the twelve numbers only; those that know more evaluate what is here at their points.
#pragma once

#include "robot/robot.h"

typedef struct section_law {
    double stiffness[6];   // EIxx, EIyy, G*torsion [N m^2]; k G A, k G A, E A [N]
    double damping[6];     // N m^2 s and N s; with a power p: per strain rate to that power
    double power;          // p
    double coupling[36];   // stiffness beside the diagonal; read when coupled
    double coupling_time;  // s, by which that damps
    bool rubber, coupled;
} section_law;

section_law law_of_piece(const td_piece_def *piece, double x);  // x in [0, 1] of its length

static inline bool law_is_plain(const section_law *l) {
    return !l->rubber && !l->coupled && l->power == 1.0;
}

static inline bool law_is_viscous(const section_law *l) {
    for (int i = 0; i < 6; i++)
        if (l->damping[i] != 0.0) return true;
    return l->coupled && l->coupling_time != 0.0;
}

// Of x: wrench, energy (J/m), d wrench/dx (6 x 6).
void law_elastic(const section_law *l, const double x[6], double wrench[6]);
double law_energy(const section_law *l, const double x[6]);
void law_stiffness(const section_law *l, const double x[6], double K[36]);
// Of the rate: wrench, whose power is lost, and its slope (6 x 6).
void law_viscous(const section_law *l, const double rate[6], double wrench[6]);
double law_loss(const section_law *l, const double rate[6]);  // W/m
void law_viscosity(const section_law *l, const double rate[6], double B[36]);

// A rubber in simple tension, by E A: (l - 1/l^2)/3. Far in compression, where it is meant no more,
// the force goes on as its tangent.
double rubber_force(double stretch, double *slope);
double rubber_energy(double stretch);
