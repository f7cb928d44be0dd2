// Temperature as docs/materials.md says it by muscles: an activation in kelvins, the expansion of one kelvin as its stretch and curvature.
#include "chains.h"
#include "math/pi.h"

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
    warm_to(&w, T);
    CHECK_NEAR(td_get_sample(w.system, w.state, 0, 0.05).strain[0] / k, 1.0, 1e-9);
    double J[6];
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, 0.1, J));
    CHECK_NEAR(J[0] / (k / T * 0.1), 1.0, 1e-8);  // rad/K, about x
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_wire_grows_by_its_expansion),
        cmocka_unit_test(held_at_both_ends_it_presses),
        cmocka_unit_test(it_buckles_at_eulers_temperature),
        cmocka_unit_test(a_strip_of_two_metals_bends_as_its_layers_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
