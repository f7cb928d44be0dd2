// What is implausible in a robot, though allowed, is told; what is usual is not.
#include <string.h>

#include "robot/facts.h"

#include "check.h"

#define STEEL "material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}"
#define ROD(length, material, radius)                                                              \
    "tendril: 1\nrods: [{name: a, length: " length ", " material ", section: {radius: " radius     \
    "}}]\n"
#define DISCS                                                                                      \
    ROD("0.2", STEEL, "1 mm")                                                                      \
    "bodies: [{name: d, on: a, count: 4, mass: 1 g, shape: {cylinder: {radius: 8 mm, height: 1 "   \
    "mm}}}]\n"

#define VALVE                                                                                      \
    ROD("0.2", STEEL, "2 mm")                                                                      \
    "chambers: [{name: c, radius: 1 mm, input: opening, valve: {supply: 1 bar, conductance: "      \
    "1e-11}}]\n"
#define WARM ROD("0.2", STEEL, "2 mm") "temperatures: [{name: w, expansion: 12e-6 1/K}]\n"
#define RUBBER(poisson)                                                                            \
    "material: {youngs_modulus: 1 MPa, poisson_ratio: " #poisson ", density: 1000, law: rubber}"

static void doubts_are_told(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *says[2];
    } cases[] = {
        {ROD("0.2", STEEL, "1 mm"), {0}},
        {DISCS "tendons: [{name: t, offset: [8 mm, 0]}]\n", {0}},
        {DISCS "tendons: [{name: t, offset: [0, 9 mm]}]\n",
         {"tendons.t: at the disc 'd1' it lies 9 mm from the axis, outside the disc's 8 mm"}},
        // it leaves the discs on its way: 6 mm at the base, 10 mm at the tip, 9 mm at the third
        {DISCS "tendons: [{name: t, offset: [6 mm, 0], offset_end: [10 mm, 0]}]\n",
         {"tendons.t: at the disc 'd3' it lies 9 mm from the axis"}},
        {DISCS "tendons: [{name: t, offset: [9 mm, 0], offset_end: [9 mm, 0], to: 20 mm}]\n", {0}},
        {ROD("1 mm", STEEL, "2 mm"),
         {"rods.a: its radius, 0.002 m, is larger than its length, 0.001 m"}},
        {ROD("300", STEEL, "1 mm"), {"rods.a: a length of 300 m; is a unit missing (mm)?"}},
        {ROD("2", STEEL, "1"), {"rods.a: a mass of 50.3 t"}},  // 8000 kg/m^3 pi 1 m^2 2 m
        {ROD("0.2", "material: {youngs_modulus: 200, poisson_ratio: 0.3, density: 8000}", "1 mm"),
         {"rods.a: a Young's modulus of 200 Pa; is a unit missing (kPa, MPa, GPa)?"}},
        {ROD("0.2", "material: {youngs_modulus: 200, poisson_ratio: 0.3, density: 0.8}", "1 mm"),
         {"a Young's modulus of 200 Pa", "a density of 0.8 kg/m^3; is a unit missing (g/cm^3)?"}},
        {ROD("0.2", "material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8}", "1 mm"),
         {"a Young's modulus of 2.07e+11 Pa at a density of 8 kg/m^3; nothing is as stiff and"}},
        {ROD("0.2", STEEL ", base: {motion: {rotation: [0, turn, 0]}}",
             "1 mm") "inputs: {turn: {ramp: {to: 45, duration: 1 s}}}\n",
         {"rods.a: its base is turned by up to 45 rad, 7.16 turns; is a unit missing (deg)?"}},
        {ROD("0.2", STEEL, "1 mm") "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], held: "
                                   "{position: [0, 0, 0], motion: "
                                   "{rotation: [0, 0, turn]}}}]\ninputs: {turn: \"90*t\"}\n",
         {0}},
        {ROD("0.2", STEEL, "1 mm") "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], held: "
                                   "{position: [0, 0, 0], motion: "
                                   "{rotation: [0, 0, turn]}}}]\ninputs: {turn: 30}\n",
         {"bodies.b: it is turned by up to 30 rad, 4.77 turns; is a unit missing (deg)?"}},
        {ROD("0.2", STEEL ", base: {motion: {rotation: [0, turn, 0]}}",
             "1 mm") "inputs: {turn: {ramp: {to: 720 deg, duration: 1 s}}}\n",
         {0}},
        {ROD("0.2", STEEL,
             "1 mm") "bodies: [{name: b, on: a, mass: 1 g, shape: {sphere: {radius: 5}}}]\n",
         {"bodies.b: a radius of 5 m on a rod of 0.2 m; is a unit missing (mm)?"}},
        {ROD("0.2", STEEL, "1 mm") "bodies: [{name: b, on: a, mass: 5000, inertia: [1, 1, 1]}]\n",
         {"bodies.b: a mass of 5 t; is a unit missing (g)?"}},
        {ROD("0.2", STEEL ", magnetisation: [0, 0, 3e6]", "1 mm"),
         {"a magnetisation of 3e+06 A/m", "there are magnets, but no field acts on them"}},
        {ROD("0.2", STEEL, "1 mm") "fields: [{flux: [0.1, 0, 0]}]\n", {"nothing is magnetic"}},
        {ROD("0.2", STEEL ", magnetisation: [0, 0, 1e5]",
             "1 mm") "fields: [{name: coil, flux: [0, 5, 0]}]\n",
         {0}},
        {ROD("0.2", STEEL ", magnetisation: [0, 0, 1e5]",
             "1 mm") "fields: [{name: coil, flux: [0, 1000, 0]}]\n",
         {"fields.coil: a flux density of 1000 T; is a unit missing (mT)?"}},
        {ROD("0.2", STEEL ", magnetisation: [0, 0, 1e5]",
             "1 mm") "fields: [{name: coil, flux: [0, 0.5*B, 0]}]\n"
                     "inputs: {B: {sine: {offset: 20, amplitude: -100, frequency: 1}}}\n",
         {"fields.coil: a flux density of 60 T"}},
        {VALVE "inputs: {c: {points: [[0, -1], [1, 1]]}}\n", {0}},
        {VALVE "inputs: {c: {ramp: {to: 100, duration: 1}}}\n",
         {"chambers.c: an opening of 100, but a valve is fully open at 1"}},
        {VALVE "inputs: {c: {points: [[0, 0], [1, -1.5]]}}\n", {"chambers.c: an opening of 1.5"}},
        {WARM "inputs: {w: {ramp: {from: 20 degC, to: 100 degC, duration: 1 s}}}\n", {0}},
        {WARM "inputs: {w: {sine: {offset: 300, amplitude: 50, frequency: 1 Hz}}}\n", {0}},
        {WARM "inputs: {w: {ramp: {from: 20 degC, to: 40, duration: 1 s}}}\n",
         {"temperatures.w: 40 K is -233.15 degC; is a unit missing (degC)?"}},
        {WARM "inputs: {w: {points: [[0, 20 degC], [1, -290 degC], [2, 20 degC]]}}\n",
         {"temperatures.w: -16.85 K is -290 degC"}},
        {WARM "inputs: {w: 20 + 273*t}\n", {0}},  // of a formula nothing is known
        {ROD("0.2", RUBBER(0.5), "1 mm"), {0}},
        {ROD("0.2", RUBBER(0.3), "1 mm"),
         {"rods.a: its law is that of rubber, which keeps its volume, but its shear modulus "
          "that of a Poisson's ratio of 0.3"}},
        {ROD("0.2", STEEL, "1 mm") "simulation: {time: {step: 0.5, end: 0.5}}\n", {0}},
        {ROD("0.2", STEEL, "1 mm") "simulation: {time: {step: 2, end: 0.5}}\n",
         {"simulation.time: a step of 2 s, but the run ends at 0.5 s"}},
        {ROD("0.2", STEEL, "1 mm") "fluid: {density: 1000}\n", {"fluid: it carries the rods, but"}},
        {ROD("0.2", STEEL ", drag_coefficient: [1, 0]", "1 mm") "fluid: {density: 1000}\n", {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_error err;
        char text[DOUBT_TEXT];
        td_robot *robot = td_robot_parse(cases[i].text, strlen(cases[i].text), NULL, NULL, 0, &err);
        if (!robot) fail_msg("%s: %s", err.where, err.message);
        int n = 0;
        for (; robot_doubt(robot, n, text, sizeof text); n++)
            if (n >= 2 || !cases[i].says[n] || !strstr(text, cases[i].says[n]))
                fail_msg("'%s' for:\n%s", text, cases[i].text);
        if (n < 2 && cases[i].says[n])
            fail_msg("not told: %s\n%s", cases[i].says[n], cases[i].text);
        td_robot_destroy(robot);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(doubts_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
