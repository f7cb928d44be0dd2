// cli/optimising.h - what `tendril optimise` found, for its report and its picture.
#pragma once

#include "cli/args.h"
#include "tendril/optimise.h"

typedef struct optimising {
    const char *file;
    td_study *study;
    td_optimum *found;
    double seconds;
} optimising;

void optimising_print(const optimising *o);
void optimising_print_json(const optimising *o);
// How it went, inputs that have knots, and the robot before and after. Returns an exit code, after printing what went wrong.
int optimising_draw(const optimising *o, const char *path);
