// robot/chamber.c - chambers as they are described: their words, and the rules of what is said of them.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "robot/actuators.h"
#include "robot/engine.h"
#include "robot/rules.h"
#include "math/pi.h"

#define SLACK (1.0 + 1e-9)  // for the rounding of given dimensions

td_chamber_def td_default_chamber_def(void) {
    return (td_chamber_def){.braid_angle = 0.5 * PI,
                            .input = TD_PRESSURE,
                            .temperature = 293.15,
                            .atmosphere = 101325.0,
                            .valve = td_default_valve_def(),
                            .motor = td_default_motor_def()};
}

double chamber_area(const td_chamber_def *d) {
    return d->radius > 0.0 ? PI * d->radius * d->radius : d->area;
}

static actuator_head head(const void *of) {
    const td_chamber_def *d = of;
    return (actuator_head){d->name, d->rod, d->from, d->to, (int)d->input, d->value};
}

// In words: less than an atom, as the cosine of 90 deg leaves it, is nothing.
static double mm(double length) {
    return fabs(length) < 1e-12 ? 0.0 : 1e3 * length;
}

// ---------------------------------------------------------------- room in the rod
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
    double area = chamber_area(def);
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

static td_status content_validate(const char *owner, const td_chamber_def *def, td_error *err) {
    const char *const units[] = {"Pa", "m^3", "mol"};
    const bool held = def->input == TD_VOLUME || def->input == TD_AMOUNT;
    td_status status = TD_OK;
    if (held && def->value.gain == 0.0)
        status = positive((place){owner, NULL, "value"}, def->value.value, units[def->input], err);
    if (!status) status = positive((place){owner, NULL, "temperature"}, def->temperature, "K", err);
    place atmosphere = {owner, NULL, "atmosphere"};
    if (status) return status;
    const bool gas = def->input == TD_AMOUNT || (def->input == TD_OPENING && !def->valve.liquid);
    status = gas ? positive(atmosphere, def->atmosphere, "Pa", err)
                 : not_negative(atmosphere, def->atmosphere, "Pa", err);
    if (status || def->input <= TD_AMOUNT) return status;
    if (def->input == TD_OPENING && def->value.gain == 0.0 && !(fabs(def->value.value) <= 1.0))
        return refuse((place){owner, NULL, "value"}, def->value.value, "",
                      "must be between -1, open to the atmosphere, and 1, open to the supply", err);
    if (def->input == TD_OPENING) return valve_validate(owner, &def->valve, err);
    return motor_validate(owner, "stroke", "m^3", &def->motor, (int)def->input - TD_CHAMBER_TORQUE,
                          err);
}

bool chamber_holds_volume(const td_chamber_def *d) {
    return d->input == TD_VOLUME || d->input > TD_OPENING ||
           (d->input == TD_OPENING && d->valve.liquid);
}

static td_status compliance_validate(const char *owner, const td_chamber_def *def, td_error *err) {
    const place at = {owner, NULL, "compliance"};
    if (!(def->compliance > 0.0) || chamber_holds_volume(def))
        return not_negative(at, def->compliance, "m^3/Pa", err);
    return refuse(at, def->compliance, "m^3/Pa",
                  "is of a liquid: of a volume, a pump or a liquid valve; the tube of a gas is the "
                  "'line' of its valve",
                  err);
}

static td_status validate(const td_robot *robot, const char *owner, const void *of, td_error *err) {
    const td_chamber_def *def = of;
    td_status status = finite_values(owner, "offset", def->offset, 2, "m", err);
    if (!status) status = not_negative((place){owner, NULL, "radius"}, def->radius, "m", err);
    if (!status && def->radius == 0.0)
        status = positive((place){owner, NULL, "area"}, def->area, "m^2", err);
    if (!status && !(def->braid_angle >= 0.5 && def->braid_angle <= 0.5 * PI * (1.0 + 1e-9)))
        status = refuse((place){owner, NULL, "braid_angle"}, def->braid_angle, "rad",
                        "must be between 0.5 and pi/2", err);
    if (!status) status = fits_rod(&robot->rods[def->rod], owner, def, err);
    if (!status) status = compliance_validate(owner, def, err);
    return status ? status : content_validate(owner, def, err);
}

// ---------------------------------------------------------------- what is asked of every kind
static bool own(const robot_rod *rod, const char *name, void *of) {
    td_chamber_def *d = of;
    d->name = name;
    d->to = fmin(d->to, rod->length);
    return true;
}

static void add_to_hash(hash *h, const void *of) {
    const td_chamber_def *c = of;
    HASH_INTS(h, c->rod, (int)c->input, c->path_volume);
    HASH_DOUBLES(h, c->from, c->to, c->radius, c->area, c->braid_angle, c->temperature,
                 c->atmosphere, c->compliance);
    hash_doubles(h, c->offset, 2);
    if (c->input == TD_OPENING) valve_hash(h, &c->valve);
    if (c->input > TD_OPENING) motor_hash(h, &c->motor);
}

static feature_set features(const void *of) {
    const td_chamber_def *c = of;
    return 1ull << TD_FEATURE_CHAMBERS | (c->input >= TD_OPENING ? 1ull << TD_FEATURE_VALVES : 0u);
}

static void describe(const void *of, char *where, char *properties, size_t size) {
    const td_chamber_def *d = of;
    snprintf(where, size, "at (%g, %g) mm, area %.4g mm^2", mm(d->offset[0]), mm(d->offset[1]),
             1e6 * chamber_area(d));
    properties[0] = '\0';
}

// A fluid that fills it twice; a pressure that stretches the rod by a tenth, or bends it by a radian.
static double scale(const robot_rod *rod, const void *of, int input) {
    const td_chamber_def *d = of;
    const double area = chamber_area(d), volume = area * (d->to - d->from);
    if (input == TD_VOLUME) return 2.0 * volume;
    if (input == TD_AMOUNT) return 2.0 * d->atmosphere * volume / (GAS_CONSTANT * d->temperature);
    if (input == TD_OPENING) return 1.0;
    const double offset = hypot(d->offset[0], d->offset[1]);
    const double stretch = 0.1 * piece_properties(&rod->pieces[0], 0.0).stiffness[5] / area;
    const double bend =
        offset > 0.0 ? softest_bending(rod) / (area * offset * rod->length) : stretch;
    const double pressure = fmin(stretch, bend);
    return input > TD_OPENING ? motor_scale(&d->motor, input - TD_CHAMBER_TORQUE, pressure, volume)
                              : pressure;
}

static bool takes_negative(const void *of) {
    return ((const td_chamber_def *)of)->input >= TD_OPENING;
}

static actuator_look look(const void *of) {
    const td_chamber_def *d = of;
    return (actuator_look){.offset = {d->offset[0], d->offset[1]}, .area = chamber_area(d)};
}

// clang-format off
#define AT(field) offsetof(td_actuator_state, field)
static const td_actuator_quantity inputs[] = {
    {"pressure", "Pa", "above the atmosphere", AT(effort), false},
    {"volume", "m^3", "of a fluid that does not compress", AT(measure), false},
    {"amount", "mol", "of a gas", AT(supplied), false},
    {"opening", "", "of a valve: towards the supply, below 0 towards the atmosphere", AT(effort), false},
    MOTOR_INPUTS,
};
static const td_actuator_quantity recorded[] = {
    {"pressure", "Pa", "above the atmosphere", AT(effort), false},
    {"volume", "m^3", "volume", AT(measure), false},
    {"amount", "mol", "of a gas; 0 for a fluid that does not compress", AT(supplied), false},
};
const actuator_row chamber_row = {
    .words = {"chamber", "chambers", TD_RECORD_CHAMBERS, false, inputs, recorded, 9, 3},
    .size = sizeof(td_chamber_def), .head = head, .validate = validate, .own = own,
    .hash = add_to_hash, .features = features, .describe = describe,
    .scale = scale, .takes_negative = takes_negative, .look = look,
};
