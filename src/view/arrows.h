// view/arrows.h - forces and moments that a page draws as arrows: loads, and what holds the ends of rods.
#pragma once

#include "tendril/tendril.h"

typedef struct arrow {
    char name[128];
    bool reaction;        // of what holds an end; otherwise a load
    bool per_length;      // N/m and N m/m
    int rod, body;        // where it is: at s of a rod, or at a body (rod -1)
    double s;             // m, at rest
    bool follows;         // the section or body that it acts on
    td_number force[3];   // of a load
    td_number moment[3];  // of a load
} arrow;

enum { ARROW_FLOATS = 9 };  // of a frame: point, force, moment; world

// All of a robot, malloc'ed. NULL with *n > 0: out of memory.
arrow *arrows_of(const td_robot *robot, int *n);
void arrow_at(const arrow *a, const td_system *system, const td_state *state,
              double out[ARROW_FLOATS]);
