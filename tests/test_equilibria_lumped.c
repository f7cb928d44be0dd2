// Equilibria of the lumped models that are what they say: through folds, past a loss of stability
// without a potential, and of rods with many segments.
#include "math/se3.h"

#include "lumped.h"

#define PI 3.14159265358979323846

static const char *const models[] = {"eba", "ebr", "srl"};

// ---------------------------------------------------------------- folds
// Bending in the plane x z only, with stiffnesses EI and EA.
static lumped_rod planar_rod(double length, double EI, double EA) {
    lumped_rod r = unit_rod();
    const double stiffness[6] = {1e3 * EI, EI, 1e3 * EI, EA, EA, EA};
    r.length = length;
    memcpy(r.stiffness, stiffness, sizeof stiffness);
    return r;
}

static void hinge(td_joint *joint, double axis[3]) {
    *joint = TD_REVOLUTE;
    axis[0] = axis[2] = 0.0;
    axis[1] = 1.0;
}

// Lee, Manuel and Rossow 1968: two beams of 120 cm, EI 1440 N m^2, EA 43.2 MN, hinged at both ends,
// pushed down 24 cm beside their corner.
static td_robot *lees_frame(double force) {
    td_error err = {0};
    const lumped_rod r = planar_rod(1.2, 1440.0, 43.2e6);
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, 0.0, 0.0);
    td_body_def corner = td_default_body_def();
    corner.name = "corner", corner.rod = -1, corner.mass = 1.0, corner.position[2] = 1.2;
    for (int i = 0; i < 3; i++) corner.inertia[i] = 0.01;
    const int body = td_robot_add_body(robot, &corner, &err);
    CHECK_OK(body, err);
    const double turned[4] = {sqrt(0.5), 0.0, sqrt(0.5), 0.0};  // z along x
    td_rod_def column = td_default_rod_def(), beam = td_default_rod_def();
    column.name = "column", column.pieces = &piece, column.n_pieces = 1;
    hinge(&column.base.joint, column.base.axis);
    column.tip.held = true, column.tip.body = body;
    beam.name = "beam", beam.pieces = &piece, beam.n_pieces = 1, beam.base.body = body;
    beam.tip.held = true, beam.tip.body = TD_WORLD;
    beam.tip.position[0] = beam.tip.position[2] = td_constant(1.2);
    hinge(&beam.tip.joint, beam.tip.axis);
    memcpy(beam.base.orientation, turned, sizeof turned);
    memcpy(beam.tip.orientation, turned, sizeof turned);
    CHECK_OK(td_robot_add_rod(robot, &column, &err), err);
    CHECK_OK(td_robot_add_rod(robot, &beam, &err), err);
    td_load_def push = point_load("push", 0.24);
    push.rod = 1;
    set3(push.force, 0.0, 0.0, -force);
    add_load(robot, &push);
    return robot;
}

// The first limit is at 18.5 to 18.8 kN; beyond, up to 25 kN, there is one more branch, that holds.
static void lees_frame_is_followed_through_its_folds(void **state) {
    (void)state;
    td_options o = lumped_options("eba", 20, false);
    world w = world_make(lees_frame(25e3), &o);
    const td_status status = td_solve_statics(w.system, w.state);
    if (status != TD_BIFURCATION) fail_msg("%d: %s", status, td_message(w.state));
    CHECK_BETWEEN(25.0 * td_get_stats(w.state)->bifurcation, 18.4, 18.8);
    if (!strstr(td_message(w.state), "turn back")) fail_msg("%s", td_message(w.state));
    double smallest;
    CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
    CHECK_BETWEEN(smallest, 0.0, 1.0);
    CHECK_BETWEEN(td_get_pose(w.system, w.state, 1, 0.24).p[2], -0.2, 0.5);
    world_free(&w);
}

// DaDeppo and Schmidt 1975: an arch of 215 deg and radius 100, one foot hinged and one clamped, gives
// way under 8.97 EI/R^2 at its crown.
static void a_deep_arch_gives_way_where_the_literature_has_it(void **state) {
    (void)state;
    td_error err = {0};
    const double angle = 215.0 / 180.0 * PI, R = 1.0, EI = 100.0;
    lumped_rod r = planar_rod(angle * R, EI, 1e6 * EI);
    r.curvature[1] = 1.0 / R;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, 0.0, 0.0);
    td_rod_def arch = td_default_rod_def();
    arch.name = "arch", arch.pieces = &piece, arch.n_pieces = 1;
    const double begin = -0.5 * angle, foot[2] = {R * sin(begin), R * cos(begin)};
    const double half[2] = {0.5 * (begin + 0.5 * PI), -0.5 * (begin - 0.5 * PI)};
    arch.base.position[0] = td_constant(foot[0]), arch.base.position[2] = td_constant(foot[1]);
    arch.base.orientation[0] = cos(half[0]), arch.base.orientation[2] = sin(half[0]);
    hinge(&arch.base.joint, arch.base.axis);
    arch.tip.held = true, arch.tip.body = TD_WORLD;
    arch.tip.position[0] = td_constant(-foot[0]), arch.tip.position[2] = td_constant(foot[1]);
    arch.tip.orientation[0] = cos(half[1]), arch.tip.orientation[2] = sin(half[1]);
    CHECK_OK(td_robot_add_rod(robot, &arch, &err), err);
    td_load_def push = point_load("push", 0.5 * angle * R);
    set3(push.force, 0.0, 0.0, -10.0 * EI / (R * R));
    add_load(robot, &push);
    td_options o = lumped_options("eba", 40, false);
    world w = world_make(robot, &o);
    const td_status status = td_solve_statics(w.system, w.state);
    if (status != TD_BIFURCATION) fail_msg("%d: %s", status, td_message(w.state));
    CHECK_NEAR(10.0 * td_get_stats(w.state)->bifurcation, 8.97, 0.07);
    world_free(&w);
}

// ---------------------------------------------------------------- without a potential
// An upright round rod of 2.3 times the length at which its weight buckles it.
static td_robot *tall_rod(bool follows) {
    lumped_rod r = unit_rod();
    for (int i = 0; i < 6; i++) r.damping[i] = i < 3 ? 0.3 : 10.0;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 0.0, 0.0, -7.8373 * 2.3 * 2.3 * 2.3);
    td_load_def load = point_load("load", 1.0);
    if (follows) set3(load.force, 1e-3, 0.0, 0.0), load.frame = TD_FRAME_BODY;
    else set3(load.moment, 0.0, 1e-5, 0.0);
    add_load(robot, &load);
    return robot;
}

static void what_falls_over_is_found_where_a_damped_run_ends(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        td_options o = lumped_options(models[k % 3], 30, false);
        world w = world_make(tall_rod(k >= 3), &o), run = world_make(tall_rod(k >= 3), &o);
        const td_status status = td_solve_statics(w.system, w.state);
        if (status < 0) fail_msg("%s: %s", models[k % 3], td_message(w.state));
        for (int i = 0; i < 150; i++) CHECK_CALL(&run, td_step(run.system, run.state, 0.05));
        CHECK_BETWEEN(tip_of(&w).p[2], -1.0, 0.0);
        CHECK_NEAR(pose_distance(tip_of(&w), tip_of(&run)), 0.0, 1e-3);
        double smallest;
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
        CHECK_BETWEEN(smallest, -1e-6, 1.0);
        world_free(&w);
        world_free(&run);
    }
}

// ---------------------------------------------------------------- many segments
// A steel wire of 2 mm and 1 m, clamped at both ends, which are pushed together by a fifth: it bows
// out, however finely it is cut. 256 segments "cannot be put together", it was said.
static void a_wire_of_many_segments_is_put_together(void **state) {
    (void)state;
    static const int segments[] = {20, 192, 256};
    for (int i = 0; i < 3; i++) {
        td_error err = {0};
        lumped_rod r = unit_rod();
        const double stiffness[6] = {0.15708, 0.15708, 0.12083, 2.4166e5, 2.4166e5, 6.2832e5};
        memcpy(r.stiffness, stiffness, sizeof stiffness);
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = td_robot_create();
        set_gravity(robot, 0.0, 0.0, 0.0);
        td_rod_def rod = td_default_rod_def();
        rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
        rod.tip.held = true, rod.tip.body = TD_WORLD;
        rod.tip.position[0] = td_constant(0.5), rod.tip.position[2] = td_constant(0.6);
        CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
        td_options o = lumped_options("eba", segments[i], false);
        world w = world_make(robot, &o);
        const td_status status = td_solve_statics(w.system, w.state);
        if (status < 0) fail_msg("%d segments: %s", segments[i], td_message(w.state));
        double smallest;
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
        CHECK_NEAR(smallest, 0.1326, 5e-4);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- other equilibria
// Loads under which one or more of the models ended in another equilibrium, 1.5 m away, with TD_OK;
// the Cosserat rod is followed.
static world loaded_wire(const char *model, const double load[6], double gravity) {
    lumped_rod r = unit_rod();  // E 1 GPa, radius 5 mm, 1000 kg/m^3
    const double stiffness[6] = {0.49087, 0.49087, 0.37759, 3.0208e4, 3.0208e4, 7.8540e4};
    memcpy(r.stiffness, stiffness, sizeof stiffness);
    r.mass = 0.078540;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 0.0, 0.0, gravity);
    add_tip_force(robot, 1.0, load[0], load[1], load[2]);
    td_load_def turn = point_load("turn", 0.5);
    set3(turn.moment, load[3], load[4], load[5]);
    add_load(robot, &turn);
    td_options o = lumped_options(model, 40, false);
    o.nodes = 16;
    return world_make(robot, &o);
}

static void large_loads_lead_to_the_equilibrium_that_they_lead_to(void **state) {
    (void)state;
    static const double loads[][7] = {
        {3.43, 1.51, -2.13, 0.43, 0.14, 0.31, -9.81},
        {4.35, -0.66, -6.45, 0.04, -0.25, 0.03, 9.81},
        {2.97, 0.69, -8.57, 0.18, 0.29, -0.24, -9.81},
        {3.29, 4.59, -8.78, -0.02, -0.39, -0.14, 9.81},
        {1.03, 2.43, -9.39, 0.04, -0.15, -0.24, 9.81},
        {-3.51, 1.36, -6.06, 0.24, -0.16, -0.02, -9.81},
    };
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        world truth = loaded_wire("cosserat", loads[i], loads[i][6]);
        assert_true(td_solve_statics(truth.system, truth.state) >= 0);
        for (int k = 0; k < 3; k++) {
            world w = loaded_wire(models[k], loads[i], loads[i][6]);
            assert_true(td_solve_statics(w.system, w.state) >= 0);
            CHECK_NEAR(pose_distance(tip_of(&w), tip_of(&truth)), 0.0, 0.02);
            world_free(&w);
        }
        world_free(&truth);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lees_frame_is_followed_through_its_folds),
        cmocka_unit_test(a_deep_arch_gives_way_where_the_literature_has_it),
        cmocka_unit_test(what_falls_over_is_found_where_a_damped_run_ends),
        cmocka_unit_test(a_wire_of_many_segments_is_put_together),
        cmocka_unit_test(large_loads_lead_to_the_equilibrium_that_they_lead_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
