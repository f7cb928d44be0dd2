// solve/flows.h - what flows in sections that relax (mechanics.relaxing): springs in series with dashpots, material/memory.h.
//
// In the derivative of a step. The strain h of the spring of a term is a number of the state, for each free strain x of its
// section. A step from x0 and h0 has at any of its instants
//
//     h = e h0 + f (x - x0),     r += X' w g F h,     dx = X dz
//
// so that beside what the tangent at that instant has, which is f dx, there is e dh0 - f dx0.
#pragma once

#include "solve/mechanics.h"

// F (6 x 6): the wrench that a strain of the springs asks for, by share.
void flow_stiffness(const relaxing_section *s, double F[36]);

typedef struct flow_columns {  // of a part, along m directions
    int m;
    double *h, *next;  // (n_flows x m) where the step begins, and where it ends
    double *begun;     // (6 n_relaxing x m) of x0
    double *X;         // (6 n_relaxing x n_q) scratch
    double *left;      // (6 x m) scratch
    double *x;         // (6 n_relaxing) scratch
} flow_columns;
void flows_layout(const solve_part *p, int m, arena *a, flow_columns *out);
// The configuration where a step begins moves by z (n x m).
void flows_begin(flow_columns *s, const solve_part *p, const solve_instant *at,
                 const configuration *c, const double *z);
// At a stage: rows (n x m) -= what r answers.
void flows_take(flow_columns *s, const solve_part *p, const solve_instant *at,
                const configuration *c, double *rows);
// Where the step ends.
void flows_end(flow_columns *s, const solve_part *p, const solve_instant *at,
               const configuration *c, const double *z);

// The same part with a number of the robot changed by `step`, once more (side 1) and once less (-1), along direction j: the
// strains of a configuration and what is kept of them are then others.
void flows_begin_by(flow_columns *s, const solve_part *p, int side, const solve_instant *at,
                    const configuration *c, double step, int j);
void flows_end_by(flow_columns *s, const solve_part *p, int side, const solve_instant *at,
                  const configuration *c, double step, int j);
