// sim/reach.c - inverse statics of any model that has Jacobians: on the inputs Levenberg and
// Marquardt's method, which goes round where they do not move the point in every direction, as on a
// straight arm; each step is answered by an equilibrium.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "math/quat.h"
#include "sim/solver.h"

#define STRIDE 0.1  // of the way to the target taken at once, rad or lengths of the longest rod
#define MOST_STRIDES 100  // as far away targets are walked to
#define MOST_TRIES 12     // of a step that does not come nearer
#define MOST_ROUNDS 20    // towards the smallest change
#define FIRST_DAMPING 1e-2
#define MOST_DAMPING 1e4
#define GOOD 0.75         // share of what slopes foretell that lets a step be bolder ...
#define POOR 0.25         // ... or makes it more careful
#define CLOSE 1e-10       // what is nothing any more
#define NEAR_ENOUGH 1e-6  // what may be left without a word
#define DEGREES 57.29577951308232

typedef struct reach {
    const td_system *system;
    td_state *state;
    const td_target *target;
    const int *chosen;
    int n, first;         // inputs; first row of the pose that counts: 0, or 3 for its position
    double length;        // m, of the longest rod
    const double *start;  // (n_inputs) where the inputs began
    double damping;       // in units of the matrix
    td_stats sum;         // of all equilibria
    td_status last;       // of the last one
} reach;

// ---------------------------------------------------------------- the point
static td_pose pose_now(const reach *v) {
    const td_model *model = v->system->model;
    const void *compiled = v->system->compiled, *memory = v->state->memory;
    if (v->target->body >= 0) return model->body(compiled, memory, v->target->body).pose;
    return model->sample(compiled, memory, v->target->rod, v->target->s).pose;
}

// Rotation (rad) and translation (in lengths of a rod) that are missing; their norm.
static double missing(const reach *v, double out[6]) {
    td_pose now = pose_now(v);
    quat turn = quat_mul(quat_load(v->target->pose.q), quat_conj(quat_load(now.q)));
    vec3 shift = vec3_sub(vec3_load(v->target->pose.p), vec3_load(now.p));
    vec3_store(out, v->first == 0 ? quat_log(turn) : vec3_zero());
    vec3_store(out + 3, vec3_scale(shift, 1.0 / v->length));
    return hypot(vec3_norm(vec3_load(out)), vec3_norm(vec3_load(out + 3)));
}

// d(row of the pose)/d(chosen input)
static double slope(const reach *v, int row, int k) {
    const double J = v->state->jacobian[row * v->system->n_inputs + v->chosen[k]];
    if (v->state->frozen[k] != 0.0) return 0.0;
    return row < 3 ? J : J / v->length;
}

// ---------------------------------------------------------------- inputs
static bool solve_damped(int n, double *A, double damping, double *b) {
    int pivot[6];
    double trace = 0.0;
    for (int i = 0; i < n; i++) trace += A[i * n + i] / n;
    for (int i = 0; i < n; i++) {
        A[i * n + i] += damping * trace;
        if (A[i * n + i] == 0.0) A[i * n + i] = 1.0;  // what does nothing, and is not asked for
    }
    if (!lu_factor(n, A, pivot)) return false;
    lu_solve(n, A, pivot, b);
    return true;
}

// Fewer inputs than rows: least squares, P'P x = P'wanted, in units that make each input alike.
static bool fit_inputs(const reach *v, const double wanted[6], double *change) {
    double A[36], b[6] = {0.0}, unit[6] = {0.0};
    for (int i = 0; i < v->n; i++) {
        for (int r = v->first; r < 6; r++) unit[i] += slope(v, r, i) * slope(v, r, i);
        unit[i] = unit[i] > 0.0 ? 1.0 / sqrt(unit[i]) : 1.0;
        for (int r = v->first; r < 6; r++) b[i] += unit[i] * slope(v, r, i) * wanted[r];
    }
    for (int i = 0; i < v->n * v->n; i++) {
        const int row = i / v->n, column = i % v->n;
        A[i] = 0.0;
        for (int r = v->first; r < 6; r++) A[i] += slope(v, r, row) * slope(v, r, column);
        A[i] *= unit[row] * unit[column];
    }
    if (!solve_damped(v->n, A, v->damping, b)) return false;
    for (int i = 0; i < v->n; i++) change[i] = unit[i] * b[i];
    return true;
}

// As many or more: the smallest x with P x = wanted, besides what `change` holds already.
static bool least_inputs(const reach *v, const double wanted[6], double *change) {
    const int rows = 6 - v->first;
    double A[36], y[6];
    for (int i = 0; i < rows; i++) {
        y[i] = wanted[v->first + i];
        for (int k = 0; k < v->n; k++) y[i] -= slope(v, v->first + i, k) * change[k];
    }
    for (int i = 0; i < rows * rows; i++) {
        A[i] = 0.0;
        for (int k = 0; k < v->n; k++)
            A[i] += slope(v, v->first + i / rows, k) * slope(v, v->first + i % rows, k);
    }
    if (!solve_damped(rows, A, v->damping, y)) return false;
    for (int k = 0; k < v->n; k++)
        for (int i = 0; i < rows; i++) change[k] += slope(v, v->first + i, k) * y[i];
    return true;
}

typedef struct forecast {  // of a change, as far as slopes tell
    double moved;          // how far it moves the point; negative: there is no change
    double left;           // what will be missing then
} forecast;

// Tendons that have no tension and should get less of it, stay. Were there any but those known?
static bool freeze(const reach *v, const double *change) {
    bool more = false;
    for (int k = 0; k < v->n; k++) {
        const double x = v->state->inputs[v->chosen[k]];
        if (change[k] == 0.0 || pull_only(v->system, v->chosen[k], x + change[k]) != x) continue;
        more = more || v->state->frozen[k] == 0.0;
        v->state->frozen[k] = 1.0;
    }
    return more;
}

// The change that brings the point nearer by at most a stride.
static forecast choose_inputs(const reach *v, const double gap[6], double far, double *change) {
    double wanted[6], moved = 0.0, left = 0.0;
    bool found = true;
    for (int r = 0; r < 6; r++) wanted[r] = gap[r] * fmin(1.0, STRIDE / far);
    memset(v->state->frozen, 0, sizeof(double) * (size_t)v->n);
    do {
        memset(change, 0, sizeof(double) * (size_t)v->n);
        found =
            v->n < 6 - v->first ? fit_inputs(v, wanted, change) : least_inputs(v, wanted, change);
    } while (found && freeze(v, change));
    for (int r = v->first; r < 6; r++) {
        double by = 0.0;
        for (int k = 0; k < v->n; k++) by += slope(v, r, k) * change[k];
        moved += by * by;
        left += (gap[r] - by) * (gap[r] - by);
    }
    return (forecast){found && isfinite(moved) ? sqrt(moved) : -1.0, sqrt(left)};
}

// ---------------------------------------------------------------- equilibria
static td_status settle(reach *v) {
    td_stats one = {0};
    td_state *s = v->state;
    model_call call = state_call(v->system, s);
    call.stats = &one;
    s->message[0] = '\0';
    v->last = solver_statics(v->system, s, &call);
    const td_stats before = v->sum;
    v->sum = one;
    v->sum.iterations += before.iterations;
    v->sum.evaluations += before.evaluations;
    v->sum.jacobians += before.jacobians;
    v->sum.fallbacks += before.fallbacks;
    return v->last;
}

// Leaves a copy of all that is kept in outer_backup.
static td_status linearise(const reach *v) {
    const td_system *system = v->system;
    td_state *s = v->state;
    td_stats one = {0};
    const model_point at = {v->target->body, v->target->rod, v->target->s};
    model_call call = state_call(v->system, s);
    call.stats = &one;
    memcpy(s->outer_backup, s->keep, system->keep_bytes);
    td_status status = solver_jacobian(system, s, &call, &at, s->jacobian);
    memcpy(s->keep, s->outer_backup, system->keep_bytes);
    return status;
}

static bool apply(reach *v) {
    td_state *s = v->state;
    memcpy(s->keep, s->outer_backup, v->system->keep_bytes);
    for (int k = 0; k < v->n; k++) {
        double *x = &s->inputs[v->chosen[k]];
        *x = pull_only(v->system, v->chosen[k], *x + s->changes[k]);
    }
    return settle(v) >= 0;
}

static void put_back(const reach *v) {
    memcpy(v->state->keep, v->state->outer_backup, v->system->keep_bytes);
}

typedef enum outcome { NEARER, NOTHING_LEFT, STUCK } outcome;

// A step that comes nearer than `far`. It is the more damped the less the slopes tell of what
// happens.
static outcome take_step(reach *v, const double gap[6], double far) {
    double now[6], most = 0.0;
    for (int i = 0; i < MOST_TRIES && v->damping <= MOST_DAMPING; i++) {
        forecast f = choose_inputs(v, gap, far, v->state->changes);
        most = fmax(most, f.moved);
        if (f.moved >= 0.0 && most <= CLOSE) return NOTHING_LEFT;
        double left = f.moved > 0.0 && apply(v) ? missing(v, now) : HUGE_VAL;
        const double gain = (far - left) / (far - f.left);
        if (gain > GOOD) v->damping *= v->damping > 1e-12 ? 0.1 : 0.0;
        if (!(gain >= POOR)) v->damping = fmax(10.0 * v->damping, FIRST_DAMPING);
        if (left < far) return NEARER;
    }
    put_back(v);
    return STUCK;
}

static td_status iterate(reach *v) {
    const bool fits = v->n < 6 - v->first;
    v->damping = FIRST_DAMPING;
    for (int i = 0; i < MOST_STRIDES; i++) {
        double gap[6], far = missing(v, gap);
        if (far <= CLOSE) return TD_OK;
        td_status status = linearise(v);
        if (status < 0) return status;
        outcome o = take_step(v, gap, far);
        if (o == NEARER) continue;
        if (fits || far <= NEAR_ENOUGH) return TD_OK;
        return o == STUCK ? TD_ERR_NOT_CONVERGED : TD_ERR_SINGULAR;
    }
    return TD_ERR_NOT_CONVERGED;
}

// On along the inputs that do not move the point, to those nearest to where they began.
static void approach_start(reach *v) {
    td_state *s = v->state;
    v->damping = 0.0;
    memset(s->frozen, 0, sizeof(double) * (size_t)v->n);
    for (int i = 0; i < MOST_ROUNDS && linearise(v) >= 0; i++) {
        double gap[6], moved = 0.0, whole = 0.0;
        missing(v, gap);
        for (int k = 0; k < v->n; k++) {
            s->changes[k] = v->start[v->chosen[k]] - s->inputs[v->chosen[k]];
            whole += s->changes[k] * s->changes[k];
        }
        if (!least_inputs(v, gap, s->changes)) return;
        for (int k = 0; k < v->n; k++) moved += s->changes[k] * s->changes[k];
        if (!(moved > 1e-18 * whole)) return;
        if (!apply(v) || missing(v, gap) > STRIDE) {
            put_back(v);
            return;
        }
    }
}

static void explain(const reach *v, td_status status, const double gap[6]) {
    char away[64], *message = v->state->message;
    int used = snprintf(away, sizeof away, "%.4g m", vec3_norm(vec3_load(gap + 3)) * v->length);
    if (v->first == 0)
        snprintf(away + used, sizeof away - (size_t)used, " and %.3g deg",
                 vec3_norm(vec3_load(gap)) * DEGREES);
    if (status == TD_ERR_SINGULAR)
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "inverse: here the inputs do not move the point in every direction asked for, and "
                 "it is still %s away",
                 away);
    else if (status >= 0)
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "inverse: the best fit: it stays %s away from the target", away);
    else
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "inverse: no inputs were found that bring the point there: it stays %s away from "
                 "the target; try one that is nearer, or other inputs",
                 away);
}

td_status reach_by_jacobian(const td_system *system, td_state *state, const td_target *target,
                            const int *chosen, int n) {
    reach v = {.system = system, .state = state, .target = target, .chosen = chosen, .n = n};
    double gap[6];
    v.first = target->position_only ? 3 : 0;
    v.start = state->backup + (state->inputs - state->keep);
    for (int i = 0; i < system->rods.n; i++) v.length = fmax(v.length, system->rod_lengths[i]);
    td_status status = settle(&v);
    if (status < 0) return status;
    status = iterate(&v);
    if (status >= 0 && n > 6 - v.first) {
        approach_start(&v);
        status = iterate(&v);
    }
    double left = missing(&v, gap);
    state->stats = v.sum;
    state->stats.residual = left;
    if (status == TD_ERR_SINGULAR || status == TD_ERR_NOT_CONVERGED) explain(&v, status, gap);
    if (status < 0 || left <= NEAR_ENOUGH) return status < 0 ? status : v.last;
    explain(&v, status, gap);
    return TD_LOOSE;
}
