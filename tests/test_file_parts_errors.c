// Bad bodies, tendons, chambers and joints in robot files: each refusal with its place and words.
// Tables:
// clang-format off
#include <string.h>

#include "refusals.h"

#define LINE4(part) GOOD part "\n"

static void bad_bodies_are_refused(void **state) {
    (void)state;
#define BODY(keys) LINE4("bodies: [{name: b, " keys "}]")
    static const bad cases[] = {
        {LINE4("bodies: {a: 1}"), 4, 9, "bodies", {"list", "not a mapping"}},
        {LINE4("bodies: [{on: a, mass: 1}]"), 4, 10, "bodies.0", {"'name' is missing"}},
        {BODY("on: a, mass: 1, colour: red"), 4, 36, "bodies.b.colour",
         {"unknown key 'colour'", "Keys allowed here: name, on, at, count, every, mass"}},
        {BODY("on: aa, mass: 1"), 4, 24, "bodies.b.on",
         {"no rod has the name 'aa'"}},
        {BODY("on: a, mass: 1 m"), 4, 33, "bodies.b.mass", {"length (m)", "mass (kg)"}},
        {BODY("on: a"), 4, 10, "bodies.b.mass", {"0 kg must be positive"}},
        {BODY("on: a, mass: 0"), 4, 33, "bodies.b.mass", {"0 kg must be positive"}},
        {BODY("on: a, mass: 1, at: base"), 4, 40, "bodies.b.at", {"0 m is the base"}},
        {BODY("on: a, mass: 1, at: 2"), 4, 40, "bodies.b.at",
         {"2 m must lie on the rod 'a', between 0 and 1 m"}},
        {BODY("on: a, mass: 1, at: [20 %, 2]"), 4, 40, "bodies.b.at", {"2 m must lie on"}},
        {BODY("on: a, mass: 1, at: []"), 4, 40, "bodies.b.at", {"0 bodies"}},
        {BODY("on: a, mass: 1, at: tip, count: 3"), 4, 52, "bodies.b.count",
         {"only one of at, count and every"}},
        {BODY("on: a, mass: 1, count: 3, every: 0.1"), 4, 53, "bodies.b.every", {"only one of"}},
        {BODY("on: a, mass: 1, count: 0"), 4, 43, "bodies.b.count", {"0 bodies: there can be 1"}},
        {BODY("on: a, mass: 1, count: 100000"), 4, 43, "bodies.b.count", {"1 to 4096"}},
        {BODY("on: a, mass: 1, every: 0"), 4, 43, "bodies.b.every", {"0 m must be positive"}},
        {BODY("on: a, mass: 1, every: 2"), 4, 43, "bodies.b.every", {"longer than the rod, 1 m"}},
        {BODY("on: a, mass: 1, every: 1 um"), 4, 43, "bodies.b.every", {"1e+06 bodies"}},
        {BODY("on: a, mass: 1, position: [0, 0, 0]"), 4, 36, "bodies.b.position",
         {"'position' is for a free body"}},
        {BODY("mass: 1, at: tip"), 4, 29, "bodies.b.at", {"'at' goes with 'on'"}},
        {BODY("mass: 1, attached: 1"), 4, 29, "bodies.b.attached", {"'attached' goes with 'on'"}},
        {BODY("on: a, mass: 1, attached: 2"), 4, 46, "bodies.b.attached",
         {"2 must be between 0 (not there) and 1"}},
        {BODY("on: a, mass: 1, attached: 1 N"), 4, 46, "bodies.b.attached",
         {"force (N)", "plain number"}},
        {BODY("on: a, mass: 1, inertia: [1, 1, 3]"), 4, 52, "bodies.b.inertia.z",
         {"3 kg m^2 exceeds the sum of the other two, 2 kg m^2"}},
        {BODY("on: a, mass: 1, inertia: 1 kg m"), 4, 45, "bodies.b.inertia",
         {"a moment of inertia (kg m^2) is expected"}},
        {BODY("on: a, mass: 1, shape: {cone: 1}"), 4, 44, "bodies.b.shape.cone",
         {"unknown key 'cone'", "cylinder, sphere, capsule, box"}},
        {BODY("on: a, mass: 1, shape: {}"), 4, 43, "bodies.b.shape", {"cylinder, sphere, capsule or box"}},
        {BODY("on: a, mass: 1, shape: {sphere: {radius: 1}, box: [1, 1, 1]}"), 4, 43,
         "bodies.b.shape", {"one of"}},
        {BODY("on: a, mass: 1, shape: {cylinder: {radius: 1}}"), 4, 54,
         "bodies.b.shape.cylinder", {"'height' is missing"}},
        {BODY("on: a, mass: 1, shape: {cylinder: {radius: 1, height: -1}}"), 4, 74,
         "bodies.b.shape.cylinder.height", {"-1 m must be positive"}},
        {BODY("on: a, mass: 1, shape: {box: [1, 0, 1]}"), 4, 53, "bodies.b.shape.box.y",
         {"0 m must be positive"}},
        {BODY("direction: [0, 0, 1], rotation: [0, 0, 0]"), 4, 31, "bodies.b.direction",
         {"only one of direction"}},
        {LINE4("bodies: [{name: world}]"), 4, 10, "bodies.world", {"'world'"}},
        {BODY("mass: 1, held: {joint: clamp}"), 4, 35, "bodies.b.held", {"'position' is missing"}},
        {BODY("mass: 1, inertia: 1"), 4, 10, "bodies.b", {"no rod holds it"}},
        {LINE4("bodies:\n- {name: b, on: a, mass: 1}\n- {name: b, on: a, mass: 1}"), 6, 10,
         "bodies.b.name", {"'b' is taken by another of the bodies"}},
        {LINE4("bodies:\n- {name: b2, on: a, mass: 1}\n- {name: b, on: a, mass: 1, count: 2}"), 6,
         3, "bodies.b", {"another body has the name 'b2'"}},
    };
    CHECK_ALL(cases);
}

static void bad_ends_are_refused(void **state) {
    (void)state;
#define ENDS(keys)                                                                          \
    "tendril: 1\nbodies: [{name: hub}, {name: bob, on: a, mass: 1}]\nrods:\n"               \
    "- name: a\n  length: 1\n  " M "\n  " S "\n  " keys "\n"
    static const bad cases[] = {
        {ENDS("base: {body: hbu}"), 8, 16, "rods.a.base.body",
         {"no body has the name 'hbu'; did you mean 'hub'?"}},
        {ENDS("tip: {body: bob}"), 8, 15, "rods.a.tip.body",
         {"'bob' rides on a rod; only a free body can hold"}},
        {ENDS("tip: {body: hub, join: ball}"), 8, 20, "rods.a.tip.join",
         {"did you mean 'joint'?"}},
        {ENDS("tip: {body: hub, joint: hinge}"), 8, 27, "rods.a.tip.joint",
         {"'hinge' is not one of: clamp, ball, revolute, universal"}},
        {ENDS("tip: {joint: ball}"), 8, 8, "rods.a.tip", {"'position' is missing"}},
        {ENDS("tip: {body: world}"), 8, 8, "rods.a.tip", {"where in the world"}},
        {ENDS("tip: {body: hub, axis: [1, 0, 0]}"), 8, 26, "rods.a.tip.axis",
         {"only the joints revolute, universal and prismatic"}},
        {ENDS("tip: {body: hub, joint: revolute, axis2: [1, 0, 0]}"), 8, 44, "rods.a.tip.axis2",
         {"only the joint universal"}},
        {ENDS("tip: {body: hub, joint: revolute, axis: [0, 0, 0]}"), 8, 43, "rods.a.tip.axis",
         {"an axis needs a direction"}},
        {ENDS("tip: {body: hub, joint: universal, axis: [1, 0, 0], axis2: [1, 1, 0]}"), 8, 62,
         "rods.a.tip.axis2", {"45 deg is its angle with `axis`"}},
        {ENDS("base: {body: hub, position: [0, 0, slide]}"), 8, 38, "rods.a.base.position.z",
         {"moves with the body"}},
        {ENDS("base: {body: hub, motion: {rotation: [turn, 0, 0]}}"), 8, 41,
         "rods.a.base.motion.rotation.x", {"moves with the body"}},
        {ENDS("base: {joint: free, body: hub}"), 8, 29, "rods.a.base.body",
         {"a base that is free stands on nothing"}},
        {ENDS("base: {joint: free, position: [0, 0, slide]}"), 8, 40, "rods.a.base.position.z",
         {"nothing holds a base that is free"}},
        {ENDS("base: loose"), 8, 9, "rods.a.base", {"mapping"}},
        {ENDS("tip: {body: hub, joint: free}"), 8, 27, "rods.a.tip.joint",
         {"what is not held is free"}},
        {ENDS("base: {joint: ball, spring: {stiffness: 1}}"), 8, 31, "rods.a.base.spring",
         {"only the joints revolute and prismatic have a spring"}},
        {ENDS("base: {spring: {stiffness: 1}}"), 8, 18, "rods.a.base.spring",
         {"only the joints revolute and prismatic have a spring or a damper, not 'clamp'"}},
        {ENDS("base: {joint: prismatic, spring: {stiffness: 0 N/m}}"), 8, 48,
         "rods.a.base.spring.stiffness", {"a spring of 0 N/m is none"}},
        {ENDS("base: {joint: revolute, spring: {stiffness: 0}}"), 8, 47,
         "rods.a.base.spring.stiffness", {"a spring of 0 N m/rad is none"}},
        {ENDS("base: {joint: prismatic, spring: {damping: 1, rest: 1 mm}}"), 8, 55,
         "rods.a.base.spring.rest", {"without a stiffness nothing pulls towards 'rest'"}},
        {ENDS("base: {joint: revolute, spring: {stiffness: 1 N/m}}"), 8, 47,
         "rods.a.base.spring.stiffness", {"'1 N/m' is"}},
        {ENDS("base: {joint: prismatic, spring: {damping: -1 N s/m}}"), 8, 46,
         "rods.a.base.spring.damping", {"must not be negative"}},
        {ENDS("tip: {body: hub, position: [0, 0, up]}"), 8, 37, "rods.a.tip.position.z",
         {"what is held by a body moves with the body"}},
        {ENDS("feed: out\n  base: free"), 8, 9, "rods.a.feed", {"nothing pushes a rod out"}},
        {ENDS("envelope: -1 mm"), 8, 13, "rods.a.envelope", {"-0.001 m must not be negative"}},
        {ENDS("feed: 1 kg"), 8, 9, "rods.a.feed", {"mass (kg)", "length (m)"}},
        {ENDS("feed: -1"), 8, 9, "rods.a.feed", {"-1 m leaves nothing of the rod"}},
        {ENDS("section_end: {radius: 2 cm}\n  feed: out"), 9, 9, "rods.a.feed", {"has a taper"}},
    };
    CHECK_ALL(cases);
}

static void bad_tendons_are_refused(void **state) {
    (void)state;
#define TENDON(keys) LINE4("tendons: [{name: t, " keys "}]")
    static const bad cases[] = {
        {TENDON("offset: [0, 0], input: voltage, motor: {spool: 1 mm, resistance: 1, torque_constant: 1, stiffness: 3}"),
         4, 120, "tendons.t.motor.stiffness", {"3 N m/rad is of a control of the angle, but no angle is given"}},
        {TENDON("offset: [0, 0], input: torque, motor: {spool: 1 mm, inertia: 1, damping: 3}"), 4,
         94, "tendons.t.motor.damping", {"is of a control of angle or speed, but neither is given"}},
        {LINE4("tendons: [{offset: [0, 0]}]"), 4, 11, "tendons.0", {"'name' is missing"}},
        {TENDON("offset: [0, 0], tension: 5"), 4, 37, "tendons.t.tension",
         {"unknown key 'tension'; did you mean 'input: tension'?"}},
        {TENDON("rod: a"), 4, 11, "tendons.t", {"'offset' or 'routing' is missing"}},
        {TENDON("rod: b, offset: [0, 0]"), 4, 26, "tendons.t.rod", {"no rod has the name 'b'"}},
        {TENDON("offset: 1 mm"), 4, 29, "tendons.t.offset", {"list of 2 numbers"}},
        {TENDON("offset: [1 mm, 2 mm, 3 mm]"), 4, 29, "tendons.t.offset", {"there are 3"}},
        {TENDON("offset: [1 kg, 0]"), 4, 30, "tendons.t.offset.x", {"mass (kg)"}},
        {TENDON("offset: [0, 0], to: 2"), 4, 41, "tendons.t.to",
         {"2 m must lie on the rod 'a', between 0 and 1 m"}},
        {TENDON("offset: [0, 0], end: 2"), 4, 42, "tendons.t.end", {"2 m must lie on the rod"}},
        {TENDON("offset: [0, 0], to: 1, end: 1"), 4, 49, "tendons.t.end", {"either to or end"}},
        {TENDON("offset: [0, 0], from: 50 %, to: 20 %"), 4, 53, "tendons.t.to",
         {"0.2 m must lie beyond `from`: the tendon covers no length"}},
        {TENDON("offset: [0, 0], routing: {helix: {radius: 1, turns: 1}}"), 4, 46,
         "tendons.t.routing", {"either offset or routing"}},
        {TENDON("offset_end: [0, 0]"), 4, 11, "tendons.t", {"'offset' or 'routing' is missing"}},
        {TENDON("offset: [0, 0], input: torque, motor: {spool: 1 mm, inertia: 1, max_torque: 0}"), 4,
         97, "tendons.t.motor.max_torque",
         {"'max_torque' must be positive, but is 0; left out, there is no limit"}},
        {TENDON("offset: [0, 0], input: angle, motor: {spool: 1 mm, stiffness: 0}"), 4, 83,
         "tendons.t.motor.stiffness", {"a control of 0 N m/rad holds no angle; left out, it holds by any torque"}},
        {TENDON("offset: [0, 0], input: speed, motor: {spool: 1 mm, damping: 0}"), 4, 81,
         "tendons.t.motor.damping", {"a control of 0 N m s/rad holds no speed"}},
        {TENDON("offset: [0, 0], input: speed, motor: {spool: 1 mm, max_speed: 0 rad/s}"), 4, 83,
         "tendons.t.motor.max_speed", {"left out, there is no limit"}},
        {TENDON("routing: {}"), 4, 30, "tendons.t.routing", {"one of helix, points or polar"}},
        {TENDON("routing: {spline: 1}"), 4, 31, "tendons.t.routing.spline",
         {"unknown key 'spline'", "helix, points"}},
        {TENDON("routing: {helix: {turns: 1}}"), 4, 38, "tendons.t.routing.helix",
         {"'radius' is missing"}},
        {TENDON("routing: {helix: {radius: 0, turns: 1}}"), 4, 47,
         "tendons.t.routing.helix.radius", {"0 m must be positive"}},
        {TENDON("routing: {helix: {radius: 1, turns: 1, phase: 1 m}}"), 4, 67,
         "tendons.t.routing.helix.phase", {"angle (rad)"}},
        {TENDON("routing: {points: [[0, 0, 0]]}"), 4, 39, "tendons.t.routing.points",
         {"two or more is expected here, each a point [place, x, y]"}},
        {TENDON("routing: {points: [[0, 0, 0], [tip, 0]]}"), 4, 51,
         "tendons.t.routing.points.1", {"a point [place, x, y]", "there are 2"}},
        {TENDON("routing: {polar: [[0, 0]]}"), 4, 38, "tendons.t.routing.polar",
         {"two or more is expected here, each a point [place, radius, angle]"}},
        {TENDON("routing: {polar: [[0, 0, 0], [tip, 0, 1 mm]]}"), 4, 59,
         "tendons.t.routing.polar.1.2", {"angle (rad)"}},
        {TENDON("routing: {points: [[0, 0, 0], [tip, 0, 1 N]]}"), 4, 60,
         "tendons.t.routing.points.1.2", {"force (N)"}},
        {TENDON("routing: {points: [[0, 0, 0], [tip, 0, 0], [50 %, 0, 0]]}, to: tip"), 4, 64,
         "tendons.t.routing.points.2", {"0.5 m must lie beyond the point before it, at 1 m"}},
        {TENDON("routing: {points: [[0, 0, 0], [50 %, 0, 0]]}, to: tip"), 4, 39,
         "tendons.t.routing.points", {"0.5 m is where its last point lies, but it runs to 1 m"}},
        {TENDON("offset: [0, 0], input: force"), 4, 44, "tendons.t.input",
         {"'force' is not one of: tension, displacement"}},
        {TENDON("offset: [0, 0], value: 1 mm"), 4, 44, "tendons.t.value",
         {"a length (m), but a force (N) is expected"}},
        {TENDON("offset: [0, 0], input: displacement, value: 1 N"), 4, 65, "tendons.t.value",
         {"a force (N), but a length (m) is expected"}},
        {TENDON("offset: [0, 0], value: {ramp: {to: 1 N}}"), 4, 51, "tendons.t.value.ramp",
         {"'duration' is missing"}},
        {TENDON("offset: [0, 0], friction: -0.1"), 4, 47, "tendons.t.friction",
         {"-0.1 must not be negative"}},
        {TENDON("offset: [0, 0], compliance: 1 N/m"), 4, 49, "tendons.t.compliance",
         {"a compliance (m/N) is expected"}},
        {TENDON("offset: [0, 0], viscous: 1 m/s"), 4, 46, "tendons.t.viscous",
         {"a viscous friction (s/m) is expected"}},
        {TENDON("offset: [0, 0], outside: 1"), 4, 46, "tendons.t.outside", {"stiffness EA"}},
        {TENDON("offset: [0, 0], pretension: 1 N"), 4, 49, "tendons.t.pretension",
         {"driven by displacement"}},
        {TENDON("offset: [0, 0], input: displacement, pretension: 1 N"), 4, 70,
         "tendons.t.pretension", {"keeps no pretension"}},
        {LINE4("tendons: [{name: t, offset: [0, 0]}]\ninputs: {t: 5 mm}"), 5, 13, "inputs.t",
         {"a length (m), but a force (N) is expected"}},
        {LINE4("tendons: [{name: t, offset: [0, 0]}]\nchambers: [{name: t, radius: 1 mm}]"), 5, 12,
         "chambers.t", {"the input 't' is in Pa here, but in N where it is used first"}},
        {LINE4("tendons:\n- {name: s, offset: [0, 0], value: -u}\n"
               "- {name: u, offset: [0, 0], value: {step: {to: 1 N}}}"), 6, 36, "tendons.u.value",
         {"the input 'u' is used before its signal stands here"}},
        {LINE4("tendons: [{name: s, offset: [0, 0], value: 5*t}]"), 4, 44, "tendons.s.value",
         {"t is the time in formulas, {formula: \"5*t\"}"}},
        {LINE4("tendons: [{name: s, offset: [0, 0], value: 1 N + 2 mm*u}]"), 4, 48, "tendons.s.value",
         {"do not add up"}},
        {LINE4("tendons: [{name: s, offset: [0, 0], value: u - v}]"), 4, 44, "tendons.s.value",
         {"of two inputs, 'u' and 'v', but one at most"}},
        {LINE4("tendons: [{name: s, offset: [0, 0], value: abs(u)}]"), 4, 44, "tendons.s.value",
         {"is not straight in the input 'u'"}},
        {LINE4("tendons:\n- {name: t, offset: [0, 0]}\n- {name: t, offset: [0, 0]}"), 6, 10,
         "tendons.t.name", {"'t' is taken by another of the tendons"}},
        {"tendril: 1\nrods:\n- {name: arm, envelope: 10 mm, length: 1, " M ", " S "}\n"
         "tendons:\n- {name: east, offset: [12 mm, 0]}\n", 5, 24, "tendons.east.offset",
         {"12 mm from the axis lies outside the envelope of rod 'arm', 10 mm"}},
    };
    CHECK_ALL(cases);
}

static void bad_chambers_are_refused(void **state) {
    (void)state;
#define CHAMBER(keys) LINE4("chambers: [{name: c, " keys "}]")
    static const bad cases[] = {
        {CHAMBER("radius: 1 mm, input: opening, valve: {conductance: 1e-11, transition: 1 Pa}"), 4, 92, "chambers.c.valve.transition", {"1 Pa is of a liquid alone"}},
        {CHAMBER("radius: 1 mm, input: opening, valve: {conductance: 1e-11, line_compliance: 1e-12}"), 4, 97, "chambers.c.valve.line_compliance", {"is of a liquid alone (liquid: true); that of gas is its volume, line"}},
        {CHAMBER("radius: 1 mm, input: opening, valve: {conductance: 1e-11, liquid: true, line: 1 mL}"), 4, 100, "chambers.c.valve.line", {"is of gas alone; the line of a liquid has a line_compliance"}},
        {CHAMBER("radius: 1 mm, input: opening, value: -7, valve: {conductance: 1e-11}"), 4, 59, "chambers.c.value", {"-7 must be between -1, open to the atmosphere, and 1"}},
        {CHAMBER("offset: [0, 0]"), 4, 12, "chambers.c", {"'radius' or 'area' is missing"}},
        {CHAMBER("radius: 1 mm, area: 1 mm^2"), 4, 12, "chambers.c", {"not both"}},
        {CHAMBER("radius: 2 cm"), 4, 30, "chambers.c.radius",
         {"the area 1256.64 mm^2 is larger than the section of rod 'a', 314.159 mm^2"}},
        {CHAMBER("area: 4 cm^2"), 4, 28, "chambers.c.area", {"the area 400 mm^2 is larger"}},
        {CHAMBER("radius: 0"), 4, 12, "chambers.c.area", {"0 m^2 must be positive"}},
        {CHAMBER("radius: 3 mm, offset: [0, 8 mm]"), 4, 44, "chambers.c.offset",
         {"8 mm from the axis with a radius of 3 mm", "of rod 'a' by 1 mm"}},
        {CHAMBER("radius: 3 mm, to: 120 %"), 4, 40, "chambers.c.to", {"1.2 m must lie on"}},
        {CHAMBER("radius: 3 mm, from: tip"), 4, 12, "chambers.c.to",
         {"the chamber covers no length"}},
        {CHAMBER("radius: 3 mm, input: flow"), 4, 43, "chambers.c.input",
         {"'flow' is not one of: pressure, volume, amount"}},
        {CHAMBER("radius: 3 mm, input: amount, value: 1 g"), 4, 58, "chambers.c.value",
         {"mass (kg)", "an amount of substance (mol) is expected"}},
        {CHAMBER("radius: 3 mm, input: volume, value: 0"), 4, 58, "chambers.c.value",
         {"0 m^3 must be positive"}},
        // pi (5 mm)^2 1 m, and 101325 Pa of it at 293.15 K
        {CHAMBER("radius: 5 mm, input: volume"), 4, 12, "chambers.c",
         {"'value', or a signal under inputs, is missing", "7.854e-05 m^3 at rest"}},
        {CHAMBER("radius: 5 mm, input: amount"), 4, 12, "chambers.c", {"0.003265 mol at rest"}},
        {CHAMBER("radius: 3 mm, temperature: -300 degC"), 4, 49, "chambers.c.temperature",
         {"must be positive"}},
        {CHAMBER("radius: 3 mm, volume: true"), 4, 44, "chambers.c.volume",
         {"'true' is not one of: energy, path"}},
        {CHAMBER("radius: 3 mm, atmosphere: -1"), 4, 48, "chambers.c.atmosphere",
         {"-1 Pa must not be negative"}},
    };
    CHECK_ALL(cases);
}

static void bad_loads_on_bodies_are_refused(void **state) {
    (void)state;
#define LOAD(keys)                                                                          \
    LINE4("bodies: [{name: hub}, {name: bob, on: a, mass: 1, attached: grip}]\n"            \
          "loads: [{name: w, force: [0, 0, 1], " keys "}]")
    static const bad cases[] = {
        {LOAD("body: hob"), 5, 43, "loads.w.body", {"no body has the name 'hob'"}},
        {LOAD("body: hub, at: tip"), 5, 52, "loads.w.at", {"'at' has no place"}},
        {LOAD("body: hub, rod: a"), 5, 53, "loads.w.rod", {"'rod' has no place"}},
        {LOAD("body: hub, from: 0"), 5, 54, "loads.w.from", {"acts at its frame"}},
        {LOAD("body: bob"), 5, 43, "loads.w.body", {"'bob' is not always attached"}},
    };
    CHECK_ALL(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_bodies_are_refused),   cmocka_unit_test(bad_ends_are_refused),
        cmocka_unit_test(bad_tendons_are_refused),  cmocka_unit_test(bad_chambers_are_refused),
        cmocka_unit_test(bad_loads_on_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
