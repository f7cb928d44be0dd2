// robot/temperature.c - temperatures of rods as they are described: their words, and the rules of what is said of them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/active.h"
#include "robot/actuators.h"
#include "robot/rules.h"

#define ROOM_TEMPERATURE 293.15  // K
#define A_CHANGE 100.0           // K, that does something

td_temperature_def td_default_temperature_def(void) {
    return (td_temperature_def){.at_rest = ROOM_TEMPERATURE};
}

static actuator_head head(const void *of) {
    const td_temperature_def *d = of;
    return (actuator_head){d->name, d->rod, d->from, d->to, 0, d->value};
}

// ---------------------------------------------------------------- rules
static td_status row_validate(const char *owner, const td_temperature_def *d, int i,
                              td_error *err) {
    const double *row = d->moduli + 2 * i;
    char where[32];
    snprintf(where, sizeof where, "moduli.%d", i);
    td_status status = positive((place){owner, where, "temperature"}, row[0], "K", err);
    if (!status) status = positive((place){owner, where, "modulus"}, row[1], "Pa", err);
    if (status || i == 0 || row[0] > row[-2]) return status;
    char rule[96];
    snprintf(rule, sizeof rule, "must be above that of the row before, %g K", row[-2]);
    return refuse((place){owner, where, "temperature"}, row[0], "K", rule, err);
}

static td_status moduli_validate(const td_robot *robot, const char *owner,
                                 const td_temperature_def *d, td_error *err) {
    if (d->n_moduli == 0) return TD_OK;
    if (d->n_moduli < 2 || !d->moduli)
        return error_set(
            err, TD_ERR_VALUE, owner,
            "moduli needs two rows or more, each a temperature and a modulus; %d given",
            d->n_moduli);
    td_status status = TD_OK;
    for (int i = 0; i < d->n_moduli && !status; i++) status = row_validate(owner, d, i, err);
    if (status || find_stiffener(robot, d->name) < 0) return status;
    return error_set(err, TD_ERR_VALUE, owner,
                     "its moduli make a stiffener of its name, which there is: call one of them "
                     "otherwise");
}

static td_status validate(const td_robot *robot, const char *owner, const void *of, td_error *err) {
    const td_temperature_def *d = of;
    td_status status = positive((place){owner, NULL, "at_rest"}, d->at_rest, "K", err);
    if (!status) status = finite_value((place){owner, NULL, "expansion"}, d->expansion, "1/K", err);
    if (!status) status = finite_values(owner, "curvature", d->curvature, 3, "1/(m K)", err);
    if (!status) status = moduli_validate(robot, owner, d, err);
    if (!status && d->value.gain == 0.0)
        status = positive((place){owner, NULL, "value"}, d->value.value, "K", err);
    if (status) return status;
    double size = fabs(d->expansion) + d->n_moduli;
    for (int i = 0; i < 3; i++) size += fabs(d->curvature[i]);
    if (!(size > 0.0))
        return error_set(err, TD_ERR_VALUE, owner,
                         "it changes nothing: give an expansion, a curvature or moduli");
    return active_validate(&robot->rods[d->rod], owner, d->from, d->to, "a temperature", err);
}

// ---------------------------------------------------------------- in the robot
// K c, c what a kelvin adds to the strain at rest.
static bool own(const robot_rod *rod, const char *name, void *of) {
    td_temperature_def *d = of;
    const size_t bytes = 2 * sizeof *d->moduli * (size_t)d->n_moduli;
    double K[36], *copy = bytes ? malloc(bytes) : NULL;
    if (bytes && !copy) return false;
    if (copy) memcpy(copy, d->moduli, bytes);
    d->name = name;
    d->to = fmin(d->to, rod->length);
    d->moduli = copy;
    active_sections(rod, d->from, d->to, K, d->rest);
    for (int i = 0; i < 6; i++) {
        d->wrench[i] = K[6 * i + 5] * d->expansion;
        for (int k = 0; k < 3; k++) d->wrench[i] += K[6 * i + k] * d->curvature[k];
    }
    return true;
}

static void release(void *of) {
    free((double *)((td_temperature_def *)of)->moduli);
}

static td_status beside(td_robot *robot, const void *of, td_error *err) {
    const td_temperature_def *d = of;
    if (d->n_moduli == 0) return TD_OK;
    td_stiffener_def s = td_default_stiffener_def();
    s.name = d->name, s.rod = d->rod, s.from = d->from, s.to = d->to, s.value = d->value;
    s.follows = d;
    const int index = td_robot_add_stiffener(robot, &s, err);
    return index < 0 ? (td_status)index : TD_OK;
}

static void add_to_hash(hash *h, const void *of) {
    const td_temperature_def *d = of;
    HASH_INTS(h, d->rod, d->n_moduli);
    HASH_DOUBLES(h, d->from, d->to, d->at_rest, d->expansion);
    hash_doubles(h, d->curvature, 3);
    hash_doubles(h, d->moduli, 2 * d->n_moduli);
}

static feature_set features(const void *of) {
    const td_temperature_def *d = of;
    return 1ull << TD_FEATURE_TEMPERATURES |
           (d->expansion != 0.0 ? 1ull << TD_FEATURE_SHEAR_EXTENSION : 0);
}

static void describe(const void *of, char *where, char *properties, size_t size) {
    const td_temperature_def *d = of;
    const int n = snprintf(where, size, "expansion %g 1/K", d->expansion);
    if (d->curvature[0] != 0.0 || d->curvature[1] != 0.0 || d->curvature[2] != 0.0)
        snprintf(where + n, size - (size_t)n, ", curvature (%g, %g, %g) 1/(m K)", d->curvature[0],
                 d->curvature[1], d->curvature[2]);
    properties[0] = '\0';
    if (d->n_moduli)
        snprintf(properties, size, "moduli from %g K to %g K", d->moduli[0],
                 d->moduli[2 * d->n_moduli - 2]);
}

static double scale(const robot_rod *rod, const void *of, int input) {
    const td_temperature_def *d = of;
    const double stretch[3] = {0.0, 0.0, d->expansion};
    (void)rod, (void)input;
    return d->at_rest + fmin(active_scale(d->curvature, stretch, d->to - d->from), A_CHANGE);
}

static bool takes_negative(const void *of) {
    (void)of;
    return false;
}

// clang-format off
#define AT(field) offsetof(td_actuator_state, field)
static const td_actuator_quantity inputs[] = {
    {"temperature", "K", "of the rod there", AT(supplied), false},
};
static const td_actuator_quantity recorded[] = {
    {"temperature", "K", "of the rod there", AT(supplied), false},
    {"shortening", "J/K", "what it has done work on: stiffness times the expansion of one kelvin times the strain", AT(measure), false},
};
const actuator_row temperature_row = {
    .words = {"temperature", "temperatures", TD_RECORD_TEMPERATURES, true, inputs, recorded, 1, 2},
    .size = sizeof(td_temperature_def), .head = head, .validate = validate, .own = own, .release = release,
    .beside = beside, .hash = add_to_hash, .features = features, .describe = describe,
    .scale = scale, .takes_negative = takes_negative,
};
