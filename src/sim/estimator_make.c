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

// Why readings in motion do not follow from coordinates and rates; NULL: they do.
static const char *refusal_in_motion(const td_system *system, const sensor *s) {
    const bool output = s->obstacle < 0 && s->word->what == SENSOR_OUTPUT;
    const td_quantity q = s->output.quantity;
    const bool measure = output ? q == TD_OUTPUT_MEASURE
                                : s->obstacle < 0 && s->word->what == SENSOR_SUPPLIED &&
                                      !actuator_is_driven(&system->actuators[s->output.actuator]);
    if (output && q == TD_OUTPUT_REACTION)
        return "reactions in motion follow accelerations, which are not estimated";
    if (measure && system->follows)
        return "sections follow the mean stretch with which a step began, and lengths and volumes "
               "have no derivative in motion";
    if (s->obstacle < 0 && s->word->what == SENSOR_DRIVE) return refusal_of_drive(system, s);
    return NULL;
}

// Why it cannot be used at all; NULL: it can.
static const char *refusal_of(const td_system *system, int index) {
    const sensor *s = &system->sensors[index];
    if (s->estimated) return "it reads the estimator itself";
    if (td_sensor_outputs(system, index, NULL) == 0)
        return "what it measures has no slopes: forces on obstacles, displacements of tendons that "
               "rub and stretch";
    return variance_of(s) > 0.0 ? NULL : "it has no noise; how well it measures must be said";
}

static bool is_named(const td_estimator_def *def, const char *name) {
    for (int i = 0; i < def->n_sensors; i++)
        if (strcmp(def->sensors[i], name) == 0) return true;
    return false;
}

bool estimator_uses(const td_system *system, int index) {
    const td_estimator_def *def = system->estimator;
    return !refusal_of(system, index) &&
           (def->n_sensors == 0 || is_named(def, system->sensors[index].name));
}

static bool is_used(const td_system *system, int index) {
    return estimator_uses(system, index) && !refusal_in_motion(system, &system->sensors[index]);
}

const char *estimator_refusal_in_motion(const td_system *system, int index) {
    return refusal_in_motion(system, &system->sensors[index]);
}

// Of an accelerometer whose reading is estimated, or is read: velocities are kept. Numbers.
static int clones_of(const td_system *system, int index) {
    const sensor *s = &system->sensors[index];
    if (s->obstacle >= 0 || s->word->what != SENSOR_ACCELEROMETER) return 0;
    return s->estimated || is_used(system, index) ? 3 * s->n_places : 0;
}

static int count_clones(const td_system *system) {
    int n = 0;
    for (int i = 0; i < system->n_sensors; i++) n += clones_of(system, i);
    return n;
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

// Is it told of in motion, at rest?
static bool is_seen(const td_system *system, int index, bool at_rest) {
    const sensor *s = &system->sensors[index];
    const bool felt = s->obstacle < 0 && s->word->what == SENSOR_ACCELEROMETER;
    if (s->estimated) return !at_rest && clones_of(system, index) > 0;
    if (sensor_outputs(system, index, NULL) == 0) return false;
    if (at_rest) return true;
    return !refusal_in_motion(system, s) && (!felt || clones_of(system, index) > 0);
}

static td_status choose_sensors(const td_system *system, const td_estimator_def *def,
                                watched *sensors, int rows[2], int *channels, td_error *err) {
    int slots = 0, pending = 0, clones = 0;
    rows[0] = rows[1] = *channels = 0;
    for (int i = 0; i < system->n_sensors; i++) {
        const sensor *s = &system->sensors[i];
        const char *why = refusal_of(system, i);
        if (is_named(def, s->name) && why)
            return error_set(err, TD_ERR_UNSUPPORTED, "estimator.sensors", "'%s': %s", s->name,
                             why);
        watched *w = &sensors[i];
        const bool moves = is_seen(system, i, false), rests = is_seen(system, i, true);
        *w = (watched){.has_slopes = moves && !s->estimated,
                       .used = is_used(system, i),
                       .rests = estimator_uses(system, i),
                       .late = s->def.delay > 0.0,
                       .slots = s->depth,
                       .slot = slots,
                       .pending = pending,
                       .first = rows[0],
                       .rows = moves ? sensor_rows_of(system, i) : 0,
                       .at_rest = rows[1],
                       .bias = -1,
                       .clone = clones_of(system, i) > 0 ? clones : -1,
                       .variance = variance_of(s)};
        if (w->late && w->used) slots += s->depth, pending += s->depth * s->n_channels;
        rows[0] += w->rows, rows[1] += rests ? sensor_rows_of(system, i) : 0;
        clones += clones_of(system, i);
        *channels += s->n_channels;
    }
    return TD_OK;
}

// Biases are of sensors that are used.
static td_status check_biases(const td_system *system, td_error *err) {
    const td_estimator_def *def = system->estimator;
    for (int i = 0; i < def->n_unknowns; i++) {
        if (!def->unknowns[i].bias) continue;
        const int which = td_find_sensor(system, def->unknowns[i].bias);
        const char *why = refusal_of(system, which);
        if (estimator_uses(system, which)) continue;
        return error_set(err, TD_ERR_UNSUPPORTED, "estimator.unknowns",
                         "the bias of '%s' tells nothing of a sensor that is not used: %s",
                         def->unknowns[i].bias, why ? why : "it is not among estimator.sensors");
    }
    return TD_OK;
}

static td_linearisation *linearisation_of(const td_system *system, bool at_rest, td_error *err) {
    int n = 0;
    for (int i = 0; i < system->n_sensors; i++)
        if (is_seen(system, i, at_rest)) n += sensor_outputs(system, i, NULL);
    td_output *outputs = calloc((size_t)n + 1, sizeof *outputs), *to = outputs;
    if (!outputs) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory"), NULL;
    for (int i = 0; i < system->n_sensors; i++)
        if (is_seen(system, i, at_rest)) to += sensor_outputs(system, i, to);
    td_linearisation *l = td_linearisation_create(system, outputs, n, err);
    free(outputs);
    return l;
}

// One for both, where the same sensors have slopes at rest and in motion.
static bool linearisations_of(td_estimator *e, td_error *err) {
    bool same = true;
    for (int i = 0; i < e->system->n_sensors; i++)
        same = same && is_seen(e->system, i, false) == is_seen(e->system, i, true);
    e->l = linearisation_of(e->system, false, err);
    e->rest = same || !e->l ? e->l : linearisation_of(e->system, true, err);
    return e->l && e->rest;
}

// ---------------------------------------------------------------- memory
static int count_channels(const td_system *system) {
    int n = 0;
    for (int i = 0; i < system->n_sensors; i++) n += system->sensors[i].n_channels;
    return n;
}

// Coordinates, their rates, and what has flowed in sections that relax.
static int count_states(const td_system *system) {
    int n = 2 * td_n_coordinates(system);
    for (int i = 0; i < solver_n_parts(system); i++) n += solver_moving(system, NULL, i).n_flows;
    return n;
}

// w, P, readings seen and taken, the surprise, what is known at rest, velocities before, and what is on its way.
size_t estimator_n_kept(const td_system *system) {
    int slots, pending;
    count_pending(system, &slots, &pending);
    const size_t n_w = (size_t)estimator_numbers(system, NULL), n_c = (size_t)count_clones(system);
    const size_t n = (size_t)count_states(system) + n_w + n_c + (size_t)pending;
    return n_w + n * n + 2 * (size_t)system->n_sensors + 2 + 1 +
           (size_t)count_channels(system) * n_w + 1 + n_c + (size_t)(pending + slots);
}

static td_estimator *layout(const td_estimator *of, int rows, arena *a) {
    td_estimator *out = ARENA_TAKE(a, td_estimator, 1), e = *of;
    const td_system *system = e.system;
    const int n = e.n, n_l = e.l->of.n + e.l->n_flows, n_w = e.n_w, m = e.n_r,
              n_u = system->n_inputs, n_c = e.n_c;
    e.sensors = ARENA_TAKE(a, watched, system->n_sensors);
    e.readings = ARENA_TAKE(a, td_reading, system->n_sensors);
    e.numbers = ARENA_TAKE(a, unknown_number, n_w);
    e.names = (char(*)[160])arena_take(a, (size_t)n_w * sizeof *e.names);
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
    e.C = ARENA_TAKE(a, double, n_c *n);
    e.direct = ARENA_TAKE(a, double, m *n_u);
    e.inputs = ARENA_TAKE(a, double, 2 * n_u);
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
    e.rested = e.surprise + 2;
    e.J = e.rested + 1;
    e.span = e.J + (size_t)m * (size_t)n_w;
    e.c = e.span + 1;
    e.z = e.c + n_c;
    e.number = e.z + e.n_z;
    *out = e;
    return out;
}

static void name_numbers(td_estimator *e) {
    estimator_numbers(e->system, e->numbers);
    for (int j = 0; j < e->n_w; j++) {
        const unknown_number *x = &e->numbers[j];
        e->units[j] = estimator_number_name(e->system, x, e->names[j], sizeof *e->names);
        if (x->sensor >= 0 && x->channel == 0) e->sensors[x->sensor].bias = j;
        e->w[j] = x->mean;
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
    if (refuse_step_slopes(e->l, e->state) < 0)
        snprintf(e->why, sizeof e->why, "%s", e->state->message);
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

static void release(const td_estimator *e) {
    td_state_destroy(e->state);
    if (e->rest != e->l) td_linearisation_destroy(e->rest);
    td_linearisation_destroy(e->l);
}

td_estimator *td_estimator_create(const td_system *system, td_error *err) {
    if (err) *err = (td_error){.status = TD_OK};
    if (!system->estimator)
        return error_set(err, TD_ERR_ARGUMENT, "estimator",
                         "the robot describes none: it needs sensors, and what is unknown"),
               NULL;
    if (check_unknowns(system, err) < 0 || check_biases(system, err) < 0) return NULL;
    td_estimator e = {.system = system, .def = system->estimator}, *out = NULL;
    watched *sensors = calloc((size_t)system->n_sensors + 1, sizeof *sensors);
    int rows[2];
    if (!sensors) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory"), NULL;
    e.n_q = td_n_coordinates(system), e.n_x = count_states(system);
    e.n_w = estimator_numbers(system, NULL);
    e.n_c = count_clones(system);
    count_pending(system, &e.n_slots, &e.n_z);
    e.n = e.n_x + e.n_w + e.n_c + e.n_z;
    if (choose_sensors(system, e.def, sensors, rows, &e.n_r, err) >= 0 &&
        linearisations_of(&e, err))
        out = build(&e, sensors, rows[0] > rows[1] ? rows[0] : rows[1], err);
    free(sensors);
    if (out) return out;
    release(&e);
    return NULL;
}

void td_estimator_destroy(td_estimator *e) {
    if (!e) return;
    release(e);
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

const char *td_estimator_refusal(const td_estimator *e, int which, bool at_rest) {
    if (which < 0 || which >= e->system->n_sensors) return "there is no such sensor";
    const char *why = refusal_of(e->system, which);
    if (why) return why;
    if (!estimator_uses(e->system, which)) return "it is not among estimator.sensors";
    return at_rest ? NULL : estimator_refusal_in_motion(e->system, which);
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
