// model/lumped/compile.h - between the parts of compiling a robot into a net.
#pragma once

#include "model/lumped/net.h"
#include "robot/places.h"

typedef struct cuts {  // where the nodes of a rod are
    double *s;         // m, ascending, 0 first and the length last
    int n;             // segments: one less than places
} cuts;

// compile_cuts.c
bool cut_rod(const td_robot *robot, int rod, int segments, cuts *out);
int cut_at(const cuts *at, double s, double length);  // -1: none

// compile_check.c: what these models cannot represent.
td_status check_lumped(const td_robot *robot, const td_options *options, bool joins, td_error *err);

// compile_touch.c: false: out of memory.
bool net_touch(net *c, const td_robot *robot);

// compile_pairs.c: false: out of memory.
bool net_pairs(net *c, const td_robot *robot);
void free_pairs(net *c);
// All pairs of free nodes that may come to touch one another, into pairs (2 x count); returns how many.
int touching_nodes(const net *c, int *pairs);

// compile_parts.c: what segments and nodes are made of.
lump lump_of(double mass, const double inertia[3], const double centre[3]);
lump lump_of_body(const td_body_def *def);
void add_lump(lump *to, const lump *from);
void fill_segment(const td_robot *robot, const actuator *actuators, int rod, double from, double to,
                  segment *out, lump *half);
// Share of a load that acts at node i of a rod: 1 for a point load there, the integral of the
// node's hat function for a distributed one.
double load_share(const td_load_def *load, const cuts *at, int i, double length);
