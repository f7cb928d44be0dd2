// Rods that carry a plate: the library, which condenses each rod to its ends, under both spatial
// schemes against the coupled shooting system of Till 2019, section 5.1, solved on its own.
#include "truth_robots.h"

#include "truth_till2019.h"

static const double equal[6] = {0.35, 0.35, 0.35, 0.35, 0.35, 0.35};
static const double unequal[6] = {0.36, 0.34, 0.37, 0.35, 0.33, 0.36};

static td_options platform_options(td_space space) {
    td_options o = truth_options(space);
    o.nodes = 16, o.steps = 160;
    return o;
}

static world platform_world(const truth_platform *t, double start, const td_options *o) {
    world w = world_make(truth_platform_robot(t, start), o);
    truth_platform_inputs(&w, t);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

// ---------------------------------------------------------------- equilibria
static void equal_legs_stand_as_in_the_reference(void **unused) {
    (void)unused;
    const truth_stand *c = &truth_stands[1];
    for (int i = 0; i < 2; i++) {
        truth_platform t = truth_paper_platform(equal);
        td_options o = platform_options(truth_spaces[i]);
        world w = platform_world(&t, 0.35, &o);
        td_body_state plate = td_get_body(w.system, w.state, 0);
        CHECK_NEAR(plate.pose.p[0], 0.0, 1e-10);
        CHECK_NEAR(plate.pose.p[1], 0.0, 1e-10);
        CHECK_NEAR(plate.pose.p[2], c->height, 2e-10);
        for (int k = 0; k < 6; k++) {
            td_sample base = td_get_sample(w.system, w.state, k, 0.0);  // upright: body = world
            for (int j = 0; j < 3; j++) {
                CHECK_NEAR(base.wrench[j], c->m0[k][j], 1e-7);
                CHECK_NEAR(base.wrench[3 + j], c->n0[k][j], 1e-6);
            }
        }
        world_free(&w);
    }
}

static void reach(truth_platform *t, double p[3], double R[9]) {
    double coarse[12];
    for (int k = 0; k < 2; k++) {
        double q[12];
        truth_platform_make(t, k ? 101 : 51, true);
        CHECK_BETWEEN(truth_platform_reach(t, 4), 0.0, 1e-10);
        memcpy(q, t->p, sizeof t->p);
        truth_rotation(t->h, q + 3);
        for (int j = 0; j < 12 && k; j++) q[j] += (q[j] - coarse[j]) / 15.0;
        memcpy(coarse, q, sizeof q);
        truth_platform_free(t);
    }
    memcpy(p, coarse, 3 * sizeof(double));
    memcpy(R, coarse + 3, 9 * sizeof(double));
}

static void check_plate(const world *w, const double p[3], const double R[9], double tolerance) {
    double got[9];
    td_body_state plate = td_get_body(w->system, w->state, 0);
    truth_rotation(plate.pose.q, got);
    for (int j = 0; j < 3; j++) CHECK_NEAR(plate.pose.p[j], p[j], tolerance);
    for (int j = 0; j < 9; j++) CHECK_NEAR(got[j], R[j], 10.0 * tolerance);
}

static void unequal_loaded_legs_stand_as_in_the_coupled_system(void **unused) {
    (void)unused;
    truth_platform t = truth_paper_platform(unequal);
    t.force[0] = 0.4, t.force[1] = -0.2, t.moment[1] = 0.02;
    double p[3], R[9];
    reach(&t, p, R);
    for (int i = 0; i < 2; i++) {
        td_options o = platform_options(truth_spaces[i]);
        world w = platform_world(&t, 0.35, &o);
        check_plate(&w, p, R, 1e-9);
        world_free(&w);
    }
}

static void legs_on_ball_joints_stand_as_in_the_coupled_system(void **unused) {
    (void)unused;
    truth_platform t = truth_paper_platform(unequal);
    t.leg[1].ball = t.leg[4].ball = true;
    double p[3], R[9];
    reach(&t, p, R);
    for (int i = 0; i < 2; i++) {
        td_options o = platform_options(truth_spaces[i]);
        world w = platform_world(&t, 0.35, &o);
        check_plate(&w, p, R, 1e-9);
        td_sample tip = td_get_sample(w.system, w.state, 4, unequal[4]);
        for (int j = 0; j < 3; j++) CHECK_NEAR(tip.wrench[j], 0.0, 1e-8);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- motion
enum { SWAYS = 20 };
static const double sway_dt = 1.0 / 120.0, push[2] = {2.0, 0.8};

typedef struct sway {
    double p[SWAYS][3], R[SWAYS][9];
} sway;

// A push on the plate is let go. The plate's velocity comes from its own pose, as in the library.
static sway reference_sway(int nodes) {
    truth_platform t = truth_paper_platform(unequal);
    memcpy(t.force, push, sizeof push);
    t.motion = TRUTH_FROM_POSE;
    sway out;
    truth_platform_make(&t, nodes, true);
    CHECK_BETWEEN(truth_platform_reach(&t, 4), 0.0, 1e-10);
    memset(t.force, 0, sizeof t.force);
    for (int i = 0; i < SWAYS; i++) {
        CHECK_BETWEEN(truth_platform_step(&t, truth_bdf_alpha(-0.2, sway_dt)), 0.0, 1e-9);
        memcpy(out.p[i], t.p, sizeof t.p);
        truth_rotation(t.h, out.R[i]);
    }
    truth_platform_free(&t);
    return out;
}

static sway library_sway(td_space space) {
    truth_platform t = truth_paper_platform(unequal);
    memcpy(t.force, push, sizeof push);
    td_options o = platform_options(space);
    o.scheme = TD_BDF_ALPHA, o.alpha = -0.2;
    o.startup = TD_REST_HISTORY;
    o.steps = 160;
    o.tolerance = 1e-11;
    world w = platform_world(&t, 0.35, &o);
    memset(t.force, 0, sizeof t.force);
    truth_platform_inputs(&w, &t);
    sway out;
    for (int i = 0; i < SWAYS; i++) {
        CHECK_CALL(&w, td_step(w.system, w.state, sway_dt));
        td_pose plate = td_get_body(w.system, w.state, 0).pose;
        memcpy(out.p[i], plate.p, sizeof plate.p);
        truth_rotation(plate.q, out.R[i]);
    }
    world_free(&w);
    return out;
}

static double apart(const sway *a, const sway *b) {
    double worst = 0.0;
    for (int i = 0; i < SWAYS; i++) {
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(a->p[i][k] - b->p[i][k]));
        for (int k = 0; k < 9; k++) worst = fmax(worst, 0.1 * fabs(a->R[i][k] - b->R[i][k]));
    }
    return worst;
}

static void the_plate_sways_as_in_the_coupled_system(void **unused) {
    (void)unused;
    sway coarse = reference_sway(41), want = reference_sway(81);
    double *a = (double *)&coarse, *b = (double *)&want;
    for (int i = 0; i < SWAYS * 12; i++) b[i] += (b[i] - a[i]) / 15.0;
    CHECK_BETWEEN(fabs(want.p[5][0] - want.p[0][0]), 1e-4, 1.0);  // it does move
    for (int i = 0; i < 2; i++) {
        sway got = library_sway(truth_spaces[i]);
        if (apart(&got, &want) > 5e-9)
            fprintf(stderr, "%s: %.3g m\n", truth_space_names[i], apart(&got, &want));
        CHECK_BETWEEN(apart(&got, &want), 0.0, 5e-9);  // Magnus steps: 1e-8 of a leg
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_legs_stand_as_in_the_reference),
        cmocka_unit_test(unequal_loaded_legs_stand_as_in_the_coupled_system),
        cmocka_unit_test(legs_on_ball_joints_stand_as_in_the_coupled_system),
        cmocka_unit_test(the_plate_sways_as_in_the_coupled_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
