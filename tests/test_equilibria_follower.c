// Loads without a potential: modes that are lost in pairs are seen, and lead to where a damped rod falls.
#include "chains.h"

static const double PI = 3.14159265358979323846;

typedef enum kind { DEAD_FORCE, DEAD_MOMENT, FOLLOWING_FORCE } kind;

// `times` the length under which an upright round rod stands (Greenhill 1881: (7.8373 EI/(rho A g))^(1/3)).
static double length_of(double times) {
    const double EI = 207e9 * PI / 4.0 * 1e-12, weight = 9.81 * 8000.0 * PI * 1e-6;
    return times * pow(7.8373 * EI / weight, 1.0 / 3.0);
}

static world upright(double times, kind what, double size) {
    const double L = length_of(times);
    td_piece_def piece = steel_piece();
    piece.length = L;
    td_options o = chain_options();
    o.nodes = 24, o.tolerance = 1e-8;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 0.0, 0.0, -9.81);
    td_load_def load = point_load("tip", L);
    if (what == DEAD_MOMENT) load.moment[1] = td_constant(size);
    else load.force[0] = td_constant(size);
    if (what == FOLLOWING_FORCE) load.frame = TD_FRAME_BODY;
    add_load(robot, &load);
    return world_make(robot, &o);
}

static void a_rod_too_long_to_stand_falls_whatever_disturbs_it(void **unused) {
    (void)unused;
    const double sizes[] = {1e-4, 1e-5, 1e-3}, L = length_of(2.3);
    double height = 0.0;
    for (int k = DEAD_FORCE; k <= FOLLOWING_FORCE; k++) {
        world w = upright(2.3, (kind)k, sizes[k]);
        double smallest;
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        assert_int_equal(td_get_stability(w.system, w.state, &smallest), TD_OK);
        CHECK_BETWEEN(smallest, 1e-8, 1.0);
        const td_sample tip = td_get_sample(w.system, w.state, 0, L);
        if (k == DEAD_FORCE) height = tip.pose.p[2];
        CHECK_NEAR(tip.pose.p[2], height, 0.02 * L);
        world_free(&w);
    }
}

static void a_rod_short_enough_stands(void **unused) {
    (void)unused;
    const double sizes[] = {1e-4, 1e-5, 1e-3}, L = length_of(0.9);
    for (int k = DEAD_FORCE; k <= FOLLOWING_FORCE; k++) {
        world w = upright(0.9, (kind)k, sizes[k]);
        double smallest;
        assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
        assert_int_equal(td_get_stability(w.system, w.state, &smallest), TD_OK);
        CHECK_NEAR(smallest, 1.0 - pow(0.9, 3.0),
                   0.01);  // of its weight, which is all that matters
        CHECK_NEAR(td_get_sample(w.system, w.state, 0, L).pose.p[2], L, 0.01 * L);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_short_enough_stands),
        cmocka_unit_test(a_rod_too_long_to_stand_falls_whatever_disturbs_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
