// Rods of several pieces that are fed out of their base, with tendons, bodies and loads along them: what is fixed to the
// material moves on with it.
#include <string.h>

#include "fed.h"

#define SHAFT 0.08
#define TIP 0.04

static void add_tendon(td_robot *robot, const char *name, double from, double to, int input) {
    td_error err = {0};
    td_tendon_def t = td_default_tendon_def();
    t.name = name, t.from = from, t.to = to, t.value = driven(input);
    t.offset[input % 2] = t.offset_end[input % 2] = 2e-3;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
}

// A catheter: a shaft of length `shaft`, and a softer tip that tapers and is curved at rest. A tendon ends at the shaft's end,
// another runs in the tip alone; a ring rides half-way along the tip and a force pulls at a place of it. Inputs: 0 feeds,
// 1 and 2 pull.
static world catheter(double shaft, const td_options *o) {
    td_error err = {0};
    td_piece_def pieces[2] = {fed_piece(shaft, 0.5e-3, 0.5e-3, MODULUS),
                              fed_piece(TIP, 0.4e-3, 0.3e-3, 0.5 * MODULUS)};
    pieces[1].rest_curvature[1] = 8.0;
    td_robot *robot = td_robot_create();
    td_rod_def rod = td_default_rod_def();
    add_input(robot, "feed"), add_input(robot, "x"), add_input(robot, "y");
    rod.name = "wire", rod.pieces = pieces, rod.n_pieces = 2, rod.feed = driven(0);
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 5.0, -9.81);
    add_tendon(robot, "x", 0.0, shaft, 1);
    add_tendon(robot, "y", shaft, shaft + TIP, 2);
    td_body_def ring = td_default_body_def();
    ring.name = "ring", ring.at = shaft + 0.5 * TIP, ring.mass = 1e-4;
    CHECK_OK(td_robot_add_body(robot, &ring, &err), err);
    td_load_def pull = td_default_load_def();
    pull.name = "pull", pull.from = shaft + 0.75 * TIP, pull.force[0] = td_constant(0.01);
    CHECK_OK(td_robot_add_load(robot, &pull, &err), err);
    return world_make(robot, o);
}

static void a_fed_catheter_stands_as_a_longer_one(void **unused) {
    (void)unused;
    for (int theory = 0; theory < 2; theory++) {
        const td_options o = fed_options((td_theory)theory);
        static const double feeds[2] = {0.05, -0.05};
        for (int k = 0; k < 2; k++) {
            world fed = catheter(SHAFT, &o), longer = catheter(SHAFT + feeds[k], &o);
            solve_at(&fed, feeds[k], 1.0, 0.4);
            solve_at(&longer, 0.0, 1.0, 0.4);
            const double l = SHAFT + TIP + feeds[k];
            CHECK_NEAR(td_get_length(fed.system, fed.state, 0), l, 1e-15);
            for (int i = 0; i <= 8; i++) {
                const td_pose a = td_get_pose(fed.system, fed.state, 0, l * i / 8.0),
                              b = td_get_pose(longer.system, longer.state, 0, l * i / 8.0);
                for (int j = 0; j < 3; j++) CHECK_NEAR(a.p[j], b.p[j], 1e-10);
            }
            const double here = td_get_tension(fed.system, fed.state, 1, l - 0.5 * TIP);
            CHECK_NEAR(here, 0.4, 1e-12);
            CHECK_NEAR(td_get_body(fed.system, fed.state, 0).pose.p[0],
                       td_get_body(longer.system, longer.state, 0).pose.p[0], 1e-10);
            world_free(&fed);
            world_free(&longer);
        }
    }
}

// Tendons run along the same material however much of it is out.
static void tendons_run_where_those_of_a_longer_one_do(void **unused) {
    (void)unused;
    const td_options o = fed_options(TD_COSSERAT);
    static const double feeds[2] = {0.05, -0.05};
    for (int k = 0; k < 2; k++) {
        world fed = catheter(SHAFT, &o), longer = catheter(SHAFT + feeds[k], &o);
        solve_at(&fed, feeds[k], 1.0, 0.4);
        solve_at(&longer, 0.0, 1.0, 0.4);
        const double l = SHAFT + TIP + feeds[k];
        CHECK_NEAR(td_get_place(fed.system, fed.state, 0, 0.5 * SHAFT), 0.5 * (SHAFT + feeds[k]),
                   1e-15);
        CHECK_NEAR(td_get_place(fed.system, fed.state, 0, SHAFT), SHAFT + feeds[k], 1e-15);
        CHECK_NEAR(td_get_place(fed.system, fed.state, 0, SHAFT + 0.01), SHAFT + 0.01 + feeds[k],
                   1e-15);
        CHECK_NEAR(td_get_place(fed.system, fed.state, 0, 1.0), l, 1e-15);
        CHECK_NEAR(td_get_place(longer.system, longer.state, 0, 0.02), 0.02, 0.0);
        for (int tendon = 0; tendon < 2; tendon++) {
            for (int i = 0; i <= 4; i++) {
                double a[3], b[3];
                td_get_tendon_point(fed.system, fed.state, tendon, i / 4.0, a);
                td_get_tendon_point(longer.system, longer.state, tendon, i / 4.0, b);
                for (int j = 0; j < 3; j++) CHECK_NEAR(a[j], b[j], 1e-10);
            }
            for (int i = 0; i < 32; i++) {
                const double s = l * (i + 0.5) / 32.0;
                const double want = td_get_tension(longer.system, longer.state, tendon, s);
                CHECK_NEAR(td_get_tension(fed.system, fed.state, tendon, s), want, 1e-12);
            }
        }
        world_free(&fed);
        world_free(&longer);
    }
}

static void the_jacobian_by_the_feed_is_that_of_differences(void **unused) {
    (void)unused;
    const td_options o = fed_options(TD_COSSERAT);
    const double h = 1e-5;
    world w = catheter(SHAFT, &o);
    double J[18], p[2][3];
    for (int k = 0; k < 2; k++) {
        solve_at(&w, 0.02 + (k ? h : -h), 1.0, 0.4);
        const td_pose tip = fed_tip(&w);
        memcpy(p[k], tip.p, sizeof p[k]);
    }
    solve_at(&w, 0.02, 1.0, 0.4);
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, SHAFT + TIP + 0.02, J));
    for (int k = 0; k < 3; k++) CHECK_NEAR(J[(3 + k) * 3], (p[1][k] - p[0][k]) / (2.0 * h), 1e-6);
    world_free(&w);
}

static double imbalance(td_theory theory, int steps, double *stored, double tip[3]) {
    const td_options o = fed_options(theory);
    return fed_imbalance(catheter(SHAFT, &o), steps, stored, tip);
}

static void feeders_and_tendons_do_the_work_that_is_stored(void **unused) {
    (void)unused;
    for (int theory = 0; theory < 2; theory++) {
        double stored, tip[3];
        const double coarse = fabs(imbalance((td_theory)theory, 200, &stored, tip));
        const double fine = fabs(imbalance((td_theory)theory, 400, &stored, tip));
        assert_true(fabs(stored) > 1e-4);
        CHECK_BETWEEN(fine, 0.0, 2e-5 * fabs(stored));
        CHECK_BETWEEN(coarse / fine, 2.5, 6.0);  // second order
    }
}

// Slowly, it goes through equilibria.
static void fed_slowly_it_ends_as_a_longer_one(void **unused) {
    (void)unused;
    const td_options o = fed_options(TD_KIRCHHOFF);
    double stored, tip[3];
    imbalance(TD_KIRCHHOFF, 400, &stored, tip);
    world longer = catheter(SHAFT + 0.05, &o);
    solve_at(&longer, 0.0, 1.0, 0.4);
    const td_pose want = td_get_pose(longer.system, longer.state, 0, SHAFT + TIP + 0.05);
    for (int k = 0; k < 3; k++) CHECK_NEAR(tip[k], want.p[k], 5e-5);
    world_free(&longer);
}

static void what_is_not_all_out_is_refused(void **unused) {
    (void)unused;
    const td_options o = fed_options(TD_COSSERAT);
    world w = catheter(SHAFT, &o);
    solve_at(&w, 0.01, 0.5, 0.2);
    td_set_input(w.system, w.state, 0, -SHAFT - 0.01);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_ERR_VALUE);
    assert_non_null(strstr(td_message(w.state), "where something is on it"));
    CHECK_NEAR(td_get_length(w.system, w.state, 0), SHAFT + TIP + 0.01, 1e-15);
    world_free(&w);
}

// A robot of a shaft and a tip with one tendon, and how making a system of it fails.
static td_status refused(td_space space, td_tendon_def t, td_error *err) {
    td_piece_def pieces[2] = {fed_piece(SHAFT, 0.5e-3, 0.5e-3, MODULUS),
                              fed_piece(TIP, 0.4e-3, 0.4e-3, 0.5 * MODULUS)};
    td_robot *robot = td_robot_create();
    td_rod_def rod = td_default_rod_def();
    td_options o = fed_options(TD_COSSERAT);
    o.space = space;
    add_input(robot, "feed");
    rod.name = "wire", rod.pieces = pieces, rod.n_pieces = 2, rod.feed = driven(0);
    CHECK_OK(td_robot_add_rod(robot, &rod, err), *err);
    CHECK_OK(td_robot_add_tendon(robot, &t, err), *err);
    td_system *system = td_system_create(robot, &o, err);
    const td_status status = system ? TD_OK : err->status;
    td_system_destroy(system);
    td_robot_destroy(robot);
    return status;
}

static td_tendon_def cord(void) {
    td_tendon_def t = td_default_tendon_def();
    t.name = "cord", t.to = SHAFT + TIP, t.offset[0] = t.offset_end[0] = 2e-3;
    return t;
}

static void shooting_says_that_it_cannot(void **unused) {
    (void)unused;
    td_error err = {0};
    assert_int_equal(refused(TD_COLLOCATION, cord(), &err), TD_OK);
    assert_int_equal(refused(TD_SHOOTING, cord(), &err), TD_ERR_UNSUPPORTED);
    assert_string_equal(err.where, "rods.wire.feed");
    assert_non_null(strstr(err.message, "the space scheme shooting feeds uniform rods alone"));
}

static void tendons_are_parallel_where_it_gets_longer(void **unused) {
    (void)unused;
    td_error err = {0};
    td_tendon_def aslant = cord(), helix = cord();
    aslant.offset_end[0] = 1e-3;
    assert_int_equal(refused(TD_COLLOCATION, aslant, &err), TD_ERR_VALUE);
    assert_string_equal(err.where, "tendons.cord");
    assert_non_null(strstr(err.message, "goes aside by 0.00833333 m per m"));
    assert_non_null(strstr(err.message, "rod 'wire' is fed"));
    assert_non_null(strstr(err.message, "parallel to the axis"));
    helix.routing = TD_ROUTING_HELIX, helix.radius = 2e-3;
    helix.turns = 12.0;  // back where it entered after every eighth of the shaft
    assert_int_equal(refused(TD_COLLOCATION, helix, &err), TD_ERR_VALUE);
    helix.from = SHAFT;  // in the tip it may
    assert_int_equal(refused(TD_COLLOCATION, helix, &err), TD_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fed_catheter_stands_as_a_longer_one),
        cmocka_unit_test(tendons_run_where_those_of_a_longer_one_do),
        cmocka_unit_test(the_jacobian_by_the_feed_is_that_of_differences),
        cmocka_unit_test(feeders_and_tendons_do_the_work_that_is_stored),
        cmocka_unit_test(fed_slowly_it_ends_as_a_longer_one),
        cmocka_unit_test(what_is_not_all_out_is_refused),
        cmocka_unit_test(shooting_says_that_it_cannot),
        cmocka_unit_test(tendons_are_parallel_where_it_gets_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
