// study/knot_slopes.c - how results of a run answer to knots of its inputs: see knot_slopes.h.
//
// A knot p moves inputs between its neighbours, u_j += w_p(t_j) dx. The forward sweep (tendril/gradient.h) gives what all outputs do
// then at all instants, one direction for each knot in one sweep, and expressions tell how results answer to outputs
// at each instant:
//
//     dr/dx_p = sum_j sum_k (dr/dq_k(t_j)) (dq_k(t_j)/dx_p)
#include "study/knot_slopes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tendril/gradient.h"

#define WHOLE 1e-6  // of a step, by which a run may miss a whole number of steps

typedef struct sweep {
    const td_study *s;
    td_robot *robot;
    td_system *system;
    td_state *state, *probe;
    td_gradient *g;
    td_output *outputs;          // (n_outputs) of quantities that are outputs
    int *first;                  // (n_quantities) of its number among y; -1: it is no output
    study_quantity *quantities;  // (n_quantities) as they are in this system
    int n_steps, n_y, n_outputs, n_directions, n_inputs;
    int *direction_of;  // (n_parameters) -1: it does not vary
    double dt;
    double *inputs;      // (n_steps x n_inputs)
    double *y;           // (n_steps x n_y)
    double *directions;  // (n_directions x n_steps x n_inputs)
    double *dy;          // (n_directions x n_steps x n_y)
    double *variables;   // (n_steps + 1 x N_VARIABLES)
    double *times;       // (n_steps + 1)
    double *totals;      // (n_totals)
    double *slopes;      // (n_steps + 1)
    td_error *err;
} sweep;

bool knot_slopes_exist(const td_study *s, const bool *free) {
    if (s->action != ACTION_RUN || s->n_settings > 0) return false;
    for (int i = 0; i < s->n_parameters; i++)
        if (free[i] && !(s->parameters[i].n_knots && isfinite(s->parameters[i].from))) return false;
    for (int i = 0; i < s->n_quantities; i++) {
        const quantity_kind kind = s->quantities[i].kind;
        if (kind != QUANTITY_OUTPUT && kind != QUANTITY_INPUT && kind != QUANTITY_TIME)
            return false;
    }
    return true;
}

static td_status no_memory(sweep *w) {
    return error_set(w->err, TD_ERR_MEMORY, NULL, "out of memory");
}

// ---------------------------------------------------------------- what is there
static td_status build(sweep *w, const double *parameters) {
    w->robot = study_robot(w->s, parameters, w->err);
    if (!w->robot) return w->err->status;
    td_options options = td_robot_options(w->robot);
    if (w->s->tightest > 0.0) options.tolerance = fmin(options.tolerance, w->s->tightest);
    w->system = td_system_create(w->robot, &options, w->err);
    if (!w->system) return w->err->status;
    w->state = td_state_create(w->system);
    w->probe = td_state_create(w->system);
    if (!w->state || !w->probe) return no_memory(w);
    const td_scenario times = td_robot_scenario(w->robot);
    w->dt = times.step;
    w->n_steps = (int)lround(times.end / times.step);
    w->n_inputs = td_n_inputs(w->system);
    if (w->n_steps < 1 || fabs(times.end - w->n_steps * times.step) > WHOLE * times.step)
        return error_set(w->err, TD_ERR_UNSUPPORTED, NULL, "the run is no whole number of steps");
    return TD_OK;
}

static td_status find_outputs(sweep *w) {
    const td_study *s = w->s;
    td_status status = TD_OK;
    for (int i = 0; i < s->n_quantities && status >= 0; i++) {
        study_quantity *q = &w->quantities[i];
        status = quantity_find(w->system, s->quantities[i].name, q, w->err);
        w->first[i] = -1;
        if (status < 0 || q->kind != QUANTITY_OUTPUT) continue;
        w->first[i] = w->n_y;
        w->n_y += td_output_size(q->output.output.quantity);
        w->outputs[w->n_outputs++] = q->output.output;
    }
    return status;
}

static td_status allocate(sweep *w, const bool *free) {
    const td_study *s = w->s;
    const size_t q = (size_t)s->n_quantities + 1, n = (size_t)w->n_steps + 1;
    w->outputs = calloc(q, sizeof *w->outputs);
    w->first = calloc(q, sizeof *w->first);
    w->quantities = calloc(q, sizeof *w->quantities);
    w->direction_of = calloc((size_t)s->n_parameters + 1, sizeof *w->direction_of);
    if (!w->outputs || !w->first || !w->quantities || !w->direction_of) return no_memory(w);
    const td_status status = find_outputs(w);
    if (status < 0) return status;
    for (int i = 0; i < s->n_parameters; i++) w->direction_of[i] = free[i] ? w->n_directions++ : -1;
    const size_t y = (size_t)w->n_y + 1, u = (size_t)w->n_inputs + 1, d = (size_t)w->n_directions;
    double *at =
        calloc(n * (y + u + d * (u + y) + N_VARIABLES + 2) + (size_t)s->n_totals + 1, sizeof *at);
    w->inputs = at;
    if (!at) return no_memory(w);
    w->y = w->inputs + n * u;
    w->directions = w->y + n * y;
    w->dy = w->directions + n * u * d;
    w->variables = w->dy + n * y * d;
    w->times = w->variables + n * N_VARIABLES;
    w->slopes = w->times + n;
    w->totals = w->slopes + n;
    return TD_OK;
}

// ---------------------------------------------------------------- inputs
// What a knot does to its input at time t: a hat between its neighbours; the last stays what it is.
static double weight_of(const study_parameter *p, double t) {
    const double here = p->times[p->knot], before = p->knot ? p->times[p->knot - 1] : 0.0;
    if (t <= here) return t <= before ? 0.0 : (t - before) / (here - before);
    if (p->knot + 1 == p->n_knots) return 1.0;
    const double after = p->times[p->knot + 1];
    return t >= after ? 0.0 : (after - t) / (after - here);
}

static void fill_inputs(sweep *w) {
    const size_t n_u = (size_t)w->n_inputs;
    for (int j = 0; j < w->n_steps; j++) {
        const double t = (j + 1) * w->dt;
        td_apply_signals(w->system, w->probe, t, TD_BEFORE);
        for (int i = 0; i < w->n_inputs; i++)
            w->inputs[(size_t)j * n_u + (size_t)i] = td_get_input(w->system, w->probe, i);
        for (int p = 0; p < w->s->n_parameters; p++) {
            const int d = w->direction_of[p];
            if (d < 0) continue;
            const int input = td_find_input(w->system, w->s->parameters[p].input);
            w->directions[((size_t)d * (size_t)w->n_steps + (size_t)j) * n_u + (size_t)input] =
                weight_of(&w->s->parameters[p], t);
        }
    }
}

// ---------------------------------------------------------------- the run
static void fill_instant(sweep *w, int j, const double *parameters) {
    double *v = w->variables + (size_t)j * N_VARIABLES, all[6];
    memcpy(v, parameters, sizeof *v * (size_t)w->s->n_parameters);
    for (int i = 0; i < w->s->n_quantities; i++) {
        const study_quantity *q = &w->quantities[i];
        double *to = v + FIRST_QUANTITY + i;
        if (q->kind == QUANTITY_TIME) *to = j * w->dt;
        else if (q->kind == QUANTITY_INPUT && j == 0)
            *to = td_get_input(w->system, w->state, q->index);
        else if (q->kind == QUANTITY_INPUT)
            *to = w->inputs[(size_t)(j - 1) * (size_t)w->n_inputs + (size_t)q->index];
        else if (j == 0)
            td_get_output(w->system, w->state, &q->output.output, all), *to = all[q->index];
        else *to = w->y[(size_t)(j - 1) * (size_t)w->n_y + (size_t)(w->first[i] + q->index)];
    }
    w->times[j] = j ? w->dt : 0.0;
    for (int i = 0; i < w->s->n_results; i++)
        expression_gather(w->s->results[i].value, v, w->times[j], j == 0,
                          w->totals + w->s->results[i].first_total);
}

static td_status run(sweep *w, const double *parameters, double *results) {
    td_gradient_options o = td_default_gradient_options();
    o.outputs = w->outputs, o.n_outputs = w->n_outputs;
    o.n_steps = o.n_checkpoints = w->n_steps, o.n_directions = w->n_directions;
    w->g = td_gradient_create(w->system, &o, w->err);
    if (!w->g) return w->err->status;
    td_status status = td_begin(w->system, w->state);
    if (status < 0) return error_set(w->err, status, NULL, "%s", td_message(w->state));
    fill_inputs(w);
    status = td_gradient_run(w->g, w->state, w->dt, w->inputs, NULL, w->y);
    if (status >= 0)
        status = td_gradient_forward(w->g, w->n_directions, w->directions, NULL, NULL, w->dy);
    if (status < 0) return error_set(w->err, status, NULL, "%s", td_gradient_message(w->g));
    for (int j = 0; j <= w->n_steps; j++) fill_instant(w, j, parameters);
    double *last = w->variables + (size_t)w->n_steps * N_VARIABLES;
    for (int i = 0; i < w->s->n_results; i++)
        last[FIRST_RESULT + i] = results[i] = expression_value(
            w->s->results[i].value, last, w->totals + w->s->results[i].first_total);
    return TD_OK;
}

// ---------------------------------------------------------------- slopes
// What quantity k does at instant j (from 1) along direction d.
static double quantity_slope(const sweep *w, int k, int j, int d) {
    const study_quantity *q = &w->quantities[k];
    const size_t row = (size_t)d * (size_t)w->n_steps + (size_t)(j - 1);
    if (q->kind == QUANTITY_INPUT)
        return w->directions[row * (size_t)w->n_inputs + (size_t)q->index];
    if (q->kind == QUANTITY_OUTPUT)
        return w->dy[row * (size_t)w->n_y + (size_t)(w->first[k] + q->index)];
    return 0.0;
}

static void slopes_of_result(sweep *w, int i, double *J) {
    const td_study *s = w->s;
    const study_result *r = &s->results[i];
    const expression_history h = {.n = w->n_steps + 1,
                                  .stride = N_VARIABLES,
                                  .variables = w->variables,
                                  .times = w->times,
                                  .totals = w->totals + r->first_total};
    double *row = J + (size_t)i * (size_t)s->n_parameters;
    const double *last = w->variables + (size_t)w->n_steps * N_VARIABLES;
    for (int p = 0; p < s->n_parameters; p++) {
        row[p] = 0.0;
        if (w->direction_of[p] < 0 || !expression_uses(r->value, p)) continue;
        expression_slopes(r->value, &h, p, w->slopes);
        for (int j = 0; j <= w->n_steps; j++) row[p] += w->slopes[j];
    }
    for (int k = 0; k < s->n_quantities; k++) {
        if (!expression_uses(r->value, FIRST_QUANTITY + k)) continue;
        expression_slopes(r->value, &h, FIRST_QUANTITY + k, w->slopes);
        for (int p = 0; p < s->n_parameters; p++)
            for (int j = 1; j <= w->n_steps && w->direction_of[p] >= 0; j++)
                if (w->slopes[j] != 0.0)
                    row[p] += w->slopes[j] * quantity_slope(w, k, j, w->direction_of[p]);
    }
    for (int k = 0; k < i; k++) {
        if (!expression_uses(r->value, FIRST_RESULT + k)) continue;
        const double by = expression_slope(r->value, last, h.totals, FIRST_RESULT + k);
        for (int p = 0; p < s->n_parameters; p++)
            row[p] += by * J[(size_t)k * (size_t)s->n_parameters + (size_t)p];
    }
}

static void take_down(sweep *w) {
    td_gradient_destroy(w->g);
    td_state_destroy(w->state);
    td_state_destroy(w->probe);
    td_system_destroy(w->system);
    td_robot_destroy(w->robot);
    free(w->outputs);
    free(w->first);
    free(w->quantities);
    free(w->direction_of);
    free(w->inputs);
}

td_status knot_slopes(const td_study *s, const bool *free, const double *parameters,
                      double *results, double *J, td_error *err) {
    td_error ignored;
    sweep w = {.s = s, .err = err ? err : &ignored};
    td_status status = build(&w, parameters);
    if (status >= 0) status = allocate(&w, free);
    if (status >= 0) status = run(&w, parameters, results);
    for (int i = 0; i < s->n_results && status >= 0; i++) slopes_of_result(&w, i, J);
    take_down(&w);
    return status;
}
