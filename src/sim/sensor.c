// sim/sensor.c - readings: when they are taken, what is wrong with them, and when they are there.
//
// A reading of a channel is
//
//     y = round(truth + bias + drift + sigma n, quantum), within its range,
//     sigma^2 = noise^2 + density^2 rate,     drift += K sqrt(t - t_before) n
//
// with n from the normal distribution, by its address (seed; name, channel; number of the reading).
#include "sim/sensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "math/quat.h"
#include "math/random.h"
#include "sim/estimator.h"
#include "sim/watch.h"

#define MOST_CHANNELS 3072  // of one sensor

// ---------------------------------------------------------------- places
td_output sensor_output(const td_system *system, const sensor *s, int place) {
    td_output o = s->output;
    if (s->def.every <= 0.0) return o;
    o.s = fmin((place + 1) * s->def.every, system->rod_lengths[o.rod]);
    return o;
}

// A line on the surface, at r in the section and at an angle to the axis, towards e = z x r/|r|, is
//
//     w = cos(angle) (v + u x r) + sin(angle) e
//
// long per length at rest; the gauge reads |w|/|w*| - 1. Sections stay rigid.
static vec3 line_of(const td_sensor_def *d, const double strain[6], vec3 r, vec3 e) {
    const vec3 along = vec3_add(vec3_load(strain + 3), vec3_cross(vec3_load(strain), r));
    return vec3_madd(vec3_scale(along, cos(d->angle)), sin(d->angle), e);
}

// The line itself, and in *r where it sits.
static vec3 line_under(const sensor *s, const double strain[6], vec3 *at) {
    const vec3 r = {s->def.offset[0], s->def.offset[1], 0.0};
    const double size = vec3_norm(r);
    const vec3 e = size > 0.0 ? (vec3){-r.y / size, r.x / size, 0.0} : (vec3){0.0, 1.0, 0.0};
    *at = r;
    return line_of(&s->def, strain, r, e);
}

gauge_line gauge_at(const sensor *s, int place, const double strain[6]) {
    gauge_line g = {.cosine = cos(s->def.angle), .at_rest = s->at_rest[place]};
    g.w = line_under(s, strain, &g.r);
    return g;
}

// ---------------------------------------------------------------- from names to numbers
static td_status refuse(const robot_sensor *from, td_error *err, const char *why) {
    char where[192];
    snprintf(where, sizeof where, "sensors.%.120s.measures", from->name);
    return error_set(err, TD_ERR_VALUE, where, "'%.60s': %s", from->measures, why);
}

// "obstacle.NAME.force"
static td_status find_on_obstacle(const td_system *system, const robot_sensor *from, sensor *s,
                                  td_error *err) {
    char name[128];
    const char *rest = from->measures + strlen("obstacle.");
    snprintf(name, sizeof name, "%.*s", (int)(strrchr(rest, '.') - rest), rest);
    s->obstacle = td_find_obstacle(system, name);
    s->first = s->word->first;
    if (s->obstacle < 0) return refuse(from, err, "there is no such obstacle");
    return strcmp(s->word->unit, "N") ? refuse(from, err, "an obstacle has force, or force_x, ...")
                                      : TD_OK;
}

// Why an actuator has no such number of a drive; NULL: it has.
static const char *drive_lacks(const td_system *system, int index, int which) {
    const engine *e = &system->actuators[index].engine;
    if (e->kind == ENGINE_NONE) return "it has no motor and no valve: an input drives it directly";
    if (which == 2 && e->kind == ENGINE_MOTOR && !(e->motor.torque_constant > 0.0))
        return "its motor has no torque_constant, and so no current";
    if (which < 4) return e->kind == ENGINE_MOTOR ? NULL : "it has a valve, and no motor";
    if (e->kind != ENGINE_VALVE) return "it has a motor, and no valve";
    if (e->valve.liquid == (which == 5)) return NULL;
    return which == 5 ? "its valve has gas: the word is flow" : "its valve has liquid: volume_flow";
}

// The measure by which an actuator is found that has a motor or a valve.
static const char *measure_of(const char *measures) {
    if (strncmp(measures, "chamber.", 8) == 0) return "volume";
    return strncmp(measures, "joint_motor.", 12) == 0 ? "turn" : "length";
}

static td_status find_output(const td_system *system, const robot_sensor *from, sensor *s,
                             td_error *err) {
    char name[160];
    td_named_output found;
    td_error why = {0};
    const int prefix = (int)(strrchr(from->measures, '.') - from->measures);
    const char *place = from->def.every > 0.0 ? ".tip" : "";
    const char *word = s->word->stand_in ? s->word->stand_in : s->word->word;
    if (s->word->what == SENSOR_DRIVE) word = measure_of(from->measures);
    snprintf(name, sizeof name, "%.*s%s.%s", prefix, from->measures, place, word);
    if (td_find_output(system, name, &found, &why) < 0) return refuse(from, err, why.message);
    if (s->word->what == SENSOR_DRIVE) {
        const char *lacks = drive_lacks(system, found.output.actuator, s->word->first);
        if (lacks) return refuse(from, err, lacks);
    }
    s->output = found.output;
    s->first = s->word->what == SENSOR_OUTPUT ? found.first : s->word->first;
    s->n_each = s->word->what == SENSOR_OUTPUT ? found.n : s->word->n;
    return TD_OK;
}

static bool is_at_point(const sensor *s) {
    const td_quantity q = s->output.quantity;
    return s->obstacle < 0 &&
           (q == TD_OUTPUT_POSE || q == TD_OUTPUT_VELOCITY || q == TD_OUTPUT_STRAIN);
}

// At every so much of a rod, its tip the last where it fits.
static td_status find_places(const td_system *system, const robot_sensor *from, sensor *s,
                             td_error *err) {
    s->n_places = 1;
    const bool on_rod = is_at_point(s) && s->output.body < 0;
    if (s->word->what == SENSOR_GAUGE && !on_rod) return refuse(from, err, "a gauge is on a rod");
    if (from->def.every <= 0.0) return TD_OK;
    if (!on_rod) return refuse(from, err, "with `every` it must be rod.NAME and what is measured");
    const double length = system->rod_lengths[s->output.rod];
    const double n = floor(length / from->def.every * (1.0 + 1e-9));
    if (!(n >= 1.0) || n * s->n_each > MOST_CHANNELS)
        return refuse(from, err, "`every` must fit into the rod, and not too often");
    s->n_places = (int)n;
    return TD_OK;
}

static td_status find_measured(const td_system *system, const robot_sensor *from, sensor *s,
                               td_error *err) {
    const td_status status = strncmp(from->measures, "obstacle.", 9) == 0
                                 ? find_on_obstacle(system, from, s, err)
                                 : find_output(system, from, s, err);
    return status ? status : find_places(system, from, s, err);
}

// What follows "estimate." is a number, or what a sensor of the robot that is believed would measure.
static td_status find_estimate(const td_system *system, const robot_sensor *from, sensor *s,
                               td_error *err) {
    td_quantity which[2];
    robot_sensor of = *from;
    of.measures = (char *)sensor_estimate_of(from->measures);
    s->estimated = true;
    if (!system->estimator) return refuse(from, err, "the robot says nothing of an estimator");
    if (s->word->what == SENSOR_NUMBER) return s->n_places = 1, TD_OK;  // see sensors_find_numbers
    const td_status status = find_measured(system, &of, s, err);
    if (status) return status;
    if (sensor_quantities(system, s, which) > 0 && s->output.quantity != TD_OUTPUT_REACTION)
        return TD_OK;
    return refuse(from, err, "reactions and forces on obstacles are not estimated in motion");
}

// "weight", "touch.place", "gyro.x.bias": which of the n it is; -1: none.
static int find_number(const td_system *system, const unknown_number *numbers, int n,
                       const char *name, const char **unit) {
    char text[160];
    for (int j = 0; j < n; j++) {
        *unit = estimator_number_name(system, &numbers[j], text, sizeof text);
        if (strcmp(text, name) == 0) return j;
    }
    return -1;
}

td_status sensors_find_numbers(td_system *system, const td_robot *robot, td_error *err) {
    const int n = system->estimator ? estimator_numbers(system, NULL) : 0;
    unknown_number *numbers = calloc((size_t)n + 1, sizeof *numbers);
    td_status status = TD_OK;
    if (!numbers) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    if (n > 0) estimator_numbers(system, numbers);
    for (int i = 0; i < robot->n_sensors && !status; i++) {
        const robot_sensor *from = &robot->sensors[i];
        sensor *s = &system->sensors[i];
        if (s->word->what != SENSOR_NUMBER) continue;
        s->number = find_number(system, numbers, n, sensor_estimate_of(from->measures), &s->unit);
        if (s->number < 0)
            status = refuse(from, err, "the estimator has no such number (unknowns)");
    }
    free(numbers);
    return status;
}

static td_status compile_one(const td_system *system, const robot_sensor *from, sensor *s,
                             td_error *err) {
    hash h = HASH_START;
    *s = (sensor){.name = strdup(from->name), .def = from->def, .obstacle = -1};
    s->def.name = s->def.measures = NULL;
    if (!s->name) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    s->word = sensor_word_of(from->measures);
    s->n_each = s->word->n;
    s->unit = s->word->unit;
    const td_status status =
        (sensor_estimate_of(from->measures) ? find_estimate : find_measured)(system, from, s, err);
    if (status) return status;
    hash_text(&h, from->name);
    s->stream = (unsigned)(h >> 32);
    s->n_channels = s->n_places * s->n_each;
    s->depth = (int)ceil(s->def.delay * s->def.rate * (1.0 - 1e-9)) + 2;
    return TD_OK;
}

// The strain at rest, as its pieces say.
static void strain_at_rest(const robot_rod *rod, double s, double out[6]) {
    int i = 0;
    for (; i + 1 < rod->n_pieces && s > rod->pieces[i].length; i++) s -= rod->pieces[i].length;
    memcpy(out, rod->pieces[i].rest_curvature, 3 * sizeof *out);
    memcpy(out + 3, rod->pieces[i].rest_stretch, 3 * sizeof *out);
}

static bool lines_at_rest(const td_system *system, const td_robot *robot, sensor *s) {
    s->at_rest = calloc((size_t)s->n_places, sizeof *s->at_rest);
    for (int p = 0; s->at_rest && s->word->what == SENSOR_GAUGE && p < s->n_places; p++) {
        double strain[6];
        vec3 r;
        const td_output o = sensor_output(system, s, p);
        strain_at_rest(&robot->rods[o.rod], o.s, strain);
        s->at_rest[p] = vec3_norm(line_under(s, strain, &r));
    }
    return s->at_rest;
}

td_status sensors_compile(td_system *system, const td_robot *robot, td_error *err) {
    td_status status = TD_OK;
    system->sensors = calloc((size_t)robot->n_sensors + 1, sizeof *system->sensors);
    if (!system->sensors) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    for (int i = 0; i < robot->n_sensors && !status; i++) {
        status = compile_one(system, &robot->sensors[i], &system->sensors[i], err);
        system->n_sensors++;
        if (!status && !lines_at_rest(system, robot, &system->sensors[i]))
            status = error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    }
    return status;
}

void sensors_release(td_system *system) {
    for (int i = 0; i < system->n_sensors; i++) {
        free(system->sensors[i].name);
        free(system->sensors[i].at_rest);
    }
    free(system->sensors);
}

void sensors_hash(hash *h, const td_system *system) {
    for (int i = 0; i < system->n_sensors; i++) {
        const sensor *s = &system->sensors[i];
        hash_text(h, s->name);
        hash_text(h, s->word->word);
        HASH_INTS(h, s->n_channels, s->depth, s->estimated, s->number);
        HASH_DOUBLES(h, s->def.rate, s->def.delay);
    }
}

// ---------------------------------------------------------------- memory
void sensors_layout(const td_system *system, arena *keep, arena *work, td_state *state) {
    const int n = system->n_sensors;
    state->sensors = ARENA_TAKE(work, sensor_memory, n);
    state->seed = ARENA_TAKE(keep, double, n > 0);
    for (int i = 0; i < n; i++) {
        const sensor *s = &system->sensors[i];
        const int points = s->word->what == SENSOR_ACCELEROMETER ? 3 * s->n_places : 0;
        const sensor_memory m = {.kept = ARENA_TAKE(keep, sensor_kept, 1),
                                 .reading = ARENA_TAKE(keep, double, 1 + s->n_channels),
                                 .pending = ARENA_TAKE(keep, double, s->depth *(1 + s->n_channels)),
                                 .drift = ARENA_TAKE(keep, double, s->n_channels),
                                 .velocity = ARENA_TAKE(keep, double, points),
                                 .mean = ARENA_TAKE(keep, double, points)};
        if (state->sensors) state->sensors[i] = m;
    }
}

void sensors_reset(const td_system *system, td_state *state) {
    if (system->n_sensors > 0) state->seed[0] = system->options.seed;
}

// ---------------------------------------------------------------- readings
static double rounded(double x, const td_sensor_def *d) {
    const bool ends = d->low < d->high;
    if (ends) x = fmin(fmax(x, d->low), d->high);
    if (d->quantum > 0.0) x = d->quantum * round(x / d->quantum);
    return (ends ? fmin(fmax(x, d->low), d->high) : x) + 0.0;  // no -0
}

// Number k of a reading; y holds the truth.
static void spoil(const sensor *s, const sensor_memory *m, double seed, double since, double *y) {
    const td_sensor_def *d = &s->def;
    const double sigma = sqrt(d->noise * d->noise + d->density * d->density * d->rate);
    const double walk = d->drift * sqrt(fmax(since, 0.0));
    for (int c = 0; c < s->n_channels; c++) {
        double n[2] = {0.0, 0.0};
        if (sigma > 0.0 || walk > 0.0)
            random_normals((uint64_t)seed, (uint64_t)s->stream << 32 | (uint64_t)c,
                           (uint64_t)m->kept->taken, n);
        m->drift[c] += walk * n[1];
        y[c] = rounded(y[c] + d->bias + m->drift[c] + sigma * n[0], d);
    }
}

static void take(const td_system *system, td_state *state, int i) {
    const sensor *s = &system->sensors[i];
    const sensor_memory *m = &state->sensors[i];
    const double t = state->clock->time;
    const int wide = 1 + s->n_channels;
    double *to = m->pending + wide * ((int)fmod(m->kept->taken, s->depth));
    td_get_sensor_truth(system, state, i, to + 1);
    spoil(s, m, state->seed[0], m->kept->taken > 0.0 ? t - m->kept->last : 0.0, to + 1);
    to[0] = t;
    m->kept->last = t;
    m->kept->taken += 1.0;
}

// Times round: instants this close are one.
static double slack_of(const sensor *s, double t) {
    return 1e-12 * fabs(t) + (s->def.rate > 0.0 ? 1e-6 / s->def.rate : 0.0);
}

static void deliver(const sensor *s, const sensor_memory *m, double now) {
    const int wide = 1 + s->n_channels;
    while (m->kept->arrived < m->kept->taken) {
        const double *from = m->pending + wide * ((int)fmod(m->kept->arrived, s->depth));
        if (from[0] + s->def.delay > now + slack_of(s, now)) return;
        memcpy(m->reading, from, sizeof *from * (size_t)wide);
        m->kept->arrived += 1.0;
    }
}

static void plan_next(const sensor *s, const sensor_memory *m, double t) {
    const double rate = s->def.rate;
    m->kept->next = rate > 0.0 ? (floor((t + slack_of(s, t)) * rate) + 1.0) / rate : t;
}

static void follow_one(const td_system *system, td_state *state, int i) {
    const sensor *s = &system->sensors[i];
    const sensor_memory *m = &state->sensors[i];
    const double t = state->clock->time;
    if (t >= m->kept->next - slack_of(s, t)) {
        if (m->kept->taken - m->kept->arrived >= s->depth) m->kept->arrived += 1.0;  // overrun
        take(system, state, i);
        plan_next(s, m, t);
    }
    deliver(s, m, t);
}

// ---------------------------------------------------------------- accelerations
static bool is_accelerometer(const sensor *s) {
    return s->obstacle < 0 && s->word->what == SENSOR_ACCELEROMETER;
}

void sensor_velocities(const td_system *system, const td_state *state, int i, double *v) {
    const sensor *s = &system->sensors[i];
    for (int k = 0; k < s->n_places; k++) {
        double both[6];
        td_output o = sensor_output(system, s, k);
        o.quantity = TD_OUTPUT_VELOCITY;
        observe_one(system, state, &o, &(td_pose){.q = {1.0}}, both);
        memcpy(v + 3 * k, both + 3, 3 * sizeof *v);
    }
}

static double mean_of(double now, double before, double span) {
    return span > 0.0 ? (now - before) / span : 0.0;
}

void sensor_accelerate(const td_system *system, td_state *state, int i, const double *before,
                       double span) {
    const sensor_memory *m = &state->sensors[i];
    m->kept->span = span;
    sensor_velocities(system, state, i, m->mean);
    for (int k = 0; k < 3 * system->sensors[i].n_places; k++)
        m->mean[k] = mean_of(m->mean[k], before[k], span);
}

static void accelerate(const td_system *system, td_state *state, int i, bool rests) {
    const sensor_memory *m = &state->sensors[i];
    const double dt = state->clock->time - m->kept->ended;
    const bool known = m->kept->moving != 0.0 && dt > 0.0 && !rests;
    if (is_accelerometer(&system->sensors[i])) {
        m->kept->span = known ? dt : 0.0;
        sensor_velocities(system, state, i, m->mean);
        for (int k = 0; k < 3 * system->sensors[i].n_places; k++) {
            const double now = m->mean[k];
            m->mean[k] = mean_of(now, m->velocity[k], m->kept->span);
            m->velocity[k] = now;
        }
    }
    m->kept->ended = state->clock->time;
    m->kept->moving = 1.0;
}

void sensors_placed(const td_system *system, td_state *state) {
    for (int i = 0; i < system->n_sensors; i++) {
        const sensor_memory *m = &state->sensors[i];
        if (!is_accelerometer(&system->sensors[i])) continue;
        sensor_velocities(system, state, i, m->velocity);
        m->kept->ended = state->clock->time;
        m->kept->moving = 1.0;
    }
}

// Of the estimator, where there is none to read: it is itself what steps.
static bool is_blind(const td_system *system, const td_state *state, int i) {
    return system->sensors[i].estimated &&
           (!state->watch.estimator || state->watch.kept->begun == 0.0);
}

void sensors_follow(const td_system *system, td_state *state, bool estimated) {
    for (int i = 0; i < system->n_sensors; i++) {
        if (system->sensors[i].estimated != estimated || is_blind(system, state, i)) continue;
        accelerate(system, state, i, false);
        follow_one(system, state, i);
    }
}

void sensors_at_rest(const td_system *system, td_state *state, bool estimated) {
    for (int i = 0; i < system->n_sensors; i++) {
        const sensor *s = &system->sensors[i];
        const sensor_memory *m = &state->sensors[i];
        if (s->estimated != estimated || is_blind(system, state, i)) continue;
        accelerate(system, state, i, true);
        m->kept->arrived = m->kept->taken;  // what was on its way is overtaken
        take(system, state, i);
        memcpy(m->reading,
               m->pending + (1 + s->n_channels) * ((int)fmod(m->kept->arrived, s->depth)),
               sizeof *m->reading * (size_t)(1 + s->n_channels));
        m->kept->arrived = m->kept->taken;
        plan_next(s, m, state->clock->time);
    }
}

// One that is due stays so; the others wait for the next multiple by the new clock.
void sensors_set_time(const td_system *system, td_state *state, double now, double t) {
    for (int i = 0; i < system->n_sensors; i++) {
        const sensor *s = &system->sensors[i];
        const sensor_memory *m = &state->sensors[i];
        const bool due = now >= m->kept->next - slack_of(s, now);
        plan_next(s, m, t);
        if (due) m->kept->next = t;
        m->kept->last += t - now, m->kept->ended += t - now;
        m->reading[0] += t - now;
        for (int k = 0; k < s->depth; k++) m->pending[k * (1 + s->n_channels)] += t - now;
    }
}

// ---------------------------------------------------------------- the truth
static vec3 gravity_now(const td_system *system, const td_state *state) {
    double g[3];
    for (int k = 0; k < 3; k++) g[k] = number_value(system->gravity[k], state->inputs_before);
    return vec3_load(g);
}

// A vector of the world in the axes of the point.
static void put_in_body(const td_system *system, const td_state *state, td_output o, vec3 x,
                        const sensor *s, double *y) {
    double turned[3];
    const td_pose pose = sample_of_output(system, state, &o).pose;
    vec3_store(turned, quat_rotate(quat_conj(quat_load(pose.q)), x));
    for (int c = 0; c < s->n_each; c++) y[c] = turned[s->first + c];
}

// In the order of the words of sensors.
static double of_drive(const td_system *system, const td_state *state, int index, int which) {
    const td_drive_state d = td_get_drive(system, state, index);
    const double numbers[] = {d.angle, d.speed, d.current, d.torque, d.flow, d.flow};
    return numbers[which];
}

static void truth_at(const td_system *system, const td_state *state, int i, int place, double *y) {
    const sensor *s = &system->sensors[i];
    td_output o = sensor_output(system, s, place);
    const td_pose origin = {.q = {1.0}};
    double all[6] = {0.0};
    switch (s->word->what) {
    case SENSOR_OUTPUT:
        observe_one(system, state, &o, &origin, all);
        memcpy(y, all + s->first, sizeof *y * (size_t)s->n_each);
        return;
    case SENSOR_GAUGE: {
        o.quantity = TD_OUTPUT_STRAIN;
        observe_one(system, state, &o, &origin, all);
        const gauge_line g = gauge_at(s, place, all);
        y[0] = vec3_norm(g.w) / g.at_rest - 1.0;
        return;
    }
    case SENSOR_GYRO:
        o.quantity = TD_OUTPUT_VELOCITY;
        observe_one(system, state, &o, &origin, all);
        put_in_body(system, state, o, vec3_load(all), s, y);
        return;
    case SENSOR_ACCELEROMETER: {
        const vec3 a = vec3_load(state->sensors[i].mean + 3 * place);
        put_in_body(system, state, o, vec3_sub(a, gravity_now(system, state)), s, y);
        return;
    }
    case SENSOR_SUPPLIED: y[0] = td_get_actuator(system, state, o.actuator).supplied; return;
    case SENSOR_DRIVE: y[0] = of_drive(system, state, o.actuator, s->first); return;
    case SENSOR_NUMBER: y[0] = 0.0; return;
    case SENSOR_OBSTACLE: return;
    }
}

void sensor_truth(const td_system *system, const td_state *state, int index, double *reading) {
    const sensor *s = &system->sensors[index];
    if (s->obstacle >= 0) {
        const td_reaction w = td_get_obstacle_wrench(system, state, s->obstacle);
        memcpy(reading, w.force + s->first, sizeof *reading * (size_t)s->n_each);
        return;
    }
    for (int p = 0; p < s->n_places; p++)
        truth_at(system, state, index, p, reading + p * s->n_each);
}

td_status td_get_sensor_truth(const td_system *system, const td_state *state, int index,
                              double *reading) {
    if (index < 0 || index >= system->n_sensors) return TD_ERR_ARGUMENT;
    const bool estimated = system->sensors[index].estimated && state->watch.estimator;
    (estimated ? watch_get_sensor : sensor_truth)(system, state, index, reading);
    return TD_OK;
}

// ---------------------------------------------------------------- public
int td_n_sensors(const td_system *system) {
    return system->n_sensors;
}

static const sensor *sensor_at(const td_system *system, int index) {
    return index >= 0 && index < system->n_sensors ? &system->sensors[index] : NULL;
}

const char *td_sensor_name(const td_system *system, int index) {
    const sensor *s = sensor_at(system, index);
    return s ? s->name : NULL;
}

int td_find_sensor(const td_system *system, const char *name) {
    for (int i = 0; i < system->n_sensors; i++)
        if (strcmp(system->sensors[i].name, name) == 0) return i;
    return -1;
}

int td_sensor_channels(const td_system *system, int index) {
    const sensor *s = sensor_at(system, index);
    return s ? s->n_channels : 0;
}

const char *td_sensor_unit(const td_system *system, int index) {
    const sensor *s = sensor_at(system, index);
    return s ? s->unit : NULL;
}

const char *td_sensor_channel(const td_system *system, int index, int channel, char *text,
                              size_t size) {
    const sensor *s = sensor_at(system, index);
    if (size > 0) text[0] = '\0';
    if (!s || channel < 0 || channel >= s->n_channels) return text;
    const int place = channel / s->n_each, axis = channel % s->n_each;
    char at[16] = "", component[4] = "";
    if (s->n_places > 1) snprintf(at, sizeof at, ".%d", place + 1);
    if (s->n_each > 1) snprintf(component, sizeof component, ".%c", "xyz"[axis % 3]);
    snprintf(text, size, "%s%s%s", s->name, at, component);
    return text;
}

int td_get_sensor(const td_system *system, const td_state *state, int index, double *reading,
                  double *taken) {
    const sensor *s = sensor_at(system, index);
    if (!s) return 0;
    const sensor_memory *m = &state->sensors[index];
    if (reading) memcpy(reading, m->reading + 1, sizeof *reading * (size_t)s->n_channels);
    if (taken) *taken = m->reading[0];
    return (int)m->kept->arrived;
}

td_status td_read_sensors(const td_system *system, td_state *state) {
    state_begin(system, state);
    const bool begun = state->watch.estimator && state->watch.kept->begun != 0.0;
    td_status status = begun ? TD_OK : watch_begin(system, state, false);
    sensors_at_rest(system, state, false);
    if (status >= 0) status = watch_follow(system, state);
    if (status >= 0) sensors_at_rest(system, state, true);
    return state_finish(system, state, status);
}

td_status td_set_seed(const td_system *system, td_state *state, double seed) {
    state->message[0] = '\0';
    if (!(seed >= 0.0 && seed <= 0x1p53) || seed != floor(seed))
        return tell(state->message, TD_ERR_ARGUMENT, "seed: %g must be a whole number, 0 to 2^53",
                    seed);
    if (system->n_sensors > 0) state->seed[0] = seed;
    return TD_OK;
}
