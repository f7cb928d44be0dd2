// sim/estimator_rest.c - estimates at rest: equilibria that are most likely.
//
// An equilibrium follows the unknown numbers, K dz = B U dw, and so do readings, dh = (C K^-1 B + D) U dw = J dw. Gauss and Newton's method on
//
//     1/2 sum ((y - h(w))/s)^2 + 1/2 sum ((w - mean)/deviation)^2
//
// solves (J'R^-1 J + L) dw = J'R^-1 (y - h) + L (mean - w), L of the deviations, and halves steps that do not make it less. The inverse of the
// matrix is the covariance of w, and Z P_w Z' with Z = K^-1 B U that of the shape.
#include "sim/estimator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "math/positive.h"

#define SETTLED 1e-9  // of a deviation
#define NEAR 1e-4     // where rounding ends it
enum { MOST_CORRECTIONS = 50, MOST_HALVES = 30 };

static td_status refuse(td_estimator *e, td_status status, const char *why) {
    snprintf(e->message, sizeof e->message, "%s", why);
    return status;
}

// The state in equilibrium under w.
static td_status settle(td_estimator *e, const double *w) {
    unknowns_apply(e, w);
    return td_solve_statics(e->system, e->state);
}

// e->Z at the equilibrium under w.
static td_status find_slopes(td_estimator *e, const double *w) {
    const linear_matrices *of = &e->rest->of;
    const td_status status = td_linearise(e->system, e->state, e->rest);
    if (status < 0) return status;
    const int n = of->n, n_w = e->n_w, n_u = of->n_u;  // with what has flowed
    linear_drives_hold(e->rest);
    unknowns_slopes(e, w);
    memcpy(e->lu, of->K, sizeof *e->lu * (size_t)n * (size_t)n);
    dense_mul(n, n_u, n_w, 1.0, of->B[0], e->U, e->Z);
    if (!lu_factor(n, e->lu, e->pivots))
        return refuse(e, TD_ERR_SINGULAR, "the equilibrium is not held: its stiffness is singular");
    lu_solve_many(n, e->lu, e->pivots, n_w, e->Z);
    return TD_OK;
}

// Slopes of a sensor's channels by w, after find_slopes.
static td_status sensor_by_numbers(td_estimator *e, int which, double *J) {
    const linear_matrices *of = &e->rest->of;
    const size_t first = (size_t)e->sensors[which].at_rest;
    const int rows = sensor_rows_of(e->system, which);
    dense_mul(rows, of->n, e->n_w, 1.0, of->C[0] + first * (size_t)of->n, e->Z, e->wide);
    dense_madd(rows, of->n_u, e->n_w, 1.0, of->F[0] + first * (size_t)of->n_u, e->U, e->wide);
    const td_status status = sensor_slopes(e->system, e->state, which, e->wide, e->n_w, J);
    if (status >= 0) sensor_add_direct(e, which, e->n_w, J);
    return status;
}

// A number of no deviation is known.
static bool is_known(const td_estimator *e, int number) {
    return e->numbers[number].deviation == 0.0;
}

// Half the sum of squares at the state as it is.
static double cost(td_estimator *e, const td_reading *readings, int n, const double *w) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const int which = readings[i].sensor;
        sensor_expected_with(e, which, w, e->h);
        for (int c = 0; c < td_sensor_channels(e->system, which); c++)
            if (!isnan(readings[i].values[c]))
                sum += pow(readings[i].values[c] - e->h[c], 2) / e->sensors[which].variance;
    }
    for (int j = 0; j < e->n_w; j++)
        if (!is_known(e, j)) sum += pow((w[j] - e->numbers[j].mean) / e->numbers[j].deviation, 2);
    return 0.5 * sum;
}

// The matrix and the right side at the state under w, which is in equilibrium.
static td_status assemble(td_estimator *e, const td_reading *readings, int n, const double *w) {
    const int n_w = e->n_w;
    td_status status = find_slopes(e, w);
    if (status < 0) return status;
    memset(e->A, 0, sizeof *e->A * (size_t)n_w * (size_t)n_w);
    for (int j = 0; j < n_w; j++) {
        const double weight = is_known(e, j) ? 1.0 : pow(e->numbers[j].deviation, -2.0);
        e->A[j * (n_w + 1)] = weight;
        e->b[j] = weight > 0.0 ? weight * (e->numbers[j].mean - w[j]) : 0.0;
    }
    for (int i = 0; i < n; i++) {
        const int which = readings[i].sensor;
        status = sensor_by_numbers(e, which, e->H);
        if (status < 0) return status;
        sensor_expected_with(e, which, w, e->h);
        for (int c = 0; c < td_sensor_channels(e->system, which); c++) {
            const double weight = 1.0 / e->sensors[which].variance;
            const double *J = e->H + c * n_w, off = readings[i].values[c] - e->h[c];
            if (isnan(off)) continue;
            for (int j = 0; j < n_w; j++) {
                if (is_known(e, j)) continue;
                e->b[j] += weight * J[j] * off;
                for (int k = 0; k < n_w; k++)
                    if (!is_known(e, k)) e->A[j * n_w + k] += weight * J[j] * J[k];
            }
        }
    }
    return TD_OK;
}

// e->A becomes the factor of its scaled self; a number of which nothing is known is named.
static td_status factor(td_estimator *e) {
    const int n_w = e->n_w;
    for (int j = 0; j < n_w; j++) {
        e->scale[j] = e->A[j * (n_w + 1)] > 0.0 ? 1.0 / sqrt(e->A[j * (n_w + 1)]) : 0.0;
        if (e->scale[j] > 0.0) continue;
        snprintf(e->message, sizeof e->message,
                 "nothing tells of '%s': no reading changes with it, and it has no deviation",
                 e->names[j]);
        return TD_ERR_SINGULAR;
    }
    for (int j = 0; j < n_w; j++)
        for (int k = 0; k < n_w; k++) e->A[j * n_w + k] *= e->scale[j] * e->scale[k];
    if (positive_factor(n_w, e->A)) return TD_OK;
    return refuse(e, TD_ERR_SINGULAR,
                  "readings cannot tell the unknown numbers apart; give deviations");
}

static void solve(td_estimator *e, double *x) {
    for (int j = 0; j < e->n_w; j++) x[j] *= e->scale[j];
    positive_solve(e->n_w, e->A, x);
    for (int j = 0; j < e->n_w; j++) x[j] *= e->scale[j];
}

// Are all numbers where they were? Corrections lead out of the places of a force, or are rounded away.
static bool stays(const td_estimator *e, const double *w) {
    for (int j = 0; j < e->n_w; j++)
        if (w[j] != e->next[j]) return false;
    return true;
}

// From w downhill; *least is what is left. Positive: it came no nearer before it settled.
static td_status descend(td_estimator *e, const td_reading *readings, int n, double *w,
                         double *least) {
    td_status status = settle(e, w);
    if (status < 0) return status;
    *least = cost(e, readings, n, w);
    for (int step = 0; step < MOST_CORRECTIONS; step++) {
        status = assemble(e, readings, n, w);
        if (status >= 0) status = factor(e);
        if (status < 0) return status;
        solve(e, e->b);
        double size = 0.0, share = 1.0;
        for (int j = 0; j < e->n_w; j++) size = fmax(size, fabs(e->b[j]) / e->scale[j]);
        if (size <= SETTLED) {  // a last correction, which nothing needs to check
            for (int j = 0; j < e->n_w; j++) w[j] += e->b[j];
            unknowns_within_places(e, w);
            status = settle(e, w);
            return status < 0 ? status : TD_OK;  // how exact the shape is, the state says
        }
        memcpy(e->state->outer_backup, e->state->keep, e->system->keep_bytes);
        memcpy(e->next, w, sizeof *w * (size_t)e->n_w);
        int halves = 0;
        for (;; share *= 0.5) {
            for (int j = 0; j < e->n_w; j++) e->trial[j] = w[j] + share * e->b[j];
            unknowns_within_places(e, e->trial);
            status = settle(e, e->trial);
            const double now = status >= 0 ? cost(e, readings, n, e->trial) : HUGE_VAL;
            // rounding: near the end no step is less
            if (now <= *least * (1.0 + 1e-12) + 1e-12) {
                *least = now;
                memcpy(w, e->trial, sizeof *w * (size_t)e->n_w);
                break;
            }
            memcpy(e->state->keep, e->state->outer_backup, e->system->keep_bytes);
            if (++halves == MOST_HALVES)
                return size <= NEAR ? TD_OK : refuse(e, TD_LOOSE, "no step came nearer");
        }
        if (share == 1.0 && stays(e, w)) return TD_OK;
    }
    return refuse(e, TD_LOOSE, "it did not settle");
}

// ---------------------------------------------------------------- covariance
// P of an equilibrium whose numbers have the covariance in e->A (n_w x n_w), about which e->Z was found.
static void spread(td_estimator *e, bool rests) {
    const int n = e->n, n_q = e->n_q, n_x = e->n_x, n_w = e->n_w;
    pending_clear(e);
    memset(e->c, 0, sizeof *e->c * (size_t)e->n_c);
    clones_settle(e, 0.0);
    *e->rested = REST_NOT;
    memset(e->P, 0, sizeof *e->P * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            if ((i >= n_q && i < n_x) || (k >= n_q && k < n_x)) continue;
            for (int a = 0; a < n_w; a++)
                for (int b = 0; b < n_w; b++) {
                    const double by_i = i < n_q ? (rests ? e->Z[i * n_w + a] : 0.0) : i - n_x == a;
                    const double by_k = k < n_q ? (rests ? e->Z[k * n_w + b] : 0.0) : k - n_x == b;
                    if (by_i != 0.0 && by_k != 0.0) sum += by_i * e->A[a * n_w + b] * by_k;
                }
            e->P[i * n + k] = sum;
        }
    for (int k = 0; k < n_q; k++) {
        const double z = e->def->coordinate_deviation * e->unit[k];
        const double v = e->def->rate_deviation * e->unit[k];
        e->P[k * (n + 1)] += z * z;
        e->P[(n_q + k) * (n + 1)] += v * v;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) e->P[i * n + k] = e->P[k * n + i];
}

// The inverse of the matrix that e->A is the factor of.
static void invert(td_estimator *e) {
    const int n_w = e->n_w;
    double *to = e->T;
    for (int j = 0; j < n_w; j++) {
        memset(to + j * n_w, 0, sizeof *to * (size_t)n_w);
        to[j * n_w + j] = 1.0;
        solve(e, to + j * n_w);
        if (is_known(e, j)) memset(to + j * n_w, 0, sizeof *to * (size_t)n_w);
    }
    memcpy(e->A, to, sizeof *to * (size_t)n_w * (size_t)n_w);
}

// ---------------------------------------------------------------- where a force acts
// Starts from each of its places, one force after another, the other numbers as they were, and with the least so far; the least is taken.
static td_status look_along(td_estimator *e, const td_reading *readings, int n, double *w,
                            int place, bool others, td_status found, double *best) {
    const td_unknown_def *u = e->numbers[place].of;
    const size_t bytes = sizeof *w * (size_t)e->n_w;
    double least;
    for (int k = 0; k + 1 < u->n_inputs; k++) {
        for (int kept = 0; kept < 1 + others; kept++) {
            memcpy(w, kept ? e->best : e->start, bytes);
            memcpy(e->state->keep, e->best_state, e->system->keep_bytes);
            w[place] = 0.5 * (u->places[k] + u->places[k + 1]);
            const td_status status = descend(e, readings, n, w, &least);
            if (status < 0 || !(least < *best)) continue;
            *best = least, found = status;
            memcpy(e->best, w, bytes);
        }
    }
    return found;
}

static td_status look_everywhere(td_estimator *e, const td_reading *readings, int n, double *w) {
    const size_t bytes = sizeof *w * (size_t)e->n_w;
    int n_places = 0;
    double best;
    for (int j = 0; j < e->n_w; j++) n_places += e->numbers[j].place;
    memcpy(e->start, w, bytes);
    memcpy(e->best_state, e->state->keep, e->system->keep_bytes);
    td_status found = descend(e, readings, n, w, &best);
    if (found < 0) best = HUGE_VAL;
    memcpy(e->best, w, bytes);
    for (int j = 0; j < e->n_w; j++)
        if (e->numbers[j].place)
            found = look_along(e, readings, n, w, j, n_places > 1, found, &best);
    if (n_places > 0) memcpy(w, e->best, bytes);
    return found;
}

// How sure readings are that follow from what is known at rest.
static td_status keep_rest(td_estimator *e) {
    double *J = e->J;
    td_status status = TD_OK;
    for (int i = 0; i < e->system->n_sensors && status >= 0; i++) {
        const int channels = e->system->sensors[i].n_channels;
        if (td_sensor_outputs(e->system, i, NULL) > 0) status = sensor_by_numbers(e, i, J);
        J += channels * e->n_w;
    }
    *e->rested = REST_AS_READ;
    return status;
}

static td_status find_rest(td_estimator *e, const td_reading *readings, int n) {
    for (int j = 0; j < e->n_w; j++)
        if (is_known(e, j)) e->w[j] = e->numbers[j].mean;
    memcpy(e->trial, e->w, sizeof *e->w * (size_t)e->n_w);
    const td_status found = look_everywhere(e, readings, n, e->w);
    if (found < 0) return found;
    if (found == TD_OK) e->message[0] = '\0';
    td_status status = settle(e, e->w);
    if (status >= 0) status = assemble(e, readings, n, e->w);
    if (status >= 0) status = factor(e);
    if (status < 0) return status;
    invert(e);
    spread(e, true);
    status = keep_rest(e);
    if (status < 0) return status;
    e->surprise[0] = 2.0 * cost(e, readings, n, e->w), e->surprise[1] = 0.0;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < td_sensor_channels(e->system, readings[i].sensor); c++)
            e->surprise[1] += !isnan(readings[i].values[c]);
    return found;
}

// Inputs that are known may be those of the next step already.
td_status estimator_rest_first(td_estimator *e, const td_reading *readings, int n) {
    double *next = e->inputs, *inputs = e->state->inputs;
    const size_t bytes = sizeof *next * (size_t)e->system->n_inputs;
    memcpy(next, inputs, bytes);
    memcpy(inputs, e->state->inputs_before, bytes);
    const td_status found = find_rest(e, readings, n);
    for (int i = 0; i < e->system->n_inputs && found >= 0; i++)
        if (!e->unknown[i]) inputs[i] = next[i];
    return found;
}

td_status td_estimator_rest(td_estimator *e, const td_reading *readings, int n) {
    int channels;
    estimator_keep(e);
    td_status status = readings_check(e, readings, n, true, &channels);
    if (status >= 0) status = find_rest(e, readings, n);
    return status < 0 ? estimator_fail(e, status) : status;
}

// ---------------------------------------------------------------- the start
td_status estimator_begin_here(td_estimator *e, bool rests) {
    memset(e->kept, 0, sizeof *e->kept * e->n_kept);
    for (int j = 0; j < e->n_w; j++) {
        e->w[j] = e->numbers[j].mean;
        if (isfinite(e->numbers[j].deviation)) continue;
        snprintf(e->message, sizeof e->message,
                 "'%s' has no deviation, which a filter starts from; at rest it may have none",
                 e->names[j]);
        return TD_ERR_VALUE;
    }
    td_status status = TD_OK;
    unknowns_apply(e, e->w);
    if (rests) status = settle(e, e->w);
    if (status >= 0 && rests && e->n_w > 0) status = find_slopes(e, e->w);
    if (status < 0) return status;
    memset(e->A, 0, sizeof *e->A * (size_t)e->n_w * (size_t)e->n_w);
    for (int j = 0; j < e->n_w; j++) e->A[j * (e->n_w + 1)] = pow(e->numbers[j].deviation, 2);
    spread(e, rests);
    const bool sure = e->def->coordinate_deviation == 0.0 && e->def->rate_deviation == 0.0;
    if (rests && sure && e->n_w > 0 && td_n_initial(e->system) == 0) *e->rested = REST_AS_BEGUN;
    return TD_OK;
}

static td_status begin(td_estimator *e) {
    const td_system *system = e->system;
    td_state_reset(system, e->state);
    td_status status = td_apply_signals(system, e->state, 0.0, TD_BEFORE);
    if (status >= 0) status = estimator_begin_here(e, system->start == TD_START_STATIC);
    if (status < 0) return status;
    return td_n_initial(system) > 0 ? td_apply_initial(system, e->state) : TD_OK;
}

td_status td_estimator_begin(td_estimator *e) {
    estimator_keep(e);
    const td_status status = begin(e);
    return status < 0 ? estimator_fail(e, status) : status;
}

// ---------------------------------------------------------------- what a sensor should read
td_status td_estimator_get_sensor(td_estimator *e, int which, double *reading, double *deviation) {
    e->message[0] = '\0';
    if (which < 0 || which >= e->system->n_sensors)
        return refuse(e, TD_ERR_ARGUMENT, "no such sensor");
    if (td_sensor_outputs(e->system, which, NULL) == 0)
        return refuse(e, TD_ERR_UNSUPPORTED, "what it measures has no slopes");
    if (reading) sensor_expected(e, which, reading);
    return deviation ? sensor_deviation(e, which, deviation) : TD_OK;
}

// C P C', a row C_i P at a time
td_status td_estimator_get_outputs(td_estimator *e, td_linearisation *l, double *covariance) {
    const int n = e->n, n_y = l->of.n_y;
    e->message[0] = '\0';
    if (l->system != e->system)
        return refuse(e, TD_ERR_ARGUMENT, "the outputs are those of another system");
    for (int i = 0; i < l->n_named; i++)
        if (l->outputs[i].quantity == TD_OUTPUT_REACTION)
            return refuse(e, TD_ERR_UNSUPPORTED,
                          "reactions follow accelerations, which are not estimated");
    l->known = false;
    motion_outputs(l, e->state);
    unknowns_slopes(e, e->w);
    for (int i = 0; i < n_y; i++) {
        if (!output_row(e, &l->of, i, e->next))
            return refuse(e, TD_ERR_UNSUPPORTED,
                          "an output follows an effort that is not given, or accelerations");
        dense_mul(1, n, n, 1.0, e->next, e->P, e->dx);
        for (int k = 0; k <= i; k++) {
            output_row(e, &l->of, k, e->next);
            covariance[i * n_y + k] = covariance[k * n_y + i] =
                dense_dot((size_t)n, e->dx, e->next);
        }
    }
    return TD_OK;
}
