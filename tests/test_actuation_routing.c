// Paths of tendons against closed forms, interpolation theory and differences.
#include "paths.h"

static double distance(vec3 a, vec3 b) {
    return vec3_norm(vec3_sub(a, b));
}

static void slopes_of_every_path_are_its_derivatives(void **state) {
    (void)state;
    const double h = 1e-5;
    for (int kind = 0; kind < N_PATHS; kind++) {
        actuator a = path_make((path_kind)kind);
        for (double s = 0.013; s < PATH_SPAN; s += 0.0211) {
            route_point at = actuator_route(&a, s);
            route_point low = actuator_route(&a, s - h), high = actuator_route(&a, s + h);
            vec3 r_s = vec3_scale(vec3_sub(high.r, low.r), 0.5 / h);
            vec3 r_ss = vec3_scale(vec3_sub(high.r_s, low.r_s), 0.5 / h);
            CHECK_NEAR(distance(at.r_s, r_s), 0.0, 1e-8);
            CHECK_NEAR(distance(at.r_ss, r_ss), 0.0, 1e-6);
            assert_true(at.r.z == 0.0 && at.r_s.z == 0.0 && at.r_ss.z == 0.0);
        }
    }
}

static void a_straight_path_goes_from_offset_to_offset(void **state) {
    (void)state;
    actuator a = path_make(PATH_CONVERGING);
    a.tendon.from = 0.1;
    route_point start = actuator_route(&a, 0.1), end = actuator_route(&a, PATH_SPAN);
    CHECK_NEAR(distance(start.r, vec3_make(0.006, -0.003, 0.0)), 0.0, 0.0);
    CHECK_NEAR(distance(end.r, vec3_make(-0.002, -0.003, 0.0)), 0.0, 1e-18);
    CHECK_NEAR(start.r_s.x, -0.008 / 0.2, 1e-17);
    route_point parallel = actuator_route(&(actuator){.tendon = {.to = 1.0}}, 0.7);
    assert_true(parallel.r_s.x == 0.0 && parallel.r_s.y == 0.0);
}

static void a_helix_keeps_its_radius_and_makes_its_turns(void **state) {
    (void)state;
    actuator a = path_make(PATH_HELIX);
    for (double x = 0.0; x <= 1.0; x += 0.125) {
        route_point at = actuator_route(&a, x * PATH_SPAN);
        CHECK_NEAR(vec3_norm(at.r), 0.008, 1e-17);
        double angle = 0.4 + x * 1.5 * 2.0 * 3.14159265358979323846;
        CHECK_NEAR(remainder(atan2(at.r.y, at.r.x) - angle, 6.28318530717958647692), 0.0, 2e-15);
    }
}

// ---------------------------------------------------------------- splines
enum { MOST = 129 };

typedef struct plane_curve {  // x and y of s, and their second derivatives
    double x, y, x_ss, y_ss;
} plane_curve;
typedef plane_curve (*plane_function)(double s);

static plane_curve line(double s) {
    return (plane_curve){0.004 - 0.02 * s, 0.001 + 0.05 * s, 0.0, 0.0};
}

static plane_curve parabola(double s) {
    return (plane_curve){0.1 * s * s, 0.004 - 0.3 * s * s, 0.2, -0.6};
}

static plane_curve cubic_curve(double s) {
    return (plane_curve){s * s * s - s, 0.5 * s * s - 2.0 * s * s * s, 6.0 * s, 1.0 - 12.0 * s};
}

static plane_curve wave(double s) {
    double k = 3.0;
    return (plane_curve){exp(s), cos(k * s), exp(s), -k * k * cos(k * s)};
}

// Points at uneven places of [0, 1]; the largest errors of the spline and its second derivative.
typedef struct spline_error {
    double value, second;
} spline_error;

static spline_error spline_misses(plane_function f, int n) {
    double points[3 * MOST], second[2 * MOST], work[MOST];
    for (int i = 0; i < n; i++) {
        double x = i / (n - 1.0), s = x + 0.07 * sin(6.28318530717958648 * x);
        plane_curve c = f(s);
        points[3 * i] = s, points[3 * i + 1] = c.x, points[3 * i + 2] = c.y;
    }
    route_spline(n, points, second, work);
    actuator a = {.spline = second,
                  .tendon = {.routing = TD_ROUTING_POINTS, .points = points, .n_points = n}};
    spline_error worst = {0.0, 0.0};
    for (int i = 0; i <= 1000; i++) {
        route_point at = actuator_route(&a, 1e-3 * i);
        plane_curve c = f(1e-3 * i);
        worst.value = fmax(worst.value, hypot(at.r.x - c.x, at.r.y - c.y));
        worst.second = fmax(worst.second, hypot(at.r_ss.x - c.x_ss, at.r_ss.y - c.y_ss));
    }
    return worst;
}

static void splines_reproduce_what_their_points_can_tell(void **state) {
    (void)state;
    for (int n = 2; n <= 12; n++) CHECK_NEAR(spline_misses(line, n).value, 0.0, 5e-17);
    for (int n = 2; n <= 12; n++) CHECK_NEAR(spline_misses(line, n).second, 0.0, 2e-13);
    for (int n = 3; n <= 12; n++) CHECK_NEAR(spline_misses(parabola, n).value, 0.0, 2e-16);
    for (int n = 4; n <= 12; n++) CHECK_NEAR(spline_misses(cubic_curve, n).value, 0.0, 2e-15);
    for (int n = 4; n <= 12; n++) CHECK_NEAR(spline_misses(cubic_curve, n).second, 0.0, 1e-12);
    // ... and no more than that.
    assert_true(spline_misses(parabola, 2).value > 0.01);
    assert_true(spline_misses(cubic_curve, 3).value > 0.01);
}

static void splines_converge_with_order_four_and_their_bend_with_order_two(void **state) {
    (void)state;
    spline_error coarse = spline_misses(wave, 65), fine = spline_misses(wave, 129);
    CHECK_BETWEEN(log2(coarse.value / fine.value), 3.9, 4.1);
    CHECK_BETWEEN(log2(coarse.second / fine.second), 1.9, 2.1);
    assert_true(fine.value < 1e-6);
}

static void splines_pass_their_points_with_continuous_bend(void **state) {
    (void)state;
    actuator a = path_make(PATH_POINTS);
    for (int i = 0; i < N_PATH_POINTS; i++) {
        const double *p = path_points + 3 * i;
        route_point at = actuator_route(&a, p[0]);
        CHECK_NEAR(hypot(at.r.x - p[1], at.r.y - p[2]), 0.0, 1e-17);
        if (i == 0 || i == N_PATH_POINTS - 1) continue;
        route_point before = actuator_route(&a, p[0] - 1e-12);
        CHECK_NEAR(distance(at.r_s, before.r_s), 0.0, 1e-11);
        CHECK_NEAR(distance(at.r_ss, before.r_ss), 0.0, 1e-10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_of_every_path_are_its_derivatives),
        cmocka_unit_test(a_straight_path_goes_from_offset_to_offset),
        cmocka_unit_test(a_helix_keeps_its_radius_and_makes_its_turns),
        cmocka_unit_test(splines_reproduce_what_their_points_can_tell),
        cmocka_unit_test(splines_converge_with_order_four_and_their_bend_with_order_two),
        cmocka_unit_test(splines_pass_their_points_with_continuous_bend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
