// robot/places.h - places along a rod: its pieces, and where actuators begin and end.
#pragma once

#include "robot/growth.h"
#include "robot/robot.h"

#define SAME_PLACE 1e-9  // of the length of a rod: two places this close are one

// The piece that s lies in, and how far along it, from 0 to 1.
const td_piece_def *piece_at(const robot_rod *rod, double s, double *x);

// Each writes arc lengths and returns how many.
int piece_ends(const robot_rod *rod, double *s);               // the last is the tip
int actuator_ends(const td_robot *robot, int rod, double *s);  // both ends of each
int path_points(const td_robot *robot, int rod, double *s);    // of tendons that go through points;
                                                               // s NULL: only counts

// What of a rod gets longer if it is fed: from its base to the first place where a piece ends, or something is fixed to it, and
// all beyond moves on; or, at its tip, from the last such place to there. All of it if there is none.
fed_stretch growing_stretch(const td_robot *robot, int rod);
fed_stretch fed_stretch_of(const td_robot *robot, int rod);  // none where it is not

int ascending(const void *a, const void *b);       // two doubles, for qsort
int join_places(double *s, int n, double length);  // sorted, one for those that are the same; from
                                                   // the base, which is among them, to the tip
