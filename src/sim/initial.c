// sim/initial.c - where a motion starts: coordinates and rates of the model that the robot names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/solver.h"

// ---------------------------------------------------------------- names
// `*` stands for any letters, or none.
static bool matches(const char *pattern, const char *name) {
    const char *star = NULL, *tried = NULL;
    while (*name) {
        if (*pattern == '*') star = ++pattern, tried = name;
        else if (*pattern == *name) pattern++, name++;
        else if (star) pattern = star, name = ++tried;
        else return false;
    }
    while (*pattern == '*') pattern++;
    return *pattern == '\0';
}

// "rod.arm.node12.curvature_x" -> "rod.arm.node*.curvature_x": the numbers behind letters.
static void generalise(const char *name, char *out, size_t size) {
    size_t n = 0;
    for (; *name && n + 2 < size; name++) {
        const bool digit = *name >= '0' && *name <= '9';
        if (!digit) out[n++] = *name;
        else if (n == 0 || out[n - 1] != '*') out[n++] = '*';
    }
    out[n] = '\0';
}

// What there is, each pattern once, as far as there is room.
static void list_patterns(const td_system *system, char *text, size_t size) {
    char last[256] = "", pattern[256];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < system->coordinates.n; i++) {
        generalise(system->coordinates.names[i], pattern, sizeof pattern);
        if (strstr(text, pattern) || !strcmp(pattern, last)) continue;
        if (used + strlen(pattern) + 8 > size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", pattern);
        memcpy(last, pattern, sizeof last);
    }
}

static void place_of(const robot_initial *given, char *where, size_t size) {
    snprintf(where, size, "initial.%s.%.120s", given->rate ? "velocities" : "coordinates",
             given->name);
}

static td_status refuse_name(const td_system *system, const robot_initial *given, td_error *err) {
    char where[160], known[160];
    place_of(given, where, sizeof where);
    if (system->coordinates.n == 0)
        return error_set(err, TD_ERR_UNSUPPORTED, where,
                         "the spatial scheme has no coordinates to start from; collocation has");
    list_patterns(system, known, sizeof known);
    return error_set(err, TD_ERR_VALUE, where, "%s has no such coordinate; there are %s",
                     system->model->name, known);
}

// ---------------------------------------------------------------- units
// Of a rate, 1/s more.
static td_status check_unit(const td_system *system, const robot_initial *given, int coordinate,
                            td_error *err) {
    char where[160], found[UNITS_TEXT], wanted[UNITS_TEXT];
    dimension expected = unit_dimension(system->coordinate_units[coordinate]);
    if (given->rate) expected.s--;
    if (!given->has_unit || dimension_fits(given->unit, expected)) return TD_OK;
    place_of(given, where, sizeof where);
    return error_set(err, TD_ERR_VALUE, where, "%g in SI is of the kind %s, but %s is expected",
                     given->value, dimension_name(given->unit, found),
                     dimension_name(expected, wanted));
}

// ---------------------------------------------------------------- a system and a state
td_status resolve_initial(td_system *system, const td_robot *robot, td_error *err) {
    const int n = system->coordinates.n;
    size_t most = 1;
    for (int i = 0; i < robot->n_initial; i++)
        for (int k = 0; k < n; k++)
            most += matches(robot->initial[i].name, system->coordinates.names[k]);
    system->initial = calloc(most, sizeof *system->initial);
    if (!system->initial) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    for (int i = 0; i < robot->n_initial; i++) {
        const robot_initial *given = &robot->initial[i];
        const int before = system->n_initial;
        for (int k = 0; k < n; k++) {
            if (!matches(given->name, system->coordinates.names[k])) continue;
            const td_status status = check_unit(system, given, k, err);
            if (status < 0) return status;
            system->initial[system->n_initial++] =
                (struct system_initial){k, given->rate, given->value};
        }
        if (system->n_initial == before) return refuse_name(system, given, err);
    }
    return TD_OK;
}

int td_n_initial(const td_system *system) {
    return system->n_initial;
}

td_status td_apply_initial(const td_system *system, td_state *state) {
    double *q = state->solver.initial, *v = q + system->coordinates.n;
    if (system->n_initial == 0) return TD_OK;
    solver_get_coordinates(system, state, q, v);
    for (int i = 0; i < system->n_initial; i++) {
        const struct system_initial *given = &system->initial[i];
        (given->rate ? v : q)[given->coordinate] = given->value;
    }
    return td_set_coordinates(system, state, q, v);
}
