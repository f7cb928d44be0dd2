// Temperature: expansion and bending of free and held rods, said by muscles and by temperatures, moduli that follow a table, and stiffness that an
// input gives.
#include <stdlib.h>

#include "chains.h"
#include "math/pi.h"
#include "modes.h"
#include "tendril/gradient.h"

#define L 0.4
#define R 1e-3
#define E_STEEL 200e9
#define ALPHA 12e-6  // 1/K
#define AREA (PI * R * R)

static td_robot *wire(bool held) {
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.length = L;
    piece.youngs_modulus = E_STEEL, piece.shear_modulus = 77e9, piece.density = 7800.0;
    piece.section.radius = piece.section_end.radius = R;
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def rod = chain_rod("wire", &piece, 0.0, 0.0, 0.0);
    if (held) hold_tip(&rod, TD_WORLD, TD_CLAMP, 0.0, 0.0, L);
    add_chain_rod(robot, &rod);
    td_muscle_def m = td_default_muscle_def();
    m.name = "warm", m.to = L, m.stretch[2] = ALPHA;
    m.value = (td_number){0.0, 1.0, add_input(robot, "warm")};
    CHECK_OK(td_robot_add_muscle(robot, &m, &err), err);
    return robot;
}

static const char *const models[] = {"cosserat", "eba", "ebr", "srl", "rom"};

static void warm_to(world *w, double kelvins) {
    td_set_input(w->system, w->state, 0, kelvins);
    CHECK_CALL(w, td_solve_statics(w->system, w->state));
}

// alpha dT L, without force.
static void a_free_wire_grows_by_its_expansion(void **unused) {
    (void)unused;
    for (int m = 0; m < 5; m++) {
        td_options o = chain_options();
        snprintf(o.model, sizeof o.model, "%s", models[m]);
        world w = world_make(wire(false), &o);
        warm_to(&w, 80.0);
        const double grown = td_get_pose(w.system, w.state, 0, L).p[2] - L;
        CHECK_NEAR(grown / (ALPHA * 80.0 * L), 1.0, 1e-8);
        CHECK_NEAR(td_get_sample(w.system, w.state, 0, 0.5 * L).wrench[5], 0.0,
                   1e-8 * E_STEEL * AREA * ALPHA * 80.0);
        world_free(&w);
    }
}

// E A alpha dT between two clamps, below buckling.
static void held_at_both_ends_it_presses(void **unused) {
    (void)unused;
    td_options o = chain_options();
    world w = world_make(wire(true), &o);
    warm_to(&w, 3.0);
    CHECK_NEAR(td_get_reaction(w.system, w.state, 0, TD_TIP).force[2] /
                   (E_STEEL * AREA * ALPHA * 3.0),
               -1.0, 1e-8);
    world_free(&w);
}

static double margin(world *w, double kelvins) {
    double smallest = 0.0;
    warm_to(w, kelvins);
    CHECK_CALL(w, td_get_stability(w->system, w->state, &smallest));
    return smallest;
}

// Euler's load of two clamps, P = 4 pi^2 E I/L^2, less what shear takes: N (1 + N/(G A)) = P. The length between the clamps stays, so that
// shortening takes nothing. N = E A alpha dT: without shear 4 pi^2 I/(A L^2 alpha) = 5.14 K. The least eigenvalue goes to 0 there, as a
// straight line through two values just below tells.
static void it_buckles_at_eulers_temperature(void **unused) {
    (void)unused;
    const double euler = PI * PI * R * R / (L * L * ALPHA), strain = ALPHA * euler;
    const double critical = euler * 2.0 / (1.0 + sqrt(1.0 + 4.0 * strain * E_STEEL / 77e9));
    td_options o = chain_options();
    world w = world_make(wire(true), &o);
    const double a = margin(&w, 0.990 * critical), b = margin(&w, 0.995 * critical);
    CHECK_BETWEEN(b, 0.0, a);
    CHECK_NEAR(0.995 + 0.005 * b / (a - b), 1.0, 1e-5);
    world_free(&w);
}

// The example, against the balance of two layers without its closed form: forces P and -P, t apart, and the moments of both
// layers balance; where they meet their strains agree: a1 T + P/(E1 A) + k t/2 = a2 T - P/(E2 A) - k t/2.
static void a_strip_of_two_metals_bends_as_its_layers_balance(void **unused) {
    (void)unused;
    const double E1 = 141e9, E2 = 100e9, t = 0.5e-3, width = 10e-3, A = width * t,
                 I = width * t * t * t / 12.0, T = 120.0;
    // P t = (E1 + E2) I k
    const double by_force = (E1 + E2) * I / t;
    const double k = (19e-6 - 1.2e-6) * T / (by_force * (1.0 / E1 + 1.0 / E2) / A + t);
    td_error err = {0};
    td_robot *robot = td_robot_load(EXAMPLES "/bimetal.yaml", NULL, 0, &err);
    assert_non_null(robot);
    td_options o = chain_options();
    world w = world_make(robot, &o);
    warm_to(&w, 293.15 + T);
    CHECK_NEAR(td_get_sample(w.system, w.state, 0, 0.05).strain[0] / k, 1.0, 1e-9);
    double J[6];
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, 0.1, J));
    CHECK_NEAR(J[0] / (k / T * 0.1), 1.0, 1e-8);  // rad/K, about x
    world_free(&w);
}

// ---------------------------------------------------------------- the robot's own temperatures
#define E_TABLE 180e9  // at 300 degC
#define ROOM 293.15
#define TABLE_END 573.15
static const double table[] = {ROOM, E_STEEL, TABLE_END, E_TABLE, 700.0, 150e9};

static td_piece_def soft_wire(double share) {
    td_piece_def piece = td_default_piece_def();
    piece.length = L;
    piece.youngs_modulus = share * E_STEEL, piece.shear_modulus = share * 77e9;
    piece.density = 7800.0;
    piece.section.radius = piece.section_end.radius = R;
    piece.rest_curvature[1] = 0.6, piece.damping_time = 2e-3;
    return piece;
}

static td_robot *loaded(const td_piece_def *piece, double force) {
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def rod = chain_rod("wire", piece, 0.0, 0.0, 0.0);
    add_chain_rod(robot, &rod);
    td_load_def load = point_load("push", L);
    load.force[1] = td_constant(force), load.force[2] = td_constant(-0.4 * force);
    add_load(robot, &load);
    return robot;
}

static td_temperature_def warmth(td_robot *robot, double expansion, double curvature) {
    td_temperature_def t = td_default_temperature_def();
    t.name = "warm", t.to = L, t.expansion = expansion, t.curvature[0] = curvature;
    t.moduli = table, t.n_moduli = 3;
    t.value = (td_number){0.0, 1.0, add_input(robot, "warm")};
    return t;
}

static td_robot *warmed(double force, double expansion, double curvature) {
    td_error err = {0};
    const td_piece_def piece = soft_wire(1.0);
    td_robot *robot = loaded(&piece, force);
    const td_temperature_def t = warmth(robot, expansion, curvature);
    CHECK_OK(td_robot_add_temperature(robot, &t, &err), err);
    return robot;
}

static td_options options_of(int m) {
    td_options o = chain_options();
    snprintf(o.model, sizeof o.model, "%s", models[m]);
    o.lumped.segments = 12, o.rom.order = 8;
    return o;
}

// E(T) and the shape at rest there, said outright: the same shape, far from straight, and the same wrench in it.
static void a_warm_rod_is_one_of_the_moduli_and_shape_that_it_has_then(void **unused) {
    (void)unused;
    const double T = 450.0, k = 1.0 - (T - ROOM) / (TABLE_END - ROOM) * (1.0 - E_TABLE / E_STEEL),
                 alpha = 4e-4, bend = 6e-3;  // of wax: much
    for (int m = 0; m < 5; m++) {
        td_options o = options_of(m);
        td_piece_def then = soft_wire(k);
        then.rest_curvature[0] += bend * (T - ROOM), then.rest_stretch[2] += alpha * (T - ROOM);
        world a = world_make(warmed(2.0, alpha, bend), &o), b = world_make(loaded(&then, 2.0), &o);
        warm_to(&a, T);
        CHECK_CALL(&b, td_solve_statics(b.system, b.state));
        const td_pose p = td_get_pose(a.system, a.state, 0, L),
                      q = td_get_pose(b.system, b.state, 0, L);
        assert_true(fabs(q.p[0]) + fabs(q.p[1]) > 0.3 * L);
        for (int i = 0; i < 3; i++) CHECK_NEAR(p.p[i], q.p[i], 1e-8 * L);
        const td_sample x = td_get_sample(a.system, a.state, 0, 0.3 * L),
                        y = td_get_sample(b.system, b.state, 0, 0.3 * L);
        for (int i = 0; i < 6; i++) CHECK_NEAR(x.wrench[i], y.wrench[i], 1e-7);
        world_free(&a), world_free(&b);
    }
}

// F L^3 (1 + a t)^2/(3 k E I) of a thin rod under a small force.
static void its_deflection_grows_as_the_modulus_falls(void **unused) {
    (void)unused;
    const double T = 500.0, k = 1.0 - (T - ROOM) / (TABLE_END - ROOM) * (1.0 - E_TABLE / E_STEEL);
    td_error err = {0};
    for (int m = 0; m < 5; m++) {
        td_options o = options_of(m);
        td_piece_def piece = soft_wire(1.0);
        piece.rest_curvature[1] = 0.0;
        piece.stiffness[3] = piece.stiffness[4] = 1e9;  // of shear
        td_robot *robot = empty_robot(0.0, 0.0, 0.0);
        td_rod_def rod = chain_rod("wire", &piece, 0.0, 0.0, 0.0);
        add_chain_rod(robot, &rod);
        td_load_def load = point_load("push", L);
        load.force[1] = td_constant(1e-5);
        add_load(robot, &load);
        const td_temperature_def t = warmth(robot, 1e-4, 0.0);
        CHECK_OK(td_robot_add_temperature(robot, &t, &err), err);
        world w = world_make(robot, &o);
        warm_to(&w, ROOM);
        const double cold = td_get_pose(w.system, w.state, 0, L).p[1];
        warm_to(&w, T);
        const double warm = td_get_pose(w.system, w.state, 0, L).p[1],
                     stretched = 1.0 + 1e-4 * (T - ROOM);
        CHECK_NEAR(warm / cold * k / (stretched * stretched), 1.0, 1e-7);
        world_free(&w);
    }
}

// sqrt(E(T)/E0) where nothing expands.
static void its_frequency_falls_with_the_root_of_the_modulus(void **unused) {
    (void)unused;
    for (int m = 0; m < 5; m++) {
        td_options o = options_of(m);
        double omega[2];
        world w = world_make(warmed(0.0, 0.0, 0.0), &o);
        for (int i = 0; i < 2; i++) {
            td_set_input(w.system, w.state, 0, i ? TABLE_END : ROOM);
            found_modes f = modes_at_rest(&w);
            omega[i] = omega_of(&f, 0);
            td_linearisation_destroy(f.l);
        }
        CHECK_NEAR(omega[1] / omega[0] / sqrt(E_TABLE / E_STEEL), 1.0, 1e-7);
        world_free(&w);
    }
}

static void the_jacobian_by_temperature_is_that_of_differences(void **unused) {
    (void)unused;
    const double T = 450.0, e = 0.05;
    for (int m = 0; m < 5; m++) {
        td_options o = options_of(m);
        world w = world_make(warmed(2.0, 4e-4, 6e-3), &o);
        td_pose p[4];
        for (int i = 0; i < 4; i++) {
            warm_to(&w, T + (i < 2 ? 1.0 : 2.0) * (i % 2 ? -e : e));
            p[i] = td_get_pose(w.system, w.state, 0, L);
        }
        warm_to(&w, T);
        double J[6], most = 0.0;
        CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, L, J));
        for (int i = 3; i < 6; i++) most = fmax(most, fabs(J[i]));
        for (int i = 0; i < 3; i++) {
            const double g1 = p[0].p[i] - p[1].p[i], g2 = p[2].p[i] - p[3].p[i];
            CHECK_NEAR(J[3 + i] / most, (8.0 * g1 - g2) / (12.0 * e) / most, 2e-7);
        }
        world_free(&w);
    }
}

enum { POSE, STRAIN, EFFORT, N_LOOKS, MOST_NUMBERS = 13 };
static const td_output looks[N_LOOKS] = {
    {.quantity = TD_OUTPUT_POSE, .body = -1, .s = L},
    {.quantity = TD_OUTPUT_STRAIN, .body = -1, .s = 0.4 * L},
    {.quantity = TD_OUTPUT_EFFORT, .actuator = 0},
};

static void take(world *w, const void *from, double kelvins, double y[MOST_NUMBERS]) {
    assert_int_equal(td_state_restore(w->system, w->state, from, td_snapshot_bytes(w->system)),
                     TD_OK);
    td_set_input(w->system, w->state, 0, kelvins);
    CHECK_CALL(w, td_step(w->system, w->state, 2e-3));
    for (int i = 0; i < N_LOOKS; i++) td_get_output(w->system, w->state, &looks[i], y + 6 * i);
}

static void a_step_answers_to_temperature_as_differences_do(void **unused) {
    (void)unused;
    const double T = 470.0, e = 0.5;
    td_error err = {0};
    for (int m = 0; m < 5; m++) {
        td_options o = options_of(m);
        o.tolerance = 1e-13;
        world w = world_make(warmed(2.0, 4e-4, 6e-3), &o);
        warm_to(&w, 400.0);
        // all of it expands at once, with forces far beyond buckling until the stretch has taken them up
        assert_true(td_get_stats(w.state)->iterations < 5000);
        for (int i = 1; i <= 3; i++) {
            td_set_input(w.system, w.state, 0, 400.0 + 20.0 * i);
            CHECK_CALL(&w, td_step(w.system, w.state, 2e-3));
        }
        const size_t bytes = td_snapshot_bytes(w.system);
        void *here = malloc(bytes);
        assert_int_equal(td_state_save(w.system, w.state, here, bytes), TD_OK);
        double y[4][MOST_NUMBERS];
        for (int i = 0; i < 4; i++)
            take(&w, here, T + (i < 2 ? 1.0 : 2.0) * (i % 2 ? -e : e), y[i]);
        td_linearisation *l = td_linearisation_create(w.system, looks, N_LOOKS, &err);
        assert_int_equal(td_state_restore(w.system, w.state, here, bytes), TD_OK);
        td_set_input(w.system, w.state, 0, T);
        CHECK_CALL(&w, td_differentiate_step(w.system, w.state, 2e-3, l));
        const td_step_map *map = td_get_step_map(l);
        for (int i = 3; i < MOST_NUMBERS; i++) {  // turns are not what poses are told by
            const int first = i < 6    ? 3
                              : i < 9  ? 6
                              : i < 12 ? 9
                                       : 12,
                      last = i < 12 ? first + 3 : 13;
            double most = 0.0;
            for (int k = first; k < last; k++) most = fmax(most, fabs(map->D[k]));
            const double g1 = y[0][i] - y[1][i], g2 = y[2][i] - y[3][i];
            assert_true(most > 0.0);
            CHECK_NEAR(map->D[i] / most, (8.0 * g1 - g2) / (12.0 * e) / most, 1e-6);
        }
        td_linearisation_destroy(l);
        free(here);
        world_free(&w);
    }
}

// Softened and let go again while it bends: what the temperature does is what there is and what is lost, to the order
// of the step.
static void the_work_of_temperature_is_what_is_stored_and_lost(void **unused) {
    (void)unused;
    for (int m = 0; m < 5; m++) {
        double off[2], work = 0.0;
        for (int n = 0; n < 2; n++) {
            td_options o = options_of(m);
            o.scheme = TD_BDF2;
            world w = world_make(warmed(0.5, 2e-6, 6e-3), &o);
            warm_to(&w, ROOM);
            const int steps = 200 << n;
            double start = 0.0;
            for (int i = 0; i <= steps; i++) {
                const td_energy e = td_get_energy(w.system, w.state);
                const double sum = e.kinetic + e.elastic + e.gravity + e.dissipated - e.work;
                if (i == 0) start = sum;
                off[n] = fabs(sum - start), work = fabs(e.work);
                if (i == steps) break;
                const double s = sin(0.5 * PI * (i + 1) / steps);
                td_set_input(w.system, w.state, 0, ROOM + 250.0 * s * s);
                CHECK_CALL(&w, td_step(w.system, w.state, 1.0 / steps));
            }
            world_free(&w);
        }
        CHECK_BETWEEN(off[1], 0.0, 3e-4 * work);
        if (off[1] > 1e-6 * work) CHECK_BETWEEN(off[0] / off[1], 3.5, 4.6);
    }
}

// An input of its own in place of a temperature: (1 + e) times as stiff.
static void a_stiffener_multiplies_the_stiffness(void **unused) {
    (void)unused;
    td_error err = {0};
    for (int n = 0; n < 10; n++) {
        const int m = n / 2, i = n % 2;
        td_options o = options_of(m);
        const double share = i ? 0.06 : 2.5;
        const td_piece_def piece = soft_wire(1.0), stiff = soft_wire(share);
        td_robot *robot = loaded(&piece, 0.8 * share);
        td_stiffener_def jam = td_default_stiffener_def();
        jam.name = "jam", jam.to = L;
        jam.value = (td_number){0.0, 1.0, add_input(robot, "jam")};
        CHECK_OK(td_robot_add_stiffener(robot, &jam, &err), err);
        world a = world_make(robot, &o), b = world_make(loaded(&stiff, 0.8 * share), &o);
        td_set_input(a.system, a.state, 0, share - 1.0);
        CHECK_CALL(&a, td_solve_statics(a.system, a.state));
        CHECK_CALL(&b, td_solve_statics(b.system, b.state));
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(td_get_pose(a.system, a.state, 0, L).p[k],
                       td_get_pose(b.system, b.state, 0, L).p[k], 1e-9 * L);
        const td_actuator_state s = td_get_actuator(a.system, a.state, 0);
        CHECK_NEAR(s.measure * share / td_get_energy(b.system, b.state).elastic, 1.0, 1e-8);
        world_free(&a), world_free(&b);
    }
}

static void what_is_wrong_is_told(void **unused) {
    (void)unused;
    static const double falling[] = {400.0, 1e9, 300.0, 2e9};
    td_error err = {0};
    const td_piece_def piece = soft_wire(1.0);
    td_robot *robot = loaded(&piece, 1.0);
    td_temperature_def t = warmth(robot, 0.0, 0.0);
    t.moduli = falling, t.n_moduli = 2;
    assert_int_equal(td_robot_add_temperature(robot, &t, &err), TD_ERR_VALUE);
    assert_non_null(strstr(err.message, "above that of the row before"));
    t.n_moduli = 1;
    assert_int_equal(td_robot_add_temperature(robot, &t, &err), TD_ERR_VALUE);
    assert_non_null(strstr(err.message, "two rows"));
    t.n_moduli = 0;
    assert_int_equal(td_robot_add_temperature(robot, &t, &err), TD_ERR_VALUE);
    assert_non_null(strstr(err.message, "changes nothing"));
    t.expansion = 1e-5, t.at_rest = -3.0;
    assert_int_equal(td_robot_add_temperature(robot, &t, &err), TD_ERR_VALUE);
    t.at_rest = ROOM, t.moduli = table, t.n_moduli = 3;
    td_stiffener_def jam = td_default_stiffener_def();
    jam.name = "warm", jam.to = L, jam.follows = &t;
    assert_int_equal(td_robot_add_stiffener(robot, &jam, &err), TD_ERR_VALUE);
    jam.follows = NULL, jam.value = td_constant(-1.0);
    assert_int_equal(td_robot_add_stiffener(robot, &jam, &err), TD_ERR_VALUE);
    jam.value = td_constant(0.5);
    CHECK_OK(td_robot_add_stiffener(robot, &jam, &err), err);
    assert_int_equal(td_robot_add_temperature(robot, &t, &err), TD_ERR_VALUE);
    assert_non_null(strstr(err.message, "stiffener of its name"));
    assert_int_equal(td_robot_n_temperatures(robot), 0);
    t.name = "warm2";
    CHECK_OK(td_robot_add_temperature(robot, &t, &err), err);
    assert_int_equal(td_robot_n_stiffeners(robot), 2);
    td_robot_destroy(robot);
}

// A file, what is saved of it, and what was saved again.
static void files_keep_it(void **unused) {
    (void)unused;
    static const char file[] =
        "tendril: 1\nname: wire\ngravity: [0, 0, 0]\n"
        "rods:\n  - {name: wire, length: 0.3, section: {radius: 1 mm}, material: "
        "{youngs_modulus: 200 GPa, poisson_ratio: 0.3, density: 7800}}\n"
        "temperatures:\n  - {name: warm, to: 50 %, at_rest: 25 degC, expansion: 12e-6 1/K, "
        "moduli: [[20 degC, 200 GPa], [300 degC, 150 GPa]]}\n"
        "stiffeners:\n  - {name: jam, value: 0.5}\n"
        "inputs:\n  warm: 100 degC\n";
    td_error err = {0};
    td_robot *robot = td_robot_parse(file, strlen(file), "wire.yaml", NULL, 0, &err);
    if (!robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    char *text = td_robot_write(robot, NULL, NULL, &err);
    assert_non_null(text);
    assert_null(strstr(strstr(text, "stiffeners"), "warm\n  -"));
    td_robot *again = td_robot_parse(text, strlen(text), "again.yaml", NULL, 0, &err);
    if (!again) fprintf(stderr, "%s: %s\n%s", err.where, err.message, text);
    assert_non_null(again);
    assert_int_equal(td_robot_n_temperatures(again), 1);
    assert_int_equal(td_robot_n_stiffeners(again), 2);
    td_options o = chain_options();
    world a = world_make(robot, &o), b = world_make(again, &o);
    CHECK_CALL(&a, td_begin(a.system, a.state));
    CHECK_CALL(&b, td_begin(b.system, b.state));
    const size_t bytes = td_snapshot_bytes(a.system);
    void *kept = malloc(bytes);
    assert_int_equal(td_state_save(a.system, a.state, kept, bytes), TD_OK);
    assert_int_equal(td_state_restore(b.system, b.state, kept, bytes), TD_OK);
    const int warm = td_find_temperature(b.system, "warm");
    assert_int_equal(warm, 0);
    CHECK_NEAR(td_get_actuator(b.system, b.state, 0).supplied, 373.15, 1e-9);
    // what stiffens it does not grow: k t a = (k + 0.5) x, to 25 degC and 100 degC in the table
    const double k = (200.0 - 50.0 * 80.0 / 280.0) / (200.0 - 50.0 * 5.0 / 280.0);
    CHECK_NEAR(td_get_pose(b.system, b.state, 0, 0.3).p[2],
               0.3 + 0.15 * 12e-6 * 75.0 * k / (k + 0.5), 1e-12);
    free(kept), td_free_text(text);
    world_free(&a), world_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_wire_grows_by_its_expansion),
        cmocka_unit_test(held_at_both_ends_it_presses),
        cmocka_unit_test(it_buckles_at_eulers_temperature),
        cmocka_unit_test(a_strip_of_two_metals_bends_as_its_layers_balance),
        cmocka_unit_test(a_warm_rod_is_one_of_the_moduli_and_shape_that_it_has_then),
        cmocka_unit_test(its_deflection_grows_as_the_modulus_falls),
        cmocka_unit_test(its_frequency_falls_with_the_root_of_the_modulus),
        cmocka_unit_test(the_jacobian_by_temperature_is_that_of_differences),
        cmocka_unit_test(a_step_answers_to_temperature_as_differences_do),
        cmocka_unit_test(the_work_of_temperature_is_what_is_stored_and_lost),
        cmocka_unit_test(a_stiffener_multiplies_the_stiffness),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(files_keep_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
