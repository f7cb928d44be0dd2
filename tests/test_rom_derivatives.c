// Derivatives and stability of equilibria under the model rom, inverse dynamics, and what it
// refuses.
#include "not_compiled.h"
#include "rom.h"

#define PI 3.14159265358979323846

static td_robot *driven_robot(bool rigid) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    const char *const names[] = {"pull", "air", "tilt", "push", "draw"};
    int in[5];
    for (int i = 0; i < 5; i++) in[i] = add_input(robot, names[i]);
    const lumped_rod r = module_rod();
    td_piece_def piece = lumped_piece(&r);
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
    rod.base.rotation[1] = (td_number){0.1, 1.0, in[2]};
    rod.base.position[0] = (td_number){0.0, 0.1, in[2]};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 9.81, 0.0);
    td_tendon_def t = td_default_tendon_def();
    t.name = "pull", t.to = 0.05, t.offset[0] = t.offset_end[1] = 8e-3;
    t.value = (td_number){0.0, 1.0, in[0]};
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    t.name = "draw", t.offset[0] = -8e-3, t.stiffness = rigid ? 0.0 : 100.0,
    t.input = TD_DISPLACEMENT;
    t.value = (td_number){0.0, 1.0, in[4]};
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    td_chamber_def c = td_default_chamber_def();
    c.name = "air", c.to = 0.05, c.offset[1] = 8e-3, c.area = 2e-5,
    c.value = (td_number){0, 1, in[1]};
    CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
    td_load_def load = point_load("push", 0.04);
    load.force[0] = (td_number){0.0, 1.0, in[3]};
    load.force[2] = (td_number){0.0, -0.4, in[3]};
    add_load(robot, &load);
    return robot;
}

static const double inputs[5] = {0.5, 2e4, 0.2, 0.1, 5e-3};

static void solve_with(const world *w, int changed, double by) {
    for (int i = 0; i < 5; i++)
        td_set_input(w->system, w->state, i, inputs[i] + (i == changed ? by : 0.0));
    CHECK_CALL(w, td_solve_statics(w->system, w->state));
}

// Rotation and translation between two poses, world.
static vec6 difference(const td_pose *a, const td_pose *b) {
    vec3 by = quat_log(quat_mul(quat_load(b->q), quat_conj(quat_load(a->q))));
    return (vec6){by, vec3_sub(vec3_load(b->p), vec3_load(a->p))};
}

// With a tendon that stretches, and one that does not.
static void check_jacobian(bool rigid) {
    td_options o = rom_options(4);
    world w = world_make(driven_robot(rigid), &o);
    double J[30];
    solve_with(&w, -1, 0.0);
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, 0.045, J));
    for (int i = 0; i < 5; i++) {
        const double e = 1e-4 * inputs[i];
        td_pose ends[2];
        for (int side = 0; side < 2; side++) {
            solve_with(&w, i, side ? e : -e);
            ends[side] = td_get_pose(w.system, w.state, 0, 0.045);
        }
        double moved[6];
        vec6_store(moved, vec6_scale(difference(&ends[0], &ends[1]), 0.5 / e));
        for (int k = 0; k < 6; k++)
            CHECK_NEAR(J[k * 5 + i] * inputs[i], moved[k] * inputs[i], 2e-7);
    }
    world_free(&w);
}

static void jacobians_are_differences_of_solutions(void **state) {
    (void)state;
    check_jacobian(false);
    check_jacobian(true);
}

static void a_slack_tendon_answers_to_being_pulled(void **state) {
    (void)state;
    td_options o = rom_options(4);
    world w = world_make(driven_robot(false), &o);
    double slack[30], taut[30];
    for (int k = 0; k < 2; k++) {
        td_set_input(w.system, w.state, 0, k ? 1e-6 : 0.0);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, 0.05, k ? taut : slack));
    }
    for (int k = 0; k < 6; k++) CHECK_NEAR(slack[k * 5], taut[k * 5], 1e-6);
    assert_true(fabs(taut[15]) > 1e-3);
    world_free(&w);
}

static void compliance_is_a_difference_of_solutions(void **state) {
    (void)state;
    td_options o = rom_options(4);
    double C[36];
    td_pose ends[2];
    for (int k = 0; k < 3; k++) {
        td_robot *robot = driven_robot(false);
        const double e = 1e-5;
        td_load_def load = point_load("more", 0.03);
        load.force[1] = td_constant(k == 0 ? 0.0 : k == 1 ? e : -e);
        add_load(robot, &load);
        world w = world_make(robot, &o);
        solve_with(&w, -1, 0.0);
        if (k == 0) CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, 0.05, 0, 0.03, C));
        else ends[k - 1] = td_get_pose(w.system, w.state, 0, 0.05);
        world_free(&w);
    }
    double moved[6];
    vec6_store(moved, vec6_scale(difference(&ends[1], &ends[0]), 0.5 / 1e-5));
    for (int k = 0; k < 6; k++) CHECK_NEAR(C[k * 6 + 4], moved[k], 1e-7 * fabs(C[22]) + 1e-7);
}

// ---------------------------------------------------------------- stability
static world column(double push, int order) {
    lumped_rod r = unit_rod();
    for (int k = 3; k < 6; k++) r.stiffness[k] = 1e7;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_force(robot, 1.0, 0.0, 0.0, -push);
    td_options o = rom_options(order);
    return world_make(robot, &o);
}

static double tilt_of(const world *w) {
    const td_pose tip = td_get_pose(w->system, w->state, 0, 1.0);
    return acos(quat_rotate(quat_load(tip.q), (vec3){0.0, 0.0, 1.0}).z);
}

// Euler's load is pi^2 EI/(4 L^2); below it the second variation falls in a straight line. Above it
// the elastica, K(sin(t/2)) = pi/2 sqrt(F/Euler) with t at its tip, which may turn about the axis.
static void a_column_loses_its_stability_at_eulers_load(void **state) {
    (void)state;
    const double euler = PI * PI / 4.0, shares[4] = {0.0, 0.5, 0.99, 1.01};
    for (int i = 0; i < 4; i++) {
        world w = column(shares[i] * euler, 6);
        double smallest;
        assert_int_equal(td_solve_statics(w.system, w.state), i == 3 ? TD_BIFURCATION : TD_OK);
        if (i == 3) {
            CHECK_NEAR(td_get_stats(w.state)->bifurcation * 1.01, 1.0, 1e-3);
            assert_non_null(strstr(td_message(w.state), "stability"));
            CHECK_NEAR(tilt_of(&w), 0.2818467163281335, 1e-8);  // rad
        }
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
        CHECK_NEAR(smallest, i == 3 ? 0.0 : 1.0 - shares[i], 1e-6);
        world_free(&w);
    }
}

// Greenhill: q L^3/EI = 7.8373.
static void an_upright_rod_bears_its_weight_up_to_greenhills(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const lumped_rod r = unit_rod();
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = rod_robot(&piece, 1);
        set_gravity(robot, 0.0, 0.0, k ? -7.86 : -7.82);
        td_options o = rom_options(6);
        world w = world_make(robot, &o);
        assert_int_equal(td_solve_statics(w.system, w.state), k ? TD_BIFURCATION : TD_OK);
        world_free(&w);
    }
}

// Without an energy: a dead moment of 0.3 EI/L leaves the rod stable, and a force along the tip,
// which turns with it, never makes a column diverge (Beck), here 1.5 times Euler's load.
static void moments_and_followers_are_judged_too(void **state) {
    (void)state;
    for (int follows = 0; follows < 2; follows++) {
        const lumped_rod r = unit_rod();
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = rod_robot(&piece, 1);
        td_load_def push = point_load("push", 1.0);
        push.frame = TD_FRAME_BODY;
        push.force[2] = td_constant(-1.5 * PI * PI / 4.0);
        if (follows) add_load(robot, &push);
        else add_tip_moment(robot, 1.0, 0.3, 0.0, 0.0);
        td_options o = rom_options(4);
        world w = world_make(robot, &o);
        double smallest;
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
        CHECK_BETWEEN(smallest, 0.01, 1.0 + 1e-9);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- coordinates
static void inverse_dynamics_of_an_equilibrium_is_what_drives_give(void **state) {
    (void)state;
    enum { N = 27 };
    td_options o = rom_options(4);
    world w = world_make(driven_robot(false), &o);
    double q[N], zero[N] = {0.0}, with[N], without[N];
    assert_int_equal(td_n_coordinates(w.system), N);
    for (int k = 0; k < 2; k++) {
        // At the shape of the first: with all drives idle, the same forces are missing.
        if (k == 0) solve_with(&w, -1, 0.0);
        else td_set_input(w.system, w.state, 0, 0.0), td_set_input(w.system, w.state, 1, 0.0);
        if (k == 0) assert_int_equal(td_get_coordinates(w.system, w.state, q, NULL), TD_OK);
        CHECK_CALL(&w, td_inverse_dynamics(w.system, w.state, q, zero, zero, k ? without : with));
    }
    double most = 0.0;
    for (int i = 0; i < N; i++) {
        CHECK_NEAR(with[i], without[i], 1e-15);
        most = fmax(most, fabs(with[i]));
    }
    assert_true(most > 1e-3);
    // and they are minus the slopes of the work of pressure and tension
    td_set_input(w.system, w.state, 0, inputs[0]), td_set_input(w.system, w.state, 1, inputs[1]);
    for (int i = 0; i < N; i++) {
        double work[2], keep = q[i];
        for (int side = 0; side < 2; side++) {
            q[i] = keep + (side ? 1e-6 : -1e-6);
            CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
            work[side] = inputs[1] * td_get_chamber(w.system, w.state, 0).volume -
                         inputs[0] * td_get_tendon(w.system, w.state, 0).length;
            const double T = td_get_tendon(w.system, w.state, 1).tension;
            work[side] -= 0.5 * T * T * hypot(0.05, hypot(8e-3, 8e-3)) / 100.0;  // its length by EA
        }
        q[i] = keep;
        CHECK_NEAR(with[i], (work[1] - work[0]) / 2e-6, 2e-6);
    }
    world_free(&w);
}

// ---------------------------------------------------------------- refusals
static td_robot *plain(void) {
    const lumped_rod r = unit_rod();
    td_piece_def piece = lumped_piece(&r);
    return rod_robot(&piece, 1);
}

static void what_it_cannot_carry_is_refused_by_name(void **state) {
    (void)state;
    td_error err = {0};
    td_options o = rom_options(4);
    td_tendon_def t = td_default_tendon_def();
    td_robot *robot = plain();
    t.to = 1.0, t.offset[0] = t.offset_end[0] = 0.01;
    t.name = "rough", t.input = TD_TENSION, t.friction = 0.2;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    check_refused(robot, &o, "simulation.model", "tendon friction");
    o.rotary_inertia = false;
    check_refused(plain(), &o, "simulation.rotary_inertia", "rotations are coordinates");
    o = rom_options(21);
    check_refused(plain(), &o, "simulation.rom.order", "between 1 and 20");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_are_differences_of_solutions),
        cmocka_unit_test(a_slack_tendon_answers_to_being_pulled),
        cmocka_unit_test(compliance_is_a_difference_of_solutions),
        cmocka_unit_test(a_column_loses_its_stability_at_eulers_load),
        cmocka_unit_test(an_upright_rod_bears_its_weight_up_to_greenhills),
        cmocka_unit_test(moments_and_followers_are_judged_too),
        cmocka_unit_test(inverse_dynamics_of_an_equilibrium_is_what_drives_give),
        cmocka_unit_test(what_it_cannot_carry_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
