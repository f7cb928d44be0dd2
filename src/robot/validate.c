// robot/validate.c - the rules that every part of a robot obeys before it is accepted.
//
// A value that passes here is finite, within +-LARGEST_QUANTITY and of the right sign, and so are
// the stiffness and mass made from it; the models rely on that and check nothing again.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "robot/robot.h"

#define SMALLEST_QUANTITY (1.0 / LARGEST_QUANTITY)
#define LONGEST_NAME 63         // of a rod or load ...
#define LONGEST_INPUT_NAME 127  // ... which an input may be named after: "weight.force.z"

static const char *const axes[3] = {"x", "y", "z"};
static const char *const mode_keys[6] = {"bending.x", "bending.y", "torsion",
                                         "shear.x",   "shear.y",   "extension"};
static const char *const stiffness_units[6] = {"N m^2", "N m^2", "N m^2", "N", "N", "N"};
static const char *const damping_units[6] = {"N m^2 s", "N m^2 s", "N m^2 s", "N s", "N s", "N s"};

// Where the value under test stands: owner.group.key, the group optional.
typedef struct place {
    const char *owner, *group, *key;
} place;

static td_status refuse(place p, double value, const char *unit, const char *rule, td_error *err) {
    char where[256];
    snprintf(where, sizeof where, "%s%s%s.%s", p.owner, p.group ? "." : "", p.group ? p.group : "",
             p.key);
    return error_set(err, TD_ERR_VALUE, where, "%g%s%s %s", value, *unit ? " " : "", unit, rule);
}

static td_status finite_value(place p, double value, const char *unit, td_error *err) {
    if (isnan(value) || isinf(value)) return refuse(p, value, unit, "is not a finite number", err);
    if (fabs(value) > LARGEST_QUANTITY)
        return refuse(p, value, unit, "is too large to compute with", err);
    return TD_OK;
}

static td_status positive(place p, double value, const char *unit, td_error *err) {
    td_status status = finite_value(p, value, unit, err);
    if (status) return status;
    if (value <= 0.0) return refuse(p, value, unit, "must be positive", err);
    if (value < SMALLEST_QUANTITY)
        return refuse(p, value, unit, "is too small to compute with", err);
    return TD_OK;
}

static td_status not_negative(place p, double value, const char *unit, td_error *err) {
    td_status status = finite_value(p, value, unit, err);
    if (status) return status;
    if (value < 0.0) return refuse(p, value, unit, "must not be negative", err);
    if (value > 0.0 && value < SMALLEST_QUANTITY)
        return refuse(p, value, unit, "is too small to compute with", err);
    return TD_OK;
}

// ---------------------------------------------------------------- names
static bool name_start(int c) { return isalpha(c) || c == '_'; }
static bool name_part(int c) { return isalnum(c) || c == '_' || c == '-'; }

// [A-Za-z_][A-Za-z0-9_-]*, and with dots several of them joined: names become keys of the file,
// columns of tables and paths of overrides.
static bool name_is_good(const char *name, bool dots) {
    bool start = true;
    for (const char *c = name; *c; c++) {
        int ch = (unsigned char)*c;
        if (dots && *c == '.' && !start) {
            start = true;
            continue;
        }
        if (start ? !name_start(ch) : !name_part(ch)) return false;
        start = false;
    }
    return !start;
}

td_status name_validate(const char *name, const char *kind, bool dots, td_error *err) {
    if (!name || !*name) return error_set(err, TD_ERR_VALUE, kind, "a name is missing");
    int longest = dots ? LONGEST_INPUT_NAME : LONGEST_NAME;
    if (strlen(name) > (size_t)longest)
        return error_set(err, TD_ERR_VALUE, kind,
                         "the name '%.32s...' is longer than %d characters", name, longest);
    if (!name_is_good(name, dots))
        return error_set(err, TD_ERR_VALUE, kind,
                         "the name '%s' may hold letters, digits, '_' and '-' only, and must begin "
                         "with a letter or '_'",
                         name);
    return TD_OK;
}

// ---------------------------------------------------------------- numbers
static td_status number_validate(const td_robot *robot, place p, td_number n, const char *unit,
                                 td_error *err) {
    td_status status = finite_value(p, n.value, unit, err);
    if (!status) status = finite_value(p, n.gain, "(gain)", err);
    if (status || n.gain == 0.0) return status;
    if (n.input < 0 || n.input >= robot->n_inputs)
        return refuse(p, n.input, "", "is not the index of an input", err);
    return TD_OK;
}

static td_status vector_validate(const td_robot *robot, const char *owner, const char *group,
                                 const td_number n[3], const char *unit, td_error *err) {
    for (int i = 0; i < 3; i++) {
        td_status status = number_validate(robot, (place){owner, group, axes[i]}, n[i], unit, err);
        if (status) return status;
    }
    return TD_OK;
}

td_status gravity_validate(const td_robot *robot, const td_number gravity[3], td_error *err) {
    return vector_validate(robot, "gravity", NULL, gravity, "m/s^2", err);
}

// ---------------------------------------------------------------- signals
static td_status points_validate(const td_signal *s, const char *where, td_error *err) {
    if (!s->points || s->n_points < 1)
        return error_set(err, TD_ERR_VALUE, where, "a signal of points needs at least one point");
    for (int i = 0; i < s->n_points; i++) {
        const double *p = s->points + 2 * i;
        td_status status = finite_value((place){where, "points", "time"}, p[0], "s", err);
        if (!status) status = finite_value((place){where, "points", "value"}, p[1], "", err);
        if (status) return status;
        if (i == 0) continue;
        if (p[0] < p[-2])
            return error_set(err, TD_ERR_VALUE, where,
                             "times must not decrease, but point %d at %g s follows %g s", i + 1,
                             p[0], p[-2]);
        if (p[0] > p[-2] && !isfinite((p[1] - p[-1]) / (p[0] - p[-2])))
            return error_set(err, TD_ERR_VALUE, where,
                             "the slope before point %d, at %g s, overflows", i + 1, p[0]);
    }
    return TD_OK;
}

td_status signal_validate(const td_signal *s, const char *where, td_error *err) {
    if ((int)s->kind < 0 || (int)s->kind > TD_SIGNAL_POINTS)
        return error_set(err, TD_ERR_VALUE, where, "%d is not a kind of signal", (int)s->kind);
    if (s->kind == TD_SIGNAL_POINTS) return points_validate(s, where, err);
    td_status status = finite_value((place){where, NULL, "from"}, s->from, "", err);
    if (status || s->kind == TD_SIGNAL_CONSTANT) return status;
    status = finite_value((place){where, NULL, "to"}, s->to, "", err);
    if (!status) status = finite_value((place){where, NULL, "start"}, s->start, "s", err);
    if (status || s->kind == TD_SIGNAL_STEP) return status;
    if (s->kind != TD_SIGNAL_SINE)
        return positive((place){where, NULL, "duration"}, s->duration, "s", err);
    status = not_negative((place){where, NULL, "duration"}, s->duration, "s", err);
    if (!status) status = positive((place){where, NULL, "frequency"}, s->frequency, "Hz", err);
    if (!status) status = finite_value((place){where, NULL, "phase"}, s->phase, "rad", err);
    return status;
}

// ---------------------------------------------------------------- sections
static td_status circle_validate(const char *owner, const char *group, const td_section *s,
                                 td_error *err) {
    td_status status = positive((place){owner, group, "radius"}, s->radius, "m", err);
    if (!status)
        status = not_negative((place){owner, group, "inner_radius"}, s->inner_radius, "m", err);
    if (!status && s->inner_radius >= s->radius)
        return refuse((place){owner, group, "inner_radius"}, s->inner_radius, "m",
                      "must be smaller than the radius", err);
    return status;
}

static td_status section_validate(const char *owner, const char *group, const td_section *s,
                                  td_error *err) {
    td_status status = TD_OK;
    switch (s->shape) {
    case TD_SECTION_CIRCLE: return circle_validate(owner, group, s, err);
    case TD_SECTION_RECTANGLE:
        status = positive((place){owner, group, "width"}, s->width, "m", err);
        if (!status) status = positive((place){owner, group, "height"}, s->height, "m", err);
        return status;
    case TD_SECTION_GENERAL:
        status = positive((place){owner, group, "area"}, s->area, "m^2", err);
        if (!status) status = positive((place){owner, group, "ixx"}, s->ixx, "m^4", err);
        if (!status) status = positive((place){owner, group, "iyy"}, s->iyy, "m^4", err);
        if (!status) status = positive((place){owner, group, "torsion"}, s->torsion, "m^4", err);
        if (!status) status = not_negative((place){owner, group, "polar"}, s->polar, "m^4", err);
        return status;
    }
    return refuse((place){owner, group, "shape"}, (int)s->shape, "", "is not a section shape", err);
}

static td_status sections_validate(const char *owner, const td_piece_def *p, td_error *err) {
    td_status status = section_validate(owner, "section", &p->section, err);
    if (status || !section_is_given(&p->section_end)) return status;
    if (p->section_end.shape != p->section.shape)
        return error_set(err, TD_ERR_VALUE, owner,
                         "section and section_end have different shapes; only the dimensions of "
                         "one shape can vary along a piece");
    return section_validate(owner, "section_end", &p->section_end, err);
}

// ---------------------------------------------------------------- pieces
static td_status modes_validate(const char *owner, const td_piece_def *p, td_error *err) {
    for (int i = 0; i < 6; i++) {
        place stiffness = {owner, "stiffness", mode_keys[i]};
        place damping = {owner, "damping", mode_keys[i]};
        td_status status = not_negative(stiffness, p->stiffness[i], stiffness_units[i], err);
        if (!status) status = not_negative(damping, p->damping[i], damping_units[i], err);
        if (status) return status;
    }
    return not_negative((place){owner, "damping", "time"}, p->damping_time, "s", err);
}

static td_status rest_and_drag_validate(const char *owner, const td_piece_def *p, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < 3 && !status; i++) {
        status = not_negative((place){owner, "drag", axes[i]}, p->drag[i], "kg/m^2", err);
        if (!status)
            status = not_negative((place){owner, "linear_drag", axes[i]}, p->linear_drag[i],
                                  "kg/(m s)", err);
        if (!status)
            status = finite_value((place){owner, "rest.curvature", axes[i]}, p->rest_curvature[i],
                                  "1/m", err);
        if (!status)
            status = finite_value((place){owner, "rest.stretch", axes[i]}, p->rest_stretch[i], "",
                                  err);
    }
    // The rod's local z axis is its tangent: a rest shape that runs backwards is no rod.
    if (!status)
        status = positive((place){owner, "rest.stretch", "z"}, p->rest_stretch[2], "", err);
    return status;
}

static td_status material_validate(const char *owner, const td_piece_def *p, td_error *err) {
    const double *k = p->stiffness;
    bool needs_youngs = k[0] <= 0.0 || k[1] <= 0.0 || k[5] <= 0.0;
    bool needs_shear = k[2] <= 0.0 || k[3] <= 0.0 || k[4] <= 0.0;
    bool needs_density = p->mass_per_length <= 0.0;
    place youngs = {owner, "material", "youngs_modulus"};
    place shear = {owner, "material", "shear_modulus"};
    place density = {owner, "material", "density"};
    td_status status = needs_youngs ? positive(youngs, p->youngs_modulus, "Pa", err)
                                    : not_negative(youngs, p->youngs_modulus, "Pa", err);
    if (!status)
        status = needs_shear ? positive(shear, p->shear_modulus, "Pa", err)
                             : not_negative(shear, p->shear_modulus, "Pa", err);
    if (!status)
        status = needs_density ? positive(density, p->density, "kg/m^3", err)
                               : not_negative(density, p->density, "kg/m^3", err);
    if (status) return status;
    // A rod that is given by its stiffness and mass alone needs no section.
    if (needs_youngs || needs_shear || needs_density || section_is_given(&p->section))
        return sections_validate(owner, p, err);
    return TD_OK;
}

// What the mechanics sees must neither overflow nor vanish, at any place of the piece.
static td_status properties_validate(const char *owner, const td_piece_def *p, td_error *err) {
    for (int end = 0; end <= 2; end++) {
        td_section_properties at = piece_properties(p, 0.5 * end);
        td_status status = positive((place){owner, NULL, "mass_per_length"}, at.mass, "kg/m", err);
        for (int i = 0; i < 6 && !status; i++) {
            place stiffness = {owner, "stiffness", mode_keys[i]};
            place damping = {owner, "damping", mode_keys[i]};
            status = positive(stiffness, at.stiffness[i], stiffness_units[i], err);
            if (!status) status = finite_value(damping, at.damping[i], damping_units[i], err);
        }
        for (int i = 0; i < 3 && !status; i++)
            status = finite_value((place){owner, "section", "inertia"}, at.inertia[i], "kg m", err);
        if (status) return status;
    }
    return TD_OK;
}

static td_status piece_validate(const char *owner, const td_piece_def *given, td_error *err) {
    td_piece_def p = *given;
    if (!section_is_given(&p.section_end)) p.section_end = p.section;
    td_status status = positive((place){owner, NULL, "length"}, p.length, "m", err);
    if (!status) status = modes_validate(owner, &p, err);
    if (!status) status = not_negative((place){owner, NULL, "mass_per_length"}, p.mass_per_length,
                                       "kg/m", err);
    if (!status) status = positive((place){owner, NULL, "shear_factor"}, p.shear_factor, "", err);
    if (!status) status = material_validate(owner, &p, err);
    if (!status) status = rest_and_drag_validate(owner, &p, err);
    if (!status) status = properties_validate(owner, &p, err);
    return status;
}

// ---------------------------------------------------------------- rods
static td_status base_validate(const td_robot *robot, const char *owner, const td_base_def *base,
                               td_error *err) {
    td_status status = vector_validate(robot, owner, "base.position", base->position, "m", err);
    if (!status)
        status = vector_validate(robot, owner, "base.motion.rotation", base->rotation, "rad", err);
    if (status) return status;
    const double *q = base->orientation;
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(norm - 1.0) <= 1e-3))
        return refuse((place){owner, "base", "quaternion"}, norm, "",
                      "is its norm, which must be 1 (within 0.001)", err);
    return TD_OK;
}

double rod_def_length(const td_rod_def *def) {
    double length = 0.0;
    for (int i = 0; i < def->n_pieces; i++) length += def->pieces[i].length;
    return length;
}

td_status rod_validate(const td_robot *robot, const td_rod_def *def, td_error *err) {
    td_status status = name_validate(def->name, "rods", false, err);
    if (status) return status;
    char owner[80], piece[112];
    snprintf(owner, sizeof owner, "rods.%s", def->name);
    if (find_rod(robot, def->name) >= 0)
        return error_set(err, TD_ERR_VALUE, owner, "another rod has the name '%s'", def->name);
    if (robot->n_rods >= MOST_PARTS)
        return error_set(err, TD_ERR_VALUE, owner, "more than %d rods", MOST_PARTS);
    if (!def->pieces || def->n_pieces < 1 || def->n_pieces > MOST_PIECES)
        return error_set(err, TD_ERR_VALUE, owner, "%d pieces: a rod has 1 to %d", def->n_pieces,
                         MOST_PIECES);
    for (int i = 0; i < def->n_pieces; i++) {
        snprintf(piece, sizeof piece, "%s.pieces.%d", owner, i);
        status = piece_validate(piece, &def->pieces[i], err);
        if (status) return status;
    }
    status = positive((place){owner, NULL, "length"}, rod_def_length(def), "m", err);
    return status ? status : base_validate(robot, owner, &def->base, err);
}

// ---------------------------------------------------------------- loads
static td_status load_place_validate(const td_robot *robot, const char *owner,
                                     const td_load_def *def, td_error *err) {
    const robot_rod *rod = &robot->rods[def->rod];
    const char *from = def->distributed ? "from" : "at";
    double longest = rod->length * (1.0 + 1e-9);  // the sum of the pieces may have rounded down
    char rule[192];
    snprintf(rule, sizeof rule, "must lie on the rod '%.64s', between 0 and %g m", rod->name,
             rod->length);
    if (!(def->from >= 0.0 && def->from <= longest))
        return refuse((place){owner, NULL, from}, def->from, "m", rule, err);
    if (!def->distributed) return TD_OK;
    if (!(def->to >= 0.0 && def->to <= longest))
        return refuse((place){owner, NULL, "to"}, def->to, "m", rule, err);
    if (!(def->from < fmin(def->to, rod->length)))
        return refuse((place){owner, NULL, "to"}, def->to, "m",
                      "must lie beyond `from`: the load covers no length", err);
    return TD_OK;
}

td_status load_validate(const td_robot *robot, const td_load_def *def, td_error *err) {
    td_status status = name_validate(def->name, "loads", false, err);
    if (status) return status;
    char owner[80];
    snprintf(owner, sizeof owner, "loads.%s", def->name);
    if (find_load(robot, def->name) >= 0)
        return error_set(err, TD_ERR_VALUE, owner, "another load has the name '%s'", def->name);
    if (robot->n_loads >= MOST_PARTS)
        return error_set(err, TD_ERR_VALUE, owner, "more than %d loads", MOST_PARTS);
    if (def->rod < 0 || def->rod >= robot->n_rods)
        return refuse((place){owner, NULL, "rod"}, def->rod, "", "is not the index of a rod", err);
    if (def->frame != TD_FRAME_WORLD && def->frame != TD_FRAME_BODY)
        return refuse((place){owner, NULL, "frame"}, (int)def->frame, "", "is not a frame", err);
    status = load_place_validate(robot, owner, def, err);
    const char *force = def->distributed ? "N/m" : "N";
    const char *moment = def->distributed ? "N m/m" : "N m";
    if (!status) status = vector_validate(robot, owner, "force", def->force, force, err);
    if (!status) status = vector_validate(robot, owner, "moment", def->moment, moment, err);
    return status;
}
