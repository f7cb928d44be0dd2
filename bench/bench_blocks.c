// The matrix of the model eba, 6 x 6 blocks along chains and nets of rods: our block factors
// against SuiteSparse's KLU (where it was found), which orders by itself and refactors with kept
// pivots.
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "model/lumped/blocks.h"

#ifdef BENCH_KLU
#include <klu.h>
#endif

typedef struct matrix {
    block_pattern p;
    int *pairs, n_pairs;
    double *a, *work, *b;
    int *pivot;
} matrix;

static double noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0 - 0.5;
}

// ---------------------------------------------------------------- patterns
static matrix start(int nodes, int couplings) {
    (void)nodes;
    return (matrix){.pairs = malloc(sizeof(int) * 2 * (size_t)(couplings + 1))};
}

static void couple(matrix *m, int a, int b) {
    m->pairs[2 * m->n_pairs] = a;
    m->pairs[2 * m->n_pairs++ + 1] = b;
}

static void fill(matrix *m, int nodes) {
    unsigned seed = 3;
    bench_need(block_pattern_make(nodes, m->pairs, m->n_pairs, &m->p), "out of memory");
    const size_t numbers = (size_t)blocks_of(&m->p) * BLOCK, rows = 6 * (size_t)nodes;
    m->a = calloc(numbers, sizeof *m->a);
    m->work = calloc(numbers, sizeof *m->work);
    m->b = calloc(rows, sizeof *m->b);
    m->pivot = calloc(rows, sizeof *m->pivot);
    bench_need(m->a && m->work && m->b && m->pivot, "out of memory");
    for (int i = 0; i < nodes; i++)
        for (int k = 0; k < BLOCK; k++)
            m->a[i * BLOCK + k] = noise(&seed) + (k % 7 == 0 ? 8.0 : 0.0);
    for (int i = 0; i < 2 * m->n_pairs; i++) {
        const int *pair = m->pairs + 2 * (i / 2);
        double *block = m->a + block_at(&m->p, pair[i % 2], pair[1 - i % 2]) * BLOCK;
        for (int k = 0; k < BLOCK; k++) block[k] = noise(&seed);
    }
}

static matrix chain(int n) {
    matrix m = start(n, n);
    for (int i = 0; i + 1 < n; i++) couple(&m, i, i + 1);
    fill(&m, n);
    return m;
}

// side x side bodies, neighbours joined by rods of `segments`: free nodes of rods first, then the
// bodies, as the model numbers them.
static matrix net(int side, int segments) {
    const int rods = 2 * side * (side - 1), inner = segments - 1, bodies = rods * inner;
    matrix m = start(bodies + side * side, rods * segments);
    int next = 0;
    for (int i = 0; i < rods; i++) {
        const int across = i / (side * (side - 1)), k = i % (side * (side - 1));
        const int row = across ? k / side : k / (side - 1);
        const int column = across ? k % side : k % (side - 1);
        int a = bodies + row * side + column, b = a + (across ? side : 1);
        for (int l = 0; l < inner; l++, a = next++) couple(&m, a, next);
        couple(&m, a, b);
    }
    fill(&m, bodies + side * side);
    return m;
}

static void release(matrix *m) {
    block_pattern_free(&m->p);
    free(m->pairs), free(m->a), free(m->work), free(m->b), free(m->pivot);
}

// ---------------------------------------------------------------- clocks
static double best_of(const matrix *m, void (*once)(const matrix *m)) {
    const int rounds = 5, repeat = 1 + 20000 / m->p.n;
    double best = HUGE_VAL;
    for (int i = 0; i < rounds; i++) {
        double begin = bench_seconds();
        for (int k = 0; k < repeat; k++) once(m);
        best = fmin(best, (bench_seconds() - begin) / repeat);
    }
    return best;
}

static void copy(const matrix *m) {
    memcpy(m->work, m->a, sizeof(double) * BLOCK * (size_t)blocks_of(&m->p));
}

static void ours(const matrix *m) {
    copy(m);
    bench_need(blocks_factor(&m->p, m->work, m->pivot), "singular");
    for (int i = 0; i < 6 * m->p.n; i++) m->b[i] = 1.0 + i % 5;
    blocks_solve(&m->p, m->work, m->pivot, m->b);
}

#ifdef BENCH_KLU
static struct {
    int *first, *row;
    double *x, *b;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    klu_common common;
    size_t entries;
} klu;

// By columns, blocks that are not coupled left out.
static void klu_make(const matrix *m) {
    const int rows = 6 * m->p.n;
    klu.entries = BLOCK * (size_t)(m->p.n + 2 * m->n_pairs);
    klu.first = calloc((size_t)rows + 1, sizeof *klu.first);
    klu.row = calloc(klu.entries, sizeof *klu.row);
    klu.x = calloc(klu.entries, sizeof *klu.x);
    klu.b = calloc((size_t)rows, sizeof *klu.b);
    int n = 0;
    bool *coupled = calloc((size_t)m->p.n, sizeof *coupled);
    bench_need(klu.first && klu.row && klu.x && klu.b && coupled, "out of memory");
    for (int column = 0; column < rows; column++) {
        memset(coupled, 0, sizeof *coupled * (size_t)m->p.n);
        coupled[column / 6] = true;
        for (int i = 0; i < m->n_pairs; i++) {
            const int *pair = m->pairs + 2 * i;
            if (pair[0] == column / 6) coupled[pair[1]] = true;
            if (pair[1] == column / 6) coupled[pair[0]] = true;
        }
        for (int k = 0; k < m->p.n; k++)
            for (int r = 0; r < 6 && coupled[k]; r++) {
                const double *block = m->a + block_at(&m->p, k, column / 6) * BLOCK;
                klu.row[n] = 6 * k + r;
                klu.x[n++] = block[6 * r + column % 6];
            }
        klu.first[column + 1] = n;
    }
    free(coupled);
    klu_defaults(&klu.common);
    klu.symbolic = klu_analyze(rows, klu.first, klu.row, &klu.common);
    klu.numeric = klu_factor(klu.first, klu.row, klu.x, klu.symbolic, &klu.common);
    bench_need(klu.symbolic && klu.numeric, "KLU failed");
}

static void klu_once(const matrix *m) {
    const int rows = 6 * m->p.n;
    bench_need(klu_refactor(klu.first, klu.row, klu.x, klu.symbolic, klu.numeric, &klu.common),
               "KLU failed");
    for (int i = 0; i < rows; i++) klu.b[i] = 1.0 + i % 5;
    klu_solve(klu.symbolic, klu.numeric, rows, 1, klu.b, &klu.common);
}

static double time_klu(const matrix *m) {
    klu_make(m);
    double time = best_of(m, klu_once), apart = 0.0;
    ours(m);
    for (int i = 0; i < 6 * m->p.n; i++) apart = fmax(apart, fabs(klu.b[i] - m->b[i]));
    bench_need(apart < 1e-10, "the two solutions differ");
    klu_free_numeric(&klu.numeric, &klu.common);
    klu_free_symbolic(&klu.symbolic, &klu.common);
    free(klu.first), free(klu.row), free(klu.x), free(klu.b);
    return time;
}
#endif

static void report(const char *what, int segments, matrix m) {
    double us = 1e6 * best_of(&m, ours);
    printf("%s,%d,%d,%.1f,%.2f", what, segments, m.p.n, us, us / m.p.n);
#ifdef BENCH_KLU
    double other = 1e6 * time_klu(&m);
    printf(",%.1f,%.2f,%.1f", other, other / m.p.n, other / us);
#else
    printf(",,,");
#endif
    printf("\n");
    release(&m);
}

int main(void) {
    printf("shape,segments,nodes,us,us_per_node,us_by_KLU,us_per_node_by_KLU,KLU_by_ours\n");
    static const int sizes[] = {5, 10, 20, 50, 100, 200, 500, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        report("chain", sizes[i], chain(sizes[i]));
    static const int sides[] = {2, 3, 5, 8, 12};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        report("net", 2 * sides[i] * (sides[i] - 1) * 4, net(sides[i], 4));
    return 0;
}
