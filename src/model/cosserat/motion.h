// model/cosserat/motion.h - an assembly at an instant of a motion: see motion.c.
#pragma once

#include "model/cosserat/assembly.h"

#define MOTION_REACH 1e-3  // rad, from one point of a difference along the motion to the next

// From (q, l) to a point of assembly.h.
void motion_to_point(const assembly_problem *p, const double *q, const double *l, double *point);
// Strain rates and motions of bodies v, as histories; rates of velocities stay.
void motion_set_rates(const assembly_problem *p, const double *point, const double *v);
// 1/s: how fast it moves, as an angle; of what holds it too.
double motion_speed(const assembly_problem *p, const double *v);
// The point that is reached from `from` after t with the velocity v.
void motion_go_on(const assembly_problem *p, const double *from, double t, const double *v,
                  double *to);
// The shape of a point with bases at these places and rates, and its residual. False: there is none.
bool motion_evaluate(assembly_problem *p, const double *point, const double *places,
                     const double *rates);
// The shape of the configuration with its velocities and accelerations, into the trials, and the residual
// of assembly.h in own->residual.
bool motion_move(assembly_problem *p, const solve_instant *at, const configuration *c);

// ---------------------------------------------------------------- relaxing.c
// See mechanics.
int motion_n_relaxing(const cosserat *c, const assembly *a, int *n_flows);
relaxing_section motion_relaxing(void *of, int i);
void motion_strains(void *of, const solve_instant *at, const configuration *c, double *X);
// Node k of an element of a rod.
static inline bool node_relaxes(const element *e, int k) {
    return e->laws && e->laws[k].n_terms > 0;
}

// ---------------------------------------------------------------- motion_slopes.c
// mechanics.slopes
bool motion_slopes(void *of, const solve_instant *at, const configuration *c, double *K, double *D,
                   double *M, double *scratch);
size_t motion_slopes_scratch(const cosserat *c, const assembly *a);  // doubles; 0: it has none

#define WIDEST 64  // directions at a time
// n parts of sizes x WIDEST doubles one after another from `at` on, then the axes of bodies and the scratch of
// directions_of_assembly. at NULL: only counted. The doubles of all.
size_t directions_place(const cosserat *c, const assembly *a, int n, double **const *parts,
                        const size_t *sizes, mat3 **present, double **scratch, double *at);

// ---------------------------------------------------------------- output_slopes.c
// mechanics.outputs
bool motion_output_slopes(void *of, const solve_instant *at, const configuration *c,
                          const output_slopes *out, double *scratch);
size_t motion_output_scratch(const cosserat *c, const assembly *a);  // doubles
// out->by_z (n_y x m) += how outputs answer along m directions of the shape last evaluated and published: of changes of
// unknowns, fields and bounds, as directions_of_assembly has them. scratch: 12 m + n_change(a) doubles. False: there is
// an output that has no such answer.
bool outputs_along(const assembly_problem *p, int m, const double *change, const double *fields,
                   const double *bounds, const output_slopes *out, double *scratch);
