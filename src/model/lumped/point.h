// model/lumped/point.h - points of a rod between its nodes: how they move, and what a wrench there
// does to the nodes.
#pragma once

#include "model/lumped/net.h"

typedef struct net_point {
    int body;  // a free body; -1: on a segment
    const segment *s;
    double x;  // 0 .. 1 along it
} net_point;
net_point point_of(const net *c, const model_point *at);

// In m->trial.
td_pose point_pose(const net *c, const net_memory *m, const net_point *at);
// Of a point, when all nodes, m->trial, move by m->y (6 n_nodes).
vec6 point_motion(const net *c, const net_memory *m, const net_point *at);
// A wrench at the point, off m->r (6 n_nodes), by virtual work.
void push_point(const net *c, net_memory *m, const net_point *at, vec6 wrench);
// The same of an end.
vec6 end_shift(const net_memory *m, const place *at);
void push_end(net_memory *m, const place *at, vec6 wrench);
// In m->y, of the nodes that the world holds: their velocities.
void held_motion(const net *c, net_memory *m);
