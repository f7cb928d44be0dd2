// Rods that are twisted: a ring that leaves its plane (Michell), and a rod whose ends come together, which winds around
// itself. `test_contact_ring 50` cuts that rod into so many elements (make contact).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "contact_rods.h"

#define PI 3.14159265358979323846

static int elements = 25;

// ---------------------------------------------------------------- a ring
// A straight rod of length 1 and EI = 1, bent to a ring whose ends meet, one of them turned by phi: it carries GJ phi, and
// leaves its plane at phi = 2 pi sqrt(3) EI/GJ (Michell 1889, Zajac 1962); with GJ = 4 EI it does so gently, and its moment is
// then less than GJ phi by what grows with phi. A weight of a thousandth of EI/L^2 keeps the ring from turning about its
// end as a whole.
#define RING                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0.01, 0, 0]\n"                                                                      \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, section: {radius: 1 mm}, mass_per_length: 0.1,\n"                    \
    "     stiffness: {bending: 1, torsion: 4, shear: 1e6, extension: 1e6},\n"                      \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {motion: {rotation: [0, 0, turn]}}, tip: {position: [0, 0, 0]}}\n"                 \
    "loads:\n"                                                                                     \
    "  - {at: 25 %, force: [0, -aside, 0]}\n"                                                      \
    "  - {at: 50 %, force: [0, aside, 0]}\n"                                                       \
    "  - {at: 75 %, force: [0, -aside, 0]}\n"                                                      \
    "inputs: {turn: 0, aside: 0}\n"                                                                \
    "initial: {coordinates: {rod.a.node*.curvature_y: 6.283185307179586}}\n"                       \
    "simulation: {start: straight, theory: kirchhoff}\n"

// How much less than GJ phi it carries.
static double lost_at(scene *s, double phi) {
    double smallest;
    scene_set(s, "turn", phi);
    scene_rest(s);
    assert_int_equal(td_get_stability(s->system, s->state, &smallest), TD_OK);
    CHECK_BETWEEN(smallest, 1e-8, 1e-3);
    return 4.0 * phi - td_get_reaction(s->system, s->state, 0, TD_BASE).moment[2];
}

static double critical_twist(int parts) {
    const double michell = 2.0 * PI * sqrt(3.0) / 4.0;
    char mesh[64];
    snprintf(mesh, sizeof mesh, "simulation.space={elements: %d, nodes: 4}", parts);
    scene s = scene_of(RING, (const char *const[]){mesh}, 1);
    assert_int_equal(td_begin(s.system, s.state), TD_OK);
    for (int k = 0; k <= 9; k++) CHECK_NEAR(lost_at(&s, 0.1 * k * michell), 0.0, 1e-4);
    scene_set(&s, "aside", 0.1);  // on one of the two ways out of its plane
    lost_at(&s, 0.97 * michell);
    lost_at(&s, 1.02 * michell);
    scene_set(&s, "aside", 0.0);
    const double near = lost_at(&s, 1.02 * michell), far = lost_at(&s, 1.03 * michell);
    CHECK_BETWEEN(far, 0.4, 0.6);
    scene_end(&s);
    return 1.02 - 0.01 * near / (far - near);
}

static void a_twisted_ring_leaves_its_plane_where_michell_says(void **unused) {
    (void)unused;
    CHECK_NEAR(critical_twist(4), 1.0, 1e-4);
    CHECK_NEAR(critical_twist(8), 1.0, 1e-4);
}

// ---------------------------------------------------------------- a plectoneme
// A rod whose one end is turned and brought nearer to the other winds into a double helix of radius R, its own, and angle a. Of
// a longer part of the rod wound so, or another angle, no energy comes:
//
//     M = 2 (EI/R) sin^3 a cos a/cos 2a,    F = (EI/R^2) sin^4 a (1/2 + 1/cos 2a)
//
// are moment and tension of its straight ends (of a long helix; as Clauvelin, Audoly & Neukirch 2008 write them). GJ does not enter.
#define WOUND                                                                                      \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.4, section: {radius: 2 mm}, damping: {time: 20 ms},\n"                \
    "     linear_drag: 0.2, mass_per_length: 0.0138,\n"                                            \
    "     stiffness: {bending: 1.25e-4, torsion: 1e-4, shear: 1e4, extension: 1e4},\n"             \
    "     material: {youngs_modulus: 10 MPa, poisson_ratio: 0.45, density: 1100},\n"               \
    "     base: {position: [0, 0, nearer], motion: {rotation: [0, 0, turn]}},\n"                   \
    "     tip: {position: [0, 0, 0.4]}}\n"                                                         \
    "loads: [{at: 50 %, force: [side, 0, 0]}]\n"                                                   \
    "contacts: [{between: [a], self: true}]\n"                                                     \
    "inputs: {turn: 0, nearer: 0, side: 0}\n"                                                      \
    "simulation: {time: {scheme: backward-euler}, space: {nodes: 4}}\n"

#define EI 1.25e-4
#define R 2e-3

static double tension_of(double a) {
    return EI / (R * R) * pow(sin(a), 4.0) * (0.5 + 1.0 / cos(2.0 * a));
}

static double moment_under(double tension) {
    double low = 0.0, high = 0.7;
    for (int i = 0; i < 60; i++) {
        const double a = 0.5 * (low + high);
        if (tension_of(a) < tension) low = a;
        else high = a;
    }
    return 2.0 * EI / R * pow(sin(low), 3.0) * cos(low) / cos(2.0 * low);
}

static void wind(scene *s, int steps) {
    for (int k = 1; k <= steps; k++) {
        const double t = 0.01 * k;
        scene_set(s, "turn", 16.0 * PI * fmin(t / 1.5, 1.0));
        scene_set(s, "nearer", 0.12 * fmin(fmax(0.5 * (t - 1.0), 0.0), 1.0));
        scene_set(s, "side", t > 0.8 && t < 1.4 ? 0.6 : 0.0);
        scene_step(s, 0.01);
    }
}

static void a_rod_winds_around_itself_with_the_moment_of_a_long_helix(void **unused) {
    (void)unused;
    char mesh[64];
    snprintf(mesh, sizeof mesh, "simulation.space.elements=%d", elements);
    scene s = scene_of(WOUND, (const char *const[]){mesh}, 1);
    assert_int_equal(td_begin(s.system, s.state), TD_OK);
    wind(&s, 400);
    const td_reaction base = td_get_reaction(s.system, s.state, 0, TD_BASE);
    const double moment = moment_under(-base.force[2]);
    const int n = td_get_contacts(s.system, s.state, NULL, 0);
    if (elements != 25)
        print_message(
            "%d x 4 nodes, %d points touch: tension %.5f EI/R^2, moment %.4f of the closed form\n",
            elements, n, -base.force[2] * R * R / EI, base.moment[2] / moment);
    assert_true(n > 16);
    CHECK_NEAR(base.moment[2] / moment, 1.0, elements < 50 ? 0.02 : 0.01);
    CHECK_BETWEEN(td_get_energy(s.system, s.state).kinetic, 0.0, 1e-8);
    scene_end(&s);
}

// From there no way leads to an equilibrium that Newton's method finds: the search ends, in words, and leaves the shape.
static void a_search_among_what_touches_ends(void **unused) {
    (void)unused;
    scene s = scene_of(WOUND, (const char *const[]){"simulation.space.elements=25"}, 1);
    assert_int_equal(td_begin(s.system, s.state), TD_OK);
    wind(&s, 160);
    const td_pose before = td_get_pose(s.system, s.state, 0, 0.2);
    assert_int_equal(td_solve_statics(s.system, s.state), TD_ERR_NOT_CONVERGED);
    assert_non_null(strstr(td_message(s.state), "let a run settle"));
    CHECK_BETWEEN(td_get_stats(s.state)->iterations, 1, 8000);
    const td_pose after = td_get_pose(s.system, s.state, 0, 0.2);
    for (int i = 0; i < 3; i++) CHECK_NEAR(after.p[i], before.p[i], 0.0);
    scene_step(&s, 0.01);
    scene_end(&s);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_twisted_ring_leaves_its_plane_where_michell_says),
        cmocka_unit_test(a_rod_winds_around_itself_with_the_moment_of_a_long_helix),
        cmocka_unit_test(a_search_among_what_touches_ends),
    };
    if (argc > 1) elements = atoi(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
