// Robots that cannot be built, or that virtual_power does not represent: each is refused in words
// that name the place and the rule.
#include <stdbool.h>
#include <string.h>
#include <tendril/tendril.h>

#include "check.h"
#include "not_compiled.h"

#define HEAD                                                                                       \
    "tendril: 1\n"                                                                                 \
    "materials: {steel: {youngs_modulus: 210 GPa, poisson_ratio: 0.3, density: 7850}}\n"
#define CORE "rods: [{name: core, length: 240 mm, material: steel, section: {radius: 0.52 mm}}]\n"
#define DISCS                                                                                      \
    "bodies: [{name: disc, on: core, every: 30 mm, mass: 2 g,\n"                                   \
    "  shape: {cylinder: {radius: 15 mm, height: 2 mm}}}]\n"
#define POWER "simulation: {model: virtual_power}\n"

static void holes_outside_the_disc(void **unused) {
    (void)unused;
    check_not_compiled(HEAD CORE DISCS POWER "tendons: [{name: t, offset: [16 mm, 0]}]\n",
                       "tendons.t.offset",
                       "16 mm from the axis, outside the disc 'disc1' with a radius of 15 mm");
    check_not_compiled(
        HEAD "rods: [{name: core, length: 240 mm, material: steel, section: {radius: 0.5 mm},\n"
             "  envelope: 15 mm}]\n" POWER "tendons: [{name: t, offset: [0, 15.1 mm]}]\n",
        "offset", "outside the envelope");
}

static void rods_that_end_where_no_disc_is(void **unused) {
    (void)unused;
    check_not_compiled(HEAD CORE POWER
                       "bodies: [{name: disc, on: core, at: [60 mm, 120 mm, 180 mm], mass: 2 g}]\n"
                       "tendons: [{name: t, offset: [10 mm, 0]}]\n",
                       "tendons.t.to", "240 mm lies beyond the last disc of rod 'core', at 180 mm");
    check_not_compiled(
        HEAD CORE DISCS POWER "tendons: [{name: t, offset: [10 mm, 0], to: 100 mm}]\n",
        "tendons.t.to", "100 mm lies between the discs of rod 'core' at 90 and 120 mm");
    check_not_compiled(HEAD CORE DISCS POWER
                       "tendons: [{name: t, offset: [10 mm, 0], to: 250 mm}]\n",
                       "to", "0.25");
}

static void negative_friction(void **unused) {
    (void)unused;
    check_not_compiled(HEAD CORE DISCS POWER
                       "tendons: [{name: t, offset: [10 mm, 0], friction: -0.3}]\n",
                       "friction", "-0.3");
}

static void discs_that_touch(void **unused) {
    (void)unused;
    check_not_compiled(
        HEAD CORE POWER "bodies: [{name: disc, on: core, every: 30 mm, mass: 2 g,\n"
                        "  shape: {cylinder: {radius: 15 mm, height: 31 mm}}}]\n",
        "arm.yaml:5:10: bodies.disc.at",
        "discs touch: 'disc2' is 30 mm beyond 'disc1', but together they are 31 mm high");
}

static void loads_between_discs(void **unused) {
    (void)unused;
    check_not_compiled(HEAD CORE DISCS POWER "loads: [{name: l, at: 100 mm, force: [1, 0, 0]}]\n",
                       "loads.l.at", "discs, which are at 30, 60, 90, 120");
    check_not_compiled(HEAD CORE DISCS POWER
                       "loads: [{name: l, from: 0, to: 0.1, force: [1, 0, 0]}]\n",
                       "simulation.model", "distributed loads");
}

static void what_the_model_leaves_out(void **unused) {
    (void)unused;
    check_not_compiled(
        HEAD CORE DISCS POWER
        "tendons: [{name: t, offset: [10 mm, 0], offset_end: [5 mm, 0], friction: 0.1}]\n",
        "tendons.t.routing", "contact: ideal");
    check_not_compiled(HEAD CORE DISCS
                       "simulation: {model: virtual_power, virtual_power: {contact: ideal}}\n"
                       "tendons: [{name: t, offset: [10 mm, 0], friction: 0.1}]\n",
                       "tendons.t.friction", "least-squares");
    check_not_compiled(HEAD CORE DISCS POWER
                       "tendons: [{name: t, offset: [10 mm, 0], viscous: 0.1}]\n",
                       "tendons.t.viscous", "cosserat");
    check_not_compiled(HEAD CORE DISCS POWER
                       "tendons: [{name: t, offset: [10 mm, 0], from: 30 mm}]\n",
                       "tendons.t.from", "begin at the base");
    check_not_compiled(HEAD CORE DISCS POWER
                       "tendons: [{name: t, offset: [10 mm, 0], input: displacement}]\n",
                       "tendons.t.stiffness", "EA");
    check_not_compiled(HEAD CORE POWER "chambers: [{name: c, radius: 0.1 mm}]\n",
                       "simulation.model",
                       "chambers, which this robot uses; models that can: cosserat");
    check_not_compiled(
        HEAD CORE POWER
        "chambers: [{name: c, radius: 0.1 mm}]\nmuscles: [{name: m, curvature: [1, 0, 0]}]\n",
        "simulation.model", "chambers, muscles, which this robot uses; models that can: cosserat");
    check_not_compiled(
        HEAD "rods: [{name: core, length: 240 mm, material: steel, section: {radius: 0.52 mm},\n"
             "  rest: {curvature: [0, 0, 2]}}]\n" POWER,
        "rods.core.rest", "torsion: true");
    check_not_compiled(
        HEAD "rods: [{name: core, length: 240 mm, material: steel, section: {radius: 0.52 mm},\n"
             "  rest: {stretch: [0, 0, 1.1]}}]\n" POWER,
        "rods.core.rest", "no stretch");
    check_not_compiled(HEAD CORE POWER
                       "bodies: [{name: b, on: core, mass: 1 g, attached: let_go}]\n"
                       "inputs: {let_go: {step: {from: 1, to: 0}}}\n",
                       "bodies.b.attached", "cosserat");
}

static void options_out_of_range(void **unused) {
    (void)unused;
    check_not_compiled(HEAD CORE "simulation: {model: virtual_power, virtual_power: {discs: 0}}\n",
                       "discs", "between 1 and 128");
    check_not_compiled(HEAD CORE
                       "simulation: {model: virtual_power, virtual_power: {damping: 0}}\n",
                       "damping", "between 1e-06 and 1");
    check_not_compiled(HEAD CORE
                       "simulation: {model: virtual_power, virtual_power: {contact: idle}}\n",
                       "contact", "ideal");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes_outside_the_disc), cmocka_unit_test(rods_that_end_where_no_disc_is),
        cmocka_unit_test(negative_friction),      cmocka_unit_test(discs_that_touch),
        cmocka_unit_test(loads_between_discs),    cmocka_unit_test(what_the_model_leaves_out),
        cmocka_unit_test(options_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
