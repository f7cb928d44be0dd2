// solve/part_slopes.h - the derivative of a step of a part in motion, by its stages; step_map.h is what becomes
// of those of all parts.
//
// A stage solves r(q, l, v, a, u) = 0 with q = q* advanced by v/c0 and a = c0 (v - v*). With the slopes of
// r where it was found (linear.h) and changes dq*, dv*, du of where it began
//
//     K z + D z' + M z'' + G du = 0
//
// gives z, and with it the changes dv, da that the next stage begins with. On frames, which move along
// screws, with y = R'z, x = v/c0 and E = dexp_right_inv(x),
//
//     dv = c0 E R'(z - H z*),   H z* = (th, dp + th x (p - p*)),   da = c0 (dv - dv*)
//     z' = (R dw, R (dV - V x R'th)),   z'' = (R (dw' + w x dw), R (dV' + dw x V + w x dV - (V' + w x V) x R'th))
//
// Sections that follow the mean stretch s of a rod have that of the shape with which the step began: r_s ds is added.
//
// What contact remembers, k of it numbers of the state and what follows from the shape where the step began, is added
// likewise.
//
// So are the springs of sections that relax (flows.h), whose numbers come last in the state.
//
// The numbers of motors and valves (drive_slopes.h) are rows and columns behind those of the part, and move as plain
// coordinates do: y' = c0 (y - y*).
//
// Nothing is left out: this is the derivative of what the step computes, as exact as the slopes.
#pragma once

#include "math/se3.h"
#include "solve/drive_slopes.h"
#include "solve/flows.h"
#include "solve/linear.h"
#include "solve/step.h"

typedef struct step_frame {  // of a stage: 6 x 6 each, in the words above
    mat6 follow, carry;      // c0 E R', H
    mat6 turn, turn_z;       // z' = turn dv + turn_z z
    mat6 swing, swing_z;     // z'' = turn da + swing dv + swing_z z
} step_frame;

// Of one part. Columns: its state z, z', k, h when the step begins; inputs when it begins; when it ends; their rates then;
// parameters.
typedef struct part_slopes {
    step_watch watch;
    linear_point x;
    int n_r;                // rows of r
    int n, n_c, n_u, n_p;   // and numbers of motors; all coordinates; inputs; parameters
    int n_x, columns;       // 2 n_c + n_kept + n_flows; n_x + 4 n_u + n_p
    int *coordinate;        // (n_c) their places among n_q
    double *K, *D, *M, *J;  // (n x n), the first three one after the other
    double *exact;          // (n_slopes of the part) for these
    double *compact;        // (3 n_r x n_r) where there are motors: those of the part alone
    drive_slopes d;         // of its motors and valves
    const bool *moves;      // (n_u) does the input move a base?
    double *G;  // (n x (4 n_u + n_p)) by inputs, as far as they move bases, by rates, accelerations
    double *from, *from_v;     // (n x columns) where the part of a step begins
    double *star, *star_v;     // (n x columns) where a stage begins
    double *z, *z_t, *z_tt;    // (n x columns) of the last stage that was found: with multipliers
    double *v, *a;             // (n x columns) of the last stage
    double *column, *here;     // (n each) scratch; r where it is
    double *jump, *none;       // (n_u) of rates of inputs where a step begins; (n + n_u) zeros
    double *stretch;           // (n_stretches x columns) changes of what sections are made for
    double *kept, *kept_next;  // (n_kept x columns) of what is remembered,
    double *shape, *wrenches;  // (n_shape x columns) and scratch
    flow_columns flows;
    step_frame *frames;  // (n_frames)
    int *pivot;          // (n)
    bool singular;
    bool begins;  // no stage was found yet
    // dr/d parameter (n) at a configuration of this part, with its motors and valves where they are.
    void (*by_parameter)(void *context, const solve_instant *at, const configuration *c,
                         int parameter, double *dr);
    // This part with the other numbers of a parameter, on the same memory: by how much more (1) or less (-1), and `step`; 0:
    // with its own again.
    solve_part (*with_parameter)(void *context, int parameter, int side, double *step);
    void *context;
} part_slopes;
typedef struct drive_source {  // see drive_slopes_layout
    const actuator *all;
    int n;
    const int *parts;
    int part;
} drive_source;
void part_slopes_layout(const solve_part *p, const drive_source *drives, int n_u, int n_p, arena *a,
                        part_slopes *out);
// Before a step of the part as it is.
void part_slopes_begin(part_slopes *s, const solve_part *p, const solve_instant *at);
// Then, where bases have jumped in velocity and left coordinates behind (solve_kick), at that instant: with F the equations
// with velocities dv and that jump as accelerations, less those without, F = 0 gives d(dv) = -M^-1 (F_q z + F_u du).
void part_slopes_kick(part_slopes *s, const solve_part *p, const solve_instant *at);
// After it, at its end, before the shape is accepted.
void part_slopes_end(part_slopes *s, const solve_part *p, const solve_instant *at);
