// robot/rules.c - see rules.h.
#include "robot/rules.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define LONGEST_NAME 63         // of a rod or load ...
#define LONGEST_INPUT_NAME 127  // ... which an input may be named after: "weight.force.z"

const char *const axis_names[3] = {"x", "y", "z"};

// ---------------------------------------------------------------- values
td_status refuse(place p, double value, const char *unit, const char *rule, td_error *err) {
    char where[256];
    snprintf(where, sizeof where, "%s%s%s.%s", p.owner, p.group ? "." : "", p.group ? p.group : "",
             p.key);
    return error_set(err, TD_ERR_VALUE, where, "%g%s%s %s", value, *unit ? " " : "", unit, rule);
}

td_status finite_value(place p, double value, const char *unit, td_error *err) {
    if (isnan(value) || isinf(value)) return refuse(p, value, unit, "is not a finite number", err);
    if (fabs(value) > LARGEST_QUANTITY)
        return refuse(p, value, unit, "is too large to compute with", err);
    return TD_OK;
}

td_status finite_values(const char *owner, const char *group, const double *values, int n,
                        const char *unit, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < n && !status; i++)
        status = finite_value((place){owner, group, axis_names[i]}, values[i], unit, err);
    return status;
}

td_status positive(place p, double value, const char *unit, td_error *err) {
    td_status status = finite_value(p, value, unit, err);
    if (status) return status;
    if (value <= 0.0) return refuse(p, value, unit, "must be positive", err);
    if (value < SMALLEST_QUANTITY)
        return refuse(p, value, unit, "is too small to compute with", err);
    return TD_OK;
}

td_status not_negative(place p, double value, const char *unit, td_error *err) {
    td_status status = finite_value(p, value, unit, err);
    if (status) return status;
    if (value < 0.0) return refuse(p, value, unit, "must not be negative", err);
    if (value > 0.0 && value < SMALLEST_QUANTITY)
        return refuse(p, value, unit, "is too small to compute with", err);
    return TD_OK;
}

td_status enumerator(place p, int value, int last, const char *what, td_error *err) {
    if (value >= 0 && value <= last) return TD_OK;
    char rule[64];
    snprintf(rule, sizeof rule, "is not %s", what);
    return refuse(p, value, "", rule, err);
}

td_status number_validate(const td_robot *robot, place p, td_number n, const char *unit,
                          td_error *err) {
    td_status status = finite_value(p, n.value, unit, err);
    if (!status) status = finite_value(p, n.gain, "(gain)", err);
    if (status || n.gain == 0.0) return status;
    if (n.input < 0 || n.input >= robot->n_inputs)
        return refuse(p, n.input, "", "is not the index of an input", err);
    return TD_OK;
}

td_status vector_validate(const td_robot *robot, const char *owner, const char *group,
                          const td_number n[3], const char *unit, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < 3 && !status; i++)
        status = number_validate(robot, (place){owner, group, axis_names[i]}, n[i], unit, err);
    return status;
}

td_status quaternion_validate(place p, const double q[4], td_error *err) {
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (fabs(norm - 1.0) <= 1e-3) return TD_OK;
    return refuse(p, norm, "", "is its norm, which must be 1 (within 0.001)", err);
}

td_status gravity_validate(const td_robot *robot, const td_number gravity[3], td_error *err) {
    return vector_validate(robot, "gravity", NULL, gravity, "m/s^2", err);
}

// ---------------------------------------------------------------- names
static bool name_start(int c) {
    return isalpha(c) || c == '_';
}
static bool name_part(int c) {
    return isalnum(c) || c == '_' || c == '-';
}

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

td_status part_validate(const td_robot *robot, const part_kind *kind, const char *name, int count,
                        char owner[OWNER_SIZE], td_error *err) {
    bool dots = kind->find == find_input;
    td_status status = name_validate(name, kind->key, dots, err);
    if (status) return status;
    snprintf(owner, OWNER_SIZE, "%s.%s", kind->key, name);
    if (kind->find(robot, name) >= 0)
        return error_set(err, TD_ERR_VALUE, owner, "another %s has the name '%s'", kind->word,
                         name);
    if (count >= MOST_PARTS)
        return error_set(err, TD_ERR_VALUE, owner, "more than %d %s", MOST_PARTS, kind->key);
    return TD_OK;
}

// ---------------------------------------------------------------- places on rods
td_status rod_index_validate(const td_robot *robot, const char *owner, int rod, td_error *err) {
    if (rod >= 0 && rod < robot->n_rods) return TD_OK;
    return refuse((place){owner, NULL, "rod"}, rod, "", "is not the index of a rod", err);
}

td_status on_rod(const td_robot *robot, place p, int rod, double s, td_error *err) {
    const robot_rod *r = &robot->rods[rod];
    if (s >= 0.0 && s <= r->length * (1.0 + 1e-9)) return TD_OK;
    char rule[192];
    snprintf(rule, sizeof rule, "must lie on the rod '%.64s', between 0 and %g m", r->name,
             r->length);
    return refuse(p, s, "m", rule, err);
}

td_status stretch_validate(const td_robot *robot, const char *owner, int rod, double from,
                           double to, const char *what, td_error *err) {
    td_status status = on_rod(robot, (place){owner, NULL, "from"}, rod, from, err);
    if (!status) status = on_rod(robot, (place){owner, NULL, "to"}, rod, to, err);
    if (status || from < fmin(to, robot->rods[rod].length)) return status;
    char rule[96];
    snprintf(rule, sizeof rule, "must lie beyond `from`: %s covers no length", what);
    return refuse((place){owner, NULL, "to"}, to, "m", rule, err);
}
