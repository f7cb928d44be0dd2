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
    a.path.from = 0.1;
    route_point start = actuator_route(&a, 0.1), end = actuator_route(&a, PATH_SPAN);
    CHECK_NEAR(distance(start.r, vec3_make(0.006, -0.003, 0.0)), 0.0, 0.0);
    CHECK_NEAR(distance(end.r, vec3_make(-0.002, -0.003, 0.0)), 0.0, 1e-18);
    CHECK_NEAR(start.r_s.x, -0.008 / 0.2, 1e-17);
    route_point parallel = actuator_route(&(actuator){.path = {.to = 1.0}}, 0.7);
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

// ---------------------------------------------------------------- through points
enum { MOST = 129 };

typedef struct plane_curve {
    double x, y;
} plane_curve;
typedef plane_curve (*plane_function)(double s);

static plane_curve line(double s) {
    return (plane_curve){0.004 - 0.02 * s, 0.001 + 0.05 * s};
}

static plane_curve parabola(double s) {
    return (plane_curve){0.1 * s * s, 0.004 - 0.3 * s * s};
}

static plane_curve rising(double s) {
    return (plane_curve){exp(s), sin(s)};
}

static plane_curve wave(double s) {
    return (plane_curve){exp(s), cos(6.0 * s)};
}

// Points at uneven places of [0, 1]; how far the path is from the curve they were taken from.
static double path_misses(plane_function f, int n) {
    double points[3 * MOST], worst = 0.0;
    for (int i = 0; i < n; i++) {
        double x = i / (n - 1.0), s = x + 0.07 * sin(6.28318530717958648 * x);
        plane_curve c = f(s);
        points[3 * i] = s, points[3 * i + 1] = c.x, points[3 * i + 2] = c.y;
    }
    actuator a = {.path = {.routing = TD_ROUTING_POINTS, .points = points, .n_points = n}};
    for (int i = 0; i <= 1000; i++) {
        route_point at = actuator_route(&a, 1e-3 * i);
        plane_curve c = f(1e-3 * i);
        worst = fmax(worst, hypot(at.r.x - c.x, at.r.y - c.y));
    }
    return worst;
}

static void paths_reproduce_what_their_points_can_tell(void **state) {
    (void)state;
    for (int n = 2; n <= 12; n++) CHECK_NEAR(path_misses(line, n), 0.0, 5e-17);
    for (int n = 3; n <= 12; n++) CHECK_NEAR(path_misses(parabola, n), 0.0, 2e-16);
    assert_true(path_misses(parabola, 2) > 0.01);  // ... and no more than that
}

// A turning point between two points cannot be known: there a path that stays between them misses
// by the square of their distance.
static void paths_converge_with_order_three_and_with_two_where_they_turn(void **state) {
    (void)state;
    double coarse = path_misses(rising, 65), fine = path_misses(rising, 129);
    CHECK_BETWEEN(log2(coarse / fine), 2.9, 3.1);
    coarse = path_misses(wave, 33), fine = path_misses(wave, 129);
    CHECK_BETWEEN(0.5 * log2(coarse / fine), 1.5, 2.5);
}

static void paths_pass_their_points_with_continuous_slope(void **state) {
    (void)state;
    const double *tables[] = {path_points, polar_points};
    const int counts[] = {N_PATH_POINTS, N_POLAR_POINTS};
    for (int kind = 0; kind < 2; kind++) {
        actuator a = path_make(kind ? PATH_POLAR : PATH_POINTS);
        for (int i = 0; i < counts[kind]; i++) {
            const double *p = tables[kind] + 3 * i;
            double x = kind ? p[1] * cos(p[2]) : p[1], y = kind ? p[1] * sin(p[2]) : p[2];
            route_point at = actuator_route(&a, p[0]);
            CHECK_NEAR(hypot(at.r.x - x, at.r.y - y), 0.0, 1e-17);
            if (i == 0) continue;
            route_point before = actuator_route(&a, p[0] - 1e-12);
            CHECK_NEAR(distance(at.r_s, before.r_s), 0.0, 1e-10);
        }
    }
}

// The points of random paths, uneven and with plateaus.
static void random_points(unsigned *seed, int n, double *points) {
    double s = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            *seed = *seed * 1664525u + 1013904223u;
            double x = (*seed >> 8) / 16777216.0;
            if (k == 0) s += i ? 1e-3 + x * x * x * x : 0.0;
            points[3 * i + k] = k == 0 ? s : i > 0 && x > 0.8 ? points[3 * (i - 1) + k] : x;
        }
}

static double polar_radius(route_point at) {
    return hypot(at.r.x, at.r.y);
}

static void a_path_stays_between_its_points(void **state) {
    (void)state;
    unsigned seed = 5;
    for (int trial = 0; trial < 200; trial++) {
        double points[3 * 7];
        const int n = 2 + trial % 6;
        random_points(&seed, n, points);
        td_tendon_def d = {.routing = TD_ROUTING_POINTS, .points = points, .n_points = n};
        td_tendon_def polar = d;
        polar.routing = TD_ROUTING_POLAR;
        for (int i = 0; i + 1 < n; i++)
            for (int k = 0; k <= 20; k++) {
                const double *p = points + 3 * i;
                const double s = fmin(p[0] + (p[3] - p[0]) * k / 20.0, p[3]);
                route_point at = tendon_route(&d, s);
                CHECK_BETWEEN(at.r.x, fmin(p[1], p[4]) - 1e-15, fmax(p[1], p[4]) + 1e-15);
                CHECK_BETWEEN(at.r.y, fmin(p[2], p[5]) - 1e-15, fmax(p[2], p[5]) + 1e-15);
                CHECK_BETWEEN(polar_radius(tendon_route(&polar, s)), fmin(p[1], p[4]) - 1e-15,
                              fmax(p[1], p[4]) + 1e-15);
            }
    }
}

static void two_polar_points_are_a_helix(void **state) {
    (void)state;
    actuator helix = path_make(PATH_HELIX);
    const double turn = 2.0 * 3.14159265358979323846;
    const double points[] = {0.0, 0.008, 0.4, PATH_SPAN, 0.008, 0.4 + 1.5 * turn};
    td_tendon_def d = {.routing = TD_ROUTING_POLAR, .points = points, .n_points = 2};
    for (double s = 0.0; s < PATH_SPAN; s += 0.007) {
        route_point at = tendon_route(&d, s), want = actuator_route(&helix, s);
        CHECK_NEAR(distance(at.r, want.r), 0.0, 1e-16);
        CHECK_NEAR(distance(at.r_s, want.r_s), 0.0, 1e-15);
        CHECK_NEAR(distance(at.r_ss, want.r_ss), 0.0, 1e-13);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_of_every_path_are_its_derivatives),
        cmocka_unit_test(a_straight_path_goes_from_offset_to_offset),
        cmocka_unit_test(a_helix_keeps_its_radius_and_makes_its_turns),
        cmocka_unit_test(paths_reproduce_what_their_points_can_tell),
        cmocka_unit_test(paths_converge_with_order_three_and_with_two_where_they_turn),
        cmocka_unit_test(paths_pass_their_points_with_continuous_slope),
        cmocka_unit_test(a_path_stays_between_its_points),
        cmocka_unit_test(two_polar_points_are_a_helix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
