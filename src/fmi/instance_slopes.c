// The derivative of the last communication step of an FMU: outputs at its end by inputs that were set for it.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fmi/instance.h"
#include "tendril/loop.h"

// ---------------------------------------------------------------- the steps again
static bool prepare(fmi_instance *f) {
    td_error err = {0};
    const fmi_variables *v = &f->variables;
    if (!f->trial) f->trial = td_state_create(f->d.system);
    if (!f->jacobian)
        f->jacobian = calloc((size_t)v->n_outputs * (size_t)v->n_inputs + 1, sizeof(double));
    if (!f->trial || !f->jacobian) {
        instance_say(f, FMI_ERROR, "out of memory");
        return false;
    }
    if (!f->linear) f->linear = variables_linearisation(v, f->d.system, &err);
    if (!f->linear) instance_say(f, FMI_ERROR, "%s: %s", err.where, err.message);
    return f->linear != NULL;
}

// c += x a b, (n x m) = (n x k) (k x m); b NULL: the unit matrix.
static void add_product(double *c, double x, const double *a, const double *b, int n, int k,
                        int m) {
    if (x == 0.0 || !a) return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            const double y = x * a[i * k + j];
            if (!b) c[i * m + j] += y;
            else
                for (int l = 0; y != 0.0 && l < m; l++) c[i * m + l] += y * b[j * m + l];
        }
}

// What follows part k of n: slopes of the state, x (n_states x inputs), and of all rows of the outputs, y (rows x inputs).
static void follow(const td_step_map *map, int k, int n, double h, int inputs, int rows,
                   const double *x, double *next, double *y) {
    const double before = (double)k / n, after = (k + 1.0) / n, rate = k ? 1.0 / h : 0.0;
    const int states = map->n_states;
    memset(next, 0, sizeof *next * (size_t)states * (size_t)inputs);
    memset(y, 0, sizeof *y * (size_t)rows * (size_t)inputs);
    if (x) add_product(next, 1.0, map->A, x, states, states, inputs);
    add_product(next, after, map->B, NULL, states, inputs, inputs);
    add_product(next, before, map->B0, NULL, states, inputs, inputs);
    add_product(next, rate, map->rates, NULL, states, inputs, inputs);
    if (x) add_product(y, 1.0, map->C, x, rows, states, inputs);
    add_product(y, after, map->D, NULL, rows, inputs, inputs);
    add_product(y, before, map->D0, NULL, rows, inputs, inputs);
    add_product(y, rate, map->output_rates, NULL, rows, inputs, inputs);
}

static fmi_status cannot(fmi_instance *f, td_status status) {
    const char *words = td_message(f->trial);
    return instance_say(f, FMI_ERROR, "this step has no derivative: %s",
                        words[0] ? words : status_words(status));
}

// x, next: room for the slopes of the state, made when their number is known.
typedef struct passing {
    double *x, *next, *y;
} passing;

static fmi_status pass_on(fmi_instance *f, passing *p, int k, int n, int rows) {
    const td_step_map *map = td_get_step_map(f->linear);
    const int inputs = f->variables.n_inputs;
    const size_t room = sizeof(double) * ((size_t)map->n_states * (size_t)inputs + 1);
    if (!p->next) p->next = malloc(room);
    if (!p->next) return instance_say(f, FMI_ERROR, "out of memory");
    follow(map, k, n, f->size, inputs, rows, p->x, p->next, p->y);
    double *old = p->x;
    p->x = p->next, p->next = old;
    return FMI_OK;
}

static fmi_status repeat_step(fmi_instance *f, passing *p, int rows) {
    const int n = instance_n_parts(f, f->size);
    td_status status =
        td_state_restore(f->d.system, f->trial, f->before, td_snapshot_bytes(f->d.system));
    if (status < 0) return cannot(f, status);
    for (int k = 0; k < n; k++) {
        const double dt = instance_part(f, f->trial, k, n);
        driven_put(&f->d, f->trial, td_get_time(f->d.system, f->trial), dt, (k + 1.0) / n);
        status = td_differentiate_step(f->d.system, f->trial, dt, f->linear);
        if (status < 0) return cannot(f, status);
        if (pass_on(f, p, k, n, rows) != FMI_OK) return FMI_ERROR;
    }
    return FMI_OK;
}

// ---------------------------------------------------------------- from rows to variables
// A small rotation w in the world changes a quaternion by (0, w) q/2.
static double turn_slope(const double q[4], int part, const double w[3]) {
    switch (part) {
    case 0: return -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3]);
    case 1: return 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
    case 2: return 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
    default: return 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
    }
}

static double slope_of(const fmi_instance *f, const fmi_variable *one, const double *y, int input) {
    const int m = f->variables.n_inputs;
    if (one->kind == FMI_VALUE) return y[one->part * m + input];
    const double w[3] = {y[input], y[m + input], y[2 * m + input]};
    double q[4];
    fmi_variable of = *one;
    for (of.part = 0; of.part < 4; of.part++)
        q[of.part] = variable_output(&of, &f->variables, f->d.system, f->d.state);
    return turn_slope(q, one->part, w);
}

// Has it a derivative?
static bool is_smooth(const fmi_variables *v, const fmi_variable *one) {
    return one->kind != FMI_READING && variables_row(v, one->index) >= 0;
}

static fmi_status differentiate(fmi_instance *f) {
    const fmi_variables *v = &f->variables;
    const int rows = variables_row(v, v->n_given), m = v->n_inputs;
    if (f->known) return FMI_OK;
    if (!prepare(f)) return FMI_ERROR;
    passing p = {.y = malloc(sizeof(double) * ((size_t)rows * (size_t)m + 1))};
    fmi_status status =
        p.y ? repeat_step(f, &p, rows) : instance_say(f, FMI_ERROR, "out of memory");
    for (int i = 0; status == FMI_OK && i < v->n_outputs; i++) {
        const fmi_variable *one = &v->all[v->first_output + i];
        if (!is_smooth(v, one)) continue;
        const double *y = p.y + (size_t)variables_row(v, one->index) * (size_t)m;
        for (int k = 0; k < m; k++) f->jacobian[i * m + k] = slope_of(f, one, y, k);
    }
    free(p.x);
    free(p.next);
    free(p.y);
    f->known = status == FMI_OK;
    return status;
}

// ---------------------------------------------------------------- what is asked
static fmi_status check_unknown(fmi_instance *f, uint32_t reference) {
    const fmi_variables *v = &f->variables;
    if (reference < (uint32_t)v->first_output || reference >= (uint32_t)v->n)
        return instance_say(f, FMI_ERROR, "value reference %u is no output", reference);
    if (!is_smooth(v, &v->all[reference]))
        return instance_say(f, FMI_ERROR,
                            "%s: readings of sensors, and reactions in motion, have no derivative",
                            v->all[reference].name);
    return FMI_OK;
}

static fmi_status check_known(fmi_instance *f, uint32_t reference) {
    const fmi_variables *v = &f->variables;
    if (reference < 1 || reference > (uint32_t)v->n_inputs)
        return instance_say(f, FMI_ERROR,
                            "value reference %u is no input: derivatives are by "
                            "inputs alone",
                            reference);
    if (!f->d.held[reference - 1])
        return instance_say(f, FMI_ERROR,
                            "%s follows its signal in the file: only inputs that were set have a "
                            "derivative",
                            v->all[reference].name);
    return FMI_OK;
}

static fmi_status check(fmi_instance *f, const uint32_t *unknowns, size_t n_unknowns,
                        const uint32_t *knowns, size_t n_knowns) {
    if (f->mode != FMI_STEPPING || !f->took)
        return instance_say(f, FMI_ERROR,
                            "derivatives are those of the last step, and there was "
                            "none");
    if (td_n_controllers(f->d.system) > 0)
        return instance_say(f, FMI_ERROR,
                            "a robot with controllers in its file has no derivative: "
                            "what they answer would be left out");
    for (size_t i = 0; i < n_unknowns; i++)
        if (check_unknown(f, unknowns[i]) != FMI_OK) return FMI_ERROR;
    for (size_t i = 0; i < n_knowns; i++)
        if (check_known(f, knowns[i]) != FMI_OK) return FMI_ERROR;
    return differentiate(f);
}

fmi_status instance_slopes(fmi_instance *f, const uint32_t *unknowns, size_t n_unknowns,
                           const uint32_t *knowns, size_t n_knowns, const double *seed,
                           double *sensitivity, bool transposed) {
    const fmi_status status = check(f, unknowns, n_unknowns, knowns, n_knowns);
    if (status != FMI_OK) return status;
    const size_t n = transposed ? n_knowns : n_unknowns;
    for (size_t i = 0; i < n; i++) sensitivity[i] = 0.0;
    for (size_t i = 0; i < n_unknowns; i++)
        for (size_t k = 0; k < n_knowns; k++) {
            const size_t row = unknowns[i] - (uint32_t)f->variables.first_output;
            const double slope = f->jacobian[row * (size_t)f->variables.n_inputs + knowns[k] - 1];
            if (transposed) sensitivity[k] += slope * seed[i];
            else sensitivity[i] += slope * seed[k];
        }
    return FMI_OK;
}
