// sim/initial.c - where a motion starts: coordinates and rates of the model that the robot names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/quat.h"
#include "sim/solver.h"
#include "sim/watch.h"
#include "solve/chart.h"

// ---------------------------------------------------------------- names
// `*` stands for any letters, or none.
bool coordinate_matches(const char *pattern, const char *name) {
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

// ---------------------------------------------------------------- a motion of all of it
// Frames have a rotation vector and, unless a joint gives it their place, a position. They are the last coordinates of each
// part; n: 6 or 3 of them, from `first` on.
typedef void frame_visit(void *context, const td_system *system, int first, int n);

static void visit_frames(const td_system *system, frame_visit *visit, void *context) {
    for (int part = 0, at = 0; part < solver_n_parts(system); part++) {
        const solve_part p = solver_motion(system, NULL, part);
        const int plain = n_plain(&p);
        for (int k = 0; k < plain; k++) at += !part_holds(&p, k);
        for (int k = plain; k < p.n_q; k += 6) {
            const int n = part_holds(&p, k + 3) ? 3 : 6;
            visit(context, system, at, n);
            at += n;
        }
    }
}

static void count_frame(void *context, const td_system *system, int first, int n) {
    (void)system, (void)first;
    *(int *)context += n;
}

static td_status resolve_motion(td_system *system, const td_robot *robot, td_error *err) {
    if (!robot_is_thrown(robot)) return TD_OK;
    for (int i = 0; i < robot->n_rods; i++)
        if (!rod_floats(robot, i))
            return error_set(err, TD_ERR_VALUE, "initial.motion",
                             "rod '%s' is joined to the world; only what is free moves as a whole",
                             robot->rods[i].name);
    system->motion = robot->motion;
    visit_frames(system, count_frame, &system->n_moved);
    if (system->n_moved > 0) return TD_OK;
    return error_set(err, TD_ERR_UNSUPPORTED, "initial.motion",
                     "the spatial scheme has no coordinates to start from; collocation has");
}

// Of frames: angular velocity in their axes, velocity in the world. context: coordinates, rates behind them.
static void set_frame(void *context, const td_system *system, int first, int n) {
    const double *q = (double *)context + first;
    double *v = (double *)context + system->coordinates.n + first;
    const vec3 W = vec3_load(system->motion.angular), V = vec3_load(system->motion.linear);
    vec3_store(v, quat_rotate(quat_conj(quat_exp(vec3_load(q))), W));
    if (n < 6) return;
    const vec3 arm = vec3_sub(vec3_load(q + 3), vec3_load(system->motion.about));
    vec3_store(v + 3, vec3_add(V, vec3_cross(W, arm)));
}

// ---------------------------------------------------------------- a system and a state
td_status resolve_initial(td_system *system, const td_robot *robot, td_error *err) {
    const int n = system->coordinates.n;
    size_t most = 1;
    for (int i = 0; i < robot->n_initial; i++)
        for (int k = 0; k < n; k++)
            most += coordinate_matches(robot->initial[i].name, system->coordinates.names[k]);
    system->initial = calloc(most, sizeof *system->initial);
    if (!system->initial) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    for (int i = 0; i < robot->n_initial; i++) {
        const robot_initial *given = &robot->initial[i];
        const int before = system->n_initial;
        for (int k = 0; k < n; k++) {
            if (!coordinate_matches(given->name, system->coordinates.names[k])) continue;
            const td_status status = check_unit(system, given, k, err);
            if (status < 0) return status;
            system->initial[system->n_initial++] =
                (struct system_initial){k, given->rate, given->value};
        }
        if (system->n_initial == before) return refuse_name(system, given, err);
    }
    return resolve_motion(system, robot, err);
}

int td_n_initial(const td_system *system) {
    return system->n_initial + system->n_moved;
}

td_status td_apply_initial(const td_system *system, td_state *state) {
    double *q = state->solver.initial, *v = q + system->coordinates.n;
    if (td_n_initial(system) == 0) return TD_OK;
    solver_get_coordinates(system, state, q, v);
    for (int i = 0; i < system->n_initial; i++)
        if (!system->initial[i].rate) q[system->initial[i].coordinate] = system->initial[i].value;
    if (system->n_moved) visit_frames(system, set_frame, q);
    for (int i = 0; i < system->n_initial; i++)
        if (system->initial[i].rate) v[system->initial[i].coordinate] = system->initial[i].value;
    const td_status status = td_set_coordinates(system, state, q, v);
    return status < 0 ? status : watch_apply_initial(system, state);
}
