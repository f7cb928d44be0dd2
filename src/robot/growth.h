// robot/growth.h - the stretch of a rod that gets longer as it is fed, and where that leaves what is on the rod.
#pragma once

typedef struct fed_stretch {  // m at rest; of a rod that is not fed both are its length
    double from, to;
} fed_stretch;

// Where a place at rest is when so much, m, is fed to a rod. And which place at rest is there.
double fed_place(fed_stretch g, double s, double fed);
double place_before_feeding(fed_stretch g, double s, double fed);
// Point i of n along a rod at rest that is drawn or recorded: evenly spaced from base to tip; where a part of the rod grows, as
// many on it as on what does not, with one between them.
double point_along(fed_stretch g, double length, int i, int n);
