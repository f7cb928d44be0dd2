// Tendons that rub (collocation): closed forms of the capstan law on a rod that bends with its
// tendon, and the strain form of Till 2019 (17) with friction, solved on its own.
#include "truth_robots.h"

#include "truth_arms.h"
#include "truth_capstan.h"

static const double length = 0.3, offset = 8e-3;

static td_options friction_options(int nodes) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.theory = TD_KIRCHHOFF;
    o.nodes = nodes;
    o.tolerance = 1e-12;
    return o;
}

static td_tendon_def rubbing(const char *name, double x, double y, double friction) {
    td_tendon_def def = td_default_tendon_def();
    def.name = name, def.to = length;
    def.offset[0] = def.offset_end[0] = x, def.offset[1] = def.offset_end[1] = y;
    def.friction = friction;
    def.presliding = 1e-7;
    return def;
}

static world nitinol_world(td_tendon_def *tendons, int n, const double gravity[3],
                           const td_options *o) {
    truth_arm arm = truth_nitinol_arm(1.0);
    memcpy(arm.rod.gravity, gravity, sizeof arm.rod.gravity);
    td_robot *robot = truth_arm_rod(&arm);
    td_error err = {0};
    for (int i = 0; i < n; i++) {
        tendons[i].value = (td_number){0.0, 1.0, add_input(robot, tendons[i].name)};
        CHECK_OK(td_robot_add_tendon(robot, &tendons[i], &err), err);
    }
    return world_make(robot, o);
}

static world one_tendon(double friction, const td_options *o) {
    td_tendon_def def = rubbing("a", offset, 0.0, friction);
    return nitinol_world(&def, 1, (const double[3]){0.0, 0.0, 0.0}, o);
}

static void pull(const world *w, int tendon, double value) {
    td_set_input(w->system, w->state, tendon, value);
    CHECK_CALL(w, td_solve_statics(w->system, w->state));
}

static double tip_angle(const world *w) {  // in the plane of x and z
    const double *q = tip_of(w).q;
    return 2.0 * atan2(q[2], q[0]);
}

// ---------------------------------------------------------------- the capstan law
static void a_pull_has_the_tension_of_the_closed_form(void **unused) {
    (void)unused;
    td_options o = friction_options(8);
    world w = one_tendon(0.3, &o);
    truth_cable cable = truth_nitinol(0.3);
    const double T[1] = {5.0};
    pull(&w, 0, 0.05);
    pull(&w, 0, 5.0);
    truth_cable_shape shape = truth_cable_bend(&cable, T, 1);
    CHECK_NEAR(tip_angle(&w), shape.angle, 2e-7);
    CHECK_NEAR(tip_of(&w).p[0], shape.x, 1e-7);
    CHECK_NEAR(tip_of(&w).p[2], shape.z, 1e-7);
    CHECK_NEAR(td_get_tendon(w.system, w.state, 0).tension, 5.0, 0.0);
    CHECK_NEAR(td_get_tendon(w.system, w.state, 0).end_tension, 3.793116414105, 2e-3);
    for (int i = 1; i < 10; i++)  // straight between the nodes: h^2/8 times the second derivative
        CHECK_NEAR(td_get_tension(w.system, w.state, 0, 0.03 * i),
                   truth_cable_tension(&cable, T, 1, 0.03 * i), 5e-3);
    world_free(&w);
}

static void a_full_release_slides_back_everywhere(void **unused) {
    (void)unused;
    td_options o = friction_options(8);
    world w = one_tendon(0.3, &o);
    truth_cable cable = truth_nitinol(0.3);
    const double T[2] = {5.0, 3.0};
    pull(&w, 0, 0.05);
    for (int i = 0; i < 2; i++) pull(&w, 0, T[i]);
    truth_cable_shape shape = truth_cable_bend(&cable, T, 2);
    CHECK_NEAR(tip_angle(&w), shape.angle, 2e-7);
    CHECK_NEAR(tip_of(&w).p[0], shape.x, 1e-7);
    world_free(&w);
}

static void a_partial_release_stops_at_a_front(void **unused) {
    (void)unused;
    td_options o = friction_options(12);
    world w = one_tendon(0.3, &o);
    truth_cable cable = truth_nitinol(0.3);
    const double T[2] = {5.0, 4.0};
    pull(&w, 0, 0.05);
    for (int i = 0; i < 2; i++) pull(&w, 0, T[i]);
    CHECK_NEAR(tip_angle(&w), truth_cable_bend(&cable, T, 2).angle, 1e-3);
    double beyond = 0.25;  // the front is at 0.118 m: nothing moved there
    CHECK_NEAR(td_get_tension(w.system, w.state, 0, beyond),
               truth_cable_tension(&cable, T, 1, beyond), 2e-2);
    world_free(&w);
}

// Work put in at the start over a cycle 5, 0.5, 5 N.
static double loop_area(int nodes, int steps) {
    td_options o = friction_options(nodes);
    world w = one_tendon(0.3, &o);
    pull(&w, 0, 0.05);
    pull(&w, 0, 5.0);
    double area = 0.0, T = 5.0, d = td_get_tendon(w.system, w.state, 0).displacement;
    for (int i = 1; i <= 2 * steps; i++) {
        double next = 0.5 + 4.5 * fabs(1.0 - (double)i / steps);
        pull(&w, 0, next);
        double moved = td_get_tendon(w.system, w.state, 0).displacement;
        area += 0.5 * (T + next) * (moved - d);
        T = next, d = moved;
    }
    world_free(&w);
    return area;
}

static void a_cycle_loses_the_work_of_the_closed_form(void **unused) {
    (void)unused;
    CHECK_NEAR(loop_area(8, 60), 2.631213e-3, 5e-3 * 2.631213e-3);
}

static void the_end_of_a_rubbing_tendon_leaves_the_rest_straight(void **unused) {
    (void)unused;
    td_options o = friction_options(8);
    td_tendon_def def = rubbing("a", offset, 0.0, 0.3);
    def.to = 0.15;
    world w = nitinol_world(&def, 1, (const double[3]){0.0, 0.0, 0.0}, &o);
    pull(&w, 0, 0.05);
    pull(&w, 0, 5.0);
    CHECK_NEAR(tip_angle(&w), 0.492113516973, 2e-7);
    CHECK_NEAR(td_get_sample(w.system, w.state, 0, 0.2).strain[1], 0.0, 1e-10);
    world_free(&w);
}

// ---------------------------------------------------------------- against the strain form
// What is pulled slides towards its start everywhere.
static void pulled_tendons_agree_with_the_strain_form(void **unused) {
    (void)unused;
    truth_arm arm = truth_nitinol_arm(1.0);
    arm.n_tendons = 2;
    arm.tendon[0] = truth_straight(8e-3, 0.0, 4.0);
    arm.tendon[0].ends = 0.15;
    arm.tendon[1] = truth_straight(0.0, 8e-3, 3.0);
    arm.tendon[0].friction = arm.tendon[1].friction = 0.3;
    arm.rod.gravity[1] = -9.81;
    truth_arm_begin(&arm, 201, true);
    CHECK_BETWEEN(truth_arm_statics(&arm), 0.0, 1e-10);
    td_tendon_def defs[2] = {rubbing("a", 8e-3, 0.0, 0.3), rubbing("b", 0.0, 8e-3, 0.3)};
    defs[0].to = 0.15;
    td_options o = friction_options(12);
    o.theory = TD_COSSERAT;
    world w = nitinol_world(defs, 2, arm.rod.gravity, &o);
    for (int i = 0; i <= 10; i++) {
        td_set_input(w.system, w.state, 0, 0.04 + 0.396 * i);
        td_set_input(w.system, w.state, 1, 0.03 + 0.297 * i);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    }
    td_pose tip = tip_of(&w);
    for (int i = 0; i < 3; i++) CHECK_NEAR(tip.p[i], truth_arm_tip(&arm)[i], 1e-7);
    world_free(&w);
    truth_arm_free(&arm);
}

static void wound_and_converging_tendons_agree_with_the_strain_form(void **unused) {
    (void)unused;
    truth_arm arm = truth_nitinol_arm(1.0);
    arm.n_tendons = 2;
    arm.tendon[0] = (truth_tendon){.radius = 8e-3, .rate = 10.0, .tension = 4.0, .friction = 0.3};
    arm.tendon[1] = (truth_tendon){
        .start = {-2e-3, 8e-3}, .end = {1e-3, 3e-3}, .tension = 3.0, .friction = 0.2};
    double want[2][5];
    for (int k = 0; k < 2; k++) {
        truth_arm_begin(&arm, k ? 201 : 101, true);
        CHECK_BETWEEN(truth_arm_statics(&arm), 0.0, 1e-10);
        memcpy(want[k], truth_arm_tip(&arm), 3 * sizeof(double));
        for (int j = 0; j < 2; j++) want[k][3 + j] = truth_arm_tip(&arm)[TRUTH_LENGTHS + 2 + j];
        truth_arm_free(&arm);
    }
    td_options o = friction_options(20);
    o.theory = TD_COSSERAT;
    world w = world_make(truth_arm_robot(&arm), &o);
    for (int i = 0; i <= 10; i++) {
        td_set_input(w.system, w.state, 0, 0.04 + 0.396 * i);
        td_set_input(w.system, w.state, 1, 0.03 + 0.297 * i);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    }
    for (int j = 0; j < 3; j++)
        CHECK_NEAR(tip_of(&w).p[j], want[1][j] + (want[1][j] - want[0][j]) / 15.0, 1e-7);
    for (int j = 0; j < 2; j++)
        CHECK_NEAR(td_get_tendon(w.system, w.state, j).end_tension, want[1][3 + j], 1e-3);
    world_free(&w);
}

// ---------------------------------------------------------------- displacement, slack
static void antagonists_leave_the_one_let_go_slack(void **unused) {
    (void)unused;
    td_tendon_def defs[2] = {rubbing("a", offset, 0.0, 0.2), rubbing("b", -offset, 0.0, 0.2)};
    for (int i = 0; i < 2; i++) {
        defs[i].input = TD_DISPLACEMENT;
        defs[i].stiffness = 20e3, defs[i].compliance = 50e-6, defs[i].pretension = 2.0;
    }
    td_options o = friction_options(8);
    world w = nitinol_world(defs, 2, (const double[3]){0.0, 0.0, 0.0}, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    for (int i = 0; i < 2; i++) CHECK_NEAR(td_get_tendon(w.system, w.state, i).tension, 2.0, 1e-6);
    td_set_input(w.system, w.state, 0, 8e-3);
    td_set_input(w.system, w.state, 1, -8e-3);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    truth_cable cable = truth_nitinol(0.2);
    truth_antagonists want = truth_cable_pair(&cable, 2.0, 20e3, 50e-6, 8e-3);
    CHECK_NEAR(td_get_tendon(w.system, w.state, 0).tension, want.tension, 1e-5);
    CHECK_NEAR(td_get_tendon(w.system, w.state, 1).tension, 0.0, 0.0);
    assert_true(td_get_tendon(w.system, w.state, 1).slack);
    assert_false(td_get_tendon(w.system, w.state, 0).slack);
    assert_int_equal(td_get_stats(w.state)->slack, 1);
    CHECK_NEAR(tip_of(&w).p[0], want.tip.x, 1e-7);
    // taken up again
    td_set_input(w.system, w.state, 0, 0.0);
    td_set_input(w.system, w.state, 1, 0.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    assert_int_equal(td_get_stats(w.state)->slack, 0);
    world_free(&w);
}

static void a_pushed_tendon_is_slack_and_is_taken_up_under_each_scheme(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        td_tendon_def def = rubbing("a", offset, 0.0, 0.0);
        def.input = TD_DISPLACEMENT;
        def.presliding = 0.0;
        td_options o = friction_options(8);
        o.space = truth_spaces[i];
        world w = nitinol_world(&def, 1, (const double[3]){0.0, 0.0, 0.0}, &o);
        pull(&w, 0, -5e-3);
        assert_true(td_get_tendon(w.system, w.state, 0).slack);
        CHECK_NEAR(tip_of(&w).p[0], 0.0, 1e-9);
        pull(&w, 0, 6e-3);  // inextensible: offset * angle = pull
        assert_false(td_get_tendon(w.system, w.state, 0).slack);
        double angle = 6e-3 / offset, EI = truth_nitinol(0.0).EI;
        CHECK_NEAR(tip_angle(&w), angle, 1e-8);
        CHECK_NEAR(td_get_tendon(w.system, w.state, 0).tension, angle * EI / (offset * length),
                   1e-7);
        world_free(&w);
    }
}

static void shooting_refuses_friction(void **unused) {
    (void)unused;
    truth_arm arm = truth_nitinol_arm(1.0);
    td_robot *robot = truth_arm_rod(&arm);
    td_tendon_def def = rubbing("a", offset, 0.0, 0.3);
    def.value = td_constant(1.0);
    td_error err = {0};
    CHECK_OK(td_robot_add_tendon(robot, &def, &err), err);
    td_options o = friction_options(8);
    o.space = TD_SHOOTING;
    assert_null(td_system_create(robot, &o, &err));
    assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- dynamics
// The tension jumps from 1 to 5 N; another program (strain collocation, Python) with the same time formula
// and steps of 1 ms, with presliding of 10 um. Without friction its limit for many nodes is known. With
// friction it was run with 6 nodes, and it sums velocities along the rod at once, which adds a bending mode
// that does not exist: without friction that puts its tip up to 1.01 mm off. So much is allowed for. It
// also rounds the turning off near zero, sqrt(k^2 + e^2) - e with e = 0.01 1/m, which takes about
// 0.3 % off the friction.
typedef struct step_response {
    double friction;
    int nodes;
    double x[3];           // m, after 10, 20 and 50 ms
    double half_range[6];  // m, of the tip in each 0.1 s
    double work;           // J, at the start of the tendon
    double apart[2];       // m, of x and of half_range
} step_response;

static const step_response responses[] = {
    {0.0, 16, {0.0597667, 0.0788817, 0.1859752}, {0}, 0.0, {1e-7, 0.0}},
    {0.1,
     6,
     {0.05939488, 0.07971072, 0.18571155},
     {89.6e-3, 66.5e-3, 69.3e-3},
     0.0,
     {1.01e-3, 5e-4}},
    {0.4,
     6,
     {0.05776267, 0.07900633, 0.18107288},
     {85.6e-3, 48.2e-3, 34.0e-3, 16.2e-3, 7.8e-3, 1.7e-3},
     33.53e-3,
     {1.01e-3, 5e-4}},
};

static world pulled_to_one(double friction, int nodes) {
    td_options o = friction_options(nodes);
    o.scheme = TD_BDF_ALPHA, o.alpha = -0.2;
    o.startup = TD_HALF_STEPS;
    o.tolerance = 1e-10;
    td_tendon_def def = rubbing("a", offset, 0.0, friction);
    def.presliding = 1e-5;
    world w = nitinol_world(&def, 1, (const double[3]){0.0, 0.0, 0.0}, &o);
    pull(&w, 0, 0.05);
    pull(&w, 0, 1.0);
    return w;
}

static void check_response(const step_response *c) {
    static const int at[3] = {10, 20, 50};
    world w = pulled_to_one(c->friction, c->nodes);
    td_energy before = td_get_energy(w.system, w.state);
    td_set_input(w.system, w.state, 0, 5.0);
    td_restart(w.system, w.state);
    double lo = HUGE_VAL, hi = -HUGE_VAL;
    for (int step = 1, k = 0; step <= 600 && (step <= 50 || c->half_range[(step - 1) / 100] > 0.0);
         step++) {
        CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
        double x = tip_of(&w).p[0];
        lo = fmin(lo, x), hi = fmax(hi, x);
        if (k < 3 && step == at[k]) CHECK_NEAR(x, c->x[k++], c->apart[0]);
        if (step % 100) continue;
        CHECK_NEAR(0.5 * (hi - lo), c->half_range[step / 100 - 1], c->apart[1]);
        lo = HUGE_VAL, hi = -HUGE_VAL;
    }
    td_energy e = td_get_energy(w.system, w.state);
    double stored = e.kinetic + e.elastic - before.elastic;
    if (c->work > 0.0) CHECK_NEAR(e.work, c->work, 5e-3 * c->work);
    // the rest is lost by the time formula in the high modes that the jump excites
    CHECK_BETWEEN(e.work - e.dissipated - stored, 0.0, 4e-3);
    world_free(&w);
}

static void step_responses_are_those_of_another_program(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof responses / sizeof *responses; i++) check_response(&responses[i]);
}

// 5 N, and 0.3 N at the tip that are let go: half ranges of the tip (m) in each 0.1 s, by another
// program (two digits). It takes the speed of slip from the last step alone, to first order: of the
// one number that this brings from 16 to 17 mm at its steps of 1 ms nothing is asked.
typedef struct release {
    double friction, viscous;
    double half_range[6];  // 0: not known
} release;

static const release releases[] = {
    {0.0, 0.0, {80e-3, 0.0, 0.0, 0.0, 0.0, 81e-3}},
    {0.1, 0.0, {75e-3, 0.0, 0.0, 0.0, 0.0, 42e-3}},
    {0.3, 0.0, {69e-3, 0.0, 0.0, 0.0, 0.0, 3.1e-3}},
    {0.0, 5.0, {68e-3, 37e-3, 35e-3, 25e-3, 0.0, 13e-3}},
};

static world loaded_world(const release *c, td_scheme scheme) {
    td_options o = friction_options(6);
    o.scheme = scheme, o.alpha = -0.2;
    o.tolerance = 1e-10;
    truth_arm arm = truth_nitinol_arm(1.0);
    td_robot *robot = truth_arm_rod(&arm);
    td_error err = {0};
    td_tendon_def def = rubbing("a", offset, 0.0, c->friction);
    def.viscous = c->viscous, def.presliding = 1e-5;
    def.value = (td_number){0.0, 1.0, add_input(robot, "tension")};
    CHECK_OK(td_robot_add_tendon(robot, &def, &err), err);
    td_load_def load = point_load("push", length);
    load.force[0] = (td_number){0.0, 1.0, add_input(robot, "push")};
    add_load(robot, &load);
    world w = world_make(robot, &o);
    pull(&w, 0, 0.05);
    pull(&w, 0, 5.0);
    pull(&w, 1, 0.3);
    return w;
}

static void released_loads_swing_as_in_another_program(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        const release *c = &releases[i];
        world w = loaded_world(c, TD_BDF_ALPHA);
        td_set_input(w.system, w.state, 1, 0.0);
        td_restart(w.system, w.state);
        for (int k = 0; k < 6; k++) {
            double lo = HUGE_VAL, hi = -HUGE_VAL;
            for (int step = 0; step < 100; step++) {
                CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
                lo = fmin(lo, tip_of(&w).p[0]), hi = fmax(hi, tip_of(&w).p[0]);
            }
            if (c->half_range[k] > 0.0) CHECK_NEAR(0.5 * (hi - lo), c->half_range[k], 0.6e-3);
        }
        world_free(&w);
    }
}

static double released_tip(td_scheme scheme, int steps) {
    world w = loaded_world(&releases[3], scheme);
    td_set_input(w.system, w.state, 1, 0.0);
    td_restart(w.system, w.state);
    for (int i = 0; i < steps; i++) CHECK_CALL(&w, td_step(w.system, w.state, 0.2 / steps));
    const double x = tip_of(&w).p[0];
    world_free(&w);
    return x;
}

static void viscous_friction_is_of_second_order_in_time(void **unused) {
    (void)unused;
    const td_scheme schemes[] = {TD_BDF_ALPHA, TD_BDF2, TD_SDIRK2};
    for (int k = 0; k < 3; k++) {
        double x[3];
        for (int i = 0; i < 3; i++) x[i] = released_tip(schemes[k], 200 << i);
        CHECK_BETWEEN((x[0] - x[1]) / (x[1] - x[2]), 3.4, 4.6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pull_has_the_tension_of_the_closed_form),
        cmocka_unit_test(a_full_release_slides_back_everywhere),
        cmocka_unit_test(a_partial_release_stops_at_a_front),
        cmocka_unit_test(a_cycle_loses_the_work_of_the_closed_form),
        cmocka_unit_test(the_end_of_a_rubbing_tendon_leaves_the_rest_straight),
        cmocka_unit_test(pulled_tendons_agree_with_the_strain_form),
        cmocka_unit_test(wound_and_converging_tendons_agree_with_the_strain_form),
        cmocka_unit_test(antagonists_leave_the_one_let_go_slack),
        cmocka_unit_test(a_pushed_tendon_is_slack_and_is_taken_up_under_each_scheme),
        cmocka_unit_test(shooting_refuses_friction),
        cmocka_unit_test(step_responses_are_those_of_another_program),
        cmocka_unit_test(released_loads_swing_as_in_another_program),
        cmocka_unit_test(viscous_friction_is_of_second_order_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
