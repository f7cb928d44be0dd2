// Coordinates of every model: what is set is where a motion starts, and what is read out of a motion and
// set elsewhere goes on as that motion does.
#include "chains.h"

#include <string.h>

#include "math/quadrature.h"

#define LENGTH 0.4
#define NODES 10

static td_options collocated(td_theory theory, td_scheme scheme) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.nodes = NODES;
    o.theory = theory;
    o.scheme = scheme;
    return o;
}

static double area(void) {
    return acos(-1.0) * 1e-6;
}

static double second_moment(void) {
    return 0.25 * acos(-1.0) * 1e-12;
}

// ---------------------------------------------------------------- what is set
// A bar that bends at the rate c everywhere moves with c s^2/2 and turns with c s.
static void energies_of_a_set_motion_are_those_of_the_bar(void **unused) {
    (void)unused;
    const double c = 0.7, bent = 1e-4, L = LENGTH;
    for (int kirchhoff = 0; kirchhoff < 2; kirchhoff++) {
        const int d = kirchhoff ? 3 : 6;
        td_piece_def piece = steel_piece();
        td_options o = collocated(kirchhoff ? TD_KIRCHHOFF : TD_COSSERAT, TD_SDIRK2);
        world w = world_make(rod_robot(&piece, 1), &o);
        double q[6 * NODES] = {0.0}, v[6 * NODES] = {0.0}, back[6 * NODES], rates[6 * NODES];
        assert_int_equal(td_n_coordinates(w.system), d * NODES);
        for (int i = 0; i < NODES; i++) q[d * i] = bent, v[d * i] = c;
        CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, v));
        const td_energy e = td_get_energy(w.system, w.state);
        const double moved = 0.5 * 8000.0 * area() * c * c * pow(L, 5) / 20.0;
        const double turned = 0.5 * 8000.0 * second_moment() * c * c * pow(L, 3) / 3.0;
        CHECK_NEAR(e.kinetic / (moved + turned), 1.0, 1e-9);
        CHECK_NEAR(e.elastic / (0.5 * 207e9 * second_moment() * bent * bent * L), 1.0, 1e-12);
        CHECK_CALL(&w, td_get_coordinates(w.system, w.state, back, rates));
        for (int i = 0; i < d * NODES; i++) {
            CHECK_NEAR(back[i], q[i], 1e-15);
            CHECK_NEAR(rates[i], v[i], 1e-15);
        }
        world_free(&w);
    }
}

// Where a tendon stretches, its tension follows from the shape that is set: EA (l - l0)/l0 of the length l that is left of
// the path, l0 = L - pulled out; where it pulls nothing, it is slack. What does not stretch waits for the next step.
static void tensions_follow_from_a_shape_that_is_set(void **unused) {
    (void)unused;
    static const char *const models[] = {"cosserat", "eba", "ebr",
                                         "srl",      "rom", "constant_curvature"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char text[1024];
        td_error err = {0};
        snprintf(
            text, sizeof text,
            "tendril: 1\ngravity: [0, 0, 0]\n"
            "rods: [{name: arm, length: 0.2, section: {radius: 2 mm}, material: "
            "{youngs_modulus: 1 GPa, poisson_ratio: 0.3, "
            "density: 1000}}]\n"
            "tendons:\n"
            "  - {name: taut, offset: [5 mm, 0], input: displacement, value: 2 mm, stiffness: "
            "10 kN}\n"
            "  - {name: slack, offset: [-5 mm, 0], input: displacement, value: -20 mm, stiffness: "
            "10 kN}\n"
            "simulation: {model: %s, theory: %s}\n",
            models[i], i == 5 ? "kirchhoff" : "cosserat");
        td_robot *robot = td_robot_parse(text, strlen(text), "arm.yaml", NULL, 0, &err);
        if (!robot) fail_msg("%s: %s", err.where, err.message);
        const td_options o = td_robot_options(robot);
        world w = world_make(robot, &o);
        double q[600];
        assert_in_range(td_n_coordinates(w.system), 1, 600);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const td_actuator_state rest = td_get_actuator(w.system, w.state, 0);
        const double stored = td_get_energy(w.system, w.state).elastic;
        CHECK_CALL(&w, td_get_coordinates(w.system, w.state, q, NULL));
        td_state_reset(w.system, w.state);
        CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
        const td_actuator_state set = td_get_actuator(w.system, w.state, 0);
        const double l0 = 0.2 - 2e-3, tension = 1e4 * (set.measure - l0) / 0.2;
        assert_true(rest.effort > 1.0);
        CHECK_NEAR(set.effort / tension, 1.0, 1e-9);
        CHECK_NEAR(set.effort / rest.effort, 1.0, 1e-6);
        CHECK_NEAR(td_get_actuator(w.system, w.state, 1).effort, 0.0, 1e-12);
        CHECK_NEAR(td_get_energy(w.system, w.state).elastic / stored, 1.0, 1e-6);
        world_free(&w);
    }
}

// One that does not stretch and just fits pulls nothing in a straight rod, of any number of polynomials or arcs.
static void what_just_fits_pulls_nothing(void **unused) {
    (void)unused;
    static const char *const models[] = {"cosserat", "eba", "rom", "constant_curvature", "tubes"};
    for (int i = 0; i < 5 * 6; i++) {
        char text[512];
        td_error err = {0};
        snprintf(text, sizeof text,
                 "tendril: 1\n"
                 "rods: [{name: arm, length: 0.3, section: {radius: 6 mm}, material: "
                 "{youngs_modulus: 5 MPa, poisson_ratio: 0.4, density: 1100}}]\n"
                 "tendons: [{name: pull, offset: [4 mm, 0], input: displacement}]\n"
                 "simulation: {model: %s, theory: %s, rom: {order: %d}, constant_curvature: "
                 "{segments: %d}, lumped: {segments: %d}, tubes: {nodes: %d}}\n",
                 models[i % 5], i % 5 < 3 ? "cosserat" : "kirchhoff", i / 5 + 1, i / 5 + 1,
                 i / 5 + 2, i / 5 + 3);
        td_robot *robot = td_robot_parse(text, strlen(text), "arm.yaml", NULL, 0, &err);
        if (!robot) fail_msg("%s: %s", err.where, err.message);
        const td_options o = td_robot_options(robot);
        world w = world_make(robot, &o);
        double q[600];
        CHECK_CALL(&w, td_get_coordinates(w.system, w.state, q, NULL));  // as it is made: straight
        CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
        CHECK_NEAR(td_get_actuator(w.system, w.state, 0).effort, 0.0, 1e-6);
        CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
        world_free(&w);
    }
}

// cos(b L) cosh(b L) = -1; curvature of the mode cosh bs - cos bs - k (sinh bs - sin bs)
#define FIRST_ROOT 1.8751040687119611

static double mode_curvature(double x) {
    const double b = FIRST_ROOT;
    const double k = (sinh(b) - sin(b)) / (cosh(b) + cos(b));
    return cosh(b * x) + cos(b * x) - k * (sinh(b * x) + sin(b * x));
}

static void a_cantilever_set_in_its_first_mode_swings_with_its_frequency(void **unused) {
    (void)unused;
    static const td_scheme schemes[] = {TD_BDF2, TD_BDF_ALPHA, TD_TRAPEZOIDAL, TD_SDIRK2};
    static const td_startup startups[] = {TD_HALF_STEPS, TD_REST_HISTORY};
    double x[NODES], weights[NODES];
    gauss_legendre(NODES, x, weights);
    const double omega = FIRST_ROOT * FIRST_ROOT / (LENGTH * LENGTH) *
                         sqrt(207e9 * second_moment() / (8000.0 * area()));
    const double period = 2.0 * acos(-1.0) / omega;
    for (int k = 0; k < 8; k++) {
        td_options o = collocated(TD_KIRCHHOFF, schemes[k / 2]);
        o.startup = startups[k % 2], o.alpha = -0.2, o.rotary_inertia = false;
        td_piece_def piece = steel_piece();
        world w = world_make(rod_robot(&piece, 1), &o);
        double q[3 * NODES] = {0.0};
        for (int i = 0; i < NODES; i++) q[3 * i + 1] = 1e-3 * mode_curvature(x[i]);
        CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
        const double tip = tip_of(&w).p[0];
        assert_true(tip > 1e-5);
        const int steps = 2000;
        for (int i = 1; i <= steps; i++) {
            CHECK_CALL(&w, td_step(w.system, w.state, period / steps));
            // second order: 10 (omega dt)^2
            CHECK_NEAR(tip_of(&w).p[0] / tip, cos(2.0 * acos(-1.0) * i / steps), 1e-4);
        }
        world_free(&w);
    }
}

// ---------------------------------------------------------------- taken over
// The largest distance between a motion and one that begins with what is read out of it half-way.
static double parted(td_robot *robot, const td_options *o, double dt, double end) {
    world one = world_make(robot, o);
    td_state *other = td_state_create(one.system);
    const int n = td_n_coordinates(one.system), steps = (int)(end / dt + 0.5);
    double *q = calloc(2 * (size_t)n, sizeof *q), worst = 0.0;
    assert_true(n > 0);
    if (td_n_bodies(one.system)) CHECK_CALL(&one, td_solve_statics(one.system, one.state));
    for (int i = 0; i < td_n_inputs(one.system); i++) {
        td_set_input(one.system, one.state, i, 1.0);
        td_set_input(one.system, other, i, 1.0);
    }
    for (int i = 0; i < steps; i++) CHECK_CALL(&one, td_step(one.system, one.state, dt));
    CHECK_CALL(&one, td_get_coordinates(one.system, one.state, q, q + n));
    const world two = {.system = one.system, .state = other};
    CHECK_CALL(&two, td_set_coordinates(one.system, other, q, q + n));
    for (int i = 0; i < steps; i++) {
        CHECK_CALL(&one, td_step(one.system, one.state, dt));
        CHECK_CALL(&two, td_step(one.system, other, dt));
        for (int rod = 0; rod < td_n_rods(one.system); rod++) {
            const double s = td_rod_length(one.system, rod);
            const td_pose a = td_get_pose(one.system, one.state, rod, s);
            const td_pose b = td_get_pose(one.system, other, rod, s);
            worst = fmax(worst, hypot(hypot(a.p[0] - b.p[0], a.p[1] - b.p[1]), a.p[2] - b.p[2]));
        }
    }
    free(q);
    td_state_destroy(other);
    td_system_destroy(one.system);
    td_state_destroy(one.state);
    return worst;
}

// Falls from its straight shape, with a tendon that is pulled.
static td_robot *soft_arm(void) {
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.2, piece.youngs_modulus = 2e6, piece.shear_modulus = 0.7e6,
    piece.density = 1000.0;
    piece.section.radius = piece.section_end.radius = 0.01;
    for (int k = 0; k < 6; k++) piece.damping[k] = k < 3 ? 2e-5 : 0.5;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, -9.81, 0.0, 0.0);
    td_error err = {0};
    td_tendon_def tendon = td_default_tendon_def();
    tendon.name = "pull", tendon.rod = 0, tendon.from = 0.0, tendon.to = 0.2;
    tendon.offset[1] = tendon.offset_end[1] = 0.008;
    tendon.value = td_constant(0.3);
    CHECK_OK(td_robot_add_tendon(robot, &tendon, &err), err);
    return robot;
}

// Two rods that carry a body, which a load lifts: joints and a body that moves.
static td_robot *loop(void) {
    td_piece_def piece = steel_piece();
    td_robot *robot = empty_robot(0.0, 0.0, -9.81);
    td_error err = {0};
    piece.damping_time = 5e-3;
    const double at[3] = {0.0, 0.0, 0.4};
    const int body = add_body(robot, "plate", 0.02, 1e-5, at);
    for (int i = 0; i < 2; i++) {
        td_rod_def rod = chain_rod(i ? "two" : "one", &piece, i ? 0.1 : -0.1, 0.0, 0.0);
        hold_tip(&rod, body, i ? TD_BALL : TD_CLAMP, i ? 0.05 : -0.05, 0.0, 0.0);
        add_chain_rod(robot, &rod);
    }
    const int input = add_input(robot, "push");
    td_load_def load = td_default_load_def();
    load.name = "push", load.rod = -1, load.body = body;
    load.force[1] = (td_number){.value = 0.2, .gain = 1.0, .input = input};
    CHECK_OK(td_robot_add_load(robot, &load, &err), err);
    return robot;
}

static void check_order(td_robot *robot, const td_options *o, double dt, const char *what) {
    const double coarse = parted(robot, o, dt, 24.0 * dt);
    const double fine = parted(robot, o, 0.5 * dt, 24.0 * dt);
    // both differ from the motion itself by a constant times dt^2
    if (!(fine < fmax(0.35 * coarse, 1e-8)) || !(coarse < 1e-2)) {
        fprintf(stderr, "%s: %.3g m, with half the step %.3g m\n", what, coarse, fine);
        fail();
    }
    td_robot_destroy(robot);
}

static void a_motion_goes_on_from_what_is_read_out_under_every_model(void **unused) {
    (void)unused;
    for (int i = 0; i < td_n_models(); i++) {
        td_options o = collocated(TD_COSSERAT, TD_SDIRK2);
        snprintf(o.model, sizeof o.model, "%s", td_model_name(i));
        check_order(soft_arm(), &o, 4e-3, o.model);
    }
}

static void a_motion_goes_on_from_what_is_read_out_under_every_scheme(void **unused) {
    (void)unused;
    static const td_scheme schemes[] = {TD_BDF2, TD_BDF_ALPHA, TD_TRAPEZOIDAL, TD_SDIRK2};
    for (int k = 0; k < 4; k++) {
        td_options o = collocated(TD_COSSERAT, schemes[k]);
        o.alpha = -0.2;
        check_order(soft_arm(), &o, 4e-3, "a soft arm");
        check_order(loop(), &o, 4e-3, "a loop");
    }
}

// ---------------------------------------------------------------- names
typedef struct meaning {  // what all coordinates whose names end so do to the tip of a straight rod
    const char *model, *word, *unit;
    int row;        // of rotation vector and position
    double length;  // by their value times this: of the rod, of one
    bool each;      // by the sum of them, not by any
} meaning;

static bool ends_with(const char *name, const char *word) {
    const size_t n = strlen(name), m = strlen(word);
    return n > m && strcmp(name + n - m, word) == 0 && name[n - m - 1] == '.';
}

static void check_meaning(const meaning *m) {
    const double d = 1e-3;
    td_piece_def piece = steel_piece();
    td_options o = collocated(TD_COSSERAT, TD_SDIRK2);
    snprintf(o.model, sizeof o.model, "%s", m->model);
    o.virtual_power.torsion = true;
    world w = world_make(rod_robot(&piece, 1), &o);
    const int n = td_n_coordinates(w.system);
    double *q = calloc((size_t)n, sizeof *q), sum = 0.0;
    CHECK_CALL(&w, td_get_coordinates(w.system, w.state, q, NULL));
    for (int i = 0; i < n; i++) {
        const char *name = td_coordinate_name(w.system, i);
        assert_int_equal(td_find_coordinate(w.system, name), i);
        assert_int_equal(strncmp(name, "rod.rod.", 8), 0);
        if (!ends_with(name, m->word)) continue;
        assert_string_equal(td_coordinate_unit(w.system, i), m->unit);
        q[i] += d;
        sum += d;
    }
    assert_true(sum > 0.0);
    const td_pose before = tip_of(&w);
    CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
    const td_pose tip = tip_of(&w);
    const double moved =
        m->row < 3 ? 2.0 * asin(tip.q[1 + m->row]) : tip.p[m->row - 3] - before.p[m->row - 3];
    const double expected = (m->each ? sum : d) * m->length;
    if (!(fabs(moved - expected) <= 1e-9 * fabs(expected)))
        fprintf(stderr, "%s of %s: %.12g, not %.12g\n", m->word, m->model, moved, expected);
    CHECK_NEAR(moved / expected, 1.0, 1e-9);
    free(q);
    world_free(&w);
}

static void coordinates_move_the_tip_as_their_names_say(void **unused) {
    (void)unused;
    static const meaning all[] = {
        {"cosserat", "curvature_x", "1/m", 0, LENGTH, false},
        {"cosserat", "strain_z", "1", 5, LENGTH, false},
        {"eba", "rotation_y", "rad", 1, 1.0, false},
        {"eba", "x", "m", 3, 1.0, false},
        {"ebr", "rotation_x", "rad", 0, 1.0, true},
        {"ebr", "extent_z", "m", 5, 1.0, true},
        {"srl", "angle_z", "rad", 2, 1.0, true},
        {"srl", "extent_z", "m", 5, 1.0, true},
        {"constant_curvature", "bend_x", "rad", 1, 1.0, true},
        {"constant_curvature", "length", "m", 5, 1.0, true},
        {"virtual_power", "tau", "rad", 2, 1.0, true},
        {"virtual_power", "beta", "1/m", 1, LENGTH, false},
        {"virtual_power", "gamma", "1/m", 0, -LENGTH, false},
        {"rom", "c1_x", "1", 3, LENGTH, false},
        {"rom", "b1_y", "rad", 1, 1.0, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_meaning(&all[i]);
}

static void check_unique(const td_system *system) {
    assert_true(td_n_coordinates(system) > 0);
    for (int i = 0; i < td_n_coordinates(system); i++)
        assert_int_equal(td_find_coordinate(system, td_coordinate_name(system, i)), i);
    assert_null(td_coordinate_name(system, td_n_coordinates(system)));
    assert_null(td_coordinate_unit(system, -1));
    assert_int_equal(td_find_coordinate(system, "q1"), -1);
}

// The plate's coordinates are those of its pose, and an end that turns in a joint has some of its own.
static void bodies_and_joints_have_coordinates_by_name(void **unused) {
    (void)unused;
    for (int eba = 0; eba < 2; eba++) {
        td_options o = collocated(TD_COSSERAT, TD_SDIRK2);
        if (eba) snprintf(o.model, sizeof o.model, "eba");
        world w = world_make(loop(), &o);
        double q[1000];
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        assert_true(td_n_coordinates(w.system) <= 1000);
        CHECK_CALL(&w, td_get_coordinates(w.system, w.state, q, NULL));
        const int at = td_find_coordinate(w.system, "body.plate.x");
        assert_true(at >= 0);
        const td_body_state plate = td_get_body(w.system, w.state, 0);
        for (int i = 0; i < 3; i++) CHECK_NEAR(q[at + i], plate.pose.p[i], 1e-15);
        check_unique(w.system);
        world_free(&w);
        td_piece_def piece = steel_piece();
        td_robot *robot = empty_robot(0.0, 0.0, -9.81);
        td_rod_def rod = chain_rod("swing", &piece, 0.0, 0.0, 0.0);
        rod.base.joint = TD_BALL;
        add_chain_rod(robot, &rod);
        w = world_make(robot, &o);
        check_unique(w.system);
        const int hinge = td_find_coordinate(w.system, eba ? "rod.swing.node0.rotation_x"
                                                           : "rod.swing.hinge.rotation_x");
        assert_true(hinge >= 0);
        assert_string_equal(td_coordinate_unit(w.system, hinge), "rad");
        world_free(&w);
    }
}

// ---------------------------------------------------------------- refusals
static void what_cannot_be_is_refused_and_changes_nothing(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = collocated(TD_COSSERAT, TD_SDIRK2);
    world w = world_make(rod_robot(&piece, 1), &o);
    double q[6 * NODES] = {0.0};
    q[5] = -2.0;  // inside out
    assert_int_equal(td_set_coordinates(w.system, w.state, q, NULL), TD_ERR_VALUE);
    assert_non_null(strstr(td_message(w.state), "stretch"));
    CHECK_NEAR(tip_of(&w).p[2], LENGTH, 1e-15);
    world_free(&w);

    o.space = TD_SHOOTING;
    w = world_make(rod_robot(&piece, 1), &o);
    assert_int_equal(td_n_coordinates(w.system), 0);
    assert_int_equal(td_set_coordinates(w.system, w.state, q, NULL), TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(td_message(w.state), "shooting"));
    world_free(&w);
}

static void a_loop_that_gapes_is_refused(void **unused) {
    (void)unused;
    td_options o = collocated(TD_COSSERAT, TD_SDIRK2);
    world w = world_make(loop(), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double q[12 * NODES + 6];
    assert_int_equal(td_n_coordinates(w.system), 12 * NODES + 6);
    CHECK_CALL(&w, td_get_coordinates(w.system, w.state, q, NULL));
    CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
    q[12 * NODES + 3] += 1e-3;
    assert_int_equal(td_set_coordinates(w.system, w.state, q, NULL), TD_ERR_ARGUMENT);
    assert_non_null(strstr(td_message(w.state), "joint"));
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_of_a_set_motion_are_those_of_the_bar),
        cmocka_unit_test(tensions_follow_from_a_shape_that_is_set),
        cmocka_unit_test(what_just_fits_pulls_nothing),
        cmocka_unit_test(a_cantilever_set_in_its_first_mode_swings_with_its_frequency),
        cmocka_unit_test(a_motion_goes_on_from_what_is_read_out_under_every_model),
        cmocka_unit_test(a_motion_goes_on_from_what_is_read_out_under_every_scheme),
        cmocka_unit_test(coordinates_move_the_tip_as_their_names_say),
        cmocka_unit_test(bodies_and_joints_have_coordinates_by_name),
        cmocka_unit_test(what_cannot_be_is_refused_and_changes_nothing),
        cmocka_unit_test(a_loop_that_gapes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
