// study/experiment_slopes.c - how equilibria of recordings answer to the numbers, exactly: K dz = -dr, with dr by
// the number that is varied (td_get_sensitivity) instead of differences of whole equilibria.
//
// Only of poses: of points of rods, of bodies that are free, of markers on these. What else there is, differences tell.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/quat.h"
#include "math/se3.h"
#include "sim/solver.h"
#include "study/experiment_run.h"

typedef struct slopes {
    run at;               // with the numbers themselves
    run *plus, *minus;    // (n_parameters) with one of them changed; of numbers of the file
    double *x;            // (2 n_parameters x n_parameters) theirs
    model_point *points;  // (n_outputs)
    double *moved;        // (n_outputs x 6) of the points, by one number
    double *by_input;     // (6 x n_inputs)
    const double *steps;  // (n_parameters)
    td_error *err;
} slopes;

static td_status unknown(td_error *err) {
    return error_set(err, TD_ERR_UNSUPPORTED, "slopes", "not of poses at rest alone");
}

// ---------------------------------------------------------------- what is needed
static bool is_of_file(const slopes *s, int j) {
    return s->at.e->numbers[j].kind == NUMBER_OF_FILE;
}

static bool allocate(slopes *s) {
    const size_t n = (size_t)s->at.e->fit->n_parameters, m = (size_t)s->at.of->n_outputs;
    s->plus = calloc(n, sizeof *s->plus);
    s->minus = calloc(n, sizeof *s->minus);
    s->x = malloc(sizeof(double) * 2 * n * n);
    s->points = calloc(m, sizeof *s->points);
    s->moved = calloc(6 * (m + (size_t)s->at.of->n_inputs + 1), sizeof *s->moved);
    s->by_input = s->moved ? s->moved + 6 * m : NULL;
    return s->plus && s->minus && s->x && s->points && s->moved;
}

static td_status build_side(slopes *s, int j, int side) {
    const size_t n = (size_t)s->at.e->fit->n_parameters;
    double *x = s->x + (2 * (size_t)j + (size_t)side) * n;
    run *r = side ? &s->plus[j] : &s->minus[j];
    memcpy(x, s->at.x, sizeof *x * n);
    x[j] += side ? s->steps[j] : -s->steps[j];
    *r = (run){.e = s->at.e, .of = s->at.of, .x = x, .err = s->err};
    const td_status status = run_build(r);
    if (status >= 0 && rests_on_its_past(r->robot, &r->e->options)) return unknown(s->err);
    if (status >= 0) td_apply_signals(r->system, r->state, 0.0, TD_BEFORE);
    return status;
}

// A number that changes inputs themselves is not seen by forces in a shape that stays.
static bool same_inputs(const slopes *s, int j) {
    const int n = td_n_inputs(s->at.system);
    for (int i = 0; i < n; i++) {
        bool is_given = false;
        for (int k = 0; k < s->at.of->n_inputs; k++) is_given = is_given || s->at.inputs[k] == i;
        if (!is_given && td_get_input(s->plus[j].system, s->plus[j].state, i) !=
                             td_get_input(s->minus[j].system, s->minus[j].state, i))
            return false;
    }
    return true;
}

static td_status prepare(slopes *s) {
    const td_recording *of = s->at.of;
    td_status status = run_build(&s->at);
    if (status >= 0 && rests_on_its_past(s->at.robot, &s->at.e->options)) return unknown(s->err);
    for (int k = 0; k < of->n_outputs && status >= 0; k++) {
        const td_output *o = &s->at.outputs[k].of.output;
        if (o->quantity != TD_OUTPUT_POSE) return unknown(s->err);
        s->points[k] = (model_point){.body = o->body, .rod = o->rod, .s = o->s};
    }
    for (int j = 0; j < s->at.e->fit->n_parameters && status >= 0; j++) {
        if (!is_of_file(s, j)) continue;
        status = build_side(s, j, 0);
        if (status >= 0) status = build_side(s, j, 1);
        if (status >= 0 && !same_inputs(s, j)) status = unknown(s->err);
    }
    return status;
}

// ---------------------------------------------------------------- of one row
static double component(vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// What an output does where its point turns by th and moves by dp: R o turns with it; of a rotation vector u
// exp(th) exp(u) = exp(u + dexp_inv(u) th).
static double seen(const run *r, int k, const double *moved) {
    const experiment_output *o = &r->outputs[k];
    const vec3 th = vec3_load(moved);
    if (!o->marker && o->of.first >= 3) return moved[o->of.first];
    const quat turn = quat_load(run_pose(r, &o->of.output).q);
    if (o->marker) {
        const vec3 arm = quat_rotate(turn, run_offset(r, o->marker));
        return moved[3 + o->axis] + component(vec3_cross(th, arm), o->axis);
    }
    const mat3 T = so3_dexp_inv(quat_log(turn));
    return component(mat3_mul_vec(&T, th), o->of.first);
}

static td_status by_file(slopes *s, int j, double *column, int stride) {
    const step_parameter by = {s->plus[j].system, s->minus[j].system, s->steps[j]};
    const td_status status = points_sensitivity(s->at.system, s->at.state, &by, s->points,
                                                s->at.of->n_outputs, s->moved);
    for (int k = 0; k < s->at.of->n_outputs && status >= 0; k++)
        column[(size_t)k * (size_t)stride] = seen(&s->at, k, s->moved + 6 * (size_t)k);
    return status;
}

static int given_input(const run *r, const char *name) {
    for (int k = 0; k < r->of->n_inputs; k++)
        if (!strcmp(r->of->inputs[k], name)) return k;
    return -1;
}

static td_status by_gain(slopes *s, int j, int row, double *column, int stride) {
    const run *r = &s->at;
    const int given = given_input(r, r->e->numbers[j].name);
    td_status status = TD_OK;
    for (int k = 0; k < r->of->n_outputs && given >= 0 && status >= 0; k++) {
        const model_point *p = &s->points[k];
        const td_jacobian_part part = {
            .body = p->body, .rod = p->rod, .s = p->s, .inputs = &r->inputs[given], .n_inputs = 1};
        status = td_get_jacobian_part(r->system, r->state, &part, s->by_input);
        const double by = r->of->given[(size_t)row * (size_t)r->of->n_inputs + (size_t)given];
        column[(size_t)k * (size_t)stride] = by * seen(r, k, s->by_input);
    }
    return status;
}

static void by_marker(const slopes *s, int j, double *column, int stride) {
    const run *r = &s->at;
    int axis;
    const td_fit_marker *m = experiment_marker(r->e->fit, r->e->numbers[j].name, &axis);
    const vec3 unit = {axis == 0, axis == 1, axis == 2};
    for (int k = 0; k < r->of->n_outputs; k++) {
        const experiment_output *o = &r->outputs[k];
        if (o->marker != m) continue;
        const quat turn = quat_load(run_pose(r, &o->of.output).q);
        column[(size_t)k * (size_t)stride] = component(quat_rotate(turn, unit), o->axis);
    }
}

// Column j of a row, zero so far.
static td_status by_number(slopes *s, int j, int row, double *column, int stride) {
    const experiment_number *n = &s->at.e->numbers[j];
    switch (n->kind) {
    case NUMBER_OF_FILE: return by_file(s, j, column, stride);
    case DATA_GAIN: return by_gain(s, j, row, column, stride);
    case DATA_MARKER: return by_marker(s, j, column, stride), TD_OK;
    case DATA_BIAS:
        for (int k = 0; k < s->at.of->n_outputs; k++)
            if (!strcmp(s->at.of->outputs[k], n->name)) column[(size_t)k * (size_t)stride] = 1.0;
        return TD_OK;
    default: return TD_OK;  // a delay is of motions
    }
}

// ---------------------------------------------------------------- the whole
static td_status slopes_of_recording(slopes *s, double *J) {
    const int n = s->at.e->fit->n_parameters;
    td_status status = allocate(s) ? prepare(s) : error_set(s->err, TD_ERR_MEMORY, NULL, "memory");
    for (int i = 0; i < s->at.of->n_rows && status >= 0; i++) {
        status = run_rest(&s->at, i);
        for (int j = 0; j < n && status >= 0; j++) status = by_number(s, j, i, J + j, n);
        J += (size_t)s->at.of->n_outputs * (size_t)n;
    }
    run_take_down(&s->at);
    for (int j = 0; j < n && s->plus && s->minus; j++)
        run_take_down(&s->plus[j]), run_take_down(&s->minus[j]);
    free(s->plus);
    free(s->minus);
    free(s->x);
    free(s->points);
    free(s->moved);
    return status;
}

td_status experiment_slopes(const experiment *e, const double *x, const double *steps, double *J,
                            td_error *err) {
    const int n = e->fit->n_recordings;
    memset(J, 0, sizeof *J * e->first[n] * (size_t)e->fit->n_parameters);
    for (int i = 0; i < n; i++) {
        if (e->fit->recordings[i].times) return unknown(err);
        slopes s = {.at = {.e = e, .of = &e->fit->recordings[i], .x = x, .err = err},
                    .steps = steps,
                    .err = err};
        const td_status status =
            slopes_of_recording(&s, J + e->first[i] * (size_t)e->fit->n_parameters);
        if (status < 0) return status;
    }
    return TD_OK;
}
