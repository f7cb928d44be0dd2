// Tendons, push rods and chambers of the constant-curvature model whose length or volume is given:
// the classical robot-independent kinematics, slackness, contradictions, motion, derivatives.
#include "liu_robot.h"
#include "tendril/arc.h"

#define SEGMENT 0.2  // m
#define OFFSET 0.01  // m
#define STEEL_EI (207e9 * LIU_PI * 1e-12 / 4.0)
#define STEEL_EA (207e9 * LIU_PI * 1e-6)

typedef struct wires {
    int n, segments;  // of each segment, at equal angles from its base to its end
    bool pushes;
    double stiffness;  // N; 0: they do not stretch
    double gravity;
} wires;

static void offset_of(int i, int n, double out[2]) {
    out[0] = OFFSET * cos(2.0 * LIU_PI * i / n);
    out[1] = OFFSET * sin(2.0 * LIU_PI * i / n);
}

// Steel, 2 mm thick; input k: how far wire k is pulled out, m.
static td_robot *wired_arm(const wires *s) {
    td_piece_def piece = steel_piece();
    piece.length = s->segments * SEGMENT;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, s->gravity, 0.0, 0.0);
    for (int k = 0; k < s->n * s->segments; k++) {
        char name[32];
        td_error err = {0};
        snprintf(name, sizeof name, "wire%d", k + 1);
        td_tendon_def t = td_default_tendon_def();
        t.name = name;
        t.from = k / s->n * SEGMENT;
        t.to = (k / s->n + 1) * SEGMENT;
        offset_of(k % s->n, s->n, t.offset);
        memcpy(t.offset_end, t.offset, sizeof t.offset);
        t.input = TD_DISPLACEMENT;
        t.pushes = s->pushes;
        t.stiffness = s->stiffness;
        t.value = (td_number){.gain = 1.0, .input = add_input(robot, name)};
        CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    }
    return robot;
}

static world wired(const wires *s, td_theory theory) {
    td_options o = td_default_options();
    strcpy(o.model, "constant_curvature");
    o.theory = theory;
    o.tolerance = 1e-11;
    return world_make(wired_arm(s), &o);
}

static void pull(world *w, int k, double by) {
    assert_int_equal(td_set_input(w->system, w->state, k, by), TD_OK);
}

// ---------------------------------------------------------------- statics
// Three push rods of given lengths make an arc theirs, whatever it is made of and however heavy.
static void lengths_of_push_rods_are_the_shape(void **state) {
    (void)state;
    wires s = {.n = 3, .segments = 2, .pushes = true, .gravity = 9.81};
    const td_arc wanted[2] = {{{0.7, -0.4}, 0.201}, {{-0.3, 1.1}, 0.199}};
    world w = wired(&s, TD_COSSERAT);
    double q[6];
    for (int k = 0; k < 6; k++) {
        double r[2];
        offset_of(k % 3, 3, r);
        pull(&w, k, SEGMENT - td_arc_tendon(&wanted[k / 3], r));
    }
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_get_coordinates(w.system, w.state, q, NULL);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(q[3 * i], wanted[i].u[0], 1e-10);
        CHECK_NEAR(q[3 * i + 1], wanted[i].u[1], 1e-10);
        CHECK_NEAR(q[3 * i + 2], wanted[i].length, 1e-12);
    }
    td_tendon_state t = td_get_tendon(w.system, w.state, 4);
    CHECK_NEAR(t.displacement, td_get_input(w.system, w.state, 4), 1e-13);
    world_free(&w);
}

// One wire pulled out by d, nothing else: d = T (r^2 L/EI + L/EA), u = T r L/EI.
static void a_single_wire_bends_by_its_displacement(void **state) {
    (void)state;
    wires s = {.n = 1, .segments = 1};
    world w = wired(&s, TD_COSSERAT);
    pull(&w, 0, 4e-3);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double q[3], T = 4e-3 / (SEGMENT * (OFFSET * OFFSET / STEEL_EI + 1.0 / STEEL_EA));
    td_get_coordinates(w.system, w.state, q, NULL);
    CHECK_NEAR(q[0], T * OFFSET * SEGMENT / STEEL_EI, 1e-10);
    CHECK_NEAR(td_get_tendon(w.system, w.state, 0).tension, T, 1e-8 * T);
    pull(&w, 0, -4e-3);  // let out: slack
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_get_coordinates(w.system, w.state, q, NULL);
    CHECK_NEAR(q[0], 0.0, 1e-10);
    assert_true(td_get_tendon(w.system, w.state, 0).slack);
    assert_int_equal(td_get_stats(w.state)->slack, 1);
    world_free(&w);
}

// Antagonists on an inextensible arm: what one gives the other takes; more than that cannot be.
static void wires_that_contradict_are_refused_in_words(void **state) {
    (void)state;
    wires s = {.n = 2, .segments = 1};
    world w = wired(&s, TD_KIRCHHOFF);
    double q[2];
    pull(&w, 0, 3e-3);
    pull(&w, 1, -3e-3);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_get_coordinates(w.system, w.state, q, NULL);
    CHECK_NEAR(q[0], 0.3, 1e-10);
    pull(&w, 1, -2e-3);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_ERR_NOT_CONVERGED);
    assert_non_null(strstr(td_message(w.state), "contradicts"));
    assert_non_null(strstr(td_message(w.state), "wire"));
    double kept[2];
    td_get_coordinates(w.system, w.state, kept, NULL);
    assert_memory_equal(q, kept, sizeof q);
    world_free(&w);
}

// The same file under cosserat: lengths by integrals over a curve, efforts as unknowns.
static void it_is_the_cosserat_rod_with_the_same_wires(void **state) {
    (void)state;
    wires s = {.n = 3, .segments = 1};
    td_options rod = td_default_options();
    world a = wired(&s, TD_COSSERAT), b = world_make(wired_arm(&s), &rod);
    static const double by[3] = {3e-3, -1e-3, -4e-3};
    for (int k = 0; k < 3; k++) {
        pull(&a, k, by[k]);
        pull(&b, k, by[k]);
    }
    CHECK_CALL(&a, td_solve_statics(a.system, a.state));
    CHECK_CALL(&b, td_solve_statics(b.system, b.state));
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(tip_of(&a).p[k], tip_of(&b).p[k], 1e-9);
        double tension = td_get_tendon(b.system, b.state, k).tension;
        CHECK_NEAR(td_get_tendon(a.system, a.state, k).tension, tension, 1e-6 * (1.0 + tension));
    }
    world_free(&a);
    world_free(&b);
}

// ---------------------------------------------------------------- chambers
// A volume V = A (l - r u_y) on an arm that gives: P = dV/(A^2 L (r^2/EI + 1/EA)).
static void a_chamber_takes_the_volume_it_is_given(void **state) {
    (void)state;
    td_piece_def piece = steel_piece();
    piece.youngs_modulus = 1e6;
    piece.section.radius = piece.section_end.radius = 0.02;
    const double EA = 1e6 * LIU_PI * 4e-4, EI = EA * 1e-4, A = 1e-4, more = 2e-6;
    td_robot *robot = rod_robot(&piece, 1);
    td_chamber_def c = td_default_chamber_def();
    c.name = "water";
    c.to = 0.4;
    c.offset[1] = 0.01;
    c.area = A;
    c.input = TD_VOLUME;
    c.value = td_constant(A * 0.4 + more);
    td_error err = {0};
    CHECK_OK(td_robot_add_chamber(robot, &c, &err), err);
    td_options o = td_default_options();
    strcpy(o.model, "constant_curvature");
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_chamber_state at = td_get_chamber(w.system, w.state, 0);
    double q[3], P = more / (A * A * 0.4 * (1e-4 / EI + 1.0 / EA));
    td_get_coordinates(w.system, w.state, q, NULL);
    CHECK_NEAR(at.volume, A * 0.4 + more, 1e-16);
    CHECK_NEAR(at.pressure, P, 1e-8 * P);
    CHECK_NEAR(q[1], -P * A * 0.01 * 0.4 / EI, 1e-8);
    CHECK_NEAR(q[2], 0.4 * (1.0 + P * A / EA), 1e-10);
    world_free(&w);
}

// ---------------------------------------------------------------- derivatives
// Of lengths r . u = d: the arm does not care what it is made of.
static void jacobians_are_those_of_the_kinematics(void **state) {
    (void)state;
    wires s = {.n = 3, .segments = 1, .pushes = true, .gravity = 9.81};
    const td_arc wanted = {{0.7, -0.4}, 0.2};
    world w = wired(&s, TD_COSSERAT);
    double J[18], e = 1e-6;
    for (int k = 0; k < 3; k++) {
        double r[2];
        offset_of(k, 3, r);
        pull(&w, k, SEGMENT - td_arc_tendon(&wanted, r));
    }
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, SEGMENT, J));
    for (int k = 0; k < 3; k++) {  // of u and l by three lengths at 120 degrees
        double r[2];
        offset_of(k, 3, r);
        td_arc side[2] = {wanted, wanted};
        for (int i = 0; i < 2; i++) {
            double d = i ? e : -e;
            side[i].u[0] += 2.0 / 3.0 * d * r[0] / (OFFSET * OFFSET);
            side[i].u[1] += 2.0 / 3.0 * d * r[1] / (OFFSET * OFFSET);
            side[i].length -= d / 3.0;
        }
        td_pose a = td_arc_pose(&side[0], 1.0), b = td_arc_pose(&side[1], 1.0);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(J[3 * (3 + i) + k], (b.p[i] - a.p[i]) / (2.0 * e), 1e-6);
    }
    world_free(&w);
}

// An inextensible arm on one wire cannot bend towards it, and gives to the side as it did.
static void compliance_knows_what_is_held(void **state) {
    (void)state;
    wires s = {.n = 1, .segments = 1, .pushes = true};
    world w = wired(&s, TD_KIRCHHOFF);
    double C[36], stability;
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, SEGMENT, 0, SEGMENT, C));
    const double free_to = pow(SEGMENT, 3) / (4.0 * STEEL_EI);  // one arc: p = u L/2
    CHECK_NEAR(C[6 * 3 + 3], 0.0, 1e-7 * free_to);
    CHECK_NEAR(C[6 * 4 + 4], free_to, 1e-7 * free_to);
    CHECK_CALL(&w, td_get_stability(w.system, w.state, &stability));
    CHECK_NEAR(stability, 1.0, 1e-7);
    world_free(&w);
}

// ---------------------------------------------------------------- motion
// Pulled along within 0.5 s the arm arrives where statics has it, and what was given is kept or
// lost. In motion a wire gives 1e-4 of what the arm does.
static void motion_follows_the_wires_and_balances(void **state) {
    (void)state;
    wires s = {.n = 3, .segments = 2, .gravity = 9.81};
    td_options o = td_default_options();
    strcpy(o.model, "constant_curvature");
    td_robot *robot = wired_arm(&s);
    world w = world_make(robot, &o), rest = wired(&s, TD_COSSERAT);
    static const double by[6] = {2e-3, -1e-3, -0.99e-3, -1e-3, 2e-3, -0.99e-3};
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_energy before = td_get_energy(w.system, w.state);
    for (int i = 1; i <= 500; i++) {
        for (int k = 0; k < 6; k++) pull(&w, k, by[k] * fmin(1.0, i / 400.0));
        CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
    }
    for (int k = 0; k < 6; k++) pull(&rest, k, by[k]);
    CHECK_CALL(&rest, td_solve_statics(rest.system, rest.state));
    for (int k = 0; k < 6; k++) {
        td_tendon_state t = td_get_tendon(w.system, w.state, k);
        if (!t.slack) CHECK_NEAR(t.displacement, by[k], 1e-12);
        CHECK_NEAR(SEGMENT - t.length, by[k], t.slack ? 1e-5 : 3e-7);
    }
    for (int k = 0; k < 3; k++) CHECK_NEAR(tip_of(&w).p[k], tip_of(&rest).p[k], 2e-3);
    td_energy e = td_get_energy(w.system, w.state);
    double gained = e.kinetic + e.gravity + e.elastic - before.gravity - before.elastic;
    CHECK_NEAR(gained + e.dissipated, e.work, 0.02 * fabs(e.work));
    world_free(&w);
    world_free(&rest);
}

// Antagonists that pull in turn, in steps far longer than anything that happens when they go taut.
static void coarse_steps_find_their_end(void **state) {
    (void)state;
    wires s = {.n = 2, .segments = 1, .gravity = 9.81};
    td_options o = td_default_options();
    strcpy(o.model, "constant_curvature");
    static const double lengths[3] = {2e-3, 0.02, 0.05};
    for (int i = 0; i < 3; i++) {
        world w = world_make(wired_arm(&s), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        for (double t = lengths[i]; t < 1.5; t += lengths[i]) {
            double by = 2e-3 * sin(2.0 * LIU_PI * t);
            pull(&w, 0, by);
            pull(&w, 1, -by);
            CHECK_CALL(&w, td_step(w.system, w.state, lengths[i]));
            for (int k = 0; k < 2; k++)  // never shorter than a wire allows
                CHECK_BETWEEN(td_get_tendon(w.system, w.state, k).length, 0.0,
                              SEGMENT - (k ? -by : by) + 1e-5);
        }
        world_free(&w);
    }
}

// What rests keeps resting: efforts that statics found go on in motion.
static void an_equilibrium_of_held_wires_stays(void **state) {
    (void)state;
    wires s = {.n = 3, .segments = 1, .gravity = 9.81};
    world w = wired(&s, TD_COSSERAT);
    pull(&w, 0, 3e-3);
    pull(&w, 1, -1e-3);
    pull(&w, 2, -2e-3);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose before = tip_of(&w);
    double tension = td_get_tendon(w.system, w.state, 0).tension;
    for (int i = 0; i < 100; i++) CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
    for (int k = 0; k < 3; k++) CHECK_NEAR(tip_of(&w).p[k], before.p[k], 1e-9);
    CHECK_NEAR(td_get_tendon(w.system, w.state, 0).tension, tension, 1e-6 * tension);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_of_push_rods_are_the_shape),
        cmocka_unit_test(a_single_wire_bends_by_its_displacement),
        cmocka_unit_test(wires_that_contradict_are_refused_in_words),
        cmocka_unit_test(it_is_the_cosserat_rod_with_the_same_wires),
        cmocka_unit_test(a_chamber_takes_the_volume_it_is_given),
        cmocka_unit_test(jacobians_are_those_of_the_kinematics),
        cmocka_unit_test(compliance_knows_what_is_held),
        cmocka_unit_test(motion_follows_the_wires_and_balances),
        cmocka_unit_test(coarse_steps_find_their_end),
        cmocka_unit_test(an_equilibrium_of_held_wires_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
