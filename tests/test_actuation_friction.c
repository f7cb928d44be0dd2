// How much a path turns, against geometry in space; friction on edges, against closed forms of the
// capstan.
#include <string.h>

#include "actuation/friction.h"
#include "math/interpolate.h"
#include "math/quadrature.h"
#include "paths.h"
#include "spatial.h"

#define PI 3.14159265358979323846

static const vec3 none = {0.0, 0.0, 0.0}, along = {0.0, 0.0, 1.0};

static double turning_of(const actuator *a, double s, vec6 x, vec6 x_s, double smooth) {
    route_point at = actuator_route(a, s);
    return path_turning(&at, x.a, x.l, x_s.a, x_s.l, smooth, NULL, NULL);
}

// ---------------------------------------------------------------- turning
// A helix of radius r on a straight rod climbs at the angle atan(r k) and turns by k ds sin(that).
static void a_helix_turns_as_in_the_closed_form(void **state) {
    (void)state;
    const double turns[3] = {0.5, 1.0, 2.0}, total[3] = {0.2622707015, 1.0382845171, 3.9928098728};
    actuator a = path_make(PATH_HELIX);
    for (int i = 0; i < 3; i++) {
        a.path.turns = turns[i];
        double k = 2.0 * PI * turns[i] / 0.3, exact = k * sin(atan(0.008 * k));
        double rate = turning_of(&a, 0.17, (vec6){none, along}, vec6_zero(), 0.0);
        CHECK_NEAR(rate, exact, 1e-14);
        CHECK_NEAR(0.3 * rate, total[i], 1e-10);
    }
}

static void a_parallel_tendon_turns_with_its_rod(void **state) {
    (void)state;
    actuator a = path_make(PATH_PARALLEL);
    vec6 bent = {{3.0, -4.0, 0.0}, along}, faster = {{1.0, 2.0, 0.0}, none};
    CHECK_NEAR(turning_of(&a, 0.1, bent, faster, 0.0), 5.0, 1e-15);
}

// A rod that winds round a straight tendon: a helix, with the tendon on the axis of its screw.
static void a_tendon_on_the_axis_of_a_screw_does_not_turn(void **state) {
    (void)state;
    const double bend = 30.0, twist = 20.0;
    actuator a = path_make(PATH_PARALLEL);
    a.path.offset[0] = a.path.offset_end[0] = bend / (bend * bend + twist * twist);
    a.path.offset[1] = a.path.offset_end[1] = 0.0;
    vec6 screw = {{0.0, bend, twist}, along};
    CHECK_NEAR(turning_of(&a, 0.1, screw, vec6_zero(), 0.0), 0.0, 1e-14);
}

// The tangent in space after a small step d from s, in the frame of the section at s.
static vec3 tangent_near(const actuator *a, double s, double d) {
    vec6 psi = se3_magnus6(d, strain_at(s + d * MAGNUS6_C1), strain_at(s + d * MAGNUS6_C2),
                           strain_at(s + d * MAGNUS6_C3));
    mat3 R = so3_exp(psi.a);
    route_point at = actuator_route(a, s + d);
    vec6 x = strain_at(s + d);
    vec3 g = vec3_add(vec3_add(x.l, vec3_cross(x.a, at.r)), at.r_s);
    return mat3_mul_vec(&R, vec3_scale(g, 1.0 / vec3_norm(g)));
}

static void turning_is_the_rate_of_the_tangent_in_space(void **state) {
    (void)state;
    const double h = 1e-4;
    for (int kind = 0; kind < PATH_CHAMBER; kind++) {
        actuator a = path_make((path_kind)kind);
        for (double s = 0.013; s < PATH_SPAN; s += 0.037) {
            vec3 change = vec3_sub(tangent_near(&a, s, h), tangent_near(&a, s, -h));
            double rate = turning_of(&a, s, strain_at(s), strain_slope_at(s), 0.0);
            CHECK_NEAR(rate, vec3_norm(change) / (2.0 * h), 1e-5 * rate);
        }
    }
}

static double turning_at(const route_point *at, const double x[12], double smooth) {
    return path_turning(at, vec3_load(x), vec3_load(x + 3), vec3_load(x + 6), vec3_load(x + 9),
                        smooth, NULL, NULL);
}

static void derivatives_of_the_turning_match_differences(void **state) {
    (void)state;
    const double h = 1e-5, smooth[2] = {0.0, 5.0};
    for (int kind = 0; kind < PATH_CHAMBER; kind++) {
        actuator a = path_make((path_kind)kind);
        route_point at = actuator_route(&a, 0.13);
        double x[12], exact[12];
        vec6_store(x, strain_at(0.13));
        vec6_store(x + 6, strain_slope_at(0.13));
        for (int k = 0; k < 2; k++) {
            vec6 by_strain, by_slope;
            path_turning(&at, vec3_load(x), vec3_load(x + 3), vec3_load(x + 6), vec3_load(x + 9),
                         smooth[k], &by_strain, &by_slope);
            vec6_store(exact, by_strain);
            vec6_store(exact + 6, by_slope);
            for (int i = 0; i < 12; i++) {
                double high[12], low[12];
                for (int j = 0; j < 12; j++) high[j] = low[j] = x[j];
                high[i] += h, low[i] -= h;
                double d = turning_at(&at, high, smooth[k]) - turning_at(&at, low, smooth[k]);
                CHECK_NEAR(exact[i], d / (2.0 * h), 1e-8);
            }
        }
    }
}

static void smoothing_rounds_the_corner_at_zero_and_fades_beyond(void **state) {
    (void)state;
    actuator a = path_make(PATH_PARALLEL);
    const double e = 0.01;
    vec6 tiny = {{1e-9, 0.0, 0.0}, along}, small = {{0.02, 0.0, 0.0}, along};
    vec6 large = {{10.0, 0.0, 0.0}, along};
    CHECK_NEAR(turning_of(&a, 0.1, tiny, vec6_zero(), e), 0.5e-18 / e, 1e-28);
    CHECK_NEAR(turning_of(&a, 0.1, small, vec6_zero(), e), (sqrt(5.0) - 1.0) * e, 1e-17);
    CHECK_NEAR(turning_of(&a, 0.1, large, vec6_zero(), e), 10.0 - e, 1e-5);
}

static void straight_and_collapsed_paths_have_finite_derivatives(void **state) {
    (void)state;
    actuator a = path_make(PATH_PARALLEL);
    route_point at = actuator_route(&a, 0.1);
    vec6 by_strain, by_slope;
    double rate = path_turning(&at, none, along, none, none, 0.0, &by_strain, &by_slope);
    assert_true(rate == 0.0);
    assert_true(vec6_dot(by_strain, by_strain) == 0.0 && vec6_dot(by_slope, by_slope) == 0.0);
    rate = path_turning(&at, none, none, along, along, 0.0, &by_strain, &by_slope);
    assert_true(isfinite(rate) && vec6_is_finite(by_strain) && vec6_is_finite(by_slope));
}

// ---------------------------------------------------------------- one edge
static const actuator rope = {.friction = 0.3, .presliding = 1e-5};

static void sliding_edges_obey_the_capstan_law_both_ways(void **state) {
    (void)state;
    edge in = friction_edge(&rope, 1.2, (sliding){.slip = 1.0}, 0.0, 1.0);
    edge out = friction_edge(&rope, 1.2, (sliding){.slip = -1.0}, 0.0, 1.0);
    CHECK_NEAR(in.factor, exp(-0.36), 1e-16);
    CHECK_NEAR(out.factor, exp(0.36), 3e-16);
    assert_true(in.grip == 1.0 && out.grip == -1.0);
    assert_true(in.by_slip == 0.0 && out.by_slip == 0.0);
    CHECK_NEAR(friction_edge(&rope, -1e-3, (sliding){.slip = 1.0}, 0.0, 1.0).factor, 1.0, 0.0);
}

static sliding at_speed(double slip, double c0) {
    return (sliding){slip, c0 * slip + 1e-3 * c0, c0};
}

static void edge_derivatives_match_differences(void **state) {
    (void)state;
    actuator a = rope;
    a.viscous = 5.0;
    const double slips[3] = {2e-6, -6e-6, 4e-5}, h = 1e-9;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            const double c0 = 100.0 * k, phi = 0.7, slip = slips[i];
            const sliding s = at_speed(slip, c0);
            edge e = friction_edge(&a, phi, s, 0.2, 2.0);
            double by_slip = friction_edge(&a, phi, at_speed(slip + h, c0), 0.2, 2.0).factor -
                             friction_edge(&a, phi, at_speed(slip - h, c0), 0.2, 2.0).factor;
            double by_turning = friction_edge(&a, phi + h, s, 0.2, 2.0).factor -
                                friction_edge(&a, phi - h, s, 0.2, 2.0).factor;
            CHECK_NEAR(e.by_slip, by_slip / (2.0 * h), 1e-3);
            CHECK_NEAR(e.by_turning, by_turning / (2.0 * h), 1e-6);
        }
}

static void the_viscous_part_needs_time_and_grows_with_speed(void **state) {
    (void)state;
    actuator a = {.viscous = 5.0, .presliding = 1e-5};
    const sliding still = {.slip = 1e-3}, in = {1e-3, 0.1, 100.0}, out = {-1e-3, -0.1, 100.0};
    CHECK_NEAR(friction_edge(&a, 0.7, still, 0.0, 1.0).factor, 1.0, 0.0);
    CHECK_NEAR(friction_edge(&a, 0.7, in, 0.0, 1.0).factor, exp(-5.0 * 0.1 * 0.7), 1e-16);
    CHECK_NEAR(friction_edge(&a, 0.7, out, 0.0, 1.0).factor, exp(5.0 * 0.1 * 0.7), 1e-15);
    edge wild = friction_edge(&a, 1e3, (sliding){-1e6, -1e12, 1e6}, 0.0, 1.0);
    assert_true(isfinite(wild.factor) && isfinite(wild.by_slip) && isfinite(wild.by_turning));
}

static double grip_after(double grip, double slip, int steps) {
    for (int i = 0; i < steps; i++)
        grip = friction_edge(&rope, 0.5, (sliding){.slip = slip / steps}, grip, 1.0).grip;
    return grip;
}

static void memory_does_not_depend_on_the_number_of_steps(void **state) {
    (void)state;
    const double path[5] = {3e-5, -8e-6, 1.1e-5, -4e-5, 1.7e-5};
    double one = 0.0, many = 0.0;
    for (int i = 0; i < 5; i++) {
        one = grip_after(one, path[i], 1);
        many = grip_after(many, path[i], 1000);
        CHECK_NEAR(one, many, 1e-12);
        CHECK_NEAR(grip_after(one, 0.0, 10), one, 0.0);  // held: no creep
    }
    CHECK_NEAR(one, 0.7, 1e-12);
}

// One edge with tension T before it, moved to and fro by S: presliding is given back, so that a
// cycle dissipates (q+ - q-)(2 S - 2 presliding), q = T (1 - factor) at either end of the grip.
static void a_cycle_dissipates_the_area_of_its_loop(void **state) {
    (void)state;
    const double T = 5.0, phi = 0.8, S = 4e-5;
    const int steps = 4000;
    double grip = 1.0, area = 0.0, q_before = T * (1.0 - exp(-0.3 * phi));
    for (int i = 0; i < 2 * steps; i++) {
        double slip = (i < steps ? -2.0 : 2.0) * S / steps;
        edge e = friction_edge(&rope, phi, (sliding){.slip = slip}, grip, 1.0);
        double q = T * (1.0 - e.factor);
        area += 0.5 * (q + q_before) * slip;
        grip = e.grip, q_before = q;
    }
    double exact = T * (exp(0.3 * phi) - exp(-0.3 * phi)) * (2.0 * S - 2.0 * rope.presliding);
    CHECK_NEAR(area, exact, 1e-6 * exact);
}

// ---------------------------------------------------------------- a tendon of edges
enum { MOST_NODES = 12 };

// On n Gauss nodes of (0, 1): weights, and the integral from 0 to each node.
typedef struct gauss_rule {
    int n;
    double x[MOST_NODES], b[MOST_NODES], A[MOST_NODES * MOST_NODES];
} gauss_rule;

static gauss_rule gauss_rule_of(int n) {
    gauss_rule g = {.n = n};
    double w[MOST_NODES];
    gauss_legendre(n, g.x, g.b);
    barycentric_weights(n, g.x, w);
    integration_matrix(n, g.x, w, n, g.x, g.A);
    return g;
}

// Half a circle, length 0.3 m, EA = 20 kN, of a shape that does not move: only the stretch of the
// tendon slips, 0.15 mm in all, and a presliding length far below it is as good as none.
typedef struct circle {
    gauss_rule g;
    actuator a;
    double phi[MOST_NODES];  // of the edge before each node
    double tau[MOST_NODES], grip[MOST_NODES];
    double T0;
    double slip[MOST_NODES + 1];  // of the edges since the last pull; none behind the last node
} circle;

static circle circle_of(int n) {
    circle c = {.g = gauss_rule_of(n), .a = {.friction = 0.3, .presliding = 1e-13}};
    actuator path = path_make(PATH_PARALLEL);
    double rate = turning_of(&path, 0.1, (vec6){{0.0, PI / 0.3, 0.0}, along}, vec6_zero(), 0.0);
    double before = 0.0;
    for (int i = 0; i < n; i++) {
        double upto = 0.0;
        for (int j = 0; j < n; j++) upto += c.g.A[i * n + j] * 0.3 * rate;
        c.phi[i] = upto - before;
        before = upto;
    }
    return c;
}

// The slip of an edge is the stretch of the tendon beyond it, so that two of them tell the tension
// between.
static double circle_tension(const circle *c, int i) {
    if (i < 0) return c->T0;
    return c->tau[i] + 20e3 * (c->slip[i] - c->slip[i + 1]) / (0.3 * c->g.b[i]);
}

// The slip of one edge for which the tensions before and behind it obey the law, with those of its
// neighbours held: by bisection, for the misfit grows with the slip. Returns the new grip.
static double circle_relax(circle *c, int i) {
    double low = -1e-3, high = 1e-3, grip = 0.0;
    while (high - low > 1e-21) {
        c->slip[i] = 0.5 * (low + high);
        if (c->slip[i] == low || c->slip[i] == high) break;
        edge e = friction_edge(&c->a, c->phi[i], (sliding){.slip = c->slip[i]}, c->grip[i], 1.0);
        grip = e.grip;
        if (circle_tension(c, i) < e.factor * circle_tension(c, i - 1)) low = c->slip[i];
        else high = c->slip[i];
    }
    return grip;
}

// Each misfit grows with its own slip and falls with the neighbours': sweeps always converge.
static void circle_pull(circle *c, double T0) {
    double tau[MOST_NODES], grip[MOST_NODES], change = 1.0;
    memset(c->slip, 0, sizeof c->slip);
    c->T0 = T0;
    for (int sweeps = 0; change > 1e-17; sweeps++) {
        assert_true(sweeps < 10000);
        change = 0.0;
        for (int i = c->g.n - 1; i >= 0; i--) {
            double before = c->slip[i];
            grip[i] = circle_relax(c, i);
            change = fmax(change, fabs(c->slip[i] - before));
        }
    }
    for (int i = 0; i < c->g.n; i++) tau[i] = circle_tension(c, i);
    for (int i = 0; i < c->g.n; i++) c->tau[i] = tau[i], c->grip[i] = grip[i];
}

static void reversals_on_a_circle_leave_fronts_where_exponentials_cross(void **state) {
    (void)state;
    const int sizes[3] = {3, 6, 12};
    const double mu = 0.3, front = log(10.0 / 6.0) / (2.0 * mu);
    CHECK_NEAR(front, 0.85137604, 5e-9);
    for (int k = 0; k < 3; k++) {
        circle c = circle_of(sizes[k]);
        circle_pull(&c, 10.0);
        for (int i = 0; i < c.g.n; i++) CHECK_NEAR(c.tau[i], 10.0 * exp(-mu * PI * c.g.x[i]), 1e-8);
        circle_pull(&c, 6.0);
        for (int i = 0; i < c.g.n; i++) {
            double th = PI * c.g.x[i], before = i > 0 ? PI * c.g.x[i - 1] : 0.0;
            CHECK_NEAR(c.tau[i], fmin(10.0 * exp(-mu * th), 6.0 * exp(mu * th)), 1e-6);
            if (th < front) assert_true(c.grip[i] == -1.0);
            if (before < front && th > front) CHECK_BETWEEN(c.grip[i], -0.999, 0.999);
            if (before > front) CHECK_NEAR(c.grip[i], 1.0, 1e-4);
        }
        circle_pull(&c, 8.0);
        for (int i = 0; i < c.g.n; i++) {
            double th = PI * c.g.x[i];
            double released = fmin(10.0 * exp(-mu * th), 6.0 * exp(mu * th));
            CHECK_NEAR(c.tau[i], fmax(released, 8.0 * exp(-mu * th)), 1e-6);
        }
    }
}

// A planar rod without weight bends by u = a tau, so that tau' = -mu a tau^2 while it is pulled:
// tau = T/(1 + mu a T s), and the angle of the tip is ln(1 + mu a T L)/mu. Nitinol 60 GPa, radius
// 0.7 mm, L = 0.3 m, offset 8 mm.
static void a_pulled_rod_reaches_the_closed_form(void **state) {
    (void)state;
    const double EI = 60e9 * PI * pow(0.7e-3, 4) / 4.0, a = 0.008 / EI, mu = 0.3, T = 5.0;
    gauss_rule g = gauss_rule_of(8);
    actuator path = path_make(PATH_PARALLEL);
    double tau[8], rate[8], angle = 0.0;
    for (int i = 0; i < 8; i++) tau[i] = T;
    for (int round = 0; round < 60; round++) {
        double before = T, upto_before = 0.0;
        for (int i = 0; i < 8; i++)
            rate[i] =
                turning_of(&path, 0.1, (vec6){{0.0, a * tau[i], 0.0}, along}, vec6_zero(), 0.0);
        for (int i = 0; i < 8; i++) {
            double upto = 0.0;
            for (int j = 0; j < 8; j++) upto += 0.3 * g.A[8 * i + j] * rate[j];
            before *=
                friction_edge(&rope, upto - upto_before, (sliding){.slip = 1e-3}, 0.0, 1.0).factor;
            tau[i] = before, upto_before = upto;
        }
    }
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR(tau[i], T / (1.0 + mu * a * T * 0.3 * g.x[i]), 1e-9);
        angle += 0.3 * g.b[i] * a * tau[i];
    }
    CHECK_NEAR(angle, 0.920833194566, 1e-11);
    CHECK_NEAR(angle, log(1.0 + mu * a * T * 0.3) / mu, 1e-11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_helix_turns_as_in_the_closed_form),
        cmocka_unit_test(a_parallel_tendon_turns_with_its_rod),
        cmocka_unit_test(a_tendon_on_the_axis_of_a_screw_does_not_turn),
        cmocka_unit_test(turning_is_the_rate_of_the_tangent_in_space),
        cmocka_unit_test(derivatives_of_the_turning_match_differences),
        cmocka_unit_test(smoothing_rounds_the_corner_at_zero_and_fades_beyond),
        cmocka_unit_test(straight_and_collapsed_paths_have_finite_derivatives),
        cmocka_unit_test(sliding_edges_obey_the_capstan_law_both_ways),
        cmocka_unit_test(edge_derivatives_match_differences),
        cmocka_unit_test(the_viscous_part_needs_time_and_grows_with_speed),
        cmocka_unit_test(memory_does_not_depend_on_the_number_of_steps),
        cmocka_unit_test(a_cycle_dissipates_the_area_of_its_loop),
        cmocka_unit_test(reversals_on_a_circle_leave_fronts_where_exponentials_cross),
        cmocka_unit_test(a_pulled_rod_reaches_the_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
