// sim/controller.c - controllers: when they act, what they say, and how long that holds.
//
// One acts where a step begins, at multiples of its period, on readings that are there; what it says is held from its delay later on until the
// next. A step takes its inputs at its end, so that what is said at t_k without delay is u+ of the step to t_k+1.
#include "sim/controller.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/box_qp.h"
#include "math/dense.h"
#include "sim/linearise.h"
#include "sim/sensor.h"
#include "sim/watch.h"

#define DAMPING 1e-3  // of the pseudoinverse, by the size of the Jacobian

// ---------------------------------------------------------------- from names to numbers
static td_status refuse(const robot_controller *from, const char *key, td_error *err,
                        const char *what, const char *why) {
    char where[192];
    snprintf(where, sizeof where, "controllers.%.120s.%s", from->name, key);
    return error_set(err, TD_ERR_VALUE, where, "'%.60s': %s", what, why);
}

// The sensor and channel of "camera.x"; all of "camera", channel -1.
static bool find_channel(const td_system *system, const char *name, int *which, int *channel) {
    char text[192];
    for (int i = 0; i < system->n_sensors; i++) {
        *which = i;
        for (*channel = 0; *channel < td_sensor_channels(system, i); ++*channel)
            if (!strcmp(td_sensor_channel(system, i, *channel, text, sizeof text), name))
                return true;
        *channel = -1;
        if (!strcmp(td_sensor_name(system, i), name)) return true;
    }
    return false;
}

// "t", then all channels of all sensors, and all inputs.
static int n_variables(const td_system *system) {
    int n = 1 + system->n_inputs;
    for (int i = 0; i < system->n_sensors; i++) n += td_sensor_channels(system, i);
    return n;
}

static const char *formulas_key(td_controller_kind kind) {
    return kind == TD_CONTROLLER_PID               ? "pid.reference"
           : kind == TD_CONTROLLER_TRACK           ? "track.path"
           : kind == TD_CONTROLLER_COMPUTED_TORQUE ? "computed_torque.reference"
                                                   : "formula";
}

static td_status parse_formulas(const td_system *system, const robot_controller *from,
                                controller *c, td_error *err) {
    const int n = n_variables(system);
    char(*text)[192] = calloc((size_t)n, sizeof *text);
    const char **names = calloc((size_t)n, sizeof *names);
    td_status status = text && names ? TD_OK : error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    int at = 0;
    if (!status) snprintf(text[at++], sizeof *text, "t");
    for (int i = 0; !status && i < system->n_sensors; i++)
        for (int k = 0; k < td_sensor_channels(system, i); k++)
            td_sensor_channel(system, i, k, text[at++], sizeof *text);
    for (int i = 0; !status && i < system->n_inputs; i++)
        snprintf(text[at++], sizeof *text, "%s", system->inputs[i].name);
    for (int i = 0; !status && i < n; i++) names[i] = text[i];
    const formula_names known = {.names = names, .n = n, .time = -1};
    for (int i = 0; !status && i < from->def.n_formulas; i++) {
        formula_error wrong = {0};
        char why[FORMULA_WHY + 32];
        if (formula_parse(from->def.formulas[i], &known, &c->formulas[i], &wrong)) continue;
        snprintf(why, sizeof why, "at %d: %s", wrong.at + 1, wrong.why);
        status = refuse(from, formulas_key(from->def.kind), err, from->def.formulas[i], why);
    }
    free(text);
    free(names);
    return status;
}

static td_status find_sensor_of(const td_system *system, const robot_controller *from,
                                controller *c, td_error *err) {
    const char *name = from->def.sensor;
    const char *key = from->def.kind == TD_CONTROLLER_PID ? "pid.sensor" : "track.sensor";
    c->sensor = -1;
    if (!name) return TD_OK;
    if (!find_channel(system, name, &c->sensor, &c->channel))
        return refuse(from, key, err, name, "there is no such sensor or channel");
    const int n = td_sensor_channels(system, c->sensor);
    if (from->def.kind == TD_CONTROLLER_PID && c->channel < 0)
        return refuse(from, key, err, name, "it has several channels; name one, like .x");
    if (from->def.kind == TD_CONTROLLER_TRACK && (c->channel >= 0 || n != 3))
        return refuse(from, key, err, name, "a sensor of a position is expected");
    return TD_OK;
}

static td_status find_point(const td_system *system, const robot_controller *from, controller *c,
                            td_error *err) {
    char name[160];
    td_named_output found;
    td_error why = {0};
    if (from->def.kind != TD_CONTROLLER_TRACK) return TD_OK;
    snprintf(name, sizeof name, "%.120s.x", from->def.point);
    if (td_find_output(system, name, &found, &why) < 0)
        return refuse(from, "track.point", err, from->def.point, why.message);
    c->part = (td_jacobian_part){.body = found.output.body,
                                 .rod = found.output.rod,
                                 .s = found.output.s,
                                 .position_only = true,
                                 .inputs = c->def.inputs,
                                 .n_inputs = c->def.n_inputs};
    return TD_OK;
}

static td_status check_gain(const td_system *system, const robot_controller *from, td_error *err) {
    const td_controller_def *d = &from->def;
    char why[128], given[32];
    const int n = 2 * td_n_coordinates(system);
    if (d->kind != TD_CONTROLLER_FEEDBACK || d->n_columns == n || d->n_columns == n + d->n_inputs)
        return TD_OK;
    snprintf(given, sizeof given, "%d columns", d->n_columns);
    snprintf(
        why, sizeof why,
        "%d are expected, one for each coordinate and each rate, or %d with what was said last", n,
        n + d->n_inputs);
    return refuse(from, "feedback.gain", err, given, why);
}

// The coordinates that follow, and what the inputs drive.
static td_status find_torque(const td_system *system, const robot_controller *from, controller *c,
                             td_error *err) {
    const td_controller_def *d = &from->def;
    const int n = td_n_coordinates(system);
    if (d->kind != TD_CONTROLLER_COMPUTED_TORQUE) return TD_OK;
    if (!system->model->finds_efforts && !follow_is_there(system))
        return refuse(from, "computed_torque", err, system->model->name,
                      "the coordinates of the model are no plain numbers that move freely; those "
                      "of constant_curvature and rom are");
    for (int k = 0; k < system->n_actuators; k++)
        if (actuator_is_driven(&system->actuators[k]))
            return refuse(from, "computed_torque", err, system->actuators[k].name,
                          "it has a motor or a valve, and efforts that are found would not reach "
                          "it; let a pid give its command");
    c->follows = malloc(sizeof *c->follows * ((size_t)n + 1));
    c->actuators = malloc(sizeof *c->actuators * ((size_t)d->n_inputs + 1));
    if (!c->follows || !c->actuators) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    for (int k = 0; k < n; k++) c->follows[k] = -1;
    for (int i = 0; i < d->n_formulas; i++) {
        int found = 0;
        for (int k = 0; k < n; k++)
            if (coordinate_matches(d->coordinates[i], td_coordinate_name(system, k)))
                c->follows[k] = i, found++;
        if (found == 0)
            return refuse(from, "computed_torque.reference", err, d->coordinates[i],
                          "the model has no such coordinate");
    }
    for (int i = 0; i < d->n_inputs; i++) {
        c->actuators[i] = -1;
        for (int k = 0; k < system->n_actuators; k++) {
            const actuator *a = &system->actuators[k];
            if (a->control == CONTROL_EFFORT && a->value.input == d->inputs[i] &&
                a->value.gain != 0.0)
                c->actuators[i] = k;
        }
        if (c->actuators[i] < 0)
            return refuse(from, "inputs", err, system->inputs[d->inputs[i]].name,
                          "no tendon or chamber has its effort from this input");
    }
    return TD_OK;
}

static void *copy_of(const void *from, size_t bytes) {
    void *to = malloc(bytes + 1);
    if (to && from) memcpy(to, from, bytes);
    return to;
}

static td_status compile_one(const td_system *system, const robot_controller *from, controller *c,
                             td_error *err) {
    const td_controller_def *d = &from->def;
    *c = (controller){.name = strdup(from->name), .def = *d};
    c->def.name = c->def.sensor = c->def.point = NULL;
    c->def.formulas = c->def.coordinates = NULL;
    c->def.inputs = copy_of(d->inputs, sizeof(int) * (size_t)d->n_inputs);
    const size_t gains = d->gain ? (size_t)d->n_inputs * (size_t)d->n_columns : 0;
    c->def.gain = copy_of(d->gain, sizeof(double) * gains);
    c->formulas = calloc((size_t)d->n_formulas + 1, sizeof *c->formulas);
    if (!c->name || !c->def.inputs || !c->def.gain || !c->formulas)
        return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    c->depth = d->period > 0.0 ? (int)ceil(d->delay / d->period * (1.0 - 1e-9)) + 2 : 2;
    td_status status = find_sensor_of(system, from, c, err);
    if (!status) status = parse_formulas(system, from, c, err);
    if (!status) status = find_point(system, from, c, err);
    if (!status) status = find_torque(system, from, c, err);
    return status ? status : check_gain(system, from, err);
}

td_status controllers_compile(td_system *system, const td_robot *robot, td_error *err) {
    td_status status = TD_OK;
    system->controllers = calloc((size_t)robot->n_controllers + 1, sizeof *system->controllers);
    if (!system->controllers) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    for (int i = 0; i < robot->n_controllers && !status; i++) {
        system->n_controllers++;
        status = compile_one(system, &robot->controllers[i], &system->controllers[i], err);
    }
    return status;
}

void controllers_release(td_system *system) {
    for (int i = 0; i < system->n_controllers; i++) {
        controller *c = &system->controllers[i];
        free(c->name);
        free((int *)c->def.inputs);
        free((double *)c->def.gain);
        free(c->formulas);
        free(c->follows);
        free(c->actuators);
    }
    free(system->controllers);
}

void controllers_hash(hash *h, const td_system *system) {
    for (int i = 0; i < system->n_controllers; i++) {
        const controller *c = &system->controllers[i];
        hash_text(h, c->name);
        HASH_INTS(h, (int)c->def.kind, c->def.n_inputs, c->def.n_columns, c->depth,
                  c->def.estimated);
        HASH_DOUBLES(h, c->def.period, c->def.delay);
    }
}

// ---------------------------------------------------------------- memory
// The Jacobian; with limits H, g, ends and scratch of the quadratic program.
static int track_doubles(int m) {
    return 3 * m + m * m + 4 * m + (int)box_qp_doubles(m);
}

static int most_doubles(const td_system *system, const td_controller_def *d) {
    return system->model->finds_efforts ? system->n_actuators : follow_doubles(system, d->n_inputs);
}

void controllers_layout(const td_system *system, arena *keep, arena *work, td_state *state) {
    const int n = system->n_controllers;
    state->controllers = ARENA_TAKE(work, controller_memory, n);
    int widest = 0;
    for (int i = 0; i < n; i++) {
        const td_controller_def *d = &system->controllers[i].def;
        const bool feeds = d->kind == TD_CONTROLLER_FEEDBACK;
        const int n_q = d->kind == TD_CONTROLLER_COMPUTED_TORQUE ? td_n_coordinates(system) : 0;
        const controller_memory m = {
            .kept = ARENA_TAKE(keep, controller_kept, 1),
            .said = ARENA_TAKE(keep, double, d->n_inputs),
            .pending = ARENA_TAKE(keep, double, system->controllers[i].depth *(1 + d->n_inputs)),
            .rest = ARENA_TAKE(keep, double, feeds ? d->n_columns : 2 * n_q),
            .followed = ARENA_TAKE(keep, double, d->n_inputs)};
        if (state->controllers) state->controllers[i] = m;
        const int wide = feeds     ? d->n_columns
                         : n_q > 0 ? 3 * n_q + most_doubles(system, d)
                                   : track_doubles(d->n_inputs);
        if (wide > widest) widest = wide;
    }
    state->beyond = ARENA_TAKE(keep, double, n > 0 ? system->n_inputs : 0);
    state->variables = ARENA_TAKE(work, double, n > 0 ? n_variables(system) : 0);
    state->control = ARENA_TAKE(work, double, widest);
}

// The truth, or what the estimator believes.
static void coordinates_of(const td_system *system, const td_state *state, const controller *c,
                           double *x) {
    const int n = td_n_coordinates(system);
    if (c->def.estimated && state->watch.estimator) watch_get_coordinates(system, state, x);
    else if (n > 0) solver_get_coordinates(system, state, x, x + n);
}

static void start_anew(const controller *c, const controller_memory *m, double next) {
    *m->kept =
        (controller_kept){.off = m->kept->off, .known = m->kept->known, .next = next, .last = next};
    memset(m->said, 0, sizeof *m->said * (size_t)c->def.n_inputs);
    memset(m->followed, 0, sizeof *m->followed * (size_t)c->def.n_inputs);
}

static void none_beyond(const td_system *system, td_state *state) {
    const int n = system->n_controllers > 0 ? system->n_inputs : 0;
    for (int i = 0; i < n; i++) state->beyond[i] = 0.0;
}

void controllers_at_rest(const td_system *system, td_state *state) {
    for (int i = 0; i < system->n_controllers; i++) {
        const controller *c = &system->controllers[i];
        controller_memory *m = &state->controllers[i];
        start_anew(c, m, state->clock->time);
        m->kept->known = 1.0;
        if (c->def.kind == TD_CONTROLLER_FEEDBACK || c->def.kind == TD_CONTROLLER_COMPUTED_TORQUE)
            coordinates_of(system, state, c, m->rest);
    }
    none_beyond(system, state);
}

// ---------------------------------------------------------------- what each kind says
static void read_variables(const td_system *system, const td_state *state, double *to) {
    *to++ = state->clock->time;
    for (int i = 0; i < system->n_sensors; i++) {
        td_get_sensor(system, state, i, to, NULL);
        to += td_sensor_channels(system, i);
    }
    memcpy(to, state->inputs_before, sizeof *to * (size_t)system->n_inputs);
}

static double within(const td_controller_def *d, double u) {
    return d->low < d->high ? fmin(fmax(u, d->low), d->high) : u;
}

// Where a formula is not finite it says 0.
static double value_of(const formula *f, const double *variables) {
    const double v = formula_value(f, variables);
    return isfinite(v) ? v : 0.0;
}

// Would more of it drive it, or all inputs that it adds to, farther beyond limits?
static bool drives_beyond(const controller *c, const td_state *state, double u, double more) {
    const td_controller_def *d = &c->def;
    bool all = true;
    for (int i = 0; i < d->n_inputs; i++) all = all && more * state->beyond[d->inputs[i]] > 0.0;
    return all || (within(d, u) != u && more * (u - within(d, u)) >= 0.0);
}

static void say_pid(const controller *c, const td_state *state, controller_kept *k, double *u) {
    const td_controller_def *d = &c->def;
    const double e = value_of(&c->formulas[0], state->variables) -
                     state->sensors[c->sensor].reading[1 + c->channel];
    const double dt = k->acted > 0.0 ? state->clock->time - k->last : 0.0;
    if (dt > 0.0) {
        const double share = dt / (dt + d->filter);  // backward Euler of filter s' + s = de/dt
        k->slope += share * ((e - k->error) / dt - k->slope);
    }
    const double plain = d->proportional * e + d->derivative * k->slope;
    const double more = d->integral * e * dt, whole = plain + k->integral + more;
    if (!drives_beyond(c, state, whole, more)) k->integral += more;
    k->error = e;
    for (int i = 0; i < d->n_inputs; i++) u[i] = plain + k->integral;
}

static void say_feedback(const td_system *system, const td_state *state, const controller *c,
                         const controller_memory *m, double *u) {
    const td_controller_def *d = &c->def;
    const int n = 2 * td_n_coordinates(system);
    double *x = state->control;
    coordinates_of(system, state, c, x);
    if (m->kept->known == 0.0) memcpy(m->rest, x, sizeof *x * (size_t)n), m->kept->known = 1.0;
    for (int k = 0; k < n; k++) x[k] -= m->rest[k];
    for (int k = n; k < d->n_columns; k++) x[k] = m->said[k - n];
    for (int i = 0; i < d->n_inputs; i++) {
        double sum = 0.0;
        for (int k = 0; k < d->n_columns; k++)
            sum -= d->gain[(size_t)i * (size_t)d->n_columns + (size_t)k] * x[k];
        u[i] = sum;
    }
}

// J' (J J' + l^2)^-1 v, l by the size of J: bounded where the point cannot move that way.
static void add_damped(int m, const double *J, const double v[3], double dt, double *u) {
    double S[9] = {0}, x[3] = {v[0], v[1], v[2]}, size = 0.0;
    int pivots[3];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int k = 0; k < m; k++) S[3 * a + b] += J[a * m + k] * J[b * m + k];
    for (int a = 0; a < 3; a++) size += S[4 * a];
    for (int a = 0; a < 3; a++) S[4 * a] += DAMPING * DAMPING * size;
    if (!(size > 0.0) || !lu_factor(3, S, pivots)) return;
    lu_solve(3, S, pivots, x);
    for (int k = 0; k < m; k++) u[k] += dt * (J[k] * x[0] + J[m + k] * x[1] + J[2 * m + k] * x[2]);
}

// The same where inputs have ends: the least of |J du - v dt|^2 + l^2 |du|^2 between them. At an end others take over.
static void add_bounded(const td_system *system, const td_state *state, const controller *c,
                        const double v[3], double dt, double *followed) {
    const td_controller_def *d = &c->def;
    const int m = d->n_inputs;
    double *J = state->control, *H = J + 3 * m, *g = H + m * m, *low = g + m, *high = low + m;
    double *du = high + m, size = 0.0;
    for (int k = 0; k < 3 * m; k++) size += J[k] * J[k];
    if (!(size > 0.0)) return;
    for (int i = 0; i < m; i++) {
        const robot_input *in = &system->inputs[d->inputs[i]];
        const double now = state->inputs_before[d->inputs[i]];
        low[i] = -HUGE_VAL, high[i] = HUGE_VAL, du[i] = 0.0;
        if (in->rate > 0.0) low[i] = -in->rate * dt, high[i] = in->rate * dt;
        if (in->low < in->high)
            low[i] = fmax(low[i], in->low - now), high[i] = fmin(high[i], in->high - now);
        if (d->low < d->high) {
            low[i] = fmax(low[i], d->low - followed[i]);
            high[i] = fmin(high[i], d->high - followed[i]);
        }
        if (low[i] > high[i]) low[i] = high[i] = 0.5 * (low[i] + high[i]);
        g[i] = -dt * (J[i] * v[0] + J[m + i] * v[1] + J[2 * m + i] * v[2]);
        for (int k = 0; k < m; k++)
            H[i * m + k] = J[i] * J[k] + J[m + i] * J[m + k] + J[2 * m + i] * J[2 * m + k];
        H[i * m + i] += DAMPING * DAMPING * size;
    }
    if (box_qp(m, H, g, low, high, du, du + m) < 0) return;
    for (int i = 0; i < m; i++) followed[i] += du[i];
}

static bool has_limits(const td_system *system, const td_controller_def *d) {
    bool some = d->low < d->high;
    for (int i = 0; i < d->n_inputs; i++) {
        const robot_input *in = &system->inputs[d->inputs[i]];
        some = some || in->low < in->high || in->rate > 0.0;
    }
    return some;
}

// Its rate is that along the time alone: readings are held.
static jet path_at(const formula *f, const double *variables) {
    return formula_along(f, variables, 0, TD_AFTER);
}

static void say_track(const td_system *system, td_state *state, const controller *c,
                      const controller_memory *m, double *u) {
    const td_controller_def *d = &c->def;
    const double dt = m->kept->acted > 0.0 ? state->clock->time - m->kept->last : 0.0;
    const td_output o = {.body = c->part.body, .rod = c->part.rod, .s = c->part.s};
    const td_pose pose = sample_of_output(system, state, &o).pose;
    const double *p = c->sensor >= 0 ? state->sensors[c->sensor].reading + 1 : pose.p;
    double v[3];
    for (int a = 0; a < 3; a++) {
        const jet wanted = path_at(&c->formulas[a], state->variables);
        v[a] = wanted.d + d->proportional * (wanted.v - p[a]);
        if (!isfinite(v[a])) v[a] = 0.0;
    }
    if (dt > 0.0 && td_get_jacobian_part(system, state, &c->part, state->control) >= 0) {
        if (has_limits(system, d)) add_bounded(system, state, c, v, dt, m->followed);
        else add_damped(d->n_inputs, state->control, v, dt, m->followed);
    }
    memcpy(u, m->followed, sizeof *u * (size_t)d->n_inputs);
}

// Efforts that make q'' = r'' + derivative (r' - q') + proportional (r - q), less what signals give.
static void say_torque(const td_system *system, td_state *state, const controller *c,
                       const controller_memory *m, double *u) {
    const td_controller_def *d = &c->def;
    const int n = td_n_coordinates(system);
    double *q = state->control, *v = q + n, *a = v + n, *efforts = a + n;
    coordinates_of(system, state, c, q);
    if (m->kept->known == 0.0)
        memcpy(m->rest, q, sizeof *q * (size_t)(2 * n)), m->kept->known = 1.0;
    for (int k = 0; k < n; k++) {
        jet r = {.v = m->rest[k]};
        if (c->follows[k] >= 0) r = path_at(&c->formulas[c->follows[k]], state->variables);
        a[k] = r.dd + d->derivative * (r.d - v[k]) + d->proportional * (r.v - q[k]);
        if (!isfinite(a[k])) a[k] = 0.0;
    }
    const bool all = system->model->finds_efforts;
    const double since = m->kept->acted > 0.0 ? state->clock->time - m->kept->last : 0.0;
    const double period = d->period > 0.0 ? d->period : since;
    const bool found = all ? efforts_from_here(system, state, q, v, a, efforts) >= 0
                           : follow_find(system, state, c, q, v, period, a, efforts, u);
    for (int i = 0; i < d->n_inputs; i++) {
        const actuator *by = &system->actuators[c->actuators[i]];
        const double signal =
            td_signal_value(&system->inputs[d->inputs[i]].signal, state->clock->time, TD_AFTER);
        if (all && found) u[i] = (efforts[c->actuators[i]] - by->value.value) / by->value.gain;
        u[i] = found ? u[i] - signal : m->said[i];
    }
}

static void say(const td_system *system, td_state *state, int i, double *u) {
    const controller *c = &system->controllers[i];
    controller_memory *m = &state->controllers[i];
    const td_controller_def *d = &c->def;
    for (int k = 0; k < d->n_inputs; k++) u[k] = 0.0;
    switch (d->kind) {
    case TD_CONTROLLER_PID: say_pid(c, state, m->kept, u); break;
    case TD_CONTROLLER_FORMULA:
        for (int k = 0; k < d->n_inputs; k++) u[k] = value_of(&c->formulas[k], state->variables);
        break;
    case TD_CONTROLLER_FEEDBACK: say_feedback(system, state, c, m, u); break;
    case TD_CONTROLLER_TRACK: say_track(system, state, c, m, u); break;
    case TD_CONTROLLER_COMPUTED_TORQUE: say_torque(system, state, c, m, u); break;
    case TD_CONTROLLER_CALLBACK:
        if (m->function) m->function(system, state, state->clock->time, u, d->n_inputs, m->context);
        break;
    }
    for (int k = 0; k < d->n_inputs; k++) u[k] = isfinite(u[k]) ? within(d, u[k]) : 0.0;
}

// ---------------------------------------------------------------- when
static double slack_of(const controller *c, double t) {
    return 1e-12 * fabs(t) + 1e-6 * c->def.period;
}

static double *pending_at(const controller *c, const controller_memory *m, double number) {
    return m->pending + (1 + c->def.n_inputs) * ((int)fmod(number, c->depth));
}

// Of its period, after t.
static double next_multiple(const controller *c, double t) {
    return c->def.period * (floor((t + slack_of(c, t)) / c->def.period) + 1.0);
}

static double next_after(const controller *c, double t) {
    return c->def.period > 0.0 ? next_multiple(c, t) : t;
}

static void act(const td_system *system, td_state *state, int i) {
    const controller *c = &system->controllers[i];
    const controller_memory *m = &state->controllers[i];
    const double t = state->clock->time;
    if (m->kept->given - m->kept->held >= c->depth) m->kept->held += 1.0;  // steps beyond a period
    double *to = pending_at(c, m, m->kept->given);
    say(system, state, i, to + 1);
    to[0] = t;
    m->kept->given += 1.0, m->kept->acted += 1.0, m->kept->last = t;
    m->kept->next = next_after(c, t);
}

static void hold(const controller *c, const controller_memory *m, double t) {
    while (m->kept->held < m->kept->given) {
        const double *from = pending_at(c, m, m->kept->held);
        if (from[0] + c->def.delay > t + slack_of(c, t)) return;
        memcpy(m->said, from + 1, sizeof *from * (size_t)c->def.n_inputs);
        m->kept->held += 1.0;
    }
}

void controllers_act(const td_system *system, td_state *state) {
    if (system->n_controllers == 0) return;
    const double t = state->clock->time;
    read_variables(system, state, state->variables);
    for (int i = 0; i < system->n_controllers; i++) {
        const controller *c = &system->controllers[i];
        const controller_memory *m = &state->controllers[i];
        const bool due = t >= m->kept->next - slack_of(c, t);
        if (due && m->kept->off != 0.0) m->kept->next = next_after(c, t);
        else if (due) act(system, state, i);
        hold(c, m, t);
    }
}

// One that is due stays so. One that has acted waits for the next multiple by the new clock, which may be now.
static double next_by(const controller *c, const controller_kept *k, double now, double t) {
    const double slack = slack_of(c, now);
    if (now >= k->next - slack || !(c->def.period > 0.0)) return t;
    const bool acted_now = k->acted > 0.0 && k->last >= now - slack;
    return next_multiple(c, acted_now ? t : t - 2.0 * slack_of(c, t));
}

void controllers_set_time(const td_system *system, td_state *state, double now, double t) {
    for (int i = 0; i < system->n_controllers; i++) {
        const controller *c = &system->controllers[i];
        const controller_memory *m = &state->controllers[i];
        m->kept->next = next_by(c, m->kept, now, t);
        m->kept->last += t - now;
        for (int k = 0; k < c->depth; k++) *pending_at(c, m, k) += t - now;
    }
}

// Between the ends of the input, and not faster than it may be.
static double limited(const td_system *system, const td_state *state, int input, double dt) {
    const robot_input *in = &system->inputs[input];
    double u = state->inputs[input];
    const double before = state->inputs_before[input];
    if (in->low < in->high) u = fmin(fmax(u, in->low), in->high);
    if (in->rate > 0.0 && dt > 0.0)
        u = fmin(fmax(u, before - in->rate * dt), before + in->rate * dt);
    return u;
}

void controllers_add(const td_system *system, td_state *state, double dt) {
    for (int i = 0; i < system->n_controllers; i++) {
        const td_controller_def *d = &system->controllers[i].def;
        const controller_memory *m = &state->controllers[i];
        for (int k = 0; k < d->n_inputs; k++) {
            if (m->kept->off == 0.0) state->inputs[d->inputs[k]] += m->said[k];
            state->rate_given[d->inputs[k]] = 0.0;  // it jumps: the change by the step is its rate
        }
    }
    none_beyond(system, state);
    for (int i = 0; i < system->n_controllers; i++) {
        const td_controller_def *d = &system->controllers[i].def;
        for (int k = 0; k < d->n_inputs; k++) {
            double *u = &state->inputs[d->inputs[k]];
            const double asked = *u;
            *u = limited(system, state, d->inputs[k], dt);
            state->beyond[d->inputs[k]] += asked - *u;
        }
    }
}

// ---------------------------------------------------------------- public
static const controller *controller_at(const td_system *system, int index) {
    return index >= 0 && index < system->n_controllers ? &system->controllers[index] : NULL;
}

int td_n_controllers(const td_system *system) {
    return system->n_controllers;
}

const char *td_controller_name(const td_system *system, int index) {
    const controller *c = controller_at(system, index);
    return c ? c->name : NULL;
}

int td_find_controller(const td_system *system, const char *name) {
    for (int i = 0; i < system->n_controllers; i++)
        if (strcmp(system->controllers[i].name, name) == 0) return i;
    return -1;
}

int td_controller_inputs(const td_system *system, int index, int *inputs) {
    const controller *c = controller_at(system, index);
    if (!c) return 0;
    if (inputs) memcpy(inputs, c->def.inputs, sizeof *inputs * (size_t)c->def.n_inputs);
    return c->def.n_inputs;
}

int td_get_controller(const td_system *system, const td_state *state, int index, double *said) {
    const controller *c = controller_at(system, index);
    if (!c) return 0;
    const controller_memory *m = &state->controllers[index];
    for (int k = 0; said && k < c->def.n_inputs; k++)
        said[k] = m->kept->off == 0.0 ? m->said[k] : 0.0;
    return c->def.n_inputs;
}

void td_apply_controllers(const td_system *system, td_state *state) {
    controllers_act(system, state);
    controllers_add(system, state, 0.0);
}

static td_status no_such(const td_system *system, td_state *state, int index) {
    state->message[0] = '\0';
    if (controller_at(system, index)) return TD_OK;
    return tell(state->message, TD_ERR_ARGUMENT, "controller %d: there are only %d", index,
                system->n_controllers);
}

td_status td_set_controller_on(const td_system *system, td_state *state, int index, bool on) {
    const td_status status = no_such(system, state, index);
    if (status < 0) return status;
    const controller_memory *m = &state->controllers[index];
    if (on && m->kept->off != 0.0) start_anew(&system->controllers[index], m, m->kept->next);
    m->kept->off = on ? 0.0 : 1.0;
    return TD_OK;
}

bool td_controller_is_on(const td_system *system, const td_state *state, int index) {
    return index >= 0 && index < system->n_controllers &&
           state->controllers[index].kept->off == 0.0;
}

td_status td_set_controller(const td_system *system, td_state *state, int index,
                            td_controller_function *function, void *context) {
    const td_status status = no_such(system, state, index);
    if (status < 0) return status;
    if (system->controllers[index].def.kind != TD_CONTROLLER_CALLBACK)
        return tell(state->message, TD_ERR_ARGUMENT, "controller '%s' is not a callback",
                    system->controllers[index].name);
    state->controllers[index].function = function;
    state->controllers[index].context = context;
    return TD_OK;
}
