// Small dense systems: one factorisation with one solution, and one more solution, by our kernels and, where it is
// found, by LAPACK (dgetrf, dgetrs, with whatever BLAS is installed, one thread). The sizes are those of an element: 3 or
// 6 unknowns a node. This is why they are ours.
#include <string.h>

#include "bench.h"
#include "math/dense.h"

enum { MOST = 72, CALLS = 400, ROUNDS = 9 };

#ifdef BENCH_LAPACK
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *pivot, double *b, const int *ldb, int *info);
#endif

typedef struct system_of {
    int n;
    double a[MOST * MOST], lu[MOST * MOST], b[MOST], x[MOST];
    int pivot[MOST];
} system_of;

static void make(system_of *s, int n) {
    unsigned seed = 3;
    s->n = n;
    for (int i = 0; i < n * n + n; i++) {
        seed = seed * 1664525u + 1013904223u;
        const double x = (double)(seed >> 8) / 16777216.0 - 0.5;
        if (i < n * n) s->a[i] = x;
        else s->b[i - n * n] = x;
    }
}

static void ours_factor(system_of *s) {
    memcpy(s->lu, s->a, sizeof(double) * (size_t)(s->n * s->n));
    bench_need(lu_factor(s->n, s->lu, s->pivot), "singular");
}

static void ours_solve(system_of *s) {
    memcpy(s->x, s->b, sizeof(double) * (size_t)s->n);
    lu_solve(s->n, s->lu, s->pivot, s->x);
}

static double least(system_of *s, void (*work)(system_of *)) {
    double best = HUGE_VAL;
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_seconds();
        for (int i = 0; i < CALLS; i++) work(s);
        best = fmin(best, (bench_seconds() - start) / CALLS);
    }
    return 1e6 * best;
}

#ifdef BENCH_LAPACK
static void lapack_factor(system_of *s) {
    int info;
    memcpy(s->lu, s->a, sizeof(double) * (size_t)(s->n * s->n));
    dgetrf_(&s->n, &s->n, s->lu, &s->n, s->pivot, &info);
    bench_need(info == 0, "singular");
}

// Row major here is the transpose there.
static void lapack_solve(system_of *s) {
    const int one = 1;
    int info;
    memcpy(s->x, s->b, sizeof(double) * (size_t)s->n);
    dgetrs_("T", &s->n, &one, s->lu, &s->n, s->pivot, s->x, &s->n, &info);
}
#endif

int main(void) {
    static const int sizes[] = {6, 12, 18, 24, 36, 48, 72};
    static system_of s;
    printf("unknowns,us_factor,us_solve,us_factor_by_LAPACK,us_solve_by_LAPACK\n");
    make(&s, MOST);  // until the processor is at its pace
    for (int i = 0; i < 4; i++) least(&s, ours_factor);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        make(&s, sizes[i]);
        const double factor = least(&s, ours_factor), solve = least(&s, ours_solve);
        printf("%d,%.3f,%.3f", sizes[i], factor, solve);
#ifdef BENCH_LAPACK
        double x[MOST], apart = 0.0;
        memcpy(x, s.x, sizeof x);
        const double other = least(&s, lapack_factor), other_solve = least(&s, lapack_solve);
        for (int k = 0; k < s.n; k++) apart = fmax(apart, fabs(x[k] - s.x[k]));
        bench_need(apart < 1e-8, "the two solutions differ");
        printf(",%.3f,%.3f\n", other, other_solve);
#else
        printf(",,\n");
#endif
    }
    return 0;
}
