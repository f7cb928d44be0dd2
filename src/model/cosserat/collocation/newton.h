// model/cosserat/collocation/newton.h - solving for the strains at the nodes.
#pragma once

#include "model/cosserat/collocation/collocation.h"

// Corrections (n_unknowns) are measured as angles and stretches: the largest L du, dv.
double size_of_step(const rod *r, const double *step);
// What their strains turn along the rod: where they change a short stretch alone, as where a limp rod leaves its
// clamp, much less than that. Among obstacles, where such a stretch decides what touches, L du all the same.
double angle_of_step(const rod_problem *p, const double *step);

// One time step: from strains extrapolated in time, with the factors of earlier steps while they
// serve; then, from the last strains, with frozen forces. The answer is published.
td_status newton_step(const rod_problem *p, collocation_memory *m, const cosserat_time *time,
                      double dt);

// Equilibrium from m->now.x. Gives up when a correction is larger
// than `farthest` (see angle_of_step).
td_status newton_follow(const rod_problem *p, collocation_memory *m, double farthest);
// The same with friction that grips little by little, for what sticks and slides at once; fails at once on
// a rod where nothing rubs.
td_status newton_loosen(const rod_problem *p, collocation_memory *m, double farthest);
