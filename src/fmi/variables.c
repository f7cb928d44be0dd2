// fmi/variables.c - see variables.h.
#include "fmi/variables.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tendril/gradient.h"
#include "tendril/loop.h"

static const char *const axes[] = {"x", "y", "z"};
static const char *const quaternion[] = {"q_w", "q_x", "q_y", "q_z"};

static bool out_of_memory(td_error *err) {
    error_set(err, TD_ERR_MEMORY, "", "out of memory");
    return false;
}

static fmi_variable *add(fmi_variables *v, fmi_kind kind, int index, int part, const char *unit) {
    if (v->n == v->room) {
        const int room = v->room ? 2 * v->room : 64;
        fmi_variable *all = realloc(v->all, sizeof *all * (size_t)room);
        if (!all) return NULL;
        v->all = all, v->room = room;
    }
    fmi_variable *one = &v->all[v->n++];
    *one = (fmi_variable){.kind = kind, .index = index, .part = part};
    snprintf(one->unit, sizeof one->unit, "%s", strcmp(unit, "1") ? unit : "");
    return one;
}

static int keep_output(fmi_variables *v, const td_output *output) {
    if (v->n_given == v->given_room) {
        const int room = v->given_room ? 2 * v->given_room : 32;
        td_output *outputs = realloc(v->outputs, sizeof *outputs * (size_t)room);
        if (!outputs) return -1;
        v->outputs = outputs, v->given_room = room;
    }
    v->outputs[v->n_given] = *output;
    return v->n_given++;
}

static bool is_there(const fmi_variables *v, const char *name) {
    for (int i = 0; i < v->n; i++)
        if (!strcmp(v->all[i].name, name)) return true;
    return false;
}

// ---------------------------------------------------------------- outputs
// "rod.arm.tip": its position, and how it is turned as a quaternion.
static bool add_pose(fmi_variables *v, const char *point, const td_output *output) {
    char name[192];
    snprintf(name, sizeof name, "%s.x", point);
    if (is_there(v, name)) return true;
    const int index = keep_output(v, output);
    for (int k = 0; index >= 0 && k < 7; k++) {
        fmi_variable *one =
            k < 3 ? add(v, FMI_VALUE, index, 3 + k, "m") : add(v, FMI_TURN, index, k - 3, "1");
        if (!one) return false;
        snprintf(one->name, sizeof one->name, "%s.%s", point, k < 3 ? axes[k] : quaternion[k - 3]);
    }
    return index >= 0;
}

static bool add_output(fmi_variables *v, const td_system *system, const char *name, td_error *err) {
    td_named_output found;
    if (td_find_output(system, name, &found, err) < 0) return false;
    const char *dot = strrchr(name, '.');
    const bool pose = found.output.quantity == TD_OUTPUT_POSE;
    if (pose && found.n == 6) {
        char point[160];
        snprintf(point, sizeof point, "%.*s", (int)(dot ? dot - name : 0), name);
        return add_pose(v, point, &found.output) || out_of_memory(err);
    }
    if (pose && found.first < 3) {
        error_set(err, TD_ERR_ARGUMENT, name,
                  "how a point is turned is told as a quaternion: name its pose");
        return false;
    }
    int index = -1;
    for (int k = 0; k < found.n; k++) {
        if (is_there(v, found.names[k])) continue;
        if (index < 0) index = keep_output(v, &found.output);
        fmi_variable *one =
            index < 0 ? NULL : add(v, FMI_VALUE, index, found.first + k, found.units[k]);
        if (!one) return out_of_memory(err);
        snprintf(one->name, sizeof one->name, "%s", found.names[k]);
    }
    return true;
}

// Its effort and its measure, in the words of its kind.
static bool add_actuator(fmi_variables *v, const td_system *system, int i, td_error *err) {
    const td_actuator_kind *kind = td_actuator_kind_of(system, i);
    for (int k = 0; k < kind->n_recorded; k++) {
        const td_actuator_quantity *q = &kind->recorded[k];
        char name[192];
        if (q->offset != offsetof(td_actuator_state, effort) &&
            q->offset != offsetof(td_actuator_state, measure))
            continue;
        snprintf(name, sizeof name, "%s.%s.%s", kind->word, td_actuator_name(system, i), q->name);
        if (!add_output(v, system, name, err)) return false;
    }
    return true;
}

static bool add_sensors(fmi_variables *v, const td_system *system) {
    for (int i = 0; i < td_n_sensors(system); i++)
        for (int k = 0; k < td_sensor_channels(system, i); k++) {
            char channel[128];
            td_sensor_channel(system, i, k, channel, sizeof channel);
            fmi_variable *one = add(v, FMI_READING, i, k, td_sensor_unit(system, i));
            if (!one) return false;
            snprintf(one->name, sizeof one->name, "sensor.%s", channel);
        }
    return true;
}

static bool add_all(fmi_variables *v, const td_system *system, td_error *err) {
    char point[160];
    for (int i = 0; i < td_n_rods(system); i++) {
        const td_output tip = {.body = -1, .rod = i, .s = td_rod_length(system, i)};
        snprintf(point, sizeof point, "rod.%s.tip", td_rod_name(system, i));
        if (!add_pose(v, point, &tip)) return out_of_memory(err);
    }
    for (int i = 0; i < td_n_bodies(system); i++) {
        snprintf(point, sizeof point, "body.%s", td_body_name(system, i));
        if (!add_pose(v, point, &(td_output){.body = i})) return out_of_memory(err);
    }
    for (int i = 0; i < td_n_actuators(system); i++)
        if (!add_actuator(v, system, i, err)) return false;
    return add_sensors(v, system) || out_of_memory(err);
}

// ---------------------------------------------------------------- inputs and parameters
static bool add_inputs(fmi_variables *v, const td_system *system) {
    const bool taken = td_find_input(system, "time") >= 0;
    fmi_variable *one = add(v, FMI_TIME, 0, 0, "s");
    if (!one) return false;
    snprintf(one->name, sizeof one->name, "%s", taken ? "time_now" : "time");
    for (int i = 0; i < td_n_inputs(system); i++) {
        one = add(v, FMI_INPUT, i, 0, td_input_unit(system, i));
        if (!one) return false;
        snprintf(one->name, sizeof one->name, "%s", td_input_name(system, i));
    }
    v->n_inputs = td_n_inputs(system);
    return true;
}

static bool add_parameter(fmi_variables *v, const td_robot *robot, const char *path,
                          td_error *err) {
    double value;
    if (td_robot_get_number(robot, path, &value, err) < 0) return false;
    fmi_variable *one = add(v, FMI_PARAMETER, v->n_parameters, 0, "");
    if (!one) return out_of_memory(err);
    v->n_parameters++;
    snprintf(one->name, sizeof one->name, "%s", path);
    return true;
}

// Calls `take` for each line that begins with the word.
static bool each_choice(const char *choices, const char *word,
                        bool (*take)(void *context, const char *name), void *context) {
    const size_t n = strlen(word);
    for (const char *line = choices; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char name[192];
        if (strncmp(line, word, n) != 0 || line[n] != ' ') continue;
        snprintf(name, sizeof name, "%.*s", (int)(strcspn(line, "\n") - n - 1), line + n + 1);
        if (!take(context, name)) return false;
    }
    return true;
}

typedef struct making {
    fmi_variables *v;
    const td_robot *robot;
    const td_system *system;
    td_error *err;
} making;

static bool take_parameter(void *context, const char *name) {
    const making *m = context;
    return is_there(m->v, name) || add_parameter(m->v, m->robot, name, m->err);
}

static bool take_output(void *context, const char *name) {
    const making *m = context;
    return add_output(m->v, m->system, name, m->err);
}

bool variables_make(fmi_variables *v, const td_robot *robot, const td_system *system,
                    const char *choices, td_error *err) {
    making m = {v, robot, system, err};
    *v = (fmi_variables){0};
    if (!add_inputs(v, system)) return out_of_memory(err);
    v->first_parameter = v->n;
    if (!each_choice(choices, "parameter", take_parameter, &m)) return false;
    v->first_output = v->n;
    if (!add_all(v, system, err)) return false;
    if (!each_choice(choices, "output", take_output, &m)) return false;
    v->n_outputs = v->n - v->first_output;
    return true;
}

void variables_free(fmi_variables *v) {
    free(v->all);
    free(v->outputs);
    *v = (fmi_variables){0};
}

// ---------------------------------------------------------------- values
static double turn_of(const td_output *o, const td_system *system, const td_state *state,
                      int part) {
    const td_pose pose = o->body >= 0 ? td_get_body(system, state, o->body).pose
                                      : td_get_pose(system, state, o->rod, o->s);
    return pose.q[part];
}

static double reading_of(const td_system *system, const td_state *state, int sensor, int channel) {
    double few[16], *all = few;
    const int n = td_sensor_channels(system, sensor);
    if (n > 16 && !(all = malloc(sizeof *all * (size_t)n))) return 0.0;
    td_get_sensor(system, state, sensor, all, NULL);
    const double value = all[channel];
    if (all != few) free(all);
    return value;
}

double variable_output(const fmi_variable *variable, const fmi_variables *v,
                       const td_system *system, const td_state *state) {
    double y[6];
    if (variable->kind == FMI_READING)
        return reading_of(system, state, variable->index, variable->part);
    const td_output *o = &v->outputs[variable->index];
    if (variable->kind == FMI_TURN) return turn_of(o, system, state, variable->part);
    td_get_output(system, state, o, y);
    return y[variable->part];
}

// ---------------------------------------------------------------- derivatives
static bool has_slopes(const td_output *o) {
    return o->quantity != TD_OUTPUT_REACTION;
}

td_linearisation *variables_linearisation(const fmi_variables *v, const td_system *system,
                                          td_error *err) {
    td_output *list = malloc(sizeof *list * (size_t)(v->n_given + 1));
    int n = 0;
    if (!list) {
        out_of_memory(err);
        return NULL;
    }
    for (int i = 0; i < v->n_given; i++)
        if (has_slopes(&v->outputs[i])) list[n++] = v->outputs[i];
    td_linearisation *l = td_linearisation_create(system, list, n, err);
    free(list);
    return l;
}

int variables_row(const fmi_variables *v, int output) {
    int row = 0;
    if (output < v->n_given && !has_slopes(&v->outputs[output])) return -1;
    for (int i = 0; i < output; i++)
        if (has_slopes(&v->outputs[i])) row += td_output_size(v->outputs[i].quantity);
    return row;
}

// ---------------------------------------------------------------- token
// FNV-1a, of 64 bits.
static uint64_t hash(uint64_t h, const char *text) {
    do h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    while (*text++);
    return h;
}

void fmi_token(const char *robot, const char *choices, char token[FMI_TOKEN]) {
    uint64_t h[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    for (int i = 0; i < 2; i++) h[i] = hash(hash(hash(h[i], td_version()), robot), choices);
    snprintf(token, FMI_TOKEN, "{%08x-%04x-%04x-%04x-%04x%08x}", (unsigned)(h[0] >> 32),
             (unsigned)(h[0] >> 16 & 0xffff), (unsigned)(h[0] & 0xffff), (unsigned)(h[1] >> 48),
             (unsigned)(h[1] >> 32 & 0xffff), (unsigned)(h[1] & 0xffffffff));
}
