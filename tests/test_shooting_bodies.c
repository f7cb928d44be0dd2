// Bodies that ride on a rod, by shooting: weight as a load, inertia by the frequency of a
// cantilever with a mass at its tip.
#include "rods.h"

static td_options kirchhoff_options(void) {
    td_options o = td_default_options();
    o.space = TD_SHOOTING;
    o.theory = TD_KIRCHHOFF;
    o.rotary_inertia = false;
    o.steps = 60;
    o.tolerance = 1e-12;
    return o;
}

static void add_rider(td_robot *robot, const char *name, double at, double mass,
                      const double centre[3]) {
    td_error err = {0};
    td_body_def body = td_default_body_def();
    body.name = name, body.rod = 0, body.at = at, body.mass = mass;
    for (int i = 0; i < 3; i++) body.centre[i] = centre[i];
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
}

// A centre of mass on the axis: its weight is a dead force there.
static void the_weight_of_a_body_is_a_load(void **unused) {
    (void)unused;
    const double none[3] = {0.0, 0.0, 0.0}, places[2] = {0.4, 0.17}, mass = 0.03;
    for (int k = 0; k < 2; k++) {
        td_piece_def piece = steel_piece();
        td_robot *robots[2] = {rod_robot(&piece, 1), rod_robot(&piece, 1)};
        for (int i = 0; i < 2; i++) set_gravity(robots[i], -9.81, 2.0, 1.0);
        add_rider(robots[0], "body", places[k], mass, none);
        td_load_def load = point_load("load", places[k]);
        set3(load.force, -9.81 * mass, 2.0 * mass, 1.0 * mass);
        add_load(robots[1], &load);
        td_options o = kirchhoff_options();
        td_pose tips[2];
        for (int i = 0; i < 2; i++) {
            world w = world_make(robots[i], &o);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            tips[i] = tip_of(&w);
            world_free(&w);
        }
        CHECK_BETWEEN(fabs(tips[0].p[0]), 0.01, 0.4);
        for (int i = 0; i < 3; i++) CHECK_NEAR(tips[0].p[i], tips[1].p[i], 1e-11);
    }
}

// A centre of mass beyond the tip, on its axis, hangs where the end of a longer, massless and rigid
// piece would: the moment about the tip follows the section. For small deflections of a massless
// rod the tip's own are F L^3/3EI + F a L^2/2EI.
static void a_centre_of_mass_beyond_the_tip_turns_it(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    piece.mass_per_length = 1e-9;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, -1e-3, 0.0, 0.0);
    const double beyond[3] = {0.0, 0.0, 0.05}, mass = 0.05, F = 1e-3 * mass, L = 0.4;
    add_rider(robot, "body", L, mass, beyond);
    const td_options o = kirchhoff_options();
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const double EI = 207e9 * acos(-1.0) / 4.0 * 1e-12;
    const double expected = -F * L * L * (L / 3.0 + 0.05 / 2.0) / EI;
    CHECK_NEAR(tip_of(&w).p[0], expected, 1e-6 * fabs(expected));
    world_free(&w);
}

// ---------------------------------------------------------------- frequency
// Euler and Bernoulli's cantilever with a point mass at its tip, ratio = mass/(rod's mass):
//     1 + cos b cosh b + ratio b (cos b sinh b - sin b cosh b) = 0
//     omega = b^2 sqrt(EI/(rho A L^4))
static double first_root(double ratio) {
    double low = 0.1, high = 1.8751;
    for (int i = 0; i < 60; i++) {
        const double b = 0.5 * (low + high);
        const double f = 1.0 + cos(b) * cosh(b) + ratio * b * (cos(b) * sinh(b) - sin(b) * cosh(b));
        *(f > 0.0 ? &low : &high) = b;
    }
    return 0.5 * (low + high);
}

// The time between the first and the last passage through the middle, as an angular frequency.
static double measured_frequency(world *w, double dt, int n_steps) {
    double last = tip_of(w).p[0], first_at = 0.0, last_at = 0.0;
    int passages = 0;
    for (int i = 1; i <= n_steps; i++) {
        CHECK_CALL(w, td_step(w->system, w->state, dt));
        const double x = tip_of(w).p[0];
        if (x * last < 0.0) {
            last_at = (i - 1 + last / (last - x)) * dt;
            if (passages++ == 0) first_at = last_at;
        }
        last = x;
    }
    assert_true(passages >= 8);
    return acos(-1.0) * (passages - 1) / (last_at - first_at);
}

static void a_mass_at_the_tip_lowers_the_frequency_as_it_should(void **unused) {
    (void)unused;
    const double L = 0.4, EI = 207e9 * acos(-1.0) / 4.0 * 1e-12, rhoA = 8000.0 * acos(-1.0) * 1e-6;
    const double ratios[2] = {1.0, 5.0}, none[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        const double b = first_root(ratios[k]), omega = b * b * sqrt(EI / (rhoA * pow(L, 4)));
        const double period = 2.0 * acos(-1.0) / omega, dt = period / 60.0;
        td_piece_def piece = steel_piece();
        td_robot *robot = rod_robot(&piece, 1);
        const int input = add_input(robot, "force");
        td_load_def load = point_load("load", L);
        load.force[0] = (td_number){0.0, 1.0, input};
        add_load(robot, &load);
        add_rider(robot, "body", L, ratios[k] * rhoA * L, none);
        td_options o = kirchhoff_options();
        o.scheme = TD_BDF_ALPHA, o.alpha = -0.5;
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_set_input(w.system, w.state, input, 1e-3));  // 0.1 mm: small
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_CALL(&w, td_set_input(w.system, w.state, input, 0.0));
        const double slow = measured_frequency(&w, dt, 360);
        const double corrected = 2.0 / dt * tan(0.5 * slow * dt);  // the trapezoidal rule's own
        CHECK_NEAR(corrected, omega, 1e-5 * omega);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_weight_of_a_body_is_a_load),
        cmocka_unit_test(a_centre_of_mass_beyond_the_tip_turns_it),
        cmocka_unit_test(a_mass_at_the_tip_lowers_the_frequency_as_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
