// Materials of the lumped models: rubber in tension, damping by a power of the rate.
#include <stdlib.h>

#include "math/se3.h"

#include "lumped_bare.h"
#include "materials.h"

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
        world w = world_make(of_rubber(robot), &o);
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
// blow: m v' = -eta (v/L)^p. p = 1: v = v0 exp(-eta t/(m L)); p = 2: 1/v = 1/v0 + eta t/(m L^2), in
// many segments too, which all begin at rest, where such damping has no slope.
static void damping_follows_its_power(void **state) {
    (void)state;
    const double mass = 1.0, eta = 2.0, kick = 1e3, blow = 1e-3, v0 = kick * blow / mass;
    for (int k = 0; k < 7; k++) {
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
        td_options o = lumped_options(names[k < 6 ? k % 3 : 0], k < 6 ? 1 : 60, false);
        world w = world_make(damped_by_power(robot, k < 3 ? 1.0 : 2.0), &o);
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

// Relative states are the same system as absolute ones: their matrix by differences is as good as
// the exact one where damping has no slope at rest.
static void damping_by_a_power_asks_for_as_many_corrections_in_relative_states(void **state) {
    (void)state;
    int iterations[2] = {0};
    for (int k = 0; k < 2; k++) {
        const double inside[3] = {0.02, 0.01, 2.0};
        lumped_rod r = module_rod();
        for (int i = 0; i < 6; i++) r.damping[i] = i < 3 ? 1e-4 : 1.0;
        td_options o = lumped_options(names[k], 6, false);
        td_robot *robot = damped_by_power(module_robot(&r, inside), 3.0);
        const int input = add_input(robot, "push");
        td_load_def load = point_load("push", r.length);
        load.force[0] = (td_number){0.0, 1.0, input};
        add_load(robot, &load);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        for (int i = 0; i < 20; i++) {
            td_set_input(w.system, w.state, input, 1e-3 * i);
            CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
            iterations[k] += td_get_stats(w.state)->iterations;
        }
        world_free(&w);
    }
    CHECK_BETWEEN((double)iterations[1] / iterations[0], 0.5, 1.2);
}

// ---------------------------------------------------------------- mean stretch
// The paper's module: a tube with six chambers in pairs, at 90, -30 and 210 deg.
static td_robot *tube(void) {
    td_error err = {0};
    td_piece_def p = td_default_piece_def();
    const double K[6] = {0.002954612421955911, 0.002954612421955911, 0.0019697416146372735,
                         21.145536552537305,   21.145536552537305,   63.43660965761191};
    p.length = 0.05;
    p.youngs_modulus = 205e3, p.shear_modulus = 205e3 / 3.0, p.density = 1820.0;
    p.section.radius = p.section_end.radius = 12.5e-3;
    p.section.inner_radius = p.section_end.inner_radius = 4.5e-3;
    memcpy(p.stiffness, K, sizeof K);
    td_robot *robot = rod_robot(&p, 1);
    const double half = acos(1.0 - 9.0 / (2.0 * 8.5 * 8.5)), third = 2.0943951023931953;
    for (int i = 0; i < 6; i++) {
        char name[8];
        double angle = 1.5707963267948966 + third * (i / 2) + (i % 2 ? half : -half);
        snprintf(name, sizeof name, "c%d", i);
        td_chamber_def c = td_default_chamber_def();
        c.name = name, c.to = p.length, c.radius = 2.5e-3;
        c.offset[0] = 8.5e-3 * cos(angle), c.offset[1] = 8.5e-3 * sin(angle);
        CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
    }
    return following_stretch(robot, 1.5707963267948966 - acos(1.0 - 0.04 / 18.0));
}

// Stiffnesses and areas at a stretch of 1.1, computed independently.
static void sections_follow_their_stretch(void **state) {
    (void)state;
    td_options o = lumped_options("eba", 4, false);
    bare b = bare_eba(tube(), &o);
    net *c = b.c;
    net_memory *m = b.m;
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(m->segments[1].law.stiffness[i] / c->segments[1].law.stiffness[i], 1.0, 1e-14);
    for (int i = 0; i < c->n_nodes; i++) m->nodes[i].p.z *= 1.1;
    CHECK_NEAR(stretch_sections(c, m, m->nodes), 0.1, 1e-14);
    const segment *s = &m->segments[1];
    CHECK_NEAR(s->law.stiffness[5], 50.451560513075286, 1e-11);
    CHECK_NEAR(s->law.stiffness[3], 16.81718683769176, 1e-11);
    CHECK_NEAR(s->law.stiffness[0], 0.002149080845676144, 1e-15);
    CHECK_NEAR(s->law.stiffness[1], 0.002149080845676144, 1e-15);
    CHECK_NEAR(s->law.stiffness[2], 0.0014327205637840958, 1e-15);
    CHECK_NEAR(m->ports[s->first_port].swell, 6.669632732320177 / 6.67588438887831, 1e-12);
    bare_free(&b);
}

static void a_stretched_tube_is_in_equilibrium_with_its_own_section(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        td_robot *robot = tube();
        add_tip_force(robot, 0.05, 0.0, 0.0, 0.1 * 50.451560513075286);
        td_options o = lumped_options(names[k], 4, false);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_NEAR(tip_of(&w).p[2], 0.055, 1e-12);
        CHECK_CALL(&w, td_step(w.system, w.state, 0.01));  // and stays there
        CHECK_NEAR(tip_of(&w).p[2], 0.055, 1e-11);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rubber_stretches_as_in_simple_tension),
        cmocka_unit_test(damping_follows_its_power),
        cmocka_unit_test(damping_by_a_power_asks_for_as_many_corrections_in_relative_states),
        cmocka_unit_test(sections_follow_their_stretch),
        cmocka_unit_test(a_stretched_tube_is_in_equilibrium_with_its_own_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
