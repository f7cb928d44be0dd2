// Every example runs, and shows what its comment says.
#include <dirent.h>
#include <string.h>

#include "examples.h"

static td_scenario scenario_of(const world *w) {
    return td_robot_scenario(w->robot);
}

// Until time t, step by step; `see` looks at each.
static void advance(const world *w, double t, void (*see)(const world *w, void *to), void *to) {
    const double dt = scenario_of(w).step;
    while (td_get_time(w->system, w->state) < t - 0.5 * dt) {
        CHECK_CALL(w, td_advance(w->system, w->state, dt));
        if (see) see(w, to);
    }
}

// ---------------------------------------------------------------- all of them
static void check_rods(const world *w) {
    for (int i = 0; i < td_n_rods(w->system); i++) {
        double length = td_get_length(w->system, w->state, i);
        td_pose base = td_get_pose(w->system, w->state, i, 0.0);
        td_pose tip = td_get_pose(w->system, w->state, i, length);
        double far = 0.0;
        for (int k = 0; k < 3; k++) far += (tip.p[k] - base.p[k]) * (tip.p[k] - base.p[k]);
        assert_true(sqrt(far) < 1.2 * length);  // and no NaN
    }
}

static void every_example_runs(void **unused) {
    (void)unused;
    DIR *directory = opendir(EXAMPLES);
    assert_non_null(directory);
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0) continue;
        world w = load(entry->d_name);
        td_scenario s = scenario_of(&w);
        advance(&w, fmin(s.end, (check_briefly() ? 20.0 : 100.0) * s.step), NULL, NULL);
        check_rods(&w);
        world_free(&w);
    }
    closedir(directory);
}

// ---------------------------------------------------------------- friction
typedef struct loop {
    double tension, displacement, area;
} loop;

static void see_loop(const world *w, void *to) {
    loop *l = to;
    td_tendon_state t = td_get_tendon(w->system, w->state, 0);
    l->area += 0.5 * (t.tension + l->tension) * (t.displacement - l->displacement);
    l->tension = t.tension, l->displacement = t.displacement;
}

// With a = offset/EI the tension is T/(1 + mu a T s) after a pull and T/(1 - mu a T s) after a
// release, up to where they meet; the loop between 0.5 and 5 N encloses 2.631213e-3 J. Presliding
// takes 1 %, the damping of the material adds as much.
static void the_friction_loop_encloses_what_the_closed_form_says(void **unused) {
    (void)unused;
    world w = load("friction.yaml");
    advance(&w, 4.0, NULL, NULL);
    td_tendon_state t = td_get_tendon(w.system, w.state, 0);
    CHECK_NEAR(t.tension, 5.0, 1e-9);
    CHECK_NEAR(t.end_tension, 3.793116414105, 0.01 * 3.793);
    loop l = {t.tension, t.displacement, 0.0};
    td_energy before = td_get_energy(w.system, w.state);
    advance(&w, 12.0, see_loop, &l);
    td_energy after = td_get_energy(w.system, w.state);
    CHECK_NEAR(l.area, 2.631213e-3, 0.02 * 2.631213e-3);
    CHECK_NEAR(after.work - before.work, l.area, 0.01 * l.area);
    // what went in is stored or dissipated, but for what the time formula loses
    double stored = after.elastic + after.kinetic - before.elastic - before.kinetic;
    CHECK_NEAR(after.dissipated - before.dissipated + stored, l.area, 0.02 * l.area);
    world_free(&w);
}

// ---------------------------------------------------------------- slack
static bool is_slack(const world *w, const char *name) {
    return td_get_tendon(w->system, w->state, td_find_tendon(w->system, name)).slack;
}

static void antagonists_go_slack_and_are_taken_up_again(void **unused) {
    (void)unused;
    world w = load("antagonists.yaml");
    assert_false(is_slack(&w, "left") || is_slack(&w, "right"));
    advance(&w, 1.5, NULL, NULL);
    assert_true(is_slack(&w, "left"));
    assert_false(is_slack(&w, "right"));
    assert_int_equal(td_get_stats(w.state)->slack, 1);
    // another program: one tendon that pulls, 5.078788 N in equilibrium; friction leaves a band
    td_tendon_state right = td_get_tendon(w.system, w.state, td_find_tendon(w.system, "right"));
    CHECK_NEAR(right.tension, 5.078788, 0.1);
    CHECK_NEAR(tip_of(&w).p[0], 0.13921222, 1e-3);
    advance(&w, 4.5, NULL, NULL);
    assert_true(is_slack(&w, "right"));
    assert_false(is_slack(&w, "left"));
    CHECK_NEAR(tip_of(&w).p[0], -0.13921222, 1e-3);
    advance(&w, 6.0, NULL, NULL);
    assert_false(is_slack(&w, "left") || is_slack(&w, "right"));
    world_free(&w);
}

// ---------------------------------------------------------------- many rods
// Three equal legs, or two in a plane, fed alike: the body goes straight up.
static void legs_fed_alike_lift_the_body(void **unused) {
    (void)unused;
    world w = load("three-legs.yaml");
    td_pose before = td_get_body(w.system, w.state, 0).pose;
    for (int i = 0; i < 3; i++) assert_int_equal(td_set_input(w.system, w.state, i, 0.06), 0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose after = td_get_body(w.system, w.state, 0).pose;
    CHECK_NEAR(after.p[0], 0.0, 1e-9);
    CHECK_NEAR(after.p[1], 0.0, 1e-9);
    CHECK_NEAR(after.p[2] - before.p[2], 0.06, 1e-3);
    CHECK_NEAR(fabs(after.q[0]), 1.0, 1e-9);
    world_free(&w);
}

static void nothing_leaves_the_plane_of_the_two_legs(void **unused) {
    (void)unused;
    world w = load("planar-two-legs.yaml");
    advance(&w, 0.8, NULL, NULL);
    td_pose leaning = td_get_body(w.system, w.state, 0).pose;
    assert_true(leaning.p[0] > 0.1);
    CHECK_NEAR(leaning.p[1], 0.0, 1e-9);
    CHECK_NEAR(leaning.q[1], 0.0, 1e-9);
    CHECK_NEAR(leaning.q[3], 0.0, 1e-9);
    // both hinges let the legs turn: no moment about y at the bases
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(td_get_sample(w.system, w.state, i, 0.0).wrench[1], 0.0, 1e-6);
    world_free(&w);
}

// Pushed out of hinges or of holes, legs bend and lift: what is stored or lost was done by the feeds.
static void check_balance(const char *name, double t, double tolerance) {
    world w = load(name);
    td_energy a = td_get_energy(w.system, w.state);
    advance(&w, t, NULL, NULL);
    td_energy b = td_get_energy(w.system, w.state);
    double stored = b.kinetic + b.elastic + b.gravity - a.kinetic - a.elastic - a.gravity;
    CHECK_NEAR(stored + b.dissipated - a.dissipated, b.work - a.work, tolerance);
    assert_true(fabs(b.work - a.work) > 10.0 * tolerance);
    world_free(&w);
}

static void feeding_is_work(void **unused) {
    (void)unused;
    check_balance("planar-two-legs.yaml", 0.8, 1e-3);  // of 42 mJ; the time formula loses some
    check_balance("stewart-gough.yaml", 2.0, 5e-3);    // of 0.35 J
}

// ---------------------------------------------------------------- segments
// Beyond the end of its tendons the second segment feels only its own.
static void tendons_that_end_in_the_middle_bend_only_the_first_segment(void **unused) {
    (void)unused;
    world w = load("two-segment-arm.yaml");
    const td_number none[3] = {{0}};
    td_error err = {0};
    td_robot_set_gravity(w.robot, none, &err);
    td_options o = td_robot_options(w.robot);
    td_system *light = td_system_create(w.robot, &o, &err);
    assert_non_null(light);
    td_state *state = td_state_create(light);
    for (int i = 0; i < td_n_inputs(light); i++) td_set_input(light, state, i, 0.0);
    td_set_input(light, state, td_find_input(light, "a1"), 9.0);
    assert_true(td_solve_statics(light, state) >= 0);
    const double EI = 60e9 * acos(-1.0) * pow(0.7e-3, 4.0) / 4.0;
    CHECK_NEAR(td_get_sample(light, state, 0, 0.1).strain[1], 9.0 * 8e-3 / EI, 1e-3);
    CHECK_NEAR(td_get_sample(light, state, 0, 0.3).strain[1], 0.0, 1e-9);
    td_state_destroy(state);
    td_system_destroy(light);
    world_free(&w);
}

// ---------------------------------------------------------------- gallery
// Without weight the shape stands still in the frame of the hand: what the hand turns, the bow at the tip turns.
static void a_catheter_turns_its_bow_with_the_hand(void **unused) {
    (void)unused;
    world w = load("catheter.yaml");
    const td_number none[3] = {{0}};
    td_error err = {0};
    td_robot_set_gravity(w.robot, none, &err);
    td_options o = td_robot_options(w.robot);
    td_system *light = td_system_create(w.robot, &o, &err);
    assert_non_null(light);
    td_state *state = td_state_create(light);
    double length = td_get_length(light, state, 0), p[2][3];
    for (int i = 0; i < 2; i++) {
        const double right_angle = 0.5 * acos(-1.0);
        td_set_input(light, state, td_find_input(light, "turn"), i * right_angle);
        assert_true(td_solve_statics(light, state) >= 0);
        memcpy(p[i], td_get_pose(light, state, 0, length).p, sizeof p[i]);
    }
    // about x, the axis of the shaft; and the bow is an arc: 0.06 m with 1670 deg/m
    double bow = 1670.0 * acos(-1.0) / 180.0, angle = bow * 0.06;
    CHECK_NEAR(p[0][0], 0.16 + sin(angle) / bow, 1e-6);
    CHECK_NEAR(hypot(p[0][1], p[0][2]), (1.0 - cos(angle)) / bow, 1e-6);
    CHECK_NEAR(p[1][0], p[0][0], 1e-9);
    CHECK_NEAR(p[1][1], -p[0][2], 1e-9);
    CHECK_NEAR(p[1][2], p[0][1], 1e-9);
    td_state_destroy(state);
    td_system_destroy(light);
    world_free(&w);
}

// At the end of its run it stands as a catheter with a longer shaft does, under the same tension.
static void a_fed_catheter_ends_as_a_longer_one(void **unused) {
    (void)unused;
    static const char *const sets[] = {"rods.0.pieces.0.length=90 mm", "inputs.push=0",
                                       "inputs.turn=90 deg", "inputs.steer=3 N"};
    td_error err = {0};
    world w = load("fed-catheter.yaml");
    advance(&w, 3.0, NULL, NULL);
    td_robot *robot = td_robot_load(EXAMPLES "/fed-catheter.yaml", sets, 4, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    const td_options o = td_robot_options(robot);
    world longer = world_make(robot, &o);
    CHECK_CALL(&longer, td_begin(longer.system, longer.state));
    for (int i = 0; i <= 4; i++) {
        const double s = td_get_place(w.system, w.state, 0, 0.03 + 0.06 * i / 4);
        const td_pose a = td_get_pose(w.system, w.state, 0, s),
                      b = td_get_pose(longer.system, longer.state, 0, s);
        for (int k = 0; k < 3; k++) CHECK_NEAR(a.p[k], b.p[k], 2e-4);
    }
    world_free(&longer);
    world_free(&w);
}

static double height(const world *w) {
    return td_get_pose(w->system, w->state, 0, td_get_length(w->system, w->state, 0)).p[2];
}

// Half a second after it stopped it hangs well above the equilibrium of so long a cord; in the end nearly there.
static void a_cord_goes_on_sagging_when_it_is_out(void **unused) {
    (void)unused;
    static const char *const sets[] = {"rods.cord.length=150 mm", "inputs.push=0"};
    td_error err = {0};
    world w = load("paid-out-cord.yaml");
    td_robot *robot = td_robot_load(EXAMPLES "/paid-out-cord.yaml", sets, 2, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    const td_options o = td_robot_options(robot);
    world longer = world_make(robot, &o);
    CHECK_CALL(&longer, td_begin(longer.system, longer.state));
    const double rest = height(&longer);
    advance(&w, 2.5, NULL, NULL);
    CHECK_BETWEEN(height(&w) - rest, 0.015, 0.025);
    advance(&w, 12.0, NULL, NULL);
    CHECK_BETWEEN(height(&w) - rest, 0.0, 0.003);
    world_free(&longer);
    world_free(&w);
}

// The trunk with the tensions at the end of its run.
static td_pose trunk_tip(const char *model) {
    static const struct {
        const char *name;
        double tension;
    } pulls[] = {{"a1", 8.0}, {"b1", 5.0}, {"b2", 6.0}, {"c3", 5.0}};
    world w = load("constant-curvature-trunk.yaml");
    td_options o = td_robot_options(w.robot);
    td_error err = {0};
    snprintf(o.model, sizeof o.model, "%s", model);
    td_system *system = td_system_create(w.robot, &o, &err);
    if (!system) fail_msg("%s: %s", err.where, err.message);
    td_state *state = td_state_create(system);
    for (int i = 0; i < 4; i++)
        td_set_input(system, state, td_find_input(system, pulls[i].name), pulls[i].tension);
    assert_true(td_solve_statics(system, state) >= 0);
    td_pose tip = td_get_pose(system, state, 0, td_get_length(system, state, 0));
    td_state_destroy(state);
    td_system_destroy(system);
    world_free(&w);
    return tip;
}

// Tendons alone bend every section into an arc, so that arcs and a continuum are one.
static void three_arcs_are_a_rod_that_only_tendons_bend(void **unused) {
    (void)unused;
    td_pose arcs = trunk_tip("constant_curvature"), rod = trunk_tip("cosserat");
    for (int k = 0; k < 3; k++) CHECK_NEAR(arcs.p[k], rod.p[k], 1e-7);
    assert_true(hypot(arcs.p[0], arcs.p[1]) > 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_catheter_turns_its_bow_with_the_hand),
        cmocka_unit_test(a_fed_catheter_ends_as_a_longer_one),
        cmocka_unit_test(a_cord_goes_on_sagging_when_it_is_out),
        cmocka_unit_test(three_arcs_are_a_rod_that_only_tendons_bend),
        cmocka_unit_test(every_example_runs),
        cmocka_unit_test(the_friction_loop_encloses_what_the_closed_form_says),
        cmocka_unit_test(antagonists_go_slack_and_are_taken_up_again),
        cmocka_unit_test(legs_fed_alike_lift_the_body),
        cmocka_unit_test(nothing_leaves_the_plane_of_the_two_legs),
        cmocka_unit_test(feeding_is_work),
        cmocka_unit_test(tendons_that_end_in_the_middle_bend_only_the_first_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
