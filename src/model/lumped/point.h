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
se3 point_pose(const net *c, const node_state *x, const net_point *at);
vec6 motion_from(const se3 *from, const se3 *to, double step);  // per step; rotation, translation

// Of a point, when all nodes move by m->y (6 n_nodes); nodes and their frames as in m->nodes.
vec6 point_motion(const net *c, const net_memory *m, const net_point *at);
// A unit wrench at the point, off m->r (6 n_nodes), by virtual work.
void push_point(const net *c, net_memory *m, const net_point *at, int component);

// Motions per input of the nodes that the world holds, in m->y: they are at `from`, at `to` with an
// input that is larger by step.
void held_motion(const net *c, net_memory *m, const node_state *from, const node_state *to,
                 double step);
// How far an input is moved for a difference.
double input_step(double value);
