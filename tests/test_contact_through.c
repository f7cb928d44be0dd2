// Rods do not pass through thin obstacles: not in the strides in which equilibria are sought, and not between two
// steps; where one may have, it is said in words.
#include "contact_rods.h"

// Its near side is at x = 20 mm less half its thickness.
#define SLAB                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: arm, length: 0.3, section: {radius: 2 mm}, base: {direction: [0, 0, 1]},\n"        \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1200}}\n"                 \
    "loads: [{at: tip, force: [push, 0, 0]}]\n"                                                    \
    "inputs: {push: 0 N, shift: 0 m}\n"                                                            \
    "obstacles:\n"                                                                                 \
    "  - {name: slab, box: [8 mm, 0.2, 0.1], position: [shift, 0, 0.27]}\n"                        \
    "simulation: {theory: kirchhoff}\n"

static void equilibria_stay_on_the_near_side(void **unused) {
    (void)unused;
    static const char *const thickness[] = {"obstacles.slab.box=[8 mm, 0.2, 0.1]",
                                            "obstacles.slab.box=[2 mm, 0.2, 0.1]",
                                            "obstacles.slab.box=[0.5 mm, 0.2, 0.1]"};
    static const double half[] = {4e-3, 1e-3, 0.25e-3}, push[] = {1.0, 3.0, 10.0};
    for (int i = 0; i < 9; i++) {
        scene s = scene_of(SLAB, &thickness[i / 3], 1);
        scene_set(&s, "shift", 0.02);
        scene_set(&s, "push", 0.0);
        scene_rest(&s);
        scene_set(&s, "push", push[i % 3]);
        assert_int_equal(td_solve_statics(s.system, s.state), TD_OK);
        // the tip may bend a little beyond what the last node touches
        CHECK_BETWEEN(scene_tip(&s).p[0], 0.0, 0.02 - half[i / 3] - 2e-3 + 0.3e-3);
        const td_reaction on = td_get_obstacle_wrench(s.system, s.state, 0);
        const td_reaction base = td_get_reaction(s.system, s.state, 0, TD_BASE);
        CHECK_NEAR(on.force[0] - base.force[0], push[i % 3], 1e-8);
        CHECK_BETWEEN(on.force[0], 0.8 * push[i % 3], 1.1 * push[i % 3]);
        scene_end(&s);
    }
}

// Bent away by 5 N and let go, it comes at 4 m/s: 80 mm in a step.
static void steps_do_not_tunnel(void **unused) {
    (void)unused;
    static const char *const thin[] = {"obstacles.slab.box=[2 mm, 0.2, 0.1]"};
    scene s = scene_of(SLAB, thin, 1);
    scene_set(&s, "shift", 0.02);
    scene_set(&s, "push", -5.0);
    scene_rest(&s);
    CHECK_BETWEEN(scene_tip(&s).p[0], -0.3, -0.1);
    scene_set(&s, "push", 0.0);
    td_restart(s.system, s.state);
    bool touched = false;
    for (int i = 0; i < 40; i++) {
        const td_pose before = scene_tip(&s);
        if (td_step(s.system, s.state, 0.02) < 0) {  // it says why, and nothing has happened
            assert_non_null(strstr(td_message(s.state), "slab"));
            CHECK_NEAR(scene_tip(&s).p[0], before.p[0], 0.0);
            break;
        }
        touched = touched || td_get_contacts(s.system, s.state, NULL, 0) > 0;
        CHECK_BETWEEN(scene_tip(&s).p[0], -0.3, 0.02);
    }
    assert_true(touched);
    scene_end(&s);
}

// In one stride from one side of a rod to the other: nothing tells how it came there.
static void what_passes_through_is_told(void **unused) {
    (void)unused;
    scene s = scene_of(SLAB, NULL, 0);
    scene_set(&s, "shift", 0.02);
    scene_set(&s, "push", 0.5);
    scene_rest(&s);
    scene_set(&s, "shift", -0.05);
    assert_int_equal(td_solve_statics(s.system, s.state), TD_LOOSE);
    assert_non_null(strstr(td_message(s.state), "rod 'arm' passes through obstacle 'slab'"));
    assert_non_null(strstr(td_message(s.state), "far side"));
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equilibria_stay_on_the_near_side),
        cmocka_unit_test(steps_do_not_tunnel),
        cmocka_unit_test(what_passes_through_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
