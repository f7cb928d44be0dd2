// model/constant_curvature/compile.h - between the parts of compiling a robot for this model.
#pragma once

#include "model/constant_curvature/constant_curvature.h"
#include "robot/places.h"

#define MOST_SEGMENTS 512  // of one rod: matrices take 100 MB then

typedef struct arc_ends {  // where the segments of one rod end
    double *s;             // m, ascending, beyond 0, the last at the tip
    int n;
} arc_ends;

// compile_segments.c: where segments end, and what they and the riders are made of.
bool arcs_find_ends(const td_robot *robot, int rod, int segments, arc_ends *out);
place_on_arm arcs_place(const arc_ends *e, double s, double length);  // segment -1: at the base
// Returns how many numbers they remember.
int arcs_fill_segments(const robot_rod *rod, const arc_ends *e, bool rotary, segment *segments);
const td_piece_def *arcs_piece(const robot_rod *rod, double s);
rider arcs_rider(const td_body_def *def, place_on_arm at);

// compile_notes.c: what it only approximates.
bool arcs_add_notes(constant_curvature *c, const td_robot *robot);

// compile_check.c: what this model cannot represent.
td_status arcs_check_rod(const td_robot *robot, int rod, const arc_ends *e, td_error *err);
td_status arcs_check_material(const td_constant_curvature_options *o, const robot_rod *rod,
                              td_error *err);
td_status arcs_check_actuator(const td_constant_curvature_options *o, const actuator *a,
                              td_error *err);
