// Tendons by shooting against the same discretisation computed independently: the robot of Till
// 2019, section 5.2, total-wrench form, RK4 with 51 and 101 nodes, complex-step Newton.
#include "rods.h"

#include <string.h>

static const double length = 0.24, offset = 0.0095;

typedef struct pulls {
    double tension[4];  // N, at +x, +y, -x, -y
    double weight;      // m/s^2, along x
} pulls;

// Four tendons along the rod; the first one is pulled by the input as well.
static td_robot *paper_arm(const pulls *a) {
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.length = length;
    piece.youngs_modulus = 207e9, piece.shear_modulus = 207e9 / 2.6;
    piece.density = 16000.0;
    piece.section.radius = piece.section_end.radius = 4e-4;
    for (int i = 0; i < 3; i++) piece.drag[i] = 0.03, piece.damping[i] = 1e-6;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, a->weight, 0.0, 0.0);
    const int input = add_input(robot, "pull");
    static const char *const names[4] = {"right", "up", "left", "down"};
    for (int k = 0; k < 4; k++) {
        td_tendon_def tendon = td_default_tendon_def();
        tendon.name = names[k];
        tendon.to = length;
        tendon.offset[k % 2] = tendon.offset_end[k % 2] = k < 2 ? offset : -offset;
        tendon.value = (td_number){a->tension[k], k == 0 ? 1.0 : 0.0, input};
        CHECK_OK(td_robot_add_tendon(robot, &tendon, &err), err);
    }
    return robot;
}

static td_options paper_options(int nodes, td_history history) {
    td_options o = td_default_options();
    o.space = TD_SHOOTING;
    o.steps = nodes - 1;
    o.history = history;
    o.scheme = TD_BDF_ALPHA;
    o.alpha = -0.03;
    o.startup = TD_REST_HISTORY;
    o.tolerance = 1e-12;
    return o;
}

// ---------------------------------------------------------------- equilibrium
typedef struct equilibrium {
    pulls pulls;
    int nodes;
    double tip[3], axis[3];  // tip position; e3 of the tip in the world
    double lengths[4];
} equilibrium;

static const equilibrium equilibria[] = {
    {{{2, 0, 0, 0}, 0.0},
     51,
     {0.11883660337388219, 0.0, 0.19478084241669161},
     {0.8892174900852178, 0.0, 0.4574847050192449},
     {0.22958688419437157, 0.23999538681324373, 0.25040388943211583, 0.23999538681324373}},
    {{{3, 1, 0, 0}, 0.0},
     51,
     {0.1525655539033535, 0.05085518463445117, 0.13673128362888365},
     {0.936330678818404, 0.31211022627280144, -0.16084796100481702},
     {0.22437801969817925, 0.23478652231705141, 0.25560352755479571, 0.24519502493592357}},
    {{{3, 1, 0, 0}, 0.0},
     101,
     {0.15256555351397838, 0.05085518450465943, 0.13673128313434349},
     {0.9363306786324306, 0.31211022621081014, -0.16084796220769748},
     {0.22437801969817925, 0.23478652231705141, 0.25560352755479565, 0.24519502493592357}},
    {{{2, 0, 0, 0}, -9.81},
     51,
     {0.11358703740834622, 0.0, 0.19866254809344686},
     {0.8717404268049078, 0.0, 0.48996798698894317},
     {0.2299373184106821, 0.23999537973648175, 0.25005344106228139, 0.23999537973648175}},
    {{{2, 0, 0, 0}, -9.81},
     101,
     {0.11358703732229124, 0.0, 0.19866254794858251},
     {0.8717404269265505, 0.0, 0.4899679867725192},
     {0.22993731840932713, 0.2399953797364818, 0.25005344106363642, 0.2399953797364818}},
};

static void tip_axis(const td_pose *tip, double out[3]) {
    const double w = tip->q[0], x = tip->q[1], y = tip->q[2], z = tip->q[3];
    out[0] = 2.0 * (x * z + w * y), out[1] = 2.0 * (y * z - w * x);
    out[2] = 1.0 - 2.0 * (x * x + y * y);
}

static void pulled_arms_stand_where_the_same_scheme_elsewhere_has_them(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof equilibria / sizeof equilibria[0]; i++) {
        const equilibrium *e = &equilibria[i];
        const td_options o = paper_options(e->nodes, TD_LINEAR);
        world w = world_make(paper_arm(&e->pulls), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        td_pose tip = tip_of(&w);
        double axis[3];
        tip_axis(&tip, axis);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(tip.p[k], e->tip[k], 1e-11);
            CHECK_NEAR(axis[k], e->axis[k], 1e-10);
        }
        for (int k = 0; k < 4; k++) {
            td_tendon_state t = td_get_tendon(w.system, w.state, k);
            CHECK_NEAR(t.length, e->lengths[k], 1e-9);
            assert_true(t.tension == e->pulls.tension[k]);
        }
        world_free(&w);
    }
}

// The material's wrench balances the tendon's: u = offset T/EI all along, for Kirchhoff's rod
// exactly.
static void a_tendon_bends_kirchhoffs_rod_into_a_circle(void **unused) {
    (void)unused;
    const pulls one = {{1.5, 0.0, 0.0, 0.0}, 0.0};
    td_options o = paper_options(201, TD_LINEAR);
    o.theory = TD_KIRCHHOFF;
    world w = world_make(paper_arm(&one), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const double EI = 207e9 * acos(-1.0) / 4.0 * pow(4e-4, 4), u = offset * 1.5 / EI;
    td_pose tip = tip_of(&w);
    CHECK_NEAR(tip.p[0], (1.0 - cos(u * length)) / u, 1e-10);
    CHECK_NEAR(tip.p[1], 0.0, 1e-14);
    CHECK_NEAR(tip.p[2], sin(u * length) / u, 1e-10);
    for (int k = 0; k <= 4; k++) {
        td_sample s = td_get_sample(w.system, w.state, 0, 0.25 * k * length);
        CHECK_NEAR(s.strain[1], u, 1e-11 * u);
        CHECK_NEAR(s.strain[5], 1.0, 1e-15);
    }
    world_free(&w);
}

// ---------------------------------------------------------------- motion
static const int when[7] = {0, 1, 2, 5, 10, 20, 30};  // steps
typedef struct motion {
    int nodes;
    td_history history;
    double tip[7][2];  // x, z
} motion;

// 2 N at once on the first tendon, weight along -x, 1/60 s.
static const motion motions[3] = {
    {51,
     TD_LINEAR,
     {{-0.00785496719651731, 0.2398530458050074},
      {0.02606631655039915, 0.2358620529230649},
      {0.07107953307498617, 0.2218809303710947},
      {0.1584348879509994, 0.1523402165782758},
      {0.07108722398739191, 0.2225774400391555},
      {0.08972212908482893, 0.2137711913433343},
      {0.1000153881510471, 0.2078368264760826}}},
    {101,
     TD_LINEAR,
     {{-0.007854967196600116, 0.2398530458136768},
      {0.02606689398347602, 0.2358619603068605},
      {0.07107448098643253, 0.2218828233558595},
      {0.1584304342675065, 0.1523467190925634},
      {0.07109251541046871, 0.2225752840599416},
      {0.08972654258431573, 0.2137688237005561},
      {0.1000189142151195, 0.2078346395785702}}},
    {101,
     TD_CUBIC,
     {{-0.007854967196600116, 0.2398530458136768},
      {0.02606708616332929, 0.2358619292946199},
      {0.07107279475353126, 0.2218834554704461},
      {0.1584289515986604, 0.152348883595653},
      {0.07109427353583794, 0.222574567761841},
      {0.08972800731420141, 0.2137680379965489},
      {0.1000200839282596, 0.2078339141540889}}},
};

static void a_sudden_pull_moves_the_arm_as_the_same_scheme_elsewhere_has_it(void **unused) {
    (void)unused;
    const pulls none = {{0.0}, -9.81};
    for (int i = 0; i < 3; i++) {
        const motion *m = &motions[i];
        const td_options o = paper_options(m->nodes, m->history);
        world w = world_make(paper_arm(&none), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_CALL(&w, td_set_input(w.system, w.state, 0, 2.0));
        for (int step = 0, k = 0; k < 7; step++) {
            if (step > 0) CHECK_CALL(&w, td_step(w.system, w.state, 1.0 / 60.0));
            if (step != when[k]) continue;
            td_pose tip = tip_of(&w);
            CHECK_NEAR(tip.p[0], m->tip[k][0], 1e-9);
            CHECK_NEAR(tip.p[1], 0.0, 1e-12);
            CHECK_NEAR(tip.p[2], m->tip[k][1], 1e-9);
            k++;
        }
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulled_arms_stand_where_the_same_scheme_elsewhere_has_them),
        cmocka_unit_test(a_tendon_bends_kirchhoffs_rod_into_a_circle),
        cmocka_unit_test(a_sudden_pull_moves_the_arm_as_the_same_scheme_elsewhere_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
