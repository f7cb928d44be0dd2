// What is told of contact: forces balance weight, loads and reactions, distances are those of closed forms, and
// records hold the same numbers.
#include "contact_rods.h"

#define LIFTED                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, section: {radius: 1 mm}, mass_per_length: 0.1,\n"                    \
    "     stiffness: {bending: 2.6041666667, torsion: 2, shear: 1e6, extension: 1e6},\n"           \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "loads: [{at: tip, force: [0, 0, 0.25]}]\n"                                                    \
    "obstacles:\n"                                                                                 \
    "  - {name: ball, sphere: {radius: 0.1}, position: [0, 0, shift]}\n"                           \
    "  - {name: table, plane: {}, position: [0, 0, -1 mm]}\n"                                      \
    "inputs: {shift: 2 m}\n"                                                                       \
    "simulation: {theory: kirchhoff}\n"

// Weight 1 N at 0.5 m, 0.25 N at 1 m, and what holds the base: the table carries the rest, and its moment.
static void the_wrench_on_an_obstacle_balances_all_others(void **unused) {
    (void)unused;
    scene s = scene_of(LIFTED, NULL, 0);
    scene_rest(&s);
    const int table = td_find_obstacle(s.system, "table");
    assert_int_equal(table, 1);
    const td_reaction on = td_get_obstacle_wrench(s.system, s.state, table);
    const td_reaction base = td_get_reaction(s.system, s.state, 0, TD_BASE);
    CHECK_NEAR(-on.force[2] + base.force[2], 0.75, 1e-9);
    // about the base: weight 0.5 N m, tip -0.25 N m, about y; but for the slope of the lifted part
    CHECK_NEAR(-on.moment[1] + base.moment[1], -0.25, 2e-6);
    CHECK_NEAR(on.force[0], 0.0, 1e-12);
    const td_reaction none = td_get_obstacle_wrench(s.system, s.state, 0);
    CHECK_NEAR(none.force[2], 0.0, 0.0);
    CHECK_NEAR(td_get_obstacle_wrench(s.system, s.state, 7).force[2], 0.0, 0.0);
    scene_end(&s);
}

static void points_and_samples_tell_the_same_forces(void **unused) {
    (void)unused;
    enum { MOST = 200 };
    static td_contact_point at[MOST];
    scene s = scene_of(LIFTED, NULL, 0);
    scene_rest(&s);
    const int n = td_get_contacts(s.system, s.state, NULL, 0);
    assert_int_equal(td_get_contacts(s.system, s.state, at, MOST), n);
    CHECK_BETWEEN(n, 20, 64);
    double sum = 0.0, before = 0.0;
    for (int i = 0; i < n; i++) {
        assert_int_equal(at[i].rod, 0);
        assert_int_equal(at[i].body, -1);
        assert_int_equal(at[i].obstacle, 1);
        assert_true(at[i].s > before && at[i].gap < 0.0 && at[i].length > 0.0);
        const td_sample there = td_get_sample(s.system, s.state, 0, at[i].s);
        CHECK_NEAR(there.gap, at[i].gap, 1e-15);
        CHECK_NEAR(there.pressure * at[i].length, at[i].force[2], 1e-6);
        CHECK_NEAR(there.contact[2], there.pressure, 1e-9);
        CHECK_NEAR(at[i].point[2], there.pose.p[2] - 1e-3, 1e-15);
        CHECK_NEAR(at[i].normal[2], 1.0, 1e-15);
        sum += at[i].force[2], before = at[i].s;
    }
    CHECK_NEAR(sum, -td_get_obstacle_wrench(s.system, s.state, 1).force[2], 1e-12);
    // where it lies it is pressed by its weight; where it is lifted by nothing
    CHECK_NEAR(td_get_sample(s.system, s.state, 0, 0.25).pressure, 1.0, 1e-4);
    const td_sample tip = td_get_sample(s.system, s.state, 0, 1.0);
    CHECK_NEAR(tip.pressure, 0.0, 0.0);
    CHECK_NEAR(tip.gap, tip.pose.p[2], 1e-12);
    scene_end(&s);
}

static void distances_are_those_from_where_obstacles_are_now(void **unused) {
    (void)unused;
    scene s = scene_of(LIFTED, NULL, 0);
    double n[3];
    const double p[3] = {0.3, 0.4, 0.2};
    td_state_reset(s.system, s.state);
    assert_int_equal(td_set_input(s.system, s.state, 0, 0.2), TD_OK);
    scene_rest(&s);
    CHECK_NEAR(td_get_obstacle_pose(s.system, s.state, 0).p[2], 0.2, 0.0);
    CHECK_NEAR(td_get_distance(s.system, s.state, 0, p, n), 0.4, 1e-15);
    CHECK_NEAR(n[0], 0.6, 1e-15);
    CHECK_NEAR(n[1], 0.8, 1e-15);
    CHECK_NEAR(td_get_distance(s.system, s.state, 1, p, NULL), 0.201, 1e-15);
    const double nowhere[3] = {(double)NAN, 0.0, 0.0};
    CHECK_NEAR(td_get_distance(s.system, s.state, 0, nowhere, n), 0.0, 0.0);
    CHECK_NEAR(td_get_distance(s.system, s.state, 9, p, n), 0.0, 0.0);
    scene_end(&s);
}

// Drawn along a rough table it drags the table along with mu times what presses on it.
static void friction_is_part_of_the_force(void **unused) {
    (void)unused;
    static const char *const rough[] = {"obstacles.table.friction=0.3", "loads.0.force=[0, 0, 0]",
                                        "rods.a.base.position=[slide, 0, 0]", "inputs.slide=0 m"};
    scene s = scene_of(LIFTED, rough, 4);
    scene_rest(&s);
    for (int i = 1; i <= 5; i++) {
        const int slide = td_find_input(s.system, "slide");
        assert_int_equal(td_set_input(s.system, s.state, slide, 1e-4 * i), TD_OK);
        scene_rest(&s);
    }
    const td_reaction on = td_get_obstacle_wrench(s.system, s.state, 1);
    CHECK_NEAR(on.force[0], -0.3 * on.force[2], 1e-9);
    const td_sample middle = td_get_sample(s.system, s.state, 0, 0.5);
    CHECK_NEAR(middle.contact[0], -0.3 * middle.pressure, 1e-9);
    scene_end(&s);
}

// A heavy wire over a thin bar: what is told along it sums up to what the bar carries, though between two places that touch
// the wire is deeper in it than they are.
static void what_is_told_along_a_rod_sums_up_to_the_force(void **unused) {
    (void)unused;
    static const char *const models[] = {"simulation.model=cosserat", "simulation.model=eba",
                                         "simulation.model=srl"};
    static const char text[] =
        "tendril: 1\n"
        "rods:\n"
        "  - {name: a, length: 0.3, section: {radius: 3 mm}, base: {direction: [1, 0, 0]},\n"
        "     material: {youngs_modulus: 10 MPa, poisson_ratio: 0.4, density: 1200}}\n"
        "obstacles: [{name: bar, cylinder: {radius: 10 mm}, direction: [0, 1, 0],\n"
        "             position: [0.15, 0, -20 mm]}]\n"
        "simulation: {lumped: {segments: 40}}\n";
    for (int i = 0; i < 3; i++) {
        scene s = scene_of(text, &models[i], 1);
        enum { N = 3000 };
        double sum = 0.0, pressed = 0.0;
        scene_rest(&s);
        for (int k = 0; k < N; k++) {
            const td_sample x = td_get_sample(s.system, s.state, 0, 0.3 * (k + 0.5) / N);
            sum += 0.3 / N * x.contact[2], pressed += 0.3 / N * x.pressure;
        }
        const double carried = -td_get_obstacle_wrench(s.system, s.state, 0).force[2];
        CHECK_BETWEEN(carried, 0.05, 0.1);
        CHECK_NEAR(sum, carried, 2e-2 * carried);  // N stretches that are not nodes' own
        CHECK_BETWEEN(pressed, 0.98 * sum, 1.1 * sum);
        scene_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wrench_on_an_obstacle_balances_all_others),
        cmocka_unit_test(points_and_samples_tell_the_same_forces),
        cmocka_unit_test(distances_are_those_from_where_obstacles_are_now),
        cmocka_unit_test(friction_is_part_of_the_force),
        cmocka_unit_test(what_is_told_along_a_rod_sums_up_to_the_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
