// math/hessenberg.h - eigenvalues of small matrices that are not symmetric, by LAPACK.
#pragma once

#include <stdbool.h>

#define HESSENBERG_MOST 64

typedef struct eigenvalues {
    int n;
    double re[HESSENBERG_MOST], im[HESSENBERG_MOST];
} eigenvalues;

// Of H (n x n by columns, ld apart, 0 below its first subdiagonal; used up). False: not found.
bool hessenberg_eigenvalues(int n, double *H, int ld, eigenvalues *out);
// The largest magnitude.
double eigenvalues_largest(const eigenvalues *e);
// The smallest real part of the inverses of those larger than `least`; `none` where there are none.
double inverses_smallest(const eigenvalues *e, double least, double none);
