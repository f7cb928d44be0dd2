// Rods as nets: convergence to closed forms and to the Cosserat rod, energy, nets that close.
#include "math/quat.h"

#include "lumped.h"

static td_options eba(int segments) {
    return lumped_options("eba", segments, false);
}

// ---------------------------------------------------------------- statics
// Elastica under a dead force of 2 EI/L^2 across: tip at (0.493457480396712, 0.8393582791748327) L
// without shear and extension (Mattiasson's table).
static void elastica_is_approached_at_second_order(void **state) {
    (void)state;
    lumped_rod rod = unit_rod();
    for (int i = 3; i < 6; i++) rod.stiffness[i] = 1e9;
    for (int printed = 0; printed < 2; printed++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            td_piece_def piece = lumped_piece(&rod);
            td_robot *robot = rod_robot(&piece, 1);
            add_tip_force(robot, 1.0, 2.0, 0.0, 0.0);
            td_options o = lumped_options("eba", k ? 64 : 32, printed);
            world w = world_make(robot, &o);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            error[k] =
                hypot(tip_of(&w).p[0] - 0.493457480396712, tip_of(&w).p[2] - 0.8393582791748327);
            world_free(&w);
        }
        CHECK_NEAR(log2(error[0] / error[1]), printed ? 1.0 : 2.0, 0.05);
    }
}

static td_robot *busy_robot(int *tendon_input) {
    td_error err = {0};
    td_piece_def pieces[2] = {steel_piece(), steel_piece()};
    pieces[0].length = 0.15;
    pieces[1].length = 0.25;
    pieces[1].section.radius = 1e-3;
    pieces[1].section_end.radius = 0.8e-3;
    pieces[1].rest_curvature[0] = 1.5;
    td_robot *robot = rod_robot(pieces, 2);
    set_gravity(robot, 0.0, -9.81, 0.0);
    td_body_def body = td_default_body_def();
    body.name = "weight", body.at = 0.3, body.mass = 0.02, body.centre[0] = 5e-3;
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    td_load_def wind = point_load("wind", 0.1);
    wind.distributed = true, wind.to = 0.33;
    set3(wind.force, 0.7, 0.0, 0.1);
    add_load(robot, &wind);
    td_load_def jet = point_load("jet", 0.22);
    jet.frame = TD_FRAME_BODY;
    set3(jet.force, 0.2, -0.3, 0.1);
    set3(jet.moment, 0.0, 0.0, 0.02);
    add_load(robot, &jet);
    *tendon_input = add_input(robot, "pull");
    td_tendon_def tendon = td_default_tendon_def();
    tendon.name = "tendon", tendon.to = 0.36;
    tendon.routing = TD_ROUTING_HELIX, tendon.radius = 0.01, tendon.turns = 0.5;
    tendon.input = TD_DISPLACEMENT, tendon.stiffness = 2e4;
    tendon.value = (td_number){0.0, 1.0, *tendon_input};
    CHECK_OK(td_robot_add_tendon(robot, &tendon, &err), err);
    return robot;
}

static void everything_at_once_approaches_the_cosserat_rod(void **state) {
    (void)state;
    int pull;
    td_options o = td_default_options();
    o.nodes = 16;
    world truth = world_make(busy_robot(&pull), &o);
    td_set_input(truth.system, truth.state, pull, 2e-3);
    CHECK_CALL(&truth, td_solve_statics(truth.system, truth.state));
    const double tension = td_get_tendon(truth.system, truth.state, 0).tension;
    double error[2], tension_error[2];
    for (int k = 0; k < 2; k++) {
        o = eba(k ? 160 : 80);
        world w = world_make(busy_robot(&pull), &o);
        td_set_input(w.system, w.state, pull, 2e-3);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        error[k] = pose_distance(tip_of(&w), tip_of(&truth));
        tension_error[k] = fabs(td_get_tendon(w.system, w.state, 0).tension - tension);
        CHECK_NEAR(td_get_tendon(w.system, w.state, 0).displacement, 2e-3, 1e-9);
        world_free(&w);
    }
    world_free(&truth);
    CHECK_BETWEEN(tension, 1.0, 100.0);
    CHECK_BETWEEN(error[1], 0.0, 2e-5);
    CHECK_BETWEEN(tension_error[1] / tension, 0.0, 1e-3);
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.1);
}

static void derivatives_are_differences_of_solutions(void **state) {
    (void)state;
    int pull;
    td_options o = eba(20);
    o.tolerance = 1e-13;
    world w = world_make(busy_robot(&pull), &o);
    td_set_input(w.system, w.state, pull, 2e-3);
    td_solve_statics(w.system, w.state);
    double J[6];
    assert_int_equal(td_get_jacobian(w.system, w.state, 0, 0.4, J), TD_OK);
    const double e = 1e-6;
    td_pose at[2];
    for (int k = 0; k < 2; k++) {
        td_set_input(w.system, w.state, pull, 2e-3 + (k ? e : -e));
        td_solve_statics(w.system, w.state);
        at[k] = tip_of(&w);
    }
    for (int i = 0; i < 3; i++)
        CHECK_NEAR((at[1].p[i] - at[0].p[i]) / (2.0 * e), J[3 + i], 1e-5 * (1.0 + fabs(J[3 + i])));
    world_free(&w);
}

// ---------------------------------------------------------------- nets
// A rod in two halves that are clamped to a body without mass in the middle is the rod.
static td_robot *halves(bool joined) {
    td_error err = {0};
    lumped_rod whole = unit_rod();
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, 0.0, 0.0);
    whole.length = joined ? 0.5 : 1.0;
    td_piece_def piece = lumped_piece(&whole);
    td_rod_def rod = td_default_rod_def();
    rod.pieces = &piece, rod.n_pieces = 1;
    if (!joined) {
        rod.name = "whole";
        CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    } else {
        td_body_def hub = td_default_body_def();
        hub.name = "hub", hub.rod = -1, hub.position[2] = 0.45, hub.position[0] = 0.1;
        int body = td_robot_add_body(robot, &hub, &err);
        CHECK_OK(body, err);
        rod.name = "near";
        rod.tip.held = true, rod.tip.body = body, rod.tip.position[0] = td_constant(-0.02);
        CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
        td_rod_def far = td_default_rod_def();
        far.name = "far", far.pieces = &piece, far.n_pieces = 1;
        far.base.body = body, far.base.position[0] = td_constant(-0.02);
        CHECK_OK(td_robot_add_rod(robot, &far, &err), err);
    }
    td_load_def load = point_load("load", whole.length);
    load.rod = joined ? 1 : 0;
    set3(load.force, 1.0, 0.7, -0.4);
    set3(load.moment, 0.1, 0.0, 0.2);
    load.force[0].gain = 0.5;
    load.force[0].input = add_input(robot, "more");
    add_load(robot, &load);
    return robot;
}

static void two_halves_on_a_body_are_the_rod(void **state) {
    (void)state;
    td_pose rest[2], moved[2];
    for (int k = 0; k < 2; k++) {
        td_options o = eba(k ? 8 : 16);
        world w = world_make(halves(k), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        rest[k] = td_get_pose(w.system, w.state, k, k ? 0.5 : 1.0);
        td_set_input(w.system, w.state, 0, 1.0);
        for (int i = 0; i < 200; i++) CHECK_CALL(&w, td_step(w.system, w.state, 0.001));
        moved[k] = td_get_pose(w.system, w.state, k, k ? 0.5 : 1.0);
        world_free(&w);
    }
    CHECK_NEAR(pose_distance(rest[0], rest[1]), 0.0, 1e-11);
    // a step is exact in the place of a node, which here is not on the rod: order 2 remains
    CHECK_NEAR(pose_distance(moved[0], moved[1]), 0.0, 1e-9);
    CHECK_BETWEEN(pose_distance(rest[0], moved[0]), 0.02, 1.0);
}

// A ring of four rods on four bodies, hung at one of them by a fifth: only eba and cosserat can.
static td_robot *ring(void) {
    td_error err = {0};
    lumped_rod r = unit_rod();
    r.length = 0.3, r.mass = 0.05;
    for (int i = 0; i < 3; i++) r.stiffness[i] *= 0.05, r.damping[i] = 1e-4, r.inertia[i] *= 0.05;
    r.curvature[0] = 0.5 * 3.14159265358979 / r.length;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, -9.81, 0.0);
    const double radius = r.length / (0.5 * 3.14159265358979);
    int bodies[4], push = add_input(robot, "push");
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        td_body_def hub = td_default_body_def();
        hub.name = name, hub.rod = -1, hub.mass = 0.02 * (i + 1);
        for (int k = 0; k < 3; k++) hub.inertia[k] = 1e-6;
        // along the ring, which turns about -x from the tangent z
        quat q = quat_exp((vec3){0.5 * 3.14159265358979 * i, 0.0, 0.0});
        vec3 p = vec3_sub(quat_rotate(q, (vec3){0.0, radius, 0.0}), (vec3){0.0, radius, 0.0});
        vec3_store(hub.position, vec3_add(p, (vec3){0.0, 0.0, 0.3}));
        quat_store(hub.orientation, q);
        bodies[i] = td_robot_add_body(robot, &hub, &err);
        CHECK_OK(bodies[i], err);
    }
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "r%d", i);
        td_piece_def straight = piece;
        td_rod_def rod = td_default_rod_def();
        rod.name = name, rod.pieces = &piece, rod.n_pieces = 1;
        rod.tip.held = true;
        if (i == 4) {
            straight.rest_curvature[0] = 0.0;
            rod.pieces = &straight;
            rod.tip.body = bodies[0];
        } else {
            rod.base.body = bodies[i];
            rod.tip.body = bodies[(i + 1) % 4];
        }
        CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    }
    td_load_def load = td_default_load_def();
    load.name = "push", load.rod = -1, load.body = bodies[2];
    load.force[0] = (td_number){0.0, 1.0, push};
    add_load(robot, &load);
    return robot;
}

static void rings_approach_the_cosserat_model(void **state) {
    (void)state;
    td_options o = td_default_options();
    o.nodes = 12;
    world truth = world_make(ring(), &o);
    CHECK_CALL(&truth, td_solve_statics(truth.system, truth.state));
    td_pose far = td_get_body(truth.system, truth.state, 2).pose;
    double error[2];
    for (int k = 0; k < 2; k++) {
        o = eba(k ? 32 : 16);
        world w = world_make(ring(), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        error[k] = pose_distance(td_get_body(w.system, w.state, 2).pose, far);
        world_free(&w);
    }
    world_free(&truth);
    CHECK_BETWEEN(error[1], 0.0, 1e-3);
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.1);
}

static world example(const char *model, int segments) {
    char path[1024];
    td_error err = {0};
    snprintf(path, sizeof path, "%s/net.yaml", EXAMPLES);
    td_robot *robot = td_robot_load(path, NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    td_options o = td_robot_options(robot);
    snprintf(o.model, sizeof o.model, "%s", model);
    o.lumped.segments = segments;
    o.nodes = 24;
    return world_make(robot, &o);
}

static void a_net_under_a_finger_approaches_the_cosserat_model(void **state) {
    (void)state;
    td_pose knot[3];
    for (int k = 0; k < 3; k++) {
        world w = example(k == 0 ? "cosserat" : "eba", k == 1 ? 30 : 60);
        td_set_input(w.system, w.state, td_find_input(w.system, "press"), -1.0);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        knot[k] = td_get_body(w.system, w.state, td_find_body(w.system, "ne")).pose;
        world_free(&w);
    }
    CHECK_BETWEEN(knot[0].p[2], 0.15, 0.16);  // down by almost 5 cm
    CHECK_NEAR(pose_distance(knot[0], knot[2]), 0.0, 2e-5);
    CHECK_NEAR(log2(pose_distance(knot[0], knot[1]) / pose_distance(knot[0], knot[2])), 2.0, 0.4);
}

// ---------------------------------------------------------------- motion
static void check_energy(td_robot *(*make)(void), double h, double end, double tolerance) {
    double drift[2];
    for (int k = 0; k < 2; k++) {
        td_options o = eba(8);
        world w = world_make(make(), &o);
        if (td_n_inputs(w.system) > 0) CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const int n = (int)lround(end / h) * (k ? 2 : 1);
        double start = world_balance(&w), most = 0.0;
        for (int i = 1; i <= n; i++) {
            double x = (double)i / n;
            if (td_n_inputs(w.system) > 0) td_set_input(w.system, w.state, 0, x * x * (1.0 - x));
            CHECK_CALL(&w, td_step(w.system, w.state, end / n));
            most = fmax(most, fabs(world_balance(&w) - start));
        }
        drift[k] = most;
        world_free(&w);
    }
    CHECK_BETWEEN(drift[1], 0.0, tolerance);
    CHECK_BETWEEN(drift[0] / drift[1], 3.5, 4.5);
}

static td_robot *falling_module(void) {
    lumped_rod rod = module_rod();
    for (int i = 0; i < 6; i++) rod.damping[i] = 0.002 * rod.stiffness[i];
    const double inside[3] = {0.025, -0.01, 3.0};
    return module_robot(&rod, inside);
}

static void energy_is_accounted_for(void **state) {
    (void)state;
    check_energy(falling_module, 1e-4, 0.05, 2e-7);
    check_energy(ring, 5e-3, 0.5, 1e-4);
}

// A falling rod in a fluid, in all models, against the Cosserat rod with the same steps.
static void drag_slows_as_it_does_the_cosserat_rod(void **state) {
    (void)state;
    static const char *const names[] = {"cosserat", "eba", "ebr"};
    td_pose tip[3];
    for (int k = 0; k < 3; k++) {
        lumped_rod r = unit_rod();
        for (int i = 0; i < 6; i++) r.damping[i] = 1e-3 * r.stiffness[i];
        td_piece_def piece = lumped_piece(&r);
        for (int i = 0; i < 3; i++) piece.drag[i] = 1.0 + i, piece.linear_drag[i] = 0.5 + i;
        td_robot *robot = rod_robot(&piece, 1);
        set_gravity(robot, 5.0, -3.0, 0.0);
        td_options o = lumped_options(names[k], k == 2 ? 12 : 48, false);
        o.nodes = 16;
        o.scheme = TD_SDIRK2;
        world w = world_make(robot, &o);
        double start = world_balance(&w);
        for (int i = 0; i < 300; i++) CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
        tip[k] = tip_of(&w);
        CHECK_NEAR(world_balance(&w), start, 2e-3);
        CHECK_BETWEEN(td_get_energy(w.system, w.state).dissipated, 0.05, 5.0);
        world_free(&w);
    }
    CHECK_NEAR(pose_distance(tip[0], tip[1]), 0.0, 5e-4);
    CHECK_NEAR(pose_distance(tip[0], tip[2]), 0.0, 5e-3);
}

// A weight comes and goes while the rod swings: no energy is lost but what it takes along.
static void bodies_bring_their_energy(void **state) {
    (void)state;
    static const char *const names[] = {"eba", "ebr"};
    for (int k = 0; k < 2; k++) {
        td_error err = {0};
        lumped_rod r = module_rod();
        for (int i = 0; i < 6; i++) r.damping[i] = 0.002 * r.stiffness[i];
        const double inside[3] = {0.025, -0.01, 3.0};
        td_robot *robot = module_robot(&r, inside);
        int input = add_input(robot, "grip");
        td_body_def body = td_default_body_def();
        body.name = "load", body.at = 0.05, body.mass = 0.02, body.centre[2] = 0.02;
        for (int i = 0; i < 3; i++) body.inertia[i] = 1e-6;
        body.attached = (td_number){0.0, 1.0, input};
        CHECK_OK(td_robot_add_body(robot, &body, &err), err);
        td_options o = lumped_options(names[k], 4, false);
        world w = world_make(robot, &o);
        double start = world_balance(&w), most = 0.0;
        for (int i = 0; i < 600; i++) {
            if (i % 200 == 0) {
                td_set_input(w.system, w.state, input, i == 200 ? 1.0 : 0.0);
                td_restart(w.system, w.state);
            }
            CHECK_CALL(&w, td_step(w.system, w.state, 5e-5));
            most = fmax(most, fabs(world_balance(&w) - start));
        }
        CHECK_BETWEEN(most, 0.0, 1e-6);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elastica_is_approached_at_second_order),
        cmocka_unit_test(everything_at_once_approaches_the_cosserat_rod),
        cmocka_unit_test(derivatives_are_differences_of_solutions),
        cmocka_unit_test(two_halves_on_a_body_are_the_rod),
        cmocka_unit_test(rings_approach_the_cosserat_model),
        cmocka_unit_test(a_net_under_a_finger_approaches_the_cosserat_model),
        cmocka_unit_test(energy_is_accounted_for),
        cmocka_unit_test(bodies_bring_their_energy),
        cmocka_unit_test(drag_slows_as_it_does_the_cosserat_rod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
