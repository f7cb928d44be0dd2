// model/cosserat/contact.h - contact of rods with obstacles, at the nodes: a load per length beside drag and
// weight, by the law of environment/contact.h.
#pragma once

#include <math.h>

#include "model/cosserat/scheme.h"

// The law of a point with an obstacle: nodes have one, the tip its own.
static inline const contact_law *contact_law_at(const rod *r, int point, int which) {
    return &r->contacts[(point == r->n_nodes ? r->n_obstacles : 0) + which];
}

// What all obstacles do to node i of an element with the pose T, per length. slopes and slips (n_obstacles
// x CONTACT_KEPT, what is kept there) may be NULL.
contact contact_of_node(const rod_problem *p, const element *e, int i, const se3 *T,
                        contact_slopes *slopes, double *slips);

// Changes along m directions of what contact remembers, for the shape in progress: kept (points x n_obstacles
// CONTACT_KEPT x m), before (points 6 x m) turns and shifts of the current shape, length (m) of the current length, where
// the rod is fed (NULL: it is not). Points are nodes, then the tip; scratch: 3 m doubles.
typedef struct contact_columns {
    int m;
    const double *kept, *before, *length;
    double *scratch;
} contact_columns;
// loads (points 6 x m), see rod_directions: those that follow from what was before.
void contact_past_loads(const rod_problem *p, const contact_columns *x, double *loads);
// to (as kept) += what is kept of the shape in progress, whose points turn and shift by now (points 6 x m).
void contact_add_kept(const rod_problem *p, const contact_columns *x, const double *now,
                      double *one, double *to);

// Nodes that touch in the current shape are held where the next is sought: while `holding`, they answer as if they
// touched, pulling if need be. A guess may lose by a hair what carries the rod, and what is then free falls
// through the wall.
void contact_hold(const rod_problem *p);

// A set of nodes that touch as one number, with one more in it: others, nearly always, have another, and all are
// exact as doubles.
static inline double touching_with(double set, double node) {
    return fmod(31.0 * set + node, 1e12);
}

// A tip that no joint holds touches as well, as the node behind the last.
bool contact_tip_touches(const rod *r);
vec6 contact_of_tip(const rod_problem *p, const se3 *T, int w, double *by_z);
// The same of bodies that ride at the far end of element k, which moves with the spatial velocity a. *touching (NULL: not
// wanted): with those of their points that touch.
vec6 contact_of_riders(const rod_problem *p, int k, const se3 *T, vec6 a, int w, double *by_z,
                       double *touching);
double contact_riders_energy(const rod *r, const rod_memory *m);  // J, in the current shape
// m of rod that a point stands for, a node or, behind the last of them, the tip.
double contact_weight(const rod *r, int point);
// Does a point not feel an obstacle, wherever it is?
bool contact_spares(const rod *r, int point, int which);
// by_z (6 x 6) += the answer of a wrench about p to a spatial motion z, where it answers to turns and shifts of p
// by S.
void contact_add_spatial(vec3 p, vec3 force, const double S[36], double *by_z);

// J, stored in the pressure on a rod: nodes (n_nodes x Y_SIZE) and bounds (n_elements + 1 x Y_SIZE) among obstacles in
// these frames.
double contact_energy(const rod *r, const rod_memory *m, const se3 *frames, const double *nodes,
                      const double *bounds);
// gap, pressure and contact of the sample at s of the current shape, whose pose is known.
void contact_sample(const rod *r, const rod_memory *m, double s, td_sample *out);
// Friction's part of what is dissipated, and the work of obstacles that move, from the current shape to
// the one in progress.
void contact_account(const rod_problem *p, cosserat_time *time);
// A point and an obstacle, and where both were and are.
typedef struct contact_way {
    int point, which;
    const se3 *before, *now;
    vec3 from, to;
    double deepest;  // m, before
    double ahead;    // m, of what is hard
} contact_way;
// J per length that the obstacle brings through its pressure; fed: the length before by that of now.
double contact_pressed_work(const rod *r, const contact_way *way, double fed);
// Does the point pass through it?
bool contact_crosses(const rod *r, const contact_way *way);
// As a bound: J that obstacles which move may bring to a rod.
double contact_most_work(const rod_problem *p);

// Where nodes of the shape in progress are deepest in what is hard, by what that allows; and its surface goes ahead for
// each of them: see environment/contact.h.
typedef struct contact_depth {
    double times, depth, s;  // 1, m, m
    int obstacle;
} contact_depth;
contact_depth contact_depth_of(const rod_problem *p);
void contact_push_ahead(const rod_problem *p, contact_push how);

// Does a node pass through an obstacle on its way from the current shape to the one in progress? Then the message says
// which and where.
bool contact_is_crossed(const cosserat *c, const rod_problem *p, char *message);
// Adds to a message which obstacle the current shape is pressed into, where that is deepest. Nothing where it
// touches none.
void contact_add_blame(const cosserat *c, const assembly *a, const cosserat_memory *m,
                       char *message);

// ---------------------------------------------------------------- compile_contact.c
bool contact_compile(cosserat *c, const td_robot *robot);
bool contact_compile_rod(const cosserat *c, const td_robot *robot, rod *r);
bool contact_compile_bodies(cosserat *c, const td_robot *robot);  // once they are there
bool contact_compile_pairs(cosserat *c, const td_robot *robot, const int *free_of);  // and joints
void contact_release(cosserat *c);
// What rods among these obstacles do not feel, or feel at once. False: out of memory.
bool contact_add_notes(cosserat *c, const td_robot *robot);
// Refuses what contact cannot be computed with.
td_status contact_check(const td_robot *robot, const td_options *options, td_error *err);
