// model/cosserat/collocation/tangent.h - parts of the tangent of an element that stand by themselves.
#pragma once

#include "model/cosserat/collocation/collocation.h"

typedef struct load_tangent {
    mat3 f_V, f_Om, f_th;  // df = f_V dV + f_Om dOm + f_th th
    mat3 l_Om, l_th;       // dl = l_Om dOm + l_th th
    mat3 f_p, l_p;         // of what touches an obstacle, also f_p dp and l_p dp
    mat3 l_V;              // of what surrounds it, also l_V dV
    bool touches, surrounded;
} load_tangent;

// How loads per length at the nodes of element k answer to their motion: by (n_nodes).
void tangent_loads(const rod_problem *p, const iterate *it, const node_motion *forces, int k,
                   load_tangent *by);
// The sharp tangent of the poses of element k against its m unknowns: th and dp (3 n_nodes x m), far
// (6 x m).
void tangent_poses(const rod_problem *p, const iterate *it, int k, double *th, double *dp,
                   double *far);
