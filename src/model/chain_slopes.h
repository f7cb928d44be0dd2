// model/chain_slopes.h - how an open chain of rigid frames answers to its coordinates, their rates and accelerations.
//
// The frame of a link follows the one before by the coordinates of the link, and asks for a wrench f by its motion.
// Generalised forces are Q_i = B_i' F_i: B_i, how the frame moves with the coordinates of its link, and F_i, the sum of the
// wrenches from there to the tip, about its origin. A coordinate of link m changes the motion of frame m, all beyond is
// carried along: with th, dp, dw, .. of frame m, and the motion (r, W, u, A, g) of frame i as it is seen from there,
//
//     dp_i  = dp - r x th                                dw_i = dw - W x th
//     dv_i  = dv - r x dw - (w x r x + u x) th           dw_i' = dw' - W x dw - (w x W x + A x) th
//     dv_i' = dv' - r x dw' - ((w x r) x + w x r x + 2 u x) dw - (w' x r x + w x w x r x + 2 w x u x + g x) th
//
// wrenches answer to these by their own slopes, and B_i turns along.
#pragma once

#include "math/se3.h"

#define CHAIN_PER 6  // most coordinates of a link

typedef struct chain_motion {  // of a frame, in axes that stand still
    mat3 R;
    vec3 p, w, v, w_t, v_t;
} chain_motion;

// Turns and shifts of a frame by the coordinates of a link, or rates of them: a column for each.
typedef double chain_columns[6][CHAIN_PER];

typedef struct chain_link {
    bool first;  // the frame before is none of the chain
    int at;      // of its coordinates, the first
    chain_motion frame;
    vec6 wrench;                                         // f: moment, force
    double by_motion[36], by_velocity[36], by_rate[36];  // of f; the last by accelerations
    chain_columns B, B_by_q[CHAIN_PER];  // and how B answers, coordinate by coordinate
    chain_columns velocity_by_q, rate_by_q, rate_by_v;  // of the frame, by its own coordinates
    vec6 sum;                                           // F
} chain_link;

// The frame of a link and its B under these coordinates and rates of the link itself, all else as it is.
typedef void chain_frame(void *context, int link, const double *q, const double *v,
                         chain_motion *frame, chain_columns B);
// Frame and slopes of link i, by differences within the link. w: angular velocity of the frame before; unit (per): what
// counts like a radian. Its coordinates are those from i per on; all else of the link is 0 then.
void chain_find(chain_frame *f, void *context, int i, int per, const double *q, const double *v,
                vec3 w, const double *unit, chain_link *out);
// A link whose frame moves by turns and shifts in the world, six coordinates from `at` on: see solve/chart.h.
void chain_free(const chain_motion *frame, int at, chain_link *out);
// dQ by coordinates, rates and accelerations, added to K, D, M, whose rows are `stride` long.
void chain_slopes(chain_link *links, int n, int per, int stride, double *K, double *D, double *M);
