// cli/gain.h - the best gain for steps of a robot, as a scenario that runs with it.
#pragma once

#include "cli/linear.h"

// What --lqr, --price and --scenario ask for; outputs (rows x n_states) by coordinates and rates. An exit code.
int gain_write(const linear *x, const args *a, double dt, const double *outputs, int rows);
