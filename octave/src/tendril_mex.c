// tendril_mex.c - the library for Octave and MATLAB: one function, tendril_mex('what', robot, ...), which the
// functions of +tendril call. Robots live in a table here; the handle in what `load` gave is a number that no other
// robot has had. Arrays are in the order of Octave, columns first; quantities are SI.
#include <limits.h>
#include <math.h>
#include <mex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tendril/tendril.h"

enum { MOST = 256 };  // robots at once

typedef struct held {
    double handle;
    td_robot *robot;
    td_system *system;
    td_state *state;
} held;

static held robots[MOST];
static double last_handle;

static void let_go(held *h) {
    td_state_destroy(h->state);
    td_system_destroy(h->system);
    td_robot_destroy(h->robot);
    *h = (held){0};
}

static void let_all_go(void) {
    for (int i = 0; i < MOST; i++) let_go(&robots[i]);
}

// ---------------------------------------------------------------- what is given
static void refuse(const td_error *err) {
    mexErrMsgIdAndTxt("tendril:refused", "%s%s%s", err->where, err->where[0] ? ": " : "",
                      err->message);
}

static void check(const held *h, td_status status) {
    if (status >= 0) return;
    const char *words = td_message(h->state);
    mexErrMsgIdAndTxt("tendril:failed", "%s", words[0] ? words : td_status_name(status));
}

// Real numbers of any kind, as doubles, every one of them stored. NULL: it is something else.
static const mxArray *numbers(int n, const mxArray *in[], int i) {
    if (i >= n || !(mxIsNumeric(in[i]) || mxIsLogical(in[i])) || mxIsComplex(in[i])) return NULL;
    if (mxIsDouble(in[i]) && !mxIsSparse(in[i])) return in[i];
    mxArray *from = (mxArray *)in[i], *plain, *full;
    if (mexCallMATLAB(1, &plain, 1, &from, "double") != 0 ||
        mexCallMATLAB(1, &full, 1, &plain, "full") != 0)
        return NULL;
    return full;
}

static double number(int n, const mxArray *in[], int i, const char *what) {
    const mxArray *given = numbers(n, in, i);
    if (!given || mxGetNumberOfElements(given) != 1)
        mexErrMsgIdAndTxt("tendril:argument", "%s must be a real number", what);
    return mxGetScalar(given);
}

static int whole(int n, const mxArray *in[], int i, const char *what, int least, int most) {
    const double given = number(n, in, i, what);
    if (!(given >= least && given <= most) || given != (int)given)
        mexErrMsgIdAndTxt("tendril:argument", "%s is %g; it must be a whole number from %d to %d",
                          what, given, least, most);
    return (int)given;
}

// mxMalloc: freed by Octave when the call ends, in error too.
static char *text(int n, const mxArray *in[], int i, const char *what) {
    const bool row = i < n && mxIsChar(in[i]) && mxGetM(in[i]) <= 1;
    char *words = row ? mxArrayToString(in[i]) : NULL;
    if (!words) mexErrMsgIdAndTxt("tendril:argument", "%s must be text", what);
    return words;
}

static held *held_of(int n, const mxArray *in[]) {
    const mxArray *given = n > 1 && mxIsStruct(in[1]) && mxGetNumberOfElements(in[1]) == 1
                               ? mxGetField(in[1], 0, "handle")
                               : NULL;
    if (!given) mexErrMsgIdAndTxt("tendril:argument", "the robot must be what tendril.load gave");
    const double handle = number(1, &given, 0, "the handle of the robot");
    for (int i = 0; i < MOST; i++)
        if (robots[i].system && robots[i].handle == handle) return &robots[i];
    mexErrMsgIdAndTxt("tendril:argument", "this robot was closed, or never loaded");
    return NULL;
}

static void refuse_name(const char *what, const char *given, const td_system *system,
                        const char *(*name)(const td_system *, int), int count) {
    char all[400] = "";
    for (int i = 0, at = 0; i < count && at < (int)sizeof all; i++)
        at += snprintf(all + at, sizeof all - (size_t)at, "%s%s", i ? ", " : "", name(system, i));
    mexErrMsgIdAndTxt("tendril:argument", "there is no %s '%s'; there are: %s", what, given,
                      count ? all : "none");
}

// An index of something that has a name: its name, or its number from 1 on.
static int index_of(int n, const mxArray *in[], int i, const char *what, const td_system *system,
                    int (*find)(const td_system *, const char *),
                    const char *(*name)(const td_system *, int), int count) {
    if (i >= n || !mxIsChar(in[i])) return whole(n, in, i, what, 1, count) - 1;
    char *given = text(n, in, i, what);
    const int at = find(system, given);
    if (at < 0) refuse_name(what, given, system, name, count);
    return at;
}

static int rod_of(const held *h, int n, const mxArray *in[], int i) {
    return index_of(n, in, i, "rod", h->system, td_find_rod, td_rod_name, td_n_rods(h->system));
}

// ---------------------------------------------------------------- what is given back
static mxArray *matrix(int rows, int columns, const double *row_major) {
    mxArray *out = mxCreateDoubleMatrix((mwSize)rows, (mwSize)columns, mxREAL);
    double *to = mxGetPr(out);
    for (int i = 0; row_major && i < rows; i++)
        for (int k = 0; k < columns; k++)
            to[(size_t)k * rows + i] = row_major[(size_t)i * columns + k];
    return out;
}

static mxArray *names(const td_system *system, int n, const char *(*name)(const td_system *, int)) {
    mxArray *out = mxCreateCellMatrix((mwSize)n, 1);
    for (int i = 0; i < n; i++) mxSetCell(out, (mwSize)i, mxCreateString(name(system, i)));
    return out;
}

static void put(mxArray *s, const char *name, mxArray *value) {
    mxAddField(s, name);
    mxSetField(s, 0, name, value);
}

static mxArray *structure(void) {
    return mxCreateStructMatrix(1, 1, 0, NULL);
}

static mxArray *outcome(const held *h, td_status status) {
    const td_stats *stats = td_get_stats(h->state);
    mxArray *s = structure();
    put(s, "status", mxCreateString(td_status_name(status)));
    put(s, "message", mxCreateString(td_message(h->state)));
    put(s, "iterations", mxCreateDoubleScalar(stats->iterations));
    put(s, "residual", mxCreateDoubleScalar(stats->residual));
    return s;
}

// ---------------------------------------------------------------- questions
typedef void (*question)(int n_out, mxArray *out[], int n, const mxArray *in[]);

static mxArray *description(const held *h) {
    const td_system *system = h->system;
    const td_scenario scenario = td_robot_scenario(h->robot);
    const int n = td_n_rods(system);
    mxArray *s = structure(), *lengths = mxCreateDoubleMatrix((mwSize)n, 1, mxREAL);
    for (int i = 0; i < n; i++) mxGetPr(lengths)[i] = td_rod_length(system, i);
    put(s, "handle", mxCreateDoubleScalar(h->handle));
    put(s, "model", mxCreateString(td_system_options(system)->model));
    put(s, "step", mxCreateDoubleScalar(scenario.step));
    put(s, "end", mxCreateDoubleScalar(scenario.end));
    put(s, "inputs", names(system, td_n_inputs(system), td_input_name));
    put(s, "input_units", names(system, td_n_inputs(system), td_input_unit));
    put(s, "rods", names(system, n, td_rod_name));
    put(s, "lengths", lengths);
    put(s, "bodies", names(system, td_n_bodies(system), td_body_name));
    put(s, "actuators", names(system, td_n_actuators(system), td_actuator_name));
    put(s, "coordinates", names(system, td_n_coordinates(system), td_coordinate_name));
    return s;
}

// load, file, {overrides}
static void load(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    char *path = text(n, in, 1, "the file");
    const int n_sets = n > 2 && mxIsCell(in[2]) ? (int)mxGetNumberOfElements(in[2]) : 0;
    const char **sets = mxCalloc((size_t)n_sets + 1, sizeof *sets);
    for (int i = 0; i < n_sets; i++) {
        const mxArray *set = mxGetCell(in[2], (mwIndex)i);
        if (!set || !mxIsChar(set))
            mexErrMsgIdAndTxt("tendril:argument",
                              "an override must be text, 'rods.arm.length=0.3'");
        sets[i] = mxArrayToString(set);
    }
    int at = 0;
    while (at < MOST && robots[at].system) at++;
    if (at == MOST)
        mexErrMsgIdAndTxt("tendril:argument",
                          "%d robots are open; tendril.close some, or all by `clear tendril_mex`",
                          MOST);
    td_error err = {0};
    held h = {.robot = td_robot_load(path, sets, n_sets, &err)};
    if (h.robot) {
        const td_options options = td_robot_options(h.robot);
        h.system = td_system_create(h.robot, &options, &err);
    }
    if (h.system) h.state = td_state_create(h.system);
    if (!h.state) {
        let_go(&h);
        refuse(&err);
    }
    td_apply_signals(h.system, h.state, 0.0, TD_BEFORE);
    h.handle = last_handle += 1;
    robots[at] = h;
    out[0] = description(&h);
}

static void close_robot(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out, (void)out;
    let_go(held_of(n, in));
}

// All inputs at once.
static void set_all(held *h, const mxArray *given) {
    const int count = td_n_inputs(h->system);
    if (!given || mxGetNumberOfElements(given) != (mwSize)count)
        mexErrMsgIdAndTxt("tendril:argument",
                          "inputs must be %d real number%s, or names and values in turn", count,
                          count == 1 ? "" : "s");
    const double *values = mxGetPr(given);
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            mexErrMsgIdAndTxt("tendril:argument", "input '%s' must be finite, not %g",
                              td_input_name(h->system, i), values[i]);
    for (int i = 0; i < count; i++) check(h, td_set_input(h->system, h->state, i, values[i]));
}

// set, robot, values; or name, value, name, value: all of them or none
static void set_inputs(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out, (void)out;
    held *h = held_of(n, in);
    const int count = td_n_inputs(h->system);
    if (n <= 3 || n % 2) {
        set_all(h, n == 3 ? numbers(n, in, 2) : NULL);
        return;
    }
    mxArray *all = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
    for (int i = 0; i < count; i++) mxGetPr(all)[i] = td_get_input(h->system, h->state, i);
    for (int k = 2; k < n; k += 2) {
        const int i = index_of(n, in, k, "input", h->system, td_find_input, td_input_name, count);
        mxGetPr(all)[i] = number(n, in, k + 1, "the value");
    }
    set_all(h, all);
}

static void get_inputs(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    held *h = held_of(n, in);
    const int count = td_n_inputs(h->system);
    out[0] = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
    for (int i = 0; i < count; i++) mxGetPr(out[0])[i] = td_get_input(h->system, h->state, i);
}

static void statics(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    held *h = held_of(n, in);
    const td_status status = td_solve_statics(h->system, h->state);
    check(h, status);
    out[0] = outcome(h, status);
}

static void begin(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    held *h = held_of(n, in);
    td_state_reset(h->system, h->state);
    const td_status status = td_begin(h->system, h->state);
    check(h, status);
    out[0] = outcome(h, status);
}

static void restart(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out, (void)out;
    held *h = held_of(n, in);
    td_restart(h->system, h->state);
}

// The step that is given, or that of the file.
static double step_of(const held *h, int n, const mxArray *in[]) {
    return n > 2 ? number(n, in, 2, "the step") : td_robot_scenario(h->robot).step;
}

static void step(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    held *h = held_of(n, in);
    const td_status status = td_step(h->system, h->state, step_of(h, n, in));
    check(h, status);
    out[0] = outcome(h, status);
}

static void advance(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    held *h = held_of(n, in);
    const td_status status = td_advance(h->system, h->state, step_of(h, n, in));
    check(h, status);
    out[0] = outcome(h, status);
}

static void get_time(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    const held *h = held_of(n, in);
    out[0] = mxCreateDoubleScalar(td_get_time(h->system, h->state));
}

static void energy(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    const held *h = held_of(n, in);
    const td_energy e = td_get_energy(h->system, h->state);
    out[0] = structure();
    put(out[0], "kinetic", mxCreateDoubleScalar(e.kinetic));
    put(out[0], "elastic", mxCreateDoubleScalar(e.elastic));
    put(out[0], "gravity", mxCreateDoubleScalar(e.gravity));
    put(out[0], "dissipated", mxCreateDoubleScalar(e.dissipated));
    put(out[0], "work", mxCreateDoubleScalar(e.work));
}

// sample, robot, rod, s: fields with a column for each place
static void sample(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    const held *h = held_of(n, in);
    const int rod = rod_of(h, n, in, 2);
    const mxArray *places = numbers(n, in, 3);
    if (!places) mexErrMsgIdAndTxt("tendril:argument", "s must be real numbers, m along the rod");
    const double *at = mxGetPr(places);
    const mwSize count = mxGetNumberOfElements(places);
    for (mwSize i = 0; i < count; i++)
        if (isnan(at[i])) mexErrMsgIdAndTxt("tendril:argument", "s must not be NaN");
    static const char *const fields[] = {"position", "quaternion", "strain", "wrench", "velocity"};
    static const int sizes[] = {3, 4, 6, 6, 6};
    mxArray *parts[5];
    out[0] = structure();
    for (int k = 0; k < 5; k++) {
        parts[k] = mxCreateDoubleMatrix((mwSize)sizes[k], count, mxREAL);
        put(out[0], fields[k], parts[k]);
    }
    for (mwSize i = 0; i < count; i++) {
        const td_sample s = td_get_sample(h->system, h->state, rod, at[i]);
        const double *from[] = {s.pose.p, s.pose.q, s.strain, s.wrench, s.velocity};
        for (int k = 0; k < 5; k++)
            memcpy(mxGetPr(parts[k]) + i * (mwSize)sizes[k], from[k],
                   sizeof(double) * (size_t)sizes[k]);
    }
}

static void actuator(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    const held *h = held_of(n, in);
    const int count = td_n_actuators(h->system);
    mxArray *effort = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
    mxArray *measure = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
    for (int i = 0; i < count; i++) {
        const td_actuator_state a = td_get_actuator(h->system, h->state, i);
        mxGetPr(effort)[i] = a.effort;
        mxGetPr(measure)[i] = a.measure;
    }
    out[0] = structure();
    put(out[0], "effort", effort);
    put(out[0], "measure", measure);
}

static void jacobian(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    held *h = held_of(n, in);
    const int rod = rod_of(h, n, in, 2), columns = td_n_inputs(h->system);
    double *J = mxCalloc((size_t)(6 * columns) + 1, sizeof *J);
    check(h, td_get_jacobian(h->system, h->state, rod, number(n, in, 3, "s"), J));
    out[0] = matrix(6, columns, J);
}

static void compliance(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    held *h = held_of(n, in);
    const int rod = rod_of(h, n, in, 2);
    const double s = number(n, in, 3, "s");
    double C[36];
    check(h, td_get_compliance(h->system, h->state, rod, s, rod, s, C));
    out[0] = matrix(6, 6, C);
}

// ---------------------------------------------------------------- small motions
enum { MOST_OUTPUTS = 64 };

typedef struct asked_outputs {
    td_output outputs[MOST_OUTPUTS];
    int n;
} asked_outputs;

static asked_outputs outputs_of(const held *h, int n, const mxArray *in[], int at) {
    asked_outputs asked = {.n = 0};
    const int count = n > at && mxIsCell(in[at]) ? (int)mxGetNumberOfElements(in[at]) : 0;
    if (count > MOST_OUTPUTS)
        mexErrMsgIdAndTxt("tendril:argument", "at most %d outputs", MOST_OUTPUTS);
    for (int i = 0; i < count; i++) {
        const mxArray *name = mxGetCell(in[at], (mwIndex)i);
        td_named_output found;
        td_error err = {0};
        if (!name || !mxIsChar(name))
            mexErrMsgIdAndTxt("tendril:argument", "an output must be a name, 'tip.pose'");
        if (td_find_output(h->system, mxArrayToString(name), &found, &err) < 0) refuse(&err);
        if (found.n != td_output_size(found.output.quantity))
            mexErrMsgIdAndTxt("tendril:argument",
                              "outputs here are whole: 'tip.pose', not 'tip.x'");
        asked.outputs[asked.n++] = found.output;
    }
    return asked;
}

static void put_linear(mxArray *s, const td_linear *l) {
    const int n = l->n_coordinates + l->n_multipliers, u = l->n_inputs, y = l->n_outputs;
    const struct {
        const char *name;
        const double *of;
        int rows, columns;
    } parts[] = {{"M", l->M, n, n}, {"D", l->D, n, n},   {"K", l->K, n, n},
                 {"B", l->B, n, u}, {"B1", l->B1, n, u}, {"B2", l->B2, n, u},
                 {"C", l->C, y, n}, {"C1", l->C1, y, n}, {"C2", l->C2, y, n},
                 {"F", l->F, y, u}, {"F1", l->F1, y, u}, {"F2", l->F2, y, u}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        put(s, parts[i].name, matrix(parts[i].rows, parts[i].columns, parts[i].of));
    put(s, "n_coordinates", mxCreateDoubleScalar(l->n_coordinates));
    put(s, "note", mxCreateString(l->note));
}

static void put_modes(mxArray *s, const td_linearisation *l) {
    const int n = td_n_modes(l);
    static const char *const fields[] = {"re", "im", "frequency", "damping"};
    mxArray *parts[4];
    for (int k = 0; k < 4; k++)
        put(s, fields[k], parts[k] = mxCreateDoubleMatrix((mwSize)n, 1, mxREAL));
    for (int i = 0; i < n; i++) {
        const td_mode m = td_get_mode(l, i);
        const double of[] = {m.re, m.im, m.frequency, m.damping};
        for (int k = 0; k < 4; k++) mxGetPr(parts[k])[i] = of[k];
    }
}

static td_linearisation *linearised(held *h, const asked_outputs *asked) {
    td_error err = {0};
    td_linearisation *l = td_linearisation_create(h->system, asked->outputs, asked->n, &err);
    if (!l) refuse(&err);
    const td_status status = td_linearise(h->system, h->state, l);
    if (status < 0) {
        td_linearisation_destroy(l);
        check(h, status);
    }
    return l;
}

static void linearise(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    held *h = held_of(n, in);
    const asked_outputs asked = outputs_of(h, n, in, 2);
    td_linearisation *l = linearised(h, &asked);
    out[0] = structure();
    put_linear(out[0], td_get_linear(l));
    td_linearisation_destroy(l);
}

static void modes(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    (void)n_out;
    held *h = held_of(n, in);
    const int wanted = n > 2 ? whole(n, in, 2, "the number of modes", 0, INT_MAX) : 0;
    const asked_outputs none = {.n = 0};
    td_linearisation *l = linearised(h, &none);
    const td_status status = td_solve_modes(l, wanted);
    if (status < 0) {
        char why[512];
        snprintf(why, sizeof why, "%s", td_linearisation_message(l));
        td_linearisation_destroy(l);
        mexErrMsgIdAndTxt("tendril:failed", "%s", why[0] ? why : td_status_name(status));
    }
    out[0] = structure();
    put_modes(out[0], l);
    td_linearisation_destroy(l);
}

// ---------------------------------------------------------------- all of it
static const struct {
    const char *name;
    question ask;
} questions[] = {
    {"load", load},         {"close", close_robot},     {"set", set_inputs},
    {"inputs", get_inputs}, {"statics", statics},       {"begin", begin},
    {"step", step},         {"advance", advance},       {"time", get_time},
    {"energy", energy},     {"sample", sample},         {"actuators", actuator},
    {"jacobian", jacobian}, {"compliance", compliance}, {"linearise", linearise},
    {"modes", modes},       {"restart", restart},
};

void mexFunction(int n_out, mxArray *out[], int n, const mxArray *in[]) {
    static bool known;
    if (!known) {
        known = mexAtExit(let_all_go) == 0;
        struct timespec now;  // robots from before a `clear` stay unknown
        timespec_get(&now, TIME_UTC);
        last_handle = 1e6 * (double)now.tv_sec + floor(1e-3 * (double)now.tv_nsec);
    }
    char *what = text(n, in, 0, "the first argument");
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        if (strcmp(questions[i].name, what)) continue;
        questions[i].ask(n_out, out, n, in);
        return;
    }
    mexErrMsgIdAndTxt("tendril:argument", "there is no '%s'", what);
}
