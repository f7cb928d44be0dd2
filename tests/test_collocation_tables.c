// The constant tables of collocation against polynomials, which they must treat exactly.
#include "check.h"

#include "model/cosserat/collocation/gauss.h"

static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32};
enum { SIZES = sizeof sizes / sizeof *sizes };

static gauss_table *table_of(int n, int magnus) {
    gauss_table *t = gauss_table_make(n, magnus);
    assert_non_null(t);
    return t;
}

static double sum_powers(int n, const double *row, const double *c, int power) {
    double sum = 0.0;
    for (int j = 0; j < n; j++) sum += row[j] * pow(c[j], power);
    return sum;
}

static void wrenches_are_summed_by_the_transpose_of_velocities(void **unused) {
    (void)unused;
    // b_q A_qj = b_j Q_jq: collocation is then Galerkin's method, and conserves energy
    for (int k = 0; k < SIZES; k++) {
        const int n = sizes[k];
        gauss_table *t = table_of(n, 6);
        for (int q = 0; q < n; q++)
            for (int j = 0; j < n; j++)
                CHECK_NEAR(t->w[q] * t->A[q * n + j], t->w[j] * t->Q[j * n + q], 1e-15);
        gauss_table_free(t);
    }
}

static void sums_along_the_rod_integrate_polynomials(void **unused) {
    (void)unused;
    for (int k = 0; k < SIZES; k++) {
        const int n = sizes[k];
        gauss_table *t = table_of(n, 6);
        for (int power = 0; power < n; power++)
            for (int i = 0; i < n; i++) {
                double before = pow(t->c[i], power + 1) / (power + 1), all = 1.0 / (power + 1);
                CHECK_NEAR(sum_powers(n, t->A + i * n, t->c, power), before, 1e-14);
                CHECK_NEAR(sum_powers(n, t->Q + i * n, t->c, power), all - before, 1e-14);
            }
        gauss_table_free(t);
    }
}

static void seen_from_the_other_end_the_two_sums_change_places(void **unused) {
    (void)unused;
    for (int k = 0; k < SIZES; k++) {
        const int n = sizes[k];
        gauss_table *t = table_of(n, 4);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                CHECK_NEAR(t->A[(n - 1 - i) * n + n - 1 - j], t->Q[i * n + j], 1e-15);
        gauss_table_free(t);
    }
}

// Gauss points of a Magnus step on [0, 1].
static double magnus_point(int points, int g) {
    if (points == 2) return 0.5 + (g ? 1.0 : -1.0) * sqrt(3.0) / 6.0;
    return 0.5 + (g - 1) * sqrt(15.0) / 10.0;
}

static void magnus_rows_are_exact_for_polynomials(void **unused) {
    (void)unused;
    for (int k = 0; k < SIZES; k++)
        for (int order = 4; order <= 6; order += 2) {
            const int n = sizes[k];
            gauss_table *t = table_of(n, order);
            assert_int_equal(t->points, order / 2);
            for (int step = 0; step <= n; step++) {
                double from = step ? t->c[step - 1] : 0.0, to = step < n ? t->c[step] : 1.0;
                CHECK_NEAR(t->d[step], to - from, 1e-16);
                for (int g = 0; g < t->points; g++) {
                    const double *row = t->rows + (step * t->points + g) * n;
                    double at = from + magnus_point(t->points, g) * (to - from);
                    for (int power = 0; power < n; power++)
                        CHECK_NEAR(sum_powers(n, row, t->c, power), pow(at, power), 2e-13);
                }
            }
            gauss_table_free(t);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrenches_are_summed_by_the_transpose_of_velocities),
        cmocka_unit_test(sums_along_the_rod_integrate_polynomials),
        cmocka_unit_test(seen_from_the_other_end_the_two_sums_change_places),
        cmocka_unit_test(magnus_rows_are_exact_for_polynomials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
