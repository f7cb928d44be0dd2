// Materials of the lumped models: rubber in tension, damping by a power of the rate.
#include "math/se3.h"

#include "lumped.h"

static const char *const names[] = {"eba", "ebr", "srl"};

// E A (v - 1/v^2)/3 = force: v from the cubic 3 f v^2 = v^3 - 1 with f = force/EA.
static double rubber_stretch(double f) {
    double v = 1.0;
    for (int i = 0; i < 100; i++) v -= (v - 1.0 / (v * v) - 3.0 * f) / (1.0 + 2.0 / (v * v * v));
    return v;
}

static void rubber_stretches_as_in_simple_tension(void **state) {
    (void)state;
    static const double forces[] = {0.4, -0.2, 2.0};
    for (int k = 0; k < 9; k++) {
        lumped_rod r = unit_rod();
        r.stiffness[5] = 5.0;
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = rod_robot(&piece, 1);
        add_tip_force(robot, 1.0, 0.0, 0.0, 5.0 * forces[k / 3]);
        td_options o = lumped_options(names[k % 3], 4, false);
        o.lumped.material = TD_NEO_HOOKEAN;
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const double v = rubber_stretch(forces[k / 3]);
        CHECK_NEAR(tip_of(&w).p[2], v, 1e-10);
        // int force dv over the length
        double energy = 5.0 * (0.5 * v * v + 1.0 / v - 1.5) / 3.0;
        CHECK_NEAR(td_get_energy(w.system, w.state).elastic, energy, 1e-9);
        world_free(&w);
    }
}

// A heavy body at the end of a light rod without stiffness to speak of, set moving along it by a
// blow: m v' = -eta (v/L)^p. p = 1: v = v0 exp(-eta t/(m L)); p = 2: 1/v = 1/v0 + eta t/(m L^2).
static void damping_follows_its_power(void **state) {
    (void)state;
    const double mass = 1.0, eta = 2.0, kick = 1e3, blow = 1e-3, v0 = kick * blow / mass;
    for (int k = 0; k < 6; k++) {
        td_error err = {0};
        lumped_rod r = unit_rod();
        r.mass = 1e-6;
        for (int i = 0; i < 3; i++) r.inertia[i] = 1e-4;
        r.stiffness[5] = 1e-6;
        r.damping[5] = eta;
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = rod_robot(&piece, 1);
        int input = add_input(robot, "kick");
        td_body_def body = td_default_body_def();
        body.name = "body", body.at = 1.0, body.mass = mass;
        CHECK_OK(td_robot_add_body(robot, &body, &err), err);
        td_load_def load = point_load("kick", 1.0);
        load.force[2] = (td_number){0.0, 1.0, input};
        add_load(robot, &load);
        td_options o = lumped_options(names[k % 3], 1, false);
        o.lumped.damping_power = k < 3 ? 1.0 : 2.0;
        world w = world_make(robot, &o);
        td_set_input(w.system, w.state, input, kick);
        for (int i = 0; i < 20; i++) CHECK_CALL(&w, td_step(w.system, w.state, blow / 20));
        td_set_input(w.system, w.state, input, 0.0);
        td_restart(w.system, w.state);
        for (int i = 0; i < 400; i++) CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
        double v = td_get_sample(w.system, w.state, 0, 1.0).velocity[5];
        double t = 0.4 + 0.5 * blow;  // the blow counts from its middle
        double truth = k < 3 ? v0 * exp(-eta * t / mass) : 1.0 / (1.0 / v0 + eta * t / mass);
        CHECK_NEAR(v, truth, 2e-3 * v0);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rubber_stretches_as_in_simple_tension),
        cmocka_unit_test(damping_follows_its_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
