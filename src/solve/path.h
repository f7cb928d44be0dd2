// solve/path.h - ways to an equilibrium: along growing loads or moving inputs, through folds by arc
// length, and downhill from a shape that does not hold. For statics.c; the shape is in m->t*.
#pragma once

#include "solve/mechanics.h"

#define MOST_TURN 1.0   // rad, of what holds it, from one shape to the next
#define PATH_DRAG 1e-6  // see solve_stage: of a shape that may be free to turn about

typedef struct solve_path {
    solve_stage s;
    const model_call *call;
    bool along_inputs;  // from inputs_before to inputs; else of loads and drives, from none
    double drag;        // see solve_stage
    double stretch;     // SHARE_STRETCH
    bool spent;         // the patience of the part: see path_follow
    double turn;        // rad, by which what holds it turns on the way
    double x;           // of the path, where it is now
    double reached;     // 0 .. 1
    bool begun;         // there is an equilibrium without loads
    bool
        ahead;  // steps end where the shape leads, which found one where Newton's method alone did not
    bool leading;      // such a step is being made
    bool floated;      // something moved freely where the last step began
    double deep;       // in obstacles that are hard, by what they allow, where that is more
    double unsettled;  // what follows the shape and still changed; 0: it settled
    bool stays;        // on shapes that do not hold: there were none that do
    double lost;       // where it lost its stability first; 0: it did not
    double fold;       // where it turned back first; 0: it did not
} solve_path;

// One equilibrium at x of the path.
bool path_solve(solve_path *p, double x);
void path_set(solve_path *p, double x);
// How much of what (in words) there is at x; `beyond`: where one leg ends, of the next.
double path_told(const solve_path *p, double x, bool beyond, const char **what);
bool path_is_unstable(solve_path *p);
// The shape at x = 0, from rest: one that holds, if there is one.
bool path_begin(solve_path *p);
// From x = 0, whose shape is there, to 1 or as far as it goes.
bool path_follow(solve_path *p);
// On from p->reached by arc length until x is 1, through folds.
bool path_arc(solve_path *p);
// To a shape that holds at x = 1: so from here, or from the rest shape, let go under all that acts.
// False: none was found, and it is back where it was.
bool path_jump(solve_path *p);
