// Equilibria of discs on a core that are what they say: none that does not hold passes as fine, and
// what the model leaves out is told.
#include <string.h>
#include <tendril/tendril.h>

#include "check.h"
#include "math/quat.h"
#include "rods.h"

#define PI 3.14159265358979323846
#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static td_options power(int discs) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "virtual_power");
    o.virtual_power.discs = discs;
    return o;
}

// ---------------------------------------------------------------- columns
static world column(double eulers, bool torsion, double moment) {
    const double EI = 207e9 * PI * 1e-12 / 4.0;
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_force(robot, 0.4, 0.0, 0.0, -eulers * PI * PI / 4.0 * EI / 0.16);
    if (moment != 0.0) add_tip_moment(robot, 0.4, 0.0, moment, 0.0);
    td_options o = power(32);
    o.virtual_power.torsion = torsion;
    return world_make(robot, &o);
}

// Fixed and free, with the tip turned by a: with k = sin(a/2) the load is (2 K(k)/pi)^2 of Euler's,
// the tip is at 2 E(k)/K(k) - 1 of the length and 2 k/K(k) to the side. Both bending modes are lost
// at once, which a sign of a determinant does not see.
static void a_column_beyond_eulers_load_is_an_elastica(void **unused) {
    (void)unused;
    static const double K[2] = {1.6857503548125961, 2.1565156474996432},
                        E[2] = {1.4674622093394272, 1.2110560275684595},
                        k[2] = {0.5, 0.86602540378443865};  // a = 60 and 120 degrees
    for (int i = 0; i < 4; i++) {
        const int at = i / 2;
        const double load = 4.0 * K[at] * K[at] / (PI * PI);
        world w = column(load, i % 2, 0.0);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
        assert_non_null(strstr(td_message(w.state), "lost its stability at"));
        CHECK_NEAR(td_get_stats(w.state)->bifurcation, 0.5 / load, 2e-3);  // the first of two legs
        const td_pose tip = tip_of(&w);
        CHECK_NEAR(tip.p[2] / 0.4, 2.0 * E[at] / K[at] - 1.0, 2e-3);
        CHECK_NEAR(hypot(tip.p[0], tip.p[1]) / 0.4, 2.0 * k[at] / K[at], 2e-3);
        double stability;
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &stability));
        CHECK_NEAR(stability, 0.0, 1e-6);  // a round one may turn about its axis
        world_free(&w);
    }
    world w = column(0.98, false, 0.0);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
    CHECK_NEAR(tip_of(&w).p[2], 0.4, 1e-12);
    world_free(&w);
}

// A dead moment has no potential, so no energy's second variation is there to be judged.
static void a_small_moment_does_not_hold_it_upright(void **unused) {
    (void)unused;
    world w = column(1.3, false, 1e-5);
    assert_true(td_solve_statics(w.system, w.state) >= 0);
    assert_true(tip_of(&w).p[2] < 0.3);
    assert_true(tip_of(&w).p[0] > 0.1);  // to the side of the moment
    double stability;
    CHECK_CALL(&w, td_get_stability(w.system, w.state, &stability));
    assert_true(stability > 0.0);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_beyond_eulers_load_is_an_elastica),
        cmocka_unit_test(a_small_moment_does_not_hold_it_upright),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
