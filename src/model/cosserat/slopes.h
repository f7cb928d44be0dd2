// model/cosserat/slopes.h - how the equations of an assembly answer to changes of all that they are made of,
// along m directions at once.
//
// Fields of an assembly are what has a rate in it, side by side: F_SIZE numbers of each node of each of its rods
// and, where bodies ride on one, 6 of each of its elements, and where it is fed its length, which steps alone look at
// (step_slopes.c); then B_SIZE of each of its bodies.
#pragma once

#include "model/cosserat/assembly.h"

int n_fields(const cosserat *c, const assembly *a);
// The first field of its rod i, of the ends of that rod, of its body k.
int rod_field(const cosserat *c, const assembly *a, int i);
int end_field(const cosserat *c, const assembly *a, int i);
int length_field(const cosserat *c, const assembly *a, int i);
int body_field(const cosserat *c, const assembly *a, int k);
// The first of the 12 numbers of each bound of each rod, rod after rod: its motion (z, da).
int rod_bound(const cosserat *c, const assembly *a, int i);

// Points of rods that remember what they touched, nodes and tips: the first of its rod i.
int touch_point_of(const cosserat *c, const assembly *a, int i);
static inline int touch_points(const cosserat *c, const assembly *a) {
    return touch_point_of(c, a, a->n_rods);
}

// Where number k of z is (solve/chart.h), in the order of motion.c: coordinates, then multipliers.
typedef struct coordinate {
    int change;            // row of a change; of a body its first
    int node_field, body;  // field of a strain, or place of the body
    int axis;              // of a body: 0 to 5
} coordinate;
coordinate coordinate_at(const cosserat *c, const assembly *a, int k);
static inline vec3 unit_vec3(int axis) {
    return vec3_make(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
}
static inline quat quat_half(vec3 w) {  // (0, w/2)
    return (quat){0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z};
}

typedef struct assembly_directions {
    int m;
    const double *change;   // (n_change x m) of the point last evaluated; NULL: none
    const double *history;  // (n_fields x m) NULL: none
    bool each;              // the change is that of each unknown by itself: a unit matrix
    double *residual;       // (n_change x m) NULL: not asked for
    double *fields;         // (n_fields x m)
    double *bounds;         // (rod_bound(n_rods) x m) NULL: not asked for
    const double *loads;    // (6 touch_points x m) see rod_directions; NULL: none
    double *poses;          // (6 touch_points x m) NULL: not asked for
} assembly_directions;
size_t assembly_directions_scratch(const cosserat *c, const assembly *a, int m);  // doubles
// The residual (n_change) against the mean stretch that the sections of rod i are made for, at the point last evaluated;
// sides: 4 n_change doubles of scratch. A difference of fourth order.
bool assembly_by_stretch(const assembly_problem *p, int i, const double *point, double *sides,
                         double *by);
bool rod_has_sections_that_follow(const rod *r);
// Has the assembly slopes? Not where tendons rub or parts touch one another, or another scheme than collocation solves it; says so in words.
bool assembly_has_slopes(const cosserat *c, const assembly *a, char *message);
void directions_of_assembly(const assembly_problem *p, const assembly_directions *d,
                            double *scratch);
// Columns [first, first + m) of changes z of the point last evaluated, whose rates are histories: those of rods
// stay, those of bodies turn with them. change (n_change x m) and history (n_fields x m) are 0 before.
void direct_z(const assembly_problem *p, int first, int m, double *change, double *history);
// The same of rates z', in the chart of bodies with these axes (n_bodies), which they keep.
void direct_rates(const assembly_problem *p, const mat3 *present, int first, int m,
                  double *history);
