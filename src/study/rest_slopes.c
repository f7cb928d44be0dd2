// study/rest_slopes.c - how results of an equilibrium answer to parameters: see rest_slopes.h.
//
// K dz = -dr, with dr of the number that varies, or of the input; poses answer by the shape and directly (td_get_sensitivity,
// td_get_jacobian), and expressions tell how results answer to them.
#include "study/rest_slopes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/quat.h"
#include "math/se3.h"
#include "sim/solver.h"
#include "tendril/gradient.h"

typedef struct rest {
    const td_study *s;
    td_robot *robot;
    td_system *system;
    td_state *state;
    study_quantity *quantities;  // (n_quantities) as they are in this system
    model_point *points;         // (n_points) of those that are poses
    int n_points;
    double *moved;  // (n_points x 6)
    double *dq;     // (n_quantities) by one parameter
    double variables[N_VARIABLES];
    td_error *err;
} rest;

bool rest_slopes_exist(const td_study *s) {
    if (s->action != ACTION_STATICS || !s->robot) return false;
    for (int i = 0; i < s->n_quantities; i++) {
        const study_quantity *q = &s->quantities[i];
        const bool pose = q->kind == QUANTITY_OUTPUT && q->output.output.quantity == TD_OUTPUT_POSE;
        if (!pose && q->kind != QUANTITY_INPUT && q->kind != QUANTITY_MASS &&
            q->kind != QUANTITY_TIME)
            return false;
    }
    return true;
}

static td_system *system_of(const td_study *s, const td_robot *robot, td_error *err) {
    td_options options = td_robot_options(robot);
    if (s->tightest > 0.0) options.tolerance = fmin(options.tolerance, s->tightest);
    return td_system_create(robot, &options, err);
}

// ---------------------------------------------------------------- what is there
static td_status build(rest *r, const double *parameters) {
    const td_study *s = r->s;
    const size_t n = (size_t)s->n_quantities + 1;
    r->robot = study_robot(s, parameters, r->err);
    r->system = r->robot ? system_of(s, r->robot, r->err) : NULL;
    if (!r->system) return r->err->status;
    if (rests_on_its_past(r->robot, &s->options))
        return error_set(r->err, TD_ERR_UNSUPPORTED, NULL, "what rubs keeps its past");
    r->state = td_state_create(r->system);
    r->quantities = calloc(n, sizeof *r->quantities);
    r->points = calloc(n, sizeof *r->points);
    r->moved = calloc(7 * n, sizeof *r->moved);
    if (!r->state || !r->quantities || !r->points || !r->moved)
        return error_set(r->err, TD_ERR_MEMORY, NULL, "out of memory");
    r->dq = r->moved + 6 * n;
    const td_status status = study_rest(s, parameters, r->system, r->state);
    return status < 0 ? error_set(r->err, status, NULL, "%s", td_message(r->state)) : TD_OK;
}

static td_status look(rest *r, const double *parameters) {
    const td_study *s = r->s;
    const quantity_source from = {.robot = r->robot, .system = r->system, .state = r->state};
    td_status status = TD_OK;
    memcpy(r->variables, parameters, sizeof *parameters * (size_t)s->n_parameters);
    for (int i = 0; i < s->n_quantities && status >= 0; i++) {
        study_quantity *q = &r->quantities[i];
        status = quantity_find(r->system, s->quantities[i].name, q, r->err);
        if (status >= 0)
            status = quantity_value(q, &from, &r->variables[FIRST_QUANTITY + i], r->err);
        const td_output *o = &q->output.output;
        if (q->kind == QUANTITY_OUTPUT)
            r->points[r->n_points++] = (model_point){.body = o->body, .rod = o->rod, .s = o->s};
    }
    for (int i = 0; i < s->n_results && status >= 0; i++)
        r->variables[FIRST_RESULT + i] = expression_value(s->results[i].value, r->variables, NULL);
    return status;
}

// ---------------------------------------------------------------- quantities
// Of a rotation vector u: exp(th) exp(u) = exp(u + dexp_inv(u) th).
static double seen(const rest *r, const study_quantity *q, const double *moved) {
    const td_output *o = &q->output.output;
    if (q->index >= 3) return moved[q->index];
    const td_pose pose = o->body >= 0 ? td_get_body(r->system, r->state, o->body).pose
                                      : td_get_pose(r->system, r->state, o->rod, o->s);
    const mat3 T = so3_dexp_inv(quat_log(quat_load(pose.q)));
    const vec3 turned = mat3_mul_vec(&T, vec3_load(moved));
    return q->index == 0 ? turned.x : q->index == 1 ? turned.y : turned.z;
}

static void see_poses(rest *r) {
    for (int i = 0, k = 0; i < r->s->n_quantities; i++)
        if (r->quantities[i].kind == QUANTITY_OUTPUT)
            r->dq[i] = seen(r, &r->quantities[i], r->moved + 6 * (size_t)k++);
}

static double mass_of(const rest *r, const td_robot *robot) {
    double mass = 0.0;
    const study_quantity q = {.kind = QUANTITY_MASS};
    const quantity_source from = {.robot = robot};
    return quantity_value(&q, &from, &mass, r->err) < 0 ? (double)NAN : mass;
}

// Do numbers of the file change inputs themselves? That is not seen by forces in a shape that stays.
static bool same_inputs(const rest *r, const td_system *const sides[2]) {
    bool same = true;
    td_state *states[2] = {td_state_create(sides[0]), td_state_create(sides[1])};
    for (int i = 0; i < 2 && states[0] && states[1]; i++)
        td_apply_signals(sides[i], states[i], r->s->time, r->s->has_time ? TD_AFTER : TD_BEFORE);
    for (int k = 0; k < td_n_inputs(r->system) && states[0] && states[1]; k++)
        same = same && td_get_input(sides[0], states[0], k) == td_get_input(sides[1], states[1], k);
    same = same && states[0] && states[1];
    td_state_destroy(states[0]);
    td_state_destroy(states[1]);
    return same;
}

static td_status by_file(rest *r, int p, const double *parameters, double step) {
    const td_study *s = r->s;
    double x[2][MOST_PARAMETERS];
    td_robot *robots[2];
    td_system *sides[2];
    for (int i = 0; i < 2; i++) {
        memcpy(x[i], parameters, sizeof *parameters * (size_t)s->n_parameters);
        x[i][p] += i ? step : -step;
        robots[i] = study_robot(s, x[i], r->err);
        sides[i] = robots[i] ? system_of(s, robots[i], r->err) : NULL;
    }
    td_status status = sides[0] && sides[1] ? TD_OK : r->err->status;
    if (status >= 0 && !same_inputs(r, (const td_system *const[2]){sides[0], sides[1]}))
        status = error_set(r->err, TD_ERR_UNSUPPORTED, NULL, "inputs change with a number");
    const step_parameter by = {sides[1], sides[0], step};
    if (status >= 0)
        status = points_sensitivity(r->system, r->state, &by, r->points, r->n_points, r->moved);
    if (status >= 0) see_poses(r);
    for (int i = 0; i < s->n_quantities && status >= 0; i++)
        if (r->quantities[i].kind == QUANTITY_MASS)
            r->dq[i] = (mass_of(r, robots[1]) - mass_of(r, robots[0])) / (2.0 * step);
    for (int i = 0; i < 2; i++) td_system_destroy(sides[i]), td_robot_destroy(robots[i]);
    return status;
}

static td_status by_input(rest *r, int p) {
    const int input = td_find_input(r->system, r->s->parameters[p].input);
    td_status status = TD_OK;
    for (int k = 0; k < r->n_points && status >= 0; k++) {
        const td_jacobian_part part = {.body = r->points[k].body,
                                       .rod = r->points[k].rod,
                                       .s = r->points[k].s,
                                       .inputs = &input,
                                       .n_inputs = 1};
        status = td_get_jacobian_part(r->system, r->state, &part, r->moved + 6 * (size_t)k);
    }
    if (status >= 0) see_poses(r);
    for (int i = 0; i < r->s->n_quantities; i++)
        if (r->quantities[i].kind == QUANTITY_INPUT) r->dq[i] = r->quantities[i].index == input;
    return status;
}

// ---------------------------------------------------------------- results
static void chain(const rest *r, int p, double *J) {
    const td_study *s = r->s;
    for (int i = 0; i < s->n_results; i++) {
        const expression *e = s->results[i].value;
        double sum = expression_slope(e, r->variables, NULL, p);
        for (int k = 0; k < s->n_quantities; k++)
            if (r->dq[k] != 0.0)
                sum += r->dq[k] * expression_slope(e, r->variables, NULL, FIRST_QUANTITY + k);
        for (int k = 0; k < i; k++)
            sum += J[(size_t)k * (size_t)s->n_parameters + (size_t)p] *
                   expression_slope(e, r->variables, NULL, FIRST_RESULT + k);
        J[(size_t)i * (size_t)s->n_parameters + (size_t)p] = sum;
    }
}

static td_status by_parameter(rest *r, int p, const double *parameters, double step, double *J) {
    const study_parameter *of = &r->s->parameters[p];
    memset(r->dq, 0, sizeof *r->dq * (size_t)r->s->n_quantities);
    // A parameter without a path may still be in settings.
    const td_status status = of->input ? by_input(r, p) : by_file(r, p, parameters, step);
    if (status >= 0) chain(r, p, J);
    else if (!r->err->message[0]) error_set(r->err, status, NULL, "%s", td_message(r->state));
    return status;
}

td_status rest_slopes(const td_study *s, const bool *free_ones, const double *parameters,
                      const double *steps, double *results, double *J, td_error *err) {
    td_error ignored;
    rest r = {.s = s, .err = err ? err : &ignored};
    *r.err = (td_error){.status = TD_OK};
    td_status status = build(&r, parameters);
    if (status >= 0) status = look(&r, parameters);
    memset(J, 0, sizeof *J * (size_t)s->n_results * (size_t)s->n_parameters);
    for (int p = 0; p < s->n_parameters && status >= 0; p++)
        if (free_ones[p]) status = by_parameter(&r, p, parameters, steps[p], J);
    for (int i = 0; i < s->n_results && status >= 0; i++)
        results[i] = r.variables[FIRST_RESULT + i];
    td_state_destroy(r.state);
    td_system_destroy(r.system);
    td_robot_destroy(r.robot);
    free(r.quantities);
    free(r.points);
    free(r.moved);
    return status;
}
