// Statics of one rod against closed forms.
#include "rods.h"

#include <string.h>

#define PI 3.14159265358979323846

static const double L = 0.4, E = 207e9, G = 79e9, r = 1e-3;

static double EI(void) {
    return E * PI * r * r * r * r / 4.0;
}

static td_options options_with(td_theory theory, int steps) {
    td_options o = scheme_options();
    o.theory = theory;
    o.steps = steps;
    o.tolerance = 1e-13;
    return o;
}

static td_robot *steel_robot(void) {
    td_piece_def piece = steel_piece();
    return rod_robot(&piece, 1);
}

// ---------------------------------------------------------------- closed forms
static void full_circle_moment_closes_the_rod(void **unused) {
    (void)unused;
    // RK4 on the quaternion: |error| ~ L (2 pi/N)^4/120/... falls as N^-4; 400 steps are enough
    td_robot *robot = steel_robot();
    add_tip_moment(robot, L, 0.0, 2.0 * PI * EI() / L, 0.0);
    td_options o = options_with(TD_COSSERAT, 400);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose tip = tip_of(&w);
    for (int i = 0; i < 3; i++) CHECK_NEAR(tip.p[i], 0.0, 1e-10 * L);
    CHECK_NEAR(fabs(tip.q[0]), 1.0, 1e-10);
    td_pose half = td_get_pose(w.system, w.state, 0, 0.5 * L);
    CHECK_NEAR(half.p[0], L / PI, 1e-10);  // the circle's diameter
    CHECK_NEAR(half.p[2], 0.0, 1e-10);
    world_free(&w);
}

static void small_tip_force_gives_beam_deflection(void **unused) {
    (void)unused;
    // F L^3/(3 EI) (Kirchhoff), plus F L/(GA) for the Cosserat rod (Timoshenko)
    double F = 1e-4, A = PI * r * r;
    double bending = F * L * L * L / (3.0 * EI()), shear = F * L / (G * A);
    const td_theory theories[2] = {TD_KIRCHHOFF, TD_COSSERAT};
    double tip_x[2];
    for (int k = 0; k < 2; k++) {
        td_robot *robot = steel_robot();
        add_tip_force(robot, L, F, 0.0, 0.0);
        td_options o = options_with(theories[k], 100);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        tip_x[k] = tip_of(&w).p[0];
        world_free(&w);
    }
    // large-deflection correction of the elastica is 6/35 (F L^2/EI)^2... relative 1e-9 here
    CHECK_NEAR(tip_x[0] / bending, 1.0, 1e-8);
    CHECK_NEAR((tip_x[1] - tip_x[0]) / shear, 1.0, 1e-5);
}

static void short_thick_rod_shows_timoshenko_shear(void **unused) {
    (void)unused;
    // L/r = 4: shear is a large part of the deflection
    td_piece_def piece = steel_piece();
    piece.length = 0.04;
    piece.section.radius = piece.section_end.radius = 0.01;
    piece.shear_factor = 0.9;
    td_robot *robot = rod_robot(&piece, 1);
    double F = 1.0, l = 0.04, a = PI * 1e-4, I = PI * 1e-8 / 4.0;
    add_tip_force(robot, l, F, 0.0, 0.0);
    td_options o = options_with(TD_COSSERAT, 50);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double expected = F * l * l * l / (3.0 * E * I) + F * l / (0.9 * G * a);
    CHECK_NEAR(tip_of(&w).p[0] / expected, 1.0, 1e-8);
    world_free(&w);
}

static void axial_force_stretches_and_torque_twists(void **unused) {
    (void)unused;
    double F = 50.0, T = 0.02, A = PI * r * r, Jt = PI * r * r * r * r / 2.0;
    td_robot *robot = steel_robot();
    add_tip_force(robot, L, 0.0, 0.0, F);
    add_tip_moment(robot, L, 0.0, 0.0, T);
    td_options o = options_with(TD_COSSERAT, 20);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose tip = tip_of(&w);
    CHECK_NEAR((tip.p[2] - L) / (F * L / (E * A)), 1.0, 1e-9);
    CHECK_NEAR(2.0 * atan2(tip.q[3], tip.q[0]), T * L / (G * Jt), 1e-9);
    world_free(&w);
}

// ---------------------------------------------------------------- the elastica
// Cantilever with a dead transverse tip force F: with k^2 = F/EI and the tip angle a,
//     k L = K(p) - F(phi0, p),  p^2 = (1 + sin a)/2,  sin phi0 = 1/(p sqrt 2)
//     deflection/L = 1 - 2 (E(p) - E(phi0, p))/(k L),  reach/L = sqrt(2 sin a)/(k L)
// (Bisshopp & Drucker 1945). The elliptic integrals are summed here by Simpson's rule.
static double elliptic(double p, double from, double to, int kind) {
    const int n = 2000;
    double h = (to - from) / n, sum = 0.0;
    for (int i = 0; i <= n; i++) {
        double s = sin(from + i * h), root = sqrt(1.0 - p * p * s * s);
        double f = kind == 1 ? 1.0 / root : root;
        sum += f * (i == 0 || i == n ? 1.0 : i % 2 ? 4.0 : 2.0);
    }
    return sum * h / 3.0;
}

static void transverse_dead_force_gives_the_elastica(void **unused) {
    (void)unused;
    const double tip_angles[3] = {0.3, 0.9, 1.4};
    for (int i = 0; i < 3; i++) {
        double a = tip_angles[i], p = sqrt((1.0 + sin(a)) / 2.0);
        double phi0 = asin(1.0 / (p * sqrt(2.0)));
        double kL = elliptic(p, phi0, PI / 2.0, 1);
        double F = EI() * kL * kL / (L * L);
        double deflection = L * (1.0 - 2.0 * elliptic(p, phi0, PI / 2.0, 2) / kL);
        double reach = L * sqrt(2.0 * sin(a)) / kL;
        td_robot *robot = steel_robot();
        add_tip_force(robot, L, F, 0.0, 0.0);
        td_options o = options_with(TD_KIRCHHOFF, 200);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        td_pose tip = tip_of(&w);
        CHECK_NEAR(tip.p[0], deflection, 2e-9 * L);
        CHECK_NEAR(tip.p[2], reach, 2e-9 * L);
        CHECK_NEAR(2.0 * atan2(tip.q[2], tip.q[0]), a, 1e-8);
        world_free(&w);
    }
}

static void end_moment_with_axial_part_gives_a_helix(void **unused) {
    (void)unused;
    // A dead moment M on an unloaded isotropic rod is constant along it. With equal bending and
    // torsional stiffness the strain R'M/K turns the section about the fixed axis M at the rate
    // |M|/K, so the centreline is p(s) = integral of exp(s M^/K) e3: a helix about M.
    double K = EI(), Mx = 1.1 * K / L, Mz = 2.3 * K / L;
    td_piece_def piece = steel_piece();
    for (int i = 0; i < 3; i++) piece.stiffness[i] = K;
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_moment(robot, L, Mx, 0.0, Mz);
    td_options o = options_with(TD_KIRCHHOFF, 200);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double rate = sqrt(Mx * Mx + Mz * Mz) / K, nx = Mx / (K * rate), nz = Mz / (K * rate);
    for (int i = 1; i <= 4; i++) {
        double s = i * L / 4.0, angle = rate * s;
        // e3 = nz n + e3_perp;  e3_perp turns, n x e3 = (0, -nx, 0)
        double along = nz * s, turn = sin(angle) / rate, side = (1.0 - cos(angle)) / rate;
        double x = along * nx - nz * nx * turn;
        double z = along * nz + (1.0 - nz * nz) * turn;
        double y = -nx * side;
        td_pose pose = td_get_pose(w.system, w.state, 0, s);
        CHECK_NEAR(pose.p[0], x, 1e-10);
        CHECK_NEAR(pose.p[1], y, 1e-10);
        CHECK_NEAR(pose.p[2], z, 1e-10);
    }
    world_free(&w);
}

// ---------------------------------------------------------------- stability of the load path
static void compression_finds_eulers_load(void **unused) {
    (void)unused;
    double euler = PI * PI * EI() / (4.0 * L * L), P = 1.25 * euler;
    td_robot *robot = steel_robot();
    add_tip_force(robot, L, 0.0, 0.0, -P);
    td_options o = options_with(TD_KIRCHHOFF, 100);
    world w = world_make(robot, &o);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
    CHECK_NEAR(td_get_stats(w.state)->bifurcation * P / euler, 1.0, 1e-6);
    assert_non_null(strstr(td_message(w.state), "lost its stability"));
    world_free(&w);
}

static void far_beyond_eulers_load_it_is_still_reported(void **unused) {
    (void)unused;
    // also where further bifurcations (9, 25 times the load) lie between
    const double times[5] = {1.1, 2.0, 5.0, 10.0, 16.0};
    double euler = PI * PI * EI() / (4.0 * L * L);
    for (int i = 0; i < 5; i++) {
        td_robot *robot = steel_robot();
        add_tip_force(robot, L, 0.0, 0.0, -times[i] * euler);
        td_options o = options_with(TD_KIRCHHOFF, 100);
        o.tolerance = 1e-11;
        world w = world_make(robot, &o);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
        CHECK_NEAR(td_get_stats(w.state)->bifurcation * times[i], 1.0, 1e-4);
        world_free(&w);
    }
}

static void an_imperfect_column_hangs_where_it_falls(void **unused) {
    (void)unused;
    // silicone, 1.5 times the length that stands (Greenhill), with a side load of half a percent: it
    // must lean with the load and far down, not stand nearly upright against it
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.4;
    piece.youngs_modulus = 1e6, piece.shear_modulus = 0.336e6, piece.density = 1070.0;
    piece.section.radius = piece.section_end.radius = 0.01;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 0.05, 0.0, -9.81);
    td_options o = options_with(TD_COSSERAT, 100);
    o.tolerance = 1e-11;
    world w = world_make(robot, &o);
    td_status status = td_solve_statics(w.system, w.state);
    if (status < 0) print_error("%s\n", td_message(w.state));
    assert_int_equal(status, TD_OK);
    td_pose tip = tip_of(&w);
    // where a damped rod falls and comes to rest (backward Euler, 20 s)
    CHECK_NEAR(tip.p[0], 0.234, 2e-3);
    CHECK_NEAR(tip.p[2], -0.197, 2e-3);
    world_free(&w);
}

static void the_message_names_the_rod_that_buckles(void **unused) {
    (void)unused;
    td_error err = {0};
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_rod_def second = td_default_rod_def();
    second.name = "innocent", second.pieces = &piece, second.n_pieces = 1;
    CHECK_OK(td_robot_add_rod(robot, &second, &err), err);
    add_tip_force(robot, L, 0.0, 0.0, -1.5 * PI * PI * EI() / (4.0 * L * L));
    td_load_def load = point_load("light", L);
    load.rod = 1;
    set3(load.force, 0.1, 0.0, 0.0);
    add_load(robot, &load);
    td_options o = options_with(TD_KIRCHHOFF, 60);
    o.tolerance = 1e-11;
    world w = world_make(robot, &o);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
    assert_non_null(strstr(td_message(w.state), "rod 'rod'"));
    assert_null(strstr(td_message(w.state), "innocent"));
    world_free(&w);
}

static void below_eulers_load_nothing_is_reported(void **unused) {
    (void)unused;
    double euler = PI * PI * EI() / (4.0 * L * L);
    td_robot *robot = steel_robot();
    add_tip_force(robot, L, 0.0, 0.0, -0.98 * euler);
    td_options o = options_with(TD_COSSERAT, 100);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    world_free(&w);
}

static void heavy_column_buckles_at_greenhill_length(void **unused) {
    (void)unused;
    // Own weight: q L^3/EI = 7.8373 (first zero of J_(-1/3)); Greenhill 1881
    double weight = 8000.0 * PI * r * r * 9.81, critical = 7.837347438943 * EI() / (L * L * L);
    td_robot *robot = steel_robot();
    double factor = 1.3 * critical / weight;
    set_gravity(robot, 0.0, 0.0, -9.81 * factor);
    td_options o = options_with(TD_KIRCHHOFF, 100);
    world w = world_make(robot, &o);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
    CHECK_NEAR(td_get_stats(w.state)->bifurcation * 1.3, 1.0, 1e-6);
    world_free(&w);
}

// ---------------------------------------------------------------- order in space
static double tip_error(td_integrator integrator, int steps, double exact_x) {
    td_robot *robot = steel_robot();
    add_tip_force(robot, L, 2.0 * EI() / (L * L), 0.0, 0.5);
    set_gravity(robot, 0.0, -9.81, 0.0);
    td_options o = options_with(TD_COSSERAT, steps);
    o.integrator = integrator;
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double error = tip_of(&w).p[0] - exact_x;
    world_free(&w);
    return error;
}

static void euler_is_first_order_in_space(void **unused) {
    (void)unused;
    if (test_space != TD_SHOOTING) skip();
    double exact = tip_error(TD_RK4, 800, 0.0);
    double slope = log2(fabs(tip_error(TD_EULER, 200, exact) / tip_error(TD_EULER, 400, exact)));
    CHECK_BETWEEN(slope, 0.95, 1.05);
}

static void rk4_is_fourth_order_in_space(void **unused) {
    (void)unused;
    if (test_space != TD_SHOOTING) skip();
    double exact = tip_error(TD_RK4, 800, 0.0);
    double slope = log2(fabs(tip_error(TD_RK4, 40, exact) / tip_error(TD_RK4, 80, exact)));
    CHECK_BETWEEN(slope, 3.8, 4.2);
}

// ---------------------------------------------------------------- symmetry
static void turning_everything_turns_the_result(void **unused) {
    (void)unused;
    // base, gravity and loads turned by the same rotation about (1, 1, 1)
    const double c = cos(PI / 3.0), s = sin(PI / 3.0) / sqrt(3.0);  // 120 degrees: x -> y -> z -> x
    double tip[2][3];
    for (int k = 0; k < 2; k++) {
        td_error err = {0};
        td_piece_def piece = steel_piece();
        td_robot *robot = td_robot_create();
        td_rod_def rod = td_default_rod_def();
        rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
        double q[4] = {c, s, s, s};
        if (k) memcpy(rod.base.orientation, q, sizeof q);
        CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
        if (k) set_gravity(robot, -9.81, 3.0, 1.0);
        else set_gravity(robot, 3.0, 1.0, -9.81);
        if (k) add_tip_force(robot, L, 0.4, 0.2, 0.3);
        else add_tip_force(robot, L, 0.2, 0.3, 0.4);
        td_options o = options_with(TD_COSSERAT, 60);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        memcpy(tip[k], tip_of(&w).p, sizeof tip[k]);
        world_free(&w);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(tip[1][(i + 1) % 3], tip[0][i], 1e-12);
}

static void mirrored_load_gives_mirrored_shape(void **unused) {
    (void)unused;
    double tip[2][3];
    for (int k = 0; k < 2; k++) {
        double sign = k ? -1.0 : 1.0;
        td_piece_def piece = steel_piece();
        piece.rest_curvature[0] = 1.5;
        piece.rest_curvature[1] =
            sign * 1.0;  // curvature is a pseudovector: mirror x flips y and z
        piece.rest_curvature[2] = sign * 2.0;
        td_robot *robot = rod_robot(&piece, 1);
        add_tip_force(robot, L, sign * 0.3, 0.2, -0.1);
        set_gravity(robot, sign * 2.0, 0.0, -9.81);
        td_options o = options_with(TD_COSSERAT, 60);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        memcpy(tip[k], tip_of(&w).p, sizeof tip[k]);
        world_free(&w);
    }
    CHECK_NEAR(tip[1][0], -tip[0][0], 1e-12);
    CHECK_NEAR(tip[1][1], tip[0][1], 1e-12);
    CHECK_NEAR(tip[1][2], tip[0][2], 1e-12);
}

// ---------------------------------------------------------------- loads and sections
static void interior_point_load_leaves_the_rest_straight(void **unused) {
    (void)unused;
    // small force at a: deflection at a F a^3/3EI, slope F a^2/2EI beyond it
    double F = 1e-4, a = 0.13;
    td_robot *robot = steel_robot();
    td_load_def load = point_load("push", a);
    set3(load.force, F, 0.0, 0.0);
    add_load(robot, &load);
    td_options o = options_with(TD_KIRCHHOFF, 100);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double at = F * a * a * a / (3.0 * EI()), slope = F * a * a / (2.0 * EI());
    CHECK_NEAR(td_get_pose(w.system, w.state, 0, a).p[0] / at, 1.0, 1e-7);
    CHECK_NEAR(tip_of(&w).p[0] / (at + slope * (L - a)), 1.0, 1e-7);
    td_sample beyond = td_get_sample(w.system, w.state, 0, 0.3);
    CHECK_NEAR(beyond.strain[1], 0.0, 1e-9);
    CHECK_NEAR(beyond.wrench[3], 0.0, 1e-9);
    world_free(&w);
}

static void distributed_load_over_part_of_the_rod(void **unused) {
    (void)unused;
    // uniform q over [a, L]: tip deflection by superposition of F s^2 (3L - s)/(6EI)
    double q = 1e-4, a = 0.15;
    td_robot *robot = steel_robot();
    td_load_def load = td_default_load_def();
    load.name = "wind", load.distributed = true, load.from = a, load.to = L;
    set3(load.force, q, 0.0, 0.0);
    add_load(robot, &load);
    td_options o = options_with(TD_KIRCHHOFF, 100);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double L3 = L * L * L, a3 = a * a * a;
    double expected = q / (6.0 * EI()) * (L * (L3 - a3) - (L3 * L - a3 * a) / 4.0);
    CHECK_NEAR(tip_of(&w).p[0] / expected, 1.0, 1e-7);
    world_free(&w);
}

static void distributed_moment_bends(void **unused) {
    (void)unused;
    // l per length about y: m(s) = l (L - s), small: tip rotation l L^2/(2EI)
    double l = 1e-4;
    td_robot *robot = steel_robot();
    td_load_def load = td_default_load_def();
    load.name = "turn", load.distributed = true, load.from = 0.0, load.to = L;
    set3(load.moment, 0.0, l, 0.0);
    add_load(robot, &load);
    td_options o = options_with(TD_KIRCHHOFF, 50);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose tip = tip_of(&w);
    CHECK_NEAR(2.0 * atan2(tip.q[2], tip.q[0]), l * L * L / (2.0 * EI()), 1e-12);
    world_free(&w);
}

static void samples_between_nodes_are_of_fourth_order(void **unused) {
    (void)unused;
    // under a small even load m = F (L - s)^2/2, u = m/EI, n = F (L - s)
    double F = 1e-4;
    td_robot *robot = steel_robot();
    td_load_def load = td_default_load_def();
    load.name = "wind", load.distributed = true, load.from = 0.0, load.to = L;
    set3(load.force, F, 0.0, 0.0);
    add_load(robot, &load);
    td_options o = options_with(TD_KIRCHHOFF, 16);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    for (int i = 0; i <= 37; i++) {
        double s = i * L / 37.0, m = 0.5 * F * (L - s) * (L - s);
        td_sample x = td_get_sample(w.system, w.state, 0, s);
        CHECK_NEAR(x.wrench[1], m, 1e-8 * F);
        CHECK_NEAR(x.strain[1], m / EI(), 1e-8 * F / EI());
        CHECK_NEAR(x.wrench[3], F * (L - s), 1e-6 * F);
        CHECK_NEAR(x.strain[5], 1.0, 1e-15);
    }
    world_free(&w);
}

static void follower_moment_equals_dead_moment_in_the_plane(void **unused) {
    (void)unused;
    double M = 3.0 * EI() / L, tip[2][3];
    for (int k = 0; k < 2; k++) {
        td_robot *robot = steel_robot();
        td_load_def load = point_load("turn", L);
        load.frame = k ? TD_FRAME_BODY : TD_FRAME_WORLD;
        set3(load.moment, 0.0, M, 0.0);
        add_load(robot, &load);
        td_options o = options_with(TD_COSSERAT, 100);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        memcpy(tip[k], tip_of(&w).p, sizeof tip[k]);
        world_free(&w);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(tip[1][i], tip[0][i], 1e-12);
}

static void follower_force_stays_normal_to_the_tip(void **unused) {
    (void)unused;
    double F = 4.0 * EI() / (L * L);
    td_robot *robot = steel_robot();
    td_load_def load = point_load("push", L);
    load.frame = TD_FRAME_BODY;
    set3(load.force, F, 0.0, 0.0);
    add_load(robot, &load);
    td_options o = options_with(TD_COSSERAT, 200);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_sample tip = td_get_sample(w.system, w.state, 0, L);
    CHECK_NEAR(tip.wrench[3], F, 1e-9 * F);  // in the body frame, exactly the load
    CHECK_NEAR(tip.wrench[5], 0.0, 1e-9 * F);
    // the force is constant in the world: at the base it has the tip's direction
    td_sample base = td_get_sample(w.system, w.state, 0, 0.0);
    double angle = 2.0 * atan2(tip.pose.q[2], tip.pose.q[0]);
    CHECK_NEAR(base.wrench[3], F * cos(angle), 1e-8 * F);
    CHECK_NEAR(base.wrench[5], -F * sin(angle), 1e-8 * F);
    world_free(&w);
}

static void stepped_rod_matches_beam_theory(void **unused) {
    (void)unused;
    // first 0.15 m with twice the radius (16 EI), small tip force
    double a = 0.15, F = 1e-4;
    td_piece_def pieces[2] = {steel_piece(), steel_piece()};
    pieces[0].length = a;
    pieces[0].section.radius = pieces[0].section_end.radius = 2e-3;
    pieces[1].length = L - a;
    td_robot *robot = rod_robot(pieces, 2);
    add_tip_force(robot, L, F, 0.0, 0.0);
    td_options o = options_with(TD_KIRCHHOFF, 100);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double b = L - a, L3 = L * L * L, b3 = b * b * b;
    double expected = F / (3.0 * EI()) * (b3 + (L3 - b3) / 16.0);
    CHECK_NEAR(tip_of(&w).p[0] / expected, 1.0, 1e-7);
    world_free(&w);
}

static void tapered_rod_matches_its_integral(void **unused) {
    (void)unused;
    // r(s) = r0 + (r1 - r0) s/L; tip deflection = integral of F (L - s)^2/(E I(s)) (Simpson here)
    double F = 1e-4, r0 = 1.5e-3, r1 = 0.5e-3, sum = 0.0;
    const int n = 4000;
    for (int i = 0; i <= n; i++) {
        double s = i * L / n, radius = r0 + (r1 - r0) * s / L, I = PI * pow(radius, 4.0) / 4.0;
        sum += F * (L - s) * (L - s) / (E * I) * (i == 0 || i == n ? 1.0 : i % 2 ? 4.0 : 2.0);
    }
    double expected = sum * L / n / 3.0;
    td_piece_def piece = steel_piece();
    piece.section.radius = r0, piece.section_end.radius = r1;
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_force(robot, L, F, 0.0, 0.0);
    td_options o = options_with(TD_KIRCHHOFF, 200);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_NEAR(tip_of(&w).p[0] / expected, 1.0, 1e-7);
    world_free(&w);
}

static void rest_shape_of_a_precurved_rod_is_its_arc(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    piece.rest_curvature[1] = PI / L;  // half a circle
    td_robot *robot = rod_robot(&piece, 1);
    td_options o = options_with(TD_COSSERAT, 200);
    world w = world_make(robot, &o);
    for (int k = 0; k < 2; k++) {  // at once after creation, and as an equilibrium
        td_pose tip = tip_of(&w);
        CHECK_NEAR(tip.p[0], 2.0 * L / PI, 1e-9);
        CHECK_NEAR(tip.p[2], 0.0, 1e-9);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    }
    world_free(&w);
}

// ---------------------------------------------------------------- solvers
static void every_solver_finds_the_same_equilibrium(void **unused) {
    (void)unused;
    const td_solver solvers[3] = {TD_NEWTON, TD_DOGLEG, TD_LEVENBERG_MARQUARDT};
    double tip[3][3];
    for (int k = 0; k < 3; k++) {
        td_robot *robot = steel_robot();
        add_tip_force(robot, L, 0.6, -0.4, 0.2);
        add_tip_moment(robot, L, 0.05, 0.02, 0.04);
        td_options o = options_with(TD_COSSERAT, 80);
        o.tolerance = 1e-11;
        o.solver = solvers[k];
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        memcpy(tip[k], tip_of(&w).p, sizeof tip[k]);
        world_free(&w);
    }
    for (int k = 1; k < 3; k++)
        for (int i = 0; i < 3; i++) CHECK_NEAR(tip[k][i], tip[0][i], 1e-10);
}

static void heavy_load_needs_continuation_and_gets_it(void **unused) {
    (void)unused;
    // 60 EI/L^2 across the rod: a direct shot from straight does not converge
    double F = 60.0 * EI() / (L * L);
    td_robot *robot = steel_robot();
    add_tip_force(robot, L, F, 0.0, 0.0);
    td_options o = options_with(TD_KIRCHHOFF, 200);
    o.tolerance = 1e-11;
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    // the rod lies along the load: reach of a long elastica is 2 sqrt(EI/F) sin(pi/4)... = sqrt(2/60) L
    td_pose tip = tip_of(&w);
    CHECK_NEAR(tip.p[2] / L, sqrt(2.0 / 60.0), 1e-4);
    assert_true(tip.p[0] > 0.8 * L);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_circle_moment_closes_the_rod),
        cmocka_unit_test(small_tip_force_gives_beam_deflection),
        cmocka_unit_test(short_thick_rod_shows_timoshenko_shear),
        cmocka_unit_test(axial_force_stretches_and_torque_twists),
        cmocka_unit_test(transverse_dead_force_gives_the_elastica),
        cmocka_unit_test(end_moment_with_axial_part_gives_a_helix),
        cmocka_unit_test(compression_finds_eulers_load),
        cmocka_unit_test(far_beyond_eulers_load_it_is_still_reported),
        cmocka_unit_test(an_imperfect_column_hangs_where_it_falls),
        cmocka_unit_test(the_message_names_the_rod_that_buckles),
        cmocka_unit_test(below_eulers_load_nothing_is_reported),
        cmocka_unit_test(heavy_column_buckles_at_greenhill_length),
        cmocka_unit_test(euler_is_first_order_in_space),
        cmocka_unit_test(rk4_is_fourth_order_in_space),
        cmocka_unit_test(turning_everything_turns_the_result),
        cmocka_unit_test(mirrored_load_gives_mirrored_shape),
        cmocka_unit_test(interior_point_load_leaves_the_rest_straight),
        cmocka_unit_test(distributed_load_over_part_of_the_rod),
        cmocka_unit_test(distributed_moment_bends),
        cmocka_unit_test(samples_between_nodes_are_of_fourth_order),
        cmocka_unit_test(follower_moment_equals_dead_moment_in_the_plane),
        cmocka_unit_test(follower_force_stays_normal_to_the_tip),
        cmocka_unit_test(stepped_rod_matches_beam_theory),
        cmocka_unit_test(tapered_rod_matches_its_integral),
        cmocka_unit_test(rest_shape_of_a_precurved_rod_is_its_arc),
        cmocka_unit_test(every_solver_finds_the_same_equilibrium),
        cmocka_unit_test(heavy_load_needs_continuation_and_gets_it),
    };
    RUN_UNDER_EACH_SCHEME(tests);
}
