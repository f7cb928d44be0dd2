// environment/field.h - magnets in magnetic fields, whoever computes them: with the moment m of a magnet and the flux
// density B and its gradient G = dB/dx, which is symmetric and without trace where no current flows,
//
//     moment m x B      force grad(m.B) = G m      energy -m.B
//
// A uniform field is B + G (x - p). A dipole M at p, with r = x - p = |r| n and k = mu_0/4 pi,
//
//     B = k/r^3 (3 n n.M - M)      G = 3k/r^4 (M n' + n M' + M.n (1 - 5 n n'))
//
// Magnets do not act on one another, nor on what makes the field.
#pragma once

#include "math/se3.h"
#include "robot/robot.h"

typedef struct field_source {
    bool dipole;
    vec3 p;  // m
    vec3 B;  // T, at p; of a dipole its moment, A m^2
    mat3 G;  // T/m
} field_source;

typedef struct field_list {  // at one instant
    int n;                   // 0: nothing acts on magnets
    field_source sources[TD_MOST_FIELDS];
} field_list;

// Sources of the robot under these inputs, times `share`, in axes that stand in the world as `stand` says; NULL: its own.
field_list fields_at(const td_field_def *defs, int n, const double *inputs, double share,
                     const se3 *stand);
// How they change as inputs change at these rates, the axes at rest.
field_list fields_rate(const td_field_def *defs, int n, const double *inputs, const double *rates,
                       double share, const se3 *stand);
bool fields_driven_by(const td_field_def *defs, int n, int input);  // one by this input
bool field_moves_by(const td_field_def *def, int input);            // is not linear in it

// What they do to a magnet m at p, both in their axes, about p; by_motion (6 x 6, NULL: not wanted) += its slope by
// (turn, shift), where m turns along.
vec6 fields_wrench(const field_list *f, vec3 m, vec3 p, double *by_motion);
// How that changes where sources change by `by`, from fields_rate.
vec6 fields_wrench_by(const field_list *f, const field_list *by, vec3 m, vec3 p);
// J, and W as sources change by `by`.
double fields_energy(const field_list *f, vec3 m, vec3 p);
double fields_power(const field_list *f, const field_list *by, vec3 m, vec3 p);
