// Lengths and volumes, and what their efforts do to a rod: against the geometry of the deformed
// rod, closed forms and differences.
#include "math/quadrature.h"
#include "paths.h"
#include "spatial.h"

static density density_of(const actuator *a, double s, vec6 strain) {
    route_point at = actuator_route(a, s);
    return actuator_density(a, &at, strain.a, strain.l);
}

static density counted_of(const actuator *a, double s, vec6 strain) {
    route_point at = actuator_route(a, s);
    return actuator_counted(a, &at, strain.a, strain.l);
}

typedef density (*density_function)(const actuator *a, double s, vec6 strain);

static vec6 nudged(vec6 strain, int i, double h) {
    double x[6];
    vec6_store(x, strain);
    x[i] += h;
    return vec6_load(x);
}

// ---------------------------------------------------------------- derivatives
static void check_slope(density_function f, const actuator *a, double s) {
    const double h = 1e-5;
    vec6 strain = strain_at(s);
    double slope[6], scale = a->area > 0.0 ? a->area : 1.0;
    vec6_store(slope, f(a, s, strain).slope);
    for (int i = 0; i < 6; i++) {
        double high = f(a, s, nudged(strain, i, h)).value;
        double low = f(a, s, nudged(strain, i, -h)).value;
        CHECK_NEAR(slope[i], (high - low) / (2.0 * h), 1e-10 * scale);
    }
}

static void slopes_are_derivatives_of_the_density(void **state) {
    (void)state;
    for (int kind = 0; kind < N_PATHS; kind++) {
        actuator a = path_make((path_kind)kind);
        for (double s = 0.0; s < PATH_SPAN; s += 0.037) {
            check_slope(density_of, &a, s);
            check_slope(counted_of, &a, s);
            a.path_volume = kind == PATH_CHAMBER;
            check_slope(counted_of, &a, s);
        }
    }
}

static void curvature_is_the_derivative_of_the_slope(void **state) {
    (void)state;
    const double h = 1e-5, factor = 3.0;
    for (int kind = 0; kind < N_PATHS; kind++) {
        actuator a = path_make((path_kind)kind);
        for (double s = 0.0; s < PATH_SPAN; s += 0.037) {
            route_point at = actuator_route(&a, s);
            vec6 strain = strain_at(s);
            double m[36], high[6], low[6];
            for (int i = 0; i < 36; i++) m[i] = i;
            actuator_add_curvature(&a, &at, strain.a, strain.l, factor, m);
            for (int j = 0; j < 6; j++) {
                vec6_store(high, density_of(&a, s, nudged(strain, j, h)).slope);
                vec6_store(low, density_of(&a, s, nudged(strain, j, -h)).slope);
                for (int i = 0; i < 6; i++)
                    CHECK_NEAR(m[6 * i + j] - (6 * i + j), factor * (high[i] - low[i]) / (2.0 * h),
                               1e-9);
            }
        }
    }
}

// A tendon that only gets longer keeps its direction, hence its wrench.
static void stretch_along_the_path_has_no_curvature(void **state) {
    (void)state;
    actuator a = path_make(PATH_HELIX);
    route_point at = actuator_route(&a, 0.1);
    vec6 strain = strain_at(0.1);
    double m[36] = {0.0};
    density d = actuator_density(&a, &at, strain.a, strain.l);
    density_add_curvature(&a, &at, &d, 1.0, m);
    for (int i = 0; i < 6; i++) {
        vec3 row = vec3_load(m + 6 * i + 3);
        CHECK_NEAR(vec3_dot(row, d.slope.l), 0.0, 1e-15);
        for (int j = 0; j < 6; j++) assert_true(m[6 * i + j] == m[6 * j + i]);
    }
}

static void a_collapsed_path_stays_finite(void **state) {
    (void)state;
    actuator a = path_make(PATH_PARALLEL);
    route_point at = actuator_route(&a, 0.1);
    double m[36] = {0.0};
    density d = actuator_density(&a, &at, vec3_zero(), vec3_zero());
    density_add_curvature(&a, &at, &d, 1.0, m);
    assert_true(isfinite(d.value) && vec6_is_finite(d.slope));
    for (int i = 0; i < 36; i++) assert_true(isfinite(m[i]));
}

// ---------------------------------------------------------------- geometry
// The integral of the density over the path, by Gauss quadrature between the points of a path.
static double integral(const actuator *a, density_function f) {
    double x[16], w[16], sum = 0.0;
    gauss_legendre(16, x, w);
    for (int i = 0; i + 1 < N_PATH_POINTS; i++) {
        double s0 = path_points[3 * i], h = path_points[3 * i + 3] - s0;
        for (int k = 0; k < 16; k++)
            sum += h * w[k] * f(a, s0 + h * x[k], strain_at(s0 + h * x[k])).value;
    }
    return sum;
}

// The frame of the rod after a small step.
static se3 walked(const se3 *T, double s, double d) {
    se3 step = se3_exp(se3_magnus6(d, strain_at(s + d * MAGNUS6_C1), strain_at(s + d * MAGNUS6_C2),
                                   strain_at(s + d * MAGNUS6_C3)));
    return se3_mul(T, &step);
}

typedef struct polygon {  // inscribed in the path in space
    double length;        // of its sides
    double volume;        // swept by the section's area: sides along the normal of the section
} polygon;

static polygon inscribed(const actuator *a, int n) {
    double d = PATH_SPAN / n;
    se3 T = se3_identity();
    vec3 before = se3_mul_point(&T, actuator_route(a, 0.0).r);
    polygon sum = {0.0, 0.0};
    for (int i = 0; i < n; i++) {
        se3 middle = walked(&T, i * d, 0.5 * d);
        T = walked(&T, i * d, d);
        vec3 point = se3_mul_point(&T, actuator_route(a, (i + 1) * d).r);
        vec3 side = vec3_sub(point, before);
        sum.length += vec3_norm(side);
        sum.volume += a->area * vec3_dot(side, mat3_column(&middle.R, 2));
        before = point;
    }
    return sum;
}

// Error h^2: the next one with half the sides takes it out.
static polygon extrapolated(const actuator *a) {
    polygon p = inscribed(a, 1500), q = inscribed(a, 3000);
    return (polygon){(4.0 * q.length - p.length) / 3.0, (4.0 * q.volume - p.volume) / 3.0};
}

static void the_integral_is_the_length_of_the_path_in_space(void **state) {
    (void)state;
    for (int kind = 0; kind < PATH_CHAMBER; kind++) {
        actuator a = path_make((path_kind)kind);
        CHECK_NEAR(integral(&a, density_of), extrapolated(&a).length, 1e-12);
    }
}

static void the_integral_is_the_volume_swept_by_the_section(void **state) {
    (void)state;
    actuator a = path_make(PATH_CHAMBER);
    polygon p = extrapolated(&a);
    CHECK_NEAR(integral(&a, density_of), p.volume, 1e-12 * a.area);
    CHECK_NEAR(integral(&a, counted_of), p.volume, 1e-12 * a.area);
    a.path_volume = true;
    CHECK_NEAR(integral(&a, counted_of), a.area * p.length, 1e-12 * a.area);
    assert_true(a.area * p.length > 1.0001 * p.volume);  // the rod shears
}

// A bend about y to the radius 1/k carries a chamber at +x on the radius 1/k - x.
static void a_bent_chamber_obeys_pappus(void **state) {
    (void)state;
    actuator a = path_make(PATH_CHAMBER);
    const double k = 12.0, x = a.path.offset[0];
    vec6 bent = {{0.0, k, 0.0}, {0.0, 0.0, 1.0}};
    CHECK_NEAR(density_of(&a, 0.1, bent).value, a.area * k * (1.0 / k - x), 1e-19);
    a.path_volume = true;
    CHECK_NEAR(counted_of(&a, 0.1, bent).value, a.area * k * (1.0 / k - x), 1e-19);
}

// ---------------------------------------------------------------- wrenches
// Tension pulls along the path, with the moment of that force about the axis.
static void a_tendon_pulls_with_a_unit_force_at_its_path(void **state) {
    (void)state;
    for (int kind = 0; kind < PATH_CHAMBER; kind++) {
        actuator a = path_make((path_kind)kind);
        density d = density_of(&a, 0.2, strain_at(0.2));
        vec3 r = actuator_route(&a, 0.2).r;
        CHECK_NEAR(vec3_norm(d.slope.l), 1.0, 4e-16);
        CHECK_NEAR(vec3_norm(vec3_sub(d.slope.a, vec3_cross(r, d.slope.l))), 0.0, 1e-18);
    }
}

// Pressure on the end wall: P A along the section's normal, at the offset; the work of a change of
// strain is pressure times change of volume, also for large ones.
static void a_chamber_pushes_with_its_area_and_does_work_p_dv(void **state) {
    (void)state;
    actuator a = path_make(PATH_CHAMBER);
    const double P = 5e4;
    vec6 one = strain_at(0.03), two = strain_at(0.21);
    density d = density_of(&a, 0.1, one), e = density_of(&a, 0.1, two);
    vec3 force = vec3_scale(d.slope.l, P), moment = vec3_scale(d.slope.a, P);
    CHECK_NEAR(vec3_norm(vec3_sub(force, vec3_make(0.0, 0.0, P * a.area))), 0.0, 1e-15);
    CHECK_NEAR(moment.x, P * a.area * a.path.offset[1], 1e-17);
    CHECK_NEAR(moment.y, -P * a.area * a.path.offset[0], 1e-17);
    double work = P * vec6_dot(d.slope, vec6_sub(two, one));
    CHECK_NEAR(work, P * (e.value - d.value), 1e-15);
    assert_true(fabs(work) > 1e-3);
    double m[36] = {0.0};
    density_add_curvature(&a, &(route_point){.r = {0.006, -0.003, 0.0}}, &d, 1.0, m);
    for (int i = 0; i < 36; i++) assert_true(m[i] == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_derivatives_of_the_density),
        cmocka_unit_test(curvature_is_the_derivative_of_the_slope),
        cmocka_unit_test(stretch_along_the_path_has_no_curvature),
        cmocka_unit_test(a_collapsed_path_stays_finite),
        cmocka_unit_test(the_integral_is_the_length_of_the_path_in_space),
        cmocka_unit_test(the_integral_is_the_volume_swept_by_the_section),
        cmocka_unit_test(a_bent_chamber_obeys_pappus),
        cmocka_unit_test(a_tendon_pulls_with_a_unit_force_at_its_path),
        cmocka_unit_test(a_chamber_pushes_with_its_area_and_does_work_p_dv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
