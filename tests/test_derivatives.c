// Derivatives of equilibria against differences of solved equilibria.
#include "rods.h"

#include <string.h>

static const double L = 0.4;

// Pre-curved, tapered, in two pieces, with gravity, a follower load and inputs in loads and base.
static td_robot *rich_robot(double length, double youngs_modulus, double curvature) {
    td_error err = {0};
    td_piece_def pieces[2] = {steel_piece(), steel_piece()};
    pieces[0].length = 0.4 * length;
    pieces[1].length = 0.6 * length;
    pieces[0].rest_curvature[1] = curvature;
    for (int i = 0; i < 2; i++) pieces[i].youngs_modulus = youngs_modulus;
    pieces[1].section.radius = pieces[1].section_end.radius = 0.8e-3;
    td_robot *robot = td_robot_create();
    int push = add_input(robot, "push"), turn = add_input(robot, "turn");
    int pull = add_input(robot, "pull");
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = pieces, rod.n_pieces = 2;
    rod.base.rotation[1] = (td_number){0.1, 1.0, turn};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 0.0, -9.81);
    td_load_def follow = point_load("follow", 0.6 * length);
    follow.frame = TD_FRAME_BODY;
    follow.force[0] = (td_number){0.05, 1.0, push};
    add_load(robot, &follow);
    td_load_def tip = point_load("tip", length);
    tip.force[1] = (td_number){0.1, 2.0, pull};
    tip.moment[2] = (td_number){0.0, 0.02, pull};
    add_load(robot, &tip);
    return robot;
}

static td_options collocation(td_theory theory, int nodes) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.theory = theory;
    o.nodes = nodes;
    o.tolerance = 1e-13;
    return o;
}

static td_pose solved(world *w, const double inputs[3], double s) {
    for (int i = 0; i < 3; i++) td_set_input(w->system, w->state, i, inputs[i]);
    td_status status = td_solve_statics(w->system, w->state);
    if (status < 0) print_error("%s\n", td_message(w->state));
    assert_true(status >= 0);
    return td_get_pose(w->system, w->state, 0, s);
}

// Rotation and translation from a to b, small.
static void motion(const td_pose *a, const td_pose *b, double out[6]) {
    const double *p = a->q, *q = b->q;
    // vec(q p*), sign-safe
    double w = q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3], sign = w < 0.0 ? -2.0 : 2.0;
    out[0] = sign * (-q[0] * p[1] + q[1] * p[0] - q[2] * p[3] + q[3] * p[2]);
    out[1] = sign * (-q[0] * p[2] + q[1] * p[3] + q[2] * p[0] - q[3] * p[1]);
    out[2] = sign * (-q[0] * p[3] - q[1] * p[2] + q[2] * p[1] + q[3] * p[0]);
    for (int i = 0; i < 3; i++) out[3 + i] = b->p[i] - a->p[i];
}

static void check_column(const double *ours, int stride, const double differences[6],
                         double tolerance) {
    double largest[2] = {0.0, 0.0};
    for (int i = 0; i < 6; i++) largest[i / 3] = fmax(largest[i / 3], fabs(differences[i]));
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(ours[i * stride], differences[i], tolerance * fmax(largest[i / 3], 1e-3));
}

static void jacobian_matches_differences_of_solutions(void **unused) {
    (void)unused;
    for (int theory = 0; theory < 2; theory++)
        for (int nodes = 5; nodes <= 9; nodes += 4) {
            td_options o = collocation((td_theory)theory, nodes);
            world w = world_make(rich_robot(L, 207e9, 2.0), &o);
            const double at[3] = {0.1, 0.2, 0.05}, places[2] = {L, 0.17};
            for (int k = 0; k < 2; k++) {
                double J[18];
                solved(&w, at, places[k]);
                CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, places[k], J));
                for (int c = 0; c < 3; c++) {
                    double step = 1e-4, in[3], d[6];
                    memcpy(in, at, sizeof in);
                    in[c] = at[c] - step;
                    td_pose a = solved(&w, in, places[k]);
                    in[c] = at[c] + step;
                    td_pose b = solved(&w, in, places[k]);
                    motion(&a, &b, d);
                    for (int i = 0; i < 6; i++) d[i] /= 2.0 * step;
                    check_column(J + c, 3, d, 1e-7);
                }
            }
            world_free(&w);
        }
}

static void compliance_of_a_straight_rod_is_that_of_a_beam(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    double EI = 207e9 * 3.14159265358979 * 1e-12 / 4.0;
    td_options o = collocation(TD_KIRCHHOFF, 6);
    world w = world_make(rod_robot(&piece, 1), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double C[36], a = 0.25;
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, L, 0, L, C));
    CHECK_NEAR(C[6 * 3 + 3] / (L * L * L / (3.0 * EI)), 1.0, 1e-8);  // x against force x
    CHECK_NEAR(C[6 * 1 + 3] / (L * L / (2.0 * EI)), 1.0, 1e-8);      // turn y against force x
    CHECK_NEAR(C[6 * 1 + 1] / (L / EI), 1.0, 1e-8);                  // turn y against moment y
    // a force inside an element: tip deflection F a^2 (3 L - a)/(6 EI). The curvature has a kink there
    // that six nodes cannot follow; its work is kept, so little of that shows at the tip
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, L, 0, a, C));
    CHECK_NEAR(C[6 * 3 + 3] / (a * a * (3.0 * L - a) / (6.0 * EI)), 1.0, 1e-4);
    world_free(&w);
}

static void compliance_is_symmetric_where_the_loads_are_conservative(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    piece.rest_curvature[0] = 3.0, piece.rest_curvature[2] = 2.0;
    for (int theory = 0; theory < 2; theory++) {
        td_robot *robot = rod_robot(&piece, 1);
        set_gravity(robot, 0.0, 2.0, -9.81);
        add_tip_force(robot, L, 0.4, 0.2, 0.1);  // dead force, no moment: a potential exists
        td_options o = collocation((td_theory)theory, 8);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        double C[36], near[36], far[36], largest = 0.0;
        td_get_compliance(w.system, w.state, 0, L, 0, L, C);
        for (int i = 21; i < 36; i++) largest = fmax(largest, fabs(C[i]));
        for (int i = 3; i < 6; i++)
            for (int k = 3; k < i; k++) CHECK_NEAR(C[6 * i + k], C[6 * k + i], 1e-6 * largest);
        // Maxwell and Betti: what a force at the tip does at 0.3 is what one at 0.3 does at the tip
        td_get_compliance(w.system, w.state, 0, 0.3, 0, L, near);
        td_get_compliance(w.system, w.state, 0, L, 0, 0.3, far);
        for (int i = 3; i < 6; i++)
            for (int k = 3; k < 6; k++) CHECK_NEAR(near[6 * i + k], far[6 * k + i], 2e-5 * largest);
        world_free(&w);
    }
}

static void compliance_matches_an_extra_load(void **unused) {
    (void)unused;
    td_options o = collocation(TD_COSSERAT, 8);
    world w = world_make(rich_robot(L, 207e9, 2.0), &o);
    const double at[3] = {0.1, 0.2, 0.05};
    double C[36];
    solved(&w, at, L);
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, L, 0, L, C));
    // input "pull" is 2 N of force y and 0.02 N m of moment z at the tip, both dead
    double J[18];
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, L, J));
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(J[3 * i + 2], 2.0 * C[6 * i + 4] + 0.02 * C[6 * i + 2],
                   1e-8 * fabs(J[3 * i + 2]) + 1e-10);
    world_free(&w);
}

static void sensitivities_match_differences_of_solutions(void **unused) {
    (void)unused;
    const double steps[3] = {1e-6, 1e5, 1e-4}, nominal[3] = {L, 207e9, 2.0};
    const double at[3] = {0.1, 0.2, 0.05};
    td_options o = collocation(TD_COSSERAT, 7);
    for (int k = 0; k < 3; k++) {
        double values[2][3];
        for (int i = 0; i < 3; i++) values[0][i] = values[1][i] = nominal[i];
        values[0][k] -= steps[k], values[1][k] += steps[k];
        world w = world_make(rich_robot(L, 207e9, 2.0), &o);
        world minus = world_make(rich_robot(values[0][0], values[0][1], values[0][2]), &o);
        world plus = world_make(rich_robot(values[1][0], values[1][1], values[1][2]), &o);
        solved(&w, at, L);
        double ours[6], d[6];
        CHECK_CALL(&w, td_get_sensitivity(w.system, w.state, plus.system, minus.system, steps[k], 0,
                                          L, ours));
        td_pose a = solved(&minus, at, values[0][0]), b = solved(&plus, at, values[1][0]);
        motion(&a, &b, d);
        for (int i = 0; i < 6; i++) {
            double largest = fmax(fabs(d[3]), fmax(fabs(d[4]), fabs(d[5]))) / (2.0 * steps[k]);
            CHECK_NEAR(ours[i], d[i] / (2.0 * steps[k]), 2e-4 * fmax(largest, fabs(ours[i])));
        }
        world_free(&w), world_free(&minus), world_free(&plus);
    }
}

static void derivatives_leave_the_state_alone_and_refuse_by_name(void **unused) {
    (void)unused;
    td_options o = collocation(TD_COSSERAT, 8);
    world w = world_make(rich_robot(L, 207e9, 2.0), &o);
    for (int i = 0; i < 5; i++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
    size_t bytes = td_snapshot_bytes(w.system);
    void *before = malloc(bytes), *after = malloc(bytes);
    td_state_save(w.system, w.state, before, bytes);
    double J[18], C[36];
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, L, J));
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, L, 0, 0.2, C));
    td_state_save(w.system, w.state, after, bytes);
    assert_memory_equal(before, after, bytes);
    assert_int_equal(td_get_jacobian(w.system, w.state, 0, 2.0 * L, J), TD_ERR_ARGUMENT);
    assert_int_equal(td_get_jacobian(w.system, w.state, 3, L, J), TD_ERR_ARGUMENT);
    free(before), free(after);
    world_free(&w);

    o.space = TD_SHOOTING;
    w = world_make(rich_robot(L, 207e9, 2.0), &o);
    assert_int_equal(td_get_jacobian(w.system, w.state, 0, L, J), TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(td_message(w.state), "collocation"));
    world_free(&w);
}

// ---------------------------------------------------------------- an arm with discs
static const char ARM[] =
    "tendril: 1\n"
    "materials: {nitinol: {youngs_modulus: 60 GPa, poisson_ratio: 0.33, density: 6450}}\n"
    "rods: [{name: arm, length: 0.4, material: nitinol, section: {radius: 0.7 mm}}]\n"
    "bodies: [{name: disc, on: arm, count: 10, mass: 1 g}]\n"
    "tendons:\n"
    "  - {name: a1, offset: [ 8 mm, 0], to: 50 %}\n"
    "  - {name: a2, offset: [-4 mm,  7 mm], to: 50 %}\n"
    "  - {name: b1, offset: [-8 mm, 0]}\n"
    "  - {name: b2, offset: [ 4 mm, 7 mm]}\n"
    "loads:\n"
    "  - {name: push, rod: arm, at: tip, force: [push, 0, 0]}\n"
    "  - {name: wind, rod: arm, from: base, to: tip, force: [0, wind, 0], frame: FRAME}\n"
    "inputs: {a1: 5 N, a2: 1 N, b1: 1 N, b2: 2 N, push: 0.1 N, wind: 0.2 N/m}\n";
enum { ARM_INPUTS = 6 };

static void arm_text(const char *frame, char text[sizeof ARM + 32]) {
    const char *at = strstr(ARM, "FRAME");
    snprintf(text, sizeof ARM + 32, "%.*s%s%s", (int)(at - ARM), ARM, frame, at + 5);
}

static world arm_make(const char *frame, td_theory theory) {
    char text[sizeof ARM + 32];
    arm_text(frame, text);
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), "arm.yaml", NULL, 0, &err);
    if (!robot) print_error("%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    td_options o = collocation(theory, 6);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

static td_pose arm_tip(world *w, int input, double by) {
    const double value = td_get_input(w->system, w->state, input);
    td_set_input(w->system, w->state, input, value + by);
    CHECK_CALL(w, td_solve_statics(w->system, w->state));
    td_set_input(w->system, w->state, input, value);
    return tip_of(w);
}

// By the sweep from the base, under loads of fixed direction and such that turn along; and by factors, as
// a point a hair before the tip.
static void a_tip_answers_as_equilibria_do(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        world w = arm_make(k % 2 ? "body" : "world", k < 2 ? TD_COSSERAT : TD_KIRCHHOFF);
        double J[6 * ARM_INPUTS], by_factors[6 * ARM_INPUTS];
        CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, L, J));
        CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, L * (1.0 - 1e-12), by_factors));
        for (int i = 0; i < 6 * ARM_INPUTS; i++)
            CHECK_NEAR(J[i], by_factors[i], 1e-8 * fmax(1.0, fabs(by_factors[i])));
        for (int input = 0; input < ARM_INPUTS; input++) {
            const double step = 1e-4;
            double differences[6];
            const td_pose plus = arm_tip(&w, input, step), minus = arm_tip(&w, input, -step);
            motion(&minus, &plus, differences);
            for (int i = 0; i < 6; i++) differences[i] /= 2.0 * step;
            check_column(J + input, ARM_INPUTS, differences, 1e-6);
        }
        world_free(&w);
    }
}

static void parts_of_a_jacobian_are_those_of_all_of_it(void **unused) {
    (void)unused;
    world w = arm_make("world", TD_COSSERAT);
    const int inputs[2] = {4, 1};
    const double places[2] = {L, 0.17};
    for (int k = 0; k < 2; k++) {
        td_jacobian_part part = {.body = -1, .s = places[k], .inputs = inputs, .n_inputs = 2};
        double J[6 * ARM_INPUTS], some[12], position[6];
        CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, places[k], J));
        CHECK_CALL(&w, td_get_jacobian_part(w.system, w.state, &part, some));
        part.position_only = true;
        CHECK_CALL(&w, td_get_jacobian_part(w.system, w.state, &part, position));
        for (int i = 0; i < 12; i++)
            CHECK_NEAR(some[i], J[ARM_INPUTS * (i / 2) + inputs[i % 2]], 1e-12);
        for (int i = 0; i < 6; i++) CHECK_NEAR(position[i], some[6 + i], 1e-12);
    }
    double J[12];
    const td_jacobian_part wrong = {.body = -1, .s = L, .inputs = &(int){7}, .n_inputs = 1};
    assert_int_equal(td_get_jacobian_part(w.system, w.state, &wrong, J), TD_ERR_ARGUMENT);
    assert_string_equal(td_message(w.state), "input 7: there are only 6");
    world_free(&w);
}

// The dynamic Jacobian against the derivative of all of the step, and differences of steps.
static void a_step_answers_to_its_inputs(void **unused) {
    (void)unused;
    const td_scheme schemes[] = {TD_SDIRK2, TD_BDF2, TD_TRAPEZOIDAL, TD_BACKWARD_EULER};
    for (int k = 0; k < 4; k++) {
        td_error err = {0};
        char text[sizeof ARM + 32];
        arm_text("body", text);
        td_robot *robot = td_robot_parse(text, strlen(text), "arm.yaml", NULL, 0, &err);
        td_options o = collocation(k % 2 ? TD_KIRCHHOFF : TD_COSSERAT, 4);
        o.scheme = schemes[k];
        world w = world_make(robot, &o);
        const td_output tip[2] = {{.quantity = TD_OUTPUT_POSE, .body = -1, .s = L},
                                  {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = L}};
        td_linearisation *l = td_linearisation_create(w.system, tip, 2, &err);
        static char saved[1 << 20];
        double D[12 * ARM_INPUTS], most[4] = {0.0};
        assert_non_null(l);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        for (int i = 0; i < 6; i++) {
            td_set_input(w.system, w.state, 0, 5.0 + 0.3 * i);
            CHECK_CALL(&w, td_step(w.system, w.state, 2e-3));
        }
        CHECK_CALL(&w, td_state_save(w.system, w.state, saved, sizeof saved));
        CHECK_CALL(&w, td_differentiate_step_by_inputs(w.system, w.state, 2e-3, l));
        const td_pose after = tip_of(&w);
        memcpy(D, td_get_step_map(l)->D, sizeof D);
        CHECK_CALL(&w, td_state_restore(w.system, w.state, saved, sizeof saved));
        CHECK_CALL(&w, td_differentiate_step(w.system, w.state, 2e-3, l));
        const td_pose same = tip_of(&w);
        for (int i = 0; i < 3; i++) CHECK_NEAR(after.p[i], same.p[i], 1e-11);
        const double *whole = td_get_step_map(l)->D;
        for (int i = 0; i < 12 * ARM_INPUTS; i++)
            most[i / (3 * ARM_INPUTS)] = fmax(most[i / (3 * ARM_INPUTS)], fabs(whole[i]));
        for (int i = 0; i < 12 * ARM_INPUTS; i++)
            CHECK_NEAR(D[i], whole[i], 1e-8 * most[i / (3 * ARM_INPUTS)]);
        td_pose sides[2];
        for (int side = 0; side < 2; side++) {
            CHECK_CALL(&w, td_state_restore(w.system, w.state, saved, sizeof saved));
            td_set_input(w.system, w.state, 2,
                         td_get_input(w.system, w.state, 2) + (side ? 1e-3 : -1e-3));
            CHECK_CALL(&w, td_step(w.system, w.state, 2e-3));
            sides[side] = tip_of(&w);
        }
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(D[(3 + i) * ARM_INPUTS + 2], (sides[1].p[i] - sides[0].p[i]) / 2e-3,
                       1e-6 * most[1]);
        td_linearisation_destroy(l);
        world_free(&w);
    }
}

// Two arms, of which one is asked for Jacobians all along, move alike to the bit.
static void a_jacobian_leaves_a_motion_alone(void **unused) {
    (void)unused;
    world asked = arm_make("world", TD_COSSERAT), left = arm_make("world", TD_COSSERAT);
    for (int i = 0; i < 10; i++) {
        double J[6 * ARM_INPUTS];
        world *const both[2] = {&asked, &left};
        for (int k = 0; k < 2; k++) {
            td_set_input(both[k]->system, both[k]->state, 0, 5.0 + 0.2 * i);
            CHECK_CALL(both[k], td_step(both[k]->system, both[k]->state, 2e-3));
        }
        CHECK_CALL(&asked, td_get_jacobian(asked.system, asked.state, 0, i % 2 ? L : 0.2, J));
    }
    const td_pose a = tip_of(&asked), b = tip_of(&left);
    assert_memory_equal(&a, &b, sizeof a);
    world_free(&asked);
    world_free(&left);
}

static void accuracy_chooses_the_nodes(void **unused) {
    (void)unused;
    // more accuracy, more nodes, and the error of the tip's direction stays below it
    td_piece_def piece = steel_piece();
    double EI = 207e9 * 3.14159265358979 * 1e-12 / 4.0, accuracy[3] = {1e-2, 1e-4, 1e-6};
    int nodes[3];
    td_options fine = collocation(TD_KIRCHHOFF, 40);
    double angle[4];
    for (int k = 0; k < 4; k++) {
        td_robot *robot = rod_robot(&piece, 1);
        add_tip_force(robot, L, 4.0 * EI / (L * L), 0.0, 0.0);
        td_options o = fine;
        o.tolerance = 1e-11;
        if (k < 3) o.accuracy = accuracy[k];
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        td_pose tip = tip_of(&w);
        angle[k] = 2.0 * atan2(tip.q[2], tip.q[0]);
        if (k < 3) nodes[k] = td_system_options(w.system)->nodes;
        world_free(&w);
    }
    assert_true(nodes[0] < nodes[1] && nodes[1] < nodes[2] && nodes[2] <= 20);
    for (int k = 0; k < 3; k++) CHECK_NEAR(angle[k], angle[3], accuracy[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobian_matches_differences_of_solutions),
        cmocka_unit_test(compliance_of_a_straight_rod_is_that_of_a_beam),
        cmocka_unit_test(compliance_is_symmetric_where_the_loads_are_conservative),
        cmocka_unit_test(compliance_matches_an_extra_load),
        cmocka_unit_test(sensitivities_match_differences_of_solutions),
        cmocka_unit_test(a_tip_answers_as_equilibria_do),
        cmocka_unit_test(parts_of_a_jacobian_are_those_of_all_of_it),
        cmocka_unit_test(a_step_answers_to_its_inputs),
        cmocka_unit_test(a_jacobian_leaves_a_motion_alone),
        cmocka_unit_test(accuracy_chooses_the_nodes),
        cmocka_unit_test(derivatives_leave_the_state_alone_and_refuse_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
