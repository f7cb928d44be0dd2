// The tip of a rod touches: an arm that pushes its end into a wall feels it there, and not where the last node before
// the tip comes to it.
#include "contact_rods.h"

#define LENGTH 0.2
#define EA 1000.0

// Its surface is a radius of 1 mm around the axis, and so around the tip.
#define PUSHED                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: arm, length: 0.2, section: {radius: 1 mm}, base: {position: [shift, 0, 0],\n"      \
    "     direction: [1, 0, 0]}, stiffness: {bending: 0.1, torsion: 0.1, shear: 1e4,\n"            \
    "     extension: 1000}, mass_per_length: 0.01,\n"                                              \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}\n"                 \
    "obstacles: [{name: wall, plane: {}, position: [0.201, 0, 0], direction: [-1, 0, 0]}]\n"       \
    "inputs: {shift: 0 m, aside: 0 N}\n"                                                           \
    "loads: [{at: tip, force: [0, 0, aside]}]\n"                                                   \
    "simulation: {space: {elements: 8, nodes: 4}, lumped: {segments: 32}}\n"

static const char *const models[] = {"simulation.model=cosserat", "simulation.model=eba",
                                     "simulation.model=ebr", "simulation.model=srl"};

static double depth_of(const scene *s) {
    return scene_tip(s).p[0] - LENGTH;
}

// Pushed by d, it is shortened by what the wall does not give: F = EA (d - depth)/L, below the Euler load of 6.2 N.
static void a_tip_that_is_pushed_into_a_wall_is_shortened(void **unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        scene s = scene_of(PUSHED, &models[i], 1);
        for (int k = 1; k <= 4; k++) {
            const double d = 2e-4 * k;
            scene_set(&s, "shift", d);
            scene_rest(&s);
            const double force = td_get_obstacle_wrench(s.system, s.state, 0).force[0];
            CHECK_NEAR(force, EA * (d - depth_of(&s)) / LENGTH, 2e-3 * force);
            CHECK_BETWEEN(depth_of(&s), 0.0, 0.02 * d);
            CHECK_NEAR(td_get_reaction(s.system, s.state, 0, TD_BASE).force[0], force, 1e-9);
        }
        td_contact_point at[64];
        assert_int_equal(td_get_contacts(s.system, s.state, at, 64), 1);
        CHECK_NEAR(at[0].s, LENGTH, 1e-12);
        scene_end(&s);
    }
}

// How a tip that leans on the wall answers, against central differences.
static void its_jacobian_is_that_of_differences(void **unused) {
    (void)unused;
    scene s = scene_of(PUSHED, NULL, 0);
    const double h = 2e-6;
    double J[12], tips[2][3];
    for (int input = 0; input < 2; input++) {
        const char *name = input ? "aside" : "shift";
        const double at = input ? 0.02 : 4e-4;
        for (int k = 0; k < 2; k++) {
            scene_set(&s, "shift", 4e-4);
            scene_set(&s, "aside", 0.02);
            scene_rest(&s);
            scene_set(&s, name, at + (k ? h : -h));
            scene_rest(&s);
            memcpy(tips[k], scene_tip(&s).p, sizeof tips[k]);
        }
        scene_set(&s, "shift", 4e-4);
        scene_set(&s, "aside", 0.02);
        scene_rest(&s);
        assert_int_equal(td_get_jacobian(s.system, s.state, 0, LENGTH, J), TD_OK);
        for (int i = 0; i < 3; i++) {
            const double by = (tips[1][i] - tips[0][i]) / (2.0 * h);
            CHECK_NEAR(J[2 * (3 + i) + input], by, 1e-4 * fabs(by) + 1e-6);
        }
    }
    scene_end(&s);
}

// It is driven against the wall and away again: the wall feels it, and what is done on it is what it holds and loses.
static void what_is_done_on_it_is_what_it_holds(void **unused) {
    (void)unused;
    scene s = scene_of(PUSHED, NULL, 0);
    double most = 0.0, error = 0.0;
    for (int k = 0; k < 400; k++) {
        const double t = (k + 1) * 1e-4;
        scene_set(&s, "shift", 2e-4 * (1.0 - cos(2.0 * 3.14159265358979 * t / 0.02)));
        scene_step(&s, 1e-4);
        const td_energy e = td_get_energy(s.system, s.state);
        most = fmax(most, e.elastic);
        error = fmax(error, fabs(e.kinetic + e.elastic + e.dissipated - e.work));
    }
    CHECK_BETWEEN(most, 2e-4, 5e-3);  // EA d^2/(2 L) = 4e-4 J, and more in motion
    CHECK_BETWEEN(error, 0.0, 0.15 * most);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tip_that_is_pushed_into_a_wall_is_shortened),
        cmocka_unit_test(its_jacobian_is_that_of_differences),
        cmocka_unit_test(what_is_done_on_it_is_what_it_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
