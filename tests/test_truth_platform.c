// The reference solver of rods that carry a plate (truth_platform.h) against the numbers of another
// program, global balance, and the swaying of a stiff plate on light legs.
#include "check.h"

#include "truth_platform.h"
#include "truth_till2019.h"

static void its_equilibrium_is_that_of_another_program(void **unused) {
    (void)unused;
    const double legs[6] = {0.35, 0.35, 0.35, 0.35, 0.35, 0.35};
    for (int i = 0; i < TRUTH_STANDS; i++) {
        const truth_stand *c = &truth_stands[i];
        truth_platform t = truth_paper_platform(legs);
        truth_platform_make(&t, c->nodes, true);
        CHECK_BETWEEN(truth_platform_statics(&t), 0.0, 1e-12);
        CHECK_NEAR(t.p[0], 0.0, 1e-12);
        CHECK_NEAR(t.p[2], c->height, 1e-12);
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 3; j++) {
                CHECK_NEAR(t.leg[k].bar.y[TRUTH_BAR_N + j], c->n0[k][j], 1e-9);
                CHECK_NEAR(t.leg[k].bar.y[TRUTH_BAR_M + j], c->m0[k][j], 1e-10);
            }
        truth_platform_free(&t);
    }
}

// Bases carry the weight of everything, and its moment about the origin.
static void unequal_legs_keep_the_global_balance(void **unused) {
    (void)unused;
    const double legs[6] = {0.36, 0.34, 0.37, 0.35, 0.33, 0.36};
    truth_platform t = truth_paper_platform(legs);
    t.force[0] = 0.4, t.moment[1] = 0.02;
    truth_platform_make(&t, 101, true);
    CHECK_BETWEEN(truth_platform_reach(&t, 4), 0.0, 1e-11);
    double force[3], moment[3], ds;
    for (int i = 0; i < 3; i++) force[i] = t.force[i] + t.mass * t.gravity[i];
    truth_cross(t.p, force, moment);
    for (int i = 0; i < 3; i++) moment[i] += t.moment[i];
    for (int k = 0; k < 6; k++) {
        const truth_bar *bar = &t.leg[k].bar;
        ds = bar->rod.length / (bar->nodes - 1);
        for (int j = 0; j < bar->nodes; j++) {  // Simpson
            const double *y = bar->y + j * TRUTH_BAR_STATE;
            double weight = ds / 3.0 *
                            (j == 0 || j == bar->nodes - 1 ? 1.0
                             : j % 2                       ? 4.0
                                                           : 2.0),
                   f[3];
            for (int i = 0; i < 3; i++)
                f[i] = weight * bar->rod.mass * t.gravity[i], force[i] += f[i];
            truth_add_cross(y, f, moment);
        }
        for (int i = 0; i < 3; i++) {
            force[i] -= bar->y[TRUTH_BAR_N + i];
            moment[i] -= bar->y[TRUTH_BAR_M + i];
        }
        double n[3] = {-bar->y[TRUTH_BAR_N], -bar->y[TRUTH_BAR_N + 1], -bar->y[TRUTH_BAR_N + 2]};
        truth_add_cross(t.leg[k].base, n, moment);
    }
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(force[i], 0.0, 1e-11);
        CHECK_NEAR(moment[i], 0.0, 1e-8);
    }
    truth_platform_free(&t);
}

// Two parallel legs without mass or weight: a flexural guide, sideways stiffness 2 * 12 EI/L^3.
static truth_platform guide(void) {
    truth_platform t = {.n_legs = 2, .mass = 0.5, .inertia = {1.0, 1.0, 1.0}};
    for (int k = 0; k < 2; k++) {
        t.leg[k].bar.rod = truth_round_rod(0.3, 1e-3, 207e9, 80e9, 1e-6);
        t.leg[k].base[0] = t.leg[k].plate[0] = k ? 0.05 : -0.05;
    }
    t.x[2] = 1.0;
    return t;
}

// A small push is let go; undamped (trapezoidal rule), the period is that of mass and stiffness.
static double guide_period(truth_plate_motion motion, double dt) {
    truth_platform t = guide();
    t.motion = motion;
    t.force[0] = 1e-3;
    truth_platform_make(&t, 41, true);
    CHECK_BETWEEN(truth_platform_statics(&t), 0.0, 1e-12);
    t.force[0] = 0.0;
    double before = t.p[0], first = 0.0, period = 0.0, time = 0.0;
    for (int i = 0; i < 400 && period == 0.0; i++) {
        CHECK_BETWEEN(truth_platform_step(&t, truth_bdf_alpha(-0.5 + 1e-9, dt)), 0.0, 1e-11);
        double cross = time + dt * before / (before - t.p[0]);
        time += dt;
        if (before > 0.0 && t.p[0] <= 0.0 && first == 0.0) first = cross;
        else if (before > 0.0 && t.p[0] <= 0.0) period = cross - first;
        before = t.p[0];
    }
    truth_platform_free(&t);
    return period;
}

static void a_plate_on_two_legs_sways_with_the_period_of_a_guide(void **unused) {
    (void)unused;
    truth_platform t = guide();
    double stiffness = 2.0 * 12.0 * t.leg[0].bar.rod.Kbt[0] / (0.3 * 0.3 * 0.3);
    double period = 2.0 * acos(-1.0) * sqrt(0.5 / stiffness);
    for (truth_plate_motion m = TRUTH_FROM_LEGS; m <= TRUTH_FROM_POSE; m++)
        CHECK_NEAR(guide_period(m, period / 100.0), period, 1e-3 * period);
}

static void a_ball_joint_carries_no_moment(void **unused) {
    (void)unused;
    const double legs[6] = {0.35, 0.35, 0.35, 0.35, 0.35, 0.35};
    truth_platform t = truth_paper_platform(legs);
    t.leg[5].ball = true;
    truth_platform_make(&t, 51, true);
    CHECK_BETWEEN(truth_platform_statics(&t), 0.0, 1e-11);
    const double *tip = truth_bar_tip(&t.leg[5].bar);
    for (int i = 0; i < 3; i++) CHECK_NEAR(tip[TRUTH_BAR_M + i], 0.0, 1e-11);
    truth_platform_free(&t);
}

// One leg that carries a body is pushed out of its base under a load, faster and faster: how far
// the velocity of its tip is from the rate of its position, as the time formula sees it (m/s).
static double feed_error(double dt) {
    truth_platform t = {.n_legs = 1, .mass = 0.01, .inertia = {1e-5, 1e-5, 1e-5}};
    t.leg[0].bar.rod = truth_round_rod(0.3, 1e-3, 207e9, 80e9, 8000.0);
    t.force[0] = 1.0;
    t.x[2] = 1.0;
    truth_platform_make(&t, 41, true);
    CHECK_BETWEEN(truth_platform_statics(&t), 0.0, 1e-11);
    double p[3][3] = {{0.0}}, worst = 0.0, R[9], v[3];
    for (int i = 1; i <= (int)lround(0.1 / dt); i++) {
        double time = i * dt, rate = 2.0 * time, length = 0.3 + time * time;
        truth_platform_feed(&t, &length, &rate);
        CHECK_BETWEEN(truth_platform_step(&t, truth_bdf_alpha(0.0, dt)), 0.0, 1e-9);
        memmove(p[1], p[0], 2 * sizeof p[0]);
        memcpy(p[0], t.p, sizeof t.p);
    }
    const double *tip = truth_bar_tip(&t.leg[0].bar);
    truth_rotation(tip + 3, R);
    truth_mul(R, tip + TRUTH_BAR_Q, v);
    for (int k = 0; k < 3; k++)
        worst = fmax(worst, fabs(v[k] - (1.5 * p[0][k] - 2.0 * p[1][k] + 0.5 * p[2][k]) / dt));
    truth_platform_free(&t);
    return worst;
}

static void a_leg_pushed_out_of_its_base_moves_as_its_velocity_says(void **unused) {
    (void)unused;
    double coarse = feed_error(4e-3), fine = feed_error(2e-3);
    CHECK_BETWEEN(fine, 0.0, 1e-3);
    CHECK_BETWEEN(coarse / fine, 3.0, 6.0);  // second order
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_equilibrium_is_that_of_another_program),
        cmocka_unit_test(unequal_legs_keep_the_global_balance),
        cmocka_unit_test(a_plate_on_two_legs_sways_with_the_period_of_a_guide),
        cmocka_unit_test(a_ball_joint_carries_no_moment),
        cmocka_unit_test(a_leg_pushed_out_of_its_base_moves_as_its_velocity_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
