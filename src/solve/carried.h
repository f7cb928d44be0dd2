// solve/carried.h - steps that go along with bases that inputs move.
//
// A stage of SDIRK2 gives accelerations that are wrong at first order of what is forced to follow a given motion x(t): where
// a stiff chain hangs on a base, velocities are off by 0.35 h x'' and accelerations by 4 x'', whatever the step. So a stage sets
// out from where it leads exactly what a base carries along rigidly. In the space of the base B(t), which has moved by
// D = B(t) B(0)^-1 with the twist b = D^-1 D' since the step began, a frame that was at g0 then has g = D g0 and the twist
// Ad(g0)^-1 b; with q* = g0 exp(f v1), v* = v0 + f a1, and g = gamma h this asks for
//
//     q* -> c q*,   c = D exp(-g b) exp(-f b1),         v* -> v* + Ad(g0)^-1 y,   y = b - b0 - f b1' - g b'
//
// where c and y are of the base alone. What moves on its own beside is stepped as without.
#pragma once

#include "solve/mechanics.h"
#include "solve/step_inputs.h"

typedef struct base_carry {
    se3 c;
    vec6 y;
} base_carry;

// Changes of one input when the step begins or ends or of its rates then (input_slopes), by `size`; size 0: none.
typedef struct input_nudge {
    int input, which;
    double size;
} input_nudge;

// Of a base of the part (base_course). False: it stays. Asks within->places and the like, at other times.
bool carried_find(const solve_part *p, step_inputs *within, const stage_way *way, int base,
                  input_nudge by, base_carry *out);
// m->star, m->star_v of all frames.
void carry_along(const solve_part *p, step_inputs *within, const stage_way *way);
