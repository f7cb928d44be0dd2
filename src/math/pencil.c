// math/pencil.c - see pencil.h. LAPACK counts by columns: it sees transposes.
#include "math/pencil.h"

#include <math.h>
#include <stddef.h>

void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info, size_t jobu_length, size_t jobvt_length);
void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a,
            const int *lda, double *b, const int *ldb, double *w, double *work, const int *lwork,
            int *info, size_t jobz_length, size_t uplo_length);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t jobvl_length, size_t jobvr_length);
void zgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);
void dgelss_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
             const int *ldb, double *s, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);

static bool finite_numbers(size_t n, const double *a) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(a[i])) return false;
    return true;
}

// a (n x n) of numbers of `parts` doubles each
static void transpose(int n, int parts, double *a) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            for (int c = 0; c < parts; c++) {
                double *x = a + (size_t)(i * n + k) * (size_t)parts + c;
                double *y = a + (size_t)(k * n + i) * (size_t)parts + c;
                const double keep = *x;
                *x = *y, *y = keep;
            }
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

// A' = V'diag(s) U', and V' by columns is V by rows.
bool pencil_svd(int m, int n, double *A, double *s, double *U, double *V, double *work) {
    const int lwork = PENCIL_WORK(larger(m, n));
    int info = 0;
    if (!finite_numbers((size_t)m * (size_t)n, A)) return false;
    dgesvd_("A", "A", &n, &m, A, &n, s, V, &n, U, &m, work, &lwork, &info, 1, 1);
    return info == 0;
}

bool pencil_symmetric(int n, double *A, double *B, double *w, double *work) {
    const int lwork = PENCIL_WORK(n), one = 1;
    const size_t size = (size_t)n * (size_t)n;
    int info = 0;
    if (!finite_numbers(size, A) || !finite_numbers(size, B)) return false;
    dsygv_(&one, "V", "U", &n, A, &n, B, &n, w, work, &lwork, &info, 1, 1);
    return info == 0;
}

bool pencil_general(int n, double *A, double *re, double *im, double *X, double *work) {
    const int lwork = PENCIL_WORK(n), one = 1;
    int info = 0;
    double none;
    if (!finite_numbers((size_t)n * (size_t)n, A)) return false;
    transpose(n, 1, A);
    dgeev_("N", "V", &n, A, &n, re, im, &none, &one, X, &n, work, &lwork, &info, 1, 1);
    return info == 0;
}

bool pencil_complex_solve(int n, int m, double *A, double *b, int *pivot) {
    const size_t size = 2 * (size_t)n;
    int info = 0;
    if (!finite_numbers(size * (size_t)n, A) || !finite_numbers(size * (size_t)m, b)) return false;
    transpose(n, 2, A);
    zgesv_(&n, &m, A, &n, pivot, b, &n, &info);
    return info == 0;
}

bool pencil_least_squares(int n, double *A, double *b, double least, double *s, double *work) {
    const int lwork = PENCIL_WORK(n), one = 1;
    int info = 0, rank = 0;
    if (!finite_numbers((size_t)n * (size_t)n, A) || !finite_numbers((size_t)n, b)) return false;
    transpose(n, 1, A);
    dgelss_(&n, &n, &one, A, &n, b, &n, s, &least, &rank, work, &lwork, &info);
    return info == 0;
}
