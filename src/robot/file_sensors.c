// robot/file_sensors.c - sensors in files: their keys, and from the tree to the robot and back.
#include <stdio.h>
#include <string.h>

#include "robot/file_save.h"
#include "robot/sensor.h"
#include "robot/units.h"

typedef struct sensor_draft {
    td_sensor_def def;
    node *range, *density, *drift;
} sensor_draft;

// ---------------------------------------------------------------- keys
static const value_type type_rooted = {"quantity by a root", keep_node};
static const value_type type_ends = {"[low, high]", keep_node};

// clang-format off
#define AT(field) offsetof(sensor_draft, field)
static const key sensor_keys[] = {
    {"name", &type_text, NULL, "sensor1, sensor2, ...", "unique; letters, digits, `_` and `-`", AT(def.name), 0, 0},
    {"measures", &type_text, NULL, REQUIRED, "`tip.position`, `rod.NAME.50 %.gauge`, `body.NAME.gyro`, `tendon.NAME.tension`, ..., `estimate.tip.position`: [control](control.md#sensors)", AT(def.measures), 0, 0},
    {"every", &type_quantity, "m", "at one place", "spacing of several places along a rod; `measures` then names the rod without a place", AT(def.every), 0, 0},
    {"offset", &type_offset, "m", "[0, 0]", "of a gauge: its position in the section", AT(def.offset), 0, &polar_mapping},
    {"angle", &type_quantity, "rad", "0", "of a gauge: angle to the axis of the rod", AT(def.angle), 0, 0},
    {"rate", &type_quantity, "Hz", "after every step", "readings per second", AT(def.rate), 0, 0},
    {"delay", &type_quantity, "s", "0", "time until a reading is available", AT(def.delay), 0, 0},
    {"noise", &type_quantity, SIGNAL_UNIT, "0", "standard deviation of each reading", AT(def.noise), 0, 0},
    {"density", &type_rooted, NULL, "0", "density of white noise, for example `0.01 deg/s/sqrt(Hz)`; the deviation of a reading is this times the square root of `rate`", AT(density), 0, 0},
    {"bias", &type_quantity, SIGNAL_UNIT, "0", "constant offset", AT(def.bias), 0, 0},
    {"drift", &type_rooted, NULL, "0", "random walk of the bias, for example `1e-4 m/s^2/sqrt(s)`", AT(drift), 0, 0},
    {"quantum", &type_quantity, SIGNAL_UNIT, "0", "readings are rounded to multiples of it", AT(def.quantum), 0, 0},
    {"range", &type_ends, NULL, "none", "[low, high]: readings are clipped to it", AT(range), 0, 0},
    REPEAT_KEY,
};
#undef AT
// clang-format on
const mapping sensor_mapping = {"sensors[]",
                                "A sensor. Each reading is the true value plus bias, drift and "
                                "noise, rounded to `quantum` and clipped to `range`.",
                                KEYS(sensor_keys), 0, 0};

// ---------------------------------------------------------------- reading
td_status read_rooted(reader *r, const node *n, const char *unit, const char *root, double *out) {
    if (!n) return TD_OK;
    td_status status = expect_scalar(r, n, "a quantity");
    if (status) return status;
    node plain = *n;
    char why[UNITS_TEXT];
    double ignored;
    const size_t length = strlen(n->text), end = strlen(root);
    const bool rooted = length > end && strcmp(n->text + length - end, root) == 0;
    if (!rooted && !number_parse(n->text, &ignored, NULL, why))
        return REFUSE(n, "'%.60s' must end in %s, or be a plain number in SI", n->text, root);
    if (rooted) plain.text = tree_text(r->t, n->text, length - end);
    if (!plain.text) return out_of_memory(r, n);
    return read_quantity(r, &plain, unit, out);
}

static td_status read_range(reader *r, node *n, td_sensor_def *def) {
    double ends[2];
    if (!n) return TD_OK;
    const td_status status = read_quantities(r, n, SIGNAL_UNIT, 2, ends);
    if (status) return status;
    def->low = ends[0], def->high = ends[1];
    return ends[0] < ends[1] ? TD_OK : REFUSE(n, "[low, high] with low below high is expected");
}

static td_status read_sensor(reader *r, node *n, int number) {
    char automatic[32];
    td_status status = check_name(r, n, "sensors", find_sensor);
    if (status) return status;
    sensor_draft draft = {.def = td_default_sensor_def()};
    snprintf(automatic, sizeof automatic, "sensor%d", number);
    draft.def.name = automatic;
    const node *measures = node_child(n, "measures");
    const sensor_word *word =
        measures && measures->kind == NODE_SCALAR ? sensor_word_of(measures->text) : NULL;
    if (!word && measures && measures->kind == NODE_SCALAR) {  // refused before what has its unit
        const node *name = node_child(n, "name");
        if (name && name->kind == NODE_SCALAR) draft.def.name = name->text;
        draft.def.measures = measures->text;
        return added_part(r, n, td_robot_add_sensor(r->robot, &draft.def, r->err));
    }
    r->unit = word && strcmp(word->unit, "1") ? word->unit : "";
    status = read_mapping(r, n, &sensor_mapping, &draft);
    if (!status && node_child(n, "rate") && draft.def.rate == 0.0)
        status = REFUSE(node_child(n, "rate"),
                        "at 0 Hz there is no reading; left out, there is one after every step");
    if (!status)
        status = read_rooted(r, draft.density, SIGNAL_UNIT, "/sqrt(Hz)", &draft.def.density);
    if (!status) status = read_rooted(r, draft.drift, SIGNAL_UNIT, "/sqrt(s)", &draft.def.drift);
    if (!status) status = read_range(r, draft.range, &draft.def);
    return status ? status : added_part(r, n, td_robot_add_sensor(r->robot, &draft.def, r->err));
}

td_status read_sensors(reader *r, node *sensors) {
    td_status status = TD_OK;
    int number = 1;
    for (node *c = sensors ? sensors->first : NULL; c && !status; c = c->next)
        status = read_sensor(r, c, number++);
    return status;
}

// ---------------------------------------------------------------- writing
void save_sensor(saver *s, node *to, const td_sensor_def *def) {
    const sensor_draft draft = {.def = *def}, usual = {.def = td_default_sensor_def()};
    key k;
    for (int i = 0; mapping_key(&sensor_mapping, i, &k); i++)
        if (k.type != &type_rooted && k.type != &type_ends)
            save_key(s, to, &k, (const char *)&draft + k.offset, (const char *)&usual + k.offset);
    if (def->density != 0.0) save_value(s, to, "density", def->density);
    if (def->drift != 0.0) save_value(s, to, "drift", def->drift);
    if (def->low < def->high) save_values(s, to, "range", (const double[]){def->low, def->high}, 2);
}
