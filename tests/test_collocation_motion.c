// Motion of collocated rods: elements, jumps, moving bases, waves, control loops.
#include "rods.h"

#include <string.h>

#define PI 3.14159265358979323846

static const double L = 0.4, E = 207e9, G = 79e9, rho = 8000.0;

static td_options options_with(td_space space, td_theory theory, td_scheme scheme, int size) {
    td_options o = td_default_options();
    o.space = space;
    o.theory = theory;
    o.scheme = scheme;
    o.nodes = o.steps = size;
    if (space == TD_SHOOTING) o.nodes = 8;
    return o;
}

static double distance(td_pose a, td_pose b) {
    double x = a.p[0] - b.p[0], y = a.p[1] - b.p[1], z = a.p[2] - b.p[2];
    return sqrt(x * x + y * y + z * z);
}

static void step(const world *w, double dt) {
    CHECK_CALL(w, td_step(w->system, w->state, dt));
}

// ---------------------------------------------------------------- elements
static void cut(td_robot *robot, int elements) {
    for (int k = 1; k < elements; k++) {
        char name[32];
        snprintf(name, sizeof name, "cut%d", k);
        td_load_def none = point_load(name, k * L / elements);
        add_load(robot, &none);
    }
}

// The benchmark rod let go in space, cut by loads of zero.
static world released(const td_options *o, td_piece_def piece, int elements) {
    td_robot *robot = rod_robot(&piece, 1);
    int hold = add_input(robot, "hold");
    td_load_def load = point_load("tip", L);
    load.force[0] = (td_number){0.0, 0.4, hold};
    load.force[1] = (td_number){0.0, 0.5, hold};
    load.moment[2] = (td_number){0.0, 0.02, hold};
    add_load(robot, &load);
    cut(robot, elements);
    world w = world_make(robot, o);
    td_set_input(w.system, w.state, hold, 1.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_set_input(w.system, w.state, hold, 0.0);
    return w;
}

static void check_cuts(td_theory theory, int nodes, double tolerance) {
    td_options o = options_with(TD_COLLOCATION, theory, TD_BDF_ALPHA, 24), few = o;
    few.nodes = nodes;
    for (int elements = 2; elements <= 8; elements *= 2) {
        world whole = released(&o, steel_piece(), 1);
        world parts = released(&few, steel_piece(), elements);
        for (int i = 0; i < 40; i++) {
            step(&whole, 5e-3);
            step(&parts, 5e-3);
            CHECK_NEAR(distance(tip_of(&whole), tip_of(&parts)), 0.0, tolerance * L);
        }
        world_free(&whole);
        world_free(&parts);
    }
}

static void a_rod_cut_into_elements_moves_the_same(void **unused) {
    (void)unused;
    // few nodes leave an error of space, many only that of the iteration
    for (int theory = 0; theory < 2; theory++) {
        check_cuts((td_theory)theory, 8, 3e-8);
        check_cuts((td_theory)theory, 24, 2e-10);
    }
}

static void a_chain_of_64_elements_moves_like_one(void **unused) {
    (void)unused;
    const double dts[3] = {5e-3, 1e-4, 2e-6};
    for (int k = 0; k < 3; k++) {
        td_options o = options_with(TD_COLLOCATION, TD_COSSERAT, TD_BDF2, 24);
        world one = released(&o, steel_piece(), 1), chain = released(&o, steel_piece(), 64);
        for (int i = 0; i < 10; i++) step(&one, dts[k]), step(&chain, dts[k]);
        // at 2 us one element of 24 nodes cannot resolve the waves that the chain can
        CHECK_NEAR(distance(tip_of(&one), tip_of(&chain)), 0.0, (k == 2 ? 2e-6 : 1e-10) * L);
        world_free(&one);
        world_free(&chain);
    }
}

// ---------------------------------------------------------------- against shooting
// Two pieces, loads of both kinds at a point and over a part, drag and damping, on a base that
// travels and turns.
static td_robot *patched_robot(int inputs[3]) {
    td_error err = {0};
    td_piece_def pieces[2] = {steel_piece(), steel_piece()};
    pieces[0].length = 0.15, pieces[1].length = 0.25;
    pieces[1].section.radius = 0.8e-3, pieces[1].section_end.radius = 0.6e-3;
    pieces[1].rest_curvature[1] = 1.5, pieces[1].rest_curvature[2] = -1.0;
    for (int i = 0; i < 2; i++) {
        pieces[i].damping_time = 1e-3;
        pieces[i].drag[0] = pieces[i].drag[1] = 0.02, pieces[i].linear_drag[2] = 0.01;
    }
    td_robot *robot = td_robot_create();
    inputs[0] = add_input(robot, "x"), inputs[1] = add_input(robot, "turn");
    inputs[2] = add_input(robot, "push");
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = pieces, rod.n_pieces = 2;
    rod.base.position[0] = (td_number){0.0, 1.0, inputs[0]};
    rod.base.position[2] = (td_number){0.1, -0.5, inputs[0]};
    rod.base.rotation[0] = (td_number){0.3, 0.4, inputs[1]};
    rod.base.rotation[2] = (td_number){0.0, 1.0, inputs[1]};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 1.0, -9.81);
    td_load_def load = point_load("follow", 0.22);
    load.frame = TD_FRAME_BODY;
    load.force[0] = (td_number){0.0, 1.0, inputs[2]};
    load.moment[2] = (td_number){0.0, 0.02, inputs[2]};
    add_load(robot, &load);
    load.name = "dead", load.frame = TD_FRAME_WORLD, load.distributed = true;
    load.from = 0.1, load.to = 0.3;
    load.force[1] = (td_number){0.2, 1.0, inputs[2]};
    add_load(robot, &load);
    return robot;
}

// One step of both to time t, the base and the loads given by smooth functions, with exact rates.
static void drive(const world *w, const int inputs[3], double t, double dt) {
    const double a = 9.0, b = 14.0;
    td_set_input(w->system, w->state, inputs[0], 0.05 * (1.0 - cos(a * t)));
    td_set_input_rate(w->system, w->state, inputs[0], 0.05 * a * sin(a * t));
    td_set_input(w->system, w->state, inputs[1], 0.3 * sin(b * t) * sin(b * t));
    td_set_input_rate(w->system, w->state, inputs[1], 0.3 * b * sin(2.0 * b * t));
    td_set_input(w->system, w->state, inputs[2], 0.3 * sin(20.0 * t));
    step(w, dt);
}

static void a_rod_on_a_moving_base_moves_as_with_shooting(void **unused) {
    (void)unused;
    // uneven steps too; only the errors in space differ, some 1e-9 of the length
    const td_scheme schemes[3] = {TD_BDF2, TD_TRAPEZOIDAL, TD_SDIRK2};
    for (int k = 0; k < 3; k++)
        for (int theory = 0; theory < 2; theory++) {
            int inputs[3];
            td_options o = options_with(TD_COLLOCATION, (td_theory)theory, schemes[k], 20);
            world a = world_make(patched_robot(inputs), &o);
            o = options_with(TD_SHOOTING, (td_theory)theory, schemes[k], 200);
            world b = world_make(patched_robot(inputs), &o);
            double t = 0.0;
            for (int i = 0; i < 50; i++) {
                double dt = i % 5 == 3 ? 3e-3 : 5e-3;
                t += dt;
                drive(&a, inputs, t, dt), drive(&b, inputs, t, dt);
                CHECK_NEAR(distance(tip_of(&a), tip_of(&b)), 0.0, 2e-8 * L);
                td_sample x = td_get_sample(a.system, a.state, 0, 0.37);
                td_sample y = td_get_sample(b.system, b.state, 0, 0.37);
                for (int c = 0; c < 6; c++) CHECK_NEAR(x.velocity[c], y.velocity[c], 1e-5);
            }
            world_free(&a);
            world_free(&b);
        }
}

// Silicone of 30 kPa to 1 MPa, 2 cm thick, let fall from upright: it folds over.
static void soft_rods_fall_without_a_failed_step(void **unused) {
    (void)unused;
    const double moduli[3] = {1e6, 1e5, 3e4};
    for (int i = 0; i < 3; i++)
        for (int theory = 0; theory < 2; theory++)
            for (int nodes = 4; nodes <= 20; nodes += 8) {
                td_piece_def piece = td_default_piece_def();
                piece.length = 0.3;
                piece.youngs_modulus = moduli[i], piece.shear_modulus = moduli[i] / 3.0;
                piece.density = 1070.0;
                piece.section.radius = piece.section_end.radius = 0.01;
                piece.damping_time = 0.02;
                td_robot *robot = rod_robot(&piece, 1);
                set_gravity(robot, 5.0, 0.0, -8.4);
                td_options o = options_with(TD_COLLOCATION, (td_theory)theory, TD_BDF_ALPHA, nodes);
                world w = world_make(robot, &o);
                for (int k = 0; k < 100; k++) step(&w, 5e-3);
                assert_true(tip_of(&w).p[2] < 0.2);
                world_free(&w);
            }
}

// ---------------------------------------------------------------- principles
// The tip, seen from the base, of a rod that falls to the side: by its weight, or because its base
// is accelerated the other way.
static td_pose falling_tip(bool by_base, double dt) {
    td_error err = {0};
    td_piece_def piece = steel_piece();
    piece.damping_time = 5e-3;
    td_robot *robot = td_robot_create();
    int x = add_input(robot, "x");
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
    rod.base.position[0] = (td_number){0.0, 1.0, x};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    const double a = 60.0;
    set_gravity(robot, by_base ? 0.0 : -a, 0.0, 0.0);
    td_options o = options_with(TD_COLLOCATION, TD_COSSERAT, TD_BDF2, 8);
    world w = world_make(robot, &o);
    int n = (int)lround(0.048 / dt);
    for (int i = 1; i <= n; i++) {
        double t = i * dt;
        td_set_input(w.system, w.state, x, by_base ? 0.5 * a * t * t : 0.0);
        td_set_input_rate(w.system, w.state, x, by_base ? a * t : 0.0);
        step(&w, dt);
    }
    td_pose tip = tip_of(&w);
    if (by_base) tip.p[0] -= 0.5 * a * 0.048 * 0.048;
    world_free(&w);
    return tip;
}

static void an_accelerated_base_is_as_good_as_weight(void **unused) {
    (void)unused;
    // to the order of the scheme, whose velocities live in turning axes
    double coarse = distance(falling_tip(true, 2e-3), falling_tip(false, 2e-3));
    double fine = distance(falling_tip(true, 1e-3), falling_tip(false, 1e-3));
    double finest = distance(falling_tip(true, 5e-4), falling_tip(false, 5e-4));
    CHECK_BETWEEN(coarse, 1e-8, 1e-5);
    CHECK_BETWEEN(log2(coarse / fine), 1.8, 2.3);
    CHECK_BETWEEN(log2(fine / finest), 1.8, 2.3);
}

static void motion_stiffer_against_shear_approaches_kirchhoff(void **unused) {
    (void)unused;
    td_pose tip[3];
    for (int i = 0; i < 3; i++) {  // soft, ten times as stiff, Kirchhoff
        td_piece_def piece = steel_piece();
        for (int k = 3; k < 6; k++) piece.stiffness[k] = i == 1 ? 5e3 : 5e2;
        td_options o =
            options_with(TD_COLLOCATION, i == 2 ? TD_KIRCHHOFF : TD_COSSERAT, TD_BDF2, 8);
        world w = released(&o, piece, 1);
        for (int k = 0; k < 12; k++) step(&w, 5e-3);
        tip[i] = tip_of(&w);
        world_free(&w);
    }
    assert_true(distance(tip[0], tip[2]) > 1e-4);
    CHECK_NEAR(distance(tip[0], tip[2]) / distance(tip[1], tip[2]), 10.0, 0.5);
}

// ---------------------------------------------------------------- control loops
enum { SAMPLES = 20 };

// A controller sets a new force every 4 ms and holds it, over `parts` steps; it restarts when the
// force changes, or before every step because it does not know.
static void control(td_scheme scheme, int parts, bool always, double out[SAMPLES][3]) {
    td_piece_def piece = steel_piece();
    piece.damping_time = 5e-3;
    td_robot *robot = rod_robot(&piece, 1);
    int push = add_input(robot, "push");
    td_load_def load = point_load("tip", L);
    load.force[0] = (td_number){0.0, 1.0, push};
    load.force[1] = (td_number){0.0, -0.5, push};
    add_load(robot, &load);
    td_options o = options_with(TD_COLLOCATION, TD_KIRCHHOFF, scheme, 6);
    world w = world_make(robot, &o);
    for (int i = 0; i < SAMPLES; i++) {
        td_set_input(w.system, w.state, push, 0.5 * sin(1.7 * i * i));
        for (int k = 0; k < parts; k++) {
            if (k == 0 || always) td_restart(w.system, w.state);
            step(&w, 4e-3 / parts);
        }
        memcpy(out[i], tip_of(&w).p, sizeof out[i]);
    }
    world_free(&w);
}

// log2 of how much halving the step cuts the error.
static double control_order(td_scheme scheme, bool always) {
    double truth[SAMPLES][3], tip[SAMPLES][3], error[2] = {0.0, 0.0};
    control(TD_TRAPEZOIDAL, 64, false, truth);
    for (int k = 0; k < 2; k++) {
        control(scheme, k ? 8 : 4, always, tip);
        for (int i = 0; i < SAMPLES; i++)
            for (int c = 0; c < 3; c++) error[k] += pow(tip[i][c] - truth[i][c], 2.0);
    }
    return 0.5 * log2(error[0] / error[1]);
}

static void inputs_that_jump_at_every_sample_keep_second_order(void **unused) {
    (void)unused;
    const td_scheme schemes[4] = {TD_BDF2, TD_BDF_ALPHA, TD_TRAPEZOIDAL, TD_SDIRK2};
    for (int k = 0; k < 4; k++) CHECK_BETWEEN(control_order(schemes[k], false), 1.8, 2.3);
}

static void sdirk2_may_restart_at_every_step(void **unused) {
    (void)unused;
    CHECK_BETWEEN(control_order(TD_BDF2, true), 0.7, 1.3);
    CHECK_BETWEEN(control_order(TD_SDIRK2, true), 1.8, 2.3);
}

// ---------------------------------------------------------------- waves
// A straight bar let go from a tip load: the tip's displacement is a triangle of period 4 L/c about
// zero (d'Alembert), whatever the step.
static double triangle(double x) {
    x = fmod(x, 4.0);
    return x < 2.0 ? 1.0 - x : x - 3.0;
}

static double twist_of(const world *w) {
    td_pose tip = tip_of(w);
    return 2.0 * atan2(tip.q[3], tip.q[0]);
}

static void waves_run_along_the_bar_at_their_speed(void **unused) {
    (void)unused;
    // 16 nodes round the corners of the triangle off
    for (int k = 0; k < 2; k++) {  // extension, torsion
        double speed = sqrt((k ? G : E) / rho), dt = 0.5e-6;
        td_piece_def piece = steel_piece();
        td_robot *robot = rod_robot(&piece, 1);
        int hold = add_input(robot, "hold");
        td_load_def load = point_load("tip", L);
        load.force[2] = (td_number){0.0, k ? 0.0 : 200.0, hold};
        load.moment[2] = (td_number){0.0, k ? 0.05 : 0.0, hold};
        add_load(robot, &load);
        td_options o = options_with(TD_COLLOCATION, TD_COSSERAT, TD_TRAPEZOIDAL, 16);
        world w = world_make(robot, &o);
        td_set_input(w.system, w.state, hold, 1.0);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        double start = k ? twist_of(&w) : tip_of(&w).p[2] - L;
        td_set_input(w.system, w.state, hold, 0.0);
        for (int i = 1; i <= 800; i++) {
            step(&w, dt);
            double now = k ? twist_of(&w) : tip_of(&w).p[2] - L;
            CHECK_NEAR(now / start, triangle(i * dt * speed / L), 0.03);
        }
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_cut_into_elements_moves_the_same),
        cmocka_unit_test(a_chain_of_64_elements_moves_like_one),
        cmocka_unit_test(a_rod_on_a_moving_base_moves_as_with_shooting),
        cmocka_unit_test(soft_rods_fall_without_a_failed_step),
        cmocka_unit_test(an_accelerated_base_is_as_good_as_weight),
        cmocka_unit_test(motion_stiffer_against_shear_approaches_kirchhoff),
        cmocka_unit_test(inputs_that_jump_at_every_sample_keep_second_order),
        cmocka_unit_test(sdirk2_may_restart_at_every_step),
        cmocka_unit_test(waves_run_along_the_bar_at_their_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
