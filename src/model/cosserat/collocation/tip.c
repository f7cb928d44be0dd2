// model/cosserat/collocation/tip.c - how the tip of a rod at rest answers, in one sweep.
//
// The factors of sweep.c answer to anything, from the tip to the base and back. Where the motion of the
// tip alone is asked for, one sweep from the base does, and nothing of it is kept: the rod up to a cut
// answers to the wrench dS there and to n columns of residuals r by a motion of the cut
//
//     z = C dS + c
//
// which an element takes from its near side b to its far side L. With J, rows, out, lean, tip and base of
// tangent.c, and H of the loads at b, which lie before the cut
//
//     dS = dS_L + out X + (base + H) z_b     so   z_b = D (dS_L + out X) + e,  [D e] = (1 - C (base + H))^-1 [C c]
//     J X + lean z_b = - r + rows dS_L       so   (J + lean D out) X = (rows - lean D) dS_L - r - lean e
//     z_L = z_b + tip X = D dS_L + e + (tip + D out) X
//
// At the tip dS_L = 0 beyond the loads there.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "solve/mechanics.h"
#include "model/cosserat/collocation/collocation.h"

#define MOST_WIDTH (6 + SOLVE_COLUMNS)
#define SMALLEST_PIVOT                                                                             \
    1e-6  // of a cut rod that is about to lose its stability, where all of it holds

static int most_unknowns(const rod *r) {
    int most = 0;
    for (int k = 0; k < r->n_elements; k++)
        if (r->elements[k].n_nodes > most) most = r->elements[k].n_nodes;
    return most * unknowns_per_node(r);
}

size_t tip_scratch(const rod *r) {
    const size_t m = (size_t)most_unknowns(r);
    return m * m + m * (4 * 6 + 6 + MOST_WIDTH) + m;  // the last for pivots
}

// One element at a time, in scratch.
typedef struct slice {
    element_factor f;
    double *LD;  // (m x 6) lean D
    double *Y;   // (m x width) its answers
} slice;

static slice slice_in(double *at, int m) {
    slice s;
    double **const parts[] = {&s.f.rows, &s.f.out, &s.f.lean, &s.f.tip, &s.LD};
    for (int i = 0; i < 5; i++, at += 6 * m) *parts[i] = at;
    s.Y = at, at += MOST_WIDTH * m;
    s.f.lu = at, at += m * m;
    s.f.pivot = (int *)at;
    return s;
}

// E (6 x width) = (1 - E_S A)^-1 E, E_S its first six columns. False: too near to singular.
static bool close_loop(int width, const double *A, double *E) {
    double E_S[36], M[36];
    int pivot[6];
    for (int i = 0; i < 6; i++) memcpy(E_S + 6 * i, E + i * width, 6 * sizeof(double));
    dense_mul(6, 6, 6, -1.0, E_S, A, M);
    for (int i = 0; i < 6; i++) M[7 * i] += 1.0;
    if (!lu_factor(6, M, pivot)) return false;
    for (int i = 0; i < 6; i++)  // the diagonal holds 1/pivot
        if (!(fabs(M[7 * i]) < 1.0 / SMALLEST_PIVOT)) return false;
    lu_solve_many(6, M, pivot, width, E);
    return true;
}

// [C c] of the near side becomes that of the far side; H (6 x 6) of the loads at the near side.
static bool pass_element(const rod_problem *p, const iterate *it, int k, int n,
                         const double *residuals, const double *H, double *E,
                         collocation_memory *own) {
    const rod *r = p->r;
    const int d = unknowns_per_node(r), m = d * r->elements[k].n_nodes, width = 6 + n;
    const int first = d * r->elements[k].node, all = n_strains(r);
    slice s = slice_in(own->tip, m);
    double base[72], D[36];
    tangent_element(p, it, it->nodes, k, k > 0, true, &s.f, base, own->blocks);
    for (int i = 0; i < 36 && k > 0; i++) base[i] += H[i];
    if (k > 0 && !close_loop(width, base, E)) return false;
    for (int i = 0; i < m; i++) {
        memcpy(s.Y + i * width, s.f.rows + 6 * i, 6 * sizeof(double));
        for (int c = 0; c < n; c++) s.Y[i * width + 6 + c] = -residuals[c * all + first + i];
    }
    if (k > 0) {  // the base itself stands still
        for (int i = 0; i < 6; i++) memcpy(D + 6 * i, E + i * width, 6 * sizeof(double));
        dense_madd(m, 6, width, -1.0, s.f.lean, E, s.Y);
        dense_mul(m, 6, 6, 1.0, s.f.lean, D, s.LD);
        dense_madd(m, 6, m, 1.0, s.LD, s.f.out, s.f.lu);
        dense_madd(6, 6, m, 1.0, D, s.f.out, s.f.tip);
    }
    if (!lu_factor(m, s.f.lu, s.f.pivot)) return false;
    lu_solve_many(m, s.f.lu, s.f.pivot, width, s.Y);
    dense_madd(6, m, width, 1.0, s.f.tip, s.Y, E);
    return true;
}

bool tip_respond(const rod_problem *p, int n, const double *residuals, double *z) {
    const rod *r = p->r;
    collocation_memory *own = p->m->own;
    iterate *it = &own->now;
    const int width = 6 + n;
    double E[6 * MOST_WIDTH] = {0.0}, H[36] = {0.0};
    iterate_unpack(r, it);
    for (int k = 0; k < r->n_elements; k++) {
        if (!pass_element(p, it, k, n, residuals, H, E, own)) return false;
        memset(H, 0, sizeof H);
        tangent_end_load(p, it, k, 6, H);
    }
    if (!close_loop(width, H, E)) return false;
    for (int i = 0; i < 6; i++) memcpy(z + i * n, E + i * width + 6, sizeof(double) * (size_t)n);
    return true;
}
