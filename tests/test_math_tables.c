// Quadrature and interpolation tables against polynomials, printed tables and identities.
#include "check.h"
#include "math/interpolate.h"
#include "math/quadrature.h"

static double power_sum(int n, const double *x, const double *w, int degree) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += w[i] * pow(x[i], degree);
    return sum;
}

// ---------------------------------------------------------------- Gauss-Legendre
static void gauss_is_exact_to_degree_2n_minus_1_and_no_further(void **state) {
    (void)state;
    double x[GAUSS_MAX], w[GAUSS_MAX];
    for (int n = 1; n <= GAUSS_MAX; n++) {
        assert_true(gauss_legendre(n, x, w));
        for (int k = 0; k < 2 * n; k++) CHECK_NEAR(power_sum(n, x, w, k), 1.0 / (k + 1), 4e-16);
        // The error for x^2n is (n!)^4 / ((2n+1) ((2n)!)^2), the square of the monic polynomial.
        double error = 1.0 / (2 * n + 1);
        for (int k = 1; k <= n; k++) error *= pow((double)k / (n + k), 2);
        double missed = 1.0 / (2 * n + 1) - power_sum(n, x, w, 2 * n);
        if (n <= 10) CHECK_NEAR(missed / error, 1.0, 1e-15 / error);
    }
}

static void gauss_nodes_match_printed_tables(void **state) {
    (void)state;
    double x[GAUSS_MAX], w[GAUSS_MAX];
    gauss_legendre(3, x, w);
    CHECK_NEAR(x[0], 0.5 - sqrt(0.15), 1e-16);
    assert_true(x[1] == 0.5);
    CHECK_NEAR(w[0], 5.0 / 18, 1e-16);
    CHECK_NEAR(w[1], 4.0 / 9, 1e-16);
    gauss_legendre(5, x, w);
    CHECK_NEAR(2 * x[4] - 1, sqrt(5 + 2 * sqrt(10.0 / 7)) / 3, 3e-16);
    CHECK_NEAR(2 * w[4], (322 - 13 * sqrt(70.0)) / 900, 3e-16);
    // Abramowitz & Stegun table 25.4, the outermost of 64.
    gauss_legendre(64, x, w);
    CHECK_NEAR(1 - 2 * x[0], 0.999305041735772139457, 2e-16);
    CHECK_NEAR(2 * w[0], 0.001783280721696432947, 1e-18);
    CHECK_NEAR(2 * w[31], 0.048690957009139720383, 1e-17);
}

static void gauss_nodes_ascend_and_are_symmetric(void **state) {
    (void)state;
    double x[GAUSS_MAX], w[GAUSS_MAX];
    for (int n = 1; n <= GAUSS_MAX; n++) {
        gauss_legendre(n, x, w);
        for (int i = 0; i < n; i++) {
            CHECK_BETWEEN(x[i], i ? x[i - 1] : 0.0, 1.0);
            CHECK_NEAR(x[i] + x[n - 1 - i], 1.0, 1.2e-16);
            assert_true(w[i] == w[n - 1 - i] && w[i] > 0.0);
        }
    }
}

static void gauss_refuses_orders_out_of_range(void **state) {
    (void)state;
    double x[1] = {7.0}, w[1] = {8.0};
    assert_false(gauss_legendre(0, x, w));
    assert_false(gauss_legendre(-3, x, w));
    assert_false(gauss_legendre(GAUSS_MAX + 1, x, w));
    assert_true(x[0] == 7.0 && w[0] == 8.0);
}

// ---------------------------------------------------------------- Gregory
static double gregory_integral(int n, double h, double (*f)(double)) {
    double w[1025], sum = 0.0;
    assert_true(gregory_weights(n, h, w));
    for (int i = 0; i <= n; i++) sum += w[i] * f(h * i / n);
    return sum;
}

static double cubic(double x) {
    return 4 * x * x * x - 3 * x * x + 2 * x - 5;
}

static void gregory_is_exact_for_cubics(void **state) {
    (void)state;
    for (int n = 2; n < 40; n++)
        CHECK_NEAR(gregory_integral(n, 3.0, cubic), 81.0 - 27 + 9 - 15, 1e-13);
    CHECK_NEAR(gregory_integral(1, 3.0, cubic), 1.5 * (cubic(0) + cubic(3)), 1e-13);
}

static void gregory_has_order_four(void **state) {
    (void)state;
    double e16 = gregory_integral(16, 1.0, exp) - expm1(1.0);
    double e32 = gregory_integral(32, 1.0, exp) - expm1(1.0);
    double e64 = gregory_integral(64, 1.0, exp) - expm1(1.0);
    CHECK_BETWEEN(log2(e16 / e32), 3.7, 4.2);
    CHECK_BETWEEN(log2(e32 / e64), 3.85, 4.1);
}

static void gregory_weights_are_the_printed_ones(void **state) {
    (void)state;
    static const double rules[][8] = {
        {1.0 / 2, 1.0 / 2},
        {1.0 / 3, 4.0 / 3, 1.0 / 3},
        {3.0 / 8, 9.0 / 8, 9.0 / 8, 3.0 / 8},
        {0},
        {0},
        {3.0 / 8, 7.0 / 6, 23.0 / 24, 1, 23.0 / 24, 7.0 / 6, 3.0 / 8}};
    for (int n = 1; n <= 6; n++) {
        double w[8];
        gregory_weights(n, 0.1 * n, w);
        if (rules[n - 1][0] == 0.0) continue;
        for (int i = 0; i <= n; i++) CHECK_NEAR(w[i], 0.1 * rules[n - 1][i], 1e-16);
    }
    double w[1] = {3.0};
    assert_false(gregory_weights(0, 1.0, w));
    assert_true(w[0] == 3.0);
}

// ---------------------------------------------------------------- Chebyshev
static void chebyshev_points_are_roots(void **state) {
    (void)state;
    double x[40];
    for (int n = 2; n <= 40; n++) {
        chebyshev_roots(n, x);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(cos(n * acos(1 - 2 * x[i])), 0.0, 1e-15 * n * n);
            if (i) assert_true(x[i] > x[i - 1]);
        }
    }
    chebyshev_roots(1, x);
    assert_true(x[0] == 0.5);
}

// ---------------------------------------------------------------- Lagrange
typedef struct nodes {
    int n;
    double x[64], w[64];
} nodes;

// Gauss, Chebyshev extrema, or equidistant ones in another unit and order.
static nodes make_nodes(int kind, int n) {
    nodes s = {.n = n};
    double unused[64];
    if (kind == 0) gauss_legendre(n, s.x, unused);
    for (int i = 0; kind == 1 && i < n; i++)
        s.x[i] = n == 1 ? 0.5 : 0.5 - 0.5 * cos(acos(-1.0) * i / (n - 1));
    for (int i = 0; kind == 2 && i < n; i++) s.x[i] = (double)((i * 3 + 1) % n) / n;
    assert_true(barycentric_weights(n, s.x, s.w));
    return s;
}

static const int sizes[] = {1, 2, 4, 7};

static void lagrange_reproduces_polynomials(void **state) {
    (void)state;
    double row[64];
    for (int kind = 0; kind < 3; kind++)
        for (int k = 0; k < 4; k++) {
            nodes s = make_nodes(kind, sizes[k]);
            for (double t = -0.1; t < 1.15; t += 0.05) {
                lagrange_row(s.n, s.x, s.w, t, row);
                for (int d = 0; d < s.n; d++)
                    CHECK_NEAR(power_sum(s.n, s.x, row, d), pow(t, d), 2e-13);
            }
        }
}

static void lagrange_row_at_a_node_is_a_unit_row(void **state) {
    (void)state;
    double E[49];
    nodes s = make_nodes(0, 7);
    for (int i = 0; i < 7; i++) lagrange_row(7, s.x, s.w, s.x[i], E + 7 * i);
    for (int i = 0; i < 49; i++) assert_true(E[i] == (double)(i % 8 == 0));
    // A hair beside a node.
    lagrange_row(7, s.x, s.w, nextafter(s.x[3], 1.0), E);
    CHECK_NEAR(E[3], 1.0, 1e-14);
    double tiny[2] = {0.0, 1.0}, w[2];
    barycentric_weights(2, tiny, w);
    lagrange_row(2, tiny, w, 1e-310, E);
    assert_true(E[0] == 1.0 && E[1] == 0.0);
}

// Runge's function with poles at +-i/2: the error falls by 1/2 + sqrt(5)/2 a node, to 4e-14 at 64.
static void lagrange_on_gauss_nodes_converges_for_runge(void **state) {
    (void)state;
    nodes s = make_nodes(0, 64);
    for (double t = 0.0; t <= 1.0; t += 0.01) {
        double row[64], sum = 0.0, y = 2 * t - 1;
        lagrange_row(64, s.x, s.w, t, row);
        for (int j = 0; j < 64; j++) sum += row[j] / (1 + 4 * pow(2 * s.x[j] - 1, 2));
        CHECK_NEAR(sum, 1 / (1 + 4 * y * y), 1e-11);
    }
}

static void barycentric_weights_survive_any_unit(void **state) {
    (void)state;
    nodes s = make_nodes(1, 60);
    for (double unit = 1e-100; unit < 1e101; unit *= 1e50) {
        double x[60], w[60];
        for (int i = 0; i < 60; i++) x[i] = unit * s.x[i];
        assert_true(barycentric_weights(60, x, w));
        // Extrema: alternating, halved at the ends.
        for (int i = 0; i < 60; i++) CHECK_NEAR(fabs(w[i]), i % 59 == 0 ? 0.5 : 1.0, 1e-12);
    }
}

static void barycentric_weights_refuse_equal_nodes(void **state) {
    (void)state;
    double x[3] = {0.2, 0.5, 0.2}, same[2] = {1.0, 1.0}, w[3];
    assert_false(barycentric_weights(3, x, w));
    assert_false(barycentric_weights(2, same, w));
    assert_false(barycentric_weights(0, x, w));
}

static void differentiation_matrix_is_exact_for_polynomials(void **state) {
    (void)state;
    double D[64 * 64];
    for (int kind = 0; kind < 3; kind++)
        for (int k = 0; k < 4; k++) {
            nodes s = make_nodes(kind, sizes[k]);
            differentiation_matrix(s.n, s.x, s.w, D);
            for (int i = 0; i < s.n; i++)
                for (int d = 0; d < s.n; d++)
                    CHECK_NEAR(power_sum(s.n, s.x, D + i * s.n, d),
                               d ? d * pow(s.x[i], d - 1) : 0.0, 2e-13);
        }
}

static void integration_matrix_is_exact_for_polynomials(void **state) {
    (void)state;
    static const double t[5] = {0.0, 0.1, 0.37, 1.0, -0.2};
    double A[5 * 64];
    for (int kind = 0; kind < 3; kind++)
        for (int k = 0; k < 4; k++) {
            nodes s = make_nodes(kind, sizes[k]);
            assert_true(integration_matrix(s.n, s.x, s.w, 5, t, A));
            for (int i = 0; i < 5; i++)
                for (int d = 0; d < s.n; d++)
                    CHECK_NEAR(power_sum(s.n, s.x, A + i * s.n, d), pow(t[i], d + 1) / (d + 1),
                               1e-13);
        }
}

static void integration_over_all_gives_the_gauss_weights(void **state) {
    (void)state;
    static const double whole[1] = {1.0};
    for (int n = 1; n <= 64; n++) {
        double x[64], b[64], w[64], row[64];
        gauss_legendre(n, x, b);
        barycentric_weights(n, x, w);
        assert_true(integration_matrix(n, x, w, 1, whole, row));
        for (int j = 0; j < n; j++) CHECK_NEAR(row[j], b[j], 1e-15);
    }
    double none[1];
    assert_false(integration_matrix(2 * GAUSS_MAX + 1, none, none, 1, whole, none));
}

// b_q A_qj = b_j Q_jq with Q_jq = b_q - A_jq: summing velocities from the base and forces from the
// tip are adjoint to one another. It holds on Gauss nodes and not on Chebyshev ones.
static double symplectic_defect(const nodes *s) {
    double A[64 * 64], b[64], worst = 0.0;
    static const double whole[1] = {1.0};
    assert_true(integration_matrix(s->n, s->x, s->w, s->n, s->x, A));
    assert_true(integration_matrix(s->n, s->x, s->w, 1, whole, b));
    for (int q = 0; q < s->n; q++)
        for (int j = 0; j < s->n; j++)
            worst = fmax(worst, fabs(b[q] * A[q * s->n + j] - b[j] * (b[q] - A[j * s->n + q])));
    return worst;
}

static void gauss_nodes_satisfy_the_symplectic_identity(void **state) {
    (void)state;
    for (int n = 1; n <= 24; n++) {
        nodes s = make_nodes(0, n);
        CHECK_NEAR(symplectic_defect(&s), 0.0, 1e-16);
    }
    nodes s = make_nodes(1, 6);
    assert_true(symplectic_defect(&s) > 1e-4);
}

// ---------------------------------------------------------------- Hermite
static void hermite_reproduces_cubics_and_their_derivatives(void **state) {
    (void)state;
    // f = 2 t^3 - t^2 + 3 t - 7 on [0, h]
    for (double h = 0.01; h < 200; h *= 10) {
        double size = 1 + h * h * h;
        double data[4] = {-7, 3, 2 * h * h * h - h * h + 3 * h - 7, 6 * h * h - 2 * h + 3};
        for (int i = -1; i <= 9; i++) {
            double t = h * i / 8, w[4], f = 0, df = 0, ddf = 0;
            hermite_weights(h, t, w);
            for (int k = 0; k < 4; k++) f += w[k] * data[k];
            hermite_rate_weights(h, t, w);
            for (int k = 0; k < 4; k++) df += w[k] * data[k];
            hermite_second_weights(h, t, w);
            for (int k = 0; k < 4; k++) ddf += w[k] * data[k];
            CHECK_NEAR(f, 2 * t * t * t - t * t + 3 * t - 7, 2e-14 * size);
            CHECK_NEAR(df, 6 * t * t - 2 * t + 3, 1e-13 * size / h);
            CHECK_NEAR(ddf, 12 * t - 2, 1e-12 * size / (h * h));
        }
    }
}

static void hermite_meets_its_data_exactly(void **state) {
    (void)state;
    double w[4];
    hermite_weights(0.3, 0.0, w);
    assert_true(w[0] == 1 && w[1] == 0 && w[2] == 0 && w[3] == 0);
    hermite_weights(0.3, 0.3, w);
    assert_true(w[0] == 0 && w[1] == 0 && w[2] == 1 && w[3] == 0);
    hermite_rate_weights(0.3, 0.3, w);
    assert_true(w[0] == 0 && w[1] == 0 && w[2] == 0 && w[3] == 1);
}

// ---------------------------------------------------------------- middle points
static void middle_points_are_exact_to_the_degree_the_nodes_allow(void **state) {
    (void)state;
    for (int n = 2; n < 12; n++) {
        int degree = n < 4 ? n - 1 : 3;
        double data[12 * 4], middles[11 * 4];
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 4; c++) data[i * 4 + c] = pow(i - 2.0, c);
        midpoints(n, 4, data, middles);
        for (int i = 0; i + 1 < n; i++)
            for (int c = 0; c <= degree; c++)
                CHECK_NEAR(middles[i * 4 + c], pow(i - 1.5, c), 1e-12);
    }
}

static void middle_point_weights_are_the_lagrange_ones(void **state) {
    (void)state;
    for (int n = 2; n < 9; n++)
        for (int i = 0; i + 1 < n; i++) {
            midpoint_rule r = midpoint_rule_at(n, i);
            double x[4], w[4], row[4];
            assert_true(r.first >= 0 && r.first + r.count <= n && r.count == (n < 4 ? n : 4));
            for (int k = 0; k < r.count; k++) x[k] = r.first + k;
            barycentric_weights(r.count, x, w);
            lagrange_row(r.count, x, w, i + 0.5, row);
            for (int k = 0; k < r.count; k++) CHECK_NEAR(r.w[k], row[k], 4e-16);
        }
}

static double middle_error(int n) {
    double data[129], middles[128], worst = 0.0;
    for (int i = 0; i <= n; i++) data[i] = sin(3.0 * i / n);
    midpoints(n + 1, 1, data, middles);
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(middles[i] - sin(3.0 * (i + 0.5) / n)));
    return worst;
}

static void middle_points_have_order_four(void **state) {
    (void)state;
    CHECK_BETWEEN(log2(middle_error(64) / middle_error(128)), 3.8, 4.2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauss_is_exact_to_degree_2n_minus_1_and_no_further),
        cmocka_unit_test(gauss_nodes_match_printed_tables),
        cmocka_unit_test(gauss_nodes_ascend_and_are_symmetric),
        cmocka_unit_test(gauss_refuses_orders_out_of_range),
        cmocka_unit_test(gregory_is_exact_for_cubics),
        cmocka_unit_test(gregory_has_order_four),
        cmocka_unit_test(gregory_weights_are_the_printed_ones),
        cmocka_unit_test(chebyshev_points_are_roots),
        cmocka_unit_test(lagrange_reproduces_polynomials),
        cmocka_unit_test(lagrange_row_at_a_node_is_a_unit_row),
        cmocka_unit_test(lagrange_on_gauss_nodes_converges_for_runge),
        cmocka_unit_test(barycentric_weights_survive_any_unit),
        cmocka_unit_test(barycentric_weights_refuse_equal_nodes),
        cmocka_unit_test(differentiation_matrix_is_exact_for_polynomials),
        cmocka_unit_test(integration_matrix_is_exact_for_polynomials),
        cmocka_unit_test(integration_over_all_gives_the_gauss_weights),
        cmocka_unit_test(gauss_nodes_satisfy_the_symplectic_identity),
        cmocka_unit_test(hermite_reproduces_cubics_and_their_derivatives),
        cmocka_unit_test(hermite_meets_its_data_exactly),
        cmocka_unit_test(middle_points_are_exact_to_the_degree_the_nodes_allow),
        cmocka_unit_test(middle_point_weights_are_the_lagrange_ones),
        cmocka_unit_test(middle_points_have_order_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
