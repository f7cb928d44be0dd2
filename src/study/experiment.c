// study/experiment.c - see experiment.h.
//
// For each set of numbers the robot's file is read and compiled again, which costs less than a millisecond, with the
// inputs of a motion as signals of the robot: all that a run knows of starts, jumps and steps holds here too.
#include "study/experiment_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/quat.h"
#include "robot/robot.h"
#include "tendril/gradient.h"

#define MOST_NUMBERS 64
#define TIGHT 1e-12     // solver.tolerance: differences of computations must show small changes
#define ON_A_STEP 1e-6  // of a step

// ---------------------------------------------------------------- what is varied
static bool begins(const char *text, const char *with, const char **rest) {
    const size_t n = strlen(with);
    *rest = text + n;
    return strncmp(text, with, n) == 0;
}

static experiment_number number_of(const char *path) {
    const char *rest;
    if (begins(path, "data.gain.", &rest)) return (experiment_number){path, DATA_GAIN, rest};
    if (begins(path, "data.bias.", &rest)) return (experiment_number){path, DATA_BIAS, rest};
    if (begins(path, "data.marker.", &rest)) return (experiment_number){path, DATA_MARKER, rest};
    if (!strcmp(path, "data.delay")) return (experiment_number){path, DATA_DELAY, ""};
    return (experiment_number){path, NUMBER_OF_FILE, ""};
}

// The value of a number of the data; otherwise `usual`.
static double data_number(const experiment *e, const double *x, number_kind kind, const char *name,
                          double usual) {
    for (int i = 0; i < e->fit->n_parameters; i++)
        if (e->numbers[i].kind == kind && !strcmp(e->numbers[i].name, name)) return x[i];
    return usual;
}

td_robot *experiment_robot(const experiment *e, const double *x, td_error *err) {
    char *sets[MOST_NUMBERS] = {0};
    int n = 0;
    bool room = true;
    for (int i = 0; i < e->fit->n_parameters && room; i++) {
        if (e->numbers[i].kind != NUMBER_OF_FILE) continue;
        const size_t size = strlen(e->numbers[i].path) + 40;
        if ((room = (sets[n] = malloc(size)) != NULL))
            snprintf(sets[n++], size, "%s=%.17g", e->numbers[i].path, x[i]);
    }
    td_robot *robot = NULL;
    if (!room) error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    else
        robot =
            td_robot_parse(e->text, strlen(e->text), e->file, (const char *const *)sets, n, err);
    for (int i = 0; i < n; i++) free(sets[i]);
    return robot;
}

// ---------------------------------------------------------------- outputs
const td_fit_marker *experiment_marker(const td_fit_options *fit, const char *name, int *axis) {
    const char *dot = strrchr(name, '.');
    const size_t n = dot ? (size_t)(dot - name) : 0;
    *axis = dot && dot[1] && !dot[2] ? dot[1] - 'x' : -1;
    if (*axis < 0 || *axis > 2) return NULL;
    for (int i = 0; i < fit->n_markers; i++)
        if (strlen(fit->markers[i].name) == n && !strncmp(fit->markers[i].name, name, n))
            return &fit->markers[i];
    return NULL;
}

static td_status find_marker(const td_fit_options *fit, const td_system *system, const char *name,
                             experiment_output *found, td_error *err) {
    char pose[160];
    found->marker = experiment_marker(fit, name + strlen("marker."), &found->axis);
    found->unit = "m";
    if (!found->marker)
        return error_set(err, TD_ERR_ARGUMENT, name, "there is no such marker with x, y and z");
    snprintf(pose, sizeof pose, "%.150s.pose", found->marker->on);
    return td_find_output(system, pose, &found->of, err);
}

td_status experiment_find_output(const td_fit_options *fit, const td_system *system,
                                 const char *name, experiment_output *found, td_error *err) {
    *found = (experiment_output){.marker = NULL};
    if (!strncmp(name, "marker.", 7)) return find_marker(fit, system, name, found, err);
    const td_status status = td_find_output(system, name, &found->of, err);
    found->unit = found->of.units[0];
    if (status < 0 || found->of.n == 1) return status;
    return error_set(err, TD_ERR_ARGUMENT, name, "is %d numbers: name one of them, like %s",
                     found->of.n, found->of.names[0]);
}

// ---------------------------------------------------------------- one recording
static td_status refuse(const run *r, td_status status, int row, const char *why) {
    return error_set(r->err, status, r->of->name ? r->of->name : "recording", "row %d: %s", row + 1,
                     why);
}

// with its gain
static double run_given(const run *r, int row, int k) {
    const double gain = data_number(r->e, r->x, DATA_GAIN, r->of->inputs[k], 1.0);
    return gain * r->of->given[(size_t)row * (size_t)r->of->n_inputs + (size_t)k];
}

static int robot_input_named(const td_robot *robot, const char *name) {
    for (int i = 0; i < robot->n_inputs; i++)
        if (!strcmp(robot->inputs[i].name, name)) return i;
    return -1;
}

// What was given, as signals of the robot.
static td_status follow(run *r) {
    const int n = r->of->n_rows;
    double *points = malloc(sizeof *points * 2 * (size_t)n);
    td_status status =
        points ? TD_OK : error_set(r->err, TD_ERR_MEMORY, r->of->name, "out of memory");
    for (int k = 0; k < r->of->n_inputs && !status; k++) {
        for (int i = 0; i < n; i++)
            points[2 * i] = r->of->times[i], points[2 * i + 1] = run_given(r, i, k);
        const td_signal signal = {.kind = TD_SIGNAL_POINTS, .points = points, .n_points = n};
        status = robot_set_signal(r->robot, robot_input_named(r->robot, r->of->inputs[k]), &signal,
                                  r->err);
    }
    free(points);
    return status;
}

td_status run_build(run *r) {
    const td_recording *of = r->of;
    r->robot = experiment_robot(r->e, r->x, r->err);
    if (!r->robot) return TD_ERR_VALUE;
    for (int k = 0; k < of->n_inputs; k++)
        if (robot_input_named(r->robot, of->inputs[k]) < 0)
            return error_set(r->err, TD_ERR_ARGUMENT, of->inputs[k], "the robot has no such input");
    td_status status = of->times ? follow(r) : TD_OK;
    if (status) return status;
    r->system = td_system_create(r->robot, &r->e->options, r->err);
    if (!r->system) return TD_ERR_VALUE;
    r->state = td_state_create(r->system);
    r->outputs = calloc((size_t)of->n_outputs + 1, sizeof *r->outputs);
    r->inputs = calloc((size_t)of->n_inputs + 1, sizeof *r->inputs);
    if (!r->state || !r->outputs || !r->inputs)
        return error_set(r->err, TD_ERR_MEMORY, of->name, "out of memory");
    td_set_stop(r->state, r->e->fit->asked, r->e->fit->context);
    for (int k = 0; k < of->n_inputs; k++) r->inputs[k] = td_find_input(r->system, of->inputs[k]);
    for (int k = 0; k < of->n_outputs && !status; k++)
        status =
            experiment_find_output(r->e->fit, r->system, of->outputs[k], &r->outputs[k], r->err);
    return status;
}

void run_take_down(run *r) {
    td_state_destroy(r->state);
    td_system_destroy(r->system);
    td_robot_destroy(r->robot);
    free(r->outputs);
    free(r->inputs);
    free(r->steps);
}

td_pose run_pose(const run *r, const td_output *at) {
    return at->body >= 0 ? td_get_body(r->system, r->state, at->body).pose
                         : td_get_pose(r->system, r->state, at->rod, at->s);
}

vec3 run_offset(const run *r, const td_fit_marker *m) {
    static const char axes[3] = {'x', 'y', 'z'};
    double o[3];
    for (int i = 0; i < 3; i++) {
        char name[160];
        snprintf(name, sizeof name, "%.150s.%c", m->name, axes[i]);
        o[i] = data_number(r->e, r->x, DATA_MARKER, name, m->offset[i]);
    }
    return (vec3){o[0], o[1], o[2]};
}

// p + R o
static double see_marker(const run *r, const experiment_output *m) {
    const td_pose pose = run_pose(r, &m->of.output);
    const vec3 turned = quat_rotate(quat_load(pose.q), run_offset(r, m->marker));
    return pose.p[m->axis] + (m->axis == 0 ? turned.x : m->axis == 1 ? turned.y : turned.z);
}

static void observe(const run *r, double *y) {
    double all[6];
    for (int k = 0; k < r->of->n_outputs; k++) {
        const experiment_output *o = &r->outputs[k];
        if (!o->marker) td_get_output(r->system, r->state, &o->of.output, all);
        y[k] = o->marker ? see_marker(r, o) : all[o->of.first];
    }
}

static void add_biases(const run *r, double *y) {
    for (int k = 0; k < r->of->n_outputs; k++) {
        const double bias = data_number(r->e, r->x, DATA_BIAS, r->of->outputs[k], 0.0);
        for (int i = 0; i < r->of->n_rows; i++)
            y[(size_t)i * (size_t)r->of->n_outputs + (size_t)k] += bias;
    }
}

// ---------------------------------------------------------------- at rest
td_status run_rest(run *r, int row) {
    if (row == 0) td_apply_signals(r->system, r->state, 0.0, TD_BEFORE);
    for (int k = 0; k < r->of->n_inputs; k++)
        td_set_input(r->system, r->state, r->inputs[k], run_given(r, row, k));
    const td_status status = td_solve_statics(r->system, r->state);
    return status < 0 ? refuse(r, status, row, td_message(r->state)) : TD_OK;
}

static td_status rest(run *r, double *y) {
    for (int i = 0; i < r->of->n_rows; i++) {
        const td_status status = run_rest(r, i);
        if (status < 0) return status;
        observe(r, y + (size_t)i * (size_t)r->of->n_outputs);
    }
    return TD_OK;
}

// ---------------------------------------------------------------- in motion
// All steps up to the last row.
static td_status move(run *r, double delay) {
    const td_recording *of = r->of;
    const double end = of->times[of->n_rows - 1] - delay, dt = r->e->step;
    r->n_steps = end > 0.0 ? (int)ceil(end / dt - ON_A_STEP) : 0;
    r->steps = malloc(sizeof *r->steps * (size_t)(r->n_steps + 1) * (size_t)of->n_outputs);
    if (!r->steps) return error_set(r->err, TD_ERR_MEMORY, of->name, "out of memory");
    td_status status = td_begin(r->system, r->state);
    for (int k = 0; status >= 0; k++) {
        observe(r, r->steps + (size_t)k * (size_t)of->n_outputs);
        if (k == r->n_steps) return TD_OK;
        status = td_advance(r->system, r->state, dt);
    }
    return error_set(r->err, status, of->name ? of->name : "recording", "at %g s: %s",
                     td_get_time(r->system, r->state), td_message(r->state));
}

// At x steps from the start: on a step, or by the cubic through the four around it (fewer, where there are no more).
static double between_steps(const run *r, double x, int output) {
    const int stride = r->of->n_outputs, n = r->n_steps + 1, count = n < 4 ? n : 4;
    const double *y = r->steps + output, nearest = round(x);
    if (x <= 0.0) return y[0];
    if (fabs(x - nearest) < ON_A_STEP) return y[(size_t)nearest * (size_t)stride];
    int first = (int)floor(x) - (count / 2 - 1);
    first = first < 0 ? 0 : first > n - count ? n - count : first;
    double sum = 0.0;
    for (int i = first; i < first + count; i++) {
        double weight = 1.0;  // Lagrange
        for (int k = first; k < first + count; k++)
            if (k != i) weight *= (x - k) / (i - k);
        sum += weight * y[(size_t)i * (size_t)stride];
    }
    return sum;
}

static td_status watch(run *r, double *y) {
    const double delay = data_number(r->e, r->x, DATA_DELAY, "", 0.0);
    const td_status status = move(r, delay);
    if (status < 0) return status;
    for (int i = 0; i < r->of->n_rows; i++)
        for (int k = 0; k < r->of->n_outputs; k++)
            *y++ = between_steps(r, (r->of->times[i] - delay) / r->e->step, k);
    return TD_OK;
}

td_status experiment_compute(const experiment *e, const double *x, double *y, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < e->fit->n_recordings && status >= 0; i++) {
        run r = {.e = e, .of = &e->fit->recordings[i], .x = x, .err = err};
        status = run_build(&r);
        if (status >= 0) status = (r.of->times ? watch : rest)(&r, y + e->first[i]);
        if (status >= 0) add_biases(&r, y + e->first[i]);
        run_take_down(&r);
    }
    return status;
}

// ---------------------------------------------------------------- the whole
static bool names(const char *const *list, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(list[i], name)) return true;
    return false;
}

// Numbers of the data are about something that is there.
static bool is_used(const td_fit_options *fit, const experiment_number *n) {
    int axis;
    bool used = n->kind == NUMBER_OF_FILE ||
                (n->kind == DATA_MARKER && experiment_marker(fit, n->name, &axis));
    for (int i = 0; i < fit->n_recordings; i++) {
        const td_recording *of = &fit->recordings[i];
        used = used || (n->kind == DATA_GAIN && names(of->inputs, of->n_inputs, n->name)) ||
               (n->kind == DATA_BIAS && names(of->outputs, of->n_outputs, n->name)) ||
               (n->kind == DATA_DELAY && of->times);
    }
    return used;
}

static td_status check_number(const td_fit_options *fit, const experiment_number *n,
                              td_error *err) {
    if (!strncmp(n->path, "simulation.", 11) || !strncmp(n->path, "record.", 7))
        return error_set(err, TD_ERR_ARGUMENT, n->path, "no number of the robot");
    if (is_used(fit, n)) return TD_OK;
    return error_set(err, TD_ERR_ARGUMENT, n->path,
                     n->kind == DATA_GAIN     ? "no recording gives this input"
                     : n->kind == DATA_BIAS   ? "no recording measures this output"
                     : n->kind == DATA_MARKER ? "there is no such marker with x, y and z"
                                              : "no recording is of a motion");
}

static td_status check_rows(const td_recording *of, td_error *err) {
    const char *where = of->name ? of->name : "recording";
    if (of->n_rows < 1 || of->n_outputs < 1)
        return error_set(err, TD_ERR_ARGUMENT, where, "%d rows of %d outputs: nothing is measured",
                         of->n_rows, of->n_outputs);
    for (int i = 0; i < of->n_rows; i++) {
        const bool grows = !of->times || (of->times[i] >= 0.0 && isfinite(of->times[i]) &&
                                          (i == 0 || of->times[i] > of->times[i - 1]));
        if (!grows)
            return error_set(err, TD_ERR_VALUE, where,
                             "row %d: time %g s must be 0 or later, and times must grow", i + 1,
                             of->times[i]);
        for (int k = 0; k < of->n_inputs; k++)
            if (!isfinite(of->given[(size_t)i * (size_t)of->n_inputs + (size_t)k]))
                return error_set(err, TD_ERR_NOT_FINITE, where, "row %d: %s is not given", i + 1,
                                 of->inputs[k]);
    }
    return TD_OK;
}

static td_status check(experiment *e, td_error *err) {
    const td_fit_options *fit = e->fit;
    td_status status = TD_OK;
    if (fit->n_parameters < 1 || fit->n_parameters > MOST_NUMBERS)
        return error_set(err, TD_ERR_ARGUMENT, "parameters", "%d must be from 1 to %d",
                         fit->n_parameters, MOST_NUMBERS);
    for (int i = 0; i < fit->n_parameters && !status; i++) {
        e->numbers[i] = number_of(fit->parameters[i].path);
        status = check_number(fit, &e->numbers[i], err);
        for (int k = 0; k < i && !status; k++)
            if (!strcmp(e->numbers[k].path, e->numbers[i].path))
                status = error_set(err, TD_ERR_ARGUMENT, e->numbers[i].path, "is named twice");
    }
    for (int i = 0; i < fit->n_recordings && !status; i++) {
        status = check_rows(&fit->recordings[i], err);
        e->first[i + 1] =
            e->first[i] + (size_t)fit->recordings[i].n_rows * (size_t)fit->recordings[i].n_outputs;
    }
    return status;
}

bool experiment_begin(experiment *e, const td_robot *robot, const td_options *options,
                      const td_fit_options *fit, td_error *err) {
    *e = (experiment){.fit = fit, .options = *options, .step = fit->step};
    if (e->step == 0.0) e->step = td_robot_scenario(robot).step;
    if (e->options.tolerance > TIGHT) e->options.tolerance = TIGHT;
    e->text = td_robot_source(robot);
    e->file = robot->file ? robot->file : "robot";
    if (!e->text[0]) e->text = e->written = td_robot_write(robot, options, NULL, err);
    if (!e->text) return false;
    e->numbers =
        calloc((size_t)(fit->n_parameters > 0 ? fit->n_parameters : 0) + 1, sizeof *e->numbers);
    e->first =
        calloc((size_t)(fit->n_recordings > 0 ? fit->n_recordings : 0) + 1, sizeof *e->first);
    if (!e->numbers || !e->first)
        return error_set(err, TD_ERR_MEMORY, NULL, "out of memory"), false;
    return check(e, err) >= 0;
}

void experiment_end(experiment *e) {
    td_free_text(e->written);
    free(e->numbers);
    free(e->first);
}
