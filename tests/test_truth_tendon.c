// The reference solver of tendon robots (truth_tendon.h) against numbers and laws that it does not
// know: another program's, the plain balance of the total wrench, closed forms.
#include "check.h"

#include "truth_arms.h"
#include "truth_capstan.h"
#include "truth_till2019.h"

static void its_equilibria_are_those_of_another_program(void **unused) {
    (void)unused;
    for (int i = 0; i < TRUTH_PULLS; i++) {
        const truth_pull *c = &truth_pulls[i];
        // the forms differ by their errors along the rod, of fourth order
        double tolerance = c->nodes == 51 ? 1.5e-10 : 1e-11;
        truth_arm arm = truth_paper_arm(c->tension, 0.0);
        arm.rod.gravity[0] = c->gravity_x;
        truth_arm_begin(&arm, c->nodes, true);
        CHECK_BETWEEN(truth_arm_statics(&arm), 0.0, 1e-12);
        const double *tip = truth_arm_tip(&arm);
        double R[9];
        truth_rotation(tip + TRUTH_H, R);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(tip[k], c->tip[k], tolerance);
            CHECK_NEAR(R[3 * k + 2], c->axis[k], 10.0 * tolerance);
            CHECK_NEAR(arm.y[TRUTH_U + k], c->u0[k], 1e-9);
            CHECK_NEAR(tip[TRUTH_U + k], c->uL[k], 1e-9);
            CHECK_NEAR(arm.y[TRUTH_E + k] + (k == 2), c->v0[k], 1e-14);
        }
        for (int k = 0; k < 4; k++) CHECK_NEAR(tip[TRUTH_LENGTHS + k], c->length[k], tolerance);
        truth_arm_free(&arm);
    }
}

static void its_swings_are_those_of_another_program(void **unused) {
    (void)unused;
    const double none[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < TRUTH_SWINGS; i++) {
        const truth_swing *c = &truth_swings[i];
        if (!c->paper_form && !c->cubic) continue;  // another second-order error along the rod
        double tolerance = c->paper_form ? 1e-9 : 1e-8;
        truth_arm arm = truth_paper_arm(none, 0.0);
        arm.rod.gravity[0] = -9.81;
        arm.euler = c->euler;
        truth_arm_begin(&arm, c->nodes, c->cubic);
        truth_arm_statics(&arm);
        CHECK_NEAR(truth_arm_tip(&arm)[0], c->x[0], tolerance);
        arm.tendon[0].tension = 2.0;
        for (int k = 1; k < TRUTH_STEPS; k++) {
            CHECK_BETWEEN(truth_arm_step(&arm, truth_bdf_alpha(-0.03, 1.0 / 60.0)), 0.0, 1e-11);
            CHECK_NEAR(truth_arm_tip(&arm)[0], c->x[k], tolerance);
            CHECK_NEAR(truth_arm_tip(&arm)[2], c->z[k], tolerance);
        }
        truth_arm_free(&arm);
    }
}

// The largest total wrench (N, N m) along an arm without loads: it should vanish.
static double largest_total_wrench(const truth_arm *arm) {
    double worst = 0.0;
    for (int j = 0; j < arm->nodes; j++) {
        const double *y = truth_arm_node(arm, j);
        double v[3] = {y[TRUTH_E], y[TRUTH_E + 1], y[TRUTH_E + 2] + 1.0}, total[6];
        for (int i = 0; i < 3; i++) {
            total[i] = arm->rod.Kse[i] * y[TRUTH_E + i];
            total[3 + i] = arm->rod.Kbt[i] * y[TRUTH_U + i];
        }
        for (int k = 0; k < arm->n_tendons; k++) {
            int end = truth_end_node(arm, &arm->tendon[k]);
            if (end <= j && end < arm->nodes - 1) continue;
            double s = j * truth_arm_ds(arm), g[3], f[3];
            truth_route r = truth_route_at(&arm->tendon[k], arm->rod.length, s);
            double l = truth_path(&r, v, y + TRUTH_U, g);
            double tension = y[TRUTH_LENGTHS + arm->n_tendons + k];
            for (int i = 0; i < 3; i++) f[i] = tension * g[i] / l, total[i] += f[i];
            truth_add_cross(r.r, f, total + 3);
        }
        for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(total[i]));
    }
    return worst;
}

static double wound_wrench(int nodes, double friction) {
    truth_arm arm = truth_paper_arm((const double[4]){2.0, 0.5, 0.0, 0.3}, 20.0);
    arm.tendon[1].rate = -9.0;  // crossing the others
    arm.tendon[1].ends = 0.144;
    arm.tendon[3] = (truth_tendon){.start = {9e-3, -2e-3}, .end = {1e-3, 4e-3}, .tension = 1.0};
    for (int k = 0; k < 4; k++) arm.tendon[k].friction = friction;
    truth_arm_begin(&arm, nodes, true);
    CHECK_BETWEEN(truth_arm_statics(&arm), 0.0, 1e-11);
    double worst = largest_total_wrench(&arm);
    truth_arm_free(&arm);
    return worst;
}

static void the_total_wrench_obeys_the_plain_balance_for_any_routing(void **unused) {
    (void)unused;
    for (double friction = 0.0; friction < 0.5; friction += 0.4) {
        double coarse = wound_wrench(51, friction), fine = wound_wrench(101, friction);
        CHECK_BETWEEN(fine, 0.0, 1e-7);
        CHECK_BETWEEN(coarse / fine, 12.0, 20.0);  // fourth order
    }
}

static void a_tendon_that_ends_half_way_leaves_the_rest_straight(void **unused) {
    (void)unused;
    truth_arm arm = truth_nitinol_arm(1.0);
    arm.n_tendons = 1;
    arm.tendon[0] = truth_straight(8e-3, 0.0, 5.0);
    arm.tendon[0].ends = 0.15;
    truth_arm_begin(&arm, 101, true);
    CHECK_BETWEEN(truth_arm_statics(&arm), 0.0, 1e-12);
    const double *tip = truth_arm_tip(&arm);
    // the section turns by u per unit s, and g = v + u x r is along e3
    double u = 5.0 * 8e-3 / arm.rod.Kbt[0], e = -5.0 / arm.rod.Kse[2], angle = 0.15 * u;
    CHECK_NEAR(arm.y[TRUTH_U + 1], u, 1e-12);
    CHECK_NEAR(tip[TRUTH_U + 1], 0.0, 1e-12);
    CHECK_NEAR(tip[0], (1.0 + e) * (1.0 - cos(angle)) / u + 0.15 * sin(angle), 1e-10);
    CHECK_NEAR(tip[2], (1.0 + e) * sin(angle) / u + 0.15 * cos(angle), 1e-10);
    truth_arm_free(&arm);
}

static void a_displacement_brings_back_the_tension_that_made_it(void **unused) {
    (void)unused;
    truth_arm arm = truth_paper_arm((const double[4]){3.0, 1.0, 0.0, 0.0}, 0.0);
    arm.rod.gravity[0] = -9.81;
    truth_arm_begin(&arm, 51, true);
    truth_arm_statics(&arm);
    double x = truth_arm_tip(&arm)[0];
    for (int k = 0; k < 2; k++) {
        truth_tendon *t = &arm.tendon[k];
        t->compliance = 1e-4;
        t->pull = 0.24 + t->compliance * t->tension - truth_arm_tip(&arm)[TRUTH_LENGTHS + k];
        t->pulled = true, t->tension = 0.5;
    }
    CHECK_BETWEEN(truth_arm_statics(&arm), 0.0, 1e-11);
    CHECK_NEAR(arm.tendon[0].tension, 3.0, 1e-9);
    CHECK_NEAR(arm.tendon[1].tension, 1.0, 1e-9);
    CHECK_NEAR(truth_arm_tip(&arm)[0], x, 1e-10);
    truth_arm_free(&arm);
}

static void friction_on_a_stiff_rod_is_the_closed_form(void **unused) {
    (void)unused;
    truth_cable cable = truth_nitinol(0.3);
    const double T[2] = {5.0, 3.0};
    for (int i = 0; i < 2; i++) {  // pulled; released so far that all of it slides back
        truth_arm arm = truth_nitinol_arm(1e4);
        arm.n_tendons = 1;
        arm.tendon[0] = truth_straight(8e-3, 0.0, T[i]);
        arm.tendon[0].friction = i == 0 ? 0.3 : -0.3;
        truth_arm_begin(&arm, 101, true);
        CHECK_BETWEEN(truth_arm_statics(&arm), 0.0, 1e-10);
        const double *tip = truth_arm_tip(&arm);
        truth_cable_shape shape = truth_cable_bend(&cable, T, i + 1);
        CHECK_NEAR(tip[TRUTH_LENGTHS + 1], truth_cable_tension(&cable, T, i + 1, 0.3), 1e-7);
        CHECK_NEAR(tip[0], shape.x, 1e-8);
        CHECK_NEAR(tip[2], shape.z, 1e-8);
        truth_arm_free(&arm);
    }
}

static void two_rubbing_tendons_under_weight_are_those_of_another_program(void **unused) {
    (void)unused;
    truth_arm arm = truth_nitinol_arm(1.0);
    arm.n_tendons = 2;
    arm.tendon[0] = truth_straight(8e-3, 0.0, 4.0);
    arm.tendon[0].ends = 0.15;
    arm.tendon[1] = truth_straight(0.0, 8e-3, 3.0);
    arm.tendon[0].friction = arm.tendon[1].friction = 0.3;
    arm.rod.gravity[1] = -9.81;
    truth_arm_begin(&arm, 101, true);
    CHECK_BETWEEN(truth_arm_statics(&arm), 0.0, 1e-11);
    // strain collocation with friction on the edges between nodes
    const double tip[3] = {0.08563354, 0.07569951, 0.27108087};
    for (int i = 0; i < 3; i++) CHECK_NEAR(truth_arm_tip(&arm)[i], tip[i], 6e-9);
    truth_arm_free(&arm);
}

static void a_body_at_rest_at_the_tip_weighs_as_a_force(void **unused) {
    (void)unused;
    double x[2];
    for (int i = 0; i < 2; i++) {
        truth_arm arm = truth_paper_arm((const double[4]){2.0, 0.0, 0.0, 0.0}, 0.0);
        arm.rod.gravity[0] = -9.81;
        if (i == 0) arm.tip_mass = 1e-3;
        if (i == 1) arm.force[0] = -9.81e-3;
        truth_arm_begin(&arm, 51, true);
        CHECK_BETWEEN(truth_arm_statics(&arm), 0.0, 1e-11);
        x[i] = truth_arm_tip(&arm)[0];
        truth_arm_free(&arm);
    }
    CHECK_NEAR(x[0], x[1], 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_equilibria_are_those_of_another_program),
        cmocka_unit_test(its_swings_are_those_of_another_program),
        cmocka_unit_test(the_total_wrench_obeys_the_plain_balance_for_any_routing),
        cmocka_unit_test(a_tendon_that_ends_half_way_leaves_the_rest_straight),
        cmocka_unit_test(a_displacement_brings_back_the_tension_that_made_it),
        cmocka_unit_test(friction_on_a_stiff_rod_is_the_closed_form),
        cmocka_unit_test(two_rubbing_tendons_under_weight_are_those_of_another_program),
        cmocka_unit_test(a_body_at_rest_at_the_tip_weighs_as_a_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
