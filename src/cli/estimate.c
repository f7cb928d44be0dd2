// tendril estimate: shape, forces and efforts of a robot that is watched.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/estimating.h"
#include "cli/start.h"
#include "cli/stop.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/result.h"
#include "io/written.h"
#include "robot/facts.h"

#define ROUND 1e-9                                        // s: instants this close are one
enum { MOST_STEPS_BETWEEN = 1000000, MOST_READ = 4096 };  // numbers of one reading

// ---------------------------------------------------------------- preparation
static bool is_read(const estimating *g, int sensor) {
    return td_estimator_refusal(g->e, sensor, !g->moves) == NULL;
}

// Sensors of the robot that are left out though nobody said so.
static void note_unused(const estimating *g) {
    for (int i = 0; i < td_n_sensors(g->s.system); i++) {
        const char *why = td_estimator_refusal(g->e, i, !g->moves);
        if (why && td_robot_estimator(g->s.robot)->n_sensors == 0 &&
            strncmp(sensor_facts_of(g->s.robot, i).measures, "estimate.", 9) != 0)
            print_note(g->s.file, "sensor '%s' is not used: %s", td_sensor_name(g->s.system, i),
                       why);
    }
}

static bool find_channels(estimating *g) {
    const td_system *system = g->s.system;
    int n = 0;
    for (int i = 0; i < td_n_sensors(system); i++) n += td_sensor_channels(system, i);
    g->channels = calloc((size_t)n + 1, sizeof *g->channels);
    g->taken = calloc((size_t)td_n_sensors(system) + 1, sizeof *g->taken);
    if (!g->channels || !g->taken) return print_error(g->s.file, "out of memory");
    for (int i = 0; i < td_n_sensors(system); i++)
        for (int k = 0; is_read(g, i) && k < td_sensor_channels(system, i); k++) {
            channel *c = &g->channels[g->n_channels++];
            *c =
                (channel){.sensor = i, .index = k, .column = -1, .unit = td_sensor_unit(system, i)};
            td_sensor_channel(system, i, k, c->name, sizeof c->name);
        }
    g->n_numbers = td_estimator_n_numbers(g->e);
    note_unused(g);
    if (g->n_channels > 0) return true;
    return print_error(g->s.file,
                       "the estimator uses no sensor: those with slopes and noise count");
}

// Which column each channel is; columns that are no channel of it are refused.
static bool match_columns(estimating *g) {
    for (int k = 0; k < g->data.r.n_outputs; k++) {
        const char *name = g->data.r.outputs[k];
        bool found = false;
        if (!strncmp(name, "sensor.", 7)) name += 7;
        for (int i = 0; i < g->n_channels && !found; i++) {
            channel *c = &g->channels[i];
            if (strcmp(c->name, name)) continue;
            if (c->column >= 0) return print_error(g->data.path, "two columns are '%s'", c->name);
            c->column = k, found = true;
        }
        if (!found)
            return print_error(g->data.path,
                               "'%s' is no channel of a sensor that the estimator "
                               "uses%s",
                               name, g->moves ? " in motion" : "");
    }
    return true;
}

static bool is_given(const estimating *g, int input) {
    for (int k = 0; k < g->data.r.n_inputs; k++)
        if (!strcmp(g->data.r.inputs[k], td_input_name(g->s.system, input))) return true;
    return false;
}

static bool is_unknown(const estimating *g, int input) {
    const td_estimator_def *def = td_robot_estimator(g->s.robot);
    for (int i = 0; i < def->n_unknowns; i++)
        for (int k = 0; k < def->unknowns[i].n_inputs; k++)
            if (def->unknowns[i].inputs[k] == input) return true;
    return false;
}

// What the robot was given: an input is known from the table or from its signal, or it is not known. Controllers do not act beside
// a table, so that nothing but a column tells of what they said.
static bool check_inputs(const estimating *g) {
    const td_system *system = g->s.system;
    for (int i = 0; i < td_n_inputs(system); i++)
        if (is_given(g, i) && is_unknown(g, i))
            return print_error(g->data.path, "input '%s' is given, and unknown to the estimator",
                               td_input_name(system, i));
    for (int c = 0; c < td_n_controllers(system); c++) {
        const int n = td_controller_inputs(system, c, NULL);
        int *inputs = calloc((size_t)n + 1, sizeof *inputs), missing = -1;
        if (!inputs) return print_error(g->s.file, "out of memory");
        td_controller_inputs(system, c, inputs);
        for (int k = n - 1; k >= 0; k--)
            if (!is_given(g, inputs[k]) && !is_unknown(g, inputs[k])) missing = inputs[k];
        free(inputs);
        if (missing >= 0)
            return print_error(g->data.path,
                               "no column '%s': controller '%s' sets this input, and what it said "
                               "is not in the file; add a column, or list it under "
                               "estimator.unknowns",
                               td_input_name(system, missing), td_controller_name(system, c));
    }
    return true;
}

// Rows are in the order of time, and say what was given in each.
static bool check_rows(const estimating *g) {
    const td_recording *r = &g->data.r;
    for (int row = 0; row < r->n_rows; row++) {
        for (int k = 0; k < r->n_inputs; k++)
            if (!isfinite(r->given[(size_t)row * (size_t)r->n_inputs + (size_t)k]))
                return print_error(g->data.path, "row %d: input '%s' has no value", row + 1,
                                   r->inputs[k]);
        if (!g->moves) continue;
        const double t = r->times[row], before = row > 0 ? r->times[row - 1] : 0.0;
        if (!isfinite(t)) return print_error(g->data.path, "row %d has no time", row + 1);
        if (t < before)
            return print_error(g->data.path,
                               "row %d: its time %g s comes after %g s; rows are in the order of "
                               "time, from 0 on, where the robot starts",
                               row + 1, t, before);
    }
    return true;
}

// ---------------------------------------------------------------- readings that come late
// What stands in a row came then, and was taken a delay before.
static double delay_of(const estimating *g, int sensor) {
    return sensor_facts_of(g->s.robot, sensor).delay;
}

static bool was_read(const estimating *g, int sensor, int row) {
    for (int i = 0; i < g->n_channels; i++) {
        const channel *c = &g->channels[i];
        const size_t first = (size_t)row * (size_t)g->data.r.n_outputs;
        if (c->sensor == sensor && c->column >= 0 &&
            !isnan(g->data.r.measured[first + (size_t)c->column]))
            return true;
    }
    return false;
}

// The estimator waits for as many readings as the rate of a sensor lets be on their way.
static bool check_late(const estimating *g) {
    const td_recording *r = &g->data.r;
    for (int i = 0; g->moves && i < td_n_sensors(g->s.system); i++) {
        const double delay = delay_of(g, i), rate = sensor_facts_of(g->s.robot, i).rate;
        if (delay == 0.0 || !td_estimator_uses(g->e, i)) continue;
        int waiting = 0;
        for (int row = 0, taken = 0; row < r->n_rows; row++) {
            for (; taken < r->n_rows && r->times[taken] - delay <= r->times[row] + ROUND; taken++)
                waiting += was_read(g, i, taken);
            if (waiting > ceil(delay * rate * (1.0 - 1e-9)) + 2.0)
                return print_error(g->data.path,
                                   "t = %g s: %d readings of '%s' are on their way, which its rate "
                                   "of %g Hz and delay of %g s do not allow; leave cells empty "
                                   "where nothing new came",
                                   r->times[row], waiting, td_sensor_name(g->s.system, i), rate,
                                   delay);
            waiting -= was_read(g, i, row);
        }
    }
    return true;
}

// The next instant up to `end` at which a late reading was taken, and of which sensor; -1: none.
static int next_taken(estimating *g, double from, double end, double *t) {
    int found = -1;
    for (int i = 0; i < td_n_sensors(g->s.system); i++) {
        const double delay = delay_of(g, i);
        int *row = &g->taken[i];
        if (delay == 0.0 || !td_estimator_uses(g->e, i)) continue;
        while (*row < g->data.r.n_rows &&
               (!was_read(g, i, *row) || g->data.r.times[*row] - delay < from - ROUND))
            ++*row;  // those that were taken before the table begins are lost
        if (*row == g->data.r.n_rows || g->data.r.times[*row] - delay > end + ROUND) continue;
        if (found < 0 || g->data.r.times[*row] - delay < *t)
            *t = fmax(from, g->data.r.times[*row] - delay), found = i;
    }
    return found;
}

// ---------------------------------------------------------------- all of it
static int prepare(estimating *g, const args *a) {
    td_error err = {0};
    const char *data = args_value(a, "data"), *map = args_value(a, "map");
    int code = session_open(&g->s, a);
    if (code != EXIT_FINE) return code;
    g->e = td_estimator_create(g->s.system, &err);
    if (!g->e) return exit_reported(EXIT_INPUT, g->s.file, &err);
    g->moves = true;
    if (map && !fit_map_parse(map, &g->map, &g->n_map)) return EXIT_INPUT;
    if (data && !fit_data_read(&g->data, data, g->map, g->n_map, &g->s, NULL)) return EXIT_INPUT;
    if (data) g->moves = g->data.r.times != NULL;
    if (!find_channels(g)) return EXIT_INPUT;
    if (!data) return EXIT_FINE;
    return match_columns(g) && check_inputs(g) && check_rows(g) && check_late(g) ? EXIT_FINE
                                                                                 : EXIT_INPUT;
}

// ---------------------------------------------------------------- rows
static bool add_row(estimating *g, const double *measured, const double *truth) {
    const int width = estimating_width(g);
    if (g->n_rows == g->room) {
        const int room = g->room ? 2 * g->room : 256;
        double *rows = realloc(g->rows, sizeof *rows * (size_t)room * (size_t)width);
        if (!rows) return print_error(g->s.file, "out of memory");
        g->rows = rows, g->room = room;
    }
    double *to = g->rows + (size_t)g->n_rows++ * (size_t)width, y[MOST_READ], sure[MOST_READ];
    *to++ = g->moves ? td_get_time(g->s.system, td_estimator_state(g->e)) : g->n_rows;
    for (int j = 0; j < g->n_numbers; j++, to += 3) {
        to[0] = td_estimator_get(g->e, j, &to[1]);
        to[2] = truth ? truth[j] : (double)NAN;
    }
    for (int i = 0, sensor = -1; i < g->n_channels; i++, to += 3) {
        const channel *c = &g->channels[i];
        if (c->sensor != sensor && td_estimator_get_sensor(g->e, sensor = c->sensor, y, sure) < 0)
            return print_error(g->s.file, "%s", td_estimator_message(g->e));
        to[0] = measured[i], to[1] = y[c->index], to[2] = sure[c->index];
    }
    return true;
}

static int failed(const estimating *g, double t) {
    return exit_error(EXIT_FAILED, g->s.file, g->moves ? "t = %g s: %s" : "row %g: %s", t,
                      td_estimator_message(g->e));
}

// ---------------------------------------------------------------- from data
static double given_at(const estimating *g, int input, int row, double share) {
    const td_recording *r = &g->data.r;
    const double b = r->given[(size_t)row * (size_t)r->n_inputs + (size_t)input];
    if (row == 0) return b;
    return (1.0 - share) * r->given[(size_t)(row - 1) * (size_t)r->n_inputs + (size_t)input] +
           share * b;
}

// Signals of the file, and over them what was given.
static td_status set_inputs(estimating *g, double t, int row, double share) {
    td_status status = td_apply_signals(g->s.system, g->s.state, t, TD_BEFORE);
    for (int i = 0; i < td_n_inputs(g->s.system) && status >= 0; i++)
        td_estimator_set_input(g->e, i, td_get_input(g->s.system, g->s.state, i));
    for (int k = 0; k < g->data.r.n_inputs; k++)
        td_estimator_set_input(g->e, td_find_input(g->s.system, g->data.r.inputs[k]),
                               given_at(g, k, row, share));
    return status;
}

// The readings of a row, by sensors; values has all channels, NAN where there is nothing.
static int readings_of(const estimating *g, int row, double *values, td_reading *readings) {
    int n = 0;
    for (int i = 0; i < g->n_channels; i++) {
        const channel *c = &g->channels[i];
        values[i] =
            c->column < 0
                ? (double)NAN
                : g->data.r.measured[(size_t)row * (size_t)g->data.r.n_outputs + (size_t)c->column];
        if (c->index != 0) continue;
        const double delay = g->moves ? delay_of(g, c->sensor) : 0.0;
        if (delay > 0.0 && (!was_read(g, c->sensor, row) ||
                            g->data.r.times[row] - delay < g->data.r.times[0] - ROUND))
            continue;
        readings[n++] = (td_reading){c->sensor, values + i};
    }
    return n;
}

// Inputs go from those of the row before, at `begin`, to those of this one.
static td_status step_to(estimating *g, int row, double begin, double to) {
    const double from = td_get_time(g->s.system, td_estimator_state(g->e));
    const double n = fmax(0.0, ceil((to - from) / g->s.scenario.step - 1e-6));
    const double whole = g->data.r.times[row] - begin;
    td_status status = TD_OK;
    for (int k = 1; k <= n && n <= MOST_STEPS_BETWEEN && status >= 0; k++) {
        const double t = from + (to - from) * k / n;
        status = set_inputs(g, t, row, whole > 0.0 ? (t - begin) / whole : 1.0);
        if (status >= 0) status = td_estimator_step(g->e, (to - from) / n);
    }
    return status;
}

static td_status to_row(estimating *g, int row) {
    const double begin = td_get_time(g->s.system, td_estimator_state(g->e)),
                 end = g->data.r.times[row];
    const double first = fmax(begin, g->data.r.times[0]);
    td_status status = TD_OK;
    double t = begin;
    for (int which; status >= 0 && (which = next_taken(g, fmax(first, t), end, &t)) >= 0;) {
        status = step_to(g, row, begin, t);
        if (status >= 0) status = td_estimator_take(g->e, which);
        g->taken[which]++;
    }
    return status < 0 ? status : step_to(g, row, begin, end);
}

// As the file says, but for what the table says was given.
static td_status begin_data(estimating *g) {
    const bool rests = g->s.scenario.start == TD_START_STATIC && td_n_initial(g->s.system) == 0;
    td_status status = td_estimator_begin(g->e);
    if (status < 0 || g->data.r.n_inputs == 0 || g->data.r.n_rows == 0) return status;
    status = set_inputs(g, 0.0, 0, 1.0);
    return status >= 0 && rests ? td_estimator_rest(g->e, NULL, 0) : status;
}

static int follow_data(estimating *g, recorder *r, result_writer *w, td_error *err) {
    double *values = calloc((size_t)g->n_channels + 1, sizeof *values);
    td_reading *readings = calloc((size_t)g->n_channels + 1, sizeof *readings);
    int code = values && readings ? EXIT_FINE : exit_error(EXIT_FAILED, g->s.file, "out of memory");
    if (code == EXIT_FINE && g->moves && begin_data(g) < 0) code = failed(g, 0.0);
    for (int row = 0; row < g->data.r.n_rows && code == EXIT_FINE && !stop_asked(); row++) {
        const int n = readings_of(g, row, values, readings);
        td_status status = g->moves ? to_row(g, row) : set_inputs(g, 0.0, row, 1.0);
        if (status >= 0)
            status = g->moves ? td_estimator_update(g->e, readings, n)
                              : td_estimator_rest(g->e, readings, n);
        if (status < 0) code = failed(g, g->moves ? g->data.r.times[row] : row + 1);
        else if (!add_row(g, values, NULL)) code = EXIT_FAILED;
        else if (result_add(w, recorder_take(r, td_estimator_state(g->e)), err) < 0)
            code = exit_reported(EXIT_FAILED, NULL, err);
    }
    free(values);
    free(readings);
    return code;
}

// ---------------------------------------------------------------- from a run of the file
// What was read since the last row; between two readings there is none.
static void look(const estimating *g, double *measured, double *truth) {
    double y[MOST_READ];
    for (int i = 0, sensor = -1, fresh = 0; i < g->n_channels; i++) {
        const channel *c = &g->channels[i];
        const int arrived = td_get_sensor(g->s.system, g->s.state, c->sensor, y, NULL);
        if (c->sensor != sensor) fresh = arrived > g->taken[c->sensor];
        sensor = c->sensor, g->taken[sensor] = arrived;
        measured[i] = fresh ? y[c->index] : (double)NAN;
    }
    for (int j = 0; j < g->n_numbers; j++) truth[j] = td_estimator_truth(g->e, g->s.state, j);
}

static int follow_run(estimating *g, recorder *r, result_writer *w, td_error *err) {
    const td_scenario *plan = &g->s.scenario;
    double *measured = calloc((size_t)(g->n_channels + g->n_numbers) + 1, sizeof *measured);
    double *truth = measured + g->n_channels;
    int code =
        measured ? begin_state(&g->s, NULL) : exit_error(EXIT_FAILED, g->s.file, "out of memory");
    const long n = (long)ceil(plan->end / plan->step - 1e-6);
    const long every =
        plan->record_every > plan->step ? lround(plan->record_every / plan->step) : 1;
    if (code == EXIT_FINE && td_estimator_begin(g->e) < 0) code = failed(g, 0.0);
    progress bar = progress_begin(0.0, plan->end, false);
    for (long k = 0; k <= n && code == EXIT_FINE && !stop_asked(); k++) {
        const td_status moved = k > 0 ? td_advance(g->s.system, g->s.state, plan->step) : TD_OK;
        const double t = td_get_time(g->s.system, g->s.state);
        if (moved < 0)
            code = exit_error(EXIT_FAILED, g->s.file, "t = %g s: %s", t, td_message(g->s.state));
        else if (td_estimator_follow(g->e, g->s.state) < 0) code = failed(g, t);
        if (code != EXIT_FINE || (k % every && k < n)) continue;
        look(g, measured, truth);
        if (!add_row(g, measured, truth)) code = EXIT_FAILED;
        else if (result_add(w, recorder_take(r, td_estimator_state(g->e)), err) < 0)
            code = exit_reported(EXIT_FAILED, NULL, err);
        progress_update(&bar, t);
    }
    progress_end(&bar);
    free(measured);
    return code;
}

// ---------------------------------------------------------------- what is left
static int write_table(const estimating *g, const char *folder) {
    char path[560];
    snprintf(path, sizeof path, "%s/estimate.csv", folder);
    td_error err = {0};
    FILE *f = whole_open(path, &err);
    if (!f) return exit_reported(EXIT_FAILED, NULL, &err);
    fprintf(f, "%s", g->moves ? "time [s]" : "row");
    for (int j = 0; j < g->n_numbers; j++) {
        const char *name = td_estimator_name(g->e, j), *unit = td_estimator_unit(g->e, j);
        fprintf(f, ",%s [%s],%s.deviation [%s],%s.truth [%s]", name, unit, name, unit, name, unit);
    }
    for (int i = 0; i < g->n_channels; i++) {
        const channel *c = &g->channels[i];
        fprintf(f, ",%s.measured [%s],%s [%s],%s.deviation [%s]", c->name, c->unit, c->name,
                c->unit, c->name, c->unit);
    }
    fputc('\n', f);
    const int width = estimating_width(g);
    for (int row = 0; row < g->n_rows; row++)
        for (int k = 0; k < width; k++) {
            const double x = g->rows[(size_t)row * (size_t)width + (size_t)k];
            if (isfinite(x)) fprintf(f, "%.9g", x);
            fputc(k + 1 < width ? ',' : '\n', f);
        }
    if (written_close(f, path, &err) == TD_OK) return EXIT_FINE;
    return exit_reported(EXIT_FAILED, NULL, &err);
}

static void print_end(const estimating *g, const char *folder) {
    int n_read = 0;
    for (int i = 0; i < g->n_channels; i++) n_read += !g->data.path || g->channels[i].column >= 0;
    printf("%s: %d %s, from %d reading%s at a time\n", g->s.file, g->n_rows,
           g->moves ? (g->n_rows == 1 ? "instant" : "instants")
                    : (g->n_rows == 1 ? "equilibrium" : "equilibria"),
           n_read, n_read == 1 ? "" : "s");
    if (g->n_rows == 0) return;
    const double *last = g->rows + (size_t)(g->n_rows - 1) * (size_t)estimating_width(g) + 1;
    if (g->n_numbers > 0) printf("\n  at the end%20s  deviation\n", "estimate");
    for (int j = 0; j < g->n_numbers; j++, last += 3) {
        printf("  %-16s %13.6g  %.3g %s", td_estimator_name(g->e, j), last[0], last[1],
               td_estimator_unit(g->e, j));
        if (isfinite(last[2])) printf(" (true: %.6g)", last[2]);
        putchar('\n');
    }
    printf("\n%s/estimate.csv, result.h5: the robot as it is believed\n", folder);
}

static int compute(estimating *g, const char *folder) {
    td_error err = {0};
    recorder r = {0};
    char file[560];
    snprintf(file, sizeof file, "%s/result.h5", folder);
    if (result_folder(folder, &err) < 0) return exit_reported(EXIT_INPUT, NULL, &err);
    if (recorder_create(&r, g->s.system, &g->s.scenario, &err) < 0)
        return exit_reported(EXIT_FAILED, NULL, &err);
    result_writer *w = result_create(file, &r.layout, 1000, &err);
    const result_info info = {"tendril estimate", g->s.robot, g->s.system, &g->s.scenario};
    int code = EXIT_FINE;
    catch_stop(true);
    if (!w || result_describe(w, &info, &err) < 0) code = exit_reported(EXIT_FAILED, NULL, &err);
    else code = (g->data.path ? follow_data : follow_run)(g, &r, w, &err);
    if (w && result_close(w, code == EXIT_FINE ? "finished" : "failed", &err) < 0 &&
        code == EXIT_FINE)
        code = exit_reported(EXIT_FAILED, NULL, &err);
    recorder_destroy(&r);
    return code;
}

static int run(const args *a) {
    estimating g = {0};
    const char *picture = args_value(a, "picture"), *folder = args_value(a, "out");
    if (!folder) folder = "results/estimate";
    int code = prepare(&g, a);
    if (code == EXIT_FINE) code = compute(&g, folder);
    if (code == EXIT_FINE) code = write_table(&g, folder);
    if (code == EXIT_FINE) print_end(&g, folder);
    if (code == EXIT_FINE && picture) code = estimating_draw(&g, picture);
    fit_data_free(&g.data);
    td_estimator_destroy(g.e);
    free(g.map);
    free(g.channels);
    free(g.taken);
    free(g.rows);
    session_close(&g.s);
    return code;
}

static const option options[] = {
    SESSION_OPTIONS,
    {"data", "FILE",
     "table of readings (CSV): time, known inputs, channels of\n"
     "sensors; without it, readings are simulated from the file",
     false},
    {"map", "LIST",
     "meaning of columns: 't=time, x=camera.x:mm,\n"
     "F=input.pull:N'; default: columns are named like channels\n"
     "and inputs",
     false},
    {"out", "DIR", "folder for the result; default: results/estimate", false},
    {"picture", "FILE", "draw estimates with their uncertainty: .png, .svg or .pdf", false},
    {0},
};

const verb verb_estimate = {
    .name = "estimate",
    .summary = "estimate shape, forces and efforts from sensor readings",
    .arguments = "FILE",
    .about =
        "Processes readings with the `estimator` of the file. A table with a time column goes\n"
        "through an iterated extended Kalman filter; otherwise the most likely equilibrium is\n"
        "found for each row. Writes estimate.csv with standard deviations, and the estimated\n"
        "robot as result.h5, for `tendril plot` and others.",
    .options = options,
    .examples = "  tendril estimate payload.yaml --picture payload.png\n"
                "  tendril estimate payload.yaml --set sensors.camera.noise='2 mm' --out blurred\n",
    .run = run,
};
