// model/cosserat/shooting/bvp.h - solving the boundary value problem of one rod by shooting.
#pragma once

#include "model/cosserat/shooting/shoot.h"

// The inverse of the last shooting matrix, in scaled units. It is kept from one solve to the next
// (modified Newton): near the solution a shot without the variational equations then suffices.
typedef struct shooting_matrix {
    double valid;  // 0 or 1
    double c0;     // of the time formula it belongs to
    double condition;
    double inverse[36];
} shooting_matrix;

// Finds the base wrench G = (n, m)(0) that meets the target at the end. `G` holds the guess and then
// the answer; s->nodes and s->strains are those of the answer. `reference` (n_nodes x Y_SIZE) is a
// nearby solution that modified shooting can lean on; NULL when there is none.
//
// Plain Newton first; then modified shooting (Holsapple 2003), where the problem is solved on a
// growing part of the rod whose end is held at the reference; then cminpack's dogleg or
// Levenberg-Marquardt. options->solver says which of the two, and whether it comes first.
//
// TD_OK; TD_LOOSE when round-off stops it above the tolerance; a negative status otherwise.
td_status bvp_solve(shooting *s, double G[6], shooting_matrix *matrix, const double *reference);

// Plain Newton only; cheap to fail.
td_status bvp_newton(shooting *s, double G[6], shooting_matrix *matrix);

// Newton with the exact matrix in every iteration, for following a path of solutions: gives up as
// soon as the corrections do not shrink fast, so it never leaves the branch it is on. The matrix is
// that of the answer.
td_status bvp_follow(shooting *s, double G[6], shooting_matrix *matrix);
