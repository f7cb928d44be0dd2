// Motion of rods that hang together: against single rods, pendulums and the conservation of energy.
#include "chains.h"

static const double pi = 3.14159265358979323846;

static double total_energy(const world *w) {
    td_energy e = td_get_energy(w->system, w->state);
    return e.kinetic + e.elastic + e.gravity + e.dissipated - e.work;
}

// ---------------------------------------------------------------- one rod in two parts
// A cantilever of 0.4 m with a body at its middle (mass 0: none), let go from a tip load; as one
// rod, or as two with the body between them.
static world let_go(bool whole, double mass) {
    td_piece_def half = steel_piece();
    half.length = 0.2;
    half.damping_time = 2e-3;
    td_options o = chain_options();
    o.scheme = TD_BDF2;
    td_robot *robot = empty_robot(0.0, -9.81, 0.0);
    td_error err = {0};
    int push = add_input(robot, "push"), last = 0;
    if (whole) {
        td_rod_def rod = chain_rod("whole", (td_piece_def[]){half, half}, 0.0, 0.0, 0.0);
        rod.n_pieces = 2;
        add_chain_rod(robot, &rod);
        td_body_def body = td_default_body_def();
        body.name = "middle", body.at = 0.2, body.mass = mass;
        for (int i = 0; i < 3; i++) body.inertia[i] = 1e-4 * mass;
        if (mass > 0.0) CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    } else {
        int link = add_body(robot, "link", mass, 1e-4 * mass, (double[]){0.0, 0.0, 0.2});
        td_rod_def lower = chain_rod("lower", &half, 0.0, 0.0, 0.0);
        hold_tip(&lower, link, TD_CLAMP, 0.0, 0.0, 0.0);
        add_chain_rod(robot, &lower);
        td_rod_def upper = chain_rod("upper", &half, 0.0, 0.0, 0.0);
        upper.base.body = link;
        last = add_chain_rod(robot, &upper);
    }
    td_load_def load = point_load("tip", whole ? 0.4 : 0.2);
    load.rod = last;
    load.force[0] = (td_number){0.0, 1.0, push};
    add_load(robot, &load);
    world w = world_make(robot, &o);
    td_set_input(w.system, w.state, push, 1.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_set_input(w.system, w.state, push, 0.0);
    return w;
}

static double difference_in_motion(double mass, int steps) {
    world one = let_go(true, mass), two = let_go(false, mass);
    double worst = 0.0;
    for (int i = 0; i < steps; i++) {
        CHECK_CALL(&one, td_step(one.system, one.state, 0.05 / steps));
        CHECK_CALL(&two, td_step(two.system, two.state, 0.05 / steps));
    }
    td_pose a = td_get_pose(one.system, one.state, 0, 0.4);
    td_pose b = td_get_pose(two.system, two.state, 1, 0.2);
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(a.p[k] - b.p[k]));
    world_free(&one);
    world_free(&two);
    return worst;
}

// The velocity of a joint comes from the strain rates on one side and from the body's pose on the
// other: the two differ by the error of the time formula.
static void rods_on_a_body_move_as_one_to_second_order_in_time(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        double coarse = difference_in_motion(i ? 0.02 : 0.0, 50);
        double fine = difference_in_motion(i ? 0.02 : 0.0, 100);
        CHECK_BETWEEN(fine, 0.0, 2e-5);
        CHECK_BETWEEN(coarse / fine, 3.0, 5.0);
    }
}

// ---------------------------------------------------------------- pendulums
// Seconds per half swing of a stiff rod that hangs from a joint, by its passages through the
// lowest point.
static double half_period(td_joint joint, double mass, double tilt, double dt) {
    td_piece_def piece = steel_piece();
    piece.section.radius = piece.section_end.radius = 5e-3;
    td_options o = chain_options();
    o.theory = TD_KIRCHHOFF;
    o.rotary_inertia = false;
    o.scheme = TD_TRAPEZOIDAL;
    o.nodes = 5;
    td_robot *robot = empty_robot(0.0, 0.0, -9.81);
    td_rod_def rod = chain_rod("pendulum", &piece, 0.0, 0.0, 0.0);
    // upside down, tilted about y
    rod.base.orientation[0] = cos(0.5 * (pi - tilt));
    rod.base.orientation[2] = sin(0.5 * (pi - tilt));
    rod.base.joint = joint;
    memcpy(rod.base.axis, (double[]){0.0, 1.0, 0.0}, sizeof rod.base.axis);
    memcpy(rod.base.axis2, (double[]){0.0, 0.0, 1.0}, sizeof rod.base.axis2);
    if (mass > 0.0) {
        double at[3] = {0.4 * sin(tilt), 0.0, -0.4 * cos(tilt)};
        td_body_def body = td_default_body_def();
        td_error err = {0};
        body.name = "bob", body.rod = -1, body.mass = mass;
        for (int i = 0; i < 3; i++) body.inertia[i] = 1e-5, body.position[i] = at[i];
        memcpy(body.orientation, rod.base.orientation, sizeof body.orientation);
        int bob = td_robot_add_body(robot, &body, &err);
        CHECK_OK(bob, err);
        hold_tip(&rod, bob, TD_CLAMP, 0.0, 0.0, 0.0);
    }
    add_chain_rod(robot, &rod);
    world w = world_make(robot, &o);
    double last = 0.0, crossed[2] = {0.0, 0.0};
    for (int i = 0, n = 0; n < 2 && i < 4000; i++) {
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
        double x = tip_of(&w).p[0];
        if (i > 0 && x * last < 0.0) crossed[n++] = dt * (i + last / (last - x));
        last = x;
    }
    world_free(&w);
    return crossed[1] - crossed[0];
}

static void a_rod_on_a_joint_swings_as_a_pendulum(void **unused) {
    (void)unused;
    const double L = 0.4, g = 9.81, m = 8000.0 * pi * 25e-6 * L, tilt = 0.05;
    // half a period of a uniform rod, with the first term of the amplitude
    double rod = pi * sqrt(2.0 * L / (3.0 * g)) * (1.0 + tilt * tilt / 16.0);
    CHECK_NEAR(half_period(TD_BALL, 0.0, tilt, 2e-3) / rod, 1.0, 1e-4);
    CHECK_NEAR(half_period(TD_REVOLUTE, 0.0, tilt, 2e-3) / rod, 1.0, 1e-4);
    CHECK_NEAR(half_period(TD_UNIVERSAL, 0.0, tilt, 2e-3) / rod, 1.0, 1e-4);
    const double M = 0.3, J = m * L * L / 3.0 + M * L * L + 1e-5, lever = g * L * (0.5 * m + M);
    double bob = pi * sqrt(J / lever) * (1.0 + tilt * tilt / 16.0);
    CHECK_NEAR(half_period(TD_REVOLUTE, M, tilt, 2e-3) / bob, 1.0, 1e-4);
}

// A rod that sags by this many lengths were it clamped and linear, let go from a slant.
static world soft_pendulum(td_joint joint, double sag) {
    const double L = 0.4, r = 4e-3;
    td_piece_def piece = steel_piece();
    piece.section.radius = piece.section_end.radius = r;
    piece.density = 1500.0;
    piece.youngs_modulus = 1500.0 * 9.81 * L * L * L * 4.0 / (8.0 * sag * r * r);
    piece.shear_modulus = piece.youngs_modulus / 2.8;
    td_rod_def rod = chain_rod("pendulum", &piece, 0.0, 0.0, 0.0);
    const double slant[4] = {0.7, 0.1, 0.7, 0.1};
    memcpy(rod.base.orientation, slant, sizeof slant);
    rod.base.joint = joint;
    memcpy(rod.base.axis, (double[]){0.0, 1.0, 0.0}, sizeof rod.base.axis);
    memcpy(rod.base.axis2, (double[]){1.0, 0.0, 0.0}, sizeof rod.base.axis2);
    td_options o = chain_options();
    o.scheme = TD_BDF_ALPHA, o.alpha = -0.2, o.nodes = 12;
    td_robot *robot = empty_robot(0.0, 0.0, -9.81);
    add_chain_rod(robot, &rod);
    return world_make(robot, &o);
}

static void soft_rods_swing_on_joints_with_any_ordinary_step(void **unused) {
    (void)unused;
    const td_joint joints[] = {TD_BALL, TD_REVOLUTE, TD_UNIVERSAL};
    const double sags[] = {0.3, 3.0, 12.0}, steps[] = {1e-2, 5e-3, 1e-3, 1e-4, 1e-5, 1e-6};
    for (int k = 0; k < 9; k++)
        for (int i = 0; i < 6; i++) {
            world w = soft_pendulum(joints[k % 3], sags[k / 3]);
            const double start = total_energy(&w), weight = 1500.0 * pi * 16e-6 * 0.4 * 9.81;
            for (int n = 0; n < (i < 2 ? 100 : 20); n++)
                CHECK_CALL(&w, td_step(w.system, w.state, steps[i]));
            assert_string_equal(td_message(w.state), "");
            // numerical damping takes some of what has fallen, and nothing is ever gained
            CHECK_BETWEEN((total_energy(&w) - start) / (weight * 0.4), -0.1, 2e-3);
            world_free(&w);
        }
}

// ---------------------------------------------------------------- energy
// The plate is pushed and let go. After the two half steps of the start the trapezoidal rule
// keeps the energy of rods and plate, as far as the velocity of a tip agrees with the rate of its
// pose: spectrally in space, to second order in time. Returned: the largest deviation, to the
// largest kinetic energy.
static double energy_drift(td_joint joint, int nodes, double dt) {
    td_options o = chain_options();
    o.scheme = TD_TRAPEZOIDAL;
    o.nodes = nodes;
    td_robot *robot = platform_robot(joint, false, (double[]){0.0, 0.0, 0.0});
    int push = add_input(robot, "push");
    td_load_def load = td_default_load_def();
    load.name = "drive", load.rod = -1, load.body = 0;
    load.force[0] = (td_number){0.0, 1.0, push}, load.force[1] = (td_number){0.0, 0.4, push};
    add_load(robot, &load);
    world w = world_make(robot, &o);
    td_set_input(w.system, w.state, push, 2.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_set_input(w.system, w.state, push, 0.0);
    CHECK_CALL(&w, td_step(w.system, w.state, dt));
    double start = total_energy(&w), worst = 0.0, most = 0.0;
    for (double t = dt; t < 0.1; t += dt) {
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
        worst = fmax(worst, fabs(total_energy(&w) - start));
        most = fmax(most, td_get_energy(w.system, w.state).kinetic);
    }
    world_free(&w);
    return worst / most;
}

static void a_swaying_platform_keeps_its_energy(void **unused) {
    (void)unused;
    CHECK_BETWEEN(energy_drift(TD_CLAMP, 12, 5e-4), 0.0, 5e-5);
    double coarse = energy_drift(TD_REVOLUTE, 12, 1e-3);
    double fine = energy_drift(TD_REVOLUTE, 12, 5e-4);
    CHECK_BETWEEN(fine, 0.0, 5e-4);
    CHECK_BETWEEN(coarse / fine, 3.0, 5.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_on_a_body_move_as_one_to_second_order_in_time),
        cmocka_unit_test(a_rod_on_a_joint_swings_as_a_pendulum),
        cmocka_unit_test(soft_rods_swing_on_joints_with_any_ordinary_step),
        cmocka_unit_test(a_swaying_platform_keeps_its_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
