// sim/estimator.c - an iterated extended Kalman filter on steps and their derivatives.
//
// With the step x+ = A x + B0 u + B u+ and numbers w that inputs follow, u = U w, what is not known moves by
//
//     (x, w)+ = F (x, w),   F = [A  (B0 + B) U; 0  1],   P+ = F P F' + Q dt
//
// w holds biases of sensors too, which no input follows.
//
// An accelerometer reads the mean acceleration over a step, R'((V - c)/dt - g), of the velocity V now and of that where the step began, c. That
// is kept beside (x, w) with its covariance: c = V as the step begins, which is a row of F, and readings correct both.
//
// What a late sensor should read, z = h + H (x, w), is kept beside (x, w) from when the reading is taken on, with its covariance, and a reading that comes is one of z:
// estimator_late.c.
//
// A reading y = h + H (x, w) + noise corrects by K = P H'(H P H' + R)^-1, and P becomes (1 - K H) P (1 - K H)' + K R K' (Joseph), which
// is symmetric and positive whatever K is. Iterations linearise anew where the last one led: B. M. Bell, F. W. Cathey, "The iterated Kalman
// filter update as a Gauss-Newton method", IEEE Trans. Automatic Control 38 (1993).
#include "sim/estimator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/dense.h"
#include "math/positive.h"
#include "math/quat.h"
#include "solve/chart.h"

#define SETTLED 1e-9  // of a deviation: iterations end
#define FAR 100.0     // deviations that are hardly chance

static const char no_slopes[] =
    "a sensor measures an effort that is not given in motion, or what follows one or an "
    "acceleration, which has no slopes by coordinates here";

// ---------------------------------------------------------------- transactions
td_status estimator_keep(td_estimator *e) {
    e->message[0] = '\0';
    memcpy(e->before, e->state->keep, e->system->keep_bytes);
    memcpy(e->before_kept, e->kept, sizeof *e->kept * e->n_kept);
    return TD_OK;
}

td_status estimator_fail(td_estimator *e, td_status status) {
    if (!e->message[0])
        snprintf(e->message, sizeof e->message, "%s",
                 e->state->message[0] ? e->state->message : status_words(status));
    memcpy(e->state->keep, e->before, e->system->keep_bytes);
    memcpy(e->kept, e->before_kept, sizeof *e->kept * e->n_kept);
    return status;
}

static td_status refuse(td_estimator *e, td_status status, const char *why) {
    snprintf(e->message, sizeof e->message, "%s", why);
    return status;
}

// ---------------------------------------------------------------- steps
static void fill_step(td_estimator *e, const td_step_map *map) {
    const int n = e->n, n_x = e->n_x, n_w = e->n_w, n_u = e->system->n_inputs;
    memset(e->F, 0, sizeof *e->F * (size_t)n * (size_t)n);
    for (int i = 0; i < n_x; i++) {
        double *row = e->F + i * n;
        memcpy(row, map->A + (size_t)i * (size_t)n_x, sizeof *row * (size_t)n_x);
        for (int k = 0; k < n_u; k++) {
            if (!e->unknown[k]) continue;
            const double by = map->B[i * n_u + k] + map->B0[i * n_u + k];
            for (int j = 0; j < n_w; j++) row[n_x + j] += by * e->U[k * n_w + j];
        }
    }
    for (int j = n_x; j < n; j++) e->F[j * n + j] = 1.0;
}

// ---------------------------------------------------------------- accelerometers
// Velocities where a step begins, and their rows; false: they follow what is not estimated.
static bool clone_velocities(td_estimator *e) {
    if (e->n_c == 0) return true;
    motion_outputs(e->l, e->state);
    for (int i = 0; i < e->system->n_sensors; i++) {
        const watched *s = &e->sensors[i];
        if (s->clone < 0) continue;
        sensor_velocities(e->system, e->state, i, e->c + s->clone);
        for (int k = 0; k < e->system->sensors[i].n_places; k++)
            for (int a = 0; a < 3; a++) {  // of its pose, then of its velocity
                const int row = s->first + 12 * k + 9 + a, to = s->clone + 3 * k + a;
                if (!output_row(e, &e->l->of, row, e->C + to * e->n)) return false;
            }
    }
    return true;
}

static void fill_clones(td_estimator *e) {
    const size_t n = (size_t)e->n;
    memcpy(e->F + (size_t)(e->n_x + e->n_w) * n, e->C, sizeof *e->F * (size_t)e->n_c * n);
}

void clones_settle(td_estimator *e, double span) {
    *e->span = span;
    for (int i = 0; i < e->system->n_sensors; i++)
        if (e->sensors[i].clone >= 0)
            sensor_accelerate(e->system, e->state, i, e->c + e->sensors[i].clone, span);
}

static void add_noise(td_estimator *e, double dt) {
    const int n = e->n;
    for (int k = 0; k < e->n_q; k++) {
        const double z = e->def->coordinate_noise * e->unit[k], v = e->def->rate_noise * e->unit[k];
        e->P[k * (n + 1)] += z * z * dt;
        e->P[(e->n_q + k) * (n + 1)] += v * v * dt;
    }
    for (int j = 0; j < e->n_w; j++)
        e->P[(e->n_x + j) * (n + 1)] += e->numbers[j].walk * e->numbers[j].walk * dt;
}

td_status td_estimator_step(td_estimator *e, double dt) {
    const int n = e->n;
    estimator_keep(e);
    if (e->why[0]) return refuse(e, TD_ERR_UNSUPPORTED, e->why);
    unknowns_apply(e, e->w);
    unknowns_slopes(e, e->w);
    if (!clone_velocities(e)) {
        refuse(e, TD_ERR_UNSUPPORTED, no_slopes);
        return estimator_fail(e, TD_ERR_UNSUPPORTED);
    }
    const td_status status = motion_step_map(e->system, e->state, dt, e->l, e->unknown);
    if (status < 0) return estimator_fail(e, status);
    fill_step(e, td_get_step_map(e->l));
    fill_clones(e);
    clones_settle(e, dt);
    *e->rested = REST_NOT;
    dense_transpose(n, n, e->F, e->Ft);
    dense_mul(n, n, n, 1.0, e->F, e->P, e->T);
    dense_mul(n, n, n, 1.0, e->T, e->Ft, e->P);
    dense_symmetrise(n, e->P);
    add_noise(e, dt);
    if (dense_is_finite((size_t)n * (size_t)n, e->P)) return status;
    refuse(e, TD_ERR_NOT_FINITE,
           "the covariance is not finite: noises or deviations are too large");
    return estimator_fail(e, TD_ERR_NOT_FINITE);
}

// ---------------------------------------------------------------- readings
td_status readings_check(td_estimator *e, const td_reading *readings, int n, bool at_rest,
                         int *channels) {
    *channels = 0;
    for (int i = 0; i < n; i++) {
        const int which = readings[i].sensor;
        if (which < 0 || which >= e->system->n_sensors || !e->sensors[which].rests) {
            snprintf(e->message, sizeof e->message,
                     "readings[%d]: sensor %d is not one that the estimator uses", i, which);
            return TD_ERR_ARGUMENT;
        }
        if (!at_rest && !e->sensors[which].used) {
            snprintf(e->message, sizeof e->message, "'%s' tells of equilibria alone: %s",
                     e->system->sensors[which].name, estimator_refusal_in_motion(e->system, which));
            return TD_ERR_UNSUPPORTED;
        }
        for (int k = 0; k < i; k++)
            if (readings[k].sensor == which)
                return refuse(e, TD_ERR_ARGUMENT, "a sensor is read twice at once");
        for (int c = 0; c < td_sensor_channels(e->system, which); c++)
            if (isinf(readings[i].values[c]))
                return refuse(e, TD_ERR_NOT_FINITE, "a reading is infinite");
        *channels += td_sensor_channels(e->system, which);
    }
    return TD_OK;
}

bool output_row(const td_estimator *e, const linear_matrices *of, int output, double *row) {
    const int n_q = e->n_q, n_u = of->n_u;
    const size_t from = (size_t)output;
    memset(row, 0, sizeof *row * (size_t)e->n);
    memcpy(row, of->C[0] + from * (size_t)of->n, sizeof *row * (size_t)n_q);
    memcpy(row + n_q, of->C[1] + from * (size_t)of->n, sizeof *row * (size_t)n_q);
    for (int k = n_q; k < of->n; k++)
        if (of->C[0][from * (size_t)of->n + (size_t)k] != 0.0) return false;
    for (int k = 0; k < n_q; k++)
        if (of->C[2][from * (size_t)of->n + (size_t)k] != 0.0) return false;
    for (int k = 0; k < n_u; k++) {
        const double by = of->F[0][from * (size_t)n_u + (size_t)k];
        for (int j = 0; j < e->n_w && by != 0.0; j++) row[e->n_x + j] += by * e->U[k * e->n_w + j];
    }
    return true;
}

// How outputs that sensor i is made of follow (x, w), rows of e->wide.
static bool widen(td_estimator *e, const watched *s) {
    for (int r = 0; r < s->rows; r++)
        if (!output_row(e, &e->l->of, s->first + r, e->wide + r * e->n)) return false;
    return true;
}

void sensor_expected_with(const td_estimator *e, int which, const double *w, double *h) {
    const watched *s = &e->sensors[which];
    sensor_truth(e->system, e->state, which, h);
    for (int c = 0; c < e->system->sensors[which].n_channels && s->bias >= 0; c++)
        h[c] += w[s->bias + c];
}

void sensor_expected(const td_estimator *e, int which, double *h) {
    sensor_expected_with(e, which, e->w, h);
}

void sensor_add_direct(td_estimator *e, int which, int stride, double *rows) {
    const watched *s = &e->sensors[which];
    const int n_u = e->system->n_inputs, channels = e->system->sensors[which].n_channels;
    const bool follows = sensor_follows_inputs(e->system, &e->system->sensors[which]);
    if (follows) td_sensor_slopes_by_inputs(e->system, e->state, which, e->direct);
    for (int c = 0; c < channels && follows; c++)
        for (int k = 0; k < n_u; k++)
            for (int j = 0; j < e->n_w; j++)
                rows[c * stride + j] += e->direct[c * n_u + k] * e->U[k * e->n_w + j];
    for (int c = 0; c < channels && s->bias >= 0; c++) rows[c * stride + s->bias + c] += 1.0;
}

bool sensor_rows(td_estimator *e, int which, double *H) {
    const watched *s = &e->sensors[which];
    if (!widen(e, s) || sensor_slopes(e->system, e->state, which, e->wide, e->n, H) < 0)
        return false;
    sensor_add_direct(e, which, e->n, H + e->n_x);
    if (s->clone >= 0)
        sensor_clone_slopes(e->system, e->state, which, e->n, H + e->n_x + e->n_w + s->clone);
    return true;
}

// The same of the oldest reading that is on its way.
static void pending_rows(const td_estimator *e, int which, double *H, double *h) {
    const int n = e->n, channels = td_sensor_channels(e->system, which);
    const watched *s = &e->sensors[which];
    const int first = s->pending + pending_oldest(e, which) * channels;
    memset(H, 0, sizeof *H * (size_t)channels * (size_t)n);
    for (int c = 0; c < channels; c++) {
        H[c * n + n - e->n_z + first + c] = 1.0;
        h[c] = e->z[first + c];
    }
}

// H and h of the sensors that were read, at the state as it is; rows of missing ones are left out. -1: it has none.
static int observe_now(td_estimator *e, const td_reading *readings, int n) {
    int m = 0;
    unknowns_slopes(e, e->w);
    for (int i = 0; i < n; i++) {
        const int which = readings[i].sensor, channels = td_sensor_channels(e->system, which);
        double *H = e->H + m * e->n, *h = e->h + m;
        if (e->sensors[which].late) {
            pending_rows(e, which, H, h);
        } else {
            if (!sensor_rows(e, which, H)) return -1;
            sensor_expected(e, which, h);
        }
        for (int c = 0, to = 0; c < channels; c++) {
            if (isnan(readings[i].values[c])) continue;
            memmove(H + to * e->n, H + c * e->n, sizeof *H * (size_t)e->n);
            h[to] = h[c];
            e->y[m] = readings[i].values[c];
            e->noise[m++] = e->sensors[which].variance;
            to++;
        }
    }
    return m;
}

// At rest they follow from the numbers alone, efforts and reactions too.
static void deviation_at_rest(const td_estimator *e, int which, double *deviation) {
    const double *J = e->J;
    for (int i = 0; i < which; i++) J += e->system->sensors[i].n_channels * e->n_w;
    for (int c = 0; c < e->system->sensors[which].n_channels; c++, J += e->n_w) {
        double sum = 0.0;
        for (int j = 0; j < e->n_w; j++)
            sum += J[j] * dense_dot((size_t)e->n_w, J, e->P + (e->n_x + j) * e->n + e->n_x);
        deviation[c] = sqrt(fmax(0.0, sum));
    }
}

td_status sensor_deviation(td_estimator *e, int which, double *deviation) {
    const int n = e->n, channels = td_sensor_channels(e->system, which);
    bool follows = e->sensors[which].has_slopes;
    if (follows) {
        motion_outputs(e->l, e->state);
        unknowns_slopes(e, e->w);
        follows = sensor_rows(e, which, e->H);
    }
    if (!follows && *e->rested == REST_AS_READ)
        return deviation_at_rest(e, which, deviation), TD_OK;
    if (!follows) return refuse(e, TD_ERR_UNSUPPORTED, no_slopes);
    dense_mul(channels, n, n, 1.0, e->H, e->P, e->G);
    for (int c = 0; c < channels; c++)
        deviation[c] = sqrt(fmax(0.0, dense_dot((size_t)n, e->G + c * n, e->H + c * n)));
    return TD_OK;
}

// S = H P H' + R becomes its factor; G = H P, K = S^-1 G (both m x n).
static bool gain(td_estimator *e, int m) {
    const int n = e->n;
    dense_mul(m, n, n, 1.0, e->H, e->P, e->G);
    for (int i = 0; i < m; i++)
        for (int k = 0; k <= i; k++)
            e->S[i * m + k] = e->S[k * m + i] =
                dense_dot((size_t)n, e->G + i * n, e->H + k * n) + (i == k ? e->noise[i] : 0.0);
    if (!positive_factor(m, e->S)) return false;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) e->gap[i] = e->G[i * n + j];
        positive_solve(m, e->S, e->gap);
        for (int i = 0; i < m; i++) e->K[i * n + j] = e->gap[i];
    }
    return true;
}

// (1 - K H) P (1 - K H)' + K R K', with T = (1 - K H) P: T - (T H') K' + K R K'
static void joseph(td_estimator *e, int m) {
    const int n = e->n;
    memcpy(e->T, e->P, sizeof *e->P * (size_t)n * (size_t)n);
    dense_tmadd(m, n, n, -1.0, e->K, e->G, e->T);
    dense_transpose(n, n, e->T, e->Ft);
    dense_mul(m, n, n, 1.0, e->H, e->Ft, e->G);  // H T'
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) e->G[i * n + j] -= e->noise[i] * e->K[i * n + j];
    memcpy(e->P, e->T, sizeof *e->P * (size_t)n * (size_t)n);
    dense_tmadd(m, n, n, -1.0, e->G, e->K, e->P);
    dense_symmetrise(n, e->P);
}

// ---------------------------------------------------------------- the state moved
// q and v of the kept state, changed by dx: coordinates of frames, which end each part, turn in the world.
static void shift(td_estimator *e, const double *dx) {
    const int n_q = e->n_q;
    for (int k = 0; k < n_q; k++) {
        e->q[k] = e->q0[k] + dx[k];
        e->v[k] = e->v0[k] + dx[n_q + k];
    }
    for (int i = 0, at = 0; i < solver_n_parts(e->system); i++) {
        const solve_part p = solver_moving(e->system, NULL, i);
        at += part_n_coordinates(&p);
        for (int f = at - 6 * p.n_frames; f < at; f += 6) {
            const quat before = quat_exp(vec3_load(e->q0 + f));
            const quat h = quat_mul(quat_exp(vec3_load(dx + f)), before);
            vec3_store(e->q + f, quat_log(h));
            vec3_store(e->v + f, vec3_add(vec3_load(e->v0 + f),
                                          quat_rotate(quat_conj(before), vec3_load(dx + n_q + f))));
        }
    }
}

// From the kept state to where dx leads; clock and rates of inputs stay.
static td_status move(td_estimator *e, const double *dx) {
    const td_system *system = e->system;
    td_state *state = e->state;
    memcpy(state->keep, e->before, system->keep_bytes);
    for (int j = 0; j < e->n_w; j++) e->w[j] = e->before_kept[e->w - e->kept + j] + dx[e->n_x + j];
    unknowns_within_places(e, e->w);
    for (int j = 0; j < e->n_c; j++)
        e->c[j] = e->before_kept[e->c - e->kept + j] + dx[e->n_x + e->n_w + j];
    for (int j = 0; j < e->n_z; j++)
        e->z[j] = e->before_kept[e->z - e->kept + j] + dx[e->n - e->n_z + j];
    unknowns_apply(e, e->w);
    shift(e, dx);
    const td_status status = td_set_coordinates(system, state, e->q, e->v);
    if (status < 0) return status;
    solver_add_flows(system, state, e->before, dx + 2 * e->n_q);
    memcpy(state->keep, e->before, sizeof *state->clock);
    const double *const old[] = {state->rates, state->rates_before, state->rate_given,
                                 state->given_before};
    for (int i = 0; i < 4; i++)
        memcpy((double *)old[i], e->before + (old[i] - state->keep),
               sizeof(double) * (size_t)system->n_inputs);
    clones_settle(e, *e->span);
    return status;
}

// dx + K (y - h - H (x0 + ..)): the next iterate, and how far it is from the last.
static double iterate(td_estimator *e, int m) {
    const int n = e->n;
    double most = 0.0;
    for (int i = 0; i < m; i++)
        e->gap[i] = e->y[i] - e->h[i] + dense_dot((size_t)n, e->H + i * n, e->dx);
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < m; i++) sum += e->K[i * n + j] * e->gap[i];
        e->next[j] = sum;
        const double size = sqrt(e->P[j * (n + 1)]);
        if (size > 0.0) most = fmax(most, fabs(sum - e->dx[j]) / size);
    }
    memcpy(e->dx, e->next, sizeof *e->dx * (size_t)n);
    return most;
}

static void note_surprise(td_estimator *e, int m) {
    for (int i = 0; i < m; i++) e->gap[i] = e->h[i] = e->y[i] - e->h[i];
    positive_solve(m, e->S, e->gap);
    e->surprise[0] = dense_dot((size_t)m, e->h, e->gap);
    e->surprise[1] = m;
}

// Where no shape is near what was read.
static td_status tell_far(td_estimator *e, td_status status) {
    const double far = sqrt(e->surprise[0] / fmax(1.0, e->surprise[1]));
    if (!(far > FAR)) return status;
    snprintf(e->message, sizeof e->message,
             "readings are %.3g deviations from what was expected (is a unit wrong, or a noise too "
             "small?): %.*s",
             far, MODEL_MESSAGE_SIZE - 80, e->state->message);
    return status;
}

static td_status correct(td_estimator *e, const td_reading *readings, int n) {
    int m = 0;
    memset(e->dx, 0, sizeof *e->dx * (size_t)e->n);
    td_get_coordinates(e->system, e->state, e->q0, e->v0);
    for (int i = 0; i < e->def->iterations; i++) {
        const td_status status = i > 0 ? move(e, e->dx) : TD_OK;
        if (status < 0) return tell_far(e, status);
        motion_outputs(e->l, e->state);
        m = observe_now(e, readings, n);
        if (m < 0) return refuse(e, TD_ERR_UNSUPPORTED, no_slopes);
        if (m == 0) return TD_OK;
        if (!gain(e, m))
            return refuse(e, TD_ERR_SINGULAR,
                          "the covariance of readings is singular: deviations or walks are too "
                          "large beside the noises of readings");
        const double moved = iterate(e, m);
        if (i == 0) note_surprise(e, m);
        if (!(moved > SETTLED)) break;
    }
    const td_status status = move(e, e->dx);
    if (status < 0) return tell_far(e, status);
    joseph(e, m);
    return dense_is_finite((size_t)e->n * (size_t)e->n, e->P) ? TD_OK : TD_ERR_NOT_FINITE;
}

// Are these the first readings of what rests, all that were taken so far?
static bool takes_first(const td_estimator *e, const td_reading *readings, int n) {
    if (*e->rested != REST_AS_BEGUN || e->def->iterations == 1) return false;
    int pending = 0, late = 0;
    for (int k = 0; k < e->n_slots; k++) pending += e->number[k] > 0.0;
    for (int i = 0; i < n; i++) late += e->sensors[readings[i].sensor].late;
    return pending == late;
}

td_status td_estimator_update(td_estimator *e, const td_reading *readings, int n) {
    int channels;
    estimator_keep(e);
    if (e->why[0]) return refuse(e, TD_ERR_UNSUPPORTED, e->why);
    td_status status = readings_check(e, readings, n, false, &channels);
    for (int i = 0; i < n && status >= 0; i++)
        if (e->sensors[readings[i].sensor].late && pending_oldest(e, readings[i].sensor) < 0)
            status = refuse(e, TD_ERR_ARGUMENT,
                            "a sensor that comes late is read, of which no reading is on its way: "
                            "td_estimator_take says when one is taken");
    if (status >= 0 && channels > 0 && takes_first(e, readings, n)) {
        if (estimator_rest_first(e, readings, n) >= 0) return e->message[0] = '\0', TD_OK;
        estimator_fail(e, status);
        e->message[0] = '\0';
    }
    if (status >= 0 && channels > 0) status = correct(e, readings, n);
    if (status >= 0) *e->rested = REST_NOT;
    for (int i = 0; i < n && status >= 0; i++)  // what has come is not waited for
        if (e->sensors[readings[i].sensor].late)
            pending_drop(e, readings[i].sensor, pending_oldest(e, readings[i].sensor));
    return status < 0 ? estimator_fail(e, status) : status;
}

td_status td_estimator_take(td_estimator *e, int which) {
    estimator_keep(e);
    if (e->why[0]) return refuse(e, TD_ERR_UNSUPPORTED, e->why);
    if (which < 0 || which >= e->system->n_sensors || !e->sensors[which].used ||
        !e->sensors[which].late)
        return refuse(e, TD_ERR_ARGUMENT,
                      "it is no sensor with a delay that the estimator uses: others are read when "
                      "they take a reading");
    motion_outputs(e->l, e->state);
    unknowns_slopes(e, e->w);
    if (pending_take(e, which, e->taken[which] + 1.0)) return TD_OK;
    refuse(e, TD_ERR_UNSUPPORTED, no_slopes);
    return estimator_fail(e, TD_ERR_UNSUPPORTED);
}

// ---------------------------------------------------------------- beside a state
// Late sensors that have taken a reading since.
static bool follow_taken(td_estimator *e, const td_state *state) {
    bool looked = false;
    for (int i = 0; i < e->system->n_sensors; i++) {
        const double taken = state->sensors[i].kept->taken;
        if (!e->sensors[i].used || !e->sensors[i].late || taken == e->taken[i]) continue;
        if (!looked) motion_outputs(e->l, e->state), unknowns_slopes(e, e->w);
        looked = true;
        if (!pending_take(e, i, taken)) return false;
    }
    return true;
}

// Is reading number `arrived` the oldest on its way, once those before it are given up?
static bool is_awaited(td_estimator *e, int which, double arrived) {
    const double *number = e->number + e->sensors[which].slot;
    int slot = pending_oldest(e, which);
    for (; slot >= 0 && number[slot] < arrived; slot = pending_oldest(e, which))
        pending_drop(e, which, slot);
    return slot >= 0 && number[slot] == arrived;
}

// A step to t, at whose end inputs that are known are these.
static td_status predict(td_estimator *e, double t, const double *inputs, const double *rates,
                         const double *given) {
    const double dt = t - e->state->clock->time;
    for (int i = 0; i < e->system->n_inputs; i++) {
        if (e->unknown[i]) continue;
        e->state->inputs[i] = inputs[i];
        e->state->rates[i] = rates[i], e->state->rate_given[i] = given[i];
    }
    return dt > 1e-12 * fabs(t) ? td_estimator_step(e, dt) : TD_OK;
}

// Where a step of the state started afresh on the way, since an input jumped that is known.
static bool finds_jump(const td_estimator *e, const td_state *state, double slack) {
    const double at = state->clock->restarted;
    bool some = false;
    for (int i = 0, n = e->system->n_inputs; i < n; i++)
        some = some || (!e->unknown[i] && state->at_restart[3 * n + i] != 0.0);
    return some && at >= e->state->clock->time - slack && at < state->clock->time - slack;
}

// An accelerometer has its mean over the last step of the robot, which began later where the estimator acts less often: to there,
// with inputs between those of before and those of now.
static td_status predict_to_span(td_estimator *e, const td_state *state, double slack) {
    const double start = e->state->clock->time, now = state->clock->time;
    double span = 0.0;
    for (int i = 0; i < e->system->n_sensors && e->n_c > 0; i++)
        span = fmax(span, state->sensors[i].kept->span);
    if (!(span > 0.0) || now - span <= start + slack) return TD_OK;
    double *inputs = e->inputs, *none = inputs + e->system->n_inputs;
    for (int i = 0; i < e->system->n_inputs; i++) {
        const double from = e->state->inputs_before[i], to = state->inputs_before[i];
        inputs[i] = from + (to - from) * (now - span - start) / (now - start);
        none[i] = 0.0;
    }
    return predict(e, now - span, inputs, none, none);
}

// To the time of the state, past a jump by a step that ends there and one that starts afresh.
static td_status predict_state(td_estimator *e, const td_state *state) {
    const double now = state->clock->time, jump = state->clock->restarted;
    const double start = e->state->clock->time, slack = 1e-12 * fabs(now) + 1e-6 * (now - start);
    const double *before = state->at_restart;
    const int n = e->system->n_inputs;
    if (finds_jump(e, state, slack)) {
        const td_status status =
            jump > start + slack ? predict(e, jump, before, before + n, before + 2 * n) : TD_OK;
        if (status < 0) return status;
        td_restart(e->system, e->state);
    }
    const td_status status = predict_to_span(e, state, slack);
    if (status < 0) return status;
    return predict(e, now, state->inputs_before, state->rates_before, state->given_before);
}

static td_status follow(td_estimator *e, const td_state *state) {
    if (state->clock->time < e->state->clock->time)
        return refuse(e, TD_ERR_ARGUMENT, "the state is of an earlier time");
    const td_status status = predict_state(e, state);
    if (status < 0) return status;
    if (!follow_taken(e, state)) return refuse(e, TD_ERR_UNSUPPORTED, no_slopes);
    int n = 0;
    for (int i = 0; i < e->system->n_sensors; i++) {
        const sensor_memory *m = &state->sensors[i];
        if (!e->sensors[i].used || m->kept->arrived == e->seen[i]) continue;
        e->seen[i] = m->kept->arrived;
        if (e->sensors[i].late && !is_awaited(e, i, m->kept->arrived)) continue;
        e->readings[n++] = (td_reading){i, m->reading + 1};
    }
    return n > 0 ? td_estimator_update(e, e->readings, n) : status;
}

td_status td_estimator_follow(td_estimator *e, const td_state *state) {
    e->message[0] = '\0';
    if (state->clock->fingerprint != e->system->fingerprint)
        return refuse(e, TD_ERR_ARGUMENT, "the state is one of another system");
    // both calls, or none: the outer copies are the estimator's own
    memcpy(e->state->outer_backup, e->state->keep, e->system->keep_bytes);
    memcpy(e->outer, e->kept, sizeof *e->kept * e->n_kept);
    const td_status status = follow(e, state);
    if (status >= 0) return status;
    memcpy(e->state->keep, e->state->outer_backup, e->system->keep_bytes);
    memcpy(e->kept, e->outer, sizeof *e->kept * e->n_kept);
    return status;
}
