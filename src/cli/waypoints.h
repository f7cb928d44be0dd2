// cli/waypoints.h - the inputs along a way that was found, and a robot file that follows it.
#pragma once

#include "cli/session.h"

typedef struct waypoints {
    int n_inputs;
    double *list;  // (n x (1 + n_inputs)) share of the way, values of all inputs
    int n, room;
} waypoints;

bool waypoints_add(waypoints *w, const session *s, double share);  // false: out of memory
void waypoints_free(waypoints *w);

// Writes the robot with its inputs following the way during the first half of the run; those that
// did not move on the way are constant. Returns an exit code, after printing what went wrong.
int waypoints_write(const waypoints *w, const session *s, const char *path);
