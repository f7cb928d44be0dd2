// An elastic bar that hits a wall with its end, at v: it is pressed with rho c A v while a wave goes to its other end and
// back, 2 L/c, and leaves with -v; c = sqrt(E/rho). A thread that hardly resists ties it to the world.
#include "contact_rods.h"

#include <math.h>
#include <stdio.h>

#define BAR_AND_WALL(speeds)                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, section: {radius: 4 mm}, base: {body: b},\n"                         \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}\n"                 \
    "  - {name: thread, length: 0.5, base: {position: [0, 0, -0.5]}, tip: {body: b},\n"            \
    "     section: {radius: 1 mm}, mass_per_length: 1e-6,\n"                                       \
    "     stiffness: {bending: 1e-4, torsion: 1e-4, shear: 1e-2, extension: 1e-2},\n"              \
    "     material: {youngs_modulus: 1 MPa, poisson_ratio: 0.3, density: 1}}\n"                    \
    "bodies: [{name: b, mass: 1e-6, inertia: [1e-8, 1e-8, 1e-8]}]\n"                               \
    "obstacles: [{name: wall, plane: {}, direction: [0, 0, -1], position: [0, 0, 1.0042]}]\n"      \
    "initial: {velocities: {" speeds "}}\n"                                                        \
    "simulation: {start: straight}\n"

#define PI 3.14159265358979323846
#define MASS (1000.0 * PI * 16e-6)  // kg
#define PLATEAU (1e6 * PI * 16e-6)  // N, rho c A v
#define WAY 2e-3                    // s, 2 L/c

typedef struct impact {
    double impulse, time,
        plateau;  // N s; s, from half the force to half of it; N, on average in the middle
} impact;

static impact impact_of(const char *text, const char *const *sets, int n, double dt) {
    scene s = scene_of(text, sets, n);
    impact out = {0.0, 0.0, 0.0};
    int middle = 0;
    double began = -1.0;
    assert_true(td_begin(s.system, s.state) >= 0);
    for (int k = 0; k * dt < 3e-3; k++) {
        scene_step(&s, dt);
        const double t = td_get_time(s.system, s.state);
        const double F = td_get_obstacle_wrench(s.system, s.state, 0).force[2];
        if (F > 0.0 && began < 0.0) began = t;
        out.impulse += F * dt;
        out.time += F > 0.5 * PLATEAU ? dt : 0.0;
        if (began > 0.0 && t - began > 0.2 * WAY && t - began < 0.8 * WAY)
            out.plateau += F, middle++;
    }
    out.plateau /= middle;
    CHECK_NEAR(td_get_obstacle_wrench(s.system, s.state, 0).force[2], 0.0, 0.0);  // it has left
    scene_end(&s);
    return out;
}

static void check(impact x, double within) {
    CHECK_NEAR(x.impulse / (2.0 * MASS), 1.0, within);
    CHECK_NEAR(x.time / WAY, 1.0, within);
    CHECK_NEAR(x.plateau / PLATEAU, 1.0, within);
}

static void a_bar_leaves_a_wall_when_its_wave_is_back(void **unused) {
    (void)unused;
    static const char *const cosserat = BAR_AND_WALL("body.b.z: 1");
    static const char *const eba = BAR_AND_WALL("body.b.z: 1, rod.a.node*.z: 1");
    static const char *const fine[] = {"simulation.space={elements: 32, nodes: 4}"};
    static const char *const lumped[] = {"simulation.model=eba", "simulation.lumped.segments=64"};
    const impact coarse = impact_of(cosserat, NULL, 0, 10e-6),
                 finer = impact_of(cosserat, fine, 1, 5e-6);
    check(coarse, 0.035);
    check(finer, 0.01);
    assert_true(fabs(finer.impulse / (2.0 * MASS) - 1.0) <
                0.3 * fabs(coarse.impulse / (2.0 * MASS) - 1.0));
    assert_true(fabs(finer.plateau / PLATEAU - 1.0) < 0.1 * fabs(coarse.plateau / PLATEAU - 1.0));
    check(impact_of(eba, lumped, 2, 5e-6), 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_leaves_a_wall_when_its_wave_is_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
