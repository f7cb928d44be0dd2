// The closed forms of a rubbing tendon (truth_capstan.h) against numbers of another program (strain
// collocation with friction on the edges between nodes, in Python) and against themselves.
#include "check.h"

#include "truth_capstan.h"

static void the_pull_has_the_tension_and_angle_of_the_closed_form(void **unused) {
    (void)unused;
    truth_cable cable = truth_nitinol(0.3);
    const double T = 5.0;
    truth_cable_shape tip = truth_cable_bend(&cable, &T, 1);
    CHECK_NEAR(cable.EI, 0.01131444594190, 1e-14);
    CHECK_NEAR(truth_cable_tension(&cable, &T, 1, 0.3), 3.793116414105, 1e-12);
    CHECK_NEAR(tip.angle, 0.920833194566, 1e-12);
    double k = 0.3 * cable.offset / cable.EI;
    CHECK_NEAR(tip.angle, log(1.0 + k * T * 0.3) / 0.3, 1e-12);
    CHECK_NEAR(tip.x, 0.13419514, 5e-9);
    CHECK_NEAR(tip.z, 0.25657850, 5e-9);
}

static void a_partial_release_has_a_front(void **unused) {
    (void)unused;
    truth_cable cable = truth_nitinol(0.3);
    const double T[2] = {5.0, 4.0};
    double k = 0.3 * cable.offset / cable.EI, front = (1.0 / 4.0 - 1.0 / 5.0) / (2.0 * k);
    CHECK_NEAR(front, 0.117859, 5e-7);
    CHECK_NEAR(truth_cable_tension(&cable, T, 2, 1.01 * front),
               truth_cable_tension(&cable, T, 1, 1.01 * front), 0.0);
    CHECK_BETWEEN(truth_cable_tension(&cable, T, 2, 0.99 * front), 4.0,
                  0.999 * truth_cable_tension(&cable, T, 1, 0.99 * front));
    CHECK_NEAR(truth_cable_bend(&cable, T, 2).angle, 0.8794247946, 2e-9);
}

static void a_cycle_loses_the_work_of_the_loop(void **unused) {
    (void)unused;
    truth_cable cable = truth_nitinol(0.3);
    CHECK_NEAR(truth_cable_loop(&cable, 0.5, 5.0), 2.631213e-3, 1e-7);
}

// The other program rounds the turning off near zero, sqrt(k^2 + e^2) - e with e = 0.01 1/m, which
// takes 0.3 % off the friction: 5.078788 N, 0.13921222 m, 62.9 um.
static void antagonists_pulled_apart_leave_one_slack(void **unused) {
    (void)unused;
    truth_cable cable = truth_nitinol(0.2);
    truth_antagonists pair = truth_cable_pair(&cable, 2.0, 20e3, 50e-6, 8e-3);
    CHECK_NEAR(pair.tension, 5.078788, 2e-3);
    CHECK_NEAR(pair.tip.x, 0.13921222, 2e-5);
    CHECK_NEAR(pair.gap, 62.9e-6, 0.2e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pull_has_the_tension_and_angle_of_the_closed_form),
        cmocka_unit_test(a_partial_release_has_a_front),
        cmocka_unit_test(a_cycle_loses_the_work_of_the_loop),
        cmocka_unit_test(antagonists_pulled_apart_leave_one_slack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
