// robot/file_chamber.c - chambers in files: their keys, and from the tree to the robot.
#include <math.h>

#include "robot/file_save.h"

typedef struct chamber_draft {
    actuator_draft on;
    int path;
    td_chamber_def def;
} chamber_draft;

// ---------------------------------------------------------------- keys
static const choice chamber_inputs[] = {
    {"pressure", TD_PRESSURE},       {"volume", TD_VOLUME},
    {"amount", TD_AMOUNT},           {"opening", TD_OPENING},
    {"torque", TD_CHAMBER_TORQUE},   {"current", TD_CHAMBER_CURRENT},
    {"voltage", TD_CHAMBER_VOLTAGE}, {"speed", TD_CHAMBER_SPEED},
    {"angle", TD_CHAMBER_ANGLE},     {0}};
static const choice volumes[] = {{"energy", false}, {"path", true}, {0}};
#define AT(field) offsetof(chamber_draft, field)
static const key chamber_keys[] = {
    ACTUATOR_KEYS,
    {"offset", &type_offset, "m", "[0, 0]", "local x and y of its centre", AT(def.offset), 0,
     &polar_mapping},
    {"radius", &type_quantity, "m", "-", "radius of a round chamber", AT(def.radius), 0, 0},
    {"area", &type_quantity, "m^2", "from radius", "area of any other chamber", AT(def.area), 0, 0},
    {"braid_angle", &type_quantity, "rad", "90 deg",
     "angle of the braid around it, which holds its area in a rod with `mean_stretch`; 90 deg: "
     "rings",
     AT(def.braid_angle), 0, 0},
    {"input", &type_choice, NULL, "pressure",
     "quantity of its input: Pa above the atmosphere, m^3 of incompressible fluid, or mol of gas; "
     "the opening of its `valve`; or of its `motor` N m, A, V, rad/s or rad",
     AT(def.input), chamber_inputs, 0},
    {"value", &type_value, NULL, "an input of its own name",
     "pressure, volume or amount; or the command of its valve or motor", AT(on.value), 0, 0},
    {"valve", &type_mapping, NULL, "none", "valve that lets gas or liquid in and out",
     AT(def.valve), 0, &valve_mapping},
    {"motor", &type_mapping, NULL, "none", "pump of liquid", AT(def.motor), 0,
     &chamber_motor_mapping},
    {"compliance", &type_quantity, "m^3/Pa", "0",
     "of liquid: volume per pressure that tubes between drive and chamber take up",
     AT(def.compliance), 0, 0},
    {"temperature", &type_quantity, "K", "20 degC", "temperature of the gas", AT(def.temperature),
     0, 0},
    {"atmosphere", &type_quantity, "Pa", "101325", "pressure around the robot", AT(def.atmosphere),
     0, 0},
    {"volume", &type_choice, NULL, "energy",
     "`energy`: the volume that the pressure does work on; `path`: area times the length of its "
     "centre line",
     AT(path), volumes, 0},
    REPEAT_KEY,
};
const mapping chamber_mapping = {"chambers[]",
                                 "A chamber along a rod, given by its radius or its area. Without "
                                 "`value` it is driven by an input of its name.",
                                 KEYS(chamber_keys), 0, 0};
#undef AT

// ---------------------------------------------------------------- reading
// The volume in the rest shape: area times the integral of e3 . (v* + u* x r).
static double rest_volume(const robot_rod *rod, const td_chamber_def *def) {
    double start = 0.0, length = 0.0;
    for (int i = 0; i < rod->n_pieces; i++) {
        const td_piece_def *p = &rod->pieces[i];
        double covered = fmin(def->to, start + p->length) - fmax(def->from, start);
        double stretch = p->rest_stretch[2] + p->rest_curvature[0] * def->offset[1] -
                         p->rest_curvature[1] * def->offset[0];
        length += stretch * fmax(covered, 0.0);
        start += p->length;
    }
    return chamber_area(def) * length;
}

// A pressure may begin at 0, but a chamber that holds nothing has no shape.
static td_status check_filling(reader *r, const node *n, const chamber_draft *draft) {
    const td_chamber_def *def = &draft->def;
    bool driven = draft->on.value || node_child(node_child(r->root, "inputs"), def->name);
    if (def->input == TD_PRESSURE || def->input > TD_AMOUNT || driven) return TD_OK;
    double volume = rest_volume(&r->robot->rods[def->rod], def);
    double amount = def->atmosphere * volume / (GAS_CONSTANT * def->temperature);
    bool gas = def->input == TD_AMOUNT;
    return REFUSE(n,
                  "the key 'value', or a signal under inputs, is missing: what the chamber holds, "
                  "which is %.4g %s at rest",
                  gas ? amount : volume, gas ? "mol" : "m^3");
}

td_status read_chamber(reader *r, node *n) {
    chamber_draft draft = {.def = td_default_chamber_def()};
    td_chamber_def *def = &draft.def;
    td_status status = read_mapping(r, n, &chamber_mapping, &draft);
    if (!status) status = check_name(r, n, "chambers", find_chamber);
    if (status) return status;
    const node *radius = node_child(n, "radius"), *area = node_child(n, "area");
    if (!radius == !area)
        return REFUSE(n, radius ? "give either radius or area, not both"
                                : "the key 'radius' or 'area' is missing");
    def->path_volume = draft.path;
    status = read_stretch(r, n, &draft.on, &def->rod, &def->from, &def->to);
    if (!status) status = check_filling(r, n, &draft);
    const td_actuator_quantity *input = &actuator_rows[KIND_chamber]->words.inputs[def->input];
    if (!status) status = check_engine(r, n, "valve", def->input == TD_OPENING, input->name, NULL);
    if (!status)
        status = check_engine(r, n, "motor", def->input > TD_OPENING, input->name, &def->motor);
    if (!status) status = read_effort(r, n, draft.on.value, def->name, input->unit, &def->value);
    return status ? status : added_part(r, n, td_robot_add_chamber(r->robot, def, r->err));
}

// ---------------------------------------------------------------- writing
void save_chamber(saver *s, node *to, const void *of) {
    const td_chamber_def *def = of;
    const chamber_draft usual = {.def = td_default_chamber_def()};
    const chamber_draft draft = {.path = def->path_volume, .def = *def};
    save_mapping(s, to, &chamber_mapping, &draft, &usual);
}
