// SO(3) and SE(3) against matrix exponentials in long double, which know nothing of the closed
// forms, and against identities; Magnus steps against an exact solution.
#include "check.h"
#include "math/se3.h"
#include "spatial.h"

static const double pi = 3.14159265358979323846;
static const double eps = 2.220446049250313e-16;

static const double angles[] = {1e-300, 1e-160, 1e-100, 1e-20,  1e-9, 1e-4, 0.01,
                                0.5,    1.0,    1.9999, 2.0001, 3.0,  3.14, 4.5,
                                6.0,    6.5,    12.0,   19.0,   31.0, 62.8, 62.9};
#define N_ANGLES (int)(sizeof angles / sizeof *angles)

// Uniform in [-1, 1], the same on every machine.
static double noise(void) {
    static unsigned long long s = 20190612;
    s = s * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(s >> 11) / 4503599627370496.0 - 1.0;
}

static vec3 noise3(void) {
    double x = noise(), y = noise(), z = noise();
    return vec3_make(x, y, z);
}

static vec6 noise6(void) {
    vec3 a = noise3(), l = noise3();
    return vec6_make(a, l);
}

// A twist with angular part of length `angle` and linear part of order one.
static vec6 twist(double angle) {
    vec3 a = noise3(), l = noise3();
    return vec6_make(vec3_scale(a, angle / vec3_norm(a)), l);
}

static void check_vec6(vec6 a, vec6 b, double angular, double linear) {
    CHECK_NEAR(a.a.x, b.a.x, angular);
    CHECK_NEAR(a.a.y, b.a.y, angular);
    CHECK_NEAR(a.a.z, b.a.z, angular);
    CHECK_NEAR(a.l.x, b.l.x, linear);
    CHECK_NEAR(a.l.y, b.l.y, linear);
    CHECK_NEAR(a.l.z, b.l.z, linear);
}

static void check_mat3(const mat3 *a, const mat3 *b, double tol) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) CHECK_NEAR(a->m[i][j], b->m[i][j], tol);
}

static void check_mat6(const mat6 *a, const mat6 *b, double tol) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) CHECK_NEAR(a->m[i][j], b->m[i][j], tol);
}

// ---------------------------------------------------------------- reference
// exp of [ad 1; 0 0] is [exp(ad) phi(ad); 0 1] with phi(ad) = sum ad^k/(k+1)!: one matrix
// exponential, by scaling, Taylor and squaring, gives both Ad_exp(x) and dexp_x.
typedef struct mat12 {
    long double m[12][12];
} mat12;

static mat12 mul12(const mat12 *a, const mat12 *b) {
    mat12 c = {0};
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 12; k++)
            for (int j = 0; j < 12; j++) c.m[i][j] += a->m[i][k] * b->m[k][j];
    return c;
}

static mat12 one12(void) {
    mat12 c = {0};
    for (int i = 0; i < 12; i++) c.m[i][i] = 1.0L;
    return c;
}

static mat12 exp12(mat12 a, int squarings) {
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) a.m[i][j] = ldexpl(a.m[i][j], -squarings);
    mat12 sum = one12();
    for (int k = 24; k > 0; k--) {
        sum = mul12(&a, &sum);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) sum.m[i][j] = sum.m[i][j] / k + (i == j ? 1.0L : 0.0L);
    }
    for (int k = 0; k < squarings; k++) sum = mul12(&sum, &sum);
    return sum;
}

static void reference(vec6 x, mat6 *adjoint, mat6 *dexp) {
    mat6 ad = se3_ad_matrix(x);
    mat12 a = {0};
    for (int i = 0; i < 6; i++) {
        a.m[i][i + 6] = 1.0L;
        for (int j = 0; j < 6; j++) a.m[i][j] = (long double)ad.m[i][j];
    }
    mat12 e = exp12(a, 8);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            adjoint->m[i][j] = (double)e.m[i][j];
            dexp->m[i][j] = (double)e.m[i][j + 6];
        }
}

// ---------------------------------------------------------------- algebra
static void bracket_obeys_jacobi_and_matches_its_matrix(void **state) {
    (void)state;
    for (int k = 0; k < 50; k++) {
        vec6 x = noise6(), y = noise6(), z = noise6();
        vec6 sum = vec6_add(se3_ad(x, se3_ad(y, z)), se3_ad(y, se3_ad(z, x)));
        sum = vec6_add(sum, se3_ad(z, se3_ad(x, y)));
        check_vec6(sum, vec6_zero(), 16 * eps, 16 * eps);
        mat6 ad = se3_ad_matrix(x);
        check_vec6(mat6_mul_vec(&ad, y), se3_ad(x, y), 4 * eps, 4 * eps);
        check_vec6(se3_ad(x, y), vec6_neg(se3_ad(y, x)), 0.0, 0.0);
    }
    // Written out once by hand.
    vec6 a = vec6_make(vec3_make(1, 0, 0), vec3_make(0, 0, 2));
    vec6 b = vec6_make(vec3_make(0, 3, 0), vec3_make(0, 5, 0));
    check_vec6(se3_ad(a, b), vec6_make(vec3_make(0, 0, 3), vec3_make(-6, 0, 5)), 0.0, 0.0);
}

static void bracket_is_the_commutator_of_4x4_matrices(void **state) {
    (void)state;
    vec6 x = noise6(), y = noise6(), b = se3_ad(x, y);
    mat3 xu = mat3_hat(x.a), yu = mat3_hat(y.a);
    mat3 xy = mat3_mul(&xu, &yu), yx = mat3_mul(&yu, &xu), c = mat3_sub(&xy, &yx);
    vec3 linear = vec3_sub(mat3_mul_vec(&xu, y.l), mat3_mul_vec(&yu, x.l));
    check_vec6(b, vec6_make(mat3_vee(&c), linear), 4 * eps, 4 * eps);
}

static void adjoint_of_a_product_is_the_product(void **state) {
    (void)state;
    for (int k = 0; k < 50; k++) {
        se3 g = se3_exp(noise6()), h = se3_exp(noise6()), gh = se3_mul(&g, &h);
        se3 inverse = se3_inverse(&g), one = se3_mul(&g, &inverse);
        mat6 ag = se3_adjoint(&g), ah = se3_adjoint(&h), agh = se3_adjoint(&gh);
        mat6 product = mat6_mul(&ag, &ah), ai = se3_adjoint(&inverse), at = mat6_transpose(&ag);
        mat3 identity = mat3_identity();
        vec6 x = noise6(), w = noise6();
        check_mat6(&agh, &product, 32 * eps);
        check_mat3(&one.R, &identity, 8 * eps);
        CHECK_NEAR(vec3_norm(one.p), 0.0, 8 * eps);
        check_vec6(se3_adjoint_vec(&g, x), mat6_mul_vec(&ag, x), 16 * eps, 16 * eps);
        check_vec6(se3_adjoint_inv_vec(&g, x), mat6_mul_vec(&ai, x), 32 * eps, 32 * eps);
        check_vec6(se3_coadjoint_inv_vec(&g, w), mat6_mul_vec(&at, w), 32 * eps, 32 * eps);
        check_vec6(se3_coadjoint_inv_vec(&g, se3_coadjoint_vec(&g, w)), w, 32 * eps, 32 * eps);
        // Power does not depend on the frame.
        CHECK_NEAR(vec6_dot(se3_adjoint_vec(&g, x), se3_coadjoint_vec(&g, w)), vec6_dot(x, w),
                   64 * eps);
    }
}

static void pose_moves_points_and_composes(void **state) {
    (void)state;
    // A quarter turn about z, then one along x.
    se3 g = {{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}, {1, 0, 0}}, one = se3_identity();
    vec3 p = se3_mul_point(&g, vec3_make(2, 0, 5));
    assert_true(p.x == 1 && p.y == 2 && p.z == 5);
    se3 gg = se3_mul(&g, &g), same = se3_mul(&g, &one);
    vec3 q = se3_mul_point(&gg, vec3_make(2, 0, 5));
    assert_true(q.x == -1 && q.y == 1 && q.z == 5);
    check_mat3(&same.R, &g.R, 0.0);
}

// ---------------------------------------------------------------- exp and log
static void exp_matches_matrix_exponential(void **state) {
    (void)state;
    for (int i = 0; i < N_ANGLES; i++)
        for (int k = 0; k < 5; k++) {
            vec6 x = twist(angles[i]);
            mat6 expected, dexp;
            reference(x, &expected, &dexp);
            se3 g = se3_exp(x);
            mat6 got = se3_adjoint(&g);
            // Rounding of the angle itself, eps t, turns into rotation.
            check_mat6(&got, &expected, (8 + 2 * angles[i]) * eps);
            mat3 rr = mat3_tmul(&g.R, &g.R), one = mat3_identity(), r = so3_exp(x.a);
            check_mat3(&rr, &one, 8 * eps);
            check_mat3(&r, &g.R, 0.0);
        }
}

static void exp_of_quaternion_and_of_matrix_agree(void **state) {
    (void)state;
    for (int i = 0; i < N_ANGLES; i++) {
        vec3 u = twist(angles[i]).a;
        mat3 r = so3_exp(u), q = quat_to_mat3(quat_exp(u));
        check_mat3(&r, &q, (8 + 2 * angles[i]) * eps);
    }
}

static void exp_has_the_same_pose_with_a_quaternion(void **state) {
    (void)state;
    for (int k = 0; k < N_ANGLES; k++) {
        const vec6 x = twist(angles[k]);
        const se3 g = se3_exp(x);
        quat turn;
        const vec3 p = se3_exp_turn(x, &turn);
        const mat3 R = quat_to_mat3(turn);
        check_mat3(&R, &g.R, 4 * eps * (1.0 + angles[k]));
        CHECK_NEAR(quat_norm2(turn), 1.0, 8 * eps);
        CHECK_NEAR(vec3_norm(vec3_sub(p, g.p)), 0.0, 4 * eps);
        CHECK_NEAR(turn.x, quat_exp(x.a).x, 4 * eps * angles[k]);  // also of the smallest
    }
}

static void tiny_rotations_keep_relative_precision(void **state) {
    (void)state;
    for (int i = 0; angles[i] < 1e-8; i++) {
        vec6 x = twist(angles[i]);
        se3 g = se3_exp(x);
        vec3 u = mat3_vee(&g.R);
        double tol = 4 * eps * angles[i];
        check_vec6(vec6_make(u, g.p), vec6_make(x.a, x.l), tol, angles[i] + eps);
        check_vec6(se3_log(&g), x, tol, 4 * eps);
    }
    se3 still = se3_exp(vec6_zero());
    check_vec6(se3_log(&still), vec6_zero(), 0.0, 0.0);
}

static void log_inverts_exp_up_to_half_a_turn(void **state) {
    (void)state;
    for (int i = 0; angles[i] < pi; i++)
        for (int k = 0; k < 10; k++) {
            vec6 x = twist(angles[i]);
            se3 g = se3_exp(x);
            double t = 16 * eps * fmin(1.0, angles[i]);
            check_vec6(se3_log(&g), x, t, 24 * eps);
            CHECK_NEAR(vec3_norm(vec3_sub(so3_log(&g.R), x.a)), 0.0, t);
        }
}

static void exp_inverts_log_for_any_rotation(void **state) {
    (void)state;
    for (int i = 0; i < N_ANGLES; i++) {
        se3 g = se3_exp(twist(angles[i]));
        vec6 x = se3_log(&g);
        assert_true(vec3_norm(x.a) <= pi * (1 + eps));
        se3 back = se3_exp(x);
        check_mat3(&back.R, &g.R, 16 * eps);
        CHECK_NEAR(vec3_norm(vec3_sub(back.p, g.p)), 0.0, 16 * eps);
    }
    // Exactly half a turn, and within a few rounding errors of it.
    for (double d = 0.0; d < 1e-6; d = d == 0.0 ? 1e-16 : 4 * d) {
        se3 g = se3_exp(vec6_make(vec3_make(0, pi - d, 0), vec3_make(1, 2, 3)));
        vec6 x = se3_log(&g);
        CHECK_NEAR(fabs(x.a.y), pi - d, 4 * eps);
        se3 back = se3_exp(x);
        check_mat3(&back.R, &g.R, 4 * eps);
        CHECK_NEAR(vec3_norm(vec3_sub(back.p, g.p)), 0.0, 16 * eps);
    }
}

// A screw: a full turn about z while rising, and a full turn in a plane, come back to x = y = 0.
static void whole_turns_close(void **state) {
    (void)state;
    for (int turns = 1; turns <= 10; turns++) {
        double t = 2 * pi * turns;
        se3 g = se3_exp(vec6_make(vec3_make(0, 0, t), vec3_make(3, -1, 0.5)));
        CHECK_NEAR(g.p.x, 0.0, 4 * eps);
        CHECK_NEAR(g.p.y, 0.0, 4 * eps);
        CHECK_NEAR(g.p.z, 0.5, eps);
        CHECK_NEAR(g.R.m[0][1], 0.0, t * eps);
    }
}

// ---------------------------------------------------------------- dexp
static void dexp_matches_the_series_of_ad(void **state) {
    (void)state;
    for (int i = 0; i < N_ANGLES; i++)
        for (int k = 0; k < 5; k++) {
            vec6 x = twist(angles[i]);
            mat6 adjoint, expected, got = se3_dexp(x), right = se3_dexp_right(vec6_neg(x));
            reference(x, &adjoint, &expected);
            check_mat6(&got, &expected, 8 * eps);
            check_mat6(&right, &expected, 8 * eps);
            mat3 j = so3_dexp(x.a), jr = so3_dexp_right(vec3_neg(x.a)), block;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) block.m[r][c] = expected.m[r][c];
            check_mat3(&j, &block, 8 * eps);
            check_mat3(&jr, &block, 8 * eps);
        }
}

// The lower block is linear in the linear part of the twist, at any size of it.
static void dexp_is_scaled_by_the_linear_part(void **state) {
    (void)state;
    static const double sizes[] = {1e-250, 1e-30, 1e30, 1e200};
    for (int i = 0; i < N_ANGLES; i++)
        for (int k = 0; k < 4; k++) {
            vec6 x = twist(angles[i]);
            mat6 one = se3_dexp(x), inv = se3_dexp_inv(x);
            x.l = vec3_scale(x.l, sizes[k]);
            mat6 big = se3_dexp(x), big_inv = se3_dexp_inv(x);
            for (int r = 3; r < 6; r++)
                for (int c = 0; c < 3; c++) {
                    CHECK_NEAR(big.m[r][c] / sizes[k], one.m[r][c], 8 * eps);
                    CHECK_NEAR(big_inv.m[r][c] / sizes[k], inv.m[r][c],
                               64 * eps * fmax(1.0, fabs(inv.m[r][c])));
                }
        }
}

static void dexp_is_the_derivative_of_exp(void **state) {
    (void)state;
    static const double some[] = {0.1, 1.5, 2.5, 7.0, 40.0};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++) {
            vec6 x = twist(some[i]), dx = noise6();
            const double h = 1e-5;
            se3 g = se3_exp(x), plus = se3_exp(vec6_madd(x, h, dx)),
                minus = se3_exp(vec6_madd(x, -h, dx));
            se3 inverse = se3_inverse(&minus), step = se3_mul(&plus, &inverse);
            mat6 j = se3_dexp(x), jr = se3_dexp_right(x);
            vec6 slope = vec6_scale(se3_log(&step), 0.5 / h), spatial = mat6_mul_vec(&j, dx);
            check_vec6(spatial, slope, 1e-8, 1e-8);
            // Left is right seen from the base.
            vec6 body = mat6_mul_vec(&jr, dx);
            check_vec6(spatial, se3_adjoint_vec(&g, body), 1e-13, 1e-13);
        }
}

static void dexp_inv_undoes_dexp(void **state) {
    (void)state;
    for (int i = 0; i < N_ANGLES; i++)
        for (int k = 0; k < 5; k++) {
            vec6 x = twist(angles[i]);
            mat6 j = se3_dexp(x), inv = se3_dexp_inv(x), one = mat6_identity();
            double size = 0.0;
            for (int r = 0; r < 36; r++) size = fmax(size, fabs(inv.m[r / 6][r % 6]));
            mat6 product = mat6_mul(&j, &inv);
            check_mat6(&product, &one, 32 * eps * size);
            mat6 jr = se3_dexp_right(x), inv_r = se3_dexp_right_inv(x);
            product = mat6_mul(&inv_r, &jr);
            check_mat6(&product, &one, 32 * eps * size);
            mat3 j3 = so3_dexp(x.a), inv3 = so3_dexp_inv(x.a), one3 = mat3_identity();
            mat3 p3 = mat3_mul(&j3, &inv3);
            check_mat3(&p3, &one3, 32 * eps * size);
            mat3 r3 = so3_dexp_right(x.a), rinv3 = so3_dexp_inv(vec3_neg(x.a));
            p3 = mat3_mul(&r3, &rinv3);
            check_mat3(&p3, &one3, 32 * eps * size);
        }
}

// dexp_inv = 1 - ad/2 + sum B_2k/(2k)! ad^2k: an independent truth for small angles.
static void dexp_inv_matches_the_bernoulli_series(void **state) {
    (void)state;
    static const double b[] = {1.0 / 12,          -1.0 / 720,
                               1.0 / 30240,       -1.0 / 1209600,
                               1.0 / 47900160,    -691.0 / 1307674368000.0,
                               1.0 / 74724249600, -3617.0 / 10670622842880000.0};
    for (int k = 0; k < 20; k++) {
        vec6 x = twist(0.05 * k);
        mat6 ad = se3_ad_matrix(x), ad2 = mat6_mul(&ad, &ad), power = ad2, sum = mat6_identity();
        for (int i = 0; i < 36; i++) sum.m[i / 6][i % 6] -= 0.5 * ad.m[i / 6][i % 6];
        for (int n = 0; n < 8; n++) {
            for (int i = 0; i < 36; i++) sum.m[i / 6][i % 6] += b[n] * power.m[i / 6][i % 6];
            power = mat6_mul(&power, &ad2);
        }
        mat6 got = se3_dexp_inv(x);
        check_mat6(&got, &sum, 1e-15 + 30 * pow(0.05 * k / (2 * pi), 16));
    }
}

// Near one turn dexp is singular: its inverse is large, finite, and still its inverse.
static void dexp_inv_stays_finite_near_whole_turns(void **state) {
    (void)state;
    for (int turns = 1; turns < 4; turns++) {
        vec6 x = vec6_make(vec3_make(2 * pi * turns, 0, 0), vec3_make(0, 1, 0));
        mat6 inv = se3_dexp_inv(x);
        for (int i = 0; i < 36; i++) assert_true(isfinite(inv.m[i / 6][i % 6]));
        x.a.x += 1e-4;
        mat3 j = so3_dexp(x.a), jinv = so3_dexp_inv(x.a), one = mat3_identity();
        mat3 product = mat3_mul(&j, &jinv);
        check_mat3(&product, &one, 1e-10);
    }
}

// ---------------------------------------------------------------- Magnus
// g(s) = exp(s a) exp(s^2 b) exp(s^3 c) solves g' = g xi^ for the twist below.
typedef struct curve {
    vec6 a, b, c;
} curve;

static se3 curve_pose(const curve *k, double s) {
    se3 x = se3_exp(vec6_scale(k->a, s)), y = se3_exp(vec6_scale(k->b, s * s));
    se3 z = se3_exp(vec6_scale(k->c, s * s * s)), xy = se3_mul(&x, &y);
    return se3_mul(&xy, &z);
}

static vec6 curve_twist(const curve *k, double s) {
    se3 y = se3_exp(vec6_scale(k->b, s * s)), z = se3_exp(vec6_scale(k->c, s * s * s));
    vec6 x = vec6_madd(se3_adjoint_inv_vec(&y, k->a), 2 * s, k->b);
    return vec6_madd(se3_adjoint_inv_vec(&z, x), 3 * s * s, k->c);
}

static double magnus_error(const curve *k, int order, int steps) {
    se3 g = se3_identity();
    double d = 1.0 / steps;
    for (int i = 0; i < steps; i++) {
        double s = i * d;
        vec6 psi = order == 4 ? se3_magnus4(d, curve_twist(k, s + MAGNUS4_C1 * d),
                                            curve_twist(k, s + MAGNUS4_C2 * d))
                              : se3_magnus6(d, curve_twist(k, s + MAGNUS6_C1 * d),
                                            curve_twist(k, s + MAGNUS6_C2 * d),
                                            curve_twist(k, s + MAGNUS6_C3 * d));
        se3 step = se3_exp(psi);
        g = se3_mul(&g, &step);
    }
    se3 truth = curve_pose(k, 1.0), inverse = se3_inverse(&truth), gap = se3_mul(&inverse, &g);
    vec6 e = se3_log(&gap);
    return sqrt(vec6_dot(e, e));
}

static const curve curves[3] = {
    {{{0.4, -0.3, 1.0}, {0.1, 0.2, 1.0}},
     {{-0.5, 0.8, 0.2}, {0.3, 0, 0.4}},
     {{0.3, 0.3, -0.6}, {0, 0.5, -0.2}}},
    {{{1.2, 0, 0}, {0, 0, 1.0}}, {{0, 0.9, 0}, {0, 0.1, 0}}, {{0, 0, 0.7}, {0.2, 0, 0}}},
    {{{-0.2, 1.4, 0.3}, {1.0, 0, 0.1}},
     {{0.6, 0.1, 0.9}, {0, -0.4, 0}},
     {{0, 0.5, 0.1}, {-0.3, 0, 0.2}}},
};

static void magnus_steps_have_orders_four_and_six(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double e4 = magnus_error(&curves[k], 4, 16), f4 = magnus_error(&curves[k], 4, 32);
        double e6 = magnus_error(&curves[k], 6, 8), f6 = magnus_error(&curves[k], 6, 16);
        CHECK_BETWEEN(log2(e4 / f4), 3.9, 4.1);
        CHECK_BETWEEN(log2(e6 / f6), 5.8, 6.2);
        assert_true(f6 < 1e-8);
        assert_true(magnus_error(&curves[k], 6, 128) < 1e-13);
    }
}

static void magnus_is_exact_for_a_constant_twist(void **state) {
    (void)state;
    vec6 x = noise6(), d = vec6_scale(x, 0.7);
    check_vec6(se3_magnus4(0.7, x, x), d, eps, eps);
    check_vec6(se3_magnus6(0.7, x, x, x), d, eps, eps);
}

// The sum as printed, bracket by bracket.
static vec6 magnus6_written_out(double d, vec6 g1, vec6 g2, vec6 g3) {
    vec6 y1 = vec6_scale(g2, d), y2 = vec6_scale(vec6_sub(g3, g1), sqrt(15.0) / 3 * d);
    vec6 y3 = vec6_scale(vec6_madd(vec6_add(g1, g3), -2, g2), 10.0 / 3 * d);
    vec6 y12 = se3_ad(y1, y2);
    vec6 psi = vec6_madd(y1, 1.0 / 12, y3);
    psi = vec6_madd(psi, 1.0 / 12, y12);
    psi = vec6_madd(psi, -1.0 / 240, se3_ad(y2, y3));
    psi = vec6_madd(psi, 1.0 / 360, se3_ad(y1, se3_ad(y1, y3)));
    psi = vec6_madd(psi, -1.0 / 240, se3_ad(y2, y12));
    return vec6_madd(psi, -1.0 / 720, se3_ad(y1, se3_ad(y1, y12)));
}

static double magnus6_gap(double d) {
    vec6 g[3];
    static const double c[3] = {MAGNUS6_C1, MAGNUS6_C2, MAGNUS6_C3};
    for (int i = 0; i < 3; i++) g[i] = curve_twist(&curves[0], 0.3 + c[i] * d);
    vec6 gap = vec6_sub(se3_magnus6(d, g[0], g[1], g[2]), magnus6_written_out(d, g[0], g[1], g[2]));
    return sqrt(vec6_dot(gap, gap));
}

static void magnus6_agrees_with_the_long_form_to_order_seven(void **state) {
    (void)state;
    CHECK_BETWEEN(log2(magnus6_gap(0.2) / magnus6_gap(0.1)), 6.5, 7.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bracket_obeys_jacobi_and_matches_its_matrix),
        cmocka_unit_test(bracket_is_the_commutator_of_4x4_matrices),
        cmocka_unit_test(adjoint_of_a_product_is_the_product),
        cmocka_unit_test(pose_moves_points_and_composes),
        cmocka_unit_test(exp_matches_matrix_exponential),
        cmocka_unit_test(exp_of_quaternion_and_of_matrix_agree),
        cmocka_unit_test(exp_has_the_same_pose_with_a_quaternion),
        cmocka_unit_test(tiny_rotations_keep_relative_precision),
        cmocka_unit_test(log_inverts_exp_up_to_half_a_turn),
        cmocka_unit_test(exp_inverts_log_for_any_rotation),
        cmocka_unit_test(whole_turns_close),
        cmocka_unit_test(dexp_matches_the_series_of_ad),
        cmocka_unit_test(dexp_is_scaled_by_the_linear_part),
        cmocka_unit_test(dexp_is_the_derivative_of_exp),
        cmocka_unit_test(dexp_inv_undoes_dexp),
        cmocka_unit_test(dexp_inv_matches_the_bernoulli_series),
        cmocka_unit_test(dexp_inv_stays_finite_near_whole_turns),
        cmocka_unit_test(magnus_steps_have_orders_four_and_six),
        cmocka_unit_test(magnus_is_exact_for_a_constant_twist),
        cmocka_unit_test(magnus6_agrees_with_the_long_form_to_order_seven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
