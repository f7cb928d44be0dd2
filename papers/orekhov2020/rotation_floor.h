// papers/orekhov2020/rotation_floor.h - the angle of a rotation that is not quite one.
#pragma once

#include "study.h"

typedef struct rotation_floor {
    double arccos[2], atan2[2];  // mean and largest error of the tip's rotation, degrees
    double position[2];          // % of the length
} rotation_floor;

// All cases again, from the known curvature at the base to the tip with a fifth-order Runge-Kutta
// method (Dormand & Prince) in equal steps on the nine entries of R: Orekhov 2020 (4).
rotation_floor rotation_floor_of(const case_truth *truth, int steps);
