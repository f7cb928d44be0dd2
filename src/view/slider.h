// view/slider.h - what an input is, and between which values a slider for it runs.
#pragma once

#include "tendril/tendril.h"

typedef struct slider {
    const char *kind;  // "tension", "force", ...: docs/view-protocol.md
    double min, max;
} slider;

slider slider_of(const td_robot *robot, int input);
// How stiff the robot is against a pull: that of a cantilever, 3 EI/L^3 of the softest rod, times
// their number; N/m.
double force_scale_of(const td_robot *robot);
// Up to a number that people like: 1, 1.5, 2, 3, 5, 7.5 times a power of ten.
double round_up(double x);
