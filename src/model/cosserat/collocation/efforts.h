// model/cosserat/collocation/efforts.h - tendons and chambers on a collocated rod.
//
// Each adds sign * effort * slope to the section law at its nodes. Efforts that are not given are
// unknowns after the strains; their equations (measure of a uniform effort, tension along a tendon
// that rubs) border the rod's:
//
//     [J E; R D] [x; e] = - [r_x; r_e]
//
// Where a tendon slides, its tension is a given share of the one before, but for the little that it
// changes with the turning of its path. The rough matrix leaves that out: such tensions follow from
// those whose equations are kept, e = P q + e_r with e_r from their own residuals, and
//
//     Y = J^-1 E P,   C = D P - R Y,   x0 = - J^-1 (r_x + E e_r)
//     q = C^-1 (- r_q - D e_r - R x0),   x = x0 - Y q
//
// with R and D the kept rows. The sharp matrix keeps all: P = 1, e_r = 0. J is the sweep's, so the
// cost is linear in the number of elements, and grows with what sticks.
#pragma once

#include "model/cosserat/collocation/collocation.h"

// ---------------------------------------------------------------- an iterate
// Fills it->tensions, points, grips, passed and adds to it->residual; after the strains' own part.
void efforts_evaluate(const rod_problem *p, iterate *it);
// What a unit of effort adds to the section law at node i of an actuator.
vec6 effort_slope(const rod *r, const rod_actuator *ra, int i, const iterate *it);
// J (m x m) of element k += effort * curvature at its nodes.
void efforts_add_stiffness(const rod_problem *p, const iterate *it, int k, double *J);

// ---------------------------------------------------------------- the border
border border_layout(const rod *r, arena *keep);
// After sweep_factor. False: singular. negative (may be NULL) += negative eigenvalues of the symmetric
// border less the number of its unknowns.
bool border_factor(const rod_problem *p, collocation_memory *m, bool sharp, int *negative);
#define SHIFTED 12  // columns of a residual at most
// e (k x n) = e_r of a residual of the efforts (k x n).
void border_slide(const rod *r, const border *b, int n, const double *residual, double *e);
// to (strains x n) += E e for the efforts that are not kept.
void border_push(const rod *r, const border *b, int n, const double *e, double *to);

// ---------------------------------------------------------------- friction.c
// The equations of a tendon that rubs: tensions along it, its part of it->residual.
void friction_evaluate(const rod_problem *p, iterate *it, const rod_actuator *ra, int which);
// Which of its equations must be kept by a rough matrix: what sticks, or rubs by its speed; and pass,
// weight, give and coefficient of all. scratch as for its rows.
void friction_choose(const rod_problem *p, const iterate *it, const rod_actuator *ra, int which,
                     const border *b, int *kept, double *scratch);
// All its rows of R and D: row[i] of them for equation i.
void friction_rows(const rod_problem *p, const iterate *it, const rod_actuator *ra, int which,
                   const int *row, double *R, double *D, double *scratch);
// The left sides of a rough matrix's kept equations of tendons that rub, for strains x (n_strains x
// n) and efforts e (k x n): out (q x n) += sign times them. sum (n): scratch.
void border_apply(const rod *r, const border *b, int n, double sign, const double *x,
                  const double *e, double *sum, double *out);
size_t friction_scratch(const rod *r);  // doubles
// rows (n_efforts of it x w) += its equations along directions x (n_unknowns x w). dth, passed (n_nodes of it x w): scratch.
void friction_along(const rod_problem *p, const iterate *it, const rod_actuator *ra, int which,
                    int w, const double *x, double *rows, double *dth, double *passed);
// See scheme_ports.
void friction_passed(const rod_problem *p, int w, const double *x, bool tensions, double *passed);
void friction_by_grips(const rod_problem *p, int w, const double *grips, double *residual);
