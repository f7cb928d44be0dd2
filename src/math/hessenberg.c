// math/hessenberg.c - see hessenberg.h.
#include "math/hessenberg.h"

#include <math.h>
#include <stddef.h>

void dhseqr_(const char *job, const char *compz, const int *n, const int *ilo, const int *ihi,
             double *h, const int *ldh, double *wr, double *wi, double *z, const int *ldz,
             double *work, const int *lwork, int *info, size_t job_length, size_t compz_length);

bool hessenberg_eigenvalues(int n, double *H, int ld, eigenvalues *out) {
    double work[4 * HESSENBERG_MOST];
    const int one = 1, lwork = 4 * HESSENBERG_MOST;
    int info = 0;
    out->n = n;
    for (int i = 0; i < n * ld; i++)
        if (!isfinite(H[i])) return false;
    dhseqr_("E", "N", &n, &one, &n, H, &ld, out->re, out->im, NULL, &one, work, &lwork, &info, 1,
            1);
    return info == 0;
}

double eigenvalues_largest(const eigenvalues *e) {
    double most = 0.0;
    for (int i = 0; i < e->n; i++) most = fmax(most, hypot(e->re[i], e->im[i]));
    return most;
}

double inverses_smallest(const eigenvalues *e, double least, double none) {
    double smallest = none;
    for (int i = 0; i < e->n; i++) {
        const double square = e->re[i] * e->re[i] + e->im[i] * e->im[i];
        if (square > least * least) smallest = fmin(smallest, e->re[i] / square);
    }
    return smallest;
}
