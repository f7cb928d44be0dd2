// The constant-curvature model at rest: closed forms, the Cosserat rod, derivatives, parts,
// refusals.
#include "liu_robot.h"

// A slender steel arm of 0.4 m with tendons at offsets, for both models.
typedef struct arm_setup {
    int tendons;     // at equal angles, all to the tip
    double offset;   // m
    double gravity;  // m/s^2, along +x
    int segments;    // divisions
} arm_setup;

static td_robot *steel_arm(const arm_setup *s) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, s->gravity, 0.0, 0.0);
    for (int i = 0; i < s->tendons; i++) {
        char name[32];
        td_error err = {0};
        snprintf(name, sizeof name, "pull%d", i + 1);
        td_tendon_def t = td_default_tendon_def();
        t.name = name;
        t.to = piece.length;
        t.offset[0] = t.offset_end[0] = s->offset * cos(2.0 * LIU_PI * i / s->tendons);
        t.offset[1] = t.offset_end[1] = s->offset * sin(2.0 * LIU_PI * i / s->tendons);
        t.value = (td_number){.gain = 1.0, .input = add_input(robot, name)};
        CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    }
    return robot;
}

static td_options arcs_options(int segments) {
    td_options o = td_default_options();
    strcpy(o.model, "constant_curvature");
    o.constant_curvature.segments = segments;
    return o;
}

#define STEEL_EI (207e9 * LIU_PI * 1e-12 / 4.0)
#define STEEL_EA (207e9 * LIU_PI * 1e-6)

// u = T d L/EI, l = L (1 - T/EA), towards the tendon.
static void a_tendon_bends_an_arc_of_known_curvature(void **state) {
    (void)state;
    arm_setup s = {.tendons = 3, .offset = 0.01};
    td_options o = arcs_options(1);
    world w = world_make(steel_arm(&s), &o);
    double q[3];
    td_set_input(w.system, w.state, 0, 7.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_get_coordinates(w.system, w.state, q, NULL);
    CHECK_NEAR(q[0], 7.0 * 0.01 * 0.4 / STEEL_EI, 1e-9);
    CHECK_NEAR(q[1], 0.0, 1e-9);
    CHECK_NEAR(q[2], 0.4 * (1.0 - 7.0 / STEEL_EA), 1e-12);
    double r = q[2] / q[0];
    td_pose tip = tip_of(&w);
    CHECK_NEAR(tip.p[0], r * (1.0 - cos(q[0])), 1e-12);
    CHECK_NEAR(tip.p[2], r * sin(q[0]), 1e-12);
    td_tendon_state t = td_get_tendon(w.system, w.state, 0);
    CHECK_NEAR(t.length, q[2] - 0.01 * q[0], 1e-12);
    CHECK_NEAR(t.tension, 7.0, 0.0);
    world_free(&w);
}

// Where nothing but tendons acts, a Cosserat rod is an arc as well; shear is no matter there.
static void without_gravity_it_is_the_cosserat_rod(void **state) {
    (void)state;
    arm_setup s = {.tendons = 3, .offset = 0.01};
    td_options arcs = arcs_options(1), rod = td_default_options();
    world a = world_make(steel_arm(&s), &arcs), b = world_make(steel_arm(&s), &rod);
    static const double pulls[3] = {4.0, 9.0, 1.0};
    for (int k = 0; k < 3; k++) {
        td_set_input(a.system, a.state, k, pulls[k]);
        td_set_input(b.system, b.state, k, pulls[k]);
    }
    CHECK_CALL(&a, td_solve_statics(a.system, a.state));
    CHECK_CALL(&b, td_solve_statics(b.system, b.state));
    for (int i = 0; i <= 4; i++) {
        td_pose p = td_get_pose(a.system, a.state, 0, 0.1 * i);
        td_pose q = td_get_pose(b.system, b.state, 0, 0.1 * i);
        for (int k = 0; k < 3; k++) CHECK_NEAR(p.p[k], q.p[k], 1e-9);
    }
    world_free(&a);
    world_free(&b);
}

// Under weight one arc is wrong by some per cent, and divided arcs approach the rod with order 2.
static double sag_error(int segments) {
    arm_setup s = {.gravity = 9.81};
    td_options arcs = arcs_options(segments), rod = td_default_options();
    rod.nodes = 16;
    world a = world_make(steel_arm(&s), &arcs), b = world_make(steel_arm(&s), &rod);
    CHECK_CALL(&a, td_solve_statics(a.system, a.state));
    CHECK_CALL(&b, td_solve_statics(b.system, b.state));
    double error = fabs(tip_of(&a).p[0] - tip_of(&b).p[0]) / fabs(tip_of(&b).p[0]);
    world_free(&a);
    world_free(&b);
    return error;
}

static void under_weight_divided_arcs_approach_the_cosserat_rod(void **state) {
    (void)state;
    double one = sag_error(1), four = sag_error(4), eight = sag_error(8);
    CHECK_BETWEEN(one, 0.1, 0.5);  // small sag of one arc: 2/3 of w L^4/(8 EI)
    CHECK_BETWEEN(four / eight, 3.6, 4.4);
    CHECK_BETWEEN(eight, 0.0, 0.01);
}

// Small sag of one arc, by Ritz: u = w L^3/(6 EI) and the tip at u L/2, two thirds of w L^4/(8 EI).
static void one_arc_sags_by_two_thirds(void **state) {
    (void)state;
    arm_setup s = {.gravity = 1e-3};
    td_options o = arcs_options(1);
    world w = world_make(steel_arm(&s), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double weight = 8000.0 * LIU_PI * 1e-6 * 1e-3;
    double truth = weight * pow(0.4, 4) / (12.0 * STEEL_EI);
    CHECK_NEAR(tip_of(&w).p[0], truth, 1e-6 * truth);
    world_free(&w);
}

// ---------------------------------------------------------------- parts
static world with_loads(bool follows) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_load_def load = point_load("push", 0.25);
    set3(load.force, 0.3, -0.2, 0.1);
    set3(load.moment, 0.01, 0.02, 0.0);
    if (follows) load.frame = TD_FRAME_BODY;
    int input = add_input(robot, "size");
    load.force[0] = (td_number){.gain = 1.0, .input = input};
    add_load(robot, &load);
    td_options o = arcs_options(3);
    world w = world_make(robot, &o);
    td_set_input(w.system, w.state, 0, 0.3);
    return w;
}

static void turn_of(const td_pose *p, const td_pose *q, double out[3]) {
    for (int k = 0; k < 3; k++) {  // small turns: 2 vec(q p^-1)
        int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = 2.0 * (q->q[k + 1] * p->q[0] - q->q[0] * p->q[k + 1] -
                        (q->q[a + 1] * p->q[b + 1] - q->q[b + 1] * p->q[a + 1]));
    }
}

static void jacobians_are_differences_of_equilibria(void **state) {
    (void)state;
    for (int follows = 0; follows < 2; follows++) {
        world w = with_loads(follows);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        double J[6], turn[3], e = 1e-4;
        CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, 0.33, J));
        td_pose p[2];
        for (int side = 0; side < 2; side++) {
            td_set_input(w.system, w.state, 0, 0.3 + (side ? e : -e));
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            p[side] = td_get_pose(w.system, w.state, 0, 0.33);
        }
        turn_of(&p[0], &p[1], turn);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(J[k], turn[k] / (2.0 * e), 1e-5);
            CHECK_NEAR(J[3 + k], (p[1].p[k] - p[0].p[k]) / (2.0 * e), 1e-5);
        }
        world_free(&w);
    }
}

static void compliance_is_symmetric_and_stability_one_without_load(void **state) {
    (void)state;
    arm_setup s = {.tendons = 1, .offset = 0.01};
    td_options o = arcs_options(2);
    world w = world_make(steel_arm(&s), &o);
    double C[36], stability;
    CHECK_CALL(&w, td_get_stability(w.system, w.state, &stability));
    CHECK_NEAR(stability, 1.0, 1e-8);
    td_set_input(w.system, w.state, 0, 5.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, 0.3, 0, 0.3, C));
    for (int i = 0; i < 36; i++) CHECK_NEAR(C[i], C[6 * (i % 6) + i / 6], 1e-7);
    world_free(&w);
}

// Euler's column, fixed and free, as one arc by Ritz: N (5/12 - ...) from int (1 - cos u x) dx:
// with the shortening l u^2/6 the energy EI u^2/(2 L) - N L u^2/6 is flat at N = 3 EI/L^2.
static void a_column_of_one_arc_loses_stability_at_three(void **state) {
    (void)state;
    double critical = 3.0 * STEEL_EI / 0.16;
    for (int over = 0; over < 2; over++) {
        td_piece_def piece = steel_piece();
        td_robot *robot = rod_robot(&piece, 1);
        add_tip_force(robot, 0.4, 0.0, 0.0, -(over ? 1.01 : 0.99) * critical);
        td_options o = arcs_options(1);
        o.theory = TD_KIRCHHOFF;
        world w = world_make(robot, &o);
        double stability;
        assert_int_equal(td_n_coordinates(w.system), 2);
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &stability));
        CHECK_NEAR(stability, over ? -0.01 : 0.01, 1e-6);
        world_free(&w);
    }
}

// A body that rides half way adds its weight there, and carries its state.
static void bodies_ride_anywhere(void **state) {
    (void)state;
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 1e-3, 0.0, 0.0);
    td_body_def body = td_default_body_def();
    body.name = "ball";
    body.rod = 0;
    body.at = 0.2;
    body.mass = 5.0;
    td_error err = {0};
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    td_options o = arcs_options(1);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double u[3], weight = 8000.0 * LIU_PI * 1e-6 * 1e-3;
    td_get_coordinates(w.system, w.state, u, NULL);
    // sum of weights times how far they sink per u: L/6 along the rod, s^2/(2 L) at the ball
    double truth = 0.4 / STEEL_EI * (weight * 0.4 * 0.4 / 6.0 + 5e-3 * 0.04 / 0.8);
    CHECK_NEAR(u[0], truth, 1e-6 * truth);
    td_pose p = td_get_pose(w.system, w.state, 0, 0.2);
    td_body_state b = td_get_body(w.system, w.state, 0);
    for (int k = 0; k < 3; k++) CHECK_NEAR(b.pose.p[k], p.p[k], 1e-15);
    world_free(&w);
}

// Pressure P on area A at offset d: u = -P A d L/EI, l = L (1 + P A/EA); gas obeys its law.
static void chambers_push(void **state) {
    (void)state;
    for (int gas = 0; gas < 2; gas++) {
        td_piece_def piece = steel_piece();
        piece.youngs_modulus = 1e6;
        piece.section.radius = piece.section_end.radius = 0.02;
        const double EA = 1e6 * LIU_PI * 4e-4, EI = EA * 1e-4;
        td_robot *robot = rod_robot(&piece, 1);
        td_chamber_def c = td_default_chamber_def();
        c.name = "air";
        c.to = 0.4;
        c.offset[1] = 0.01;
        c.area = 1e-4;
        c.input = gas ? TD_AMOUNT : TD_PRESSURE;
        c.value = td_constant(gas ? 0.0017 : 5e3);
        c.temperature = 300.0;
        c.atmosphere = 101325.0;
        td_error err = {0};
        CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
        td_options o = arcs_options(1);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        td_chamber_state at = td_get_chamber(w.system, w.state, 0);
        double q[3], P = at.pressure;
        td_get_coordinates(w.system, w.state, q, NULL);
        if (!gas) CHECK_NEAR(P, 5e3, 0.0);
        if (gas) CHECK_NEAR((P + 101325.0) * at.volume, 0.0017 * 8.31446261815324 * 300.0, 1e-9);
        CHECK_NEAR(q[1], -P * 1e-4 * 0.01 * 0.4 / EI, 1e-8);
        CHECK_NEAR(q[2], 0.4 * (1.0 + P * 1e-4 / EA), 1e-12);
        CHECK_NEAR(at.volume, 1e-4 * (q[2] - 0.01 * q[1]), 1e-15);
        world_free(&w);
    }
}

// Robot-independent kinematics: wires pulled by d_i = r_i . u bend the arm by u, but for their own
// stretch, here EI/(3/2 EA r^2) = 1.1e-4.
static void displacements_set_the_shape(void **state) {
    (void)state;
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    const double u[2] = {0.5, -0.8};
    for (int i = 0; i < 3; i++) {
        char name[32];
        td_error err = {0};
        snprintf(name, sizeof name, "wire%d", i + 1);
        td_tendon_def t = td_default_tendon_def();
        t.name = name;
        t.to = 0.4;
        t.offset[0] = t.offset_end[0] = 0.01 * cos(2.0 * LIU_PI * i / 3);
        t.offset[1] = t.offset_end[1] = 0.01 * sin(2.0 * LIU_PI * i / 3);
        t.input = TD_DISPLACEMENT;
        t.pushes = true;
        t.stiffness = 1e7;
        t.value = td_constant(t.offset[0] * u[0] + t.offset[1] * u[1]);
        CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    }
    td_options o = arcs_options(1);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double q[3];
    td_get_coordinates(w.system, w.state, q, NULL);
    const double give = 1.0 / (1.0 + STEEL_EI / (1.5 * 1e7 * 1e-4));
    CHECK_NEAR(q[0], give * u[0], 1e-8);
    CHECK_NEAR(q[1], give * u[1], 1e-8);
    CHECK_NEAR(q[2], 0.4, 1e-6);
    world_free(&w);
}

// ---------------------------------------------------------------- refusals
static void check_refused(td_robot *robot, const td_options *o, const char *where,
                          const char *words) {
    td_error err = {0};
    td_system *system = td_system_create(robot, o, &err);
    assert_null(system);
    if (strcmp(err.where, where) != 0 || !strstr(err.message, words))
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_string_equal(err.where, where);
    assert_non_null(strstr(err.message, words));
    td_robot_destroy(robot);
}

static td_robot *with_tendon(td_tendon_def t) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_error err = {0};
    t.name = "wire";
    t.to = 0.4;
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    return robot;
}

static void what_arcs_cannot_be_is_refused_by_name(void **state) {
    (void)state;
    td_options o = arcs_options(1);
    td_tendon_def t = td_default_tendon_def();
    t.offset[0] = 0.01;
    t.offset_end[0] = 0.005;
    check_refused(with_tendon(t), &o, "tendons.wire.routing", "parallel to the axis");
    t = td_default_tendon_def();
    t.routing = TD_ROUTING_HELIX;
    t.radius = 0.01;
    t.turns = 1.0;
    check_refused(with_tendon(t), &o, "tendons.wire.routing", "parallel to the axis");
    t = td_default_tendon_def();
    t.offset[0] = t.offset_end[0] = 0.01;
    t.friction = 0.1;
    check_refused(with_tendon(t), &o, "simulation.model", "tendon friction");
    td_piece_def piece = steel_piece();
    piece.rest_curvature[2] = 1.0;
    check_refused(rod_robot(&piece, 1), &o, "rods.rod.rest", "no torsion");
    piece = steel_piece();
    piece.section_end.radius = 5e-4;
    check_refused(rod_robot(&piece, 1), &o, "rods.rod.section", "taper");
    piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_load_def load = point_load("wind", 0.0);
    load.distributed = true;
    load.to = 0.4;
    set3(load.force, 1.0, 0.0, 0.0);
    add_load(robot, &load);
    check_refused(robot, &o, "simulation.model", "distributed loads");
    td_options many = arcs_options(512);
    td_piece_def two[2] = {steel_piece(), steel_piece()};
    check_refused(rod_robot(two, 2), &many, "simulation.constant_curvature.segments", "1024");
}

// Tendons bend evenly; weight, forces and twisting moments do not, and that is said.
static void what_arcs_only_come_near_is_noted(void **state) {
    (void)state;
    td_options o = arcs_options(2);
    arm_setup s = {.tendons = 2, .offset = 0.01};
    world w = world_make(steel_arm(&s), &o);
    assert_null(td_system_note(w.system, 0));
    world_free(&w);
    s.gravity = 9.81;
    w = world_make(steel_arm(&s), &o);
    assert_non_null(strstr(td_system_note(w.system, 0), "rods.rod: weight and forces"));
    assert_non_null(strstr(td_system_note(w.system, 0), "2 arcs"));
    assert_null(td_system_note(w.system, 1));
    assert_null(td_system_note(w.system, -1));
    world_free(&w);
    for (int axial = 0; axial < 2; axial++) {
        td_piece_def piece = steel_piece();
        td_robot *robot = rod_robot(&piece, 1);
        td_load_def load = point_load("turn", 0.4);
        set3(load.moment, 0.0, 0.1, axial ? 0.1 : 0.0);
        add_load(robot, &load);
        w = world_make(robot, &o);
        const char *note = td_system_note(w.system, 0);
        if (axial) assert_non_null(strstr(note, "loads.turn.moment: its part along the axis"));
        else assert_null(note);
        world_free(&w);
    }
    td_options rod = td_default_options();
    w = world_make(steel_arm(&s), &rod);
    assert_null(td_system_note(w.system, 0));
    world_free(&w);
}

static void a_model_without_inverse_dynamics_says_so(void **state) {
    (void)state;
    td_piece_def piece = steel_piece();
    td_options o = td_default_options();
    world w = world_make(rod_robot(&piece, 1), &o);
    double q[6 * 64] = {0.0};
    assert_in_range(td_n_coordinates(w.system), 1, 6 * 64);
    assert_int_equal(td_inverse_dynamics(w.system, w.state, q, q, q, q), TD_ERR_UNSUPPORTED);
    assert_string_not_equal(td_message(w.state), "");
    world_free(&w);
}

static void impossible_coordinates_change_nothing(void **state) {
    (void)state;
    td_piece_def piece = steel_piece();
    td_options o = arcs_options(1);
    world w = world_make(rod_robot(&piece, 1), &o);
    double good[3] = {0.1, 0.2, 0.4}, q[3];
    static const double bad[3][3] = {{NAN, 0.0, 0.4}, {20.0, 0.0, 0.4}, {0.0, 0.0, -1.0}};
    CHECK_CALL(&w, td_set_coordinates(w.system, w.state, good, NULL));
    for (int i = 0; i < 3; i++) {
        assert_true(td_set_coordinates(w.system, w.state, bad[i], NULL) < 0);
        td_get_coordinates(w.system, w.state, q, NULL);
        assert_memory_equal(q, good, sizeof q);
    }
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tendon_bends_an_arc_of_known_curvature),
        cmocka_unit_test(without_gravity_it_is_the_cosserat_rod),
        cmocka_unit_test(under_weight_divided_arcs_approach_the_cosserat_rod),
        cmocka_unit_test(one_arc_sags_by_two_thirds),
        cmocka_unit_test(jacobians_are_differences_of_equilibria),
        cmocka_unit_test(compliance_is_symmetric_and_stability_one_without_load),
        cmocka_unit_test(a_column_of_one_arc_loses_stability_at_three),
        cmocka_unit_test(bodies_ride_anywhere),
        cmocka_unit_test(chambers_push),
        cmocka_unit_test(displacements_set_the_shape),
        cmocka_unit_test(what_arcs_cannot_be_is_refused_by_name),
        cmocka_unit_test(what_arcs_only_come_near_is_noted),
        cmocka_unit_test(a_model_without_inverse_dynamics_says_so),
        cmocka_unit_test(impossible_coordinates_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
