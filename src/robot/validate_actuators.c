// robot/validate_actuators.c - the rules of tendons and chambers: that they lie in the robot, and that
// what is said of them has a meaning.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "robot/route.h"
#include "robot/rules.h"

#define PI 3.14159265358979323846
#define SLACK (1.0 + 1e-9)  // for the rounding of given dimensions

static const part_kind tendon_kind = {"tendons", "tendon", find_tendon};
static const part_kind chamber_kind = {"chambers", "chamber", find_chamber};

static double mm(double length) {
    return 1e3 * length;
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
    if (def->pretension > 0.0 && def->input != TD_DISPLACEMENT)
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

td_status tendon_validate(const td_robot *robot, const td_tendon_def *def, td_error *err) {
    char owner[OWNER_SIZE];
    td_status status = part_validate(robot, &tendon_kind, def->name, robot->n_tendons, owner, err);
    if (!status) status = rod_index_validate(robot, owner, def->rod, err);
    if (!status)
        status = stretch_validate(robot, owner, def->rod, def->from, def->to, "the tendon", err);
    if (status) return status;
    status = routing_validate(&robot->rods[def->rod], owner, def, err);
    if (!status)
        status = enumerator((place){owner, NULL, "input"}, (int)def->input, TD_DISPLACEMENT,
                            "a kind of input", err);
    const char *unit = def->input == TD_TENSION ? "N" : "m";
    if (!status)
        status = number_validate(robot, (place){owner, NULL, "value"}, def->value, unit, err);
    return status ? status : drive_validate(owner, def, err);
}

// ---------------------------------------------------------------- chambers
static td_section section_at(const td_piece_def *piece, double x) {
    td_section s = piece->section;
    const td_section *a = &piece->section, *b = &piece->section_end;
    s.radius = (1.0 - x) * a->radius + x * b->radius;
    s.width = (1.0 - x) * a->width + x * b->width;
    s.height = (1.0 - x) * a->height + x * b->height;
    s.area = (1.0 - x) * a->area + x * b->area;
    return s;
}

// What a section encloses, its own bore and chambers included.
static double enclosed_area(const td_section *s) {
    switch (s->shape) {
    case TD_SECTION_CIRCLE: return PI * s->radius * s->radius;
    case TD_SECTION_RECTANGLE: return s->width * s->height;
    case TD_SECTION_GENERAL: return s->area;
    }
    return 0.0;
}

// How far the edge of a circle at `offset` lies beyond the section; of unknown shape: not at all.
static double beyond_section(const td_section *s, const double offset[2], double radius) {
    if (s->shape == TD_SECTION_CIRCLE) return hypot(offset[0], offset[1]) + radius - s->radius;
    if (s->shape == TD_SECTION_RECTANGLE)
        return fmax(fabs(offset[0]) + radius - 0.5 * s->width,
                    fabs(offset[1]) + radius - 0.5 * s->height);
    return 0.0;
}

static td_status fits_section(const robot_rod *rod, const char *owner, const td_chamber_def *def,
                              const td_section *s, td_error *err) {
    double area = def->radius > 0.0 ? PI * def->radius * def->radius : def->area;
    double room = fmax(enclosed_area(s), PI * rod->envelope * rod->envelope);
    char where[256];
    if (area > room * SLACK) {
        snprintf(where, sizeof where, "%s.%s", owner, def->radius > 0.0 ? "radius" : "area");
        return error_set(
            err, TD_ERR_VALUE, where,
            "the area %g mm^2 is larger than the section of rod '%s', %g mm^2%s", 1e6 * area,
            rod->name, 1e6 * room,
            s->shape == TD_SECTION_GENERAL ? "; a rod with thin walls says its envelope" : "");
    }
    double reach = hypot(def->offset[0], def->offset[1]) + def->radius;
    double beyond = beyond_section(s, def->offset, def->radius);
    if (beyond <= 1e-9 * reach || reach <= rod->envelope * SLACK) return TD_OK;
    snprintf(where, sizeof where, "%s.offset", owner);
    return error_set(err, TD_ERR_VALUE, where,
                     "%g mm from the axis with a radius of %g mm: it lies outside the section of "
                     "rod '%s' by %g mm",
                     mm(reach - def->radius), mm(def->radius), rod->name, mm(beyond));
}

// The dimensions vary linearly along a piece, so that its two ends decide.
static td_status fits_rod(const robot_rod *rod, const char *owner, const td_chamber_def *def,
                          td_error *err) {
    double start = 0.0;
    for (int i = 0; i < rod->n_pieces; i++) {
        const td_piece_def *piece = &rod->pieces[i];
        double from = fmax(def->from, start), to = fmin(def->to, start + piece->length);
        for (int end = 0; end < 2 && from < to && section_is_given(&piece->section); end++) {
            td_section s = section_at(piece, ((end ? to : from) - start) / piece->length);
            td_status status = fits_section(rod, owner, def, &s, err);
            if (status) return status;
        }
        start += piece->length;
    }
    return TD_OK;
}

static td_status fluid_validate(const td_robot *robot, const char *owner, const td_chamber_def *def,
                                td_error *err) {
    static const char *const units[] = {"Pa", "m^3", "mol"};
    place value = {owner, NULL, "value"};
    td_status status = enumerator((place){owner, NULL, "input"}, (int)def->input, TD_AMOUNT,
                                  "a kind of input", err);
    if (!status) status = number_validate(robot, value, def->value, units[def->input], err);
    if (!status && def->input != TD_PRESSURE && def->value.gain == 0.0)
        status = positive(value, def->value.value, units[def->input], err);
    if (!status) status = positive((place){owner, NULL, "temperature"}, def->temperature, "K", err);
    place atmosphere = {owner, NULL, "atmosphere"};
    if (!status)
        status = def->input == TD_AMOUNT ? positive(atmosphere, def->atmosphere, "Pa", err)
                                         : not_negative(atmosphere, def->atmosphere, "Pa", err);
    return status;
}

td_status chamber_validate(const td_robot *robot, const td_chamber_def *def, td_error *err) {
    char owner[OWNER_SIZE];
    td_status status =
        part_validate(robot, &chamber_kind, def->name, robot->n_chambers, owner, err);
    if (!status) status = rod_index_validate(robot, owner, def->rod, err);
    if (!status)
        status = stretch_validate(robot, owner, def->rod, def->from, def->to, "the chamber", err);
    if (!status) status = finite_values(owner, "offset", def->offset, 2, "m", err);
    if (!status) status = not_negative((place){owner, NULL, "radius"}, def->radius, "m", err);
    if (!status && def->radius == 0.0)
        status = positive((place){owner, NULL, "area"}, def->area, "m^2", err);
    if (!status && !(def->braid_angle >= 0.5 && def->braid_angle <= 0.5 * PI * (1.0 + 1e-9)))
        status = refuse((place){owner, NULL, "braid_angle"}, def->braid_angle, "rad",
                        "must be between 0.5 and pi/2", err);
    if (!status) status = fits_rod(&robot->rods[def->rod], owner, def, err);
    return status ? status : fluid_validate(robot, owner, def, err);
}
