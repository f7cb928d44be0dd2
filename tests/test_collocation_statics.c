// Equilibria of collocated rods: convergence against closed forms, elements, loads, limits.
#include "rods.h"

#include <string.h>

#define PI 3.14159265358979323846

static const double L = 0.4, E = 207e9, r = 1e-3;

static double EI(void) {
    return E * PI * r * r * r * r / 4.0;
}

static td_options options_with(td_theory theory, int nodes) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.theory = theory;
    o.nodes = nodes;
    o.tolerance = 1e-13;
    return o;
}

static double distance(td_pose a, td_pose b) {
    double x = a.p[0] - b.p[0], y = a.p[1] - b.p[1], z = a.p[2] - b.p[2];
    return sqrt(x * x + y * y + z * z);
}

// ---------------------------------------------------------------- convergence in the nodes
// Legendre's integrals of the first and second kind between two amplitudes, by Simpson's rule.
static double elliptic(double p, double from, double to, int kind) {
    const int n = 4000;
    double h = (to - from) / n, sum = 0.0;
    for (int i = 0; i <= n; i++) {
        double s = sin(from + i * h), root = sqrt(1.0 - p * p * s * s);
        sum += (kind == 1 ? 1.0 / root : root) * (i == 0 || i == n ? 1.0 : i % 2 ? 4.0 : 2.0);
    }
    return sum * h / 3.0;
}

// The tip of a cantilever under a transverse force, against Bisshopp & Drucker 1945, over its
// length. With k^2 = F/EI, p^2 = (1 + sin a)/2 and sin phi = 1/(p sqrt 2) at the tip angle a:
//     k L = K(p) - F(phi, p)
//     deflection/L = 1 - 2 (E(p) - E(phi, p))/(k L),    reach/L = sqrt(2 sin a)/(k L)
static double elastica_error(double a, int nodes, int magnus) {
    double p = sqrt((1.0 + sin(a)) / 2.0), phi = asin(1.0 / (p * sqrt(2.0)));
    double kL = elliptic(p, phi, PI / 2.0, 1);
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_force(robot, L, EI() * kL * kL / (L * L), 0.0, 0.0);
    td_options o = options_with(TD_KIRCHHOFF, nodes);
    o.magnus = magnus;
    world w = world_make(robot, &o);
    td_status status = td_solve_statics(w.system, w.state);
    assert_true(status == TD_OK || status == TD_LOOSE);  // two nodes are coarse, and it says so
    td_pose tip = tip_of(&w);
    world_free(&w);
    return hypot(tip.p[0] / L - (1.0 - 2.0 * elliptic(p, phi, PI / 2.0, 2) / kL),
                 tip.p[2] / L - sqrt(2.0 * sin(a)) / kL);
}

static void the_elastica_is_met_spectrally_down_to_the_magnus_steps(void **unused) {
    (void)unused;
    const double angles[3] = {0.3, 0.9, 1.2};
    for (int i = 0; i < 3; i++) {
        double two = elastica_error(angles[i], 2, 6), four = elastica_error(angles[i], 4, 6);
        double six = elastica_error(angles[i], 6, 6);
        CHECK_BETWEEN(two, 0.0, 1e-2);
        CHECK_BETWEEN(four, 0.0, two / 50.0);
        CHECK_BETWEEN(six, 0.0, fmax(four / 50.0, 3e-9));
    }
}

// From there on the error is that of the Magnus steps, whose length goes as 1/nodes.
static void then_the_error_has_the_order_of_the_magnus_steps(void **unused) {
    (void)unused;
    const double angles[3] = {0.3, 0.9, 1.4};
    for (int i = 0; i < 3; i++) {
        double coarse = elastica_error(angles[i], 16, 4), fine = elastica_error(angles[i], 32, 4);
        CHECK_BETWEEN(log2(coarse / fine), 3.6, 4.3);
        coarse = elastica_error(angles[i], 12, 6), fine = elastica_error(angles[i], 24, 6);
        CHECK_BETWEEN(log2(coarse / fine), 5.5, 6.4);
        CHECK_BETWEEN(elastica_error(angles[i], 8, 6), 0.0,
                      elastica_error(angles[i], 8, 4) / 200.0);
    }
}

// ---------------------------------------------------------------- elements
static void cut(td_robot *robot, double length, int elements) {
    for (int k = 1; k < elements; k++) {
        char name[32];
        snprintf(name, sizeof name, "cut%d", k);
        td_load_def none = point_load(name, k * length / elements);
        add_load(robot, &none);
    }
}

// A tapered, curved rod under its weight, a tip wrench and a following tip force.
static world cut_world(td_theory theory, int elements, int nodes) {
    td_piece_def piece = steel_piece();
    piece.section_end.radius = 0.7e-3;
    piece.rest_curvature[0] = 1.5, piece.rest_curvature[2] = 0.8;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 3.0, 1.0, -9.81);
    add_tip_force(robot, L, 0.2, 0.3, -0.1);
    add_tip_moment(robot, L, 0.02, -0.05, 0.04);
    td_load_def jet = point_load("jet", L);
    jet.frame = TD_FRAME_BODY;
    set3(jet.force, 0.2, 0.0, 0.1);
    add_load(robot, &jet);
    cut(robot, L, elements);
    td_options o = options_with(theory, nodes);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

static void a_rod_cut_into_elements_keeps_its_shape(void **unused) {
    (void)unused;
    for (int theory = 0; theory < 2; theory++) {
        world whole = cut_world((td_theory)theory, 1, 32);
        for (int elements = 2; elements <= 64; elements *= 2) {
            world parts = cut_world((td_theory)theory, elements, 32);
            for (int i = 0; i <= 50; i++) {
                double s = i * L / 50.0;
                td_pose a = td_get_pose(whole.system, whole.state, 0, s);
                td_pose b = td_get_pose(parts.system, parts.state, 0, s);
                CHECK_NEAR(distance(a, b), 0.0, 1e-10 * L);
            }
            world_free(&parts);
        }
        world_free(&whole);
    }
}

// ---------------------------------------------------------------- against shooting
// Pieces with jumps in stiffness, mass and rest shape; dead and following loads at interior points
// and over parts; the same in both schemes.
static td_robot *patched_robot(void) {
    td_piece_def pieces[3] = {steel_piece(), steel_piece(), steel_piece()};
    pieces[0].length = 0.12;
    pieces[1].length = 0.16, pieces[1].section.radius = pieces[1].section_end.radius = 0.6e-3;
    pieces[1].rest_curvature[1] = 2.0, pieces[1].rest_curvature[2] = -1.5;
    pieces[2].length = 0.12, pieces[2].section.radius = 1.2e-3;
    pieces[2].section_end.radius = 0.9e-3;
    td_robot *robot = rod_robot(pieces, 3);
    set_gravity(robot, 1.0, -3.0, -9.81);
    td_load_def push = point_load("push", 0.2);
    set3(push.force, 0.4, -0.2, 0.1);
    set3(push.moment, 0.01, 0.02, -0.03);
    add_load(robot, &push);
    td_load_def follow = point_load("follow", 0.33);
    follow.frame = TD_FRAME_BODY;
    set3(follow.force, -0.3, 0.2, 0.1);
    set3(follow.moment, 0.0, 0.02, 0.01);
    add_load(robot, &follow);
    td_load_def wind = td_default_load_def();
    wind.name = "wind", wind.distributed = true, wind.from = 0.05, wind.to = 0.25;
    set3(wind.force, 0.5, 0.3, 0.0);
    set3(wind.moment, 0.0, 0.05, 0.02);
    add_load(robot, &wind);
    wind.name = "jet", wind.from = 0.3, wind.to = L, wind.frame = TD_FRAME_BODY;
    set3(wind.force, -0.4, 0.6, 0.2);
    add_load(robot, &wind);
    return robot;
}

static void loads_and_sections_that_jump_are_those_of_shooting(void **unused) {
    (void)unused;
    for (int theory = 0; theory < 2; theory++) {
        td_options o = options_with((td_theory)theory, 24);
        world a = world_make(patched_robot(), &o);
        o.space = TD_SHOOTING, o.steps = 1000, o.tolerance = 1e-12;
        world b = world_make(patched_robot(), &o);
        CHECK_CALL(&a, td_solve_statics(a.system, a.state));
        CHECK_CALL(&b, td_solve_statics(b.system, b.state));
        double largest = 0.0;
        for (int i = 0; i <= 80; i++) {
            double s = (i + 0.01) * L / 81.0;  // beside the cuts; the shortest element has 4 nodes
            td_sample x = td_get_sample(a.system, a.state, 0, s);
            td_sample y = td_get_sample(b.system, b.state, 0, s);
            CHECK_NEAR(distance(x.pose, y.pose), 0.0, 1e-10 * L);
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(x.strain[k], y.strain[k], 5e-6);
                CHECK_NEAR(x.strain[k + 3], y.strain[k + 3], 1e-11);
                CHECK_NEAR(x.wrench[k], y.wrench[k], 1e-7);
                CHECK_NEAR(x.wrench[k + 3], y.wrench[k + 3], 1e-8);
                largest = fmax(largest, fabs(y.strain[k]));
            }
        }
        assert_true(largest > 2.0);
        world_free(&a);
        world_free(&b);
    }
}

static void the_wrench_at_the_ends_is_what_acts_there(void **unused) {
    (void)unused;
    // and at the base it balances all loads: force, and moment about the base
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 0.0, 0.0, -9.81);
    add_tip_force(robot, L, 0.4, 0.1, 0.2);
    add_tip_moment(robot, L, 0.01, -0.03, 0.02);
    td_options o = options_with(TD_COSSERAT, 14);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_sample base = td_get_sample(w.system, w.state, 0, 0.0),
              tip = td_get_sample(w.system, w.state, 0, L);
    double weight = 8000.0 * PI * r * r * L * 9.81, force = 0.0, moment = 0.0;
    for (int k = 0; k < 3; k++)
        force += tip.wrench[3 + k] * tip.wrench[3 + k], moment += tip.wrench[k] * tip.wrench[k];
    CHECK_NEAR(force, 0.4 * 0.4 + 0.1 * 0.1 + 0.2 * 0.2, 1e-8);
    CHECK_NEAR(moment, 0.01 * 0.01 + 0.03 * 0.03 + 0.02 * 0.02, 1e-8);
    CHECK_NEAR(base.wrench[3], 0.4, 1e-8);
    CHECK_NEAR(base.wrench[4], 0.1, 1e-8);
    CHECK_NEAR(base.wrench[5], 0.2 - weight, 1e-8);
    CHECK_NEAR(base.wrench[2], 0.02 + tip.pose.p[0] * 0.1 - tip.pose.p[1] * 0.4, 1e-8);
    world_free(&w);
}

static void a_silicone_rod_hangs_as_with_shooting(void **unused) {
    (void)unused;
    // 2 cm thick and 30 cm long: its weight, many times what it can carry upright, bends it over
    const double moduli[2] = {1e6, 1e5};
    for (int i = 0; i < 4; i++) {
        td_piece_def piece = td_default_piece_def();
        piece.length = 0.3;
        piece.youngs_modulus = moduli[i / 2], piece.shear_modulus = moduli[i / 2] / 3.0;
        piece.density = 1070.0;
        piece.section.radius = piece.section_end.radius = 0.01;
        td_robot *robots[2];
        for (int k = 0; k < 2; k++) {
            robots[k] = rod_robot(&piece, 1);
            set_gravity(robots[k], 5.0, 0.0, -8.4);
        }
        td_options o = options_with(i % 2 ? TD_KIRCHHOFF : TD_COSSERAT, 24);
        o.tolerance = 1e-11;
        world a = world_make(robots[0], &o);
        o.space = TD_SHOOTING, o.steps = 400;
        world b = world_make(robots[1], &o);
        CHECK_CALL(&a, td_solve_statics(a.system, a.state));
        CHECK_CALL(&b, td_solve_statics(b.system, b.state));
        assert_true(tip_of(&a).p[2] < 0.1);
        CHECK_NEAR(distance(tip_of(&a), tip_of(&b)), 0.0, 3e-8 * piece.length);
        world_free(&a);
        world_free(&b);
    }
}

// ---------------------------------------------------------------- the limit without shear
static void stiffer_against_shear_and_extension_approaches_kirchhoff(void **unused) {
    (void)unused;
    double tip[3][3];
    for (int i = 0; i < 3; i++) {  // times 1 and times 10, then Kirchhoff
        td_piece_def piece = steel_piece();
        for (int k = 3; k < 6; k++) piece.stiffness[k] = i == 1 ? 5e3 : 5e2;
        td_robot *robot = rod_robot(&piece, 1);
        set_gravity(robot, 2.0, 0.0, -9.81);
        add_tip_force(robot, L, 0.5, 0.3, -0.2);
        td_options o = options_with(i == 2 ? TD_KIRCHHOFF : TD_COSSERAT, 12);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        memcpy(tip[i], tip_of(&w).p, sizeof tip[i]);
        world_free(&w);
    }
    for (int k = 0; k < 3; k++) {
        double soft = tip[0][k] - tip[2][k], stiff = tip[1][k] - tip[2][k];
        assert_true(fabs(soft) > 1e-6);
        CHECK_NEAR(soft / stiff, 10.0, 0.1);
    }
}

// ---------------------------------------------------------------- end loads and tendons
// How velocities and wrenches are summed within an element does not touch what acts at its ends, nor the local
// law of a tendon. These tips (m) are those of the form that summed at once, to rounding, with 5 nodes.
typedef struct end_loaded {
    td_theory theory;
    td_frame frame;
    double force[3], moment[3], tension;
    double tip[3];
} end_loaded;

static const end_loaded ends[] = {
    {TD_COSSERAT,
     TD_FRAME_WORLD,
     {0.4, 0.5, -0.1},
     {0.0, 0.0, 0.0},
     0.0,
     {0.05214570362968677, 0.06518212953710846, 0.3893771676334985}},
    {TD_COSSERAT,
     TD_FRAME_BODY,
     {0.4, 0.5, -0.1},
     {0.0, 0.0, 0.0},
     0.0,
     {0.05118517040232952, 0.06398146300291191, 0.3897509027082146}},
    {TD_COSSERAT,
     TD_FRAME_BODY,
     {0.0, 0.0, 0.0},
     {0.2, -0.1, 0.05},
     0.0,
     {-0.0401828125010074, -0.09942670913461339, 0.380140209448625}},
    {TD_COSSERAT,
     TD_FRAME_WORLD,
     {0.0, 0.1, 0.0},
     {0.0, 0.0, 0.0},
     5.0,
     {1.902874372485002e-06, 0.01933335844655272, 0.3994222700589919}},
    {TD_KIRCHHOFF,
     TD_FRAME_WORLD,
     {0.4, 0.5, -0.1},
     {0.0, 0.0, 0.0},
     0.0,
     {0.0521450749566247, 0.06518134369578088, 0.3893773596415759}},
    {TD_KIRCHHOFF,
     TD_FRAME_BODY,
     {0.4, 0.5, -0.1},
     {0.0, 0.0, 0.0},
     0.0,
     {0.05118455272702238, 0.06398069090877799, 0.3897512177063023}},
    {TD_KIRCHHOFF,
     TD_FRAME_BODY,
     {0.0, 0.0, 0.0},
     {0.2, -0.1, 0.05},
     0.0,
     {-0.0401828125010074, -0.09942670913461338, 0.380140209448625}},
    {TD_KIRCHHOFF,
     TD_FRAME_WORLD,
     {0.0, 0.1, 0.0},
     {0.0, 0.0, 0.0},
     5.0,
     {1.902529404557996e-06, 0.0193334428985598, 0.3994253346028159}},
};

static world end_loaded_rod(const end_loaded *c) {
    td_options o = td_default_options();
    o.theory = c->theory, o.nodes = 5, o.tolerance = 1e-13;
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_load_def load = point_load("tip", piece.length);
    load.frame = c->frame;
    set3(load.force, c->force[0], c->force[1], c->force[2]);
    set3(load.moment, c->moment[0], c->moment[1], c->moment[2]);
    add_load(robot, &load);
    td_tendon_def tendon = td_default_tendon_def();
    td_error err = {0};
    tendon.name = "helix", tendon.rod = 0, tendon.from = 0.0, tendon.to = 0.4;
    tendon.routing = TD_ROUTING_HELIX, tendon.radius = 8e-3, tendon.turns = 1.0;
    tendon.value = td_constant(c->tension);
    if (c->tension > 0.0) CHECK_OK(td_robot_add_tendon(robot, &tendon, &err), err);
    return world_make(robot, &o);
}

static void end_loads_and_tendons_bend_as_they_did(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        world w = end_loaded_rod(&ends[i]);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        td_pose tip = tip_of(&w);
        for (int k = 0; k < 3; k++) CHECK_NEAR(tip.p[k], ends[i].tip[k], 4e-13);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end_loads_and_tendons_bend_as_they_did),
        cmocka_unit_test(the_elastica_is_met_spectrally_down_to_the_magnus_steps),
        cmocka_unit_test(then_the_error_has_the_order_of_the_magnus_steps),
        cmocka_unit_test(a_rod_cut_into_elements_keeps_its_shape),
        cmocka_unit_test(loads_and_sections_that_jump_are_those_of_shooting),
        cmocka_unit_test(the_wrench_at_the_ends_is_what_acts_there),
        cmocka_unit_test(a_silicone_rod_hangs_as_with_shooting),
        cmocka_unit_test(stiffer_against_shear_and_extension_approaches_kirchhoff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
