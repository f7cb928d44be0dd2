// robot/muscle.c - muscles as they are described: their words, and the rules of what is said of them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "robot/active.h"
#include "robot/actuators.h"
#include "robot/rules.h"

td_muscle_def td_default_muscle_def(void) {
    return (td_muscle_def){0};
}

static actuator_head head(const void *of) {
    const td_muscle_def *d = of;
    return (actuator_head){d->name, d->rod, d->from, d->to, 0, d->value};
}

static bool changes_stretch(const td_muscle_def *d) {
    return d->stretch[0] != 0.0 || d->stretch[1] != 0.0 || d->stretch[2] != 0.0;
}

static td_status validate(const td_robot *robot, const char *owner, const void *of, td_error *err) {
    const td_muscle_def *def = of;
    td_status status = finite_values(owner, "curvature", def->curvature, 3, "1/m", err);
    if (!status) status = finite_values(owner, "stretch", def->stretch, 3, "", err);
    double size = 0.0;
    for (int i = 0; i < 3; i++) size += fabs(def->curvature[i]) + fabs(def->stretch[i]);
    if (!status && !(size > 0.0))
        return error_set(err, TD_ERR_VALUE, owner,
                         "it changes nothing: give a curvature, a stretch or both");
    if (status) return status;
    return active_validate(&robot->rods[def->rod], owner, def->from, def->to, "a muscle", err);
}

// K c, and the strain that its rod has at rest.
static bool own(const robot_rod *rod, const char *name, void *of) {
    td_muscle_def *d = of;
    d->name = name;
    d->to = fmin(d->to, rod->length);
    double K[36];
    active_sections(rod, d->from, d->to, K, d->rest);
    for (int i = 0; i < 6; i++) {
        d->wrench[i] = 0.0;
        for (int k = 0; k < 3; k++)
            d->wrench[i] += K[6 * i + k] * d->curvature[k] + K[6 * i + 3 + k] * d->stretch[k];
    }
    return true;
}

static void add_to_hash(hash *h, const void *of) {
    const td_muscle_def *m = of;
    HASH_INTS(h, m->rod);
    HASH_DOUBLES(h, m->from, m->to);
    hash_doubles(h, m->curvature, 3);
    hash_doubles(h, m->stretch, 3);
}

static feature_set features(const void *of) {
    return 1ull << TD_FEATURE_MUSCLES |
           (changes_stretch(of) ? 1ull << TD_FEATURE_SHEAR_EXTENSION : 0);
}

static void describe(const void *of, char *where, char *properties, size_t size) {
    const td_muscle_def *d = of;
    snprintf(where, size, "curvature (%g, %g, %g) 1/m, stretch (%g, %g, %g)", d->curvature[0],
             d->curvature[1], d->curvature[2], d->stretch[0], d->stretch[1], d->stretch[2]);
    properties[0] = '\0';
}

// Bends it by a radian, or stretches it by a tenth.
static double scale(const robot_rod *rod, const void *of, int input) {
    const td_muscle_def *d = of;
    (void)rod, (void)input;
    return active_scale(d->curvature, d->stretch, d->to - d->from);
}

static bool takes_negative(const void *of) {
    (void)of;
    return true;
}

// clang-format off
#define AT(field) offsetof(td_actuator_state, field)
static const td_actuator_quantity inputs[] = {
    {"activation", "", "by which its curvature and stretch are multiplied", AT(effort), false},
};
static const td_actuator_quantity recorded[] = {
    {"activation", "", "by which its curvature and stretch are multiplied", AT(effort), false},
    {"shortening", "J", "what it has done work on: stiffness times its curvature and stretch times the strain", AT(measure), false},
};
const actuator_row muscle_row = {
    .words = {"muscle", "muscles", TD_RECORD_MUSCLES, true, inputs, recorded, 1, 2},
    .size = sizeof(td_muscle_def), .head = head, .validate = validate, .own = own,
    .hash = add_to_hash, .features = features, .describe = describe,
    .scale = scale, .takes_negative = takes_negative,
};
