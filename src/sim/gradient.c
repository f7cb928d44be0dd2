// sim/gradient.c - runs, and sweeps over their steps with the derivative of each: see tendril/gradient.h.
//
// Kept states are blocks of numbers that decide the future to the bit (td_state.keep), so steps that are taken again
// are the same steps. A segment is what lies between two checkpoints; its states are all kept while a sweep is there.
#include "tendril/gradient.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/dense.h"
#include "math/quat.h"
#include "math/se3.h"
#include "sim/linearise.h"

struct td_gradient {
    const td_system *system;
    td_linearisation *l;  // slopes of steps and of outputs
    td_state *state;
    int n_steps, n_checkpoints, n_directions;
    int segment;  // steps between checkpoints
    int n_y;
    size_t block;         // doubles of a kept state
    double *checkpoints;  // (n_checkpoints x block) where segments begin
    double *states;       // (segment + 1 x block) of the segment that is swept
    double *inputs;       // (n_steps x n_inputs) of the last run
    bool *restarts;       // (n_steps)
    double *end;          // (block) of the last run
    double dt;
    int taken;       // steps of the last run; 0: none
    int swept;       // the segment whose states are there; -1: none
    double *lambda;  // (n_states) adjoint
    double *by_z;    // (n: coordinates and multipliers) adjoint of z'', multipliers
    double *column;  // (n_columns)
    double *before;  // (n_directions x n_states) forward
    double *change;  // (n_columns)
    double *after;   // (n_states + n) of one direction
    size_t bytes;
    char message[MODEL_MESSAGE_SIZE + 64];
    void *memory;
};

td_gradient_options td_default_gradient_options(void) {
    return (td_gradient_options){.n_steps = 1, .n_directions = 1};
}

// ---------------------------------------------------------------- memory
static td_gradient *layout(const td_gradient *of, arena *a) {
    td_gradient *out = ARENA_TAKE(a, td_gradient, 1), g = *of;
    const int n_u = g.system->n_inputs, n_x = g.l->slopes.n, n = g.l->of.n;
    g.block = g.system->keep_bytes / sizeof(double);
    g.checkpoints = ARENA_TAKE(a, double, (size_t)g.n_checkpoints *g.block);
    g.states = ARENA_TAKE(a, double, (size_t)(g.segment + 1) * g.block);
    g.end = ARENA_TAKE(a, double, g.block);
    g.inputs = ARENA_TAKE(a, double, (size_t)g.n_steps *(size_t)n_u);
    g.restarts = ARENA_TAKE(a, bool, g.n_steps);
    g.lambda = ARENA_TAKE(a, double, n_x);
    g.by_z = ARENA_TAKE(a, double, n);
    g.column = ARENA_TAKE(a, double, g.l->slopes.n_columns);
    g.change = ARENA_TAKE(a, double, g.l->slopes.n_columns);
    g.before = ARENA_TAKE(a, double, (size_t)g.n_directions *(size_t)n_x);
    g.after = ARENA_TAKE(a, double, n_x + n);
    if (out) *out = g;
    return out;
}

static td_status check_options(const td_gradient_options *o, td_error *err) {
    const char *const where = "td_gradient_create";
    if (o->n_steps < 1)
        return error_set(err, TD_ERR_ARGUMENT, where, "%d steps: there must be at least one",
                         o->n_steps);
    if (o->n_checkpoints < 0 || o->n_checkpoints > o->n_steps)
        return error_set(
            err, TD_ERR_ARGUMENT, where,
            "%d checkpoints: there are 1 to %d, the number of steps, or 0 for a choice",
            o->n_checkpoints, o->n_steps);
    if (o->n_directions < 0)
        return error_set(err, TD_ERR_ARGUMENT, where, "%d directions: a number from 0 on",
                         o->n_directions);
    return TD_OK;
}

// As few that each segment is as long as said: the last checkpoints may not be needed.
static void divide(td_gradient *g, const td_gradient_options *o) {
    const int wanted = o->n_checkpoints ? o->n_checkpoints : (int)ceil(sqrt(o->n_steps));
    g->segment = (o->n_steps + wanted - 1) / wanted;
    g->n_checkpoints = (o->n_steps + g->segment - 1) / g->segment;
}

// Steps that are taken beside one by other robots begin with its coordinates and rates alone.
static td_status refuse_memory(const td_gradient *g, td_error *err) {
    const td_system *system = g->system;
    const char *why = NULL;
    if (g->l->slopes.n != 2 * td_n_coordinates(system) + g->l->n_flows)
        why = "they remember more than coordinates and rates; with 'sdirk2' and 'backward-euler', "
              "without friction, they have";
    for (int i = 0; i < system->n_inputs && !why; i++)
        if (system->rate_matters[i]) why = "inputs move bases or feed rods";
    if (!why) return TD_OK;
    return error_set(err, TD_ERR_UNSUPPORTED, "td_gradient_create",
                     "steps of '%s' have no derivative by numbers of the robot here: %s",
                     system->model->name, why);
}

static td_status check_parameters(const td_gradient *g, const td_gradient_options *o,
                                  td_error *err) {
    for (int i = 0; i < o->n_outputs && o->n_parameters > 0; i++)
        if (o->outputs[i].quantity == TD_OUTPUT_DRIVE)
            return error_set(err, TD_ERR_UNSUPPORTED, "td_gradient_create",
                             "outputs[%d]: what is read of a motor or valve has no derivative by "
                             "numbers of the robot",
                             i);
    for (int i = 0; i < o->n_parameters; i++) {
        const td_system *const sides[2] = {o->plus[i], o->minus[i]};
        bool alike = o->steps[i] != 0.0 && isfinite(o->steps[i]);
        for (int k = 0; k < 2; k++)
            alike = alike && sides[k] && sides[k]->model == g->system->model &&
                    sides[k]->n_inputs == g->system->n_inputs &&
                    solver_same_parts(g->system, sides[k], g->state);
        if (!alike)
            return error_set(err, TD_ERR_ARGUMENT, "td_gradient_create",
                             "parameter %d needs two systems of the same robot and model, and a "
                             "step that is not zero",
                             i);
    }
    if (o->n_parameters > 0 && g->system->follows)
        return error_set(
            err, TD_ERR_UNSUPPORTED, "td_gradient_create",
            "sections follow the mean stretch of a rod: steps then have no derivative by "
            "numbers of the robot yet");
    if (o->n_parameters > 0 && g->system->model->step) return refuse_memory(g, err);
    return TD_OK;
}

static td_linearisation *linearisation_of(const td_system *system, const td_gradient_options *o,
                                          td_error *err) {
    const size_t n = o->n_parameters > 0 ? (size_t)o->n_parameters : 0;
    step_parameter *all = malloc(sizeof *all * (n + 1));
    if (!all) {
        error_set(err, TD_ERR_MEMORY, "td_gradient_create", "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) all[i] = (step_parameter){o->plus[i], o->minus[i], o->steps[i]};
    td_linearisation *l = linearisation_create(system, o->outputs, o->n_outputs, all, (int)n, err);
    free(all);
    return l;
}

static td_status refuse_steps(const td_gradient *g, td_error *err) {
    const td_status status = refuse_step_slopes(g->l, g->state);
    return status < 0 ? error_set(err, status, "td_gradient_create", "%s", g->state->message)
                      : TD_OK;
}

td_gradient *td_gradient_create(const td_system *system, const td_gradient_options *o,
                                td_error *err) {
    if (check_options(o, err) < 0) return NULL;
    td_gradient g = {.system = system, .n_steps = o->n_steps, .n_directions = o->n_directions};
    divide(&g, o);
    g.l = linearisation_of(system, o, err);
    if (!g.l) return NULL;
    g.state = td_state_create(system);
    arena counted = {0};
    td_gradient *out = NULL;
    if (!g.state) {
        error_set(err, TD_ERR_MEMORY, "td_gradient_create", "out of memory");
    } else if (refuse_steps(&g, err) >= 0 && check_parameters(&g, o, err) >= 0) {
        layout(&g, &counted);
        void *memory = calloc(1, counted.used + 64);
        if (!memory) error_set(err, TD_ERR_MEMORY, "td_gradient_create", "out of memory");
        arena placed = {
            memory ? (unsigned char *)(((uintptr_t)memory + 63) & ~(uintptr_t)63) : NULL, 0};
        out = memory ? layout(&g, &placed) : NULL;
        if (out) out->memory = memory;
    }
    if (!out) {
        td_linearisation_destroy(g.l);
        td_state_destroy(g.state);
        return NULL;
    }
    out->n_y = out->l->of.n_y;
    out->bytes = counted.used + td_state_bytes(system) + out->l->bytes;
    return out;
}

void td_gradient_destroy(td_gradient *g) {
    if (!g) return;
    td_linearisation_destroy(g->l);
    td_state_destroy(g->state);
    free(g->memory);
}

int td_gradient_n_states(const td_gradient *g) {
    return g->l->slopes.n;
}

int td_gradient_n_outputs(const td_gradient *g) {
    return g->n_y;
}

size_t td_gradient_bytes(const td_gradient *g) {
    return g->bytes;
}

const td_state *td_gradient_state(const td_gradient *g) {
    return g->state;
}

const char *td_gradient_message(const td_gradient *g) {
    return g->message;
}

// ---------------------------------------------------------------- runs
static td_status refuse(td_gradient *g, td_status status, const char *why) {
    snprintf(g->message, sizeof g->message, "%s", why);
    return status;
}

static void keep(const td_gradient *g, double *to) {
    memcpy(to, g->state->keep, g->system->keep_bytes);
}

static void recall(const td_gradient *g, const double *from) {
    memcpy(g->state->keep, from, g->system->keep_bytes);
}

// What is set before step k (from 0), whose inputs go straight on from those before.
static void set_step(td_gradient *g, int k) {
    td_state *state = g->state;
    const int n_u = g->system->n_inputs;
    for (int i = 0; i < n_u; i++) {
        state->inputs[i] = g->inputs[(size_t)k * (size_t)n_u + (size_t)i];
        state->rate_given[i] = 0.0;
    }
    if (g->restarts[k]) td_restart(g->system, state);
}

static td_status take_step(td_gradient *g, int k) {
    set_step(g, k);
    const td_status status = td_step(g->system, g->state, g->dt);
    if (status < 0)
        snprintf(g->message, sizeof g->message, "step %d of %d: %s", k + 1, g->n_steps,
                 g->state->message);
    return status;
}

static void read_outputs(const td_gradient *g, double *y) {
    for (int i = 0; i < g->l->n_named; i++) {
        td_get_output(g->system, g->state, &g->l->outputs[i], y);
        y += td_output_size(g->l->outputs[i].quantity);
    }
}

static td_status check_run(td_gradient *g, const td_state *start, double dt, const double *inputs) {
    const size_t n = (size_t)g->n_steps * (size_t)g->system->n_inputs;
    if (start->clock->fingerprint != g->system->fingerprint)
        return refuse(g, TD_ERR_ARGUMENT, "the start is a state of another system");
    if (!(dt > 0.0) || !isfinite(dt)) {
        snprintf(g->message, sizeof g->message, "dt = %g s must be positive and finite", dt);
        return TD_ERR_ARGUMENT;
    }
    for (size_t i = 0; i < n; i++)
        if (!isfinite(inputs[i])) {
            snprintf(g->message, sizeof g->message, "inputs of step %zu: %g is not finite",
                     i / (size_t)g->system->n_inputs + 1, inputs[i]);
            return TD_ERR_NOT_FINITE;
        }
    return TD_OK;
}

td_status td_gradient_run(td_gradient *g, const td_state *start, double dt, const double *inputs,
                          const bool *restarts, double *y) {
    g->message[0] = '\0';
    g->taken = 0;
    g->swept = -1;
    td_status worst = check_run(g, start, dt, inputs);
    if (worst < 0) return worst;
    g->dt = dt;
    if (g->system->n_inputs)
        memcpy(g->inputs, inputs,
               sizeof(double) * (size_t)g->n_steps * (size_t)g->system->n_inputs);
    for (int k = 0; k < g->n_steps; k++) g->restarts[k] = restarts && restarts[k];
    recall(g, start->keep);
    for (int k = 0; k < g->n_steps; k++) {
        if (k % g->segment == 0) keep(g, g->checkpoints + (size_t)(k / g->segment) * g->block);
        const td_status status = take_step(g, k);
        if (status < 0) return status;
        if (status > worst) worst = status;
        if (y) read_outputs(g, y + (size_t)k * (size_t)g->n_y);
    }
    keep(g, g->end);
    g->taken = g->n_steps;
    return worst;
}

// ---------------------------------------------------------------- outputs as numbers
void td_get_output(const td_system *system, const td_state *state, const td_output *o, double *y) {
    td_error unused = {0};
    if (check_output(system, o, 0, &unused) < 0) {
        memset(y, 0, sizeof *y * (size_t)td_output_size(o->quantity));
        return;
    }
    observe_one(system, state, o, &(td_pose){.q = {1.0}}, y);
}

// Three rows of a matrix, turned.
static void turn_three(const mat3 *T, double *rows, int columns) {
    for (int k = 0; k < columns; k++) {
        double *at = rows + k;
        const vec3 x = mat3_mul_vec(T, (vec3){at[0], at[columns], at[2 * columns]});
        at[0] = x.x, at[columns] = x.y, at[2 * columns] = x.z;
    }
}

// exp(th) R = exp(u + du) with R = exp(u): du = dexp_inv(u) th.
static void turn_rows(const td_gradient *g) {
    const linear_matrices *of = &g->l->of;
    const int n_p = g->l->slopes.n_parameters;
    for (int i = 0, row = 0; i < g->l->n_named; i++) {
        if (g->l->outputs[i].quantity == TD_OUTPUT_POSE) {
            const mat3 T = so3_dexp_inv(quat_log(quat_load(g->l->poses[i].q)));
            for (int by = 0; by < 3; by++) {
                turn_three(&T, of->C[by] + row * of->n, of->n);
                turn_three(&T, of->F[by] + row * of->n_u, of->n_u);
            }
            turn_three(&T, g->l->by_parameter + row * n_p, n_p);
        }
        row += td_output_size(g->l->outputs[i].quantity);
    }
}

// ---------------------------------------------------------------- sweeps
// States of the segment of step k, all of them.
static td_status fill_segment(td_gradient *g, int k) {
    const int segment = k / g->segment, first = segment * g->segment;
    if (segment == g->swept) return TD_OK;
    g->swept = -1;
    recall(g, g->checkpoints + (size_t)segment * g->block);
    keep(g, g->states);
    if (g->segment == 1) {
        const bool last = segment + 1 == g->n_checkpoints;
        memcpy(g->states + g->block,
               last ? g->end : g->checkpoints + (size_t)(segment + 1) * g->block,
               g->system->keep_bytes);
    }
    for (int i = 0; i < g->segment && first + i < g->n_steps && g->segment > 1; i++) {
        const td_status status = take_step(g, first + i);
        if (status < 0) return status;
        keep(g, g->states + (size_t)(i + 1) * g->block);
    }
    g->swept = segment;
    return TD_OK;
}

// The slopes of step k, and of the outputs after it where they are asked for.
static td_status find_slopes(td_gradient *g, int k, bool outputs) {
    td_status status = fill_segment(g, k);
    if (status < 0) return status;
    const double *before = g->states + (size_t)(k % g->segment) * g->block;
    const step_slopes *s = &g->l->slopes;
    recall(g, before);
    set_step(g, k);
    keep(g, g->l->step_before);
    status = step_with_slopes(g->system, g->state, g->dt, &g->l->slopes);
    if (status >= 0 && s->n_parameters > 0 && g->system->model->step_slopes)
        status = motion_parameters(g->l, g->state, g->dt);
    if (status < 0) {
        snprintf(g->message, sizeof g->message, "step %d of %d: %s", k + 1, g->n_steps,
                 g->state->message);
        return status;
    }
    recall(g, before + g->block);
    if (outputs) motion_outputs(g->l, g->state);
    if (outputs) turn_rows(g);
    if (dense_is_finite((size_t)s->n * (size_t)s->n_columns, s->after)) return TD_OK;
    snprintf(g->message, sizeof g->message, "step %d of %d has no derivative: it is not finite",
             k + 1, g->n_steps);
    return TD_ERR_NOT_FINITE;
}

static td_status finish(td_gradient *g, td_status status) {
    recall(g, g->end);
    return status;
}

// lambda += C'w of z, z'; by_z those of z'' and the multipliers; the columns of the step those of inputs and their
// rates when it ends.
static void add_outputs(td_gradient *g, const double *w, double *lambda) {
    const linear_matrices *of = &g->l->of;
    const int n = of->n, n_q = of->n_q;
    for (int j = 0; j < of->n_y; j++) {
        if (w[j] == 0.0) continue;
        const double *C = of->C[0] + j * n, *C1 = of->C[1] + j * n, *C2 = of->C[2] + j * n;
        for (int k = 0; k < n_q; k++) {
            lambda[k] += C[k] * w[j];
            lambda[n_q + k] += C1[k] * w[j];
            g->by_z[k] += C2[k] * w[j];
        }
        for (int k = n_q; k < n; k++) g->by_z[k] += C[k] * w[j];
        double *c = g->column + g->l->slopes.n;
        for (int k = 0; k < of->n_u; k++) {
            c[of->n_u + k] += of->F[0][j * of->n_u + k] * w[j];
            c[3 * of->n_u + k] += of->F[1][j * of->n_u + k] * w[j];
        }
        const int n_p = g->l->slopes.n_parameters;
        for (int k = 0; k < n_p; k++) c[4 * of->n_u + k] += g->l->by_parameter[j * n_p + k] * w[j];
    }
}

static void add_product(const double *rows, int n, int columns, const double *by, double *to) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < columns && by[i] != 0.0; k++)
            to[k] += by[i] * rows[(size_t)i * (size_t)columns + (size_t)k];
}

// What a step has of its inputs, when it begins, when it ends, and of their rates then, u' = (u - before)/dt; k from 0.
static void spread(const td_gradient *g, int k, const td_gradient_result *r) {
    const int n_u = g->system->n_inputs;
    const double *c = g->column + g->l->slopes.n;
    for (int i = 0; i < n_u; i++) {
        const double rate0 = c[2 * n_u + i] / g->dt, rate1 = c[3 * n_u + i] / g->dt;
        const double by[3] = {c[n_u + i] + rate1, c[i] - rate1 + rate0, -rate0};  // k, k - 1, k - 2
        for (int back = 0; back < 3; back++) {
            const int at = k - back;
            if (at >= 0 && r->by_inputs)
                r->by_inputs[(size_t)at * (size_t)n_u + (size_t)i] += by[back];
            if (at == -1 && r->by_start_inputs) r->by_start_inputs[i] += by[back];
        }
    }
    for (int i = 0; i < g->l->slopes.n_parameters && r->by_parameters; i++)
        r->by_parameters[i] += c[4 * n_u + i];
}

static void clear(const td_gradient *g, const td_gradient_result *r) {
    const size_t n_u = (size_t)g->system->n_inputs;
    if (r->by_inputs) memset(r->by_inputs, 0, sizeof(double) * (size_t)g->n_steps * n_u);
    if (r->by_start_inputs) memset(r->by_start_inputs, 0, sizeof(double) * n_u);
    if (r->by_parameters)
        memset(r->by_parameters, 0, sizeof(double) * (size_t)g->l->slopes.n_parameters);
    memset(g->lambda, 0, sizeof(double) * (size_t)g->l->slopes.n);
}

td_status td_gradient_adjoint(td_gradient *g, const double *by_outputs,
                              const td_gradient_result *r) {
    const step_slopes *s = &g->l->slopes;
    g->message[0] = '\0';
    if (g->taken == 0) return refuse(g, TD_ERR_ARGUMENT, "there is no run: td_gradient_run");
    if (!dense_is_finite((size_t)g->n_steps * (size_t)g->n_y, by_outputs))
        return refuse(g, TD_ERR_NOT_FINITE, "a derivative of the cost by outputs is not finite");
    clear(g, r);
    for (int k = g->n_steps - 1; k >= 0; k--) {
        const double *w = by_outputs + (size_t)k * (size_t)g->n_y;
        const bool weighs = !dense_is_zero(g->n_y, w);
        const td_status status = find_slopes(g, k, weighs);
        if (status < 0) return finish(g, status);
        memset(g->by_z, 0, sizeof(double) * (size_t)g->l->of.n);
        memset(g->column, 0, sizeof(double) * (size_t)s->n_columns);
        if (weighs) add_outputs(g, w, g->lambda);
        add_product(s->after, s->n, s->n_columns, g->lambda, g->column);
        add_product(s->beside, g->l->of.n, s->n_columns, g->by_z, g->column);
        spread(g, k, r);
        memcpy(g->lambda, g->column, sizeof(double) * (size_t)s->n);
    }
    if (r->by_start) memcpy(r->by_start, g->lambda, sizeof(double) * (size_t)s->n);
    return finish(g, TD_OK);
}

// ---------------------------------------------------------------- forward
// The columns of step k (from 0) along a direction of inputs.
static void set_change(const td_gradient *g, int k, const double *x, const double *inputs,
                       const double *parameters) {
    const int n = g->l->slopes.n, n_u = g->system->n_inputs, n_p = g->l->slopes.n_parameters;
    double *c = g->change + n;
    copy_doubles(n, g->change, x);
    memset(c, 0, sizeof(double) * (size_t)(4 * n_u + n_p));
    for (int i = 0; i < n_p && parameters; i++) c[4 * n_u + i] = parameters[i];
    for (int i = 0; i < n_u && inputs; i++) {
        const double *u = inputs + (size_t)k * (size_t)n_u + (size_t)i;
        const double now = u[0], before = k > 0 ? u[-n_u] : 0.0,
                     earlier = k > 1 ? u[-2 * n_u] : 0.0;
        c[i] = before;
        c[n_u + i] = now;
        c[2 * n_u + i] = (before - earlier) / g->dt;
        c[3 * n_u + i] = (now - before) / g->dt;
    }
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// x of the direction moves on; dy (n_y).
static void go(td_gradient *g, double *x, double *dy) {
    const step_slopes *s = &g->l->slopes;
    const linear_matrices *of = &g->l->of;
    const int n = s->n, N = s->n_columns, n_u = of->n_u, n_p = s->n_parameters;
    double *beside = g->after + n;
    for (int i = 0; i < n; i++) g->after[i] = dot(N, s->after + (size_t)i * (size_t)N, g->change);
    for (int i = 0; i < of->n; i++)
        beside[i] = dot(N, s->beside + (size_t)i * (size_t)N, g->change);
    for (int j = 0; j < of->n_y; j++) {
        const double *C = of->C[0] + j * of->n;
        dy[j] = dot(of->n_q, C, g->after) + dot(of->n_q, of->C[1] + j * of->n, g->after + of->n_q) +
                dot(of->n_q, of->C[2] + j * of->n, beside) +
                dot(of->n - of->n_q, C + of->n_q, beside + of->n_q) +
                dot(n_u, of->F[0] + j * n_u, g->change + n + n_u) +
                dot(n_u, of->F[1] + j * n_u, g->change + n + 3 * n_u) +
                dot(n_p, g->l->by_parameter + j * n_p, g->change + n + 4 * n_u);
    }
    copy_doubles(n, x, g->after);
}

td_status td_gradient_forward(td_gradient *g, int n, const double *inputs, const double *start,
                              const double *parameters, double *dy) {
    const size_t n_p = (size_t)g->l->slopes.n_parameters;
    const size_t n_x = (size_t)g->l->slopes.n, n_u = (size_t)g->system->n_inputs;
    const size_t steps = (size_t)g->n_steps, n_y = (size_t)g->n_y;
    g->message[0] = '\0';
    if (g->taken == 0) return refuse(g, TD_ERR_ARGUMENT, "there is no run: td_gradient_run");
    if (n < 0 || n > g->n_directions) {
        snprintf(g->message, sizeof g->message, "%d directions: there is room for %d", n,
                 g->n_directions);
        return TD_ERR_ARGUMENT;
    }
    if (start) memcpy(g->before, start, sizeof(double) * (size_t)n * n_x);
    else memset(g->before, 0, sizeof(double) * (size_t)n * n_x);
    for (int k = 0; k < g->n_steps; k++) {
        const td_status status = find_slopes(g, k, g->n_y > 0);
        if (status < 0) return finish(g, status);
        for (size_t i = 0; i < (size_t)n; i++) {
            double *x = g->before + i * n_x;
            set_change(g, k, x, inputs ? inputs + i * steps * n_u : NULL,
                       parameters ? parameters + i * n_p : NULL);
            go(g, x, dy + (i * steps + (size_t)k) * n_y);
        }
    }
    return finish(g, TD_OK);
}
