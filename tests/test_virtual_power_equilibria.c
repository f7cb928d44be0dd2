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

// ---------------------------------------------------------------- runs
// Eight heavy discs on a wire that stands upright, pulled to one side.
#define HEAVY                                                                                      \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "materials: {wire: {youngs_modulus: 60 GPa, poisson_ratio: 0.3, density: 6450}}\n"             \
    "rods: [{name: arm, length: 0.4, material: wire, section: {radius: 0.7 mm},\n"                 \
    "  damping: {time: 80 ms}}]\n"                                                                 \
    "bodies: [{name: disc, on: arm, count: 8, mass: 14.8 g,\n"                                     \
    "  shape: {cylinder: {radius: 10 mm, height: 2 mm}}}]\n"                                       \
    "tendons: [{name: a, offset: [8 mm, 0], to: 50 %}, {name: b, offset: [-8 mm, 0]}]\n"           \
    "inputs: {a: 9 N, b: 1 N}\n"

static world from_file(const char *text) {
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), NULL, NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    const td_options o = td_robot_options(robot);
    return world_make(robot, &o);
}

// What holds is where it stays when it is pushed a little: hung from its other equilibrium, with the
// smallest eigenvalue of -1.3, it would fall.
static void a_run_starts_from_what_holds(void **unused) {
    (void)unused;
    world w = from_file(HEAVY "simulation: {model: virtual_power}\n");
    assert_int_equal(td_begin(w.system, w.state), TD_BIFURCATION);
    assert_non_null(strstr(td_message(w.state), "lost its stability"));
    double stability;
    CHECK_CALL(&w, td_get_stability(w.system, w.state, &stability));
    CHECK_BETWEEN(stability, 0.1, 1.0);
    const td_pose start = tip_of(&w);
    assert_true(start.p[0] > 0.15 && start.p[2] < 0.0);  // over to the side that is pulled
    const int n = td_n_coordinates(w.system);
    double q[64];
    assert_true(n <= COUNT(q));
    assert_int_equal(td_get_coordinates(w.system, w.state, q, NULL), TD_OK);
    for (int k = 0; k < n; k++) q[k] += 0.5 * (k % 3 - 1);
    CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
    for (int i = 0; i < 400; i++) CHECK_CALL(&w, td_step(w.system, w.state, 1e-2));
    const td_pose end = tip_of(&w);
    for (int k = 0; k < 3; k++) CHECK_NEAR(end.p[k], start.p[k], 2e-4);  // it swings slowly
    world_free(&w);
}

// ---------------------------------------------------------------- coordinates
// An arc of curvature k in the x-z plane, which opens with the rate k_t.
static void coordinates_are_curvatures(void **unused) {
    (void)unused;
    const double k = 5.0, k_t = 0.3, L = 0.4;
    for (int torsion = 0; torsion < 2; torsion++) {
        td_piece_def piece = steel_piece();
        td_options o = power(4);
        o.virtual_power.torsion = torsion;
        world w = world_make(rod_robot(&piece, 1), &o);
        double q[12] = {0.0}, q_t[12] = {0.0}, back[12], back_t[12];
        const int per = torsion ? 3 : 2;
        assert_int_equal(td_n_coordinates(w.system), 4 * per);
        for (int i = 0; i < 4; i++) q[i * per] = k, q_t[i * per] = k_t;
        CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, q_t));
        const td_sample tip = td_get_sample(w.system, w.state, 0, L);
        CHECK_NEAR(tip.pose.p[0], (1.0 - cos(k * L)) / k, 1e-12);
        CHECK_NEAR(tip.pose.p[2], sin(k * L) / k, 1e-12);
        CHECK_NEAR(tip.strain[1], k, 1e-12);
        CHECK_NEAR(tip.velocity[1], k_t * L, 1e-12);
        const double across = k_t * (L * sin(k * L) / k - (1.0 - cos(k * L)) / (k * k));
        const double along = k_t * (L * cos(k * L) / k - sin(k * L) / (k * k));
        CHECK_NEAR(hypot(tip.velocity[3], tip.velocity[5]), hypot(across, along), 1e-12);
        assert_int_equal(td_get_coordinates(w.system, w.state, back, back_t), TD_OK);
        assert_memory_equal(q, back, sizeof(double) * 4 * (size_t)per);
        assert_memory_equal(q_t, back_t, sizeof(double) * 4 * (size_t)per);
        assert_int_equal(td_inverse_dynamics(w.system, w.state, q, q_t, q, back),
                         TD_ERR_UNSUPPORTED);
        assert_non_null(strstr(td_message(w.state), "no inverse dynamics"));
        q[0] = 40.0;  // 4 rad in one arc
        assert_true(td_set_coordinates(w.system, w.state, q, NULL) < 0);
        assert_non_null(strstr(td_message(w.state), "would bend by 4 rad"));
        world_free(&w);
    }
}

// ---------------------------------------------------------------- derivatives
// With friction and without, out of the plane.
static world pulled(double friction, double youngs_modulus) {
    td_error err = {0};
    td_piece_def piece = steel_piece();
    piece.youngs_modulus = youngs_modulus;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, -9.81, 0.0, 0.0);
    for (int j = 0; j < 3; j++) {
        const char *const names[3] = {"a", "b", "c"};
        td_tendon_def t = td_default_tendon_def();
        t.name = names[j], t.to = 0.4, t.friction = friction;
        t.offset[0] = t.offset_end[0] = 0.01 * cos(2.0 * PI * j / 3.0);
        t.offset[1] = t.offset_end[1] = 0.01 * sin(2.0 * PI * j / 3.0);
        t.value = (td_number){0.0, 1.0, add_input(robot, names[j])};
        CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    }
    td_options o = power(6);
    o.virtual_power.torsion = true;
    world w = world_make(robot, &o);
    const double tension[3] = {9.0, 4.0, 1.0};
    for (int j = 0; j < 3; j++) td_set_input(w.system, w.state, j, tension[j]);
    return w;
}

static td_pose settled(const world *w) {
    CHECK_CALL(w, td_solve_statics(w->system, w->state));
    return tip_of(w);
}

static void a_sensitivity_is_that_of_neighbouring_equilibria(void **unused) {
    (void)unused;
    const double E = 207e9, step = 1e-4 * E;
    for (int i = 0; i < 2; i++) {
        world at = pulled(0.2 * i, E), plus = pulled(0.2 * i, E + step);
        world minus = pulled(0.2 * i, E - step);
        settled(&at);
        double by[6];
        CHECK_CALL(&at, td_get_sensitivity(at.system, at.state, plus.system, minus.system, step, 0,
                                           0.4, by));
        const td_pose a = settled(&minus), b = settled(&plus);
        const double scale = 1e-2 / E;
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(by[3 + k] / scale, (b.p[k] - a.p[k]) / (2.0 * step) / scale, 1e-4);
        const quat turn = quat_mul(quat_load(b.q), quat_conj(quat_load(a.q)));
        CHECK_NEAR(by[1] / scale, quat_log(turn).y / (2.0 * step) / scale, 1e-2);
        assert_true(fabs(by[3]) > scale);
        world_free(&at);
        world_free(&plus);
        world_free(&minus);
    }
}

// Which tensions bring the tip to where other tensions had it?
static void inverse_statics_finds_a_way_back(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        world w = pulled(0.2 * i, 207e9);
        const td_target target = {.body = -1, .s = 0.4, .position_only = true, .pose = settled(&w)};
        for (int j = 0; j < 3; j++) td_set_input(w.system, w.state, j, 5.0);
        const td_pose start = settled(&w);
        assert_true(hypot(start.p[0] - target.pose.p[0], start.p[1] - target.pose.p[1]) > 0.02);
        const int inputs[3] = {0, 1, 2};
        assert_true(td_solve_inverse(w.system, w.state, &target, inputs, 3) >= 0);
        world again = pulled(0.2 * i, 207e9);
        for (int j = 0; j < 3; j++)
            td_set_input(again.system, again.state, j, td_get_input(w.system, w.state, j));
        const td_pose reached = settled(&again);
        for (int k = 0; k < 3; k++) CHECK_NEAR(reached.p[k], target.pose.p[k], 1e-6);
        world_free(&w);
        world_free(&again);
    }
}

// ---------------------------------------------------------------- notes
static void a_core_that_would_twist_is_noted(void **unused) {
    (void)unused;
    static const struct {
        const char *acts;
        bool torsion;
        const char *note;  // NULL: none
    } cases[] = {
        {"gravity: [-9.81, 0, 0]\ntendons: [{name: t, offset: [8 mm, 0]}]\n", false, NULL},
        {"gravity: [0, -9.81, 0]\ntendons: [{name: t, offset: [8 mm, 0]}]\n", false,
         "rods.arm: what"},
        {"gravity: [0, -9.81, 0]\ntendons: [{name: t, offset: [8 mm, 0]}]\n", true, NULL},
        {"gravity: [0, 0, -9.81]\ntendons: [{name: t, offset: [8 mm, 0]}]\n", false, NULL},
        {"gravity: [0, 0, 0]\ntendons: [{name: t, routing: {helix: {radius: 8 mm, turns: 1}}}]\n",
         false, "rods.arm: what"},
        {"gravity: [0, 0, 0]\nloads: [{name: l, at: tip, moment: [0, 0, 1 mN m]}]\n", false,
         "loads.l.moment: its part along the axis"},
        {"gravity: [0, 0, 0]\nloads: [{name: l, at: tip, moment: [1 mN m, 0, 0]},\n"
         "  {name: f, at: tip, force: [0, 1 N, 0]}]\n",
         false, NULL},
        {"gravity: [0, 0, 0]\nloads: [{name: l, at: tip, moment: [1 mN m, 0, 0]},\n"
         "  {name: f, at: tip, force: [1 N, 0, 0]}]\n",
         false, "simulation.virtual_power.torsion: true"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "tendril: 1\nmaterials: {wire: {youngs_modulus: 60 GPa, poisson_ratio: 0.3, "
            "density: 6450}}\nrods: [{name: arm, length: 0.4, material: wire, section: {radius: "
            "0.7 mm}}]\nsimulation: {model: virtual_power, virtual_power: {torsion: %s}}\n%s",
            cases[i].torsion ? "true" : "false", cases[i].acts);
        world w = from_file(text);
        const char *note = td_system_note(w.system, 0);
        if (!note != !cases[i].note || (note && !strstr(note, cases[i].note)))
            fail_msg("%s: %s", cases[i].acts, note ? note : "no note");
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_beyond_eulers_load_is_an_elastica),
        cmocka_unit_test(a_small_moment_does_not_hold_it_upright),
        cmocka_unit_test(a_run_starts_from_what_holds),
        cmocka_unit_test(coordinates_are_curvatures),
        cmocka_unit_test(a_sensitivity_is_that_of_neighbouring_equilibria),
        cmocka_unit_test(inverse_statics_finds_a_way_back),
        cmocka_unit_test(a_core_that_would_twist_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
