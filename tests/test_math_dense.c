// Small dense LU against matrices whose inverse, condition and determinant are known.
#include <string.h>

#include "check.h"
#include "math/dense.h"

#define MAX 101  // more than 96 rows take one, two or three right sides as they are

static double noise(void) {
    static unsigned long long s = 7;
    s = s * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(s >> 11) / 4503599627370496.0 - 1.0;
}

static void fill_noise(int n, double *a) {
    for (int i = 0; i < n; i++) a[i] = noise();
}

static void hilbert(int n, double *a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] = 1.0 / (i + j + 1);
}

static double choose(int n, int k) {
    double c = 1.0;
    for (int i = 1; i <= k; i++) c = c * (n - k + i) / i;
    return c;
}

// The inverse of the Hilbert matrix is made of integers.
static double hilbert_inverse(int n, int i, int j) {
    double c = choose(i + j - 2, i - 1);
    double sign = (i + j) % 2 ? -1.0 : 1.0;
    return sign * (i + j - 1) * choose(n + i - 1, n - j) * choose(n + j - 1, n - i) * c * c;
}

// Condition number |A| |A^-1| in the 1-norm, exact but for rounding; norm1 of A before it was factored.
static double lu_condition(int n, const double *lu, const int *pivot, double norm1) {
    double column[MAX], inverse = 0.0;
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) column[i] = (double)(i == j);
        lu_solve(n, lu, pivot, column);
        for (int i = 0; i < n; i++) sum += fabs(column[i]);
        inverse = fmax(inverse, sum);
    }
    return norm1 * inverse;
}

static void hilbert_inverse_is_found_within_its_condition(void **state) {
    (void)state;
    // Condition numbers in the 1-norm, all integers.
    static const double condition[] = {1, 27, 748, 28375, 943656, 29070279};
    for (int n = 1; n <= 6; n++) {
        double a[36], b[36] = {0};
        int pivot[6];
        hilbert(n, a);
        double norm = dense_norm1(n, a), kappa = condition[n - 1];
        assert_true(lu_factor(n, a, pivot));
        CHECK_NEAR(lu_condition(n, a, pivot, norm) / kappa, 1.0, 1e-15 * kappa);
        for (int i = 0; i < n; i++) b[i * n + i] = 1.0;
        lu_solve_many(n, a, pivot, n, b);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                CHECK_NEAR(b[i * n + j] / hilbert_inverse(n, i + 1, j + 1), 1.0, 1e-15 * kappa);
        assert_int_equal(lu_sign(n, a, pivot), 1);
    }
}

// -1, 2, -1: inverse min(i,j) (n + 1 - max(i,j)) / (n + 1), positive definite.
static void second_difference_matrix_has_its_green_function(void **state) {
    (void)state;
    enum { n = 48 };
    double a[n * n] = {0}, b[n];
    int pivot[n];
    for (int i = 0; i < n; i++) {
        a[i * n + i] = 2.0;
        if (i > 0) a[i * n + i - 1] = a[(i - 1) * n + i] = -1.0;
    }
    assert_true(lu_factor(n, a, pivot));
    assert_int_equal(lu_sign(n, a, pivot), 1);
    for (int j = 1; j <= n; j++) {
        memset(b, 0, sizeof b);
        b[j - 1] = 1.0;
        lu_solve(n, a, pivot, b);
        for (int i = 1; i <= n; i++) {
            double low = i < j ? i : j, high = i < j ? j : i;
            CHECK_NEAR(b[i - 1], low * (n + 1 - high) / (n + 1), 1e-12);
        }
    }
}

static void pivoting_keeps_small_diagonals_harmless(void **state) {
    (void)state;
    double a[4] = {1e-20, 1, 1, 1}, b[2] = {1, 2};
    int pivot[2];
    assert_true(lu_factor(2, a, pivot));
    lu_solve(2, a, pivot, b);
    CHECK_NEAR(b[0], 1.0, 1e-15);
    CHECK_NEAR(b[1], 1.0, 1e-15);
    assert_int_equal(lu_sign(2, a, pivot), -1);
}

// Every order of three rows: the sign is that of the permutation, the solve undoes it.
static void permutations_are_undone_and_signed(void **state) {
    (void)state;
    static const int orders[6][4] = {{0, 1, 2, 1},  {1, 2, 0, 1},  {2, 0, 1, 1},
                                     {1, 0, 2, -1}, {0, 2, 1, -1}, {2, 1, 0, -1}};
    for (int k = 0; k < 6; k++) {
        double a[9] = {0}, b[3] = {10, 20, 30};
        int pivot[3];
        for (int i = 0; i < 3; i++) a[i * 3 + orders[k][i]] = 1.0;
        assert_true(lu_factor(3, a, pivot));
        assert_int_equal(lu_sign(3, a, pivot), orders[k][3]);
        lu_solve(3, a, pivot, b);
        for (int i = 0; i < 3; i++) assert_true(b[orders[k][i]] == 10.0 * (i + 1));
    }
}

// Planted solutions; one, many and transposed right sides.
static void random_systems_return_their_planted_solution(void **state) {
    (void)state;
    static double a[MAX * MAX], lu[MAX * MAX], x[MAX * 5], b[MAX * 5];
    for (int n = 1; n <= MAX; n = n < 40 ? n + 1 : n + 5) {
        double c[MAX];
        int pivot[MAX];
        fill_noise(n * n, a);
        memcpy(lu, a, sizeof(double) * (size_t)(n * n));
        assert_true(lu_factor(n, lu, pivot));
        double tol = 1e-15 * lu_condition(n, lu, pivot, dense_norm1(n, a));
        fill_noise(n * 5, x);
        dense_mul(n, n, 5, 1.0, a, x, b);
        lu_solve_many(n, lu, pivot, 5, b);
        for (int i = 0; i < n * 5; i++) CHECK_NEAR(b[i], x[i], tol);
        dense_mul_vec(n, n, a, x, c);
        lu_solve(n, lu, pivot, c);
        for (int i = 0; i < n; i++) CHECK_NEAR(c[i], x[i], tol);
        dense_tmul_vec(n, n, a, x, c);
        lu_solve_transposed(n, lu, pivot, c);
        for (int i = 0; i < n; i++) CHECK_NEAR(c[i], x[i], tol);
        memset(b, 0, sizeof b);
        dense_tmadd(n, n, 5, 1.0, a, x, b);
        lu_solve_transposed_many(n, lu, pivot, 5, b);
        for (int i = 0; i < n * 5; i++) CHECK_NEAR(b[i], x[i], tol);
    }
}

static void factors_multiply_to_the_permuted_matrix(void **state) {
    (void)state;
    enum { n = 9 };
    double a[n * n], lu[n * n], l[n * n] = {0}, u[n * n] = {0}, product[n * n];
    int pivot[n];
    fill_noise(n * n, a);
    memcpy(lu, a, sizeof a);
    assert_true(lu_factor(n, lu, pivot));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (j < i) l[i * n + j] = lu[i * n + j];
            if (j == i) l[i * n + j] = 1.0;
            if (j >= i) u[i * n + j] = j == i ? 1.0 / lu[i * n + j] : lu[i * n + j];
            assert_true(fabs(l[i * n + j]) <= 1.0);
        }
    dense_mul(n, n, n, 1.0, l, u, product);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[pivot[k] * n + j];
            a[pivot[k] * n + j] = t;
        }
    for (int i = 0; i < n * n; i++) CHECK_NEAR(product[i], a[i], 1e-15);
}

static void singular_matrices_are_refused(void **state) {
    (void)state;
    int pivot[3];
    double rank1[4] = {1, 2, 2, 4}, zero[1] = {0}, column[9] = {1, 0, 2, 3, 0, 4, 5, 0, 7};
    assert_false(lu_factor(2, rank1, pivot));
    assert_false(lu_factor(1, zero, pivot));
    assert_false(lu_factor(3, column, pivot));
}

// A pivot so small that its inverse is not a number of ours is none.
static void a_pivot_without_an_inverse_is_refused(void **state) {
    (void)state;
    for (int n = 1; n <= 9; n++) {
        double a[81] = {0};
        int pivot[9];
        for (int i = 0; i < n; i++) a[i * n + i] = i == n / 2 ? 1e-309 : 1.0;
        assert_false(lu_factor(n, a, pivot));
    }
}

static void a_nan_or_infinity_anywhere_is_refused(void **state) {
    (void)state;
    for (int n = 1; n <= 13; n++)
        for (int i = 0; i < 2 * n * n; i++) {
            double a[169];
            int pivot[13];
            fill_noise(n * n, a);
            a[i / 2] = i % 2 ? (double)NAN : (double)INFINITY;
            assert_false(lu_factor(n, a, pivot));
        }
}

static void products_by_hand(void **state) {
    (void)state;
    static const double a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, -1, 2, 3, 1};
    double y[3], c[4];
    dense_mul_vec(2, 3, a, (double[]){1, -1, 2}, y);
    assert_true(y[0] == 5 && y[1] == 11);
    dense_tmul_vec(2, 3, a, (double[]){2, -1}, y);
    assert_true(y[0] == -2 && y[1] == -1 && y[2] == 0);
    dense_mul(2, 3, 2, 1.0, a, b, c);
    assert_true(c[0] == 8 && c[1] == 7 && c[2] == 17 && c[3] == 16);
    assert_true(dense_norm1(2, (double[]){1, -5, 2, 3}) == 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hilbert_inverse_is_found_within_its_condition),
        cmocka_unit_test(second_difference_matrix_has_its_green_function),
        cmocka_unit_test(pivoting_keeps_small_diagonals_harmless),
        cmocka_unit_test(permutations_are_undone_and_signed),
        cmocka_unit_test(random_systems_return_their_planted_solution),
        cmocka_unit_test(factors_multiply_to_the_permuted_matrix),
        cmocka_unit_test(singular_matrices_are_refused),
        cmocka_unit_test(a_pivot_without_an_inverse_is_refused),
        cmocka_unit_test(a_nan_or_infinity_anywhere_is_refused),
        cmocka_unit_test(products_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
