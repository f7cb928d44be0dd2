// model/screw.h - frames that move along screws.
//
// The velocity of a frame is its twist x = (w, V) in its own axes, and a step in time advances its
// pose g = (R, p) along the screw of that twist, g exp(h x^). A body that turns steadily about any
// axis keeps its twist: such a motion is exact, whatever the step. With velocities in the world a
// point on a circle would advance along chords; what is stiff between two points then forces
// velocities, and more so accelerations, to swing about the true ones from stage to stage.
//
// A frame is stored as position and quaternion (7 numbers), a change of it is a rotation and a
// translation in the world: see solve/chart.h, mechanics.h.
#pragma once

#include "math/se3.h"

// Advanced by its twist v for h.
void screw_advance(const double *from, double h, const double *v, double *to);
// How the twist v answers to a change dz of where it leads.
void screw_rate_change(const double *q, const double *v, double cv, const double *dz, double *dv);
// The rate of the numbers of a frame.
void screw_flow(const double *q, const double *v, double *x_t);
// Slopes Kb against the motions of a frame, which leave its twist (w, V), and Db, Mb against that and its rate, all in its own
// axes, as small motions in the world have them (solve/chart.h): with A = V' + w x V and hats
//
//     K = Kb + (Db_V V^ + Mb_V (A^ - w^ V^)) R'              of turns
//     D = (Db_w - Mb_w w^ + Mb_V V^, Db_V - Mb_V w^) R'      of the rates of turns, of shifts
//     M = (Mb_w, Mb_V) R'
typedef struct screw_axes {  // what columns are multiplied by
    mat3 back, spin;         // R', - w^ R'
    mat3 V, A;               // V^ R', (A^ - w^ V^) R'
    bool turns;              // and nothing else: multipliers are in its place
} screw_axes;
screw_axes screw_axes_of(const mat3 *R, vec6 twist, vec3 A, bool turns);
// In place: six columns of so many rows, `stride` apart; K is of motions already.
void screw_turn_rows(const screw_axes *x, int rows, int stride, double *K, double *D, double *M);
// to = from, changed by scale dz.
void screw_shift(const double *from, double scale, const double *dz, double *to);
