// robot/file_fields.c - magnetic fields and the fluid in files: their keys, and from the tree to the robot.
#include <stdio.h>
#include <string.h>

#include "robot/file_save.h"

typedef struct field_draft {
    td_field_def def;
    orientation_draft turned;
} field_draft;

// ---------------------------------------------------------------- keys
// clang-format off
#define AT(field) offsetof(field_draft, field)
static const key gradient_keys[] = {
    {"xx", &type_number, "T/m", "0", "dBx/dx", AT(def.gradient[0]), 0, 0},
    {"yy", &type_number, "T/m", "0", "dBy/dy", AT(def.gradient[1]), 0, 0},
    {"xy", &type_number, "T/m", "0", "dBx/dy = dBy/dx", AT(def.gradient[2]), 0, 0},
    {"xz", &type_number, "T/m", "0", "dBx/dz = dBz/dx", AT(def.gradient[3]), 0, 0},
    {"yz", &type_number, "T/m", "0", "dBy/dz = dBz/dy", AT(def.gradient[4]), 0, 0},
};
const mapping gradient_mapping = {
    "fields[].gradient", "Gradient of a field in world axes; dBz/dz is -xx - yy.", KEYS(gradient_keys), 0, 0};

static const key turn_keys[] = {
    {"rotation", &type_numbers, "rad", "[0, 0, 0]", "rotation vector in the axes of the dipole, added to its orientation",
     AT(def.rotation), 0, 0},
};
const mapping field_motion_mapping = {"fields[].motion", "Rotation of a dipole by inputs.", KEYS(turn_keys), 0, 0};

static const key field_keys[] = {
    {"name", &type_text, NULL, "field1, field2, ...", "unique; letters, digits, `_` and `-`", AT(def.name), 0, 0},
    {"flux", &type_numbers, "T", "[0, 0, 0]", "a uniform field: flux density, at `position`", AT(def.flux), 0, 0},
    {"gradient", &type_mapping, NULL, "none", "gradient about `position`", 0, 0, &gradient_mapping},
    {"moment", &type_numbers, "A m^2", "-", "a dipole: its magnetic moment, in its own axes", AT(def.moment), 0, 0},
    {"position", &type_numbers, "m", "[0, 0, 0]", "in the world", AT(def.position), 0, 0},
    {"motion", &type_mapping, NULL, "none", "rotation of a dipole by inputs", 0, 0, &field_motion_mapping},
    REPEAT_KEY,
};
#undef AT
const mapping field_mapping = {
    "fields[]",
    "A magnetic field, which acts on rods with a `magnetisation` and bodies with a `magnet`: uniform (`flux`), with a `gradient`, "
    "or that of a dipole (`moment`).",
    KEYS(field_keys), &orientation_mapping, offsetof(field_draft, turned)};

static const key fluid_keys[] = {
    {"density", &type_quantity, "kg/m^3", REQUIRED, "density, which also gives the buoyancy", offsetof(td_fluid_def, density), 0, 0},
    {"velocity", &type_numbers, "m/s", "[0, 0, 0]", "velocity of its current, in the world", offsetof(td_fluid_def, velocity), 0, 0},
};
const mapping fluid_mapping = {
    "fluid", "The fluid around the robot. `drag_coefficient` and `added_mass` of rods and `volume` of bodies need it. All drag is relative to its velocity.", KEYS(fluid_keys), 0, 0};
// clang-format on

// ---------------------------------------------------------------- reading
static td_status kind_of(reader *r, const node *n, td_field_kind *out) {
    static const char *const uniform[] = {"flux", "gradient"}, *const dipole[] = {
                                                                   "motion", "direction",
                                                                   "quaternion", "rotation"};
    const node *moment = node_child(n, "moment");
    *out = moment ? TD_FIELD_DIPOLE : TD_FIELD_UNIFORM;
    for (int i = 0; i < 2 && moment; i++)
        if (node_child(n, uniform[i]))
            return REFUSE_KEY(node_child(n, uniform[i]),
                              "'%s' does not go with 'moment', which makes a dipole", uniform[i]);
    for (int i = 0; i < 4 && !moment; i++)
        if (node_child(n, dipole[i]))
            return REFUSE_KEY(node_child(n, dipole[i]),
                              "'%s' is for a dipole, which has a 'moment'", dipole[i]);
    if (!moment && !node_child(n, "flux") && !node_child(n, "gradient"))
        return REFUSE(n, "the key 'flux' or 'gradient' is missing (or 'moment', of a dipole)");
    return TD_OK;
}

static td_status read_field(reader *r, node *n, int number) {
    char automatic[32];
    td_status status = check_name(r, n, "fields", find_field);
    if (status) return status;
    const node *name = node_child(n, "name");
    field_draft draft = {.def = td_default_field_def()};
    snprintf(automatic, sizeof automatic, "field%d", number);
    draft.def.name = automatic;
    r->owner = name ? name->text : automatic;
    status = read_mapping(r, n, &field_mapping, &draft);
    r->owner = "";
    if (!status) status = kind_of(r, n, &draft.def.kind);
    if (!status) status = read_orientation(r, n, &draft.turned, draft.def.orientation);
    return status ? status : added_part(r, n, td_robot_add_field(r->robot, &draft.def, r->err));
}

td_status read_fields(reader *r, node *fields) {
    td_status status = TD_OK;
    int number = 1;
    for (node *c = fields ? fields->first : NULL; c && !status; c = c->next)
        status = read_field(r, c, number++);
    return status;
}

td_status read_fluid(reader *r, node *n) {
    td_fluid_def def = {0};
    if (!n) return TD_OK;
    r->owner = "fluid";
    td_status status = read_mapping(r, n, &fluid_mapping, &def);
    r->owner = "";
    if (!status) status = check_not_zero(r, n, "density", def.density);
    if (status) return status;
    status = td_robot_set_fluid(r->robot, &def, r->err);
    if (status) relocate(r, NULL);
    return status;
}

// ---------------------------------------------------------------- writing
void save_field(saver *s, node *to, const td_field_def *def) {
    field_draft usual = {.def = td_default_field_def(), .turned.quaternion = {1.0, 0.0, 0.0, 0.0}};
    field_draft draft = {.def = *def};
    memcpy(draft.turned.quaternion, def->orientation, sizeof draft.turned.quaternion);
    const bool dipole = def->kind == TD_FIELD_DIPOLE;  // what makes its kind is always said
    td_number *said = dipole ? usual.def.moment : usual.def.flux;
    said[0].value = draft.def.moment[0].value + draft.def.flux[0].value + 1.0;
    save_mapping(s, to, &field_mapping, &draft, &usual);
}

void save_fluid(saver *s, node *root) {
    const td_fluid_def usual = {0};
    node *to = s->robot->fluid.density > 0.0 ? save_node(s, root, "fluid", NODE_MAPPING) : NULL;
    if (to) save_mapping(s, to, &fluid_mapping, &s->robot->fluid, &usual);
}
