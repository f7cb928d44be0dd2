// model/pairs.h - parts of a robot that touch one another, whoever computes where they are: capsules around stretches of
// rods and around bodies, by the law of environment/pair.h.
//
// A model says where the ends of capsules are (pair_shape), and puts what comes of it where it belongs.
#pragma once

#include "base/arena.h"
#include "environment/pair.h"
#include "model/model.h"

typedef struct capsule {
    int part;         // its rod, or n_rods + its body
    double s;         // m, where its stretch begins
    double length;    // m
    double left;      // m, from its end to the tip of its rod
    double radius;    // m
    double lean;      // m^2, see pair.h
    bool held;        // nothing moves it but inputs
    td_number there;  // 1: it is, 0: not
} capsule;

typedef struct part_law {  // of two parts that touch
    int contact;           // by this one of the robot; -1: they pass through one another
    pair_law law;          // without what capsules have
    double softest;        // of its stiffness, where a path of equilibria begins
} part_law;

typedef struct part_contacts {
    capsule *capsules;
    int n;                // 0: nothing touches
    part_law *laws;       // (n_parts x n_parts)
    int n_rods, n_parts;  // rods; with bodies
    char (*names)[64];    // (n_parts)
    int *
        joined;  // (n_rods x 2) what holds base and tip: the same number, the same body or place; -1: nothing
    int most;  // pairs that may touch at once
} part_contacts;

// ---------------------------------------------------------------- compile_pairs.c
// Laws and names, and room for n capsules, which the model adds; h (n_rods): m, of the stretches of rods. Nothing where the
// robot has no contacts. False: out of memory.
bool pairs_make(part_contacts *k, const td_robot *robot, const double *h, int n);
bool pairs_touch(const part_contacts *k, int part);  // is it named by one?
void pairs_add_stretch(part_contacts *k, const td_robot *robot, int rod, double s, double length);
// ends: those of its axis, in its frame. A sphere is a capsule without length.
void pairs_add_body(part_contacts *k, const td_robot *robot, int body, vec3 ends[2]);
void pairs_limit(part_contacts *k);  // all are there: how many pairs may touch at once
void pairs_release(part_contacts *k);

// ---------------------------------------------------------------- memory
typedef struct pairs_memory {  // all NULL where nothing touches
    double *kept;              // kept (1) how many pairs touched in the accepted shape,
    double *keys, *slips;  // kept (most), (most x 3) which, ascending, and what stuck: see pair.h
    double *begun;         // kept (1) is there a shape that what is at rest may stick to?
    double *there;         // kept (n) which capsules are
    double *hardness;      // (1) 0: the softest, 1: as hard as they are
    int *order;            // (n) of the boxes along an axis
    vec3 *lo, *hi;         // (n) boxes
    vec3 *p;               // (2 n) ends of axes
    vec3 *from;            // (2 n) the same where the last part of a step began
    int *list;             // (most x 2) pairs that touch
    double *new_keys, *new_slips;
    double *held;  // (most) pairs that answer as if they touched, while a shape is sought
    int n_held;
    bool only_held;  // no other pair is looked for
    int n;           // of the list
    bool over;       // there were more than it holds
} pairs_memory;

pairs_memory pairs_layout(const part_contacts *c, arena *keep, arena *work);
void pairs_move(const part_contacts *c, const pairs_memory *m, const double *inputs,
                double hardness);

// ---------------------------------------------------------------- shapes
typedef struct part_end {  // of the axis of a capsule, world
    mat3 R;
    vec3 p, w, v;
} part_end;

typedef struct pair_shape {
    part_end (*at)(const void *of, int capsule, int end);
    const void *of;
} pair_shape;

typedef struct meeting {  // of two capsules that touch
    int i, k;
    pair_law law;
    pair_ends x;
    part_end ends[PAIR_ENDS];
    pair_contact c;
} meeting;

// Finds all pairs that touch: m->list.
void pairs_find(const part_contacts *c, pairs_memory *m, const pair_shape *x);
// Number `which` of the list, in a shape that comes from the accepted one (NULL: it is that). moves: and does not rest. False:
// they do not touch.
bool pairs_meet(const part_contacts *c, const pairs_memory *m, const pair_shape *x,
                const pair_shape *before, bool moves, int which, meeting *out);
// The shape is accepted, after the one before it.
void pairs_keep(const part_contacts *c, pairs_memory *m, const pair_shape *x,
                const pair_shape *before, shape_origin from);
double pairs_energy(const part_contacts *c, pairs_memory *m, const pair_shape *x,
                    const pair_shape *before);  // J
// The pair is held, or none is any more; or all of the list and no others, as derivatives in contact need it.
void pairs_hold(const part_contacts *c, pairs_memory *m, int i, int k);
void pairs_let_go(pairs_memory *m);
void pairs_hold_list(const part_contacts *c, pairs_memory *m);
bool pairs_rub(const part_contacts *c);
// W, taken by what slides.
double pairs_lost(const meeting *x);

// ---------------------------------------------------------------- what cannot be
// A step begins from this shape.
void pairs_begin(const part_contacts *c, pairs_memory *m, const pair_shape *x);
// Have parts gone through one another since, or do they lie within one another at rest, or touch at too many
// places? In words. moves: it is part of a step, which goes on from there where `taken`.
td_status pairs_fit(const part_contacts *c, pairs_memory *m, const pair_shape *x, bool moves,
                    bool taken, char *message);

// ---------------------------------------------------------------- what is told of the accepted shape
void pairs_visit(const part_contacts *c, pairs_memory *m, const pair_shape *x, contact_visit *visit,
                 void *context);
void pairs_sample(const part_contacts *c, pairs_memory *m, const pair_shape *x, int rod, double s,
                  td_sample *out);
