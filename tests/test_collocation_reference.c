// Collocation against independent programs and against shooting on every example.
#include "rods.h"

#include <string.h>

#include "data/collocation_reference.h"
#include "data/till2019_reference.h"

// ---------------------------------------------------------------- statics by another program
static td_robot *wrench_robot(const wrench_case *c) {
    const double l = 0.2;
    td_piece_def piece = td_default_piece_def();
    piece.length = l;
    piece.youngs_modulus = 70e9, piece.shear_modulus = 70e9 / 2.6;
    piece.density = 2700.0;
    piece.section.radius = piece.section_end.radius = 1e-3;
    memcpy(piece.rest_curvature, c->rest_curvature, sizeof piece.rest_curvature);
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_force(robot, l, 0.5, 1.0, -0.3);
    add_tip_moment(robot, l, 0.1, -0.05, 0.15);
    td_load_def load = td_default_load_def();
    load.name = "spread", load.distributed = true, load.from = 0.0, load.to = l;
    set3(load.force, c->spread[0], c->spread[1], c->spread[2]);
    add_load(robot, &load);
    return robot;
}

// The columns of R(q) R_z(turn)', which are the reference's axes.
static void axes_of(const double q[4], double turn, double R[9]) {
    double h[4] = {cos(0.5 * turn), 0.0, 0.0, -sin(0.5 * turn)};
    double w = q[0] * h[0] - q[3] * h[3], x = q[1] * h[0] + q[2] * h[3];
    double y = q[2] * h[0] - q[1] * h[3], z = q[3] * h[0] + q[0] * h[3];
    const double out[9] = {
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z),       2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),       1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),       2.0 * (y * z + w * x),       1.0 - 2.0 * (x * x + y * y)};
    memcpy(R, out, sizeof out);
}

static void tips_under_a_wrench_are_those_of_the_reference(void **unused) {
    (void)unused;
    for (int i = 0; i < WRENCH_CASES; i++) {
        const wrench_case *c = &wrench_cases[i];
        td_options o = td_default_options();
        o.space = TD_COLLOCATION;
        o.theory = c->theory;
        o.nodes = 24;  // the rest shape winds by more than a radian
        o.tolerance = 1e-13;
        world w = world_make(wrench_robot(c), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        td_pose tip = tip_of(&w);
        double R[9];
        axes_of(tip.q, c->turn, R);
        for (int k = 0; k < 3; k++) CHECK_NEAR(tip.p[k], c->p[k], 1e-9 * 0.2);
        for (int k = 0; k < 9; k++) CHECK_NEAR(R[k], c->R[k], 1e-9);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- motion by another program
// The largest distance to the reference in the fall of Appendix B's rod, in units of its length.
static double fall_error(int nodes) {
    td_piece_def piece = steel_piece();
    piece.shear_modulus = piece.youngs_modulus / 2.6;
    piece.section.radius = piece.section_end.radius = 1.2e-3;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, -98.1, 0.0, 0.0);
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.nodes = nodes;
    o.scheme = TD_BDF2;
    o.startup = TD_REST_HISTORY;
    world w = world_make(robot, &o);
    double worst = 0.0;
    for (int i = 1; i < FALL_SAMPLES; i++) {
        CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
        td_pose tip = tip_of(&w);
        worst = fmax(worst, hypot(tip.p[0] - fall_x[i], tip.p[2] - fall_z[i]) / piece.length);
    }
    world_free(&w);
    return worst;
}

static void the_fall_of_appendix_b_is_that_of_the_reference(void **unused) {
    (void)unused;
    CHECK_BETWEEN(fall_error(4), 0.0, 1e-4);
    CHECK_BETWEEN(fall_error(6), 0.0, 2e-7);
    CHECK_BETWEEN(fall_error(10), 0.0, 6e-8);  // what the reference can tell
}

static world released_benchmark(td_theory theory, td_scheme scheme, double alpha, int nodes) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    int hold = add_input(robot, "hold");
    td_load_def load = point_load("tip", piece.length);
    load.force[0] = (td_number){0.0, -0.5, hold};
    add_load(robot, &load);
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.nodes = nodes;
    o.theory = theory, o.scheme = scheme, o.alpha = alpha;
    o.startup = TD_REST_HISTORY;
    world w = world_make(robot, &o);
    td_set_input(w.system, w.state, hold, 1.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_set_input(w.system, w.state, hold, 0.0);
    return w;
}

static void the_released_benchmark_rod_moves_as_in_the_reference(void **unused) {
    (void)unused;
    for (int i = 0; i < N_TRAJECTORIES; i++) {
        const reference_trajectory *t = &reference_trajectories[i];
        if (t->history != TD_CUBIC || t->integrator != TD_RK4) continue;
        // the reference is of fourth order in space, and keeps all its modes without damping
        double tolerance = t->scheme == TD_TRAPEZOIDAL ? 3e-6 * 0.4 : 2e-7 * 0.4;
        world w = released_benchmark(t->theory, t->scheme, t->alpha, 10);
        int step = 0;
        for (int k = 0; k < REFERENCE_STEPS; k++) {
            for (; step < reference_steps[k]; step++)
                CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
            CHECK_NEAR(tip_of(&w).p[0], t->x[k], tolerance);
            CHECK_NEAR(tip_of(&w).p[2], t->z[k], tolerance);
        }
        world_free(&w);
    }
}

// ---------------------------------------------------------------- time constants
enum { DECAY_STEPS = 2000 };

// Squared distance of the samples to the nearest a exp(-2 t/tau).
static double misfit(const double *energy, double tau) {
    double ee = 0.0, ef = 0.0, ff = 0.0;
    for (int i = 0; i <= DECAY_STEPS; i++) {
        double f = exp(-2.0 * i * 5e-3 / tau);
        ee += energy[i] * energy[i], ef += energy[i] * f, ff += f * f;
    }
    return ee - ef * ef / ff;
}

// Least squares by golden section.
static double fitted_tau(const double *energy, double low, double high) {
    const double ratio = 0.61803398874989485;
    while (high - low > 1e-9 * high) {
        double a = high - ratio * (high - low), b = low + ratio * (high - low);
        if (misfit(energy, a) < misfit(energy, b)) high = b;
        else low = a;
    }
    return 0.5 * (low + high);
}

static void energies_decay_with_the_time_constants_of_the_reference(void **unused) {
    (void)unused;
    // Till 2019, Table 3, in four digits; all energies by the Gauss rule
    const struct {
        td_scheme scheme;
        double alpha, tau;
    } known[4] = {{TD_BACKWARD_EULER, 0.0, 0.1317},
                  {TD_BDF2, 0.0, 3.8986},
                  {TD_BDF_ALPHA, -0.2, 7.6820},
                  {TD_BDF_ALPHA, -0.48, 161.77}};
    static double energy[DECAY_STEPS + 1];
    for (int i = 0; i < 4; i++) {
        world w = released_benchmark(TD_COSSERAT, known[i].scheme, known[i].alpha, 8);
        for (int k = 0; k <= DECAY_STEPS; k++) {
            if (k > 0) CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
            td_energy e = td_get_energy(w.system, w.state);
            energy[k] = e.kinetic + e.elastic;
        }
        double tau = fitted_tau(energy, 0.5 * known[i].tau, 2.0 * known[i].tau);
        CHECK_NEAR(tau / known[i].tau, 1.0, 6e-5);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- every example, both schemes
static world example_world(const char *name, td_space space, int size, double tolerance) {
    char path[512];
    td_error err = {0};
    snprintf(path, sizeof path, "%s/%s.yaml", EXAMPLES, name);
    td_robot *robot = td_robot_load(path, NULL, 0, &err);
    if (!robot) print_error("%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    td_options o = td_robot_options(robot);
    o.space = space;
    o.integrator = TD_RK4, o.history = TD_CUBIC;
    o.steps = size, o.nodes = size <= 64 ? size : 64;
    o.tolerance = tolerance;
    return world_make(robot, &o);
}

// The largest distance between the shapes, in units of the length.
static double shape_distance(const world *a, const world *b) {
    double length = td_rod_length(a->system, 0), worst = 0.0;
    for (int i = 0; i <= 40; i++) {
        td_pose p = td_get_pose(a->system, a->state, 0, length * i / 40.0);
        td_pose q = td_get_pose(b->system, b->state, 0, length * i / 40.0);
        double x = p.p[0] - q.p[0], y = p.p[1] - q.p[1], z = p.p[2] - q.p[2];
        worst = fmax(worst, sqrt(x * x + y * y + z * z) / length);
    }
    return worst;
}

// The nodes that make the space error small beside 1e-8 in statics; 1e-7 in motion.
static const struct {
    const char *name;
    int nodes;
} examples[] = {{"cantilever", 16}, {"follower", 20},  {"helix", 48},
                {"impulse", 24},    {"precurved", 12}, {"tapered", 48},
                {"whip", 20},       {"wind", 12},      {"weight-release", 16}};
enum { EXAMPLE_FILES = sizeof examples / sizeof examples[0] };

static void equilibria_of_every_example_are_those_of_shooting(void **unused) {
    (void)unused;
    const double instants[3] = {0.0, 0.3, 0.5};  // with the loads that act then
    for (int i = 0; i < EXAMPLE_FILES; i++) {
        world a = example_world(examples[i].name, TD_COLLOCATION, examples[i].nodes, 1e-12);
        world b = example_world(examples[i].name, TD_SHOOTING, 300, 1e-12);
        for (int k = 0; k < 3; k++) {
            td_apply_signals(a.system, a.state, instants[k], TD_BEFORE);
            td_apply_signals(b.system, b.state, instants[k], TD_BEFORE);
            CHECK_CALL(&a, td_solve_statics(a.system, a.state));
            CHECK_CALL(&b, td_solve_statics(b.system, b.state));
            CHECK_NEAR(shape_distance(&a, &b), 0.0, 1e-8);
        }
        world_free(&a);
        world_free(&b);
    }
}

// Same step and scheme, so that only the space errors differ: shooting with 150 steps is good to
// 6e-7 of the length on these (its distance from 300 steps), collocation to 1e-7.
static void every_example_moves_as_with_shooting(void **unused) {
    (void)unused;
    for (int i = 0; i < EXAMPLE_FILES; i++) {
        world a = example_world(examples[i].name, TD_COLLOCATION, (int)fmin(examples[i].nodes, 32),
                                1e-10);
        world b = example_world(examples[i].name, TD_SHOOTING, 150, 1e-10);
        td_scenario scenario = td_robot_scenario(a.robot);
        const world *both[2] = {&a, &b};
        for (int k = 0; k < 2; k++) {
            td_apply_signals(both[k]->system, both[k]->state, 0.0, TD_BEFORE);
            if (scenario.start == TD_START_STATIC)
                CHECK_CALL(both[k], td_solve_statics(both[k]->system, both[k]->state));
        }
        int steps = (int)fmin(50.0, round(scenario.end / scenario.step));
        for (int step = 0; step < steps; step++) {
            for (int k = 0; k < 2; k++)
                CHECK_CALL(both[k], td_advance(both[k]->system, both[k]->state, scenario.step));
            CHECK_NEAR(shape_distance(&a, &b), 0.0, 1e-6);
        }
        world_free(&a);
        world_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tips_under_a_wrench_are_those_of_the_reference),
        cmocka_unit_test(the_fall_of_appendix_b_is_that_of_the_reference),
        cmocka_unit_test(the_released_benchmark_rod_moves_as_in_the_reference),
        cmocka_unit_test(energies_decay_with_the_time_constants_of_the_reference),
        cmocka_unit_test(equilibria_of_every_example_are_those_of_shooting),
        cmocka_unit_test(every_example_moves_as_with_shooting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
