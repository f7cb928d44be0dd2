// Rods that are fed out of their base: their tip, their tendons, and what cannot be fed. Gas and
// hinges, which share the same differences and scales.
#include <string.h>

#include "fed.h"

#define LENGTH 0.1
#define RADIUS 0.5e-3
#define OFFSET 2e-3

#define PI 3.14159265358979323846

static const double stiffness = MODULUS * PI / 4.0 * RADIUS * RADIUS * RADIUS * RADIUS;

static td_options options_of(td_theory theory) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.theory = theory;
    return o;
}

// Inputs: 0 feeds the rod, 1 and 2 pull its tendons along x and y.
static world fed_wire(td_theory theory) {
    td_error err = {0};
    td_piece_def piece = fed_piece(LENGTH, RADIUS, RADIUS, MODULUS);
    td_robot *robot = td_robot_create();
    td_rod_def rod = td_default_rod_def();
    add_input(robot, "feed"), add_input(robot, "x"), add_input(robot, "y");
    rod.name = "wire", rod.pieces = &piece, rod.n_pieces = 1, rod.feed = driven(0);
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 0.0, 0.0);
    for (int i = 0; i < 2; i++) {
        td_tendon_def t = td_default_tendon_def();
        t.name = i ? "y" : "x", t.to = LENGTH, t.value = driven(1 + i);
        t.offset[i] = t.offset_end[i] = OFFSET;
        CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    }
    td_options o = options_of(theory);
    return world_make(robot, &o);
}

// ---------------------------------------------------------------- the tip
// A constant curvature k: the tip of an arc of length l is at (1 - cos kl, sin kl)/k and moves
// along its tangent, turning by k, when more of it comes out.
static void feeding_moves_the_tip_along_its_tangent(void **unused) {
    (void)unused;
    world w = fed_wire(TD_KIRCHHOFF);
    double J[18];
    solve_at(&w, 0.03, 4.0, 0.0);
    const double k = 4.0 * OFFSET / stiffness, angle = k * (LENGTH + 0.03);
    CHECK_NEAR(fed_tip(&w).p[0], (1.0 - cos(angle)) / k, 1e-10);
    CHECK_NEAR(fed_tip(&w).p[2], sin(angle) / k, 1e-10);
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, LENGTH + 0.03, J));
    CHECK_NEAR(J[1 * 3], k, 1e-6);
    CHECK_NEAR(J[3 * 3], sin(angle), 1e-8);
    CHECK_NEAR(J[4 * 3], 0.0, 1e-8);
    CHECK_NEAR(J[5 * 3], cos(angle), 1e-8);
    world_free(&w);
}

static void inverse_statics_feeds_the_tip_to_its_target(void **unused) {
    (void)unused;
    world w = fed_wire(TD_COSSERAT);
    static const double places[3][3] = {
        {5e-3, 2e-3, 0.102}, {8e-3, 3e-3, 0.097}, {9e-3, 0.0, 0.09}};
    const int inputs[3] = {0, 1, 2};
    solve_at(&w, 0.0, 1.0, 0.5);
    for (int i = 0; i < 3; i++) {  // out, and in again
        td_target target = {.body = -1, .position_only = true, .pose.q = {1.0}};
        target.s = td_get_length(w.system, w.state, 0);
        memcpy(target.pose.p, places[i], sizeof target.pose.p);
        CHECK_CALL(&w, td_solve_inverse(w.system, w.state, &target, inputs, 3));
        for (int k = 0; k < 3; k++) CHECK_NEAR(fed_tip(&w).p[k], places[i][k], 1e-9);
    }
    world_free(&w);
}

// ---------------------------------------------------------------- tendons
static void a_tendon_is_as_long_as_its_rod_is_fed(void **unused) {
    (void)unused;
    world w = fed_wire(TD_KIRCHHOFF);
    const double fed = 0.05, l = LENGTH + fed, k = 2.0 * OFFSET / stiffness;
    solve_at(&w, fed, 2.0, 0.0);
    td_tendon_state t = td_get_tendon(w.system, w.state, 0);
    CHECK_NEAR(t.length, l * (1.0 - k * OFFSET), 1e-9);
    CHECK_NEAR(t.displacement, LENGTH - t.length, 1e-9);
    CHECK_NEAR(td_get_tension(w.system, w.state, 0, 0.99 * l), 2.0, 1e-12);
    world_free(&w);
}

// ---------------------------------------------------------------- what cannot be
static void a_rod_that_is_drawn_in_altogether_is_refused(void **unused) {
    (void)unused;
    world w = fed_wire(TD_COSSERAT);
    solve_at(&w, 0.01, 1.0, 0.0);
    const td_pose before = fed_tip(&w);
    td_set_input(w.system, w.state, 0, -LENGTH);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_ERR_VALUE);
    assert_non_null(strstr(td_message(w.state), "feed = -0.1 m"));
    assert_int_equal(td_step(w.system, w.state, 1e-3), TD_ERR_VALUE);
    const td_pose after = fed_tip(&w);
    assert_memory_equal(&before, &after, sizeof before);
    CHECK_NEAR(td_get_length(w.system, w.state, 0), LENGTH + 0.01, 0.0);
    world_free(&w);
}

static void a_body_is_there_between_not_at_all_and_whole(void **unused) {
    (void)unused;
    td_error err = {0};
    td_piece_def piece = fed_piece(LENGTH, RADIUS, RADIUS, MODULUS);
    td_robot *robot = rod_robot(&piece, 1);
    td_body_def body = td_default_body_def();
    body.name = "object", body.at = LENGTH, body.mass = 1e-3;
    body.attached = driven(add_input(robot, "grip"));
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    td_options o = options_of(TD_COSSERAT);
    world w = world_make(robot, &o);
    static const double values[4] = {-1e-3, 1.001, 0.0, 1.0};
    for (int i = 0; i < 4; i++) {
        td_set_input(w.system, w.state, 0, values[i]);
        assert_int_equal(td_step(w.system, w.state, 1e-3), i < 2 ? TD_ERR_VALUE : TD_OK);
        assert_int_equal(td_solve_statics(w.system, w.state), i < 2 ? TD_ERR_VALUE : TD_OK);
    }
    world_free(&w);
}

// From rest to 1 m/s at once: 50 000 times the energy that was there, all of it by the feed.
static void feeding_may_begin_at_once(void **unused) {
    (void)unused;
    world w = fed_wire(TD_COSSERAT);
    solve_at(&w, 0.0, 0.1, 0.0);
    for (int i = 1; i <= 20; i++) {
        td_set_input(w.system, w.state, 0, 1e-3 * i);
        CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
    }
    const double mass = 6450.0 * PI * RADIUS * RADIUS * (LENGTH + 0.02);
    CHECK_NEAR(td_get_energy(w.system, w.state).kinetic, 0.5 * mass, 0.05 * 0.5 * mass);
    world_free(&w);
}

// Half as long again while a tendon pulls more and more: what the feed and the tendon do is found in the wire.
static void a_tendon_works_on_what_is_fed(void **unused) {
    (void)unused;
    for (int theory = 0; theory < 2; theory++) {
        world w = fed_wire((td_theory)theory);
        solve_at(&w, 0.0, 0.5, 0.2);
        const td_energy first = td_get_energy(w.system, w.state);
        for (int i = 1; i <= 400; i++) {
            const double x = i / 400.0, share = x * x * (3.0 - 2.0 * x);
            td_set_input(w.system, w.state, 0, 0.5 * LENGTH * share);
            td_set_input(w.system, w.state, 1, 0.5 + 0.3 * share);
            CHECK_CALL(&w, td_step(w.system, w.state, 2e-3));
        }
        const td_energy last = td_get_energy(w.system, w.state);
        const double gained = last.elastic + last.kinetic - first.elastic - first.kinetic;
        assert_true(gained > 0.5 * first.elastic);
        CHECK_NEAR(last.work - last.dissipated - first.work + first.dissipated, gained,
                   1e-4 * gained);
        world_free(&w);
    }
}

// A wire whose weight bends it comes out of its base, 4 mm at first, in steps that may be longer than what was
// out before. What comes out has a past that no node has seen; more nodes must not make more of it.
static void come_out(td_theory theory, int nodes, int steps, double tip[3]) {
    td_error err = {0};
    td_piece_def piece = fed_piece(LENGTH, RADIUS, RADIUS, MODULUS);
    td_robot *robot = td_robot_create();
    td_rod_def rod = td_default_rod_def();
    add_input(robot, "feed");
    rod.name = "wire", rod.pieces = &piece, rod.n_pieces = 1, rod.feed = driven(0);
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 5.0, -9.81);
    td_options o = options_of(theory);
    o.nodes = nodes;
    world w = world_make(robot, &o);
    for (int i = 0; i <= steps; i++) {
        const double x = (double)i / steps, out = 0.004 + 0.396 * x * x * (3.0 - 2.0 * x);
        td_set_input(w.system, w.state, 0, out - LENGTH);
        if (i) CHECK_CALL(&w, td_step(w.system, w.state, 1.0 / steps));
        else CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    }
    memcpy(tip, fed_tip(&w).p, 3 * sizeof *tip);
    world_free(&w);
}

static void a_rod_comes_out_alike_with_any_number_of_nodes(void **unused) {
    (void)unused;
    static const int nodes[] = {16, 32, 64};
    for (int theory = 0; theory < 2; theory++)
        for (int steps = 25; steps <= 100; steps *= 4) {
            double want[3], got[3];
            come_out((td_theory)theory, 8, steps, want);
            assert_true(want[1] > 1e-3);
            for (int i = 0; i < 3; i++) {
                come_out((td_theory)theory, nodes[i], steps, got);
                for (int k = 0; k < 3; k++) CHECK_NEAR(got[k], want[k], 1e-3 * want[1]);
            }
        }
}

// What is stored is what was done less what was lost, whatever the elements: half as long a wire with damping, bent by a force
// at its tip, comes out at 50 mm/s, up to an element of it in a step. Where it ends does not hang on the elements either.
static double pushed_out(td_scheme scheme, int elements, int steps, double tip[3]) {
    td_error err = {0};
    td_piece_def piece = fed_piece(LENGTH, RADIUS, RADIUS, MODULUS);
    piece.length = 0.06, piece.damping_time = 5e-3,
    piece.section.radius = piece.section_end.radius = 0.18e-3;
    td_robot *robot = td_robot_create();
    td_rod_def rod = td_default_rod_def();
    add_input(robot, "feed");
    rod.name = "wire", rod.pieces = &piece, rod.n_pieces = 1, rod.feed = driven(0);
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 0.0, 0.0);
    td_load_def load = point_load("load", 0.06);
    load.force[0].value = 0.01;
    CHECK_OK(td_robot_add_load(robot, &load, &err), err);
    td_options o = options_of(TD_KIRCHHOFF);
    o.elements = elements, o.nodes = 4, o.scheme = scheme;
    world w = world_make(robot, &o);
    double most = 0.0, lost = 0.0;
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const td_energy first = td_get_energy(w.system, w.state);
    for (int i = 1; i <= steps; i++) {
        td_set_input(w.system, w.state, 0, 0.03 * i / steps);
        CHECK_CALL(&w, td_step(w.system, w.state, 0.6 / steps));
        const td_energy now = td_get_energy(w.system, w.state);
        const double stored = now.elastic + now.kinetic, drift = stored - first.elastic - now.work +
                                                                 first.work + now.dissipated -
                                                                 first.dissipated;
        most = fmax(most, stored), lost = fmax(lost, fabs(drift));
    }
    memcpy(tip, fed_tip(&w).p, 3 * sizeof *tip);
    world_free(&w);
    return lost / most;
}

static void fine_elements_feed_no_energy_to_a_wire(void **unused) {
    (void)unused;
    static const td_scheme schemes[] = {TD_BDF_ALPHA, TD_BDF2, TD_SDIRK2};
    for (int i = 0; i < 3; i++)
        for (int steps = 60; steps <= 300; steps *= 5) {
            double want[3], got[3];
            const double coarse = pushed_out(schemes[i], 10, steps, want);
            const double fine = pushed_out(schemes[i], 80, steps, got);
            CHECK_BETWEEN(coarse, 0.0, 2e-3);
            CHECK_BETWEEN(fine, 0.0, 2e-3);
            for (int k = 0; k < 3; k++) CHECK_NEAR(got[k], want[k], 1e-4 * want[0]);
        }
}

// ---------------------------------------------------------------- gas
static world gas_finger(void) {
    td_error err = {0};
    td_piece_def piece = fed_piece(LENGTH, RADIUS, RADIUS, MODULUS);
    piece.youngs_modulus = 500e3, piece.shear_modulus = 168e3, piece.density = 1070.0;
    piece.section.radius = piece.section_end.radius = 15e-3;
    td_robot *robot = rod_robot(&piece, 1);
    td_chamber_def c = td_default_chamber_def();
    c.name = "air", c.to = LENGTH, c.radius = 3e-3, c.offset[0] = 8e-3, c.input = TD_AMOUNT;
    c.value = driven(add_input(robot, "air"));
    CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
    td_options o = options_of(TD_COSSERAT);
    return world_make(robot, &o);
}

static double finger_at(const world *w, double amount) {
    td_set_input(w->system, w->state, 0, amount);
    CHECK_CALL(w, td_solve_statics(w->system, w->state));
    return tip_of(w).p[0];
}

static void the_jacobian_of_a_gas_is_that_of_differences(void **unused) {
    (void)unused;
    world w = gas_finger();
    const double amount = 2.4e-4, h = 1e-7;
    double J[6], want = (finger_at(&w, amount + h) - finger_at(&w, amount - h)) / (2.0 * h);
    finger_at(&w, amount);
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, LENGTH, J));
    CHECK_BETWEEN(fabs(want), 10.0, 1e3);
    CHECK_NEAR(J[3], want, 1e-5 * fabs(want));
    world_free(&w);
}

// ---------------------------------------------------------------- hinges
// However far bending has spread from the hinge, there is no moment about it but that of the
// weight: in a fall from level, int s y_t ds = g t l^2/2.
static void a_rod_on_a_hinge_falls_in_steps_of_any_size(void **unused) {
    (void)unused;
    td_error err = {0};
    static const double steps[] = {1e-7, 1e-6, 1e-5, 1e-4};
    td_piece_def piece = steel_piece();
    td_robot *robot = td_robot_create();
    td_rod_def rod = td_default_rod_def();
    rod.name = "pendulum", rod.pieces = &piece, rod.n_pieces = 1;
    rod.base.joint = TD_REVOLUTE, rod.base.axis[0] = 1.0;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 9.81, 0.0);
    td_options o = options_of(TD_KIRCHHOFF);
    o.scheme = TD_TRAPEZOIDAL;
    world w = world_make(robot, &o);
    for (int i = 0; i < 4; i++) {
        td_state_reset(w.system, w.state);
        for (int k = 0; k < 100; k++) CHECK_CALL(&w, td_step(w.system, w.state, steps[i]));
        double sum = 0.0;
        for (int n = 0; n < 400; n++) {
            const double s = (n + 0.5) * 1e-3;
            sum += s * td_get_sample(w.system, w.state, 0, s).velocity[4] * 1e-3;
        }
        const double want = 9.81 * 100.0 * steps[i] * 0.4 * 0.4 / 2.0;
        CHECK_NEAR(sum, want, 1e-3 * want);
    }
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feeding_moves_the_tip_along_its_tangent),
        cmocka_unit_test(inverse_statics_feeds_the_tip_to_its_target),
        cmocka_unit_test(a_tendon_is_as_long_as_its_rod_is_fed),
        cmocka_unit_test(a_rod_that_is_drawn_in_altogether_is_refused),
        cmocka_unit_test(a_body_is_there_between_not_at_all_and_whole),
        cmocka_unit_test(feeding_may_begin_at_once),
        cmocka_unit_test(a_tendon_works_on_what_is_fed),
        cmocka_unit_test(a_rod_comes_out_alike_with_any_number_of_nodes),
        cmocka_unit_test(fine_elements_feed_no_energy_to_a_wire),
        cmocka_unit_test(the_jacobian_of_a_gas_is_that_of_differences),
        cmocka_unit_test(a_rod_on_a_hinge_falls_in_steps_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
