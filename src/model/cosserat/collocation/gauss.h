// model/cosserat/collocation/gauss.h - constant tables for n Gauss-Legendre nodes on [0, 1].
#pragma once

#include "math/lanes.h"
#include "math/quadrature.h"
#include "model/cosserat/rod.h"

typedef struct gauss_table {
    int n;
    int points;     // strains that one Magnus step needs: 2 (order 4) or 3 (order 6)
    double *c, *w;  // (n) nodes and weights
    double *A;      // (n x n) integral of the j-th Lagrange polynomial from 0 to c_i
    double *Q;      // (n x n) w_j - A_ij: the integral from c_i to 1
    double *D;      // (n x n) derivative of the j-th Lagrange polynomial at c_i
    double *bary;   // (n) barycentric weights
    double *d;      // (n + 1) lengths of the steps 0, c_1, ..., c_n, 1
    double *rows;   // (n + 1) x points x n: Lagrange polynomials at the Magnus points
    double *ends;   // (2 x n) Lagrange polynomials at 0 and 1
    // the same for four nodes, or four steps, at once; what is beyond the last is 0
    lanes *A4, *Q4;  // (lane_blocks(n) x n)
    lanes *w4;       // (lane_blocks(n))
    lanes *d4;       // (lane_blocks(n + 1))
    lanes *rows4;    // lane_blocks(n + 1) x points x n
} gauss_table;

// The sections of four nodes at once; beyond the last it is repeated.
typedef struct station_lanes {
    lanes K[6], B[6];
    lanes3 v_rest, J, drag, linear;
    lanes mass;
} station_lanes;

// One table per number of nodes that occurs in a rod.
typedef struct gauss_tables {
    gauss_table *table[GAUSS_MAX + 1];  // by n; NULL where not needed
} gauss_tables;

gauss_table *gauss_table_make(int n, int magnus_order);  // NULL: out of memory
void gauss_table_free(gauss_table *t);

static inline const gauss_table *gauss_of(const rod *r, const element *e) {
    return ((const gauss_tables *)r->tables)->table[e->n_nodes];
}
