// robot/tendon.c - tendons and push-pull rods as they are described: their words, and the rules of what
// is said of them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/actuators.h"
#include "robot/route.h"
#include "robot/engine.h"
#include "robot/rules.h"
#include "math/pi.h"

#define SLACK (1.0 + 1e-9)  // for the rounding of given dimensions

td_tendon_def td_default_tendon_def(void) {
    return (td_tendon_def){
        .routing = TD_ROUTING_STRAIGHT, .input = TD_TENSION, .motor = td_default_motor_def()};
}

static actuator_head head(const void *of) {
    const td_tendon_def *d = of;
    return (actuator_head){d->name, d->rod, d->from, d->to, (int)d->input, d->value};
}

// In words: less than an atom, as the cosine of 90 deg leaves it, is nothing.
static double mm(double length) {
    return fabs(length) < 1e-12 ? 0.0 : 1e3 * length;
}

// ---------------------------------------------------------------- the path of a tendon
// Discs may carry a tendon far outside a thin rod, so that only a rod that says how far out its
// discs reach can tell a wrong offset.
static td_status inside_envelope(const robot_rod *rod, const char *owner, const char *key,
                                 double distance, td_error *err) {
    if (rod->envelope <= 0.0 || distance <= rod->envelope * SLACK) return TD_OK;
    char where[256];
    snprintf(where, sizeof where, "%s.%s", owner, key);
    return error_set(err, TD_ERR_VALUE, where,
                     "%g mm from the axis lies outside the envelope of rod '%s', %g mm",
                     mm(distance), rod->name, mm(rod->envelope));
}

static td_status straight_validate(const robot_rod *rod, const char *owner,
                                   const td_tendon_def *def, td_error *err) {
    const char *const keys[2] = {"offset", "offset_end"};
    const double *const offsets[2] = {def->offset, def->offset_end};
    td_status status = TD_OK;
    for (int i = 0; i < 2 && !status; i++) {
        status = finite_values(owner, keys[i], offsets[i], 2, "m", err);
        double distance = hypot(offsets[i][0], offsets[i][1]);
        if (!status) status = inside_envelope(rod, owner, keys[i], distance, err);
    }
    return status;
}

static td_status helix_validate(const robot_rod *rod, const char *owner, const td_tendon_def *def,
                                td_error *err) {
    const char *group = "routing.helix";
    td_status status = positive((place){owner, group, "radius"}, def->radius, "m", err);
    if (!status) status = finite_value((place){owner, group, "turns"}, def->turns, "", err);
    if (!status) status = finite_value((place){owner, group, "phase"}, def->phase, "rad", err);
    if (!status) status = inside_envelope(rod, owner, "routing.helix.radius", def->radius, err);
    return status;
}

typedef struct point_words {
    const char *key, *names[3], *units[3];
} point_words;

static const point_words *words_of(const td_tendon_def *def) {
    static const point_words plain = {"points", {"s", "x", "y"}, {"m", "m", "m"}};
    static const point_words polar = {"polar", {"s", "radius", "angle"}, {"m", "m", "rad"}};
    return def->routing == TD_ROUTING_POLAR ? &polar : &plain;
}

static td_status point_validate(const robot_rod *rod, const char *owner, const td_tendon_def *def,
                                int i, td_error *err) {
    const point_words *words = words_of(def);
    const bool polar = def->routing == TD_ROUTING_POLAR;
    const double *p = def->points + 3 * i;
    char where[64];
    td_status status = TD_OK;
    snprintf(where, sizeof where, "routing.%s.%d", words->key, i);
    for (int k = 0; k < 3 && !status; k++)
        status = finite_value((place){owner, where, words->names[k]}, p[k], words->units[k], err);
    if (!status && polar) status = not_negative((place){owner, where, "radius"}, p[1], "m", err);
    double distance = polar ? p[1] : hypot(p[1], p[2]);
    if (!status) status = inside_envelope(rod, owner, where, distance, err);
    // Closer than this, the slope between two points would be rounding.
    if (status || i == 0 || p[0] - p[-3] > 1e-9 * rod->length) return status;
    char rule[96];
    snprintf(rule, sizeof rule, "must lie beyond the point before it, at %g m", p[-3]);
    return refuse((place){owner, NULL, where}, p[0], "m", rule, err);
}

static td_status span_validate(const robot_rod *rod, const char *owner, const td_tendon_def *def,
                               td_error *err) {
    const double ends[2] = {def->points[0], def->points[3 * (def->n_points - 1)]};
    const double wanted[2] = {def->from, def->to};
    for (int i = 0; i < 2; i++) {
        if (fabs(ends[i] - wanted[i]) <= 1e-9 * rod->length) continue;
        char rule[96];
        snprintf(rule, sizeof rule, "is where its %s point lies, but it runs %s %g m",
                 i == 0 ? "first" : "last", i == 0 ? "from" : "to", wanted[i]);
        return refuse((place){owner, "routing", words_of(def)->key}, ends[i], "m", rule, err);
    }
    return TD_OK;
}

// Between points the x and y of a path stay between theirs, but its distance from the axis need not.
#define LOOKS 32  // between two points
static td_status between_validate(const robot_rod *rod, const char *owner, const td_tendon_def *def,
                                  int i, td_error *err) {
    const double *p = def->points + 3 * i;
    double far = 0.0, at = p[0];
    for (int k = 1; k < LOOKS; k++) {
        double s = p[0] + (p[3] - p[0]) * k / LOOKS, distance = vec3_norm(tendon_route(def, s).r);
        if (distance > far) far = distance, at = s;
    }
    if (rod->envelope <= 0.0 || far <= rod->envelope * SLACK) return TD_OK;
    char where[256];
    snprintf(where, sizeof where, "%s.routing.points.%d", owner, i);
    return error_set(err, TD_ERR_VALUE, where,
                     "between this point and the next, at %g m, the path is %g mm from the axis, "
                     "outside the envelope of rod '%s', %g mm; give more points, or polar ones",
                     at, mm(far), rod->name, mm(rod->envelope));
}

static td_status points_validate(const robot_rod *rod, const char *owner, const td_tendon_def *def,
                                 td_error *err) {
    char where[OWNER_SIZE + 32];
    snprintf(where, sizeof where, "%s.routing.%s", owner, words_of(def)->key);
    if (!def->points || def->n_points < 2 || def->n_points > MOST_PIECES)
        return error_set(err, TD_ERR_VALUE, where, "%d points: a path has 2 to %d", def->n_points,
                         MOST_PIECES);
    td_status status = TD_OK;
    for (int i = 0; i < def->n_points && !status; i++)
        status = point_validate(rod, owner, def, i, err);
    if (!status) status = span_validate(rod, owner, def, err);
    for (int i = 0; i + 1 < def->n_points && !status && def->routing == TD_ROUTING_POINTS; i++)
        status = between_validate(rod, owner, def, i, err);
    return status;
}

static td_status routing_validate(const robot_rod *rod, const char *owner, const td_tendon_def *def,
                                  td_error *err) {
    switch (def->routing) {
    case TD_ROUTING_STRAIGHT: return straight_validate(rod, owner, def, err);
    case TD_ROUTING_HELIX: return helix_validate(rod, owner, def, err);
    case TD_ROUTING_POINTS:
    case TD_ROUTING_POLAR: return points_validate(rod, owner, def, err);
    }
    return refuse((place){owner, NULL, "routing"}, (int)def->routing, "", "is not a routing", err);
}

// ---------------------------------------------------------------- tendons
static td_status needs(const char *owner, const char *key, const char *rule, td_error *err) {
    char where[256];
    snprintf(where, sizeof where, "%s.%s", owner, key);
    return error_set(err, TD_ERR_VALUE, where, "%s", rule);
}

static bool is_parallel(const td_tendon_def *def) {
    return def->routing == TD_ROUTING_STRAIGHT && def->offset[0] == def->offset_end[0] &&
           def->offset[1] == def->offset_end[1];
}

static td_status drive_validate(const char *owner, const td_tendon_def *def, td_error *err) {
    const struct {
        const char *key, *unit;
        double value;
    } quantities[] = {
        {"stiffness", "N", def->stiffness},     {"outside", "m", def->outside},
        {"compliance", "m/N", def->compliance}, {"pretension", "N", def->pretension},
        {"friction", "", def->friction},        {"presliding", "m", def->presliding},
        {"viscous", "s/m", def->viscous},       {"bending", "N m^2", def->bending},
        {"torsion", "N m^2", def->torsion},     {"mass_per_length", "kg/m", def->mass_per_length},
    };
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        td_status status = not_negative((place){owner, NULL, quantities[i].key},
                                        quantities[i].value, quantities[i].unit, err);
        if (status) return status;
    }
    if ((def->bending > 0.0 || def->torsion > 0.0) && !is_parallel(def))
        return needs(owner, def->bending > 0.0 ? "bending" : "torsion",
                     "a rod that resists bending is straight at rest: its path must be parallel to "
                     "the axis",
                     err);
    if (def->outside > 0.0 && def->stiffness <= 0.0)
        return needs(owner, "outside",
                     "a length outside matters only to a tendon that stretches: give its stiffness "
                     "EA",
                     err);
    if (def->pretension > 0.0 && def->input == TD_TENSION)
        return needs(owner, "pretension",
                     "only a tendon driven by displacement has a pretension; with input tension "
                     "its value says it all",
                     err);
    if (def->pretension > 0.0 && def->stiffness <= 0.0 && def->compliance <= 0.0)
        return needs(
            owner, "pretension",
            "a tendon that does not stretch keeps no pretension: give its stiffness EA, or "
            "the compliance of its drive",
            err);
    return TD_OK;
}

static td_status validate(const td_robot *robot, const char *owner, const void *of, td_error *err) {
    const td_tendon_def *def = of;
    td_status status = routing_validate(&robot->rods[def->rod], owner, def, err);
    if (!status) status = drive_validate(owner, def, err);
    if (status || def->input <= TD_DISPLACEMENT) return status;
    return motor_validate(owner, "spool", "m", &def->motor, (int)def->input - TD_TENDON_TORQUE,
                          err);
}

// ---------------------------------------------------------------- a copy in the robot
static bool own(const robot_rod *rod, const char *name, void *of) {
    td_tendon_def *d = of;
    const double *points = goes_through_points(d) ? d->points : NULL;
    const size_t bytes = 3 * sizeof *points * (size_t)d->n_points;
    d->name = name;
    d->to = fmin(d->to, rod->length);
    d->points = NULL;
    if (!points) d->n_points = 0;
    if (!points) return true;
    double *copy = malloc(bytes);
    if (!copy) return false;
    memcpy(copy, points, bytes);
    copy[0] = d->from;
    copy[3 * (d->n_points - 1)] = d->to;
    d->points = copy;
    return true;
}

static void release(void *of) {
    free((double *)((td_tendon_def *)of)->points);
}

// ---------------------------------------------------------------- what is asked of every kind
static void add_to_hash(hash *h, const void *of) {
    const td_tendon_def *t = of;
    HASH_INTS(h, t->rod, (int)t->routing, (int)t->input, t->n_points);
    HASH_DOUBLES(h, t->from, t->to, t->radius, t->turns, t->phase, t->stiffness, t->outside,
                 t->compliance, t->pretension, t->friction, t->presliding, t->viscous, t->bending,
                 t->torsion, t->mass_per_length, t->pushes ? 1.0 : 0.0);
    hash_doubles(h, t->offset, 2);
    hash_doubles(h, t->offset_end, 2);
    if (goes_through_points(t)) hash_doubles(h, t->points, 3 * t->n_points);
    if (t->input > TD_DISPLACEMENT) motor_hash(h, &t->motor);
}

static feature_set features(const void *of) {
    const td_tendon_def *t = of;
    bool rubs = t->friction > 0.0 || t->viscous > 0.0;
    return 1ull << TD_FEATURE_TENDONS | (rubs ? 1ull << TD_FEATURE_TENDON_FRICTION : 0u) |
           (t->input > TD_DISPLACEMENT ? 1ull << TD_FEATURE_MOTORS : 0u);
}

static void describe_route(const td_tendon_def *d, char *text, size_t size) {
    const double *a = d->offset, *b = d->offset_end;
    if (d->routing == TD_ROUTING_HELIX) {
        snprintf(text, size, "helix of radius %g mm, %g turn%s from %g deg", 1e3 * d->radius,
                 d->turns, d->turns == 1.0 ? "" : "s", d->phase * 180.0 / PI);
    } else if (goes_through_points(d)) {
        snprintf(text, size, "through %d points", d->n_points);
    } else if (a[0] == b[0] && a[1] == b[1]) {
        snprintf(text, size, "parallel at (%g, %g) mm", mm(a[0]), mm(a[1]));
    } else {
        snprintf(text, size, "straight from (%g, %g) to (%g, %g) mm", mm(a[0]), mm(a[1]), mm(b[0]),
                 mm(b[1]));
    }
}

static void describe_properties(const td_tendon_def *d, char *text, size_t size) {
    const struct {
        const char *name, *unit;
        double value;
    } list[] = {{"EA", "N", d->stiffness},
                {"outside", "m", d->outside},
                {"compliance", "m/N", d->compliance},
                {"pretension", "N", d->pretension},
                {"friction", "", d->friction},
                {"viscous", "s/m", d->viscous},
                {"EJ", "N m^2", d->bending},
                {"GJ", "N m^2", d->torsion},
                {"mass", "kg/m", d->mass_per_length}};
    size_t used = d->pushes ? (size_t)snprintf(text, size, "pushes and pulls") : 0;
    text[used] = '\0';
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (list[i].value == 0.0) continue;
        int n = snprintf(text + used, size - used, "%s%s %g%s%s", used ? ", " : "", list[i].name,
                         list[i].value, list[i].unit[0] ? " " : "", list[i].unit);
        if (n < 0 || (size_t)n >= size - used) return;
        used += (size_t)n;
    }
}

static void describe(const void *of, char *where, char *properties, size_t size) {
    describe_route(of, where, size);
    describe_properties(of, properties, size);
}

// Pulled out by its distance from the axis it bends the rod by a radian, or would if it ran along all of
// it; so does the tension EI/(offset length).
static double scale(const robot_rod *rod, const void *of, int input) {
    const td_tendon_def *d = of;
    const double offset = vec3_norm(tendon_route(d, d->from).r);
    const double bending = softest_bending(rod);
    if (!(offset > 0.0)) return bending / (rod->length * rod->length);
    const double tension = bending / (offset * rod->length);
    if (input > TD_DISPLACEMENT)
        return motor_scale(&d->motor, input - TD_TENDON_TORQUE, tension, offset);
    return input == TD_DISPLACEMENT ? offset : tension;
}

static bool takes_negative(const void *of) {
    const td_tendon_def *d = of;
    return d->input != TD_TENSION || d->pushes;
}

static actuator_look look(const void *of) {
    return (actuator_look){.straight = ((const td_tendon_def *)of)->routing == TD_ROUTING_STRAIGHT};
}

// clang-format off
#define AT(field) offsetof(td_actuator_state, field)
static const td_actuator_quantity inputs[] = {
    {"tension", "N", "at its start", AT(effort), false},
    {"displacement", "m", "pulled out at its start", AT(supplied), false},
    MOTOR_INPUTS,
};
static const td_actuator_quantity recorded[] = {
    {"tension", "N", "at its start", AT(effort), false},
    {"end_tension", "N", "where it is fixed", AT(end_effort), false},
    {"length", "m", "of its path along the rod", AT(measure), false},
    {"displacement", "m", "pulled out at its start since the rest shape", AT(supplied), false},
    {"slack", "1", "1 while it is slack", AT(slack), true},
};
const actuator_row tendon_row = {
    .words = {"tendon", "tendons", TD_RECORD_TENDONS, true, inputs, recorded, 7, 5},
    .size = sizeof(td_tendon_def), .head = head, .validate = validate, .own = own,
    .release = release, .hash = add_to_hash, .features = features, .describe = describe,
    .scale = scale, .takes_negative = takes_negative, .look = look,
};
