// sim/sensor_slopes.c - how what sensors measure changes with the outputs that it is made of.
#include "sim/linearise.h"
#include "sim/sensor.h"

#include <math.h>
#include <string.h>

#include "environment/numbers.h"
#include "math/quat.h"
#include "math/turn.h"

// What has been taken in: with a motor as far as its spool turned; without, where the tension is given, rest - length + yield tension. A
// tendon that rubs and stretches does so by more than one tension.
static int quantities_of_supply(const actuator *a, td_quantity which[2]) {
    if (actuator_is_driven(a)) return which[0] = TD_OUTPUT_DRIVE, 1;
    if (actuator_rubs(a) && a->inverse_stiffness > 0.0) return 0;
    which[0] = TD_OUTPUT_MEASURE, which[1] = TD_OUTPUT_EFFORT;
    return a->yield > 0.0 ? 2 : 1;
}

// A gyro and an accelerometer turn with what they are on: pose and velocity count.
int sensor_quantities(const td_system *system, const sensor *s, td_quantity which[2]) {
    switch (s->obstacle >= 0 ? SENSOR_OBSTACLE : s->word->what) {
    case SENSOR_OUTPUT: return which[0] = s->output.quantity, 1;
    case SENSOR_GAUGE: return which[0] = TD_OUTPUT_STRAIN, 1;
    case SENSOR_GYRO:
    case SENSOR_ACCELEROMETER: return which[0] = TD_OUTPUT_POSE, which[1] = TD_OUTPUT_VELOCITY, 2;
    case SENSOR_DRIVE: return which[0] = TD_OUTPUT_DRIVE, 1;
    case SENSOR_SUPPLIED:
        return quantities_of_supply(&system->actuators[s->output.actuator], which);
    case SENSOR_OBSTACLE:
    case SENSOR_NUMBER: return 0;
    }
    return 0;
}

int sensor_outputs(const td_system *system, int index, td_output *outputs) {
    td_quantity which[2];
    const sensor *s = &system->sensors[index];
    const int n = sensor_quantities(system, s, which);
    for (int p = 0; outputs && p < s->n_places; p++)
        for (int k = 0; k < n; k++) {
            *outputs = sensor_output(system, s, p);
            (outputs++)->quantity = which[k];
        }
    return n * s->n_places;
}

int sensor_rows_of(const td_system *system, int index) {
    td_quantity which[2];
    const sensor *s = &system->sensors[index];
    int rows = 0;
    for (int k = sensor_quantities(system, s, which); k > 0; k--)
        rows += td_output_size(which[k - 1]);
    return rows * s->n_places;
}

int td_sensor_outputs(const td_system *system, int index, td_output *outputs) {
    if (index < 0 || index >= system->n_sensors || system->sensors[index].estimated) return 0;
    return sensor_outputs(system, index, outputs);
}

static vec3 column(const double *rows, int n, int j) {
    return (vec3){rows[j], rows[n + j], rows[2 * n + j]};
}

static void put_column(const sensor *s, vec3 x, int n, int j, double *to) {
    double all[3];
    vec3_store(all, x);
    for (int c = 0; c < s->n_each; c++) to[c * n + j] = all[s->first % 3 + c];
}

// R = exp(a^): a rotation d in the world changes a by T^-1 R' d.
static void turn_slopes(const sensor *s, const double *y, const double *from, int n, double *to) {
    const turn t = turn_make(TURN_VECTOR, vec3_load(y));
    mat3 inverse = mat3_identity();
    mat3_inverse(&t.T, &inverse);  // it is no more than half a turn: T is regular
    for (int j = 0; j < n; j++)
        put_column(s, mat3_mul_vec(&inverse, mat3_tmul_vec(&t.R, column(from, n, j))), n, j, to);
}

// d|w|/|w*| with dw = cos(angle) (dv + du x r)
static void gauge_slopes(const gauge_line *g, const double *from, int n, double *to) {
    const vec3 unit = vec3_scale(g->w, g->cosine / (vec3_norm(g->w) * g->at_rest));
    for (int j = 0; j < n; j++) {
        const vec3 du = column(from, n, j), dv = column(from + 3 * n, n, j);
        to[j] = vec3_dot(unit, vec3_add(dv, vec3_cross(du, g->r)));
    }
}

// R' w: a rotation d in the world and a change of w, `by` times some rows, make R' (dw - d x w).
static void turning_slopes(const sensor *s, const td_pose *pose, vec3 w, double by, int rows,
                           const double *from, int n, double *to) {
    const quat back = quat_conj(quat_load(pose->q));
    for (int j = 0; j < n; j++) {
        const vec3 d = column(from, n, j), dw = vec3_scale(column(from + rows * n, n, j), by);
        put_column(s, quat_rotate(back, vec3_sub(dw, vec3_cross(d, w))), n, j, to);
    }
}

// One over the span of its mean; 0: at rest.
static double per_span(const td_state *state, int index) {
    const double span = state->sensors[index].kept->span;
    return span > 0.0 ? 1.0 / span : 0.0;
}

static void supply_slopes(const actuator *a, const double *from, int n, double *to) {
    const bool driven = actuator_is_driven(a), given = a->control == CONTROL_MEASURE;
    const double gear = driven ? a->engine.motor.gear : 0.0;
    for (int j = 0; j < n; j++) {
        if (driven) to[j] = a->engine.ratio * gear * from[j];
        else if (given) to[j] = 0.0;  // see td_sensor_slopes_by_inputs
        else to[j] = -from[j] + (a->yield > 0.0 ? a->yield * from[n + j] : 0.0);
    }
}

static void slopes_at(const td_system *system, const td_state *state, int index, int place,
                      const double *from, int n, double *to) {
    const sensor *s = &system->sensors[index];
    td_output o = sensor_output(system, s, place);
    const td_pose origin = {.q = {1.0}};
    double y[6] = {0.0};
    if (s->word->what == SENSOR_GAUGE) o.quantity = TD_OUTPUT_STRAIN;
    if (s->word->what == SENSOR_GYRO) o.quantity = TD_OUTPUT_VELOCITY;
    observe_one(system, state, &o, &origin, y);
    if (s->word->what == SENSOR_SUPPLIED) {
        supply_slopes(&system->actuators[o.actuator], from, n, to);
    } else if (s->word->what == SENSOR_DRIVE) {
        memcpy(to, from + (s->first < 4 ? s->first : 4) * n, sizeof *to * (size_t)n);
    } else if (s->word->what == SENSOR_GAUGE) {
        const gauge_line g = gauge_at(s, place, y);
        gauge_slopes(&g, from, n, to);
    } else if (s->word->what == SENSOR_GYRO) {
        const td_pose pose = sample_of_output(system, state, &o).pose;
        turning_slopes(s, &pose, vec3_load(y), 1.0, 6, from, n, to);
    } else if (s->word->what == SENSOR_ACCELEROMETER) {
        const td_pose pose = sample_of_output(system, state, &o).pose;
        const vec3 felt = vec3_sub(vec3_load(state->sensors[index].mean + 3 * place),
                                   numbers_at(system->gravity, state->inputs_before));
        turning_slopes(s, &pose, felt, per_span(state, index), 9, from, n, to);
    } else if (o.quantity == TD_OUTPUT_POSE && s->first < 3) {
        turn_slopes(s, y, from, n, to);
    } else {
        memcpy(to, from + s->first * n, sizeof *to * (size_t)(s->n_each * n));
    }
}

td_status sensor_slopes(const td_system *system, const td_state *state, int index,
                        const double *of_outputs, int n, double *slopes) {
    td_quantity which[2];
    const sensor *s = &system->sensors[index];
    if (sensor_quantities(system, s, which) == 0) return TD_ERR_UNSUPPORTED;
    const int rows = sensor_rows_of(system, index) / s->n_places;
    for (int p = 0; p < s->n_places; p++)
        slopes_at(system, state, index, p, of_outputs + p * rows * n, n,
                  slopes + p * s->n_each * n);
    return TD_OK;
}

td_status td_sensor_slopes(const td_system *system, const td_state *state, int index,
                           const double *of_outputs, int n, double *slopes) {
    if (index < 0 || index >= system->n_sensors || n < 0) return TD_ERR_ARGUMENT;
    if (system->sensors[index].estimated) return TD_ERR_UNSUPPORTED;
    return sensor_slopes(system, state, index, of_outputs, n, slopes);
}

// ---------------------------------------------------------------- accelerometers
static quat turned_back(const td_system *system, const td_state *state, const sensor *s,
                        int place) {
    const td_output o = sensor_output(system, s, place);
    return quat_conj(quat_load(sample_of_output(system, state, &o).pose.q));
}

static bool is_accelerometer(const sensor *s) {
    return s->obstacle < 0 && s->word->what == SENSOR_ACCELEROMETER;
}

void sensor_clone_slopes(const td_system *system, const td_state *state, int index, int stride,
                         double *slopes) {
    const sensor *s = &system->sensors[index];
    const double by = -per_span(state, index);
    for (int p = 0; p < s->n_places; p++) {
        const quat back = turned_back(system, state, s, p);
        double *to = slopes + p * s->n_each * stride + 3 * p;
        for (int axis = 0; axis < 3; axis++) {
            const double unit[3] = {axis == 0, axis == 1, axis == 2};
            put_column(s, vec3_scale(quat_rotate(back, vec3_load(unit)), by), stride, axis, to);
        }
    }
}

td_status td_sensor_slopes_before(const td_system *system, const td_state *state, int index,
                                  const double *of_outputs, int n, double *slopes) {
    if (index < 0 || index >= system->n_sensors || n < 0) return TD_ERR_ARGUMENT;
    const sensor *s = &system->sensors[index];
    if (s->estimated) return TD_ERR_UNSUPPORTED;
    memset(slopes, 0, sizeof *slopes * (size_t)s->n_channels * (size_t)n);
    for (int p = 0; is_accelerometer(s) && p < s->n_places; p++) {
        const quat back = turned_back(system, state, s, p);
        const double *velocity = of_outputs + (12 * p + 9) * n;
        for (int j = 0; j < n; j++)
            put_column(
                s, vec3_scale(quat_rotate(back, column(velocity, n, j)), -per_span(state, index)),
                n, j, slopes + p * s->n_each * n);
    }
    return TD_OK;
}

// ---------------------------------------------------------------- inputs that are felt at once
// The displacement of a tendon that is given, without a motor.
static const td_number *given_displacement(const td_system *system, const sensor *s) {
    if (s->obstacle >= 0 || s->word->what != SENSOR_SUPPLIED) return NULL;
    const actuator *a = &system->actuators[s->output.actuator];
    return a->control == CONTROL_MEASURE && !actuator_is_driven(a) ? &a->value : NULL;
}

bool sensor_follows_inputs(const td_system *system, const sensor *s) {
    bool turns = false;
    for (int k = 0; k < 3; k++) turns = turns || system->gravity[k].gain != 0.0;
    return (is_accelerometer(s) && turns) || given_displacement(system, s);
}

static void felt_gravity(const td_system *system, const td_state *state, const sensor *s, int place,
                         double *rows) {
    const quat back = turned_back(system, state, s, place);
    for (int axis = 0; axis < 3; axis++) {
        const td_number g = system->gravity[axis];
        const double by[3] = {-g.gain * (axis == 0), -g.gain * (axis == 1), -g.gain * (axis == 2)};
        double felt[3];
        if (g.gain == 0.0) continue;
        vec3_store(felt, quat_rotate(back, vec3_load(by)));
        for (int c = 0; c < s->n_each; c++)
            rows[c * system->n_inputs + g.input] += felt[s->first % 3 + c];
    }
}

td_status td_sensor_slopes_by_inputs(const td_system *system, const td_state *state, int index,
                                     double *slopes) {
    const int n_u = system->n_inputs;
    if (index < 0 || index >= system->n_sensors) return TD_ERR_ARGUMENT;
    const sensor *s = &system->sensors[index];
    const td_number *given = given_displacement(system, s);
    if (s->estimated) return TD_ERR_UNSUPPORTED;
    memset(slopes, 0, sizeof *slopes * (size_t)s->n_channels * (size_t)n_u);
    if (given && given->gain != 0.0) slopes[given->input] = given->gain;
    for (int p = 0; is_accelerometer(s) && p < s->n_places; p++)
        felt_gravity(system, state, s, p, slopes + p * s->n_each * n_u);
    return TD_OK;
}
