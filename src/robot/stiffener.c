// robot/stiffener.c - stiffeners as they are described: their words, and the rules of what is said of them.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "robot/active.h"
#include "robot/actuators.h"
#include "robot/rules.h"

td_stiffener_def td_default_stiffener_def(void) {
    return (td_stiffener_def){0};
}

static actuator_head head(const void *of) {
    const td_stiffener_def *d = of;
    return (actuator_head){d->name, d->rod, d->from, d->to, 0, d->value};
}

static td_status validate(const td_robot *robot, const char *owner, const void *of, td_error *err) {
    const td_stiffener_def *d = of;
    const int of_name = find_temperature(robot, d->name);
    if (d->follows &&
        (of_name < 0 || robot_actuator_at(robot, KIND_temperature, of_name)->def != d->follows))
        return error_set(err, TD_ERR_VALUE, owner,
                         "follows: a stiffener that follows a temperature is made with it, by "
                         "td_robot_add_temperature");
    if (!d->follows && d->value.gain == 0.0 && !(d->value.value > -1.0))
        return refuse((place){owner, NULL, "value"}, d->value.value, "",
                      "must be above -1, which leaves no stiffness", err);
    return active_validate(&robot->rods[d->rod], owner, d->from, d->to, "a stiffener", err);
}

static bool own(const robot_rod *rod, const char *name, void *of) {
    td_stiffener_def *d = of;
    d->name = name;
    d->to = d->to < rod->length ? d->to : rod->length;
    active_sections(rod, d->from, d->to, d->stiffness, d->rest);
    return true;
}

static bool made(const void *of) {
    return ((const td_stiffener_def *)of)->follows != NULL;
}

static void add_to_hash(hash *h, const void *of) {
    const td_stiffener_def *d = of;
    HASH_INTS(h, d->rod, made(d));
    HASH_DOUBLES(h, d->from, d->to);
}

static feature_set features(const void *of) {
    (void)of;
    return 1ull << TD_FEATURE_STIFFENERS;
}

static void describe(const void *of, char *where, char *properties, size_t size) {
    snprintf(where, size, "%s", made(of) ? "moduli by temperature" : "stiffness of the section");
    properties[0] = '\0';
}

// Twice as stiff; where it follows a temperature, as that has it.
static double scale(const robot_rod *rod, const void *of, int input) {
    const td_stiffener_def *d = of;
    return d->follows ? actuator_rows[KIND_temperature]->scale(rod, d->follows, input) : 1.0;
}

static bool takes_negative(const void *of) {
    return !made(of);
}

// clang-format off
#define AT(field) offsetof(td_actuator_state, field)
static const td_actuator_quantity inputs[] = {
    {"stiffening", "", "by which the stiffness grows, as a share of what it is", AT(effort), false},
};
static const td_actuator_quantity recorded[] = {
    {"stiffening", "", "by which the stiffness grows, as a share of what it is", AT(effort), false},
    {"stored", "J", "what its stretch of the rod stores without it", AT(measure), false},
};
const actuator_row stiffener_row = {
    .words = {"stiffener", "stiffeners", TD_RECORD_STIFFENERS, true, inputs, recorded, 1, 2},
    .size = sizeof(td_stiffener_def), .head = head, .validate = validate, .own = own, .made = made,
    .hash = add_to_hash, .features = features, .describe = describe,
    .scale = scale, .takes_negative = takes_negative,
};
