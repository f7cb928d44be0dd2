// material/rub.h - hysteresis of bending: Dahl's, and Bouc and Wen's with an exponent n and a shape b, as a vector.
//
// The moment M z, |z| <= 1, follows the way of the curvatures u, whatever its pace, over about the curvature c:
//
//     c dz = du - (b |du| z + (1 - b) (e . du) |z| e) |z|^(n - 1),     e = z/|z|
//
// which in one plane is c dz = du - (b |du| |z|^(n - 1) z + (1 - b) du |z|^n) (Wen 1976), and with n = b = 1 Dahl's, whose
// answer to a straight way in the direction d is closed, z1 = d + (z0 - d) exp(-|u1 - u0|/c). Otherwise the way is
// integrated in steps. M c |z|^2/2 of the work is stored, and M (b |du| |z|^(n + 1) + (1 - b) (z . du) |z|^n) lost: never
// less than nothing with b >= 1/2.
#pragma once

#include "robot/robot.h"

// z after the straight way du from z0, and its slope against du (2 x 2; NULL: not wanted).
void rub_along(const td_hysteresis *h, const double z0[2], const double du[2], double z[2],
               double slope[4]);
// z' at the rate u_t.
void rub_rates(const td_hysteresis *h, const double z[2], const double u_t[2], double z_t[2]);
// What is lost at the rate u_t, by M.
double rub_loss(const td_hysteresis *h, const double z[2], const double u_t[2]);
