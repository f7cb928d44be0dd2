// Equilibria of the virtual-power model against numbers computed independently.
#include <stdbool.h>
#include <string.h>
#include <tendril/tendril.h>

#include "check.h"
#include "rone_robot.h"
#include "truth_rone2014_runs.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static double beta(const world *w, int disc) {
    return td_get_sample(w->system, w->state, 0, 0.03 * disc + 0.015).strain[1];
}

static void it_sags_as_the_reference_does(void **unused) {
    (void)unused;
    td_options o = rone_options();
    world w = rone_world(0.3, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    for (int i = 0; i < RONE_DISCS; i++) CHECK_NEAR(beta(&w, i), rone_sag_beta[i], 1e-8);
    td_pose tip = tip_of(&w);
    for (int k = 0; k < 3; k++) CHECK_NEAR(tip.p[k], rone_sag_tip[k], 1e-10);
    world_free(&w);
}

static void shapes_under_tension_agree(void **unused) {
    (void)unused;
    td_options o = rone_options();
    for (int i = 0; i < COUNT(rone_shapes); i++) {
        const rone_shape *t = &rone_shapes[i];
        world w = rone_world(t->friction ? 0.3 : 0.0, &o);
        for (int j = 0; j < RONE_RODS; j++) td_set_input(w.system, w.state, j, t->tension[j]);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        for (int k = 0; k < RONE_DISCS; k++) CHECK_NEAR(beta(&w, k), t->beta[k], 2e-7);
        td_pose tip = tip_of(&w);
        for (int k = 0; k < 3; k++) CHECK_NEAR(tip.p[k], t->tip[k], 1e-9);
        for (int j = 0; j < RONE_RODS; j++) {
            td_tendon_state s = td_get_tendon(w.system, w.state, j);
            CHECK_NEAR(s.tension, t->tension[j], 1e-12);
            CHECK_NEAR(s.end_tension, t->end_tension[j], 1e-6);
        }
        world_free(&w);
    }
}

static void ideal_actuation_agrees(void **unused) {
    (void)unused;
    td_options o = rone_options();
    o.virtual_power.contact = TD_CONTACT_IDEAL;
    for (int i = 0; i < COUNT(rone_ideal_tips); i++) {
        world w = rone_world(0.0, &o);
        for (int j = 0; j < RONE_RODS; j++)
            td_set_input(w.system, w.state, j, rone_shapes[2 * i].tension[j]);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        td_pose tip = tip_of(&w);
        for (int k = 0; k < 3; k++) CHECK_NEAR(tip.p[k], rone_ideal_tips[i][k], 1e-8);
        world_free(&w);
    }
}

// Against equilibria under inputs and loads that differ a little.
static td_pose tip_with(double tension, double force) {
    td_options o = rone_options();
    o.virtual_power.one_direction = false;
    td_robot *robot = rone_robot(0.2);
    if (force != 0.0) add_tip_force(robot, 0.24, 0.0, force, 0.0);
    world w = world_make(robot, &o);
    td_set_input(w.system, w.state, 1, 3.0);
    td_set_input(w.system, w.state, 4, tension);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose tip = tip_of(&w);
    world_free(&w);
    return tip;
}

static void derivatives_are_those_of_neighbouring_equilibria(void **unused) {
    (void)unused;
    td_options o = rone_options();
    o.virtual_power.one_direction = false;
    world w = rone_world(0.2, &o);
    td_set_input(w.system, w.state, 1, 3.0);
    td_set_input(w.system, w.state, 4, 8.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double J[6 * RONE_RODS], C[36];
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, 0.24, J));
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, 0.24, 0, 0.24, C));
    td_pose a = tip_with(8.0 - 1e-3, 0.0), b = tip_with(8.0 + 1e-3, 0.0);
    td_pose c = tip_with(8.0, -1e-4), d = tip_with(8.0, 1e-4);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(J[(3 + k) * RONE_RODS + 4], (b.p[k] - a.p[k]) / 2e-3, 1e-7);
        CHECK_NEAR(C[(3 + k) * 6 + 4], (d.p[k] - c.p[k]) / 2e-4, 1e-5);
    }
    assert_true(fabs(J[3 * RONE_RODS + 4]) > 1e-3 && C[4 * 6 + 4] > 1e-2);
    world_free(&w);
}

// Without load, a bare core: the compliance of a cantilever.
static void the_compliance_at_rest_is_that_of_a_cantilever(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = rone_options();
    o.virtual_power.discs = 100;
    world w = world_make(rod_robot(&piece, 1), &o);
    double C[36], EI = 207e9 * 3.14159265358979323846 * 1e-12 / 4.0, L = 0.4;
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, L, 0, L, C));
    CHECK_NEAR(C[3 * 6 + 3], L * L * L / (3.0 * EI), 1e-4 * L * L * L / EI);
    CHECK_NEAR(C[1 * 6 + 1], L / EI, 1e-6 * L / EI);
    CHECK_NEAR(C[3 * 6 + 1], L * L / (2.0 * EI), 1e-6 * L * L / EI);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++) CHECK_NEAR(C[i * 6 + k], C[k * 6 + i], 1e-6);
    world_free(&w);
}

// Euler's column, fixed and free: pi^2 EI/(4 L^2), of which 24 discs miss little.
static void a_column_loses_its_stability_at_eulers_load(void **unused) {
    (void)unused;
    const double EI = 207e9 * 3.14159265358979 * 1e-12 / 4.0, euler = 2.4674011 * EI / 0.16;
    static const double share[4] = {0.0, 0.5, 0.99, 1.01};
    for (int i = 0; i < 4; i++) {
        td_piece_def piece = steel_piece();
        td_robot *robot = rod_robot(&piece, 1);
        add_tip_force(robot, 0.4, 0.0, 0.0, -share[i] * euler);
        td_options o = td_default_options();
        strcpy(o.model, "virtual_power");
        o.virtual_power.discs = 24;
        o.virtual_power.torsion = i == 1;
        world w = world_make(robot, &o);
        double stability;
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &stability));
        CHECK_NEAR(stability, 1.0 - share[i], 3e-3);
        world_free(&w);
    }
}

// With little damping contact forces and friction have several equilibria; the one that tension leads
// to without friction, and friction from there, is found however large the steps are.
static void friction_comes_last_whatever_the_steps(void **unused) {
    (void)unused;
    td_pose tips[2];
    for (int i = 0; i < 2; i++) {
        td_options o = rone_options();
        o.virtual_power.damping = 1e-4;
        o.virtual_power.friction_iterations = 10;
        world w = rone_world(0.3, &o);
        for (int k = i ? 1 : 30; k <= 30; k++) {
            td_set_input(w.system, w.state, 0, k);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        }
        tips[i] = tip_of(&w);
        world_free(&w);
    }
    for (int k = 0; k < 3; k++) CHECK_NEAR(tips[0].p[k], tips[1].p[k], 1e-7);
}

// Contact forces by least squares have no energy; what decides there is the smallest real part. The
// less there is to pull, the nearer it is to that of the virtual work of tension.
static double stability_apart(double tension) {
    double stability[2];
    for (int i = 0; i < 2; i++) {
        td_options o = rone_options();
        o.virtual_power.printed_elasticity = o.virtual_power.one_direction = false;
        if (i) o.virtual_power.contact = TD_CONTACT_IDEAL;
        world w = rone_world(0.0, &o);
        td_set_input(w.system, w.state, 4, tension);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &stability[i]));
        world_free(&w);
    }
    return fabs(stability[0] - stability[1]);
}

static void contact_forces_are_judged_without_an_energy(void **unused) {
    (void)unused;
    CHECK_BETWEEN(stability_apart(10.0), 0.05, 0.2);
    CHECK_BETWEEN(stability_apart(1.0), 0.0, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_sags_as_the_reference_does),
        cmocka_unit_test(shapes_under_tension_agree),
        cmocka_unit_test(ideal_actuation_agrees),
        cmocka_unit_test(derivatives_are_those_of_neighbouring_equilibria),
        cmocka_unit_test(the_compliance_at_rest_is_that_of_a_cantilever),
        cmocka_unit_test(a_column_loses_its_stability_at_eulers_load),
        cmocka_unit_test(friction_comes_last_whatever_the_steps),
        cmocka_unit_test(contact_forces_are_judged_without_an_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
