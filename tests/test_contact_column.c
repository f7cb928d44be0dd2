// A column that buckles between two plates, against the closed forms of contact at a point and along a line.
#include "contact_rods.h"

#define PI 3.14159265358979323846

// A column of length 1 and EI = 1, clamped at both ends half-way between two smooth plates, each h from its axis, and
// shortened by moving its base (Domokos, Holmes & Royce 1997). With P = k^2, small slopes and a load q that presses it to one
// of the plates, up to where it touches
//
//     w = a (1 - cos kx) + b (kx - sin kx) + q x^2/(2 P)
//
//     free             q = 0: P = 4 pi^2
//     at a point       q = 0, up to P = 16 pi^2: b = h/(kl - 2 tan(kl/2)), a = -b tan(kl/2), with l half its length
//     along a line     from where w = h, w' = w'' = 0; without q from P = 16 pi^2, where k x = 2 pi
//
// The plate pushes with 2 P k b + q, and the ends come nearer by the integral of w'^2/2. A point that touches stays where it
// is, as long as the curvature there does not vanish: these shapes hold. (Without q the line carries nothing but at its ends, and
// nodes find several such shapes.)
#define COLUMN                                                                                     \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, lift]\n"                                                                      \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, section: {radius: 1 mm}, mass_per_length: 0.1,\n"                    \
    "     stiffness: {bending: [100, 1], torsion: 100, shear: 1e6, extension: 1e6},\n"             \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {position: [place, 0, 0], direction: [1, 0, 0]},\n"                                \
    "     tip: {position: [1, 0, 0], direction: [1, 0, 0]}}\n"                                     \
    "loads: [{at: 50 %, force: [0, 0, side]}]\n"                                                   \
    "obstacles:\n"                                                                                 \
    "  - {name: upper, plane: {}, position: [0, 0, 5 mm], direction: [0, 0, -1]}\n"                \
    "  - {name: lower, plane: {}, position: [0, 0, -5 mm]}\n"                                      \
    "inputs: {place: 0, side: 0, lift: 0}\n"                                                       \
    "simulation: {theory: kirchhoff}\n"

#define GAP 4e-3

typedef struct bow {  // up to where it touches
    double k, a, b, q, x;
} bow;

static double height(const bow *w) {
    const double kx = w->k * w->x;
    return w->a * (1.0 - cos(kx)) + w->b * (kx - sin(kx)) +
           0.5 * w->q * w->x * w->x / (w->k * w->k);
}

static double slope_at(const bow *w, double x) {
    const double kx = w->k * x;
    return w->k * (w->a * sin(kx) + w->b * (1.0 - cos(kx))) + w->q * x / (w->k * w->k);
}

static double shortening(const bow *w) {
    enum { N = 2000 };
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        const double slope = slope_at(w, w->x * (i + 0.5) / N);
        sum += slope * slope * w->x / N;
    }
    return sum;  // of both halves
}

static bow at_a_point(double k) {
    const double t = tan(0.25 * k), b = GAP / (0.5 * k - 2.0 * t);
    return (bow){k, -b * t, b, 0.0, 0.5};
}

// Slope and curvature vanish at x.
static bow level_at(double k, double q, double x) {
    const double s = sin(k * x), c = cos(k * x);
    const double slope = -q * x / pow(k, 3), curvature = -q / pow(k, 4);
    return (bow){k, (slope * s - curvature * (1.0 - c)) / (1.0 - c),
                 (curvature * s - slope * c) / (1.0 - c), q, x};
}

static bow along_a_line(double k, double q) {
    double low = PI / k, high = 2.0 * PI / k;
    for (int i = 0; i < 60; i++) {
        const bow w = level_at(k, q, 0.5 * (low + high));
        if (height(&w) < GAP) low = w.x;
        else high = w.x;
    }
    return level_at(k, q, low);
}

// Errors of the force that shortens it and of the force on the plate, in parts of them.
typedef struct errors {
    double P, F;
} errors;

static errors errors_at(scene *s, const bow *w) {
    double smallest;
    scene_set(s, "place", shortening(w));
    scene_set(s, "lift", w->q / 0.1);
    scene_rest(s);
    assert_int_equal(td_get_stability(s->system, s->state, &smallest), TD_OK);
    CHECK_BETWEEN(smallest, 1e-3, 1.0);
    const double P = td_get_reaction(s->system, s->state, 0, TD_BASE).force[0];
    const double F = td_get_obstacle_wrench(s->system, s->state, 0).force[2];
    CHECK_NEAR(td_get_obstacle_wrench(s->system, s->state, 1).force[2], 0.0, 1e-12);
    return (errors){P / (w->k * w->k) - 1.0, F / (2.0 * pow(w->k, 3) * w->b + w->q) - 1.0};
}

// Nodes and stiffness are refined together: K = hardness EI/h^4, or the chosen one, which is EI/h^4.
static void check_column(int elements, double hardness, errors found[4]) {
    char mesh[64], hard[2][64];
    snprintf(mesh, sizeof mesh, "simulation.space={elements: %d, nodes: 4}", elements);
    for (int i = 0; i < 2; i++)
        snprintf(hard[i], sizeof hard[i], "obstacles.%s.stiffness=%.3g", i ? "lower" : "upper",
                 hardness * pow(4.0 * elements, 4.0));
    const char *const sets[] = {mesh, hard[0], hard[1]};
    scene s = scene_of(COLUMN, sets, hardness > 0.0 ? 3 : 1);
    const bow point[2] = {at_a_point(3.0 * PI), at_a_point(sqrt(13.0) * PI)};
    const bow line[2] = {along_a_line(sqrt(20.0) * PI, 2.0), along_a_line(5.0 * PI, 2.0)};
    scene_set(&s, "side", 0.5);
    scene_set(&s, "place", 1e-5);
    scene_rest(&s);
    scene_set(&s, "side", 0.0);
    scene_rest(&s);
    CHECK_NEAR(td_get_reaction(s.system, s.state, 0, TD_BASE).force[0], 4.0 * PI * PI, 1e-2);
    for (int i = 0; i < 2; i++) found[i] = errors_at(&s, &point[i]);
    for (int i = 0; i < 2; i++) found[2 + i] = errors_at(&s, &line[i]);
    scene_end(&s);
}

static double worst_of(const errors *all, int n) {
    double worst = 0.0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fmax(fabs(all[i].P), fabs(all[i].F)));
    return worst;
}

static void a_column_between_plates_touches_at_a_point_and_along_a_line(void **unused) {
    (void)unused;
    errors coarse[4], fine[4], finest[4];
    check_column(16, 16.0, coarse);
    check_column(32, 16.0, fine);
    check_column(64, 16.0, finest);
    CHECK_BETWEEN(worst_of(coarse, 4), 1.5e-3, 2.5e-2);
    CHECK_BETWEEN(worst_of(fine, 4), 0.0, 1.5e-3);
    CHECK_BETWEEN(worst_of(finest, 4), 0.0, 7e-4);
}

static void so_it_does_between_plates_of_the_chosen_stiffness(void **unused) {
    (void)unused;
    errors coarse[4], fine[4];
    check_column(16, 0.0, coarse);
    check_column(32, 0.0, fine);
    CHECK_BETWEEN(worst_of(coarse, 3), 0.0, 5e-3);
    CHECK_BETWEEN(worst_of(coarse + 3, 1), 0.0, 2.5e-2);
    CHECK_BETWEEN(worst_of(fine, 4), 0.0, 1.5e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_between_plates_touches_at_a_point_and_along_a_line),
        cmocka_unit_test(so_it_does_between_plates_of_the_chosen_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
