// Where the cases of a study lie, and how a parameter is distributed: against published points, closed forms and the
// properties that give the methods their names.
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "math/normal.h"
#include "study/distribution.h"
#include "study/samples.h"

// ---------------------------------------------------------------- Sobol
// S. Joe & F. Y. Kuo, Notes on generating Sobol sequences (2008): the first ten points in three dimensions.
static void the_first_points_of_sobol_are_those_that_are_published(void **unused) {
    (void)unused;
    static const double points[10][3] = {{0, 0, 0},
                                         {0.5, 0.5, 0.5},
                                         {0.75, 0.25, 0.25},
                                         {0.25, 0.75, 0.75},
                                         {0.375, 0.375, 0.625},
                                         {0.875, 0.875, 0.125},
                                         {0.625, 0.125, 0.875},
                                         {0.125, 0.625, 0.375},
                                         {0.1875, 0.3125, 0.9375},
                                         {0.6875, 0.8125, 0.4375}};
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(sobol_digits((uint32_t)i, k) * 0x1p-32, points[i][k], 0.0);
            CHECK_NEAR(unit_sample(SAMPLE_SOBOL, 0, i, 10, k), points[i][k], 0x1p-32);
        }
}

// The order of x modulo a polynomial over the integers modulo 2; primitive: 2^s - 1.
static bool is_primitive(unsigned polynomial, int s) {
    const unsigned top = 1u << s;
    unsigned x = 2, order = 1;
    for (; x != 1 && order < top; order++) {
        x <<= 1;
        if (x & top) x ^= polynomial;
    }
    return x == 1 && order == top - 1;
}

static void each_dimension_of_sobol_has_the_next_primitive_polynomial(void **unused) {
    (void)unused;
    unsigned next = 3;  // x + 1
    assert_int_equal(sobol_polynomial(1), 3);
    for (int k = 2; k < SOBOL_DIMENSIONS; k++) {
        int s;
        do {
            next += 2;
            s = 31 - __builtin_clz(next);
        } while (!is_primitive(next, s));
        assert_int_equal(sobol_polynomial(k), next);
    }
}

// Of 2^k points that follow one another from a multiple of 2^k, one lies in each of 2^k equal parts, in every dimension,
// shifted or not.
static void points_of_sobol_are_spread_evenly_in_each_dimension(void **unused) {
    (void)unused;
    enum { N = 1024 };
    for (int seed = 0; seed < 3; seed++)
        for (int k = 0; k < SOBOL_DIMENSIONS; k++) {
            bool seen[N] = {false};
            for (int i = 0; i < N; i++) {
                const double u = unit_sample(SAMPLE_SOBOL, (uint64_t)seed, 3 * N + i, 4 * N, k);
                CHECK_BETWEEN(u, 1e-12, 1.0 - 1e-12);
                assert_false(seen[(int)(u * N)]);
                seen[(int)(u * N)] = true;
            }
        }
}

// Warnock's formula for the square of the L2 star discrepancy.
enum { DISCREPANT = 1024, DISCREPANT_IN = 5 };
static double discrepancy2(sample_method method, uint64_t seed) {
    static double x[DISCREPANT][DISCREPANT_IN];
    const int n = DISCREPANT, d = DISCREPANT_IN;
    double single = 0.0, pairs = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d; k++) x[i][k] = unit_sample(method, seed, i, n, k);
    for (int i = 0; i < n; i++) {
        double product = 1.0;
        for (int k = 0; k < d; k++) product *= 1.0 - x[i][k] * x[i][k];
        single += product;
        for (int j = 0; j < n; j++) {
            product = 1.0;
            for (int k = 0; k < d; k++) product *= 1.0 - fmax(x[i][k], x[j][k]);
            pairs += product;
        }
    }
    return pow(3.0, -d) - pow(2.0, 1 - d) / n * single + pairs / ((double)n * n);
}

// Of independent points the square is (2^-d - 3^-d)/n on average; ten times more points would be needed of them.
static void sobol_is_far_more_even_than_chance_and_random_is_not(void **unused) {
    (void)unused;
    const double chance = (pow(2.0, -DISCREPANT_IN) - pow(3.0, -DISCREPANT_IN)) / DISCREPANT;
    CHECK_BETWEEN(discrepancy2(SAMPLE_RANDOM, 1) / chance, 0.3, 3.0);
    for (uint64_t seed = 0; seed < 4; seed++)
        CHECK_BETWEEN(discrepancy2(SAMPLE_SOBOL, seed) / chance, 0.0, 0.1);
}

// ---------------------------------------------------------------- Latin hypercube, random
static void a_latin_hypercube_has_one_point_in_each_part_of_each_dimension(void **unused) {
    (void)unused;
    static const int counts[] = {1, 2, 7, 1000, 1024};
    for (int c = 0; c < 5; c++)
        for (int k = 0; k < 6; k++) {
            const int n = counts[c];
            bool *seen = calloc((size_t)n, sizeof *seen);
            for (int i = 0; i < n; i++) {
                const double u = unit_sample(SAMPLE_LATIN, 5, i, n, k);
                assert_true(u > 0.0 && u < 1.0);
                assert_false(seen[(int)(u * n)]);
                seen[(int)(u * n)] = true;
            }
            free(seen);
        }
}

// Two columns of 4096 have a correlation of 0 +- 1/64 where they are independent: within five deviations.
static void dimensions_are_independent_of_one_another(void **unused) {
    (void)unused;
    enum { N = 4096 };
    const sample_method methods[] = {SAMPLE_RANDOM, SAMPLE_LATIN};
    for (int m = 0; m < 2; m++)
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < a; b++) {
                double sum = 0.0;
                for (int i = 0; i < N; i++)
                    sum += (unit_sample(methods[m], 3, i, N, a) - 0.5) *
                           (unit_sample(methods[m], 3, i, N, b) - 0.5);
                CHECK_NEAR(12.0 * sum / N, 0.0, 5.0 / 64.0);
            }
}

// Pearson's sum over 64 cells of pairs that follow one another: 4095 degrees of freedom.
static void random_numbers_pass_the_test_of_pairs(void **unused) {
    (void)unused;
    enum { CELLS = 64, N = 1 << 17 };
    int *counts = calloc(CELLS * CELLS, sizeof *counts);
    for (int i = 0; i < N; i++) {
        const int a = (int)(CELLS * unit_random(9, (uint64_t)i, 0));
        const int b = (int)(CELLS * unit_random(9, (uint64_t)i + 1, 0));
        counts[CELLS * a + b]++;
    }
    double sum = 0.0;
    const double expected = (double)N / (CELLS * CELLS);
    for (int i = 0; i < CELLS * CELLS; i++) sum += pow(counts[i] - expected, 2) / expected;
    const double freedom = CELLS * CELLS - 1;
    CHECK_NEAR(sum, freedom, 5.0 * sqrt(2.0 * freedom));
    free(counts);
}

// ---------------------------------------------------------------- distributions
// Quantiles of the normal distribution to 16 digits, as tables have them.
static void quantiles_of_the_normal_distribution_are_those_of_tables(void **unused) {
    (void)unused;
    CHECK_NEAR(normal_quantile(0.5), 0.0, 1e-15);
    CHECK_NEAR(normal_quantile(0.975), 1.959963984540054, 4e-15);
    CHECK_NEAR(normal_quantile(0.995), 2.575829303548901, 4e-15);
    CHECK_NEAR(normal_quantile(0.001), -3.090232306167813, 4e-15);
    CHECK_NEAR(normal_quantile(1e-9), -5.997807015007686, 1e-14);
    for (double p = 1e-300; p < 1.0; p *= 7.0)
        CHECK_NEAR(normal_below(normal_quantile(p)) / p, 1.0, 1e-12 * (1.0 - log(p)));
}

static double mean_of(const distribution *d, double *deviation) {
    enum { N = 200000 };
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < N; i++) {
        const double x = distribution_quantile(d, (i + 0.5) / N);
        sum += x / N, squares += x * x / N;
    }
    *deviation = sqrt(squares - sum * sum);
    return sum;
}

static void distributions_have_the_moments_of_their_closed_forms(void **unused) {
    (void)unused;
    double s;
    const distribution even = {.kind = DISTRIBUTION_RANGE, .low = -2.0, .high = 4.0};
    CHECK_NEAR(mean_of(&even, &s), 1.0, 1e-9);
    CHECK_NEAR(s, 6.0 / sqrt(12.0), 1e-5);
    const distribution powers = {.kind = DISTRIBUTION_LOG_RANGE, .low = 1.0, .high = 100.0};
    CHECK_NEAR(mean_of(&powers, &s), 99.0 / log(100.0), 1e-6);
    const distribution normal = {.kind = DISTRIBUTION_NORMAL,
                                 .low = -HUGE_VAL,
                                 .high = HUGE_VAL,
                                 .mean = 3.0,
                                 .deviation = 0.5};
    CHECK_NEAR(mean_of(&normal, &s), 3.0, 1e-9);
    CHECK_NEAR(s, 0.5, 1e-4);
    const distribution lognormal = {.kind = DISTRIBUTION_LOGNORMAL,
                                    .low = -HUGE_VAL,
                                    .high = HUGE_VAL,
                                    .mean = 2.0,
                                    .deviation = 0.3};
    CHECK_NEAR(mean_of(&lognormal, &s), 2.0 * exp(0.045), 1e-4);
    CHECK_NEAR(s, 2.0 * exp(0.045) * sqrt(exp(0.09) - 1.0), 1e-3);
}

static double density(double x) {
    return exp(-0.5 * x * x) / sqrt(2.0 * acos(-1.0));
}

// Mean of a normal variable between a and b: (f(a) - f(b))/(F(b) - F(a)), far in the tails too.
static void what_is_cut_off_keeps_to_its_bounds_and_has_its_mean(void **unused) {
    (void)unused;
    static const double cuts[][2] = {
        {-1.0, 1.0}, {-0.5, 3.0}, {2.0, 5.0}, {-9.0, -7.0}, {7.0, 9.0}};
    for (int c = 0; c < 5; c++) {
        double s;
        const double a = cuts[c][0], b = cuts[c][1];
        const distribution d = {
            .kind = DISTRIBUTION_NORMAL, .low = a, .high = b, .mean = 0.0, .deviation = 1.0};
        const double share =
            a > 0.0 ? normal_below(-a) - normal_below(-b) : normal_below(b) - normal_below(a);
        CHECK_NEAR(mean_of(&d, &s), (density(a) - density(b)) / share, 1e-4);
        CHECK_BETWEEN(distribution_quantile(&d, 1e-12), a, b);
        CHECK_BETWEEN(distribution_quantile(&d, 1.0 - 1e-12), a, b);
    }
}

static void grids_have_their_ends_and_equal_steps(void **unused) {
    (void)unused;
    const distribution even = {.kind = DISTRIBUTION_RANGE, .low = 0.1, .high = 0.7};
    CHECK_NEAR(distribution_grid(&even, 0, 4), 0.1, 0.0);
    CHECK_NEAR(distribution_grid(&even, 1, 4), 0.3, 1e-15);
    CHECK_NEAR(distribution_grid(&even, 3, 4), 0.7, 0.0);
    const distribution powers = {.kind = DISTRIBUTION_LOG_RANGE, .low = 1.0, .high = 1000.0};
    CHECK_NEAR(distribution_grid(&powers, 2, 4), 100.0, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_points_of_sobol_are_those_that_are_published),
        cmocka_unit_test(each_dimension_of_sobol_has_the_next_primitive_polynomial),
        cmocka_unit_test(points_of_sobol_are_spread_evenly_in_each_dimension),
        cmocka_unit_test(sobol_is_far_more_even_than_chance_and_random_is_not),
        cmocka_unit_test(a_latin_hypercube_has_one_point_in_each_part_of_each_dimension),
        cmocka_unit_test(dimensions_are_independent_of_one_another),
        cmocka_unit_test(random_numbers_pass_the_test_of_pairs),
        cmocka_unit_test(quantiles_of_the_normal_distribution_are_those_of_tables),
        cmocka_unit_test(distributions_have_the_moments_of_their_closed_forms),
        cmocka_unit_test(what_is_cut_off_keeps_to_its_bounds_and_has_its_mean),
        cmocka_unit_test(grids_have_their_ends_and_equal_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
