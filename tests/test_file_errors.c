// Bad robot files: every refusal names the line, the column, the key and what was expected.
// Tables:
// clang-format off
#include <stdlib.h>
#include <string.h>

#include "refusals.h"

#define FILES TEST_DATA "/files/"

static void bad_yaml_is_refused(void **state) {
    (void)state;
    static const bad cases[] = {
        {"", 1, 1, "", {"empty"}},
        {"# only a comment\n", 1, 1, "", {"empty"}},
        {"- a\n", 1, 1, "", {"mapping"}},
        {"just text", 1, 1, "", {"mapping", "tendril: 1"}},
        {"tendril: 1\nname: [a, b\n", 3, 1, "", {"YAML", "bracket"}},
        {"tendril: 1\nname: \"abc\n", 2, 8, "", {"YAML", "quote"}},
        {"\ttendril: 1\n", 1, 1, "", {"YAML", "tab"}},
        {"tendril: 1\nname: a\nname: b\n", 3, 1, "name", {"twice", "line 2"}},
        {"tendril: 1\nrecord: {shape: 3,\n  shape: 4}\n", 3, 3, "record.shape", {"twice",
         "line 2"}},
        {"tendril: 1\n---\ntendril: 1\n", 2, 1, "", {"second document"}},
        {"tendril: !!int 1\n", 1, 16, "", {"tags"}},
        {"tendril: 1\nrods: !mine [a]\n", 2, 13, "", {"tags"}},
        {"tendril: 1\nname: *nobody\n", 2, 7, "", {"no anchor &nobody stands before"}},
        {"tendril: 1\ntemplates: {a: &somebody 1}\nname: *sombody\n", 3, 7, "",
         {"no anchor &sombody", "did you mean 'somebody'?"}},
        {"tendril: 1\nrods: &r [*r]\n", 2, 11, "", {"own anchor"}},
        {"tendril: 1\n? [a, b]\n: c\n", 2, 3, "", {"key", "plain word"}},
        {"tendril: 1\nname: \"a\\0b\"\n", 2, 8, "", {"NUL"}},
        {"tendril: 1\nname: caf\xe9\n", 2, 10, "", {"UTF-8"}},
        {"tendril: 1\nname: \xc0\xaf\n", 2, 7, "", {"UTF-8"}},
        {"tendril: 1\nname: a\x01\n", 2, 8, "", {"control character"}},
        {"\xff\xfet\n", 1, 1, "", {"UTF-8"}},
        {"tendril: 1\n"
         "name: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[a]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
         2, 38, "", {"nested"}},
    };
    CHECK_ALL(cases);
}

static void bad_structure_is_refused(void **state) {
    (void)state;
    static const bad cases[] = {
        {"name: a\n", 1, 1, "", {"'tendril' is missing", "tendril: 1"}},
        {"tendril: 2\n", 1, 10, "tendril", {"'2'", "reads version 1"}},
        {"tendril: [1]\n", 1, 10, "tendril", {"version"}},
        {"tendril: 1\n", 1, 1, "", {"at least one rod"}},
        {"tendril: 1\nrods: []\n", 2, 7, "rods", {"at least one rod"}},
        {"tendril: 1\nrods: {a: 1}\n", 2, 7, "rods", {"list", "not a mapping"}},
        {"tendril: 1\nrods: [a]\n", 2, 8, "rods.0", {"mapping", "not a single value"}},
        {GOOD "gravty: [0, 0, 0]\n", 4, 1, "gravty",
         {"unknown key 'gravty'", "did you mean 'gravity'?", "Keys allowed here: tendril, name"}},
        {GOOD "simulation: {end: 3 s}\n", 4, 14, "simulation.end",
         {"unknown key 'end'; did you mean 'time: {end: ...}'?"}},
        {GOOD "obstacles: [{name: w, plane: {point: [0, 0, 1]}}]\n", 4, 31, "obstacles.w.plane.point",
         {"unknown key 'point'. A plane has no keys: `plane: {}`. Its `position` and `direction` are keys of the obstacle"}},
        {GOOD "zzz: 1\n", 4, 1, "zzz", {"unknown key 'zzz'. Keys allowed here"}},
        {GOOD "name: [a]\n", 4, 7, "name", {"text is expected", "not a list"}},
        {GOOD "name:\n", 4, 1, "name", {"there is nothing"}},
        {GOOD "robot: other.yaml\n", 4, 8, "robot", {"other.yaml", "cannot be opened"}},
        {"tendril: 1\nrods:\n- {name: a, lenght: 1, " M ", " S "}\n", 3, 13, "rods.a.lenght",
         {"did you mean 'length'?"}},
        {"tendril: 1\nrods:\n- {length: 1, " M ", " S "}\n", 3, 3, "rods.0", {"'name' is missing"}},
        {"tendril: 1\nrods:\n- {name: a, " M ", " S "}\n", 3, 3, "rods.a",
         {"'length' (or 'pieces') is missing"}},
        {"tendril: 1\nrods:\n- {name: a, length: 1, " S "}\n", 3, 3, "rods.a",
         {"'material' is missing"}},
        {"tendril: 1\nrods:\n- {name: a, length: 1, " M "}\n", 3, 3, "rods.a",
         {"'section' is missing"}},
        {"tendril: 1\nrods:\n- {name: my rod, length: 1, " M ", " S "}\n", 3, 10,
         "rods.my rod.name",
         {"'my rod'", "letters"}},
        {"tendril: 1\nrods:\n" ROD ROD, 4, 10, "rods.a.name", {"'a' is taken", "rods"}},
        {"tendril: 1\nrods:\n- {name: a, pieces: [], " M ", " S "}\n", 3, 21, "rods.a.pieces",
         {"0 pieces"}},
        {"tendril: 1\nrods:\n- name: a\n  " M "\n  " S "\n"
         "  pieces:\n  - {length: 1}\n  - {drag: 1}\n",
         8, 5, "rods.a.pieces.1", {"'length' is missing"}},
        {"tendril: 1\nrods:\n- name: a\n  length: 3\n  " M "\n  " S "\n"
         "  pieces: [{length: 1}, {length: 1}]\n", 4, 11, "rods.a.length",
         {"3 m is not the sum of the pieces, 2 m"}},
    };
    CHECK_ALL(cases);
}

static void bad_quantities_are_refused(void **state) {
    (void)state;
#define LENGTH(value) "tendril: 1\nrods:\n- name: a\n  length: " value "\n  " M "\n  " S "\n"
    static const bad cases[] = {
        {LENGTH("5 kg"), 4, 11, "rods.a.length",
         {"'5 kg' is a mass (kg)", "a length (m) is expected"}},
        {LENGTH("5 mmm"), 4, 11, "rods.a.length", {"unknown unit 'mmm'", "length (m)"}},
        {LENGTH("5 Nm"), 4, 11, "rods.a.length", {"did you mean 'N m' or 'nm'?"}},
        {LENGTH("5 millimetres"), 4, 11, "rods.a.length", {"did you mean 'mm'?"}},
        {LENGTH("5 Newton"), 4, 11, "rods.a.length", {"did you mean 'N'?"}},
        {LENGTH("5 degF"), 4, 11, "rods.a.length", {"did you mean 'degC'?"}},
        {LENGTH("\xe2\x88\x92""5"), 4, 11, "rods.a.length", {"write '-' for minus"}},
        {LENGTH("5\xc2\xa0kg"), 4, 11, "rods.a.length", {"is a mass (kg)"}},
        {LENGTH("1\n  base: {rotation: [0, 90, 0]}"), 5, 24, "rods.a.base.rotation.y",
         {"'90' is in rad, 14.3 turns; is a unit missing (deg)? Otherwise write '90 rad'"}},
        {LENGTH("1\n  base: {rotation: [0, 3.15, 90]}"), 5, 30, "rods.a.base.rotation.z", {"90"}},
        {LENGTH("five"), 4, 11, "rods.a.length", {"'five' is not a number", "length (m)"}},
        {LENGTH(".nan"), 4, 11, "rods.a.length", {"not a number"}},
        {LENGTH(".inf"), 4, 11, "rods.a.length", {"not a number"}},
        {LENGTH("NaN"), 4, 11, "rods.a.length", {"not a number"}},
        {LENGTH("1e400"), 4, 11, "rods.a.length", {"too large"}},
        {LENGTH("1e150"), 4, 11, "rods.a.length", {"'1e150' is too large"}},
        {LENGTH("0x10"), 4, 11, "rods.a.length", {"unknown unit 'x10'"}},
        {LENGTH("1,5"), 4, 11, "rods.a.length", {"decimal point"}},
        {LENGTH("-5 mm"), 4, 11, "rods.a.length", {"-0.005 m must be positive"}},
        {LENGTH("0"), 4, 11, "rods.a.length", {"0 m must be positive"}},
        {LENGTH("'-1'"), 4, 11, "rods.a.length", {"-1 m must be positive"}},
        {LENGTH("[1]"), 4, 11, "rods.a.length", {"a length (m) is expected here, not a list"}},
        {LENGTH("{a: 1}"), 4, 11, "rods.a.length", {"not a mapping"}},
        {LENGTH("1 m/s m"), 4, 11, "rods.a.length", {"parentheses"}},
        {GOOD "gravity: [0, 0]\n", 4, 10, "gravity", {"list of 3 numbers", "there are 2"}},
        {GOOD "gravity: -9.81\n", 4, 10, "gravity", {"list of 3 numbers", "single value"}},
        {GOOD "gravity: [0, 0, 9.81 m/s]\n", 4, 17, "gravity.z",
         {"velocity (m/s)", "an acceleration (m/s^2) is expected"}},
        {GOOD "gravity: [0, nan, 0]\n", 4, 14, "gravity.y", {"'nan' is not a number"}},
        {GOOD "simulation: {space: {steps: 1.5}}\n", 4, 29, "simulation.space.steps",
         {"'1.5' is not a whole number"}},
        {GOOD "simulation: {space: {steps: 0}}\n", 4, 29, "simulation.space.steps",
         {"0 must be between 1 and 100000"}},
        {GOOD "simulation: {space: {steps: 1e30}}\n", 4, 29, "simulation.space.steps",
         {"too large"}},
        {GOOD "simulation: {time: {step: 0}}\n", 4, 27, "simulation.time.step", {"positive"}},
        {GOOD "simulation: {time: {step: 1 ns, end: 1 h}}\n", 4, 27, "simulation.time.step",
         {"3.6e+12 steps"}},
        {GOOD "simulation: {time: {alpha: 0.5}}\n", 4, 28, "simulation.time.alpha",
         {"0.5 must be between -0.5 and 0"}},
        {GOOD "simulation: {time: {scheme: bdf4}}\n", 4, 29, "simulation.time.scheme",
         {"'bdf4' is not one of: backward-euler, bdf2", "did you mean 'bdf2'?"}},
        {GOOD "simulation: {rotary_inertia: yes}\n", 4, 30, "simulation.rotary_inertia",
         {"'yes'", "true or false"}},
        {GOOD "simulation: {solver: {tolerance: 1 mm}}\n", 4, 34, "simulation.solver.tolerance",
         {"length (m)", "plain number"}},
        {GOOD "simulation: {model: a-name-that-is-much-too-long-for-a-model}\n", 4, 21,
         "simulation.model", {"too long"}},
        {GOOD "record: {fields: pose}\n", 4, 18, "record.fields", {"list"}},
        {GOOD "record: {fields: [pose, strian]}\n", 4, 25, "record.fields.1",
         {"'strian'", "did you mean 'strain'?"}},
        {GOOD "record: {shape: 1}\n", 4, 17, "record.shape", {"between 2"}},
    };
    CHECK_ALL(cases);
}

static void bad_rods_are_refused(void **state) {
    (void)state;
#define WITH(part) "tendril: 1\nrods:\n- name: a\n  length: 1\n  " part "\n"
    static const bad cases[] = {
        {WITH(S "\n  material: steel"), 6, 13, "rods.a.material", {"no material", "'steel'"}},
        {"tendril: 1\nmaterials: {pla: {youngs_modulus: 1, poisson_ratio: 0, density: 1}}\n"
         "rods: [{name: a, length: 1, " S ", material: stell}]\n", 3, 64, "rods.a.material",
         {"'stell'; there are: pla"}},
        {WITH("section: {radius: 1,5 mm}\n  " M), 5, 23, "rods.a.section.5 mm",
         {"meant as a decimal point"}},
        {WITH("section: {diameter: 1 mm}\n  " M), 5, 13, "rods.a.section.diameter",
         {"did you mean 'radius'?"}},
        {WITH("radius: 1 mm\n  " M), 5, 3, "rods.a.radius",
         {"did you mean 'section: {radius: ...}'?"}},
        {WITH("material: {E: 1 GPa}\n  " S), 5, 14, "rods.a.material.E",
         {"did you mean 'youngs_modulus'?"}},
        {WITH("shear_centre: [9,5 mm, 0]\n  " M "\n  " S), 5, 17, "rods.a.shear_centre",
         {"there are 3: if a comma was meant as a decimal point"}},
        {"tendril: 1\nmaterials: {steel: {youngs_modulus: 1, poisson_ratio: 0, density: 1}}\n"
         "rods: [{name: a, length: 1, " S ", material: stell}]\n", 3, 64, "rods.a.material",
         {"did you mean 'steel'?"}},
        {"tendril: 1\nmaterials:\n  steel: {youngs_modulus: 1, poisson_ratio: 0, density: -1}\n"
         "rods: [{name: a, length: 1, " S ", material: steel}]\n", 3, 57,
         "materials.steel.density", {"-1 kg/m^3 must be positive"}},
        {"tendril: 1\nmaterials:\n  unused: {youngs_modulus: 1}\nrods:\n" ROD, 3, 11,
         "materials.unused", {"'density' is missing"}},
        {WITH(S "\n  material: {youngs_modulus: 1, density: 1}"), 6, 13, "rods.a.material",
         {"'poisson_ratio' or 'shear_modulus' is missing"}},
        {WITH(S "\n  material: {youngs_modulus: 1, density: 1, poisson_ratio: 0, "
                "shear_modulus: 1}"),
         6, 60, "rods.a.material.poisson_ratio", {"not both"}},
        {WITH(S "\n  material: {youngs_modulus: 1, density: 1, poisson_ratio: 0.6}"), 6, 60,
         "rods.a.material.poisson_ratio", {"0.6 must be above -1 and at most 0.5"}},
        {WITH(S "\n  material: {youngs_modulus: 1 kPascal, density: 1, poisson_ratio: 0}"), 6, 30,
         "rods.a.material.youngs_modulus", {"unknown unit 'kPascal'", "pressure (Pa)"}},
#define E1 "youngs_modulus: 1, poisson_ratio: 0, density: 1"
        {WITH(S "\n  material: {law: superelastic, " E1 "}"), 6, 19,
         "rods.a.material.law", {"needs the key 'superelastic' beside it"}},
        {WITH(S "\n  material: {superelastic: {strain: 0.1, martensite_modulus: 1, forward: [3, 4], backward: [2, 1]}, " E1 "}"), 6, 14,
         "rods.a.material.superelastic", {"give 'law: superelastic'"}},
        {WITH(S "\n  material: {relaxation: {shares: [0.1, 0.2], times: [1 s]}, " E1 "}"), 6, 54,
         "rods.a.material.relaxation.times", {"1 time for 2 shares: each share has a time"}},
        {WITH(S "\n  material: {relaxation: {shares: 0.1, times: [1 s, 2 s]}, " E1 "}"), 6, 47,
         "rods.a.material.relaxation.times", {"2 times for 1 share: each share has a time"}},
        {WITH(M "\n  section: {}"), 6, 12, "rods.a.section", {"radius"}},
        {WITH(M "\n  section: {diameter: 1}"), 6, 13, "rods.a.section.diameter",
         {"unknown key 'diameter'", "radius, inner_radius, width"}},
        {WITH(M "\n  section: {radius: 1, width: 1}"), 6, 24, "rods.a.section.width",
         {"'width' does not go with 'radius'"}},
        {WITH(M "\n  section: {width: 1}"), 6, 12, "rods.a.section", {"'height' is missing"}},
        {WITH(M "\n  section: {inner_radius: 1}"), 6, 12, "rods.a.section",
         {"'radius' is missing"}},
        {WITH(M "\n  section: {radius: 1 mm, inner_radius: 2 mm}"), 6, 41,
         "rods.a.section.inner_radius", {"0.002 m must be smaller than the radius"}},
        {WITH(M "\n  " S "\n  section_end: {width: 1, height: 1}"), 3, 3, "rods.a",
         {"different shapes"}},
        {WITH(M "\n  " S "\n  section_end: {radius: 0}"), 7, 25, "rods.a.section_end.radius",
         {"positive"}},
        {WITH(M "\n  section: {radius: 1e-60}"), 3, 3, "rods.a.mass_per_length",
         {"too small to compute with"}},
        {WITH(M "\n  " S "\n  stiffness: {bending: [1, -1]}"), 7, 28, "rods.a.stiffness.bending.y",
         {"-1 N m^2 must not be negative"}},
        {WITH(M "\n  " S "\n  stiffness: {bending: [1, 2, 3]}"), 7, 24, "rods.a.stiffness.bending",
         {"list of 2 numbers"}},
        {WITH(M "\n  " S "\n  stiffness: {bending: 0}"), 7, 24, "rods.a.stiffness.bending",
         {"positive", "0"}},
        {WITH(M "\n  " S "\n  stiffness: {bending: -1}"), 7, 24, "rods.a.stiffness.bending",
         {"not be negative"}},
        {WITH(M "\n  " S "\n  damping: {time: 1 m}"), 7, 19, "rods.a.damping.time", {"length (m)"}},
        {WITH(M "\n  " S "\n  drag: 1 kg/m"), 7, 9, "rods.a.drag", {"mass per length (kg/m)"}},
        {WITH(M "\n  " S "\n  rest: {stretch: [0, 0, -1]}"), 7, 26, "rods.a.rest.stretch.z",
         {"-1 must be positive"}},
        {WITH(M "\n  " S "\n  base: {direction: [0, 0, 0]}"), 7, 21, "rods.a.base.direction",
         {"cannot be zero"}},
        {WITH(M "\n  " S "\n  base: {quaternion: [1, 1, 0, 0]}"), 7, 22, "rods.a.base.quaternion",
         {"norm", "1.41421"}},
        {WITH(M "\n  " S "\n  base: {direction: [0, 0, 1], rotation: [0, 0, 0]}"), 7, 21,
         "rods.a.base.direction", {"only one"}},
        {WITH(M "\n  " S "\n  base: {position: [0, 0, 1 kg]}"), 7, 27, "rods.a.base.position.z",
         {"mass (kg)", "length (m)"}},
        {WITH(M "\n  " S "\n  base: {motion: {rotation: [0, 0, {sine: {amplitude: 1}}]}}"), 7, 43,
         "rods.a.base.motion.rotation.z.sine", {"'frequency' is missing"}},
        {WITH(M "\n  " S "\n  pieces:\n  - {length: 2}\n  - {length: -1}"), 9, 14,
         "rods.a.pieces.1.length", {"must be positive"}},
        {WITH(M "\n  section: {radius: -1}\n  pieces: [{length: 1}]"), 6, 21,
         "rods.a.section.radius", {"must be positive"}},
    };
    CHECK_ALL(cases);
}

static void bad_loads_and_inputs_are_refused(void **state) {
    (void)state;
    static const bad cases[] = {
        {GOOD "loads: [{name: w, force: [0, 0, 1]}]\n", 4, 9, "loads.w", {"'at' is missing"}},
        {GOOD "loads: [{at: tip}]\n", 4, 9, "loads.0", {"'force' or 'moment' is missing"}},
        {GOOD "loads: [{at: tip, from: 0, force: [0, 0, 1]}]\n", 4, 14, "loads.0.at",
         {"either at a point"}},
        {GOOD "loads: [{name: w, at: 2, force: [0, 0, 1]}]\n", 4, 23, "loads.w.at",
         {"2 m must lie on the rod 'a', between 0 and 1 m"}},
        {GOOD "loads: [{name: w, at: 120 %, force: [0, 0, 1]}]\n", 4, 23, "loads.w.at", {"1.2 m"}},
        {GOOD "loads: [{name: w, at: top, force: [0, 0, 1]}]\n", 4, 23, "loads.w.at",
         {"'top' is not a number"}},
        {GOOD "loads: [{name: w, at: 3 deg, force: [0, 0, 1]}]\n", 4, 23, "loads.w.at", {"angle"}},
        {GOOD "loads: [{name: w, from: 0.5, to: 0.5, force: [0, 0, 1]}]\n", 4, 34, "loads.w.to",
         {"no length"}},
        {GOOD "loads: [{name: w, rod: b, at: tip, force: [0, 0, 1]}]\n", 4, 24, "loads.w.rod",
         {"no rod has the name 'b'"}},
        {"tendril: 1\nrods:\n- {name: a, length: 1, " M ", " S "}\n- {name: b, length: 1, " M ", " S
         "}\nloads: [{at: tip, force: [0, 0, 1]}]\n", 5, 9, "loads.0", {"'rod' is missing",
         "2 rods"}},
        {GOOD "loads: [{at: tip, force: [0, 0, 1 N/m]}]\n", 4, 33, "loads.0.force.z",
         {"force per length (N/m)", "a force (N) is expected"}},
        {GOOD "loads: [{from: 0, force: [0, 0, 1 N]}]\n", 4, 33, "loads.0.force.z",
         {"a force per length (N/m) is expected"}},
        {GOOD "loads: [{at: tip, force: [0, 0, 1], frame: wrld}]\n", 4, 44, "loads.0.frame",
         {"'wrld' is not one of: world, body", "did you mean 'world'?"}},
        {GOOD "loads:\n- {name: w, at: tip, force: [0, 0, 1]}\n"
              "- {name: w, at: tip, force: [0, 0, 1]}\n", 6, 10, "loads.w.name", {"'w' is taken"}},
        {GOOD "inputs: {push: 1 N}\n", 4, 10, "inputs.push", {"'push' drives nothing"}},
        {GOOD "loads: [{at: tip, force: [0, 0, push]}]\ninputs: {psuh: 1 N}\n", 5, 10,
         "inputs.psuh",
         {"input 'psuh' drives nothing; did you mean 'push'?"}},
        {GOOD "loads: [{at: tip, force: [0, 0, push]}]\ninputs: {push: 1 m}\n", 5, 16,
         "inputs.push",
         {"'1 m' is a length (m), but a force (N) is expected"}},
        {GOOD "loads: [{at: tip, force: [0, 0, push], moment: [push, 0, 0]}]\n", 4, 49,
         "loads.0.moment.x", {"'push' is in N m here, but in N"}},
        {GOOD "loads: [{at: tip, force: [push, 0, 2 N * push]}]\n", 4, 36, "loads.0.force.z",
         {"the input itself carries the unit"}},
        {GOOD "loads: [{at: tip, force: [push, 0, 1e200*push]}]\n", 4, 36, "loads.0.force.z",
         {"1e+200 is too large"}},
        {GOOD "loads: [{name: w, at: tip, force: [0, 0, {step: {to: 1}}]}]\n"
              "inputs: {w.force.z: 1}\n", 5, 10, "inputs.w.force.z", {"another on line 4"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {}]}]\n", 4, 33, "loads.0.force.z",
         {"step, ramp, hat, sine, points, curve, table or formula"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {rmap: 1}]}]\n", 4, 34, "loads.0.force.z.rmap",
         {"did you mean 'ramp'?"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {ramp: {to: 1, duration: 1}, hat: {}}]}]\n", 4, 33,
         "loads.0.force.z", {"one key, not 2"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {ramp: {to: 1, duration: 0}}]}]\n", 4, 58,
         "loads.0.force.z.ramp.duration", {"0 s must be positive"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {ramp: {to: 1}}]}]\n", 4, 40,
         "loads.0.force.z.ramp", {"'duration' is missing"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {hat: {to: 1, duration: 1}}]}]\n", 4, 40,
         "loads.0.force.z.hat.to", {"unknown key 'to'", "from, peak, start, duration"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {sine: {amplitude: 1, frequency: 60 rpm}}]}]\n", 4,
         66,
         "loads.0.force.z.sine.frequency",
         {"an angular velocity (rad/s)", "a frequency (Hz) is expected"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {points: [[0, 1], [1]]}]}]\n", 4, 51,
         "loads.0.force.z.points.1", {"[time, value]"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {points: [[1, 1], [0, 1]]}]}]\n", 4, 51,
         "loads.0.force.z.points.1", {"0 s follows 1 s"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {points: []}]}]\n", 4, 42, "loads.0.force.z.points",
         {"[time, value]"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {points: [[0, 1 m]]}]}]\n", 4, 47,
         "loads.0.force.z.points.0.1", {"length (m)", "force (N)"}},
        {GOOD "loads: [{at: tip, force: [0, 0, {table: {}}]}]\n", 4, 41, "loads.0.force.z.table",
         {"'file' is missing"}},
    };
    CHECK_ALL(cases);
}

static void bad_limits_are_refused(void **state) {
    (void)state;
#define PUSHED GOOD "loads: [{at: tip, force: [0, 0, push]}]\n"
    static const bad cases[] = {
        {PUSHED "limits: {push: {rate: 5 N}}\n", 5, 23, "limits.push.rate", {"'push' is in N, its rate in N/s"}},
        {PUSHED "limits: {push: {rate: 5 m/s}}\n", 5, 23, "limits.push.rate", {"'5 m/s' is not how fast the input may change"}},
        {PUSHED "limits: {push: {rate: fast}}\n", 5, 23, "limits.push.rate", {"'fast' is not a number", "force per time (N/s)"}},
        {PUSHED "limits: {push: {rate: 0}}\n", 5, 23, "limits.push.rate", {"a rate of 0 N/s must be positive; left out, there is no limit"}},
        {PUSHED "limits: {push: {rate: -1 N/s}}\n", 5, 23, "limits.push.rate", {"a rate of -1 N/s must be positive"}},
        {PUSHED "limits: {push: {}}\n", 5, 16, "limits.push", {"limits nothing: give [low, high], or the keys range and rate"}},
        {PUSHED "limits: {push: 5 N}\n", 5, 16, "limits.push", {"[low, high], or a mapping with range and rate, is expected"}},
        {PUSHED "limits: {push: {range: [0, 5 m]}}\n", 5, 28, "limits.push.range.y", {"length (m)", "force (N)"}},
    };
    CHECK_ALL(cases);
}

static void bad_tables_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *table;
        int line, column;
        const char *where, *says;
    } cases[] = {
        {"{file: tables/none.csv}", 4, 48, FILES "bad.yaml:4:48: loads.0.force.z.table.file",
         "tables/none.csv' cannot be opened"},
        {"{file: tables}", 4, 48, FILES "bad.yaml:4:48: loads.0.force.z.table.file",
         "is a directory"},
        {"{file: /dev/zero}", 4, 48, FILES "bad.yaml:4:48: loads.0.force.z.table.file",
         "not a plain file"},
        {"{file: tables/push.csv, time: tt}", 4, 71, NULL, "no column 'tt'"},
        {"{file: tables/push.csv, value: forse}", 4, 72, NULL, "did you mean 'force'?"},
        {"{file: tables/push.csv, value: 4}", 4, 72, NULL, "columns 1 to 3"},
        {"{file: tables/push.csv, value: 1.5}", 4, 72, NULL, "columns 1 to 3"},
        {"{file: tables/blank.csv, value: v}", 4, 73, NULL, "has no header"},
        {"{file: tables/bad-number.csv}", 3, 3,
         "tables/bad-number.csv:3:3: loads.0.force.z.table", "'x' is not a number"},
        {"{file: tables/falling.csv}", 4, 1, "tables/falling.csv:4:1: loads.0.force.z.table",
         "0.5 s follows 1 s"},
        {"{file: tables/short-row.csv}", 3, 1, "tables/short-row.csv:3:1: loads.0.force.z.table",
         "column 2 is missing"},
        {"{file: tables/empty.csv}", 2, 1, "tables/empty.csv:2:1: loads.0.force.z.table",
         "no rows"},
        {"{file: tables/decimal-comma.csv}", 2, 3,
         "tables/decimal-comma.csv:2:3: loads.0.force.z.table", "'0,6': write a decimal point"},
        {"{file: tables/nul.csv}", 4, 48, NULL, "NUL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        td_error err;
        snprintf(text, sizeof text, GOOD "loads: [{at: tip, force: [0, 0, {table: %s}]}]\n",
                 cases[i].table);
        td_robot *robot = td_robot_parse(text, strlen(text), FILES "bad.yaml", NULL, 0, &err);
        assert_null(robot);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s: '%s' does not say '%s'", cases[i].table, err.message, cases[i].says);
        if (err.line != cases[i].line || err.column != cases[i].column)
            fail_msg("%s: at %d:%d: %s", cases[i].table, err.line, err.column, err.where);
        const char *end = cases[i].where ? strstr(cases[i].where, "bad.yaml") : NULL;
        if (end && !strstr(err.where, end)) fail_msg("where is %s", err.where);
        if (cases[i].where && !end) assert_string_equal(err.where, cases[i].where);
    }
}

static void files_that_cannot_be_read_are_refused(void **state) {
    (void)state;
    td_error err;
    assert_null(td_robot_load(FILES "none.yaml", NULL, 0, &err));
    assert_int_equal(err.status, TD_ERR_FILE);
    assert_string_equal(err.where, FILES "none.yaml");
    assert_non_null(strstr(err.message, "No such file"));
    assert_null(td_robot_load(TEST_DATA, NULL, 0, &err));
    assert_int_equal(err.status, TD_ERR_FILE);
    assert_non_null(strstr(err.message, "directory"));
    assert_null(td_robot_load("/dev/null", NULL, 0, &err));
    assert_non_null(strstr(err.message, "plain file"));
    assert_null(td_robot_load(NULL, NULL, 0, &err));
    assert_int_equal(err.status, TD_ERR_ARGUMENT);
    assert_null(td_robot_load(FILES "none.yaml", NULL, 0, NULL));
    assert_null(td_robot_parse(NULL, 0, NULL, NULL, 0, NULL));
}

static void text_from_memory_names_no_files(void **state) {
    (void)state;
    td_error err;
    const char *text = "tendril: 1\nrobot: /etc/hostname\n";
    assert_null(td_robot_parse(text, strlen(text), NULL, NULL, 0, &err));
    assert_string_equal(err.where, "text:2:8: robot");
    assert_non_null(strstr(err.message, "does not come from a file"));
}

static void a_nul_byte_is_refused(void **state) {
    (void)state;
    td_error err;
    const char text[] = "tendril: 1\nname: a\0b\n";
    assert_null(td_robot_parse(text, sizeof text - 1, "nul.yaml", NULL, 0, &err));
    assert_string_equal(err.where, "nul.yaml:2:8");
    assert_non_null(strstr(err.message, "NUL"));
}

// Nine lists of nine aliases each: a billion values if they were all made.
static void growing_aliases_are_refused(void **state) {
    (void)state;
    char text[4096] = "tendril: 1\nname: [&a0 [x]";
    for (int i = 1; i < 10; i++) {
        char line[128];
        snprintf(line, sizeof line, ", &a%d [*a%d", i, i - 1);
        strcat(text, line);
        snprintf(line, sizeof line, ", *a%d", i - 1);
        for (int j = 1; j < 9; j++) strcat(text, line);
        strcat(text, "]");
    }
    strcat(text, "]\n");
    td_error err;
    assert_null(td_robot_parse(text, strlen(text), NULL, NULL, 0, &err));
    assert_int_equal(err.status, TD_ERR_PARSE);
    assert_non_null(strstr(err.message, "more values"));
}

static void a_huge_file_is_refused(void **state) {
    (void)state;
    size_t length = (16u << 20) + 1;
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, 'a', length);
    td_error err;
    assert_null(td_robot_parse(text, length, NULL, NULL, 0, &err));
    assert_non_null(strstr(err.message, "larger than 16 MiB"));
    free(text);
}

static void bad_overrides_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *set, *where, *says;
    } cases[] = {
        {"rods.wire.lenght=1", "override 1: rods.wire.lenght", "did you mean 'length'?"},
        {"rods.wire.length=5 kg", "override 1: rods.wire.length", "mass (kg)"},
        {"rods.wier.length=5", "override 1: rods.wier.length", "did you mean 'wire'?"},
        {"rods.3.length=5", "override 1: rods.3.length", "no item '3' in a list of 1"},
        {"rod.wire.length=5", "override 1: rod", "did you mean 'rods'?"},
        {"rods.wire.length.x=5", "override 1: rods.wire.length.x", "'0.5' is a single value"},
        {"let.reach=5", "override 1: let.reach", "let has no constant 'reach'"},
        {"bodies.disc.mass=1", "override 1: bodies.disc.mass", "the file has no 'bodies'"},
        {"inputs.x=5", "override 1: inputs.x", "input 'x' drives nothing"},
        {"inputs.otter=5", "override 1: inputs.otter", "drives nothing; did you mean 'other'?"},
        {"rods.wire.length", "override 1: rods.wire.length", "path=value"},
        {"=3", "override 1: =3", "path=value"},
        {"rods.wire.length=", "override 1: rods.wire.length", "no value"},
        {"rods..length=1", "override 1: rods..length", "empty"},
        {"rods.wire.length=[1", "override 1", "YAML"},
        {"robot=other.yaml", "override 1: robot", "cannot be chosen"},
        {"simulation.time.step=-1", "override 1: simulation.time.step", "positive"},
        {"tendril=3", "override 1: tendril", "version"},
        {NULL, "override 1: ", "path=value"},
        {"materials.\xff.density=1", "override 1: materials.\xff.density", "UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_error err;
        const char *const sets[] = {cases[i].set};
        td_robot *robot = td_robot_load(FILES "simple.yaml", sets, 1, &err);
        if (robot) fail_msg("%s was accepted", cases[i].set);
        assert_string_equal(err.where, cases[i].where);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s: '%s' does not say '%s'", cases[i].set, err.message, cases[i].says);
    }
}

static void a_slip_in_the_name_of_a_material_makes_no_new_one(void **state) {
    (void)state;
    td_error err;
    assert_null(
        td_robot_load(FILES "arm.yaml", (const char *const[]){"materials.stel.density=5"}, 1, &err));
    assert_string_equal(err.where, "override 1: materials.stel.density");
    assert_non_null(strstr(err.message, "did you mean 'steel'?"));
}

static void bad_scenarios_are_refused(void **state) {
    (void)state;
    static const bad cases[] = {
        {"tendril: 1\nrobot: none.yaml\n", 2, 8, "robot", {"none.yaml' cannot be opened"}},
        {"tendril: 1\nrobot: simple.yaml\nrods: []\n", 3, 1, "rods", {"belong to the robot file"}},
        {"tendril: 1\nrobot: [simple.yaml]\n", 2, 8, "robot", {"path of a file"}},
        {"tendril: 1\nrobot: simple.yaml\nloads: [{name: x, at: tip}]\n", 3, 9, "loads.x",
         {"'force' or 'moment'"}},
        {"tendril: 1\nrobot: simple.yaml\nrecord: {shpae: 3}\n", 3, 10, "record.shpae",
         {"did you mean 'shape'?"}},
        {"tendril: 1\nrobot: simple.yaml\ninputs: {more: 3}\n", 3, 10, "inputs.more",
         {"drives nothing"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_error err;
        td_robot *robot =
            td_robot_parse(cases[i].text, strlen(cases[i].text), FILES "s.yaml", NULL, 0, &err);
        assert_null(robot);
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
        assert_non_null(strstr(err.where, cases[i].path));
        if (!strstr(err.message, cases[i].says[0])) fail_msg("%s: %s", err.where, err.message);
    }
    // A mistake in the robot file is reported there.
    td_error err;
    const char *text = "tendril: 1\nrobot: tables/push.csv\n";
    assert_null(td_robot_parse(text, strlen(text), FILES "s.yaml", NULL, 0, &err));
    assert_non_null(strstr(err.where, "tables/push.csv:"));
    text = "tendril: 1\nrobot: scenario.yaml\n";
    assert_null(td_robot_parse(text, strlen(text), FILES "s.yaml", NULL, 0, &err));
    assert_non_null(strstr(err.where, "scenario.yaml:2:1"));
    assert_non_null(strstr(err.message, "names a robot file in turn"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_yaml_is_refused),
        cmocka_unit_test(bad_structure_is_refused),
        cmocka_unit_test(bad_quantities_are_refused),
        cmocka_unit_test(bad_rods_are_refused),
        cmocka_unit_test(bad_loads_and_inputs_are_refused),
        cmocka_unit_test(bad_limits_are_refused),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(files_that_cannot_be_read_are_refused),
        cmocka_unit_test(text_from_memory_names_no_files),
        cmocka_unit_test(a_nul_byte_is_refused),
        cmocka_unit_test(growing_aliases_are_refused),
        cmocka_unit_test(a_huge_file_is_refused),
        cmocka_unit_test(bad_overrides_are_refused),
        cmocka_unit_test(a_slip_in_the_name_of_a_material_makes_no_new_one),
        cmocka_unit_test(bad_scenarios_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
