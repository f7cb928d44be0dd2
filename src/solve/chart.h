// solve/chart.h - coordinates of a part as plain numbers.
//
// The last 6 n_frames coordinates of a part are those of frames: rotation, then position, stored as
// position and quaternion; their velocities are the angular velocity in the axes of the frame and
// the velocity in the world. As numbers the rotation is a rotation vector, shorter than a turn. A
// small change dz of a frame is a rotation and a translation in the world: its rate gives
//
//     dv = (R'dz_t, ..),     da = (R'dz_tt - w x R'dz_t, ..)
//
// with w the angular velocity that it has. A part with `twists` has V = R'v in place of v, and V' =
// R'v' - w x V; as numbers its velocities are v all the same. Other coordinates are numbers already.
#pragma once

#include <math.h>

#include "solve/mechanics.h"

static inline int n_plain(const solve_part *p) {  // coordinates before those of frames
    return p->n_q - 6 * p->n_frames;
}
// Coordinate k is none: a multiplier has its place.
static inline bool part_holds(const solve_part *p, int k) {
    return p->unit && !(p->unit[k] < HUGE_VAL);
}
// Those that are.
int part_n_coordinates(const solve_part *p);
// q (n_q) of a point x (n_x), and back.
void part_read(const solve_part *p, const double *x, double *q);
void part_write(const solve_part *p, const double *q, double *x);
// Velocities as numbers (n_q) at the point x, and back; in place where both are the same.
void part_read_rates(const solve_part *p, const double *x, const double *v, double *rates);
void part_write_rates(const solve_part *p, const double *x, const double *rates, double *v);
// to = from, changed by scale dz (n_q)
void part_shift(const solve_part *p, const double *from, double scale, const double *dz,
                double *to);
// The change dz (n_q) that the velocity v makes in unit time.
void part_carry_back(const solve_part *p, const double *x, const double *v, double *dz);
// Accelerations in the world (n_q) of a part with velocity v and its rate a.
void part_read_accelerations(const solve_part *p, const double *x, const double *v, const double *a,
                             double *z_tt);
// dv and da (n_q each) of the rates dz_t and dz_tt of a change, at x with the velocity v (NULL: at rest).
void part_carry(const solve_part *p, const double *x, const double *v, const double *dz_t,
                const double *dz_tt, double *dv, double *da);
// How v and a (n_q each) of a part with twists change, dv and da, where frames turn and shift by dz and w, w',
// v and v' do not; 0 for others.
void part_stay(const solve_part *p, const double *x, const double *v, const double *a,
               const double *dz, double *dv, double *da);
