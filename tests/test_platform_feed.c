// Rods that are pushed out of their bases: both spatial schemes against the coupled shooting system,
// whose history follows the material, and against what a velocity is.
#include "truth_robots.h"

static td_options feed_options(td_space space) {
    td_options o = truth_options(space);
    o.nodes = 12, o.steps = 80;
    o.scheme = TD_BDF2;
    o.startup = TD_REST_HISTORY;
    o.tolerance = 1e-11;
    return o;
}

// One leg that carries a body, bent by a load.
static truth_platform one_leg(void) {
    truth_platform t = {.n_legs = 1, .mass = 0.01, .inertia = {1e-5, 1e-5, 1e-5}};
    t.leg[0].bar.rod = truth_round_rod(0.3, 1e-3, 207e9, 80e9, 8000.0);
    t.force[0] = 1.0;
    t.motion = TRUTH_FROM_POSE;
    t.x[2] = 1.0;
    return t;
}

static world fed_world(const truth_platform *t, const td_options *o) {
    world w = world_make(truth_fed_robot(t, t->leg[0].bar.rod.length, true), o);
    truth_platform_inputs(&w, t);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

static void feed(const world *w, int leg, double value, double rate) {
    td_set_input(w->system, w->state, 3 + leg, value);
    td_set_input_rate(w->system, w->state, 3 + leg, rate);
}

// ---------------------------------------------------------------- statics
static void a_fed_rod_stands_as_a_longer_one(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        td_options o = feed_options(truth_spaces[i]);
        truth_platform t = one_leg();
        world fed = fed_world(&t, &o);
        feed(&fed, 0, 0.05, 0.0);
        CHECK_CALL(&fed, td_solve_statics(fed.system, fed.state));
        t.leg[0].bar.rod.length = 0.35;
        world longer = fed_world(&t, &o);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(td_get_body(fed.system, fed.state, 0).pose.p[k],
                       td_get_body(longer.system, longer.state, 0).pose.p[k], 1e-11);
        CHECK_NEAR(td_get_length(fed.system, fed.state, 0), 0.35, 1e-15);
        world_free(&fed);
        world_free(&longer);
    }
}

// ---------------------------------------------------------------- motion
// Faster and faster: the velocity of the tip less the rate of its position, as the time formula has it
// (m/s).
static double velocity_error(td_space space, double dt) {
    td_options o = feed_options(space);
    truth_platform t = one_leg();
    world w = fed_world(&t, &o);
    double p[3][3] = {{0.0}}, worst = 0.0, R[9], v[3];
    for (int i = 1; i <= (int)lround(0.1 / dt); i++) {
        double time = i * dt;
        feed(&w, 0, time * time, 2.0 * time);
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
        memmove(p[1], p[0], 2 * sizeof p[0]);
        td_pose tip = td_get_pose(w.system, w.state, 0, td_get_length(w.system, w.state, 0));
        memcpy(p[0], tip.p, sizeof tip.p);
    }
    td_sample tip = td_get_sample(w.system, w.state, 0, td_get_length(w.system, w.state, 0));
    truth_rotation(tip.pose.q, R);
    truth_mul(R, tip.velocity + 3, v);
    for (int k = 0; k < 3; k++)
        worst = fmax(worst, fabs(v[k] - (1.5 * p[0][k] - 2.0 * p[1][k] + 0.5 * p[2][k]) / dt));
    world_free(&w);
    return worst;
}

static void a_fed_rod_moves_as_its_velocity_says(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        double coarse = velocity_error(truth_spaces[i], 4e-3);
        double fine = velocity_error(truth_spaces[i], 2e-3);
        if (fine > 1e-4) fprintf(stderr, "%s: %.3g m/s\n", truth_space_names[i], fine);
        CHECK_BETWEEN(fine, 0.0, 1e-4);
        CHECK_BETWEEN(coarse, 0.0, 4e-4);
    }
}

// Work less what is stored, under weight (J): the material brings along what it holds at the base.
static double imbalance(td_space space, double dt) {
    td_options o = feed_options(space);
    truth_platform t = one_leg();
    t.gravity[2] = -9.81;
    world w = fed_world(&t, &o);
    td_energy before = td_get_energy(w.system, w.state);
    for (int i = 1; i <= (int)lround(0.1 / dt); i++) {
        double time = i * dt;
        feed(&w, 0, time * time, 2.0 * time);
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
    }
    td_energy e = td_get_energy(w.system, w.state);
    world_free(&w);
    return e.work - e.dissipated - (e.kinetic - before.kinetic) - (e.elastic - before.elastic) -
           (e.gravity - before.gravity);
}

static void the_work_on_a_fed_rod_is_what_it_stores(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {  // of 4 mJ
        double coarse = fabs(imbalance(truth_spaces[i], 4e-3));
        double fine = fabs(imbalance(truth_spaces[i], 2e-3));
        CHECK_BETWEEN(fine, 0.0, 3e-6);
        CHECK_BETWEEN(coarse / fine, 3.0, 6.0);  // second order
    }
}

enum { STEPS = 25 };

static void feed_reference(int nodes, double path[STEPS][3]) {
    truth_platform t = one_leg();
    truth_platform_make(&t, nodes, true);
    CHECK_BETWEEN(truth_platform_statics(&t), 0.0, 1e-11);
    for (int i = 0; i < STEPS; i++) {
        double time = (i + 1) * 4e-3, rate = 2.0 * time, length = 0.3 + time * time;
        truth_platform_feed(&t, &length, &rate);
        CHECK_BETWEEN(truth_platform_step(&t, truth_bdf_alpha(0.0, 4e-3)), 0.0, 1e-9);
        memcpy(path[i], t.p, sizeof t.p);
    }
    truth_platform_free(&t);
}

static void a_fed_rod_swings_as_in_the_coupled_system(void **unused) {
    (void)unused;
    double coarse[STEPS][3], want[STEPS][3];
    feed_reference(41, coarse);
    feed_reference(81, want);
    for (int k = 0; k < 2; k++) {
        td_options o = feed_options(truth_spaces[k]);
        truth_platform t = one_leg();
        world w = fed_world(&t, &o);
        double worst = 0.0;
        for (int i = 0; i < STEPS; i++) {
            double time = (i + 1) * 4e-3;
            feed(&w, 0, time * time, 2.0 * time);
            CHECK_CALL(&w, td_step(w.system, w.state, 4e-3));
            td_body_state plate = td_get_body(w.system, w.state, 0);
            for (int j = 0; j < 3; j++) {
                double limit = want[i][j] + (want[i][j] - coarse[i][j]) / 15.0;
                worst = fmax(worst, fabs(plate.pose.p[j] - limit));
            }
        }
        if (worst > 1e-9) fprintf(stderr, "%s: %.3g m\n", truth_space_names[k], worst);
        CHECK_BETWEEN(worst, 0.0, 1e-9);
        world_free(&w);
    }
}

// All six legs of the platform at rates of their own: the plate's centre.
enum { MOVES = 10 };
static const double legs[6] = {0.36, 0.34, 0.37, 0.35, 0.33, 0.36};
static const double leg_rates[6] = {0.2, -0.1, 0.0, 0.3, 0.1, -0.2};  // m/s after 0.1 s
static const double move_dt = 1.0 / 120.0;

static double leg_fed(int leg, double time) {
    return 5.0 * leg_rates[leg] * time * time;
}

static void move_reference(int nodes, double path[MOVES][3]) {
    truth_platform t = truth_paper_platform(legs);
    t.motion = TRUTH_FROM_POSE;
    truth_platform_make(&t, nodes, true);
    CHECK_BETWEEN(truth_platform_reach(&t, 4), 0.0, 1e-10);
    for (int i = 0; i < MOVES; i++) {
        double time = (i + 1) * move_dt, lengths[6], rates[6];
        for (int k = 0; k < 6; k++) {
            lengths[k] = legs[k] + leg_fed(k, time);
            rates[k] = 10.0 * leg_rates[k] * time;
        }
        truth_platform_feed(&t, lengths, rates);
        CHECK_BETWEEN(truth_platform_step(&t, truth_bdf_alpha(0.0, move_dt)), 0.0, 1e-9);
        memcpy(path[i], t.p, sizeof t.p);
    }
    truth_platform_free(&t);
}

static void the_platform_moves_with_its_legs_as_in_the_coupled_system(void **unused) {
    (void)unused;
    double coarse[MOVES][3], want[MOVES][3];
    move_reference(41, coarse);
    move_reference(81, want);
    CHECK_BETWEEN(fabs(want[MOVES - 1][0] - want[0][0]), 1e-3, 1.0);  // it does move
    for (int k = 0; k < 2; k++) {
        td_options o = feed_options(truth_spaces[k]);
        o.nodes = 16, o.steps = 120;
        truth_platform t = truth_paper_platform(legs);
        world w = world_make(truth_fed_robot(&t, 0.35, true), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        double worst = 0.0;
        for (int i = 0; i < MOVES; i++) {
            double time = (i + 1) * move_dt;
            for (int j = 0; j < 6; j++) feed(&w, j, leg_fed(j, time), 10.0 * leg_rates[j] * time);
            CHECK_CALL(&w, td_step(w.system, w.state, move_dt));
            td_pose plate = td_get_body(w.system, w.state, 0).pose;
            for (int j = 0; j < 3; j++)
                worst =
                    fmax(worst, fabs(plate.p[j] - want[i][j] - (want[i][j] - coarse[i][j]) / 15.0));
        }
        if (worst > 5e-9) fprintf(stderr, "%s: %.3g m\n", truth_space_names[k], worst);
        CHECK_BETWEEN(worst, 0.0, 5e-9);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fed_rod_stands_as_a_longer_one),
        cmocka_unit_test(a_fed_rod_moves_as_its_velocity_says),
        cmocka_unit_test(the_work_on_a_fed_rod_is_what_it_stores),
        cmocka_unit_test(a_fed_rod_swings_as_in_the_coupled_system),
        cmocka_unit_test(the_platform_moves_with_its_legs_as_in_the_coupled_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
