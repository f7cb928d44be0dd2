// sim/sensor_slopes.c - how what sensors measure changes with the outputs that it is made of.
#include "sim/linearise.h"
#include "sim/sensor.h"

#include <math.h>
#include <string.h>

#include "math/quat.h"
#include "math/turn.h"

// A gyro turns with what it is on: its pose and its velocity count.
int sensor_quantities(const sensor *s, td_quantity which[2]) {
    switch (s->obstacle >= 0 ? SENSOR_OBSTACLE : s->word->what) {
    case SENSOR_OUTPUT: return which[0] = s->output.quantity, 1;
    case SENSOR_GAUGE: return which[0] = TD_OUTPUT_STRAIN, 1;
    case SENSOR_GYRO: return which[0] = TD_OUTPUT_POSE, which[1] = TD_OUTPUT_VELOCITY, 2;
    case SENSOR_DRIVE: return which[0] = TD_OUTPUT_DRIVE, 1;
    default: return 0;
    }
}

int td_sensor_outputs(const td_system *system, int index, td_output *outputs) {
    td_quantity which[2];
    if (index < 0 || index >= system->n_sensors) return 0;
    const sensor *s = &system->sensors[index];
    const int n = s->estimated ? 0 : sensor_quantities(s, which);
    for (int p = 0; outputs && p < s->n_places; p++)
        for (int k = 0; k < n; k++) {
            *outputs = sensor_output(system, s, p);
            (outputs++)->quantity = which[k];
        }
    return n * s->n_places;
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

// R' w: a rotation d in the world and a change of w make R' (dw - d x w).
static void gyro_slopes(const sensor *s, const td_pose *pose, vec3 w, const double *from, int n,
                        double *to) {
    const quat back = quat_conj(quat_load(pose->q));
    for (int j = 0; j < n; j++) {
        const vec3 d = column(from, n, j), dw = column(from + 6 * n, n, j);
        put_column(s, quat_rotate(back, vec3_sub(dw, vec3_cross(d, w))), n, j, to);
    }
}

static void slopes_at(const td_system *system, const td_state *state, const sensor *s, int place,
                      const double *from, int n, double *to) {
    td_output o = sensor_output(system, s, place);
    const td_pose origin = {.q = {1.0}};
    double y[6] = {0.0};
    if (s->word->what == SENSOR_GAUGE) o.quantity = TD_OUTPUT_STRAIN;
    if (s->word->what == SENSOR_GYRO) o.quantity = TD_OUTPUT_VELOCITY;
    observe_one(system, state, &o, &origin, y);
    if (s->word->what == SENSOR_DRIVE) {
        memcpy(to, from + (s->first < 4 ? s->first : 4) * n, sizeof *to * (size_t)n);
    } else if (s->word->what == SENSOR_GAUGE) {
        const gauge_line g = gauge_at(s, place, y);
        gauge_slopes(&g, from, n, to);
    } else if (s->word->what == SENSOR_GYRO) {
        const td_pose pose = sample_of_output(system, state, &o).pose;
        gyro_slopes(s, &pose, vec3_load(y), from, n, to);
    } else if (o.quantity == TD_OUTPUT_POSE && s->first < 3) {
        turn_slopes(s, y, from, n, to);
    } else {
        memcpy(to, from + s->first * n, sizeof *to * (size_t)(s->n_each * n));
    }
}

td_status td_sensor_slopes(const td_system *system, const td_state *state, int index,
                           const double *of_outputs, int n, double *slopes) {
    td_quantity which[2];
    if (index < 0 || index >= system->n_sensors || n < 0) return TD_ERR_ARGUMENT;
    const sensor *s = &system->sensors[index];
    const int n_outputs = s->estimated ? 0 : sensor_quantities(s, which);
    if (n_outputs == 0) return TD_ERR_UNSUPPORTED;
    int rows = 0;
    for (int k = 0; k < n_outputs; k++) rows += td_output_size(which[k]);
    for (int p = 0; p < s->n_places; p++)
        slopes_at(system, state, s, p, of_outputs + p * rows * n, n, slopes + p * s->n_each * n);
    return TD_OK;
}
