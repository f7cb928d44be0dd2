// robot/file_tendon.c - tendons in files: their keys, and from the tree to the robot.
#include <math.h>
#include <string.h>

#include "robot/file_save.h"
#include "math/pi.h"

typedef struct tendon_draft {
    actuator_draft on;
    node *end, *points, *polar;
    td_piece_def wire;  // its material
    double wire_radius;
    td_tendon_def def;
} tendon_draft;

// ---------------------------------------------------------------- the path of a tendon
static td_status routing_value(reader *r, node *n, const key *k, void *to) {
    tendon_draft *draft = to;
    td_status status = read_mapping(r, n, k->inside, draft);
    if (status) return status;
    if (n->n_children != 1) return REFUSE(n, "a routing is one of helix, points or polar");
    draft->def.routing = draft->points  ? TD_ROUTING_POINTS
                         : draft->polar ? TD_ROUTING_POLAR
                                        : TD_ROUTING_HELIX;
    return TD_OK;
}

static const value_type type_routing = {"mapping", routing_value};

static td_status read_path(reader *r, const node *n, tendon_draft *draft) {
    td_tendon_def *def = &draft->def;
    const bool polar = def->routing == TD_ROUTING_POLAR;
    const char *point = polar ? "a point [place, radius, angle]" : "a point [place, x, y]";
    if (n->kind != NODE_SEQUENCE || n->n_children < 2)
        return REFUSE(n, "a list of two or more is expected here, each %s", point);
    double *points = tree_take(r->t, 3 * sizeof *points * (size_t)n->n_children);
    if (!points) return out_of_memory(r, n);
    double length = r->robot->rods[def->rod].length, *p = points;
    for (node *c = n->first; c; c = c->next, p += 3) {
        td_status status = expect_list(r, c, 3, point);
        if (!status) status = read_place(r, c->first, length, &p[0]);
        if (!status) status = read_quantity(r, c->first->next, "m", &p[1]);
        if (!status) status = read_quantity(r, c->last, polar ? "rad" : "m", &p[2]);
        if (status) return status;
    }
    def->points = points;
    def->n_points = n->n_children;
    // What the tendon does not say of its ends, its points do.
    if (!draft->on.from) def->from = points[0];
    if (!draft->on.to && !draft->end) def->to = points[3 * (def->n_points - 1)];
    return TD_OK;
}

static td_status check_path(reader *r, const node *n, tendon_draft *draft) {
    const node *offset = node_child(n, "offset"), *end = node_child(n, "offset_end");
    const node *routing = node_child(n, "routing");
    if (routing && (offset || end))
        return REFUSE(routing, "give either offset or routing, not both");
    if (!routing && !offset) return REFUSE(n, "the key 'offset' or 'routing' is missing");
    if (!end) memcpy(draft->def.offset_end, draft->def.offset, sizeof draft->def.offset);
    const node *points = draft->points ? draft->points : draft->polar;
    return points ? read_path(r, points, draft) : TD_OK;
}

// ---------------------------------------------------------------- keys
static const choice tendon_inputs[] = {
    {"tension", TD_TENSION},        {"displacement", TD_DISPLACEMENT},
    {"torque", TD_TENDON_TORQUE},   {"current", TD_TENDON_CURRENT},
    {"voltage", TD_TENDON_VOLTAGE}, {"speed", TD_TENDON_SPEED},
    {"angle", TD_TENDON_ANGLE},     {0}};
#define AT(field) offsetof(tendon_draft, field)
static const key helix_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "distance from the axis of the rod", AT(def.radius),
     0, 0},
    {"turns", &type_quantity, "", REQUIRED, "turns between its ends; negative: left-handed",
     AT(def.turns), 0, 0},
    {"phase", &type_quantity, "rad", "0", "angle from local x at its beginning", AT(def.phase), 0,
     0},
};
static const mapping helix_mapping = {"tendons[].routing.helix", "A helix about the rod.",
                                      KEYS(helix_keys), 0, 0};

static const key routing_keys[] = {
    {"helix", &type_mapping, NULL, "-", "a helix", 0, 0, &helix_mapping},
    {"points", &type_path, "m", "-",
     "through points: place on the rod, local x and y; no overshoot between points", AT(points), 0,
     0},
    {"polar", &type_polar_path, NULL, "-",
     "the same in polar coordinates: place, distance from the axis (m), angle from local x (rad)",
     AT(polar), 0, 0},
};
static const mapping routing_mapping = {"tendons[].routing",
                                        "A path that is not straight: exactly one of these keys.",
                                        KEYS(routing_keys), 0, 0};

static const key wire_keys[] = {
    {"radius", &type_quantity, "m", REQUIRED, "radius of its circular section", AT(wire_radius), 0,
     0},
    {"material", &type_material, NULL, REQUIRED, "name of a material, or the material itself",
     AT(wire), 0, &material_mapping},
};
static const mapping wire_mapping = {"tendons[].wire",
                                     "A push-pull rod in place of a string. It gives `bending`, "
                                     "`torsion`, `mass_per_length` and, if left out, `stiffness`.",
                                     KEYS(wire_keys), 0, 0};

static const key tendon_keys[] = {
    {"name", &type_text, NULL, REQUIRED, "unique; letters, digits, `_` and `-`", AT(def.name), 0,
     0},
    {"rod", &type_text, NULL, "the only rod", "name of the rod", AT(on.rod), 0, 0},
    {"from", &type_place, "m", "base", "where it enters the rod", AT(on.from), 0, 0},
    {"to", &type_place, "m", "tip", "where it is fixed to the rod", AT(on.to), 0, 0},
    {"end", &type_place, "m", "tip", "another word for `to`", AT(end), 0, 0},
    {"offset", &type_offset, "m", "required without routing", "local x and y of a straight path",
     AT(def.offset), 0, &polar_mapping},
    {"offset_end", &type_offset, "m", "as offset", "local x and y where it is fixed",
     AT(def.offset_end), 0, &polar_mapping},
    {"routing", &type_routing, NULL, "straight", "a path that is not straight", 0, 0,
     &routing_mapping},
    {"input", &type_choice, NULL, "tension",
     "quantity of its input, where it enters the rod (N or m), or of its `motor` (N m, A, V, rad/s "
     "or rad)",
     AT(def.input), tendon_inputs, 0},
    {"value", &type_value, NULL, "an input of its own name",
     "tension, or length pulled out; or the command of its motor", AT(on.value), 0, 0},
    {"motor", &type_mapping, NULL, "none", "motor that winds it up", AT(def.motor), 0,
     &tendon_motor_mapping},
    {"stiffness", &type_quantity, "N", "does not stretch", "axial stiffness EA", AT(def.stiffness),
     0, 0},
    {"outside", &type_quantity, "m", "0", "length outside the rod, which stretches too",
     AT(def.outside), 0, 0},
    {"compliance", &type_quantity, "m/N", "0", "compliance of the drive", AT(def.compliance), 0, 0},
    {"pretension", &type_quantity, "N", "0", "tension at displacement 0 in the rest shape",
     AT(def.pretension), 0, 0},
    {"friction", &type_quantity, "", "0", "Coulomb coefficient along the path", AT(def.friction), 0,
     0},
    {"presliding", &type_quantity, "m", "chosen from the offset",
     "displacement over which a sticking tendon begins to slide", AT(def.presliding), 0, 0},
    {"viscous", &type_quantity, "s/m", "0",
     "the friction coefficient grows by this times the sliding velocity", AT(def.viscous), 0, 0},
    {"pushes", &type_flag, NULL, "false",
     "a push-pull rod: its tension may be negative, and it is never slack", AT(def.pushes), 0, 0},
    {"wire", &type_mapping, NULL, "-", "section and material of a push-pull rod", 0, 0,
     &wire_mapping},
    {"bending", &type_quantity, "N m^2", "0",
     "bending stiffness EJ that a push-pull rod adds to the robot", AT(def.bending), 0, 0},
    {"torsion", &type_quantity, "N m^2", "0", "torsion stiffness GJ of a push-pull rod",
     AT(def.torsion), 0, 0},
    {"mass_per_length", &type_quantity, "kg/m", "0", "mass per length of a push-pull rod",
     AT(def.mass_per_length), 0, 0},
    REPEAT_KEY,
};
const mapping tendon_mapping = {
    "tendons[]", "A tendon along a rod. Without `value` it is driven by an input of its name.",
    KEYS(tendon_keys), 0, 0};
#undef AT

// ---------------------------------------------------------------- reading
// What section and material give; keys that say it themselves do not go together with it.
static td_status read_wire(reader *r, const node *n, const tendon_draft *draft,
                           td_tendon_def *def) {
    static const char *const given[] = {"bending", "torsion", "mass_per_length"};
    const node *wire = node_child(n, "wire");
    if (!wire) return TD_OK;
    for (int i = 0; i < 3; i++)
        if (node_child(n, given[i]))
            return REFUSE(node_child(n, given[i]), "give either wire or %s, not both", given[i]);
    double a = draft->wire_radius, area = PI * a * a;
    if (!(a > 0.0) || a > LARGEST_QUANTITY)
        return REFUSE(node_child(wire, "radius"), "%g m must be positive", a);
    def->bending = draft->wire.youngs_modulus * area * a * a / 4.0;
    def->torsion = draft->wire.shear_modulus * area * a * a / 2.0;
    def->mass_per_length = draft->wire.density * area;
    if (!node_child(n, "stiffness")) def->stiffness = draft->wire.youngs_modulus * area;
    return TD_OK;
}

td_status read_tendon(reader *r, node *n) {
    tendon_draft draft = {.def = td_default_tendon_def()};
    td_tendon_def *def = &draft.def;
    td_status status = read_mapping(r, n, &tendon_mapping, &draft);
    if (!status) status = check_name(r, n, "tendons", find_tendon);
    if (status) return status;
    if (draft.on.to && draft.end) return REFUSE(draft.end, "give either to or end, not both");
    if (draft.end) draft.on.to = draft.end;
    status = read_wire(r, n, &draft, def);
    if (!status) status = read_stretch(r, n, &draft.on, &def->rod, &def->from, &def->to);
    if (!status) status = check_path(r, n, &draft);
    const td_actuator_quantity *input = &actuator_rows[KIND_tendon]->words.inputs[def->input];
    if (!status)
        status =
            check_engine(r, n, "motor", def->input > TD_DISPLACEMENT, input->name, &def->motor);
    if (!status) status = read_effort(r, n, draft.on.value, def->name, input->unit, &def->value);
    return status ? status : added_part(r, n, td_robot_add_tendon(r->robot, def, r->err));
}

// ---------------------------------------------------------------- writing
static void save_routing(saver *s, node *to, const tendon_draft *draft) {
    const td_tendon_def *def = &draft->def;
    const tendon_draft none = {0};
    node *routing = save_node(s, to, "routing", NODE_MAPPING);
    const bool helix = def->routing == TD_ROUTING_HELIX;
    const char *word = helix ? "helix" : def->routing == TD_ROUTING_POINTS ? "points" : "polar";
    node *path = routing ? save_node(s, routing, word, helix ? NODE_MAPPING : NODE_SEQUENCE) : NULL;
    if (path && helix) save_mapping(s, path, &helix_mapping, draft, &none);
    for (int i = 0; path && !helix && i < def->n_points; i++)
        save_values(s, path, NULL, def->points + 3 * i, 3);
}

void save_tendon(saver *s, node *to, const void *of) {
    const tendon_draft draft = {.def = *(const td_tendon_def *)of};
    tendon_draft usual = {.def = td_default_tendon_def()};
    const bool straight = draft.def.routing == TD_ROUTING_STRAIGHT;
    memcpy(usual.def.offset_end, draft.def.offset, sizeof usual.def.offset_end);
    if (straight) usual.def.offset[0] = HUGE_VAL;  // it is always said
    save_mapping(s, to, &tendon_mapping, &draft, &usual);
    if (!straight) save_routing(s, to, &draft);
}
