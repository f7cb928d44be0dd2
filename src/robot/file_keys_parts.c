// robot/file_keys_parts.c - the keys of a robot file: how rods are held, and bodies.
#include "robot/file_read.h"

const choice joint_choices[] = {{"clamp", TD_CLAMP},
                                {"ball", TD_BALL},
                                {"revolute", TD_REVOLUTE},
                                {"universal", TD_UNIVERSAL},
                                {"prismatic", TD_PRISMATIC},
                                {"free", TD_FREE},
                                {0}};

// ---------------------------------------------------------------- orientation and tip
#define AT(field) offsetof(orientation_draft, field)
static const key orientation_keys[] = {
    {"direction", &type_vector, "", "[0, 0, 1]",
     "direction of its z axis (of a rod, the tangent), reached by the shortest rotation",
     AT(direction), 0, 0},
    {"quaternion", &type_quaternion, "", "[1, 0, 0, 0]",
     "orientation as a unit quaternion w, x, y, z", AT(quaternion), 0, 0},
    {"rotation", &type_vector, "rad", "[0, 0, 0]", "orientation as a rotation vector", AT(rotation),
     0, 0},
};
const mapping orientation_mapping = {"orientation", "How it is turned.", KEYS(orientation_keys), 0,
                                     0};
#undef AT

#define SPRING_KEYS(name, force, rate, way)                                                        \
    static const key name[] = {                                                                    \
        {"stiffness", &type_quantity, force, "0", "stiffness; of a revolute joint in N m/rad",     \
         AT(stiffness), 0, 0},                                                                     \
        {"damping", &type_quantity, rate, "0", "damping; of a revolute joint in N m s/rad",        \
         AT(damping), 0, 0},                                                                       \
        {"rest", &type_number, way, "0", "rest position", AT(rest), 0, 0},                         \
    }
#define AT(field) offsetof(td_spring_def, field)
SPRING_KEYS(slide_keys, "N/m", "N s/m", "m");
SPRING_KEYS(turn_keys, "N m", "N m s", "rad");
#define SPRING_HELP "A spring and a damper along the free motion of a prismatic or revolute joint."
const mapping spring_mapping = {"spring", SPRING_HELP, KEYS(slide_keys), 0, 0};
const mapping turning_mapping = {"spring", SPRING_HELP, KEYS(turn_keys), 0, 0};
#undef AT

#define AT(field) offsetof(tip_draft, field)
static const key hold_motion_keys[] = {
    {"rotation", &type_numbers, "rad", "[0, 0, 0]",
     "rotation vector in the axes of what is held, added to its orientation", AT(def.rotation), 0,
     0},
};
const mapping hold_motion_mapping = {"rods[].tip.motion", "Rotation by inputs.",
                                     KEYS(hold_motion_keys), 0, 0};

static const key tip_keys[] = {
    {"body", &type_text, NULL, "world", "name of the free body that holds it", AT(body), 0, 0},
    {"position", &type_numbers, "m", "[0, 0, 0] in a body; required in the world",
     "position, in the frame of the body or in the world", AT(def.position), 0, 0},
    {"motion", &type_mapping, NULL, "none",
     "rotation by inputs, of a tip in the world or of a body", 0, 0, &hold_motion_mapping},
    {"joint", &type_choice, NULL, "clamp", "joint", AT(def.joint), joint_choices, 0},
    {"axis", &type_vector, "", "[1, 0, 0]",
     "axis of a revolute, universal or prismatic joint, in the frame of the tip; fixed in what "
     "holds it",
     AT(def.axis), 0, 0},
    {"axis2", &type_vector, "", "[0, 1, 0]",
     "second axis of a universal joint, at a right angle to `axis`; turns with the rod",
     AT(def.axis2), 0, 0},
    {"spring", &type_spring, NULL, "none", "spring of a prismatic or revolute joint",
     AT(def.spring), 0, &spring_mapping},
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

static const key capsule_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "radius", AT(radius), 0, 0},
    {"length", &type_quantity, "m", REQUIRED,
     "length along the z axis of the body, without its round ends", AT(height), 0, 0},
};
const mapping capsule_mapping = {"bodies[].shape.capsule", "A solid capsule.", KEYS(capsule_keys),
                                 0, 0};

static const key shape_keys[] = {
    {"cylinder", &type_mapping, NULL, "-", "a cylinder along the z axis of the body", 0, 0,
     &cylinder_mapping},
    {"sphere", &type_mapping, NULL, "-", "a sphere", 0, 0, &sphere_mapping},
    {"capsule", &type_mapping, NULL, "-",
     "a cylinder along the z axis of the body with hemispherical ends", 0, 0, &capsule_mapping},
    {"box", &type_vector, "m", "-", "a box: lengths of its sides along x, y and z", AT(box), 0, 0},
};
const mapping shape_mapping = {
    "bodies[].shape",
    "A solid of uniform density around the centre of mass. It gives the inertia. Exactly one of "
    "these keys. Spheres, capsules and boxes touch obstacles.",
    KEYS(shape_keys), 0, 0};
#undef AT

#define AT(field) offsetof(body_draft, field)
static const key body_keys[] = {
    {"name", &type_text, NULL, REQUIRED,
     "unique; letters, digits, `_` and `-`; of several bodies the first part, as in `disc3`",
     AT(def.name), 0, 0},
    {"on", &type_text, NULL, "free", "name of the rod that it rides on", AT(on), 0, 0},
    {"at", &type_places, "m", "tip", "where on the rod; several places make several bodies", AT(at),
     0, 0},
    {"count", &type_count, NULL, "one", "number of bodies at equal distances, the last at the tip",
     AT(count), 0, 0},
    {"every", &type_quantity, "m", "-", "distance between bodies", AT(every), 0, 0},
    {"mass", &type_quantity, "kg", "0, of a free body", "mass", AT(def.mass), 0, 0},
    {"inertia", &type_triple, "kg m^2", "from its shape, or 0",
     "moments of inertia about its centre of mass, along the axes of its frame", AT(def.inertia), 0,
     0},
    {"products", &type_vector, "kg m^2", "[0, 0, 0]",
     "products of inertia xy, xz, yz: off-diagonal elements of that tensor", AT(def.products), 0,
     0},
    {"shape", &type_shape, NULL, "-",
     "shape that touches obstacles; gives the inertia if that is left out", AT(shape), 0,
     &shape_mapping},
    {"centre", &type_vector, "m", "[0, 0, 0]",
     "centre of mass in its frame, which is that of the section it rides on, or its own",
     AT(def.centre), 0, 0},
    {"radius", &type_quantity, "m", "from shape", "on a rod: extent across the rod", AT(def.radius),
     0, 0},
    {"height", &type_quantity, "m", "from shape", "on a rod: extent along the rod", AT(def.height),
     0, 0},
    {"attached", &type_number, "", "1", "on a rod: 1 while it is present, 0 while it is absent",
     AT(def.attached), 0, 0},
    {"magnet", &type_vector, "A m^2", "[0, 0, 0]",
     "magnetic moment, in its frame and at its origin", AT(def.magnet), 0, 0},
    {"volume", &type_quantity, "m^3", "0",
     "volume of fluid that it displaces, around its centre of mass", AT(def.volume), 0, 0},
    {"position", &type_vector, "m", "[0, 0, 0]",
     "free: position of its frame in which the robot is assembled, world", AT(def.position), 0, 0},
    {"held", &type_tip, NULL, "only rods hold it",
     "free: how the world or another body holds it, possibly moved by inputs; the keys of "
     "`rods[].tip`",
     AT(def.hold), 0, &tip_mapping},
    REPEAT_KEY,
};
const mapping body_mapping = {
    "bodies[]",
    "A rigid body. With `on` it rides on a rod. Without, it is free: held by the ends of rods that "
    "name it, by the world or another body (`held`), or, if it touches obstacles, by nothing. Give "
    "at most one of `direction`, `quaternion` and `rotation`, for a free body.",
    KEYS(body_keys), &orientation_mapping, AT(turned)};
#undef AT
