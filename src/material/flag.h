// material/flag.h - a fibre of a superelastic alloy: the flag of stress over strain.
//
// Its fraction of martensite is z. Austenite (modulus A) becomes martensite (M) along the line from (s1, z = 0) to (s2, z = 1) of stress,
// and back along that from (t1, z = 1) to (t2, z = 0), which lies below; between the two lines z stays. With the transformation
// strain L,
//
//     strain = stress ((1 - z)/A + z/M) + L z
//
// so each line is a quadratic in z, and the answer to a strain is closed. Tension and compression are alike: z has the sign
// of the strain, and is 0 where that changes. A change dz takes Y dz of the work, Y = (1/M - 1/A) s^2/2 + L s; what both
// lines have in common of that is stored, their difference is lost: half of it each way.
#pragma once

#include "robot/robot.h"

typedef struct flag_state {
    double stress, slope;  // Pa, against the strain
    double fraction;       // z, with the sign of the strain
    double energy;         // J/m^3
    double taken;          // J/m^3, lost per strain from here on: forward, ...
    double given;          // ... and backward
} flag_state;

flag_state flag_at(const td_superelastic *a, double austenite, double strain, double before);
