// solve/chart.h - coordinates of a part as plain numbers.
//
// The last 6 n_frames coordinates of a part are those of frames: rotation, then position, stored as
// position and quaternion; their velocities are the angular velocity in the axes of the frame and
// the velocity in the world. As numbers the rotation is a rotation vector, shorter than a turn. A
// small change dz of a frame is a rotation and a translation in the world: its rate gives
//
//     dv = (R'dz_t, ..),     da = (R'dz_tt - w x R'dz_t, ..)
//
// with w the angular velocity that it has. Other coordinates are numbers already.
#pragma once

#include <math.h>

#include "solve/mechanics.h"

// Coordinate k is none: a multiplier has its place.
static inline bool part_holds(const solve_part *p, int k) {
    return p->unit && !(p->unit[k] < HUGE_VAL);
}
// Those that are.
int part_n_coordinates(const solve_part *p);
// q (n_q) of a point x (n_x), and back.
void part_read(const solve_part *p, const double *x, double *q);
void part_write(const solve_part *p, const double *q, double *x);
// to = from, changed by scale dz (n_q)
void part_shift(const solve_part *p, const double *from, double scale, const double *dz,
                double *to);
// dv and da (n_q each) of the rates dz_t and dz_tt of a change, at x with the velocity v (NULL: at rest).
void part_carry(const solve_part *p, const double *x, const double *v, const double *dz_t,
                const double *dz_tt, double *dv, double *da);
