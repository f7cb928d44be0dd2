// solve/modes.h - modes and frequency response of linear systems with multipliers,
//
//     M z'' + D z' + K z = B u + B1 u' + B2 u'',     y = C z + C1 z' + C2 z'' + F u + F1 u' + F2 u''
//
// Multipliers are eliminated first. With their equations C q + E l = 0 and the singular values of E, those
// that give way follow from q, and stiffen it; the others hold: q = N y with C0 N = 0, and rows
// are multiplied by P', P'G0 = 0, G0 their forces. What is left is, with s = s0 + 1/theta,
//
//     symmetric, undamped     M x = theta^2 (K + s0^2 M) x                              LAPACK dsygv
//     otherwise               [-J^-1 H  -J^-1 M; 1  0] x = theta x                            dgeev
//                             J = K + s0 D + s0^2 M,  H = D + 2 s0 M
//
// The slowest modes have the largest theta, to full accuracy; what has no mass and damping has theta = 0,
// and is no mode. Where forces have a potential, but K is symmetric only as far as the nodes of a rod resolve
// it, its symmetric part is taken. s0 is 0 unless something moves freely, or falls.
//
// Where not all modes are wanted, the roots of the whole matrix are found without its Schur vectors, and the shapes of those
// wanted by inverse iteration with its Hessenberg form (dhsein). They are taken when |x + K^-1 (s D + s^2 M) x| is nothing and
// those of nearly equal roots differ; else all are found.
//
// Where few of many modes are wanted, all motions are looked for within a basis Q that holds them, of the first halves of
// a Krylov basis of the second matrix with s0 = 0 (math/krylov.h): one factorisation of K, and the modes of QKQ', QDQ'
// and QMQ', taken when |x + K^-1 (s D + s^2 M) x| is nothing. Krylov's own eigenvalues are of no use here, because the
// second matrix is far from normal and lends them sizes that it does not have. ARPACK is not used: it keeps state
// between calls, so two threads would disturb each other, and the same call twice might give other bits.
#pragma once

#include "base/arena.h"
#include "tendril/tendril.h"

typedef struct linear_matrices {  // row major
    int n, n_q, n_u, n_y;         // numbers of z, coordinates first; of inputs; of outputs
    double *M, *D, *K;            // (n x n)
    double *B[3];                 // (n x n_u)
    double *C[3];                 // (n_y x n)
    double *F[3];                 // (n_y x n_u)
    double *z_tt;                 // (n)
    bool potential;               // of forces: K would be symmetric but for what nodes leave
    double *unit;                 // (n_q) change of each coordinate that counts like a radian
} linear_matrices;
void linear_matrices_layout(int n, int n_q, int n_u, int n_y, arena *a, linear_matrices *out);

typedef struct mode_shape {
    td_mode mode;
    int re, im;  // rows of `shapes` with its real and imaginary part; im -1: it is real
} mode_shape;

typedef struct modes {
    int n;              // found
    int creeping;       // numbers without mass that stay where they are: one root 0 for each
    mode_shape *found;  // (2 n_q)
    double *shapes;     // (2 n_q x n_q) of coordinates
    // scratch, n_q: coordinates, k: multipliers
    double *scale;              // (n) of coordinates and multipliers
    double *K, *M, *D;          // (n_q x n_q each) scaled and reduced
    double *N, *P, *T;          // (n_q x n_q each, or more) rows: what is free; that forces leave
    double *G, *C, *E, *U, *V;  // (n_q x k), (k x n_q), (k x k) each of the rest
    double *s, *re, *im;        // (2 n_q + k each)
    double *A, *X;              // (2 n_q x 2 n_q each, or more)
    double *Z, *rhs;            // (2 n x n, or more), (2 n x (n_u or 1)) complex
    double *work;
    int *pivot;  // (2 n_q + n)
    int *flags;  // (6 n_q)
} modes;
void modes_layout(int n, int n_q, int n_u, arena *a, modes *out);
// The n nearest to 0, or all where n is 0.
bool modes_solve(const linear_matrices *of, modes *m, int n);
// z (2 n), y (2 n_y): complex; y may be NULL.
bool modes_shape(const linear_matrices *of, modes *m, int mode, double *z, double *y);
bool modes_response(const linear_matrices *of, modes *m, double omega, double *H);
