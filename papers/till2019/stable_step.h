// papers/till2019/stable_step.h - the smallest stable step, as section 3 defines it.
#pragma once

#include "damping.h"

typedef enum step_fate {
    STEP_STABLE,
    STEP_GROWS,  // the energy does, fitted over the run; a run that doubles it is given up
    STEP_FAILS   // the solver does
} step_fate;

typedef struct stable_step {
    double dt;        // s; NAN: nothing is stable
    step_fate below;  // what happens at the next smaller step tried
} stable_step;

// "The minimum timestep for which the solution converges with a positive time constant": the run
// reaches the horizon and its energy, fitted over all of it, decays. Found by walking from 5 ms,
// down by fifths while it is stable or up by quarters until it is, and then by bisection to 2 %.
// Stability comes and goes near the limit, so another walk may end some 20 % elsewhere.
stable_step smallest_stable_step(const method *m, double horizon);

// The same among 5 ms times powers of sqrt(2), from the one nearest to `near` (s) on: a few runs in
// place of some twenty, and an answer that is at most 41 % too large.
#define COARSE 1.4142135623730951
stable_step coarse_stable_step(const method *m, double horizon, double near);
