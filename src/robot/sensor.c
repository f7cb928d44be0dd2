// robot/sensor.c - sensors in the description of a robot: what they can measure, their rules, and how they are added.
#include "robot/sensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/rules.h"
#include "robot/suggest.h"

// clang-format off
#define AXES(name, what, unit, stand_in)                                                           \
    {name "_x", what, unit, 0, 1, stand_in}, {name "_y", what, unit, 1, 1, stand_in},              \
    {name "_z", what, unit, 2, 1, stand_in}
static const sensor_word table[] = {
    {"position", SENSOR_OUTPUT, "m", 0, 3, NULL},
    {"x", SENSOR_OUTPUT, "m", 0, 1, NULL}, {"y", SENSOR_OUTPUT, "m", 1, 1, NULL}, {"z", SENSOR_OUTPUT, "m", 2, 1, NULL},
    {"turn", SENSOR_OUTPUT, "rad", 0, 3, NULL}, AXES("turn", SENSOR_OUTPUT, "rad", NULL),
    AXES("velocity", SENSOR_OUTPUT, "m/s", NULL), AXES("omega", SENSOR_OUTPUT, "rad/s", NULL),
    {"gyro", SENSOR_GYRO, "rad/s", 0, 3, "x"}, AXES("gyro", SENSOR_GYRO, "rad/s", "x"),
    {"accelerometer", SENSOR_ACCELEROMETER, "m/s^2", 0, 3, "x"}, AXES("accelerometer", SENSOR_ACCELEROMETER, "m/s^2", "x"),
    AXES("u", SENSOR_OUTPUT, "1/m", NULL), AXES("v", SENSOR_OUTPUT, "1", NULL),
    {"gauge", SENSOR_GAUGE, "1", 0, 1, "x"},
    {"tension", SENSOR_OUTPUT, "N", 0, 1, NULL}, {"length", SENSOR_OUTPUT, "m", 0, 1, NULL},
    {"displacement", SENSOR_SUPPLIED, "m", 0, 1, "length"},
    {"angle", SENSOR_DRIVE, "rad", 0, 1, "length"}, {"speed", SENSOR_DRIVE, "rad/s", 1, 1, "length"},
    {"current", SENSOR_DRIVE, "A", 2, 1, "length"}, {"torque", SENSOR_DRIVE, "N m", 3, 1, "length"},
    {"flow", SENSOR_DRIVE, "mol/s", 4, 1, "length"}, {"volume_flow", SENSOR_DRIVE, "m^3/s", 5, 1, "length"},
    {"pressure", SENSOR_OUTPUT, "Pa", 0, 1, NULL}, {"volume", SENSOR_OUTPUT, "m^3", 0, 1, NULL},
    {"force", SENSOR_OUTPUT, "N", 0, 3, NULL}, AXES("force", SENSOR_OUTPUT, "N", NULL),
    {"moment", SENSOR_OUTPUT, "N m", 0, 3, NULL}, AXES("moment", SENSOR_OUTPUT, "N m", NULL),
};
// clang-format on
enum { N_WORDS = sizeof table / sizeof *table };

const char *sensor_estimate_of(const char *measures) {
    const size_t n = strlen("estimate.");
    return strncmp(measures, "estimate.", n) == 0 ? measures + n : NULL;
}

// "estimate.weight", "estimate.touch.place", "estimate.gyro.x.bias": numbers have the unit of their input or sensor.
static bool is_number(const char *estimate) {
    const char *dot = estimate ? strchr(estimate, '.') : NULL;
    const char *last = estimate ? strrchr(estimate, '.') : NULL;
    return estimate && (!dot || strcmp(dot, ".place") == 0 || strcmp(last, ".bias") == 0);
}

const sensor_word *sensor_word_of(const char *measures) {
    static const sensor_word number = {"estimate", SENSOR_NUMBER, "1", 0, 1, NULL};
    const char *dot = strrchr(measures, '.');
    if (is_number(sensor_estimate_of(measures))) return &number;
    for (int i = 0; dot && i < N_WORDS; i++)
        if (strcmp(dot + 1, table[i].word) == 0) return &table[i];
    return NULL;
}

// ---------------------------------------------------------------- rules
static const part_kind sensor_kind = {"sensors", "sensor", find_sensor};

static td_status word_rule(const char *owner, const td_sensor_def *def, td_error *err) {
    char where[OWNER_SIZE + 16], hint[HINT_SIZE];
    snprintf(where, sizeof where, "%s.measures", owner);
    if (!def->measures || !*def->measures)
        return error_set(err, TD_ERR_VALUE, where,
                         "what it measures is missing, like tip.position or tendon.NAME.tension");
    if (strlen(def->measures) > 120)
        return error_set(err, TD_ERR_VALUE, where, "a name of %zu letters is too long",
                         strlen(def->measures));
    if (sensor_word_of(def->measures)) return TD_OK;
    const char *dot = strrchr(def->measures, '.');
    suggestion near = suggest_for(dot ? dot + 1 : def->measures);
    for (int i = 0; i < N_WORDS; i++) suggest(&near, table[i].word);
    return error_set(err, TD_ERR_VALUE, where,
                     "'%.60s' must end in position, turn, gyro, accelerometer, gauge, tension, "
                     "length, displacement, angle, speed, current, pressure, flow, force or a "
                     "component like x%s",
                     def->measures, hint_text(&near, "", hint));
}

static td_status numbers_rule(const char *owner, const td_sensor_def *def, td_error *err) {
    const struct {
        const char *key, *unit;
        double value;
    } sizes[] = {{"every", "m", def->every},    {"rate", "Hz", def->rate},
                 {"delay", "s", def->delay},    {"noise", "", def->noise},
                 {"density", "", def->density}, {"drift", "", def->drift},
                 {"quantum", "", def->quantum}};
    td_status status = finite_value((place){owner, NULL, "bias"}, def->bias, "", err);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !status; i++)
        status =
            not_negative((place){owner, NULL, sizes[i].key}, sizes[i].value, sizes[i].unit, err);
    for (int k = 0; k < 2 && !status; k++)
        status = finite_value((place){owner, "offset", axis_names[k]}, def->offset[k], "m", err);
    if (!status) status = finite_value((place){owner, NULL, "angle"}, def->angle, "rad", err);
    if (!status) status = finite_value((place){owner, "range", "low"}, def->low, "", err);
    if (!status) status = finite_value((place){owner, "range", "high"}, def->high, "", err);
    return status;
}

// Delays are counted in readings, and a density is one of so many per second.
static td_status rate_rule(const char *owner, const td_sensor_def *def, td_error *err) {
    char where[OWNER_SIZE + 16];
    snprintf(where, sizeof where, "%s.rate", owner);
    if (def->rate == 0.0 && (def->delay > 0.0 || def->density > 0.0))
        return error_set(err, TD_ERR_VALUE, where,
                         "a rate is needed where there is a %s: readings per second",
                         def->delay > 0.0 ? "delay" : "density of noise");
    if (def->delay * def->rate > TD_MOST_PENDING)
        return error_set(err, TD_ERR_VALUE, where,
                         "%g Hz with a delay of %g s: more than %d readings on their way",
                         def->rate, def->delay, TD_MOST_PENDING);
    if (def->low <= def->high) return TD_OK;
    snprintf(where, sizeof where, "%s.range", owner);
    return error_set(err, TD_ERR_VALUE, where, "low = %g must not be above high = %g", def->low,
                     def->high);
}

// What is computed has no noise that is drawn.
static td_status estimate_rule(const char *owner, const td_sensor_def *def, td_error *err) {
    const struct {
        const char *key;
        double value;
    } spoils[] = {{"noise", def->noise},     {"density", def->density},
                  {"bias", def->bias},       {"drift", def->drift},
                  {"quantum", def->quantum}, {"range", def->high - def->low}};
    char where[OWNER_SIZE + 16];
    for (size_t i = 0; sensor_estimate_of(def->measures) && i < sizeof spoils / sizeof *spoils;
         i++) {
        if (spoils[i].value == 0.0) continue;
        snprintf(where, sizeof where, "%s.%s", owner, spoils[i].key);
        return error_set(err, TD_ERR_VALUE, where,
                         "'%.60s' is computed, not measured, and is read as it is: rate and delay "
                         "alone may be said of it",
                         def->measures);
    }
    return TD_OK;
}

static td_status sensor_validate(const td_robot *robot, const td_sensor_def *def, td_error *err) {
    char owner[OWNER_SIZE];
    td_status status = part_validate(robot, &sensor_kind, def->name, robot->n_sensors, owner, err);
    if (!status) status = word_rule(owner, def, err);
    if (!status) status = numbers_rule(owner, def, err);
    if (!status) status = rate_rule(owner, def, err);
    return status ? status : estimate_rule(owner, def, err);
}

// ---------------------------------------------------------------- public
td_sensor_def td_default_sensor_def(void) {
    return (td_sensor_def){.low = 0.0, .high = 0.0};
}

int td_robot_add_sensor(td_robot *robot, const td_sensor_def *def, td_error *err) {
    if (!robot || !def) return error_set(err, TD_ERR_ARGUMENT, "sensors", "an argument is NULL");
    const td_status status = sensor_validate(robot, def, err);
    if (status) return status;
    robot_sensor *list = realloc(robot->sensors, sizeof *list * ((size_t)robot->n_sensors + 1));
    if (!list) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    robot->sensors = list;
    robot_sensor *to = &list[robot->n_sensors];
    *to = (robot_sensor){.name = strdup(def->name), .measures = strdup(def->measures), .def = *def};
    to->def.name = to->name, to->def.measures = to->measures;
    if (to->name && to->measures) return robot->n_sensors++;
    sensor_release(to);
    return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
}

void sensor_release(robot_sensor *sensor) {
    free(sensor->name);
    free(sensor->measures);
}
