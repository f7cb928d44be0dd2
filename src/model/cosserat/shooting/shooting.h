// model/cosserat/shooting/shooting.h - shooting as a spatial scheme: its memory and its parts.
#pragma once

#include "model/cosserat/shooting/bvp.h"

// Kept for each rod. All doubles: see model.h.
typedef struct kept_guess {
    double G[3][6];  // base wrench (n, m): now, and at the last two steps
    shooting_matrix matrix;
} kept_guess;

typedef struct shooting_memory {  // n: unknowns
    kept_guess *kept;
    double *inverse;      // kept (n x n) of the matrix that the ports last factored,
    double *tip_motion;   // kept (12 x n) how the tip moved there,
    double *tip_at;       // kept (3) and where it was
    double *history_mid;  // (n_steps x F_SIZE)
    double *last;         // (n) unknowns of the shape last evaluated
    double *efforts;      // (n_actuators)
    double *measures;     // (n_efforts)
    double *measures_by;  // (n_efforts x n)
    double *matrix;       // (n x n) scratch
    double *right;        // (n) scratch
    int *pivot;           // (n) scratch
} shooting_memory;

// ---------------------------------------------------------------- shooting.c
shooting shooting_of(const rod_problem *p);
// A shot from the unknowns that leaves everything of the shape in p->m. residual (n) as shoot's.
bool shooting_publish(const rod_problem *p, const double *unknowns, double *residual);

// ---------------------------------------------------------------- shape.c
td_sample shooting_sample(const rod *r, const rod_memory *m, double s);
void shooting_weights(const rod *r, int index, double x, double *row);

// ---------------------------------------------------------------- ports.c, check.c
extern const scheme_ports shooting_ports;
td_status shooting_check(const td_robot *robot, const td_options *options, td_error *err);
