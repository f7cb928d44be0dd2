// model/cosserat/collocation/efforts.h - tendons and chambers on a collocated rod.
//
// Each adds sign * effort * slope to the section law at its nodes. Efforts that are not given are
// unknowns after the strains; their equations (measure of a uniform effort, tension along a tendon
// that rubs) border the rod's:
//
//     [J E; R D] [x; e] = - [r_x; r_e]       Y = J^-1 E,  C = D - R Y
//     e = C^-1 (- r_e - R x0),   x = x0 - Y e,   x0 = - J^-1 r_x
//
// J is the sweep's, so the cost stays linear in the number of elements.
#pragma once

#include "model/cosserat/collocation/collocation.h"

// ---------------------------------------------------------------- an iterate
// Fills it->tensions, points, grips, passed and adds to it->residual; after the strains' own part.
void efforts_evaluate(const rod_problem *p, iterate *it);
// J (m x m) of element k += effort * curvature at its nodes.
void efforts_add_stiffness(const rod_problem *p, const iterate *it, int k, double *J);

// ---------------------------------------------------------------- the border
border border_layout(const rod *r, arena *keep);
// After sweep_factor. False: singular. negative (may be NULL) += negative eigenvalues of the symmetric
// border less the number of its unknowns.
bool border_factor(const rod_problem *p, collocation_memory *m, int *negative);

// ---------------------------------------------------------------- friction.c
// The equations of a tendon that rubs: tensions along it, its part of it->residual.
void friction_evaluate(const rod_problem *p, iterate *it, const rod_actuator *ra, int which);
// Its rows of R and D.
void friction_rows(const rod_problem *p, const iterate *it, const rod_actuator *ra, int which,
                   double *R, double *D, double *scratch);
size_t friction_scratch(const rod *r);  // doubles
