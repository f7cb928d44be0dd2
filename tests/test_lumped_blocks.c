// Sparse block systems against dense elimination: chains, trees, rings.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "math/dense.h"
#include "math/symmetric.h"
#include "model/lumped/blocks.h"

static double noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0 - 0.5;
}

static void check_against_dense(int n, const int *pairs, int n_pairs, int fill) {
    block_pattern p;
    assert_true(block_pattern_make(n, pairs, n_pairs, &p));
    assert_int_equal(p.n_couplings, n_pairs + fill);
    const int rows = 6 * n;
    double *a = calloc((size_t)blocks_of(&p) * BLOCK, sizeof *a), *x = calloc(rows, sizeof *x);
    double *dense = calloc((size_t)(rows * rows), sizeof *dense), *y = calloc(rows, sizeof *y);
    int *pivot = calloc(rows, sizeof *pivot), *dense_pivot = calloc(rows, sizeof *pivot);
    unsigned seed = 7;
    for (int i = 0; i < n + 2 * n_pairs; i++) {
        const int *pair = i < n ? NULL : pairs + 2 * ((i - n) / 2);
        int row = pair ? pair[(i - n) % 2] : i, column = pair ? pair[1 - (i - n) % 2] : i;
        double *block = a + block_at(&p, row, column) * BLOCK;
        for (int k = 0; k < BLOCK; k++) {
            block[k] = noise(&seed) + (row == column && k % 7 == 0 ? 4.0 : 0.0);
            dense[(6 * row + k / 6) * rows + 6 * column + k % 6] = block[k];
        }
    }
    for (int i = 0; i < rows; i++) x[i] = y[i] = noise(&seed);
    double *product = calloc(rows, sizeof *product);
    blocks_multiply(&p, a, x, product);
    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int k = 0; k < rows; k++) sum += dense[i * rows + k] * x[k];
        CHECK_NEAR(product[i], sum, 1e-13);
    }
    free(product);
    assert_true(blocks_factor(&p, a, pivot));
    assert_true(lu_factor(rows, dense, dense_pivot));
    blocks_solve(&p, a, pivot, x);
    lu_solve(rows, dense, dense_pivot, y);
    for (int i = 0; i < rows; i++) CHECK_NEAR(x[i], y[i], 1e-13);
    free(a), free(x), free(y), free(dense), free(pivot), free(dense_pivot);
    block_pattern_free(&p);
}

static void chains_fill_nothing_in(void **state) {
    (void)state;
    const int pairs[] = {0, 1, 1, 2, 2, 3, 3, 4};
    check_against_dense(5, pairs, 4, 0);
    check_against_dense(1, pairs, 0, 0);
}

static void trees_that_end_in_their_fork_fill_nothing_in(void **state) {
    (void)state;
    const int pairs[] = {0, 1, 2, 3, 4, 5, 1, 6, 3, 6, 5, 6};
    check_against_dense(7, pairs, 6, 0);
}

static void rings_fill_in_one_block_for_each_node(void **state) {
    (void)state;
    const int pairs[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0};
    check_against_dense(6, pairs, 6, 3);
}

// A ring with springs of both signs, in units that differ by many orders from row to row.
static void negative_eigenvalues_are_counted(void **state) {
    (void)state;
    enum { NODES = 5, ROWS = 6 * NODES };
    const int pairs[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 0};
    block_pattern p;
    assert_true(block_pattern_make(NODES, pairs, 5, &p));
    double *a = calloc((size_t)blocks_of(&p) * BLOCK, sizeof *a);
    for (int soft = 0; soft < 6; soft++) {
        static double dense[ROWS * ROWS], unit[ROWS], d[ROWS], e[ROWS];
        int pivot[ROWS];
        unsigned seed = 11;
        memset(a, 0, sizeof *a * (size_t)blocks_of(&p) * BLOCK);
        for (int row = 0; row < ROWS; row++) unit[row] = pow(10.0, row % 6 < 3 ? -6.0 : 5.0);
        for (int row = 0; row < ROWS; row++)
            for (int column = row; column < ROWS; column++) {
                int at = block_at(&p, row / 6, column / 6),
                    back = block_at(&p, column / 6, row / 6);
                bool coupled = row / 6 == column / 6 || (column / 6 - row / 6) % 3 == 1;
                double x = coupled ? noise(&seed) : 0.0;
                if (row == column) x = row % 7 < soft ? -3.0 : 4.0;
                dense[row * ROWS + column] = dense[column * ROWS + row] = x;
                if (!coupled) continue;
                x *= unit[row] * unit[column];
                a[at * BLOCK + 6 * (row % 6) + column % 6] = x;
                a[back * BLOCK + 6 * (column % 6) + row % 6] = x;
            }
        tridiagonalise(ROWS, dense, d, e);
        int truth = tridiagonal_below(ROWS, d, e, 0.0);
        assert_int_equal(blocks_negative(&p, a, pivot), truth);
        assert_true(soft == 0 ? truth == 0 : truth > 0);
    }
    free(a);
    block_pattern_free(&p);
}

static void singular_blocks_are_refused(void **state) {
    (void)state;
    block_pattern p;
    assert_true(block_pattern_make(1, NULL, 0, &p));
    double a[BLOCK] = {0.0};
    int pivot[6];
    assert_false(blocks_factor(&p, a, pivot));
    block_pattern_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_fill_nothing_in),
        cmocka_unit_test(trees_that_end_in_their_fork_fill_nothing_in),
        cmocka_unit_test(rings_fill_in_one_block_for_each_node),
        cmocka_unit_test(negative_eigenvalues_are_counted),
        cmocka_unit_test(singular_blocks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
