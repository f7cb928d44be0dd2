// environment/touch.h - what all obstacles do to a point of a robot, whoever computes it: the law of contact.h
// with each of them, by the pose of the point and its motion since the last accepted shape. Wrench with
// slopes, energy and powers; models ask at their points, each of which stands for a length of rod, and keep
// a memory of what sticks.
//
// With the velocity v_o of an obstacle's material, carried on rigidly to the axis p, P n.v_o(p) is the power of its
// pressure, since phi changes by -n.v_o at a point that is held; and t.v_o(p - r n) that of its friction.
#pragma once

#include "base/arena.h"
#include "environment/contact.h"
#include "environment/environment.h"

typedef struct touch_law {
    contact_law law;
    double softest;  // of its stiffness, where a path of equilibria begins
    bool never;      // it belongs to what carries the obstacle
    double hard;     // m, to which it is rigid; 0: it gives way
} touch_law;

typedef struct touch_point {
    int row;          // of the laws: those of its rod or body
    double radius;    // m
    double length;    // m, that it stands for
    td_number there;  // 1: it is, 0: not
    int rod, body;    // of which it is a point; the other is -1
    double s;         // m, along the rod
} touch_point;

typedef struct touch_name {
    char text[80];
} touch_name;

typedef struct touch {  // compiled, see model/touch.h
    obstacle *obstacles;
    int n;            // 0: there is nothing to touch
    touch_law *laws;  // (n_rows x n)
    touch_point *points;
    int n_points;
    touch_name *names;  // (n + n_rods + n_bodies) of obstacles, rods, bodies
    int n_rods;
} touch;

typedef struct touch_rod {  // what the chosen law of a rod follows from
    double EI;              // N m^2
    double weight;          // N/m
    double h;               // m, between points
    double radius, length;  // m
} touch_rod;

#define TOUCH_HARDNESS 16.0  // of the chosen stiffness, EI/h^4
// Where nothing else is given, as hard as points at distances h resolve: a point force spreads over (EI/K)^(1/4),
// half that distance; and so hard that what is limp goes in by no more than a tenth of its radius under its weight.
touch_law touch_law_of(const td_obstacle_def *o, const touch_rod *r);

// ---------------------------------------------------------------- memory
typedef struct touch_memory {
    se3 *frames;       // kept (n) of the obstacles, in the last accepted shape
    double *grips;     // kept (n_points x n x CONTACT_KEPT) see contact.h
    se3 *before;       // kept (n_points) where points were in that shape
    double *there;     // kept (n_points) lengths that points stand for now
    double *begun;     // kept (1) is there a shape that what is at rest may stick to?
    se3 *now;          // (n) frames
    vec6 *rates;       // (n) spin, velocity of the origin; world
    double *hardness;  // (1) 0: the softest, 1: as hard as they are
    double *
        set;  // (2) which points touch which obstacles, as a number, since they were moved; the last
              // of them
    se3 *left;        // (n) frames where a way begins,
    vec3 *from, *to;  // (n_points each) and points there, and where it ends
    double *pressed;  // (n_points x n) how far surfaces were ahead where a step began
    double *last;     // (n_points x n) depths where they were pushed last,
    double *
        pace;  // (n_points) and with which w, at the first point of those that were pushed together
} touch_memory;

touch_memory touch_layout(const touch *t, arena *keep, arena *work);
// Obstacles as inputs move them. rates NULL: they stand still.
void touch_move(const touch *t, const touch_memory *m, const double *inputs, const double *rates,
                double hardness);
// One that a body carries, which is at T and moves with (spin, velocity of its origin); after touch_move.
void touch_carry(const touch *t, const touch_memory *m, int which, const se3 *T, vec6 rate);
// Where they are kept.
void touch_stay(const touch *t, const touch_memory *m, const double *inputs);
// The shape with obstacles where they are now is accepted, after touch_stick for each point; or it is a new
// beginning, where nothing sticks yet.
void touch_accept(const touch *t, const touch_memory *m);
void touch_forget(const touch *t, const touch_memory *m);

// ---------------------------------------------------------------- at a point
typedef struct touch_now {  // world
    se3 T;
    vec3 w, v;   // rad/s, m/s
    bool moves;  // and does not rest
} touch_now;

typedef struct touch_answer {
    vec6 wrench;         // on the point, about it, world
    double energy;       // J, of what is pressed
    double lost, given;  // W
} touch_answer;

// Of all obstacles but those that bodies carry. slopes NULL: they are not wanted; by_motion is filled, nothing
// answers to velocities.
touch_answer touch_at(const touch *t, const touch_memory *m, int point, const touch_now *at,
                      point_slopes *slopes);
// The same of a point that is told of in the axes of a base, which stands still or carries it: wrench and slopes come
// in those axes.
touch_answer touch_in(const touch *t, const touch_memory *m, int point, const mat3 *base,
                      const touch_now *at, point_slopes *slopes);
// A point of an arm on a base that stands still, by its frame and velocities in the axes of the base.
touch_now touch_on(const se3 *base, const mat3 *R, vec3 p, vec3 w, vec3 v, bool moves);
// The same of one alone. False: there is no contact. What a carried one gives is taken from what carries it.
bool touch_with(const touch *t, const touch_memory *m, int point, int which, const touch_now *at,
                touch_answer *sum, point_slopes *slopes);
// Keeps what sticks and where the point is.
void touch_stick(const touch *t, const touch_memory *m, int point, const touch_now *at);
// How the wrench (6 x m) on a point that stays, and what it keeps (n CONTACT_KEPT x m) where it turns and shifts by now
// (6 x m), answer to what was before, along m directions: see contact.h, with `kept` of all obstacles one after another.
void touch_add_past(const touch *t, const touch_memory *m, int point, const touch_now *at,
                    const contact_past *past, double *wrench);
void touch_keep_along(const touch *t, const touch_memory *m, int point, const touch_now *at,
                      const contact_past *past, const double *now, double *kept);
// J, with obstacles in these frames, of a point where it is there.
double touch_energy(const touch *t, const touch_memory *m, const se3 *frames, const double *inputs,
                    int point, vec3 p);

// m, of the surface of an obstacle that is hard, for a point in the accepted shape.
double touch_ahead(const touch *t, const touch_memory *m, int point, int which);
// What touches with the surface at `from` and what sticks there in the accepted shape, per length.
contact touch_kept(const touch *t, const touch_memory *m, int point, int which,
                   const clearance *from);

// ---------------------------------------------------------------- what is hard
typedef struct touch_depth {  // where that is worst
    double m;                 // into the obstacle, or from it where it presses nonetheless
    double times;             // what is allowed; 0: nothing hard is touched
    int point, which;
} touch_depth;
// Of n points from the first on, which are at m->to, among obstacles where they are now.
touch_depth touch_depth_of(const touch *t, const touch_memory *m, int first, int n);
// And their surfaces go ahead there: see contact.h.
void touch_push(const touch *t, const touch_memory *m, int first, int n, contact_push how);
void touch_tell_depth(const touch *t, const touch_depth *at, size_t size, char *message);
// Has something begun to press since the mark that did not then?
void touch_mark(const touch *t, const touch_memory *m);
bool touch_struck(const touch *t, const touch_memory *m);
bool touch_is_hard(const touch *t);

// ---------------------------------------------------------------- ways
// Does a point pass through an obstacle on its way from m->from, with obstacles in m->left, to m->to, where they
// are now? Then the message (of this size) says which and where.
bool touch_passes(const touch *t, const touch_memory *m, size_t size, char *message);
// Ways begin with obstacles where they are now; or where the accepted shape left them, if there is one.
void touch_leave(const touch *t, const touch_memory *m, bool kept);

// Is what points did to obstacles before part of what they do now?
bool touch_remembers(const touch *t);
// Some obstacle is rough.
bool touch_rubs(const touch *t);
