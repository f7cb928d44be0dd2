// sim/estimator_make.c - estimators: what they are made of, what they tell, snapshots.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "math/dense.h"
#include "sim/drive.h"
#include "sim/estimator.h"
#include "solve/chart.h"

// ---------------------------------------------------------------- sensors
static double variance_of(const sensor *s) {
    const td_sensor_def *d = &s->def;
    return d->noise * d->noise + d->density * d->density * d->rate + d->quantum * d->quantum / 12.0;
}

// Why what it reads of a motor or valve does not follow from coordinates and rates; NULL: it does.
static const char *refusal_of_drive(const td_system *system, const sensor *s) {
    const int i = s->output.actuator;
    const engine *e = &system->actuators[i].engine;
    const bool speed = e->command == TD_MOTOR_SPEED, servo = speed || e->command == TD_MOTOR_ANGLE;
    if (e->kind == ENGINE_VALVE && solver_moving(system, NULL, system->actuator_parts[i]).n_l > 0)
        return "the flow follows a pressure that is not given in motion, which has no slopes by "
               "coordinates in this model";
    if (e->kind == ENGINE_VALVE || s->first < 2 || !servo) return NULL;
    return (speed ? e->motor.damping : e->motor.stiffness) > 0.0
               ? NULL
               : "what holds an angle or a speed by any torque gives one that follows "
                 "accelerations, which are not estimated";
}

// Why it cannot be used; NULL: it can.
static const char *refusal_of(const td_system *system, int index) {
    const sensor *s = &system->sensors[index];
    td_output o = {0};
    if (s->estimated) return "it reads the estimator itself";
    if (td_sensor_outputs(system, index, NULL) == 0)
        return "what it measures has no slopes: accelerometers, displacements, forces on obstacles";
    if (s->obstacle < 0 && s->word->what == SENSOR_DRIVE && refusal_of_drive(system, s))
        return refusal_of_drive(system, s);
    o = sensor_output(system, s, 0);
    if (s->word->what == SENSOR_OUTPUT && o.quantity == TD_OUTPUT_REACTION)
        return "reactions follow accelerations, which are not estimated";
    return variance_of(s) > 0.0 ? NULL : "it has no noise; how well it measures must be said";
}

static bool is_named(const td_estimator_def *def, const char *name) {
    for (int i = 0; i < def->n_sensors; i++)
        if (strcmp(def->sensors[i], name) == 0) return true;
    return false;
}

static bool is_used(const td_system *system, int index) {
    const td_estimator_def *def = system->estimator;
    return !refusal_of(system, index) &&
           (def->n_sensors == 0 || is_named(def, system->sensors[index].name));
}

// Readings on their way, of late sensors that are used: how many there may be, and how many numbers that is.
static void count_pending(const td_system *system, int *slots, int *numbers) {
    *slots = *numbers = 0;
    for (int i = 0; i < system->n_sensors; i++) {
        const sensor *s = &system->sensors[i];
        if (s->def.delay == 0.0 || !is_used(system, i)) continue;
        *slots += s->depth;
        *numbers += s->depth * s->n_channels;
    }
}

static td_status choose_sensors(const td_system *system, const td_estimator_def *def,
                                watched *sensors, int *rows, int *channels, int *n_outputs,
                                td_error *err) {
    int slots = 0, pending = 0;
    *rows = *channels = *n_outputs = 0;
    for (int i = 0; i < system->n_sensors; i++) {
        const sensor *s = &system->sensors[i];
        const char *why = refusal_of(system, i);
        if (is_named(def, s->name) && why)
            return error_set(err, TD_ERR_UNSUPPORTED, "estimator.sensors", "'%s': %s", s->name,
                             why);
        const bool follows =
            s->word->what != SENSOR_OUTPUT || s->output.quantity != TD_OUTPUT_REACTION;
        watched *w = &sensors[i];
        *w = (watched){.has_slopes = follows && td_sensor_outputs(system, i, NULL) > 0,
                       .used = is_used(system, i),
                       .late = s->def.delay > 0.0,
                       .slots = s->depth,
                       .slot = slots,
                       .pending = pending,
                       .first = *rows,
                       .variance = variance_of(s)};
        if (w->late && w->used) slots += s->depth, pending += s->depth * s->n_channels;
        if (!w->has_slopes) continue;
        td_output *outputs = calloc((size_t)td_sensor_outputs(system, i, NULL), sizeof *outputs);
        if (!outputs) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
        const int n = td_sensor_outputs(system, i, outputs);
        for (int k = 0; k < n; k++) w->rows += td_output_size(outputs[k].quantity);
        free(outputs);
        *rows += w->rows, *n_outputs += n;
        *channels += s->n_channels;
    }
    return TD_OK;
}

static td_linearisation *linearisation_of(const td_system *system, const watched *sensors,
                                          int n_outputs, td_error *err) {
    td_output *outputs = calloc((size_t)n_outputs + 1, sizeof *outputs), *to = outputs;
    if (!outputs) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory"), NULL;
    for (int i = 0; i < system->n_sensors; i++)
        if (sensors[i].has_slopes) to += td_sensor_outputs(system, i, to);
    td_linearisation *l = td_linearisation_create(system, outputs, n_outputs, err);
    free(outputs);
    return l;
}

// ---------------------------------------------------------------- memory
static int n_numbers(const td_estimator_def *def) {
    int n = 0;
    for (int i = 0; i < def->n_unknowns; i++) n += def->unknowns[i].n_inputs > 1 ? 2 : 1;
    return n;
}

// w, P, readings seen and taken, the surprise, and what is on its way.
size_t estimator_n_kept(const td_system *system) {
    int slots, pending;
    count_pending(system, &slots, &pending);
    const size_t n_w = (size_t)n_numbers(system->estimator);
    const size_t n = 2 * (size_t)td_n_coordinates(system) + n_w + (size_t)pending;
    return n_w + n * n + 2 * (size_t)system->n_sensors + 2 + (size_t)(pending + slots);
}

static td_estimator *layout(const td_estimator *of, int rows, arena *a) {
    td_estimator *out = ARENA_TAKE(a, td_estimator, 1), e = *of;
    const td_system *system = e.system;
    const int n = e.n, n_l = e.l->of.n + e.l->n_flows, n_w = e.n_w, m = e.n_r,
              n_u = system->n_inputs;
    e.sensors = ARENA_TAKE(a, watched, system->n_sensors);
    e.readings = ARENA_TAKE(a, td_reading, system->n_sensors);
    e.names = (char(*)[96])arena_take(a, (size_t)n_w * sizeof *e.names);
    e.units = ARENA_TAKE(a, const char *, n_w);
    e.unknown = ARENA_TAKE(a, bool, n_u);
    e.unit = ARENA_TAKE(a, double, e.n_q);
    e.n_kept = estimator_n_kept(system);
    e.kept = ARENA_TAKE(a, double, e.n_kept);
    e.before_kept = ARENA_TAKE(a, double, e.n_kept);
    e.outer = ARENA_TAKE(a, double, e.n_kept);
    e.before = arena_take(a, system->keep_bytes);
    e.U = ARENA_TAKE(a, double, n_u *n_w);
    e.F = ARENA_TAKE(a, double, n *n);
    e.Ft = ARENA_TAKE(a, double, n *n);
    e.T = ARENA_TAKE(a, double, n *n);
    e.H = ARENA_TAKE(a, double, m *n);
    e.wide = ARENA_TAKE(a, double, rows *n);
    e.G = ARENA_TAKE(a, double, m *n);
    e.K = ARENA_TAKE(a, double, m *n);
    e.S = ARENA_TAKE(a, double, m *m);
    e.y = ARENA_TAKE(a, double, m);
    e.h = ARENA_TAKE(a, double, m);
    e.noise = ARENA_TAKE(a, double, m);
    e.gap = ARENA_TAKE(a, double, m);
    e.dx = ARENA_TAKE(a, double, n);
    e.next = ARENA_TAKE(a, double, n);
    e.q = ARENA_TAKE(a, double, e.n_q);
    e.v = ARENA_TAKE(a, double, e.n_q);
    e.q0 = ARENA_TAKE(a, double, e.n_q);
    e.v0 = ARENA_TAKE(a, double, e.n_q);
    e.lu = ARENA_TAKE(a, double, n_l *n_l);
    e.pivots = ARENA_TAKE(a, int, n_l);
    e.Z = ARENA_TAKE(a, double, n_l *n_w);
    e.A = ARENA_TAKE(a, double, n_w *n_w);
    e.b = ARENA_TAKE(a, double, n_w);
    e.start = ARENA_TAKE(a, double, n_w);
    e.best = ARENA_TAKE(a, double, n_w);
    e.trial = ARENA_TAKE(a, double, n_w);
    e.scale = ARENA_TAKE(a, double, n_w);
    e.best_state = arena_take(a, system->keep_bytes);
    if (!out) return NULL;
    e.w = e.kept, e.P = e.w + n_w, e.seen = e.P + (size_t)n * (size_t)n;
    e.taken = e.seen + system->n_sensors;
    e.surprise = e.taken + system->n_sensors;
    e.z = e.surprise + 2;
    e.number = e.z + e.n_z;
    *out = e;
    return out;
}

static void name_numbers(td_estimator *e) {
    for (int i = 0, at = 0; i < e->def->n_unknowns; i++) {
        const td_unknown_def *u = &e->def->unknowns[i];
        const robot_input *input = &e->system->inputs[u->inputs[0]];
        const char *name = u->name ? u->name : input->name;
        snprintf(e->names[at], sizeof *e->names, "%.80s", name);
        e->units[at++] = input->unit;
        if (u->n_inputs == 1) continue;
        snprintf(e->names[at], sizeof *e->names, "%.80s.place", name);
        e->units[at++] = "m";
    }
}

static void fill(td_estimator *e) {
    for (int i = 0; i < e->def->n_unknowns; i++)
        for (int k = 0; k < e->def->unknowns[i].n_inputs; k++)
            e->unknown[e->def->unknowns[i].inputs[k]] = true;
    for (int i = 0, at = 0; i < solver_n_parts(e->system); i++) {
        const solve_part p = solver_moving(e->system, e->state, i);
        for (int k = 0; k < p.n_q; k++)
            if (!part_holds(&p, k)) e->unit[at++] = p.unit[k];
    }
    for (int i = 0; i < e->system->n_actuators; i++) {
        const actuator *a = &e->system->actuators[i];
        if (!actuator_is_driven(a)) continue;
        for (int j = 0; j < engine_n_numbers(&a->engine); j++)
            e->unit[drives_place(e->system, a) + j] = drives_unit(a);
    }
    name_numbers(e);
    for (int j = 0; j < e->n_w; j++) e->w[j] = unknown_mean(e, j);
    if (refuse_step_slopes(e->l, e->state) < 0)
        snprintf(e->why, sizeof e->why, "%s", e->state->message);
    else if (e->l->n_flows > 0)
        snprintf(e->why, sizeof e->why,
                 "a material of the robot relaxes, and what has flowed in it is not estimated");
    else if (e->l->slopes.n != e->n_x)
        snprintf(e->why, sizeof e->why,
                 "steps remember more than coordinates and rates; with 'sdirk2' and "
                 "'backward-euler', without friction, they do not");
    e->state->message[0] = '\0';
}

static td_status check_unknowns(const td_system *system, td_error *err) {
    const td_estimator_def *def = system->estimator;
    for (int i = 0; i < def->n_unknowns; i++)
        for (int k = 0; k < def->unknowns[i].n_inputs; k++) {
            const int input = def->unknowns[i].inputs[k];
            if (input >= system->n_inputs || system->rate_matters[input])
                return error_set(err, TD_ERR_UNSUPPORTED, "estimator.unknowns",
                                 "input '%s' moves a base or feeds a rod; such cannot be unknown",
                                 input < system->n_inputs ? system->inputs[input].name : "?");
        }
    return TD_OK;
}

static td_estimator *build(td_estimator *e, const watched *sensors, int rows, td_error *err) {
    e->state = state_create_alone(e->system);
    if (!e->state) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory"), NULL;
    if (refuse_motion(e->system, e->state) < 0)
        return error_set(err, TD_ERR_UNSUPPORTED, "estimator", "%s", e->state->message), NULL;
    arena counted = {0};
    layout(e, rows, &counted);
    void *memory = calloc(1, counted.used + 64);
    if (!memory) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory"), NULL;
    arena placed = {(unsigned char *)(((uintptr_t)memory + 63) & ~(uintptr_t)63), 0};
    td_estimator *out = layout(e, rows, &placed);
    out->memory = memory;
    if (e->system->n_sensors)
        memcpy(out->sensors, sensors, sizeof *sensors * (size_t)e->system->n_sensors);
    fill(out);
    return out;
}

td_estimator *td_estimator_create(const td_system *system, td_error *err) {
    if (err) *err = (td_error){.status = TD_OK};
    if (!system->estimator)
        return error_set(err, TD_ERR_ARGUMENT, "estimator",
                         "the robot describes none: it needs sensors, and what is unknown"),
               NULL;
    if (check_unknowns(system, err) < 0) return NULL;
    td_estimator e = {.system = system, .def = system->estimator}, *out = NULL;
    watched *sensors = calloc((size_t)system->n_sensors + 1, sizeof *sensors);
    int rows, n_outputs;
    if (!sensors) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory"), NULL;
    if (choose_sensors(system, e.def, sensors, &rows, &e.n_r, &n_outputs, err) >= 0)
        e.l = linearisation_of(system, sensors, n_outputs, err);
    e.n_q = td_n_coordinates(system), e.n_x = 2 * e.n_q;
    e.n_w = n_numbers(e.def);
    count_pending(system, &e.n_slots, &e.n_z);
    e.n = e.n_x + e.n_w + e.n_z;
    if (e.l) out = build(&e, sensors, rows, err);
    free(sensors);
    if (out) return out;
    td_state_destroy(e.state);
    td_linearisation_destroy(e.l);
    return NULL;
}

void td_estimator_destroy(td_estimator *e) {
    if (!e) return;
    td_state_destroy(e->state);
    td_linearisation_destroy(e->l);
    free(e->memory);
}

// ---------------------------------------------------------------- what it says
const td_state *td_estimator_state(const td_estimator *e) {
    return e->state;
}

int td_estimator_n_numbers(const td_estimator *e) {
    return e->n_w;
}

const char *td_estimator_name(const td_estimator *e, int number) {
    return number >= 0 && number < e->n_w ? e->names[number] : NULL;
}

const char *td_estimator_unit(const td_estimator *e, int number) {
    return number >= 0 && number < e->n_w ? e->units[number] : NULL;
}

double td_estimator_get(const td_estimator *e, int number, double *deviation) {
    if (deviation) *deviation = 0.0;
    if (number < 0 || number >= e->n_w) return 0.0;
    if (deviation) *deviation = sqrt(fmax(0.0, e->P[(e->n_x + number) * (e->n + 1)]));
    return e->w[number];
}

bool td_estimator_uses(const td_estimator *e, int which) {
    return which >= 0 && which < e->system->n_sensors && e->sensors[which].used;
}

int td_estimator_n(const td_estimator *e) {
    return e->n;
}

const double *td_estimator_covariance(const td_estimator *e) {
    return e->P;
}

double td_estimator_surprise(const td_estimator *e, int *n_readings) {
    if (n_readings) *n_readings = (int)e->surprise[1];
    return e->surprise[0];
}

const char *td_estimator_message(const td_estimator *e) {
    return e->message;
}

td_status td_estimator_set_input(td_estimator *e, int input, double value) {
    e->message[0] = '\0';
    if (input >= 0 && input < e->system->n_inputs && e->unknown[input]) {
        snprintf(e->message, sizeof e->message, "input '%s' is one that is not known",
                 e->system->inputs[input].name);
        return TD_ERR_ARGUMENT;
    }
    const td_status status = td_set_input(e->system, e->state, input, value);
    if (status < 0) snprintf(e->message, sizeof e->message, "%s", e->state->message);
    return status;
}

td_status td_estimator_set_time(td_estimator *e, double t) {
    const td_status status = td_set_time(e->system, e->state, t);
    snprintf(e->message, sizeof e->message, "%s", status < 0 ? e->state->message : "");
    return status;
}

void td_estimator_restart(td_estimator *e) {
    td_restart(e->system, e->state);
}

// ---------------------------------------------------------------- snapshots
size_t td_estimator_bytes(const td_estimator *e) {
    return e->system->keep_bytes + sizeof(double) * (e->n_kept + 1);
}

static double checksum_of(const td_estimator *e, const void *kept) {
    return (double)(hash_bytes(HASH_START, kept, sizeof(double) * e->n_kept) >> 11);
}

td_status td_estimator_save(const td_estimator *e, void *buffer, size_t bytes) {
    const size_t first = e->system->keep_bytes, size = sizeof(double) * e->n_kept;
    if (!buffer || bytes < td_estimator_bytes(e)) return TD_ERR_MEMORY;
    const double checksum = checksum_of(e, e->kept);
    memcpy((char *)buffer + first, e->kept, size);
    memcpy((char *)buffer + first + size, &checksum, sizeof checksum);
    return td_state_save(e->system, e->state, buffer, bytes);
}

td_status td_estimator_restore(td_estimator *e, const void *buffer, size_t bytes) {
    const size_t first = e->system->keep_bytes, size = sizeof(double) * e->n_kept;
    double checksum = 0.0;
    e->message[0] = '\0';
    if (!buffer || bytes < td_estimator_bytes(e)) return TD_ERR_MEMORY;
    memcpy(&checksum, (const char *)buffer + first + size, sizeof checksum);
    td_status status = TD_ERR_VALUE;
    if (checksum == checksum_of(e, (const char *)buffer + first))
        status = td_state_restore(e->system, e->state, buffer, bytes);
    else snprintf(e->state->message, sizeof e->state->message, "the snapshot is damaged");
    if (status < 0) return snprintf(e->message, sizeof e->message, "%s", e->state->message), status;
    memcpy(e->kept, (const char *)buffer + first, size);
    return status;
}
