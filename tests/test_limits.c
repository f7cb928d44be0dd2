// What inputs are computed stays within their limits, of size and of rate, in inverse statics and in controllers; and computed torque, whose
// errors obey their own equation.
#include "tendril/loop.h"

#include <string.h>

#include "not_compiled.h"
#include "scene.h"
#include "textbook.h"

static scene rig_with(const char *head, const char *rest, const char *set) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s", head, rest);
    scene s = scene_of(text, &set, set ? 1 : 0);
    scene_begin(&s);
    return s;
}

static scene rig_of(const char *head, const char *rest) {
    return rig_with(head, rest, NULL);
}

static const char *const arm =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 GPa, "
    "poisson_ratio: 0.3, density: 1000}, damping: {time: 20 ms}}\n"
    "tendons:\n"
    "  - {name: east, offset: [5 mm, 0]}\n"
    "  - {name: again, offset: [4 mm, 0]}\n"
    "  - {name: north, offset: [0, 5 mm]}\n"
    "simulation: {theory: kirchhoff, space: {nodes: 4}, time: {scheme: sdirk2}}\n";

// ---------------------------------------------------------------- inverse statics
// A constant moment T r bends the rod into an arc, so that east and again share what the shape asks for.
static void inverse_statics_keeps_to_the_ranges(void **state) {
    (void)state;
    const double EI = 1e9 * acos(-1.0) / 4.0 * pow(2e-3, 4);
    for (int limited = 0; limited < 2; limited++) {
        scene r = rig_of(arm, limited ? "limits: {east: [0 N, 2 N]}\n" : "");
        const int inputs[2] = {td_find_input(r.system, "east"), td_find_input(r.system, "again")};
        const double angle = 0.5, R = 0.2 / angle;  // of the arc
        const td_target target = {.body = -1,
                                  .rod = 0,
                                  .s = 0.2,
                                  .position_only = true,
                                  .pose = {{R * (1.0 - cos(angle)), 0.0, R * sin(angle)}, {1.0}}};
        assert_true(td_solve_inverse(r.system, r.state, &target, inputs, 2) >= 0);
        const double moment = 5e-3 * scene_input(&r, "east") + 4e-3 * scene_input(&r, "again");
        CHECK_NEAR(moment, EI * angle / 0.2, 1e-6 * moment);
        if (limited) CHECK_NEAR(scene_input(&r, "east"), 2.0, 1e-9);
        else assert_true(scene_input(&r, "east") > 3.0);
        scene_end(&r);
    }
    // with one input alone, at its end: the best fit, and it is said
    scene r = rig_of(arm, "limits: {east: [0 N, 2 N]}\n");
    const int east = td_find_input(r.system, "east");
    const td_target far = {
        .body = -1, .rod = 0, .s = 0.2, .position_only = true, .pose = {{0.05, 0.0, 0.19}, {1.0}}};
    assert_int_equal(td_solve_inverse(r.system, r.state, &far, &east, 1), TD_LOOSE);
    CHECK_NEAR(scene_input(&r, "east"), 2.0, 1e-9);
    scene_end(&r);
}

// An opening and a speed say how fast something goes: by statics nothing follows from them.
static void what_only_flows_is_no_input_of_inverse_statics(void **state) {
    (void)state;
    static const char *const parts[] = {
        "chambers: [{name: c, radius: 1 mm, input: opening, valve: {supply: 1 bar, conductance: "
        "1e-9}}]\n",
        "tendons: [{name: c, offset: [1 mm, 0], input: speed, motor: {spool: 5 mm}}]\n"};
    static const char *const words[] = {"'c' is the opening of the valve of chamber 'c'",
                                        "'c' is the speed of the motor of tendon 'c'"};
    for (int i = 0; i < 2; i++) {
        scene r = rig_of("tendril: 1\nrods: [{name: arm, length: 0.2, section: {radius: 2 mm}, "
                         "material: {youngs_modulus: 1 "
                         "GPa, poisson_ratio: 0.3, density: 1000}}]\n",
                         parts[i]);
        const td_target target = {.body = -1,
                                  .rod = 0,
                                  .s = 0.2,
                                  .position_only = true,
                                  .pose = {{0.01, 0.0, 0.19}, {1.0}}};
        const int input = td_find_input(r.system, "c");
        assert_int_equal(td_solve_inverse(r.system, r.state, &target, &input, 1), TD_ERR_ARGUMENT);
        if (!strstr(td_message(r.state), words[i])) fail_msg("%s", td_message(r.state));
        scene_end(&r);
    }
}

// ---------------------------------------------------------------- controllers
static void controllers_keep_to_size_and_rate(void **state) {
    (void)state;
    scene r = rig_of(arm, "controllers: [{name: f, inputs: east, formula: \"100*sin(20*t)\"}]\n"
                          "limits: {east: {range: [0.1 N, 1.5 N], rate: 30 N/s}}\n"
                          "inputs: {east: 1 N}\n");
    double before = 1.0;
    int at_ends = 0, at_rate = 0;
    for (int k = 0; k < 400; k++) {
        scene_advance(&r, 1e-3);
        const double now = scene_input(&r, "east");
        CHECK_BETWEEN(now, 0.1 - 1e-15, 1.5 + 1e-15);
        CHECK_BETWEEN(fabs(now - before), 0.0, 0.03 + 1e-12);
        at_ends += now == 0.1 || now == 1.5, at_rate += fabs(fabs(now - before) - 0.03) < 1e-12;
        before = now;
    }
    assert_true(at_ends > 50 && at_rate > 50);
    scene_end(&r);
}

// A point follows a path that asks for more of one tendon than it may give: another one that pulls the same way takes over.
static void others_take_over_from_what_is_at_its_end(void **state) {
    (void)state;
    double off[2];
    for (int wide = 0; wide < 2; wide++) {
        scene r = rig_of(
            arm, wide ? "controllers: [{name: t, inputs: [east, again, north], period: 5 ms, "
                        "track: {point: tip, path: [\"0.03*(1 - exp(-3*t))\", 0, 0.2], "
                        "proportional: 10}}]\n"
                        "limits: {east: [0 N, 1 N], again: [0 N, 20 N], north: [0 N, 20 N]}\n"
                      : "controllers: [{name: t, inputs: [east, north], period: 5 ms, "
                        "track: {point: tip, path: [\"0.03*(1 - exp(-3*t))\", 0, 0.2], "
                        "proportional: 10}}]\n"
                        "limits: {east: [0 N, 1 N], north: [0 N, 20 N]}\n");
        for (int k = 0; k < 400; k++) {
            scene_advance(&r, 5e-3);
            CHECK_BETWEEN(scene_input(&r, "east"), 0.0, 1.0);
        }
        CHECK_NEAR(scene_input(&r, "east"), 1.0, 1e-9);
        off[wide] = fabs(td_get_pose(r.system, r.state, 0, 0.2).p[0] - 0.03);
        if (wide) assert_true(scene_input(&r, "again") > 1.0);
        scene_end(&r);
    }
    assert_true(off[0] > 5e-3);
    assert_true(off[1] < 1e-3);
}

// ---------------------------------------------------------------- the Jacobian in a motion
// Tendons that pull alike compress a straight arm and do not bend it, however hard they pull: dx/dT = r L^2/(2 EI), as at rest. While
// they tighten, part of the stress is viscous; what leaves it out sees forces of several times Euler's load that nothing balances.
static void tightening_tendons_do_not_change_what_one_of_them_does(void **state) {
    (void)state;
    static const char *const models[] = {"cosserat", "eba", "ebr", "srl", "rom"};
    const double r = 6e-3, L = 0.25, EI = 60e6 * acos(-1.0) / 4.0 * pow(3e-3, 4);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char rest[128];
        snprintf(rest, sizeof rest, "simulation: {model: %s, time: {step: 4 ms}}\n", models[i]);
        scene x = rig_of("tendril: 1\n"
                         "gravity: [0, 0, 0]\n"
                         "rods:\n"
                         "  - {name: arm, length: 0.25, section: {radius: 3 mm}, material: "
                         "{youngs_modulus: 60 MPa, poisson_ratio: 0.4, density: 1100}, damping: "
                         "{time: 15 ms}}\n"
                         "tendons:\n"
                         "  - {name: east, offset: [6 mm, 0], value: pull}\n"
                         "  - {name: west, offset: [-6 mm, 0], value: 1*pull}\n"
                         "  - {name: more, offset: [6 mm, 0], value: more}\n"
                         "inputs: {pull: {ramp: {to: 6 N, duration: 0.1 s}}, more: 0.01 N}\n",
                         rest);
        for (int k = 0; k < 12; k++) scene_advance(&x, 4e-3);
        const int more = td_find_input(x.system, "more");
        double J[3];
        const td_jacobian_part part = {
            .body = -1, .s = L, .position_only = true, .inputs = &more, .n_inputs = 1};
        assert_true(td_get_jacobian_part(x.system, x.state, &part, J) >= 0);
        printf("%s: %.5f m/N, %.5f at rest\n", models[i], J[0], r * L * L / (2.0 * EI));
        CHECK_NEAR(J[0], r * L * L / (2.0 * EI), 0.05 * r * L * L / (2.0 * EI));
        scene_end(&x);
    }
}

// What comes to rest by statics or inverse statics has no rates any more: its Jacobian is that of a state that never moved.
static void a_motion_leaves_nothing_in_an_equilibrium(void **state) {
    (void)state;
    static const char *const models[] = {"cosserat", "eba", "ebr", "srl", "rom"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        for (int inverse = 0; inverse < 2; inverse++) {
            char rest[160];
            snprintf(rest, sizeof rest, "simulation: {model: %s, time: {step: 4 ms}}\n", models[i]);
            scene x =
                rig_of("tendril: 1\n"
                       "gravity: [0, 0, 0]\n"
                       "rods:\n"
                       "  - {name: arm, length: 0.25, section: {radius: 3 mm}, material: "
                       "{youngs_modulus: 60 MPa, poisson_ratio: 0.4, density: 1100}, damping: "
                       "{time: 15 ms}}\n"
                       "tendons:\n"
                       "  - {name: east, offset: [6 mm, 0]}\n"
                       "inputs: {east: {ramp: {to: 0.5 N, duration: 0.1 s}}}\n",
                       rest);
            for (int k = 0; k < 12; k++) scene_advance(&x, 4e-3);
            const int east = td_find_input(x.system, "east");
            const td_jacobian_part part = {
                .body = -1, .s = 0.25, .position_only = true, .inputs = &east, .n_inputs = 1};
            td_pose there = td_get_pose(x.system, x.state, 0, 0.25);
            const td_target target = {.body = -1, .s = 0.25, .position_only = true, .pose = there};
            double moved[3], never[3];
            assert_true((inverse ? td_solve_inverse(x.system, x.state, &target, &east, 1)
                                 : td_solve_statics(x.system, x.state)) >= 0);
            assert_true(td_get_jacobian_part(x.system, x.state, &part, moved) >= 0);
            td_state *fresh = td_state_create(x.system);
            td_set_input(x.system, fresh, east, td_get_input(x.system, x.state, east));
            assert_true(td_solve_statics(x.system, fresh) >= 0);
            assert_true(td_get_jacobian_part(x.system, fresh, &part, never) >= 0);
            for (int k = 0; k < 3; k++) CHECK_NEAR(moved[k], never[k], 1e-6 * fabs(never[0]));
            td_state_destroy(fresh);
            scene_end(&x);
        }
    }
}

// ---------------------------------------------------------------- computed torque
static const char *const bends =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 4 mm}, material: {youngs_modulus: 1 MPa, "
    "poisson_ratio: 0.4, density: 1000}, damping: {time: 5 ms}}\n"
    "tendons:\n"
    "  - {name: east, offset: [5 mm, 0]}\n"
    "  - {name: west, offset: [-5 mm, 0]}\n"
    "  - {name: north, offset: [0, 5 mm]}\n"
    "  - {name: south, offset: [0, -5 mm]}\n"
    "simulation: {theory: kirchhoff, model: constant_curvature, integration: {method: fixed}}\n";

// The largest distance between its error and that of e'' + 2 w e' + w^2 e = 0 in half a second, by the step.
static double distance_at(double dt, const char *set) {
    scene r = rig_with(bends,
                       "controllers:\n"
                       "  - {name: torque, inputs: [east, west, north, south], computed_torque: "
                       "{reference: {\"*x\": \"0.3*sin(4*t)\", \"*y\": 0.2}, proportional: 400, "
                       "derivative: 40}}\n",
                       set);
    assert_int_equal(td_n_coordinates(r.system), 2);
    const double w = 20.0;
    double q[2], v[2], most = 0.0;
    td_get_coordinates(r.system, r.state, q, v);
    // e0 = (0 - 0, 0.2 - 0), rates (1.2 - 0, 0)
    const double e0[2] = {-q[0], 0.2 - q[1]}, d0[2] = {1.2, 0.0};
    const int n = (int)lround(0.5 / dt);
    for (int k = 1; k <= n; k++) {
        scene_advance(&r, dt);
        const double t = k * dt, wanted[2] = {0.3 * sin(4.0 * t), 0.2};
        td_get_coordinates(r.system, r.state, q, v);
        for (int i = 0; i < 2; i++)
            most = fmax(most,
                        fabs(wanted[i] - q[i] - (e0[i] + (d0[i] + w * e0[i]) * t) * exp(-w * t)));
    }
    scene_end(&r);
    return most;
}

// Also of a material that is five times as stiff at first as it is in the end, or that has a hysteresis.
static const char *const laws[] = {NULL,
                                   "rods.arm.material.relaxation={shares: [4], times: [50 ms]}",
                                   "rods.arm.hysteresis={moment: 5e-5, curvature: 0.5 1/m}"};
enum { N_LAWS = sizeof laws / sizeof *laws };

static void errors_of_computed_torque_obey_their_equation(void **state) {
    (void)state;
    for (int i = 0; i < N_LAWS; i++) {
        const double coarse = distance_at(1e-3, laws[i]), fine = distance_at(2.5e-4, laws[i]);
        printf("computed torque: off by %.3g at 1 ms, %.3g at 0.25 ms\n", coarse, fine);
        assert_true(coarse < 0.02);
        CHECK_NEAR(coarse / fine, 4.0, 0.4);  // it acts where steps begin: of first order
    }
}

static void what_is_wrong_is_told(void **state) {
    (void)state;
    const struct {
        const char *rest, *word;
    } wrong[] = {
        {"limits: {wst: [0, 1]}\n", "wst"},
        {"limits: {east: [1 N, 0 N]}\n", "low"},
        {"limits: {east: [0 m, 1 m]}\n", "m"},
        {"limits: {east: {rate: -1 N/s}}\n", "rate"},
        {"controllers: [{name: t, inputs: east, computed_torque: {reference: {\"*x\": 0}}}]\n",
         "no plain numbers"},
    };
    char text[4096];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "%s%s", arm, wrong[i].rest);
        check_not_compiled(text, "", wrong[i].word);
    }
    snprintf(
        text, sizeof text, "%s%s", bends,
        "controllers: [{name: t, inputs: east, computed_torque: {reference: {nothing: 0}}}]\n");
    check_not_compiled(text, "", "no such coordinate");
}

static void robots_are_written_with_both(void **state) {
    (void)state;
    scene r = rig_of(bends, "controllers: [{name: t, inputs: [east, west], computed_torque: "
                            "{reference: {\"*x\": \"0.1*t\"}, proportional: 9, derivative: 6}}]\n"
                            "limits: {east: {range: [0 N, 3 N], rate: 2 N/s}}\n");
    char *text = td_robot_write(r.robot, NULL, NULL, &r.err);
    td_robot *again = td_robot_parse(text, strlen(text), "again.yaml", NULL, 0, &r.err);
    if (!again) fprintf(stderr, "%s\n%s: %s\n", text, r.err.where, r.err.message);
    assert_non_null(again);
    char *twice = td_robot_write(again, NULL, NULL, &r.err);
    assert_string_equal(text, twice);
    assert_non_null(strstr(text, "computed_torque"));
    assert_non_null(strstr(text, "limits"));
    td_free_text(text), td_free_text(twice);
    td_robot_destroy(again);
    scene_end(&r);
}

// ---------------------------------------------------------------- of some of the coordinates
static const char *const curve =
    "tendril: 1\n"
    "gravity: [0, 0, -1]\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 4 mm}, material: {youngs_modulus: 1 MPa, "
    "poisson_ratio: 0.4, density: 1000}, damping: {time: 5 ms}, base: {direction: [0, 0, -1]}}\n"
    "tendons:\n"
    "  - {name: east, offset: [5 mm, 0]}\n"
    "  - {name: west, offset: [-5 mm, 0]}\n"
    "  - {name: north, offset: [0, 5 mm]}\n"
    "  - {name: south, offset: [0, -5 mm]}\n"
    "loads: [{name: breeze, at: tip, force: [1 mN, 0, 0]}]\n"
    "simulation: {model: rom, rom: {order: 2}, solver: {tolerance: 1e-13}}\n";
static const char *const some =
    "controllers:\n"
    "  - {name: torque, inputs: [east, west, north, south], period: %g, computed_torque: "
    "{reference: "
    "{\"*b1_x\": \"0.3*sin(4*t)\", \"*b1_y\": 0.2}, proportional: 400, derivative: 40}}\n";

static int coordinate(const scene *r, const char *name) {
    int k = 0;
    while (strcmp(td_coordinate_name(r->system, k), name) != 0) k++;
    return k;
}

static scene some_rig(double period, const char *set) {
    char text[512];
    snprintf(text, sizeof text, some, period);
    return rig_with(curve, text, set);
}

// In motion, the mass matrix of the linear model and the forces that inverse dynamics miss give, with the tensions that are
// said, the accelerations that are wanted; no tendon pushes.
static void some_coordinates_get_their_accelerations(void **state) {
    (void)state;
    scene r = some_rig(1e-11, NULL), free_one = rig_of(curve, "");
    const int n = td_n_coordinates(r.system);
    const int at[2] = {coordinate(&r, "rod.arm.part1.b1_x"), coordinate(&r, "rod.arm.part1.b1_y")};
    double q[64], v[64], none[64] = {0.0}, a[64], M[64 * 64];
    assert_true(n > 8 && n <= 64);
    for (int k = 0; k < 120; k++) scene_advance(&r, 1e-3);
    td_get_coordinates(r.system, r.state, q, v);
    const double t = td_get_time(r.system, r.state);
    for (int i = 0; i < 4; i++) td_set_input(r.system, r.state, i, 0.0);  // what is said is added
    td_apply_controllers(r.system, r.state);
    for (int i = 0; i < 4; i++) {
        const double u = td_get_input(r.system, r.state, i);
        assert_true(u >= 0.0);
        td_set_input(free_one.system, free_one.state, i, u);
    }
    assert_int_equal(td_set_coordinates(free_one.system, free_one.state, q, v), TD_OK);
    td_linearisation *l = td_linearisation_create(free_one.system, NULL, 0, &r.err);
    assert_non_null(l);
    assert_true(td_linearise(free_one.system, free_one.state, l) >= 0);
    memcpy(M, td_get_linear(l)->M, sizeof(double) * (size_t)(n * n));
    assert_true(td_inverse_dynamics(free_one.system, free_one.state, q, v, none, a) >= 0);
    const double *B = td_get_linear(l)->B;
    for (int k = 0; k < n; k++) {
        a[k] = -a[k];
        for (int i = 0; i < 4; i++) a[k] += B[4 * k + i] * td_get_input(r.system, r.state, i);
    }
    textbook_eliminate(n, M, a);
    const double x = 0.3 * sin(4.0 * t), x_t = 1.2 * cos(4.0 * t), x_tt = -4.8 * sin(4.0 * t);
    const double wanted[2] = {x_tt + 40.0 * (x_t - v[at[0]]) + 400.0 * (x - q[at[0]]),
                              -40.0 * v[at[1]] + 400.0 * (0.2 - q[at[1]])};
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(a[at[i]], wanted[i], 1e-5 * fabs(wanted[i]));
        assert_true(fabs(wanted[i]) > 1.0);
    }
    td_linearisation_destroy(l);
    scene_end(&r), scene_end(&free_one);
}

static double distance_of_some_at(double dt, const char *set) {
    scene r = some_rig(dt, set);
    const int at[2] = {coordinate(&r, "rod.arm.part1.b1_x"), coordinate(&r, "rod.arm.part1.b1_y")};
    const double w = 20.0;
    double q[64], v[64], most = 0.0;
    td_get_coordinates(r.system, r.state, q, v);
    const double e0[2] = {-q[at[0]], 0.2 - q[at[1]]}, d0[2] = {1.2, 0.0};
    const int n = (int)lround(0.25 / dt);
    for (int k = 1; k <= n; k++) {
        scene_advance(&r, dt);
        const double t = k * dt, wanted[2] = {0.3 * sin(4.0 * t), 0.2};
        td_get_coordinates(r.system, r.state, q, v);
        for (int i = 0; i < 2; i++) {
            const double is = (e0[i] + (d0[i] + w * e0[i]) * t) * exp(-w * t);
            most = fmax(most, fabs(wanted[i] - q[at[i]] - is));
        }
    }
    scene_end(&r);
    return most;
}

static void their_errors_obey_their_equation(void **state) {
    (void)state;
    for (int i = 0; i < N_LAWS; i++) {
        const double coarse = distance_of_some_at(1e-3, laws[i]),
                     fine = distance_of_some_at(2.5e-4, laws[i]);
        printf("computed torque of some coordinates: off by %.3g at 1 ms, %.3g at 0.25 ms\n",
               coarse, fine);
        assert_true(coarse < 2e-3);
        CHECK_BETWEEN(coarse / fine, 3.0, 6.0);  // it acts where steps begin: of first order
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_statics_keeps_to_the_ranges),
        cmocka_unit_test(what_only_flows_is_no_input_of_inverse_statics),
        cmocka_unit_test(controllers_keep_to_size_and_rate),
        cmocka_unit_test(others_take_over_from_what_is_at_its_end),
        cmocka_unit_test(tightening_tendons_do_not_change_what_one_of_them_does),
        cmocka_unit_test(a_motion_leaves_nothing_in_an_equilibrium),
        cmocka_unit_test(errors_of_computed_torque_obey_their_equation),
        cmocka_unit_test(some_coordinates_get_their_accelerations),
        cmocka_unit_test(their_errors_obey_their_equation),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(robots_are_written_with_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
