// A catheter in a sheath: where they are in one another their stiffnesses add up, beyond the sheath the catheter bends alone.
// And a wire that is drawn through a fixed channel, against its friction.
#include "contact_rods.h"

#define PI 3.14159265358979323846

// The sheath comes out by 0.06 m + out, the catheter by 0.1 m + on. N m^2: 3e-3 and 1e-3. So thin that their rotary inertia,
// which tubes have, is none.
#define PAIR                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: sheath, length: 0.2, mass_per_length: 0.02,\n"                                     \
    "     section: {radius: 0.02 mm, inner_radius: 0.015 mm},\n"                                   \
    "     stiffness: {bending: 3e-3, torsion: 2e-3, shear: 1e4, extension: 1e4},\n"                \
    "     tube: {translation: -0.14 + out}}\n"                                                     \
    "  - {name: catheter, length: 0.3, mass_per_length: 0.01, section: {radius: 0.01 mm},\n"       \
    "     stiffness: {bending: 1e-3, torsion: 8e-4, shear: 1e4, extension: 1e4},\n"                \
    "     tube: {within: sheath, translation: -0.2 + on}}\n"                                       \
    "tendons: [{name: steer, rod: catheter, offset: [1 mm, 0]}]\n"                                 \
    "loads: [{rod: catheter, at: tip, force: [pull, 0, 0]}]\n"                                     \
    "inputs: {out: 0, on: 0, pull: 0, steer: 0}\n"                                                 \
    "simulation: {model: tubes, rotary_inertia: false, tubes: {nodes: 8},\n"                       \
    "             time: {scheme: sdirk2, step: 2 ms}}\n"
#define TOGETHER 4e-3
#define ALONE 1e-3

// The same as one rod of two pieces.
#define STEPPED                                                                                    \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - name: rod\n"                                                                              \
    "    section: {radius: 0.01 mm}\n"                                                             \
    "    pieces:\n"                                                                                \
    "      - {length: 0.06, mass_per_length: 0.03,\n"                                              \
    "         stiffness: {bending: 4e-3, torsion: 3e-3, shear: 1e4, extension: 1e4}}\n"            \
    "      - {length: 0.04, mass_per_length: 0.01,\n"                                              \
    "         stiffness: {bending: 1e-3, torsion: 8e-4, shear: 1e4, extension: 1e4}}\n"            \
    "loads: [{at: tip, force: [pull, 0, 0]}]\n"                                                    \
    "inputs: {pull: 0}\n"                                                                          \
    "simulation: {theory: kirchhoff, rotary_inertia: false, space: {nodes: 12},\n"                 \
    "             time: {scheme: sdirk2, step: 2 ms}}\n"

static td_pose end_of(const scene *s) {  // the tip of the last rod
    const int rod = td_n_rods(s->system) - 1;
    return td_get_pose(s->system, s->state, rod, td_get_length(s->system, s->state, rod));
}

// F ((l^3 - b^3)/(3 (EI + EI')) + b^3/(3 EI')), l out of the base, b of it out of the sheath; half of that by F is stored.
static void a_pull_at_the_tip_bends_it_like_a_stepped_cantilever(void **unused) {
    (void)unused;
    const double F = 1e-5;
    scene s = scene_of(PAIR, NULL, 0);
    for (int i = 0; i < 4; i++) {
        const double out = 0.02 * i, on = 0.05 * i, l = 0.1 + on, b = l - 0.06 - out;
        const double want =
            F * ((l * l * l - b * b * b) / (3.0 * TOGETHER) + b * b * b / (3.0 * ALONE));
        scene_set(&s, "out", out), scene_set(&s, "on", on), scene_set(&s, "pull", F);
        scene_rest(&s);
        CHECK_NEAR(end_of(&s).p[0], want, 1e-5 * want);
        CHECK_NEAR(td_get_energy(s.system, s.state).elastic, 0.5 * F * want, 1e-5 * F * want);
    }
    scene_end(&s);
}

// A tendon along all of the catheter bends both into an arc of curvature T d/(EI + EI'), and beyond the sheath into another of
// T d/EI', exactly and however far.
static void its_tendon_bends_both_into_one_arc_and_the_rest_into_another(void **unused) {
    (void)unused;
    const double T = 8.0, d = 1e-3, a = 0.06, b = 0.04;
    const double u = T * d / TOGETHER, v = T * d / ALONE;
    scene s = scene_of(PAIR, NULL, 0);
    scene_set(&s, "steer", T);
    scene_rest(&s);
    const td_pose tip = end_of(&s);
    const double x = (1.0 - cos(u * a)) / u + (cos(u * a) - cos(u * a + v * b)) / v;
    const double z = sin(u * a) / u + (sin(u * a + v * b) - sin(u * a)) / v;
    CHECK_NEAR(fabs(tip.p[0]), x, 1e-9);
    CHECK_NEAR(tip.p[2], z, 1e-9);
    assert_true(u * a + v * b > 0.4);
    const double stored = td_get_energy(s.system, s.state).elastic;
    CHECK_NEAR(stored, 0.5 * T * T * d * d * (a / TOGETHER + b / ALONE), 1e-9 * stored);
    CHECK_NEAR(0.5 * T * td_get_tendon(s.system, s.state, 0).displacement, stored, 1e-9 * stored);
    scene_end(&s);
}

// Bent far by a force that comes and goes, it follows one rod of two pieces in another model.
static void it_swings_like_one_rod_of_two_pieces(void **unused) {
    (void)unused;
    const double dt = 5e-4;
    scene both = scene_of(PAIR, NULL, 0), one = scene_of(STEPPED, NULL, 0);
    scene *const all[2] = {&both, &one};
    double worst = 0.0, far = 0.0;
    for (int k = 0; k <= 100; k++) {
        const double turn = cos(60.0 * dt * k), force = 0.8 * turn * turn;
        for (int i = 0; i < 2; i++) {
            scene_set(all[i], "pull", force);
            if (k) scene_step(all[i], dt);
            else scene_rest(all[i]);
        }
        const td_pose a = end_of(&both), b = end_of(&one);
        for (int c = 0; c < 3; c++) worst = fmax(worst, fabs(a.p[c] - b.p[c]));
        far = fmax(far, fabs(a.p[0]));
        if (!k) CHECK_BETWEEN(worst, 0.0, 1e-9);
    }
    CHECK_BETWEEN(worst, 0.0, 4e-6);
    assert_true(far > 0.07);
    scene_end(&both);
    scene_end(&one);
}

// ---------------------------------------------------------------- a channel that stands
// A limp wire lies in a bend of 90 degrees with a weight of 1 N at its end, and is drawn back.
#define CHANNEL                                                                                    \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: wire, length: 0.2, mass_per_length: 0.001, section: {radius: 0.5 mm}, feed: "      \
    "push,\n"                                                                                      \
    "     stiffness: {bending: 2e-7, torsion: 2e-7, shear: 1e4, extension: 1e4}}\n"                \
    "loads: [{at: tip, force: [1, 0, 0]}]\n"                                                       \
    "obstacles:\n"                                                                                 \
    "  - name: channel\n"                                                                          \
    "    friction: 0.3\n"                                                                          \
    "    stiffness: 1e6\n"                                                                         \
    "    tube: {points: [[0, 0, -0.05], [0, 0, 0], [0, 0, 0.05], [1.5224e-3, 0, 0.0653073],\n"     \
    "             [5.8579e-3, 0, 0.0782843], [0.0123463, 0, 0.0892388], [0.02, 0, 0.0965685],\n"   \
    "             [0.03, 0, 0.1], [0.06, 0, 0.1], [0.1, 0, 0.1]], radius: 1 mm}\n"                 \
    "inputs: {push: 0}\n"                                                                          \
    "simulation: {theory: kirchhoff, space: {elements: 48, nodes: 4}, time: {step: 5 ms}}\n"

static double held(const scene *s) {
    return -td_get_reaction(s->system, s->state, 0, TD_BASE).force[2];
}

// T2 = T1 exp(mu theta) as it is drawn in, T1 exp(-mu theta) as it is let out.
static void a_wire_through_a_bend_is_drawn_as_the_capstan_equation_says(void **unused) {
    (void)unused;
    scene s = scene_of(CHANNEL, NULL, 0);
    scene_rest(&s);
    for (int k = 1; k <= 10; k++) {
        scene_set(&s, "push", -5e-4 * k);
        scene_rest(&s);
    }
    CHECK_NEAR(held(&s), exp(0.3 * 0.5 * PI), 5e-3);
    for (int k = 9; k >= 0; k--) {
        scene_set(&s, "push", -5e-4 * k);
        scene_rest(&s);
    }
    CHECK_NEAR(held(&s), exp(-0.3 * 0.5 * PI), 3e-3);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pull_at_the_tip_bends_it_like_a_stepped_cantilever),
        cmocka_unit_test(its_tendon_bends_both_into_one_arc_and_the_rest_into_another),
        cmocka_unit_test(it_swings_like_one_rod_of_two_pieces),
        cmocka_unit_test(a_wire_through_a_bend_is_drawn_as_the_capstan_equation_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
