// Bodies that touch obstacles: on slopes, dropped, and at the tip of an arm, against closed forms.
#include "contact_rods.h"
#include "not_compiled.h"

#include <math.h>
#include <stdio.h>

// ---------------------------------------------------------------- on a slope
// Of 30 deg down x, with g = 10 m/s^2. What lies on it starts as deep as its weight presses it in: K times its size
// is its stiffness, here 20 kN/m for a size of 0.2 m and 0.1 kg. A post stands beside, out of reach.
#define SLOPE(body)                                                                                \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: post, length: 0.1, section: {radius: 1 mm}, base: {position: [0, 9, 1]},\n"        \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}\n"                 \
    "bodies:\n"                                                                                    \
    "  - {name: b, mass: 0.1, " body "}\n"                                                         \
    "obstacles:\n"                                                                                 \
    "  - {name: slope, plane: {}, direction: [0.5, 0, 0.86602540378], stiffness: 1e5,\n"           \
    "     presliding: 1 um}\n"                                                                     \
    "simulation: {lumped: {segments: 4}, space: {elements: 2, nodes: 3}}\n"

#define DEPTH (0.1 * 10.0 * 0.86602540378 / (1e5 * 0.2))

static double along(const scene *s) {
    const td_body_state b = td_get_body(s->system, s->state, 0);
    return 0.86602540378 * b.pose.p[0] - 0.5 * b.pose.p[2];
}

// How far it has come down the slope after 0.4 s, and how fast it turns about y then.
static double way_down(const char *model, const char *text, double radius, double mu,
                       double *spin) {
    char friction[64], position[96];
    const double up = radius - DEPTH;
    snprintf(friction, sizeof friction, "obstacles.slope.friction=%g", mu);
    snprintf(position, sizeof position, "bodies.b.position=[%.12g, 0, %.12g]", 0.5 * up,
             0.86602540378 * up);
    scene s = scene_of(text, (const char *const[]){friction, position, model}, 3);
    const double start = along(&s);
    for (int k = 0; k < 400; k++) scene_step(&s, 1e-3);
    const td_body_state b = td_get_body(s.system, s.state, 0);
    const double w[3] = {b.velocity[0], b.velocity[1], b.velocity[2]};
    *spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const double way = along(&s) - start;
    scene_end(&s);
    return way;
}

#define HALF_T2 (0.5 * 0.4 * 0.4)

static void a_ball_rolls_or_slides(const char *model) {
    static const char *const ball = SLOPE("shape: {sphere: {radius: 0.1}}");
    const double g = 10.0 * 0.5;
    double spin;
    CHECK_NEAR(way_down(model, ball, 0.1, 0.0, &spin), g * HALF_T2, 5e-6);
    CHECK_NEAR(spin, 0.0, 1e-5);
    CHECK_NEAR(way_down(model, ball, 0.1, 0.5, &spin), 5.0 / 7.0 * g * HALF_T2, 1e-4 * g * HALF_T2);
    CHECK_NEAR(spin, 5.0 / 7.0 * g * 0.4 / 0.1, 0.01);
    // below mu = 2/7 tan it slides: m g (sin - mu cos) moves it, 5/2 mu g cos/r turns it
    const double mu = 0.1, N = 10.0 * 0.86602540378;
    CHECK_NEAR(way_down(model, ball, 0.1, mu, &spin), (g - mu * N) * HALF_T2, 1e-3 * g * HALF_T2);
    CHECK_NEAR(spin, 2.5 * mu * N / 0.1 * 0.4, 0.02);
}

// With g sin/(1 + I/(m r^2)), I by the volumes of its middle and its ends: between 2/3 of a cylinder and 5/7 of a ball.
static void a_capsule_rolls(const char *model) {
    static const char *const roller =
        SLOPE("shape: {capsule: {radius: 20 mm, length: 160 mm}}, direction: [0, 1, 0]");
    const double middle = 160.0 / (160.0 + 4.0 / 3.0 * 20.0);
    const double I = 0.5 * middle + 0.4 * (1.0 - middle);
    double spin;
    const double way = way_down(model, roller, 20e-3, 0.8, &spin);
    CHECK_BETWEEN(I, 0.4 + 0.05, 0.5 - 0.01);
    CHECK_NEAR(way, 5.0 / (1.0 + I) * HALF_T2, 1e-3 * way);
}

static void a_block_sticks_or_slides(const char *model) {
    static const char *const block =
        SLOPE("shape: {box: [0.2, 0.1, 0.02]}, rotation: [0, 30 deg, 0]");
    const double tangent = 0.57735026919, N = 10.0 * 0.86602540378;
    double spin;
    CHECK_BETWEEN(way_down(model, block, 0.01 - DEPTH, 1.1 * tangent, &spin), 0.0, 1e-4);
    const double mu = 0.5 * tangent, way = way_down(model, block, 0.01 - DEPTH, mu, &spin);
    CHECK_NEAR(way, (5.0 - mu * N) * HALF_T2, 5e-3 * way);
}

static void things_on_a_slope(void **unused) {
    (void)unused;
    static const char *const models[] = {"simulation.model=eba", "simulation.model=cosserat"};
    for (int i = 0; i < 2; i++) {
        a_ball_rolls_or_slides(models[i]);
        a_capsule_rolls(models[i]);
        a_block_sticks_or_slides(models[i]);
    }
}

// A rod is a cylinder: across the slope it rolls with 2/3 g sin. A thread that hardly pulls ties it to the world.
#define ROD_ON_SLOPE                                                                               \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.2, section: {radius: 10 mm}, base: {body: b, direction: [0, 1, "      \
    "0]},\n"                                                                                       \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}\n"                 \
    "  - {name: thread, length: 0.5, section: {radius: 0.1 mm}, mass_per_length: 1e-7,\n"          \
    "     base: {position: [0.005, -0.6, 0.0086602540378], direction: [0, 1, 0]},\n"               \
    "     tip: {body: b, direction: [0, 1, 0], joint: ball}, damping: {time: 10 ms},\n"            \
    "     stiffness: {bending: 1e-9, torsion: 1e-9, shear: 1e-4, extension: 1e-4},\n"              \
    "     material: {youngs_modulus: 1 MPa, poisson_ratio: 0.3, density: 1}}\n"                    \
    "bodies: [{name: b, mass: 1e-7, inertia: [1e-12, 1e-12, 1e-12],\n"                             \
    "          position: [0.005, -0.1, 0.0086602540378]}]\n"                                       \
    "obstacles: [{name: slope, plane: {}, direction: [0.5, 0, 0.86602540378], stiffness: 1e5,\n"   \
    "             friction: 0.5}]\n"                                                               \
    "simulation: {start: straight}\n"

static double rolled(const char *model, double dt) {
    scene s = scene_of(ROD_ON_SLOPE, &model, 1);
    assert_true(td_begin(s.system, s.state) >= 0);
    const td_pose from = td_get_pose(s.system, s.state, 0, 0.1);
    for (int k = 0; k < (int)(0.4 / dt + 0.5); k++) scene_step(&s, dt);
    const td_pose to = td_get_pose(s.system, s.state, 0, 0.1);
    scene_end(&s);
    return 0.86602540378 * (to.p[0] - from.p[0]) - 0.5 * (to.p[2] - from.p[2]);
}

static void a_rod_rolls_down_a_slope(void **unused) {
    (void)unused;
    const double way = 2.0 / 3.0 * 5.0 * HALF_T2;
    CHECK_NEAR(rolled("simulation.model=cosserat", 2e-3), way, 1.5e-2 * way);
    CHECK_NEAR(rolled("simulation.model=cosserat", 1e-3), way, 5e-3 * way);
    CHECK_NEAR(rolled("simulation.model=eba", 1e-3), way, 2e-3 * way);
}

// ---------------------------------------------------------------- dropped
// Without damping a ball comes back to where it was dropped from; it is on the floor for pi sqrt(m/k), the stiffness k
// being K times its size, and a little more for its weight.
#define DROPPED                                                                                    \
    FALLING_BALL                                                                                   \
    "obstacles: [{name: floor, plane: {}, stiffness: 1e5}]\n"                                      \
    "simulation: {model: eba, lumped: {segments: 4}}\n"

static void a_ball_that_is_dropped_comes_back(void **unused) {
    (void)unused;
    scene s = scene_of(DROPPED, NULL, 0);
    double top = 0.0, deepest = 0.0, touching = 0.0;
    for (int k = 0; k < 3000; k++) {
        scene_step(&s, 1e-4);
        const td_body_state b = td_get_body(s.system, s.state, 0);
        const double h = b.pose.p[2];
        if (b.velocity[5] > 0.0) top = fmax(top, h);
        deepest = fmax(deepest, 0.1 - h);
        if (h < 0.1) touching += 1e-4;
    }
    CHECK_NEAR(top, 0.2, 1e-3);
    // m v^2/2 + m g d = k d^2/2 with v^2 = 2 g 0.1 m
    const double k = 1e5 * 0.2, m = 0.1, w = m * 10.0;
    CHECK_NEAR(deepest, (w + sqrt(w * w + 2.0 * k * m * 10.0 * 0.1)) / k, 2e-5);
    CHECK_NEAR(touching, 3.14159 * sqrt(m / k), 3e-4);
    scene_end(&s);
}

// A ball rests on a floor that is as good as rigid and is lifted with 2 N against its weight of 1 N. The matrix of
// the step before knows the floor, by which no force moves it.
#define LIFTED                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: post, length: 0.1, section: {radius: 1 mm}, base: {position: [0, 9, 1]},\n"        \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}\n"                 \
    "bodies: [{name: b, mass: 0.1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}]\n"      \
    "loads: [{body: b, force: [0, 0, lift]}]\n"                                                    \
    "inputs: {lift: 0 N}\n"                                                                        \
    "obstacles: [{name: floor, plane: {}, stiffness: 1e12}]\n"                                     \
    "simulation: {model: eba, lumped: {segments: 4}}\n"

static void what_is_lifted_leaves_a_hard_floor_at_once(void **unused) {
    (void)unused;
    scene s = scene_of(LIFTED, NULL, 0);
    for (int k = 0; k < 10; k++) scene_step(&s, 1e-2);
    CHECK_NEAR(td_get_body(s.system, s.state, 0).pose.p[2], 0.1, 1e-6);
    scene_set(&s, "lift", 2.0);
    td_restart(s.system, s.state);
    for (int k = 1; k <= 5; k++) {
        scene_step(&s, 1e-2);
        CHECK_NEAR(td_get_body(s.system, s.state, 0).velocity[5], 10.0 * 1e-2 * k, 1e-3);
    }
    scene_end(&s);
}

// A box of 0.1 m falls by 1 mm on a ball of 40 mm, in the middle of its side and beside that: what is smaller than a
// box does not slip between its corners.
#define ON_BALL                                                                                    \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: post, length: 0.1, section: {radius: 1 mm}, base: {position: [0, 9, 1]},\n"        \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}\n"                 \
    "bodies: [{name: b, mass: 0.1, shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 71 mm]}]\n"     \
    "obstacles: [{name: ball, sphere: {radius: 20 mm}, restitution: 0.5}]\n"                       \
    "simulation: {lumped: {segments: 2}}\n"

static void a_box_rests_on_what_is_smaller(void **unused) {
    (void)unused;
    static const char *const sets[][2] = {
        {"simulation.model=eba", "obstacles.ball.position=[0, 0, 0]"},
        {"simulation.model=cosserat", "obstacles.ball.position=[0, 0, 0]"},
        {"simulation.model=eba", "obstacles.ball.position=[12 mm, 12 mm, 0]"},
        {"simulation.model=cosserat", "obstacles.ball.position=[12 mm, 12 mm, 0]"}};
    for (int i = 0; i < 4; i++) {
        scene s = scene_of(ON_BALL, sets[i], 2);
        for (int k = 0; k < 100; k++) {
            scene_step(&s, 5e-4);
            const td_body_state b = td_get_body(s.system, s.state, 0);
            CHECK_BETWEEN(b.pose.p[2], i < 2 ? 69e-3 : 64e-3, 72e-3);
        }
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- at the tip of an arm
// A level arm whose payload rests on a table: it carries the payload and 3/8 of the arm, as a support of a clamped beam
// does (small slopes).
#define ARM(payload, tip)                                                                          \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.5, section: {radius: 5 mm}, mass_per_length: 0.1,\n"                  \
    "     material: {youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 1200},\n"                \
    "     base: {direction: [1, 0, 0]}" tip "}\n"                                                  \
    "bodies: [{name: b, mass: 0.3, shape: {sphere: {radius: 20 mm}}, " payload "}]\n"              \
    "obstacles: [{name: table, plane: {}, position: [0, 0, -20 mm]}]\n"                            \
    "simulation: {model: eba, lumped: {segments: 40}}\n"

static void check_arm(const char *text, const char *const *sets, int n) {
    scene s = scene_of(text, sets, n);
    scene_rest(&s);
    const td_reaction on = td_get_obstacle_wrench(s.system, s.state, 0);
    const td_reaction base = td_get_reaction(s.system, s.state, 0, TD_BASE);
    CHECK_NEAR(-on.force[2] + base.force[2], 3.5, 1e-8);
    CHECK_NEAR(-on.force[2], 3.0 + 0.375 * 0.5, 0.01);
    td_contact_point at[4];
    assert_int_equal(td_get_contacts(s.system, s.state, at, 4), 1);
    assert_int_equal(at[0].rod, -1);
    assert_int_equal(at[0].body, 0);
    CHECK_NEAR(at[0].point[2], -20e-3, 1e-4);
    scene_end(&s);
}

#define RIDING ARM("on: a", "")
#define HELD ARM("position: [0.5, 0, 0]", ", tip: {body: b, direction: [1, 0, 0]}")

static void the_payload_of_an_arm_rests_on_a_table(void **unused) {
    (void)unused;
    static const char *const models[] = {"simulation.model=ebr", "simulation.model=srl",
                                         "simulation.model=cosserat"};
    check_arm(RIDING, NULL, 0);
    check_arm(HELD, NULL, 0);
    for (int i = 0; i < 3; i++) check_arm(RIDING, &models[i], 1);
    check_arm(HELD, (const char *const[]){"simulation.model=cosserat"}, 1);
}

// What is put down is let go: with `attached` it no longer presses.
static void a_payload_that_is_not_there_does_not_touch(void **unused) {
    (void)unused;
    static const char *const models[] = {"simulation.model=eba", "simulation.model=cosserat"};
    for (int i = 0; i < 2; i++) {
        const char *const there[] = {"bodies.b.attached=grip", "inputs.grip=1", models[i]};
        scene s = scene_of(RIDING, there, 3);
        scene_set(&s, "grip", 1.0);
        scene_rest(&s);
        CHECK_BETWEEN(-td_get_obstacle_wrench(s.system, s.state, 0).force[2], 3.1, 3.3);
        scene_set(&s, "grip", 0.0);
        scene_rest(&s);
        CHECK_NEAR(td_get_obstacle_wrench(s.system, s.state, 0).force[2], 0.0, 0.0);
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- obstacles on bodies
// Two crossed cantilevers pressed into one another by d = 1.5 mm where they cross, one with its tip on a pad at the tip of
// the other: F = d/(L1^3/(3 EI1) + L2^3/(3 EI2)) = 0.07854 N.
#define CROSSED                                                                                    \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "materials: {m: {youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 1200}}\n"                \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.5, section: {radius: 5 mm}, material: m,\n"                           \
    "     base: {direction: [1, 0, 0]}, tip: {body: b, direction: [1, 0, 0]}}\n"                   \
    "  - {name: c, length: 0.4, section: {radius: 4 mm}, material: m,\n"                           \
    "     base: {direction: [0, 1, 0], position: [0.5, -0.4, 12.5 mm]}}\n"                         \
    "bodies: [{name: b, mass: 0.01, inertia: 1e-6, position: [0.5, 0, 0]}]\n"                      \
    "obstacles: [{name: pad, cylinder: {radius: 10 mm}, direction: [1, 0, 0], on: b}]\n"           \
    "simulation: {model: eba, lumped: {segments: 40}}\n"

static void crossed_cantilevers_press_on_each_other(void **unused) {
    (void)unused;
    const double EI1 = 10e9 * 0.25 * 3.14159265359 * pow(5e-3, 4);
    const double EI2 = 10e9 * 0.25 * 3.14159265359 * pow(4e-3, 4);
    const double F = 1.5e-3 / (0.125 / (3.0 * EI1) + 0.064 / (3.0 * EI2));
    scene s = scene_of(CROSSED, NULL, 0);
    scene_rest(&s);
    CHECK_NEAR(td_get_reaction(s.system, s.state, 0, TD_BASE).force[2], F, 1e-3 * F);
    CHECK_NEAR(td_get_reaction(s.system, s.state, 1, TD_BASE).force[2], -F, 1e-3 * F);
    CHECK_NEAR(td_get_obstacle_wrench(s.system, s.state, 0).force[2], -F, 1e-3 * F);
    CHECK_NEAR(td_get_obstacle_pose(s.system, s.state, 0).p[2],
               td_get_body(s.system, s.state, 0).pose.p[2], 1e-15);
    // with exact slopes from a shape nearby Newton's method doubles its digits
    CHECK_BETWEEN(td_get_stats(s.state)->iterations, 0, 8);
    double J[6];
    assert_int_equal(td_get_jacobian(s.system, s.state, 1, 0.4, J), TD_OK);
    scene_end(&s);
}

// A ball that is pushed runs into another, off its middle, and rubs: momentum and angular momentum are what the push
// gave, and the balance of energy closes.
#define STRUCK                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: post, length: 0.1, section: {radius: 1 mm}, base: {position: [0, 9, 1]},\n"        \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}\n"                 \
    "bodies:\n"                                                                                    \
    "  - {name: a, mass: 0.3, shape: {sphere: {radius: 50 mm}}, position: [0.12, 20 mm, 0]}\n"     \
    "  - {name: b, mass: 0.1, shape: {sphere: {radius: 50 mm}}}\n"                                 \
    "loads: [{body: b, force: [push, 0, 0]}]\n"                                                    \
    "obstacles: [{name: shell, sphere: {radius: 50 mm}, on: a, stiffness: 1e5, friction: 0.4,\n"   \
    "  presliding: 10 um}]\n"                                                                      \
    "inputs: {push: 0}\n"                                                                          \
    "simulation: {model: eba, lumped: {segments: 4}}\n"

static double kinetic(const scene *s) {
    return td_get_energy(s->system, s->state).kinetic;
}

static void balls_exchange_momentum(void **unused) {
    (void)unused;
    scene s = scene_of(STRUCK, NULL, 0);
    scene_set(&s, "push", 1.0);
    for (int k = 0; k < 1000; k++) scene_step(&s, 5e-5);  // 0.05 N s: 0.5 m/s, 12.5 mm
    scene_set(&s, "push", 0.0);
    scene_step(&s, 5e-5);
    const double before = kinetic(&s), pushed = sqrt(2.0 * 0.1 * before);
    double most = 0.0;
    CHECK_NEAR(pushed, 0.05, 1e-4);
    for (int k = 0; k < 2000; k++) {
        scene_step(&s, 5e-5);
        most = fmax(most, td_get_energy(s.system, s.state).elastic);
    }
    const td_body_state a = td_get_body(s.system, s.state, 0),
                        b = td_get_body(s.system, s.state, 1);
    const double mass[2] = {0.3, 0.1}, I[2] = {0.4 * 0.3 * 2.5e-3, 0.4 * 0.1 * 2.5e-3};
    const td_body_state *both[2] = {&a, &b};
    double P[2] = {0.0, 0.0}, L = 0.0;
    for (int i = 0; i < 2; i++) {
        double v[3], w[3], q[4], *x = (double *)both[i]->pose.p;
        memcpy(q, both[i]->pose.q, sizeof q);
        // in the plane: turned about z alone
        const double c = q[0] * q[0] - q[3] * q[3], sn = 2.0 * q[0] * q[3];
        v[0] = c * both[i]->velocity[3] - sn * both[i]->velocity[4];
        v[1] = sn * both[i]->velocity[3] + c * both[i]->velocity[4];
        w[2] = both[i]->velocity[2];
        P[0] += mass[i] * v[0], P[1] += mass[i] * v[1];
        L += I[i] * w[2] + mass[i] * (x[0] * v[1] - x[1] * v[0]);
    }
    CHECK_NEAR(P[0], pushed, 1e-9);
    CHECK_NEAR(P[1], 0.0, 1e-9);
    CHECK_NEAR(L, 0.0, 1e-6);
    CHECK_BETWEEN(a.velocity[3], 0.1, 0.3);  // it was struck
    CHECK_BETWEEN(most, 1e-3, 0.0125);
    const td_energy e = td_get_energy(s.system, s.state);
    CHECK_BETWEEN(e.dissipated, 1e-5, before);
    CHECK_NEAR(e.kinetic + e.elastic + e.dissipated, e.work, 1e-3 * before);
    scene_end(&s);
}

// ---------------------------------------------------------------- a gripper
// The height of the ball of examples/gripper.yaml when it has been lifted by 60 mm, or has not.
static double height_of_ball(const char *friction) {
    scene s = scene_of_file(EXAMPLES "/gripper.yaml", &friction, 1);
    const td_scenario plan = td_robot_scenario(s.robot);
    assert_int_equal(td_begin(s.system, s.state), TD_OK);
    while (td_get_time(s.system, s.state) < plan.end - 0.5 * plan.step)
        scene_advance(&s, plan.step);
    const double z = td_get_body(s.system, s.state, 0).pose.p[2];
    scene_end(&s);
    return z;
}

static void fingers_lift_a_ball_by_friction(void **unused) {
    (void)unused;
    CHECK_BETWEEN(height_of_ball("obstacles.skin.friction=0.8"), 0.075, 0.095);
    CHECK_BETWEEN(height_of_ball("inputs.grip=0 N"), 0.0199, 0.0201);
}

// ---------------------------------------------------------------- refusals
static void what_cannot_be_is_refused_in_words(void **unused) {
    (void)unused;
    check_not_compiled_with(RIDING, "simulation.model=rom", "simulation.model",
                            "contact of bodies");
    check_not_compiled_with(DROPPED, "simulation.model=ebr", "bodies.b.on", "eba has free ones");
    check_not_compiled_with(DROPPED, "bodies.b.shape={cylinder: {radius: 0.1, height: 0.1}}",
                            "bodies.b", "no rod holds it");
    check_not_compiled_with(DROPPED, "bodies.b.shape={capsule: {radius: 0.1, length: 0}}",
                            "bodies.b.shape.capsule.length", "must be positive");
    check_not_compiled_with(CROSSED, "simulation.model=cosserat", "simulation.model",
                            "obstacles on bodies");
    check_not_compiled_with(CROSSED, "obstacles.pad.on=d", "obstacles.pad.on",
                            "no body has the name 'd'");
    check_not_compiled_with(RIDING, "obstacles.table.on=b", "obstacles.table.on",
                            "only a free body");
    check_not_compiled_with(DROPPED, "bodies.b.shape={ball: {radius: 0.1}}", "bodies.b.shape",
                            "ball");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_on_a_slope),
        cmocka_unit_test(a_rod_rolls_down_a_slope),
        cmocka_unit_test(a_ball_that_is_dropped_comes_back),
        cmocka_unit_test(what_is_lifted_leaves_a_hard_floor_at_once),
        cmocka_unit_test(a_box_rests_on_what_is_smaller),
        cmocka_unit_test(the_payload_of_an_arm_rests_on_a_table),
        cmocka_unit_test(a_payload_that_is_not_there_does_not_touch),
        cmocka_unit_test(crossed_cantilevers_press_on_each_other),
        cmocka_unit_test(balls_exchange_momentum),
        cmocka_unit_test(fingers_lift_a_ball_by_friction),
        cmocka_unit_test(what_cannot_be_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
