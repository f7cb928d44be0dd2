// model/virtual_power/compile.h - between the parts of compiling a robot for this model.
#pragma once

#include "model/virtual_power/virtual_power.h"
#include "robot/places.h"

typedef struct disc_places {  // of one rod
    double *s;                // m, ascending, beyond 0, the last at the tip
    int n;
    bool bodies;       // they are the bodies, and the core's tip
    double last_body;  // m
} disc_places;

// compile_discs.c: where the discs are, and what they and the subsegments before them are made of.
bool find_places(const td_robot *robot, int rod, int discs, disc_places *out);
int disc_at(const disc_places *p, double s, double length);  // -1: none
void fill_segments(const td_robot *robot, int rod, const disc_places *p, const actuator *actuators,
                   const td_options *options, segment *segments);
// What lies before the first disc's share, about the base.
segment still_part(const td_robot *robot, int rod, const disc_places *p, const actuator *actuators,
                   const td_options *options);

// compile_notes.c: what it only comes near. False: out of memory.
bool add_notes(virtual_power *c, const td_robot *robot);

// compile_check.c: what this model cannot represent, and what cannot be built.
td_status check_rod(const td_robot *robot, int rod, const disc_places *p,
                    const td_virtual_power_options *options, td_error *err);
td_status check_tendon_holes(const td_robot *robot, const actuator *actuators, td_error *err);
