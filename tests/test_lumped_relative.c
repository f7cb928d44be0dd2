// Relative states: ebr against eba, which is the same system in other coordinates; both and srl
// against numbers computed independently; equations of motion against Lagrange's.
#include "math/quat.h"

#include "lumped_bare.h"

// ---------------------------------------------------------------- joints
static const joint_kind kinds[] = {JOINT_VECTOR, JOINT_VECTOR_PRINTED, JOINT_EULER,
                                   JOINT_EULER_PRINTED};

static void joints_move_as_their_rates_say(void **state) {
    (void)state;
    static const double q[3][PER] = {{0.3, -0.7, 1.1, 0.02, 0.03, 0.4},
                                     {1e-9, 2e-9, -1e-9, 0.02, 0.03, 0.4},
                                     {1.1, 0.9, -1.4, 0.1, -0.2, 0.3}};
    static const double rates[PER] = {-0.2, 0.5, 0.4, 0.3, -0.1, 0.7}, none[PER] = {0.0};
    const double h = 1e-4;
    for (int at = 0; at < 12; at++) {
        joint_kind kind = kinds[at % 4];
        const double *x = q[at / 4];
        double forth[PER], back[PER];
        for (int i = 0; i < PER; i++) forth[i] = x[i] + h * rates[i], back[i] = x[i] - h * rates[i];
        joint j = joint_make(kind, x, rates), still = joint_make(kind, x, none);
        joint f = joint_make(kind, forth, rates), b = joint_make(kind, back, rates);
        mat3 turned = mat3_tmul(&b.R, &f.R);
        CHECK_NEAR(vec3_norm(vec3_sub(vec3_scale(so3_log(&turned), 0.5 / h), j.turn)), 0.0, 1e-7);
        vec3 rate = vec3_scale(vec3_sub(f.turn, b.turn), 0.5 / h);
        CHECK_NEAR(vec3_norm(vec3_sub(rate, j.turn_rate)), 0.0, 1e-7);
        vec3 p_t = vec3_scale(vec3_sub(f.p, b.p), 0.5 / h), p_by = vec3_zero();
        CHECK_NEAR(vec3_norm(vec3_sub(p_t, j.p_t)), 0.0, 1e-7);
        vec3 p_tt = vec3_scale(vec3_sub(f.p_t, b.p_t), 0.5 / h);
        CHECK_NEAR(vec3_norm(vec3_sub(p_tt, j.p_tt)), 0.0, 1e-7);
        for (int i = 0; i < PER; i++) p_by = vec3_madd(p_by, rates[i], still.p_by[i]);
        CHECK_NEAR(vec3_norm(vec3_sub(p_by, j.p_t)), 0.0, 1e-14);
    }
}

// ---------------------------------------------------------------- Lagrange
static td_robot *spinning_robot(void) {
    td_error err = {0};
    lumped_rod rod = unit_rod();
    td_piece_def piece = lumped_piece(&rod);
    td_robot *robot = rod_robot(&piece, 1);
    td_body_def body = td_default_body_def();
    body.name = "tip", body.at = 1.0, body.mass = 0.3;
    body.centre[0] = 0.1, body.centre[1] = -0.2, body.centre[2] = 0.15;
    body.inertia[0] = 0.02, body.inertia[1] = 0.03, body.inertia[2] = 0.012;
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    return robot;
}

static bare bare_make(joint_kind kind) {
    td_error err = {0};
    bool printed = kind == JOINT_VECTOR_PRINTED || kind == JOINT_EULER_PRINTED;
    td_options o = lumped_options("ebr", 2, printed);
    td_robot *robot = spinning_robot();
    net *c = net_build(robot, NULL, &o, &err);
    assert_non_null(c);
    c->joints = (int)kind;
    return bare_of(robot, c, &model_ebr);
}

#define N 12
static void ask_forces(bare *b, const double *q, const double *v, const double *a, double *r) {
    const solve_instant at = bare_instant();
    b->part.how->residual(b->m, &at, &(configuration){.q = q, .v = v, .a = a}, r, NULL);
}

static double kinetic(bare *b, const double *q, const double *rates) {
    double r[N], sum = 0.0;
    ask_forces(b, q, rates, NULL, r);
    for (int i = 0; i < b->c->n_nodes; i++)
        sum += lump_kinetic(&b->m->lumps[i], &b->m->R[i], &b->m->trial[i]);
    return sum;
}

// dT/d(rate k): T is quadratic in the rates, so that a central difference is exact.
static double momentum(bare *b, const double *q, const double *rates, int k) {
    double x[N];
    memcpy(x, rates, sizeof x);
    x[k] = rates[k] + 0.5;
    double up = kinetic(b, q, x);
    x[k] = rates[k] - 0.5;
    return up - kinetic(b, q, x);
}

static double lagrange(bare *b, const double *q, const double *v, const double *a, int k) {
    const double h = 2e-5;
    double p[2], T[2], x[N], y[N];
    for (int side = 0; side < 2; side++) {
        double t = side ? h : -h;
        for (int i = 0; i < N; i++) {
            x[i] = q[i] + t * v[i] + 0.5 * t * t * a[i];
            y[i] = v[i] + t * a[i];
        }
        p[side] = momentum(b, x, y, k);
        memcpy(x, q, sizeof x);
        x[k] += t;
        T[side] = kinetic(b, x, v);
    }
    return (p[1] - p[0] - (T[1] - T[0])) / (2.0 * h);
}

static void inertia_is_that_of_lagrange(void **state) {
    (void)state;
    const double q[N] = {0.4, -0.7, 0.3, 0.02, -0.04, 0.55, -0.5, 0.2, 0.6, 0.05, 0.01, 0.45};
    const double v[N] = {1.1, -0.4, 0.8, 0.3, -0.5, 0.2, -0.9, 1.3, 0.7, -0.2, 0.4, -0.6};
    const double a[N] = {0.5, 1.2, -0.3, 0.9, 0.1, -0.7, 0.6, -1.1, 0.4, 0.8, -0.2, 0.3};
    for (int i = 0; i < 4; i++) {
        bare b = bare_make(kinds[i]);
        double still[N], asked[N];
        ask_forces(&b, q, NULL, NULL, still);
        ask_forces(&b, q, v, a, asked);
        for (int k = 0; k < N; k++) asked[k] -= still[k];
        for (int k = 0; k < N; k++) CHECK_NEAR(asked[k], lagrange(&b, q, v, a, k), 2e-8);
        bare_free(&b);
    }
}

// ---------------------------------------------------------------- statics
typedef struct tip_case {
    const char *model;
    double force;
    int segments;
    bool as_printed;
    double x, z;
} tip_case;

static void cantilevers_match_the_numbers(void **state) {
    (void)state;
    static const tip_case cases[] = {
        {"ebr", 1.0, 2, false, 0.2869067369309398, 0.9508792950559537},
        {"ebr", 10.0, 5, false, 0.8097258120928053, 0.4488993089433548},
        {"ebr", 1.0, 2, true, 0.11815570122522309, 0.9858629965414333},
        {"ebr", 10.0, 5, true, 0.67794954485046, 0.5694692217105346},
        {"srl", 1.0, 2, false, 0.2810069764748919, 0.9442784462135343},
        {"srl", 10.0, 5, false, 0.7952986638147419, 0.4491431321728549},
        {"srl", 1.0, 2, true, 0.12024989597734907, 0.9853493612817803},
        {"srl", 10.0, 5, true, 0.692541987566381, 0.5470032321152902},
    };
    const lumped_rod rod = unit_rod();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tip_case *c = &cases[i];
        td_piece_def piece = lumped_piece(&rod);
        td_robot *robot = rod_robot(&piece, 1);
        add_tip_force(robot, 1.0, c->force, 0.0, 0.0);
        td_options o = lumped_options(c->model, c->segments, c->as_printed);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_NEAR(tip_of(&w).p[0], c->x, 1e-12);
        CHECK_NEAR(tip_of(&w).p[2], c->z, 1e-12);
        world_free(&w);
    }
}

// Gravity askew, a body off the axis, a helical tendon on a spring, a gas, loads of all kinds.
static td_robot *busy_robot(void) {
    td_error err = {0};
    lumped_rod r = module_rod();
    for (int i = 0; i < 6; i++) r.damping[i] = 0.002 * r.stiffness[i];
    r.curvature[1] = 3.0;
    const double inside[3] = {0.01, -0.004, 1.5};
    td_robot *robot = module_robot(&r, inside);
    set_gravity(robot, 3.0, -2.0, 8.0);
    td_tendon_def t = td_default_tendon_def();
    t.name = "tendon", t.to = 0.04, t.routing = TD_ROUTING_HELIX, t.radius = 0.01, t.turns = 0.3;
    t.input = TD_DISPLACEMENT, t.stiffness = 50.0, t.value = td_constant(2e-3);
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    td_chamber_def gas = td_default_chamber_def();
    gas.name = "gas", gas.to = 0.05, gas.area = 2e-5, gas.offset[0] = 5e-3;
    gas.input = TD_AMOUNT, gas.value = td_constant(4.8e-5);
    CHECK_OK(td_robot_add_chamber(robot, &gas, &err), err);
    td_load_def jet = point_load("jet", 0.03);
    jet.frame = TD_FRAME_BODY;
    set3(jet.force, 0.05, -0.03, 0.1);
    add_load(robot, &jet);
    td_load_def wind = point_load("wind", 0.01);
    wind.distributed = true, wind.to = 0.045;
    set3(wind.force, 0.4, 1.0, 0.0);
    add_load(robot, &wind);
    return robot;
}

static void ebr_and_eba_have_the_same_equilibria(void **state) {
    (void)state;
    td_pose tip[2];
    double effort[2][2];
    for (int k = 0; k < 2; k++) {
        td_options o = lumped_options(k ? "ebr" : "eba", 6, false);
        o.tolerance = 1e-13;
        world w = world_make(busy_robot(), &o);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        tip[k] = tip_of(&w);
        effort[k][0] = td_get_tendon(w.system, w.state, 0).tension;
        effort[k][1] = td_get_chamber(w.system, w.state, 1).pressure;
        world_free(&w);
    }
    CHECK_NEAR(pose_distance(tip[0], tip[1]), 0.0, 1e-13);
    CHECK_NEAR(effort[0][0], effort[1][0], 1e-10);
    CHECK_NEAR(effort[0][1], effort[1][1], 1e-6);
    CHECK_BETWEEN(effort[0][0], 0.1, 10.0);
    CHECK_BETWEEN(fabs(effort[0][1]), 100.0, 1e5);
}

static void ebr_and_eba_have_the_same_motion(void **state) {
    (void)state;
    double apart[2];
    for (int k = 0; k < 2; k++) {
        const int steps = k ? 800 : 400;
        td_pose tip[2];
        for (int model = 0; model < 2; model++) {
            td_options o = lumped_options(model ? "ebr" : "eba", 4, false);
            world w = world_make(busy_robot(), &o);
            for (int i = 0; i < steps; i++) CHECK_CALL(&w, td_step(w.system, w.state, 0.1 / steps));
            tip[model] = tip_of(&w);
            world_free(&w);
        }
        apart[k] = pose_distance(tip[0], tip[1]);
    }
    // the steps' errors are much the same in both coordinates; what remains vanishes with them
    CHECK_BETWEEN(apart[1], 0.0, 2e-9);
    CHECK_BETWEEN(apart[0] / apart[1], 4.0, 16.0);
}

static void a_jump_of_pressure_matches_the_numbers(void **state) {
    (void)state;
    // after 0.1 s, five segments; Radau with tolerance 1e-7
    static const double truth[2][2] = {{-0.015375499106656965, 0.06491807772815825},
                                       {-0.015279413555151881, 0.06490573423667077}};
    const double inside[3] = {0.025040341444789237, -8.673617379884035e-19, 3.141592653589793};
    lumped_rod rod = module_rod();
    for (int i = 0; i < 6; i++) rod.damping[i] = 0.002 * rod.stiffness[i];
    for (int k = 0; k < 2; k++) {
        td_options o = lumped_options(k ? "srl" : "ebr", 5, false);
        world w = world_make(module_robot(&rod, inside), &o);
        for (int i = 0; i < 500; i++) CHECK_CALL(&w, td_step(w.system, w.state, 2e-4));
        vec3 tip = module_tip(&w);
        CHECK_NEAR(tip.y, truth[k][0], 2e-6);
        CHECK_NEAR(tip.z, truth[k][1], 2e-6);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_move_as_their_rates_say),
        cmocka_unit_test(inertia_is_that_of_lagrange),
        cmocka_unit_test(cantilevers_match_the_numbers),
        cmocka_unit_test(ebr_and_eba_have_the_same_equilibria),
        cmocka_unit_test(ebr_and_eba_have_the_same_motion),
        cmocka_unit_test(a_jump_of_pressure_matches_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
