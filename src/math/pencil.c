// math/pencil.c - see pencil.h. LAPACK counts by columns: it sees transposes.
#include "math/pencil.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "math/dense.h"

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

void dgebal_(const char *job, const int *n, double *a, const int *lda, int *ilo, int *ihi,
             double *scale, int *info, size_t job_length);
void dhseqr_(const char *job, const char *compz, const int *n, const int *ilo, const int *ihi,
             double *h, const int *ldh, double *wr, double *wi, double *z, const int *ldz,
             double *work, const int *lwork, int *info, size_t job_length, size_t compz_length);
void dhsein_(const char *side, const char *eigsrc, const char *initv, int *select, const int *n,
             const double *h, const int *ldh, double *wr, const double *wi, double *vl,
             const int *ldvl, double *vr, const int *ldvr, const int *mm, int *m, double *work,
             int *ifaill, int *ifailr, int *info, size_t side_length, size_t eigsrc_length,
             size_t initv_length);
void dgebak_(const char *job, const char *side, const int *n, const int *ilo, const int *ihi,
             const double *scale, const int *m, double *v, const int *ldv, int *info,
             size_t job_length, size_t side_length);

static void exchange(double *x, double *y) {
    const double keep = *x;
    *x = *y, *y = keep;
}

// a (n x n) of numbers of `parts` doubles each
static void transpose(int n, int parts, double *a) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            for (int c = 0; c < parts; c++) {
                double *x = a + (size_t)(i * n + k) * (size_t)parts + c;
                double *y = a + (size_t)(k * n + i) * (size_t)parts + c;
                exchange(x, y);
            }
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

// A' = V'diag(s) U', and V' by columns is V by rows.
bool pencil_svd(int m, int n, double *A, double *s, double *U, double *V, double *work) {
    const int lwork = PENCIL_WORK(larger(m, n));
    int info = 0;
    if (!dense_is_finite((size_t)m * (size_t)n, A)) return false;
    dgesvd_("A", "A", &n, &m, A, &n, s, V, &n, U, &m, work, &lwork, &info, 1, 1);
    return info == 0;
}

bool pencil_symmetric(int n, double *A, double *B, double *w, double *work) {
    const int lwork = PENCIL_WORK(n), one = 1;
    const size_t size = (size_t)n * (size_t)n;
    int info = 0;
    if (!dense_is_finite(size, A) || !dense_is_finite(size, B)) return false;
    dsygv_(&one, "V", "U", &n, A, &n, B, &n, w, work, &lwork, &info, 1, 1);
    return info == 0;
}

bool pencil_general(int n, double *A, double *re, double *im, double *X, double *work) {
    const int lwork = PENCIL_WORK(n), one = 1;
    int info = 0;
    double none;
    if (!dense_is_finite((size_t)n * (size_t)n, A)) return false;
    transpose(n, 1, A);
    dgeev_("N", "V", &n, A, &n, re, im, &none, &one, X, &n, work, &lwork, &info, 1, 1);
    return info == 0;
}

// Marks the `wanted` largest, of a pair the first: how many numbers they are.
static int mark_largest(int n, int wanted, const double *re, const double *im, int *marked) {
    int numbers = 0;
    for (int i = 0; i < n; i++) marked[i] = 0;
    for (int found = 0; found < wanted; found++) {
        int best = -1;
        double most = 0.0;
        for (int i = 0; i < n; i += 1 + (im[i] != 0.0)) {
            const double size = hypot(re[i], im[i]);
            if (!marked[i] && size > most) best = i, most = size;
        }
        if (best < 0) return 0;
        marked[best] = 1;
        numbers += 1 + (im[best] != 0.0);
    }
    return numbers;
}

// Numbers between -1 and 1 by Knuth's congruence.
static void fill_starts(size_t n, double *x) {
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(seed >> 11) * 0x1p-52 - 1.0;
    }
}

// A = S H S^-1 with H of Hessenberg's form, by elimination with pivots: half the work of reflections. What S is made of stays
// below H's subdiagonal, and in swaps (n).
static void reduce(int n, double *A, int *swaps, double *factors) {
    for (int m = 1; m < n - 1; m++) {
        int best = m;
        for (int i = m + 1; i < n; i++)
            if (fabs(A[i * n + m - 1]) > fabs(A[best * n + m - 1])) best = i;
        swaps[m] = best;
        for (int k = m - 1; k < n && best != m; k++) exchange(&A[best * n + k], &A[m * n + k]);
        for (int k = 0; k < n && best != m; k++) exchange(&A[k * n + best], &A[k * n + m]);
        const double pivot = A[m * n + m - 1], *from = A + m * n;
        for (int i = m + 1; i < n; i++) {
            double *to = A + i * n;
            const double by = pivot != 0.0 ? to[m - 1] / pivot : 0.0;
            factors[i] = to[m - 1] = by;
            for (int k = m; k < n && by != 0.0; k++) to[k] -= by * from[k];
        }
        for (int k = 0; k < n; k++) {
            const double *row = A + k * n;
            double even = 0.0, odd = 0.0;
            int i = m + 1;
            for (; i + 1 < n; i += 2)
                even += row[i] * factors[i], odd += row[i + 1] * factors[i + 1];
            if (i < n) even += row[i] * factors[i];
            A[k * n + m] += even + odd;
        }
    }
}

// x = S y, with H and what is below it by columns.
static void reduce_back(int n, const double *A, const int *swaps, double *x) {
    for (int m = n - 2; m > 0; m--) {
        const double *by = A + (size_t)(m - 1) * (size_t)n;
        for (int i = m + 1; i < n; i++) x[i] += by[i] * x[m];
        exchange(&x[m], &x[swaps[m]]);
    }
}

int pencil_largest(int n, int wanted, double *A, double *re, double *im, double *X, double *scratch,
                   int *flags) {
    double *scale = scratch, *work = scale + n, none;
    const int lwork = PENCIL_PART_WORK(n) - n, one = 1;
    int low, high, info = 0, found = 0, *failed = flags + n, *swaps = failed + n;
    if (!dense_is_finite((size_t)n * (size_t)n, A)) return 0;
    transpose(n, 1, A);
    dgebal_("S", &n, A, &n, &low, &high, scale, &info, 1);
    transpose(n, 1, A);
    reduce(n, A, swaps, work);
    transpose(n, 1, A);
    memcpy(X, A, sizeof(double) * (size_t)n * (size_t)n);
    dhseqr_("E", "N", &n, &low, &high, X, &n, re, im, &none, &one, work, &lwork, &info, 1, 1);
    const int numbers = info == 0 ? mark_largest(n, wanted, re, im, flags) : 0;
    if (numbers == 0) return 0;
    fill_starts((size_t)numbers * (size_t)n, X);
    dhsein_("R", "N", "U", flags, &n, A, &n, re, im, &none, &one, X, &n, &numbers, &found, work,
            NULL, failed, &info, 1, 1, 1);
    if (info != 0 || found != numbers) return 0;
    for (int j = 0; j < numbers; j++) reduce_back(n, A, swaps, X + (size_t)j * (size_t)n);
    dgebak_("S", "R", &n, &low, &high, scale, &numbers, X, &n, &info, 1, 1);
    for (int i = 0, to = 0; i < n; i++)
        for (int part = 0; flags[i] && part <= (im[i] != 0.0); part++, to++)
            re[to] = re[i + part], im[to] = im[i + part];
    return info == 0 ? numbers : 0;
}

bool pencil_complex_solve(int n, int m, double *A, double *b, int *pivot) {
    const size_t size = 2 * (size_t)n;
    int info = 0;
    if (!dense_is_finite(size * (size_t)n, A) || !dense_is_finite(size * (size_t)m, b))
        return false;
    transpose(n, 2, A);
    zgesv_(&n, &m, A, &n, pivot, b, &n, &info);
    return info == 0;
}

bool pencil_least_squares(int n, double *A, double *b, double least, double *s, double *work) {
    const int lwork = PENCIL_WORK(n), one = 1;
    int info = 0, rank = 0;
    if (!dense_is_finite((size_t)n * (size_t)n, A) || !dense_is_finite((size_t)n, b)) return false;
    transpose(n, 1, A);
    dgelss_(&n, &n, &one, A, &n, b, &n, s, &least, &rank, work, &lwork, &info);
    return info == 0;
}
