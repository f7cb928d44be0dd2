// vec3, mat3 and quat against identities and closed forms, over the whole range of magnitudes.
#include "check.h"
#include "math/quat.h"
#include "spatial.h"

static const double pi = 3.14159265358979323846;
static const double eps = 2.220446049250313e-16;

// Uniform in [-1, 1], the same on every machine.
static double noise(void) {
    static unsigned long long s = 20190101;
    s = s * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(s >> 11) / 4503599627370496.0 - 1.0;
}

static vec3 noise3(void) {
    double x = noise(), y = noise(), z = noise();
    return vec3_make(x, y, z);
}

static quat noise_quat(void) {
    double w = noise(), x = noise(), y = noise(), z = noise();
    return (quat){w, x, y, z};
}

static vec3 unit(vec3 a) {
    return vec3_scale(a, 1.0 / vec3_norm(a));
}

static void check_vec3(vec3 a, vec3 b, double tol) {
    CHECK_NEAR(a.x, b.x, tol);
    CHECK_NEAR(a.y, b.y, tol);
    CHECK_NEAR(a.z, b.z, tol);
}

static void check_mat3(const mat3 *a, const mat3 *b, double tol) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) CHECK_NEAR(a->m[i][j], b->m[i][j], tol);
}

static void check_rotation(const mat3 *r, double tol) {
    mat3 rr = mat3_tmul(r, r), one = mat3_identity();
    check_mat3(&rr, &one, tol);
    CHECK_NEAR(mat3_det(r), 1.0, tol);
}

// ---------------------------------------------------------------- vec3
static void norm_is_exact_from_smallest_to_largest(void **state) {
    (void)state;
    static const double scales[] = {4e-324, 1e-310, 1e-300, 1e-160, 1e-146,
                                    1.0,    1e140,  1e160,  1e300};
    for (int i = 0; i < 9; i++) {
        double s = scales[i];
        CHECK_NEAR(vec3_norm(vec3_make(2.0 * s, -3.0 * s, 6.0 * s)) / s, 7.0 * s / s, 1e-14);
        assert_true(vec3_norm(vec3_make(0.0, 0.0, -s)) == s);
    }
    assert_true(vec3_norm(vec3_zero()) == 0.0);
}

static void cross_product_obeys_jacobi_and_lagrange(void **state) {
    (void)state;
    for (int k = 0; k < 100; k++) {
        vec3 a = noise3(), b = noise3(), c = noise3();
        vec3 ab = vec3_cross(a, b), bc = vec3_cross(b, c), ca = vec3_cross(c, a);
        vec3 sum = vec3_add(vec3_cross(a, bc), vec3_add(vec3_cross(b, ca), vec3_cross(c, ab)));
        check_vec3(sum, vec3_zero(), 4 * eps);
        double d = vec3_dot(a, b);
        CHECK_NEAR(vec3_dot(ab, ab), vec3_dot(a, a) * vec3_dot(b, b) - d * d, 8 * eps);
        CHECK_NEAR(vec3_dot(ab, a), 0.0, 2 * eps);
    }
    check_vec3(vec3_cross(vec3_make(1, 0, 0), vec3_make(0, 1, 0)), vec3_make(0, 0, 1), 0.0);
}

static void small_helpers_do_what_they_say(void **state) {
    (void)state;
    double raw[3] = {1, -2, 3}, out[3];
    vec3 a = vec3_load(raw), b = vec3_make(4, 5, -6);
    check_vec3(vec3_sub(a, b), vec3_make(-3, -7, 9), 0.0);
    check_vec3(vec3_neg(a), vec3_make(-1, 2, -3), 0.0);
    check_vec3(vec3_mul(a, b), vec3_make(4, -10, -18), 0.0);
    check_vec3(vec3_madd(a, 2.0, b), vec3_make(9, 8, -9), 0.0);
    vec3_store(out, b);
    assert_true(out[0] == 4 && out[1] == 5 && out[2] == -6);
    assert_true(vec3_is_finite(a));
    assert_false(vec3_is_finite(vec3_make(0, (double)NAN, 0)));
    assert_false(vec3_is_finite(vec3_make(0, 0, (double)INFINITY)));
}

// ---------------------------------------------------------------- mat3
static mat3 noise_mat3(void) {
    vec3 a = noise3(), b = noise3(), c = noise3();
    return mat3_from_columns(a, b, c);
}

static void products_and_transposes_agree(void **state) {
    (void)state;
    for (int k = 0; k < 50; k++) {
        mat3 a = noise_mat3(), b = noise_mat3(), at = mat3_transpose(&a);
        vec3 v = noise3();
        mat3 ab = mat3_mul(&a, &b), tab = mat3_tmul(&a, &b), tab2 = mat3_mul(&at, &b);
        check_mat3(&tab, &tab2, 2 * eps);
        check_vec3(mat3_mul_vec(&ab, v), mat3_mul_vec(&a, mat3_mul_vec(&b, v)), 16 * eps);
        check_vec3(mat3_tmul_vec(&a, v), mat3_mul_vec(&at, v), 2 * eps);
        CHECK_NEAR(mat3_det(&ab), mat3_det(&a) * mat3_det(&b), 32 * eps);
    }
}

static void sums_and_outer_product_by_hand(void **state) {
    (void)state;
    vec3 a = vec3_make(1, 2, 3), b = vec3_make(-1, 4, 0.5);
    mat3 o = mat3_outer(a, b), d = mat3_diag(a), s = mat3_add(&o, &d), z = mat3_zero();
    mat3 r = mat3_sub(&s, &o), twice = mat3_scale(&d, 2.0), back = mat3_sub(&twice, &r);
    check_vec3(mat3_mul_vec(&o, vec3_make(0, 0, 2)), a, 0.0);
    check_vec3(mat3_mul_vec(&back, vec3_make(1, 1, 1)), a, 0.0);
    back = mat3_sub(&back, &d);
    check_mat3(&back, &z, 0.0);
}

static void hat_is_the_cross_product_and_vee_its_inverse(void **state) {
    (void)state;
    vec3 a = noise3(), b = noise3();
    mat3 h = mat3_hat(a), sym = mat3_outer(b, b), sum = mat3_add(&h, &sym);
    check_vec3(mat3_mul_vec(&h, b), vec3_cross(a, b), eps);
    check_vec3(mat3_vee(&sum), a, eps);
}

static void inverse_times_matrix_is_one_in_any_units(void **state) {
    (void)state;
    for (int k = 0; k < 50; k++) {
        mat3 a = noise_mat3(), inv = mat3_zero(), one = mat3_identity();
        if (fabs(mat3_det(&a)) < 0.05) continue;
        mat3 rows = mat3_diag(vec3_make(1e-12, 1.0, 1e9));
        mat3 scaled = mat3_mul(&rows, &a);
        assert_true(mat3_inverse(&scaled, &inv));
        mat3 product = mat3_mul(&inv, &scaled);
        check_mat3(&product, &one, 200 * eps);
    }
}

static void inverse_refuses_singular_matrices(void **state) {
    (void)state;
    mat3 a = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}, inv = mat3_identity(), one = mat3_identity();
    assert_false(mat3_inverse(&a, &inv));
    a = mat3_zero();
    assert_false(mat3_inverse(&a, &inv));
    a = mat3_diag(vec3_make(1.0, (double)NAN, 1.0));
    assert_false(mat3_inverse(&a, &inv));
    vec3 u = unit(noise3());
    a = mat3_outer(u, u);
    a = mat3_sub(&one, &a);
    assert_false(mat3_inverse(&a, &inv));
    check_mat3(&inv, &one, 0.0);
}

// ---------------------------------------------------------------- quat
static void quaternion_product_is_the_matrix_product(void **state) {
    (void)state;
    for (int k = 0; k < 100; k++) {
        quat p = noise_quat(), q = noise_quat();
        mat3 rp = quat_to_mat3(p), rq = quat_to_mat3(q), rpq = quat_to_mat3(quat_mul(p, q));
        mat3 product = mat3_mul(&rp, &rq), back = quat_to_mat3(quat_conj(p));
        mat3 rpt = mat3_transpose(&rp);
        check_rotation(&rp, 16 * eps);
        check_mat3(&rpq, &product, 16 * eps);
        check_mat3(&back, &rpt, 4 * eps);
        CHECK_NEAR(quat_norm2(quat_mul(p, q)), quat_norm2(p) * quat_norm2(q), 32 * eps);
    }
}

static void length_of_a_quaternion_does_not_matter(void **state) {
    (void)state;
    static const double scales[] = {1e-100, 0.3, 1.7, 1e100};
    quat q = quat_normalise(noise_quat());
    mat3 r = quat_to_mat3(q);
    vec3 v = noise3();
    for (int i = 0; i < 4; i++) {
        double s = scales[i];
        quat big = {s * q.w, s * q.x, s * q.y, s * q.z};
        mat3 rs = quat_to_mat3(big);
        check_mat3(&rs, &r, 4 * eps);
        check_vec3(quat_rotate(big, v), mat3_mul_vec(&r, v), 8 * eps);
        check_vec3(quat_log(big), quat_log(q), 8 * eps);
        CHECK_NEAR(quat_norm2(quat_normalise(big)), 1.0, 4 * eps);
    }
}

static void normalise_survives_extremes(void **state) {
    (void)state;
    quat tiny = quat_normalise((quat){3e-300, 0, -4e-300, 0});
    quat huge = quat_normalise((quat){3e300, 0, -4e300, 0});
    CHECK_NEAR(tiny.w, 0.6, eps);
    CHECK_NEAR(tiny.y, -0.8, eps);
    CHECK_NEAR(huge.w, 0.6, eps);
    CHECK_NEAR(huge.y, -0.8, eps);
    assert_true(quat_normalise((quat){0, 0, 0, 0}).w == 1.0);
    assert_true(quat_normalise((quat){(double)NAN, 0, 0, 0}).w == 1.0);
}

static void matrix_to_quaternion_is_exact_in_every_branch(void **state) {
    (void)state;
    // Half turns about the axes and about skew ones make w = 0 and each of x, y, z the largest.
    static const double axes[][3] = {{1, 0, 0}, {0, 1, 0},    {0, 0, 1},    {1, 1, 0}, {1, 0, -1},
                                     {0, 1, 1}, {9, 0.1, -2}, {0.1, 5, -1}, {1, 1, -7}};
    for (int i = 0; i < 9; i++) {
        vec3 axis = unit(vec3_load(axes[i]));
        for (double t = 0.0; t <= pi; t += pi / 16) {
            quat q = quat_exp(vec3_scale(axis, t));
            mat3 r = quat_to_mat3(q);
            quat back = quat_from_mat3(&r);
            mat3 r2 = quat_to_mat3(back);
            check_mat3(&r2, &r, 4 * eps);
            CHECK_NEAR(quat_norm2(back), 1.0, 2 * eps);
            assert_true(back.w >= 0.0);
        }
    }
}

// Rodrigues with the sine and cosine of the C library.
static void exponential_is_rodrigues_formula(void **state) {
    (void)state;
    static const double angles[] = {1e-300, 1e-160, 1e-9, 9.9e-9,     1.01e-8,
                                    1e-4,   0.7,    pi,   20 * pi + 1};
    for (int i = 0; i < 9; i++) {
        double t = angles[i], s = sin(t), c = 1.0 - cos(t);
        vec3 n = unit(vec3_make(1, -2, 0.5));
        mat3 r = quat_to_mat3(quat_exp(vec3_scale(n, t)));
        mat3 h = mat3_hat(n), h2 = mat3_mul(&h, &h), expected = mat3_identity();
        h = mat3_scale(&h, s);
        h2 = mat3_scale(&h2, c);
        expected = mat3_add(&expected, &h);
        expected = mat3_add(&expected, &h2);
        check_mat3(&r, &expected, t > 10 ? 40 * eps : 4 * eps);
        // The small part to relative precision.
        if (t < 1.0) CHECK_NEAR(r.m[2][1] - r.m[1][2], 2.0 * s * n.x, 40 * eps * fabs(s) + 1e-323);
    }
}

static void log_of_exp_returns_the_rotation_vector(void **state) {
    (void)state;
    static const double angles[] = {1e-320, 1e-300, 1e-160, 1e-9, 0.99e-8, 2.01e-8, 1e-4, 1.0, 3.1};
    for (int i = 0; i < 9; i++) {
        vec3 v = vec3_scale(unit(vec3_make(-1, 2, 0.5)), angles[i]);
        vec3 back = quat_log(quat_exp(v));
        check_vec3(back, v, 8 * eps * angles[i] + 1e-323);
        // -q is the same rotation.
        quat q = quat_exp(v);
        check_vec3(quat_log((quat){-q.w, -q.x, -q.y, -q.z}), back, 0.0);
    }
    CHECK_NEAR(vec3_norm(quat_log(quat_exp(vec3_make(pi, 0, 0)))), pi, 2 * eps);
    CHECK_NEAR(quat_log(quat_exp(vec3_make(pi + 0.1, 0, 0))).x, 0.1 - pi, 8 * eps);
    check_vec3(quat_log(quat_identity()), vec3_zero(), 0.0);
    check_vec3(quat_log((quat){0, 0, 0, 0}), vec3_zero(), 0.0);
}

// Till 2019 (9): R' = R hat(u).
static void rate_is_the_derivative_of_the_rotation(void **state) {
    (void)state;
    for (int k = 0; k < 20; k++) {
        quat q = noise_quat();
        vec3 u = noise3();
        quat d = quat_rate(q, u);
        quat expected = quat_mul(q, quat_make(0.0, vec3_scale(u, 0.5)));
        CHECK_NEAR(d.w, expected.w, 2 * eps);
        CHECK_NEAR(d.x, expected.x, 2 * eps);
        const double h = 1e-6;
        mat3 plus =
            quat_to_mat3((quat){q.w + h * d.w, q.x + h * d.x, q.y + h * d.y, q.z + h * d.z});
        mat3 minus =
            quat_to_mat3((quat){q.w - h * d.w, q.x - h * d.x, q.y - h * d.y, q.z - h * d.z});
        mat3 slope = mat3_sub(&plus, &minus), r = quat_to_mat3(q), hat = mat3_hat(u);
        slope = mat3_scale(&slope, 0.5 / h);
        mat3 rh = mat3_mul(&r, &hat);
        check_mat3(&slope, &rh, 1e-8);
    }
}

// Explicit Euler lets the length grow; the rotation stays one, and converges to the exact one.
static double euler_error(int steps, double *length2) {
    vec3 u = vec3_make(1.0, -2.0, 3.0);
    quat q = quat_identity();
    for (int i = 0; i < steps; i++) {
        quat d = quat_rate(q, u);
        double h = 1.0 / steps;
        q = (quat){q.w + h * d.w, q.x + h * d.x, q.y + h * d.y, q.z + h * d.z};
        mat3 r = quat_to_mat3(q);
        check_rotation(&r, 16 * eps);
    }
    *length2 = quat_norm2(q);
    return vec3_norm(quat_log(quat_mul(quat_conj(quat_exp(u)), q)));
}

static void drifting_integration_keeps_the_matrix_orthonormal(void **state) {
    (void)state;
    double n20, n40;
    double e20 = euler_error(20, &n20), e40 = euler_error(40, &n40);
    CHECK_BETWEEN(n20, 1.1, 1.3);
    // Along a constant curvature only the angle is wrong: atan(h t/2) per step, order 2.
    CHECK_BETWEEN(log2(e20 / e40), 1.9, 2.1);
    CHECK_NEAR(e40, 2.0 * 40 * (sqrt(14.0) / 80 - atan(sqrt(14.0) / 80)), 1e-13);
}

static void check_turn(vec3 a, vec3 b, double tol) {
    vec3 ua = unit(a), ub = unit(b);
    quat q = quat_between(a, b);
    CHECK_NEAR(quat_norm2(q), 1.0, 4 * eps);
    check_vec3(quat_rotate(q, ua), ub, tol);
    // Shortest: the axis is normal to both, the angle the angle between them.
    CHECK_NEAR(vec3_dot(quat_vector(q), ua), 0.0, tol);
    CHECK_NEAR(vec3_dot(quat_vector(q), ub), 0.0, tol);
    double angle = 2.0 * atan2(vec3_norm(vec3_sub(ua, ub)), vec3_norm(vec3_add(ua, ub)));
    CHECK_NEAR(vec3_norm(quat_log(q)), angle, tol);
}

static void between_is_the_shortest_rotation(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        vec3 a = noise3(), b = noise3();
        check_turn(a, b, 8 * eps);
        // Almost parallel and almost opposite.
        for (double d = 1e-2; d > 1e-18; d *= 0.1) {
            check_turn(a, vec3_madd(a, d, b), 8 * eps);
            check_turn(a, vec3_madd(vec3_scale(a, -3.0), d, b), 8 * eps);
        }
        check_turn(a, a, 8 * eps);
        check_turn(a, vec3_neg(a), 8 * eps);
    }
    check_turn(vec3_make(0, 0, 1), vec3_make(0, 0, -1), 0.0);
    check_turn(vec3_make(0, 1e-200, 0), vec3_make(1e200, 0, 0), 4 * eps);
    assert_true(quat_between(vec3_zero(), vec3_make(1, 0, 0)).w == 1.0);
}

static void load_and_store_keep_the_order(void **state) {
    (void)state;
    double raw[4] = {1, 2, 3, 4}, out[4];
    quat q = quat_load(raw);
    assert_true(q.w == 1 && q.x == 2 && q.y == 3 && q.z == 4);
    quat_store(out, q);
    assert_memory_equal(raw, out, sizeof raw);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norm_is_exact_from_smallest_to_largest),
        cmocka_unit_test(cross_product_obeys_jacobi_and_lagrange),
        cmocka_unit_test(small_helpers_do_what_they_say),
        cmocka_unit_test(products_and_transposes_agree),
        cmocka_unit_test(sums_and_outer_product_by_hand),
        cmocka_unit_test(hat_is_the_cross_product_and_vee_its_inverse),
        cmocka_unit_test(inverse_times_matrix_is_one_in_any_units),
        cmocka_unit_test(inverse_refuses_singular_matrices),
        cmocka_unit_test(quaternion_product_is_the_matrix_product),
        cmocka_unit_test(length_of_a_quaternion_does_not_matter),
        cmocka_unit_test(normalise_survives_extremes),
        cmocka_unit_test(matrix_to_quaternion_is_exact_in_every_branch),
        cmocka_unit_test(exponential_is_rodrigues_formula),
        cmocka_unit_test(log_of_exp_returns_the_rotation_vector),
        cmocka_unit_test(rate_is_the_derivative_of_the_rotation),
        cmocka_unit_test(drifting_integration_keeps_the_matrix_orthonormal),
        cmocka_unit_test(between_is_the_shortest_rotation),
        cmocka_unit_test(load_and_store_keep_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
