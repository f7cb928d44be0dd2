// robot/file_keys.c - the keys of a robot file, each with its type, unit, default and meaning: rods,
// loads, signals, and the groups of options, whose lines stand in options_table.c. Those of bodies stand in
// file_keys_parts.c, those of actuators in a file for each kind.
// Tables:
// clang-format off
#include "robot/file_read.h"
#include "robot/loads.h"

static const value_type type_within = {"mapping", keep_node};  // read when inputs are known
static const choice laws[] = {{"hookean", TD_HOOKEAN}, {"neo-hookean", TD_NEO_HOOKEAN},
                              {"rubber", TD_RUBBER},   {"superelastic", TD_SUPERELASTIC}, {0}};
#define FRAME(NAME, word, features, help) {#word, TD_FRAME_##NAME},
#define FRAME_HELP(NAME, word, features, help) ", `" #word "`: " help
static const choice frames[] = {LOAD_KINDS(FRAME){0}};

// ---------------------------------------------------------------- the file
#define AT(field) offsetof(root_draft, field)
#define ROOT_KEY(word, plural, flag, help)                                                          \
    {#plural, &type_list, NULL, "none", help, AT(actuators[KIND_##word]), 0, &word##_mapping},
#define MAPPING(word, plural, flag, help) extern const mapping word##_mapping;
ACTUATOR_KINDS(MAPPING)
static const key root_keys[] = {
    {"tendril", &type_count, NULL, REQUIRED, "version of the format: 1", AT(version), 0, 0},
    {"name", &type_text, NULL, "empty", "title", AT(name), 0, 0},
    {"description", &type_text, NULL, "empty", "free text", AT(description), 0, 0},
    {"robot", &type_text, NULL, "this file", "the robot file, in a scenario file", AT(robot), 0, 0},
    {"include", &type_include, NULL, "none", "files read before this one: materials, templates, constants, parts", 0, 0, 0},
    {"templates", &type_named, NULL, "none", "anything to be used elsewhere by `*name` and `<<: *name`; not read itself",
     AT(templates), 0, 0},
    {"let", &type_quantities, NULL, "none", "constants for formulas", AT(let), 0, 0},
    {"gravity", &type_later, "m/s^2", "[0, 0, -9.81]", "acceleration of gravity, world frame",
     AT(gravity), 0, 0},
    {"materials", &type_named, NULL, "none", "materials by name", AT(materials), 0,
     &material_mapping},
    {"rods", &type_list, NULL, "none; one or a body is required", "the rods", AT(rods), 0,
     &rod_mapping},
    {"bodies", &type_list, NULL, "none", "rigid bodies", AT(bodies), 0,
     &body_mapping},
    ACTUATOR_KINDS(ROOT_KEY)
    {"loads", &type_list, NULL, "none", "forces and moments", AT(loads), 0, &load_mapping},
    {"fields", &type_list, NULL, "none", "magnetic fields", AT(fields), 0, &field_mapping},
    {"fluid", &type_within, NULL, "none", "fluid around the robot", AT(fluid), 0, &fluid_mapping},
    {"obstacles", &type_list, NULL, "none", "obstacles", AT(obstacles), 0, &obstacle_mapping},
    {"contacts", &type_list, NULL, "none", "contact between parts of the robot", AT(contacts), 0, &contact_mapping},
    {"sensors", &type_list, NULL, "none", "sensors", AT(sensors), 0, &sensor_mapping},
    {"controllers", &type_list, NULL, "none", "controllers, which add to the inputs", AT(controllers), 0, &controller_mapping},
    {"estimator", &type_within, NULL, "none", "estimator of shape and unknown numbers", AT(estimator), 0, &estimator_mapping},
    {"inputs", &type_signals, NULL, "none", "signals of inputs", AT(inputs), 0,
     &signal_mapping},
    {"limits", &type_named, NULL, "none", "limits of inputs that are computed", AT(limits), 0, &input_limits_mapping},
    {"initial", &type_mapping, NULL, "as `simulation.start` says", "where a run starts", AT(initial), 0,
     &initial_mapping},
    {"simulation", &type_mapping, NULL, "all defaults", "model, schemes and times", AT(plan), 0,
     &simulation_mapping},
    {"record", &type_mapping, NULL, "all defaults", "what a run records", AT(plan), 0,
     &record_mapping},
};
const mapping root_mapping = {"top level", "The file.", KEYS(root_keys), 0, 0};
#undef AT

// ---------------------------------------------------------------- materials
#define AT(field) offsetof(td_superelastic, field)
static const key superelastic_keys[] = {
    {"martensite_modulus", &type_quantity, "Pa", REQUIRED, "modulus of martensite; at most `youngs_modulus`, which is that of austenite",
     AT(martensite_modulus), 0, 0},
    {"forward", &type_pair, "Pa", REQUIRED, "stresses at which the transformation to martensite begins and is complete", AT(forward), 0, 0},
    {"backward", &type_pair, "Pa", REQUIRED, "stresses at which the reverse transformation begins and is complete; below those of `forward`", AT(backward), 0, 0},
    {"strain", &type_quantity, "", REQUIRED, "transformation strain", AT(strain), 0, 0},
};
static const mapping superelastic_mapping = {
    "materials.NAME.superelastic",
    "An alloy with a flag-shaped stress-strain curve: austenite transforms to martensite, and back at lower stresses.",
    KEYS(superelastic_keys), 0, 0};
#undef AT

#define AT(field) offsetof(td_relaxation, field)
static const key relaxation_keys[] = {
    {"shares", &type_series, "", REQUIRED, "initial increase by each term, as a share of the moduli, which are those of long times",
     AT(shares), 0, 0},
    {"times", &type_series, "s", REQUIRED, "relaxation time of each term", AT(times), 0, 0},
};
static const mapping relaxation_mapping = {
    "materials.NAME.relaxation",
    "A Prony series: after a step of strain the moduli are E (1 + sum of share exp(-t/time)), those of shear alike.",
    KEYS(relaxation_keys), 0, 0};
#undef AT

#define AT(field) offsetof(material_draft, field)
static const key material_keys[] = {
    {"youngs_modulus", &type_quantity, "Pa", REQUIRED, "modulus of extension and bending",
     AT(youngs_modulus), 0, 0},
    {"shear_modulus", &type_quantity, "Pa", "from poisson_ratio", "modulus of shear and torsion",
     AT(shear_modulus), 0, 0},
    {"poisson_ratio", &type_quantity, "", "from shear_modulus",
     "above -1, at most 0.5; gives the shear modulus E/(2 + 2 nu)", AT(poisson_ratio), 0, 0},
    {"density", &type_quantity, "kg/m^3", REQUIRED, "mass per volume", AT(density), 0, 0},
    {"law", &type_choice, NULL, "hookean", "`neo-hookean`: the axial force of rubber, E A (l - 1/l^2)/3 at the stretch l; `rubber`: in every fibre of the section; `superelastic`: an alloy, "
     "in every fibre",
     AT(law), laws, 0},
    {"mooney_share", &type_quantity, "", "0", "with `law: rubber`: C2/(C1 + C2) of Mooney-Rivlin, 0 to 1; 0 is neo-Hookean", AT(mooney_share), 0, 0},
    {"superelastic", &type_mapping, NULL, "none", "with `law: superelastic`: stresses and strain of the transformation", AT(superelastic), 0,
     &superelastic_mapping},
    {"relaxation", &type_mapping, NULL, "none", "relaxation: moduli decay to the given ones after a step of strain", AT(relaxation), 0,
     &relaxation_mapping},
};
const mapping material_mapping = {"materials.NAME",
                                  "A material, named or written in place. Give either "
                                  "`shear_modulus` or `poisson_ratio`.",
                                  KEYS(material_keys), 0, 0};
#undef AT

// ---------------------------------------------------------------- rods
#define AT(field) offsetof(td_section, field)
static const key section_keys[] = {
    {"radius", &type_quantity, "m", "-", "a circle or tube: outer radius", AT(radius), 0, 0},
    {"inner_radius", &type_quantity, "m", "0", "a tube: inner radius", AT(inner_radius), 0, 0},
    {"width", &type_quantity, "m", "-", "a rectangle: side along local x", AT(width), 0, 0},
    {"height", &type_quantity, "m", "-", "a rectangle: side along local y", AT(height), 0, 0},
    {"area", &type_quantity, "m^2", "-", "any other: area", AT(area), 0, 0},
    {"ixx", &type_quantity, "m^4", "-", "second moment of area about local x", AT(ixx), 0, 0},
    {"iyy", &type_quantity, "m^4", "-", "second moment of area about local y", AT(iyy), 0, 0},
    {"torsion", &type_quantity, "m^4", "-", "torsion constant", AT(torsion), 0, 0},
    {"polar", &type_quantity, "m^4", "ixx + iyy", "polar moment of area, for rotary inertia",
     AT(polar), 0, 0},
};
const mapping section_mapping = {
    "rods[].section",
    "A cross-section: a circle (`radius`), a tube (`radius`, `inner_radius`), a rectangle "
    "(`width`, `height`), or any other (`area`, `ixx`, `iyy`, `torsion`, `polar`).",
    KEYS(section_keys), 0, 0};
#undef AT

#define AT(field) offsetof(td_piece_def, field)
static const key stiffness_keys[] = {
    {"bending", &type_pair, "N m^2", "from section and material", "EI about local x and y",
     AT(stiffness[0]), 0, 0},
    {"torsion", &type_quantity, "N m^2", "from section and material", "GJ", AT(stiffness[2]), 0, 0},
    {"shear", &type_pair, "N", "from section and material", "k G A along local x and y",
     AT(stiffness[3]), 0, 0},
    {"extension", &type_quantity, "N", "from section and material", "axial stiffness EA", AT(stiffness[5]), 0, 0},
    {"matrix", &type_matrix, "", "-",
     "the whole matrix, if modes couple: symmetric, positive definite, SI; rows and columns bending x and y, torsion, shear x and y, extension",
     AT(stiffness_matrix), 0, 0},
};
const mapping stiffness_mapping = {
    "rods[].stiffness", "Given stiffness, in place of that from section and material.",
    KEYS(stiffness_keys), 0, 0};

static const key damping_keys[] = {
    {"bending", &type_pair, "N m^2 s", "0", "against the rate of bending", AT(damping[0]), 0, 0},
    {"torsion", &type_quantity, "N m^2 s", "0", "against the rate of twist", AT(damping[2]), 0, 0},
    {"shear", &type_pair, "N s", "0", "against the rate of shear", AT(damping[3]), 0, 0},
    {"extension", &type_quantity, "N s", "0", "against the rate of stretch", AT(damping[5]), 0, 0},
    {"time", &type_quantity, "s", "0", "adds this time times the stiffness to each of the above",
     AT(damping_time), 0, 0},
    {"power", &type_quantity, "", "1",
     "p in damping abs(rate)^(p - 1) rate, for each strain rate separately; 1 to 4", AT(damping_power), 0, 0},
};
const mapping damping_mapping = {"rods[].damping", "Kelvin-Voigt damping of the material.",
                                 KEYS(damping_keys), 0, 0};

static const key hysteresis_keys[] = {
    {"moment", &type_quantity, "N m", REQUIRED, "largest friction moment", AT(hysteresis.moment), 0, 0},
    {"curvature", &type_quantity, "1/m", REQUIRED, "curvature over which it reverses: 63 % of the way to the other side", AT(hysteresis.curvature), 0, 0},
    {"exponent", &type_quantity, "", "1", "Bouc-Wen exponent: how sharply slip begins, 1 to 20", AT(hysteresis.exponent), 0, 0},
    {"shape", &type_quantity, "", "1", "shape of unloading: 0.5 straight, 1 like loading, up to 4", AT(hysteresis.shape), 0, 0},
};
static const mapping hysteresis_mapping = {
    "rods[].hysteresis", "Rate-independent internal friction in bending: Bouc-Wen, with the defaults Dahl's model.", KEYS(hysteresis_keys), 0, 0};

static const key rest_keys[] = {
    {"curvature", &type_vector, "1/m", "[0, 0, 0]", "curvature about x and y, and twist, at rest",
     AT(rest_curvature), 0, 0},
    {"stretch", &type_vector, "", "[0, 0, 1]", "shear along x and y, and stretch, at rest",
     AT(rest_stretch), 0, 0},
};
const mapping rest_mapping = {"rods[].rest", "The shape without load, in the section's own frame.",
                              KEYS(rest_keys), 0, 0};

// What a rod says for all its pieces, and a piece for itself.
static const key body_keys[] = {
    {"length", &type_quantity, "m", "required, for a rod the sum of its pieces", "length at rest",
     AT(length), 0, 0},
    {"material", &type_material, NULL, "required unless stiffness and mass are given in full",
     "name of a material, or the material itself", 0, 0, &material_mapping},
    {"section", &type_section, NULL, "required unless stiffness and mass are given in full",
     "cross-section (at the start)", AT(section), 0, &section_mapping},
    {"section_end", &type_section, NULL, "as section",
     "cross-section at the end; the dimensions vary linearly", AT(section_end), 0,
     &section_mapping},
    {"shear_factor", &type_quantity, "", "1", "k in the shear stiffness k G A", AT(shear_factor), 0,
     0},
    {"stiffness", &type_stiffness, NULL, "from section and material", "given stiffness", 0, 0,
     &stiffness_mapping},
    {"shear_centre", &type_offset, "m", "[0, 0]", "local x and y of the point where a force does not twist the rod: for open profiles, half tubes",
     AT(shear_centre), 0, &polar_mapping},
    {"mass_per_length", &type_quantity, "kg/m", "from section and material", "given mass per length",
     AT(mass_per_length), 0, 0},
    {"damping", &type_damping, NULL, "none", "damping of the material", 0, 0, &damping_mapping},
    {"hysteresis", &type_mapping, NULL, "none", "internal friction in bending", 0, 0, &hysteresis_mapping},
    {"drag", &type_triple, "kg/m^2", "0",
     "C in the drag -C abs(q) q per length, for each component q of the velocity", AT(drag), 0, 0},
    {"linear_drag", &type_triple, "kg/(m s)", "0", "drag per length and velocity", AT(linear_drag),
     0, 0},
    {"drag_coefficient", &type_pair, "", "0",
     "in a fluid, [across, along]: coefficients of quadratic drag, across the rod with its height and along it with its surface",
     AT(drag_coefficient), 0, 0},
    {"added_mass", &type_vector, "", "[0, 0, 0]",
     "in a fluid: added mass, relative to the fluid displaced by a round section of the same height (across), or by the section (along)",
     AT(added_mass), 0, 0},
    {"magnetisation", &type_vector, "A/m", "[0, 0, 0]", "remanent magnetisation in the section's frame; times the area it is a moment per length",
     AT(magnetisation), 0, 0},
    {"rest", &type_mapping, NULL, "straight", "shape at rest", 0, 0, &rest_mapping},
};
#undef AT
const mapping piece_mapping = {
    "rods[].pieces[]",
    "A part of the rod. Keys that a piece leaves out are taken from the rod. A taper of the rod runs over its whole length.",
    KEYS(body_keys), 0, 0};

#define AT(field) offsetof(rod_draft, field)
static const key rod_keys[] = {
    {"name", &type_text, NULL, REQUIRED, "unique; letters, digits, `_` and `-`", AT(name), 0, 0},
    {"base", &type_base, NULL, "clamped at the origin, along z", "how its base is held", AT(base),
     0, &base_mapping},
    {"tip", &type_tip, NULL, "free", "how its tip is held", AT(tip), 0, &tip_mapping},
    {"feed", &type_number, "m", "0", "length that is pushed out of its base beyond `length`",
     AT(feed), 0, 0},
    {"tube", &type_mapping, NULL, "none", "concentric tube: the rod that it runs in, and how its back end is turned and pushed", AT(tube), 0, &tube_mapping},
    {"envelope", &type_quantity, "m", "not known",
     "radius of the discs or sleeve that guide tendons: no tendon may lie outside, and contact is at this radius", AT(envelope), 0, 0},
    {"feed_at_tip", &type_flag, NULL, "false",
     "material that is fed is added at the tip, as a vine grows, instead of pushed out of the base", AT(feed_at_tip), 0, 0},
    {"mean_stretch", &type_flag, NULL, "false",
     "sections and chambers follow the mean stretch: a longer rod is thinner", AT(mean_stretch), 0, 0},
    {"pieces", &type_list, NULL, "one, from the keys of the rod", "pieces from base to tip",
     AT(pieces), 0, &piece_mapping},
    REPEAT_KEY,
};
const mapping rod_mapping = {"rods[]", "A rod, from its base to its tip.", KEYS(rod_keys),
                             &piece_mapping, AT(piece)};
#undef AT

#define AT(field) offsetof(tube_draft, field)
static const key tube_keys[] = {
    {"within", &type_text, NULL, "none", "the rod that it runs in, which comes before it in the file", AT(within), 0, 0},
    {"rotation", &type_number, "rad", "0", "rotation of its back end about the axis of the base", AT(def.rotation), 0, 0},
    {"translation", &type_number, "m", "0", "position of its back end along that axis: 0, or negative, behind the base",
     AT(def.translation), 0, 0},
    {"friction", &type_quantity, "", "0", "coefficient of friction in the rod that it runs in, in motion: torque per contact moment",
     AT(def.friction), 0, 0},
    {"slip_rate", &type_quantity, "rad/s", "1 rad/s", "relative rate at which friction is nearly full",
     AT(def.slip_rate), 0, 0},
};
const mapping tube_mapping = {
    "rods[].tube",
    "Concentric tubes share a centre line. The outermost has the `base`; each other tube names the rod that it runs in. Behind the base they are held straight.",
    KEYS(tube_keys), 0, 0};
#undef AT

#define AT(field) offsetof(base_draft, field)
static const key motion_keys[] = {
    {"rotation", &type_numbers, "rad", "[0, 0, 0]",
     "rotation vector in the axes of the base, added to its orientation", AT(def.rotation), 0, 0},
};
const mapping motion_mapping = {"rods[].base.motion", "Rotation of the base by inputs.", KEYS(motion_keys), 0,
                                0};

static const key base_keys[] = {
    {"position", &type_numbers, "m", "[0, 0, 0]", "in the world, or in the frame of the body",
     AT(def.position), 0, 0},
    {"motion", &type_mapping, NULL, "none", "rotation of the base by inputs", 0, 0, &motion_mapping},
    {"body", &type_text, NULL, "world", "name of the free body that holds it", AT(body), 0, 0},
    {"joint", &type_choice, NULL, "clamp", "joint", AT(def.joint), joint_choices, 0},
    {"axis", &type_vector, "", "[1, 0, 0]",
     "axis of a revolute, universal or prismatic joint, in the frame of the base; fixed in what holds it",
     AT(def.axis), 0, 0},
    {"axis2", &type_vector, "", "[0, 1, 0]",
     "second axis of a universal joint, at a right angle to `axis`; turns with the rod", AT(def.axis2), 0, 0},
    {"spring", &type_spring, NULL, "none", "spring of a prismatic or revolute joint", AT(def.spring), 0,
     &spring_mapping},
};
const mapping base_mapping = {
    "rods[].base",
    "Where and how the base is held. Give at most one of `direction`, `quaternion` and "
    "`rotation`.",
    KEYS(base_keys), &orientation_mapping, AT(turned)};
#undef AT

// ---------------------------------------------------------------- loads
#define AT(field) offsetof(load_draft, field)
static const key load_keys[] = {
    {"name", &type_text, NULL, "load1, load2, ...", "unique; letters, digits, `_` and `-`",
     AT(name), 0, 0},
    {"rod", &type_text, NULL, "the only rod", "name of the rod", AT(rod), 0, 0},
    {"body", &type_text, NULL, "-", "name of the body that it acts on, instead of a rod", AT(body),
     0, 0},
    {"at", &type_place, "m", "-", "where a point load acts", AT(at), 0, 0},
    {"from", &type_place, "m", "base", "where a distributed load begins", AT(from), 0, 0},
    {"to", &type_place, "m", "tip", "where a distributed load ends", AT(to), 0, 0},
    {"force", &type_later, "N", "none", "in N; of a distributed load in N/m", AT(force), 0, 0},
    {"moment", &type_later, "N m", "none", "in N m; of a distributed load in N m/m", AT(moment), 0,
     0},
    {"frame", &type_choice, NULL, "world", "what it does as its point moves" LOAD_KINDS(FRAME_HELP), AT(frame),
     frames, 0},
    REPEAT_KEY,
};
const mapping load_mapping = {
    "loads[]",
    "A force and a moment: at a point (`at`), per length (`from`, `to`), or at the origin of a body's frame (`body`). With none of these keys, a unit per length, `N/m`, means the whole rod.",
    KEYS(load_keys), 0, 0};
#undef AT

// ---------------------------------------------------------------- signals
#define AT(field) offsetof(td_signal, field)
static const key step_keys[] = {
    {"from", &type_quantity, SIGNAL_UNIT, "0", "value before", AT(from), 0, 0},
    {"to", &type_quantity, SIGNAL_UNIT, REQUIRED, "value from then on", AT(to), 0, 0},
    {"at", &type_quantity, "s", "0", "time of the step", AT(start), 0, 0},
};
const mapping step_mapping = {"signal.step", "A jump.", KEYS(step_keys), 0, 0};

static const key ramp_keys[] = {
    {"from", &type_quantity, SIGNAL_UNIT, "0", "value before", AT(from), 0, 0},
    {"to", &type_quantity, SIGNAL_UNIT, REQUIRED, "value after", AT(to), 0, 0},
    {"start", &type_quantity, "s", "0", "when it begins to change", AT(start), 0, 0},
    {"duration", &type_quantity, "s", REQUIRED, "how long it changes", AT(duration), 0, 0},
};
const mapping ramp_mapping = {"signal.ramp", "A straight line between two values.",
                              KEYS(ramp_keys), 0, 0};

static const key hat_keys[] = {
    {"from", &type_quantity, SIGNAL_UNIT, "0", "value before and after", AT(from), 0, 0},
    {"peak", &type_quantity, SIGNAL_UNIT, REQUIRED, "value in the middle", AT(to), 0, 0},
    {"start", &type_quantity, "s", "0", "when it begins", AT(start), 0, 0},
    {"duration", &type_quantity, "s", REQUIRED, "from start to end", AT(duration), 0, 0},
};
const mapping hat_mapping = {"signal.hat", "A linear rise and fall.", KEYS(hat_keys),
                             0, 0};

static const key sine_keys[] = {
    {"offset", &type_quantity, SIGNAL_UNIT, "0", "middle, and the value before and after", AT(from), 0, 0},
    {"amplitude", &type_quantity, SIGNAL_UNIT, REQUIRED, "height above the middle", AT(to), 0, 0},
    {"frequency", &type_quantity, "Hz", REQUIRED, "cycles per second", AT(frequency), 0, 0},
    {"phase", &type_quantity, "rad", "0", "angle at the start", AT(phase), 0, 0},
    {"start", &type_quantity, "s", "0", "when it begins", AT(start), 0, 0},
    {"duration", &type_quantity, "s", "endless", "how long it lasts", AT(duration), 0, 0},
};
const mapping sine_mapping = {"signal.sine", "An oscillation.", KEYS(sine_keys), 0, 0};
#undef AT

#define AT(field) offsetof(table_draft, field)
static const key table_keys[] = {
    {"file", &type_text, NULL, REQUIRED, "CSV file, relative to this one", AT(file), 0, 0},
    {"time", &type_column, NULL, "1", "column of the times in s: its name, or its number from 1",
     AT(time), 0, 0},
    {"value", &type_column, NULL, "2", "column of the values in SI: its name, or its number from 1",
     AT(value), 0, 0},
    {"smooth", &type_flag, NULL, "false", "a smooth curve through the points, as with `curve`",
     AT(smooth), 0, 0},
};
const mapping table_mapping = {
    "signal.table",
    "Points from a CSV file. Columns are separated by commas, semicolons or blanks; the header is "
    "optional; `#` begins a comment.",
    KEYS(table_keys), 0, 0};
#undef AT

static const key signal_keys[] = {
    {"step", &type_mapping, NULL, "-", "a jump", 0, 0, &step_mapping},
    {"ramp", &type_mapping, NULL, "-", "a straight line between two values", 0, 0, &ramp_mapping},
    {"hat", &type_mapping, NULL, "-", "linear rise and fall", 0, 0, &hat_mapping},
    {"sine", &type_mapping, NULL, "-", "an oscillation", 0, 0, &sine_mapping},
    {"points", &type_points, SIGNAL_UNIT, "-",
     "straight lines through the points; two points at one time are a jump", 0, 0, 0},
    {"curve", &type_points, SIGNAL_UNIT, "-",
     "a smooth curve through the points, from rest to rest; two points at one time are a jump", 0, 0, 0},
    {"table", &type_table, NULL, "-", "points from a CSV file", 0, 0, &table_mapping},
    {"formula", &type_formula, SIGNAL_UNIT, "-",
     "a formula of time `t`; under `inputs` the text alone will do", 0, 0, 0},
};
const mapping signal_mapping = {
    "signal", "The value of an input over time: exactly one of these keys, or a constant quantity.",
    KEYS(signal_keys), 0, 0};

// ---------------------------------------------------------------- where a run starts
#define AT(field) offsetof(struct initial_draft, field)
static const key moving_keys[] = {
    {"linear", &type_vector, "m/s", "[0, 0, 0]", "velocity of the point `about`", AT(motion.linear), 0, 0},
    {"angular", &type_vector, "rad/s", "[0, 0, 0]", "angular velocity", AT(motion.angular), 0, 0},
    {"about", &type_vector, "m", "[0, 0, 0]", "the point of which `linear` is the velocity", AT(motion.about), 0, 0},
};
const mapping moving_mapping = {"initial.motion", "Rigid motion of the whole robot, in the world.", KEYS(moving_keys), 0, 0};

static const key initial_keys[] = {
    {"coordinates", &type_quantities, NULL, "as `simulation.start` says", "coordinates of the model, in their units", AT(coordinates), 0, 0},
    {"velocities", &type_quantities, NULL, "at rest", "rates of coordinates, in their units per second", AT(velocities), 0, 0},
    {"motion", &type_mapping, NULL, "none", "rigid motion of a robot that nothing joins to the world", 0, 0, &moving_mapping},
};
const mapping initial_mapping = {
    "initial", "Where a run starts: coordinates of the model by name. `*` stands for any characters.",
    KEYS(initial_keys), 0, 0};
#undef AT

// ---------------------------------------------------------------- simulation and record
static const mapping time_mapping = {"simulation.time", "Integration in time.", OPTIONS, 0, 0};
static const mapping space_mapping = {"simulation.space", "Integration along the rod.", OPTIONS, 0, 0};
static const mapping solver_mapping = {"simulation.solver", "Solution of the equations.", OPTIONS, 0, 0};
static const mapping virtual_power_mapping = {"simulation.virtual_power", "Options of the model `virtual_power`.", OPTIONS, 0, 0};
static const mapping lumped_mapping = {
    "simulation.lumped", "Options of the models `eba`, `ebr` and `srl`.", OPTIONS, 0, 0};
static const mapping integration_mapping = {"simulation.integration", "Time steps of all models but `cosserat`.", OPTIONS, 0, 0};
static const mapping constant_curvature_mapping = {
    "simulation.constant_curvature", "Options of the model `constant_curvature`.", OPTIONS, 0, 0};
static const mapping rom_mapping = {
    "simulation.rom", "Options of the model `rom`.", OPTIONS, 0, 0};
static const mapping tubes_mapping = {
    "simulation.tubes", "Options of the model `tubes`.", OPTIONS, 0, 0};

static const key simulation_keys[] = {
    {"time", &type_mapping, NULL, "all defaults", "integration in time", 0, 0, &time_mapping},
    {"space", &type_mapping, NULL, "all defaults", "integration along the rod", 0, 0, &space_mapping},
    {"solver", &type_mapping, NULL, "all defaults", "solution of the equations", 0, 0, &solver_mapping},
    {"integration", &type_mapping, NULL, "all defaults", "time steps of all models but `cosserat`", 0, 0, &integration_mapping},
    {"virtual_power", &type_mapping, NULL, "all defaults", "the model of discs on a core", 0, 0, &virtual_power_mapping},
    {"lumped", &type_mapping, NULL, "all defaults", "models of segments between rigid nodes", 0, 0, &lumped_mapping},
    {"constant_curvature", &type_mapping, NULL, "all defaults", "the model of circular arcs", 0, 0, &constant_curvature_mapping},
    {"rom", &type_mapping, NULL, "all defaults", "the model of polynomials", 0, 0, &rom_mapping},
    {"tubes", &type_mapping, NULL, "all defaults", "the model of concentric tubes", 0, 0, &tubes_mapping},
};
const mapping simulation_mapping = {
    "simulation", "How the robot is computed, and for how long.",
    simulation_keys, sizeof simulation_keys / sizeof *simulation_keys, true, 0, 0};
const mapping record_mapping = {"record", "What a run records.", OPTIONS, 0, 0};
