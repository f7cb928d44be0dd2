// study/knowledge.c - what a solution of least squares says of each number: see least_squares.h.
//
// Near the solution residuals are r + J dx, and x scatters with the covariance C = s^2 (J'WJ)^-1. With W^1/2 J S = Q R and
// R = U diag(sigma) V', S the sizes of the numbers, it is C = s^2 S V diag(sigma^-2) V' S. A column of V with a vanishing sigma is a
// change that leaves no trace in the data: numbers in it have no interval, the others keep theirs.
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "math/student.h"
#include "study/least_squares_inner.h"

void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info, size_t jobu_len, size_t jobvt_len);

#define NO_TRACE 1e-6  // of the largest singular value: slopes by differences know no more
#define A_PART 1e-3    // of a unit vector: a number takes part in it

bool ls_triangle(const ls_problem *p, const ls_solution *s, const double *r, double *matrix,
                 double *R, double *work, int lwork) {
    const int n = p->n, N = n + 1, rows = p->m > N ? p->m : N;
    int info = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < rows; i++) {
            double value = 0.0;
            if (i < p->m && j < n) value = s->J[(size_t)i * (size_t)n + (size_t)j];
            if (i < p->m && j == n && r) value = r[i];
            if (!isfinite(value)) return false;
            matrix[(size_t)j * (size_t)rows + (size_t)i] =
                i < p->m ? sqrt(s->weights[i]) * value : 0.0;
        }
    double *tau = work;
    const int left = lwork - N;
    dgeqrf_(&rows, &N, matrix, &rows, tau, work + N, &left, &info);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < N; j++)
            R[i * N + j] = j >= i ? matrix[(size_t)j * (size_t)rows + (size_t)i] : 0.0;
    return info == 0;
}

typedef struct study {
    const ls_problem *p;
    const ls_solution *s;
    const double *sizes;
    ls_knowledge *k;
    int n_free, rank;  // of the numbers that are free: so many are known in some combination
    int *free;         // (n_free)
    double *R;         // (n x (n + 1))
    double *V;         // (n_free x n_free) columns are singular vectors: V' as LAPACK gives it
    double *matrix, *work;
    int lwork;
} study;

// ---------------------------------------------------------------- singular values
static bool decompose(study *y) {
    const int n = y->p->n, f = y->n_free;
    int info = 0, one = 1;
    double none;
    if (!ls_triangle(y->p, y->s, NULL, y->matrix, y->R, y->work, y->lwork)) return false;
    double *A =
        y->matrix;  // (n x f) all rows of R: where columns are left out, those below count too
    for (int j = 0; j < f; j++)
        for (int i = 0; i < n; i++)
            A[j * n + i] = y->R[i * (n + 1) + y->free[j]] * y->sizes[y->free[j]];
    dgesvd_("N", "S", &n, &f, A, &n, y->k->singular, &none, &one, y->V, &f, y->work, &y->lwork,
            &info, 1, 1);
    return info == 0;
}

// Part of number i (among the free) in singular vector c.
static double part(const study *y, int i, int c) {
    return y->V[(size_t)i * (size_t)y->n_free + (size_t)c];
}

// ---------------------------------------------------------------- errors
static bool is_lost(const study *y, int i) {
    for (int c = y->rank; c < y->n_free; c++)
        if (fabs(part(y, i, c)) > A_PART) return true;
    return false;
}

// Of numbers i and k (among the free), in sizes, over s^2.
static double covariance(const study *y, int i, int k) {
    double sum = 0.0;
    for (int c = 0; c < y->rank; c++)
        sum += part(y, i, c) * part(y, k, c) / (y->k->singular[c] * y->k->singular[c]);
    return sum;
}

static void find_errors(study *y) {
    ls_knowledge *k = y->k;
    for (int i = 0; i < y->n_free; i++) {
        const int a = y->free[i];
        const bool lost = is_lost(y, i);
        k->errors[a] = lost || k->freedom <= 0.0
                           ? HUGE_VAL
                           : k->deviation * y->sizes[a] * sqrt(covariance(y, i, i));
        for (int j = 0; j < y->n_free && !lost; j++)
            if (!is_lost(y, j))
                k->correlations[a * k->n + y->free[j]] =
                    i == j ? 1.0
                           : covariance(y, i, j) / sqrt(covariance(y, i, i) * covariance(y, j, j));
    }
}

// ---------------------------------------------------------------- what leaves no trace
static void swap_rows(double *a, double *b, int n) {
    for (int i = 0; i < n; i++) {
        const double kept = a[i];
        a[i] = b[i], b[i] = kept;
    }
}

// The same space by vectors with as many zeros as can be: Gauss and Jordan's elimination.
static void make_plain(double *rows, int count, int n) {
    for (int done = 0; done < count; done++) {
        int row = done, column = 0;
        for (int i = done; i < count; i++)
            for (int j = 0; j < n; j++)
                if (fabs(rows[i * n + j]) > fabs(rows[row * n + column])) row = i, column = j;
        swap_rows(rows + row * n, rows + done * n, n);
        const double pivot = rows[done * n + column];
        for (int j = 0; j < n; j++) rows[done * n + j] /= pivot;
        for (int i = 0; i < count; i++) {
            const double factor = i == done ? 0.0 : rows[i * n + column];
            for (int j = 0; j < n; j++) rows[i * n + j] -= factor * rows[done * n + j];
        }
    }
}

// Those of which nothing is known, and those that noise hides: their interval is wider than their size.
static void find_unknown(study *y) {
    ls_knowledge *k = y->k;
    const double noise = isfinite(k->quantile) ? k->quantile * k->deviation : 0.0;
    for (int c = 0; c < y->n_free; c++) {
        if (c < y->rank && k->singular[c] > noise) continue;
        double *row = k->unknown + k->n_unknown++ * k->n;
        for (int i = 0; i < y->n_free; i++) row[y->free[i]] = part(y, i, c);
    }
    make_plain(k->unknown, k->n_unknown, k->n);
    for (int i = 0; i < k->n_unknown * k->n; i++)
        if (fabs(k->unknown[i]) < A_PART) k->unknown[i] = 0.0;
}

// ---------------------------------------------------------------- the whole
static bool allocate(study *y) {
    const size_t n = (size_t)y->p->n, m = (size_t)y->p->m, N = n + 1;
    const size_t rows = m > N ? m : N, lwork = 64 * (N + 1) + 5 * n;
    double *at = calloc(3 * n + 2 * n * n, sizeof *at);
    y->k->memory = at;
    y->matrix = malloc(sizeof(double) * (rows * N + n * N + n * n + lwork));
    y->free = calloc(n, sizeof *y->free);
    if (!at || !y->matrix || !y->free) return false;
    y->k->errors = at, at += n;
    y->k->singular = at, at += n;
    y->k->correlations = at, at += n * n;
    y->k->unknown = at;
    y->R = y->matrix + rows * N;
    y->V = y->R + n * N;
    y->work = y->V + n * n;
    y->lwork = (int)lwork;
    for (int j = 0; j < y->p->n; j++)
        if (!y->s->held[j]) y->free[y->n_free++] = j;
    return true;
}

static void find_deviation(study *y) {
    ls_knowledge *k = y->k;
    double sum = 0.0;
    for (int i = 0; i < y->p->m; i++) sum += y->s->weights[i] * y->s->r[i] * y->s->r[i];
    k->freedom = y->p->m - y->n_free;
    k->deviation = k->freedom > 0.0 ? sqrt(sum / k->freedom) : 0.0;
    k->quantile = k->freedom > 0.0 ? student_quantile(0.975, k->freedom) : HUGE_VAL;
}

bool ls_know(const ls_problem *p, const ls_solution *s, const double *sizes, ls_knowledge *k) {
    *k = (ls_knowledge){.n = p->n};
    study y = {.p = p, .s = s, .sizes = sizes, .k = k};
    bool ok = allocate(&y);
    if (ok) find_deviation(&y);
    if (ok && y.n_free > 0) {
        ok = decompose(&y);
        while (y.rank < y.n_free && k->singular[y.rank] > NO_TRACE * k->singular[0]) y.rank++;
        if (ok) find_errors(&y);
        if (ok) find_unknown(&y);
    }
    free(y.matrix);
    free(y.free);
    if (!ok) ls_forget(k);
    return ok;
}

void ls_forget(ls_knowledge *k) {
    free(k->memory);
    *k = (ls_knowledge){0};
}
