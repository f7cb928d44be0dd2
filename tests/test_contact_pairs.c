// Parts that touch one another in cosserat. Truth: beams, Coulomb, conservation, and the lumped models.
#include <math.h>
#include <stdlib.h>

#include "touching.h"

static const char crossed[] =
    CROSSED "loads: [{rod: low, at: tip, force: [0, 0, lift]}]\n"
            "inputs: {h: 2.5 mm, x: 0.15, lift: 0}\n"
            "simulation: {model: cosserat, space: {elements: 8, nodes: 4}}\n";

static void crossed_cantilevers_press_as_beams_do(void **state) {
    (void)state;
    const char *const sets[][3] = {
        {"simulation.theory=cosserat", "simulation.space.elements=8", "simulation.space.nodes=4"},
        {"simulation.theory=kirchhoff", "simulation.space.elements=8", "simulation.space.nodes=4"},
        {"simulation.theory=kirchhoff", "simulation.space.elements=1", "simulation.space.nodes=16"},
        {"simulation.theory=cosserat", "simulation.space.elements=3", "simulation.space.nodes=7"}};
    for (int i = 0; i < 4; i++) {
        scene s = scene_of(crossed, sets[i], 3);
        check_crossed(&s, 1e-14);
        const td_stats stats = *td_get_stats(s.state);
        assert_true(stats.iterations <= 30);
        scene_end(&s);
    }
}

// A load q on the upper of two cantilevers that are held g apart. Their distance d has EI d'''' = q - 2 p, and p = 0 up to
// x = (72 EI g/q)^(1/4), where they begin to touch with the force q x/6; from there each carries q/2.
static void parallel_cantilevers_press_from_where_the_gap_is_closed(void **state) {
    (void)state;
    static const char text[] = PARALLEL
        "simulation: {model: cosserat, space: {elements: 16, nodes: 4}, lumped: {segments: 80}}\n";
    const char *const sets[] = {"simulation.model=cosserat", "simulation.model=eba"};
    for (int i = 0; i < 2; i++) {
        scene s = scene_of(text, sets + i, 1);
        scene_rest(&s);
        const double q = 0.05, x = pow(72.0 * EI * 1e-7 / q, 0.25);
        const double tip = 0.5 * q * pow(LENGTH, 4) / (8.0 * EI);
        const double total = 0.5 * q * (LENGTH - x) + q * x / 6.0;
        double on_low[3];
        contact_force_on(&s, 0, -1, on_low);
        CHECK_NEAR(-on_low[2], total, 1e-2 * total);
        CHECK_NEAR(-scene_tip(&s).p[2], tip, 1e-3 * tip);
        scene_end(&s);
    }
}

// How the tip of one rod answers to inputs, one of which moves the other rod, and to loads: against differences.
static void derivatives_know_what_touches(void **state) {
    (void)state;
    scene s = scene_of(crossed, NULL, 0);
    const double at = 1e-3;
    double J[6 * 3], C[36];
    scene_rest(&s);
    scene_set(&s, "h", at);
    scene_rest(&s);
    assert_true(td_get_jacobian(s.system, s.state, 0, LENGTH, J) >= 0);
    assert_true(td_get_compliance(s.system, s.state, 0, LENGTH, 0, LENGTH, C) >= 0);
    const int lift = td_find_input(s.system, "lift"), h = td_find_input(s.system, "h");
    const td_pose low = tip_with(&s, "lift", -1e-5), high = tip_with(&s, "lift", 1e-5);
    assert_true(td_get_contacts(s.system, s.state, NULL, 0) > 0);
    const double by = (high.p[2] - low.p[2]) / 2e-5, alone = pow(LENGTH, 3) / (3.0 * EI);
    CHECK_NEAR(C[6 * 5 + 5], by, 1e-4 * by);
    CHECK_NEAR(J[3 * 5 + lift], by, 1e-4 * by);
    assert_true(by < 0.8 * alone);  // the other rod holds it
    scene_set(&s, "lift", 0.0);
    const td_pose down = tip_with(&s, "h", at - 1e-6), up = tip_with(&s, "h", at + 1e-6);
    CHECK_NEAR(J[3 * 5 + h], (up.p[2] - down.p[2]) / 2e-6, 1e-4);
    CHECK_BETWEEN(J[3 * 5 + h], 0.5,
                  1.0);  // 3/4: half of the way at 0.15 m, and on along the tangent
    scene_end(&s);
}

static void crossed_rods_stick_and_slide(void **state) {
    (void)state;
    const char *const sets[] = {"contacts.cross.friction=0.3"};
    scene s = scene_of(crossed, sets, 1);
    scene_rest(&s);
    scene_set(&s, "h", 1e-3);
    scene_rest(&s);
    for (int k = 0; k <= 10; k++) {
        scene_set(&s, "x", 0.15 - 4e-5 * k);
        scene_rest(&s);
        const td_contact_point p = contact_of(&s, 0);
        double N = 0.0, whole = 0.0;
        for (int d = 0; d < 3; d++) N += p.force[d] * p.normal[d], whole += p.force[d] * p.force[d];
        const double ratio = sqrt(fmax(0.0, whole - N * N)) / N;
        if (k == 1) CHECK_BETWEEN(ratio, 0.01, 0.29);
        if (k > 5) CHECK_NEAR(ratio, 0.3, 1e-6);
        if (k > 5) assert_true(p.force[0] < 0.0);
    }
    scene_end(&s);
}

// ---------------------------------------------------------------- motion
static const char struck[] =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - {name: low, " WIRE ", base: {direction: [1, 0, 0]}}\n"
    "  - {name: high, " WIRE ", base: {position: [0.15, -0.15, 3 mm], direction: [0, 1, 0]}}\n"
    "contacts: [{name: cross, between: [low, high], friction: 0.2}]\n"
    "loads: [{name: lift, rod: high, at: tip, force: [0, 0, up]}]\n"
    "inputs: {up: 0.02}\n"
    "simulation: {model: cosserat, space: {elements: 4, nodes: 4}}\n";

static void struck_rods_never_gain_energy(void **state) {
    (void)state;
    const char *const sets[][2] = {
        {"simulation.time.scheme=bdf-alpha", "simulation.time.alpha=-0.2"},
        {"simulation.time.scheme=bdf-alpha", "simulation.time.alpha=-0.2"},
        {"simulation.time.scheme=bdf2", "contacts.cross.friction=0"},
        {"simulation.time.scheme=sdirk2", "contacts.cross.friction=0.3"},
        {"simulation.time.scheme=backward-euler", "simulation.theory=kirchhoff"}};
    const double steps[] = {5e-3, 2e-4, 1e-3, 1e-3, 1e-3};
    for (int i = 0; i < 5; i++) {
        scene s = scene_of(struck, sets[i], 2);
        int touched = 0;
        scene_rest(&s);
        const double had = scene_energy(&s), dt = steps[i];
        double most = 0.0;
        scene_set(&s, "up", 0.0);
        for (int k = 0; k < 200; k++) {
            scene_step(&s, dt);
            touched += td_get_contacts(s.system, s.state, NULL, 0) > 0;
            most = fmax(most, scene_energy(&s) / had);
        }
        assert_true(touched > 0);
        if (!(most <= 1.0 + 1e-3)) fail_msg("case %d: %g of the energy", i, most);
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- bodies
// A bead on one rod against the other, centred off its section: as in eba.
static void a_riding_bead_presses_as_in_eba(void **state) {
    (void)state;
    static const char text[] =
        "tendril: 1\n"
        "gravity: [0, 0, 0]\n"
        "rods:\n"
        "  - {name: low, " WIRE ", base: {direction: [1, 0, 0]}}\n"
        "  - {name: high, " WIRE ", base: {position: [0.15, -0.15, 4 mm], direction: [0, 1, 0]}}\n"
        "bodies: [{name: bead, on: low, at: 0.15, mass: 1 g, shape: {sphere: {radius: 5 mm}},\n"
        "          centre: [0, 1 mm, 1 mm]}]\n"
        "contacts: [{between: [bead, high]}]\n"
        "simulation: {space: {elements: 8, nodes: 4}, lumped: {segments: 40}}\n";
    const char *const sets[] = {"simulation.model=cosserat", "simulation.model=eba"};
    double force[2][3];
    for (int i = 0; i < 2; i++) {
        scene s = scene_of(text, sets + i, 1);
        scene_rest(&s);
        contact_force_on(&s, -1, 0, force[i]);
        scene_end(&s);
    }
    CHECK_NEAR(force[0][2], force[1][2], 3e-3 * fabs(force[1][2]));
    assert_true(force[0][2] < -5e-3);
}

static const char balls[] = BALLS "simulation: {model: cosserat, start: straight}\n";

// How far momenta are off after the balls have collided off their middles, in steps of dt.
static void collide(const char *const *sets, int n, double dt, double off[2]) {
    scene s = scene_of(balls, sets, n);
    int touched = 0;
    scene_begin(&s);
    const double had = scene_energy(&s);
    const momenta before = momenta_of(&s);
    for (int k = 0; k * dt < 0.06; k++) {
        scene_step(&s, dt);
        touched += td_get_contacts(s.system, s.state, NULL, 0) > 0;
    }
    const momenta after = momenta_of(&s);
    off[0] = off[1] = 0.0;
    for (int k = 0; k < 3; k++) {
        off[0] = fmax(off[0], fabs(after.P[k] - before.P[k]));
        off[1] = fmax(off[1], fabs(after.L[k] - before.L[k]));
    }
    assert_true(touched > 0);
    assert_true(scene_energy(&s) <= had * (1.0 + 1e-9));
    scene_end(&s);
}

// Forces are opposite and act at one point: without spin nothing is lost, and with it what steps of spinning bodies lose,
// which falls with the step.
static void balls_keep_their_momenta(void **state) {
    (void)state;
    const char *const models[] = {"simulation.model=cosserat", "simulation.model=eba"};
    double off[2];
    for (int i = 0; i < 2; i++) {
        const char *const rough[] = {models[i], "simulation.solver.tolerance=1e-14"};
        const char *const smooth[] = {models[i], rough[1], "contacts.hit.friction=0"};
        collide(smooth, 3, 2e-4, off);
        assert_true(off[0] < 1e-12 && off[1] < 2e-7);
        collide(rough, 2, 5e-5, off);
        assert_true(off[0] < 1e-6 && off[1] < 1e-7);
    }
}

static const char dart[] =
    DART "simulation: {model: cosserat, space: {elements: 8, nodes: 3}, start: straight}\n";

static void thin_rods_do_not_pass_through_one_another(void **state) {
    (void)state;
    scene s = scene_of(dart, NULL, 0);
    scene_begin(&s);
    td_status status = TD_OK;
    int k = 0;
    for (; k < 6 && status >= 0; k++) {
        status = td_step(s.system, s.state, 5e-3);
        const double z = td_get_body(s.system, s.state, 0).pose.p[2];
        assert_true(z > td_get_pose(s.system, s.state, 0, 0.11).p[2] + 1e-3);
    }
    if (status < 0) assert_non_null(strstr(td_message(s.state), "would pass through 'dart'"));
    scene_end(&s);
}

// ---------------------------------------------------------------- a knot
// Where nothing rubs, what presses across the rod does no work along it: EI k^2/2 + GJ t^2/2 + N, with the tension N, is the
// same all along, the pull at the tip. Where the cord touches, its polygon's corners tilt forces that are larger than the pull by a hundredth or two.
static void a_knot_is_tight_with_the_pull(void **state) {
    (void)state;
    scene s = scene_of_file(EXAMPLES "/knot.yaml", NULL, 0);
    const double r4 = pow(2e-3, 4), bending = 10e6 * 0.78539816339745 * r4,
                 torsion = 10e6 / 2.9 * 1.5707963267949 * r4, pull = 0.1;
    scene_begin(&s);
    scene_set(&s, "pull", pull);
    for (int k = 0; k < 100; k++) scene_step(&s, 10e-3);
    int tails = 0, loop = 0;
    for (int k = 0; k <= 60; k++) {
        const td_sample x = td_get_sample(s.system, s.state, 0, 0.01 * k);
        const double *u = x.strain, *n = x.wrench + 3;
        const double bent =
            0.5 * bending * (u[0] * u[0] + u[1] * u[1]) + 0.5 * torsion * u[2] * u[2];
        const double sum = bent + n[2];
        if (x.pressure > 0.0) continue;
        CHECK_NEAR(sum, pull, 0.1 * pull);
        if (bent < 0.01 * pull) tails++, CHECK_NEAR(sum, pull, 0.015 * pull);
        if (bent > 0.4 * pull) loop++;
    }
    assert_true(tails > 10);
    assert_true(loop > 5);  // it is still knotted
    scene_end(&s);
}

// ---------------------------------------------------------------- too many
// A sheaf of wires as thick as it is, of which each touches every other; and two wires that lie on one another at more nodes
// than there is room for.
static char *sheaf(const char *model, int wires, int parts) {
    enum { MOST = 8192 };
    static char text[MOST];
    int n = snprintf(text, MOST, "tendril: 1\ngravity: [0, 0, 0]\nrods:\n");
    for (int i = 0; i < wires; i++)
        n += snprintf(text + n, (size_t)(MOST - n),
                      "  - {name: w%d, length: 0.3, section: {radius: 1 mm}, envelope: 40 mm,\n"
                      "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000},\n"
                      "     base: {position: [%g, 0, 0]}}\n",
                      i, 0.079 * i / (wires - 1));
    n += snprintf(text + n, (size_t)(MOST - n), "contacts: [{between: [w0");
    for (int i = 1; i < wires; i++) n += snprintf(text + n, (size_t)(MOST - n), ", w%d", i);
    snprintf(
        text + n, (size_t)(MOST - n),
        "]}]\nsimulation: {model: %s, lumped: {segments: %d}, space: {elements: %d, nodes: 4}}\n",
        model, parts, parts);
    return text;
}

static void what_touches_at_too_many_places_is_refused_in_words(void **unused) {
    (void)unused;
    static const struct {
        const char *model, *words;
        int wires, parts;
    } crowds[] = {{"eba", "pairs of segments and bodies touch at once", 16, 10},
                  {"cosserat", "places at once, and there is room for no more", 2, 30}};
    for (int i = 0; i < 2; i++) {
        scene s = scene_of(sheaf(crowds[i].model, crowds[i].wires, crowds[i].parts), NULL, 0);
        td_state_reset(s.system, s.state);
        assert_true(td_step(s.system, s.state, 1e-3) < 0);
        if (!strstr(td_message(s.state), crowds[i].words)) fail_msg("%s", td_message(s.state));
        CHECK_NEAR(scene_tip(&s).p[2], 0.3, 1e-12);
        scene_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossed_cantilevers_press_as_beams_do),
        cmocka_unit_test(parallel_cantilevers_press_from_where_the_gap_is_closed),
        cmocka_unit_test(derivatives_know_what_touches),
        cmocka_unit_test(crossed_rods_stick_and_slide),
        cmocka_unit_test(struck_rods_never_gain_energy),
        cmocka_unit_test(a_riding_bead_presses_as_in_eba),
        cmocka_unit_test(balls_keep_their_momenta),
        cmocka_unit_test(thin_rods_do_not_pass_through_one_another),
        cmocka_unit_test(a_knot_is_tight_with_the_pull),
        cmocka_unit_test(what_touches_at_too_many_places_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
