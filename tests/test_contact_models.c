// Obstacles in the models that solve by src/solve: the closed forms of test_contact_statics.c at their points, the
// forces of `cosserat`, energy.
#include "contact_rods.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
static const char *const models[] = {"eba", "ebr",           "srl",
                                     "rom", "virtual_power", "constant_curvature"};
enum { LUMPED = 3, ARCS = 4, MODELS = 6 };  // the first ones are lumped, the last ones arcs

// Chosen model and segments, and what else is set.
static scene scene_in(const char *text, const char *model, int segments, const char *set) {
    char name[64], parts[64], discs[64], arcs[64];
    snprintf(name, sizeof name, "simulation.model=%s", model);
    snprintf(parts, sizeof parts, "simulation.lumped.segments=%d", segments);
    snprintf(discs, sizeof discs, "simulation.virtual_power={discs: %d, torsion: true}", segments);
    snprintf(arcs, sizeof arcs, "simulation.constant_curvature.segments=%d", segments);
    const char *const sets[] = {name, parts, "simulation.rom.order=16", discs, arcs, set};
    return scene_of(text, sets, set ? 6 : 5);
}

// ---------------------------------------------------------------- a heavy rod on a table
// See test_contact_statics.c: free, a tip is lifted by (24 EI h/q)^(1/4) = 0.5 m of rod, level by (72 EI h/q)^(1/4).
#define TABLE(tip)                                                                                 \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 1, section: {radius: 1 mm}, mass_per_length: 0.1,\n"                    \
    "     stiffness: {bending: 2.6041666667, torsion: 2, shear: 1e6, extension: 1e6},\n"           \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "loads: [{at: tip, " tip "}]\n"                                                                \
    "obstacles: [{name: table, plane: {}, position: [0, 0, -1 mm]}]\n"

static double lifted_by(const char *text, const char *model, int segments, const char *set) {
    scene s = scene_in(text, model, segments, set);
    double smallest;
    scene_rest(&s);
    assert_int_equal(td_get_stability(s.system, s.state, &smallest), TD_OK);
    CHECK_BETWEEN(smallest, 0.9, 1.0);
    const double h = scene_tip(&s).p[2];
    scene_end(&s);
    return h;
}

#define LEVEL TABLE("force: [0, 0, 0.333333333333], moment: [0, 0.0416666666667, 0]")
#define FREE TABLE("force: [0, 0, 0.25]")
static const char *const softer = "rods.a.stiffness.bending=0.868055555556";

static void rods_leave_a_table_over_the_right_length(void **unused) {
    (void)unused;
    for (int m = 0; m < LUMPED; m++)
        for (int level = 0; level < 2; level++) {
            const char *text = level ? LEVEL : FREE, *set = level ? softer : NULL;
            const double coarse = lifted_by(text, models[m], 32, set) / 1e-3 - 1.0;
            const double fine = lifted_by(text, models[m], 64, set) / 1e-3 - 1.0;
            CHECK_NEAR(fine, 0.0, 6e-3);
            CHECK_BETWEEN(coarse / fine, 3.7, 4.3);  // second order
        }
    CHECK_NEAR(lifted_by(FREE, "rom", 1, NULL), 1e-3, 5e-6);
    CHECK_NEAR(lifted_by(LEVEL, "rom", 1, softer), 1e-3, 15e-6);
}

// ---------------------------------------------------------------- a rod over a drum
#define DRUM                                                                                       \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 3, section: {radius: 0.1 mm}, mass_per_length: 0.1,\n"                  \
    "     stiffness: {bending: 1, torsion: 1, shear: 1e6, extension: 1e6},\n"                      \
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"                   \
    "     base: {position: [0, 0, 0.9999985], direction: [1, 0, 0]}}\n"                            \
    "loads: [{at: tip, force: [0, 0, -20]}]\n"                                                     \
    "obstacles:\n"                                                                                 \
    "  - {name: drum, cylinder: {radius: 0.9999}, direction: [0, 1, 0], friction: 0.3,\n"          \
    "     stiffness: 1e7, motion: {rotation: [0, 0, turn]}}\n"                                     \
    "inputs: {turn: 0}\n"

// T (cos a - mu sin a) exp(-mu (pi/2 - a)) with cos a = 1 - EI/(2 T R^2). The first equilibrium knows no friction:
// T - EI/(2 R^2).
static void ropes_slide_on_a_drum_as_the_capstan_equation_says(void **unused) {
    (void)unused;
    const double mu = 0.3, a = acos(1.0 - 1.0 / 40.0);
    const double capstan = 20.0 * (cos(a) - mu * sin(a)) * exp(-mu * (0.5 * PI - a));
    for (int m = 0; m < MODELS; m++) {
        scene s = scene_in(DRUM, models[m], 64, NULL);
        scene_rest(&s);
        CHECK_NEAR(-td_get_reaction(s.system, s.state, 0, TD_BASE).force[0], 19.5,
                   m < LUMPED ? 7e-3 : 2e-2);
        for (int k = 1; k <= 5; k++) {
            scene_set(&s, "turn", -0.01 * k);
            scene_rest(&s);
        }
        const td_reaction held = td_get_reaction(s.system, s.state, 0, TD_BASE);
        CHECK_NEAR(-held.force[0] - mu * held.force[2], capstan,
                   (m < LUMPED ? 2e-3 : 2e-2));  // and of what the base presses
        scene_end(&s);
    }
}

// Turned by a hundredth of the presliding everything sticks, and springs back.
static void ropes_stick_to_a_drum_that_hardly_turns(void **unused) {
    (void)unused;
    scene s = scene_in(DRUM, "eba", 64, NULL);
    scene_rest(&s);
    const double before = td_get_reaction(s.system, s.state, 0, TD_BASE).force[0];
    scene_set(&s, "turn", -1e-8);
    scene_rest(&s);
    CHECK_BETWEEN(td_get_reaction(s.system, s.state, 0, TD_BASE).force[0] - before, 0.01, 0.1);
    scene_set(&s, "turn", 0.0);
    scene_rest(&s);
    CHECK_NEAR(td_get_reaction(s.system, s.state, 0, TD_BASE).force[0], before, 1e-6);
    scene_end(&s);
}

// ---------------------------------------------------------------- derivatives
static void derivatives_are_those_of_equilibria_beside(void **unused) {
    (void)unused;
    static const char *const names[] = {"side", "down", "up"};
    static const double at[] = {0.01, 0.02, 0.0}, h[] = {1e-4, 1e-4, 1e-6};
    for (int m = 0; m < MODELS; m++) {
        scene s = scene_in(BAR, models[m], m < ARCS ? 40 : 16, NULL);
        for (int k = 0; k < 3; k++) scene_set(&s, names[k], at[k]);
        scene_rest(&s);
        double J[18];
        assert_int_equal(td_get_jacobian(s.system, s.state, 0, 0.4, J), TD_OK);
        for (int k = 0; k < 3; k++) {
            const td_pose up = tip_with(&s, names[k], at[k] + h[k]);
            const td_pose down = tip_with(&s, names[k], at[k] - h[k]);
            tip_with(&s, names[k], at[k]);
            for (int i = 0; i < 3; i++) {
                const double slope = (up.p[i] - down.p[i]) / (2.0 * h[k]);
                CHECK_NEAR(J[(3 + i) * 3 + td_find_input(s.system, names[k])], slope,
                           1e-3 * fabs(slope) + 1e-5);
            }
        }
        scene_end(&s);
    }
}

// ---------------------------------------------------------------- beside cosserat
// What an obstacle does to a rod is what its base does not hold: force of obstacles = -(reaction + weight + loads).
// Here without weight and loads, but for the tendon's, which is inside.
#define ARM(more)                                                                                  \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.3, section: {radius: 5 mm},\n"                                        \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.4, density: 1200},\n"                 \
    "     base: {direction: [1, 0, 0]}}\n" more

// Over a bar, where a push at the tip bends it down.
#define OVER_A_BAR                                                                                 \
    ARM("loads: [{at: tip, force: [0, 0, -2]}]\n"                                                  \
        "obstacles: [{name: bar, cylinder: {radius: 60 mm}, direction: [0, 1, 0.3],\n"             \
        "  position: [0.15, 0, -65 mm], stiffness: 1e6}]\n")
// A tendon pulls it against a wall, which it meets with its tip.
#define AGAINST_A_WALL                                                                             \
    ARM("tendons: [{name: t, offset: [-4 mm, 0]}]\n"                                               \
        "inputs: {t: 60}\n"                                                                        \
        "obstacles: [{name: wall, plane: {}, direction: [0, 0, -1], position: [0, 0, 15 mm]}]\n")
// Squeezed into a bent tube.
#define IN_A_TUBE                                                                                  \
    ARM("obstacles: [{name: vessel, stiffness: 1e5, tube: {radius: 12 mm,\n"                       \
        "  points: [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 40 mm], [0.3, 20 mm, 90 mm]]}}]\n")

static void force_on(const char *text, const char *model, const char *set, double F[3]) {
    scene s = scene_in(text, model, 80, set);
    if (td_find_input(s.system, "t") >= 0) scene_set(&s, "t", 60.0);
    scene_rest(&s);
    memcpy(F, td_get_reaction(s.system, s.state, 0, TD_BASE).force, 3 * sizeof *F);
    scene_end(&s);
}

static void they_press_as_cosserat_does(void **unused) {
    (void)unused;
    static const char *const robots[] = {OVER_A_BAR, AGAINST_A_WALL, IN_A_TUBE};
    for (int i = 0; i < 3; i++) {
        double ours[3], theirs[3];
        force_on(robots[i], "cosserat", "simulation.space={elements: 32, nodes: 4}", theirs);
        const double size =
            sqrt(theirs[0] * theirs[0] + theirs[1] * theirs[1] + theirs[2] * theirs[2]);
        CHECK_BETWEEN(size, 0.1, 100.0);
        for (int m = 0; m < MODELS; m++) {
            force_on(robots[i], models[m], NULL, ours);
            for (int k = 0; k < 3; k++) CHECK_NEAR(ours[k], theirs[k], 0.01 * size);
        }
    }
}

// ---------------------------------------------------------------- motion
#define FALLING                                                                                    \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.4, section: {radius: 1 mm},\n"                                        \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 3000},\n"                 \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "obstacles: [{name: floor, plane: {}, position: [0, 0, -0.1]}]\n"

static double most_gain(int model, const char *set, double dt) {
    scene s = scene_in(FALLING, models[model], model < ARCS ? 24 : 8, set);
    const double start = scene_energy(&s);
    double gain = 0.0, low = 0.0, deepest = 0.0;
    for (int k = 0; k * dt < 0.5; k++) {
        scene_step(&s, dt);
        gain = fmax(gain, scene_energy(&s) - start);
        low = fmin(low, td_get_energy(s.system, s.state).gravity);
        deepest = fmin(deepest, scene_tip(&s).p[2]);
    }
    CHECK_BETWEEN(deepest, -0.102, -0.09);  // rom's last place is not its tip
    scene_end(&s);
    return gain / fabs(low);
}

static void impacts_bring_no_energy(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        CHECK_NEAR(most_gain(m, NULL, 5e-3), 0.0, 1e-9);
        CHECK_NEAR(most_gain(m, "obstacles.floor.friction=0.5", 1e-3), 0.0, 1e-9);
    }
}

#define TURNED                                                                                     \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.4, section: {radius: 4 mm}, damping: {time: 20 ms},\n"                \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 3000},\n"                 \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "obstacles:\n"                                                                                 \
    "  - {name: drum, cylinder: {radius: 20 mm}, direction: [0, 1, 0],\n"                          \
    "     position: [0.2, 0, -24 mm], motion: {rotation: [0, 0, turn]}}\n"                         \
    "inputs: {turn: {ramp: {to: 8 rad, duration: 0.2 s}}}\n"                                       \
    "simulation: {time: {step: 1 ms, end: 0.2 s}}\n"

// J that is in the balance too much after 0.2 s: energy gained and dissipated, less the work.
static double imbalance(const char *text, const char *model, const char *set, double dt,
                        double *work) {
    scene s = scene_in(text, model, 24, set);
    assert_int_equal(td_begin(s.system, s.state), TD_OK);
    const double start = scene_energy(&s);
    const int steps = (int)(0.2 / dt + 0.5);
    for (int k = 0; k < steps; k++) scene_advance(&s, dt);
    const td_energy e = td_get_energy(s.system, s.state);
    const double out = scene_energy(&s) - start + e.dissipated - e.work;
    *work = e.work;
    scene_end(&s);
    return out;
}

// Work is that of the surface; a pill along the wire that tilts lifts it.
#define TILTED                                                                                     \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.4, section: {radius: 4 mm}, damping: {time: 20 ms},\n"                \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 3000},\n"                 \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "obstacles:\n"                                                                                 \
    "  - {name: pill, capsule: {radius: 10 mm, length: 60 mm}, stiffness: 20 kPa,\n"               \
    "     direction: [1, 0, 0], position: [0.2, 0, -14 mm], motion: {rotation: [0, turn, 0]}}\n"   \
    "inputs: {turn: {curve: [[0, 0], [0.2, -0.6]]}}\n"                                             \
    "simulation: {time: {step: 1 ms, end: 0.2 s}}\n"

static void the_balance_of_energy_closes(void **unused) {
    (void)unused;
    static const char *const rough = "obstacles.drum.friction=0.3";
    double work;
    for (int m = 0; m < MODELS; m++) {
        CHECK_NEAR(imbalance(TURNED, models[m], NULL, 10e-3, &work), 0.0, 1e-12);
        CHECK_NEAR(work, 0.0, 1e-12);
        const double error = imbalance(TURNED, models[m], rough, 1e-3, &work);
        CHECK_BETWEEN(work, 0.02, 0.04);
        CHECK_NEAR(error, 0.0, 1e-7 * work);
        const double coarse = imbalance(TILTED, models[m], NULL, 4e-3, &work);
        const double fine = imbalance(TILTED, models[m], NULL, 1e-3, &work);
        CHECK_NEAR(fine, 0.0, 1e-5 * work);
        CHECK_BETWEEN(coarse / fine, 12.0, 60.0);  // second order, or better
    }
}

// ---------------------------------------------------------------- few arcs
// A tendon of tension T at a distance d bends one or two arcs by angles u, up to a wall that is hard: virtual work,
// T d = EI u/h + F d(side)/du, with the side to which the tip goes.
#define LEANING                                                                                    \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.3, section: {radius: 5 mm}, stiffness: {bending: 0.5},\n"             \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.4, density: 1200},\n"                 \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "tendons: [{name: t, offset: [-4 mm, 0]}]\n"                                                   \
    "inputs: {t: 200}\n"                                                                           \
    "obstacles: [{name: wall, plane: {}, direction: [0, 0, -1], position: [0, 0, 35 mm],\n"        \
    "  stiffness: 1e10}]\n"                                                                        \
    "simulation: {theory: kirchhoff}\n"

static double side_of(int n, const double *u) {
    const double h = 0.3 / n;
    double turned = 0.0, side = 0.0;
    for (int i = 0; i < n; i++) {
        side += h * (sin(turned) * sin(u[i]) + cos(turned) * (1.0 - cos(u[i]))) / u[i];
        turned += u[i];
    }
    return side;
}

// The side under a force, by repetition.
static double side_under(int n, double F) {
    const double h = 0.3 / n, EI = 0.5, Td = 200.0 * 4e-3, e = 1e-6;
    double u[2] = {0.3 / n, 0.3 / n};
    for (int k = 0; k < 200; k++)
        for (int i = 0; i < n; i++) {
            const double here = u[i];
            double slope = 0.0;
            u[i] = here + e, slope += side_of(n, u) / (2.0 * e);
            u[i] = here - e, slope -= side_of(n, u) / (2.0 * e);
            u[i] = 0.5 * here + 0.5 * (Td - F * slope) * h / EI;
        }
    return side_of(n, u);
}

static double force_to_reach(int n, double side) {
    double low = 0.0, high = 10.0;
    for (int k = 0; k < 60; k++) {
        const double F = 0.5 * (low + high);
        if (side_under(n, F) > side) low = F;
        else high = F;
    }
    return low;
}

static void few_arcs_press_by_virtual_work(void **unused) {
    (void)unused;
    const double one = force_to_reach(1, 30e-3), two = force_to_reach(2, 30e-3);
    const struct {
        const char *model;
        int arcs;
        double force;
    } all[] = {
        {"constant_curvature", 1, one}, {"constant_curvature", 2, two}, {"virtual_power", 2, two}};
    CHECK_BETWEEN(one / two, 1.1, 1.5);
    for (int k = 0; k < 3; k++) {
        scene s = scene_in(LEANING, all[k].model, all[k].arcs,
                           all[k].arcs == 1 ? "simulation.virtual_power.discs=2" : NULL);
        double smallest;
        scene_rest(&s);
        assert_int_equal(td_get_stability(s.system, s.state, &smallest), TD_OK);
        assert_true(smallest > 0.0);
        CHECK_NEAR(td_get_obstacle_wrench(s.system, s.state, 0).force[2] / all[k].force, 1.0, 1e-5);
        scene_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_leave_a_table_over_the_right_length),
        cmocka_unit_test(ropes_slide_on_a_drum_as_the_capstan_equation_says),
        cmocka_unit_test(ropes_stick_to_a_drum_that_hardly_turns),
        cmocka_unit_test(derivatives_are_those_of_equilibria_beside),
        cmocka_unit_test(they_press_as_cosserat_does),
        cmocka_unit_test(few_arcs_press_by_virtual_work),
        cmocka_unit_test(impacts_bring_no_energy),
        cmocka_unit_test(the_balance_of_energy_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
