// robot/file_keys_parts.c - the keys of a robot file: how rods are held, bodies, tendons and chambers.
#include "robot/file_read.h"

const choice joint_choices[] = {{"clamp", TD_CLAMP},
                                {"ball", TD_BALL},
                                {"revolute", TD_REVOLUTE},
                                {"universal", TD_UNIVERSAL},
                                {0}};
static const choice tendon_inputs[] = {
    {"tension", TD_TENSION}, {"displacement", TD_DISPLACEMENT}, {0}};
static const choice chamber_inputs[] = {
    {"pressure", TD_PRESSURE}, {"volume", TD_VOLUME}, {"amount", TD_AMOUNT}, {0}};
static const choice volumes[] = {{"energy", false}, {"path", true}, {0}};

// ---------------------------------------------------------------- orientation and tip
#define AT(field) offsetof(orientation_draft, field)
static const key orientation_keys[] = {
    {"direction", &type_vector, "", "[0, 0, 1]",
     "where its z axis (of a rod, the tangent) points, reached by the shortest rotation",
     AT(direction), 0, 0},
    {"quaternion", &type_quaternion, "", "[1, 0, 0, 0]", "orientation as w, x, y, z, of unit norm",
     AT(quaternion), 0, 0},
    {"rotation", &type_vector, "rad", "[0, 0, 0]", "orientation as a rotation vector", AT(rotation),
     0, 0},
};
const mapping orientation_mapping = {"orientation", "How it is turned.", KEYS(orientation_keys), 0,
                                     0};
#undef AT

#define AT(field) offsetof(tip_draft, field)
static const key tip_keys[] = {
    {"body", &type_text, NULL, "world", "name of the free body that it is joined to", AT(body), 0,
     0},
    {"position", &type_vector, "m", "[0, 0, 0] in a body; required in the world",
     "where it is held, in the frame of the body or in the world", AT(def.position), 0, 0},
    {"joint", &type_choice, NULL, "clamp", "how it is held there", AT(def.joint), joint_choices, 0},
    {"axis", &type_vector, "", "[1, 0, 0]",
     "of a revolute or universal joint, in the frame of the tip; fixed in what holds it",
     AT(def.axis), 0, 0},
    {"axis2", &type_vector, "", "[0, 1, 0]",
     "of a universal joint, at a right angle to `axis`; turns with the rod", AT(def.axis2), 0, 0},
};
const mapping tip_mapping = {
    "rods[].tip",
    "Where and how the tip is held; without it, the tip is free. Give at most one of `direction`, "
    "`quaternion` and `rotation`.",
    KEYS(tip_keys), &orientation_mapping, AT(turned)};
#undef AT

// ---------------------------------------------------------------- bodies
#define AT(field) offsetof(shape_draft, field)
static const key cylinder_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "radius", AT(radius), 0, 0},
    {"height", &type_quantity, "m", REQUIRED, "height, along the z axis of the body", AT(height), 0,
     0},
};
const mapping cylinder_mapping = {"bodies[].shape.cylinder", "A solid cylinder.",
                                  KEYS(cylinder_keys), 0, 0};

static const key sphere_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "radius", AT(radius), 0, 0},
};
const mapping sphere_mapping = {"bodies[].shape.sphere", "A solid sphere.", KEYS(sphere_keys), 0,
                                0};

static const key shape_keys[] = {
    {"cylinder", &type_mapping, NULL, "-", "a cylinder along the z axis of the body", 0, 0,
     &cylinder_mapping},
    {"sphere", &type_mapping, NULL, "-", "a sphere", 0, 0, &sphere_mapping},
    {"box", &type_vector, "m", "-", "a box: its sides along x, y and z", AT(box), 0, 0},
};
const mapping shape_mapping = {
    "bodies[].shape",
    "A solid of uniform density that gives the inertia about its centre: exactly one of these "
    "keys.",
    KEYS(shape_keys), 0, 0};
#undef AT

#define AT(field) offsetof(body_draft, field)
static const key body_keys[] = {
    {"name", &type_text, NULL, REQUIRED,
     "unique; letters, digits, `_` and `-`; of several: the first part, as in `disc3`",
     AT(def.name), 0, 0},
    {"on", &type_text, NULL, "free", "name of the rod that it rides on", AT(on), 0, 0},
    {"at", &type_places, "m", "tip", "where on the rod; several places make several bodies", AT(at),
     0, 0},
    {"count", &type_count, NULL, "one", "so many bodies at equal distances, the last at the tip",
     AT(count), 0, 0},
    {"every", &type_quantity, "m", "-", "a body after each such length", AT(every), 0, 0},
    {"mass", &type_quantity, "kg", "0, of a free body", "mass", AT(def.mass), 0, 0},
    {"inertia", &type_triple, "kg m^2", "0",
     "moments of inertia about its centre of mass, along the axes of its frame", AT(def.inertia), 0,
     0},
    {"shape", &type_shape, NULL, "-", "gives the inertia instead", AT(shape), 0, &shape_mapping},
    {"centre", &type_vector, "m", "[0, 0, 0]",
     "centre of mass in its frame, which is that of the section it rides on, or its own",
     AT(def.centre), 0, 0},
    {"attached", &type_number, "", "1", "riding: 1 while it is there, 0 while it is not",
     AT(def.attached), 0, 0},
    {"position", &type_vector, "m", "[0, 0, 0]",
     "free: its frame when the robot is put together, world", AT(def.position), 0, 0},
};
const mapping body_mapping = {
    "bodies[]",
    "A rigid body. With `on` it rides on a rod; without, it is free and held by the ends of rods "
    "that name it. Give at most one of `direction`, `quaternion` and `rotation`, for a free body.",
    KEYS(body_keys), &orientation_mapping, AT(turned)};
#undef AT

// ---------------------------------------------------------------- tendons
#define AT(field) offsetof(tendon_draft, field)
static const key helix_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "distance from the axis of the rod", AT(def.radius),
     0, 0},
    {"turns", &type_quantity, "", REQUIRED, "between its ends; negative: left-handed",
     AT(def.turns), 0, 0},
    {"phase", &type_quantity, "rad", "0", "angle from local x, where it begins", AT(def.phase), 0,
     0},
};
const mapping helix_mapping = {"tendons[].routing.helix", "A path that winds about the rod.",
                               KEYS(helix_keys), 0, 0};

static const key routing_keys[] = {
    {"helix", &type_mapping, NULL, "-", "a helix", 0, 0, &helix_mapping},
    {"points", &type_path, "m", "-",
     "through points, each coordinate between theirs: place on the rod, local x and y", AT(points),
     0, 0},
    {"polar", &type_polar_path, NULL, "-",
     "the same in polar coordinates: place, distance from the axis (m), angle from local x (rad)",
     AT(polar), 0, 0},
};
const mapping routing_mapping = {"tendons[].routing",
                                 "A path that is not straight: exactly one of these keys.",
                                 KEYS(routing_keys), 0, 0};

static const key wire_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "radius of its section, a circle", AT(wire_radius), 0,
     0},
    {"material", &type_material, NULL, REQUIRED, "name of a material, or the material itself",
     AT(wire), 0, &material_mapping},
};
const mapping wire_mapping = {"tendons[].wire",
                              "A rod in place of a string: gives `bending`, `torsion`, "
                              "`mass_per_length` and, unless it is given, `stiffness`.",
                              KEYS(wire_keys), 0, 0};

static const key tendon_keys[] = {
    {"name", &type_text, NULL, REQUIRED, "unique; letters, digits, `_` and `-`", AT(def.name), 0,
     0},
    {"rod", &type_text, NULL, "the only rod", "name of the rod", AT(rod), 0, 0},
    {"from", &type_place, "m", "base", "where it enters the rod", AT(from), 0, 0},
    {"to", &type_place, "m", "tip", "where it is fixed to the rod", AT(to), 0, 0},
    {"end", &type_place, "m", "tip", "another word for `to`", AT(end), 0, 0},
    {"offset", &type_plane, "m", "required without routing", "local x and y of a straight path",
     AT(def.offset), 0, 0},
    {"offset_end", &type_plane, "m", "as offset", "local x and y where it is fixed",
     AT(def.offset_end), 0, 0},
    {"routing", &type_routing, NULL, "straight", "a path that is not straight", 0, 0,
     &routing_mapping},
    {"input", &type_choice, NULL, "tension", "what is given where it enters the rod: N, or m",
     AT(def.input), tendon_inputs, 0},
    {"value", &type_value, NULL, "an input of its own name",
     "the tension, or how far it is pulled out", AT(value), 0, 0},
    {"stiffness", &type_quantity, "N", "does not stretch", "EA", AT(def.stiffness), 0, 0},
    {"outside", &type_quantity, "m", "0", "length before the rod, which stretches too",
     AT(def.outside), 0, 0},
    {"compliance", &type_quantity, "m/N", "0", "of the drive", AT(def.compliance), 0, 0},
    {"pretension", &type_quantity, "N", "0", "tension at displacement 0 in the rest shape",
     AT(def.pretension), 0, 0},
    {"friction", &type_quantity, "", "0", "Coulomb coefficient along the path", AT(def.friction), 0,
     0},
    {"presliding", &type_quantity, "m", "chosen from the offset",
     "motion before a tendon that sticks slides fully", AT(def.presliding), 0, 0},
    {"viscous", &type_quantity, "s/m", "0", "friction grows by this times the sliding velocity",
     AT(def.viscous), 0, 0},
    {"pushes", &type_flag, NULL, "false",
     "a rod that pushes too: its tension may be negative, and it is never slack", AT(def.pushes), 0,
     0},
    {"wire", &type_mapping, NULL, "-", "section and material of a rod", 0, 0, &wire_mapping},
    {"bending", &type_quantity, "N m^2", "0", "EJ, which a rod adds to that of the robot",
     AT(def.bending), 0, 0},
    {"torsion", &type_quantity, "N m^2", "0", "GJ of a rod", AT(def.torsion), 0, 0},
    {"mass_per_length", &type_quantity, "kg/m", "0", "mass of a rod", AT(def.mass_per_length), 0,
     0},
};
const mapping tendon_mapping = {
    "tendons[]",
    "A tendon along a rod. Without `value` it makes an input of its name, which `inputs` or a "
    "program drives.",
    KEYS(tendon_keys), 0, 0};
#undef AT

// ---------------------------------------------------------------- chambers
#define AT(field) offsetof(chamber_draft, field)
static const key chamber_keys[] = {
    {"name", &type_text, NULL, REQUIRED, "unique; letters, digits, `_` and `-`", AT(def.name), 0,
     0},
    {"rod", &type_text, NULL, "the only rod", "name of the rod", AT(rod), 0, 0},
    {"from", &type_place, "m", "base", "where it begins", AT(from), 0, 0},
    {"to", &type_place, "m", "tip", "where it ends", AT(to), 0, 0},
    {"offset", &type_plane, "m", "[0, 0]", "local x and y of its centre", AT(def.offset), 0, 0},
    {"radius", &type_quantity, "m", "-", "of a round chamber", AT(def.radius), 0, 0},
    {"area", &type_quantity, "m^2", "from radius", "of any other", AT(def.area), 0, 0},
    {"braid_angle", &type_quantity, "rad", "90 deg",
     "of threads around it, which hold its area in a rod with `mean_stretch`; 90 deg: rings",
     AT(def.braid_angle), 0, 0},
    {"input", &type_choice, NULL, "pressure",
     "what is given: Pa above the atmosphere, m^3 of a fluid that does not compress, or mol of gas",
     AT(def.input), chamber_inputs, 0},
    {"value", &type_value, NULL, "an input of its own name", "pressure, volume or amount",
     AT(value), 0, 0},
    {"temperature", &type_quantity, "K", "20 degC", "of the gas", AT(def.temperature), 0, 0},
    {"atmosphere", &type_quantity, "Pa", "101325", "pressure around the robot", AT(def.atmosphere),
     0, 0},
    {"volume", &type_choice, NULL, "energy",
     "`energy`: the volume that the pressure does work on; `path`: area times the length of its "
     "centre line",
     AT(path), volumes, 0},
};
const mapping chamber_mapping = {
    "chambers[]",
    "A chamber along a rod, given by its radius or its area. Without `value` it makes an input of "
    "its name.",
    KEYS(chamber_keys), 0, 0};
#undef AT
