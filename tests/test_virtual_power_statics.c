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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_sags_as_the_reference_does),
        cmocka_unit_test(shapes_under_tension_agree),
        cmocka_unit_test(ideal_actuation_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
