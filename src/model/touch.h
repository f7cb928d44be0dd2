// model/touch.h - obstacles as models compile them: see environment/touch.h.
#pragma once

#include "environment/touch.h"
#include "model/model.h"
#include "model/notes.h"

// For points that the caller fills in, and rows of laws, one for each rod. False: out of memory.
bool touch_make(const td_robot *robot, int n_points, int n_rows, touch *out);
void touch_release(touch *t);
// A row of laws, those of a rod whose points are at the distance h.
void touch_set_rod(touch *t, const td_robot *robot, int rod, int row, double h);
// One rod that touches at these places (n), ascending, of which the first stands for all before it, too, and the last is the
// tip; h: as above. False: out of memory.
bool touch_rod_at(const td_robot *robot, int rod, int n, const double *s, double h, touch *out);
#define TOUCH_ALONG 9   // points along an edge of a box, at most,
#define TOUCH_MOST 386  // and of a body: 9^3 - 7^3
#define TOUCH_ROWS 2    // of laws for a body
typedef struct touch_body {
    int n;      // 0: it passes through
    int first;  // of them that touch only what is thinner than the body: sides and edges of a box
    vec3 at[TOUCH_MOST];    // in its frame
    double radius, length;  // m, of each point
} touch_body;
touch_body touch_body_of(const td_robot *robot, const td_body_def *d);
static inline int touch_row(const touch_body *x, int row, int i) {
    return row + (i >= x->first);
}
// How hard a part is where nothing is given: what it stands for with one point, m, N/m there, and how soft a path of
// equilibria may begin with, N/m; 0: as hard as it ends.
typedef struct touch_hardness {
    double length, stiffness, softest;
} touch_hardness;
touch_hardness touch_body_hardness(const td_robot *robot, int body);
touch_hardness touch_rod_hardness(const td_robot *robot, int rod, double h);
// The same laws of a body, and in the row behind those of its points from `first` on.
void touch_set_body(touch *t, const td_robot *robot, int body, int row);

// What rods among these obstacles do not feel, or feel at once, and bodies that pass through. gaps (n_rods): m, the widest
// between two points; more: the option that makes it smaller. False: out of memory.
bool touch_notes(const td_robot *robot, const double *gaps, const char *more, model_notes *notes);

// What a part that may touch something asks of the solver.
// m NULL: there is no memory yet.
void touch_part(const touch *t, const touch_memory *m, solve_part *p);
// Its part in that which is not about obstacles: forces have kinks, and harden along a path.
void touch_kinks(solve_part *p);
// See td_model.contacts and td_sample, of the accepted shape.
// The points that touch_stick was told of are where the robot is now, or begins.
void touch_keep(const touch *t, const touch_memory *m, shape_origin from);
void touch_visit(const touch *t, const touch_memory *m, contact_visit *visit, void *context);
void touch_sample(const touch *t, const touch_memory *m, int rod, double s, td_sample *out);
// m, of the surface around the axis of a rod.
double touch_radius(const td_robot *robot, int rod, double s);
