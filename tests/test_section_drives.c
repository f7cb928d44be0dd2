// Muscles, temperatures and stiffeners where rods neither shear nor twist, or do not stretch: in arcs, and in concentric tubes with
// their shafts behind the base. test_muscles and test_thermal have the other models.
#include "check.h"
#include "math/pi.h"
#include "scene.h"

#define L 0.4
#define ROOM 293.15

static const char *const models[] = {"constant_curvature", "tubes"};
enum { MODELS = 2 };

#define ARM(moduli, rest)                                                                          \
    "tendril: 1\ngravity: [0, 0, 0]\n"                                                             \
    "rods: [{name: arm, length: 0.4, section: {radius: 10 mm}, damping: {time: 20 ms}, " rest      \
    "  material: {" moduli ", density: 1000}}]\n"
#define SOFT "youngs_modulus: 1 MPa, shear_modulus: 0.4 MPa"
#define PUSH "loads: [{name: push, rod: arm, at: tip, force: [0.03, 0.02, -0.04]}]\n"
#define MUSCLE "muscles: [{name: bend, curvature: [0.5, 1, 0]}]\n"
#define WARM                                                                                       \
    "temperatures: [{name: warm, curvature: [0, 0.02, 0], moduli: [[293.15, 1 MPa], [393.15, "     \
    "600 kPa]]}]\n"
#define NONE "inputs: {bend: 0, warm: 293.15}\n"
#define OF                                                                                         \
    "simulation: {constant_curvature: {segments: 6}, tubes: {nodes: 10}, solver: {tolerance: "     \
    "1e-13}}\n"

static scene scene_in(const char *text, int model) {
    char set[64];
    const char *sets[] = {set};
    snprintf(set, sizeof set, "simulation.model=%s", models[model]);
    return scene_of(text, sets, 1);
}

// A circle of the curvature k about the axis (0.5, 1).
static void alone_a_muscle_bends_to_a_circle(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        scene s = scene_in(ARM(SOFT, "") MUSCLE "inputs: {bend: 0}\n" OF, m);
        const double a = 5.0, size = hypot(0.5, 1.0), k = a * size;
        scene_set(&s, "bend", a);
        scene_rest(&s);
        const double aside = (1.0 - cos(k * L)) / k;
        const td_pose tip = scene_tip(&s);
        CHECK_NEAR(tip.p[0], aside / size, 1e-10 * L);
        CHECK_NEAR(tip.p[1], -aside * 0.5 / size, 1e-10 * L);
        CHECK_NEAR(tip.p[2], sin(k * L) / k, 1e-10 * L);
        const td_sample x = td_get_sample(s.system, s.state, 0, 0.3 * L);
        CHECK_NEAR(x.strain[0], 0.5 * a, 1e-9);
        for (int i = 0; i < 3; i++) CHECK_NEAR(x.wrench[i], 0.0, 1e-10);
        scene_end(&s);
    }
}

// The moduli and the shape at rest of 350 K, said outright: 0.7726 MPa and a curvature of 1.137 1/m.
static void a_warm_rod_is_one_of_its_moduli_and_shape(void **unused) {
    (void)unused;
    const double T = ROOM + 56.85;
    for (int m = 0; m < MODELS; m++) {
        scene a = scene_in(ARM(SOFT, "") PUSH WARM "inputs: {warm: 293.15}\n" OF, m),
              b = scene_in(ARM("youngs_modulus: 0.7726 MPa, shear_modulus: 0.30904 MPa",
                               "rest: {curvature: [0, 1.137, 0]},") PUSH OF,
                           m);
        scene_set(&a, "warm", T);
        scene_rest(&a), scene_rest(&b);
        const td_pose p = scene_tip(&a), q = scene_tip(&b);
        assert_true(hypot(q.p[0], q.p[1]) > 0.2 * L);
        for (int i = 0; i < 3; i++) CHECK_NEAR(p.p[i], q.p[i], 1e-9 * L);
        const td_sample x = td_get_sample(a.system, a.state, 0, 0.3 * L),
                        y = td_get_sample(b.system, b.state, 0, 0.3 * L);
        for (int i = 0; i < 6; i++) CHECK_NEAR(x.wrench[i], y.wrench[i], 1e-8);
        scene_end(&a), scene_end(&b);
    }
}

// dp/dinput of equilibria, and of steps from one state.
static void derivatives_are_those_of_differences(void **unused) {
    (void)unused;
    td_error err = {0};
    const td_output tip = {.quantity = TD_OUTPUT_POSE, .body = -1, .s = L};
    for (int m = 0; m < MODELS; m++) {
        scene s = scene_in(ARM(SOFT, "") PUSH MUSCLE WARM NONE OF, m);
        const char *const names[2] = {"bend", "warm"};
        const double at[2] = {1.5, ROOM + 40.0}, e[2] = {1e-3, 1e-2};
        for (int i = 0; i < 2; i++) scene_set(&s, names[i], at[i]);
        scene_rest(&s);
        double J[12];
        assert_true(td_get_jacobian(s.system, s.state, 0, L, J) >= 0);
        const size_t bytes = td_snapshot_bytes(s.system);
        void *here = malloc(bytes);
        assert_int_equal(td_state_save(s.system, s.state, here, bytes), TD_OK);
        td_linearisation *l = td_linearisation_create(s.system, &tip, 1, &err);
        scene_set(&s, "bend", 2.0);  // it moves
        assert_true(td_differentiate_step(s.system, s.state, 2e-3, l) >= 0);
        const td_step_map *map = td_get_step_map(l);
        for (int i = 0; i < 2; i++) {
            const int input = td_find_input(s.system, names[i]);
            td_pose rest[2], step[2];
            for (int k = 0; k < 2; k++) {
                const double by = k ? e[i] : -e[i];
                assert_int_equal(td_state_restore(s.system, s.state, here, bytes), TD_OK);
                scene_set(&s, names[i], at[i] + by);
                scene_rest(&s);
                rest[k] = scene_tip(&s);
                assert_int_equal(td_state_restore(s.system, s.state, here, bytes), TD_OK);
                scene_set(&s, "bend", 2.0);
                scene_set(&s, names[i], (i ? at[1] : 2.0) + by);
                scene_step(&s, 2e-3);
                step[k] = scene_tip(&s);
            }
            for (int k = 0; k < 3; k++) {
                const double by_rest = (rest[1].p[k] - rest[0].p[k]) / (2.0 * e[i]),
                             by_step = (step[1].p[k] - step[0].p[k]) / (2.0 * e[i]);
                CHECK_NEAR(J[2 * (3 + k) + input], by_rest, i ? 1e-8 : 1e-7);
                CHECK_NEAR(map->D[2 * (3 + k) + input], by_step, i ? 1e-10 : 1e-8);
            }
        }
        td_linearisation_destroy(l);
        free(here);
        scene_end(&s);
    }
}

// Bent, softened and let go again: work is what is stored and lost, to the order of the step.
static void work_is_what_is_stored_and_lost(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        double off[2], work = 0.0;
        for (int n = 0; n < 2; n++) {
            scene s = scene_in(ARM(SOFT, "") MUSCLE WARM NONE OF, m);
            const int steps = 60 << n;
            double most = 0.0;
            scene_rest(&s);
            for (int i = 1; i <= steps; i++) {
                const double x = sin(0.5 * PI * i / steps), share = x * x;
                scene_set(&s, "bend", 2.0 * share);
                scene_set(&s, "warm", ROOM + 60.0 * share);
                scene_step(&s, 0.3 / steps);
                const td_energy e = td_get_energy(s.system, s.state);
                most = fmax(most, fabs(scene_energy(&s) + e.dissipated - e.work));
                work = fabs(e.work);
            }
            off[n] = most;
            scene_end(&s);
        }
        CHECK_BETWEEN(off[1], 0.0, 1e-3 * work);
        CHECK_BETWEEN(off[0] / off[1], 3.2, 4.8);
    }
}

// ---------------------------------------------------------------- tubes
#define STIFF "stiffness: {bending: 0.02, shear: 1e4, extension: 1e4, torsion: "
#define OUTER                                                                                      \
    "tendril: 1\ngravity: [0, 0, 0]\n"                                                             \
    "simulation: {model: tubes, tubes: {nodes: 10}}\n"                                             \
    "rods:\n"                                                                                      \
    "  - {name: outer, length: 0.2, section: {radius: 2 mm, inner_radius: 1.5 mm}, "               \
    "mass_per_length: 0.02, rest: {curvature: [4, 0, 0]}, " STIFF "0.02}}\n"
#define INNER "  - name: inner\n    section: {radius: 1 mm}\n    mass_per_length: 0.01\n"
#define PAIR(first, second)                                                                        \
    OUTER INNER "    tube: {within: outer, rotation: 2, translation: -0.15}\n"                     \
                "    pieces: [{length: 0.1, " STIFF first "}, {length: 0.25, " STIFF second "}]\n"

// Of the inner one, about its axis.
static double tip_angle(const scene *s, double back, double front) {
    const td_pose a = td_get_pose(s->system, s->state, 1, back),
                  b = td_get_pose(s->system, s->state, 1, front);
    const double z = a.q[0] * b.q[3] - a.q[3] * b.q[0] - a.q[1] * b.q[2] + a.q[2] * b.q[1];
    const double c = a.q[0] * b.q[0] + a.q[1] * b.q[1] + a.q[2] * b.q[2] + a.q[3] * b.q[3];
    return 2.0 * atan2(c < 0.0 ? -z : z, fabs(c));
}

// Free at its tip, a straight tube turns by what a muscle twists all of it, its shaft too, or a part of both.
static void a_twisted_tube_turns_its_tip(void **unused) {
    (void)unused;
    scene s = scene_of(OUTER INNER
                       "    length: 0.4\n    " STIFF "0.01}\n"
                       "    tube: {within: outer, translation: -0.15}\n"
                       "muscles:\n"
                       "  - {name: all, rod: inner, curvature: [0, 0, 1]}\n"
                       "  - {name: part, rod: inner, from: 0.1, to: 0.3, curvature: [0, 0, 1]}\n"
                       "inputs: {all: 0, part: 0}\n",
                       (const char *[]){"rods.outer.rest.curvature=[0, 0, 0]"}, 1);
    scene_set(&s, "all", 1.5), scene_set(&s, "part", 2.0);
    scene_rest(&s);
    CHECK_NEAR(tip_angle(&s, 0.0, 0.4), 1.5 * 0.4 + 2.0 * 0.2, 1e-10);
    CHECK_NEAR(tip_angle(&s, 0.0, 0.15), 1.5 * 0.15 + 2.0 * 0.05, 1e-10);
    const td_sample x = td_get_sample(s.system, s.state, 1, 0.12);  // behind the base
    CHECK_NEAR(x.strain[2], 3.5, 1e-10);
    CHECK_NEAR(x.wrench[2], 0.0, 1e-12);
    scene_end(&s);
}

// A shaft that is stiffened is a stiffer one, and a tube that a muscle bends is one that is curved at rest: a pair of either kind has
// the same shape.
static void a_pair_with_a_changed_tube_is_another_pair(void **unused) {
    (void)unused;
    static const char *const texts[2] = {
        PAIR("0.02}", "0.02}, rest: {curvature: [3, 0, 0]}") "stiffeners: [{name: jam, rod: inner, "
                                                             "to: 0.1}]\n"
                                                             "muscles: [{name: bend, rod: inner, "
                                                             "from: 0.1, curvature: [1, 2, 0]}]\n"
                                                             "inputs: {jam: 1.5, bend: 2}\n",
        PAIR("0.05}", "0.02}, rest: {curvature: [5, 4, 0]}")};
    td_pose tip[2], outer[2];
    double angle[2];
    for (int i = 0; i < 2; i++) {
        scene s = scene_of(texts[i], NULL, 0);
        td_apply_signals(s.system, s.state, 0.0, TD_AFTER);
        scene_rest(&s);
        tip[i] = td_get_pose(s.system, s.state, 1, 0.35);
        outer[i] = td_get_pose(s.system, s.state, 0, 0.2);
        angle[i] = tip_angle(&s, 0.0, 0.15);
        scene_end(&s);
    }
    assert_true(fabs(angle[0]) > 1e-2);
    CHECK_NEAR(angle[0], angle[1], 1e-9);
    for (int k = 0; k < 3; k++) CHECK_NEAR(tip[0].p[k], tip[1].p[k], 1e-10);
    for (int k = 0; k < 4; k++) CHECK_NEAR(outer[0].q[k], outer[1].q[k], 1e-9);
}

// ---------------------------------------------------------------- refusals
static void what_they_do_not_have_is_told(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *model, *says;
    } cases[] = {
        {ARM(SOFT, "") "muscles: [{name: m, curvature: [0, 0, 1]}]\ninputs: {m: 0}\n",
         "simulation.model=constant_curvature", "neither twists nor shears"},
        {ARM(SOFT, "") MUSCLE "inputs: {bend: 0}\nsimulation: {constant_curvature: "
                              "{present_length: true}}\n",
         "simulation.model=constant_curvature", "as printed"},
        {ARM(SOFT, "") "muscles: [{name: m, stretch: [0, 0, 0.1]}]\ninputs: {m: 0}\n",
         "simulation.model=tubes", "shear and extension"},
    };
    for (int i = 0; i < 3; i++) {
        td_error err = {0};
        td_robot *robot = td_robot_parse(cases[i].text, strlen(cases[i].text), "scene.yaml",
                                         &cases[i].model, 1, &err);
        if (!robot) fail_msg("%s: %s", err.where, err.message);
        const td_options o = td_robot_options(robot);
        assert_null(td_system_create(robot, &o, &err));
        assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
        if (!strstr(err.message, cases[i].says)) fail_msg("%s: %s", err.where, err.message);
        td_robot_destroy(robot);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_a_muscle_bends_to_a_circle),
        cmocka_unit_test(a_warm_rod_is_one_of_its_moduli_and_shape),
        cmocka_unit_test(derivatives_are_those_of_differences),
        cmocka_unit_test(work_is_what_is_stored_and_lost),
        cmocka_unit_test(a_twisted_tube_turns_its_tip),
        cmocka_unit_test(a_pair_with_a_changed_tube_is_another_pair),
        cmocka_unit_test(what_they_do_not_have_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
