// Chambers under pressure, filled with gas or with a fluid that does not compress: both spatial
// schemes of the library against a solver of their own (truth_finger.h), reference numbers and
// closed forms.
#include <string.h>

#include "truth_robots.h"

#include "truth_till2019.h"

static const double full_volume = 2.65e-6, full_amount = 2e-4;

static void fill(truth_finger *f, double part) {
    truth_finger empty = truth_paper_finger(f->fluid);
    f->volume = empty.volume + part * (full_volume - empty.volume);
    f->amount = empty.amount + part * (full_amount - empty.amount);
}

static td_options finger_options(td_space space) {
    td_options o = truth_options(space);
    o.nodes = 12, o.steps = 200;
    o.scheme = TD_BDF_ALPHA, o.alpha = -0.3;
    o.startup = TD_REST_HISTORY;
    return o;
}

static world finger_world(const truth_finger *f, const td_options *o) {
    world w = world_make(truth_finger_robot(f), o);
    truth_finger_input(&w, f);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

// ---------------------------------------------------------------- equilibria
static void a_pressure_bends_a_rod_to_an_arc(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        truth_finger f = truth_paper_finger(TRUTH_GIVEN_PRESSURE);
        f.bar.pressure = 3e4;
        td_options o = finger_options(truth_spaces[i]);
        world w = finger_world(&f, &o);
        double pa = 3e4 * f.bar.area, u = -pa * f.bar.offset[0] / f.bar.rod.Kbt[1];
        double stretch = 1.0 + pa / f.bar.rod.Kse[2], L = f.bar.rod.length;
        CHECK_NEAR(tip_of(&w).p[0], stretch * (1.0 - cos(u * L)) / u, 1e-10);
        CHECK_NEAR(tip_of(&w).p[2], stretch * sin(u * L) / u, 1e-10);
        td_chamber_state c = td_get_chamber(w.system, w.state, 0);
        CHECK_NEAR(c.pressure, 3e4, 0.0);
        CHECK_NEAR(c.volume, f.bar.area * L * (stretch - u * f.bar.offset[0]), 1e-15);
        world_free(&w);
    }
}

// Straight, an arc, straight again: the ends of the chamber carry their caps.
static void a_chamber_in_the_middle_bends_the_middle(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        truth_finger f = truth_paper_finger(TRUTH_GIVEN_PRESSURE);
        td_piece_def piece = truth_piece(&f.bar.rod);
        td_robot *robot = rod_robot(&piece, 1);
        td_error err = {0};
        td_chamber_def def = td_default_chamber_def();
        def.name = "chamber", def.from = 0.02, def.to = 0.07;
        def.offset[1] = 6e-3, def.radius = 2.5e-3;
        def.value = td_constant(4e4);
        CHECK_OK(td_robot_add_chamber(robot, &def, &err), err);
        td_options o = finger_options(truth_spaces[i]);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        double pa = 4e4 * acos(-1.0) * 2.5e-3 * 2.5e-3, u = pa * 6e-3 / f.bar.rod.Kbt[0];
        double stretch = 1.0 + pa / f.bar.rod.Kse[2], angle = 0.05 * u;
        td_pose tip = tip_of(&w);  // away from the chamber
        CHECK_NEAR(tip.p[1], -stretch * (1.0 - cos(angle)) / u - 0.03 * sin(angle), 1e-10);
        CHECK_NEAR(tip.p[2], 0.02 + stretch * sin(angle) / u + 0.03 * cos(angle), 1e-10);
        CHECK_NEAR(td_get_chamber(w.system, w.state, 0).volume,
                   pa / 4e4 * 0.05 * (stretch + u * 6e-3), 1e-14);
        world_free(&w);
    }
}

static void the_finger_bends_as_in_the_reference(void **unused) {
    (void)unused;
    for (int i = 0; i < TRUTH_BENDS; i++) {
        const truth_bend *c = &truth_bends[i];
        if (c->nodes != 99) continue;
        for (int k = 0; k < 2; k++) {
            truth_finger f = truth_paper_finger(c->gas ? TRUTH_GAS : TRUTH_INCOMPRESSIBLE);
            fill(&f, 1.0);
            td_options o = finger_options(truth_spaces[k]);
            world w = finger_world(&f, &o);
            td_chamber_state chamber = td_get_chamber(w.system, w.state, 0);
            CHECK_NEAR(tip_of(&w).p[0], c->x, 1e-9);
            CHECK_NEAR(tip_of(&w).p[2], c->z, 1e-9);
            CHECK_NEAR(chamber.pressure, c->pressure, 1e-3);
            CHECK_NEAR(chamber.volume, c->volume, 1e-14);
            CHECK_NEAR(chamber.amount, c->gas ? full_amount : 0.0, 1e-15);
            world_free(&w);
        }
    }
}

// With weight and a load at the tip, which shear the finger so that the two volumes differ.
static void a_loaded_finger_agrees_with_its_own_solver_for_either_volume(void **unused) {
    (void)unused;
    for (int work = 0; work < 2; work++) {
        truth_finger f = truth_paper_finger(TRUTH_GAS);
        f.bar.work_volume = work;
        f.bar.rod.gravity[1] = -9.81;
        f.force[0] = -0.02, f.moment[2] = 1e-4;
        double want[2][5];
        for (int k = 0; k < 2; k++) {
            truth_bar_make(&f.bar, k ? 101 : 51, true);
            for (int j = 1; j <= 4; j++) {
                fill(&f, 0.2 * j);
                CHECK_BETWEEN(truth_finger_statics(&f), 0.0, 1e-11);
            }
            memcpy(want[k], truth_bar_tip(&f.bar), 3 * sizeof(double));
            want[k][3] = f.bar.pressure;
            want[k][4] = truth_bar_tip(&f.bar)[TRUTH_BAR_V];
            truth_bar_free(&f.bar);
        }
        for (int j = 0; j < 5; j++) want[1][j] += (want[1][j] - want[0][j]) / 15.0;
        for (int i = 0; i < 2; i++) {
            td_options o = finger_options(truth_spaces[i]);
            o.nodes = 16;
            world w = finger_world(&f, &o);
            td_chamber_state chamber = td_get_chamber(w.system, w.state, 0);
            for (int j = 0; j < 3; j++) CHECK_NEAR(tip_of(&w).p[j], want[1][j], 1e-9);
            CHECK_NEAR(chamber.pressure, want[1][3], 1e-3);
            CHECK_NEAR(chamber.volume, want[1][4], 1e-14);
            world_free(&w);
        }
    }
}

// ---------------------------------------------------------------- motion
static void check_filling(const truth_filling *c, const td_options *o, double tolerance,
                          double pressure_tolerance) {
    truth_finger f = truth_paper_finger(c->gas ? TRUTH_GAS : TRUTH_INCOMPRESSIBLE);
    world w = finger_world(&f, o);
    double lo = HUGE_VAL, hi = -HUGE_VAL;
    for (int step = 1, k = 0; step <= 450; step++) {
        fill(&f, fmin(1.0, step / 200.0));
        truth_finger_input(&w, &f);
        CHECK_CALL(&w, td_step(w.system, w.state, 0.01));
        td_pose tip = tip_of(&w);
        if (step >= 200) lo = fmin(lo, tip.p[0]), hi = fmax(hi, tip.p[0]);
        if (step != truth_samples[k]) continue;
        CHECK_NEAR(tip.p[0], c->x[k], tolerance);
        CHECK_NEAR(tip.p[2], c->z[k], tolerance);
        CHECK_NEAR(td_get_chamber(w.system, w.state, 0).pressure, c->pressure[k],
                   pressure_tolerance);
        k++;
    }
    CHECK_NEAR(hi - lo, c->x_range, 2.0 * tolerance);
    world_free(&w);
}

// The reference carries the material wrench, the library the total one: they differ by the error of
// RK4, which is 16 times smaller with twice the nodes.
static void shooting_fills_as_the_same_steps_elsewhere(void **unused) {
    (void)unused;
    for (int i = 0; i < TRUTH_FILLINGS; i++) {
        const truth_filling *c = &truth_fillings[i];
        td_options o = finger_options(TD_SHOOTING);
        o.steps = c->nodes - 1;
        o.history = c->cubic ? TD_CUBIC : TD_LINEAR;
        o.tolerance = 1e-11;
        double part = c->nodes == 50 ? 1.0 : 1.0 / 16.0;
        check_filling(c, &o, part * 4e-7, part * 0.06);
    }
}

static void collocation_fills_as_the_finest_reference(void **unused) {
    (void)unused;
    for (int i = 0; i < TRUTH_FILLINGS; i++) {
        td_options o = finger_options(TD_COLLOCATION);
        if (truth_fillings[i].cubic) check_filling(&truth_fillings[i], &o, 6e-7, 0.1);
    }
}

enum { FILLS = 100 };

static void fill_reference(int nodes, double path[FILLS][3]) {
    truth_finger f = truth_paper_finger(TRUTH_GAS);
    truth_bar_make(&f.bar, nodes, true);
    truth_finger_statics(&f);
    for (int i = 0; i < FILLS; i++) {
        fill(&f, 1.0 * (i + 1) / FILLS);
        CHECK_BETWEEN(truth_finger_step(&f, truth_bdf_alpha(-0.3, 0.01)), 0.0, 1e-11);
        path[i][0] = truth_bar_tip(&f.bar)[0], path[i][1] = truth_bar_tip(&f.bar)[2];
        path[i][2] = f.bar.pressure;
    }
    truth_bar_free(&f.bar);
}

static void both_schemes_fill_as_the_limit_of_the_other_solver(void **unused) {
    (void)unused;
    double coarse[FILLS][3], want[FILLS][3];
    fill_reference(51, coarse);
    fill_reference(101, want);
    for (int k = 0; k < 2; k++) {
        truth_finger f = truth_paper_finger(TRUTH_GAS);
        td_options o = finger_options(truth_spaces[k]);
        o.tolerance = 1e-11;
        world w = finger_world(&f, &o);
        for (int i = 0; i < FILLS; i++) {
            fill(&f, 1.0 * (i + 1) / FILLS);
            truth_finger_input(&w, &f);
            CHECK_CALL(&w, td_step(w.system, w.state, 0.01));
            const double got[3] = {tip_of(&w).p[0], tip_of(&w).p[2],
                                   td_get_chamber(w.system, w.state, 0).pressure};
            for (int j = 0; j < 3; j++) {
                double limit = want[i][j] + (want[i][j] - coarse[i][j]) / 15.0;
                CHECK_NEAR(got[j], limit, j < 2 ? 2e-9 : 2e-3);
            }
        }
        world_free(&w);
    }
}

// A chamber can be emptied, no more; the state stays as it was.
static void a_pressure_below_a_vacuum_is_refused(void **unused) {
    (void)unused;
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.1, piece.youngs_modulus = 1e6, piece.shear_modulus = 4e5;
    piece.density = 1000.0, piece.section.radius = 0.01;
    td_robot *robot = rod_robot(&piece, 1);
    td_chamber_def c = td_default_chamber_def();
    c.name = "c", c.to = 0.1, c.offset[0] = 5e-3, c.radius = 3e-3;
    c.value = (td_number){0.0, 1.0, add_input(robot, "c")};
    CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
    td_options o = td_default_options();
    world w = world_make(robot, &o);
    td_set_input(w.system, w.state, 0, -1.01e5);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose before = td_get_pose(w.system, w.state, 0, 0.1);
    td_set_input(w.system, w.state, 0, -1.02e5);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_ERR_VALUE);
    assert_non_null(strstr(td_message(w.state), "below a vacuum"));
    assert_int_equal(td_step(w.system, w.state, 1e-3), TD_ERR_VALUE);
    td_pose after = td_get_pose(w.system, w.state, 0, 0.1);
    assert_memory_equal(&before, &after, sizeof before);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pressure_below_a_vacuum_is_refused),
        cmocka_unit_test(a_pressure_bends_a_rod_to_an_arc),
        cmocka_unit_test(a_chamber_in_the_middle_bends_the_middle),
        cmocka_unit_test(the_finger_bends_as_in_the_reference),
        cmocka_unit_test(a_loaded_finger_agrees_with_its_own_solver_for_either_volume),
        cmocka_unit_test(shooting_fills_as_the_same_steps_elsewhere),
        cmocka_unit_test(collocation_fills_as_the_finest_reference),
        cmocka_unit_test(both_schemes_fill_as_the_limit_of_the_other_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
